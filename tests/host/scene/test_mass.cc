// Mass properties against direct integration over the bodies' points, and rotations against matrices.
#include <gtest/gtest.h>

#include "mass.h"
#include "base/vec3.h"

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

SceneShape shape(uint32_t kind, double x, double y = 0, double z = 0, uint32_t axis = 2) {
    SceneShape s{};
    s.kind = kind;
    s.axis = axis;
    s.size_m[0] = x;
    s.size_m[1] = y;
    s.size_m[2] = z;
    return s;
}

Matrix product(const Matrix &a, const Matrix &b) {
    Matrix m{};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 3; k++) m[i][j] += a[i][k] * b[k][j];
    return m;
}

Matrix transpose(const Matrix &a) {
    Matrix m{};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) m[i][j] = a[j][i];
    return m;
}

Matrix of_quat(Quat q) {
    const Mat3 m = mat3_from_quat(q);
    return {{{m.x.x, m.x.y, m.x.z}, {m.y.x, m.y.y, m.y.z}, {m.z.x, m.z.y, m.z.z}}};
}

// The passive matrices of tests/golden/scenes.json: v_body = R v_parent.
Matrix passive(int axis, double a) {
    const double c = std::cos(a), s = std::sin(a);
    if (axis == 0) return {{{1, 0, 0}, {0, c, s}, {0, -s, c}}};
    if (axis == 1) return {{{c, 0, -s}, {0, 1, 0}, {s, 0, c}}};
    return {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}};
}

bool contains(const SceneShape &s, Vec3 p) {
    if (s.kind == SHAPE_SPHERE) return vec3_length(p) <= s.size_m[0] / 2;
    if (s.kind == SHAPE_BOX)
        return std::fabs(p.x) <= s.size_m[0] / 2 && std::fabs(p.y) <= s.size_m[1] / 2 &&
               std::fabs(p.z) <= s.size_m[2] / 2;
    const double at[] = {p.x, p.y, p.z};
    double along = at[s.axis], reach = s.size_m[1] / 2;
    along -= std::fmin(std::fmax(along, -reach), reach);
    double square = along * along;
    for (uint32_t k = 0; k < 3; k++)
        if (k != s.axis) square += at[k] * at[k];
    return std::sqrt(square) <= s.size_m[0] / 2;
}

// Half sides of the box about a shape, so that flat faces fall between the grid's cells.
Vec3 bound(const SceneShape &s) {
    if (s.kind == SHAPE_BOX) return vec3_make(s.size_m[0] / 2, s.size_m[1] / 2, s.size_m[2] / 2);
    double reach[] = {s.size_m[0] / 2, s.size_m[0] / 2, s.size_m[0] / 2};
    if (s.kind == SHAPE_CAPSULE) reach[s.axis] += s.size_m[1] / 2;
    return vec3_make(reach[0], reach[1], reach[2]);
}

struct Sums {
    double mass = 0;
    Vec3 first = vec3_zero();
    Matrix second{}; // sum of m p p^T
};

// Adds the points of one shape, in body axes, by the mid-point rule on a grid turned with the shape.
void integrate(const SceneShape &s, double density, const Matrix &turn, int n, Sums &sums) {
    const Vec3 reach = bound(s), h = vec3_scale(reach, 2.0 / n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                const Vec3 p =
                    vec3_make((i + 0.5) * h.x - reach.x, (j + 0.5) * h.y - reach.y, (k + 0.5) * h.z - reach.z);
                if (!contains(s, p)) continue;
                const double in[] = {p.x, p.y, p.z};
                std::array<double, 3> at{};
                for (size_t a = 0; a < 3; a++) {
                    at[a] = s.position_m[a];
                    for (size_t b = 0; b < 3; b++) at[a] += turn[a][b] * in[b];
                }
                const double m = density * h.x * h.y * h.z;
                sums.mass += m;
                sums.first = vec3_add(sums.first, vec3_make(m * at[0], m * at[1], m * at[2]));
                for (size_t a = 0; a < 3; a++)
                    for (size_t b = 0; b < 3; b++) sums.second[a][b] += m * at[a] * at[b];
            }
}

