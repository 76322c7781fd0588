// Convex shapes as triangles: closed, on the shape, no edge too long, of second order; hulls and boxes exactly.
#include "mesh_builder.h"
#include "shape_reference.h"
#include "tessellate.h"

#include "geometry/shape.h"
#include "superquadric_shape.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>

namespace {

using meshes::PI;

struct Kind {
    const char *name;
    Shape shape;
    double volume_m3, area_m2;
    double mesh_size_m; // the coarsest to try; 0: nothing depends on it
    double least_angle_deg;
};

Shape shape_of(uint32_t kind, std::array<double, 3> size, double smoothing_m = 0) {
    Shape s{};
    s.kind = kind;
    for (size_t k = 0; k < 3; k++) s.size_m[k] = size[k];
    s.smoothing_m = smoothing_m;
    return s;
}

/// Volume and area of a convex body with a ball added, by Steiner's formulas from those of the body and its integral of
/// mean curvature.
std::array<double, 2> steiner(double volume, double area, double mean, double ball) {
    return {volume + area * ball + mean * ball * ball + 4 * PI / 3 * ball * ball * ball,
            area + 2 * mean * ball + 4 * PI * ball * ball};
}

/// A prism of this base.
std::array<double, 2> prism(double base, double perimeter, double height, double ball) {
    return steiner(base * height, 2 * base + perimeter * height, PI / 2 * perimeter + PI * height, ball);
}

Kind kind_of(const char *name, Shape shape, std::array<double, 2> size, double mesh_size_m, double least_angle_deg) {
    return {name, shape, size[0], size[1], mesh_size_m, least_angle_deg};
}

/// A cone or frustum with rounded edges, from its core.
std::array<double, 2> rounded_cone(const Shape &shape) {
    const ShapeFrustum core = shape_cone_core_size(&shape);
    const double a = core.base_radius_m, b = core.top_radius_m, h = core.top_m - core.base_m;
    const double lean = std::atan2(a - b, h);
    return steiner(PI / 3 * h * (a * a + a * b + b * b), PI * ((a + b) * h / std::cos(lean) + a * a + b * b),
                   PI * (h + a * (PI / 2 + lean) + b * (PI / 2 - lean)), shape.smoothing_m);
}

double prolate_area(double a, double c) {
    const double e = std::sqrt(1 - a * a / (c * c));
    return 2 * PI * a * a * (1 + c / (a * e) * std::asin(e));
}

std::vector<Kind> kinds() {
    const double slant = std::sqrt(0.4 * 0.4 + 1);
    const auto beam = [](double ball) { // core: half straight 0.5, radius 0.3 - ball, half thickness 0.2 - ball
        const double w = 0.3 - ball, t = 0.4 - 2 * ball;
        return prism(2 * w + PI * w * w, 2 + 2 * PI * w, t, ball);
    };
    const auto box = [](double ball) {
        const double a = 1 - 2 * ball, b = 1.4 - 2 * ball, c = 2 - 2 * ball;
        return prism(a * b, 2 * (a + b), c, ball);
    };
    const auto cylinder = [](double ball) {
        const double r = 0.5 - ball;
        return prism(PI * r * r, 2 * PI * r, 1.2 - 2 * ball, ball);
    };
    return {
        kind_of("sphere", shape_of(SHAPE_SPHERE, {0.7, 0, 0}), {4 * PI / 3 * 0.343, 4 * PI * 0.49}, 0.2, 50),
        kind_of("ellipsoid", shape_of(SHAPE_ELLIPSOID, {0.5, 0.5, 1.2}), {4 * PI / 3 * 0.3, prolate_area(0.5, 1.2)},
                0.2, 15),
        kind_of("ellipsoid of three", shape_of(SHAPE_ELLIPSOID, {1, 0.6, 0.4}), {4 * PI / 3 * 0.24, 0}, 0.2, 15),
        kind_of("superquadric", scenes::make_superquadric(1, 0.6, 0.4, 4, 4),
                {8 * 0.24 * std::pow(std::tgamma(1.25), 3) / std::tgamma(1.75), 0}, 0.2, 10),
        kind_of("capsule", shape_of(SHAPE_CAPSULE, {0.4, 0.6, 0}), prism(0, 0, 1.2, 0.4), 0.2, 20),
        kind_of("cylinder", shape_of(SHAPE_CYLINDER, {0.5, 0.6, 0}), cylinder(0), 0.2, 15),
        kind_of("rounded cylinder", shape_of(SHAPE_CYLINDER, {0.5, 0.6, 0}, 0.2), cylinder(0.2), 0.2, 15),
        kind_of("cone", shape_of(SHAPE_CONE, {0.5, 1, 0}), {PI / 12, PI * 0.5 * std::sqrt(1.25) + PI * 0.25}, 0.2, 10),
        kind_of("frustum", shape_of(SHAPE_CONE, {0.6, 1, 0.2}),
                {PI / 3 * (0.36 + 0.12 + 0.04), PI * 0.8 * slant + PI * 0.4}, 0.2, 10),
        kind_of("rounded cone", shape_of(SHAPE_CONE, {0.5, 1, 0}, 0.1),
                rounded_cone(shape_of(SHAPE_CONE, {0.5, 1, 0}, 0.1)), 0.1, 10),
        kind_of("rounded frustum", shape_of(SHAPE_CONE, {0.6, 1, 0.2}, 0.1),
                rounded_cone(shape_of(SHAPE_CONE, {0.6, 1, 0.2}, 0.1)), 0.1, 10),
        kind_of("beam", shape_of(SHAPE_BEAM, {0.5, 0.3, 0.2}), beam(0), 0.2, 10),
        kind_of("rounded beam", shape_of(SHAPE_BEAM, {0.5, 0.3, 0.2}, 0.1), beam(0.1), 0.1, 10),
        kind_of("rounded box", shape_of(SHAPE_BOX, {0.5, 0.7, 1}, 0.2), box(0.2), 0.2, 20),
        kind_of("box", shape_of(SHAPE_BOX, {0.5, 0.7, 1}), box(0), 0, 20),
    };
}

struct Made {
    Mesh *mesh = nullptr;
    Tessellation plan{};
    explicit Made(const Shape &shape, double mesh_size_m, const SceneHull *hull = nullptr) {
        EXPECT_EQ(tessellate_plan(&shape, hull, mesh_size_m, &plan, nullptr), CLACK_OK);
        EXPECT_EQ(tessellate(&shape, hull, mesh_size_m, &mesh, nullptr), CLACK_OK);
    }
    Made(const Made &) = delete;
    ~Made() { mesh_free(mesh); }
    Vec3 at(uint32_t v) const { return {mesh->points[v][0], mesh->points[v][1], mesh->points[v][2]}; }
    double area() const {
        double sum = 0;
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t *v = mesh->triangles[t].vertices;
            sum += 0.5 * vec3_length(vec3_cross(vec3_sub(at(v[1]), at(v[0])), vec3_sub(at(v[2]), at(v[0]))));
        }
        return sum;
    }
    double least_angle_deg() const {
        double least = 180;
        for (uint32_t t = 0; t < mesh->triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                const uint32_t *v = mesh->triangles[t].vertices;
                const Vec3 a = vec3_sub(at(v[(k + 1) % 3]), at(v[k])), b = vec3_sub(at(v[(k + 2) % 3]), at(v[k]));
                least = std::fmin(least, 180 / PI * std::atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)));
            }
        return least;
    }
    double volume() const { return mesh_weigh(mesh).volume_m3; }
};

