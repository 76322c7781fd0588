// Shapes for the narrow phase and the broad phase: support points, centroid, extents. A shape is a core plus a ball:
// every point of the core with a ball of shape_ball_radius about it. The ball adds its radius to the support function
// everywhere and moves no nearest feature, so it can be taken off and put back exactly. Cores of boxes, capsules and
// spheres are boxes, segments and points: all three are called blocks, boxes whose half lengths may be 0.
#ifndef CLACK_GEOMETRY_SHAPE_H
#define CLACK_GEOMETRY_SHAPE_H

#include "base/vec3.h"
#include "model/scene_types.h"
#include "geometry/superquadric.h"

// Components of a unit direction within this count as 0 in the reference's sign function: the rounding of a zero. The
// reference's own tolerance is 5e-28, as it computes with 106 bits; in double that would let noise choose sides. With
// 2e-15 the rest depths of the golden BouncingSphere3D and TwoCollidingBalls come out, where y = 9e-17 counts as the
// middle and y = -3e-14 does not (tests/kernels/geometry/test_mpr.cc).
#define SHAPE_COMPAT_SIGN_TOLERANCE 2.0e-15

// An ellipsoid is a convex core plus a ball of any radius up to (least half length)^2 / greatest, its
// least radius of curvature; this share of that keeps the core away from its own edges.
#define SHAPE_ELLIPSOID_BALL_SHARE 0.9

FN real shape_min3(GLOBAL const Shape *shape) {
    return real_min(shape->size_m[0], real_min(shape->size_m[1], shape->size_m[2]));
}

FN real shape_max3(GLOBAL const Shape *shape) {
    return real_max(shape->size_m[0], real_max(shape->size_m[1], shape->size_m[2]));
}

/// Radius of the ball of a shape, m; 0 for a half-space, which has no smoothing.
FN real shape_ball_radius(GLOBAL const Shape *shape) {
    if (kind_is(shape->kind, SHAPE_SPHERE) || kind_is(shape->kind, SHAPE_CAPSULE)) return shape->size_m[0];
    if (!kind_is(shape->kind, SHAPE_ELLIPSOID)) return shape->smoothing_m;
    real least = shape_min3(shape);
    real most = shape_max3(shape);
    return most > 0.0 ? SHAPE_ELLIPSOID_BALL_SHARE * least * least / most : 0.0;
}

/// Half lengths of the core of a box, capsule or sphere along its local axes, m: the core is the box, segment or point
/// that they span. Box: without the smoothing ball. Other kinds: 0.
FN Vec3 shape_core_half_m(GLOBAL const Shape *shape) {
    if (kind_is(shape->kind, SHAPE_BOX))
        return vec3_make(shape->size_m[0] - shape->smoothing_m, shape->size_m[1] - shape->smoothing_m,
                         shape->size_m[2] - shape->smoothing_m);
    if (kind_is(shape->kind, SHAPE_CAPSULE)) return vec3_make(0.0, 0.0, shape->size_m[1]);
    return vec3_zero();
}

// +1 for zero of either sign, so that a support point is always a vertex, and the same one.
FN real shape_sign(real x) { return x < 0.0 ? -1.0 : 1.0; }

// That of the reference: zero within the tolerance, so that a support point may be the middle of a face or edge.
FN real shape_sign_compat(real x) {
    if (x > SHAPE_COMPAT_SIGN_TOLERANCE) return 1.0;
    return x < -SHAPE_COMPAT_SIGN_TOLERANCE ? -1.0 : 0.0;
}

// +1, -1, or 0 (the middle of a face or edge) within the tolerance.
FN real shape_sign_within(real x, real tolerance) {
    if (x > tolerance) return 1.0;
    if (x < -tolerance) return -1.0;
    return tolerance > 0.0 ? 0.0 : 1.0;
}

// (x, y) scaled to the given length: the rim of a disc. The centre for a direction that is (nearly) 0.
FN Vec3 shape_rim(real x, real y, real radius, real tolerance) {
    real length = real_sqrt(x * x + y * y);
    if (!(length > tolerance)) return vec3_zero();
    return vec3_make(radius * (x / length), radius * (y / length), 0.0);
}

