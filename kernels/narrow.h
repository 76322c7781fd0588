// Narrow phase: signed distance, normal and contact points of a pair of shapes.
//
// A is the first shape, B the second; the normal points from A to B; distance > 0 apart, < 0
// overlapping. Everything is relative to the origin of A, so that accuracy does not fall with the
// distance from the world's origin. Closed forms where there are any, else the exact search (exact.h) or,
// where asked for, MPR (mpr_contact.h).
#ifndef CLACK_NARROW_H
#define CLACK_NARROW_H

#include "exact.h"
#include "manifold_points.h"
#include "narrow_types.h"
#include "point_core.h"

// Two capsules whose axes differ by no more than this angle touch in the middle of their overlap rather
// than at an end: what the rounding of two rotations leaves of parallel. It costs the distance less than
// its share of a half length over 8, below the stated error.
#define NARROW_PARALLEL_ANGLE 4.0e-15
// Square of the sine beyond which axes are simply not parallel, and of that below which they have no
// usable common perpendicular.
#define NARROW_SKEW_SQUARE 1.0e-10
#define NARROW_PARALLEL_SQUARE 1.0e-20

/// How many contacts a pair of shapes can have at once; their ordinals are 0..n-1 ("feature").
/// One with SCENE_SINGLE_CONTACT or SCENE_COMPAT_MODIA3D; of two solids also with SCENE_NARROW_MPR.
FN u32 narrow_feature_count(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 flags) {
    if ((flags & (SCENE_SINGLE_CONTACT | SCENE_COMPAT_MODIA3D)) != 0) return 1;
    if (!HAS(CONTENT_SOLIDS)) return 1;
    if (kind_is(a->kind, SHAPE_HALF_SPACE)) return manifold_count(b);
    if (kind_is(b->kind, SHAPE_HALF_SPACE)) return manifold_count(a);
    return !HAS(CONTENT_SEVERAL) || (flags & SCENE_NARROW_MPR) != 0 ? 1u : manifold_solids_count(a, b);
}

FN Vec3 narrow_axis_z(Mat3 turn) { return vec3_make(turn.x.z, turn.y.z, turn.z.z); }

/// Contact of two balls. core_a, core_b: their centres relative to the shape origins, world axes.
/// spare: unit normal for coincident centres, which have none. size_m: length for the rounding error.
FN NarrowResult narrow_balls(Vec3 core_a, real ball_a, Vec3 core_b, real ball_b, Vec3 offset,
                             Vec3 spare, real size_m) {
    Vec3 between = vec3_add(vec3_sub(offset, core_a), core_b);
    real length = vec3_length(between);
    NarrowResult r;
    r.status = length > NARROW_COINCIDENT_SHARE * size_m ? NARROW_OK : NARROW_COINCIDENT;
    r.normal = r.status == NARROW_OK ? vec3_scale(between, 1.0 / length) : spare;
    r.distance_m = length - ball_a - ball_b;
    r.error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + size_m);
    r.point_a = vec3_add_scaled(core_a, r.normal, ball_a);
    r.point_b = vec3_add_scaled(core_b, r.normal, -ball_b);
    r.iterations = 0;
    return r;
}

FN_SHORT NarrowResult narrow_sphere_sphere(GLOBAL const Shape *a, GLOBAL const Shape *b, const Mat3 *turn_b,
                                     Vec3 offset) {
    real ball_a = shape_ball_radius(a);
    real ball_b = shape_ball_radius(b);
    return narrow_balls(vec3_zero(), ball_a, vec3_zero(), ball_b, offset, narrow_axis_z(*turn_b),
                        ball_a + ball_b);
}

/// Nearest point of the axis of capsule B to the centre of sphere A.
FN NarrowResult narrow_sphere_capsule(GLOBAL const Shape *a, GLOBAL const Shape *b, const Mat3 *turn_b,
                                      Vec3 offset) {
    Vec3 axis = narrow_axis_z(*turn_b);
    real extent = b->size_m[1];
    real along = real_clamp(-vec3_dot(offset, axis), -extent, extent);
    real ball_a = shape_ball_radius(a);
    real ball_b = shape_ball_radius(b);
    return narrow_balls(vec3_zero(), ball_a, vec3_scale(axis, along), ball_b, offset,
                        vec3_perpendicular(axis), ball_a + ball_b + extent);
}

