// The distance of two cores: Gilbert, Johnson and Keerthi's search for the point of D nearest to the
// origin, which hands over to Newton's method (feature.h) as soon as the features are known.
// Source: Gilbert, Johnson, Keerthi, IEEE J. Robotics and Automation 4 (1988); spec narrow-phase 3.4, 7.
#ifndef CLACK_GJK_H
#define CLACK_GJK_H

#include "feature.h"
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

/// The triangle nearest to the origin that a new point makes with the present one.
FN GjkSimplex gjk_add(GjkSimplex s, CorePoint c) {
    if (!(s.at.w1 > 0.0)) return gjk_simplex(c, s.c2, s.c3);
    if (!(s.at.w2 > 0.0)) return gjk_simplex(s.c1, c, s.c3);
    if (!(s.at.w3 > 0.0)) return gjk_simplex(s.c1, s.c2, c);
    GjkSimplex best = gjk_simplex(c, s.c2, s.c3);
    GjkSimplex other = gjk_simplex(s.c1, c, s.c3);
    if (other.at.square < best.at.square) best = other;
    other = gjk_simplex(s.c1, s.c2, c);
    return other.at.square < best.at.square ? other : best;
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

// Bits in which the corners that carry weight differ: the edges and sides that the nearest point lies on.
FN u32 gjk_active(GLOBAL const Shape *shape, Vec3 u1, Vec3 u2, Vec3 u3, TrianglePoint at) {
    u32 code1 = core_code(shape, u1);
    u32 code2 = core_code(shape, u2);
    u32 code3 = core_code(shape, u3);
    u32 any = (at.w1 > 0.0 ? code1 : 0u) | (at.w2 > 0.0 ? code2 : 0u) | (at.w3 > 0.0 ? code3 : 0u);
    u32 all = (at.w1 > 0.0 ? code1 : 15u) & (at.w2 > 0.0 ? code2 : 15u) & (at.w3 > 0.0 ? code3 : 15u);
    return any & ~all;
}

FN u32 gjk_is_same(Vec3 p, Vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z ? 1u : 0u; }

// The different points among those of one core that carry weight.
FN FeatureCorners gjk_corners(Vec3 p1, Vec3 p2, Vec3 p3, TrianglePoint at) {
    FeatureCorners corners;
    corners.first = at.w1 > 0.0 ? p1 : at.w2 > 0.0 ? p2 : p3;
    corners.second = corners.third = corners.first;
    corners.count = 1;
    if (at.w2 > 0.0 && gjk_is_same(p2, corners.first) == 0) {
        corners.second = p2;
        corners.count = 2;
    }
    if (at.w3 > 0.0 && gjk_is_same(p3, corners.first) == 0 && gjk_is_same(p3, corners.second) == 0) {
        if (corners.count == 1)
            corners.second = p3;
        else
            corners.third = p3;
        corners.count++;
    }
    return corners;
}

/// Newton with the features that the corners of a triangle lie on, starting from the normal n.
FN Featured gjk_try_features(const CorePair *pair, CorePoint c1, CorePoint c2, CorePoint c3, TrianglePoint at,
                             Vec3 n) {
    Featured found = feature_face(pair, 1, n);
    if (found.is_certified == 0) found = feature_face(pair, 0, n);
    if (found.is_certified != 0) return found;
    u32 active_a = 0;
    u32 active_b = 0;
    if (pair->a->kind != SHAPE_HULL)
        active_a = gjk_active(pair->a, mat3_rotate_back(pair->turn, c1.n), mat3_rotate_back(pair->turn, c2.n),
                              mat3_rotate_back(pair->turn, c3.n), at);
    if (pair->b->kind != SHAPE_HULL)
        active_b = gjk_active(pair->b, vec3_negate(c1.n), vec3_negate(c2.n), vec3_negate(c3.n), at);
    return feature_solve(pair, active_a, gjk_corners(c1.a, c2.a, c3.a, at), active_b,
                         gjk_corners(c1.b, c2.b, c3.b, at), n);
}

FN Featured gjk_features(const CorePair *pair, GjkSimplex s) {
    return gjk_try_features(pair, s.c1, s.c2, s.c3, s.at, vec3_normalize(vec3_negate(s.at.q)));
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

/// Signed distance is not sought here: where the cores overlap, is_apart says so.
FN GjkResult gjk_distance(const CorePair *pair, GjkSimplex s) {
    GjkResult result;
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
        if (is_curved != 0 && (is_last != 0 || result.gap_m <= try_below * length)) {
            Featured found = gjk_features(pair, is_last != 0 ? s : next);
            result.steps += found.steps;
            if (found.is_certified != 0 && found.feature.f < 0.0) {
                result.distance_m = 0.0 - found.feature.f;
                result.gap_m = found.gap_m;
                result.n = found.feature.n;
                result.a = found.feature.a;
                result.b = found.feature.b;
                result.is_apart = result.is_certified = 1;
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

/// From the direction between the centres.
FN GjkResult gjk_distance_cold(const CorePair *pair) {
    Vec3 centre_a = vec3_add(pair->place, mat3_rotate(pair->turn, shape_centroid(pair->a)));
    Vec3 way = vec3_sub(shape_centroid(pair->b), centre_a);
    real length = vec3_length(way);
    CorePoint c = core_support(pair, length > 0.0 ? vec3_scale(way, 1.0 / length) : vec3_make(0.0, 0.0, 1.0));
    return gjk_distance(pair, gjk_simplex(c, c, c));
}

#endif
