// Impacts of the whole pipeline against closed forms and 30-digit integrations.
#include "scene_builder.h"

namespace {

constexpr double G = 9.81;

// Two balls, no gravity, the second at rest: the law alone.
SceneBuilder two_balls(double e, double speed, uint32_t damping, double young = 2e11, double density = 8000) {
    SceneBuilder b;
    b.material(young, 0.3, density);
    ScenePair &pair = b.pair(0, 0, e, 0, 0, damping);
    pair.speed_small_m_per_s = 1e-9;
    pair.damping_max_s_per_m = 1e9;
    b.scene.gravity_m_per_s2[2] = 0;
    b.ball(0.02, {0, 0, 0}).velocity_m_per_s[0] = speed;
    b.ball(0.02, {0.02 + 1e-4 * speed, 0, 0});
    b.scene.end_s = 1e-4 + 0.05 * std::pow(speed, -0.2);
    return b;
}

double ratio_of_first_impact(const Ran &ran, uint32_t scene = 0) {
    auto begins = ran.events_of_kind(EVENT_BEGIN, scene), ends = ran.events_of_kind(EVENT_END, scene);
    if (begins.empty() || ends.empty()) return NAN;
    return ends[0].speed_m_per_s / begins[0].speed_m_per_s;
}

// Relation (R): alpha - ln(1 + alpha) = -alpha eps - ln(1 - alpha eps), solved for eps by bisection.
double achieved_restitution(double alpha) {
    if (alpha == 0) return 1;
    const double left = alpha - std::log1p(alpha);
    double low = 0, high = std::min(1.0, 1 / alpha);
    for (int i = 0; i < 200; i++) {
        const double mid = 0.5 * (low + high);
        (-alpha * mid - std::log1p(-alpha * mid) < left ? low : high) = mid;
    }
    return 0.5 * (low + high);
}

double alpha_of(uint32_t damping, double e) {
    switch (damping) {
    case DAMPING_FLORES: return 8 * (1 - e) / (5 * e);
    case DAMPING_HUNT_CROSSLEY: return 1.5 * (1 - e);
    case DAMPING_LANKARANI_NIKRAVESH: return 0.75 * (1 - e * e);
    case DAMPING_HU_GUO: return 1.5 * (1 - e) / e;
    case DAMPING_HERBERT_MCWHANNELL: return 6 * (1 - e) / ((2 * e - 1) * (2 * e - 1) + 3);
    case DAMPING_LEE_WANG: return 0.75 * (1 - e);
    default: return (1 - e * e) / e; // Gonthier
    }
}

TEST(Impact, ElasticHertzOfTwoBalls) {
    SceneBuilder b = two_balls(1.0, 1.0, DAMPING_FLORES);
    b.scene.graded_steps = 24;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const double m = 8000 * 4.0 / 3.0 * M_PI * 1e-6 / 2; // effective
    const double modulus = 2e11 / (1 - 0.09) / 2;
    const double peak = std::pow(15 * m / (16 * modulus * std::sqrt(0.005)), 0.4);
    EXPECT_NEAR(peak, 2.100247647e-5, 1e-14); // (5 m v^2 / (4 K))^0.4
    EXPECT_NEAR(ran.progress().max_penetration_m / peak, 1, 1e-6);
    const double force = 4.0 / 3.0 * modulus * std::sqrt(0.005) * std::pow(ran.progress().max_penetration_m, 1.5);
    EXPECT_NEAR(force / 997.2134025, 1, 1e-6);
    auto begins = ran.events_of_kind(EVENT_BEGIN), ends = ran.events_of_kind(EVENT_END);
    ASSERT_EQ(begins.size(), 1u);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_NEAR((ends[0].time_s - begins[0].time_s) / 6.181606780e-5, 1, 1e-6);
    EXPECT_NEAR(ends[0].speed_m_per_s / begins[0].speed_m_per_s, 1, 1e-8);
    EXPECT_NEAR(ends[0].impulse_N_s.x / (2 * m), 1, 1e-8);
    EXPECT_NEAR(ends[0].energy_lost_J, 0, 1e-12);
    EXPECT_NEAR(begins[0].stiffness / (4.0 / 3.0 * modulus * std::sqrt(0.005)), 1, 1e-14);
    EXPECT_EQ(begins[0].damping, 0);
    EXPECT_NEAR(begins[0].gap_m, 0, 1e-15);
    EXPECT_EQ(ends[0].stiffness + ends[0].damping + ends[0].gap_m, 0);
}

TEST(Impact, ElasticHertzOnAHalfSpace) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 1);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.graded_steps = 24;
    b.scene.end_s = 0.01;
    b.ground();
    b.ball(0.02, {0, 0, 0.011}).velocity_m_per_s[2] = -1;
    Ran ran = run_scene(b);
    auto begins = ran.events_of_kind(EVENT_BEGIN), ends = ran.events_of_kind(EVENT_END);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_NEAR(ran.progress().max_penetration_m / 2.412551017e-5, 1, 1e-6);
    EXPECT_NEAR((ends[0].time_s - begins[0].time_s) / 7.100801540e-5, 1, 1e-6);
}

