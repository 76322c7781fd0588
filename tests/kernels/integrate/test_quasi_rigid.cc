// Quasi-rigid spheres against closed forms: rolling, sliding, spinning; layers that carry, throw back and give way.
// T numbers: the rows of kernels/integrate/README.md, "Quasi-rigid bodies".
#include <cmath>

#include "quasi_scene.h"

namespace {

using namespace quasi;

// T1
TEST(QuasiRigid, ASphereRollsWithoutLoss) {
    SceneBuilder b = ball(0.01, 10);
    b.bodies[1].velocity_m_per_s[0] = 1;
    b.bodies[1].angular_velocity_rad_per_s[1] = 1;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.x, 10, 1e-12);
    EXPECT_NEAR(ran.state(1).position_m.z, 1, 1e-12);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, 1, 1e-13);
    EXPECT_NEAR(ran.state(1).spin_rad_per_s.y, 1, 1e-13);
    EXPECT_LT(ran.progress().evaluations, 2.1 * 1000);
}

// T2: 5/7 of its speed is left, whatever the steps, from within one step of 2 v/(7 mu g) on.
TEST(QuasiRigid, ASlidingSphereComesToRoll) {
    const double sticks_s = 2 / (7 * MU * G);
    for (const double h : {0.02, 0.01, 0.005, 0.0025, 0.00125}) {
        SceneBuilder b = ball(h, 0.3);
        b.bodies[1].velocity_m_per_s[0] = 1;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        // Each step is solved to 1e-12 of its velocity.
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, 5.0 / 7, 3e-13) << h;
        b.scene.end_s = h * std::floor(sticks_s / h);
        Ran slides = run_scene(b);
        EXPECT_NEAR(slides.state(1).velocity_m_per_s.x, 1 - MU * G * b.scene.end_s, 3e-12);
        b.scene.end_s += h;
        Ran rolls = run_scene(b);
        EXPECT_NEAR(rolls.state(1).velocity_m_per_s.x, 5.0 / 7, 3e-13);
    }
}

// T3: friction about the normal, mu e_r m g, stops a spin.
TEST(QuasiRigid, ASpinningSphereStops) {
    SceneBuilder b = ball(0.01, 1);
    b.bodies[1].angular_velocity_rad_per_s[2] = 1;
    Ran ran = run_scene(b);
    EXPECT_NEAR(ran.state(1).spin_rad_per_s.z, 1 - MU * E_R * G / 0.4, 1e-12);
    b.scene.end_s = 2.04; // within a step of 0.4/(mu e_r g) = 2.038736 s
    Ran stops = run_scene(b);
    ASSERT_EQ(stops.progress().status, STATUS_OK);
    EXPECT_NEAR(stops.state(1).spin_rad_per_s.z, 0, 1e-12);
    b.pairs[0].friction_ellipsoid[2] = 0;
    Ran spins = run_scene(b);
    EXPECT_NEAR(spins.state(1).spin_rad_per_s.z, 1, 1e-12);
}

// T4: of a puck with I = e_r^2 m slip and spin have the same weight in friction: they stop together, their ratio stays.
TEST(QuasiRigid, APuckSlidesAndSpins) {
    SceneBuilder b = ball(0.01, 0.5);
    make_puck(b.bodies[1], E_R * E_R);
    Ran ran = run_scene(b);
    const double slip = std::sqrt(1 + 25 * E_R * E_R);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, 1 - 0.5 * MU * G / slip, 1e-8);
    EXPECT_NEAR(ran.state(1).spin_rad_per_s.z / ran.state(1).velocity_m_per_s.x, 5, 1e-6);
    b.scene.end_s = 0.57; // slip/(mu g) = 0.569844 s
    Ran stops = run_scene(b);
    ASSERT_EQ(stops.progress().status, STATUS_OK);
    EXPECT_LT(std::fabs(stops.state(1).velocity_m_per_s.x), 2e-9); // what turns a body of 1e9 kg m^2
    EXPECT_LT(std::fabs(stops.state(1).spin_rad_per_s.z), 1e-9);
}

// T5, T6: a layer gives way by m g/K, at most by its thickness: cores carry the rest.
TEST(QuasiRigid, ALayerCarriesAWeight) {
    SceneBuilder b = ball(0.01, 20);
    layer(b, 1e4, 200, 0.05);
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(1 - ran.state(1).position_m.z, G / 1e4, 1e-12);
    layer(b, 100, 20, 0.05);
    b.scene.end_s = 40;
    Ran core = run_scene(b);
    ASSERT_EQ(core.progress().status, STATUS_OK);
    EXPECT_NEAR(1 - core.state(1).position_m.z, 0.05, 1e-12);
}

