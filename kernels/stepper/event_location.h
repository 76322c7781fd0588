// Contact begin and end as zero crossings within a step: scan for crossings of gaps, and a bracketing search that ends
// the step exactly there.
//
// Gaps and their rates are known at both ends of a bracket. A crossing shows there, or is hidden: a pair that is apart
// at both ends may have come nearer in between (a dip of its gap), one in contact may have opened and closed again. A
// scan gives the earliest estimate of a crossing and the earliest time that has to be evaluated since one may be
// hidden, or since a watched depth or force has its peak there; contacts of bodies at rest are left out.
#ifndef CLACK_STEPPER_EVENT_LOCATION_H
#define CLACK_STEPPER_EVENT_LOCATION_H

#include "base/cubic.h"
#include "model/scheme_policy.h"
#include "geometry/manifold_points.h"
#include "geometry/shape.h"
#include "pairs/candidate_gaps.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/law_damping.h"
#include "stepper/net_force.h"
#include "stepper/substep.h"

#define EVENT_EVALUATE_SHARE 0.01 // of a step
#define EVENT_PEAK_SHARE 1.0e-6   // by which a peak must exceed the largest so far
// Estimates need 2 or 3 iterations; the rest is room for bisection down to the spacing of times, where a gap jumps.
#define EVENT_ROOT_ITERATIONS 72u
#define EVENT_BISECT_SOMETIMES 8u
#define EVENT_BISECT_ALWAYS 20u
#define EVENT_LATE_DEPTH_M 1.0e-9
// A step ends on a peak of a watched force that exceeds its values at both ends by at least this share and is no nearer
// to them than this share of the step: the error of omitting it is second order in the share.
#define EVENT_FORCE_GAIN 1.0e-8
#define EVENT_FORCE_EDGE 1.0e-3
#define EVENT_DIP_SHARE 1.0e-6 // of a step: within it gravity moves a gap by less than 1e-15 m

// A candidate's crossing function: positive while its state holds, negative where it must change. Before contact the
// gap itself; in contact its negative.
typedef struct Crossing {
    real value;
    real rate;
    real tolerance;
    u32 in_contact;
} Crossing;

FN Crossing event_crossing(const SceneView *view, GLOBAL const Candidate *candidate, u32 gap_index) {
    Crossing crossing;
    u32 contact = candidate->contact;
    crossing.in_contact = contact != NONE ? 1 : 0;
    crossing.value = candidate->gap_m[gap_index];
    crossing.rate = candidate->rate_m_per_s[gap_index];
    crossing.tolerance = candidate->tolerance_m;
    if (crossing.in_contact) {
        real hysteresis = policy_has_tolerance(view->scene->flags) ? 0.0 : COMPAT_EPSILON_M;
        crossing.value = hysteresis - crossing.value;
        crossing.rate = -crossing.rate;
    }
    return crossing;
}

/// Has it crossed, so that the step must end earlier?
FN u32 event_has_crossed(Crossing c) { return c.value < -c.tolerance || (c.value <= 0.0 && c.rate < 0.0) ? 1 : 0; }

/// Is it at its zero, moving through it?
FN u32 event_is_located(Crossing c) { return real_abs(c.value) <= c.tolerance && c.rate < 0.0 ? 1 : 0; }

/// Bound of the acceleration of the gap of a driven body and another one by the motion of the first, m/s^2.
FN_ONCE real event_driven_acceleration_bound(const SceneView *view, u32 b, u32 other) {
    GLOBAL const BodyStep *step = &view->works[b].step;
    Vec3 apart = vec3_sub(view->works[other].step.trial.position_m, step->trial.position_m);
    real reach = view->bodies[other].radius_m + vec3_length(apart), acceleration = 0.0;
    for (u32 stage = 0; stage < STAGES; stage += STAGES - 1u) // both ends of the step
        acceleration = real_max(acceleration, vec3_length(step->rates[stage].acceleration) +
                                                  reach * vec3_length(step->rates[stage].spin_rate));
    return real_fma(reach, vec3_dot(step->trial.spin_rad_per_s, step->trial.spin_rad_per_s), acceleration);
}

