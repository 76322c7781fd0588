// The linear normal force against closed forms: durations, rebounds, depths, forces, statics; restitution as asked for;
// friction on top of it; energy; convergence. Impacts off the centre against an integration of their own.
#include "linear_damping.h"
#include "linear_scenes.h"

namespace {

constexpr double G = 9.81;

// A ball of 1 kg on its way down to a plane, without gravity.
SceneBuilder ball_to_plane(double speed, double stiffness, double zeta, double restitution = 0) {
    SceneBuilder b;
    b.material();
    make_linear(b.pair(0, 0, 0.5), stiffness, 2 * zeta * std::sqrt(stiffness), restitution);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.tolerance = 1e-9;
    b.scene.no_freeze = 1;
    b.ground();
    b.ball(0.2, {0, 0, 0.1 + 1e-3 * speed}, 0, 1).velocity_m_per_s[2] = -speed;
    b.scene.end_s = 2e-3 + 20 / std::sqrt(stiffness) * (1 + zeta * zeta);
    return b;
}

struct Impact {
    double time, ratio, depth, lost, impulse;
    Event begin;
    explicit Impact(const Ran &ran, uint32_t scene = 0) {
        EXPECT_EQ(ran.progress(scene).status, STATUS_OK);
        const auto begins = ran.events_of_kind(EVENT_BEGIN, scene), ends = ran.events_of_kind(EVENT_END, scene);
        EXPECT_EQ(begins.size(), 1u);
        EXPECT_EQ(ends.size(), 1u);
        if (begins.empty() || ends.empty()) return;
        begin = begins[0];
        time = ends[0].time_s - begins[0].time_s;
        ratio = ends[0].speed_m_per_s / begins[0].speed_m_per_s;
        depth = ran.progress(scene).max_penetration_m;
        lost = ends[0].energy_lost_J;
        const Vec3 given = ends[0].impulse_N_s;
        impulse = std::sqrt(given.x * given.x + given.y * given.y + given.z * given.z);
    }
};

const double ZETAS[] = {0, 0.01, 0.1, 0.3, 0.5, 0.6, M_SQRT1_2, 0.9, 1, 1.2, 2, 5};

// The ratio inverts the restitution of Schwager and Poeschel's equation, in all of its branches.
TEST(LinearLaw, DampingRatioInvertsTheRestitution) {
    double worst = 0, before = INFINITY;
    for (double e = 1e-4; e < 1; e = e < 0.99 ? e * 1.003 : 1 - 0.9 * (1 - e)) {
        if (1 - e < 1e-9) break;
        const double zeta = linear_damping_ratio(e), omega = std::sqrt(std::abs(1 - zeta * zeta));
        EXPECT_LT(zeta, before) << e;
        before = zeta;
        double achieved = std::exp(-2.0);
        if (zeta < M_SQRT1_2)
            achieved = std::exp(-zeta / omega * (M_PI - std::atan(2 * zeta * omega / (omega * omega - zeta * zeta))));
        else if (zeta < 1)
            achieved = std::exp(-zeta / omega * std::atan(-2 * zeta * omega / (omega * omega - zeta * zeta)));
        else if (zeta > 1)
            achieved = std::exp(-zeta / omega * std::log((zeta + omega) / (zeta - omega)));
        worst = std::max(worst, std::abs(achieved / e - 1));
    }
    EXPECT_LT(worst, 1e-10); // their form loses digits where zeta is about 1
    EXPECT_EQ(linear_damping_ratio(1), 0);
    EXPECT_NEAR(linear_damping_ratio(std::exp(-2.0)), 1, 1e-14);
    for (double zeta : ZETAS)
        EXPECT_NEAR(linear_damping_ratio(linear_impact(zeta).restitution), zeta, 1e-14 * (1 + zeta * zeta * zeta));
}

TEST(LinearLaw, ABallOnAPlane) {
    double worst_ratio = 0, worst_time = 0, worst_depth = 0, worst_energy = 0;
    for (double zeta : ZETAS) {
        for (double speed : {1e-3, 2.0}) {
            for (double stiffness : {1e4, 1e7}) {
                SceneBuilder b = ball_to_plane(speed, stiffness, zeta);
                const Impact impact(run_scene(b));
                const LinearImpact law = linear_impact(zeta);
                const double tau = std::sqrt(1 / stiffness), kinetic = 0.5 * speed * speed;
                const double depth = law.depth * speed * tau, e = law.restitution;
                worst_ratio = std::max(worst_ratio, std::abs(impact.ratio - e));
                worst_time = std::max(worst_time, std::abs(impact.time / (law.time * tau) - 1));
                worst_depth = std::max(worst_depth, std::abs(impact.depth / depth - 1));
                worst_energy = std::max(worst_energy, std::abs(impact.lost / kinetic - (1 - e * e)));
                EXPECT_NEAR(impact.impulse / speed, 1 + e, 1e-7) << zeta;
                EXPECT_EQ(impact.begin.stiffness, stiffness);
                EXPECT_NEAR(impact.begin.damping, 2 * zeta * std::sqrt(stiffness), 1e-12 * impact.begin.damping);
            }
        }
    }
    printf("ball on a plane: restitution %.1e, duration %.1e, depth %.1e, energy %.1e\n", worst_ratio, worst_time,
           worst_depth, worst_energy);
    EXPECT_LT(worst_ratio, 1e-8);
    EXPECT_LT(worst_time, 1e-6);
    EXPECT_LT(worst_depth, 1e-6);
    EXPECT_LT(worst_energy, 1e-7);
}

// Watched, where it peaks within the impact and where it does as the impact begins.
TEST(LinearLaw, LargestForce) {
    Watch watch = watch_max(1, WATCH_CONTACT_FORCE);
    Study study{};
    study.watch_count = 1;
    study.watches = &watch;
    for (double zeta : ZETAS) {
        SceneBuilder b = ball_to_plane(1, 1e6, zeta);
        const Ran ran = run_scene(b, study);
        EXPECT_NEAR(ran.result.extremes[0].value / (linear_impact(zeta).force * 1e3), 1, 1e-7) << zeta;
    }
}

// Two balls of 0.3 and 2 kg, at any speed: below v_small, where Hertz's law has d_max, too.
TEST(LinearLaw, UnequalBallsReboundWithTheRestitution) {
    std::vector<SceneBuilder> builders;
    for (double e : {0.02, 0.1, 0.2, 0.5, 0.8, 0.95, 1.0}) {
        for (double speed : {1e-3, 1.0, 30.0}) {
            SceneBuilder b;
            b.material();
            make_linear(b.pair(0, 0, 0.5), 1e6, 0, e);
            b.scene.gravity_m_per_s2[2] = 0;
            b.scene.end_s = 0.3;
            b.ball(0.05, {0, 0, 0}, 0, 0.3).velocity_m_per_s[0] = speed;
            b.ball(0.1, {0.075 + 1e-3 * speed, 0, 0}, 0, 2);
            builders.push_back(b);
        }
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    double worst = 0;
    for (uint32_t k = 0; k < scenes.size(); k++)
        worst = std::max(worst, std::abs(Impact(ran, k).ratio - builders[k].pairs[0].linear_restitution));
    printf("unequal balls: restitution %.1e\n", worst);
    EXPECT_LT(worst, 4e-6); // tolerance 1e-6 of the speed and 1 mm/s
    // That of a dashpot which may pull would miss by far.
    const double pulls = std::log(2.0) / std::sqrt(M_PI * M_PI + std::log(2.0) * std::log(2.0));
    EXPECT_NEAR(linear_impact(pulls).restitution, 0.55, 0.005);
}

TEST(LinearLaw, StaticEquilibrium) {
    for (const bool is_box : {false, true}) {
        for (double zeta : {0.05, 0.5, 3.0}) {
            SceneBuilder b = ball_to_plane(0, 1e6, zeta);
            b.scene.gravity_m_per_s2[2] = -G;
            b.scene.end_s = 0.5;
            if (is_box) b.shapes.back() = SceneShape{};
            if (is_box) b.shapes.back().kind = SHAPE_BOX, b.shapes.back().smoothing_m = 1e-3;
            for (int i = 0; is_box && i < 3; i++) b.shapes.back().size_m[i] = 0.2;
            Ran ran = run_scene(b);
            EXPECT_EQ(ran.progress().status, STATUS_OK);
            const double depth = 0.1 - ran.state(1).position_m.z, contacts = is_box ? 4 : 1;
            EXPECT_NEAR(depth / (G / (contacts * 1e6)), 1, 1e-7) << zeta << (is_box ? " box" : " ball");
            b.scene.no_freeze = 0;
            EXPECT_EQ(run_scene(b).events_of_kind(EVENT_REST).size(), 1u) << zeta;
        }
    }
}

// A dropped ball comes to rest in the end, at any restitution but 1.
TEST(LinearLaw, DroppedBallsComeToRest) {
    for (double e : {0.05, 0.5, 0.9}) {
        SceneBuilder b = ball_to_plane(0, 1e6, 0, e);
        b.scene.gravity_m_per_s2[2] = -G;
        b.scene.no_freeze = 0;
        b.bodies.back().position_m[2] = 0.2;
        b.scene.tolerance = 1e-6;
        b.scene.end_s = 5;
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u) << e;
        EXPECT_LT(ran.progress().energy_drift, 1e-5);
        EXPECT_NEAR(0.1 - ran.state(1).position_m.z, G / 1e6, 1e-8);
        EXPECT_LT(ran.progress().evaluations, 20000) << e;
    }
}

// Sliding throughout: the impulse across the normal is mu times the normal one, by either friction law.
TEST(LinearLaw, FrictionOfAnImpactThatSlides) {
    for (const uint32_t has_spring : {0u, 1u}) {
        for (double e : {0.3, 0.9}) {
            SceneBuilder b = ball_to_plane(1, 1e6, 0, e);
            ScenePair &pair = b.pairs.back();
            pair.friction = 0.2;
            pair.has_spring = has_spring;
            pair.shear_stiffness = 1;
            pair.speed_small_m_per_s = 1e-6;
            b.bodies.back().velocity_m_per_s[0] = 20;
            const double way = 20 - run_scene(b).state(1).velocity_m_per_s.x;
            EXPECT_NEAR(way / (0.2 * (1 + e)), 1, has_spring ? 2e-2 : 1e-7) << e; // a spring has to be stretched first
        }
    }
}

// Mindlin's spring beside it: a body held by friction on a slope stays; the stiffness across is 2 (1 - nu)/(2 - nu) k.
TEST(LinearLaw, SpringAcrossHasMindlinsShare) {
    SceneBuilder b = ball_to_plane(0, 1e6, 0.5);
    ScenePair &pair = b.pairs.back();
    pair.friction = 0.5;
    pair.has_spring = 1;
    pair.shear_stiffness = 1;
    b.shapes.back().kind = SHAPE_BOX; // that cannot roll: four contacts
    for (int i = 0; i < 3; i++) b.shapes.back().size_m[i] = 0.2;
    b.shapes.back().smoothing_m = 1e-3;
    b.bodies.back().mass_kind = MASS_GIVEN;
    b.bodies.back().mass_kg = 1;
    for (int i = 0; i < 3; i++) b.bodies.back().inertia_kg_m2[i] = 1e9; // nor tilt
    b.scene.gravity_m_per_s2[0] = 1;
    b.scene.gravity_m_per_s2[2] = -G;
    b.scene.tolerance = 1e-8;
    b.scene.end_s = 0.5;
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    // The springs begin with the weight on them: they are stretched from the first instant on.
    EXPECT_NEAR(ran.state(1).position_m.x / (1 / (4e6 * 2 * 0.7 / 1.7)), 1, 1e-4);
}

// Restitution that is asked for and convergence: errors follow the tolerance, with gravity and without.
TEST(LinearLaw, ErrorsFollowTheTolerance) {
    double before = 1;
    for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        double worst = 0;
        for (double e : {0.05, 0.3, 0.7, 0.95}) {
            SceneBuilder b = ball_to_plane(1, 1e5, 0, e);
            b.scene.tolerance = tolerance;
            b.scene.graded_steps = tolerance < 1e-5 ? 8 : 4;
            worst = std::max(worst, std::abs(Impact(run_scene(b)).ratio - e));
        }
        printf("tolerance %.0e: restitution %.1e\n", tolerance, worst);
        EXPECT_LT(worst, 2 * tolerance);
        EXPECT_LT(worst, 0.5 * before);
        before = worst;
    }
}

