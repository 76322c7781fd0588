// The contacts of two solids of which one has rims or is round: points of each on the other, and the nearest points.
//
// Each point is a ball of the smoothing radius against the other's core. Points fixed in a solid are corners, the ends
// of a capsule's axis and points within each disc; they carry flat faces on each other. Each disc has one more point,
// its lowest towards the other's core: on its rim, or at its centre if it faces the other. In between it moves as if
// the disc were slightly domed, so that its force has a potential. The nearest points may lie elsewhere: where edges,
// sides and rims cross. Their contact has the depth by which they exceed all others; so nothing counts twice, and they
// have no contact where faces lie on each other and nearest points are not unique. All are continuous in the pose.
// Rigid contacts have those of crossing edges as well, the last ones, with sides of cylinders as edges.
// kernels/geometry/README.md, "Several contacts of one pair".
#ifndef CLACK_GEOMETRY_MANIFOLD_POINTS_H
#define CLACK_GEOMETRY_MANIFOLD_POINTS_H

#include "geometry/manifold.h"
#include "geometry/manifold_pair.h"
#include "geometry/point_core.h"
#include "geometry/point_hull.h"
#include "geometry/shape.h"
#include "model/scheme_policy.h"

#define MANIFOLD_SAME 1.0e-9 // of the lesser size: nearest points deeper by less are one of the points
#define MANIFOLD_DOME 1.0e-5 // of its radius: height of the dome; sine at which its point reaches the rim
// The same of rigid discs, whose force needs no potential. Tilted ones stand on their rims, but for the square of this
// over the tilt. Up to 4 times this tilt the fixed points are the lower ones, by half of it where the disc is flat:
// they alone carry it then, all at the rim.
#define MANIFOLD_DOME_RIGID 1.0e-6
#define MANIFOLD_DENT_RIGID 0.5
#define MANIFOLD_RIGID_REACH                                                                                           \
    100.0                 // of manifold_same_m: gap of points below which nearest points of rigid contacts fade
#define MANIFOLD_ROUND 8u // fixed points of a disc
// Radius at which the fixed points of a disc lie, as a share of the disc's. Eight of them and its centre have the first
// and second moments of a uniform pressure (2/3 R and R^2 / 2), thus the friction torque and the stiffness against tilt
// of a disc on its face, and a tilted disc stands on its lowest point alone, however it is turned about its axis. On
// the rim they would share that point's load wherever one lies next to it.
#define MANIFOLD_FIXED_SHARE 0.75
#define MANIFOLD_ROUND_DIAGONAL 0.70710678118654752
#define MANIFOLD_BEAM_FIXED 12u // corners and tips of both faces

/// What the discs of a pair count as. flags: of the pair.
FN DiscDome manifold_dome(u32 flags) {
    u32 is_quasi = policy_has_disc_points(flags);
    DiscDome dome;
    dome.share = is_quasi ? MANIFOLD_DOME_RIGID : MANIFOLD_DOME;
    dome.rise = is_quasi ? 0.0 : 1.0;
    dome.sag = is_quasi ? 0.0 - MANIFOLD_DENT_RIGID : 1.0;
    dome.fixed = is_quasi ? 1.0 : MANIFOLD_FIXED_SHARE;
    return dome;
}

/// Set what contacts of a pair depend on beside its geometry. flags: of the pair.
FN void manifold_policy(SolidPair *pair, u32 flags) {
    pair->dome = manifold_dome(flags);
    pair->is_rigid = policy_is_rigid(flags);
}

/// Number of points fixed in a solid; 0: it has none.
FN u32 manifold_fixed_count(GLOBAL const Shape *shape) {
    if (!(shape_ball_radius(shape) > 0.0)) return 0;
    if (kind_is(shape->kind, SHAPE_HULL)) return shape->hull_edges > 0 ? shape->hull_vertices : 0u;
    if (kind_is(shape->kind, SHAPE_BOX)) return MANIFOLD_BOX;
    if (kind_is(shape->kind, SHAPE_CAPSULE)) return MANIFOLD_CAPSULE;
    if (kind_is(shape->kind, SHAPE_CYLINDER) || kind_is(shape->kind, SHAPE_CONE)) return 2u * MANIFOLD_ROUND;
    return kind_is(shape->kind, SHAPE_BEAM) ? MANIFOLD_BEAM_FIXED : 0u;
}

