// What is watched while a scene runs: values at a time, means, largest forces, against closed forms and
// independent integrations.
#include "random_scenes.h"

namespace {

constexpr double G = 9.81;

Watch watch_of(uint32_t body, uint32_t observable, uint32_t sense, double after_s = 0) {
    Watch watch{};
    watch.body = body;
    watch.body_other = NONE;
    watch.observable = observable;
    watch.sense = sense;
    watch.after = after_s > 0 || sense == WATCH_AT ? AFTER_TIME : AFTER_START;
    watch.time_s = after_s;
    return watch;
}

// A study that has one quantity for each watch.
struct WatchStudy {
    std::vector<Watch> watches;
    std::vector<Quantity> quantities;
    Study study{};
    explicit WatchStudy(std::vector<Watch> given) : watches(std::move(given)) {
        for (uint32_t k = 0; k < watches.size(); k++) {
            Quantity quantity{};
            quantity.kind = watches[k].sense == WATCH_MEAN ? QUANTITY_MEAN : QUANTITY_EXTREME;
            quantity.watch = k;
            quantities.push_back(quantity);
        }
        study.watch_count = study.quantity_count = uint32_t(watches.size());
        study.watches = watches.data();
        study.quantities = quantities.data();
    }
    std::vector<double> values(const Ran &ran) const {
        std::vector<double> out(ran.batch.scene_count * quantities.size());
        quantity_evaluate(&study, &ran.batch, &ran.result, nullptr, out.data(), nullptr);
        return out;
    }
};

// A ball thrown with a spin, nothing to meet; its frame's origin lies off the centre of mass.
SceneBuilder thrown(double up, double along, double arm = 0) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7);
    b.scene.end_s = 0.5;
    SceneBody &ball = b.ball(0.1, {0.25, 0, 2}, 0, 3.0);
    ball.velocity_m_per_s[2] = up;
    ball.velocity_m_per_s[0] = along;
    if (arm > 0) b.shapes.back().position_m[0] = arm;
    return b;
}

TEST(ValueAtATime, OfAThrownAndSpinningBallIsTheClosedForm) {
    SceneBuilder b = thrown(3, 2);
    b.bodies.back().angular_velocity_rad_per_s[2] = 7;
    const double t = 0.32171; // on no grid
    WatchStudy w({watch_of(0, WATCH_POSITION + 0, WATCH_AT, t), watch_of(0, WATCH_POSITION + 2, WATCH_AT, t),
                  watch_of(0, WATCH_VELOCITY + 2, WATCH_AT, t), watch_of(0, WATCH_SPEED, WATCH_AT, t),
                  watch_of(0, WATCH_ORIENTATION + 0, WATCH_AT, t), watch_of(0, WATCH_ORIENTATION + 3, WATCH_AT, t),
                  watch_of(0, WATCH_ORIENTATION + 1, WATCH_AT, t), watch_of(0, WATCH_KINETIC_ENERGY, WATCH_AT, t),
                  watch_of(0, WATCH_POSITION + 2, WATCH_AT, 0), watch_of(0, WATCH_COM_POSITION + 2, WATCH_AT, 0.5),
                  watch_of(0, WATCH_POSITION + 2, WATCH_AT, 0.50001)});
    const auto v = w.values(run_scene(b, w.study));
    const double vz = 3 - G * t, inertia = 0.4 * 3 * 0.05 * 0.05;
    EXPECT_NEAR(v[0], 0.25 + 2 * t, 1e-15);
    EXPECT_NEAR(v[1], 2 + 3 * t - G * t * t / 2, 1e-15);
    EXPECT_NEAR(v[2], vz, 1e-15);
    EXPECT_NEAR(v[3], std::sqrt(vz * vz + 4), 1e-15);
    EXPECT_NEAR(v[4], std::cos(3.5 * t), 1e-13); // rotation is a product of 322 steps
    EXPECT_NEAR(v[5], std::sin(3.5 * t), 1e-13);
    EXPECT_NEAR(v[6], 0, 1e-15);
    EXPECT_NEAR(v[7], 1.5 * (vz * vz + 4) + inertia * 49 / 2, 1e-13);
    EXPECT_EQ(v[8], 2);
    EXPECT_NEAR(v[9], 2 + 1.5 - G / 8, 1e-15);
    EXPECT_TRUE(std::isnan(v[10])) << "the scene does not get there";
}

