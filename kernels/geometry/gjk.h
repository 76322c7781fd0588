// The distance of two cores: the search of Gilbert, Johnson and Keerthi for the point of D nearest to the origin, which
// hands over to Newton's method (feature.h) as soon as the features are known. Source: Gilbert, Johnson, Keerthi, IEEE
// J. Robotics and Automation 4 (1988).
#ifndef CLACK_GEOMETRY_GJK_H
#define CLACK_GEOMETRY_GJK_H

#include "model/narrow_types.h"
#include "geometry/core_pair.h"
#include "geometry/ellipsoids.h"
#include "geometry/feature.h"
#include "geometry/feature_face.h"
#include "geometry/feature_straight.h"
#include "geometry/triangle.h"

#define GJK_STEPS 200u
#define GJK_GAP 1.0e-15            // between the bounds, of the sizes: exact
#define GJK_UNIT 4.0e-15           // of the square of a unit vector: distances are off by half of it
#define GJK_GAP_ONCE 1.0e-14       // above it another start may end nearer
#define GJK_GAP_STATED 1.0e-12     // above it the result is marked
#define GJK_TRY_FEATURES 1.5       // of the distance: the first gap at which features are tried
#define GJK_DIRECTION_SHARE 1.0e-6 // of the sizes: shorter differences give a direction to 1e-10 only
#define GJK_CORES_APART 1.0e-9     // of the sizes: nearer cores have no usable difference
#define GJK_COARSE 0.1             // of the distance: larger gaps need no accurate direction
#define GJK_TRY_AGAIN 0.5          // of the gap at which features failed
#define GJK_TILT 0.4               // tangent of the angle between the first direction and three about it
#define GJK_THIN 1.0e-3            // sine in a triangle: thinner ones may contain the foot by rounding only

#define GJK_CORNER 0u  // part of a simplex with a new corner that is nearest to the origin: that corner,
#define GJK_EDGE 1u    // its edge to old corner 1, 2 or 3 (GJK_EDGE + 0, 1, 2),
#define GJK_FACE_12 4u // its face with two old ones
#define GJK_FACE_13 5u
#define GJK_FACE_23 6u
#define GJK_ENCLOSED 7u // none: it encloses the origin, the cores overlap

typedef struct GjkNearest { // point of a simplex nearest to the origin
    Vec3 q;
    Vec3 direction; // -q times any length; on a face or an edge along a cross product, without a division
    real square;    // |q|^2
    real w2, w3;    // weights of the second and third corner
    u32 where;      // GJK_*
} GjkNearest;

typedef struct GjkSimplex { // at most a triangle of D, all of whose corners carry weight
    CorePoint c1, c2, c3;
    u32 count;
    GjkNearest at;
    CorePoint c4; // the fourth corner of a tetrahedron that encloses the origin
    u32 is_enclosing;
} GjkSimplex;

typedef struct GjkResult {
    real distance_m;  // of the cores
    real gap_m;       // between its bounds
    Vec3 n;           // from A to B, in B
    Vec3 a, b;        // nearest points of the cores, in B
    u32 is_apart;     // 0: the cores overlap, all else is unknown,
    u32 is_undecided; // or are nearer than GJK_CORES_APART, with the distance between the bounds
    u32 is_certified;
    u32 steps; // support points and Newton steps
} GjkResult;

// The triangle of a corner c and the edges e, g from it to old corners.
typedef struct GjkFace {
    Vec3 e, g, c_e, c_g; // c x e, c x g
    Vec3 face;           // e x g or g x e
    real on_c;           // c on it
    u32 where;
} GjkFace;

FN_SHORT GjkFace gjk_face(Vec3 e, Vec3 g, Vec3 c_e, Vec3 c_g, Vec3 face, real on_c, u32 where) {
    GjkFace f;
    f.e = e;
    f.g = g;
    f.c_e = c_e;
    f.c_g = c_g;
    f.face = face;
    f.on_c = on_c;
    f.where = where;
    return f;
}

