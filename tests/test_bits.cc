// A scene gives the same bits alone and in any batch, on native and on OpenCL, beside any neighbour.
#include <random>

#include "scene_builder.h"

namespace {

double uniform(std::mt19937_64 &engine, double low, double high) {
    return low + (high - low) * std::uniform_real_distribution<double>(0, 1)(engine);
}

// A random scene of balls, boxes and capsules in a corner: all pairs of shapes, friction, rolling.
SceneBuilder random_scene(unsigned seed) {
    std::mt19937_64 engine(seed);
    SceneBuilder b;
    b.material(uniform(engine, 1e9, 5e9));
    b.pair(0, 0, uniform(engine, 0.3, 0.95), seed % 3 == 0 ? 0 : uniform(engine, 0, 0.5),
           seed % 4 == 0 ? 0 : 1e-3);
    b.scene.end_s = 0.12;
    b.ground();
    b.body("wall", true, {0, 0, 0});
    b.shape(SHAPE_BOX, {0.2, 0.2, 0.1, 0});
    const int bodies = 1 + int(seed % 4);
    for (int k = 0; k < bodies; k++) {
        b.body("body", false,
               {uniform(engine, -0.1, 0.1), uniform(engine, -0.1, 0.1), 0.16 + 0.18 * k + uniform(engine, 0, 0.01)});
        SceneBody &body = b.bodies.back();
        for (int i = 0; i < 3; i++) {
            body.velocity_m_per_s[i] = uniform(engine, -1, 1);
            body.angular_velocity_rad_per_s[i] = uniform(engine, -5, 5);
        }
        body.velocity_m_per_s[2] -= 1 + 0.5 * k;
        body.rotation.kind = ROTATION_QUATERNION;
        for (int i = 0; i < 4; i++) body.rotation.value[i] = uniform(engine, -1, 1);
        const uint32_t kinds[] = {SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE};
        const uint32_t kind = kinds[engine() % 3];
        b.shape(kind, {uniform(engine, 0.05, 0.09), uniform(engine, 0.03, 0.06), uniform(engine, 0.04, 0.08), 0});
    }
    return b;
}

bool same_bits(const void *a, const void *b, size_t bytes) { return std::memcmp(a, b, bytes) == 0; }

// Compare scene `i` of one run with scene `j` of another: states, progress and events.
::testing::AssertionResult same_scene(const Ran &a, uint32_t i, const Ran &b, uint32_t j) {
    const Scene &sa = a.batch.scenes[i], &sb = b.batch.scenes[j];
    if (sa.body_count != sb.body_count) return ::testing::AssertionFailure() << "bodies";
    if (!same_bits(a.result.states + sa.body_first, b.result.states + sb.body_first,
                   sa.body_count * sizeof(BodyState))) {
        return ::testing::AssertionFailure() << "states of scene " << i << " differ";
    }
    if (!same_bits(&a.result.progress[i], &b.result.progress[j], sizeof(Progress))) {
        return ::testing::AssertionFailure() << "progress of scene " << i << " differs";
    }
    const auto ea = a.events(i), eb = b.events(j);
    if (ea.size() != eb.size() || !same_bits(ea.data(), eb.data(), ea.size() * sizeof(Event))) {
        return ::testing::AssertionFailure() << "events of scene " << i << " differ";
    }
    return ::testing::AssertionSuccess();
}

struct Many {
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    explicit Many(unsigned count, unsigned first = 0) {
        for (unsigned k = 0; k < count; k++) builders.push_back(random_scene(first + k));
        for (SceneBuilder &b : builders) scenes.push_back(b.view());
    }
};

unsigned different_scenes(const Ran &a, const Ran &b, unsigned count) {
    unsigned different = 0;
    for (unsigned k = 0; k < count; k++) different += !same_scene(a, k, b, k);
    return different;
}

TEST(Bits, AloneOrInAnyBatchAtAnyPosition) {
    Many many(256);
    Ran whole = run_scenes(native_device(), many.scenes);
    for (unsigned k : {0u, 5u, 77u, 255u}) {
        Ran alone = run_scenes(native_device(), {many.scenes[k]}, Study{}, {k});
        EXPECT_TRUE(same_scene(whole, k, alone, 0));
        std::vector<SceneDescription> seven(many.scenes.begin() + 100, many.scenes.begin() + 106);
        seven.insert(seven.begin() + 3, many.scenes[k]);
        Ran among = run_scenes(native_device(), seven);
        EXPECT_TRUE(same_scene(whole, k, among, 3));
    }
    std::vector<SceneDescription> reversed(many.scenes.rbegin(), many.scenes.rend());
    Ran backwards = run_scenes(native_device(), reversed);
    for (unsigned k = 0; k < 256; k++) EXPECT_TRUE(same_scene(whole, k, backwards, 255 - k));
}

TEST(Bits, OneThreadOrMany) {
    Many many(64);
    DeviceHolder one("native", 0, 1), five("native", 0, 5);
    Ran a = run_scenes(one.device, many.scenes), b = run_scenes(five.device, many.scenes);
    EXPECT_EQ(different_scenes(a, b, 64), 0u);
}

TEST(Bits, APoisonedNeighbourIsFlaggedAndAlone) {
    Many many(16);
    Ran good = run_scenes(native_device(), many.scenes);
    for (unsigned place : {0u, 7u, 15u}) {
        SceneBuilder poison = random_scene(place);
        poison.bodies[2].velocity_m_per_s[0] = NAN;
        std::vector<SceneDescription> scenes = many.scenes;
        scenes[place] = poison.view();
        Ran ran = run_scenes(native_device(), scenes);
        EXPECT_EQ(ran.progress(place).status, STATUS_NOT_FINITE);
        for (unsigned k = 0; k < 16; k++) {
            if (k == place) continue;
            EXPECT_TRUE(same_scene(good, k, ran, k));
        }
    }
}

TEST(Bits, SmallRoomGivesTheSameScene) {
    Many many(32);
    Ran whole = run_scenes(native_device(), many.scenes);
    Study study{};
    study.scene = many.scenes[0];
    std::vector<Capacities> rooms(32, Capacities{1, 1, 8});
    std::vector<uint64_t> numbers(32);
    for (unsigned k = 0; k < 32; k++) numbers[k] = k;
    Ran small;
    ASSERT_EQ(stage_pack(&study, many.scenes.data(), numbers.data(), rooms.data(), 32, &small.batch, nullptr),
              CLACK_OK);
    ASSERT_EQ(stepper_run(native_device(), &study, many.scenes.data(), &small.batch, nullptr, &small.result,
                          nullptr),
              CLACK_OK);
    for (uint32_t k = 0; k < 32; k++) {
        const auto a = whole.events(k), b = small.events(k);
        EXPECT_EQ(whole.progress(k).status, small.progress(k).status);
        ASSERT_EQ(a.size(), b.size()) << k;
        EXPECT_TRUE(same_bits(a.data(), b.data(), a.size() * sizeof(Event))) << k;
        EXPECT_TRUE(same_bits(whole.result.states + whole.batch.scenes[k].body_first,
                              small.result.states + small.batch.scenes[k].body_first,
                              whole.batch.scenes[k].body_count * sizeof(BodyState)));
    }
}

TEST(BitsDevice, NativeEqualsOpenCL) {
    DeviceHolder opencl("cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Many many(10000);
    Ran a = run_scenes(native_device(), many.scenes), b = run_scenes(opencl.device, many.scenes);
    EXPECT_EQ(different_scenes(a, b, 10000), 0u);
}

// The comparison can fail: contraction on gives other bits.
TEST(BitsDevice, ControlWithRelaxedMathDiffers) {
    DeviceHolder opencl("cpu", 0, 0, "-cl-fast-relaxed-math");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Many many(100);
    Ran a = run_scenes(native_device(), many.scenes), b = run_scenes(opencl.device, many.scenes);
    EXPECT_GT(different_scenes(a, b, 100), 0u);
}

TEST(BitsDevice, LanesShareASceneWithoutAnotherBit) {
    DeviceHolder opencl("cpu", 4);
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Many many(200);
    Ran a = run_scenes(native_device(), many.scenes), b = run_scenes(opencl.device, many.scenes);
    EXPECT_EQ(different_scenes(a, b, 200), 0u);
}

} // namespace
