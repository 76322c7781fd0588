// Random pairs of sharp solids, apart or overlapping, for comparisons with other libraries.
#ifndef CLACK_TESTS_PEER_PAIRS_H
#define CLACK_TESTS_PEER_PAIRS_H

#include <gtest/gtest.h>

#include "pair_certificate.h"

namespace peers {

using namespace scenes;

const uint32_t KINDS[] = {SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_ELLIPSOID, SHAPE_CYLINDER, SHAPE_CONE};

/// Sizes 0.2 to 1 m, without a smoothing ball, which no other library has. Cones have points.
inline Shape draw_sharp(Draw &draw, uint32_t kind) {
    Shape s = draw_solid(draw, kind);
    s.smoothing_m = 0;
    if (kind == SHAPE_CONE) s.size_m[2] = 0;
    return s;
}

struct Pair {
    Placed a, b;
    Vec3 offset;       // of B's origin from A's
    NarrowResult ours; // nearest or deepest points
};

/// B near A: their distance is `want`, apart (> 0) or overlapping, as nearly as a search on a line finds it.
inline Pair draw_pair(Draw &draw, uint32_t kind_a, uint32_t kind_b, double want) {
    Pair pair{{draw_sharp(draw, kind_a), draw.turn()}, {draw_sharp(draw, kind_b), draw.turn()}, {}, {}};
    pair.offset = place_at(pair.a, pair.b, draw.direction(), want);
    pair.ours = narrow(pair.a, pair.b, pair.offset);
    return pair;
}

/// A solid over a half-space, its deepest or nearest point at the height `want`.
inline Pair draw_on_plane(Draw &draw, uint32_t kind, double want) {
    Pair pair{{half_space(), no_turn()}, {draw_sharp(draw, kind), draw.turn()}, {}, {}};
    const NarrowOptions single = options(SCENE_SINGLE_CONTACT);
    const double reach = -narrow(pair.a, pair.b, vec3_zero(), 0, single).distance_m;
    pair.offset = vec3_make(draw.uniform(-1, 1), draw.uniform(-1, 1), want + reach);
    pair.ours = narrow(pair.a, pair.b, pair.offset, 0, single);
    return pair;
}

/// The largest of many differences, told in the log of the test.
struct Worst {
    double distance_m = 0, normal_rad = 0;
    size_t count = 0;
    void add(double difference_m, double angle_rad = 0) {
        // NaN counts as worst.
        distance_m = difference_m <= distance_m ? distance_m : difference_m;
        normal_rad = angle_rad <= normal_rad ? normal_rad : angle_rad;
        count++;
    }
    void tell(const std::string &what) const {
        printf("%-28s %6zu pairs, largest difference %.1e m, %.1e rad\n", what.c_str(), count, distance_m, normal_rad);
    }
};

inline std::string class_name(uint32_t kind_a, uint32_t kind_b) {
    return std::string(kind_name(kind_a)) + "-" + kind_name(kind_b);
}

} // namespace peers

#endif
