// Convex hulls: which points are vertices, mass properties against closed forms and against those of all
// other shapes, support points, and a hull that is a box against the box itself.
#include <gtest/gtest.h>

#include "scene_builder.h"
#include "shape_reference.h"

using namespace scenes;

namespace {

const double PI = std::acos(-1.0);

struct Hull {
    SceneHull *hull = nullptr;
    std::string refusal;
    explicit Hull(const Points &points) {
        ClackReport report{};
        const ClackStatus status =
            hull_make(reinterpret_cast<const double(*)[3]>(points.data()), points.size(), &hull, &report);
        EXPECT_EQ(status == CLACK_OK, hull != nullptr);
        if (report.count > 0) refusal = report.lines[0];
        clack_report_clear(&report);
    }
    Hull(const Hull &) = delete;
    ~Hull() { hull_free(hull); }
    const SceneHull *operator->() const { return hull; }
};

Points on_sphere(int count, uint64_t seed) {
    Draw draw(seed);
    Points all;
    for (int k = 0; k < count; k++) {
        const Vec3 p = draw.direction();
        all.push_back({p.x, p.y, p.z});
    }
    return all;
}

// --- vertices ------------------------------------------------------------------------------------

TEST(HullVertices, InnerDoubledAndFlatPointsAreDropped) {
    Points points = box_points(1, 2, 3);
    points.push_back({0.1, 0.2, 0.3}); // inside
    points.push_back(points[3]);       // twice
    points.push_back({1, 0.5, 0.5});   // on a face
    points.push_back({1, 2, 0});       // on an edge
    const Hull found(points);
    ASSERT_NE(found.hull, nullptr);
    EXPECT_EQ(found->vertex_count, 8u);
    EXPECT_EQ(found->row_count, 9u); // one ball about its one block
    EXPECT_NEAR(found->volume_m3, 48, 1e-13);
    EXPECT_EQ(found->sides_m[2], 6);
    EXPECT_NEAR(found->radius_m, std::sqrt(14.0), 1e-14);
    const Hull egg(on_sphere(1000, 1));
    EXPECT_EQ(egg->vertex_count, 1000u);
    EXPECT_EQ(egg->row_count, 1000u + 16u + HULL_CELL_BYTES * 2u * 64u * 64u / uint32_t(sizeof(HullRow)));
}

TEST(HullVertices, FarFromTheOriginAndTinyAreNoTrouble) {
    for (double size : {1e-6, 1.0, 1e6}) {
        Points points = box_points(size, size, size);
        for (auto &p : points) p[0] += 1000 * size;
        const Hull found(points);
        ASSERT_NE(found.hull, nullptr) << found.refusal;
        EXPECT_NEAR(found->volume_m3, 8 * std::pow(size, 3), 1e-11 * std::pow(size, 3));
        EXPECT_NEAR(found->centroid_m[0], 1000 * size, 1e-12 * 1000 * size);
    }
}

TEST(HullVertices, WhatIsNoSolidIsRefused) {
    EXPECT_EQ(Hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).refusal, "expected at least 4 points, found 3");
    EXPECT_EQ(Hull(Points(5, {1, 2, 3})).refusal, "expected points that differ, found 5 in one place");
    const std::string flat = "expected points that are not all in one plane, found 5 that are";
    EXPECT_EQ(Hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.6, 0}}).refusal, flat);
    EXPECT_EQ(Hull({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}).refusal, flat);
    EXPECT_EQ(Hull({{0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.2}, {1, 1, 0.3}, {2, 1, 0.4 + 1e-15}}).refusal, flat);
    EXPECT_EQ(Hull(on_sphere(5000, 2)).refusal, "expected a hull of at most 4096 vertices, found 5000");
    EXPECT_EQ(Hull(on_sphere(4096, 2)).refusal, "");
}

// --- mass ----------------------------------------------------------------------------------------

MassProperties hull_mass(const SceneHull *hull, double scale = 1, double density = 1) {
    SceneShape s{};
    s.kind = SHAPE_HULL;
    s.size_m[0] = scale;
    s.hull = hull;
    return mass_of_shape(&s, density);
}

