// Minkowski portal refinement (MPR) for any two shapes with support functions.
//
// D = A - B is the Minkowski difference; the shapes overlap if D contains the origin. A ray from a point inside D (the
// difference of the centroids) through the origin leaves D somewhere; a portal is a triangle of support points that the
// ray passes through. The phases, in the order of reading:
//   mpr_find_portal_start        three support points about the ray
//   mpr_pass_ray_through_portal  moved until the ray passes between them
//   mpr_refine_portal            pushed outwards until no support point lies beyond
// Then the result: mpr_plane_result, mpr_polish (mpr_contact.h), or mpr_compat_result for the reference's.
// Source: G. Snethen, Game Programming Gems 7 (2008); kernels/geometry/README.md, "The reference"; libccd's src/mpr.c.
#ifndef CLACK_GEOMETRY_MPR_H
#define CLACK_GEOMETRY_MPR_H

#include "model/narrow_types.h"
#include "geometry/core_pair.h"
#include "geometry/shape.h"
#include "geometry/triangle.h"

// Outcomes of the phases.
#define MPR_PORTAL 0u  // go on with the next phase
#define MPR_ON_RAY 1u  // TC1: the first support point lies on the ray
#define MPR_FOOT 2u    // TC2: the support point of the portal's plane is the foot of the origin
#define MPR_PLANE 3u   // TC3: nothing lies beyond the portal's plane
#define MPR_STUCK 4u   // a degenerate portal: rounding decides
#define MPR_LIMIT 5u   // limit of iterations
#define MPR_CENTRED 6u // the centroids coincide

// Support functions that D is made of.
#define MPR_WHOLE 0u  // the shapes with their balls
#define MPR_COMPAT 1u // the reference's
#define MPR_CORES 2u  // without the balls

#define MPR_TOLERANCE_MIN 1.0e-13 // relative; below it rounding of the support points decides
#define MPR_NO_MEASURE REAL_HUGE  // before the first one

typedef struct MprPair {
    const CorePair *cores;
    real ball_a_m, ball_b_m; // radii added to the cores; 0 with the reference's support functions
    u32 supports;            // MPR_WHOLE, MPR_COMPAT, MPR_CORES
    const Mat3 *turn_b; // MPR_COMPAT: B to the axes of `cores`, the world's, in which the reference takes its zeros
} MprPair;

typedef struct MprPoint { // of D, in B
    CorePoint c;          // of the cores
    Vec3 p;               // with the balls
    Vec3 n;               // direction it was sought in
} MprPoint;

typedef struct MprPortal {
    Vec3 centre;         // start of the ray
    Vec3 ray;            // direction of the ray, unit
    MprPoint r1, r2, r3; // (r1 - centre) x (r2 - centre) . (r3 - centre) > 0
    MprPoint r4;         // support point in the direction of the portal's normal
    real extent_m;       // of D, to which tolerances are relative
    real beyond_m;       // distance of r4 beyond the portal it was sought from; MPR_NO_MEASURE: there was none
    real measure_m;      // the lesser of that and r4's distance from the line of its normal through the origin
    u32 outcome;         // MPR_*
    u32 iterations;
} MprPortal;

FN MprPair mpr_pair(const CorePair *cores, u32 supports, const Mat3 *turn_b) {
    MprPair pair;
    pair.turn_b = turn_b;
    pair.cores = cores;
    pair.supports = supports;
    pair.ball_a_m = supports == MPR_WHOLE ? cores->a.ball_m : 0.0;
    pair.ball_b_m = supports == MPR_WHOLE ? cores->b.ball_m : 0.0;
    return pair;
}

// The reference's.
FN CorePoint mpr_support_compat(const MprPair *pair, Vec3 n) {
    CorePoint c;
    const CorePair *cores = pair->cores;
    Vec3 a = shape_support_compat(cores->a.shape, cores->a.hulls, mat3_rotate_back(cores->turn, n));
    Vec3 b = shape_support_compat(cores->b.shape, cores->b.hulls, vec3_negate(mat3_rotate_back(*pair->turn_b, n)));
    c.b = mat3_rotate(*pair->turn_b, b);
    c.p = vec3_add(vec3_sub(mat3_rotate(cores->turn, a), c.b), cores->place);
    c.code_a = c.code_b = 0;
    return c;
}

/// Support point of D in the unit direction n.
FN MprPoint mpr_support(const MprPair *pair, Vec3 n) {
    MprPoint r;
    r.c = pair->supports == MPR_COMPAT ? mpr_support_compat(pair, n) : core_pair_support_call(pair->cores, n, 1.0);
    r.p = vec3_add_scaled(r.c.p, n, pair->ball_a_m + pair->ball_b_m);
    r.n = n;
    return r;
}

