// Long free flights: over how many outer steps no distance query is needed, so that one step covers them.
#ifndef CLACK_STEPPER_FREE_FLIGHT_H
#define CLACK_STEPPER_FREE_FLIGHT_H

#include "model/scheme_policy.h"
#include "pairs/broad_phase.h"
#include "pairs/candidate_gaps.h"
#include "pairs/conservative_advancement.h"
#include "integrate/step_plan.h"
#include "stepper/active.h"
#include "stepper/observe.h"

// Long flights grow by doubling, as long as nothing touches: a longer flight passes more candidates. Two shapes alone
// have no others.
#define FLIGHT_STEPS_FIRST 16u
#define FLIGHT_STEPS_MOST 65536u

/// Must what is watched be read at the end of every outer step of a flight?
FN u32 flight_needs_outer_ends(const SceneView *view) {
    u32 rough = 0;
    ITEM_LOOP(w, watch_count(view)) {
        if (!view->extremes[w].gate_open || view->watches[w].sense == WATCH_AT) continue;
        if (!observe_is_smooth(view, COPY(view->watches[w]))) rough = 1;
    }
    return scene_any(view, rough);
}

/// May the scene fly over several outer steps at once? Only from the beginning of one.
FN u32 flight_is_free(const SceneView *view, SCENE_SPACE const Progress *progress) {
    if (!policy_flies_far(view->scene->flags)) return 0;
    if (progress->offset_s != 0.0) return 0;
    u32 spins = 0;
    MOVING_LOOP(b) {
        if (view->works[b].mode != MODE_FLYING || view->bodies[b].flags & BODY_ROUND) continue;
        if (view->works[b].flight.spin_rad_per_s * view->scene->step_s > PLAN_TURN_PER_STEP) spins = 1;
    }
    return scene_any(view, spins) ? 0u : 1u;
}

/// Bound of the rounding error of the gap of two bodies, m.
FN real flight_rounding(const SceneView *view, u32 body_a, u32 body_b) {
    return 4.0 * (advancement_rounding(view, body_a, 0.0) + advancement_rounding(view, body_b, 0.0));
}

/// For how long the two shapes of a candidate are sure to stay apart, from their last distance query, s.
FN_WAY real flight_of_candidate(const SceneView *view, GLOBAL const Candidate *candidate, u32 body_a, u32 body_b,
                                real rounding_m) {
    if (!(body_moves(view, body_a) | body_moves(view, body_b))) return REAL_HUGE;
    Advancement x = advancement_of(view, candidate, body_a, body_b);
    real gap = x.gap_m - rounding_m;
    real speed = x.speed_m_per_s;
    if (body_moves(view, body_a)) speed -= broad_turn_speed(view, body_a);
    if (body_moves(view, body_b)) speed -= broad_turn_speed(view, body_b);
    if (!(gap > 0.0)) return 0.0;
    // First root of gap + speed t + acceleration t^2 / 2, in the form without cancellation.
    real square = speed * speed - 2.0 * x.acceleration_m_per_s2 * gap;
    if (square < 0.0) return REAL_HUGE;
    real root = real_sqrt(square) - speed;
    return root > 0.0 ? 2.0 * gap / root : REAL_HUGE;
}

/// The minimum over all candidates with forces; observer pairs do not limit steps.
FN real flight_of_candidates(const SceneView *view) {
    real shortest = REAL_HUGE, rounding_m = 0.0;
    u32 last_a = NONE, last_b = NONE;
    LIVE_LOOP(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->observes || candidate->contact != NONE) continue;
        u32 a = candidate->body_a, b = candidate->body_b;
        if (a != last_a || b != last_b) rounding_m = flight_rounding(view, a, b);
        last_a = a;
        last_b = b;
        shortest = real_min(shortest, flight_of_candidate(view, candidate, a, b, rounding_m));
    }
    return scene_min(view, shortest);
}

/// Whole outer steps within a time, from 1 to `most`.
FN u32 flight_whole_steps(const SceneView *view, real time_s, u32 most) {
    real steps = time_s / view->scene->step_s;
    if (!(steps < (real)most)) return most;
    return steps > 1.0 ? (u32)steps : 1u;
}

/// Outer steps that the next step may cover, 1 if a distance query is due before. Nothing touches. stop_s: when the
/// scene, a gate or recorded contacts want a step to end, from the present. listed: for so many candidates have just
/// been listed, which may allow only a shorter path, for which the list then holds; 0: they have not. *out_lists: 1 if
/// they have to be listed first.
FN u32 flight_steps(const SceneView *view, SCENE_SPACE Progress *progress, real stop_s, u32 listed, u32 *out_lists) {
    if (!flight_is_free(view, progress)) return 1;
    if (progress->flight_steps == 0)
        progress->flight_steps = view->scene->shape_count > 2 ? FLIGHT_STEPS_FIRST : FLIGHT_STEPS_MOST;
    u32 steps = listed > 0 ? listed : flight_whole_steps(view, stop_s, progress->flight_steps);
    if (steps > 1) steps = flight_whole_steps(view, flight_of_candidates(view), steps);
    if (steps > 1 && listed == 0 && broad_outgrown(view, (real)steps * view->scene->step_s, 0)) {
        *out_lists = 1;
        return steps;
    }
    if (steps == progress->flight_steps && steps < FLIGHT_STEPS_MOST) progress->flight_steps = 2 * steps;
    return steps;
}

#endif
