// Steps of bodies in contact that go beyond the ends of outer steps: what they change is the number of steps.
#include <cmath>

#include "random_scenes.h"

namespace {

const double RESTING = 0.05 - 1.14e-6; // height of a ball of 0.1 m that lies

// Steel on steel with friction, one ball that rolls along x from 0 on.
SceneBuilder rolling(double restitution = 0.5) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, restitution, 0.3);
    b.ground();
    b.ball(0.1, {0, 0, RESTING});
    b.bodies.back().velocity_m_per_s[0] = 0.4;
    b.bodies.back().angular_velocity_rad_per_s[1] = 8;
    b.scene.end_s = 0.3;
    return b;
}

// Contacts are recorded at the end of every outer step: no step goes beyond it.
Study recorded(double every_s = 1e-3) {
    Study study{};
    study.contacts_every_s = every_s;
    study.contact_scenes = 1;
    return study;
}

double apart(const Ran &a, const Ran &b, uint32_t body) {
    const Vec3 x = a.state(body).position_m, y = b.state(body).position_m;
    return std::hypot(x.x - y.x, x.y - y.y, x.z - y.z);
}

void expect_same_events(const Ran &a, const Ran &b, size_t at_least, double tolerance_s) {
    const std::vector<Event> x = a.events(), y = b.events();
    ASSERT_EQ(x.size(), y.size());
    EXPECT_GE(x.size(), at_least);
    for (size_t k = 0; k < x.size(); k++) {
        EXPECT_EQ(x[k].kind, y[k].kind) << k;
        EXPECT_EQ(x[k].body_a, y[k].body_a) << k;
        EXPECT_EQ(x[k].body_b, y[k].body_b) << k;
        // Who lies is asked about at the ends of steps, at most once in an outer step.
        EXPECT_NEAR(x[k].time_s, y[k].time_s, x[k].kind == EVENT_REST ? 2e-3 : tolerance_s) << k;
    }
}

TEST(Passing, RollsInFewerSteps) {
    for (const double end_s : {0.3, 0.30055}) {
        SceneBuilder b = rolling();
        b.scene.end_s = end_s;
        Ran free = run_scene(b), cut = run_scene(b, recorded());
        const Progress &p = free.progress();
        ASSERT_EQ(p.status, STATUS_OK);
        EXPECT_LT(2 * p.substeps, cut.progress().substeps);
        EXPECT_LT(apart(free, cut, 1), 1e-9);
        EXPECT_EQ(p.step_index, cut.progress().step_index);
        EXPECT_NEAR(p.step_index * 1e-3 + p.offset_s, end_s, 1e-15);
        EXPECT_LT(p.energy_drift, 1e-8);
        EXPECT_LT(p.momentum_drift, 1e-8);
    }
}

// Others fall beside it and onto it, and it rolls into a wall: events as of outer steps a tenth as long.
TEST(Passing, WhatComesWithinAStepIsFound) {
    SceneBuilder b = rolling();
    b.body("wall", true, {0.13, 0, 0});
    b.shape(SHAPE_HALF_SPACE, {-1, 0, 0, 0});
    b.ball(0.1, {0.02, 0.3, 0.0571});
    b.ball(0.06, {0.03, 0.01, 0.25});
    b.scene.end_s = 0.25;
    SceneBuilder fine = b;
    fine.scene.step_s = 1e-4;
    Ran x = run_scene(b), y = run_scene(fine), cut = run_scene(b, recorded());
    ASSERT_EQ(x.progress().status, STATUS_OK);
    EXPECT_EQ(x.progress().flags & FLAG_LATE_BEGIN, 0u);
    expect_same_events(x, y, 10, 2e-5);
    expect_same_events(x, cut, 10, 2e-5);
    EXPECT_LT(x.progress().substeps, cut.progress().substeps);
}

// One is thrown up under a ceiling and touches it by a nanometre, for 10 us, while another rolls; the steps of that do
// not end there.
TEST(Passing, ShortContactsWithinAStepAreFound) {
    for (int n = 0; n < 10; n++) {
        SceneBuilder b = rolling();
        const double apex_s = 0.1 + 3e-4 * n, speed = 9.81 * apex_s, top = 1 + speed * apex_s / 2 + 0.05;
        b.body("ceiling", true, {0, 0, top - 1e-9});
        b.shape(SHAPE_HALF_SPACE, {0, 0, -1, 0});
        b.ball(0.1, {0, 2, 1});
        b.bodies.back().velocity_m_per_s[2] = speed;
        b.scene.end_s = 0.15;
        Ran ran = run_scene(b);
        const std::vector<Event> events = ran.events();
        size_t begins = 0, ends = 0;
        for (const Event &e : events) {
            if (e.body_b != 3 && e.body_a != 3) continue;
            begins += e.kind == EVENT_BEGIN;
            ends += e.kind == EVENT_END;
            EXPECT_NEAR(e.time_s, apex_s, 1e-4) << n;
        }
        EXPECT_EQ(begins, 1u) << n;
        EXPECT_EQ(ends, 1u) << n;
        EXPECT_LT(4 * ran.progress().substeps, 3 * run_scene(b, recorded()).progress().substeps) << n;
    }
}

