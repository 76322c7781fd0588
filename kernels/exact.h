// The exact narrow phase: distances and normals at rounding level for every pair of cores that are apart,
// the nearest way out for cores that overlap.
//
// Apart: GJK and Newton on features (gjk.h). Overlapping, or too near each other for a difference to have
// digits: MPR on the cores finds a face of D; cast again from the origin along its normal, the way out
// gets shorter until the foot of the origin lies on the face (reshoot); Newton on the features of that face
// then gives it to rounding. Source: spec narrow-phase 2, 3.6.
#ifndef CLACK_EXACT_H
#define CLACK_EXACT_H

#include "mpr_contact.h"

#define EXACT_RESHOOTS 20u
#define EXACT_FALLEN 1.0e-14 // of the sizes: a way out that gets no shorter than this
#define EXACT_COARSE 1.0e-3  // of the extent of D: portals that Newton on features starts from
#define EXACT_FINER 1.0e-3   // of them, where it does not end at an answer

#ifndef EXACT_HINTS // 0: every search is a cold one; for comparisons
#define EXACT_HINTS 1
#endif

// A way out of D: through the plane with normal n at a height h over the origin.
typedef struct ExactWay {
    MprPortal portal;
    Vec3 n;
    real h; // m; < 0 apart
    u32 end; // MPR_*
} ExactWay;

FN ExactWay exact_shoot(const MprPair *cores, Vec3 centre, Vec3 ray, real tolerance, NarrowOptions options) {
    ExactWay way;
    way.portal.iterations = 0;
    way.portal.measure_m = MPR_NO_MEASURE;
    way.portal.outcome = MPR_PLANE;
    way.portal.centre = centre;
    way.portal.ray = ray;
    way.end = mpr_find_portal_about_ray(cores, &way.portal);
    if (way.end == MPR_PORTAL)
        way.end = mpr_pass_ray_through_portal(cores, &way.portal, options.mpr_iterations);
    if (way.end == MPR_PORTAL)
        way.end = mpr_refine_portal(cores, &way.portal, tolerance, options.mpr_iterations);
    if (!(way.portal.measure_m < MPR_NO_MEASURE))
        way.portal.r1 = way.portal.r2 = way.portal.r3 = way.portal.r4 = mpr_support(cores, ray);
    way.n = way.portal.r4.n;
    way.h = 0.0 - mpr_plane_distance_m(way.portal.r4);
    return way;
}

// The features of the corners of a portal, from its normal; all three corners count.
FN void exact_features(const CorePair *pair, const ExactWay *way, Featured *found) {
    const MprPortal *portal = &way->portal;
    FeatureCodes codes_a, codes_b;
    codes_a.first = portal->r1.c.code_a;
    codes_a.second = portal->r2.c.code_a;
    codes_a.third = portal->r3.c.code_a;
    codes_b.first = portal->r1.c.code_b;
    codes_b.second = portal->r2.c.code_b;
    codes_b.third = portal->r3.c.code_b;
    gjk_try_features(pair, codes_a, codes_b, way->n, found);
}

/// Does Newton on the features of a way out end on a way that is no longer?
FN u32 exact_is_solved(const ExactWay *way, const Featured *features, real size) {
    return features->is_certified != 0 && features->feature.f <= way->h + EXACT_FALLEN * size ? 1u : 0u;
}

// A way out and what Newton made of it.
typedef struct ExactSearch {
    ExactWay way;
    Featured features;
} ExactSearch;

#define EXACT_AXES 15u
#define EXACT_PARALLEL_SQUARE 1.0e-16 // of the sine between edges that have no usable common perpendicular

typedef struct ExactAxis {
    Vec3 n; // from A to B, in B
    real h; // of D along it, m
} ExactAxis;

FN ExactAxis exact_lesser(const CorePair *pair, ExactAxis best, Vec3 n) {
    real h = vec3_dot(core_support(pair, n).p, n);
    if (!(h < best.h)) return best;
    best.n = n;
    best.h = h;
    return best;
}