// Ellipsoid less its ball; direction: unit.
FN Vec3 shape_ellipsoid_core(GLOBAL const Shape *shape, Vec3 direction) {
    Vec3 extent = vec3_make(shape->size_m[0], shape->size_m[1], shape->size_m[2]);
    Vec3 scaled = vec3_multiply(extent, direction);
    real length = vec3_length(scaled);
    Vec3 point = vec3_zero();
    if (length > 0.0) point = vec3_scale(vec3_multiply(extent, scaled), 1.0 / length);
    return vec3_add_scaled(point, direction, -shape_ball_radius(shape));
}

FN_SHORT SuperquadricSize shape_superquadric(GLOBAL const Shape *shape) {
    SuperquadricSize size;
    size.half_m = vec3_make(shape->size_m[0], shape->size_m[1], shape->size_m[2]);
    size.p = shape->size_m[3];
    size.q = shape->size_m[4];
    return size;
}

// Superquadric less its ball; direction: unit.
FN Vec3 shape_superquadric_core(GLOBAL const Shape *shape, Vec3 direction) {
    SuperquadricSize size = shape_superquadric(shape);
    return vec3_add_scaled(superquadric_support(&size, direction), direction, 0.0 - shape->smoothing_m);
}

FN Vec3 shape_cylinder_core(GLOBAL const Shape *shape, Vec3 direction, real tolerance) {
    real rho = shape->smoothing_m;
    Vec3 core = shape_rim(direction.x, direction.y, shape->size_m[0] - rho, tolerance);
    core.z = (shape->size_m[1] - rho) * shape_sign_within(direction.z, tolerance);
    return core;
}

// The straight part keeps its length; the half discs at its ends are smaller by the ball's radius.
FN Vec3 shape_beam_core(GLOBAL const Shape *shape, Vec3 direction, real tolerance) {
    real rho = shape->smoothing_m;
    Vec3 rim = shape_rim(direction.z, direction.x, shape->size_m[1] - rho, tolerance);
    return vec3_make(rim.y, (shape->size_m[2] - rho) * shape_sign_within(direction.y, tolerance),
                     rim.x + shape->size_m[0] * shape_sign_within(direction.z, tolerance));
}

typedef struct ShapeFrustum { // a cone or frustum about z between two heights, m
    real base_m, base_radius_m;
    real top_m, top_radius_m;
} ShapeFrustum;

/// Core of a cone or frustum: its faces moved inwards by the ball's radius. If no top face is left, the core ends in
/// the point in which the moved side meets the axis. kernels/geometry/README.md, "Distances: the narrow phase".
FN ShapeFrustum shape_cone_core_size(GLOBAL const Shape *shape) {
    ShapeFrustum core;
    real rho = shape->smoothing_m;
    real radius = shape->size_m[0];
    real length = shape->size_m[1];
    real taper = radius - shape->size_m[2];
    real slant = real_sqrt(taper * taper + length * length);
    core.base_m = rho;
    core.base_radius_m = real_max(radius - rho * (slant + taper) / length, 0.0);
    core.top_m = length - rho;
    core.top_radius_m = shape->size_m[2] - rho * (slant - taper) / length;
    if (core.top_radius_m < 0.0) {
        core.top_radius_m = 0.0;
        core.top_m = (length * radius - rho * slant) / taper;
    }
    core.top_m = real_max(core.top_m, core.base_m);
    return core;
}

FN Vec3 shape_cone_core(GLOBAL const Shape *shape, Vec3 direction, real tolerance) {
    ShapeFrustum core = shape_cone_core_size(shape);
    real across = real_sqrt(direction.x * direction.x + direction.y * direction.y);
    real base = core.base_radius_m * across + core.base_m * direction.z;
    real top = core.top_radius_m * across + core.top_m * direction.z;
    u32 is_top = top > base ? 1u : 0u;
    Vec3 point = shape_rim(direction.x, direction.y, is_top != 0 ? core.top_radius_m : core.base_radius_m, tolerance);
    point.z = is_top != 0 ? core.top_m : core.base_m;
    return point;
}