TEST(HullMass, OfABoxAndATetrahedronAreExact) {
    Points points = box_points(0.1, 0.15, 0.25);
    for (auto &p : points) p[1] += 0.7;
    const Hull crate(points);
    SceneShape plain{};
    plain.kind = SHAPE_BOX;
    plain.size_m[0] = 0.2, plain.size_m[1] = 0.3, plain.size_m[2] = 0.5;
    const MassProperties a = hull_mass(crate.hull, 1, 700), b = mass_of_shape(&plain, 700);
    EXPECT_NEAR(a.mass_kg, b.mass_kg, 1e-13);
    EXPECT_NEAR(a.com_m[1], 0.7, 1e-15);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) EXPECT_NEAR(a.inertia_kg_m2[i][j], b.inertia_kg_m2[i][j], 1e-14) << i << j;
    const Hull corner({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    const MassProperties t = hull_mass(corner.hull, 2, 3); // 2 long, density 3
    EXPECT_NEAR(t.mass_kg, 3 * 8.0 / 6, 1e-14);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            EXPECT_NEAR(t.com_m[i], 0.5, 1e-15);
            // About the centroid: integrals of x^2 are 1/60 - 1/96 = 1/160, of x y 1/120 - 1/96.
            EXPECT_NEAR(t.inertia_kg_m2[i][j], 96 * (i == j ? 1.0 / 80 : 1.0 / 480), 1e-14);
        }
}

// Points of a shape whose axis is z, as polygons: n round the axis and n / 2 from pole to pole.
Points tessellate(const SceneShape &s, int n, double diameter) {
    const double *size = s.size_m;
    Points all;
    auto ring = [&](double x, double y, double z) {
        for (int k = 0; k < n; k++) {
            const double turn = 2 * PI * k / n;
            all.push_back({x * std::cos(turn), y * std::sin(turn), z});
        }
    };
    const double r = 0.5 * diameter;
    switch (s.kind) {
    case SHAPE_BOX: return box_points(0.5 * size[0], 0.5 * size[1], 0.5 * size[2]);
    case SHAPE_CYLINDER: ring(r, r, -0.5 * size[1]), ring(r, r, 0.5 * size[1]); break;
    case SHAPE_CONE:
        ring(r, r, 0);
        if (size[2] > 0)
            ring(0.5 * size[2], 0.5 * size[2], size[1]);
        else
            all.push_back({0, 0, size[1]});
        break;
    case SHAPE_BEAM: // half discs in the plane of x and z
        for (int k = 0; k <= n; k++)
            for (double end : {-1.0, 1.0})
                for (double side : {-0.5, 0.5})
                    all.push_back({0.5 * size[1] * std::cos(PI * k / n), side * size[2],
                                   end * (0.5 * size[0] + 0.5 * size[1] * std::sin(PI * k / n))});
        break;
    default: // sphere, ellipsoid, capsule: circles of latitude
        for (int k = 0; k <= n / 2; k++) {
            const double angle = PI * (2.0 * k / n - 0.5), c = std::cos(angle), d = std::sin(angle);
            const double up = s.kind == SHAPE_CAPSULE ? 0.5 * size[1] : 0;
            const double z = s.kind == SHAPE_ELLIPSOID ? 0.5 * size[2] * d : r * d;
            const double x = s.kind == SHAPE_ELLIPSOID ? 0.5 * size[0] : r;
            const double y = s.kind == SHAPE_ELLIPSOID ? 0.5 * size[1] : r;
            const bool is_pole = k == 0 || 2 * k == n;
            if (is_pole)
                all.push_back({0, 0, z + (k == 0 ? -up : up)});
            else if (4 * k <= n)
                ring(x * c, y * c, z - up);
            if (!is_pole && 4 * k >= n && (up > 0 || 4 * k > n)) ring(x * c, y * c, z + up);
        }
    }
    return all;
}

using Ten = std::array<double, 10>; // mass, first moments, second moments about the origin

