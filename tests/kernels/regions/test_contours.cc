// Contours close: of random poses as they are, of poses on a lattice, where faces, edges and vertices coincide, with
// the pose moved a little. CLACK_REGION_PAIRS: how many of each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "region_scene.h"

namespace {

using namespace regions;

int pairs_wanted(int standard) {
    const char *wanted = std::getenv("CLACK_REGION_PAIRS");
    return wanted != nullptr ? std::atoi(wanted) : standard;
}

/// Each segment ends where the next one starts, in every bit; each is in one loop.
void expect_chains(const Query &query) {
    u32 segments = 0;
    for (u32 l = 0; l < query.work.loop_count; l++) {
        const RegionLoop &loop = query.loops[l];
        u32 at = loop.first;
        for (u32 k = 0; k < loop.count; k++) {
            const RegionSegment &segment = query.segments[at];
            ASSERT_NE(segment.next, NONE);
            const RegionSegment &next = query.segments[segment.next];
            ASSERT_EQ(segment.to, next.from);
            ASSERT_EQ(std::memcmp(&segment.to_m, &next.from_m, sizeof(Vec3)), 0);
            at = segment.next;
        }
        ASSERT_EQ(at, loop.first);
        segments += loop.count;
    }
    ASSERT_EQ(segments, query.work.segment_count);
}

// M8.
TEST(Contours, RandomPairsClose) {
    const Surface ball(icosphere(2)), ring(torus(1, 0.3, 32, 16)), box(grid_box(1.2, 0.8, 1, 3)),
        bar(grid_box(2, 0.3, 0.3, 2));
    const Surface *shapes[] = {&ball, &ring, &box, &bar};
    Query query;
    Random random(7);
    const int count = pairs_wanted(10000);
    int touching = 0, open = 0, jittered = 0, several = 0;
    size_t regions = 0, loops = 0;
    for (int k = 0; k < count; k++) {
        const Surface &a = *shapes[random.whole(0, 3)], &b = *shapes[random.whole(0, 3)];
        const Pose at = random.pose(), beside = random.pose(vec3_scale(random.direction(), random.uniform(0.3, 2.2)));
        const auto &found = query.run(a, at, b, beside);
        ASSERT_TRUE(query.has_room);
        if (query.work.segment_count == 0) continue;
        touching++;
        open += !query.is_closed();
        jittered += query.flags != 0;
        regions += found.size();
        loops += query.work.loop_count;
        several += found.size() > 1;
        expect_chains(query);
        for (const Region &region : found) {
            ASSERT_EQ(region.flags & REGION_OPEN_CONTOUR, 0u);
            ASSERT_GE(region.depth_m(), 0);
            ASSERT_TRUE(std::isfinite(region.area_m2 + region.depth_m() + region.centroid_m.x));
        }
    }
    std::printf("%d pairs, %d touch, %d open, %d moved; %zu contours, %zu regions, %d pairs with several\n", count,
                touching, open, jittered, loops, regions, several);
    EXPECT_EQ(open, 0);
    EXPECT_EQ(jittered, 0);
    EXPECT_GT(touching, count / 2);
    EXPECT_GT(several, count / 50);
}

double total_area(const std::vector<Region> &regions) {
    double sum = 0;
    for (const Region &region : regions) sum += region.area_m2;
    return sum;
}

// Of two boxes about their places, along the axes.
double overlap_m3(const std::array<double, 3> &a, const std::array<double, 3> &b, Vec3 apart) {
    double volume = 1;
    const double along[] = {apart.x, apart.y, apart.z};
    for (size_t i = 0; i < 3; i++)
        volume *= std::max(0.0, std::min(a[i] / 2, along[i] + b[i] / 2) - std::max(-a[i] / 2, along[i] - b[i] / 2));
    return volume;
}

// M6: cubes of 1 and 0.5 on a lattice of 0.5. Edges go through edges and corners: which of their ends are inside must
// not be left to rounding, or the whole of a cube is told as the overlap.
TEST(Contours, LatticePairsClose) {
    const Surface large(grid_box(1, 1, 1, 1)), small(grid_box(0.5, 0.5, 0.5, 1)), fine(grid_box(1, 1, 1, 4));
    const Surface *shapes[] = {&large, &small, &fine};
    const double lengths_m[] = {1, 0.5, 1};
    Query query, moved_query;
    Random random(1);
    const int count = pairs_wanted(10000);
    int touching = 0, open = 0, jittered = 0, weighed = 0;
    double worst = 0, worst_m3 = 0, worst_beside_m3 = 0;
    for (int k = 0; k < count; k++) {
        const int of_a = random.whole(0, 2), of_b = random.whole(0, 2);
        const Surface &a = *shapes[of_a], &b = *shapes[of_b];
        Pose beside = moved({0.5 * random.whole(-2, 2), 0.5 * random.whole(-2, 2), 0.5 * random.whole(-2, 2)});
        if (k % 3 == 0) beside.place.z = 1;
        if (k % 3 == 1) beside.turn = quat_make(0.5, 0.5, 0.5, 0.5); // onto itself
        const auto found = query.run(a, {}, b, beside);
        ASSERT_TRUE(query.has_room);
        touching += query.work.segment_count > 0;
        open += !query.is_closed();
        jittered += query.flags != 0;
        expect_chains(query);
        double volume = 0; // of a cube within another there is no contour
        for (const Region &region : found) volume += region.volume_m3;
        if (!found.empty()) {
            const double x = lengths_m[of_a], y = lengths_m[of_b];
            weighed++;
            ASSERT_TRUE(std::isfinite(volume));
            worst_m3 = std::max(worst_m3, std::fabs(volume - overlap_m3({x, x, x}, {y, y, y}, beside.place)));
        }
        // What is found is that of a pose beside it.
        if (query.flags == 0) continue;
        MeshPair pair = mesh_pair_jitter(&query.posed, 1);
        const auto &beside_it = moved_query.run(pair);
        if (moved_query.flags != 0 || found.size() != beside_it.size()) continue;
        worst = std::max(worst, std::fabs(total_area(found) - total_area(beside_it)));
        double volume_beside = 0;
        for (const Region &region : beside_it) volume_beside += region.volume_m3;
        worst_beside_m3 = std::max(worst_beside_m3, std::fabs(volume - volume_beside));
    }
    std::printf("%d pairs, %d touch, %d moved, %d open; areas of neighbours differ by %.1e m^2, volumes by %.1e m^3, "
                "%d volumes from those of boxes by %.1e m^3 at most\n",
                count, touching, jittered, open, worst, worst_beside_m3, weighed, worst_m3);
    EXPECT_EQ(open, 0);
    EXPECT_GT(jittered, count / 5); // without the motion these are open
    EXPECT_LT(worst_beside_m3, 1e-8);
    // Flush faces cross at 1e-9 rad, where a place that is rounded by 1.1e-16 m moves the line in which they do by 1e-7
    // m: the same pairs in extended precision differ by 2e-10 m^2, with places rounded to doubles by 3e-8.
    EXPECT_LT(worst, 1e-7);
    EXPECT_GT(weighed, count / 5);
    EXPECT_LT(worst_m3, 1e-9);
}

// Surfaces of all kinds with corners, edges and faces on a lattice, turned by right angles and their halves: the volume
// of the overlap is that of a pose beside it.
TEST(Contours, LatticeVolumesAreThoseBeside) {
    Soup two = grid_box(1, 1, 1, 1);
    two.add(grid_box(1, 1, 1, 1).moved(0, 0, 2));
    const Surface block(grid_box(1, 1, 1, 2)), bar(grid_box(2, 0.5, 0.5, 1)), coarse_ring(torus(1, 0.5, 8, 8)),
        ring(torus(1, 0.5, 16, 12)), solid(icosphere(0)), ball(icosphere(2)), tube(pipe(8, 1, 0.5, 1)), pieces(two);
    const Surface *shapes[] = {&block, &bar, &coarse_ring, &ring, &solid, &ball, &tube, &pieces};
    const double half = std::sqrt(0.5), quarter[] = {std::cos(PI / 8), std::sin(PI / 8)};
    const Quat turns[] = {quat_identity(),
                          quat_make(0.5, 0.5, 0.5, 0.5),
                          quat_make(half, half, 0, 0),
                          quat_make(half, 0, half, 0),
                          quat_make(0, 1, 0, 0),
                          quat_make(quarter[0], 0, 0, quarter[1]),
                          quat_make(quarter[0], quarter[1], 0, 0)};
    Query query, beside;
    Random random(3);
    const int count = pairs_wanted(10000);
    int weighed = 0;
    double worst = 0;
    for (int k = 0; k < count; k++) {
        const Surface &a = *shapes[random.whole(0, 7)], &b = *shapes[random.whole(0, 7)];
        const double step = random.whole(0, 1) ? 0.5 : 0.25;
        Pose at = moved({step * random.whole(-4, 4), step * random.whole(-4, 4), step * random.whole(-4, 4)});
        at.turn = turns[random.whole(0, 6)];
        Pose near = at;
        near.place = vec3_add(at.place, {1.234e-7, 0.771e-7, -1.531e-7});
        near.turn = quat_multiply(at.turn, quat_make(1, 3e-8, 5e-8, -4e-8));
        double apart = 0; // NaN where a contour is open
        for (const Region &region : query.run(a, {}, b, at)) apart += region.volume_m3;
        for (const Region &region : beside.run(a, {}, b, near)) apart -= region.volume_m3;
        ASSERT_TRUE(std::isfinite(apart));
        if (query.regions.empty() || beside.regions.empty()) continue; // one may lie in the other there
        weighed++;
        worst = std::max(worst, std::fabs(apart));
    }
    std::printf("%d weighed, volumes differ from those beside by %.1e m^3 at most\n", weighed, worst);
    EXPECT_GT(weighed, count / 3);
    EXPECT_LT(worst, 1e-5);
}

Soup prism(uint32_t sides) { // radius and length 1
    Soup out;
    for (uint32_t i = 0; i < sides; i++)
        for (const double z : {-0.5, 0.5})
            out.points.push_back({std::cos(2 * PI * i / sides), std::sin(2 * PI * i / sides), z});
    for (uint32_t i = 0; i < sides; i++) {
        const uint32_t a = 2 * i, b = 2 * ((i + 1) % sides);
        out.triangles.push_back({a, b, b + 1});
        out.triangles.push_back({a, b + 1, a + 1});
        if (i < 1 || i + 1 == sides) continue;
        out.triangles.push_back({0, b, a});
        out.triangles.push_back({1, a + 1, b + 1});
    }
    return out;
}

// Prisms that touch with their sides, upright: an edge of one lies in a side of the other, up to rounding, and where
// along it goes in and out is rounding too. Nothing overlaps.
TEST(Contours, PrismsSideBySideDoNotOverlap) {
    Query query;
    Random random(4);
    int touching = 0;
    double worst = 0;
    for (uint32_t sides = 3; sides <= 12; sides++) {
        const Surface one(prism(sides));
        for (int k = 0; k < 300; k++) {
            const double at = 2 * PI * (random.whole(0, int(sides) - 1) + 0.5) / sides,
                         apart = 2 * std::cos(PI / sides), along = 0.1 * random.whole(-8, 8);
            const Vec3 place = {apart * std::cos(at) - along * std::sin(at),
                                apart * std::sin(at) + along * std::cos(at), 0.1 * random.whole(-9, 9)};
            double volume = 0;
            for (const Region &region : query.run(one, moved(place, {0, 0, 1}, sides % 2 ? PI : 0), one, Pose{}))
                volume += region.volume_m3;
            ASSERT_TRUE(std::isfinite(volume)); // else a contour is open
            touching += query.regions.empty() ? 0 : 1;
            worst = std::max(worst, std::fabs(volume));
        }
    }
    std::printf("%d told to touch, by %.1e m^3 at most\n", touching, worst);
    EXPECT_GT(touching, 300);
    EXPECT_LT(worst, 1e-8);
}

// Two blocks in one file whose faces lie on each other: edges go out of one and into the other at one place, in any
// pose.
TEST(Contours, SeamsBetweenComponentsCloseAndWeigh) {
    Soup two = grid_box(1, 1, 1, 1).moved(-0.5, 0, 0);
    two.add(grid_box(1, 0.8, 0.9, 1).moved(0.5, 0.05, 0));
    const Surface blocks(two), within(grid_box(0.7, 0.3, 0.3, 1)), through(grid_box(3, 0.3, 0.3, 1));
    Query query;
    Random random(3);
    double worst = 0;
    for (int k = 0; k < 400; k++) {
        Pose pose = moved({0, random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)}, {1, 0, 0}, random.uniform(0, 1.5));
        const double leaning = random.uniform(-0.02, 0.02);
        pose.turn = quat_multiply(quat_exp({0, 0, leaning}), pose.turn);
        for (const Surface *bar : {&within, &through}) {
            double volume = 0;
            for (const Region &region : query.run(*bar, pose, blocks, Pose{})) volume += region.volume_m3;
            ASSERT_TRUE(std::isfinite(volume));
            // A bar through both ends in faces at right angles to x: as long there as a straight one over the cosine.
            const double exact = bar == &within ? 0.7 * 0.09 : 2 * 0.09 / std::cos(leaning);
            worst = std::max(worst, std::fabs(volume / exact - 1));
        }
    }
    std::printf("volumes across a seam off by %.1e at most\n", worst);
    EXPECT_LT(worst, 1e-6);
}

