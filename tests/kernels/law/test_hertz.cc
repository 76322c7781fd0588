// Hertz's elliptic contact: the effective radius against elliptic integrals summed here, and the curvatures of shapes
// at the point where they touch (contact_radius: local) by what a run's contacts begin with.
#include "law/hertz_ellipse.h"
#include "scene_builder.h"
#include "base/vec3.h"

namespace {

const double MODULUS = 2e11 / 0.91 / 2; // of the builder's material and itself

// --- Johnson, Contact Mechanics, eqs 4.26 to 4.30, with integrals summed in long double -------------------------

struct Integrals {
    long double k, e; // complete, of the first and second kind
};

// The trapezoidal rule of a periodic function converges faster than any power.
Integrals integrals(long double flatness) {
    const int n = 4000;
    const long double quarter = acosl(-1.0L) / 2, m = (1 - flatness) * (1 + flatness);
    Integrals sum = {0, 0};
    for (int i = 0; i < n; i++) {
        const long double s = sinl(quarter * 2 * (i + 0.5L) / n), root = sqrtl(1 - m * s * s);
        sum.k += quarter / n / root;
        sum.e += quarter / n * root;
    }
    return sum;
}

// b/a of the ellipse of two principal radii whose ratio this is: eq. 4.28, by bisection.
long double flatness_of(long double ratio) {
    long double low = 1e-4L, high = 1;
    for (int i = 0; i < 90; i++) {
        const long double b = sqrtl(low * high);
        const Integrals of = integrals(b);
        ((of.e / (b * b) - of.k) / (of.k - of.e) > ratio ? low : high) = b;
    }
    return sqrtl(low * high);
}

// K / (4/3 E* sqrt(Re)) = F2^-1.5: F1 by eq. 4.27, F2 from the approach (eq. 4.30).
double stiffness_share(long double ratio) {
    const long double pi = acosl(-1.0L), b = flatness_of(ratio), m = (1 - b) * (1 + b);
    const Integrals of = integrals(b);
    const long double f1 = cbrtl(4 / (pi * m) * b * sqrtl(b) * sqrtl((of.e / (b * b) - of.k) * (of.k - of.e)));
    const long double f2 = 2 / pi * sqrtl(b) * of.k / f1;
    return double(1 / (f2 * sqrtl(f2)));
}

double ball_of(double radius_1, double radius_2) { // the effective radius, by the integrals
    const double most = std::max(radius_1, radius_2), least = std::min(radius_1, radius_2);
    const double share = most > least ? stiffness_share((long double)most / least) : 1;
    return std::sqrt(most * least) * share * share;
}

TEST(Hertz, RadiusIsThatOfTheEllipticIntegralsAtFiveRatios) {
    double worst = 0;
    for (double ratio : {1.1, 2.0, 5.0, 25.0, 200.0}) {
        const double least = 3.0, radius = hertz_radius_m(least, ratio * least);
        const double error = radius / ball_of(1 / least, 1 / (ratio * least)) - 1;
        EXPECT_NEAR(error, 0, 1e-14) << ratio;
        worst = std::max(worst, std::fabs(error));
    }
    std::printf("relative error of the radius: %.2g\n", worst);
}

TEST(Hertz, RadiusOfNearlyEqualCurvaturesGoesOverIntoTheirOwn) {
    EXPECT_EQ(hertz_radius_m(4, 4), 0.25);
    for (double off : {1e-15, 1e-12, 1e-8, 1e-4})
        EXPECT_NEAR(hertz_radius_m(4, 4 * (1 + off)) * 4 * std::sqrt(1 + off), 1, 0.1 * off * off + 1e-15) << off;
    double before = hertz_radius_m(1, 1);
    for (double most = 1.001; most < 1e6; most *= 1.01) { // more curved is less stiff
        const double radius = hertz_radius_m(1, most);
        ASSERT_LT(radius, before) << most;
        before = radius;
    }
}

TEST(Hertz, ThereIsNoneOfALine) {
    EXPECT_EQ(hertz_radius_m(0, 1), 0);
    EXPECT_EQ(hertz_radius_m(-1e-18, 1), 0);
    EXPECT_EQ(hertz_radius_m(0.99e-6, 1), 0);
    EXPECT_GT(hertz_radius_m(1.01e-6, 1), 0);
    EXPECT_EQ(hertz_radius_m(NAN, 1), 0);
}

// --- whole scenes ---------------------------------------------------------------------------------

// A body comes down on what is fixed at 0.1 m/s, without loss, friction and gravity.
SceneBuilder coming_down() {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 1, 0, 0, DAMPING_NONE);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.graded_steps = 48;
    b.scene.tolerance = 1e-10;
    b.scene.end_s = 0.05;
    return b;
}

SceneShape &local(SceneShape &shape) {
    shape.has_local_radius = 1;
    return shape;
}

