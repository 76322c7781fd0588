// Bodies over time: free rotation, momentum, sliding and rolling, rest and waking, fixed steps, the
// reference's quirks. Closed forms of sliding and rolling; Landau, Lifshitz, Mechanics, section 37 (free rotation).
#include "base/vec3.h"
#include "scene_builder.h"

namespace {

constexpr double G = 9.81;

double norm(Vec3 v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

SceneBuilder one_material(double e, double friction, double rolling = 0) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, e, friction, rolling);
    return b;
}

// A free body with I = (1, 2, 3), spun about its middle axis: one period brings it back.
TEST(Rotation, DzhanibekovPeriod) {
    SceneBuilder b = one_material(1, 0);
    b.scene.gravity_m_per_s2[2] = 0;
    SceneBody &body = b.body("top", false, {0, 0, 0});
    body.mass_kind = MASS_GIVEN;
    body.mass_kg = 1;
    for (int k = 0; k < 3; k++) body.inertia_kg_m2[k] = k + 1;
    body.angular_velocity_rad_per_s[0] = 0.01;
    body.angular_velocity_rad_per_s[1] = 1;
    b.scene.step_s = 0.01;
    b.scene.end_s = 41.5092195293;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const BodyState s = ran.state(0);
    EXPECT_NEAR(s.spin_rad_per_s.x, 0.01, 1e-8);
    EXPECT_NEAR(s.spin_rad_per_s.y, 1, 1e-9);
    EXPECT_NEAR(s.spin_rad_per_s.z, 0, 1e-8);
    const Quat q = s.orientation;
    EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-12);
    EXPECT_LT(ran.progress().energy_drift, 1e-10);
}

// The moment of momentum stays however far a step turns the body: 0.03 to 3 rad.
TEST(Rotation, KeepsTheMomentOfMomentum) {
    for (const double spin : {3.0, 30.0, 300.0}) {
        SceneBuilder b = one_material(1, 0);
        b.scene.gravity_m_per_s2[2] = 0;
        SceneBody &body = b.body("top", false, {0, 0, 0});
        body.mass_kind = MASS_GIVEN;
        body.mass_kg = 1;
        const double inertia[3] = {0.2, 0.35, 0.5}, spins[3] = {1, spin, 2};
        for (int k = 0; k < 3; k++) {
            body.inertia_kg_m2[k] = inertia[k];
            body.angular_velocity_rad_per_s[k] = spins[k];
        }
        b.scene.step_s = 0.01;
        b.scene.end_s = 10;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const BodyState s = ran.state(0);
        const Vec3 w = s.spin_rad_per_s, // principal axes
            now = quat_rotate(s.orientation, {0.2 * w.x, 0.35 * w.y, 0.5 * w.z});
        EXPECT_LT(norm(vec3_sub(now, {0.2, 0.35 * spin, 1})), 1e-13 * 0.35 * spin) << spin;
    }
}

// The centre of mass of a composite body falls as a point whatever the body does about it.
TEST(Rotation, CompositeBodyFliesByItsCentreOfMass) {
    SceneBuilder b = one_material(1, 0);
    b.body("hammer", false, {0, 0, 5}).angular_velocity_rad_per_s[1] = 7;
    b.shape(SHAPE_SPHERE, {0.1, 0, 0, 0});
    b.shape(SHAPE_BOX, {0.05, 0.05, 0.4, 0}).position_m[2] = 0.2;
    b.scene.end_s = 0.5;
    Ran ran = run_scene(b);
    const Body &body = ran.batch.bodies[0];
    const double offset = norm(body.origin_m);
    EXPECT_GT(offset, 0.05);
    const BodyState s = ran.state(0), start = ran.batch.states[0];
    EXPECT_NEAR(s.position_m.z, start.position_m.z + 0.5 * start.velocity_m_per_s.z - 0.5 * G * 0.25, 1e-12);
    EXPECT_NEAR(s.position_m.x, 0.5 * start.velocity_m_per_s.x, 1e-12);
    EXPECT_NEAR(start.velocity_m_per_s.x, 7 * offset, 1e-12); // w x r
}

