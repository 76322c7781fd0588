// Trees of boxes: every triangle in one leaf, boxes hold what is below them, walks find what brute force finds;
// crossing triangles.
#include <set>

#include "mesh_builder.h"
#include "mesh_tree.h"
#include "shape_reference.h"

using namespace meshes;
using scenes::Draw;

namespace {

struct Tree {
    MeshTree tree{};
    explicit Tree(const Mesh *mesh) { EXPECT_EQ(mesh_tree_make(mesh, &tree, nullptr), CLACK_OK); }
    Tree(const Tree &) = delete;
    ~Tree() { mesh_tree_free(&tree); }
};

// A ring's triangles with others of any size among them, `count` in all.
Soup scattered(uint32_t count, uint64_t seed) {
    Draw draw(seed);
    Soup out;
    for (uint32_t t = 0; t < count; t++) {
        const double size = std::exp(draw.uniform(-8, 0));
        const double x = draw.uniform(-2, 2), y = draw.uniform(-1, 1), z = draw.uniform(-0.1, 0.1);
        for (int c = 0; c < 3; c++) {
            const Vec3 arm = draw.direction();
            out.points.push_back({x + size * arm.x, y + size * arm.y, z + size * arm.z});
        }
        out.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    return out;
}

void box_of(const Mesh *mesh, uint32_t triangle, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (uint32_t v : mesh->triangles[triangle].vertices) {
            low[k] = std::fmin(low[k], mesh->points[v][k]);
            high[k] = std::fmax(high[k], mesh->points[v][k]);
        }
    }
}

void expect_tree(const Mesh *mesh, const MeshTree &tree) {
    std::vector<int> seen(mesh->triangle_count, 0);
    uint32_t leaves = 0;
    ASSERT_EQ(tree.nodes[0].escape, tree.node_count);
    for (uint32_t n = 0; n < tree.node_count; n++) {
        const MeshNode &node = tree.nodes[n];
        ASSERT_GT(node.escape, n);
        ASSERT_LE(node.escape, tree.node_count);
        // An inner node has two children.
        EXPECT_EQ(node.count > 0 ? node.escape : tree.nodes[tree.nodes[n + 1].escape].escape,
                  node.count > 0 ? n + 1 : node.escape);
        EXPECT_LE(node.count, MESH_LEAF);
        leaves += node.count > 0;
        for (uint32_t i = 0; i < node.count; i++) seen[tree.order[node.first + i]]++;
        for (uint32_t below = n; below < node.escape; below++)
            for (uint32_t i = 0; i < tree.nodes[below].count; i++) {
                double low[3], high[3];
                box_of(mesh, tree.order[tree.nodes[below].first + i], low, high);
                for (int k = 0; k < 3; k++) {
                    ASSERT_LE(double(node.low[k]), low[k]);
                    ASSERT_GE(double(node.high[k]), high[k]);
                }
            }
    }
    for (int times : seen) ASSERT_EQ(times, 1);
    EXPECT_EQ(leaves, (mesh->triangle_count + MESH_LEAF - 1) / MESH_LEAF); // all full but one
}

TEST(MeshTree, EveryTriangleIsInOneLeafWhoseBoxesHoldIt) {
    for (uint32_t count : {1u, 3u, 4u, 5u, 8u, 9u, 17u, 100u, 1001u}) {
        const Built found(scattered(count, count));
        ASSERT_EQ(found->triangle_count, count);
        const Tree made(found.mesh);
        expect_tree(found.mesh, made.tree);
    }
    const Built ring(torus(1, 0.3, 40)); // middles that are equal along axes
    const Tree made(ring.mesh);
    expect_tree(ring.mesh, made.tree);
}

TEST(MeshTree, AWalkFindsWhatBruteForceFinds) {
    const Built found(scattered(2000, 5));
    const Tree made(found.mesh);
    Draw draw(6);
    uint32_t met = 0, looked = 0;
    for (int query = 0; query < 2000; query++) {
        const double size = std::exp(draw.uniform(-8, 1));
        double low[3], high[3];
        for (int k = 0; k < 3; k++) {
            low[k] = draw.uniform(-2, 2) - size;
            high[k] = low[k] + 2 * size;
        }
        std::set<uint32_t> walked;
        MeshWalk walk = {0, 0};
        for (uint32_t t = mesh_tree_next(&made.tree, low, high, &walk); t != MESH_NONE;
             t = mesh_tree_next(&made.tree, low, high, &walk)) {
            EXPECT_TRUE(walked.insert(t).second) << "twice: " << t;
            looked++;
        }
        for (uint32_t t = 0; t < found->triangle_count; t++) {
            double from[3], to[3];
            box_of(found.mesh, t, from, to);
            bool is_met = true;
            for (int k = 0; k < 3; k++) is_met = is_met && from[k] <= high[k] && low[k] <= to[k];
            met += is_met;
            EXPECT_GE(walked.count(t), is_met ? 1u : 0u) << "query " << query << ", triangle " << t;
        }
    }
    EXPECT_GT(met, 10000u);
    EXPECT_LT(looked, 2u * met); // of a leaf all four
}

// The order is a function of the surface alone, written down here: no address and no library's sort may change it.
TEST(MeshTree, TheSameEverywhere) {
    Soup soup = box(1, 2, 3);
    soup.add(octahedron(0.5).moved(0, 0, 4));
    const Built found(soup);
    const Tree made(found.mesh);
    const std::vector<uint32_t> order(made.tree.order, made.tree.order + found->triangle_count);
    EXPECT_EQ(order, (std::vector<uint32_t>{5, 4, 1, 0, 9, 10, 6, 7, 8, 11, 2, 3, 14, 17, 13, 18, 12, 15, 19, 16}));
}

TEST(MeshCrossing, IsFoundWhereSurfacesGoThroughEachOther) {
    uint32_t a = 0, b = 0;
    Soup soup = box(1, 1, 1);
    soup.add(octahedron(1).moved(1.5, 0.1, 0.2)); // a tip in the box
    const Built crossing(soup);
    const Tree made(crossing.mesh);
    ASSERT_TRUE(mesh_find_crossing(crossing.mesh, &made.tree, &a, &b));
    EXPECT_LT(crossing->origins[a], 12u);
    EXPECT_GE(crossing->origins[b], 12u);
}

// Apart, one in the other, flush, with a common vertex, and curved: none crosses.
TEST(MeshCrossing, IsNotFoundWhereSurfacesTouchOrAreApart) {
    const auto with = [](const Soup &other) {
        Soup soup = box(1, 1, 1);
        soup.add(other);
        return soup;
    };
    for (const Soup &soup :
         {with(octahedron(1).moved(3, 0, 0)), with(octahedron(0.5)), with(box(1, 1, 1).moved(2, 0, 0)),
          with(box(1, 1, 1).moved(2, 0.5, 0.25)), with(octahedron(1).moved(2, 1, 1)), torus(1, 0.3, 40)}) {
        uint32_t a = 0, b = 0;
        const Built found(soup);
        const Tree made(found.mesh);
        EXPECT_FALSE(mesh_find_crossing(found.mesh, &made.tree, &a, &b));
    }
}

// Across a vertex that both have, through its far side.
TEST(MeshCrossing, IsFoundOfNeighboursToo) {
    uint32_t a = 0, b = 0;
    Soup soup;
    soup.points = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 0.5, -1}, {0.5, 0.5, 1}};
    soup.triangles = {{0, 1, 2}, {0, 3, 4}};
    const Built found(soup);
    const Tree made(found.mesh);
    EXPECT_TRUE(mesh_find_crossing(found.mesh, &made.tree, &a, &b));
}

