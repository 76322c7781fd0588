// Where the next step may end: gates, recorded contacts and the end of the scene, windows and outer steps. Steps of
// bodies in contact go beyond the end of an outer step if nothing else would cut them.
#ifndef CLACK_STEPPER_STEP_END_H
#define CLACK_STEPPER_STEP_END_H

#include "model/scheme_policy.h"
#include "integrate/islands.h"
#include "integrate/step_plan.h"
#include "stepper/ball_run.h"
#include "stepper/free_flight.h"
#include "stepper/group_windows.h"
#include "stepper/observe.h"
#include "stepper/substep.h"

// A step in contact that goes beyond the end of the outer step ends at most this many outer steps after the start of
// the present outer step. With 4 a block that slides is off by 1e-9 m instead of 7e-10 m
// (tests/kernels/integrate/test_rodas.cc). Measured at `fast`: W2 and W3 (bench/README.md) take 0.93 and 0.87 times as
// long as without, 0.98 and 0.90 with 2, and no less with 4 or 8.
#define STEP_OUTER_STEPS_MAX 3.0

/// When a step has to end: for the end of the scene, recorded contacts, a gate or a window, relative to the start of
/// the present outer step.
FN real step_next_stop(const SceneView *view, SCENE_SPACE const Progress *progress) {
    if (is_grouped(progress)) return progress->window_end_s;
    real stop = view->scene->end_s - (real)progress->step_index * view->scene->step_s;
    real record = observe_next_record(view, progress);
    real gate = observe_next_gate(view, progress);
    if (record > progress->offset_s) stop = real_min(stop, record);
    if (gate > progress->offset_s) stop = real_min(stop, gate);
    return stop;
}

// The longest step from the present time.
typedef struct StepLimit {
    real h;
    real stop;   // latest end within the present outer step, or how far the step may go beyond
    u32 to_stop; // 1: it ends on a stop or with an outer step
    u32 steps;   // outer steps covered; 1: ends within the present one or with it
    u32 lists;   // 1: of a flight for which candidates have to be listed before it is planned
} StepLimit;

/// Up to the end of the outer step, or of several if all bodies are in flight and no distance query is due. listed: as
/// in flight_steps.
FN StepLimit step_longest_end(const SceneView *view, SCENE_SPACE Progress *progress, u32 any_touching, u32 listed) {
    real step = view->scene->step_s;
    real stop = step_next_stop(view, progress);
    StepLimit limit;
    limit.to_stop = limit.steps = 1;
    limit.lists = 0;
    limit.stop = real_min(step, stop);
    if (any_touching) progress->flight_steps = 0;
    if (!any_touching && stop > step)
        limit.steps = flight_steps(view, progress, stop + OBSERVE_TIME_TOLERANCE * step, listed, &limit.lists);
    limit.h = (real)limit.steps * step;
    if (limit.steps > 1) return limit;
    limit.h = limit.stop - progress->offset_s;
    // No pair may touch then: nothing limits rotations. Flights under a point's gravity are limited under each scheme.
    if (scheme_is_solved(view->scene->flags) && !(view->scene->flags & SCENE_POINT_GRAVITY)) return limit;
    real longest = plan_longest_step(view, 1);
    if (!(longest > PLAN_SHORTEST_S)) progress->status = STATUS_STEP_UNDERFLOW; // no progress is possible
    if (longest < limit.h) {
        limit.h = longest;
        limit.to_stop = 0;
    }
    return limit;
}

/// Is some body in contact about to rest? Longer steps would leave a stack with forces off by 1e-6 of its weight
/// instead of 1e-9, and detect its rest later.
FN_ONCE u32 step_settles(const SceneView *view) {
    u32 settles = 0;
    MOVING_LOOP(b) {
        if (view->works[b].mode != MODE_TOUCHING) continue;
        settles |=
            substep_settles(view, b, COPY(view->states[b].velocity_m_per_s), COPY(view->states[b].spin_rad_per_s));
    }
    return scene_any(view, settles);
}

/// May steps go beyond the end of the outer step? Not those of groups, which end with it.
FN u32 step_may_cross_ends(const SceneView *view, SCENE_SPACE const Progress *progress) {
    return policy_crosses_ends(view->scene->flags) && !is_grouped(progress) ? 1u : 0u;
}

/// May this step of bodies in contact go beyond the end of the outer step? Not an explicit one of a single contact, as
/// runs of ball-contact steps take them (ball_run.h). This depends on states alone, on nothing that is observed.
FN u32 step_may_cross_now(const SceneView *view, SCENE_SPACE const Progress *progress) {
    if (!step_may_cross_ends(view, progress)) return 0;
    if (view->slot->active_count == 1 &&
        !view->works[island_of(view, &view->contacts[view->active_contacts[0]])].plan.implicit)
        return 0;
    return step_settles(view) ? 0u : 1u;
}

/// If nothing but the end of the outer step would cut or shorten the wanted step, let it go beyond.
FN_ONCE void step_extend_across_end(const SceneView *view, SCENE_SPACE const Progress *progress, real chosen_s,
                                    SCENE_SPACE StepLimit *limit) {
    real step = view->scene->step_s, next = step_next_stop(view, progress);
    if (!limit->to_stop || !(2.0 * chosen_s > limit->h) || !(next > step + observe_time_tolerance(view, progress)))
        return;
    // An island whose steps are to be shorter than those of others is stepped by itself from the next outer step on
    // (group_windows.h), if no window has been opened before.
    if (chosen_s < WINDOW_SHORT_SHARE * step && window_has_islands(view)) return;
    if (!step_may_cross_now(view, progress)) return;
    real far = STEP_OUTER_STEPS_MAX * step, longest = plan_longest_step(view, 0);
    limit->stop = real_min(far, next);
    limit->h = real_min(limit->stop - progress->offset_s, longest);
    limit->to_stop = limit->stop < next || longest < limit->stop - progress->offset_s ? 0u : 1u;
}

/// Where a run of ball-contact steps has to end.
FN RunEnd step_run_end(const SceneView *view, SCENE_SPACE const Progress *progress) {
    real step = view->scene->step_s, next = step_next_stop(view, progress);
    RunEnd end;
    end.stop = real_min(step, next);
    end.is_passed =
        step_may_cross_ends(view, progress) && next > step + OBSERVE_TIME_TOLERANCE * step ? 1u : 0u; // up to its limit
    return end;
}

/// Count the outer steps whose ends a step has passed; it may have ended with one.
FN void step_count_crossed_ends(const SceneView *view, SCENE_SPACE Progress *progress) {
    real step = view->scene->step_s, tolerance = observe_time_tolerance(view, progress);
    if (!(progress->offset_s > step + tolerance)) return;
    u32 whole = (u32)((progress->offset_s - tolerance) / step);
    progress->step_index += whole;
    progress->offset_s -= (real)whole * step;
    progress->ended_s -= (real)whole * step;
    progress->window_end_s = 0.0;
    if (real_abs(progress->offset_s - step) <= tolerance) progress->offset_s = step; // exactly on the grid
}

#endif
