// Springs and dampers between bodies against closed forms and an independent integration (joint_scenes.h), by every
// method; what they keep of energy and momentum; islands with contacts, rest, groups, lines without direction.
#include "joint_scenes.h"

namespace {

const std::array<double, 3> INERTIA = {0.02, 0.03, 0.04};

enum Method { EVENTS, FIXED_STEPS, COMPAT };
const char *const METHODS[] = {"events", "rk4", "compat"};

void take(SceneBuilder &b, Method method) {
    b.scene.method = method == FIXED_STEPS ? METHOD_RK4 : METHOD_EVENTS;
    b.scene.compat_modia3d = b.scene.single_contact = method == COMPAT;
}

// A mass on a spring along x, without gravity.
SceneBuilder oscillator(double mass, double stiffness, double damping, double amplitude, Method method = EVENTS) {
    SceneBuilder b;
    b.scene.gravity_m_per_s2[2] = 0;
    b.body("wall", true, {0, 0, 0});
    b.point_mass({1 + amplitude, 0, 0}, mass, INERTIA);
    b.spring(0, 1, {0, 0, 0}, {1 + amplitude, 0, 0}, stiffness, damping, 1);
    take(b, method);
    return b;
}

// x - 1 and its rate after t of m x'' + c x' + k (x - 1) = 0 from `amplitude` at rest.
std::array<double, 2> decayed(double m, double k, double c, double amplitude, double t) {
    const double a = c / (2 * m), square = a * a - k / m;
    if (std::fabs(square) < 1e-9 * k / m) {
        const double e = amplitude * std::exp(-a * t);
        return {e * (1 + a * t), -e * a * a * t};
    }
    if (square < 0) {
        const double w = std::sqrt(-square), e = amplitude * std::exp(-a * t);
        return {e * (std::cos(w * t) + a / w * std::sin(w * t)), -e * (a * a / w + w) * std::sin(w * t)};
    }
    const double w = std::sqrt(square), r = w - a, s = -w - a;
    const double p = amplitude * -s / (r - s), q = amplitude * r / (r - s);
    return {p * std::exp(r * t) + q * std::exp(s * t), p * r * std::exp(r * t) + q * s * std::exp(s * t)};
}

class Methods : public testing::TestWithParam<Method> {};

TEST_P(Methods, AMassOnASpringKeepsPeriodAmplitudeAndEnergy) {
    SceneBuilder b = oscillator(2, 800, 0, 0.1, GetParam()); // 20 rad/s
    b.scene.end_s = 3.3;
    Watch watches[] = {watch_max(1, WATCH_POSITION), watch_max(1, WATCH_VELOCITY)};
    watches[0].sense = WATCH_MIN;
    Study study{};
    study.watches = watches;
    study.watch_count = 2;
    Ran ran = run_scene(b, study);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const BodyState s = ran.state(1);
    EXPECT_NEAR(s.position_m.x, 1 + 0.1 * std::cos(66), 1e-8);
    EXPECT_NEAR(s.velocity_m_per_s.x, -2 * std::sin(66), 2e-7);
    EXPECT_NEAR(ran.result.extremes[0].value, 0.9, 1e-9);
    EXPECT_NEAR(ran.result.extremes[1].value, 2, 2e-8);
    EXPECT_LT(ran.progress().energy_drift, 1e-8);
    EXPECT_LT(ran.progress().momentum_drift, 1e-13);
    EXPECT_EQ(ran.progress().dissipated_J, 0);
    EXPECT_EQ(ran.result.event_count, 0u); // a joint is no contact
}

TEST_P(Methods, DampedOnesFollowTheClosedForms) {
    for (const double damping : {8.0, 80.0, 400.0}) { // under, at and over the critical 80
        SceneBuilder b = oscillator(2, 800, damping, 0.1, GetParam());
        b.scene.end_s = 0.5;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const auto x = decayed(2, 800, damping, 0.1, 0.5);
        EXPECT_NEAR(ran.state(1).position_m.x, 1 + x[0], 1e-8) << damping;
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, x[1], 1e-7) << damping;
        const double kept = 0.5 * 800 * x[0] * x[0] + 0.5 * 2 * x[1] * x[1];
        const double loss_J = GetParam() == FIXED_STEPS ? 2e-6 : 4e-8; // of steps of 1 ms at 1 / (200 s)
        EXPECT_NEAR(ran.progress().dissipated_J, 4 - kept, loss_J) << damping;
        EXPECT_LT(ran.progress().energy_drift, loss_J / 4) << damping;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Methods, testing::Values(EVENTS, FIXED_STEPS, COMPAT),
                         [](const testing::TestParamInfo<Method> &method) { return METHODS[method.param]; });

TEST(Joints, ErrorsFollowTheTolerance) {
    double last = 1;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        SceneBuilder b = oscillator(2, 2 * 3000.0 * 3000.0, 0, 0.001); // 3000 rad/s
        b.scene.end_s = 0.1;
        b.scene.tolerance = tolerance;
        Ran ran = run_scene(b);
        const double miss = std::fabs(ran.state(1).position_m.x - 1 - 0.001 * std::cos(300)) / 0.001;
        printf("tolerance %g: %g of the amplitude, %u evaluations\n", tolerance, miss, ran.progress().evaluations);
        EXPECT_LT(miss, 500 * tolerance);
        EXPECT_LT(miss, 0.1 * last);
        last = miss;
    }
}

