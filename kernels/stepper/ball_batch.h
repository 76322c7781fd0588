// Steps of ball runs (ball_run.h) of several scenes tried together: from the runs into lanes (ball_step.h) and back.
#ifndef CLACK_STEPPER_BALL_BATCH_H
#define CLACK_STEPPER_BALL_BATCH_H

#include "base/lanes.h"
#include "geometry/narrow_phase.h"
#include "fast/ball_contact.h"
#include "fast/ball_lanes.h"
#include "stepper/ball_run.h"

#if PACK > 1

typedef WIDE_NAME(Lane) BatchNumber; // one of each scene
typedef WIDE_NAME(Vec3) BatchVec3;

// Runs that go on within the batch (ball_batch_run.h): what BallRun, Progress, Contact, Candidate and BodyWork have of
// them.
typedef struct BatchRun {
    BatchNumber is_run;       // 1: it may; else its steps are judged one by one (ball_run.h)
    BatchNumber goes_on;      // 1: its next step is to be tried
    BatchNumber good;         // 1: the step just tried is taken within the batch
    BatchNumber steps, taken; // planned in all; taken within the batch
    BatchNumber offset_s, stop_s, h_max_s, to_stop;
    BatchNumber travel_m, margin_m, clearance_m, radius_m;
    BatchNumber gap_m, rate_m_per_s; // at the start of the step
    BatchNumber error_sum_m_per_s, loss_J, dissipated_J;
    BatchVec3 impulse_N_s;                                    // this and the loss: of the contact
    BatchNumber orientation[4];                               // w, x, y, z
    BatchNumber deepest_m, deepest_offset_s, deepest_after_s; // of the steps taken, in the step that began at an offset
} BatchRun;

typedef struct BallBatch {
    WIDE_NAME(BallStep) step;
    WIDE_NAME(BallPlan) plan;
    BatchRun run;
    // Of the end of the step and, where that was taken within the batch, of its start: they change places at each step.
    WIDE_NAME(BallEvaluation) evaluated[2], *now, *kept;
} BallBatch;

/// All lanes cleared: those that are not used are evaluated as well, and must not hold NaN.
FN void batch_clear(BallBatch *batch) {
    BallBatch nothing = ALL_ZERO;
    *batch = nothing;
    batch->now = &batch->evaluated[0];
    batch->kept = &batch->evaluated[1];
}

/// May the tries of a run be taken side by side with those of others?
FN_SHORT u32 batch_takes(const BallRun *run) { return run->solo.is_plain & (run->is_implicit ? 0u : 1u); }

/// What stays as it is in a run that begins.
FN void batch_load_run(const SceneView *view, BallBatch *batch, u32 k, BallRun *run) {
    const BallContact *solo = &run->solo;
    WIDE_NAME(BallStep) *step = &batch->step;
    WIDE_NAME(BallPlan) *plan = &batch->plan;
    run->is_private = solo->law.rolling > 0.0 ? 0u : ball_is_private(view);
    u32 is_a = solo->plane_is_b;
    const BallBody *ball = is_a ? &solo->a : &solo->b, *plane = is_a ? &solo->b : &solo->a;
    Vec3 up = narrow_axis_z(solo->placed.turn), down = vec3_negate(up);
    wide_put(&step->up, k, up);
    wide_put(&step->down, k, down);
    wide_put(&step->normal, k, is_a ? down : vec3_negate(down));
    wide_put(&step->plane_m, k, plane->at.position_m);
    wide_put(&step->arm_m, k, solo->placed.arm_m);
    wide_put(&step->gravity_m_per_s2, k, solo->gravity_m_per_s2);
    wide_put(&step->inverse_inertia, k, ball->inverse_inertia);
    LANE_AT(step->ball_m, k) = is_a ? solo->ball_a_m : solo->ball_b_m;
    LANE_AT(step->inverse_mass, k) = ball->inverse_mass;
    LANE_AT(step->is_a, k) = is_a ? 1.0 : 0.0;
    LANE_AT(plan->graded_steps, k) = (real)view->scene->graded_steps;
    LANE_AT(plan->fine_square, k) = plan_fine_square(solo->law, view->scene->tolerance);
    LANE_AT(plan->gravity_bound, k) = vec3_length(solo->gravity_m_per_s2);
    LANE_AT(plan->damping_limit, k) = view->slot->damping_limit;
    LANE_AT(plan->inertia_bound, k) = vec3_max_abs(ball->inverse_inertia);
}

FN void batch_load_state(WIDE_NAME(BallState) * to, u32 k, const SoloState *state) {
    wide_put(&to->position_m, k, state->position_m);
    wide_put(&to->velocity_m_per_s, k, state->velocity_m_per_s);
    wide_put(&to->spin_rad_per_s, k, state->spin_rad_per_s);
}

FN void batch_store_state(const WIDE_NAME(BallState) * from, u32 k, SoloState *state) {
    state->position_m = wide_get(&from->position_m, k);
    state->velocity_m_per_s = wide_get(&from->velocity_m_per_s, k);
    state->spin_rad_per_s = wide_get(&from->spin_rad_per_s, k);
}