/// Of the shapes' own axes and the common perpendiculars of these the one along which D ends nearest to the
/// origin. The normals of all faces of two blocks (boxes, segments) are among them: exact; else a good start.
FN ExactAxis exact_least_axis(const CorePair *pair) {
    ExactAxis best;
    Mat3 turn_b = mat3_identity();
    u32 is_blocks = shape_is_block(pair->a.shape) & shape_is_block(pair->b.shape);
    best.n = vec3_make(0.0, 0.0, 1.0);
    best.h = REAL_HUGE;
    for (u32 i = 0; i < EXACT_AXES; i++) {
        Vec3 axis = i < 3 ? mat3_column(pair->turn, i) : mat3_column(turn_b, i - 3u);
        if (i > 5) axis = vec3_cross(mat3_column(pair->turn, (i - 6u) / 3u), mat3_column(turn_b, (i - 6u) % 3u));
        real square = vec3_dot(axis, axis);
        if (!(square > EXACT_PARALLEL_SQUARE)) continue;
        Vec3 n = vec3_scale(axis, 1.0 / real_sqrt(square));
        if (vec3_dot(n, pair->place) > 0.0) n = vec3_negate(n);
        best = exact_lesser(pair, best, n);
        if (is_blocks == 0) best = exact_lesser(pair, best, vec3_negate(n)); // blocks are alike on both sides
    }
    return best;
}

/// Take the next way where it is shorter by more than `fallen`.
FN void exact_take(const CorePair *pair, ExactSearch *search, ExactWay next, real fallen) {
    search->way.portal.iterations += next.portal.iterations;
    if (!(next.h < search->way.h - fallen)) return;
    next.portal.iterations = search->way.portal.iterations + search->features.steps;
    search->way = next;
    exact_features(pair, &search->way, &search->features);
}

/// The nearest way out: along the ray between the centres, then along ever shorter ones, until Newton's answer
/// is one of them or the way gets no shorter. The least axis is another beginning, as the first may lead to a
/// local depth; for two blocks, of which it is the answer, the only one. On curved cores a portal gains one bit
/// or two with each support point, Newton doubles the digits: portals begin coarse, and get finer only where
/// Newton refuses them.
FN ExactSearch exact_way_out(const CorePair *pair, NarrowOptions options) {
    ExactSearch search;
    MprPair cores = mpr_pair(pair, MPR_CORES);
    real size = pair->sizes_m;
    real fallen = EXACT_FALLEN * size;
    real finest = real_max(options.mpr_tolerance, MPR_TOLERANCE_MIN);
    u32 is_curved = core_is_curved(&pair->a) | core_is_curved(&pair->b);
    real tolerance = is_curved != 0 ? real_max(finest, EXACT_COARSE) : finest;
    Vec3 centre = core_centre(pair);
    real length = vec3_length(centre);
    u32 is_centred = length > NARROW_COINCIDENT_SHARE * size ? 0u : 1u;
    if (is_centred != 0) centre = vec3_zero(); // any direction is as good
    Vec3 ray = is_centred != 0 ? vec3_make(0.0, 0.0, 1.0) : vec3_scale(centre, -1.0 / length);
    ExactAxis least = exact_least_axis(pair);
    u32 is_settled = shape_is_block(pair->a.shape) & shape_is_block(pair->b.shape) & (least.h > fallen ? 1u : 0u);
    if (is_settled != 0) centre = vec3_zero(); // within D
    if (is_settled != 0) ray = least.n;
    search.way.h = REAL_HUGE;
    search.way.portal.iterations = search.features.steps = search.features.is_certified = 0;
    u32 is_other = 0, is_tried = 0; // along the least axis, for once
    for (u32 i = 0; i <= EXACT_RESHOOTS; i++) { // one call of each search: compilers put them in line
        // From an axis coarse portals depend on which of several equal support points comes first.
        ExactWay next = exact_shoot(&cores, centre, ray, is_other != 0 ? finest : tolerance, options);
        u32 has_fallen = next.h < search.way.h - fallen ? 1u : 0u;
        u32 is_end = has_fallen == 0 && is_other == 0 && tolerance <= finest ? 1u : 0u;
        // Of as long a way the later portal, which is finer.
        if (is_end == 0) exact_take(pair, &search, next, is_other != 0 ? fallen : 0.0 - fallen);
        if (has_fallen == 0 && is_other == 0) tolerance = real_max(finest, tolerance * EXACT_FINER);
        if (!(search.way.h > fallen)) break;
        u32 is_solved = exact_is_solved(&search.way, &search.features, size);
        real reached = is_solved != 0 ? search.features.feature.f : search.way.h;
        is_end |= is_solved;
        is_other = is_end != 0 && is_tried == 0 && least.h > fallen && least.h < reached - fallen ? 1u : 0u;
        if (is_end != 0 && is_other == 0) break;
        is_tried |= is_other;
        centre = vec3_zero();
        ray = is_other != 0 ? least.n : search.way.n;
    }
    if (is_centred != 0) search.way.end = MPR_CENTRED;
    return search;
}

