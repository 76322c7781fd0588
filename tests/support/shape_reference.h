// Random solids of every kind and a reference for their signed distance that shares no code with the
// kernels: supports in long double from the profiles of the shapes, and the nearest points of the cores
// by exhaustive search over the corners of a simplex (GJK), judged by the gap between its two bounds.
#ifndef CLACK_SHAPE_REFERENCE_H
#define CLACK_SHAPE_REFERENCE_H

#include <tuple>
#include <vector>

#include "hull.h"
#include "narrow_scenes.h"
#include "superquadric_shape.h"

namespace scenes {

const uint32_t SOLIDS_ALL[] = {SHAPE_SPHERE,   SHAPE_BOX,  SHAPE_CAPSULE, SHAPE_ELLIPSOID,
                               SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM};
const uint32_t SOLIDS_AND_HULL[] = {SHAPE_SPHERE, SHAPE_BOX,  SHAPE_CAPSULE, SHAPE_ELLIPSOID,   SHAPE_CYLINDER,
                                    SHAPE_CONE,   SHAPE_BEAM, SHAPE_HULL,    SHAPE_SUPERQUADRIC};
const uint32_t SOLIDS_CURVED[] = {SHAPE_ELLIPSOID, SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM};

/// Of so many pairs of two kinds those that are tried: the reference takes long for superquadrics, whose support points
/// are powers.
inline int pairs_of(uint32_t kind_a, uint32_t kind_b, int all) {
    return kind_a == SHAPE_SUPERQUADRIC || kind_b == SHAPE_SUPERQUADRIC ? all / 10 : all;
}

/// All unordered pairs of kinds of solids.
inline std::vector<std::tuple<uint32_t, uint32_t>> every_class() {
    std::vector<std::tuple<uint32_t, uint32_t>> all;
    for (uint32_t a : SOLIDS_AND_HULL)
        for (uint32_t b : SOLIDS_AND_HULL)
            if (a <= b) all.push_back({a, b});
    return all;
}

inline const char *kind_name(uint32_t kind) {
    static const char *const names[] = {"",         "sphere", "box",  "capsule", "half-space", "ellipsoid",
                                        "cylinder", "cone",   "beam", "hull",    "mesh",       "superquadric"};
    return names[kind];
}

using Points = std::vector<std::array<double, 3>>;

/// A hull in the table of the tests; origin at its centre of volume. smoothing: at scale 1.
inline Shape make_hull(const Points &points, double scale = 1, double smoothing = 0) {
    SceneHull *hull = nullptr;
    Shape s = make_shape(SHAPE_HULL, scale, 0, 0, 0);
    if (hull_make(reinterpret_cast<const double(*)[3]>(points.data()), points.size(), &hull, nullptr) != CLACK_OK ||
        hull_round(hull, smoothing, 0, nullptr) != CLACK_OK)
        return s;
    s.hull_first = uint32_t(hull_rows().size());
    s.hull_vertices = hull->vertex_count;
    s.hull_faces = hull->face_count;
    s.hull_edges = hull->edge_count;
    s.smoothing_m = scale * hull->smoothing_m;
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
        return make_hull(box_points(draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7)));
    if (kind < 0.75) return make_hull(egg_points(draw, int(draw.uniform(20, 200))));
    for (;;) {
        Points points;
        for (int k = int(draw.uniform(4, 12)); k > 0; k--)
            points.push_back({draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7)});
        const Shape s = make_hull(points);
        if (s.hull_vertices >= 4) return s;
    }
}

inline Shape make_superquadric(double x, double y, double z, double across, double along) {
    SceneShape given{};
    given.kind = SHAPE_SUPERQUADRIC;
    given.size_m[0] = 2 * x;
    given.size_m[1] = 2 * y;
    given.size_m[2] = 2 * z;
    given.exponents[0] = across;
    given.exponents[1] = along;
    Shape s = make_shape(SHAPE_SUPERQUADRIC, 0, 0, 0, 0);
    superquadric_stage(&given, &s);
    return s;
}

/// Half lengths 0.3 to 0.7 m; half of them have one exponent.
inline Shape draw_superquadric(Draw &draw) {
    const double across = draw.uniform(2, 8), along = draw.uniform(0, 1) < 0.5 ? across : draw.uniform(2, 8);
    const double x = draw.uniform(0.3, 0.7), y = draw.uniform(0.3, 0.7), z = draw.uniform(0.3, 0.7);
    return make_superquadric(x, y, z, across, along);
}