Ten moments(const MassProperties &m, double sign) {
    Ten all{sign * m.mass_kg};
    double square = 0;
    for (double x : m.com_m) square += x * x;
    for (size_t i = 0; i < 3; i++) {
        all[1 + i] = sign * m.mass_kg * m.com_m[i];
        for (size_t j = i; j < 3; j++)
            all[4 + i + j + (i > 0)] =
                sign * (m.inertia_kg_m2[i][j] + m.mass_kg * ((i == j ? square : 0) - m.com_m[i] * m.com_m[j]));
    }
    return all;
}

Ten hull_moments(const SceneShape &s, int n) {
    const Hull outer(tessellate(s, n, s.size_m[0]));
    Ten all = moments(hull_mass(outer.hull), 1);
    if (s.kind != SHAPE_CYLINDER || !(s.size_m[2] > 0)) return all;
    const Hull hole(tessellate(s, n, s.size_m[2]));
    const Ten less = moments(hull_mass(hole.hull), -1);
    for (size_t k = 0; k < all.size(); k++) all[k] += less[k];
    return all;
}

// Polygons inside a smooth shape miss it by a series in 1 / n^2: four of them leave its fourth term.
TEST(HullMass, OfFineTessellationsConvergesToThatOfEveryShape) {
    const std::vector<std::pair<uint32_t, std::array<double, 3>>> shapes = {
        {SHAPE_SPHERE, {0.4, 0, 0}},        {SHAPE_BOX, {0.2, 0.3, 0.5}},    {SHAPE_CAPSULE, {0.3, 0.4, 0}},
        {SHAPE_ELLIPSOID, {0.6, 0.4, 0.2}}, {SHAPE_CYLINDER, {0.4, 0.7, 0}}, {SHAPE_CYLINDER, {0.4, 0.7, 0.3}},
        {SHAPE_CONE, {0.4, 0.7, 0}},        {SHAPE_CONE, {0.4, 0.7, 0.25}},  {SHAPE_BEAM, {0.6, 0.2, 0.1}}};
    for (const auto &[kind, size] : shapes) {
        SceneShape s{};
        s.kind = kind;
        s.axis = 2;
        for (size_t k = 0; k < 3; k++) s.size_m[k] = size[k];
        const Ten right = moments(mass_of_shape(&s, 1), 1);
        std::vector<Ten> table; // Romberg's
        for (int n : {8, 16, 32, 64}) table.push_back(hull_moments(s, n));
        const Ten coarse = table[1], middle = table[2], fine = table[3];
        for (double power = 4; table.size() > 1; power *= 4) {
            for (size_t i = 0; i + 1 < table.size(); i++)
                for (size_t k = 0; k < right.size(); k++)
                    table[i][k] = (power * table[i + 1][k] - table[i][k]) / (power - 1);
            table.pop_back();
        }
        const double scale[] = {right[0], right[0], right[4] + right[7] + right[9]};
        double worst = 0;
        for (size_t k = 0; k < right.size(); k++) {
            const double error = std::fabs(table[0][k] - right[k]) / scale[k < 1 ? 0 : k < 4 ? 1 : 2];
            worst = std::max(worst, error);
            EXPECT_LE(error, 1e-6) << kind_name(kind) << " moment " << k;
        }
        std::printf("%9s: one mesh of 64 is wrong by %.1e, four meshes by %.1e\n", kind_name(kind),
                    std::fabs(fine[0] - right[0]) / right[0], worst);
        if (kind != SHAPE_BOX) { // second order
            EXPECT_NEAR((coarse[0] - right[0]) / (middle[0] - right[0]), 4, 0.1);
        }
    }
}

