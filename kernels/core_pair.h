// Two cores as one convex body D = core A - core B, in the axes of B: its support points, and the pieces
// its surface is made of (features): straight edges, rims, ellipsoids and the sides of cones.
//
// Every core is a sum: segments along fixed axes (kinks of its support function), a disc, an ellipsoid. A
// cone is the hull of two discs, which its side joins. Source: spec narrow-phase 1.
#ifndef CLACK_CORE_PAIR_H
#define CLACK_CORE_PAIR_H

#include "shape.h"

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

// A core with all that does not depend on a direction: searches ask for many of its points.
typedef struct Core {
    GLOBAL const Shape *shape;
    GLOBAL const HullRow *hulls; // the table of all hulls
    CoreSegments segments; // half_m of an ellipsoid: its semi-axes; mask of a cone: CORE_SIDE
    real disc_m;           // radius of its disc: of a cone's base
    real top_m;            // radius of a cone's top
    real base_z_m, top_z_m; // heights of a cone's ends
    real ball_m;           // radius of the ball that makes it the shape
    u32 kind;
} Core;

FN Core core_make(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls) {
    Core core;
    core.shape = shape;
    core.hulls = hulls;
    core.kind = shape->kind;
    core.segments = core_segments(shape);
    core.ball_m = shape_ball_radius(shape);
    core.disc_m = core.top_m = core.base_z_m = core.top_z_m = 0.0;
    if (core.kind == SHAPE_ELLIPSOID)
        core.segments.half_m = vec3_make(shape->size_m[0], shape->size_m[1], shape->size_m[2]);
    if (core.kind == SHAPE_CYLINDER) core.disc_m = shape->size_m[0] - core.ball_m;
    if (core.kind == SHAPE_BEAM) core.disc_m = shape->size_m[1] - core.ball_m;
    if (core.kind == SHAPE_CONE) {
        ShapeFrustum frustum = shape_cone_core_size(shape);
        core.segments.mask = CORE_SIDE;
        core.disc_m = frustum.base_radius_m;
        core.top_m = frustum.top_radius_m;
        core.base_z_m = frustum.base_m;
        core.top_z_m = frustum.top_m;
    }
    return core;
}

/// Whether a core has a curved surface.
FN_SHORT u32 core_is_curved(const Core *core) { return core->kind >= SHAPE_ELLIPSOID && core->kind != SHAPE_HULL ? 1u : 0u; }

// What a core is near a direction when its active segments are taken out: one smooth piece.
typedef struct CorePiece {
    Vec3 point;  // its support point, local axes; of an active cone's side the one on the base
    u32 code;    // which ends of its segments, which disc of a cone or which vertex of a hull that is
    real disc_m; // radius of the disc that bends it; 0: none
} CorePiece;

// (x, y) at the given length; the centre for a direction that is 0.
FN_SHORT Vec3 core_rim(real x, real y, real radius) {
    real square = x * x + y * y;
    real s = square > 0.0 ? radius / real_sqrt(square) : 0.0;
    return vec3_make(x * s, y * s, 0.0);
}

/// Ellipsoid less its ball.
FN_SHORT Vec3 core_ellipsoid_point(const Core *core, Vec3 u) {
    Vec3 extent = core->segments.half_m;
    Vec3 scaled = vec3_multiply(extent, u);
    real square = vec3_dot(scaled, scaled);
    if (!(square > 0.0)) return vec3_zero();
    Vec3 point = vec3_scale(vec3_multiply(extent, scaled), 1.0 / real_sqrt(square));
    return vec3_add_scaled(point, u, 0.0 - core->ball_m / vec3_length(u));
}

/// Support point of a core in a local direction of any length. `active`: bits of segments or CORE_SIDE that are left out.
FN_SHORT CorePiece core_piece(const Core *core, Vec3 u, u32 active) {
    CorePiece piece;
    piece.code = 0;
    piece.disc_m = core->disc_m;
    if (core->kind == SHAPE_HULL) {
        piece.code = shape_hull_farthest(core->shape, core->hulls, u);
        piece.point = shape_hull_vertex(core->shape, core->hulls, piece.code);
        return piece;
    }
    if (core->kind == SHAPE_ELLIPSOID) {
        piece.point = core_ellipsoid_point(core, u);
        return piece;
    }
    if (core->kind == SHAPE_CONE) {
        real across = real_sqrt(u.x * u.x + u.y * u.y);
        u32 is_top = core->top_m * across + core->top_z_m * u.z > core->disc_m * across + core->base_z_m * u.z ? 1u : 0u;
        piece.code = is_top != 0 ? CORE_SIDE : 0u;
        is_top &= active == 0 ? 1u : 0u;
        piece.disc_m = is_top != 0 ? core->top_m : core->disc_m;
        piece.point = core_rim(u.x, u.y, piece.disc_m);
        piece.point.z = is_top != 0 ? core->top_z_m : core->base_z_m;
        return piece;
    }
    Vec3 extent = core->segments.half_m;
    piece.code = core->segments.mask & ((u.x < 0.0 ? 1u : 0u) | (u.y < 0.0 ? 2u : 0u) | (u.z < 0.0 ? 4u : 0u));
    piece.point = vec3_make((active & 1u) != 0 ? 0.0 : extent.x * shape_sign(u.x),
                            (active & 2u) != 0 ? 0.0 : extent.y * shape_sign(u.y),
                            (active & 4u) != 0 ? 0.0 : extent.z * shape_sign(u.z));
    if (core->kind == SHAPE_CYLINDER) piece.point = vec3_add(piece.point, core_rim(u.x, u.y, core->disc_m));
    if (core->kind == SHAPE_BEAM) {
        Vec3 rim = core_rim(u.z, u.x, core->disc_m);
        piece.point = vec3_add(piece.point, vec3_make(rim.y, 0.0, rim.x));
    }
    return piece;
}

