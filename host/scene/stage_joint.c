// Joints of a scene: from points of the world at the start to points in the frames that kernels give their bodies.
#include "stage_internal.h"

#include <math.h>

#include "base/vec3.h"

static Vec3 vec3_from(const double v[3]) { return vec3_make(v[0], v[1], v[2]); }

// Are both of its bodies in the scene?
static int joint_is_there(const SceneDescription *scene, const SceneJoint *joint) {
    return !scene->bodies[joint->body_a].is_absent && !scene->bodies[joint->body_b].is_absent;
}

int stage_is_jointed(const SceneDescription *scene, uint32_t body) {
    for (uint32_t j = 0; j < scene->joint_count; j++)
        if (scene->joints[j].body_a == body || scene->joints[j].body_b == body) return 1;
    return 0;
}

uint32_t stage_joint_count(const SceneDescription *scene) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < scene->joint_count; j++) count += joint_is_there(scene, &scene->joints[j]) ? 1u : 0u;
    return count;
}

// A point of the world at the start, in the frame of a body, which reaches there from now on.
static Vec3 stage_point(const double at_m[3], Body *body, const BodyState *state) {
    const Vec3 at = quat_rotate_back(state->orientation, vec3_sub(vec3_from(at_m), state->position_m));
    if (!(body->flags & BODY_FIXED)) body->radius_m = fmax(body->radius_m, vec3_length(at));
    return at;
}

void stage_joints(const SceneDescription *scene, Body *bodies, const BodyState *states, Joint *joints) {
    for (uint32_t j = 0; j < scene->joint_count; j++) {
        const SceneJoint *in = &scene->joints[j];
        const uint32_t a = in->body_a, b = in->body_b;
        if (!joint_is_there(scene, in)) continue;
        const double length_m = vec3_length(vec3_sub(vec3_from(in->at_m[1]), vec3_from(in->at_m[0])));
        *joints++ = (Joint){.at_a_m = stage_point(in->at_m[0], &bodies[a], &states[a]),
                            .at_b_m = stage_point(in->at_m[1], &bodies[b], &states[b]),
                            .stiffness_N_per_m = in->stiffness_N_per_m,
                            .damping_N_s_per_m = in->damping_N_s_per_m,
                            .rest_length_m = in->rest_length_m < 0.0 ? length_m : in->rest_length_m,
                            .kind = in->kind,
                            .body_a = a,
                            .body_b = b};
    }
}
