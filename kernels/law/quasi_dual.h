// The conditions of quasi_law.h with multipliers among the unknowns: what they are off by, and the linear equations for
// their changes, from which those are eliminated. A semismooth Newton method, as an active-set method knows it
// (Hintermueller, Ito, Kunisch, SIAM J. Optim. 13 (2003) 865; for friction Alart, Curnier, CMAME 92 (1991) 353):
//
//   N - max(0, N - alpha g) = 0,   p - P(p - beta s) = 0,   P: onto the ball of radius mu N
//
// alpha and beta are of the size of the mass behind the contact times (1/h)^2 and 1/h, so that they decide well which
// conditions are active; they do not enter the solution. Where a contact carries, its equation is g = 0 but for
// epsilon of the multiplier's change over alpha, without which a body on many points would have no unique forces.
#ifndef CLACK_LAW_QUASI_DUAL_H
#define CLACK_LAW_QUASI_DUAL_H

#include "law/quasi_law.h"

// Normal direction
typedef struct QuasiNormalDual {
    real force_N;             // by the present multiplier
    real bound_N;             // N of the projection: friction's
    real next_N, next_core_N; // of the linear equations where bodies do not change
    real slope_N_per_m;       // of these, by the overlap
    real core_slope_N_per_m;
    real off_N; // projection less multiplier
    real deflection_m, stored_J;
} QuasiNormalDual;

FN_ONCE QuasiNormalDual quasi_normal_dual(const QuasiNumbers *of, GLOBAL const QuasiState *before,
                                          GLOBAL const QuasiState *last, real gap_m) {
    QuasiNormalDual at = ALL_ZERO;
    real alpha = of->normal_penalty_N_per_m, stiff = alpha / of->epsilon, overlap = 0.0 - gap_m;
    u32 has_layer = of->layer.has_layer;
    real star = has_layer ? last->core_N : last->normal_N,
         beyond = (has_layer ? overlap - of->layer.thickness_m : overlap) - of->left_m;
    real projected = real_max(0.0, real_fma(alpha, beyond, star));
    u32 is_active = projected > 0.0 ? 1u : 0u;
    real next = is_active ? real_fma(stiff, beyond, star) : 0.0, slope = is_active ? stiff : 0.0;
    at.off_N = projected - star;
    at.force_N = star;
    at.bound_N = projected;
    at.next_N = next;
    at.slope_N_per_m = slope;
    if (!has_layer) return at;
    QuasiNormal elastic = quasi_elastic(COPY(of->layer), overlap);
    real dashpot = of->layer.damping * of->s,
         layer_N = real_fma(dashpot, overlap - before->deflection_m, elastic.force_N);
    at.next_core_N = next;
    at.core_slope_N_per_m = slope;
    at.force_N = layer_N + star;
    at.bound_N = real_max(0.0, layer_N + projected);
    at.next_N = layer_N + next;
    at.slope_N_per_m = elastic.slope_N_per_m + dashpot + slope;
    at.deflection_m = overlap;
    at.stored_J = elastic.stored_J;
    if (at.bound_N > 0.0) return at;
    at.off_N = 0.0 - star;
    at.force_N = at.next_N = at.next_core_N = at.slope_N_per_m = at.core_slope_N_per_m = 0.0;
    at.deflection_m = real_max(overlap, quasi_relaxed(COPY(of->layer), of->s, before->deflection_m));
    at.stored_J = quasi_elastic(COPY(of->layer), at.deflection_m).stored_J;
    return at;
}

// Across the normal and about it; forces e p in N and N m.
typedef struct QuasiFrictionDual {
    real force[FRICTION_AXES];      // by the present multipliers
    real next[FRICTION_AXES];       // of the linear equations where bodies do not change
    real off[FRICTION_AXES], off_N; // projection less multiplier, and its size
    real stretch[FRICTION_AXES], stored_J;
} QuasiFrictionDual;

/// Stretch of the layer across the normal at the end of the step by the force on its tip, m/N; 0: it has no spring and
/// no damper there.
FN_SHORT real quasi_per_shear(const QuasiNumbers *of) {
    real dash = real_fma(of->layer.shear_damping, of->s, of->layer.shear_stiffness);
    return dash > 0.0 ? 1.0 / dash : 0.0;
}

/// Speed of the layer's tip by p along an axis of friction, m/(s N). per_shear: of quasi_per_shear.
FN_SHORT real quasi_give(const QuasiNumbers *of, u32 k, real per_shear) {
    return k < 2 ? of->e[k] * of->e[k] * of->s * per_shear : 0.0;
}

