// Forces of contact regions against closed forms: rebounds, elastic impacts, friction that holds, viscous friction,
// Hertz's law from the region's own radius. All by whole scenes.
#include "surface_scenes.h"

namespace {

using namespace regions;

const SceneMesh *diamond() {
    static const SceneMesh *const mesh = shared_mesh(meshes::octahedron(0.2));
    return mesh;
}

// A corner first, along an axis of the mesh: depth and centroid are those of a point, whatever the depth.
SceneBuilder struck(double restitution, double graded_steps) {
    SceneBuilder b = surface_scene(REGION_CONSTANT, restitution, 1e-3, 0.05);
    b.scene.graded_steps = graded_steps;
    b.ground();
    surface_body(b, diamond(), {0, 0, 0.2023}).velocity_m_per_s[2] = -1;
    return b;
}

double rebound(double restitution, double graded_steps) {
    SceneBuilder b = struck(restitution, graded_steps);
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN).size(), 1u);
    EXPECT_EQ(ran.events_of_kind(EVENT_END).size(), 1u);
    return ran.state(1).velocity_m_per_s.z;
}

// a (1 + e) = ln((1 + a) / (1 - a e)), a = 1.5 (1 - restitution): Hunt and Crossley's law whatever the stiffness.
double exact_rebound(double restitution) {
    const double a = 1.5 * (1 - restitution);
    if (a == 0) return 1;
    double low = 0, high = 1;
    for (int k = 0; k < 200; k++) {
        const double e = 0.5 * (low + high);
        (a * (1 + e) > std::log((1 + a) / (1 - a * e)) ? low : high) = e;
    }
    return low;
}

TEST(RegionContact, ReboundsAsTheLawDoes) {
    EXPECT_NEAR(exact_rebound(0.7), 0.768, 1e-5); // against a published table
    for (const double restitution : {1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.0}) {
        const double exact = exact_rebound(restitution);
        EXPECT_NEAR(rebound(restitution, 8), exact, 5e-4) << restitution;
        EXPECT_NEAR(rebound(restitution, 16), exact, 1e-4) << restitution;
    }
}

TEST(RegionContact, ReboundsConvergeInSecondOrder) {
    const double exact = exact_rebound(0.7);
    const double coarse = rebound(0.7, 8) - exact, fine = rebound(0.7, 16) - exact, finer = rebound(0.7, 32) - exact;
    EXPECT_NEAR(coarse / fine, 4, 0.8);
    EXPECT_NEAR(fine / finer, 4, 0.8);
}

// m = 1 kg, k = 1e6 N/m^1.5, 1 m/s: depth (5 m v^2 / 4 k)^0.4, duration 2.943275 depth / v.
TEST(RegionContact, AnElasticImpactIsHertzs) {
    SceneBuilder b = struck(1, 32);
    Ran ran = run_scene(b);
    const double depth = 4.352753e-3;
    EXPECT_NEAR(ran.progress().max_penetration_m, depth, 1e-3 * depth);
    ASSERT_EQ(ran.events_of_kind(EVENT_END).size(), 1u);
    const double lasted = ran.events_of_kind(EVENT_END)[0].time_s - ran.events_of_kind(EVENT_BEGIN)[0].time_s;
    EXPECT_NEAR(lasted, 2.943275 * depth, 0.01 * lasted); // begin and end to a step of 1/200
    EXPECT_NEAR(ran.events_of_kind(EVENT_BEGIN)[0].time_s, 2.3e-3, 2e-5);
    EXPECT_LT(ran.progress().energy_drift, 1e-4);
    EXPECT_LT(ran.progress().momentum_drift, 1e-11);
}