TEST(Joints, TwoFreeBodiesSwingWithTheirReducedMass) {
    SceneBuilder b;
    b.scene.gravity_m_per_s2[2] = 0;
    b.point_mass({0, 0, 0}, 2, INERTIA);
    b.point_mass({1.1, 0, 0}, 3, INERTIA);
    b.spring(0, 1, {0, 0, 0}, {1.1, 0, 0}, 1200, 0, 1); // sqrt(1200 / 1.2) rad/s
    b.scene.end_s = 0.7;
    Ran ran = run_scene(b);
    const double w = std::sqrt(1000.0), stretch = 0.1 * std::cos(w * 0.7);
    EXPECT_NEAR(ran.state(1).position_m.x - ran.state(0).position_m.x, 1 + stretch, 1e-8);
    EXPECT_NEAR(ran.state(0).position_m.x * 2 + ran.state(1).position_m.x * 3, 3.3, 1e-13);
}

// Two bodies that turn and fly, tied at two places off their centres.
SceneBuilder tumbling(double damping) {
    SceneBuilder b;
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.no_freeze = 1;
    b.point_mass({0, 0, 0}, 2, INERTIA);
    b.bodies.back().angular_velocity_rad_per_s[0] = 3;
    b.bodies.back().angular_velocity_rad_per_s[2] = -2;
    b.point_mass({0.5, 0.2, 0.1}, 1, {0.01, 0.015, 0.02});
    b.bodies.back().velocity_m_per_s[1] = 1.5;
    b.bodies.back().angular_velocity_rad_per_s[1] = 5;
    b.spring(0, 1, {0.1, 0.05, 0}, {0.45, 0.2, 0.15}, 300, damping, 0.2);
    b.spring(0, 1, {0, -0.1, 0.1}, {0.5, 0.1, 0.1}, 80, damping);
    b.scene.end_s = 1;
    return b;
}

Vec3 angular_momentum(const Ran &ran, const SceneBuilder &b) {
    Vec3 sum = vec3_zero();
    for (uint32_t i = 0; i < b.bodies.size(); i++) {
        const BodyState s = ran.state(i);
        const Body &body = ran.batch.bodies[i];
        const Vec3 own = quat_rotate(s.orientation, vec3_multiply(body.inertia_kg_m2, s.spin_rad_per_s));
        sum = vec3_add(sum, vec3_add(own, vec3_scale(vec3_cross(s.position_m, s.velocity_m_per_s), body.mass_kg)));
    }
    return sum;
}

TEST(Joints, FreeBodiesTiedOffTheirCentresKeepBothMomenta) {
    for (const double damping : {0.0, 2.0}) {
        SceneBuilder b = tumbling(damping);
        Reference reference(b);
        Vec3 momentum = vec3_zero();
        for (const ReferenceBody &body : reference.bodies)
            momentum =
                vec3_add(momentum, vec3_add(body.l, vec3_scale(vec3_cross(body.x, body.v), 1 / body.inverse_mass)));
        reference.run(b.scene.end_s, 20000);
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const Difference d = difference(ran, reference);
        printf("damping %g: off by %g m, %g m/s, %g rad/s\n", damping, d.place_m, d.velocity_m_per_s, d.spin_rad_per_s);
        EXPECT_LT(d.place_m, 1e-6);
        EXPECT_LT(d.velocity_m_per_s, 2e-5);
        EXPECT_LT(d.spin_rad_per_s, 1e-4);
        EXPECT_LT(vec3_length(vec3_sub(angular_momentum(ran, b), momentum)), 1e-7);
        EXPECT_LT(ran.progress().momentum_drift, 1e-14);
        EXPECT_LT(ran.progress().energy_drift, 1e-6);
        b.scene.tolerance = 1e-9;
        const Difference fine = difference(run_scene(b), reference);
        EXPECT_LT(fine.place_m, 1e-8);
        EXPECT_LT(fine.spin_rad_per_s, 1e-6);
    }
}

