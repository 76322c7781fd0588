// What the program prints for other programs: sampled parameters, plans of runs, JSON.
#include "cli_fixture.h"

#include <hdf5.h>
#include <jansson.h>

#include <cstring>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

namespace {

struct JsonFree {
    void operator()(json_t *value) const { json_decref(value); }
};
using Json = std::unique_ptr<json_t, JsonFree>;

Json parse(const Outcome &outcome) {
    json_error_t error;
    Json document(json_loads(outcome.out.c_str(), 0, &error));
    EXPECT_NE(document, nullptr) << error.text << "\n" << outcome.out;
    if (document == nullptr) return Json(json_object());
    EXPECT_EQ(json_integer_value(json_object_get(document.get(), "exit_code")), outcome.exit_code);
    return document;
}

std::string text(const Json &document, const char *key) {
    const char *value = json_string_value(json_object_get(document.get(), key));
    return value != nullptr ? value : "";
}

double number(const Json &document, const char *key) { return json_number_value(json_object_get(document.get(), key)); }

double sum(const Json &document, const char *key) {
    double bytes = 0;
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(document.get(), key), name, value) bytes += json_number_value(value);
    return bytes;
}

// Rows of a CSV text; the first line aside.
std::vector<std::vector<double>> rows(const std::string &csv) {
    std::vector<std::vector<double>> table;
    std::istringstream lines(csv);
    std::string line, cell;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        table.emplace_back();
        while (std::getline(cells, cell, ',')) table.back().push_back(strtod(cell.c_str(), nullptr));
    }
    return table;
}

std::vector<double> read_vector(const fs::path &path, const std::string &name) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
    std::vector<double> values((size_t)H5Sget_simple_extent_npoints(space));
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return values;
}

using CliData = Cli;

TEST_F(CliData, SampleGivesTheBitsThatTheRunUses) {
    const std::string file = study(61, 0.01);
    ASSERT_EQ(clack("run " + file + " -q -d native -o x.h5").exit_code, 0);
    const Outcome csv = clack("sample " + file);
    const std::string name = "scene.bodies.ball.position[2]";
    EXPECT_EQ(csv.exit_code, 0) << csv.err;
    EXPECT_EQ(csv.err, "");
    EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')), "scene," + name);
    const std::vector<double> ran = read_vector(folder / "x.h5", "/parameters/" + name);
    const auto table = rows(csv.out);
    ASSERT_EQ(table.size(), 61u);
    const Json document = parse(clack("sample --json " + file));
    json_t *json_rows = json_object_get(document.get(), "rows");
    ASSERT_EQ(json_array_size(json_rows), 61u);
    for (size_t scene = 0; scene < 61; scene++) {
        EXPECT_EQ(table[scene][0], (double)scene);
        EXPECT_EQ(table[scene][1], ran[scene]) << scene; // 17 digits: the same bits
        EXPECT_EQ(json_real_value(json_array_get(json_array_get(json_rows, scene), 1)), ran[scene]) << scene;
    }
    EXPECT_EQ(rows(clack("sample " + file + " -n 3").out).size(), 3u);
    const auto one = rows(clack("sample " + file + " --scene 60").out);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0], table[60]);
    EXPECT_NE(clack("sample " + file + " --seed 2").out, csv.out);
    EXPECT_EQ(clack("sample " + file + " -n 62").exit_code, 2);
    EXPECT_EQ(clack("sample " + file + " --scene 61").exit_code, 2);
}

TEST_F(CliData, SampleIntoAFileIsATableForAnotherDesign) {
    const std::string file = study(20, 0.01);
    ASSERT_EQ(clack("sample " + file + " --set design.monte_carlo.seed=5 -o drops.csv").exit_code, 0);
    std::string table_study = read_file(folder / file);
    table_study.replace(table_study.find("{uniform: [0.5, 1.0]}"), strlen("{uniform: [0.5, 1.0]}"),
                        "{column: 'scene.bodies.ball.position[2]'}");
    const size_t design = table_study.find("{monte_carlo"), end = table_study.find('\n', design);
    std::ofstream(folder / "table.yaml") << table_study.replace(design, end - design, "{table: drops.csv}");
    const Outcome again = clack("sample table.yaml");
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(again.out, read_file(folder / "drops.csv"));
    EXPECT_EQ(clack("sample " + file + " -o no_such_folder/x.csv").exit_code, 4);
}