// The farthest vertex of all, of equals the first one met. Search the block whose ball reaches farthest first; skip
// blocks whose balls end below the best found so far.
FN u32 shape_hull_search(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 direction) {
    u32 count = shape->hull_vertices;
    u32 blocks = hull_blocks(count);
    GLOBAL const HullRow *balls = hulls + shape->hull_first;
    GLOBAL const HullRow *vertices = balls + blocks;
    real length = blocks > 1 ? vec3_length(direction) : 0.0;
    u32 start = 0;
    real reach = -REAL_HUGE;
    for (u32 block = 0; block < blocks && blocks > 1; block++) {
        real bound = real_fma(balls[block].reach_m, length, vec3_dot(balls[block].at_m, direction));
        start = bound > reach ? block : start;
        reach = real_max(bound, reach);
    }
    u32 best = 0;
    real height = -REAL_HUGE;
    for (u32 visit = 0; visit < blocks; visit++) {
        u32 block = visit > start ? visit : visit == 0 ? start : visit - 1;
        real bound = real_fma(balls[block].reach_m, length, vec3_dot(balls[block].at_m, direction));
        if (visit > 0 && bound < height) continue;
        u32 last = u32_min((block + 1) * HULL_BLOCK, count);
        for (u32 i = block * HULL_BLOCK; i < last; i++) {
            real other = vec3_dot(vertices[i].at_m, direction);
            best = other > height ? i : best;
            height = real_max(other, height);
        }
    }
    return best;
}

/// The cell of a hull's map that contains a direction of any length. Without a branch, which would be unpredictable.
/// Rounding below 0 is cut off by the conversion, and NaN ends in the last cell.
FN_SHORT u32 shape_hull_cell(Vec3 u, u32 side) {
    real half_side = 0.5 * (real)side, last = (real)side - 1.0;
    real scale = half_side / (real_abs(u.x) + real_abs(u.y) + real_abs(u.z));
    u32 cell_x = (u32)real_min(real_fma(u.x, scale, half_side), last);
    u32 cell_y = (u32)real_min(real_fma(u.y, scale, half_side), last);
    return ((u.z < 0.0 ? side : 0u) + cell_y) * side + cell_x;
}

FN_SHORT u32 shape_hull_cell_vertex(GLOBAL const unsigned char *cell, u32 k) {
    return (u32)cell[2u * k] | (u32)cell[2u * k + 1u] << 8;
}

// The farthest of four vertices of a cell from k on, of equals the first one.
FN_SHORT u32 shape_hull_cell_farthest(GLOBAL const unsigned char *cell, u32 k, GLOBAL const HullRow *vertices, Vec3 u,
                                      real *height) {
    u32 one = shape_hull_cell_vertex(cell, k), other = shape_hull_cell_vertex(cell, k + 1u);
    u32 third = shape_hull_cell_vertex(cell, k + 2u), last = shape_hull_cell_vertex(cell, k + 3u);
    real on_one = vec3_dot(vertices[one].at_m, u), on_other = vec3_dot(vertices[other].at_m, u);
    real on_third = vec3_dot(vertices[third].at_m, u), on_last = vec3_dot(vertices[last].at_m, u);
    one = on_other > on_one ? other : one;
    on_one = real_max(on_one, on_other);
    third = on_last > on_third ? last : third;
    on_third = real_max(on_third, on_last);
    *height = real_max(on_one, on_third);
    return on_third > on_one ? third : one;
}

FN Vec3 shape_hull_vertex(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, u32 vertex) {
    return vec3_scale(hulls[shape->hull_first + hull_blocks(shape->hull_vertices) + vertex].at_m, shape->size_m[0]);
}

typedef struct HullMap { // rows of a hull
    GLOBAL const HullRow *vertices;
    GLOBAL const unsigned char *cells;
    u32 side; // of the map, in cells; 0: there is none
} HullMap;

