// Tries of solo steps (ball_run.h) of several scenes together: from their rows into vectors and back.
#ifndef CLACK_STEPPER_SOLO_PACK_H
#define CLACK_STEPPER_SOLO_PACK_H

#include "geometry/narrow_phase.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_law.h"
#include "integrate/motion.h"
#include "integrate/plan_friction.h"
#include "fast/ball_contact.h"
#include "fast/pack_plan.h"
#include "fast/pack_stage.h"
#include "stepper/ball_run.h"

#if PACK > 1

/// May the tries of a row be taken side by side with those of others?
FN_SHORT u32 pack_takes(const BallRun *run) { return run->solo.is_plain & (run->is_implicit ? 0u : 1u); }

FN_SHORT void pack_put(PackNumber *to, u32 k, Vec3 from) {
    to[0][k] = from.x;
    to[1][k] = from.y;
    to[2][k] = from.z;
}

FN_SHORT Vec3 pack_get(PackNumber *from, u32 k) { return vec3_make(from[0][k], from[1][k], from[2][k]); }

/// What stays as it is in a row that begins.
FN void pack_load_row(const SceneView *view, SoloPack *pack, u32 k, BallRun *run) {
    const BallContact *solo = &run->solo;
    run->is_private = solo->law.rolling > 0.0 ? 0u : ball_is_private(view);
    u32 is_a = solo->plane_is_b;
    const BallBody *ball = is_a ? &solo->a : &solo->b, *plane = is_a ? &solo->b : &solo->a;
    Vec3 up = narrow_axis_z(solo->placed.turn), down = vec3_negate(up);
    pack_put(pack->up, k, up);
    pack_put(pack->down, k, down);
    pack_put(pack->normal, k, is_a ? down : vec3_negate(down));
    pack_put(pack->plane_m, k, plane->at.position_m);
    pack_put(pack->arm_m, k, solo->placed.arm_m);
    pack_put(pack->gravity_m_per_s2, k, solo->gravity_m_per_s2);
    pack_put(pack->inverse_inertia, k, ball->inverse_inertia);
    pack->ball_m[k] = is_a ? solo->ball_a_m : solo->ball_b_m;
    pack->inverse_mass[k] = ball->inverse_mass;
    pack->is_a[k] = is_a ? 1.0 : 0.0;
    pack->stiffness[k] = solo->constants.stiffness;
    pack->friction[k] = solo->law.friction;
    pack->speed_small_m_per_s[k] = solo->law.speed_small_m_per_s;
    pack->spin_small_rad_per_s[k] = solo->law.spin_small_rad_per_s;
    pack->rolling[k] = solo->law.rolling;
    pack->rolling_m[k] = solo->law.rolling * solo->constants.radius_m;
    pack->graded_steps[k] = (real)view->scene->graded_steps;
    pack->fine_square[k] = plan_fine_square(solo->law, view->scene->tolerance);
    pack->gravity_bound[k] = vec3_length(solo->gravity_m_per_s2);
    pack->damping_limit[k] = view->slot->damping_limit;
    pack->inertia_bound[k] = vec3_max_abs(ball->inverse_inertia);
}

/// The start of the step that a row wants, and what stage 0 hands over.
FN void pack_load_step(SoloPack *pack, u32 k, const BallRun *run) {
    const BallBody *ball = run->solo.plane_is_b ? &run->solo.a : &run->solo.b;
    const SoloRate *rate = &ball->rates[0].rate;
    real weight = run->h * TSIT5[STAGES - 1][0];
    pack->damping_s_per_m[k] = run->solo.constants.damping_s_per_m;
    pack->linear_m_per_s[k] = run->solo.constants.linear_m_per_s;
    pack->h[k] = run->h;
    pack_put(pack->start, k, ball->start.position_m);
    pack_put(pack->start + 3, k, ball->start.velocity_m_per_s);
    pack_put(pack->start + 6, k, ball->start.spin_rad_per_s);
    pack_put(pack->rates[0], k, rate->velocity);
    pack_put(pack->rates[0] + PACK_ACCELERATION, k, rate->acceleration);
    pack_put(pack->rates[0] + PACK_SPIN_RATE, k, rate->spin_rate);
    pack_put(pack->rates[0] + PACK_SPIN, k, rate->spin);
    pack_put(pack->impulse_N_s, k, vec3_scale(run->solo.start_force_N, weight));
    pack->loss_J[k] = run->solo.start_loss_W * weight;
}

