// Two cores as one convex body D = core A - core B, in the axes of B: its support points, and the pieces
// its surface is made of (features): straight edges, rims, ellipsoids and the sides of cones.
//
// Every core is a sum: segments along fixed axes (kinks of its support function), a disc, an ellipsoid. A
// cone is the hull of two discs, which its side joins. Source: spec narrow-phase 1.
#ifndef CLACK_CORE_PAIR_H
#define CLACK_CORE_PAIR_H

#include "shape.h"

typedef struct CorePair {
    GLOBAL const Shape *a;
    GLOBAL const Shape *b;
    Mat3 turn;   // A to B
    Vec3 place;  // origin of A in B
    GLOBAL const HullRow *hulls; // the table of all hulls
    real size_m; // sum of both sizes and of their distance: what rounding is relative to
} CorePair;

typedef struct CorePoint { // of D
    Vec3 p;                // a - b
    Vec3 a, b;             // points of the cores, in B
    u32 code_a, code_b;    // which they are: core_code
} CorePoint;

FN CorePair core_pair_make(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b,
                           Vec3 offset, GLOBAL const HullRow *hulls) {
    CorePair pair;
    pair.hulls = hulls;
    pair.a = a;
    pair.b = b;
    // Rows of turn_b^T turn_a.
    Vec3 x = vec3_make(turn_a.x.x, turn_a.y.x, turn_a.z.x); // columns of turn_a
    Vec3 y = vec3_make(turn_a.x.y, turn_a.y.y, turn_a.z.y);
    Vec3 z = vec3_make(turn_a.x.z, turn_a.y.z, turn_a.z.z);
    Vec3 bx = mat3_rotate_back(turn_b, x);
    Vec3 by = mat3_rotate_back(turn_b, y);
    Vec3 bz = mat3_rotate_back(turn_b, z);
    pair.turn.x = vec3_make(bx.x, by.x, bz.x);
    pair.turn.y = vec3_make(bx.y, by.y, bz.y);
    pair.turn.z = vec3_make(bx.z, by.z, bz.z);
    pair.place = vec3_negate(mat3_rotate_back(turn_b, offset));
    pair.size_m = shape_size_m(a) + shape_size_m(b) + vec3_max_abs(offset);
    return pair;
}

// --- features -----------------------------------------------------------------------------------------

#define CORE_SIDE 8u // bit of a cone's side; bits 1, 2, 4: segments along x, y, z

typedef struct CoreSegments { // half lengths along the local axes, m; 0: none
    Vec3 half_m;
    u32 mask;
} CoreSegments;

FN CoreSegments core_segments(GLOBAL const Shape *shape) {
    CoreSegments s;
    real rho = shape->smoothing_m;
    s.half_m = shape_core_half_m(shape);
    if (shape->kind == SHAPE_CYLINDER) s.half_m = vec3_make(0.0, 0.0, shape->size_m[1] - rho);
    if (shape->kind == SHAPE_BEAM) s.half_m = vec3_make(0.0, shape->size_m[2] - rho, shape->size_m[0]);
    s.mask = (s.half_m.x > 0.0 ? 1u : 0u) | (s.half_m.y > 0.0 ? 2u : 0u) | (s.half_m.z > 0.0 ? 4u : 0u);
    return s;
}

/// Whether a cone's support point in a local direction is on its top.
FN u32 core_is_on_top(GLOBAL const Shape *shape, Vec3 u) {
    ShapeFrustum core = shape_cone_core_size(shape);
    real across = real_sqrt(u.x * u.x + u.y * u.y);
    return core.top_radius_m * across + core.top_m * u.z > core.base_radius_m * across + core.base_m * u.z
               ? 1u : 0u;
}

/// Which ends of its segments, which disc of a cone or which vertex of a hull a support point in a local direction
/// uses.
FN u32 core_code(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 u) {
    if (shape->kind == SHAPE_HULL) return shape_hull_farthest(shape, hulls, u);
    if (shape->kind == SHAPE_CONE) return core_is_on_top(shape, u) != 0 ? CORE_SIDE : 0u;
    u32 mask = core_segments(shape).mask;
    return mask & ((u.x < 0.0 ? 1u : 0u) | (u.y < 0.0 ? 2u : 0u) | (u.z < 0.0 ? 4u : 0u));
}

/// Support point of a core in a local unit direction whose code is known.
FN Vec3 core_point(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 u, u32 code) {
    if (shape->kind == SHAPE_HULL) return shape_hull_vertex(shape, hulls, code);
    return shape_core_support(shape, hulls, u);
}

