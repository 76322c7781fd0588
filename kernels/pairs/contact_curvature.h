// How the normal and the contact point of two touching shapes follow the motion of both: one formula for all shapes.
//
// At a contact a core is known by the second derivative H of its support function across the normal: 0 for a vertex,
// finite where it is curved, infinite along an edge and all over a face. With the cores `g` apart along n, and both
// moved so that A's core point moves by `apart` from A to B (motion of the material points) and A tilts by `tilt`
// against B,
//
//     g dn + H_a (dn - tilt) + H_b dn = apart,   slide = H_a (dn - tilt)      (axes that rotate with B)
//     dn = S apart + T tilt,  slide = T' apart - Y tilt,  S = (g + H_a + H_b)^-1,  T = S H_a,  Y = H_a - H_a S H_a
//
// slide: of A's core point past A's material. (S, T; T', -Y) is symmetric, and one more edge changes it by rank one, in
// which infinity drops out. Closed forms, features of Newton's method and corners, rims and edges of a manifold differ
// only in H.
#ifndef CLACK_PAIRS_CONTACT_CURVATURE_H
#define CLACK_PAIRS_CONTACT_CURVATURE_H

#include "model/workspace.h"
#include "geometry/core_pair.h"
#include "geometry/feature_face.h"
#include "geometry/shape.h"

#define CURVATURE_END 1.0e-9       // of a size: points this near the end of an edge or the rim of a face lie on it
#define CURVATURE_APART 1.0e-12    // of a size: least distance that sharp cores count with
#define CURVATURE_PARALLEL 1.0e-10 // square of the sine between edges that count as one

// Second derivative of a core's support function at a contact, across the normal.
typedef struct CoreCurvature {
    real xx, xy, yy; // m; its finite part
    Across edge;     // unit: the direction in which it is infinite
    u32 edges;       // 0; 1: an edge; 2: a face, infinite in all directions
} CoreCurvature;

FN CoreCurvature curvature_make(u32 edges) {
    CoreCurvature curvature;
    curvature.xx = curvature.xy = curvature.yy = 0.0;
    curvature.edge = across_make(0.0, 0.0);
    curvature.edges = edges;
    return curvature;
}

FN Across curvature_unit(Vec3 along, Vec3 x, Vec3 y) {
    Across v = across_make(vec3_dot(along, x), vec3_dot(along, y));
    real length = real_sqrt(across_dot(v, v));
    return across_make(v.x / length, v.y / length);
}

/// H of a smooth piece. u: outward; x, y across it; all in shape axes. radius_m: of its disc; disc_scale: as of
/// CoreSupport.
FN CoreCurvature curvature_of_piece(const Core *core, real radius_m, real disc_scale, Vec3 u, Vec3 x, Vec3 y) {
    CoreCurvature curvature = curvature_make(0);
    CoreForm form = core_curvature(core, real_abs(radius_m), disc_scale, u, x, y);
    real sign = radius_m < 0.0 ? -1.0 : 1.0; // the point opposite to the lowest moves the other way
    curvature.xx = sign * form.ss;
    curvature.xy = sign * form.st;
    curvature.yy = sign * form.tt;
    return curvature;
}

/// H of a hull: vertices as far out as the farthest, to rounding, make an edge or a face.
FN CoreCurvature curvature_of_hull(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 u, Vec3 x, Vec3 y) {
    real least = vec3_dot(shape_hull_core(shape, hulls, u), u) - CURVATURE_END * shape_size_m(shape);
    CoreCurvature curvature = curvature_make(0);
    u32 count = 0;
    Vec3 first = vec3_zero();
    for (u32 i = 0; i < shape->hull_vertices && count < 3; i++) {
        Vec3 vertex = shape_hull_vertex(shape, hulls, i);
        if (vec3_dot(vertex, u) < least) continue;
        if (count == 0) first = vertex;
        if (count == 1) curvature.edge = curvature_unit(vec3_sub(vertex, first), x, y);
        count++;
    }
    curvature.edges = count > 0 ? count - 1 : 0;
    return curvature;
}

