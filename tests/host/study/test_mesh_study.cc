// Studies with `mesh: {decompose: groups}`: hulls of groups as shapes of one body, what it weighs, warnings, what
// varies.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "hull.h"
#include "mass.h"
#include "mesh_builder.h"
#include "sample.h"
#include "study.h"
#include "study_folder.h"

namespace {

using meshes::Soup;

// OBJ text of groups, their faces counted from `first` on.
std::string obj(const std::vector<std::pair<std::string, Soup>> &groups) {
    std::string text;
    size_t first = 1;
    char line[256];
    for (const auto &group : groups) {
        if (!group.first.empty()) text += "g " + group.first + "\n";
        for (const auto &p : group.second.points) {
            snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
            text += line;
        }
        for (const auto &t : group.second.triangles)
            text += "f " + std::to_string(t[0] + first) + " " + std::to_string(t[1] + first) + " " +
                    std::to_string(t[2] + first) + "\n";
        first += group.second.points.size();
    }
    return text;
}

struct Folder : StudyFolder { // a study of one body
    std::string others, end;  // other bodies; the end of the study
    Folder() : StudyFolder("mesh") {}
    /// `body`: what stands in its map beside the material.
    void read(const std::string &body) {
        read_study("format: 1\nscene:\n  bodies:\n"
                   "    floor: {fixed: true, material: steel, shapes: [{half_space: {offset: -100}}]}\n"
                   "    part: {material: steel, " +
                   body + "}\n" + others + "solver: {end: 1}\n" + end);
    }
    void read_mesh(const std::string &mesh) { read("shapes: [{mesh: {" + mesh + ", decompose: groups}}]"); }
    const SceneBody &body() const { return study->scene.bodies[1]; }
    const SceneShape &shape(uint32_t k) const { return study->scene.shapes[body().shape_first + k]; }
    MassProperties mass() const {
        MassProperties out{};
        EXPECT_EQ(mass_of_body(&study->scene, 1, &out, nullptr), CLACK_OK);
        return out;
    }
    double volume() const { // of what is made of steel
        double density = 0;
        for (uint32_t m = 0; m < study->scene.material_count; m++)
            density = std::fmax(density, study->scene.materials[m].density_kg_per_m3);
        return mass().mass_kg / density;
    }
};

const std::vector<std::string> NOTHING;

// Three boxes side by side weigh as the one that they make, and touch as three hulls.
TEST(MeshStudy, GroupsAreHullsOfOneBody) {
    Folder f;
    f.write("bar.obj", obj({{"left", meshes::box(1, 1, 1).moved(-2, 0, 0)},
                            {"middle", meshes::box(1, 1, 1)},
                            {"right", meshes::box(1, 1, 1).moved(2, 0, 0)}}));
    f.read("shapes: [{sphere: {diameter: 0.1}, material: observer}, {mesh: {file: bar.obj, decompose: groups}, "
           "position: [0, 0, 1], contact_radius: 0.5}, {sphere: {diameter: 0.2}, material: observer}]");
    ASSERT_EQ(f.status, CLACK_OK) << f.lines[0];
    EXPECT_EQ(f.lines, NOTHING);
    ASSERT_EQ(f.body().shape_count, 5u);
    EXPECT_EQ(f.study->scene.shape_count, 6u);
    for (uint32_t k = 0; k < 5; k++) EXPECT_EQ(f.shape(k).kind, k == 0 || k == 4 ? SHAPE_SPHERE : SHAPE_HULL) << k;
    EXPECT_EQ(f.shape(4).size_m[0], 0.2);
    for (uint32_t k : {1u, 2u, 3u}) {
        EXPECT_EQ(f.shape(k).position_m[2], 1);
        EXPECT_EQ(f.shape(k).contact_radius_m, 0.5);
        EXPECT_NEAR(f.shape(k).hull->volume_m3, 8, 1e-14);
    }
    EXPECT_NEAR(f.shape(1).hull->centroid_m[0], -2, 1e-15);
    EXPECT_NEAR(f.shape(3).hull->centroid_m[0], 2, 1e-15);
    const MassProperties mass = f.mass();
    const double kg = mass.mass_kg;
    EXPECT_NEAR(f.volume(), 24, 1e-13);
    EXPECT_NEAR(mass.com_m[2], 1, 1e-15);
    EXPECT_NEAR(mass.inertia_kg_m2[0][0], kg / 12 * 8, 1e-13 * kg);
    EXPECT_NEAR(mass.inertia_kg_m2[1][1], kg / 12 * 40, 1e-12 * kg);
    ASSERT_EQ(f.study->mesh_count, 1u);
    EXPECT_EQ(f.study->meshes[0].hulls, 3u);
    EXPECT_EQ(f.study->meshes[0].triangles, 36u);
    EXPECT_EQ(f.study->meshes[0].vertices, 24u);
    EXPECT_EQ(f.study->meshes[0].components, 3u);
    EXPECT_TRUE(f.study->meshes[0].is_closed);
}

// A closed surface cut into open groups weighs as it is, not as the hulls, which overlap.
TEST(MeshStudy, OpenGroupsOfAClosedSurfaceWeighAsThatSurface) {
    Folder f;
    const Soup box = meshes::box(1, 1, 1);
    const std::string text = obj({{"", box}});
    size_t at = 0, face = 0;
    std::string grouped;
    while (at < text.size()) {
        const size_t end = text.find('\n', at) + 1;
        const std::string line = text.substr(at, end - at);
        if (line[0] == 'f' && face++ % 6 == 0) grouped += face == 1 ? "g one\n" : "g other\n";
        grouped += line;
        at = end;
    }
    f.write("cut.obj", grouped);
    f.read_mesh("file: cut.obj");
    ASSERT_EQ(f.status, CLACK_OK) << f.lines[0];
    EXPECT_EQ(f.lines, NOTHING);
    ASSERT_EQ(f.body().shape_count, 2u);
    EXPECT_GT(f.shape(0).hull->volume_m3 + f.shape(1).hull->volume_m3, 12);
    EXPECT_NEAR(f.volume(), 8, 1e-13);
    // Without one of its faces it is open: told, and as the hulls.
    const size_t last = grouped.rfind("f ");
    f.write("cut.obj", grouped.substr(0, last));
    f.read_mesh("file: cut.obj");
    ASSERT_EQ(f.status, CLACK_OK);
    ASSERT_EQ(f.lines.size(), 1u);
    EXPECT_NE(f.lines[0].find("has one triangle, expected two"), std::string::npos) << f.lines[0];
    EXPECT_NE(f.lines[0].find("as the surface is not closed, the mass of the body is that of the hulls"),
              std::string::npos);
    EXPECT_NEAR(f.volume(), f.shape(0).hull->volume_m3 + f.shape(1).hull->volume_m3, 1e-13);
    // Of no matter where the mass is given.
    f.read("mass: {mass: 1, inertia: [1, 1, 1]}, shapes: [{mesh: {file: cut.obj, decompose: groups}}]");
    EXPECT_EQ(f.lines, NOTHING);
}

TEST(MeshStudy, AHullThatFillsAHollowIsWarnedOfWithTheRatio) {
    Folder f;
    const Soup ring = meshes::torus(1, 0.3, 40);
    f.write("ring.obj", obj({{"block", meshes::box(1, 1, 1).moved(9, 0, 0)}, {"ring", ring}}));
    f.read_mesh("file: ring.obj, scale: [1, 2, 3]");
    ASSERT_EQ(f.status, CLACK_OK);
    const double hull_m3 = f.shape(1).hull->volume_m3, volume_m3 = mesh_weigh(meshes::Built(ring).mesh).volume_m3;
    char text[256];
    snprintf(text, sizeof text,
             "ring.obj:1623:1: warning: the hull of group \"ring\" has %.4g times its volume, since it fills its "
             "hollows: cut it into more convex groups",
             hull_m3 / 6 / volume_m3);
    EXPECT_EQ(f.lines, std::vector<std::string>{text});
    EXPECT_GT(hull_m3 / 6 / volume_m3, 1.5);
    EXPECT_NEAR(f.volume(), 6 * (8 + volume_m3), 1e-12);
    f.read("shapes: [{hull: {file: ring.obj, scale: [1, 2, 3]}}]");
    ASSERT_EQ(f.lines.size(), 1u);
    EXPECT_NE(f.lines[0].find("study.yaml:5:52: scene.bodies.part.shapes[0].hull.file: warning: the hull has"),
              std::string::npos)
        << f.lines[0];
    f.write("box.obj", obj({{"", meshes::box(1, 2, 3)}}));
    f.read("shapes: [{hull: {file: box.obj}}]");
    EXPECT_EQ(f.lines, NOTHING);
}

TEST(MeshStudy, GroupsThatOverlapAreWarnedOf) {
    Folder f;
    f.write("over.obj", obj({{"one", meshes::box(1, 1, 1)}, {"other", meshes::box(1, 0.5, 0.4).moved(1, 0.1, 0.2)}}));
    f.read_mesh("file: over.obj");
    ASSERT_EQ(f.lines.size(), 1u);
    EXPECT_NE(f.lines[0].find("of group \"one\" crosses the one of line"), std::string::npos) << f.lines[0];
    EXPECT_NE(f.lines[0].find("counts twice in the mass of the body"), std::string::npos);
    EXPECT_NEAR(f.volume(), 8 + 1.6, 1e-13);
}

// What varies of a mesh varies of all its hulls alike.
TEST(MeshStudy, ItsNumbersMayVary) {
    Folder f;
    f.end = "design: {monte_carlo: {samples: 2}}\n";
    f.write("two.obj", obj({{"a", meshes::box(1, 1, 1)}, {"b", meshes::box(1, 1, 1).moved(2, 0, 0)}}));
    f.read("shapes: [{mesh: {file: two.obj, decompose: groups, scale: {uniform: [1, 2]}}, position: [0, {uniform: [3, "
           "4]}, 0], rotation: {random: {}}}]");
    ASSERT_EQ(f.status, CLACK_OK) << f.lines[0];
    ASSERT_EQ(f.study->parameter_count, 6u);
    std::vector<double> values(6);
    SceneDescription scene = {};
    ASSERT_EQ(sample_numbered(f.study, 1, values.data(), &scene, nullptr), CLACK_OK);
    const SceneShape &one = scene.shapes[1], &other = scene.shapes[2];
    EXPECT_GT(one.size_m[0], 1);
    EXPECT_GT(one.position_m[1], 3);
    EXPECT_EQ(one.size_m[0], other.size_m[0]);
    EXPECT_EQ(one.position_m[1], other.position_m[1]);
    EXPECT_EQ(std::memcmp(&one.rotation, &other.rotation, sizeof one.rotation), 0);
    MassProperties mass{};
    ASSERT_EQ(mass_of_body(&scene, 1, &mass, nullptr), CLACK_OK);
    EXPECT_NEAR(mass.mass_kg, 16 * std::pow(one.size_m[0], 3) * scene.materials[one.material].density_kg_per_m3,
                1e-9 * mass.mass_kg);
    scene_free(&scene);
}

// Copies of a body share the hulls; another smoothing or scale makes others.
TEST(MeshStudy, CopiesShareTheirHulls) {
    Folder f;
    f.write("two.obj", obj({{"a", meshes::box(1, 1, 1)}, {"b", meshes::octahedron(1).moved(3, 0, 0)}}));
    f.read("count: 50, position: [0, 0, '=10*number'], shapes: [{mesh: {file: two.obj, decompose: groups}}]");
    ASSERT_EQ(f.status, CLACK_OK) << f.lines[0];
    EXPECT_EQ(f.study->scene.hull_count, 2u);
    EXPECT_EQ(f.study->scene.shape_count, 101u);
    EXPECT_EQ(f.study->mesh_count, 1u);
    EXPECT_EQ(f.study->meshes[0].bodies, 50u);
    f.others = "    b: {material: steel, shapes: [{mesh: {file: two.obj, decompose: groups, smoothing: 0.01}}]}\n";
    f.read_mesh("file: two.obj");
    EXPECT_EQ(f.study->scene.hull_count, 4u);
    EXPECT_EQ(f.study->mesh_count, 2u);
}

TEST(MeshStudy, OtherUnitsAreWarnedOf) {
    Folder f;
    f.others = "    ball: {material: steel, position: [9, 0, 0], shapes: [{sphere: {diameter: 0.1}}]}\n";
    f.write("box.obj", obj({{"", meshes::box(60, 1, 1)}}));
    const std::string scale = ", so `scale: ";
    f.read_mesh("file: box.obj");
    ASSERT_EQ(f.lines.size(), 1u);
    EXPECT_EQ(f.lines[0],
              "study.yaml:5:52: scene.bodies.part.shapes[0].mesh.file: warning: expected a size that goes "
              "with the other bodies, whose longest shape is 0.1 m long, found 120 m: files have no units, so "
              "`scale: 0.001` may be meant");
    f.read_mesh("file: box.obj, scale: 0.2501"); // 300.1 times as long
    EXPECT_EQ(f.lines.size(), 1u);
    f.read_mesh("file: box.obj, scale: 0.2499");
    EXPECT_EQ(f.lines, NOTHING);
    f.read("shapes: [{hull: {file: box.obj, scale: 2.77e-6}}]"); // 300.8 times as short
    ASSERT_EQ(f.lines.size(), 1u);
    EXPECT_NE(f.lines[0].find("shortest shape is 0.1 m long, found 0.0003324 m"), std::string::npos) << f.lines[0];
    EXPECT_NE(f.lines[0].find("`scale: 1000`"), std::string::npos);
    f.read("shapes: [{hull: {file: box.obj, scale: 2.79e-6}}]");
    EXPECT_EQ(f.lines, NOTHING);
}

// All that is found of surfaces, each once, with its place.
TEST(MeshStudy, NothingIsLeftOutSilently) {
    Folder f;
    std::string text = obj({{"a", meshes::box(1, 1, 1).inside_out()}, {"b", meshes::box(1, 1, 1).moved(5, 0, 0)}});
    text += "f 9 9 10\nf 9 11 12\nv 5 0 1\n";
    f.write("odd.obj", text);
    f.read_mesh("file: odd.obj");
    ASSERT_EQ(f.status, CLACK_OK) << f.lines[0];
    const std::vector<std::string> expected = {
        "odd.obj:10:1: warning: a closed surface that was inside out is turned right side out (1 in all)",
        "odd.obj:43:1: warning: a triangle with two corners in one place is left out (1 in all)",
        "odd.obj:44:1: warning: a triangle that is there already is left out (1 in all)"};
    EXPECT_EQ(f.lines, expected);
    EXPECT_NEAR(f.volume(), 16, 1e-13);
}

} // namespace
