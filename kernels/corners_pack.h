// The corners of a solid on planes that do not move, evaluated side by side: an evaluation is a chain of latencies, and four
// corners take hardly longer than one. Bit for bit what corners_evaluate (corners.h) does of each; written as pack_stage.h is.
#ifndef CLACK_CORNERS_PACK_H
#define CLACK_CORNERS_PACK_H

#include "contacts.h"

#if WIDE

#define CORNER_LANES 4u
#define CORNER_PACKS (CORNERS_MAX / CORNER_LANES)
typedef real CornerNumber[CORNER_LANES]; // one of each corner

typedef struct CornerPack {
    // Of a step:
    CornerNumber corner_m[3], plane_m[3], arm_m[3], up[3];
    CornerNumber ball_m, stiffness, damping_s_per_m, friction, speed_small_m_per_s;
    CornerNumber rolling_m, spin_small_rad_per_s; // rolling resistance: its coefficient times the radius
    CornerNumber impulse_N_s[3], loss_J;
    CornerNumber is_a; // 1: the solid is A of the contact; 0: B
    // Of an evaluation:
    CornerNumber lever_m[3], sliding_m_per_s[3], slip_m_per_s, normal_N, loss_W;
    CornerNumber drag, resistance; // force over slip, torque over spin
    CornerNumber force_N[3], torque_N_m[3];
    // At the end of a step, as the contact has it:
    CornerNumber normal[3], lever_plane_m[3], torque_a_N_m[3];
    CornerNumber gap_m, error_m, rate_m_per_s;
} CornerPack;

#define CORNER_EACH(k) PACK_LOOP for (size_t k = 0; k < CORNER_LANES; k++)
#define CORNER_MAX(a, b) ((a) > (b) ? (a) : (b)) // a call would keep compilers from making vectors

FN_SHORT Vec3 corner_get(CornerNumber *from, size_t k) { return vec3_make(from[0][k], from[1][k], from[2][k]); }

FN_SHORT void corner_put(CornerNumber *to, size_t k, Vec3 v) {
    to[0][k] = v.x;
    to[1][k] = v.y;
    to[2][k] = v.z;
}

/// Nobody in it. What is evaluated beside others does no harm then.
VECTOR_LOOPS_FN void corner_pack_clear(CornerPack *pack) {
    Vec3 none = vec3_zero();
    CORNER_EACH(k) {
        corner_put(pack->corner_m, k, none);
        corner_put(pack->plane_m, k, none);
        corner_put(pack->arm_m, k, none);
        corner_put(pack->up, k, none);
        corner_put(pack->impulse_N_s, k, none);
        pack->ball_m[k] = pack->stiffness[k] = pack->damping_s_per_m[k] = pack->friction[k] = pack->speed_small_m_per_s[k] = 0.0;
        pack->rolling_m[k] = pack->spin_small_rad_per_s[k] = pack->resistance[k] = pack->loss_J[k] = pack->is_a[k] = 0.0;
    }
}

/// Where corners meet their planes, and what of the forces is along the normals: up to there law_force.
VECTOR_LOOPS_FN void corner_pack_meet(CornerPack *pack, const CornerSolid *solid) {
    Vec3 position = solid->position_m, moving = solid->velocity_m_per_s, spin = solid->spin_rad_per_s;
    Quat q = solid->orientation;
    real turn_scale = solid->turn_scale;
    CORNER_EACH(k) {
        Vec3 up = corner_get(pack->up, k);
        Vec3 corner = quat_turn_by(q, turn_scale, corner_get(pack->corner_m, k));
        Vec3 offset = vec3_add(vec3_sub(vec3_sub(corner_get(pack->plane_m, k), position), corner), corner_get(pack->arm_m, k));
        real ball = pack->ball_m[k], height = 0.0 - vec3_dot(offset, up), penetration = ball - height;
        Vec3 lever = vec3_sub(corner, vec3_scale(up, 0.5 * (ball + height)));
        Vec3 v = vec3_add(moving, vec3_cross(spin, lever));
        real along = vec3_dot(v, up), damping = pack->damping_s_per_m[k];
        Vec3 sliding = vec3_add_scaled(v, up, -along);
        real depth = CORNER_MAX(penetration, 0.0), elastic = pack->stiffness[k] * depth * real_sqrt(real_abs(depth));
        real force = elastic * (1.0 - damping * along);
        pack->loss_W[k] = force < 0.0 ? elastic * along : elastic * damping * along * along;
        pack->normal_N[k] = force < 0.0 ? 0.0 : force;
        pack->slip_m_per_s[k] = real_sqrt(vec3_dot(sliding, sliding));
        corner_put(pack->lever_m, k, lever);
        corner_put(pack->sliding_m_per_s, k, sliding);
    }
}

/// law_regularised
FN_SHORT real corner_regularised(real x, real small) {
    real below = x * x / small * (1.0 - x / (3.0 * small)) + small / 3.0;
    return x >= small ? x : below;
}

