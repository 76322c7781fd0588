// Bodies do not pass through each other within a step, nor end one in another where no contact of theirs tells it
// (kernels/pairs/tunnelling.h); and starts of that kind are told.
#include <cmath>

#include "polytope_depth.h"
#include "quasi_scene.h"
#include "study_scenes.h"

namespace {

using namespace quasi;
using scenes::corners_of;
using scenes::least_depth;

Device *native() {
    static DeviceHolder holder("native", 0, 1);
    return holder.device;
}

const char *const SHAPES[] = {
    "{sphere: {diameter: 0.1}}",
    "{ellipsoid: {lengths: [0.1, 0.06, 0.04]}}",
    "{superquadric: {lengths: [0.1, 0.06, 0.04], exponents: 4}}",
    "{capsule: {diameter: 0.04, length: 0.06}}",
    "{box: {lengths: [0.1, 0.06, 0.04], smoothing: 0.001}}",
    "{cylinder: {diameter: 0.1, length: 0.03, smoothing: 0.001}}",
    "{cone: {diameter: 0.1, length: 0.06, smoothing: 0.001}}",
    "{beam: {length: 0.06, width: 0.03, thickness: 0.02, smoothing: 0.001}}",
    "{hull: {points: [[0.04, 0, 0], [-0.04, 0, 0], [0, 0.05, 0], [0, -0.05, 0], [0, 0, 0.03], [0, 0, -0.03]], "
    "smoothing: 0.001}}"};

// At up to 60 m/s, 0.6 m a step, at a plate 20 mm thick: without the check only some of the slowest stay before it.
class Shot : public testing::TestWithParam<const char *> {};

TEST_P(Shot, StaysBeforeAThinPlate) {
    const std::string shape = std::string("[") + GetParam() + "]";
    for (const char *theta : {"1", "0.5"}) {
        Loaded loaded("tests/studies/quasi_shot.yaml",
                      {{"scene.bodies.shot.shapes", shape.c_str()}, {"solver.theta", theta}});
        // At 60 m/s they leave it with turns in each step, which those of second order do not resolve (not_finite).
        const unsigned count = theta[0] == '1' ? 8 : 6;
        for (unsigned k = 0; k < count; k++) loaded.take(k);
        const Ran ran = loaded.run(native());
        for (unsigned k = 0; k < count; k++) {
            EXPECT_EQ(ran.progress(k).status, STATUS_OK) << theta << " " << k;
            EXPECT_GT(ran.state(loaded.body("shot"), k).position_m.z, 0.01) << theta << " " << k;
            EXPECT_LT(ran.progress(k).max_penetration_m, 1e-7) << theta << " " << k;
        }
    }
}

// A free body of the same shape takes half of the momentum, or turns away; neither ends beyond the other.
TEST_P(Shot, StaysBeforeAFreeBody) {
    const std::string shape = std::string("[") + GetParam() + "]";
    Loaded loaded("tests/studies/quasi_shot.yaml", {{"scene.bodies.shot.shapes", shape.c_str()},
                                                    {"scene.bodies.target.shapes", shape.c_str()},
                                                    {"scene.bodies.target.fixed", "false"},
                                                    {"scene.bodies.shot.angular_velocity", "[0, 0, 0]"},
                                                    {"scene.bodies.shot.position", "[0.003, 0.002, 0.5]"}});
    for (unsigned k = 0; k < 8; k++) loaded.take(k);
    const Ran ran = loaded.run(native());
    for (unsigned k = 0; k < 8; k++) {
        ASSERT_EQ(ran.progress(k).status, STATUS_OK) << k;
        const Vec3 struck = ran.state(loaded.body("target"), k).velocity_m_per_s,
                   shot = ran.state(loaded.body("shot"), k).velocity_m_per_s;
        EXPECT_NEAR(struck.z + shot.z, -loaded.value("v", k), 1e-9 * loaded.value("v", k)) << k;
        EXPECT_LT(struck.z, -0.05 * loaded.value("v", k)) << k;
        if (ran.progress(k).loose_steps > 0) continue; // flagged
        EXPECT_LT(ran.progress(k).max_penetration_m, 1e-7) << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Shot, testing::ValuesIn(SHAPES), [](const testing::TestParamInfo<const char *> &of) {
    const std::string text = of.param;
    return text.substr(1, text.find(':') - 1);
});

// A plate driven at 1 to 60 m/s takes with it what it meets. What it goes in a step that is shortened is no overlap
// that a step before has left: taken for one, the plate would sink into both, and fly past at 60 m/s.
TEST(QuasiTunnelling, ADrivenPlateTakesBodiesWithIt) {
    Loaded loaded("tests/studies/quasi_swept.yaml");
    for (unsigned k = 0; k < 4; k++) loaded.take(k);
    const Ran ran = loaded.run(native());
    for (unsigned k = 0; k < 4; k++) {
        const double v = loaded.value("v", k);
        ASSERT_EQ(ran.progress(k).status, STATUS_OK) << v;
        EXPECT_NEAR(ran.state(loaded.body("ball"), k).position_m.z, v + 0.02, 1e-8) << v;
        EXPECT_NEAR(ran.state(loaded.body("club"), k).position_m.z, v + 0.02, 1e-6) << v;
        EXPECT_NEAR(ran.state(loaded.body("club"), k).velocity_m_per_s.z, v, 1e-6) << v;
        EXPECT_EQ(ran.progress(k).flags, 0u) << v;
    }
}

// Two of 64 towers of 20 boxes that fall 0.1 m. Newton's method found solutions of one step in which two of the boxes
// lie in each other, turned so that every corner is outside of the other: the towers came down in 0.3 s, unflagged.
TEST(QuasiTunnelling, TowersStandAfterAFall) {
    for (const double aside_m : {0.0022471804991477397, 0.0038970377592752957}) {
        SceneBuilder b = ground(0.01, 0.3);
        b.pairs.back().friction = 0.5;
        b.pairs.back().friction_ellipsoid[2] = 0;
        for (unsigned i = 1; i <= 20; i++)
            solid(b, SHAPE_BOX, {0.1, 0.1, 0.1}, {aside_m * (i % 4), 0, 0.1001 * i + 0.05}, 0.002);
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_NEAR(ran.state(20).position_m.z, 1.95, 1e-9) << aside_m;
        EXPECT_NEAR(ran.state(20).position_m.x, 0, 1e-9) << aside_m;
    }
}

/// Depth of the cores of two boxes of a scene that has ended, by all directions that may be the least way out.
double cores_depth(const Ran &ran, uint32_t a, uint32_t b) {
    scenes::Placed placed[2];
    for (uint32_t k = 0; k < 2; k++) {
        placed[k].shape = ran.batch.shapes[k ? b : a];
        placed[k].turn = mat3_from_quat(ran.state(k ? b : a).orientation);
    }
    const Vec3 at = vec3_sub(ran.state(b).position_m, ran.state(a).position_m);
    return least_depth(corners_of(placed[0], vec3_zero()), corners_of(placed[1], at));
}

// 20 boxes in any attitude fall between walls: many meet edge on edge, by more than their rounding in a step. Edges
// have no contact where cores overlap, so that without the check boxes end up to 17 mm in each other, which nothing
// tells.
TEST(QuasiTunnelling, CoresStayApartInAHeap) {
    for (const double end_s : {0.16, 0.18, 0.3}) {
        Loaded loaded("bench/methods/heap.yaml");
        loaded.take(0).end_s = end_s;
        const Ran ran = loaded.run(native());
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const uint32_t first = loaded.body("box_1");
        double deepest = -INFINITY;
        for (uint32_t a = first; a < first + 20; a++)
            for (uint32_t b = first; b < a; b++) deepest = std::max(deepest, cores_depth(ran, b, a));
        EXPECT_LT(deepest, 0) << end_s;
        printf("%g s: cores %g m apart, %u of %u steps shortened\n", end_s, -deepest, ran.progress().rejects,
               ran.progress().substeps);
    }
}

// Two equal boxes about nearly one centre, turned against each other: no corner is in the other, no edges cross
// outside.
TEST(QuasiTunnelling, AStartThatNoFeatureTellsIsTold) {
    for (const double apart_m : {0.001, 0.3})
        for (const uint32_t method : {METHOD_QUASI_RIGID, METHOD_EVENTS}) {
            SceneBuilder b = ground(0.01, 0.05);
            b.scene.method = method;
            for (unsigned k = 0; k < 2; k++) {
                SceneBody &body = solid(b, SHAPE_BOX, {0.1, 0.1, 0.1}, {apart_m * k, 0, 1}, 0.002);
                body.rotation.kind = ROTATION_CARDAN;
                body.rotation.value[2] = 0.7 * k;
            }
            const Progress progress = run_scene(b).progress();
            const bool is_deep = apart_m < 0.1;
            EXPECT_EQ((progress.flags & FLAG_DEEP_START) != 0, is_deep) << method;
            EXPECT_EQ(progress.status, is_deep && method == METHOD_QUASI_RIGID ? STATUS_DEEP_START : STATUS_OK);
        }
}

// Edges have a contact as long as the cores are apart: one that is too soft for an impact loses it, and the bodies go
// through each other. That is told; energy balances, and no contact tells a deep overlap.
TEST(QuasiTunnelling, SoftEdgesThatGoThroughAreFlagged) {
    for (const double young : {1e7, 2e11}) {
        SceneBuilder b = ground(0.001, 0.003);
        b.scene.method = METHOD_EVENTS;
        b.scene.gravity_m_per_s2[2] = 0;
        b.materials[0].young_Pa = young;
        b.pairs[0].restitution = 0.7;
        for (unsigned k = 0; k < 2; k++) {
            SceneBody &body =
                solid(b, SHAPE_BOX, {k ? 0.1 : 0.2, k ? 0.2 : 0.1, 0.1}, {0.003 * k, 0.002 * k, 1 + 0.16 * k}, 0.001);
            body.rotation.kind = ROTATION_CARDAN;
            body.rotation.value[k] = M_PI / 4;
            body.is_fixed = k == 0;
            body.velocity_m_per_s[2] = -10.0 * k;
        }
        const Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(ran.state(2).velocity_m_per_s.z < 0, young == 1e7);
        EXPECT_EQ((ran.progress().flags & FLAG_DEEP_CONTACT) != 0, young == 1e7);
        EXPECT_LT(ran.progress().max_penetration_m, 0.002);
    }
}

} // namespace
