// Gaps of the candidates at the ends of a step and at times within, for the search for events. Pairs that cannot have
// touched are not queried.
#ifndef CLACK_PAIRS_CANDIDATE_GAPS_H
#define CLACK_PAIRS_CANDIDATE_GAPS_H

#include "model/scheme_policy.h"
#include "geometry/manifold_pair.h"
#include "pairs/conservative_advancement.h"
#include "pairs/pair_kinematics.h"

#define EVENT_TOLERANCE_M 1.0e-13 // kernels/README.md, "Stepping"
// Largest share of the smaller shape for the stated error of a distance query near an event.
#define EVENT_OBSERVER_ERROR 1.0e-6

/// Tolerance to which events of a pair are located: 1e-13 m, the spacing of the positions involved, the error of the
/// narrow phase, and the change of the gap within the spacing of times.
FN real gap_tolerance(const SceneView *view, GLOBAL const Candidate *candidate, real error_m, real rate_m_per_s,
                      real time) {
    Vec3 a = view->works[candidate->body_a].step.trial.position_m;
    Vec3 b = view->works[candidate->body_b].step.trial.position_m;
    real place = 8.0 * REAL_EPSILON * real_max(vec3_max_abs(a), vec3_max_abs(b));
    real clock = 4.0 * REAL_EPSILON * time * real_abs(rate_m_per_s);
    real base = policy_has_tolerance(view->scene->flags) ? EVENT_TOLERANCE_M : 0.0;
    if (candidate->observes) { // deep inside each other: far from an event, whatever error the narrow phase states
        real size =
            real_min(view->shapes[candidate->shape_a].bound_radius_m, view->shapes[candidate->shape_b].bound_radius_m);
        error_m = real_min(error_m, EVENT_OBSERVER_ERROR * size);
    }
    return real_max(real_max(base, place), real_max(error_m, clock));
}

/// Distance query of a candidate in the trial states or in the present ones: gap and rate are stored in `slot`. Returns
/// NARROW_*.
FN_WAY u32 gap_query(const SceneView *view, GLOBAL Candidate *candidate, u32 slot, real time, u32 is_trial) {
    u32 shape_a = candidate->shape_a, shape_b = candidate->shape_b;
    u32 a = view->shapes[shape_a].body, b = view->shapes[shape_b].body;
    GLOBAL const BodyState *at_a = is_trial ? &view->works[a].step.trial : &view->states[a];
    GLOBAL const BodyState *at_b = is_trial ? &view->works[b].step.trial : &view->states[b];
    PairKinematics kinematics = kinematics_of_states(view, shape_a, shape_b, candidate->feature, at_a, at_b, 0);
    candidate->gap_m[slot] = kinematics.gap_m;
    candidate->rate_m_per_s[slot] = kinematics.rate_m_per_s;
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

// Distance queries of candidates: which one, how, and what they found. It is read from here again after each query, as
// the result of a substep is (step_control.h).
typedef struct Looks {
    const SceneView *view;
    u32 count, fallback, coincident;
    u32 slot, start; // of the gaps, and of those of the present
    u32 settles, tried, calm;
    u32 at; // index in the list of candidates
    real h, now;
    real steps; // for how many steps all pairs without a contact stay apart
    ApproachPair pair;
} Looks;

/// Distance query of a candidate in the trial states or in the present ones, counted and stored in `slot`.
FN_LINK void gap_query_and_remember(Looks *looks, GLOBAL Candidate *candidate, u32 slot, real time, u32 is_trial) {
    u32 status = gap_query(looks->view, candidate, slot, time, is_trial);
    if (candidate->contact == NONE) looks->count++;
    // At a trial time the step may have gone too far; an earlier event will cut it.
    if (status == NARROW_COINCIDENT && !is_trial && !candidate->observes) looks->coincident = 1;
    if (status == NARROW_FALLBACK || status == NARROW_NOT_CONVERGED) looks->fallback = 1;
}

/// Can a candidate without a contact be skipped in the step just tried? If not, and its present gap is unknown, that is
/// queried first.
FN_SHORT u32 gap_sleeps(Looks *looks, GLOBAL Candidate *candidate) {
    if (advancement_is_clear(looks->view, candidate, &looks->pair, looks->h)) return 1;
    if (looks->slot == looks->start || candidate->gap_m[looks->start] < GAP_UNKNOWN) return 0;
    gap_query_and_remember(looks, candidate, looks->start, looks->now, 0);
    return advancement_is_clear(looks->view, candidate, &looks->pair, looks->h);
}

/// Gap and rate of one candidate that is not asleep. Active contacts have been evaluated there, contacts asleep when
/// they fell asleep.
FN_WAY void gap_measure(Looks *looks, GLOBAL Candidate *candidate) {
    const SceneView *view = looks->view;
    u32 start = looks->start, slot = looks->slot;
    real time = looks->now + looks->h;
    u32 contact = candidate->contact;
    if (contact != NONE && view->contacts[contact].now.asleep == CONTACT_ASLEEP) {
        candidate->gap_m[slot] = view->contacts[contact].now.gap_m;
        candidate->rate_m_per_s[slot] = 0.0;
        return;
    }
    if (contact != NONE && view->contacts[contact].now.asleep == CONTACT_AWAKE) {
        candidate->gap_m[slot] = view->contacts[contact].now.gap_m;
        candidate->rate_m_per_s[slot] = view->contacts[contact].now.rate_m_per_s;
        candidate->tolerance_m =
            gap_tolerance(view, candidate, view->contacts[contact].now.error_m, candidate->rate_m_per_s[slot], time);
        u32 status = view->contacts[contact].now.narrow_status;
        if (status != NARROW_OK && status != NARROW_FADED) looks->fallback = 1;
        return;
    }
    u32 moves = body_moves(view, candidate->body_a) | body_moves(view, candidate->body_b);
    if (moves || slot == start) {
        gap_query_and_remember(looks, candidate, slot, time, slot == start ? 0 : 1);
        return;
    }
    candidate->gap_m[slot] = candidate->gap_m[start];
    candidate->rate_m_per_s[slot] = 0.0;
}

// Pairs without a contact are not queried while moving bodies have gone less far than the nearest of them allows.
#define GAPS_CALM_STEPS 2.0 // for less it does not pay
#define GAPS_CALM_SPARE 0.99

/// Does that hold up to the end of the step of h just tried?
FN u32 gap_is_calm(const SceneView *view, real h) {
    u32 moves = view->scene->flags & SCENE_OBSERVERS ? 1u : 0u;
    MOVING_LOOP(b) {
        GLOBAL const BodyBounds *bounds = &view->works[b].bounds;
        if (bounds->path_s != h || !(bounds->travel_m + bounds->path_m < bounds->calm_m)) moves = 1;
    }
    return scene_any(view, moves) ? 0u : 1u;
}

/// All pairs without a contact are asleep, and stay apart for so many steps as long as the one just tried.
FN void gap_keep_calm(const SceneView *view, real steps) {
    if (!(steps > GAPS_CALM_STEPS)) return;
    MOVING_LOOP(b) {
        GLOBAL BodyBounds *bounds = &view->works[b].bounds;
        bounds->calm_m = bounds->travel_m + GAPS_CALM_SPARE * steps * bounds->path_m;
    }
    LIVE_LOOP(i) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        for (u32 slot = 0; slot < GAP_SLOTS && candidate->contact == NONE; slot++) candidate->gap_m[slot] = GAP_UNKNOWN;
    }
}

