// Gravity towards a point: orbits against Kepler's closed forms, order of convergence, energy and angular
// momentum, and a fall onto a planet at the centre.
#include "scene_builder.h"
#include "base/vec3.h"

namespace {

constexpr double K = 3.7; // m^3/s^2

SceneBuilder around(double k, std::array<double, 3> centre) {
    SceneBuilder b;
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.has_point_gravity = 1;
    b.scene.gravity_strength_m3_per_s2 = k;
    for (size_t i = 0; i < 3; i++) b.scene.gravity_centre_m[i] = centre[i];
    b.material();
    b.pair(0, 0, 0.8);
    return b;
}

const std::array<double, 3> CENTRE = {0.3, -2, 0.7};

// A ball at the pericentre of an ellipse of semi-major axis 1 m in a tilted plane.
struct Ellipse {
    double e;
    Vec3 pericentre, along; // unit vectors of the plane
    explicit Ellipse(double eccentricity) : e(eccentricity) {
        pericentre = vec3_normalize(vec3_make(1, 2, -0.5));
        along = vec3_normalize(vec3_cross(vec3_make(0.2, -0.3, 1), pericentre));
    }
    double period() const { return 2 * M_PI / std::sqrt(K); }
    // Place and velocity at a time after the pericentre: Kepler's equation by Newton's method.
    BodyState at(double time) const {
        const double mean = std::sqrt(K) * time;
        double anomaly = mean;
        for (int i = 0; i < 100; i++) anomaly -= (anomaly - e * std::sin(anomaly) - mean) / (1 - e * std::cos(anomaly));
        const double c = std::cos(anomaly), s = std::sin(anomaly), b = std::sqrt(1 - e * e);
        const double rate = std::sqrt(K) / (1 - e * c);
        BodyState state{};
        state.position_m = vec3_add(vec3_scale(pericentre, c - e), vec3_scale(along, b * s));
        state.position_m = vec3_add(state.position_m, vec3_make(CENTRE[0], CENTRE[1], CENTRE[2]));
        state.velocity_m_per_s = vec3_add(vec3_scale(pericentre, -s * rate), vec3_scale(along, b * c * rate));
        return state;
    }
    SceneBuilder scene() const {
        SceneBuilder b = around(K, CENTRE);
        const BodyState start = at(0);
        b.ball(0.01, {start.position_m.x, start.position_m.y, start.position_m.z});
        SceneBody &ball = b.bodies.back();
        ball.velocity_m_per_s[0] = start.velocity_m_per_s.x;
        ball.velocity_m_per_s[1] = start.velocity_m_per_s.y;
        ball.velocity_m_per_s[2] = start.velocity_m_per_s.z;
        return b;
    }
    // Distance from where it should be at the end.
    double miss(SceneBuilder &b) const {
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        return vec3_length(vec3_sub(ran.state(0).position_m, at(b.scene.end_s).position_m));
    }
};

Vec3 momentum(const BodyState &state) {
    return vec3_cross(vec3_sub(state.position_m, vec3_make(CENTRE[0], CENTRE[1], CENTRE[2])), state.velocity_m_per_s);
}

// Steps follow the curvature, not the outer step: that is longer than an orbit here.
TEST(PointGravity, OrbitsCloseAtEveryAccuracy) {
    for (double e : {0.0, 0.6, 0.9}) {
        for (double tolerance : {1e-4, 1e-6, 1e-8}) {
            Ellipse ellipse(e);
            SceneBuilder b = ellipse.scene();
            b.scene.tolerance = tolerance;
            b.scene.step_s = 100;
            b.scene.end_s = ellipse.period();
            EXPECT_LT(ellipse.miss(b), 0.1 * tolerance) << "e = " << e;
        }
    }
}

// The speed at the pericentre turns what is missing of the ellipse into time: the period, to 1e-9 of it.
TEST(PointGravity, ThePeriodIsKeplers) {
    Ellipse ellipse(0.6);
    SceneBuilder b = ellipse.scene();
    b.scene.end_s = ellipse.period();
    Ran ran = run_scene(b);
    const BodyState start = ellipse.at(0);
    const Vec3 missing = vec3_sub(ran.state(0).position_m, start.position_m);
    const double late =
        -vec3_dot(missing, start.velocity_m_per_s) / vec3_dot(start.velocity_m_per_s, start.velocity_m_per_s);
    EXPECT_NEAR(late / ellipse.period(), 0, 1e-9);
}

TEST(PointGravity, KeepsEnergyAndAngularMomentumOverTenOrbits) {
    Ellipse ellipse(0.6);
    SceneBuilder b = ellipse.scene();
    b.scene.end_s = 10 * ellipse.period();
    b.scene.step_s = 0.01;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const Vec3 start = momentum(ellipse.at(0)), end = momentum(ran.state(0));
    // A thousandth of the tolerance; the order test has the digits.
    EXPECT_LT(vec3_length(vec3_sub(end, start)), 1e-9 * vec3_length(start));
    EXPECT_LT(ran.progress().energy_drift, 1e-9);
    EXPECT_GT(ran.progress().energy_drift, 0.0);
}

TEST(PointGravity, IsOfFifthOrder) {
    Ellipse ellipse(0.6);
    double before = 0;
    for (double steps : {400.0, 800.0, 1600.0}) {
        SceneBuilder b = ellipse.scene();
        b.scene.end_s = ellipse.period();
        b.scene.step_s = ellipse.period() / steps;
        b.scene.tolerance = 0.9;
        const double miss = ellipse.miss(b);
        if (before > 0) {
            EXPECT_NEAR(std::log2(before / miss), 5, 0.4) << steps;
        }
        before = miss;
    }
}

TEST(PointGravity, FallOntoAPlanetAndBack) {
    const double planet = 0.5, start = 2, ball = 0.02;
    SceneBuilder b = around(K, CENTRE);
    b.body("planet", true, CENTRE);
    b.shape(SHAPE_SPHERE, {2 * planet, 0, 0, 0});
    const Vec3 up = vec3_normalize(vec3_make(1, -1, 3));
    b.ball(ball, {CENTRE[0] + start * up.x, CENTRE[1] + start * up.y, CENTRE[2] + start * up.z});
    b.scene.end_s = 4;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    auto begins = ran.events_of_kind(EVENT_BEGIN), ends = ran.events_of_kind(EVENT_END);
    ASSERT_GE(begins.size(), 2u);
    // Radial fall from rest at r0 to r: sqrt(r0^3 / 2k) (acos sqrt x + sqrt(x (1 - x))), x = r / r0.
    const auto fall = [](double r0, double r) {
        const double x = r / r0;
        return std::sqrt(r0 * r0 * r0 / (2 * K)) * (std::acos(std::sqrt(x)) + std::sqrt(x * (1 - x)));
    };
    const double touch = planet + ball / 2;
    EXPECT_NEAR(begins[0].time_s, fall(start, touch), 1e-12);
    EXPECT_NEAR(begins[0].speed_m_per_s, std::sqrt(2 * K * (1 / touch - 1 / start)), 1e-12);
    // Up and down again at the speed it left with: twice the fall from where that takes it.
    const double speed = ends[0].speed_m_per_s;
    const double top = 1 / (1 / touch - speed * speed / (2 * K));
    EXPECT_NEAR(begins[1].time_s - ends[0].time_s, 2 * fall(top, touch), 1e-10);
    EXPECT_LT(ran.progress().energy_drift, 1e-5);
}

// A ball that goes past a planet with a micrometre to spare, and one that grazes it by as much, in steps as long
// as an orbit allows.
TEST(PointGravity, GrazesAreFoundOnACurvedWay) {
    Ellipse ellipse(0.6);
    for (double depth : {1e-6, -1e-6}) {
        SceneBuilder b = ellipse.scene();
        const BodyState start = ellipse.at(0.5 * ellipse.period());
        SceneBody &ball = b.bodies.back();
        const Vec3 p = start.position_m, v = start.velocity_m_per_s;
        const double position[] = {p.x, p.y, p.z}, velocity[] = {v.x, v.y, v.z};
        std::copy(position, position + 3, ball.position_m);
        std::copy(velocity, velocity + 3, ball.velocity_m_per_s);
        b.body("planet", true, CENTRE);
        b.shape(SHAPE_SPHERE, {2 * (0.4 - 0.005 + depth), 0, 0, 0});
        b.pairs[0].damping = DAMPING_NONE;
        b.scene.step_s = 100;
        b.scene.end_s = ellipse.period();
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const auto rows = ran.events();
        ASSERT_EQ(rows.size(), depth > 0 ? 2u : 0u);
        if (depth < 0) continue;
        // Kepler's equation where the distance is that of touch.
        const double anomaly = std::acos((1 - (0.4 + depth)) / 0.6);
        const double before = (anomaly - 0.6 * std::sin(anomaly)) / std::sqrt(K);
        EXPECT_NEAR(rows[0].time_s, 0.5 * ellipse.period() - before, 1e-6);
    }
}

// Towards the centre itself no step is short enough: the scene says so instead of going on.
TEST(PointGravity, AFallIntoTheCentreEndsTheScene) {
    SceneBuilder b = around(K, {0, 0, 0});
    b.ball(0.01, {0.1, 0, 0});
    Ran ran = run_scene(b);
    EXPECT_NE(ran.progress().status, STATUS_OK);
    EXPECT_NE(ran.progress().status, STATUS_RUNNING);
}

// Far away a point's gravity is a uniform one: the same bounce to the digits of the field's change.
TEST(PointGravity, FarAwayIsUniform) {
    const double far = 1e9;
    SceneBuilder point = around(9.81 * far * far, {0, 0, -far}), uniform = around(0, {0, 0, 0});
    uniform.scene.has_point_gravity = 0;
    uniform.scene.gravity_m_per_s2[2] = -9.81;
    for (SceneBuilder *b : {&point, &uniform}) {
        b->ground();
        b->ball(0.1, {0, 0, 0.5}, 0, 0.2);
        b->scene.end_s = 0.6;
    }
    Ran a = run_scene(point), c = run_scene(uniform);
    ASSERT_EQ(a.events().size(), c.events().size());
    ASSERT_EQ(a.events().size(), 2u);
    for (size_t i = 0; i < 2; i++) {
        EXPECT_NEAR(a.events()[i].time_s, c.events()[i].time_s, 1e-9);
        EXPECT_NEAR(a.events()[i].speed_m_per_s, c.events()[i].speed_m_per_s, 1e-8);
    }
    EXPECT_NEAR(a.state(1).position_m.z, c.state(1).position_m.z, 1e-8);
}

} // namespace