/// How far gravity and rotation can bring the gap below the tangents at the ends of a step, m.
FN_ONCE real event_dip_bound(const SceneView *view, GLOBAL const Candidate *candidate, real h) {
    u32 bodies[2];
    bodies[0] = candidate->body_a;
    bodies[1] = candidate->body_b;
    real acceleration = body_gravity_bound(view, bodies[0]);
    // Uniform gravity accelerates both alike.
    if (view->scene->flags & SCENE_POINT_GRAVITY) acceleration += body_gravity_bound(view, bodies[1]);
    for (u32 k = 0; k < 2; k++) {
        u32 b = bodies[k];
        if (body_is_driven(view, b)) acceleration += event_driven_acceleration_bound(view, b, bodies[1u - k]);
        if (view->bodies[b].flags & (BODY_ROUND | BODY_FIXED)) continue;
        Vec3 w = view->works[b].step.trial.spin_rad_per_s;
        acceleration += view->bodies[b].radius_m * vec3_dot(w, w);
    }
    return acceleration * h * h * 0.5;
}

/// Could a pair that is apart at both ends of a step touch in between? The distance of convex bodies in relative
/// translation is a convex function of time, so the tangents at both ends bound it from below.
FN u32 event_may_dip(Crossing c0, Crossing c1, real h, real dip_m) {
    if (!(c0.rate < 0.0 && c1.rate > 0.0)) return 0;
    real t = (c0.value - c1.value + c1.rate * h) / (c1.rate - c0.rate);
    real bound = c0.value + c0.rate * real_clamp(t, 0.0, h);
    return bound - dip_m <= 0.0 ? 1 : 0;
}

// Result of a scan over the candidates between two times of a step.
typedef struct Scan {
    real crossing_s;    // earliest estimate of a crossing; REAL_HUGE: none
    real evaluate_at_s; // earliest time that must be evaluated: of a hidden crossing or a peak; REAL_HUGE: none
} Scan;

/// Does the watch observe contacts of this candidate?
FN u32 event_is_watched(const SceneView *view, u32 watch, GLOBAL const Candidate *candidate, u32 observable) {
    Watch given = view->watches[watch];
    if (given.observable != observable || !view->extremes[watch].gate_open) return 0;
    if (given.sides != 0)
        return shape_sides_match(view->shapes[candidate->shape_a].flags, view->shapes[candidate->shape_b].flags,
                                 given.sides);
    u32 a = candidate->body_a, b = candidate->body_b;
    if (given.body_other == NONE) return given.body == a || given.body == b ? 1 : 0;
    return (given.body == a && given.body_other == b) || (given.body == b && given.body_other == a) ? 1 : 0;
}

/// Should the step end on this peak of penetration? Only if it would be a new extreme.
FN u32 event_peak_matters(const SceneView *view, SCENE_SPACE const Progress *progress,
                          GLOBAL const Candidate *candidate, real depth) {
    if (!candidate->observes && depth > progress->max_penetration_m * (1.0 + EVENT_PEAK_SHARE)) return 1;
    u32 observable = candidate->observes ? WATCH_OVERLAP : WATCH_PENETRATION;
    for (u32 i = 0; i < watch_count(view); i++) {
        if (!event_is_watched(view, i, candidate, observable)) continue;
        if (depth > view->extremes[i].value * (1.0 + EVENT_PEAK_SHARE)) return 1;
    }
    return 0;
}

/// Where within 0..1 a peak of penetration must be evaluated; 2: nowhere.
FN real event_peak(const SceneView *view, SCENE_SPACE const Progress *progress, GLOBAL const Candidate *candidate,
                   Crossing c0, Crossing c1, Cubic f) {
    if (!(c0.in_contact && c0.rate > 0.0 && c1.rate < 0.0)) return 2.0;
    real s = cubic_minimum(cubic_negate(f));
    real depth = cubic_value(f, s);
    // Next to an end the cubic itself gives the peak well enough, except at the kinks of deep overlaps.
    u32 inside = s > 0.02 && s < 0.98 ? 1 : 0;
    if (candidate->observes) inside = depth > real_max(c0.value, c1.value) * (1.0 + EVENT_PEAK_SHARE) ? 1 : 0;
    return inside && event_peak_matters(view, progress, candidate, depth) ? s : 2.0;
}

