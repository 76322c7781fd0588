// Proofs about a pair of solids that need no search, for sweeps over millions of pairs: a plane between
// them proves that they are apart, a point in both that they overlap. Supports and memberships come from
// shape_reference.h, so that nothing is shared with the kernels but the answer under test.
#ifndef CLACK_PAIR_CERTIFICATE_H
#define CLACK_PAIR_CERTIFICATE_H

#include "shape_reference.h"

namespace scenes {

inline long double to_segment(long double x, long double y, long double x0, long double y0, long double x1,
                              long double y1) {
    const long double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    const long double t = square > 0 ? std::clamp(((x - x0) * dx + (y - y0) * dy) / square, 0.0L, 1.0L) : 0.0L;
    return std::hypot(x - x0 - t * dx, y - y0 - t * dy);
}

/// Distance of a point (r >= 0 from the axis, height h) to the core of a cone; 0 inside.
inline long double to_cone_core(const Shape &s, long double r, long double h) {
    const V base = wide_core(s, V{1, 0, 0}), low = wide_core(s, V{0, 0, -1}), high = wide_core(s, V{0, 0, 1});
    // Profile: axis, base and top face, and the side between (great, low) and (small, high).
    const long double l = std::hypot(s.size_m[0] - s.size_m[2], s.size_m[1]);
    const long double nr = s.size_m[1] / l, nz = (s.size_m[0] - s.size_m[2]) / l;
    const long double great = base.x;
    const long double small = std::max(0.0L, great - (high.z - low.z) * nz / nr);
    const long double beyond_side = nr * (r - great) + nz * (h - low.z);
    if (h >= low.z && h <= high.z && beyond_side <= 0) return 0;
    return std::min({to_segment(r, h, 0, low.z, great, low.z), to_segment(r, h, great, low.z, small, high.z),
                     to_segment(r, h, 0, high.z, small, high.z)});
}

/// Distance of a point to a hull or superquadric, by the same search as for two solids; 0 inside.
inline long double to_hull(const Shape &s, V p) {
    const Placed hull{s, no_turn()}, point{sphere(0), no_turn()};
    const Vec3 place = rounded(p);
    const long double left = norm(p - wide(place)); // what rounding took
    const Certified right = certified_distance(hull, point, place);
    return right.is_core_apart ? right.distance + left : 0;
}

/// How far a point in shape axes lies outside the solid; <= 0 inside. Of ellipsoids only the sign means a
/// length, to first order.
inline long double outside(const Shape &s, V p) {
    const long double rho = s.smoothing_m, x = s.size_m[0], y = s.size_m[1], z = s.size_m[2];
    auto over = [](long double t, long double half) { return std::max(0.0L, std::fabs(t) - half); };
    switch (s.kind) {
    case SHAPE_SPHERE: return norm(p) - x;
    case SHAPE_CAPSULE: return std::hypot(std::hypot(p.x, p.y), over(p.z, y)) - x;
    case SHAPE_BOX: return norm(V{over(p.x, x - rho), over(p.y, y - rho), over(p.z, z - rho)}) - rho;
    case SHAPE_ELLIPSOID: return (norm(V{p.x / x, p.y / y, p.z / z}) - 1) * std::min({x, y, z});
    case SHAPE_CYLINDER: return std::hypot(over(std::hypot(p.x, p.y), x - rho), over(p.z, y - rho)) - rho;
    case SHAPE_BEAM:
        return std::hypot(std::max(0.0L, std::hypot(over(p.z, x), p.x) - (y - rho)), over(p.y, z - rho)) - rho;
    case SHAPE_CONE: return to_cone_core(s, std::hypot(p.x, p.y), p.z) - rho;
    case SHAPE_SUPERQUADRIC:
    case SHAPE_HULL: return to_hull(s, p);
    default: return INFINITY;
    }
}

enum class Sign { apart, overlap, unknown };

struct Proof {
    Sign sign;
    long double lower;   // of the signed distance, from the plane across the normal given
    long double upper;   // from the two points given; INFINITY where one is not in its solid
    long double outside; // of the worse of the points given, of its solid
};

/// What the answer of the narrow phase itself proves when its normal and points are taken at their word.
inline Proof prove(const Placed &a, const Placed &b, Vec3 offset, const NarrowResult &r) {
    Proof proof{Sign::unknown, -INFINITY, INFINITY, INFINITY};
    const V n = wide(r.normal) * (1 / norm(wide(r.normal)));
    const V in_a = wide_back(a.turn, n), in_b = wide_back(b.turn, n * -1.0L);
    const V high = wide_turn(a.turn, wide_core(a.shape, in_a)), low = wide_turn(b.turn, wide_core(b.shape, in_b));
    proof.lower = dot(low + wide(offset) - high, n) - wide_ball(a.shape) - wide_ball(b.shape);
    // The nearest points, where the contact is in the middle of what is nearly parallel.
    const V point_a = wide(r.point_a) + wide(r.to_nearest_m),
            point_b = wide(r.point_b) + wide(r.to_nearest_m) + wide(offset);
    auto out_a = [&](V p) { return outside(a.shape, wide_back(a.turn, p)); };
    auto out_b = [&](V p) { return outside(b.shape, wide_back(b.turn, p - wide(offset))); };
    proof.outside = std::max(out_a(point_a), out_b(point_b));
    proof.upper = norm(point_b - point_a);
    if (proof.lower > 0) {
        proof.sign = Sign::apart;
        return proof;
    }
    for (long double t : {0.5L, 0.0L, 1.0L}) {
        const V p = point_a + (point_b - point_a) * t;
        if (out_a(p) <= 0 && out_b(p) <= 0) proof.sign = Sign::overlap;
    }
    return proof;
}

// --- sweeps ------------------------------------------------------------------------------------------

/// What a sweep over pairs of one class has seen.
struct Tally {
    uint64_t pairs = 0, apart = 0, overlap = 0, searched = 0, unclear = 0, wrong = 0, near = 0, flagged = 0;
    uint64_t iterations = 0;
    uint32_t most_iterations = 0;
    double gap = 0;     // between the bounds that the answer itself proves, pairs apart
    double stated = 0;  // largest error_m of pairs apart
    double beyond = 0;  // by which the true error may exceed the stated one
    double outside = 0; // of the points given, of their solids, pairs apart

