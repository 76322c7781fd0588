// Work-items that share a scene, as threads (native_scene_items.c): the bits of one, and no item reads what another
// writes without a barrier in between, which ThreadSanitizer ends the program for. Needs no GPU and is a thousand times
// as fast as a simulator.
#include <cstring>

#include "alike_scenes.h"
#include "device_internal.h"
#include "joint_scenes.h"
#include "study_scenes.h"

extern "C" {
NativeRun native_run_items;
extern const uint32_t native_scene_items;
/// Ends the program at the first race.
const char *__tsan_default_options() { return "halt_on_error=1:exitcode=66"; }
}

namespace {

struct ItemsDevice {
    DeviceHolder holder{"native", 0, 1}; // one thread: that of each item is native_scene_items.c's
    Device *device = holder.device;
    ItemsDevice() {
        device->items.scene = native_scene_items;
        reinterpret_cast<NativeDevice *>(device)->run = native_run_items;
    }
};

// What is not compiled with ThreadSanitizer would be misread with several threads.
DeviceHolder &alone() {
    static DeviceHolder holder("native", 0, 1);
    return holder;
}

class ItemsThreads : public testing::TestWithParam<unsigned> {};

const unsigned SCENES = 25; // of each block; more take minutes

// The same motion, rows, frames and extremes by items as by one work-item. Steps end where contacts are recorded; else
// they go beyond the ends of outer steps.
void expect_same_recorded(std::vector<SceneBuilder> &builders, double contacts_every_s) {
    ItemsDevice items;
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    const std::vector<Watch> watches = {watch_max(1, WATCH_ORIENTATION), watch_max(1, WATCH_SPEED),
                                        Watch{0, 1, NONE, WATCH_ORIENTATION + 1, WATCH_MEAN, AFTER_START, 0}};
    Study study{};
    study.contacts_every_s = contacts_every_s;
    study.contact_scenes = study.trajectory_scenes = scenes.size();
    study.trajectory_every_s = 0.0023;
    study.watches = const_cast<Watch *>(watches.data());
    study.watch_count = uint32_t(watches.size());
    Ran a = run_scenes(alone().device, scenes, study), b = run_scenes(items.device, scenes, study);
    EXPECT_GT(a.result.event_count, 0u);
    for (uint32_t k = 0; k < scenes.size(); k++) {
        EXPECT_TRUE(same_counted(a, k, b, k)) << k;
        EXPECT_TRUE(same_rows(a, k, b, k)) << k;
    }
    EXPECT_GT(a.batch.frame_state_count, scenes.size());
    EXPECT_TRUE(same_bits(a.result.frames, b.result.frames, a.batch.frame_state_count * sizeof(BodyState)));
    EXPECT_EQ(std::memcmp(a.result.extremes, b.result.extremes, scenes.size() * watches.size() * sizeof(Extreme)), 0);
}

void expect_same(std::vector<SceneBuilder> builders) { expect_same_recorded(builders, 7e-3); }

TEST_P(ItemsThreads, ShareRandomScenes) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < SCENES; k++) builders.push_back(random_scene(GetParam() * SCENES + k));
    for (unsigned k = 0; k < 5; k++) builders.push_back(with_gates(GetParam() * 5 + k));
    for (const double contacts_every_s : {1e-3, 7e-3}) expect_same_recorded(builders, contacts_every_s);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ItemsThreads, testing::Range(0u, 2u));

TEST(ItemsThreads, ShareWhatStands) { expect_same(scenes_that_stand()); }

TEST(ItemsThreads, ShareSpringsAndOverlaps) { expect_same(scenes_of_springs_and_overlaps()); }

TEST(ItemsThreads, ShareJoints) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < 16; k++) builders.push_back(random_joints(k));
    expect_same(builders);
}

TEST(ItemsThreads, ShareConstraints) {
    std::vector<SceneBuilder> builders = {random_scene(3)}; // has contacts, which the others have not
    for (unsigned k = 0; k < 16; k++) builders.push_back(random_mechanism(k));
    expect_same(builders);
}

