// Warm starts of the narrow phase: the features of an earlier look give the same answer sooner, and wrong ones give the
// same answer too.
#include "moving_pairs.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace scenes;

namespace {

const double SHARES[] = {1e-6, 1e-4, 1e-3}; // of the sizes from look to look

class Warm : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
  protected:
    uint32_t kind_a = std::get<0>(GetParam()), kind_b = std::get<1>(GetParam());
    bool is_closed = needs_no_warm_start(kind_a, kind_b);
    Draw draw{520000 + 100 * kind_a + kind_b};
};

// All but the count of iterations.
bool same_bits(const NarrowResult &x, const NarrowResult &y) {
    return std::memcmp(&x, &y, offsetof(NarrowResult, status)) == 0 && x.status == y.status;
}

bool is_set(const NarrowWarmStart &warm_start) { return (warm_start.corners_a & NARROW_WARM_START_SET) != 0; }

TEST_P(Warm, GivesTheColdAnswerAtOnce) {
    for (double share : SHARES) {
        int apart = 0, certified = 0;
        for (int n = 0; n < 20; n++) {
            const MovingPair pair(draw, kind_a, kind_b, share, 50);
            NarrowWarmStart warm_start = narrow_no_warm_start();
            for (size_t k = 0; k < pair.queries(); k++) {
                const bool at_once = pair.at_once(k, warm_start).is_apart != 0;
                const NarrowResult cold = pair.query(k, nullptr), warm = pair.query(k, &warm_start);
                ASSERT_LE(std::fabs(warm.distance_m - cold.distance_m), 5e-16 * pair.size(k));
                // Their normals are as good as those of the cold search (test_accuracy).
                ASSERT_LE(angle(warm.normal, cold.normal), 2e-12);
                EXPECT_EQ(warm.status, cold.status);
                if (k == 0 || is_closed || !pair.is_core_apart(cold)) continue;
                apart++;
                certified += at_once;
                EXPECT_TRUE(!at_once || warm.iterations <= cold.iterations + FEATURE_STEPS);
            }
            EXPECT_TRUE(!is_closed || !is_set(warm_start));
        }
        if (is_closed) return;
        std::printf("%9s-%-9s %.0e: %.1f %% of %d\n", kind_name(kind_a), kind_name(kind_b), share,
                    100.0 * certified / apart, apart);
        // Two hulls have no balls: their cores are as near each other as 1e-9 of the sizes, where no warm start is
        // taken. Two superquadrics' faces: Newton's method from the last normal does not always converge.
        const bool is_hard = kind_a == kind_b && (kind_a == SHAPE_HULL || kind_a == SHAPE_SUPERQUADRIC);
        EXPECT_GE(certified, apart * (is_hard ? 0.85 : 0.95)) << share;
    }
}

// So a step that is evaluated again from its start, with the warm start that the first query at its end left, goes on
// as before.
TEST_P(Warm, AQueryAgainWithItsOwnWarmStartGivesTheSameBits) {
    if (is_closed) return;
    int different = 0, warm_started = 0;
    for (double share : SHARES)
        for (int n = 0; n < 10; n++) {
            const MovingPair pair(draw, kind_a, kind_b, share, 30);
            NarrowWarmStart warm_start = narrow_no_warm_start();
            for (size_t k = 0; k < pair.queries(); k++) {
                const NarrowResult first = pair.query(k, &warm_start);
                warm_started += is_set(warm_start);
                NarrowWarmStart own = warm_start;
                different += !same_bits(first, pair.query(k, &own));
                different += std::memcmp(&own, &warm_start, sizeof own) != 0;
            }
        }
    EXPECT_EQ(different, 0);
    EXPECT_GT(warm_started, kind_a == SHAPE_HULL && kind_b == SHAPE_HULL ? 400 : 800);
}

