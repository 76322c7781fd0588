// Contact points of two solids, fixed in one of them or the lowest point of a disc: how they slide over the disc as the
// solids move, and how gaps follow.
//
// With u, w, the radius R and the dome e as in manifold_points.h and s = sqrt(w^2 + e^2) the point is at R w / s. In
// its own solid it slides by (R / s) (z - w (w.z) / s^2), z the part of du - turn x u along the disc, where du = S
// apart is the change of the direction from the disc's centre (contact_curvature.h, a point against a core), in axes
// that rotate with the other core. Across w that is R / s, along it R e^2 / s^3, and there the sag of the dome changes
// as well, by |w| times that.
#ifndef CLACK_PAIRS_POINT_SLIDE_H
#define CLACK_PAIRS_POINT_SLIDE_H

#include "geometry/manifold_points.h"
#include "geometry/shape.h"
#include "pairs/contact_curvature.h"
#include "pairs/pair_kinematics.h"

// A linear function of the motion of B against A: of the relative displacement of their material points at a place, and
// of the rotation of A against B. World axes.
typedef struct PairChange {
    Vec3 apart, turn;
} PairChange;

/// The same function of the motion at another place; offset: from there to the first.
FN PairChange slide_change_at(PairChange change, Vec3 offset) {
    change.turn = vec3_sub(change.turn, vec3_cross(offset, change.apart));
    return change;
}

/// sum + scale term.
FN PairChange slide_change_add(PairChange sum, PairChange term, real scale) {
    sum.apart = vec3_add_scaled(sum.apart, term.apart, scale);
    sum.turn = vec3_add_scaled(sum.turn, term.turn, scale);
    return sum;
}

// Contact point of one solid on another.
typedef struct SlipPoint {
    Vec3 at_m;          // from the origin of its shape
    Vec3 axis[2];       // unit: directions in which it slides; 0: it does not
    PairChange slip[2]; // as a function of the motion at the point, of the other solid against its own
    real sag_m;         // of the dome: part of the gap, beside the distance of the cores
    real sag_slope;     // its change per metre along the second direction
} SlipPoint;

FN PairChange slide_change_none(void) {
    PairChange none;
    none.apart = none.turn = vec3_zero();
    return none;
}

/// The lowest point of a disc. own_turn: of its solid, to the world; join: of its centre against the other core, across
/// vec3_perpendicular(u) and that across both, u in the world.
FN_ONCE void slide_of_disc(const ManifoldDisc *disc, const ManifoldLowest *low, Mat3 own_turn, DiscDome dome,
                           const PairCurvature *join, SlipPoint *point) {
    Vec3 u = mat3_rotate(own_turn, low->u), axis = mat3_rotate(own_turn, disc->axis);
    Vec3 out = vec3_perpendicular(axis); // if the disc faces the other core, all directions are equal
    if (low->w_size > 0.0) out = mat3_rotate(own_turn, vec3_scale(low->w, 1.0 / low->w_size));
    point->at_m = mat3_rotate(own_turn, low->point);
    point->axis[0] = vec3_cross(axis, out);
    point->axis[1] = out;
    point->sag_m = low->sag_m;
    point->sag_slope = dome.sag * low->w_size;
    Vec3 x = vec3_perpendicular(u), y = vec3_cross(u, x);
    Vec3 from = vec3_sub(mat3_rotate(own_turn, disc->centre), point->at_m);
    real f = disc->radius_m / low->reach;
    for (u32 k = 0; k < 2; k++) {
        Across turned = curvature_normal_by_shift(
            COPY(*join), across_make(vec3_dot(point->axis[k], x), vec3_dot(point->axis[k], y)));
        point->slip[k].apart = vec3_scale(vec3_add_scaled(vec3_scale(x, turned.x), y, turned.y), f);
        point->slip[k].turn = vec3_scale(vec3_cross(u, point->axis[k]), 0.0 - f);
        point->slip[k] = slide_change_at(COPY(point->slip[k]), from);
        f *= dome.share * dome.share / (low->reach * low->reach);
    }
}

/// A point of A against B.
FN_ONCE SlipPoint slide_of_point(const SolidPair *pair, ManifoldSpot spot) {
    GLOBAL const Shape *own = pair->a, *other = pair->b;
    Mat3 own_turn = pair->turn_a;
    SlipPoint point;
    point.axis[0] = point.axis[1] = vec3_zero();
    point.slip[0] = point.slip[1] = slide_change_none();
    point.sag_m = point.sag_slope = 0.0;
    if (spot.kind == SPOT_FIXED) {
        point.at_m = mat3_rotate(own_turn, manifold_fixed_point(own, pair->hulls, spot.index, pair->dome.fixed));
        return point;
    }
    ManifoldDisc disc = manifold_disc(own, spot.index);
    ManifoldSight sight;
    ManifoldLowest low = manifold_lowest_of(pair, disc, &sight);
    Vec3 u = mat3_rotate(own_turn, low.u), x = vec3_perpendicular(u), y = vec3_cross(u, x);
    CoreCurvature curvature = curvature_of_core(
        other, pair->hulls, vec3_add_scaled(sight.centre_m, sight.to.direction, 0.0 - sight.to.distance_m),
        sight.to.direction, mat3_rotate_back(pair->turn_b, x), mat3_rotate_back(pair->turn_b, y));
    PairCurvature join =
        curvature_join(curvature_make(0), curvature, sight.to.distance_m, shape_size_m(own) + shape_size_m(other));
    slide_of_disc(&disc, &low, own_turn, COPY(pair->dome), &join, &point);
    return point;
}

/// One of the contact points of two solids: at_m from A's origin, slip of B against A.
FN_ONCE SlipPoint slide_of_spot(const SolidPair *pair, ManifoldSpot spot) {
    SolidPair swapped = solid_pair_swapped(pair);
    SlipPoint point = slide_of_point(spot.is_of_a != 0 ? pair : &swapped, spot);
    if (spot.is_of_a != 0) return point;
    point.at_m = vec3_add(point.at_m, pair->offset_m);
    for (u32 k = 0; k < 2; k++) point.slip[k] = slide_change_add(slide_change_none(), point.slip[k], -1.0);
    return point;
}

/// Change of the gap of a point with normal n (from A to B), as a function of the motion at the point.
FN PairChange slide_gap_change(SlipPoint point, Vec3 n, u32 is_of_a) {
    PairChange gap;
    gap.apart = n;
    gap.turn = vec3_zero();
    real sign = is_of_a != 0 ? -1.0 : 1.0;
    gap = slide_change_add(gap, point.slip[0], sign * vec3_dot(n, point.axis[0]));
    return slide_change_add(gap, point.slip[1], sign * vec3_dot(n, point.axis[1]) + point.sag_slope);
}

#endif
