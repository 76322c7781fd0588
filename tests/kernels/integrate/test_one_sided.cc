// Ropes and limits under the trapezoidal rule: free while slack, impacts without rebound, what they carry, energy.
#include "constraint_scene.h"
#include "kernel_scene.h"
#include <random>

namespace {

SceneBuilder weightless(double step_s, double end_s) {
    SceneBuilder b = constraint_scene(step_s, end_s);
    b.scene.gravity_m_per_s2[2] = 0;
    return b;
}

SceneBuilder ball_on_rope(double step_s, double end_s, Point at, Point velocity, double length) {
    SceneBuilder b = constraint_scene(step_s, end_s);
    SceneBody &ball = b.point_mass(at, 2, {0.1, 0.1, 0.1});
    for (size_t k = 0; k < 3; k++) ball.velocity_m_per_s[k] = velocity[k];
    SceneJoint &rope = b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 1}, at);
    rope.is_rope = 1;
    rope.rest_length_m = length;
    return b;
}

TEST(OneSided, ASlackRopeDoesNothing) {
    SceneBuilder b = ball_on_rope(1e-2, 0.5, {0, 0, -1}, {0.5, 0.2, 3}, 5);
    KernelScene k(b);
    for (int step = 0; step < 50; step++) {
        ASSERT_TRUE(k.outer_step());
        EXPECT_EQ(vec3_length(k.contacts[0].now.force_N), 0.0);
    }
    EXPECT_NEAR(k.states[1].position_m.x, 0.25, 1e-14);
    EXPECT_NEAR(k.states[1].position_m.y, 0.1, 1e-14);
    EXPECT_NEAR(k.states[1].position_m.z, -1 + 3 * 0.5 - G / 2 * 0.25, 1e-13);
}

// A slack rope elsewhere has both solved in the same manner (trapezoidal_projects).
TEST(OneSided, ATautRopeIsADistance) {
    for (const bool is_rope : {true, false}) {
        SceneBuilder b = ball_on_rope(1e-2, 1, {0.6, 0, -0.8}, {0, 0.3, 0}, 1);
        b.joints.back().is_rope = is_rope;
        b.point_mass({5, 0, 0}, 1, {0.1, 0.1, 0.1});
        SceneJoint &slack = b.constraint(JOINT_DISTANCE, 0, 2, {5, 0, 1}, {0, 0, 1}, {5, 0, 0});
        slack.is_rope = 1;
        slack.rest_length_m = 100;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        static BodyState other;
        if (is_rope) other = ran.state(1);
        EXPECT_NEAR(vec3_length(vec3_sub(ran.state(1).position_m, other.position_m)), 0, 1e-12);
        EXPECT_LT(ran.progress().energy_drift, 1e-4);
    }
}

// Two bodies on one line that go apart until the rope is tight: they go on together. Whatever the step and the moment
// within it, momentum and the energy that is lost are exact, but for the rounding of phi times the penalty.
TEST(OneSided, ARopeThatTautensIsAnImpactWithoutRebound) {
    for (const double h : {1e-2, 3.7e-3, 1e-3}) {
        SceneBuilder b = weightless(h, 100 * h);
        b.point_mass({0, 0, 0}, 1, {1, 1, 1});
        b.bodies.back().velocity_m_per_s[0] = -1;
        b.point_mass({1, 0, 0}, 3, {1, 1, 1});
        b.bodies.back().velocity_m_per_s[0] = 0.5;
        SceneJoint &rope = b.constraint(JOINT_DISTANCE, 1, 2, {0, 0, 0}, {0, 0, 1}, {1, 0, 0});
        rope.is_rope = 1;
        rope.rest_length_m = 1 + 1.5 * 40.3 * h;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const double together = (-1 + 3 * 0.5) / 4, lost = 0.5 * (1.0 * 3 / 4) * 1.5 * 1.5;
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, together, 1e-11);
        EXPECT_NEAR(ran.state(2).velocity_m_per_s.x, together, 1e-11);
        EXPECT_NEAR(ran.state(2).position_m.x - ran.state(1).position_m.x, rope.rest_length_m, 1e-12);
        EXPECT_NEAR(ran.progress().dissipated_J, lost, 1e-9);
        EXPECT_LT(ran.progress().energy_drift, 1e-9);
        EXPECT_LT(ran.progress().momentum_drift, 1e-11);
    }
}