/// From the base to the top of a cone's side at the azimuth of a direction, local axes.
FN Vec3 core_side(const Core *core, Vec3 u) {
    Vec3 side = core_rim(u.x, u.y, core->top_m - core->disc_m);
    side.z = core->top_z_m - core->base_z_m;
    return side;
}

/// Sine of the angle between the normals of a cone's side and its base plane.
FN real core_side_sine(const Core *core) {
    real taper = core->disc_m - core->top_m;
    real height = core->top_z_m - core->base_z_m;
    return taper / real_sqrt(taper * taper + height * height);
}

/// Axis of the disc that bends a core.
FN_SHORT Vec3 core_disc_axis(const Core *core) {
    return core->kind == SHAPE_BEAM ? vec3_make(0.0, 1.0, 0.0) : vec3_make(0.0, 0.0, 1.0);
}

/// Second derivative of the piece's support function at the unit direction u, applied to v (v.u = 0).
/// `radius_m`: of its disc. Source: spec narrow-phase 1.
FN Vec3 core_curvature(const Core *core, real radius_m, Vec3 u, Vec3 v) {
    if (core->kind == SHAPE_ELLIPSOID) {
        Vec3 square = vec3_multiply(core->segments.half_m, core->segments.half_m);
        Vec3 eu = vec3_multiply(square, u);
        real h = 1.0 / real_sqrt(vec3_dot(u, eu));
        Vec3 bent = vec3_scale(vec3_multiply(square, v), h);
        bent = vec3_add_scaled(bent, eu, 0.0 - vec3_dot(eu, v) * (h * h * h));
        return vec3_add_scaled(bent, v, 0.0 - core->ball_m);
    }
    if (!(radius_m > 0.0)) return vec3_zero();
    Vec3 round = vec3_cross(core_disc_axis(core), u);
    real square = vec3_dot(round, round);
    if (!(square > 0.0)) return vec3_zero();
    return vec3_scale(round, radius_m * vec3_dot(round, v) / (square * real_sqrt(square)));
}

// --- pairs ------------------------------------------------------------------------------------------

typedef struct CorePair {
    Core a, b;
    Mat3 turn;   // A to B
    Vec3 place;  // origin of A in B
    real sizes_m; // sum of both sizes
    real size_m;  // the same and their distance: what rounding is relative to
} CorePair;

typedef struct CorePoint { // of D
    Vec3 p;             // a - b
    Vec3 b;             // point of core B, in B
    u32 code_a, code_b; // which they are
} CorePoint;

FN CorePair core_pair_make(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b,
                           Vec3 offset, GLOBAL const HullRow *hulls) {
    CorePair pair;
    pair.a = core_make(a, hulls);
    pair.b = core_make(b, hulls);
    // Rows of turn_b^T turn_a.
    Vec3 bx = mat3_rotate_back(turn_b, mat3_column(turn_a, 0));
    Vec3 by = mat3_rotate_back(turn_b, mat3_column(turn_a, 1));
    Vec3 bz = mat3_rotate_back(turn_b, mat3_column(turn_a, 2));
    pair.turn.x = vec3_make(bx.x, by.x, bz.x);
    pair.turn.y = vec3_make(bx.y, by.y, bz.y);
    pair.turn.z = vec3_make(bx.z, by.z, bz.z);
    pair.place = vec3_negate(mat3_rotate_back(turn_b, offset));
    pair.sizes_m = shape_size_m(a) + shape_size_m(b);
    pair.size_m = pair.sizes_m + vec3_max_abs(offset);
    return pair;
}

/// The difference of the centroids: a point inside D.
FN Vec3 core_centre(const CorePair *pair) {
    Vec3 a = vec3_add(pair->place, mat3_rotate(pair->turn, shape_centroid(pair->a.shape)));
    return vec3_sub(a, shape_centroid(pair->b.shape));
}

/// Support point of D in the direction n, of any length.
FN CorePoint core_support(const CorePair *pair, Vec3 n) {
    CorePoint c;
    CorePiece a = core_piece(&pair->a, mat3_rotate_back(pair->turn, n), 0);
    CorePiece b = core_piece(&pair->b, vec3_negate(n), 0);
    c.b = b.point;
    c.p = vec3_sub(vec3_add(pair->place, mat3_rotate(pair->turn, a.point)), b.point);
    c.code_a = a.code;
    c.code_b = b.code;
    return c;
}

#endif
