// The narrow phase by MPR: runs the phases of mpr.h and makes a contact of the portal, by default from the portal's
// plane, then certified on the cores, or as the reference does (compat: mpr_compat_contact).
#ifndef CLACK_GEOMETRY_MPR_CONTACT_H
#define CLACK_GEOMETRY_MPR_CONTACT_H

#include "geometry/compat_box.h"
#include "geometry/core_pair.h"
#include "geometry/feature.h"
#include "geometry/gjk.h"
#include "geometry/mpr.h"
#include "geometry/triangle.h"

#define MPR_POLISH_START 1.0e-2 // relative; of portals from which Newton's method ends in a few steps
// Of the extent of D: a converged portal whose plane the ray passes later than another's by more than this is at
// another face. Seen: 1e-8, with cones, whose support function is not that of a convex body, 1e-3; at other faces 1 and
// more.
#define MPR_COMPAT_BESIDE 1.0e-2
// Of the sizes: depths that exceed the one along the ray by more are marked. The reference takes surface points of
// spheres and ellipsoids at its normals, which are good to the root of its tolerance, 3e-7 rad.
#define MPR_COMPAT_DEEPER 1.0e-6
#define MPR_DECREASE_MIN 1.0e-14 // of the sizes: smaller decreases of a depth count as none

/// Newton's method on the features of the corners of a portal, from its normal; all three corners count.
FN void mpr_features(const CorePair *pair, const MprPortal *portal, Featured *found) {
    FeatureCodes codes_a, codes_b;
    codes_a.first = portal->r1.c.code_a;
    codes_a.second = portal->r2.c.code_a;
    codes_a.third = portal->r3.c.code_a;
    codes_b.first = portal->r1.c.code_b;
    codes_b.second = portal->r2.c.code_b;
    codes_b.third = portal->r3.c.code_b;
    gjk_try_features(pair, codes_a, codes_b, COPY(portal->r4.n), found);
}

/// Does Newton's method on features end on a depth of D of at most h? If cores are apart: on the only solution.
FN u32 mpr_is_solved(const CorePair *pair, const Featured *features, real h) {
    return features->is_certified != 0 && features->feature.f <= h + MPR_DECREASE_MIN * pair->sizes_m ? 1u : 0u;
}

FN void mpr_take_features(const Featured *features, GjkResult *found) {
    found->n = features->feature.n;
    found->a = features->feature.a;
    found->b = features->feature.b;
    found->distance_m = 0.0 - features->feature.f;
    found->gap_m = features->feature.f < 0.0 ? features->gap_m : 0.0;
    found->is_certified = 1;
}

/// The contact of two cores with their balls, rotated from the axes of B to the world.
FN void mpr_gjk_result(const CorePair *pair, const Mat3 *turn_b, const GjkResult *found, NarrowResult *result) {
    Vec3 normal = vec3_renormalize(mat3_rotate(*turn_b, found->n));
    result->normal = normal;
    result->distance_m = found->distance_m - pair->a.ball_m - pair->b.ball_m;
    result->error_m = real_max(found->gap_m, 0.0) + NARROW_ROUNDING * pair->size_m;
    result->point_a = vec3_add_scaled(mat3_rotate(*turn_b, vec3_sub(found->a, pair->place)), normal, pair->a.ball_m);
    result->point_b = vec3_add_scaled(mat3_rotate(*turn_b, found->b), normal, 0.0 - pair->b.ball_m);
    result->to_nearest_m = vec3_zero();
    result->status = found->is_certified != 0 ? NARROW_OK : NARROW_NOT_CONVERGED;
    result->iterations = found->steps;
}

// --- the plane of a portal -----------------------------------------------------------------------

/// Contact points between the corners of a portal, balls included, with the weights of the triangle's nearest point.
FN void mpr_between(const MprPair *pair, const MprPortal *portal, TrianglePoint at, GjkResult *found) {
    Vec3 n = triangle_blend(COPY(portal->r1.n), COPY(portal->r2.n), COPY(portal->r3.n), at);
    Vec3 b = triangle_blend(COPY(portal->r1.c.b), COPY(portal->r2.c.b), COPY(portal->r3.c.b), at);
    found->a = vec3_add_scaled(
        vec3_add(b, triangle_blend(COPY(portal->r1.c.p), COPY(portal->r2.c.p), COPY(portal->r3.c.p), at)), n,
        pair->ball_a_m);
    found->b = vec3_add_scaled(b, n, 0.0 - pair->ball_b_m);
}

