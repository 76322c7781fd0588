// A point against the core of a shape: closed forms, for spheres against all shapes.
//
// The distance to each side keeps its sign and the sides are combined afterwards, so that the result is right inside as
// well and no method changes when the point enters. kernels/geometry/README.md, "Distances: the narrow phase".
#ifndef CLACK_GEOMETRY_POINT_CORE_H
#define CLACK_GEOMETRY_POINT_CORE_H

#include "geometry/shape.h"

typedef struct PointToCore {
    real distance_m; // signed, < 0 inside
    Vec3 direction;  // unit, out of the core where the point is nearest to it
    u32 steps;       // of an iteration, 0 if there is none
    u32 is_centred;  // no direction is better than another
} PointToCore;

#define POINT_CENTRED_SHARE 1.0e-12 // of the sizes
#define POINT_ELLIPSOID_STEPS 40u   // limit; seen: 9 at aspects of 1000
#define POINT_ELLIPSOID_CLOSE 4.0e-16
#define POINT_ELLIPSOID_NEAR 1.0e-13

typedef struct PointSides { // two sides at right angles to each other, combined
    real depth_m;
    real first, second; // components of the direction
} PointSides;

/// Combine two signed distances to sides at right angles: outside both, the edge between them is nearest.
FN PointSides point_sides(real first, real second) {
    PointSides s;
    real out_first = real_max(first, 0.0);
    real out_second = real_max(second, 0.0);
    real length = real_sqrt(out_first * out_first + out_second * out_second);
    if (length > 0.0) {
        s.depth_m = length;
        s.first = out_first / length;
        s.second = out_second / length;
    } else {
        s.depth_m = real_max(first, second);
        s.first = first >= second ? 1.0 : 0.0;
        s.second = 1.0 - s.first;
    }
    return s;
}

FN_SHORT PointToCore point_to_box(Vec3 extent, Vec3 p) {
    Vec3 beyond = vec3_make(real_abs(p.x) - extent.x, real_abs(p.y) - extent.y, real_abs(p.z) - extent.z);
    Vec3 out = vec3_make(real_max(beyond.x, 0.0), real_max(beyond.y, 0.0), real_max(beyond.z, 0.0));
    real length = vec3_length(out);
    Vec3 direction = vec3_make(0.0, 0.0, 0.0); // in the octant of p
    PointToCore to;
    to.distance_m = length;
    if (length > 0.0) {
        direction = vec3_scale(out, 1.0 / length);
    } else if (beyond.x >= beyond.y && beyond.x >= beyond.z) {
        direction.x = 1.0;
        to.distance_m = beyond.x;
    } else if (beyond.y >= beyond.z) {
        direction.y = 1.0;
        to.distance_m = beyond.y;
    } else {
        direction.z = 1.0;
        to.distance_m = beyond.z;
    }
    to.direction = vec3_multiply(direction, vec3_make(shape_sign(p.x), shape_sign(p.y), shape_sign(p.z)));
    to.steps = 0;
    to.is_centred = vec3_max_abs(p) > POINT_CENTRED_SHARE * vec3_max_abs(extent) ? 0u : 1u;
    return to;
}

// (x, y) / |(x, y)|; at the centre the first axis.
FN Vec3 point_unit_across(real x, real y, real length) {
    return length > 0.0 ? vec3_make(x / length, y / length, 0.0) : vec3_make(1.0, 0.0, 0.0);
}

FN PointToCore point_to_cylinder(GLOBAL const Shape *shape, Vec3 p) {
    real rho = shape->smoothing_m;
    real r = real_sqrt(p.x * p.x + p.y * p.y);
    Vec3 across = point_unit_across(p.x, p.y, r);
    PointSides s = point_sides(r - (shape->size_m[0] - rho), real_abs(p.z) - (shape->size_m[1] - rho));
    PointToCore to;
    to.distance_m = s.depth_m;
    to.direction = vec3_make(s.first * across.x, s.first * across.y, s.second * shape_sign(p.z));
    to.steps = 0;
    to.is_centred = s.first > 0.0 && !(r > 0.0) ? 1u : 0u;
    return to;
}

/// Plan view (z, x): a stadium; height y.
FN PointToCore point_to_beam(GLOBAL const Shape *shape, Vec3 p) {
    real rho = shape->smoothing_m;
    real end = p.z - real_clamp(p.z, -shape->size_m[0], shape->size_m[0]);
    real m = real_sqrt(end * end + p.x * p.x);
    Vec3 across = point_unit_across(p.x, end, m);
    PointSides s = point_sides(m - (shape->size_m[1] - rho), real_abs(p.y) - (shape->size_m[2] - rho));
    PointToCore to;
    to.distance_m = s.depth_m;
    to.direction = vec3_make(s.first * across.x, s.second * shape_sign(p.y), s.first * across.y);
    to.steps = 0;
    to.is_centred = s.first > 0.0 && !(m > 0.0) ? 1u : 0u;
    return to;
}

