// Solids that stand and lie on each other: at rest, the force is the weight; stacks stand, a push over an edge
// tips.
#include "kernel_scene.h"

namespace {

const double G = 9.81;

SceneBuilder one_material(double restitution, double friction) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, restitution, friction);
    return b;
}

// The hull of a box's corners, its edges as round as a box's are.
const SceneHull *crate(double x, double y, double z) {
    std::vector<std::array<double, 3>> points;
    for (int k = 0; k < 8; k++) points.push_back({k & 1 ? x / 2 : -x / 2, k & 2 ? y / 2 : -y / 2, k & 4 ? z / 2 : -z / 2});
    return shared_hull(points, 1e-3);
}

// A solid whose flat faces look up and down; returns its height, with the middle at the body's origin.
double add_standing(SceneBuilder &b, uint32_t kind, double width) {
    const double height = 0.6 * width;
    if (kind == SHAPE_BOX) b.shape(kind, {width, 0.8 * width, height, 0});
    if (kind == SHAPE_CYLINDER) b.shape(kind, {width, height, 0, 0});
    if (kind == SHAPE_CONE) {
        b.shape(kind, {width, height, 0.6 * width, 0});
        b.shapes.back().position_m[2] = -height / 2;
    }
    if (kind == SHAPE_BEAM) b.shape(kind, {0.6 * width, 0.5 * width, height, 0}).axis = 0;
    if (kind == SHAPE_HULL) b.hull(crate(width, 0.8 * width, height));
    return height;
}

const uint32_t STANDING[] = {SHAPE_BOX, SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM, SHAPE_HULL};
const char *const NAMES[] = {"", "sphere", "box", "capsule", "", "", "cylinder", "cone", "beam", "hull"};

// A body 0.2 m wide on a fixed one 0.5 m wide, `above` the touch of their faces, off its middle by `aside`.
SceneBuilder standing(uint32_t base, uint32_t top, double above, double aside) {
    SceneBuilder b = one_material(0.3, 0.4);
    b.body("base", true, {0, 0, 0});
    const double low = add_standing(b, base, 0.5);
    b.body("top", false, {2 * aside, aside, 0});
    const double high = add_standing(b, top, 0.2);
    b.bodies.back().position_m[2] = (low + high) / 2 + above;
    return b;
}

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
    for (size_t k = 0; k < scene.works.size(); k++) scene.works[k].trial = scene.states[k];
    contact_evaluate_all(&scene.view);
    const BodyWork &w = scene.works[1];
    return {w.force_N.z, std::hypot(w.force_N.x, w.force_N.y), vec3_length(w.torque_N_m), G / scene.batch.bodies[1].inverse_mass};
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
    EXPECT_LE(speed(ran, 1), 1e-7);
}

// Dropped from a little above it comes to rest, and what carries it is the weight.
TEST_P(Standing, ComesToRestOnItsFace) {
    SceneBuilder b = standing(base, top, 1e-5, 0.01);
    b.scene.end_s = 0.3;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
    EXPECT_GE(ran.progress().contacts_max, 4u);
    EXPECT_LE(ran.progress().evaluations, 2000u);
    EXPECT_LE(ran.progress().energy_drift, 1e-6);
    EXPECT_NEAR(ran.state(1).position_m.x, 0.02, 2e-7);
    EXPECT_NEAR(ran.state(1).position_m.y, 0.01, 2e-7);
}

// Dropped on an edge or rim it tumbles onto a face and ends at rest.
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
    EXPECT_LE(ran.progress().evaluations, 20000u);
    EXPECT_GE(ran.state(1).position_m.z, 0) << "it fell off";
}

INSTANTIATE_TEST_SUITE_P(Kinds, Standing, testing::Combine(testing::ValuesIn(STANDING), testing::ValuesIn(STANDING)),
                         [](const auto &kinds) {
                             return std::string(NAMES[std::get<1>(kinds.param)]) + "_on_" + NAMES[std::get<0>(kinds.param)];
                         });

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
            if (is_hull) b.hull(crate(x, y, 0.1));
            else b.shape(SHAPE_BOX, {x, y, 0.1, 0});
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

