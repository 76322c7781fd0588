// How friction limits the next step of a contact: the rate of its response, whether a contact without slip stays so,
// and when a slip ends.
#ifndef CLACK_INTEGRATE_PLAN_FRICTION_H
#define CLACK_INTEGRATE_PLAN_FRICTION_H

#include "pairs/pair_kinematics.h"
#include "law/ellipsoid_friction.h"
#include "law/law_damping.h"
#include "law/mindlin_spring.h"
#include "integrate/step_error.h"

#define LANE_WIDTH 1
#include "integrate/overlap_plan.h"
#undef LANE_WIDTH

// A step of a sliding contact whose friction is regularised more finely than velocities are controlled covers this
// share of the time in which its slip would vanish at the present rates. All stages then lie on this side of zero,
// where friction is smooth, and each step reduces the slip to a twentieth. The embedded error does not see what is
// smaller than the tolerance: steps across the whole region oscillated over it, 10^6 evaluations in an impact with
// v_small 1e-9 m/s.
#define PLAN_HALT_SHARE 0.95
// The step ends no nearer to the region than at this many times v_small, or at half of the slip: with some stages
// within the region the methods' large weights of both signs can leave the slip where it was.
#define PLAN_HALT_AHEAD 2.0
#define PLAN_HALT_HALF 0.5
// Below this share of v_small friction is so nearly linear in the slip that implicit steps capture it.
#define PLAN_HALT_LINEAR 0.2
#define PLAN_HALT_CLEAR 2.0 // least ratio of the decrease of the slip to the uncertainty of its rate

/// Velocity of B against A across a contact, m/s, at the present state.
FN_ONCE Vec3 plan_sliding(const SceneView *view, GLOBAL const Contact *contact) {
    GLOBAL const BodyState *a = &view->works[contact->pair.body_a].step.trial,
                           *b = &view->works[contact->pair.body_b].step.trial;
    Vec3 lever_b = contact->now.lever_b_m, lever_a = pair_lever_a(view, contact, lever_b);
    Vec3 velocity_a = vec3_add(a->velocity_m_per_s, vec3_cross(pair_spin(view, contact->pair.body_a, a), lever_a));
    Vec3 velocity_b = vec3_add(b->velocity_m_per_s, vec3_cross(pair_spin(view, contact->pair.body_b, b), lever_b));
    Vec3 relative = vec3_sub(velocity_b, velocity_a);
    return vec3_add_scaled(relative, contact->now.normal, -vec3_dot(relative, contact->now.normal));
}

/// Acceleration of one of the bodies of a contact at its point, m/s^2, by its present rates, except for the part that
/// plan_convective_bound bounds.
FN Vec3 plan_acceleration(const SceneView *view, u32 b, Vec3 lever) {
    GLOBAL const BodyWork *work = &view->works[b];
    if (work->mode != MODE_TOUCHING) return vec3_zero();
    Vec3 spin_rate =
        spin_to_world(view->bodies[b].flags, COPY(work->step.trial.orientation), COPY(work->step.rates[0].spin_rate));
    return vec3_add(work->step.rates[0].acceleration, vec3_cross(spin_rate, lever));
}

/// The same of B against A across the contact.
FN_ONCE Vec3 plan_tangential_acceleration(const SceneView *view, GLOBAL const Contact *contact) {
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    Vec3 lever_b = contact->now.lever_b_m;
    Vec3 lever_a = pair_lever_a(view, contact, lever_b);
    Vec3 relative = vec3_sub(plan_acceleration(view, b, lever_b), plan_acceleration(view, a, lever_a));
    return vec3_add_scaled(relative, contact->now.normal, -vec3_dot(relative, contact->now.normal));
}

/// Does a contact without slip stay without? Yes if it has just begun, without a force yet, or if nothing accelerates
/// it across the normal and no body spins about another axis than the normal, which would cause slip as the overlap,
/// and with it the lever, changes. Otherwise its slip may be 0 by chance: a ball that rolls in an impact has none at
/// the deepest point, where the friction that keeps it rolling changes its sign.
FN_ONCE u32 plan_will_not_slip(const SceneView *view, GLOBAL const Contact *contact) {
    if (!(contact->now.normal_N > 0.0)) return 1;
    Vec3 normal = contact->now.normal, acceleration = plan_tangential_acceleration(view, contact);
    Vec3 spin_a = pair_spin(view, contact->pair.body_a, &view->works[contact->pair.body_a].step.trial);
    Vec3 spin_b = pair_spin(view, contact->pair.body_b, &view->works[contact->pair.body_b].step.trial);
    real turns = vec3_max_abs(vec3_cross(spin_a, normal)) + vec3_max_abs(vec3_cross(spin_b, normal));
    return vec3_max_abs(acceleration) + turns == 0.0 ? 1u : 0u;
}