// A rod on a stiff spring of no length swings as a physical pendulum: I + m l^2 over m g l.
TEST(Joints, AStiffSpringCarriesAPhysicalPendulum) {
    SceneBuilder b;
    const double angle = 0.02, l = 0.5;
    b.body("pin", true, {0, 0, 0});
    b.point_mass({l * std::sin(angle), 0, -l * std::cos(angle)}, 1, {0.08, 0.08, 0.02});
    b.spring(0, 1, {0, 0, 0}, {0, 0, 0}, 1e5, 500, 0); // l0 = 0: its points may coincide
    const double period = 2 * M_PI * std::sqrt((0.08 + l * l) / (9.81 * l)) * (1 + angle * angle / 16);
    b.scene.end_s = period;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.x, l * std::sin(angle), 1e-5);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, 0, 2e-4);
    b.scene.end_s = period / 2;
    EXPECT_NEAR(run_scene(b).state(1).position_m.x, -l * std::sin(angle), 1e-5);
    // Explicit steps of fixed length go as far.
    b.scene.method = METHOD_RK4;
    b.scene.step_s = 5e-5;
    EXPECT_NEAR(run_scene(b).state(1).position_m.x, -l * std::sin(angle), 1e-5);
}

// Stiff ones: explicit steps are held to 1.4 / 10^6 s by the damper, half a million in a second.
TEST(Joints, AStiffOverdampedOneTakesImplicitSteps) {
    SceneBuilder b = oscillator(2, 2e6, 2e6, 0.1); // 10^6 and 1 / s
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const auto x = decayed(2, 2e6, 2e6, 0.1, 1);
    printf("%u evaluations\n", ran.progress().evaluations);
    EXPECT_NEAR(ran.state(1).position_m.x, 1 + x[0], 1e-7);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, x[1], 1e-6);
    EXPECT_LT(ran.progress().evaluations, 10000u);
    EXPECT_LT(ran.progress().energy_drift, 1e-5);
    // The same where everything turns: off its centre, across the line.
    SceneBuilder c = tumbling(2e4);
    Reference reference(c);
    reference.run(c.scene.end_s, 400000);
    c.scene.tolerance = 1e-7;
    Ran turned = run_scene(c);
    const Difference d = difference(turned, reference);
    printf("%u evaluations, off by %g m, %g m/s, %g rad/s\n", turned.progress().evaluations, d.place_m,
           d.velocity_m_per_s, d.spin_rad_per_s);
    EXPECT_LT(d.place_m, 1e-5);
    EXPECT_LT(d.spin_rad_per_s, 2e-4);
    EXPECT_LT(turned.progress().evaluations, 40000u);
}

// A ball on a spring that bounces on a plane meanwhile: contact and joint are one island.
TEST(Joints, ABallThatIsTiedBouncesOnAPlane) {
    SceneBuilder b;
    b.material(1e7, 0.3, 1000);
    b.pair(0, 0, 1, 0, 0, DAMPING_NONE);
    b.ground();
    b.body("hook", true, {0, 0, 1});
    b.body("ball", false, {0.05, 0, 0.3});
    b.shape(SHAPE_SPHERE, {0.2, 0, 0, 0});
    SceneBody &ball = b.bodies.back();
    ball.mass_kind = MASS_GIVEN;
    ball.mass_kg = 4;
    for (double *i = ball.inertia_kg_m2; i < ball.inertia_kg_m2 + 3; i++) *i = 0.016;
    b.spring(1, 2, {0, 0, 1}, {0.1, 0.02, 0.38}, 60, 0.5, 0.5);
    b.scene.end_s = 1;
    Reference reference(b);
    reference.hertz = 4.0 / 3 * 1e7 / (1 - 0.09) / 2 * std::sqrt(0.1);
    reference.run(b.scene.end_s, 500000);
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_GE(ran.events_of_kind(EVENT_BEGIN).size(), 2u);
    const Difference d = difference(ran, reference);
    printf("%zu bounces, off by %g m, %g m/s, %g rad/s\n", ran.events_of_kind(EVENT_BEGIN).size(), d.place_m,
           d.velocity_m_per_s, d.spin_rad_per_s);
    EXPECT_LT(d.place_m, 5e-6);
    EXPECT_LT(d.velocity_m_per_s, 5e-5);
    EXPECT_LT(d.spin_rad_per_s, 5e-4);
    EXPECT_LT(ran.progress().energy_drift, 1e-5);
}

