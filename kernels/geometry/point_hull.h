// A point against the core of a hull, from its triangles.
#ifndef CLACK_GEOMETRY_POINT_HULL_H
#define CLACK_GEOMETRY_POINT_HULL_H

#include "geometry/point_core.h"
#include "geometry/shape.h"
#include "geometry/triangle.h"

FN GLOBAL const HullRow *hull_face_rows(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls) {
    u32 blocks = hull_blocks(shape->hull_vertices);
    return hulls + (shape->hull_first + blocks + shape->hull_vertices);
}

FN GLOBAL const HullRow *hull_edge_rows(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls) {
    return hull_face_rows(shape, hulls) + 2u * shape->hull_faces;
}

// Corner of a triangle, scale 1.
FN Vec3 hull_corner(GLOBAL const HullRow *vertices, real number) { return vertices[(u32)number].at_m; }

// Of the sizes: rounding of a distance. Over a face, and beside an edge of its triangles by 1e-9 of the height, both
// are equally near; but the direction to the edge is off by 1e-9, and that of the face is right.
#define HULL_SAME 1.0e-15

/// Signed distance of the point p (shape axes, from the shape origin) to the core of a hull with triangles. Inside: the
/// nearest plane; outside: the nearest of the triangles that face the point.
FN PointToCore point_to_hull(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 p) {
    GLOBAL const HullRow *faces = hull_face_rows(shape, hulls);
    GLOBAL const HullRow *vertices = faces - shape->hull_vertices;
    Vec3 at = vec3_scale(p, 1.0 / shape->size_m[0]);
    PointToCore to;
    to.steps = to.is_centred = 0;
    to.distance_m = 0.0 - REAL_HUGE;
    to.direction = vec3_make(0.0, 0.0, 1.0);
    real same = HULL_SAME * (shape_size_m(shape) / shape->size_m[0] + vec3_max_abs(at)), best = REAL_HUGE;
    for (u32 i = 0; i < shape->hull_faces; i++) {
        real height = vec3_dot(faces[2u * i].at_m, at) - faces[2u * i].reach_m;
        if (height > to.distance_m && best == REAL_HUGE) {
            to.distance_m = height;
            to.direction = faces[2u * i].at_m;
        }
        if (!(height > 0.0) || !(height - same < best)) continue;
        Vec3 corners = faces[2u * i + 1u].at_m;
        TrianglePoint near = triangle_nearest(vec3_sub(hull_corner(vertices, corners.x), at),
                                              vec3_sub(hull_corner(vertices, corners.y), at),
                                              vec3_sub(hull_corner(vertices, corners.z), at));
        u32 is_face = vec3_dot(near.face, near.face) > 0.0 ? 1u : 0u; // its plane has more digits than the foot
        real distance = is_face != 0 ? height : real_sqrt(near.square);
        real counts = is_face != 0 ? height - same : distance;
        if (!(counts < best)) continue;
        best = counts;
        to.distance_m = distance;
        to.direction = is_face != 0 ? faces[2u * i].at_m : vec3_scale(near.q, -1.0 / distance);
    }
    to.distance_m *= shape->size_m[0];
    return to;
}

FN PointToCore point_to_plane(Vec3 p) {
    PointToCore to;
    to.distance_m = p.z;
    to.direction = vec3_make(0.0, 0.0, 1.0);
    to.steps = to.is_centred = 0;
    return to;
}

/// The same for all shapes: see point_to_core.
FN PointToCore point_to_solid(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 p) {
    if (kind_is(shape->kind, SHAPE_HALF_SPACE)) return point_to_plane(p);
    return kind_is(shape->kind, SHAPE_HULL) ? point_to_hull(shape, hulls, p) : point_to_core(shape, p);
}

#endif
