// Steps of scenes with contact regions: how long they may be, where they end, what is flagged.
#ifndef CLACK_STEPPER_REGION_STEPS_H
#define CLACK_STEPPER_REGION_STEPS_H

#include "law/region_contact.h"
#include "stepper/step_trial.h"

// So often a step is shortened for regions that begin within it.
#define REGION_TOUCHES_MAX 16u

/// Have regions begun too long before the end of the step just tried? It is then tried again, up to where they begin.
FN_ONCE u32 region_is_overshot(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    real wanted = run->h;
    LIVE_LOOP(i) wanted = real_min(wanted, region_step_to_touch(view, i, run->h));
    wanted = scene_min(view, wanted);
    if (!(wanted < run->h)) return 0;
    if (run->rejects >= REGION_TOUCHES_MAX) {
        run->progress->flags |= FLAG_LATE_BEGIN;
        return 0;
    }
    run->h = wanted;
    run->rejects++;
    run->progress->resteps++;
    run->progress->step_substeps++;
    run->phase = PHASE_LIST;
    return 1;
}

/// Flags of the regions of an accepted step; how fine a mesh is counts where a contact is deep, as each begins and ends
/// with a bare touch. A pair that found no room for its own ends the scene's run.
FN_ONCE void region_check_found(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 flags = 0;
    LIVE_LOOP(i) {
        GLOBAL const FoundRegion *found = &view->surfaces->found[i];
        if (!found->is_there) continue;
        if (found->flags & REGION_OPEN_CONTOUR) flags |= FLAG_OPEN_CONTOUR;
        u32 contact = view->candidates[i].contact;
        if (found->flags & REGION_COARSE_MESH && contact != NONE && region_is_deep(&view->contacts[contact]))
            flags |= FLAG_COARSE_MESH;
        if (found->flags & (REGION_PIERCED | REGION_HOLE)) flags |= FLAG_DEEP_CONTACT;
    }
    if (scene_any(view, flags & FLAG_OPEN_CONTOUR)) progress->flags |= FLAG_OPEN_CONTOUR;
    if (scene_any(view, flags & FLAG_COARSE_MESH)) progress->flags |= FLAG_COARSE_MESH;
    if (scene_any(view, flags & FLAG_DEEP_CONTACT)) progress->flags |= FLAG_DEEP_CONTACT;
    if (view->slot->engulfed) progress->flags |= FLAG_ENGULFED;
    if (!view->slot->short_of) return;
    progress->status = STATUS_CAPACITY;
    progress->capacity_which = view->slot->short_of;
    progress->capacity_wanted = view->slot->short_wanted;
}

/// Shorten a step for the contact regions that are being struck, and to what could be solved: two even ones rather than
/// a long one and a sliver.
FN_ONCE void region_limit_step(SCENE_SPACE SceneRun *run) {
    real longest = region_longest_step(run->view, scene_time(run->view, run->progress));
    real solvable = run->view->slot->solvable_s;
    if (solvable > 0.0) longest = real_min(longest, solvable);
    if (!(longest < run->limit.h)) return;
    run->h = 2.0 * longest > run->limit.h ? 0.5 * run->limit.h : longest;
}

#endif
