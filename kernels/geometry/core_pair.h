// Two cores as one convex body D = core A - core B, in the axes of B: its support points, and the pieces
// its surface is made of (features): straight edges, rims, ellipsoids, superquadrics and the sides of cones. A core is
// a shape less the ball that rounds it (shape.h).
//
// Every core is a sum: segments along fixed axes (kinks of its support function), a disc, an ellipsoid or superquadric.
// So the core of a box is three segments, that of a cylinder a segment and a disc, that of a beam two segments and a
// disc. A cone is the hull of two discs, which its side joins. Where a direction is at right angles to a segment, or to
// the line up a cone's side at its azimuth, all points of that are support points: the segment or side is active, and
// how far along it the nearest point lies is an unknown of its own. kernels/geometry/README.md, "Distances: the narrow
// phase".
#ifndef CLACK_GEOMETRY_CORE_PAIR_H
#define CLACK_GEOMETRY_CORE_PAIR_H

#include "geometry/shape.h"

#define CORE_SQUARE_LEAST 1.0e-300 // squares whose inverse there is
#define CORE_AHEAD_RAD 1.0e-7      // over which the third derivative of a superquadric is taken
#define CORE_SIDE 8u               // bit of a cone's side; bits 1, 2, 4: segments along x, y, z

typedef struct CoreSegments { // half lengths along the local axes, m; 0: none
    Vec3 half_m;
    u32 mask;
} CoreSegments;

FN CoreSegments core_segments(GLOBAL const Shape *shape) {
    CoreSegments s;
    real rho = shape->smoothing_m;
    s.half_m = shape_core_half_m(shape);
    if (kind_is(shape->kind, SHAPE_CYLINDER)) s.half_m = vec3_make(0.0, 0.0, shape->size_m[1] - rho);
    if (kind_is(shape->kind, SHAPE_BEAM)) s.half_m = vec3_make(0.0, shape->size_m[2] - rho, shape->size_m[0]);
    s.mask = (s.half_m.x > 0.0 ? 1u : 0u) | (s.half_m.y > 0.0 ? 2u : 0u) | (s.half_m.z > 0.0 ? 4u : 0u);
    return s;
}

// A core with all that does not depend on a direction: searches evaluate many of its support points.
typedef struct Core {
    GLOBAL const Shape *shape;
    GLOBAL const HullRow *hulls; // the table of all hulls
    CoreSegments segments;       // half_m of an ellipsoid: its semi-axes; mask of a cone: CORE_SIDE
    real disc_m;                 // radius of its disc; of a cone that of the base
    real top_m;                  // radius of a cone's top
    real base_z_m, top_z_m;      // heights of a cone's ends
    real ball_m;                 // radius of the ball that completes the shape
    HullMap map;                 // of a hull,
    real scale;                  // and the scale of its vertices
    u32 kind;
} Core;

FN void core_make(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Core *core) {
    core->shape = shape;
    core->hulls = hulls;
    core->kind = shape->kind;
    core->segments = core_segments(shape);
    core->ball_m = shape_ball_radius(shape);
    core->disc_m = core->top_m = core->base_z_m = core->top_z_m = 0.0;
    if (kind_is(core->kind, SHAPE_HULL)) {
        core->map = shape_hull_map(shape, hulls);
        core->scale = shape->size_m[0];
    }
    if (kind_is(core->kind, SHAPE_ELLIPSOID))
        core->segments.half_m = vec3_make(shape->size_m[0], shape->size_m[1], shape->size_m[2]);
    if (kind_is(core->kind, SHAPE_CYLINDER)) core->disc_m = shape->size_m[0] - core->ball_m;
    if (kind_is(core->kind, SHAPE_BEAM)) core->disc_m = shape->size_m[1] - core->ball_m;
    if (kind_is(core->kind, SHAPE_CONE)) {
        ShapeFrustum frustum = shape_cone_core_size(shape);
        core->segments.mask = CORE_SIDE;
        core->disc_m = frustum.base_radius_m;
        core->top_m = frustum.top_radius_m;
        core->base_z_m = frustum.base_m;
        core->top_z_m = frustum.top_m;
    }
}

