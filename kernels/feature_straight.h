// Two cores without curves, as a box and a hull: three corners of D are part of one of its faces, whatever edges, vertices or
// faces of the two make it, so that its normal and nearest point need no case of their own for each of these.
#ifndef CLACK_FEATURE_STRAIGHT_H
#define CLACK_FEATURE_STRAIGHT_H

#include "feature.h"

#define STRAIGHT_THIN 1.0e-3 // sine in a triangle of D: the normal of thinner ones has fewer digits than that of their edges

// The corner of a core without curves that has this code, local axes.
FN_SHORT Vec3 straight_corner(const Core *core, u32 code) {
    if (kind_is(core->kind, SHAPE_HULL)) return core_hull_vertex(core, code);
    Vec3 half_m = core->segments.half_m;
    return vec3_make((code & 1u) != 0 ? 0.0 - half_m.x : half_m.x, (code & 2u) != 0 ? 0.0 - half_m.y : half_m.y,
                     (code & 4u) != 0 ? 0.0 - half_m.z : half_m.z);
}

// How far such a core reaches in a direction.
FN_SHORT real straight_most(const Core *core, Vec3 u) {
    if (kind_is(core->kind, SHAPE_HULL))
        return vec3_dot(core_hull_vertex(core, shape_hull_farthest(&core->map, core->shape, core->hulls, u)), u);
    Vec3 half_m = core->segments.half_m;
    return real_abs(u.x) * half_m.x + real_abs(u.y) * half_m.y + real_abs(u.z) * half_m.z;
}

/// The nearest point of the triangle of D between three corners, as feature_solve would find it; n: towards which side the face
/// looks. Returns whether that is the answer: the point is in the triangle, and nothing of D reaches farther along its normal.
/// What is beyond the triangle, but on the same face of D, is left to feature_solve.
FN u32 feature_straight(const CorePair *pair, FeatureCodes codes_a, FeatureCodes codes_b, Vec3 n, Featured *found) {
    Vec3 a = straight_corner(&pair->a, codes_a.first), b = straight_corner(&pair->b, codes_b.first);
    Vec3 a_e = vec3_sub(straight_corner(&pair->a, codes_a.second), a), a_g = vec3_sub(straight_corner(&pair->a, codes_a.third), a);
    Vec3 b_e = vec3_sub(straight_corner(&pair->b, codes_b.second), b), b_g = vec3_sub(straight_corner(&pair->b, codes_b.third), b);
    Vec3 e = vec3_sub(mat3_rotate(pair->turn, a_e), b_e), g = vec3_sub(mat3_rotate(pair->turn, a_g), b_g);
    Vec3 c = vec3_sub(vec3_add(pair->place, mat3_rotate(pair->turn, a)), b), face = vec3_cross(e, g);
    real square = vec3_dot(face, face), sides = vec3_dot(e, e) * vec3_dot(g, g);
    if (!(square > STRAIGHT_THIN * STRAIGHT_THIN * sides)) return 0;
    real share = 1.0 / square, unit = real_sqrt(square) * share;
    if (vec3_dot(face, n) < 0.0) unit = 0.0 - unit;
    n = vec3_scale(face, unit);
    real on_e = 0.0 - vec3_dot(vec3_cross(c, g), face) * share, on_g = vec3_dot(vec3_cross(c, e), face) * share;
    real beyond = real_max(0.0 - real_min(on_e, on_g), on_e + on_g - 1.0);
    if (!(beyond <= FEATURE_BEYOND)) return 0;
    Vec3 x = vec3_add_scaled(vec3_add_scaled(c, e, on_e), g, on_g);
    real f = vec3_dot(x, n), most_left = FEATURE_STATIONARY * pair->size_m;
    Vec3 left = vec3_add_scaled(x, n, 0.0 - f);
    if (!(vec3_dot(left, left) <= most_left * most_left)) return 0;
    real most = vec3_dot(pair->place, n) + straight_most(&pair->a, mat3_rotate_back(pair->turn, n)) +
                straight_most(&pair->b, vec3_negate(n));
    if (!(most - f <= FEATURE_EXCESS * pair->size_m)) return 0;
    found->gap_m = real_max(0.0, vec3_length(x) + most);
    if (beyond > 0.0) found->gap_m += beyond * (real_sqrt(vec3_dot(e, e)) + real_sqrt(vec3_dot(g, g)));
    found->feature.n = found->from = n;
    found->feature.b = vec3_add_scaled(vec3_add_scaled(b, b_e, on_e), b_g, on_g);
    found->feature.a = vec3_add(found->feature.b, x);
    found->feature.f = f;
    found->is_certified = 1;
    found->steps = 0;
    return 1;
}

#endif