void expect_same(const MassProperties &found, const Sums &sums, double relative) {
    const double com[] = {sums.first.x / sums.mass, sums.first.y / sums.mass, sums.first.z / sums.mass};
    Matrix central = sums.second;
    double size = 0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) central[i][j] -= sums.mass * com[i] * com[j];
        size += central[i][i];
    }
    EXPECT_NEAR(found.mass_kg, sums.mass, relative * sums.mass);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_NEAR(found.com_m[i], com[i], relative * std::sqrt(size / sums.mass)) << i;
        for (size_t j = 0; j < 3; j++)
            EXPECT_NEAR(found.inertia_kg_m2[i][j], (i == j ? size : 0) - central[i][j], 2 * relative * size) << i << j;
    }
}

struct Scene {
    SceneDescription description{};
    std::vector<SceneShape> shapes;
    std::vector<SceneMaterial> materials = std::vector<SceneMaterial>(2);
    SceneBody body{};
    explicit Scene(std::vector<SceneShape> list) : shapes(std::move(list)) {
        materials[0].density_kg_per_m3 = 700;
        materials[1].density_kg_per_m3 = 8000;
        std::strcpy(body.name, "crate");
        body.shape_count = (uint32_t)shapes.size();
        description.shape_count = body.shape_count;
        description.body_count = 1;
        description.material_count = 2;
        description.shapes = shapes.data();
        description.materials = materials.data();
        description.bodies = &body;
    }
    MassProperties mass() {
        MassProperties out{};
        EXPECT_EQ(mass_of_body(&description, 0, &out, nullptr), CLACK_OK);
        return out;
    }
    std::string refusal() {
        ClackReport report{};
        MassProperties out{};
        EXPECT_EQ(mass_of_body(&description, 0, &out, &report), CLACK_STUDY);
        EXPECT_EQ(report.count, 1u);
        const std::string line = report.count == 1 ? report.lines[0] : "";
        clack_report_clear(&report);
        return line;
    }
};

TEST(Rotation, CardanAnglesAreThoseOfTheReference) {
    for (const auto &v :
         {std::array<double, 3>{0.3, 0, 0}, {0, 0.4, 0}, {0, 0, -0.5}, {0.3, -1.1, 2.5}, {3, 1.5, -2}}) {
        SceneRotation r{ROTATION_CARDAN, {v[0], v[1], v[2], 0}};
        const Matrix found = of_quat(rotation_to_quat(&r));
        const Matrix expected = transpose(product(passive(2, v[2]), product(passive(1, v[1]), passive(0, v[0]))));
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) EXPECT_NEAR(found[i][j], expected[i][j], 1e-15) << i << j;
    }
}

TEST(Rotation, OtherKinds) {
    const SceneRotation none{ROTATION_NONE, {5, 5, 5, 5}};
    EXPECT_EQ(rotation_to_quat(&none).w, 1);
    const SceneRotation quaternion{ROTATION_QUATERNION, {2, 0, 0, 2}}; // 90 degrees about z
    Vec3 v = quat_rotate(rotation_to_quat(&quaternion), vec3_make(1, 0, 0));
    EXPECT_NEAR(v.y, 1, 1e-15);
    const SceneRotation axis{ROTATION_AXIS_ANGLE, {0, 7, 0, std::acos(0.0)}}; // 90 degrees about y
    v = quat_rotate(rotation_to_quat(&axis), vec3_make(0, 0, 1));
    EXPECT_NEAR(v.x, 1, 1e-15);
}