TEST(ValueAtATime, GateOfAContactGivesTheValueThere) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7);
    b.ground();
    b.ball(0.1, {0, 0, 0.55});
    WatchStudy w({watch_of(1, WATCH_VELOCITY + 2, WATCH_AT), watch_of(1, WATCH_POSITION + 2, WATCH_AT)});
    w.watches[0].after = w.watches[1].after = AFTER_FIRST_CONTACT_BEGIN;
    const auto v = w.values(run_scene(b, w.study));
    EXPECT_NEAR(v[0], -std::sqrt(2 * G * 0.5), 1e-12);
    EXPECT_NEAR(v[1], 0.05, 1e-12);
}

TEST(Mean, OfFreeFallIsTheClosedForm) {
    const double T = 0.5, t0 = 0.1234, D = T - t0;
    SceneBuilder b = thrown(3, 0);
    WatchStudy w({watch_of(0, WATCH_POSITION + 2, WATCH_MEAN), watch_of(0, WATCH_POSITION + 2, WATCH_MEAN, t0),
                  watch_of(0, WATCH_VELOCITY + 2, WATCH_MEAN, t0), watch_of(0, WATCH_SPEED, WATCH_MEAN),
                  watch_of(0, WATCH_KINETIC_ENERGY, WATCH_MEAN), watch_of(0, WATCH_POSITION + 2, WATCH_MEAN, 0.6),
                  watch_of(0, WATCH_POSITION + 2, WATCH_MEAN, 0.5)});
    const auto v = w.values(run_scene(b, w.study));
    auto height = [](double t) { return 2 * t + 1.5 * t * t - G * t * t * t / 6; };
    EXPECT_NEAR(v[0], height(T) / T, 1e-14);
    EXPECT_NEAR(v[1], (height(T) - height(t0)) / D, 1e-14);
    EXPECT_NEAR(v[2], 3 - G * (T + t0) / 2, 1e-14);
    const double apex = 3 / G; // up, then down: the speed has a kink
    EXPECT_NEAR(v[3], G / 2 * (apex * apex + (T - apex) * (T - apex)) / T, 1e-13);
    const double a = 3 - G * T;
    EXPECT_NEAR(v[4], 1.5 * (27 - a * a * a) / (3 * G) / T, 1e-13);
    EXPECT_TRUE(std::isnan(v[5])) << "the gate never opens";
    EXPECT_TRUE(std::isnan(v[6])) << "no time is left";
}

// Speeds near zero: sqrt(g^2 t^2 + c^2) by its closed form; the worst is a sideways speed of about g times
// a step (1 ms).
TEST(Mean, OfASpeedThatNearlyVanishes) {
    for (double along : {1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 1.0}) {
        SceneBuilder b = thrown(3, along);
        WatchStudy w({watch_of(0, WATCH_SPEED, WATCH_MEAN)});
        const auto v = w.values(run_scene(b, w.study));
        auto primitive = [&](double s) { // of sqrt(s^2 + c^2), s the vertical speed
            return 0.5 * (s * std::hypot(s, along) + along * along * std::asinh(s / along));
        };
        const double expected = (primitive(3) - primitive(3 - G * 0.5)) / G / 0.5;
        EXPECT_NEAR(v[0], expected, 1e-8) << along;
    }
}

// The rotation of a body whose frame is off its centre: fourth order in the outer step.
TEST(Mean, OfATurningPointConvergesWithTheFourthOrder) {
    double error[2];
    for (int k = 0; k < 2; k++) {
        SceneBuilder b = thrown(0, 0, 0.3);
        b.bodies.back().angular_velocity_rad_per_s[2] = 4;
        b.bodies.back().velocity_m_per_s[1] = 0;
        b.scene.gravity_m_per_s2[2] = 0;
        b.scene.step_s = k == 0 ? 0.01 : 0.005; // below the 0.05 rad that cut a step
        WatchStudy w({watch_of(0, WATCH_POSITION + 0, WATCH_MEAN)});
        const auto v = w.values(run_scene(b, w.study));
        // The origin stands still at first: it goes on a cycloid about the centre, 0.3 m along x.
        const double T = 0.5;
        const double expected = 0.25 + 0.3 - 0.3 * std::sin(4 * T) / (4 * T);
        error[k] = std::abs(v[0] - expected);
    }
    EXPECT_LT(error[0], 1e-8);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.3) << error[0] << " " << error[1];
}