/// Normal of the portal; 0 if it is degenerate. The reference first replaces the third support point by the opposite
/// one (its phases 1 and 3). That is repeated for equal results alone: the ray need not pass through the new portal,
/// and features are the better continuation (mpr_contact.h).
FN Vec3 mpr_normal(const MprPair *pair, MprPortal *portal) {
    Vec3 n = triangle_normal(COPY(portal->r1.p), COPY(portal->r2.p), COPY(portal->r3.p));
    if (triangle_is_flat(COPY(portal->r1.p), COPY(portal->r2.p), COPY(portal->r3.p), n) == 0) return n;
    if (pair->supports != MPR_COMPAT) return vec3_zero();
    portal->r3 = mpr_support(pair, vec3_negate(portal->r3.n));
    n = triangle_normal(COPY(portal->r1.p), COPY(portal->r2.p), COPY(portal->r3.p));
    return triangle_is_flat(COPY(portal->r1.p), COPY(portal->r2.p), COPY(portal->r3.p), n) == 0 ? n : vec3_zero();
}

/// Sign of the conditions of phases 2 and 3 for a portal that is positive about the ray. The reference has the opposite
/// sign there. Its portals take other paths, beside the ray, and mostly reach the same plane, except for its cones,
/// whose support function is not that of a convex body: with the right sign its normals are missed by 4e-6, with this
/// one they are met.
FN real mpr_sense(const MprPair *pair) { return pair->supports == MPR_COMPAT ? -1.0 : 1.0; }

/// Three support points about the ray from the centre, both known.
FN u32 mpr_find_portal_about_ray(const MprPair *pair, MprPortal *portal) {
    portal->r1 = mpr_support(pair, COPY(portal->ray));
    Vec3 n2 = vec3_cross(portal->ray, portal->r1.p);
    if (!(vec3_length(n2) > TRIANGLE_DEGENERATE * vec3_max_abs(portal->r1.p))) return MPR_ON_RAY;
    portal->r2 = mpr_support(pair, vec3_normalize(n2));
    Vec3 n3 = triangle_normal(COPY(portal->centre), COPY(portal->r1.p), COPY(portal->r2.p));
    if (triangle_is_flat(COPY(portal->centre), COPY(portal->r1.p), COPY(portal->r2.p), n3) != 0) {
        portal->r2 = mpr_support(pair, vec3_normalize(vec3_negate(n2)));
        n3 = triangle_normal(COPY(portal->centre), COPY(portal->r1.p), COPY(portal->r2.p));
        if (triangle_is_flat(COPY(portal->centre), COPY(portal->r1.p), COPY(portal->r2.p), n3) != 0) return MPR_STUCK;
    }
    if (vec3_dot(n3, portal->ray) < 0.0) {
        n3 = vec3_negate(n3);
        if (pair->supports != MPR_COMPAT) { // exchange the points too: their order is an orientation
            MprPoint r = portal->r1;
            portal->r1 = portal->r2;
            portal->r2 = r;
        }
    }
    portal->r3 = mpr_support(pair, vec3_normalize(n3));
    (void)mpr_normal(pair, portal); // phase 3 tests it again
    portal->extent_m = real_max(real_max(vec3_max_abs(portal->centre), vec3_max_abs(portal->r1.p)),
                                real_max(vec3_max_abs(portal->r2.p), vec3_max_abs(portal->r3.p)));
    return MPR_PORTAL;
}

/// Phase 1: three support points, the ray on the positive side of the plane of the first two.
FN u32 mpr_find_portal_start(const MprPair *pair, MprPortal *portal) {
    portal->centre = core_centre(pair->cores);
    if (pair->supports == MPR_COMPAT)
        portal->centre =
            vec3_sub(mat3_rotate(pair->cores->turn, shape_centroid(pair->cores->a.shape)),
                     vec3_sub(mat3_rotate(*pair->turn_b, shape_centroid(pair->cores->b.shape)), pair->cores->place));
    portal->extent_m = vec3_max_abs(portal->centre); // for the case that no portal is found
    portal->beyond_m = portal->measure_m = MPR_NO_MEASURE;
    portal->outcome = MPR_PLANE;
    portal->iterations = 0;
    real length = vec3_length(portal->centre);
    portal->ray = pair->supports == MPR_COMPAT ? mat3_column(*pair->turn_b, 2) : vec3_make(0.0, 0.0, 1.0);
    if (!(length > NARROW_COINCIDENT_SHARE * pair->cores->sizes_m)) return MPR_CENTRED;
    portal->ray = vec3_scale(portal->centre, -1.0 / length);
    return mpr_find_portal_about_ray(pair, portal);
}

