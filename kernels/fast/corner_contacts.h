// Steps of a solid whose contacts are all corners of it on planes that do not move at all: a box, a capsule or a hull
// on the ground, perhaps against a wall. What all corners need is computed once a stage; states are in private memory
// from stage to stage. Explicit steps have the bits of substep.h; implicit ones: corner_contacts_implicit.h.
#ifndef CLACK_FAST_CORNER_CONTACTS_H
#define CLACK_FAST_CORNER_CONTACTS_H

#include "geometry/narrow_phase.h"
#include "geometry/shape.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/law_damping.h"
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
    MotionBody mass;
    BodyState start;
    GLOBAL BodyRate *rates;
    CornerSolid solid; // at the present stage,
    CornerSum sum;     // and what all contacts do to it
    CornerTouch touches[CORNERS_MAX];
#if SIDE_BY_SIDE > 1
    u32 is_in_lanes; // 1: the corners are evaluated side by side
    WIDE_NAME(CornerContact) lane_sets[CORNER_LANE_SETS];
#endif
} Corners;

FN_SHORT u32 corners_is_a(GLOBAL const Contact *contact) { return contact->corner.whose == CORNER_OF_A ? 1u : 0u; }

/// The constants of a contact over a step. weight: of the force at the start in the impulse of the step, s.
FN CornerContact corners_contact(const SceneView *view, GLOBAL const Contact *contact, real weight) {
    u32 is_a = corners_is_a(contact), plane = is_a ? contact->pair.shape_b : contact->pair.shape_a;
    CornerContact by;
    by.corner_m = contact->corner.place_m;
    by.ball_m = shape_ball_radius(&view->shapes[is_a ? contact->pair.shape_a : contact->pair.shape_b]);
    by.plane_m = view->states[is_a ? contact->pair.body_b : contact->pair.body_a].position_m;
    by.arm_m = view->placed[plane].arm_m;
    by.up = narrow_axis_z(COPY(view->placed[plane].turn));
    by.law = law_numbers(COPY(contact->law), COPY(view->laws[contact->pair.law]), 0);
    by.is_a = is_a ? 1.0 : 0.0;
    by.impulse_N_s = vec3_scale(contact->start.force_N, is_a ? 0.0 - weight : weight);
    by.loss_J = contact->start.loss_W * weight;
    return by;
}

