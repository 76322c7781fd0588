// The narrow phase by MPR: runs the phases of mpr.h and turns the portal into a contact, in the project's
// way (the plane of the portal, then certified on the cores) or in the reference's (compat).
#ifndef CLACK_MPR_CONTACT_H
#define CLACK_MPR_CONTACT_H

#include "mpr.h"

#define MPR_POLISH_STEPS 32u       // limit
#define MPR_POLISH_GAP 1.0e-15     // between the bounds of a certified distance, of the sizes
#define MPR_POLISH_GAP_MAX 1.0e-12 // the same, where rounding prevents a better one
#define MPR_POLISH_STEPS_CURVED 96u // limit where a core is curved: more digits cost more steps
#define MPR_POLISH_GAP_CURVED 1.0e-6 // of the sizes: bounds this near are better than a portal's plane
#define MPR_POLISH_START                                                                           \
    1.0e-2 // relative; portals that bring the polish near enough to end in a few steps
#define MPR_DIRECTION_SHARE                                                                        \
    1.0e-6                     // of the sizes: shorter differences give a direction to 1e-10 only
#define MPR_CORES_APART 1.0e-9 // of the sizes: cores nearer than this have no usable difference

// --- cores ------------------------------------------------------------------------------------

/// Support point of the difference of the cores, in metres (`p` unscaled).
FN MprPoint mpr_core_support(const MprPair *pair, Vec3 n) {
    MprPoint r;
    r.a = mat3_rotate(pair->turn_a, shape_core_support(pair->a, mat3_rotate_back(pair->turn_a, n)));
    r.b = mat3_rotate(pair->turn_b,
                      shape_core_support(pair->b, vec3_negate(mat3_rotate_back(pair->turn_b, n))));
    r.p = vec3_sub(vec3_sub(r.a, r.b), pair->offset);
    r.n = n;
    return r;
}

typedef struct
    MprCores { // a triangle of the difference of the cores and its point nearest to the origin
    MprPoint c1, c2, c3;
    MprNearest at;
    u32 is_curved; // a core has a curved surface: triangles become small and thin
} MprCores;

/// The nearest point of a triangle as the blend of its corners: a point of the triangle however thin it
/// is, where the foot on its plane may be rounding only. The plane's foot has more digits otherwise.
FN MprNearest mpr_nearest_on_thin_triangle(Vec3 a, Vec3 b, Vec3 c) {
    MprNearest inside = mpr_nearest_on_triangle(a, b, c);
    inside.q = mpr_blend(a, b, c, inside);
    inside.square = vec3_dot(inside.q, inside.q);
    MprNearest edge = mpr_nearest_on_triangle(a, a, b); // flat: the edge alone
    edge.w2 = edge.w3;
    edge.w3 = 0.0;
    edge.w1 = 1.0 - edge.w2;
    if (edge.square < inside.square) inside = edge;
    edge = mpr_nearest_on_triangle(b, b, c);
    edge.w2 = 1.0 - edge.w3;
    edge.w1 = 0.0;
    if (edge.square < inside.square) inside = edge;
    edge = mpr_nearest_on_triangle(c, c, a);
    edge.w1 = edge.w3;
    edge.w3 = 1.0 - edge.w1;
    edge.w2 = 0.0;
    return edge.square < inside.square ? edge : inside;
}

FN MprCores mpr_cores_make(MprPoint c1, MprPoint c2, MprPoint c3, u32 is_curved) {
    MprCores cores;
    cores.c1 = c1;
    cores.c2 = c2;
    cores.c3 = c3;
    cores.is_curved = is_curved;
    if (is_curved != 0)
        cores.at = mpr_nearest_on_thin_triangle(c1.p, c2.p, c3.p);
    else
        cores.at = mpr_nearest_on_triangle(c1.p, c2.p, c3.p);
    return cores;
}

/// The triangle nearest to the origin that a new support point makes with the present one. Corners that
/// carry no weight go first; with all three carrying, it is one of the three new faces.
FN MprCores mpr_cores_add(MprCores cores, MprPoint c) {
    MprNearest at = cores.at;
    if (!(at.w1 > 0.0)) return mpr_cores_make(c, cores.c2, cores.c3, cores.is_curved);
    if (!(at.w2 > 0.0)) return mpr_cores_make(cores.c1, c, cores.c3, cores.is_curved);
    if (!(at.w3 > 0.0)) return mpr_cores_make(cores.c1, cores.c2, c, cores.is_curved);
    MprCores best = mpr_cores_make(c, cores.c2, cores.c3, cores.is_curved);
    MprCores other = mpr_cores_make(cores.c1, c, cores.c3, cores.is_curved);
    if (other.at.square < best.at.square) best = other;
    other = mpr_cores_make(cores.c1, cores.c2, c, cores.is_curved);
    return other.at.square < best.at.square ? other : best;
}

/// Unit normal of the nearest point, from A to B: the face's where there is one, for it keeps its
/// digits when the cores come near each other.
FN Vec3 mpr_cores_normal(MprCores cores, real size) {
    // Small faces of curved cores have no digits to lose, as long as the cores are well apart.
    u32 is_far = cores.at.square > MPR_DIRECTION_SHARE * MPR_DIRECTION_SHARE * size * size ? 1u : 0u;
    if ((cores.is_curved == 0 || is_far == 0) && vec3_dot(cores.at.face, cores.at.face) > 0.0) {
        Vec3 n = vec3_normalize(cores.at.face);
        return vec3_dot(n, cores.at.q) > 0.0 ? vec3_negate(n) : n;
    }
    return vec3_normalize(vec3_negate(cores.at.q));
}

typedef struct MprPolished {
    NarrowResult result;
    u32 is_certified;
} MprPolished;