/// Sphere A against a core in closed form, with B's ball around it.
FN NarrowResult narrow_sphere_core(GLOBAL const Shape *a, GLOBAL const Shape *b, const Mat3 *turn_b,
                                   Vec3 offset) {
    Vec3 p = vec3_negate(mat3_rotate_back(*turn_b, offset)); // centre of the sphere
    PointToCore to = point_to_core(b, p);
    real ball_a = shape_ball_radius(a);
    real ball_b = kind_is(b->kind, SHAPE_ELLIPSOID) ? 0.0 : shape_ball_radius(b);
    NarrowResult r;
    r.status = to.is_centred != 0 ? NARROW_COINCIDENT : NARROW_OK;
    r.normal = vec3_negate(mat3_rotate(*turn_b, to.direction));
    r.distance_m = to.distance_m - ball_a - ball_b;
    r.error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + ball_a + shape_size_m(b));
    r.point_a = vec3_scale(r.normal, ball_a);
    // On the core, then out by the ball.
    r.point_b = mat3_rotate(*turn_b, vec3_add_scaled(p, to.direction, ball_b - to.distance_m));
    r.iterations = to.steps;
    return r;
}

/// Where two segments are nearest: signed lengths from their centres along their axes.
typedef struct NarrowSegments {
    real along_a, along_b;
    Vec3 cross;       // axis of A x axis of B
    real sine_square; // of the angle between the axes
    u32 is_inside;    // neither end plays a part
} NarrowSegments;

/// Weight of the middle of the overlap in the search for the nearest points, dimensionless: at a tilt of
/// NARROW_PARALLEL_ANGLE it balances what the tilt gains. 0 for axes that are not nearly parallel.
FN real narrow_middle_weight(real across_m, real length_m, real sine_square) {
    real nearly = real_max(0.0, 1.0 - sine_square / NARROW_SKEW_SQUARE);
    return length_m > 0.0 ? NARROW_PARALLEL_ANGLE * across_m / length_m * nearly * nearly : 0.0;
}

/// Least of |offset + t w - s u|^2 + weight (s - middle)^2 over both segments, a convex problem that two
/// clamps solve exactly (Ericson, Real-Time Collision Detection, 5.1.9). The second term settles parallel
/// axes: the middle of the overlap, and on the way to an end no jump.
FN NarrowSegments narrow_segments(Vec3 u, real half_a, Vec3 w, real half_b, Vec3 offset) {
    NarrowSegments n;
    n.cross = vec3_cross(u, w);
    n.sine_square = vec3_dot(n.cross, n.cross);
    real cosine = vec3_dot(u, w);
    real on_u = vec3_dot(u, offset);
    real on_w = vec3_dot(w, offset);
    real reach = half_b * real_abs(cosine); // of B, as seen along A
    real middle = 0.5 * (real_max(-half_a, on_u - reach) + real_min(half_a, on_u + reach));
    // (offset x w).(u x w) = on_u - cosine on_w, without its cancellation near parallel.
    Vec3 moment = vec3_cross(offset, w);
    real weight = narrow_middle_weight(vec3_length(moment), half_a + half_b, n.sine_square);
    real free_a = middle;
    if (n.sine_square + weight > 0.0)
        free_a = (vec3_dot(moment, n.cross) + weight * middle) / (n.sine_square + weight);
    n.along_a = real_clamp(free_a, -half_a, half_a);
    real free_b = cosine * n.along_a - on_w;
    n.along_b = real_clamp(free_b, -half_b, half_b);
    n.is_inside = n.along_a == free_a && n.along_b == free_b ? 1u : 0u;
    if (n.along_b != free_b) {
        free_a = on_u + cosine * n.along_b;
        n.along_a = real_clamp(free_a, -half_a, half_a);
    }
    return n;
}

