// Observer pairs: seen and recorded to the same precision as contacts, and without a trace in any state.
#include <map>

#include "random_scenes.h"
#include "base/vec3.h"

namespace {

constexpr double G = 9.81;

Study watching(std::vector<Watch> &watches) {
    Study study{};
    study.watch_count = uint32_t(watches.size());
    study.watches = watches.data();
    return study;
}

void expect_no_trace(bool searches) {
    uint32_t seen = 0, touched = 0;
    for (unsigned seed = 0; seed < 60; seed++) {
        SceneBuilder without = random_scene(seed), with = with_gates(seed);
        if (searches) {
            without = with_searches(without);
            with = with_searches(with);
        }
        with.scene.end_s = without.scene.end_s = 0.2;
        Ran a = run_scene(without), b = run_scene(with);
        ASSERT_EQ(a.progress().status, b.progress().status) << seed;
        const uint32_t bodies = a.batch.scenes[0].body_count;
        EXPECT_TRUE(same_bits(a.result.states, b.result.states, bodies * sizeof(BodyState))) << seed;
        std::vector<Event> others;
        for (const Event &event : b.events()) {
            if (event.body_b < bodies) others.push_back(event);
            if (event.body_b >= bodies) seen++;
        }
        const std::vector<Event> alone = a.events();
        ASSERT_EQ(alone.size(), others.size()) << seed;
        EXPECT_TRUE(same_bits(alone.data(), others.data(), alone.size() * sizeof(Event))) << seed;
        touched += uint32_t(alone.size());
        EXPECT_EQ(a.progress().max_penetration_m, b.progress().max_penetration_m);
        EXPECT_EQ(a.progress().contacts_max, b.progress().contacts_max);
        EXPECT_EQ(a.progress().error_sum_m_per_s, b.progress().error_sum_m_per_s);
        EXPECT_EQ(a.progress().dissipated_J, b.progress().dissipated_J);
    }
    EXPECT_GT(seen, 600u);
    EXPECT_GT(touched, 300u);
}

TEST(Observers, LeaveEveryStateAndEventOfTheSceneAsItIsToTheBit) { expect_no_trace(false); }

// GapQueries that observers add to a step are no start for others.
TEST(Observers, LeaveWhatContactsRemember) { expect_no_trace(true); }

TEST(Observers, RowsAreInOrderAndEveryEndHasItsBegin) {
    for (unsigned seed = 0; seed < 50; seed++) {
        SceneBuilder b = with_gates(seed);
        Ran ran = run_scene(b);
        std::map<std::array<uint32_t, 3>, int> open;
        double before = 0;
        for (const Event &event : ran.events()) {
            EXPECT_GE(event.time_s, before);
            before = event.time_s;
            if (event.kind > EVENT_END) continue;
            int &count = open[{event.shape_a, event.shape_b, event.feature}];
            count += event.kind == EVENT_BEGIN ? 1 : -1;
            EXPECT_TRUE(count == 0 || count == 1) << seed;
            if (event.body_b < ran.batch.scenes[0].body_count - 5) continue;
            EXPECT_EQ(vec3_max_abs(event.impulse_N_s), 0);
            EXPECT_EQ(event.energy_lost_J, 0);
            EXPECT_EQ(event.stiffness, 0);
            EXPECT_EQ(event.damping, 0);
            EXPECT_NEAR(vec3_length(event.normal), 1, 1e-12);
        }
        EXPECT_EQ(ran.progress().flags & FLAG_LATE_BEGIN, 0u) << seed;
    }
}

// In and out of a thin sheet, and of a ball grazed at its side: twice within one step of 10 ms.
TEST(Observers, BeginAndEndAreLocatedAlsoWithinOneStep) {
    const double r = 0.01, half = 0.0005, drop = 1;
    for (double step : {1e-2, 1e-3}) {
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.5);
        const uint32_t observer = observer_material(b);
        gate(b, {0, 0, -drop}, SHAPE_BOX, {1, 1, 2 * half, 0}, observer);
        gate(b, {0.03, 0, -0.5}, SHAPE_SPHERE, {0.04004, 0, 0, 0}, observer);
        b.ball(2 * r, {0, 0, 0}, 0, 0.1);
        b.scene.step_s = step;
        std::vector<Watch> watches = {watch_max(0, WATCH_OVERLAP), watch_max(1, WATCH_OVERLAP),
                                      watch_max(2, WATCH_OVERLAP), watch_max(2, WATCH_PENETRATION)};
        Ran ran = run_scene(b, watching(watches));
        const auto rows = ran.events();
        ASSERT_EQ(rows.size(), 4u);
        const double side = std::sqrt(0.03002 * 0.03002 - 0.03 * 0.03);
        const double way[] = {0.5 - side, 0.5 + side, drop - half - r, drop + half + r};
        for (size_t i = 0; i < 4; i++) {
            const double t = std::sqrt(2 * way[i] / G);
            const double slope = i < 2 ? side / 0.03002 : 1; // of the gap's rate against the speed
            EXPECT_EQ(rows[i].kind, i % 2 == 0 ? EVENT_BEGIN : EVENT_END);
            EXPECT_NEAR(rows[i].time_s, t, i < 2 ? 1e-11 : 1e-12) << i;
            EXPECT_NEAR(rows[i].speed_m_per_s, G * t * slope, 1e-9) << i;
        }
        EXPECT_LT(rows[1].time_s - rows[0].time_s, 1e-3 + 2 * side); // well within one step
        EXPECT_EQ(ran.progress().evaluations, 0u);
        EXPECT_EQ(ran.progress().max_penetration_m, 0);
        EXPECT_EQ(ran.progress().contacts_max, 0u);
        EXPECT_NEAR(ran.result.extremes[1].value, 0.00002, 1e-12); // of the graze
        EXPECT_NEAR(ran.result.extremes[0].value, half + r,
                    1e-8); // the middle of a sheet is a kink
        EXPECT_EQ(ran.result.extremes[2].value, ran.result.extremes[0].value);
        EXPECT_EQ(ran.result.extremes[3].value, 0);
    }
}