TEST(Shape, ClosedFormsAgreeWithQuadrature) {
    for (const SceneShape &s :
         {shape(SHAPE_SPHERE, 0.4), shape(SHAPE_BOX, 0.2, 0.3, 0.5), shape(SHAPE_CAPSULE, 0.2, 0.5, 0, 0),
          shape(SHAPE_CAPSULE, 0.3, 0.2, 0, 1), shape(SHAPE_CAPSULE, 0.3, 0.4, 0, 2)}) {
        Sums sums;
        integrate(s, 700, of_quat(quat_identity()), 120, sums);
        expect_same(mass_of_shape(&s, 700), sums, 5e-4); // of the cells that the surface cuts
    }
    const SceneShape box = shape(SHAPE_BOX, 0.2, 0.3, 0.5);
    EXPECT_DOUBLE_EQ(mass_of_shape(&box, 1000).mass_kg, 30);
    EXPECT_DOUBLE_EQ(mass_of_shape(&box, 1000).inertia_kg_m2[0][0], 30.0 / 12 * 0.34);
    const SceneShape ground = shape(SHAPE_HALF_SPACE, 0, 0, 1);
    EXPECT_EQ(mass_of_shape(&ground, 8000).mass_kg, 0);
}

// Discs of a body of revolution, or slices of a beam, by Simpson's rule: volume integrals of 1, z, z^2 and
// of the squares across the axis. Exact for polynomials up to the third degree, 1e-10 for the rest.
struct Slices {
    double mass = 0, first = 0, along = 0, across_b = 0, across_c = 0;
    void add(double z, double weight, double area, double square_b, double square_c) {
        mass += weight * area;
        first += weight * area * z;
        along += weight * area * z * z;
        across_b += weight * square_b;
        across_c += weight * square_c;
    }
};

// slice(z): area and second moments about the axis, of the cut at z.
template <typename Cut> Slices slices(double low, double high, Cut cut) {
    Slices sums;
    const int n = 20000;
    for (int i = 0; i <= n; i++) {
        const double z = low + (high - low) * i / n;
        const double weight = (high - low) / n / 3 * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2);
        const std::array<double, 3> at = cut(z);
        sums.add(z, weight, at[0], at[1], at[2]);
    }
    return sums;
}

// Axis a, and the second moments along its cyclic successors b and c.
void expect_slices(const SceneShape &s, const Slices &sums, double relative) {
    const MassProperties found = mass_of_shape(&s, 1);
    const size_t a = s.axis, b = (a + 1) % 3, c = (a + 2) % 3;
    const double com = sums.first / sums.mass, along = sums.along - sums.mass * com * com;
    const double scale = along + sums.across_b + sums.across_c;
    EXPECT_NEAR(found.mass_kg, sums.mass, relative * sums.mass);
    EXPECT_NEAR(found.com_m[a], com, relative);
    EXPECT_EQ(found.com_m[b], 0);
    EXPECT_EQ(found.com_m[c], 0);
    EXPECT_NEAR(found.inertia_kg_m2[a][a], sums.across_b + sums.across_c, relative * scale);
    EXPECT_NEAR(found.inertia_kg_m2[b][b], along + sums.across_c, relative * scale);
    EXPECT_NEAR(found.inertia_kg_m2[c][c], along + sums.across_b, relative * scale);
    EXPECT_EQ(found.inertia_kg_m2[0][1], 0);
}

