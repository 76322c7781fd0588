// Narrow phase: signed distance, normal and contact points of a pair of shapes.
//
// A is the first shape, B the second; the normal points from A to B; distance > 0 apart, < 0 overlapping. Everything is
// relative to the origin of A, so that accuracy does not depend on the distance from the world's origin. Closed forms
// where there are any, else the exact search (penetration.h) or, on request, MPR (mpr_contact.h).
#ifndef CLACK_GEOMETRY_NARROW_PHASE_H
#define CLACK_GEOMETRY_NARROW_PHASE_H

#include "model/scheme_policy.h"
#include "geometry/contact_patch.h"
#include "geometry/core_pair.h"
#include "geometry/manifold.h"
#include "geometry/manifold_pair.h"
#include "geometry/manifold_points.h"
#include "geometry/mpr_contact.h"
#include "geometry/penetration.h"
#include "geometry/point_core.h"
#include "geometry/segment_box.h"
#include "geometry/shape.h"
#include "geometry/sphere_hull.h"

// Two capsules whose axes differ by no more than this angle touch in the middle of their overlap rather than at an end:
// it is what the rounding of two rotations leaves of parallel. It costs the distance less than its share of a half
// length over 8, below the stated error.
#define NARROW_PARALLEL_ANGLE 4.0e-15
// Square of the sine beyond which axes are not parallel, and of that below which they have no usable common
// perpendicular.
#define NARROW_SKEW_SQUARE 1.0e-10
#define NARROW_PARALLEL_SQUARE 1.0e-20

// Of the sizes: the direction between points nearer to each other than that is good to no better than 1e-12.
#define NARROW_DIRECTION_SHARE 1.0e-3

/// Number of contacts that a pair of shapes can have at once; their ordinals are 0..n-1 ("feature"). One with
/// `contacts: single` or `compat: modia3d`; of two solids also with SCENE_NARROW_MPR.
FN u32 narrow_feature_count(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 flags) {
    if (policy_has_one_contact(flags)) return 1;
    if (!HAS(CONTENT_SOLIDS)) return 1;
    if (manifold_has_disc_points(a, b, flags)) return manifold_point_count(a, b);
    if (kind_is(a->kind, SHAPE_HALF_SPACE)) return manifold_count(b);
    if (kind_is(b->kind, SHAPE_HALF_SPACE)) return manifold_count(a);
    return !HAS(CONTENT_SEVERAL) || (flags & SCENE_NARROW_MPR) != 0 ? 1u : manifold_solids_count(a, b, flags);
}

FN Vec3 narrow_axis_z(Mat3 turn) { return vec3_make(turn.x.z, turn.y.z, turn.z.z); }

// Two balls that touch along a unit normal. core_a, core_b: their centres relative to the shape origins, world axes.
FN_SHORT void narrow_fill_balls(Vec3 core_a, real ball_a, Vec3 core_b, real ball_b, real length, Vec3 normal,
                                NarrowResult *r) {
    r->normal = normal;
    r->distance_m = length - ball_a - ball_b;
    r->point_a = vec3_add_scaled(core_a, normal, ball_a);
    r->point_b = vec3_add_scaled(core_b, normal, 0.0 - ball_b);
}

/// Contact of two balls. size_m: length for the rounding error. If the centres coincide (status) the caller sets the
/// normal.
FN_SHORT void narrow_balls(Vec3 core_a, real ball_a, Vec3 core_b, real ball_b, Vec3 offset, real size_m,
                           NarrowResult *r) {
    Vec3 between = vec3_add(vec3_sub(offset, core_a), core_b);
    real length = vec3_length(between);
    r->status = length > NARROW_COINCIDENT_SHARE * size_m ? NARROW_OK : NARROW_COINCIDENT;
    r->to_nearest_m = vec3_zero();
    r->error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + size_m);
    r->iterations = 0;
    narrow_fill_balls(core_a, ball_a, core_b, ball_b, length, vec3_scale(between, 1.0 / length), r);
}

