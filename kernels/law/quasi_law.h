// The force of a contact of quasi-rigid bodies at the end of an implicit step, and its derivatives. Two rigid cores
// with a thin layer between them, or without: normal force N >= 0, gap g, deflection d of the layer,
//
//   N = K d^e + C d(d)/dt + N_core,   0 <= N  _|_  g + d >= 0,   0 <= N_core  _|_  d_max - d >= 0
//
// and friction by maximum dissipation over an ellipsoid, (F_t/e_t)^2 + (F_o/e_o)^2 + (M_r/e_r)^2 <= (mu N)^2, with the
// slip of the layer's tip, which is tied to the body by springs and dampers of its own across the normal. Own words for
// Chakraborty, Berard, Akella, Trinkle, "An implicit time-stepping method for quasi-rigid multibody systems with
// intermittent contact", IDETC 2007, and for the friction of Trinkle, Tzitzouris, Pang, Phil. Trans. A 359 (2001) 2575.
//
// Each condition is the fixed point of a projection (Alart, Curnier, CMAME 92 (1991) 353):
//   rigid   N = max(0, N* - alpha g)
//   layer   N = max(0, K o^e + C (o - d0)/h + max(0, N_core* + alpha (o - d_max))),   o = -g its deflection
//   p = projection of p* - beta s onto the ball of radius mu N,   p = (F_t/e_t, F_o/e_o, M_r/e_r), s the scaled slip
//       in the metric of the penalties beta, one for each axis
// where the multipliers N*, N_core*, p* are those of the iteration before.
#ifndef CLACK_LAW_QUASI_LAW_H
#define CLACK_LAW_QUASI_LAW_H

#include "base/vec3.h"
#include "law/ellipsoid_friction.h"
#include "model/workspace.h"

#define QUASI_PROJECTION_MOST 50u // iterations of the projection onto an ellipsoid

// What the force of a contact is made of in one step of 1/s.
typedef struct QuasiNumbers {
    LayerLaw layer;        // stiffness of hertz: that of the contact
    real e[FRICTION_AXES]; // of friction
    Vec3 axis;             // that of e[0] in the world; 0: any
    u32 axis_is_of_a;      // it turns with A, else with B
    real s;                // 1/h
    real normal_penalty_N_per_m, slip_penalty_N_s_per_m[FRICTION_AXES];
    real left_m; // overlap of the cores that the step may leave
    real friction;
    real epsilon;  // of quasi_dual.h
    u32 is_lagged; // 1: friction is bounded by the normal force of the multipliers, not by the present one
} QuasiNumbers;

// Where it is evaluated, on B against A.
typedef struct QuasiMotion {
    real gap_m;
    real slip[FRICTION_AXES]; // m/s across the normal, rad/s about it
} QuasiMotion;

// All that friction depends on but the normal force, along its axes.
typedef struct QuasiAlong {
    Vec3 axes[2];
    QuasiMotion motion;
    real before[FRICTION_AXES]; // stretches of the layer at the start of the step
    real star[FRICTION_AXES];   // p*
} QuasiAlong;

typedef struct QuasiNormal {
    real force_N, core_N, deflection_m;
    real slope_N_per_m; // of the force, by the overlap
    real stored_J;
} QuasiNormal;

/// K o^e, its derivative and its integral; o > 0.
FN_SHORT QuasiNormal quasi_elastic(LayerLaw layer, real overlap_m) {
    QuasiNormal at = ALL_ZERO;
    real o = real_max(overlap_m, 0.0), root = layer.is_hertz ? real_sqrt(o) : 1.0, one = layer.is_hertz ? 1.5 : 1.0;
    at.force_N = layer.stiffness * root * o;
    at.slope_N_per_m = one * layer.stiffness * root;
    at.stored_J = at.force_N * o / (one + 1.0);
    return at;
}

/// Deflection of a layer without force after a step, from that before: its spring against its damper.
FN real quasi_relaxed(LayerLaw layer, real s, real before_m) {
    if (!(layer.damping > 0.0)) return 0.0;
    real k = layer.is_hertz ? layer.stiffness * real_sqrt(real_max(before_m, 0.0)) : layer.stiffness;
    return before_m * layer.damping * s / (k + layer.damping * s);
}

FN_ONCE QuasiNormal quasi_normal(const QuasiNumbers *of, GLOBAL const QuasiState *before, GLOBAL const QuasiState *last,
                                 real gap_m) {
    QuasiNormal at = ALL_ZERO;
    real overlap = 0.0 - gap_m;
    if (!of->layer.has_layer) {
        at.force_N = real_max(0.0, real_fma(of->normal_penalty_N_per_m, overlap - of->left_m, last->normal_N));
        at.slope_N_per_m = at.force_N > 0.0 ? of->normal_penalty_N_per_m : 0.0;
        return at;
    }
    at = quasi_elastic(COPY(of->layer), overlap);
    real dashpot = of->layer.damping * of->s;
    at.force_N = real_fma(dashpot, overlap - before->deflection_m, at.force_N);
    at.slope_N_per_m += dashpot;
    real beyond = overlap - of->layer.thickness_m - of->left_m;
    real over = real_fma(of->normal_penalty_N_per_m, beyond, last->core_N);
    if (over > 0.0) {
        at.core_N = over;
        at.force_N += over;
        at.slope_N_per_m += of->normal_penalty_N_per_m;
    }
    at.deflection_m = overlap;
    if (at.force_N > 0.0) return at;
    at.force_N = at.core_N = at.slope_N_per_m = 0.0;
    at.deflection_m = real_max(overlap, quasi_relaxed(COPY(of->layer), of->s, before->deflection_m));
    at.stored_J = quasi_elastic(COPY(of->layer), at.deflection_m).stored_J;
    return at;
}