/// Sizes 0.2 to 1 m; smoothing 1 mm or, every fourth, none. Every other cone is a frustum.
inline Shape draw_solid(Draw &draw, uint32_t kind) {
    const double smoothing = draw.uniform(0, 1) < 0.25 ? 0.0 : 1e-3;
    Shape s;
    if (kind == SHAPE_ELLIPSOID)
        return make_shape(kind, draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7), 0);
    if (kind == SHAPE_CYLINDER) return make_shape(kind, draw.uniform(0.2, 0.6), draw.uniform(0.2, 0.6), 0, smoothing);
    if (kind == SHAPE_CONE) {
        s = make_shape(kind, draw.uniform(0.3, 0.6), draw.uniform(0.4, 1), 0, smoothing);
        if (draw.uniform(0, 1) < 0.5) s.size_m[2] = draw.uniform(0.05, 0.95) * s.size_m[0];
        return s;
    }
    if (kind == SHAPE_BEAM) {
        s = make_shape(kind, draw.uniform(0.2, 0.5), draw.uniform(0.1, 0.4), draw.uniform(0.1, 0.4), smoothing);
        s.flags = SHAPE_FLAT;
        return s;
    }
    if (kind == SHAPE_SUPERQUADRIC) return draw_superquadric(draw);
    return kind == SHAPE_HULL ? draw_hull(draw) : draw.shape(kind);
}

/// The ball that the reference takes off; of an ellipsoid or superquadric less than the kernels do.
template <class T = long double> T wide_ball(const Shape &s) {
    if (s.kind == SHAPE_SPHERE || s.kind == SHAPE_CAPSULE) return s.size_m[0];
    if (s.kind != SHAPE_ELLIPSOID) return s.kind == SHAPE_SUPERQUADRIC ? 0.5 * s.smoothing_m : s.smoothing_m;
    const T least = std::min({s.size_m[0], s.size_m[1], s.size_m[2]});
    return least * least / (2 * std::max({s.size_m[0], s.size_m[1], s.size_m[2]}));
}

/// Farthest vertex of a hull: all of them in double, those within its rounding once more.
template <class T> Wide<T> wide_vertex(const Shape &s, Wide<T> u) {
    const HullRow *vertices = &hull_rows()[s.hull_first + hull_blocks(s.hull_vertices)];
    const Vec3 way = rounded(u);
    double reach = -INFINITY;
    for (uint32_t k = 0; k < s.hull_vertices; k++) reach = std::max(reach, vec3_dot(vertices[k].at_m, way));
    Wide<T> best{};
    bool is_first = true;
    for (uint32_t k = 0; k < s.hull_vertices; k++) {
        if (vec3_dot(vertices[k].at_m, way) < reach - 1e-12) continue;
        const Wide<T> v = wide<T>(vertices[k].at_m) * s.size_m[0];
        if (is_first || dot(v, u) > dot(best, u)) best = v;
        is_first = false;
    }
    return best;
}

// Exponential function and logarithm to the last bits but a few, by their series and Newton's method.
template <class T> T wide_exp(T x) {
    T sum = 1, term = 1;
    for (int k = 1; k < 20; k++) sum += term *= x / 256 / k;
    for (int k = 0; k < 8; k++) sum *= sum;
    return sum;
}
template <class T> T wide_log(T x) {
    const T y = std::log((long double)x);
    return y + (x * wide_exp(-y) - 1);
}
template <class T> T wide_power(T x, T e) {
    if constexpr (sizeof(T) == sizeof(double) || std::is_same_v<T, long double>) return std::pow(x, e);
    return wide_exp(e * wide_log(x));
}

/// Support point of a superquadric, its ball included, from the definition in superquadric.h: the gradient of the norm
/// of (G_x, G_y, G_z), G_k = sqrt(y_k^2 + e^2 |y|^2).
template <class T> Wide<T> wide_superquadric(const Shape &s, Wide<T> u) {
    const T p = s.size_m[3], q = s.size_m[4], e = SUPERQUADRIC_ROUNDING;
    const T half[3] = {s.size_m[0], s.size_m[1], s.size_m[2]}, y[3] = {half[0] * u.x, half[1] * u.y, half[2] * u.z};
    const T square = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    T g[3], slope[3], sum = 0;
    for (int k = 0; k < 3; k++) g[k] = root(y[k] * y[k] + e * e * square);
    const T across = wide_power(wide_power(g[0], p) + wide_power(g[1], p), 1 / p);
    const T h = wide_power(wide_power(across, q) + wide_power(g[2], q), 1 / q);
    for (int k = 0; k < 2; k++) slope[k] = wide_power(across / h, q - 1) * wide_power(g[k] / across, p - 1);
    slope[2] = wide_power(g[2] / h, q - 1);
    for (int k = 0; k < 3; k++) sum += slope[k] / g[k];
    T out[3];
    for (int k = 0; k < 3; k++) out[k] = half[k] * y[k] * (slope[k] / g[k] + e * e * sum);
    return {out[0], out[1], out[2]};
}

