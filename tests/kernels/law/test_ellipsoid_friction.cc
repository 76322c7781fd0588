// Friction over an ellipsoid: the law against its definition, spheres and pucks against closed forms, and spheres that
// slide, roll and spin with friction by direction against an integration of the law itself, under `events` and under
// `quasi_rigid`.
#include <cmath>
#include <random>

#include "law/ellipsoid_friction.h"
#include "quasi_scene.h"

namespace {

using quasi::G;
using quasi::MU;

struct Drawn {
    std::mt19937_64 engine{7};
    double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
    Vec3 vector(double size) { return vec3_make((*this)(-size, size), (*this)(-size, size), (*this)(-size, size)); }
};

MaterialPairLaw law_of(std::array<double, 3> e, double v_small, double w_small) {
    MaterialPairLaw law{};
    law.friction = MU;
    law.speed_small_m_per_s = v_small;
    law.spin_small_rad_per_s = w_small;
    law.flags = LAW_ELLIPSOID;
    for (size_t k = 0; k < 3; k++) law.ellipsoid.e[k] = e[k];
    return law;
}

// The force of a contact at a motion, of a normal force of 10 N.
LawForce force_at(const MaterialPairLaw &law, Vec3 n, Vec3 v, Vec3 w, Vec3 axis) {
    LawForce force{};
    force.normal_N = 10;
    force.force_N = vec3_scale(n, 10);
    PairKinematics at{};
    at.normal = n;
    at.velocity_m_per_s = v;
    at.spin_rad_per_s = w;
    return ellipsoid_add(force, &law, at, axis);
}

// With (1, 1, 0) it is regularised friction.
TEST(EllipsoidFriction, WithoutDirectionAndSpinIsTheRegularisedLaw) {
    Drawn draw;
    MaterialPairLaw law = law_of({1, 1, 0}, 0.3, 0.3);
    LawConstants constants{};
    constants.stiffness = 1e6;
    for (int i = 0; i < 1000; i++) {
        const Vec3 n = vec3_normalize(draw.vector(1)), v = draw.vector(0.4), w = draw.vector(2);
        law.flags = 0;
        const LawNumbers numbers = law_numbers(constants, law, 0);
        const LawForce plain = law_force(&numbers, std::pow(1e-5, 2.0 / 3), n, v, w); // 10 N
        ASSERT_NEAR(plain.normal_N, 10, 1e-12);
        const LawForce force = force_at(law, n, v, w, vec3_zero());
        EXPECT_LT(vec3_length(vec3_sub(force.friction_N, plain.friction_N)), 1e-14);
        EXPECT_LT(vec3_length(force.torque_N_m), 1e-30);
        law.flags = LAW_ELLIPSOID;
        EXPECT_EQ(law_numbers(constants, law, 0).friction, 0); // else it would act twice
    }
}

// Beyond the small speeds it lies on the ellipsoid, and no other force there takes more of the motion; what it takes is
// what is lost, and at small speeds it takes too.
TEST(EllipsoidFriction, DissipatesMost) {
    Drawn draw;
    for (int i = 0; i < 500; i++) {
        const std::array<double, 3> e = {draw(0.5, 2), draw(0.5, 2), draw(0.01, 1)};
        const Vec3 n = vec3_normalize(draw.vector(1)), v = draw.vector(1), w = draw.vector(5), axis = draw.vector(1);
        const double small = i % 2 == 0 ? 1e-9 : 10;
        const LawForce force = force_at(law_of(e, small, small), n, v, w, axis);
        Vec3 axes[2];
        friction_axes(n, axis, axes);
        const double takes = -vec3_dot(force.friction_N, v) - vec3_dot(force.torque_N_m, w);
        EXPECT_GT(takes, 0);
        EXPECT_NEAR(force.loss_W, takes, 1e-13 * takes);
        EXPECT_LT(vec3_length(vec3_cross(force.torque_N_m, n)), 1e-14);
        EXPECT_LT(std::abs(vec3_dot(force.friction_N, n)), 1e-14);
        const double along = vec3_dot(force.friction_N, axes[0]) / e[0],
                     aside = vec3_dot(force.friction_N, axes[1]) / e[1], about = vec3_dot(force.torque_N_m, n) / e[2];
        const double size = std::sqrt(along * along + aside * aside + about * about);
        if (small > 1) {
            EXPECT_LT(size, 0.99 * MU * 10);
            continue;
        }
        EXPECT_NEAR(size, MU * 10, 1e-13);
        for (int k = 0; k < 20; k++) {
            const Vec3 other = vec3_scale(vec3_normalize(draw.vector(1)), MU * 10);
            const double less = -e[0] * other.x * vec3_dot(v, axes[0]) - e[1] * other.y * vec3_dot(v, axes[1]) -
                                e[2] * other.z * vec3_dot(w, n);
            EXPECT_LE(less, takes * (1 + 1e-13));
        }
    }
}

// A sphere of 1 m and 1 kg on hard ground, at rest but for what it is given.
SceneBuilder sphere(uint32_t method, std::array<double, 3> e, double end_s) {
    SceneBuilder b;
    b.material(1e12, 0.3, 1000);
    b.material(1e12, 0.3, 1000);
    b.scene.method = method;
    b.scene.end_s = end_s;
    b.scene.tolerance = 1e-9;
    b.scene.no_freeze = 1;
    ScenePair &pair = b.pair(0, 1, 0, MU, 0, DAMPING_HUNT_CROSSLEY);
    pair.has_ellipsoid = 1;
    for (size_t k = 0; k < 3; k++) pair.friction_ellipsoid[k] = e[k];
    pair.speed_small_m_per_s = pair.spin_small_rad_per_s = 1e-4;
    b.ground(0);
    const double stiffness = 4.0 / 3 * 1e12 / (2 * (1 - 0.09));
    const double deep = method == METHOD_QUASI_RIGID ? 0 : std::pow(G / stiffness, 2.0 / 3);
    b.ball(2, {0, 0, 1 - deep}, 1, 1);
    return b;
}

// T3: friction about the normal stops a spin; where it stops it is regularised, which counts with the first power.
TEST(EllipsoidFriction, ASpinStops) {
    const double e_r = 0.1, stops_s = 0.4 / (MU * e_r * G);
    double left[3];
    for (int k = 0; k < 3; k++) {
        SceneBuilder b = sphere(METHOD_EVENTS, {1, 1, e_r}, 1);
        b.pairs[0].spin_small_rad_per_s = std::pow(10.0, -4 + k);
        b.bodies[1].angular_velocity_rad_per_s[2] = 1;
        const Ran half = run_scene(b);
        ASSERT_EQ(half.progress().status, STATUS_OK);
        EXPECT_NEAR(half.state(1).spin_rad_per_s.z, 1 - MU * e_r * G / 0.4, 1e-8);
        b.scene.end_s = stops_s;
        const Ran stopped = run_scene(b);
        left[k] = stopped.state(1).spin_rad_per_s.z;
        EXPECT_GT(left[k], 0);
    }
    EXPECT_LT(left[0], 1e-4);
    EXPECT_NEAR(left[1] / left[0], 10, 0.05);
    EXPECT_NEAR(left[2] / left[1], 10, 0.05);
}

// T4: of a puck with I = e_r^2 m slip and spin stop together. Its other moments hold it upright.
TEST(EllipsoidFriction, APuckSlidesAndSpins) {
    const double e_r = 0.1, slip = std::sqrt(1 + 25 * e_r * e_r);
    SceneBuilder b = sphere(METHOD_EVENTS, {1, 1, e_r}, 0.5);
    quasi::make_puck(b.bodies[1], e_r * e_r);
    const Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, 1 - 0.5 * MU * G / slip, 1e-7);
    EXPECT_NEAR(ran.state(1).spin_rad_per_s.z / ran.state(1).velocity_m_per_s.x, 5, 1e-6);
}

