// Loads and driven bodies within steps: order of both methods with stiff contacts, the same steps in each frame, work,
// momentum, and what follows a motion exactly.
#include "function_rows.h"
#include "kernel_scene.h"

namespace {

// A box and a ball pressed on a plane that shakes and tilts, a load in the box's axes between both, in the midst of
// contacts.
SceneBuilder shaken() {
    SceneBuilder b;
    b.material(1e8);
    ScenePair &pair = b.pair(0, 0, 0.6, 0.4, 0.02);
    pair.damping_max_s_per_m = 0.5;
    pair.speed_small_m_per_s = 0.2;
    pair.spin_small_rad_per_s = 0.5;
    b.ground();
    move(b, 0, {sine(2e-4, 300), swing(3e-4, 200), sine(1e-4, 400), swing(2e-3, 150)}, {1, 2, 0.5});
    SceneBody &box = b.body("box", false, {0, 0, 0.0495});
    box.velocity_m_per_s[0] = 0.3;
    box.angular_velocity_rad_per_s[2] = 3;
    b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
    SceneBody &ball = b.ball(0.1, {0.1495, 0.01, 0.0497});
    ball.velocity_m_per_s[2] = -0.3;
    ball.angular_velocity_rad_per_s[1] = -4;
    load(b, 2, 1, {sine(300, 500), swing(-200, 300), number(50), sine(1, 400), number(2), swing(3, 300)});
    b.joints.back().axes = JOINT_AXES_OF_B;
    b.joints.back().is_at_centre = 0;
    b.joints.back().at_m[1][0] = 0.07;
    b.joints.back().at_m[1][2] = 0.06;
    return b;
}

struct End {
    std::vector<BodyState> states;
    double loss, given, energy;
};

// After a fixed time in equal steps, by Rodas4 or by Tsit5.
End end_after(int steps, double time, bool is_implicit) {
    SceneBuilder b = shaken();
    KernelScene k(b);
    EXPECT_EQ(k.progress.contact_count, 7u); // corners, ball on plane, box on ball, the load
    for (int i = 0; i < steps; i++) {
        if (is_implicit)
            k.step_implicitly(time / steps);
        else
            k.step_explicitly(time / steps);
    }
    return End{k.states, k.progress.dissipated_J, k.progress.given_J, k.mechanical_energy()};
}

// Order 4, and 5 of explicit steps, of states; order 4 of what is lost and of the work that is done.
TEST(GivenTime, BothMethodsKeepTheirOrder) {
    const double time = 2e-3;
    const End exact = end_after(2560, time, true), start = end_after(0, time, true);
    for (const bool is_implicit : {true, false}) {
        double error[3], work[3], audit[3];
        const int least = is_implicit ? 80 : 10; // rounding is 1e-12
        for (int k = 0; k < 3; k++) {
            const End end = end_after(least << k, time, is_implicit);
            error[k] = states_apart(end.states, exact.states);
            work[k] = std::abs(end.given - exact.given);
            audit[k] = std::abs(end.energy + end.loss - end.given - start.energy);
            printf("%s, %d steps: states %.2e, work %.2e J of %.2e, audit %.2e\n", is_implicit ? "Rodas4" : "Tsit5",
                   least << k, error[k], work[k], exact.given, audit[k]);
        }
        const double order = is_implicit ? 3.7 : 4.5;
        for (int k = 0; k < 2; k++) EXPECT_GT(std::log2(error[k] / error[k + 1]), order);
        EXPECT_GT(std::log2(work[0] / work[1]), 3.4);
        EXPECT_GT(std::log2(audit[0] / audit[1]), 3.4);
    }
    EXPECT_GT(states_apart(start.states, exact.states), 0.1);
    EXPECT_GT(std::abs(exact.given), 1e-3);
}

// A ball, or a box, on a table that shakes, and on one at rest under the forces of the shaken frame.
SceneBuilder in_a_frame(bool is_shaken, bool is_box, double tolerance) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.6, 0.3);
    b.scene.end_s = 0.4;
    b.scene.tolerance = tolerance;
    b.scene.graded_steps = 32;
    b.ground();
    if (is_box) {
        b.body("box", false, {0, 0, 0.0201});
        b.shape(SHAPE_BOX, {0.04, 0.05, 0.04, 0});
    } else {
        b.ball(0.04, {0, 0, 0.0201});
    }
    const double w = 60, x = 1e-3, z = 2e-3;
    if (is_shaken) {
        move(b, 0, {swing(x, w), number(0), swing(z, 1.3 * w), number(0)});
        return b;
    }
    const double mass = is_box ? 8000 * 0.04 * 0.05 * 0.04 : 8000 * 4 / 3.0 * M_PI * 0.02 * 0.02 * 0.02;
    load(b, 0, 1,
         {cosine(-mass * x * w * w, w), number(0), cosine(-mass * z * 1.69 * w * w, 1.3 * w), number(0), number(0),
          number(0)});
    return b;
}

