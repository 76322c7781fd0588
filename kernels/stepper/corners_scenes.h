// Explicit tries of solids whose contacts are all corners on planes that do not move (corner_contacts.h), of several
// scenes side by side: each operation of a stage is one of a vector, a number of each scene. Bit for bit what
// corners_try does of each.
#ifndef CLACK_STEPPER_CORNERS_SCENES_H
#define CLACK_STEPPER_CORNERS_SCENES_H

#include "geometry/narrow_phase.h"
#include "geometry/shape.h"
#include "integrate/motion.h"
#include "fast/corner_contacts.h"
#include "fast/corner_lanes.h"
#include "stepper/substep.h"

#if SHARES_CORNERS

#define CORNERS_SHARED CORNER_LANES // corners that a solid has at most
#define CORNER_POSE 7u              // numbers of a pose: place and attitude,
#define CORNER_MOTION 6u            // and of how it moves: velocity and spin

// Rates, of poses and of motions.
typedef struct CornerRates {
    CornerNumber velocity[3], turning[4], acceleration[3], spin_rate[3];
} CornerRates;

typedef struct CornerScenes {
    u32 most, rolls; // corners of the solid that has most of them; has any of them resistance against rolling?
    CornerNumber h[CORNER_POSE]; // the same beside each number of a pose
    CornerNumber count;          // corners of each; 0: nobody is there
    CornerNumber gravity_m_per_s2[3], inverse_mass, inertia_kg_m2[3], inverse_inertia[3];
    CornerPoses start_pose, poses[2]; // at the present stage and at the next one
    CornerMotions start_motion, motions;
    CornerNumber force_N[3], torque_N_m[3];
    CornerRates rates[STAGES], error; // error: what the embedded method has more of the mean rates
    CornerPack packs[CORNERS_SHARED]; // the first corner of each, the second of each, ..
} CornerScenes;

/// The solid of the first contact, where that is one of its corners.
FN_SHORT u32 corners_shared_body(const SceneView *view) {
    GLOBAL const Contact *first = &view->contacts[view->awake[0]];
    return corners_is_a(first) ? first->body_a : first->body_b;
}

/// May the step that a scene wants be tried here? So that nothing but flights is beside it.
FN u32 corners_may_share(const SceneView *view) {
    u32 count = view->slot->awake_count;
    if (!HAS_CORNERS || count == 0 || count > CORNERS_SHARED || view->scene->flags & SCENE_RK4) return 0;
    if (view->contacts[view->awake[0]].cornered != CORNERED_FIRST) return 0;
    GLOBAL const BodyWork *work = &view->works[corners_shared_body(view)];
    return work->contacts == count && !work->implicit ? 1u : 0u;
}

FN_SHORT void corner_put_quat(CornerNumber *to, size_t k, Quat q) {
    to[0][k] = q.w;
    to[1][k] = q.x;
    to[2][k] = q.y;
    to[3][k] = q.z;
}

FN_SHORT void corner_put_rate(CornerRates *rates, size_t k, GLOBAL const BodyRate *rate) {
    corner_put(rates->velocity, k, rate->velocity);
    corner_put(rates->acceleration, k, rate->acceleration);
    corner_put_quat(rates->turning, k, rate->turning);
    corner_put(rates->spin_rate, k, rate->spin_rate);
}

FN_SHORT BodyRate corner_get_rate(CornerRates *rates, size_t k) {
    BodyRate rate;
    rate.velocity = corner_get(rates->velocity, k);
    rate.acceleration = corner_get(rates->acceleration, k);
    rate.turning = quat_make(rates->turning[0][k], rates->turning[1][k], rates->turning[2][k], rates->turning[3][k]);
    rate.spin_rate = corner_get(rates->spin_rate, k);
    return rate;
}

