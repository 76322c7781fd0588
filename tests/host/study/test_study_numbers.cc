// Numbers of studies: constants, variables and what is bound to them land where they should; words of the solver;
// aliases.
#include <cmath>

#include "sample.h"
#include "study_reading.h"

namespace {

TEST(Study, BindingsLandInTheRightNumbers) {
    const ReadResult result =
        read_text("format: 1\n"
                  "variables: {v: {uniform: [10, 11]}, unused: {uniform: [0, 1]}, c: 0.25}\n"
                  "solver: {end: {uniform: [20, 21]}, accuracy: {tolerance: 1e-3, steps: 5}}\n"
                  "scene:\n"
                  "  gravity: [0, {uniform: [30, 31]}, 0]\n"
                  "  materials: {clay: {young: 1e6, poisson: $c, density: {uniform: [40, 41]}}}\n"
                  "  pairs: [{between: [clay, steel], restitution: $c, friction: $v, d_max: {uniform: [50, "
                  "51]}}]\n"
                  "  bodies:\n"
                  "    wall: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 2], "
                  "offset: $v}}]}\n"
                  "    lump:\n"
                  "      material: clay\n"
                  "      shapes:\n"
                  "        - {sphere: {diameter: 1}, position: [0, 0, {uniform: [60, 61]}]}\n"
                  "        - {capsule: {diameter: 2, length: {uniform: [70, 71]}, axis: y},\n"
                  "           rotation: {axis: [0, 1, 0], angle: {uniform: [0.8, 0.9]}}, contact_radius: $v}\n"
                  "      velocity: [$v, 0, $v]\n"
                  "      mass: {mass: {uniform: [90, 91]}, com: [1, 2, 3], inertia: [4, 5, 6]}\n"
                  "design: {monte_carlo: {samples: 3}}\n");
    expect_ok(result);
    const Study &study = *result.study;
    const char *names[] = {"v",
                           "unused",
                           "solver.end",
                           "scene.gravity[1]",
                           "scene.materials.clay.density",
                           "scene.pairs[0].d_max",
                           "scene.bodies.lump.shapes[0].position[2]",
                           "scene.bodies.lump.shapes[1].capsule.length",
                           "scene.bodies.lump.shapes[1].rotation.angle",
                           "scene.bodies.lump.mass.mass"};
    ASSERT_EQ(study.parameter_count, 10u); // variables first, then by place in the file
    for (size_t i = 0; i < 10; i++) EXPECT_STREQ(study.parameters[i].name, names[i]);
    EXPECT_STREQ(study.parameters[0].text, "uniform(10, 11)");
    std::vector<double> values;
    for (int i = 0; i < 10; i++) values.push_back(1000 + i);
    SceneDescription scene;
    ASSERT_EQ(sample_scene(&study, values.data(), &scene, nullptr), CLACK_OK);
    EXPECT_EQ(scene.end_s, 1002);
    EXPECT_EQ(scene.gravity_m_per_s2[0], 0);
    EXPECT_EQ(scene.gravity_m_per_s2[1], 1003);
    EXPECT_EQ(scene.tolerance, 1e-3);
    EXPECT_EQ(scene.graded_steps, 5);
    ASSERT_EQ(scene.material_count, 2u); // in order of first use
    EXPECT_STREQ(scene.materials[0].name, "steel");
    EXPECT_EQ(scene.materials[1].density_kg_per_m3, 1004);
    EXPECT_EQ(scene.materials[1].poisson, 0.25);
    ASSERT_EQ(scene.pair_count, 1u);
    EXPECT_EQ(scene.pairs[0].friction, 1000);
    EXPECT_EQ(scene.pairs[0].damping_max_s_per_m, 1005);
    EXPECT_EQ(scene.pairs[0].restitution, 0.25);
    EXPECT_EQ(scene.pairs[0].rolling, 0);
    EXPECT_EQ(scene.shapes[0].size_m[3], 1000);
    EXPECT_EQ(scene.shapes[1].position_m[2], 1006);
    EXPECT_EQ(scene.shapes[2].size_m[0], 2);
    EXPECT_EQ(scene.shapes[2].size_m[1], 1007);
    EXPECT_EQ(scene.shapes[2].axis, 1u);
    EXPECT_EQ(scene.shapes[2].rotation.kind, ROTATION_AXIS_ANGLE);
    EXPECT_EQ(scene.shapes[2].rotation.value[1], 1);
    EXPECT_EQ(scene.shapes[2].rotation.value[3], 1008);
    EXPECT_EQ(scene.shapes[2].contact_radius_m, 1000);
    EXPECT_EQ(scene.bodies[1].shape_first, 1u);
    EXPECT_EQ(scene.bodies[1].shape_count, 2u);
    EXPECT_EQ(scene.bodies[1].mass_kind, MASS_GIVEN);
    EXPECT_EQ(scene.bodies[1].mass_kg, 1009);
    EXPECT_EQ(scene.bodies[1].com_m[1], 2);
    EXPECT_EQ(scene.bodies[1].inertia_kg_m2[2], 6);
    EXPECT_EQ(scene.bodies[1].inertia_kg_m2[3], 0);
    EXPECT_EQ(scene.bodies[1].velocity_m_per_s[0], 1000);
    EXPECT_EQ(scene.bodies[1].velocity_m_per_s[1], 0);
    EXPECT_EQ(scene.bodies[1].velocity_m_per_s[2], 1000);
    EXPECT_NE(study.scene.end_s, 1002); // the template stays as it is
    scene_free(&scene);
    EXPECT_EQ(scene.bodies, nullptr);
}

TEST(Study, DistributionsAreUnderstood) {
    const ReadResult result =
        read_text(simple("", ", position: [{uniform: [0, 1]}, 0, 0]",
                         "design: {monte_carlo: {samples: 5}}\n"
                         "variables:\n" // after the scene in the file, before it among the parameters
                         "  d: {discrete: {values: [4, 1, 2], weights: [1, 5, 3]}, lower: 2}\n"
                         "  e: {discrete: [1, 2, 3, 4]}\n"
                         "  n: {normal: {mean: 1, sd: 2, lower: 0}, upper: 5}\n"
                         "  l: {log_uniform: [1, 100], lower: 2}\n"));
    expect_ok(result);
    ASSERT_EQ(result.study->parameter_count, 5u);
    EXPECT_EQ(result.study->design.seed, 1u);
    const Parameter *parameters = result.study->parameters;
    EXPECT_STREQ(parameters[0].name, "d");
    EXPECT_STREQ(parameters[0].text, "discrete(4: 0.25, 2: 0.75)");
    EXPECT_STREQ(parameters[4].name, "scene.bodies.ball.position[0]");
    const Distribution &d = parameters[0].distribution;
    ASSERT_EQ(d.value_count, 2u); // 1 is cut off
    EXPECT_EQ(d.values[0], 4);
    EXPECT_EQ(d.values[1], 2);
    EXPECT_EQ(d.cumulative[0], 0.25);
    EXPECT_EQ(d.cumulative[1], 1);
    const Distribution &e = parameters[1].distribution;
    ASSERT_EQ(e.value_count, 4u);
    for (int i = 0; i < 4; i++) EXPECT_EQ(e.cumulative[i], 0.25 * (i + 1));
    const Distribution &n = parameters[2].distribution;
    EXPECT_EQ(n.kind, DISTRIBUTION_NORMAL);
    EXPECT_EQ(n.a, 1);
    EXPECT_EQ(n.b, 2);
    EXPECT_EQ(n.lower, 0);
    EXPECT_EQ(n.upper, 5);
    EXPECT_STREQ(parameters[2].text, "normal(mean 1, sd 2) within [0, 5]");
    const Distribution &l = parameters[3].distribution;
    EXPECT_EQ(l.kind, DISTRIBUTION_LOG_UNIFORM);
    EXPECT_EQ(l.lower, 2);
    EXPECT_EQ(l.upper, INFINITY);
    EXPECT_EQ(result.study->bindings[0].parameter, 4u); // follows the new order
}

TEST(Study, NumbersAreThoseOfYaml) {
    const std::pair<const char *, double> good[] = {{"1e-6", 1e-6}, {"1E+3", 1e3},    {".5", 0.5},
                                                    {"5.", 5},      {"-0.25", -0.25}, {"+2", 2}};
    for (const auto &item : good) {
        const ReadResult result = read_text(simple("", std::string(", position: [0, 0, ") + item.first + "]"));
        expect_ok(result);
        EXPECT_EQ(result.study->scene.bodies[1].position_m[2], item.second) << item.first;
    }
    for (const char *bad : {"inf", ".nan", "1e999", "0x10", "1_0", "1e", ".", "'1'", "1.0.0", "~", "true"})
        EXPECT_EQ(read_text(simple("", std::string(", position: [0, 0, ") + bad + "]")).status, CLACK_STUDY) << bad;
}

TEST(Study, SolverWordsAndLevels) {
    const char *words[] = {"fast", "default", "accurate"};
    const double tolerances[] = {1e-4, 1e-6, 1e-8}, steps[] = {4, 8, 16};
    for (int i = 0; i < 3; i++) {
        const ReadResult result = read_text(simple("", ""), {{"solver.accuracy", words[i]}});
        expect_ok(result);
        EXPECT_EQ(result.study->scene.tolerance, tolerances[i]);
        EXPECT_EQ(result.study->scene.graded_steps, steps[i]);
    }
    const ReadResult result = read_text(simple("  compat: modia3d\n", ""), {{"solver.method", "rk4"},
                                                                            {"solver.until", "rest"},
                                                                            {"solver.freeze", "false"},
                                                                            {"solver.narrow_phase", "mpr"},
                                                                            {"solver.reduction", "0.5"}});
    expect_ok(result);
    EXPECT_EQ(result.study->scene.method, METHOD_RK4);
    EXPECT_EQ(result.study->scene.until_rest, 1u);
    EXPECT_EQ(result.study->scene.no_freeze, 1u);
    EXPECT_EQ(result.study->scene.reduction, 0.5);
    EXPECT_EQ(result.study->scene.compat_modia3d, 1u);
    EXPECT_EQ(result.study->scene.single_contact, 1u);
}

TEST(Study, AliasesAreCopies) {
    const ReadResult result = read_text("format: 1\nscene:\n  bodies:\n"
                                        "    a: &ball {material: steel, shapes: [{sphere: {diameter: 0.2}}], "
                                        "position: [0, 0, {uniform: [1, 2]}]}\n"
                                        "    b: *ball\nsolver: {end: 1}\ndesign: {monte_carlo: {samples: 2}}\n",
                                        {{"scene.bodies.b.position[0]", "5"}});
    expect_ok(result);
    EXPECT_EQ(result.study->scene.bodies[0].position_m[0], 0);
    EXPECT_EQ(result.study->scene.bodies[1].position_m[0], 5);
    ASSERT_EQ(result.study->parameter_count, 2u); // two numbers, not one
    EXPECT_STREQ(result.study->parameters[1].name, "scene.bodies.b.position[2]");
}

} // namespace
