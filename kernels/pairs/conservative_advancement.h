// Conservative advancement: which pairs cannot have touched within a step and need no distance query.
//
// The gap of two convex bodies along a fixed direction bounds their distance from below. Along the normal of the last
// query it changes by the relative motion of the centres, which is known at both ends of a step and a parabola in
// uniform gravity, and by at most what rotation can bring any point nearer. Nothing is assumed about later times: a
// body that is hit wakes by moving. If nothing touches, it also gives the time until a pair must be queried.
// Source: Mirtich, Impulse-based Dynamic Simulation (1996).
#ifndef CLACK_PAIRS_CONSERVATIVE_ADVANCEMENT_H
#define CLACK_PAIRS_CONSERVATIVE_ADVANCEMENT_H

#include "pairs/broad_phase.h"

// Share of the change of velocity times the step by which a path may deviate from the straight one: an eighth for
// constant acceleration, a quarter if velocities stay between those of the ends.
#define APPROACH_SWING 0.5

// Rounding of a position, as a share of it and of a metre.
#define PLACE_ROUNDING 1.0e-12

/// Rounding of the position of a body that goes `path_m` in a step, m.
FN real advancement_rounding(const SceneView *view, u32 b, real path_m) {
    return PLACE_ROUNDING * (1.0 + view->bodies[b].radius_m + vec3_max_abs(view->states[b].position_m) + path_m);
}

/// Is a body in flight on a parabola, or at rest?
FN u32 advancement_falls(const SceneView *view, u32 b) {
    if (view->works[b].mode == MODE_FLYING) return view->scene->flags & SCENE_POINT_GRAVITY ? 0u : 1u;
    return body_moves(view, b) ? 0u : 1u;
}

/// Bound of the relative acceleration of two bodies in flight or at rest.
FN real advancement_acceleration_bound(const SceneView *view) {
    return 1.75 * vec3_max_abs(view->scene->gravity_m_per_s2); // at least sqrt(3)
}

// Relative motion of two bodies in flight or at rest along the direction of a candidate's last query: for a time t from
// the present on their gap is at least gap_m + speed t + acceleration t^2 / 2.
typedef struct Advancement {
    real gap_m, speed_m_per_s, acceleration_m_per_s2;
} Advancement;

FN Advancement advancement_of(const SceneView *view, GLOBAL const Candidate *candidate, u32 body_a, u32 body_b) {
    GLOBAL const BodyWork *a = &view->works[body_a];
    GLOBAL const BodyWork *b = &view->works[body_b];
    Vec3 velocity = vec3_zero(), acceleration = vec3_zero();
    if (b->mode == MODE_FLYING) {
        velocity = view->states[body_b].velocity_m_per_s;
        acceleration = view->scene->gravity_m_per_s2;
    }
    if (a->mode == MODE_FLYING) {
        velocity = vec3_sub(velocity, view->states[body_a].velocity_m_per_s);
        acceleration = vec3_sub(acceleration, view->scene->gravity_m_per_s2);
    }
    Vec3 centres = vec3_sub(view->states[body_b].position_m, view->states[body_a].position_m);
    Advancement approach;
    approach.gap_m = vec3_dot(candidate->away, centres) + candidate->clear_m -
                     (a->bounds.rotation_path_since_m + b->bounds.rotation_path_since_m);
    approach.speed_m_per_s = vec3_dot(candidate->away, velocity);
    approach.acceleration_m_per_s2 = vec3_dot(candidate->away, acceleration);
    return approach;
}

/// Bounds of each body's motion within the step of h just tried.
FN_WAY void advancement_measure(const SceneView *view, real h) {
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        Vec3 x0 = view->states[b].position_m, x1 = work->step.trial.position_m;
        work->bounds.path_deviation_m =
            advancement_rounding(view, b, h * vec3_max_abs(view->states[b].velocity_m_per_s));
        if (work->bounds.path_s != h) broad_keep_path(view, b, h);
        if (advancement_falls(view, b)) continue; // a parabola, treated exactly
        if (body_is_driven(view, b)) {
            work->bounds.path_deviation_m += driven_bounds(view, b, h).deviation_m;
            continue;
        }
        Vec3 v0 = view->states[b].velocity_m_per_s, v1 = work->step.trial.velocity_m_per_s;
        Vec3 deviation = vec3_add_scaled(vec3_sub(x1, x0), vec3_add(v0, v1), -0.5 * h);
        work->bounds.path_deviation_m += APPROACH_SWING * h * vec3_length(vec3_sub(v1, v0)) + vec3_length(deviation);
    }
    SCENE_BARRIER();
}

