// Gaps of the candidates at the ends of a step and at times within, for the search for events. Pairs that cannot have
// touched are not queried.
#ifndef CLACK_PAIRS_CANDIDATE_GAPS_H
#define CLACK_PAIRS_CANDIDATE_GAPS_H

#include "model/scheme_policy.h"
#include "geometry/manifold_pair.h"
#include "pairs/conservative_advancement.h"
#include "pairs/pair_kinematics.h"
#include "pairs/region_match.h"

#define GAP_TOLERANCE_M 1.0e-13 // kernels/stepper/README.md, "Stepping"
// Largest share of the smaller shape for the stated error of a distance query near an event.
#define GAP_OBSERVER_ERROR 1.0e-6

/// Tolerance to which events of a pair are located: 1e-13 m, the spacing of the positions involved, the error of the
/// narrow phase, and the change of the gap within the spacing of times.
FN real gap_tolerance(const SceneView *view, GLOBAL const Candidate *candidate, real error_m, real rate_m_per_s,
                      real time) {
    Vec3 a = view->works[candidate->body_a].step.trial.position_m;
    Vec3 b = view->works[candidate->body_b].step.trial.position_m;
    real place = 8.0 * REAL_EPSILON * real_max(vec3_max_abs(a), vec3_max_abs(b));
    real clock = 4.0 * REAL_EPSILON * time * real_abs(rate_m_per_s);
    real base = policy_has_tolerance(view->scene->flags) ? GAP_TOLERANCE_M : 0.0;
    if (candidate->observes) { // deep inside each other: far from an event, whatever error the narrow phase states
        real size = pair_smaller_m(view, candidate->shape_a, candidate->shape_b);
        error_m = real_min(error_m, GAP_OBSERVER_ERROR * size);
    }
    return real_max(real_max(base, place), real_max(error_m, clock));
}

/// Distance query of a candidate in the trial states or in the present ones: gap and rate are stored in `gap_index`.
/// Returns NARROW_*.
FN_WAY u32 gap_query(const SceneView *view, GLOBAL Candidate *candidate, u32 gap_index, real time, u32 is_trial) {
    u32 shape_a = candidate->shape_a, shape_b = candidate->shape_b;
    u32 a = view->shapes[shape_a].body, b = view->shapes[shape_b].body;
    GLOBAL const BodyState *at_a = is_trial ? &view->works[a].step.trial : &view->states[a];
    GLOBAL const BodyState *at_b = is_trial ? &view->works[b].step.trial : &view->states[b];
    PairKinematics kinematics = kinematics_of_states(view, shape_a, shape_b, candidate->feature, at_a, at_b, 0);
    candidate->gap_m[gap_index] = kinematics.gap_m;
    candidate->rate_m_per_s[gap_index] = kinematics.rate_m_per_s;
    candidate->tolerance_m = gap_tolerance(view, candidate, kinematics.error_m, kinematics.rate_m_per_s, time);
    // The gap of crossing edges, and those of the reference, are no distances.
    u32 is_distance = kinematics.status == NARROW_OK && policy_gaps_are_distances(view->scene->flags) &&
                              !manifold_is_crossing(&view->shapes[shape_a], &view->shapes[shape_b], candidate->feature)
                          ? 1
                          : 0;
    if (is_distance)
        advancement_remember(view, candidate, kinematics.normal, vec3_sub(at_b->position_m, at_a->position_m),
                             kinematics.gap_m - kinematics.error_m, is_trial);
    return kinematics.status;
}

// Distance queries of candidates: which ones, and their results. Kept in memory across each query, as SceneRun is
// (step_trial.h).
typedef struct GapQueries {
    const SceneView *view;
    u32 count, fallback, coincident;
    u32 gap_index, start; // of the gaps, and of those of the present
    u32 settles;          // 1: decides which pairs are skipped in the step just tried
    u32 tried;            // 1: the gaps are those of the end of a step just tried for the first time
    u32 is_quiet;         // 1: no pair without a contact can have come near
    real h, now;
    real steps; // for how many steps all pairs without a contact stay apart
    ApproachPair pair;
} GapQueries;

