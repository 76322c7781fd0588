// Contact regions of surfaces made in code, by the kernels' functions, without a device.
#ifndef CLACK_TESTS_REGION_SCENE_H
#define CLACK_TESTS_REGION_SCENE_H

#include <random>

#include "mesh_builder.h"
#include "mesh_table.h"

#include "regions/region_query.h"

namespace regions {

using meshes::PI;
using meshes::Soup;
using meshes::torus;

/// 20 * 4^level triangles, inscribed into a sphere.
inline Soup icosphere(int level, double radius = 1) {
    const double g = (1 + std::sqrt(5.0)) / 2;
    Soup s;
    s.points = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    s.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                   {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                   {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    auto onto = [](std::array<double, 3> p) {
        const double l = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        return std::array<double, 3>{p[0] / l, p[1] / l, p[2] / l};
    };
    for (auto &p : s.points) p = onto(p);
    for (int k = 0; k < level; k++) {
        Soup fine; // welded when the mesh is made
        auto middle = [&](uint32_t a, uint32_t b) {
            if (a > b) std::swap(a, b);
            std::array<double, 3> m{};
            for (int i = 0; i < 3; i++) m[size_t(i)] = s.points[a][size_t(i)] + s.points[b][size_t(i)];
            return onto(m);
        };
        for (auto &t : s.triangles) {
            const uint32_t first = uint32_t(fine.points.size());
            for (uint32_t c : t) fine.points.push_back(s.points[c]);
            for (size_t c = 0; c < 3; c++) fine.points.push_back(middle(t[c], t[(c + 1) % 3]));
            for (std::array<uint32_t, 3> n : {std::array<uint32_t, 3>{0, 3, 5}, {1, 4, 3}, {2, 5, 4}, {3, 4, 5}})
                fine.triangles.push_back({first + n[0], first + n[1], first + n[2]});
        }
        s = fine;
    }
    for (auto &p : s.points)
        for (double &x : p) x *= radius;
    return s;
}

/// A box of these lengths, each face of n by n squares.
inline Soup grid_box(double x, double y, double z, uint32_t n) {
    Soup out;
    const double h[3] = {x / 2, y / 2, z / 2};
    for (size_t axis = 0; axis < 3; axis++)
        for (int side : {-1, 1}) {
            const uint32_t base = uint32_t(out.points.size());
            for (uint32_t i = 0; i <= n; i++)
                for (uint32_t k = 0; k <= n; k++) {
                    std::array<double, 3> p{};
                    p[axis] = side * h[axis];
                    p[(axis + 1) % 3] = h[(axis + 1) % 3] * (2.0 * i / n - 1);
                    p[(axis + 2) % 3] = h[(axis + 2) % 3] * (2.0 * k / n - 1);
                    out.points.push_back(p);
                }
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t k = 0; k < n; k++) {
                    const uint32_t a = base + i * (n + 1) + k, b = a + n + 1, c = b + 1, d = a + 1;
                    std::array<uint32_t, 3> one{a, b, c}, other{a, c, d};
                    if (side < 0) {
                        std::swap(one[1], one[2]);
                        std::swap(other[1], other[2]);
                    }
                    out.triangles.push_back(one);
                    out.triangles.push_back(other);
                }
        }
    return out;
}

/// A pipe about z with walls between two radii.
inline Soup pipe(uint32_t n, double outer_m, double inner_m, double length_m) {
    Soup out;
    for (uint32_t i = 0; i < n; i++) {
        const double u = 2 * PI * (i + 0.3) / n;
        for (double z : {-length_m / 2, length_m / 2})
            for (double r : {outer_m, inner_m}) out.points.push_back({r * std::cos(u), r * std::sin(u), z});
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = 4 * i, b = 4 * ((i + 1) % n); // low outer, low inner, high outer, high inner
        for (std::array<uint32_t, 4> q : {std::array<uint32_t, 4>{a, b, b + 2, a + 2},
                                          {a + 1, a + 3, b + 3, b + 1},
                                          {a, a + 1, b + 1, b},
                                          {a + 2, b + 2, b + 3, a + 3}}) {
            out.triangles.push_back({q[0], q[1], q[2]});
            out.triangles.push_back({q[0], q[2], q[3]});
        }
    }
    return out;
}

/// A surface in the kernels' tables.
struct Surface {
    SceneMesh *table = nullptr;
    explicit Surface(const Soup &soup) {
        meshes::Built built(soup);
        EXPECT_TRUE(mesh_is_closed(built.mesh));
        EXPECT_EQ(mesh_table_make(built.mesh, &table, nullptr), CLACK_OK);
    }
    Surface(const Surface &) = delete;
    ~Surface() { mesh_table_free(table); }
    MeshView view() const {
        MeshTables tables = {&table->head,  table->vertices, table->triangles, table->edges,
                             table->spokes, table->nodes,    table->parts};
        return mesh_view(&tables, 0);
    }
    double longest_edge_m() const {
        double longest = 0;
        for (u32 e = 0; e < table->head.edge_count; e++)
            longest = std::fmax(longest, vec3_length(vec3_sub(table->vertices[table->edges[e].high].at_m,
                                                              table->vertices[table->edges[e].low].at_m)));
        return longest;
    }
};

struct Pose {
    Quat turn{1, 0, 0, 0};
    Vec3 place{0, 0, 0};
};

inline Pose moved(Vec3 place, Vec3 axis = {0, 0, 1}, double angle_rad = 0) {
    return {quat_exp(vec3_scale(vec3_normalize(axis), angle_rad)), place};
}

inline Pose in_world(const Pose &world, const Pose &p) {
    return {quat_multiply(world.turn, p.turn), vec3_add(world.place, quat_rotate(world.turn, p.place))};
}

struct Region : RegionShape { // in the world
    u32 flags = 0;
    double depth_m() const { return depth_first_m + depth_second_m; }
};

/// Lists of one slot, and queries with them.
struct Query {
    std::vector<RegionSegment> segments;
    std::vector<RegionLoop> loops;
    std::vector<RegionInside> inside;
    std::vector<RegionCell> edge_cells, vertex_cells;
    RegionWork work{};
    u32 flags = 0;
    bool has_room = true;
    MeshPair posed{};
    std::vector<Region> regions;

    explicit Query(u32 room_segments = 4096, u32 room_vertices = 32768)
        : segments(room_segments), loops(room_segments), inside(room_vertices), edge_cells(2 * room_segments),
          vertex_cells(2 * room_vertices) {
        work.segments = segments.data();
        work.loops = loops.data();
        work.inside = inside.data();
        work.edge_cells = edge_cells.data();
        work.vertex_cells = vertex_cells.data();
        work.room = {room_segments, room_vertices};
    }
    static MeshPair pair_of(const Surface &a, const Pose &pose_a, const Surface &b, const Pose &pose_b) {
        MeshPair pair{};
        pair.first = a.view();
        pair.second = b.view();
        place(&pair, pose_a, pose_b);
        return pair;
    }
    static void place(MeshPair *pair, const Pose &a, const Pose &b) {
        const Mat3 turn_b = mat3_from_quat(b.turn);
        pair->turn = mat3_between(mat3_from_quat(a.turn), turn_b);
        pair->place_m = mat3_rotate_back(turn_b, vec3_sub(a.place, b.place));
    }
    void collect(const Pose &pose_b) {
        const Mat3 turn = mat3_from_quat(pose_b.turn);
        regions.clear();
        QueryWalk walk = query_walk();
        Region region;
        while (query_next(&walk, &work, &posed, &region, &region.flags)) {
            region.normal = mat3_rotate(turn, region.normal);
            region.centroid_m = vec3_add(pose_b.place, mat3_rotate(turn, region.centroid_m));
            regions.push_back(region);
        }
    }
    const std::vector<Region> &run(const MeshPair &pair, const Pose &pose_b = {}) {
        has_room = query_run(&work, &pair, &posed, &flags) != 0;
        regions.clear();
        if (has_room) collect(pose_b);
        return regions;
    }
    const std::vector<Region> &run(const Surface &a, const Pose &pose_a, const Surface &b, const Pose &pose_b) {
        return run(pair_of(a, pose_a, b, pose_b), pose_b);
    }
    /// A surface and a half-space below z = 0 of its frame.
    const std::vector<Region> &run_plane(const Surface &a, const Pose &pose_a, const Pose &plane = {}) {
        MeshPair pair{};
        pair.first = a.view();
        pair.second = a.view();
        pair.is_plane = 1;
        place(&pair, pose_a, plane);
        return run(pair, plane);
    }
    bool is_closed() const { return work.open_count == 0 && work.odd_count == 0; }
};

struct Random {
    std::mt19937_64 engine;
    explicit Random(unsigned seed) : engine(seed) {}
    double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
    double normal() { return std::normal_distribution<double>()(engine); }
    int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine); }
    Vec3 direction() { return vec3_normalize({normal(), normal(), normal()}); }
    Pose pose(Vec3 place = {0, 0, 0}) { return moved(place, direction(), uniform(0, 2 * PI)); }
};

} // namespace regions

#endif
