// Solids that are turned alike, or nearly, as in rows, stacks and grids: faces face each other, lines and rims lie
// along each other, centres lie on an axis of symmetry, and portals and simplices degenerate.
#include <gtest/gtest.h>

#include "pair_certificate.h"

using namespace scenes;

namespace {

class Alike : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
  protected:
    uint32_t kind_a = std::get<0>(GetParam()), kind_b = std::get<1>(GetParam());
    Draw draw{940000 + 100 * kind_a + kind_b};
    int rows = pairs_of(kind_a, kind_b, 2000);
};

struct Row { // two solids, and the way that the second is moved from the first
    Placed a, b;
    Vec3 way;
};

// Sharp or not, equal or not, turned alike or by up to 1e-6 rad, along an axis, at right angles to one, or anywhere.
Row draw_row(Draw &draw, uint32_t kind_a, uint32_t kind_b, int n) {
    const bool is_sharp = n % 2, is_same = n % 3 == 0 && kind_a == kind_b;
    const Mat3 turn = n % 5 == 0 ? no_turn() : draw.turn();
    const Mat3 little = n % 7 < 4 ? no_turn() : turn_about(draw.direction(), draw.log_uniform(1e-17, 1e-6));
    const auto draw_one = is_sharp ? draw_any_sharp : draw_any;
    const Placed a{draw_one(draw, kind_a), turn};
    const Placed b{is_same ? a.shape : draw_one(draw, kind_b), product(little, turn)};
    Vec3 way = draw.direction();
    if (n / 7 % 3 == 0) way = vec3_make(0, 0, way.z < 0 ? -1 : 1);
    if (n / 7 % 3 == 1) way = vec3_normalize(vec3_make(way.x, way.y, 0));
    return {a, b, mat3_rotate(turn, way)};
}

// Few are known to less than rounding, which their status and error_m tell; to two nanometres all are.
TEST_P(Alike, HaveTheirDistance) {
    for (const u32 flags : {0u, SCENE_NARROW_MPR}) {
        int flagged = 0, judged = 0, unreported = 0;
        double worst[2] = {0, 0}; // by the status
        for (int n = 0; n < rows; n++) {
            const Row row = draw_row(draw, kind_a, kind_b, n);
            const Vec3 offset = place_at(row.a, row.b, row.way, draw.log_uniform(1e-13, 1e-3));
            const NarrowResult r = narrow(row.a, row.b, offset, 0, options(flags | SCENE_SINGLE_CONTACT));
            const CertifiedIn<Quad> right = certified_distance_113(row.a, row.b, offset, r.normal);
            flagged += r.status != NARROW_OK;
            if (!right.is_core_apart || right.gap > 1e-18) continue;
            judged++;
            const double error = std::fabs((double)((Quad)r.distance_m - right.distance));
            unreported += error > r.error_m;
            worst[r.status != NARROW_OK] = std::max(worst[r.status != NARROW_OK], error);
        }
        std::printf("alike %9s-%-9s %s: judged %d, off by at most %.1e m; flagged %d, off by at most %.1e m\n",
                    kind_name(kind_a), kind_name(kind_b), flags ? "mpr  " : "exact", judged, worst[0], flagged,
                    worst[1]);
        EXPECT_GT(judged, rows * 0.975);
        EXPECT_EQ(unreported, 0);
        EXPECT_LE(worst[0], flags ? 1e-9 : 2e-12); // of 2 to 4 m, where flat faces are within a micrometre
        EXPECT_LE(worst[1], 2e-9);
        EXPECT_LE(flagged, rows / 50);
    }
}

// Overlapping by up to a millimetre: no way out is longer than the one they came by, and it leads out.
TEST_P(Alike, HaveAWayOut) {
    for (const u32 flags : {0u, SCENE_NARROW_MPR}) {
        int flagged = 0;
        double longer = 0, left = 0;
        for (int n = 0; n < rows; n++) {
            const Row row = draw_row(draw, kind_a, kind_b, n);
            const double depth = draw.log_uniform(1e-13, 1e-3);
            const Vec3 offset = vec3_add_scaled(place_at(row.a, row.b, row.way, 1e-14), row.way, -depth);
            const NarrowResult r = narrow(row.a, row.b, offset, 0, options(flags | SCENE_SINGLE_CONTACT));
            flagged += r.status != NARROW_OK;
            longer = std::max(longer, -r.distance_m - depth);
            const Vec3 away = vec3_add_scaled(offset, r.normal, 1e-8 - r.distance_m);
            const NarrowResult apart = narrow(row.a, row.b, away, 0, options(SCENE_SINGLE_CONTACT));
            flagged += apart.status != NARROW_OK;
            left = std::max(left, 1e-8 - apart.distance_m - (apart.status != NARROW_OK ? apart.error_m : 0));
        }
        std::printf("out   %9s-%-9s %s: longer by at most %.1e m, inside by at most %.1e m, flagged %d\n",
                    kind_name(kind_a), kind_name(kind_b), flags ? "mpr  " : "exact", longer, left, flagged);
        EXPECT_LE(longer, 1e-9);
        EXPECT_LE(left, 5e-12);
        EXPECT_LE(flagged, 5);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Alike, testing::ValuesIn(every_class()), [](const auto &of) {
    return std::string(kind_name(std::get<0>(of.param))) + "_" + kind_name(std::get<1>(of.param));
});

} // namespace
