// Pairs of bodies whose balls overlap, in scenes of many bodies: sweep along x instead of testing all pairs.
#ifndef CLACK_PAIRS_BROAD_SWEEP_H
#define CLACK_PAIRS_BROAD_SWEEP_H

#include "model/workspace.h"

#define SWEEP_BODIES_LEAST 64u   // with fewer all pairs are tested
#define SWEEP_BODIES_MOST 65535u // so that two numbers fit into 32 bits
#define SWEEP_SPARE (1.0 + 2.0e-6)

/// Has a body a plane, which overlaps everything?
FN u32 sweep_has_plane(const SceneView *view, u32 b) {
    GLOBAL const Body *body = &view->bodies[b];
    for (u32 i = body->shape_first; i < body->shape_first + body->shape_count; i++) {
        if (kind_is(view->shapes[i].kind, SHAPE_HALF_SPACE)) return 1;
    }
    return 0;
}

// Ball about the centre of mass that holds a body, margin included.
typedef struct SweepBall {
    Vec3 centre_m;
    real radius_m;
} SweepBall;

// The balls of all bodies in their order, followed by their starts along x; stored in place of the candidates, which
// are then listed again: bodies lie far apart in memory.
#define SWEEP_BALLS(view) ((GLOBAL SweepBall *)(view)->candidates)
#define SWEEP_FIRSTS(view) ((GLOBAL real *)(SWEEP_BALLS(view) + (view)->scene->body_count))

FN u32 sweep_has_room(const SceneView *view) {
    return view->scene->body_count * (sizeof(SweepBall) + sizeof(real)) <= view->room.candidates * sizeof(Candidate)
               ? 1u
               : 0u;
}

FN_SHORT SweepBall sweep_ball(const SceneView *view, u32 b) {
    SweepBall ball;
    ball.centre_m = view->works[b].step.trial.position_m;
    ball.radius_m = SWEEP_SPARE * (view->bodies[b].radius_m + view->works[b].bounds.margin_m);
    return ball;
}

/// Sort bodies by their starts along x, those with planes first. Returns the number of these.
FN_ONCE u32 sweep_sort(const SceneView *view) {
    GLOBAL u32 *order = view->group_bodies;
    u32 bodies = view->scene->body_count, wide = 0;
    for (u32 b = 0; b < bodies; b++) {
        order[b] = b;
        if (!sweep_has_plane(view, b)) continue;
        order[b] = order[wide];
        order[wide++] = b;
    }
    GLOBAL real *firsts = SWEEP_FIRSTS(view);
    for (u32 k = 0; k < bodies; k++) {
        SweepBall ball = sweep_ball(view, order[k]);
        firsts[k] = ball.centre_m.x - ball.radius_m;
    }
    for (u32 gap = (bodies - wide) / 2u; gap > 0; gap = gap == 2u ? 1u : gap * 5u / 11u) {
        for (u32 k = wide + gap; k < bodies; k++) {
            u32 body = order[k], at = k;
            real first = firsts[k];
            for (; at >= wide + gap && firsts[at - gap] > first; at -= gap) {
                firsts[at] = firsts[at - gap];
                order[at] = order[at - gap];
            }
            firsts[at] = first;
            order[at] = body;
        }
    }
    for (u32 k = 0; k < bodies; k++) SWEEP_BALLS(view)[k] = sweep_ball(view, order[k]);
    return wide;
}

FN_SHORT u32 sweep_may_touch(SweepBall a, SweepBall b) {
    Vec3 offset = vec3_sub(b.centre_m, a.centre_m);
    real reach = a.radius_m + b.radius_m;
    return vec3_dot(offset, offset) > reach * reach ? 0u : 1u;
}

/// Store two bodies as the `count`-th pair, in one number.
FN_SHORT u32 sweep_keep(const SceneView *view, u32 a, u32 b, u32 count) {
    if (count < view->room.candidates) view->live[count] = u32_min(a, b) * view->scene->body_count + u32_max(a, b);
    return count + 1u;
}

/// Sort pairs by their lesser (1) or greater (0) bodies; a stable sort.
FN_ONCE void sweep_sort_pairs(const SceneView *view, GLOBAL const u32 *from, GLOBAL u32 *to, u32 count, u32 by_lesser) {
    GLOBAL u32 *ends = view->group_ends;
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b <= bodies; b++) ends[b] = 0;
    for (u32 k = 0; k < count; k++) ends[(by_lesser ? from[k] / bodies : from[k] % bodies) + 1u]++;
    for (u32 b = 0; b < bodies; b++) ends[b + 1u] += ends[b];
    for (u32 k = 0; k < count; k++) to[ends[by_lesser ? from[k] / bodies : from[k] % bodies]++] = from[k];
}

/// For each body the bodies with greater numbers that it may touch, rising: in `live` up to group_ends, which are
/// unused until candidates are listed where bodies are not grouped. Returns 0 if there is no room or bodies are few.
FN_ONCE u32 sweep_pairs(const SceneView *view) {
    u32 bodies = view->scene->body_count, count = 0;
    if (SCENE_ITEMS > 1 || bodies < SWEEP_BODIES_LEAST || bodies > SWEEP_BODIES_MOST || !sweep_has_room(view)) return 0;
    for (u32 b = 1; b < bodies; b++) { // so that pairs of shapes come in their order
        if (view->bodies[b].shape_first < view->bodies[b - 1u].shape_first) return 0;
    }
    u32 wide = sweep_sort(view);
    GLOBAL const u32 *order = view->group_bodies;
    GLOBAL const SweepBall *balls = SWEEP_BALLS(view);
    GLOBAL const real *firsts = SWEEP_FIRSTS(view);
    for (u32 k = 0; k < bodies; k++) {
        SweepBall ball = balls[k];
        real last = ball.centre_m.x + ball.radius_m;
        for (u32 next = k + 1u; next < bodies && (k < wide || !(firsts[next] > last)); next++) {
            if (k < wide || sweep_may_touch(ball, COPY(balls[next])))
                count = sweep_keep(view, order[k], order[next], count);
        }
    }
    if (count > view->room.candidates) return 0;
    sweep_sort_pairs(view, view->live, view->group_candidates, count, 0);
    sweep_sort_pairs(view, view->group_candidates, view->live, count, 1);
    return 1;
}

#endif