// A mass that is struck at the lowest point of its circle with 2 g l < v^2 < 5 g l leaves the circle at cos(phi) =
// (v^2 - 2 g l)/(3 g l) above the horizontal, flies and comes back to the circle.
TEST(OneSided, ARopeGoesSlackWhereItsPullEnds) {
    const double v = std::sqrt(3.5 * G), sine = 1.5 / 3; // of the height over the radius, at which the pull is 0
    double last[2] = {0, 0};
    for (const double h : {4e-3, 2e-3, 1e-3}) {
        SceneBuilder b = ball_on_rope(h, 2, {0, 0, -1}, {v, 0, 0}, 1);
        KernelScene k(b);
        double leaves = -2, returns = -2;
        while (returns < -1.5 && k.progress.step_index < 2 / h) {
            ASSERT_TRUE(k.outer_step());
            const bool is_slack = k.contacts[0].now.normal_N == 0.0;
            if (is_slack && leaves < -1.5) leaves = k.states[1].position_m.z;
            if (!is_slack && leaves > -1.5) returns = k.states[1].position_m.x;
        }
        // The parabola from the circle at (x, z) = (cos, sin) with the speed sqrt(g sine) meets the circle again.
        const double angle = std::asin(sine), speed = std::sqrt(G * sine);
        double x = std::cos(angle), z = sine, t = 1e-3;
        auto out = [&](double s) {
            const double px = x - speed * std::sin(angle) * s, pz = z + speed * std::cos(angle) * s - G / 2 * s * s;
            return px * px + pz * pz - 1;
        };
        double low = 0.05, high = 2;
        for (int i = 0; i < 100; i++) (out(t = (low + high) / 2) < 0 ? low : high) = t;
        const double back = x - speed * std::sin(angle) * t;
        const double errors[2] = {std::fabs(leaves - sine), std::fabs(returns - back)};
        EXPECT_LT(errors[0], 10 * h);
        EXPECT_LT(errors[1], 10 * h);
        printf("h %g: leaves at z = sin + %.2e, returns at x off by %.2e\n", h, leaves - sine, returns - back);
        if (last[0] > 0) {
            EXPECT_LT(errors[0] + errors[1], 0.8 * (last[0] + last[1]));
        }
        last[0] = errors[0];
        last[1] = errors[1];
        EXPECT_LT(run_scene(b).progress().energy_drift, 0.05 * h);
    }
}

// A rope that begins taut carries at once, one that begins slack does not.
TEST(OneSided, AWeightHangsFromTheFirstStepOn) {
    SceneBuilder b = ball_on_rope(1e-2, 1, {0, 0, -1}, {0, 0, 0}, 1);
    KernelScene k(b);
    stepper_pass(&k.view, &k.progress);
    EXPECT_NEAR(k.contacts[0].start.force_N.z, 2 * G, 1e-10);
    EXPECT_NEAR(-k.contacts[0].now.normal_N, 2 * G, 1e-10);
    SceneBuilder thrown = ball_on_rope(1e-2, 1, {0, 0, -1}, {0, 0, 2}, 1);
    KernelScene up(thrown);
    stepper_pass(&up.view, &up.progress);
    EXPECT_EQ(up.contacts[0].now.normal_N, 0.0);
}

// --- limits -------------------------------------------------------------------------------------------

// A rod of 1 m and 1 kg on a revolute joint about y at its end, released at 1 rad.
SceneBuilder rod(double step_s, double end_s, double low, double high) {
    SceneBuilder b = constraint_scene(step_s, end_s);
    b.point_mass({-0.5 * std::sin(1.0), 0, -0.5 * std::cos(1.0)}, 1, {1.0 / 12, 1.0 / 12, 1e-3});
    turn_about_y(b.bodies.back(), 1);
    SceneJoint &j = b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    j.has_limits = 1;
    j.limits[0] = low;
    j.limits[1] = high;
    return b;
}

