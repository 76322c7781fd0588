// Steps of a solid whose contacts are all corners of it on planes that do not move at all: a box, a capsule or a hull
// on the ground, perhaps against a wall. What all corners need is computed once a stage; states are in private memory
// from stage to stage. Explicit steps have the bits of substep.h; implicit ones: corner_contacts_implicit.h.
#ifndef CLACK_FAST_CORNER_CONTACTS_H
#define CLACK_FAST_CORNER_CONTACTS_H

#include "geometry/narrow_phase.h"
#include "geometry/shape.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/contact_law.h"
#include "integrate/motion.h"
#include "fast/corner_lanes.h"

// A corner contact in a trial step; forces are those of the plane on the solid.
typedef struct CornerTouch {
    GLOBAL Contact *contact;
    CornerContact by;
} CornerTouch;

#define CORNER_LANE_SETS ((CORNERS_MAX + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE)

typedef struct Corners {
    u32 body, count;
    CornerTouch touches[CORNERS_MAX];
    BodyState start, at;      // at the start; at the present stage,
    real turn_scale;          // its scale for quat_turn_by,
    Vec3 force_N, torque_N_m; // and the sums over all contacts
#if SIDE_BY_SIDE > 1
    u32 is_in_lanes; // 1: the corners are evaluated side by side
    WIDE_NAME(CornerContact) lane_sets[CORNER_LANE_SETS];
#endif
} Corners;

FN_SHORT u32 corners_is_a(GLOBAL const Contact *contact) { return contact->corner == CORNER_OF_A ? 1u : 0u; }

/// The constants of a contact over a step. weight: of the force at the start in the impulse of the step, s.
FN CornerContact corners_contact(const SceneView *view, GLOBAL const Contact *contact, real weight) {
    u32 is_a = corners_is_a(contact), plane = is_a ? contact->shape_b : contact->shape_a;
    CornerContact by;
    by.corner_m = contact->corner_m;
    by.ball_m = shape_ball_radius(&view->shapes[is_a ? contact->shape_a : contact->shape_b]);
    by.plane_m = view->states[is_a ? contact->body_b : contact->body_a].position_m;
    by.arm_m = view->placed[plane].arm_m;
    by.up = narrow_axis_z(view->placed[plane].turn);
    by.law = law_of(contact_constants(contact), view->laws[contact->law], 0);
    by.is_a = is_a ? 1.0 : 0.0;
    by.impulse_N_s = vec3_scale(contact->start_force_N, is_a ? 0.0 - weight : weight);
    by.loss_J = contact->start_loss_W * weight;
    by.lever_m = vec3_zero();
    by.penetration_m = 0.0;
    return by;
}

#if SIDE_BY_SIDE > 1
/// Put the contacts into lanes; unused lanes have no force.
FN void corners_load_lanes(Corners *corners) {
    WIDE_NAME(CornerContact) nothing = ALL_ZERO;
    for (u32 k = 0; k < corners->count; k++) {
        if (k % SIDE_BY_SIDE == 0) corners->lane_sets[k / SIDE_BY_SIDE] = nothing;
        corner_put(&corners->lane_sets[k / SIDE_BY_SIDE], k % SIDE_BY_SIDE, &corners->touches[k].by);
    }
}

/// After all stages: impulse and loss of the contacts, from the lanes.
FN void corners_store_lanes(Corners *corners) {
    for (u32 k = 0; k < corners->count && corners->is_in_lanes; k++) {
        WIDE_NAME(CornerContact) *lane_set = &corners->lane_sets[k / SIDE_BY_SIDE];
        corners->touches[k].by.impulse_N_s = wide_get(&lane_set->impulse_N_s, k % SIDE_BY_SIDE);
        corners->touches[k].by.loss_J = LANE_AT(lane_set->loss_J, k % SIDE_BY_SIDE);
    }
}

#define LANE_WIDTH SIDE_BY_SIDE
/// The same vector, quaternion or pose in all lanes.
FN_SHORT Vec3 corners_vec3_for_all(real x, real y, real z) { return vec3_make(lane_of(x), lane_of(y), lane_of(z)); }
FN_SHORT Quat corners_quat_for_all(real w, real x, real y, real z) {
    return quat_make(lane_of(w), lane_of(x), lane_of(y), lane_of(z));
}
FN_SHORT CornerPose corners_pose_for_all(Vec3 position, Quat orientation, real turn_scale) {
    CornerPose pose;
    pose.position_m = position;
    pose.orientation = orientation;
    pose.turn_scale = lane_of(turn_scale);
    return pose;
}
/// A stage of all corners of a set of lanes.
FN_APART void corners_lanes_stage(CornerContact *lane_set, const CornerPose *pose, const CornerMotion *motion,
                                  real weight, Vec3 *force, Vec3 *torque) {
    corner_step_kinematics(lane_set, pose);
    corner_step_push(lane_set, motion, lane_of(weight), force, torque);
}
FN_APART void corners_lanes_end(const CornerContact *lane_set, const CornerPose *pose, const CornerMotion *motion,
                                CornerEnd *end) {
    corner_step_end(lane_set, pose, motion, end);
}
#undef LANE_WIDTH

