// Joints that constrain quasi-rigid bodies: rows J1 and J4 of the plan they were built by, ropes, limits, contacts
// beside joints.
#include <cmath>

#include "base/vec3.h"
#include "constraint_scene.h"
#include "kernel_scene.h"
#include "random_scenes.h"

namespace {

SceneBuilder quasi(double step_s, double end_s, uint32_t is_midpoint) {
    SceneBuilder b = constraint_scene(step_s, end_s);
    b.scene.method = METHOD_QUASI_RIGID;
    b.scene.is_midpoint = is_midpoint;
    return b;
}

// A rod of 1 m and 1 kg on a hinge at the origin, 1 rad from where it hangs.
SceneBuilder pendulum(uint32_t method, double step_s) {
    SceneBuilder b = constraint_scene(step_s, 1);
    b.scene.method = method;
    turn_about_y(b.point_mass({-0.5 * std::sin(1), 0, -0.5 * std::cos(1)}, 1, {1.0 / 12, 1.0 / 12, 1e-3}), 1);
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    return b;
}

// J1: first order in h, or second, against steps of second order that are ten times as short.
void expect_order(uint32_t is_midpoint, double ratio, double most_of_h) {
    SceneBuilder exact = pendulum(METHOD_TRAPEZOIDAL, 1e-4);
    const Vec3 end = run_scene(exact).state(1).position_m;
    double before = 0;
    for (const double h : {0.01, 0.005, 0.0025, 0.00125}) {
        SceneBuilder b = pendulum(METHOD_QUASI_RIGID, h);
        b.scene.is_midpoint = is_midpoint;
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const double off = vec3_length(vec3_sub(ran.state(1).position_m, end));
        EXPECT_LT(off, most_of_h * h);
        if (before > 0) {
            EXPECT_NEAR(before / off, ratio, 0.1) << h;
        }
        before = off;
        EXPECT_LT(ran.progress().energy_drift, 1e-9); // what the steps take is told as lost
        EXPECT_LT(double(ran.progress().evaluations) / ran.progress().substeps, 8) << h;
    }
}

TEST(QuasiJoints, APendulumIsOfFirstOrder) { expect_order(0, 2, 6); }
TEST(QuasiJoints, AndOfSecondWithThetaOfAHalf) { expect_order(1, 4, 0.1); }

// is_midpoint: 0, steps of first order; 1, of second.
class QuasiThetas : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(IsMidpoint, QuasiThetas, testing::Values(0u, 1u));

const uint32_t KINDS[] = {JOINT_FIXED,     JOINT_REVOLUTE,  JOINT_PRISMATIC, JOINT_CYLINDRICAL,
                          JOINT_UNIVERSAL, JOINT_SPHERICAL, JOINT_DISTANCE};

// J4: every kind between two free bodies that spin: equations hold, momentum stays.
TEST_P(QuasiThetas, EveryKindKeepsItsEquationsAndMomentum) {
    for (const uint32_t kind : KINDS) {
        SceneBuilder b = quasi(0.01, 1, GetParam());
        b.scene.gravity_m_per_s2[2] = 0;
        b.point_mass({0, 0, 0}, 1, {0.1, 0.12, 0.15}).angular_velocity_rad_per_s[0] = 1;
        SceneBody &other = b.point_mass({1, 0, 0}, 3, {0.2, 0.3, 0.4});
        other.velocity_m_per_s[1] = 1;
        other.angular_velocity_rad_per_s[2] = 0.5;
        b.constraint(kind, 1, 2, {0.3, 0.1, 0}, {0, 0.6, 0.8}, {0.8, 0, 0.1});
        KernelScene k(b);
        double worst = 0;
        for (int step = 0; step < 100; step++) {
            ASSERT_TRUE(k.outer_step()) << kind;
            worst = std::max(worst, constraint_violation(&k.contacts[0].step.constraint));
        }
        EXPECT_LT(worst, 1e-11) << kind;
        const Vec3 p = vec3_add(k.states[1].velocity_m_per_s, vec3_scale(k.states[2].velocity_m_per_s, 3));
        EXPECT_LT(vec3_length(vec3_sub(p, vec3_make(0, 3, 0))), 1e-11) << kind;
    }
}

// J4: what a joint carries at rest: the weight, and of one that holds the attitude its moment.
TEST_P(QuasiThetas, EveryKindCarriesItsWeight) {
    for (const uint32_t kind : KINDS) {
        SceneBuilder b = quasi(0.01, 0.5, GetParam());
        const bool is_held = kind == JOINT_FIXED || kind == JOINT_PRISMATIC;
        b.point_mass({is_held ? 0.5 : 0.0, 0, -1}, 2, {0.1, 0.12, 0.15});
        // Slides and hinges across the weight.
        b.constraint(kind, 0, 1, {0, 0, 0}, {0, 1, 0}, {is_held ? 0.5 : 0.0, 0, -1});
        KernelScene k(b);
        for (int step = 0; step < 50; step++) ASSERT_TRUE(k.outer_step()) << kind;
        const Contact &contact = k.contacts[0];
        EXPECT_LT(vec3_length(k.states[1].velocity_m_per_s), 1e-11) << kind;
        EXPECT_LT(vec3_length(vec3_sub(contact.now.force_N, vec3_make(0, 0, 2 * G))), 1e-8) << kind;
        if (is_held) {
            EXPECT_NEAR(contact.now.torque_b_N_m.y, 0, 1e-8) << kind;
            EXPECT_NEAR(std::fabs(contact.now.torque_a_N_m.y), 0.5 * 2 * G, 1e-8) << kind;
        }
    }
}

// Two bodies on one line that go apart until the rope is tight: a plastic impact in one step.
TEST_P(QuasiThetas, ARopeThatTautensIsAPlasticImpact) {
    for (const double h : {1e-2, 3.7e-3, 1e-3}) {
        SceneBuilder b = quasi(h, 100 * h, GetParam());
        b.scene.gravity_m_per_s2[2] = 0;
        b.point_mass({0, 0, 0}, 1, {1, 1, 1}).velocity_m_per_s[0] = -1;
        b.point_mass({1, 0, 0}, 3, {1, 1, 1}).velocity_m_per_s[0] = 0.5;
        SceneJoint &rope = b.constraint(JOINT_DISTANCE, 1, 2, {0, 0, 0}, {0, 0, 1}, {1, 0, 0});
        rope.is_rope = 1;
        rope.rest_length_m = 1 + 1.5 * 40.3 * h;
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, 0.125, 1e-10) << h;
        EXPECT_NEAR(ran.state(2).velocity_m_per_s.x, 0.125, 1e-10) << h;
        EXPECT_NEAR(ran.state(2).position_m.x - ran.state(1).position_m.x, rope.rest_length_m, 1e-11) << h;
        // Kinetic energy before and after: 0.5 + 0.375, 0.03125.
        EXPECT_NEAR(ran.progress().dissipated_J, 0.875 - 0.03125, 1e-9) << h;
    }
}