/// What an evaluation has told of the contact of a row.
FN void pack_store_evaluation(PackEvaluation *told, u32 k, u32 is_a, PairKinematics *kinematics, LawForce *force) {
    kinematics->gap_m = told->gap_m[k];
    kinematics->error_m = told->error_m[k];
    kinematics->rate_m_per_s = told->rate_m_per_s[k];
    kinematics->lever_a_m = pack_get(is_a ? told->lever_m : told->lever_plane_m, k);
    kinematics->lever_b_m = pack_get(is_a ? told->lever_plane_m : told->lever_m, k);
    kinematics->spin_rad_per_s = pack_get(told->spin_rad_per_s, k);
    kinematics->status = NARROW_OK;
    force->force_N = pack_get(told->force_N, k);
    force->torque_N_m = pack_get(told->torque_N_m, k);
    force->normal_N = told->normal_N[k];
    force->loss_W = told->loss_W[k];
    force->slip_m_per_s = told->slip_m_per_s[k];
    force->closing_m_per_s = told->closing_m_per_s[k];
}

FN void pack_store_rate(PackNumber *from, u32 k, SoloRate *rate) {
    rate->velocity = pack_get(from, k);
    rate->acceleration = pack_get(from + PACK_ACCELERATION, k);
    rate->spin_rate = pack_get(from + PACK_SPIN_RATE, k);
    rate->spin = pack_get(from + PACK_SPIN, k);
}

/// What has come of the step that was tried.
FN void pack_store(SoloPack *pack, u32 k, BallRun *run) {
    u32 is_a = run->solo.plane_is_b;
    BallContact *solo = &run->solo;
    BallBody *ball = is_a ? &solo->a : &solo->b;
    ball->at.position_m = pack_get(pack->at, k);
    ball->at.velocity_m_per_s = pack_get(pack->at + 3, k);
    ball->at.spin_rad_per_s = pack_get(pack->at + 6, k);
    pack_store_rate(pack->rates[STAGES - 1], k, &ball->rates[STAGES - 1].rate);
    ball->turned = pack_get(pack->turned, k);
    ball->error_velocity = pack->errors[0][k];
    ball->error_acceleration = pack->errors[1][k];
    ball->error_spin_rate = pack->errors[2][k];
    ball->way_m = pack->way_m[k];
    solo->kinematics.normal = pack_get(pack->normal, k);
    pack_store_evaluation(pack->now, k, is_a, &solo->kinematics, &solo->force);
    solo->impulse_N_s = pack_get(pack->impulse_N_s, k);
    solo->loss_J = pack->loss_J[k];
    // Where a ball may roll, what turns it is looked at as well: plan_contact does that.
    run->has_plan = pack->rolling[k] > 0.0 || pack->asks[k] > 0.0 ? 0u : 1u;
    run->next.graded_s = pack->graded_s[k];
    run->next.stable_s = pack->stable_s[k];
    run->next.stiff_s = pack->stiff_s[k];
    run->next.leave_s = pack->leave_s[k];
    run->next.noise = pack->noise[k];
    run->next.controlled = pack->controlled[k] > 0.0 ? 1u : 0u;
}

/// Is any of them above zero?
FN u32 pack_any(const PackNumber numbers) {
    u32 any = 0;
    for (u32 k = 0; k < PACK; k++) any |= numbers[k] > 0.0 ? 1u : 0u;
    return any;
}

/// Has a ball closed faster in its step than its damping here is for? Then ball_contact.h is to take it.
FN_SHORT u32 pack_is_struck(const SoloPack *pack, u32 k) {
    return pack->fastest_m_per_s[k] > pack->linear_m_per_s[k] ? 1u : 0u;
}

/// All stages of the steps that have been loaded: ball_take. What was in the places of those that were not does no
/// harm.
FN void pack_try(SoloPack *pack) {
    u32 rolls = pack_any(pack->rolling);
    PACK_EACH(k) pack->fastest_m_per_s[k] = 0.0;
    for (u32 stage = 1; stage < STAGES; stage++) {
        pack_move(pack, stage);
        pack_meet(pack);
        if (pack_any(pack->now->slip_m_per_s)) pack_rub(pack);
        if (rolls) pack_roll(pack);
        pack_rate(pack, pack->rates[stage]);
        if (stage < STAGES - 1) pack_hand_over(pack, TSIT5[STAGES - 1][stage]);
    }
    pack_finish(pack);
    pack_plan_roots(pack);
    pack_plan_take_roots(pack);
    pack_plan(pack);
}

#endif // PACK > 1

#endif
