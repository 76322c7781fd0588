// Steps of a solid whose contacts are all corners of it on planes that do not move at all: a box, a capsule or a hull
// on the ground, perhaps against a wall. What its corners share is done once in a stage, states stay in private memory
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

// One of its contacts in a trial step, as what the plane does to the solid.
typedef struct CornerTouch {
    GLOBAL Contact *contact;
    GLOBAL const ContactLaw *law;
    LawConstants constants;
    Vec3 corner_m; // from the centre of mass in the principal frame
    real ball_m;
    Vec3 plane_m, arm_m, up; // where the plane's body is, a point of the plane from there, and its normal
    Vec3 impulse_N_s;        // in the step
    real loss_J;
} CornerTouch;

typedef struct Corners {
    u32 body, count;
    CornerTouch touches[CORNERS_MAX];
    BodyState start, at;      // at the start and at the present stage,
    real turn_scale;          // of quat_turn_by there,
    Vec3 force_N, torque_N_m; // and what all contacts do
#if WIDE
    u32 is_packed;                  // 1: they are evaluated side by side
    u32 rolls;                      // has any of them resistance against rolling?
    CornerPack packs[CORNER_PACKS]; // where there are several
#endif
} Corners;

FN_SHORT u32 corners_is_a(GLOBAL const Contact *contact) { return contact->corner == CORNER_OF_A ? 1u : 0u; }

#if WIDE

/// Several contacts side by side.
FN void corners_pack(Corners *corners) {
    corners->rolls = 0;
    for (u32 k = 0; k < corners->count; k++) {
        const CornerTouch *touch = &corners->touches[k];
        CornerPack *pack = &corners->packs[k / CORNER_LANES];
        u32 lane = k % CORNER_LANES;
        if (lane == 0 && corners->count - k < CORNER_LANES) corner_pack_clear(pack);
        corner_put(pack->corner_m, lane, touch->corner_m);
        corner_put(pack->plane_m, lane, touch->plane_m);
        corner_put(pack->arm_m, lane, touch->arm_m);
        corner_put(pack->up, lane, touch->up);
        pack->ball_m[lane] = touch->ball_m;
        pack->stiffness[lane] = touch->constants.stiffness;
        pack->damping_s_per_m[lane] = touch->constants.damping_s_per_m;
        pack->linear_m_per_s[lane] = touch->constants.linear_m_per_s;
        pack->fastest_m_per_s[lane] = 0.0;
        pack->friction[lane] = touch->law->friction;
        pack->speed_small_m_per_s[lane] = touch->law->speed_small_m_per_s;
        pack->third_speed_m_per_s[lane] = touch->law->speed_small_m_per_s / 3.0;
        pack->rolling_m[lane] = touch->law->rolling * touch->constants.radius_m;
        pack->spin_small_rad_per_s[lane] = touch->law->spin_small_rad_per_s;
        if (touch->law->rolling > 0.0) corners->rolls = 1;
        corner_put(pack->impulse_N_s, lane, touch->impulse_N_s);
        pack->loss_J[lane] = touch->loss_J;
        pack->h[lane] = 1.0; // shares are told as times
        pack->is_a[lane] = corners_is_a(touch->contact) ? 1.0 : 0.0;
    }
}

/// All stages are through: what the contacts have handed over in them.
FN void corners_unpack(Corners *corners) {
    for (u32 k = 0; k < corners->count && corners->is_packed; k++) {
        CornerPack *pack = &corners->packs[k / CORNER_LANES];
        corners->touches[k].impulse_N_s = corner_get(pack->impulse_N_s, k % CORNER_LANES);
        corners->touches[k].loss_J = pack->loss_J[k % CORNER_LANES];
    }
}

/// Has any of them closed faster in the step than damping is for there?
FN u32 corners_are_struck(const Corners *corners) {
    u32 struck = 0;
    for (u32 k = 0; k < corners->count && corners->is_packed; k++)
        struck |= corner_pack_is_struck(&corners->packs[k / CORNER_LANES], k % CORNER_LANES);
    return struck;
}

#else
FN void corners_unpack(Corners *corners) { (void)corners; }
FN u32 corners_are_struck(const Corners *corners) {
    (void)corners;
    return 0;
}
#endif

