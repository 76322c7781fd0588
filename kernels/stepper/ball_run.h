// Ball runs: successive steps of one ball contact (ball_contact.h), while nothing else moves in the scene or group. Any
// other step (with an event; implicit with rolling resistance) is left to scene_stepper.h,
// which takes it from the same start.
#ifndef CLACK_STEPPER_BALL_RUN_H
#define CLACK_STEPPER_BALL_RUN_H

#include "model/scheme_policy.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/law_damping.h"
#include "integrate/islands.h"
#include "integrate/motion.h"
#include "integrate/rodas.h"
#include "integrate/step_plan.h"
#include "fast/ball_contact.h"
#include "stepper/ball_run_checks.h"
#include "stepper/frames.h"
#include "stepper/phases.h"
#include "stepper/substep.h"

#define BALL_RUN_STEPS_MAX 256u // of one pass
#define BALL_RUN_REJECTS_MAX 40u

// Where a run has to end.
typedef struct RunEnd {
    real stop;     // relative to the start of the present outer step
    u32 is_passed; // 1: that is its end, and longer steps may go beyond (step_end.h), but not in a run
} RunEnd;

// A run of steps.
typedef struct BallRun {
    BallContact pair;
    GLOBAL Candidate *candidate;
    RunEnd end;
    real clearance_m; // path length left to both bodies together before either may touch another
    u32 steps;        // planned
    u32 is_peak;      // 1: the step just tried ends at a peak within the trial before
    u32 is_loaded;    // 1: the constants of the run are in its lane (ball_lanes_try.h)
    u32 rejects;      // of the present step
    u32 to_stop;      // 1: h_max ends at the stop
    u32 is_implicit;  // 1: the present step is an implicit one
    real h, h_max;    // length of the trial; the longest allowed
    StepPlan plan;
    RunControl before;
    u32 has_plan; // 1: the plan of the step after the one just tried is known, if that is accepted:
    StepLimits next;
    u32 is_private, is_stored; // 1: states stay in private memory until the run ends; the last accepted step is stored
    BallEvaluation last;       // of the last accepted step, if that is not stored yet
} BallRun;

// States and forces are stored after each step where quantities of bodies or plan_contact read them; otherwise they
// stay in private memory until the run ends.

/// Are states and forces read by nothing but plans before the run ends?
FN u32 ball_is_private(const SceneView *view) {
    for (u32 w = 0; w < watch_count(view); w++) {
        if (view->watches[w].observable < WATCH_PENETRATION && view->extremes[w].gate_open &&
            view->watches[w].sense != WATCH_AT)
            return 0;
    }
    return 1;
}

FN void ball_accept_body(const SceneView *view, BallBody *ball, real h, u32 is_private) {
    if (!ball->moves) return;
    GLOBAL BodyWork *work = &view->works[ball->body];
    work->control.has_new_contact = 0;
    work->bounds.travel_m += ball->path_m;
    if (is_private) {
        ball->orientation = ball_turned(ball, h);
    } else {
        view->states[ball->body] = work->step.trial;
        work->step.rates[0] = work->step.rates[STAGES - 1];
        ball->orientation = work->step.trial.orientation;
    }
    ball->start = ball->at;
    ball->rates[0] = ball->rates[STAGES - 1];
}

/// Try the present step of a run.
FN_WAY void ball_try_step(BallRun *run) {
    BallContact *pair = &run->pair;
    real solved_h = real_max(run->h, SUBSTEP_SHORTEST_S);
    run->has_plan = 0;
#if SIDE_BY_SIDE > 1
    if (pair->is_on_fixed_plane) {
        ball_lanes_try_one(pair, run->h, run->is_implicit ? solved_h : 0.0);
        return;
    }
#endif
    ball_try(pair, run->is_implicit, run->h, solved_h);
    ball_step_estimate(&pair->step, &pair->other, run->is_implicit);
}