void turn(SceneBody &body, std::array<double, 3> axis, double angle) {
    const double length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    body.rotation.kind = ROTATION_AXIS_ANGLE;
    for (size_t k = 0; k < 3; k++) body.rotation.value[k] = axis[k] / length;
    body.rotation.value[3] = angle;
}

void falls(SceneBody &body) { body.velocity_m_per_s[2] = -0.1; }

// R* with which the first contact began.
double begin_radius(const Ran &ran) {
    const auto begins = ran.events_of_kind(EVENT_BEGIN);
    EXPECT_FALSE(begins.empty());
    if (begins.empty()) return NAN;
    const double root = begins[0].stiffness / (4.0 / 3.0 * MODULUS);
    return root * root;
}

double begin_radius(SceneBuilder &b) { return begin_radius(run_scene(b)); }

TEST(Hertz, AnEllipsoidOnAPlaneAtFiveRatios) {
    for (double ratio : {1.0, 1.5, 4.0, 10.0, 30.0}) {
        SceneBuilder b = coming_down();
        b.ground();
        const double height = 0.04, across = 0.06, along = across * std::sqrt(ratio);
        turn(b.body("stone", false, {0, 0, 0.5 * height + 1e-4}), {0, 0, 1}, 0.7);
        local(b.shape(SHAPE_ELLIPSOID, {along, across, height, 0}));
        falls(b.bodies.back());
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const double radius = ball_of(0.5 * across * across / height, 0.5 * along * along / height);
        EXPECT_NEAR(begin_radius(ran) / radius, 1, 1e-12) << ratio;
        // The force is that stiffness's all the way down.
        const double mass = 8000 * M_PI / 6 * along * across * height, v = 0.1;
        const double depth = std::pow(1.25 * mass * v * v / (4.0 / 3.0 * MODULUS * std::sqrt(radius)), 0.4);
        EXPECT_NEAR(ran.progress().max_penetration_m / depth, 1, 1e-7) << ratio;
    }
}

// Principal radii of an ellipsoid where its outward normal is n: second derivatives of its support function, by
// differences.
std::array<double, 2> radii_of(const std::array<double, 3> &half, const Vec3 &n) {
    auto h = [&](const Vec3 &u) {
        return std::sqrt(half[0] * half[0] * u.x * u.x + half[1] * half[1] * u.y * u.y + half[2] * half[2] * u.z * u.z);
    };
    const Vec3 x = vec3_perpendicular(n), y = vec3_cross(n, x);
    const double d = 1e-3;
    auto second = [&](const Vec3 &way) { // of fourth order
        auto at = [&](double s) { return h(vec3_add_scaled(n, way, s)); };
        return (-at(2 * d) + 16 * at(d) - 30 * at(0) + 16 * at(-d) - at(-2 * d)) / (12 * d * d);
    };
    const double xx = second(x), yy = second(y), xy = 0.5 * (second(vec3_add(x, y)) - xx - yy);
    const double mean = 0.5 * (xx + yy), spread = std::hypot(0.5 * (xx - yy), xy);
    return {mean - spread, mean + spread};
}

TEST(Hertz, AnEllipsoidTouchesWithTheCurvaturesOfItsPoint) {
    const std::array<double, 3> half = {0.05, 0.03, 0.02};
    for (double angle : {0.3, 0.9, 1.4, 2.2, 2.9}) {
        SceneBuilder b = coming_down();
        b.ground();
        turn(b.body("stone", false, {0, 0, 0.06}), {1, 0.4, -0.7}, angle);
        local(b.shape(SHAPE_ELLIPSOID, {2 * half[0], 2 * half[1], 2 * half[2], 0}));
        falls(b.bodies.back());
        b.scene.end_s = 0.6;
        const Vec3 axis = vec3_normalize(vec3_make(1, 0.4, -0.7));
        const Vec3 down = vec3_make(0, 0, -1); // turned back about the axis
        const double c = std::cos(angle), s = std::sin(angle);
        const Vec3 n = vec3_add(vec3_add(vec3_scale(down, c), vec3_scale(vec3_cross(axis, down), -s)),
                                vec3_scale(axis, vec3_dot(axis, down) * (1 - c)));
        const std::array<double, 2> radii = radii_of(half, n);
        EXPECT_NEAR(begin_radius(b) / ball_of(radii[0], radii[1]), 1, 1e-8) << angle;
    }
}