TEST(RegionContact, AnotherExponentHasItsOwnImpact) {
    SceneBuilder b = struck(1, 32);
    b.pairs[0].region_exponent = 1;
    b.pairs[0].region_stiffness = 1e4;
    Ran ran = run_scene(b);
    EXPECT_NEAR(ran.progress().max_penetration_m, 1 / std::sqrt(1e4), 2e-5); // v sqrt(m / k)
    b.pairs[0].region_exponent = 2;
    b.pairs[0].region_stiffness = 1e8;
    Ran other = run_scene(b);
    EXPECT_NEAR(other.progress().max_penetration_m, std::cbrt(1.5 / 1e8), 5e-6); // k d^3 / 3 = m v^2 / 2
    EXPECT_NEAR(other.state(1).velocity_m_per_s.z, 1, 2e-4);
}

// --- friction on a slope ------------------------------------------------------------------------------------------

constexpr double G = 9.81;

// A block at the depth at which it rests, on a plane under a gravity that is tilted.
SceneBuilder on_slope(double tilt_rad, double friction, double static_friction, double end_s) {
    static const SceneMesh *const block = shared_mesh(meshes::box(0.1, 0.1, 0.05));
    SceneBuilder b = surface_scene(REGION_CONSTANT, 0.3, 1e-3, end_s);
    b.pairs[0].friction = friction;
    b.pairs[0].has_stiction = 1;
    b.pairs[0].damping_max_s_per_m = 20; // with more it settles for seconds
    b.pairs[0].static_friction = static_friction;
    b.scene.gravity_m_per_s2[0] = G * std::sin(tilt_rad);
    b.scene.gravity_m_per_s2[2] = -G * std::cos(tilt_rad);
    b.ground();
    const double depth = std::pow(G * std::cos(tilt_rad) / 1e6, 1 / 1.5);
    stiff_body(b, block, {0, 0, 0.05 - depth});
    return b;
}

TEST(RegionContact, FrictionHoldsByItsSpring) {
    const double friction = 0.2, tilt = std::atan(0.5 * friction); // so little that it does not slip as it begins
    SceneBuilder b = on_slope(tilt, friction, friction, 2),
                 more = on_slope(std::atan(0.9 * friction), friction, friction, 2);
    Ran ran = run_scene(b);
    EXPECT_LT(vec3_length(ran.state(1).velocity_m_per_s), 1e-9);
    EXPECT_LT(vec3_length(run_scene(more).state(1).velocity_m_per_s), 1e-9);
    const double normal = G * std::cos(tilt), depth = std::pow(normal / 1e6, 1 / 1.5);
    const double stiffness = 2 * (1 - 0.3) / (2 - 0.3) * 1.5 * normal / depth; // Mindlin's of equal materials
    const double stretch = G * std::sin(tilt) / stiffness;
    EXPECT_NEAR(ran.state(1).position_m.x, stretch, 1e-6 * stretch);
}

TEST(RegionContact, FrictionHoldsFromRestUpToItsStaticLimit) {
    const double tilt = std::atan(0.22);
    SceneBuilder held = on_slope(tilt, 0.2, 0.25, 2);
    EXPECT_LT(vec3_length(run_scene(held).state(1).velocity_m_per_s), 1e-9);
    SceneBuilder slides = on_slope(tilt, 0.2, 0.2, 2);
    EXPECT_GT(run_scene(slides).state(1).velocity_m_per_s.x, 0.1);
}

TEST(RegionContact, ASlidingBlockAcceleratesByCoulombsLaw) {
    const double friction = 0.2, tilt = std::atan(1.1 * friction);
    SceneBuilder one = on_slope(tilt, friction, friction, 1), two = on_slope(tilt, friction, friction, 2);
    const double gained = run_scene(two).state(1).velocity_m_per_s.x - run_scene(one).state(1).velocity_m_per_s.x;
    const double expected = G * (std::sin(tilt) - friction * std::cos(tilt));
    EXPECT_NEAR(gained, expected, 1e-3 * expected);
}

TEST(RegionContact, ViscousFrictionHasATerminalSpeed) {
    const double tilt = std::atan(0.25);
    SceneBuilder b = on_slope(tilt, 0.2, 0.2, 20);
    b.pairs[0].viscous_N_s_per_m = 2;
    const double speed = G * (std::sin(tilt) - 0.2 * std::cos(tilt)) / 2;
    EXPECT_NEAR(run_scene(b).state(1).velocity_m_per_s.x, speed, 1e-6 * speed);
}