struct Hull {
    SceneHull *hull = nullptr;
    explicit Hull(const std::vector<std::array<double, 3>> &points, double smoothing_m = 0) {
        EXPECT_EQ(hull_make(reinterpret_cast<const double(*)[3]>(points.data()), points.size(), &hull, nullptr),
                  CLACK_OK);
        EXPECT_EQ(hull_round(hull, smoothing_m, 0, nullptr), CLACK_OK);
    }
    Hull(const Hull &) = delete;
    ~Hull() { hull_free(hull); }
};

double segment_distance(double x, double y, double ax, double ay, double bx, double by) {
    const double dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
    const double share = square > 0 ? std::fmax(0, std::fmin(1, ((x - ax) * dx + (y - ay) * dy) / square)) : 0;
    return std::hypot(x - ax - share * dx, y - ay - share * dy);
}

/// How deep a point near the surface lies in the shape with its edges as they are; exact for all but ellipsoids
/// and superquadrics, of which it is a bound from below.
double depth_of(const Shape &s, Vec3 p) {
    if (s.kind == SHAPE_SPHERE) return s.size_m[0] - vec3_length(p);
    if (s.kind == SHAPE_ELLIPSOID)
        return shape_min3(&s) * (1 - vec3_length({p.x / s.size_m[0], p.y / s.size_m[1], p.z / s.size_m[2]}));
    if (s.kind == SHAPE_SUPERQUADRIC) {
        const double at[3] = {p.x, p.y, p.z};
        return shape_min3(&s) * (1 - superquadric_gauge(&s, at));
    }
    // Distance from the middle across the axis, and height, of a profile: a frustum's core with the ball about it.
    double across = std::hypot(p.x, p.y), height = p.z, ball = s.smoothing_m, high = 0, base = 0, top = 0;
    if (s.kind == SHAPE_BOX) {
        across = std::hypot(std::fmax(std::fabs(p.x) - (s.size_m[0] - ball), 0),
                            std::fmax(std::fabs(p.y) - (s.size_m[1] - ball), 0));
        high = s.size_m[2] - ball;
    } else if (s.kind == SHAPE_BEAM) {
        across = std::hypot(std::fmax(std::fabs(p.z) - s.size_m[0], 0), p.x);
        height = p.y;
        base = top = s.size_m[1] - ball;
        high = s.size_m[2] - ball;
    } else if (s.kind == SHAPE_CAPSULE) {
        ball = s.size_m[0];
        high = s.size_m[1];
    } else if (s.kind == SHAPE_CYLINDER) {
        base = top = s.size_m[0] - ball;
        high = s.size_m[1] - ball;
    }
    double low = -high;
    if (s.kind == SHAPE_CONE) {
        const ShapeFrustum core = shape_cone_core_size(&s);
        base = core.base_radius_m;
        top = core.top_radius_m;
        low = core.base_m;
        high = core.top_m;
    }
    const double distance = std::fmin(segment_distance(across, height, base, low, top, high),
                                      std::fmin(segment_distance(across, height, 0, low, base, low),
                                                segment_distance(across, height, 0, high, top, high)));
    return ball > 0 ? ball - distance : distance;
}

