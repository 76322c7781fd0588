// The point of a triangle nearest to the origin, however thin the triangle is: one step of the searches for nearest
// points.
#ifndef CLACK_GEOMETRY_TRIANGLE_H
#define CLACK_GEOMETRY_TRIANGLE_H

#include "base/vec3.h"

#define TRIANGLE_DEGENERATE 2.2e-14 // 100 epsilon: sine below which two directions are parallel

/// (b - a) x (c - a).
FN Vec3 triangle_normal(Vec3 a, Vec3 b, Vec3 c) { return vec3_cross(vec3_sub(b, a), vec3_sub(c, a)); }

/// Are b - a and c - a parallel to rounding, or one of them 0?
FN u32 triangle_is_flat(Vec3 a, Vec3 b, Vec3 c, Vec3 normal) {
    Vec3 ab = vec3_sub(b, a);
    Vec3 ac = vec3_sub(c, a);
    real size = vec3_dot(ab, ab) * vec3_dot(ac, ac);
    return vec3_dot(normal, normal) > TRIANGLE_DEGENERATE * TRIANGLE_DEGENERATE * size ? 0u : 1u;
}

// Point of a triangle nearest to the origin.
typedef struct TrianglePoint {
    Vec3 q;
    real square;     // |q|^2
    real w1, w2, w3; // barycentric weights
    Vec3 face;       // normal of the triangle, any length; 0 unless q is inside
} TrianglePoint;

/// Point of the segment a b nearest to the origin, if nearer than `best`. The weights of its ends are returned as w1
/// and w2.
FN TrianglePoint triangle_nearer_on_segment(TrianglePoint best, Vec3 a, Vec3 b) {
    Vec3 ab = vec3_sub(b, a);
    real length_square = vec3_dot(ab, ab);
    real t = length_square > 0.0 ? real_clamp(-vec3_dot(a, ab) / length_square, 0.0, 1.0) : 0.0;
    TrianglePoint other;
    other.q = vec3_add_scaled(a, ab, t);
    // Made perpendicular once more: near the origin the rounding of t would rotate q, and that normal's support point
    // would be at the far end of the edge.
    if (t > 0.0 && t < 1.0) other.q = vec3_add_scaled(other.q, ab, -vec3_dot(other.q, ab) / length_square);
    other.square = vec3_dot(other.q, other.q);
    other.w1 = 1.0 - t;
    other.w2 = t;
    other.w3 = 0.0;
    other.face = vec3_zero();
    return other.square < best.square ? other : best;
}

/// Foot of the origin on the plane of a triangle, from its normal rather than from the weights, which cancel. square:
/// REAL_HUGE if it lies outside, or the triangle is degenerate.
FN TrianglePoint triangle_foot(Vec3 a, Vec3 b, Vec3 c) {
    TrianglePoint foot;
    Vec3 ab = vec3_sub(b, a);
    Vec3 ac = vec3_sub(c, a);
    Vec3 e = vec3_cross(ab, ac);
    foot.q = foot.face = vec3_zero();
    foot.w1 = foot.w2 = foot.w3 = 0.0;
    foot.square = REAL_HUGE;
    if (triangle_is_flat(a, b, c, e) != 0) return foot;
    real square = vec3_dot(e, e);
    foot.q = vec3_scale(e, vec3_dot(e, a) / square);
    Vec3 to_foot = vec3_sub(foot.q, a);
    foot.w2 = vec3_dot(vec3_cross(to_foot, ac), e) / square;
    foot.w3 = vec3_dot(vec3_cross(ab, to_foot), e) / square;
    foot.w1 = 1.0 - foot.w2 - foot.w3;
    foot.face = e;
    if (foot.w1 >= 0.0 && foot.w2 >= 0.0 && foot.w3 >= 0.0) foot.square = vec3_dot(foot.q, foot.q);
    return foot;
}

/// Nearest point of a triangle that may be degenerate: the foot of the origin, else the best of the three edges.
FN TrianglePoint triangle_nearest(Vec3 a, Vec3 b, Vec3 c) {
    TrianglePoint best = triangle_foot(a, b, c);
    if (best.square < REAL_HUGE) return best;
    best = triangle_nearer_on_segment(best, a, b);
    TrianglePoint other = triangle_nearer_on_segment(best, b, c);
    if (other.square < best.square) {
        best = other;
        best.w3 = other.w2;
        best.w2 = other.w1;
        best.w1 = 0.0;
    }
    other = triangle_nearer_on_segment(best, c, a);
    if (other.square < best.square) {
        best = other;
        best.w1 = other.w2;
        best.w3 = other.w1;
        best.w2 = 0.0;
    }
    return best;
}

FN Vec3 triangle_blend(Vec3 a, Vec3 b, Vec3 c, TrianglePoint at) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(a, at.w1), b, at.w2), c, at.w3);
}

#endif
