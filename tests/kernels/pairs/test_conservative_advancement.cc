// Conservative advancement: pairs that nobody looks at are apart, however fast, thin or spinning their bodies are,
// and what is hit wakes.
#include "random_scenes.h"

#include "kernel_scene.h"

namespace {

// Elastic, without friction and gravity.
SceneBuilder still_air(double step_s = 1e-3) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, 1, 0);
    for (double &g : b.scene.gravity_m_per_s2) g = 0;
    b.scene.step_s = step_s;
    return b;
}

// All sleeping pairs of a pass that took `k` from the states `before`, at its ends and, in flight, within.
unsigned expect_apart(KernelScene &k, const std::vector<BodyState> &before, const std::vector<BodyWork> &works,
                      const Progress &start, double h, unsigned seed) {
    std::vector<BodyState> from = before;
    std::vector<BodyWork> at = works;
    SceneView view = k.view;
    view.states = from.data();
    view.works = at.data();
    unsigned asleep = 0;
    for (int part = 0; part <= 8; part++) {
        for (uint32_t b = 0; b < at.size(); b++) {
            at[b].step.trial = part == 0 ? before[b] : k.states[b];
            if (works[b].mode == MODE_FLYING) motion_fly(&view, &start, b, h * part / 8);
        }
        for (uint32_t i = 0; i < start.candidate_count; i++) {
            const Candidate &c = k.candidates[i];
            if (!c.is_skipped) continue;
            const uint32_t one = view.shapes[c.shape_a].body, other = view.shapes[c.shape_b].body;
            const bool touches = works[one].mode == MODE_TOUCHING || works[other].mode == MODE_TOUCHING;
            if (touches && part % 8 != 0) continue;
            asleep++;
            EXPECT_GT(kinematics_of_trial(&view, c.shape_a, c.shape_b, c.feature).gap_m, 0)
                << "scene " << seed << ", pair " << i << ", part " << part << " of the step";
        }
    }
    return asleep;
}

TEST(Advancement, PairsAsleepAreApart) {
    unsigned asleep = 0, passes = 0;
    for (unsigned seed = 0; seed < 60; seed++) {
        SceneBuilder b = random_scene(seed);
        b.scene.step_s = seed % 2 ? 1e-3 : 5e-3;
        KernelScene k(b);
        while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
            k.progress.event_count = 0;
            const std::vector<BodyState> before = k.states;
            const std::vector<BodyWork> works = k.works;
            const Progress start = k.progress;
            stepper_pass(&k.view, &k.progress);
            const double h = (double(k.progress.step_index) - double(start.step_index)) * b.scene.step_s +
                             k.progress.offset_s - start.offset_s;
            if (k.progress.group != start.group || h == 0) continue; // a window
            // Lists that were made anew within the pass say nothing of the old one's pairs.
            if (k.progress.candidate_count != start.candidate_count) continue;
            asleep += expect_apart(k, before, works, start, h, seed);
            passes++;
        }
        EXPECT_TRUE(k.progress.status == STATUS_OK || k.progress.status == STATUS_CAPACITY) << seed;
    }
    EXPECT_GT(asleep, passes); // most of the time most pairs sleep
}

// A rod of 1 mm that turns with 200 rad/s: its ends go 1 cm in a step.
SceneBuilder turning_rod(std::array<double, 3> ball) {
    SceneBuilder b = still_air();
    b.body("rod", false, {0, 0, 0});
    b.bodies.back().angular_velocity_rad_per_s[2] = 200;
    b.bodies.back().rotation.kind = ROTATION_QUATERNION; // its axis along x
    b.bodies.back().rotation.value[0] = b.bodies.back().rotation.value[2] = std::sqrt(0.5);
    b.bodies.back().rotation.value[1] = b.bodies.back().rotation.value[3] = 0;
    b.shape(SHAPE_CAPSULE, {1e-3, 0.4, 0, 0});
    b.body("ball", true, ball);
    b.shape(SHAPE_SPHERE, {2e-3, 0, 0, 0});
    return b;
}

TEST(Advancement, ThinRodsHitAtTheKnownTime) {
    SceneBuilder b = turning_rod({0, 0.15, 0});
    b.scene.end_s = 8e-3;
    Ran ran = run_scene(b);
    const std::vector<Event> begins = ran.events_of_kind(EVENT_BEGIN);
    ASSERT_EQ(begins.size(), 1u);
    EXPECT_NEAR(begins[0].time_s, (M_PI / 2 - std::asin(1.5e-3 / 0.15)) / 200, 1e-13);
    EXPECT_EQ(ran.progress().flags & FLAG_LATE_BEGIN, 0u);
}

