// Ellipsoid, cylinder, cone and beam: supports, bounds, half-spaces, and every pair of shapes through the
// narrow phase against an independent reference.
#include <gtest/gtest.h>

#include "shape_reference.h"

using namespace scenes;

namespace {

const int PAIRS = 2000; // per class

double wide_height(const Shape &s, Vec3 u) { return (double)(dot(wide_core(s, wide(u)), wide(u)) + wide_ball(s)); }

// A point of the sharp or smoothed shape's inside and surface, by its definition: parameters in 0..1.
Vec3 sharp_point(const Shape &s, Draw &draw) {
    const double turn = draw.uniform(0, 2 * std::acos(-1.0)), c = std::cos(turn), d = std::sin(turn);
    if (s.kind == SHAPE_ELLIPSOID)
        return vec3_multiply(draw.direction(), vec3_make(s.size_m[0], s.size_m[1], s.size_m[2]));
    if (s.kind == SHAPE_BEAM) {
        const double y = s.size_m[2] * (draw.uniform(0, 1) < 0.5 ? -1 : 1);
        const double end = c < 0 ? -s.size_m[0] : s.size_m[0];
        return vec3_make(s.size_m[1] * d, y, s.size_m[1] * c + end);
    }
    const double t = draw.uniform(0, 1) < 0.5 ? 0 : 1;
    const double top = s.kind == SHAPE_CYLINDER ? s.size_m[0] : s.size_m[2];
    const double r = s.size_m[0] + t * (top - s.size_m[0]);
    const double z = s.kind == SHAPE_CYLINDER ? (2 * t - 1) * s.size_m[1] : t * s.size_m[1];
    return vec3_make(r * c, r * d, z);
}

TEST(CurvedSupport, OfSharpShapesIsTheFarthestOfTheirPoints) {
    Draw draw(101);
    for (uint32_t kind : SOLIDS_CURVED)
        for (int n = 0; n < 20; n++) {
            Shape s = draw_solid(draw, kind);
            s.smoothing_m = 0;
            std::vector<Vec3> points;
            for (int i = 0; i < 20000; i++) points.push_back(sharp_point(s, draw));
            for (int i = 0; i < 20; i++) {
                const Vec3 way = draw.direction();
                const double found = vec3_dot(shape_support(&s, hull_rows().data(), way), way);
                double most = -1;
                for (Vec3 p : points) most = std::max(most, vec3_dot(p, way));
                ASSERT_GE(found, most - 1e-14) << kind_name(kind);
                ASSERT_LE(found, most + 2e-3) << kind_name(kind);
            }
        }
}

TEST(CurvedSupport, AgreesWithTheReferenceAndStaysInside) {
    Draw draw(102);
    for (uint32_t kind : SOLIDS_CURVED)
        for (int n = 0; n < 5000; n++) {
            const Shape s = draw_solid(draw, kind);
            const Vec3 way = draw.direction();
            const Vec3 found = shape_support(&s, hull_rows().data(), way);
            ASSERT_NEAR(vec3_dot(found, way), wide_height(s, way), 1e-15) << kind_name(kind);
            ASSERT_LE(vec3_length(found), shape_size_m(&s) + 1e-15) << kind_name(kind);
            // A point of the shape: below its support plane in every other direction.
            for (int k = 0; k < 10; k++) {
                const Vec3 other = draw.direction();
                ASSERT_LE(vec3_dot(found, other), wide_height(s, other) + 1e-15);
            }
            const Vec3 core = shape_core_support(&s, hull_rows().data(), way);
            ASSERT_NEAR(vec3_length(vec3_sub(found, core)), shape_ball_radius(&s), 5e-16);
        }
}

// The smoothed shape touches its sharp one from inside: in its faces and sides they agree.
TEST(CurvedSupport, SmoothingTakesOffEdgesOnly) {
    Draw draw(103);
    for (uint32_t kind : {SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM})
        for (int n = 0; n < 500; n++) {
            Shape s = draw_solid(draw, kind);
            s.smoothing_m = 0.01;
            Shape sharp = s;
            sharp.smoothing_m = 0;
            const double slope = (s.size_m[0] - s.size_m[2]) / s.size_m[1];
            Vec3 faces[] = {vec3_make(0, 0, -1), vec3_make(0, 0, 1), vec3_make(1, 0, 0)};
            if (kind == SHAPE_CONE) faces[2] = vec3_normalize(vec3_make(1, 0, slope));
            if (kind == SHAPE_CONE && s.size_m[2] < 0.02) faces[1] = faces[0]; // it has no top face
            if (kind == SHAPE_BEAM) faces[0] = vec3_make(0, 1, 0);
            for (Vec3 face : faces)
                ASSERT_NEAR(vec3_dot(shape_support(&s, hull_rows().data(), face), face),
                            vec3_dot(shape_support(&sharp, hull_rows().data(), face), face), 1e-15)
                    << kind_name(kind);
            for (int k = 0; k < 20; k++) {
                const Vec3 way = draw.direction();
                ASSERT_LE(vec3_dot(shape_support(&s, hull_rows().data(), way), way),
                          vec3_dot(shape_support(&sharp, hull_rows().data(), way), way) + 1e-15);
            }
        }
}

TEST(CurvedSupport, CompatHasTheReferencesQuirks) {
    const double root = std::sqrt(0.5);
    const Vec3 up = vec3_make(0, 0, 1), slant = vec3_make(root, 0, -root);
    const Shape beam_ = make_shape(SHAPE_BEAM, 0.5, 0.2, 0.1, 0.01);
    EXPECT_NEAR(shape_support(&beam_, hull_rows().data(), up).z, 0.7, 1e-15);
    EXPECT_NEAR(shape_support_compat(&beam_, hull_rows().data(), up).z, 0.69, 1e-15); // 2 rho too short
    const Shape cone_ = make_shape(SHAPE_CONE, 0.3, 0.4, 0, 0.01);                    // slant 0.5
    EXPECT_NEAR(shape_support(&cone_, hull_rows().data(), up).z, 0.4 - 0.01 * 0.5 / 0.3 + 0.01, 1e-15);
    EXPECT_NEAR(shape_support_compat(&cone_, hull_rows().data(), up).z, 0.4 - 0.01 * 0.5 / 0.3 + 0.01, 1e-15);
    EXPECT_NEAR(shape_support(&cone_, hull_rows().data(), slant).z, 0.01 - 0.01 * root, 1e-15);
    EXPECT_NEAR(shape_support_compat(&cone_, hull_rows().data(), slant).z, 0.01 / root - 0.01 * root, 1e-15);
    const Shape frustum = make_shape(SHAPE_CONE, 0.4, 0.4, 0.1, 0.01); // slant 0.5
    const Vec3 high = vec3_make(0.6, 0, 0.8);
    EXPECT_NEAR(shape_support(&frustum, hull_rows().data(), high).x, 0.1 - 0.01 * (0.5 - 0.3) / 0.4 + 0.006, 1e-15);
    EXPECT_NEAR(shape_support_compat(&frustum, hull_rows().data(), high).x, 0.1 - 0.01 * (0.5 - 0.4) / 0.4 + 0.006,
                1e-15);
    const Shape can = make_shape(SHAPE_CYLINDER, 0.3, 0.4, 0, 0.01);
    EXPECT_NEAR(shape_support(&can, hull_rows().data(), vec3_make(1, 0, 0)).z, 0.39, 1e-15);
    EXPECT_EQ(shape_support_compat(&can, hull_rows().data(), vec3_make(1, 0, 0)).z, 0);
}

TEST(CurvedExtents, HoldTheShapeAndAreReached) {
    Draw draw(104);
    for (uint32_t kind : SOLIDS_CURVED)
        for (int n = 0; n < 2000; n++) {
            const Shape s = draw_solid(draw, kind);
            const Mat3 turn = draw.turn();
            const Vec3 found = shape_half_extents(&s, hull_rows().data(), turn);
            const Vec3 rows[] = {turn.x, turn.y, turn.z};
            const double extents[] = {found.x, found.y, found.z};
            for (int k = 0; k < 3; k++) {
                const Vec3 axis = vec3_normalize(rows[k]);
                const double both = std::max(wide_height(s, axis), wide_height(s, vec3_negate(axis)));
                ASSERT_NEAR(extents[k], both, 2e-15) << kind_name(kind);
            }
        }
}

TEST(CurvedShape, CentroidIsInTheMiddleOfTheVolume) {
    const Shape cone_ = make_shape(SHAPE_CONE, 0.3, 0.4, 0, 0), rod = make_shape(SHAPE_CONE, 0.3, 0.4, 0.3, 0);
    EXPECT_NEAR(shape_centroid(&cone_).z, 0.1, 1e-16);
    EXPECT_NEAR(shape_centroid(&rod).z, 0.2, 1e-16);
    const Shape egg = make_shape(SHAPE_ELLIPSOID, 0.3, 0.4, 0.5, 0);
    EXPECT_EQ(vec3_length(shape_centroid(&egg)), 0);
}

TEST(CurvedHalfSpace, OraclesG6AndG10) {
    const double degrees30 = std::acos(-1.0) / 6;
    const Placed ground{half_space(), no_turn()};
    const Placed egg{make_shape(SHAPE_ELLIPSOID, 1, 0.5, 0.25, 0), turn_about(vec3_make(0, 1, 0), degrees30)};
    NarrowResult r = narrow(ground, egg, vec3_make(0, 0, 0.5));
    EXPECT_NEAR(r.distance_m, 0.5 - std::sqrt(0.25 + 0.0625 * 0.75), 1e-15);
    EXPECT_NEAR(r.distance_m, -0.0448623679, 1e-10);
    EXPECT_EQ(r.normal.z, 1);
    Placed can{make_shape(SHAPE_CYLINDER, 0.5, 1, 0, 0), turn_about(vec3_make(0, 1, 0), degrees30)};
    r = narrow(ground, can, vec3_make(0, 0, 1.1));
    EXPECT_NEAR(r.distance_m, -0.0160254038, 1e-10);
    EXPECT_NEAR(r.distance_m, 1.1 - std::cos(degrees30) - 0.25, 1e-15);
    can.shape.smoothing_m = 1e-3;
    r = narrow(can, ground, vec3_make(0, 0, -1.1));
    EXPECT_NEAR(r.distance_m, 1.1 - 0.999 * std::cos(degrees30) - 0.2495 - 1e-3, 1e-15);
    EXPECT_EQ(r.normal.z, -1);
}

TEST(CurvedHalfSpace, IsTheDeepestPointInEitherOrder) {
    Draw draw(105);
    for (uint32_t kind : SOLIDS_CURVED)
        for (int n = 0; n < PAIRS; n++) {
            const Placed ground{half_space(), draw.turn()};
            const Placed other{draw_solid(draw, kind), draw.turn()};
            const Vec3 offset = vec3_scale(draw.direction(), draw.uniform(0, 2));
            const Vec3 up = narrow_axis_z(ground.turn);
            const NarrowResult r = narrow(ground, other, offset, 0, options(SCENE_SINGLE_CONTACT));
            const V down = wide_back(other.turn, wide(up) * -1.0L);
            const double right = (double)(dot(wide(offset), wide(up)) - dot(wide_core(other.shape, down), down) -
                                          wide_ball(other.shape));
            ASSERT_NEAR(r.distance_m, right, r.error_m) << kind_name(kind);
            const Vec3 gap = vec3_sub(vec3_add(r.point_b, offset), r.point_a);
            ASSERT_LE(vec3_length(vec3_sub(gap, vec3_scale(r.normal, r.distance_m))), 4e-15);
            const NarrowResult back = narrow(other, ground, vec3_negate(offset), 0, options(SCENE_SINGLE_CONTACT));
            ASSERT_EQ(back.distance_m, r.distance_m);
            ASSERT_EQ(back.normal.x, 0.0 - r.normal.x);
        }
}

// Each contact is a point of the solid's surface, the deepest of them is the deepest point of all, and the
// gap changes as the body's point there moves, whichever way the solid turns.
TEST(CurvedHalfSpace, ManifoldHoldsTheDeepestPointAndKnowsItsRate) {
    Draw draw(106);
    for (uint32_t kind : SOLIDS_CURVED)
        for (int n = 0; n < PAIRS; n++) {
            const Placed ground{half_space(), no_turn()};
            const Placed other{draw_solid(draw, kind), draw.turn()};
            const Vec3 offset = vec3_make(0.1, -0.2, draw.uniform(0, 1));
            const double deepest = narrow(ground, other, offset, 0, options(SCENE_SINGLE_CONTACT)).distance_m;
            const u32 count = feature_count(SHAPE_HALF_SPACE, kind, 0);
            ASSERT_EQ(count, kind == SHAPE_ELLIPSOID ? 1u : kind == SHAPE_BEAM ? 8u : 4u);
            const Vec3 spin = draw.direction();
            double least = 1e9;
            for (u32 k = 0; k < count; k++) {
                const NarrowResult r = narrow(ground, other, offset, k);
                if (r.distance_m == MANIFOLD_EMPTY_M) continue;
                least = std::min(least, r.distance_m);
                ASSERT_GE(r.distance_m, deepest - 1e-15);
                const double h = 1e-6;
                const Mat3 turned = product(turn_about(spin, h), other.turn),
                           back = product(turn_about(spin, -h), other.turn);
                const double rate = (narrow(ground, {other.shape, turned}, offset, k).distance_m -
                                     narrow(ground, {other.shape, back}, offset, k).distance_m) /
                                    (2 * h);
                ASSERT_NEAR(rate, vec3_cross(spin, r.point_b).z, 2e-8) << kind_name(kind) << " " << k;
            }
            ASSERT_NEAR(least, deepest, 1e-15) << kind_name(kind);
        }
}

// However a disc is tilted by next to nothing, the torque of equal stiffnesses follows the tilt: contacts
// that jump along the rim from one azimuth to another leave force and torque as they were.
TEST(CurvedHalfSpace, StandingOnADiscHasNoPreferredDirection) {
    const Placed ground{half_space(), no_turn()};
    for (uint32_t kind : {SHAPE_CYLINDER, SHAPE_CONE}) {
        const Shape shape = make_shape(kind, 0.3, 0.5, 0, 1e-3);
        const double height = kind == SHAPE_CYLINDER ? 0.5 : 0;
        auto load = [&](double tilt, double azimuth) {
            const Vec3 axis = vec3_make(std::cos(azimuth), std::sin(azimuth), 0);
            double force = 0;
            Vec3 torque = vec3_zero();
            for (u32 k = 0; k < feature_count(SHAPE_HALF_SPACE, kind, 0); k++) {
                const NarrowResult r =
                    narrow(ground, {shape, turn_about(axis, tilt)}, vec3_make(0, 0, height * std::cos(tilt) - 1e-5), k);
                if (r.distance_m >= 0) continue;
                const double f = std::pow(-r.distance_m, 1.5);
                force += f;
                torque = vec3_add(torque, vec3_scale(vec3_cross(r.point_b, vec3_make(0, 0, 1)), f));
            }
            return std::array<double, 3>{force, vec3_dot(torque, axis),
                                         vec3_dot(torque, vec3_cross(axis, vec3_make(0, 0, 1)))};
        };
        const auto level = load(0, 0);
        EXPECT_GT(level[0], 0);
        EXPECT_NEAR(level[1], 0, 1e-12 * level[0]);
        for (double tilt : {1e-15, 1e-12, 1e-9, 1e-7, 1e-6}) {
            const auto first = load(tilt, 0.3);
            for (double azimuth = 0.3; azimuth < 6.3; azimuth += 0.7) {
                const auto other = load(tilt, azimuth);
                EXPECT_NEAR(other[0], first[0], 1e-9 * level[0]);
                EXPECT_NEAR(other[1], first[1], 1e-9 * level[0]);
                EXPECT_NEAR(other[2], 0, 1e-9 * level[0]) << "torque across the tilt";
            }
            EXPECT_NEAR(first[0], level[0], 3 * (0.3 * tilt / 1e-5) * level[0]);
            EXPECT_LE(first[1], 0) << "the torque turns it back";
        }
    }
}

TEST(CurvedHalfSpace, StandingAndLyingTouchInTheMiddle) {
    const Placed ground{half_space(), no_turn()};
    for (uint32_t kind : {SHAPE_CYLINDER, SHAPE_CONE}) {
        const Placed standing{make_shape(kind, 0.3, 0.5, 0, 1e-3), no_turn()};
        const NarrowResult r = narrow(ground, standing, vec3_make(0, 0, 0.5), 0, options(SCENE_SINGLE_CONTACT));
        EXPECT_NEAR(r.point_b.x, 0, 1e-16);
        EXPECT_NEAR(r.point_b.y, 0, 1e-16);
    }
    const Placed lying{make_shape(SHAPE_CYLINDER, 0.3, 0.5, 0, 1e-3), turn_about(vec3_make(1, 0, 0), std::acos(0.0))};
    EXPECT_NEAR(narrow(ground, lying, vec3_make(0, 0, 0.3), 0, options(SCENE_SINGLE_CONTACT)).point_b.y, 0,
                0.5 * 2 * REAL_EPSILON / PATCH_TILT); // what the quarter of a turn is off
}

struct Worst {
    double distance_m = 0, normal_rad = 0, beyond_stated = 0, swap_m = 0, moved_m = 0, stated_m = 0;
    int wrong_signs = 0, flagged = 0, judged = 0, overlapping = 0;
};

// One pair near contact: half of them apart, to a gap of 0.1 m.
void judge(uint32_t kind_a, uint32_t kind_b, Draw &draw, int n, Worst &worst) {
    const Placed a{draw_solid(draw, kind_a), draw.turn()}, b{draw_solid(draw, kind_b), draw.turn()};
    const double want = n % 2 ? draw.log_uniform(1e-6, 0.1) : -draw.log_uniform(1e-6, 0.05);
    const Vec3 offset = place_at(a, b, draw.direction(), want);
    const NarrowResult r = narrow(a, b, offset);
    ASSERT_TRUE(is_finite(r));
    const Certified right = certified_distance(a, b, offset);
    worst.flagged += r.status != NARROW_OK;
    const double size = shape_size_m(&a.shape) + shape_size_m(&b.shape);
    const bool is_clear = std::fabs((double)right.distance) > 1e-6 * size;
    if (!right.is_core_apart && right.distance == 0) { // sharp shapes that overlap
        worst.wrong_signs += r.distance_m > 1e-6 * size;
    } else if (is_clear || !right.is_core_apart) {
        worst.wrong_signs += (r.distance_m < 0) != (right.distance < 0);
    }
    worst.overlapping += r.distance_m < 0;
    if (right.is_core_apart && right.gap < 1e-13L) {
        const double error = std::fabs(r.distance_m - (double)right.distance);
        worst.judged++;
        worst.distance_m = std::max(worst.distance_m, error);
        worst.beyond_stated = std::max(worst.beyond_stated, error - r.error_m - (double)right.gap);
        worst.stated_m = std::max(worst.stated_m, r.error_m);
        if (right.distance + wide_ball(a.shape) + wide_ball(b.shape) > 1e-4L)
            worst.normal_rad = std::max(worst.normal_rad, angle(r.normal, rounded(right.normal)));
    }
    const NarrowResult back = narrow(b, a, vec3_negate(offset));
    worst.swap_m = std::max(worst.swap_m, std::fabs(back.distance_m - r.distance_m));
    const Mat3 turn = draw.turn();
    const Placed a2{a.shape, product(turn, a.turn)}, b2{b.shape, product(turn, b.turn)};
    const NarrowResult moved = narrow(a2, b2, mat3_rotate(turn, offset));
    worst.moved_m = std::max(worst.moved_m, std::fabs(moved.distance_m - r.distance_m));
}

TEST(EveryPair, HasTheSignOfTheReferenceAndTheStatedError) {
    for (uint32_t kind_a : SOLIDS_AND_HULL)
        for (uint32_t kind_b : SOLIDS_AND_HULL) {
            if (kind_b < kind_a || kind_b < SHAPE_ELLIPSOID) continue;
            hull_rows().resize(1);
            Draw draw(1000 + 10 * kind_a + kind_b);
            Worst worst;
            for (int n = 0; n < PAIRS; n++) judge(kind_a, kind_b, draw, n, worst);
            std::printf("%9s-%-9s judged %4d overlap %4d sign %d flagged %2d dist %.1e stated %.1e beyond %.1e normal "
                        "%.1e swap %.1e moved %.1e\n",
                        kind_name(kind_a), kind_name(kind_b), worst.judged, worst.overlapping, worst.wrong_signs,
                        worst.flagged, worst.distance_m, worst.stated_m, worst.beyond_stated, worst.normal_rad,
                        worst.swap_m, worst.moved_m);
            EXPECT_EQ(worst.wrong_signs, 0) << kind_name(kind_a) << "-" << kind_name(kind_b);
            EXPECT_EQ(worst.flagged, 0);
            // Hulls have no ball: of two of them that overlap, and half do, the reference says no depth.
            const double share = kind_a == SHAPE_HULL ? 0.49 : kind_b == SHAPE_HULL ? 0.7 : 0.75;
            EXPECT_GE(worst.judged, PAIRS * share) << "the reference has little to say";
            EXPECT_LE(worst.distance_m, 1e-13) << "beyond the reference's own gap";
            EXPECT_LE(worst.beyond_stated, 0) << "the stated error is too small";
            EXPECT_LE(worst.normal_rad, 1e-6) << "beyond what the reference's gap leaves to its normal";
            EXPECT_LE(worst.swap_m, 1e-13);
            EXPECT_LE(worst.moved_m, 1e-13);
        }
}

} // namespace