FN void ball_write_frame(const SceneView *view, const BallBody *ball, real h, u32 frame) {
    if (!ball->moves) return;
    ball_put_state(&ball->at, ball_turned(ball, h), &view->frames[frame * view->scene->body_count + ball->body]);
}

/// Write the frames within the step that is about to be accepted, which is then tried again: as frames_write_within.
FN_ONCE void ball_read_frames(const SceneView *view, SCENE_SPACE Progress *progress, BallRun *run) {
    if (!HAS(CONTENT_FRAMES)) return;
    Frames frames = frames_within(view, progress, run->h, run->end.stop);
    if (frames.first == frames.end) return;
    real h = run->h;
    u32 has_plan = run->has_plan;
    for (u32 frame = frames.first;; frame++) {
        run->h = frame < frames.end ? real_min(h, frame_time(view, progress, frame) - progress->offset_s) : h;
        ball_try_step(run);
        if (frame == frames.end) break;
        ball_write_frame(view, &run->pair.other, run->h, frame);
        ball_write_frame(view, &run->pair.step.ball, run->h, frame);
        frame_write_motionless(view, progress, frame);
    }
    run->has_plan = has_plan;
    frames_count(progress, frames.end);
}

/// Store the contact as it is at the end of the last accepted step.
FN void ball_store_contact(BallRun *run) {
    const BallTouch *touch = &run->pair.step.touch;
    GLOBAL Contact *contact = run->pair.contact;
    ball_touch_keep(touch, &run->last, contact);
    contact->start.force_N = contact->now.force_N;
    contact->start.loss_W = contact->now.loss_W;
    run->is_stored = 1;
}

/// Accept the step just tried, as stepper_accept.
FN_ONCE void ball_accept(const SceneView *view, SCENE_SPACE Progress *progress, BallRun *run) {
    u32 start = progress->gap_index, end = (start + 1) % GAP_TIMES,
        is_private = run->is_private && !run->is_implicit ? 1u : 0u;
    real h = run->h;
    BallContact *pair = &run->pair;
    BallTouch *touch = &pair->step.touch;
    BallBody *a = &pair->other, *b = &pair->step.ball;
    // Stored only here: plans read the trial states of the start of the step.
    if (!is_private && a->moves) ball_store_trial(view, a, h);
    if (!is_private && b->moves) ball_store_trial(view, b, h);
    ball_observe(view, progress, run->candidate, start, end, h);
    ball_accept_body(view, a, h, is_private);
    ball_accept_body(view, b, h, is_private);
    GLOBAL Contact *contact = pair->contact;
    run->last = pair->end;
    touch->start_force_N = pair->end.force.force_N;
    touch->start_loss_W = pair->end.force.loss_W;
    run->is_stored = 0;
    if (!is_private) ball_store_contact(run);
    contact->total.impulse_N_s = vec3_add(contact->total.impulse_N_s, ball_touch_done(touch, COPY(touch->impulse_N_s)));
    contact->total.loss_J += touch->loss_J;
    progress->dissipated_J += touch->loss_J;
    // Gaps of other candidates are not known at that index, so the present one stays.
    run->candidate->gap_m[start] = pair->end.gap_m;
    run->candidate->rate_m_per_s[start] = pair->end.rate_m_per_s;
    progress->offset_s += h;
    progress->substeps++;
    progress->step_substeps++;
}

FN void ball_store_body(const SceneView *view, const BallBody *ball) {
    if (!ball->moves) return;
    GLOBAL BodyWork *work = &view->works[ball->body];
    ball_put_state(&ball->start, COPY(ball->orientation), &work->step.trial);
    ball_put_state(&ball->start, COPY(ball->orientation), &view->states[ball->body]);
    ball_put_rate(&ball->rates[0], &work->step.rates[0]);
}

/// Store the last accepted step, as stepper_accept would have done.
FN_ONCE void ball_store(const SceneView *view, BallRun *run) {
    if (run->is_stored) return;
    ball_store_body(view, &run->pair.other);
    ball_store_body(view, &run->pair.step.ball);
    ball_store_contact(run);
}