/// Normal force of an active contact at a depth and closing speed.
FN real event_normal_force(const SceneView *view, GLOBAL const Contact *contact, real depth, real closing) {
    if (contact_is_region(view, contact)) // of the start or of the end of a step
        return depth == 0.0 - contact->now.gap_m ? contact->now.normal_N : contact->step.region.start_normal_N;
    if (contact_is_quasi_rigid(view, contact))
        return depth == 0.0 - contact->now.gap_m ? contact->now.normal_N : contact->step.quasi.start.normal_N;
    LawNumbers numbers = law_numbers(COPY(contact->law), COPY(view->laws[contact->pair.law]), view->scene->flags);
    return law_normal_force(&numbers, depth, closing);
}

/// Peak of the normal force between two times, as a share of the step; < 0 if there is none, or none that exceeds the
/// extremes of the watches. With damping the force peaks before the penetration does.
FN_ONCE real event_force_peak(const SceneView *view, GLOBAL const Candidate *candidate, u32 gap_index0, u32 gap_index1,
                              real h) {
    GLOBAL const Contact *contact = &view->contacts[candidate->contact];
    real largest = REAL_HUGE;
    for (u32 i = 0; i < watch_count(view); i++) {
        if (!event_is_watched(view, i, candidate, WATCH_CONTACT_FORCE)) continue;
        largest = real_min(largest, view->extremes[i].value);
    }
    for (u32 k = 0; k < net_force_watch_count(view); k++)
        largest = real_min(largest, net_force_of_one(view, k, candidate));
    if (!(largest < REAL_HUGE)) return -1.0;
    // Without the rate of its gap the cubic gives no peak, and the search for it would not end.
    if (manifold_may_fade(&view->shapes[candidate->shape_a], &view->shapes[candidate->shape_b], candidate->feature,
                          contact->now.narrow_status) != 0)
        return -1.0;
    real depth0 = -candidate->gap_m[gap_index0], depth1 = -candidate->gap_m[gap_index1];
    real closing0 = -candidate->rate_m_per_s[gap_index0], closing1 = -candidate->rate_m_per_s[gap_index1];
    Cubic depth = cubic_hermite(depth0, closing0 * h, depth1, closing1 * h);
    real s = law_force_peak(COPY(contact->law), depth, h);
    if (!(s > EVENT_FORCE_EDGE && s < 1.0 - EVENT_FORCE_EDGE)) return -1.0;
    largest = real_max(largest, event_normal_force(view, contact, depth0, closing0));
    largest = real_max(largest, event_normal_force(view, contact, depth1, closing1));
    real force = event_normal_force(view, contact, cubic_value(depth, s), cubic_slope(depth, s) / h);
    return force > largest * (1.0 + EVENT_FORCE_GAIN) ? s : -1.0;
}

