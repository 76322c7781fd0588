// Loads: a force F(t) and a moment M(t), functions of time in axes of the world or of one of two bodies. They act on B,
// the force at a point that is fixed in B, and the opposite ones act on A at the same place: thrusters, motors,
// actuators. A load stores no energy; what it does on both bodies is its power, F . v + M . w, with v and w the
// velocity of B's point against A's matter there and the spin of B against A.
#ifndef CLACK_JOINTS_LOAD_H
#define CLACK_JOINTS_LOAD_H

#include "joints/joint_force.h"
#include "law/contact_jacobian_columns.h"
#include "law/contact_jacobian.h"
#include "model/time_function.h"

/// The values of a load at the time t, s, for the evaluations that follow.
FN_ONCE void load_take_time(const SceneView *view, GLOBAL Contact *contact, real t) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    GLOBAL LoadStep *load = &contact->step.load;
    TimeValue v[TIME_STACK];
    time_functions(view->functions + joint->drive_first, joint->drive_count, t, v);
    load->given_N = vec3_make(v[0].value, v[1].value, v[2].value);
    load->given_N_m = vec3_make(v[3].value, v[4].value, v[5].value);
    load->given_N_per_s = vec3_make(v[0].rate, v[1].rate, v[2].rate);
    load->given_N_m_per_s = vec3_make(v[3].rate, v[4].rate, v[5].rate);
}

/// From the axes of a load to the world, in the trial states.
FN_SHORT Vec3 load_to_world(const SceneView *view, GLOBAL const Joint *joint, Vec3 given) {
    if (joint->flags & JOINT_AXES_OF_A)
        return quat_rotate_any(view->works[joint->body_a].step.trial.orientation, quat_rotate(joint->frame_a, given));
    if (joint->flags & JOINT_AXES_OF_B)
        return quat_rotate_any(view->works[joint->body_b].step.trial.orientation, quat_rotate(joint->frame_b, given));
    return given;
}

// Where a load acts and how its bodies move there. World axes.
typedef struct LoadKinematics {
    Vec3 lever_a_m, lever_b_m; // from both centres of mass
    Vec3 spin_a_rad_per_s, spin_b_rad_per_s;
    Vec3 velocity_m_per_s; // of B against A there
} LoadKinematics;

FN_ONCE LoadKinematics load_kinematics(const SceneView *view, GLOBAL const Joint *joint) {
    GLOBAL const BodyState *a = &view->works[joint->body_a].step.trial, *b = &view->works[joint->body_b].step.trial;
    LoadKinematics k;
    k.lever_b_m = quat_rotate_any(b->orientation, joint->at_b_m);
    k.lever_a_m = vec3_add(k.lever_b_m, vec3_sub(b->position_m, a->position_m));
    k.spin_a_rad_per_s = joint_spin(view, joint->body_a);
    k.spin_b_rad_per_s = joint_spin(view, joint->body_b);
    k.velocity_m_per_s = vec3_sub(vec3_add(b->velocity_m_per_s, vec3_cross(k.spin_b_rad_per_s, k.lever_b_m)),
                                  vec3_add(a->velocity_m_per_s, vec3_cross(k.spin_a_rad_per_s, k.lever_a_m)));
    return k;
}

/// Force, torques and power of a load in the trial states, in its row of the list of contacts. Its values are known.
FN_ONCE void load_evaluate(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    LoadKinematics k = load_kinematics(view, joint);
    Vec3 force = load_to_world(view, joint, COPY(contact->step.load.given_N));
    Vec3 moment = load_to_world(view, joint, COPY(contact->step.load.given_N_m));
    contact->now.force_N = force;
    contact->now.torque_b_N_m = vec3_add(vec3_cross(k.lever_b_m, force), moment);
    contact->now.torque_a_N_m = vec3_negate(vec3_add(vec3_cross(k.lever_a_m, force), moment));
    contact->now.normal = vec3_zero();
    contact->now.lever_b_m = k.lever_b_m;
    contact->now.gap_m = contact->now.rate_m_per_s = contact->now.normal_N = 0.0;
    contact->now.loss_W = 0.0;
    contact->given.now_W =
        vec3_dot(force, k.velocity_m_per_s) + vec3_dot(moment, vec3_sub(k.spin_b_rad_per_s, k.spin_a_rad_per_s));
}

/// Derivatives of a load in the trial states, which are those of the start of a step.
FN_ONCE void load_derive(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    GLOBAL LoadStep *load = &contact->step.load;
    LoadKinematics k = load_kinematics(view, joint);
    load->lever_a_m = k.lever_a_m;
    load->lever_b_m = k.lever_b_m;
    load->spin_a_rad_per_s = k.spin_a_rad_per_s;
    load->spin_b_rad_per_s = k.spin_b_rad_per_s;
    load->velocity_m_per_s = k.velocity_m_per_s;
    load->force_N = load_to_world(view, joint, COPY(load->given_N));
    load->moment_N_m = load_to_world(view, joint, COPY(load->given_N_m));
    load->force_N_per_s = load_to_world(view, joint, COPY(load->given_N_per_s));
    load->moment_N_m_per_s = load_to_world(view, joint, COPY(load->given_N_m_per_s));
    load->axes_of = joint->flags & (JOINT_AXES_OF_A | JOINT_AXES_OF_B);
}

