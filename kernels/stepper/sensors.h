// Sensors (observer pairs): begin and end of their overlap, found within steps that are settled without them, so that
// states have the same bits with and without an observer.
#ifndef CLACK_STEPPER_SENSORS_H
#define CLACK_STEPPER_SENSORS_H

#include "pairs/candidate_gaps.h"
#include "integrate/step_plan.h"
#include "stepper/contact_lifecycle.h"
#include "stepper/event_location.h"
#include "stepper/observe.h"
#include "stepper/substep.h"

#define SENSORS_PIECES_MAX 1024u // of one step, between events and evaluated times

/// Largest overlap of one candidate within a piece of the step. The overlap has a kink where a point passes from one
/// face's region to another's; there its tangents bound it, which the cubic may exceed.
FN Peak sensors_peak(GLOBAL const Candidate *candidate, Search piece) {
    real h = piece.t_high - piece.t_low;
    real d0 = -candidate->gap_m[piece.low], d1 = -candidate->gap_m[piece.high];
    real r0 = -candidate->rate_m_per_s[piece.low], r1 = -candidate->rate_m_per_s[piece.high];
    Peak peak = observe_penetration(candidate, piece.low, piece.high, h, 1);
    if (!(r0 > 0.0 && r1 < 0.0)) return peak;
    real after = real_clamp((d1 - d0 - r1 * h) / (r0 - r1), 0.0, h);
    real bound = real_max(d0 + r0 * after, real_max(d0, d1));
    if (peak.depth_m > bound) {
        peak.depth_m = bound;
        peak.after_s = after;
    }
    return peak;
}

/// Largest overlaps of observer pairs within a piece of the step, whose gaps are in the slots of `piece`.
FN void sensors_observe(const SceneView *view, SCENE_SPACE const Progress *progress, Search piece) {
    real time = scene_time(view, progress) + piece.t_low;
    ITEM_LOOP(w, watch_count(view)) {
        Watch watch = view->watches[w];
        if (watch.observable != WATCH_OVERLAP || !view->extremes[w].gate_open) continue;
        EACH_LIVE(i) {
            GLOBAL const Candidate *candidate = &view->candidates[i];
            if (candidate->contact == NONE || !candidate->observes) continue;
            if (!event_is_watched(view, w, candidate, WATCH_OVERLAP)) continue;
            Peak peak = sensors_peak(candidate, piece);
            observe_raise_extreme(&view->extremes[w], watch.sense, peak.depth_m, time + peak.after_s);
        }
    }
    SCENE_BARRIER();
}

/// Is some observer pair active in the step just tried?
FN u32 sensors_any_active(const SceneView *view) {
    u32 active = 0;
    LIVE_LOOP(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->observes && !candidate->is_skipped) active = 1;
    }
    return scene_any(view, active);
}

/// Longest piece that the rotation of bodies that only observe allows: these do not limit how far steps pass ends of
/// outer steps.
FN_ONCE real sensors_longest(const SceneView *view) {
    real longest = REAL_HUGE;
    MOVING_LOOP(b) {
        if (!view->works[b].only_observes || view->bodies[b].flags & BODY_ROUND) continue;
        real spin = vec3_length(view->states[b].spin_rad_per_s);
        if (spin > 0.0) longest = real_min(longest, PLAN_TURN_PER_STEP / spin);
    }
    return scene_min(view, longest);
}

/// The next piece, from `at`, whose gaps are in `gap_index`: to the end of the step, in a long step to that of an outer
/// step, and no longer than `longest`.
FN Search sensors_piece(const SceneView *view, SCENE_SPACE Progress *progress, real at, u32 gap_index, real end,
                        real longest, u32 any_touching) {
    real step = view->scene->step_s;
    Search search;
    search.observers = 1;
    search.low = gap_index;
    search.t_low = at;
    search.high = event_free_gap_index(1u << progress->gap_index | 1u << gap_index);
    search.t_high = end;
    if (end > 1.5 * step) search.t_high = real_min(end, (real)((u32)(at / step + 1.0e-9) + 1u) * step);
    search.t_high = real_min(search.t_high, at + longest);
    substep_try(view, progress, search.t_high, any_touching);
    gaps_evaluate(view, progress, search.high, search.t_high, 0);
    return search;
}

/// Scan the step that is about to be accepted, piece by piece: each ends at an event of an observer pair, at a time
/// that must be evaluated, or with the step. Trial states and gaps of the step's end are restored. No room for the
/// rows: STATUS_CAPACITY.
FN void sensors_locate_events(const SceneView *view, SCENE_SPACE Progress *progress, Located step, u32 any_touching) {
    if (!(view->scene->flags & SCENE_OBSERVERS)) return;
    if (!sensors_any_active(view)) return;
    u32 resteps = progress->resteps;
    real longest = sensors_longest(view);
    u32 is_long = step.h > real_min(1.5 * view->scene->step_s, longest) ? 1 : 0;
    Search search;
    search.observers = 1;
    search.low = progress->gap_index;
    search.high = step.gap_index;
    search.t_low = 0.0;
    search.t_high = step.h;
    if (is_long) search = sensors_piece(view, progress, 0.0, search.low, step.h, longest, any_touching);
    u32 is_done = 0;
    for (u32 piece = 0; (piece < SENSORS_PIECES_MAX || is_long) && !is_done;
         piece++) { // long ones are bounded by the scene's work limit
        Located found;
        if (work_is_spent(view, progress)) return;
        event_locate(view, progress, search, any_touching, &found);
        search.high = found.gap_index;
        search.t_high = found.h;
        sensors_observe(view, progress, search);
        if (found.changes) {
            if (!lifecycle_has_room(view, progress)) return;
            lifecycle_apply(view, progress, 1, found.h);
        }
        is_done = found.failed || found.h >= step.h ? 1u : 0u;
        // The next step records what is left, late.
        if (found.failed) progress->flags |= FLAG_LATE_BEGIN;
        if (!is_done) search = sensors_piece(view, progress, found.h, found.gap_index, step.h, longest, any_touching);
    }
    if (!is_done) progress->flags |= FLAG_LATE_BEGIN;
    if (progress->resteps == resteps && !is_long) return; // trial states are untouched
    substep_try(view, progress, step.h, any_touching);
    gaps_evaluate(view, progress, step.gap_index, step.h, 0);
}

#endif