FN_SHORT HullMap shape_hull_map(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls) {
    HullMap map;
    u32 count = shape->hull_vertices;
    map.side = hull_map_side(count);
    map.vertices = hulls + (shape->hull_first + hull_blocks(count));
    map.cells = (GLOBAL const unsigned char *)(map.vertices + (count + 2u * (shape->hull_faces + shape->hull_edges)));
    return map;
}

/// Number of the farthest vertex of a hull in a local direction of any length. The map gives the few candidates;
/// climbing from neighbour to neighbour would test more of them, and rounding can stop it short of the true one. hulls:
/// the table of all hulls.
FN_SHORT u32 shape_hull_farthest(const HullMap *map, GLOBAL const Shape *shape, GLOBAL const HullRow *hulls,
                                 Vec3 direction) {
    if (map->side == 0) return shape_hull_search(shape, hulls, direction);
    GLOBAL const unsigned char *cell = map->cells + HULL_CELL_BYTES * shape_hull_cell(direction, map->side);
    u32 end = shape_hull_cell_vertex(cell, HULL_CELL_VERTICES - 1u);
    if (end == HULL_CELL_FULL) return shape_hull_search(shape, hulls, direction);
    real height, other_height;
    u32 best = shape_hull_cell_farthest(cell, 0, map->vertices, direction, &height);
    if (end == shape_hull_cell_vertex(cell, 3)) return best; // at most four
    u32 other = shape_hull_cell_farthest(cell, 4, map->vertices, direction, &other_height);
    return other_height > height ? other : best;
}

FN Vec3 shape_hull_core(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 direction) {
    HullMap map = shape_hull_map(shape, hulls);
    return vec3_scale(map.vertices[shape_hull_farthest(&map, shape, hulls, direction)].at_m, shape->size_m[0]);
}

// Support point of the kinds whose core is not a block; `tolerance`: components of the direction within it count as 0
// and give the middle of a face or edge.
FN Vec3 shape_core_support_of_kind(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 direction,
                                   real tolerance) {
    if (kind_is(shape->kind, SHAPE_HULL)) return shape_hull_core(shape, hulls, direction);
    if (kind_is(shape->kind, SHAPE_ELLIPSOID)) return shape_ellipsoid_core(shape, direction);
    if (kind_is(shape->kind, SHAPE_SUPERQUADRIC)) return shape_superquadric_core(shape, direction);
    if (kind_is(shape->kind, SHAPE_CYLINDER)) return shape_cylinder_core(shape, direction, tolerance);
    if (kind_is(shape->kind, SHAPE_CONE)) return shape_cone_core(shape, direction, tolerance);
    return shape_beam_core(shape, direction, tolerance);
}

/// Is the core of a shape a block: a box, segment or point?
FN u32 shape_core_is_box(GLOBAL const Shape *shape) {
    return BUILD_KINDS >> SHAPE_ELLIPSOID == 0 || shape->kind < SHAPE_ELLIPSOID ? 1u : 0u;
}

/// Kinds without edges and flat faces: solids whose normal determines the surface point, which moves smoothly with it.
FN_SHORT u32 shape_kind_is_smooth(u32 kind) {
    return kind_is(kind, SHAPE_ELLIPSOID) || kind_is(kind, SHAPE_SUPERQUADRIC) ? 1u : 0u;
}

/// Is a core, its ball included, strictly convex, so that it touches any other shape with a single point?
FN_SHORT u32 shape_is_strictly_convex(GLOBAL const Shape *shape) {
    return kind_is(shape->kind, SHAPE_SPHERE) || shape_kind_is_smooth(shape->kind) ? 1u : 0u;
}

/// Has the core of a shape a curved surface?
FN u32 shape_is_curved(GLOBAL const Shape *shape) {
    return shape_core_is_box(shape) == 0 && !kind_is(shape->kind, SHAPE_HULL) ? 1u : 0u;
}