TEST(Tessellate, ClosedAndOriented) {
    for (const Kind &kind : kinds())
        for (double share : {1.0, 0.31, 0.1}) {
            SCOPED_TRACE(std::string(kind.name) + " " + std::to_string(share));
            const Made made(kind.shape, share * kind.mesh_size_m);
            const Mesh *m = made.mesh;
            EXPECT_TRUE(mesh_is_closed(m));
            EXPECT_EQ(m->component_count, 1u);
            EXPECT_EQ(m->vertex_count + m->triangle_count - m->edge_count, 2u);
            for (int f = 0; f < MESH_FINDINGS; f++) EXPECT_EQ(m->found[f].count, 0u) << f;
            EXPECT_EQ(m->welded_near, 0u);
            EXPECT_GT(made.volume(), 0);
        }
}

TEST(Tessellate, VerticesAreOnTheShape) {
    for (const Kind &kind : kinds())
        for (double share : {1.0, 0.31, 0.1}) {
            const Made made(kind.shape, share * kind.mesh_size_m);
            double worst = 0;
            for (uint32_t v = 0; v < made.mesh->vertex_count; v++)
                worst = std::fmax(worst, std::fabs(depth_of(kind.shape, made.at(v))));
            EXPECT_LT(worst, 1e-12 * made.mesh->longest_m) << kind.name;
        }
}

