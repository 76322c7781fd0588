// Work-items that share a scene change none of its bits. Needs a device that takes barriers in deep control
// flow: a GPU, or the simulator oclgrind, which also looks for data races (tests/bits/check_oclgrind.sh). PoCL's
// compiler does not come to an end on `advance` with barriers.
#include "device_internal.h"
#include "falling_pairs.h"

namespace {

// A hull of 40 points on a ball, two blocks of vertices, that falls on the ground.
SceneBuilder hull_landing() {
    static const SceneHull *const hull = [] {
        std::vector<std::array<double, 3>> points;
        for (int k = 0; k < 40; k++) {
            const double z = (2 * k + 1) / 40.0 - 1, turn = 2.4 * k, r = std::sqrt(1 - z * z);
            points.push_back({0.05 * r * std::cos(turn), 0.05 * r * std::sin(turn), 0.05 * z});
        }
        return shared_hull(points);
    }();
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.8, 0.2);
    b.scene.end_s = 0.02;
    b.scene.step_s = 2e-3;
    b.ground();
    b.body("hull", false, {0, 0, 0.06});
    b.bodies.back().velocity_m_per_s[2] = -1;
    b.bodies.back().angular_velocity_rad_per_s[0] = 3;
    b.hull(hull);
    return b;
}

const bool is_simulator = std::getenv("CLACK_TEST_OCLGRIND") != nullptr;
// The simulator cannot inline what clang makes of structs by value.
const char *const options_of_builds = is_simulator ? "-cl-opt-disable -DFN_SHORT=FN" : nullptr;

TEST(SceneItems, ShareASceneWithoutAnotherBit) {
    std::vector<SceneBuilder> builders;
    if (is_simulator) {
        // One landing each: box on box, sphere on box, capsule on box, capsule on half-space.
        const std::pair<unsigned, double> landings[] = {{5, 0.03}, {17, 0.067}, {33, 0.031}, {31, 0.101}};
        for (const auto &[seed, end_s] : landings) {
            builders.push_back(random_scene(seed));
            builders.back().scene.end_s = end_s;
            builders.back().scene.step_s = 2e-3;
        }
        for (unsigned seed : {31u, 14u}) { // in the second one islands are stepped apart
            builders.push_back(with_gates(seed));
            builders.back().scene.end_s = seed == 31 ? 0.01 : 0.004;
            builders.back().scene.step_s = 2e-3;
        }
    } else {
        for (unsigned k = 0; k < 1000; k++) builders.push_back(random_scene(k));
        for (unsigned k = 0; k < 100; k++) builders.push_back(with_gates(k));
    }
    builders.push_back(hull_landing());
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    DeviceHolder gpu(content_of_scenes(scenes), "gpu", 4, 0, options_of_builds);
    if (gpu.device == nullptr) GTEST_SKIP() << "no OpenCL GPU";
    ASSERT_EQ(device_items(gpu.device).scene, 4u);
    Watch watches[] = {{0, 1, NONE, WATCH_CONTACT_FORCE, WATCH_MAX, AFTER_START, 0},
                       {0.011, 1, NONE, WATCH_SPEED, WATCH_MEAN, AFTER_TIME, 0},
                       {0.0123, 1, NONE, WATCH_POSITION, WATCH_AT, AFTER_TIME, 0},
                       {0, 1, NONE, WATCH_ORIENTATION, WATCH_MIN, AFTER_FIRST_CONTACT_BEGIN, 0},
                       {0, 1, NONE, WATCH_NET_FORCE, WATCH_MAX, AFTER_START, 0},
                       {0, 0, 1, WATCH_NET_FORCE + 3, WATCH_MEAN, AFTER_START, 0},
                       {0.0123, 0, NONE, WATCH_NET_FORCE + 3, WATCH_AT, AFTER_TIME, 0}};
    const size_t count = sizeof watches / sizeof *watches;
    Study study{};
    study.watch_count = uint32_t(count);
    study.watches = watches;
    study.contacts_every_s = 1e-3;
    study.contact_scenes = scenes.size();
    Ran a = run_scenes(native_device(), scenes, study), b = run_scenes(gpu.device, scenes, study);
    EXPECT_GT(a.result.event_count, 0u);
    EXPECT_GT(a.result.contact_count, 0u);
    EXPECT_EQ(different_scenes(a, b, unsigned(scenes.size())), 0u);
    for (uint32_t k = 0; k < scenes.size(); k++) EXPECT_TRUE(same_rows(a, k, b, k));
    EXPECT_TRUE(same_bits(a.result.extremes, b.result.extremes, count * scenes.size() * sizeof(Extreme)));
}

// All of them leave a scene together that the first build cannot finish, and find the way out of deep overlaps in the
// second.
TEST(SceneItems, LeaveASceneToTheSecondBuildTogether) {
    FirstBuild first("gpu", 4, options_of_builds);
    if (first.device == nullptr) GTEST_SKIP() << "no OpenCL GPU";
    ASSERT_EQ(device_items(first.device).scene, 4u);
    const std::vector<Pair> pairs = {Pair::Rounded, Pair::DeepHulls};
    std::vector<SceneBuilder> builders;
    for (size_t k = 0; k < pairs.size(); k++) {
        builders.push_back(falling(pairs[k], unsigned(k)));
        builders.back().scene.end_s = is_simulator ? 0.001 : 0.15;
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran a = run_scenes(native_device(), scenes), b = run_scenes(first.device, scenes);
    EXPECT_EQ(a.result.second_count, 0u);
    EXPECT_EQ(b.result.second_count, 1u);
    for (uint32_t k = 0; k < scenes.size(); k++) {
        EXPECT_TRUE(same_counted(a, k, b, k)) << k;
        EXPECT_TRUE(same_rows(a, k, b, k)) << k;
    }
}

} // namespace
