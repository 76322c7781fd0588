// The way out of overlaps (kernels/geometry/expanding_polytope.h): of two polytopes the least one of all, of curved
// solids one that few directions beat.
#include <gtest/gtest.h>

#include "polytope_depth.h"

using namespace scenes;

namespace {

Points few_points(Draw &draw) {
    Points points;
    for (int k = int(draw.uniform(4, 13)); k > 0; k--)
        points.push_back({draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7)});
    return points;
}

TEST(WayOut, OfPolytopesIsTheLeastOfAll) {
    for (uint32_t kind : {SHAPE_HULL, SHAPE_BOX, SHAPE_CAPSULE}) {
        Draw draw(880 + kind);
        double worst = 0;
        int judged = 0;
        for (int n = 0; n < 400; n++) {
            hull_rows().resize(1);
            const Placed a{make_hull(few_points(draw)), draw.turn()};
            const Placed b{kind == SHAPE_HULL ? make_hull(few_points(draw)) : draw.shape(kind),
                           n % 4 == 0 ? a.turn : draw.turn()};
            if (a.shape.hull_vertices < 4 || (kind == SHAPE_HULL && b.shape.hull_vertices < 4)) continue;
            const Vec3 offset = vec3_scale(draw.direction(), draw.log_uniform(1e-3, 0.8));
            const double depth = least_depth(corners_of(a, vec3_zero()), corners_of(b, offset));
            if (depth < 1e-6) continue;
            judged++;
            const NarrowResult r = narrow(a, b, offset);
            const double balls = shape_ball_radius(&a.shape) + shape_ball_radius(&b.shape);
            ASSERT_EQ(r.status, NARROW_OK) << n;
            ASSERT_NEAR(-r.distance_m, depth + balls, 4e-15) << n;
            const Vec3 between = vec3_sub(vec3_add(r.point_b, offset), r.point_a);
            ASSERT_LE(vec3_length(vec3_sub(between, vec3_scale(r.normal, r.distance_m))), 1e-14) << n;
            worst = std::max(worst, std::fabs(r.distance_m + depth + balls));
        }
        std::printf("%8s: %d overlaps, depth off by at most %.1e m\n", kind_name(kind), judged, worst);
        EXPECT_GT(judged, 200);
    }
}

// Hulls of hundreds of vertices need more room than there is for deep overlaps: the search goes on from the nearest
// face.
TEST(WayOut, OfCurvedAndOfLargeSolidsIsSeldomBeaten) {
    for (uint32_t kind : {SHAPE_HULL, SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM, SHAPE_ELLIPSOID}) {
        Draw draw(890 + kind);
        hull_rows().resize(1);
        const Shape egg = make_hull(egg_points(draw, 600));
        int judged = 0, beaten = 0;
        double by = 0;
        for (int n = 0; n < 100; n++) {
            const Placed a{kind == SHAPE_HULL || n % 2 ? egg : draw.shape(SHAPE_BOX), draw.turn()};
            const Placed b{kind == SHAPE_HULL ? egg : draw_solid(draw, kind), draw.turn()};
            const Vec3 offset = vec3_scale(draw.direction(), draw.uniform(0.05, 0.9));
            const NarrowResult r = narrow(a, b, offset);
            if (r.distance_m > -1e-3) continue;
            judged++;
            ASSERT_TRUE(r.status == NARROW_OK || r.error_m < 1e-9) << n;
            double least = INFINITY; // of many directions, then of ever nearer ones about the best
            Vec3 best = r.normal;
            for (int k = 0; k < 6000; k++) {
                const double width = std::pow(0.5, (k - 3000) / 250.0);
                const Vec3 u =
                    k < 3000 ? draw.direction() : vec3_normalize(vec3_add_scaled(best, draw.direction(), width));
                const Vec3 tip_a = shape_support(&a.shape, hull_rows().data(), mat3_rotate_back(a.turn, u));
                const Vec3 tip_b =
                    shape_support(&b.shape, hull_rows().data(), vec3_negate(mat3_rotate_back(b.turn, u)));
                const double h =
                    vec3_dot(mat3_rotate(a.turn, tip_a), u) - vec3_dot(vec3_add(offset, mat3_rotate(b.turn, tip_b)), u);
                if (h < least) best = u;
                least = std::min(least, h);
            }
            if (-r.distance_m > least + 1e-6) beaten++;
            by = std::max(by, -r.distance_m - least);
        }
        std::printf("%9s: %d overlaps, %d deeper than some direction, by at most %.1e m\n", kind_name(kind), judged,
                    beaten, by);
        EXPECT_GT(judged, 60);
        EXPECT_LE(by, 0.03);
        EXPECT_LE(beaten, judged / 5);
    }
}

} // namespace
