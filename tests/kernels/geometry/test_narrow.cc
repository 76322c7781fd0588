// The narrow phase as a whole: known configurations, closed forms against brute force, invariances.
#include <gtest/gtest.h>

#include "narrow_scenes.h"

using namespace scenes;

namespace {

const int PAIRS = 10000; // per class

const uint32_t KINDS[] = {SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_HALF_SPACE};
const uint32_t CLOSED[][2] = {{SHAPE_SPHERE, SHAPE_SPHERE},  {SHAPE_SPHERE, SHAPE_BOX},
                              {SHAPE_BOX, SHAPE_SPHERE},     {SHAPE_SPHERE, SHAPE_CAPSULE},
                              {SHAPE_CAPSULE, SHAPE_SPHERE}, {SHAPE_CAPSULE, SHAPE_CAPSULE}};

Placed at_rest(Shape s) { return {s, no_turn()}; }

void expect_contact(const NarrowResult &r, double distance, Vec3 normal) {
    EXPECT_NEAR(r.distance_m, distance, 1e-10); // digits of the oracles
    EXPECT_LT(angle(r.normal, normal), 1e-10);
    EXPECT_EQ(r.status, NARROW_OK);
}

Vec3 mid_point(const NarrowResult &r, Vec3 offset) {
    return vec3_scale(vec3_add(r.point_a, vec3_add(r.point_b, offset)), 0.5);
}

// --- closed forms G1 to G12 --------------------------------------------------------------------

TEST(Oracle, G1Spheres) {
    const Vec3 offset = vec3_make(1.2, 0, 0);
    const NarrowResult r = narrow(at_rest(sphere(1)), at_rest(sphere(0.5)), offset);
    expect_contact(r, -0.3, vec3_make(1, 0, 0));
    EXPECT_NEAR(mid_point(r, offset).x, 0.85, 1e-15);
}

TEST(Oracle, G2G3G4SphereOnFaceEdgeAndCorner) {
    const double half_root = std::sqrt(0.5), third_root = std::sqrt(1.0 / 3);
    expect_contact(narrow(at_rest(box(1, 1, 0.5, 0)), at_rest(sphere(0.5)), vec3_make(0.2, 0.1, 0.95)), -0.05,
                   vec3_make(0, 0, 1));
    for (double smoothing : {0.0, 1e-3}) { // the smoothed edge lies deeper by rho (sqrt 2 - 1)
        const Placed cube = at_rest(box(1, 1, 1, smoothing));
        expect_contact(narrow(cube, at_rest(sphere(0.5)), vec3_make(1.3, 1.3, 0)),
                       -0.0757359313 + smoothing * (std::sqrt(2.0) - 1), vec3_make(half_root, half_root, 0));
        expect_contact(narrow(cube, at_rest(sphere(0.5)), vec3_make(1.2, 1.2, 1.2)),
                       -0.1535898385 + smoothing * (std::sqrt(3.0) - 1), vec3_make(third_root, third_root, third_root));
    }
}

TEST(Oracle, G5CrossedCapsules) {
    const Placed a = at_rest(capsule(0.1, 1)), b{capsule(0.1, 1), turn_about(vec3_make(1, 0, 0), std::acos(0.0))};
    expect_contact(narrow(a, b, vec3_make(0.15, 0, 0)), -0.05, vec3_make(1, 0, 0));
}

TEST(Oracle, G7CubesFaceToFace) {
    for (double smoothing : {0.0, 1e-3})
        expect_contact(narrow(at_rest(box(1, 1, 1, smoothing)), at_rest(box(1, 1, 1, smoothing)), vec3_make(0, 0, 1.9)),
                       -0.1, vec3_make(0, 0, 1));
}

TEST(Oracle, G8CubeTurnedOntoAnEdge) {
    const Placed a{box(0.5, 0.5, 0.5, 0), turn_about(vec3_make(0, 0, 1), std::atan(1.0))};
    expect_contact(narrow(a, at_rest(box(0.5, 0.5, 0.5, 0)), vec3_make(1.15, 0, 0)), -0.0571067812, vec3_make(1, 0, 0));
}

TEST(Oracle, G9CubeOnAVertex) {
    const Mat3 turn = turn_about(vec3_make(1, -1, 0), std::atan(std::sqrt(2.0))); // (1, 1, 1) to z
    const Placed ground = at_rest(half_space()), cube{box(0.5, 0.5, 0.5, 0), turn};
    const Vec3 offset = vec3_make(0.3, -0.2, 0.85);
    int touching = 0;
    for (u32 k = 0; k < feature_count(SHAPE_HALF_SPACE, SHAPE_BOX, 0); k++) {
        const NarrowResult r = narrow(ground, cube, offset, k);
        if (r.distance_m > 0) continue;
        touching++;
        expect_contact(r, -0.0160254038, vec3_make(0, 0, 1));
    }
    EXPECT_EQ(touching, 1);
    expect_contact(narrow(ground, cube, offset, 0, options(SCENE_SINGLE_CONTACT)), -0.0160254038, vec3_make(0, 0, 1));
}

TEST(Oracle, G11TouchingExactly) {
    const Vec3 x = vec3_make(1, 0, 0);
    const std::vector<std::pair<Shape, Shape>> pairs = {{sphere(1), sphere(0.5)},
                                                        {box(1, 1, 1, 0), sphere(0.5)},
                                                        {box(1, 1, 1, 0.25), sphere(0.5)},
                                                        {capsule(1, 2), sphere(0.5)},
                                                        {capsule(1, 2), capsule(0.5, 1)},
                                                        {box(1, 1, 1, 0), box(0.5, 2, 2, 0)},
                                                        {box(1, 2, 3, 0.25), box(0.5, 0.5, 0.5, 0.125)},
                                                        {box(1, 1, 1, 0), capsule(0.5, 1)},
                                                        {box(1, 1, 1, 0.25), capsule(0.5, 1)}};
    for (const auto &pair : pairs) {
        for (u32 flags : {0u, SCENE_COMPAT_MODIA3D}) {
            const NarrowResult r = narrow(at_rest(pair.first), at_rest(pair.second), vec3_scale(x, 1.5), 0,
                                          options(flags | SCENE_SINGLE_CONTACT));
            EXPECT_TRUE(is_finite(r));
            EXPECT_NEAR(r.distance_m, 0, 1e-13) << pair.first.kind << "-" << pair.second.kind;
            EXPECT_LT(angle(r.normal, x), 1e-6) << pair.first.kind << "-" << pair.second.kind;
        }
    }
    const NarrowResult r = narrow(at_rest(half_space()), at_rest(sphere(0.5)), vec3_make(0, 0, 0.5));
    EXPECT_EQ(r.distance_m, 0);
}

TEST(Oracle, G12DegenerateInputsAreFiniteOrFlagged) {
    const Shape shapes[] = {
        sphere(0.5),           sphere(0),       capsule(0.2, 0.5),    capsule(0, 1),         capsule(0.3, 0),
        box(0.5, 0.5, 0.5, 0), box(0, 0, 0, 0), box(1e4, 1, 1, 1e-3), box(1, 1, 1e-4, 1e-5), capsule(1e-4, 1),
        half_space()};
    Draw draw(5);
    for (const Shape &first : shapes)
        for (const Shape &second : shapes) {
            if (first.kind == SHAPE_HALF_SPACE && second.kind == SHAPE_HALF_SPACE) continue;
            for (int i = 0; i < 60; i++) {
                const Placed a{first, i % 3 ? no_turn() : draw.turn()}, b{second, i % 2 ? no_turn() : draw.turn()};
                const double lengths[] = {0, 1e-200, 1e-13, 1e-3, 0.7, 1e6};
                const Vec3 way = i % 4 == 0 ? vec3_make(0, 0, 1) : draw.direction();
                const Vec3 offset = vec3_scale(way, lengths[i % 6]);
                for (u32 flags : {0u, SCENE_COMPAT_MODIA3D}) {
                    const NarrowResult r = narrow(a, b, offset, 0, options(flags | SCENE_SINGLE_CONTACT));
                    ASSERT_TRUE(is_finite(r)) << first.kind << "-" << second.kind << " case " << i;
                    const bool is_free = first.kind != SHAPE_HALF_SPACE && second.kind != SHAPE_HALF_SPACE;
                    if (is_free && lengths[i % 6] == 0 && flags == 0) {
                        ASSERT_EQ(r.status, NARROW_COINCIDENT) << first.kind << "-" << second.kind;
                    }
                }
            }
        }
}

// --- closed forms against brute force -----------------------------------------------------------

TEST(ClosedForm, AgreesWithBruteForceInsideAndOut) {
    for (const uint32_t *kinds : CLOSED) {
        Draw draw(31 + kinds[0] * 10 + kinds[1]);
        double worst_m = 0, worst_rad = 0, worst_points = 0;
        for (int i = 0; i < PAIRS; i++) {
            const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
            const double want = i % 3 == 0   ? draw.log_uniform(1e-9, 1)
                                : i % 3 == 1 ? -draw.log_uniform(1e-9, 1e-2)
                                             : -draw.uniform(0.01, 0.2);
            const Vec3 offset = place_at(a, b, draw.direction(), want);
            const NarrowResult r = narrow(a, b, offset);
            const Answer right = reference(a, b, offset);
            const double cores = (double)(right.distance + ball(a.shape) + ball(b.shape));
            ASSERT_EQ(r.iterations, 0u);
            const double error = std::fabs(r.distance_m - (double)right.distance);
            ASSERT_LE(error, r.error_m) << "the stated error is too small";
            worst_m = std::max(worst_m, error);
            if (std::fabs(cores) > 1e-2) // nearer cores turn the normal, or change faces
                worst_rad = std::max(worst_rad, angle(r.normal, rounded(right.normal)));
            const Vec3 gap = vec3_sub(vec3_add(r.point_b, offset), r.point_a);
            worst_points = std::max(worst_points, vec3_length(vec3_sub(gap, vec3_scale(r.normal, r.distance_m))));
        }
        EXPECT_LE(worst_m, 2e-15) << kinds[0] << "-" << kinds[1];
        EXPECT_LE(worst_rad, 2e-13) << kinds[0] << "-" << kinds[1];
        EXPECT_LE(worst_points, 3e-15) << kinds[0] << "-" << kinds[1];
    }
}

TEST(ClosedForm, ReachesIntoTheCoreOfTheBoxWithoutAJump) {
    const Placed a = at_rest(box(0.5, 0.6, 0.7, 1e-3)), b = at_rest(sphere(0.2));
    double before = narrow(a, b, vec3_make(0.01, 0.02, 1.2)).distance_m;
    for (double z = 1.2; z > -1.2; z -= 1e-4) {
        const NarrowResult r = narrow(a, b, vec3_make(0.01, 0.02, z));
        ASSERT_LE(std::fabs(r.distance_m - before), 1.0001e-4) << z;
        before = r.distance_m;
        if (z > 0.5) {
            ASSERT_NEAR(r.distance_m, z - 0.9, 1e-15);
        }
    }
    EXPECT_NEAR(narrow(a, b, vec3_make(0.01, 0.02, 0.03)).distance_m, -0.69,
                1e-15); // by the nearest face
}

TEST(HalfSpace, EveryVertexOfABoxAndBothEndsOfACapsule) {
    Draw draw(33);
    for (int i = 0; i < PAIRS; i++) {
        const Placed ground{half_space(), draw.turn()};
        const Placed other{draw.shape(KINDS[i % 3]), draw.turn()};
        const Vec3 offset = vec3_scale(draw.direction(), 2);
        const Vec3 up = narrow_axis_z(ground.turn);
        const u32 count = feature_count(SHAPE_HALF_SPACE, other.shape.kind, 0);
        ASSERT_EQ(count, other.shape.kind == SHAPE_BOX ? 8u : other.shape.kind == SHAPE_CAPSULE ? 2u : 1u);
        std::vector<double> found, expected;
        for (u32 k = 0; k < count; k++) {
            const NarrowResult r = narrow(ground, other, offset, k);
            found.push_back(r.distance_m);
            ASSERT_EQ(vec3_dot(r.normal, up), vec3_dot(up, up));
            ASSERT_NEAR(vec3_dot(r.point_a, up), 0, 4e-15);
            const Vec3 gap = vec3_sub(vec3_add(r.point_b, offset), r.point_a);
            ASSERT_LT(vec3_length(vec3_sub(gap, vec3_scale(up, r.distance_m))), 3e-15);
            ASSERT_GE(r.error_m, 1e-15);
        }
        for (V p : corners(block(other, offset))) expected.push_back((double)(dot(p, wide(up)) - ball(other.shape)));
        std::sort(expected.begin(),
                  expected.end()); // each one 8 / count times: reach 0 makes equals
        const double deepest = expected[0];
        const NarrowResult single = narrow(ground, other, offset, 0, options(SCENE_SINGLE_CONTACT));
        ASSERT_NEAR(single.distance_m, deepest, 2e-15);
        ASSERT_EQ(single.distance_m, *std::min_element(found.begin(), found.end()));
        std::sort(found.begin(), found.end());
        for (u32 k = 0; k < count; k++) ASSERT_NEAR(found[k], expected[k * (8 / count)], 2e-15);
    }
    // A face that lies on it: in the middle.
    const Placed flat = at_rest(box(1, 1, 1, 0));
    const NarrowResult tie = narrow(at_rest(half_space()), flat, vec3_make(0, 0, 1), 0, options(SCENE_SINGLE_CONTACT));
    EXPECT_EQ(tie.point_b.x, 0);
    EXPECT_EQ(tie.point_b.y, 0);
}

TEST(HalfSpace, CountsAreSingleWhereAskedFor) {
    for (uint32_t kind : KINDS) {
        EXPECT_EQ(feature_count(kind, SHAPE_HALF_SPACE, SCENE_SINGLE_CONTACT), 1u);
        EXPECT_EQ(feature_count(SHAPE_HALF_SPACE, kind, SCENE_COMPAT_MODIA3D), 1u);
        EXPECT_EQ(feature_count(kind, SHAPE_BOX, SCENE_NARROW_MPR), kind == SHAPE_HALF_SPACE ? 8u : 1u);
    }
}

// --- capsules -----------------------------------------------------------------------------------

TEST(Capsules, ParallelOnesMeetInTheMiddleOfTheirOverlap) {
    const Placed a = at_rest(capsule(0.1, 1)), b = at_rest(capsule(0.2, 0.5));
    Vec3 offset = vec3_make(0.3 - 1e-6, 0, 1.2); // z overlap: 0.7 to 1
    NarrowResult r = narrow(a, b, offset);
    expect_contact(r, -1e-6, vec3_make(1, 0, 0));
    EXPECT_NEAR(r.point_a.z, 0.85, 1e-14);
    EXPECT_NEAR(r.point_b.z + offset.z, 0.85, 1e-14);
    offset.z = 1.7; // apart along the axes: end to end
    r = narrow(a, b, offset);
    EXPECT_NEAR(r.point_a.z - 0.1 * r.normal.z, 1, 1e-14);
    EXPECT_NEAR(r.point_b.z + offset.z + 0.2 * r.normal.z, 1.2, 1e-14);
    const Placed c{capsule(0.2, 0.5), turn_about(vec3_make(1, 0, 0), std::acos(-1.0))}; // upside down
    EXPECT_NEAR(narrow(a, c, vec3_make(0.3, 0, 1.2)).point_a.z, 0.85, 1e-12);
}

TEST(Capsules, ThePointMovesContinuouslyThroughParallel) {
    const Placed a = at_rest(capsule(0.1, 1));
    double before = 1;
    for (int i = -400; i <= 400; i++) {
        const double tilt = 5e-8 * i;
        const Placed b{capsule(0.1, 1), turn_about(vec3_make(0, 1, 0), tilt)};
        const NarrowResult r = narrow(a, b, vec3_make(0.2, 0, 0));
        ASSERT_NEAR(r.distance_m, -std::sin(std::fabs(tilt)), 1e-15);
        ASSERT_LE(std::fabs(r.point_a.z - before), 0.006) << tilt; // from end to end in many steps
        before = r.point_a.z;
    }
    EXPECT_NEAR(before, -1, 1e-9);
    EXPECT_NEAR(narrow(a, a, vec3_make(0.2, 0, 0)).point_a.z, 0, 1e-14);
}

TEST(Capsules, ParallelOnesStayInTheMiddleWhateverTheirRotationsRoundTo) {
    Draw draw(34);
    for (int i = 0; i < PAIRS; i++) {
        const Mat3 turn = draw.turn(), spun = product(turn, turn_about(vec3_make(0, 0, 1), draw.uniform(0, 6)));
        const Placed a{capsule(0.1, 1), turn}, b{capsule(0.1, 1), spun};
        const Vec3 offset = mat3_rotate(turn, vec3_make(0.2, 0, 0.5));
        const NarrowResult r = narrow(a, b, offset);
        ASSERT_NEAR(r.distance_m, 0, 2e-15);
        ASSERT_NEAR(mat3_rotate_back(turn, r.point_a).z, 0.25, 1e-9);
    }
}

TEST(Capsules, CrossingAxesHaveTheirCommonPerpendicular) {
    Draw draw(35);
    for (int i = 0; i < PAIRS; i++) {
        const Placed a{capsule(0.2, 1), draw.turn()}, b{capsule(0.3, 1), draw.turn()};
        const Vec3 n = vec3_cross(narrow_axis_z(a.turn), narrow_axis_z(b.turn));
        if (vec3_length(n) < 0.1) continue;
        const double apart = draw.log_uniform(1e-9, 1e-2);
        Vec3 offset = vec3_scale(vec3_normalize(n), apart);
        offset = vec3_add_scaled(offset, narrow_axis_z(a.turn), draw.uniform(-0.4, 0.4));
        const NarrowResult r = narrow(a, b, offset);
        ASSERT_NEAR(r.distance_m, apart - 0.5, 1e-15);
        ASSERT_LT(angle(r.normal, n), 1e-14) << apart; // not 1e-16 / apart
        ASSERT_EQ(r.status, NARROW_OK);
    }
}

TEST(Capsules, ASphereOnTheAxisIsPushedOutSideways) {
    Draw draw(38);
    const Placed ball_ = at_rest(sphere(0.4)), b{capsule(0.2, 1), draw.turn()};
    for (double along : {0.0, 0.3, -1.0}) {
        const Vec3 axis = narrow_axis_z(b.turn);
        const NarrowResult r = narrow(ball_, b, vec3_scale(axis, along));
        EXPECT_EQ(r.status, NARROW_COINCIDENT);
        EXPECT_NEAR(vec3_dot(r.normal, axis), 0, 1e-15);
        EXPECT_NEAR(r.distance_m, -0.6, 1e-15);
    }
    const NarrowResult same = narrow(b, b, vec3_zero());
    EXPECT_EQ(same.status, NARROW_COINCIDENT);
    EXPECT_NEAR(vec3_dot(same.normal, narrow_axis_z(b.turn)), 0, 1e-15);
}

// --- every pair ---------------------------------------------------------------------------------

TEST(EveryPair, SwapTurnScaleAndFarFromTheOrigin) {
    Draw draw(36);
    for (int i = 0; i < PAIRS; i++) {
        const uint32_t first = KINDS[i % 4], second = KINDS[(i / 4) % 4];
        if (first == SHAPE_HALF_SPACE && second == SHAPE_HALF_SPACE) continue;
        const Placed a{draw.shape(first), draw.turn()}, b{draw.shape(second), draw.turn()};
        const bool is_plane = first == SHAPE_HALF_SPACE || second == SHAPE_HALF_SPACE;
        const u32 count = is_plane ? feature_count(first, second, 0) : 1u;
        const u32 feature = (u32)(i / 16) % count;
        const Vec3 offset = first == SHAPE_HALF_SPACE || second == SHAPE_HALF_SPACE
                                ? vec3_scale(draw.direction(), draw.uniform(0.2, 1))
                                : place_at(a, b, draw.direction(), draw.uniform(-0.001, 0.1));
        const NarrowResult r = narrow(a, b, offset, feature);
        const NarrowResult swapped = narrow(b, a, vec3_negate(offset), feature);
        ASSERT_NEAR(swapped.distance_m, r.distance_m, 2e-15);
        ASSERT_LT(angle(swapped.normal, vec3_negate(r.normal)), 1e-11);
        ASSERT_LT(vec3_length(vec3_sub(swapped.point_a, r.point_b)), 1e-11);
        const Mat3 turn = draw.turn();
        const NarrowResult turned = narrow({a.shape, product(turn, a.turn)}, {b.shape, product(turn, b.turn)},
                                           mat3_rotate(turn, offset), feature);
        ASSERT_NEAR(turned.distance_m, r.distance_m, 5e-15);
        ASSERT_LT(angle(turned.normal, mat3_rotate(turn, r.normal)), 1e-11);
        const double scale = draw.log_uniform(1e-3, 1e3);
        Placed c = a, d = b;
        for (Placed *p : {&c, &d}) {
            for (double &size : p->shape.size_m) size *= scale;
            p->shape.smoothing_m *= scale;
        }
        const NarrowResult scaled = narrow(c, d, vec3_scale(offset, scale), feature);
        ASSERT_NEAR(scaled.distance_m, r.distance_m * scale, 4e-15 * scale);
        ASSERT_LT(angle(scaled.normal, r.normal), 1e-11);
        // 1e6 m from the world's origin: positions are rounded to 1e-10 there, nothing else happens.
        const Vec3 far = vec3_make(1e6, -1e6, 1e6), moved = vec3_sub(vec3_add(far, offset), far);
        ASSERT_NEAR(narrow(a, b, moved, feature).distance_m, r.distance_m, 4e-10);
    }
}

TEST(EveryPair, DistanceIsTheRateOfThePush) {
    // Moving B by s changes the distance by n . s to first order: what the stepper's Newton relies on.
    Draw draw(37);
    for (int i = 0; i < PAIRS; i++) {
        const uint32_t first = KINDS[i % 4], second = KINDS[(i / 4) % 4];
        if (first == SHAPE_HALF_SPACE && second == SHAPE_HALF_SPACE) continue;
        const Placed a{draw.shape(first), draw.turn()}, b{draw.shape(second), draw.turn()};
        const Vec3 offset = first == SHAPE_HALF_SPACE || second == SHAPE_HALF_SPACE
                                ? vec3_scale(draw.direction(), 0.5)
                                : place_at(a, b, draw.direction(), draw.log_uniform(1e-8, 1e-1));
        const Vec3 way = draw.direction();
        const double h = 1e-7;
        const double change = narrow(a, b, vec3_add_scaled(offset, way, h)).distance_m -
                              narrow(a, b, vec3_add_scaled(offset, way, -h)).distance_m;
        // Edges bend within 1 mm: curvature 1/(2 mm) of the two smoothing balls.
        ASSERT_NEAR(change / (2 * h), vec3_dot(narrow(a, b, offset).normal, way), 1e-4) << first << "-" << second;
    }
}

// Boxes and segments deep in each other: the least depth of all, not a local one, whether their edges are
// skew, parallel or all but parallel.
TEST(DeepBlocks, HaveTheLeastDepthOfAllFifteenAxes) {
    for (uint32_t kind : {SHAPE_BOX, SHAPE_CAPSULE})
        for (int mode = 0; mode < 3; mode++) {
            Draw draw(470 + (uint64_t)mode);
            int judged = 0;
            for (int i = 0; i < 5000; i++) {
                const Placed a{draw.shape(SHAPE_BOX), draw.turn()};
                Placed b{draw.shape(kind), draw.turn()};
                if (mode == 1) b.turn = a.turn;
                if (mode == 2) b.turn = product(a.turn, turn_about(draw.direction(), draw.log_uniform(1e-12, 1e-2)));
                const Vec3 offset = vec3_scale(draw.direction(), draw.uniform(0, 1));
                const Answer right = separating_axes(block(a, vec3_zero()), block(b, offset));
                if (right.distance > -1e-9L) continue;
                judged++;
                const NarrowResult r = narrow(a, b, offset);
                const double balls = (double)(ball(a.shape) + ball(b.shape)), close = mode == 2 ? 1e-12 : 2e-15;
                ASSERT_EQ(r.status, NARROW_OK);
                ASSERT_NEAR(r.distance_m, (double)right.distance - balls, close) << mode;
                const Vec3 between = vec3_sub(vec3_add(r.point_b, offset), r.point_a);
                ASSERT_LE(vec3_length(vec3_sub(between, vec3_scale(r.normal, r.distance_m))), close);
            }
            EXPECT_GT(judged, 3000);
        }
}

} // namespace