/// Pose and motion of the solid, in all lanes.
FN_SHORT void corners_spread(const CornerSolid *solid, WIDE_NAME(CornerPose) * pose, WIDE_NAME(CornerMotion) * motion) {
    Vec3 at = solid->position_m, v = solid->velocity_m_per_s, w = solid->spin_rad_per_s;
    Quat q = solid->orientation;
    *pose = corners_pose_for_all(corners_vec3_for_all(at.x, at.y, at.z), corners_quat_for_all(q.w, q.x, q.y, q.z),
                                 solid->turn_scale);
    motion->velocity_m_per_s = corners_vec3_for_all(v.x, v.y, v.z);
    motion->spin_rad_per_s = corners_vec3_for_all(w.x, w.y, w.z);
}
#else
FN void corners_store_lanes(Corners *corners) { (void)corners; }
#endif

/// Load the `at`-th awake contact and all others of the same body, which come after it. weight: of the
/// forces at the start in the impulse of the step, s.
FN void corners_load(const SceneView *view, u32 at, real weight, Corners *corners) {
    GLOBAL const Contact *first = &view->contacts[view->awake[at]];
    corners->body = corners_is_a(first) ? first->body_a : first->body_b;
    corners->start = view->states[corners->body];
    u32 count = 0, contacts = view->works[corners->body].contacts;
    for (; at < view->slot->awake_count && count < u32_min(contacts, CORNERS_MAX); at++) {
        GLOBAL Contact *contact = &view->contacts[view->awake[at]];
        u32 body = corners_is_a(contact) ? contact->body_a : contact->body_b;
        if (contact->fast_corner == FAST_CORNER_NOT || body != corners->body) continue;
        corners->touches[count].contact = contact;
        corners->touches[count++].by = corners_contact(view, contact, weight);
    }
    corners->count = count;
#if SIDE_BY_SIDE > 1
    corners->is_in_lanes = count > 1 ? 1u : 0u;
    if (corners->is_in_lanes) corners_load_lanes(corners);
#endif
}

FN_SHORT void corners_pose(const CornerSolid *solid, CornerPose *pose, CornerMotion *motion) {
    pose->position_m = solid->position_m;
    pose->orientation = solid->orientation;
    pose->turn_scale = solid->turn_scale;
    motion->velocity_m_per_s = solid->velocity_m_per_s;
    motion->spin_rad_per_s = solid->spin_rad_per_s;
}

/// Evaluate all contacts at the present stage, with its part of impulse and loss. turn_scale: for quat_turn_by.
FN_SHORT void corners_evaluate(Corners *corners, real turn_scale, real weight) {
    BodyState at = corners->at;
    CornerSolid solid;
    solid.position_m = at.position_m;
    solid.velocity_m_per_s = at.velocity_m_per_s;
    solid.spin_rad_per_s = quat_rotate(at.orientation, at.spin_rad_per_s);
    solid.orientation = at.orientation;
    solid.turn_scale = turn_scale;
    Vec3 force = vec3_zero(), torque = vec3_zero();
    u32 side_by_side = 0;
#if SIDE_BY_SIDE > 1
    if (corners->is_in_lanes) {
        WIDE_NAME(CornerPose) poses;
        WIDE_NAME(CornerMotion) motions;
        corners_spread(&solid, &poses, &motions);
        for (; side_by_side < corners->count; side_by_side++) {
            WIDE_NAME(Vec3) forces, torques;
            if (side_by_side % SIDE_BY_SIDE == 0)
                corners_lanes_stage(&corners->lane_sets[side_by_side / SIDE_BY_SIDE], &poses, &motions, weight, &forces,
                                    &torques);
            force = vec3_add(force, wide_get(&forces, side_by_side % SIDE_BY_SIDE));
            torque = vec3_add(torque, wide_get(&torques, side_by_side % SIDE_BY_SIDE));
        }
    }
#endif
    CornerPose pose;
    CornerMotion motion;
    corners_pose(&solid, &pose, &motion);
    for (u32 k = side_by_side; k < corners->count; k++) {
        CornerContact *by = &corners->touches[k].by;
        Vec3 one, twist;
        corner_step_kinematics(by, &pose);
        corner_step_push(by, &motion, weight, &one, &twist);
        force = vec3_add(force, one);
        torque = vec3_add(torque, twist);
    }
    corners->force_N = force;
    corners->torque_N_m = torque;
}

