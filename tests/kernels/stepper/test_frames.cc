// Frames lie where the grid of outer steps does not, and within steps, flights and the windows of groups: they show
// what is there, and change no bit of what comes after.
#include <cmath>

#include "random_scenes.h"
#include "base/vec3.h"

namespace {

Study framed(double every_s) {
    Study study{};
    study.trajectory_every_s = every_s;
    study.trajectory_scenes = 1000000;
    return study;
}

// Balls on a floor, every third one falling, the others rolling: groups that are stepped one after the other.
SceneBuilder rolling_row(int balls, double step_s) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, 0.5, 0.3);
    b.ground();
    for (int n = 0; n < balls; n++) {
        b.ball(0.1, {0.3 * n, 0, n % 3 == 0 ? 0.06 + 0.01 * n : 0.05 - 1.14e-6});
        b.bodies.back().velocity_m_per_s[0] = 0.1 * n;
    }
    b.scene.step_s = step_s;
    b.scene.end_s = 0.2;
    return b;
}

// One ball that bounces and rolls, by itself: rows of steps, which go on within packs where it has no rolling
// resistance. The impacts of soft ones last for milliseconds.
SceneBuilder alone(unsigned seed) {
    std::mt19937_64 engine(seed);
    SceneBuilder b;
    b.material(seed % 3 ? 1e8 : 2e11, 0.3, 1000);
    b.pair(0, 0, uniform(engine, 0.4, 0.9), seed % 2 ? 0.3 : 0, seed % 4 == 3 ? 1e-3 : 0);
    b.ground();
    b.ball(0.1, {0, 0, uniform(engine, 0.05, 0.06)});
    for (double &speed : b.bodies.back().velocity_m_per_s) speed = uniform(engine, -1, 1);
    for (double &spin : b.bodies.back().angular_velocity_rad_per_s) spin = uniform(engine, -20, 20);
    b.scene.end_s = 0.2;
    return b;
}

// A box that lies and freezes, and one that is hit awake by a ball.
SceneBuilder woken() {
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.4, 0.3);
    b.ground();
    for (int n = 0; n < 2; n++) {
        b.body("box", false, {0.5 * n, 0, 0.05});
        b.shape(SHAPE_BOX, {0.1, 0.1, 0.1, 0});
    }
    b.ball(0.05, {-0.4, 0, 0.05}).velocity_m_per_s[0] = 2;
    b.bodies.back().velocity_m_per_s[2] = 0.8;
    b.ball(0.05, {0.2, 1, 0.025}).velocity_m_per_s[0] = 1;
    b.scene.end_s = 0.4;
    return b;
}

SceneBuilder orbiting() {
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.7, 0.3);
    for (double &g : b.scene.gravity_m_per_s2) g = 0;
    b.scene.has_point_gravity = 1;
    b.scene.gravity_strength_m3_per_s2 = 10;
    b.ball(0.1, {1, 0, 0}).velocity_m_per_s[1] = 3;
    b.ball(0.1, {1.2, 0.3, 0}).velocity_m_per_s[1] = -1;
    b.scene.end_s = 0.3;
    return b;
}

SceneBuilder fixed_steps() {
    SceneBuilder b = random_scene(3);
    b.scene.method = METHOD_RK4;
    b.scene.step_s = 1e-5;
    b.scene.end_s = 0.05;
    return b;
}

std::vector<SceneBuilder> all_kinds() {
    std::vector<SceneBuilder> builders;
    for (unsigned seed = 0; seed < 48; seed++) builders.push_back(random_scene(seed));
    for (unsigned seed = 0; seed < 8; seed++) builders.push_back(with_gates(seed));
    for (unsigned seed = 0; seed < 8; seed++) builders.push_back(with_searches(random_scene(seed)));
    for (unsigned seed = 0; seed < 24; seed++) builders.push_back(alone(seed));
    for (const double step_s : {1e-3, 1e-2}) builders.push_back(rolling_row(12, step_s));
    builders.push_back(woken());
    builders.push_back(orbiting());
    builders.push_back(fixed_steps());
    for (unsigned seed = 0; seed < 6; seed++) {
        builders.push_back(random_scene(seed));
        builders.back().pairs.back().has_spring = 1;
        builders.back().pairs.back().spring = seed % 3 * LAW_TOTAL_SPRING;
        builders.back().pairs.back().shear_stiffness = 1;
    }
    return builders;
}

std::vector<SceneDescription> views(std::vector<SceneBuilder> &builders) {
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    return scenes;
}

const std::vector<Watch> &watches() {
    static const std::vector<Watch> list = {watch_max(1, WATCH_PENETRATION), watch_max(1, WATCH_CONTACT_FORCE),
                                            watch_max(1, WATCH_POSITION), watch_max(1, WATCH_ORIENTATION),
                                            Watch{0, 1, NONE, WATCH_SPEED, WATCH_MEAN, AFTER_START, 0}};
    return list;
}

