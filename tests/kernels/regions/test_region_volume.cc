// Volume of overlaps: closed forms, another method, what must not matter; its change with the pose is the area.
#include <algorithm>
#include <cstdio>

#include "overlap_reference.h"

namespace {

using namespace regions;

double total_m3(const std::vector<Region> &regions) {
    double sum = 0;
    for (const Region &region : regions) sum += region.volume_m3;
    return sum;
}

Soup stretched(Soup soup, double x, double y, double z) {
    for (auto &p : soup.points) p = {x * p[0], y * p[1], z * p[2]};
    return soup;
}

// --- closed forms -------------------------------------------------------------------------------------------

TEST(RegionVolume, BoxSunkFlat) {
    const Surface small(grid_box(0.5, 0.4, 0.3, 2)), large(grid_box(4, 4, 2, 1));
    Query query;
    for (double sunk_m : {0.2, 0.05, 1e-4}) {
        const Pose pose = moved({0.0123, -0.1456, 0.15 - sunk_m}, {0, 0, 1}, 0.3);
        for (bool is_plane : {true, false}) {
            const auto &found =
                is_plane ? query.run_plane(small, pose) : query.run(small, pose, large, moved({0, 0, -1}));
            ASSERT_EQ(found.size(), 1u);
            EXPECT_EQ(query.flags, 0u);
            EXPECT_NEAR(found[0].volume_m3 / (0.2 * sunk_m), 1, 1e-15 + 2e-16 / sunk_m) << sunk_m;
            EXPECT_NEAR(found[0].reach_m, std::hypot(0.25, 0.2), 1e-14);
        }
    }
}

// A corner cuts a pyramid off: its three edges reach the plane after depth over their slopes.
TEST(RegionVolume, CornerInPlaneAndTable) {
    const Surface one(grid_box(1, 1, 1, 1)), several(grid_box(1, 1, 1, 4)), table(grid_box(4, 4, 2, 1));
    Query query;
    Random random(21);
    double worst = 0, worst_slight = 0;
    int count = 0;
    while (count < 300) {
        const Pose turned = random.pose();
        Vec3 corner = {0, 0, 0};
        double slopes = 1;
        bool is_slight = false;
        const double depth_m = count % 3 == 0 ? 1e-4 : 0.1;
        for (u32 k = 0; k < 3; k++) {
            Vec3 axis = mat3_column(mat3_from_quat(turned.turn), k);
            if (axis.z < 0) axis = vec3_negate(axis); // upwards from the lowest corner
            corner = vec3_add_scaled(corner, axis, -0.5);
            slopes *= axis.z;
            is_slight |= axis.z < 0.12; // else it reaches beyond a cube's edge
        }
        if (is_slight) continue;
        const Pose pose = {turned.turn, vec3_sub({0.1 + corner.x, 0.07, -depth_m}, corner)};
        const Surface &box = count % 2 ? one : several;
        const auto &found = count % 4 < 2 ? query.run_plane(box, pose) : query.run(box, pose, table, moved({0, 0, -1}));
        ASSERT_EQ(found.size(), 1u);
        const double error = found[0].volume_m3 / (depth_m * depth_m * depth_m / (6 * slopes)) - 1;
        double &largest = depth_m < 0.01 ? worst_slight : worst;
        largest = std::fmax(largest, std::fabs(error));
        count++;
    }
    std::printf("relative errors up to %.1e at 0.1 m, %.1e at 0.1 mm\n", worst, worst_slight);
    EXPECT_LT(worst, 1e-12);
    EXPECT_LT(worst_slight, 2e-11); // rounding of places over 0.1 mm
}

double cap_m3(double height_m) { return PI * height_m * height_m * (3 - height_m) / 3; } // of a sphere of 1 m

// The errors fall as the square of the edges.
TEST(RegionVolume, CapAndLensOfSpheres) {
    const Vec3 axis = vec3_normalize({1, 2, 3});
    const Pose cap = moved({0.0123, -0.0456, 0.9}, {1, 2, 3}, 0.7), a = moved({0, 0, 0}, {3, 1, 2}, 0.5),
               b = moved(vec3_scale(axis, 1.9), {1, -1, 2}, 1.1);
    double before[2] = {0, 0};
    for (int level = 3; level <= 6; level++) {
        const Surface ball(icosphere(level));
        Query query;
        for (size_t is_lens = 0; is_lens < 2; is_lens++) {
            const auto &found = is_lens ? query.run(ball, a, ball, b) : query.run_plane(ball, cap);
            ASSERT_EQ(found.size(), 1u);
            const double error = found[0].volume_m3 / (is_lens ? 2 * cap_m3(0.05) : cap_m3(0.1)) - 1;
            std::printf("level %d, %s: %+.2e\n", level, is_lens ? "lens" : "cap", error);
            EXPECT_LT(error, 0); // inscribed
            if (level > 3) {
                EXPECT_NEAR(std::log2(before[is_lens] / error), 2, 0.1) << level;
            }
            before[is_lens] = error;
        }
    }
    EXPECT_LT(std::fabs(before[0]), 1e-3);
    EXPECT_LT(std::fabs(before[1]), 2e-3);
}

// By Pappus the volume is that of a segment of the tube's circle, on a way round its centre.
TEST(RegionVolume, TorusLyingFlat) {
    const double half_rad = std::acos(0.25 / 0.3), whole_m3 = 2 * PI * 0.09 * (half_rad - std::sin(2 * half_rad) / 2);
    const Surface table(grid_box(4, 4, 2, 1));
    double before = 0;
    for (uint32_t n : {48u, 96u, 192u}) {
        const Soup soup = torus(1, 0.3, 2 * n, n);
        const Surface ring(soup);
        Query query;
        const Pose pose = moved({0.0123, 0.0321, 0.25}, {0, 0, 1}, 0.2);
        const auto &found = query.run_plane(ring, pose);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].loop_count, 2u);
        EXPECT_NEAR(found[0].volume_m3 / reference_below_m3(soup, pose), 1, 1e-12);
        const double error = found[0].volume_m3 / whole_m3 - 1;
        std::printf("%u x %u: %+.2e\n", 2 * n, n, error);
        if (before != 0) {
            EXPECT_NEAR(std::log2(before / error), 2, 0.1);
        }
        before = error;
        const double on_plane_m3 = found[0].volume_m3;
        const auto &on_table = query.run(ring, pose, table, moved({0, 0, -1}));
        ASSERT_EQ(on_table.size(), 1u);
        EXPECT_NEAR(on_table[0].volume_m3 / on_plane_m3, 1, 1e-12);
    }
}

