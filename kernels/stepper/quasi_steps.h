// Steps of scenes with quasi-rigid bodies: contacts that have to take part in a step which begins without them, bodies
// that would pass through each other, and how bodies fall in a step that is accepted.
#ifndef CLACK_STEPPER_QUASI_STEPS_H
#define CLACK_STEPPER_QUASI_STEPS_H

#include "pairs/tunnelling.h"
#include "integrate/quasi_midpoint.h"
#include "integrate/quasi_transfer.h"
#include "stepper/contact_lifecycle.h"
#include "stepper/step_trial.h"

/// Trial states are those of the start again: the step just tried will end elsewhere, and how far pairs have been apart
/// at its end bounds nothing.
FN_ONCE void quasi_go_back(const SceneView *view) {
    MOVING_LOOP(b) {
        view->works[b].step.trial = view->states[b];
        view->works[b].bounds.quiet_until_m = 0.0;
    }
    LIVE_LOOP(i) view->candidates[i].clear_m = -REAL_HUGE;
    SCENE_BARRIER();
}

/// Do pairs without a contact overlap at the end of the step just tried? Then their contacts begin, and the step is
/// tried again with these: rows have its end as their time.
FN_ONCE u32 quasi_step_is_overshot(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    SCENE_SPACE Progress *progress = run->progress;
    u32 any = 0;
    LIVE_LOOP(i) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        u32 is_new = candidate->contact == NONE && !candidate->observes ? 1u : 0u;
        candidate->changes = is_new && candidate->gap_m[run->end.gap_index] < 0.0 - candidate->tolerance_m ? 1u : 0u;
        any |= candidate->changes;
    }
    SCENE_BARRIER();
    if (!scene_any(view, any)) return 0;
    if (!lifecycle_has_room(view, progress)) return 1;
    MOVING_LOOP(b) {
        GLOBAL BodyStep *step = &view->works[b].step;
        if (!run->any_touching || !trapezoidal_takes(view, b)) {
            step->rates[QUASI_TRIED].velocity = step->trial.velocity_m_per_s;
            step->rates[QUASI_TRIED].spin_rate = step->trial.spin_rad_per_s;
        }
    }
    quasi_go_back(view);
    lifecycle_apply(view, progress, 0, run->h);
    progress->known = (progress->known & ~KNOWN_RATES) | KNOWN_TRIED;
    progress->resteps++;
    run->phase = PHASE_START;
    return 1;
}

/// Have bodies passed through each other in the step just tried, or do they end deep in each other, where no contact
/// shows it? (Newton's method may find such solutions of the equations of the end.) Then it is tried again, shorter.
FN_ONCE u32 quasi_step_tunnels(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    SCENE_SPACE Progress *progress = run->progress;
    real share = TUNNELLING_NOT;
    u32 queries = 0;
    for (u32 at = view->item; at < view->slot->live_count; at += SCENE_ITEMS)
        if (tunnelling_is_first(view, at))
            share = real_min(share, tunnelling_share(view, at, progress->gap_index, run->end.gap_index, &queries));
    share = scene_min(view, share);
    queries = scene_sum(view, queries);
    progress->distance_queries += queries;
    progress->work += (real)queries;
    if (!(share < 1.0)) return 0;
    quasi_go_back(view);
    progress->known = (progress->known & ~KNOWN_TRIED) | KNOWN_STALE;
    step_try_again(run, share * run->h);
    if (run->h > PLAN_SHORTEST_S) return 1;
    progress->status = STATUS_NOT_SOLVED;
    run->phase = PHASE_ACCEPT;
    return 1;
}

/// How quasi-rigid bodies fall in a step.
FN_ONCE void quasi_accept(const SceneView *view, SCENE_SPACE Progress *progress, real h) {
    if (scheme_is_midpoint(view->scene->flags)) {
        QuasiPulled pulled = quasi_pulled(view, h);
        progress->momentum_N_s = vec3_add(progress->momentum_N_s, pulled.momentum_N_s);
        progress->dissipated_J -= pulled.energy_J;
        quasi_keep_midpoints(view, h);
    } else {
        progress->dissipated_J += quasi_fallen(view, h);
        SCENE_BARRIER();
    }
}

#endif
