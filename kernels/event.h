// Begin and end of contacts as zero crossings inside a step: gaps at both ends, where they cross,
// and the bracketing search that ends exactly there.
#ifndef CLACK_EVENT_H
#define CLACK_EVENT_H

#include "broad_phase.h"
#include "substep.h"

#define EVENT_TOLERANCE_M 1.0e-13 // design: conventions, contact state
// Estimates take 2 or 3; the rest is room for bisection down to the spacing of times, where a gap jumps.
#define EVENT_ROOT_ITERATIONS 72u
#define EVENT_BISECT_SOMETIMES 8u
#define EVENT_BISECT_ALWAYS 20u
#define EVENT_CUBIC_ITERATIONS 60u
#define EVENT_LATE_DEPTH_M 1.0e-9
#define EVENT_DIP_SHARE 1.0e-6 // of a step: what gravity dips within it is below 1e-15 m

// --- cubic Hermite polynomial on 0..1: values g0, g1, slopes a0, a1 (rates times the step) -------------
typedef struct Cubic {
    real g0, a0, c2, c3; // g0 + a0 s + c2 s^2 + c3 s^3
} Cubic;

FN Cubic cubic_hermite(real g0, real a0, real g1, real a1) {
    Cubic cubic;
    real rise = g1 - g0;
    cubic.g0 = g0;
    cubic.a0 = a0;
    cubic.c2 = 3.0 * rise - 2.0 * a0 - a1;
    cubic.c3 = a0 + a1 - 2.0 * rise;
    return cubic;
}

FN real cubic_value(Cubic f, real s) {
    return real_fma(real_fma(real_fma(f.c3, s, f.c2), s, f.a0), s, f.g0);
}

FN real cubic_slope(Cubic f, real s) {
    return real_fma(real_fma(3.0 * f.c3, s, 2.0 * f.c2), s, f.a0);
}

/// Where the cubic has its minimum, for a0 < 0 and a rising end.
FN real cubic_minimum(Cubic f) {
    real square = f.c2 * f.c2 - 3.0 * f.c3 * f.a0;
    real denominator = f.c2 + real_sqrt(real_max(square, 0.0));
    if (!(denominator > 0.0)) return 0.5;
    return real_clamp(-f.a0 / denominator, 0.0, 1.0);
}

FN Cubic cubic_negate(Cubic f) {
    Cubic g;
    g.g0 = -f.g0;
    g.a0 = -f.a0;
    g.c2 = -f.c2;
    g.c3 = -f.c3;
    return g;
}

/// First s where the cubic falls through zero; it is <= 0 at 1. Where it starts at zero and rises, the
/// fall after its maximum.
FN real cubic_fall(Cubic f) {
    real low = f.a0 > 0.0 ? cubic_minimum(cubic_negate(f)) : 0.0;
    if (!(cubic_value(f, low) > 0.0)) return low; // at zero from the start: it falls from here on
    real high = 1.0;
    real s = 0.5 * (low + high);
    for (u32 i = 0; i < EVENT_CUBIC_ITERATIONS; i++) {
        real value = cubic_value(f, s);
        if (value > 0.0) {
            low = s;
        } else {
            high = s;
        }
        real slope = cubic_slope(f, s);
        real next = slope < 0.0 ? s - value / slope : -1.0;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (real_abs(next - s) <= REAL_EPSILON * next) return next;
        s = next;
    }
    return s;
}

// --- gaps -----------------------------------------------------------------------------------------------

/// Tolerance to which events of a pair are located: 1e-13 m, the spacing of the positions involved,
/// what the narrow phase can tell, and what the spacing of times lets the gap move.
FN real event_tolerance(const SceneView *view, GLOBAL const Candidate *candidate, real error_m,
                        real rate_m_per_s, real time) {
    Vec3 a = view->works[view->shapes[candidate->shape_a].body].trial.position_m;
    Vec3 b = view->works[view->shapes[candidate->shape_b].body].trial.position_m;
    real place = 8.0 * REAL_EPSILON * real_max(vec3_max_abs(a), vec3_max_abs(b));
    real clock = 4.0 * REAL_EPSILON * time * real_abs(rate_m_per_s);
    real base = view->scene->flags & SCENE_COMPAT_MODIA3D ? 0.0 : EVENT_TOLERANCE_M;
    return real_max(real_max(base, place), real_max(error_m, clock));
}