FN_SHORT NarrowResult narrow_sphere_sphere(GLOBAL const Shape *a, GLOBAL const Shape *b, const Mat3 *turn_b,
                                           Vec3 offset) {
    real ball_a = shape_ball_radius(a);
    real ball_b = shape_ball_radius(b);
    NarrowResult r;
    narrow_balls(vec3_zero(), ball_a, vec3_zero(), ball_b, offset, ball_a + ball_b, &r);
    if (r.status != NARROW_OK)
        narrow_fill_balls(vec3_zero(), ball_a, vec3_zero(), ball_b, vec3_length(offset), narrow_axis_z(COPY(*turn_b)),
                          &r);
    return r;
}

/// Nearest point of the axis of capsule B to the centre of sphere A.
FN NarrowResult narrow_sphere_capsule(GLOBAL const Shape *a, GLOBAL const Shape *b, const Mat3 *turn_b, Vec3 offset) {
    Vec3 axis = narrow_axis_z(COPY(*turn_b));
    real extent = b->size_m[1];
    real along = real_clamp(-vec3_dot(offset, axis), -extent, extent);
    real ball_a = shape_ball_radius(a);
    real ball_b = shape_ball_radius(b);
    Vec3 core_b = vec3_scale(axis, along);
    NarrowResult r;
    narrow_balls(vec3_zero(), ball_a, core_b, ball_b, offset, ball_a + ball_b + extent, &r);
    if (r.status != NARROW_OK)
        narrow_fill_balls(vec3_zero(), ball_a, core_b, ball_b, vec3_length(vec3_add(offset, core_b)),
                          vec3_perpendicular(axis), &r);
    return r;
}

/// Sphere A against the core of B in closed form, with B's ball added.
FN_SHORT NarrowResult narrow_sphere_core(GLOBAL const Shape *a, GLOBAL const Shape *b, const Mat3 *turn_b,
                                         Vec3 offset) {
    Vec3 p = vec3_negate(mat3_rotate_back(*turn_b, offset)); // centre of the sphere
    PointToCore to = shape_core_is_box(b) != 0 ? point_to_box(shape_core_half_m(b), p) : point_to_core(b, p);
    real ball_a = shape_ball_radius(a);
    real ball_b = kind_is(b->kind, SHAPE_ELLIPSOID) ? 0.0 : shape_ball_radius(b);
    NarrowResult r;
    r.status = to.is_centred != 0 ? NARROW_COINCIDENT : NARROW_OK;
    r.to_nearest_m = vec3_zero();
    r.normal = vec3_negate(mat3_rotate(*turn_b, to.direction));
    r.distance_m = to.distance_m - ball_a - ball_b;
    r.error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + ball_a + shape_size_m(b));
    r.point_a = vec3_scale(r.normal, ball_a);
    // On the core, then out by the ball's radius.
    r.point_b = mat3_rotate(*turn_b, vec3_add_scaled(p, to.direction, ball_b - to.distance_m));
    r.iterations = to.steps;
    return r;
}

/// Nearest points of two segments: signed lengths from their centres along their axes.
typedef struct NarrowSegments {
    real along_a, along_b;
    Vec3 cross;       // axis of A x axis of B
    real sine_square; // of the angle between the axes
    u32 is_inside;    // neither point is an end
} NarrowSegments;

/// Point of axis A nearest to axis B if these are nearly parallel: towards the middle of the overlap, whose weight
/// balances at a tilt of NARROW_PARALLEL_ANGLE what the tilt gains. reach: of B, as seen along A; moment: offset x axis
/// B.
FN real narrow_parallel(const NarrowSegments *n, Vec3 moment, real on_u, real half_a, real half_b, real reach) {
    real middle = 0.5 * (real_max(0.0 - half_a, on_u - reach) + real_min(half_a, on_u + reach));
    real nearly = 1.0 - n->sine_square / NARROW_SKEW_SQUARE;
    real length_m = half_a + half_b;
    real weight = length_m > 0.0 ? NARROW_PARALLEL_ANGLE * vec3_length(moment) / length_m * nearly * nearly : 0.0;
    if (!(n->sine_square + weight > 0.0)) return middle;
    return (vec3_dot(moment, n->cross) + weight * middle) / (n->sine_square + weight);
}

