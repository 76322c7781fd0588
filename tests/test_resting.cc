// Boxes on boxes: stacks stand, and one pushed over an edge tips and falls.
#include <gtest/gtest.h>

#include "scene_builder.h"

namespace {

const double G = 9.81;

SceneBuilder one_material(double restitution, double friction) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, restitution, friction);
    return b;
}

// Five on top of each other stand.
TEST(Stack, OfFiveStands) {
    {
        SceneBuilder b = one_material(0.3, 0.5);
        b.ground();
        double at = 0;
        for (int k = 0; k < 5; k++) {
            b.body("one", false, {0.002 * k, -0.001 * k, 0});
            const double height = 0.12;
            b.shape(SHAPE_BOX, {0.2, 0.16, height, 0});
            b.bodies.back().position_m[2] = at + height / 2 + 1e-6;
            at += height;
        }
        b.scene.end_s = 0.5;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_GE(ran.events_of_kind(EVENT_REST).size(), 1u);
        for (uint32_t k = 0; k < 5; k++) {
            EXPECT_NEAR(ran.state(k + 1).position_m.x, 0.002 * k, 1e-5) << k;
            const Vec3 v = ran.state(k + 1).velocity_m_per_s;
            EXPECT_LE(std::hypot(v.x, v.y, v.z), 1e-9);
        }
    }
}

// Pushed over the edge of a table: as long as its middle is on it, it slides and stops; beyond, it tips and falls.
TEST(Push, OverTheEdgeOfATable) {
        for (double speed : {0.5, 1.5}) {
            SceneBuilder b = one_material(0.3, 0.4);
            b.body("table", true, {0, 0, -0.1});
            b.shape(SHAPE_BOX, {1, 1, 0.2, 0});
            b.body("one", false, {0.4, 0, 0});
            const double height = 0.072;
            b.shape(SHAPE_BOX, {0.12, 0.096, height, 0});
            b.bodies.back().position_m[2] = height / 2;
            b.bodies.back().velocity_m_per_s[0] = speed;
            b.scene.end_s = 0.6;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK) << speed;
            const Vec3 end = ran.state(1).position_m;
            if (speed < 1) {
                EXPECT_NEAR(end.x, 0.4 + speed * speed / (2 * 0.4 * G), 2e-3);
                EXPECT_NEAR(end.z, height / 2, 1e-5);
            } else {
                EXPECT_LT(end.z, -0.2);
            }
            EXPECT_LE(ran.progress().energy_drift, 1e-3);
        }
}

} // namespace
