// Two ellipsoids: the normal by steps of third order, starting from that of two similar ellipsoids of the same
// orientation. Each step depends on the one before, so that few long steps take less time than many short ones;
// Newton's method on features takes half as many again.
#ifndef CLACK_GEOMETRY_ELLIPSOIDS_H
#define CLACK_GEOMETRY_ELLIPSOIDS_H

#include "geometry/core_pair.h"
#include "geometry/feature.h"

#define ELLIPSOIDS_STEPS 12u
#define ELLIPSOIDS_CONVERGED 5.0e-6 // rad: the error after such a step is its cube
#define ELLIPSOIDS_NEAR 0.3         // rad: longer steps are Newton's

// The squares of their support functions are quadratic forms: of A in B, of B its semi-axes squared.
typedef struct Ellipsoids {
    Mat3 of_a; // R A^2 R^T, symmetric
    Vec3 of_b;
    Vec3 between; // from the centre of A to that of B
} Ellipsoids;

FN_SHORT void ellipsoids_make(const CorePair *pair, Ellipsoids *e) {
    Vec3 a = vec3_multiply(pair->a.segments.half_m, pair->a.segments.half_m);
    Vec3 ax = vec3_multiply(pair->turn.x, a), ay = vec3_multiply(pair->turn.y, a), az = vec3_multiply(pair->turn.z, a);
    e->of_a.x = vec3_make(vec3_dot(ax, pair->turn.x), vec3_dot(ax, pair->turn.y), vec3_dot(ax, pair->turn.z));
    e->of_a.y = vec3_make(e->of_a.x.y, vec3_dot(ay, pair->turn.y), vec3_dot(ay, pair->turn.z));
    e->of_a.z = vec3_make(e->of_a.x.z, e->of_a.y.z, vec3_dot(az, pair->turn.z));
    e->of_b = vec3_multiply(pair->b.segments.half_m, pair->b.segments.half_m);
    e->between = vec3_negate(pair->place);
}

/// The normal of two similar ellipsoids of the same orientation: by the inverse of the sum of both matrices, from cross
/// products of its rows.
FN_SHORT Vec3 ellipsoids_begin(const Ellipsoids *e) {
    Mat3 a = e->of_a;
    Vec3 x = vec3_make(a.x.x + e->of_b.x, a.x.y, a.x.z), y = vec3_make(a.y.x, a.y.y + e->of_b.y, a.y.z);
    Vec3 z = vec3_make(a.z.x, a.z.y, a.z.z + e->of_b.z);
    Vec3 n = vec3_make(vec3_dot(vec3_cross(y, z), e->between), vec3_dot(vec3_cross(z, x), e->between),
                       vec3_dot(vec3_cross(x, y), e->between));
    return vec3_scale(n, core_inverse_root(vec3_dot(n, n)));
}

// The support function of one of them near a direction, along two vectors across it.
typedef struct EllipsoidNear {
    real f, gs, gt;  // its value and slopes
    real ss, st, tt; // its quadratic form times `per_f`, 1 / f
    real per_f;
} EllipsoidNear;

/// on_n, on_s, on_t: its matrix times n, s and t.
FN_SHORT EllipsoidNear ellipsoids_near(Vec3 n, const FeatureAcross *across, Vec3 on_n, Vec3 on_s, Vec3 on_t) {
    EllipsoidNear near;
    real square = vec3_dot(n, on_n);
    near.per_f = core_inverse_root(square);
    near.f = square * near.per_f;
    near.gs = vec3_dot(across->s, on_n) * near.per_f;
    near.gt = vec3_dot(across->t, on_n) * near.per_f;
    near.ss = vec3_dot(across->s, on_s) * near.per_f;
    near.st = vec3_dot(across->s, on_t) * near.per_f;
    near.tt = vec3_dot(across->t, on_t) * near.per_f;
    return near;
}

/// Slope of the third-order part of that function at (x, y) from the direction.
FN_SHORT Across ellipsoids_third(const EllipsoidNear *near, real x, real y) {
    real on_s = near->ss * x + near->st * y, on_t = near->st * x + near->tt * y;
    real first = (near->gs * x + near->gt * y) * near->per_f;
    real of_slope = 1.5 * first * first - 0.5 * near->per_f * (on_s * x + on_t * y);
    return across_make(of_slope * near->gs - first * on_s, of_slope * near->gt - first * on_t);
}

// A step of the normal. `square`: of its angle; REAL_HUGE: no minimum is near.
typedef struct EllipsoidsStep {
    Vec3 n;
    real square;
} EllipsoidsStep;

