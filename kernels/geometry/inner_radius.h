// A ball within a solid.
#ifndef CLACK_GEOMETRY_INNER_RADIUS_H
#define CLACK_GEOMETRY_INNER_RADIUS_H

#include "geometry/point_hull.h"

/// Radius of a ball that a solid holds, m: the largest one, of a cone's frustum that of the cone within it, of a hull
/// the largest one about its origin. REAL_HUGE of a half-space.
FN real inner_radius_of(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls) {
    GLOBAL const real *size = shape->size_m;
    if (kind_is(shape->kind, SHAPE_HALF_SPACE)) return REAL_HUGE;
    if (kind_is(shape->kind, SHAPE_SPHERE) || kind_is(shape->kind, SHAPE_CAPSULE)) return size[0];
    if (kind_is(shape->kind, SHAPE_CYLINDER)) return real_min(size[0], size[1]);
    if (kind_is(shape->kind, SHAPE_BEAM)) return real_min(size[1], size[2]);
    if (kind_is(shape->kind, SHAPE_CONE))
        return size[0] * size[1] / (size[0] + real_sqrt(size[0] * size[0] + size[1] * size[1]));
    if (!kind_is(shape->kind, SHAPE_HULL)) return shape_min3(shape);
    if (shape->hull_faces == 0) return 0.0;
    return shape_ball_radius(shape) - point_to_hull(shape, hulls, vec3_zero()).distance_m;
}

#endif
