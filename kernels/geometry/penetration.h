// The exact narrow phase: distances and normals at rounding level for every pair of cores that are apart, the
// penetration depth (least translation that separates them) of cores that overlap.
//
// Two blocks: in closed form, once the touching features are known (box_box.h). Others apart: GJK and Newton's method
// on features (gjk.h). Overlapping: a polytope grows from GJK's last simplex (expanding_polytope.h). If that has no
// room, or cores are too near each other for their difference to have digits: MPR on the cores finds a face of D;
// casting again from the origin along its normal shortens the depth until the foot of the origin lies on the face (a
// cast). Newton's method on the features of a face gives the depth to rounding. kernels/geometry/README.md, "Distances:
// the narrow phase".
#ifndef CLACK_GEOMETRY_PENETRATION_H
#define CLACK_GEOMETRY_PENETRATION_H

#include "geometry/box_box.h"
#include "geometry/contact_patch.h"
#include "geometry/core_pair.h"
#include "geometry/expanding_polytope.h"
#include "geometry/feature.h"
#include "geometry/gjk.h"
#include "geometry/least_axis.h"
#include "geometry/mpr.h"
#include "geometry/mpr_contact.h"
#include "geometry/shape.h"
#include "geometry/triangle.h"

#define EXACT_RESHOOTS 20u
#define EXACT_COARSE 1.0e-3 // of the extent of D: portals that Newton's method on features starts from
#define EXACT_FINER 1.0e-3  // of that, if it does not end at an answer

// Blocks without a closed form of their own; spheres alone have one.
#define HAS_BLOCKS ((BUILD_KINDS & (1u << SHAPE_BOX | 1u << SHAPE_CAPSULE)) != 0)

#ifndef EXACT_WARM_STARTS // 0: no warm starts; for comparisons
#define EXACT_WARM_STARTS 1
#endif

// A depth of D: the translation through the plane with normal n at height h over the origin.
typedef struct PenetrationDepth {
    MprPortal portal;
    Vec3 n;
    real h;  // m; < 0 apart
    u32 end; // MPR_*
} PenetrationDepth;

FN PenetrationDepth penetration_cast_ray(const MprPair *cores, Vec3 centre, Vec3 ray, real tolerance,
                                         const NarrowOptions *options) {
    PenetrationDepth depth;
    depth.portal.iterations = 0;
    depth.portal.beyond_m = MPR_NO_MEASURE;
    depth.portal.outcome = MPR_PLANE;
    depth.portal.centre = centre;
    depth.portal.ray = ray;
    depth.end = mpr_find_portal_about_ray(cores, &depth.portal);
    if (depth.end == MPR_PORTAL) depth.end = mpr_pass_ray_through_portal(cores, &depth.portal, options->mpr_iterations);
    if (depth.end == MPR_PORTAL)
        depth.end = mpr_refine_portal(cores, &depth.portal, tolerance, options->mpr_iterations);
    if (!(depth.portal.beyond_m < MPR_NO_MEASURE))
        depth.portal.r1 = depth.portal.r2 = depth.portal.r3 = depth.portal.r4 = mpr_support(cores, ray);
    depth.n = depth.portal.r4.n;
    depth.h = 0.0 - mpr_plane_distance_m(depth.portal.r4);
    return depth;
}

// A depth and the result of Newton's method from it.
typedef struct ExactSearch {
    PenetrationDepth depth;
    Featured features;
} ExactSearch;

/// Take the next depth if it is shorter by more than `decrease_min`.
FN void penetration_take(const CorePair *pair, ExactSearch *search, const PenetrationDepth *next, real decrease_min) {
    u32 iterations = search->depth.portal.iterations + next->portal.iterations + search->features.steps;
    search->depth.portal.iterations += next->portal.iterations;
    if (!(next->h < search->depth.h - decrease_min)) return;
    search->depth = *next;
    search->depth.portal.iterations = iterations;
    mpr_features(pair, &search->depth.portal, &search->features);
}

// Is any direction as good as another? centre: of D.
FN_SHORT u32 penetration_is_centred(const CorePair *pair, Vec3 centre) {
    real near_m = NARROW_COINCIDENT_SHARE * pair->sizes_m;
    return vec3_dot(centre, centre) > near_m * near_m ? 0u : 1u;
}

