// The narrow phase by MPR: runs the phases of mpr.h and turns the portal into a contact, in the project's
// way (the plane of the portal, then certified on the cores) or in the reference's (compat).
#ifndef CLACK_MPR_CONTACT_H
#define CLACK_MPR_CONTACT_H

#include "gjk.h"
#include "mpr.h"

#define MPR_POLISH_START                                                                           \
    1.0e-2 // relative; portals that bring the polish near enough to end in a few steps

typedef struct MprPolished {
    NarrowResult result;
    u32 is_certified;
} MprPolished;

/// The contact of two cores that are apart, turned from the axes of B to the world.
FN NarrowResult mpr_gjk_result(const CorePair *pair, Mat3 turn_b, Vec3 offset, GjkResult found) {
    NarrowResult result;
    real ball_a = shape_ball_radius(pair->a);
    real ball_b = shape_ball_radius(pair->b);
    result.normal = vec3_normalize(mat3_rotate(turn_b, found.n));
    result.distance_m = found.distance_m - ball_a - ball_b;
    result.error_m = real_max(found.gap_m, 0.0) +
                     NARROW_ROUNDING * (vec3_max_abs(offset) + shape_size_m(pair->a) + shape_size_m(pair->b));
    result.point_a = vec3_add_scaled(mat3_rotate(turn_b, vec3_sub(found.a, pair->place)), result.normal, ball_a);
    result.point_b = vec3_add_scaled(mat3_rotate(turn_b, found.b), result.normal, 0.0 - ball_b);
    result.status = found.is_certified != 0 ? NARROW_OK : NARROW_NOT_CONVERGED;
    result.iterations = found.steps;
    return result;
}

/// Distance, normal and points to rounding where the cores are apart: the nearest points of the cores are
/// sought from the corners of the portal. Balls move neither. Where cores overlap `result` stays: the
/// portal's own plane is right to first order only, since the ray and the nearest point part with depth.
FN MprPolished mpr_polish(const MprPair *pair, const MprPortal *portal, NarrowResult result) {
    MprPolished polished;
    polished.result = result;
    polished.is_certified = 0;
    CorePair cores = core_pair_make(pair->a, pair->turn_a, pair->b, pair->turn_b, pair->offset, pair->hulls);
    NarrowHint hint; // of cores alone
    GjkResult found = gjk_distance(
        &cores, gjk_simplex(core_support(&cores, mat3_rotate_back(pair->turn_b, portal->r1.n)),
                            core_support(&cores, mat3_rotate_back(pair->turn_b, portal->r2.n)),
                            core_support(&cores, mat3_rotate_back(pair->turn_b, portal->r3.n))),
        &hint);
    polished.result.iterations += found.steps;
    if (found.is_apart == 0 || found.is_certified == 0) return polished;
    polished.result = mpr_gjk_result(&cores, pair->turn_b, pair->offset, found);
    polished.result.iterations += result.iterations;
    polished.is_certified = 1;
    return polished;
}

// --- the reference's result ---------------------------------------------------------------------

// Shapes whose surface points and normals determine each other.
FN u32 mpr_is_bijective(u32 kind) {
    return kind == SHAPE_SPHERE || kind == SHAPE_ELLIPSOID ? 1u : 0u;
}

/// Spec modia3d 3.7 to 3.9: the portal's triangle instead of its plane, and the distance left divided by
/// the extent of D, as the reference's published results have it. Two bijective shapes: true metres.
FN NarrowResult mpr_compat_result(const MprPair *pair, const MprPortal *portal, u32 end) {
    NarrowResult result = mpr_plane_result(pair, portal, end);
    Vec3 n = portal->r4.n;
    if (portal->outcome == MPR_FOOT) {
        result.distance_m = -vec3_dot(portal->r4.p, n);
    } else {
        TrianglePoint at = triangle_nearest(portal->r1.p, portal->r2.p, portal->r3.p);
        real length = real_sqrt(at.square);
        result.distance_m = vec3_dot(at.q, n) > 0.0 ? -length : length;
    }
    u32 bijective_a = mpr_is_bijective(pair->a->kind);
    u32 bijective_b = mpr_is_bijective(pair->b->kind);
    if (bijective_a != 0) result.point_a = portal->r4.a;
    if (bijective_b != 0) result.point_b = portal->r4.b;
    if (bijective_a != 0 && bijective_b != 0) {
        Vec3 between = vec3_add(vec3_sub(result.point_b, result.point_a), pair->offset);
        real length = vec3_length(between);
        result.distance_m = result.distance_m < 0.0 ? -length : length;
    } else if (bijective_a != 0) {
        result.point_b =
            vec3_sub(vec3_add_scaled(result.point_a, n, result.distance_m), pair->offset);
    } else if (bijective_b != 0) {
        result.point_a =
            vec3_add(vec3_add_scaled(result.point_b, n, -result.distance_m), pair->offset);
    }
    return result;
}

