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

// A step in contact that goes beyond the end of the outer step ends within this many outer steps from its start. W2 and
// W3 at `fast` take 0.98 and 0.90, 0.93 and 0.87, 0.92 and 0.88 times as long with 2, 3 and 4 as without, and no less
// with 8; a block that slides is off by 7e-10 m with 3 and 1e-9 m with 4 (tests/kernels/integrate/test_rodas.cc). Since
// bodies about to rest keep to outer steps W3 takes 0.92.
#define ADVANCE_PASSED 3.0

/// When the scene, recorded contacts, a gate or a window wants a step to end, relative to the start of the present
/// outer step.
FN real step_next_stop(const SceneView *view, const Progress *progress) {
    if (is_grouped(progress)) return progress->window_end_s;
    real stop = view->scene->end_s - (real)progress->step_index * view->scene->step_s;
    real record = observe_next_record(view, progress);
    real gate = observe_next_gate(view, progress);
    if (record > progress->offset_s) stop = real_min(stop, record);
    if (gate > progress->offset_s) stop = real_min(stop, gate);
    return stop;
}

// The longest step from the present time.
typedef struct Reach {
    real h;
    real stop;   // latest end within the present outer step, or how far the step may go beyond
    u32 to_stop; // 1: it ends on a stop or with an outer step
    u32 steps;   // outer steps covered; 1: ends within the present one or with it
} Reach;

/// Up to the end of the outer step, or of several if all bodies are in flight and no distance query is due.
FN Reach step_longest_end(const SceneView *view, Progress *progress, u32 any_touching) {
    real step = view->scene->step_s;
    real stop = step_next_stop(view, progress);
    Reach reach;
    reach.to_stop = reach.steps = 1;
    reach.stop = real_min(step, stop);
    if (any_touching) progress->flight_steps = 0;
    if (!any_touching && stop > step) reach.steps = flight_steps(view, progress, stop + ADVANCE_SAME_TIME * step);
    reach.h = (real)reach.steps * step;
    if (reach.steps > 1) return reach;
    reach.h = reach.stop - progress->offset_s;
    if (scheme_has_constraints(view->scene->flags)) return reach; // no pair may touch: nothing limits rotations
    real longest = plan_longest_step(view, 1);
    if (!(longest > PLAN_SHORTEST_S)) progress->status = STATUS_STEP_UNDERFLOW; // no progress is possible
    if (longest < reach.h) {
        reach.h = longest;
        reach.to_stop = 0;
    }
    return reach;
}

/// Is some body in contact about to rest? Longer steps would leave a stack with forces off by 1e-6 of its weight
/// instead of 1e-9, and detect its rest later.
FN_ONCE u32 step_settles(const SceneView *view) {
    u32 settles = 0;
    MOVING_LOOP(b) {
        if (view->works[b].mode != MODE_TOUCHING) continue;
        settles |= substep_settles(view, b, view->states[b].velocity_m_per_s, view->states[b].spin_rad_per_s);
    }
    return scene_any(view, settles);
}

/// May steps go beyond the end of the outer step? Not those of groups, which end with it.
FN u32 step_has_long(const SceneView *view, const Progress *progress) {
    return policy_passes_ends(view->scene->flags) && !is_grouped(progress) ? 1u : 0u;
}

/// May this step of bodies in contact do so? Not an explicit one of a single contact, as runs of ball-contact steps
/// take them (ball_run.h). This depends on states alone, on nothing that is observed.
FN u32 step_may_pass(const SceneView *view, const Progress *progress) {
    if (!step_has_long(view, progress)) return 0;
    if (view->slot->awake_count == 1 && !view->works[island_of(view, &view->contacts[view->awake[0]])].plan.implicit)
        return 0;
    return step_settles(view) ? 0u : 1u;
}

/// If nothing but the end of the outer step would cut or shorten the wanted step, let it go beyond.
FN_ONCE void step_pass_end(const SceneView *view, const Progress *progress, real wish_s, Reach *reach) {
    real step = view->scene->step_s, next = step_next_stop(view, progress);
    if (!reach->to_stop || !(2.0 * wish_s > reach->h) || !(next > step + observe_same_time(view, progress))) return;
    // An island that wants shorter steps than others is stepped by itself from the next outer step on
    // (group_windows.h), if no window has been opened before.
    if (wish_s < WINDOW_SHORT_SHARE * step && window_has_islands(view)) return;
    if (!step_may_pass(view, progress)) return;
    real far = ADVANCE_PASSED * step, longest = plan_longest_step(view, 0);
    reach->stop = real_min(far, next);
    reach->h = real_min(reach->stop - progress->offset_s, longest);
    reach->to_stop = reach->stop < next || longest < reach->stop - progress->offset_s ? 0u : 1u;
}

/// Where a run of ball-contact steps has to end.
FN RunEnd step_run_end(const SceneView *view, const Progress *progress) {
    real step = view->scene->step_s, next = step_next_stop(view, progress);
    RunEnd end;
    end.stop = real_min(step, next);
    end.is_passed =
        step_has_long(view, progress) && next > step + ADVANCE_SAME_TIME * step ? 1u : 0u; // up to its limit
    return end;
}

/// Count the outer steps whose ends a step has passed; it may have ended with one.
FN void step_passed(const SceneView *view, Progress *progress) {
    real step = view->scene->step_s, same = observe_same_time(view, progress);
    if (!(progress->offset_s > step + same)) return;
    u32 whole = (u32)((progress->offset_s - same) / step);
    progress->step_index += whole;
    progress->offset_s -= (real)whole * step;
    progress->ended_s -= (real)whole * step;
    progress->window_end_s = 0.0;
    if (real_abs(progress->offset_s - step) <= same) progress->offset_s = step; // exactly on the grid
}

#endif