/// A contact of the solid of scene k in a step of h: what corners_load and corners_pack make of it.
FN void corners_load_touch(const SceneView *view, GLOBAL const Contact *contact, CornerScenes *scenes, CornerPack *pack,
                           u32 k, real h) {
    u32 is_a = corners_is_a(contact), plane = is_a ? contact->shape_b : contact->shape_a;
    GLOBAL const ContactLaw *law = &view->laws[contact->law];
    real weight = h * TSIT5[STAGES - 1][0];
    corner_put(pack->corner_m, k, contact->corner_m);
    corner_put(pack->plane_m, k, view->states[is_a ? contact->body_b : contact->body_a].position_m);
    corner_put(pack->arm_m, k, view->placed[plane].arm_m);
    corner_put(pack->up, k, narrow_axis_z(view->placed[plane].turn));
    pack->ball_m[k] = shape_ball_radius(&view->shapes[is_a ? contact->shape_a : contact->shape_b]);
    pack->stiffness[k] = contact->stiffness;
    pack->damping_s_per_m[k] = contact->damping_s_per_m;
    pack->linear_m_per_s[k] = contact->linear_m_per_s;
    pack->fastest_m_per_s[k] = 0.0;
    pack->friction[k] = law->friction;
    pack->speed_small_m_per_s[k] = law->speed_small_m_per_s;
    pack->third_speed_m_per_s[k] = law->speed_small_m_per_s / 3.0;
    pack->rolling_m[k] = law->rolling * contact->radius_m;
    pack->spin_small_rad_per_s[k] = law->spin_small_rad_per_s;
    if (law->rolling > 0.0) scenes->rolls = 1;
    corner_put(pack->impulse_N_s, k, vec3_scale(contact->start_force_N, is_a ? 0.0 - weight : weight));
    pack->loss_J[k] = contact->start_loss_W * weight;
    pack->h[k] = h;
    pack->is_a[k] = is_a ? 1.0 : 0.0;
}

/// Nobody has been loaded.
FN void corners_load_none(CornerScenes *scenes) {
    scenes->most = scenes->rolls = 0;
    for (u32 k = 0; k < CORNER_LANES; k++) scenes->count[k] = 0.0;
}

/// The step of h that scene k wants.
FN void corners_load_all(const SceneView *view, CornerScenes *scenes, u32 k, real h) {
    u32 count = 0, b = corners_shared_body(view);
    EACH_AWAKE(c) corners_load_touch(view, &view->contacts[c], scenes, &scenes->packs[count++], k, h);
    GLOBAL const Body *body = &view->bodies[b];
    GLOBAL const BodyState *state = &view->states[b];
    scenes->most = u32_max(scenes->most, count);
    scenes->count[k] = (real)count;
    scenes->h[0][k] = h;
    corner_put(scenes->gravity_m_per_s2, k, view->scene->gravity_m_per_s2);
    corner_put(scenes->inertia_kg_m2, k, body->inertia_kg_m2);
    corner_put(scenes->inverse_inertia, k, body->inverse_inertia);
    scenes->inverse_mass[k] = body->inverse_mass;
    corner_put(scenes->start_pose.position_m, k, state->position_m);
    corner_put_quat(scenes->start_pose.orientation, k, state->orientation);
    corner_put(scenes->start_motion.velocity_m_per_s, k, state->velocity_m_per_s);
    corner_put(scenes->start_motion.own_spin_rad_per_s, k, state->spin_rad_per_s);
    corner_put_rate(&scenes->rates[0], k, &view->works[b].rates[0]);
}

/// The length of each step beside each number of its pose.
VECTOR_LOOPS_FN void corners_spread_all(CornerScenes *scenes) {
    CORNER_EACH(k) {
        real h = scenes->h[0][k];
        for (u32 i = 1; i < CORNER_POSE; i++) scenes->h[i][k] = h;
    }
}

/// The first `count` rates at one number, weighted by a row of a tableau.
#define CORNER_NEXT (sizeof(CornerRates) / sizeof(real)) // from a rate to that of the next stage
FN_SHORT real corner_blend(const real *rate, CONSTANT_POINTER const real *row, u32 count) {
    real sum = rate[0] * row[0];
    if (count > 1) sum = real_fma(rate[CORNER_NEXT], row[1], sum);
    if (count > 2) sum = real_fma(rate[2 * CORNER_NEXT], row[2], sum);
    if (count > 3) sum = real_fma(rate[3 * CORNER_NEXT], row[3], sum);
    if (count > 4) sum = real_fma(rate[4 * CORNER_NEXT], row[4], sum);
    if (count > 5) sum = real_fma(rate[5 * CORNER_NEXT], row[5], sum);
    if (count > 6) sum = real_fma(rate[6 * CORNER_NEXT], row[6], sum);
    return sum;
}

