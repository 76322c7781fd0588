// What is frozen at rest: what settles, not what is slow but on its way, against closed forms.
#include "scene_builder.h"

namespace {

constexpr double G = 9.81;

/// Steel on steel that does not bounce, on ground that slopes down along x.
SceneBuilder on_slope(double slope, double rolling, double small = 0.01) {
    SceneBuilder b;
    b.material();
    ScenePair &pair = b.pair(0, 0, 0.3, 0.5, rolling);
    pair.speed_small_m_per_s = small;
    b.scene.gravity_m_per_s2[0] = G * std::sin(slope);
    b.scene.gravity_m_per_s2[2] = -G * std::cos(slope);
    b.ground();
    return b;
}

size_t rests(const Ran &ran) { return ran.events_of_kind(EVENT_REST).size(); }

/// It rolls down at 5/7 of gravity's part along the slope; it stayed where it was from 1.4e-4 rad on.
TEST(Freezing, BallRollsDownTheSlightestSlope) {
    for (double slope : {1e-4, 1e-5, 1e-6, 1e-7}) {
        SceneBuilder b = on_slope(slope, 0);
        b.ball(0.1, {0, 0, 0.05 - 2e-8});
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(rests(ran), 0u) << slope;
        EXPECT_NEAR(ran.state(1).position_m.x / (0.5 * 5 / 7 * G * std::sin(slope)), 1, 1e-3) << slope;
    }
}

/// A ball on level ground comes to rest; so does one that creeps under rolling resistance, in which w_small leaves it
/// w_small slope radius / (3 mu_r R*) = 3.3e-6 rad/s, and a block that creeps at v_small slope / (3 mu) = 6.7e-8 m/s. A
/// block that creeps faster than bodies rest does not.
TEST(Freezing, WhatSettlesOrCreepsSlowlyRests) {
    for (double slope : {0.0, 1e-5}) {
        SceneBuilder b = on_slope(slope, 0.01);
        b.ball(0.1, {0, 0, 0.05 - 2e-8});
        Ran ran = run_scene(b);
        EXPECT_EQ(rests(ran), 1u) << slope;
        EXPECT_LT(ran.progress().evaluations, slope > 0 ? 4000u : 1000u);
    }
    for (double slope : {1e-5, 1e-2}) {
        SceneBuilder b = on_slope(slope, 0);
        b.body("block", false, {0, 0, 0.05});
        b.shape(SHAPE_BOX, {0.1, 0.1, 0.1, 0});
        Ran ran = run_scene(b);
        const double creep = 0.01 * slope / (3 * 0.5);
        EXPECT_EQ(rests(ran), creep < 1e-5 ? 1u : 0u) << slope;
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, creep < 1e-5 ? 0 : creep, 0.01 * creep) << slope;
    }
}

constexpr double LENGTH = 0.05, RADIUS = 0.01;

/// A capsule on one of its ends, nearly upright, let go.
SceneBuilder upright(double tilt) {
    SceneBuilder b = on_slope(0, 0, 1e-4);
    SceneBody &capsule = b.body("capsule", false, {0, 0, RADIUS + 0.5 * LENGTH * std::cos(tilt) - 1e-8});
    b.shape(SHAPE_CAPSULE, {2 * RADIUS, LENGTH, 0, 0});
    capsule.rotation.kind = ROTATION_AXIS_ANGLE;
    capsule.rotation.value[1] = 1;
    capsule.rotation.value[3] = tilt;
    return b;
}

/// It rolls over its end: the tilt grows as cosh, at the root of m g l/2 over the moment of inertia about the contact.
TEST(Freezing, CapsuleOffItsBalanceFalls) {
    const double cylinder = M_PI * RADIUS * RADIUS * LENGTH, ball = 4.0 / 3 * M_PI * RADIUS * RADIUS * RADIUS;
    const double inertia = cylinder * (LENGTH * LENGTH / 12 + RADIUS * RADIUS / 4) +
                           ball * (0.4 * RADIUS * RADIUS + LENGTH * LENGTH / 4 + 3.0 / 8 * LENGTH * RADIUS);
    const double arm = LENGTH / 2 + RADIUS, mass = cylinder + ball;
    const double growth = std::sqrt(mass * G * LENGTH / 2 / (inertia + mass * arm * arm));
    for (double tilt : {1e-3, 3e-5, 1e-6, 1e-7}) {
        SceneBuilder b = upright(tilt);
        b.scene.end_s = std::acosh(5e-3 / tilt) / growth;
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(rests(ran), 0u) << tilt;
        const Quat turn = ran.state(1).orientation;
        EXPECT_NEAR(2 * std::atan2(turn.y, turn.w) / 5e-3, 1, 5e-3) << tilt;
    }
}

/// The limit: what stands in balance to less than speeds tell is at rest.
TEST(Freezing, CapsuleInBalanceStands) {
    for (double tilt : {0.0, 1e-9}) {
        SceneBuilder b = upright(tilt);
        Ran ran = run_scene(b);
        EXPECT_EQ(rests(ran), 1u) << tilt;
    }
}

} // namespace
