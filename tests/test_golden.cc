// `compat: modia3d` against the final states of the reference's own tests (tests/golden), with the tolerance
// of those: the 2-norm of the difference of the whole state vector, relative to the states' norm. Orientations
// are compared by the angle between them, since Cardan angles may differ by whole turns; they are left out of
// the norm that the difference is relative to, which makes the comparison a little stricter.
#include "golden/states.h"
#include "study_scenes.h"

namespace {

double square_of_difference(const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

double angle_between(const double *a, const double *b) {
    double less = 0, more = 0;
    for (int k = 0; k < 4; k++) {
        less += (a[k] - b[k]) * (a[k] - b[k]);
        more += (a[k] + b[k]) * (a[k] + b[k]);
    }
    return 4 * std::asin(std::sqrt(std::min(less, more)) / 2);
}

Ran run_golden(const char *name, std::vector<uint32_t> *bodies = nullptr,
               const std::vector<Golden> &golden = {}) {
    Loaded loaded(std::string("tests/golden/") + name + ".yaml");
    loaded.take(0);
    if (bodies != nullptr) {
        for (const Golden &g : golden) bodies->push_back(loaded.body(g.body));
    }
    return loaded.run(native_device());
}

void expect_golden(const char *name, const std::vector<Golden> &golden, double tolerance = 1e-3) {
    std::vector<uint32_t> bodies;
    Ran ran = run_golden(name, &bodies, golden);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    double difference = 0, norm = 0;
    const double zero[3] = {0, 0, 0};
    for (size_t k = 0; k < golden.size(); k++) {
        const Golden &g = golden[k];
        const BodyState state = ran.state(bodies[k]);
        const size_t row = ran.batch.scenes[0].body_first + bodies[k];
        const UserState s = quantity_user_state(&ran.batch.bodies[row], &state);
        const double angle = angle_between(s.orientation, g.orientation);
        difference += square_of_difference(s.position_m, g.position_m) +
                      square_of_difference(s.velocity_m_per_s, g.velocity_m_per_s) +
                      square_of_difference(s.angular_velocity_rad_per_s, g.spin_rad_per_s) +
                      angle * angle;
        norm += square_of_difference(g.position_m, zero) +
                square_of_difference(g.velocity_m_per_s, zero) +
                square_of_difference(g.spin_rad_per_s, zero);
    }
    printf("%s: relative error %.1e\n", name, std::sqrt(difference / norm));
    EXPECT_LT(std::sqrt(difference / norm), tolerance);
}

// The reference's own tolerance is 0.2 for the first; the others' is 1e-3.
TEST(Golden, BouncingSphereFree) { expect_golden("bouncing_sphere_free", BOUNCING_SPHERE_FREE); }
TEST(Golden, BouncingSphereContactResults) {
    expect_golden("bouncing_sphere_contact_results", BOUNCING_SPHERE_CONTACT_RESULTS);
}
TEST(Golden, BouncingEllipsoid) { expect_golden("bouncing_ellipsoid", BOUNCING_ELLIPSOID); }
TEST(Golden, BouncingCapsules) { expect_golden("bouncing_capsules", BOUNCING_CAPSULES); }
TEST(Golden, BouncingCones) { expect_golden("bouncing_cones", BOUNCING_CONES); }
TEST(Golden, BouncingBeams) { expect_golden("bouncing_beams", BOUNCING_BEAMS); }
TEST(Golden, TwoCollidingBalls) { expect_golden("two_colliding_balls", TWO_COLLIDING_BALLS); }
TEST(Golden, Billard16Balls) { expect_golden("billard16_balls", BILLARD16_BALLS); }

TEST(Golden, RattlebackTurnsBack) {
    Ran ran = run_golden("rattleback");
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const BodyState state = ran.state(1);
    const UserState s =
        quantity_user_state(&ran.batch.bodies[ran.batch.scenes[0].body_first + 1], &state);
    // Modia3D.jl, test Rattleback, at 6 s: angular velocity and position of the stone.
    EXPECT_NEAR(s.angular_velocity_rad_per_s[0], -0.0149440, 2e-5);
    EXPECT_NEAR(s.angular_velocity_rad_per_s[1], 0.0529204, 2e-5);
    EXPECT_NEAR(s.angular_velocity_rad_per_s[2], -2.2942452, 2e-5);
    EXPECT_NEAR(s.position_m[0], 0.000664, 1e-6);
    EXPECT_NEAR(s.position_m[1], -0.000342, 1e-6);
    EXPECT_NEAR(s.position_m[2], 0.0099999572, 1e-9);
}

// The reference steps over the third contact of each tube, so that its final state is not that of these
// scenes. Up to there, an independent integration has these times for the tube along y.
TEST(Golden, CollidingCylindersMeetAtTheKnownTimes) {
    Loaded loaded("tests/golden/colliding_cylinders.yaml");
    loaded.take(0).end_s = 0.3425 + 1e-3;
    Ran ran = loaded.run(native_device());
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const uint32_t tube = loaded.body("cylinderY");
    const uint32_t upper = loaded.body("cylinder2"), lower = loaded.body("cylinder3");
    std::vector<Event> begins;
    for (const Event &e : ran.events_of_kind(EVENT_BEGIN)) {
        if (e.body_a == tube) begins.push_back(e);
    }
    ASSERT_EQ(begins.size(), 3u);
    const double times[] = {0.1824, 0.2870, 0.3423};
    const uint32_t met[] = {upper, lower, upper};
    for (size_t k = 0; k < 3; k++) {
        EXPECT_NEAR(begins[k].time_s / times[k], 1, 1e-3) << k;
        EXPECT_EQ(begins[k].body_b, met[k]) << k;
    }
    // All is symmetric to the plane x = 0: the tube along y stays in it.
    EXPECT_NEAR(ran.state(tube).position_m.x, 0, 1e-12);
}

} // namespace
