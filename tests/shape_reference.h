// Random solids of every kind and a reference for their signed distance that shares no code with the
// kernels: supports in long double from the profiles of the shapes, and the nearest points of the cores
// by exhaustive search over the corners of a simplex (GJK), judged by the gap between its two bounds.
#ifndef CLACK_SHAPE_REFERENCE_H
#define CLACK_SHAPE_REFERENCE_H

#include "hull.h"
#include "narrow_scenes.h"

namespace scenes {

const uint32_t SOLIDS_ALL[] = {SHAPE_SPHERE,   SHAPE_BOX,  SHAPE_CAPSULE, SHAPE_ELLIPSOID,
                               SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM};
const uint32_t SOLIDS_AND_HULL[] = {SHAPE_SPHERE,   SHAPE_BOX,  SHAPE_CAPSULE, SHAPE_ELLIPSOID,
                                    SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM,    SHAPE_HULL};
const uint32_t SOLIDS_CURVED[] = {SHAPE_ELLIPSOID, SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM};

inline const char *kind_name(uint32_t kind) {
    static const char *const names[] = {"",          "sphere",   "box",  "capsule", "half-space",
                                        "ellipsoid", "cylinder", "cone", "beam",
                                        "hull"};
    return names[kind];
}

using Points = std::vector<std::array<double, 3>>;

/// A hull in the table of the tests; origin at its centre of volume.
inline Shape make_hull(const Points &points, double scale = 1) {
    SceneHull *hull = nullptr;
    Shape s = make_shape(SHAPE_HULL, scale, 0, 0, 0);
    if (hull_make(reinterpret_cast<const double(*)[3]>(points.data()), points.size(), &hull,
                  nullptr) != CLACK_OK)
        return s;
    s.hull_first = uint32_t(hull_rows().size());
    s.hull_vertices = hull->vertex_count;
    s.bound_radius_m = scale * hull->radius_m;
    hull_rows().insert(hull_rows().end(), hull->rows, hull->rows + hull->row_count);
    hull_free(hull);
    return s;
}

inline Points box_points(double x, double y, double z) {
    Points all;
    for (int k = 0; k < 8; k++) all.push_back({k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z});
    return all;
}

/// Points on an ellipsoid of half lengths 0.3 to 0.7 m: all of them are vertices.
inline Points egg_points(Draw &draw, int count) {
    const Vec3 size = vec3_make(draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7));
    Points all;
    for (int k = 0; k < count; k++) {
        const Vec3 p = vec3_multiply(size, draw.direction());
        all.push_back({p.x, p.y, p.z});
    }
    return all;
}

/// A random hull: a box, a few points in a cube, or 20 to 200 on an ellipsoid.
inline Shape draw_hull(Draw &draw) {
    const double kind = draw.uniform(0, 1);
    if (kind < 0.25)
        return make_hull(box_points(draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7),
                                    draw.uniform(0.3, 0.7)));
    if (kind < 0.75) return make_hull(egg_points(draw, int(draw.uniform(20, 200))));
    for (;;) {
        Points points;
        for (int k = int(draw.uniform(4, 12)); k > 0; k--)
            points.push_back(
                {draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7)});
        const Shape s = make_hull(points);
        if (s.hull_vertices >= 4) return s;
    }
}

/// Sizes 0.2 to 1 m; smoothing 1 mm or, every fourth, none. Every other cone is a frustum.
inline Shape draw_solid(Draw &draw, uint32_t kind) {
    const double smoothing = draw.uniform(0, 1) < 0.25 ? 0.0 : 1e-3;
    Shape s;
    if (kind == SHAPE_ELLIPSOID)
        return make_shape(kind, draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7),
                          draw.uniform(0.3, 0.7), 0);
    if (kind == SHAPE_CYLINDER)
        return make_shape(kind, draw.uniform(0.2, 0.6), draw.uniform(0.2, 0.6), 0, smoothing);
    if (kind == SHAPE_CONE) {
        s = make_shape(kind, draw.uniform(0.3, 0.6), draw.uniform(0.4, 1), 0, smoothing);
        if (draw.uniform(0, 1) < 0.5) s.size_m[2] = draw.uniform(0.05, 0.95) * s.size_m[0];
        return s;
    }
    if (kind == SHAPE_BEAM) {
        s = make_shape(kind, draw.uniform(0.2, 0.5), draw.uniform(0.1, 0.4), draw.uniform(0.1, 0.4),
                       smoothing);
        s.flags = SHAPE_FLAT;
        return s;
    }
    return kind == SHAPE_HULL ? draw_hull(draw) : draw.shape(kind);
}

/// The ball that the reference takes off; of an ellipsoid less than the kernels do.
inline long double wide_ball(const Shape &s) {
    if (s.kind == SHAPE_SPHERE || s.kind == SHAPE_CAPSULE) return s.size_m[0];
    if (s.kind != SHAPE_ELLIPSOID) return s.smoothing_m;
    const long double least = std::min({s.size_m[0], s.size_m[1], s.size_m[2]});
    return 0.5L * least * least / std::max({s.size_m[0], s.size_m[1], s.size_m[2]});
}