/// The foot of the origin on such a triangle, if it lies inside and is nearer. As a blend of the corners it is a point
/// of the triangle however thin that is. Returns whether no edge can be nearer. `is_outer`: the origin and the rest of
/// the simplex are on different sides of it.
FN_SHORT u32 gjk_try_face(GjkNearest *best, Vec3 c, GjkFace f, u32 is_outer) {
    Vec3 e = f.e, g = f.g, c_e = f.c_e, c_g = f.c_g, face = f.face;
    real square = vec3_dot(face, face);
    real on_e = 0.0 - vec3_dot(c_g, face);
    real on_g = vec3_dot(c_e, face);
    u32 is_inside = (on_e > 0.0 ? 1u : 0u) & (on_g > 0.0 ? 1u : 0u) & (on_e + on_g < square ? 1u : 0u);
    if (is_inside == 0) return 0;
    real sides = vec3_dot(e, e) * vec3_dot(g, g);
    if (!(square > TRIANGLE_DEGENERATE * TRIANGLE_DEGENERATE * sides)) return 0;
    real inverse = 1.0 / square;
    on_e *= inverse;
    on_g *= inverse;
    Vec3 q = vec3_add_scaled(vec3_add_scaled(c, e, on_e), g, on_g);
    real nearest = vec3_dot(q, q);
    if (!(nearest < best->square)) return 0;
    best->q = q;
    best->direction = vec3_scale(face, f.on_c > 0.0 ? -1.0 : 1.0);
    best->square = nearest;
    best->w2 = on_e;
    best->w3 = on_g;
    best->where = f.where;
    return is_outer & (square > GJK_THIN * GJK_THIN * sides ? 1u : 0u);
}

/// The same on the edge e from c to an old corner. `c_e`: c x e.
FN_SHORT void gjk_try_edge(GjkNearest *best, Vec3 c, Vec3 e, Vec3 c_e, u32 where) {
    real along = 0.0 - vec3_dot(c, e);
    if (!(along > 0.0)) return; // c itself is as near
    real inverse = 1.0 / vec3_dot(e, e);
    real t = real_min(along * inverse, 1.0);
    Vec3 q = vec3_add_scaled(c, e, t);
    // Made perpendicular once more: near the origin the rounding of t would rotate q, and that normal's support point
    // would be at the far end of the edge.
    if (t < 1.0) q = vec3_add_scaled(q, e, 0.0 - vec3_dot(q, e) * inverse);
    real nearest = vec3_dot(q, q);
    if (!(nearest < best->square)) return;
    best->q = q;
    best->direction = vec3_cross(c_e, e);
    best->square = nearest;
    best->w2 = t;
    best->w3 = 0.0;
    best->where = where;
}