// Edges that do not lie in the surface; how far their middles and those of triangles are from it.
TEST(Tessellate, EdgesAreAsLongAsAllowedAndNearTheShape) {
    for (const Kind &kind : kinds())
        for (double share : {1.0, 0.31, 0.1}) {
            const Made made(kind.shape, share * kind.mesh_size_m);
            double longest = 0, deepest = 0;
            for (uint32_t e = 0; e < made.mesh->edge_count; e++) {
                const Vec3 a = made.at(made.mesh->edges[e].low), b = made.at(made.mesh->edges[e].high);
                const double depth = depth_of(kind.shape, vec3_scale(vec3_add(a, b), 0.5));
                if (depth < 1e-11 * made.mesh->longest_m) continue;
                longest = std::fmax(longest, vec3_length(vec3_sub(a, b)));
                deepest = std::fmax(deepest, depth);
            }
            for (uint32_t t = 0; t < made.mesh->triangle_count; t++) {
                const uint32_t *v = made.mesh->triangles[t].vertices;
                const Vec3 middle =
                    vec3_scale(vec3_add(vec3_add(made.at(v[0]), made.at(v[1])), made.at(v[2])), 1.0 / 3);
                const double depth = depth_of(kind.shape, middle);
                EXPECT_GT(depth, -1e-12) << kind.name;
                if (made.plan.mesh_size_m > 0 && depth < 2 * made.plan.deviation_m) deepest = std::fmax(deepest, depth);
            }
            EXPECT_LE(longest, share * kind.mesh_size_m * (1 + 1e-12)) << kind.name;
            EXPECT_LE(deepest, made.plan.deviation_m * 1.001) << kind.name << " " << share;
            if (getenv("CLACK_TESSELLATE_FIGURES") != nullptr)
                printf("%-20s %-6g %8u triangles (%g), longest %.3f, deepest %.2f of %.3g, least angle %.1f\n",
                       kind.name, share * kind.mesh_size_m, made.mesh->triangle_count, made.plan.triangle_count,
                       longest / (share * kind.mesh_size_m), deepest / made.plan.deviation_m, made.plan.deviation_m,
                       made.least_angle_deg());
        }
}

TEST(Tessellate, TrianglesAreWellFormed) {
    for (const Kind &kind : kinds())
        for (double share : {1.0, 0.31, 0.1})
            EXPECT_GT(Made(kind.shape, share * kind.mesh_size_m).least_angle_deg(), kind.least_angle_deg)
                << kind.name << " " << share;
}

TEST(Tessellate, VolumeAndAreaAreOfSecondOrder) {
    for (const Kind &kind : kinds()) {
        if (kind.mesh_size_m == 0) continue;
        double volume_off[3], area_off[3];
        for (int k = 0; k < 3; k++) {
            const Made made(kind.shape, 0.5 * kind.mesh_size_m * std::pow(0.5, k));
            volume_off[k] = 1 - made.volume() / kind.volume_m3;
            area_off[k] = 1 - made.area() / kind.area_m2;
            EXPECT_GT(volume_off[k], 0) << kind.name; // inscribed
        }
        for (int k = 0; k < 2; k++) { // ratios scatter as numbers of rings and points are whole
            EXPECT_NEAR(volume_off[k] / volume_off[k + 1], 4, 1.2) << kind.name;
            const double ratio = area_off[k] / area_off[k + 1];
            EXPECT_NEAR(kind.area_m2 > 0 ? ratio : 4, 4, 1.2) << kind.name;
        }
        EXPECT_LT(volume_off[2], 0.02) << kind.name;
    }
}