// A door that falls onto its stop stays there.
TEST_P(QuasiThetas, ALimitHolds) {
    SceneBuilder b = quasi(0.01, 2, GetParam());
    b.point_mass({0.5, 0, 0}, 1, {0.01, 0.02, 0.02});
    SceneJoint &hinge = b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    hinge.has_limits = 1;
    hinge.limits[0] = -0.1;
    hinge.limits[1] = 0.8;
    const Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.z, -0.5 * std::sin(0.8), 1e-11);
    EXPECT_LT(vec3_length(ran.state(1).velocity_m_per_s), 1e-11);
}

// A capsule hinged at one end falls onto the ground with the other: both carry half of it.
TEST_P(QuasiThetas, AHingedRodRestsOnTheGround) {
    SceneBuilder b = quasi(0.01, 2, GetParam());
    b.material(1e9, 0.3, 1000);
    b.pair(0, 0, 0, 0.2, 0, DAMPING_HUNT_CROSSLEY);
    b.ground();
    const double z = 0.3, angle = std::asin((z - 0.1) / 1.0); // of the axis, 1 m from the hinge to the other end
    SceneBody &rod = b.ball(0.2, {0.5 * std::cos(0.1), 0, z + 0.5 * std::sin(0.1)}, 0, 4);
    b.shapes.back().kind = SHAPE_CAPSULE;
    b.shapes.back().size_m[1] = 1; // of the axis, along z
    turn_about_y(rod, M_PI / 2 - 0.1);
    b.constraint(JOINT_REVOLUTE, 0, 2, {0, 0, z}, {0, 1, 0});
    KernelScene k(b);
    for (int step = 0; step < 200; step++) ASSERT_TRUE(k.outer_step());
    EXPECT_NEAR(k.states[2].position_m.z, z - 0.5 * std::sin(angle), 1e-10);
    EXPECT_LT(vec3_length(k.states[2].velocity_m_per_s), 1e-10);
    ASSERT_EQ(k.progress.contact_count, 2u);
    EXPECT_NEAR(std::fabs(k.contacts[0].now.force_N.z) + std::fabs(k.contacts[1].now.force_N.z), 4 * G, 1e-8);
    EXPECT_GT(std::fabs(k.contacts[1].now.force_N.z), 4 * G * 0.4);
    EXPECT_LT(k.progress.max_penetration_m, 1e-10);
}

} // namespace