/// A table of 1 m with feet of 0.1 m at heights of their own, all 0.4 m wide.
Soup table_on_feet(double left_m, double right_m) {
    const double profile[8][2] = {{0, left_m},    {0.1, left_m}, {0.1, 0.5}, {0.9, 0.5},
                                  {0.9, right_m}, {1, right_m},  {1, 0.6},   {0, 0.6}};
    Soup out; // point k in front, k + 8 behind
    for (double y : {0.0, 0.4})
        for (const auto &p : profile) out.points.push_back({p[0], y, p[1]});
    auto quad = [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        out.triangles.push_back({a, b, c});
        out.triangles.push_back({a, c, d});
    };
    for (std::array<uint32_t, 4> q : {std::array<uint32_t, 4>{0, 1, 2, 7}, {2, 3, 6, 7}, {3, 4, 5, 6}}) {
        quad(q[0], q[1], q[2], q[3]);
        quad(q[3] + 8, q[2] + 8, q[1] + 8, q[0] + 8);
    }
    for (uint32_t k = 0; k < 8; k++) quad((k + 1) % 8, k, k + 8, (k + 1) % 8 + 8);
    return out;
}

TEST(RegionVolume, EachFootOfATable) {
    const Surface table(table_on_feet(-0.01, -0.02)), floor(grid_box(4, 4, 2, 1));
    Query query;
    const Pose pose = moved({0.2, 0.3, 0}, {0, 0, 1}, 0.4);
    for (bool is_plane : {true, false}) {
        const auto &found = is_plane ? query.run_plane(table, pose) : query.run(table, pose, floor, moved({0, 0, -1}));
        ASSERT_EQ(found.size(), 2u);
        const size_t left = found[0].volume_m3 < found[1].volume_m3 ? 0 : 1;
        EXPECT_NEAR(found[left].volume_m3 / 0.0004, 1, 1e-12);
        EXPECT_NEAR(found[1 - left].volume_m3 / 0.0008, 1, 1e-12);
    }
}