// Bullets cross thin sheets within a hundredth of a step, wherever in it, upright or spinning.
TEST(Observers, FastBodiesAreSeenToo) {
    std::mt19937_64 engine(7);
    for (int i = 0; i < 200; i++) {
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.5);
        const uint32_t observer = observer_material(b);
        const double speed = uniform(engine, 50, 2000), place = uniform(engine, 2, 10);
        b.scene.gravity_m_per_s2[2] = 0;
        b.scene.step_s = 1e-2;
        b.scene.end_s = 20 / speed;
        gate(b, {place, 0, 0}, SHAPE_BOX, {1e-4, 3, 3, 0}, observer);
        b.ball(0.01, {0, 0, 0}, 0, 0.1);
        b.bodies.back().velocity_m_per_s[0] = speed;
        b.body("brick", false, {0, 0, 0.5});
        b.shape(SHAPE_BOX, {0.03, 0.02, 0.01, 0});
        b.bodies.back().velocity_m_per_s[0] = speed;
        if (i % 2 == 0) b.bodies.back().angular_velocity_rad_per_s[1] = 3;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        double begin = NAN, end = NAN;
        int bricks = 0;
        for (const Event &event : ran.events()) {
            bricks += event.body_b == 2;
            if (event.body_b == 1) (event.kind == EVENT_BEGIN ? begin : end) = event.time_s;
        }
        const double reach = 0.005 + 5e-5;
        EXPECT_NEAR(begin, (place - reach) / speed, 1e-13) << speed << " " << place;
        EXPECT_NEAR(end, (place + reach) / speed, 1e-13) << speed << " " << place;
        EXPECT_EQ(bricks, 2) << speed << " " << place;
    }
}

TEST(Observers, OverlapAtTheStartBeginsThereAndRaisesNoFlag) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    gate(b, {0, 0, 0}, SHAPE_SPHERE, {1, 0, 0, 0}, observer_material(b));
    b.ball(0.2, {0, 0, 0.1}, 0, 0.1);
    Ran ran = run_scene(b);
    const auto rows = ran.events();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].time_s, 0);
    EXPECT_NEAR(rows[1].time_s, std::sqrt(2 * 0.7 / G), 1e-12);
    EXPECT_EQ(ran.progress().flags, 0u);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
}

