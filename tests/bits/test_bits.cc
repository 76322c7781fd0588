// A scene gives the same bits alone and in any batch, on native and on OpenCL, beside any neighbour.
#include "random_scenes.h"

namespace {

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

// Scenes read the first one's shapes and laws where theirs are the same; that and where rows lie changes no bits.
TEST(Bits, RowsThatScenesShare) {
    Many many(3);
    const SceneDescription other = many.scenes[2];
    std::vector<SceneShape> shapes(other.shapes, other.shapes + other.shape_count);
    std::vector<SceneDescription> scenes = {many.scenes[0], other, many.scenes[0], other};
    for (SceneShape &shape : shapes)
        if (shape.kind == SHAPE_SPHERE) shape.size_m[0] *= 1.25;
    scenes[1].shapes = shapes.data();
    Ran ran = run_scenes(native_device(), scenes);
    const Scene *staged = ran.batch.scenes;
    EXPECT_EQ(staged[0].shape_first, staged[2].shape_first);
    EXPECT_EQ(staged[0].law_first, staged[2].law_first);
    EXPECT_NE(staged[0].shape_first, staged[1].shape_first);
    size_t rows = staged[0].shape_count;
    for (unsigned k = 1; k < 4; k++) rows += staged[k].shape_first != 0 ? staged[k].shape_count : 0;
    EXPECT_EQ(ran.batch.shape_count, rows);
    EXPECT_TRUE(same_scene(ran, 0, ran, 2));
    for (unsigned k : {1u, 3u})
        EXPECT_TRUE(same_scene(run_scenes(native_device(), {scenes[k]}, Study{}, {k}), 0, ran, k));
}

TEST(Bits, InABatchOf4096) {
    Many few(256), all(4096);
    Ran a = run_scenes(native_device(), few.scenes), b = run_scenes(native_device(), all.scenes);
    for (unsigned k = 0; k < 256; k++) EXPECT_TRUE(same_scene(a, k, b, k));
}

TEST(Bits, OneThreadOrMany) {
    Many many(64);
    DeviceHolder one("native", 0, 1), five("native", 0, 5);
    Ran a = run_scenes(one.device, many.scenes), b = run_scenes(five.device, many.scenes);
    EXPECT_EQ(different_scenes(a, b, 64), 0u);
}

TEST(Bits, ObserversBesideAnyNeighbours) {
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    for (unsigned k = 0; k < 32; k++) builders.push_back(with_gates(k));
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran whole = run_scenes(native_device(), scenes);
    for (unsigned k = 0; k < 32; k++) {
        Ran alone = run_scenes(native_device(), {scenes[k]}, Study{}, {k});
        EXPECT_TRUE(same_scene(whole, k, alone, 0));
    }
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
    std::vector<Capacities> rooms(32, Capacities{1, 1, 8, 1, 0, 0, 0});
    std::vector<uint64_t> numbers(32);
    for (unsigned k = 0; k < 32; k++) numbers[k] = k;
    Ran small;
    ASSERT_EQ(stage_pack(&study, many.scenes.data(), numbers.data(), rooms.data(), 32, &small.batch, nullptr),
              CLACK_OK);
    ASSERT_EQ(stepper_run(native_device(), &study, many.scenes.data(), &small.batch, nullptr, &small.result, nullptr),
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
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Many many(10000);
    Ran a = run_scenes(native_device(), many.scenes), b = run_scenes(opencl.device, many.scenes);
    EXPECT_EQ(different_scenes(a, b, 10000), 0u);
}

// Observer pairs, their largest overlaps, and gravity towards a point.
TEST(BitsDevice, NativeEqualsOpenCLWithObserversAndPointGravity) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    for (unsigned k = 0; k < 400; k++) {
        builders.push_back(with_gates(k));
        SceneDescription &scene = builders.back().scene;
        if (k % 2 == 0) continue;
        scene.has_point_gravity = 1;
        scene.gravity_m_per_s2[2] = 0;
        scene.gravity_centre_m[2] = -1;
        scene.gravity_strength_m3_per_s2 = 10;
    }
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    std::vector<Watch> watches = {watch_max(0, WATCH_OVERLAP), watch_max(2, WATCH_OVERLAP)};
    Study study{};
    study.watch_count = 2;
    study.watches = watches.data();
    Ran a = run_scenes(native_device(), scenes, study), b = run_scenes(opencl.device, scenes, study);
    EXPECT_EQ(different_scenes(a, b, 400), 0u);
    EXPECT_TRUE(same_bits(a.result.extremes, b.result.extremes, 800 * sizeof(Extreme)));
    EXPECT_GT(a.result.extremes[0].value, 0);
}

// Springs, or in every fourth scene an ellipsoid with an axis that turns with one of the bodies.
std::vector<SceneBuilder> with_springs(unsigned count) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < count; k++) {
        builders.push_back(random_scene(k));
        ScenePair &pair = builders.back().pairs.back();
        pair.has_spring = k % 4 != 3;
        pair.spring = k % 3 * LAW_TOTAL_SPRING; // conservative, total, partial
        pair.shear_stiffness = 1;
        pair.has_ellipsoid = pair.has_friction_axis = k % 4 == 3;
        pair.axis_material = pair.material_a;
        const double e[3] = {1.3, 0.8, 0.01}, axis[3] = {1, -0.5, 0.3};
        for (size_t i = 0; i < 3; i++) pair.friction_ellipsoid[i] = e[i], pair.friction_axis[i] = axis[i];
    }
    return builders;
}

// Friction by springs, which have a state of their own, and over ellipsoids.
TEST(Bits, SpringsBesideAnyNeighbours) {
    std::vector<SceneBuilder> builders = with_springs(32);
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran whole = run_scenes(native_device(), scenes);
    for (unsigned k = 0; k < 32; k++) {
        Ran alone = run_scenes(native_device(), {scenes[k]}, Study{}, {k});
        EXPECT_TRUE(same_scene(whole, k, alone, 0));
    }
}

TEST(BitsDevice, NativeEqualsOpenCLWithSprings) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    std::vector<SceneBuilder> builders = with_springs(100);
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran a = run_scenes(native_device(), scenes), b = run_scenes(opencl.device, scenes);
    EXPECT_EQ(different_scenes(a, b, 100), 0u);
}

// Contacts that remember what touched.
TEST(BitsDevice, NativeEqualsOpenCLWithSearches) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    for (unsigned k = 0; k < 400; k++) builders.push_back(with_searches(k % 2 ? with_gates(k) : random_scene(k)));
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran a = run_scenes(native_device(), scenes), b = run_scenes(opencl.device, scenes);
    EXPECT_EQ(different_scenes(a, b, 400), 0u);
    for (unsigned k : {0u, 17u, 399u})
        EXPECT_TRUE(same_scene(a, k, run_scenes(native_device(), {scenes[k]}, Study{}, {k}), 0));
}

// The comparison can fail: one unit in the last place of one scene's start gives other bits. With contraction, as
// -cl-fast-relaxed-math has it: test_evaluate_bits.cc.
TEST(Bits, ControlWithOneUlpDiffers) {
    Many many(100);
    Ran a = run_scenes(native_device(), many.scenes);
    double &height = many.builders[17].bodies.back().position_m[2];
    height = std::nextafter(height, 1e9);
    Ran b = run_scenes(native_device(), many.scenes);
    EXPECT_EQ(different_scenes(a, b, 100), 1u);
}

} // namespace