// --- one solid through the other ------------------------------------------------------------------------------

TEST(RegionVolume, PiercedShareAlike) {
    const Surface peg(grid_box(0.2, 0.2, 3, 1)), plate(grid_box(2, 2, 0.1, 1));
    Query query;
    const auto &found = query.run(peg, moved({0.013, 0.5, 0.25}), plate, {});
    ASSERT_EQ(found.size(), 2u);
    for (const Region &region : found) {
        EXPECT_TRUE(region.flags & REGION_PIERCED);
        EXPECT_NEAR(region.volume_m3, 0.002, 1e-15);
    }
}

// All four contours bound the same wall within the plate.
TEST(RegionVolume, PipeThroughPlate) {
    const Soup of_pipe = pipe(32, 0.5, 0.4, 3), of_plate = grid_box(4, 4, 0.1, 1);
    const Surface tube(of_pipe), plate(of_plate);
    Query query;
    for (double tilt_rad : {0.0, 0.1}) {
        const Pose pose = moved({0.0123, 0.0456, 0.1}, {1, 2, 0}, tilt_rad);
        const auto &found = query.run(tube, pose, plate, {});
        ASSERT_EQ(found.size(), 4u);
        const double each_m3 = reference_overlap_m3(of_pipe, pose, of_plate, {}) / 4;
        EXPECT_GT(each_m3, 0.006);
        for (const Region &region : found) {
            EXPECT_TRUE(region.flags & REGION_PIERCED);
            EXPECT_NEAR(region.volume_m3, each_m3, 1e-14);
        }
    }
}

// --- another method -------------------------------------------------------------------------------------------

TEST(RegionVolume, RandomPairsAgainstTetrahedra) {
    const Soup soups[] = {icosphere(2), torus(1, 0.3, 20, 10), grid_box(1.2, 0.8, 1, 2), grid_box(2, 0.3, 0.3, 1),
                          stretched(icosphere(1), 0.5, 0.8, 1.1)};
    const Surface surfaces[] = {Surface(soups[0]), Surface(soups[1]), Surface(soups[2]), Surface(soups[3]),
                                Surface(soups[4])};
    Query query;
    Random random(22);
    int compared = 0, several = 0, pierced = 0;
    double worst = 0;
    while (compared < 200) {
        const size_t a = size_t(random.whole(0, 4)), b = size_t(random.whole(0, 4));
        const Pose at = random.pose(), beside = random.pose(vec3_scale(random.direction(), random.uniform(0.2, 1.9)));
        const auto &found = query.run(surfaces[a], at, surfaces[b], beside);
        if (found.empty()) continue;
        ASSERT_TRUE(query.is_closed());
        compared++;
        several += found.size() > 1;
        pierced += (found[0].flags & REGION_PIERCED) != 0;
        const double expected_m3 = reference_overlap_m3(soups[a], at, soups[b], beside);
        worst = std::fmax(worst, std::fabs(total_m3(found) - expected_m3));
        EXPECT_NEAR(total_m3(found), expected_m3, 1e-13) << a << " " << b;
        for (const Region &region : found) EXPECT_GT(region.volume_m3, -1e-16);
    }
    std::printf("%d pairs, %d with several regions, %d pierced: %.1e m^3 off at most\n", compared, several, pierced,
                worst);
    EXPECT_GT(several, 10);
    EXPECT_GT(pierced, 2);
}

// A plate with three corners in a ring, of which one edge alone leaves it and comes back.
TEST(RegionVolume, EdgeThatLeavesAndReturns) {
    const Soup of_ring = torus(1, 0.3, 24, 12);
    const Surface ring(of_ring);
    Query query;
    for (uint32_t turned = 0; turned < 3; turned++) {
        Soup of_plate;
        for (double z : {-0.05, 0.05})
            for (double u : {0.0, PI / 3, 2 * PI / 3}) of_plate.points.push_back({std::cos(u), std::sin(u), z});
        const uint32_t a = turned, b = (turned + 1) % 3, c = (turned + 2) % 3; // which edge comes first
        of_plate.triangles = {{a + 3, b + 3, c + 3}, {a, c, b}};
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t next = (k + 1) % 3;
            of_plate.triangles.push_back({k, next, next + 3});
            of_plate.triangles.push_back({k, next + 3, k + 3});
        }
        const Surface plate(of_plate);
        const Pose pose = moved({0.01, 0.02, 0.03}, {1, 2, 3}, 0.05);
        const auto &found = query.run(plate, pose, ring, {});
        EXPECT_TRUE(query.is_closed());
        ASSERT_EQ(found.size(), 1u);
        EXPECT_NEAR(found[0].volume_m3, reference_overlap_m3(of_plate, pose, of_ring, {}), 1e-14) << turned;
    }
}