/// A vertex of a hull, local axes.
FN_SHORT Vec3 core_hull_vertex(const Core *core, u32 vertex) {
    return vec3_scale(core->map.vertices[vertex].at_m, core->scale);
}

/// Whether a core has a curved surface.
FN_SHORT u32 core_is_curved(const Core *core) {
    return core->kind >= SHAPE_ELLIPSOID && !kind_is(core->kind, SHAPE_HULL) ? 1u : 0u;
}

// A core near a direction without its active segments or side: one smooth piece.
typedef struct CoreSupport {
    Vec3 point;      // its support point, local axes; on an active cone's side that on the base
    u32 code;        // ends of its segments, disc of a cone or vertex of a hull
    real disc_m;     // radius of the disc that curves it; 0: none
    real disc_scale; // scale of a direction on its disc, 1 / its part across the axis, or on its ellipsoid
} CoreSupport;

// 1 / sqrt(square) by a root and a division that run side by side; 0 for no length.
FN_SHORT real core_inverse_root(real square) {
    return square > CORE_SQUARE_LEAST ? real_sqrt(square) * (1.0 / square) : 0.0;
}

/// a / |a| with one rounding more than vec3_normalize, and a shorter chain; the zero vector if |a| is 0.
FN_SHORT Vec3 core_unit(Vec3 a) { return vec3_scale(a, core_inverse_root(vec3_dot(a, a))); }

/// Ellipsoid less its ball.
FN_SHORT CoreSupport core_ellipsoid(const Core *core, Vec3 u, real unit) {
    CoreSupport piece;
    Vec3 extent = core->segments.half_m;
    Vec3 scaled = vec3_multiply(extent, u);
    piece.code = 0;
    piece.disc_m = 0.0;
    piece.disc_scale = core_inverse_root(vec3_dot(scaled, scaled));
    piece.point =
        vec3_add_scaled(vec3_scale(vec3_multiply(extent, scaled), piece.disc_scale), u, 0.0 - core->ball_m * unit);
    return piece;
}

/// Superquadric less its ball.
FN_SHORT CoreSupport core_superquadric(const Core *core, Vec3 u, real unit) {
    CoreSupport piece;
    SuperquadricSize size = shape_superquadric(core->shape);
    piece.code = 0;
    piece.disc_m = piece.disc_scale = 0.0;
    piece.point = vec3_add_scaled(superquadric_support(&size, u), u, 0.0 - core->ball_m * unit);
    return piece;
}

// Square of the part of a direction across the axis of the core's disc.
FN_SHORT real core_across_square(const Core *core, Vec3 u) {
    return (kind_is(core->kind, SHAPE_BEAM) ? u.z * u.z : u.y * u.y) + u.x * u.x;
}

// Ends of a core's segments in a local direction; of active ones the middle.
FN_SHORT Vec3 core_corner(const Core *core, Vec3 u, u32 active) {
    Vec3 extent = core->segments.half_m;
    return vec3_make((active & 1u) != 0 ? 0.0 : extent.x * shape_sign(u.x),
                     (active & 2u) != 0 ? 0.0 : extent.y * shape_sign(u.y),
                     (active & 4u) != 0 ? 0.0 : extent.z * shape_sign(u.z));
}

// Does the top of a cone reach farther than its base in a local direction?
FN_SHORT u32 core_is_top(const Core *core, Vec3 u) {
    real across = real_sqrt(core_across_square(core, u));
    return core->top_m * across + core->top_z_m * u.z > core->disc_m * across + core->base_z_m * u.z ? 1u : 0u;
}

