// Trapezoidal steps with constraints: closed forms, order, what is kept, reactions against Newton and Euler's
// equations.
#include <random>

#include "constraint_reference.h"
#include "constraint_scene.h"
#include "kernel_scene.h"

namespace {

// A rod of 1 m and 1 kg on a revolute joint about y at its end, released at 1 rad.
SceneBuilder pendulum(double step_s, double end_s) {
    SceneBuilder b = constraint_scene(step_s, end_s);
    b.point_mass({-0.5 * std::sin(1.0), 0, -0.5 * std::cos(1.0)}, 1, {1.0 / 12, 1.0 / 12, 1e-3});
    turn_about_y(b.bodies.back(), 1);
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    return b;
}

double angle_of(const BodyState &s) { return std::atan2(-s.position_m.x, -s.position_m.z); }

// Angle and its rate of the pendulum by steps of the classical method that are short enough.
std::array<double, 2> swung(double t) {
    const double w2 = 1.5 * G;
    const int n = int(std::ceil(t / 1e-4));
    const double h = t / n;
    double a = 1, r = 0;
    for (int i = 0; i < n; i++) {
        auto f = [&](double x) { return -w2 * std::sin(x); };
        const double k1 = r, l1 = f(a), k2 = r + h / 2 * l1, l2 = f(a + h / 2 * k1);
        const double k3 = r + h / 2 * l2, l3 = f(a + h / 2 * k2), k4 = r + h * l3, l4 = f(a + h * k3);
        a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        r += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return {a, r};
}

TEST(Trapezoidal, APendulumIsOfSecondOrder) {
    double last = 0;
    for (const double h : {2e-2, 1e-2, 5e-3, 2.5e-3}) {
        SceneBuilder b = pendulum(h, 1);
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const BodyState s = ran.state(1);
        const auto exact = swung(1);
        const double error = std::fabs(angle_of(s) - exact[0]);
        const double off = std::fabs(std::hypot(s.position_m.x, s.position_m.z) - 0.5) + std::fabs(s.position_m.y);
        printf("h %g: angle off by %.3e, length by %.1e, drift %.1e, %u iterations in %u steps\n", h, error, off,
               ran.progress().energy_drift, ran.progress().evaluations, ran.progress().substeps);
        EXPECT_LT(off, 1e-13);
        if (last > 0) {
            EXPECT_NEAR(last / error, 4, 0.2);
        }
        last = error;
    }
    EXPECT_LT(last, 1e-4);
}

// --- each kind of joint -------------------------------------------------------------------------------

const uint32_t KINDS[] = {JOINT_FIXED,     JOINT_REVOLUTE,  JOINT_PRISMATIC, JOINT_CYLINDRICAL,
                          JOINT_UNIVERSAL, JOINT_SPHERICAL, JOINT_DISTANCE};

double draw(std::mt19937_64 &engine, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
}
Point draw_point(std::mt19937_64 &engine, double most) {
    return {draw(engine, -most, most), draw(engine, -most, most), draw(engine, -most, most)};
}

// Two bodies in random poses and motion: the first free or hung on the world by a spherical joint, the second tied to
// it.
SceneBuilder tied(std::mt19937_64 &engine, uint32_t kind, bool is_hung) {
    SceneBuilder b = constraint_scene(1e-3, 0.1);
    for (uint32_t k = 1; k < 3; k++) {
        b.point_mass(draw_point(engine, 0.5), draw(engine, 1, 3), {0.03, 0.04, 0.05});
        SceneBody &body = b.bodies.back();
        body.rotation.kind = ROTATION_QUATERNION;
        double length = 0;
        for (double &value : body.rotation.value) value = draw(engine, -1, 1), length += value * value;
        for (double &value : body.rotation.value) value /= std::sqrt(length);
        for (size_t i = 0; i < 3; i++) body.velocity_m_per_s[i] = draw(engine, -1, 1);
        for (size_t i = 0; i < 3; i++) body.angular_velocity_rad_per_s[i] = draw(engine, -3, 3);
    }
    if (is_hung) b.constraint(JOINT_SPHERICAL, 0, 1, draw_point(engine, 0.5));
    SceneJoint &joint = b.constraint(kind, 1, 2, draw_point(engine, 0.5), draw_point(engine, 1), draw_point(engine, 1));
    joint.length_rate_m_per_s = kind == JOINT_DISTANCE ? -0.1 : 0;
    joint.length_until_s = 100;
    return b;
}

double length_of(Vec3 v) { return vec3_length(v); }
Vec3 back(reference::V v) { return vec3_make(double(v.x), double(v.y), double(v.z)); }

// Those of the dense system in the present states of a scene whose step is 1 ms.
auto exact_accelerations(reference::System &s, const KernelScene &k) {
    for (size_t i = 0; i < s.bodies.size(); i++) {
        s.bodies[i].x = reference::from(k.states[i].position_m);
        s.bodies[i].v = reference::from(k.states[i].velocity_m_per_s);
        s.bodies[i].w = reference::from(k.states[i].spin_rad_per_s);
        s.bodies[i].axes = reference::axes_of(k.states[i].orientation);
    }
    return s.accelerations(k.progress.step_index * 1e-3L);
}

// Accelerations, and with them the reactions, at the beginning and after steps are those of the dense system.
TEST(Trapezoidal, AccelerationsAndReactionsAreThoseOfNewtonAndEuler) {
    std::mt19937_64 engine(5);
    for (const uint32_t kind : KINDS) {
        double worst = 0, worst_force = 0;
        for (int n = 0; n < 20; n++) {
            SceneBuilder b = tied(engine, kind, n % 2 == 0);
            KernelScene k(b);
            reference::System s = reference::system_of(b, k.batch);
            for (int step = 0; step < 30; step++) {
                ASSERT_TRUE(k.outer_step()) << kind;
                const auto exact = exact_accelerations(s, k);
                for (uint32_t i = 1; i < 3; i++) {
                    const BodyRate &rate = k.works[i].step.rates[0];
                    const double scale = 1 + length_of(back(exact[i][0])) + length_of(back(exact[i][1]));
                    worst = std::fmax(worst, length_of(vec3_sub(rate.acceleration, back(exact[i][0]))) / scale);
                    worst = std::fmax(worst, length_of(vec3_sub(rate.spin_rate, back(exact[i][1]))) / scale);
                }
                // The joint is all that acts on the second body beside gravity.
                const Vec3 weight = vec3_make(0, 0, -G), force = k.contacts[k.progress.contact_count - 1].now.force_N;
                const Vec3 wanted = vec3_scale(vec3_sub(back(exact[2][0]), weight), k.batch.bodies[2].mass_kg);
                worst_force = std::fmax(worst_force, length_of(vec3_sub(force, wanted)) / (1 + length_of(wanted)));
            }
        }
        printf("kind %u: accelerations off by %.1e, forces by %.1e\n", kind, worst, worst_force);
        EXPECT_LT(worst, 1e-8);
        EXPECT_LT(worst_force, 1e-8);
    }
}

Vec3 momentum(const Ran &ran, bool is_angular) {
    Vec3 sum = vec3_zero();
    for (uint32_t i = 1; i < 3; i++) {
        const BodyState s = ran.state(i);
        const Body &body = ran.batch.bodies[i];
        const Vec3 linear = vec3_scale(s.velocity_m_per_s, body.mass_kg);
        if (is_angular)
            sum =
                vec3_add(sum, vec3_add(quat_rotate(s.orientation, vec3_multiply(body.inertia_kg_m2, s.spin_rad_per_s)),
                                       vec3_cross(s.position_m, linear)));
        else
            sum = vec3_add(sum, linear);
    }
    return sum;
}

TEST(Trapezoidal, FreePairsKeepMomentum) {
    std::mt19937_64 engine(6);
    for (const uint32_t kind : KINDS) {
        double linear = 0, angular[2] = {0, 0};
        for (int n = 0; n < 10; n++) {
            SceneBuilder b = tied(engine, kind, false);
            b.scene.gravity_m_per_s2[2] = 0;
            Vec3 before[2];
            for (int halves = 0; halves < 2; halves++) {
                b.scene.step_s = halves ? 1e-3 : 2e-3;
                b.scene.end_s = b.scene.step_s; // given velocities do not keep the constraints: after one step they do
                Ran start = run_scene(b);
                for (int i = 0; i < 2; i++) before[i] = momentum(start, i == 1);
                b.scene.end_s = 0.2;
                Ran ran = run_scene(b);
                ASSERT_EQ(ran.progress().status, STATUS_OK);
                linear = std::fmax(linear, length_of(vec3_sub(momentum(ran, false), before[0])));
                angular[halves] = std::fmax(angular[halves], length_of(vec3_sub(momentum(ran, true), before[1])));
            }
        }
        printf("kind %u: momentum off by %.1e, angular momentum by %.1e at 2 ms and %.1e at 1 ms\n", kind, linear,
               angular[0], angular[1]);
        EXPECT_LT(linear, 1e-12);
    }
}

// --- winches, chains, loops ---------------------------------------------------------------------------

// A mass of 6,414 kg on a cable of 5 m that a winch hauls in at 0.25 m/s from one moment to the next.
TEST(Trapezoidal, AWinchThatStartsWithAJumpLeavesNoOscillation) {
    SceneBuilder b = constraint_scene(1e-2, 2);
    b.point_mass({0, 0, -5}, 6414, {6414, 6414, 6414});
    b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 1}, {0, 0, -5});
    b.joints.back().length_rate_m_per_s = -0.25;
    b.joints.back().length_until_s = 100;
    KernelScene k(b);
    for (int step = 0; step < 200; step++) {
        ASSERT_TRUE(k.outer_step());
        // Without projections it is 0.5, 0, 0.5, 0, ..., and the tension goes to -1.3e8 N.
        EXPECT_NEAR(k.states[1].velocity_m_per_s.z, 0.25, 1e-12) << step;
        EXPECT_NEAR(-k.contacts[0].now.normal_N, 6414 * G, 6414 * G * 1e-10) << step;
    }
    EXPECT_NEAR(k.states[1].position_m.z, -4.5, 1e-11);
}

