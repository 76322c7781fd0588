// Steps of quasi-rigid bodies of second order (theta: 0.5): what rocks, swings and slides against smaller steps and
// closed forms; what is kept; what bodies that are struck are told to do.
#include <cmath>

#include "base/vec3.h"
#include "constraint_scene.h"
#include "quasi_scene.h"

namespace {

using quasi::ball;
using quasi::energy_of;
using quasi::ground;
using quasi::MU;
using quasi::solid;

// Three runs, each with half the step of the one before: how far apart each two are.
template <typename Make> std::array<double, 2> halved(Make make, uint32_t body) {
    std::array<Vec3, 3> at{};
    for (int k = 0; k < 3; k++) {
        SceneBuilder b = make(0.01 / (1 << k));
        b.scene.is_midpoint = 1;
        const Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_LT(ran.progress().max_penetration_m, 1e-12);
        EXPECT_LT(ran.progress().momentum_drift, 1e-12);
        at[size_t(k)] = ran.state(body).position_m;
    }
    return {vec3_length(vec3_sub(at[1], at[0])), vec3_length(vec3_sub(at[2], at[1]))};
}

// An ellipsoid on the ground that is let go tilted by `angle` about (cos, sin, 0) of `about`.
SceneBuilder tilted(double step_s, double end_s, std::array<double, 3> lengths, double angle, double about) {
    SceneBuilder b = ground(step_s, end_s);
    b.pairs[0].friction = 1;
    b.pairs[0].friction_ellipsoid[2] = 0;
    SceneBody &body = solid(b, SHAPE_ELLIPSOID, lengths, {0, 0, 0});
    body.rotation.kind = ROTATION_QUATERNION;
    body.rotation.value[0] = std::cos(angle / 2);
    body.rotation.value[1] = std::sin(angle / 2) * std::cos(about);
    body.rotation.value[2] = std::sin(angle / 2) * std::sin(about);
    const std::array<double, 3> up = {-std::sin(angle) * std::sin(about), std::sin(angle) * std::cos(about),
                                      std::cos(angle)}; // in its own axes
    double square = 0;
    for (size_t k = 0; k < 3; k++) square += std::pow(0.5 * lengths[k] * up[k], 2);
    body.position_m[2] = std::sqrt(square);
    return b;
}

// T21 with theta: 0.5. The energy of what rocks and rolls stays, to the square of the step.
TEST(QuasiMidpoint, ASpheroidRocksWithoutLoss) {
    double before = 0;
    for (const double h : {0.005, 0.0025, 0.00125}) {
        SceneBuilder b = tilted(h, 5, {2, 2, 1.4}, 0.3, 0.5 * M_PI);
        b.scene.is_midpoint = 1;
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const double start = G * (b.bodies[1].position_m[2] - 0.7), off = energy_of(ran, 1) - 0.7 * G - start;
        EXPECT_LT(std::fabs(off), 3e-4 * start * std::pow(h / 0.01, 2)) << h;
        EXPECT_NEAR(ran.progress().dissipated_J, -off, 1e-9 * start); // told, as what steps of first order take
        EXPECT_LT(ran.progress().max_penetration_m, 1e-14);
        EXPECT_LT(ran.progress().evaluations, 3.1 * ran.progress().substeps);
        if (before != 0) {
            EXPECT_NEAR(before / off, 4, 0.4) << h;
        }
        before = off;
    }
}

TEST(QuasiMidpoint, AnEllipsoidThatRollsIsOfSecondOrder) {
    const auto apart = halved([](double h) { return tilted(h, 1, {2, 1.6, 1.2}, 0.35, 0.6); }, 1);
    EXPECT_LT(apart[0], 1e-3);
    EXPECT_GT(apart[0], 1e-6);
    EXPECT_NEAR(apart[0] / apart[1], 4, 0.3);
}

// Two rods, one below the other, on a hinge and a ball joint; the lower one spins.
SceneBuilder rods(double step_s) {
    SceneBuilder b = constraint_scene(step_s, 1);
    b.scene.method = METHOD_QUASI_RIGID;
    b.point_mass({0.5, 0, 0}, 1, {1e-3, 1.0 / 12, 1.0 / 12});
    b.point_mass({1.5, 0, 0}, 1, {5e-3, 0.08, 1.0 / 12}).angular_velocity_rad_per_s[0] = 3;
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    b.constraint(JOINT_SPHERICAL, 1, 2, {1, 0, 0}, {0, 1, 0});
    return b;
}

TEST(QuasiMidpoint, RodsThatSwingAreOfSecondOrder) {
    const auto apart = halved(rods, 2);
    EXPECT_LT(apart[0], 2e-3);
    EXPECT_NEAR(apart[0] / apart[1], 4, 0.2);
}

// Two bodies on a ball joint far from anything: momentum and its moment stay.
TEST(QuasiMidpoint, MomentOfMomentumStays) {
    SceneBuilder b = constraint_scene(0.01, 2);
    b.scene.method = METHOD_QUASI_RIGID;
    b.scene.is_midpoint = 1;
    b.scene.gravity_m_per_s2[2] = 0;
    const double inertia[2][3] = {{0.1, 0.12, 0.15}, {0.2, 0.3, 0.4}}, mass[2] = {1, 3};
    for (size_t k = 0; k < 2; k++) {
        SceneBody &body = b.point_mass({double(k), 0, 0}, mass[k], {inertia[k][0], inertia[k][1], inertia[k][2]});
        body.velocity_m_per_s[1] = double(k);
        body.angular_velocity_rad_per_s[0] = 2;
        body.angular_velocity_rad_per_s[2] = 1;
    }
    b.constraint(JOINT_SPHERICAL, 1, 2, {0, 0, 0}, {0, 0, 1});
    const Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    Vec3 start = {2 * (0.1 + 0.2), 0, 1 * (0.15 + 0.4) + 3}, end = {0, 0, 0};
    for (uint32_t k = 0; k < 2; k++) {
        const BodyState s = ran.state(k + 1);
        const Vec3 own = {inertia[k][0] * s.spin_rad_per_s.x, inertia[k][1] * s.spin_rad_per_s.y,
                          inertia[k][2] * s.spin_rad_per_s.z};
        end = vec3_add(end, quat_rotate(s.orientation, own));
        end = vec3_add(end, vec3_scale(vec3_cross(s.position_m, s.velocity_m_per_s), mass[k]));
    }
    EXPECT_LT(vec3_length(vec3_sub(end, start)), 1e-11);
}

// T13 with theta: 0.5: v^2/(2 mu g) without the half step, and at each time the speed of that time.
TEST(QuasiMidpoint, ACubeSlides) {
    for (const double h : {0.02, 0.01, 0.005}) {
        for (const double end : {h, 10 * h, 0.4, 0.7}) {
            SceneBuilder b = ground(h, end);
            b.scene.is_midpoint = 1;
            solid(b, SHAPE_BOX, {1, 1, 1}, {0, 0, 0.5}).velocity_m_per_s[0] = 1;
            const Ran ran = run_scene(b);
            const double left = std::max(0.0, 1 - MU * G * end);
            EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, left, 1e-10) << h << " " << end;
            EXPECT_NEAR(ran.state(1).position_m.x, (1 - left * left) / (2 * MU * G),
                        left > 0 ? 1e-10 : MU * G * h * h / 8)
                << h << " " << end;
            EXPECT_NEAR(ran.progress().dissipated_J, 0.5 * (1 - left * left), 1e-9);
        }
    }
}