// In which scenes does anything but the count of frames depend on them?
void expect_no_bit_changed(Device *device, double every_s, bool is_watched) {
    std::vector<SceneBuilder> builders = all_kinds();
    const std::vector<SceneDescription> scenes = views(builders);
    Study plain{}, recorded = framed(every_s);
    const size_t watched = is_watched ? watches().size() : 0;
    plain.watch_count = recorded.watch_count = uint32_t(watched);
    plain.watches = recorded.watches = const_cast<Watch *>(watches().data());
    Ran without = run_scenes(device, scenes, plain), with = run_scenes(device, scenes, recorded);
    for (uint32_t k = 0; k < scenes.size(); k++) {
        Progress &progress = with.result.progress[k];
        EXPECT_EQ(progress.status, STATUS_OK) << k;
        EXPECT_EQ(progress.frame_count, stage_frame_count(scenes[k].end_s, every_s)) << k;
        progress.frame_count = 0;
        EXPECT_TRUE(same_scene(with, k, without, k)) << "frames every " << every_s << " s, scene " << k;
    }
    EXPECT_TRUE(same_bits(with.result.extremes, without.result.extremes, scenes.size() * watched * sizeof(Extreme)))
        << every_s;
}

TEST(Frames, ChangeNoBit) {
    for (const double every_s : {1e-3, 1e-2, 0.0137, 1.7e-4}) {
        expect_no_bit_changed(native_device(), every_s, false);
        expect_no_bit_changed(native_device(), every_s, true);
    }
}

TEST(Frames, ChangeNoBitOnOpenClCpu) {
    DeviceHolder cpu(content_of_explicit_steps(), "cpu");
    if (cpu.device == nullptr) GTEST_SKIP() << "no OpenCL processor";
    for (const double every_s : {1e-3, 0.0037}) expect_no_bit_changed(cpu.device, every_s, true);
}

// The scenes that the cases above are about: a box that sleeps is hit, and groups go by themselves.
TEST(Frames, AreOfScenesThatWakeAndOfGroups) {
    SceneBuilder sleeper = woken(), row = rolling_row(12, 1e-3);
    Ran ran = run_scene(sleeper);
    ASSERT_EQ(ran.events_of_kind(EVENT_WAKE).size(), 1u);
    EXPECT_EQ(ran.events_of_kind(EVENT_REST)[0].body_a, ran.events_of_kind(EVENT_WAKE)[0].body_a);
    Ran all = run_scene(row);
    EXPECT_LT(all.progress().forces, 6 * all.progress().evaluations); // of twelve contacts, were all to go together
}

const BodyState &frame_state(const Ran &ran, uint32_t scene, uint32_t frame, uint32_t body) {
    const Scene &s = ran.batch.scenes[scene];
    return ran.result.frames[s.frame_first + frame * s.body_count + body];
}

// Every fourth frame of one run is each frame of another one, to the bit: wherever the others lie, each is read from
// the same steps. Those of the last run fall on ends of outer steps.
TEST(Frames, AreTheSameWhateverOthersThereAre) {
    std::vector<SceneBuilder> builders = all_kinds();
    for (const double step_s : {1e-3, 0.0009765625}) {
        for (SceneBuilder &b : builders) b.scene.step_s = b.scene.method == METHOD_RK4 ? step_s / 128 : step_s;
        const std::vector<SceneDescription> scenes = views(builders);
        Ran few = run_scenes(native_device(), scenes, framed(0.00390625)),
            many = run_scenes(native_device(), scenes, framed(0.0009765625));
        for (uint32_t k = 0; k < scenes.size(); k++) {
            for (uint32_t frame = 0; frame < few.progress(k).frame_count; frame++) {
                const BodyState *x = &frame_state(few, k, frame, 0), *y = &frame_state(many, k, 4 * frame, 0);
                EXPECT_TRUE(same_bits(x, y, scenes[k].body_count * sizeof(BodyState)))
                    << step_s << " scene " << k << " frame " << frame;
            }
            for (uint32_t frame = 0; frame < many.progress(k).frame_count; frame++) {
                for (uint32_t b = 0; b < scenes[k].body_count; b++) {
                    const Quat q = frame_state(many, k, frame, b).orientation;
                    EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-12)
                        << k << " " << frame << " " << b;
                }
            }
        }
    }
}

// A scene that ends when all rest has the frames up to there.
TEST(Frames, EndWithTheScene) {
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.4, 0.3);
    b.ground();
    b.body("box", false, {0, 0, 0.06});
    b.shape(SHAPE_BOX, {0.1, 0.1, 0.1, 0});
    b.scene.until_rest = 1;
    b.scene.end_s = 5;
    const double every_s = 0.0037;
    Ran ran = run_scene(b, framed(every_s));
    const Progress &p = ran.progress();
    const double end_s = p.step_index * b.scene.step_s + p.offset_s;
    ASSERT_EQ(p.status, STATUS_OK);
    ASSERT_LT(end_s, 4);
    EXPECT_EQ(p.frame_count, 1 + uint32_t(end_s / every_s));
}

