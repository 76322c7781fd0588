// Solids that stand and lie on each other: at rest, the force is the weight; stacks stand, a push over an edge
// tips.
#include "standing_scenes.h"

namespace {

double speed(const Ran &ran, uint32_t body) {
    const Vec3 v = ran.state(body).velocity_m_per_s;
    return std::hypot(v.x, v.y, v.z);
}

// Of the force on body 1: upwards, across, and the torque; its weight.
struct Load {
    double up, across, torque, weight;
};

Load load(SceneBuilder b) {
    KernelScene scene(b);
    for (size_t k = 0; k < scene.works.size(); k++) scene.works[k].step.trial = scene.states[k];
    coupling_evaluate_all(&scene.view);
    const BodyWork &w = scene.works[1];
    return {w.step.force_N.z, std::hypot(w.step.force_N.x, w.step.force_N.y), vec3_length(w.step.torque_N_m),
            G / scene.batch.bodies[1].inverse_mass};
}

class Standing : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
  protected:
    uint32_t base = std::get<0>(GetParam()), top = std::get<1>(GetParam());
};

// In the middle, where the faces' forces carry the weight nothing else moves it: it stays, without freezing.
TEST_P(Standing, StaysWhereTheForceIsTheWeight) {
    double low = -1e-4, high = 0;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        const Load at = load(standing(base, top, middle, 0));
        (at.up > at.weight ? low : high) = middle;
    }
    const Load at = load(standing(base, top, low, 0));
    EXPECT_NEAR(at.up / at.weight, 1, 1e-9);
    EXPECT_LE(at.across / at.weight, 1e-9);
    EXPECT_LE(at.torque / (at.weight * 0.1), 1e-9);
    SceneBuilder b = standing(base, top, low, 0);
    b.scene.no_freeze = 1;
    b.scene.end_s = 0.02;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.x, ran.batch.states[1].position_m.x, 1e-9);
    EXPECT_NEAR(ran.state(1).position_m.z, ran.batch.states[1].position_m.z, 1e-9);
    EXPECT_LE(speed(ran, 1), 1e-9);
}

// Dropped from a little above, 1e-5 m, it comes to rest where it was let go: to a tenth of that. On a cone, where only
// some of the points of the larger disc below lie under it, it tilts by a few microradians.
TEST_P(Standing, ComesToRestOnItsFace) {
    SceneBuilder b = standing(base, top, 1e-5, 0.01);
    b.scene.end_s = 0.3;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
    EXPECT_GE(ran.progress().contacts_max, 4u);
    EXPECT_LE(ran.progress().evaluations, 2000u);
    EXPECT_LE(ran.progress().energy_drift, 1e-6);
    const double moved_m = base == SHAPE_CONE ? 1e-6 : 2e-7;
    EXPECT_NEAR(ran.state(1).position_m.x, 0.02, moved_m);
    EXPECT_NEAR(ran.state(1).position_m.y, 0.01, moved_m);
}

// Dropped on an edge or rim it tumbles onto a face and ends at rest. Discs wobble first, rolling on their rims without
// resistance: one of cone on cone takes 28,000 evaluations for that, the others 3,500 to 10,000.
TEST_P(Standing, ComesToRestFromATilt) {
    SceneBuilder b = standing(base, top, 0.02, 0.01);
    SceneBody &body = b.bodies.back();
    body.rotation.kind = ROTATION_AXIS_ANGLE;
    body.rotation.value[0] = 1;
    body.rotation.value[1] = 0.3;
    body.rotation.value[3] = 0.1;
    b.scene.end_s = 1;
    b.scene.until_rest = 1;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
    EXPECT_LE(ran.progress().energy_drift, 1e-5);
    EXPECT_LE(ran.progress().evaluations, base == SHAPE_CONE && top == SHAPE_CONE ? 30000u : 20000u);
    EXPECT_GE(ran.state(1).position_m.z, 0) << "it fell off";
}

INSTANTIATE_TEST_SUITE_P(Kinds, Standing, testing::Combine(testing::ValuesIn(STANDING), testing::ValuesIn(STANDING)),
                         [](const auto &kinds) {
                             return std::string(NAMES[std::get<1>(kinds.param)]) + "_on_" +
                                    NAMES[std::get<0>(kinds.param)];
                         });

// With one contact it stands on the middle of what touches: the point moves with the tilt, which turns it back.
TEST_P(Standing, StandsOnOneContact) {
    SceneBuilder b = standing(base, top, 1e-5, 0.01);
    b.scene.single_contact = 1;
    b.scene.end_s = 0.3;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.progress().contacts_max, 1u);
    EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
    EXPECT_LE(ran.progress().evaluations, 3000u);
    EXPECT_LE(ran.progress().energy_drift, 1e-5);
    EXPECT_NEAR(ran.state(1).position_m.x, 0.02, 2e-7);
    EXPECT_NEAR(ran.state(1).position_m.y, 0.01, 2e-7);
}