// The contact of cores whose nearest points are known; `gap` between the bounds of their distance.
FN MprPolished mpr_cores_result(const MprPair *pair, MprCores cores, Vec3 n, real gap,
                                NarrowResult result) {
    MprPolished polished;
    real ball_a = shape_ball_radius(pair->a);
    real ball_b = shape_ball_radius(pair->b);
    real length = real_sqrt(cores.at.square);
    polished.is_certified = 1;
    // Sharp shapes about to touch: q is too short to give a direction, unless it lies inside a face. The
    // portal's normal is better, if its plane says the same; if not, refine the portal first.
    u32 is_inside = vec3_dot(cores.at.face, cores.at.face) > 0.0 ? 1u : 0u;
    if (is_inside == 0 && length < MPR_DIRECTION_SHARE * mpr_size_m(pair)) {
        polished.is_certified = result.error_m <= 2.0 * mpr_rounding_m(pair) ? 1u : 0u;
        if (polished.is_certified != 0) n = result.normal;
    }
    result.distance_m = length - ball_a - ball_b;
    result.error_m = real_max(gap, 0.0) + mpr_rounding_m(pair);
    result.normal = n;
    result.point_a =
        vec3_add_scaled(mpr_blend(cores.c1.a, cores.c2.a, cores.c3.a, cores.at), n, ball_a);
    result.point_b =
        vec3_add_scaled(mpr_blend(cores.c1.b, cores.c2.b, cores.c3.b, cores.at), n, -ball_b);
    result.status = NARROW_OK;
    polished.result = result;
    return polished;
}

/// Curved cores: bounds that rounding keeps apart, or the limit of steps. The nearest points are taken
/// where they are known better than from the portal's plane; error_m says how well. Never certified.
FN MprPolished mpr_cores_guess(const MprPair *pair, MprCores cores, Vec3 n, real gap,
                               MprPolished polished) {
    real size = mpr_size_m(pair);
    if (cores.is_curved == 0) return polished;
    if (!(gap <= MPR_POLISH_GAP_CURVED * size || gap < polished.result.error_m)) {
        // The plane stays, but no nearer to the truth than the nearest points found.
        real above = real_sqrt(cores.at.square) - shape_ball_radius(pair->a) - shape_ball_radius(pair->b);
        polished.result.error_m =
            real_max(polished.result.error_m, above - polished.result.distance_m);
        return polished;
    }
    polished = mpr_cores_result(pair, cores, n, gap, polished.result);
    polished.is_certified = 0;
    return polished;
}

/// Distance, normal and points to rounding where the cores are apart: from the corners of the portal
/// the nearest points of the cores are sought, and accepted only with a certificate. The nearest point q
/// of the difference bounds the distance of the cores from above, the plane through its support point
/// from below; balls move neither. Where cores overlap, nothing is certified and `result` stays.
/// The portal's own plane is right to first order only: the ray and the nearest point part with depth.
FN MprPolished mpr_polish(const MprPair *pair, const MprPortal *portal, NarrowResult result) {
    MprPolished polished;
    polished.result = result;
    polished.is_certified = 0;
    real size = mpr_size_m(pair) + vec3_max_abs(pair->offset);
    u32 is_curved = shape_is_curved(pair->a) | shape_is_curved(pair->b);
    u32 steps = is_curved != 0 ? MPR_POLISH_STEPS_CURVED : MPR_POLISH_STEPS;
    MprCores cores =
        mpr_cores_make(mpr_core_support(pair, portal->r1.n), mpr_core_support(pair, portal->r2.n),
                       mpr_core_support(pair, portal->r3.n), is_curved);
    for (u32 step = 0; step < steps; step++) {
        real length = real_sqrt(cores.at.square);
        if (!(length > MPR_CORES_APART * size)) return polished;
        polished.result.iterations++;
        Vec3 n = mpr_cores_normal(cores, size);
        MprPoint c = mpr_core_support(pair, n);
        real gap = length + vec3_dot(c.p, n);
        u32 is_last = gap <= MPR_POLISH_GAP * size ? 1u : 0u;
        MprCores next = cores;
        if (is_last == 0) {
            next = mpr_cores_add(cores, c);
            // No progress: rounding has the last word, and the gap says how loud.
            is_last = next.at.square < cores.at.square ? 0u : 1u;
            if ((is_last != 0 && gap > MPR_POLISH_GAP_MAX * size) || step + 1 == steps)
                return mpr_cores_guess(pair, cores, n, gap, polished);
        }
        if (is_last != 0) return mpr_cores_result(pair, cores, n, gap, polished.result);
        cores = next;
    }
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
        MprNearest at = mpr_nearest_on_triangle(portal->r1.p, portal->r2.p, portal->r3.p);
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
    if (pair->compat != 0 || end == MPR_CENTRED) return result;
    return mpr_polish(pair, portal, result).result;
}

/// Refine a portal and make a contact of it. First only as far as the polish needs, which gains more
/// digits per step; to the tolerance asked for where it certifies nothing, because the cores overlap.
FN NarrowResult mpr_portal_result(const MprPair *pair, MprPortal *portal, real tolerance,
                                  u32 limit) {
    NarrowResult result;
    u32 stages = pair->compat != 0 ? 1u : 2u;
    for (u32 stage = 0; stage < stages; stage++) {
        real goal = stage + 1 == stages ? tolerance : real_max(tolerance, MPR_POLISH_START);
        u32 end = mpr_refine_portal(pair, portal, goal, limit);
        // No r4: the portal was degenerate at once, or not one iteration is allowed.
        if (portal->measure >= MPR_NO_MEASURE) return mpr_ray_result(pair, portal, end);
        if (pair->compat != 0) return mpr_compat_result(pair, portal, end);
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
    pair.compat = options.flags & SCENE_COMPAT_MODIA3D;
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