/// Gap and rate of a candidate, unless it needs no query.
FN void gap_of(Looks *looks, GLOBAL Candidate *candidate) {
    if (looks->calm && candidate->contact == NONE) return;
    if (looks->settles && candidate->contact == NONE) {
        const SceneView *view = looks->view;
        u32 a = candidate->body_a, b = candidate->body_b;
        if (a != looks->pair.body_a || b != looks->pair.body_b) looks->pair = advancement_pair(view, a, b);
        candidate->asleep = gap_sleeps(looks, candidate);
        if (looks->steps > GAPS_CALM_STEPS)
            looks->steps = candidate->asleep ? real_min(looks->steps, advancement_steps(candidate, &looks->pair)) : 0.0;
    } else if (looks->settles) {
        candidate->asleep = 0;
    }
    if (candidate->asleep) {
        candidate->gap_m[looks->slot] = GAP_UNKNOWN;
        candidate->rate_m_per_s[looks->slot] = 0.0;
    } else {
        gap_measure(looks, candidate);
    }
}

/// Gap and rate of all candidates in the trial states, h after the present; in the present itself if `slot` is that of
/// its gaps. settles: the step is tried for the first time, which decides which pairs are asleep; in parts of it these
/// stay the same.
FN void gaps_measure(const SceneView *view, Progress *progress, u32 slot, real h, u32 settles) {
    if (view->slot->live_count == 0) { // nothing to query
        SCENE_BARRIER();
        return;
    }
    ApproachPair none = ALL_ZERO;
    Looks looks;
    looks.view = view;
    looks.count = looks.fallback = looks.coincident = 0;
    looks.slot = slot;
    looks.start = progress->gap_slot;
    looks.settles = settles;
    looks.tried = settles && slot != looks.start ? 1u : 0u;
    looks.calm = looks.tried && gap_is_calm(view, h) ? 1u : 0u;
    looks.h = h;
    looks.now = scene_time(view, progress);
    looks.steps = looks.tried && !looks.calm ? REAL_HUGE : 0.0;
    looks.pair = none;
    looks.pair.body_a = looks.pair.body_b = NONE;
    if (!looks.calm) advancement_measure(view, h);
    for (looks.at = looks.view->item; looks.at < looks.view->slot->live_count; looks.at += SCENE_ITEMS)
        gap_of(&looks, &looks.view->candidates[looks.view->live[looks.at]]);
    if (looks.tried && !looks.calm) gap_keep_calm(looks.view, scene_min(looks.view, looks.steps));
    u32 count = scene_sum(looks.view, looks.count);
    progress->looks += count;
    progress->work += (real)count;
    if (scene_any(looks.view, looks.fallback)) progress->flags |= FLAG_MPR_FALLBACK;
    if (scene_any(looks.view, looks.coincident)) progress->status = STATUS_COINCIDENT;
    SCENE_BARRIER();
}

#endif