// A winch that stops: the rate of the length ends at a time that is none of a step.
TEST(Trapezoidal, AWinchStopsAtItsTime) {
    SceneBuilder b = constraint_scene(1e-2, 1);
    b.point_mass({0, 0, -5}, 2, {1, 1, 1});
    b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 1}, {0, 0, -5});
    b.joints.back().length_rate_m_per_s = -0.5;
    b.joints.back().length_until_s = 0.333;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.z, -5 + 0.5 * 0.333, 1e-12);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.z, 0, 1e-12);
}

// Cable of 5 m, shank of 2,414 kg and 3 m, flukes of 4,000 kg on a revolute joint, released at 0.5 rad.
SceneBuilder anchor(double step_s, double end_s) {
    SceneBuilder b = constraint_scene(step_s, end_s);
    const double s = std::sin(0.5), c = std::cos(0.5);
    auto along = [&](double length) { return Point{-s * length, 0, -c * length}; };
    b.point_mass(along(6.5), 2414, {2414 * (9 + 0.09) / 12, 2414 * (9 + 0.09) / 12, 2414 * 0.09 / 6});
    turn_about_y(b.bodies.back(), 0.5);
    b.point_mass(along(8.5), 4000, {4000 * 1.36 / 12, 4000 * 5.0 / 12, 4000 * 4.36 / 12});
    turn_about_y(b.bodies.back(), 0.5);
    b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 1}, along(5));
    b.constraint(JOINT_REVOLUTE, 1, 2, along(8), {0, 1, 0});
    return b;
}