/// The least depth: along the ray between the centres, then along ever shorter ones, until Newton's solution is one of
/// them or the depth gets no shorter. The least axis is a second start, as the first may lead to a local depth. `axis`:
/// first direction; for two blocks their least axis, which is the answer; 0: none is known. On curved cores a portal
/// gains one bit or two with each support point, whereas Newton's method doubles the digits: portals start coarse, and
/// get finer only if it fails.
FN void penetration_way_out(const CorePair *pair, const LeastAxis *axis, const NarrowOptions *options,
                            ExactSearch *search) {
    MprPair cores = mpr_pair(pair, MPR_CORES, 0);
    real size = pair->sizes_m;
    real decrease_min = MPR_DECREASE_MIN * size;
    real finest = real_max(options->mpr_tolerance, MPR_TOLERANCE_MIN);
    u32 is_curved = core_is_curved(&pair->a) | core_is_curved(&pair->b);
    real tolerance = is_curved != 0 ? real_max(finest, EXACT_COARSE) : finest;
    Vec3 centre = core_centre(pair);
    u32 is_centred = penetration_is_centred(pair, centre);
    if (is_centred != 0) centre = vec3_zero(); // any direction is as good
    Vec3 ray = is_centred != 0 ? vec3_make(0.0, 0.0, 1.0) : vec3_scale(centre, -1.0 / vec3_length(centre));
    search->depth.portal.iterations = search->features.steps = search->features.is_certified = 0;
    search->depth.h = REAL_HUGE;
    u32 is_other = 0, is_tried = axis != 0 ? least_is_blocks(pair) : 0u; // once along the least axis
    if (axis != 0 && axis->h > decrease_min) {
        centre = vec3_zero();
        ray = axis->n;
    }
    Vec3 first_centre = centre, first_ray = ray;
    for (u32 i = 0; i <= EXACT_RESHOOTS; i++) { // one call of each search: compilers inline them
        // From an axis coarse portals depend on which of several equal support points comes first.
        PenetrationDepth next = penetration_cast_ray(&cores, centre, ray, is_other != 0 ? finest : tolerance, options);
        u32 has_decreased = next.h < search->depth.h - decrease_min ? 1u : 0u;
        u32 is_end = has_decreased == 0 && is_other == 0 && tolerance <= finest ? 1u : 0u;
        // Of equal depths the later portal, which is finer. Near the surface of D a ray from the origin may find none:
        // then once more from the start.
        u32 is_lost = next.portal.beyond_m < MPR_NO_MEASURE || i == 0 ? 0u : 1u;
        if (is_end == 0 && is_lost == 0)
            penetration_take(pair, search, &next, is_other != 0 ? decrease_min : 0.0 - decrease_min);
        if (has_decreased == 0 && is_other == 0) tolerance = real_max(finest, tolerance * EXACT_FINER);
        if (!(search->depth.h > decrease_min)) break;
        u32 is_solved = mpr_is_solved(pair, &search->features, search->depth.h);
        is_end |= is_solved;
        is_other = 0;
        centre = is_lost != 0 ? first_centre : vec3_zero();
        ray = is_lost != 0 ? first_ray : search->depth.n;
        if (is_end == 0) continue;
        if (is_tried != 0) break;
        is_tried = 1;
        LeastAxis least;
        least.h = (is_solved != 0 ? search->features.feature.f : search->depth.h) - decrease_min;
        least.n = vec3_zero();
        least_axis(pair, &search->depth.portal, &least);
        is_other = least.h > decrease_min && vec3_dot(least.n, least.n) > 0.0 ? 1u : 0u;
        if (is_other == 0) break;
        centre = vec3_zero();
        ray = least.n;
    }
    if (is_centred != 0) search->depth.end = MPR_CENTRED;
}

