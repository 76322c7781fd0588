// Groups of bodies that cannot touch before the next stop are stepped by themselves: what one of them needs costs
// and changes nothing elsewhere, and nothing is missed between them.
#include "random_scenes.h"

namespace {

// Steel on steel with friction.
SceneBuilder floor_scene(double step_s, double restitution = 0.5) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, restitution, 0.3, 1e-3);
    b.ground();
    b.scene.step_s = step_s;
    b.scene.end_s = 0.2;
    return b;
}

const double RESTING = 0.05 - 1.14e-6; // height of a ball of 0.1 m that lies

// Ball n of a row of balls 10 m apart: rolling, and every third one falling.
void add_ball(SceneBuilder &b, int n, double x) {
    const bool falls = n % 3 == 0;
    b.ball(0.1, {x, 0, falls ? 0.06 + 0.01 * n : RESTING});
    b.bodies.back().velocity_m_per_s[0] = 0.1 * n;
}

TEST(Windows, BodiesFarApartGoAsIfAlone) {
    SceneBuilder all = floor_scene(1e-3);
    for (int n = 0; n < 9; n++) add_ball(all, n, 10.0 * n);
    // With contacts recorded at the ends of all outer steps, where windows end: who is alone goes beyond them.
    Study recorded{};
    recorded.contacts_every_s = 1e-3;
    recorded.contact_scenes = 1;
    Ran together = run_scene(all, recorded), free = run_scene(all);
    ASSERT_EQ(together.progress().status, STATUS_OK);
    EXPECT_LT(free.progress().forces, together.progress().forces * 4 / 5);
    unsigned forces = 0;
    size_t events = 0;
    for (int n = 0; n < 9; n++) {
        SceneBuilder one = floor_scene(1e-3);
        add_ball(one, n, 0);
        Ran alone = run_scene(one, recorded);
        forces += alone.progress().forces;
        events += alone.events().size();
        const BodyState s = alone.state(1), t = together.state(uint32_t(n) + 1);
        EXPECT_NEAR(t.position_m.x - 10.0 * n, s.position_m.x, 2e-9) << n;
        EXPECT_NEAR(t.position_m.z, s.position_m.z, 2e-9) << n;
        EXPECT_NEAR(t.velocity_m_per_s.x, s.velocity_m_per_s.x, 1e-7) << n;
        EXPECT_NEAR(t.spin_rad_per_s.y, s.spin_rad_per_s.y, 2e-6) << n;
    }
    printf("contacts evaluated: %u together, %u alone\n", together.progress().forces, forces);
    EXPECT_EQ(together.events().size(), events);
    EXPECT_LT(together.progress().forces, forces * 5 / 4);
}

TEST(Windows, EventsAreInTheOrderOfTheirTimes) {
    SceneBuilder b = floor_scene(1e-2);
    for (int n = 0; n < 12; n++) add_ball(b, n, 10.0 * n);
    Ran ran = run_scene(b);
    const std::vector<Event> events = ran.events();
    ASSERT_GT(events.size(), 12u);
    for (size_t k = 1; k < events.size(); k++) EXPECT_LE(events[k - 1].time_s, events[k].time_s) << k;
}

// A heavy ball throws a light one, twice as fast, at others that roll or lie frozen beyond it: all within one outer
// step of 20 ms, and found at the times that steps of 0.1 ms find.
TEST(Windows, WhoIsThrownReachesOtherGroupsInTime) {
    std::vector<Event> begins[2];
    for (const double step_s : {2e-2, 1e-4}) {
        SceneBuilder b = floor_scene(step_s, 1);
        b.ball(0.1, {0, 0, RESTING}, 0, 100);
        b.bodies.back().velocity_m_per_s[0] = 3;
        b.ball(0.1, {0.11, 0, RESTING}, 0, 0.1);
        for (int n = 0; n < 3; n++) b.ball(0.1, {0.25 + 0.13 * n, 0, RESTING});
        b.bodies.back().velocity_m_per_s[0] = 0.5;
        b.ball(0.1, {0.3, 5, 0.051}); // falls meanwhile
        b.scene.end_s = 0.06;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(ran.progress().flags & FLAG_LATE_BEGIN, 0u);
        for (const Event &e : ran.events_of_kind(EVENT_BEGIN)) {
            if (e.body_a != 0) begins[step_s < 1e-3].push_back(e);
        }
    }
    ASSERT_EQ(begins[0].size(), begins[1].size());
    ASSERT_GE(begins[0].size(), 3u);
    for (size_t k = 0; k < 3; k++) {
        EXPECT_NEAR(begins[0][k].time_s, begins[1][k].time_s, 2e-7) << k;
        EXPECT_EQ(begins[0][k].body_b, begins[1][k].body_b) << k;
    }
    EXPECT_NEAR(begins[0][0].time_s, 0.01 / 3, 1e-4);
}

// The energy of a group bounds what comes of it: random scenes miss nothing with long outer steps.
TEST(Windows, NothingIsMissedInLongSteps) {
    for (unsigned seed = 0; seed < 40; seed++) {
        SceneBuilder b = random_scene(seed);
        b.scene.step_s = 2e-2;
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK) << seed;
        EXPECT_EQ(ran.progress().flags & FLAG_LATE_BEGIN, 0u) << seed;
    }
}

// Two balls roll or bounce as one of a stuff that no step can follow hits the floor, all within one outer step: the
// scene ends with all of its bodies at one time, and no event is told from later.
TEST(Windows, ASceneThatFailsWithinOneEndsAtOneTime) {
    SceneBuilder b = floor_scene(2e-2);
    b.material(1e300, 0.3, 7850);
    b.pair(0, 1, 0.5);
    b.pair(1, 1, 0.5);
    add_ball(b, 1, 0);
    const double height = 0.0199, late = 0.0199 + 2e-5; // above touch: one is in contact when the other one fails
    b.ball(0.1, {10, 0, 0.05 + height});
    b.ball(0.1, {20, 0, 1});
    b.ball(0.1, {30, 0, 0.05 + late}, 1);
    Ran ran = run_scene(b);
    const Progress &progress = ran.progress();
    EXPECT_NE(progress.status, STATUS_OK);
    const double time_s = progress.step_index * 2e-2 + progress.offset_s;
    EXPECT_NEAR(time_s, std::sqrt(2 * height / 9.81), 1e-12); // where it began
    EXPECT_NEAR(ran.state(3).position_m.z, 1 - 0.5 * 9.81 * time_s * time_s, 1e-14);
    EXPECT_NEAR(ran.state(4).position_m.z, 0.05 + late - 0.5 * 9.81 * time_s * time_s, 1e-14);
    SceneBuilder one = floor_scene(2e-2);
    add_ball(one, 1, 0);
    one.scene.end_s = time_s;
    Ran alone = run_scene(one);
    EXPECT_NEAR(ran.state(1).position_m.x, alone.state(1).position_m.x, 1e-9);
    const std::vector<Event> events = ran.events();
    EXPECT_EQ(progress.event_total, events.size());
    EXPECT_GE(events.size(), 2u);
    for (const Event &event : events) EXPECT_LE(event.time_s, time_s);
}

} // namespace