/// The plane of one support point: for a ray that meets it, and if there is no portal.
FN GjkResult mpr_point_result(const MprPair *pair, const MprPoint *r, u32 end) {
    GjkResult found;
    found.distance_m = mpr_plane_distance_m(COPY(*r));
    found.n = r->n;
    found.a = vec3_add_scaled(vec3_add(r->c.b, r->c.p), r->n, pair->ball_a_m);
    found.b = vec3_add_scaled(r->c.b, r->n, 0.0 - pair->ball_b_m);
    // Without a portal the other bound is unknown: the origin projects to somewhere within the plane's shapes.
    found.gap_m = end == MPR_ON_RAY ? 0.0 : vec3_length(vec3_cross(r->p, r->n));
    found.is_apart = found.is_certified = found.steps = 0;
    return found;
}

/// The plane of the portal: distance and normal of its support point, contact points at the origin's foot, moved into
/// the triangle, between the portal's corners. gap_m: what lies beyond it.
FN GjkResult mpr_plane_result(const MprPair *pair, const MprPortal *portal) {
    GjkResult found = mpr_point_result(pair, &portal->r4, MPR_ON_RAY);
    TrianglePoint at = triangle_nearest(COPY(portal->r1.p), COPY(portal->r2.p), COPY(portal->r3.p));
    found.gap_m = portal->beyond_m;
    // If apart, the portal's point nearest to the origin is a pair of points at that distance.
    if (pair->supports != MPR_COMPAT && found.distance_m > 0.0)
        found.gap_m =
            real_max(found.gap_m, real_sqrt(at.square) - found.distance_m + NARROW_ROUNDING * pair->cores->size_m);
    if (portal->outcome != MPR_FOOT) mpr_between(pair, portal, at, &found);
    found.steps = portal->iterations;
    return found;
}

/// In the world, for points that include their balls.
FN NarrowResult mpr_result(const CorePair *pair, const Mat3 *turn_b, const GjkResult *found, u32 end) {
    NarrowResult result;
    result.normal = vec3_normalize(mat3_rotate(*turn_b, found->n));
    result.distance_m = found->distance_m;
    result.error_m = found->gap_m + NARROW_ROUNDING * pair->size_m;
    result.point_a = mat3_rotate(*turn_b, vec3_sub(found->a, pair->place));
    result.point_b = mat3_rotate(*turn_b, found->b);
    result.to_nearest_m = vec3_zero();
    result.status = mpr_status(end);
    result.iterations = found->steps;
    return result;
}

// --- the reference's result ---------------------------------------------------------------------

// Shapes whose surface points and normals determine each other.
FN u32 mpr_is_bijective(u32 kind) { return kind_is(kind, SHAPE_SPHERE) | shape_kind_is_smooth(kind); }

/// Divisor of the reference's distances: the extent of D, but 1 between two bijective shapes.
FN real mpr_compat_divisor(const MprPair *pair, const MprPortal *portal) {
    u32 is_bijective = mpr_is_bijective(pair->cores->a.kind) & mpr_is_bijective(pair->cores->b.kind);
    return is_bijective != 0 ? 1.0 : portal->extent_m;
}

