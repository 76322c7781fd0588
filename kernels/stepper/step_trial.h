// One planned substep: its list of candidates, and trials until its error is small enough.
#ifndef CLACK_STEPPER_STEP_TRIAL_H
#define CLACK_STEPPER_STEP_TRIAL_H

#include "model/scheme_policy.h"
#include "pairs/broad_phase.h"
#include "pairs/candidate_gaps.h"
#include "integrate/step_plan.h"
#include "stepper/active.h"
#include "stepper/ball_run.h"
#include "stepper/corner_lanes_try.h"
#include "stepper/event_location.h"
#include "stepper/phases.h"
#include "stepper/step_end.h"
#include "stepper/substep.h"

#define STEP_REJECTS_MAX 40u
#define STEP_LISTS_MAX 16u

// A scene in progress. Values needed after a call are read from here again: kept while a step is tried, they would take
// registers of a GPU from all functions below.
typedef struct SceneRun {
    const SceneView *view;
    SCENE_SPACE Progress *progress;
    u32 phase;  // the next: PHASE_*
    u32 passes; // passes left in this launch or time slice, with the present one
    // The present substep:
    StepLimit limit;
    StepPlan plan;
    WindowSearch window; // that is about to be opened
    real h, h_max;       // length of the trial; the longest allowed
    u32 any_touching;
    u32 rejects;
    u32 lists;         // how often the candidates were listed for this length
    u32 is_solved;     // 1: the equations of the step just tried have been solved
    u32 has_error;     // 1: rates[1] of the bodies is the embedded error (corner_lanes_try.h)
    Located end;       // where the step just tried has to end
    BallRun *balls;    // in the phases of a ball run
    Locating locating; // the search, in PHASE_SEARCH; last, as it is of use only there
} SceneRun;

/// May the trial be made together with those of other scenes?
FN_SHORT u32 step_is_shared(SCENE_SPACE const SceneRun *run) {
#if SHARES_CORNERS
    return run->any_touching && corner_lanes_may(run->view) ? 1u : 0u;
#else
    (void)run;
    return 0;
#endif
}

/// Error of the step just tried, as substep_error_estimate.
FN real step_error_estimate(SCENE_SPACE const SceneRun *run, real *out_velocity_error) {
    real noise = run->plan.controlled ? run->plan.noise : 0.0;
    return substep_error_estimate(run->view, run->h, noise * run->h, run->has_error, out_velocity_error);
}

/// List the candidates of the step. Returns 0 if the scene has failed.
FN u32 step_list_candidates(SCENE_SPACE const SceneRun *run) {
    active_renew_candidates(run->view, run->progress, run->h, (real)(1u << run->lists));
    if (run->progress->status != STATUS_RUNNING) return 0;
    // Before the first trial the forces are still those of the start of the step.
    if (run->any_touching && (run->lists > 0 || run->rejects > 0)) substep_start(run->view, run->progress);
    gaps_evaluate(run->view, run->progress, run->progress->gap_index, 0.0, 1);
    return 1;
}

/// PHASE_LIST, but for a step that may leave the margins of the present list. Returns 0 for such a one. The list of a
/// window of groups is kept to its end.
FN u32 step_keeps_list(SCENE_SPACE SceneRun *run) {
    run->lists = 0;
    if (!is_grouped(run->progress) && broad_outgrown(run->view, run->h, 0)) return 0;
    run->phase = PHASE_TRY;
    return 1;
}

/// PHASE_LIST: list the candidates again if the step may leave the margins of the present list.
FN void step_phase_list(SCENE_SPACE SceneRun *run) {
    if (!step_keeps_list(run)) run->phase = step_list_candidates(run) ? PHASE_TRY : PHASE_ACCEPT;
}

/// PHASE_RELIST: list the candidates again for a flight, or a window of groups, of run->h that is not planned yet.
FN void step_phase_relist(SCENE_SPACE SceneRun *run) {
    run->lists = run->rejects = 0; // none has been tried
    u32 next = run->any_touching ? PHASE_WINDOW : PHASE_PLAN;
    run->phase = step_list_candidates(run) ? next : PHASE_ACCEPT;
}

/// PHASE_TRY
FN_SPINE void step_phase_try(SCENE_SPACE SceneRun *run) {
    run->is_solved = substep_try(run->view, run->progress, run->h, run->any_touching);
    run->has_error = 0;
    // Where equations are not solved, bodies may be anywhere: the step is halved.
    u32 is_lost = scheme_is_solved(run->view->scene->flags) && !run->is_solved ? 1u : 0u;
    run->phase = is_lost ? PHASE_JUDGE : PHASE_MARGINS;
}

/// PHASE_MARGINS: for a step that will be rejected no candidates are listed, however far it goes. A body that leaves
/// every margin within one step is no longer finite; PHASE_GAPS finds that.
FN void step_phase_margins(SCENE_SPACE SceneRun *run) {
    real velocity_error;
    run->phase = PHASE_JUDGE;
    if (!broad_outgrown(run->view, run->h, 1)) return;
    if (run->plan.controlled && !(step_error_estimate(run, &velocity_error) <= 1.0)) return;
    if (++run->lists == STEP_LISTS_MAX) return;
    run->phase = step_list_candidates(run) ? PHASE_TRY : PHASE_ACCEPT;
}

