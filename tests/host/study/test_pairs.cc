// Observer pairs, collision groups and gravity towards a point as a study gives them.
#include <algorithm>

#include "study_text.h"

namespace {

// A ground of steel, balls a, b, c of 0.2 m at their own places, and `more` in the scene.
std::string balls(const std::string &more) {
    return "format: 1\nscene:\n" + more +
           "  bodies:\n"
           "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
           "    a: {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [0, 0, 1]}\n"
           "    b: {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [0, 0, 1.5]}\n"
           "    c: {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [0, 0, 2]}\n"
           "solver: {end: 0.5}\n";
}

// "1-0" for ground and a, and so on, of all begins.
std::string pairs_met(const Ran &ran) {
    std::string met;
    for (const Event &event : ran.events_of_kind(EVENT_BEGIN)) {
        const std::string pair = std::to_string(event.body_a) + "-" + std::to_string(event.body_b) + " ";
        if (met.find(pair) == std::string::npos) met += pair;
    }
    return met;
}

// --- groups ---------------------------------------------------------------------------------------

TEST(Groups, WhoIgnoresWhom) {
    const std::pair<const char *, const char *> cases[] = {
        {"", "0-1 1-2 "},
        {"  ignore: [[a, ground]]\n", ""}, // all fall alike
        {"  ignore: [[ground, a]]\n", ""},
        {"  ignore: [[a, b]]\n", "0-1 "}, // b falls through a as a bounces
        {"  groups: {all: [a, b, c]}\n  ignore: [[all, all]]\n", "0-1 "},
        {"  groups: {all: [a, b, c]}\n  ignore: [[all, all], [ground, a]]\n", ""},
        {"  groups: {low: [a, ground], high: [b, c]}\n  ignore: [[low, high]]\n", "0-1 "},
        {"  groups: {low: [a, b]}\n  ignore: [[low, low], [c, low]]\n", "0-1 "}};
    for (const auto &[text, wanted] : cases) {
        StudyText study(balls(text));
        ASSERT_TRUE(study.is_ok()) << text << study.lines[0];
        Ran ran = study.run();
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(pairs_met(ran), wanted) << text;
    }
}

// A body in two groups ignores what either does.
TEST(Groups, ABodyMayBeInSeveral) {
    StudyText study(balls("  groups: {one: [a, b], two: [b, c]}\n"
                          "  ignore: [[one, ground], [two, a]]\n"));
    ASSERT_TRUE(study.is_ok());
    const SceneDescription &s = study.scene;
    EXPECT_FALSE(scene_may_touch(&s, 0, 1));
    EXPECT_FALSE(scene_may_touch(&s, 0, 2));
    EXPECT_TRUE(scene_may_touch(&s, 0, 3));
    EXPECT_FALSE(scene_may_touch(&s, 1, 2));
    EXPECT_FALSE(scene_may_touch(&s, 1, 3));
    EXPECT_TRUE(scene_may_touch(&s, 2, 3));
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++)
            EXPECT_EQ(scene_may_touch(&s, a, b), a == b && a == 0 ? 0 : scene_may_touch(&s, b, a));
}

// No row of scene.pairs and no room is needed for what never touches.
TEST(Groups, PairsThatAreIgnoredNeedNoConstants) {
    const std::string ball = "format: 1\nscene:\n%s  bodies:\n"
                             "    table: {fixed: true, material: aluminium, shapes: [{half_space: "
                             "{}}]}\n    ball: {material: steel, shapes: [{sphere: {diameter: "
                             "0.2}}], position: [0, 0, 1]}\nsolver: {end: 1}\n";
    const auto with = [&ball](const std::string &more) {
        std::string text = ball;
        return text.replace(text.find("%s"), 2, more);
    };
    StudyText without(with("")), ignoring(with("  ignore: [[table, ball]]\n"));
    EXPECT_EQ(without.study, nullptr);
    ASSERT_EQ(without.lines.size(), 1u);
    ASSERT_TRUE(ignoring.is_ok());
    EXPECT_EQ(ignoring.scene.pair_count, 0u);
    EXPECT_EQ(stage_capacities(&ignoring.scene).candidates, 0u);
    EXPECT_NEAR(ignoring.run().state(1).position_m.z, 1 - 9.81 / 2, 1e-12);
}

