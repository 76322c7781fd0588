// Explicit tries of solids whose contacts are all corners on planes that do not move (corner_contacts.h), of several
// scenes side by side: each operation of a stage is one of a vector, a number of each scene. Bit for bit what
// corners_try does of each.
#ifndef CLACK_STEPPER_CORNER_LANES_TRY_H
#define CLACK_STEPPER_CORNER_LANES_TRY_H

#include "base/lanes.h"
#include "model/scheme_policy.h"
#include "integrate/motion.h"
#include "fast/corner_contacts.h"
#include "fast/corner_lanes.h"
#include "stepper/substep.h"

#if SHARES_CORNERS

#define CORNERS_SHARED SIDE_BY_SIDE // corners that a solid has at most

#define LANE_WIDTH SIDE_BY_SIDE

typedef struct CornerLanesRate {
    Vec3 velocity;
    Quat turning;
    Vec3 acceleration, spin_rate;
} CornerLanesRate;

typedef struct CornerLanes {
    u32 most;   // corners of the solid that has most of them
    Lane h;     // length of each step, s
    Lane count; // corners of each; 0: the lane is empty
    Vec3 gravity_m_per_s2, inertia_kg_m2, inverse_inertia;
    Lane inverse_mass;
    CornerPose start_pose, poses[2]; // at the present stage and at the next one
    Vec3 start_velocity_m_per_s, start_spin_rad_per_s;
    Vec3 spin_rad_per_s; // at the present stage, principal axes
    CornerMotion motion;
    Vec3 force_N, torque_N_m;
    CornerLanesRate rates[STAGES], error;   // error: what the embedded method has more of the mean rates
    CornerContact contacts[CORNERS_SHARED]; // the first corner of each, the second of each, ..
    CornerEnd ends[CORNERS_SHARED];
} CornerLanes;

FN_SHORT Quat corner_lanes_add_scaled(Quat a, Quat b, Lane s) {
    return quat_make(lane_fma(b.w, s, a.w), lane_fma(b.x, s, a.x), lane_fma(b.y, s, a.y), lane_fma(b.z, s, a.z));
}

// Poses at a stage follow from the velocities before it, without its forces: they are found one stage ahead, so that
// where corners are is told beside what they do in the present stage, in the time that a processor would wait for that.

/// Poses at a stage: the start moved by h times a blend of the rates before.
FN_APART void corner_lanes_pose(CornerLanes *solids, u32 stage) {
    const CornerLanesRate *rate = solids->rates;
    CornerPose *pose = &solids->poses[stage % 2];
    Lane weight = lane_of(TSIT5[stage][0]);
    Vec3 velocity = vec3_scale(rate->velocity, weight);
    Quat q = quat_make(rate->turning.w * weight, rate->turning.x * weight, rate->turning.y * weight,
                       rate->turning.z * weight);
    for (u32 j = 1; j < stage; j++) {
        weight = lane_of(TSIT5[stage][j]);
        velocity = vec3_add_scaled(velocity, rate[j].velocity, weight);
        q = corner_lanes_add_scaled(q, rate[j].turning, weight);
    }
    pose->position_m = vec3_add_scaled(solids->start_pose.position_m, velocity, solids->h);
    pose->orientation = corner_lanes_add_scaled(solids->start_pose.orientation, q, solids->h);
    if (stage == STAGES - 1) pose->orientation = quat_normalize(pose->orientation);
    pose->turn_scale = quat_turn_scale(pose->orientation);
}

/// How they move at a stage, what of their rates follows from that, and no forces yet.
FN_APART void corner_lanes_move(CornerLanes *solids, u32 stage) {
    CornerLanesRate *rate = solids->rates, *now = &solids->rates[stage];
    Quat q = solids->poses[stage % 2].orientation;
    Lane weight = lane_of(TSIT5[stage][0]);
    Vec3 acceleration = vec3_scale(rate->acceleration, weight), spin_rate = vec3_scale(rate->spin_rate, weight);
    for (u32 j = 1; j < stage; j++) {
        weight = lane_of(TSIT5[stage][j]);
        acceleration = vec3_add_scaled(acceleration, rate[j].acceleration, weight);
        spin_rate = vec3_add_scaled(spin_rate, rate[j].spin_rate, weight);
    }
    solids->motion.velocity_m_per_s = vec3_add_scaled(solids->start_velocity_m_per_s, acceleration, solids->h);
    Vec3 w = vec3_add_scaled(solids->start_spin_rad_per_s, spin_rate, solids->h);
    Quat turning = quat_multiply(q, quat_make(lane_of(0.0), w.x, w.y, w.z));
    solids->spin_rad_per_s = w;
    solids->motion.spin_rad_per_s = quat_rotate(q, w);
    now->velocity = solids->motion.velocity_m_per_s;
    now->turning = quat_make(0.5 * turning.w, 0.5 * turning.x, 0.5 * turning.y, 0.5 * turning.z);
    solids->force_N = solids->torque_N_m = vec3_of(0.0);
}

