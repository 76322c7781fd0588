// First-order change of a joint's force, torques and loss against central differences of what it evaluates to, and the
// columns of implicit steps against that.
#include "../law/contact_differences.h"

namespace {

// Two bodies without shapes in random poses and motion, tied off their centres; A is fixed or not.
SceneBuilder tied(std::mt19937_64 &engine, bool is_fixed) {
    SceneBuilder b;
    b.scene.no_freeze = 1;
    std::array<double, 3> at[2];
    for (int k = 0; k < 2; k++) {
        b.body("body", is_fixed && k == 0, {0, 0, 0});
        SceneBody &body = b.bodies.back();
        body.mass_kind = MASS_GIVEN;
        body.mass_kg = uniform(engine, 1, 3);
        for (int i = 0; i < 3; i++) body.inertia_kg_m2[i] = 0.01 * (3 + i);
        const Vec3 x = random_vector(engine, 0.5);
        set_pose(body, x, random_turn(engine));
        at[k] = {x.x + uniform(engine, -0.2, 0.2), x.y + uniform(engine, -0.2, 0.2), x.z + uniform(engine, -0.2, 0.2)};
    }
    b.spring(0, 1, at[0], at[1], uniform(engine, 100, 1000), uniform(engine, 1, 30), uniform(engine, 0, 0.5));
    return b;
}

Forces differences(KernelScene &k, uint32_t body, const BodyChange &way, double step) {
    const uint32_t flags = k.batch.bodies[body].flags;
    Forces f[2];
    for (int side = 0; side < 2; side++) {
        k.works[body].step.trial = changed(k.states[body], flags, way, side ? step : -step);
        coupling_evaluate(&k.view, &k.contacts[0]);
        f[side] = forces_of(k.contacts[0]);
    }
    k.works[body].step.trial = k.states[body];
    coupling_evaluate(&k.view, &k.contacts[0]);
    for (int i = 0; i < 10; i++) f[1].values[i] = (f[1].values[i] - f[0].values[i]) / (2 * step);
    return f[1];
}

// group: 0: shift, 1: turn, 2: velocity, 3: spin. No loss.
Forces of_columns(const Contact &c, int group, uint32_t is_b, uint32_t axis) {
    const ColumnVec unit = column_vec_of(mat3_identity(), axis), none = column_vec_zero();
    const Vec3 lever = coupling_lever(&c, is_b);
    ColumnVec at = group == 3 ? column_vec_crossed(unit, lever) : unit;
    if (is_b == 0) at = column_vec_negate(at);
    ColumnChange change;
    if (group == 0)
        coupling_columns_apart(&c, &unit, &change);
    else if (group == 1)
        coupling_columns_turned(&c, is_b, &unit, &none, &change);
    else
        coupling_columns_motion(&c, &at, &none, &change);
    const ColumnVec a = coupling_columns_torque(&c, 0, &change), b = coupling_columns_torque(&c, 1, &change);
    Forces told{{change.force_N.x, change.force_N.y, change.force_N.z, a.x, a.y, a.z, b.x, b.y, b.z, 0}};
    if (group == 0 && is_b == 0)
        for (double &value : told.values) value = -value;
    return told;
}

TEST(JointJacobian, IsTheDerivativeOfForceTorquesAndLoss) {
    std::mt19937_64 engine(7);
    double worst = 0;
    for (int n = 0; n < 200; n++) {
        const bool is_fixed = n % 3 == 0;
        SceneBuilder b = tied(engine, is_fixed);
        KernelScene k(b);
        for (uint32_t body = is_fixed ? 1 : 0; body < 2; body++) {
            k.states[body].velocity_m_per_s = random_vector(engine, 1);
            k.states[body].spin_rad_per_s = random_vector(engine, 4);
        }
        for (uint32_t body = 0; body < 2; body++) k.works[body].step.trial = k.states[body];
        coupling_evaluate(&k.view, &k.contacts[0]);
        coupling_derive(&k.view, &k.contacts[0]);
        for (uint32_t body = is_fixed ? 1 : 0; body < 2; body++)
            for (int i = 0; i < 12; i++) {
                BodyChange ways[2] = {jacobian_body_unchanged(), jacobian_body_unchanged()};
                ways[body] = direction(i);
                const Forces by_steps = differences(k, body, ways[body], 1e-6);
                const Forces told = forces_of(coupling_change(&k.contacts[0], &ways[0], &ways[1]));
                const Forces columns = of_columns(k.contacts[0], i / 3, body, uint32_t(i % 3));
                for (int j = 0; j < 10; j++) {
                    const double scale = 1000 * (1 + std::fabs(told.values[j]) / 1000);
                    worst = std::max(worst, std::fabs(told.values[j] - by_steps.values[j]) / scale);
                    if (j == 9) continue; // columns tell no loss
                    EXPECT_NEAR(columns.values[j], told.values[j], 1e-9 * scale) << n << " " << i << " " << j;
                }
            }
    }
    printf("largest difference %g\n", worst);
    EXPECT_LT(worst, 2e-6);
}

// A spring of no length pulls alike in all directions where its points coincide.
TEST(JointJacobian, OfASpringToAPoint) {
    std::mt19937_64 engine(8);
    SceneBuilder b = tied(engine, true);
    for (int i = 0; i < 3; i++) b.joints[0].at_m[1][i] = b.joints[0].at_m[0][i];
    b.joints[0].rest_length_m = b.joints[0].damping_N_s_per_m = 0;
    KernelScene k(b);
    coupling_derive(&k.view, &k.contacts[0]);
    for (int i = 0; i < 6; i++) {
        const BodyChange ways[2] = {jacobian_body_unchanged(), direction(i)};
        const Forces by_steps = differences(k, 1, ways[1], 1e-6);
        const Forces told = forces_of(coupling_change(&k.contacts[0], &ways[0], &ways[1]));
        for (int j = 0; j < 9; j++) EXPECT_NEAR(told.values[j], by_steps.values[j], 1e-3) << i << " " << j;
    }
}

} // namespace