/// Least of |offset + t w - s u|^2 + weight (s - middle)^2 over both segments, a convex problem that two clamps solve
/// exactly (Ericson, Real-Time Collision Detection, 5.1.9). For parallel axes the second term selects the middle of the
/// overlap, and lets the point move to an end without a jump.
FN NarrowSegments narrow_segments(Vec3 u, real half_a, Vec3 w, real half_b, Vec3 offset) {
    NarrowSegments n;
    n.cross = vec3_cross(u, w);
    n.sine_square = vec3_dot(n.cross, n.cross);
    real cosine = vec3_dot(u, w);
    real on_u = vec3_dot(u, offset);
    real on_w = vec3_dot(w, offset);
    // (offset x w).(u x w) = on_u - cosine on_w, without its cancellation near parallel.
    Vec3 moment = vec3_cross(offset, w);
    real free_a = n.sine_square < NARROW_SKEW_SQUARE
                      ? narrow_parallel(&n, moment, on_u, half_a, half_b, half_b * real_abs(cosine))
                      : vec3_dot(moment, n.cross) / n.sine_square;
    n.along_a = real_clamp(free_a, -half_a, half_a);
    real free_b = cosine * n.along_a - on_w;
    n.along_b = real_clamp(free_b, -half_b, half_b);
    u32 is_end = real_abs(free_b) > half_b ? 1u : 0u; // of B; written so that compilers select rather than branch
    n.is_inside = (real_abs(free_a) > half_a ? 0u : 1u) & (is_end ^ 1u);
    real to_end = real_clamp(on_u + cosine * n.along_b, -half_a, half_a);
    n.along_a = is_end != 0 ? to_end : n.along_a;
    return n;
}

/// A contact moved across its normal.
FN_SHORT NarrowResult narrow_in_the_middle(NarrowResult r, Vec3 shift) {
    r.point_a = vec3_add(r.point_a, shift);
    r.point_b = vec3_add(r.point_b, shift);
    r.to_nearest_m = vec3_negate(shift);
    return r;
}

FN NarrowResult narrow_capsule_capsule(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b,
                                       const Mat3 *turn_b, Vec3 offset) {
    Vec3 axis_a = narrow_axis_z(COPY(*turn_a));
    Vec3 axis_b = narrow_axis_z(COPY(*turn_b));
    NarrowSegments at = narrow_segments(axis_a, a->size_m[1], axis_b, b->size_m[1], offset);
    real ball_a = shape_ball_radius(a);
    real ball_b = shape_ball_radius(b);
    Vec3 core_a = vec3_scale(axis_a, at.along_a);
    Vec3 core_b = vec3_scale(axis_b, at.along_b);
    real size_m = shape_size_m(a) + shape_size_m(b);
    NarrowResult r;
    narrow_balls(core_a, ball_a, core_b, ball_b, offset, size_m, &r);
    // Crossing axes: their common perpendicular is good to 1e-16 / sine, the difference of the points only to 1e-16
    // size / length; take the better one, without a branch, which would be mispredicted.
    real length = r.distance_m + ball_a + ball_b;
    u32 is_skew = at.sine_square > NARROW_PARALLEL_SQUARE ? 1u : 0u;
    u32 is_crossing = is_skew & at.is_inside & (length * length < at.sine_square * size_m * size_m ? 1u : 0u);
    real height = vec3_dot(offset, at.cross), per_sine = 1.0 / real_sqrt(at.sine_square);
    if (height < 0.0) per_sine = 0.0 - per_sine;
    Vec3 normal = is_crossing != 0 ? at.cross : r.normal;
    normal = vec3_scale(normal, is_crossing != 0 ? per_sine : 1.0);
    if (r.status != NARROW_OK && is_crossing == 0)
        normal = is_skew != 0 ? vec3_normalize(at.cross) : vec3_perpendicular(axis_a);
    narrow_fill_balls(core_a, ball_a, core_b, ball_b, is_crossing != 0 ? height * per_sine : length, normal, &r);
    // Only axes that nearly parallel lie side by side.
    if (at.sine_square * real_min(a->size_m[1], b->size_m[1]) > 2.0 * PATCH_TILT * length || r.status != NARROW_OK)
        return r;
    CorePair pair;
    core_pair_make(a, turn_a, b, turn_b, offset, 0, &pair);
    Vec3 in_b = mat3_rotate_back(*turn_b, vec3_sub(core_a, offset));
    return narrow_in_the_middle(r, mat3_rotate(*turn_b, patch_shift(&pair, mat3_rotate_back(*turn_b, r.normal), in_b,
                                                                    mat3_rotate_back(*turn_b, core_b), length)));
}