TEST(Tessellate, CountsAreForetold) {
    for (const Kind &kind : kinds())
        for (double share : {1.0, 0.31, 0.1}) {
            const Made made(kind.shape, share * kind.mesh_size_m);
            const double count = made.mesh->triangle_count;
            if (shape_kind_is_smooth(kind.shape.kind)) // estimates
                EXPECT_NEAR(made.plan.triangle_count / count, 1, 0.5) << kind.name;
            else
                EXPECT_EQ(made.plan.triangle_count, count) << kind.name;
        }
}

TEST(Tessellate, BoxesHaveTwelveTriangles) {
    for (double mesh_size_m : {0.0, 0.01}) { // longer than its rounding, which is left out
        const Made made(shape_of(SHAPE_BOX, {0.5, 0.7, 1}, 0.005), mesh_size_m);
        EXPECT_EQ(made.mesh->triangle_count, 12u);
        EXPECT_EQ(made.mesh->vertex_count, 8u);
        EXPECT_EQ(made.plan.left_out_m, 0.005);
        EXPECT_NEAR(made.volume(), 2.8, 1e-15);
    }
    EXPECT_GT(Made(shape_of(SHAPE_BOX, {0.05, 0.07, 0.1}, 0.005), 0.005).mesh->triangle_count, 1000u);
}

