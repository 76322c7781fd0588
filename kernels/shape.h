// What the narrow phase and the broad phase ask of a shape: support points, centroid, extents.
// A shape is a core plus a ball: every point of the core with a ball of shape_ball_radius about it.
// The ball adds its radius to the support function everywhere and moves no nearest feature, so it can
// be taken off and put back exactly.
#ifndef CLACK_SHAPE_H
#define CLACK_SHAPE_H

#include "vec3.h"

// Components of a unit direction within this count as 0 in the reference's sign function: what rounding
// leaves of a zero. The reference's own band is 5e-28, for it works in 106 bits; in double that would turn
// noise into sides. With 2e-15 the rest depths of the golden BouncingSphere3D and TwoCollidingBalls come
// out, where y = 9e-17 counts as the middle and y = -3e-14 does not (tests/test_mpr.cc).
#define SHAPE_COMPAT_SIGN_BAND 2.0e-15

/// Radius of the ball of a shape, m; 0 for a half-space.
FN real shape_ball_radius(GLOBAL const Shape *shape) {
    if (shape->kind == SHAPE_SPHERE || shape->kind == SHAPE_CAPSULE) return shape->size_m[0];
    if (shape->kind == SHAPE_BOX) return shape->smoothing_m;
    return 0.0;
}

/// Half lengths of the core of a shape along its local axes, m: the core is the box, segment or point
/// that they span. Box: without the smoothing ball. Half-space: 0.
FN Vec3 shape_core_half_m(GLOBAL const Shape *shape) {
    if (shape->kind == SHAPE_BOX)
        return vec3_make(shape->size_m[0] - shape->smoothing_m,
                         shape->size_m[1] - shape->smoothing_m,
                         shape->size_m[2] - shape->smoothing_m);
    if (shape->kind == SHAPE_CAPSULE) return vec3_make(0.0, 0.0, shape->size_m[1]);
    return vec3_zero();
}

// +1 for zero of either sign: a support point is then always a vertex, and the same one.
FN real shape_sign(real x) { return x < 0.0 ? -1.0 : 1.0; }

// The reference's: zero within a band, so that a support point may be the middle of a face or edge.
FN real shape_sign_compat(real x) {
    if (x > SHAPE_COMPAT_SIGN_BAND) return 1.0;
    return x < -SHAPE_COMPAT_SIGN_BAND ? -1.0 : 0.0;
}

/// Farthest point of the core in a local direction of any length; always a vertex. Not for half-spaces.
FN Vec3 shape_core_support(GLOBAL const Shape *shape, Vec3 direction) {
    Vec3 core_half = shape_core_half_m(shape);
    return vec3_make(core_half.x * shape_sign(direction.x), core_half.y * shape_sign(direction.y),
                     core_half.z * shape_sign(direction.z));
}

/// Farthest point of the shape in a local unit direction, from the shape origin. Not for half-spaces.
FN Vec3 shape_support(GLOBAL const Shape *shape, Vec3 direction) {
    return vec3_add_scaled(shape_core_support(shape, direction), direction,
                           shape_ball_radius(shape));
}

/// The same with the reference's sign function (spec modia3d 2): needed to end in the same places.
FN Vec3 shape_support_compat(GLOBAL const Shape *shape, Vec3 direction) {
    Vec3 core_half = shape_core_half_m(shape);
    Vec3 core = vec3_make(core_half.x * shape_sign_compat(direction.x),
                          core_half.y * shape_sign_compat(direction.y),
                          core_half.z * shape_sign_compat(direction.z));
    return vec3_add_scaled(core, direction, shape_ball_radius(shape));
}

/// A point well inside the shape, local axes: where MPR starts. Every shape so far is centred.
FN Vec3 shape_centroid(GLOBAL const Shape *shape) {
    (void)shape;
    return vec3_zero();
}

/// Half sizes of the box along world axes, about the shape origin, that holds the shape. `turn`: shape
/// to world. Half-space: REAL_HUGE. Right to rounding, so callers add a margin.
FN Vec3 shape_half_extents(GLOBAL const Shape *shape, Mat3 turn) {
    if (shape->kind == SHAPE_HALF_SPACE) return vec3_make(REAL_HUGE, REAL_HUGE, REAL_HUGE);
    Vec3 core_half = shape_core_half_m(shape);
    real ball = shape_ball_radius(shape);
    return vec3_make(real_abs(turn.x.x) * core_half.x + real_abs(turn.x.y) * core_half.y +
                         real_abs(turn.x.z) * core_half.z + ball,
                     real_abs(turn.y.x) * core_half.x + real_abs(turn.y.y) * core_half.y +
                         real_abs(turn.y.z) * core_half.z + ball,
                     real_abs(turn.z.x) * core_half.x + real_abs(turn.z.y) * core_half.y +
                         real_abs(turn.z.z) * core_half.z + ball);
}

/// Whether the contact radius rule treats the shape as flat (spec modia3d 6).
FN u32 shape_is_flat(GLOBAL const Shape *shape) {
    return (shape->flags & SHAPE_FLAT) != 0 ? 1u : 0u;
}

/// Distance from the shape origin within which the finite part of a shape lies; 0 for a half-space.
/// The length against which rounding in the narrow phase is measured.
FN real shape_size_m(GLOBAL const Shape *shape) {
    if (shape->kind == SHAPE_HALF_SPACE) return 0.0;
    return vec3_length(shape_core_half_m(shape)) + shape_ball_radius(shape);
}

#endif
