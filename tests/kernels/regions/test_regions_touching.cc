// Solids that touch at points and lines, from within and from without: what has no area is no region, and what is
// engulfed is told so. Solids with cavities, and solids that go through each other.
#include <cstdio>

#include "region_scene.h"

namespace {

using namespace regions;

Soup octahedron(double radius) {
    Soup s;
    const double r = radius;
    s.points = {{r, 0, 0}, {0, r, 0}, {-r, 0, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}};
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t next = (k + 1) % 4;
        s.triangles.push_back({k, next, 4});
        s.triangles.push_back({next, k, 5});
    }
    return s;
}

Soup turned_inside_out(Soup soup) {
    for (auto &t : soup.triangles) std::swap(t[1], t[2]);
    return soup;
}

// Components of both surfaces that are told as engulfed, of a query that has been run.
int engulfed(const Query &query) {
    int count = 0;
    for (u32 which = 0; which < (query.posed.is_plane ? 1u : 2u); which++)
        for (u32 k = 0; k < (which ? query.posed.second : query.posed.first).part_count; k++)
            count += int(inside_is_part(&query.work, &query.posed, which, k));
    return count;
}

double volume_m3(const Query &query) {
    double sum = 0;
    for (const Region &region : query.regions) sum += region.volume_m3;
    return sum;
}

// A vertex of an octahedron of radius 1/4 in a cube's face, the rest within: no contour has an area, and whatever
// rounding makes of that vertex it lies within.
TEST(RegionsTouching, FromWithinIsEngulfed) {
    const Surface small(octahedron(0.25)), cube(grid_box(1, 1, 1, 1)), fine(grid_box(1, 1, 1, 4));
    Query query;
    Random random(3);
    for (int k = 0; k < 2000; k++) {
        const Surface &about = k % 2 ? fine : cube;
        double at[3] = {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)};
        if (k % 5 == 0) at[1] = at[2] = 0; // onto vertices and edges of the fine face
        at[k % 3] = k / 3 % 2 ? 0.25 : -0.25;
        const Pose world = k / 6 % 2 ? random.pose() : Pose{}; // turned both: the same by rounding
        query.run(small, in_world(world, moved({at[0], at[1], at[2]})), about, world);
        ASSERT_TRUE(query.regions.empty()) << k << ": area " << query.regions[0].area_m2;
        ASSERT_EQ(engulfed(query), 1) << k;
        query.run(about, world, small, in_world(world, moved({at[0], at[1], at[2]})));
        ASSERT_TRUE(query.regions.empty()) << k;
        ASSERT_EQ(engulfed(query), 1) << k;
    }
}

TEST(RegionsTouching, APlaneFromWithin) {
    const Surface small(octahedron(0.25));
    Query query;
    Random random(4);
    for (int k = 0; k < 200; k++) {
        const Pose world = k % 2 ? random.pose() : Pose{};
        const Pose at = in_world(world, moved({random.uniform(-1, 1), random.uniform(-1, 1), -0.25}));
        query.run_plane(small, at, world);
        ASSERT_TRUE(query.regions.empty()) << k << ": area " << query.regions[0].area_m2;
        ASSERT_EQ(engulfed(query), 1) << k;
        const Pose above = in_world(world, moved({0.1, 0.2, 0.25}));
        query.run_plane(small, above, world);
        ASSERT_EQ(engulfed(query), 0) << k;
        for (const Region &region : query.regions) ASSERT_LT(region.depth_m(), 1e-15); // a vertex, by rounding
    }
}

// Cubes and octahedra on a lattice of a quarter: wherever they touch and do not overlap nothing is engulfed, and where
// one lies within the other something is told.
TEST(RegionsTouching, LatticePosesAreNotEngulfed) {
    const Surface cube(grid_box(1, 1, 1, 1)), small(grid_box(0.5, 0.5, 0.5, 1)), fine(grid_box(0.5, 0.5, 0.5, 2)),
        star(octahedron(0.5));
    const Surface *shapes[] = {&cube, &small, &fine, &star};
    const double half_m[] = {0.5, 0.25, 0.25, 0.5};
    const Quat turns[] = {{1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0, 1, 0, 0}};
    Query query;
    int apart = 0, wrong = 0, within = 0, missed = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int at = 0; at < 13 * 13 * 13; at++) {
                const Vec3 place = {0.25 * (at % 13 - 6), 0.25 * (at / 13 % 13 - 6), 0.25 * (at / 169 - 6)};
                const double sum = half_m[a] + half_m[b], far = vec3_max_abs(place);
                const bool is_apart = far >= sum, is_within = far + half_m[a] <= half_m[b] && b < 3;
                if (!is_apart && !is_within) continue;
                query.run(*shapes[a], {}, *shapes[b], {turns[at % 3], vec3_negate(place)});
                const int count = engulfed(query);
                if (is_apart) {
                    apart++;
                    wrong += count > 0;
                } else {
                    within++;
                    missed += count == 0 && query.regions.empty();
                }
            }
    std::printf("%d apart, %d of them told as engulfed; %d within, %d of them not told\n", apart, wrong, within,
                missed);
    EXPECT_GT(apart, 10000);
    EXPECT_GT(within, 50);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(missed, 0);
}

// A box with a cavity on a half-space that reaches into the cavity: the contour of the cavity bounds a hole of the
// overlap.
TEST(RegionsTouching, ACavityThatCrossesIsFlagged) {
    Soup shell = grid_box(1, 1, 1, 1);
    shell.add(turned_inside_out(grid_box(0.6, 0.6, 0.6, 1)));
    const Surface hollow(shell);
    Query query;
    for (double sunk : {0.1, 0.3, 0.5}) {
        query.run_plane(hollow, moved({0.1, 0.2, 0.5 - sunk}));
        const double hole = std::fmax(0, sunk - 0.2) * 0.36;
        EXPECT_NEAR(volume_m3(query), sunk - hole, 1e-14);
        ASSERT_EQ(query.regions.size(), hole > 0 ? 2u : 1u);
        for (const Region &region : query.regions)
            EXPECT_EQ(region.flags & REGION_HOLE, region.volume_m3 < 0 ? REGION_HOLE : 0u);
        query.work.skips_volume = 1; // flags are wanted even then
        query.run_plane(hollow, moved({0.1, 0.2, 0.5 - sunk}));
        unsigned holes = 0;
        for (const Region &region : query.regions) holes += (region.flags & REGION_HOLE) != 0;
        EXPECT_EQ(holes, hole > 0 ? 1u : 0u);
        query.work.skips_volume = 0;
    }
}

} // namespace