/// Reject a step whose error is too large, and shorten it. next: the length that the error suggests.
FN void step_reject(SCENE_SPACE SceneRun *run, real next) {
    run->progress->rejects++;
    run->progress->step_substeps++;
    run->rejects++;
    plan_store_controller(run->view, next, 0, 0);
    run->h = plan_fall_back_to_explicit(run->view, run->h, next);
    run->phase = PHASE_LIST;
    if (run->rejects < STEP_REJECTS_MAX && run->h > PLAN_SHORTEST_S) return;
    run->progress->status = STATUS_STEP_UNDERFLOW;
    run->phase = PHASE_ACCEPT;
}

// A step whose equations are not solved is halved, down to this share of its planned length.
#define STEP_SHORTEST_SHARE (1.0 / 1024.0)
// Where Newton's method converges to poses that do not keep the constraints, a long step may have come near another
// solution. If steps of this share do so too, the constraints contradict each other.
#define STEP_CONTRADICTS_SHARE (1.0 / 16.0)

/// Try a step again with the length h.
FN void step_try_again(SCENE_SPACE SceneRun *run, real h) {
    run->progress->rejects++;
    run->progress->step_substeps++;
    run->rejects++;
    run->h = h;
    run->phase = PHASE_LIST;
}

/// Halve a step whose equations have not been solved. One that is still longer than those of an impact is then tried as
/// long as these.
FN void step_halve(SCENE_SPACE SceneRun *run) {
    u32 contradicts = run->view->slot->contradicts && run->h <= STEP_CONTRADICTS_SHARE * run->plan.h ? 1u : 0u;
    step_try_again(run, 0.5 * run->h);
    if (run->h >= STEP_SHORTEST_SHARE * run->plan.h && !contradicts) return;
    if (policy_has_regions(run->view->scene->flags) && !contradicts) {
        real impact = trapezoidal_step_of_impact(run->view, scene_time(run->view, run->progress));
        if (impact < run->h) {
            run->plan.h = run->h = impact;
            return;
        }
    }
    run->progress->status = STATUS_NOT_SOLVED;
    run->phase = PHASE_ACCEPT;
}

/// Keep how long steps with contact regions may be, from the step just tried: half of one that has not been solved,
/// twice one as long as that that has been.
FN_ONCE void step_keep_solvable(SCENE_SPACE const SceneRun *run) {
    GLOBAL Slot *slot = run->view->slot;
    real longest = slot->solvable_s;
    if (!policy_has_regions(run->view->scene->flags)) return;
    SCENE_BARRIER();
    if (run->view->item == 0) {
        if (!run->is_solved) slot->solvable_s = 0.5 * run->h;
        if (run->is_solved && run->h > 0.5 * longest) slot->solvable_s = 2.0 * longest;
        if (!(slot->solvable_s < run->view->scene->step_s)) slot->solvable_s = 0.0;
    }
    SCENE_BARRIER();
}

/// What a step that is accepted leaves of its equations, as it was taken with the contact geometry of its start.
FN_ONCE void step_accept_loose(const SceneView *view, SCENE_SPACE Progress *progress) {
    real residual = view->slot->residual_m_per_s;
    SCENE_BARRIER();
    if (view->item == 0) view->slot->residual_m_per_s = 0.0; // the next step may be one without contacts
    if (!(residual > 0.0)) return;
    progress->flags |= FLAG_LOOSE_TOLERANCE;
    progress->error_sum_m_per_s += residual;
    progress->loose_steps++;
}

/// Does energy not balance in a step with contact regions? It is then tried again as long as one of an impact.
FN_ONCE u32 step_is_unbalanced(SCENE_SPACE SceneRun *run) {
    if (run->view->slot->is_loose) return 0; // its regions are others than those whose energy is known
    real wanted = trapezoidal_step_to_balance(run->view, scene_time(run->view, run->progress), run->h);
    if (!(wanted < run->h)) return 0;
    run->plan.h = wanted;
    step_try_again(run, wanted);
    return 1;
}

/// PHASE_JUDGE: is the error small enough, where it is controlled?
FN void step_phase_judge(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    SCENE_SPACE Progress *progress = run->progress;
    u32 controlled = run->plan.controlled;
    run->phase = PHASE_GAPS;
    if (controlled && (work_is_spent(view, progress) || progress->status != STATUS_RUNNING)) return;
    if (scheme_has_constraints(view->scene->flags) && run->any_touching) step_keep_solvable(run);
    if (scheme_is_solved(view->scene->flags) && !run->is_solved) {
        step_halve(run);
        return;
    }
    if (run->any_touching && policy_has_regions(view->scene->flags) && step_is_unbalanced(run)) return;
    if (!controlled && (!run->any_touching || !scheme_is_adaptive(view->scene->flags)))
        return; // its error is not estimated
    real velocity_error, h = run->h;
    real error = step_error_estimate(run, &velocity_error);
    velocity_error += substep_strike_error(view, progress, h, &error);
    if (!controlled) { // its error is counted, not controlled
        progress->error_sum_m_per_s += velocity_error;
        return;
    }
    error = real_max(error, substep_spring_error(view));
    real next = h * plan_growth(error);
    if (!(error <= 1.0)) {
        step_reject(run, next);
        return;
    }
    progress->error_sum_m_per_s += velocity_error;
    // A step that a stop or an event has cut short is no reason against longer ones.
    plan_store_controller(view, next, run->rejects == 0 && h < run->plan.h ? 1u : 0u, 1);
}

#endif
