// Ball runs that continue in lanes. As long as steps are plain (no event), without error control, and nothing reads
// them one by one, those of all scenes are judged, accepted and planned in lanes, as by ball_judge, ball_accept and
// ball_plan_next (ball_run.h), bit for bit. For any other step a run goes back to ball_run.h.
#ifndef CLACK_STEPPER_BALL_LANES_RUN_H
#define CLACK_STEPPER_BALL_LANES_RUN_H

#include "integrate/motion.h"
#include "integrate/step_error.h"
#include "integrate/step_plan.h"
#include "stepper/ball_lanes_try.h"
#include "stepper/ball_run.h"
#include "stepper/event_location.h"
#include "stepper/frames.h"
#include "stepper/observe.h"

#if SIDE_BY_SIDE > 1

/// May the run whose step has been loaded continue in lanes? Then no frame lies before its stop, and nothing is watched
/// in its steps but the deepest penetration.
FN u32 ball_lanes_run_may(const SceneView *view, SCENE_SPACE const Progress *progress, const BallRun *run) {
    Frames frames = frames_within(view, progress, REAL_HUGE, run->end.stop);
    if (frames.first != frames.end) return 0;
    if (!run->is_private || run->is_peak || run->plan.controlled || view->slot->live_count != 1) return 0;
    for (u32 w = 0; w < watch_count(view); w++) {
        if (view->watches[w].observable == WATCH_PENETRATION && view->watches[w].sense != WATCH_MAX) return 0;
    }
    return 1;
}

/// Load what else lanes need of a run whose step has been loaded.
FN void ball_lanes_run_load(const SceneView *view, SCENE_SPACE const Progress *progress, BallLanes *balls, u32 k,
                            const BallRun *run) {
    BallLanesRun *to = &balls->run;
    LANE_AT(to->is_run, k) = LANE_AT(to->goes_on, k) = LANE_AT(to->taken, k) = 0.0;
    real left = real_floor(ball_trials_left(view, progress));
    if (left < 1.0 || !ball_lanes_run_may(view, progress, run)) return;
    const BallBody *ball = &run->pair.step.ball;
    GLOBAL const BodyWork *work = &view->works[ball->body];
    LANE_AT(to->is_run, k) = 1.0;
    LANE_AT(to->steps, k) = (real)run->steps;
    LANE_AT(to->steps_most, k) = real_min((real)BALL_RUN_STEPS_MAX, (real)run->steps + left - 1.0);
    LANE_AT(to->offset_s, k) = progress->offset_s;
    LANE_AT(to->stop_s, k) = run->end.stop;
    LANE_AT(to->h_max_s, k) = run->h_max;
    LANE_AT(to->to_stop, k) = run->to_stop ? 1.0 : 0.0;
    LANE_AT(to->travel_m, k) = work->bounds.travel_m;
    LANE_AT(to->margin_m, k) = work->bounds.margin_m;
    LANE_AT(to->clearance_m, k) = run->clearance_m;
    LANE_AT(to->radius_m, k) = real_max(view->bodies[ball->body].radius_m, STEP_ERROR_RADIUS_LEAST_M);
    LANE_AT(to->gap_m, k) = run->candidate->gap_m[progress->gap_index];
    LANE_AT(to->rate_m_per_s, k) = run->candidate->rate_m_per_s[progress->gap_index];
    LANE_AT(to->error_sum_m_per_s, k) = progress->error_sum_m_per_s;
    LANE_AT(to->loss_J, k) = run->pair.contact->total.loss_J;
    LANE_AT(to->dissipated_J, k) = progress->dissipated_J;
    wide_put(&to->impulse_N_s, k, ball_touch_done(&run->pair.step.touch, run->pair.contact->total.impulse_N_s));
    wide_put_quat(&balls->step.ball.orientation, k, ball->orientation);
    LANE_AT(to->deepest_m, k) = -REAL_HUGE;
}

/// Is any of the numbers above zero?
FN_SHORT u32 ball_lanes_run_any(SceneLane numbers) {
    u32 any = 0;
    for (u32 k = 0; k < SIDE_BY_SIDE; k++) any |= LANE_AT(numbers, k) > 0.0 ? 1u : 0u;
    return any;
}

/// Rotate the balls by the accepted steps; before ball_lanes_run_accept, which replaces the states at the start.
FN void ball_lanes_run_rotate(BallLanes *balls) {
    WIDE_NAME(BallBody) *ball = &balls->step.ball;
    for (u32 k = 0; k < SIDE_BY_SIDE; k++) {
        Vec3 turned = wide_get(&ball->turned, k);
        if (!(LANE_AT(balls->run.good, k) > 0.0) || vec3_max_abs(turned) == 0.0) continue;
        Quat now =
            motion_rotate_ball(wide_get_quat(&ball->orientation, k), turned, wide_get(&ball->start.spin_rad_per_s, k),
                               wide_get(&ball->at.spin_rad_per_s, k), LANE_AT(balls->step.h, k));
        wide_put_quat(&ball->orientation, k, now);
    }
}