/// The `at`-th of the contacts that are awake and all others of the same body, which come after it. weight: of the
/// forces at the start in what the step hands over. side_by_side: may they be evaluated so?
FN void corners_load(const SceneView *view, u32 at, real weight, u32 side_by_side, Corners *corners) {
    GLOBAL const Contact *first = &view->contacts[view->awake[at]];
    corners->body = corners_is_a(first) ? first->body_a : first->body_b;
    corners->start = view->states[corners->body];
    u32 count = 0, contacts = view->works[corners->body].contacts;
    for (; at < view->slot->awake_count && count < u32_min(contacts, CORNERS_MAX); at++) {
        GLOBAL Contact *contact = &view->contacts[view->awake[at]];
        u32 is_a = corners_is_a(contact), plane = is_a ? contact->shape_b : contact->shape_a;
        if (contact->cornered == CORNERED_NOT || (is_a ? contact->body_a : contact->body_b) != corners->body) continue;
        CornerTouch *touch = &corners->touches[count++];
        touch->contact = contact;
        touch->law = &view->laws[contact->law];
        touch->constants = contact_constants(contact);
        touch->corner_m = contact->corner_m;
        touch->ball_m = shape_ball_radius(&view->shapes[is_a ? contact->shape_a : contact->shape_b]);
        touch->plane_m = view->states[is_a ? contact->body_b : contact->body_a].position_m;
        touch->arm_m = view->placed[plane].arm_m;
        touch->up = narrow_axis_z(view->placed[plane].turn);
        touch->impulse_N_s = vec3_scale(contact->start_force_N, is_a ? 0.0 - weight : weight);
        touch->loss_J = contact->start_loss_W * weight;
    }
    corners->count = count;
    (void)side_by_side;
#if WIDE
    corners->is_packed = side_by_side && count > 1 ? 1u : 0u;
    if (corners->is_packed) corners_pack(corners);
#endif
}

/// All contacts at the present stage, and what they hand over there: contact_meet_standing and law_force with the solid
/// as B, which differs in signs alone. turn_scale: of quat_turn_by there.
FN_SHORT void corners_evaluate(Corners *corners, real turn_scale, real weight) {
    BodyState at = corners->at;
    CornerSolid solid;
    solid.position_m = at.position_m;
    solid.velocity_m_per_s = at.velocity_m_per_s;
    solid.spin_rad_per_s = quat_rotate(at.orientation, at.spin_rad_per_s);
    solid.orientation = at.orientation;
    solid.turn_scale = turn_scale;
    Vec3 force = vec3_zero(), torque = vec3_zero();
#if WIDE
    CornerPoses poses;
    CornerMotions motions;
    if (corners->is_packed)
        corner_spread(&poses, &motions, &solid, corners->rolls ? vec3_length(solid.spin_rad_per_s) : 0.0);
    for (u32 first = 0; first < corners->count && corners->is_packed; first += CORNER_LANES)
        corner_pack_evaluate(&corners->packs[first / CORNER_LANES], &poses, &motions,
                             u32_min(corners->count - first, CORNER_LANES), corners->rolls, weight, &force, &torque);
    u32 side_by_side = corners->is_packed ? corners->count : 0u;
#else
    u32 side_by_side = 0;
#endif
    for (u32 k = side_by_side; k < corners->count; k++) {
        CornerTouch *touch = &corners->touches[k];
        ContactLaw law = *touch->law;
        law.shear = 0.0; // none has springs
        Vec3 corner = touch->corner_m;
        corner = quat_turn_by(solid.orientation, solid.turn_scale, corner);
        Vec3 offset = vec3_add(vec3_sub(vec3_sub(touch->plane_m, solid.position_m), corner), touch->arm_m);
        real height = 0.0 - vec3_dot(offset, touch->up);
        Vec3 lever = vec3_sub(corner, vec3_scale(touch->up, 0.5 * (touch->ball_m + height)));
        Vec3 velocity = vec3_add(solid.velocity_m_per_s, vec3_cross(solid.spin_rad_per_s, lever));
        LawConstants constants = touch->constants;
        Law numbers = law_of(constants, law, 0);
        LawForce by = law_force(&numbers, touch->ball_m - height, touch->up, velocity, solid.spin_rad_per_s);
        force = vec3_add(force, by.force_N);
        torque = vec3_add(torque, vec3_add(vec3_cross(lever, by.force_N), by.torque_N_m));
        touch->impulse_N_s = vec3_add_scaled(touch->impulse_N_s, by.force_N, weight);
        touch->loss_J = real_fma(by.loss_W, weight, touch->loss_J);
    }
    corners->force_N = force;
    corners->torque_N_m = torque;
}

/// Where a contact is at the end of the step, and what it does there.
FN_STAGE void corners_meet(const SceneView *view, const CornerTouch *touch, const CornerSolid *solid,
                           PairKinematics *kinematics) {
    GLOBAL const Contact *contact = touch->contact;
    u32 is_a = corners_is_a(contact);
    PlacedShape plane = view->placed[is_a ? contact->shape_b : contact->shape_a];
    *kinematics = contact_meet_standing(contact, is_a, touch->ball_m, *solid, plane, touch->plane_m);
}
FN_STAGE void corners_keep(const CornerTouch *touch, const PairKinematics *kinematics) {
    LawForce force = contact_force_standing(touch->contact, *touch->law, *kinematics);
    contact_keep_from(touch->contact, kinematics, &force);
}