TEST(Groups, MistakesAreToldWithTheirPlaces) {
    StudyText study(balls("  groups:\n"
                          "    stack: [a, bb, a]\n"
                          "    c: [b]\n"
                          "    more: a\n"
                          "  ignore:\n"
                          "    - [stak, ground]\n"
                          "    - [a, a]\n"
                          "    - [a]\n"
                          "    - [nowhere, b]\n"));
    const Lines wanted = {
        R"(:4:16: scene.groups.stack[1]: unknown body "bb", did you mean "b"?)",
        R"(:4:20: scene.groups.stack[2]: expected each body once, found "a" twice)",
        R"(:5:8: scene.groups.c: expected a name that no body has, found "c")",
        R"(:6:11: scene.groups.more: expected a list of bodies, found "a")",
        R"(:8:8: scene.ignore[0][0]: unknown body or group "stak", did you mean "stack"?)",
        R"(:9:7: scene.ignore[1]: expected 2 different bodies, found "a" twice)",
        R"(:10:7: scene.ignore[2]: expected a list of 2 names of bodies or groups, found a list of 1)",
        R"(:11:8: scene.ignore[3][0]: unknown body or group "nowhere")"};
    EXPECT_EQ(study.lines, wanted);
}

TEST(Groups, AtMost32NamesStandInIgnore) {
    for (int count : {32, 33}) {
        std::string text = "format: 1\nscene:\n  bodies:\n", pairs = "  ignore: [";
        for (int i = 0; i < count; i++) {
            const std::string name = "b" + std::to_string(i);
            text += "    " + name + ": {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [" +
                    std::to_string(i) + ", 0, 0]}\n";
            pairs += (i > 0 ? ", [b0, " : "[b1, ") + name + "]";
        }
        StudyText study(text + pairs + "]\nsolver: {end: 1}\n");
        EXPECT_EQ(study.is_ok(), count == 32);
        if (count == 33) {
            ASSERT_EQ(study.lines.size(), 1u);
            EXPECT_NE(study.lines[0].find("at most 32 different names in all, found \"b32\" too"), std::string::npos);
        } else {
            EXPECT_FALSE(scene_may_touch(&study.scene, 0, 31));
            EXPECT_TRUE(scene_may_touch(&study.scene, 30, 31));
        }
    }
}

// --- observer pairs -------------------------------------------------------------------------------

TEST(ObserverStudy, RowsOfThePaletteAndOfAStudy) {
    StudyText study("format: 1\nscene:\n  materials: {glass: {young: 7e10, poisson: 0.2, density: 2500}}\n"
                    "  pairs:\n    - {between: [steel, steel], response: observer}\n"
                    "  bodies:\n"
                    "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
                    "    eye: {fixed: true, material: observer, shapes: [{sphere: {diameter: 1}}]}\n"
                    "    ball: {material: steel, shapes: [{sphere: {diameter: 0.2}}]}\n"
                    "    pane: {material: glass, shapes: [{sphere: {diameter: 0.2}}]}\n"
                    "solver: {end: 1}\n");
    // Glass has no row, but is an observer of what is one with itself: the floor, the eye.
    ASSERT_TRUE(study.is_ok()) << study.lines[0];
    EXPECT_EQ(study.scene.pair_count, 4u);
    for (uint32_t i = 0; i < study.scene.pair_count; i++) EXPECT_EQ(study.scene.pairs[i].is_observer, 1u);
}

TEST(ObserverStudy, MistakesAreToldWithTheirPlaces) {
    StudyText study(balls("  pairs:\n"
                          "    - {between: [steel, steel], response: observer, friction: 0.1}\n"
                          "    - {between: [steel, dry_wood], response: watcher, restitution: 1, "
                          "friction: 0}\n"
                          "    - {between: [observer, observer], response: elastic, friction: 0}\n"
                          "    - {between: [dry_wood, observer], response: observer, damping: none}\n"
                          "    - {between: [observer, aluminium], response: elastic}\n"));
    const Lines wanted = {
        R"(:4:63: scene.pairs[0].friction: expected no constants of a contact on an observer's pair, found "friction")",
        R"(:5:46: scene.pairs[1].response: expected elastic or observer, found "watcher")",
        R"(:6:7: scene.pairs[2]: expected the key "restitution" (a number from 0 to 1), found none)",
        R"(:7:68: scene.pairs[3].damping: expected no constants of a contact on an observer's pair, found "damping")",
        R"(:8:7: scene.pairs[4]: expected the key "friction" (a number >= 0), found none)"
        R"(, and one of the two has no row with itself to take a mean)",
        R"(:8:7: scene.pairs[4]: expected the key "restitution" (a number from 0 to 1), found none)"
        R"(, and one of the two has no row with itself to take a mean)"};
    Lines found = study.lines;
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, wanted);
}

TEST(ObserverStudy, AFreeBodyOfTheObserversDensityNeedsAMass) {
    for (const char *mass : {"", ", mass: 2", ", mass: {mass: 2, inertia: [1, 1, 1]}"}) {
        StudyText study("format: 1\nscene:\n  bodies:\n    eye: {material: observer, shapes: "
                        "[{sphere: {diameter: 1}}]" +
                        std::string(mass) + "}\nsolver: {end: 1}\n");
        EXPECT_EQ(study.is_ok(), std::string(mass).find("inertia") != std::string::npos);
        if (study.is_ok()) continue;
        const Lines wanted = {R"(:4:10: scene.bodies.eye: expected a density > 0 of some shape, or )"
                              R"(mass: {mass, inertia}, on a free body, found neither)"};
        EXPECT_EQ(study.lines, wanted);
    }
}