// Five on top of each other, not quite in line.
SceneBuilder stack(uint32_t kind, double apart) {
    SceneBuilder b = one_material(0.3, 0.5);
    b.ground();
    double at = 0;
    for (int k = 0; k < 5; k++) {
        b.body("one", false, {0.002 * k, -0.001 * k, 0});
        const double height = add_standing(b, kind, 0.2);
        b.bodies.back().position_m[2] = at + height / 2 + apart;
        at += height + apart;
    }
    return b;
}

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

// --- forces in the pose ---------------------------------------------------------------------------------

// Forces and torques on all free bodies at their given poses, over the weight of one (and 0.1 m).
std::vector<double> loads(SceneBuilder b) {
    KernelScene scene(b);
    for (size_t k = 0; k < scene.works.size(); k++) scene.works[k].trial = scene.states[k];
    contact_evaluate_all(&scene.view);
    std::vector<double> all;
    for (size_t k = 0; k < scene.works.size(); k++) {
        if (scene.batch.bodies[k].flags & BODY_FIXED) continue;
        const BodyWork &w = scene.works[k];
        const double share = scene.batch.bodies[k].inverse_mass / G;
        for (double f : {w.force_N.x, w.force_N.y, w.force_N.z}) all.push_back(f * share);
        for (double t : {w.torque_N_m.x, w.torque_N_m.y, w.torque_N_m.z}) all.push_back(t * share / 0.1);
    }
    return all;
}

struct Way {
    const char *name;
    double from[3], to[3]; // m, m, rad about the vertical
};

// Along a way of the body `moved`, in 200 parts of which each is halved down to a step into the half that changes more: the
// largest change of any load over a step.
double worst_change(const SceneBuilder &start, size_t moved, const Way &way, double step) {
    double length = 0;
    for (int q = 0; q < 3; q++) length = std::max(length, std::fabs(way.to[q] - way.from[q]));
    auto at = [&](double t) {
        SceneBuilder b = start;
        SceneBody &body = b.bodies[moved];
        for (int q = 0; q < 2; q++) body.position_m[q] = way.from[q] + t * (way.to[q] - way.from[q]);
        body.rotation.kind = ROTATION_AXIS_ANGLE;
        body.rotation.value[0] = body.rotation.value[1] = 0;
        body.rotation.value[2] = 1;
        body.rotation.value[3] = way.from[2] + t * (way.to[2] - way.from[2]);
        return loads(b);
    };
    auto change = [](const std::vector<double> &before, const std::vector<double> &after) {
        double most = 0;
        for (size_t k = 0; k < before.size(); k++) most = std::max(most, std::fabs(after[k] - before[k]));
        return most;
    };
    const int PARTS = 200;
    double worst = 0;
    std::vector<double> next = at(0);
    EXPECT_GT(*std::max_element(next.begin(), next.end()), 0.1) << way.name << ": nothing bears what is moved";
    for (int i = 0; i < PARTS; i++) {
        std::vector<double> low = next, high = at((i + 1.0) / PARTS);
        next = high;
        double from = double(i) / PARTS, width = 1.0 / PARTS;
        while (width * length > step && change(low, high) > worst) {
            width /= 2;
            const std::vector<double> middle = at(from + width);
            if (change(low, middle) > change(middle, high)) high = middle;
            else low = middle, from += width;
        }
        worst = std::max(worst, width * length > step ? 0 : change(low, high));
    }
    return worst;
}

