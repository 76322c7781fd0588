// Surfaces: welding, edges, what is wrong with them and where, orientation; mass properties against closed forms.
#include <algorithm>
#include <map>

#include "mesh_builder.h"
#include "shape_reference.h"

using namespace meshes;
using scenes::Draw;

namespace {

// --- welding --------------------------------------------------------------------------------------

TEST(MeshWeld, CornersOfTrianglesBecomeVertices) {
    const Built found(torus(1, 0.3, 40).apart());
    EXPECT_EQ(found->vertex_count, 1600u);
    EXPECT_EQ(found->triangle_count, 3200u);
    EXPECT_EQ(found->edge_count, 4800u); // V - E + F = 0
    EXPECT_EQ(found->component_count, 1u);
    EXPECT_EQ(found->welded_near, 0u);
    EXPECT_TRUE(mesh_is_closed(found.mesh));
}

// Within 1e-9 of the longest side, of every size and far from the origin; beyond it, apart.
TEST(MeshWeld, WithinTheToleranceAndNoFarther) {
    for (double size : {1e-6, 1.0, 1e6})
        for (double share : {0.4, 4.0}) {
            Soup soup = torus(1, 0.3, 20).apart().moved(0, 0, 0, size);
            Draw draw(7);
            for (auto &p : soup.points) {
                const Vec3 by = draw.direction();
                const double arm = 0.5 * share * MESH_WELD_SHARE * 2.6 * size;
                p = {p[0] + arm * by.x, p[1] + arm * by.y, p[2] + arm * by.z};
            }
            const Built found(soup);
            if (share < 1) {
                EXPECT_EQ(found->vertex_count, 400u) << size;
                EXPECT_GT(found->welded_near, 1900u);
            } else {
                EXPECT_GT(found->vertex_count, 1000u) << size;
            }
            EXPECT_EQ(mesh_is_closed(found.mesh) != 0, share < 1);
        }
}

// Vertices across a border of cells are found too: every place of a point within a cell, against a search of all.
TEST(MeshWeld, AsASearchOfAllPairs) {
    Draw draw(3);
    Soup soup = box(1, 1, 1);
    for (int k = 0; k < 600; k++) {
        const double x = draw.uniform(-1, 1), y = draw.uniform(-1, 1), z = draw.uniform(-1, 1), w = 1.5e-9;
        const uint32_t first = uint32_t(soup.points.size());
        for (int c = 0; c < 3; c++)
            soup.points.push_back({x + draw.uniform(-w, w), y + draw.uniform(-w, w), z + draw.uniform(-w, w)});
        soup.triangles.push_back({first, first + 1, first + 2});
    }
    std::vector<std::array<double, 3>> kept;
    for (const auto &p : soup.points) {
        const auto is_near = [&p](const std::array<double, 3> &q) {
            return std::pow(p[0] - q[0], 2) + std::pow(p[1] - q[1], 2) + std::pow(p[2] - q[2], 2) <= 4e-18;
        };
        if (std::none_of(kept.begin(), kept.end(), is_near)) kept.push_back(p);
    }
    const Built found(soup);
    EXPECT_EQ(found->tolerance_m, 2e-9);
    ASSERT_EQ(found->vertex_count, kept.size());
    EXPECT_LT(kept.size(), soup.points.size() - 300); // there is something to weld
    for (size_t k = 0; k < kept.size(); k++)
        for (int i = 0; i < 3; i++) EXPECT_EQ(found->points[k][i], kept[k][i]);
}

// Of two vertices that are apart a point between them becomes the first.
TEST(MeshWeld, APointBetweenTwoBecomesTheFirst) {
    for (int swapped = 0; swapped < 2; swapped++) {
        Soup soup = box(1, 1, 1);
        // On both sides of a border of cells, which are 3.2e-8 wide.
        const double middle = -0.371 * 3.2e-8, arm = swapped ? -1.5e-9 : 1.5e-9;
        const double first = middle + arm, second = middle - arm;
        for (double x : {first, second, middle, 0.5, 0.25}) soup.points.push_back({x, x == 0.25 ? 0.5 : 0.0, 0});
        for (uint32_t corner : {8u, 9u, 10u}) soup.triangles.push_back({corner, corner == 10 ? 0u : 11u, 12});
        const Built found(soup);
        ASSERT_EQ(found->vertex_count, 12u);
        EXPECT_EQ(found->points[found->triangles[12].vertices[0]][0], first);
        EXPECT_EQ(found->points[found->triangles[13].vertices[0]][0], second);
        EXPECT_EQ(found->points[found->triangles[14].vertices[0]][0], first);
    }
}

// --- edges ----------------------------------------------------------------------------------------

TEST(MeshEdges, EachKnowsItsTrianglesAndTheseTheirNeighbours) {
    const Built found(torus(1, 0.3, 12));
    std::map<std::pair<uint32_t, uint32_t>, int> sides;
    for (uint32_t t = 0; t < found->triangle_count; t++)
        for (uint32_t k = 0; k < 3; k++) {
            const MeshTriangle &triangle = found->triangles[t];
            const uint32_t a = triangle.vertices[k], b = triangle.vertices[(k + 1) % 3];
            const MeshEdge &edge = found->edges[triangle.edges[k]];
            EXPECT_EQ(edge.low, std::min(a, b));
            EXPECT_EQ(edge.high, std::max(a, b));
            EXPECT_EQ(triangle.neighbours[k], edge.triangles[0] == t ? edge.triangles[1] : edge.triangles[0]);
            EXPECT_TRUE(edge.triangles[0] == t || edge.triangles[1] == t);
            sides[{a, b}]++;
        }
    for (const auto &side : sides) EXPECT_EQ(sides.count({side.first.second, side.first.first}), 1u);
    EXPECT_EQ(sides.size(), 2 * found->edge_count);
}

TEST(MeshEdges, AHoleIsToldWithItsTriangleAndItsEdge) {
    Soup soup = box(1, 2, 3);
    soup.triangles.erase(soup.triangles.begin() + 3); // 4, 7, 6
    const Built found(soup);
    EXPECT_FALSE(mesh_is_closed(found.mesh));
    EXPECT_EQ(mesh_gap(found.mesh), MESH_OPEN);
    EXPECT_EQ(found.count(MESH_OPEN), 3u);
    EXPECT_EQ(found.told(MESH_OPEN), "3: the edge from [-1, -2, 3] to [1, 2, 3] has one triangle, expected two: fill "
                                     "the hole, or merge vertices that are apart (3 open edges in all)");
}

// A vertex in the middle of a neighbour's edge is no hole that one sees.
TEST(MeshEdges, AVertexBetweenTheEndsOfAnEdgeIsTold) {
    Soup soup = box(1, 1, 1);
    soup.points.push_back({0, 0, 1}); // on the diagonal of the lid, one of whose halves it splits
    soup.triangles[2] = {4, 5, 8};
    soup.triangles.push_back({5, 7, 8});
    const Built found(soup);
    EXPECT_EQ(found.count(MESH_OPEN), 3u);
    EXPECT_NE(found.told(MESH_OPEN).find("lies along another one that has a vertex in between or an end elsewhere"),
              std::string::npos)
        << found.told(MESH_OPEN);
}

TEST(MeshEdges, ThreeTrianglesAtAnEdgeAreTold) {
    Soup soup = box(1, 1, 1);
    soup.triangles.push_back({0, 3, 7}); // a wall inside, on edges 0-3, 3-7 and 7-0
    const Built found(soup);
    EXPECT_EQ(found.count(MESH_CROWDED), 2u);
    EXPECT_EQ(found.count(MESH_OPEN), 1u);
    EXPECT_NE(found.told(MESH_CROWDED).find("13: the edge from [-1, -1, -1] to [1, 1, -1] has more than two triangles"),
              std::string::npos)
        << found.told(MESH_CROWDED);
}

TEST(MeshEdges, TrianglesThatAreNoneOrThereAlreadyAreToldAndLeftOut) {
    Soup soup = box(1, 1, 1);
    soup.triangles.push_back({0, 2, 2});
    soup.triangles.push_back({2, 2, 0});
    soup.triangles.push_back({2, 0, 2});
    soup.triangles.push_back({3, 0, 2}); // the first one again
    soup.triangles.push_back({7, 4, 5}); // another one, even
    const Built found(soup);
    EXPECT_TRUE(mesh_is_closed(found.mesh));
    EXPECT_EQ(found->triangle_count, 12u);
    EXPECT_EQ(found.told(MESH_DROPPED), "13: a triangle with two corners in one place is left out (3 in all)");
    EXPECT_EQ(found.told(MESH_DOUBLED), "16: a triangle that is there already is left out (2 in all)");
    EXPECT_EQ(mesh_weigh(found.mesh).volume_m3, 8);
}

// A triangle of three points in a line keeps its neighbours together.
TEST(MeshEdges, SliversAreToldAndKept) {
    Soup soup = box(1, 1, 1);
    soup.points.push_back({0, 0, 1}); // on the diagonal 4-7 of the lid
    soup.triangles[2] = {4, 5, 8};
    soup.triangles.push_back({5, 7, 8});
    soup.triangles.push_back({4, 8, 7});
    const Built found(soup);
    EXPECT_TRUE(mesh_is_closed(found.mesh));
    EXPECT_EQ(found.told(MESH_SLIVER), "14: a triangle without an area is kept, as its neighbours need it (1 in all)");
    EXPECT_NEAR(mesh_weigh(found.mesh).volume_m3, 8, 1e-14);
}

TEST(MeshEdges, NothingButWhatIsNoTriangleIsRefused) {
    Soup soup;
    soup.points = {{0, 0, 0}, {1, 0, 0}};
    soup.triangles = {{0, 1, 1}};
    EXPECT_EQ(Built(soup).status, CLACK_STUDY);
}

// --- orientation ----------------------------------------------------------------------------------

TEST(MeshOrient, ATriangleThatIsTurnedIsToldAndStays) {
    Soup soup = box(1, 1, 1);
    std::swap(soup.triangles[4][1], soup.triangles[4][2]);
    const Built found(soup);
    EXPECT_FALSE(mesh_is_closed(found.mesh));
    EXPECT_EQ(mesh_gap(found.mesh), MESH_TURNED);
    EXPECT_EQ(found.count(MESH_TURNED), 3u);
    EXPECT_EQ(found.count(MESH_FLIPPED), 0u);
    EXPECT_NE(found.told(MESH_TURNED).find("takes the other side for outside: make the normals consistent (3"),
              std::string::npos)
        << found.told(MESH_TURNED);
}

TEST(MeshOrient, WhatIsInsideOutIsTurnedAndTold) {
    const Built found(torus(1, 0.3, 10).inside_out());
    EXPECT_EQ(found.told(MESH_FLIPPED), "1: a closed surface that was inside out is turned right side out (1 in all)");
    EXPECT_GT(mesh_weigh(found.mesh).volume_m3, 0);
    for (uint32_t t = 0; t < found->triangle_count; t++) // edges and neighbours turned with the vertices
        for (uint32_t k = 0; k < 3; k++) {
            const MeshTriangle &triangle = found->triangles[t];
            const MeshEdge &edge = found->edges[triangle.edges[k]];
            EXPECT_EQ(edge.low, std::min(triangle.vertices[k], triangle.vertices[(k + 1) % 3]));
            EXPECT_EQ(triangle.neighbours[k], edge.triangles[0] == t ? edge.triangles[1] : edge.triangles[0]);
        }
}

// Two bodies beside each other, each orientation of each; a hollow one, and the same with everything inside out.
TEST(MeshOrient, CavitiesStayAndBodiesAreTurned) {
    for (int turned = 0; turned < 4; turned++) {
        Soup soup = turned & 1 ? box(1, 1, 1).inside_out() : box(1, 1, 1);
        soup.add((turned & 2 ? octahedron(0.5).inside_out() : octahedron(0.5)).moved(3, 0, 0));
        const Built beside(soup);
        EXPECT_EQ(beside->component_count, 2u);
        EXPECT_NEAR(mesh_weigh(beside.mesh).volume_m3, 8 + 1.0 / 6, 1e-14);
        EXPECT_EQ(beside.count(MESH_FLIPPED), uint32_t(turned & 1) + uint32_t(turned >> 1));
        EXPECT_EQ(beside.count(MESH_CAVITY), 0u);
    }
    Soup hollow = box(1, 1, 1);
    hollow.add(octahedron(0.5).inside_out());
    for (const Soup &soup : {hollow, hollow.inside_out()}) {
        const Built found(soup);
        EXPECT_NEAR(mesh_weigh(found.mesh).volume_m3, 8 - 1.0 / 6, 1e-14);
        EXPECT_EQ(found.count(MESH_CAVITY), 1u);
    }
}

// --- mass -----------------------------------------------------------------------------------------

void expect_moments(const SolidMoments &found, double volume, const double inertia[3], double tolerance) {
    EXPECT_NEAR(found.volume_m3, volume, tolerance * volume);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            EXPECT_NEAR(found.inertia_m5[i][k], i == k ? inertia[i] : 0, tolerance * inertia[2]) << i << k;
}

TEST(MeshMass, BoxAndOctahedron) {
    const double x = 0.5, y = 1, z = 1.5, v = 8 * x * y * z;
    const double of_box[3] = {v / 3 * (y * y + z * z), v / 3 * (z * z + x * x), v / 3 * (x * x + y * y)};
    const Built one(box(x, y, z).moved(10, -20, 30));
    const SolidMoments found = mesh_weigh(one.mesh);
    expect_moments(found, v, of_box, 1e-13);
    EXPECT_NEAR(found.centroid_m[1], -20, 1e-13);
    const double r = 2, w = 4.0 / 3 * r * r * r, each = w * r * r / 5; // mass r^2 / 5 about each axis
    const double of_octahedron[3] = {each, each, each};
    expect_moments(mesh_weigh(Built(octahedron(r)).mesh), w, of_octahedron, 1e-14);
}

// The mean of its corners, from which the integrals begin, is not its centroid.
TEST(MeshMass, Pyramid) {
    const double a = 2, h = 3, v = a * a * h / 3;
    Soup soup;
    soup.points = {{-a / 2, -a / 2, 0}, {a / 2, -a / 2, 0}, {a / 2, a / 2, 0}, {-a / 2, a / 2, 0}, {0, 0, h}};
    soup.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
    const double radial = v * (a * a / 20 + 3 * h * h / 80), inertia[3] = {radial, radial, v * a * a / 10};
    const SolidMoments found = mesh_weigh(Built(soup.moved(100, 0, 0)).mesh);
    expect_moments(found, v, inertia, 1e-13);
    EXPECT_NEAR(found.centroid_m[0], 100, 1e-13);
    EXPECT_NEAR(found.centroid_m[2], h / 4, 1e-14);
}

// The volume and inertia of a ring come nearer to the torus' by 4 with each halving.
TEST(MeshMass, TorusBySecondOrder) {
    const double major = 1, minor = 0.3, v = 2 * PI * PI * major * minor * minor;
    const double axial = v * (major * major + 0.75 * minor * minor);
    const double radial = v * (0.5 * major * major + 0.625 * minor * minor);
    double before = 0;
    for (uint32_t n : {20u, 40u, 80u, 160u}) {
        const SolidMoments found = mesh_weigh(Built(torus(major, minor, n)).mesh);
        const double off = std::fabs(found.inertia_m5[2][2] - axial) / axial;
        EXPECT_LT(std::fabs(found.volume_m3 - v) / v, 20.0 / (n * n));
        EXPECT_LT(std::fabs(found.inertia_m5[0][0] - radial) / radial, 40.0 / (n * n));
        if (before > 0) {
            EXPECT_NEAR(before / off, 4, 0.1) << n;
        }
        before = off;
    }
    EXPECT_LT(before, 2e-3);
}

TEST(MeshMass, PartsAddUpToTheWhole) {
    const Built left(box(1, 1, 1).moved(-1, 0, 0)), right(box(0.5, 1, 1).moved(0.5, 0, 0));
    const SolidMoments a = mesh_weigh(left.mesh), b = mesh_weigh(right.mesh), both = solid_add(&a, &b);
    const SolidMoments whole = mesh_weigh(Built(box(1.5, 1, 1).moved(-0.5, 0, 0)).mesh);
    EXPECT_NEAR(both.centroid_m[0], -0.5, 1e-15);
    for (int i = 0; i < 3; i++) EXPECT_NEAR(both.inertia_m5[i][i], whole.inertia_m5[i][i], 1e-13);
}

} // namespace