// 12 values of e and all seven relations, to 1e-6 at a fine setting; three speeds, two masses, two
// stiffnesses change nothing.
TEST(Impact, RestitutionFollowsRelationRAndIsScaleFree) {
    const double values[] = {0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98};
    std::vector<SceneBuilder> builders;
    std::vector<double> wanted;
    for (uint32_t damping = DAMPING_FLORES; damping <= DAMPING_GONTHIER; damping++) {
        for (double e : values) {
            for (double speed : {1e-3, 1.0, 30.0}) {
                for (double young : {2e11, 1e9}) {
                    for (double density : {8000.0, 700.0}) {
                        builders.push_back(two_balls(e, speed, damping, young, density));
                        builders.back().scene.graded_steps = 24;
                        builders.back().scene.tolerance = 1e-9;
                        wanted.push_back(achieved_restitution(alpha_of(damping, e)));
                    }
                }
            }
        }
    }
    EXPECT_NEAR(achieved_restitution(alpha_of(DAMPING_FLORES, 0.7)), 0.68318420,
                1e-8); // relation (R)
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    double worst = 0;
    for (uint32_t k = 0; k < scenes.size(); k++) {
        EXPECT_EQ(ran.progress(k).status, STATUS_OK);
        const double error = ratio_of_first_impact(ran, k) / wanted[k] - 1;
        worst = std::max(worst, std::abs(error));
        EXPECT_NEAR(error, 0, 1e-6) << "damping " << builders[k].pairs[0].damping << " e "
                                    << builders[k].pairs[0].restitution << " v "
                                    << builders[k].bodies[0].velocity_m_per_s[0] << " E "
                                    << builders[k].materials[0].young_Pa;
    }
    printf("relation (R), %zu scenes: worst relative error %.2e\n", scenes.size(), worst);
}

TEST(Impact, ExactDampingAchievesWhatWasAskedFor) {
    std::vector<SceneBuilder> builders;
    for (double e : {0.1, 0.5, 0.9, 0.99}) {
        builders.push_back(two_balls(e, 1.0, DAMPING_EXACT));
        builders.back().scene.graded_steps = 24;
        builders.back().scene.tolerance = 1e-9;
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    for (uint32_t k = 0; k < scenes.size(); k++) {
        EXPECT_NEAR(ratio_of_first_impact(ran, k) / builders[k].pairs[0].restitution, 1, 1e-6);
    }
}

// Energy lost of one contact is the kinetic energy that is gone.
// Friction turns a backspin round while rolling resistance, which is stiff about no spin, acts on it: no step may
// pass over that without error control, however long the normal force lets it be.
TEST(Impact, SpinThatTurnsRoundWithinIt) {
    const auto speed_after = [](double steps, double tolerance) {
        SceneBuilder b;
        b.material(1e7, 0.49, 1100);
        b.pair(0, 0, 0.75, 0.37, 0.02);
        b.scene.graded_steps = steps;
        b.scene.tolerance = tolerance;
        b.scene.end_s = 0.01;
        b.ground();
        SceneBody &ball = b.ball(0.06, {0, 0, 0.031});
        ball.velocity_m_per_s[0] = 5.25;
        ball.velocity_m_per_s[2] = -5;
        ball.angular_velocity_rad_per_s[1] = -38;
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(ran.events_of_kind(EVENT_END).size(), 1u);
        const BodyState &end = ran.result.states[1];
        EXPECT_GT(end.spin_rad_per_s.y, 1.0); // about the axis it turns round, so that its frame is good enough: it did
        return end.velocity_m_per_s.x;
    };
    const double truth = speed_after(48, 1e-10);
    for (double steps : {6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 16.0})
        EXPECT_NEAR(speed_after(steps, 1e-6), truth, 1e-5 * truth) << steps;
}

TEST(Impact, EnergyLostIsTheEnergyGone) {
    SceneBuilder b = two_balls(0.6, 2.0, DAMPING_FLORES);
    b.scene.graded_steps = 24;
    Ran ran = run_scene(b);
    auto ends = ran.events_of_kind(EVENT_END);
    ASSERT_EQ(ends.size(), 1u);
    const double m = 8000 * 4.0 / 3.0 * M_PI * 1e-6 / 2;
    const double e = ratio_of_first_impact(ran);
    EXPECT_NEAR(ends[0].energy_lost_J / (0.5 * m * 4 * (1 - e * e)), 1, 1e-7);
    EXPECT_LT(ran.progress().energy_drift, 1e-8);
}

SceneBuilder bouncing_sphere() {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7, 0.5, 0.001);
    b.scene.end_s = 2.202;
    b.ground();
    b.ball(0.2, {0, 0, 1.1}, 0, 0.001);
    return b;
}

