// Minkowski portal refinement (MPR) for any two shapes with support functions.
//
// D = A - B is the Minkowski difference; the shapes overlap where D holds the origin. A ray from a point
// inside D (the difference of the centroids) through the origin leaves D somewhere; a portal is a
// triangle of support points that the ray passes through. In the order of reading:
//   mpr_find_portal_start        three support points about the ray
//   mpr_pass_ray_through_portal  moved until the ray passes between them
//   mpr_refine_portal            pushed outwards until no support point lies beyond
// Then the result: mpr_plane_result, mpr_polish (mpr_contact.h), or mpr_compat_result for the reference's.
// Source: G. Snethen, Game Programming Gems 7 (2008); spec modia3d 3; libccd's src/mpr.c for the form.
#ifndef CLACK_MPR_H
#define CLACK_MPR_H

#include "narrow_types.h"
#include "shape.h"
#include "triangle.h"

// Outcomes of the phases.
#define MPR_PORTAL 0u  // go on with the next phase
#define MPR_ON_RAY 1u  // TC1: the first support point lies on the ray
#define MPR_FOOT 2u    // TC2: the support point of the portal's plane is the foot of the origin
#define MPR_PLANE 3u   // TC3: nothing lies beyond the portal's plane
#define MPR_STUCK 4u   // a degenerate portal: rounding decides
#define MPR_LIMIT 5u   // limit of iterations
#define MPR_CENTRED 6u // the centroids coincide

// Which support functions D is made of.
#define MPR_WHOLE 0u  // the shapes with their balls
#define MPR_COMPAT 1u // the reference's
#define MPR_CORES 2u  // without the balls

#define MPR_TOLERANCE_MIN 1.0e-13 // relative; below, rounding of the support points decides
#define MPR_NO_MEASURE 42.0       // above any measure of convergence, which are relative

typedef struct MprPair {
    GLOBAL const Shape *a;
    GLOBAL const Shape *b;
    Mat3 turn_a, turn_b; // shape to world
    Vec3 offset;         // origin of B minus origin of A
    real scale; // 1 / extent of D, 1/m, so that tolerances are relative; 1 until it is known
    u32 supports; // MPR_WHOLE, MPR_COMPAT, MPR_CORES
    GLOBAL const HullRow *hulls; // the table of all hulls
} MprPair;

typedef struct MprPoint { // of D
    Vec3 p;               // scaled: (a - b - offset) scale
    Vec3 a;               // point of A relative to its origin, world axes, m
    Vec3 b;               // point of B relative to its origin
    Vec3 n;               // direction it was sought in
} MprPoint;

typedef struct MprPortal {
    Vec3 centre;         // start of the ray, scaled
    Vec3 ray;            // direction of the ray, unit
    MprPoint r1, r2, r3; // (r1 - centre) x (r2 - centre) . (r3 - centre) > 0
    MprPoint r4;         // support point in the direction of the portal's normal
    real measure;        // of convergence, least seen
    u32 outcome;         // MPR_*
    u32 iterations;
} MprPortal;

FN Vec3 mpr_support_of(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, Vec3 u, u32 supports) {
    if (supports == MPR_CORES) return shape_core_support(shape, hulls, u);
    return supports == MPR_COMPAT ? shape_support_compat(shape, hulls, u)
                                  : shape_support(shape, hulls, u);
}

/// Support point of D in the unit direction n.
FN MprPoint mpr_support(const MprPair *pair, Vec3 n) {
    MprPoint r;
    Vec3 in_a = mat3_rotate_back(pair->turn_a, n);
    Vec3 in_b = vec3_negate(mat3_rotate_back(pair->turn_b, n));
    Vec3 a = mpr_support_of(pair->a, pair->hulls, in_a, pair->supports);
    Vec3 b = mpr_support_of(pair->b, pair->hulls, in_b, pair->supports);
    r.a = mat3_rotate(pair->turn_a, a);
    r.b = mat3_rotate(pair->turn_b, b);
    r.p = vec3_scale(vec3_sub(vec3_sub(r.a, r.b), pair->offset), pair->scale);
    r.n = n;
    return r;
}

