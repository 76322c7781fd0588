// The sign of every pair of solids over 10,000 random pairs each, proved rather than compared; the same
// over a million each: bench/sweep_pairs.cc.
#include <gtest/gtest.h>

#include "pair_certificate.h"

using namespace scenes;

namespace {

const int PAIRS = 10000; // per class

class PairSigns : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {};

// exact: outside 1e-14 of the sizes; mpr: 1e-6 (tests/README.md, "Which test holds which bar").
TEST_P(PairSigns, AreProved) {
    const auto [kind_a, flags] = GetParam();
    for (uint32_t kind_b : SOLIDS_AND_HULL) {
        if (kind_b < kind_a) continue;
        Draw draw(77000 + 10 * kind_a + kind_b);
        Tally tally;
        const int pairs = pairs_of(kind_a, kind_b, PAIRS);
        for (int n = 0; n < pairs; n++) {
            const Placed a{draw_any(draw, kind_a), draw.turn()}, b{draw_any(draw, kind_b), draw.turn()};
            judge(a, b, place_near(a, b, draw, n % 2), flags, tally);
        }
        SCOPED_TRACE(std::string(kind_name(kind_a)) + "-" + kind_name(kind_b));
        EXPECT_EQ(tally.wrong, 0u);
        EXPECT_EQ(tally.unclear, 0u);
        EXPECT_LE(tally.flagged, unsigned(pairs) / 1000u);
        EXPECT_GE(tally.apart, unsigned(pairs) / 3u);
        EXPECT_GE(tally.overlap, unsigned(pairs) / 3u);
        EXPECT_LE(tally.outside, 4e-15) << "a contact point is not on its solid";
        EXPECT_LE(tally.beyond, 1e-15) << "the stated error is too small";
        EXPECT_LE(tally.stated, 1e-12);
        // A superquadric's points follow the normal by up to 2,700 half lengths, so that the last step of Newton's
        // method leaves them FEATURE_STATIONARY of the sizes apart (2.1e-12 m seen), and MPR's rounded normal as much.
        EXPECT_LE(tally.gap, kind_b == SHAPE_SUPERQUADRIC ? 4e-12 : 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PairSigns,
                         testing::Combine(testing::ValuesIn(SOLIDS_AND_HULL), testing::Values(0u, SCENE_NARROW_MPR)),
                         [](const auto &kind) {
                             return std::string(kind_name(std::get<0>(kind.param))) +
                                    (std::get<1>(kind.param) != 0 ? "_mpr" : "_exact");
                         });

// A proof holds whatever normal and points it is given: with arbitrary ones it proves little, and that
// little agrees with the search for the nearest points.
TEST(PairProof, OfArbitraryAnswersIsNeverFalse) {
    int proved[2] = {0, 0};
    for (uint32_t kind_a : SOLIDS_AND_HULL)
        for (uint32_t kind_b : SOLIDS_AND_HULL) {
            Draw draw(78000 + 10 * kind_a + kind_b);
            for (int n = 0; n < 300; n++) {
                const Placed a{draw_any(draw, kind_a), draw.turn()}, b{draw_any(draw, kind_b), draw.turn()};
                const Vec3 offset = vec3_scale(draw.direction(), draw.uniform(0.1, 1.8));
                NarrowResult guess{};
                guess.normal = n % 2 ? vec3_normalize(offset) : draw.direction();
                guess.point_a = vec3_scale(offset, draw.uniform(0, 1));
                guess.point_b = vec3_scale(offset, -draw.uniform(0, 1));
                const Proof proof = prove(a, b, offset, guess);
                if (proof.sign == Sign::unknown) continue;
                const Certified right = certified_distance(a, b, offset);
                proved[proof.sign == Sign::apart]++;
                if (proof.sign == Sign::apart) {
                    ASSERT_GT(right.distance, 0) << kind_name(kind_a) << "-" << kind_name(kind_b);
                    ASSERT_LE(proof.lower, right.distance + 1e-12L);
                } else {
                    ASSERT_LE(right.distance, 1e-12L) << kind_name(kind_a) << "-" << kind_name(kind_b);
                }
            }
        }
    EXPECT_GT(proved[0], 1000);
    EXPECT_GT(proved[1], 1000);
}

// Membership against the supports: a point pushed out along a direction is inside just as long as it is
// below the support plane, and never inside beyond one.
TEST(PairProof, MembershipAgreesWithSupports) {
    Draw draw(79000);
    for (uint32_t kind : SOLIDS_AND_HULL)
        for (int n = 0; n < 2000; n++) {
            const Shape s = draw_any(draw, kind);
            const V u = wide(draw.direction()), tip = wide_core(s, u * (1 / norm(u))) + u * (wide_ball(s) / norm(u));
            ASSERT_LE(outside(s, tip), 1e-15L) << kind_name(kind);
            ASSERT_GT(outside(s, tip + u * 1e-6L), 0) << kind_name(kind);
            const V middle = wide(shape_centroid(&s)), inner = middle + (tip - middle) * 0.999L;
            ASSERT_LE(outside(s, inner), 0) << kind_name(kind);
        }
}

// Pairs of cones 4e-13 to 3e-6 m apart for which Newton's method, begun at a coarse portal, finds a way out of an
// overlap of millimetres: blocks and numbers of `sweep_pairs -s 2`.
TEST(PairSignsMpr, ConesApartAreNotTakenForDeepOnes) {
    const uint32_t places[][2] = {{149, 963}, {394, 343}, {422, 285}, {512, 537}, {746, 503}};
    for (const auto &place : places) {
        std::seed_seq seed{2u, SHAPE_CONE, SHAPE_CONE, place[0]};
        Draw draw(0);
        draw.engine.seed(seed);
        for (uint32_t n = 0; n <= place[1]; n++) {
            const Placed a{draw_any(draw, SHAPE_CONE), draw.turn()}, b{draw_any(draw, SHAPE_CONE), draw.turn()};
            const Vec3 offset = place_near(a, b, draw, n % 2);
            if (n < place[1]) continue;
            const double exact = narrow(a, b, offset, 0, options(SCENE_SINGLE_CONTACT)).distance_m;
            EXPECT_GT(exact, 0) << place[0];
            EXPECT_NEAR(narrow(a, b, offset, 0, options(SCENE_SINGLE_CONTACT | SCENE_NARROW_MPR)).distance_m, exact,
                        1e-9)
                << place[0];
        }
    }
}

} // namespace