// --- the whole --------------------------------------------------------------------------------

/// Without a portal (centroids coincide, the ray meets the first support point, rounding): the plane
/// across the ray, which bounds the distance from below whatever happens.
FN NarrowResult mpr_ray_result(const MprPair *pair, MprPortal *portal, u32 end) {
    portal->r1 = mpr_support(pair, portal->ray);
    portal->r2 = portal->r1;
    portal->r3 = portal->r1;
    NarrowResult result = mpr_point_result(pair, portal->r1, end);
    if (pair->supports == MPR_COMPAT || end == MPR_CENTRED) return result;
    return mpr_polish(pair, portal, result).result;
}

/// Refine a portal and make a contact of it. First only as far as the polish needs, which gains more
/// digits per step; to the tolerance asked for where it certifies nothing, because the cores overlap.
FN NarrowResult mpr_portal_result(const MprPair *pair, MprPortal *portal, real tolerance,
                                  u32 limit) {
    NarrowResult result;
    u32 stages = pair->supports == MPR_COMPAT ? 1u : 2u;
    for (u32 stage = 0; stage < stages; stage++) {
        real goal = stage + 1 == stages ? tolerance : real_max(tolerance, MPR_POLISH_START);
        u32 end = mpr_refine_portal(pair, portal, goal, limit);
        // No r4: the portal was degenerate at once, or not one iteration is allowed.
        if (portal->measure >= MPR_NO_MEASURE) return mpr_ray_result(pair, portal, end);
        if (pair->supports == MPR_COMPAT) return mpr_compat_result(pair, portal, end);
        MprPolished polished = mpr_polish(pair, portal, mpr_plane_result(pair, portal, end));
        result = polished.result;
        if (polished.is_certified != 0) return result;
    }
    return result;
}

/// Signed distance of any two shapes but half-spaces. Always ends, always finite for finite input.
/// Physical: certified nearest points where the cores are apart (error as stated in error_m, about
/// 1e-15 of the sizes), else the plane of the portal. compat: the reference's numbers.
/// Source: spec modia3d 3, narrow-phase 1 and 7. Tested: tests/test_mpr.cc.
FN NarrowResult mpr_contact(GLOBAL const Shape *a, Mat3 turn_a, GLOBAL const Shape *b, Mat3 turn_b,
                            Vec3 offset, NarrowOptions options) {
    MprPair pair;
    pair.a = a;
    pair.b = b;
    pair.turn_a = turn_a;
    pair.turn_b = turn_b;
    pair.offset = offset;
    pair.scale = 1.0;
    pair.supports = (options.flags & SCENE_COMPAT_MODIA3D) != 0 ? MPR_COMPAT : MPR_WHOLE;
    pair.hulls = options.hulls;
    MprPortal portal;
    portal.iterations = 0;
    portal.measure = MPR_NO_MEASURE;
    portal.outcome = MPR_PLANE;
    u32 end = mpr_find_portal_start(&pair, &portal);
    if (end == MPR_PORTAL)
        end = mpr_pass_ray_through_portal(&pair, &portal, options.mpr_iterations);
    if (end != MPR_PORTAL) return mpr_ray_result(&pair, &portal, end);
    return mpr_portal_result(&pair, &portal, real_max(options.mpr_tolerance, MPR_TOLERANCE_MIN),
                             options.mpr_iterations);
}

#endif
