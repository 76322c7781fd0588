// The distance of two cores: Gilbert, Johnson and Keerthi's search for the point of D nearest to the
// origin, which hands over to Newton's method (feature.h) as soon as the features are known.
// Source: Gilbert, Johnson, Keerthi, IEEE J. Robotics and Automation 4 (1988); spec narrow-phase 3.4, 7.
#ifndef CLACK_GJK_H
#define CLACK_GJK_H

#include "feature.h"
#include "narrow_types.h"
#include "triangle.h"

#define GJK_STEPS 200u
#define GJK_GAP 1.0e-15       // between the bounds, of the sizes: exact
#define GJK_GAP_STATED 1.0e-12 // beyond it the result is marked
#define GJK_TRY_FEATURES 0.9  // of the distance: the first gap at which features are tried
#define GJK_DIRECTION_SHARE 1.0e-6 // of the sizes: shorter differences give a direction to 1e-10 only
#define GJK_CORES_APART 1.0e-9     // of the sizes: nearer cores have no usable difference
#define GJK_TRY_AGAIN 0.9     // of the gap at which they failed

typedef struct GjkSimplex { // a triangle of D and its point nearest to the origin
    CorePoint c1, c2, c3;
    TrianglePoint at;
} GjkSimplex;

typedef struct GjkResult {
    real distance_m; // of the cores
    real gap_m;      // between its bounds
    Vec3 n;          // from A to B, in B
    Vec3 a, b;       // nearest points of the cores, in B
    u32 is_apart;    // 0: the cores overlap, nothing else is known
    u32 is_certified;
    u32 steps;       // support points and Newton steps
} GjkResult;

FN GjkSimplex gjk_simplex(CorePoint c1, CorePoint c2, CorePoint c3) {
    GjkSimplex s;
    s.c1 = c1;
    s.c2 = c2;
    s.c3 = c3;
    s.at = triangle_nearest_thin(c1.p, c2.p, c3.p);
    return s;
}

/// The triangle nearest to the origin that a new point makes with the present one; the new point is its first.
FN GjkSimplex gjk_add(GjkSimplex s, CorePoint c) {
    GjkSimplex next;
    next.c1 = c;
    next.c2 = s.c2;
    next.c3 = s.c3;
    if (!(s.at.w1 > 0.0)) {
        next.at = triangle_nearest_thin(c.p, s.c2.p, s.c3.p);
        return next;
    }
    u32 drops_2 = s.at.w2 > 0.0 ? 0u : 1u, drops_3 = s.at.w3 > 0.0 ? 0u : 1u;
    TrianglePoint best = triangle_nearest_thin(c.p, s.c1.p, drops_2 != 0 ? s.c3.p : s.c2.p);
    if ((drops_2 | drops_3) == 0) {
        TrianglePoint at_2 = triangle_nearest_thin(c.p, s.c1.p, s.c3.p);
        TrianglePoint at_1 = triangle_nearest_thin(c.p, s.c2.p, s.c3.p);
        drops_2 = at_2.square < best.square ? 1u : 0u;
        if (drops_2 != 0) best = at_2;
        next.at = at_1;
        if (at_1.square < best.square) return next;
    }
    next.at = best;
    if (drops_2 == 0) next.c3 = s.c2;
    next.c2 = s.c1;
    return next;
}

/// Does the tetrahedron of a triangle and a point hold the origin?
FN u32 gjk_encloses(GjkSimplex s, Vec3 p) {
    Vec3 q1 = vec3_sub(s.c1.p, p);
    Vec3 q2 = vec3_sub(s.c2.p, p);
    Vec3 q3 = vec3_sub(s.c3.p, p);
    real volume = vec3_dot(vec3_cross(q1, q2), q3);
    real side1 = 0.0 - vec3_dot(vec3_cross(q2, q3), p);
    real side2 = 0.0 - vec3_dot(vec3_cross(q3, q1), p);
    real side3 = 0.0 - vec3_dot(vec3_cross(q1, q2), p);
    real side0 = volume - side1 - side2 - side3;
    if (volume > 0.0) return side0 >= 0.0 && side1 >= 0.0 && side2 >= 0.0 && side3 >= 0.0 ? 1u : 0u;
    if (volume < 0.0) return side0 <= 0.0 && side1 <= 0.0 && side2 <= 0.0 && side3 <= 0.0 ? 1u : 0u;
    return 0;
}