TEST(HullMass, OfSymmetricHullsIsRound) {
    const double g = 0.5 * (1 + std::sqrt(5.0)); // icosahedron
    Points points;
    for (double a : {-1.0, 1.0})
        for (double b : {-g, g})
            for (size_t k = 0; k < 3; k++) {
                std::array<double, 3> p{};
                p[k] = a;
                p[(k + 1) % 3] = b;
                points.push_back(p);
            }
    const Hull found(points);
    EXPECT_EQ(found->vertex_count, 12u);
    const MassProperties m = hull_mass(found.hull);
    // Edge 2: volume 5/12 (3 + sqrt 5) a^3, moment (g^2 / 10) m a^2.
    EXPECT_NEAR(m.mass_kg, 5.0 / 12 * (3 + std::sqrt(5.0)) * 8, 1e-13);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) EXPECT_NEAR(m.inertia_kg_m2[i][j], i == j ? g * g / 10 * m.mass_kg * 4 : 0, 1e-13);
}

// --- supports ------------------------------------------------------------------------------------

TEST(HullSupport, IsTheFarthestVertexWhateverTheBlocks) {
    Draw draw(31);
    for (int count : {4, 8, 31, 32, 33, 64, 65, 500, 4000}) {
        hull_rows().resize(1);
        make_hull(egg_points(draw, 10)); // rows before it
        const Shape s = make_hull(egg_points(draw, count), 0.7);
        ASSERT_EQ(s.hull_vertices, uint32_t(count));
        const uint32_t first = s.hull_first + hull_blocks(s.hull_vertices);
        for (int n = 0; n < 2000; n++) {
            Vec3 way = draw.direction();
            if (n < 6)
                way = vec3_make(n == 0   ? 1
                                : n == 1 ? -1
                                         : 0,
                                n == 2   ? 1
                                : n == 3 ? -1
                                         : 0,
                                n == 4   ? 1
                                : n == 5 ? -1
                                         : 0);
            double most = -1;
            for (uint32_t k = 0; k < s.hull_vertices; k++)
                most = std::max(most, vec3_dot(hull_rows()[first + k].at_m, way));
            const Vec3 found = shape_support(&s, hull_rows().data(), way);
            ASSERT_NEAR(vec3_dot(found, way), 0.7 * most, 2e-16);
            ASSERT_LE(vec3_length(found), s.bound_radius_m * (1 + 1e-15));
            const Vec3 other = shape_support_compat(&s, hull_rows().data(), way);
            ASSERT_EQ(vec3_length(vec3_sub(found, other)), 0);
        }
        const Mat3 turn = draw.turn();
        const Vec3 half = shape_half_extents(&s, hull_rows().data(), turn);
        double x = 0, y = 0, z = 0;
        for (uint32_t k = 0; k < s.hull_vertices; k++) {
            const Vec3 p = vec3_scale(mat3_rotate(turn, hull_rows()[first + k].at_m), 0.7);
            x = std::max(x, std::fabs(p.x)), y = std::max(y, std::fabs(p.y)), z = std::max(z, std::fabs(p.z));
        }
        EXPECT_NEAR(half.x, x, 1e-15);
        EXPECT_NEAR(half.y, y, 1e-15);
        EXPECT_NEAR(half.z, z, 1e-15);
    }
}