/// Is a unit direction, in the axes of a box, nearly along the face or the edge of its core that `out` leaves from, or
/// along one that `out` nearly leaves from? With a margin: patches have a centre within PATCH_TILT.
FN u32 narrow_is_along(Vec3 out, real length, Vec3 direction) {
    real least = 2.0 * PATCH_TILT * length;
    real x = real_abs(out.x) > least ? direction.x : 0.0, y = real_abs(out.y) > least ? direction.y : 0.0,
         z = real_abs(out.z) > least ? direction.z : 0.0;
    return real_max(real_abs(x), real_max(real_abs(y), real_abs(z))) <= 2.0 * PATCH_TILT ? 1u : 0u;
}

/// Box A and capsule B whose axis is clear of the core of the box and along none of its faces and edges; returns
/// whether that holds.
FN u32 narrow_box_capsule(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                          Vec3 offset, NarrowResult *r) {
    Vec3 axis = narrow_axis_z(COPY(*turn_b));
    Vec3 direction = mat3_rotate_back(*turn_a, axis);
    SegmentToBox to = segment_to_box(shape_core_half_m(a), mat3_rotate_back(*turn_a, offset), direction, b->size_m[1]);
    real ball_a = shape_ball_radius(a), ball_b = shape_ball_radius(b);
    real size_m = shape_size_m(a) + shape_size_m(b);
    real length = vec3_length(to.out);
    if (!(length > NARROW_DIRECTION_SHARE * size_m) || narrow_is_along(to.out, length, direction) != 0) return 0;
    r->normal = mat3_rotate(*turn_a, vec3_scale(to.out, 1.0 / length));
    r->distance_m = length - ball_a - ball_b;
    r->error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + size_m);
    r->point_a = vec3_add_scaled(mat3_rotate(*turn_a, to.near), r->normal, ball_a);
    r->point_b = vec3_add_scaled(vec3_scale(axis, to.along_m), r->normal, 0.0 - ball_b);
    r->to_nearest_m = vec3_zero();
    r->status = NARROW_OK;
    r->iterations = 0;
    return 1;
}

// Tilts within rounding count as none: a disc or side that faces the plane touches at its centre.
#define NARROW_FACING 2.0e-15

/// Vector from its vertex to the centre of the face or line of a shape that touches a plane, own axes.
FN_STAGE void narrow_middle_of(GLOBAL const Shape *a, GLOBAL const HullRow *hulls, Vec3 down, Vec3 vertex,
                               Vec3 *middle) {
    Core whole;
    core_make(a, hulls, &whole);
    *middle = patch_on_plane(&whole, down, vertex);
}

