// The depth of two polytopes that overlap, by trying every direction that may be the least way out.
#ifndef CLACK_POLYTOPE_DEPTH_H
#define CLACK_POLYTOPE_DEPTH_H

#include "shape_reference.h"

namespace scenes {

using Corners = std::vector<Vec3>;

/// Corners of a polytope's core relative to the origin of A, world axes.
inline Corners corners_of(const Placed &p, Vec3 at) {
    Corners all;
    const Vec3 half = shape_core_half_m(&p.shape);
    if (p.shape.kind == SHAPE_HULL)
        for (uint32_t k = 0; k < p.shape.hull_vertices; k++)
            all.push_back(shape_hull_vertex(&p.shape, hull_rows().data(), k));
    else
        for (int k = 0; k < 8; k++)
            all.push_back(vec3_make(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z));
    for (Vec3 &v : all) v = vec3_add(at, mat3_rotate(p.turn, v));
    return all;
}

inline double reach(const Corners &corners, Vec3 n) {
    double most = -INFINITY;
    for (const Vec3 &v : corners) most = std::max(most, vec3_dot(v, n));
    return most;
}

/// Depth of two polytopes that overlap: normals of all planes through three corners of one, and across a line of each.
/// Those of all faces of A - B are among them.
inline double least_depth(const Corners &a, const Corners &b) {
    double least = INFINITY;
    auto take = [&](Vec3 n) {
        const double length = vec3_length(n);
        if (length < 1e-9) return;
        n = vec3_scale(n, 1 / length);
        least = std::min({least, reach(a, n) + reach(b, vec3_negate(n)), reach(a, vec3_negate(n)) + reach(b, n)});
    };
    for (const Corners *c : {&a, &b})
        for (size_t i = 0; i < c->size(); i++)
            for (size_t j = 0; j < i; j++)
                for (size_t k = 0; k < j; k++) take(triangle_normal((*c)[i], (*c)[j], (*c)[k]));
    for (size_t i = 0; i < a.size(); i++)
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k < b.size(); k++)
                for (size_t l = 0; l < k; l++) take(vec3_cross(vec3_sub(a[i], a[j]), vec3_sub(b[k], b[l])));
    return least;
}

} // namespace scenes

#endif