TEST(Shape, CurvedShapesAgreeWithTheirSlices) {
    const double pi = std::acos(-1.0);
    auto disc = [&](double outer, double inner) {
        const double second = pi / 4 * (std::pow(outer, 4) - std::pow(inner, 4));
        return std::array<double, 3>{pi * (outer * outer - inner * inner), second, second};
    };
    for (uint32_t axis = 0; axis < 3; axis++) {
        const SceneShape tube = shape(SHAPE_CYLINDER, 0.4, 0.7, 0.3, axis);
        expect_slices(tube, slices(-0.35, 0.35, [&](double) { return disc(0.2, 0.15); }), 1e-12);
        for (double top : {0.0, 0.1, 0.399999}) {
            const SceneShape cone = shape(SHAPE_CONE, 0.4, 0.7, top, axis);
            auto cut = [&](double z) { return disc(0.2 + (top / 2 - 0.2) * z / 0.7, 0); };
            expect_slices(cone, slices(0, 0.7, cut), 1e-12);
        }
        const SceneShape beam = shape(SHAPE_BEAM, 0.6, 0.2, 0.1, axis);
        auto cut = [&](double z) { // a rectangle, as wide as the stadium there
            const double out = std::fmax(std::fabs(z) - 0.3, 0.0);
            const double w = 2 * std::sqrt(std::fmax(0.01 - out * out, 0.0)), t = 0.1;
            return std::array<double, 3>{w * t, w * w * w * t / 12, w * t * t * t / 12};
        };
        expect_slices(beam, slices(-0.4, 0.4, cut), 1e-6); // Simpson's at the square root's ends
        SceneShape egg = shape(SHAPE_ELLIPSOID, 0.6, 0.4, 0.2);
        egg.axis = axis;
        const double r[] = {0.3, 0.2, 0.1};
        auto oval = [&](double z) {
            const double f = 1 - z * z / (r[axis] * r[axis]);
            const double y = r[(axis + 1) % 3], x = r[(axis + 2) % 3];
            const double second = pi / 4 * y * x * f * f;
            return std::array<double, 3>{pi * y * x * f, second * y * y, second * x * x};
        };
        expect_slices(egg, slices(-r[axis], r[axis], oval), 1e-12);
    }
}

// The same integrals over directions, of the distance r from the centre: r^3 / 3, and r^5 / 5 times squares of the
// direction. Both angles' sums are of high order, as r is smooth in them.
TEST(Shape, SuperquadricsAgreeWithIntegralsOverDirections) {
    const int COUNT = 400;
    const double pi = std::acos(-1.0), half[] = {0.3, 0.2, 0.35};
    for (const auto &exponents : {std::array<double, 2>{2, 2}, {4, 4}, {2, 8}, {8, 2}, {3, 5.5}}) {
        SceneShape s = shape(SHAPE_SUPERQUADRIC, 2 * half[0], 2 * half[1], 2 * half[2]);
        for (size_t k = 0; k < 2; k++) s.exponents[k] = exponents[k];
        double volume = 0, squares[3] = {0, 0, 0};
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < COUNT; j++) {
                const double up = pi * (i + 0.5) / COUNT, round = 2 * pi * (j + 0.5) / COUNT;
                const double n[] = {std::sin(up) * std::cos(round), std::sin(up) * std::sin(round), std::cos(up)};
                double t[3];
                for (size_t k = 0; k < 3; k++) t[k] = std::fabs(n[k]) / half[k];
                const double across = std::pow(t[0], exponents[0]) + std::pow(t[1], exponents[0]);
                const double r = std::pow(std::pow(across, exponents[1] / exponents[0]) + std::pow(t[2], exponents[1]),
                                          -1 / exponents[1]);
                const double angle = std::sin(up) * pi / COUNT * 2 * pi / COUNT;
                volume += r * r * r / 3 * angle;
                for (size_t k = 0; k < 3; k++) squares[k] += std::pow(r, 5) / 5 * n[k] * n[k] * angle;
            }
        const MassProperties found = mass_of_shape(&s, 900);
        SCOPED_TRACE(exponents[0] + 10 * exponents[1]);
        EXPECT_NEAR(found.mass_kg / (900 * volume), 1, 1e-4);
        for (size_t k = 0; k < 3; k++)
            EXPECT_NEAR(found.inertia_kg_m2[k][k] / (900 * (squares[(k + 1) % 3] + squares[(k + 2) % 3])), 1, 1e-4);
    }
    SceneShape s = shape(SHAPE_SUPERQUADRIC, 0.6, 0.4, 0.2);
    s.exponents[0] = 2; // the second as the first: an ellipsoid
    const SceneShape egg = shape(SHAPE_ELLIPSOID, 0.6, 0.4, 0.2);
    const MassProperties a = mass_of_shape(&s, 900), b = mass_of_shape(&egg, 900);
    EXPECT_NEAR(a.mass_kg / b.mass_kg, 1, 1e-13);
    for (int k = 0; k < 3; k++) EXPECT_NEAR(a.inertia_kg_m2[k][k] / b.inertia_kg_m2[k][k], 1, 1e-13);
}