// A ball at rest on the ground, frozen inside a gate; an observing body falls through it and the ground.
TEST(Observers, NeitherHoldNorWakeWhatRests) {
    SceneBuilder plain;
    plain.material(1e7);
    plain.pair(0, 0, 0);
    plain.ground();
    plain.ball(0.2, {0, 0, 0.1}, 0, 0.1);
    SceneBuilder b = plain;
    const uint32_t observer = observer_material(b);
    gate(b, {0, 0, 0.1}, SHAPE_BOX, {1, 1, 0.05, 0}, observer);
    b.body("eye", false, {0.02, 0, 1});
    b.shape(SHAPE_SPHERE, {0.1, 0, 0, 0}, observer);
    b.bodies.back().mass_kind = MASS_GIVEN;
    b.bodies.back().mass_kg = 1;
    for (int i = 0; i < 3; i++) b.bodies.back().inertia_kg_m2[i] = 0.1;
    Ran a = run_scene(plain), ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(a.events_of_kind(EVENT_REST).size(), 1u);
    ASSERT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
    EXPECT_EQ(a.events_of_kind(EVENT_REST)[0].time_s, ran.events_of_kind(EVENT_REST)[0].time_s);
    EXPECT_EQ(ran.events_of_kind(EVENT_WAKE).size(), 0u);
    const BodyState before = a.state(1), now = ran.state(1), eye = ran.state(3);
    EXPECT_TRUE(same_bits(&before, &now, sizeof now));
    EXPECT_NEAR(eye.position_m.z, 1 - G / 2, 1e-12);
    // It passed ground, ball and gate, each at its time.
    const auto begins = ran.events_of_kind(EVENT_BEGIN);
    double of_ball = 0, of_ground = 0, of_gate = 0;
    for (const Event &event : begins) {
        if (event.body_b != 3) continue;
        (event.body_a == 0 ? of_ground : event.body_a == 1 ? of_ball : of_gate) = event.time_s;
    }
    const double reach = std::sqrt(0.15 * 0.15 - 0.02 * 0.02);
    EXPECT_NEAR(of_ground, std::sqrt(2 * 0.95 / G), 1e-12);
    EXPECT_NEAR(of_gate, std::sqrt(2 * (1 - 0.125 - 0.05) / G), 1e-12);
    EXPECT_NEAR(of_ball, std::sqrt(2 * (1 - now.position_m.z - reach) / G), 1e-12);
}

TEST(Observers, FixedStepsTellThemAtTheirEnds) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    gate(b, {0, 0, -1}, SHAPE_BOX, {1, 1, 0.1, 0}, observer_material(b));
    b.ball(0.02, {0, 0, 0}, 0, 0.1);
    b.scene.method = METHOD_RK4;
    Ran ran = run_scene(b);
    const auto rows = ran.events();
    ASSERT_EQ(rows.size(), 2u);
    const double begin = std::sqrt(2 * 0.94 / G), end = std::sqrt(2 * 1.06 / G);
    EXPECT_NEAR(rows[0].time_s, 1e-3 * std::ceil(begin / 1e-3), 1e-12);
    EXPECT_NEAR(rows[1].time_s, 1e-3 * std::ceil(end / 1e-3), 1e-12);
}

// Small lists overflow, grow, and give the same scene.
TEST(Observers, SmallRoomGivesTheSameScene) {
    SceneBuilder b = with_gates(3);
    Ran whole = run_scene(b), small;
    const SceneDescription scene = b.view();
    Study study{};
    study.scene = scene;
    const Capacities room{1, 1, 8, 0, 0, 0, 0};
    const uint64_t number = 0;
    ASSERT_EQ(stage_pack(&study, &scene, &number, &room, 1, &small.batch, nullptr), CLACK_OK);
    ASSERT_EQ(stepper_run(native_device(), &study, &scene, &small.batch, nullptr, &small.result, nullptr), CLACK_OK);
    const auto a = whole.events(), c = small.events();
    ASSERT_EQ(a.size(), c.size());
    EXPECT_TRUE(same_bits(a.data(), c.data(), a.size() * sizeof(Event)));
}

} // namespace