TEST(Trapezoidal, AnAnchorKeepsItsConstraintsAndLosesEnergyInSecondOrder) {
    double last = 0;
    for (const double h : {1e-2, 5e-3, 2.5e-3}) {
        SceneBuilder b = anchor(h, 5);
        KernelScene k(b);
        double off[3] = {0, 0, 0};
        const int steps = int(std::lround(5 / h));
        for (int step = 0; step < steps; step++) {
            ASSERT_TRUE(k.outer_step());
            observe_energy(&k.view, &k.progress, 0);
            for (uint32_t c = 0; c < 2; c++) {
                constraint_take_rows(&k.view, &k.contacts[c]);
                const BodyState *s = k.states.data();
                const BodyWork *w = k.works.data();
                const uint32_t i = k.contacts[c].pair.body_a, j = k.contacts[c].pair.body_b;
                const Vec3 v = vec3_sub(s[j].velocity_m_per_s, s[i].velocity_m_per_s);
                const Vec3 a = vec3_sub(w[j].step.rates[0].acceleration, w[i].step.rates[0].acceleration);
                auto world = [&](uint32_t body, Vec3 spin) { return quat_rotate(s[body].orientation, spin); };
                for (uint32_t r = 0; r < k.contacts[c].step.constraint.count; r++) {
                    const ConstraintRow &row = k.contacts[c].step.constraint.rows[r];
                    off[0] = std::fmax(off[0], std::fabs(row.phi));
                    off[1] = std::fmax(off[1], std::fabs(constraint_rate(&row, v, world(i, s[i].spin_rad_per_s),
                                                                         world(j, s[j].spin_rad_per_s))));
                    const double second = constraint_rate(&row, a, world(i, w[i].step.rates[0].spin_rate),
                                                          world(j, w[j].step.rates[0].spin_rate));
                    off[2] = std::fmax(off[2], std::fabs(second + row.second_derivative));
                }
            }
        }
        printf("h %g: phi %.1e, its rate %.1e, second derivative %.1e, drift %.2e, %.2f iterations\n", h, off[0],
               off[1], off[2], k.progress.energy_drift, double(k.progress.evaluations) / steps);
        EXPECT_LT(off[0], 1e-10);
        EXPECT_LT(off[1], 1e-10);
        EXPECT_LT(off[2], 1e-8);
        EXPECT_LE(k.progress.evaluations, 4u * unsigned(steps));
        if (last > 0) {
            EXPECT_NEAR(last / k.progress.energy_drift, 4, 0.3);
        }
        last = k.progress.energy_drift;
    }
}