// --- lying ----------------------------------------------------------------------------------------------

// A long solid along x, 0.1 m thick; returns the height of its middle above what it lies on.
double add_lying(SceneBuilder &b, uint32_t kind, double length) {
    if (kind == SHAPE_CONE) return b.shape(kind, {0.1, length, 0.1 * (1 - 1e-9), 0}).axis = 0, 0.05;
    b.shape(kind, {0.1, length, 0, 0}).axis = 0;
    return 0.05;
}

// Two fixed logs side by side and a third in the valley between them, its middle off theirs.
SceneBuilder valley(uint32_t base, uint32_t top, double above) {
    SceneBuilder b = one_material(0.2, 0.3);
    const double half = 0.06; // between the middles of the two
    for (double y : {-half, half}) {
        b.body("log", true, {0, y, 0});
        add_lying(b, base, 0.4);
    }
    b.body("top", false, {0.03, 0, std::sqrt(0.1 * 0.1 - half * half) + above});
    add_lying(b, top, 0.3);
    return b;
}

// Side by side, two contacts for each pair of logs, at the ends of what they have in common.
TEST(Lying, LogsRestInTheValleyBetweenTwo) {
    for (uint32_t base : {SHAPE_CAPSULE, SHAPE_CYLINDER})
        for (uint32_t top : {SHAPE_CAPSULE, SHAPE_CYLINDER}) {
            SceneBuilder b = valley(base, top, 1e-5);
            b.scene.end_s = 0.5;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK) << NAMES[top] << " on " << NAMES[base];
            EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
            EXPECT_GE(ran.progress().contacts_max, 4u);
            EXPECT_LE(ran.progress().energy_drift, 1e-5);
            EXPECT_NEAR(ran.state(2).position_m.x, 0.03, 1e-6) << NAMES[top] << " on " << NAMES[base];
            EXPECT_NEAR(ran.state(2).position_m.y, 0, 1e-6);
            EXPECT_LE(ran.progress().evaluations, 20000u);
        }
}

// A log on a box or a half-space lies still.
TEST(Lying, LogsRestOnATable) {
    for (uint32_t kind : {SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_CONE}) {
        SceneBuilder b = one_material(0.2, 0.3);
        b.body("table", true, {0, 0, -0.1});
        b.shape(SHAPE_BOX, {1, 1, 0.2, 0});
        b.body("log", false, {0.1, 0.05, 0});
        b.bodies.back().position_m[2] = add_lying(b, kind, 0.3) + 1e-5;
        b.scene.end_s = 0.5;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK) << NAMES[kind];
        EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u) << NAMES[kind];
        EXPECT_GE(ran.progress().contacts_max, 2u);
        EXPECT_LE(ran.progress().energy_drift, 1e-5);
        EXPECT_NEAR(ran.state(1).position_m.x, ran.batch.states[1].position_m.x, 1e-5);
    }
}

// A line of contact that ends at neither corners nor rims has one contact, in its middle: a log or beam across a narrow
// box, a can that stands out over a table's edge by less than it takes to tip.
TEST(Lying, AcrossWhatIsNarrower) {
    struct Case {
        const char *name;
        uint32_t kind;
        std::array<double, 4> size;
        double x, z, width;
        uint32_t axis;
    };
    const Case cases[] = {{"log", SHAPE_CYLINDER, {0.1, 0.5, 0, 0}, 0.01, 0.05, 0.1, 0},
                          {"beam", SHAPE_BEAM, {0.5, 0.05, 0.05, 0}, 0.01, 0.025, 0.1, 0},
                          {"can", SHAPE_CYLINDER, {0.2, 0.1, 0, 0}, 0.46, 0.05, 1, 2}};
    for (const Case &one : cases) {
        SceneBuilder b = one_material(0.3, 0.4);
        b.body("table", true, {0, 0, -0.05});
        b.shape(SHAPE_BOX, {one.width, 1, 0.1, 0});
        b.body(one.name, false, {one.x, 0, one.z + 1e-5});
        b.shape(one.kind, one.size).axis = one.axis;
        b.scene.end_s = 0.5;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK) << one.name;
        EXPECT_LE(ran.progress().evaluations, 50000u) << one.name;
        EXPECT_NEAR(ran.state(1).position_m.x, one.x, 1e-4) << one.name;
        EXPECT_NEAR(ran.state(1).position_m.z, one.z, 1e-5) << one.name;
    }
}

// --- hulls ----------------------------------------------------------------------------------------------