// How a load has changed, and its bodies: turns of its axes, the shift of its point against A's centre.
typedef struct LoadMove {
    Vec3 force_N, moment_N_m; // changes
    Vec3 d_lever_a_m, d_lever_b_m;
} LoadMove;

/// Torques that come with a change of force and moment, and as loss the opposite of its power.
FN_ONCE ContactChange load_change_by(GLOBAL const LoadStep *s, const LoadMove *move, Vec3 velocity, Vec3 spin) {
    ContactChange change;
    Vec3 relative_spin = vec3_sub(s->spin_b_rad_per_s, s->spin_a_rad_per_s);
    change.force_N = move->force_N;
    change.torque_b_N_m = vec3_add(vec3_add(vec3_cross(s->lever_b_m, move->force_N), move->moment_N_m),
                                   vec3_cross(move->d_lever_b_m, s->force_N));
    change.torque_a_N_m = vec3_negate(vec3_add(vec3_add(vec3_cross(s->lever_a_m, move->force_N), move->moment_N_m),
                                               vec3_cross(move->d_lever_a_m, s->force_N)));
    change.loss_W = 0.0 - (vec3_dot(move->force_N, s->velocity_m_per_s) + vec3_dot(s->force_N, velocity)) -
                    (vec3_dot(move->moment_N_m, relative_spin) + vec3_dot(s->moment_N_m, spin));
    return change;
}

/// First-order change of force, torques and loss for changes of both bodies, at the time of the start of the step.
FN_ONCE ContactChange load_change(GLOBAL const LoadStep *s, const BodyChange *a, const BodyChange *b) {
    LoadMove move;
    Vec3 turn = s->axes_of & JOINT_AXES_OF_A ? a->turn : s->axes_of & JOINT_AXES_OF_B ? b->turn : vec3_zero();
    move.force_N = vec3_cross(turn, s->force_N);
    move.moment_N_m = vec3_cross(turn, s->moment_N_m);
    move.d_lever_b_m = vec3_cross(b->turn, s->lever_b_m);
    move.d_lever_a_m = vec3_add(move.d_lever_b_m, vec3_sub(b->shift_m, a->shift_m));
    Vec3 at_b = vec3_add(b->velocity_m_per_s, vec3_add(vec3_cross(b->spin_rad_per_s, s->lever_b_m),
                                                       vec3_cross(s->spin_b_rad_per_s, move.d_lever_b_m)));
    Vec3 at_a = vec3_add(a->velocity_m_per_s, vec3_add(vec3_cross(a->spin_rad_per_s, s->lever_a_m),
                                                       vec3_cross(s->spin_a_rad_per_s, move.d_lever_a_m)));
    return load_change_by(s, &move, vec3_sub(at_b, at_a), vec3_sub(b->spin_rad_per_s, a->spin_rad_per_s));
}

/// The same by the time alone, 1/s.
FN_ONCE ContactChange load_change_in_time(GLOBAL const LoadStep *s) {
    LoadMove move;
    move.force_N = s->force_N_per_s;
    move.moment_N_m = s->moment_N_m_per_s;
    move.d_lever_a_m = move.d_lever_b_m = vec3_zero();
    return load_change_by(s, &move, vec3_zero(), vec3_zero());
}

// The same of three motions of one body at once: the interface of contact_jacobian_columns.h.

/// Shifts of B. Those of A do the opposite. What moves A's lever is a torque on A alone.
FN_ONCE void load_columns_apart(GLOBAL const LoadStep *s, const ColumnVec *shift, ColumnChange *change) {
    change->force_N = change->torque_N_m = change->moved_torque_b_N_m = column_vec_zero();
    change->moved_torque_a_N_m = column_vec_crossed(COPY(*shift), COPY(s->force_N));
}

/// No velocity changes a load.
FN_ONCE void load_columns_motion(ColumnChange *change) {
    change->force_N = change->torque_N_m = change->moved_torque_a_N_m = change->moved_torque_b_N_m = column_vec_zero();
}

/// Turns of B, or of A.
FN_ONCE void load_columns_turned(GLOBAL const LoadStep *s, u32 is_b, const ColumnVec *turn, ColumnChange *change) {
    u32 has_axes = s->axes_of == (is_b != 0 ? JOINT_AXES_OF_B : JOINT_AXES_OF_A) ? 1u : 0u;
    ColumnVec none = column_vec_zero(), displacement = column_vec_crossed(COPY(*turn), COPY(s->lever_b_m));
    change->force_N = has_axes ? column_vec_crossed(COPY(*turn), COPY(s->force_N)) : none;
    change->torque_N_m = has_axes ? column_vec_crossed(COPY(*turn), COPY(s->moment_N_m)) : none;
    change->moved_torque_a_N_m = is_b != 0 ? column_vec_crossed(displacement, COPY(s->force_N)) : none;
    change->moved_torque_b_N_m = change->moved_torque_a_N_m;
}

#endif