TEST(ObserverStudy, QuantitiesOfAGate) {
    StudyText study(balls("").substr(0, balls("").find("    a:")) +
                    "    gate: {fixed: true, material: observer, shapes: [{box: {lengths: [1, 1, "
                    "0.002]}}], position: [0, 0, 0.3]}\n"
                    "    ball: {material: steel, shapes: [{sphere: {diameter: 0.02}}], position: [0, 0, "
                    "1]}\n"
                    "solver: {end: 0.8}\n"
                    "outputs:\n  quantities:\n"
                    "    count: {count: contact_begin, between: [gate, ball]}\n"
                    "    down: {time_of: contact_begin, between: [gate, ball]}\n"
                    "    up: {time_of: contact_end, n: 2, of: gate}\n"
                    "    speed: {speed_of: contact_begin, of: gate}\n"
                    "    overlap: {max: ball.overlap}\n"
                    "    depth: {max: gate.penetration}\n"
                    "    highest: {max: ball.position.z, after: first_contact_end}\n");
    ASSERT_TRUE(study.is_ok()) << study.lines[0];
    Ran ran = study.run();
    std::vector<double> values(study.study->quantity_count);
    quantity_evaluate(study.study, &ran.batch, &ran.result, nullptr, values.data(), nullptr);
    const double down = std::sqrt(2 * (0.7 - 0.011) / 9.81);
    EXPECT_EQ(values[0], 2); // down, and up after the bounce
    EXPECT_NEAR(values[1], down, 1e-12);
    EXPECT_GT(values[2], std::sqrt(2 * 0.99 / 9.81));
    EXPECT_NEAR(values[3], 9.81 * down, 1e-10);
    EXPECT_NEAR(values[4], 0.011, 1e-8);
    EXPECT_EQ(values[5], 0);
    EXPECT_LT(values[6], 0.6); // the contact with the gate does not count as the first
    EXPECT_GT(values[6], 0.4);
}

// --- gravity --------------------------------------------------------------------------------------

TEST(GravityStudy, APointsNumbersMayVary) {
    StudyText study(balls("  gravity: {point: {strength: {uniform: [3, 4]}, centre: [0, {uniform: [1, 2]}, "
                          "-5]}}\n") +
                    "design: {monte_carlo: {samples: 4}}\n");
    ASSERT_TRUE(study.is_ok()) << study.lines[0];
    EXPECT_EQ(study.study->parameter_count, 2u);
    EXPECT_STREQ(study.study->parameters[0].name, "scene.gravity.point.strength");
    const SceneDescription &s = study.scene;
    EXPECT_EQ(s.has_point_gravity, 1u);
    EXPECT_TRUE(s.gravity_strength_m3_per_s2 > 3 && s.gravity_strength_m3_per_s2 < 4);
    EXPECT_TRUE(s.gravity_centre_m[1] > 1 && s.gravity_centre_m[1] < 2);
    EXPECT_EQ(s.gravity_centre_m[2], -5);
    for (double g : s.gravity_m_per_s2) EXPECT_EQ(g, 0);
}

TEST(GravityStudy, MistakesAreToldWithTheirPlaces) {
    const std::pair<const char *, Lines> cases[] = {
        {"  gravity: {point: {centre: [0, 0]}}\n",
         {R"(:3:20: scene.gravity.point: expected the key "strength" (a number >= 0, in m^3/s^2), found none)",
          R"(:3:29: scene.gravity.point.centre: expected a list of 3 numbers, found a list of 2)"}},
        {"  gravity: {point: {strength: -1, center: [0, 0, 0]}}\n",
         {R"(:3:31: scene.gravity.point.strength: expected a number >= 0, found -1)",
          R"(:3:35: scene.gravity.point: unknown key "center", did you mean "centre"?)"}},
        {"  gravity: {uniform: [0, 0, -1]}\n",
         {R"(:3:12: scene.gravity: expected the key "point" ({strength, centre}), found none)",
          R"(:3:13: scene.gravity: unknown key "uniform", expected point or unit_vector)"}},
        {"  gravity: 9.81\n",
         {R"(:3:12: scene.gravity: expected a list of 3 numbers, such as [0, 0, -9.81], )"
          R"(found 9.81: gravity is a vector)"}}};
    for (const auto &[text, wanted] : cases) EXPECT_EQ(StudyText(balls(text)).lines, wanted);
}

} // namespace
