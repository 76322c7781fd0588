// Study files: what is accepted lands in the right numbers; what is wrong is told with its place.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "sample.h"
#include "study.h"

namespace {

struct ReadResult {
    ClackStatus status = CLACK_OK;
    std::vector<std::string> lines;
    Study *study = nullptr;
    ReadResult() = default;
    ReadResult(const ReadResult &) = delete;
    ReadResult &operator=(const ReadResult &) = delete;
    ReadResult(ReadResult &&other) noexcept
        : status(other.status), lines(std::move(other.lines)), study(other.study) {
        other.study = nullptr;
    }
    ReadResult &operator=(ReadResult &&other) noexcept {
        std::swap(status, other.status);
        std::swap(lines, other.lines);
        std::swap(study, other.study);
        return *this;
    }
    ~ReadResult() { study_free(study); }
};

using Overrides = std::vector<std::pair<std::string, std::string>>;

ReadResult read_file(const std::string &path, const Overrides &overrides = {},
                     const uint64_t *seed = nullptr) {
    std::vector<StudyOverride> list;
    for (const auto &pair : overrides) list.push_back({pair.first.c_str(), pair.second.c_str()});
    StudyOptions options = {};
    options.overrides = list.data();
    options.override_count = list.size();
    options.data_dir = CLACK_SOURCE_DIR "/data";
    options.seed = seed;
    ClackReport report = {};
    ReadResult result;
    testing::internal::CaptureStderr(); // a library does not print
    result.status = study_read(path.c_str(), &options, &result.study, &report);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(report.status, result.status);
    for (size_t i = 0; i < report.count; i++) {
        std::string line = report.lines[i]; // "@" stands for the file
        for (size_t at = line.find(path); at != std::string::npos; at = line.find(path))
            line.replace(at, path.size(), "@");
        result.lines.push_back(line);
    }
    clack_report_clear(&report);
    return result;
}

ReadResult read_text(const std::string &text, const Overrides &overrides = {}) {
    const std::string path = testing::TempDir() + "clack_study_" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() +
                             ".yaml";
    std::ofstream(path, std::ios::binary) << text;
    ReadResult result = read_file(path, overrides);
    std::remove(path.c_str());
    return result;
}

// A ball over a floor, with `more` of the scene before its bodies and `ball` in the ball.
std::string simple(const std::string &more, const std::string &ball, const std::string &end = "") {
    return "format: 1\nscene:\n" + more +
           "  bodies:\n"
           "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
           "    ball: {material: steel, shapes: [{sphere: {diameter: 0.2}}]" +
           ball + "}\nsolver: {end: 1}\n" + end;
}

void expect_ok(const ReadResult &result) {
    ASSERT_EQ(result.status, CLACK_OK) << (result.lines.empty() ? "" : result.lines[0]);
    ASSERT_TRUE(result.lines.empty());
    ASSERT_NE(result.study, nullptr);
}

void expect_error(const ReadResult &result, const std::vector<std::string> &lines) {
    EXPECT_EQ(result.status, CLACK_STUDY);
    EXPECT_EQ(result.study, nullptr);
    EXPECT_EQ(result.lines, lines);
}

// --- wrong files: all errors at once, in the order of the file --------------------------------------

// Beside each tests/studies/wrong_<mistake>.yaml lies wrong_<mistake>.txt: what there is to say about it, "@" for
// the file and "@/" for its folder.
TEST(Study, WrongFilesAreToldWithTheirPlaces) {
    const std::string folder = CLACK_SOURCE_DIR "/tests/studies/";
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().stem();
        if (entry.path().extension() != ".yaml" || name.rfind("wrong_", 0) != 0) continue;
        SCOPED_TRACE(name);
        std::ifstream file(folder + name + ".txt");
        std::vector<std::string> expected, found;
        for (std::string line; std::getline(file, line);) expected.push_back(line);
        const ReadResult result = read_file(folder + name + ".yaml");
        for (std::string line : result.lines) {
            for (size_t at = line.find(folder); at != std::string::npos; at = line.find(folder))
                line.replace(at, folder.size(), "@/");
            found.push_back(line);
        }
        EXPECT_EQ(result.study, nullptr);
        EXPECT_EQ(found, expected);
        EXPECT_FALSE(expected.empty());
        EXPECT_EQ(result.status, name.rfind("wrong_io_", 0) == 0 ? CLACK_IO : CLACK_STUDY);
        count++;
    }
    EXPECT_GE(count, 40u);
}