// What the map leaves out is nowhere farthest: the number that a search of all vertices finds, on the borders of cells
// too, where several vertices are as far, and in directions of any length; and no vertex is missing that is nearly as
// far.
TEST(HullSupport, MapTellsWhatASearchOfAllDoes) {
    Draw draw(37);
    int seen = 0, several = 0;
    for (int kind = 0; kind < 8; kind++) {
        Points points = egg_points(draw, kind == 0 ? 17 : kind == 1 ? 64 : kind == 2 ? 65 : kind == 3 ? 300 : 1100);
        if (kind == 5) // a cylinder's, with as many ties as there are sides
            for (size_t k = 0; k < points.size(); k++)
                points[k] = {std::cos(M_PI / 20 * double(k % 40)), std::sin(M_PI / 20 * double(k % 40)),
                             k % 2 ? 0.5 : -0.5};
        if (kind > 5) { // a needle, and a box with a rounded corner far from the middle
            for (auto &p : points)
                p = kind == 6 ? std::array<double, 3>{1e-3 * p[0], 1e-3 * p[1], p[2]}
                              : std::array<double, 3>{1e-2 * p[0], 1e-2 * p[1], 1e-2 * p[2]};
            if (kind == 7)
                for (const auto &p : box_points(1, 1, 1)) points.push_back({p[0] - 1, p[1] - 1, p[2] - 1});
        }
        hull_rows().resize(1);
        const Shape s = make_hull(points);
        const HullMap map = shape_hull_map(&s, hull_rows().data());
        ASSERT_GT(map.side, 0u);
        for (int n = 0; n < 40000; n++) {
            Vec3 way = draw.direction();
            if (n % 4 == 1)
                way = vec3_make(std::round(8 * way.x) / 8, std::round(8 * way.y) / 8, std::round(8 * way.z) / 8);
            if (n % 4 == 2)
                way = vec3_make(way.x, way.x * std::round(8 * way.y) / 8, way.x * std::round(8 * way.z) / 8);
            if (n % 4 == 3) way = vec3_scale(way, draw.log_uniform(1e-12, 1e6));
            const double length = vec3_length(way);
            if (!(length > 0)) continue;
            const uint32_t found = shape_hull_farthest(&map, &s, hull_rows().data(), way);
            const double reach = vec3_dot(map.vertices[found].at_m, way);
            uint32_t first = s.hull_vertices;
            std::vector<uint32_t> near;
            for (uint32_t k = 0; k < s.hull_vertices; k++) {
                const double height = vec3_dot(map.vertices[k].at_m, way);
                ASSERT_LE(height, reach);
                if (height == reach) first = std::min(first, k);
                if (height > reach - 0.999 * HULL_NEAR * s.bound_radius_m * length) near.push_back(k);
            }
            const unsigned char *cell = map.cells + HULL_CELL_BYTES * shape_hull_cell(way, map.side);
            if (shape_hull_cell_vertex(cell, 0) == HULL_CELL_FULL) continue;
            seen++;
            several += near.size() > 1;
            ASSERT_EQ(found, first);
            for (uint32_t k : near) {
                bool is_there = false;
                for (uint32_t i = 0; i < HULL_CELL_VERTICES; i++)
                    is_there = is_there || shape_hull_cell_vertex(cell, i) == k;
                ASSERT_TRUE(is_there);
            }
        }
    }
    std::printf("%d directions by the map, %d of them with several vertices\n", seen, several);
    EXPECT_GT(seen, 150000);
    EXPECT_GT(several, 1000);
}

// --- a hull that is a box ------------------------------------------------------------------------

// Sharp box and hull are the same set. With curved cores either answer is as good as its stated error.
TEST(HullBox, HasTheDistancesOfTheSharpBox) {
    for (uint32_t kind : SOLIDS_AND_HULL) {
        double worst = 0, worst_normal = 0;
        hull_rows().resize(1);
        Draw draw(500 + kind);
        for (int n = 0; n < 1000; n++) {
            const double x = draw.uniform(0.3, 0.7), y = draw.uniform(0.3, 0.7), z = draw.uniform(0.3, 0.7);
            const Mat3 turn = draw.turn();
            const Placed crate{box(x, y, z, 0), turn}, hull{make_hull(box_points(x, y, z)), turn};
            const Placed other{draw_solid(draw, kind), draw.turn()};
            const double want = n % 2 ? draw.log_uniform(1e-6, 0.1) : -draw.log_uniform(1e-6, 0.05);
            const Vec3 offset = place_at(crate, other, draw.direction(), want);
            const NarrowResult a = narrow(crate, other, offset), b = narrow(hull, other, offset);
            const bool is_curved = shape_is_curved(&other.shape) != 0;
            if (is_curved && want < -shape_ball_radius(&other.shape)) { // either has a least depth of its own
                ASSERT_LT(a.distance_m, 0);
                ASSERT_LT(b.distance_m, 0);
                continue;
            }
            const double stated = is_curved ? a.error_m + b.error_m : 0;
            ASSERT_NEAR(a.distance_m, b.distance_m, 1e-12 + stated) << kind_name(kind) << " " << want;
            worst = std::max(worst, std::fabs(a.distance_m - b.distance_m));
            worst_normal = std::max(worst_normal, angle(a.normal, b.normal));
        }
        std::printf("%9s: distances differ by at most %.1e m, normals by %.1e rad\n", kind_name(kind), worst,
                    worst_normal);
    }
}

