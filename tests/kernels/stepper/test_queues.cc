// Groups that serve scenes from queues (kernels/stepper/queue_group.h), in C (native_queues.c): the bits of scenes that
// are stepped one by one, whatever waits beside them, and every queue is served.
#include "alike_scenes.h"
#include "device_internal.h"
#include "joint_scenes.h"
#include "study_scenes.h"

extern "C" {
NativeRun native_run_queues;
extern const uint32_t native_queue_items;
extern uint32_t native_queue_rounds[]; // of each queue
}

namespace {

// Of three units, so that there are three groups; one thread, whose table they share.
struct QueuesDevice {
    DeviceHolder holder{"native", 0, 1};
    Device *device = holder.device;
    QueuesDevice() {
        device->items.queue = native_queue_items;
        device->info.compute_units = 3;
        reinterpret_cast<NativeDevice *>(device)->run = native_run_queues;
    }
};

// Motion, rows, frames, extremes and counts of scenes from queues and one by one.
void expect_same(std::vector<SceneBuilder> builders) {
    QueuesDevice queues;
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    const std::vector<Watch> watches = {watch_max(1, WATCH_ORIENTATION), watch_max(1, WATCH_SPEED),
                                        Watch{0, 1, NONE, WATCH_ORIENTATION + 1, WATCH_MEAN, AFTER_START, 0}};
    Study study{};
    study.contacts_every_s = 7e-3;
    study.contact_scenes = study.trajectory_scenes = scenes.size();
    study.trajectory_every_s = 0.0023;
    study.watches = const_cast<Watch *>(watches.data());
    study.watch_count = uint32_t(watches.size());
    Ran a = run_scenes(native_device(), scenes, study), b = run_scenes(queues.device, scenes, study);
    EXPECT_GT(a.result.event_count, 0u);
    for (uint32_t k = 0; k < scenes.size(); k++) {
        EXPECT_TRUE(same_motion(a, k, b, k)) << k;
        EXPECT_TRUE(same_rows(a, k, b, k)) << k;
        EXPECT_EQ(a.progress(k).evaluations, b.progress(k).evaluations) << k;
        EXPECT_EQ(a.progress(k).distance_queries, b.progress(k).distance_queries) << k;
    }
    EXPECT_TRUE(same_bits(a.result.frames, b.result.frames, a.batch.frame_state_count * sizeof(BodyState)));
    EXPECT_EQ(std::memcmp(a.result.extremes, b.result.extremes, scenes.size() * watches.size() * sizeof(Extreme)), 0);
}

TEST(Queues, RandomScenes) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < 200; k++) builders.push_back(random_scene(k));
    for (unsigned k = 0; k < 20; k++) builders.push_back(with_gates(k));
    expect_same(builders);
}

TEST(Queues, FewerScenesThanItems) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < native_queue_items / 2; k++) builders.push_back(random_scene(k));
    expect_same(builders);
}

// Their steps are those of ball runs.
TEST(Queues, BallsOnTheGround) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < 100; k++) {
        SceneBuilder b = one_material(0.3 + 0.006 * k, 0.2);
        b.ground();
        b.ball(0.05, {0, 0, 0.051 + 1e-3 * k});
        b.bodies.back().velocity_m_per_s[0] = 0.1 * (k % 7);
        b.scene.end_s = 0.3;
        builders.push_back(b);
    }
    expect_same(builders);
}

TEST(Queues, WhatStands) { expect_same(scenes_that_stand()); }

TEST(Queues, SpringsAndOverlaps) { expect_same(scenes_of_springs_and_overlaps()); }

TEST(Queues, Constraints) {
    std::vector<SceneBuilder> builders = {random_scene(3)}; // has contacts, which the others have not
    for (unsigned k = 0; k < 30; k++) builders.push_back(random_mechanism(k));
    for (unsigned k = 0; k < 16; k++) builders.push_back(random_joints(k));
    expect_same(builders);
}

// Each of the ten queues.
TEST(Queues, AllAreServed) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < 100; k++) builders.push_back(random_scene(k));
    builders.push_back(one_material(0.5, 0.2));
    builders.back().ground();
    builders.back().ball(0.05, {0, 0, 0.051});
    std::fill_n(native_queue_rounds, 32, 0u);
    expect_same(builders);
    for (uint32_t queue = 0; queue < 32; queue++) EXPECT_EQ(native_queue_rounds[queue] > 0, queue < 10) << queue;
}

TEST(Queues, QuasiRigidBodies) {
    QueuesDevice queues;
    for (const char *theta : {"1", "0.5"})
        for (const char *name : {"mixed", "given"}) {
            Loaded loaded(std::string("tests/studies/quasi_") + name + ".yaml", {{"solver.theta", theta}});
            loaded.take(7).end_s = 0.4;
            Ran a = loaded.run(native_device()), b = loaded.run(queues.device);
            EXPECT_EQ(a.progress(0).status, STATUS_OK);
            EXPECT_GT(a.progress(0).evaluations, 100u);
            EXPECT_TRUE(same_motion(a, 0, b, 0));
            EXPECT_TRUE(same_rows(a, 0, b, 0));
        }
}

} // namespace