/// Gap and rate of all candidates in the trial states. Awake contacts were evaluated there already.
FN void event_gaps(const SceneView *view, Progress *progress, u32 slot, real time) {
    u32 start = progress->gap_slot;
    u32 fallback = 0;
    u32 coincident = 0;
    LANE_LOOP(i, progress->candidate_count) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        u32 contact = candidate->contact;
        if (contact != NONE && !view->contacts[contact].asleep) {
            candidate->gap_m[slot] = view->contacts[contact].gap_m;
            candidate->rate_m_per_s[slot] = view->contacts[contact].rate_m_per_s;
            candidate->tolerance_m =
                event_tolerance(view, candidate, view->contacts[contact].error_m,
                                candidate->rate_m_per_s[slot], time);
            if (view->contacts[contact].narrow_status != NARROW_OK) fallback = 1;
            continue;
        }
        u32 moves = body_moves(view, view->shapes[candidate->shape_a].body) |
                    body_moves(view, view->shapes[candidate->shape_b].body);
        if (!moves && slot != start) {
            candidate->gap_m[slot] = candidate->gap_m[start];
            candidate->rate_m_per_s[slot] = 0.0;
            continue;
        }
        Meeting meeting =
            contact_meet(view, candidate->shape_a, candidate->shape_b, candidate->feature);
        candidate->gap_m[slot] = meeting.gap_m;
        candidate->rate_m_per_s[slot] = meeting.rate_m_per_s;
        candidate->tolerance_m =
            event_tolerance(view, candidate, meeting.error_m, meeting.rate_m_per_s, time);
        // At a trial time the step may have gone too far; the events before it will cut it.
        if (meeting.status == NARROW_COINCIDENT && slot == start) coincident = 1;
        if (meeting.status == NARROW_FALLBACK || meeting.status == NARROW_NOT_CONVERGED)
            fallback = 1;
    }
    if (lane_any(view, fallback)) progress->flags |= FLAG_MPR_FALLBACK;
    if (lane_any(view, coincident)) progress->status = STATUS_COINCIDENT;
    SCENE_BARRIER();
}

// A candidate's crossing function: positive where nothing happens, negative where its state must change.
// Before contact the gap itself; in contact its negative.
typedef struct Crossing {
    real value;
    real rate;
    real tolerance;
    u32 active;
} Crossing;

FN Crossing event_crossing(const SceneView *view, GLOBAL const Candidate *candidate, u32 slot) {
    Crossing crossing;
    u32 contact = candidate->contact;
    crossing.active = contact != NONE ? 1 : 0;
    crossing.value = candidate->gap_m[slot];
    crossing.rate = candidate->rate_m_per_s[slot];
    crossing.tolerance = candidate->tolerance_m;
    if (crossing.active) {
        real hysteresis = view->scene->flags & SCENE_COMPAT_MODIA3D ? COMPAT_EPSILON_M : 0.0;
        crossing.value = hysteresis - crossing.value;
        crossing.rate = -crossing.rate;
    }
    return crossing;
}

/// Has it crossed, so that the step must end earlier?
FN u32 event_has_crossed(Crossing c) {
    return c.value < -c.tolerance || (c.value <= 0.0 && c.rate < 0.0) ? 1 : 0;
}

/// Is it at its zero, moving through it?
FN u32 event_is_located(Crossing c) {
    return real_abs(c.value) <= c.tolerance && c.rate < 0.0 ? 1 : 0;
}

/// How far the gap can bend below the tangents at the ends of a step, by gravity and rotation.
FN real event_bend(const SceneView *view, GLOBAL const Candidate *candidate, real h) {
    u32 bodies[2];
    bodies[0] = view->shapes[candidate->shape_a].body;
    bodies[1] = view->shapes[candidate->shape_b].body;
    real bend = vec3_length(view->scene->gravity_m_per_s2);
    for (u32 k = 0; k < 2; k++) {
        u32 b = bodies[k];
        if (view->bodies[b].flags & (BODY_ROUND | BODY_FIXED)) continue;
        Vec3 w = view->works[b].trial.spin_rad_per_s;
        bend += view->bodies[b].radius_m * vec3_dot(w, w);
    }
    return bend * h * h * 0.5;
}