// A ball that has been put down freezes while another rolls on, in the outer step in which it does so without long
// steps.
TEST(Passing, WhoLiesFreezesInItsOuterStep) {
    SceneBuilder b = rolling();
    b.ball(0.1, {0, 1, RESTING});
    Ran free = run_scene(b), cut = run_scene(b, recorded());
    const std::vector<Event> x = free.events_of_kind(EVENT_REST), y = cut.events_of_kind(EVENT_REST);
    ASSERT_EQ(x.size(), 1u);
    ASSERT_EQ(y.size(), 1u);
    EXPECT_LT(2 * free.progress().substeps, cut.progress().substeps);
    EXPECT_LT(x[0].time_s, y[0].time_s + 1e-3);
    EXPECT_GT(x[0].time_s, y[0].time_s - 1e-3);
}

// Values and gates end steps at their times, frames lie within steps, and what is recorded is right there.
TEST(Passing, RecordsWithinStepsAndWhereTheyStop) {
    SceneBuilder b = rolling();
    const double times[] = {0.01234, 0.1, 0.2517};
    std::vector<Watch> watches;
    for (const double time_s : times)
        watches.push_back(Watch{time_s, 1, NONE, WATCH_POSITION, WATCH_AT, AFTER_TIME, 0});
    watches.push_back(Watch{0.1003, 1, NONE, WATCH_POSITION, WATCH_MIN, AFTER_TIME, 0});
    Study study{};
    study.trajectory_every_s = 0.0137;
    study.trajectory_scenes = 1;
    study.watch_count = uint32_t(watches.size());
    study.watches = watches.data();
    Ran ran = run_scene(b, study);
    const double speed = ran.state(1).velocity_m_per_s.x; // it has rolled all the time, but for the first moments
    const double end = ran.state(1).position_m.x;
    const Extreme *seen = ran.result.extremes;
    for (int k = 0; k < 3; k++) EXPECT_NEAR(seen[k].value, end - speed * (0.3 - times[k]), 1e-8) << k;
    EXPECT_NEAR(seen[3].value, end - speed * (0.3 - 0.1003), 1e-8);
    EXPECT_LT(4 * ran.progress().substeps, 3 * run_scene(b, recorded()).progress().substeps);
    ASSERT_EQ(ran.progress().frame_count, 22u);
    for (int k = 2; k < 22; k++)
        EXPECT_NEAR(ran.result.frames[2 * k + 1].position_m.x, end - speed * (0.3 - 0.0137 * k), 1e-8) << k;
}

// What is watched of one that spins in flight is read at the ends of all outer steps, and changes no bit.
TEST(Passing, ReadsFliersCloselyAndChangesNoBit) {
    SceneBuilder b = rolling();
    b.ball(0.1, {0, 1, 1});
    for (int i = 0; i < 3; i++) b.bodies.back().angular_velocity_rad_per_s[i] = 100 + 30 * i;
    b.scene.end_s = 0.2;
    std::vector<Watch> watches;
    for (uint32_t k = 0; k < 4; k++) watches.push_back(watch_max(2, WATCH_ORIENTATION + k));
    for (uint32_t k = 0; k < 4; k++)
        watches.push_back(Watch{0, 2, NONE, WATCH_ORIENTATION + k, WATCH_MEAN, AFTER_START, 0});
    watches.push_back(Watch{0, 2, NONE, WATCH_SPEED, WATCH_MEAN, AFTER_START, 0});
    watches.push_back(watch_max(1, WATCH_POSITION));
    Study closely{}, all = recorded();
    closely.watch_count = all.watch_count = uint32_t(watches.size());
    closely.watches = all.watches = watches.data();
    Ran ran = run_scene(b, closely), without = run_scene(b), cut = run_scene(b, all);
    EXPECT_TRUE(same_motion(ran, 0, without, 0));
    EXPECT_EQ(ran.progress().substeps, without.progress().substeps);
    EXPECT_LT(2 * ran.progress().substeps, cut.progress().substeps);
    for (size_t k = 0; k < watches.size(); k++)
        EXPECT_NEAR(ran.result.extremes[k].value, cut.result.extremes[k].value, 1e-9) << k;
}

} // namespace
