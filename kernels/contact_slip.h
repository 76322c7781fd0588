// Points of the rims of discs, as contacts of two solids: how they slide along the rim as the solids move, and
// how gaps follow.
//
// A point of a rim lies towards the place on the other core that is nearest to the disc's middle c. With u the unit
// direction there, m the disc's axis, w = u - (u.m) m, t = m x w / |w| and the radius R, it slides in its own solid by (R / |w|) t.(du - turn x u) along t, where du = S apart is how the direction from c
// follows (contact_bend.h, a point against a core), in axes that turn with the other core.
#ifndef CLACK_CONTACT_SLIP_H
#define CLACK_CONTACT_SLIP_H

#include "contact_bend.h"

// A linear function of the motion of B against A: of how far the matter of B at a place moves from that of A there,
// and of the turn of A against B. World axes.
typedef struct PairChange {
    Vec3 apart, turn;
} PairChange;

/// The same function told by the motion at another place; way: from there to the first.
FN PairChange pair_change_at(PairChange change, Vec3 way) {
    change.turn = vec3_sub(change.turn, vec3_cross(way, change.apart));
    return change;
}

/// sum + scale term.
FN PairChange pair_change_add(PairChange sum, PairChange term, real scale) {
    sum.apart = vec3_add_scaled(sum.apart, term.apart, scale);
    sum.turn = vec3_add_scaled(sum.turn, term.turn, scale);
    return sum;
}

// A point of one solid that touches another.
typedef struct SlipPoint {
    Vec3 at_m;       // from the origin of its shape
    Vec3 way;        // unit: it slides along this; 0: it is fixed
    PairChange slip; // told by the motion at the point, of its own solid's partner against it
} SlipPoint;

FN PairChange pair_change_none(void) {
    PairChange none;
    none.apart = none.turn = vec3_zero();
    return none;
}

/// A point of `own` against `other`. offset: the other's origin from its own.
FN SlipPoint slip_of_point(GLOBAL const Shape *own, Mat3 own_turn, GLOBAL const Shape *other, Mat3 other_turn,
                           Vec3 offset, ManifoldSpot spot, GLOBAL const HullRow *hulls) {
    SlipPoint point;
    point.way = vec3_zero();
    point.slip = pair_change_none();
    if (spot.rank == 0) {
        point.at_m = mat3_rotate(own_turn, manifold_fixed_point(own, spot.index));
        return point;
    }
    ManifoldDisc disc = manifold_disc(own, spot.index);
    Vec3 axis = mat3_rotate(own_turn, disc.axis);
    Vec3 centre = mat3_rotate(own_turn, disc.centre);
    Vec3 p = mat3_rotate_back(other_turn, vec3_sub(centre, offset));
    PointToCore to = point_to_core(other, p);
    Vec3 u = vec3_negate(mat3_rotate(other_turn, to.direction));
    point.at_m = mat3_rotate(own_turn, manifold_point(own, hulls, spot.index, mat3_rotate_back(own_turn, u)));
    Vec3 across = vec3_add_scaled(u, axis, 0.0 - vec3_dot(u, axis));
    real length = vec3_length(across);
    if (!(length > MANIFOLD_LEVEL)) return point;
    point.way = vec3_cross(axis, vec3_scale(across, 1.0 / length));
    Vec3 x = vec3_perpendicular(u), y = vec3_cross(u, x);
    CoreBend bend = bend_of_core(other, hulls, vec3_add_scaled(p, to.direction, 0.0 - to.distance_m), to.direction,
                                 mat3_rotate_back(other_turn, x), mat3_rotate_back(other_turn, y));
    PairBend join = bend_join(bend_make(0), bend, to.distance_m, shape_size_m(own) + shape_size_m(other));
    Across turned = bend_turn(join, across_make(vec3_dot(point.way, x), vec3_dot(point.way, y)));
    Vec3 v = vec3_add_scaled(vec3_scale(x, turned.x), y, turned.y);
    real f = disc.radius_m / length;
    point.slip.apart = vec3_scale(v, f);
    point.slip.turn = vec3_scale(vec3_cross(u, point.way), 0.0 - f);
    point.slip = pair_change_at(point.slip, vec3_sub(centre, point.at_m));
    return point;
}

/// One of the points of two solids: at_m from A's origin, slip of B against A.
FN SlipPoint slip_of_spot(GLOBAL const Shape *a, GLOBAL const Shape *b, PlacedPair placed, ManifoldSpot spot,
                          GLOBAL const HullRow *hulls) {
    if (spot.is_of_a != 0) return slip_of_point(a, placed.a.turn, b, placed.b.turn, placed.offset_m, spot, hulls);
    SlipPoint point = slip_of_point(b, placed.b.turn, a, placed.a.turn, vec3_negate(placed.offset_m), spot, hulls);
    point.at_m = vec3_add(point.at_m, placed.offset_m);
    point.slip = pair_change_add(pair_change_none(), point.slip, -1.0);
    return point;
}

/// Change of the gap of a point with normal n (from A to B), told by the motion at the point.
FN PairChange slip_gap_change(SlipPoint point, Vec3 n, u32 is_of_a) {
    PairChange gap;
    gap.apart = n;
    gap.turn = vec3_zero();
    real along = vec3_dot(n, point.way);
    return pair_change_add(gap, point.slip, is_of_a != 0 ? 0.0 - along : along);
}

#endif
