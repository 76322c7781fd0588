// clack evaluate as users meet it: files in and out, what is wrong with an input, readers in Python.
#include "cli_fixture.h"

#include <hdf5.h>
#include <jansson.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

const char *const STUDY =
    "format: 1\nunits: SI\nscene:\n"
    "  materials: {m: {young: 2.0e11, poisson: 0.3, density: 7850}}\n"
    "  pairs: [{between: [m, m], restitution: 0.8, friction: 0.3}]\n"
    "  bodies:\n"
    "    ground: {fixed: true, material: m, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n"
    "    ball: {material: m, shapes: [{sphere: {diameter: {discrete: [0.2, 0.4]}}}], position: [0, 0, 0.3]}\n"
    "design: {grid: {}}\nsolver: {end: 0.5}\n"
    "outputs: {trajectory: {every: 0.01}}\n";

class EvaluateCli : public Cli {
  protected:
    void SetUp() override {
        Cli::SetUp();
        std::ofstream(folder / "study.yaml") << STUDY;
    }
    Outcome evaluate(const std::string &more) { return clack("evaluate study.yaml --overwrite " + more); }

    // A dataset of `values`, as the type of the file says.
    static void put(hid_t file, const char *name, std::vector<hsize_t> dims, const std::vector<double> &values,
                    hid_t type = H5T_IEEE_F64LE) {
        const hid_t space = H5Screate_simple(int(dims.size()), dims.data(), nullptr);
        const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (!values.empty()) H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Dclose(dataset);
        H5Sclose(space);
    }
    static void put_names(hid_t file, const std::vector<std::string> &names) {
        std::string block;
        for (std::string name : names) {
            name.resize(8);
            block += name;
        }
        const hsize_t count = names.size();
        const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, nullptr);
        H5Tset_size(type, 8);
        const hid_t dataset = H5Dcreate2(file, "body_name", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block.data());
        H5Dclose(dataset);
        H5Tclose(type);
        H5Sclose(space);
    }

    hid_t create() { return H5Fcreate((folder / "in.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT); }
    // The ball over the ground at these heights.
    void input(const std::vector<double> &heights) {
        std::vector<double> positions, turns;
        for (double z : heights) {
            positions.insert(positions.end(), {0, 0, 0, 0, 0, z});
            turns.insert(turns.end(), {1, 0, 0, 0, 2, 0, 0, 0}); // any length
        }
        const hid_t file = create();
        put(file, "position", {heights.size(), 2, 3}, positions);
        put(file, "orientation", {heights.size(), 2, 4}, turns);
        H5Fclose(file);
    }
    std::vector<double> column(const char *path, const char *name) {
        const hid_t file = H5Fopen((folder / path).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
        std::vector<double> values(size_t(H5Sget_simple_extent_npoints(space)));
        if (!values.empty()) H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Sclose(space);
        H5Dclose(dataset);
        H5Fclose(file);
        return values;
    }
    // The program refuses in.h5 with exit 7, leaves no file, and says each of these.
    void expect_defect(std::vector<std::string> sentences) {
        const Outcome outcome = evaluate("in.h5 -o out.h5 -d native");
        EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
        for (const std::string &sentence : sentences) {
            EXPECT_NE(outcome.err.find("in.h5: " + sentence), std::string::npos) << sentence << "\n" << outcome.err;
        }
        EXPECT_EQ(size_t(std::count(outcome.err.begin(), outcome.err.end(), '\n')), sentences.size()) << outcome.err;
        EXPECT_FALSE(fs::exists(folder / "out.h5") || fs::exists(folder / "out.h5.part"));
    }
    // Run Python that has h5py, netCDF4 and xarray; 77: there is none.
    int python(const fs::path &script) {
        const char *chosen = std::getenv("CLACK_PYTHON");
        for (const std::string name : {chosen != nullptr ? chosen : "", "python3", "/usr/bin/python3"}) {
            if (name.empty()) continue;
            const std::string program = "'" + name + "' ";
            if (shell(program + "-c 'import h5py, h5netcdf, netCDF4, xarray'").exit_code != 0) continue;
            const Outcome outcome = shell("PATH='" CLACK_BINARY_DIR "':$PATH " + program + script.string());
            EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
            return outcome.exit_code;
        }
        return 77;
    }
};

TEST_F(EvaluateCli, ContactsOfABallOverTheGround) {
    input({0.3, 0.1 - 1e-4, 0.1 + 1e-3, 0.1 - 1e-3});
    const Outcome outcome = evaluate("in.h5 -o out.h5 -d native");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("4 configurations, 2 contacts"), std::string::npos) << outcome.err;
    EXPECT_EQ(column("out.h5", "n_contacts"), (std::vector<double>{0, 1, 0, 1}));
    EXPECT_EQ(column("out.h5", "contacts/configuration_number"), (std::vector<double>{1, 3}));
    EXPECT_EQ(column("out.h5", "contacts/body_a"), (std::vector<double>{0, 0}));
    EXPECT_EQ(column("out.h5", "contacts/body_b"), (std::vector<double>{1, 1}));
    const std::vector<double> distance = column("out.h5", "contacts/distance");
    EXPECT_NEAR(distance[0], -1e-4, 1e-16);
    EXPECT_NEAR(distance[1], -1e-3, 1e-16);
    EXPECT_EQ(column("out.h5", "max_penetration"), (std::vector<double>{0, -distance[0], 0, -distance[1]}));
    const double modulus = 2e11 / (2 * (1 - 0.09)), f = 4.0 / 3.0 * modulus * std::sqrt(0.1) * std::pow(1e-3, 1.5);
    EXPECT_NEAR(column("out.h5", "contacts/force")[5], f, 1e-10 * f);
    EXPECT_EQ(evaluate("in.h5 -o out.h5 -d native -q").err, "");
}

TEST_F(EvaluateCli, MarginAllSceneAndBatch) {
    input({0.3, 0.15, 0.1 - 1e-4});
    ASSERT_EQ(evaluate("in.h5 -q -d native --margin 0.06").exit_code, 0);
    EXPECT_EQ(column("in_contacts.h5", "n_contacts"), (std::vector<double>{0, 1, 1})); // the default name
    ASSERT_EQ(evaluate("in.h5 -q -d native --all --batch 1 -o all.h5").exit_code, 0);
    EXPECT_EQ(column("all.h5", "contacts/configuration_number"), (std::vector<double>{0, 1, 2}));
    // Scene 1 has the ball of 0.4 m.
    ASSERT_EQ(evaluate("in.h5 -q -d native --scene 1 -o big.h5").exit_code, 0);
    const std::vector<double> distance = column("big.h5", "contacts/distance");
    ASSERT_EQ(distance.size(), 2u);
    EXPECT_NEAR(distance[0], -0.05, 1e-16);
}

TEST_F(EvaluateCli, NoContactIsAFileWithNoRows) {
    input({3});
    ASSERT_EQ(evaluate("in.h5 -o out.h5 -d native").exit_code, 0);
    EXPECT_EQ(column("out.h5", "n_contacts"), std::vector<double>{0});
    EXPECT_TRUE(column("out.h5", "contacts/force").empty());
}

// 200,000 of 2 bodies: a block of reading holds 131,072.
TEST_F(EvaluateCli, MoreConfigurationsThanABlock) {
    std::vector<double> heights;
    for (int i = 0; i < 200000; i++) heights.push_back(0.1 + (i % 3 - 1) * 1e-4);
    input(heights);
    ASSERT_EQ(evaluate("in.h5 -o out.h5 -d native").exit_code, 0);
    const std::vector<double> rows = column("out.h5", "contacts/configuration_number"),
                              counts = column("out.h5", "n_contacts");
    size_t k = 0;
    for (size_t i = 0; i < heights.size(); i++) {
        ASSERT_EQ(counts[i], heights[i] <= 0.1) << i;
        if (heights[i] > 0.1) continue;
        ASSERT_EQ(rows.at(k++), double(i));
    }
    EXPECT_EQ(k, rows.size());
}

TEST_F(EvaluateCli, TheTrajectoryOfAnEnsemble) {
    ASSERT_EQ(shell(CLACK_PROGRAM " run study.yaml -o in.h5 -d native -q").exit_code, 0);
    ASSERT_EQ(evaluate("in.h5 -o out.h5 -d native --scene 1").exit_code, 0);
    const std::vector<double> position = column("in.h5", "trajectory/position"),
                              depth = column("out.h5", "max_penetration");
    const size_t frames = depth.size();
    ASSERT_EQ(frames, 51u);
    size_t overlapping = 0;
    for (size_t i = 0; i < frames; i++) {
        const double z = position[(frames + i) * 6 + 5]; // scene 1, body 1
        EXPECT_NEAR(depth[i], std::max(0.0, 0.2 - z), 1e-15);
        overlapping += depth[i] > 0;
    }
    EXPECT_LT(overlapping, frames);
    EXPECT_EQ(evaluate("in.h5 -o out.h5 -d native --scene 2").exit_code, 7); // no such trajectory
}

// In an ensemble a body that the scene does not have is NaN: here the first one, in scene 0.
TEST_F(EvaluateCli, BodiesThatTheSceneHasNot) {
    std::string text = STUDY;
    const size_t bodies = text.find("    ground:");
    text.insert(bodies, "    other: {count: {integer: [0, 1]}, material: m, shapes: [{sphere: {diameter: 0.2}}],"
                        " position: [5, 0, 0.0999]}\n");
    text.replace(text.find("{discrete: [0.2, 0.4]}"), 22, "0.2");
    text.replace(text.find("[0, 0, 0.3]"), 11, "[0, 0, 0.09998]");
    std::ofstream(folder / "study.yaml") << text;
    ASSERT_EQ(shell(CLACK_PROGRAM " run study.yaml -o in.h5 -d native -q").exit_code, 0);
    const std::vector<double> position = column("in.h5", "trajectory/position");
    ASSERT_TRUE(std::isnan(position[0]));
    const size_t stride = position.size() / 2 / 51;
    for (int scene = 0; scene < 2; scene++) {
        const Outcome outcome = evaluate("in.h5 -o out.h5 -d native --scene " + std::to_string(scene));
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const std::vector<double> depth = column("out.h5", "max_penetration");
        ASSERT_EQ(depth.size(), 51u);
        EXPECT_NEAR(depth[0], scene == 1 ? 1e-4 : 2e-5, 1e-15); // the other begins deeper in the ground
        const size_t ball = stride - 1;                         // z of the last body
        for (size_t i = 0; scene == 0 && i < 51; i++) {
            EXPECT_NEAR(depth[i], std::max(0.0, 0.1 - position[i * stride + ball]), 1e-15);
        }
    }
}

// --- inputs that are refused ----------------------------------------------------------------------

const std::vector<double> POSITIONS(6, 0.5), TURNS(8, 0.5);

TEST_F(EvaluateCli, AllDefectsOfTheLayoutAtOnce) {
    const hid_t file = create();
    put(file, "position", {1, 3, 3}, std::vector<double>(9, 0));
    put(file, "velocity", {1, 2, 3}, POSITIONS, H5T_STD_I32LE);
    put(file, "angular_velocity", {2, 3}, POSITIONS);
    put_names(file, {"ground", "bell"});
    H5Fclose(file);
    expect_defect({"position: expected shape [configurations, 2 bodies, 3], found [1, 3, 3]",
                   "orientation: expected a dataset [configurations, 2 bodies, 4], found none",
                   "velocity: expected floating-point numbers of 64 or 32 bits, found another type",
                   "angular_velocity: expected shape [configurations, 2 bodies, 3], found [2, 3]",
                   "body_name[1]: expected \"ball\", found \"bell\""});
}

TEST_F(EvaluateCli, CountsThatDiffer) {
    const hid_t file = create();
    put(file, "position", {1, 2, 3}, POSITIONS);
    put(file, "orientation", {2, 2, 4}, std::vector<double>(16, 0.5));
    put_names(file, {"ground", "ball"});
    H5Fclose(file);
    expect_defect({"orientation: expected shape [1, 2 bodies, 4], found [2, 2, 4]"});
}

TEST_F(EvaluateCli, NumbersThatAreNone) {
    std::vector<double> positions = POSITIONS, turns = TURNS;
    positions[4] = NAN;
    turns[7] = INFINITY;
    hid_t file = create();
    put(file, "position", {1, 2, 3}, positions);
    put(file, "orientation", {1, 2, 4}, turns);
    H5Fclose(file);
    expect_defect({"position[0, 1]: expected finite numbers, found nan",
                   "orientation[0, 1]: expected a finite quaternion of non-zero length, found inf"});
    std::fill_n(turns.begin(), 8, 0.0);
    turns[0] = 1;
    file = create();
    put(file, "position", {1, 2, 3}, POSITIONS);
    put(file, "orientation", {1, 2, 4}, turns);
    H5Fclose(file);
    expect_defect({"orientation[0, 1]: expected a finite quaternion of non-zero length, found 0"});
}

TEST_F(EvaluateCli, NoConfigurations) {
    const hid_t file = create();
    put(file, "position", {0, 2, 3}, {});
    put(file, "orientation", {0, 2, 4}, {});
    H5Fclose(file);
    expect_defect({"position: expected shape [configurations, 2 bodies, 3], found [0, 2, 3]",
                   "orientation: expected shape [configurations, 2 bodies, 4], found [0, 2, 4]"});
}

TEST_F(EvaluateCli, OtherFilesAndPaths) {
    std::ofstream(folder / "in.h5") << "position,orientation\n";
    expect_defect({"not a file of configurations: it is no HDF5 file"});
    EXPECT_EQ(evaluate("none.h5").exit_code, 4);
    input({1});
    EXPECT_EQ(evaluate("in.h5 -o in.h5 -d native").exit_code, 2);
    // As `clack run`: what is there stays, by a name that is chosen, too.
    ASSERT_EQ(evaluate("in.h5 -q -d native").exit_code, 0);
    const std::string there = read_file(folder / "in_contacts.h5");
    for (const char *more : {"", " -o in_contacts.h5"}) {
        const Outcome refused = clack(std::string("evaluate study.yaml in.h5 -q -d native --all") + more);
        EXPECT_EQ(refused.exit_code, 4) << refused.err;
        EXPECT_NE(refused.err.find("in_contacts.h5: there is such a file already; --overwrite"), std::string::npos)
            << refused.err;
        EXPECT_EQ(read_file(folder / "in_contacts.h5"), there);
    }
    ASSERT_EQ(evaluate("in.h5 -q -d native --all").exit_code, 0);
    EXPECT_NE(read_file(folder / "in_contacts.h5"), there);
    EXPECT_EQ(evaluate("in.h5 -o none/out.h5 -d native").exit_code, 4);
    EXPECT_EQ(evaluate("in.h5 -d native --scene 2").exit_code, 2);
    EXPECT_EQ(evaluate("in.h5 -d native --margin -1").exit_code, 2);
    EXPECT_EQ(evaluate("").exit_code, 2);
    EXPECT_EQ(shell(CLACK_PROGRAM " evaluate none.yaml in.h5").exit_code, 4);
}

// --- readers --------------------------------------------------------------------------------------

TEST_F(EvaluateCli, OpensWithXarrayInAllEngines) {
    input({0.3, 0.1 - 1e-4});
    ASSERT_EQ(evaluate("in.h5 -o out.h5 -d native").exit_code, 0);
    std::ofstream(folder / "check.py") << R"(
import xarray
for engine in (None, "h5netcdf", "netcdf4"):
    root = xarray.open_dataset("out.h5", engine=engine)
    contacts = xarray.open_dataset("out.h5", engine=engine, group="contacts")
    xarray.open_dataset("out.h5", engine=engine, group="provenance")
    assert root.n_contacts.dims == ("configuration",) and list(root.n_contacts) == [0, 1], root
    assert list(root.body_name.values) == ["ground", "ball"], root
    assert contacts.force.dims == ("contact", "xyz") and contacts.force.shape == (1, 3), contacts
    assert contacts.status.attrs["flag_meanings"].split() == ["ok", "fallback", "not_converged", "coincident", "faded"]
    assert list(root.first_contact) == [0, 0] and list(contacts.configuration_number) == [1], root
    for name in contacts.data_vars:
        assert contacts[name].attrs["long_name"] and contacts[name].attrs["units"], name
)";
    if (python("check.py") == 77) GTEST_SKIP() << "no Python with xarray, h5netcdf, netCDF4 and h5py";
}

// The program of the page about commands, as it stands there.
TEST_F(EvaluateCli, TheProgramOfThePage) {
    const std::string page = read_file(CLACK_SOURCE_DIR "/host/command/README.md"),
                      mark = "```python\nimport subprocess";
    const size_t start = page.find(mark);
    ASSERT_NE(start, std::string::npos);
    const size_t code = start + std::string("```python\n").size();
    std::ofstream(folder / "page.py") << page.substr(code, page.find("```", code) - code);
    fs::create_directory_symlink(CLACK_SOURCE_DIR "/data", folder / "data");
    const int exit_code = python("page.py");
    if (exit_code == 77) GTEST_SKIP() << "no Python with xarray, h5netcdf, netCDF4 and h5py";
    const std::vector<double> distance = column("contacts.h5", "contacts/distance");
    ASSERT_EQ(distance.size(), 11u);
    EXPECT_NEAR(distance[10], -1e-3, 1e-15);
}

// Points of A along the normal and of B against it lie as far from each other as the pair, apart or in touch.
TEST_F(EvaluateCli, JsonHasSupportPointsOfEveryPair) {
    std::ofstream(folder / "study.yaml")
        << "format: 1\nscene:\n  bodies:\n"
           "    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n"
           "    box: {material: steel, shapes: [{box: {lengths: [0.2, 0.3, 0.4], smoothing: 0.01}}]}\n"
           "    ball: {material: steel, shapes: [{sphere: {diameter: 0.2}, position: [0, 0.05, 0]}]}\nsolver: {end: "
           "1}\n";
    // The box on its corner; the ball's frame turned about z, beside it, above the ground.
    const std::vector<double> positions = {0, 0, 0, 0.1, 0.2, 0.3, 0.45, 0.3, 0.4};
    const std::vector<double> turns = {1, 0, 0, 0, 0.8, 0.4, -0.3, 0.2, std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
    const hid_t file = create();
    put(file, "position", {1, 3, 3}, positions);
    put(file, "orientation", {1, 3, 4}, turns);
    H5Fclose(file);
    const Outcome outcome = evaluate("in.h5 -o out.h5 -d native --all --json -q");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    json_t *document = json_loads(outcome.out.c_str(), 0, nullptr), *rows = json_object_get(document, "rows");
    const auto vector = [](const json_t *row, const char *name) {
        std::vector<double> values;
        for (size_t k = 0; k < 3; k++)
            values.push_back(json_number_value(json_array_get(json_object_get(row, name), k)));
        return values;
    };
    const auto along = [](const std::vector<double> &a, const std::vector<double> &b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    };
    ASSERT_EQ(json_array_size(rows), column("out.h5", "/contacts/distance").size());
    size_t boxes = 0, grounds = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const std::string a = json_string_value(json_object_get(row, "body_a")),
                          b = json_string_value(json_object_get(row, "body_b"));
        const std::vector<double> n = vector(row, "normal"), at = vector(row, "support_b_m");
        if (a == "ground") {
            EXPECT_TRUE(json_is_null(json_object_get(row, "support_a_m")));
            if (b == "ball") {
                EXPECT_NEAR(at[0], 0.4, 1e-15); // its shape is 0.05 m along y of a frame that is turned by 90 degrees
                EXPECT_NEAR(at[1], 0.3, 1e-15);
                EXPECT_NEAR(at[2], 0.3, 1e-15);
            }
            EXPECT_LE(at[2],
                      json_number_value(json_object_get(row, "distance_m")) + 1e-15); // the lowest of its corners
            grounds++;
        } else {
            EXPECT_EQ(a + b, "boxball");
            const double apart = along(n, at) - along(n, vector(row, "support_a_m"));
            EXPECT_NEAR(apart, json_number_value(json_object_get(row, "distance_m")), 1e-13);
            for (const char *name : {"a", "b"}) {
                const std::string support = std::string("support_") + name + "_m",
                                  point = std::string("point_") + name + "_m";
                EXPECT_NEAR(along(n, vector(row, support.c_str())), along(n, vector(row, point.c_str())), 1e-13);
            }
            boxes++;
        }
    }
    EXPECT_EQ(boxes, 1u);
    EXPECT_GE(grounds, 2u);
    json_decref(document);
}

// Two cubes of 1 m as a mesh, one sunk 1 cm into the other and both into the ground.
TEST_F(EvaluateCli, RegionsOfMeshes) {
    std::ofstream(folder / "cube.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                                          "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    std::ofstream(folder / "study.yaml")
        << "format: 1\nscene:\n  bodies:\n"
           "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
           "    low: {material: steel, shapes: [{mesh: {file: cube.obj}}]}\n"
           "    high: {material: steel, shapes: [{mesh: {file: cube.obj, scale: 0.5}}]}\nsolver: {end: 1}\n";
    const hid_t file = create();
    put(file, "position", {2, 3, 3}, {0, 0, 0, 0, 0, -0.02, 0.2, 0.3, 0.97, 0, 0, 0, 0, 0, 0.5, 0.2, 0.3, 5});
    put(file, "orientation", {2, 3, 4}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
    H5Fclose(file);
    const Outcome outcome = evaluate("in.h5 -d native -o out.h5");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("2 regions of meshes in 3 pairs of shapes each, largest indentation 0.02 m, 0 open, "
                               "engulfed or holes"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(column("out.h5", "n_regions"), (std::vector<double>{2, 0}));
    EXPECT_EQ(column("out.h5", "regions/body_b"), (std::vector<double>{1, 2}));
    const std::vector<double> areas = column("out.h5", "regions/area"),
                              depths = column("out.h5", "regions/indentation"),
                              volumes = column("out.h5", "regions/volume"),
                              normals = column("out.h5", "regions/normal"),
                              centroids = column("out.h5", "regions/centroid");
    EXPECT_NEAR(areas[0], 1, 1e-12);
    EXPECT_NEAR(areas[1], 0.25, 1e-9);
    EXPECT_NEAR(volumes[0], 0.02, 1e-12);
    EXPECT_NEAR(volumes[1], 0.0025, 1e-9);
    EXPECT_NEAR(depths[0], 0.02, 1e-12);
    EXPECT_NEAR(depths[1], 0.01, 1e-9);
    EXPECT_EQ(normals[2], 1);
    EXPECT_NEAR(normals[5], 1, 1e-9);
    EXPECT_NEAR(centroids[3], 0.45, 1e-9);
    EXPECT_NEAR(centroids[4], 0.55, 1e-9);
    const Outcome json = evaluate("in.h5 -d native -o out.h5 --json");
    json_t *said = json_loads(json.out.c_str(), 0, nullptr);
    ASSERT_NE(said, nullptr);
    EXPECT_EQ(json_integer_value(json_object_get(said, "regions")), 2);
    const json_t *rows = json_object_get(said, "region_rows");
    ASSERT_EQ(json_array_size(rows), 2u);
    EXPECT_NEAR(json_real_value(json_object_get(json_array_get(rows, 1), "area_m2")), 0.25, 1e-9);
    EXPECT_NEAR(json_real_value(json_object_get(json_array_get(rows, 1), "volume_m3")), 0.0025, 1e-9);
    json_decref(said);
    EXPECT_EQ(clack("run study.yaml").exit_code, 3); // no method steps them
    ASSERT_EQ(evaluate("in.h5 -d native -q -o out.h5 --plane fitted").exit_code, 0);
    EXPECT_NEAR(column("out.h5", "regions/area")[1], 0.25, 1e-9);
    EXPECT_EQ(evaluate("in.h5 -d native -q -o out.h5 --plane seed").exit_code, 2);
}

// A ball and a rounded box on a cube that is a mesh: what stands for them is told.
TEST_F(EvaluateCli, ConvexShapesOnMeshes) {
    std::ofstream(folder / "cube.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                                          "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    std::ofstream(folder / "study.yaml")
        << "format: 1\nscene:\n  bodies:\n"
           "    cube: {fixed: true, material: steel, shapes: [{mesh: {file: cube.obj}}]}\n"
           "    ball: {material: steel, shapes: [{sphere: {diameter: 0.4}, mesh_size: 0.02}]}\n"
           "    box: {material: steel, shapes: [{box: {lengths: [0.2, 0.2, 0.2]}}]}\nsolver: {end: 1}\n";
    const hid_t file = create();
    put(file, "position", {1, 3, 3}, {0, 0, 0, 0.3, 0.3, 1.19, 0.7, 0.7, 1.09});
    put(file, "orientation", {1, 3, 4}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
    H5Fclose(file);
    const Outcome outcome = evaluate("in.h5 -d native -o out.h5");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(
        outcome.err.find("shape:   0 of ball: 3920 triangles, about 470400 bytes; edges of curved faces up to 0.02 "
                         "m, at most 0.0003 m inside of it\n"),
        std::string::npos)
        << outcome.err;
    EXPECT_NE(
        outcome.err.find("shape:   0 of box: 12 triangles, about 1440 bytes; edges sharp, not rounded by 0.001 m\n"),
        std::string::npos)
        << outcome.err;
    const std::vector<double> depths = column("out.h5", "regions/indentation");
    ASSERT_EQ(depths.size(), 2u);
    EXPECT_NEAR(depths[0], 0.01, 3e-4);
    EXPECT_NEAR(depths[1], 0.01, 1e-12);
    const Outcome json = evaluate("in.h5 -d native -q -o out.h5 --json");
    json_t *said = json_loads(json.out.c_str(), 0, nullptr);
    ASSERT_NE(said, nullptr);
    const json_t *rows = json_object_get(said, "shape_meshes");
    ASSERT_EQ(json_array_size(rows), 2u);
    EXPECT_STREQ(json_string_value(json_object_get(json_array_get(rows, 1), "body")), "box");
    EXPECT_EQ(json_real_value(json_object_get(json_array_get(rows, 1), "smoothing_left_out_m")), 0.001);
    json_decref(said);
}

} // namespace