/// Part of the simplex with the new corner c that is nearest to the origin. Parts without c are no nearer than before,
/// so faces and edges at c are tested, edges only if no face surely contains the foot of the origin.
FN_SHORT GjkNearest gjk_nearest(const GjkSimplex *s, Vec3 c) {
    GjkNearest best;
    Vec3 e1 = vec3_sub(s->c1.p, c), c_1 = vec3_cross(c, e1);
    best.square = REAL_HUGE;
    best.where = GJK_CORNER;
    if (s->count > 1) {
        Vec3 e2 = vec3_sub(s->c2.p, c);
        Vec3 c_2 = vec3_cross(c, e2), face_12 = vec3_cross(e1, e2);
        real on_12 = vec3_dot(face_12, c);
        u32 is_outer = 1, is_sure = 0;
        if (s->count > 2) {
            Vec3 e3 = vec3_sub(s->c3.p, c);
            Vec3 face_23 = vec3_cross(e2, e3), face_31 = vec3_cross(e3, e1);
            // Is the origin on the inner side of all four faces?
            real volume = vec3_dot(face_12, e3), on_23 = vec3_dot(face_23, c), on_31 = vec3_dot(face_31, c);
            real side_1 = on_23 * volume, side_2 = on_31 * volume, side_3 = on_12 * volume;
            u32 is_inside = (side_1 <= 0.0 ? 1u : 0u) & (side_2 <= 0.0 ? 1u : 0u) & (side_3 <= 0.0 ? 1u : 0u);
            is_inside &= volume * volume + side_1 + side_2 + side_3 >= 0.0 ? 1u : 0u;
            if (is_inside != 0 && volume != 0.0) {
                best.where = GJK_ENCLOSED;
                return best;
            }
            Vec3 c_3 = vec3_cross(c, e3), face_13 = vec3_negate(face_31);
            is_sure =
                gjk_try_face(&best, c, gjk_face(e2, e3, c_2, c_3, face_23, on_23, GJK_FACE_23), side_1 > 0.0 ? 1u : 0u);
            GjkFace face = gjk_face(e1, e3, c_1, c_3, face_13, 0.0 - on_31, GJK_FACE_13);
            is_sure |= gjk_try_face(&best, c, face, side_2 > 0.0 ? 1u : 0u);
            is_outer = side_3 > 0.0 ? 1u : 0u;
        }
        is_sure |= gjk_try_face(&best, c, gjk_face(e1, e2, c_1, c_2, face_12, on_12, GJK_FACE_12), is_outer);
        if (is_sure != 0) return best;
    }
    real corner = vec3_dot(c, c);
    if (corner < best.square) {
        best.q = c;
        best.direction = vec3_negate(c);
        best.square = corner;
        best.w2 = best.w3 = 0.0;
        best.where = GJK_CORNER;
    }
    gjk_try_edge(&best, c, e1, c_1, GJK_EDGE);
    if (s->count > 1) {
        Vec3 e2 = vec3_sub(s->c2.p, c);
        gjk_try_edge(&best, c, e2, vec3_cross(c, e2), GJK_EDGE + 1u);
    }
    if (s->count > 2) {
        Vec3 e3 = vec3_sub(s->c3.p, c);
        gjk_try_edge(&best, c, e3, vec3_cross(c, e3), GJK_EDGE + 2u);
    }
    return best;
}

/// Make the new corner the first of the simplex, and drop those without weight.
FN_SHORT void gjk_move(GjkSimplex *s, const CorePoint *c, const GjkNearest *at) {
    if (at->where == GJK_FACE_12) s->c3 = s->c2;
    if (at->where == GJK_FACE_12 || at->where == GJK_FACE_13 || at->where == GJK_EDGE) s->c2 = s->c1;
    if (at->where == GJK_EDGE + 2u) s->c2 = s->c3;
    s->c1 = *c;
    s->count = at->where >= GJK_FACE_12 ? 3u : at->where != GJK_CORNER ? 2u : 1u;
    s->at = *at;
}

/// A simplex of one point, which is its first corner.
FN_SHORT void gjk_begin(GjkSimplex *s) {
    s->count = 1;
    s->at.q = s->c1.p;
    s->at.direction = vec3_negate(s->c1.p);
    s->at.square = vec3_dot(s->c1.p, s->c1.p);
    s->at.w2 = s->at.w3 = 0.0;
    s->at.where = GJK_CORNER;
}

/// Add a corner, if that brings the simplex nearer.
FN void gjk_add(GjkSimplex *s, const CorePoint *c) {
    GjkNearest next = gjk_nearest(s, COPY(c->p));
    if (next.where != GJK_ENCLOSED && next.square < s->at.square) gjk_move(s, c, &next);
}

// Codes of the corners of one shape.
FN_SHORT FeatureCodes gjk_codes(const GjkSimplex *s, u32 is_of_a) {
    FeatureCodes codes;
    codes.first = is_of_a != 0 ? s->c1.code_a : s->c1.code_b;
    codes.second = codes.third = codes.first;
    if (s->count > 1) codes.second = is_of_a != 0 ? s->c2.code_a : s->c2.code_b;
    if (s->count > 2) codes.third = is_of_a != 0 ? s->c3.code_a : s->c3.code_b;
    return codes;
}