// Friction at an evaluation: p, and what its derivatives are made of.
typedef struct QuasiFriction {
    real multiplier[FRICTION_AXES]; // p, N
    real force[FRICTION_AXES];      // e p, N and N m
    real stretch[FRICTION_AXES];    // of the layer after the step, m
    real per_slip[FRICTION_AXES];   // d(y)/d(slip)
    real inverse[FRICTION_AXES];    // 1/(a + beta tau)
    real across;                    // sum of p^2 beta `inverse` where it slips; else 0
    real stored_J;
} QuasiFriction;

/// Stiffness and damping of the layer along one of the axes of friction; 0: it has none there.
FN_SHORT real quasi_shear(LayerLaw layer, u32 k) { return k < 2u ? layer.shear_stiffness : 0.0; }
FN_SHORT real quasi_shear_damping(LayerLaw layer, u32 k) { return k < 2u ? layer.shear_damping : 0.0; }

/// tau of the projection: the root of |p| = most, p_k = y_k / (a_k + beta_k tau). Newton's method on 1/|p|, which is
/// nearly linear in tau, from tau = 0.
FN_ONCE real quasi_shrink(const real *y, const real *a, const real *beta, real most) {
    real tau = 0.0;
    for (u32 i = 0; i < QUASI_PROJECTION_MOST; i++) {
        real square = 0.0, slope = 0.0;
        for (u32 k = 0; k < FRICTION_AXES; k++) {
            real below = real_fma(beta[k], tau, a[k]), p = y[k] / below;
            square = real_fma(p, p, square);
            slope = real_fma(p * beta[k], p / below, slope);
        }
        real size = real_sqrt(square), more = (size - most) * square / (most * slope);
        tau += more;
        if (!(real_abs(more) > 1.0e-15 * tau)) break;
    }
    return real_max(tau, 0.0);
}

FN_ONCE QuasiFriction quasi_friction(const QuasiNumbers *of, const QuasiAlong *along, real normal_N) {
    const real *before = along->before;
    QuasiFriction at = ALL_ZERO;
    real y[FRICTION_AXES], a[FRICTION_AXES], most = of->friction * normal_N, square = 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        real e = of->e[k], beta = of->slip_penalty_N_s_per_m[k], slip = along->motion.slip[k],
             damping = quasi_shear_damping(COPY(of->layer), k), stiffness = quasi_shear(COPY(of->layer), k),
             dash = real_fma(damping, of->s, stiffness);
        a[k] = 1.0;
        if (dash > 0.0) {
            slip = real_fma(of->s * stiffness / dash, before[k], slip);
            a[k] = real_fma(beta * e * e, of->s / dash, 1.0);
        }
        at.per_slip[k] = 0.0 - beta * e;
        y[k] = real_fma(at.per_slip[k], slip, along->star[k]);
        real p = y[k] / a[k];
        square = real_fma(p, p, square);
    }
    u32 carries = most > 0.0 ? 1u : 0u, slips = carries && square > most * most ? 1u : 0u;
    real tau = slips ? quasi_shrink(y, a, of->slip_penalty_N_s_per_m, most) : 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        real stiffness = quasi_shear(COPY(of->layer), k), damping = quasi_shear_damping(COPY(of->layer), k),
             dash = real_fma(damping, of->s, stiffness);
        at.inverse[k] = carries ? 1.0 / real_fma(of->slip_penalty_N_s_per_m[k], tau, a[k]) : 0.0;
        at.multiplier[k] = y[k] * at.inverse[k];
        at.force[k] = of->e[k] * at.multiplier[k];
        if (slips)
            at.across =
                real_fma(at.multiplier[k] * at.multiplier[k] * of->slip_penalty_N_s_per_m[k], at.inverse[k], at.across);
        if (!(dash > 0.0)) continue;
        at.stretch[k] = real_fma(damping * of->s, before[k], 0.0 - at.force[k]) / dash;
        at.stored_J = real_fma(0.5 * stiffness, at.stretch[k] * at.stretch[k], at.stored_J);
    }
    return at;
}

/// How forces change with the slips and with the normal force.
FN_SHORT void quasi_friction_slopes(const QuasiNumbers *of, const QuasiFriction *at, real normal_N, QuasiSlopes *out) {
    real per = at->across > 0.0 ? 1.0 / at->across : 0.0; // |p| = mu N while it slips
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        real e = of->e[k] * at->inverse[k], turns = of->slip_penalty_N_s_per_m[k] * at->multiplier[k] * per;
        out->by_normal[k] = of->is_lagged ? 0.0 : e * turns * of->friction * of->friction * normal_N;
        for (u32 j = 0; j < FRICTION_AXES; j++) {
            real by = (k == j ? 1.0 : 0.0) - turns * at->multiplier[j] * at->inverse[j];
            out->by_slip[k][j] = e * by * at->per_slip[j];
        }
    }
}

#endif
