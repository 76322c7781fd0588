// Corners of the stepper: steps far too long for a scene, small forces, small bodies, interruption.
#include "random_scenes.h"

namespace {

// The end of a trial step may put two centres on one point; the contact before it is what counts.
TEST(Corners, TrialEndOnCoincidentCentres) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.step_s = 1e-2;
    b.scene.end_s = 0.05;
    b.ball(0.1, {0, 0, 0});
    b.ball(0.1, {1, 0, 0}).velocity_m_per_s[0] = -50;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    auto begins = ran.events_of_kind(EVENT_BEGIN);
    ASSERT_EQ(begins.size(), 1u);
    EXPECT_NEAR(begins[0].time_s, 0.018, 1e-12);
}

TEST(Corners, CoincidentCentresAtTheStartAreThatScenesStatus) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7);
    b.ball(0.1, {0, 0, 0});
    b.ball(0.1, {0, 0, 0});
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, STATUS_COINCIDENT);
}

// No speed is not rest: a body let go under a small force moves.
TEST(Corners, ABodyUnderASmallForceIsNotFrozen) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7);
    b.scene.gravity_m_per_s2[0] = 2e-3;
    b.scene.end_s = 0.5;
    b.ground();
    const double r = 0.1, m = 8000 * 4.0 / 3 * M_PI * r * r * r;
    const double k = 4.0 / 3 * 2e11 / (1 - 0.09) / 2 * std::sqrt(r);
    b.ball(2 * r, {0, 0, r - std::pow(m * 9.81 / k, 2.0 / 3)});
    Ran ran = run_scene(b);
    EXPECT_NEAR(ran.state(1).position_m.x, 0.5 * 2e-3 * 0.25, 1e-9);
    EXPECT_TRUE(ran.events_of_kind(EVENT_REST).empty());
}

// One slow moment is not rest either, however long the outer step.
TEST(Corners, OneSlowMomentIsNotRest) {
    for (unsigned k = 0; k < 40; k++) {
        SceneBuilder b;
        b.material(1e5);
        b.pair(0, 0, 1.0, 0, 0, DAMPING_NONE);
        b.scene.step_s = 0.05;
        b.scene.end_s = 2;
        b.ground();
        b.ball(0.2, {0, 0, 0.09 + 2e-4 * k}, 0, 1);
        Ran ran = run_scene(b);
        EXPECT_TRUE(ran.events_of_kind(EVENT_REST).empty()) << k;
        EXPECT_LT(ran.progress().energy_drift, 1e-3) << k;
    }
}

// Between shapes with edges the contact point hops; the energy must notice nothing.
TEST(Corners, EdgesOnEdgesKeepTheEnergy) {
    std::vector<SceneBuilder> builders;
    for (unsigned seed = 0; seed < 100; seed++) {
        std::mt19937_64 engine(seed);
        SceneBuilder b;
        b.material(1e10);
        b.pair(0, 0, 1, 0, 0, DAMPING_NONE);
        b.scene.gravity_m_per_s2[2] = 0;
        b.scene.end_s = 0.08;
        b.body("block", true, {0, 0, 0});
        b.shape(SHAPE_BOX, {0.3, 0.3, 0.1, 0});
        b.body("box", false, {0, 0, 0.13});
        b.bodies.back().rotation.value[0] = 1; // nearly flat: the contact hops from vertex to vertex
        for (int k = 1; k < 3; k++) b.bodies.back().rotation.value[k] = uniform(engine, -0.01, 0.01);
        b.bodies.back().rotation.kind = ROTATION_QUATERNION;
        for (int k = 0; k < 3; k++) b.bodies.back().angular_velocity_rad_per_s[k] = uniform(engine, -0.3, 0.3);
        b.bodies.back().velocity_m_per_s[2] = -1;
        b.shape(seed % 2 ? SHAPE_BOX : SHAPE_CAPSULE, {0.05, 0.07, 0.06, 0}).axis = 0;
        builders.push_back(b);
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    unsigned touched = 0;
    for (uint32_t k = 0; k < scenes.size(); k++) {
        EXPECT_EQ(ran.progress(k).status, STATUS_OK) << k;
        touched += !ran.events(k).empty();
        // Deeper than the rounding of its edges (1 mm each) the distance along the ray is no potential.
        if (ran.progress(k).max_penetration_m >= 1e-3) continue;
        EXPECT_LT(ran.progress(k).energy_drift, 2e-3) << k;
    }
    EXPECT_GT(touched, 90u);
}

// The reference's distance jumps; the search for events must come to an end all the same.
TEST(Corners, GapsThatJumpAreBracketed) {
    std::vector<SceneBuilder> builders;
    for (unsigned seed = 0; seed < 100; seed++) {
        builders.push_back(random_scene(seed));
        builders.back().scene.compat_modia3d = 1;
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    for (uint32_t k = 0; k < scenes.size(); k++) {
        EXPECT_NE(ran.progress(k).status, STATUS_NOT_BRACKETED) << k;
        EXPECT_NE(ran.progress(k).status, STATUS_NOT_FINITE) << k;
    }
}

TEST(Corners, SmallBallsBounceOftenInALongStep) {
    for (double step : {1e-3, 1e-2, 1e-1}) {
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.7);
        b.scene.step_s = step;
        b.scene.end_s = 0.2;
        b.ground();
        b.ball(1e-4, {0, 0, 1e-3 + 0.5e-4});
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK) << step;
    }
}