// Steps of 1e-5 in the pose change no load by more than 1e-3 of the weight while what stands stays on what it stands on,
// alone or in a stack. Where a corner passes an edge, others take over within a length like the overlap, a micrometre and
// a half of steel: that too is no jump, as steps of 1e-11 show.
TEST(ForcesInThePose, HaveNoJumps) {
    const Way inside[] = {{"slid", {-0.05, 0.01, 0.3}, {0.05, 0.02, 0.3}}, {"turned", {0.02, 0.01, -0.1}, {0.02, 0.01, 0.9}}};
    const Way over[] = {{"over an edge", {0.13, 0, 0}, {0.25, 0, 0}},
                        {"over an edge, turned", {0.1, 0.02, 0.3}, {0.25, 0.02, 0.3}},
                        {"over a corner", {0.1, 0.1, 0.4}, {0.22, 0.18, 0.4}}};
    const double depth = -1.5e-6; // of steel at rest
    double worst_inside = 0, worst_over = 0, worst_coarse = 0, of_stack = 0;
    for (uint32_t base : {uint32_t(SHAPE_HALF_SPACE), uint32_t(SHAPE_BOX), uint32_t(SHAPE_CYLINDER)})
        for (uint32_t top : {SHAPE_BOX, SHAPE_CYLINDER, SHAPE_HULL}) {
            SceneBuilder b = one_material(0.3, 0.4);
            if (base == SHAPE_HALF_SPACE) b.ground();
            else b.body("base", true, {0, 0, 0});
            const double low = base == SHAPE_HALF_SPACE ? 0 : add_standing(b, base, 0.5);
            b.body("top", false, {0, 0, 0});
            const double high = add_standing(b, top, 0.2);
            b.bodies.back().position_m[2] = (low + high) / 2 + depth;
            for (const Way &way : inside) {
                const double change = worst_change(b, 1, way, 1e-5);
                EXPECT_LE(change, 1e-3) << NAMES[top] << " on " << NAMES[base] << " " << way.name;
                worst_inside = std::max(worst_inside, change);
            }
            for (const Way &way : over) {
                if (base == SHAPE_HALF_SPACE) continue;
                const double change = worst_change(b, 1, way, 1e-11);
                EXPECT_LE(change, 1e-3) << NAMES[top] << " on " << NAMES[base] << " " << way.name;
                worst_over = std::max(worst_over, change);
                worst_coarse = std::max(worst_coarse, worst_change(b, 1, way, 1e-5));
            }
        }
    for (size_t moved = 1; moved <= 5; moved++) { // about where each stands
        const double x = 0.002 * double(moved - 1), y = -0.001 * double(moved - 1);
        for (const Way &way : {Way{"slid", {x - 5e-4, y, 0}, {x + 5e-4, y + 2e-4, 0}}, Way{"turned", {x, y, -1e-3}, {x, y, 1e-3}}}) {
            const double change = worst_change(stack(SHAPE_BOX, depth), moved, way, 1e-5);
            EXPECT_LE(change, 1e-3) << "in a stack " << moved << " " << way.name;
            of_stack = std::max(of_stack, change);
        }
    }
    std::printf("of the weight: inside %.1e, stack %.1e for each 1e-5; over edges %.1e, for each 1e-11 %.1e\n", worst_inside, of_stack,
                worst_coarse, worst_over);
}

// What has come to rest without being frozen is carried by its weight to 1e-9, each body of a stack too.
TEST(ForcesInThePose, AtRestAreTheWeight) {
    std::vector<std::pair<std::string, SceneBuilder>> scenes;
    for (uint32_t top : STANDING) {
        SceneBuilder b = one_material(0.3, 0.4);
        b.ground();
        b.body("top", false, {0, 0, 0});
        b.bodies.back().position_m[2] = add_standing(b, top, 0.2) / 2 + 1e-6;
        scenes.emplace_back(std::string(NAMES[top]) + " on the ground", b);
        scenes.emplace_back(std::string(NAMES[top]) + " on a box", standing(SHAPE_BOX, top, 1e-6, 0.01));
    }
    scenes.emplace_back("stack", stack(SHAPE_BOX, 1e-7));
    SceneBuilder table = standing(SHAPE_BOX, SHAPE_BOX, 1e-6, 0);
    table.bodies.back().position_m[0] = 0.2; // 0.05 m of 0.2 m beyond the edge
    scenes.emplace_back("over the edge of a table", table);
    for (auto &[name, b] : scenes) {
        b.scene.no_freeze = 1;
        b.scene.end_s = 1;
        KernelScene k(b);
        while (k.progress.status == STATUS_RUNNING && !advance_stops(&k.view, &k.progress)) {
            k.progress.event_count = 0; // nobody reads them
            advance_pass(&k.view, &k.progress);
        }
        ASSERT_EQ(k.progress.status, STATUS_OK) << name;
        for (size_t i = 0; i < k.works.size(); i++) k.works[i].trial = k.states[i];
        contact_evaluate_all(&k.view);
        for (size_t i = 0; i < k.works.size(); i++) {
            if (k.batch.bodies[i].flags & BODY_FIXED) continue;
            const Vec3 force = vec3_scale(k.works[i].force_N, k.batch.bodies[i].inverse_mass / G);
            EXPECT_NEAR(force.z, 1, 1e-9) << name << i;
            EXPECT_LE(std::hypot(force.x, force.y), 1e-9) << name << i;
        }
    }
}

} // namespace
