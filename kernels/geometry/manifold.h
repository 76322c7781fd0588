// The contacts that a pair of shapes can have at the same time (contact manifold), so that bodies rest on their faces:
// the points of a shape that touch a half-space, each a contact of its own.
//
// Boxes and small hulls touch with their corners, capsules with their ends. A disc (the end of a cylinder or cone, the
// round ends of a beam's faces) touches with the lowest point of its rim and with the one opposite: both move along the
// rim with the tilt, at whose extremes the gap's rate is that of the body's point, and the torque of the two follows
// the tilt in direction and size, however small it is. kernels/geometry/README.md, "Several contacts of one pair".
#ifndef CLACK_GEOMETRY_MANIFOLD_H
#define CLACK_GEOMETRY_MANIFOLD_H

#include "geometry/shape.h"

#define MANIFOLD_BOX 8u
#define MANIFOLD_CAPSULE 2u
#define MANIFOLD_CYLINDER 4u // 2 discs
#define MANIFOLD_CONE 4u
#define MANIFOLD_BEAM 8u // 4 discs
// Tilts within rounding count as none: the first axis then gives the lowest point.
#define MANIFOLD_LEVEL 2.0e-15
#define MANIFOLD_EMPTY_M 1.0e9 // gap of a contact that does not exist

/// Number of contacts of a shape with a half-space. Hulls of more than MANIFOLD_HULL_MAX vertices have one, at their
/// deepest vertex.
FN u32 manifold_count(GLOBAL const Shape *shape) {
    u32 kind = shape->kind;
    if (kind_is(kind, SHAPE_HULL)) return shape->hull_vertices <= MANIFOLD_HULL_MAX ? shape->hull_vertices : 1u;
    if (kind_is(kind, SHAPE_BOX)) return MANIFOLD_BOX;
    if (kind_is(kind, SHAPE_CAPSULE)) return MANIFOLD_CAPSULE;
    if (kind_is(kind, SHAPE_CYLINDER)) return MANIFOLD_CYLINDER;
    if (kind_is(kind, SHAPE_CONE)) return MANIFOLD_CONE;
    return kind_is(kind, SHAPE_BEAM) ? MANIFOLD_BEAM : 1u;
}

// (x, y) towards the lower side of a disc, `radius` long; backwards for the opposite point.
FN Vec3 manifold_rim(real x, real y, real radius, u32 is_opposite) {
    Vec3 rim = vec3_make(radius, 0.0, 0.0);
    real length = real_sqrt(x * x + y * y);
    if (length > MANIFOLD_LEVEL) rim = vec3_make(radius * (x / length), radius * (y / length), 0.0);
    return is_opposite != 0 ? vec3_negate(rim) : rim;
}

/// Point of the core that contact `feature` of a shape has with a plane below; `down`: unit, shape axes.
/// Of a hull: the vertex of that number.
/// Bits 0, 1, 2 of a box's feature: on the positive side in x, y, z; bit 0 of a capsule's in z. Bit 0 of a
/// cylinder's or cone's: the end at +z; of a beam's bits 0 and 1: the discs at +z and +y. The last bit of
/// these three: the point opposite to the lowest.
FN Vec3 manifold_point(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, u32 feature, Vec3 down) {
    if (kind_is(shape->kind, SHAPE_HULL)) return shape_hull_vertex(shape, hulls, feature);
    real rho = shape->smoothing_m;
    u32 first = feature & 1u;
    if (kind_is(shape->kind, SHAPE_CYLINDER)) {
        Vec3 point = manifold_rim(down.x, down.y, shape->size_m[0] - rho, feature & 2u);
        point.z = first != 0 ? shape->size_m[1] - rho : rho - shape->size_m[1];
        return point;
    }
    if (kind_is(shape->kind, SHAPE_CONE)) {
        ShapeFrustum core = shape_cone_core_size(shape);
        Vec3 point = manifold_rim(down.x, down.y, first != 0 ? core.top_radius_m : core.base_radius_m, feature & 2u);
        point.z = first != 0 ? core.top_m : core.base_m;
        return point;
    }
    if (kind_is(shape->kind, SHAPE_BEAM)) {
        Vec3 rim = manifold_rim(down.z, down.x, shape->size_m[1] - rho, feature & 4u);
        real thick = shape->size_m[2] - rho;
        return vec3_make(rim.y, (feature & 2u) != 0 ? thick : 0.0 - thick,
                         rim.x + (first != 0 ? shape->size_m[0] : 0.0 - shape->size_m[0]));
    }
    Vec3 extent = shape_core_half_m(shape);
    u32 bits = kind_is(shape->kind, SHAPE_CAPSULE) ? feature << 2 : feature;
    return vec3_make((bits & 1u) != 0 ? extent.x : -extent.x, (bits & 2u) != 0 ? extent.y : -extent.y,
                     (bits & 4u) != 0 ? extent.z : -extent.z);
}

/// Lowest contact of a box or capsule; of equals the first.
FN u32 manifold_lowest(GLOBAL const Shape *shape, Vec3 down) {
    u32 bits = (down.x > 0.0 ? 1u : 0u) | (down.y > 0.0 ? 2u : 0u) | (down.z > 0.0 ? 4u : 0u);
    return kind_is(shape->kind, SHAPE_CAPSULE) ? bits >> 2 : bits;
}

/// Does a contact not exist? A cone's apex has no opposite point.
FN u32 manifold_is_empty(GLOBAL const Shape *shape, u32 feature) {
    if (!kind_is(shape->kind, SHAPE_CONE) || feature != 3u) return 0;
    return shape_cone_core_size(shape).top_radius_m > 0.0 ? 0u : 1u;
}

#endif
