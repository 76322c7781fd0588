// Surfaces that are drawn: closed, turned outwards, and of the volume that polygons give.
#include <map>

#include "hull.h"
#include "study_fixture.h"
#include "surface.h"

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int segments = 32;                                              // of a scene with few shapes
const double polygon = segments / (2 * pi) * std::sin(2 * pi / segments); // area of the polygon in a circle of area 1

class SurfaceTest : public StudyFixture {
  protected:
    Surface surface{};
    std::vector<double> position, orientation, zero, time = {0};
    ~SurfaceTest() override { surface_free(&surface); }

    // One body with this shape, whose origin is at (5, 0, 0), turned by a quarter about x.
    void make(const std::string &shapes, const std::string &more = "", uint64_t scene = 0,
              const std::string &design = "", const std::string &method = "events") {
        ASSERT_TRUE(read_text("format: 1\nscene:\n  bodies:\n    body: {material: steel, shapes: [" + shapes + "]}\n" +
                              more + design + "solver: {method: " + method + ", end: 0.1" +
                              (method == "trapezoidal" ? ", step: 0.001}\n" : "}\n")))
            << told;
        const size_t bodies = study->scene.body_count;
        for (size_t b = 0; b < bodies; b++) {
            position.insert(position.end(), {5.0, 0.0, 0.0});
            orientation.insert(orientation.end(), {std::sqrt(0.5), std::sqrt(0.5), 0, 0});
        }
        zero.assign(3 * bodies, 0.0);
        EnsembleFrames frames = {};
        frames.scene = scene;
        frames.frame_count = 1;
        frames.body_count = bodies;
        frames.time_s = time.data();
        frames.position_m = position.data();
        frames.orientation = orientation.data();
        frames.velocity_m_per_s = frames.spin_rad_per_s = zero.data();
        ClackReport report = {};
        ASSERT_EQ(surface_make(study, &frames, &surface, &report), CLACK_OK);
    }

