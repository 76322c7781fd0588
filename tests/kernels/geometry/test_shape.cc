// Support points and extents of each shape against points spread over its surface.
#include <gtest/gtest.h>

#include "narrow_scenes.h"

using namespace scenes;

namespace {

const uint32_t SOLIDS[] = {SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE};

// Signed distance of a local point from the surface, written apart from the kernels.
double outside(const Shape &s, Vec3 p) {
    Vec3 core = vec3_zero();
    double radius = s.size_m[0];
    if (s.kind == SHAPE_CAPSULE) core.z = std::clamp(p.z, -s.size_m[1], s.size_m[1]);
    if (s.kind == SHAPE_BOX) {
        radius = s.smoothing_m;
        const double x = s.size_m[0] - radius, y = s.size_m[1] - radius, z = s.size_m[2] - radius;
        core = vec3_make(std::clamp(p.x, -x, x), std::clamp(p.y, -y, y), std::clamp(p.z, -z, z));
    }
    return vec3_length(vec3_sub(p, core)) - radius;
}

// A point of the surface: on a ray from the centre, by bisection.
Vec3 surface(const Shape &s, Vec3 way) {
    double low = 0, high = 3;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (outside(s, vec3_scale(way, middle)) < 0)
            low = middle;
        else
            high = middle;
    }
    return vec3_scale(way, low);
}

TEST(Support, IsOnTheSurfaceAndFarthest) {
    Draw draw(1);
    for (uint32_t kind : SOLIDS)
        for (int n = 0; n < 20; n++) {
            Shape s = draw.shape(kind);
            s.smoothing_m = n % 2 ? 0.1 : 0.001;
            std::vector<Vec3> points;
            for (int i = 0; i < 300; i++) points.push_back(surface(s, draw.direction()));
            for (int i = 0; i < 50; i++) {
                const Vec3 way = draw.direction();
                const Vec3 found = shape_support(&s, hull_rows().data(), way);
                EXPECT_NEAR(outside(s, found), 0, 4e-16) << "kind " << kind;
                for (Vec3 p : points) ASSERT_GE(vec3_dot(found, way) - vec3_dot(p, way), -1e-14);
                const Vec3 core = shape_core_support(&s, hull_rows().data(), way);
                EXPECT_NEAR(vec3_length(vec3_sub(found, core)), shape_ball_radius(&s), 5e-16);
                EXPECT_LE(vec3_length(found), shape_size_m(&s) + 1e-15);
            }
        }
}

TEST(Support, ZeroComponentsGiveAVertexHereAndTheMiddleInCompat) {
    const Shape b = box(1, 2, 3, 0.1), c = capsule(0.5, 2);
    const Vec3 up = vec3_make(0, 0, 1), side = vec3_make(1, 0, 0), down = vec3_make(-0.0, -0.0, -1);
    Vec3 p = shape_support(&b, hull_rows().data(), up);
    EXPECT_EQ(p.x, 0.9);
    EXPECT_EQ(p.y, 1.9);
    EXPECT_EQ(p.z, 3);
    p = shape_support(&b, hull_rows().data(), down); // minus zero is zero
    EXPECT_EQ(p.x, 0.9);
    EXPECT_EQ(p.y, 1.9);
    EXPECT_EQ(shape_support(&c, hull_rows().data(), side).z, 2);
    p = shape_support_compat(&b, hull_rows().data(), up);
    EXPECT_EQ(p.x, 0);
    EXPECT_EQ(p.y, 0);
    EXPECT_EQ(p.z, 3);
    EXPECT_EQ(shape_support_compat(&c, hull_rows().data(), side).z, 0);
    p = shape_support_compat(&b, hull_rows().data(), vec3_make(1e-15, -3e-15, 1)); // within the band, and beyond
    EXPECT_NEAR(p.x, 0, 1e-15);
    EXPECT_NEAR(p.y, -1.9, 1e-14);
}

TEST(Support, CompatAgreesAwayFromZero) {
    Draw draw(2);
    for (int i = 0; i < 1000; i++) {
        const Shape s = draw.shape(SOLIDS[i % 3]);
        const Vec3 way = draw.direction();
        const Vec3 a = shape_support(&s, hull_rows().data(), way),
                   b = shape_support_compat(&s, hull_rows().data(), way);
        EXPECT_EQ(vec3_length(vec3_sub(a, b)), 0);
    }
}

TEST(Extents, AreReachedAndNotExceeded) {
    Draw draw(3);
    for (int i = 0; i < 3000; i++) {
        const Shape s = draw.shape(SOLIDS[i % 3]);
        const Mat3 turn = draw.turn();
        const Vec3 found = shape_half_extents(&s, hull_rows().data(), turn);
        const Vec3 axes[] = {vec3_make(1, 0, 0), vec3_make(0, 1, 0), vec3_make(0, 0, 1)};
        const double extents[] = {found.x, found.y, found.z};
        for (int k = 0; k < 3; k++) {
            const Vec3 p = shape_support(&s, hull_rows().data(), vec3_normalize(mat3_rotate_back(turn, axes[k])));
            EXPECT_NEAR(vec3_dot(mat3_rotate(turn, p), axes[k]), extents[k], 1e-15) << "kind " << s.kind;
        }
    }
    const Shape ground = half_space();
    EXPECT_EQ(shape_half_extents(&ground, hull_rows().data(), no_turn()).z, REAL_HUGE);
}

TEST(Shape, FlatnessCentroidAndSize) {
    const Shape b = box(0.3, 0.4, 1.2, 0), s = sphere(0.4), ground = half_space();
    EXPECT_EQ(shape_is_flat(&b), 1u);
    EXPECT_EQ(shape_is_flat(&s), 0u);
    EXPECT_EQ(shape_is_flat(&ground), 1u);
    EXPECT_EQ(vec3_length(shape_centroid(&b)), 0);
    EXPECT_NEAR(shape_size_m(&b), 1.3, 1e-15);
    EXPECT_EQ(shape_size_m(&ground), 0);
}

} // namespace