// Of sharp hulls that overlap, the depth is that of the portal's plane: against the exact one of two boxes.
TEST(HullBox, DepthOfTwoThatOverlapIsNeverTooSmallAndRightToFirstOrder) {
    Draw draw(600);
    for (double depth : {1e-5, 1e-4, 1e-3, 1e-2}) {
        hull_rows().resize(1);
        double worst = 0;
        int right = 0;
        const int count = 1000;
        for (int n = 0; n < count; n++) {
            Placed boxes[2], hulls[2];
            for (int k = 0; k < 2; k++) {
                const double x = draw.uniform(0.3, 0.7), y = draw.uniform(0.3, 0.7), z = draw.uniform(0.3, 0.7);
                boxes[k] = {box(x, y, z, 0), draw.turn()};
                hulls[k] = {make_hull(box_points(x, y, z)), boxes[k].turn};
            }
            const Vec3 offset = place_at(hulls[0], hulls[1], draw.direction(), -depth);
            const NarrowResult r = narrow(hulls[0], hulls[1], offset);
            const double exact = (double)reference(boxes[0], boxes[1], offset).distance;
            ASSERT_LE(r.distance_m, exact + 1e-14); // a plane bounds the distance from below
            ASSERT_LT(exact, 0);
            worst = std::max(worst, r.distance_m / exact - 1);
            right += exact - r.distance_m < 1e-12;
        }
        std::printf("depth %.0e m: %d of %d exact, the worst too deep by %.1e of it\n", depth, right, count, worst);
        EXPECT_GT(right, count * 9 / 10);
        EXPECT_LT(worst, 1);
    }
}

// Nearly round: facets of 1/40 of the size, between polytope and curved shape.
TEST(HullPairs, OfThousandsOfVerticesKeepTheStatedError) {
    for (uint32_t kind : {SHAPE_SPHERE, SHAPE_BOX, SHAPE_ELLIPSOID, SHAPE_HULL}) {
        double worst = 0, beyond = 0, stated = 0, normal = 0;
        Draw draw(700 + kind);
        hull_rows().resize(1);
        const Shape big = make_hull(egg_points(draw, 4000)), many = make_hull(egg_points(draw, 1500));
        for (int n = 0; n < 100; n++) {
            const Placed a{big, draw.turn()};
            const Placed b{kind == SHAPE_HULL ? many : draw_solid(draw, kind), draw.turn()};
            const double want = n % 2 ? draw.log_uniform(1e-6, 0.1) : -draw.log_uniform(1e-6, 0.05);
            const Vec3 offset = place_at(a, b, draw.direction(), want);
            const NarrowResult r = narrow(a, b, offset);
            ASSERT_TRUE(is_finite(r));
            ASSERT_EQ(r.status, NARROW_OK);
            const Certified right = certified_distance(a, b, offset);
            if (!right.is_core_apart) {
                ASSERT_LT(r.distance_m, 1e-9);
                continue;
            }
            if (right.gap > 1e-13L) continue;
            const double error = std::fabs(r.distance_m - (double)right.distance);
            worst = std::max(worst, error);
            stated = std::max(stated, r.error_m);
            beyond = std::max(beyond, error - r.error_m - (double)right.gap);
            normal = std::max(normal, angle(r.normal, rounded(right.normal)));
        }
        std::printf("%9s: distance %.1e stated %.1e beyond %.1e normal %.1e\n", kind_name(kind), worst, stated, beyond,
                    normal);
        EXPECT_LE(worst, 1e-11);
        EXPECT_LE(beyond, 1e-14);
    }
}