// The linear equations ((1 + epsilon) - P' T) x = b of friction, with T diagonal and P' = c (1 - y y') where it slips,
// else 1.
typedef struct QuasiElimination {
    real t[FRICTION_AXES], y[FRICTION_AXES];
    real inverse[FRICTION_AXES];                       // of its diagonal but for y
    real by_y[FRICTION_AXES], by_along[FRICTION_AXES]; // what y adds: the outer product of both
} QuasiElimination;

/// c: 1 unless it slips.
FN_SHORT void quasi_prepare_elimination(real epsilon, real c, u32 slips, QuasiElimination *of) {
    real of_y = 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        of->inverse[k] = 1.0 / (1.0 + epsilon - c * of->t[k]);
        of->by_y[k] = of->y[k] * of->inverse[k];
        of_y = real_fma(of->y[k], of->by_y[k], of_y);
    }
    real by = slips ? c / ((1.0 + epsilon) * of_y) : 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) of->by_along[k] = 0.0 - by * of->t[k] * of->by_y[k];
}

/// x becomes the solution for it.
FN_SHORT void quasi_eliminate(const QuasiElimination *of, real *x) {
    real along = 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) along = real_fma(of->by_along[k], x[k], along);
    for (u32 k = 0; k < FRICTION_AXES; k++) x[k] = real_fma(along, of->by_y[k], x[k] * of->inverse[k]);
}

/// Friction does not change.
FN_SHORT void quasi_clear_slopes(QuasiSlopes *out) {
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        out->by_normal[k] = 0.0;
        for (u32 j = 0; j < FRICTION_AXES; j++) out->by_slip[k][j] = 0.0;
    }
}

/// out: its derivatives.
FN_ONCE QuasiFrictionDual quasi_friction_dual(const QuasiNumbers *of, const QuasiAlong *along,
                                              const QuasiNormalDual *normal, QuasiSlopes *out) {
    const real *before = along->before, *star = along->star;
    QuasiFrictionDual at;
    QuasiElimination eliminate;
    real *y = eliminate.y, *t = eliminate.t;
    real beta = of->slip_penalty_N_s_per_m[0], most = of->friction * normal->bound_N, square = 0.0;
    real stiffness = of->layer.shear_stiffness, per_shear = quasi_per_shear(of);
    at.stored_J = 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        real e = of->e[k], slip = along->motion.slip[k];
        at.force[k] = e * star[k];
        at.next[k] = at.stretch[k] = 0.0;
        if (k < 2 && per_shear > 0.0) {
            slip = real_fma(of->s * stiffness * per_shear, before[k], slip);
            at.stretch[k] = real_fma(of->layer.shear_damping * of->s, before[k], 0.0 - at.force[k]) * per_shear;
            at.stored_J = real_fma(0.5 * stiffness, at.stretch[k] * at.stretch[k], at.stored_J);
        }
        t[k] = 1.0 - beta * quasi_give(of, k, per_shear);
        y[k] = real_fma(0.0 - beta * e, slip, t[k] * star[k]);
        square = real_fma(y[k], y[k], square);
    }
    u32 carries = most > 0.0 ? 1u : 0u, slips = carries && square > most * most ? 1u : 0u;
    real size = real_sqrt(square), c = slips ? most / size : 1.0, sum = 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        at.off[k] = carries ? c * y[k] - star[k] : 0.0 - star[k];
        sum = real_fma(at.off[k], at.off[k], sum);
    }
    at.off_N = real_sqrt(sum);
    if (!carries) { // without a force
        quasi_clear_slopes(out);
        return at;
    }
    for (u32 k = 0; k < FRICTION_AXES; k++) y[k] = size > 0.0 ? y[k] / size : 0.0;
    quasi_prepare_elimination(of->epsilon, c, slips, &eliminate);
    real by_normal[FRICTION_AXES], next[FRICTION_AXES];
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        by_normal[k] = slips ? of->friction * y[k] : 0.0;
        next[k] = real_fma(by_normal[k], normal->next_N - normal->bound_N, at.off[k]);
    }
    quasi_eliminate(&eliminate, by_normal);
    quasi_eliminate(&eliminate, next);
    for (u32 j = 0; j < FRICTION_AXES; j++) {
        real x[FRICTION_AXES], by = 0.0 - beta * of->e[j] * c;
        for (u32 k = 0; k < FRICTION_AXES; k++) x[k] = by * ((k == j ? 1.0 : 0.0) - (slips ? y[k] * y[j] : 0.0));
        quasi_eliminate(&eliminate, x);
        for (u32 k = 0; k < FRICTION_AXES; k++) out->by_slip[k][j] = of->e[k] * x[k];
    }
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        out->by_normal[k] = of->e[k] * by_normal[k];
        at.next[k] = of->e[k] * (star[k] + next[k]);
    }
    return at;
}

#endif