// --- one impact on its own ---------------------------------------------------------------------------

struct Impact {
    double mass, stiffness, damping, gravity; // u' = g - K delta^1.5 (1 + d u) / m
    double force_max = 0, depth_max = 0, duration = 0, depth_integral = 0, exit_speed = 0;
    // Independent: the classical method with very many steps uniform in time, peaks by parabolas.
    void integrate(double speed, long steps) {
        const double scale = std::pow(1.25 * mass * speed * speed / stiffness, 0.4) / speed;
        const double h = 4 * scale / double(steps);
        double x = 0, u = speed, t = 0, f0 = 0, f1 = 0;
        auto force = [&](double depth, double v) {
            return depth > 0 ? std::max(0.0, stiffness * depth * std::sqrt(depth) * (1 + damping * v)) : 0.0;
        };
        auto rate = [&](double depth, double v) { return gravity - force(depth, v) / mass; };
        for (long k = 0; k < 10 * steps; k++) {
            const double k1 = rate(x, u), x2 = x + h / 2 * u, u2 = u + h / 2 * k1;
            const double k2 = rate(x2, u2), x3 = x + h / 2 * u2, u3 = u + h / 2 * k2;
            const double k3 = rate(x3, u3), x4 = x + h * u3, u4 = u + h * k3;
            const double k4 = rate(x4, u4);
            const double xn = x + h / 6 * (u + 2 * u2 + 2 * u3 + u4);
            const double un = u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            if (u > 0 && un <= 0) depth_max = std::max(depth_max, x + u * u / (2 * (u - un)) * h);
            const double f2 = force(xn, un);
            if (f1 >= f0 && f1 >= f2 && k > 1) {
                const double curve = f0 - 2 * f1 + f2;
                force_max = std::max(force_max, curve < 0 ? f1 - (f2 - f0) * (f2 - f0) / (8 * curve) : f1);
            }
            if (xn <= 0 && k > 0) { // u is nearly constant at the end
                const double left = x / -un;
                duration = t + left;
                exit_speed = -(u + (un - u) * left / h);
                depth_integral += left * x / 2;
                return;
            }
            depth_integral += h * ((x + xn) / 2 + h * (u - un) / 12);
            f0 = f1, f1 = f2, x = xn, u = un, t += h;
        }
        ADD_FAILURE() << "no end at " << speed;
        exit_speed = NAN;
    }
};

// A ball on a half-space, from a height, with what is asked of its pair.
SceneBuilder falling_ball(double restitution, double young, double drop, uint32_t damping) {
    SceneBuilder b;
    b.material(young);
    ScenePair &pair = b.pair(0, 0, restitution, 0, 0, damping);
    pair.speed_small_m_per_s = 1e-9;
    pair.damping_max_s_per_m = 1e9;
    b.ground();
    b.ball(0.1, {0, 0, 0.05 + drop}, 0, 2.0);
    return b;
}

double ball_stiffness(double young) { return 4.0 / 3 * young / (1 - 0.09) / 2 * std::sqrt(0.05); }