FN void batch_store_rate(const WIDE_NAME(BallRate) * from, u32 k, SoloRate *rate) {
    rate->velocity = wide_get(&from->velocity, k);
    rate->acceleration = wide_get(&from->acceleration, k);
    rate->spin_rate = wide_get(&from->spin_rate, k);
    rate->spin = wide_get(&from->spin, k);
}

/// The start of the step that a run wants, and what stage 0 hands over.
FN void batch_load_step(BallBatch *batch, u32 k, const BallRun *run) {
    WIDE_NAME(BallStep) *step = &batch->step;
    const BallBody *ball = run->solo.plane_is_b ? &run->solo.a : &run->solo.b;
    const SoloRate *rate = &ball->rates[0].rate;
    real weight = run->h * TSIT5[STAGES - 1][0];
    Law law = law_of(run->solo.constants, run->solo.law, 0); // its damping changes where a step strikes
    law_put(&step->law, k, &law);
    LANE_AT(step->h, k) = run->h;
    batch_load_state(&step->start, k, &ball->start);
    wide_put(&step->rates[0].velocity, k, rate->velocity);
    wide_put(&step->rates[0].acceleration, k, rate->acceleration);
    wide_put(&step->rates[0].spin_rate, k, rate->spin_rate);
    wide_put(&step->rates[0].spin, k, rate->spin);
    wide_put(&step->impulse_N_s, k, vec3_scale(run->solo.start_force_N, weight));
    LANE_AT(step->loss_J, k) = run->solo.start_loss_W * weight;
}

/// What an evaluation has told of the contact of a run.
FN void batch_store_evaluation(const WIDE_NAME(BallEvaluation) * from, u32 k, u32 is_a, PairKinematics *kinematics,
                               LawForce *force) {
    kinematics->gap_m = LANE_AT(from->gap_m, k);
    kinematics->error_m = LANE_AT(from->error_m, k);
    kinematics->rate_m_per_s = LANE_AT(from->rate_m_per_s, k);
    kinematics->lever_a_m = wide_get(is_a ? &from->lever_m : &from->lever_plane_m, k);
    kinematics->lever_b_m = wide_get(is_a ? &from->lever_plane_m : &from->lever_m, k);
    kinematics->spin_rad_per_s = wide_get(&from->spin_rad_per_s, k);
    kinematics->status = NARROW_OK;
    force->force_N = wide_get(&from->force.force_N, k);
    force->torque_N_m = wide_get(&from->force.torque_N_m, k);
    force->normal_N = LANE_AT(from->force.normal_N, k);
    force->loss_W = LANE_AT(from->force.loss_W, k);
    force->slip_m_per_s = LANE_AT(from->force.slip_m_per_s, k);
    force->closing_m_per_s = LANE_AT(from->force.closing_m_per_s, k);
}

/// What has come of the step that was tried, and the plan of the next one, should it be taken. That is not known where
/// a ball may roll, where it asks for another, and where damping is another one after the step.
FN void batch_store(BallBatch *batch, u32 k, BallRun *run) {
    WIDE_NAME(BallStep) *step = &batch->step;
    WIDE_NAME(BallPlan) *plan = &batch->plan;
    u32 is_a = run->solo.plane_is_b;
    BallContact *solo = &run->solo;
    BallBody *ball = is_a ? &solo->a : &solo->b;
    batch_store_state(&step->at, k, &ball->at);
    batch_store_rate(&step->rates[STAGES - 1], k, &ball->rates[STAGES - 1].rate);
    ball->turned = wide_get(&step->turned, k);
    Vec3 errors = wide_get(&step->errors, k);
    ball->error_velocity = errors.x;
    ball->error_acceleration = errors.y;
    ball->error_spin_rate = errors.z;
    ball->way_m = LANE_AT(step->way_m, k);
    solo->kinematics.normal = wide_get(&step->normal, k);
    batch_store_evaluation(batch->now, k, is_a, &solo->kinematics, &solo->force);
    solo->impulse_N_s = wide_get(&step->impulse_N_s, k);
    solo->loss_J = LANE_AT(step->loss_J, k);
    u32 is_struck = LANE_AT(step->fastest_m_per_s, k) > LANE_AT(step->law.linear_m_per_s, k) ? 1u : 0u;
    run->has_plan = LANE_AT(step->law.rolling_m, k) > 0.0 || LANE_AT(plan->asks, k) > 0.0 || is_struck ? 0u : 1u;
    run->next.graded_s = LANE_AT(plan->graded_s, k);
    run->next.stable_s = LANE_AT(plan->stable_s, k);
    run->next.stiff_s = LANE_AT(plan->stiff_s, k);
    run->next.leave_s = LANE_AT(plan->leave_s, k);
    run->next.noise = LANE_AT(plan->noise, k);
    run->next.controlled = LANE_AT(plan->controlled, k) > 0.0 ? 1u : 0u;
}

/// All stages of the steps that have been loaded (ball_take), and their plans. Lanes that were not loaded do no harm.
FN void batch_try(BallBatch *batch) {
    WIDE_NAME(ball_step_try)(&batch->step, batch->now);
    WIDE_NAME(ball_plan_step)(&batch->step, batch->now, &batch->plan);
}

#endif // PACK > 1

#endif
