// First-order change of a joint's force and torques with the poses and velocities of its bodies, for implicit steps.
//
// With n the direction of the line, d the shift and u the change of velocity of B's point against A's, v its velocity
// across the line, f the tension and P = 1 - n n':
//
//   force on B  -(k n n' + c/l n v' + f/l P) d - c n n' u,   power lost  2 c dl/dt (v' d / l + n' u)
// The points are fixed in their bodies and rotate with them.
#ifndef CLACK_JOINTS_JOINT_JACOBIAN_H
#define CLACK_JOINTS_JOINT_JACOBIAN_H

#include "joints/joint_force.h"
#include "law/contact_jacobian_columns.h"
#include "law/contact_jacobian.h"

/// Row n_i of  -(k n + c/l v) n_i  less f/l of the part across.
FN_SHORT Vec3 joint_row(Vec3 n, u32 i, Vec3 along, real across) {
    real n_i = vec3_component(n, i);
    Vec3 row = vec3_scale(along, 0.0 - n_i), e = vec3_add_scaled(vec3_unit(i), n, 0.0 - n_i);
    return vec3_add_scaled(row, e, 0.0 - across);
}

/// Derivatives of a joint in the trial states, which are those of the start of a step.
FN_ONCE void joint_derive(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    GLOBAL JointJacobian *jacobian = &contact->step.joint;
    JointKinematics k = joint_kinematics(view, joint);
    Vec3 n = k.normal, none = vec3_zero();
    real stiffness = joint->stiffness_N_per_m, damping = joint->damping_N_s_per_m, across = 0.0, per_m = 0.0;
    if (k.length_m > 0.0) {
        per_m = 1.0 / k.length_m;
        across = joint_tension(joint, &k) * per_m;
    } else if (!(joint->rest_length_m > 0.0)) {
        across = stiffness; // a spring to a point pulls alike in all directions
    }
    Vec3 sliding = vec3_add_scaled(k.velocity_m_per_s, n, 0.0 - k.rate_m_per_s);
    Vec3 along = vec3_add_scaled(vec3_scale(n, stiffness), sliding, damping * per_m), drag = vec3_scale(n, damping);
    jacobian->force_by_shift.x = joint_row(n, 0, along, across);
    jacobian->force_by_shift.y = joint_row(n, 1, along, across);
    jacobian->force_by_shift.z = joint_row(n, 2, along, across);
    jacobian->force_by_velocity.x = vec3_scale(drag, 0.0 - n.x);
    jacobian->force_by_velocity.y = vec3_scale(drag, 0.0 - n.y);
    jacobian->force_by_velocity.z = vec3_scale(drag, 0.0 - n.z);
    jacobian->loss_by_velocity = vec3_scale(drag, 2.0 * k.rate_m_per_s);
    jacobian->loss_by_shift = damping > 0.0 ? vec3_scale(sliding, 2.0 * damping * k.rate_m_per_s * per_m) : none;
    jacobian->lever_a_m = k.lever_a_m;
    jacobian->lever_b_m = k.lever_b_m;
    jacobian->spin_a_rad_per_s = k.spin_a_rad_per_s;
    jacobian->spin_b_rad_per_s = k.spin_b_rad_per_s;
    jacobian->force_N = contact->now.force_N;
}

/// First-order change of force, torques and loss for changes of both bodies.
FN_ONCE ContactChange joint_change(GLOBAL const JointJacobian *s, const BodyChange *a, const BodyChange *b) {
    Vec3 lever_a = s->lever_a_m, lever_b = s->lever_b_m, force = s->force_N;
    Vec3 d_lever_a = vec3_cross(a->turn, lever_a), d_lever_b = vec3_cross(b->turn, lever_b);
    Vec3 shift = vec3_sub(vec3_add(b->shift_m, d_lever_b), vec3_add(a->shift_m, d_lever_a));
    Vec3 at_a = vec3_add(a->velocity_m_per_s,
                         vec3_add(vec3_cross(a->spin_rad_per_s, lever_a), vec3_cross(s->spin_a_rad_per_s, d_lever_a)));
    Vec3 at_b = vec3_add(b->velocity_m_per_s,
                         vec3_add(vec3_cross(b->spin_rad_per_s, lever_b), vec3_cross(s->spin_b_rad_per_s, d_lever_b)));
    Vec3 velocity = vec3_sub(at_b, at_a);
    ContactChange change;
    change.force_N = vec3_add(mat3_rotate(s->force_by_shift, shift), mat3_rotate(s->force_by_velocity, velocity));
    change.torque_b_N_m = vec3_add(vec3_cross(lever_b, change.force_N), vec3_cross(d_lever_b, force));
    change.torque_a_N_m = vec3_negate(vec3_add(vec3_cross(lever_a, change.force_N), vec3_cross(d_lever_a, force)));
    change.loss_W = vec3_dot(s->loss_by_shift, shift) + vec3_dot(s->loss_by_velocity, velocity);
    return change;
}

// The same of three motions of one body at once: the interface of contact_jacobian_columns.h.

/// Shifts of B. Those of A do the opposite.
FN_ONCE void joint_columns_apart(GLOBAL const JointJacobian *s, const ColumnVec *shift, ColumnChange *change) {
    change->force_N = column_vec_rotate(COPY(s->force_by_shift), COPY(*shift));
    change->torque_N_m = change->moved_torque_a_N_m = change->moved_torque_b_N_m = column_vec_zero();
}

/// Velocities of B's point against A's.
FN_ONCE void joint_columns_motion(GLOBAL const JointJacobian *s, const ColumnVec *velocity, ColumnChange *change) {
    change->force_N = column_vec_rotate(COPY(s->force_by_velocity), COPY(*velocity));
    change->torque_N_m = change->moved_torque_a_N_m = change->moved_torque_b_N_m = column_vec_zero();
}

/// Turns of B, or of A, each with a change of its spin.
FN_ONCE void joint_columns_turned(GLOBAL const JointJacobian *s, u32 is_b, const ColumnVec *turn, const ColumnVec *spin,
                                  ColumnChange *change) {
    Vec3 lever = is_b != 0 ? s->lever_b_m : s->lever_a_m;
    ColumnVec displacement = column_vec_crossed(COPY(*turn), lever),
              moved_torque = column_vec_crossed(displacement, COPY(s->force_N));
    ColumnVec velocity =
        column_vec_add(column_vec_crossed(COPY(*spin), lever),
                       column_vec_cross(is_b != 0 ? s->spin_b_rad_per_s : s->spin_a_rad_per_s, displacement));
    ColumnVec force = column_vec_add(column_vec_rotate(COPY(s->force_by_shift), displacement),
                                     column_vec_rotate(COPY(s->force_by_velocity), velocity));
    change->force_N = is_b != 0 ? force : column_vec_negate(force);
    change->torque_N_m = column_vec_zero();
    change->moved_torque_a_N_m = is_b != 0 ? column_vec_zero() : moved_torque;
    change->moved_torque_b_N_m = is_b != 0 ? moved_torque : column_vec_zero();
}

#endif