/// Number of discs of a solid, each with a point that moves along its rim.
FN u32 manifold_disc_count(GLOBAL const Shape *shape) {
    if (kind_is(shape->kind, SHAPE_CYLINDER) || kind_is(shape->kind, SHAPE_CONE)) return 2;
    return kind_is(shape->kind, SHAPE_BEAM) ? 4u : 0u;
}

/// Has a pair of a solid with discs and a half-space contacts at points, as two solids do? flags: of the scene.
FN u32 manifold_has_disc_points(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 flags) {
    if (!policy_has_disc_points(flags) || policy_has_one_contact(flags)) return 0;
    u32 discs_a = kind_is(b->kind, SHAPE_HALF_SPACE) ? manifold_disc_count(a) : 0u,
        discs_b = kind_is(a->kind, SHAPE_HALF_SPACE) ? manifold_disc_count(b) : 0u;
    return discs_a + discs_b > 0 ? 1u : 0u;
}

/// Do two solids have contacts at points and at the nearest points?
FN u32 manifold_has_points(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    if (manifold_fixed_count(a) == 0 || manifold_fixed_count(b) == 0) return 0;
    return manifold_is_pair(a, b) != 0 ? 0u : 1u;
}

#define SPOT_FIXED 0u   // a point fixed in its solid
#define SPOT_DISC 1u    // the lowest point of a disc
#define SPOT_NEAREST 2u // the nearest points

// The point that a contact of two solids belongs to.
typedef struct ManifoldSpot {
    u32 kind; // SPOT_*
    u32 is_of_a;
    u32 index; // of the fixed points or of the discs of its solid
} ManifoldSpot;

/// Number of contacts at points. One more, the last, is at the nearest points.
FN u32 manifold_point_count(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    return manifold_fixed_count(a) + manifold_fixed_count(b) + manifold_disc_count(a) + manifold_disc_count(b);
}

/// Contact `feature`: fixed points of A, of B, discs of A, of B, then the nearest points. Not of edges that cross.
FN ManifoldSpot manifold_spot(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 feature) {
    u32 fixed_a = manifold_fixed_count(a), fixed = fixed_a + manifold_fixed_count(b);
    u32 discs_a = manifold_disc_count(a);
    ManifoldSpot spot;
    spot.kind = feature < fixed ? SPOT_FIXED : feature < manifold_point_count(a, b) ? SPOT_DISC : SPOT_NEAREST;
    spot.index = spot.kind == SPOT_FIXED ? feature : feature - fixed;
    u32 of_a = spot.kind == SPOT_FIXED ? fixed_a : discs_a;
    spot.is_of_a = spot.index < of_a ? 1u : 0u;
    if (spot.is_of_a == 0) spot.index -= of_a;
    return spot;
}

/// Number of contacts of two solids; 1: only their nearest points. flags: of the pair. Rigid contacts have those of
/// edges that cross as well, since two of these carry what lies across them.
FN u32 manifold_solids_count(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 flags) {
    if (manifold_has_points(a, b) == 0) return manifold_pair_count(a, b);
    return manifold_point_count(a, b) + 1u + (policy_is_rigid(flags) ? manifold_edges(a) * manifold_edges(b) : 0u);
}

/// The first contact of two crossing edges.
FN u32 manifold_first_crossing(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    return manifold_is_pair(a, b) != 0 ? manifold_count(a) + manifold_count(b) : manifold_point_count(a, b) + 1u;
}

/// Is the contact one of two crossing edges? If its overlap fades, its rate is not that of its gap.
FN u32 manifold_is_crossing(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 feature) {
    if (manifold_is_pair(a, b) == 0 && manifold_has_points(a, b) == 0) return 0;
    return feature >= manifold_first_crossing(a, b) ? 1u : 0u;
}

/// Does the contact of two solids lie at their nearest points?
FN u32 manifold_is_nearest(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 feature) {
    return manifold_has_points(a, b) != 0 && feature == manifold_point_count(a, b) ? 1u : 0u;
}

// A disc of a core, shape axes.
typedef struct ManifoldDisc {
    Vec3 centre, axis; // axis: unit
    real radius_m;
} ManifoldDisc;