// A chain of links on spherical joints that hangs straight carries the weight below each joint.
TEST(Trapezoidal, AHangingChainCarriesItsWeight) {
    const uint32_t links = 100;
    SceneBuilder b = constraint_scene(1e-3, 0.02);
    for (uint32_t i = 1; i <= links; i++) {
        b.point_mass({0, 0, 0.05 - 0.1 * i}, 0.2, {2e-4, 2e-4, 1e-5});
        b.constraint(JOINT_SPHERICAL, i - 1, i, {0, 0, 0.1 - 0.1 * i});
    }
    KernelScene k(b);
    for (int step = 0; step < 20; step++) {
        ASSERT_TRUE(k.outer_step());
    }
    for (uint32_t c = 0; c < links; c++)
        EXPECT_NEAR(k.contacts[c].now.force_N.z, 0.2 * G * (links - c), 1e-8 * 0.2 * G * links) << c;
}

// Level chains hardly resist what moves all of their links a little, least of all with a heavy end: projections that go
// on until they have converged are needed for these. Forces are unique, and no flag says otherwise.
TEST(Trapezoidal, ALevelChainWithAHeavyEndFallsAsNewtonSays) {
    const uint32_t links = 60;
    SceneBuilder b = constraint_scene(1e-3, 0.01);
    for (uint32_t i = 1; i <= links; i++) {
        const double mass = i == links ? 1000 : 0.1;
        b.point_mass({0.1 * i - 0.05, 0, 0}, mass, {5e-5 * mass, 8.3e-4 * mass, 8.3e-4 * mass});
        b.constraint(JOINT_SPHERICAL, i - 1, i, {0.1 * i - 0.1, 0, 0});
    }
    KernelScene k(b);
    reference::System s = reference::system_of(b, k.batch);
    for (int step = 0; step < 10; step++) {
        ASSERT_TRUE(k.outer_step());
    }
    const auto exact = exact_accelerations(s, k);
    double worst = 0, worst_force = 0, largest = 0;
    Vec3 carried = vec3_zero(); // what moves the links from here to the end
    for (uint32_t i = links; i >= 1; i--) {
        const Vec3 exact_m_per_s2 = back(exact[i][0]), force = k.contacts[i - 1].now.force_N;
        worst = std::fmax(worst, length_of(vec3_sub(k.works[i].step.rates[0].acceleration, exact_m_per_s2)) / G);
        carried = vec3_add_scaled(carried, vec3_sub(exact_m_per_s2, vec3_make(0, 0, -G)), k.batch.bodies[i].mass_kg);
        worst_force = std::fmax(worst_force, length_of(vec3_sub(force, carried)));
        largest = std::fmax(largest, length_of(carried));
    }
    printf("accelerations off by %.1e of gravity, forces by %.1e of the largest\n", worst, worst_force / largest);
    EXPECT_LT(worst, 1e-8);
    EXPECT_LT(worst_force, 1e-8 * largest);
    EXPECT_EQ(k.progress.flags, 0u);
}

// Joints 1 km from the origin are off by the rounding of places, 1e-13 m, which projections must not enlarge, or
// Newton's method does not end.
TEST(Trapezoidal, AThousandHingesTakeFewIterations) {
    const uint32_t links = 1000, steps = 20;
    SceneBuilder b = constraint_scene(1e-3, 1);
    for (uint32_t i = 1; i <= links; i++) {
        b.point_mass({i - 0.5, 0, 0}, 1, {1e-4, 1.0 / 12, 1.0 / 12});
        b.constraint(JOINT_REVOLUTE, i - 1, i, {i - 1.0, 0, 0}, {0, 1, 0});
    }
    KernelScene k(b);
    for (uint32_t step = 0; step < steps; step++) {
        ASSERT_TRUE(k.outer_step());
    }
    EXPECT_EQ(k.progress.substeps, steps);
    printf("%.1f iterations a step\n", double(k.progress.evaluations) / steps);
    EXPECT_LT(k.progress.evaluations, 8 * steps);
}