/// Support point of a core, as all searches use it, in a local direction of length 1 / `unit`. `active`: bits of
/// segments or CORE_SIDE that are left out.
FN_SHORT CoreSupport core_support_point(const Core *core, Vec3 u, real unit, u32 active) {
    if (kind_is(core->kind, SHAPE_ELLIPSOID)) return core_ellipsoid(core, u, unit);
    if (kind_is(core->kind, SHAPE_SUPERQUADRIC)) return core_superquadric(core, u, unit);
    CoreSupport piece;
    piece.disc_m = core->disc_m;
    piece.disc_scale = 0.0;
    if (kind_is(core->kind, SHAPE_HULL)) {
        piece.code = shape_hull_farthest(&core->map, core->shape, core->hulls, u);
        piece.point = core_hull_vertex(core, piece.code);
        return piece;
    }
    if (core->disc_m > 0.0) piece.disc_scale = core_inverse_root(core_across_square(core, u));
    if (kind_is(core->kind, SHAPE_CONE)) {
        u32 is_top = core_is_top(core, u);
        piece.code = is_top != 0 ? CORE_SIDE : 0u;
        is_top &= active == 0 ? 1u : 0u;
        piece.disc_m = is_top != 0 ? core->top_m : core->disc_m;
        real s = piece.disc_m * piece.disc_scale;
        piece.point = vec3_make(u.x * s, u.y * s, is_top != 0 ? core->top_z_m : core->base_z_m);
        return piece;
    }
    // Segments, and of a cylinder or a beam a disc.
    piece.code = core->segments.mask & ((u.x < 0.0 ? 1u : 0u) | (u.y < 0.0 ? 2u : 0u) | (u.z < 0.0 ? 4u : 0u));
    piece.point = core_corner(core, u, active);
    if (!(core->disc_m > 0.0)) return piece;
    // One operation is left once that scale is known, at the end of the chain.
    piece.point.x = real_fma(core->disc_m * u.x, piece.disc_scale, piece.point.x);
    if (kind_is(core->kind, SHAPE_BEAM))
        piece.point.z = real_fma(core->disc_m * u.z, piece.disc_scale, piece.point.z);
    else
        piece.point.y = real_fma(core->disc_m * u.y, piece.disc_scale, piece.point.y);
    return piece;
}

/// From the base to the top of a cone's side at the azimuth of a direction, local axes.
FN Vec3 core_side(const Core *core, Vec3 u) {
    real s = (core->top_m - core->disc_m) * core_inverse_root(core_across_square(core, u));
    return vec3_make(u.x * s, u.y * s, core->top_z_m - core->base_z_m);
}

/// Sine of the angle between the normals of a cone's side and its base plane.
FN real core_side_sine(const Core *core) {
    real taper = core->disc_m - core->top_m;
    real height = core->top_z_m - core->base_z_m;
    return taper / real_sqrt(taper * taper + height * height);
}

/// Axis of the disc that curves a core.
FN_SHORT Vec3 core_disc_axis(const Core *core) {
    return kind_is(core->kind, SHAPE_BEAM) ? vec3_make(0.0, 1.0, 0.0) : vec3_make(0.0, 0.0, 1.0);
}

// A quadratic form in the plane of two vectors s, t.
typedef struct CoreForm {
    real ss, st, tt;
} CoreForm;

/// Second derivative of the support function of a superquadric, its ball included, along s and t at a direction of any
/// length.
FN CoreForm core_superquadric_form(GLOBAL const Shape *shape, Vec3 u, Vec3 s, Vec3 t) {
    SuperquadricSize size = shape_superquadric(shape);
    real length;
    SuperquadricAt at = superquadric_at(superquadric_stretch(&size, u, &length), size.p, size.q);
    SuperquadricSlope on_s = superquadric_slope(&size, &at, s), on_t = superquadric_slope(&size, &at, t);
    CoreForm form;
    real per_length = 1.0 / length;
    form.ss = per_length * superquadric_second(&size, &at, &on_s, &on_s);
    form.st = per_length * superquadric_second(&size, &at, &on_s, &on_t);
    form.tt = per_length * superquadric_second(&size, &at, &on_t, &on_t);
    return form;
}