/// Crossings, and times at which one may be hidden, of one candidate between two times.
FN_ONCE Scan event_scan_one(const SceneView *view, SCENE_SPACE const Progress *progress,
                            GLOBAL const Candidate *candidate, u32 gap_index0, real t0, u32 gap_index1, real t1) {
    Scan scan;
    scan.crossing_s = scan.evaluate_at_s = REAL_HUGE;
    real h = t1 - t0;
    Crossing c0 = event_crossing(view, candidate, gap_index0);
    Crossing c1 = event_crossing(view, candidate, gap_index1);
    Cubic f = cubic_hermite(c0.value, c0.rate * h, c1.value, c1.rate * h);
    real peak = 2.0;
    if (event_has_crossed(c1)) {
        scan.crossing_s = t0 + h * cubic_fall(f);
        // Steps of contacts with forces are shorter than a contact, so this is for observers only.
        if (candidate->observes) peak = event_peak(view, progress, candidate, c0, c1, f);
    } else if (!c0.in_contact && event_may_dip(c0, c1, h, event_dip_bound(view, candidate, h))) {
        real s = cubic_minimum(f);
        // On a curved path the estimates of a cubic may converge short of the minimum: take a later time.
        if (view->scene->flags & SCENE_POINT_GRAVITY) s = real_max(s, EVENT_EVALUATE_SHARE);
        // A pair that starts at its minimum, to rounding, has been evaluated there; it would stop every step at once.
        if (s > EVENT_DIP_SHARE) scan.evaluate_at_s = t0 + h * s;
    } else if (c0.in_contact && c0.rate < 0.0 && c1.rate > 0.0) { // has it opened and closed again within the step?
        real s = cubic_minimum(f);
        if (cubic_value(f, s) < -c0.tolerance) scan.evaluate_at_s = t0 + h * s;
    } else {
        peak = event_peak(view, progress, candidate, c0, c1, f);
    }
    if (peak <= 1.0) scan.evaluate_at_s = t0 + h * peak;
    if (c0.in_contact && !candidate->observes && !event_has_crossed(c1)) {
        real s = event_force_peak(view, candidate, gap_index0, gap_index1, h);
        if (s > 0.0) scan.evaluate_at_s = real_min(scan.evaluate_at_s, t0 + h * s);
    }
    return scan;
}

// Where events are sought: between two times of a step whose gaps are known.
typedef struct Search {
    u32 observers; // 1: among observer pairs; 0: among pairs with forces
    u32 low, high; // indices of the gaps at both ends
    real t_low, t_high;
} Search;

/// Skip it? A candidate of the other search, a pair that cannot touch within the step, a contact of bodies at rest.
FN u32 event_is_skipped(const SceneView *view, GLOBAL const Candidate *candidate, u32 observers) {
    if (candidate->observes != observers || candidate->is_skipped) return 1;
    return candidate->contact != NONE && view->contacts[candidate->contact].now.inactive == CONTACT_ASLEEP ? 1 : 0;
}

FN Scan event_scan(const SceneView *view, SCENE_SPACE const Progress *progress, Search search) {
    Scan scan;
    scan.crossing_s = scan.evaluate_at_s = REAL_HUGE;
    for (u32 first = view->item; first < view->slot->live_count; first += LIVE_TOGETHER * SCENE_ITEMS) {
        u32 chosen = 0, at = first;
        for (u32 k = 0; k < LIVE_TOGETHER && at < view->slot->live_count; k++, at += SCENE_ITEMS)
            chosen |= (1u ^ event_is_skipped(view, &view->candidates[view->live[at]], search.observers)) << k;
        for (; chosen != 0; chosen &= chosen - 1u) {
            GLOBAL const Candidate *candidate = &view->candidates[live_chosen(view, first, chosen)];
            Scan one = event_scan_one(view, progress, candidate, search.low, search.t_low, search.high, search.t_high);
            scan.crossing_s = real_min(scan.crossing_s, one.crossing_s);
            scan.evaluate_at_s = real_min(scan.evaluate_at_s, one.evaluate_at_s);
        }
    }
    scan.crossing_s = scene_min(view, scan.crossing_s);
    scan.evaluate_at_s = scene_min(view, scan.evaluate_at_s);
    return scan;
}

/// Is any candidate past its crossing by more than its tolerance? Is any exactly at it?
typedef struct CrossingState {
    u32 beyond, located;
} CrossingState;

FN_ONCE CrossingState event_crossing_state(const SceneView *view, u32 observers, u32 gap_index) {
    CrossingState state;
    state.beyond = state.located = 0;
    LIVE_LOOP(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (event_is_skipped(view, candidate, observers)) continue;
        Crossing c = event_crossing(view, candidate, gap_index);
        if (c.value < -c.tolerance) state.beyond = 1;
        if (event_is_located(c)) state.located = 1;
    }
    state.beyond = scene_any(view, state.beyond);
    state.located = scene_any(view, state.located);
    return state;
}