TEST(LargestForce, OfAnUndampedImpactIsHertzs) {
    for (uint32_t steps : {8u, 24u}) {
        SceneBuilder b = falling_ball(1, 2e11, 0, DAMPING_NONE);
        b.scene.gravity_m_per_s2[2] = 0;
        b.bodies.back().position_m[2] = 0.051;
        b.bodies.back().velocity_m_per_s[2] = -1;
        b.scene.end_s = 0.01;
        b.scene.graded_steps = steps;
        WatchStudy w({watch_of(1, WATCH_CONTACT_FORCE, WATCH_MAX), watch_of(1, WATCH_PENETRATION, WATCH_MAX),
                      watch_of(0, WATCH_CONTACT_FORCE, WATCH_MAX)});
        Ran ran = run_scene(b, w.study);
        const auto v = w.values(ran);
        const double k = ball_stiffness(2e11), depth = std::pow(1.25 * 2.0 / k, 0.4);
        const double tolerance = 1e-6;
        EXPECT_NEAR(v[0] / (k * std::pow(depth, 1.5)), 1, tolerance) << steps;
        EXPECT_NEAR(v[1] / depth, 1, tolerance) << steps;
        EXPECT_EQ(v[0], v[2]) << "the ground's contact is the ball's";
        const auto begins = ran.events_of_kind(EVENT_BEGIN), ends = ran.events_of_kind(EVENT_END);
        ASSERT_EQ(ends.size(), 1u);
        const double middle = 0.5 * (begins[0].time_s + ends[0].time_s);
        EXPECT_NEAR((ran.result.extremes[0].time_s - middle) / (ends[0].time_s - begins[0].time_s), 0, 1e-4);
    }
}

// With damping the force peaks before the penetration does, and at the very start where damping is strong.
TEST(LargestForce, OfDampedImpactsIsThatOfAnIndependentIntegration) {
    double worst = 0;
    for (double e : {0.3, 0.5, 0.7, 0.95}) { // with less it sticks
        SceneBuilder b = falling_ball(e, 1e7, 0.2, DAMPING_FLORES);
        b.scene.graded_steps = 24;
        b.scene.tolerance = 1e-10;
        b.scene.end_s = 0.25;
        WatchStudy w({watch_of(1, WATCH_CONTACT_FORCE, WATCH_MAX), watch_of(1, WATCH_PENETRATION, WATCH_MAX)});
        const auto v = w.values(run_scene(b, w.study));
        const double speed = std::sqrt(2 * G * 0.2);
        Impact impact{2.0, ball_stiffness(1e7), 8 * (1 - e) / (5 * e) / speed, G};
        impact.integrate(speed, 2000000);
        EXPECT_NEAR(v[0] / impact.force_max, 1, 1e-6) << e;
        EXPECT_NEAR(v[1] / impact.depth_max, 1, 1e-6) << e;
        worst = std::max(worst, std::abs(v[0] / impact.force_max - 1));
        const double at_depth = ball_stiffness(1e7) * std::pow(impact.depth_max, 1.5);
        if (e < 0.5) {
            EXPECT_GT(v[0], 1.01 * at_depth) << e;
        }
    }
    printf("largest force of damped impacts: worst relative error %.2e\n", worst);
}

TEST(LargestForce, OfAPairAndAfterATime) {
    SceneBuilder b; // one ball hits two at rest, one after the other
    b.material();
    b.pair(0, 0, 1, 0, 0, DAMPING_NONE);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.end_s = 0.05;
    b.ball(0.02, {0, 0, 0}).velocity_m_per_s[0] = 2;
    b.ball(0.02, {0.03, 0, 0});
    b.ball(0.02, {0.06, 0, 0}, 0, 0.003); // light: the second impact has the smaller force
    WatchStudy w({watch_of(1, WATCH_CONTACT_FORCE, WATCH_MAX), watch_of(1, WATCH_CONTACT_FORCE, WATCH_MAX),
                  watch_of(1, WATCH_CONTACT_FORCE, WATCH_MAX), watch_of(0, WATCH_CONTACT_FORCE, WATCH_MAX),
                  watch_of(1, WATCH_CONTACT_FORCE, WATCH_MAX, 7.5e-3), watch_of(2, WATCH_CONTACT_FORCE, WATCH_MAX)});
    w.watches[1].body_other = 0;
    w.watches[2].body_other = 2;
    w.watches[3].body_other = 2;
    const auto v = w.values(run_scene(b, w.study));
    EXPECT_GT(v[1], 1.5 * v[2]);
    EXPECT_GT(v[2], 0);
    EXPECT_EQ(v[0], v[1]);
    EXPECT_EQ(v[3], 0) << "they never meet";
    EXPECT_EQ(v[4], v[2]) << "the first impact is at 5 ms";
    EXPECT_EQ(v[5], v[2]);
}

