// The contacts of two solids with flat faces (boxes and hulls, and capsules on them): every vertex of each against the
// other, and every two edges where they cross.
//
// A vertex is a ball of the smoothing radius against the other's core. Two edges have a contact if their common
// perpendicular intersects both between their ends and points out of both solids. Their overlap fades towards the ends,
// where a vertex takes over, with the angle at which they cross, and beyond the solids' normals, so that forces are
// continuous in the pose. Cylinders have a side that counts as an edge for others (manifold_points.h).
// kernels/geometry/README.md, "Several contacts of one pair".
#ifndef CLACK_GEOMETRY_MANIFOLD_PAIR_H
#define CLACK_GEOMETRY_MANIFOLD_PAIR_H

#include "model/narrow_types.h"
#include "geometry/manifold.h"
#include "geometry/point_core.h"
#include "geometry/point_hull.h"
#include "geometry/shape.h"

#define MANIFOLD_BOX_EDGES 12u
#define MANIFOLD_PARALLEL 1.0e-12 // sine: edges without a common perpendicular
#define MANIFOLD_CORES_FADE 8.0   // overlap per length that the cores are apart
#define MANIFOLD_OUTWARD 0.1      // sine: normals farther beyond those of an edge give no contact

/// Has a solid flat faces only, with rounded edges? Sharp ones have single contacts: their cores overlap as soon as
/// they touch, and then it is not known which edges cross.
FN u32 manifold_has_faces(GLOBAL const Shape *shape) {
    if (kind_is(shape->kind, SHAPE_HULL)) return shape->hull_edges > 0 ? 1u : 0u;
    return kind_is(shape->kind, SHAPE_BOX) && shape_ball_radius(shape) > 0.0 ? 1u : 0u;
}

/// Do two solids have contacts at vertices and at crossing edges?
FN u32 manifold_is_pair(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    u32 faces = manifold_has_faces(a) + manifold_has_faces(b);
    if (faces == 0) return 0;
    return faces == 2u || (shape_ball_radius(a) > 0.0 && shape_ball_radius(b) > 0.0 &&
                           (kind_is(a->kind, SHAPE_CAPSULE) || kind_is(b->kind, SHAPE_CAPSULE)))
               ? 1u
               : 0u;
}

/// Number of straight edges. The side of a capsule or a cylinder counts as one, at its axis.
FN u32 manifold_edges(GLOBAL const Shape *shape) {
    if (kind_is(shape->kind, SHAPE_HULL)) return shape->hull_edges;
    if (kind_is(shape->kind, SHAPE_BOX)) return MANIFOLD_BOX_EDGES;
    return kind_is(shape->kind, SHAPE_CAPSULE) || kind_is(shape->kind, SHAPE_CYLINDER) ? 1u : 0u;
}

/// How far the surface is from such an edge.
FN real manifold_edge_ball(GLOBAL const Shape *shape) {
    return kind_is(shape->kind, SHAPE_CYLINDER) ? shape->size_m[0] : shape_ball_radius(shape);
}

/// Number of contacts of two solids; 1: only their nearest points.
FN u32 manifold_pair_count(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    if (manifold_is_pair(a, b) == 0) return 1;
    return manifold_count(a) + manifold_count(b) + manifold_edges(a) * manifold_edges(b);
}

typedef struct ManifoldEdge {
    Vec3 centre, axis; // axis: unit
    real half_m;
    Vec3 face1, face2; // limits of its normals, which have components >= 0 along both; 0 for a capsule, which has none
} ManifoldEdge;

FN ManifoldEdge manifold_hull_edge(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Mat3 turn, u32 index) {
    GLOBAL const HullRow *row = hull_edge_rows(shape, hulls) + 2u * index;
    ManifoldEdge edge;
    Vec3 first = shape_hull_vertex(shape, hulls, (u32)row[0].reach_m);
    Vec3 last = shape_hull_vertex(shape, hulls, (u32)row[1].reach_m);
    Vec3 reach = vec3_scale(vec3_sub(last, first), 0.5);
    edge.half_m = vec3_length(reach);
    edge.axis = mat3_rotate(turn, vec3_scale(reach, 1.0 / edge.half_m));
    edge.centre = mat3_rotate(turn, vec3_add(first, reach));
    edge.face1 = mat3_rotate(turn, row[0].at_m);
    edge.face2 = mat3_rotate(turn, row[1].at_m);
    return edge;
}

