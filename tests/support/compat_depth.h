// How deep `compat: modia3d` says that two solids are in each other, against how deep they can be: judged by the exact
// narrow phase, for sweeps over millions of pairs. The reference's depth is the way out along the line between the
// centroids or less (to a triangle of support points, kernels/geometry/README.md, "The reference"), and of solids that
// are apart there is none.
#ifndef CLACK_COMPAT_DEPTH_H
#define CLACK_COMPAT_DEPTH_H

#include "pair_certificate.h"

namespace scenes {

// Of the sizes: the reference takes surface points of spheres and ellipsoids at its normals, which are good to the
// square root of its tolerance, 3e-7 rad.
const double COMPAT_TOLERANCE = 1e-6;

/// A solid of the kind with sides up to eight times as long as others: plates, rods, discs.
inline Shape draw_long(Draw &draw, uint32_t kind) {
    Shape s = draw_any(draw, kind);
    const double first = draw.log_uniform(1, 8), second = draw.log_uniform(1, 8), third = draw.log_uniform(1, 8);
    s.size_m[0] *= first;
    if (kind == SHAPE_HULL) {
        s.smoothing_m *= first;
        s.bound_radius_m *= first;
    }
    s.size_m[1] *= second;
    s.size_m[2] *= kind == SHAPE_CONE ? first : third;
    return s;
}

/// By how much the reference's cone may reach farther than the exact one: on its base the height is divided by the part
/// of the direction across the axis, on its top the radius is cut by less (kernels/geometry/README.md, "The
/// reference").
inline double compat_cone_m(const Shape &s) {
    return s.kind == SHAPE_CONE ? s.smoothing_m * s.size_m[0] / s.size_m[1] : 0;
}

/// What the reference divides its distances by, m: the extent of the first portal, but for two bijective shapes and
/// where no portal is sought. line: becomes the direction from the centroid of A to that of B.
inline double compat_extent(const Placed &a, const Placed &b, Vec3 offset, Vec3 &line) {
    const Mat3 world = mat3_identity();
    CorePair cores;
    core_pair_make(&a.shape, &a.turn, &b.shape, &world, offset, hull_rows().data(), &cores);
    const MprPair pair = mpr_pair(&cores, MPR_COMPAT, &b.turn);
    MprPortal portal;
    const u32 end = mpr_find_portal_start(&pair, &portal);
    line = portal.ray;
    const bool is_bijective = mpr_is_bijective(a.shape.kind) && mpr_is_bijective(b.shape.kind);
    return is_bijective || end != MPR_PORTAL ? 1 : portal.extent_m;
}

struct CompatTally {
    uint64_t pairs = 0, apart = 0, flagged = 0;
    uint64_t deeper = 0, deeper_flagged = 0; // than the truth by more than the tolerance
    uint64_t touching = 0;                   // of them pairs that are apart, also as the reference's cones are
    double beyond = 0, beyond_flagged = 0;   // by how much, m, whether within the tolerance or not

    void add(const CompatTally &t) {
        pairs += t.pairs;
        apart += t.apart;
        flagged += t.flagged;
        deeper += t.deeper;
        deeper_flagged += t.deeper_flagged;
        touching += t.touching;
        beyond = std::max(beyond, t.beyond);
        beyond_flagged = std::max(beyond_flagged, t.beyond_flagged);
    }
};

/// How far B has to go along a direction until it is clear of A by so much; 0 where it is.
inline double way_out_along(const Placed &a, const Placed &b, Vec3 offset, Vec3 line, double clear_m) {
    double low = 0, high = 2 * (shape_size_m(&a.shape) + shape_size_m(&b.shape));
    for (int k = 0; k < 50; k++) {
        const double middle = 0.5 * (low + high);
        (narrow(a, b, vec3_add_scaled(offset, line, middle)).distance_m < clear_m ? low : high) = middle;
    }
    return high;
}

inline void judge_compat(const Placed &a, const Placed &b, Vec3 offset, CompatTally &tally) {
    const double distance = narrow(a, b, offset).distance_m;
    const NarrowResult r = narrow(a, b, offset, 0, options(SCENE_COMPAT_MODIA3D | SCENE_SINGLE_CONTACT, 1e-20));
    const bool is_flagged = r.status != NARROW_OK;
    tally.pairs++;
    tally.apart += distance > 0;
    tally.flagged += is_flagged;
    if (!(r.distance_m < 0)) return;
    Vec3 line;
    const double depth = -r.distance_m * compat_extent(a, b, offset, line);
    const double clear_m = compat_cone_m(a.shape) + compat_cone_m(b.shape); // the reference's shapes touch
    const double allowed = COMPAT_TOLERANCE * (shape_size_m(&a.shape) + shape_size_m(&b.shape));
    double beyond = distance < clear_m ? depth + distance - clear_m : depth;
    if (distance < clear_m && beyond > allowed) beyond = depth - way_out_along(a, b, offset, line, clear_m);
    double &most = is_flagged ? tally.beyond_flagged : tally.beyond;
    most = std::max(most, beyond);
    if (!(beyond > allowed)) return;
    (is_flagged ? tally.deeper_flagged : tally.deeper)++;
    tally.touching += distance >= clear_m;
}

/// A pair for it: every third A lies along the axes, as the ground does; half are up to 2 m apart.
inline void judge_compat_random(Draw &draw, uint32_t kind_a, uint32_t kind_b, bool is_apart, CompatTally &tally) {
    const bool is_aligned = draw.uniform(0, 1) < 1.0 / 3;
    const Placed a{draw_long(draw, kind_a), is_aligned ? no_turn() : draw.turn()};
    const Placed b{draw_any(draw, kind_b), draw.turn()};
    judge_compat(a, b, place_near(a, b, draw, is_apart, is_apart ? 2 : 0.1), tally);
}

} // namespace scenes

#endif
