// Axis-aligned boxes (world axes) about two shapes, which the reference tests before its narrow phase: the distance of
// pairs whose boxes are apart is that of the boxes, and no portal is sought. The reference's portals are about rays
// that pass beside them (mpr_sense), which fails most often where the shapes do not touch. kernels/geometry/README.md,
// "The reference". Tested: tests/kernels/geometry/test_mpr.cc, tests/kernels/geometry/test_compat_signs.cc.
#ifndef CLACK_GEOMETRY_COMPAT_BOX_H
#define CLACK_GEOMETRY_COMPAT_BOX_H

#include "model/narrow_types.h"
#include "geometry/shape.h"

#define COMPAT_BOX_MARGIN 0.005 // of the longest side, on either side of each axis

typedef struct CompatBox { // about the origin of the shape, world axes, m
    Vec3 low, high;
} CompatBox;

// Extent of a shape along an axis given in its own axes, m.
FN_SHORT real compat_reach(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 axis) {
    return vec3_dot(shape_support_compat(shape, hulls, axis), axis);
}

/// turn: shape to world.
FN CompatBox compat_box(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, const Mat3 *turn) {
    CompatBox box;
    box.high = vec3_make(compat_reach(shape, hulls, COPY(turn->x)), compat_reach(shape, hulls, COPY(turn->y)),
                         compat_reach(shape, hulls, COPY(turn->z)));
    box.low = vec3_make(0.0 - compat_reach(shape, hulls, vec3_negate(turn->x)),
                        0.0 - compat_reach(shape, hulls, vec3_negate(turn->y)),
                        0.0 - compat_reach(shape, hulls, vec3_negate(turn->z)));
    real margin = COMPAT_BOX_MARGIN * vec3_max_abs(vec3_sub(box.high, box.low));
    Vec3 margins = vec3_make(margin, margin, margin);
    if (kind_is(shape->kind, SHAPE_SPHERE)) margins = vec3_scale(margins, 0.5); // the reference: of its radius
    box.high = vec3_add(box.high, margins);
    box.low = vec3_sub(box.low, margins);
    return box;
}

// The point of the interval [low, high] of one axis that is nearest to another interval; if they overlap, the middle of
// the overlap.
FN_SHORT real compat_nearest(real low, real high, real other_low, real other_high) {
    return real_clamp(0.5 * (real_max(low, other_low) + real_min(high, other_high)), low, high);
}

FN Vec3 compat_box_nearest(CompatBox box, CompatBox other) {
    return vec3_make(compat_nearest(box.low.x, box.high.x, other.low.x, other.high.x),
                     compat_nearest(box.low.y, box.high.y, other.low.y, other.high.y),
                     compat_nearest(box.low.z, box.high.z, other.low.z, other.high.z));
}

/// Are the boxes of two shapes apart? If so, the result is that of the boxes. offset: B's shape origin minus A's, world
/// axes.
FN u32 compat_boxes_apart(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                          Vec3 offset, GLOBAL const HullRow *hulls, NarrowResult *result) {
    CompatBox box_a = compat_box(a, hulls, turn_a), box_b = compat_box(b, hulls, turn_b);
    box_b.low = vec3_add(box_b.low, offset);
    box_b.high = vec3_add(box_b.high, offset);
    Vec3 at_a = compat_box_nearest(box_a, box_b), at_b = compat_box_nearest(box_b, box_a);
    Vec3 between = vec3_sub(at_b, at_a);
    real length = vec3_length(between);
    if (!(length > 0.0)) return 0;
    result->distance_m = length;
    result->error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + shape_size_m(a) + shape_size_m(b));
    result->normal = vec3_scale(between, 1.0 / length);
    result->point_a = at_a;
    result->point_b = vec3_sub(at_b, offset);
    result->to_nearest_m = vec3_zero();
    result->status = NARROW_OK;
    result->iterations = 0;
    return 1;
}

#endif