/// The reference's result (kernels/geometry/README.md, "The reference"): the portal's triangle instead of its plane,
/// and the distance divided by the extent of D, as in its published results. Two bijective shapes: true metres.
FN GjkResult mpr_compat_result(const MprPair *pair, const MprPortal *portal) {
    GjkResult found = mpr_plane_result(pair, portal);
    const MprPoint *r4 = &portal->r4;
    if (portal->outcome == MPR_FOOT) {
        found.distance_m = mpr_plane_distance_m(COPY(*r4)) / portal->extent_m;
    } else {
        TrianglePoint at = triangle_nearest(COPY(portal->r1.p), COPY(portal->r2.p), COPY(portal->r3.p));
        real length = real_sqrt(at.square) / portal->extent_m;
        found.distance_m = vec3_dot(at.q, r4->n) > 0.0 ? -length : length;
    }
    u32 bijective_a = mpr_is_bijective(pair->cores->a.kind);
    u32 bijective_b = mpr_is_bijective(pair->cores->b.kind);
    if (bijective_a != 0) found.a = vec3_add(r4->c.b, r4->c.p);
    if (bijective_b != 0) found.b = r4->c.b;
    if (bijective_a != 0 && bijective_b != 0) {
        real length = vec3_length(vec3_sub(found.b, found.a));
        found.distance_m = found.distance_m < 0.0 ? -length : length;
    } else if (bijective_a != 0) {
        found.b = vec3_add_scaled(found.a, r4->n, found.distance_m);
    } else if (bijective_b != 0) {
        found.a = vec3_add_scaled(found.b, r4->n, -found.distance_m);
    }
    return found;
}

/// Phase 3 of the reference: if it does not converge, the portal of the least measure seen (kernels/geometry/README.md,
/// "The reference").
FN u32 mpr_refine_compat(const MprPair *pair, MprPortal *portal, real tolerance, u32 limit) {
    MprPortal best = *portal;
    u32 end = MPR_PORTAL;
    for (u32 i = 0; i < limit && end == MPR_PORTAL; i++) {
        end = mpr_measure_portal(pair, portal, tolerance * portal->extent_m);
        if (end == MPR_FOOT || end == MPR_PLANE) return end;
        if (portal->measure_m < best.measure_m) best = *portal;
        if (end == MPR_PORTAL) end = mpr_next_portal(pair, portal);
    }
    best.iterations = portal->iterations;
    *portal = best;
    return end == MPR_PORTAL ? MPR_LIMIT : end;
}

// --- the whole --------------------------------------------------------------------------------

/// The nearest points of the cores, from the corners of the portal. Balls move neither.
FN void mpr_polish(const CorePair *cores, const MprPortal *portal, GjkResult *found) {
    NarrowWarmStart warm_start; // of cores alone
    GjkSimplex s;
    s.c1 = portal->r1.c;
    gjk_begin(&s);
    gjk_add(&s, &portal->r2.c);
    gjk_add(&s, &portal->r3.c);
    found->n = portal->r4.n;
    gjk_distance(cores, &s, &warm_start, found);
}

// Barycentric coordinate of the origin, times a factor common to four corners.
FN_SHORT real mpr_volume(Vec3 a, Vec3 b, Vec3 c) { return vec3_dot(a, vec3_cross(b, c)); }

/// Does the origin lie between the centre and the portal of the cores? Then they overlap.
FN u32 mpr_cores_enclose(const MprPortal *portal) {
    Vec3 c = portal->centre, p1 = portal->r1.c.p, p2 = portal->r2.c.p, p3 = portal->r3.c.p;
    real first = mpr_volume(p1, p2, p3);
    real sign = first > 0.0 ? 1.0 : -1.0;
    return sign * first > 0.0 && sign * mpr_volume(c, p3, p2) > 0.0 && sign * mpr_volume(c, p1, p3) > 0.0 &&
                   sign * mpr_volume(c, p2, p1) > 0.0
               ? 1u
               : 0u;
}

/// Substitute where there is no portal: the plane across the ray.
FN void mpr_across_ray(const MprPair *pair, MprPortal *portal) {
    portal->r1 = portal->r2 = portal->r3 = portal->r4 = mpr_support(pair, COPY(portal->ray));
}

/// Distance from the origin at which a ray passes through the plane of a support point, m: nothing of D lies beyond any
/// such plane.
FN real mpr_way_out_m(MprPoint r, Vec3 ray) { return vec3_dot(r.p, r.n) / vec3_dot(ray, r.n); }