// Cubes flush, sunk by less and more than the motion; a vertex on a face, an edge on an edge. Of equal cubes the sides
// lie in one plane too: where between both edges the contour runs there is open.
TEST(Contours, TouchingCubesClose) {
    const Surface cube(grid_box(1, 1, 1, 1)), small(grid_box(0.5, 0.5, 0.5, 1));
    Query query;
    for (double sunk_m : {0.0, 1e-12, 1e-6, 0.01}) {
        query.run(cube, moved({0, 0, 1 - sunk_m}), cube, {});
        EXPECT_TRUE(query.is_closed()) << sunk_m;
        if (sunk_m > 1e-9) { // else within the motion: in touch or not
            ASSERT_EQ(query.regions.size(), 1u) << sunk_m;
            EXPECT_NEAR(query.regions[0].area_m2, 1, 2e-4) << sunk_m;
            EXPECT_LT(query.regions[0].depth_m(), 4 * sunk_m) << sunk_m;
        }
        query.run(small, moved({0, 0, 0.75 - sunk_m}), cube, {});
        EXPECT_TRUE(query.is_closed()) << sunk_m;
        if (sunk_m < 1e-9) continue;
        ASSERT_EQ(query.regions.size(), 1u) << sunk_m;
        EXPECT_NEAR(query.regions[0].area_m2, 0.25, 1e-9) << sunk_m;
        EXPECT_NEAR(query.regions[0].depth_m(), sunk_m, 1e-9) << sunk_m;
        EXPECT_LT(vec3_length(vec3_sub(query.regions[0].normal, vec3_make(0, 0, -1))), 1e-9) << sunk_m;
    }
    const double tilt_rad = std::atan(std::sqrt(2.0)), reach_m = std::sqrt(0.75);
    for (double sunk_m : {0.0, 1e-12, 1e-6, 0.01}) { // a corner down
        const Pose pose = moved({0, 0, 0.5 + reach_m - sunk_m}, {1, -1, 0}, tilt_rad);
        query.run(cube, pose, cube, {});
        EXPECT_TRUE(query.is_closed()) << sunk_m;
        const Pose edge = moved({0, 0, 0.5 + std::sqrt(0.5) - sunk_m}, {0, 1, 0}, PI / 4);
        query.run(cube, edge, cube, {});
        EXPECT_TRUE(query.is_closed()) << sunk_m;
        const Pose across = moved({std::sqrt(0.5) + 0.5 - sunk_m, 0, 0.5 + std::sqrt(0.5) - sunk_m}, {0, 1, 0}, PI / 4);
        query.run(cube, across, cube, {});
        EXPECT_TRUE(query.is_closed()) << sunk_m;
    }
}

// Triangles are missing, as if their neighbours had decided otherwise.
TEST(Contours, OpenSurfaceIsFlagged) {
    Soup soup = grid_box(1, 1, 1, 2);
    const Surface box(soup), ball(icosphere(2, 0.4));
    SceneMesh broken = *box.table;
    std::vector<MeshNode> nodes(broken.nodes, broken.nodes + broken.head.node_count);
    for (MeshNode &node : nodes)
        if (node.count > 1) node.count--;
    Query query;
    MeshPair pair = Query::pair_of(box, {}, ball, moved({0.02, 0.51, 0.03}, {1, 2, 3}, 0.3));
    query.run(pair);
    ASSERT_TRUE(query.is_closed());
    pair.first.nodes = nodes.data();
    const auto &found = query.run(pair);
    EXPECT_FALSE(query.is_closed());
    ASSERT_FALSE(found.empty());
    for (const Region &region : found) {
        EXPECT_TRUE(region.flags & REGION_OPEN_CONTOUR);
        EXPECT_TRUE(std::isnan(region.volume_m3));
    }
    EXPECT_TRUE(query.flags & REGION_JITTERED); // it was tried
}

} // namespace
