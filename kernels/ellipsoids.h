// The normal of two ellipsoids, nearly: where Newton's method on features (feature.h) begins, which knows how good it is.
#ifndef CLACK_ELLIPSOIDS_H
#define CLACK_ELLIPSOIDS_H

#include "feature.h"

#define ELLIPSOIDS_STEPS 2u // always as many: where they ended would be a guess

// The support function of D, with the balls, and its derivatives at a direction.
typedef struct EllipsoidsSum {
    CoreForm form;
    real f, gs, gt;
} EllipsoidsSum;

/// One of them. on_n, on_s, on_t: its matrix, whose quadratic form is the square of its support function, times n, s and t.
FN_SHORT void ellipsoids_add(EllipsoidsSum *sum, Vec3 n, const FeatureAcross *across, Vec3 on_n, Vec3 on_s, Vec3 on_t) {
    real square = vec3_dot(n, on_n), share = core_share(square);
    real gs = vec3_dot(across->s, on_n) * share, gt = vec3_dot(across->t, on_n) * share;
    sum->f += square * share;
    sum->gs += gs;
    sum->gt += gt;
    sum->form.ss += share * (vec3_dot(across->s, on_s) - gs * gs);
    sum->form.st += share * (vec3_dot(across->s, on_t) - gs * gt);
    sum->form.tt += share * (vec3_dot(across->t, on_t) - gt * gt);
}

/// From the normal of two that are alike and turned alike, which solves these. between: from the centre of A to that of B.
FN Vec3 ellipsoids_begin(const CorePair *pair, Vec3 between) {
    Vec3 a = vec3_multiply(pair->a.segments.half_m, pair->a.segments.half_m);
    Vec3 b = vec3_multiply(pair->b.segments.half_m, pair->b.segments.half_m);
    Vec3 ax = vec3_multiply(pair->turn.x, a), ay = vec3_multiply(pair->turn.y, a), az = vec3_multiply(pair->turn.z, a);
    Mat3 of_a; // R A^2 R^T, symmetric
    of_a.x = vec3_make(vec3_dot(ax, pair->turn.x), vec3_dot(ax, pair->turn.y), vec3_dot(ax, pair->turn.z));
    of_a.y = vec3_make(of_a.x.y, vec3_dot(ay, pair->turn.y), vec3_dot(ay, pair->turn.z));
    of_a.z = vec3_make(of_a.x.z, of_a.y.z, vec3_dot(az, pair->turn.z));
    // The inverse of the sum of both matrices but for a factor, by cross products of its rows.
    Vec3 x = vec3_make(of_a.x.x + b.x, of_a.x.y, of_a.x.z), y = vec3_make(of_a.y.x, of_a.y.y + b.y, of_a.y.z);
    Vec3 z = vec3_make(of_a.z.x, of_a.z.y, of_a.z.z + b.z);
    Vec3 n = vec3_normalize(vec3_make(vec3_dot(vec3_cross(y, z), between), vec3_dot(vec3_cross(z, x), between), vec3_dot(vec3_cross(x, y), between)));
    for (u32 i = 0; i < ELLIPSOIDS_STEPS; i++) {
        FeatureAcross across = feature_across(n);
        EllipsoidsSum sum;
        sum.f = 0.0 - vec3_dot(between, n);
        sum.gs = 0.0 - vec3_dot(between, across.s);
        sum.gt = 0.0 - vec3_dot(between, across.t);
        sum.form.ss = sum.form.st = sum.form.tt = 0.0;
        ellipsoids_add(&sum, n, &across, mat3_rotate(of_a, n), mat3_rotate(of_a, across.s), mat3_rotate(of_a, across.t));
        ellipsoids_add(&sum, n, &across, vec3_multiply(b, n), vec3_multiply(b, across.s), vec3_multiply(b, across.t));
        n = feature_step_across(n, &across, sum.form, sum.f, sum.gs, sum.gt).n;
    }
    return n;
}

#endif