TEST(Corners, RecordedContactsBesideTheGridLeaveNoSliver) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7, 0.3);
    b.scene.step_s = 1e-5;
    b.scene.end_s = 0.02;
    b.ground();
    b.ball(0.1, {0, 0, 0.05 - 1e-6}).velocity_m_per_s[0] = 1;
    Study study{};
    study.trajectory_every_s = study.contacts_every_s = 3e-5;
    study.trajectory_scenes = study.contact_scenes = 1;
    Ran ran = run_scene(b, study);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.progress().frame_count, 667u);
    EXPECT_EQ(ran.progress().record_count, 667u);
}

// The surface of a half-space is where its normal says, for any direction of it.
TEST(Corners, HalfSpacesOfAnyDirection) {
    const std::array<double, 3> normals[] = {{0, 0, 1},  {0, 0, -1},      {1, 0, 0},
                                             {0, -1, 0}, {1e-6, 0, -1},   {1.5e-6, 1e-9, -1},
                                             {1, 2, -3}, {-0.1, 0.2, -5}, {1e-12, 0, -1}};
    for (const auto &n : normals) {
        const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.7);
        b.scene.gravity_m_per_s2[2] = 0;
        b.scene.end_s = 5e-3;
        b.body("wall", true, {0, 0, 0});
        b.shape(SHAPE_HALF_SPACE, {n[0], n[1], n[2], 0.25});
        std::array<double, 3> u, place;
        for (size_t k = 0; k < 3; k++) {
            u[k] = n[k] / length;
            place[k] = u[k] * (0.25 + 0.05 + 1e-3);
        }
        SceneBody &ball = b.ball(0.1, place);
        for (size_t k = 0; k < 3; k++) ball.velocity_m_per_s[k] = -u[k];
        Ran ran = run_scene(b);
        auto begins = ran.events_of_kind(EVENT_BEGIN);
        ASSERT_EQ(begins.size(), 1u);
        EXPECT_NEAR(begins[0].time_s, 1e-3, 1e-12);
        EXPECT_NEAR(begins[0].normal.x, u[0], 1e-15 + 4e-16 * std::abs(u[0]));
        EXPECT_NEAR(begins[0].normal.y, u[1], 1e-15 + 4e-16 * std::abs(u[1]));
        EXPECT_NEAR(begins[0].normal.z, u[2], 1e-15);
    }
}

int stop_at_once(void *, uint32_t, uint32_t) { return 1; }

// What was waiting for more room when the run was stopped is interrupted, not failed.
TEST(Corners, InterruptionLeavesNoInnerStatus) {
    // The rooms of a batch are those of its slots: too small for the first scene, enough for a ball on the ground.
    SceneBuilder ball;
    ball.material(1e9);
    ball.pair(0, 0, 1.0);
    ball.ground();
    ball.ball(0.1, {0, 0, 0.1});
    std::vector<SceneBuilder> builders = {random_scene(43), ball};
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) {
        b.scene.end_s = 300;
        b.scene.no_freeze = 1;
        scenes.push_back(b.view());
    }
    Study study{};
    study.scene = scenes[0];
    const Capacities rooms[] = {{1, 1, 8, 1, 0, 0, 0}, {1, 1, 8, 1, 0, 0, 0}};
    const uint64_t numbers[] = {0, 1};
    StepperOptions options{};
    options.poll = stop_at_once;
    Ran ran;
    ASSERT_EQ(stage_pack(&study, scenes.data(), numbers, rooms, 2, &ran.batch, nullptr), CLACK_OK);
    ASSERT_EQ(stepper_run(native_device(), &study, scenes.data(), &ran.batch, &options, &ran.result, nullptr),
              CLACK_INTERRUPTED);
    EXPECT_EQ(ran.progress(0).status, STATUS_INTERRUPTED);
    EXPECT_EQ(ran.progress(1).status, STATUS_INTERRUPTED);
    EXPECT_TRUE(ran.events(0).empty());
}

int write_down(void *context, uint32_t done, uint32_t total) {
    static_cast<std::vector<std::pair<uint32_t, uint32_t>> *>(context)->push_back({done, total});
    return 0;
}

// Who is told how many scenes are done is not told of those that are run again with more room.
TEST(Progress, CountsScenesThatAreRunAgainOnce) {
    std::vector<SceneBuilder> builders = {random_scene(43), random_scene(44), SceneBuilder()};
    builders[2].material(1e9);
    builders[2].pair(0, 0, 1.0);
    builders[2].ground();
    builders[2].ball(0.1, {0, 0, 0.1});
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) {
        b.scene.end_s = 0.5;
        scenes.push_back(b.view());
    }
    Study study{};
    study.scene = scenes[0];
    const std::vector<Capacities> rooms(3, Capacities{1, 1, 8, 1, 0, 0, 0});
    const uint64_t numbers[] = {0, 1, 2};
    std::vector<std::pair<uint32_t, uint32_t>> told;
    StepperOptions options{};
    options.poll = write_down;
    options.poll_context = &told;
    Ran ran;
    ASSERT_EQ(stage_pack(&study, scenes.data(), numbers, rooms.data(), 3, &ran.batch, nullptr), CLACK_OK);
    ASSERT_EQ(stepper_run(native_device(), &study, scenes.data(), &ran.batch, &options, &ran.result, nullptr),
              CLACK_OK);
    ASSERT_GT(told.size(), 1u);
    for (size_t k = 0; k < told.size(); k++) {
        EXPECT_EQ(told[k].second, 3u);
        EXPECT_GE(told[k].first, k > 0 ? told[k - 1].first : 0u);
        EXPECT_LE(told[k].first, k + 1 < told.size() ? 2u : 3u) << "done before the last launch";
    }
    EXPECT_EQ(told.back().first, 3u);
}

} // namespace
