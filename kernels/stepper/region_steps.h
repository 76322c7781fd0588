// Steps of scenes with contact regions: how long they may be, where they end, what is flagged.
#ifndef CLACK_STEPPER_REGION_STEPS_H
#define CLACK_STEPPER_REGION_STEPS_H

#include "law/region_contact.h"
#include "stepper/step_trial.h"

// So often a step is shortened for regions that begin within it.
#define REGION_TOUCHES_MAX 16u
#define REGION_LOOSE_TRIES 5u // see region_keep_loose

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

/// A step is accepted: has it the regions of its start since it has no solution else, so have the next 1, 3, ... 31
/// without trying, the more often this was so in succession.
FN_ONCE void region_keep_loose(const SceneView *view) {
    GLOBAL Slot *slot = view->slot;
    SCENE_BARRIER();
    if (view->item == 0) {
        if (slot->loose_left > 0 && slot->is_loose) {
            slot->loose_left--;
        } else if (slot->is_loose) {
            if (slot->loose_tries < REGION_LOOSE_TRIES) slot->loose_tries++;
            slot->loose_left = (1u << slot->loose_tries) - 1u;
        } else {
            slot->loose_left = slot->loose_tries = 0;
        }
        slot->is_loose = 0; // the next step may be one without contacts
    }
    SCENE_BARRIER();
}

/// Shorten a step for the contact regions that are being struck, and to what could be solved: two even ones rather than
/// a long one and a sliver.
FN_ONCE void region_limit_step(SCENE_SPACE SceneRun *run) {
    real shortest, longest = region_longest_step(run->view, scene_time(run->view, run->progress), &shortest);
    GLOBAL Slot *slot = run->view->slot;
    real solvable = slot->solvable_s;
    if (run->view->item == 0) {
        slot->loose_most_s = shortest;
        slot->unbalanced = 0.0;
    }
    SCENE_BARRIER();
    if (solvable > 0.0) longest = real_min(longest, solvable);
    if (!(longest < run->limit.h)) return;
    run->h = 2.0 * longest > run->limit.h ? 0.5 * run->limit.h : longest;
}

#define START_LOSS_SHARE 0.01 // of the energy of a scene

/// After the first step: what constraints have taken from velocities that do not keep them.
FN_ONCE void region_check_start(const SceneView *view, SCENE_SPACE Progress *progress) {
    real lost_J = 0.0;
    EACH_ACTIVE(c) {
        if (contact_is_constraint(view, &view->contacts[c])) lost_J += view->contacts[c].trial.loss_J;
    }
    if (lost_J > START_LOSS_SHARE * progress->energy_scale_J) progress->flags |= FLAG_START_IMPACT;
}

#endif