// A flight of a spinning body over many outer steps: the way to each frame is that from the one before.
TEST(Frames, OfALongFlightAreReadOnItsWay) {
    SceneBuilder b;
    b.material(1e9);
    b.ball(0.1, {0, 0, 0});
    b.bodies.back().angular_velocity_rad_per_s[1] = 3;
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.end_s = 60;
    Ran ran = run_scene(b, framed(1e-3)), end = run_scene(b); // were each read from the start: 1.8e9 rotations, minutes
    ASSERT_EQ(ran.progress().frame_count, 60001u);
    for (uint32_t frame = 0; frame <= 60000; frame += 777) {
        const Quat q = frame_state(ran, 0, frame, 0).orientation;
        EXPECT_NEAR(std::abs(q.w * std::cos(1.5e-3 * frame) + q.y * std::sin(1.5e-3 * frame)), 1, 1e-12) << frame;
    }
    EXPECT_TRUE(same_bits(&frame_state(ran, 0, 60000, 0), &end.result.states[0], sizeof(BodyState)));
}

// 13 steps of 1 ms are longer than 0.013 s by rounding: a frame may lie 1e-18 s before the outer step that a flight to
// it ends with. (Unsigned, that many steps less than none were four billion: minutes for each frame, and a wrong one.)
TEST(Frames, MayLieBelowTheEndOfAStepByRounding) {
    uint32_t below = 0;
    for (const double every_s : {0.013, 0.007, 0.019, 0.0003, 0.0137}) {
        SceneBuilder b;
        b.material(1e9);
        b.ball(0.1, {0, 0, 0}).angular_velocity_rad_per_s[1] = 3;
        b.body("box", false, {1, 0, 0});
        b.shape(SHAPE_BOX, {0.1, 0.1, 0.1, 0});
        b.bodies.back().angular_velocity_rad_per_s[1] = 3;
        b.scene.end_s = 0.3;
        Ran ran = run_scene(b, framed(every_s));
        ASSERT_EQ(ran.progress().frame_count, stage_frame_count(0.3, every_s));
        for (uint32_t frame = 0; frame < ran.progress().frame_count; frame++) {
            const double time_s = frame * every_s;
            below += time_s - double(uint32_t(time_s / 1e-3)) * 1e-3 < 0;
            for (uint32_t body = 0; body < 2; body++) {
                const BodyState &state = frame_state(ran, 0, frame, body);
                EXPECT_NEAR(state.position_m.z, -0.5 * 9.81 * time_s * time_s, 1e-15) << every_s << " " << frame;
                const Quat q = state.orientation;
                EXPECT_NEAR(q.w * std::cos(1.5 * time_s) + q.y * std::sin(1.5 * time_s), 1, 1e-13) << every_s;
            }
        }
    }
    EXPECT_GE(below, 5u); // or nothing has been tested
}

// Scenes that end at the time of a frame end as the frame shows them, to the tolerance of the steps before.
TEST(Frames, ShowWhatScenesEndWith) {
    const double every_s = 0.00737;
    std::vector<SceneBuilder> builders = all_kinds();
    std::vector<SceneDescription> scenes = views(builders);
    Ran ran = run_scenes(native_device(), scenes, framed(every_s));
    double worst_m = 0, worst_m_per_s = 0, worst_turn = 0;
    for (const uint32_t frame : {1u, 3u, 4u, 6u}) {
        for (SceneDescription &scene : scenes) scene.end_s = frame * every_s;
        Ran ended = run_scenes(native_device(), scenes);
        for (uint32_t k = 0; k < scenes.size(); k++) {
            for (uint32_t b = 0; b < scenes[k].body_count; b++) {
                const BodyState x = frame_state(ran, k, frame, b), y = ended.state(b, k);
                const double off_m = vec3_length(vec3_sub(x.position_m, y.position_m));
                const double off_m_per_s = vec3_length(vec3_sub(x.velocity_m_per_s, y.velocity_m_per_s));
                const Quat p = x.orientation, q = y.orientation;
                const double turn =
                    std::abs(p.w - q.w) + std::abs(p.x - q.x) + std::abs(p.y - q.y) + std::abs(p.z - q.z);
                if (off_m > 1e-9 || off_m_per_s > 3e-6 || turn > 1e-8)
                    printf("scene %u body %u frame %u: %.1e m, %.1e m/s, %.1e\n", k, b, frame, off_m, off_m_per_s,
                           turn);
                worst_m = std::max(worst_m, off_m);
                worst_m_per_s = std::max(worst_m_per_s, off_m_per_s);
                worst_turn = std::max(worst_turn, turn);
            }
        }
    }
    printf("frames are off by up to %.1e m, %.1e m/s, %.1e of the orientation\n", worst_m, worst_m_per_s, worst_turn);
    EXPECT_LT(worst_m, 1e-9);
    EXPECT_LT(worst_m_per_s, 3e-6);
    EXPECT_LT(worst_turn, 1e-8);
}

} // namespace
