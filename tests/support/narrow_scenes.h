// Random shapes and poses for the tests of the narrow phase, and references that share no code with it.
#ifndef CLACK_NARROW_SCENES_H
#define CLACK_NARROW_SCENES_H

#ifndef _Thread_local
#define _Thread_local thread_local // portable.h is C
#endif

#include "geometry/narrow_phase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <type_traits>
#include <vector>

namespace scenes {

/// The table of all hulls that a test has made.
inline std::vector<HullRow> &hull_rows() {
    static std::vector<HullRow> rows(1);
    return rows;
}

struct Placed {
    Shape shape;
    Mat3 turn;
};

inline Shape make_shape(uint32_t kind, double x, double y, double z, double smoothing) {
    Shape s{};
    s.orientation = quat_identity();
    s.size_m[0] = x;
    s.size_m[1] = y;
    s.size_m[2] = z;
    s.smoothing_m = smoothing;
    s.kind = kind;
    s.flags = kind == SHAPE_BOX || kind == SHAPE_HALF_SPACE ? SHAPE_FLAT : 0u;
    return s;
}

/// By kinds, of smoothed solids.
inline u32 feature_count(uint32_t kind_a, uint32_t kind_b, uint32_t flags) {
    const Shape a = make_shape(kind_a, 1, 1, 1, 1e-3), b = make_shape(kind_b, 1, 1, 1, 1e-3);
    return narrow_feature_count(&a, &b, flags);
}

inline Shape sphere(double radius) { return make_shape(SHAPE_SPHERE, radius, 0, 0, 0); }
inline Shape box(double x, double y, double z, double smoothing) { return make_shape(SHAPE_BOX, x, y, z, smoothing); }
inline Shape capsule(double radius, double half_length) { return make_shape(SHAPE_CAPSULE, radius, half_length, 0, 0); }
inline Shape half_space() { return make_shape(SHAPE_HALF_SPACE, 0, 0, 0, 0); }

inline Mat3 no_turn() { return mat3_from_quat(quat_identity()); }
inline Mat3 turn_about(Vec3 axis, double angle) {
    Vec3 u = vec3_normalize(axis);
    double s = std::sin(angle / 2);
    return mat3_from_quat(quat_make(std::cos(angle / 2), u.x * s, u.y * s, u.z * s));
}
/// Matrix product: the rotation "first b, then a".
inline Mat3 product(Mat3 a, Mat3 b) {
    Mat3 m;
    m.x = mat3_rotate_back(b, a.x);
    m.y = mat3_rotate_back(b, a.y);
    m.z = mat3_rotate_back(b, a.z);
    return m;
}

struct Draw {
    std::mt19937_64 engine;
    explicit Draw(uint64_t seed) : engine(seed) {}
    double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
    double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
    Vec3 direction() {
        for (;;) {
            Vec3 v = vec3_make(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
            double square = vec3_dot(v, v);
            if (square > 0.01 && square < 1) return vec3_normalize(v);
        }
    }
    Mat3 turn() {
        std::normal_distribution<double> normal;
        double w = normal(engine), x = normal(engine), y = normal(engine), z = normal(engine);
        return mat3_from_quat(quat_make(w, x, y, z));
    }
    /// Sizes 0.3 to 0.7 m, smoothing 1 mm.
    Shape shape(uint32_t kind) {
        if (kind == SHAPE_SPHERE) return sphere(uniform(0.3, 0.7));
        if (kind == SHAPE_CAPSULE) return capsule(uniform(0.1, 0.3), uniform(0.2, 0.6));
        if (kind == SHAPE_HALF_SPACE) return half_space();
        return box(uniform(0.3, 0.7), uniform(0.3, 0.7), uniform(0.3, 0.7), 1e-3);
    }
};

inline NarrowOptions options(uint32_t flags = 0, double tolerance = 1e-13, uint32_t limit = 120) {
    return NarrowOptions{tolerance, limit, flags, 0, hull_rows().data(), nullptr, nullptr};
}

inline NarrowResult narrow(const Placed &a, const Placed &b, Vec3 offset, uint32_t feature, NarrowOptions o) {
    return narrow_phase(&a.shape, &a.turn, &b.shape, &b.turn, offset, feature, &o);
}
/// The nearest or deepest points; of a half-space one of the other shape's contacts.
inline NarrowResult narrow(const Placed &a, const Placed &b, Vec3 offset, uint32_t feature = 0) {
    const bool is_plane = a.shape.kind == SHAPE_HALF_SPACE || b.shape.kind == SHAPE_HALF_SPACE;
    return narrow(a, b, offset, feature, options(is_plane ? 0u : SCENE_SINGLE_CONTACT));
}

inline bool is_finite(const NarrowResult &r) {
    const double all[] = {r.distance_m, r.error_m,   r.normal.x,  r.normal.y,  r.normal.z, r.point_a.x,
                          r.point_a.y,  r.point_a.z, r.point_b.x, r.point_b.y, r.point_b.z};
    return std::all_of(std::begin(all), std::end(all), [](double x) { return std::isfinite(x); }) &&
           std::fabs(vec3_length(r.normal) - 1) < 1e-12;
}

inline double angle(Vec3 a, Vec3 b) { return std::atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)); }