FN ManifoldDisc manifold_disc(GLOBAL const Shape *shape, u32 index) {
    ManifoldDisc disc;
    real rho = shape->smoothing_m;
    u32 is_first = index & 1u;
    disc.axis = vec3_make(0.0, 0.0, 1.0);
    disc.centre = vec3_make(0.0, 0.0, is_first != 0 ? shape->size_m[1] - rho : rho - shape->size_m[1]);
    disc.radius_m = shape->size_m[0] - rho;
    if (kind_is(shape->kind, SHAPE_CONE)) {
        ShapeFrustum core = shape_cone_core_size(shape);
        disc.centre.z = is_first != 0 ? core.top_m : core.base_m;
        disc.radius_m = is_first != 0 ? core.top_radius_m : core.base_radius_m;
    }
    if (kind_is(shape->kind, SHAPE_BEAM)) {
        real thick = shape->size_m[2] - rho;
        disc.axis = vec3_make(0.0, 1.0, 0.0);
        disc.centre = vec3_make(0.0, (index & 2u) != 0 ? thick : 0.0 - thick,
                                is_first != 0 ? shape->size_m[0] : 0.0 - shape->size_m[0]);
        disc.radius_m = shape->size_m[1] - rho;
    }
    return disc;
}

/// Fixed point of the core, shape axes. share: of the radius of its disc at which it lies.
FN Vec3 manifold_fixed_point(GLOBAL const Shape *shape, GLOBAL const HullRow *hulls, u32 index, real share) {
    if (shape_is_curved(shape) == 0) return manifold_point(shape, hulls, index, vec3_zero());
    if (kind_is(shape->kind, SHAPE_BEAM)) { // of each disc the corners at -x and +x, and the tip
        ManifoldDisc disc = manifold_disc(shape, index / 3u);
        u32 part = index % 3u;
        Vec3 out = vec3_make(part == 0    ? -1.0
                             : part == 1u ? 1.0
                                          : 0.0,
                             0.0, part == 2u ? shape_sign(disc.centre.z) : 0.0);
        return vec3_add_scaled(disc.centre, out, share * disc.radius_m);
    }
    ManifoldDisc disc = manifold_disc(shape, index / MANIFOLD_ROUND);
    u32 part = index % MANIFOLD_ROUND; // in eighths of the circumference
    real size = (part & 1u) != 0 ? MANIFOLD_ROUND_DIAGONAL : 1.0;
    real x = part == 2u || part == 6u ? 0.0 : part < 2u || part > 6u ? size : 0.0 - size;
    real y = part == 0u || part == 4u ? 0.0 : part < 4u ? size : 0.0 - size;
    return vec3_add_scaled(disc.centre, vec3_make(x, y, 0.0), share * disc.radius_m);
}

/// Does a fixed point not exist? All points of a cone's apex are one, that of its disc.
FN u32 manifold_has_no_point(GLOBAL const Shape *shape, u32 index) {
    if (!kind_is(shape->kind, SHAPE_CONE)) return 0;
    return manifold_disc(shape, index / MANIFOLD_ROUND).radius_m > 0.0 ? 0u : 1u;
}

// The lowest point of a disc towards another core. With u the unit direction from the disc's centre to the nearest
// point of that core and w = u - (u.axis) axis it is at radius w / sqrt(w^2 + dome^2).
typedef struct ManifoldLowest {
    Vec3 u, w;          // own axes
    real w_size, reach; // |w|, and with the dome
    Vec3 point;         // of the core, own axes
    real sag_m;         // height of the dome's top over it; of rigid discs what its point is drawn in by
} ManifoldLowest;

/// By that direction.
FN_SHORT ManifoldLowest manifold_lowest_towards(ManifoldDisc disc, DiscDome dome, Vec3 u) {
    ManifoldLowest low;
    low.u = u;
    low.w = vec3_add_scaled(low.u, disc.axis, 0.0 - vec3_dot(low.u, disc.axis));
    low.w_size = vec3_length(low.w);
    low.reach = real_sqrt(low.w_size * low.w_size + dome.share * dome.share);
    low.point = vec3_add_scaled(disc.centre, low.w, disc.radius_m / low.reach);
    low.sag_m = disc.radius_m * dome.share * (dome.rise - dome.sag * (dome.share / low.reach));
    return low;
}