TEST(Study, BrokenBytesAreTold) {
    expect_error(read_text("format: 1\nscene: \xff\n"),
                 {"@:2:8: expected UTF-8 text, found the byte 0xFF"});
    expect_error(read_text(""),
                 {"@:1:1: expected a map with the keys format, scene and solver, found "
                  "an empty file"});
    expect_error(read_text("a: &x {b: *x}\n"),
                 {"@:1:11: an alias (*name) without an anchor (&name) before it"});
    expect_error(read_text("a: !!int 3\n"), {"@:1:10: tags (!name) are not supported"});
    expect_error(read_text("a: 1\n---\nb: 2\n"),
                 {"@:2:1: a second document (after ---) is not supported"});
    EXPECT_EQ(read_text("a: " + std::string(3000, '[')).status, CLACK_STUDY);
    EXPECT_EQ(read_text("a: " + std::string(70, '[') + std::string(70, ']')).status, CLACK_STUDY);
}

TEST(Study, QuantitiesKeepOffTheNamesOfTheEnsembleFile) {
    for (const std::string name : {"substeps", "n_events", "error_sum", "events", "time"})
        expect_error(read_text(simple("", "", "outputs:\n  quantities:\n    " + name +
                                                  ": {final: ball.position.z}\n")),
                     {"@:9:5: outputs.quantities: the name \"" + name +
                      "\" is taken by the ensemble file"});
}

TEST(Study, MissingFilesAreIo) {
    ReadResult result = read_file("no_such_file.yaml");
    EXPECT_EQ(result.status, CLACK_IO);
    ASSERT_EQ(result.lines.size(), 1u);
    EXPECT_EQ(result.lines[0], "@: cannot be read: No such file or directory");
    StudyOptions options = {};
    options.data_dir = "no_such_folder";
    ClackReport report = {};
    Study *study = nullptr;
    EXPECT_EQ(study_read(CLACK_SOURCE_DIR "/data/chain.yaml", &options, &study, &report), CLACK_IO);
    ASSERT_EQ(report.count, 1u);
    EXPECT_STREQ(
        report.lines[0],
        "no_such_folder/materials.yaml: cannot be read: No such file or directory (a palette; "
        "CLACK_DATA_DIR names its folder)");
    clack_report_clear(&report);
}

// --- the studies of data/ ---------------------------------------------------------------------------

TEST(Study, DataStudiesAreRead) {
    const struct {
        const char *name;
        uint64_t scenes;
        uint32_t bodies, parameters;
    } studies[] = {{"bouncing_sphere", 4096, 2, 2},
                   {"chain", 64, 5, 1},
                   {"step", 256, 3, 4},
                   {"ten_spheres", 64, 11, 30}};
    for (const auto &expected : studies) {
        const ReadResult result =
            read_file(std::string(CLACK_SOURCE_DIR "/data/") + expected.name + ".yaml");
        expect_ok(result);
        EXPECT_EQ(result.study->design.scene_count, expected.scenes) << expected.name;
        EXPECT_EQ(result.study->scene.body_count, expected.bodies) << expected.name;
        EXPECT_EQ(result.study->parameter_count, expected.parameters) << expected.name;
        EXPECT_EQ(result.study->input_count, 3u);
        EXPECT_NE(std::string(result.study->inputs[0].text).find("format: 1"), std::string::npos);
        EXPECT_NE(std::string(result.study->inputs[2].path).find("contact_pairs.yaml"),
                  std::string::npos);
    }
}