struct Bounce {
    double time_s, speed_in, duration_s, speed_out;
};
// Integrated with 30 digits, gravity included during contact.
const Bounce BOUNCES[] = {{0.451523640986, 4.429446918070, 8.595746e-6, 3.026109333617},
                          {1.068476035635, 3.026109333617, 9.276359e-6, 2.067369779268},
                          {1.489967428052, 2.067369779268, 1.001088e-5, 1.412372456288},
                          {1.777922893834, 1.412372456288, 1.080360e-5, 0.964886899140},
                          {1.974648661581, 0.964886899140, 1.165915e-5, 0.659169964054},
                          {2.109047673237, 0.659169964054, 1.258255e-5, 0.450306962913},
                          {2.200865956684, 0.450306962913, 1.357925e-5, 0.307612878423}};

void expect_bounces(double n, double time_tolerance, double speed_tolerance) {
    SceneBuilder b = bouncing_sphere();
    b.scene.graded_steps = n;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    auto begins = ran.events_of_kind(EVENT_BEGIN), ends = ran.events_of_kind(EVENT_END);
    ASSERT_GE(begins.size(), 7u);
    ASSERT_GE(ends.size(), 7u);
    for (size_t k = 0; k < 7; k++) {
        EXPECT_NEAR(begins[k].time_s, BOUNCES[k].time_s, time_tolerance) << "bounce " << k;
        EXPECT_NEAR(begins[k].speed_m_per_s, BOUNCES[k].speed_in, speed_tolerance) << "bounce " << k;
        EXPECT_NEAR(ends[k].speed_m_per_s, BOUNCES[k].speed_out, speed_tolerance) << "bounce " << k;
        EXPECT_NEAR(ends[k].time_s - begins[k].time_s, BOUNCES[k].duration_s, 1e-5 * BOUNCES[k].duration_s);
    }
}

TEST(Bounces, DefaultSetting) { expect_bounces(8, 1e-5, 1e-5); }
TEST(Bounces, FineSetting) { expect_bounces(48, 1e-9, 1e-9); }

TEST(Bounces, StateAt2200msMatchesModia3D) {
    SceneBuilder b = bouncing_sphere();
    b.scene.end_s = 2.2;
    b.scene.graded_steps = 48;
    Ran ran = run_scene(b);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.z, -0.441811927845, 1e-8);
    EXPECT_NEAR(ran.state(1).position_m.z - 0.1, 0.000386268158, 1e-8);
    // Modia3D's own regression: tests/golden/scenes.json, BouncingSphere; its integrator's error.
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.z, -0.4417983315849275, 5e-5);
    EXPECT_NEAR(ran.state(1).position_m.z - 0.1, 0.0003869217525311367, 5e-6);
}

// The error falls with n, steeply, down to 1e-9.
TEST(Bounces, GradedStepsConverge) {
    std::vector<double> errors;
    for (double n : {4.0, 8.0, 16.0}) {
        SceneBuilder b = bouncing_sphere();
        b.scene.graded_steps = n;
        Ran ran = run_scene(b);
        auto ends = ran.events_of_kind(EVENT_END);
        ASSERT_FALSE(ends.empty());
        errors.push_back(std::abs(ends[0].speed_m_per_s / BOUNCES[0].speed_out - 1));
    }
    EXPECT_LT(errors[0], 1e-4);
    EXPECT_LT(errors[1], errors[0] / 16);
    EXPECT_LT(errors[2], errors[1] / 16);
}

// A body that rests keeps its Hertz overlap; freezing off.
struct Statics {
    double young, poisson, density, radius, depth;
};