TEST(OneSided, ARodRestsOnTheLimitOfItsJoint) {
    SceneBuilder b = rod(2e-3, 1, -0.4, 0.7);
    KernelScene k(b);
    for (int step = 0; step < 500; step++) {
        ASSERT_TRUE(k.outer_step());
        EXPECT_GE(k.contacts[0].step.constraint.angle_rad, -0.4 - 1e-12);
    }
    const double angle = 1 - 0.4; // of the rod from the vertical
    EXPECT_NEAR(k.contacts[0].step.constraint.angle_rad, -0.4, 1e-12);
    EXPECT_NEAR(k.states[1].spin_rad_per_s.y, 0, 1e-12);
    EXPECT_NEAR(constraint_moment(&k.contacts[0]), G * 0.5 * std::sin(angle), 1e-9);
    EXPECT_NEAR(k.contacts[0].now.force_N.z, G, 1e-10);
    Ran ran = run_scene(b);
    EXPECT_LT(ran.progress().energy_drift, 1e-4);
    EXPECT_NEAR(ran.progress().dissipated_J, G * 0.5 * (std::cos(angle) - std::cos(1.0)), 1e-4);
}

// A limit that is not reached changes no bits; the angle counts turns.
TEST(OneSided, ARodThatTurnsOverMeetsALimitBeyondOneTurn) {
    SceneBuilder b = rod(1e-3, 3, -9, 9);
    b.bodies.back().angular_velocity_rad_per_s[1] = 12;
    b.bodies.back().velocity_m_per_s[0] = -12 * 0.5 * std::cos(1.0);
    b.bodies.back().velocity_m_per_s[2] = 12 * 0.5 * std::sin(1.0);
    KernelScene k(b);
    double last = 0, steps = 0;
    for (int step = 0; step < 3000; step++) {
        ASSERT_TRUE(k.outer_step());
        const double angle = k.contacts[0].step.constraint.angle_rad;
        EXPECT_LT(std::fabs(angle - last), 0.1);
        last = angle;
        steps += angle > 2 * 3.15 ? 1 : 0;
        EXPECT_LE(angle, 9 + 1e-12);
    }
    EXPECT_GT(steps, 0); // more than a turn
}

// A block on an inclined slide comes to its end and stays: the limit carries m g sin(slope).
TEST(OneSided, ABlockOnASlideRestsOnItsEnd) {
    for (const uint32_t kind : {JOINT_PRISMATIC, JOINT_CYLINDRICAL}) {
        SceneBuilder b = constraint_scene(2e-3, 1);
        const double slope = 0.3, c = std::cos(slope), s = std::sin(slope);
        b.point_mass({1, 0, 0.2}, 2, {0.1, 0.2, 0.3});
        SceneJoint &j = b.constraint(kind, 0, 1, {1, 0, 0.2}, {2 * c, 0, -2 * s});
        j.has_limits = 1;
        j.limits[0] = -1;
        j.limits[1] = 0.25;
        KernelScene k(b);
        for (int step = 0; step < 500; step++) {
            ASSERT_TRUE(k.outer_step());
            if (step < 100) {
                const double t = (step + 1) * 2e-3;
                EXPECT_NEAR(k.states[1].position_m.x, 1 + c * 0.5 * G * s * t * t, 1e-12) << step;
            }
        }
        EXPECT_NEAR(k.states[1].position_m.x, 1 + 0.25 * c, 1e-12);
        EXPECT_NEAR(vec3_length(k.states[1].velocity_m_per_s), 0, 1e-12);
        EXPECT_NEAR(k.contacts[0].now.force_N.z, 2 * G, 1e-9);
        EXPECT_NEAR(k.contacts[0].now.force_N.x, 0, 1e-9);
        EXPECT_LT(run_scene(b).progress().energy_drift, 1e-4);
    }
}

// --- many at once -------------------------------------------------------------------------------------