/// Farthest point of the core in the local unit direction u.
inline V wide_core(const Shape &s, V u) {
    const long double rho = s.smoothing_m, x = s.size_m[0], y = s.size_m[1], z = s.size_m[2];
    auto side = [](long double t) { return t < 0 ? -1.0L : 1.0L; };
    const long double across = std::hypot(u.x, u.y), c = across > 0 ? u.x / across : 0,
                      d = across > 0 ? u.y / across : 0;
    switch (s.kind) {
    case SHAPE_HULL: { // all vertices, which follow the balls of the blocks
        const uint32_t first = s.hull_first + (s.hull_vertices + HULL_BLOCK - 1) / HULL_BLOCK;
        V best{0, 0, 0};
        for (uint32_t k = 0; k < s.hull_vertices; k++) {
            const V v = wide(hull_rows()[first + k].at_m) * x;
            if (k == 0 || dot(v, u) > dot(best, u)) best = v;
        }
        return best;
    }
    case SHAPE_BOX: return {side(u.x) * (x - rho), side(u.y) * (y - rho), side(u.z) * (z - rho)};
    case SHAPE_CAPSULE: return {0, 0, side(u.z) * y};
    case SHAPE_ELLIPSOID: {
        const long double f = std::sqrt(x * x * u.x * u.x + y * y * u.y * u.y + z * z * u.z * u.z);
        return V{x * x * u.x / f, y * y * u.y / f, z * z * u.z / f} - u * wide_ball(s);
    }
    case SHAPE_CYLINDER: return {c * (x - rho), d * (x - rho), side(u.z) * (y - rho)};
    case SHAPE_BEAM: {
        const long double m = std::hypot(u.x, u.z), r = y - rho;
        return {m > 0 ? r * u.x / m : 0, side(u.y) * (z - rho),
                side(u.z) * x + (m > 0 ? r * u.z / m : 0)};
    }
    case SHAPE_CONE: {
        // The side's line moved inwards: nr r + nz h = nr x - rho.
        const long double l = std::hypot(x - z, y), nr = y / l, nz = (x - z) / l;
        auto radius = [&](long double h) { return (nr * x - rho - nz * h) / nr; };
        long double top = y - rho, small = radius(top);
        if (small < 0) {
            small = 0;
            top = (nr * x - rho) / nz;
        }
        const long double great = radius(rho);
        if (great * across + rho * u.z >= small * across + top * u.z)
            return {c * great, d * great, rho};
        return {c * small, d * small, top};
    }
    default: return {0, 0, 0};
    }
}

inline V wide_turn(const Mat3 &m, V v) {
    return {dot(wide(m.x), v), dot(wide(m.y), v), dot(wide(m.z), v)};
}
inline V wide_back(const Mat3 &m, V v) {
    return wide(m.x) * v.x + wide(m.y) * v.y + wide(m.z) * v.z;
}

struct Certified {
    long double distance; // signed, m; of overlapping cores only its sign means anything
    long double gap;      // between the bounds, m
    V normal;             // from A to B
    bool is_core_apart;
};

/// Point of least norm of the hull of up to 4 points; keeps the corners that carry it.
inline V least_norm(std::vector<V> &points) {
    V best{};
    long double least = INFINITY;
    std::vector<V> kept;
    const unsigned n = unsigned(points.size());
    for (unsigned set = 1; set < (1u << n); set++) {
        std::vector<V> p;
        for (unsigned k = 0; k < n; k++)
            if (set >> k & 1) p.push_back(points[k]);
        const size_t m = p.size() - 1; // edges from p[0]: Gram matrix, Cramer
        V e[3], q = p[0];
        for (size_t k = 0; k < m; k++) e[k] = p[k + 1] - p[0];
        long double w[3] = {0, 0, 0};
        if (m == 1) {
            w[0] = -dot(p[0], e[0]) / dot(e[0], e[0]);
        } else if (m == 2) {
            const V f = cross(e[0], e[1]);
            const long double square = dot(f, f);
            w[0] = -dot(cross(p[0], e[1]), f) / square;
            w[1] = -dot(cross(e[0], p[0]), f) / square;
        } else if (m == 3) {
            const long double volume = dot(e[0], cross(e[1], e[2]));
            w[0] = -dot(p[0], cross(e[1], e[2])) / volume;
            w[1] = -dot(e[0], cross(p[0], e[2])) / volume;
            w[2] = -dot(e[0], cross(e[1], p[0])) / volume;
        }
        long double first = 1;
        bool is_inside = true;
        for (size_t k = 0; k < m; k++) {
            is_inside = is_inside && w[k] >= 0;
            first -= w[k];
            q = q + e[k] * w[k];
        }
        if (!is_inside || !(first >= 0) || !(norm(q) < least)) continue;
        best = m == 3 ? V{0, 0, 0} : q;
        least = norm(best);
        kept = p;
    }
    points = kept;
    return best;
}

inline Certified certified_distance(const Placed &a, const Placed &b, Vec3 offset) {
    auto support = [&](V n) {
        const V in_b = wide_back(b.turn, n * -1.0L);
        return wide_turn(a.turn, wide_core(a.shape, wide_back(a.turn, n))) -
               wide_turn(b.turn, wide_core(b.shape, in_b)) - wide(offset);
    };
    const long double balls = wide_ball(a.shape) + wide_ball(b.shape);
    V v = wide(offset) * -1.0L;
    Certified best{-balls, INFINITY, v * (-1 / norm(v)), false};
    std::vector<V> simplex = {support(v * (-1 / norm(v)))};
    v = simplex[0];
    long double lower = -INFINITY;
    for (int i = 0; i < 300; i++) {
        const long double length = norm(v);
        if (length < 1e-13L) return Certified{-balls, 0, best.normal, false};
        const V n = v * (-1 / length), w = support(n);
        if (-dot(w, n) > lower) {
            lower = -dot(w, n);
            best.normal = n;
        }
        best.distance = lower - balls;
        best.gap = length - lower;
        best.is_core_apart = lower > 0;
        if (best.gap < 1e-18L) break;
        std::vector<V> next = simplex;
        next.push_back(w);
        const V q = least_norm(next);
        if (next.empty() || !(norm(q) < length)) break;
        simplex = next;
        v = q;
    }
    return best;
}

} // namespace scenes

#endif
