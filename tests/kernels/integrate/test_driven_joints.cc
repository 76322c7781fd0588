// Joints whose angle, travel or length is a function of time: what they follow, the force for it, work, jumps of rates.
#include "constraint_scene.h"
#include "function_rows.h"
#include "kernel_scene.h"

namespace {

template <typename Check> void step_through(KernelScene &k, int steps, Check check) {
    for (int step = 1; step <= steps; step++) {
        ASSERT_TRUE(k.outer_step()) << step;
        check(step * double(k.view.scene->step_s));
    }
}

// A rod of 1 m and 1 kg on a revolute joint about y at its end, level at first.
SceneBuilder driven_rod(double step_s, double a, double w) {
    SceneBuilder b = constraint_scene(step_s, 2);
    b.point_mass({0.5, 0, 0}, 1, {1e-3, 1.0 / 12, 1.0 / 12});
    b.bodies.back().angular_velocity_rad_per_s[1] = a * w;
    b.bodies.back().velocity_m_per_s[2] = -0.5 * a * w;
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    drive(b, sine(a, w));
    return b;
}

TEST(DrivenJoints, ARodFollowsItsAngleByTheTorqueForIt) {
    const double a = 0.8, w = 5, inertia = 1.0 / 3;
    double last = 0;
    for (const double h : {2e-3, 1e-3}) {
        SceneBuilder b = driven_rod(h, a, w);
        KernelScene k(b);
        step_through(k, int(1 / h), [&](double t) {
            const double angle = a * std::sin(w * t), acceleration = -a * w * w * std::sin(w * t);
            EXPECT_NEAR(k.contacts[0].step.constraint.angle_rad, angle, 1e-12) << t;
            EXPECT_NEAR(k.states[1].spin_rad_per_s.y, a * w * std::cos(w * t), 1e-11) << t;
            // Gravity turns the rod about +y where it is level.
            EXPECT_NEAR(constraint_driving(&k.contacts[0].step.constraint),
                        inertia * acceleration - 0.5 * G * std::cos(angle), 1e-9)
                << t;
        });
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_LT(ran.progress().energy_drift, 2e-4);
        const double w0 = a * w, w1 = ran.state(1).spin_rad_per_s.y;
        const double off = 0.5 * inertia * (w1 * w1 - w0 * w0) + G * ran.state(1).position_m.z +
                           ran.progress().dissipated_J - ran.progress().given_J;
        printf("h %g: drift %.2e, balance at the end %.2e J\n", h, double(ran.progress().energy_drift), off);
        if (last != 0) {
            EXPECT_NEAR(last / off, 4, 0.4);
        }
        last = off;
        EXPECT_LT(std::fabs(off), 100 * h * h);
    }
}

// Forces and rates at the start of a step are the same once it has been tried.
TEST(DrivenJoints, AStepThatIsTriedAgainBeginsAlike) {
    SceneBuilder b = driven_rod(1e-3, 0.8, 5);
    KernelScene k(b);
    step_through(k, 10, [](double) {});
    const Contact before = k.contacts[0];
    const BodyRate rate = k.works[1].step.rates[0];
    for (const double h : {1e-3, 4e-4}) {
        ASSERT_EQ(substep_try(&k.view, &k.progress, h, 1), 1u);
        substep_start(&k.view, &k.progress);
        const Contact &after = k.contacts[0];
        EXPECT_NEAR(after.given.start_W, before.given.start_W, 1e-12);
        EXPECT_NEAR(vec3_length(vec3_sub(after.start.force_N, before.start.force_N)), 0, 1e-11);
        const BodyRate again = k.works[1].step.rates[0];
        EXPECT_NEAR(vec3_length(vec3_sub(again.acceleration, rate.acceleration)), 0, 1e-11);
        EXPECT_NEAR(vec3_length(vec3_sub(again.spin_rate, rate.spin_rate)), 0, 1e-10);
    }
}

// A cart of 2 kg that goes along a slope: through the points of a table, as its spline.
TEST(DrivenJoints, ACartFollowsATable) {
    SceneBuilder b = constraint_scene(1e-3, 1.2);
    b.point_mass({0, 1, 0}, 2, {0.1, 0.1, 0.1});
    b.constraint(JOINT_PRISMATIC, 0, 1, {0, 1, 0}, {3, 0, 4});
    SceneFunction table = operation(FUNCTION_TABLE), from = operation(FUNCTION_POINT), to = from;
    table.count = 2;
    to.time_s = 1;
    to.value = 0.5;
    drive(b, {table, from, to});
    KernelScene k(b);
    step_through(k, 1200, [&](double t) {
        const double s = t < 1 ? 0.5 * t * t * (3 - 2 * t) : 0.5, acceleration = t < 1 - 1e-9 ? 3 - 6 * t : 0;
        EXPECT_NEAR(k.states[1].position_m.x, 0.6 * s, 1e-12) << t;
        EXPECT_NEAR(k.states[1].position_m.z, 0.8 * s, 1e-12) << t;
        if (std::fabs(t - 1) > 1e-9) {
            EXPECT_NEAR(constraint_driving(&k.contacts[0].step.constraint), 2 * (acceleration + 0.8 * G), 1e-8) << t;
        }
    });
    // The relative drift is that of the first steps, when there is hardly any energy.
    Ran ran = run_scene(b);
    EXPECT_NEAR(ran.progress().given_J, 2 * G * 0.4, 1e-5);
    EXPECT_LT(ran.progress().energy_drift, 1e-3);
}

// A mass on a line whose length is 1 + 0.1 sin(8 t).
TEST(DrivenJoints, ALengthOverTimePulls) {
    SceneBuilder b = constraint_scene(1e-3, 1);
    b.point_mass({0, 0, -1}, 3, {0.1, 0.1, 0.1});
    b.bodies.back().velocity_m_per_s[2] = -0.8;
    b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 1}, {0, 0, -1});
    std::vector<SceneFunction> rows = sine(0.1, 8);
    rows.insert(rows.begin(), constant(1));
    rows.push_back(operation(FUNCTION_ADD));
    drive(b, rows);
    KernelScene k(b);
    step_through(k, 1000, [&](double t) {
        EXPECT_NEAR(k.states[1].position_m.z, -1 - 0.1 * std::sin(8 * t), 1e-12) << t;
        EXPECT_NEAR(-k.contacts[0].now.normal_N, 3 * (G + 6.4 * std::sin(8 * t)), 1e-8) << t;
    });
    EXPECT_LT(run_scene(b).progress().energy_drift, 2e-5);
}

// A motor that starts and stops from one moment to the next, min(max(t, 0.25), 0.7): jumps of the rate are impacts, and
// the energy of both is accounted for.
TEST(DrivenJoints, AMotorThatStartsAtOnce) {
    SceneBuilder b = constraint_scene(1e-3, 1);
    b.point_mass({0.5, 0, 0}, 1, {1e-3, 1.0 / 12, 1.0 / 12});
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    drive(b, {operation(FUNCTION_TIME), constant(0.2503), operation(FUNCTION_MAX), constant(0.7),
              operation(FUNCTION_MIN), constant(0.2503), operation(FUNCTION_SUBTRACT)});
    KernelScene k(b);
    step_through(k, 1000, [&](double t) {
        const double angle = std::fmin(std::fmax(t, 0.2503), 0.7) - 0.2503;
        EXPECT_NEAR(k.contacts[0].step.constraint.angle_rad, angle, 1e-12) << t;
        EXPECT_NEAR(k.states[1].spin_rad_per_s.y, t > 0.2503 && t < 0.7 - 1e-9 ? 1 : 0, 1e-10) << t;
    });
    EXPECT_LT(run_scene(b).progress().energy_drift, 1e-3);
}

} // namespace