// A disc's centre and another core, in the axes of that one.
typedef struct ManifoldSight {
    Vec3 centre_m; // from its origin
    PointToCore to;
} ManifoldSight;

/// Of a disc of A towards B.
FN ManifoldLowest manifold_lowest_of(const SolidPair *pair, ManifoldDisc disc, ManifoldSight *sight) {
    sight->centre_m = mat3_rotate_back(pair->turn_b, vec3_sub(mat3_rotate(pair->turn_a, disc.centre), pair->offset_m));
    sight->to = point_to_solid(pair->b, pair->hulls, COPY(sight->centre_m));
    Vec3 u = vec3_negate(mat3_rotate_back(pair->turn_a, mat3_rotate(pair->turn_b, sight->to.direction)));
    return manifold_lowest_towards(disc, COPY(pair->dome), u);
}

/// A point of A on B.
FN NarrowResult manifold_on_core(const SolidPair *pair, ManifoldSpot spot) {
    Vec3 point;
    real sag_m = 0.0;
    if (spot.kind == SPOT_FIXED) {
        point = manifold_fixed_point(pair->a, pair->hulls, spot.index, pair->dome.fixed);
    } else {
        ManifoldSight sight;
        ManifoldLowest low = manifold_lowest_of(pair, manifold_disc(pair->a, spot.index), &sight);
        point = low.point;
        sag_m = low.sag_m;
    }
    NarrowResult r = manifold_vertex(pair, point);
    r.distance_m += sag_m;
    if (spot.kind == SPOT_FIXED && manifold_has_no_point(pair->a, spot.index) != 0) r.distance_m = MANIFOLD_EMPTY_M;
    return r;
}

/// The deepest of the points [first, last) of two solids, and its number.
FN_ONCE NarrowResult manifold_deepest(const SolidPair *pair, u32 first, u32 last, u32 *which) {
    NarrowResult deepest = manifold_empty(vec3_zero());
    SolidPair swapped = solid_pair_swapped(pair);
    *which = first;
    for (u32 k = first; k < last; k++) {
        ManifoldSpot at = manifold_spot(pair->a, pair->b, k);
        NarrowResult r = manifold_on_core(at.is_of_a != 0 ? pair : &swapped, at);
        if (k > first && !(r.distance_m < deepest.distance_m)) continue;
        deepest = at.is_of_a != 0 ? r : narrow_swap(r);
        *which = k;
    }
    return deepest;
}

/// The deeper one of such a contact and of all edges that cross, as rigid contacts have them.
FN_ONCE NarrowResult manifold_deeper(const SolidPair *pair, NarrowResult deepest) {
    u32 count = pair->is_rigid ? manifold_edges(pair->a) * manifold_edges(pair->b) : 0u;
    for (u32 k = 0; k < count; k++) {
        NarrowResult r = manifold_crossing(pair, k);
        if (r.distance_m < deepest.distance_m) deepest = r;
    }
    return deepest;
}

/// Nearest points deeper by less than this coincide with one of the points: on a rim they do to within its dome, m.
FN real manifold_same_m(GLOBAL const Shape *a, GLOBAL const Shape *b, real dome) {
    real dome_m = 0.0;
    for (u32 k = 0; k < 2; k++) { // base and top of a cone differ
        if (manifold_disc_count(a) > k) dome_m = real_max(dome_m, dome * manifold_disc(a, k).radius_m);
        if (manifold_disc_count(b) > k) dome_m = real_max(dome_m, dome * manifold_disc(b, k).radius_m);
    }
    return dome_m + MANIFOLD_SAME * real_min(shape_size_m(a), shape_size_m(b));
}

/// Gap of the deepest point below which the contact of the nearest points fades.
FN_SHORT real manifold_fades_from(const SolidPair *pair, real same_m) {
    return pair->is_rigid ? MANIFOLD_RIGID_REACH * same_m : same_m;
}

/// Derivative by that gap of what is added to the gap of the nearest points.
FN_SHORT real manifold_fades(const SolidPair *pair, real deepest_m, real same_m) {
    if (!pair->is_rigid) return -1.0;
    return deepest_m > same_m ? -1.0 / (MANIFOLD_RIGID_REACH - 1.0) : 0.0;
}