TEST(HullHalfSpace, IsTheDeepestVertexInEitherOrder) {
    Draw draw(105);
    hull_rows().resize(1);
    for (int n = 0; n < 1000; n++) {
        const Placed ground{half_space(), draw.turn()};
        const Placed other{draw_hull(draw), draw.turn()};
        const Vec3 offset = vec3_scale(draw.direction(), draw.uniform(0, 2));
        const Vec3 up = narrow_axis_z(ground.turn);
        const NarrowResult r = narrow(ground, other, offset, 0, options(SCENE_SINGLE_CONTACT));
        const V down = wide_back(other.turn, wide(up) * -1.0L);
        const double right = (double)(dot(wide(offset), wide(up)) - dot(wide_core(other.shape, down), down));
        ASSERT_NEAR(r.distance_m, right, r.error_m);
        const NarrowResult back = narrow(other, ground, vec3_negate(offset), 0, options(SCENE_SINGLE_CONTACT));
        ASSERT_EQ(back.distance_m, r.distance_m);
        ASSERT_EQ(back.normal.x, 0.0 - r.normal.x);
    }
}

// --- motion --------------------------------------------------------------------------------------

SceneBuilder dropped(bool is_hull, double scale) {
    // The hull of half the box's size, scaled up, its origin in a corner.
    static const SceneHull *const hull = [] {
        Points points = box_points(0.03, 0.025, 0.02);
        for (auto &p : points)
            for (int k = 0; k < 3; k++) p[size_t(k)] += 0.01 * (k + 1);
        return shared_hull(points);
    }();
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.7, 0.3);
    b.scene.end_s = 0.4;
    b.scene.single_contact = 1;
    b.ground();
    b.body("crate", false, {0, 0, 0.2});
    SceneBody &body = b.bodies.back();
    body.rotation = {ROTATION_CARDAN, {0.4, 0.3, 0.2, 0}};
    body.angular_velocity_rad_per_s[0] = 2;
    if (is_hull) {
        SceneShape &s = b.hull(hull, scale);
        for (int k = 0; k < 3; k++) s.position_m[k] = -0.01 * (k + 1) * scale;
    } else {
        b.shape(SHAPE_BOX, {0.06 * scale, 0.05 * scale, 0.04 * scale, 0}).smoothing_m = 0;
    }
    return b;
}

TEST(HullMotion, BouncesAsTheSharpBoxDoes) {
    for (double scale : {1.0, 2.0}) {
        SceneBuilder a = dropped(false, scale), b = dropped(true, scale);
        Ran boxed = run_scene(a), hulled = run_scene(b);
        EXPECT_NEAR(boxed.batch.shapes[1].contact_radius_m, hulled.batch.shapes[1].contact_radius_m, 1e-17);
        const auto events_a = boxed.events(), events_b = hulled.events();
        ASSERT_EQ(events_a.size(), events_b.size());
        ASSERT_GE(events_a.size(), 4u); // two impacts
        for (size_t k = 0; k < events_a.size(); k++) {
            EXPECT_EQ(events_a[k].kind, events_b[k].kind);
            EXPECT_NEAR(events_a[k].time_s, events_b[k].time_s, 1e-9);
            EXPECT_NEAR(events_a[k].speed_m_per_s, events_b[k].speed_m_per_s, 1e-8);
        }
        const BodyState p = boxed.state(1), q = hulled.state(1);
        EXPECT_LE(vec3_length(vec3_sub(p.position_m, q.position_m)), 1e-9);
        EXPECT_LE(vec3_length(vec3_sub(p.velocity_m_per_s, q.velocity_m_per_s)), 1e-8);
        EXPECT_EQ(hulled.progress().flags & (FLAG_MPR_FALLBACK | FLAG_DEEP_START), 0u);
        EXPECT_LE(hulled.progress().energy_drift, 1e-4);
    }
}

TEST(HullMotion, DeepOverlapAtTheStartIsFlagged) {
    SceneBuilder b = dropped(true, 1);
    b.scene.end_s = 1e-4;
    b.bodies.back().position_m[2] = 0.01;
    EXPECT_NE(run_scene(b).progress().flags & FLAG_DEEP_START, 0u);
}

} // namespace