// What steps balls, pairs of balls and corners quickly has the regularised law alone, and leaves contacts of ellipsoids
// out: with an e_r of next to nothing they end as without.
TEST(EllipsoidFriction, FastMethodsLeaveItOut) {
    for (int kind = 0; kind < 4; kind++) {
        double at[2][3];
        for (int has = 0; has < 2; has++) {
            SceneBuilder b;
            b.material(1e7, 0.3, 1000);
            b.scene.end_s = 0.1;
            b.scene.tolerance = 1e-9;
            b.scene.no_freeze = 1;
            ScenePair &pair = b.pair(0, 0, 0.5, 0.3, 0, DAMPING_HUNT_CROSSLEY);
            pair.has_ellipsoid = uint32_t(has);
            pair.friction_ellipsoid[0] = pair.friction_ellipsoid[1] = 1;
            pair.friction_ellipsoid[2] = has ? 1e-9 : 0;
            b.ground();
            if (kind == 0) { // a box that slides
                b.body("box", false, {0, 0, 0.05});
                b.shape(SHAPE_BOX, {0.2, 0.2, 0.1, 0});
                b.shapes.back().smoothing_m = 1e-3;
            } else { // a ball that slides; two that hit each other in flight; a row of two that a third one hits
                b.ball(0.1, {0, 0, kind == 2 ? 1 : 0.05});
                for (int other = 1; other < kind; other++) b.ball(0.1, {0.1 + 0.1 * other, 0.01, kind == 2 ? 1 : 0.05});
            }
            b.bodies[1].velocity_m_per_s[0] = 2;
            b.bodies[1].angular_velocity_rad_per_s[1] = -5;
            const Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK);
            const BodyState end = ran.state(uint32_t(b.bodies.size()) - 1);
            at[has][0] = end.velocity_m_per_s.x;
            at[has][1] = end.velocity_m_per_s.y;
            at[has][2] = ran.progress().dissipated_J;
        }
        for (int k = 0; k < 3; k++) EXPECT_NEAR(at[1][k], at[0][k], 1e-5 * std::abs(at[0][k]) + 1e-9) << kind << k;
        EXPECT_GT(at[0][2], 0.01) << kind;
    }
}

