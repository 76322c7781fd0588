// Steps of scenes with contact regions: how long they may be, where they end, what is flagged.
#ifndef CLACK_STEPPER_REGION_STEPS_H
#define CLACK_STEPPER_REGION_STEPS_H

#include "law/region_contact.h"
#include "stepper/step_trial.h"

// So often a step is shortened for regions that begin within it, and down to this share of an outer step.
#define REGION_TOUCHES_MAX 16u
#define REGION_TOUCH_SHORTEST 1.0e-6

/// Have regions begun too long before the end of the step just tried? It is then tried again, up to where they begin.
FN_ONCE u32 region_is_overshot(SceneRun *run) {
    const SceneView *view = run->view;
    real over_s = 0.0;
    LIVE_LOOP(i) over_s = real_max(over_s, region_overshoot_s(view, i));
    over_s = scene_max(view, over_s);
    if (!(over_s > 0.0)) return 0;
    real shorter_s = run->h - over_s;
    if (run->rejects >= REGION_TOUCHES_MAX || !(shorter_s > REGION_TOUCH_SHORTEST * view->scene->step_s)) {
        run->progress->flags |= FLAG_LATE_BEGIN;
        return 0;
    }
    run->h = shorter_s;
    run->rejects++;
    run->progress->resteps++;
    run->progress->step_substeps++;
    run->phase = PHASE_LIST;
    return 1;
}

/// Flags of the regions of an accepted step. A pair that found no room for its own ends the scene's run.
FN_ONCE void region_check_found(const SceneView *view, Progress *progress) {
    u32 flags = 0;
    LIVE_LOOP(i) {
        GLOBAL const FoundRegion *found = &view->surfaces->found[i];
        if (!found->is_there) continue;
        if (found->flags & REGION_OPEN_CONTOUR) flags |= FLAG_OPEN_CONTOUR;
        if (found->flags & REGION_COARSE_MESH) flags |= FLAG_COARSE_MESH;
    }
    if (scene_any(view, flags & FLAG_OPEN_CONTOUR)) progress->flags |= FLAG_OPEN_CONTOUR;
    if (scene_any(view, flags & FLAG_COARSE_MESH)) progress->flags |= FLAG_COARSE_MESH;
    if (view->slot->engulfed) progress->flags |= FLAG_ENGULFED;
    if (!view->slot->short_of) return;
    progress->status = STATUS_CAPACITY;
    progress->capacity_which = view->slot->short_of;
    progress->capacity_wanted = view->slot->short_wanted;
}

/// Shorten a step for the contact regions that are being struck: two even ones rather than a long one and a sliver.
FN_ONCE void region_limit_step(SceneRun *run) {
    real longest = region_longest_step(run->view, scene_time(run->view, run->progress));
    if (!(longest < run->limit.h)) return;
    run->h = 2.0 * longest > run->limit.h ? 0.5 * run->limit.h : longest;
}

#endif