// Other forms than those of the code: a frustum is a cone less its tip.
TEST(Shape, FrustumIsTheConeLessItsTip) {
    const double d = 0.5, t = 0.2, l = 0.6, full = l * d / (d - t), tip = full - l;
    const SceneShape whole = shape(SHAPE_CONE, d, full), rest = shape(SHAPE_CONE, t, tip),
                     frustum = shape(SHAPE_CONE, d, l, t);
    const MassProperties a = mass_of_shape(&whole, 900), b = mass_of_shape(&rest, 900),
                         f = mass_of_shape(&frustum, 900);
    EXPECT_NEAR(f.mass_kg, a.mass_kg - b.mass_kg, 1e-12);
    EXPECT_NEAR(f.com_m[2], l / 4 * (d * d + 2 * d * t + 3 * t * t) / (d * d + d * t + t * t), 1e-15);
    EXPECT_NEAR(f.inertia_kg_m2[2][2], 0.075 * (a.mass_kg * d * d - b.mass_kg * t * t), 1e-13);
    const double radial = 3.0 / 80 * (a.mass_kg * (d * d + 16 * full * full) - b.mass_kg * (t * t + 16 * tip * tip)) -
                          f.mass_kg * (full - f.com_m[2]) * (full - f.com_m[2]);
    EXPECT_NEAR(f.inertia_kg_m2[0][0], radial, 1e-12);
    const SceneShape can = shape(SHAPE_CYLINDER, 0.3, 0.4), tube = shape(SHAPE_CYLINDER, 0.3, 0.4, 0.2);
    EXPECT_NEAR(mass_of_shape(&can, 900).mass_kg, 900 * std::acos(-1.0) * 0.0225 * 0.4, 1e-12);
    EXPECT_NEAR(mass_of_shape(&tube, 900).inertia_kg_m2[2][2], mass_of_shape(&tube, 900).mass_kg / 8 * 0.13, 1e-14);
}

// A cone's centre is off its origin: turned and moved, it still makes the body that its two frustums do.
TEST(Body, PiecesOfATurnedConeMakeTheCone) {
    SceneShape whole = shape(SHAPE_CONE, 0.4, 0.8), low = shape(SHAPE_CONE, 0.4, 0.3, 0.25),
               high = shape(SHAPE_CONE, 0.25, 0.5);
    const Vec3 arm0 = vec3_make(0, 0, 0.3);
    for (SceneShape *s : {&whole, &low, &high}) {
        s->rotation = {ROTATION_CARDAN, {0.3, 0.5, -0.7, 0}};
        s->position_m[0] = 0.3;
    }
    const Vec3 arm = quat_rotate(rotation_to_quat(&whole.rotation), arm0);
    high.position_m[0] += arm.x;
    high.position_m[1] += arm.y;
    high.position_m[2] += arm.z;
    const MassProperties a = Scene({low, high}).mass(), b = Scene({whole}).mass();
    EXPECT_NEAR(a.mass_kg, b.mass_kg, 1e-13);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_NEAR(a.com_m[i], b.com_m[i], 1e-15);
        for (size_t j = 0; j < 3; j++) EXPECT_NEAR(a.inertia_kg_m2[i][j], b.inertia_kg_m2[i][j], 1e-13);
    }
}