// What friction loses is what gravity gives: the audit adds up while the block stretches its spring, slides and stops.
TEST(RegionContact, EnergyOfFrictionAddsUp) {
    SceneBuilder b = on_slope(std::atan(0.1), 0.2, 0.25, 1);
    b.bodies.back().velocity_m_per_s[0] = 0.5;
    for (const double h : {1e-3, 5e-4}) {
        b.scene.step_s = h;
        Ran ran = run_scene(b);
        EXPECT_LT(vec3_length(ran.state(1).velocity_m_per_s), 1e-6);
        EXPECT_LT(ran.progress().energy_drift, h == 1e-3 ? 2e-3 : 1e-3);
        EXPECT_NEAR(ran.progress().dissipated_J, 0.125 + G * std::sin(std::atan(0.1)) * ran.state(1).position_m.x,
                    1e-3 * 0.125);
    }
}

// --- Hertz's law from the region ------------------------------------------------------------------------------------

// An icosphere of 20,480 triangles on a mesh of a plane: exact geometry gives sqrt(1 - depth / 2 R) of Hertz's force at
// the same depth (area 2 pi R d - pi d^2), so depths are larger by about d / 10 R.
TEST(RegionContact, ARegionHasHertzsRadius) {
    static const SceneMesh *const ball = shared_mesh(icosphere(5, 0.1)), *const floor =
                                                                             shared_mesh(grid_box(0.6, 0.6, 0.1, 4));
    SceneBuilder b = surface_scene(REGION_HERTZ, 1, 1e-3, 0.06);
    b.scene.graded_steps = 16;
    b.body("floor", true, {0, 0, -0.05});
    b.mesh(floor);
    surface_body(b, ball, {0.013, 0.007, 0.1005}).velocity_m_per_s[2] = -2;
    b.bodies.back().rotation.kind = ROTATION_CARDAN;
    for (size_t k = 0; k < 3; k++) b.bodies.back().rotation.value[k] = 0.3 + 0.4 * double(k);
    Ran ran = run_scene(b);
    const double stiffness = 4.0 / 3.0 * E_STAR * std::sqrt(0.1), depth = std::pow(5 * 4.0 / (4 * stiffness), 0.4);
    EXPECT_NEAR(depth / 0.1, 0.05, 0.01);
    EXPECT_NEAR(ran.progress().max_penetration_m / depth, 1 + 0.1 * depth / 0.1, 1e-2);
    EXPECT_NEAR(ran.state(1).velocity_m_per_s.z, 2, 2e-2);
    EXPECT_EQ(ran.progress().flags & (FLAG_OPEN_CONTOUR | FLAG_ENGULFED | FLAG_LATE_BEGIN), 0u);
}

// Every contact begins and ends with regions of less than an edge: of these no flag tells. At the deepest the contact
// radius, by 5 mm of depth some 31 mm, is 9 edges of the finer mesh and hardly more than one of the coarser.
TEST(RegionContact, HowFineAMeshIsCountsWhereItIsDeep) {
    static const SceneMesh *const fine = shared_mesh(icosphere(5, 0.1)), *const coarse = shared_mesh(icosphere(2, 0.1)),
                                  *const floor = shared_mesh(grid_box(0.6, 0.6, 0.1, 4));
    for (const SceneMesh *ball : {fine, coarse}) {
        SceneBuilder b = surface_scene(REGION_HERTZ, 1, 1e-3, 0.06);
        b.body("floor", true, {0, 0, -0.05});
        b.mesh(floor);
        surface_body(b, ball, {0.013, 0.007, 0.105}).velocity_m_per_s[2] = -2;
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.events_of_kind(EVENT_END).size(), 1u);
        EXPECT_EQ((ran.progress().flags & FLAG_COARSE_MESH) != 0, ball == coarse);
    }
}

} // namespace
