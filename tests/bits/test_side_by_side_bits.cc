// A processor carries several scenes side by side and tries steps of balls on planes (kernels/stepper/ball_lanes_try.h)
// and of solids on their corners (kernels/stepper/corner_lanes_try.h) together: a scene has the same bits alone, beside
// any others in any order, and on OpenCL, one after the other or side by side.
#include <algorithm>

#include "random_scenes.h"

namespace {

/// One to three balls between planes, tilted ones among them, of which they are A or B; with and without friction,
/// spin, rolling resistance, damping; soft ones and such that roll on without end; a box between them in some.
SceneBuilder balls_on_planes(unsigned seed) {
    std::mt19937_64 engine(seed);
    SceneBuilder b;
    b.material(seed % 3 == 0 ? 1e8 : 2e11);
    const uint32_t kinds[] = {DAMPING_EXACT, DAMPING_FLORES, DAMPING_NONE};
    b.pair(0, 0, uniform(engine, 0.2, 1), seed % 4 == 0 ? 0 : uniform(engine, 0, 0.6), seed % 5 == 0 ? 0.01 : 0,
           kinds[seed / 2 % 3]);
    b.scene.end_s = seed % 7 == 0 ? 0.05 : 0.25;
    const bool spins_fast = seed % 12 == 3; // such that turning holds back steps of soft ones
    const double spin = spins_fast ? 2000 : 20;
    for (const bool planes : {seed % 2 == 0, seed % 2 != 0}) {
        if (planes) {
            const double tilt = seed % 11 == 0 ? 0 : uniform(engine, -0.2, 0.2);
            b.body("floor", true, {0, 0, 0});
            b.shape(SHAPE_HALF_SPACE, {tilt, 0.3 * tilt, 1, 0});
            b.body("wall", true, {0.3, 0, 0});
            b.shape(SHAPE_HALF_SPACE, {-1, 0, tilt, 0});
            continue;
        }
        for (unsigned k = 0; k < 1 + seed / 3 % 3; k++) {
            SceneBody &ball = b.ball(uniform(engine, 0.03, 0.06),
                                     {-0.1 + 0.15 * k, uniform(engine, 0, 0.05), uniform(engine, 0.08, 0.2)});
            for (double &v : ball.velocity_m_per_s) v = seed % 11 == 0 ? 0 : uniform(engine, -1, 1);
            for (double &w : ball.angular_velocity_rad_per_s)
                w = seed % 3 == 1 || spins_fast ? uniform(engine, -spin, spin) : 0;
        }
        if (seed % 9 == 4) {
            b.body("box", false, {0, 0.3, 0.2});
            b.shape(SHAPE_BOX, {0.1, 0.05, 0.05, 0});
        }
    }
    return b;
}

/// A box or a capsule thrown on a floor beside a wall, one of which is A of its pairs and the other B; sliding without
/// end, sticking, with rolling resistance, soft; in some another flies past, or comes down as well.
SceneBuilder solids_on_planes(unsigned seed) {
    std::mt19937_64 engine(seed);
    SceneBuilder b;
    b.material(seed % 3 == 0 ? 1e8 : 2e11);
    b.pair(0, 0, 0.5, seed % 5 == 0 ? 0 : 0.4, seed % 4 == 0 ? 0.01 : 0, seed % 7 == 0 ? DAMPING_NONE : DAMPING_FLORES);
    b.scene.end_s = 0.25;
    b.ground();
    for (unsigned k = 0; k < (seed % 6 == 1 ? 2u : 1u); k++) {
        SceneBody &body = b.body("box", false, {0, 0.5 * k + uniform(engine, -0.02, 0.02), 0.15});
        body.rotation.kind = ROTATION_QUATERNION;
        for (double &q : body.rotation.value) q = seed % 9 == 8 ? 0 : uniform(engine, -1, 1);
        if (seed % 9 == 8) body.rotation.value[0] = 1; // on four corners at once
        for (double &v : body.velocity_m_per_s) v = uniform(engine, -1, 1);
        for (double &w : body.angular_velocity_rad_per_s) w = seed % 9 == 8 ? 0 : uniform(engine, -8, 8);
        if (seed % 3 == 1)
            b.shape(SHAPE_CAPSULE, {0.05, 0.1, 0, 0});
        else
            b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
    }
    b.body("wall", true, {0.3, 0, 0});
    b.shape(SHAPE_HALF_SPACE, {-1, 0, 0.2, 0});
    if (seed % 5 == 2) b.ball(0.05, {-0.4, 0, seed % 2 == 0 ? 2 : 0.1});
    return b;
}

struct Many {
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    explicit Many(unsigned count, SceneBuilder (*made)(unsigned) = balls_on_planes) {
        for (unsigned k = 0; k < count; k++) builders.push_back(made(k));
        for (SceneBuilder &b : builders) scenes.push_back(b.view());
    }
};

const unsigned SCENES = 300;

const unsigned SOLIDS = 160;

void expect_alone_as_side_by_side(const Many &many) {
    const auto count = unsigned(many.scenes.size());
    DeviceHolder one("native", 0, 1);
    Ran whole = run_scenes(one.device, many.scenes);
    EXPECT_GT(whole.result.event_count, 3 * count);
    for (unsigned k = 0; k < count; k++) {
        Ran alone = run_scenes(one.device, {many.scenes[k]}, Study{}, {k});
        ASSERT_TRUE(same_scene(whole, k, alone, 0)) << k;
    }
}

TEST(SideBySide, AloneAndSideBySide) { expect_alone_as_side_by_side(Many(SCENES)); }
TEST(SideBySide, SolidsAloneAndSideBySide) { expect_alone_as_side_by_side(Many(SOLIDS, solids_on_planes)); }

void expect_any_neighbours_in_any_order(const Many &many, unsigned rounds) {
    const auto all = unsigned(many.scenes.size());
    DeviceHolder one("native", 0, 1), three("native", 0, 3);
    Ran whole = run_scenes(one.device, many.scenes);
    std::mt19937_64 engine(7);
    std::vector<unsigned> order(all);
    for (unsigned k = 0; k < all; k++) order[k] = k;
    for (unsigned round = 0; round < rounds; round++) {
        std::shuffle(order.begin(), order.end(), engine);
        const unsigned count = round < 20 ? 2 + round : all;
        std::vector<SceneDescription> some;
        for (unsigned k = 0; k < count; k++) some.push_back(many.scenes[order[k]]);
        Ran mixed = run_scenes(round % 2 == 0 ? one.device : three.device, some);
        for (unsigned k = 0; k < count; k++)
            ASSERT_TRUE(same_scene(whole, order[k], mixed, k)) << round << " " << order[k];
    }
}

TEST(SideBySide, AnyNeighboursInAnyOrder) { expect_any_neighbours_in_any_order(Many(SCENES), 30); }
TEST(SideBySide, SolidsBesideAnyNeighboursInAnyOrder) {
    expect_any_neighbours_in_any_order(Many(SOLIDS, solids_on_planes), 22);
}

// What scenes of balls and planes hold.
const Content OF_BALLS = {PROGRAM_ADVANCE,
                          1u << SHAPE_HALF_SPACE | 1u << SHAPE_SPHERE | 1u << SHAPE_BOX,
                          0,
                          CONTENT_SOLIDS | CONTENT_WATCHES | CONTENT_BODIES | CONTENT_ISLANDS,
                          0,
                          0};

void expect_as_on_opencl(const Many &many, const Content &content) {
    Ran a = run_scenes(native_device(), many.scenes);
    for (const char *options : {"", "-DSIDE_BY_SIDE=4"}) {
        DeviceHolder cpu(content, "cpu", 0, 0, options);
        if (cpu.device == nullptr) GTEST_SKIP() << "no OpenCL CPU";
        Ran b = run_scenes(cpu.device, many.scenes);
        EXPECT_EQ(different_scenes(a, b, uint32_t(many.scenes.size())), 0u) << options;
    }
}

TEST(SideBySide, AsOnOpenCl) { expect_as_on_opencl(Many(SCENES), OF_BALLS); }
// All that scenes of `events` of these shapes hold: other shapes, and steps of other methods, take minutes to compile
// beside lanes.
TEST(SideBySide, SolidsAsOnOpenCl) {
    Content content = content_of_explicit_steps();
    content.flags &= ~SCENE_RK4;
    content.kinds = 1u << SHAPE_HALF_SPACE | 1u << SHAPE_SPHERE | 1u << SHAPE_BOX | 1u << SHAPE_CAPSULE;
    expect_as_on_opencl(Many(SOLIDS, solids_on_planes), content);
}

// What is watched of a scene: the deepest penetrations, from the start, from times that some of them are in contact at,
// and after an impact; heights, means, of bodies that are balls in some scenes and planes in others.
const size_t WATCHED_ENDS =
    13; // of them, the first: of these rows of steps are looked at where they end, else step by step
struct Watched {
    Study study{};
    std::vector<Watch> watches;
    Watched() {
        watches.push_back(watch_max(2, WATCH_PENETRATION));
        for (const uint32_t body : {0u, 2u})
            for (const double at_s : {0.03, 0.06, 0.09, 0.12, 0.15, 0.18})
                watches.push_back(Watch{at_s, body, NONE, WATCH_PENETRATION, WATCH_MAX, AFTER_TIME, 0});
        for (const uint32_t body : {0u, 2u}) {
            for (const uint32_t observable : {WATCH_PENETRATION, WATCH_POSITION + 2}) {
                watches.push_back(watch_max(body, observable));
                watches.back().after = AFTER_FIRST_CONTACT_END;
            }
            watches.push_back(Watch{0.1, body, NONE, WATCH_SPEED, WATCH_MEAN, AFTER_TIME, 0});
        }
    }
    Study of(size_t count) {
        study.watches = watches.data();
        study.watch_count = uint32_t(count);
        return study;
    }
};

bool same_extremes(const Ran &a, uint32_t i, const Ran &b, uint32_t j) {
    const Scene &sa = a.batch.scenes[i], &sb = b.batch.scenes[j];
    return sa.watch_count == sb.watch_count &&
           same_bits(a.result.extremes + sa.extreme_first, b.result.extremes + sb.extreme_first,
                     sa.watch_count * sizeof(Extreme));
}

TEST(SideBySide, WatchedAloneSideBySideAndOnOpenCl) {
    Many balls(SCENES);
    Watched watched;
    DeviceHolder one("native", 0, 1);
    DeviceHolder cpu(OF_BALLS, "cpu", 0, 0, "-DSIDE_BY_SIDE=4");
    for (const size_t count : {WATCHED_ENDS, watched.watches.size()}) {
        const Study study = watched.of(count);
        Ran whole = run_scenes(one.device, balls.scenes, study);
        unsigned seen = 0;
        for (unsigned k = 0; k < SCENES; k++) {
            Ran alone = run_scenes(one.device, {balls.scenes[k]}, study, {k});
            ASSERT_TRUE(same_scene(whole, k, alone, 0)) << count << " " << k;
            ASSERT_TRUE(same_extremes(whole, k, alone, 0)) << count << " " << k;
            seen += whole.result.extremes[whole.batch.scenes[k].extreme_first].value > 0;
        }
        EXPECT_GT(seen, SCENES / 2);
        if (cpu.device == nullptr) continue;
        Ran other = run_scenes(cpu.device, balls.scenes, study);
        for (unsigned k = 0; k < SCENES; k++) {
            ASSERT_TRUE(same_scene(whole, k, other, k)) << count << " " << k;
            ASSERT_TRUE(same_extremes(whole, k, other, k)) << count << " " << k;
        }
    }
}

} // namespace