/// Newton's method on a round face, or on the features between the given corners, from the normal n.
FN void gjk_try_features(const CorePair *pair, FeatureCodes codes_a, FeatureCodes codes_b, Vec3 n, Featured *found) {
    u32 is_straight = (core_is_curved(&pair->a) | core_is_curved(&pair->b)) == 0 ? 1u : 0u;
    if (is_straight != 0 && feature_straight(pair, codes_a, codes_b, n, found) != 0) return;
    real side_a = core_is_curved(&pair->a) != 0 ? feature_facing(&pair->a, mat3_rotate_back(pair->turn, n)) : 0.0;
    real side_b = feature_facing(&pair->b, vec3_negate(n));
    found->is_certified = 0;
    if (side_a != 0.0) feature_face(pair, 1, side_a, found);
    if (found->is_certified == 0 && side_b != 0.0) feature_face(pair, 0, side_b, found);
    if (found->is_certified == 0) feature_solve(pair, codes_a, codes_b, n, found);
}

/// Direction of the nearest point, of any length. While the bounds are far apart (`is_coarse`) without a division. Else
/// the normal of the face that contains it, which keeps its digits as the cores come near each other, except for small
/// triangles of curved cores far apart; else the nearest point itself.
FN_SHORT Vec3 gjk_direction(const GjkSimplex *s, u32 is_coarse, u32 is_curved, real far_square) {
    u32 is_face = s->count > 2 && (is_curved == 0 || s->at.square <= far_square) ? 1u : 0u;
    return (is_coarse | is_face) != 0 ? s->at.direction : vec3_negate(s->at.q);
}

FN u32 gjk_pack(FeatureCodes codes) {
    return codes.first | codes.second << NARROW_CODE_BITS | codes.third << (2u * NARROW_CODE_BITS);
}

/// Store the touching features for the next query's warm start; corners with codes too large for it are left out.
FN void gjk_remember(NarrowWarmStart *warm_start, FeatureCodes codes_a, FeatureCodes codes_b, Vec3 from) {
    u32 all = codes_a.first | codes_a.second | codes_a.third | codes_b.first | codes_b.second | codes_b.third;
    *warm_start = narrow_no_warm_start();
    if (all >> NARROW_CODE_BITS != 0) return;
    warm_start->normal = from;
    warm_start->corners_a = NARROW_WARM_START_SET | gjk_pack(codes_a);
    warm_start->corners_b = gjk_pack(codes_b);
}

// The inverse of gjk_pack. Vertex numbers beyond a hull's, as of a wrong warm start, give its last vertex.
FN_SHORT FeatureCodes gjk_recall(const Core *core, u32 corners) {
    u32 mask = (1u << NARROW_CODE_BITS) - 1u;
    FeatureCodes codes;
    codes.first = corners & mask;
    codes.second = corners >> NARROW_CODE_BITS & mask;
    codes.third = corners >> (2u * NARROW_CODE_BITS) & mask;
    if (!kind_is(core->kind, SHAPE_HULL)) return codes;
    u32 last = core->shape->hull_vertices - 1u;
    codes.first = u32_min(codes.first, last);
    codes.second = u32_min(codes.second, last);
    codes.third = u32_min(codes.third, last);
    return codes;
}

/// Take the result of Newton's method if it is certified and the cores are apart.
FN u32 gjk_accept(GjkResult *result, const Featured *found) {
    result->steps += found->steps;
    if (found->is_certified == 0 || !(found->feature.f < 0.0)) return 0;
    result->distance_m = 0.0 - found->feature.f;
    result->gap_m = found->gap_m;
    result->n = found->feature.n;
    result->a = found->feature.a;
    result->b = found->feature.b;
    result->is_apart = result->is_certified = 1;
    return 1;
}

FN_SHORT u32 gjk_is_ellipsoids(const CorePair *pair) {
    return kind_is(pair->a.kind, SHAPE_ELLIPSOID) & kind_is(pair->b.kind, SHAPE_ELLIPSOID);
}