/// Distance query of a candidate in the trial states or in the present ones, counted and stored in `gap_index`.
FN_LINK void gap_query_counted(GapQueries *queries, GLOBAL Candidate *candidate, u32 gap_index, real time,
                               u32 is_trial) {
    u32 status = gap_query(queries->view, candidate, gap_index, time, is_trial);
    if (candidate->contact == NONE) queries->count++;
    // At a trial time the step may have gone too far; an earlier event will cut it.
    if (status == NARROW_COINCIDENT && !is_trial && !candidate->observes) queries->coincident = 1;
    if (status == NARROW_FALLBACK || status == NARROW_NOT_CONVERGED) queries->fallback = 1;
}

/// Is a candidate without a contact sure to stay apart in the step just tried? Then it is skipped.
FN_SHORT u32 gap_is_clear(GapQueries *queries, GLOBAL const Candidate *candidate) {
    u32 a = candidate->body_a, b = candidate->body_b;
    if (a != queries->pair.body_a || b != queries->pair.body_b) queries->pair = advancement_pair(queries->view, a, b);
    return advancement_is_clear(queries->view, candidate, &queries->pair, queries->h);
}

/// Gap and rate of a candidate that is not skipped, if they are known: active contacts have been evaluated there,
/// contacts that sleep when they fell asleep. Returns 0 if a query is needed.
FN_SHORT u32 gap_is_known(GapQueries *queries, GLOBAL Candidate *candidate) {
    const SceneView *view = queries->view;
    u32 start = queries->start, gap_index = queries->gap_index, contact = candidate->contact;
    if (contact != NONE && view->contacts[contact].now.inactive == CONTACT_ASLEEP) {
        candidate->gap_m[gap_index] = view->contacts[contact].now.gap_m;
        candidate->rate_m_per_s[gap_index] = 0.0;
        return 1;
    }
    if (contact != NONE && view->contacts[contact].now.inactive == CONTACT_ACTIVE) {
        candidate->gap_m[gap_index] = view->contacts[contact].now.gap_m;
        candidate->rate_m_per_s[gap_index] = view->contacts[contact].now.rate_m_per_s;
        candidate->tolerance_m = gap_tolerance(view, candidate, view->contacts[contact].now.error_m,
                                               candidate->rate_m_per_s[gap_index], queries->now + queries->h);
        u32 status = view->contacts[contact].now.narrow_status;
        if (status != NARROW_OK && status != NARROW_FADED) queries->fallback = 1;
        return 1;
    }
    u32 moves = body_moves(view, candidate->body_a) | body_moves(view, candidate->body_b);
    if (moves || gap_index == start) return 0;
    candidate->gap_m[gap_index] = candidate->gap_m[start];
    candidate->rate_m_per_s[gap_index] = 0.0;
    return 1;
}

/// Gap and rate of one candidate that is not skipped.
FN_WAY void gap_evaluate(GapQueries *queries, GLOBAL Candidate *candidate) {
    u32 gap_index = queries->gap_index;
    if (!gap_is_known(queries, candidate))
        gap_query_counted(queries, candidate, gap_index, queries->now + queries->h,
                          gap_index == queries->start ? 0 : 1);
}

// Pairs without a contact are not queried while moving bodies have gone less far than the nearest of them allows.
#define GAPS_QUIET_STEPS 2.0 // for less it does not pay
#define GAPS_QUIET_SPARE 0.99

/// Does that hold up to the end of the step of h just tried?
FN u32 gap_is_quiet(const SceneView *view, real h) {
    u32 moves = view->scene->flags & SCENE_OBSERVERS ? 1u : 0u;
    MOVING_LOOP(b) {
        GLOBAL const BodyBounds *bounds = &view->works[b].bounds;
        if (bounds->path_s != h || !(bounds->travel_m + bounds->path_m < bounds->quiet_until_m)) moves = 1;
    }
    return scene_any(view, moves) ? 0u : 1u;
}

