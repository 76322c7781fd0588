// Corners of solids on planes that do not move, evaluated side by side: those of one solid, or one of each of several
// scenes (corners_scenes.h). An evaluation is a chain of latencies, and four corners take hardly longer than one. Bit
// for bit what corners_evaluate (corner_contacts.h) does of each; written as pack_stage.h is.
#ifndef CLACK_FAST_CORNER_LANES_H
#define CLACK_FAST_CORNER_LANES_H

#include "law/contact_force.h"

#if WIDE

#define CORNER_LANES PACK
#define CORNER_PACKS (CORNERS_MAX / CORNER_LANES)
typedef real CornerNumber[CORNER_LANES] VECTOR_ALIGNED; // one of each corner

// The pose of the solid of each corner.
typedef struct CornerPoses {
    CornerNumber position_m[3], orientation[4]; // w, x, y, z
    CornerNumber turn_scale;                    // of quat_turn_by
} CornerPoses;

// How it moves.
typedef struct CornerMotions {
    CornerNumber velocity_m_per_s[3], own_spin_rad_per_s[3];
    CornerNumber spin_rad_per_s[3]; // in world axes
    CornerNumber turning_rad_per_s; // how fast it turns, where anybody asks
} CornerMotions;

typedef struct CornerPack {
    // Of a step:
    CornerNumber corner_m[3], plane_m[3], arm_m[3], up[3];
    CornerNumber ball_m, stiffness, damping_s_per_m, friction, speed_small_m_per_s, third_speed_m_per_s;
    CornerNumber linear_m_per_s, fastest_m_per_s; // as in SoloPack
    CornerNumber rolling_m, spin_small_rad_per_s; // rolling resistance: its coefficient times the radius
    CornerNumber h, impulse_N_s[3], loss_J;       // its length, and what it hands over
    CornerNumber is_a;                            // 1: the solid is A of the contact; 0: B
    // Of a stage:
    CornerNumber lever_m[3], elastic_N;
    // What comes of it, on the solid:
    CornerNumber force_N[3], torque_N_m[3];
    // At the end of a step, where those are on B, as the contact has it:
    CornerNumber normal[3], lever_b_m[3], torque_a_N_m[3];
    CornerNumber slip_m_per_s, normal_N, loss_W, gap_m, error_m, rate_m_per_s;
} CornerPack;

#define CORNER_EACH(k) PACK_LOOP for (size_t k = 0; k < CORNER_LANES; k++)
#define CORNER_MAX(a, b) ((a) > (b) ? (a) : (b)) // a call would keep compilers from making vectors

FN_SHORT Vec3 corner_get(CornerNumber *from, size_t k) { return vec3_make(from[0][k], from[1][k], from[2][k]); }

FN_SHORT void corner_put(CornerNumber *to, size_t k, Vec3 v) {
    to[0][k] = v.x;
    to[1][k] = v.y;
    to[2][k] = v.z;
}

FN_SHORT Quat corner_turn(CornerPoses *poses, size_t k) {
    return quat_make(poses->orientation[0][k], poses->orientation[1][k], poses->orientation[2][k],
                     poses->orientation[3][k]);
}

/// One solid for all.
VECTOR_LOOPS_FN void corner_spread(CornerPoses *poses, CornerMotions *motions, const CornerSolid *solid, real turning) {
    Vec3 position = solid->position_m, moving = solid->velocity_m_per_s, spin = solid->spin_rad_per_s;
    Quat q = solid->orientation;
    real turn_scale = solid->turn_scale;
    CORNER_EACH(k) {
        corner_put(poses->position_m, k, position);
        corner_put(motions->velocity_m_per_s, k, moving);
        corner_put(motions->spin_rad_per_s, k, spin);
        poses->orientation[0][k] = q.w;
        poses->orientation[1][k] = q.x;
        poses->orientation[2][k] = q.y;
        poses->orientation[3][k] = q.z;
        poses->turn_scale[k] = turn_scale;
        motions->turning_rad_per_s[k] = turning;
    }
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
        pack->ball_m[k] = pack->stiffness[k] = pack->damping_s_per_m[k] = pack->friction[k] =
            pack->speed_small_m_per_s[k] = 0.0;
        pack->third_speed_m_per_s[k] = pack->fastest_m_per_s[k] = 0.0;
        pack->linear_m_per_s[k] = REAL_HUGE;
        pack->rolling_m[k] = pack->spin_small_rad_per_s[k] = pack->h[k] = pack->loss_J[k] = pack->is_a[k] = 0.0;
    }
}

/// law_regularised; third: of the small one.
FN_SHORT real corner_regularised(real x, real small, real third) {
    real below = x * x / small * (1.0 - x / (3.0 * small)) + third;
    return x >= small ? x : below;
}

FN_SHORT Vec3 corner_signed(u32 negative, Vec3 v) {
    return vec3_make(negative ? 0.0 - v.x : v.x, negative ? 0.0 - v.y : v.y, negative ? 0.0 - v.z : v.z);
}