    // Six times the tetrahedron of a triangle and the origin.
    double six(size_t t) const {
        const double *a = surface.points_m[surface.triangles[t][0]], *b = surface.points_m[surface.triangles[t][1]],
                     *c = surface.points_m[surface.triangles[t][2]];
        return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    double volume() const {
        double sum = 0;
        for (size_t t = 0; t < surface.triangle_count; t++) sum += six(t) / 6;
        return sum;
    }
    // Of the volume.
    std::vector<double> centroid() const {
        std::vector<double> sum(3);
        for (size_t t = 0; t < surface.triangle_count; t++)
            for (size_t k = 0; k < 3; k++)
                for (int c = 0; c < 3; c++) sum[k] += six(t) / 24 * surface.points_m[surface.triangles[t][c]][k];
        for (double &value : sum) value /= volume();
        return sum;
    }
    // Every edge belongs to two triangles, which run along it in opposite directions.
    void expect_closed() const {
        std::map<std::pair<uint32_t, uint32_t>, int> edges;
        for (size_t t = 0; t < surface.triangle_count; t++)
            for (int c = 0; c < 3; c++) edges[{surface.triangles[t][c], surface.triangles[t][(c + 1) % 3]}]++;
        for (const auto &[edge, count] : edges) {
            const auto back = edges.find({edge.second, edge.first});
            EXPECT_EQ(count, 1) << edge.first << " " << edge.second;
            ASSERT_NE(back, edges.end()) << "open at " << edge.first << " " << edge.second;
        }
    }
    void expect_volume(double expected) {
        expect_closed();
        EXPECT_NEAR(volume() / expected, 1, 1e-12); // rounding of some hundred terms
    }
};

TEST_F(SurfaceTest, Box) {
    make("{box: {lengths: [0.2, 0.3, 0.5]}}");
    EXPECT_EQ(surface.triangle_count, 12u);
    expect_volume(0.2 * 0.3 * 0.5);
}

TEST_F(SurfaceTest, Cylinder) {
    make("{cylinder: {diameter: 0.2, length: 0.3, axis: x}}");
    expect_volume(polygon * pi * 0.01 * 0.3);
}

TEST_F(SurfaceTest, TubeHasItsHole) {
    make("{cylinder: {diameter: 0.2, inner_diameter: 0.1, length: 0.3}}");
    expect_volume(polygon * pi * (0.01 - 0.0025) * 0.3);
}

TEST_F(SurfaceTest, ConeAndFrustum) {
    make("{cone: {diameter: 0.2, length: 0.3}}");
    expect_volume(polygon * pi * 0.01 * 0.3 / 3);
    EXPECT_NEAR(centroid()[2], 0.3 / 4, 1e-14); // from the base
    surface_free(&surface);
    make("{cone: {diameter: 0.2, top_diameter: 0.1, length: 0.3}}");
    expect_volume(polygon * pi * 0.3 / 3 * (0.01 + 0.1 * 0.05 + 0.0025));
}

TEST_F(SurfaceTest, Beam) {
    make("{beam: {length: 0.4, width: 0.1, thickness: 0.02, axis: y}}");
    expect_volume((0.4 * 0.1 + polygon * pi * 0.0025) * 0.02);
}

// Polyhedra inscribed in spheres: the frusta between the circles of latitude.
double ball() {
    double sum = 0;
    for (int i = 0; i < segments / 2; i++) {
        const double from = -pi / 2 + 2 * pi * i / segments, to = from + 2 * pi / segments;
        const double a = std::cos(from), b = std::cos(to);
        sum += polygon * pi / 3 * (std::sin(to) - std::sin(from)) * (a * a + a * b + b * b);
    }
    return sum;
}

TEST_F(SurfaceTest, SphereEllipsoidCapsule) {
    EXPECT_NEAR(ball() / (4 * pi / 3), 1, 0.02);
    make("{sphere: {diameter: 0.2}}");
    expect_volume(ball() * 0.001);
    surface_free(&surface);
    make("{ellipsoid: {lengths: [0.2, 0.4, 0.6]}}");
    expect_volume(ball() * 0.1 * 0.2 * 0.3);
    surface_free(&surface);
    make("{capsule: {diameter: 0.2, length: 0.5}}");
    expect_volume(ball() * 0.001 + polygon * pi * 0.01 * 0.5);
}

TEST_F(SurfaceTest, Hull) {
    make("{hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]], scale: 0.3}}");
    EXPECT_EQ(surface.triangle_count, 4u);
    expect_volume(0.027 / 6);
    for (const double middle : centroid()) EXPECT_NEAR(middle, 0.3 / 4, 1e-14);
}

// As its file has it, scaled, about the body's own origin.
TEST_F(SurfaceTest, Mesh) {
    const std::string wedge = testing::TempDir() + "clack_wedge.obj";
    std::FILE *file = std::fopen(wedge.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fputs("v 1 1 1\nv 2 1 1\nv 1 3 1\nv 1 1 4\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", file);
    std::fclose(file);
    make("{mesh: {file: " + wedge + ", scale: 0.1}}", "", 0, "", "trapezoidal");
    std::remove(wedge.c_str());
    EXPECT_EQ(surface.triangle_count, 4u);
    expect_volume(1e-3 * 1 * 2 * 3 / 6);
    const double middle[] = {0.125, 0.15, 0.175};
    for (size_t k = 0; k < 3; k++) EXPECT_NEAR(centroid()[k], middle[k], 1e-14);
}

// The kernels' frame is the principal one at the centre of mass; points are in the user's.
TEST_F(SurfaceTest, ShapesLieWhereTheStudyPutsThem) {
    make("{box: {lengths: [0.2, 0.1, 0.1]}, position: [1, 2, 3], rotation: {axis: [0, 0, 1], angle: "
         "1.5707963267948966}},"
         " {sphere: {diameter: 0.1}, position: [-1, 0, 0]}");
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (size_t t = 0; t < surface.triangle_count; t++) {
        if (surface.shapes[t] != 0) continue;
        for (const uint32_t point : surface.triangles[t])
            for (int k = 0; k < 3; k++) {
                low[k] = std::min(low[k], surface.points_m[point][k]);
                high[k] = std::max(high[k], surface.points_m[point][k]);
            }
    }
    const double half[] = {0.05, 0.1, 0.05}; // turned by a quarter
    for (int k = 0; k < 3; k++) {
        EXPECT_NEAR(low[k], k + 1 - half[k], 1e-13);
        EXPECT_NEAR(high[k], k + 1 + half[k], 1e-13);
    }
}

// The square lies in the plane, under the body.
TEST_F(SurfaceTest, HalfSpaceIsASquareUnderWhatMoves) {
    make("{sphere: {diameter: 0.2}}",
         "    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 1, 0], offset: -0.5}}]}\n");
    double middle[3] = {0};
    int corners = 0;
    for (size_t i = 0; i < surface.point_count; i++) {
        if (surface.bodies[i] != 1) continue;
        corners++;
        for (int k = 0; k < 3; k++) middle[k] += surface.points_m[i][k] / 4;
        EXPECT_NEAR(surface.points_m[i][1], -0.5, 1e-14);
        EXPECT_GT(std::hypot(surface.points_m[i][0], surface.points_m[i][2]), 0.1);
    }
    EXPECT_EQ(corners, 4);
    EXPECT_NEAR(middle[0], 0, 1e-14); // both bodies have their origin in the same place
    EXPECT_NEAR(middle[2], 0, 1e-14);
}

TEST_F(SurfaceTest, AbsentBodiesHaveNone) {
    int seen[2] = {0, 0};
    for (uint64_t scene = 0; scene < 12; scene++) {
        surface_free(&surface);
        make("{sphere: {diameter: 0.2}}",
             "    guest: {material: steel, count: {integer: [0, 1]}, shapes: [{sphere: {diameter: 0.1}}]}\n", scene,
             "design: {monte_carlo: {samples: 12}}\n");
        ASSERT_FALSE(HasFatalFailure());
        const double guests = values(scene).at(parameter("scene.bodies.guest.count"));
        EXPECT_EQ(surface.bodies[surface.point_count - 1], (uint32_t)guests) << scene;
        seen[guests > 0]++;
    }
    EXPECT_GT(seen[0], 0);
    EXPECT_GT(seen[1], 0);
}

} // namespace
