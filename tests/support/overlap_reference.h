// Volume of the overlap of two solids by another way than the kernels': both are cut into tetrahedra with signs, and
// these are clipped by each other.
#ifndef CLACK_TESTS_OVERLAP_REFERENCE_H
#define CLACK_TESTS_OVERLAP_REFERENCE_H

#include "region_scene.h"

namespace regions {

struct HalfSpace {
    Vec3 normal; // outwards
    Vec3 at;
};

// Convex: what lies below all of its planes; a face of three corners for each.
struct Tetrahedron {
    std::array<std::array<Vec3, 3>, 4> faces; // counter-clockwise seen from outside
    std::array<HalfSpace, 4> planes;
    Vec3 low, high;
    double sign; // 0: it has no volume
};

inline Tetrahedron tetrahedron_of(Vec3 apex, Vec3 a, Vec3 b, Vec3 c) {
    Tetrahedron out{};
    const double six = vec3_dot(vec3_cross(vec3_sub(a, apex), vec3_sub(b, apex)), vec3_sub(c, apex));
    out.sign = six > 0 ? 1 : six < 0 ? -1 : 0;
    if (six < 0) std::swap(b, c);
    out.faces = {{{a, b, c}, {apex, b, a}, {apex, c, b}, {apex, a, c}}};
    out.low = out.high = apex;
    for (Vec3 p : {a, b, c}) {
        out.low = near_least(out.low, p);
        out.high = near_greatest(out.high, p);
    }
    for (size_t f = 0; f < 4; f++) {
        const auto &[p, q, r] = out.faces[f];
        out.planes[f] = {vec3_normalize(vec3_cross(vec3_sub(q, p), vec3_sub(r, p))), p};
    }
    return out;
}

using Polygon = std::vector<Vec3>;

inline Polygon polygon_below(const Polygon &polygon, const HalfSpace &plane) {
    Polygon out;
    for (size_t i = 0; i < polygon.size(); i++) {
        const Vec3 p = polygon[i], q = polygon[(i + 1) % polygon.size()];
        const double high_p = vec3_dot(plane.normal, vec3_sub(p, plane.at)),
                     high_q = vec3_dot(plane.normal, vec3_sub(q, plane.at));
        if (high_p <= 0) out.push_back(p);
        if ((high_p <= 0) != (high_q <= 0))
            out.push_back(vec3_add_scaled(p, vec3_sub(q, p), high_p / (high_p - high_q)));
    }
    return out;
}

/// Of the cone from a point over the part of a face below all planes.
template <typename Planes> double cone_below(Vec3 from, const std::array<Vec3, 3> &face, const Planes &planes) {
    Polygon polygon(face.begin(), face.end());
    for (const HalfSpace &plane : planes) {
        polygon = polygon_below(polygon, plane);
        if (polygon.size() < 3) return 0;
    }
    double six = 0;
    for (size_t i = 1; i + 1 < polygon.size(); i++)
        six += vec3_dot(vec3_sub(polygon[0], from),
                        vec3_cross(vec3_sub(polygon[i], polygon[0]), vec3_sub(polygon[i + 1], polygon[0])));
    return six / 6;
}

inline double overlap_of(const Tetrahedron &a, const Tetrahedron &b) {
    if (a.low.x > b.high.x || b.low.x > a.high.x || a.low.y > b.high.y || b.low.y > a.high.y || a.low.z > b.high.z ||
        b.low.z > a.high.z)
        return 0;
    double sum = 0;
    for (size_t f = 0; f < 4; f++)
        sum += cone_below(a.low, a.faces[f], b.planes) + cone_below(a.low, b.faces[f], a.planes);
    return a.sign * b.sign * sum;
}

inline Vec3 placed(const Pose &pose, const std::array<double, 3> &point) {
    return vec3_add(pose.place, quat_rotate(pose.turn, {point[0], point[1], point[2]}));
}

/// The solid of a closed surface: tetrahedra from a point of its frame, which is not in the plane of a face.
inline std::vector<Tetrahedron> tetrahedra_of(const Soup &soup, const Pose &pose,
                                              std::array<double, 3> apex = {0.0137, 0.0071, -0.0113}) {
    std::vector<Tetrahedron> out;
    for (const auto &t : soup.triangles)
        out.push_back(tetrahedron_of(placed(pose, apex), placed(pose, soup.points[t[0]]),
                                     placed(pose, soup.points[t[1]]), placed(pose, soup.points[t[2]])));
    return out;
}

inline double reference_overlap_m3(const Soup &a, const Pose &pose_a, const Soup &b, const Pose &pose_b) {
    double sum = 0;
    const auto of_b = tetrahedra_of(b, pose_b);
    for (const Tetrahedron &one : tetrahedra_of(a, pose_a))
        for (const Tetrahedron &other : of_b) sum += overlap_of(one, other);
    return sum;
}

/// Of the half-space below z = 0: cones from a point in its plane over what lies below of the surface.
inline double reference_below_m3(const Soup &a, const Pose &pose) {
    double sum = 0;
    const std::array<HalfSpace, 1> ground = {{{{0, 0, 1}, {0, 0, 0}}}};
    for (const auto &t : a.triangles)
        sum += cone_below({pose.place.x, pose.place.y, 0},
                          {placed(pose, a.points[t[0]]), placed(pose, a.points[t[1]]), placed(pose, a.points[t[2]])},
                          ground);
    return sum;
}

} // namespace regions

#endif
