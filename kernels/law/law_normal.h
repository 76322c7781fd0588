// For each width. The normal force laws: force, power lost and derivatives of each, by penetration and normal speed.
// What else depends on the law is in law_kinds.h. kernels/law/README.md, "The contact law".
#ifndef CLACK_LAW_LAW_NORMAL_H
#define CLACK_LAW_LAW_NORMAL_H
#define LawNumbers LANE_NAME(LawNumbers)
#define LawNormal LANE_NAME(LawNormal)
#define LawJacobian LANE_NAME(LawJacobian)
#define law_damping_factor LANE_NAME(law_damping_factor)
#define law_normal_hertz LANE_NAME(law_normal_hertz)
#define law_normal_linear LANE_NAME(law_normal_linear)
#define law_normal LANE_NAME(law_normal)
#define law_jacobian_hertz LANE_NAME(law_jacobian_hertz)
#define law_jacobian_linear LANE_NAME(law_jacobian_linear)
#define law_jacobian_normal LANE_NAME(law_jacobian_normal)
#endif

// What the force needs of a contact's constants (LawConstants) and of the law of its pair (MaterialPairLaw):
// law_numbers.
typedef struct LawNumbers {
    Lane normal_law;                 // NORMAL_*
    Lane stiffness, damping_s_per_m; // these as in LawConstants
    Lane strike_m_per_s, damping_factor_min, damping_line_at_0, damping_line_fall_s_per_m, dashpot_N_s_per_m;
    Lane friction, speed_small_m_per_s;
    Lane rolling_m, spin_small_rad_per_s; // coefficient of rolling resistance times the effective radius
    Lane least_m, least_N;                // lower limits of these: 0; with `compat: modia3d` none
} LawNumbers;

#if LANE_WIDTH > 1
typedef struct LawJacobian { // as in model/workspace.h, where contacts keep those of width 1
    Lane along_m_per_s, normal_N, normal_stiffness, normal_damping, loss_per_gap, loss_per_rate;
    Lane friction, friction_per_N, friction_per_slip, rolling, rolling_per_N, rolling_per_spin;
} LawJacobian;
#endif

/// The factor d u at a closing speed above strike_m_per_s.
FN_SHORT Lane law_damping_factor(Lane least, Lane start, Lane fall_s_per_m, Lane closing_m_per_s) {
    return lane_max(least, start - fall_s_per_m * closing_m_per_s);
}

// The normal force before it is limited to forces that push, its elastic part, and the damper's power.
typedef struct LawNormal {
    Lane normal_N, elastic_N, loss_W;
} LawNormal;

/// K delta^1.5 (1 + d u). along: normal speed, > 0 opening.
FN_SHORT LawNormal law_normal_hertz(const LawNumbers *law, Lane depth, Lane along) {
    LawNormal f;
    Lane closing = -along;
    f.elastic_N = law->stiffness * depth * lane_sqrt(lane_abs(depth));
    f.normal_N = f.elastic_N * (1.0 - law->damping_s_per_m * along);
    f.loss_W = f.elastic_N * law->damping_s_per_m * along * along;
    LaneMask strikes = closing > law->strike_m_per_s;
    if (lane_any(strikes)) {
        Lane damped = law_damping_factor(law->damping_factor_min, law->damping_line_at_0,
                                         law->damping_line_fall_s_per_m, closing);
        f.normal_N = lane_select(strikes, f.elastic_N * (1.0 + damped), f.normal_N);
        f.loss_W = lane_select(strikes, f.elastic_N * damped * closing, f.loss_W);
    }
    return f;
}

/// k delta + c u.
FN_SHORT LawNormal law_normal_linear(const LawNumbers *law, Lane depth, Lane along) {
    LawNormal f;
    Lane damper_N = law->dashpot_N_s_per_m * along;
    f.elastic_N = law->stiffness * depth;
    f.normal_N = f.elastic_N - damper_N;
    f.loss_W = damper_N * along;
    return f;
}

FN_SHORT LawNormal law_normal(const LawNumbers *law, Lane depth, Lane along) {
    LawNormal f = law_normal_hertz(law, depth, along);
    LaneMask is_linear = law->normal_law == (real)NORMAL_LINEAR;
    if (SCENE_LINEAR != 0 && lane_any(is_linear)) {
        LawNormal linear = law_normal_linear(law, depth, along);
        f.normal_N = lane_select(is_linear, linear.normal_N, f.normal_N);
        f.elastic_N = lane_select(is_linear, linear.elastic_N, f.elastic_N);
        f.loss_W = lane_select(is_linear, linear.loss_W, f.loss_W);
    }
    return f;
}

