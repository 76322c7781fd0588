// Joints -> forces: what a joint does to its two bodies. A spring and a dashpot act along the line between a point of A
// and a point of B,
//
//   f = k (l - l0) + c dl/dt,  l the distance of the points,  l0 the length at rest,
//
// and pull both points towards each other where f > 0. The elastic energy is k (l - l0)^2 / 2, the power lost
// c (dl/dt)^2. Where the points coincide the line has no direction: there is no force at that instant.
#ifndef CLACK_JOINTS_JOINT_FORCE_H
#define CLACK_JOINTS_JOINT_FORCE_H

#include "model/workspace.h"

// Where the points of a joint are, and how they move. World axes.
typedef struct JointKinematics {
    Vec3 lever_a_m, lever_b_m; // from the centres of mass
    Vec3 spin_a_rad_per_s, spin_b_rad_per_s;
    Vec3 apart_m;          // from A's point to B's
    Vec3 velocity_m_per_s; // of B's point against A's
    Vec3 normal;           // unit, from A's point to B's; 0 where they coincide
    real length_m;
    real rate_m_per_s; // of the length
} JointKinematics;

FN_SHORT GLOBAL const Joint *joint_of(const SceneView *view, GLOBAL const Contact *contact) {
    return &view->joints[contact->pair.feature];
}

/// Spin of a body in world axes, for an orientation of any length, as in stages of a step; pair_spin requires a unit
/// one.
FN_SHORT Vec3 joint_spin(const SceneView *view, u32 body) {
    BodyState state = view->works[body].step.trial;
    return view->bodies[body].flags & BODY_BALL ? state.spin_rad_per_s
                                                : quat_rotate_any(state.orientation, state.spin_rad_per_s);
}

/// The points of a joint in the trial states of its bodies.
FN_ONCE JointKinematics joint_kinematics(const SceneView *view, GLOBAL const Joint *joint) {
    GLOBAL const BodyState *a = &view->works[joint->body_a].step.trial, *b = &view->works[joint->body_b].step.trial;
    JointKinematics k;
    k.lever_a_m = quat_rotate_any(a->orientation, joint->at_a_m);
    k.lever_b_m = quat_rotate_any(b->orientation, joint->at_b_m);
    k.spin_a_rad_per_s = joint_spin(view, joint->body_a);
    k.spin_b_rad_per_s = joint_spin(view, joint->body_b);
    k.apart_m = vec3_add(vec3_sub(b->position_m, a->position_m), vec3_sub(k.lever_b_m, k.lever_a_m));
    k.velocity_m_per_s = vec3_sub(vec3_add(b->velocity_m_per_s, vec3_cross(k.spin_b_rad_per_s, k.lever_b_m)),
                                  vec3_add(a->velocity_m_per_s, vec3_cross(k.spin_a_rad_per_s, k.lever_a_m)));
    k.length_m = vec3_length(k.apart_m);
    k.normal = k.length_m > 0.0 ? vec3_scale(k.apart_m, 1.0 / k.length_m) : vec3_zero();
    k.rate_m_per_s = vec3_dot(k.normal, k.velocity_m_per_s);
    return k;
}

/// Tension, N: the force with which it pulls its points towards each other. 0 where they coincide.
FN_SHORT real joint_tension(GLOBAL const Joint *joint, const JointKinematics *k) {
    if (!(k->length_m > 0.0)) return 0.0;
    return real_fma(joint->stiffness_N_per_m, k->length_m - joint->rest_length_m,
                    joint->damping_N_s_per_m * k->rate_m_per_s);
}

/// Force, torques and power of a joint in the trial states, in its row of the list of contacts.
FN_ONCE void joint_evaluate(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    JointKinematics k = joint_kinematics(view, joint);
    real tension = joint_tension(joint, &k);
    Vec3 force = vec3_scale(k.normal, 0.0 - tension);
    contact->now.force_N = force;
    contact->now.torque_b_N_m = vec3_cross(k.lever_b_m, force);
    contact->now.torque_a_N_m = vec3_negate(vec3_cross(k.lever_a_m, force));
    contact->now.normal = k.normal;
    contact->now.lever_b_m = k.lever_b_m;
    contact->now.gap_m = k.length_m - joint->rest_length_m;
    contact->now.rate_m_per_s = k.rate_m_per_s;
    contact->now.normal_N = 0.0 - tension;
    contact->now.loss_W = joint->damping_N_s_per_m * k.rate_m_per_s * k.rate_m_per_s;
}

/// Elastic energy at the present evaluation, J. While its points coincide it counts like a length of 0.
FN real joint_energy(const SceneView *view, GLOBAL const Contact *contact) {
    return 0.5 * joint_of(view, contact)->stiffness_N_per_m * contact->now.gap_m * contact->now.gap_m;
}

/// Is the force of a joint undefined in the trial states: do its points coincide while its length at rest is > 0?
FN u32 joint_is_degenerate(const SceneView *view, GLOBAL const Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    if (joint->kind != JOINT_SPRING_DAMPER && joint->kind != JOINT_DISTANCE) return 0;
    return joint_kinematics(view, joint).length_m > 0.0 || !(joint->rest_length_m > 0.0) ? 0u : 1u;
}

/// The row of joint number j, which stays in the list while the scene lasts; not its force.
FN_ONCE void joint_begin(const SceneView *view, u32 j) {
    GLOBAL Contact *contact = &view->contacts[j];
    ContactAfterMiddle none = ALL_ZERO;
    contact->start_after_middle = none;
    contact->pair.body_a = view->joints[j].body_a;
    contact->pair.body_b = view->joints[j].body_b;
    contact->pair.shape_a = contact->pair.shape_b = contact->pair.candidate = NONE;
    contact->pair.feature = j;
    contact->pair.form = view->joints[j].kind == JOINT_LOAD ? COUPLING_LOAD : COUPLING_OF_POINTS;
    contact->pair.law = contact->plan.fast_method = contact->plan.controlled = contact->now.narrow_status = 0;
    contact->corner.whose = CORNER_NOT;
    contact->corner.order = FAST_CORNER_NOT;
    contact->now.inactive = CONTACT_ACTIVE;
    contact->total.impulse_N_s = contact->trial.impulse_N_s = vec3_zero();
    contact->total.loss_J = contact->trial.loss_J = contact->now.error_m = 0.0;
}

#endif