// What lies on a layer at the start stays there, and on the core: the layer has given way, and its damper does not act.
TEST(QuasiRigid, ALayerIsDeflectedAtTheStart) {
    for (const bool is_midpoint : {false, true}) {
        for (const int kind : {0, 1, 2}) {
            const double depth = kind == 0 ? G / 1e4 : kind == 1 ? std::pow(G / 1e6, 2.0 / 3) : 0.05;
            SceneBuilder b = ball(0.01, 0.5, 1 - depth);
            b.scene.is_midpoint = is_midpoint;
            layer(b, kind == 2 ? 100 : 1e4, 2000, 0.05);
            b.pairs[0].layer_is_hertz = kind == 1;
            b.materials[0].young_Pa = 1e6 * 0.75 * 2 * (1 - 0.09);
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK);
            EXPECT_NEAR(1 - ran.state(1).position_m.z, depth, 1e-13) << kind;
            EXPECT_NEAR(ran.progress().max_penetration_m, depth, 1e-13) << kind;
            EXPECT_NEAR(ran.progress().dissipated_J, 0, 1e-13) << kind;
        }
    }
}

// T7: a hit so hard that the core is reached: the layer gives back what it has stored, sqrt(K/m) d_max; first order.
TEST(QuasiRigid, ACoreIsHit) {
    double off[2];
    for (int k = 0; k < 2; k++) {
        SceneBuilder b = ball(k ? 6.25e-6 : 2.5e-5, 0.05);
        b.scene.gravity_m_per_s2[2] = 0;
        layer(b, 1e4, 0, 0.01);
        b.bodies[1].velocity_m_per_s[2] = -2;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_LT(ran.progress().max_penetration_m, 0.01 * (1 + 1e-9));
        off[k] = 1 - ran.state(1).velocity_m_per_s.z;
    }
    EXPECT_LT(off[1], 1e-3);
    EXPECT_NEAR(off[0] / off[1], 4, 0.3);
}

// T8: rebound from a spring and a damper that does not pull, e = exp(-beta/w (pi - atan(2 beta w/(w0^2 - 2 beta^2)))).
TEST(QuasiRigid, ADampedLayerThrowsBack) {
    const double beta = 10, w0 = 100, w = std::sqrt(w0 * w0 - beta * beta);
    const double e = std::exp(-beta / w * (std::acos(-1.0) - std::atan(2 * beta * w / (w0 * w0 - 2 * beta * beta))));
    double off[3];
    for (int k = 0; k < 3; k++) {
        SceneBuilder b = ball(2.5e-4 / std::pow(4, k), 0.06);
        b.scene.gravity_m_per_s2[2] = 0;
        layer(b, 1e4, 20, 1);
        b.bodies[1].velocity_m_per_s[2] = -1;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        off[k] = e - ran.state(1).velocity_m_per_s.z;
    }
    EXPECT_NEAR(off[0] / off[1], 4, 0.3);
    EXPECT_NEAR(off[1] / off[2], 4, 0.3);
    EXPECT_LT(off[2], 2e-3);
}

// T19: a layer of Hertz's law: depth (5 m v^2/(4 K))^0.4, first order.
TEST(QuasiRigid, ALayerOfHertz) {
    double off[2];
    for (int k = 0; k < 2; k++) {
        SceneBuilder b = ball(k ? 4e-6 : 2e-5, 0.02);
        b.scene.gravity_m_per_s2[2] = 0;
        layer(b, 0, 0, 1);
        b.pairs[0].layer_is_hertz = 1;
        b.materials[0].young_Pa = 1e6 * 0.75 * 2 * (1 - 0.09); // K = 4/3 E* sqrt(R) = 1e6
        b.bodies[1].velocity_m_per_s[2] = -1;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        off[k] = 1 - ran.progress().max_penetration_m / std::pow(1.25e-6, 0.4);
    }
    EXPECT_LT(off[0], 1e-2);
    EXPECT_NEAR(off[0] / off[1], 5, 0.5);
}

// T9, T16: a sphere with a layer that gives way across the normal too comes to roll as a rigid one does, but for d/2 by
// which the contact is nearer to its centre: first order in 1/K.
TEST(QuasiRigid, ACompliantSphereComesToRoll) {
    for (const double k : {1e4, 1e5, 1e6, 1e7}) {
        SceneBuilder b = ball(0.01, 1, 1 - G / k);
        layer(b, k, 200, 0.05);
        b.pairs[0].layer_shear_stiffness_N_per_m = k;
        b.pairs[0].layer_shear_damping_N_s_per_m = 200;
        b.bodies[1].velocity_m_per_s[0] = 1;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const double r = 1 - 0.5 * G / k, rolls = r * r / (r * r + 0.4);
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, rolls, 2e-12) << k;
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, 5.0 / 7, 2.5 / k);
    }
}

} // namespace