// The velocities that are told are ahead of the middle of a step by h/2, but not by the force of an impact: what falls
// never rises.
TEST(QuasiMidpoint, WhatFallsIsToldToStay) {
    for (int n = 1; n < 40; n++) {
        SceneBuilder b = ball(0.01, 0.01 * n, 1.05 + 0.001 * (n % 7));
        b.scene.is_midpoint = 1;
        const Ran ran = run_scene(b);
        const double falls_s = std::sqrt(2 * (0.05 + 0.001 * (n % 7)) / G), left = ran.state(1).velocity_m_per_s.z;
        ASSERT_LT(left, 1e-9) << n;
        if (0.01 * n < falls_s) {
            ASSERT_NEAR(left, -G * 0.01 * n, 1e-12) << n;
        } else if (0.01 * n > falls_s + 0.01) {
            ASSERT_GT(left, -1e-9) << n;
        }
        ASSERT_LT(ran.progress().energy_drift, 1e-12) << n;
        ASSERT_LT(ran.progress().momentum_drift, 1e-12) << n;
    }
}

// The lowest point of a disc that comes to lie flat goes round it within a step: pushed at the one of the start it
// would be thrown up.
TEST(QuasiMidpoint, PointsThatJumpThrowNothingUp) {
    for (const uint32_t kind : {SHAPE_CYLINDER, SHAPE_CONE}) {
        SceneBuilder b = ground(0.01, 8);
        b.scene.is_midpoint = 1;
        SceneBody &body = solid(b, kind, {2, 1, kind == SHAPE_CONE ? 1.0 : 0}, {0, 0, 1.6});
        body.rotation.kind = ROTATION_CARDAN;
        body.rotation.value[1] = 0.3;
        body.angular_velocity_rad_per_s[0] = 0.5;
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_GT(ran.progress().dissipated_J, 8); // all of its fall
        EXPECT_LT(vec3_length(ran.state(1).velocity_m_per_s), 1e-9) << kind;
        EXPECT_LT(ran.progress().evaluations, 4 * ran.progress().substeps);
    }
}

} // namespace