FN NarrowResult exact_overlap(const CorePair *pair, Mat3 turn_b, NarrowOptions options) {
    ExactSearch search = exact_way_out(pair, options);
    const ExactWay *way = &search.way;
    const MprPortal *portal = &way->portal;
    const Featured *features = &search.features;
    GjkResult found;
    found.is_apart = 0;
    found.is_certified = way->end == MPR_FOOT || way->end == MPR_PLANE || way->end == MPR_ON_RAY ? 1u : 0u;
    found.steps = portal->iterations + features->steps;
    if (exact_is_solved(way, features, pair->sizes_m) != 0) {
        found.n = features->feature.n;
        found.a = features->feature.a;
        found.b = features->feature.b;
        found.distance_m = 0.0 - features->feature.f;
        found.gap_m = 0.0;
        found.is_certified = 1;
    } else {
        TrianglePoint at = triangle_nearest(portal->r1.p, portal->r2.p, portal->r3.p);
        found.n = way->n;
        found.b = triangle_blend(portal->r1.c.b, portal->r2.c.b, portal->r3.c.b, at);
        found.a = vec3_add(found.b, at.q);
        found.distance_m = 0.0 - way->h;
        // What the portal reaches of its plane, and for near cores the other bound.
        found.gap_m = real_abs(vec3_dot(vec3_sub(portal->r4.p, portal->r1.p), portal->r4.n));
        if (way->h < 0.0) found.gap_m = real_max(found.gap_m, real_sqrt(at.square) + way->h);
    }
    NarrowResult result = mpr_gjk_result(pair, turn_b, &found);
    if (way->end == MPR_CENTRED) result.status = NARROW_COINCIDENT;
    if (found.is_certified == 0) result.status = mpr_status(way->end);
    return result;
}

/// Signed distance of any two shapes but half-spaces; error_m tells how well it is known. Where cores are
/// apart, certified: no other normal gives a greater distance by more than that, whatever the hint was.
FN NarrowResult exact_contact(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b, Vec3 offset,
                              NarrowOptions options) {
    CorePair pair = core_pair_make(a, turn_a, b, turn_b, offset, options.hulls);
    NarrowHint hint = narrow_no_hint();
    if (EXACT_HINTS && options.before != 0) hint = *options.before;
    GjkResult found;
    gjk_distance_warm(&pair, &hint, &found);
    if (found.is_apart == 0) gjk_distance_cold(&pair, &hint, &found);
    if (options.now != 0) *options.now = hint;
    if (found.is_apart != 0) return mpr_gjk_result(&pair, turn_b, &found);
    NarrowResult result = exact_overlap(&pair, turn_b, options);
    result.iterations += found.steps;
    return result;
}

#endif
