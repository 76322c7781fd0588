// A flat face that touches: its normal is that of the contact, and one support point of the other core decides whether
// it is the answer. Round faces are tried with the features of every simplex, those of boxes and beams' sides if these
// features were not the answer.
#ifndef CLACK_GEOMETRY_FEATURE_FACE_H
#define CLACK_GEOMETRY_FEATURE_FACE_H

#include "geometry/core_pair.h"
#include "geometry/feature.h"
#include "geometry/shape.h"

#define FEATURE_FACING 0.999 // cosine: normals nearer to that of a face may be equal to it

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

/// The face of one shape with a normal u in its axes is the answer if the other core's support point lies before it. If
/// that point is one of many (an edge or a face parallel to this one), another may be right and this one not. Returns
/// the foot of that point, in the axes of the shape.
FN Vec3 feature_face_foot(const CorePair *pair, u32 is_of_a, Vec3 u, Featured *found) {
    Vec3 n = is_of_a != 0 ? mat3_rotate(pair->turn, u) : vec3_negate(u);
    found->steps = 1;
    found->from = n;
    CorePoint c = core_pair_support_call(pair, n, 1.0);
    Feature *feature = &found->feature;
    feature->n = n;
    feature->a = vec3_add(c.b, c.p);
    feature->b = c.b;
    feature->f = vec3_dot(c.p, n);
    feature->x = vec3_scale(n, feature->f);
    if (is_of_a != 0) {
        feature->a = vec3_add(c.b, feature->x);
        return mat3_rotate_back(pair->turn, vec3_sub(feature->a, pair->place));
    }
    feature->b = vec3_sub(feature->a, feature->x);
    return feature->b;
}

/// Does a core have flat round faces?
FN_SHORT u32 feature_has_face(const Core *core) {
    return core_is_curved(core) != 0 && shape_kind_is_smooth(core->kind) == 0 ? 1u : 0u;
}

/// Sign of the normal of a core's flat round face that is nearly along u, both in its axes; 0: there is none.
FN_SHORT real feature_facing(const Core *core, Vec3 u) {
    if (feature_has_face(core) == 0) return 0.0;
    real along = kind_is(core->kind, SHAPE_BEAM) ? u.y : u.z;
    return real_abs(along) > FEATURE_FACING ? shape_sign(along) : 0.0;
}

/// The contact with that face, whose axis points to the side of the normal.
FN void feature_face(const CorePair *pair, u32 is_of_a, real side, Featured *found) {
    const Core *core = is_of_a != 0 ? &pair->a : &pair->b;
    Vec3 foot = feature_face_foot(pair, is_of_a, vec3_scale(core_disc_axis(core), side), found);
    found->gap_m = 0.0;
    found->is_certified = feature_face_inside(core->shape, foot, side > 0.0 ? 1u : 0u) >= 0.0 ? 1u : 0u;
}

/// The same of a box or of the straight sides of a beam.
FN void feature_flat_face(const CorePair *pair, u32 is_of_a, Vec3 n, Featured *found) {
    const Core *core = is_of_a != 0 ? &pair->a : &pair->b;
    feature_refuse(found, n);
    u32 is_box = kind_is(core->kind, SHAPE_BOX);
    if (is_box == 0 && !kind_is(core->kind, SHAPE_BEAM)) return;
    Vec3 u = is_of_a != 0 ? mat3_rotate_back(pair->turn, n) : vec3_negate(n);
    Vec3 axis = vec3_make(real_abs(u.x) > FEATURE_FACING ? shape_sign(u.x) : 0.0,
                          is_box != 0 && real_abs(u.y) > FEATURE_FACING ? shape_sign(u.y) : 0.0,
                          is_box != 0 && real_abs(u.z) > FEATURE_FACING ? shape_sign(u.z) : 0.0);
    if (!(vec3_dot(axis, axis) > 0.0)) return;
    Vec3 foot = feature_face_foot(pair, is_of_a, axis, found), half_m = core->segments.half_m;
    u32 is_inside = (axis.x != 0.0 || real_abs(foot.x) <= half_m.x ? 1u : 0u) &
                    (axis.y != 0.0 || real_abs(foot.y) <= half_m.y ? 1u : 0u) &
                    (axis.z != 0.0 || real_abs(foot.z) <= half_m.z ? 1u : 0u);
    if (is_inside == 0) return;
    found->gap_m = 0.0;
    found->is_certified = 1;
}

#endif