FN real mpr_largest(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    return real_max(real_max(vec3_max_abs(a), vec3_max_abs(b)),
                    real_max(vec3_max_abs(c), vec3_max_abs(d)));
}

// From here on points are relative to the extent of D: the reference's x_max (spec modia3d 3.4).
FN void mpr_rescale(MprPair *pair, MprPortal *portal) {
    real extent = mpr_largest(portal->centre, portal->r1.p, portal->r2.p, portal->r3.p);
    pair->scale = 1.0 / extent;
    portal->centre = vec3_scale(portal->centre, pair->scale);
    portal->r1.p = vec3_scale(portal->r1.p, pair->scale);
    portal->r2.p = vec3_scale(portal->r2.p, pair->scale);
    portal->r3.p = vec3_scale(portal->r3.p, pair->scale);
}

/// Is the portal degenerate? The reference first takes the support point opposite to the third in that one's
/// place (its phases 1 and 3). This is done for its sake alone: the ray need not pass through what comes of it,
/// and features are the better way on (mpr_contact.h).
FN u32 mpr_is_flat(const MprPair *pair, MprPortal *portal) {
    Vec3 n = triangle_normal(portal->r1.p, portal->r2.p, portal->r3.p);
    if (triangle_is_flat(portal->r1.p, portal->r2.p, portal->r3.p, n) == 0) return 0;
    if (pair->supports != MPR_COMPAT) return 1;
    portal->r3 = mpr_support(pair, vec3_negate(portal->r3.n));
    n = triangle_normal(portal->r1.p, portal->r2.p, portal->r3.p);
    return triangle_is_flat(portal->r1.p, portal->r2.p, portal->r3.p, n);
}

/// With which sign the conditions of phases 2 and 3 are asked of a portal that is positive about the ray. The reference
/// asks them of such portals the other way round. Portals then go other ways to the same plane, but for its cones, whose
/// support is not that of a convex body: with the right sign its normals are missed by 4e-6, with this one met.
FN real mpr_sense(const MprPair *pair) { return pair->supports == MPR_COMPAT ? -1.0 : 1.0; }

/// Three support points about the ray from the centre, both known by now. Sets the scale of the pair.
FN u32 mpr_find_portal_about_ray(MprPair *pair, MprPortal *portal) {
    portal->r1 = mpr_support(pair, portal->ray);
    Vec3 n2 = vec3_cross(portal->ray, portal->r1.p);
    if (!(vec3_length(n2) > TRIANGLE_DEGENERATE * vec3_max_abs(portal->r1.p))) return MPR_ON_RAY;
    portal->r2 = mpr_support(pair, vec3_normalize(n2));
    Vec3 n3 = triangle_normal(portal->centre, portal->r1.p, portal->r2.p);
    if (triangle_is_flat(portal->centre, portal->r1.p, portal->r2.p, n3) != 0) {
        portal->r2 = mpr_support(pair, vec3_normalize(vec3_negate(n2)));
        n3 = triangle_normal(portal->centre, portal->r1.p, portal->r2.p);
        if (triangle_is_flat(portal->centre, portal->r1.p, portal->r2.p, n3) != 0) return MPR_STUCK;
    }
    if (vec3_dot(n3, portal->ray) < 0.0) {
        n3 = vec3_negate(n3);
        if (pair->supports != MPR_COMPAT) { // exchange the points as well: the order is an orientation
            MprPoint r = portal->r1;
            portal->r1 = portal->r2;
            portal->r2 = r;
        }
    }
    portal->r3 = mpr_support(pair, vec3_normalize(n3));
    (void)mpr_is_flat(pair, portal); // phase 3 asks again
    mpr_rescale(pair, portal);
    return MPR_PORTAL;
}

