// Mesh files: OBJ with its groups and polygons, STL, PLY in all three forms; damaged ones of each.
#include <cstring>

#include "mesh_builder.h"
#include "shape_reference.h"

using namespace meshes;
using scenes::Draw;

namespace {

using Lines = std::vector<std::string>;

std::vector<std::string> names_of(const MeshSource &source) {
    std::vector<std::string> out;
    for (uint32_t g = 0; g < source.group_count; g++)
        out.push_back(std::string(source.named[g].name) + " " + std::to_string(source.named[g].triangle_count));
    return out;
}

const std::string CORNER = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

// --- OBJ ------------------------------------------------------------------------------------------

TEST(MeshObj, GroupsAreThoseOfObjectsAndOfTheirGroups) {
    const Text file("a.obj", CORNER + "f 1 2 3\ng\nf 1 2 4\ng left part \nf 1 3 4\no body\nf 2 3 4\ng lid\nf 1 2 3\n"
                                      "g none\no body\nf 1 2 4\ng left part\nf 1 3 2\n");
    EXPECT_EQ(file.status, CLACK_OK);
    EXPECT_EQ(file.lines, Lines{});
    EXPECT_EQ(names_of(file.source), (Lines{" 2", "left part 1", "body 2", "body lid 1", "body left part 1"}));
    EXPECT_EQ(file.source.places[2], 9u);
}

TEST(MeshObj, UnknownStatementsAreToldOnceEach) {
    const Text file("a.obj", "# c\nmtllib m\n" + CORNER +
                                 "vn 0 0 1\nvt 0 0\ns off\nusemtl m\nF 1 2 3\ncurv 1 2\ncurv 3 4\n"
                                 "f 1 2 3\nl 1 2\np 1\n");
    EXPECT_EQ(file.status, CLACK_OK);
    const std::string after = " is none of the statements v, f, g and o that make a mesh of flat faces";
    EXPECT_EQ(file.lines,
              (Lines{"11:1: warning: left out: \"F\"" + after, "12:1: warning: left out: \"curv\"" + after}));
    EXPECT_EQ(file.source.triangle_count, 1u);
}

TEST(MeshObj, NumbersOfVerticesCountFromTheEndToo) {
    const Text file("a.obj",
                    "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -1/2/3 1//4 \\\n 2/7\nf 4 5 1\nv 9 9 9");
    ASSERT_EQ(file.status, CLACK_OK) << file.lines[0];
    const uint32_t expected[3][3] = {{0, 1, 2}, {3, 0, 1}, {3, 4, 0}};
    ASSERT_EQ(file.source.triangle_count, 3u);
    EXPECT_EQ(std::memcmp(file.source.corners, expected, sizeof expected), 0);
    EXPECT_EQ(file.source.places[2], 8u);
}

double area_of(const MeshSource &source) {
    double sum = 0;
    for (uint32_t t = 0; t < source.triangle_count; t++) {
        const double *a = source.points[source.corners[t][0]], *b = source.points[source.corners[t][1]];
        const double *c = source.points[source.corners[t][2]];
        sum += 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
    }
    return sum;
}

// Polygons in the plane z = 0, in order of their corners from any of them on: the triangles have the polygon's area,
// and none is turned.
TEST(MeshObj, PolygonsAreCutFromACornerThatSeesAllOfThem) {
    const std::vector<std::vector<std::array<double, 2>>> all = {
        {{0, 0}, {2, 0}, {2, 1}, {0, 1}},                       // a rectangle
        {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {0, 1}},               // a corner between two others
        {{0, 0}, {2, 0}, {2, 2}, {1, 0.5}},                     // concave: seen from two corners
        {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 3}, {0, 3}},       // an L: from two
        {{0, 0}, {1, 0}, {1.5, 0.9}, {0.5, 1.5}, {-0.5, 0.9}}}; // convex
    const double areas[] = {2, 2, 1.5, 6, 1.95};
    for (size_t i = 0; i < all.size(); i++)
        for (size_t from = 0; from < all[i].size(); from++) {
            std::string text, face = "f";
            for (size_t k = 0; k < all[i].size(); k++) {
                const auto &p = all[i][(from + k) % all[i].size()];
                text += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " 0\n";
                face += " " + std::to_string(k + 1);
            }
            const Text file("a.obj", text + face + "\n");
            ASSERT_EQ(file.status, CLACK_OK);
            EXPECT_EQ(file.source.uncut_count, 0u) << i << " from " << from;
            EXPECT_EQ(file.source.bent_count, 0u);
            ASSERT_EQ(file.source.triangle_count, all[i].size() - 2);
            EXPECT_NEAR(area_of(file.source), areas[i], 1e-14) << i << " from " << from;
            for (uint32_t t = 0; t < file.source.triangle_count; t++) {
                MeshSource one = file.source;
                one.triangle_count = 1;
                one.corners += t;
                EXPECT_GE(area_of(one), 0) << i << " from " << from;
            }
        }
}

