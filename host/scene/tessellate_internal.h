// What the files of tessellations share.
#ifndef CLACK_TESSELLATE_INTERNAL_H
#define CLACK_TESSELLATE_INTERNAL_H

#include "tessellate.h"

// Triangles in the making. Points may be there several times with the same bits: mesh_make welds them.
typedef struct Soup {
    double (*points)[3];    // (point_count)
    uint32_t (*corners)[3]; // (triangle_count), counter-clockwise seen from outside
    uint32_t point_count, triangle_count, point_room, triangle_room;
} Soup;

/// Room for so many more, which is then left to the caller to fill. Errors: CLACK_MEMORY.
ClackStatus soup_reserve(Soup *soup, size_t points, size_t triangles, ClackReport *report);
uint32_t soup_point(Soup *soup, double x, double y, double z); // its number; there is room
void soup_triangle(Soup *soup, uint32_t a, uint32_t b, uint32_t c);
void soup_free(Soup *soup);

// --- balls (tessellate_ball.c) --------------------------------------------------------------------

/// A sphere, ellipsoid or superquadric, with edges of at most mesh_size_m.
ClackStatus ball_tessellate(const Shape *shape, double mesh_size_m, Soup *soup, ClackReport *report);
void ball_plan(const Shape *shape, Tessellation *plan); // of plan->mesh_size_m

// --- solids about an axis (tessellate_rings.c) ----------------------------------------------------

// A rectangle across the axis, a frustum about it and a ball, added up: all sums of a point of each. Capsules,
// cylinders, cones, beams and boxes with rounded or sharp edges.
typedef struct RingSolid {
    double straight_m[2]; // half lengths of the rectangle along the axes u, v; 0: there is none
    double radius_m[2];   // of the frustum, at its lower and upper end
    double height_m[2];
    double ball_m;   // radius
    double lean_rad; // angle of the normal of the frustum's side over the plane across the axis
    uint32_t axis;   // 0 x, 1 y, 2 z; u and v are the axes after it
} RingSolid;

ClackStatus rings_tessellate(const RingSolid *solid, double mesh_size_m, Soup *soup, ClackReport *report);
/// Of plan->mesh_size_m: all but left_out_m.
ClackStatus rings_plan(const RingSolid *solid, Tessellation *plan, ClackReport *report);

#endif
