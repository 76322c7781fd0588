// Boxes and segments in closed form: whatever is tried, what is proved is the answer; what touches is always among what
// can be tried; and who told it leaves no trace.
#include "moving_pairs.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace scenes;

namespace {

const uint32_t CLASSES[][2] = {{SHAPE_BOX, SHAPE_BOX}, {SHAPE_CAPSULE, SHAPE_BOX}, {SHAPE_CAPSULE, SHAPE_CAPSULE}};

enum Touching { FACE, EDGES, EDGE_CORNER, CORNERS, KINDS };

Touching touching(const BlockFeatures &f) {
    const int edges = __builtin_popcount(f.edges_a) + __builtin_popcount(f.edges_b);
    return edges == 0 ? CORNERS : edges == 1 ? EDGE_CORNER : f.edges_a && f.edges_b ? EDGES : FACE;
}

Blocks blocks_of(const Placed &a, const Placed &b, Vec3 offset) {
    Blocks blocks;
    box_box_make(&a.shape, &a.turn, &b.shape, &b.turn, offset, &blocks);
    return blocks;
}

// Corners are told by codes where there is at most one edge.
template <class Each> void each_features(Each each) {
    for (u32 edges_a = 0; edges_a < 8; edges_a++)
        for (u32 edges_b = 0; edges_b < 8; edges_b++) {
            const bool is_coded = __builtin_popcount(edges_a) + __builtin_popcount(edges_b) < 2;
            for (u32 code = 0; code < (is_coded ? 64 : 1); code++) {
                const BlockFeatures f{edges_a, edges_b, code & 7 & ~edges_a, code >> 3 & ~edges_b};
                if (is_coded && ((code & edges_a) || (code >> 3 & edges_b))) continue; // the same once more
                each(f);
            }
        }
}

// Rounded so much that corners and edges touch as often as faces do.
Placed draw_block(Draw &draw, uint32_t kind) {
    if (kind == SHAPE_CAPSULE) return {capsule(draw.uniform(0.05, 0.5), draw.uniform(0.1, 1)), draw.turn()};
    return {box(draw.uniform(0.3, 1), draw.uniform(0.3, 1), draw.uniform(0.3, 1), draw.log_uniform(1e-3, 0.25)),
            draw.turn()};
}

TEST(Blocks, WhatIsProvedIsTheAnswer) {
    for (const auto &kinds : CLASSES) {
        Draw draw(770 + kinds[0] * 10 + kinds[1]);
        int proved[KINDS] = {0, 0, 0, 0}, judged = 0, unproved = 0;
        double off = 0, off_rad = 0, off_points = 0;
        for (int n = 0; n < 4000; n++) {
            const Placed a = draw_block(draw, kinds[0]), b = draw_block(draw, kinds[1]);
            const Vec3 offset = place_near(a, b, draw, true);
            const Blocks blocks = blocks_of(a, b, offset);
            const NarrowResult sought = narrow(a, b, offset);
            const CertifiedIn<Quad> right = certified_distance_113(a, b, offset, sought.normal);
            const double balls = blocks.a.ball_m + blocks.b.ball_m;
            if (!right.is_core_apart || right.gap > 1e-20 || (double)right.distance + balls < 1e-3) continue;
            judged++;
            int found = 0;
            each_features([&](const BlockFeatures &f) {
                BlockContact touch;
                if (!box_box_touch(&blocks, &f, &touch) || !(touch.distance_m > GJK_CORES_APART * blocks.size_m))
                    return;
                found++;
                proved[touching(f)]++;
                off = std::max(off,
                               std::fabs((double)((Quad)(touch.distance_m - balls) - right.distance)) / blocks.size_m);
                off_rad = std::max(off_rad, angle(touch.n, sought.normal));
                const Vec3 between = vec3_sub(vec3_add(offset, touch.b), touch.a);
                off_points = std::max(off_points, vec3_length(vec3_add_scaled(between, touch.n, -touch.distance_m)) /
                                                      blocks.size_m);
            });
            unproved += found == 0;
        }
        std::printf("%7s-%-7s judged %d: faces %d, edges %d, edges and corners %d, corners %d; ", kind_name(kinds[0]),
                    kind_name(kinds[1]), judged, proved[FACE], proved[EDGES], proved[EDGE_CORNER], proved[CORNERS]);
        std::printf("off by %.1e of the sizes, %.1e rad, points %.1e\n", off, off_rad, off_points);
        const bool has_faces = kinds[0] == SHAPE_BOX || kinds[1] == SHAPE_BOX;
        EXPECT_GT(judged, 3500);
        EXPECT_GT(has_faces ? proved[FACE] : 100, 99);
        EXPECT_GT(std::min(proved[EDGES], proved[EDGE_CORNER]), 99);
        EXPECT_GT(proved[CORNERS], 5);
        EXPECT_LE(unproved, 4); // edges that are nearly parallel
        EXPECT_LE(off, 4e-16);
        EXPECT_LE(off_rad, 1e-12);
        EXPECT_LE(off_points, 1e-12);
    }
}

// Whoever told what touches, the least axis, a search or an earlier look.
TEST(Blocks, AWarmQueryHasTheBitsOfAColdOne) {
    Draw draw(790);
    int searched = 0, at_once = 0, different = 0;
    for (int n = 0; n < 5000; n++) {
        const Placed a = draw_block(draw, SHAPE_BOX), b = draw_block(draw, SHAPE_BOX);
        const Vec3 offset = place_near(a, b, draw, true);
        NarrowWarmStart warm_start = narrow_no_warm_start();
        NarrowOptions o = options(SCENE_SINGLE_CONTACT);
        o.now = &warm_start;
        const NarrowResult cold = narrow(a, b, offset, 0, o);
        const NarrowWarmStart found = warm_start;
        o.before = &found;
        const NarrowResult warm = narrow(a, b, offset, 0, o);
        searched += cold.iterations > 1;
        at_once += warm.iterations == 0;
        different += std::memcmp(&cold, &warm, offsetof(NarrowResult, iterations)) != 0;
        different += std::memcmp(&found, &warm_start, sizeof warm_start) != 0;
    }
    std::printf("boxes: %d searched, %d at once with what they found, %d with other bits\n", searched, at_once,
                different);
    EXPECT_GT(searched, 100);
    EXPECT_EQ(at_once, 5000);
    EXPECT_EQ(different, 0);
}

// The middle of the long edge that is farthest along n, of a core, in 113 bits.
Wide<Quad> edge_middle(const Placed &bar, Wide<Quad> n, double sign) {
    Wide<Quad> middle{0, 0, 0};
    for (u32 k = 1; k < 3; k++) {
        const Wide<Quad> side =
            wide<Quad>(mat3_column(bar.turn, k)) * Quad(bar.shape.size_m[k] - bar.shape.smoothing_m);
        middle = middle + side * (dot(side, n) * sign > 0 ? Quad(1) : Quad(-1));
    }
    return middle;
}

// Bars that cross at a small angle, edge on edge: the distance is as good as is told.
TEST(Blocks, EdgesThatAreNearlyParallel) {
    Draw draw(820);
    int judged = 0, beyond = 0;
    double off = 0, off_rad = 0;
    for (int n = 0; n < 4000; n++) {
        const double half = draw.uniform(0.5, 2), angle_rad = draw.log_uniform(2e-6, 0.1),
                     gap = draw.log_uniform(1e-5, 0.05);
        const Quat on_edge = quat_exp(vec3_make(0.25 * M_PI, 0, 0)), across = quat_exp(vec3_make(0, 0, angle_rad));
        const Quat whole = quat_exp(vec3_make(draw.uniform(-2, 2), draw.uniform(-2, 2), draw.uniform(-2, 2)));
        Placed a{box(1, 1, 1, 1e-3), mat3_from_quat(quat_multiply(whole, on_edge))};
        Placed b{a.shape, mat3_from_quat(quat_multiply(whole, quat_multiply(across, on_edge)))};
        for (Placed *bar : {&a, &b}) {
            bar->shape.size_m[0] = half;
            bar->shape.size_m[1] = bar->shape.size_m[2] = 0.1;
        }
        const double apart = 2 * (0.1 - 1e-3) * std::sqrt(2.0) + gap;
        const Vec3 offset = quat_rotate(whole, vec3_make(draw.uniform(-0.6, 0.6) * half, 0, apart));
        Wide<Quad> up = cross(wide<Quad>(mat3_column(a.turn, 0)), wide<Quad>(mat3_column(b.turn, 0)));
        up = up * (1 / norm(up) * (dot(up, wide<Quad>(offset)) > 0 ? 1 : -1));
        const Quad right =
            dot(wide<Quad>(offset) + edge_middle(b, up, -1) - edge_middle(a, up, 1), up) - 2 * Quad(1e-3);
        const NarrowResult found = narrow(a, b, offset);
        const double error = std::fabs((double)((Quad)found.distance_m - right));
        // Ends and faces are nearest where the edges cross beyond them or hardly at all.
        if (found.to_nearest_m.x != 0 || angle(found.normal, rounded(up)) > 1e-9) continue;
        judged++;
        beyond += error > found.error_m;
        off = std::max(off, error);
        off_rad = std::max(off_rad, angle(found.normal, rounded(up)));
    }
    std::printf("nearly parallel edges: %d, off by %.1e m, %.1e rad, %d beyond what is told\n", judged, off, off_rad,
                beyond);
    EXPECT_GT(judged, 2000);
    EXPECT_EQ(beyond, 0);
    EXPECT_LE(off, 2e-15);
}

// Plates whose cores are flat lie in each other about one centre: rounding decides whether they are apart, the status
// does not.
TEST(Blocks, PlatesAboutOneCentreCoincide) {
    Draw draw(830);
    int apart = 0;
    for (int n = 0; n < 300; n++) {
        const Mat3 turn = draw.turn();
        const Placed a{box(0.5, 0.5, 0.01, 0.01), turn}, b{box(0.2, 0.2, 0.01, 0.01), turn};
        const NarrowResult found = narrow(a, b, vec3_zero());
        EXPECT_EQ(found.status, NARROW_COINCIDENT);
        EXPECT_NEAR(found.distance_m, -0.02, 1e-15);
        apart += !(found.distance_m < -0.02);
    }
    EXPECT_GT(apart, 10);
}

// Overlapping cores: the way out across the least axis leads out, whichever features were tried none is shorter.
TEST(Blocks, TheLeastAxisIsTheShortestWayOut) {
    Draw draw(810);
    int solved = 0, longer = 0;
    double off = 0;
    for (int n = 0; n < 4000; n++) {
        const Placed a = draw_block(draw, SHAPE_BOX), b = draw_block(draw, SHAPE_BOX);
        Vec3 offset = place_near(a, b, draw, true);
        offset = vec3_scale(offset, draw.uniform(0.5, 0.95));
        const Blocks blocks = blocks_of(a, b, offset);
        LeastAxis least;
        BlockFeatures tried;
        BlockContact touch;
        if (!box_box_cold(&blocks, &least, &tried, &touch) || touch.distance_m > 0) continue;
        solved++;
        each_features([&](const BlockFeatures &f) {
            BlockContact other;
            if (touching(f) < EDGE_CORNER && box_box_touch(&blocks, &f, &other))
                longer += other.distance_m > touch.distance_m + 1e-14;
        });
        const Vec3 away = vec3_add_scaled(offset, touch.n, 1e-6 - touch.distance_m + blocks.a.ball_m + blocks.b.ball_m);
        off = std::max(off, std::fabs(narrow(a, b, away).distance_m - 1e-6));
    }
    std::printf("overlapping: %d, off by %.1e m\n", solved, off);
    EXPECT_GT(solved, 3000);
    EXPECT_EQ(longer, 0);
    EXPECT_LE(off, 1e-14);
}

} // namespace
