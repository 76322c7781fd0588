// Steps of scenes with quasi-rigid bodies: contacts that have to take part in a step which begins without them.
#ifndef CLACK_STEPPER_QUASI_STEPS_H
#define CLACK_STEPPER_QUASI_STEPS_H

#include "stepper/contact_lifecycle.h"
#include "stepper/step_trial.h"

#define QUASI_START_SHARE 1.0e-3 // of the smaller shape: overlap at the start that a step may push apart

/// Do two bodies start so deep in each other that no layer takes it? They would be thrown out in one step.
FN_SHORT u32 quasi_starts_within(const SceneView *view, GLOBAL const Candidate *candidate, real gap_m) {
    GLOBAL const LayerLaw *layer =
        &view->region_laws[scene_law_row(view, candidate->shape_a, candidate->shape_b)].layer;
    real most = layer->has_layer ? layer->thickness_m : 0.0;
    return gap_m < 0.0 - (most + QUASI_START_SHARE * observe_smaller_m(view, candidate)) ? 1u : 0u;
}

/// Do pairs without a contact overlap at the end of the step just tried? Then their contacts begin, and the step is
/// tried again with these: rows tell its end as their time.
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
        step->trial = view->states[b];
        view->works[b].bounds.quiet_until_m = 0.0;
    }
    // The step will end elsewhere: how far pairs have been apart at this end bounds nothing.
    LIVE_LOOP(i) view->candidates[i].clear_m = -REAL_HUGE;
    SCENE_BARRIER();
    lifecycle_apply(view, progress, 0, run->h);
    progress->known = (progress->known & ~KNOWN_RATES) | KNOWN_TRIED;
    progress->resteps++;
    run->phase = PHASE_START;
    return 1;
}

#endif
