// Functions of time in studies: tables as splines, from the study and from files; expressions of variables.
#include <gtest/gtest.h>

#include <cmath>

#include "model/time_function.h"
#include "sample.h"
#include "stage_internal.h"
#include "study_folder.h"

namespace {

struct Folder : StudyFolder {
    Folder() : StudyFolder("function") {}
    // A slide with this motion.
    void read(const std::string &function, const std::string &more = "") {
        read_study("format: 1\n" + more +
                   "scene:\n  bodies:\n    world: {fixed: true}\n"
                   "    cart: {mass: {mass: 1, inertia: [1, 1, 1]}}\n"
                   "  joints:\n    slide: {kind: prismatic, between: [world, cart], at: [0, 0, 0], axis: [1, 0, 0], "
                   "motion: {travel: " +
                   function + "}}\nsolver: {method: trapezoidal, end: 1}\n");
    }
    std::vector<FunctionRow> rows() const {
        std::vector<FunctionRow> out(study->scene.function_count);
        stage_functions(&study->scene, out.data());
        return out;
    }
};

// Where pieces meet, value, rate and second derivative are the same from both sides; at the ends it stands still.
void expect_spline(const std::vector<FunctionRow> &rows) {
    const uint32_t count = uint32_t(rows.size());
    ASSERT_EQ(rows[0].code, FUNCTION_TABLE);
    ASSERT_EQ(rows[0].count, count - 1);
    for (uint32_t i = 2; i + 1 < count; i++) {
        const double t = rows[i].time_s;
        const TimeValue at = time_function(rows.data(), count, t);
        const TimeValue before = time_function(rows.data(), count, std::nextafter(t, -1e9));
        EXPECT_NEAR(double(at.value), double(rows[i].value), 1e-15);
        EXPECT_NEAR(double(before.value), double(at.value), 1e-14);
        EXPECT_NEAR(double(before.rate), double(at.rate), 1e-13);
        EXPECT_NEAR(double(before.second_derivative), double(at.second_derivative), 1e-12);
    }
    EXPECT_EQ(rows[1].slope, 0);
    EXPECT_EQ(rows[count - 1].slope, 0);
}

TEST(Functions, TablesAreSplinesThatStandStillAtTheirEnds) {
    Folder f;
    f.read("{table: [[0, 0], [0.3, 0.2], [0.5, -0.1], [1.1, 0.4], [1.2, 0.4]]}");
    ASSERT_EQ(f.status, CLACK_OK) << (f.lines.empty() ? "" : f.lines[0]);
    const std::vector<FunctionRow> listed = f.rows();
    ASSERT_EQ(listed.size(), 6u);
    expect_spline(listed);
    EXPECT_NE(listed[2].slope, 0);
    f.write("path.csv", "t,travel\n0,0\n0.3,0.2\n0.5,-0.1\n1.1,0.4\n1.2,0.4\n");
    f.read("{table: path.csv}");
    ASSERT_EQ(f.status, CLACK_OK) << (f.lines.empty() ? "" : f.lines[0]);
    const std::vector<FunctionRow> filed = f.rows();
    ASSERT_EQ(filed.size(), listed.size());
    for (size_t i = 0; i < filed.size(); i++) {
        EXPECT_EQ(filed[i].time_s, listed[i].time_s);
        EXPECT_EQ(filed[i].value, listed[i].value);
        EXPECT_EQ(filed[i].slope, listed[i].slope);
    }
}

TEST(Functions, WrongTablesInFilesAreTold) {
    Folder f;
    f.write("back.csv", "t,travel\n0,0\n0.3,0.2\n0.2,0.1\n");
    f.read("{table: back.csv}");
    ASSERT_EQ(f.lines.size(), 1u);
    EXPECT_NE(f.lines[0].find("expected times that rise, found 0.2 after 0.3 in row 3 of \"back.csv\""),
              std::string::npos)
        << f.lines[0];
    f.write("wide.csv", "t,x,y\n0,0,0\n1,1,1\n");
    f.read("{table: wide.csv}");
    ASSERT_EQ(f.lines.size(), 1u);
    EXPECT_NE(f.lines[0].find("expected a file with 2 columns, time and value, found 3"), std::string::npos)
        << f.lines[0];
    f.read("{table: none.csv}");
    EXPECT_EQ(f.status, CLACK_IO);
}

TEST(Functions, ExpressionsTakeTheVariablesOfEachScene) {
    Folder f;
    f.read("\"=a*sin(w*t)*(2 + 3)\"", "variables: {a: {uniform: [1, 2]}, w: {uniform: [3, 9]}}\n"
                                      "design: {monte_carlo: {samples: 3, seed: 5}}\n");
    ASSERT_EQ(f.status, CLACK_OK) << (f.lines.empty() ? "" : f.lines[0]);
    double last = 0;
    for (uint64_t number = 0; number < 3; number++) {
        double values[2];
        SceneDescription scene{};
        ASSERT_EQ(sample_numbered(f.study, number, values, &scene, nullptr), CLACK_OK);
        const SceneJoint &joint = scene.joints[0];
        std::vector<FunctionRow> rows(scene.function_count);
        stage_functions(&scene, rows.data());
        const double right = values[0] * std::sin(values[1] * 0.7) * 5;
        EXPECT_NEAR(stage_function_at(&scene, joint.drive_first, joint.drive_count, 0.7), right, 1e-14);
        EXPECT_NEAR(double(time_function(rows.data(), joint.drive_count, 0.7).value), right, 1e-14);
        EXPECT_EQ(rows.back().code, FUNCTION_NONE); // 2 + 3 has been folded
        EXPECT_NE(right, last);
        last = right;
        scene_free(&scene);
    }
}

} // namespace
