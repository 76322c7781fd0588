// Equations of constraints: their derivatives against central differences along motions, for each kind of joint.
#include "kernel_scene.h"
#include "../law/contact_differences.h"

namespace {

// Kinds of joints with the number of their equations, a limit included.
const struct {
    uint32_t kind, rows;
    bool is_limited;
} JOINTS[] = {{JOINT_FIXED, 6, false},       {JOINT_REVOLUTE, 5, false},  {JOINT_PRISMATIC, 5, false},
              {JOINT_CYLINDRICAL, 4, false}, {JOINT_UNIVERSAL, 4, false}, {JOINT_SPHERICAL, 3, false},
              {JOINT_DISTANCE, 1, false},    {JOINT_PRISMATIC, 6, true},  {JOINT_CYLINDRICAL, 5, true}};

// Two bodies without shapes in random poses, with a constraint off their centres; A is fixed or not.
SceneBuilder constrained(std::mt19937_64 &engine, uint32_t kind, bool is_fixed) {
    SceneBuilder b;
    b.scene.method = METHOD_TRAPEZOIDAL;
    for (int k = 0; k < 2; k++) {
        b.body("body", is_fixed && k == 0, {0, 0, 0});
        SceneBody &body = b.bodies.back();
        body.mass_kind = MASS_GIVEN;
        body.mass_kg = uniform(engine, 1, 3);
        for (int i = 0; i < 3; i++) body.inertia_kg_m2[i] = 0.01 * (3 + i);
        set_pose(body, random_vector(engine, 0.5), random_turn(engine));
    }
    auto draw = [&] { return std::array<double, 3>{uniform(engine, -1, 1), uniform(engine, -1, 1), 1}; };
    SceneJoint &joint = b.constraint(kind, 0, 1, draw(), draw(), draw());
    joint.length_rate_m_per_s = 0.3;
    joint.length_until_s = 100;
    return b;
}

// Where a body is a time t later, with constant accelerations.
BodyState later(const BodyState &from, Vec3 acceleration, Vec3 spin_rate, double t) {
    BodyState to = from;
    to.position_m =
        vec3_add_scaled(vec3_add_scaled(from.position_m, from.velocity_m_per_s, t), acceleration, 0.5 * t * t);
    // The spin is about axes of the body: Magnus' expansion to the third order.
    Vec3 angle = vec3_add_scaled(vec3_scale(from.spin_rad_per_s, t), spin_rate, 0.5 * t * t);
    angle = vec3_add_scaled(angle, vec3_cross(from.spin_rad_per_s, spin_rate), t * t * t / 12);
    to.orientation = quat_multiply(from.orientation, quat_exp(angle));
    to.velocity_m_per_s = vec3_add_scaled(from.velocity_m_per_s, acceleration, t);
    to.spin_rad_per_s = vec3_add_scaled(from.spin_rad_per_s, spin_rate, t);
    return to;
}

TEST(Constraint, RowsAreTheDerivativesOfTheirEquations) {
    std::mt19937_64 engine(11);
    for (const auto &of : JOINTS) {
        double worst[2] = {0, 0};
        for (int repeat = 0; repeat < 60; repeat++) {
            SceneBuilder b = constrained(engine, of.kind, repeat % 3 == 0);
            b.joints.back().has_limits = of.is_limited;
            b.joints.back().limits[repeat % 2] = repeat % 2 == 0 ? -9 : 9; // the nearer limit is 0

            KernelScene k(b);
            Vec3 acceleration[2] = {vec3_zero(), vec3_zero()}, spin_rate[2] = {vec3_zero(), vec3_zero()};
            for (uint32_t body = repeat % 3 == 0 ? 1 : 0; body < 2; body++) {
                // Off the constraint, so that no term is zero.
                k.states[body].position_m = vec3_add(k.states[body].position_m, random_vector(engine, 0.2));
                k.states[body].orientation =
                    quat_normalize(quat_multiply(k.states[body].orientation, quat_exp(random_vector(engine, 0.4))));
                k.states[body].velocity_m_per_s = random_vector(engine, 1);
                k.states[body].spin_rad_per_s = random_vector(engine, 2);
                acceleration[body] = random_vector(engine, 3);
                spin_rate[body] = random_vector(engine, 3);
            }
            Contact &c = k.contacts[0];
            const double step = 1e-4;
            double phi[3][6], rate[3][6];
            for (int at = 0; at < 3; at++) {
                const double t = (at - 1) * step;
                Vec3 spins[2], velocity = vec3_zero();
                for (uint32_t body = 0; body < 2; body++) {
                    k.works[body].step.trial = later(k.states[body], acceleration[body], spin_rate[body], t);
                    const BodyState &s = k.works[body].step.trial;
                    spins[body] = quat_rotate(s.orientation, s.spin_rad_per_s);
                    velocity = vec3_add_scaled(velocity, s.velocity_m_per_s, body == 0 ? -1 : 1);
                }
                c.step.constraint.drive = constraint_drive(&k.view, &k.view.joints[0], 1 + t);
                constraint_take_rows(&k.view, &c);
                ASSERT_EQ(c.step.constraint.count, of.rows);
                for (uint32_t i = 0; i < of.rows; i++) {
                    const ConstraintRow &row = c.step.constraint.rows[i];
                    phi[at][i] = row.phi;
                    rate[at][i] = constraint_rate(&row, velocity, spins[0], spins[1]) + row.drift;
                }
            }
            c.step.constraint.drive = constraint_drive(&k.view, &k.view.joints[0], 1);
            for (uint32_t body = 0; body < 2; body++) k.works[body].step.trial = k.states[body];
            constraint_take_rows(&k.view, &c);
            const Vec3 apart = vec3_sub(acceleration[1], acceleration[0]);
            for (uint32_t i = 0; i < of.rows; i++) {
                const ConstraintRow &row = c.step.constraint.rows[i];
                const double second = constraint_rate(&row, apart, quat_rotate(k.states[0].orientation, spin_rate[0]),
                                                      quat_rotate(k.states[1].orientation, spin_rate[1])) +
                                      row.second_derivative;
                // Of points that nearly coincide the direction of a distance changes fast.
                const double scale = 1 + std::fabs(rate[1][i]) + std::fabs(second) * std::sqrt(std::fabs(second));
                worst[0] = std::fmax(worst[0], std::fabs(rate[1][i] - (phi[2][i] - phi[0][i]) / (2 * step)) / scale);
                worst[1] = std::fmax(worst[1], std::fabs(second - (rate[2][i] - rate[0][i]) / (2 * step)) / scale);
            }
        }
        printf("kind %u, %u rows: first derivative off by %.1e, second by %.1e\n", of.kind, of.rows, worst[0],
               worst[1]);
        EXPECT_LT(worst[0], 1e-6);
        EXPECT_LT(worst[1], 3e-6);
    }
}

// The angle of a revolute joint, by turns of a body of one joint about its axis, three times around and back.
TEST(Constraint, AnglesCountTurns) {
    std::mt19937_64 engine(12);
    SceneBuilder b = constrained(engine, JOINT_REVOLUTE, true);
    KernelScene k(b);
    Contact &c = k.contacts[0];
    const Vec3 axis = quat_rotate(k.batch.joints[0].frame_b, vec3_unit(2));
    for (int step = 0; step < 1000; step++) {
        const double angle = 20 * std::sin(0.01 * step);
        k.works[1].step.trial = k.states[1];
        k.works[1].step.trial.orientation = quat_multiply(k.states[1].orientation, quat_exp(vec3_scale(axis, angle)));
        constraint_take_rows(&k.view, &c);
        EXPECT_NEAR(c.step.constraint.angle_rad, angle, 1e-13) << step;
        c.step.constraint.start_angle_rad = c.step.constraint.angle_rad;
    }
}

} // namespace