TEST(Statics, OverlapAtRest) {
    const Statics cases[] = {{2e11, 0.3, 8000, 0.1, 3.692327143e-6}, {1.1e10, 0.4, 700, 0.05, 1.502584894e-6}};
    for (const Statics &c : cases) {
        SceneBuilder b;
        b.material(c.young, c.poisson, c.density);
        b.pair(0, 0, 0.7);
        b.scene.no_freeze = 1;
        b.scene.end_s = 0.3;
        b.ground();
        b.ball(2 * c.radius, {0, 0, c.radius});
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const double m = c.density * 4 / 3 * M_PI * std::pow(c.radius, 3);
        const double k = 4.0 / 3 * c.young / (1 - c.poisson * c.poisson) / 2 * std::sqrt(c.radius);
        const double depth = std::pow(m * G / k, 2.0 / 3);
        EXPECT_NEAR(depth / c.depth, 1, 1e-9);
        EXPECT_NEAR((c.radius - ran.state(1).position_m.z) / depth, 1, 1e-9);
        EXPECT_LT(std::abs(ran.state(1).velocity_m_per_s.z), 1e-10);
    }
}

// The lowest contact of a column carries them all.
TEST(Statics, ColumnOfSpheres) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    b.scene.no_freeze = 1;
    b.scene.end_s = 0.5;
    b.ground();
    const int n = 4;
    for (int k = 0; k < n; k++) b.ball(0.02, {0, 0, 0.01 + 0.02 * k});
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const double m = 8000 * 4.0 / 3 * M_PI * 1e-6;
    const double modulus = 2e11 / (1 - 0.09) / 2;
    double below = 0;
    for (int k = 0; k < n; k++) {
        const double radius = k == 0 ? 0.01 : 0.005;
        const double depth = std::pow((n - k) * m * G / (4.0 / 3 * modulus * std::sqrt(radius)), 2.0 / 3);
        const double z = ran.state(uint32_t(k + 1)).position_m.z;
        EXPECT_NEAR(((k == 0 ? 0.01 : below + 0.02) - z) / depth, 1, 1e-6) << "contact " << k;
        below = z;
    }
}

TEST(Events, FreeFallForAnyStep) {
    const double exact = std::sqrt(2 / G);
    for (double h : {1e-2, 3e-3, 1e-3, 1e-4, 1e-5}) {
        SceneBuilder b = bouncing_sphere();
        b.scene.step_s = h;
        b.scene.end_s = 0.46;
        Ran ran = run_scene(b);
        auto begins = ran.events_of_kind(EVENT_BEGIN);
        ASSERT_EQ(begins.size(), 1u) << h;
        EXPECT_NEAR(begins[0].time_s, exact, 1e-12) << h;
        EXPECT_NEAR(begins[0].speed_m_per_s, std::sqrt(2 * G), 1e-11) << h;
    }
}

// The depth of an elastic impact is Hertz's (5 m v^2/(4 K))^(2/5): stiffnesses for 0.95 and 1.05 of a tenth of the
// radius.
TEST(Impact, DeeperThanATenthIsFlagged) {
    const double radius = 0.1, speed = 1, mass = 0.001;
    for (double share : {0.095, 0.105}) {
        const double stiffness = 1.25 * mass * speed * speed / std::pow(share * radius, 2.5);
        SceneBuilder b;
        b.material(stiffness / (4.0 / 3 * std::sqrt(radius)) * 2, 0.0);
        b.pair(0, 0, 1, 0, 0, DAMPING_NONE);
        b.scene.gravity_m_per_s2[2] = 0;
        b.scene.end_s = 0.2;
        b.ground();
        SceneBody &ball = b.ball(2 * radius, {0, 0, 1.01 * radius}, 0, mass);
        ball.velocity_m_per_s[2] = -speed;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_NEAR(ran.progress().max_penetration_m, share * radius, 1e-4 * radius);
        EXPECT_EQ((ran.progress().flags & FLAG_DEEP_CONTACT) != 0, share > 0.1);
        EXPECT_FALSE(ran.progress().flags & FLAG_DEEP_START);
    }
}

TEST(Rest, BallDroppedComesToRestAndIsFrozen) {
    SceneBuilder b = bouncing_sphere();
    b.bodies[1].position_m[2] = 0.11;
    b.scene.end_s = 1;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    auto rests = ran.events_of_kind(EVENT_REST);
    ASSERT_EQ(rests.size(), 1u);
    EXPECT_TRUE(ran.progress().flags & FLAG_FROZEN);
    EXPECT_EQ(ran.state(1).velocity_m_per_s.z, 0);
    EXPECT_NEAR(ran.state(1).position_m.z, 0.1, 1e-8);
    printf("drop to rest: %u substeps %u evaluations, rest at %g s, drift %g\n", ran.progress().substeps,
           ran.progress().evaluations, rests[0].time_s, ran.progress().energy_drift);
}

} // namespace
