// Trials of a planned substep, by itself or together with those of other scenes, until its error is small enough.
#ifndef CLACK_STEPPER_STEP_CONTROL_H
#define CLACK_STEPPER_STEP_CONTROL_H

#include "pairs/broad_phase.h"
#include "pairs/candidate_gaps.h"
#include "integrate/step_plan.h"
#include "stepper/active.h"
#include "stepper/corner_batch.h"
#include "stepper/step_end.h"
#include "stepper/substep.h"

#define ADVANCE_REJECTS_MAX 40u
#define ADVANCE_LISTS_MAX 16u

// Substep.tried
#define TRIED_NOT 0u
#define TRIED_HERE 1u   // alone
#define TRIED_SHARED 2u // with those of other scenes (corner_batch.h)

// Substep.told
#define SUBSTEP_DONE 0u  // trial states are those after its h, or the scene has failed
#define SUBSTEP_WANTS 1u // to be tried, alone or with others
#define SUBSTEP_NONE                                                                                                   \
    2u // none: the scene has failed, goes on group by group, or has taken a run of ball-contact steps instead

// A substep. A work-item that carries several scenes serves another while this one waits to be tried. Values needed
// after a call are read from here again: held while a step is tried, they would take registers of a GPU from all
// functions below.
typedef struct Substep {
    const SceneView *view;
    Progress *progress;
    u32 passes; // that may still be taken, this one included
    Reach reach;
    StepPlan plan;
    real h, h_max; // length to be tried or tried; the longest allowed
    u32 any_touching;
    u32 rejects;
    u32 is_shared; // 1: it may wait to be tried with those of other scenes,
    u32 tried;     // TRIED_*: how it has been tried
    u32 told;      // SUBSTEP_*
    u32 lists;     // times that candidates were listed for the present trial
    real end_h;    // where the step just tried has to end,
    u32 end_slot;  // slot of the gaps there,
    u32 turns;     // 1: contacts change there (event_location.h, Located)
} Substep;

/// Does it wait to be tried with others? Then its candidates hold for it.
FN_SHORT u32 step_waits(const Substep *step) {
#if SHARES_CORNERS
    if (!step->is_shared || step->tried || !step->any_touching || !corner_batch_may(step->view)) return 0;
    return is_grouped(step->progress) || !broad_outgrown(step->view, step->h, 0) ? 1u : 0u;
#else
    (void)step;
    return 0;
#endif
}

/// Error of the step just tried, as substep_error.
FN real step_error_of(const Substep *step, real *out_velocity_error) {
    real noise = step->plan.controlled ? step->plan.noise : 0.0;
    return substep_error(step->view, step->h, noise * step->h, step->tried == TRIED_SHARED, out_velocity_error);
}

/// List candidates that hold for the step. Returns 0 if the scene has failed.
FN u32 step_list(const Substep *step) {
    active_renew_candidates(step->view, step->progress, step->h, (real)(1u << step->lists));
    if (step->progress->status != STATUS_RUNNING) return 0;
    // Before the first trial forces are those of the present.
    if (step->any_touching && (step->lists > 0 || step->rejects > 0)) substep_start(step->view, step->progress);
    gaps_measure(step->view, step->progress, step->progress->gap_slot, 0.0, 1);
    return 1;
}

/// One trial of the step's length, unless it has been tried; lists candidates anew if bodies leave their margins. For a
/// step that will be rejected none are listed, however far it goes.
FN_SPINE void step_try(Substep *step) {
    u32 outgrown = step->tried || is_grouped(step->progress)
                       ? 0u
                       : broad_outgrown(step->view, step->h, 0); // lists hold for a whole window
    for (step->lists = 0; step->lists < ADVANCE_LISTS_MAX; step->lists++) {
        if (outgrown && !step_list(step)) return;
        if (!step->tried || step->lists > 0) {
            substep_try(step->view, step->progress, step->h, step->any_touching);
            step->tried = TRIED_HERE;
        }
        outgrown = broad_outgrown(step->view, step->h, 1);
        if (!outgrown) return;
        real velocity_error;
        if (step->plan.controlled && !(step_error_of(step, &velocity_error) <= 1.0)) return;
    }
    // A body that leaves every margin within one step is no longer finite; the caller's check finds that.
}

/// Try shorter steps, from the present trial on, until the embedded error is small enough. Returns SUBSTEP_*.
FN u32 step_judge(Substep *step) {
    // The first trial may be as short as the time to a stop.
    while (step->rejects < ADVANCE_REJECTS_MAX && (step->rejects == 0 || step->h > PLAN_SHORTEST_S)) {
        if (step_waits(step)) return SUBSTEP_WANTS;
        step_try(step);
        const SceneView *view = step->view;
        Progress *progress = step->progress;
        u32 controlled = step->plan.controlled;
        if (controlled && (work_is_spent(view, progress) || progress->status != STATUS_RUNNING)) return SUBSTEP_DONE;
        if (!controlled && (!step->any_touching || view->scene->flags & SCENE_RK4))
            return SUBSTEP_DONE; // its error is not estimated
        real velocity_error, h = step->h;
        real error = step_error_of(step, &velocity_error);
        velocity_error += substep_strike_error(view, progress, h, &error);
        if (!controlled) { // its error is counted, not controlled
            progress->error_sum_m_per_s += velocity_error;
            return SUBSTEP_DONE;
        }
        error = real_max(error, substep_spring_error(view));
        real next = h * plan_growth(error);
        if (error <= 1.0) {
            progress->error_sum_m_per_s += velocity_error;
            // A step cut short by a stop or an event does not argue against longer ones.
            plan_remember(view, next, step->rejects == 0 && h < step->plan.h ? 1u : 0u, 1);
            return SUBSTEP_DONE;
        }
        progress->rejects++;
        progress->step_substeps++;
        step->rejects++;
        step->tried = TRIED_NOT;
        plan_remember(view, next, 0, 0);
        step->h = plan_retreat(view, h, next);
    }
    step->progress->status = STATUS_STEP_UNDERFLOW;
    return SUBSTEP_DONE;
}

/// Try the planned substep.
FN_SPINE void step_controlled(Substep *step) {
    if (step->told != SUBSTEP_NONE) step->told = step_judge(step);
}

#endif