/// Mark the candidates that change state at the time just located; all other pairs were checked there too. `forced`:
/// the bracket is as narrow as times allow, and every candidate beyond its crossing changes.
FN_ONCE u32 event_mark(const SceneView *view, SCENE_SPACE Progress *progress, u32 observers, u32 gap_index,
                       u32 forced) {
    u32 count = 0;
    u32 late = 0;
    LIVE_LOOP(i) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        if (candidate->observes != observers) continue;
        candidate->changes = 0;
        if (event_is_skipped(view, candidate, observers)) continue;
        Crossing c = event_crossing(view, candidate, gap_index);
        u32 changes = event_is_located(c) || (forced && event_has_crossed(c)) ? 1 : 0;
        candidate->changes = changes;
        count += changes;
        if (changes && !c.in_contact && c.value < -EVENT_LATE_DEPTH_M) late = 1;
    }
    if (scene_any(view, late)) progress->flags |= FLAG_LATE_BEGIN;
    SCENE_BARRIER();
    u32 any = scene_any(view, count);
    SCENE_BARRIER();
    return any;
}

/// `method: rk4`: mark the pairs whose overlap has begun or ended at the end of the step. Returns 1 if there are any.
FN u32 event_mark_by_sign(const SceneView *view, u32 gap_index) {
    u32 any = 0;
    LIVE_LOOP(i) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        u32 overlaps = candidate->gap_m[gap_index] <= 0.0 ? 1 : 0;
        if (scheme_is_quasi_rigid(view->scene->flags) && candidate->contact != NONE && !candidate->observes)
            overlaps = quasi_has_ended(view, &view->contacts[candidate->contact], candidate->gap_m[gap_index]) ? 0 : 1;
        candidate->changes = overlaps != (candidate->contact == NONE ? 0u : 1u) ? 1 : 0;
        any |= candidate->changes;
    }
    SCENE_BARRIER();
    return scene_any(view, any);
}

/// An index of gaps that is not in the mask.
FN u32 event_free_gap_index(u32 taken) {
    u32 gap_index = 0;
    while (gap_index + 1 < GAP_TIMES && (taken & 1u << gap_index)) gap_index++;
    return gap_index;
}

// Result of the search for the end of a step.
typedef struct Located {
    real h;        // the step to take; its end is what the trial states hold
    u32 gap_index; // index of the gaps at that time
    u32 changes;   // 1: some candidates change state there and are marked
    u32 failed;    // 1: not bracketed within the limit
} Located;

// State of a search. Kept in memory across each call, as SceneRun is (step_trial.h).
typedef struct Locating {
    const SceneView *view;
    SCENE_SPACE Progress *progress;
    Search search;
    u32 any_touching;
    u32 first;         // index of the gaps at the search's initial low end
    u32 middle, spare; // free indices of gaps; NONE: not known yet
    u32 high_crossed;  // 1: some candidate has crossed by the high end
    u32 tries;
    u32 is_narrowest; // 1: the bracket is as narrow as times allow
    real start_time, t;
    Scan scan;
    u32 changes; // 1: it has ended where some candidates change state
} Locating;

/// Time within the step of h just tried at which a watched sum of forces seems to have its extreme; REAL_HUGE: none.
FN_ONCE real event_net_force_peak(const SceneView *view, real h) {
    real at = REAL_HUGE;
    if (net_force_watch_count(view) == 0) return at;
    ITEM_LOOP(w, watch_count(view)) {
        real s = net_force_peak(view, w, h);
        if (s < 1.0) at = real_min(at, s * h);
    }
    return scene_min(view, at);
}