TEST(MeshObj, PolygonsThatNoCornerSeesAndThoseThatAreBentAreCounted) {
    const Text star("a.obj",
                    "v 0 0 0\nv 1 2 0\nv 2 0 0\nv 4 3 0\nv 2 2 0\nv 1 4 0\nv 0 2 0\nv -2 3 0\n\nf 1 2 3 4 5 6 7 8");
    EXPECT_EQ(star.source.uncut_count, 1u);
    EXPECT_EQ(star.source.uncut_place, 10u);
    EXPECT_EQ(star.source.triangle_count, 0u);
    const Text saddle("a.obj", "v 0 0 0\nv 1 0 0.1\nv 1 1 0\nv 0 1 0.1\nf 1 2 3 4\n");
    EXPECT_EQ(saddle.source.bent_count, 1u);
    EXPECT_NEAR(saddle.source.bent_m, 0.05, 1e-15);
    EXPECT_EQ(saddle.source.triangle_count, 2u);
}

// --- STL ------------------------------------------------------------------------------------------

std::string facet(const std::string &a, const std::string &b, const std::string &c) {
    return "facet normal 0 0 1\nouter loop\nvertex " + a + "\nvertex " + b + "\nvertex " + c + "\nendloop\nendfacet\n";
}

TEST(MeshStl, SolidsOfATextAreGroups) {
    const std::string one = facet("0 0 0", "1 0 0", "0 1 0");
    const Text file("a.stl", "solid left vertex\n" + one + one + "endsolid left vertex\nsolid\n" + one + "endsolid\n");
    EXPECT_EQ(file.status, CLACK_OK);
    EXPECT_EQ(file.lines, Lines{});
    EXPECT_EQ(names_of(file.source), (Lines{"left vertex 2", " 1"}));
    EXPECT_EQ(file.source.places[1], 11u);
    const Text odd("a.stl", "solid\n" + one + "colour 3\nsolids\nendsolid");
    EXPECT_EQ(odd.lines, (Lines{"9:1: warning: left out: \"colour\" is no word of an STL file"}));
}

TEST(MeshStl, FacetsOfOtherThanThreeAreTold) {
    const Text file("a.stl",
                    "solid\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n" + facet("0 0 0", "1 0 0", "0 1 0"));
    EXPECT_EQ(file.status, CLACK_STUDY);
    EXPECT_EQ(file.lines, (Lines{"5:1: expected 3 vertices of a triangle, found 2"}));
}

// --- PLY ------------------------------------------------------------------------------------------

const char *const PLY_HEAD = " 1.0\ncomment made by hand\nelement vertex 4\nproperty double x\nproperty uchar red\n"
                             "property float y\nproperty double z\nelement edge 1\nproperty list uchar short ends\n"
                             "property int weight\nelement face 2\nproperty float shade\n"
                             "property list uint8 int32 vertex_indices\nend_header\n";

template <typename T> std::string packed(T value, bool is_big) {
    std::string out(reinterpret_cast<const char *>(&value), sizeof value);
    return is_big ? std::string(out.rbegin(), out.rend()) : out;
}

std::string ply_binary(bool is_big) {
    std::string out = std::string("ply\nformat ") + (is_big ? "binary_big_endian" : "binary_little_endian") + PLY_HEAD;
    const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.1}};
    for (const auto &p : points)
        out += packed(p[0], is_big) + packed(uint8_t(200), is_big) + packed(float(p[1]), is_big) + packed(p[2], is_big);
    out += packed(uint8_t(2), is_big) + packed(int16_t(-1), is_big) + packed(int16_t(2), is_big) + packed(7, is_big);
    out += packed(0.5f, is_big) + packed(uint8_t(3), is_big);
    for (int corner : {0, 1, 2}) out += packed(corner, is_big);
    out += packed(0.5f, is_big) + packed(uint8_t(4), is_big);
    for (int corner : {0, 1, 2, 3}) out += packed(corner, is_big);
    return out;
}