// A bar that falls on one end, as capsule, without friction: two equations of motion, integrated by the classical
// Runge-Kutta method from where the contact begins.
struct Bar {
    double z, angle, speed, spin;
};

struct BarLaw {
    double mass, inertia, half, stiffness, damping, radius;
    double height(const Bar &s) const { return s.z - half * std::cos(s.angle) - radius; } // of the lower end
    double rate(const Bar &s) const { return s.speed + half * std::sin(s.angle) * s.spin; }
    double force(const Bar &s) const {
        return std::max(0.0, stiffness * std::max(0.0, -height(s)) - damping * rate(s));
    }
    Bar slope(const Bar &s) const {
        const double f = force(s);
        return {s.speed, s.spin, f / mass - G, f * half * std::sin(s.angle) / inertia};
    }
    static Bar moved(const Bar &s, const Bar &by, double h) {
        return {s.z + h * by.z, s.angle + h * by.angle, s.speed + h * by.speed, s.spin + h * by.spin};
    }
    Bar step(const Bar &s, double h) const {
        const Bar k1 = slope(s), k2 = slope(moved(s, k1, h / 2)), k3 = slope(moved(s, k2, h / 2));
        const Bar k4 = slope(moved(s, k3, h));
        return moved(moved(moved(moved(s, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
    }
};

TEST(LinearLaw, ImpactOffTheCentre) {
    double worst = 0, worst_ratio = 0;
    for (double e : {0.2, 0.6, 0.95}) {
        for (double angle : {0.4, 1.0}) {
            SceneBuilder b;
            b.material();
            make_linear(b.pair(0, 0, 0.5), 1e6, 0, e);
            b.scene.tolerance = 1e-9;
            b.ground();
            b.body("bar", false, {0, 0, 0});
            b.shape(SHAPE_CAPSULE, {0.04, 0.3, 0, 0});
            SceneBody &bar = b.bodies.back();
            BarLaw law{2, 0.03, 0.15, 1e6, 0, 0.02};
            bar.mass_kind = MASS_GIVEN;
            bar.mass_kg = law.mass;
            for (int i = 0; i < 3; i++) bar.inertia_kg_m2[i] = law.inertia;
            const double drop = 0.05;
            bar.position_m[2] = law.half * std::cos(angle) + law.radius + drop;
            bar.rotation.kind = ROTATION_QUATERNION;
            bar.rotation.value[0] = std::cos(angle / 2);
            bar.rotation.value[2] = std::sin(angle / 2);
            const double begins = std::sqrt(2 * drop / G), arm = law.half * std::sin(angle);
            const double effective = 1 / (1 / law.mass + arm * arm / law.inertia);
            law.damping = 2 * linear_damping_ratio(e) * std::sqrt(law.stiffness * effective);
            Bar s{bar.position_m[2] - drop, angle, -G * begins, 0};
            const double closing = -law.rate(s), h = 1e-7;
            double time = begins, ratio = 0;
            while (time < begins + 0.02) {
                const double was = law.force(s);
                s = law.step(s, h);
                time += h;
                if (was > 0 && law.force(s) == 0) ratio = law.rate(s) / closing;
            }
            worst_ratio = std::max(worst_ratio, std::abs(ratio - e));
            b.scene.end_s = time;
            Ran ran = run_scene(b);
            EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN).size(), 1u);
            const BodyState end = ran.state(1);
            worst = std::max(worst, std::abs(end.velocity_m_per_s.z - s.speed));
            worst = std::max(worst, std::abs(std::abs(end.spin_rad_per_s.y) - std::abs(s.spin)) * law.half);
            worst = std::max(worst, std::abs(end.position_m.z - s.z) / 0.02);
            EXPECT_GT(std::abs(s.spin), 0.5); // it does turn
        }
    }
    printf("off the centre: %.1e m/s from the integration, restitution off by %.1e (the bar turns)\n", worst,
           worst_ratio);
    EXPECT_LT(worst, 1e-7);
    EXPECT_LT(worst_ratio, 0.01); // gravity and the turning of the bar disturb it
}

// All sorts of bodies: what the audit says of energy and momentum.
TEST(LinearLaw, EnergyIsKept) {
    for (double e : {0.3, 0.8, 1.0}) {
        SceneBuilder b;
        b.material();
        make_linear(b.pair(0, 0, 0.5, 0.3, 1e-3), 2e5, 0, e);
        b.scene.end_s = 0.5;
        b.ground();
        for (int k = 0; k < 4; k++) {
            b.ball(0.06, {0.05 * (k % 2), 0.01 * k, 0.1 + 0.08 * k});
            b.bodies.back().velocity_m_per_s[2] = -1;
        }
        b.body("box", false, {0.3, 0, 0.2});
        b.shape(SHAPE_BOX, {0.1, 0.08, 0.06, 0});
        b.bodies.back().angular_velocity_rad_per_s[0] = 5;
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_LT(ran.progress().energy_drift, 2e-5) << e;
        EXPECT_LT(ran.progress().momentum_drift, 1e-9) << e;
        EXPECT_GT(ran.progress().dissipated_J, 0);
    }
}

} // namespace