TEST(Study, BouncingSphereHasItsNumbers) {
    const ReadResult result = read_file(CLACK_SOURCE_DIR "/data/bouncing_sphere.yaml");
    expect_ok(result);
    const SceneDescription &scene = result.study->scene;
    EXPECT_STREQ(result.study->title, "Bouncing steel sphere");
    EXPECT_EQ(scene.gravity_m_per_s2[2], -9.81);
    EXPECT_EQ(scene.end_s, 2.2);
    EXPECT_EQ(scene.step_s, 1e-3);
    EXPECT_EQ(scene.tolerance, 1e-6);
    EXPECT_EQ(scene.graded_steps, 8);
    EXPECT_EQ(scene.mpr_tolerance, 1e-13);
    EXPECT_EQ(scene.mpr_iterations, 120);
    EXPECT_EQ(scene.reduction, 1);
    ASSERT_EQ(scene.material_count, 1u);
    EXPECT_STREQ(scene.materials[0].name, "steel");
    EXPECT_EQ(scene.materials[0].young_Pa, 2e11);
    EXPECT_EQ(scene.materials[0].poisson, 0.3);
    EXPECT_EQ(scene.materials[0].density_kg_per_m3, 8000);
    ASSERT_EQ(scene.pair_count, 1u);
    EXPECT_EQ(scene.pairs[0].friction, 0.5);
    EXPECT_EQ(scene.pairs[0].rolling, 0.001);
    EXPECT_EQ(scene.pairs[0].speed_small_m_per_s, 0.01);
    EXPECT_EQ(scene.pairs[0].spin_small_rad_per_s, 0.01);
    EXPECT_EQ(scene.pairs[0].damping_max_s_per_m, 2000);
    EXPECT_EQ(scene.pairs[0].damping, DAMPING_FLORES);
    EXPECT_EQ(scene.shapes[0].kind, SHAPE_HALF_SPACE);
    EXPECT_EQ(scene.shapes[0].size_m[2], 1);
    EXPECT_EQ(scene.shapes[0].size_m[3], -0.1);
    EXPECT_EQ(scene.shapes[1].size_m[0], 0.2);
    EXPECT_LT(scene.shapes[1].smoothing_m, 0);
    EXPECT_EQ(scene.bodies[0].is_fixed, 1u);
    EXPECT_EQ(scene.bodies[1].mass_kind, MASS_TOTAL);
    EXPECT_EQ(scene.bodies[1].mass_kg, 0.001);
    ASSERT_EQ(result.study->quantity_count, 8u);
    EXPECT_EQ(result.study->quantities[2].kind, QUANTITY_EVENT_SPEED);
    EXPECT_EQ(result.study->quantities[2].event_kind, EVENT_END);
    EXPECT_EQ(result.study->quantities[2].body, 1u);
    EXPECT_EQ(result.study->quantities[2].body_other, 0u);
    ASSERT_EQ(result.study->watch_count, 2u);
    EXPECT_EQ(result.study->watches[0].observable, WATCH_POSITION + 2);
    EXPECT_EQ(result.study->watches[0].after, AFTER_FIRST_CONTACT_END);
    EXPECT_EQ(result.study->watches[1].observable, WATCH_PENETRATION);
    EXPECT_EQ(result.study->trajectory_every_s, 0.01);
    EXPECT_EQ(result.study->trajectory_scenes, 16u);
    EXPECT_EQ(result.study->record_events, 1u);
}

// --- numbers, variables, bindings -------------------------------------------------------------------