/// Phase 2: replace the support point on the far side until the ray passes through the portal.
FN u32 mpr_pass_ray_through_portal(const MprPair *pair, MprPortal *portal, u32 limit) {
    for (u32 i = 0; i < limit; i++) {
        Vec3 n = triangle_normal(COPY(portal->centre), COPY(portal->r1.p), COPY(portal->r3.p));
        if (mpr_sense(pair) * vec3_dot(n, portal->ray) > 0.0) {
            portal->r2 = portal->r3;
        } else {
            n = triangle_normal(COPY(portal->centre), COPY(portal->r3.p), COPY(portal->r2.p));
            if (!(mpr_sense(pair) * vec3_dot(n, portal->ray) > 0.0)) return MPR_PORTAL;
            portal->r1 = portal->r3;
        }
        portal->r3 = mpr_support(pair, vec3_normalize(n));
        portal->iterations++;
    }
    return MPR_LIMIT;
}

/// Of the three portals of r4 and an edge of the present one, the one that the ray passes through: number of the corner
/// that r4 replaces. 0 if rounding finds none.
FN u32 mpr_choose_portal(const MprPair *pair, const MprPortal *portal) {
    // side k > 0: r_k lies to the left of the half-plane from the ray through r4.
    Vec3 across = vec3_cross(vec3_sub(portal->r4.p, portal->centre), vec3_scale(portal->ray, mpr_sense(pair)));
    real side1 = vec3_dot(vec3_sub(portal->r1.p, portal->centre), across);
    real side2 = vec3_dot(vec3_sub(portal->r2.p, portal->centre), across);
    real side3 = vec3_dot(vec3_sub(portal->r3.p, portal->centre), across);
    if (side1 <= 0.0 && side2 >= 0.0) return 3;
    if (side2 <= 0.0 && side3 >= 0.0) return 1;
    return side3 <= 0.0 && side1 >= 0.0 ? 2u : 0u;
}

/// The support point beyond the portal, and how phase 3 ends: MPR_FOOT or MPR_PLANE, MPR_STUCK for a flat portal, else
/// MPR_PORTAL.
FN u32 mpr_measure_portal(const MprPair *pair, MprPortal *portal, real tolerance_m) {
    Vec3 n = mpr_normal(pair, portal);
    real square = vec3_dot(n, n);
    if (!(square > 0.0)) return MPR_STUCK;
    real per_length = 1.0 / real_sqrt(square);
    portal->r4 = mpr_support(pair, vec3_scale(n, vec3_dot(n, portal->ray) < 0.0 ? 0.0 - per_length : per_length));
    portal->iterations++;
    real foot = vec3_length(vec3_cross(portal->r4.p, portal->r4.n));
    real plane = real_abs(vec3_dot(vec3_sub(portal->r4.p, portal->r1.p), portal->r4.n));
    portal->beyond_m = plane;
    portal->measure_m = real_min(foot, plane);
    portal->outcome = foot < plane ? MPR_FOOT : MPR_PLANE;
    if (foot < tolerance_m) { // tested first, as in the reference
        portal->outcome = MPR_FOOT;
        return MPR_FOOT;
    }
    return plane < tolerance_m ? MPR_PLANE : MPR_PORTAL;
}

/// Continue with the portal of r4 that the ray passes through: MPR_PORTAL, or MPR_STUCK.
FN u32 mpr_next_portal(const MprPair *pair, MprPortal *portal) {
    u32 corner = mpr_choose_portal(pair, portal);
    if (corner == 0) return MPR_STUCK;
    if (corner == 1) portal->r1 = portal->r4;
    if (corner == 2) portal->r2 = portal->r4;
    if (corner == 3) portal->r3 = portal->r4;
    return MPR_PORTAL;
}

/// Phase 3: push the portal outwards. Leaves the converged portal, or the last one, with r4 the support point farthest
/// beyond its plane or the one it was made with, and outcome MPR_FOOT or MPR_PLANE, whichever measure was less. Returns
/// that, or MPR_STUCK or MPR_LIMIT.
FN u32 mpr_refine_portal(const MprPair *pair, MprPortal *portal, real tolerance, u32 limit) {
    real tolerance_m = tolerance * portal->extent_m;
    for (u32 i = 0; i < limit; i++) {
        u32 end = mpr_measure_portal(pair, portal, tolerance_m);
        if (end == MPR_PORTAL) end = mpr_next_portal(pair, portal);
        if (end != MPR_PORTAL) return end;
    }
    return MPR_LIMIT;
}

/// Signed distance of the plane through the support point r, m: minus the support function of D, so a
/// lower bound of the true signed distance whatever the direction.
FN_SHORT real mpr_plane_distance_m(MprPoint r) { return 0.0 - vec3_dot(r.p, r.n); }

FN u32 mpr_status(u32 end) {
    if (end == MPR_CENTRED) return NARROW_COINCIDENT;
    if (end == MPR_STUCK) return NARROW_FALLBACK;
    return end == MPR_LIMIT ? NARROW_NOT_CONVERGED : NARROW_OK;
}

#endif