/// What the corners of one number do at a stage that has such a share of the step, added to the forces of those solids
/// that have one; and where they are at the next stage, in poses of that.
FN_APART void corner_lanes_push(CornerLanes *solids, u32 i, const CornerPose *next, real share) {
    CornerContact *contact = &solids->contacts[i];
    LaneMask is_there = solids->count > (real)i;
    Vec3 force, torque;
    corner_step_push(contact, &solids->motion, solids->h * share, &force, &torque);
    corner_step_kinematics(contact, next);
    solids->force_N = vec3_select(is_there, vec3_add(solids->force_N, force), solids->force_N);
    solids->torque_N_m = vec3_select(is_there, vec3_add(solids->torque_N_m, torque), solids->torque_N_m);
}

/// The same at the end of the step, where contacts have forces on B.
FN_APART void corner_lanes_end(CornerLanes *solids, u32 i, const CornerPose *pose) {
    const CornerContact *contact = &solids->contacts[i];
    CornerEnd *end = &solids->ends[i];
    LaneMask is_there = solids->count > (real)i, is_a = contact->is_a > 0.5;
    corner_step_end(contact, pose, &solids->motion, end);
    Vec3 torque = vec3_select(is_a, end->torque_a_N_m, end->torque_b_N_m);
    Vec3 force = vec3_select(is_a, vec3_sub(solids->force_N, end->force_N), vec3_add(solids->force_N, end->force_N));
    solids->force_N = vec3_select(is_there, force, solids->force_N);
    solids->torque_N_m = vec3_select(is_there, vec3_add(solids->torque_N_m, torque), solids->torque_N_m);
}

/// What forces make of the rates of a stage: corners_rate.
FN_APART void corner_lanes_rate(CornerLanes *solids, u32 stage) {
    const CornerPose *pose = &solids->poses[stage % 2];
    Vec3 w = solids->spin_rad_per_s, i = solids->inertia_kg_m2;
    Vec3 torque = quat_turn_by(quat_conjugate(pose->orientation), pose->turn_scale, solids->torque_N_m);
    Vec3 gyroscopic = vec3_make((i.y - i.z) * w.y * w.z, (i.z - i.x) * w.z * w.x, (i.x - i.y) * w.x * w.y);
    solids->rates[stage].acceleration =
        vec3_add_scaled(solids->gravity_m_per_s2, solids->force_N, solids->inverse_mass);
    solids->rates[stage].spin_rate = vec3_multiply(vec3_add(torque, gyroscopic), solids->inverse_inertia);
}

FN_APART void corner_lanes_estimate(CornerLanes *solids) {
    CornerLanesRate *error = &solids->error;
    const CornerLanesRate *rate = solids->rates;
    Lane weight = lane_of(TSIT5_ERROR[0]);
    Quat q = rate->turning;
    error->velocity = vec3_scale(rate->velocity, weight);
    error->turning = quat_make(q.w * weight, q.x * weight, q.y * weight, q.z * weight);
    error->acceleration = vec3_scale(rate->acceleration, weight);
    error->spin_rate = vec3_scale(rate->spin_rate, weight);
    for (u32 j = 1; j < STAGES; j++) {
        weight = lane_of(TSIT5_ERROR[j]);
        error->velocity = vec3_add_scaled(error->velocity, rate[j].velocity, weight);
        error->turning = corner_lanes_add_scaled(error->turning, rate[j].turning, weight);
        error->acceleration = vec3_add_scaled(error->acceleration, rate[j].acceleration, weight);
        error->spin_rate = vec3_add_scaled(error->spin_rate, rate[j].spin_rate, weight);
    }
}

#undef LANE_WIDTH

/// All stages of the steps that have been loaded: corners_try. Lanes that were not loaded do no harm.
FN void corner_lanes_try_all(CornerLanes *solids) {
    corner_lanes_pose(solids, 1);
    for (u32 i = 0; i < solids->most; i++) WIDE_NAME(corner_step_kinematics)(&solids->contacts[i], &solids->poses[1]);
    for (u32 stage = 1; stage < STAGES; stage++) {
        corner_lanes_move(solids, stage);
        if (stage < STAGES - 1) corner_lanes_pose(solids, stage + 1);
        for (u32 i = 0; i < solids->most; i++) {
            if (stage == STAGES - 1)
                corner_lanes_end(solids, i, &solids->poses[stage % 2]);
            else
                corner_lanes_push(solids, i, &solids->poses[(stage + 1) % 2], TSIT5[STAGES - 1][stage]);
        }
        corner_lanes_rate(solids, stage);
    }
    corner_lanes_estimate(solids);
}

