// `compat: modia3d` over 3,000 random pairs of every two kinds: none is said to be deeper than it can be, and none that
// is apart to be in touch, not even with a flag. The same over more of them: bench/sweep_pairs.cc -c.
#include <gtest/gtest.h>

#include "compat_depth.h"

using namespace scenes;

namespace {

const int PAIRS = 3000; // per class and order

class CompatSigns : public testing::TestWithParam<uint32_t> {};

TEST_P(CompatSigns, NoPairIsDeeperThanItCanBe) {
    for (uint32_t kind_b : SOLIDS_AND_HULL) {
        Draw draw(85000 + 10 * GetParam() + kind_b);
        CompatTally tally;
        const int pairs = pairs_of(GetParam(), kind_b, PAIRS);
        for (int n = 0; n < pairs; n++) judge_compat_random(draw, GetParam(), kind_b, n % 2, tally);
        SCOPED_TRACE(std::string(kind_name(GetParam())) + "-" + kind_name(kind_b));
        EXPECT_EQ(tally.deeper, 0u) << tally.beyond;
        EXPECT_EQ(tally.touching, 0u) << tally.beyond_flagged << " m deep and flagged, of solids that are apart";
        EXPECT_GE(tally.apart, unsigned(pairs) / 3u);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, CompatSigns, testing::ValuesIn(SOLIDS_AND_HULL),
                         [](const auto &kind) { return kind_name(kind.param); });

// Depths that exceed the way out by more than the tolerance are told by the flag: portals that converged at a face
// beside the one by which the line leaves (a cone and a hull, two cones), and a ball beside an ellipsoid, both of whose
// surface points are taken at a normal that is good to the root of the tolerance. Blocks and numbers of `sweep_pairs -c
// -s 1`.
TEST(CompatDepth, DeeperThanTheWayOutIsFlagged) {
    const uint32_t places[][4] = {{SHAPE_CONE, SHAPE_HULL, 90, 391},
                                  {SHAPE_SPHERE, SHAPE_ELLIPSOID, 230, 146},
                                  {SHAPE_SPHERE, SHAPE_ELLIPSOID, 260, 662},
                                  {SHAPE_SPHERE, SHAPE_ELLIPSOID, 555, 982}};
    for (const auto &place : places) {
        std::seed_seq seed{1u, place[0], place[1], place[2]};
        Draw draw(0);
        draw.engine.seed(seed);
        CompatTally before, last;
        for (uint32_t n = 0; n <= place[3]; n++) {
            const bool is_other = n / 2 % 2 == 1;
            judge_compat_random(draw, place[is_other], place[!is_other], n % 2, n < place[3] ? before : last);
        }
        SCOPED_TRACE(std::string(kind_name(place[0])) + "-" + kind_name(place[1]));
        EXPECT_EQ(before.deeper, 0u);
        EXPECT_EQ(last.deeper, 0u) << last.beyond << " m without a flag";
        EXPECT_EQ(last.deeper_flagged, 1u);
    }
}

// Over the ground, as in the reference's BouncingFrustums at 0.506 s of its Y: 1 m deep, said a portal that was stuck.
TEST(CompatBoxes, PairsWhoseBoxesAreApartAreAsFarAsThese) {
    Draw draw(86000);
    const Placed ground{box(2.5, 1.5, 0.05, 1e-3), no_turn()};
    int apart = 0;
    for (int n = 0; n < 20000; n++) {
        const Placed b{n % 2 ? box(0.15, 0.25, 0.5, 1e-3) : make_shape(SHAPE_CONE, 0.2, 1, 0.15, 1e-3), draw.turn()};
        // Wholly above it.
        const Vec3 offset = vec3_make(draw.uniform(-1, 1), draw.uniform(-0.2, 0.2), draw.uniform(0.1, 1.2));
        const NarrowResult r =
            narrow(ground, b, offset, 0, options(SCENE_COMPAT_MODIA3D | SCENE_SINGLE_CONTACT, 1e-20));
        const double truth = narrow(ground, b, offset).distance_m;
        ASSERT_TRUE(truth < 1.5e-3 || r.distance_m > 0) << n;
        // Boxes have 0.5 % of the longest side on either side.
        const double margins = 0.005 * (5 + 2 * vec3_max_abs(shape_half_extents(&b.shape, hull_rows().data(), b.turn)));
        if (n % 2 == 0 || truth < margins) continue;
        EXPECT_NEAR(r.distance_m, truth - margins, 1e-14) << n;
        EXPECT_NEAR(r.normal.z, 1, 1e-15) << n;
        EXPECT_NEAR(vec3_add(r.point_b, offset).z - r.point_a.z, r.distance_m, 1e-14) << n;
        apart++;
    }
    EXPECT_GT(apart, 5000);
}

} // namespace
