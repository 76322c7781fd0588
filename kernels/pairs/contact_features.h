// The touching features of two shapes, and the curvature of each core there.
#ifndef CLACK_PAIRS_CONTACT_FEATURES_H
#define CLACK_PAIRS_CONTACT_FEATURES_H

#include "geometry/manifold.h"
#include "geometry/manifold_pair.h"
#include "geometry/manifold_points.h"
#include "geometry/narrow_phase.h"
#include "geometry/shape.h"
#include "pairs/contact_curvature.h"
#include "pairs/pair_kinematics.h"

// The touching feature of a shape.
#define KIND_NEAREST 0u // the nearest part of its core
#define KIND_VERTEX 1u  // a point, fixed in the solid or of a disc
#define KIND_RIM 2u     // of a disc, the lowest point or the one opposite
#define KIND_EDGE 3u    // one of two crossing edges

FN u32 contact_feature_kind_of(const SceneView *view, ContactKey key, u32 is_of_a) {
    GLOBAL const Shape *a = &view->shapes[key.shape_a];
    GLOBAL const Shape *b = &view->shapes[key.shape_b];
    u32 flags = pair_flags(view, key.shape_a, key.shape_b);
    if (narrow_feature_count(a, b, flags) == 1) return KIND_NEAREST;
    GLOBAL const Shape *one = is_of_a != 0 ? a : b;
    GLOBAL const Shape *other = is_of_a != 0 ? b : a;
    if (kind_is(one->kind, SHAPE_HALF_SPACE)) return KIND_NEAREST;
    if (kind_is(other->kind, SHAPE_HALF_SPACE))
        return shape_is_curved(one) && !manifold_has_disc_points(a, b, flags) ? KIND_RIM : KIND_VERTEX;
    if (manifold_is_crossing(a, b, key.feature)) return KIND_EDGE;
    u32 owner = key.feature < manifold_count(a) ? 1u : 0u;
    if (manifold_has_points(a, b)) {
        ManifoldSpot spot = manifold_spot(a, b, key.feature);
        if (spot.kind == SPOT_NEAREST) return KIND_NEAREST;
        owner = spot.is_of_a;
    }
    return owner == is_of_a ? KIND_VERTEX : KIND_NEAREST;
}

FN u32 contact_feature_kind(const SceneView *view, GLOBAL const Contact *contact, u32 is_of_a) {
    return contact_feature_kind_of(
        view, contact_key(contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature), is_of_a);
}

// A point of a shape's surface, world axes.
typedef struct SurfacePoint {
    Vec3 at_m; // from the centre of mass of the shape's body
    Vec3 out;  // the normal out of it,
    Vec3 x, y; // and two across that
} SurfacePoint;

FN_SHORT SurfacePoint contact_surface_point(Vec3 at_m, Vec3 out, Vec3 x, Vec3 y) {
    SurfacePoint point;
    point.at_m = at_m;
    point.out = out;
    point.x = x;
    point.y = y;
    return point;
}

/// Curvature of the core of one of the shapes at its contact point.
FN CoreCurvature contact_core_curvature(const SceneView *view, ContactKey key, u32 is_of_a, PlacedShape placed,
                                        SurfacePoint point) {
    GLOBAL const Shape *shape = &view->shapes[is_of_a != 0 ? key.shape_a : key.shape_b];
    if (kind_is(shape->kind, SHAPE_SPHERE)) return curvature_make(0);
    if (kind_is(shape->kind, SHAPE_HALF_SPACE)) return curvature_make(2);
    u32 touch = contact_feature_kind_of(view, key, is_of_a);
    if (touch == KIND_VERTEX) return curvature_make(0);
    Vec3 u = mat3_rotate_back(placed.turn, point.out);
    Vec3 in_x = mat3_rotate_back(placed.turn, point.x);
    Vec3 in_y = mat3_rotate_back(placed.turn, point.y);
    if (touch == KIND_RIM) return curvature_of_rim(shape, key.feature, u, in_x, in_y);
    Vec3 p = mat3_rotate_back(placed.turn, vec3_sub(point.at_m, placed.arm_m));
    return curvature_of_core(shape, view->hulls, p, u, in_x, in_y);
}

#endif