// Flight by closed form, contacts by the independent integration.
TEST(Mean, HeightOfABouncingBall) {
    const double e = 0.9, drop = 0.2, young = 1e7, end = 1.0;
    SceneBuilder b = falling_ball(e, young, drop, DAMPING_FLORES);
    b.scene.graded_steps = 24;
    b.scene.tolerance = 1e-10;
    b.scene.end_s = end;
    b.scene.no_freeze = 1;
    WatchStudy w({watch_of(1, WATCH_POSITION + 2, WATCH_MEAN)});
    Ran ran = run_scene(b, w.study);
    const auto v = w.values(ran);
    const double k = ball_stiffness(young);
    double t = std::sqrt(2 * drop / G), speed = G * t, sum = drop * t - G * t * t * t / 6;
    unsigned impacts = 0;
    for (; t < end && !HasFailure(); impacts++) {
        Impact impact{2.0, k, 8 * (1 - e) / (5 * e) / speed, G};
        impact.integrate(speed, 400000);
        ASSERT_LT(t + impact.duration, end);
        t += impact.duration;
        sum -= impact.depth_integral;
        speed = impact.exit_speed;
        const double flight = std::min(2 * speed / G, end - t);
        sum += speed * flight * flight / 2 - G * flight * flight * flight / 6;
        t += flight;
    }
    EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN).size(), impacts);
    EXPECT_GE(impacts, 3u);
    EXPECT_NEAR(v[0], 0.05 + sum / end, 2e-8) << impacts;
}

// --- implicit steps ----------------------------------------------------------------------------------

// What rolls down a slope gains speed evenly: means of its motion follow from both ends.
void expect_even_gain(SceneBuilder b, const char *what) {
    const double from = 0.1, end = 0.5, slope = 0.2;
    b.scene.gravity_m_per_s2[0] = G * std::sin(slope);
    b.scene.gravity_m_per_s2[2] = -G * std::cos(slope);
    b.scene.end_s = end;
    WatchStudy w({watch_of(1, WATCH_SPEED, WATCH_MEAN, from), watch_of(1, WATCH_KINETIC_ENERGY, WATCH_MEAN, from),
                  watch_of(1, WATCH_ANGULAR_VELOCITY + 1, WATCH_MEAN, from), watch_of(1, WATCH_SPEED, WATCH_AT, from),
                  watch_of(1, WATCH_ANGULAR_VELOCITY + 1, WATCH_AT, from)});
    Ran ran = run_scene(b, w.study);
    const auto v = w.values(ran);
    EXPECT_LT(ran.progress().substeps, 800u) << "no long steps";
    const Body &body = ran.batch.bodies[1];
    const Vec3 inertia = body.inertia_kg_m2, spin = ran.state(1).spin_rad_per_s;
    const double u = ran.state(1).velocity_m_per_s.x, s = std::hypot(spin.x, spin.y, spin.z);
    const double turning =
        (inertia.x * spin.x * spin.x + inertia.y * spin.y * spin.y + inertia.z * spin.z * spin.z) / (s * s);
    auto square = [](double x, double y) { return (x * x + x * y + y * y) / 3; }; // the mean of it
    const double energy = 0.5 * (body.mass_kg * square(v[3], u) + turning * square(v[4], s));
    std::printf(
        "%s rolls down a slope: means off by %.1e of its speed, %.1e of its energy, %.1e of its spin; %u steps\n", what,
        v[0] / (0.5 * (v[3] + u)) - 1, v[1] / energy - 1, v[2] / (0.5 * (v[4] + s)) - 1, ran.progress().substeps);
    EXPECT_NEAR(v[0] / (0.5 * (v[3] + u)), 1, 1e-8);
    EXPECT_NEAR(v[1] / energy, 1, 1e-8);
    EXPECT_NEAR(v[2] / (0.5 * (v[4] + s)), 1, 1e-8);
}

TEST(Mean, OfWhatRollsDownASlope) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5, 0.6);
    b.ground();
    SceneBuilder capsule = b;
    b.ball(0.1, {0, 0, 0.05});
    expect_even_gain(b, "a ball");
    capsule.body("capsule", false, {0, 0, 0.05});
    capsule.shape(SHAPE_CAPSULE, {0.1, 0.2, 0, 0}).axis = 1;
    expect_even_gain(capsule, "a capsule");
}