// Codes of the corners that carry weight.
FN FeatureCodes gjk_codes(u32 code1, u32 code2, u32 code3, TrianglePoint at) {
    FeatureCodes codes;
    u32 one = at.w1 > 0.0 ? code1 : at.w2 > 0.0 ? code2 : code3;
    codes.first = at.w1 > 0.0 ? code1 : one;
    codes.second = at.w2 > 0.0 ? code2 : one;
    codes.third = at.w3 > 0.0 ? code3 : one;
    return codes;
}

/// Newton on a round face, or on the features between the given corners, starting from the normal n.
FN Featured gjk_try_features(const CorePair *pair, FeatureCodes codes_a, FeatureCodes codes_b, Vec3 n) {
    Featured found = feature_face(pair, 1, n);
    if (found.is_certified == 0) found = feature_face(pair, 0, n);
    if (found.is_certified != 0) return found;
    return feature_solve(pair, codes_a, codes_b, n);
}

/// Direction of the nearest point: the face's normal where it lies inside one, for it keeps its digits when
/// the cores come near each other; else the nearest point itself.
FN Vec3 gjk_normal(GjkSimplex s, real size, u32 is_curved) {
    u32 is_far = s.at.square > GJK_DIRECTION_SHARE * GJK_DIRECTION_SHARE * size * size ? 1u : 0u;
    if ((is_curved == 0 || is_far == 0) && vec3_dot(s.at.face, s.at.face) > 0.0) {
        Vec3 n = vec3_normalize(s.at.face);
        return vec3_dot(n, s.at.q) > 0.0 ? vec3_negate(n) : n;
    }
    return vec3_normalize(vec3_negate(s.at.q));
}

FN u32 gjk_pack(FeatureCodes codes) {
    return codes.first | codes.second << NARROW_CODE_BITS | codes.third << (2u * NARROW_CODE_BITS);
}

/// Keep what touches for the next look; corners with codes too large for it are left out.
FN void gjk_remember(NarrowHint *hint, FeatureCodes codes_a, FeatureCodes codes_b, Vec3 from) {
    u32 all = codes_a.first | codes_a.second | codes_a.third | codes_b.first | codes_b.second | codes_b.third;
    *hint = narrow_no_hint();
    if (all >> NARROW_CODE_BITS != 0) return;
    hint->normal = from;
    hint->corners_a = NARROW_HINTED | gjk_pack(codes_a);
    hint->corners_b = gjk_pack(codes_b);
}

// The same the other way round. Of hulls that have no vertex of that number, as of wrong hints, the last one.
FN FeatureCodes gjk_recall(GLOBAL const Shape *shape, u32 corners) {
    u32 mask = (1u << NARROW_CODE_BITS) - 1u;
    u32 last = shape->kind == SHAPE_HULL ? shape->hull_vertices - 1u : mask;
    FeatureCodes codes;
    codes.first = u32_min(corners & mask, last);
    codes.second = u32_min(corners >> NARROW_CODE_BITS & mask, last);
    codes.third = u32_min(corners >> (2u * NARROW_CODE_BITS) & mask, last);
    return codes;
}