/// Shape A (not a half-space) against half-space B: one ball against the plane, at the manifold point `feature`, or at
/// the lowest point if there is a single contact.
FN_SHORT NarrowResult narrow_half_space(GLOBAL const Shape *a, const Mat3 *turn_a, const Mat3 *turn_b, Vec3 offset,
                                        u32 feature, const NarrowOptions *options) {
    Vec3 up = narrow_axis_z(COPY(*turn_b));
    u32 is_single = policy_has_one_contact(options->flags);
    u32 is_one = is_single | (manifold_count(a) == 1 ? 1u : 0u);
    u32 is_whole = policy_finds_patch(options->flags) ? is_one : 0u; // seeks the centre of the patch
    Vec3 core = vec3_zero(), middle = core;                          // relative to A
    if (!kind_is(a->kind, SHAPE_SPHERE)) {
        Vec3 down = vec3_negate(mat3_rotate_back(*turn_a, up));
        Vec3 vertex;
        if (is_one == 0)
            vertex = manifold_point(a, options->hulls, feature, down);
        else if (shape_core_is_box(a) == 0)
            vertex = shape_core_support_of_kind(a, options->hulls, down, NARROW_FACING);
        else
            vertex = manifold_point(a, options->hulls, manifold_lowest(a, down), down);
        core = mat3_rotate(*turn_a, vertex);
        if (is_whole != 0 && shape_is_strictly_convex(a) == 0)
            narrow_middle_of(a, options->hulls, down, vertex, &middle);
    }
    Vec3 seen = vec3_sub(core, offset); // relative to B
    real height = vec3_dot(seen, up);
    real ball = shape_ball_radius(a);
    NarrowResult r;
    r.status = NARROW_OK;
    r.normal = vec3_negate(up);
    r.distance_m = height - ball;
    r.error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + shape_size_m(a));
    r.point_a = vec3_add_scaled(core, up, -ball);
    r.point_b = vec3_add_scaled(seen, up, -height);
    r.to_nearest_m = vec3_zero();
    r.iterations = 0;
    if (is_whole != 0) r = narrow_in_the_middle(r, mat3_rotate(*turn_a, middle));
    if (is_single == 0 && manifold_is_empty(a, feature) != 0) r.distance_m = MANIFOLD_EMPTY_M;
    return r;
}

// How the nearest points of two shapes are found, by their kinds: the first row that fits, in either order, decides.
// ALWAYS: a closed form; CLOSED: one where policy_has_closed_forms says so, else they are searched for; FIRST: before
// the search a method that says whether its result, *r, holds; SEARCHED: no method, as of pairs in no row
// (narrow_sought). In a row a half-space is B; otherwise A's kind is not above B's.
#define NARROW_PAIRS(PAIR)                                                                                             \
    PAIR(SHAPE_ANY, SHAPE_HALF_SPACE, ALWAYS, narrow_half_space(a, turn_a, turn_b, offset, feature, options))          \
    PAIR(SHAPE_SPHERE, SHAPE_SPHERE, ALWAYS, narrow_sphere_sphere(a, b, turn_b, offset))                               \
    PAIR(SHAPE_SPHERE, SHAPE_HULL, FIRST, sphere_hull(a, b, turn_b, offset, options->hulls, r))                        \
    PAIR(SHAPE_CAPSULE, SHAPE_CAPSULE, CLOSED, narrow_capsule_capsule(a, turn_a, b, turn_b, offset))                   \
    PAIR(SHAPE_SPHERE, SHAPE_CAPSULE, CLOSED, narrow_sphere_capsule(a, b, turn_b, offset))                             \
    PAIR(SHAPE_SPHERE, SHAPE_SUPERQUADRIC, SEARCHED, 0)                                                                \
    PAIR(SHAPE_SPHERE, SHAPE_ANY, CLOSED, narrow_sphere_core(a, b, turn_b, offset))                                    \
    PAIR(SHAPE_BOX, SHAPE_CAPSULE, FIRST, narrow_box_capsule(a, turn_a, b, turn_b, offset, r))