/// Farthest point of the core in the local unit direction u.
template <class T> Wide<T> wide_core(const Shape &s, Wide<T> u) {
    const T rho = s.smoothing_m, x = s.size_m[0], y = s.size_m[1], z = s.size_m[2];
    auto side = [](T t) { return t < 0 ? T(-1) : T(1); };
    auto length = [](T p, T q) { return root(p * p + q * q); };
    const T across = length(u.x, u.y), c = across > 0 ? u.x / across : T(0), d = across > 0 ? u.y / across : T(0);
    switch (s.kind) {
    case SHAPE_HULL: return wide_vertex(s, u);
    case SHAPE_BOX: return {side(u.x) * (x - rho), side(u.y) * (y - rho), side(u.z) * (z - rho)};
    case SHAPE_CAPSULE: return {0, 0, side(u.z) * y};
    case SHAPE_ELLIPSOID: {
        const T f = root(x * x * u.x * u.x + y * y * u.y * u.y + z * z * u.z * u.z);
        return Wide<T>{x * x * u.x / f, y * y * u.y / f, z * z * u.z / f} - u * wide_ball<T>(s);
    }
    case SHAPE_SUPERQUADRIC: return wide_superquadric(s, u) - u * wide_ball<T>(s);
    case SHAPE_CYLINDER: return {c * (x - rho), d * (x - rho), side(u.z) * (y - rho)};
    case SHAPE_BEAM: {
        const T m = length(u.x, u.z), r = y - rho;
        return {m > 0 ? r * u.x / m : T(0), side(u.y) * (z - rho), side(u.z) * x + (m > 0 ? r * u.z / m : T(0))};
    }
    case SHAPE_CONE: {
        // The side's line moved inwards: nr r + nz h = nr x - rho.
        const T l = length(x - z, y), nr = y / l, nz = (x - z) / l;
        auto radius = [&](T h) { return (nr * x - rho - nz * h) / nr; };
        T top = y - rho, small = radius(top);
        if (small < 0) {
            small = 0;
            top = (nr * x - rho) / nz;
        }
        const T great = radius(rho);
        if (great * across + rho * u.z >= small * across + top * u.z) return {c * great, d * great, rho};
        return {c * small, d * small, top};
    }
    default: return {0, 0, 0};
    }
}

template <class T> Wide<T> wide_turn(const Mat3 &m, Wide<T> v) {
    return {dot(wide<T>(m.x), v), dot(wide<T>(m.y), v), dot(wide<T>(m.z), v)};
}
template <class T> Wide<T> wide_back(const Mat3 &m, Wide<T> v) {
    return wide<T>(m.x) * v.x + wide<T>(m.y) * v.y + wide<T>(m.z) * v.z;
}