/// What Newton's method found is the answer where it is certified and the cores are apart.
FN u32 gjk_take(GjkResult *result, const Featured *found) {
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

/// What touched at an earlier look, tried at once; is_apart: it still does.
FN GjkResult gjk_distance_warm(const CorePair *pair, NarrowHint *hint) {
    GjkResult result;
    result.is_apart = result.is_certified = result.steps = 0;
    if ((hint->corners_a & NARROW_HINTED) == 0) return result;
    Featured found = gjk_try_features(pair, gjk_recall(pair->a, hint->corners_a),
                                      gjk_recall(pair->b, hint->corners_b), hint->normal);
    if (found.is_certified == 0) return result;
    if (!(found.feature.f < 0.0 - GJK_CORES_APART * pair->size_m)) return result; // too near to tell
    (void)gjk_take(&result, &found);
    hint->normal = found.from;
    return result;
}

/// Signed distance is not sought here: where the cores overlap, is_apart says so. hint: becomes what touches.
FN GjkResult gjk_distance(const CorePair *pair, GjkSimplex s, NarrowHint *hint) {
    GjkResult result;
    *hint = narrow_no_hint();
    u32 is_curved = shape_is_curved(pair->a) | shape_is_curved(pair->b);
    real try_below = GJK_TRY_FEATURES;
    result.is_apart = result.is_certified = result.steps = 0;
    for (u32 step = 0; step < GJK_STEPS; step++) {
        real length = real_sqrt(s.at.square);
        if (!(length > GJK_CORES_APART * pair->size_m)) return result;
        result.n = gjk_normal(s, pair->size_m, is_curved);
        CorePoint c = core_support(pair, result.n);
        result.steps++;
        result.gap_m = length + vec3_dot(c.p, result.n);
        result.distance_m = length;
        result.a = triangle_blend(s.c1.a, s.c2.a, s.c3.a, s.at);
        result.b = triangle_blend(s.c1.b, s.c2.b, s.c3.b, s.at);
        u32 is_last = result.gap_m <= GJK_GAP * pair->size_m ? 1u : 0u;
        if (is_last == 0 && gjk_encloses(s, c.p) != 0) return result;
        GjkSimplex next = is_last != 0 ? s : gjk_add(s, c);
        // No progress: the new simplex is kept only where it is nearer (spec narrow-phase 7.1).
        if (!(next.at.square < s.at.square)) is_last = 1;
        // Without curves the last simplex is exact; its features say the same in the bits of the next look at them.
        if (is_last != 0 || (is_curved != 0 && result.gap_m <= try_below * length)) {
            if (is_last == 0) s = next;
            FeatureCodes codes_a = gjk_codes(s.c1.code_a, s.c2.code_a, s.c3.code_a, s.at);
            FeatureCodes codes_b = gjk_codes(s.c1.code_b, s.c2.code_b, s.c3.code_b, s.at);
            Featured found = gjk_try_features(pair, codes_a, codes_b, vec3_normalize(vec3_negate(s.at.q)));
            if (gjk_take(&result, &found) != 0) {
                gjk_remember(hint, codes_a, codes_b, found.from);
                return result;
            }
            try_below = GJK_TRY_AGAIN * result.gap_m / length;
        }
        result.is_apart = result.gap_m < length ? 1u : 0u;
        if (is_last != 0) {
            result.is_certified = result.gap_m <= GJK_GAP_STATED * pair->size_m ? 1u : 0u;
            return result;
        }
        s = next;
    }
    return result;
}

FN GjkResult gjk_distance_along(const CorePair *pair, Vec3 direction, NarrowHint *hint) {
    CorePoint c = core_support(pair, direction);
    return gjk_distance(pair, gjk_simplex(c, c, c), hint);
}

/// From the direction between the centres; where that ends on a wrong feature, once more from the normal it found.
FN GjkResult gjk_distance_cold(const CorePair *pair, NarrowHint *hint) {
    Vec3 centre_a = vec3_add(pair->place, mat3_rotate(pair->turn, shape_centroid(pair->a)));
    Vec3 way = vec3_sub(shape_centroid(pair->b), centre_a);
    real length = vec3_length(way);
    way = length > 0.0 ? vec3_scale(way, 1.0 / length) : vec3_make(0.0, 0.0, 1.0);
    GjkResult first = gjk_distance_along(pair, way, hint);
    if (first.is_apart == 0 || first.is_certified != 0) return first;
    NarrowHint hint_again;
    GjkResult again = gjk_distance_along(pair, first.n, &hint_again);
    first.steps += again.steps;
    if (again.is_apart == 0 || !(again.gap_m < first.gap_m)) return first;
    *hint = hint_again;
    again.steps = first.steps;
    return again;
}

#endif