/// Try the features of an earlier query (warm start); returns whether they still touch. now: receives the warm start of
/// the next query, may be the same place; 0: not wanted.
FN u32 gjk_distance_warm(const CorePair *pair, GLOBAL const NarrowWarmStart *before, GLOBAL NarrowWarmStart *now,
                         GjkResult *result) {
    Vec3 n = before->normal;
    u32 corners_a = before->corners_a, corners_b = before->corners_b;
    result->is_apart = result->is_certified = result->is_undecided = result->steps = 0;
    if ((corners_a & NARROW_WARM_START_SET) == 0) return 0;
    if (!(real_abs(vec3_dot(n, n) - 1.0) <= GJK_UNIT)) return 0; // as of a wrong warm start
    Featured found;
    if (gjk_is_ellipsoids(pair) != 0)
        ellipsoids_solve(pair, &n, &found);
    else
        gjk_try_features(pair, gjk_recall(&pair->a, corners_a), gjk_recall(&pair->b, corners_b), n, &found);
    if (found.is_certified == 0 || !(found.feature.f < 0.0 - GJK_CORES_APART * pair->size_m))
        return 0; // too near to decide
    (void)gjk_accept(result, &found);
    if (now == 0) return 1;
    now->normal = found.from;
    now->corners_a = corners_a;
    now->corners_b = corners_b;
    return 1;
}

// The nearest points of the final simplex.
FN_SHORT void gjk_end(const CorePair *pair, const GjkSimplex *s, GjkResult *result) {
    result->b = vec3_scale(s->c1.b, 1.0 - s->at.w2 - s->at.w3);
    if (s->count > 1) result->b = vec3_add_scaled(result->b, s->c2.b, s->at.w2);
    if (s->count > 2) result->b = vec3_add_scaled(result->b, s->c3.b, s->at.w3);
    result->a = vec3_add(result->b, s->at.q);
    result->is_certified = result->gap_m <= GJK_GAP_STATED * pair->size_m ? 1u : 0u;
}

/// Newton's method on the features of the simplex, from a normal. By attempt: 0 these (`first` 1: they are known to
/// fail); 1 with the support point c beyond, since the foot of the origin may lie on an edge between parts of one face;
/// 2, 3 flat faces of B, of A; 4 to 9 one feature of one shape (of B in even attempts, of A in odd ones: the first,
/// second, third), as for two edges side by side the end of one is nearest. Returns whether the solution is found. One
/// call in a loop: compilers would copy all of Newton's method for each.
FN_APART u32 gjk_try_neighbours(const CorePair *pair, const GjkSimplex *s, const CorePoint *c, u32 first, Vec3 n,
                                NarrowWarmStart *warm_start, GjkResult *result) {
    FeatureCodes all_a = gjk_codes(s, 1), all_b = gjk_codes(s, 0);
    for (u32 attempt = first; attempt < 10; attempt++) {
        Featured found;
        if (attempt == 1) {
            if (s->count > 2) continue;
            all_a.third = c->code_a;
            all_b.third = c->code_b;
        }
        u32 is_face = (attempt >> 1) == 1 ? 1u : 0u;
        FeatureCodes codes_a = all_a, codes_b = all_b;
        if (attempt > 3) {
            FeatureCodes *one = (attempt & 1u) != 0 ? &codes_a : &codes_b;
            one->first = attempt < 6 ? one->first : attempt < 8 ? one->second : one->third;
            one->second = one->third = one->first;
        }
        if (is_face != 0)
            feature_flat_face(pair, attempt & 1u, n, &found);
        else
            gjk_try_features(pair, codes_a, codes_b, n, &found);
        if (gjk_accept(result, &found) == 0) continue;
        if (is_face == 0) gjk_remember(warm_start, codes_a, codes_b, found.from);
        return 1;
    }
    return 0;
}

/// Cores too near each other for their difference to have many digits, or overlapping by as little: Newton's method on
/// the features of the simplex, from the last direction or that of its nearest point, whichever gives the greater
/// bound. If that fails `is_undecided` is set.
FN_LINK_APART void gjk_nearly_touching(const CorePair *pair, const GjkSimplex *s, NarrowWarmStart *warm_start,
                                       GjkResult *result) {
    CorePoint c = core_pair_support_call(pair, COPY(result->n), 1.0);
    Vec3 back = core_unit(vec3_negate(s->at.q));
    CorePoint d = core_pair_support_call(pair, back, 1.0);
    result->distance_m = 0.0 - vec3_dot(c.p, result->n);
    if (s->at.square > CORE_SQUARE_LEAST && 0.0 - vec3_dot(d.p, back) > result->distance_m) {
        result->distance_m = 0.0 - vec3_dot(d.p, back);
        result->n = back;
        c = d;
    }
    if (gjk_try_neighbours(pair, s, &c, 0, COPY(result->n), warm_start, result) != 0) return;
    result->is_undecided = 1;
    result->gap_m = real_max(0.0, real_sqrt(s->at.square) - result->distance_m);
    gjk_end(pair, s, result);
}