const SceneHull *prism(int sides, double radius, double height) {
    std::vector<std::array<double, 3>> points;
    for (int k = 0; k < 2 * sides; k++) {
        const double turn = 2 * M_PI * (k / 2) / sides;
        points.push_back({radius * std::cos(turn), radius * std::sin(turn), k % 2 ? height / 2 : -height / 2});
    }
    return shared_hull(points, 1e-3);
}

// Prisms of three to 32 sides on each other, turned and off their middles, carried by corners and where edges cross.
TEST(Prisms, RestOnEachOther) {
    for (int below : {3, 5, 32})
        for (int above : {3, 6, 32}) {
            SceneBuilder b = one_material(0.3, 0.4);
            b.body("below", true, {0, 0, -0.05});
            b.hull(prism(below, 0.1, 0.1));
            SceneBody &body = b.body("above", false, {0.02, 0.01, 0.04 + 1e-5});
            body.rotation.kind = ROTATION_AXIS_ANGLE;
            body.rotation.value[2] = 1;
            body.rotation.value[3] = 0.3;
            b.hull(prism(above, 0.1, 0.08));
            b.scene.end_s = 0.3;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK) << above << " on " << below;
            EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u) << above << " on " << below;
            EXPECT_LE(ran.progress().energy_drift, 1e-6);
            EXPECT_NEAR(ran.state(1).position_m.x, 0.02, 1e-5) << above << " on " << below; // a few depths
            EXPECT_NEAR(ran.state(1).position_m.z, 0.04, 1e-5);
            EXPECT_LE(ran.progress().evaluations, 5000u) << above << " on " << below;
        }
}

// Two equal crates that cross at right angles: all that carries is edges, as of boxes.
TEST(Prisms, CratesCrossed) {
    double height[2];
    for (int is_hull = 0; is_hull < 2; is_hull++) {
        SceneBuilder b = one_material(0.3, 0.4);
        auto add = [&](double x, double y) {
            if (is_hull)
                b.hull(crate(x, y, 0.1));
            else
                b.shape(SHAPE_BOX, {x, y, 0.1, 0});
            b.shapes.back().contact_radius_m = 0.01;
        };
        b.body("below", true, {0, 0, 0});
        add(0.4, 0.1);
        b.body("above", false, {0.01, 0.01, 0.1 + 1e-5});
        add(0.1, 0.4);
        b.scene.end_s = 0.3;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(ran.progress().contacts_max, 4u);
        EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
        height[is_hull] = ran.state(1).position_m.z;
    }
    EXPECT_LT(height[0], 0.1);
    EXPECT_NEAR(height[0], height[1], 1e-10);
}

// --- stacks and pushes ----------------------------------------------------------------------------------

// They stand.
TEST(Stack, OfFiveStands) {
    for (uint32_t kind : {SHAPE_BOX, SHAPE_CYLINDER, SHAPE_BEAM, SHAPE_HULL}) {
        SceneBuilder b = stack(kind, 1e-6);
        b.scene.end_s = 0.5;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_GE(ran.events_of_kind(EVENT_REST).size(), 1u);
        EXPECT_LE(ran.progress().energy_drift, 1e-6);
        for (uint32_t k = 0; k < 5; k++) {
            EXPECT_NEAR(ran.state(k + 1).position_m.x, 0.002 * k, 1e-5) << NAMES[kind] << k;
            EXPECT_LE(speed(ran, k + 1), 1e-9);
        }
    }
}

// Pushed over the edge of a table: as long as its middle is on it, it slides and stops; beyond, it tips and falls.
TEST(Push, OverTheEdgeOfATable) {
    for (uint32_t kind : {SHAPE_BOX, SHAPE_CYLINDER, SHAPE_BEAM, SHAPE_HULL})
        for (double push : {0.5, 1.5}) {
            if (push > 1 && kind != SHAPE_BOX && kind != SHAPE_HULL) continue;
            SceneBuilder b = one_material(0.3, 0.4);
            b.body("table", true, {0, 0, -0.1});
            b.shape(SHAPE_BOX, {1, 1, 0.2, 0});
            b.body("one", false, {0.4, 0, 0});
            const double height = add_standing(b, kind, 0.12);
            b.bodies.back().position_m[2] = height / 2;
            b.bodies.back().velocity_m_per_s[0] = push;
            b.scene.end_s = 0.6;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK) << NAMES[kind] << push;
            const Vec3 end = ran.state(1).position_m;
            if (push < 1) {
                EXPECT_NEAR(end.x, 0.4 + push * push / (2 * 0.4 * G), 2e-3) << NAMES[kind];
                EXPECT_NEAR(end.z, height / 2, 1e-5);
            } else {
                EXPECT_LT(end.z, -0.2) << NAMES[kind];
            }
            EXPECT_LE(ran.progress().energy_drift, 1e-5) << NAMES[kind];
        }
}

} // namespace
