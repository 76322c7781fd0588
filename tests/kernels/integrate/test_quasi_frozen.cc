// Steps of quasi-rigid bodies with the geometry of their start, as they are taken where others are not solved: where
// that does not change they are the others; else gaps are off by the square of the step. Derivatives are exact.
#include <cmath>

#include "kernel_scene.h"
#include "quasi_columns.h"
#include "quasi_scene.h"

namespace {

using namespace quasi;

struct Solved {
    u32 is_solved;
    double off_m; // gap that is there, against the one it was taken for
    u32 iterations;
    BodyState end;
    double force_N;
};

// One step of 1/s at a level.
Solved solve(SceneBuilder &b, double s, u32 level) {
    KernelScene scene(b);
    const SceneView *view = &scene.view;
    EXPECT_EQ(stepper_start(view, &scene.progress), 1u);
    QuasiNewton newton{};
    Solved solved{};
    solved.is_solved = level == QUASI_UNKNOWN ? quasi_solve_unknown(view, s, 1 / s, KNOWN_STALE, &newton)
                                              : quasi_solve_step(view, s, 1 / s, level, &newton);
    solved.end = scene.works[1].step.trial;
    solved.force_N = scene.contacts[0].now.normal_N;
    solved.iterations = newton.iterations;
    if (level != QUASI_FROZEN) return solved;
    const Contact *contact = &scene.contacts[0];
    const Vec3 force = contact->now.force_N, torque = contact->now.torque_b_N_m;
    solved.off_m = quasi_thaw(view, s) / s;
    // What is recorded of it: the force of the step, the geometry of its end.
    EXPECT_EQ(contact->now.normal_N, solved.force_N);
    EXPECT_EQ(vec3_length(vec3_sub(contact->now.force_N, force)), 0);
    EXPECT_EQ(vec3_length(vec3_sub(contact->now.torque_b_N_m, torque)), 0);
    EXPECT_EQ(contact->now.gap_m,
              kinematics_of_trial(view, contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature).gap_m);
    EXPECT_NE(contact->step.quasi.level, QUASI_FROZEN);
    return solved;
}

void expect_same(const Solved &one, const Solved &other, double error) {
    EXPECT_LT(vec3_length(vec3_sub(one.end.position_m, other.end.position_m)), error);
    EXPECT_LT(vec3_length(vec3_sub(one.end.velocity_m_per_s, other.end.velocity_m_per_s)), error);
    EXPECT_LT(vec3_length(vec3_sub(one.end.spin_rad_per_s, other.end.spin_rad_per_s)), error);
}

// Of a sphere that strikes the ground, slides and spins nothing of the geometry changes.
TEST(QuasiFrozen, ASphereOnTheGroundTakesTheSameStep) {
    SceneBuilder b = ball(0.01, 1);
    b.bodies[1].velocity_m_per_s[0] = 2;
    b.bodies[1].velocity_m_per_s[2] = -0.5;
    b.bodies[1].angular_velocity_rad_per_s[1] = -3;
    b.bodies[1].angular_velocity_rad_per_s[2] = 5;
    const Solved lagged = solve(b, 100, QUASI_LAGGED), frozen = solve(b, 100, QUASI_FROZEN);
    ASSERT_TRUE(lagged.is_solved && frozen.is_solved);
    EXPECT_GT(frozen.force_N, 10);
    EXPECT_NEAR(frozen.force_N, lagged.force_N, 1e-9 * lagged.force_N);
    expect_same(lagged, frozen, 1e-11);
    EXPECT_LT(frozen.off_m, 1e-14);
}

SceneBuilder tossed_ellipsoid() {
    SceneBuilder b = ground(0.01, 1);
    SceneBody &body = solid(b, SHAPE_ELLIPSOID, {2, 1.6, 1}, {0, 0, 0.633578203465487 - 1e-9});
    body.rotation.kind = ROTATION_CARDAN;
    for (size_t k = 0; k < 3; k++) body.rotation.value[k] = 0.3 * double(k + 1);
    const double velocity[3] = {1, 0.5, -3}, spin[3] = {0.4, -3, 2};
    for (size_t k = 0; k < 3; k++) {
        body.velocity_m_per_s[k] = velocity[k];
        body.angular_velocity_rad_per_s[k] = spin[k];
    }
    return b;
}

// An overlap at the start is undone over a planned step: in a hundredth of it the ball gets the velocity that a whole
// step gives it, not a hundred times that.
TEST(QuasiFrozen, AnOverlapIsUndoneOverAPlannedStep) {
    const double overlap_m = 1e-4;
    for (const u32 level : {QUASI_UNKNOWN, QUASI_WARM, QUASI_LAGGED, QUASI_FROZEN})
        for (const double share : {1.0, 0.25, 0.01}) {
            SceneBuilder b = ball(0.01, 1, 1 - overlap_m);
            const Solved solved = solve(b, 100 / share, level);
            ASSERT_TRUE(solved.is_solved) << level << " " << share;
            EXPECT_NEAR(solved.end.velocity_m_per_s.z, overlap_m / 0.01, 1e-12) << level << " " << share;
            EXPECT_NEAR(solved.end.position_m.z, 1 - overlap_m * (1 - share), 1e-14) << level << " " << share;
        }
}

// Of an ellipsoid that rolls the lowest point moves: the gap is off by the square of the step, velocities by the step.
TEST(QuasiFrozen, GapsAreOffByTheSquareOfTheStep) {
    SceneBuilder b = tossed_ellipsoid();
    double off_m[3], change[3];
    for (int k = 0; k < 3; k++) {
        const double s = 400 * (1 << k);
        const Solved frozen = solve(b, s, QUASI_FROZEN), lagged = solve(b, s, QUASI_LAGGED);
        ASSERT_TRUE(frozen.is_solved && lagged.is_solved) << k;
        off_m[k] = frozen.off_m;
        change[k] = vec3_length(vec3_sub(frozen.end.velocity_m_per_s, lagged.end.velocity_m_per_s));
    }
    EXPECT_GT(off_m[0], 1e-7);
    EXPECT_NEAR(off_m[0] / off_m[1], 4, 0.2);
    EXPECT_NEAR(off_m[1] / off_m[2], 4, 0.1);
    EXPECT_NEAR(change[0] / change[1], 2, 0.3);
    EXPECT_NEAR(change[1] / change[2], 2, 0.2);
}

// Derivatives of the frozen contact, against central differences.
void expect_derivatives(bool has_axis) {
    const double s = 1000, e = 1e-6; // rotations of a step are differentiated to second order
    SceneBuilder b = tossed_ellipsoid();
    if (has_axis) add_axis(b);
    KernelScene scene(b);
    const SceneView *view = &scene.view;
    ASSERT_EQ(stepper_start(view, &scene.progress), 1u);
    Contact *contact = &scene.contacts[0];
    quasi_take_held(view, contact, 1);
    quasi_begin_step(view, contact, s, QUASI_FROZEN, 0);
    contact->step.quasi.last.normal_N = 50;
    contact->step.quasi.last.friction_N = {-4, 3, 0}; // across the normal
    quasi_place(view, 1, s);
    quasi_evaluate(view, contact, s, QUASI_FIRST);
    ASSERT_GT(contact->now.normal_N, 0);
    quasi_derive(view, contact);
    const u32 is_b = contact->pair.body_b == 1;
    for (u32 k = 0; k < 6; k++) {
        const UnitChange change = unit_change(view, contact, &contact->step.quasi.last, k, s);
        Vec3 forces[2], torques[2];
        for (int side = 0; side < 2; side++) {
            BodyState *trial = &scene.works[1].step.trial;
            const BodyState keep = *trial;
            Vec3 *changed = k < 3 ? &trial->velocity_m_per_s : &trial->spin_rad_per_s;
            *changed = vec3_add(*changed, vec3_scale(vec3_unit(k % 3), side ? e : -e));
            quasi_place(view, 1, s);
            Contact other = *contact;
            quasi_evaluate(view, &other, s, QUASI_FIRST);
            forces[side] = other.now.force_N;
            torques[side] = is_b ? other.now.torque_b_N_m : other.now.torque_a_N_m;
            *trial = keep;
            quasi_place(view, 1, s);
        }
        const Vec3 force = vec3_scale(vec3_sub(forces[1], forces[0]), 0.5 / e),
                   turning = vec3_scale(vec3_sub(torques[1], torques[0]), 0.5 / e), torque = change.torque_N_m;
        const double size = vec3_length(change.force_N) + vec3_length(torque);
        EXPECT_GT(size, 1);
        EXPECT_LT(vec3_length(vec3_sub(force, change.force_N)), 1e-4 * size) << k;
        EXPECT_LT(vec3_length(vec3_sub(turning, torque)), 1e-4 * size) << k;
    }
}

TEST(QuasiFrozen, DerivativesAreThoseOfDifferences) {
    expect_derivatives(false);
    expect_derivatives(true);
}

} // namespace