// A ball that spins where it lies, against a resistance that grows with its spin: an exponential. Fourth order in the
// steps, which a coarse tolerance leaves three outer steps long.
TEST(Mean, OfASpinThatDiesAwayConvergesWithTheFourthOrder) {
    const double rate = 20, T = 0.2, spin = 1, small = 1e4, radius = 0.05, mass = 2;
    const double depth = std::pow(mass * G / ball_stiffness(2e11), 2.0 / 3); // of a ball that lies
    double of_spin[3], of_energy[3];
    for (int k = 0; k < 3; k++) {
        SceneBuilder b;
        b.material();
        // The torque is rolling R* m g spin / (small / 3) where spins are small.
        ScenePair &pair = b.pair(0, 0, 0.5, 0.3, rate * small * radius * 0.4 / 3 / G);
        pair.spin_small_rad_per_s = small;
        b.scene.end_s = T;
        b.scene.step_s = k < 2 ? 4e-3 / (1 << k) : 1e-3;
        b.scene.tolerance = k < 2 ? 1e-4 : 1e-6;
        b.ground();
        b.ball(2 * radius, {0, 0, radius - depth}, 0, mass).angular_velocity_rad_per_s[2] = spin;
        WatchStudy w(
            {watch_of(1, WATCH_ANGULAR_VELOCITY + 2, WATCH_MEAN), watch_of(1, WATCH_KINETIC_ENERGY, WATCH_MEAN)});
        Ran ran = run_scene(b, w.study);
        const auto v = w.values(ran);
        const double mean = spin * (1 - std::exp(-rate * T)) / (rate * T);
        const double square = spin * spin * (1 - std::exp(-2 * rate * T)) / (2 * rate * T);
        of_spin[k] = std::abs(v[0] / mean - 1);
        of_energy[k] = std::abs(v[1] / (0.2 * mass * radius * radius * square) - 1);
        std::printf("a spin dies away, outer steps of %.0e s, %u steps: means off by %.1e of it, %.1e of its energy\n",
                    b.scene.step_s, ran.progress().substeps, of_spin[k], of_energy[k]);
    }
    EXPECT_NEAR(std::log2(of_energy[0] / of_energy[1]), 4, 0.3);
    EXPECT_LT(of_spin[0], 1e-6);
    EXPECT_LT(of_spin[2], 1e-7); // as studies have them
    EXPECT_LT(of_energy[2], 1e-5);
}

// --- what watching does to a scene ---------------------------------------------------------------------

// Means and gates of contacts cut no step: not a bit of the scene changes.
TEST(Watching, MeansChangeNoBit) {
    Many many(64);
    WatchStudy w({watch_of(2, WATCH_SPEED, WATCH_MEAN), watch_of(2, WATCH_POSITION, WATCH_MEAN),
                  watch_of(2, WATCH_ORIENTATION + 2, WATCH_MEAN), watch_of(2, WATCH_KINETIC_ENERGY, WATCH_MAX)});
    w.watches[0].after = AFTER_FIRST_CONTACT_END;
    Ran with = run_scenes(native_device(), many.scenes, w.study), without = run_scenes(native_device(), many.scenes);
    // Flights are counted in other steps where something that turns is watched.
    for (unsigned k = 0; k < 64; k++) EXPECT_TRUE(same_motion(with, k, without, k));
}

// A stop of its own splits a step: flight stays what it was to rounding.
TEST(Watching, AStopInFlightChangesNothingButRounding) {
    SceneBuilder b = falling_ball(0.7, 2e11, 0.2, DAMPING_FLORES);
    b.scene.end_s = 0.25;
    WatchStudy w({watch_of(1, WATCH_POSITION + 2, WATCH_AT, 0.0334567)});
    const auto a = run_scene(b, w.study), c = run_scene(b);
    EXPECT_NEAR(a.state(1).position_m.z, c.state(1).position_m.z, 1e-12);
    EXPECT_NEAR(a.state(1).velocity_m_per_s.z, c.state(1).velocity_m_per_s.z, 1e-11);
}

} // namespace