// Does a flat round face of the shape touch at p, off its rim?
FN u32 curvature_is_face(GLOBAL const Shape *shape, Vec3 p, u32 active) {
    real end = CURVATURE_END * shape_size_m(shape);
    if (kind_is(shape->kind, SHAPE_CYLINDER))
        return (active & 4u) == 0 && feature_face_inside(shape, p, 0) > end ? 1u : 0u;
    if (kind_is(shape->kind, SHAPE_BEAM)) return (active & 2u) == 0 && feature_face_inside(shape, p, 0) > end ? 1u : 0u;
    if (!kind_is(shape->kind, SHAPE_CONE) || (active & CORE_SIDE) != 0) return 0;
    ShapeFrustum core = shape_cone_core_size(shape);
    u32 is_top = 2.0 * p.z > core.base_m + core.top_m ? 1u : 0u;
    return feature_face_inside(shape, p, is_top) > end ? 1u : 0u;
}

// Segments inside which p lies, and a cone's side: bits as of CoreSupport.code.
FN u32 curvature_active(GLOBAL const Shape *shape, Vec3 p) {
    real end = CURVATURE_END * shape_size_m(shape);
    if (kind_is(shape->kind, SHAPE_CONE)) {
        ShapeFrustum core = shape_cone_core_size(shape);
        return p.z > core.base_m + end && p.z < core.top_m - end ? CORE_SIDE : 0u;
    }
    CoreSegments s = core_segments(shape);
    return (real_abs(p.x) < s.half_m.x - end ? 1u : 0u) | (real_abs(p.y) < s.half_m.y - end ? 2u : 0u) |
           (real_abs(p.z) < s.half_m.z - end ? 4u : 0u);
}

/// H of the core about its point p, which is farthest in the direction u; all in shape axes.
FN CoreCurvature curvature_of_core(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 p, Vec3 u, Vec3 x,
                                   Vec3 y) {
    if (kind_is(shape->kind, SHAPE_HALF_SPACE)) return curvature_make(2);
    if (!HAS(CONTENT_SOLIDS)) return curvature_make(0); // a ball
    if (kind_is(shape->kind, SHAPE_HULL)) return curvature_of_hull(shape, hulls, u, x, y);
    u32 active = curvature_active(shape, p);
    u32 is_along = active & (active - 1u); // more than one bit: a face of a box
    if ((is_along != 0 && kind_is(shape->kind, SHAPE_BOX)) || curvature_is_face(shape, p, active) != 0)
        return curvature_make(2);
    Core core;
    core_make(shape, hulls, &core);
    CoreSupport piece = core_support_point(&core, u, 1.0, active);
    real radius = piece.disc_m;
    Vec3 along = vec3_make((real)(active & 1u), (real)((active >> 1) & 1u), (real)((active >> 2) & 1u));
    if ((active & CORE_SIDE) != 0) {
        real share = (p.z - core.base_z_m) / (core.top_z_m - core.base_z_m);
        radius += share * (core.top_m - core.disc_m);
        along = core_side(&core, u);
    }
    CoreCurvature curvature = curvature_of_piece(&core, radius, piece.disc_scale, u, x, y);
    if (is_along != 0) curvature.edges = 2; // the flat side of a beam
    if (active == 0 || is_along != 0) return curvature;
    curvature.edges = 1;
    curvature.edge = curvature_unit(along, x, y);
    return curvature;
}

/// H at the point of a disc that contact `feature` with a half-space is: see manifold_point.
FN CoreCurvature curvature_of_rim(GLOBAL const Shape *shape, u32 feature, Vec3 u, Vec3 x, Vec3 y) {
    Core core;
    core_make(shape, 0, &core);
    u32 is_opposite = feature & (kind_is(shape->kind, SHAPE_BEAM) ? 4u : 2u);
    real radius = kind_is(shape->kind, SHAPE_CONE) && (feature & 1u) != 0 ? core.top_m : core.disc_m;
    real disc_scale = core_inverse_root(core_across_square(&core, u));
    return curvature_of_piece(&core, is_opposite != 0 ? 0.0 - radius : radius, disc_scale, u, x, y);
}