/// Store impulse and loss of a contact over the step, and add its force and torque to the sums on the solid.
FN_STAGE void corners_hand_over(const CornerTouch *touch, Vec3 *force, Vec3 *torque) {
    GLOBAL Contact *contact = touch->contact;
    u32 is_a = corners_is_a(contact);
    contact->step_impulse_N_s = is_a ? vec3_negate(touch->by.impulse_N_s) : touch->by.impulse_N_s;
    contact->step_loss_J = touch->by.loss_J;
    *force = is_a ? vec3_sub(*force, contact->force_N) : vec3_add(*force, contact->force_N);
    *torque = vec3_add(*torque, is_a ? contact->torque_a_N_m : contact->torque_b_N_m);
}

/// Evaluate all contacts at the end of the step, and store them.
FN_ONCE void corners_end(const SceneView *view, Corners *corners) {
    BodyState at = corners->at; // a local copy, as in ball_kinematics
    CornerSolid solid = contact_corner_solid(view->bodies[corners->body].flags, at);
    corners->turn_scale = solid.turn_scale;
    Vec3 force = vec3_zero(), torque = vec3_zero();
    real spin = vec3_length(solid.spin_rad_per_s);
    CornerPose pose;
    CornerMotion motion;
    corners_pose(&solid, &pose, &motion);
#if SIDE_BY_SIDE > 1
    WIDE_NAME(CornerPose) poses;
    WIDE_NAME(CornerMotion) motions;
    WIDE_NAME(CornerEnd) ends;
    corners_spread(&solid, &poses, &motions);
#endif
    for (u32 k = 0; k < corners->count; k++) {
        const CornerTouch *touch = &corners->touches[k];
        CornerEnd end;
#if SIDE_BY_SIDE > 1
        if (corners->is_in_lanes) {
            if (k % SIDE_BY_SIDE == 0)
                corners_lanes_end(&corners->lane_sets[k / SIDE_BY_SIDE], &poses, &motions, &ends);
            end = corner_get_end(&ends, k % SIDE_BY_SIDE);
        } else
#endif
            corner_step_end(&touch->by, &pose, &motion, &end);
        corner_keep_end(&end, spin, touch->contact);
        corners_hand_over(touch, &force, &torque);
    }
    corners->force_N = force;
    corners->torque_N_m = torque;
}

/// Rates at the present stage, as motion_rate.
FN_SHORT BodyRate corners_rate(const SceneView *view, const Corners *corners) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    Vec3 w = corners->at.spin_rad_per_s;
    Quat q = corners->at.orientation, turning = quat_multiply(q, quat_make(0.0, w.x, w.y, w.z));
    BodyRate rate;
    rate.velocity = corners->at.velocity_m_per_s;
    rate.acceleration = vec3_add_scaled(view->scene->gravity_m_per_s2, corners->force_N, body->inverse_mass);
    rate.turning = quat_make(0.5 * turning.w, 0.5 * turning.x, 0.5 * turning.y, 0.5 * turning.z);
    rate.spin_rate =
        motion_spin_rate(*body, w, quat_turn_by(quat_conjugate(q), corners->turn_scale, corners->torque_N_m));
    return rate;
}

/// All stages of an explicit step of h.
FN_ONCE void corners_try(const SceneView *view, Corners *corners, real h) {
    GLOBAL BodyWork *work = &view->works[corners->body];
    BodyRate last = work->rates[0];
    BodyState start = corners->start;
    for (u32 stage = 1; stage < STAGES - 1; stage++) {
        corners->at = motion_move(start, motion_blend_last(work->rates, TSIT5[stage], stage, last), h);
        corners->turn_scale = quat_turn_scale(corners->at.orientation);
        corners_evaluate(corners, corners->turn_scale, h * TSIT5[STAGES - 1][stage]);
        last = corners_rate(view, corners);
        work->rates[stage] = last;
    }
    corners->at = motion_move(start, motion_blend_last(work->rates, TSIT5[STAGES - 1], STAGES - 1, last), h);
    corners->at.orientation = quat_normalize(corners->at.orientation);
    corners_store_lanes(corners);
    corners_end(view, corners);
    work->rates[STAGES - 1] = corners_rate(view, corners);
    work->trial = corners->at;
}

#endif