/// Friction of corners that all slip fast, and of others.
VECTOR_LOOPS_FN void corner_pack_slide(CornerPack *pack) {
    CORNER_EACH(k) pack->drag[k] = pack->friction[k] * pack->normal_N[k] / pack->slip_m_per_s[k];
}

VECTOR_LOOPS_FN void corner_pack_rub(CornerPack *pack) {
    CORNER_EACH(k) {
        real slip = pack->slip_m_per_s[k];
        real drag = pack->friction[k] * pack->normal_N[k] / corner_regularised(slip, pack->speed_small_m_per_s[k]);
        pack->drag[k] = slip > 0.0 ? drag : 0.0;
    }
}

/// Resistance against rolling.
VECTOR_LOOPS_FN void corner_pack_roll(CornerPack *pack, real spin) {
    CORNER_EACH(k) {
        real resistance = pack->rolling_m[k] * pack->normal_N[k] / corner_regularised(spin, pack->spin_small_rad_per_s[k]);
        pack->resistance[k] = pack->rolling_m[k] > 0.0 && spin > 0.0 ? resistance : 0.0;
    }
}

/// Forces, torques, and what a stage of that weight hands over. spin: of the solid.
VECTOR_LOOPS_FN void corner_pack_push(CornerPack *pack, Vec3 spin, real turning, real weight) {
    CORNER_EACH(k) {
        Vec3 up = corner_get(pack->up, k), sliding = corner_get(pack->sliding_m_per_s, k), lever = corner_get(pack->lever_m, k);
        real drag = pack->drag[k], resistance = pack->resistance[k], slip = pack->slip_m_per_s[k];
        Vec3 force = vec3_add_scaled(vec3_scale(up, pack->normal_N[k]), sliding, -drag);
        Vec3 torque = vec3_add(vec3_cross(lever, force), vec3_scale(spin, -resistance));
        real loss = pack->loss_W[k] + (drag * slip * slip + resistance * turning * turning);
        corner_put(pack->force_N, k, force);
        corner_put(pack->torque_N_m, k, torque);
        corner_put(pack->impulse_N_s, k, vec3_add_scaled(corner_get(pack->impulse_N_s, k), force, weight));
        pack->loss_J[k] = real_fma(loss, weight, pack->loss_J[k]);
    }
}

/// Is some of `count` corners slow, so that its friction is regularised?
FN_SHORT u32 corner_pack_is_slow(CornerPack *pack, u32 count) {
    u32 slow = 0;
    for (u32 k = 0; k < count; k++) {
        real slip = pack->slip_m_per_s[k];
        slow |= slip > 0.0 && slip >= pack->speed_small_m_per_s[k] ? 0u : 1u;
    }
    return slow;
}

/// Friction, and resistance against rolling of a solid that turns so fast; 0: none of them has it.
FN_SHORT void corner_pack_resist(CornerPack *pack, u32 count, u32 rolls, real turning) {
    if (corner_pack_is_slow(pack, count)) corner_pack_rub(pack);
    else corner_pack_slide(pack);
    if (rolls) corner_pack_roll(pack, turning);
}

/// Of `count` corners of a solid: the forces and torques that are added to sums, one after the other.
FN_SHORT void corner_pack_evaluate(CornerPack *pack, const CornerSolid *solid, u32 count, u32 rolls, real weight, Vec3 *force,
                                   Vec3 *torque) {
    real turning = rolls ? vec3_length(solid->spin_rad_per_s) : 0.0;
    corner_pack_meet(pack, solid);
    corner_pack_resist(pack, count, rolls, turning);
    corner_pack_push(pack, solid->spin_rad_per_s, turning, weight);
    for (u32 k = 0; k < count; k++) {
        *force = vec3_add(*force, corner_get(pack->force_N, k));
        *torque = vec3_add(*torque, corner_get(pack->torque_N_m, k));
    }
}

FN_SHORT real corner_max_abs(Vec3 v) {
    real far = CORNER_MAX(real_abs(v.y), real_abs(v.z));
    return CORNER_MAX(real_abs(v.x), far);
}

FN_SHORT Vec3 corner_signed(u32 negative, Vec3 v) {
    return vec3_make(negative ? 0.0 - v.x : v.x, negative ? 0.0 - v.y : v.y, negative ? 0.0 - v.z : v.z);
}

