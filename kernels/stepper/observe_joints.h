// What is watched of joints: forces, lengths, angles at the ends of steps.
#ifndef CLACK_STEPPER_OBSERVE_JOINTS_H
#define CLACK_STEPPER_OBSERVE_JOINTS_H

#include "joints/constraint.h"
#include "joints/coupling.h"

FN_SHORT u32 observe_is_of_joint(u32 observable) {
    return observable >= WATCH_JOINT_FORCE && observable < WATCH_NET_FORCE ? 1u : 0u;
}

/// The row of the joint that is watched, in the list of contacts; NONE: it is not in the scene.
FN u32 observe_joint_row(const SceneView *view, Watch watch) {
    for (u32 j = 0; j < joint_count(view); j++)
        if (view->joints[j].number == watch.body) return j;
    return NONE;
}

/// State of a body of a joint at the end of the step just tried, or at its start.
FN_SHORT BodyState observe_joint_state(const SceneView *view, u32 b, u32 is_end) {
    return is_end && body_moves(view, b) ? view->works[b].step.trial : view->states[b];
}

/// Length or travel of a joint, m.
FN_ONCE real observe_joint_path(const SceneView *view, GLOBAL const Joint *joint, u32 observable, u32 is_end) {
    BodyState a = observe_joint_state(view, joint->body_a, is_end),
              b = observe_joint_state(view, joint->body_b, is_end);
    Vec3 apart = vec3_add(vec3_sub(b.position_m, a.position_m), quat_rotate_any(b.orientation, joint->at_b_m));
    apart = vec3_sub(apart, quat_rotate_any(a.orientation, joint->at_a_m));
    if (observable == WATCH_JOINT_LENGTH) return vec3_length(apart);
    return vec3_dot(apart, mat3_column(mat3_from_quat(quat_multiply(a.orientation, joint->frame_a)), 2));
}

/// Where a joint is on its path now: a length, an angle or a travel; 0 of others.
FN_ONCE real observe_joint_coordinate(const SceneView *view, GLOBAL const Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    u32 kind = joint->kind;
    if (kind == JOINT_REVOLUTE || kind == JOINT_CYLINDRICAL) return contact->step.constraint.start_angle_rad;
    if (kind == JOINT_PRISMATIC) return observe_joint_path(view, joint, WATCH_JOINT_TRAVEL, 0);
    if (kind != JOINT_SPRING_DAMPER && kind != JOINT_DISTANCE) return 0.0;
    return observe_joint_path(view, joint, WATCH_JOINT_LENGTH, 0);
}

/// What is watched of a joint, at the end of the step just tried.
FN_ONCE real observe_joint_end(const SceneView *view, GLOBAL const Contact *contact, u32 observable) {
    if (observable == WATCH_JOINT_FORCE) return vec3_length(contact->now.force_N);
    if (observable == WATCH_JOINT_TENSION) return 0.0 - contact->now.normal_N;
    if (observable == WATCH_JOINT_MOMENT) return constraint_moment(contact);
    if (observable == WATCH_JOINT_ANGLE) return contact->step.constraint.angle_rad;
    if (observable == WATCH_JOINT_VIOLATION) return constraint_violation(&contact->step.constraint);
    if (observable == WATCH_JOINT_DRIVE) return constraint_driving(&contact->step.constraint);
    return observe_joint_path(view, joint_of(view, contact), observable, 1);
}

/// The same at its start; the line has not reversed since. A violation is that of the end.
FN_ONCE real observe_joint_start(const SceneView *view, GLOBAL const Contact *contact, u32 observable) {
    real force = vec3_length(contact->start.force_N);
    if (observable == WATCH_JOINT_FORCE) return force;
    if (observable == WATCH_JOINT_TENSION)
        return vec3_dot(contact->start.force_N, contact->now.normal) > 0.0 ? 0.0 - force : force;
    if (observable == WATCH_JOINT_MOMENT) return contact->step.constraint.start_moment_N_m;
    if (observable == WATCH_JOINT_ANGLE) return contact->step.constraint.start_angle_rad;
    if (observable == WATCH_JOINT_VIOLATION) return constraint_violation(&contact->step.constraint);
    if (observable == WATCH_JOINT_DRIVE)
        return 0.0 - contact->step.constraint.start_multiplier[contact->step.constraint.count - 1u];
    return observe_joint_path(view, joint_of(view, contact), observable, 0);
}

#endif