/// Result in world axes, at the centre of the contact patch.
FN void penetration_result(const CorePair *pair, const Mat3 *turn_b, const GjkResult *found, NarrowResult *result) {
    mpr_gjk_result(pair, turn_b, found, result);
    if (found->is_certified == 0) return;
    Vec3 shift = patch_shift(pair, COPY(found->n), COPY(found->a), COPY(found->b), found->distance_m);
    if (!(vec3_max_abs(shift) > 0.0)) return;
    shift = mat3_rotate(*turn_b, shift);
    result->point_a = vec3_add(result->point_a, shift);
    result->point_b = vec3_add(result->point_b, shift);
    result->to_nearest_m = vec3_negate(shift);
}

/// s: GJK's last simplex; 0: none.
FN NarrowResult penetration_overlap(const CorePair *pair, const LeastAxis *blocks, const GjkSimplex *s,
                                    const Mat3 *turn_b, const NarrowOptions *options) {
    ExactSearch search;
    LeastAxis nearest;
    u32 is_found = 0;
    if (s != 0 && penetration_is_centred(pair, core_centre(pair)) == 0) {
        is_found = polytope_way_out(pair, s, &search.depth.portal, &search.features);
        search.depth.n = nearest.n = search.depth.portal.r4.n;
        search.depth.h = nearest.h = 0.0 - mpr_plane_distance_m(search.depth.portal.r4);
        search.depth.end = MPR_PLANE;
        if (search.depth.portal.iterations > 0 && blocks == 0) blocks = &nearest;
    }
    if (is_found == 0) penetration_way_out(pair, blocks, options, &search);
    const PenetrationDepth *depth = &search.depth;
    const MprPortal *portal = &depth->portal;
    const Featured *features = &search.features;
    GjkResult found;
    found.is_apart = 0;
    found.is_certified = depth->end == MPR_FOOT || depth->end == MPR_PLANE || depth->end == MPR_ON_RAY ? 1u : 0u;
    found.steps = portal->iterations + features->steps;
    if (mpr_is_solved(pair, features, depth->h) != 0) {
        mpr_take_features(features, &found);
    } else {
        TrianglePoint at = triangle_nearest(COPY(portal->r1.p), COPY(portal->r2.p), COPY(portal->r3.p));
        found.n = depth->n;
        found.b = triangle_blend(COPY(portal->r1.c.b), COPY(portal->r2.c.b), COPY(portal->r3.c.b), at);
        found.a = vec3_add(found.b, at.q);
        found.distance_m = 0.0 - depth->h;
        // Between the portal's bounds. For near cores, and without a portal, as where the ray met the first support
        // point (two corners), the other bound: the surface of D is no farther than a point of D.
        u32 has_portal = portal->beyond_m < MPR_NO_MEASURE ? 1u : 0u;
        found.gap_m = has_portal != 0 ? portal->beyond_m : 0.0;
        if (has_portal == 0 || !(depth->h > MPR_DECREASE_MIN * pair->sizes_m)) {
            found.gap_m = real_max(found.gap_m, real_sqrt(at.square) + depth->h);
            if (depth->h < 0.0 && found.gap_m > GJK_GAP_STATED * pair->size_m) found.is_certified = 0;
        }
    }
    NarrowResult result;
    penetration_result(pair, turn_b, &found, &result);
    if (depth->end == MPR_CENTRED) result.status = NARROW_COINCIDENT;
    if (found.is_certified == 0 && mpr_status(depth->end) != NARROW_OK) result.status = mpr_status(depth->end);
    return result;
}

/// First direction of a search: between the centres, or for an oval from the nearest point of a box, which saves a
/// tenth of the steps (with other solids no time).
FN_SHORT Vec3 penetration_begin(const CorePair *pair) {
    Vec3 direction = vec3_negate(core_centre(pair));
    u32 is_box_a = kind_is(pair->a.kind, SHAPE_BOX) & shape_kind_is_smooth(pair->b.kind);
    u32 is_box_b = kind_is(pair->b.kind, SHAPE_BOX) & shape_kind_is_smooth(pair->a.kind);
    if ((is_box_a | is_box_b) == 0) return direction;
    Vec3 half_m = is_box_a != 0 ? pair->a.segments.half_m : pair->b.segments.half_m;
    Vec3 centre =
        is_box_a != 0 ? mat3_rotate_back(pair->turn, direction) : vec3_negate(direction); // of the oval, in the box
    Vec3 out = vec3_make(centre.x - real_clamp(centre.x, 0.0 - half_m.x, half_m.x),
                         centre.y - real_clamp(centre.y, 0.0 - half_m.y, half_m.y),
                         centre.z - real_clamp(centre.z, 0.0 - half_m.z, half_m.z));
    if (!(vec3_dot(out, out) > 0.0)) return direction;
    return is_box_a != 0 ? mat3_rotate(pair->turn, out) : vec3_negate(out);
}