// Derivatives of the normal force and of its loss, by Hertz's law.
FN_SHORT void law_jacobian_hertz(const LawNumbers *law, Lane gap_m, Lane along, LawJacobian *s) {
    Lane depth = lane_max(-gap_m, lane_of(0.0)), root = lane_sqrt(depth), none = lane_of(0.0);
    Lane elastic = law->stiffness * depth * root, stiff = 1.5 * law->stiffness * root;
    Lane open = 1.0 - law->damping_s_per_m * along, closing = 0.0 - along;
    LaneMask is_cut = open < 0.0, strikes = lane_not(is_cut) & (closing > law->strike_m_per_s);
    s->along_m_per_s = along;
    // Where the force is cut there is none, and the spring's power is lost.
    s->normal_N = lane_select(is_cut, none, elastic * open);
    s->normal_stiffness = lane_select(is_cut, none, stiff * open);
    s->normal_damping = lane_select(is_cut, none, elastic * law->damping_s_per_m);
    s->loss_per_gap = lane_select(is_cut, stiff * along, stiff * law->damping_s_per_m * along * along);
    s->loss_per_rate = lane_select(is_cut, elastic, 2.0 * s->normal_damping * along);
    if (!lane_any(strikes)) return;
    Lane damped =
        law_damping_factor(law->damping_factor_min, law->damping_line_at_0, law->damping_line_fall_s_per_m, closing);
    Lane factor_slope = lane_select(damped > law->damping_factor_min, 0.0 - law->damping_line_fall_s_per_m,
                                    none); // d(damped)/d(closing)
    s->normal_N = lane_select(strikes, elastic * (1.0 + damped), s->normal_N);
    s->normal_stiffness = lane_select(strikes, stiff * (1.0 + damped), s->normal_stiffness);
    s->normal_damping = lane_select(strikes, elastic * factor_slope, s->normal_damping);
    s->loss_per_gap = lane_select(strikes, stiff * damped * closing, s->loss_per_gap);
    s->loss_per_rate = lane_select(strikes, 0.0 - elastic * (factor_slope * closing + damped), s->loss_per_rate);
}

// The same by the linear law.
FN_SHORT void law_jacobian_linear(const LawNumbers *law, Lane gap_m, Lane along, LawJacobian *s) {
    Lane depth = lane_max(-gap_m, lane_of(0.0)), none = lane_of(0.0), k = law->stiffness;
    Lane elastic = k * depth, force = elastic - law->dashpot_N_s_per_m * along;
    LaneMask is_cut = force < 0.0;
    s->along_m_per_s = along;
    s->normal_N = lane_select(is_cut, none, force);
    s->normal_stiffness = lane_select(is_cut, none, k);
    s->normal_damping = lane_select(is_cut, none, law->dashpot_N_s_per_m);
    s->loss_per_gap = lane_select(is_cut, k * along, none);
    s->loss_per_rate = lane_select(is_cut, elastic, 2.0 * s->normal_damping * along);
}

/// Normal part of LawJacobian: all but friction and rolling resistance. along: normal speed, > 0 opening.
FN_SHORT void law_jacobian_normal(const LawNumbers *law, Lane gap_m, Lane along, LawJacobian *s) {
    law_jacobian_hertz(law, gap_m, along, s);
    LaneMask is_linear = law->normal_law == (real)NORMAL_LINEAR;
    if (SCENE_LINEAR == 0 || !lane_any(is_linear)) return;
    LawJacobian linear;
    law_jacobian_linear(law, gap_m, along, &linear);
    s->normal_N = lane_select(is_linear, linear.normal_N, s->normal_N);
    s->normal_stiffness = lane_select(is_linear, linear.normal_stiffness, s->normal_stiffness);
    s->normal_damping = lane_select(is_linear, linear.normal_damping, s->normal_damping);
    s->loss_per_gap = lane_select(is_linear, linear.loss_per_gap, s->loss_per_gap);
    s->loss_per_rate = lane_select(is_linear, linear.loss_per_rate, s->loss_per_rate);
}