/// Could a pair that is apart at both ends of a step have met in between? The distance of convex bodies in
/// relative translation is a convex function of time, so that the tangents at the ends bound it from below.
FN u32 event_may_dip(Crossing c0, Crossing c1, real h, real bend) {
    if (!(c0.rate < 0.0 && c1.rate > 0.0)) return 0;
    real t = (c0.value - c1.value + c1.rate * h) / (c1.rate - c0.rate);
    real bound = c0.value + c0.rate * real_clamp(t, 0.0, h);
    return bound - bend <= 0.0 ? 1 : 0;
}

// What a scan over the candidates found between two times of a step.
typedef struct Scan {
    real crossing_s; // earliest estimate of a crossing; REAL_HUGE: none
    real look_s;     // earliest time at which something may be hidden; REAL_HUGE: none
} Scan;

/// Does a peak of penetration matter, so that the step should end on it? Only new extremes do.
FN u32 event_peak_matters(const SceneView *view, const Progress *progress,
                          GLOBAL const Candidate *candidate, real depth) {
    if (depth > progress->max_penetration_m * (1.0 + 1.0e-6)) return 1;
    for (u32 i = 0; i < view->scene->watch_count; i++) {
        if (view->watches[i].observable != WATCH_PENETRATION) continue;
        u32 body = view->watches[i].body;
        if (body != view->shapes[candidate->shape_a].body &&
            body != view->shapes[candidate->shape_b].body) {
            continue;
        }
        if (depth > view->extremes[i].value * (1.0 + 1.0e-6)) return 1;
    }
    return 0;
}

/// Crossings and suspicions of one candidate between two times.
FN Scan event_scan_one(const SceneView *view, const Progress *progress,
                       GLOBAL const Candidate *candidate, u32 slot0, real t0, u32 slot1, real t1) {
    Scan scan;
    scan.crossing_s = scan.look_s = REAL_HUGE;
    real h = t1 - t0;
    Crossing c0 = event_crossing(view, candidate, slot0);
    Crossing c1 = event_crossing(view, candidate, slot1);
    Cubic f = cubic_hermite(c0.value, c0.rate * h, c1.value, c1.rate * h);
    if (event_has_crossed(c1)) {
        scan.crossing_s = t0 + h * cubic_fall(f);
        return scan;
    }
    if (!c0.active && event_may_dip(c0, c1, h, event_bend(view, candidate, h))) {
        // One that starts at its nearest, to rounding, has been looked at; it would stop every step at once.
        real s = cubic_minimum(f);
        if (s > EVENT_DIP_SHARE) scan.look_s = t0 + h * s;
    } else if (c0.active && c0.rate < 0.0 &&
               c1.rate > 0.0) { // open and closed again within the step?
        real s = cubic_minimum(f);
        if (cubic_value(f, s) < -c0.tolerance) scan.look_s = t0 + h * s;
    } else if (c0.active && c0.rate > 0.0 && c1.rate < 0.0) { // a peak of penetration
        Cubic negative = cubic_negate(f);
        real s = cubic_minimum(negative);
        real depth = cubic_value(f, s);
        // Next to an end the cubic itself tells the peak well enough.
        if (s > 0.02 && s < 0.98 && event_peak_matters(view, progress, candidate, depth)) {
            scan.look_s = t0 + h * s;
        }
    }
    return scan;
}

FN Scan event_scan(const SceneView *view, const Progress *progress, u32 slot0, real t0, u32 slot1,
                   real t1) {
    Scan scan;
    scan.crossing_s = scan.look_s = REAL_HUGE;
    LANE_LOOP(i, progress->candidate_count) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->contact != NONE && view->contacts[candidate->contact].asleep) continue;
        Scan one = event_scan_one(view, progress, candidate, slot0, t0, slot1, t1);
        scan.crossing_s = real_min(scan.crossing_s, one.crossing_s);
        scan.look_s = real_min(scan.look_s, one.look_s);
    }
    scan.crossing_s = lane_min(view, scan.crossing_s);
    scan.look_s = lane_min(view, scan.look_s);
    return scan;
}

/// Is any candidate past its crossing by more than its tolerance? And is any exactly at it?
typedef struct Standing {
    u32 beyond, located;
} Standing;

FN Standing event_standing(const SceneView *view, const Progress *progress, u32 slot) {
    Standing standing;
    standing.beyond = standing.located = 0;
    LANE_LOOP(i, progress->candidate_count) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->contact != NONE && view->contacts[candidate->contact].asleep) continue;
        Crossing c = event_crossing(view, candidate, slot);
        if (c.value < -c.tolerance) standing.beyond = 1;
        if (event_is_located(c)) standing.located = 1;
    }
    standing.beyond = lane_any(view, standing.beyond);
    standing.located = lane_any(view, standing.located);
    return standing;
}