// A turn, and a shape with it, known to more digits than those of a Placed.
template <class T> struct WideTurn {
    Wide<T> x, y, z; // rows
};
template <class T> struct WidePlaced {
    Shape shape;
    WideTurn<T> turn;
};
template <class T> Wide<T> wide_turn(const WideTurn<T> &m, Wide<T> v) {
    return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
template <class T> Wide<T> wide_back(const WideTurn<T> &m, Wide<T> v) { return m.x * v.x + m.y * v.y + m.z * v.z; }
template <class T> Wide<T> wide(Wide<T> v) { return v; }

template <class T> struct CertifiedIn {
    T distance;     // signed, m; of overlapping cores only its sign means anything
    T gap;          // between the bounds, m
    Wide<T> normal; // from A to B
    bool is_core_apart;
};
using Certified = CertifiedIn<long double>;

/// Point of least norm of the hull of up to 4 points; keeps the corners that carry it. The last point is new:
/// it carries, or nothing is gained.
template <class T> Wide<T> least_norm(std::vector<Wide<T>> &points) {
    Wide<T> best{};
    T least = 1e30;
    std::vector<Wide<T>> kept;
    const unsigned n = unsigned(points.size());
    for (unsigned set = 1u << (n - 1); set < (1u << n); set++) {
        Wide<T> p[4], e[3];
        size_t m = 0; // edges from p[0]: Gram matrix, Cramer
        for (unsigned k = 0; k < n; k++)
            if (set >> k & 1) p[m++] = points[k];
        m--;
        for (size_t k = 0; k < m; k++) e[k] = p[k + 1] - p[0];
        T w[3] = {0, 0, 0};
        Wide<T> q = p[0];
        if (m == 1) {
            w[0] = -dot(p[0], e[0]) / dot(e[0], e[0]);
        } else if (m == 2) {
            const Wide<T> f = cross(e[0], e[1]);
            const T square = dot(f, f);
            w[0] = -dot(cross(p[0], e[1]), f) / square;
            w[1] = -dot(cross(e[0], p[0]), f) / square;
        } else if (m == 3) {
            const T volume = dot(e[0], cross(e[1], e[2]));
            w[0] = -dot(p[0], cross(e[1], e[2])) / volume;
            w[1] = -dot(e[0], cross(p[0], e[2])) / volume;
            w[2] = -dot(e[0], cross(e[1], p[0])) / volume;
        }
        T first = 1;
        bool is_inside = true;
        for (size_t k = 0; k < m; k++) {
            is_inside = is_inside && w[k] >= 0;
            first -= w[k];
            q = q + e[k] * w[k];
        }
        if (!is_inside || !(first >= 0) || !(norm(q) < least)) continue;
        best = m == 3 ? Wide<T>{0, 0, 0} : q;
        least = norm(best);
        kept.assign(p, p + m + 1);
    }
    points = kept;
    return best;
}

/// GJK from a normal: once with what touches about it (ends of edges, rims), then on until the bounds meet
/// within `close` or rounding ends it. P: Placed and Vec3, or WidePlaced and Wide.
template <class T, class P, class O>
CertifiedIn<T> certified_from(const P &a, const P &b, O offset, Wide<T> start, T about, T close) {
    auto support = [&](Wide<T> n) {
        const Wide<T> in_b = wide_back(b.turn, n * -1);
        return wide_turn(a.turn, wide_core(a.shape, wide_back(a.turn, n))) -
               wide_turn(b.turn, wide_core(b.shape, in_b)) - wide<T>(offset);
    };
    const T balls = wide_ball<T>(a.shape) + wide_ball<T>(b.shape);
    CertifiedIn<T> best{-balls, 1e30, start, false};
    std::vector<Wide<T>> simplex = {support(start)};
    Wide<T> v = simplex[0];
    auto add = [&](Wide<T> w) { // is v nearer with it?
        std::vector<Wide<T>> next = simplex;
        next.push_back(w);
        const Wide<T> q = least_norm(next);
        if (next.empty() || !(dot(q, q) < dot(v, v))) return false;
        simplex = next;
        v = q;
        return true;
    };
    if (about > 0) {
        const Vec3 s = vec3_perpendicular(rounded(start)), t = vec3_cross(rounded(start), s);
        for (int k = 0; k < 6 && norm(v) > 0; k++) {
            const double turn = 3.883222077450933 * k; // the golden angle
            const Wide<T> n = start + (wide<T>(s) * std::cos(turn) + wide<T>(t) * std::sin(turn)) * about;
            add(support(n * (1 / norm(n))));
        }
    }
    T lower = -1e30;
    for (int i = 0; i < 300; i++) {
        const T length = norm(v);
        if (length < 1e-13) return CertifiedIn<T>{-balls, 0, best.normal, false};
        const Wide<T> n = v * (-1 / length), w = support(n);
        if (-dot(w, n) > lower) {
            lower = -dot(w, n);
            best.normal = n;
        }
        best.distance = lower - balls;
        best.gap = length - lower;
        best.is_core_apart = lower > 0;
        if (best.gap < close || !add(w)) break;
    }
    return best;
}

/// From the line between the origins.
inline Certified certified_distance(const Placed &a, const Placed &b, Vec3 offset) {
    const V way = wide(offset);
    return certified_from<long double>(a, b, offset, way * (1 / norm(way)), 0, 1e-18L);
}

/// In 113 bits, from a normal that should be the right one; where it is not, this takes longer or leaves a gap.
template <class P, class O> CertifiedIn<Quad> certified_distance_113(const P &a, const P &b, O offset, Vec3 normal) {
    const Quad close = 1e-30;
    const Wide<Quad> start = wide<Quad>(normal);
    CertifiedIn<Quad> best = certified_from<Quad>(a, b, offset, start * (1 / norm(start)), 1e-9, close);
    for (int i = 0; i < 5 && best.is_core_apart && best.gap > close; i++) {
        // Corners of different ages make thin simplices: afresh, and nearer than the bounds say that the normal is.
        const Quad core = best.distance + wide_ball<Quad>(a.shape) + wide_ball<Quad>(b.shape);
        const CertifiedIn<Quad> next =
            certified_from<Quad>(a, b, offset, best.normal, root(2 * best.gap / core) * 1e-2, close);
        if (next.is_core_apart && next.gap < best.gap) best = next;
    }
    return best;
}

} // namespace scenes

#endif