// Poses at a stage follow from the velocities before it, without its forces: they are found one stage ahead, so that
// where corners are there is told beside what they do in the present one, in the time that a processor would wait for
// that.

/// Poses at a stage, which is known as this is compiled: their numbers in one row.
FN_SHORT void corners_pose_at(CornerScenes *scenes, u32 stage) {
    const real *rate = scenes->rates[0].velocity[0], *start = scenes->start_pose.position_m[0], *h = scenes->h[0];
    CornerPoses *poses = &scenes->poses[stage % 2];
    real *at = poses->position_m[0];
    PACK_LOOP for (size_t n = 0; n < CORNER_POSE * CORNER_LANES; n++) at[n] =
        real_fma(corner_blend(rate + n, TSIT5[stage], stage), h[n], start[n]);
    CORNER_EACH(k) {
        Quat q = corner_turn(poses, k);
        if (stage == STAGES - 1) q = quat_normalize(q);
        if (stage == STAGES - 1) corner_put_quat(poses->orientation, k, q);
        poses->turn_scale[k] = quat_turn_scale(q);
    }
}

VECTOR_LOOPS_FN void corners_pose_1(CornerScenes *scenes) { corners_pose_at(scenes, 1); }
VECTOR_LOOPS_FN void corners_pose_2(CornerScenes *scenes) { corners_pose_at(scenes, 2); }
VECTOR_LOOPS_FN void corners_pose_3(CornerScenes *scenes) { corners_pose_at(scenes, 3); }
VECTOR_LOOPS_FN void corners_pose_4(CornerScenes *scenes) { corners_pose_at(scenes, 4); }
VECTOR_LOOPS_FN void corners_pose_5(CornerScenes *scenes) { corners_pose_at(scenes, 5); }
VECTOR_LOOPS_FN void corners_pose_6(CornerScenes *scenes) { corners_pose_at(scenes, 6); }

/// How they move at a stage, what of their rates follows from that, and no forces yet.
FN_SHORT void corners_motion_at(CornerScenes *scenes, u32 stage) {
    const real *rate = scenes->rates[0].acceleration[0], *start = scenes->start_motion.velocity_m_per_s[0],
               *h = scenes->h[0];
    CornerPoses *poses = &scenes->poses[stage % 2];
    CornerRates *rates = &scenes->rates[stage];
    real *at = scenes->motions.velocity_m_per_s[0];
    PACK_LOOP for (size_t n = 0; n < CORNER_MOTION * CORNER_LANES; n++) at[n] =
        real_fma(corner_blend(rate + n, TSIT5[stage], stage), h[n], start[n]);
    CORNER_EACH(k) {
        Quat q = corner_turn(poses, k);
        Vec3 w = corner_get(scenes->motions.own_spin_rad_per_s, k);
        Quat turning = quat_multiply(q, quat_make(0.0, w.x, w.y, w.z));
        corner_put(scenes->motions.spin_rad_per_s, k, quat_rotate(q, w));
        corner_put(rates->velocity, k, corner_get(scenes->motions.velocity_m_per_s, k));
        corner_put_quat(rates->turning, k,
                        quat_make(0.5 * turning.w, 0.5 * turning.x, 0.5 * turning.y, 0.5 * turning.z));
        corner_put(scenes->force_N, k, vec3_zero());
        corner_put(scenes->torque_N_m, k, vec3_zero());
    }
}

VECTOR_LOOPS_FN void corners_motion_1(CornerScenes *scenes) { corners_motion_at(scenes, 1); }
VECTOR_LOOPS_FN void corners_motion_2(CornerScenes *scenes) { corners_motion_at(scenes, 2); }
VECTOR_LOOPS_FN void corners_motion_3(CornerScenes *scenes) { corners_motion_at(scenes, 3); }
VECTOR_LOOPS_FN void corners_motion_4(CornerScenes *scenes) { corners_motion_at(scenes, 4); }
VECTOR_LOOPS_FN void corners_motion_5(CornerScenes *scenes) { corners_motion_at(scenes, 5); }
VECTOR_LOOPS_FN void corners_motion_6(CornerScenes *scenes) { corners_motion_at(scenes, 6); }