TEST(Body, TurnedAndShiftedShapesAgreeWithQuadrature) {
    SceneShape handle = shape(SHAPE_CAPSULE, 0.1, 0.6, 0, 0), head = shape(SHAPE_BOX, 0.2, 0.3, 0.15);
    handle.rotation = {ROTATION_CARDAN, {0.3, 0.5, -0.7, 0}};
    handle.position_m[0] = 0.3;
    head.rotation = {ROTATION_AXIS_ANGLE, {1, 2, -1, 0.8}};
    head.position_m[1] = -0.2;
    head.position_m[2] = 0.1;
    head.material = 1;
    Scene scene({handle, head});
    Sums sums;
    integrate(handle, 700, of_quat(rotation_to_quat(&handle.rotation)), 100, sums);
    integrate(head, 8000, of_quat(rotation_to_quat(&head.rotation)), 100, sums);
    const MassProperties found = scene.mass();
    expect_same(found, sums, 5e-4);
    EXPECT_GT(std::fabs(found.inertia_kg_m2[0][1]), 0.02 * found.inertia_kg_m2[0][0]) << "the test shows nothing";
}

TEST(Body, HalvesOfABoxMakeTheBox) {
    const double turn[4] = {0.4, -0.2, 1.3, 0};
    SceneShape left = shape(SHAPE_BOX, 0.2, 0.3, 0.5), right = left;
    left.rotation.kind = right.rotation.kind = ROTATION_CARDAN;
    std::memcpy(left.rotation.value, turn, sizeof turn);
    std::memcpy(right.rotation.value, turn, sizeof turn);
    const Vec3 arm = quat_rotate(rotation_to_quat(&left.rotation), vec3_make(0.1, 0, 0));
    const double centre[] = {0.7, -0.4, 12}, way[] = {arm.x, arm.y, arm.z};
    for (size_t i = 0; i < 3; i++) {
        left.position_m[i] = centre[i] - way[i];
        right.position_m[i] = centre[i] + way[i];
    }
    SceneShape whole = shape(SHAPE_BOX, 0.4, 0.3, 0.5);
    whole.rotation = left.rotation;
    std::memcpy(whole.position_m, centre, sizeof centre);
    const MassProperties a = Scene({left, right}).mass(), b = Scene({whole}).mass();
    EXPECT_NEAR(a.mass_kg, b.mass_kg, 1e-13);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_NEAR(a.com_m[i], centre[i], 1e-14);
        for (size_t j = 0; j < 3; j++)
            EXPECT_NEAR(a.inertia_kg_m2[i][j], b.inertia_kg_m2[i][j],
                        1e-13); // |arm| 12 m must not show
    }
}

TEST(Body, GivenMassScalesOrReplaces) {
    Scene scene({shape(SHAPE_SPHERE, 0.2)});
    scene.body.mass_kind = MASS_TOTAL;
    scene.body.mass_kg = 3;
    EXPECT_DOUBLE_EQ(scene.mass().mass_kg, 3);
    EXPECT_DOUBLE_EQ(scene.mass().inertia_kg_m2[1][1], 0.1 * 3 * 0.04);
    scene.body.mass_kind = MASS_GIVEN;
    const double inertia[] = {1, 2, 2.5, 0.1, 0.2, 0.3};
    std::memcpy(scene.body.inertia_kg_m2, inertia, sizeof inertia);
    scene.body.com_m[2] = 0.5;
    const MassProperties m = scene.mass();
    EXPECT_EQ(m.inertia_kg_m2[0][1], 0.1);
    EXPECT_EQ(m.inertia_kg_m2[2][0], 0.2);
    EXPECT_EQ(m.inertia_kg_m2[1][2], 0.3);
    EXPECT_EQ(m.com_m[2], 0.5);
}

