// MPR: its phases, its accuracy against separating axes and brute force, its limits and its quirks.
#include <gtest/gtest.h>

#include "shape_reference.h"

using namespace scenes;

namespace {

const int PAIRS = 10000; // per class

NarrowResult mpr(const Placed &a, const Placed &b, Vec3 offset, NarrowOptions o = options()) {
    NarrowResult result;
    const bool is_compat = (o.flags & SCENE_COMPAT_MODIA3D) != 0;
    (is_compat ? mpr_compat_contact : mpr_contact)(&a.shape, &a.turn, &b.shape, &b.turn, offset, &o, &result);
    return result;
}

double orientation(const MprPortal &p) {
    return vec3_dot(triangle_normal(p.centre, p.r1.p, p.r2.p), vec3_sub(p.r3.p, p.centre));
}

bool ray_passes(const MprPortal &p) {
    const Vec3 r[] = {vec3_sub(p.r1.p, p.centre), vec3_sub(p.r2.p, p.centre), vec3_sub(p.r3.p, p.centre)};
    for (int k = 0; k < 3; k++)
        if (vec3_dot(vec3_cross(r[k], r[(k + 1) % 3]), p.ray) < -1e-14) return false;
    return true;
}

const uint32_t CLASSES[][2] = {{SHAPE_BOX, SHAPE_BOX},
                               {SHAPE_BOX, SHAPE_CAPSULE},
                               {SHAPE_CAPSULE, SHAPE_BOX},
                               {SHAPE_SPHERE, SHAPE_BOX},
                               {SHAPE_CAPSULE, SHAPE_CAPSULE}};

TEST(MprPhases, KeepTheOrientationAndTheRayInside) {
    Draw draw(11);
    int refined = 0;
    for (int i = 0; i < 5000; i++) {
        const uint32_t *kinds = CLASSES[i % 5];
        const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
        CorePair cores;
        core_pair_make(&a.shape, &a.turn, &b.shape, &b.turn, vec3_scale(draw.direction(), draw.uniform(0.1, 3)),
                       hull_rows().data(), &cores);
        const MprPair pair = mpr_pair(&cores, MPR_WHOLE, nullptr);
        MprPortal portal{};
        ASSERT_EQ(mpr_find_portal_start(&pair, &portal), MPR_PORTAL);
        ASSERT_GT(orientation(portal), 0);
        ASSERT_EQ(mpr_pass_ray_through_portal(&pair, &portal, 50), MPR_PORTAL);
        ASSERT_GT(orientation(portal), 0);
        ASSERT_TRUE(ray_passes(portal));
        const u32 end = mpr_refine_portal(&pair, &portal, 1e-6, 120);
        ASSERT_TRUE(end == MPR_FOOT || end == MPR_PLANE) << end;
        ASSERT_GE(orientation(portal), -1e-14);
        ASSERT_TRUE(ray_passes(portal)) << i;
        // Every support point bounds the distance from below; the converged one most closely so far.
        refined += portal.iterations > 3;
    }
    EXPECT_GT(refined, 1000);
}

// 15 axes decide the sign of two sharp boxes; the smoothed ones are judged by brute force on the cores.
TEST(MprBoxBox, SignsAreThoseOfTheSeparatingAxes) {
    Draw draw(12);
    int overlapping = 0;
    for (int i = 0; i < PAIRS; i++) {
        Placed a{draw.shape(SHAPE_BOX), draw.turn()}, b{draw.shape(SHAPE_BOX), draw.turn()};
        a.shape.smoothing_m = b.shape.smoothing_m = 0;
        const double want = draw.log_uniform(1e-9, 0.3) * (i % 2 ? 1 : -1);
        const Vec3 offset = place_at(a, b, draw.direction(), want);
        const Answer axes = separating_axes(block(a, vec3_zero()), block(b, offset));
        if (std::fabs((double)axes.distance) < 1e-9) continue;
        const NarrowResult r = mpr(a, b, offset);
        ASSERT_EQ(r.distance_m < 0, axes.distance < 0) << i << ": " << r.distance_m;
        overlapping += axes.distance < 0;
    }
    EXPECT_GT(overlapping, PAIRS / 3);
}

TEST(MprBoxBox, ShallowDepthOfSharpBoxesIsThatOfTheSeparatingAxes) {
    Draw draw(13);
    int other_axis = 0;
    for (int i = 0; i < PAIRS; i++) {
        Placed a{draw.shape(SHAPE_BOX), draw.turn()}, b{draw.shape(SHAPE_BOX), draw.turn()};
        a.shape.smoothing_m = b.shape.smoothing_m = 0;
        const Vec3 offset = place_at(a, b, draw.direction(), -draw.log_uniform(1e-9, 1e-3));
        const Answer axes = separating_axes(block(a, vec3_zero()), block(b, offset));
        const NarrowResult r = mpr(a, b, offset);
        ASSERT_EQ(r.status, NARROW_OK);
        // The axis of least depth is not always the one the ray leaves by: deeper there, never less.
        ASSERT_LE(r.distance_m, (double)axes.distance + r.error_m);
        if (std::fabs(r.distance_m - (double)axes.distance) > 4e-15)
            other_axis++;
        else if ((double)axes.distance < -1e-8) {
            ASSERT_LT(angle(r.normal, rounded(axes.normal)), 1e-6);
        }
    }
    EXPECT_LE(other_axis, PAIRS / 200);
}

// Both sides of contact, to a gap of 0.1 m. Bars: tests/README.md, "Which test holds which bar".
TEST(MprSmoothed, IsRightToRoundingWhileCoresAreApart) {
    for (const uint32_t *kinds : CLASSES) {
        Draw draw(14 + kinds[0] * 10 + kinds[1]);
        double worst_m = 0, worst_rad = 0, worst_points = 0, stated = 0;
        u32 iterations = 0;
        for (int i = 0; i < PAIRS / 4; i++) {
            const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
            const double want = i % 2 ? draw.log_uniform(1e-9, 0.1) : -draw.log_uniform(1e-9, 1e-3);
            const Vec3 offset = place_at(a, b, draw.direction(), want);
            const NarrowResult r = mpr(a, b, offset);
            const Answer right = reference(a, b, offset);
            ASSERT_EQ(r.status, NARROW_OK);
            const double error = std::fabs(r.distance_m - (double)right.distance);
            ASSERT_LE(error, r.error_m) << "the stated error is too small";
            worst_m = std::max(worst_m, error);
            worst_rad = std::max(worst_rad, angle(r.normal, rounded(right.normal)));
            stated = std::max(stated, r.error_m);
            iterations = std::max(iterations, r.iterations);
            const Vec3 gap = vec3_sub(vec3_add(r.point_b, offset), r.point_a);
            worst_points = std::max(worst_points, vec3_length(vec3_sub(gap, vec3_scale(r.normal, r.distance_m))));
        }
        EXPECT_LE(worst_m, 2e-15) << kinds[0] << "-" << kinds[1];
        EXPECT_LE(worst_rad, 1e-12) << kinds[0] << "-" << kinds[1];
        EXPECT_LE(worst_points, 1e-14) << kinds[0] << "-" << kinds[1];
        EXPECT_LE(stated, 2e-14) << kinds[0] << "-" << kinds[1];
        EXPECT_LE(iterations, 40u) << kinds[0] << "-" << kinds[1];
    }
}

double point_box(Vec3 p, const Shape &b) {
    const double r = b.smoothing_m;
    const double x = std::max(std::fabs(p.x) - b.size_m[0] + r, 0.0);
    const double y = std::max(std::fabs(p.y) - b.size_m[1] + r, 0.0);
    const double z = std::max(std::fabs(p.z) - b.size_m[2] + r, 0.0);
    return std::sqrt(x * x + y * y + z * z) - r;
}

// The distance from a box is convex along the capsule's axis: golden section finds its least.
TEST(MprCapsuleBox, AgreesWithGoldenSectionAlongTheAxis) {
    Draw draw(15);
    for (int i = 0; i < PAIRS; i++) {
        const Placed a{draw.shape(SHAPE_CAPSULE), draw.turn()}, b{draw.shape(SHAPE_BOX), draw.turn()};
        const double want = i % 2 ? draw.log_uniform(1e-9, 1) : -draw.log_uniform(1e-9, 5e-2);
        const Vec3 offset = place_at(a, b, draw.direction(), want);
        const Vec3 centre = mat3_rotate_back(b.turn, vec3_negate(offset));
        const Vec3 axis = mat3_rotate_back(b.turn, narrow_axis_z(a.turn));
        const double ratio = 0.5 * (std::sqrt(5.0) - 1);
        double low = -a.shape.size_m[1], high = a.shape.size_m[1];
        for (int k = 0; k < 80; k++) {
            const double p = high - ratio * (high - low), q = low + ratio * (high - low);
            if (point_box(vec3_add_scaled(centre, axis, p), b.shape) <
                point_box(vec3_add_scaled(centre, axis, q), b.shape))
                high = q;
            else
                low = p;
        }
        const double right = point_box(vec3_add_scaled(centre, axis, low), b.shape) - a.shape.size_m[0];
        const NarrowResult r = mpr(a, b, offset);
        if (right + a.shape.size_m[0] < 0) continue; // the axis itself is inside: deeper than this test
        ASSERT_NEAR(r.distance_m, right, 1e-14) << i;
    }
}

TEST(MprDeep, StaysFiniteAndNeverClaimsLessThanTheTruth) {
    for (const uint32_t *kinds : CLASSES) {
        Draw draw(16);
        int flagged = 0, sign = 0;
        for (int i = 0; i < PAIRS / 4; i++) {
            const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
            const Vec3 offset = vec3_scale(draw.direction(), draw.log_uniform(1e-6, 0.5));
            const NarrowResult r = mpr(a, b, offset);
            const Answer right = reference(a, b, offset);
            ASSERT_TRUE(is_finite(r)) << i;
            ASSERT_LE(r.distance_m, (double)right.distance + r.error_m);
            sign += (r.distance_m < 0) != (right.distance < 0);
            flagged += r.status != NARROW_OK;
        }
        EXPECT_EQ(sign, 0) << kinds[0] << "-" << kinds[1];
        EXPECT_LE(flagged, PAIRS / 4 / 50) << kinds[0] << "-" << kinds[1]; // at most 2 % deep
    }
}

TEST(MprLimits, AreKeptAndReported) {
    Draw draw(17);
    int reported = 0;
    for (u32 limit : {0u, 1u, 2u, 3u, 5u}) {
        for (int i = 0; i < 500; i++) {
            const uint32_t *kinds = CLASSES[i % 2];
            const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
            const Vec3 offset = vec3_scale(draw.direction(), draw.uniform(0.05, 2));
            const NarrowResult r = mpr(a, b, offset, options(0, 1e-13, limit));
            ASSERT_TRUE(is_finite(r));
            ASSERT_LE(r.iterations, 3 * limit + 2 * GJK_STEPS);
            // Without enough iterations the result is either certified all the same, or flagged.
            const Answer right = reference(a, b, offset);
            if (right.distance > 0 && r.status == NARROW_OK) {
                ASSERT_NEAR(r.distance_m, (double)right.distance, 1e-14);
            }
            reported += r.status == NARROW_NOT_CONVERGED;
        }
    }
    EXPECT_GT(reported, 100);
}

TEST(MprLimits, CompatReachesThemSeldomAtItsDefault) {
    Draw draw(18);
    int flagged = 0;
    for (int i = 0; i < PAIRS; i++) {
        const uint32_t *kinds = CLASSES[i % 5];
        const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
        const Vec3 offset = place_at(a, b, draw.direction(), draw.log_uniform(1e-9, 0.1) * (i % 2 ? 1 : -1));
        const NarrowResult r = mpr(a, b, offset, options(SCENE_COMPAT_MODIA3D, 1e-20));
        ASSERT_TRUE(is_finite(r));
        ASSERT_LE(r.iterations, 240u);
        if (r.status == NARROW_OK) {
            ASSERT_LE(r.error_m, 1e-12) << i; // 1e-13 of an extent below 4 m, and rounding
        }
        flagged += r.status != NARROW_OK;
    }
    EXPECT_LE(flagged, PAIRS / 300);
}

// kernels/geometry/README.md, "The reference": at rest a ball is as many times deeper than Hertz has it as the extent
// of the difference has metres. The golden final states of BouncingSphere3D and TwoCollidingBalls say how many.
TEST(MprCompat, DividesTheDistanceByTheExtentOfTheDifference) {
    struct Golden {
        Shape table;
        double radius, ratio, tolerance;
        Vec3 offset; // of the ball from the table, the normal along y or z
    };
    const Golden golden[] = {{box(2, 0.05, 0.35, 1e-3), 0.1, 7.16263e-9 / 3.552e-9, 1e-3,
                              vec3_make(-1.1158498420134682e-07, 0.14999999283736953, 1.9605796328352922e-10)},
                             {box(1.5, 0.25, 0.01, 1e-3), 0.03, 3.1331e-6 / 1.6084e-6, 1e-3,
                              vec3_make(0.44876394694456134, 9.305927636126645e-17, 0.039996866914584027)},
                             {box(1.5, 0.25, 0.01, 1e-3), 0.03, 2.2503e-6 / 1.6084e-6, 5e-3, // still sinking
                              vec3_make(1.4034679368692125, -2.5752631917689518e-14, 0.039997749668811288)}};
    for (const Golden &g : golden) {
        const Placed table{g.table, no_turn()}, ball_{sphere(g.radius), no_turn()};
        const NarrowResult physical = narrow(table, ball_, g.offset);
        const NarrowResult compat = narrow(table, ball_, g.offset, 0, options(SCENE_COMPAT_MODIA3D));
        EXPECT_NEAR(physical.distance_m / compat.distance_m, g.ratio, g.tolerance * g.ratio);
        EXPECT_LT(angle(physical.normal, compat.normal), 1e-6);
    }
}

TEST(MprCompat, ContactPointsFollowTheReference) {
    const Placed table{box(1.5, 0.75, 0.05, 1e-3), no_turn()}, ball_{sphere(0.03), no_turn()};
    const double depth = 1.6084e-6;
    const Vec3 offset = vec3_make(0.4488, 0.01, 0.08 - depth);
    const NarrowResult compat = narrow(table, ball_, offset, 0, options(SCENE_COMPAT_MODIA3D));
    // Only the ball is bijective: its own point, the table's at the scaled distance from it.
    EXPECT_NEAR(compat.point_b.z, -0.03, 1e-15);
    EXPECT_NEAR(compat.point_a.z - (offset.z + compat.point_b.z), -compat.distance_m, 1e-15);
    // Exactly centred: TC1, not scaled.
    const NarrowResult centred = narrow(table, ball_, vec3_make(0, 0, 0.08 - depth), 0, options(SCENE_COMPAT_MODIA3D));
    EXPECT_NEAR(centred.distance_m, -depth, 1e-16);
    EXPECT_EQ(centred.point_a.x, 0);
}

TEST(MprCompat, TwoSpheresAreTakenWithoutIteration) {
    const Placed a{sphere(1), no_turn()}, b{sphere(0.5), no_turn()};
    const NarrowResult r = narrow(a, b, vec3_make(1.2, 0, 0), 0, options(SCENE_COMPAT_MODIA3D));
    EXPECT_EQ(r.iterations, 0u);
    EXPECT_NEAR(r.distance_m, -0.3, 1e-15);
    // Through MPR all the same, as every pair of bijective shapes: metres again.
    const NarrowResult through = mpr(a, b, vec3_make(1.2, 0.1, 0.3), options(SCENE_COMPAT_MODIA3D));
    EXPECT_NEAR(through.distance_m, std::sqrt(1.44 + 0.01 + 0.09) - 1.5, 1e-7);
}

TEST(MprDegenerate, CoincidentCentresAreFlaggedAndFinite) {
    Draw draw(19);
    for (const uint32_t *kinds : CLASSES)
        for (double apart : {0.0, 1e-300, 1e-14}) {
            const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
            for (uint32_t flags : {0u, SCENE_COMPAT_MODIA3D}) {
                const NarrowResult r = mpr(a, b, vec3_make(apart, 0, 0), options(flags));
                EXPECT_TRUE(is_finite(r));
                EXPECT_EQ(r.status, NARROW_COINCIDENT);
                EXPECT_LT(r.distance_m, 0);
            }
        }
}

TEST(MprDegenerate, FlatAndCentredConfigurationsStayFinite) {
    const double angles[] = {0, std::acos(0.0) / 2, std::acos(0.0), 1e-12, 1e-7};
    const Vec3 ways[] = {vec3_make(0, 0, 1), vec3_make(0, 1, 0),     vec3_make(1, 0, 0),  vec3_make(1, 1, 0),
                         vec3_make(1, 1, 1), vec3_make(1, 1e-14, 0), vec3_make(0, 0, -1), vec3_make(1e-8, 0, 1)};
    const Shape shapes[] = {box(0.5, 0.5, 0.5, 1e-3), box(1, 1, 1, 0),       capsule(0.2, 0.5), box(0, 0, 0, 0),
                            box(1, 1e-4, 1, 0),       box(5e3, 0.5, 0.5, 0), capsule(0, 1),     capsule(1e-4, 1),
                            box(1, 1, 0, 0),          sphere(0.5),           sphere(0)};
    int count = 0;
    for (const Shape &first : shapes)
        for (const Shape &second : shapes)
            for (double turned : angles)
                for (Vec3 way : ways)
                    for (double apart : {0.3, 1.0, 2.0, 5.0})
                        for (uint32_t flags : {0u, SCENE_COMPAT_MODIA3D}) {
                            const Placed a{first, no_turn()}, b{second, turn_about(vec3_make(0, 0, 1), turned)};
                            const NarrowResult r = mpr(a, b, vec3_scale(way, apart), options(flags));
                            ASSERT_TRUE(is_finite(r)) << count;
                            count++;
                        }
}

// Axes that fall together make portals degenerate: flat D, rays through edges, coinciding support points.
TEST(MprDegenerate, EveryPairInAlignedPosesIsFiniteAndOnTheRightSide) {
    const Mat3 quarter = turn_about(vec3_make(1, 0, 0), std::acos(0.0));
    std::vector<Shape> shapes = {sphere(0.4),
                                 capsule(0.2, 0.5),
                                 box(0.5, 0.4, 0.3, 0),
                                 box(0.5, 0.5, 1e-6, 0),
                                 make_shape(SHAPE_ELLIPSOID, 0.5, 0.4, 0.3, 0),
                                 make_shape(SHAPE_ELLIPSOID, 0.5, 0.5, 0.01, 0),
                                 make_shape(SHAPE_CYLINDER, 0.3, 0.4, 0, 0),
                                 make_shape(SHAPE_CYLINDER, 0.3, 1e-6, 0, 0),
                                 make_shape(SHAPE_CONE, 0.4, 0.8, 0, 0),
                                 make_shape(SHAPE_CONE, 0.4, 0.8, 0, 1e-3),
                                 make_shape(SHAPE_BEAM, 0.4, 0.2, 0.1, 1e-3)};
    const size_t compat_shapes = shapes.size(); // it has no hulls
    shapes.push_back(make_hull(box_points(0.4, 0.3, 0.2)));
    int count = 0, near = 0;
    for (size_t i = 0; i < shapes.size(); i++)
        for (size_t j = 0; j < shapes.size(); j++)
            for (const Mat3 &turn : {no_turn(), quarter})
                for (Vec3 way : {vec3_make(0, 0, 1), vec3_make(0, 1, 0), vec3_make(1, 0, 0), vec3_make(1, 1, 0),
                                 vec3_make(1, 1, 1), vec3_make(1, 1e-14, 0), vec3_make(0, 0, -1)})
                    for (double apart : {0.31, 0.47, 0.83, 1.13, 2.0}) {
                        const Placed a{shapes[i], no_turn()}, b{shapes[j], turn};
                        const Vec3 offset = vec3_scale(way, apart);
                        const NarrowResult r = mpr(a, b, offset), truth = narrow(a, b, offset);
                        ASSERT_TRUE(is_finite(r)) << i << " " << j << " " << count;
                        const bool is_near = std::abs(truth.distance_m) <= 1e-6;
                        near += is_near;
                        ASSERT_TRUE(is_near || (r.distance_m > 0) == (truth.distance_m > 0))
                            << i << " " << j << " " << count;
                        const bool has_compat = i < compat_shapes && j < compat_shapes;
                        ASSERT_TRUE(!has_compat || is_finite(mpr(a, b, offset, options(SCENE_COMPAT_MODIA3D))))
                            << count;
                        count++;
                    }
    EXPECT_EQ(count, 12 * 12 * 2 * 7 * 5);
    EXPECT_LT(near, count / 100);
}

TEST(MprInvariance, SwapTurnScale) {
    for (const uint32_t *kinds : CLASSES) {
        Draw draw(20);
        for (int i = 0; i < 2000; i++) {
            const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
            const Vec3 offset = place_at(a, b, draw.direction(), draw.log_uniform(1e-9, 1e-3) * (i % 2 ? 1 : -1));
            const NarrowResult r = mpr(a, b, offset);
            const NarrowResult swapped = mpr(b, a, vec3_negate(offset));
            ASSERT_NEAR(swapped.distance_m, r.distance_m, 2e-15);
            ASSERT_LT(angle(swapped.normal, vec3_negate(r.normal)), 1e-11);
            ASSERT_LT(vec3_length(vec3_sub(swapped.point_a, r.point_b)), 1e-10);
            const Mat3 turn = draw.turn();
            const Placed c{a.shape, product(turn, a.turn)}, d{b.shape, product(turn, b.turn)};
            const NarrowResult turned = mpr(c, d, mat3_rotate(turn, offset));
            ASSERT_NEAR(turned.distance_m, r.distance_m, 4e-15);
            ASSERT_LT(angle(turned.normal, mat3_rotate(turn, r.normal)), 1e-11);
            const double scale = draw.log_uniform(1e-3, 1e3);
            Placed e = a, f = b;
            for (Placed *p : {&e, &f}) {
                for (double &size : p->shape.size_m) size *= scale;
                p->shape.smoothing_m *= scale;
            }
            const NarrowResult scaled = mpr(e, f, vec3_scale(offset, scale));
            ASSERT_NEAR(scaled.distance_m, r.distance_m * scale, 2e-15 * scale);
            ASSERT_LT(angle(scaled.normal, r.normal), 1e-11);
        }
    }
}

} // namespace
