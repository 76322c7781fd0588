#include "superquadric_shape.h"

#include <assert.h>
#include <math.h>

#include "geometry/core_pair.h"

#define BALL_SHARE 0.9 // of the least radius of curvature, of which the grid knows nearly the least
#define GRID 16        // directions of an octant, along each of two angles
#define QUARTER_RAD 1.5707963267948966

void superquadric_exponents(const SceneShape *in, double out[2]) {
    out[0] = in->exponents[0];
    out[1] = in->exponents[1] > 0.0 ? in->exponents[1] : in->exponents[0];
}

static double dual(double exponent) { return exponent / (exponent - 1.0); }

// The lesser eigenvalue of the second derivative of the support function at the direction whose stretched vector is y.
static double curvature_radius_at(const Shape *shape, Vec3 y) {
    const double *half = shape->size_m;
    const Vec3 u = vec3_normalize(vec3_make(y.x / half[0], y.y / half[1], y.z / half[2])), s = vec3_perpendicular(u);
    const CoreForm form = core_superquadric_form(shape, u, s, vec3_cross(u, s));
    const double middle = 0.5 * (form.ss + form.tt), apart = 0.5 * (form.ss - form.tt);
    return middle - sqrt(apart * apart + form.st * form.st);
}

static double least_curvature_radius_m(const Shape *shape) {
    double least = INFINITY;
    for (int i = 0; i <= GRID; i++)
        for (int k = 0; k <= GRID; k++) {
            const double up = QUARTER_RAD * i / GRID, round = QUARTER_RAD * k / GRID;
            const Vec3 y = vec3_make(cos(up) * cos(round), cos(up) * sin(round), sin(up));
            least = fmin(least, curvature_radius_at(shape, y));
        }
    return least;
}

// Farthest point: over the surface x^2 + y^2 is at most the norm of (a^2, b^2) dual to m / 2 (Hoelder's inequality),
// and the same with z^2.
static double norm_of_squares(double x_m2, double y_m2, double exponent) {
    if (!(exponent > 2.0)) return fmax(x_m2, y_m2);
    const double power = exponent / (exponent - 2.0), most = fmax(x_m2, y_m2), share = fmin(x_m2, y_m2) / most;
    return most * pow(1.0 + pow(share, power), 1.0 / power);
}

void superquadric_stage(const SceneShape *in, Shape *out) {
    double exponents[2];
    superquadric_exponents(in, exponents);
    const double p = dual(exponents[0]), q = dual(exponents[1]), *size = in->size_m;
    for (uint32_t k = 0; k < 3; k++) out->size_m[k] = 0.5 * size[k] / superquadric_reach(k, p, q);
    out->size_m[3] = p;
    out->size_m[4] = q;
    out->contact_radius_m = 0.5 * fmin(size[0], fmin(size[1], size[2]));
    out->smoothing_m = BALL_SHARE * least_curvature_radius_m(out);
    const double across = norm_of_squares(0.25 * size[0] * size[0], 0.25 * size[1] * size[1], exponents[0]);
    out->bound_radius_m = sqrt(norm_of_squares(across, 0.25 * size[2] * size[2], exponents[1]));
}

double superquadric_curvature_radius_m(const Shape *shape) { return shape->smoothing_m / BALL_SHARE; }

void superquadric_half(const Shape *shape, double out_m[3]) {
    for (uint32_t k = 0; k < 3; k++)
        out_m[k] = shape->size_m[k] * superquadric_reach(k, shape->size_m[3], shape->size_m[4]);
}

static double power_of(double x, double exponent) { return x > 0.0 ? superquadric_power(x, exponent) : 0.0; }

double superquadric_gauge(const Shape *shape, const double at_m[3]) {
    double half_m[3], share[3], most = 0.0;
    superquadric_half(shape, half_m);
    for (int k = 0; k < 3; k++) most = fmax(most, share[k] = fabs(at_m[k]) / half_m[k]);
    if (!(most > 0.0)) return 0.0;
    const double m = dual(shape->size_m[3]), n = dual(shape->size_m[4]); // of a dual exponent: the exponent
    const double across = power_of(share[0] / most, m) + power_of(share[1] / most, m);
    return most * power_of(power_of(across, n / m) + power_of(share[2] / most, n), 1.0 / n);
}
