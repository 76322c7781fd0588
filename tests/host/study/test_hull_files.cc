// Studies with hulls: points in place and in OBJ and STL files, their errors with the file's own line, and
// the files in the provenance.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "hull.h"
#include "sample.h"
#include "study.h"
#include "study_folder.h"

namespace {

struct Folder : StudyFolder {
    std::string end; // of the study
    Folder() : StudyFolder("hull") {}
    // One body per hull, given as flow maps.
    void read(const std::vector<std::string> &hulls) {
        std::string text = "format: 1\nscene:\n  bodies:\n"
                           "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n";
        for (size_t k = 0; k < hulls.size(); k++)
            text += "    b" + std::to_string(k) + ": {material: steel, shapes: [{hull: " + hulls[k] + "}]}\n";
        testing::internal::CaptureStderr(); // nor does qhull print
        read_study(text + "solver: {end: 1}\n" + end);
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    }
    const SceneHull *hull(size_t body) const { return study->scene.shapes[body + 1].hull; }
    void expect_volume(const std::string &hull_text, uint32_t vertices, double volume) {
        read({hull_text});
        ASSERT_EQ(status, CLACK_OK) << (lines.empty() ? "" : lines[0]);
        EXPECT_EQ(hull(0)->vertex_count, vertices);
        EXPECT_NEAR(hull(0)->volume_m3, volume, 1e-14 * volume + 1e-15);
    }
    void expect_error(const std::string &hull_text, const std::vector<std::string> &expected) {
        read({hull_text});
        EXPECT_EQ(status, CLACK_STUDY);
        EXPECT_EQ(lines, expected);
    }
};

const char *const CUBE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";

std::string text_stl() {
    std::string text = "solid vertex of a corner\n";
    const char *const corners[4][3] = {{"0 0 0", "0 1 0", "1 0 0"},
                                       {"0 0 0", "1 0 0", "0 0 1"},
                                       {"0 0 0", "0 0 1", "0 1 0"},
                                       {"1 0 0", "0 1 0", "0 0 1.0E+00"}};
    for (const auto &facet : corners) {
        text += "  facet normal nan 0 0\r\n    outer loop\r\n";
        for (const char *corner : facet) text += std::string("      vertex ") + corner + "\r\n";
        text += "    endloop\n  endfacet\n";
    }
    return text + "endsolid\n";
}

std::string binary_stl(float far, const std::string &header) {
    const float corners[4][9] = {{0, 0, 0, 0, 1, 0, 1, 0, 0},
                                 {0, 0, 0, 1, 0, 0, 0, 0, 1},
                                 {0, 0, 0, 0, 0, 1, 0, 1, 0},
                                 {1, 0, 0, 0, 1, 0, 0, 0, far}};
    std::string bytes = header;
    bytes.resize(80, ' ');
    const uint32_t count = 4;
    bytes.append(reinterpret_cast<const char *>(&count), 4);
    for (const auto &facet : corners) {
        bytes.append(12, '\0');
        bytes.append(reinterpret_cast<const char *>(facet), sizeof facet);
        bytes.append(2, '\0');
    }
    return bytes;
}

TEST(HullStudy, PointsScaleAndSharing) {
    Folder f;
    f.end = "design: {monte_carlo: {samples: 2}}\n";
    const std::string corner = "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]";
    f.read({"{" + corner + ", smoothing: 0}", "{" + corner + ", scale: 0.5, smoothing: 0}",
            "{" + corner + ", scale: [1, 2, 3], smoothing: 0}",
            "{" + corner + ", scale: {uniform: [1, 3]}, smoothing: 0}"});
    ASSERT_EQ(f.status, CLACK_OK) << f.lines[0];
    EXPECT_EQ(f.study->scene.hull_count, 2u); // three bodies share one
    EXPECT_EQ(f.hull(0), f.hull(1));
    EXPECT_EQ(f.hull(0), f.hull(3));
    EXPECT_NEAR(f.hull(0)->volume_m3, 1.0 / 6, 1e-15);
    EXPECT_NEAR(f.hull(2)->volume_m3, 1, 1e-14);
    EXPECT_EQ(f.hull(2)->row_first, f.hull(0)->row_count);
    EXPECT_EQ(f.study->scene.shapes[2].size_m[0], 0.5);
    ASSERT_EQ(f.study->parameter_count, 1u);
    EXPECT_STREQ(f.study->parameters[0].name, "scene.bodies.b3.shapes[0].hull.scale");
    const double value = 2.5;
    SceneDescription scene = {};
    ASSERT_EQ(sample_scene(f.study, &value, &scene, nullptr), CLACK_OK);
    EXPECT_EQ(scene.shapes[4].size_m[0], 2.5);
    EXPECT_EQ(scene.shapes[4].hull, f.hull(0));
    scene_free(&scene);
}

// In metres at the least scale; rounded ones are shared where the share of their size is the same.
TEST(HullStudy, SmoothingAndItsDefault) {
    Folder f;
    f.end = "design: {monte_carlo: {samples: 2}}\n";
    const std::string corner = "points: [[0, 0, 0], [0.2, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]";
    f.read({"{" + corner + "}", "{" + corner + ", scale: 0.5, smoothing: 0.0005}", "{" + corner + ", scale: 0.01}",
            "{" + corner + ", scale: {uniform: [2, 3]}, smoothing: 0.004}"});
    ASSERT_EQ(f.status, CLACK_OK) << f.lines[0];
    EXPECT_EQ(f.hull(0)->smoothing_m, 1e-3);
    EXPECT_EQ(f.hull(0), f.hull(1));
    // The far corner goes to (0.2 - 7 rho, rho, rho): no more than a quarter of 0.1 m.
    EXPECT_NEAR(f.hull(2)->smoothing_m, 0.025 / std::sqrt(51), 1e-15);
    EXPECT_EQ(f.hull(3)->smoothing_m, 2e-3);
}

TEST(HullStudy, ObjFiles) {
    Folder f;
    f.write("points.obj", std::string("# no faces\no cube\n") + CUBE);
    f.expect_volume("{file: points.obj}", 8, 1);
    f.write("faces.OBJ", std::string("mtllib x.mtl\n") + CUBE +
                             "vn 0 0 1\nf 1 2 4 3\nf -4/1/1 -3/1/1 -1/1/1 -2/1/1\nf 1//1 2//1 6//1 "
                             "\\\n5//1\nf 3 4 8\nf 1 3 7 5 \r\nf 2 4 8 6");
    f.expect_volume("{file: faces.OBJ, scale: [2, 3, 0.5]}", 8, 3);
    f.write("colours.obj", "\tv  0 0 0 1 0 0\r\n v 1 0 0 1\nv 0 1 0\nv 0 0 1\n");
    f.expect_volume("{file: colours.obj}", 4, 1.0 / 6);
    f.write("same.obj", CUBE);
    f.read({"{file: same.obj}", "{file: same.obj, scale: 2}", "{file: points.obj}"});
    ASSERT_EQ(f.status, CLACK_OK);
    EXPECT_EQ(f.study->scene.hull_count, 2u); // at another scale another share of it is round
    EXPECT_EQ(f.hull(0), f.hull(2));
    ASSERT_EQ(f.study->input_count, 5u); // study, two palettes, each file once
    EXPECT_EQ(f.study->inputs[3].path, f.path + "same.obj");
    EXPECT_EQ(std::string(f.study->inputs[3].text, f.study->inputs[3].text_bytes), CUBE);
    EXPECT_EQ(f.study->inputs[4].path, f.path + "points.obj");
}

TEST(HullStudy, StlFiles) {
    Folder f;
    f.write("text.stl", text_stl());
    f.expect_volume("{file: text.stl}", 4, 1.0 / 6);
    f.write("bytes.stl", binary_stl(1, "binary"));
    f.expect_volume("{file: bytes.stl}", 4, 1.0 / 6);
    f.write("liar.STL", binary_stl(1, "solid, says the header\n"));
    f.expect_volume("{file: liar.STL, scale: 2}", 4, 1.0 / 6);
}

TEST(HullStudy, WrongFilesAreToldWithTheirOwnLine) {
    Folder f;
    f.write("bad.obj", "v 0 0 0\nv 1 0 x\nv 1 0\nv 1e999 0 0\nf 1 2 5\nf 1 2\nf 0 1 2\nf -5 1 2\nf 1 2 3/1 x\n");
    f.expect_error("{file: bad.obj}",
                   {"bad.obj:2:7: expected a number, one of the 3 coordinates of a vertex, found \"x\"",
                    "bad.obj:3:6: expected a number, one of the 3 coordinates of a vertex, found the end of the line",
                    "bad.obj:4:3: expected a number, one of the 3 coordinates of a vertex, found \"1e999\"",
                    "bad.obj:5:7: expected the number of a vertex of the file, found \"5\"",
                    "bad.obj:6:6: expected 3 or more vertices of a face, found the end of the line",
                    "bad.obj:7:3: expected the number of a vertex of the file, found \"0\"",
                    "bad.obj:8:3: expected the number of a vertex of the file, found \"-5\"",
                    "bad.obj:9:11: expected the number of a vertex of the file, found \"x\""});
    f.write("none.obj", "hello\n");
    f.expect_error("{file: none.obj}", {"none.obj:1:1: warning: left out: \"hello\" is none of the statements v, f, g "
                                        "and o that make a mesh of flat faces",
                                        "none.obj:1:1: expected lines \"v x y z\" of an OBJ file, found none"});
    f.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n");
    f.expect_error("{file: flat.obj}",
                   {"study.yaml:5:50: scene.bodies.b0.shapes[0].hull.file: expected points that are not "
                    "all in one plane, found 4 that are"});
    std::string text = text_stl();
    text.replace(text.find("0 1 0"), 5, "0 _ 0");
    f.write("bad.stl", text);
    f.expect_error("{file: bad.stl}",
                   {"bad.stl:5:16: expected a number, one of the 3 coordinates of a vertex, found \"_\""});
    f.write("short.stl", "solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\n");
    f.expect_error("{file: short.stl}", {"short.stl:5:1: expected 3 vertices for each triangle, found 2"});
    f.write("cut.stl", binary_stl(1, "binary").substr(0, 250));
    f.expect_error("{file: cut.stl}",
                   {"cut.stl: expected 284 bytes, 84 and 50 for each of the 4 triangles that bytes 81 to 84 count, "
                    "found 250"});
    f.write("empty.stl", "");
    f.expect_error("{file: empty.stl}",
                   {"empty.stl: expected an STL file, text that begins with \"solid\" or 84 bytes and "
                    "50 for each triangle, found 0 bytes of another kind"});
    f.write("inf.stl", binary_stl(INFINITY, "binary"));
    f.expect_error("{file: inf.stl}", {"inf.stl: triangle 4: expected finite coordinates, found inf at byte 278"});
    f.read({"{file: missing.obj}"});
    EXPECT_EQ(f.status, CLACK_IO);
    ASSERT_EQ(f.lines.size(), 1u);
    const std::string told = "expected a file that can be read, found missing.obj: No such file or directory";
    EXPECT_NE(f.lines[0].find(told), std::string::npos) << f.lines[0];
}

} // namespace