    void add(const Tally &t) {
        pairs += t.pairs;
        apart += t.apart;
        overlap += t.overlap;
        searched += t.searched;
        unclear += t.unclear;
        wrong += t.wrong;
        near += t.near;
        flagged += t.flagged;
        iterations += t.iterations;
        most_iterations = std::max(most_iterations, t.most_iterations);
        gap = std::max(gap, t.gap);
        stated = std::max(stated, t.stated);
        beyond = std::max(beyond, t.beyond);
        outside = std::max(outside, t.outside);
    }
};

/// A solid of the kind; of hulls one of a few hundred, since making one takes long.
inline Shape draw_any(Draw &draw, uint32_t kind) {
    static const std::vector<Shape> hulls = [] {
        std::vector<Shape> some;
        Draw of_hulls(99);
        for (int i = 0; i < 400; i++) some.push_back(draw_hull(of_hulls));
        return some;
    }();
    return kind == SHAPE_HULL ? hulls[size_t(draw.uniform(0, 1) * 399.99)] : draw_solid(draw, kind);
}

/// The same; edges of boxes, cylinders, cones and beams are not rounded.
inline Shape draw_any_sharp(Draw &draw, uint32_t kind) {
    Shape s = draw_any(draw, kind);
    if (kind == SHAPE_BOX || kind == SHAPE_CYLINDER || kind == SHAPE_CONE || kind == SHAPE_BEAM) s.smoothing_m = 0;
    return s;
}

/// Apart or overlapping by 1e-13 m to `most` in orders of magnitude; only roughly, to save time.
inline Vec3 place_near(const Placed &a, const Placed &b, Draw &draw, bool is_apart, double most = 0.1) {
    const Vec3 way = draw.direction();
    const double want = is_apart ? draw.log_uniform(1e-13, most) : -draw.log_uniform(1e-13, most);
    double at = shape_size_m(&a.shape) + shape_size_m(&b.shape);
    for (int i = 0; i < 8; i++) {
        const NarrowResult r = narrow(a, b, vec3_scale(way, at));
        const double slope = vec3_dot(way, r.normal), step = (want - r.distance_m) / std::max(slope, 0.05);
        at = std::max(0.0, at + step); // beyond the centre the slope would lead away for good
        if (std::fabs(step) < 0.1 * std::fabs(want)) break;
    }
    return vec3_scale(way, at);
}

/// Check one answer of the narrow phase. "wrong" counts signs that differ outside 1e-14 of the sizes (MPR:
/// 1e-6), "near" those within it.
inline void judge(const Placed &a, const Placed &b, Vec3 offset, uint32_t flags, Tally &tally) {
    const NarrowResult r = narrow(a, b, offset, 0, options(flags | SCENE_SINGLE_CONTACT));
    const double size = shape_size_m(&a.shape) + shape_size_m(&b.shape);
    tally.pairs++;
    tally.iterations += r.iterations;
    tally.most_iterations = std::max(tally.most_iterations, r.iterations);
    tally.flagged += r.status != NARROW_OK;
    const Proof proof = prove(a, b, offset, r);
    Sign sign = proof.sign;
    const double clear = flags & SCENE_NARROW_MPR ? 1e-6 : 1e-14; // of the sizes
    bool is_clear = std::fabs(r.distance_m) > clear * size;
    if (sign == Sign::unknown) {
        tally.searched++;
        const Certified right = certified_distance(a, b, offset);
        if (right.gap < 1e-6L * size) sign = right.distance > 0 ? Sign::apart : Sign::overlap;
        // Of overlapping cores the search knows the sign only, so that the answer's own depth decides.
        is_clear = right.is_core_apart ? std::fabs((double)right.distance) > clear * size : is_clear;
    }
    if (sign == Sign::unknown) {
        tally.unclear++;
    } else if ((sign == Sign::apart) != (r.distance_m > 0)) {
        (is_clear ? tally.wrong : tally.near)++;
    }
    tally.apart += sign == Sign::apart;
    tally.overlap += sign == Sign::overlap;
    if (proof.sign != Sign::apart) return;
    tally.outside = std::max(tally.outside, (double)proof.outside);
    tally.stated = std::max(tally.stated, r.error_m);
    if (proof.outside > 1e-12L) return; // no bound from points that are not in their solids
    const double gap = (double)(proof.upper - proof.lower);
    tally.gap = std::max(tally.gap, gap);
    double error = std::max((double)(r.distance_m - proof.lower), (double)(proof.upper - r.distance_m));
    if (error > r.error_m) { // its own bounds do not tell: points are stationary to 1e-12 of the sizes only
        const Certified right = certified_distance(a, b, offset);
        if (right.is_core_apart)
            error = std::min(error, std::fabs((double)(r.distance_m - right.distance)) + (double)right.gap);
    }
    tally.beyond = std::max(tally.beyond, error - r.error_m);
}

} // namespace scenes

#endif