// Both are the same motion, seen from two frames, and neither takes more steps than the other.
TEST(GivenTime, AShakenTableAndItsFrame) {
    for (const bool is_box : {false, true}) {
        double off[2];
        for (int k = 0; k < 2; k++) {
            const double tolerance = k == 0 ? 1e-6 : 1e-9;
            SceneBuilder one = in_a_frame(true, is_box, tolerance), other = in_a_frame(false, is_box, tolerance);
            Ran shaken = run_scene(one), still = run_scene(other);
            ASSERT_EQ(shaken.progress().status, STATUS_OK);
            ASSERT_EQ(still.progress().status, STATUS_OK);
            const Vec3 there = vec3_sub(shaken.state(1).position_m, shaken.state(0).position_m);
            off[k] = vec3_length(vec3_sub(there, still.state(1).position_m));
            printf("%s, tolerance %g: %.2e m apart, %u and %u substeps, %u and %u events, drift %.1e\n",
                   is_box ? "box" : "ball", tolerance, off[k], shaken.progress().substeps, still.progress().substeps,
                   shaken.progress().event_total, still.progress().event_total, double(shaken.progress().energy_drift));
            EXPECT_EQ(shaken.progress().event_total, still.progress().event_total);
            EXPECT_LT(shaken.progress().substeps, 1.3 * still.progress().substeps);
            EXPECT_LT(shaken.progress().energy_drift, k == 0 ? 1e-4 : 1e-7);
        }
        EXPECT_LT(off[0], 1e-8);
        EXPECT_LT(off[1], 1e-10);
    }
}

// A rod on a hinge that shakes, by the trapezoidal rule, and one on a hinge at rest under the force of the shaken
// frame.
TEST(GivenTime, AHingeThatShakesAndItsFrame) {
    double last = 0;
    for (const double h : {2e-3, 1e-3}) {
        Vec3 places[2];
        for (const bool is_shaken : {true, false}) {
            SceneBuilder b;
            b.scene.method = METHOD_TRAPEZOIDAL;
            b.scene.step_s = h;
            b.scene.end_s = 1;
            b.body("hook", true, {0, 0, 0});
            b.point_mass({0.3, 0, -0.4}, 2, {0.05, 0.06, 0.02});
            b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
            if (is_shaken)
                move(b, 0, {swing(0.05, 12), number(0), number(0), number(0)});
            else
                load(b, 0, 1, {cosine(-2 * 0.05 * 144, 12), number(0), number(0), number(0), number(0), number(0)});
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK);
            EXPECT_LT(ran.progress().energy_drift, 30 * h * h);
            EXPECT_GT(std::fabs(ran.progress().given_J), 0.1);
            places[is_shaken] = vec3_sub(ran.state(1).position_m, ran.state(0).position_m);
        }
        const double off = vec3_length(vec3_sub(places[0], places[1]));
        printf("h %g: %.2e m apart\n", h, off);
        if (last > 0) {
            EXPECT_NEAR(last / off, 4, 0.5);
        }
        EXPECT_LT(off, 1e-3);
        last = off;
    }
}