TEST(RegionVolume, RandomSurfacesInThePlane) {
    const Soup soups[] = {icosphere(3), torus(1, 0.3, 48, 24), grid_box(1.2, 0.8, 1, 3)};
    const Surface surfaces[] = {Surface(soups[0]), Surface(soups[1]), Surface(soups[2])};
    Query query;
    Random random(23);
    for (int k = 0; k < 300; k++) {
        const size_t which = size_t(k % 3);
        const Pose pose = random.pose({0.3, -0.2, random.uniform(-0.7, 0.7)});
        const auto &found = query.run_plane(surfaces[which], pose);
        if (found.empty()) continue;
        EXPECT_NEAR(total_m3(found), reference_below_m3(soups[which], pose), 1e-13) << k;
    }
}

// Cubes on a lattice of half an edge: faces, edges and vertices coincide, and most poses are moved by 1e-10.
TEST(RegionVolume, CubesOnALattice) {
    const Surface large(grid_box(1, 1, 1, 1)), small(grid_box(0.5, 0.5, 0.5, 1)), fine(grid_box(1, 1, 1, 4));
    const std::pair<const Surface *, double> cubes[] = {{&large, 1}, {&small, 0.5}, {&fine, 1}};
    Query query;
    Random random(28);
    double worst = 0;
    int compared = 0, jittered = 0;
    for (int k = 0; k < 3000; k++) {
        const auto &[a, edge_a_m] = cubes[random.whole(0, 2)];
        const auto &[b, edge_b_m] = cubes[random.whole(0, 2)];
        const Vec3 place = {0.25 * random.whole(-3, 3), 0.25 * random.whole(-3, 3), 0.25 * random.whole(-3, 3)};
        double expected_m3 = 1;
        for (u32 axis = 0; axis < 3; axis++) {
            const double at = vec3_component(place, axis);
            const double low = std::fmax(-edge_a_m / 2, at - edge_b_m / 2),
                         high = std::fmin(edge_a_m / 2, at + edge_b_m / 2);
            expected_m3 *= std::fmax(high - low, 0);
        }
        query.run(*a, {}, *b, moved(place));
        if (query.work.segment_count == 0) continue; // apart, or engulfed
        ASSERT_TRUE(query.is_closed());
        worst = std::fmax(worst, std::fabs(total_m3(query.regions) - expected_m3));
        compared++;
        jittered += query.flags != 0;
    }
    std::printf("%d pairs, %d moved, %.1e m^3 off at most\n", compared, jittered, worst);
    EXPECT_GT(jittered, 500);
    EXPECT_LT(worst, 1e-8);
}

// --- what must not matter, and what it must agree with ----------------------------------------------------------

TEST(RegionVolume, SwapAndRigidMotionChangeNothing) {
    const Surface ring(torus(1, 0.3, 48, 24)), bar(grid_box(2, 0.3, 0.3, 2));
    Query query, swapped, turned;
    Random random(24);
    for (int k = 0; k < 500; k++) {
        const Pose a = random.pose(), b = random.pose(vec3_scale(random.direction(), random.uniform(0.5, 1.7)));
        const Pose world = random.pose(vec3_scale(random.direction(), 10));
        auto one = query.run(ring, a, bar, b), other = swapped.run(bar, b, ring, a);
        const auto &there = turned.run(ring, in_world(world, a), bar, in_world(world, b));
        ASSERT_EQ(one.size(), other.size());
        ASSERT_EQ(one.size(), there.size());
        for (size_t i = 0; i < one.size(); i++) {
            EXPECT_NEAR(one[i].volume_m3, there[i].volume_m3, 1e-13);
            EXPECT_NEAR(one[i].reach_m, there[i].reach_m, 1e-9);
        }
        auto order = [](const Region &x, const Region &y) { return x.area_m2 < y.area_m2; };
        std::sort(one.begin(), one.end(), order);
        std::sort(other.begin(), other.end(), order);
        for (size_t i = 0; i < one.size(); i++) EXPECT_NEAR(one[i].volume_m3, other[i].volume_m3, 1e-14);
    }
}