// Every error and warning of every wrong study: its parts make up the line that people see.
// A study on standard input, as YAML or JSON, runs as its file does; errors have places in it.
TEST_F(CliData, StudyOnStandardInput) {
    study(20, 0.4);
    ASSERT_EQ(clack("run small.yaml -q -d native --json > file.json").exit_code, 0);
    ASSERT_EQ(clack("run - -q -d native < small.yaml").exit_code, 0);
    const Outcome different = shell("h5diff small.h5 stdin.h5 /impacts && h5diff small.h5 stdin.h5 /parameters");
    EXPECT_EQ(different.exit_code, 0) << different.out << different.err;
    const Outcome json =
        shell("python3 -c 'import json, yaml; print(json.dumps(yaml.safe_load(open(\"small.yaml\"))))' > small.json "
              "&& " CLACK_PROGRAM " run - -q -d native -o json.h5 < small.json && " CLACK_PROGRAM
              " run small.json -q -d native -o json_file.h5 && h5diff small.h5 json.h5 /impacts && h5diff json.h5 "
              "json_file.h5 /impacts");
    EXPECT_EQ(json.exit_code, 0) << json.out << json.err;
    const Outcome wrong = shell("sed s/end:/ennd:/ small.yaml | " CLACK_PROGRAM " validate -");
    EXPECT_EQ(wrong.exit_code, 3);
    EXPECT_NE(wrong.err.find("stdin:8:"), std::string::npos) << wrong.err;
    EXPECT_EQ(clack("validate - < /dev/null").exit_code, 3);
    const Outcome large = shell("(cat small.yaml; yes '# a comment' | head -n 200000) | " CLACK_PROGRAM " validate -");
    EXPECT_EQ(large.exit_code, 0) << large.err; // 2.4 MB, in several blocks
}

TEST_F(CliData, ValidateListsErrorsWithTheirParts) {
    unsigned errors_seen = 0, keys_seen = 0;
    for (const fs::directory_entry &entry : fs::directory_iterator(CLACK_SOURCE_DIR "/tests/studies")) {
        const std::string name = entry.path().filename().string();
        if (name.rfind("wrong_", 0) != 0 || entry.path().extension() != ".yaml") continue;
        const Outcome outcome = clack("validate --json '" + entry.path().string() + "'");
        const Json document = parse(outcome);
        EXPECT_EQ(text(document, "status"), name.rfind("wrong_io_", 0) == 0 ? "io" : "study");
        std::multiset<std::string> lines, printed;
        for (const std::string list : {"errors", "warnings"}) {
            size_t index;
            json_t *item;
            json_array_foreach(json_object_get(document.get(), list.c_str()), index, item) {
                const auto part = [&](const char *key) { return json_object_get(item, key); };
                ASSERT_TRUE(json_is_string(part("file")) && json_is_string(part("message"))) << entry.path();
                std::string line = json_string_value(part("file"));
                if (json_is_integer(part("line"))) {
                    line += ":" + std::to_string(json_integer_value(part("line"))) + ":" +
                            std::to_string(json_integer_value(part("column")));
                }
                line += ": ";
                if (json_is_string(part("key"))) line += std::string(json_string_value(part("key"))) + ": ";
                lines.insert(line + (list == "warnings" ? "warning: " : "") + json_string_value(part("message")));
                keys_seen += json_is_string(part("key"));
                errors_seen += list == "errors";
            }
        }
        std::istringstream err(outcome.err);
        for (std::string line; std::getline(err, line);) printed.insert(line);
        EXPECT_EQ(lines, printed) << entry.path();
    }
    EXPECT_GE(errors_seen, 30u);
    EXPECT_GE(keys_seen, errors_seen / 2);
    const Json missing = parse(clack("validate --json no_such.yaml"));
    EXPECT_EQ(text(missing, "status"), "io");
    const Json valid = parse(clack("validate --json " + study(7, 0.1)));
    EXPECT_EQ(text(valid, "status"), "ok");
    EXPECT_EQ(number(valid, "scenes"), 7);
    EXPECT_EQ(json_array_size(json_object_get(valid.get(), "errors")), 0u);
}

TEST_F(CliData, RunAndInfoAgree) {
    // Two balls at one place have no normal.
    std::ofstream(folder / "same.yaml")
        << "format: 1\nscene:\n  bodies:\n"
           "    a: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}\n"
           "    b: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}\nsolver: {end: 0.01}\n";
    const Json failed = parse(clack("run same.yaml -q -d native -o same.h5 --json"));
    EXPECT_EQ(text(failed, "status"), "failed_scenes");
    EXPECT_EQ(json_integer_value(json_object_get(json_object_get(failed.get(), "statuses"), "coincident")), 1);
    ASSERT_EQ(json_array_size(json_object_get(failed.get(), "errors")), 1u);
    const Json same = parse(clack("info --json same.h5"));
    EXPECT_EQ(json_integer_value(json_object_get(json_object_get(same.get(), "statuses"), "coincident")), 1);

    const Json run = parse(clack("run " + study(61, 0.5) + " -q -d native --json -o x.h5"));
    const Json info = parse(clack("info --json x.h5"));
    EXPECT_EQ(text(run, "output"), "x.h5");
    EXPECT_EQ(number(run, "scenes_run"), 61);
    EXPECT_EQ(number(info, "scenes"), 61);
    for (const auto &row : {std::make_pair("first_scene", 0), std::make_pair("last_scene", 60)}) {
        const json_t *scene_number = json_object_get(info.get(), row.first);
        EXPECT_TRUE(json_is_integer(scene_number)) << row.first; // not 0.0
        EXPECT_EQ(json_integer_value(scene_number), row.second);
    }
    json_t *quantity = json_array_get(json_object_get(info.get(), "quantities"), 0);
    EXPECT_STREQ(json_string_value(json_object_get(quantity, "name")), "impacts");
    double impacts = 0;
    for (const double value : read_vector(folder / "x.h5", "/impacts")) impacts += value;
    EXPECT_NEAR(json_number_value(json_object_get(quantity, "mean")), impacts / 61, 1e-14);
    EXPECT_EQ(number(run, "events"), (double)read_vector(folder / "x.h5", "/events/time").size());
    const Json again = parse(clack("run small.yaml -q -d native --json -o x.h5 --continue"));
    EXPECT_EQ(number(again, "scenes_kept"), 61);
    EXPECT_EQ(number(again, "events"), number(run, "events"));
    const Json one = parse(clack("run small.yaml -q -d native --json --scene 5"));
    json_t *scene = json_object_get(one.get(), "scene");
    EXPECT_EQ(json_real_value(json_object_get(json_object_get(scene, "quantities"), "impacts")),
              read_vector(folder / "x.h5", "/impacts")[5]);
    EXPECT_EQ(text(parse(clack("devices --json")), "command"), "devices");
    EXPECT_EQ(text(parse(clack("info --json small.yaml")), "status"), "corrupt");
}