/// By how much the reference's shape may reach farther than the exact one, m: at its cone's base the height is divided
/// by the part of the direction across the axis, its top radius is reduced by less (kernels/geometry/README.md, "The
/// reference").
FN_SHORT real mpr_compat_wider_m(GLOBAL const Shape *shape) {
    return kind_is(shape->kind, SHAPE_CONE) ? shape->smoothing_m * shape->size_m[0] / shape->size_m[1] : 0.0;
}

/// The plane of the reference's shapes with the normal of the exact shapes' face at which the ray leaves. most_m:
/// receives the depth along the ray through that face, moved outwards by what the reference's shapes may reach farther.
FN MprPoint mpr_compat_plane(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, Vec3 offset,
                             const NarrowOptions *options, const MprPair *pair, real *most_m) {
    CorePair cores;
    core_pair_make(a, turn_a, b, pair->turn_b, offset, options->hulls, &cores);
    MprPair exact = mpr_pair(&cores, MPR_WHOLE, pair->turn_b);
    MprPortal portal;
    u32 end = mpr_find_portal_start(&exact, &portal);
    if (end == MPR_PORTAL) end = mpr_pass_ray_through_portal(&exact, &portal, options->mpr_iterations);
    if (end == MPR_PORTAL) (void)mpr_refine_portal(&exact, &portal, MPR_TOLERANCE_MIN, options->mpr_iterations);
    if (!(portal.beyond_m < MPR_NO_MEASURE)) mpr_across_ray(&exact, &portal);
    Vec3 n = portal.r4.n;
    *most_m = (vec3_dot(portal.r4.p, n) + mpr_compat_wider_m(a) + mpr_compat_wider_m(b)) / vec3_dot(portal.ray, n);
    return mpr_support(pair, vec3_renormalize(mat3_rotate(*pair->turn_b, n)));
}

/// The reference's numbers. Its portals go beside the ray (mpr_sense): for few pairs they get stuck there or end at a
/// face of D at which the ray does not leave, and give deep overlaps for solids that are apart or just touch. Overlaps
/// are therefore compared with the plane through which the ray leaves: if the ray passes that earlier, it is the
/// result, and the status marks it, as it does a depth that exceeds that one. kernels/geometry/README.md, "The
/// reference". Tested: tests/kernels/geometry/test_mpr.cc, tests/kernels/geometry/test_compat_signs.cc.
FN_WAY void mpr_compat_contact(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                               Vec3 offset, const NarrowOptions *options, NarrowResult *result) {
    if (compat_boxes_apart(a, turn_a, b, turn_b, offset, options->hulls, result) != 0) return;
    CorePair cores;
    Mat3 world = mat3_identity();
    core_pair_make(a, turn_a, b, &world, offset, options->hulls, &cores);
    MprPair pair = mpr_pair(&cores, MPR_COMPAT, turn_b);
    MprPortal portal;
    u32 end = mpr_find_portal_start(&pair, &portal);
    if (end == MPR_PORTAL) end = mpr_pass_ray_through_portal(&pair, &portal, options->mpr_iterations);
    if (end == MPR_PORTAL)
        end = mpr_refine_compat(&pair, &portal, real_max(options->mpr_tolerance, MPR_TOLERANCE_MIN),
                                options->mpr_iterations);
    u32 has_portal = portal.beyond_m < MPR_NO_MEASURE ? 1u : 0u;
    if (has_portal == 0) mpr_across_ray(&pair, &portal);
    real most_m = REAL_HUGE;
    if (end != MPR_CENTRED && mpr_plane_distance_m(portal.r4) < 0.0) {
        MprPoint plane = mpr_compat_plane(a, turn_a, b, offset, options, &pair, &most_m);
        real beside_m = mpr_status(end) == NARROW_OK ? MPR_COMPAT_BESIDE * portal.extent_m : 0.0;
        if (mpr_way_out_m(plane, portal.ray) < mpr_way_out_m(portal.r4, portal.ray) - beside_m) {
            portal.r1 = portal.r2 = portal.r3 = portal.r4 = plane;
            portal.outcome = MPR_FOOT;
            portal.beyond_m = 0.0;
            has_portal = 1;
            end = MPR_STUCK;
        }
    }
    GjkResult found = has_portal != 0 ? mpr_compat_result(&pair, &portal) : mpr_point_result(&pair, &portal.r4, end);
    found.steps = portal.iterations;
    real depth_m = (0.0 - found.distance_m) * (has_portal != 0 ? mpr_compat_divisor(&pair, &portal) : 1.0);
    if (depth_m > most_m + MPR_COMPAT_DEEPER * cores.sizes_m && mpr_status(end) == NARROW_OK) end = MPR_STUCK;
    *result = mpr_result(&cores, &world, &found, end);
}

