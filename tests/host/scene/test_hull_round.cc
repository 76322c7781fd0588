// Hulls with rounded edges: their core against the faces of the sharp hull, a rounded box as a hull against the box
// itself in distances, contacts and motion, and points against a core.
#include <gtest/gtest.h>

#include "scene_builder.h"
#include "shape_reference.h"

using namespace scenes;

namespace {

struct Hull {
    SceneHull *hull = nullptr;
    std::string refusal;
    Hull(const Points &points, double smoothing, int cuts = 0) {
        ClackReport report{};
        EXPECT_EQ(hull_make(reinterpret_cast<const double(*)[3]>(points.data()), points.size(), &hull, &report),
                  CLACK_OK);
        hull_round(hull, smoothing, cuts, &report);
        if (report.count > 0) refusal = report.lines[0];
        clack_report_clear(&report);
    }
    Hull(const Hull &) = delete;
    ~Hull() { hull_free(hull); }
    const SceneHull *operator->() const { return hull; }
    std::vector<Vec3> core() const {
        const HullRow *first = hull->rows + hull_blocks(hull->vertex_count);
        std::vector<Vec3> all;
        for (uint32_t k = 0; k < hull->vertex_count; k++) all.push_back(first[k].at_m);
        return all;
    }
};

struct Plane {
    Vec3 normal;
    double height;
};

// Of the sharp hull, one for each triangle of its surface.
std::vector<Plane> planes_of(const SceneHull *hull) {
    double(*points)[3];
    uint32_t(*corners)[3];
    size_t point_count, count;
    EXPECT_EQ(hull_triangles(hull, &points, &point_count, &corners, &count, nullptr), CLACK_OK);
    std::vector<Plane> planes;
    for (size_t t = 0; t < count; t++) {
        Vec3 p[3];
        for (int c = 0; c < 3; c++)
            p[c] = vec3_make(points[corners[t][c]][0], points[corners[t][c]][1], points[corners[t][c]][2]);
        const Vec3 n = vec3_normalize(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
        planes.push_back({n, vec3_dot(n, p[0])});
    }
    free(points);
    free(corners);
    return planes;
}

Points prism(int sides, double radius, double half_height) {
    Points all;
    for (int k = 0; k < 2 * sides; k++) {
        const double turn = 2 * M_PI * (k / 2) / sides;
        all.push_back({radius * std::cos(turn), radius * std::sin(turn), k % 2 ? half_height : -half_height});
    }
    return all;
}

// Every vertex of the core is under all faces by the radius, and under two at least by no more.
TEST(HullRound, CoreIsUnderAllFacesByTheRadius) {
    Draw draw(700);
    std::vector<Points> all = {box_points(0.3, 0.4, 0.5),
                               prism(6, 0.3, 0.2),
                               prism(40, 0.3, 0.2),
                               {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int count : {5, 12, 64, 300}) all.push_back(egg_points(draw, count));
    for (const Points &points : all) {
        const double rho = 1e-3;
        const Hull hull(points, rho);
        ASSERT_EQ(hull.refusal, "");
        const std::vector<Plane> planes = planes_of(hull.hull);
        for (const Vec3 &p : hull.core()) {
            int near = 0;
            for (const Plane &plane : planes) {
                const double depth = plane.height - vec3_dot(plane.normal, p);
                ASSERT_GE(depth, rho - 1e-9) << points.size();
                near += depth < rho + 1e-9;
            }
            ASSERT_GE(near, 2);
        }
        EXPECT_EQ(hull->corner_count, points.size());
        EXPECT_LE(hull->vertex_count, points.size());
    }
}

// Three faces meet in each corner: the faces stay where they are.
TEST(HullRound, FacesOfPrismsStay) {
    for (int sides : {3, 4, 5, 6, 12, 32}) {
        const Hull hull(prism(sides, 0.1, 0.05), 2e-3);
        ASSERT_EQ(hull.refusal, "");
        EXPECT_EQ(hull->vertex_count, 2u * unsigned(sides));
        EXPECT_EQ(hull->face_count, 2u * hull->vertex_count - 4u);
        EXPECT_EQ(hull->edge_count, 3u * unsigned(sides)); // none within a face
        for (const Plane &plane : planes_of(hull.hull)) {
            double reach = -1;
            for (const Vec3 &p : hull.core()) reach = std::max(reach, vec3_dot(plane.normal, p));
            EXPECT_NEAR(reach + 2e-3, plane.height, 1e-15) << sides;
        }
    }
}

TEST(HullRound, TakesWhatItHasRoomFor) {
    const Points cube = box_points(0.05, 0.05, 0.05);
    EXPECT_EQ(Hull(cube, 0.049).refusal, "");
    EXPECT_EQ(Hull(cube, 0.05).refusal, "expected a smoothing radius that the hull has room for, found 0.05 m");
    EXPECT_EQ(Hull(cube, 0.06).refusal, "expected a smoothing radius that the hull has room for, found 0.06 m");
    EXPECT_EQ(Hull(cube, 1e-3, 1)->smoothing_m, 1e-3);
    // No corner of a cut one moves by more than a quarter of the smallest side: here rho / sin of half the angle.
    const Points wedge = {{0, 0, 0}, {1, 0.01, 0}, {1, -0.01, 0}, {0, 0, 1}, {1, 0.01, 1}, {1, -0.01, 1}};
    const Hull cut(wedge, 1e-3, 1);
    EXPECT_EQ(cut.refusal, "");
    EXPECT_GT(cut->smoothing_m, 4e-5);
    EXPECT_LT(cut->smoothing_m, 0.005 * 0.01);
    EXPECT_NEAR(cut->sides_m[1], 0.02, 1e-15); // of the sharp one, as its mass
}

TEST(HullRound, SharpAndLargeOnesHaveOneContact) {
    Draw draw(701);
    hull_rows().resize(1);
    const Shape plain = box(0.3, 0.3, 0.3, 1e-3), can = make_shape(SHAPE_CYLINDER, 0.2, 0.3, 0, 1e-3);
    const Shape sharp = make_hull(box_points(0.3, 0.3, 0.3)), round = make_hull(box_points(0.3, 0.3, 0.3), 1, 1e-3);
    const Shape large = make_hull(egg_points(draw, 65), 1, 1e-3), small = make_hull(egg_points(draw, 64), 1, 1e-3);
    for (const Shape *other : {&plain, &can, &round}) {
        EXPECT_EQ(narrow_feature_count(&sharp, other, 0), 1u);
        EXPECT_EQ(narrow_feature_count(&large, other, 0), 1u);
        EXPECT_GT(narrow_feature_count(&small, other, 0), 64u);
        EXPECT_EQ(narrow_feature_count(&round, other, SCENE_SINGLE_CONTACT), 1u);
    }
    EXPECT_EQ(narrow_feature_count(&round, &plain, 0), narrow_feature_count(&plain, &plain, 0));
    EXPECT_EQ(narrow_feature_count(&round, &can, 0), narrow_feature_count(&plain, &can, 0));
}

// Outside against the exact search with a small ball, inside against the planes.
TEST(HullPoint, HasTheDistanceOfTheCore) {
    Draw draw(702);
    for (int count : {5, 12, 64}) {
        hull_rows().resize(1);
        const Shape shape = make_hull(egg_points(draw, count), 0.7, 1e-3);
        const Placed hull{shape, no_turn()}, ball{sphere(1e-6), no_turn()};
        const HullRow *rows = hull_face_rows(&shape, hull_rows().data());
        int inside = 0;
        for (int i = 0; i < 3000; i++) {
            const Vec3 p = vec3_scale(draw.direction(), draw.uniform(0, 0.8));
            const PointToCore to = point_to_hull(&shape, hull_rows().data(), p);
            ASSERT_NEAR(vec3_length(to.direction), 1, 1e-14);
            if (to.distance_m > 2e-6) {
                const NarrowResult want = narrow(ball, hull, vec3_negate(p));
                ASSERT_NEAR(to.distance_m, want.distance_m + 1e-6 + shape.smoothing_m, 1e-14) << i;
                ASSERT_LT(angle(vec3_negate(to.direction), want.normal), 1e-9);
            } else if (to.distance_m < 0) {
                double nearest = -1e9;
                for (uint32_t t = 0; t < shape.hull_faces; t++)
                    nearest = std::max(nearest, vec3_dot(rows[2 * t].at_m, p) - 0.7 * rows[2 * t].reach_m);
                ASSERT_NEAR(to.distance_m, nearest, 1e-15);
                inside++;
            }
        }
        EXPECT_GT(inside, 50);
    }
}

// A face of several triangles is one face: over the edge between two of them, and beside it by as little as there is,
// the direction is the face's normal, not that to the edge. That was off by 1e-9, and a hull on a cylinder rocked
// itself off.
TEST(HullPoint, OverTheEdgesWithinAFaceHasItsNormal) {
    Draw draw(704);
    hull_rows().resize(1);
    const double half[] = {0.099, 0.079, 0.059};
    const Shape shape = make_hull(box_points(0.1, 0.08, 0.06), 1, 1e-3);
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 3000; i++) {
            const double aside = i % 10 == 0 ? 0 : std::pow(10, draw.uniform(-16, -8)),
                         height = std::pow(10, draw.uniform(-5, -1));
            const double along = draw.uniform(-0.9, 0.9), sign = i & 1 ? 1 : -1, diagonal = i & 2 ? 1 : -1;
            double p[3];
            p[axis] = sign * (half[axis] + height);
            p[(axis + 1) % 3] = half[(axis + 1) % 3] * along + aside * draw.uniform(-1, 1);
            p[(axis + 2) % 3] = half[(axis + 2) % 3] * along * diagonal + aside * draw.uniform(-1, 1);
            const PointToCore to = point_to_hull(&shape, hull_rows().data(), vec3_make(p[0], p[1], p[2]));
            const double want[] = {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
            ASSERT_LT(vec3_length(vec3_sub(to.direction, vec3_make(want[0], want[1], want[2]))), 1e-15)
                << axis << " " << i;
            ASSERT_NEAR(to.distance_m, height, 1e-16);
        }
    }
}

// --- a rounded box as a hull ------------------------------------------------------------------------------

const uint32_t PARTNERS[] = {SHAPE_BOX, SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM};

struct Twins {
    Placed box, hull;
};

Twins draw_twins(Draw &draw) {
    const double x = draw.uniform(0.3, 0.7), y = draw.uniform(0.3, 0.7), z = draw.uniform(0.3, 0.7);
    const Mat3 turn = draw.turn();
    return {{scenes::box(x, y, z, 1e-3), turn}, {make_hull(box_points(x, y, z), 1, 1e-3), turn}};
}

void compare_contacts(const Placed &a, const Placed &b, const Placed &c, const Placed &d, Vec3 offset,
                      double tolerance) {
    std::vector<std::pair<double, Vec3>> one, other;
    const u32 count = narrow_feature_count(&a.shape, &b.shape, 0);
    ASSERT_EQ(narrow_feature_count(&c.shape, &d.shape, 0), count);
    for (u32 k = 0; k < count; k++) {
        const NarrowResult r = narrow(a, b, offset, k, options(0)), s = narrow(c, d, offset, k, options(0));
        one.emplace_back(r.distance_m, r.normal);
        other.emplace_back(s.distance_m, s.normal);
    }
    auto less = [](const auto &x, const auto &y) { return x.first < y.first; };
    std::sort(one.begin(), one.end(), less);
    std::sort(other.begin(), other.end(), less);
    for (u32 k = 0; k < count; k++) {
        ASSERT_NEAR(one[k].first, other[k].first, tolerance * std::max(1.0, one[k].first)) << k << " of " << count;
        if (one[k].first > 1e-3 || one[k].first > one[k + 1 < count ? k + 1 : k].first - 1e-9)
            continue; // of equals any
        if (k > 0 && one[k].first < one[k - 1].first + 1e-9) continue;
        ASSERT_LT(angle(one[k].second, other[k].second), 1e-9);
    }
}

TEST(HullBoxRound, HasTheContactsOfTheBox) {
    for (uint32_t kind : PARTNERS) {
        Draw draw(710 + kind);
        for (int n = 0; n < 300; n++) {
            hull_rows().resize(1);
            const Twins twins = draw_twins(draw);
            Shape shape = draw_solid(draw, kind);
            if (kind != SHAPE_CAPSULE) shape.smoothing_m = 1e-3;
            const Placed other{shape, draw.turn()};
            const Vec3 offset =
                place_at(twins.box, other, draw.direction(), n % 2 ? -1e-4 : draw.log_uniform(1e-6, 1e-2));
            compare_contacts(twins.box, other, twins.hull, other, offset, 1e-12);
            compare_contacts(other, twins.box, other, twins.hull, vec3_negate(offset), 1e-12);
        }
    }
    Draw draw(720);
    for (int n = 0; n < 300; n++) {
        hull_rows().resize(1);
        const Twins a = draw_twins(draw), b = draw_twins(draw);
        const Vec3 offset = place_at(a.box, b.box, draw.direction(), n % 2 ? -1e-4 : draw.log_uniform(1e-6, 1e-2));
        compare_contacts(a.box, b.box, a.hull, b.hull, offset, 1e-12);
    }
}

// A box or its hull thrown onto another one, on whose edge it tumbles.
SceneBuilder thrown(bool is_hull) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5, 0.4);
    auto add = [&](double x, double y, double z) {
        if (!is_hull)
            b.shape(SHAPE_BOX, {2 * x, 2 * y, 2 * z, 0}).smoothing_m = 1e-3;
        else
            b.hull(shared_hull(box_points(x, y, z), 1e-3));
        b.shapes.back().contact_radius_m = 0.02;
    };
    b.body("table", true, {0, 0, 0});
    add(0.1, 0.12, 0.05);
    for (int k = 0; k < 2; k++) {
        SceneBody &body = b.body("crate", false, {0.07 * k, 0.02, 0.1 + 0.07 * k});
        body.rotation.kind = ROTATION_AXIS_ANGLE;
        body.rotation.value[0] = 1;
        body.rotation.value[1] = 0.4;
        body.rotation.value[3] = 0.2 + k;
        add(0.03, 0.025, 0.02);
    }
    b.scene.end_s = 0.25;
    return b;
}

TEST(HullBoxRound, MovesAsTheBoxDoes) {
    SceneBuilder a = thrown(false), b = thrown(true);
    Ran boxed = run_scene(a), hulled = run_scene(b);
    ASSERT_EQ(boxed.progress().status, STATUS_OK);
    ASSERT_EQ(hulled.progress().status, STATUS_OK);
    EXPECT_GE(boxed.events().size(), 20u);
    EXPECT_EQ(boxed.events().size(), hulled.events().size());
    for (uint32_t k = 1; k < 3; k++) {
        const BodyState p = boxed.state(k), q = hulled.state(k);
        EXPECT_LE(vec3_length(vec3_sub(p.position_m, q.position_m)), 1e-7);
        EXPECT_LE(vec3_length(vec3_sub(p.velocity_m_per_s, q.velocity_m_per_s)), 1e-5);
    }
}

} // namespace
