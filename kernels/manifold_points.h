// The contacts of two solids of any other kinds than two boxes: points of the one on the other, and the nearest
// points.
//
// A point is a corner, an end of a capsule's axis or, of each disc, the point of the rim towards the other's
// core and the one opposite; each counts as a ball of the smoothing radius against the other's core. Flat on
// flat, and lying side by side, points carry. The nearest points may lie elsewhere: where edges, sides and rims
// cross. They count with what they are deeper than the deepest point, so that nothing counts twice and that they
// do not where faces lie on each other, where they would be any of many. All are continuous in the pose. Source:
// design, conventions, several contacts.
#ifndef CLACK_MANIFOLD_POINTS_H
#define CLACK_MANIFOLD_POINTS_H

#include "manifold_pair.h"

#define MANIFOLD_SAME 1.0e-9 // of the lesser size: nearest points that are deeper by less are a point

/// Has a solid points for this?
FN u32 manifold_has_vertices(GLOBAL const Shape *shape) {
    return shape->kind != SHAPE_HALF_SPACE && manifold_count(shape) > 1 && shape_ball_radius(shape) > 0.0 ? 1u : 0u;
}

/// Whether two solids have contacts at points and at the nearest points.
FN u32 manifold_has_points(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    return manifold_has_vertices(a) & manifold_has_vertices(b) & (manifold_is_pair(a, b) != 0 ? 0u : 1u);
}

/// How many of the contacts of two solids with points are at points: those of A, then those of B. The last
/// contact is at the nearest points.
FN u32 manifold_point_count(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    return manifold_count(a) + manifold_count(b);
}

/// How many contacts two solids can have; 1: only their nearest points.
FN u32 manifold_solids_count(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    return manifold_has_points(a, b) != 0 ? manifold_point_count(a, b) + 1u : manifold_pair_count(a, b);
}

/// Does the contact of two solids lie at their nearest points?
FN u32 manifold_is_nearest(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 feature) {
    return manifold_has_points(a, b) != 0 && feature == manifold_point_count(a, b) ? 1u : 0u;
}

// A disc of a core, shape axes.
typedef struct ManifoldDisc {
    Vec3 centre, axis; // axis: unit
    real radius_m;     // < 0: the point opposite is meant
} ManifoldDisc;

FN ManifoldDisc manifold_disc(GLOBAL const Shape *shape, u32 feature) {
    ManifoldDisc disc;
    real rho = shape->smoothing_m;
    u32 is_first = feature & 1u;
    u32 is_opposite = feature & (shape->kind == SHAPE_BEAM ? 4u : 2u);
    disc.axis = vec3_make(0.0, 0.0, 1.0);
    disc.centre = vec3_make(0.0, 0.0, is_first != 0 ? shape->size_m[1] - rho : rho - shape->size_m[1]);
    disc.radius_m = shape->size_m[0] - rho;
    if (shape->kind == SHAPE_CONE) {
        ShapeFrustum core = shape_cone_core_size(shape);
        disc.centre.z = is_first != 0 ? core.top_m : core.base_m;
        disc.radius_m = is_first != 0 ? core.top_radius_m : core.base_radius_m;
    }
    if (shape->kind == SHAPE_BEAM) {
        real thick = shape->size_m[2] - rho;
        disc.axis = vec3_make(0.0, 1.0, 0.0);
        disc.centre = vec3_make(0.0, (feature & 2u) != 0 ? thick : 0.0 - thick,
                                is_first != 0 ? shape->size_m[0] : 0.0 - shape->size_m[0]);
        disc.radius_m = shape->size_m[1] - rho;
    }
    if (is_opposite != 0) disc.radius_m = 0.0 - disc.radius_m;
    return disc;
}

/// Point `feature` of A on B.
FN NarrowResult manifold_on_core(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b, Vec3 offset,
                                 u32 feature) {
    Vec3 down = vec3_zero(); // from the middle of a disc to the other core
    if (shape_is_curved(a) != 0) {
        Vec3 centre = mat3_rotate(turn_a, manifold_disc(a, feature).centre);
        PointToCore from = point_to_core(b, mat3_rotate_back(turn_b, vec3_sub(centre, offset)));
        down = vec3_negate(mat3_rotate_back(turn_a, mat3_rotate(turn_b, from.direction)));
    }
    NarrowResult r = manifold_vertex(a, turn_a, b, turn_b, offset, feature, down);
    if (manifold_is_empty(a, feature) != 0) r.distance_m = MANIFOLD_EMPTY_M;
    return r;
}