TEST(ItemsThreads, ShareWhatIsGivenOverTime) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < 16; k++) builders.push_back(random_given(k));
    expect_same(builders);
}

TEST(ItemsThreads, ShareQuasiRigidBodies) {
    ItemsDevice items;
    for (const char *theta : {"1", "0.5"})
        for (const char *name : {"mixed", "given"}) {
            Loaded loaded(std::string("tests/studies/quasi_") + name + ".yaml", {{"solver.theta", theta}});
            loaded.take(7).end_s = 0.4;
            Ran a = loaded.run(alone().device), b = loaded.run(items.device);
            EXPECT_EQ(a.progress(0).status, STATUS_OK);
            EXPECT_GT(a.progress(0).evaluations, 100u);
            EXPECT_TRUE(same_counted(a, 0, b, 0));
            EXPECT_TRUE(same_rows(a, 0, b, 0));
        }
}

struct Part { // of a study of data/
    const char *name;
    double end_s; // shorter than the study's
    uint64_t scene;
    double work_limit = 0;        // 0: the study's; else the scene ends with step_limit
    const char *method = nullptr; // null: the study's
};

class ItemsStudies : public testing::TestWithParam<Part> {};

TEST_P(ItemsStudies, ShareScenes) {
    const Part part = GetParam();
    std::vector<ClackStudyOverride> set;
    if (part.method != nullptr) set.push_back({"solver.method", part.method});
    ItemsDevice items;
    Loaded loaded(std::string("data/") + part.name + ".yaml", set);
    SceneDescription &scene = loaded.take(part.scene);
    scene.end_s = part.end_s;
    if (part.work_limit > 0) scene.work_limit = part.work_limit;
    Ran a = loaded.run(alone().device), b = loaded.run(items.device);
    EXPECT_GT(a.progress(0).substeps, 0u);
    if (part.work_limit > 0) {
        EXPECT_EQ(a.progress(0).status, STATUS_STEP_LIMIT);
    }
    EXPECT_TRUE(same_counted(a, 0, b, 0));
    EXPECT_TRUE(same_rows(a, 0, b, 0));
}

// With limits that a sphere reaches within a ball run and beside it.
INSTANTIATE_TEST_SUITE_P(Data, ItemsStudies,
                         testing::Values(Part{"billiard_break", 0.15, 0}, Part{"bouncing_sphere", 1, 0},
                                         Part{"bouncing_sphere", 1, 0, 0.050}, Part{"bouncing_sphere", 1, 0, 0.053},
                                         Part{"bouncing_sphere", 1, 0, 0.059}, Part{"ten_spheres", 1, 0, 4.0},
                                         Part{"chain", 0.1, 0}, Part{"collisions", 0.5, 3}, Part{"collisions", 0.5, 21},
                                         Part{"crane", 0.05, 0}, Part{"cuboid_die", 0.3, 0}, Part{"gallery", 0.2, 0},
                                         Part{"orbit", 0.5, 0}, Part{"packed_spheres", 0.02, 0},
                                         Part{"rattleback", 0.05, 0}, Part{"step", 1.5, 0}, Part{"ten_spheres", 0.2, 0},
                                         Part{"three_models", 0.42, 0, 0, "trapezoidal"},
                                         Part{"thrown_ellipsoids", 0.3, 0}, Part{"tippe_top", 0.05, 0},
                                         Part{"tumbling_box", 0.4, 0}),
                         [](const testing::TestParamInfo<Part> &part) {
                             std::string name = part.param.name + std::to_string(part.param.scene);
                             if (part.param.method != nullptr) name += std::string("_") + part.param.method;
                             if (part.param.work_limit > 0)
                                 name += "_work_" + std::to_string(int(1000 * part.param.work_limit));
                             return name;
                         });

} // namespace
