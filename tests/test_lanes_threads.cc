// Work-items that share a scene, as threads (native_lanes.c): the bits of one, and no lane reads what another writes without a
// barrier in between, which ThreadSanitizer ends the program for. Needs no GPU and is a thousand times as fast as a simulator.
#include "device_internal.h"
#include "random_scenes.h"

extern "C" {
NativeRun native_run_lanes;
/// Ends the program at the first race.
const char *__tsan_default_options() { return "halt_on_error=1:exitcode=66"; }
}

namespace {

struct LanesDevice {
    DeviceHolder holder{"native", 0, 1}; // one thread: that of each lane is native_lanes.c's
    Device *device = holder.device;
    LanesDevice() {
        device->lanes = LANES;
        reinterpret_cast<NativeDevice *>(device)->run = native_run_lanes;
    }
};

// What is not compiled with ThreadSanitizer would be misread with several threads.
DeviceHolder &alone() {
    static DeviceHolder holder("native", 0, 1);
    return holder;
}

class LanesThreads : public testing::TestWithParam<unsigned> {};

const unsigned SCENES = 50; // of each block

TEST_P(LanesThreads, ShareRandomScenes) {
    LanesDevice lanes;
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < SCENES; k++) builders.push_back(random_scene(GetParam() * SCENES + k));
    for (unsigned k = 0; k < 5; k++) builders.push_back(with_gates(GetParam() * 5 + k));
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Study study{};
    study.contacts_every_s = 1e-3;
    study.contact_scenes = scenes.size();
    Ran a = run_scenes(alone().device, scenes, study), b = run_scenes(lanes.device, scenes, study);
    EXPECT_GT(a.result.event_count, 0u);
    for (uint32_t k = 0; k < scenes.size(); k++) {
        EXPECT_TRUE(same_motion(a, k, b, k)) << k;
        EXPECT_TRUE(same_rows(a, k, b, k)) << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LanesThreads, testing::Range(0u, 20u));

} // namespace