/// The face of two cores without curves with unit normal n, if no point of D reaches beyond it. feature_straight with
/// its corners gives the same bits.
FN_SHORT u32 gjk_accept_face(const CorePair *pair, const GjkSimplex *s, Vec3 n, Featured *found) {
    Vec3 e = vec3_sub(s->c2.p, s->c1.p), g = vec3_sub(s->c3.p, s->c1.p), face = vec3_cross(e, g);
    if (straight_is_thin(e, g, vec3_dot(face, face)) != 0) return 0;
    return straight_take(pair, n, COPY(s->at.q),
                         straight_blend(COPY(s->c1.b), COPY(s->c2.b), COPY(s->c3.b), s->at.w2, s->at.w3), found);
}

/// Distance of the cores from a simplex on, which was found in the direction result->n. If they overlap, is_apart is 0
/// and all else unknown. warm_start: receives the touching features.
FN void gjk_distance(const CorePair *pair, GjkSimplex *s, NarrowWarmStart *warm_start, GjkResult *result) {
    Featured found;
    u32 is_curved = core_is_curved(&pair->a) | core_is_curved(&pair->b);
    real try_below = GJK_TRY_FEATURES;
    real apart_m = GJK_CORES_APART * pair->size_m, far_m = GJK_DIRECTION_SHARE * pair->size_m;
    real gap = 0.0, length = 0.0;
    *warm_start = narrow_no_warm_start();
    s->is_enclosing = 0;
    result->is_apart = result->is_certified = result->is_undecided = result->steps = 0;
    for (u32 step = 0; step < GJK_STEPS; step++) {
        if (!(s->at.square > apart_m * apart_m)) {
            gjk_nearly_touching(pair, s, warm_start, result);
            return;
        }
        Vec3 direction = gjk_direction(s, gap > GJK_COARSE * length ? 1u : 0u, is_curved, far_m * far_m);
        real per_length = core_inverse_root(vec3_dot(direction, direction));
        CorePoint c = core_pair_support(pair, direction, per_length);
        result->steps++;
        length = 0.0 - vec3_dot(s->at.q, direction) * per_length;
        gap = vec3_dot(vec3_sub(c.p, s->at.q), direction) * per_length;
        result->n = vec3_scale(direction, per_length);
        result->gap_m = gap;
        result->distance_m = length;
        u32 is_last = gap <= GJK_GAP * pair->size_m || step + 1 == GJK_STEPS ? 1u : 0u;
        if (is_last == 0) {
            GjkNearest next = gjk_nearest(s, c.p);
            if (next.where == GJK_ENCLOSED) {
                s->c4 = c;
                s->is_enclosing = 1;
                return;
            }
            // No progress. The new simplex is kept only if it is nearer: otherwise an error of 9e-3 m in 1 of 400 pairs
            // of beam and box.
            is_last = next.square < s->at.square ? 0u : 1u;
            if (is_last == 0) gjk_move(s, &c, &next);
        }
        // Without curves the last simplex is exact; from its features the next query gets the same bits.
        if (is_last != 0 || (is_curved != 0 && gap <= try_below * length)) {
            FeatureCodes codes_a = gjk_codes(s, 1), codes_b = gjk_codes(s, 0);
            Vec3 n = core_unit(vec3_negate(s->at.q));
            u32 is_face =
                (is_curved == 0 ? 1u : 0u) & (gap <= GJK_GAP * pair->size_m ? 1u : 0u) & (s->count > 2 ? 1u : 0u);
            if (is_face == 0 || gjk_accept_face(pair, s, COPY(result->n), &found) == 0)
                gjk_try_features(pair, codes_a, codes_b, n, &found);
            if (gjk_accept(result, &found) != 0) {
                gjk_remember(warm_start, codes_a, codes_b, found.from);
                return;
            }
            if (is_last != 0 && gap > GJK_GAP_STATED * pair->size_m && gap < length &&
                gjk_try_neighbours(pair, s, &c, 1, n, warm_start, result) != 0)
                return;
            try_below = GJK_TRY_AGAIN * gap / length;
        }
        result->is_apart = gap < length ? 1u : 0u;
        if (is_last != 0) break;
    }
    gjk_end(pair, s, result);
}