FN_SHORT u32 ball_settles(const SceneView *view, u32 b, Vec3 velocity, Vec3 spin) {
    return body_moves(view, b) && substep_settles(view, b, velocity, spin) ? 1u : 0u;
}

/// Would a run end before its first step, if that were planned as the step before? A wrong answer costs time only.
FN u32 ball_ends_at_once(const SceneView *view, SCENE_SPACE const Progress *progress, RunEnd end) {
    GLOBAL const Contact *contact = &view->contacts[view->active_contacts[0]];
    if (!rodas_is_implicit(view, contact)) return 0;
    if (contact->plan.fast_method != FAST_BALL) return 1;
    if (!end.is_passed || !(2.0 * view->works[island_of(view, contact)].plan.chosen_s > end.stop - progress->offset_s))
        return 0;
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    return ball_settles(view, a, COPY(view->states[a].velocity_m_per_s), COPY(view->states[a].spin_rad_per_s)) |
                   ball_settles(view, b, COPY(view->states[b].velocity_m_per_s), COPY(view->states[b].spin_rad_per_s))
               ? 0u
               : 1u;
}

/// Begin a run of steps up to `end`. Returns 0 if there is none. Rates are known.
FN_ONCE u32 ball_begin(const SceneView *view, SCENE_SPACE const Progress *progress, RunEnd end, BallRun *run) {
    if (!ball_is_alone(view) || ball_ends_at_once(view, progress, end)) return 0;
    GLOBAL Candidate *own = 0;
    EACH_LIVE(i) {
        if (view->candidates[i].contact == view->active_contacts[0]) own = &view->candidates[i];
    }
    if (own == 0) return 0;
    run->clearance_m = ball_clearance(view, own);
    if (!(run->clearance_m > 0.0)) return 0;
    run->candidate = own;
    run->end = end;
    run->steps = run->is_peak = run->is_loaded = run->has_plan = run->is_private = run->is_implicit = 0;
    run->is_stored = 1;
    ball_load(view, &view->contacts[own->contact], &run->pair);
    EACH_LIVE(i) {
        if (&view->candidates[i] != own) view->candidates[i].gap_m[progress->gap_index] = GAP_UNKNOWN;
    }
    MOVING_LOOP(b) view->works[b].control.implicit = 0;
    return 1;
}

/// The plan of the next step of the contact.
FN StepPlan ball_plan(const SceneView *view, BallRun *run) {
    GLOBAL Contact *contact = run->pair.contact;
    StepPlan plan = plan_nothing();
    if (run->has_plan) {
        plan.h = run->next.graded_s;
        if (!(run->next.controlled > 0.0)) return plan; // its contact is not needed
        plan.noise = plan_keep(contact, &run->next);
    } else {
        ball_store(view, run);
        plan.noise = plan_contact(view, contact);
    }
    plan.controlled = contact->plan.controlled;
    plan.h = contact->plan.graded_s;
    if (!plan.controlled) return plan;
    plan_islands(view);
    plan.h = view->works[island_of(view, contact)].plan.chosen_s;
    return plan;
}

/// Choose the method for a step of h, as plan_methods. Returns 0 if runs do not have it.
FN u32 ball_plan_method(const SceneView *view, BallRun *run, real h) {
    GLOBAL const IslandPlan *plan = &view->works[island_of(view, run->pair.contact)].plan;
    run->is_implicit = run->plan.controlled && plan->implicit && plan->explicit_limit_s < h ? 1u : 0u;
    const BallBody *a = &run->pair.other, *b = &run->pair.step.ball;
    if (a->moves) view->works[a->body].control.implicit = run->is_implicit;
    if (b->moves) view->works[b->body].control.implicit = run->is_implicit;
    return !run->is_implicit || run->pair.contact->plan.fast_method == FAST_BALL ? 1u : 0u;
}