/// Phase 1: three support points, the ray on the positive side of the plane of the first two.
FN u32 mpr_find_portal_start(MprPair *pair, MprPortal *portal) {
    Vec3 centre_a = mat3_rotate(pair->turn_a, shape_centroid(pair->a));
    Vec3 centre_b = vec3_add(mat3_rotate(pair->turn_b, shape_centroid(pair->b)), pair->offset);
    portal->centre = vec3_sub(centre_a, centre_b);
    real length = vec3_length(portal->centre);
    if (!(length > NARROW_COINCIDENT_SHARE * (shape_size_m(pair->a) + shape_size_m(pair->b)))) {
        portal->ray = vec3_make(pair->turn_b.x.z, pair->turn_b.y.z, pair->turn_b.z.z);
        portal->r1 = mpr_support(pair, portal->ray);
        return MPR_CENTRED;
    }
    portal->ray = vec3_scale(portal->centre, -1.0 / length);
    return mpr_find_portal_about_ray(pair, portal);
}

/// Phase 2: replace the support point on the far side until the ray passes through the portal.
FN u32 mpr_pass_ray_through_portal(const MprPair *pair, MprPortal *portal, u32 limit) {
    for (u32 i = 0; i < limit; i++) {
        Vec3 n = triangle_normal(portal->centre, portal->r1.p, portal->r3.p);
        if (mpr_sense(pair) * vec3_dot(n, portal->ray) > 0.0) {
            portal->r2 = portal->r3;
        } else {
            n = triangle_normal(portal->centre, portal->r3.p, portal->r2.p);
            if (!(mpr_sense(pair) * vec3_dot(n, portal->ray) > 0.0)) return MPR_PORTAL;
            portal->r1 = portal->r3;
        }
        portal->r3 = mpr_support(pair, vec3_normalize(n));
        portal->iterations++;
    }
    return MPR_LIMIT;
}

/// Of the three portals that r4 makes with an edge of the present one, the one the ray passes through.
/// MPR_STUCK where rounding finds none.
FN u32 mpr_choose_portal(const MprPair *pair, MprPortal *portal) {
    // side k > 0: r_k lies to the left of the half-plane from the ray through r4.
    Vec3 across =
        vec3_cross(vec3_sub(portal->r4.p, portal->centre), vec3_scale(portal->ray, mpr_sense(pair)));
    real side1 = vec3_dot(vec3_sub(portal->r1.p, portal->centre), across);
    real side2 = vec3_dot(vec3_sub(portal->r2.p, portal->centre), across);
    real side3 = vec3_dot(vec3_sub(portal->r3.p, portal->centre), across);
    if (side1 <= 0.0 && side2 >= 0.0)
        portal->r3 = portal->r4;
    else if (side2 <= 0.0 && side3 >= 0.0)
        portal->r1 = portal->r4;
    else if (side3 <= 0.0 && side1 >= 0.0)
        portal->r2 = portal->r4;
    else
        return MPR_STUCK;
    return MPR_PORTAL;
}

/// Phase 3: push the portal outwards. Leaves the converged portal, or the best one seen, with r4 the
/// support point of its plane and outcome MPR_FOOT or MPR_PLANE, whichever measure was least.
/// Returns that, or MPR_STUCK or MPR_LIMIT.
FN u32 mpr_refine_portal(const MprPair *pair, MprPortal *portal, real tolerance, u32 limit) {
    MprPortal best = *portal;
    u32 end = MPR_LIMIT;
    for (u32 i = 0; i < limit; i++) {
        if (mpr_is_flat(pair, portal) != 0) {
            end = MPR_STUCK;
            break;
        }
        Vec3 n = triangle_normal(portal->r1.p, portal->r2.p, portal->r3.p);
        if (vec3_dot(n, portal->ray) < 0.0) n = vec3_negate(n);
        portal->r4 = mpr_support(pair, vec3_normalize(n));
        portal->iterations++;
        real foot = vec3_length(vec3_cross(portal->r4.p, portal->r4.n));
        real plane = real_abs(vec3_dot(vec3_sub(portal->r4.p, portal->r1.p), portal->r4.n));
        portal->measure = real_min(foot, plane);
        portal->outcome = foot < plane ? MPR_FOOT : MPR_PLANE;
        if (foot < tolerance) { // asked first, as in the reference
            portal->outcome = MPR_FOOT;
            return MPR_FOOT;
        }
        if (plane < tolerance) return MPR_PLANE;
        if (portal->measure < best.measure) best = *portal;
        if (mpr_choose_portal(pair, portal) != MPR_PORTAL) {
            end = MPR_STUCK;
            break;
        }
    }
    best.iterations = portal->iterations;
    *portal = best;
    return end;
}