// Every random scene balances its energy, by all methods.
TEST(Joints, TheEnergyAuditBalances) {
    for (unsigned seed = 0; seed < 60; seed++) {
        SceneBuilder b = random_joints(seed);
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK) << seed;
        EXPECT_LT(ran.progress().energy_drift, 2e-3) << seed; // edges that cross keep no better
        EXPECT_LT(ran.progress().momentum_drift, 1e-9) << seed;
    }
}

// A ball that hangs on a damped spring comes to rest, is frozen, and wakes when it is struck.
TEST(Joints, WhatHangsStillIsFrozenAndWakes) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    b.body("hook", true, {0, 0, 2});
    b.ball(0.1, {0, 0, 1}, 0, 2);
    b.spring(0, 1, {0, 0, 2}, {0, 0, 1.05}, 500, 60, 0.93);
    b.scene.end_s = 2;
    Ran hangs = run_scene(b);
    ASSERT_EQ(hangs.progress().status, STATUS_OK);
    EXPECT_TRUE(hangs.progress().flags & FLAG_FROZEN);
    ASSERT_EQ(hangs.events_of_kind(EVENT_REST).size(), 1u);
    EXPECT_NEAR(hangs.state(1).position_m.z, 2 - 0.93 - 2 * 9.81 / 500 - 0.05,
                4e-6); // still creeps at less than 1e-5 m/s
    EXPECT_LT(hangs.progress().energy_drift, 1e-7);
    b.ball(0.1, {0.04, 0, 1 + 9.81 / 2 * 2.25}, 0, 1); // falls on it after some 1.5 s
    Ran struck = run_scene(b);
    EXPECT_EQ(struck.events_of_kind(EVENT_REST).size(), 1u);
    ASSERT_EQ(struck.events_of_kind(EVENT_WAKE).size(), 1u);
    b.scene.no_freeze = 1;
    Ran moves = run_scene(b);
    EXPECT_EQ(moves.events_of_kind(EVENT_WAKE).size(), 0u);
    EXPECT_LT(vec3_length(vec3_sub(struck.state(1).position_m, moves.state(1).position_m)), 1e-5);
    EXPECT_GT(vec3_length(vec3_sub(struck.state(1).position_m, hangs.state(1).position_m)), 0.01);
}

// Bodies that turn about their centres of mass, tied to what stands, do not rest because only their places do.
TEST(Joints, WhatStillSwingsIsNotFrozen) {
    SceneBuilder b = oscillator(2, 800, 0, 0);
    b.bodies[1].velocity_m_per_s[0] = 1e-4;
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.result.event_count, 0u);
    EXPECT_NEAR(ran.state(1).position_m.x - 1, 1e-4 / 20 * std::sin(20), 1e-11);
}

// Two alike that fly together: their energy, which bounds each one's speed, is little more than both have.
void add_pair(SceneBuilder &b, double x, double stiffness) {
    const uint32_t first = uint32_t(b.bodies.size());
    for (const double side : {0.0, 0.5}) {
        b.point_mass({x + side, 0, side}, 1, INERTIA);
        b.bodies.back().velocity_m_per_s[1] = 2;
        b.bodies.back().velocity_m_per_s[2] = side;
    }
    b.spring(first, first + 1, {x, 0, 0}, {x + 0.5, 0, 0.5}, stiffness, 3);
}

// Pairs far from each other are groups of their own wherever one wants short steps: the bits of a scene of its own.
TEST(Joints, SeparatePairsAreSteppedByThemselves) {
    const double stiffness[] = {3e4, 4e6};
    Study recorded{}; // all steps end with outer steps
    recorded.contacts_every_s = 1e-3;
    recorded.contact_scenes = 1;
    SceneBuilder all;
    for (int k = 0; k < 2; k++) add_pair(all, 10 * k, stiffness[k]);
    all.scene.end_s = 0.2;
    Ran together = run_scene(all, recorded);
    ASSERT_EQ(together.progress().status, STATUS_OK);
    unsigned forces = 0;
    for (uint32_t k = 0; k < 2; k++) {
        SceneBuilder one;
        add_pair(one, 10 * k, stiffness[k]);
        one.scene.end_s = 0.2;
        Ran alone = run_scene(one, recorded);
        forces += alone.progress().forces;
        for (uint32_t i = 0; i < 2; i++) {
            const BodyState a = together.state(2 * k + i), c = alone.state(i);
            EXPECT_TRUE(same_bits(&a, &c, sizeof a)) << k << i;
        }
    }
    printf("forces of %u evaluated, %u alone\n", together.progress().forces, forces);
    EXPECT_LT(together.progress().forces, forces * 11 / 10);
}

