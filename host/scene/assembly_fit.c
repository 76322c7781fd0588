// What equations that say the same twice leave of a misfit: the points, axes and lengths of joints become those that
// hold where the bodies have come to.
#include "assembly_internal.h"

#include <math.h>

#include "base/vec3.h"

typedef struct Side { // of a joint, in the world
    Vec3 at_m;
    Quat axes;
} Side;

static Side side_of(const BodyState *state, Vec3 at_m, Quat frame) {
    return (Side){vec3_add(state->position_m, quat_rotate(state->orientation, at_m)),
                  quat_multiply(state->orientation, frame)};
}

static Vec3 axis_of(Side side, u32 k) { return quat_rotate(side.axes, vec3_unit(k)); }

// The rotation that takes one unit vector to another by the shortest way.
static Quat turn_between(Vec3 from, Vec3 to) {
    const Vec3 across = vec3_cross(from, to);
    return quat_normalize(quat_make(1.0 + vec3_dot(from, to), across.x, across.y, across.z));
}

// The rotation after which the axes of `own`, of B or with is_a of A, are as the equations of a joint want them.
static Quat turn_to_fit(const Joint *joint, Side own, Side other, int is_a) {
    const uint32_t kind = joint->kind;
    const int has_angle = kind == JOINT_REVOLUTE && (joint->flags & JOINT_IS_DRIVEN) != 0; // 0 at the start
    if (kind == JOINT_FIXED || kind == JOINT_PRISMATIC || has_angle)
        return quat_normalize(quat_multiply(other.axes, quat_conjugate(own.axes)));
    if (kind == JOINT_REVOLUTE || kind == JOINT_CYLINDRICAL) return turn_between(axis_of(own, 2), axis_of(other, 2));
    if (kind != JOINT_UNIVERSAL) return quat_identity();
    const Vec3 mine = axis_of(own, is_a ? 2 : 0), theirs = axis_of(other, is_a ? 0 : 2); // at right angles
    return turn_between(mine, vec3_normalize(vec3_add_scaled(mine, theirs, -vec3_dot(mine, theirs))));
}

static double angle_of(Quat turn) { return 2.0 * asin(fmin(1.0, vec3_length(vec3_make(turn.x, turn.y, turn.z)))); }

JointMisfit assembly_fit_joint(Joint *joint, Body *bodies, const BodyState *a, const BodyState *b) {
    const int is_a = (bodies[joint->body_b].flags & BODY_FIXED) != 0; // a fixed body's side stays
    const Side of_a = side_of(a, joint->at_a_m, joint->frame_a), of_b = side_of(b, joint->at_b_m, joint->frame_b);
    Vec3 apart = vec3_sub(of_b.at_m, of_a.at_m);
    JointMisfit misfit = {0};
    if (joint->kind == JOINT_DISTANCE) {
        const double off_m = vec3_length(apart) - joint->rest_length_m;
        if ((joint->flags & JOINT_IS_ROPE && off_m <= 0.0) || joint->flags & JOINT_IS_DRIVEN) return misfit;
        joint->rest_length_m += off_m;
        misfit.apart_m = fabs(off_m);
        return misfit;
    }
    const int is_driven = (joint->flags & JOINT_IS_DRIVEN) != 0; // travels are 0 at the start
    if (!is_driven && (joint->kind == JOINT_PRISMATIC || joint->kind == JOINT_CYLINDRICAL)) {
        const Vec3 along = axis_of(is_a ? of_b : of_a, 2); // of A, as it will be
        apart = vec3_add_scaled(apart, along, -vec3_dot(apart, along));
    }
    const Quat turn = is_a ? turn_to_fit(joint, of_a, of_b, 1) : turn_to_fit(joint, of_b, of_a, 0);
    const BodyState *own = is_a ? a : b;
    Vec3 *at_m = is_a ? &joint->at_a_m : &joint->at_b_m;
    Quat *frame = is_a ? &joint->frame_a : &joint->frame_b;
    Body *body = &bodies[is_a ? joint->body_a : joint->body_b];
    *at_m = vec3_add_scaled(*at_m, quat_rotate_back(own->orientation, apart), is_a ? 1.0 : -1.0);
    *frame = quat_normalize(
        quat_multiply(quat_conjugate(own->orientation), quat_multiply(turn, is_a ? of_a.axes : of_b.axes)));
    if (!(body->flags & BODY_FIXED)) body->radius_m = fmax(body->radius_m, vec3_length(*at_m));
    misfit.apart_m = vec3_length(apart);
    misfit.angle_rad = angle_of(turn);
    return misfit;
}