/// At the end of a step: contact_meet_standing, and law_force up to friction.
VECTOR_LOOPS_FN void corner_pack_meet_end(CornerPack *pack, const CornerSolid *solid) {
    Vec3 position = solid->position_m, moving = solid->velocity_m_per_s, spin = solid->spin_rad_per_s;
    Quat q = solid->orientation;
    real turn_scale = solid->turn_scale;
    CORNER_EACH(k) {
        u32 is_a = pack->is_a[k] > 0.5;
        Vec3 up = corner_get(pack->up, k), down = vec3_negate(up);
        Vec3 corner = quat_turn_by(q, turn_scale, corner_get(pack->corner_m, k));
        Vec3 apart = vec3_sub(vec3_sub(corner_get(pack->plane_m, k), position), corner);
        Vec3 offset = vec3_add(apart, corner_get(pack->arm_m, k));
        real ball = pack->ball_m[k], height = 0.0 - vec3_dot(offset, up), gap = height - ball;
        Vec3 below = vec3_scale(down, 0.5 * (ball + height)), lever = vec3_add(corner, below);
        Vec3 normal = corner_signed(is_a ? 0u : 1u, down);
        Vec3 v = corner_signed(is_a, vec3_add(moving, vec3_cross(spin, lever)));
        real along = vec3_dot(v, normal), damping = pack->damping_s_per_m[k];
        Vec3 sliding = vec3_add_scaled(v, normal, -along);
        real depth = CORNER_MAX(-gap, 0.0), elastic = pack->stiffness[k] * depth * real_sqrt(real_abs(depth));
        real force = elastic * (1.0 - damping * along);
        pack->loss_W[k] = force < 0.0 ? elastic * along : elastic * damping * along * along;
        pack->normal_N[k] = force < 0.0 ? 0.0 : force;
        pack->slip_m_per_s[k] = real_sqrt(vec3_dot(sliding, sliding));
        pack->gap_m[k] = gap;
        pack->rate_m_per_s[k] = along;
        real error = NARROW_ROUNDING * (corner_max_abs(offset) + ball);
        pack->error_m[k] = error + NARROW_ROUNDING * corner_max_abs(corner);
        corner_put(pack->normal, k, normal);
        corner_put(pack->lever_m, k, lever);
        corner_put(pack->lever_plane_m, k, vec3_sub(below, apart));
        corner_put(pack->sliding_m_per_s, k, sliding);
    }
}

/// The rest of it: contact_keep.
VECTOR_LOOPS_FN void corner_pack_push_end(CornerPack *pack, Vec3 spin, real turning) {
    CORNER_EACH(k) {
        u32 is_a = pack->is_a[k] > 0.5;
        Vec3 normal = corner_get(pack->normal, k), sliding = corner_get(pack->sliding_m_per_s, k);
        Vec3 lever = corner_get(pack->lever_m, k), plane = corner_get(pack->lever_plane_m, k);
        real drag = pack->drag[k], resistance = pack->resistance[k], slip = pack->slip_m_per_s[k];
        Vec3 force = vec3_add_scaled(vec3_scale(normal, pack->normal_N[k]), sliding, -drag);
        Vec3 rolling = vec3_scale(corner_signed(is_a, spin), -resistance);
        Vec3 of_solid = vec3_add(vec3_cross(lever, force), rolling), of_plane = vec3_add(vec3_cross(plane, force), rolling);
        Vec3 b = vec3_make(is_a ? of_plane.x : of_solid.x, is_a ? of_plane.y : of_solid.y, is_a ? of_plane.z : of_solid.z);
        Vec3 a = vec3_make(is_a ? of_solid.x : of_plane.x, is_a ? of_solid.y : of_plane.y, is_a ? of_solid.z : of_plane.z);
        pack->loss_W[k] = pack->loss_W[k] + (drag * slip * slip + resistance * turning * turning);
        corner_put(pack->force_N, k, force);
        corner_put(pack->torque_N_m, k, b);
        corner_put(pack->torque_a_N_m, k, vec3_negate(a));
    }
}

/// Of `count` corners at the end of a step.
FN_SHORT void corner_pack_end(CornerPack *pack, const CornerSolid *solid, u32 count, u32 rolls) {
    real turning = rolls ? vec3_length(solid->spin_rad_per_s) : 0.0;
    corner_pack_meet_end(pack, solid);
    corner_pack_resist(pack, count, rolls, turning);
    corner_pack_push_end(pack, solid->spin_rad_per_s, turning);
}

/// What a contact keeps of it.
FN_SHORT void corner_pack_keep(CornerPack *pack, u32 k, real spin_rad_per_s, GLOBAL Contact *contact) {
    contact->force_N = corner_get(pack->force_N, k);
    contact->torque_a_N_m = corner_get(pack->torque_a_N_m, k);
    contact->torque_b_N_m = corner_get(pack->torque_N_m, k);
    contact->gap_m = pack->gap_m[k];
    contact->error_m = pack->error_m[k];
    contact->narrow_status = NARROW_OK;
    contact->rate_m_per_s = pack->rate_m_per_s[k];
    contact->closing_m_per_s = -pack->rate_m_per_s[k];
    contact->slip_m_per_s = pack->slip_m_per_s[k];
    contact->spin_rad_per_s = spin_rad_per_s;
    contact->normal_N = pack->normal_N[k];
    contact->loss_W = pack->loss_W[k];
    contact->normal = corner_get(pack->normal, k);
    contact->lever_b_m = corner_get(pack->is_a[k] > 0.5 ? pack->lever_plane_m : pack->lever_m, k);
}

#endif // PACK > 1

#endif