#define LANE_WIDTH SIDE_BY_SIDE

/// Which of the steps just tried are accepted, as ball_judge; and the sums over them, as ball_accept.
FN_APART void ball_lanes_run_judge(BallLanes *balls) {
    BallLanesRun *run = &balls->run;
    const BallStep *step = &balls->step;
    const BallEvaluation *now = balls->now;
    Lane h = step->h, gap = now->gap_m, rate = now->rate_m_per_s, gap_before = run->gap_m, none = lane_of(0.0);
    Lane path = step->ball.path_m, travel = run->travel_m + path, clearance = run->clearance_m - path;
    Lane size = now->force.normal_N + vec3_max_abs(step->ball.at.spin_rad_per_s);
    LaneMask is_last = lane_not(h < run->h_max_s) & (run->to_stop > 0.0);
    LaneMask good = (run->is_run > 0.0) & lane_not(is_last) & (gap < 0.0);
    good = good & (run->rate_m_per_s * rate > 0.0); // no peak
    good = good & (lane_abs(size) < REAL_HUGE) & (clearance > 0.0) & (travel <= run->margin_m);
    Lane fastest = law_max_closing(gap_before, run->rate_m_per_s, gap, rate, h, now->error_m);
    good = good & lane_not(lane_max(step->fastest_m_per_s, fastest) > step->touch.law.strike_m_per_s);
    Lane error = ball_velocity_error(&step->ball, h, run->radius_m), offset = run->offset_s;
    Lane depth = lane_max(-gap_before, -gap);
    LaneMask deeper = good & (depth > run->deepest_m);
    run->good = lane_select(good, lane_of(1.0), none);
    run->deepest_m = lane_select(deeper, depth, run->deepest_m);
    run->deepest_offset_s = lane_select(deeper, offset, run->deepest_offset_s);
    run->deepest_after_s = lane_select(deeper, lane_select(-gap > -gap_before, h, none), run->deepest_after_s);
    run->error_sum_m_per_s = lane_select(good, run->error_sum_m_per_s + lane_max(none, error), run->error_sum_m_per_s);
    run->travel_m = lane_select(good, travel, run->travel_m);
    run->clearance_m = lane_select(good, clearance, run->clearance_m);
    run->offset_s = lane_select(good, offset + h, offset);
    run->gap_m = lane_select(good, gap, gap_before);
    run->rate_m_per_s = lane_select(good, rate, run->rate_m_per_s);
    run->taken = run->taken + run->good;
}

/// Numbers of good steps in place of those before them.
FN_SHORT void ball_lanes_run_take(LaneMask good, Lane *to, const Lane *from, u32 count) {
    UNROLLED for (u32 i = 0; i < count; i++) to[i] = lane_select(good, from[i], to[i]);
}

/// Accept the good steps: the states at their ends become the present ones.
FN_APART void ball_lanes_run_accept(BallLanes *balls) {
    BallLanesRun *run = &balls->run;
    BallStep *step = &balls->step;
    BallBody *ball = &step->ball;
    LaneMask good = run->good > 0.0;
    ball_lanes_run_take(good, (Lane *)&ball->start, (const Lane *)&ball->at, sizeof(BallState) / sizeof(Lane));
    ball_lanes_run_take(good, (Lane *)ball->rates, (const Lane *)&ball->rates[STAGES - 1], BALL_RATE_NUMBERS);
    run->loss_J = lane_select(good, run->loss_J + step->touch.loss_J, run->loss_J);
    run->dissipated_J = lane_select(good, run->dissipated_J + step->touch.loss_J, run->dissipated_J);
    run->impulse_N_s = vec3_select(good, vec3_add(run->impulse_N_s, step->touch.impulse_N_s), run->impulse_N_s);
}

/// Plan the steps after the accepted ones, as ball_plan_next.
FN_APART void ball_lanes_run_plan(BallLanes *balls) {
    BallLanesRun *run = &balls->run;
    BallStep *step = &balls->step;
    const BallEvaluation *now = balls->now;
    Lane left = run->stop_s - run->offset_s, none = lane_of(0.0), one = lane_of(1.0);
    Lane longest = ball_longest(step->ball.at.spin_rad_per_s);
    Lane h_max = lane_min(longest, left), h = ball_halve(lane_min(balls->plan.next.graded_s, h_max), h_max);
    LaneMask goes_on = lane_not(balls->plan.next.controlled > 0.0) & (run->good > 0.0) & (h > 0.0);
    goes_on = goes_on & lane_not(run->gap_m + run->rate_m_per_s * h >= 0.0) & (run->steps < run->steps_most);
    run->goes_on = lane_select(goes_on, one, none);
    run->steps = run->steps + run->goes_on;
    run->h_max_s = lane_select(goes_on, h_max, run->h_max_s);
    run->to_stop = lane_select(goes_on, lane_select(longest < left, none, one), run->to_stop);
    step->h = lane_select(goes_on, h, step->h);
    step->touch.start_force_N = vec3_select(goes_on, now->force.force_N, step->touch.start_force_N);
    step->touch.start_loss_W = lane_select(goes_on, now->force.loss_W, step->touch.start_loss_W);
}