// Its end passes a ball 1e-9 m deep, in 9e-8 s, or 1e-9 m beside it.
TEST(Advancement, EndsOfARodGraze) {
    for (const double beside : {-1e-9, 1e-9}) {
        const double apart = 1.5e-3 + beside, centre = 0.2 + apart;
        SceneBuilder b = turning_rod({0, centre, 0});
        b.scene.end_s = 0.012;
        Ran ran = run_scene(b);
        const std::vector<Event> begins = ran.events_of_kind(EVENT_BEGIN);
        ASSERT_EQ(begins.size(), beside < 0 ? 1u : 0u);
        if (beside > 0) continue;
        const double half = std::sqrt((1.5e-3 * 1.5e-3 - apart * apart) / (0.2 * centre));
        EXPECT_NEAR(begins[0].time_s, (M_PI / 2 - half) / 200, 1e-10); // its roots are close: 1e-13 m / 3e-4 m/s
    }
}

// A ball runs through a row with gaps of 1 mm: who is hit wakes, within one step of 10 ms.
TEST(Advancement, WhoIsHitWakes) {
    std::vector<double> times[2];
    for (const double step_s : {1e-2, 1e-5}) {
        SceneBuilder b = still_air(step_s);
        b.pairs.back().damping = DAMPING_NONE;
        for (int n = 0; n < 5; n++) b.ball(0.05, {0.051 * n, 0, 0});
        b.bodies[0].velocity_m_per_s[0] = 5;
        b.scene.end_s = 1e-2;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(ran.progress().flags & FLAG_LATE_BEGIN, 0u);
        const std::vector<Event> begins = ran.events_of_kind(EVENT_BEGIN);
        ASSERT_EQ(begins.size(), 4u);
        for (const Event &e : begins) {
            times[step_s < 1e-3].push_back(e.time_s);
            EXPECT_NEAR(e.speed_m_per_s, 5, 5e-5);
        }
        EXPECT_NEAR(ran.state(4).velocity_m_per_s.x, 5, 5e-5);
    }
    for (size_t n = 0; n < 4; n++) EXPECT_NEAR(times[0][n], times[1][n], 1e-9) << n;
}

// Bars of the specification: looks at a tumbling box (W3) before it lands, for each corner; of balls over a
// floor, one at the start and two in the step of the impact.
TEST(Advancement, FlightsTakeFewLooks) {
    unsigned most = 0, sum = 0;
    for (unsigned seed = 0; seed < 10; seed++) {
        std::mt19937_64 engine(seed);
        double landed_s = 0.4;
        for (int run = 0; run < 2; run++) {
            std::mt19937_64 same = engine;
            SceneBuilder b;
            b.material(2e11, 0.3, 7850);
            b.pair(0, 0, 0.5, 0.5);
            b.ground();
            b.body("box", false, {0, 0, 0.4});
            const double spin[] = {5, 3, 7};
            for (int i = 0; i < 3; i++) b.bodies.back().angular_velocity_rad_per_s[i] = spin[i];
            b.bodies.back().velocity_m_per_s[0] = 1;
            b.bodies.back().rotation.kind = ROTATION_QUATERNION;
            for (double &q : b.bodies.back().rotation.value) q = uniform(same, -1, 1);
            b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
            b.scene.end_s = landed_s;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK);
            if (run == 0) {
                landed_s = ran.events_of_kind(EVENT_BEGIN).at(0).time_s;
                continue;
            }
            most = std::max(most, ran.progress().distance_queries);
            sum += ran.progress().distance_queries;
        }
    }
    printf("a box of 8 corners before it lands: %.1f looks, at most %u\n", sum / 10.0, most);
    EXPECT_LE(most, 30u);
}

TEST(Advancement, BallsOverAFloorAreLookedAtWhenTheyLand) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, 1, 0);
    b.ground();
    b.ball(0.1, {0, 0, 1});
    b.scene.end_s = 0.44; // lands at sqrt(2 0.95 / 9.81) = 0.4401
    EXPECT_EQ(run_scene(b).progress().distance_queries, 0u);
    b.scene.end_s = 0.5;
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN).size(), 1u);
    EXPECT_LE(ran.progress().distance_queries, 6u);
}

} // namespace