// A string of 12 masses on ropes that are all slack at first.
SceneBuilder string_of_masses(double step_s) {
    SceneBuilder b = constraint_scene(step_s, 1.5);
    auto at = [](uint32_t i) { return i > 0 ? Point{0.09 * i, 0.01 * i - 0.01, 0.03 * (i * 5 % 3)} : Point{0, 0, 0}; };
    for (uint32_t i = 1; i <= 12; i++) {
        b.point_mass(at(i), 0.5 + 0.1 * (i % 3), {0.01, 0.01, 0.01});
        SceneJoint &rope = b.constraint(JOINT_DISTANCE, i - 1, i, at(i - 1), {0, 0, 1}, at(i));
        rope.is_rope = 1;
        rope.rest_length_m = 0.13;
    }
    return b;
}

// Dropped, no rope gets longer than it may be, none pushes, and energy is only lost, as much as is told.
TEST(OneSided, AStringOfMassesOnSlackRopes) {
    SceneBuilder b = string_of_masses(1e-3);
    KernelScene k(b);
    double worst = 0;
    int tight = 0;
    for (int step = 0; step < 1500; step++) {
        ASSERT_TRUE(k.outer_step()) << step;
        for (uint32_t j = 0; j < 12; j++) {
            worst = std::max(worst, double(k.contacts[j].step.constraint.rows[0].phi));
            EXPECT_LE(k.contacts[j].now.normal_N, 0) << j;
            tight += k.contacts[j].now.normal_N < 0;
        }
    }
    printf("longest by %.2e m, tight in %d of 18000\n", worst, tight);
    EXPECT_LT(worst, 1e-10);
    EXPECT_GT(tight, 1000);
    double drift = 1;
    for (const double h : {2e-3, 1e-3, 5e-4}) {
        SceneBuilder again = string_of_masses(h);
        Ran ran = run_scene(again);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        printf("h %g: lost %.3f J, drift %.2e\n", h, double(ran.progress().dissipated_J),
               double(ran.progress().energy_drift));
        EXPECT_GT(ran.progress().dissipated_J, 0);
        EXPECT_LT(ran.progress().energy_drift, drift);
        drift = ran.progress().energy_drift;
    }
    EXPECT_LT(drift, 1e-3);
}

// Bodies with hinges between them hang on ropes and swing into the hinges' limits: that slackens ropes, and a rope that
// tautens strikes limits. These rows may begin and cease to carry in turn, unless they change one by one.
TEST(OneSided, LimitsAreMetOnSlackeningRopes) {
    std::mt19937 engine(20261130);
    auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
    double most = 0, met = 0;
    for (int scene = 0; scene < 300; scene++) {
        SceneBuilder b = constraint_scene(1e-3, 0.5);
        const double velocity = draw(-1, 5);
        for (uint32_t i = 1; i <= 3; i++) {
            const Point hinge = {0, 0, -double(i)};
            b.point_mass({draw(-0.3, 0.3), 0, -double(i) - draw(0.1, 0.9)}, draw(0.5, 8), {0.2, draw(0.15, 0.45), 0.3});
            b.bodies.back().velocity_m_per_s[2] = velocity;
            SceneJoint &joint =
                b.constraint(i > 1 ? JOINT_REVOLUTE : JOINT_DISTANCE, i - 1, i, i > 1 ? hinge : Point{0, 0, 0},
                             {0, i > 1 ? 1.0 : 0.0, i > 1 ? 0.0 : 1.0}, hinge);
            joint.is_rope = i == 1;
            if (i == 1) joint.rest_length_m = 1 + draw(0, 0.01);
            joint.has_limits = i > 1;
            joint.limits[0] = -draw(0, 0.3);
            joint.limits[1] = draw(0, 0.3);
        }
        SceneJoint &rope = b.constraint(JOINT_DISTANCE, 0, 3, {0.5, 0, 0}, {0, 0, 1}, {0, 0, -3.5});
        rope.is_rope = 1;
        rope.rest_length_m = 3.55;
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK) << scene;
        EXPECT_LT(ran.progress().momentum_drift, 1e-6) << scene; // rounding of phi times penalties: 5e-8
        EXPECT_FALSE(ran.progress().flags & FLAG_MOMENTUM_DRIFT) << scene;
        most = std::max(most, double(ran.progress().momentum_drift));
        met += ran.progress().dissipated_J > 0 ? 1 : 0;
    }
    printf("momentum off by %.1e at most, %g scenes with impacts\n", most, met);
    EXPECT_GT(met, 150);
}

} // namespace