// A load between two free bodies, in the axes of one: neither momentum changes, and energy by its work.
TEST(GivenTime, ALoadBetweenFreeBodiesKeepsMomenta) {
    for (const uint32_t axes : {0u, JOINT_AXES_OF_A, JOINT_AXES_OF_B}) {
        SceneBuilder b;
        b.scene.gravity_m_per_s2[2] = 0;
        b.scene.step_s = 1e-2;
        b.scene.end_s = 1.5;
        b.scene.tolerance = 1e-10;
        b.point_mass({0, 0, 0}, 2, {0.02, 0.03, 0.04});
        b.bodies.back().angular_velocity_rad_per_s[0] = 2;
        b.point_mass({0.3, 0.1, 0}, 1, {0.01, 0.02, 0.015});
        b.bodies.back().angular_velocity_rad_per_s[1] = -3;
        load(b, 0, 1, {sine(3, 5), swing(2, 7), number(-1), sine(0.05, 9), number(0.02), swing(0.03, 4)});
        b.joints.back().axes = axes;
        b.joints.back().is_at_centre = 0;
        b.joints.back().at_m[1][0] = 0.35;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        Vec3 momentum = vec3_zero(), about = vec3_make(-2 * 0.02, 3 * 0.02, 0); // less what there was
        for (uint32_t i = 0; i < 2; i++) {
            const Body body = ran.batch.bodies[i];
            const BodyState s = ran.state(i);
            momentum = vec3_add_scaled(momentum, s.velocity_m_per_s, body.mass_kg);
            about = vec3_add(about, vec3_cross(s.position_m, vec3_scale(s.velocity_m_per_s, body.mass_kg)));
            about = vec3_add(about, quat_rotate(s.orientation, vec3_multiply(body.inertia_kg_m2, s.spin_rad_per_s)));
        }
        printf("axes %u: momentum %.1e N s, moment of momentum %.1e N m s, work %.3f J, drift %.1e\n", axes,
               vec3_length(momentum), vec3_length(about), double(ran.progress().given_J),
               double(ran.progress().energy_drift));
        EXPECT_LT(vec3_length(momentum), 1e-13);
        EXPECT_LT(vec3_length(about), 1e-8);
        EXPECT_GT(std::fabs(ran.progress().given_J), 0.1);
        EXPECT_LT(ran.progress().energy_drift, 1e-8);
    }
}

// A fixed body is exactly where its functions say, at every end of a step, also while others bounce on it.
TEST(GivenTime, ADrivenBodyIsWhereItIsTold) {
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.9);
    b.scene.end_s = 0.5;
    b.body("drum", true, {0.2, 0, 0});
    b.shape(SHAPE_BOX, {0.6, 0.6, 0.1, 0});
    b.ball(0.05, {0.2, 0.03, 0.1});
    move(b, 0, {swing(0.01, 20), number(0), sine(0.002, 35), sine(0.3, 10)}, {0, 2, 0});
    KernelScene k(b);
    for (int step = 1; step <= 500; step++) {
        stepper_is_over(&k.view, &k.progress);
        stepper_pass(&k.view, &k.progress);
        ASSERT_EQ(k.progress.status, STATUS_RUNNING);
        const double t = scene_time(&k.view, &k.progress), angle = 0.3 * std::sin(10 * t);
        const Vec3 at = k.states[0].position_m, v = k.states[0].velocity_m_per_s;
        EXPECT_NEAR(at.x, 0.2 + 0.01 * (1 - std::cos(20 * t)), 1e-15);
        EXPECT_NEAR(at.z, 0.002 * std::sin(35 * t), 1e-15);
        EXPECT_NEAR(v.x, 0.2 * std::sin(20 * t), 1e-14);
        EXPECT_NEAR(v.z, 0.07 * std::cos(35 * t), 1e-14);
        EXPECT_NEAR(k.states[0].orientation.y, std::sin(0.5 * angle), 1e-15);
        EXPECT_NEAR(k.states[0].spin_rad_per_s.y, 3 * std::cos(10 * t), 1e-13);
    }
    EXPECT_GT(k.works[1].contacts.begins, 2u);
}

// What lies on something that may move again, or is pushed, does not freeze; what it meets wakes.
TEST(GivenTime, NothingFreezesBesideWhatIsGiven) {
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.3, 0.5);
    b.scene.end_s = 1;
    b.ground();
    b.body("pusher", true, {-0.3, 0, 0.05});
    b.shape(SHAPE_BOX, {0.1, 0.1, 0.08, 0});
    b.body("box", false, {0, 0, 0.05});
    b.shape(SHAPE_BOX, {0.1, 0.1, 0.1, 0});
    move(b, 1, {swing(0.3, 2), number(0), number(0), number(0)}); // 0.2 m to the box: at 0.615 s
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const auto rests = ran.events_of_kind(EVENT_REST), wakes = ran.events_of_kind(EVENT_WAKE);
    ASSERT_EQ(rests.size(), 1u);
    ASSERT_EQ(wakes.size(), 1u);
    EXPECT_NEAR(wakes[0].time_s, std::acos(1 - 0.2 / 0.3) / 2, 1e-9);
    EXPECT_NEAR(ran.state(2).position_m.x, -0.3 + 0.3 * (1 - std::cos(2)) + 0.1, 2e-3); // pushed ahead
    EXPECT_LT(ran.progress().energy_drift, 1e-5);
}

} // namespace
