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
    folder.read(FLOOR + body("a", "file: inside_out.obj") + body("b", "file: crossed.obj"));
    EXPECT_EQ(folder.status, CLACK_OK);
    EXPECT_TRUE(folder.tells("is turned right side out"));
    EXPECT_TRUE(folder.tells("regions at a surface that crosses itself may be wrong"));
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