/// The deepest of the points [first, last) of two solids, and which it is.
FN NarrowResult manifold_deepest(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b, Vec3 offset,
                                 u32 first, u32 last, u32 *which) {
    u32 of_a = manifold_count(a);
    NarrowResult deepest = manifold_empty(vec3_zero());
    *which = first;
    for (u32 k = first; k < last; k++) {
        u32 is_a = k < of_a ? 1u : 0u;
        NarrowResult r = manifold_on_core(is_a != 0 ? a : b, is_a != 0 ? turn_a : turn_b, is_a != 0 ? b : a,
                                          is_a != 0 ? turn_b : turn_a, is_a != 0 ? offset : vec3_negate(offset),
                                          is_a != 0 ? k : k - of_a);
        if (k > first && !(r.distance_m < deepest.distance_m)) continue;
        deepest = is_a != 0 ? r : narrow_swap(r);
        *which = k;
    }
    return deepest;
}

FN real manifold_same_m(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    return MANIFOLD_SAME * real_min(shape_size_m(a), shape_size_m(b));
}

/// The nearest points `r` where the deepest point of both solids is `deepest`.
FN NarrowResult manifold_beyond(NarrowResult r, NarrowResult deepest, real same_m) {
    if (!(deepest.distance_m < same_m)) return r;
    r.distance_m += same_m - deepest.distance_m;
    r.error_m += deepest.error_m;
    if (r.status == NARROW_OK) r.status = NARROW_FADED;
    return r;
}

/// Lower bound of the gap of a contact after both solids have moved by up to `margin_m` together. Points of rims
/// may be anywhere on them.
FN real manifold_points_bound(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b, Vec3 offset,
                              u32 feature, real margin_m) {
    u32 of_a = manifold_count(a);
    if (feature == manifold_point_count(a, b)) return 0.0 - margin_m; // whoever asks knows bounds of the solids
    GLOBAL const Shape *owner = feature < of_a ? a : b;
    u32 own = feature < of_a ? feature : feature - of_a;
    if (manifold_is_empty(owner, own) != 0) return MANIFOLD_EMPTY_M;
    if (shape_is_curved(owner) != 0) {
        Vec3 centre = mat3_rotate(feature < of_a ? turn_a : turn_b, manifold_disc(owner, own).centre);
        Vec3 seen = feature < of_a ? vec3_sub(centre, offset) : vec3_add(centre, offset);
        Vec3 p = mat3_rotate_back(feature < of_a ? turn_b : turn_a, seen);
        real reach = real_abs(manifold_disc(owner, own).radius_m) + shape_ball_radius(a) + shape_ball_radius(b);
        return point_to_core(feature < of_a ? b : a, p).distance_m - reach - margin_m;
    }
    u32 which;
    return manifold_deepest(a, turn_a, b, turn_b, offset, feature, feature + 1u, &which).distance_m - margin_m;
}

// --- two solids of any kind -----------------------------------------------------------------------------

/// Have two solids several contacts?
FN u32 manifold_has_several(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    return manifold_is_pair(a, b) | manifold_has_points(a, b);
}

/// Lower bound of the gap of one of several contacts after both solids have moved by up to `margin_m` together.
FN real manifold_bound(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b, Vec3 offset,
                       u32 feature, real margin_m) {
    if (manifold_has_points(a, b) != 0) return manifold_points_bound(a, turn_a, b, turn_b, offset, feature, margin_m);
    return manifold_pair_bound(a, turn_a, b, turn_b, offset, feature, margin_m);
}

/// Is one of several contacts within the margin, and its gap a distance? That of the nearest points may be.
FN u32 manifold_is_near(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b, Vec3 offset, u32 feature,
                        real margin_m) {
    u32 has_points = manifold_has_points(a, b), which;
    if (manifold_is_nearest(a, b, feature) != 0) return 1;
    NarrowResult r;
    if (has_points != 0) r = manifold_deepest(a, turn_a, b, turn_b, offset, feature, feature + 1u, &which);
    else r = manifold_pair(a, turn_a, b, turn_b, offset, feature);
    if (r.distance_m <= 0.0) return 1;
    if (r.distance_m > margin_m || r.distance_m == MANIFOLD_EMPTY_M) return 0;
    return has_points != 0 ? 1u : manifold_pair_is_distance(a, turn_a, b, turn_b, offset, feature, r);
}

/// Can the overlap of a contact fade? Its rate is then not that of its gap.
FN u32 manifold_may_fade(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 feature, u32 status) {
    return (status == NARROW_FADED ? 1u : 0u) | manifold_is_crossing(a, b, feature);
}

#endif