// A parallelogram of four revolute joints has three equations too many in space, and passes its singular position
// where all bars lie in a line; released from there a little off, it keeps its constraints and its energy.
TEST(Trapezoidal, AClosedLoopWithRedundantConstraintsWorks) {
    SceneBuilder b = constraint_scene(1e-3, 2);
    const double angle = 1.5, s = std::sin(angle), c = std::cos(angle);
    auto bar = [&](double x, double z, double length, double turned) {
        b.point_mass({x, 0, z}, 1, {length * length / 12, length * length / 12, 1e-3});
        turn_about_y(b.bodies.back(), turned);
    };
    bar(0.5 * s, 0.5 * c, 1, angle);       // 1: from (0, 0, 0) to (s, 0, c)
    bar(s + 1, c, 2, std::acos(-1.0) / 2); // 2: the coupler, along x
    bar(2 + 0.5 * s, 0.5 * c, 1, angle);   // 3: from (2, 0, 0)
    const Point y = {0, 1, 0};
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, y);
    b.constraint(JOINT_REVOLUTE, 1, 2, {s, 0, c}, y);
    b.constraint(JOINT_REVOLUTE, 2, 3, {s + 2, 0, c}, y);
    b.constraint(JOINT_REVOLUTE, 0, 3, {2, 0, 0}, y);
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    // The coupler has gone through the point below, where it is 1 m under the pivots, and is still parallel to x.
    EXPECT_NEAR(ran.state(2).position_m.y, 0, 1e-10);
    const double x = ran.state(2).position_m.x - 1, z = ran.state(2).position_m.z;
    EXPECT_NEAR(std::hypot(x, z), 1, 1e-10);
    EXPECT_LT(ran.progress().energy_drift, 1e-4);
    // Its motion is that of a pendulum: (m/3 + m/3 + m) a'' = -(m/2 + m/2 + m) g sin a, a from below.
    const double w2 = 2 * G / (5.0 / 3);
    double a = std::acos(-1.0) - angle, r = 0;
    const int n = 20000;
    for (int i = 0; i < n; i++) {
        const double h = 2.0 / n;
        auto f = [&](double at) { return -w2 * std::sin(at); };
        const double k1 = r, l1 = f(a), k2 = r + h / 2 * l1, l2 = f(a + h / 2 * k1);
        const double k3 = r + h / 2 * l2, l3 = f(a + h / 2 * k2), k4 = r + h * l3, l4 = f(a + h * k3);
        a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        r += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    EXPECT_NEAR(x, std::sin(a), 1e-4);
    EXPECT_NEAR(z, -std::cos(a), 1e-4);
}

// A stiff spring with a strong damper under the same rule: the closed form of a decay in one step and in the limit.
TEST(Trapezoidal, SpringsFollowTheTrapezoidalRule) {
    SceneBuilder b = constraint_scene(1e-2, 1e-2);
    b.scene.gravity_m_per_s2[2] = 0;
    b.point_mass({1.0001, 0, 0}, 2, {1, 1, 1});
    const double k = 8e6, c = 400, m = 2, h = 1e-2;
    b.spring(0, 1, {0, 0, 0}, {1.0001, 0, 0}, k, c, 1);
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    // (1 - h/2 A) y1 = (1 + h/2 A) y0 with y = (x, v), A = [0 1; -k/m -c/m].
    const double x0 = 1e-4, v0 = 0, p = x0 + h / 2 * v0, q = v0 - h / 2 * (k / m * x0 + c / m * v0);
    const double v1 = (q - h / 2 * k / m * p) / (1 + h / 2 * c / m + h * h / 4 * k / m);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, v1, 1e-9 * std::fabs(v1));
    EXPECT_NEAR(ran.state(1).position_m.x - 1, p + h / 2 * v1, 1e-12);
}

// A body without joints flies as by any method, under a point's gravity too, where long steps have to be cut.
TEST(Trapezoidal, FlightsUnderAPointsGravityAreThoseOfEvents) {
    double x[2];
    for (const uint32_t method : {METHOD_EVENTS, METHOD_TRAPEZOIDAL}) {
        SceneBuilder b = constraint_scene(0.2, 3);
        b.scene.method = method;
        b.scene.has_point_gravity = 1;
        b.scene.gravity_strength_m3_per_s2 = 3.7;
        b.scene.gravity_m_per_s2[2] = 0;
        b.point_mass({1.2, 0, 0}, 1, {0.1, 0.1, 0.1});
        b.bodies.back().velocity_m_per_s[1] = 1.3;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        x[method == METHOD_TRAPEZOIDAL] = ran.state(1).position_m.x;
    }
    EXPECT_EQ(x[0], x[1]);
}

} // namespace
