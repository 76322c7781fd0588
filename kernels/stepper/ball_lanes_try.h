// Steps of ball runs (ball_run.h) of several scenes tried together: from the runs into lanes (ball_step.h) and back.
#ifndef CLACK_STEPPER_BALL_LANES_TRY_H
#define CLACK_STEPPER_BALL_LANES_TRY_H

#include "base/lanes.h"
#include "geometry/narrow_phase.h"
#include "fast/ball_contact.h"
#include "fast/ball_lanes.h"
#include "stepper/ball_run.h"

#if SIDE_BY_SIDE > 1

typedef WIDE_NAME(Lane) SceneLane; // one number for each scene
typedef WIDE_NAME(Vec3) SceneLaneVec3;

// Runs that continue in lanes (ball_lanes_run.h): the values of BallRun, Progress, Contact, Candidate and BodyWork that
// change in such a run.
typedef struct BallLanesRun {
    SceneLane is_run;       // 1: it may continue in lanes; else its steps are judged one by one (ball_run.h)
    SceneLane goes_on;      // 1: it continues in lanes; its next step is to be tried
    SceneLane good;         // 1: the step just tried is accepted in lanes
    SceneLane steps, taken; // planned in all; accepted in lanes
    SceneLane steps_most;   // that may be planned in all: BALL_RUN_STEPS_MAX, or what the limits of the scene allow
    SceneLane offset_s, stop_s, h_max_s, to_stop;
    SceneLane travel_m, margin_m, clearance_m, radius_m;
    SceneLane gap_m, rate_m_per_s; // at the start of the step
    SceneLane error_sum_m_per_s, loss_J, dissipated_J;
    SceneLaneVec3 impulse_N_s;                              // this and the loss: of the contact
    SceneLane deepest_m, deepest_offset_s, deepest_after_s; // of accepted steps; start of that step; time within it
} BallLanesRun;

typedef struct BallLanes {
    WIDE_NAME(BallStep) step;
    WIDE_NAME(BallPlan) plan;
    BallLanesRun run;
    // At the end of the step (now) and, if it was accepted in lanes, at its start (kept); swapped at each step.
    WIDE_NAME(BallEvaluation) evaluated[2], *now, *kept;
} BallLanes;

/// Clear all lanes: unused ones are evaluated as well, and must not hold NaN.
FN void ball_lanes_clear(BallLanes *balls) {
    BallLanes nothing = ALL_ZERO;
    *balls = nothing;
    balls->now = &balls->evaluated[0];
    balls->kept = &balls->evaluated[1];
}

/// Load the constants of a run that begins.
FN void ball_lanes_load_run(const SceneView *view, BallLanes *balls, u32 k, BallRun *run) {
    const BallContact *pair = &run->pair;
    WIDE_NAME(BallPlan) *plan = &balls->plan;
    run->is_private = pair->step.touch.law.rolling_m > 0.0 ? 0u : ball_is_private(view);
    ball_lanes_load(&balls->step, k, pair);
    LANE_AT(plan->graded_steps, k) = (real)view->scene->graded_steps;
    LANE_AT(plan->fine_square, k) = plan_fine_square(view->laws[pair->contact->pair.law], view->scene->tolerance);
    LANE_AT(plan->gravity_bound, k) = vec3_length(pair->step.gravity_m_per_s2);
    LANE_AT(plan->damping_limit, k) = view->slot->damping_limit;
    LANE_AT(plan->inertia_bound, k) = vec3_max_abs(pair->step.ball.inverse_inertia);
}

/// Load the start of the present step of a run.
FN void ball_lanes_load_run_step(BallLanes *balls, u32 k, const BallRun *run) {
    ball_lanes_load_step(&balls->step, k, &run->pair, run->h);
}

/// Store the step that was tried, and the plan of the next one if it is accepted. There is no plan with rolling
/// resistance, where plan_contact is needed, and where damping changes with the step.
FN void ball_lanes_store_run(BallLanes *balls, u32 k, BallRun *run) {
    WIDE_NAME(BallStep) *step = &balls->step;
    WIDE_NAME(BallPlan) *plan = &balls->plan;
    ball_lanes_store(step, balls->now, k, &run->pair);
    ball_lanes_store_error(step, k, &run->pair.step.ball);
    u32 is_struck = LANE_AT(step->fastest_m_per_s, k) > LANE_AT(step->touch.law.strike_m_per_s, k) ? 1u : 0u;
    run->has_plan =
        LANE_AT(step->touch.law.rolling_m, k) > 0.0 || LANE_AT(plan->needs_plan_contact, k) > 0.0 || is_struck ? 0u
                                                                                                               : 1u;
    WIDE_GET(&plan->next, k, &run->next);
}

/// All stages of the steps that have been loaded (ball_try_step), and their plans. Lanes that were not loaded do no
/// harm.
FN void ball_lanes_try(BallLanes *balls) {
    WIDE_NAME(ball_step_try)(&balls->step, 0, balls->now);
    WIDE_NAME(ball_step_estimate)(&balls->step, 0, 0);
    WIDE_NAME(ball_plan_step)(&balls->step, balls->now, &balls->plan);
}

#endif // SIDE_BY_SIDE > 1

#endif