/// All pairs without a contact are skipped, and stay apart for so many steps as long as the one just tried.
FN void gap_store_quiet(const SceneView *view, real steps) {
    if (!(steps > GAPS_QUIET_STEPS)) return;
    MOVING_LOOP(b) {
        GLOBAL BodyBounds *bounds = &view->works[b].bounds;
        bounds->quiet_until_m = bounds->travel_m + GAPS_QUIET_SPARE * steps * bounds->path_m;
    }
    LIVE_LOOP(i) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        if (candidate->contact != NONE) continue;
        for (u32 gap_index = 0; gap_index < GAP_TIMES; gap_index++) candidate->gap_m[gap_index] = GAP_UNKNOWN;
    }
}

/// Gaps of all numbers of a pair of surfaces: minus the depth of a region, apart where there is none. By the candidate
/// of the number 0.
FN_WAY void gap_evaluate_regions(GapQueries *queries, u32 first) {
    const SceneView *view = queries->view;
    u32 is_trial = queries->gap_index != queries->start ? 1u : 0u, is_known = 0;
    for (u32 k = 0; k < view->room.regions && is_trial; k++)
        is_known |= view->candidates[first + k].contact != NONE && view->slot->regions_are == REGIONS_KNOWN ? 1u : 0u;
    if (!is_known) {
        match_pair(view, first, is_trial, 1);
        queries->count++;
    }
    for (u32 k = 0; k < view->room.regions; k++) {
        GLOBAL Candidate *candidate = &view->candidates[first + k];
        FoundRegion found = view->surfaces->found[first + k];
        candidate->is_skipped = 0;
        candidate->gap_m[queries->gap_index] = found.is_there ? 0.0 - found.depth_m : GAP_UNKNOWN;
        candidate->rate_m_per_s[queries->gap_index] = 0.0;
        if (!found.is_there) continue;
        u32 a = candidate->body_a, b = candidate->body_b;
        PairKinematics at =
            match_kinematics(view, &found, a, b, is_trial ? &view->works[a].step.trial : &view->states[a],
                             is_trial ? &view->works[b].step.trial : &view->states[b]);
        candidate->rate_m_per_s[queries->gap_index] = at.rate_m_per_s;
    }
}

/// A candidate without a contact of which it is decided whether it is skipped: nothing else is needed of one that is.
FN_SHORT void gap_store_skipped(GapQueries *queries, GLOBAL Candidate *candidate) {
    u32 is_skipped = candidate->is_skipped;
    if (queries->steps > GAPS_QUIET_STEPS)
        queries->steps = is_skipped ? real_min(queries->steps, advancement_steps(candidate, &queries->pair)) : 0.0;
    if (!is_skipped) return;
    candidate->gap_m[queries->gap_index] = GAP_UNKNOWN;
    candidate->rate_m_per_s[queries->gap_index] = 0.0;
}

/// May a candidate without a contact be skipped, once its present gap is known?
FN u32 gap_needs_present(const GapQueries *queries, GLOBAL const Candidate *candidate) {
    u32 may_skip = queries->settles && candidate->contact == NONE && queries->gap_index != queries->start;
    return may_skip && !(candidate->gap_m[queries->start] < GAP_UNKNOWN) ? 1u : 0u;
}

/// Gap and rate of a candidate that is skipped. Returns 1 if it is not, or not yet.
FN u32 gap_is_needed(GapQueries *queries, GLOBAL Candidate *candidate) {
    if (candidate->contact == NONE && queries->is_quiet) return 0;
    if (candidate->contact == NONE && queries->settles) {
        candidate->is_skipped = gap_is_clear(queries, candidate);
        if (!candidate->is_skipped && gap_needs_present(queries, candidate)) return 1;
        gap_store_skipped(queries, candidate);
        return candidate->is_skipped ? 0u : 1u;
    }
    if (queries->settles) {
        candidate->is_skipped = 0;
        return 1;
    }
    gap_store_skipped(queries, candidate);
    return candidate->is_skipped ? 0u : 1u;
}

