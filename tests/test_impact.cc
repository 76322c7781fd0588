// Impacts of the whole pipeline against closed forms: spec validation 1.1 to 1.5.
#include "scene_builder.h"

namespace {

// Two balls, no gravity, the second at rest: the law alone.
SceneBuilder two_balls(double e, double speed, uint32_t damping, double young, double density, double tolerance,
                       double n) {
    SceneBuilder b;
    b.material(young, 0.3, density);
    ScenePair &pair = b.pair(0, 0, e, 0, 0, damping);
    pair.speed_small_m_per_s = 1e-9;
    pair.damping_max_s_per_m = 1e9;
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.tolerance = tolerance;
    b.scene.graded_steps = n;
    b.ball(0.02, {0, 0, 0}).velocity_m_per_s[0] = speed;
    const double gap = 1e-4 * speed;
    b.ball(0.02, {0.02 + gap, 0, 0});
    b.scene.end_s = 0.01;
    return b;
}

double hertz_peak(double m, double modulus, double radius, double speed) {
    return std::pow(15 * m * speed * speed / (16 * modulus * std::sqrt(radius)), 0.4);
}

TEST(Impact, ElasticHertzOfTwoBalls) {
    SceneBuilder b = two_balls(1.0, 1.0, DAMPING_FLORES, 2e11, 8000, 1e-10, 24);
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const double m = 8000 * 4.0 / 3.0 * M_PI * 1e-6 / 2;
    const double modulus = 2e11 / (1 - 0.09) / 2;
    const double peak = hertz_peak(m, modulus, 0.005, 1.0);
    EXPECT_NEAR(peak, 2.100247647e-5, 1e-14);
    EXPECT_NEAR(ran.progress().max_penetration_m / peak, 1, 1e-6);
    auto begins = ran.events_of_kind(EVENT_BEGIN), ends = ran.events_of_kind(EVENT_END);
    ASSERT_EQ(begins.size(), 1u);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_NEAR((ends[0].time_s - begins[0].time_s) / 6.181606780e-5, 1, 1e-6);
    EXPECT_NEAR(ends[0].speed_m_per_s / begins[0].speed_m_per_s, 1, 1e-8);
    EXPECT_NEAR(ends[0].impulse_N_s.x / (2 * m), 1, 1e-8);
    printf("substeps %u evals %u resteps %u rejects %u\n", ran.progress().substeps, ran.progress().evaluations,
           ran.progress().resteps, ran.progress().rejects);
}

} // namespace