TEST(Study, BindingsLandInTheRightNumbers) {
    const ReadResult result = read_text(
        "format: 1\n"
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
        "           rotation: {axis: [0, 1, 0], angle: {uniform: [80, 81]}}, contact_radius: $v}\n"
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
    const ReadResult result = read_text(
        simple("", ", position: [{uniform: [0, 1]}, 0, 0]",
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
        const ReadResult result =
            read_text(simple("", std::string(", position: [0, 0, ") + item.first + "]"));
        expect_ok(result);
        EXPECT_EQ(result.study->scene.bodies[1].position_m[2], item.second) << item.first;
    }
    for (const char *bad :
         {"inf", ".nan", "1e999", "0x10", "1_0", "1e", ".", "'1'", "1.0.0", "~", "true"})
        EXPECT_EQ(read_text(simple("", std::string(", position: [0, 0, ") + bad + "]")).status,
                  CLACK_STUDY)
            << bad;
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
    const ReadResult result =
        read_text(simple("  compat: modia3d\n", ""), {{"solver.method", "rk4"},
                                                      {"solver.until", "rest"},
                                                      {"solver.freeze", "false"},
                                                      {"solver.narrow_phase", "mpr"},
                                                      {"solver.reduction", "0.5"}});
    expect_ok(result);
    EXPECT_EQ(result.study->scene.use_rk4, 1u);
    EXPECT_EQ(result.study->scene.until_rest, 1u);
    EXPECT_EQ(result.study->scene.no_freeze, 1u);
    EXPECT_EQ(result.study->scene.reduction, 0.5);
    EXPECT_EQ(result.study->scene.compat_modia3d, 1u);
    EXPECT_EQ(result.study->scene.single_contact, 1u);
}

TEST(Study, AliasesAreCopies) {
    const ReadResult result =
        read_text("format: 1\nscene:\n  bodies:\n"
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

// --- palettes and pairs -----------------------------------------------------------------------------

const ScenePair *pair_of(const SceneDescription &scene, const std::string &a,
                         const std::string &b) {
    for (uint32_t i = 0; i < scene.pair_count; i++) {
        const std::string x = scene.materials[scene.pairs[i].material_a].name;
        const std::string y = scene.materials[scene.pairs[i].material_b].name;
        if ((x == a && y == b) || (x == b && y == a)) return &scene.pairs[i];
    }
    return nullptr;
}

// Balls of the materials, over a floor of the first one.
std::string balls(const std::string &more, const std::vector<std::string> &materials) {
    std::string text = "format: 1\nscene:\n" + more + "  bodies:\n";
    for (size_t i = 0; i < materials.size(); i++)
        text += "    b" + std::to_string(i) + ": {material: " + materials[i] +
                ", shapes: [{sphere: {diameter: 1}}]}\n";
    return text + "solver: {end: 1}\n";
}

TEST(Study, MissingPairIsTheMean) {
    const ReadResult result = read_text(balls("", {"steel", "dry_wood", "billiard_ball"}));
    expect_ok(result); // numbers of modia3d.md section 8
    const ScenePair *pair = pair_of(result.study->scene, "steel", "dry_wood");
    ASSERT_NE(pair, nullptr);
    EXPECT_DOUBLE_EQ(pair->restitution, 0.65);
    EXPECT_DOUBLE_EQ(pair->friction, 0.4);
    EXPECT_DOUBLE_EQ(pair->rolling, 0.001);
    pair = pair_of(result.study->scene, "billiard_ball", "steel");
    ASSERT_NE(pair, nullptr);
    EXPECT_DOUBLE_EQ(pair->restitution, 0.85);
    EXPECT_DOUBLE_EQ(pair->friction, 0.25);
    EXPECT_DOUBLE_EQ(pair->rolling, 0.0005);
    EXPECT_DOUBLE_EQ(pair->speed_small_m_per_s, 0.01);
    EXPECT_DOUBLE_EQ(pair->damping_max_s_per_m, 2000);
    // One body of each: none touches its own kind.
    EXPECT_EQ(result.study->scene.pair_count, 3u);
    EXPECT_EQ(pair_of(result.study->scene, "steel", "steel"), nullptr);
}

TEST(Study, OnlyPairsThatMayTouchAreNeeded) {
    // Two fixed bodies, and two shapes of one body, never touch.
    const ReadResult result =
        read_text("format: 1\nscene:\n  bodies:\n"
                  "    a: {fixed: true, material: aluminium, shapes: [{half_space: {}}]}\n"
                  "    b: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
                  "solver: {end: 1}\n");
    expect_ok(result);
    EXPECT_EQ(result.study->scene.pair_count, 0u);
    const ReadResult two = read_text(
        "format: 1\nscene:\n  bodies:\n"
        "    a: {shapes: [{sphere: {diameter: 1}, material: aluminium, contact_material: steel},\n"
        "                 {sphere: {diameter: 1}, material: dry_wood}]}\n"
        "    b: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
        "solver: {end: 1}\n");
    expect_ok(two);
    EXPECT_EQ(two.study->scene.material_count, 3u);
    EXPECT_EQ(two.study->scene.shapes[0].material, 0u);
    EXPECT_EQ(two.study->scene.shapes[0].contact_material, 1u);
    EXPECT_EQ(two.study->scene.pair_count, 2u); // steel-steel and wood-steel
    EXPECT_NE(pair_of(two.study->scene, "steel", "steel"), nullptr);
    EXPECT_NE(pair_of(two.study->scene, "dry_wood", "steel"), nullptr);
}

TEST(Study, PalettesAreExtendedAndOverridden) {
    const ReadResult result = read_text(balls(
        "  materials: {steel: {density: 7850}, cork: {young: 2e7, poisson: 0.1, density: 240}}\n"
        "  pairs:\n"
        "    - {between: [steel, steel], friction: 0.1, damping: lee_wang}\n"
        "    - {between: [cork, steel], restitution: 0.2, friction: 0.6}\n",
        {"steel", "steel", "cork"}));
    expect_ok(result);
    const SceneDescription &scene = result.study->scene;
    EXPECT_EQ(scene.materials[0].density_kg_per_m3, 7850);
    EXPECT_EQ(scene.materials[0].young_Pa, 2e11); // left out: the palette's
    const ScenePair *pair = pair_of(scene, "steel", "steel");
    ASSERT_NE(pair, nullptr);
    EXPECT_EQ(pair->friction, 0.1);
    EXPECT_EQ(pair->damping, DAMPING_LEE_WANG);
    EXPECT_EQ(pair->restitution, 0.7); // the palette's
    EXPECT_EQ(pair->rolling, 0.001);   // the palette's
    pair = pair_of(scene, "cork", "steel");
    ASSERT_NE(pair, nullptr);
    EXPECT_EQ(pair->rolling, 0); // a new pair's default
    EXPECT_EQ(pair->damping, DAMPING_FLORES);
    expect_error(
        read_text(balls("  pairs: [{between: [steel, steel], damping: gonthier}]\n",
                        {"steel", "dry_wood"})),
        {"@:6:9: scene.bodies.b1: expected a row of scene.pairs between \"dry_wood\" (of b1) and "
         "\"steel\" (of b0), which may touch, found none, and their rows differ in damping: "
         "write the pair out"});
    expect_error(
        read_text(
            balls("  pairs:\n    - {between: [steel, dry_wood], restitution: 1, friction: 0}\n"
                  "    - {between: [dry_wood, steel], restitution: 0, friction: 0}\n",
                  {"steel"})),
        {"@:5:7: scene.pairs[1]: expected each pair once, found \"dry_wood\" and \"steel\" also at "
         "@:4:7"});
    // One mistake, one line, however many bodies make it.
    EXPECT_EQ(read_text(balls("", {"steel", "aluminium", "steel", "steel"})).lines.size(), 1u);
    expect_error(
        read_text(balls("  pairs: [{between: [steel, aluminium], rolling: 0}]\n", {"steel"})),
        {"@:3:11: scene.pairs[0]: expected the key \"restitution\" (a number from 0 to 1), "
         "found none",
         "@:3:11: scene.pairs[0]: expected the key \"friction\" (a number >= 0), found none"});
}

TEST(Study, EveryDampingWordHasItsCode) {
    const char *words[] = {"none",          "flores",
                           "hunt_crossley", "lankarani_nikravesh",
                           "hu_guo",        "herbert_mcwhannell",
                           "lee_wang",      "gonthier",
                           "exact"};
    for (uint32_t code = 0; code < 9; code++) {
        const ReadResult result = read_text(balls(
            std::string("  pairs: [{between: [steel, steel], damping: ") + words[code] + "}]\n",
            {"steel", "steel"}));
        expect_ok(result);
        EXPECT_EQ(result.study->scene.pairs[0].damping, code);
    }
}

// --- overrides --------------------------------------------------------------------------------------

TEST(Study, OverridesReplaceAndAdd) {
    const uint64_t seed = 77;
    const ReadResult result =
        read_file(CLACK_SOURCE_DIR "/data/bouncing_sphere.yaml",
                  {{"scene.gravity[2]", "-1.62"},
                   {"scene.bodies.ball.shapes[0].sphere.diameter", "{uniform: [0.1, 0.2]}"},
                   {"solver.accuracy", "fast"},
                   {"scene.contacts", "single"}, // not in the file: added
                   {"design.monte_carlo.samples", "10"},
                   {"outputs.quantities", "{}"}},
                  &seed);
    expect_ok(result);
    EXPECT_EQ(result.study->scene.gravity_m_per_s2[2], -1.62);
    EXPECT_EQ(result.study->scene.tolerance, 1e-4);
    EXPECT_EQ(result.study->scene.single_contact, 1u);
    EXPECT_EQ(result.study->design.scene_count, 10u);
    EXPECT_EQ(result.study->design.seed, 77u);
    EXPECT_EQ(result.study->quantity_count, 0u);
    EXPECT_EQ(result.study->trajectory_scenes, 10u); // no more than there are
    ASSERT_EQ(result.study->parameter_count, 3u);
    EXPECT_STREQ(result.study->parameters[2].name, "scene.bodies.ball.shapes[0].sphere.diameter");
}

TEST(Study, WrongOverridesNameThemselves) {
    const std::string path = CLACK_SOURCE_DIR "/data/bouncing_sphere.yaml";
    expect_error(read_file(path, {{"scene.gravity[3]", "1"}}),
                 {"--set scene.gravity[3]: the study has no scene.gravity[3]"});
    expect_error(read_file(path, {{"scene.bodys.ball.mass", "1"}}),
                 {"--set scene.bodys.ball.mass: the study has no scene.bodys"});
    expect_error(
        read_file(path, {{"scene.gravity[2]", "down"}}),
        {"--set scene.gravity[2]: scene.gravity[2]: expected a number or a distribution, found "
         "\"down\""});
    expect_error(
        read_file(path, {{"scene.contcts", "single"}}),
        {"--set scene.contcts: scene: unknown key \"contcts\", did you mean \"contacts\"?"});
    expect_error(read_file(path, {{"scene..gravity", "1"}}),
                 {"--set scene..gravity: expected a path such as scene.gravity[2]"});
    expect_error(read_file(path, {{"solver.end", ""}}),
                 {"--set solver.end: expected a value after \"=\", found nothing"});
    expect_error(read_file(path, {{"solver.end", "[1"}}),
                 {"--set solver.end: invalid YAML: flow sequence without a closing bracket"});
}

// --- designs and outputs ----------------------------------------------------------------------------

TEST(Study, WithoutParametersThereIsOneScene) {
    const ReadResult result = read_text(simple("", ""));
    expect_ok(result);
    EXPECT_EQ(result.study->design.scene_count, 1u);
    EXPECT_EQ(result.study->binding_count, 0u);
    EXPECT_EQ(result.study->record_events, 1u);
    EXPECT_EQ(result.study->trajectory_every_s, 0);
    EXPECT_EQ(result.study->scene.gravity_m_per_s2[2], -9.81);
}

TEST(Study, GridCountsScenesAndRefusesTooMany) {
    const std::string variables = "variables: {a: {uniform: [0, 1]}, b: {discrete: [1, 2, 4]}, "
                                  "c: {normal: [0, 1]}}\n";
    ReadResult result = read_text(simple("", "", variables + "design: {grid: {levels: 5}}\n"));
    expect_ok(result);
    EXPECT_EQ(result.study->design.kind, DESIGN_GRID);
    EXPECT_EQ(result.study->design.scene_count, 5u * 3 * 5);
    result = read_text(simple("", "", variables + "design: {grid: {levels: {a: 2, c: 7}}}\n"));
    expect_ok(result);
    EXPECT_EQ(result.study->design.scene_count, 2u * 3 * 7);
    expect_error(
        read_text(simple("", "", variables + "design: {grid: {levels: {a: 50000, c: 50000}}}\n")),
        {"@:8:16: design.grid: expected at most 2147483647 scenes, found more: fewer levels, "
         "please"});
    expect_error(
        read_text(simple("", "", variables + "design: {grid: {levels: {a: 2, b: 2, c: 2}}}\n")),
        {"@:8:35: design.grid.levels.b: expected 3 levels, all values of a discrete parameter, "
         "found 2"});
}

TEST(Study, QuantitiesAreUnderstood) {
    const ReadResult result =
        read_text(simple("", "",
                         "outputs:\n  events: false\n  quantities:\n"
                         "    spin: {final: ball.angular_velocity.y}\n"
                         "    low: {min: ball.com_position.x, after: first_contact_start}\n"
                         "    low_again: {min: ball.com_position.x, after: first_contact_begin}\n"
                         "    hits: {count: contact_start}\n"
                         "    third: {time_of: contact_end, n: 3, of: ball}\n"
                         "    rest: {time_of: rest, of: ball}\n"));
    expect_ok(result);
    const Study &study = *result.study;
    ASSERT_EQ(study.quantity_count, 6u);
    EXPECT_EQ(study.quantities[0].observable, WATCH_ANGULAR_VELOCITY + 1);
    EXPECT_STREQ(study.quantities[0].unit, "rad/s");
    EXPECT_EQ(study.quantities[1].watch, study.quantities[2].watch);
    ASSERT_EQ(study.watch_count, 1u);
    EXPECT_EQ(study.watches[0].sense, WATCH_MIN);
    EXPECT_EQ(study.watches[0].observable, WATCH_COM_POSITION);
    EXPECT_EQ(study.watches[0].after, AFTER_FIRST_CONTACT_BEGIN);
    EXPECT_EQ(study.watches[0].body, 1u);
    EXPECT_EQ(study.quantities[3].kind, QUANTITY_COUNT);
    EXPECT_EQ(study.quantities[3].event_kind, EVENT_BEGIN);
    EXPECT_EQ(study.quantities[3].body, NONE);
    EXPECT_EQ(study.quantities[4].kind, QUANTITY_EVENT_TIME);
    EXPECT_EQ(study.quantities[4].event_kind, EVENT_END);
    EXPECT_EQ(study.quantities[4].n, 3);
    EXPECT_EQ(study.quantities[4].body, 1u);
    EXPECT_EQ(study.quantities[4].body_other, NONE);
    EXPECT_EQ(study.quantities[5].kind, QUANTITY_REST_TIME);
    EXPECT_STREQ(study.quantities[5].unit, "s");
    EXPECT_EQ(study.record_events, 0u);
}

} // namespace