#define SHAPE_ANY 31u // in a row: any kind
#define NARROW_ALWAYS 0u
#define NARROW_CLOSED 1u
#define NARROW_FIRST 2u
#define NARROW_SEARCHED 3u // pairs in no row
FN_SHORT u32 narrow_is_of_row(u32 kind_a, u32 kind_b, u32 a, u32 b) {
    return (a == SHAPE_ANY || kind_is(kind_a, a)) && (b == SHAPE_ANY || kind_is(kind_b, b)) ? 1u : 0u;
}

/// NARROW_ALWAYS to NARROW_SEARCHED, of two kinds.
FN u32 narrow_method_of(u32 kind_a, u32 kind_b) {
#define NARROW_METHOD(A, B, method, found)                                                                             \
    if (narrow_is_of_row(kind_a, kind_b, A, B) || narrow_is_of_row(kind_b, kind_a, A, B)) return NARROW_##method;
    NARROW_PAIRS(NARROW_METHOD)
    return NARROW_SEARCHED;
}

/// Does a pair have a closed form?
FN u32 narrow_has_closed_form(u32 kind_a, u32 kind_b, u32 flags) {
    if (!HAS(CONTENT_SEARCH)) return 1;
    u32 method = narrow_method_of(kind_a, kind_b);
    return method == NARROW_ALWAYS || (method == NARROW_CLOSED && policy_has_closed_forms(flags)) ? 1u : 0u;
}

/// Such a pair, in the order of its row.
FN_SHORT NarrowResult narrow_closed(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b,
                                    const Mat3 *turn_b, Vec3 offset, u32 feature, const NarrowOptions *options) {
#define NARROW_FOUND_ALWAYS(A, B, found)                                                                               \
    if (narrow_is_of_row(a->kind, b->kind, A, B)) return found;
#define NARROW_FOUND_CLOSED(A, B, found) NARROW_FOUND_ALWAYS(A, B, found)
#define NARROW_FOUND_FIRST(A, B, found)
#define NARROW_FOUND_SEARCHED(A, B, found)
#define NARROW_FOUND(A, B, method, found) NARROW_FOUND_##method(A, B, found)
    NARROW_PAIRS(NARROW_FOUND)
    return narrow_sphere_sphere(a, b, turn_b, offset); // no other pair is one
}

/// The method that is tried before the search of a pair, in the order of its row. Returns whether *r holds.
FN_SHORT u32 narrow_tried(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                          Vec3 offset, const NarrowOptions *options, NarrowResult *r) {
#define NARROW_TRY_ALWAYS(A, B, found)
#define NARROW_TRY_CLOSED(A, B, found)
#define NARROW_TRY_SEARCHED(A, B, found)
#define NARROW_TRY_FIRST(A, B, found)                                                                                  \
    if (narrow_is_of_row(a->kind, b->kind, A, B)) return found;
#define NARROW_TRY(A, B, method, found) NARROW_TRY_##method(A, B, found)
    NARROW_PAIRS(NARROW_TRY)
    return 0;
}

/// The same in either order.
FN_SHORT u32 narrow_own_search(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                               Vec3 offset, const NarrowOptions *options, NarrowResult *result) {
    u32 is_found = narrow_tried(a, turn_a, b, turn_b, offset, options, result);
    if (is_found == 0 && narrow_tried(b, turn_b, a, turn_a, vec3_negate(offset), options, result) != 0) {
        *result = narrow_swap(COPY(*result));
        is_found = 1;
    }
    if (is_found != 0 && options->now != 0) *options->now = narrow_no_warm_start();
    return is_found;
}

FN u32 narrow_is_unsolved(u32 status) { return status == NARROW_FALLBACK || status == NARROW_NOT_CONVERGED ? 1u : 0u; }

