// Solids that pass through each other within a step, or lie deep in each other where none of their contacts shows it.
//
// Several contacts of two solids are of features (geometry/manifold_pair.h): vertices, and edges that cross while the
// cores are apart. Deep in each other all of these may be apart: of two equal boxes about one centre, rotated against
// each other, every vertex is outside of the other. And a step may end with one solid behind the other. So the distance
// of the solids themselves is queried at the end of a step that is long enough for that, and by conservative
// advancement (Mirtich, Impulse-based Dynamic Simulation, 1996) between its ends, where bodies are taken to move evenly
// from one pose to the other.
#ifndef CLACK_PAIRS_TUNNELLING_H
#define CLACK_PAIRS_TUNNELLING_H

#include "geometry/inner_radius.h"
#include "pairs/pair_kinematics.h"
#include "pairs/region_list.h"

// How deep two solids may be in each other between the ends of a step, as a share of the radii of balls within them,
// beyond what contacts show at the ends. Twice that is certain to be found.
#define TUNNELLING_SHARE 0.25
// Overlap at the end of a step that contacts of features need not show, as a share of the radii of both smoothing
// balls: overlaps of edges fade (manifold_pair.h). Beyond the whole of them edges have no contact, also where a layer
// gives way by more than that.
#define TUNNELLING_UNDETECTED 0.5
// Of a chord between unit quaternions, 2 sin(angle/4): no more than that is the angle, and where orientations between
// both are those of the chord, the fastest rate of it.
#define TUNNELLING_CHORD 2.83
#define TUNNELLING_NOT 2.0 // shares of a step: none

/// Is the candidate of this place in the list of the step the first one of two shapes?
FN_SHORT u32 tunnelling_is_first(const SceneView *view, u32 at) {
    if (at == 0) return 1;
    GLOBAL const Candidate *before = &view->candidates[view->live[at - 1u]], *one = &view->candidates[view->live[at]];
    return before->shape_a != one->shape_a || before->shape_b != one->shape_b ? 1u : 0u;
}

/// The sign of one of two orientations with which it is nearer to the other.
FN_SHORT real tunnelling_sign(Quat from, Quat to) {
    return from.w * to.w + from.x * to.x + from.y * to.y + from.z * to.z < 0.0 ? -1.0 : 1.0;
}

/// Bound of the path by which rotation moves any point of a body in the step, m.
FN_SHORT real tunnelling_rotation(const SceneView *view, u32 b) {
    if (view->bodies[b].flags & BODY_ROUND) return 0.0;
    Quat from = view->states[b].orientation, to = view->works[b].step.trial.orientation;
    real sign = tunnelling_sign(from, to);
    Vec3 apart = vec3_make(to.x - sign * from.x, to.y - sign * from.y, to.z - sign * from.z);
    real w = to.w - sign * from.w;
    return TUNNELLING_CHORD * view->bodies[b].radius_m * real_sqrt(vec3_dot(apart, apart) + w * w);
}

/// Bound of the path of any point of a body against any of another one in the step, m.
FN_SHORT real tunnelling_path(const SceneView *view, u32 a, u32 b) {
    Vec3 shift_a = vec3_sub(view->works[a].step.trial.position_m, view->states[a].position_m),
         shift_b = vec3_sub(view->works[b].step.trial.position_m, view->states[b].position_m);
    return vec3_length(vec3_sub(shift_b, shift_a)) + tunnelling_rotation(view, a) + tunnelling_rotation(view, b);
}

/// Pose of a body after a share of the step, and in it one of its shapes. Returns its position.
FN_SHORT Vec3 tunnelling_place(const SceneView *view, u32 shape, real share, PlacedShape *out) {
    u32 b = view->shapes[shape].body;
    Quat from = view->states[b].orientation, to = view->works[b].step.trial.orientation, q;
    real sign = tunnelling_sign(from, to);
    real keeps = (1.0 - share) * sign;
    q = quat_normalize(quat_make(keeps * from.w + share * to.w, keeps * from.x + share * to.x,
                                 keeps * from.y + share * to.y, keeps * from.z + share * to.z));
    *out = pair_place_oriented(view, shape, q);
    Vec3 start = view->states[b].position_m;
    return vec3_add_scaled(start, vec3_sub(view->works[b].step.trial.position_m, start), share);
}

/// Signed distance of two shapes after a share of the step, m.
FN_ONCE real tunnelling_gap(const SceneView *view, u32 shape_a, u32 shape_b, real share, u32 *queries) {
    PlacedPair placed;
    Vec3 to_nearest_m, at_a = tunnelling_place(view, shape_a, share, &placed.a),
                       at_b = tunnelling_place(view, shape_b, share, &placed.b);
    placed.centres_m = vec3_sub(at_b, at_a);
    placed.offset_m = vec3_add(placed.centres_m, vec3_sub(placed.b.arm_m, placed.a.arm_m));
    *queries += 1;
    return kinematics_of_placed(view, shape_a, shape_b, FEATURE_NEAREST, placed, 0, &to_nearest_m).gap_m;
}

// Two shapes in a step.
typedef struct TunnellingPair {
    u32 shape_a, shape_b;
    u32 is_clear;       // 1: no feature can have touched
    real start_gap_m;   // least gap of a contact at the start, or 0
    real end_gap_m;     // least gap of a feature at the end, or 0
    real path_m;        // of any point against any of the other
    real allowed_m;     // overlap that does not count between the ends
    real end_allowed_m; // overlap at the end that contacts need not show; REAL_HUGE: they show all of it
} TunnellingPair;