/// Farthest point of the core in a local unit direction; a vertex of boxes, capsules and hulls, the centre of a disc
/// exactly facing the direction. hulls: the table of all hulls. Not for half-spaces.
FN Vec3 shape_core_support(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 direction) {
    if (shape_core_is_box(shape) == 0) return shape_core_support_of_kind(shape, hulls, direction, 0.0);
    Vec3 core_half = shape_core_half_m(shape);
    return vec3_make(core_half.x * shape_sign(direction.x), core_half.y * shape_sign(direction.y),
                     core_half.z * shape_sign(direction.z));
}

/// Farthest point of the shape in a local unit direction, from the shape origin. Not for half-spaces.
FN Vec3 shape_support(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 direction) {
    return vec3_add_scaled(shape_core_support(shape, hulls, direction), direction, shape_ball_radius(shape));
}

// The reference's cone (kernels/geometry/README.md, "The reference"): the top of a frustum shrinks by the base's
// radius, and at the base the height too is divided by the part of the direction across the axis.
FN Vec3 shape_cone_core_compat(GLOBAL const Shape *shape, Vec3 direction) {
    real rho = shape->smoothing_m;
    real radius = shape->size_m[0];
    real length = shape->size_m[1];
    real top_radius = shape->size_m[2];
    real taper = radius - top_radius;
    real slant = real_sqrt(taper * taper + length * length);
    real across = real_sqrt(direction.x * direction.x + direction.y * direction.y);
    Vec3 point;
    if (direction.z * slant >= taper) {
        if (!(top_radius > 0.0)) return vec3_make(0.0, 0.0, length - rho * slant / radius);
        point = shape_rim(direction.x, direction.y, top_radius - rho * (slant - radius) / length,
                          SHAPE_COMPAT_SIGN_TOLERANCE);
        point.z = length - rho;
        return point;
    }
    point = shape_rim(direction.x, direction.y, radius - rho * (slant + radius) / length, SHAPE_COMPAT_SIGN_TOLERANCE);
    point.z = across > SHAPE_COMPAT_SIGN_TOLERANCE ? rho / across : rho;
    return point;
}

// The reference shortens the beam's straight part by the ball's radius too, which makes it 2 rho short.
FN Vec3 shape_core_support_of_kind_compat(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 direction) {
    if (kind_is(shape->kind, SHAPE_CONE)) return shape_cone_core_compat(shape, direction);
    Vec3 core = shape_core_support_of_kind(shape, hulls, direction, SHAPE_COMPAT_SIGN_TOLERANCE);
    if (kind_is(shape->kind, SHAPE_BEAM)) core.z -= shape->smoothing_m * shape_sign_compat(direction.z);
    return core;
}

/// The same with the reference's sign function (kernels/geometry/README.md, "The reference"), for equal final states.
FN Vec3 shape_support_compat(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 direction) {
    if (shape_core_is_box(shape) == 0)
        return vec3_add_scaled(shape_core_support_of_kind_compat(shape, hulls, direction), direction,
                               shape_ball_radius(shape));
    Vec3 core_half = shape_core_half_m(shape);
    Vec3 core = vec3_make(core_half.x * shape_sign_compat(direction.x), core_half.y * shape_sign_compat(direction.y),
                          core_half.z * shape_sign_compat(direction.z));
    return vec3_add_scaled(core, direction, shape_ball_radius(shape));
}

/// Centroid, local axes: where MPR starts. 0 but for cones; a hull's origin is there.
FN Vec3 shape_centroid(GLOBAL const Shape *shape) {
    if (!kind_is(shape->kind, SHAPE_CONE)) return vec3_zero();
    real base = shape->size_m[0];
    real top = shape->size_m[2];
    real height = (base * base + 2.0 * base * top + 3.0 * top * top) / (base * base + base * top + top * top);
    return vec3_make(0.0, 0.0, 0.25 * shape->size_m[1] * height);
}