#if SIDE_BY_SIDE > 1
/// Put the contacts into lanes; unused lanes have no force.
FN void corners_load_lanes(Corners *corners) {
    WIDE_NAME(CornerContact) nothing = ALL_ZERO;
    for (u32 k = 0; k < corners->count; k++) {
        if (k % SIDE_BY_SIDE == 0) corners->lane_sets[k / SIDE_BY_SIDE] = nothing;
        WIDE_PUT(&corners->lane_sets[k / SIDE_BY_SIDE], k % SIDE_BY_SIDE, &corners->touches[k].by);
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
/// The same vector or quaternion in all lanes.
FN_SHORT Vec3 corners_vec3_for_all(real x, real y, real z) { return vec3_make(lane_of(x), lane_of(y), lane_of(z)); }
FN_SHORT Quat corners_quat_for_all(real w, real x, real y, real z) {
    return quat_make(lane_of(w), lane_of(x), lane_of(y), lane_of(z));
}
#undef LANE_WIDTH

/// The solid, in all lanes; but for its spin in principal axes, which corners do not use.
FN_SHORT void corners_spread(const CornerSolid *solid, WIDE_NAME(CornerSolid) * to) {
    Vec3 at = solid->at.position_m, v = solid->at.velocity_m_per_s, w = solid->spin_rad_per_s;
    Quat q = solid->at.orientation;
    to->at.position_m = corners_vec3_for_all(at.x, at.y, at.z);
    to->at.orientation = corners_quat_for_all(q.w, q.x, q.y, q.z);
    to->at.velocity_m_per_s = corners_vec3_for_all(v.x, v.y, v.z);
    to->turn_scale = WIDE_NAME(lane_of)(solid->turn_scale);
    to->spin_rad_per_s = corners_vec3_for_all(w.x, w.y, w.z);
}
#else
FN void corners_store_lanes(Corners *corners) { (void)corners; }
#endif

/// Load the `at`-th active contact and all others of the same body, which come after it. weight: of the
/// forces at the start in the impulse of the step, s.
FN void corners_load(const SceneView *view, u32 at, real weight, Corners *corners) {
    GLOBAL const Contact *first = &view->contacts[view->active_contacts[at]];
    corners->body = corners_is_a(first) ? first->pair.body_a : first->pair.body_b;
    corners->start = view->states[corners->body];
    corners->mass = motion_body(&view->bodies[corners->body], COPY(view->scene->gravity_m_per_s2));
    corners->rates = view->works[corners->body].step.rates;
    u32 count = 0, contacts = view->works[corners->body].contacts.count;
    for (; at < view->slot->active_count && count < u32_min(contacts, CORNERS_MAX); at++) {
        GLOBAL Contact *contact = &view->contacts[view->active_contacts[at]];
        u32 body = corners_is_a(contact) ? contact->pair.body_a : contact->pair.body_b;
        if (contact->corner.order == FAST_CORNER_NOT || body != corners->body) continue;
        corners->touches[count].contact = contact;
        corners->touches[count++].by = corners_contact(view, contact, weight);
    }
    corners->count = count;
#if SIDE_BY_SIDE > 1
    corners->is_in_lanes = count > 1 ? 1u : 0u;
    if (corners->is_in_lanes) corners_load_lanes(corners);
#endif
}

/// Evaluate all contacts at the present stage, with its part of impulse and loss.
FN_SHORT void corners_evaluate(Corners *corners, real weight) {
    const CornerSolid *solid = &corners->solid;
    CornerSum sum = corner_step_nothing(), wrench;
    u32 k = 0;
#if SIDE_BY_SIDE > 1
    if (corners->is_in_lanes) {
        WIDE_NAME(CornerSolid) solids;
        WIDE_NAME(CornerSum) wrenches;
        WIDE_NAME(Lane) weights = WIDE_NAME(lane_of)(weight);
        corners_spread(solid, &solids);
        for (; k < corners->count; k++) {
            if (k % SIDE_BY_SIDE == 0)
                WIDE_NAME(corner_step_stage)(&corners->lane_sets[k / SIDE_BY_SIDE], &solids, weights, &wrenches);
            wrench.force_N = wide_get(&wrenches.force_N, k % SIDE_BY_SIDE);
            wrench.torque_N_m = wide_get(&wrenches.torque_N_m, k % SIDE_BY_SIDE);
            sum = corner_step_add(sum, 1, &wrench);
        }
    }
#endif
    for (; k < corners->count; k++) {
        corner_step_stage(&corners->touches[k].by, solid, weight, &wrench);
        sum = corner_step_add(sum, 1, &wrench);
    }
    corners->sum = sum;
}

/// Evaluate all contacts at the end of the step, and store them.
FN_ONCE void corners_end(Corners *corners) {
    const CornerSolid *solid = &corners->solid;
    real spin = vec3_length(solid->spin_rad_per_s);
    CornerSum sum = corner_step_nothing();
#if SIDE_BY_SIDE > 1
    WIDE_NAME(CornerSolid) solids;
    WIDE_NAME(CornerEnd) ends;
    corners_spread(solid, &solids);
#endif
    for (u32 k = 0; k < corners->count; k++) {
        const CornerTouch *touch = &corners->touches[k];
        CornerEnd end;
#if SIDE_BY_SIDE > 1
        if (corners->is_in_lanes) {
            if (k % SIDE_BY_SIDE == 0)
                WIDE_NAME(corner_step_end)(&corners->lane_sets[k / SIDE_BY_SIDE], &solids, &ends);
            end = corner_get_end(&ends, k % SIDE_BY_SIDE);
        } else
#endif
            corner_step_end(&touch->by, solid, &end);
        corner_keep_end(&end, spin, touch->contact);
        sum = corner_step_add_end(sum, 1, touch->by.is_a > 0.5, &end);
    }
    corners->sum = sum;
}

/// Store the end of a step of the solid, and impulse and loss of its contacts over it.
FN_STAGE void corners_hand_over(const SceneView *view, const Corners *corners) {
    for (u32 k = 0; k < corners->count; k++) {
        const CornerContact *by = &corners->touches[k].by;
        corner_keep_transfer(corners->touches[k].contact, COPY(by->impulse_N_s), by->loss_J);
    }
    view->works[corners->body].step.trial = corners->solid.at;
}

#define LANE_WIDTH 1
#include "fast/corner_stages.h"
#undef LANE_WIDTH

#endif
