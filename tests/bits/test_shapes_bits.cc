// Scenes of ellipsoids, cylinders, cones, beams, hulls and superquadrics: the same bits on native and on OpenCL.
#include "random_scenes.h"

namespace {

const unsigned SCENES = 500;

// A tetrahedron, a box off its origin and 300 points on an ellipsoid: one block of vertices, and ten.
const std::vector<const SceneHull *> &hulls() {
    static const std::vector<const SceneHull *> all = [] {
        std::mt19937_64 engine(7);
        std::vector<std::array<double, 3>> egg;
        for (int k = 0; k < 300; k++) {
            double p[3], square = 0;
            for (double &x : p) {
                x = uniform(engine, -1, 1);
                square += x * x;
            }
            const double s = 0.7 / std::sqrt(square);
            egg.push_back({p[0] * s, 0.7 * p[1] * s, 0.5 * p[2] * s});
        }
        return std::vector<const SceneHull *>{
            shared_hull({{-0.6, -0.6, -0.4}, {0.7, -0.5, -0.3}, {0, 0.8, -0.4}, {0.1, 0, 0.8}}),
            shared_hull({{0, 0, 0},
                         {1, 0, 0},
                         {0, 0.8, 0},
                         {1, 0.8, 0},
                         {0, 0, 0.6},
                         {1, 0, 0.6},
                         {0, 0.8, 0.6},
                         {1, 0.8, 0.6}}),
            shared_hull(egg)};
    }();
    return all;
}

// Bodies of the new kinds falling onto a half-space and a fixed cone beside it, and onto each other.
SceneBuilder curved_scene(unsigned seed) {
    std::mt19937_64 engine(seed);
    SceneBuilder b;
    b.material(uniform(engine, 1e8, 1e9));
    b.pair(0, 0, uniform(engine, 0.3, 0.95), seed % 3 == 0 ? 0 : uniform(engine, 0, 0.5), seed % 4 == 0 ? 0 : 1e-3);
    b.scene.end_s = 0.05;
    b.scene.compat_modia3d = seed % 10 == 9;
    b.ground();
    b.body("hill", true, {0, 0, 0});
    b.shape(SHAPE_CONE, {0.2, 0.08, 0.1, 0});
    const uint32_t kinds[] = {SHAPE_ELLIPSOID, SHAPE_CYLINDER,     SHAPE_CONE,   SHAPE_BEAM,
                              SHAPE_HULL,      SHAPE_SUPERQUADRIC, SHAPE_SPHERE, SHAPE_BOX};
    for (unsigned k = 0; k < 1 + seed % 2; k++) {
        b.body("body", false, {uniform(engine, -0.05, 0.05), uniform(engine, -0.05, 0.05), 0.16 + 0.14 * k});
        SceneBody &body = b.bodies.back();
        for (int i = 0; i < 3; i++) {
            body.velocity_m_per_s[i] = uniform(engine, -1, 1);
            body.angular_velocity_rad_per_s[i] = uniform(engine, -5, 5);
        }
        body.velocity_m_per_s[2] -= 1.5 + 0.5 * k;
        body.rotation.kind = ROTATION_QUATERNION;
        for (int i = 0; i < 4; i++) body.rotation.value[i] = uniform(engine, -1, 1);
        const uint32_t kind = kinds[(seed + k) % (k == 0 ? 6 : 8)];
        const double top = kind == SHAPE_CONE || kind == SHAPE_CYLINDER ? 0.03 : 0.05;
        const double x = uniform(engine, 0.05, 0.09), y = uniform(engine, 0.04, 0.06);
        if (kind == SHAPE_HULL)
            b.hull(hulls()[seed % 3], x);
        else
            b.shape(kind, {x, y, top, 0}).axis = seed % 3;
        for (double &exponent : b.shapes.back().exponents) exponent = uniform(engine, 2, 8);
        b.shapes.back().has_local_radius = seed % 5 == 2;
    }
    return b;
}

struct Curved {
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    Curved() {
        for (unsigned k = 0; k < SCENES; k++) builders.push_back(curved_scene(k));
        for (SceneBuilder &b : builders) scenes.push_back(b.view());
    }
};

TEST(ShapesBits, ScenesRunAndTouch) {
    Curved curved;
    Ran ran = run_scenes(native_device(), curved.scenes);
    unsigned failed = 0, touched = 0;
    for (unsigned k = 0; k < SCENES; k++) {
        failed += ran.progress(k).status != STATUS_OK;
        touched += ran.progress(k).contacts_max > 0;
    }
    EXPECT_LE(failed, SCENES / 50);
    EXPECT_GT(touched, SCENES / 2);
    Ran alone = run_scenes(native_device(), {curved.scenes[77]}, Study{}, {77});
    EXPECT_TRUE(same_scene(ran, 77, alone, 0));
}

TEST(ShapesBits, NativeEqualsOpenCL) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Curved curved;
    Ran a = run_scenes(native_device(), curved.scenes), b = run_scenes(opencl.device, curved.scenes);
    EXPECT_EQ(different_scenes(a, b, SCENES), 0u);
}

} // namespace