/// Result in a build without the depth of overlaps: far apart, so that the pair is not evaluated further.
FN NarrowResult penetration_unsearched(void) {
    NarrowResult result;
    result.distance_m = NARROW_UNSEARCHED_M;
    result.error_m = 0.0;
    result.normal = vec3_make(0.0, 0.0, 1.0);
    result.point_a = result.point_b = result.to_nearest_m = vec3_zero();
    result.status = NARROW_UNSEARCHED;
    result.iterations = 0;
    return result;
}

/// The tighter of a depth and the bounds of cores that touch or nearly do: every direction gives a lower bound of the
/// signed distance, the greater is nearer to it; the points of `touch` give the upper one.
FN_SHORT NarrowResult penetration_tighter(const NarrowResult *out, const NarrowResult *touch) {
    real rounding_m = out->status == NARROW_OK ? out->error_m : 0.0;
    NarrowResult result = out->distance_m + rounding_m >= touch->distance_m ? *out : *touch;
    result.error_m = real_min(result.error_m, touch->distance_m + touch->error_m - result.distance_m);
    if (out->status == NARROW_COINCIDENT) result.status = NARROW_COINCIDENT;
    return result;
}

/// The contact of two blocks in the form of a search's result.
FN_SHORT void penetration_from_touch(const Blocks *blocks, const BlockContact *touch, GjkResult *found) {
    const Mat3 *turn_b = blocks->b.turn;
    found->distance_m = touch->distance_m;
    found->gap_m = touch->gap_m;
    found->n = mat3_rotate_back(*turn_b, touch->n);
    found->b = mat3_rotate_back(*turn_b, touch->b);
    found->a = mat3_rotate_back(*turn_b, vec3_sub(touch->a, blocks->offset));
    found->is_apart = found->is_certified = 1;
    found->is_undecided = found->steps = 0;
}

// Two shapes whose distance is sought.
typedef struct PenetrationQuery {
    GLOBAL const Shape *a, *b;
    const Mat3 *turn_a, *turn_b; // shape to world
    Vec3 offset_m;               // shape origin of B minus that of A
    const NarrowOptions *options;
} PenetrationQuery;

/// Two blocks with known features: from a warm start, or with `least` from their least axis, which is stored there.
/// Returns whether the result is proved.
FN u32 penetration_blocks(const PenetrationQuery *query, u32 corners_a, u32 corners_b, LeastAxis *least,
                          NarrowResult *result) {
    const NarrowOptions *options = query->options;
    Vec3 offset = query->offset_m;
    Blocks blocks;
    BlockContact touch;
    box_box_make(query->a, query->turn_a, query->b, query->turn_b, offset, &blocks);
    u32 is_warm = box_box_warm(&blocks, corners_a, corners_b, &touch);
    if (is_warm == 0) {
        BlockFeatures features;
        if (least == 0 || box_box_cold(&blocks, least, &features, &touch) == 0) return 0;
        corners_a = touch.distance_m > 0.0
                        ? NARROW_WARM_START_SET | gjk_pack(least_codes(features.code_a, features.edges_a))
                        : 0u;
        corners_b = touch.distance_m > 0.0 ? gjk_pack(least_codes(features.code_b, features.edges_b)) : 0u;
    }
    if (options->now != 0) {
        options->now->normal = touch.n;
        options->now->corners_a = corners_a;
        options->now->corners_b = corners_b;
    }
    if (touch.distance_m > 0.0 && touch.is_point == 0) {
        CorePair pair;
        GjkResult found;
        core_pair_make(query->a, query->turn_a, query->b, query->turn_b, offset, options->hulls, &pair);
        penetration_from_touch(&blocks, &touch, &found);
        penetration_result(&pair, query->turn_b, &found, result);
    } else {
        box_box_result(&blocks, &touch, result);
    }
    real near_m = NARROW_COINCIDENT_SHARE * blocks.sizes_m;
    if (!(vec3_dot(offset, offset) > near_m * near_m)) result->status = NARROW_COINCIDENT;
    result->iterations = 1u - is_warm;
    return 1;
}

