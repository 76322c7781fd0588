// Joints of a scene: from points of the world at the start to points in the frames that kernels give their bodies.
#include "stage_internal.h"

#include <math.h>
#include <stdio.h>

#include "assembly.h"
#include "base/vec3.h"
#include "mass.h"

// Cosine up to which two axes are at right angles; the equation holds the angle that they begin with.
#define AXES_RIGHT 1.0e-9
#define LENGTH_SAME 1.0e-9 // relative
#define PI 3.14159265358979323846

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

static Vec3 vec3_without(Vec3 v, Vec3 along) { return vec3_add_scaled(v, along, -vec3_dot(v, along)); }

static Quat stage_frame_of(Vec3 x, Vec3 z) {
    const Vec3 y = vec3_cross(z, x);
    double rows[3][3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    return mass_quat_of_matrix(rows);
}

// The axes of a constraint in the world at the start: z along its axis, x along the second one or any across.
static Quat stage_axes(const SceneJoint *joint) {
    const Vec3 z = vec3_normalize(vec3_from(joint->axis[0]));
    Vec3 x = joint->has_two_axes ? vec3_zero() : vec3_from(joint->axis[1]);
    x = vec3_without(x, z);
    x = vec3_length(x) > 0.0 ? vec3_normalize(x) : vec3_perpendicular(z);
    return stage_frame_of(x, z);
}

// Cosine of the angle between both axes.
static double axes_cosine(const SceneJoint *joint) {
    const Vec3 one = vec3_from(joint->axis[0]), other = vec3_from(joint->axis[1]);
    return vec3_dot(one, other) / (vec3_length(one) * vec3_length(other));
}

// Those as B has them, slightly off: its own axis z, or, of JOINT_UNIVERSAL, x.
static Quat stage_axes_of_b(const SceneJoint *joint, Quat axes) {
    const Vec3 own = vec3_normalize(vec3_from(joint->axis[1]));
    if (joint->has_two_axes)
        return stage_frame_of(vec3_normalize(vec3_without(quat_rotate(axes, vec3_unit(0)), own)), own);
    if (joint->kind != JOINT_UNIVERSAL || fabs(axes_cosine(joint)) <= AXES_RIGHT) return axes;
    return stage_frame_of(own, vec3_normalize(vec3_without(quat_rotate(axes, vec3_unit(2)), own)));
}

Vec3 stage_joint_apart(const SceneJoint *joint) {
    const Vec3 apart = vec3_sub(vec3_from(joint->at_m[1]), vec3_from(joint->at_m[0]));
    const int slides = joint->kind == JOINT_PRISMATIC || joint->kind == JOINT_CYLINDRICAL;
    return slides ? vec3_without(apart, vec3_normalize(vec3_from(joint->axis[0]))) : apart;
}

// The point of B; of a joint that slides beside that of A: its travel is 0 at the start.
static void stage_joint_point(const SceneJoint *joint, double out[3]) {
    const Vec3 apart = stage_joint_apart(joint);
    const int slides = joint->kind == JOINT_PRISMATIC || joint->kind == JOINT_CYLINDRICAL;
    for (u32 k = 0; k < 3; k++) out[k] = slides ? joint->at_m[0][k] + vec3_component(apart, k) : joint->at_m[1][k];
}

int stage_joint_is_exact(const SceneJoint *joint) {
    const Vec3 apart = stage_joint_apart(joint);
    const double apart_m = vec3_length(apart);
    if (joint->kind == JOINT_DISTANCE)
        return joint->is_rope || joint->rest_length_m < 0.0 ||
               fabs(joint->rest_length_m - apart_m) <= LENGTH_SAME * apart_m;
    if (joint->kind == JOINT_UNIVERSAL && fabs(axes_cosine(joint)) > AXES_RIGHT) return 0;
    return !joint->has_two_axes && vec3_max_abs(apart) == 0.0;
}

int stage_joint_is_right(const SceneJoint *joint, char *out_why, size_t bytes) {
    const Vec3 z = vec3_from(joint->axis[0]), x = vec3_from(joint->axis[1]);
    const double length = vec3_length(z), other = vec3_length(x);
    const double apart_m = vec3_length(vec3_sub(vec3_from(joint->at_m[1]), vec3_from(joint->at_m[0])));
    const int has_axis = joint->kind >= JOINT_REVOLUTE && joint->kind <= JOINT_UNIVERSAL;
    const int has_start = joint->kind == JOINT_DISTANCE && joint->rest_length_m >= 0.0;
    if (has_axis && !(length > 0.0))
        snprintf(out_why, bytes, "expected an axis that is not 0");
    else if (joint->has_two_axes && !(other > 0.0))
        snprintf(out_why, bytes, "expected two axes that are not 0");
    else if (joint->has_two_axes && !(axes_cosine(joint) >= cos(ASSEMBLY_DEGREES_MOST * PI / 180.0)))
        snprintf(out_why, bytes, "expected two axes that are at most %g degree apart, found %.4g degrees",
                 ASSEMBLY_DEGREES_MOST, acos(axes_cosine(joint)) * 180.0 / PI);
    else if (joint->kind == JOINT_UNIVERSAL &&
             !(fabs(vec3_dot(z, x)) <= sin(ASSEMBLY_DEGREES_MOST * PI / 180.0) * length * other))
        snprintf(out_why, bytes, "expected two axes at right angles, found %g degrees",
                 acos(axes_cosine(joint)) * 180.0 / PI);
    else if (joint->kind == JOINT_DISTANCE && !(apart_m > 0.0))
        snprintf(out_why, bytes, "expected two points that are apart, found the same twice");
    else if (has_start && joint->is_rope && !(joint->rest_length_m >= (1.0 - LENGTH_SAME) * apart_m))
        snprintf(out_why, bytes, "expected a rope of at least %.9g m, the distance of its points, found %.9g", apart_m,
                 joint->rest_length_m);
    else if (joint->has_limits &&
             !(joint->limits[0] <= 0.0 && joint->limits[1] >= 0.0 && joint->limits[0] < joint->limits[1]))
        snprintf(out_why, bytes, "expected limits [low, high] with low <= 0 <= high, the start, found [%.9g, %.9g]",
                 joint->limits[0], joint->limits[1]);
    else if (has_start && !joint->is_rope && !(fabs(joint->rest_length_m - apart_m) <= ASSEMBLY_SHARE_MOST * apart_m))
        snprintf(out_why, bytes,
                 "expected a length of %.9g m at the start, the distance of its points, to %g %%, found %.9g", apart_m,
                 100.0 * ASSEMBLY_SHARE_MOST, joint->rest_length_m);
    else
        return 1;
    return 0;
}

int stage_motion_is_right(const SceneDescription *scene, const SceneJoint *joint, char *out_why, size_t bytes) {
    if (joint->drive_count == 0 || joint->kind == JOINT_LOAD) return 1;
    const double at_start = stage_function_at(scene, joint->drive_first, joint->drive_count, 0.0);
    const double apart_m = vec3_length(vec3_sub(vec3_from(joint->at_m[1]), vec3_from(joint->at_m[0])));
    const double right = joint->kind == JOINT_DISTANCE ? apart_m : 0.0;
    if (fabs(at_start - right) <= LENGTH_SAME * (1.0 + right)) return 1;
    snprintf(out_why, bytes, "expected a motion that is %.9g at t = 0%s, found %.9g", right,
             joint->kind == JOINT_DISTANCE ? ", the distance of the points" : "",
             isnan(at_start) ? fabs(at_start) : at_start);
    return 0;
}

ClackStatus stage_check_joints(const SceneDescription *scene, ClackReport *report) {
    char why[160];
    for (uint32_t j = 0; j < scene->joint_count; j++) {
        const SceneJoint *joint = &scene->joints[j];
        if (joint_is_there(scene, joint) &&
            (!stage_joint_is_right(joint, why, sizeof why) || !stage_motion_is_right(scene, joint, why, sizeof why)))
            return report_add(report, CLACK_STUDY, "joint \"%s\": %s", joint->name, why);
    }
    for (uint32_t b = 0; b < scene->body_count; b++)
        if (!stage_body_motion_is_right(scene, &scene->bodies[b], why, sizeof why))
            return report_add(report, CLACK_STUDY, "body \"%s\": %s", scene->bodies[b].name, why);
    return CLACK_OK;
}

// A force and a moment over time on B. Axes of a body are those of the user's frame of it.
static Joint stage_load(const SceneJoint *in, uint32_t number, Body *bodies, const BodyState *states) {
    const uint32_t a = in->body_a, b = in->body_b;
    return (Joint){.at_b_m = in->is_at_centre ? vec3_zero() : stage_point(in->at_m[1], &bodies[b], &states[b]),
                   .frame_a = bodies[a].frame,
                   .frame_b = bodies[b].frame,
                   .kind = JOINT_LOAD,
                   .body_a = a,
                   .body_b = b,
                   .number = number,
                   .flags = JOINT_TOUCHES | in->axes,
                   .drive_first = in->drive_first,
                   .drive_count = in->drive_count};
}

ClackStatus stage_joints(const SceneDescription *scene, Body *bodies, const BodyState *states, Joint *joints,
                         ClackReport *report) {
    TRY(stage_check_joints(scene, report));
    for (uint32_t j = 0; j < scene->joint_count; j++) {
        const SceneJoint *in = &scene->joints[j];
        const uint32_t a = in->body_a, b = in->body_b;
        if (!joint_is_there(scene, in)) continue;
        const double length_m = vec3_length(vec3_sub(vec3_from(in->at_m[1]), vec3_from(in->at_m[0])));
        if (in->kind == JOINT_LOAD) {
            *joints++ = stage_load(in, j, bodies, states);
            continue;
        }
        const Quat axes = stage_axes(in);
        double of_b[3];
        stage_joint_point(in, of_b);
        *joints++ =
            (Joint){.at_a_m = stage_point(in->at_m[0], &bodies[a], &states[a]),
                    .at_b_m = stage_point(of_b, &bodies[b], &states[b]),
                    .stiffness_N_per_m = in->stiffness_N_per_m,
                    .damping_N_s_per_m = in->damping_N_s_per_m,
                    .rest_length_m = in->rest_length_m < 0.0 ? length_m : in->rest_length_m,
                    .length_rate_m_per_s = in->length_rate_m_per_s,
                    .length_until_s = in->length_until_s,
                    .frame_a = quat_multiply(quat_conjugate(states[a].orientation), axes),
                    .frame_b = quat_multiply(quat_conjugate(states[b].orientation), stage_axes_of_b(in, axes)),
                    .kind = in->kind,
                    .body_a = a,
                    .body_b = b,
                    .number = j,
                    .limit_low = in->limits[0],
                    .limit_high = in->limits[1],
                    .flags = (in->is_rope ? JOINT_IS_ROPE : 0u) | (in->touches ? JOINT_TOUCHES : 0u) |
                             (in->has_limits ? JOINT_HAS_LIMITS : 0u) | (in->drive_count > 0 ? JOINT_IS_DRIVEN : 0u),
                    .drive_first = in->drive_first,
                    .drive_count = in->drive_count};
    }
    return CLACK_OK;
}