/// Edge `index` of a core, relative to the shape's origin, world axes. Of a box: index / 4 is its axis, bits 0
/// and 1 say on which side of the next two axes it lies.
FN ManifoldEdge manifold_edge(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Mat3 turn, u32 index) {
    if (kind_is(shape->kind, SHAPE_HULL)) return manifold_hull_edge(shape, hulls, turn, index);
    ManifoldEdge edge;
    Vec3 half_m = shape_core_half_m(shape);
    u32 axis = kind_is(shape->kind, SHAPE_BOX) ? index / 4u : 2u;
    edge.axis = mat3_column(turn, axis);
    edge.half_m =
        kind_is(shape->kind, SHAPE_CYLINDER) ? shape->size_m[1] - shape->smoothing_m : vec3_component(half_m, axis);
    edge.centre = edge.face1 = edge.face2 = vec3_zero();
    if (!kind_is(shape->kind, SHAPE_BOX)) return edge;
    u32 next = (axis + 1u) % 3u;
    u32 last = (axis + 2u) % 3u;
    edge.face1 = vec3_scale(mat3_column(turn, next), (index & 1u) != 0 ? 1.0 : -1.0);
    edge.face2 = vec3_scale(mat3_column(turn, last), (index & 2u) != 0 ? 1.0 : -1.0);
    edge.centre =
        vec3_add_scaled(vec3_scale(edge.face1, vec3_component(half_m, next)), edge.face2, vec3_component(half_m, last));
    return edge;
}

// By how much n points out of an edge beyond its faces' normals, as a sine: > 0 between them.
FN real manifold_outward(ManifoldEdge edge, Vec3 n) {
    if (!(vec3_dot(edge.face1, edge.face1) > 0.0)) return 1.0;
    return real_min(vec3_dot(edge.face1, n), vec3_dot(edge.face2, n));
}

FN NarrowResult manifold_empty(Vec3 normal) {
    NarrowResult r;
    r.distance_m = MANIFOLD_EMPTY_M;
    r.error_m = 0.0;
    r.normal = normal;
    r.point_a = r.point_b = r.to_nearest_m = vec3_zero();
    r.status = NARROW_OK;
    r.iterations = 0;
    return r;
}

/// A point of the core of A (A's axes) against B.
FN NarrowResult manifold_vertex(const SolidPair *pair, Vec3 point) {
    Vec3 vertex = mat3_rotate(pair->turn_a, point); // from A's origin
    Vec3 p = mat3_rotate_back(pair->turn_b, vec3_sub(vertex, pair->offset_m));
    PointToCore to = point_to_solid(pair->b, pair->hulls, p);
    real ball_a = shape_ball_radius(pair->a);
    real ball_b = shape_ball_radius(pair->b);
    NarrowResult r;
    r.status = NARROW_OK;
    r.to_nearest_m = vec3_zero();
    r.normal = vec3_negate(mat3_rotate(pair->turn_b, to.direction));
    r.distance_m = to.distance_m - ball_a - ball_b;
    r.error_m = NARROW_ROUNDING * (vec3_max_abs(pair->offset_m) + shape_size_m(pair->a) + shape_size_m(pair->b));
    r.point_a = vec3_add_scaled(vertex, r.normal, ball_a);
    r.point_b = mat3_rotate(pair->turn_b, vec3_add_scaled(p, to.direction, ball_b - to.distance_m));
    r.iterations = 0;
    return r;
}

// Two edges, one of each solid: by their number, B's index faster.
typedef struct ManifoldEdges {
    u32 a, b;
} ManifoldEdges;

FN ManifoldEdges manifold_edges_of(const SolidPair *pair, u32 crossing) {
    u32 edges_b = manifold_edges(pair->b);
    ManifoldEdges edges;
    edges.a = edges_b > 0 ? crossing / edges_b : 0u;
    edges.b = crossing - edges_b * edges.a;
    return edges;
}

// Condition that limits the overlap of two crossing edges.
#define MANIFOLD_BY_BALLS 0u
#define MANIFOLD_BY_CORES 1u
#define MANIFOLD_BY_END_A 2u
#define MANIFOLD_BY_END_B 3u
#define MANIFOLD_BY_ANGLE 4u
#define MANIFOLD_BY_NORMAL_A 5u
#define MANIFOLD_BY_NORMAL_B 6u

typedef struct ManifoldCross { // two edges, where their lines are nearest
    ManifoldEdge a, b;
    Vec3 n;                    // out of A and into B; 0: parallel
    Vec3 across;               // a.axis x b.axis
    real apart_m;              // from line to line along n
    real along_a_m, along_b_m; // from the middles of the edges
    real overlap_m;
    real least_m; // lesser half length: overlap per unit of an angle
    u32 limit;    // MANIFOLD_BY_*
} ManifoldCross;