/// Mark the candidates that change state at the time just located; the rest of the pairs was checked
/// there too. `forced`: the bracket is as narrow as times allow, whoever is beyond changes as well.
FN u32 event_mark(const SceneView *view, Progress *progress, u32 slot, u32 forced) {
    u32 count = 0;
    u32 late = 0;
    LANE_LOOP(i, progress->candidate_count) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        candidate->turns = 0;
        if (candidate->contact != NONE && view->contacts[candidate->contact].asleep) continue;
        Crossing c = event_crossing(view, candidate, slot);
        u32 turns = event_is_located(c) || (forced && event_has_crossed(c)) ? 1 : 0;
        candidate->turns = turns;
        count += turns;
        if (turns && !c.active && c.value < -EVENT_LATE_DEPTH_M) late = 1;
    }
    if (lane_any(view, late)) progress->flags |= FLAG_LATE_BEGIN;
    SCENE_BARRIER();
    u32 any = lane_any(view, count);
    SCENE_BARRIER();
    return any;
}

// How the search for the end of a step came out.
typedef struct Located {
    real h;     // the step to take; its end is what the trial states hold
    u32 slot;   // whose gaps belong there
    u32 turns;  // 1: some candidates change state there and are marked
    u32 failed; // 1: not bracketed within the limit
} Located;

/// Given a trial step of h whose end gaps are in `slot_end`, find the first time at which some pair
/// must change state, re-stepping from the start each time, and stop exactly there. All pairs are looked
/// at in every iteration, so that the earliest one is found whatever the estimates said.
FN Located event_locate(const SceneView *view, Progress *progress, real h, u32 slot_end,
                        u32 any_touching) {
    real start_time = scene_time(view, progress);
    u32 low = progress->gap_slot, high = slot_end;
    u32 middle = (low + 1) % GAP_SLOTS == high ? (low + 2) % GAP_SLOTS : (low + 1) % GAP_SLOTS;
    u32 spare = 6 - low - high - middle; // the four slots are 0 + 1 + 2 + 3
    real t_low = 0.0, t_high = h;
    u32 high_crossed = 0;
    Located found;
    found.failed = 0;
    for (u32 i = 0; i < EVENT_ROOT_ITERATIONS; i++) {
        Scan scan = event_scan(view, progress, low, t_low, high, t_high);
        high_crossed |= scan.crossing_s < REAL_HUGE ? 1u : 0u;
        if (!high_crossed && scan.look_s >= REAL_HUGE) break; // nothing happens before t_high
        real t = real_min(scan.crossing_s, scan.look_s);
        // Estimates that do not converge give way to bisection.
        u32 bisects = i > EVENT_BISECT_ALWAYS || (i > EVENT_BISECT_SOMETIMES && (i & 1));
        if (bisects) t = 0.5 * (t_low + t_high);
        if (!(t >= t_low && t <= t_high)) t = 0.5 * (t_low + t_high);
        u32 narrowest = t_high - t_low <= 8.0 * REAL_EPSILON * (t_high + start_time) ||
                        t_high - t_low <= REAL_EPSILON * view->scene->step_s;
        if (narrowest) t = t_high;
        substep_try(view, progress, t, any_touching);
        event_gaps(view, progress, middle, start_time + t);
        progress->resteps++;
        Standing standing = event_standing(view, progress, middle);
        if (narrowest || (standing.located && !standing.beyond)) {
            found.h = t;
            found.slot = middle;
            found.turns = event_mark(view, progress, middle, narrowest);
            return found;
        }
        // Nobody has crossed by t. That settles [low, t] only where nothing can hide inside it: a look may
        // have come down on the far side of a dip.
        u32 hides = 0;
        if (!standing.beyond) {
            hides = t < scan.crossing_s ||
                    event_scan(view, progress, low, t_low, middle, t).look_s < REAL_HUGE;
        }
        if (standing.beyond || hides) {
            u32 freed = high;
            high = middle;
            middle = freed;
            t_high = t;
            high_crossed = standing.beyond;
        } else {
            u32 freed = low == progress->gap_slot ? spare : low; // the present gaps stay
            low = middle;
            middle = freed;
            t_low = t;
        }
    }
    found.h = t_high;
    found.slot = high;
    found.turns = 0;
    found.failed = high_crossed;
    return found;
}

#endif
