// Scenes with joints give the same bits alone, in any batch, beside any neighbour, and on OpenCL.
#include "joint_scenes.h"

namespace {

struct Scenes {
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    template <typename Make> Scenes(unsigned count, Make make) {
        for (unsigned k = 0; k < count; k++) builders.push_back(make(k));
        for (SceneBuilder &b : builders) scenes.push_back(b.view());
    }
};

SceneBuilder tied_or_not(unsigned k) { return k % 4 == 3 ? random_scene(k) : random_joints(k); }
SceneBuilder given_or_not(unsigned k) { return k % 8 == 7 ? random_scene(k) : random_given(k); }

TEST(JointBits, AloneOrInABatch) {
    Scenes tied(64, tied_or_not);
    Ran whole = run_scenes(native_device(), tied.scenes);
    uint32_t implicit = 0;
    for (unsigned k = 0; k < 64; k++) {
        Ran alone = run_scenes(native_device(), {tied.scenes[k]}, Study{}, {k});
        EXPECT_TRUE(same_scene(whole, k, alone, 0)) << k;
        implicit += whole.progress(k).status == STATUS_OK;
    }
    EXPECT_EQ(implicit, 64u);
}

TEST(JointBits, ConstraintsAloneOrInABatch) {
    Scenes many(64, random_mechanism);
    Ran whole = run_scenes(native_device(), many.scenes);
    for (unsigned k = 0; k < 64; k++) {
        Ran alone = run_scenes(native_device(), {many.scenes[k]}, Study{}, {k});
        EXPECT_TRUE(same_scene(whole, k, alone, 0)) << k;
        EXPECT_EQ(whole.progress(k).status, STATUS_OK) << k;
    }
}

TEST(JointBits, WhatIsGivenOverTimeAloneOrInABatch) {
    Scenes many(64, given_or_not);
    Ran whole = run_scenes(native_device(), many.scenes);
    double work = 0;
    for (unsigned k = 0; k < 64; k++) {
        Ran alone = run_scenes(native_device(), {many.scenes[k]}, Study{}, {k});
        EXPECT_TRUE(same_scene(whole, k, alone, 0)) << k;
        EXPECT_EQ(whole.progress(k).status, STATUS_OK) << k;
        if (k % 8 != 7) {
            EXPECT_LT(whole.progress(k).energy_drift, 1e-3) << k;
        }
        work += std::fabs(whole.progress(k).given_J);
    }
    EXPECT_GT(work, 1);
}

// What no joint ties keeps its bits beside some that are.
TEST(JointBits, JointsElsewhereInABatchChangeNothing) {
    SceneBuilder plain = random_scene(5), tied = random_joints(6);
    Ran alone = run_scene(plain), both = run_scenes(native_device(), {tied.view(), plain.view(), tied.view()});
    EXPECT_TRUE(same_motion(alone, 0, both, 1));
    EXPECT_TRUE(same_scene(both, 0, both, 2) || both.progress(0).substeps == both.progress(2).substeps);
}

// A joint without stiffness and damping is there, ties its bodies' steps, and leaves no mark on what they do: states
// differ by errors of steps alone.
TEST(JointBits, AJointWithoutForceChangesNoPath) {
    for (unsigned seed = 0; seed < 8; seed++) {
        SceneBuilder plain = random_scene(seed), tied = plain;
        plain.scene.end_s = tied.scene.end_s = 0.02; // before they touch
        tied.spring(0, 2, {0, 0, 0}, {0.1, 0, 0.2}, 0, 0);
        Ran a = run_scene(plain), b = run_scene(tied);
        for (uint32_t i = 2; i < plain.bodies.size(); i++)
            EXPECT_LT(vec3_length(vec3_sub(a.state(i).position_m, b.state(i).position_m)), 1e-8) << seed;
    }
}

TEST(JointBitsDevice, NativeEqualsOpenCL) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Scenes tied(96, tied_or_not);
    Study study{};
    study.trajectory_every_s = study.contacts_every_s = 0.0031;
    study.trajectory_scenes = study.contact_scenes = 1000;
    Ran a = run_scenes(native_device(), tied.scenes, study), b = run_scenes(opencl.device, tied.scenes, study);
    EXPECT_EQ(different_scenes(a, b, 96), 0u);
    for (unsigned k = 0; k < 96; k++) EXPECT_TRUE(same_rows(a, k, b, k)) << k;
    EXPECT_TRUE(same_bits(a.result.frames, b.result.frames, a.batch.frame_state_count * sizeof(BodyState)));
}

TEST(JointBitsDevice, WhatIsGivenOverTimeToo) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Scenes many(64, given_or_not);
    Study study{};
    study.trajectory_every_s = study.contacts_every_s = 0.0031;
    study.trajectory_scenes = study.contact_scenes = 1000;
    Ran a = run_scenes(native_device(), many.scenes, study), b = run_scenes(opencl.device, many.scenes, study);
    EXPECT_EQ(different_scenes(a, b, 64), 0u);
    for (unsigned k = 0; k < 64; k++) EXPECT_TRUE(same_rows(a, k, b, k)) << k;
    EXPECT_TRUE(same_bits(a.result.frames, b.result.frames, a.batch.frame_state_count * sizeof(BodyState)));
}

TEST(JointBitsDevice, ConstraintsToo) {
    Scenes many(64, random_mechanism);
    DeviceHolder opencl(content_of_scenes(many.scenes), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Watch watches[] = {{0, 0, NONE, WATCH_JOINT_FORCE, WATCH_MAX, AFTER_START, 0},
                       {0, 0, NONE, WATCH_JOINT_FORCE, WATCH_MEAN, AFTER_START, 0},
                       {0.02, 0, NONE, WATCH_JOINT_TENSION, WATCH_AT, AFTER_TIME, 0}};
    Study study{};
    study.watches = watches;
    study.watch_count = 3;
    study.trajectory_every_s = 0.0031;
    study.trajectory_scenes = 1000;
    Ran a = run_scenes(native_device(), many.scenes, study), b = run_scenes(opencl.device, many.scenes, study);
    EXPECT_EQ(different_scenes(a, b, 64), 0u);
    EXPECT_TRUE(same_bits(a.result.frames, b.result.frames, a.batch.frame_state_count * sizeof(BodyState)));
    EXPECT_TRUE(same_bits(a.result.extremes, b.result.extremes, 3 * 64 * sizeof(Extreme)));
    EXPECT_GT(a.result.extremes[0].value, 0);
}

TEST(JointBitsDevice, FixedStepsAndPointGravityToo) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Scenes tied(24, tied_or_not);
    for (unsigned k = 0; k < 24; k++) {
        tied.scenes[k].method = k % 3 == 0 ? METHOD_RK4 : METHOD_EVENTS;
        tied.scenes[k].compat_modia3d = tied.scenes[k].single_contact = k % 3 == 1;
        if (k % 3 != 2) continue;
        tied.scenes[k].has_point_gravity = 1;
        tied.scenes[k].gravity_strength_m3_per_s2 = 3;
        for (double &g : tied.scenes[k].gravity_m_per_s2) g = 0;
        tied.scenes[k].gravity_centre_m[2] = -1;
    }
    Ran a = run_scenes(native_device(), tied.scenes), b = run_scenes(opencl.device, tied.scenes);
    EXPECT_EQ(different_scenes(a, b, 24), 0u);
}

} // namespace