/// Does the next step go beyond the end of the outer step, as step_extend_across_end decides?
FN_ONCE u32 ball_crosses_outer_end(const SceneView *view, const BallRun *run, real h_max) {
    if (!run->to_stop || !(2.0 * run->plan.h > h_max)) return 0;
    if (!view->works[island_of(view, run->pair.contact)].plan.implicit) return 0;
    const BallBody *a = &run->pair.other, *b = &run->pair.step.ball;
    return ball_settles(view, a->body, COPY(a->start.velocity_m_per_s), COPY(a->start.spin_rad_per_s)) |
                   ball_settles(view, b->body, COPY(b->start.velocity_m_per_s), COPY(b->start.spin_rad_per_s))
               ? 0u
               : 1u;
}

/// Will a step of h, estimated from its start, leave the margins for which candidates were listed? ball_is_clear would
/// refuse it.
FN_ONCE u32 ball_outgrows(const SceneView *view, const BallRun *run, real h) {
    const BallBody *a = &run->pair.other, *b = &run->pair.step.ball;
    real path_a = ball_path(h, vec3_length(a->start.velocity_m_per_s));
    real path_b = ball_path(h, vec3_length(b->start.velocity_m_per_s));
    if (!(run->clearance_m - (path_a + path_b) > 0.0)) return 1;
    return ball_has_margin(view, a, path_a) && ball_has_margin(view, b, path_b) ? 0u : 1u;
}

/// Plan the next step. Returns 0 if it is no step of a run.
FN_ONCE u32 ball_plan_next(const SceneView *view, SCENE_SPACE const Progress *progress, BallRun *run) {
    BallContact *pair = &run->pair;
    const BallBody *a = &pair->other, *b = &pair->step.ball;
    real h_max = run->end.stop - progress->offset_s, longest = REAL_HUGE;
    if (a->moves) longest = ball_longest(COPY(a->start.spin_rad_per_s));
    if (b->moves) longest = real_min(longest, ball_longest(COPY(b->start.spin_rad_per_s)));
    run->to_stop = longest < h_max ? 0u : 1u;
    if (!run->to_stop) h_max = longest;
    run->plan = ball_plan(view, run);
    if (run->plan.controlled & run->end.is_passed && ball_crosses_outer_end(view, run, h_max)) return 0;
    real h = real_min(run->plan.h, h_max);
    if (!ball_plan_method(view, run, h)) return 0;
    h = ball_halve(h, h_max);
    if (run->is_implicit && ball_outgrows(view, run, h)) return 0; // explicit ones are short
    if (!(h > 0.0) || ball_may_separate(run->candidate, progress->gap_index, h)) return 0;
    run->before = ball_control_now(view, progress, pair);
    run->h = h;
    run->h_max = h_max;
    run->rejects = 0;
    run->is_peak = 0;
    return 1;
}

/// A body of the contact that moves.
FN_SHORT u32 ball_moving_body(const BallContact *pair) {
    return pair->other.moves ? pair->other.body : pair->step.ball.body;
}

/// Is the error of the step just tried small enough, as in step_phase_judge? If not, shorten the step.
FN_ONCE u32 ball_check_error(const SceneView *view, SCENE_SPACE Progress *progress, BallRun *run) {
    u32 controlled = run->plan.controlled;
    real h = run->h, floor = controlled ? run->plan.noise * h : 0.0, velocity_error = 0.0;
    real error = real_max(ball_error(view, &run->pair.other, h, floor, controlled, &velocity_error),
                          ball_error(view, &run->pair.step.ball, h, floor, controlled, &velocity_error));
    if (!controlled || error <= 1.0) progress->error_sum_m_per_s += velocity_error;
    if (!controlled) return 1;
    real next = h * plan_growth(error);
    plan_store_controller(view, next, error <= 1.0 && run->rejects == 0 && h < run->plan.h ? 1u : 0u,
                          error <= 1.0 ? 1u : 0u);
    if (error <= 1.0) return 1;
    progress->rejects++;
    progress->step_substeps++;
    run->rejects++;
    run->h = run->is_implicit ? plan_fall_back_to_explicit(view, h, next) : next;
    run->is_implicit = view->works[ball_moving_body(&run->pair)].control.implicit;
    return 0;
}

