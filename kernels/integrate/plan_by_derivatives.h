// How a normal force without a singularity at touch, given by its derivatives, limits the next step of its contact.
#ifndef CLACK_INTEGRATE_PLAN_BY_DERIVATIVES_H
#define CLACK_INTEGRATE_PLAN_BY_DERIVATIVES_H

#include "law/contact_force.h"
#include "law/law_damping.h"
#include "integrate/plan_friction.h"

// The force is cut where an opening contact would pull. A step across that kink shows its embedded error too little of
// it (a restitution of 0.8 came out wrong by 20 times the tolerance, now by a fiftieth of it, for 187 evaluations
// rather than 247), so steps end on it. As far as the force is linear in depth and speed and nothing else changes, it
// follows f'' + w c f' + w k f = const: the power series of that foresees its end, to rounding within the shorter of
// 1/sqrt(w k) and 1/(w c). An end nearer than the last share of that is taken as it is.
#define PLAN_RELEASE_TERMS 16u
#define PLAN_RELEASE_HERE 1.0e-7
#define PLAN_RELEASE_ITERATIONS 40u

/// Value of the series at s, and its slope.
FN real plan_series(const real *terms, real s, real *slope) {
    real value = 0.0, rise = 0.0;
    for (u32 n = PLAN_RELEASE_TERMS; n-- > 0;) {
        rise = real_fma(rise, s, value);
        value = real_fma(value, s, terms[n]);
    }
    *slope = rise;
    return value;
}

/// Time within `longest` at which a force comes to 0; REAL_HUGE: not foreseen. rate: of the force, N/s; k, c: its
/// slopes over depth and speed; w: inverse mass; external: closing acceleration by all else.
FN_ONCE real plan_release(real force, real rate, real k, real c, real w, real external, real longest) {
    if (!(force > 0.0 && longest < REAL_HUGE)) return REAL_HUGE;
    real terms[PLAN_RELEASE_TERMS];
    real swings = w * k * longest * longest, decays = w * c * longest, slope;
    terms[0] = force;
    terms[1] = rate * longest;
    terms[2] = 0.5 * (k * external * longest * longest - decays * terms[1] - swings * terms[0]);
    for (u32 n = 3; n < PLAN_RELEASE_TERMS; n++) {
        real before = (real)(n - 1u);
        terms[n] = 0.0 - (decays * before * terms[n - 1u] + swings * terms[n - 2u]) / ((real)n * before);
    }
    if (!(plan_series(terms, 1.0, &slope) < 0.0)) return REAL_HUGE;
    real low = 0.0, high = 1.0, s = 0.0;
    for (u32 i = 0; i < PLAN_RELEASE_ITERATIONS; i++) {
        real value = plan_series(terms, s, &slope);
        if (value > 0.0)
            low = s;
        else
            high = s;
        real next = slope < 0.0 ? s - value / slope : -1.0;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (real_abs(next - s) <= 4.0 * REAL_EPSILON * next) break;
        s = next;
    }
    return s > PLAN_RELEASE_HERE ? s * longest : REAL_HUGE;
}

/// Uniform steps of the oscillation about the present depth, all with error control. Nothing is singular at touch, so
/// the depth grades nothing. scales: of plan_scales; the step, how long explicit ones may be and the stiffness are set.
/// release_s: until the force is cut, where that is foreseen; no step goes beyond. Returns the rate of the damper's
/// response, 1/s.
FN real plan_by_derivatives(const SceneView *view, GLOBAL const Contact *contact, const LawNumbers *law,
                            OverlapPlan *scales, real *release_s) {
    LawJacobian jacobian;
    real w = scales->inverse_mass, f = scales->normal_N;
    law_jacobian_normal(law, contact->now.gap_m, 0.0, &jacobian); // a force that is cut now may act within the step
    scales->stiffness = w * jacobian.normal_stiffness;
    real rate = w * jacobian.normal_damping;
    real period = overlap_period_s(scales->stiffness), decay = real_max(rate, 1.0e-300);
    scales->step.graded_s = real_min(PLAN_OSCILLATION * period, PLAN_STABILITY / decay) / scales->graded_steps;
    scales->step.stability_limit_s = PLAN_STABLE_OSCILLATION * period;
    scales->root_step = 0.0;
    scales->is_impact = 0;
    real light = view->bodies[contact->pair.body_a].inverse_mass + view->bodies[contact->pair.body_b].inverse_mass;
    real closing = scales->closing_m_per_s2 - (w - light) * f; // and what rotation adds of the contact's own force
    real force_rate = jacobian.normal_stiffness * scales->closing_m_per_s + jacobian.normal_damping * closing;
    *release_s = plan_release(f, force_rate, jacobian.normal_stiffness, jacobian.normal_damping, w, closing + w * f,
                              real_min(period, 1.0 / decay));
    return rate;
}

#endif
