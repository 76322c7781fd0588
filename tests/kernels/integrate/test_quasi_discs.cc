// Quasi-rigid solids with discs: cylinders, cones and beams on planes and on boxes.
#include <cmath>
#include <random>

#include "base/vec3.h"
#include "quasi_scene.h"
#include "random_scenes.h"

namespace {

using namespace quasi;

const double PI = 3.14159265358979323846, RHO = 0.02;

SceneBody &can(SceneBuilder &b, std::array<double, 3> position) {
    return solid(b, SHAPE_CYLINDER, {2, 1, 0}, position, RHO);
}

void lay(SceneBody &body, double angle) { // about y: its axis along -x at pi/2
    body.rotation.kind = ROTATION_CARDAN;
    body.rotation.value[1] = angle;
}

// On its side, over 16 fixed points of its rims each turn: no loss, no bump.
TEST(QuasiDiscs, ACylinderRollsWithoutLoss) {
    SceneBuilder b = ground(0.01, 2);
    SceneBody &body = can(b, {0, 0, 1});
    lay(body, PI / 2);
    body.velocity_m_per_s[1] = 5;
    body.angular_velocity_rad_per_s[0] = -5;
    const Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.y, 10, 1e-10);
    EXPECT_NEAR(ran.state(1).position_m.x, 0, 1e-10);
    EXPECT_NEAR(ran.state(1).position_m.z, 1, 1e-11);
    EXPECT_LT(ran.progress().max_penetration_m, 1e-11);
    EXPECT_LT(ran.progress().evaluations, 6u * ran.progress().substeps);
}

// 2/3 of the speed are left when it rolls.
TEST(QuasiDiscs, ASlidingCylinderComesToRoll) {
    for (const double h : {0.01, 0.005}) {
        SceneBuilder b = ground(h, 0.5);
        SceneBody &body = can(b, {0, 0, 1});
        lay(body, PI / 2);
        body.velocity_m_per_s[1] = 1;
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        // With rounded edges its inertia about the axis is that of the sharp cylinder.
        EXPECT_NEAR(ran.batch.bodies[1].inertia_kg_m2.z, 0.5, 1e-12);
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.y, 2.0 / 3, 1e-10);
        EXPECT_NEAR(ran.state(1).position_m.z, 1, 1e-11);
    }
}

// On its end: all of its points are at one radius, so that however they share the weight the torque is the same.
TEST(QuasiDiscs, ASpunCanIsHeldByItsRim) {
    SceneBuilder b = ground(0.01, 0.2);
    can(b, {0, 0, 0.5}).angular_velocity_rad_per_s[2] = 3;
    b.pairs[0].friction_ellipsoid[2] = 0; // points alone
    const Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).spin_rad_per_s.z, 3 - MU * G * (1 - RHO) / 0.5 * 0.2, 1e-9);
    EXPECT_NEAR(ran.state(1).position_m.z, 0.5, 1e-12);
    EXPECT_LT(vec3_length(ran.state(1).velocity_m_per_s), 1e-9);
}

// It slides as a cube does, v^2/(2 mu g) - h v/2, and stands where it stops.
TEST(QuasiDiscs, ACanSlides) {
    SceneBuilder b = ground(0.01, 0.7);
    can(b, {0, 0, 0.5}).velocity_m_per_s[0] = 1;
    const Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.x, 1 / (2 * MU * G) - 0.005, 4e-6);
    EXPECT_NEAR(ran.state(1).position_m.z, 0.5, 1e-12);
}

// Dropped onto its rim: energy never rises, nothing overlaps, and it comes to stand.
TEST(QuasiDiscs, TiltedSolidsComeToStand) {
    const struct {
        uint32_t kind;
        std::array<double, 3> lengths;
        double rest_m;
    } solids[] = {{SHAPE_CYLINDER, {2, 1, 0}, 0.5},
                  {SHAPE_CONE, {2, 1, 1}, 11.0 / 28}, // of its centre of mass: 11/28 of its length
                  {SHAPE_BEAM, {2, 1, 1}, 0.5}};
    for (const auto &of : solids) {
        double before = 1e9;
        for (const double end : {0.5, 1.0, 2.0, 8.0}) {
            SceneBuilder b = ground(0.01, end);
            SceneBody &body = solid(b, of.kind, of.lengths, {0, 0, 1.6}, RHO);
            lay(body, 0.3);
            body.angular_velocity_rad_per_s[0] = 0.5;
            const Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK) << of.kind << " " << end;
            EXPECT_LT(ran.progress().max_penetration_m, 1e-9) << of.kind;
            const double energy = energy_of(ran, 1);
            EXPECT_LT(energy, before + 1e-9) << of.kind << " " << end;
            before = energy;
            if (end < 8) continue;
            EXPECT_NEAR(ran.state(1).position_m.z, of.rest_m, 1e-9) << of.kind;
            EXPECT_LT(vec3_length(ran.state(1).velocity_m_per_s), 1e-9) << of.kind;
        }
    }
}

// A pile of cans and boxes that stands: every disc on a face, or a face on a disc.
TEST(QuasiDiscs, CansAndBoxesStandOnEachOther) {
    SceneBuilder b = ground(0.005, 2);
    for (uint32_t i = 0; i < 6; i++)
        solid(b, i % 2 ? SHAPE_CYLINDER : SHAPE_BOX, {1.2, i % 2 ? 1.0 : 1.2, 1}, {0.05 * (i % 3), 0, 0.52 + 1.02 * i},
              RHO);
    const Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_NEAR(ran.state(i + 1).position_m.z, 0.5 + i, 1e-8) << i;
        EXPECT_LT(vec3_length(ran.state(i + 1).velocity_m_per_s), 1e-8) << i;
    }
    EXPECT_LT(ran.progress().max_penetration_m, 1e-8);
    printf("%.2f iterations a step\n", double(ran.progress().evaluations) / ran.progress().substeps);
}

// As in test_quasi_solids.cc.
TEST(QuasiDiscs, RandomDropsAreSolved) {
    for (const uint32_t kind : {SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM}) {
        std::mt19937_64 engine(kind);
        auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
        unsigned steps = 0, iterations = 0, halved = 0, loose = 0;
        for (unsigned n = 0; n < 50; n++) {
            SceneBuilder b = ground(0.01, 1.5);
            const double width = draw(0.8, 2);
            SceneBody &body = solid(b, kind, {width, draw(0.8, 2), n % 3 ? draw(0.1, 0.9) * width : 0.05},
                                    {0, 0, draw(2.2, 2.6)}, RHO);
            if (n % 2) layer(b, 5e3, 50, 0.01);
            toss(body, draw);
            const Ran ran = run_scene(b);
            EXPECT_EQ(ran.progress().status, STATUS_OK) << kind << " " << n;
            EXPECT_LT(ran.progress().max_penetration_m, n % 2 ? 0.01 + 1e-9 : 1e-9) << kind << " " << n;
            steps += ran.progress().substeps;
            iterations += ran.progress().evaluations;
            halved += ran.progress().rejects;
            loose += ran.progress().loose_steps;
        }
        printf("kind %u: %u steps, %.2f iterations each, %u halved, %u loosely\n", kind, steps,
               double(iterations) / steps, halved, loose);
        EXPECT_LT(halved, 0.02 * steps);
        EXPECT_LE(loose, 1u);
    }
}

} // namespace
