// The normal force laws, one after the other: what each makes of a penetration delta and a closing speed u.
//   Hertz   f = max(0, K delta^1.5 (1 + d u))
//   linear  f = max(0, k delta + c u)
// Force and derivatives are in law_normal.h, at each width. All other dependence on the law is here: the constants with
// which a contact begins, energy, peaks, what an event row reports of it.
#ifndef CLACK_LAW_LAW_KINDS_H
#define CLACK_LAW_LAW_KINDS_H

#include "base/cubic.h"
#include "base/lanes.h"
#include "model/workspace.h"

#define LANE_WIDTH 1
#include "law/law_normal.h"
#include "law/law_force.h"
#include "law/law_jacobian.h"
#undef LANE_WIDTH
#if SIDE_BY_SIDE > 1
#define LANE_WIDTH SIDE_BY_SIDE
#include "law/law_normal.h"
#include "law/law_force.h"
#include "law/law_jacobian.h"
#undef LANE_WIDTH
#endif

/// Is it Hertz's law? 1 at compile time in builds without the others. normal_law: NORMAL_*.
FN_SHORT u32 law_is_hertz(u32 normal_law) { return SCENE_LINEAR == 0 || normal_law == NORMAL_HERTZ ? 1u : 0u; }

FN_SHORT u32 law_is_linear(u32 normal_law) { return SCENE_LINEAR != 0 && normal_law == NORMAL_LINEAR ? 1u : 0u; }

/// Hertz's factor d u above strike_m_per_s.
FN real law_damping_factor_of_strike(LawConstants c, real closing_m_per_s) {
    return law_damping_factor(c.damping_factor_min, c.damping_line_at_0, c.damping_line_fall_s_per_m, closing_m_per_s);
}

/// Normal force at a penetration and a closing speed, N: that of law_force. law: of law_numbers.
FN real law_normal_force(const LawNumbers *law, real penetration_m, real closing_m_per_s) {
    return real_max(law_normal(law, real_max(penetration_m, law->least_m), 0.0 - closing_m_per_s).normal_N,
                    law->least_N);
}

/// Elastic part of the normal force at a depth >= 0, N.
FN real law_elastic_force(LawConstants c, real depth_m) {
    return law_is_linear(c.normal_law) ? c.stiffness * depth_m : c.stiffness * depth_m * real_sqrt(depth_m);
}

/// Elastic energy stored at a penetration, J: 2/5 K delta^2.5, or 1/2 k delta^2; 0 apart.
FN real law_elastic_energy(LawConstants c, real penetration_m) {
    if (!(penetration_m > 0.0)) return 0.0;
    if (law_is_linear(c.normal_law)) return 0.5 * c.stiffness * penetration_m * penetration_m;
    return 0.4 * c.stiffness * penetration_m * penetration_m * real_sqrt(penetration_m);
}

/// Where within a step of h the normal force peaks, as a share of it, with the depth a cubic over the step: strictly
/// inside, with the force rising at the start and falling at the end; < 0: nowhere.
FN real law_force_peak(LawConstants c, Cubic depth, real h) {
    if (!law_is_linear(c.normal_law)) return cubic_force_peak(depth, c.damping_s_per_m / h);
    real lag = c.dashpot_N_s_per_m / (c.stiffness * h); // of the depth's slope in the force, in steps
    return cubic_fall_of_parabola(depth.a0 + 2.0 * lag * depth.c2, 2.0 * depth.c2 + 6.0 * lag * depth.c3,
                                  3.0 * depth.c3);
}

/// What Event.damping holds of a contact that begins: d of Hertz's law, c of the linear one.
FN real law_event_damping(LawConstants c) {
    return law_is_linear(c.normal_law) ? c.dashpot_N_s_per_m : c.damping_s_per_m;
}

/// Constants of a linear law as a contact of this inverse effective mass, 1/kg, begins. A dashpot by the restitution e
/// has c = 2 zeta sqrt(k m), zeta of e alone (host/scene/linear_damping.h): with the mass along the normal at the point
/// of contact, as when the contact begins, an impact that nothing else disturbs rebounds with e, if its impulse does
/// not turn the body or the normal while it lasts. Pure; host and device. Tested: tests/kernels/law/test_linear_law.cc.
FN void law_begin_linear(MaterialPairLaw law, real inverse_mass, LawConstants *c) {
    c->stiffness = law.stiffness_N_per_m;
    c->dashpot_N_s_per_m = law.dashpot_N_s_per_m;
    if (law.damping_ratio > 0.0)
        c->dashpot_N_s_per_m = 2.0 * law.damping_ratio * real_sqrt(law.stiffness_N_per_m / inverse_mass);
    c->damping_s_per_m = c->damping_line_at_0 = c->damping_line_fall_s_per_m = 0.0;
    c->strike_m_per_s = c->damping_factor_min = REAL_HUGE; // a second strike has the dashpot of the first
}

/// Constants of a contact that begins, of laws other than Hertz's, for which law_begin suffices.
FN void law_begin_not_hertz(MaterialPairLaw law, real inverse_mass, LawConstants *c) {
    if (law_is_linear(law.normal_law)) law_begin_linear(law, inverse_mass, c);
}

#endif