FN void manifold_limit(ManifoldCross *cross, real overlap_m, u32 limit) {
    if (!(overlap_m < cross->overlap_m)) return;
    cross->overlap_m = overlap_m;
    cross->limit = limit;
}

/// Overlaps in metres: between the lines, and by each condition. If cores overlap (deeper than the balls reach), their
/// edges have no contact.
FN void manifold_overlap(ManifoldCross *cross, real balls_m, real sine) {
    cross->overlap_m = balls_m - cross->apart_m;
    cross->limit = MANIFOLD_BY_BALLS;
    manifold_limit(cross, MANIFOLD_CORES_FADE * cross->apart_m, MANIFOLD_BY_CORES);
    manifold_limit(cross, cross->a.half_m - real_abs(cross->along_a_m), MANIFOLD_BY_END_A);
    manifold_limit(cross, cross->b.half_m - real_abs(cross->along_b_m), MANIFOLD_BY_END_B);
    manifold_limit(cross, sine * cross->least_m, MANIFOLD_BY_ANGLE);
    manifold_limit(cross, (MANIFOLD_OUTWARD + manifold_outward(COPY(cross->a), COPY(cross->n))) * cross->least_m,
                   MANIFOLD_BY_NORMAL_A);
    manifold_limit(cross, (MANIFOLD_OUTWARD + manifold_outward(COPY(cross->b), vec3_negate(cross->n))) * cross->least_m,
                   MANIFOLD_BY_NORMAL_B);
}

FN ManifoldCross manifold_cross(const SolidPair *pair, u32 crossing) {
    ManifoldEdges edges = manifold_edges_of(pair, crossing);
    ManifoldCross cross;
    cross.a = manifold_edge(pair->a, pair->hulls, COPY(pair->turn_a), edges.a);
    cross.b = manifold_edge(pair->b, pair->hulls, COPY(pair->turn_b), edges.b);
    cross.across = vec3_cross(cross.a.axis, cross.b.axis);
    cross.n = vec3_zero();
    // Initialised on all paths: see ROLLED.
    cross.along_a_m = cross.along_b_m = cross.apart_m = cross.overlap_m = cross.least_m = 0.0;
    cross.limit = MANIFOLD_BY_BALLS;
    real square = vec3_dot(cross.across, cross.across);
    if (!(square > MANIFOLD_PARALLEL * MANIFOLD_PARALLEL)) return cross;
    real sine = real_sqrt(square);
    cross.n = vec3_scale(cross.across, 1.0 / sine);
    // Out of A and into B: by the faces, or of two sides by where they are.
    Vec3 between = vec3_sub(vec3_add(pair->offset_m, cross.b.centre), cross.a.centre);
    Vec3 out = vec3_sub(vec3_add(cross.a.face1, cross.a.face2), vec3_add(cross.b.face1, cross.b.face2));
    if (!(vec3_dot(out, out) > 0.0)) out = between;
    if (vec3_dot(out, cross.n) < 0.0) cross.n = vec3_negate(cross.n);
    cross.along_a_m = vec3_dot(vec3_cross(between, cross.b.axis), cross.across) / square;
    cross.along_b_m = vec3_dot(vec3_cross(between, cross.a.axis), cross.across) / square;
    cross.apart_m = vec3_dot(between, cross.n);
    cross.least_m = real_min(cross.a.half_m, cross.b.half_m);
    manifold_overlap(&cross, manifold_edge_ball(pair->a) + manifold_edge_ball(pair->b), sine);
    return cross;
}

/// Two edges where they cross.
FN NarrowResult manifold_crossing(const SolidPair *pair, u32 crossing) {
    ManifoldCross cross = manifold_cross(pair, crossing);
    if (!(vec3_dot(cross.n, cross.n) > 0.0)) return manifold_empty(cross.a.axis);
    NarrowResult r;
    r.status = NARROW_OK;
    r.to_nearest_m = vec3_zero();
    r.normal = cross.n;
    r.distance_m = 0.0 - cross.overlap_m;
    r.error_m = NARROW_ROUNDING * (vec3_max_abs(pair->offset_m) + shape_size_m(pair->a) + shape_size_m(pair->b));
    Vec3 on_a = vec3_add_scaled(cross.a.centre, cross.a.axis, cross.along_a_m);
    Vec3 on_b = vec3_add_scaled(cross.b.centre, cross.b.axis, cross.along_b_m);
    r.point_a = vec3_add_scaled(on_a, cross.n, manifold_edge_ball(pair->a));
    r.point_b = vec3_add_scaled(on_b, cross.n, 0.0 - manifold_edge_ball(pair->b));
    r.iterations = 0;
    return r;
}