/// The motions of a stage, and the poses of the next one.
FN_SHORT void corners_move_all(CornerScenes *scenes, u32 stage) {
    if (stage == 1) corners_motion_1(scenes), corners_pose_2(scenes);
    if (stage == 2) corners_motion_2(scenes), corners_pose_3(scenes);
    if (stage == 3) corners_motion_3(scenes), corners_pose_4(scenes);
    if (stage == 4) corners_motion_4(scenes), corners_pose_5(scenes);
    if (stage == 5) corners_motion_5(scenes), corners_pose_6(scenes);
    if (stage == 6) corners_motion_6(scenes);
}

/// How fast they turn.
VECTOR_LOOPS_FN void corners_turning_all(CornerScenes *scenes) {
    CornerMotions *motions = &scenes->motions;
    CORNER_EACH(k) motions->turning_rad_per_s[k] = vec3_length(corner_get(motions->spin_rad_per_s, k));
}

/// Where the corners of one number are at the first stage.
VECTOR_LOOPS_FN void corners_meet_all(CornerScenes *scenes, CornerPack *pack) {
    CORNER_EACH(k) corner_meet(pack, &scenes->poses[1], k);
}

/// What they do at a stage that has such a share of the step, added to the forces of those that have one; and where
/// they are at the next stage, in poses of that.
FN_SHORT void corners_push_of(CornerScenes *scenes, CornerPack *pack, CornerPoses *next, real number, real share,
                              u32 rolls) {
    CORNER_EACH(k) {
        u32 is_there = scenes->count[k] > number;
        Vec3 force, torque, forces = corner_get(scenes->force_N, k), torques = corner_get(scenes->torque_N_m, k);
        corner_push(pack, &scenes->motions, k, share, rolls, &force, &torque);
        corner_meet(pack, next, k);
        corner_put(scenes->force_N, k, corner_choose(is_there, vec3_add(forces, force), forces));
        corner_put(scenes->torque_N_m, k, corner_choose(is_there, vec3_add(torques, torque), torques));
    }
}
VECTOR_LOOPS_FN void corners_push_all(CornerScenes *scenes, CornerPack *pack, CornerPoses *next, real number,
                                      real share) {
    corners_push_of(scenes, pack, next, number, share, 0);
}
VECTOR_LOOPS_FN void corners_push_rolling(CornerScenes *scenes, CornerPack *pack, CornerPoses *next, real number,
                                          real share) {
    corners_push_of(scenes, pack, next, number, share, 1);
}

/// The same at the end of the step, where contacts have forces on B.
VECTOR_LOOPS_FN void corners_add_ends(CornerScenes *scenes, CornerPack *pack, real number) {
    CORNER_EACH(k) {
        u32 is_there = scenes->count[k] > number, is_a = pack->is_a[k] > 0.5;
        Vec3 forces = corner_get(scenes->force_N, k), by = corner_get(pack->force_N, k),
             torques = corner_get(scenes->torque_N_m, k);
        Vec3 torque = corner_choose(is_a, corner_get(pack->torque_a_N_m, k), corner_get(pack->torque_N_m, k));
        Vec3 force = corner_choose(is_a, vec3_sub(forces, by), vec3_add(forces, by));
        corner_put(scenes->force_N, k, corner_choose(is_there, force, forces));
        corner_put(scenes->torque_N_m, k, corner_choose(is_there, vec3_add(torques, torque), torques));
    }
}

/// What forces make of the rates of a stage: corners_rate.
VECTOR_LOOPS_FN void corners_rate_all(CornerScenes *scenes, CornerPoses *poses, CornerRates *rates) {
    CORNER_EACH(k) {
        Vec3 w = corner_get(scenes->motions.own_spin_rad_per_s, k);
        Vec3 gravity = corner_get(scenes->gravity_m_per_s2, k), inertia = corner_get(scenes->inertia_kg_m2, k);
        Quat back = quat_conjugate(corner_turn(poses, k));
        Vec3 torque = quat_turn_by(back, poses->turn_scale[k], corner_get(scenes->torque_N_m, k));
        corner_put(rates->acceleration, k,
                   vec3_add_scaled(gravity, corner_get(scenes->force_N, k), scenes->inverse_mass[k]));
        corner_put(rates->spin_rate, k,
                   motion_spin_rate_of(inertia, corner_get(scenes->inverse_inertia, k), w, torque));
    }
}