// Two capsules or a ball and a cylinder, across each other.
TEST(Hertz, RelativeCurvatureIsTheSumOfBoth) {
    for (double other : {0.02, 0.05}) {
        SceneBuilder b = coming_down();
        turn(b.body("rail", true, {0, 0, -other}), {0, 1, 0}, M_PI / 2);
        local(b.shape(SHAPE_CAPSULE, {2 * other, 1, 0, 0}));
        turn(b.body("rod", false, {0, 0, 0.0201}), {1, 0, 0}, M_PI / 2);
        local(b.shape(SHAPE_CAPSULE, {0.04, 1, 0, 0}));
        falls(b.bodies.back());
        EXPECT_NEAR(begin_radius(b) / ball_of(0.02, other), 1, 1e-12) << other;
    }
    for (bool is_local : {true, false}) {
        SceneBuilder b = coming_down();
        turn(b.body("roller", true, {0, 0, -0.05}), {0, 1, 0}, M_PI / 2);
        SceneShape &roller = b.shape(SHAPE_CYLINDER, {0.1, 0.5, 0, 0});
        if (is_local) local(roller);
        b.ball(0.04, {0, 0, 0.0201});
        falls(b.bodies.back());
        const double convention = 0.05 * 0.02 / 0.07;
        EXPECT_NEAR(begin_radius(b) / (is_local ? ball_of(0.02, convention) : convention), 1, 1e-9) << is_local;
    }
}

// What a shape that does not ask counts with: its radius of contact, or flat.
TEST(Hertz, OfTwoShapesOneMayAsk) {
    for (uint32_t kind : {SHAPE_SPHERE, SHAPE_BOX}) {
        SceneBuilder b = coming_down();
        b.body("base", true, {0, 0, -0.1});
        b.shape(kind, {0.2, 0.2, 0.2, 0});
        b.body("stone", false, {0, 0, 0.0201});
        local(b.shape(SHAPE_ELLIPSOID, {0.12, 0.06, 0.04, 0}));
        falls(b.bodies.back());
        const double ground = kind == SHAPE_SPHERE ? 10 : 0;
        const double radius = ball_of(1 / (0.02 / 0.0036 + ground), 1 / (0.02 / 0.0009 + ground));
        EXPECT_NEAR(begin_radius(b) / radius, 1, 1e-9) << kind;
    }
}

// Corners and edges are as round as their smoothing; faces are flat; a line, a face and a sharp corner have no point of
// Hertz's and keep the radii of contact.
TEST(Hertz, EdgesCornersAndFaces) {
    const double rho = 0.002;
    for (bool is_sharp : {false, true}) {
        SceneBuilder b = coming_down(); // on a corner
        b.ground();
        turn(b.body("box", false, {0, 0, 0.12}), {1, 0.6, 0}, 0.8);
        local(b.shape(SHAPE_BOX, {0.1, 0.1, 0.1, 0})).smoothing_m = is_sharp ? 0 : rho;
        falls(b.bodies.back());
        b.scene.end_s = 1;
        EXPECT_NEAR(begin_radius(b), is_sharp ? 0.05 : rho, 1e-14) << is_sharp;
    }
    { // an edge across an edge
        SceneBuilder b = coming_down();
        turn(b.body("below", true, {0, 0, -0.1}), {1, 0, 0}, M_PI / 4);
        local(b.shape(SHAPE_BOX, {0.3, 0.1, 0.1, 0})).smoothing_m = rho;
        turn(b.body("above", false, {0, 0, 0.1}), {0, 1, 0}, M_PI / 4);
        local(b.shape(SHAPE_BOX, {0.1, 0.3, 0.1, 0})).smoothing_m = 3 * rho;
        falls(b.bodies.back());
        b.scene.end_s = 1;
        EXPECT_NEAR(begin_radius(b) / ball_of(rho, 3 * rho), 1, 1e-9);
    }
    { // a ball on a face
        SceneBuilder b = coming_down();
        b.body("table", true, {0, 0, -0.05});
        local(b.shape(SHAPE_BOX, {1, 1, 0.1, 0}));
        b.ball(0.04, {0.1, 0.2, 0.0201});
        falls(b.bodies.back());
        EXPECT_NEAR(begin_radius(b), 0.02, 1e-14);
    }
    { // a roller on a plane, one contact: along a line
        SceneBuilder b = coming_down();
        b.ground();
        b.scene.single_contact = 1;
        turn(b.body("roller", false, {0, 0, 0.0201}), {0, 1, 0}, M_PI / 2);
        local(b.shape(SHAPE_CYLINDER, {0.04, 0.2, 0, 0}));
        falls(b.bodies.back());
        EXPECT_NEAR(begin_radius(b), 0.02, 1e-14);
    }
    { // its ends, with several: the rim's radius across, the edge's smoothing along
        SceneBuilder b = coming_down();
        b.ground();
        turn(b.body("roller", false, {0, 0, 0.0201}), {0, 1, 0}, M_PI / 2);
        local(b.shape(SHAPE_CYLINDER, {0.04, 0.2, 0, 0})).smoothing_m = rho;
        falls(b.bodies.back());
        EXPECT_NEAR(begin_radius(b) / ball_of(0.02, rho), 1, 1e-9);
    }
}

} // namespace