/// Gap and rate of a candidate that is needed; of the present first where that may settle that it is skipped. Both
/// queries are one call, so that the work-items of a warp make them at the same time.
FN void gap_evaluate_needed(GapQueries *queries, GLOBAL Candidate *candidate) {
    u32 start = queries->start, gap_index = queries->gap_index, of_present = gap_needs_present(queries, candidate);
    while (of_present || !gap_is_known(queries, candidate)) {
        real time = of_present ? queries->now : queries->now + queries->h;
        gap_query_counted(queries, candidate, of_present ? start : gap_index, time,
                          of_present || gap_index == start ? 0 : 1);
        if (!of_present) return;
        of_present = 0;
        candidate->is_skipped = gap_is_clear(queries, candidate);
        gap_store_skipped(queries, candidate);
        if (candidate->is_skipped) return;
    }
}

/// Gap and rate of all candidates.
FN void gaps_evaluate_list(GapQueries *queries) {
    const SceneView *view = queries->view;
    for (u32 first = view->item; first < view->slot->live_count; first += LIVE_TOGETHER * SCENE_ITEMS) {
        u32 needed = 0, at = first;
        for (u32 k = 0; k < LIVE_TOGETHER && at < view->slot->live_count; k++, at += SCENE_ITEMS)
            needed |= gap_is_needed(queries, &view->candidates[view->live[at]]) << k;
        for (; needed != 0; needed &= needed - 1u)
            gap_evaluate_needed(queries, &view->candidates[live_chosen(view, first, needed)]);
    }
}

/// Gap and rate of all candidates in the trial states, h after the present; in the present itself if `gap_index` is
/// that of its gaps. settles: the step is tried for the first time, which decides which pairs are skipped; in parts of
/// it these stay the same.
FN void gaps_evaluate(const SceneView *view, SCENE_SPACE Progress *progress, u32 gap_index, real h, u32 settles) {
    if (view->slot->live_count == 0) { // nothing to query
        SCENE_BARRIER();
        return;
    }
    ApproachPair none = ALL_ZERO;
    GapQueries queries;
    queries.view = view;
    queries.count = queries.fallback = queries.coincident = 0;
    queries.gap_index = gap_index;
    queries.start = progress->gap_index;
    queries.settles = settles;
    queries.tried = settles && gap_index != queries.start ? 1u : 0u;
    queries.is_quiet = queries.tried && gap_is_quiet(view, h) ? 1u : 0u;
    queries.h = h;
    queries.now = scene_time(view, progress);
    queries.steps = queries.tried && !queries.is_quiet ? REAL_HUGE : 0.0;
    queries.pair = none;
    queries.pair.body_a = queries.pair.body_b = NONE;
    if (!queries.is_quiet) advancement_measure(view, h);
    if (policy_has_regions(view->scene->flags)) { // on item 0: the lists of a slot serve one pair after the other
        EACH_LIVE(i) {
            if (view->item == 0 && view->candidates[i].feature == 0) gap_evaluate_regions(&queries, i);
        }
        match_count_work(view, progress);
        queries.steps = 0.0;
    } else if (!queries.is_quiet || progress->contact_count > joint_count(view)) {
        gaps_evaluate_list(&queries);
    }
    if (queries.tried && !queries.is_quiet) gap_store_quiet(queries.view, scene_min(queries.view, queries.steps));
    u32 count = scene_sum(queries.view, queries.count);
    progress->distance_queries += count;
    progress->work += (real)count;
    if (scene_any(queries.view, queries.fallback)) progress->flags |= FLAG_MPR_FALLBACK;
    if (scene_any(queries.view, queries.coincident)) progress->status = STATUS_COINCIDENT;
    SCENE_BARRIER();
}

#endif