VECTOR_LOOPS_FN void corners_error_all(CornerScenes *scenes) {
    const real *rate = scenes->rates[0].velocity[0];
    real *error = scenes->error.velocity[0];
    PACK_LOOP for (size_t n = 0; n < CORNER_NEXT; n++) error[n] = corner_blend(rate + n, TSIT5_ERROR, STAGES);
}

/// All stages of the steps that have been loaded: corners_try. What was in the places of those that were not does no
/// harm.
FN void corners_try_all(CornerScenes *scenes) {
    corners_spread_all(scenes);
    corners_pose_1(scenes);
    for (u32 i = 0; i < scenes->most; i++) corners_meet_all(scenes, &scenes->packs[i]);
    for (u32 stage = 1; stage < STAGES; stage++) {
        CornerPoses *poses = &scenes->poses[stage % 2], *next = &scenes->poses[(stage + 1) % 2];
        real share = stage < STAGES - 1 ? TSIT5[STAGES - 1][stage] : 0.0;
        corners_move_all(scenes, stage);
        if (scenes->rolls) corners_turning_all(scenes);
        for (u32 i = 0; i < scenes->most; i++) {
            CornerPack *pack = &scenes->packs[i];
            if (stage == STAGES - 1) {
                corner_pack_end(pack, poses, &scenes->motions, scenes->rolls);
                corners_add_ends(scenes, pack, (real)i);
            } else if (scenes->rolls) {
                corners_push_rolling(scenes, pack, next, (real)i, share);
            } else {
                corners_push_all(scenes, pack, next, (real)i, share);
            }
        }
        corners_rate_all(scenes, poses, &scenes->rates[stage]);
    }
    corners_error_all(scenes);
}

/// Has a corner of scene k closed faster in its step than damping is for here? Then corner_contacts.h is to take it.
FN u32 corners_are_struck_of(const CornerScenes *scenes, u32 k) {
    u32 struck = 0;
    for (u32 i = 0; (real)i < scenes->count[k]; i++) struck |= corner_pack_is_struck(&scenes->packs[i], k);
    return struck;
}

/// What has come of the step of scene k, and in place of its second rate its error.
FN void corners_store_all(const SceneView *view, Progress *progress, CornerScenes *scenes, u32 k, real h) {
    substep_fly(view, progress, h);
    u32 b = corners_shared_body(view), i = 0;
    GLOBAL BodyWork *work = &view->works[b];
    CornerPoses *end = &scenes->poses[(STAGES - 1) % 2];
    real spin = vec3_length(corner_get(scenes->motions.spin_rad_per_s, k));
    EACH_AWAKE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        CornerPack *pack = &scenes->packs[i++];
        Vec3 impulse = corner_get(pack->impulse_N_s, k);
        corner_pack_keep(pack, k, spin, contact);
        contact->step_impulse_N_s = corners_is_a(contact) ? vec3_negate(impulse) : impulse;
        contact->step_loss_J = pack->loss_J[k];
    }
    work->trial.position_m = corner_get(end->position_m, k);
    work->trial.orientation = corner_turn(end, k);
    work->trial.velocity_m_per_s = corner_get(scenes->motions.velocity_m_per_s, k);
    work->trial.spin_rad_per_s = corner_get(scenes->motions.own_spin_rad_per_s, k);
    work->rates[STAGES - 1] = corner_get_rate(&scenes->rates[STAGES - 1], k);
    work->rates[1] = corner_get_rate(&scenes->error, k);
    progress->evaluations += STAGES - 1;
    work_count_forces(progress, view->slot->awake_count * (STAGES - 1));
    progress->work += (real)view->slot->moving_count;
}

#endif // SHARES_CORNERS

#endif