/// Does a contact slip, now or within the step?
FN_SHORT u32 plan_slips(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law) {
    return contact->now.slip_m_per_s > 0.0 || (law.friction > 0.0 && !plan_will_not_slip(view, contact)) ? 1u : 0u;
}

/// Bound of the part of that acceleration from the motion of the contact point within one of its bodies: along the
/// normal with the overlap, and for shapes that are not round with the rotation.
FN real plan_convective_bound(const SceneView *view, GLOBAL const ContactEvaluation *now, u32 b, Vec3 lever) {
    Vec3 spin = pair_spin(view, b, &view->works[b].step.trial);
    real swing = vec3_length(vec3_cross(spin, now->normal)) * real_abs(now->closing_m_per_s);
    return view->bodies[b].flags & BODY_ROUND ? swing : swing + vec3_dot(spin, spin) * vec3_length(lever);
}

/// The square of the speed of bodies, (m/s)^2, from which on friction is regularised below a slip smaller than the
/// error control resolves.
FN_SHORT real plan_fine_square(MaterialPairLaw law, real tolerance) {
    real speed = real_max(0.0, law.speed_small_m_per_s / tolerance - SPEED_FLOOR_M_PER_S);
    return law.friction > 0.0 ? speed * speed : REAL_HUGE;
}

/// Longest step of a contact that slides: see PLAN_HALT_SHARE.
FN real plan_step_to_sticking(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law) {
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    if (friction_has_own_law(law) || !(contact->now.slip_m_per_s > PLAN_HALT_LINEAR * law.speed_small_m_per_s))
        return REAL_HUGE;
    Vec3 velocity_a = view->works[a].step.trial.velocity_m_per_s,
         velocity_b = view->works[b].step.trial.velocity_m_per_s;
    real square = real_max(vec3_dot(velocity_a, velocity_a), vec3_dot(velocity_b, velocity_b));
    if (!(square >= plan_fine_square(law, view->scene->tolerance))) return REAL_HUGE;
    Vec3 lever_b = contact->now.lever_b_m;
    Vec3 lever_a = pair_lever_a(view, contact, lever_b);
    Vec3 sliding = plan_sliding(view, contact);
    real slip = vec3_length(sliding), slows = 0.0 - vec3_dot(sliding, plan_tangential_acceleration(view, contact));
    // A slip that lasts, because something else balances friction, has no end.
    real swings =
        plan_convective_bound(view, &contact->now, a, lever_a) + plan_convective_bound(view, &contact->now, b, lever_b);
    if (!(slows > PLAN_HALT_CLEAR * slip * swings)) return REAL_HUGE;
    real ahead = 1.0 - PLAN_HALT_AHEAD * law.speed_small_m_per_s / slip;
    return real_max(PLAN_HALT_HALF, real_min(PLAN_HALT_SHARE, ahead)) * slip * slip / slows;
}

/// Inverse moment of inertia of a contact's bodies, 1/(kg m^2).
FN real plan_inverse_inertia(const SceneView *view, GLOBAL const Contact *contact) {
    return vec3_max_abs(view->bodies[contact->pair.body_a].inverse_inertia) +
           vec3_max_abs(view->bodies[contact->pair.body_b].inverse_inertia);
}

/// Spin of B against A about the normal, rad/s.
FN_SHORT real plan_spin_about(const SceneView *view, GLOBAL const Contact *contact) {
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    Vec3 spin =
        vec3_sub(pair_spin(view, b, &view->works[b].step.trial), pair_spin(view, a, &view->works[a].step.trial));
    return vec3_dot(spin, COPY(contact->now.normal));
}

/// Rate of the response of friction, 1/s: of a spring's damper, or regularised. spring_s: longest stable step for the
/// oscillation of the spring.
FN real plan_friction(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law,
                      const LawNumbers *numbers, const OverlapPlan *o, real *spring_s) {
    *spring_s = REAL_HUGE;
    if (ellipsoid_is_of_law(law))
        return ellipsoid_rate(law, o->normal_N, contact->now.slip_m_per_s, plan_spin_about(view, contact),
                              o->inverse_mass_across, plan_inverse_inertia(view, contact));
    if (!spring_is_of_law(law)) return overlap_friction_rate(o, numbers);
    real reach = o->root + o->root_step; // root of the largest depth within the step
    real stiffness = spring_stiffness(numbers->stiffness, law, reach * reach), wt = o->inverse_mass_across;
    *spring_s = PLAN_STABLE_OSCILLATION / real_sqrt(real_max(stiffness * wt, 1.0e-300));
    return contact->law.shear_damping * real_sqrt(stiffness) * wt;
}

#endif
