// A flat round face that touches: its normal is the answer, and one support point of the other core shows whether it is.
#ifndef CLACK_FEATURE_FACE_H
#define CLACK_FEATURE_FACE_H

#include "feature.h"

#define FEATURE_FACING 0.999 // cosine: normals nearer than this to that of a face may be it

/// How far a point of a flat face's plane (local axes of its shape) lies inside the face's rim, m.
FN real feature_face_inside(GLOBAL const Shape *shape, Vec3 p, u32 is_top) {
    if (kind_is(shape->kind, SHAPE_BEAM)) {
        real end = p.z - real_clamp(p.z, 0.0 - shape->size_m[0], shape->size_m[0]);
        return shape->size_m[1] - shape->smoothing_m - real_sqrt(end * end + p.x * p.x);
    }
    real radius = shape->size_m[0] - shape->smoothing_m;
    if (kind_is(shape->kind, SHAPE_CONE)) {
        ShapeFrustum core = shape_cone_core_size(shape);
        radius = is_top != 0 ? core.top_radius_m : core.base_radius_m;
    }
    return radius - real_sqrt(p.x * p.x + p.y * p.y);
}

/// The flat round face of one of the shapes, where it looks along n: the normal is its own, and the other
/// core's support point must lie before it. Where that point is one of many (an edge or a face parallel to
/// this one), another may be right and this one not.
FN void feature_face(const CorePair *pair, u32 is_of_a, Vec3 n, Featured *found) {
    const Core *core = is_of_a != 0 ? &pair->a : &pair->b;
    feature_refuse(found, n);
    if (core_is_curved(core) == 0 || kind_is(core->kind, SHAPE_ELLIPSOID)) return;
    Vec3 axis = core_disc_axis(core);
    Vec3 u = is_of_a != 0 ? mat3_rotate_back(pair->turn, n) : vec3_negate(n);
    real along = vec3_dot(axis, u);
    if (!(real_abs(along) > FEATURE_FACING)) return;
    u = vec3_scale(axis, along > 0.0 ? 1.0 : -1.0);
    n = is_of_a != 0 ? mat3_rotate(pair->turn, u) : vec3_negate(u);
    found->steps = 1;
    found->from = n;
    CorePoint c = core_support(pair, n, 1.0);
    Feature *feature = &found->feature;
    feature->n = n;
    feature->a = vec3_add(c.b, c.p);
    feature->b = c.b;
    feature->f = vec3_dot(c.p, n);
    feature->x = vec3_scale(n, feature->f);
    Vec3 in_shape;
    if (is_of_a != 0) {
        feature->a = vec3_add(c.b, feature->x);
        in_shape = mat3_rotate_back(pair->turn, vec3_sub(feature->a, pair->place));
    } else {
        feature->b = vec3_sub(feature->a, feature->x);
        in_shape = feature->b;
    }
    if (!(feature_face_inside(core->shape, in_shape, along > 0.0 ? 1u : 0u) >= 0.0)) return;
    found->gap_m = 0.0;
    found->is_certified = 1;
}

#endif
