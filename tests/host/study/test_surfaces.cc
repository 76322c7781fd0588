// Studies with meshes as they are: read for the evaluator alone, shared, scaled, weighed; what is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mass.h"
#include "mesh_builder.h"
#include "stage_mesh.h"
#include "study.h"
#include "study_folder.h"

namespace {

using meshes::Soup;

std::string obj(const Soup &soup) {
    std::string text;
    char line[128];
    for (const auto &p : soup.points) {
        snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
        text += line;
    }
    for (const auto &t : soup.triangles)
        text +=
            "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " + std::to_string(t[2] + 1) + "\n";
    return text;
}

struct Folder : StudyFolder {
    Folder() : StudyFolder("surface") {}
    void read(const std::string &bodies, bool takes_meshes = true, const std::string &more = "") {
        read_study("format: 1\nscene:\n  bodies:\n" + bodies + more + "solver: {end: 1}\n", takes_meshes);
    }
    bool tells(const std::string &what) const {
        for (const std::string &line : lines)
            if (line.find(what) != std::string::npos) return true;
        return false;
    }
};

const char *const FLOOR = "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n";

std::string body(const std::string &name, const std::string &mesh, const std::string &more = "") {
    return "    " + name + ": {material: steel, shapes: [{mesh: {" + mesh + "}}]" + more + "}\n";
}

TEST(Surfaces, AreReadForTheEvaluatorAlone) {
    Folder folder;
    folder.write("ring.obj", obj(meshes::torus(1, 0.3, 24)));
    folder.read(FLOOR + body("ring", "file: ring.obj"));
    ASSERT_EQ(folder.status, CLACK_OK) << folder.lines[0];
    EXPECT_TRUE(folder.lines.empty());
    ASSERT_EQ(folder.study->scene.mesh_count, 1u);
    EXPECT_EQ(folder.study->scene.shapes[1].kind, SHAPE_MESH);
    EXPECT_EQ(folder.study->scene.meshes[0]->head.triangle_count, 2u * 24u * 24u);
    folder.read(FLOOR + body("ring", "file: ring.obj"), false); // as `clack run` does
    EXPECT_EQ(folder.status, CLACK_STUDY);
    EXPECT_TRUE(folder.tells("scene.bodies.ring.shapes[0].mesh: expected \"solver.method: trapezoidal\", with which"));
}

TEST(Surfaces, AreSharedScaledAndWeighed) {
    Folder folder;
    folder.write("box.obj", obj(meshes::box(0.5, 1, 1.5)));
    folder.read(FLOOR + body("a", "file: box.obj") + body("b", "file: box.obj") +
                body("c", "file: box.obj, scale: 0.5") + body("d", "file: box.obj, scale: [1, 2, 1]"));
    ASSERT_EQ(folder.status, CLACK_OK) << folder.lines[0];
    const SceneDescription &scene = folder.study->scene;
    ASSERT_EQ(scene.mesh_count, 3u);
    EXPECT_EQ(scene.shapes[1].mesh, scene.shapes[2].mesh);
    for (uint32_t m = 0; m < 3; m++) EXPECT_EQ(scene.meshes[m]->number, m);
    const double volumes[] = {6, 6, 0.75, 12};
    for (uint32_t k = 0; k < 4; k++) {
        const MassProperties mass = mass_of_shape(&scene.shapes[k + 1], 8000);
        EXPECT_NEAR(mass.mass_kg, 8000 * volumes[k], 1e-9 * mass.mass_kg);
    }
    EXPECT_NEAR(mass_of_shape(&scene.shapes[4], 1).inertia_kg_m2[0][0], 12.0 / 12 * (16 + 9), 1e-9);
}

TEST(Surfaces, HaveToBeClosed) {
    Folder folder;
    Soup open = meshes::box(1, 1, 1);
    open.triangles.pop_back();
    folder.write("open.obj", obj(open));
    folder.read(FLOOR + body("a", "file: open.obj"));
    EXPECT_EQ(folder.status, CLACK_STUDY);
    EXPECT_TRUE(folder.tells("has one triangle, expected two"));
    EXPECT_TRUE(folder.tells("a mesh without `decompose` has to be closed"));
    EXPECT_TRUE(folder.tells("open.obj:"));
}

TEST(Surfaces, FindingsAreTold) {
    Folder folder;
    folder.write("inside_out.obj", obj(meshes::box(1, 1, 1).inside_out()));
    Soup crossed = meshes::box(1, 1, 1);
    crossed.add(meshes::box(1, 1, 1).moved(1, 0.3, 0.2));
    folder.write("crossed.obj", obj(crossed));
    folder.read(FLOOR + body("a", "file: inside_out.obj") + body("b", "file: crossed.obj, self_crossing: allowed"));
    EXPECT_EQ(folder.status, CLACK_OK);
    EXPECT_TRUE(folder.tells("is turned right side out"));
    EXPECT_TRUE(folder.tells("regions at a surface that crosses itself may be wrong"));
    for (const char *more : {"", ", self_crossing: refused"}) {
        folder.read(FLOOR + body("b", std::string("file: crossed.obj") + more));
        EXPECT_EQ(folder.status, CLACK_STUDY);
        EXPECT_TRUE(folder.tells("scene.bodies.b.shapes[0].mesh.file: expected a surface that does not cross itself"));
        EXPECT_TRUE(folder.tells("it crosses itself at its lines "));
    }
}

// Two warnings at one triangle are two, and one that is told of a file for two sizes is one.
TEST(Surfaces, EachFindingIsToldOnce) {
    Folder folder;
    std::filesystem::copy(CLACK_SOURCE_DIR "/tests/studies/wrong_mesh_crossing.obj", folder.path + "crossing.obj");
    const auto fixed = [](const std::string &name, const std::string &mesh) {
        return "    " + name + ": {fixed: true, material: steel, shapes: [{mesh: {" + mesh + "}}]}\n";
    };
    folder.read(fixed("a", "file: crossing.obj, self_crossing: allowed") +
                fixed("b", "file: crossing.obj, scale: 2, self_crossing: allowed"));
    EXPECT_EQ(folder.status, CLACK_OK);
    const std::vector<std::string> expected = {
        "crossing.obj:9:1: warning: a closed surface that was inside out is turned right side out (1 in all)",
        "crossing.obj:9:1: warning: this triangle crosses the one of line 19: regions at a surface that crosses itself "
        "may be wrong"};
    EXPECT_EQ(folder.lines, expected);
}

// Millimetres read as metres beside a body of three times the size or a third of it, and the other way round.
TEST(Surfaces, OtherUnitsAreWarnedOf) {
    Folder folder;
    folder.write("mm.obj", obj(meshes::box(30, 30, 30)));
    folder.write("m.obj", obj(meshes::box(0.03, 0.03, 0.03)));
    const auto box = [](const std::string &length) {
        return "    plate: {fixed: true, material: steel, shapes: [{box: {lengths: [" + length + ", 0.01, 0.01]}}]}\n";
    };
    for (const char *length : {"0.02", "0.06", "0.08", "0.18"}) {
        folder.read(box(length) + body("peg", "file: mm.obj"));
        ASSERT_EQ(folder.lines.size(), 1u) << length;
        EXPECT_TRUE(folder.tells("so `scale: 0.001` may be meant"));
        folder.read(box(length) + body("peg", "file: m.obj, scale: 0.001"));
        ASSERT_EQ(folder.lines.size(), 1u) << length;
        EXPECT_TRUE(folder.tells("so `scale: 1000` may be meant"));
        folder.read(box(length) + body("peg", "file: m.obj"));
        EXPECT_TRUE(folder.lines.empty()) << folder.lines[0];
    }
    // Of exactly 1,000 times each is told that is of a file: which of them is wrong is not known.
    folder.read(body("plate", "file: m.obj") + body("peg", "file: mm.obj", ", position: [90, 0, 0]"));
    EXPECT_TRUE(folder.tells("scene.bodies.plate.shapes[0].mesh.file: warning: expected a size"));
    EXPECT_TRUE(folder.tells("scene.bodies.peg.shapes[0].mesh.file: warning: expected a size"));
}

// A part without a volume among others weighs nothing, and is told.
TEST(Surfaces, FlatPartsAreToldAndThickSheetsAreNot) {
    Folder folder;
    Soup flat = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
    Soup both = meshes::box(1, 1, 1);
    both.add(flat.moved(3, 0, 0));
    folder.write("both.obj", obj(both));
    folder.write("sheet.obj", obj(meshes::box(1, 1, 1e-8)));
    folder.read(FLOOR + body("a", "file: both.obj"));
    ASSERT_EQ(folder.status, CLACK_OK) << folder.lines[0];
    ASSERT_EQ(folder.lines.size(), 1u);
    EXPECT_TRUE(folder.tells("both.obj:25:1: warning: a closed surface has no volume, so no inside"));
    EXPECT_NEAR(mass_of_shape(&folder.study->scene.shapes[1], 1).mass_kg, 8, 1e-12);
    folder.read(FLOOR + body("a", "file: sheet.obj"));
    EXPECT_EQ(folder.status, CLACK_OK);
    EXPECT_TRUE(folder.lines.empty());
}

TEST(Surfaces, WhatIsRefused) {
    Folder folder;
    folder.write("box.obj", obj(meshes::box(1, 1, 1)));
    folder.read(FLOOR + body("a", "file: box.obj, smoothing: 0.001"));
    EXPECT_TRUE(folder.tells("expected \"smoothing\" with \"decompose\" only"));
    folder.read(FLOOR + body("a", "file: box.obj, scale: {uniform: [1, 2]}"));
    EXPECT_EQ(folder.status, CLACK_STUDY);
    folder.read(FLOOR + body("a", "file: box.obj, scale: 0"));
    EXPECT_EQ(folder.status, CLACK_STUDY);
}

// Convex shapes that may touch a mesh: the meshes that stand for them.
TEST(Surfaces, MeetConvexShapesAsMeshes) {
    Folder folder;
    folder.write("box.obj", obj(meshes::box(1, 1, 1)));
    const auto balls = [](const std::string &more) {
        return "    ball: {count: 3, material: steel, shapes: [{sphere: {diameter: 1}" + more + "}]}\n";
    };
    folder.read(FLOOR + body("a", "file: box.obj") + balls(", mesh_size: 0.05"));
    ASSERT_EQ(folder.status, CLACK_OK) << folder.lines[0];
    StageMeshRow *rows = nullptr;
    uint32_t count = 0;
    ASSERT_EQ(stage_meshes_list(&folder.study->scene, &rows, &count, nullptr), CLACK_OK);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(rows[0].count, 3u);
    EXPECT_EQ(rows[0].body, 2u);
    EXPECT_EQ(rows[0].plan.mesh_size_m, 0.05);
    EXPECT_EQ(rows[0].plan.triangle_count, 20 * 14 * 14);
    free(rows);
    folder.read(FLOOR + body("a", "file: box.obj") + balls(", mesh_size: 1.0e-4"));
    EXPECT_EQ(folder.status, CLACK_STUDY);
    ASSERT_EQ(folder.lines.size(), 1u); // of three copies
    EXPECT_TRUE(
        folder.tells("study.yaml:6:83: scene.bodies.ball_1.shapes[0].mesh_size: expected a length that gives at "
                     "most 1000000 triangles, found 0.0001, which gives 8.75e+08"))
        << folder.lines[0];
    folder.read(FLOOR + body("a", "file: box.obj") + balls(", mesh_size: 1.0e-4"), true,
                "  ignore: [[a, ball]]\n"); // no mesh to meet
    EXPECT_EQ(folder.status, CLACK_OK) << folder.lines[0];
    ASSERT_EQ(stage_meshes_list(&folder.study->scene, &rows, &count, nullptr), CLACK_OK);
    EXPECT_EQ(count, 0u);
    free(rows);
}

} // namespace