TEST(RegionVolume, PartsAddUp) {
    const Surface ring(torus(1, 0.3, 48, 24)), whole(grid_box(1.2, 0.8, 1, 3)), left(grid_box(0.7, 0.8, 1, 2)),
        right(grid_box(0.5, 0.8, 1, 1));
    Query query;
    Random random(25);
    int compared = 0;
    for (int k = 0; k < 500; k++) {
        const Pose a = random.pose(vec3_scale(random.direction(), random.uniform(0.5, 1.7)));
        if (query.run(ring, a, whole, {}).empty()) continue;
        const double expected_m3 = total_m3(query.regions);
        const double left_m3 = total_m3(query.run(ring, a, left, moved({-0.25, 0, 0})));
        EXPECT_NEAR(left_m3 + total_m3(query.run(ring, a, right, moved({0.35, 0, 0}))), expected_m3, 1e-14);
        compared++;
    }
    EXPECT_GT(compared, 300);
}

// Strips of a box that are a ten-millionth of their length wide: rounding of their normals must not be seen.
TEST(RegionVolume, SliversAddNothing) {
    Soup soup = grid_box(1.2, 0.8, 1, 3);
    for (auto &p : soup.points)
        for (double &x : p)
            if (std::fabs(x) < 0.25) x *= 1e-6;
    const Surface strips(soup), plain(grid_box(1.2, 0.8, 1, 1)), ring(torus(1, 0.3, 48, 24));
    Query query;
    Random random(27);
    double worst = 0;
    int compared = 0;
    for (int k = 0; k < 500; k++) {
        const Pose a = random.pose(), b = random.pose(vec3_scale(random.direction(), random.uniform(0.3, 1.5)));
        const double expected_m3 = total_m3(query.run(plain, b, ring, a));
        if (query.regions.empty()) continue;
        const double found_m3 = total_m3(query.run(strips, b, ring, a));
        if (!query.is_closed()) continue;
        worst = std::fmax(worst, std::fabs(found_m3 - expected_m3));
        compared++;
    }
    std::printf("%d pairs, %.1e m^3 apart at most\n", compared, worst);
    EXPECT_GT(compared, 300);
    EXPECT_LT(worst, 1e-13);
}

// The work of moving one solid is that of a pressure on the region: dV = area normal . ds.
TEST(RegionVolume, ChangesByTheArea) {
    const Surface ring(torus(1, 0.3, 48, 24)), ball(icosphere(3)), box(grid_box(1.2, 0.8, 1, 3));
    Query query;
    Random random(26);
    const double step_m = 1e-5;
    int compared = 0;
    double worst = 0;
    while (compared < 200) {
        const Surface &other = compared % 2 ? ball : box;
        const Pose a = random.pose(), b = random.pose(vec3_scale(random.direction(), random.uniform(0.5, 1.9)));
        const auto found = query.run(ring, a, other, b);
        if (found.size() != 1 || found[0].area_m2 < 1e-3) continue;
        const Vec3 tangent = vec3_perpendicular(found[0].normal);
        const std::pair<Vec3, double> ways[] = {{found[0].normal, found[0].area_m2}, {tangent, 0}};
        for (const auto &[way, expected_m2] : ways) {
            double volumes_m3[2];
            size_t count = 0;
            for (double sign : {-1.0, 1.0}) {
                const Pose there = {a.turn, vec3_add_scaled(a.place, way, sign * step_m)};
                const auto &moved_regions = query.run(ring, there, other, b);
                volumes_m3[count++] = total_m3(moved_regions);
            }
            const double slope_m2 = (volumes_m3[1] - volumes_m3[0]) / (2 * step_m);
            worst = std::fmax(worst, std::fabs(slope_m2 - expected_m2));
        }
        compared++;
    }
    std::printf("areas and differences differ by %.1e m^2 at most\n", worst);
    EXPECT_LT(worst, 1e-8);
}

} // namespace
