// Candidates of scenes of many bodies, swept along x, are those of each body against each other, in the same order.
#include "kernel_scene.h"

#include <random>

namespace {

/// Balls, boxes, capsules and bodies of two shapes, close together or spread out, among planes, plates and a fixed
/// post.
SceneBuilder crowd(unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5, 0.3);
    const unsigned count = SWEEP_BODIES_LEAST + 5 * seed, plane = seed % count;
    const double size = seed % 2 == 0 ? 0.4 : 2.0;
    for (unsigned k = 0; k < count; k++) {
        if (k == plane) {
            b.body("floor", true, {0, 0, -size});
            b.shape(SHAPE_HALF_SPACE, {0, 0, 1, 0});
            b.shape(SHAPE_BOX, {0.3, 0.3, 0.3, 0});
        }
        SceneBody &body = b.body("body", k % 17 == 3, {size * any(engine), size * any(engine), size * any(engine)});
        if (seed % 3 == 0 && k % 2 == 0) body.position_m[0] = 0; // equal places along x
        for (double &v : body.velocity_m_per_s) v = k % 17 == 3 ? 0 : 3 * any(engine);
        if (k % 4 < 2) b.shape(SHAPE_SPHERE, {0.05 + 0.04 * any(engine), 0, 0, 0});
        if (k % 4 > 0)
            b.shape(k % 2 == 0 ? SHAPE_BOX : SHAPE_CAPSULE, {0.04, 0.08, 0.05, 0}).position_m[0] = k % 4 == 1 ? 0.1 : 0;
    }
    b.scene.end_s = 0.1;
    return b;
}

struct Listed {
    uint32_t a, b, feature;
    bool operator==(const Listed &other) const { return a == other.a && b == other.b && feature == other.feature; }
};

std::vector<Listed> listed(const KernelScene &k, uint32_t count) {
    std::vector<Listed> all;
    for (uint32_t i = 0; i < count; i++)
        all.push_back({k.candidates[i].shape_a, k.candidates[i].shape_b, k.candidates[i].feature});
    return all;
}

TEST(Sweep, ListsAsEachWithEach) {
    size_t most = 0, least = 1000000;
    for (unsigned seed = 0; seed < 24; seed++) {
        SceneBuilder b = crowd(seed);
        KernelScene k(b);
        ASSERT_EQ(sweep_pairs(&k.view), 1u) << seed;
        const uint32_t swept = broad_list_swept(&k.view);
        const std::vector<Listed> by_sweep = listed(k, swept);
        const uint32_t all = broad_list_rows(&k.view, 0, k.view.scene->shape_count, 0, 1);
        ASSERT_LE(all, k.view.room.candidates);
        ASSERT_TRUE(by_sweep == listed(k, all)) << seed << ": " << swept << " of " << all;
        most = std::max<size_t>(most, all);
        least = std::min<size_t>(least, all);
    }
    std::printf("%zu to %zu candidates\n", least, most);
    EXPECT_GT(most, 800u);
}

/// Without room for its pairs, or of few bodies, it leaves the list to the other way.
TEST(Sweep, LeavesWhatItHasNoRoomFor) {
    SceneBuilder b = crowd(3);
    KernelScene k(b);
    ASSERT_EQ(sweep_pairs(&k.view), 1u);
    const uint32_t pairs = k.view.group_ends[k.view.scene->body_count - 1];
    k.view.room.candidates = pairs;
    EXPECT_EQ(sweep_pairs(&k.view), 1u);
    k.view.room.candidates = pairs - 1;
    EXPECT_EQ(sweep_pairs(&k.view), 0u);
    SceneBuilder two;
    two.material();
    two.pair(0, 0, 0.5);
    two.ball(0.1, {0, 0, 1});
    two.ground();
    KernelScene few(two);
    EXPECT_EQ(sweep_pairs(&few.view), 0u);
}

} // namespace
