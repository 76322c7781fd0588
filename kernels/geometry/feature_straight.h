// Two cores without curves, as a box and a hull: three corners of D lie on one of its faces, whatever edges, vertices
// or faces of the two make it, so that its normal and nearest point need no case distinction. The operations are those
// of the search, so that a warm start with the corners of the search's last triangle gives its answer to the bit.
#ifndef CLACK_GEOMETRY_FEATURE_STRAIGHT_H
#define CLACK_GEOMETRY_FEATURE_STRAIGHT_H

#include "geometry/core_pair.h"
#include "geometry/feature.h"
#include "geometry/shape.h"

#define STRAIGHT_THIN                                                                                                  \
    0.03 // sine in a triangle of D: the normal of thinner ones has fewer digits than that of their edges
#define STRAIGHT_EXCESS 2.0e-15 // of the sizes: allowed excess of D over its face, which the stated rounding covers

FN_SHORT u32 straight_is_thin(Vec3 e, Vec3 g, real square) {
    return square > STRAIGHT_THIN * STRAIGHT_THIN * (vec3_dot(e, e) * vec3_dot(g, g)) ? 0u : 1u;
}

/// Result from the nearest point q to the origin of a face with a unit normal n; b is the point of core B. Returns
/// whether these can be the answer.
FN_SHORT u32 straight_take(const CorePair *pair, Vec3 n, Vec3 q, Vec3 b, Featured *found) {
    n = vec3_add(n, vec3_zero()); // zeros of one sign, in which the paths here differ
    real f = vec3_dot(q, n), most_left = FEATURE_STATIONARY * pair->size_m;
    Vec3 left = vec3_add_scaled(q, n, 0.0 - f);
    found->feature.n = found->from = n;
    found->feature.b = b;
    found->feature.a = vec3_add(b, q);
    found->feature.f = f;
    found->gap_m = real_max(0.0, vec3_length(q) + f);
    found->steps = 0;
    found->is_certified = vec3_dot(left, left) <= most_left * most_left ? 1u : 0u;
    return found->is_certified;
}

/// Point of a triangle from its corners and the weights of the last two: exactly a corner if all three are equal, so
/// that patches see no tilt there.
FN_SHORT Vec3 straight_blend(Vec3 first, Vec3 second, Vec3 third, real w2, real w3) {
    return vec3_add_scaled(vec3_add_scaled(first, vec3_sub(second, first), w2), vec3_sub(third, first), w3);
}

// The corner of a core without curves with this code, local axes.
FN_SHORT Vec3 straight_corner(const Core *core, u32 code) {
    if (kind_is(core->kind, SHAPE_HULL)) return core_hull_vertex(core, code);
    Vec3 half_m = core->segments.half_m;
    return vec3_make((code & 1u) != 0 ? 0.0 - half_m.x : half_m.x, (code & 2u) != 0 ? 0.0 - half_m.y : half_m.y,
                     (code & 4u) != 0 ? 0.0 - half_m.z : half_m.z);
}

FN_SHORT CorePoint straight_point(const CorePair *pair, u32 code_a, u32 code_b) {
    CorePoint c;
    c.b = straight_corner(&pair->b, code_b);
    c.p = vec3_sub(vec3_add(pair->place, mat3_rotate(pair->turn, straight_corner(&pair->a, code_a))), c.b);
    c.code_a = code_a;
    c.code_b = code_b;
    return c;
}

// Support function of such a core.
FN_SHORT real straight_most(const Core *core, Vec3 u) {
    if (kind_is(core->kind, SHAPE_HULL))
        return vec3_dot(core_hull_vertex(core, shape_hull_farthest(&core->map, core->shape, core->hulls, u)), u);
    Vec3 half_m = core->segments.half_m;
    return real_abs(u.x) * half_m.x + real_abs(u.y) * half_m.y + real_abs(u.z) * half_m.z;
}

/// The nearest point of the triangle of D between three corners, as feature_solve would find it; n: on which side of
/// the face the normal lies. Returns whether that is the answer: the point is in the triangle, and no point of D
/// reaches farther along its normal. Points beyond the triangle, on the same face of D, are left to feature_solve.
FN u32 feature_straight(const CorePair *pair, FeatureCodes codes_a, FeatureCodes codes_b, Vec3 n, Featured *found) {
    CorePoint c1 = straight_point(pair, codes_a.first, codes_b.first),
              c2 = straight_point(pair, codes_a.second, codes_b.second);
    CorePoint c3 = straight_point(pair, codes_a.third, codes_b.third);
    Vec3 e = vec3_sub(c2.p, c1.p), g = vec3_sub(c3.p, c1.p), face = vec3_cross(e, g);
    real square = vec3_dot(face, face);
    if (straight_is_thin(e, g, square) != 0) return 0;
    real inverse = 1.0 / square, on_e = (0.0 - vec3_dot(vec3_cross(c1.p, g), face)) * inverse,
         on_g = vec3_dot(vec3_cross(c1.p, e), face) * inverse;
    if (!(real_min(on_e, on_g) >= 0.0 && on_e + on_g <= 1.0)) return 0;
    real unit = core_inverse_root(square);
    n = vec3_scale(face, vec3_dot(face, n) < 0.0 ? 0.0 - unit : unit);
    Vec3 q = vec3_add_scaled(vec3_add_scaled(c1.p, e, on_e), g, on_g);
    if (straight_take(pair, n, q, straight_blend(c1.b, c2.b, c3.b, on_e, on_g), found) == 0) return 0;
    real most = vec3_dot(pair->place, n) + straight_most(&pair->a, mat3_rotate_back(pair->turn, n)) +
                straight_most(&pair->b, vec3_negate(n));
    found->is_certified = most - found->feature.f <= STRAIGHT_EXCESS * pair->size_m ? 1u : 0u;
    return found->is_certified;
}

#endif