// Bytes of the values of a group's datasets whose first axis is the scene or a frame.
herr_t add_bytes(hid_t group, const char *name, const H5L_info_t *, void *context) {
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (H5Iget_type(object) == H5I_DATASET) {
        const hid_t space = H5Dget_space(object), type = H5Dget_type(object);
        hsize_t dims[8] = {0};
        H5Sget_simple_extent_dims(space, dims, nullptr);
        const bool is_short = dims[0] < 11; // body, xyz, quat and their like
        if (!is_short) {
            *static_cast<double *>(context) += (double)H5Sget_simple_extent_npoints(space) * (double)H5Tget_size(type);
        }
        H5Tclose(type);
        H5Sclose(space);
    }
    H5Oclose(object);
    return 0;
}

TEST_F(CliData, DryRunWritesNothingAndKnowsTheSizes) {
    const std::string file = study(61, 0.5);
    std::string with_frames = read_file(folder / file);
    with_frames.insert(with_frames.find("outputs: {") + 10, "trajectory: {every: 0.01, scenes: 11}, ");
    std::ofstream(folder / file) << with_frames;
    const Outcome plain = clack("run " + file + " -d native --dry-run");
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_NE(plain.out.find("61 in 1 batch of"), std::string::npos) << plain.out;
    EXPECT_NE(plain.out.find("estimate from 16 scenes"), std::string::npos) << plain.out;
    const Json plan = parse(clack("run " + file + " -d native --dry-run --json"));
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
    EXPECT_EQ(names.size(), 3u); // the study, out.txt, err.txt
    EXPECT_EQ(text(plan, "output"), "small.h5");

    ASSERT_EQ(clack("run " + file + " -q -d native").exit_code, 0);
    const hid_t ensemble = H5Fopen((folder / "small.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    for (const char *group : {"/", "parameters", "trajectory", "events"}) {
        double bytes = 0;
        H5Literate_by_name(ensemble, group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_bytes, &bytes, H5P_DEFAULT);
        const double events = (double)read_vector(folder / "small.h5", "/events/time").size();
        const double expected =
            strcmp(group, "events") == 0
                ? events * number(plan, "event_bytes")
                : json_number_value(json_object_get(json_object_get(plan.get(), "file_bytes"), group));
        EXPECT_EQ(bytes, expected) << group;
    }
    H5Fclose(ensemble);

    // 61 scenes one at a time: as many batches, and the lists of each are those of one scene in one slot.
    study(61, 0.5);
    const Json one = parse(clack("run " + file + " -d native --dry-run --json --batch 1"));
    const Json all = parse(clack("run " + file + " -d native --dry-run --json"));
    EXPECT_EQ(number(one, "batches"), 61);
    EXPECT_GT(sum(one, "device_bytes"), 1000);
    EXPECT_EQ(number(one, "slots"), 1);
    EXPECT_GE(number(all, "slots"), 4);
    EXPECT_LE(number(all, "slots"), 61);
    const char *name = nullptr;
    json_t *bytes = nullptr;
    json_object_foreach(json_object_get(one.get(), "device_bytes"), name, bytes) {
        const std::set<std::string> of_slots = {"body_work",       "candidates", "contacts",     "events",
                                                "island_matrices", "lists",      "placed_shapes"};
        if (strcmp(name, "slots") == 0) continue;
        const std::set<std::string> shared = {"shapes", "contact_laws"}; // only heights are drawn
        const double times = of_slots.count(name) ? number(all, "slots") : shared.count(name) ? 1 : 61;
        EXPECT_EQ(times * json_number_value(bytes),
                  json_number_value(json_object_get(json_object_get(all.get(), "device_bytes"), name)))
            << name;
    }
}

} // namespace