/// Signed distance of any two shapes but half-spaces. Always ends, always finite for finite input. If cores are apart:
/// certified nearest points (error as stated in error_m, about 1e-15 of the sizes). If they overlap: the nearest way
/// out about the portal, which is refined only as far as Newton's method on its features needs, since that gains more
/// digits per step. If that certifies nothing: the plane of the portal, right to first order only, since the ray and
/// the nearest point part with depth. Without a portal (coincident centroids, a ray through the first support point,
/// rounding): the plane across the ray, which bounds the distance from below in any case. Source: G. Snethen, Game
/// Programming Gems 7 (2008). Tested: tests/kernels/geometry/test_mpr.cc.
FN_WAY void mpr_contact(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                        Vec3 offset, const NarrowOptions *options, NarrowResult *result) {
    CorePair cores;
    core_pair_make(a, turn_a, b, turn_b, offset, options->hulls, &cores);
    MprPair pair = mpr_pair(&cores, MPR_WHOLE, turn_b);
    MprPortal portal;
    real tolerance = real_max(options->mpr_tolerance, MPR_TOLERANCE_MIN);
    u32 is_round =
        core_is_curved(&cores.a) | core_is_curved(&cores.b) | (cores.a.ball_m + cores.b.ball_m > 0.0 ? 1u : 0u);
    real coarse = is_round != 0 ? real_max(tolerance, MPR_POLISH_START) : tolerance; // flat faces: portals end soon
    u32 end = mpr_find_portal_start(&pair, &portal);
    if (end == MPR_PORTAL) end = mpr_pass_ray_through_portal(&pair, &portal, options->mpr_iterations);
    GjkResult found;
    Featured features;
    u32 is_polished = 0, is_overlap = 0, has_portal = 0, steps = 0;
    for (u32 stage = 0; stage < 2 && is_polished == 0; stage++) {
        if (end == MPR_PORTAL || stage > 0)
            end = mpr_refine_portal(&pair, &portal, stage == 0 ? coarse : tolerance, options->mpr_iterations);
        has_portal = portal.beyond_m < MPR_NO_MEASURE ? 1u : 0u;
        if (has_portal == 0) mpr_across_ray(&pair, &portal);
        if (end == MPR_CENTRED) break;
        mpr_features(&cores, &portal, &features);
        steps += features.steps;
        // A depth of cores that are apart is local, however well it is solved: first their overlap must be known.
        u32 is_solved = mpr_is_solved(&cores, &features, vec3_dot(portal.r4.c.p, portal.r4.n));
        u32 takes_features =
            is_solved != 0 && (features.feature.f < 0.0 || is_overlap != 0 || mpr_cores_enclose(&portal) != 0) ? 1u
                                                                                                               : 0u;
        if (takes_features == 0 && is_overlap == 0) {
            mpr_polish(&cores, &portal, &found);
            steps += found.steps;
            is_polished = found.is_apart & found.is_certified;
            is_overlap = found.is_apart == 0 ? 1u : 0u;
            takes_features = has_portal == 0 ? is_solved & is_overlap : 0u; // else from a fine portal
        }
        if (takes_features != 0) mpr_take_features(&features, &found);
        is_polished |= takes_features;
        if (has_portal == 0) break;
    }
    if (is_polished == 0)
        found = has_portal != 0 ? mpr_plane_result(&pair, &portal) : mpr_point_result(&pair, &portal.r4, end);
    found.steps = portal.iterations + steps;
    if (is_polished == 0)
        *result = mpr_result(&cores, turn_b, &found, end);
    else
        mpr_gjk_result(&cores, turn_b, &found, result);
}

#endif