// Extent of a shape whose core is not a block along a world axis, m: the greater of both directions for cones and
// hulls, which need not be symmetric. axis: in shape axes, unit to rounding.
FN real shape_reach(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 axis) {
    real reach = vec3_dot(shape_core_support_of_kind(shape, hulls, axis, 0.0), axis);
    if (kind_is(shape->kind, SHAPE_CONE) || kind_is(shape->kind, SHAPE_HULL)) {
        Vec3 back = vec3_negate(axis);
        reach = real_max(reach, vec3_dot(shape_core_support_of_kind(shape, hulls, back, 0.0), back));
    }
    return reach + shape_ball_radius(shape);
}

/// Half sizes of the axis-aligned box (world axes, about the shape origin) that holds the shape, m. `turn`: shape to
/// world. Half-space: REAL_HUGE. Right to rounding, so callers add a margin.
FN Vec3 shape_half_extents(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Mat3 turn) {
    if (kind_is(shape->kind, SHAPE_HALF_SPACE)) return vec3_make(REAL_HUGE, REAL_HUGE, REAL_HUGE);
    u32 is_mesh = kind_is(shape->kind, SHAPE_MESH); // a box holds it
    if (!is_mesh && shape_core_is_box(shape) == 0)
        return vec3_make(shape_reach(shape, hulls, turn.x), shape_reach(shape, hulls, turn.y),
                         shape_reach(shape, hulls, turn.z));
    Vec3 core_half =
        is_mesh ? vec3_make(shape->size_m[0], shape->size_m[1], shape->size_m[2]) : shape_core_half_m(shape);
    real ball = is_mesh ? 0.0 : shape_ball_radius(shape);
    return vec3_make(
        real_abs(turn.x.x) * core_half.x + real_abs(turn.x.y) * core_half.y + real_abs(turn.x.z) * core_half.z + ball,
        real_abs(turn.y.x) * core_half.x + real_abs(turn.y.y) * core_half.y + real_abs(turn.y.z) * core_half.z + ball,
        real_abs(turn.z.x) * core_half.x + real_abs(turn.z.y) * core_half.y + real_abs(turn.z.z) * core_half.z + ball);
}

/// Does the rule for radii of contact treat the shape as flat (data/README.md, "Shapes")?
FN u32 shape_is_flat(GLOBAL const Shape *shape) { return (shape->flags & SHAPE_FLAT) != 0 ? 1u : 0u; }

/// The flag of the shapes of a side, numbered from 1.
FN_SHORT u32 shape_side_flag(u32 side) { return 1u << (SHAPE_SIDE_SHIFT - 1u + side); }

/// Do the flags of two shapes match the two sides of SIDES_OF, one each?
FN u32 shape_sides_match(u32 flags_a, u32 flags_b, u32 sides) {
    u32 one = shape_side_flag(sides & 255u), other = shape_side_flag(sides >> 8);
    return (flags_a & one && flags_b & other) || (flags_b & one && flags_a & other) ? 1u : 0u;
}

/// Radius of the ball about the shape origin that holds the finite part of a shape, m; 0 for a half-space. The length
/// that rounding in the narrow phase is relative to.
FN real shape_size_m(GLOBAL const Shape *shape) {
    GLOBAL const real *size = shape->size_m;
    if (kind_is(shape->kind, SHAPE_HALF_SPACE)) return 0.0;
    if (kind_is(shape->kind, SHAPE_HULL) || kind_is(shape->kind, SHAPE_SUPERQUADRIC)) return shape->bound_radius_m;
    if (kind_is(shape->kind, SHAPE_ELLIPSOID)) return shape_max3(shape);
    if (kind_is(shape->kind, SHAPE_CYLINDER)) return real_sqrt(size[0] * size[0] + size[1] * size[1]);
    if (kind_is(shape->kind, SHAPE_CONE)) return real_max(size[0], real_sqrt(size[1] * size[1] + size[2] * size[2]));
    if (kind_is(shape->kind, SHAPE_BEAM)) {
        real reach = size[0] + size[1];
        return real_sqrt(reach * reach + size[2] * size[2]);
    }
    return vec3_length(shape_core_half_m(shape)) + shape_ball_radius(shape);
}

#endif