/// One contact of two solids that have several: first the vertices of A, then those of B, then the pairs of edges, B's
/// index faster.
FN_ONCE NarrowResult manifold_pair(const SolidPair *pair, u32 feature) {
    u32 of_a = manifold_count(pair->a);
    u32 of_b = manifold_count(pair->b);
    if (feature < of_a) return manifold_vertex(pair, manifold_point(pair->a, pair->hulls, feature, vec3_zero()));
    if (feature < of_a + of_b) {
        SolidPair swapped = solid_pair_swapped(pair);
        Vec3 vertex = manifold_point(pair->b, pair->hulls, feature - of_a, vec3_zero());
        return narrow_swap(manifold_vertex(&swapped, vertex));
    }
    return manifold_crossing(pair, feature - of_a - of_b);
}

/// Is the gap > 0 of two edges, `r` of manifold_crossing, a distance of the solids? It is if their points are the
/// nearest ones, otherwise it only measures how far they are from crossing.
FN u32 manifold_crossing_is_distance(const SolidPair *pair, u32 crossing, NarrowResult r) {
    if (r.distance_m == MANIFOLD_EMPTY_M) return 0;
    ManifoldEdges edges = manifold_edges_of(pair, crossing);
    ManifoldEdge e = manifold_edge(pair->a, pair->hulls, COPY(pair->turn_a), edges.a);
    ManifoldEdge f = manifold_edge(pair->b, pair->hulls, COPY(pair->turn_b), edges.b);
    Vec3 on_e = vec3_add_scaled(r.point_a, r.normal, 0.0 - manifold_edge_ball(pair->a));
    Vec3 on_f = vec3_add_scaled(r.point_b, r.normal, manifold_edge_ball(pair->b));
    if (real_abs(vec3_dot(vec3_sub(on_e, e.centre), e.axis)) > e.half_m) return 0;
    if (real_abs(vec3_dot(vec3_sub(on_f, f.centre), f.axis)) > f.half_m) return 0;
    if (manifold_outward(e, r.normal) < 0.0 || manifold_outward(f, vec3_negate(r.normal)) < 0.0) return 0;
    return vec3_dot(vec3_add(pair->offset_m, vec3_sub(on_f, on_e)), r.normal) > 0.0 ? 1u : 0u;
}

/// Lower bound of the gap of two edges after both solids have moved by up to `margin_m` together: they may begin to
/// cross, but not before they touch.
FN_WAY real manifold_crossing_bound(const SolidPair *pair, u32 crossing, real margin_m) {
    ManifoldEdges edges = manifold_edges_of(pair, crossing);
    ManifoldEdge e = manifold_edge(pair->a, pair->hulls, COPY(pair->turn_a), edges.a);
    ManifoldEdge f = manifold_edge(pair->b, pair->hulls, COPY(pair->turn_b), edges.b);
    // Balls about the middles of both: cheap, and far edges are most of them.
    real apart = vec3_length(vec3_sub(vec3_add(pair->offset_m, f.centre), e.centre));
    real near_m = manifold_edge_ball(pair->a) + manifold_edge_ball(pair->b) + margin_m;
    if (apart - e.half_m - f.half_m > near_m) return apart - e.half_m - f.half_m - near_m;
    real gap = manifold_crossing(pair, crossing).distance_m;
    if (gap <= 0.0) return gap - margin_m;
    Vec3 across = vec3_cross(e.axis, f.axis);
    real sine = vec3_length(across);
    if (!(sine > 0.5)) return 0.0 - margin_m; // nearly parallel: listed, whatever their common perpendicular
    return real_abs(vec3_dot(vec3_sub(vec3_add(pair->offset_m, f.centre), e.centre), across)) / sine - near_m;
}

/// The same of a contact of manifold_pair: a vertex comes nearer by at most its motion.
FN_WAY real manifold_pair_bound(const SolidPair *pair, u32 feature, real margin_m) {
    u32 vertices = manifold_count(pair->a) + manifold_count(pair->b);
    if (feature < vertices) return manifold_pair(pair, feature).distance_m - margin_m;
    return manifold_crossing_bound(pair, feature - vertices, margin_m);
}

#endif