TEST_P(Warm, WrongWarmStartsChangeNothing) {
    if (is_closed) return;
    std::vector<NarrowWarmStart> seen; // of other pairs and poses
    int refused = 0, different = 0;
    for (int n = 0; n < 300; n++) {
        const MovingPair pair(draw, kind_a, kind_b, 1e-4, 1);
        const NarrowResult cold = pair.query(0, nullptr);
        std::vector<NarrowWarmStart> wrong = seen;
        for (int i = 0; i < 20; i++) {
            NarrowWarmStart warm_start;
            warm_start.corners_a = NARROW_WARM_START_SET | u32(draw.engine());
            warm_start.corners_b = u32(draw.engine());
            warm_start.normal = i % 5 == 0   ? vec3_zero()
                                : i % 5 == 1 ? vec3_make(NAN, 0, INFINITY)
                                             : vec3_scale(draw.direction(), i % 5 == 2 ? 1e200 : 1);
            if (i % 5 == 4)
                warm_start.normal =
                    mat3_rotate_back(pair.turns[0], cold.normal); // the right one, with what does not touch
            wrong.push_back(warm_start);
        }
        for (double scale : {1 + 4e-13, 1 - 4e-13}) { // the right one, whose normal is not quite of length 1
            NarrowWarmStart warm_start = narrow_no_warm_start();
            (void)pair.query(0, &warm_start);
            warm_start.normal = vec3_scale(warm_start.normal, scale);
            wrong.push_back(warm_start);
        }
        for (NarrowWarmStart warm_start : wrong) {
            const bool is_taken = pair.at_once(0, warm_start).is_apart != 0;
            const NarrowResult warm = pair.query(0, &warm_start);
            ASSERT_TRUE(is_finite(warm));
            ASSERT_LE(std::fabs(warm.distance_m - cold.distance_m), 5e-16 * pair.size(0));
            ASSERT_LE(angle(warm.normal, cold.normal), 2e-12);
            refused += !is_taken;
            different += !is_taken && !same_bits(warm, cold);
        }
        NarrowWarmStart warm_start = narrow_no_warm_start();
        (void)pair.query(0, &warm_start);
        if (seen.size() < 20) seen.push_back(warm_start);
    }
    EXPECT_EQ(different, 0) << "a warm start that is refused must leave no trace";
    EXPECT_GT(refused, 300);
}

/// Turned about y by an angle from the vertical.
Mat3 tilted(double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {vec3_make(c, 0, s), vec3_make(0, 1, 0), vec3_make(-s, 0, c)};
}

// Across the plane nothing is left to turn, to the bit, from the first step on.
TEST(WarmInAMirrorPlane, GivesTheColdAnswerAtOnce) {
    const Shape partners[] = {make_shape(SHAPE_CYLINDER, 0.3, 0.4, 0, 1e-3),
                              make_shape(SHAPE_CONE, 0.4, 0.6, 0.2, 1e-3), make_shape(SHAPE_BEAM, 0.3, 0.2, 0.3, 1e-3),
                              make_shape(SHAPE_ELLIPSOID, 0.3, 0.4, 0.5, 0)};
    Draw draw{521000};
    for (const Shape &partner : partners) {
        const Shape stick = capsule(1e-3, 0.6);
        const double gap_m = 1e-6;
        int looks = 0, at_once = 0;
        for (int n = 0; n < 30; n++) {
            double angle = draw.uniform(0.2, 1.3);
            Vec3 offset = vec3_make(draw.uniform(-0.5, -0.1), 0, -0.7);
            NarrowWarmStart warm_start = narrow_no_warm_start();
            for (int k = 0; k < 30; k++) {
                angle += 1e-4 * draw.uniform(-1, 1);
                const Placed a{stick, tilted(angle)}, b{partner, no_turn()};
                for (int i = 0; i < 6; i++) {
                    const NarrowResult r = narrow(a, b, offset);
                    offset = vec3_add_scaled(offset, r.normal, gap_m - r.distance_m);
                    offset.y = 0;
                }
                NarrowOptions o = options(SCENE_SINGLE_CONTACT);
                const NarrowResult cold = narrow_phase(&a.shape, &a.turn, &b.shape, &b.turn, offset, 0, &o);
                CorePair pair;
                core_pair_make(&a.shape, &a.turn, &b.shape, &b.turn, offset, hull_rows().data(), &pair);
                NarrowWarmStart tried = warm_start;
                GjkResult found;
                found.is_apart = 0;
                if (k > 0) at_once += gjk_distance_warm(&pair, &warm_start, &tried, &found) != 0;
                looks += k > 0;
                o.before = o.now = &warm_start;
                const NarrowResult warm = narrow_phase(&a.shape, &a.turn, &b.shape, &b.turn, offset, 0, &o);
                ASSERT_LE(std::fabs(warm.distance_m - cold.distance_m), 5e-16);
            }
        }
        std::printf("capsule-%-9s %.1f %% of %d\n", kind_name(partner.kind), 100.0 * at_once / looks, looks);
        EXPECT_GE(at_once, 0.95 * looks) << kind_name(partner.kind);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Warm, testing::ValuesIn(every_class()), [](const auto &of) {
    return std::string(kind_name(std::get<0>(of.param))) + "_" + kind_name(std::get<1>(of.param));
});

} // namespace