// --- lines without direction ------------------------------------------------------------------------------

TEST(Joints, PointsThatCoincideAtTheStart) {
    SceneBuilder b = oscillator(2, 800, 5, 0);
    b.joints[0].at_m[0][0] = 1; // where the mass is, its spring being 1 m long
    EXPECT_EQ(run_scene(b).progress().status, uint32_t(STATUS_COINCIDENT));
    b.joints[0].rest_length_m = 0; // or the distance: a spring to a point
    b.bodies[1].velocity_m_per_s[1] = 2;
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, uint32_t(STATUS_OK));
    const double a = 5.0 / 4, w = std::sqrt(400 - a * a);
    EXPECT_NEAR(ran.state(1).position_m.y, 2 / w * std::exp(-a) * std::sin(w), 3e-6);
}

// Through the point where the line turns round: energy is kept, whether a step ends there or not.
TEST(Joints, PointsThatPassEachOther) {
    for (const double offset : {0.0, 1e-9, 1e-3}) {
        SceneBuilder b = oscillator(2, 800, 0, -0.5);
        b.bodies[1].velocity_m_per_s[0] = -20; // 400 J and 100 J, where 1/2 k l0^2 = 400 J
        b.bodies[1].position_m[1] = b.joints[0].at_m[1][1] = offset;
        b.scene.end_s = 0.1;
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, uint32_t(STATUS_OK)) << offset;
        EXPECT_LT(ran.state(1).position_m.x, offset > 1e-6 ? 0.1 : 0) << offset;
        EXPECT_LT(ran.progress().energy_drift, 1e-4) << offset;
    }
}

// --- scenes of other kinds ---------------------------------------------------------------------------------

// A planet's pull and a spring to a fixed point: the place of balance is that of the closed form.
TEST(Joints, UnderGravityTowardsAPoint) {
    SceneBuilder b = oscillator(2, 800, 80, 0.2);
    b.scene.has_point_gravity = 1;
    b.scene.gravity_strength_m3_per_s2 = 30;
    b.scene.end_s = 4;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const double x = ran.state(1).position_m.x;
    EXPECT_NEAR(800 * (1 - x), 2 * 30 / (x * x), 1e-3);
    EXPECT_LT(ran.progress().energy_drift, 1e-5);
}

// An observer's shape is pulled too, and does not fly with every group.
TEST(Joints, WhatOnlyObservesMayBeTied) {
    SceneBuilder b;
    b.scene.gravity_m_per_s2[2] = 0;
    b.material();
    b.pair(0, 0, 0.5);
    const uint32_t observer = observer_material(b);
    b.body("wall", true, {0, 0, 0});
    b.body("eye", false, {1.1, 0, 0});
    b.shape(SHAPE_SPHERE, {0.1, 0, 0, 0}, observer);
    b.bodies.back().mass_kind = MASS_GIVEN;
    b.bodies.back().mass_kg = 2;
    for (int i = 0; i < 3; i++) b.bodies.back().inertia_kg_m2[i] = 0.1;
    b.ball(0.1, {1.05, 0, 0.5}); // is seen passing
    b.bodies.back().velocity_m_per_s[2] = -1;
    b.spring(0, 1, {0, 0, 0}, {1.1, 0, 0}, 800, 0, 1);
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.x, 1 + 0.1 * std::cos(20), 1e-8);
    EXPECT_EQ(ran.result.event_count, 2u);
}

// Frames end no step: the states between are those of a run that ends there.
TEST(Joints, FramesAreStatesOnTheWay) {
    SceneBuilder b = tumbling(2);
    Ran plain = run_scene(b);
    Study study{};
    study.trajectory_every_s = 0.0137;
    study.trajectory_scenes = 1;
    Ran framed = run_scene(b, study);
    EXPECT_TRUE(same_motion(plain, 0, framed, 0));
    b.scene.end_s = 5 * 0.0137;
    Ran early = run_scene(b);
    for (uint32_t i = 0; i < 2; i++)
        EXPECT_LT(vec3_length(vec3_sub(framed.result.frames[5 * 2 + i].position_m, early.state(i).position_m)), 1e-7);
}

} // namespace
