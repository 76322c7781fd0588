// A superquadric ((|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n <= 1, m and n from 2 to 8): its support function, that function's
// gradient (the support point) and second derivative.
//
// The support function is the norm dual to the shape's: with y = (a u_x, b u_y, c u_z), p = m / (m - 1), q = n / (n -
// 1) h = ((|y_x|^p + |y_y|^p)^(q/p) + |y_z|^q)^(1/q). For exponents above 2 the shape has no curvature at the ends of
// its axes, and the second derivative of h is infinite there: no method that follows the normal would converge. So
// |y_k| is replaced by G_k = sqrt(y_k^2 + (rounding |y|)^2), which is the support function of a convex body still (a
// norm, which grows with each G_k, of convex functions of degree 1), whose faces are slightly domed. Half lengths are
// exact: the host divides them by superquadric_reach. kernels/geometry/README.md, "Superquadrics".
#ifndef CLACK_GEOMETRY_SUPERQUADRIC_H
#define CLACK_GEOMETRY_SUPERQUADRIC_H

#include "base/elementary.h"
#include "base/vec3.h"

// With it the surface deviates from the one without by up to 7e-6 (exponents 4) and 5e-5 (8) of the half lengths, and
// radii of curvature end at about 460 and 2,700 half lengths.
#define SUPERQUADRIC_ROUNDING 1.0e-4
#define SUPERQUADRIC_ROUNDING_SQUARE (SUPERQUADRIC_ROUNDING * SUPERQUADRIC_ROUNDING)

typedef struct SuperquadricSize {
    Vec3 half_m; // divided by superquadric_reach
    real p, q;   // the dual exponents, 8/7 to 2: across the axis z, and along it
} SuperquadricSize;

// All that does not depend on the half lengths but for y, at one direction.
typedef struct SuperquadricAt {
    Vec3 y;         // of length 1
    Vec3 inverse;   // 1 / G_k^2
    Vec3 log_slope; // of h^q: how h grows with the logarithm of each G_k; sum: 1
    real h;         // for y of length 1
} SuperquadricAt;

FN_SHORT real superquadric_power(real x, real exponent) { return elementary_exp(exponent * elementary_log(x)); }

/// y: of length 1.
FN SuperquadricAt superquadric_at(Vec3 y, real p, real q) {
    SuperquadricAt at;
    Vec3 square =
        vec3_make(real_fma(y.x, y.x, SUPERQUADRIC_ROUNDING_SQUARE), real_fma(y.y, y.y, SUPERQUADRIC_ROUNDING_SQUARE),
                  real_fma(y.z, y.z, SUPERQUADRIC_ROUNDING_SQUARE));
    at.y = y;
    real on_x = superquadric_power(square.x, 0.5 * p), on_y = superquadric_power(square.y, 0.5 * p);
    real on_z = superquadric_power(square.z, 0.5 * q), across = on_x + on_y;
    real on_xy = p == q ? across : superquadric_power(across, q / p), sum = on_xy + on_z;
    at.h = superquadric_power(sum, 1.0 / q);
    real per_across = on_xy / (sum * across);
    at.log_slope = vec3_make(on_x * per_across, on_y * per_across, on_z / sum);
    at.inverse = vec3_make(1.0 / square.x, 1.0 / square.y, 1.0 / square.z);
    return at;
}

/// How far the shape of half lengths 1 would reach along axis k.
FN real superquadric_reach(u32 k, real p, real q) { return superquadric_at(vec3_unit(k), p, q).h; }

// y / |y| for a direction, and |y| over the direction's length; y of the zero vector: along z.
FN_SHORT Vec3 superquadric_stretch(const SuperquadricSize *size, Vec3 u, real *length) {
    Vec3 y = vec3_multiply(size->half_m, u);
    *length = vec3_length(y);
    return *length > 0.0 ? vec3_scale(y, 1.0 / *length) : vec3_make(0.0, 0.0, 1.0);
}

/// Support point: the gradient of h.
FN Vec3 superquadric_point(const SuperquadricSize *size, const SuperquadricAt *at) {
    Vec3 steep = vec3_multiply(at->log_slope, at->inverse);
    real common = SUPERQUADRIC_ROUNDING_SQUARE * (steep.x + steep.y + steep.z);
    Vec3 slope = vec3_make(at->y.x * (steep.x + common), at->y.y * (steep.y + common), at->y.z * (steep.z + common));
    return vec3_scale(vec3_multiply(size->half_m, slope), at->h);
}

/// The same in a local direction of any length.
FN Vec3 superquadric_support(const SuperquadricSize *size, Vec3 u) {
    real length;
    SuperquadricAt at = superquadric_at(superquadric_stretch(size, u, &length), size->p, size->q);
    return superquadric_point(size, &at);
}

// A vector of directions' space at a direction: s stretched, its growth of log G_k, and what that adds up to.
typedef struct SuperquadricSlope {
    Vec3 s;      // (a s_x, b s_y, c s_z)
    real on_y;   // its part along y
    Vec3 rate;   // dG_k / G_k
    real across; // sum of log_slope * rate over x and y,
    real all;    // and over all
} SuperquadricSlope;

FN SuperquadricSlope superquadric_slope(const SuperquadricSize *size, const SuperquadricAt *at, Vec3 s) {
    SuperquadricSlope of;
    of.s = vec3_multiply(size->half_m, s);
    of.on_y = SUPERQUADRIC_ROUNDING_SQUARE * vec3_dot(at->y, of.s);
    of.rate = vec3_make(real_fma(at->y.x, of.s.x, of.on_y) * at->inverse.x,
                        real_fma(at->y.y, of.s.y, of.on_y) * at->inverse.y,
                        real_fma(at->y.z, of.s.z, of.on_y) * at->inverse.z);
    of.across = at->log_slope.x * of.rate.x + at->log_slope.y * of.rate.y;
    of.all = real_fma(at->log_slope.z, of.rate.z, of.across);
    return of;
}

/// Second derivative of the support function along two vectors, times the length of y.
FN real superquadric_second(const SuperquadricSize *size, const SuperquadricAt *at, const SuperquadricSlope *s,
                            const SuperquadricSlope *t) {
    real common = SUPERQUADRIC_ROUNDING_SQUARE * vec3_dot(s->s, t->s);
    // Of each G_k: its own second derivative, that of the norm, and dG_k dG_k / G_k, which both have.
    Vec3 own =
        vec3_make(real_fma(s->s.x, t->s.x, common) * at->inverse.x, real_fma(s->s.y, t->s.y, common) * at->inverse.y,
                  real_fma(s->s.z, t->s.z, common) * at->inverse.z);
    Vec3 rates = vec3_multiply(s->rate, t->rate);
    real on_xy = at->log_slope.x * real_fma(size->p - 2.0, rates.x, own.x) +
                 at->log_slope.y * real_fma(size->p - 2.0, rates.y, own.y);
    real on_z = at->log_slope.z * real_fma(size->q - 2.0, rates.z, own.z);
    real nested = (size->q - size->p) * s->across * t->across / (at->log_slope.x + at->log_slope.y);
    return at->h * (on_xy + on_z + nested - (size->q - 1.0) * s->all * t->all);
}

#endif