FN_SHORT Vec3 corner_choose(u32 first, Vec3 a, Vec3 b) {
    return vec3_make(first ? a.x : b.x, first ? a.y : b.y, first ? a.z : b.z);
}

FN_SHORT real corner_max_abs(Vec3 v) {
    real far = CORNER_MAX(real_abs(v.y), real_abs(v.z));
    return CORNER_MAX(real_abs(v.x), far);
}

// What law_force tells of a contact.
typedef struct CornerForce {
    Vec3 force_N, rolling_N_m; // on whom the velocities are of
    real normal_N, slip_m_per_s, loss_W;
} CornerForce;

/// The elastic force of the k-th corner at a depth, or less than none.
FN_SHORT real corner_elastic(CornerPack *pack, size_t k, real penetration) {
    real depth = CORNER_MAX(penetration, 0.0);
    return pack->stiffness[k] * depth * real_sqrt(real_abs(depth));
}

/// law_force of the k-th corner along a normal, at a velocity of whom it acts on there. rolls, which is known as this
/// is compiled: has any of them resistance against rolling?
FN_SHORT CornerForce corner_force(CornerPack *pack, size_t k, real elastic, Vec3 normal, Vec3 v, Vec3 spin,
                                  real turning, u32 rolls) {
    CornerForce by;
    real along = vec3_dot(v, normal), damping = pack->damping_s_per_m[k];
    Vec3 sliding = vec3_add_scaled(v, normal, -along);
    pack->fastest_m_per_s[k] = CORNER_MAX(pack->fastest_m_per_s[k], -along);
    real force = elastic * (1.0 - damping * along),
         loss = force < 0.0 ? elastic * along : elastic * damping * along * along;
    real push = force < 0.0 ? 0.0 : force, slip = real_sqrt(vec3_dot(sliding, sliding));
    real rubs = corner_regularised(slip, pack->speed_small_m_per_s[k], pack->third_speed_m_per_s[k]), resistance = 0.0;
    real drag = pack->friction[k] * push / rubs;
    drag = slip > 0.0 ? drag : 0.0;
    if (rolls) {
        real rolling = pack->rolling_m[k], small = pack->spin_small_rad_per_s[k];
        real of_spin = rolling * push / corner_regularised(turning, small, small / 3.0);
        of_spin = turning > 0.0 ? of_spin : 0.0;
        resistance = rolling > 0.0 ? of_spin : 0.0;
    }
    by.normal_N = push;
    by.slip_m_per_s = slip;
    by.force_N = vec3_add_scaled(vec3_scale(normal, push), sliding, -drag);
    by.rolling_N_m = vec3_scale(spin, -resistance);
    by.loss_W = loss + (drag * slip * slip + resistance * turning * turning);
    return by;
}

/// Where the k-th corner is at a stage: its lever, and how hard it is pressed.
FN_SHORT void corner_meet(CornerPack *pack, CornerPoses *poses, size_t k) {
    Vec3 up = corner_get(pack->up, k),
         corner = quat_turn_by(corner_turn(poses, k), poses->turn_scale[k], corner_get(pack->corner_m, k));
    Vec3 apart = vec3_sub(vec3_sub(corner_get(pack->plane_m, k), corner_get(poses->position_m, k)), corner);
    real ball = pack->ball_m[k], height = 0.0 - vec3_dot(vec3_add(apart, corner_get(pack->arm_m, k)), up);
    corner_put(pack->lever_m, k, vec3_sub(corner, vec3_scale(up, 0.5 * (ball + height))));
    pack->elastic_N[k] = corner_elastic(pack, k, ball - height);
}

/// What it does there in a stage that has such a share of the step, to its solid and in all.
FN_SHORT void corner_push(CornerPack *pack, CornerMotions *motions, size_t k, real share, u32 rolls, Vec3 *force,
                          Vec3 *torque) {
    Vec3 spin = corner_get(motions->spin_rad_per_s, k), lever = corner_get(pack->lever_m, k);
    Vec3 v = vec3_add(corner_get(motions->velocity_m_per_s, k), vec3_cross(spin, lever));
    real turning = rolls ? motions->turning_rad_per_s[k] : 0.0, weight = pack->h[k] * share;
    CornerForce by = corner_force(pack, k, pack->elastic_N[k], corner_get(pack->up, k), v, spin, turning, rolls);
    corner_put(pack->impulse_N_s, k, vec3_add_scaled(corner_get(pack->impulse_N_s, k), by.force_N, weight));
    pack->loss_J[k] = real_fma(by.loss_W, weight, pack->loss_J[k]);
    *force = by.force_N;
    *torque = vec3_add(vec3_cross(lever, by.force_N), by.rolling_N_m);
}