/// Does the step just tried stay clear of other bodies, and within the margins of the lists?
FN u32 ball_is_clear(const SceneView *view, BallRun *run) {
    BallContact *pair = &run->pair;
    run->clearance_m -= pair->other.path_m + pair->step.ball.path_m;
    return run->clearance_m > 0.0 && ball_has_margin(view, &pair->other, pair->other.path_m) &&
                   ball_has_margin(view, &pair->step.ball, pair->step.ball.path_m)
               ? 1u
               : 0u;
}

/// Has the contact closed faster in the step just tried than ever (contact_update_strike_damping)? scene_stepper.h
/// takes such a step.
FN u32 ball_is_struck(const SceneView *view, SCENE_SPACE const Progress *progress, const BallRun *run) {
    const BallEvaluation *end = &run->pair.end;
    if (!policy_damps_each_strike(view->scene->flags)) return 0;
    real fastest =
        law_max_closing(run->candidate->gap_m[progress->gap_index], run->candidate->rate_m_per_s[progress->gap_index],
                        end->gap_m, end->rate_m_per_s, run->h, end->error_m);
    return fastest > run->pair.step.touch.law.strike_m_per_s ? 1u : 0u;
}

/// The next phase after a trial. PHASE_BALL_PLAN: it is accepted; PHASE_BALL_TRY: another length is tried; PHASE_PLAN:
/// it is no step of a run.
FN_ONCE u32 ball_judge(const SceneView *view, SCENE_SPACE Progress *progress, BallRun *run) {
    u32 is_peak = run->is_peak;
    real left = ball_trials_left(view, progress);
    ball_count_trials(view, progress, 1);
    if (left < 1.0 || ball_is_struck(view, progress, run)) return PHASE_PLAN;
    if (is_peak)
        progress->resteps++;
    else if (!ball_check_error(view, progress, run))
        return run->rejects < BALL_RUN_REJECTS_MAX ? PHASE_BALL_TRY : PHASE_PLAN;
    if (!ball_keep_gap(progress, &run->pair, run->candidate)) return PHASE_PLAN;
    real peak = ball_peak(view, progress, run->candidate, run->h);
    if (is_peak ? peak != run->h : peak > run->h) return PHASE_PLAN;
    if (peak < run->h) {
        run->h = peak;
        run->is_peak = 1;
        return PHASE_BALL_TRY;
    }
    return ball_is_clear(view, run) ? PHASE_BALL_PLAN : PHASE_PLAN;
}

/// PHASE_BALL_PLAN. Returns the next phase.
FN_WAY u32 ball_phase_plan(const SceneView *view, SCENE_SPACE Progress *progress, BallRun *run) {
    if (run->steps++ < BALL_RUN_STEPS_MAX && ball_plan_next(view, progress, run)) return PHASE_BALL_TRY;
    ball_store(view, run);
    return PHASE_PLAN;
}

/// PHASE_BALL_JUDGE. Returns the next phase; PHASE_STOPS: the run has come to its end.
FN_WAY u32 ball_phase_judge(const SceneView *view, SCENE_SPACE Progress *progress, BallRun *run) {
    u32 next = ball_judge(view, progress, run);
    if (next == PHASE_BALL_TRY) return next;
    if (next == PHASE_PLAN) {
        RunControl before = run->before;
        ball_control_undo(view, progress, &run->pair, before);
        ball_store(view, run);
        return next;
    }
    ball_read_frames(view, progress, run);
    ball_accept(view, progress, run);
    if (run->h < run->h_max || !run->to_stop) return PHASE_BALL_PLAN;
    progress->offset_s = run->end.stop; // the grid exactly, not the sum of steps
    ball_store(view, run);
    return PHASE_STOPS;
}

#endif
