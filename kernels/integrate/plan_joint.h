// How a joint limits the next step: by its own oscillation and decay, against the effective masses of its bodies.
#ifndef CLACK_INTEGRATE_PLAN_JOINT_H
#define CLACK_INTEGRATE_PLAN_JOINT_H

#include "joints/joint_force.h"
#include "joints/load.h"
#include "law/contact_force.h"
#include "integrate/plan_friction.h"

// Share of the time in which an oscillation advances by a radian of phase that the very first step takes, before errors
// of steps are known.
#define PLAN_JOINT_FIRST 0.5

/// Has one of its bodies taken a step whose error is known?
FN_SHORT u32 plan_joint_is_error_controlled(const SceneView *view, GLOBAL const Contact *contact) {
    GLOBAL const BodyControl *a = &view->works[contact->pair.body_a].control,
                             *b = &view->works[contact->pair.body_b].control;
    return (body_moves(view, contact->pair.body_a) && a->substep_s > 0.0) ||
                   (body_moves(view, contact->pair.body_b) && b->substep_s > 0.0)
               ? 1u
               : 0u;
}

/// Those of a load: error control alone.
FN_SHORT real plan_load(GLOBAL Contact *contact) {
    contact->plan.stability_limit_s = contact->plan.explicit_limit_s = contact->plan.separation_limit_s =
        contact->plan.graded_s = REAL_HUGE;
    contact->start.inverse_mass_normal = contact->start.inverse_mass_tangential = 0.0;
    contact->plan.controlled = 1;
    return 0.0;
}

/// Limits of the next step by a joint, from its evaluation in the present states: as plan_contact, into the same
/// members. Its error is always controlled. Returns the velocity error by rounding of its length per step length,
/// m/s^2.
FN_ONCE real plan_joint(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    if (contact_is_load(contact)) return plan_load(contact);
    JointKinematics k = joint_kinematics(view, joint);
    real per_m = k.length_m > 0.0 ? 1.0 / k.length_m : 0.0;
    real along = contact_inverse_mass(view, contact->pair.body_a, k.lever_a_m, k.normal) +
                 contact_inverse_mass(view, contact->pair.body_b, k.lever_b_m, k.normal);
    real across = contact_inverse_mass_bound(view, contact->pair.body_a, k.lever_a_m) +
                  contact_inverse_mass_bound(view, contact->pair.body_b, k.lever_b_m);
    Vec3 sliding = vec3_add_scaled(k.velocity_m_per_s, k.normal, 0.0 - k.rate_m_per_s);
    real by_direction =
        (real_abs(contact->now.normal_N) + joint->damping_N_s_per_m * vec3_length(sliding)) * per_m * across;
    // The line has no direction: isotropic stiffness.
    real stiffness = joint->stiffness_N_per_m * (k.length_m > 0.0 ? along : across) + by_direction;
    real rate = joint->damping_N_s_per_m * along;
    real stable = REAL_HUGE, decay = REAL_HUGE;
    if (stiffness > 0.0) stable = PLAN_STABLE_OSCILLATION / real_sqrt(stiffness);
    if (rate > 0.0) decay = PLAN_STABILITY / rate;
    contact->plan.stability_limit_s = real_min(stable, decay);
    contact->plan.explicit_limit_s = real_min(stable, PLAN_EXPLICIT_SHARE * decay);
    contact->plan.separation_limit_s = REAL_HUGE;
    contact->plan.graded_s = plan_joint_is_error_controlled(view, contact) || !(stiffness > 0.0)
                                 ? REAL_HUGE
                                 : PLAN_JOINT_FIRST / real_sqrt(stiffness);
    contact->start.inverse_mass_normal = along;
    contact->start.inverse_mass_tangential = across;
    contact->plan.controlled = 1;
    return overlap_noise(stiffness, COPY(view->works[contact->pair.body_b].step.trial.position_m), 0.0);
}

#endif
