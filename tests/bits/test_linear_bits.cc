// Scenes with linear normal forces: the same bits alone and in any batch, on native and on OpenCL.
#include "linear_scenes.h"
#include "random_scenes.h"

namespace {

// Balls, boxes and capsules in a corner; every third of the scenes with springs across, every fourth with a damping in
// place of a restitution, from hardly any to three times the critical one of a ball.
std::vector<SceneBuilder> random_linear(unsigned count) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < count; k++) {
        std::mt19937_64 engine(k + 1);
        builders.push_back(random_scene(k));
        ScenePair &pair = builders.back().pairs.back();
        const double stiffness = uniform(engine, 1e5, 1e6), damping = uniform(engine, 0, 3000);
        make_linear(pair, stiffness, k % 4 == 3 ? damping : 0, k % 4 == 3 ? 0 : uniform(engine, 0.05, 1));
        pair.has_spring = k % 3 == 2;
        pair.spring = k / 3 % 3 * LAW_TOTAL_SPRING; // conservative, total, partial
        pair.shear_stiffness = 1;
    }
    return builders;
}

// Balls that bounce on a plane, each scene with its own numbers: their steps are tried side by side.
std::vector<SceneBuilder> bouncing(unsigned count) {
    std::vector<SceneBuilder> builders(count);
    for (unsigned k = 0; k < count; k++) {
        std::mt19937_64 engine(k + 1);
        SceneBuilder &b = builders[k];
        b.material();
        ScenePair &pair = b.pair(0, 0, 0.7, k % 2 == 0 ? 0.0 : 0.3);
        if (k % 5 != 4) make_linear(pair, uniform(engine, 1e5, 1e7), 0, uniform(engine, 0.3, 1)); // else Hertz's
        b.scene.end_s = 0.5;
        b.ground();
        b.ball(0.1, {0, 0, uniform(engine, 0.06, 0.2)}).velocity_m_per_s[0] = k % 2 == 0 ? 0.0 : 0.5;
    }
    return builders;
}

std::vector<SceneDescription> views(std::vector<SceneBuilder> &builders) {
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    return scenes;
}

TEST(LinearBits, AloneOrBesideAnyNeighbours) {
    for (auto *make : {random_linear, bouncing}) {
        std::vector<SceneBuilder> builders = make(128);
        const std::vector<SceneDescription> scenes = views(builders);
        Ran whole = run_scenes(native_device(), scenes);
        for (unsigned k = 0; k < 128; k++) {
            EXPECT_EQ(whole.progress(k).status, STATUS_OK) << k;
            EXPECT_TRUE(same_scene(whole, k, run_scenes(native_device(), {scenes[k]}, Study{}, {k}), 0)) << k;
        }
        std::vector<SceneDescription> reversed(scenes.rbegin(), scenes.rend());
        Ran backwards = run_scenes(native_device(), reversed);
        for (unsigned k = 0; k < 128; k++) EXPECT_TRUE(same_scene(whole, k, backwards, 127 - k)) << k;
    }
}

TEST(LinearBitsDevice, NativeEqualsOpenCL) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    for (auto *make : {random_linear, bouncing}) {
        std::vector<SceneBuilder> builders = make(400);
        const std::vector<SceneDescription> scenes = views(builders);
        Ran a = run_scenes(native_device(), scenes), b = run_scenes(opencl.device, scenes);
        EXPECT_EQ(different_scenes(a, b, 400), 0u);
    }
}

// The comparison can fail: a stiffness changed in its last bit.
TEST(LinearBits, ControlOfALastBitDiffers) {
    std::vector<SceneBuilder> builders = bouncing(16);
    Ran a = run_scenes(native_device(), views(builders));
    for (SceneBuilder &b : builders) {
        double &stiffness = b.pairs[0].linear_stiffness_N_per_m;
        stiffness = std::nextafter(stiffness, INFINITY);
    }
    EXPECT_GT(different_scenes(a, run_scenes(native_device(), views(builders)), 16), 8u);
}

} // namespace
