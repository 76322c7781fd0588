// Corners of the narrow phase, of all classes of solids: centres that coincide, sharp solids that nearly touch, and
// limits of loops.
#include <gtest/gtest.h>

#include "pair_certificate.h"

using namespace scenes;

namespace {

class Corner : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
  protected:
    uint32_t kind_a = std::get<0>(GetParam()), kind_b = std::get<1>(GetParam());
    Draw draw{930000 + 100 * kind_a + kind_b};
};

// The point that a search starts from, in the solid's axes.
Vec3 centre_of(const Shape &s) { return shape_centroid(&s); }

// Centres in one place, or as good as: a fixed direction that is a way out, and the status says so.
TEST_P(Corner, CoincidentCentresHaveAWayOut) {
    for (int n = 0; n < 200; n++) {
        const Mat3 turn = draw.turn();
        const Placed a{draw_any(draw, kind_a), turn},
            b{n % 2 ? draw_any(draw, kind_b) : a.shape, n % 3 ? draw.turn() : turn};
        if (n % 2 == 0 && kind_a != kind_b) continue;
        const Vec3 between = vec3_sub(mat3_rotate(a.turn, centre_of(a.shape)), mat3_rotate(b.turn, centre_of(b.shape)));
        for (double off : {0.0, 1e-200, 1e-16}) {
            const Vec3 offset = vec3_add_scaled(between, draw.direction(), off);
            for (u32 flags : {0u, SCENE_NARROW_MPR}) {
                const NarrowResult r = narrow(a, b, offset, 0, options(flags | SCENE_SINGLE_CONTACT));
                ASSERT_TRUE(is_finite(r));
                ASSERT_LT(r.distance_m, 0);
                ASSERT_NEAR(vec3_length(r.normal), 1, 1e-14);
                // Cones and hulls against balls have other middles than their centroids, and need no direction.
                if (kind_a <= SHAPE_ELLIPSOID && kind_b <= SHAPE_ELLIPSOID) {
                    ASSERT_EQ(r.status, NARROW_COINCIDENT) << flags;
                }
                const NarrowResult out = narrow(a, b, vec3_add_scaled(offset, r.normal, 1e-9 - r.distance_m));
                ASSERT_GE(out.distance_m, 1e-9 - 1e-14 - (flags ? r.error_m : 0) - out.error_m)
                    << flags << " " << r.status;
                // Sharp ones that nearly touch, turned alike, may be known to less; it is said.
                ASSERT_TRUE(out.error_m < 1e-12 * 2 * (shape_size_m(&a.shape) + shape_size_m(&b.shape)) ||
                            out.status == NARROW_NOT_CONVERGED);
            }
        }
    }
}

// Sharp cores from 1e-13 to 1e-7 m apart, where their difference has few digits or none.
TEST_P(Corner, SharpSolidsThatNearlyTouchHaveTheirDistance) {
    int flagged = 0, judged = 0, unreported = 0;
    double worst = 0;
    for (int n = 0; n < pairs_of(kind_a, kind_b, 2000); n++) {
        const Placed a{draw_any_sharp(draw, kind_a), draw.turn()}, b{draw_any_sharp(draw, kind_b), draw.turn()};
        const Vec3 offset = place_at(a, b, draw.direction(), draw.log_uniform(1e-13, 1e-7));
        const NarrowResult r = narrow(a, b, offset, 0, options(SCENE_SINGLE_CONTACT));
        flagged += r.status != NARROW_OK;
        const CertifiedIn<Quad> right = certified_distance_113(a, b, offset, r.normal);
        if (!right.is_core_apart || right.gap > 1e-18) continue;
        judged++;
        const double error = std::fabs((double)((Quad)r.distance_m - right.distance));
        unreported += error > r.error_m;
        if (r.status == NARROW_OK) worst = std::max(worst, error);
    }
    std::printf("sharp %9s-%-9s judged %d, flagged %d, unreported %d, off by at most %.1e m\n", kind_name(kind_a),
                kind_name(kind_b), judged, flagged, unreported, worst);
    EXPECT_GT(judged, pairs_of(kind_a, kind_b, 1000));
    EXPECT_EQ(flagged, 0);
    EXPECT_EQ(unreported, 0);
    EXPECT_LE(worst, 1e-12); // beyond this the status tells
}

// Newton's method on an ellipsoid's point and on two ellipsoids' normal have limits of 40 and 30, never reached at
// aspects up to 30.
TEST(ClosedLoops, NeverReachTheirLimits) {
    for (const bool is_point : {true, false}) {
        Draw draw(is_point ? 401 : 402);
        uint32_t most = 0;
        for (int n = 0; n < 20000; n++) {
            auto size = [&] { return draw.log_uniform(0.5 / 30, 0.5); };
            const Placed a{is_point ? sphere(size()) : make_shape(SHAPE_ELLIPSOID, size(), size(), size(), 0),
                           draw.turn()};
            const Placed b{make_shape(SHAPE_ELLIPSOID, size(), size(), size(), 0), draw.turn()};
            const double gap = n % 2 ? draw.log_uniform(1e-9, 0.1) : -draw.log_uniform(1e-9, 1e-4) / 30;
            const NarrowResult r = narrow(a, b, place_at(a, b, draw.direction(), gap));
            ASSERT_EQ(r.status, NARROW_OK);
            most = std::max(most, r.iterations);
        }
        std::printf("%s on an ellipsoid: at most %u steps\n", is_point ? "a sphere" : "an ellipsoid", most);
        EXPECT_GT(most, 1u);
        EXPECT_LT(most, is_point ? POINT_ELLIPSOID_STEPS : 30u);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Corner, testing::ValuesIn(every_class()), [](const auto &of) {
    return std::string(kind_name(std::get<0>(of.param))) + "_" + kind_name(std::get<1>(of.param));
});

} // namespace