FN NarrowResult narrow_capsule_capsule(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b,
                                       const Mat3 *turn_b, Vec3 offset) {
    Vec3 axis_a = narrow_axis_z(*turn_a);
    Vec3 axis_b = narrow_axis_z(*turn_b);
    NarrowSegments at = narrow_segments(axis_a, a->size_m[1], axis_b, b->size_m[1], offset);
    real ball_a = shape_ball_radius(a);
    real ball_b = shape_ball_radius(b);
    Vec3 core_a = vec3_scale(axis_a, at.along_a);
    Vec3 core_b = vec3_scale(axis_b, at.along_b);
    real size_m = shape_size_m(a) + shape_size_m(b);
    Vec3 spare = vec3_perpendicular(axis_a);
    if (at.sine_square > NARROW_PARALLEL_SQUARE) spare = vec3_normalize(at.cross);
    NarrowResult r = narrow_balls(core_a, ball_a, core_b, ball_b, offset, spare, size_m);
    real length = r.distance_m + ball_a + ball_b;
    // Crossing axes: their common perpendicular is good to 1e-16 / sine, the difference of the points
    // only to 1e-16 size / length; take the better one.
    if (at.is_inside != 0 && at.sine_square > NARROW_PARALLEL_SQUARE &&
        length * length < at.sine_square * size_m * size_m) {
        real height = vec3_dot(offset, spare);
        r.normal = height < 0.0 ? vec3_negate(spare) : spare;
        r.distance_m = real_abs(height) - ball_a - ball_b;
        r.point_a = vec3_add_scaled(core_a, r.normal, ball_a);
        r.point_b = vec3_add_scaled(core_b, r.normal, -ball_b);
    }
    return r;
}

// Tilts that rounding makes count as none: a disc or side that faces the plane touches in its middle.
#define NARROW_FACING 2.0e-15

/// Shape A (not a half-space) against half-space B: one ball against the plane, at the point of the manifold
/// that `feature` is, or at the lowest point where there is a single contact.
FN_SHORT NarrowResult narrow_half_space(GLOBAL const Shape *a, const Mat3 *turn_a, const Mat3 *turn_b, Vec3 offset,
                                  u32 feature, const NarrowOptions *options) {
    Vec3 up = narrow_axis_z(*turn_b);
    u32 is_single = (options->flags & (SCENE_SINGLE_CONTACT | SCENE_COMPAT_MODIA3D)) != 0 ? 1u : 0u;
    Vec3 core = vec3_zero(); // relative to A
    if (!kind_is(a->kind, SHAPE_SPHERE)) {
        Vec3 down = vec3_negate(mat3_rotate_back(*turn_a, up));
        Vec3 vertex;
        if (is_single == 0 && manifold_count(a) > 1)
            vertex = manifold_point(a, options->hulls, feature, down);
        else if (shape_is_block(a) == 0)
            vertex = shape_free_core(a, options->hulls, down, NARROW_FACING);
        else
            vertex = manifold_point(a, options->hulls, manifold_lowest(a, down), down);
        core = mat3_rotate(*turn_a, vertex);
    }
    Vec3 seen = vec3_sub(core, offset);      // relative to B
    real height = vec3_dot(seen, up);
    real ball = shape_ball_radius(a);
    NarrowResult r;
    r.status = NARROW_OK;
    r.normal = vec3_negate(up);
    r.distance_m = height - ball;
    r.error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + shape_size_m(a));
    r.point_a = vec3_add_scaled(core, up, -ball);
    r.point_b = vec3_add_scaled(seen, up, -height);
    r.iterations = 0;
    if (is_single == 0 && manifold_is_empty(a, feature) != 0) r.distance_m = MANIFOLD_EMPTY_M;
    return r;
}

// Pairs with a closed form; a half-space is B, else A's kind is not above B's.
FN_SHORT NarrowResult narrow_closed(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b,
                                    const Mat3 *turn_b, Vec3 offset, u32 feature, const NarrowOptions *options) {
    if (kind_is(b->kind, SHAPE_HALF_SPACE))
        return narrow_half_space(a, turn_a, turn_b, offset, feature, options);
    if (kind_is(b->kind, SHAPE_SPHERE)) return narrow_sphere_sphere(a, b, turn_b, offset);
    if (kind_is(a->kind, SHAPE_CAPSULE)) return narrow_capsule_capsule(a, turn_a, b, turn_b, offset);
    if (kind_is(b->kind, SHAPE_CAPSULE)) return narrow_sphere_capsule(a, b, turn_b, offset);
    return narrow_sphere_core(a, b, turn_b, offset);
}

