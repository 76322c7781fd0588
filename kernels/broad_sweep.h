// Which bodies' balls may be in touch, in scenes of many bodies: swept along x, rather than every ball against every other.
#ifndef CLACK_BROAD_SWEEP_H
#define CLACK_BROAD_SWEEP_H

#include "active.h"

#define SWEEP_BODIES_LEAST 64u  // fewer are compared each with each
#define SWEEP_BODIES_MOST 65535u // two of them are one number of 32 bits
#define SWEEP_SPARE (1.0 + 2.0e-6)

/// Has a body a plane, which is in touch with everything?
FN u32 sweep_is_wide(const SceneView *view, u32 b) {
    GLOBAL const Body *body = &view->bodies[b];
    for (u32 i = body->shape_first; i < body->shape_first + body->shape_count; i++) {
        if (kind_is(view->shapes[i].kind, SHAPE_HALF_SPACE)) return 1;
    }
    return 0;
}

/// The ball about the centre of mass that holds the body, with its margin.
FN_SHORT real sweep_radius(const SceneView *view, u32 b) {
    return SWEEP_SPARE * (view->bodies[b].radius_m + view->works[b].margin_m);
}

/// Where it begins along x.
FN_SHORT real sweep_first(const SceneView *view, u32 b) { return view->works[b].trial.position_m.x - sweep_radius(view, b); }

/// Put bodies in the order in which they begin along x, those with planes before them. Returns how many of these there are.
FN_ONCE u32 sweep_sort(const SceneView *view) {
    GLOBAL u32 *order = view->group_bodies;
    u32 bodies = view->scene->body_count, wide = 0;
    for (u32 b = 0; b < bodies; b++) {
        order[b] = b;
        if (!sweep_is_wide(view, b)) continue;
        order[b] = order[wide];
        order[wide++] = b;
    }
    for (u32 gap = (bodies - wide) / 2u; gap > 0; gap = gap == 2u ? 1u : gap * 5u / 11u) {
        for (u32 k = wide + gap; k < bodies; k++) {
            u32 body = order[k], at = k;
            real first = sweep_first(view, body);
            for (; at >= wide + gap && sweep_first(view, order[at - gap]) > first; at -= gap) order[at] = order[at - gap];
            order[at] = body;
        }
    }
    return wide;
}

FN_SHORT u32 sweep_may_touch(const SceneView *view, u32 a, u32 b) {
    Vec3 way = vec3_sub(view->works[b].trial.position_m, view->works[a].trial.position_m);
    real reach = sweep_radius(view, a) + sweep_radius(view, b);
    return vec3_dot(way, way) > reach * reach ? 0u : 1u;
}

/// Keep two bodies as the `count`-th pair, as one number.
FN_SHORT u32 sweep_keep(const SceneView *view, u32 a, u32 b, u32 count) {
    if (count < view->room.candidates) view->live[count] = u32_min(a, b) * view->scene->body_count + u32_max(a, b);
    return count + 1u;
}

/// Sort pairs by their lesser bodies (1) or their greater ones (0), which change places with nobody of the same.
FN_ONCE void sweep_sort_pairs(const SceneView *view, GLOBAL const u32 *from, GLOBAL u32 *to, u32 count, u32 by_lesser) {
    GLOBAL u32 *ends = view->group_ends;
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b <= bodies; b++) ends[b] = 0;
    for (u32 k = 0; k < count; k++) ends[(by_lesser ? from[k] / bodies : from[k] % bodies) + 1u]++;
    for (u32 b = 0; b < bodies; b++) ends[b + 1u] += ends[b];
    for (u32 k = 0; k < count; k++) to[ends[by_lesser ? from[k] / bodies : from[k] % bodies]++] = from[k];
}

/// The bodies that each body may touch, of those with greater numbers, rising: in `live` up to group_ends. Where bodies are not
/// grouped nobody needs these lists until candidates are listed. Returns 0 where there is no room or bodies are few.
FN_ONCE u32 sweep_pairs(const SceneView *view) {
    u32 bodies = view->scene->body_count, count = 0;
    if (LANES > 1 || bodies < SWEEP_BODIES_LEAST || bodies > SWEEP_BODIES_MOST) return 0;
    for (u32 b = 1; b < bodies; b++) { // so that pairs of shapes come in their order
        if (view->bodies[b].shape_first < view->bodies[b - 1u].shape_first) return 0;
    }
    u32 wide = sweep_sort(view);
    GLOBAL const u32 *order = view->group_bodies;
    for (u32 k = 0; k < bodies; k++) {
        u32 a = order[k];
        real last = view->works[a].trial.position_m.x + sweep_radius(view, a);
        for (u32 next = k + 1u; next < bodies; next++) {
            u32 b = order[next];
            if (k >= wide && sweep_first(view, b) > last) break;
            if (k < wide || sweep_may_touch(view, a, b)) count = sweep_keep(view, a, b, count);
        }
    }
    if (count > view->room.candidates) return 0;
    sweep_sort_pairs(view, view->live, view->group_candidates, count, 0);
    sweep_sort_pairs(view, view->group_candidates, view->live, count, 1);
    return 1;
}

#endif