FN Across curvature_normal_by_shift(PairCurvature w, Across v) {
    return across_make(w.s_xx * v.x + w.s_xy * v.y, w.s_xy * v.x + w.s_yy * v.y);
}
FN Across curvature_normal_by_tilt(PairCurvature w, Across v) {
    return across_make(w.t_xx * v.x + w.t_xy * v.y, w.t_yx * v.x + w.t_yy * v.y);
}
FN Across curvature_point_by_shift(PairCurvature w, Across v) {
    return across_make(w.t_xx * v.x + w.t_yx * v.y, w.t_xy * v.x + w.t_yy * v.y);
}
FN Across curvature_point_by_tilt(PairCurvature w, Across v) {
    return across_make(w.y_xx * v.x + w.y_xy * v.y, w.y_xy * v.x + w.y_yy * v.y);
}

/// Add an edge of A or of B. If another edge excludes that direction already, it changes nothing.
FN PairCurvature curvature_add_edge(PairCurvature w, Across edge, u32 is_of_a) {
    Across p = curvature_normal_by_shift(w, edge);
    Across q = curvature_point_by_shift(w, edge);
    real s = across_dot(p, edge);
    if (!(real_abs(s) > CURVATURE_PARALLEL * (real_abs(w.s_xx) + real_abs(w.s_yy)))) return w;
    if (is_of_a != 0) q = across_make(q.x - edge.x, q.y - edge.y);
    real f = 1.0 / s;
    w.s_xx -= f * p.x * p.x;
    w.s_xy -= f * p.x * p.y;
    w.s_yy -= f * p.y * p.y;
    w.t_xx -= f * p.x * q.x;
    w.t_xy -= f * p.x * q.y;
    w.t_yx -= f * p.y * q.x;
    w.t_yy -= f * p.y * q.y;
    w.y_xx += f * q.x * q.x;
    w.y_xy += f * q.x * q.y;
    w.y_yy += f * q.y * q.y;
    return w;
}

/// A face against a core with the second derivative `other`: the face alone fixes the normal.
FN PairCurvature curvature_on_face(CoreCurvature other, real apart_m, u32 is_of_a) {
    real g = is_of_a != 0 ? apart_m : 0.0;
    PairCurvature w;
    w.s_xx = w.s_xy = w.s_yy = w.t_xy = w.t_yx = 0.0;
    w.t_xx = w.t_yy = is_of_a != 0 ? 1.0 : 0.0;
    w.y_xx = g + other.xx;
    w.y_xy = other.xy;
    w.y_yy = g + other.yy;
    return w;
}

/// Combine both. apart_m: distance of the cores along the normal; size_m: of the shapes.
FN_ONCE PairCurvature curvature_join(CoreCurvature a, CoreCurvature b, real apart_m, real size_m) {
    if (b.edges == 2) return curvature_on_face(a, apart_m, 0);
    if (a.edges == 2) return curvature_on_face(b, apart_m, 1);
    real least = CURVATURE_APART * size_m;
    real g = real_abs(apart_m) > least ? apart_m : least;
    real xx = g + a.xx + b.xx, xy = a.xy + b.xy, yy = g + a.yy + b.yy;
    real determinant = xx * yy - xy * xy;
    PairCurvature w;
    w.s_xx = yy / determinant;
    w.s_xy = 0.0 - xy / determinant;
    w.s_yy = xx / determinant;
    Across on_x = curvature_normal_by_shift(w, across_make(a.xx, a.xy));
    Across on_y = curvature_normal_by_shift(w, across_make(a.xy, a.yy));
    w.t_xx = on_x.x;
    w.t_yx = on_x.y;
    w.t_xy = on_y.x;
    w.t_yy = on_y.y;
    // H_a (1 - T) rather than a difference of both.
    w.y_xx = a.xx * (1.0 - on_x.x) - a.xy * on_x.y;
    w.y_xy = a.xy * (1.0 - on_y.y) - a.xx * on_y.x;
    w.y_yy = a.yy * (1.0 - on_y.y) - a.xy * on_y.x;
    if (a.edges != 0) w = curvature_add_edge(w, a.edge, 1);
    if (b.edges != 0) w = curvature_add_edge(w, b.edge, 0);
    return w;
}

#endif