// Flush faces and tips on faces in any attitude, where rounding alone decides on which side a corner is.
TEST(MeshCrossing, IsNotFoundByRounding) {
    Draw draw(4);
    for (int i = 0; i < 300; i++) {
        uint32_t a = 0, b = 0;
        Soup soup = box(1, 1, 1);
        soup.add(i % 2 ? box(0.5, 0.5, 0.5).moved(1.5, 0.1, 0.2) : octahedron(1).moved(2, 0.1, 0.2));
        const Mat3 turn = draw.turn();
        for (auto &p : soup.points) {
            const Vec3 q = mat3_rotate(turn, vec3_make(p[0], p[1], p[2]));
            p = {q.x, q.y, q.z};
        }
        const Built found(soup);
        const Tree made(found.mesh);
        EXPECT_FALSE(mesh_find_crossing(found.mesh, &made.tree, &a, &b)) << i;
    }
}

// A tip that goes into a box less and less: told down to 1e-6 of the size.
TEST(MeshCrossing, IsToldDownToAMillionth) {
    for (double depth : {0.1, 1e-3, 1e-5, 1e-7, 1e-12, 0.0, -1e-12}) {
        uint32_t a = 0, b = 0;
        Soup soup = box(1, 1, 1);
        soup.add(octahedron(1).moved(2 - depth, 0.123, 0.234));
        const Built found(soup);
        const Tree made(found.mesh);
        EXPECT_EQ(mesh_find_crossing(found.mesh, &made.tree, &a, &b) != 0, depth > 1e-6) << depth;
    }
}

} // namespace
