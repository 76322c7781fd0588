// A sphere against a hull whose core does not contain its centre: the search of gjk.h for a single point, in the hull's
// axes and without features, as the last simplex of a hull is its vertex, edge or face itself. Undecided cases are left
// to the general search: centres in the core, or so near to a vertex or edge that the difference has few digits.
#ifndef CLACK_GEOMETRY_SPHERE_HULL_H
#define CLACK_GEOMETRY_SPHERE_HULL_H

#include "geometry/core_pair.h"
#include "geometry/gjk.h"
#include "geometry/shape.h"

/// Support point of the point p minus the core of the hull, for a direction of any length.
FN_SHORT CorePoint sphere_hull_support(const HullMap *map, GLOBAL const Shape *hull, GLOBAL const HullRow *hulls,
                                       Vec3 p, Vec3 direction) {
    u32 vertex = shape_hull_farthest(map, hull, hulls, vec3_negate(direction));
    CorePoint c;
    c.b = vec3_zero(); // unused: it is p - c.p
    c.p = vec3_add_scaled(p, map->vertices[vertex].at_m, 0.0 - hull->size_m[0]);
    c.code_a = 0;
    c.code_b = vertex;
    return c;
}

/// Sphere A and hull B; returns whether the result is known.
FN u32 sphere_hull(GLOBAL const Shape *a, GLOBAL const Shape *b, const Mat3 *turn_b, Vec3 offset,
                   GLOBAL const HullRow *hulls, NarrowResult *r) {
    Vec3 p = vec3_negate(mat3_rotate_back(*turn_b, offset));
    if (!(vec3_dot(p, p) > 0.0)) return 0;
    HullMap map = shape_hull_map(b, hulls);
    real size_m = shape_size_m(a) + shape_size_m(b) + vec3_max_abs(offset), length = 0.0, gap = 0.0;
    Vec3 n;
    GjkSimplex s;
    s.c1 = sphere_hull_support(&map, b, hulls, p, vec3_negate(p));
    s.c2 = s.c3 = s.c1;
    gjk_begin(&s);
    u32 is_last = 0, steps = 0;
    do {
        real least_m = s.count < 3 ? GJK_DIRECTION_SHARE * size_m : GJK_CORES_APART * size_m;
        if (!(s.at.square > least_m * least_m)) return 0;
        Vec3 direction = gjk_direction(&s, gap > GJK_COARSE * length ? 1u : 0u, 0, 0.0);
        real per_length = core_inverse_root(vec3_dot(direction, direction));
        CorePoint c = sphere_hull_support(&map, b, hulls, p, direction);
        n = vec3_scale(direction, per_length);
        length = 0.0 - vec3_dot(s.at.q, n);
        gap = vec3_dot(vec3_sub(c.p, s.at.q), n);
        is_last = gap <= GJK_GAP * size_m ? 1u : 0u;
        if (is_last == 0) {
            GjkNearest next = gjk_nearest(&s, c.p);
            if (next.where == GJK_ENCLOSED) return 0;
            is_last = next.square < s.at.square ? 0u : 1u;
            if (is_last == 0) gjk_move(&s, &c, &next);
        }
    } while (++steps < GJK_STEPS && is_last == 0);
    if (!(gap <= GJK_GAP_ONCE * size_m)) return 0;
    real ball_a = shape_ball_radius(a), ball_b = shape_ball_radius(b);
    r->normal = vec3_normalize(mat3_rotate(*turn_b, n));
    r->distance_m = length - ball_a - ball_b;
    r->error_m = real_max(gap, 0.0) + NARROW_ROUNDING * size_m;
    r->point_a = vec3_scale(r->normal, ball_a);
    r->point_b = vec3_add_scaled(mat3_rotate(*turn_b, vec3_sub(p, s.at.q)), r->normal, 0.0 - ball_b);
    r->to_nearest_m = vec3_zero();
    r->status = NARROW_OK;
    r->iterations = steps;
    return 1;
}

#endif