// Linear momentum is conserved to rounding, angular momentum to the tolerance, in an oblique impact.
void expect_momentum(double tolerance, double angular_limit) {
    SceneBuilder b = one_material(0.7, 0.4, 0.001);
    b.scene.tolerance = tolerance;
    b.scene.gravity_m_per_s2[2] = 0;
    b.ball(0.1, {0, 0, 0}).velocity_m_per_s[0] = 2;
    b.bodies.back().angular_velocity_rad_per_s[2] = 30;
    b.ball(0.14, {0.121, 0.04, 0.01}).velocity_m_per_s[0] = -1;
    b.scene.end_s = 0.05;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.events_of_kind(EVENT_END).size(), 1u);
    Vec3 p[2] = {{0, 0, 0}, {0, 0, 0}}, l[2] = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < 2; k++) {
        const Body &body = ran.batch.bodies[k];
        for (int t = 0; t < 2; t++) {
            const BodyState s = t ? ran.state(k) : ran.batch.states[k];
            const UserState u = stage_user_state(&body, &s);
            const double m = body.mass_kg;
            const Vec3 x = s.position_m, v = s.velocity_m_per_s;
            p[t].x += m * v.x, p[t].y += m * v.y, p[t].z += m * v.z;
            const double i = body.inertia_kg_m2.x;
            l[t].x += m * (x.y * v.z - x.z * v.y) + i * u.angular_velocity_rad_per_s[0];
            l[t].y += m * (x.z * v.x - x.x * v.z) + i * u.angular_velocity_rad_per_s[1];
            l[t].z += m * (x.x * v.y - x.y * v.x) + i * u.angular_velocity_rad_per_s[2];
        }
    }
    const double scale = norm(p[0]), turn = norm(l[0]);
    EXPECT_NEAR(p[1].x, p[0].x, 1e-13 * scale);
    EXPECT_NEAR(p[1].y, p[0].y, 1e-13 * scale);
    EXPECT_NEAR(p[1].z, p[0].z, 1e-13 * scale);
    EXPECT_NEAR(l[1].x, l[0].x, angular_limit * turn);
    EXPECT_NEAR(l[1].y, l[0].y, angular_limit * turn);
    EXPECT_NEAR(l[1].z, l[0].z, angular_limit * turn);
    EXPECT_LT(ran.progress().energy_drift, 1e-5);
}

TEST(Momentum, ObliqueImpactWithFriction) {
    expect_momentum(1e-6, 1e-9);
    expect_momentum(1e-8, 2e-11);
}

// A ball that slides comes to roll at 5/7 of its speed, whatever the regularisation.
TEST(Sliding, SlipTurnsIntoRolling) {
    SceneBuilder b = one_material(0.5, 0.3);
    const double r = 0.1, m = 8000 * 4.0 / 3 * M_PI * r * r * r;
    const double k = 4.0 / 3 * 2e11 / (1 - 0.09) / 2 * std::sqrt(r);
    const double depth = std::pow(m * G / k, 2.0 / 3);
    b.ground();
    b.ball(2 * r, {0, 0, r - depth}).velocity_m_per_s[0] = 1;
    b.scene.end_s = 0.12;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const UserState u = [&] {
        const BodyState s = ran.state(1);
        return stage_user_state(&ran.batch.bodies[1], &s);
    }();
    // The lever is the radius less half the overlap: 5/7 to O(depth/r).
    EXPECT_NEAR(u.velocity_m_per_s[0] / (5.0 / 7), 1, 2e-5);
    EXPECT_NEAR(u.angular_velocity_rad_per_s[1] * r / u.velocity_m_per_s[0], 1, 1e-3);
    printf("slide to roll: %u evaluations, drift %g\n", ran.progress().evaluations, ran.progress().energy_drift);
}

// A box on a half-space stands on its corners: force equals weight, and it stays where it is.
TEST(Rest, BoxStandsOnItsCorners) {
    SceneBuilder b = one_material(0.3, 0.4);
    b.ground();
    b.body("box", false, {0, 0, 0.05 + 1e-5});
    b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
    b.scene.end_s = 0.3;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.progress().contacts_max, 4u);
    EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
    EXPECT_NEAR(ran.state(1).position_m.x, 0, 1e-9);
    const double m = 8000 * 0.2 * 0.15 * 0.1, k = 4.0 / 3 * 2e11 / (1 - 0.09) / 2 * std::sqrt(0.05);
    EXPECT_NEAR(0.05 - ran.state(1).position_m.z, std::pow(m * G / 4 / k, 2.0 / 3), 1e-9);
}

// A frozen pair wakes when something falls on it, and freezes again.
TEST(Rest, FrozenBodiesWakeWhenHit) {
    SceneBuilder b = one_material(0.4, 0.2);
    b.ground();
    b.ball(0.1, {0, 0, 0.05});
    b.ball(0.1, {0, 0, 0.15});
    b.ball(0.1, {0, 0, 1.2});
    b.scene.end_s = 0.6;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    auto rests = ran.events_of_kind(EVENT_REST), wakes = ran.events_of_kind(EVENT_WAKE);
    ASSERT_GE(rests.size(), 2u);
    ASSERT_EQ(wakes.size(), 2u);
    const double fall = std::sqrt(2 * (1.2 - 0.25) / G);
    EXPECT_LT(rests[1].time_s, fall);
    EXPECT_NEAR(wakes[0].time_s, fall, 1e-6);
    EXPECT_LT(ran.progress().energy_drift, 1e-4);
}

TEST(Rest, UntilRestEndsTheScene) {
    SceneBuilder b = one_material(0.4, 0.2);
    b.ground();
    b.ball(0.1, {0, 0, 0.06});
    b.scene.end_s = 10;
    b.scene.until_rest = 1;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_LT(ran.progress().step_index, 1000u);
    EXPECT_TRUE(ran.progress().flags & FLAG_FROZEN);
}