TEST(Tessellate, HullsHaveTheirFaces) {
    std::mt19937_64 engine(7);
    std::normal_distribution<double> normal;
    for (int round = 0; round < 20; round++) {
        std::vector<std::array<double, 3>> points;
        for (int i = 0; i < 4 + 4 * round; i++) {
            const double x = normal(engine), y = normal(engine), z = normal(engine);
            const double l = std::sqrt(x * x + y * y + z * z);
            points.push_back({3 + x / l, y / l, z / l});
        }
        const Hull own(points);
        const SceneHull *hull = own.hull;
        const Made made(shape_of(SHAPE_HULL, {2, 0, 0}), 0, hull);
        EXPECT_EQ(made.mesh->vertex_count, hull->vertex_count);
        EXPECT_EQ(made.plan.triangle_count, made.mesh->triangle_count);
        EXPECT_TRUE(mesh_is_closed(made.mesh));
        EXPECT_NEAR(made.volume(), 8 * hull->volume_m3, 1e-13);
        std::set<std::array<double, 3>> corners;
        for (const auto &p : points)
            corners.insert(
                {2 * (p[0] - hull->centroid_m[0]), 2 * (p[1] - hull->centroid_m[1]), 2 * (p[2] - hull->centroid_m[2])});
        for (uint32_t v = 0; v < made.mesh->vertex_count; v++)
            EXPECT_TRUE(corners.count({made.at(v).x, made.at(v).y, made.at(v).z}));
    }
    const std::vector<std::array<double, 3>> cube = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                                     {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    const Hull rounded(cube, 0.05);
    const Made made(shape_of(SHAPE_HULL, {1, 0, 0}, 0.05), 0, rounded.hull); // sharp all the same
    EXPECT_EQ(made.mesh->triangle_count, 12u);
    EXPECT_EQ(made.plan.left_out_m, 0.05);
    EXPECT_NEAR(made.volume(), 1, 1e-14);
}

TEST(Tessellate, FramesAreThoseOfTheKernels) {
    const Made beam(shape_of(SHAPE_BEAM, {0.5, 0.3, 0.2}), 0.05); // along z, its thickness along y
    EXPECT_NEAR(beam.mesh->high_m[2], 0.8, 1e-12);
    EXPECT_NEAR(beam.mesh->high_m[0], 0.3, 1e-12);
    EXPECT_NEAR(beam.mesh->high_m[1], 0.2, 1e-12);
    const Made cone(shape_of(SHAPE_CONE, {0.6, 1, 0.2}), 0.05); // from its base upwards
    EXPECT_EQ(cone.mesh->low_m[2], 0);
    EXPECT_EQ(cone.mesh->high_m[2], 1);
    EXPECT_EQ(cone.mesh->high_m[0], 0.6);
    // Farthest points of many directions: those of the narrow phase, less the deviation.
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal;
    for (const Kind &kind : kinds()) {
        const Made made(kind.shape, 0.5 * kind.mesh_size_m);
        for (int i = 0; i < 50; i++) {
            const Vec3 u = vec3_normalize({normal(engine), normal(engine), normal(engine)});
            double farthest = -1;
            for (uint32_t v = 0; v < made.mesh->vertex_count; v++)
                farthest = std::fmax(farthest, vec3_dot(made.at(v), u));
            const double expected = vec3_dot(shape_support(&kind.shape, nullptr, u), u);
            EXPECT_LE(farthest, expected + 1e-12) << kind.name;
            EXPECT_GE(farthest, expected - made.plan.deviation_m - 1e-12) << kind.name;
        }
    }
}

TEST(Tessellate, SameBitsEveryTime) {
    for (const Kind &kind : kinds()) {
        const Made one(kind.shape, 0.3 * kind.mesh_size_m), other(kind.shape, 0.3 * kind.mesh_size_m);
        ASSERT_EQ(one.mesh->vertex_count, other.mesh->vertex_count);
        EXPECT_EQ(memcmp(one.mesh->points, other.mesh->points, one.mesh->vertex_count * sizeof *one.mesh->points), 0);
        EXPECT_EQ(
            memcmp(one.mesh->triangles, other.mesh->triangles, one.mesh->triangle_count * sizeof *one.mesh->triangles),
            0);
    }
}

TEST(Tessellate, DefaultsFollowTheCurvatureAndTheRoom) {
    const Made ball(shape_of(SHAPE_SPHERE, {0.01, 0, 0}), 0);
    EXPECT_EQ(ball.plan.mesh_size_m, 0.01 / 16);
    EXPECT_EQ(ball.mesh->triangle_count, 9680u);
    EXPECT_LT(ball.plan.deviation_m, 7e-4 * 0.01);
    for (const Shape &shape : {shape_of(SHAPE_CYLINDER, {0.01, 5, 0}, 0.001), shape_of(SHAPE_CAPSULE, {0.01, 20, 0}),
                               shape_of(SHAPE_ELLIPSOID, {1, 0.2, 0.1}), shape_of(SHAPE_BEAM, {5, 0.01, 0.2})}) {
        const Made made(shape, 0);
        EXPECT_GT(made.plan.mesh_size_m, 0.01 / 16);
        EXPECT_LT(made.mesh->triangle_count, 1.5 * TESSELLATE_DEFAULT_MOST);
        EXPECT_TRUE(mesh_is_closed(made.mesh));
    }
}

TEST(Tessellate, TooManyTrianglesAreRefused) {
    for (const Kind &kind : kinds()) {
        if (kind.mesh_size_m == 0) continue;
        for (double mesh_size_m : {1e-3 * kind.mesh_size_m, 1e-9, 1e-300}) {
            Mesh *mesh = nullptr;
            ClackReport report{};
            EXPECT_EQ(tessellate(&kind.shape, nullptr, mesh_size_m, &mesh, &report), CLACK_STUDY) << kind.name;
            EXPECT_EQ(mesh, nullptr);
            ASSERT_EQ(report.count, 1u);
            EXPECT_NE(std::string(report.lines[0]).find("expected a mesh_size that gives at most 1e+06 triangles"),
                      std::string::npos);
            clack_report_clear(&report);
        }
        EXPECT_GE(Made(kind.shape, 1e9).mesh->triangle_count, 12u) << kind.name; // as coarse as it gets
    }
}

} // namespace
