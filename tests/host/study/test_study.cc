// Study files: what is wrong is told with its place; the studies of data/, overrides, designs, outputs.
#include <filesystem>

#include "study_reading.h"

namespace {

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
    expect_error(read_text("format: 1\nscene: \xff\n"), {"@:2:8: expected UTF-8 text, found the byte 0xFF"});
    expect_error(read_text(""), {"@:1:1: expected a map with the keys format, scene and solver, found "
                                 "an empty file"});
    expect_error(read_text("a: &x {b: *x}\n"), {"@:1:11: an alias (*name) without an anchor (&name) before it"});
    expect_error(read_text("a: !!int 3\n"), {"@:1:10: tags (!name) are not supported"});
    expect_error(read_text("a: 1\n---\nb: 2\n"), {"@:2:1: a second document (after ---) is not supported"});
    EXPECT_EQ(read_text("a: " + std::string(3000, '[')).status, CLACK_STUDY);
    EXPECT_EQ(read_text("a: " + std::string(70, '[') + std::string(70, ']')).status, CLACK_STUDY);
}

TEST(Study, QuantitiesKeepOffTheNamesOfTheEnsembleFile) {
    for (const std::string name : {"substeps", "n_events", "error_sum", "events", "time"})
        expect_error(read_text(simple("", "", "outputs:\n  quantities:\n    " + name + ": {final: ball.position.z}\n")),
                     {"@:9:5: outputs.quantities: the name \"" + name + "\" is taken by the ensemble file"});
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
    EXPECT_STREQ(report.lines[0],
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
    } studies[] = {
        {"bouncing_sphere", 4096, 2, 2}, {"chain", 64, 5, 1}, {"step", 256, 3, 4}, {"ten_spheres", 64, 11, 30}};
    for (const auto &expected : studies) {
        const ReadResult result = read_file(std::string(CLACK_SOURCE_DIR "/data/") + expected.name + ".yaml");
        expect_ok(result);
        EXPECT_EQ(result.study->design.scene_count, expected.scenes) << expected.name;
        EXPECT_EQ(result.study->scene.body_count, expected.bodies) << expected.name;
        EXPECT_EQ(result.study->parameter_count, expected.parameters) << expected.name;
        EXPECT_EQ(result.study->input_count, 3u);
        EXPECT_NE(std::string(result.study->inputs[0].text).find("format: 1"), std::string::npos);
        EXPECT_NE(std::string(result.study->inputs[2].path).find("contact_pairs.yaml"), std::string::npos);
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

// --- overrides --------------------------------------------------------------------------------------

TEST(Study, OverridesReplaceAndAdd) {
    const uint64_t seed = 77;
    const ReadResult result = read_file(CLACK_SOURCE_DIR "/data/bouncing_sphere.yaml",
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
        read_file(path, {{"outputs.contacts", "true"}, {"outputs.contacts.every", "0.01"}}),
        {"--set outputs.contacts.every: the study has \"true\" at outputs.contacts, which has no keys; set all "
         "of it, as in 'outputs.contacts={every: ...}'"});
    expect_error(read_file(path, {{"scene.gravity[2]", "down"}}),
                 {"--set scene.gravity[2]: scene.gravity[2]: expected a number or a distribution, found "
                  "\"down\""});
    expect_error(read_file(path, {{"scene.contcts", "single"}}),
                 {"--set scene.contcts: scene: unknown key \"contcts\", did you mean \"contacts\"?"});
    expect_error(read_file(path, {{"scene..gravity", "1"}}),
                 {"--set scene..gravity: expected a path such as scene.gravity[2]"});
    expect_error(read_file(path, {{"solver.end", ""}}),
                 {"--set solver.end: expected a value after \"=\", found nothing"});
    expect_error(read_file(path, {{"solver.end", "[1"}}),
                 {"--set solver.end: invalid YAML: flow sequence without a closing bracket"});
}

TEST(Study, OverridesThatChangeNothingAreWarnedOf) {
    const std::string path = testing::TempDir() + "clack_idle.yaml";
    std::ofstream(path)
        << "format: 1\nvariables: {height: 1, other: 2, size: =2*other}\nscene:\n"
           "  materials: {mine: {young: 1.0e+9, poisson: 0.3, density: 1000}}\n"
           "  pairs:\n  - {between: [dry_wood, dry_wood], restitution: 0.5}\n"
           "  - {between: [steel, steel], restitution: 0.5}\n"
           "  groups: {set: [ball], idle: [ball]}\n  ignore: [[set, wall]]\n  bodies:\n"
           "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
           "    wall: {fixed: true, material: steel, shapes: [{half_space: {normal: [1, 0, 0]}}]}\n"
           "    ball: {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [1, 0, $height]}\n"
           "design: {monte_carlo: {samples: 3, seed: 1}}\nsolver: {end: 1}\n";
    const std::string idle = "warning: changes nothing: ";
    const uint64_t seed = 3;
    const auto lines = [&path](const Overrides &overrides, const uint64_t *given = nullptr) {
        ReadResult result = read_file(path, overrides, given);
        EXPECT_EQ(result.status, CLACK_OK);
        std::vector<std::string> of_overrides; // what else is idle in the file is told with its place (check_idle.py)
        for (const std::string &line : result.lines)
            if (line.rfind("--set ", 0) == 0) of_overrides.push_back(line);
        return of_overrides;
    };
    const std::vector<std::string> none;
    EXPECT_EQ(
        lines({{"variables.hieght", "2"}}),
        (std::vector<std::string>{"--set variables.hieght: variables.hieght: " + idle +
                                  "nothing of the study is computed from this variable, did you mean \"height\"?"}));
    EXPECT_EQ(lines({{"variables.size", "2"}}),
              (std::vector<std::string>{"--set variables.size: variables.size: " + idle +
                                        "nothing of the study is computed from this variable"}));
    EXPECT_EQ(lines({{"variables.other", "3"}}), // only `size` is computed from it
              (std::vector<std::string>{"--set variables.other: variables.other: " + idle +
                                        "nothing of the study is computed from this variable"}));
    EXPECT_EQ(lines({{"scene.materials.mine.young", "2"}}),
              (std::vector<std::string>{"--set scene.materials.mine.young: scene.materials.mine.young: " + idle +
                                        "no shape is of this material"}));
    EXPECT_EQ(lines({{"scene.pairs[0].friction", "0.2"}}),
              (std::vector<std::string>{"--set scene.pairs[0].friction: scene.pairs[0].friction: " + idle +
                                        "no shapes of these two materials may touch"}));
    EXPECT_EQ(lines({{"scene.groups.idle", "[floor]"}}),
              (std::vector<std::string>{"--set scene.groups.idle: scene.groups.idle: " + idle +
                                        "scene.ignore does not name this group"}));
    EXPECT_EQ(lines({{"solver.end", "2"}, {"solver.end", "3"}}),
              (std::vector<std::string>{"--set solver.end: solver.end: " + idle + "a later --set replaces it"}));
    EXPECT_EQ(lines({{"scene.gravity", "[0, 0, -1]"}, {"scene.gravity[2]", "-2"}}), none);
    EXPECT_EQ(lines({{"scene.groups", "{set: [ball], idle: [ball]}"}}),
              (std::vector<std::string>{"--set scene.groups: scene.groups.idle: " + idle +
                                        "scene.ignore does not name this group"}));
    EXPECT_EQ(lines({{"design.monte_carlo.seed", "2"}}, &seed),
              (std::vector<std::string>{"--set design.monte_carlo.seed: design.monte_carlo.seed: " + idle +
                                        "--seed replaces it"}));
    EXPECT_EQ(lines({{"variables.height", "2"},
                     {"scene.pairs[1].friction", "0.2"},
                     {"scene.groups.set", "[floor]"},
                     {"design.monte_carlo.seed", "2"},
                     {"title", "x"}}),
              none);
    std::remove(path.c_str());
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
    expect_error(read_text(simple("", "", variables + "design: {grid: {levels: {a: 50000, c: 50000}}}\n")),
                 {"@:8:16: design.grid: expected at most 2147483647 scenes, found more: fewer levels, "
                  "please"});
    expect_error(read_text(simple("", "", variables + "design: {grid: {levels: {a: 2, b: 2, c: 2}}}\n")),
                 {"@:8:35: design.grid.levels.b: expected 3 levels, all values of a discrete parameter, "
                  "found 2"});
}

TEST(Study, QuantitiesAreUnderstood) {
    const ReadResult result = read_text(simple("", "",
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