#undef LANE_WIDTH

/// Try the steps that have been loaded; judge, accept and plan those of runs that continue in lanes.
FN void ball_lanes_run_try(BallLanes *balls) {
    WIDE_NAME(BallEvaluation) *start = balls->now; // the contacts at the start of the steps
    balls->now = balls->kept;
    balls->kept = start;
    ball_lanes_try(balls);
    if (!ball_lanes_run_any(balls->run.is_run)) return;
    ball_lanes_run_judge(balls);
    ball_lanes_run_rotate(balls);
    ball_lanes_run_accept(balls);
    ball_lanes_run_plan(balls);
}

/// Record the deepest penetration of the accepted steps, as ball_observe.
FN void ball_lanes_run_observe(const SceneView *view, SCENE_SPACE Progress *progress, BallLanesRun *runs, u32 k,
                               GLOBAL const Candidate *own) {
    real deepest = LANE_AT(runs->deepest_m, k), offset = progress->offset_s;
    if (deepest > DEEP_SHARE * observe_smaller_m(view, own)) progress->flags |= FLAG_DEEP_CONTACT;
    progress->max_penetration_m = real_max(real_max(0.0, deepest), progress->max_penetration_m);
    progress->offset_s = LANE_AT(runs->deepest_offset_s, k);
    real time = scene_time(view, progress);
    progress->offset_s = offset;
    for (u32 w = 0; w < watch_count(view); w++) {
        if (event_is_watched(view, w, own, WATCH_PENETRATION))
            observe_raise_extreme(&view->extremes[w], WATCH_MAX, deepest, time + LANE_AT(runs->deepest_after_s, k));
    }
}

/// Store a run that does not continue in lanes, with the step that was tried. Returns its next phase: if that step was
/// accepted PHASE_BALL_PLAN, else PHASE_BALL_JUDGE.
FN u32 ball_lanes_run_store(const SceneView *view, SCENE_SPACE Progress *progress, BallLanes *balls, u32 k,
                            BallRun *run) {
    BallLanesRun *runs = &balls->run;
    WIDE_NAME(BallStep) *step = &balls->step;
    ball_lanes_store_run(balls, k, run);
    LANE_AT(runs->is_run, k) = LANE_AT(runs->goes_on, k) = 0.0;
    if (!(LANE_AT(runs->taken, k) > 0.0)) return PHASE_BALL_JUDGE;
    u32 taken = (u32)LANE_AT(runs->taken, k), is_good = LANE_AT(runs->good, k) > 0.0 ? 1u : 0u;
    BallTouch *touch = &run->pair.step.touch;
    BallBody *ball = &run->pair.step.ball;
    GLOBAL BodyWork *work = &view->works[ball->body];
    GLOBAL Contact *contact = run->pair.contact;
    WIDE_GET(&step->ball.start, k, &ball->start);
    WIDE_GET(&step->ball.rates[0], k, &ball->rates[0]);
    ball->orientation = wide_get_quat(&step->ball.orientation, k);
    ball_lanes_store_evaluation(is_good ? balls->now : balls->kept, k, &run->last);
    touch->start_force_N = run->last.force.force_N;
    touch->start_loss_W = run->last.force.loss_W;
    run->is_stored = 0;
    run->steps = (u32)LANE_AT(runs->steps, k);
    run->clearance_m = LANE_AT(runs->clearance_m, k);
    run->h = run->plan.h = LANE_AT(step->h, k);
    run->h_max = LANE_AT(runs->h_max_s, k);
    run->to_stop = LANE_AT(runs->to_stop, k) > 0.0 ? 1u : 0u;
    progress->error_sum_m_per_s = LANE_AT(runs->error_sum_m_per_s, k);
    run->candidate->gap_m[progress->gap_index] = LANE_AT(runs->gap_m, k);
    run->candidate->rate_m_per_s[progress->gap_index] = LANE_AT(runs->rate_m_per_s, k);
    work->control.has_new_contact = 0;
    work->bounds.travel_m = LANE_AT(runs->travel_m, k);
    contact->total.impulse_N_s = ball_touch_done(touch, wide_get(&runs->impulse_N_s, k));
    contact->total.loss_J = LANE_AT(runs->loss_J, k);
    progress->dissipated_J = LANE_AT(runs->dissipated_J, k);
    progress->offset_s = LANE_AT(runs->offset_s, k);
    ball_count_trials(view, progress, taken);
    progress->substeps += taken;
    progress->step_substeps += taken;
    run->before = ball_control_now(view, progress, &run->pair); // a step that was not good is undone to here
    ball_lanes_run_observe(view, progress, runs, k, run->candidate);
    return is_good ? PHASE_BALL_PLAN : PHASE_BALL_JUDGE;
}

#endif // SIDE_BY_SIDE > 1

#endif
