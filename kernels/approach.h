// Conservative advancement: which pairs cannot have touched within a step, so that nobody looks at them.
//
// Of two convex bodies, the gap along a fixed direction bounds the distance from below. Along the normal of the
// last look it changes by the way of the centres, which is known at both ends of a step, and by less than
// turning can bring any point nearer. It asks nothing of the time to come: who is hit wakes by moving.
// Source: Mirtich, Impulse-based Dynamic Simulation (1996); spec stepper 4.3.
#ifndef CLACK_APPROACH_H
#define CLACK_APPROACH_H

#include "broad_phase.h"

// Rounding of a place, as a share of it and of a metre.
#define APPROACH_ROUNDING 1.0e-12
// Share of the change of velocity times the step by which a way may stray from the straight one: an eighth
// where the acceleration is constant, a quarter where velocities stay between those of the ends.
#define APPROACH_SWING 0.5

/// Bounds of each body's motion within the step of h just tried.
FN void approach_measure(const SceneView *view, real h) {
    LANE_LOOP(b, view->scene->body_count) {
        GLOBAL BodyWork *work = &view->works[b];
        Vec3 x0 = view->states[b].position_m, x1 = work->trial.position_m;
        work->turn_m = 0.0;
        work->swing_m = APPROACH_ROUNDING * (1.0 + view->bodies[b].radius_m + vec3_max_abs(x0));
        if (work->mode < MODE_FLYING) continue;
        Vec3 v0 = view->states[b].velocity_m_per_s, v1 = work->trial.velocity_m_per_s;
        Vec3 strays = vec3_add_scaled(vec3_sub(x1, x0), vec3_add(v0, v1), -0.5 * h);
        work->swing_m += APPROACH_SWING * h * vec3_length(vec3_sub(v1, v0)) + vec3_length(strays);
        work->turn_m = broad_turn_tried(view, b, h);
    }
    SCENE_BARRIER();
}

/// Remember a look at a pair: the gap is at least `gap_m` along `normal` with centres `centres_m` apart.
/// is_trial: in the trial states.
FN void approach_remember(const SceneView *view, GLOBAL Candidate *candidate, Vec3 normal, Vec3 centres_m,
                          real gap_m, u32 is_trial) {
    GLOBAL const BodyWork *a = &view->works[view->shapes[candidate->shape_a].body];
    GLOBAL const BodyWork *b = &view->works[view->shapes[candidate->shape_b].body];
    real turned = a->turned_m + b->turned_m;
    if (is_trial) turned += a->turn_m + b->turn_m;
    candidate->away = normal;
    candidate->clear_m = gap_m - vec3_dot(normal, centres_m) + turned;
}

/// Are the two shapes of a candidate sure to have been apart all through the step just tried?
FN u32 approach_is_clear(const SceneView *view, GLOBAL const Candidate *candidate) {
    u32 body_a = view->shapes[candidate->shape_a].body;
    u32 body_b = view->shapes[candidate->shape_b].body;
    GLOBAL const BodyWork *a = &view->works[body_a];
    GLOBAL const BodyWork *b = &view->works[body_b];
    Vec3 before = vec3_sub(view->states[body_b].position_m, view->states[body_a].position_m);
    Vec3 after = vec3_sub(b->trial.position_m, a->trial.position_m);
    real nearest = real_min(vec3_dot(candidate->away, before), vec3_dot(candidate->away, after));
    real turned = a->turned_m + b->turned_m + (a->turn_m + b->turn_m);
    return nearest + candidate->clear_m - turned - (a->swing_m + b->swing_m) > 0.0 ? 1u : 0u;
}

#endif