/// In the plane of the axis and the point: a trapezoid of base, top and side, whose corners are the rims.
FN PointToCore point_to_cone(GLOBAL const Shape *shape, Vec3 p) {
    ShapeFrustum core = shape_cone_core_size(shape);
    real taper = shape->size_m[0] - shape->size_m[2];
    real slant = real_sqrt(taper * taper + shape->size_m[1] * shape->size_m[1]);
    real side_r = shape->size_m[1] / slant; // normal of the side
    real side_z = taper / slant;
    real r = real_sqrt(p.x * p.x + p.y * p.y);
    Vec3 across = point_unit_across(p.x, p.y, r);
    real below = core.base_m - p.z;
    real above = p.z - core.top_m;
    real from_base = r - core.base_radius_m;
    real from_top = r - core.top_radius_m;
    // Signed distance to the line through both rims, from the nearer rim.
    real beside = above > below ? side_r * from_top + side_z * above : side_r * from_base - side_z * below;
    // Along the side from each rim, upwards.
    real past_base = 0.0 - side_z * from_base - side_r * below;
    real past_top = 0.0 - side_z * from_top + side_r * above;
    real out_r = 0.0;
    real out_z = 0.0;
    PointToCore to;
    if (below > 0.0 && from_base <= 0.0) {
        to.distance_m = below;
        out_z = -1.0;
    } else if (above > 0.0 && from_top <= 0.0) {
        to.distance_m = above;
        out_z = 1.0;
    } else if (below > 0.0 || (beside > 0.0 && (past_base < 0.0 || past_top > 0.0))) { // a rim
        real dr = past_base < 0.0 ? from_base : from_top;
        real dz = past_base < 0.0 ? 0.0 - below : above;
        to.distance_m = real_sqrt(dr * dr + dz * dz);
        out_r = dr / to.distance_m;
        out_z = dz / to.distance_m;
    } else if (beside > 0.0 || (beside >= below && beside >= above)) {
        to.distance_m = beside;
        out_r = side_r;
        out_z = side_z;
    } else {
        to.distance_m = real_max(below, above);
        out_z = below > above ? -1.0 : 1.0;
    }
    to.direction = vec3_make(out_r * across.x, out_r * across.y, out_z);
    to.steps = 0;
    to.is_centred = out_r > 0.0 && !(r > 0.0) ? 1u : 0u;
    return to;
}

/// The whole ellipsoid, not its core: the nearest point x obeys p - x = t E^-2 x, so that sum (a_i p_i / (t + a_i^2))^2
/// = 1. Newton's method on 1/sqrt of the left side, which is nearly linear in t. The unknown is s = t + (least a)^2 >
/// 0, so that no digits are lost near the shortest axis.
FN PointToCore point_to_ellipsoid(GLOBAL const Shape *shape, Vec3 p) {
    GLOBAL const real *a = shape->size_m;
    real least = shape_min3(shape);
    Vec3 square = vec3_make(a[0] * a[0], a[1] * a[1], a[2] * a[2]);
    real base = least * least;
    Vec3 spare = vec3_make(square.x - base, square.y - base, square.z - base);
    Vec3 ap = vec3_make(a[0] * p.x, a[1] * p.y, a[2] * p.z);
    // Each term is at most 1.
    real low = real_max(real_abs(ap.x) - spare.x, real_max(real_abs(ap.y) - spare.y, real_abs(ap.z) - spare.z));
    PointToCore to;
    Vec3 moved = vec3_zero(); // of the point, off the middle surface
    to.is_centred = 0;
    to.steps = 0;
    if (!(low > 1.0e-12 * base)) { // on the middle surface both sides are equally near: along the shortest axis
        Vec3 axis = vec3_make(a[0] <= a[1] && a[0] <= a[2] ? 1.0 : 0.0, 0.0, 0.0);
        if (axis.x == 0.0) axis = a[1] <= a[2] ? vec3_make(0.0, 1.0, 0.0) : vec3_make(0.0, 0.0, 1.0);
        low = 1.0e-12 * base;
        moved = vec3_scale(axis, (low - vec3_dot(ap, axis)) / least);
        ap = vec3_add_scaled(ap, axis, low - vec3_dot(ap, axis));
        to.is_centred = 1;
    }
    real s = low;
    real last = REAL_HUGE;
    for (u32 i = 0; i < POINT_ELLIPSOID_STEPS; i++) {
        Vec3 d = vec3_make(s + spare.x, s + spare.y, s + spare.z);
        Vec3 q = vec3_make(ap.x / d.x, ap.y / d.y, ap.z / d.z);
        real f = vec3_dot(q, q);
        real slope = q.x * q.x / d.x + q.y * q.y / d.y + q.z * q.z / d.z;
        real step = (real_sqrt(f) - 1.0) * f / slope;
        to.steps++;
        real next = s + step;
        if (next < low) next = 0.5 * (s + low);
        step = real_abs(next - s);
        s = next;
        // The last bits may cycle.
        if (step <= POINT_ELLIPSOID_CLOSE * s || (step < POINT_ELLIPSOID_NEAR * s && step > 0.5 * last)) break;
        last = step;
    }
    Vec3 g = vec3_make(ap.x / a[0] / (s + spare.x), ap.y / a[1] / (s + spare.y), ap.z / a[2] / (s + spare.z));
    real length = vec3_length(g);
    to.direction = vec3_scale(g, 1.0 / length);
    to.distance_m = (s - base) * length - vec3_dot(to.direction, moved);
    return to;
}

/// Signed distance of the point p (shape axes, from the shape origin) to the core of the shape; of an ellipsoid to its
/// surface, with a ball of radius 0. Not for half-spaces, hulls and superquadrics.
FN PointToCore point_to_core(GLOBAL const Shape *shape, Vec3 p) {
    if (shape_core_is_box(shape) != 0) return point_to_box(shape_core_half_m(shape), p); // includes segments and points
    if (kind_is(shape->kind, SHAPE_ELLIPSOID)) return point_to_ellipsoid(shape, p);
    if (kind_is(shape->kind, SHAPE_CYLINDER)) return point_to_cylinder(shape, p);
    return kind_is(shape->kind, SHAPE_CONE) ? point_to_cone(shape, p) : point_to_beam(shape, p);
}

#endif