/// Chebyshev's step for the direction in which D ends nearest to the origin: Newton's step, corrected with the same
/// matrix by the third derivative at its end.
FN_SHORT EllipsoidsStep ellipsoids_step(const Ellipsoids *e, Vec3 n) {
    FeatureAcross across = feature_across(n);
    EllipsoidNear a = ellipsoids_near(n, &across, mat3_rotate(e->of_a, n), mat3_rotate(e->of_a, across.s),
                                      mat3_rotate(e->of_a, across.t));
    EllipsoidNear b = ellipsoids_near(n, &across, vec3_multiply(e->of_b, n), vec3_multiply(e->of_b, across.s),
                                      vec3_multiply(e->of_b, across.t));
    real f = a.f + b.f - vec3_dot(e->between, n), q = across.square;
    real gs = a.gs + b.gs - vec3_dot(e->between, across.s), gt = a.gt + b.gt - vec3_dot(e->between, across.t);
    real ss = a.ss - a.gs * a.gs * a.per_f + (b.ss - b.gs * b.gs * b.per_f) - f * q;
    real st = a.st - a.gs * a.gt * a.per_f + (b.st - b.gs * b.gt * b.per_f);
    real tt = a.tt - a.gt * a.gt * a.per_f + (b.tt - b.gt * b.gt * b.per_f) - f * q;
    real determinant = ss * tt - st * st;
    EllipsoidsStep step;
    step.n = n;
    step.square = REAL_HUGE;
    if (!(ss + tt > 0.0 && determinant > 0.0)) return step;
    // The matrix's inverse is `inverse` times that of its cofactors; only the last operation depends on the division.
    real inverse = 1.0 / determinant;
    real x = st * gt - tt * gs, y = st * gs - ss * gt;
    real square = (x * x + y * y) * q, along = q * (gs * x + gt * y);
    // Normalising the direction: F / sqrt(1 + q |d|^2) has the third-order part of F less q |d|^2 (g . d) / 2.
    Across of_a = ellipsoids_third(&a, x, y), of_b = ellipsoids_third(&b, x, y);
    real more_s = of_a.x + of_b.x - along * x - 0.5 * square * gs,
         more_t = of_a.y + of_b.y - along * y - 0.5 * square * gt;
    step.square = square * (inverse * inverse);
    real third = step.square < ELLIPSOIDS_NEAR * ELLIPSOIDS_NEAR ? inverse * inverse * inverse : 0.0;
    if (step.square > 1.0) inverse /= real_sqrt(step.square);
    x = inverse * x + third * (st * more_t - tt * more_s);
    y = inverse * y + third * (st * more_s - ss * more_t);
    n = vec3_add(n, vec3_add_scaled(vec3_scale(across.s, x), across.t, y));
    step.n = vec3_scale(n, core_inverse_root(vec3_dot(n, n)));
    return step;
}

/// Points of the cores for a normal, and the certificate of Newton's method on features: their difference has no part
/// across the normal, along which they are the farthest points.
FN_SHORT void ellipsoids_certify(const CorePair *pair, Vec3 n, Featured *found) {
    Feature *feature = &found->feature;
    feature->n = n;
    feature->b = core_ellipsoid(&pair->b, vec3_negate(n), 1.0).point;
    feature->a = vec3_add(
        pair->place, mat3_rotate(pair->turn, core_ellipsoid(&pair->a, mat3_rotate_back(pair->turn, n), 1.0).point));
    feature->x = vec3_sub(feature->a, feature->b);
    feature->f = vec3_dot(feature->x, n);
    Vec3 left = vec3_add_scaled(feature->x, n, 0.0 - feature->f);
    real most_left = FEATURE_STATIONARY * pair->size_m;
    if (!(vec3_dot(left, left) <= most_left * most_left)) return;
    found->gap_m = real_max(0.0, vec3_length(feature->x) + feature->f);
    found->is_certified = 1;
}

/// Starting from a normal; 0: from that of two similar ellipsoids of the same orientation.
FN void ellipsoids_solve(const CorePair *pair, const Vec3 *from, Featured *found) {
    Ellipsoids e;
    ellipsoids_make(pair, &e);
    Vec3 n = from != 0 ? *from : ellipsoids_begin(&e);
    feature_refuse(found, n);
    real last = REAL_HUGE;
    for (u32 i = 0; i < ELLIPSOIDS_STEPS && !(last < ELLIPSOIDS_CONVERGED * ELLIPSOIDS_CONVERGED); i++) {
        EllipsoidsStep step = ellipsoids_step(&e, n);
        found->from = n;
        found->steps++;
        if (!(step.square < last)) return;
        last = step.square;
        n = step.n;
    }
    ellipsoids_certify(pair, n, found);
}

#endif
