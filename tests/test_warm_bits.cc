// Scenes whose contacts remember what touched: the same bits on native and OpenCL, alone and among others, and the same
// motion to rounding as without.
#include "random_scenes.h"
#include "study_scenes.h"

namespace {

std::vector<SceneBuilder> searches(unsigned count) {
    std::vector<SceneBuilder> all;
    for (unsigned k = 0; k < count; k++) all.push_back(with_searches(random_scene(k)));
    return all;
}

std::vector<SceneDescription> views(std::vector<SceneBuilder> &builders) {
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    return scenes;
}

TEST(WarmBits, NativeAndOpenClAloneAndAmongOthers) {
    DeviceHolder cpu("cpu");
    if (cpu.device == nullptr) GTEST_SKIP() << "no OpenCL CPU";
    std::vector<SceneBuilder> builders = searches(96);
    const std::vector<SceneDescription> scenes = views(builders);
    const Ran native = run_scenes(native_device(), scenes), other = run_scenes(cpu.device, scenes);
    EXPECT_EQ(different_scenes(native, other, 96), 0u);
    for (unsigned k : {0u, 17u, 95u})
        EXPECT_TRUE(same_scene(native, k, run_scenes(native_device(), {scenes[k]}, Study{}, {k}), 0));
}

// The first impacts, before chaos makes anything of rounding: what is remembered changes no motion beyond it.
TEST(WarmBits, WithAndWithoutMemoryTheMotionIsTheSameToRounding) {
    DeviceHolder without("cpu", 0, 0, "-DEXACT_HINTS=0");
    if (without.device == nullptr) GTEST_SKIP() << "no OpenCL CPU";
    Loaded loaded("data/collisions.yaml");
    for (uint64_t k = 0; k < 6; k++) {
        SceneDescription &scene = loaded.take(k);
        scene.single_contact = k % 2;
        scene.end_s = 0.25; // each pair has met once
    }
    const Ran warm = loaded.run(native_device()), cold = loaded.run(without.device);
    double off = 0, moved = 0;
    size_t impacts = 0;
    bool is_same = true;
    for (size_t k = 0; k < loaded.scenes.size(); k++) {
        ASSERT_EQ(warm.progress(k).status, STATUS_OK);
        ASSERT_EQ(cold.progress(k).status, STATUS_OK);
        ASSERT_EQ(warm.events(uint32_t(k)).size(), cold.events(uint32_t(k)).size()) << k;
        impacts += warm.events(uint32_t(k)).size() / 2;
        for (uint32_t b = 0; b < loaded.scenes[k].body_count; b++) {
            const BodyState x = warm.state(b, k), y = cold.state(b, k);
            const Vec3 v = x.velocity_m_per_s, w = y.velocity_m_per_s;
            off = std::max({off, std::fabs(v.x - w.x), std::fabs(v.y - w.y), std::fabs(v.z - w.z)});
            moved = std::max({moved, std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
            is_same = is_same && same_bits(&x, &y, sizeof x);
        }
    }
    std::printf("largest difference of velocities %.1e m/s after %zu impacts\n", off, impacts);
    EXPECT_LE(off, 1e-9);
    EXPECT_GT(moved, 0.1);
    EXPECT_GT(impacts, 200u);
    EXPECT_FALSE(is_same) << "nothing was remembered";
}

} // namespace
