// Work-items that share a scene change none of its bits. Needs a device that takes barriers in deep control
// flow: a GPU, or the simulator oclgrind, which also looks for data races (tests/check_lanes.sh). PoCL's
// compiler does not come to an end on `advance` with barriers.
#include "random_scenes.h"

namespace {

TEST(Lanes, ShareASceneWithoutAnotherBit) {
    // The simulator cannot inline what clang makes of structs by value.
    const bool is_simulator = std::getenv("CLACK_TEST_OCLGRIND") != nullptr;
    DeviceHolder gpu("gpu", 4, 0, is_simulator ? "-cl-opt-disable" : nullptr);
    if (gpu.device == nullptr) GTEST_SKIP() << "no OpenCL GPU";
    ASSERT_EQ(device_lanes(gpu.device), 4u);
    std::vector<SceneBuilder> builders;
    if (is_simulator) {
        // One landing each: box on box, sphere on box, capsule on box, capsule on half-space.
        const std::pair<unsigned, double> landings[] = {
            {5, 0.03}, {17, 0.067}, {33, 0.031}, {31, 0.101}};
        for (const auto &[seed, end_s] : landings) {
            builders.push_back(random_scene(seed));
            builders.back().scene.end_s = end_s;
            builders.back().scene.step_s = 2e-3;
        }
    } else {
        for (unsigned k = 0; k < 1000; k++) builders.push_back(random_scene(k));
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Watch watches[] = {{0, 2, NONE, WATCH_CONTACT_FORCE, WATCH_MAX, AFTER_START, 0},
                       {0.011, 2, NONE, WATCH_SPEED, WATCH_MEAN, AFTER_TIME, 0},
                       {0.0123, 2, NONE, WATCH_POSITION, WATCH_AT, AFTER_TIME, 0},
                       {0, 2, NONE, WATCH_ORIENTATION, WATCH_MIN, AFTER_FIRST_CONTACT_BEGIN, 0}};
    Study study{};
    study.watch_count = 4;
    study.watches = watches;
    study.contacts_every_s = 1e-3;
    study.contact_scenes = scenes.size();
    Ran a = run_scenes(native_device(), scenes, study), b = run_scenes(gpu.device, scenes, study);
    EXPECT_GT(a.result.event_count, 0u);
    EXPECT_GT(a.result.contact_count, 0u);
    EXPECT_EQ(different_scenes(a, b, unsigned(scenes.size())), 0u);
    for (uint32_t k = 0; k < scenes.size(); k++) EXPECT_TRUE(same_rows(a, k, b, k));
    EXPECT_TRUE(same_bits(a.result.extremes, b.result.extremes, 4 * scenes.size() * sizeof(Extreme)));
}

} // namespace