/// What is added to the gap of the nearest points where the deepest point of both solids has such a gap: as much as it
/// is below same_m. Of rigid contacts same_m, less where the points are farther apart: their gap is to widen with their
/// own force, which that of another point might not.
FN_SHORT real manifold_faded_m(const SolidPair *pair, real deepest_m, real same_m) {
    real below_m = manifold_fades_from(pair, same_m) - deepest_m;
    if (!(below_m > 0.0)) return 0.0;
    return pair->is_rigid ? real_min(same_m, below_m / (MANIFOLD_RIGID_REACH - 1.0)) : below_m;
}

/// Contact of the nearest points `r` if the deepest point of both solids is `deepest`.
FN NarrowResult manifold_beyond(const SolidPair *pair, NarrowResult r, NarrowResult deepest, real same_m) {
    real faded_m = manifold_faded_m(pair, deepest.distance_m, same_m);
    if (!(faded_m > 0.0)) return r;
    r.distance_m += faded_m;
    r.error_m += deepest.error_m;
    if (r.status == NARROW_OK) r.status = NARROW_FADED;
    return r;
}

/// Lower bound of the gap of a contact after both solids have moved by up to `margin_m` together. The point of a disc
/// may be anywhere on it.
FN_WAY real manifold_points_bound(const SolidPair *pair, u32 feature, real margin_m) {
    if (pair->is_rigid && manifold_is_crossing(pair->a, pair->b, feature))
        return manifold_crossing_bound(pair, feature - manifold_first_crossing(pair->a, pair->b), margin_m);
    ManifoldSpot spot = manifold_spot(pair->a, pair->b, feature);
    if (spot.kind == SPOT_NEAREST) return 0.0 - margin_m; // callers have bounds of the solids
    SolidPair swapped = solid_pair_swapped(pair);
    if (spot.is_of_a == 0) pair = &swapped;
    GLOBAL const Shape *own = pair->a;
    u32 is_fixed = spot.kind == SPOT_FIXED ? 1u : 0u;
    if (is_fixed != 0 && manifold_has_no_point(own, spot.index) != 0) return MANIFOLD_EMPTY_M;
    Vec3 point = is_fixed != 0 ? manifold_fixed_point(own, pair->hulls, spot.index, pair->dome.fixed)
                               : manifold_disc(own, spot.index).centre;
    real reach = is_fixed != 0 ? 0.0 : manifold_disc(own, spot.index).radius_m;
    NarrowResult r = manifold_vertex(pair, point);
    return r.distance_m - reach - margin_m;
}

// --- two solids of any kind -----------------------------------------------------------------------------

/// Have two solids several contacts?
FN u32 manifold_has_several(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    return manifold_is_pair(a, b) | manifold_has_points(a, b);
}

/// Lower bound of the gap of one of several contacts after both solids have moved by up to `margin_m` together.
FN real manifold_bound(const SolidPair *pair, u32 feature, real margin_m) {
    if (manifold_has_points(pair->a, pair->b) != 0) return manifold_points_bound(pair, feature, margin_m);
    return manifold_pair_bound(pair, feature, margin_m);
}

/// Is one of several contacts within the margin, and its gap a distance? That of the nearest points may be.
FN u32 manifold_is_near(const SolidPair *pair, u32 feature, real margin_m) {
    u32 which, is_crossing = manifold_is_crossing(pair->a, pair->b, feature),
               crossing = feature - manifold_first_crossing(pair->a, pair->b);
    if (manifold_is_nearest(pair->a, pair->b, feature) != 0) return 1;
    NarrowResult r;
    if (is_crossing != 0)
        r = manifold_crossing(pair, crossing);
    else if (manifold_has_points(pair->a, pair->b) != 0)
        r = manifold_deepest(pair, feature, feature + 1u, &which);
    else
        r = manifold_pair(pair, feature);
    if (r.distance_m <= 0.0) return 1;
    if (r.distance_m > margin_m || r.distance_m == MANIFOLD_EMPTY_M) return 0;
    return is_crossing == 0 ? 1u : manifold_crossing_is_distance(pair, crossing, r);
}

/// Can the overlap of a contact fade? If so, its rate is not that of its gap.
FN u32 manifold_may_fade(GLOBAL const Shape *a, GLOBAL const Shape *b, u32 feature, u32 status) {
    return (status == NARROW_FADED ? 1u : 0u) | manifold_is_crossing(a, b, feature);
}

#endif