/// The search. blocks: least axis of two blocks, which is not the answer; 0: others. A function of its own: in builds
/// without the search for a depth compilers would inline it at each call.
FN_LINK_APART void penetration_search(const PenetrationQuery *query, const LeastAxis *blocks, NarrowResult *result) {
    const NarrowOptions *options = query->options;
    const Mat3 *turn_b = query->turn_b;
    CorePair pair;
    core_pair_make(query->a, query->turn_a, query->b, turn_b, COPY(query->offset_m), options->hulls, &pair);
    GjkResult found;
    if (EXACT_WARM_STARTS && options->before != 0 && blocks == 0 &&
        gjk_distance_warm(&pair, options->before, options->now, &found) != 0) {
        penetration_result(&pair, turn_b, &found, result);
        return;
    }
    NarrowWarmStart warm_start = narrow_no_warm_start();
    GjkSimplex s;
    s.is_enclosing = 0;
    gjk_distance_cold(&pair, blocks != 0 ? blocks->n : penetration_begin(&pair), &s, &warm_start, &found);
    if (options->now != 0) *options->now = warm_start;
    if (found.is_apart != 0 && found.is_certified != 0) {
        // For blocks from the features found, so that the next query, which knows them, gives the same bits.
        if (blocks != 0 && penetration_blocks(query, warm_start.corners_a, warm_start.corners_b, 0, result) != 0)
            result->iterations = found.steps;
        else
            penetration_result(&pair, turn_b, &found, result);
        return;
    }
    // Apart, not certified. If cores nearly touch, their difference has no digits, and a portal may be more accurate.
    // Elsewhere it never was (58 of 58 queries of random pairs), except for blocks that are flush.
    u32 is_bounded = found.is_apart | found.is_undecided;
    if (is_bounded != 0) mpr_gjk_result(&pair, turn_b, &found, result);
    if (found.is_apart != 0 && blocks == 0 && found.distance_m > GJK_DIRECTION_SHARE * pair.size_m) return;
    if (MAY_NEED_SECOND_BUILD) {
        *result = penetration_unsearched();
        return;
    }
    NarrowResult out =
        penetration_overlap(&pair, blocks, found.is_apart == 0 && s.is_enclosing != 0 ? &s : 0, turn_b, options);
    out.iterations += found.steps;
    // Cores that the search enclosed overlap: the depth is at most too large.
    if (is_bounded == 0 && s.is_enclosing != 0)
        out.error_m = real_min(out.error_m, real_max(0.0 - out.distance_m - pair.a.ball_m - pair.b.ball_m, 0.0) +
                                                NARROW_ROUNDING * pair.size_m);
    if (found.is_undecided != 0)
        *result = penetration_tighter(&out, result);
    else if (is_bounded == 0 || out.error_m < result->error_m)
        *result = out;
}

/// Signed distance of any two shapes but half-spaces; error_m bounds its error. If cores are apart the result is
/// certified: no other normal gives a distance greater by more than that, whatever the warm start was.
FN void penetration_contact(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                            Vec3 offset, const NarrowOptions *options, NarrowResult *result) {
    LeastAxis least;
    PenetrationQuery query;
    query.a = a;
    query.b = b;
    query.turn_a = turn_a;
    query.turn_b = turn_b;
    query.offset_m = offset;
    query.options = options;
    u32 is_blocks = HAS_BLOCKS ? shape_core_is_box(a) & shape_core_is_box(b) : 0u,
        has_warm_start = EXACT_WARM_STARTS && options->before != 0 ? 1u : 0u;
    if (is_blocks != 0 &&
        penetration_blocks(&query, has_warm_start != 0 ? options->before->corners_a : 0u,
                           has_warm_start != 0 ? options->before->corners_b : 0u, &least, result) != 0)
        return;
    penetration_search(&query, is_blocks != 0 ? &least : 0, result);
}

#endif