/// Two ellipsoids have no discrete features.
FN u32 gjk_ellipsoids(const CorePair *pair, NarrowWarmStart *warm_start, GjkResult *result) {
    if (gjk_is_ellipsoids(pair) == 0) return 0;
    FeatureCodes none;
    Featured found;
    none.first = none.second = none.third = 0;
    result->is_certified = result->is_undecided = result->steps = 0;
    ellipsoids_solve(pair, 0, &found);
    if (gjk_accept(result, &found) == 0) return 0;
    gjk_remember(warm_start, none, none, found.from);
    return 1;
}

/// The simplex of three support points about a direction, which do not depend on each other.
FN void gjk_begin_about(const CorePair *pair, Vec3 direction, GjkSimplex *s) {
    Vec3 n = vec3_scale(direction, 1.0 / vec3_length(direction));
    FeatureAcross across = feature_across(n);
    real tilt = GJK_TILT / (1.0 + real_abs(n.z)); // of the length of both
    Vec3 u = vec3_scale(across.s, tilt), w = vec3_scale(across.t, 0.8660254037844386 * tilt);
    Vec3 back = vec3_add_scaled(n, u, -0.5);
    CorePoint c = core_pair_support_call(pair, vec3_add(n, u), 1.0);
    s->c1 = core_pair_support_call(pair, vec3_add(back, w), 1.0);
    s->c2 = core_pair_support_call(pair, vec3_sub(back, w), 1.0);
    s->count = 2;
    GjkNearest at = gjk_nearest(s, c.p);
    if (at.where == GJK_FACE_12) {
        gjk_move(s, &c, &at);
        return;
    }
    CorePoint second = s->c1, third = s->c2;
    s->c1 = c;
    gjk_begin(s);
    gjk_add(s, &second);
    gjk_add(s, &third);
}

/// Distance from a starting direction from A to B, as between the centres; if that ends on a wrong feature, once more
/// from the normal found. s: receives the last simplex if the cores overlap.
FN void gjk_distance_cold(const CorePair *pair, Vec3 direction, GjkSimplex *s, NarrowWarmStart *warm_start,
                          GjkResult *result) {
    if (!(vec3_dot(direction, direction) > 0.0)) direction = vec3_make(0.0, 0.0, 1.0);
    s->is_enclosing = 0;
    if (gjk_ellipsoids(pair, warm_start, result) != 0) return;
    GjkResult first;
    NarrowWarmStart first_warm_start;
    u32 is_many = kind_is(pair->a.kind, SHAPE_HULL) & kind_is(pair->b.kind, SHAPE_HULL); // other pairs need few
    first.steps = 0;
    for (u32 attempt = 0; attempt < 2; attempt++) {
        if (attempt == 0 && is_many != 0) {
            gjk_begin_about(pair, direction, s);
        } else {
            s->c1 = core_pair_support_call(pair, direction, 1.0 / vec3_length(direction));
            gjk_begin(s);
        }
        result->n = core_unit(direction);
        gjk_distance(pair, s, warm_start, result);
        result->steps += first.steps;
        if (attempt != 0 && (result->is_apart == 0 || !(result->gap_m < first.gap_m))) {
            first.steps = result->steps;
            *result = first;
            *warm_start = first_warm_start;
        }
        if (attempt != 0 || result->is_apart == 0 || result->gap_m <= GJK_GAP_ONCE * pair->size_m) return;
        first = *result;
        first_warm_start = *warm_start;
        direction = result->n;
    }
}

#endif