/// Signed distance of the plane through the support point r, m: minus the support function of D, so a
/// lower bound of the true signed distance whatever the direction.
FN real mpr_plane_distance_m(const MprPair *pair, MprPoint r) {
    return -vec3_dot(vec3_sub(vec3_sub(r.a, r.b), pair->offset), r.n);
}

/// Length that tolerances on the pair are relative to, m.
FN real mpr_size_m(const MprPair *pair) { return shape_size_m(pair->a) + shape_size_m(pair->b); }

/// Rounding error of a distance, m.
FN real mpr_rounding_m(const MprPair *pair) {
    return NARROW_ROUNDING * (vec3_max_abs(pair->offset) + mpr_size_m(pair));
}

FN u32 mpr_status(u32 end) {
    if (end == MPR_CENTRED) return NARROW_COINCIDENT;
    if (end == MPR_STUCK) return NARROW_FALLBACK;
    return end == MPR_LIMIT ? NARROW_NOT_CONVERGED : NARROW_OK;
}

/// The plane of one support point: for a ray that meets it, and for want of a portal.
FN NarrowResult mpr_point_result(const MprPair *pair, MprPoint r, u32 end) {
    NarrowResult result;
    result.distance_m = mpr_plane_distance_m(pair, r);
    result.error_m = mpr_rounding_m(pair);
    // Without a portal the other bound is unknown: the origin is somewhere within the plane's shapes.
    if (end != MPR_ON_RAY)
        result.error_m += vec3_length(vec3_cross(vec3_sub(vec3_sub(r.a, r.b), pair->offset), r.n));
    result.normal = r.n;
    result.point_a = r.a;
    result.point_b = r.b;
    result.status = mpr_status(end);
    result.iterations = 0;
    return result;
}

/// The plane of the portal: distance and normal of its support point, contact points where the origin's
/// foot, moved into the triangle, lies between the portal's corners. error_m: what lies beyond it.
FN NarrowResult mpr_plane_result(const MprPair *pair, const MprPortal *portal, u32 end) {
    NarrowResult result = mpr_point_result(pair, portal->r4, end);
    TrianglePoint at = triangle_nearest(portal->r1.p, portal->r2.p, portal->r3.p);
    Vec3 beyond = vec3_sub(portal->r4.p, portal->r1.p);
    result.error_m = mpr_rounding_m(pair) + real_abs(vec3_dot(beyond, portal->r4.n)) / pair->scale;
    // Apart, the portal's point nearest to the origin is a pair of points that far from each other.
    real above = real_sqrt(at.square) / pair->scale;
    if (pair->supports != MPR_COMPAT && result.distance_m > 0.0)
        result.error_m = real_max(result.error_m, above - result.distance_m + mpr_rounding_m(pair));
    result.point_a = triangle_blend(portal->r1.a, portal->r2.a, portal->r3.a, at);
    result.point_b = triangle_blend(portal->r1.b, portal->r2.b, portal->r3.b, at);
    if (portal->outcome == MPR_FOOT) {
        result.point_a = portal->r4.a;
        result.point_b = portal->r4.b;
    }
    result.iterations = portal->iterations;
    return result;
}

#endif
