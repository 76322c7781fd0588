// Long flights: several outer steps at once where nothing touches and nobody has to look.
#include "random_scenes.h"

namespace {

// Of what turns the extreme has to be looked for in every outer step: nothing flies long.
struct Rough {
    Watch watch;
    Study study{};
    explicit Rough(uint32_t body) : watch(watch_max(body, WATCH_ORIENTATION + 1)) {
        study.watch_count = 1;
        study.watches = &watch;
    }
};

SceneBuilder bouncing_ball(double end_s, double step_s) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, 0.9, 0.3);
    b.ground();
    b.ball(0.1, {0, 0, 1});
    b.scene.end_s = end_s;
    b.scene.step_s = step_s;
    return b;
}

TEST(Flight, EndsInTheSameBitsByWhicheverSteps) {
    unsigned fewer = 0;
    for (unsigned seed = 0; seed < 64; seed++) {
        SceneBuilder b = random_scene(seed);
        for (SceneBody &body : b.bodies) {
            if (!body.is_fixed) body.position_m[2] += 0.5;
        }
        b.scene.end_s = 0.5;
        const Rough rough(2);
        Ran far = run_scene(b), near = run_scene(b, rough.study);
        ASSERT_EQ(far.progress().status, STATUS_OK);
        ASSERT_FALSE(far.events().empty()) << seed;
        EXPECT_TRUE(same_motion(far, 0, near, 0)) << seed;
        fewer += near.progress().substeps - far.progress().substeps;
    }
    EXPECT_GT(fewer, 64u * 150u);
}

TEST(Flight, TakesNoMoreStepsWhereOuterStepsAreShorter) {
    SceneBuilder one = bouncing_ball(1.8, 1e-3), other = bouncing_ball(1.8, 1e-4);
    Ran coarse = run_scene(one), fine = run_scene(other);
    const auto a = coarse.events(), b = fine.events();
    ASSERT_EQ(a.size(), b.size());
    ASSERT_GE(a.size(), 4u);
    // Contacts are cut by outer steps; of 18,000 only those are counted in which the ball touches.
    EXPECT_LT(fine.progress().substeps, coarse.progress().substeps + 60u);
    for (size_t k = 0; k < 2; k++) EXPECT_NEAR(a[k].time_s, b[k].time_s, 1e-10);
    EXPECT_EQ(fine.progress().step_index, 17999u);
}

TEST(Flight, EndsWhereItShould) {
    for (const double end_s : {0.3, 0.30055, 0.4}) {
        SceneBuilder b = bouncing_ball(end_s, 1e-3);
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_NEAR(double(ran.progress().step_index) * 1e-3 + ran.progress().offset_s, end_s, 1e-15);
        EXPECT_NEAR(ran.state(1).position_m.z, 1 - 9.81 / 2 * end_s * end_s, 2e-16);
        EXPECT_LE(ran.progress().substeps, 6u); // 16, 32, 64, ... of 400
    }
}

// Free rotation of a body with three moments: energy and angular momentum, and no contact of a corner missed.
TEST(Flight, TurnsByOuterSteps) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, 0.5, 0.5);
    b.ground();
    b.body("box", false, {0, 0, 3});
    const double spin[] = {0.01, 20, 0.02};
    for (int i = 0; i < 3; i++) b.bodies.back().angular_velocity_rad_per_s[i] = spin[i];
    b.shape(SHAPE_BOX, {0.3, 0.2, 0.1, 0});
    b.scene.end_s = 0.7;
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_LT(ran.progress().energy_drift, 1e-9);
    EXPECT_LT(ran.progress().substeps, 40u);
    b.scene.end_s = 1.5;
    Ran lands = run_scene(b), always = run_scene(b, Rough(1).study);
    EXPECT_TRUE(same_motion(lands, 0, always, 0));
    EXPECT_FALSE(lands.events().empty());
}

// Flights of scenes with more shapes grow as they pass others by.
TEST(Flight, OfManyGrowsByDoubling) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, 0.9, 0.3);
    b.ground();
    for (int k = 0; k < 30; k++) b.ball(0.05, {0.1 * k, 0, 2});
    b.scene.end_s = 0.6;
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_LE(ran.progress().substeps, 12u); // 4, 8, 16, ... of 600
    EXPECT_NEAR(ran.state(30).position_m.z, 2 - 9.81 / 2 * 0.36, 1e-15);
}

} // namespace