/// Choose the next time within the bracket. Returns 0 if none is needed: nothing happens before the high end.
FN u32 event_next_time(Locating *now) {
    const SceneView *view = now->view;
    real t_low = now->search.t_low, t_high = now->search.t_high;
    now->scan = event_scan(view, now->progress, COPY(now->search));
    // Peaks of single forces are located by their laws, and come first.
    if (now->any_touching && !now->search.observers && t_low == 0.0 && now->scan.evaluate_at_s >= REAL_HUGE)
        now->scan.evaluate_at_s = event_net_force_peak(view, t_high);
    now->high_crossed |= now->scan.crossing_s < REAL_HUGE ? 1u : 0u;
    if (!now->high_crossed && now->scan.evaluate_at_s >= REAL_HUGE) return 0;
    if (now->middle == NONE) {
        u32 taken = 1u << now->progress->gap_index | 1u << now->first | 1u << now->search.high;
        now->middle = event_free_gap_index(taken);
        now->spare = event_free_gap_index(taken | 1u << now->middle);
    }
    real t = real_min(now->scan.crossing_s, now->scan.evaluate_at_s);
    // Estimates that do not converge give way to bisection.
    u32 bisects = now->tries > EVENT_BISECT_ALWAYS || (now->tries > EVENT_BISECT_SOMETIMES && (now->tries & 1));
    if (bisects) t = 0.5 * (t_low + t_high);
    if (!(t >= t_low && t <= t_high)) t = 0.5 * (t_low + t_high);
    now->is_narrowest = t_high - t_low <= 8.0 * REAL_EPSILON * (t_high + now->start_time) ||
                        t_high - t_low <= REAL_EPSILON * view->scene->step_s;
    now->t = now->is_narrowest ? t_high : t;
    return 1;
}

/// Continue on one side of t, which has been evaluated.
FN void event_bracket(Locating *now, u32 beyond) {
    // No candidate has crossed by t. That settles [low, t] only if no crossing can hide inside it: t may lie on the far
    // side of a dip.
    u32 may_hide = 0;
    if (!beyond) {
        Search before = now->search;
        before.high = now->middle;
        before.t_high = now->t;
        may_hide =
            now->t < now->scan.crossing_s || event_scan(now->view, now->progress, before).evaluate_at_s < REAL_HUGE;
    }
    Search *search = &now->search;
    u32 freed = search->high;
    if (beyond || may_hide) {
        search->high = now->middle;
        search->t_high = now->t;
        now->high_crossed = beyond;
    } else {
        freed = search->low == now->first ? now->spare : search->low;
        search->low = now->middle;
        search->t_low = now->t;
    }
    now->middle = freed;
}

FN void event_begin(Locating *now, const SceneView *view, SCENE_SPACE Progress *progress, Search search,
                    u32 any_touching) {
    now->view = view;
    now->progress = progress;
    now->search = search;
    now->any_touching = any_touching;
    now->first = search.low;
    now->middle = now->spare = NONE;
    now->high_crossed = now->tries = now->changes = 0;
    now->start_time = scene_time(view, progress);
}

/// The iteration of event_locate, once event_next_time has chosen the first time; sets the high end, `changes` and
/// `high_crossed`.
FN_SPINE void event_search(Locating *now) {
    do {
        substep_try(now->view, now->progress, now->t, now->any_touching);
        gaps_evaluate(now->view, now->progress, now->middle, now->t, 0);
        now->progress->resteps++;
        CrossingState state = event_crossing_state(now->view, now->search.observers, now->middle);
        if (now->is_narrowest || (state.located && !state.beyond)) {
            now->changes = event_mark(now->view, now->progress, now->search.observers, now->middle, now->is_narrowest);
            now->search.high = now->middle;
            now->search.t_high = now->t;
            now->high_crossed = 0;
            return;
        }
        event_bracket(now, state.beyond);
        now->tries++;
    } while (now->tries < EVENT_ROOT_ITERATIONS && event_next_time(now));
}

/// Where the search has ended.
FN void event_end(const Locating *now, Located *out) {
    out->h = now->search.t_high;
    out->gap_index = now->search.high;
    out->changes = now->changes;
    out->failed = now->high_crossed;
}

/// Given a step whose trial states and gaps are known at both ends of a search, find the first time within at which
/// some pair must change state, re-stepping from the step's start each time, and end the step exactly there. Every
/// iteration evaluates all pairs, so that the earliest crossing is found whatever the estimates were. The gaps of the
/// present state and those at the search's own `low` are kept. (Result by pointer: oclgrind does not support functions
/// that are not inlined and return a struct.)
FN_TOP void event_locate(const SceneView *view, SCENE_SPACE Progress *progress, Search search, u32 any_touching,
                         Located *out) {
    Locating now;
    event_begin(&now, view, progress, search, any_touching);
    if (event_next_time(&now)) event_search(&now);
    event_end(&now, out);
}

#endif
