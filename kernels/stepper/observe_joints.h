// What is watched of joints: their forces at the ends of steps.
#ifndef CLACK_STEPPER_OBSERVE_JOINTS_H
#define CLACK_STEPPER_OBSERVE_JOINTS_H

#include "joints/coupling.h"

FN_SHORT u32 observe_is_of_joint(u32 observable) { return observable >= WATCH_JOINT_FORCE ? 1u : 0u; }

/// The row of the joint that is watched, in the list of contacts; NONE: it is not in the scene.
FN u32 observe_joint_row(const SceneView *view, Watch watch) {
    for (u32 j = 0; j < joint_count(view); j++)
        if (view->joints[j].number == watch.body) return j;
    return NONE;
}

/// Force of a joint at the end of the step just tried, or tension.
FN_SHORT real observe_joint_end(GLOBAL const Contact *contact, u32 observable) {
    return observable == WATCH_JOINT_FORCE ? vec3_length(contact->now.force_N) : 0.0 - contact->now.normal_N;
}

/// The same at its start; the line has not reversed since.
FN_SHORT real observe_joint_start(GLOBAL const Contact *contact, u32 observable) {
    real force = vec3_length(contact->start.force_N);
    if (observable == WATCH_JOINT_FORCE) return force;
    return vec3_dot(contact->start.force_N, contact->now.normal) > 0.0 ? 0.0 - force : force;
}

#endif