TEST(Rest, FreezingCanBeSwitchedOff) {
    SceneBuilder b = one_material(0.4, 0.2);
    b.ground();
    b.ball(0.1, {0, 0, 0.05});
    b.scene.end_s = 0.1;
    b.scene.no_freeze = 1;
    Ran ran = run_scene(b);
    EXPECT_TRUE(ran.events_of_kind(EVENT_REST).empty());
}

// Plain fixed steps meet the located solution as they shrink.
TEST(FixedSteps, Rk4Converges) {
    double ratio[3];
    const double steps[] = {1e-6, 1e-7};
    for (int k = 0; k < 3; k++) {
        SceneBuilder b = one_material(0.7, 0);
        b.ground();
        b.ball(0.2, {0, 0, 0.1 + 1e-4}, 0, 0.001).velocity_m_per_s[2] = -4;
        b.scene.end_s = 2e-4;
        b.scene.graded_steps = 32;
        if (k < 2) {
            b.scene.method = METHOD_RK4;
            b.scene.step_s = steps[k];
        }
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        ratio[k] = ran.state(1).velocity_m_per_s.z;
        EXPECT_GT(ratio[k], 2.5);
    }
    EXPECT_LT(std::abs(ratio[0] - ratio[2]), 0.1);
    EXPECT_LT(std::abs(ratio[1] - ratio[2]), 0.1 * std::abs(ratio[0] - ratio[2]) + 1e-6);
}

// The reference leaves distances in scaled units: its resting balls sink in x_max times too deep.
TEST(Compat, RestingDepthIsScaled) {
    double depth[2];
    for (uint32_t compat = 0; compat < 2; compat++) {
        SceneBuilder b = one_material(0.5, 0);
        b.scene.compat_modia3d = compat;
        b.scene.no_freeze = 1;
        b.scene.end_s = 0.2;
        b.body("table", true, {0, 0, -0.05});
        b.shape(SHAPE_BOX, {3, 3, 0.1, 0});
        b.ball(0.2, {0.4, 0.3, 0.1});
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        depth[compat] = 0.1 - ran.state(1).position_m.z;
    }
    const double m = 8000 * 4.0 / 3 * M_PI * 1e-3, k = 4.0 / 3 * 2e11 / (1 - 0.09) / 2 * std::sqrt(0.1);
    EXPECT_NEAR(depth[0] / std::pow(m * G / k, 2.0 / 3), 1, 1e-6);
    // x_max is the largest coordinate of a support point of table minus ball: 1.5 + 0.4 + up to 0.1.
    EXPECT_GT(depth[1] / depth[0], 1.9);
    EXPECT_LT(depth[1] / depth[0], 2.0);
}

// Watches: extremes of the user's body frame, located between steps, with their gates.
TEST(Watches, ReboundHeightIsLocated) {
    SceneBuilder b = one_material(0.7, 0);
    b.ground();
    b.ball(0.2, {0, 0, 1.1}, 0, 0.001);
    b.scene.end_s = 1.0;
    Watch watches[] = {{0, 1, NONE, WATCH_POSITION + 2, WATCH_MAX, AFTER_FIRST_CONTACT_END, 0},
                       {0, 1, NONE, WATCH_POSITION + 2, WATCH_MAX, AFTER_START, 0},
                       {0, 1, NONE, WATCH_VELOCITY + 2, WATCH_MAX, AFTER_START, 0},
                       {0, 1, NONE, WATCH_PENETRATION, WATCH_MAX, AFTER_START, 0}};
    Study study{};
    study.watches = watches;
    study.watch_count = 4;
    Ran ran = run_scene(b, study);
    const double out = 3.026109333617; // 30-digit integration, gravity included
    EXPECT_NEAR(ran.result.extremes[0].value, 0.1 + out * out / (2 * G), 1e-5);
    EXPECT_NEAR(ran.result.extremes[0].time_s, 0.451523640986 + 8.595746e-6 + out / G, 1e-5);
    EXPECT_NEAR(ran.result.extremes[1].value, 1.1, 1e-15);
    EXPECT_NEAR(ran.result.extremes[2].value, out, 1e-5);
    EXPECT_NEAR(ran.result.extremes[3].value / ran.progress().max_penetration_m, 1, 1e-12);
    EXPECT_NEAR(ran.result.extremes[3].value / (0.864830507 * 1.228809807e-5), 1,
                1e-5); // closed forms of Hertz; relation (R)
}

TEST(Frames, RecordingTimesOffTheGridAreExact) {
    SceneBuilder b = one_material(0.7, 0);
    b.ball(0.2, {0, 0, 1.1});
    b.scene.end_s = 0.1;
    Study study{};
    study.trajectory_every_s = 0.0033;
    study.trajectory_scenes = 1;
    Ran ran = run_scene(b, study);
    ASSERT_EQ(ran.progress().frame_count, 31u);
    for (uint32_t k = 0; k < 31; k++) {
        const double t = 0.0033 * k;
        EXPECT_NEAR(ran.result.frames[k].position_m.z, 1.1 - 0.5 * G * t * t, 1e-15);
    }
}

} // namespace