/// first: place in the list of the first candidate. gap0, gap1: indices of gaps at the start and at the end.
FN_SHORT TunnellingPair tunnelling_pair(const SceneView *view, u32 first, u32 gap0, u32 gap1) {
    TunnellingPair pair;
    GLOBAL const Candidate *candidate = &view->candidates[view->live[first]];
    pair.shape_a = candidate->shape_a;
    pair.shape_b = candidate->shape_b;
    pair.is_clear = 1;
    pair.start_gap_m = pair.end_gap_m = 0.0;
    for (u32 at = first; at < view->slot->live_count && (at == first || !tunnelling_is_first(view, at)); at++) {
        GLOBAL const Candidate *one = &view->candidates[view->live[at]];
        if (one->contact != NONE || !one->is_skipped) pair.is_clear = 0;
        if (one->contact != NONE) pair.start_gap_m = real_min(pair.start_gap_m, one->gap_m[gap0]);
        pair.end_gap_m = real_min(pair.end_gap_m, one->gap_m[gap1]);
    }
    GLOBAL const Shape *a = &view->shapes[pair.shape_a], *b = &view->shapes[pair.shape_b];
    real inner = TUNNELLING_SHARE * (inner_radius_of(a, view->hulls) + inner_radius_of(b, view->hulls)),
         undetected = TUNNELLING_UNDETECTED * (shape_ball_radius(a) + shape_ball_radius(b));
    u32 has_layer = view->region_laws[scene_law_row(view, pair.shape_a, pair.shape_b)].layer.has_layer;
    pair.path_m = tunnelling_path(view, candidate->body_a, candidate->body_b);
    pair.allowed_m = inner - real_min(pair.start_gap_m, pair.end_gap_m);
    pair.end_allowed_m = has_layer ? real_max(undetected, inner) : undetected;
    if (!region_has_many(view, pair.shape_a, pair.shape_b)) pair.end_allowed_m = REAL_HUGE;
    return pair;
}

/// The share of the step after which two shapes have come to touch, by their distances, where they are about to pass
/// each other; TUNNELLING_NOT if they do not.
FN_ONCE real tunnelling_advance(const SceneView *view, const TunnellingPair *pair, u32 *queries) {
    real at = 0.0, gap = tunnelling_gap(view, pair->shape_a, pair->shape_b, 0.0, queries);
    if (gap < 0.0 - pair->allowed_m) return TUNNELLING_NOT; // nor did they in this step
    while (1) {
        real before = at, touch = at + (gap + 0.5 * pair->allowed_m) / pair->path_m;
        at += (gap + 2.0 * pair->allowed_m) / pair->path_m;
        if (!(at < 1.0)) return TUNNELLING_NOT;
        gap = tunnelling_gap(view, pair->shape_a, pair->shape_b, at, queries);
        // Up to there they are no deeper than a half of that, and if they have come straight, that deep.
        if (gap < 0.0 - pair->allowed_m) return touch > 0.0 ? touch : 0.5 * (before + at);
    }
}

/// The share of the step just tried after which two shapes have to be queried: where they would pass through each
/// other, or a half where they end deep in each other without a contact that shows it; TUNNELLING_NOT if neither.
/// first, gap0, gap1: as above.
FN_ONCE real tunnelling_share(const SceneView *view, u32 first, u32 gap0, u32 gap1, u32 *queries) {
    GLOBAL const Candidate *candidate = &view->candidates[view->live[first]];
    u32 kind_a = view->shapes[candidate->shape_a].kind, kind_b = view->shapes[candidate->shape_b].kind;
    if (kind_is(kind_a, SHAPE_HALF_SPACE) || kind_is(kind_b, SHAPE_HALF_SPACE) || candidate->observes)
        return TUNNELLING_NOT;
    // Hardly any pair goes far enough to matter: inner radii are at least half of those of the balls of edges.
    real balls =
        shape_ball_radius(&view->shapes[candidate->shape_a]) + shape_ball_radius(&view->shapes[candidate->shape_b]);
    if (!(tunnelling_path(view, candidate->body_a, candidate->body_b) > 0.5 * TUNNELLING_SHARE * balls))
        return TUNNELLING_NOT;
    TunnellingPair pair = tunnelling_pair(view, first, gap0, gap1);
    if (pair.is_clear || !(pair.path_m > real_min(pair.allowed_m, pair.end_allowed_m))) return TUNNELLING_NOT;
    real distance = tunnelling_gap(view, pair.shape_a, pair.shape_b, 1.0, queries);
    if (distance < pair.end_gap_m - pair.end_allowed_m) // if they have come to that in this step
        return tunnelling_gap(view, pair.shape_a, pair.shape_b, 0.0, queries) < pair.start_gap_m - pair.end_allowed_m
                   ? TUNNELLING_NOT
                   : 0.5;
    // Between two ends whose distances are d0 and d1 it is at least (d0 + d1 - path)/2.
    if (!(pair.path_m - distance > 2.0 * pair.allowed_m)) return TUNNELLING_NOT;
    return tunnelling_advance(view, &pair, queries);
}

#endif
