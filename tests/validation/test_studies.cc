// The studies in data/, run through the library: against independent integration, and on every backend.
#include <random>

#include "study_scenes.h"

namespace {

// One bounce under gravity, integrated by itself: long double, classical Runge-Kutta in sigma with
// delta = s^2, dt = s dsigma, in which entry and exit are regular (kernels/stepper/README.md, "Steps of an impact").
struct Impact {
    long double mass, stiffness, damping, gravity;
    struct State {
        long double s, u;
    };
    State rate(State y) const {
        const long double accel = stiffness / mass * y.s * y.s * y.s * (1 + damping * y.u) - gravity;
        return {y.u / 2, -y.s * accel};
    }
    long double exit_speed(long double entry) const {
        const long double depth = powl(5 * mass * entry * entry / (4 * stiffness), 0.4L);
        const long double h = sqrtl(depth) / entry / 4000;
        State y{0, entry};
        for (int i = 0; i < 1000000; i++) {
            State k1 = rate(y), k2 = rate({y.s + h / 2 * k1.s, y.u + h / 2 * k1.u}),
                  k3 = rate({y.s + h / 2 * k2.s, y.u + h / 2 * k2.u}), k4 = rate({y.s + h * k3.s, y.u + h * k3.u});
            State next{y.s + h / 6 * (k1.s + 2 * k2.s + 2 * k3.s + k4.s),
                       y.u + h / 6 * (k1.u + 2 * k2.u + 2 * k3.u + k4.u)};
            if (next.s < 0) { // s is smooth through 0: the root by the slopes at both ends
                const long double t = y.s / (y.s - next.s);
                const long double slope0 = k1.u * h, slope1 = rate(next).u * h;
                const long double a = y.u, b = next.u; // Hermite value of u at t
                const long double value = a * (1 + 2 * t) * (1 - t) * (1 - t) + slope0 * t * (1 - t) * (1 - t) +
                                          b * t * t * (3 - 2 * t) + slope1 * t * t * (t - 1);
                return -value;
            }
            y = next;
        }
        return NAN;
    }
};

TEST(Studies, BouncingSphereAgreesWithIndependentIntegration) {
    Loaded loaded("data/bouncing_sphere.yaml");
    ASSERT_NE(loaded.study, nullptr);
    EXPECT_EQ(loaded.study->design.scene_count, 4096u);
    std::mt19937_64 engine(20260101);
    for (int k = 0; k < 100; k++) loaded.take(engine() % 4096);
    Ran ran = loaded.run(native_device());
    double worst = 0;
    for (uint32_t k = 0; k < 100; k++) {
        const SceneDescription &scene = loaded.scenes[k];
        auto begins = ran.events_of_kind(EVENT_BEGIN, k), ends = ran.events_of_kind(EVENT_END, k);
        ASSERT_FALSE(ends.empty());
        const double e = scene.pairs[0].restitution, entry = begins[0].speed_m_per_s;
        const Impact impact{0.001L, 4.0L / 3 * (2.0e11L / (1 - 0.09L) / 2) * sqrtl(0.1L),
                            8 * (1 - (long double)e) / (5 * (long double)e * entry), 9.81L};
        const double wanted = double(impact.exit_speed(entry) / entry);
        EXPECT_NEAR(ends[0].speed_m_per_s / entry, wanted, 1e-5) << "scene " << loaded.numbers[k];
        worst = std::max(worst, std::abs(ends[0].speed_m_per_s / entry - wanted));
        const double height = scene.bodies[1].position_m[2] - 0.1 - scene.shapes[0].size_m[3];
        EXPECT_NEAR(begins[0].time_s, std::sqrt(2 * height / 9.81), 1e-12);
    }
    RecordProperty("worst_ratio_error", std::to_string(worst));
    printf("worst error of the ratio over 100 scenes: %.2e\n", worst);
}

// Five equal balls just touching, the first at unit speed; whatever the speed.
TEST(Studies, ChainReachesTheClosedSystemsVelocities) {
    Loaded loaded("data/chain.yaml");
    ASSERT_NE(loaded.study, nullptr);
    for (uint64_t k = 0; k < 16; k++) loaded.take(k);
    Ran ran = loaded.run(native_device());
    const double wanted[] = {-0.0710850, -0.0302738, -0.0144636, 0.1270450, 0.9887774};
    for (uint32_t k = 0; k < 16; k++) {
        ASSERT_EQ(ran.progress(k).status, STATUS_OK);
        double speed = 0;
        for (uint32_t b = 0; b < 5; b++) speed += loaded.scenes[k].bodies[b].velocity_m_per_s[0];
        for (uint32_t b = 0; b < 5; b++) {
            EXPECT_NEAR(ran.state(b, k).velocity_m_per_s.x / speed, wanted[b], 1e-5) << "ball " << b;
        }
    }
}

// Kepler: half a period from the start to the sheet on the far side, which the probe's front meets early.
TEST(Studies, OrbitsPassTheFarSideAtHalfAPeriod) {
    Loaded loaded("data/orbit.yaml");
    ASSERT_NE(loaded.study, nullptr);
    for (uint64_t k = 0; k < 64; k++) loaded.take(k);
    Ran ran = loaded.run(native_device());
    uint32_t orbits = 0;
    for (uint32_t k = 0; k < 64; k++) {
        ASSERT_EQ(ran.progress(k).status, STATUS_OK);
        for (uint32_t probe : {2u, 3u}) {
            const double v = loaded.scenes[k].bodies[probe].velocity_m_per_s[1], r = 1.2;
            const double a = r / (2 - r * v * v / 3.7), far = 2 * a - r;
            if (a < 0 || far < 0.52) continue; // the planet is in the way
            double begin = NAN, end = NAN;
            for (const Event &event : ran.events(k)) {
                EXPECT_FALSE(event.body_a == 2 && event.body_b == 3); // they ignore each other
                if (event.body_a != 1 || event.body_b != probe) continue;
                if (event.kind == EVENT_BEGIN && std::isnan(begin)) begin = event.time_s;
                if (event.kind == EVENT_END && std::isnan(end)) end = event.time_s;
            }
            const double half = M_PI * std::sqrt(a * a * a / 3.7);
            if (half > 9) continue;
            // By symmetry half a period is in the middle of the passage. The cap of a turning orbit is
            // 0.011 m before and behind the apse.
            EXPECT_NEAR(0.5 * (begin + end), half, 1e-8) << k;
            EXPECT_NEAR(end - begin, 2 * 0.011 / (v * r / far), 1e-4) << k;
            orbits++;
        }
    }
    EXPECT_GT(orbits, 80u);
}

class StudyOnBothBackends : public ::testing::TestWithParam<std::pair<const char *, unsigned>> {};

TEST_P(StudyOnBothBackends, GivesTheSameBits) {
    Loaded loaded(std::string("data/") + GetParam().first);
    ASSERT_NE(loaded.study, nullptr);
    const bool is_solved = (stage_flags(&loaded.study->scene) & (SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID)) != 0;
    DeviceHolder opencl(is_solved ? content_of_study(loaded.study, PROGRAM_ADVANCE) : content_of_explicit_steps(),
                        "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    for (uint64_t k = 0; k < GetParam().second; k++) loaded.take(k);
    Ran a = loaded.run(native_device()), b = loaded.run(opencl.device);
    ASSERT_EQ(a.result.event_count, b.result.event_count);
    if (loaded.study->scene.method != METHOD_TRAPEZOIDAL) { // which has no contacts
        EXPECT_GT(a.result.event_count, 0u);
        EXPECT_EQ(std::memcmp(a.result.events, b.result.events, a.result.event_count * sizeof(Event)), 0);
    }
    EXPECT_EQ(std::memcmp(a.result.states, b.result.states, a.batch.body_count * sizeof(BodyState)), 0);
    EXPECT_EQ(std::memcmp(a.result.progress, b.result.progress, a.batch.scene_count * sizeof(Progress)), 0);
    EXPECT_EQ(std::memcmp(a.result.extremes, b.result.extremes,
                          size_t(a.batch.scene_count) * a.batch.watch_count * sizeof(Extreme)),
              0);
    EXPECT_EQ(std::memcmp(a.result.frames, b.result.frames, a.batch.frame_state_count * sizeof(BodyState)), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Data, StudyOnBothBackends,
    ::testing::Values(std::make_pair("bouncing_sphere.yaml", 4096u), std::make_pair("chain.yaml", 64u),
                      std::make_pair("step.yaml", 256u), std::make_pair("ten_spheres.yaml", 8u),
                      std::make_pair("gallery.yaml", 16u), std::make_pair("orbit.yaml", 256u),
                      std::make_pair("tumbling_box.yaml", 8u), std::make_pair("thrown_ellipsoids.yaml", 2u),
                      std::make_pair("superquadrics.yaml", 2u), std::make_pair("collisions.yaml", 1u),
                      std::make_pair("billiard_break.yaml", 1u), std::make_pair("rattleback.yaml", 1u),
                      std::make_pair("dropped_can.yaml", 2u), std::make_pair("tippe_top.yaml", 1u),
                      std::make_pair("crane.yaml", 4u)),
    [](const ::testing::TestParamInfo<std::pair<const char *, unsigned>> &row) {
        std::string name(row.param.first);
        return name.substr(0, name.find('.'));
    });

} // namespace
