// What `solver.method` takes of a study, `layer` of quasi-rigid bodies, `friction_ellipsoid`.
#include <cmath>

#include "content.h"
#include "study_reading.h"

namespace {

using Lines = std::vector<std::string>;

// A pair that holds keys of every method, and a solver.
std::string of_three(const std::string &method) {
    return "format: 1\n"
           "scene:\n"
           "  materials: {m: {young: 1e7, poisson: 0.3, density: 1000}}\n"
           "  pairs: [{between: [m, m], restitution: 0.5, friction: 0.2, region: {law: hertz}, layer: hertz}]\n"
           "  bodies:\n"
           "    floor: {fixed: true, material: m, shapes: [{half_space: {}}]}\n"
           "    ball: {material: m, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.05]}\n"
           "solver: {end: 1, accuracy: fast, until: rest, freeze: true" +
           method + "}\n";
}

// Studies that are run by several methods hold keys of each: silent, but where all are asked for.
TEST(StudyMethod, KeysOfOtherMethodsAreSilentButAskedFor) {
    for (const char *method : {"events", "rk4", "trapezoidal", "quasi_rigid"}) {
        const ReadResult result = read_text(of_three(std::string(", method: ") + method));
        expect_ok(result);
    }
    const std::string region = "@:4:70: scene.pairs[0].region: warning: has no effect but with \"method: trapezoidal\"",
                      layer = "@:4:91: scene.pairs[0].layer: warning: has no effect but with \"method: quasi_rigid\"";
    EXPECT_EQ(read_text(of_three(", method: events"), {}, true).lines, Lines({region, layer}));
    EXPECT_EQ(read_text(of_three(", method: trapezoidal"), {}, true).lines,
              Lines({layer, "@:8:41: solver.until: warning: has no effect with \"method: trapezoidal\"",
                     "@:8:55: solver.freeze: warning: has no effect with \"method: trapezoidal\""}));
    EXPECT_EQ(read_text(of_three(", method: quasi_rigid"), {}, true).lines,
              Lines({"@:4:42: scene.pairs[0].restitution: warning: has no effect with \"method: quasi_rigid\"", region,
                     "@:8:28: solver.accuracy: warning: has no effect with \"method: quasi_rigid\"",
                     "@:8:41: solver.until: warning: has no effect with \"method: quasi_rigid\"",
                     "@:8:55: solver.freeze: warning: has no effect with \"method: quasi_rigid\""}));
    // Where no method is named, one may have been forgotten.
    EXPECT_EQ(read_text(of_three("")).lines, Lines({region, layer}));
}

// Without contacts no step of `trapezoidal` depends on the accuracy.
TEST(StudyMethod, AccuracyWithoutContactsIsToldWhereAskedFor) {
    const std::string text = "format: 1\n"
                             "scene: {bodies: {a: {mass: {mass: 1, inertia: [1, 1, 1]}}}}\n"
                             "solver: {end: 1, accuracy: fast, method: trapezoidal}\n";
    EXPECT_EQ(read_text(text, {}, true).lines,
              Lines({"@:3:28: solver.accuracy: warning: has no effect with \"method: trapezoidal\""}));
}

TEST(StudyMethod, QuasiRigidStepsAreLongerByDefault) {
    EXPECT_EQ(read_text(of_three(", method: quasi_rigid")).study->scene.step_s, 0.01);
    EXPECT_EQ(read_text(of_three(", method: events")).study->scene.step_s, 1e-3);
}

std::string with_pair(const std::string &pair) {
    std::string text = of_three(", method: quasi_rigid");
    const std::string before = "restitution: 0.5, friction: 0.2, region: {law: hertz}, layer: hertz";
    return text.replace(text.find(before), before.size(), pair);
}

TEST(StudyMethod, ReadsLayers) {
    const ReadResult rigid = read_text(with_pair("friction: 0.2"));
    expect_ok(rigid);
    EXPECT_FALSE(rigid.study->scene.pairs[0].has_layer);
    EXPECT_EQ(rigid.study->scene.pairs[0].friction_ellipsoid[0], 1);
    EXPECT_EQ(rigid.study->scene.pairs[0].friction_ellipsoid[2], 0);
    EXPECT_FALSE(read_text(with_pair("friction: 0.2, layer: none")).study->scene.pairs[0].has_layer);
    const ReadResult hertz = read_text(with_pair("friction: 0.2, layer: hertz"));
    EXPECT_TRUE(hertz.study->scene.pairs[0].layer_is_hertz);
    EXPECT_TRUE(std::isinf(hertz.study->scene.pairs[0].layer_thickness_m));
    const ReadResult all = read_text(with_pair(
        "friction: 0.2, friction_ellipsoid: [1, 1, 0.1], layer: {stiffness: 1e4, damping: 200, thickness: 0.05, "
        "tangential_stiffness: 2e4, tangential_damping: 100}"));
    expect_ok(all);
    const ScenePair &pair = all.study->scene.pairs[0];
    EXPECT_TRUE(pair.has_layer);
    EXPECT_FALSE(pair.layer_is_hertz);
    EXPECT_EQ(pair.layer_stiffness_N_per_m, 1e4);
    EXPECT_EQ(pair.layer_damping_N_s_per_m, 200);
    EXPECT_EQ(pair.layer_thickness_m, 0.05);
    EXPECT_EQ(pair.layer_shear_stiffness_N_per_m, 2e4);
    EXPECT_EQ(pair.layer_shear_damping_N_s_per_m, 100);
    EXPECT_EQ(pair.friction_ellipsoid[2], 0.1);
    const ReadResult soft = read_text(with_pair("friction: 0.2, layer: {stiffness: hertz, thickness: 0.01}"));
    EXPECT_TRUE(soft.study->scene.pairs[0].layer_is_hertz);
    EXPECT_EQ(soft.study->scene.pairs[0].layer_thickness_m, 0.01);
}

std::string with_ellipsoid(const std::string &pair, const std::string &method) {
    return "format: 1\nscene:\n  materials: {wood: {young: 1e9, poisson: 0.3, density: 500}, ice: {young: 1e9, "
           "poisson: "
           "0.3, density: 900}}\n  pairs: [{between: [wood, ice], restitution: 0, friction: 0.2, " +
           pair +
           "}, {between: [wood, wood], restitution: 0, friction: 0.2}]\n  bodies:\n    rink: {fixed: true, material: "
           "ice, shapes: [{half_space: {}}]}\n    ball: {material: wood, shapes: [{sphere: {diameter: 1}}], position: "
           "[0, 0, 1]}\nsolver: {end: 1, method: " +
           method + "}\n";
}

const ScenePair &between_both(const ReadResult &read) {
    const SceneDescription &scene = read.study->scene;
    for (uint32_t p = 0; p < scene.pair_count; p++)
        if (scene.pairs[p].material_a != scene.pairs[p].material_b) return scene.pairs[p];
    return scene.pairs[0];
}

// Friction by direction and about the normal: what is read, by whom, and what builds of the kernels have to have.
TEST(StudyMethod, ReadsEllipsoidsOfFriction) {
    const std::string by_direction = "friction_ellipsoid: [1.5, 0.7, 0.1], friction_axis: [0, 3, 4]";
    for (const char *method : {"events", "rk4", "quasi_rigid"}) {
        const ReadResult all = read_text(with_ellipsoid(by_direction, method));
        expect_ok(all);
        const ScenePair &pair = between_both(all);
        EXPECT_TRUE(pair.has_ellipsoid && pair.has_friction_axis);
        EXPECT_EQ(pair.friction_ellipsoid[0], 1.5);
        EXPECT_EQ(pair.friction_ellipsoid[1], 0.7);
        EXPECT_EQ(pair.friction_ellipsoid[2], 0.1);
        EXPECT_EQ(pair.friction_axis[1], 3);
        EXPECT_STREQ(all.study->scene.materials[pair.axis_material].name, "wood");
        const Content content = content_of_study(all.study, PROGRAM_ADVANCE);
        EXPECT_EQ((content.flags & SCENE_ELLIPSOIDS) != 0, std::string(method) != "quasi_rigid");
        EXPECT_TRUE(content.holds & CONTENT_SOLIDS); // the axis turns with the ball
    }
    const ReadResult torsion = read_text(with_ellipsoid("friction_ellipsoid: [1, 1, 0.1]", "events"));
    EXPECT_TRUE(between_both(torsion).has_ellipsoid);
    const Content content = content_of_study(torsion.study, PROGRAM_ADVANCE);
    EXPECT_TRUE(content.flags & SCENE_ELLIPSOIDS);
    EXPECT_TRUE(content.holds & CONTENT_ISLANDS);
    EXPECT_FALSE(content.holds & CONTENT_SOLIDS);
    const ReadResult plain = read_text(with_ellipsoid("friction_ellipsoid: [1, 1, 0]", "events"));
    EXPECT_FALSE(between_both(plain).has_ellipsoid);
    EXPECT_EQ(content_of_study(plain.study, PROGRAM_ADVANCE).flags & SCENE_ELLIPSOIDS, 0u);
    // Drawn, it may be any.
    const std::string drawn = with_ellipsoid("friction_ellipsoid: [1, 1, {uniform: [0, 0.1]}]", "events") +
                              "design: {monte_carlo: {samples: 2}}\n";
    EXPECT_TRUE(between_both(read_text(drawn)).has_ellipsoid);
}

} // namespace