void expect_ply(const Text &file) {
    ASSERT_EQ(file.status, CLACK_OK) << file.lines[0];
    ASSERT_EQ(file.source.point_count, 4u);
    ASSERT_EQ(file.source.triangle_count, 3u);
    EXPECT_EQ(file.source.points[3][2], 0.1); // doubles to the last bit
    const uint32_t expected[3][3] = {{0, 1, 2}, {0, 1, 2}, {0, 2, 3}};
    EXPECT_EQ(std::memcmp(file.source.corners, expected, sizeof expected), 0);
}

TEST(MeshPly, TextAndBothByteOrdersAreTheSame) {
    expect_ply(
        Text("a.ply", std::string("ply\nformat ascii") + PLY_HEAD +
                          "0 200 0 0\n1 200 0 0\n1 200 1 0\n0 200 1 0.1\n2 -1 2 7\n0.5 3 0 1 2\n0.5 4 0 1 2 3\n"));
    expect_ply(Text("a.PLY", ply_binary(false)));
    expect_ply(Text("a.ply", ply_binary(true)));
}

TEST(MeshPly, WhatIsWrongIsToldWithItsPlace) {
    const std::string whole = ply_binary(false);
    const auto bytes = [](size_t count) { return "at byte " + std::to_string(count); };
    EXPECT_EQ(Text("a.ply", whole.substr(0, whole.size() - 3)).lines,
              (Lines{"expected more bytes for what its header counts, found the end " + bytes(whole.size() - 3)}));
    std::string wrong = whole;
    wrong[whole.size() - 4] = 4;
    EXPECT_EQ(Text("a.ply", wrong).lines,
              (Lines{"face 2: expected the number of a vertex of the file, from 0, found 4 before byte " +
                     std::to_string(whole.size())}));
    wrong = whole;
    const size_t first = wrong.find("end_header\n") + 11;
    wrong.replace(first, 8, packed(double(NAN), false));
    EXPECT_EQ(Text("a.ply", wrong).lines.size(), 1u);
    EXPECT_NE(Text("a.ply", wrong).lines[0].find(bytes(first)), std::string::npos);
    EXPECT_EQ(Text("a.ply", "plx\n").lines, (Lines{"1:1: expected a PLY file, which begins with a line \"ply\""}));
    EXPECT_EQ(Text("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n").lines,
              (Lines{"5:1: expected a format and vertices with x, y and z before it"}));
    EXPECT_EQ(Text("a.ply", "ply\nformat ascii 1.0\nelement vertex x\n").lines,
              (Lines{"3:16: expected a whole number of elements, at most 100,000,000, found \"x\""}));
    EXPECT_EQ(Text("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\n").lines,
              (Lines{"4:10: expected a type such as float, double, uchar or int, found \"half\""}));
}

// --- damage ---------------------------------------------------------------------------------------

// Bytes changed and files cut, at random: read or told, and never beyond the end (run with the sanitizers as well).
TEST(MeshFiles, DamagedOnesAreReadOrTold) {
    const std::string obj = CORNER + "g a\nf 1 2 3\nf 1 2 3 4\no b\nf -1 -2 -3\n";
    const std::string text = "solid a\n" + facet("0 0 0", "1 0 0", "0 1 0") + "endsolid a\n";
    std::string binary(84 + 100, '\0');
    binary[80] = 2;
    const std::pair<const char *, std::string> all[] = {{"a.obj", obj},
                                                        {"a.stl", text},
                                                        {"a.stl", binary},
                                                        {"a.ply", ply_binary(false)},
                                                        {"a.ply", std::string("ply\nformat ascii") + PLY_HEAD}};
    Draw draw(1);
    uint32_t read = 0, told = 0;
    for (const auto &one : all)
        for (int i = 0; i < 4000; i++) {
            std::string bytes = one.second;
            for (int k = 0; k <= i % 4; k++)
                bytes[size_t(draw.uniform(0, 1) * double(bytes.size()))] = char(draw.uniform(0, 256));
            if (i % 3 == 0) bytes.resize(size_t(draw.uniform(0, 1) * double(bytes.size())));
            const Text file(one.first, bytes);
            ASSERT_TRUE(file.status == CLACK_OK || file.status == CLACK_STUDY);
            for (uint32_t t = 0; t < 3 * file.source.triangle_count; t++)
                ASSERT_LT(file.source.corners[t / 3][t % 3], file.source.point_count);
            ASSERT_TRUE(file.status == CLACK_OK || !file.lines.empty());
            (file.status == CLACK_OK ? read : told)++;
        }
    EXPECT_GT(read, 1000u);
    EXPECT_GT(told, 1000u);
}

} // namespace