/// The solid of the first contact, where that is one of its corners.
FN_SHORT u32 corner_lanes_body(const SceneView *view) {
    GLOBAL const Contact *first = &view->contacts[view->awake[0]];
    return corners_is_a(first) ? first->body_a : first->body_b;
}

/// May the step that a scene wants be tried here? So that nothing but flights is beside it.
FN u32 corner_lanes_may(const SceneView *view) {
    u32 count = view->slot->awake_count;
    if (!HAS_CORNERS || count == 0 || count > CORNERS_SHARED || !scheme_is_adaptive(view->scene->flags)) return 0;
    if (view->contacts[view->awake[0]].fast_corner != FAST_CORNER_FIRST) return 0;
    GLOBAL const BodyWork *work = &view->works[corner_lanes_body(view)];
    return work->contacts == count && !work->implicit ? 1u : 0u;
}

/// All lanes are empty.
FN void corner_lanes_clear(CornerLanes *solids) {
    solids->most = 0;
    for (u32 k = 0; k < SIDE_BY_SIDE; k++) LANE_AT(solids->count, k) = 0.0;
}

/// The step of h that scene k wants.
FN void corner_lanes_load(const SceneView *view, CornerLanes *solids, u32 k, real h) {
    u32 count = 0, b = corner_lanes_body(view);
    EACH_AWAKE(c) {
        CornerContact contact = corners_contact(view, &view->contacts[c], h * TSIT5[STAGES - 1][0]);
        corner_put(&solids->contacts[count++], k, &contact);
    }
    GLOBAL const Body *body = &view->bodies[b];
    GLOBAL const BodyState *state = &view->states[b];
    GLOBAL const BodyRate *rate = &view->works[b].rates[0];
    solids->most = u32_max(solids->most, count);
    LANE_AT(solids->count, k) = (real)count;
    LANE_AT(solids->h, k) = h;
    wide_put(&solids->gravity_m_per_s2, k, view->scene->gravity_m_per_s2);
    wide_put(&solids->inertia_kg_m2, k, body->inertia_kg_m2);
    wide_put(&solids->inverse_inertia, k, body->inverse_inertia);
    LANE_AT(solids->inverse_mass, k) = body->inverse_mass;
    wide_put(&solids->start_pose.position_m, k, state->position_m);
    wide_put_quat(&solids->start_pose.orientation, k, state->orientation);
    wide_put(&solids->start_velocity_m_per_s, k, state->velocity_m_per_s);
    wide_put(&solids->start_spin_rad_per_s, k, state->spin_rad_per_s);
    wide_put(&solids->rates[0].velocity, k, rate->velocity);
    wide_put_quat(&solids->rates[0].turning, k, rate->turning);
    wide_put(&solids->rates[0].acceleration, k, rate->acceleration);
    wide_put(&solids->rates[0].spin_rate, k, rate->spin_rate);
}

FN BodyRate corner_lanes_get_rate(const CornerLanesRate *from, u32 k) {
    BodyRate rate;
    rate.velocity = wide_get(&from->velocity, k);
    rate.acceleration = wide_get(&from->acceleration, k);
    rate.turning = wide_get_quat(&from->turning, k);
    rate.spin_rate = wide_get(&from->spin_rate, k);
    return rate;
}

/// What has come of the step of scene k, and in place of its second rate its error.
FN void corner_lanes_store(const SceneView *view, Progress *progress, CornerLanes *solids, u32 k, real h) {
    substep_fly(view, progress, h);
    u32 b = corner_lanes_body(view), i = 0;
    GLOBAL BodyWork *work = &view->works[b];
    const WIDE_NAME(CornerPose) *end = &solids->poses[(STAGES - 1) % 2];
    real spin = vec3_length(wide_get(&solids->motion.spin_rad_per_s, k));
    EACH_AWAKE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        Vec3 impulse = wide_get(&solids->contacts[i].impulse_N_s, k);
        CornerEnd told = corner_get_end(&solids->ends[i], k);
        corner_keep_end(&told, spin, contact);
        contact->step_impulse_N_s = corners_is_a(contact) ? vec3_negate(impulse) : impulse;
        contact->step_loss_J = LANE_AT(solids->contacts[i].loss_J, k);
        i++;
    }
    work->trial.position_m = wide_get(&end->position_m, k);
    work->trial.orientation = wide_get_quat(&end->orientation, k);
    work->trial.velocity_m_per_s = wide_get(&solids->motion.velocity_m_per_s, k);
    work->trial.spin_rad_per_s = wide_get(&solids->spin_rad_per_s, k);
    work->rates[STAGES - 1] = corner_lanes_get_rate(&solids->rates[STAGES - 1], k);
    work->rates[1] = corner_lanes_get_rate(&solids->error, k);
    progress->evaluations += STAGES - 1;
    work_count_forces(progress, view->slot->awake_count * (STAGES - 1));
    progress->work += (real)view->slot->moving_count;
}

#endif // SHARES_CORNERS

#endif