/// Both, of all, with their forces and torques.
FN_SHORT void corner_pack_stage_of(CornerPack *pack, CornerPoses *poses, CornerMotions *motions, real share,
                                   u32 rolls) {
    CORNER_EACH(k) {
        Vec3 force, torque;
        corner_meet(pack, poses, k);
        corner_push(pack, motions, k, share, rolls, &force, &torque);
        corner_put(pack->force_N, k, force);
        corner_put(pack->torque_N_m, k, torque);
    }
}
VECTOR_LOOPS_FN void corner_pack_stage(CornerPack *pack, CornerPoses *poses, CornerMotions *motions, real share) {
    corner_pack_stage_of(pack, poses, motions, share, 0);
}
VECTOR_LOOPS_FN void corner_pack_stage_rolling(CornerPack *pack, CornerPoses *poses, CornerMotions *motions,
                                               real share) {
    corner_pack_stage_of(pack, poses, motions, share, 1);
}

/// Of `count` corners of a solid: the forces and torques that are added to sums, one after the other.
FN_SHORT void corner_pack_evaluate(CornerPack *pack, CornerPoses *poses, CornerMotions *motions, u32 count, u32 rolls,
                                   real share, Vec3 *force, Vec3 *torque) {
    if (rolls)
        corner_pack_stage_rolling(pack, poses, motions, share);
    else
        corner_pack_stage(pack, poses, motions, share);
    for (u32 k = 0; k < count; k++) {
        *force = vec3_add(*force, corner_get(pack->force_N, k));
        *torque = vec3_add(*torque, corner_get(pack->torque_N_m, k));
    }
}

/// At the end of a step: contact_meet_standing, law_force, contact_keep.
FN_SHORT void corner_pack_end_of(CornerPack *pack, CornerPoses *poses, CornerMotions *motions, u32 rolls) {
    CORNER_EACH(k) {
        Vec3 position = corner_get(poses->position_m, k), spin = corner_get(motions->spin_rad_per_s, k);
        u32 is_a = pack->is_a[k] > 0.5;
        Vec3 up = corner_get(pack->up, k), down = vec3_negate(up);
        Vec3 corner = quat_turn_by(corner_turn(poses, k), poses->turn_scale[k], corner_get(pack->corner_m, k));
        Vec3 apart = vec3_sub(vec3_sub(corner_get(pack->plane_m, k), position), corner);
        Vec3 offset = vec3_add(apart, corner_get(pack->arm_m, k));
        real ball = pack->ball_m[k], height = 0.0 - vec3_dot(offset, up), gap = height - ball;
        Vec3 below = vec3_scale(down, 0.5 * (ball + height)), lever = vec3_add(corner, below),
             plane = vec3_sub(below, apart);
        Vec3 normal = corner_signed(is_a ? 0u : 1u, down);
        Vec3 v = corner_signed(is_a, vec3_add(corner_get(motions->velocity_m_per_s, k), vec3_cross(spin, lever)));
        real turning = rolls ? motions->turning_rad_per_s[k] : 0.0;
        CornerForce by =
            corner_force(pack, k, corner_elastic(pack, k, -gap), normal, v, corner_signed(is_a, spin), turning, rolls);
        Vec3 of_solid = vec3_add(vec3_cross(lever, by.force_N), by.rolling_N_m);
        Vec3 of_plane = vec3_add(vec3_cross(plane, by.force_N), by.rolling_N_m);
        real error = NARROW_ROUNDING * (corner_max_abs(offset) + ball);
        pack->gap_m[k] = gap;
        pack->rate_m_per_s[k] = vec3_dot(v, normal);
        pack->error_m[k] = error + NARROW_ROUNDING * corner_max_abs(corner);
        pack->normal_N[k] = by.normal_N;
        pack->slip_m_per_s[k] = by.slip_m_per_s;
        pack->loss_W[k] = by.loss_W;
        corner_put(pack->normal, k, normal);
        corner_put(pack->lever_b_m, k, corner_choose(is_a, plane, lever));
        corner_put(pack->force_N, k, by.force_N);
        corner_put(pack->torque_N_m, k, corner_choose(is_a, of_plane, of_solid));
        corner_put(pack->torque_a_N_m, k, vec3_negate(corner_choose(is_a, of_solid, of_plane)));
    }
}
VECTOR_LOOPS_FN void corner_pack_end_plain(CornerPack *pack, CornerPoses *poses, CornerMotions *motions) {
    corner_pack_end_of(pack, poses, motions, 0);
}
VECTOR_LOOPS_FN void corner_pack_end_rolling(CornerPack *pack, CornerPoses *poses, CornerMotions *motions) {
    corner_pack_end_of(pack, poses, motions, 1);
}

FN_SHORT void corner_pack_end(CornerPack *pack, CornerPoses *poses, CornerMotions *motions, u32 rolls) {
    if (rolls)
        corner_pack_end_rolling(pack, poses, motions);
    else
        corner_pack_end_plain(pack, poses, motions);
}

/// Has the k-th corner closed faster than its damping here is for? Then law_force is to be asked of it.
FN_SHORT u32 corner_pack_is_struck(const CornerPack *pack, u32 k) {
    return pack->fastest_m_per_s[k] > pack->linear_m_per_s[k] ? 1u : 0u;
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
    contact->lever_b_m = corner_get(pack->lever_b_m, k);
}

#endif // WIDE

#endif