/// Second derivative of a piece's support function at the unit direction u, as a form in the plane of s and t (both at
/// right angles to u). `radius_m`: of its disc; `disc_scale`: as of CoreSupport. kernels/geometry/README.md,
/// "Distances: the narrow phase".
FN_SHORT CoreForm core_curvature(const Core *core, real radius_m, real disc_scale, Vec3 u, Vec3 s, Vec3 t) {
    CoreForm form;
    if (kind_is(core->kind, SHAPE_ELLIPSOID)) {
        Vec3 square = vec3_multiply(core->segments.half_m, core->segments.half_m);
        Vec3 es = vec3_multiply(square, s), et = vec3_multiply(square, t);
        real us = vec3_dot(u, es) * disc_scale, ut = vec3_dot(u, et) * disc_scale;
        form.ss = disc_scale * (vec3_dot(es, s) - us * us) - core->ball_m * vec3_dot(s, s);
        form.st = disc_scale * (vec3_dot(es, t) - us * ut) - core->ball_m * vec3_dot(s, t);
        form.tt = disc_scale * (vec3_dot(et, t) - ut * ut) - core->ball_m * vec3_dot(t, t);
        return form;
    }
    if (kind_is(core->kind, SHAPE_SUPERQUADRIC)) {
        form = core_superquadric_form(core->shape, u, s, t);
        form.ss -= core->ball_m * vec3_dot(s, s);
        form.st -= core->ball_m * vec3_dot(s, t);
        form.tt -= core->ball_m * vec3_dot(t, t);
        return form;
    }
    real second = radius_m * (disc_scale * disc_scale * disc_scale);
    real on_s = kind_is(core->kind, SHAPE_BEAM) ? u.z * s.x - u.x * s.z : u.x * s.y - u.y * s.x;
    real on_t = kind_is(core->kind, SHAPE_BEAM) ? u.z * t.x - u.x * t.z : u.x * t.y - u.y * t.x;
    form.ss = second * on_s * on_s;
    form.st = second * on_s * on_t;
    form.tt = second * on_t * on_t;
    return form;
}

// The support function of a core's disc or ellipsoid, the root of a quadratic form, as the direction rotates: the root
// over the radius, and its first three derivatives times that. Of a superquadric: 1, and the derivatives.
typedef struct CoreRound {
    real root, slope, second, third;
} CoreRound;

/// Support point of a superquadric, its ball included, in the direction u; returns the second derivative of its support
/// function along `round`.
FN real core_superquadric_along(const SuperquadricSize *size, Vec3 u, Vec3 round, Vec3 *point) {
    real length;
    SuperquadricAt at = superquadric_at(superquadric_stretch(size, u, &length), size->p, size->q);
    SuperquadricSlope on = superquadric_slope(size, &at, round);
    *point = superquadric_point(size, &at);
    return superquadric_second(size, &at, &on, &on) * (1.0 / length);
}

// The third derivative serves Chebyshev's step alone, so that a difference is close enough.
FN CoreRound core_superquadric_round(GLOBAL const Shape *shape, Vec3 u, Vec3 round) {
    SuperquadricSize size = shape_superquadric(shape);
    Vec3 point, unread;
    real form = core_superquadric_along(&size, u, round, &point);
    real ahead = core_superquadric_along(&size, vec3_add_scaled(u, round, CORE_AHEAD_RAD), round, &unread);
    CoreRound of;
    of.root = 1.0;
    of.slope = vec3_dot(point, round);
    of.second = form - vec3_dot(point, u);
    of.third = (ahead - form) / CORE_AHEAD_RAD - of.slope;
    return of;
}