TEST(Body, RefusesWhatNoBodyCanBe) {
    EXPECT_NE(Scene({}).refusal().find("\"crate\": a free body needs a positive mass"), std::string::npos);
    EXPECT_NE(Scene({shape(SHAPE_HALF_SPACE, 0, 0, 1)}).refusal().find("positive mass"), std::string::npos);
    Scene scene({});
    scene.body.mass_kind = MASS_TOTAL;
    scene.body.mass_kg = 2;
    EXPECT_NE(scene.refusal().find("no shape with a density"), std::string::npos);
    scene.body.mass_kind = MASS_GIVEN;
    const double negative[] = {1, 1, 1, 2, 0, 0}, thin[] = {1, 1, 3, 0, 0, 0}, flat[] = {1, 1, 2, 0, 0, 0};
    std::memcpy(scene.body.inertia_kg_m2, negative, sizeof negative);
    EXPECT_NE(scene.refusal().find("not positive definite"), std::string::npos);
    std::memcpy(scene.body.inertia_kg_m2, thin, sizeof thin);
    EXPECT_NE(scene.refusal().find("greater than the sum"), std::string::npos);
    std::memcpy(scene.body.inertia_kg_m2, flat, sizeof flat); // a disc: the limit, allowed
    EXPECT_EQ(scene.mass().inertia_kg_m2[2][2], 2);
    scene.body.is_fixed = 1;
    scene.body.mass_kind = MASS_FROM_SHAPES;
    EXPECT_EQ(scene.mass().mass_kg, 0);
}

TEST(Principal, MomentsAndFrameRebuildTheInertia) {
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal;
    for (int n = 0; n < 1000; n++) {
        double a[3][3], inertia[3][3] = {};
        for (auto &row : a)
            for (double &x : row) x = normal(engine);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) inertia[i][j] += a[i][k] * a[j][k];
        Vec3 moments;
        Quat frame;
        mass_principal(inertia, &moments, &frame);
        const Matrix r = of_quat(frame);
        const double m[] = {moments.x, moments.y, moments.z};
        const double scale = std::max(m[0], std::max(m[1], m[2]));
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) {
                double sum = 0;
                for (size_t k = 0; k < 3; k++) sum += r[i][k] * m[k] * r[j][k];
                ASSERT_NEAR(sum, inertia[i][j], 2e-15 * scale) << n << ": " << i << j;
            }
        ASSERT_NEAR(frame.w * frame.w + frame.x * frame.x + frame.y * frame.y + frame.z * frame.z, 1, 1e-15);
    }
}

TEST(Principal, KeepsAxesThatAreAlreadyPrincipal) {
    const double inertia[3][3] = {{3, 1e-15, 0}, {1e-15, 1, 0}, {0, 0, 2}};
    Vec3 moments;
    Quat frame;
    mass_principal(inertia, &moments, &frame);
    EXPECT_EQ(frame.w, 1);
    EXPECT_EQ(moments.x, 3);
    EXPECT_EQ(moments.y, 1);
    EXPECT_EQ(moments.z, 2);
}

TEST(Principal, FindsTheFrameOfATurnedBox) {
    SceneShape box = shape(SHAPE_BOX, 0.2, 0.3, 0.5);
    box.rotation = {ROTATION_AXIS_ANGLE, {1, 1, 0.2, 0.3}};
    const MassProperties mass = Scene({box}).mass();
    Vec3 moments;
    Quat frame;
    mass_principal(mass.inertia_kg_m2, &moments, &frame);
    const double kg = 21; // 0.03 m3 of 700 kg/m3
    const double sum = moments.x + moments.y + moments.z;
    EXPECT_NEAR(sum, kg / 6 * (0.04 + 0.09 + 0.25), 1e-14);
    EXPECT_NEAR(std::max(moments.x, std::max(moments.y, moments.z)), kg / 12 * 0.34, 1e-14);
    EXPECT_NEAR(std::min(moments.x, std::min(moments.y, moments.z)), kg / 12 * 0.13, 1e-14);
}

} // namespace
