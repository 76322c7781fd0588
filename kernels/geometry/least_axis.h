// Separating axes: of the axes of two shapes and their common perpendiculars, the one along which D ends nearest to the
// origin. For two blocks (boxes, segments) these 15 include the normals of all faces of D, so that for overlapping
// blocks it is the answer, and for most that nearly touch as well; for other shapes it is a good start. Source: S.
// Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996 (the axes).
#ifndef CLACK_GEOMETRY_LEAST_AXIS_H
#define CLACK_GEOMETRY_LEAST_AXIS_H

#include "geometry/core_pair.h"
#include "geometry/feature.h"
#include "geometry/mpr.h"
#include "geometry/shape.h"

#define LEAST_AXES 15u                // three of A, three of B, then those of A x those of B, B's index faster
#define LEAST_PARALLEL_SQUARE 1.0e-16 // of the sine between edges without a usable common perpendicular

typedef struct LeastAxis {
    Vec3 n;               // from A to B, in B
    real h;               // extent of D along it, m
    u32 edges_a, edges_b; // edges at right angles to it
} LeastAxis;

/// Axis of a number, in B, of length 1 or the sine between two axes, of either sign. turn: A to B.
FN Vec3 least_direction(const Mat3 *turn, u32 axis) {
    Mat3 turn_b = mat3_identity();
    if (axis < 6) return mat3_column(axis < 3 ? *turn : turn_b, axis % 3u);
    return vec3_cross(mat3_column(*turn, axis / 3u - 2u), mat3_column(turn_b, axis % 3u));
}

// Segments at right angles to the axis.
FN_SHORT void least_edges(LeastAxis *least, u32 axis) {
    least->edges_a = axis < 3 ? 7u & ~(1u << axis) : axis > 5 ? 1u << (axis / 3u - 2u) : 0u;
    least->edges_b = axis > 5 ? 1u << axis % 3u : axis > 2 ? 7u & ~(1u << axis % 3u) : 0u;
}

/// Does D reach at least as far along n as `most`, by known points of it?
FN_SHORT u32 least_is_farther(const MprPortal *portal, Vec3 n, real most) {
    return vec3_dot(portal->centre, n) >= most || vec3_dot(portal->r1.p, n) >= most ||
                   vec3_dot(portal->r2.p, n) >= most || vec3_dot(portal->r3.p, n) >= most
               ? 1u
               : 0u;
}

/// For any pair the axis along which D ends nearer to the origin than `least->h`. `known`: points of D.
FN void least_axis(const CorePair *pair, const MprPortal *known, LeastAxis *least) {
    u32 kind_a = pair->a.kind, kind_b = pair->b.kind;
    u32 is_alike = !kind_is(kind_a, SHAPE_CONE) && !kind_is(kind_a, SHAPE_HULL) && !kind_is(kind_b, SHAPE_CONE) &&
                           !kind_is(kind_b, SHAPE_HULL)
                       ? 1u
                       : 0u;
    for (u32 i = 0; i < LEAST_AXES; i++) {
        Vec3 axis = least_direction(&pair->turn, i);
        real square = vec3_dot(axis, axis);
        if (!(square > LEAST_PARALLEL_SQUARE)) continue;
        real per_length = 1.0 / real_sqrt(square);
        Vec3 n = vec3_scale(axis, vec3_dot(axis, pair->place) > 0.0 ? 0.0 - per_length : per_length);
        for (u32 side = is_alike; side < 2; side++) { // symmetric cores reach less far on the side away from A
            real h = least_is_farther(known, n, least->h) == 0 ? vec3_dot(core_pair_support_call(pair, n, 1.0).p, n)
                                                               : REAL_HUGE;
            if (h < least->h) {
                least->n = n;
                least->h = h;
                least_edges(least, i);
            }
            n = vec3_negate(n);
        }
    }
}

// --- blocks -----------------------------------------------------------------------------------------

FN_SHORT u32 least_is_blocks(const CorePair *pair) {
    return shape_core_is_box(pair->a.shape) & shape_core_is_box(pair->b.shape);
}