/// Support point of D in the unit direction n.
FN CorePoint core_support(const CorePair *pair, Vec3 n) {
    CorePoint c;
    Vec3 in_a = mat3_rotate_back(pair->turn, n);
    Vec3 in_b = vec3_negate(n);
    c.code_a = core_code(pair->a, pair->hulls, in_a);
    c.code_b = core_code(pair->b, pair->hulls, in_b);
    Vec3 a = core_point(pair->a, pair->hulls, in_a, c.code_a);
    c.a = vec3_add(pair->place, mat3_rotate(pair->turn, a));
    c.b = core_point(pair->b, pair->hulls, in_b, c.code_b);
    c.p = vec3_sub(c.a, c.b);
    return c;
}

// What a core is near a direction when its active segments are taken out: one smooth piece.
typedef struct CorePiece {
    Vec3 point;      // its support point, local axes; of an active cone's side the one on the base
    Vec3 disc_axis;  // unit; of the disc that bends it
    real disc_m;     // radius of that disc; 0: none
    u32 is_ellipsoid;
    // Of an active cone's side.
    Vec3 side;       // from base to top at the direction's azimuth
    real side_sine;  // of the angle between its normals and the base plane
} CorePiece;

/// `active`: bits of segments or CORE_SIDE that are left out of the point.
FN CorePiece core_piece(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 u, u32 active) {
    CorePiece piece;
    piece.disc_axis = vec3_make(0.0, 0.0, 1.0);
    piece.disc_m = 0.0;
    piece.is_ellipsoid = 0;
    piece.side = vec3_zero();
    piece.side_sine = 0.0;
    if (shape->kind == SHAPE_HULL) { // a vertex; its edges and faces are left to GJK
        piece.point = shape_hull_core(shape, hulls, u);
        return piece;
    }
    if (shape->kind == SHAPE_ELLIPSOID) {
        piece.point = shape_ellipsoid_core(shape, u);
        piece.is_ellipsoid = 1;
        return piece;
    }
    if (shape->kind == SHAPE_CONE) {
        ShapeFrustum core = shape_cone_core_size(shape);
        u32 is_top = active == 0 ? core_is_on_top(shape, u) : 0u;
        piece.disc_m = is_top != 0 ? core.top_radius_m : core.base_radius_m;
        piece.point = shape_rim(u.x, u.y, piece.disc_m, 0.0);
        piece.point.z = is_top != 0 ? core.top_m : core.base_m;
        if (active != 0) {
            Vec3 rim = shape_rim(u.x, u.y, core.top_radius_m - core.base_radius_m, 0.0);
            real height = core.top_m - core.base_m;
            real taper = core.base_radius_m - core.top_radius_m;
            piece.side = vec3_make(rim.x, rim.y, height);
            piece.side_sine = taper / real_sqrt(taper * taper + height * height);
        }
        return piece;
    }
    CoreSegments s = core_segments(shape);
    piece.point = vec3_make((active & 1u) != 0 ? 0.0 : s.half_m.x * shape_sign(u.x),
                            (active & 2u) != 0 ? 0.0 : s.half_m.y * shape_sign(u.y),
                            (active & 4u) != 0 ? 0.0 : s.half_m.z * shape_sign(u.z));
    if (shape->kind == SHAPE_CYLINDER) {
        piece.disc_m = shape->size_m[0] - shape->smoothing_m;
        piece.point = vec3_add(piece.point, shape_rim(u.x, u.y, piece.disc_m, 0.0));
    }
    if (shape->kind == SHAPE_BEAM) {
        piece.disc_axis = vec3_make(0.0, 1.0, 0.0);
        piece.disc_m = shape->size_m[1] - shape->smoothing_m;
        Vec3 rim = shape_rim(u.z, u.x, piece.disc_m, 0.0);
        piece.point = vec3_add(piece.point, vec3_make(rim.y, 0.0, rim.x));
    }
    return piece;
}

/// Second derivative of the piece's support function at the unit direction u, applied to v (v.u = 0).
/// `radius_m`: of the disc. Source: spec narrow-phase 1.
FN Vec3 core_curvature(GLOBAL const Shape *shape, CorePiece piece, real radius_m, Vec3 u, Vec3 v) {
    if (piece.is_ellipsoid != 0) {
        Vec3 square = vec3_make(shape->size_m[0] * shape->size_m[0], shape->size_m[1] * shape->size_m[1],
                                shape->size_m[2] * shape->size_m[2]);
        Vec3 eu = vec3_multiply(square, u);
        real h = real_sqrt(vec3_dot(u, eu));
        Vec3 bent = vec3_scale(vec3_multiply(square, v), 1.0 / h);
        bent = vec3_add_scaled(bent, eu, 0.0 - vec3_dot(eu, v) / (h * h * h));
        return vec3_add_scaled(bent, v, 0.0 - shape_ball_radius(shape));
    }
    if (!(radius_m > 0.0)) return vec3_zero();
    Vec3 round = vec3_cross(piece.disc_axis, u);
    real square = vec3_dot(round, round);
    if (!(square > 0.0)) return vec3_zero();
    return vec3_scale(round, radius_m * vec3_dot(round, v) / (square * real_sqrt(square)));
}

#endif