/// Store a query of a pair: the gap is at least `gap_m` along `normal` with centres `centres_m` apart. is_trial: in the
/// trial states.
FN void advancement_remember(const SceneView *view, GLOBAL Candidate *candidate, Vec3 normal, Vec3 centres_m,
                             real gap_m, u32 is_trial) {
    GLOBAL const BodyBounds *a = &view->works[candidate->body_a].bounds;
    GLOBAL const BodyBounds *b = &view->works[candidate->body_b].bounds;
    real turned = a->rotation_path_since_m + b->rotation_path_since_m;
    if (is_trial) turned += a->rotation_path_m + b->rotation_path_m;
    candidate->away = normal;
    candidate->clear_m = gap_m - vec3_dot(normal, centres_m) + turned;
}

// Common to all candidates of two bodies in a step just tried: vectors between their centres at both ends, bounds of
// the path of points by rotation, and of the deviation of their paths from straight ones.
typedef struct ApproachPair {
    u32 body_a, body_b;
    u32 falls; // 1: both on parabolas or at rest
    Vec3 before_m, after_m;
    real rotation_path_since_m, path_deviation_m;
    real present_m, path_m; // path by rotation before the step, with rounding; bound of the paths of both
} ApproachPair;

FN_SHORT ApproachPair advancement_pair(const SceneView *view, u32 body_a, u32 body_b) {
    GLOBAL const BodyWork *a = &view->works[body_a];
    GLOBAL const BodyWork *b = &view->works[body_b];
    ApproachPair pair;
    pair.body_a = body_a;
    pair.body_b = body_b;
    pair.falls = advancement_falls(view, body_a) & advancement_falls(view, body_b);
    pair.before_m = vec3_sub(view->states[body_b].position_m, view->states[body_a].position_m);
    pair.after_m = vec3_sub(b->step.trial.position_m, a->step.trial.position_m);
    pair.rotation_path_since_m = a->bounds.rotation_path_since_m + b->bounds.rotation_path_since_m +
                                 (a->bounds.rotation_path_m + b->bounds.rotation_path_m);
    pair.path_deviation_m = a->bounds.path_deviation_m + b->bounds.path_deviation_m;
    pair.present_m = a->bounds.rotation_path_since_m + b->bounds.rotation_path_since_m +
                     (advancement_rounding(view, body_a, 1.0) + advancement_rounding(view, body_b, 1.0));
    pair.path_m =
        (body_moves(view, body_a) ? a->bounds.path_m : 0.0) + (body_moves(view, body_b) ? b->bounds.path_m : 0.0);
    return pair;
}

/// Are the two shapes of a candidate sure to have been apart throughout the step of h just tried?
FN_STAGE u32 advancement_is_clear(const SceneView *view, GLOBAL const Candidate *candidate, const ApproachPair *pair,
                                  real h) {
    real nearest = real_min(vec3_dot(candidate->away, pair->before_m), vec3_dot(candidate->away, pair->after_m));
    real spare = nearest + candidate->clear_m - pair->rotation_path_since_m - pair->path_deviation_m;
    if (!pair->falls) return spare > 0.0 ? 1u : 0u;
    // A parabola deviates from its chord by an eighth of its second derivative times the square of the time; its vertex
    // is computed only if that matters.
    real bow = 0.125 * h * h * advancement_acceleration_bound(view);
    if (!(spare > 0.0) || spare > bow) return spare > 0.0 ? 1u : 0u;
    Advancement x = advancement_of(view, candidate, pair->body_a, pair->body_b);
    if (!(x.speed_m_per_s < 0.0 && x.speed_m_per_s + x.acceleration_m_per_s2 * h > 0.0)) return 1;
    real vertex =
        vec3_dot(candidate->away, pair->before_m) - x.speed_m_per_s * x.speed_m_per_s / (2.0 * x.acceleration_m_per_s2);
    return spare - real_max(0.0, nearest - vertex) > 0.0 ? 1u : 0u;
}

/// For how many steps as long as the one just tried, from the present on, a candidate is sure to stay apart.
FN_SHORT real advancement_steps(GLOBAL const Candidate *candidate, const ApproachPair *pair) {
    real room = vec3_dot(candidate->away, pair->before_m) + candidate->clear_m - pair->present_m;
    return room > 0.0 ? room / real_max(pair->path_m, PLACE_ROUNDING) : 0.0;
}

#endif