// Velocity, spin, and the axis of e_t of a sphere, in the law's own equations while it slides.
typedef std::array<double, 9> Motion;

Motion rate_of(const Motion &at, const std::array<double, 3> &e, bool axis_turns) {
    const Vec3 w = vec3_make(at[3], at[4], at[5]), axis = vec3_make(at[6], at[7], at[8]);
    Vec3 axes[2];
    friction_axes(vec3_make(0, 0, 1), axis, axes);
    const Vec3 slip = vec3_make(at[0] - at[4], at[1] + at[3], 0); // v + w x (0, 0, -1)
    const double t = e[0] * vec3_dot(slip, axes[0]), o = e[1] * vec3_dot(slip, axes[1]), r = e[2] * at[5];
    const double per = -MU * G / std::sqrt(t * t + o * o + r * r);
    const Vec3 f = vec3_add_scaled(vec3_scale(axes[0], per * e[0] * t), axes[1], per * e[1] * o);
    const Vec3 turned = axis_turns ? vec3_cross(w, axis) : vec3_zero();
    return {f.x, f.y, 0, f.y / 0.4, -f.x / 0.4, per * e[2] * r / 0.4, turned.x, turned.y, turned.z}; // (0,0,-1) x f
}

// By the method of Runge and Kutta, whose error here is below 1e-12.
Motion slid(Motion at, const std::array<double, 3> &e, bool axis_turns, double end_s) {
    const int steps = 4000;
    const double h = end_s / steps;
    const auto ahead = [&](const Motion &rate, double share) {
        Motion next = at;
        for (size_t k = 0; k < 9; k++) next[k] += share * h * rate[k];
        return next;
    };
    for (int i = 0; i < steps; i++) {
        const Motion k1 = rate_of(at, e, axis_turns), k2 = rate_of(ahead(k1, 0.5), e, axis_turns),
                     k3 = rate_of(ahead(k2, 0.5), e, axis_turns), k4 = rate_of(ahead(k3, 1), e, axis_turns);
        for (size_t k = 0; k < 9; k++) at[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
    }
    return at;
}

const std::array<double, 3> E = {1.5, 0.7, 0.2};
const double SLIDES_S = 0.2;

SceneBuilder sliding(uint32_t method, bool axis_turns) {
    SceneBuilder b = sphere(method, E, SLIDES_S);
    b.pairs[0].has_friction_axis = 1;
    b.pairs[0].axis_material = axis_turns ? 1 : 0;
    const double axis[3] = {2, 1, 0.5}, velocity[3] = {1, 0.5, 0}, spin[3] = {0.2, -0.3, 4};
    for (size_t k = 0; k < 3; k++) {
        b.pairs[0].friction_axis[k] = axis[k];
        b.bodies[1].velocity_m_per_s[k] = velocity[k];
        b.bodies[1].angular_velocity_rad_per_s[k] = spin[k];
    }
    return b;
}

// World axes. A body with an axis of friction is no BODY_BALL.
Vec3 spin_of(const Ran &ran) {
    return spin_to_world(ran.batch.bodies[1].flags, ran.state(1).orientation, ran.state(1).spin_rad_per_s);
}

Motion expected(bool axis_turns) {
    const double length = std::sqrt(5.25);
    return slid({1, 0.5, 0, 0.2, -0.3, 4, 2 / length, 1 / length, 0.5 / length}, E, axis_turns, SLIDES_S);
}

// T22 under events: the axis in the ground, and in the sphere.
TEST(EllipsoidFriction, SlipAndSpinByDirectionAsTheLawIntegrated) {
    for (const bool axis_turns : {false, true}) {
        SceneBuilder b = sliding(METHOD_EVENTS, axis_turns);
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const Motion wanted = expected(axis_turns);
        const Vec3 v = ran.state(1).velocity_m_per_s, w = spin_of(ran);
        const double found[6] = {v.x, v.y, 0, w.x, w.y, w.z};
        for (size_t k = 0; k < 6; k++) EXPECT_NEAR(found[k], wanted[k], 1e-6) << axis_turns << k;
        // It could tell: by direction the velocity differs from that of another axis.
        EXPECT_GT(std::abs(wanted[1] - expected(!axis_turns)[1]), 1e-3);
    }
}

// T22 under quasi_rigid: of first order, and what is left after extrapolation is smaller.
TEST(EllipsoidFriction, QuasiRigidSlipAndSpinByDirection) {
    for (const bool axis_turns : {false, true}) {
        const Motion wanted = expected(axis_turns);
        double found[3][6];
        for (int k = 0; k < 3; k++) {
            SceneBuilder b = sliding(METHOD_QUASI_RIGID, axis_turns);
            b.scene.step_s = 1e-3 / (1 << k);
            const Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK);
            const Vec3 v = ran.state(1).velocity_m_per_s, w = spin_of(ran);
            const double at[6] = {v.x, v.y, 0, w.x, w.y, w.z};
            std::copy(at, at + 6, found[k]);
            EXPECT_LT(ran.progress().evaluations, 8 * SLIDES_S / b.scene.step_s);
        }
        for (size_t k = 0; k < 6; k++) {
            if (k == 2) continue;
            const double first = found[0][k] - wanted[k], second = found[1][k] - wanted[k],
                         third = found[2][k] - wanted[k];
            EXPECT_NEAR(first / second, 2, 0.05) << axis_turns << k;
            // Two extrapolations: what is left is of third order.
            EXPECT_NEAR((8 * third - 6 * second + first) / 3, 0, 2e-6) << axis_turns << k;
        }
    }
}

} // namespace