/// u, round: the normal and its direction of rotation, of the same length, local axes; negating both changes nothing.
/// The root and the division run side by side.
FN_SHORT CoreRound core_round(const Core *core, real disc_m, Vec3 u, Vec3 round) {
    real on_u, on_both, on_round, radius = 1.0;
    if (kind_is(core->kind, SHAPE_SUPERQUADRIC)) return core_superquadric_round(core->shape, u, round);
    if (kind_is(core->kind, SHAPE_ELLIPSOID)) {
        Vec3 scaled_u = vec3_multiply(core->segments.half_m, u),
             scaled_round = vec3_multiply(core->segments.half_m, round);
        on_u = vec3_dot(scaled_u, scaled_u);
        on_both = vec3_dot(scaled_u, scaled_round);
        on_round = vec3_dot(scaled_round, scaled_round);
    } else {
        u32 is_beam = kind_is(core->kind, SHAPE_BEAM);
        real y = is_beam != 0 ? u.z : u.y, round_y = is_beam != 0 ? round.z : round.y;
        on_u = y * y + u.x * u.x;
        on_both = y * round_y + u.x * round.x;
        on_round = round_y * round_y + round.x * round.x;
        radius = disc_m;
    }
    CoreRound of;
    real per_square = 1.0 / real_max(on_u, CORE_SQUARE_LEAST),
         second = (on_round - on_u) - on_both * on_both * per_square;
    of.root = real_sqrt(on_u);
    of.slope = radius * on_both;
    of.second = radius * second;
    of.third = 0.0 - of.slope * real_fma(3.0, second * per_square, 4.0);
    return of;
}

// --- pairs ------------------------------------------------------------------------------------------

typedef struct CorePair {
    Core a, b;
    Mat3 turn;    // A to B
    Vec3 place;   // origin of A in B
    real sizes_m; // sum of both sizes
    real size_m;  // the same and their distance: what rounding is relative to
} CorePair;

typedef struct CorePoint { // of D
    Vec3 p;                // a - b
    Vec3 b;                // point of core B, in B
    u32 code_a, code_b;    // features: as of CoreSupport
} CorePoint;

FN void core_pair_make(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                       Vec3 offset, GLOBAL const HullRow *hulls, CorePair *pair) {
    core_make(a, hulls, &pair->a);
    core_make(b, hulls, &pair->b);
    pair->turn = mat3_between(*turn_a, *turn_b);
    pair->place = vec3_negate(mat3_rotate_back(*turn_b, offset));
    pair->sizes_m = shape_size_m(a) + shape_size_m(b);
    pair->size_m = pair->sizes_m + vec3_max_abs(offset);
}

/// The difference of the centroids, which are the origins of all but cones: a point inside D.
FN_SHORT Vec3 core_centre(const CorePair *pair) {
    Vec3 centre = pair->place;
    if (kind_is(pair->a.kind, SHAPE_CONE))
        centre = vec3_add(centre, mat3_rotate(pair->turn, shape_centroid(pair->a.shape)));
    return kind_is(pair->b.kind, SHAPE_CONE) ? vec3_sub(centre, shape_centroid(pair->b.shape)) : centre;
}

/// Support point of D in the direction n of length 1 / `unit`, so that n need not be normalised first.
FN_SHORT CorePoint core_pair_support(const CorePair *pair, Vec3 n, real unit) {
    CorePoint c;
    CoreSupport a = core_support_point(&pair->a, mat3_rotate_back(pair->turn, n), unit, 0);
    CoreSupport b = core_support_point(&pair->b, vec3_negate(n), unit, 0);
    c.b = b.point;
    c.p = vec3_sub(vec3_add(pair->place, mat3_rotate(pair->turn, a.point)), b.point);
    c.code_a = a.code;
    c.code_b = b.code;
    return c;
}

/// The same, as a call rather than inlined.
FN CorePoint core_pair_support_call(const CorePair *pair, Vec3 n, real unit) {
    return core_pair_support(pair, n, unit);
}

#endif