/// What it has handed over in the step, and its share of the sums on the solid.
FN_STAGE void corners_hand_over(const CornerTouch *touch, Vec3 *force, Vec3 *torque) {
    GLOBAL Contact *contact = touch->contact;
    u32 is_a = corners_is_a(contact);
    contact->step_impulse_N_s = is_a ? vec3_negate(touch->impulse_N_s) : touch->impulse_N_s;
    contact->step_loss_J = touch->loss_J;
    *force = is_a ? vec3_sub(*force, contact->force_N) : vec3_add(*force, contact->force_N);
    *torque = vec3_add(*torque, is_a ? contact->torque_a_N_m : contact->torque_b_N_m);
}

/// All contacts at the end of the step, where they are kept.
FN_ONCE void corners_end(const SceneView *view, Corners *corners) {
    BodyState at = corners->at; // as in ball_meet
    CornerSolid solid = contact_corner_solid(view->bodies[corners->body].flags, at);
    corners->turn_scale = solid.turn_scale;
    Vec3 force = vec3_zero(), torque = vec3_zero();
#if WIDE
    real spin = vec3_length(solid.spin_rad_per_s);
    CornerPoses poses;
    CornerMotions motions;
    if (corners->is_packed) corner_spread(&poses, &motions, &solid, corners->rolls ? spin : 0.0);
    for (u32 first = 0; first < corners->count && corners->is_packed; first += CORNER_LANES)
        corner_pack_end(&corners->packs[first / CORNER_LANES], &poses, &motions, corners->rolls);
#endif
    for (u32 k = 0; k < corners->count; k++) {
        const CornerTouch *touch = &corners->touches[k];
#if WIDE
        if (corners->is_packed) {
            corner_pack_keep(&corners->packs[k / CORNER_LANES], k % CORNER_LANES, spin, touch->contact);
        } else
#endif
        {
            PairKinematics kinematics;
            corners_meet(view, touch, &solid, &kinematics);
            corners_keep(touch, &kinematics);
        }
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

/// motion_blend, of rates the last of which is still in private memory: a processor would wait for it to be read as a
/// vector.
FN_SHORT BodyRate corners_blend(GLOBAL const BodyRate *rates, CONSTANT_POINTER const real *row, u32 count,
                                BodyRate last) {
    real weight = row[count - 1u];
    BodyRate sum;
    if (count == 1u) {
        sum.velocity = vec3_scale(last.velocity, weight);
        sum.acceleration = vec3_scale(last.acceleration, weight);
        sum.spin_rate = vec3_scale(last.spin_rate, weight);
        Quat turning = last.turning;
        sum.turning = quat_make(turning.w * weight, turning.x * weight, turning.y * weight, turning.z * weight);
        return sum;
    }
    sum = motion_blend(rates, row, count - 1u);
    sum.velocity = vec3_add_scaled(sum.velocity, last.velocity, weight);
    sum.acceleration = vec3_add_scaled(sum.acceleration, last.acceleration, weight);
    sum.spin_rate = vec3_add_scaled(sum.spin_rate, last.spin_rate, weight);
    sum.turning =
        quat_make(real_fma(last.turning.w, weight, sum.turning.w), real_fma(last.turning.x, weight, sum.turning.x),
                  real_fma(last.turning.y, weight, sum.turning.y), real_fma(last.turning.z, weight, sum.turning.z));
    return sum;
}

/// All stages of an explicit step of h.
FN_ONCE void corners_try(const SceneView *view, Corners *corners, real h) {
    GLOBAL BodyWork *work = &view->works[corners->body];
    BodyRate last = work->rates[0];
    BodyState start = corners->start;
    for (u32 stage = 1; stage < STAGES - 1; stage++) {
        corners->at = motion_move(start, corners_blend(work->rates, TSIT5[stage], stage, last), h);
        corners->turn_scale = quat_turn_scale(corners->at.orientation);
        corners_evaluate(corners, corners->turn_scale, h * TSIT5[STAGES - 1][stage]);
        last = corners_rate(view, corners);
        work->rates[stage] = last;
    }
    corners->at = motion_move(start, corners_blend(work->rates, TSIT5[STAGES - 1], STAGES - 1, last), h);
    corners->at.orientation = quat_normalize(corners->at.orientation);
    corners_unpack(corners);
    corners_end(view, corners);
    work->rates[STAGES - 1] = corners_rate(view, corners);
    work->trial = corners->at;
}

#endif