/// Whether a pair is computed by a closed form. With narrow_phase: mpr, and in the reference's way, only
/// two spheres and half-spaces are.
FN u32 narrow_has_closed_form(u32 kind_a, u32 kind_b, u32 flags) {
    if (!HAS(CONTENT_SEARCH) || kind_is(kind_a, SHAPE_HALF_SPACE) || kind_is(kind_b, SHAPE_HALF_SPACE)) return 1;
    if (kind_is(kind_a, SHAPE_SPHERE) && kind_is(kind_b, SHAPE_SPHERE)) return 1;
    if ((flags & (SCENE_COMPAT_MODIA3D | SCENE_NARROW_MPR)) != 0) return 0;
    if (kind_is(kind_a, SHAPE_HULL) || kind_is(kind_b, SHAPE_HULL)) return 0;
    if (kind_is(kind_a, SHAPE_SPHERE) || kind_is(kind_b, SHAPE_SPHERE)) return 1;
    return kind_is(kind_a, SHAPE_CAPSULE) && kind_is(kind_b, SHAPE_CAPSULE) ? 1u : 0u;
}

/// The nearest points of two shapes, of a half-space those that `feature` says.
FN_SHORT NarrowResult narrow_nearest(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                                     Vec3 offset, u32 feature, const NarrowOptions *options) {
    if (narrow_has_closed_form(a->kind, b->kind, options->flags) == 0) {
        if ((options->flags & (SCENE_COMPAT_MODIA3D | SCENE_NARROW_MPR)) != 0)
            return mpr_contact(a, turn_a, b, turn_b, offset, options);
        return exact_contact(a, turn_a, b, turn_b, offset, options);
    }
    if (kind_is(b->kind, SHAPE_HALF_SPACE) || (!kind_is(a->kind, SHAPE_HALF_SPACE) && a->kind <= b->kind))
        return narrow_closed(a, turn_a, b, turn_b, offset, feature, options);
    return narrow_swap(narrow_closed(b, turn_b, a, turn_a, vec3_negate(offset), feature, options));
}

/// One contact of a pair of shapes, in either order of kinds; not two half-spaces.
/// turn_a, turn_b: shape to world. offset: B's shape origin minus A's, world axes. feature: ordinal
/// below narrow_feature_count. The result is always finite for finite input; see NarrowResult.
FN_SHORT NarrowResult narrow_phase(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                                   Vec3 offset, u32 feature, const NarrowOptions *options) {
    u32 is_solids = !kind_is(a->kind, SHAPE_HALF_SPACE) && !kind_is(b->kind, SHAPE_HALF_SPACE) ? 1u : 0u;
    u32 is_several = HAS(CONTENT_SEVERAL) && is_solids != 0 && narrow_feature_count(a, b, options->flags) > 1 ? 1u : 0u;
    if (is_several != 0 && manifold_is_pair(a, b) != 0)
        return manifold_pair(a, *turn_a, b, *turn_b, offset, options->hulls, feature);
    real same_m = is_several != 0 ? manifold_same_m(a, b) : 0.0;
    u32 is_nearest = is_several == 0 || manifold_is_nearest(a, b, feature) != 0 ? 1u : 0u;
    NarrowResult nearest;
    if (is_nearest != 0) {
        nearest = narrow_nearest(a, turn_a, b, turn_b, offset, feature, options);
        if (is_several == 0 || nearest.distance_m > same_m) return nearest;
    }
    u32 which;
    NarrowResult deepest = manifold_deepest(a, *turn_a, b, *turn_b, offset, options->hulls, is_nearest != 0 ? 0u : feature,
                                            is_nearest != 0 ? manifold_point_count(a, b) : feature + 1u, &which);
    return is_nearest != 0 ? manifold_beyond(nearest, deepest, same_m) : deepest;
}

#endif