typedef struct LeastBlocks { // the best axis so far
    real height;             // extent of D along it, times its length
    real square;             // of its length
    u32 axis;
} LeastBlocks;

// Heights are compared by their signed squares: no root, no branch.
FN_SHORT void least_try(LeastBlocks *least, real height, real square, u32 axis) {
    u32 is_less =
        height * real_abs(height) * least->square < least->height * real_abs(least->height) * square ? 1u : 0u;
    is_less &= square > LEAST_PARALLEL_SQUARE ? 1u : 0u;
    least->axis = is_less != 0 ? axis : least->axis;
    least->height = is_less != 0 ? height : least->height;
    least->square = is_less != 0 ? square : least->square;
}

FN_SHORT Vec3 least_abs(Vec3 a) { return vec3_make(real_abs(a.x), real_abs(a.y), real_abs(a.z)); }

/// The edge `a` of A with each edge e of B. reach: of A along a x e. half_b: half lengths of B.
FN_SHORT void least_try_edges(LeastBlocks *least, Vec3 a, Vec3 reach, Vec3 half_b, Vec3 place, u32 axis) {
    Vec3 away = least_abs(vec3_cross(place, a)), on = least_abs(a), square = vec3_multiply(a, a);
    least_try(least, reach.x + half_b.y * on.z + half_b.z * on.y - away.x, square.y + square.z, axis);
    least_try(least, reach.y + half_b.x * on.z + half_b.z * on.x - away.y, square.x + square.z, axis + 1u);
    least_try(least, reach.z + half_b.x * on.y + half_b.y * on.x - away.z, square.x + square.y, axis + 2u);
}

/// The least axis of the cores of two blocks. turn, place: of A in B.
FN void least_axis_of_blocks(Vec3 half_a, Vec3 half_b, const Mat3 *turn, Vec3 place, LeastAxis *least) {
    Vec3 x = mat3_column(*turn, 0), y = mat3_column(*turn, 1), z = mat3_column(*turn, 2);
    Vec3 of_x = least_abs(x), of_y = least_abs(y), of_z = least_abs(z);
    Vec3 reach =
        vec3_add_scaled(vec3_add_scaled(vec3_scale(of_x, half_a.x), of_y, half_a.y), of_z, half_a.z); // of A along B's
    LeastBlocks best;
    best.height = half_a.x + vec3_dot(of_x, half_b) - real_abs(vec3_dot(x, place));
    best.square = 1.0;
    best.axis = 0;
    least_try(&best, half_a.y + vec3_dot(of_y, half_b) - real_abs(vec3_dot(y, place)), 1.0, 1);
    least_try(&best, half_a.z + vec3_dot(of_z, half_b) - real_abs(vec3_dot(z, place)), 1.0, 2);
    least_try(&best, reach.x + half_b.x - real_abs(place.x), 1.0, 3);
    least_try(&best, reach.y + half_b.y - real_abs(place.y), 1.0, 4);
    least_try(&best, reach.z + half_b.z - real_abs(place.z), 1.0, 5);
    least_try_edges(&best, x, vec3_add_scaled(vec3_scale(of_z, half_a.y), of_y, half_a.z), half_b, place, 6);
    least_try_edges(&best, y, vec3_add_scaled(vec3_scale(of_z, half_a.x), of_x, half_a.z), half_b, place, 9);
    least_try_edges(&best, z, vec3_add_scaled(vec3_scale(of_y, half_a.x), of_x, half_a.y), half_b, place, 12);
    Vec3 n = least_direction(turn, best.axis);
    real per_length = 1.0 / real_sqrt(best.square);
    least->n = vec3_scale(n, vec3_dot(n, place) > 0.0 ? 0.0 - per_length : per_length);
    least->h = best.height * per_length;
    least_edges(least, best.axis);
}

// Codes of the touching features if edges of the given bits are at right angles to the normal.
FN FeatureCodes least_codes(u32 code, u32 edges) {
    FeatureCodes codes;
    codes.first = codes.third = code;
    codes.second = code ^ edges;
    return codes;
}

#endif