/// Pairs without a closed form, in the order given. If MPR gets stuck, as on solids of the same orientation, the exact
/// search continues: every direction gives a lower bound of the distance, so the greater is nearer to it.
FN void narrow_sought(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b, Vec3 offset,
                      const NarrowOptions *options, NarrowResult *result) {
    NarrowResult portal;
    if (policy_searches_as_reference(options->flags)) {
        mpr_compat_contact(a, turn_a, b, turn_b, offset, options, result);
        return;
    }
    u32 is_mpr = (options->flags & SCENE_NARROW_MPR) != 0 ? 1u : 0u;
    if (is_mpr != 0) {
        mpr_contact(a, turn_a, b, turn_b, offset, options, result);
        portal = *result;
        if (narrow_is_unsolved(portal.status) == 0) return;
    } else if (narrow_own_search(a, turn_a, b, turn_b, offset, options, result) != 0) {
        return;
    }
    penetration_contact(a, turn_a, b, turn_b, offset, options, result);
    if (is_mpr != 0 && narrow_is_unsolved(result->status) != 0 && !(result->distance_m > portal.distance_m))
        *result = portal;
}

/// The same with a block as A: searches use the axes of B, so that the root and the division of a round core's support
/// point do not follow two rotations; a block's few operations leave room for these (6 to 9 % of the time).
FN_SHORT void narrow_searched(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                              Vec3 offset, const NarrowOptions *options, NarrowResult *result) {
    u32 is_other =
        shape_core_is_box(b) != 0 && shape_core_is_box(a) == 0 && !policy_searches_as_reference(options->flags) ? 1u
                                                                                                                : 0u;
    GLOBAL const Shape *first = is_other != 0 ? b : a, *second = is_other != 0 ? a : b;
    const Mat3 *turn_first = is_other != 0 ? turn_b : turn_a, *turn_second = is_other != 0 ? turn_a : turn_b;
    if (is_other != 0) offset = vec3_negate(offset);
    narrow_sought(first, turn_first, second, turn_second, offset, options, result);
    if (is_other != 0) *result = narrow_swap(COPY(*result));
}

/// The nearest points of two shapes; with a half-space those of `feature`.
FN_SHORT NarrowResult narrow_nearest(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b,
                                     const Mat3 *turn_b, Vec3 offset, u32 feature, const NarrowOptions *options) {
    if (narrow_has_closed_form(a->kind, b->kind, options->flags) == 0) {
        NarrowResult result;
        narrow_searched(a, turn_a, b, turn_b, offset, options, &result);
        return result;
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
    u32 is_solids = !kind_is(a->kind, SHAPE_HALF_SPACE) && !kind_is(b->kind, SHAPE_HALF_SPACE)
                        ? 1u
                        : manifold_has_disc_points(a, b, options->flags);
    u32 is_several = HAS(CONTENT_SEVERAL) && is_solids != 0 && narrow_feature_count(a, b, options->flags) > 1 ? 1u : 0u;
    SolidPair solids;
    if (is_several != 0) {
        solids.a = a;
        solids.b = b;
        solids.turn_a = *turn_a;
        solids.turn_b = *turn_b;
        solids.offset_m = offset;
        solids.hulls = options->hulls;
        manifold_policy(&solids, options->flags);
        if (manifold_is_pair(a, b) != 0) return manifold_pair(&solids, feature);
        if (solids.is_rigid && manifold_is_crossing(a, b, feature))
            return manifold_crossing(&solids, feature - manifold_first_crossing(a, b));
    }
    real same_m = is_several != 0 ? manifold_same_m(a, b, solids.dome.share) : 0.0;
    u32 is_nearest = is_several == 0 || manifold_is_nearest(a, b, feature) != 0 ? 1u : 0u;
    NarrowResult nearest;
    if (is_nearest != 0) {
        nearest = narrow_nearest(a, turn_a, b, turn_b, offset, feature, options);
        if (is_several == 0 || nearest.distance_m > manifold_fades_from(&solids, same_m)) return nearest;
    }
    u32 which;
    NarrowResult deepest = manifold_deepest(&solids, is_nearest != 0 ? 0u : feature,
                                            is_nearest != 0 ? manifold_point_count(a, b) : feature + 1u, &which);
    if (is_nearest == 0) return deepest;
    return manifold_beyond(&solids, nearest, manifold_deeper(&solids, deepest), same_m);
}

#endif