// --- references: brute force in long double ------------------------------------------------------

// 113 bits on every machine that has them, without a library: + - * / are the compiler's.
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
using Quad = long double;
#endif

template <class T> struct Wide { T x, y, z; };
using V = Wide<long double>;
template <class T> using Scalar = std::common_type_t<T>; // a number that takes the vector's type

template <class T> Wide<T> operator+(Wide<T> a, Wide<T> b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
template <class T> Wide<T> operator-(Wide<T> a, Wide<T> b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
template <class T> Wide<T> operator*(Wide<T> a, Scalar<T> s) { return {a.x * s, a.y * s, a.z * s}; }
template <class T> T dot(Wide<T> a, Wide<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T> Wide<T> cross(Wide<T> a, Wide<T> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// Square root to the last bits: two steps of Newton from the machine's own.
template <class T> T root(T x) {
    const T first = std::sqrt((long double)x);
    if (!(x > 0) || sizeof(T) <= sizeof(double)) return first;
    const T second = (first + x / first) / 2;
    return (second + x / second) / 2;
}
template <class T> T norm(Wide<T> a) { return root(dot(a, a)); }
template <class T = long double> Wide<T> wide(Vec3 a) { return {a.x, a.y, a.z}; }

/// A box (or a segment, or a point: half lengths 0) in space.
struct Block {
    V centre, axis[3];
    long double reach[3];
};
inline Block block(const Placed &p, Vec3 centre) {
    Block b;
    b.centre = wide(centre);
    b.axis[0] = {p.turn.x.x, p.turn.y.x, p.turn.z.x};
    b.axis[1] = {p.turn.x.y, p.turn.y.y, p.turn.z.y};
    b.axis[2] = {p.turn.x.z, p.turn.y.z, p.turn.z.z};
    const Shape &s = p.shape;
    for (int i = 0; i < 3; i++) b.reach[i] = s.kind == SHAPE_BOX ? (long double)s.size_m[i] - s.smoothing_m : 0.0L;
    if (s.kind == SHAPE_CAPSULE) b.reach[2] = s.size_m[1];
    return b;
}
inline long double ball(const Shape &s) { return s.kind == SHAPE_BOX ? s.smoothing_m : s.size_m[0]; }

struct Answer {
    long double distance; // of the cores, signed
    V normal;             // from A to B
};

inline V nearest_in(const Block &b, V p) {
    V q = b.centre;
    for (int i = 0; i < 3; i++) {
        long double t = dot(p - b.centre, b.axis[i]);
        q = q + b.axis[i] * std::clamp(t, -b.reach[i], b.reach[i]);
    }
    return q;
}

inline std::vector<V> corners(const Block &b) {
    std::vector<V> all;
    for (int i = 0; i < 8; i++) {
        V p = b.centre;
        for (int k = 0; k < 3; k++) p = p + b.axis[k] * ((i >> k & 1) ? b.reach[k] : -b.reach[k]);
        all.push_back(p);
    }
    return all;
}

/// Greatest separation over the 15 axes: the signed distance itself where the blocks overlap.
inline Answer separating_axes(const Block &a, const Block &b) {
    std::vector<V> axes;
    for (int i = 0; i < 3; i++) {
        axes.push_back(a.axis[i]);
        axes.push_back(b.axis[i]);
        for (int k = 0; k < 3; k++) axes.push_back(cross(a.axis[i], b.axis[k]));
    }
    Answer best{-1e30L, {0, 0, 1}};
    for (V n : axes) {
        long double length = norm(n);
        if (length < 1e-9L) continue;
        n = n * (1 / length);
        if (dot(n, b.centre - a.centre) < 0) n = n * -1.0L;
        long double separation = dot(n, b.centre - a.centre);
        for (int k = 0; k < 3; k++)
            separation -= a.reach[k] * std::fabs(dot(n, a.axis[k])) + b.reach[k] * std::fabs(dot(n, b.axis[k]));
        if (separation > best.distance) best = {separation, n};
    }
    return best;
}

/// Least distance of two segments p + t d, |t| <= 1: all pairs of ends and the two lines.
inline void nearer_segments(V p, V d, V q, V e, Answer &best) {
    auto offer = [&](V from, V to) {
        long double length = norm(to - from);
        if (length < best.distance && length > 0) best = {length, (to - from) * (1 / length)};
    };
    auto onto = [](V point, V at, V way) {
        long double square = dot(way, way);
        return square > 0 ? std::clamp(dot(point - at, way) / square, -1.0L, 1.0L) : 0.0L;
    };
    for (long double t : {-1.0L, 1.0L}) {
        offer(p + d * t, q + e * onto(p + d * t, q, e));
        offer(p + d * onto(q + e * t, p, d), q + e * t);
    }
    long double dd = dot(d, d), ee = dot(e, e), de = dot(d, e), den = dd * ee - de * de;
    if (den <= 1e-16L * dd * ee) return;
    V w = p - q;
    long double s = (de * dot(e, w) - ee * dot(d, w)) / den;
    long double t = (dd * dot(e, w) - de * dot(d, w)) / den;
    if (std::fabs(s) <= 1 && std::fabs(t) <= 1) offer(p + d * s, q + e * t);
}

/// Signed distance of two blocks: separating axes inside, every corner and every pair of edges outside.
inline Answer blocks(const Block &a, const Block &b) {
    Answer answer = separating_axes(a, b);
    if (answer.distance <= 0) return answer;
    Answer best{1e30L, answer.normal};
    for (V p : corners(a)) {
        V q = nearest_in(b, p);
        if (norm(q - p) < best.distance) best = {norm(q - p), (q - p) * (1 / norm(q - p))};
    }
    for (V p : corners(b)) {
        V q = nearest_in(a, p);
        if (norm(p - q) < best.distance) best = {norm(p - q), (p - q) * (1 / norm(p - q))};
    }
    // Edges as centre and half vector; one where the block is a segment, none where it is a point, whose
    // corners have said all.
    auto edges = [](const Block &c) {
        std::vector<std::pair<V, V>> all;
        for (int i = 0; i < 12; i++) {
            const int axis = i / 4, j = (axis + 1) % 3, k = (axis + 2) % 3;
            const bool is_twin = (c.reach[j] == 0 && (i & 1)) || (c.reach[k] == 0 && (i & 2));
            if (c.reach[axis] == 0 || is_twin) continue;
            all.push_back({c.centre + c.axis[j] * ((i & 1) ? c.reach[j] : -c.reach[j]) +
                               c.axis[k] * ((i & 2) ? c.reach[k] : -c.reach[k]),
                           c.axis[axis] * c.reach[axis]});
        }
        return all;
    };
    const auto edges_b = edges(b);
    for (const auto &e : edges(a))
        for (const auto &f : edges_b) nearer_segments(e.first, e.second, f.first, f.second, best);
    // The axes of a rotation in double are orthonormal to 1e-16 only; a short difference of points turns
    // by that over its length, the normal of a face or of two edges does not.
    if (best.distance - answer.distance < 1e-14L) best.normal = answer.normal;
    return best;
}

/// Signed distance of two shapes that are a block plus a ball (all but half-spaces).
inline Answer reference(const Placed &a, const Placed &b, Vec3 offset) {
    Answer answer = blocks(block(a, vec3_zero()), block(b, offset));
    answer.distance -= ball(a.shape) + ball(b.shape);
    return answer;
}

template <class T> Vec3 rounded(Wide<T> a) { return vec3_make((double)a.x, (double)a.y, (double)a.z); }

/// B on a line from A in the direction `way`, at a signed distance near the one wanted: Newton from
/// outside with the normal as the slope. Only places things; the references judge.
inline Vec3 place_at(const Placed &a, const Placed &b, Vec3 way, double distance) {
    double at = 4;
    for (int i = 0; i < 30; i++) {
        NarrowResult r = narrow(a, b, vec3_scale(way, at));
        double slope = vec3_dot(way, r.normal);
        double step = (distance - r.distance_m) / (slope > 0.05 ? slope : 0.05);
        at += step;
        if (std::fabs(step) < 1e-16) break;
    }
    return vec3_scale(way, at);
}

} // namespace scenes

#endif
