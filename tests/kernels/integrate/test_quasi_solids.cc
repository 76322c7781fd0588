// Quasi-rigid solids: boxes, ellipsoids, capsules, several bodies; random drops.
#include <cmath>
#include <random>

#include "base/vec3.h"
#include "quasi_scene.h"
#include "random_scenes.h"

namespace {

using namespace quasi;

// T10: two spheres that strike each other obliquely, without weight. Momentum stays; with levers of the end of the step
// angular momentum changes by h times the impulse times the velocity, first order in h.
TEST(QuasiSolids, TwoFreeBodies) {
    double off[2];
    for (int n = 0; n < 2; n++) {
        SceneBuilder b = ball(n ? 0.005 : 0.01, 0.31, 5); // the hit is at 0.1533, at the same share of a step in both
        b.scene.gravity_m_per_s2[2] = 0;
        b.bodies[1].velocity_m_per_s[0] = 3;
        b.ball(1.5, {1.5 + 0.46, 0.6, 5}, 0, 2);
        b.bodies[2].angular_velocity_rad_per_s[2] = 4;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        Vec3 p = {0, 0, 0};
        double turning = -0.1 * 2 * 1.5 * 1.5 * 4;
        for (size_t k = 0; k < 2; k++) {
            const BodyState s = ran.state(uint32_t(k) + 1);
            const double m = k ? 2 : 1, inertia = 0.1 * m * (k ? 1.5 * 1.5 : 4);
            p = vec3_add(p, vec3_scale(s.velocity_m_per_s, m));
            turning += m * vec3_cross(s.position_m, s.velocity_m_per_s).z + inertia * s.spin_rad_per_s.z;
        }
        EXPECT_NEAR(p.x, 3, 1e-12);
        EXPECT_NEAR(p.y, 0, 1e-12);
        EXPECT_GE(ran.events_of_kind(EVENT_END).size(), 1u);
        off[n] = std::fabs(turning);
    }
    EXPECT_LT(off[0], 0.2);
    EXPECT_LT(off[1], off[0]);
}

// T11, T12: a box is held by less than its friction, and slides by more.
TEST(QuasiSolids, ABoxIsHeldAndPushed) {
    for (const double push : {0.99, 1.5}) {
        SceneBuilder b = ground(0.01, 1);
        solid(b, SHAPE_BOX, {1, 1, 0.2}, {0, 0, 0.1});
        b.scene.gravity_m_per_s2[0] = push * MU * G; // a force at its centre
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_NEAR(ran.state(1).velocity_m_per_s.x, push > 1 ? (push - 1) * MU * G : 0, 1e-11);
        EXPECT_NEAR(ran.state(1).position_m.z, 0.1, 1e-12);
        EXPECT_LT(vec3_length(ran.state(1).spin_rad_per_s), 1e-11);
    }
}

// T13: how far a cube slides, v^2/(2 mu g) - h v/2.
TEST(QuasiSolids, ACubeSlides) {
    for (const double h : {0.01, 0.005, 0.0025}) {
        SceneBuilder b = ground(h, 0.7);
        solid(b, SHAPE_BOX, {1, 1, 1}, {0, 0, 0.5}).velocity_m_per_s[0] = 1;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_NEAR(ran.state(1).position_m.x, 1 / (2 * MU * G) - h / 2, 4e-4 * h);
        EXPECT_NEAR(ran.state(1).position_m.z, 0.5, 1e-12);
    }
}

// T14: energy never rises, and nothing overlaps.
TEST(QuasiSolids, TossedSolidsComeToRest) {
    const struct {
        uint32_t kind;
        std::array<double, 3> lengths;
        double rest_m, off_m;
    } solids[] = {{SHAPE_ELLIPSOID, {2, 1.6, 1}, 0.5, 1e-3}, // goes on rocking
                  {SHAPE_SUPERQUADRIC, {2, 1.6, 1}, 0.5, 1e-3},
                  {SHAPE_BOX, {2, 1.6, 1}, 0.5, 1e-9},
                  {SHAPE_CAPSULE, {1, 1, 0}, 0.5, 1e-9}};
    for (const auto &of : solids) {
        double before = 1e9;
        for (const double end : {1.0, 2.0, 5.0, 30.0}) {
            SceneBuilder b = ground(0.01, end);
            SceneBody &body = solid(b, of.kind, of.lengths, {0, 0, 2});
            body.velocity_m_per_s[0] = 0.5;
            body.angular_velocity_rad_per_s[0] = 1;
            body.angular_velocity_rad_per_s[1] = 2;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK) << of.kind << " " << end;
            EXPECT_LT(ran.progress().max_penetration_m, 1e-10);
            const BodyState s = ran.state(1);
            const Vec3 i = ran.batch.bodies[1].inertia_kg_m2;
            const double energy = 0.5 * vec3_dot(s.velocity_m_per_s, s.velocity_m_per_s) + G * s.position_m.z +
                                  0.5 * vec3_dot(vec3_multiply(i, s.spin_rad_per_s), s.spin_rad_per_s);
            EXPECT_LT(energy, before + 1e-9);
            before = energy;
            if (end == 30) {
                EXPECT_NEAR(s.position_m.z, of.rest_m, of.off_m);
            }
        }
    }
}

// Piles that are dropped, and stand: overlaps, heights, how many iterations that takes.
TEST(QuasiSolids, PilesStand) {
    for (const uint32_t kind : {SHAPE_SPHERE, SHAPE_BOX})
        for (const uint32_t n : {2u, 5u, 10u}) {
            SceneBuilder b = ground(0.005, 2);
            for (uint32_t i = 0; i < n; i++) {
                const double x = kind == SHAPE_BOX ? 0.05 * (i % 2) : 0, y = kind == SHAPE_BOX ? 0.03 * (i % 3) : 0;
                solid(b, kind, {1, kind == SHAPE_BOX ? 1.0 : 0.0, kind == SHAPE_BOX ? 1.0 : 0.0},
                      {x, y, 0.55 + 1.05 * i});
            }
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK) << kind << " " << n;
            for (uint32_t i = 1; i <= n; i++) {
                EXPECT_NEAR(ran.state(i).position_m.z, i - 0.5, 1e-9);
                EXPECT_LT(vec3_length(ran.state(i).velocity_m_per_s), 1e-9);
            }
            EXPECT_LT(ran.progress().max_penetration_m, 1e-10);
            printf("%u of kind %u: %.2f iterations a step\n", n, kind,
                   double(ran.progress().evaluations) / ran.progress().substeps);
            EXPECT_LT(ran.progress().evaluations, 5 * ran.progress().substeps) << kind << " " << n;
        }
}

// Random drops, half of them with layers: no step is left unsolved, and almost none is halved.
TEST(QuasiSolids, RandomDropsAreSolved) {
    for (const uint32_t kind : {SHAPE_SPHERE, SHAPE_ELLIPSOID, SHAPE_SUPERQUADRIC, SHAPE_BOX, SHAPE_CAPSULE}) {
        std::mt19937_64 engine(kind);
        auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
        unsigned steps = 0, iterations = 0, halved = 0;
        for (unsigned n = 0; n < 50; n++) {
            SceneBuilder b = ground(0.01, 1.5);
            SceneBody &body = solid(b, kind, {draw(0.8, 2), draw(0.8, 2), draw(0.8, 2)}, {0, 0, draw(2.2, 2.6)}, 0.05);
            if (n % 2) layer(b, 5e3, 50, 0.01);
            toss(body, draw);
            Ran ran = run_scene(b);
            EXPECT_EQ(ran.progress().status, STATUS_OK) << kind << " " << n;
            EXPECT_LT(ran.progress().max_penetration_m, n % 2 ? 0.01 + 1e-9 : 1e-9) << kind << " " << n;
            steps += ran.progress().substeps;
            iterations += ran.progress().evaluations;
            halved += ran.progress().rejects;
        }
        printf("kind %u: %u steps, %.2f iterations each, %u halved\n", kind, steps, double(iterations) / steps, halved);
        EXPECT_LT(halved, 0.01 * steps);
        EXPECT_LT(iterations, 4 * steps) << kind;
    }
}

// Solids in a heap, a scene each of its own.
std::vector<SceneDescription> heaps(std::vector<SceneBuilder> &builders, uint32_t count) {
    std::mt19937_64 engine(7);
    auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
    for (uint32_t n = 0; n < count; n++) {
        SceneBuilder b = ground(0.01, 1);
        for (uint32_t i = 0; i < 3; i++) {
            SceneBody &body = solid(b, std::array<uint32_t, 3>{SHAPE_BOX, SHAPE_ELLIPSOID, SHAPE_SPHERE}[i],
                                    {draw(0.5, 1), draw(0.5, 1), draw(0.5, 1)}, {0, 0.1 * i, 0.8 + 1.2 * i});
            body.angular_velocity_rad_per_s[0] = draw(-2, 2);
            body.velocity_m_per_s[0] = draw(-0.3, 0.3);
        }
        if (n % 2) layer(b, 1e4, 50, 0.01);
        builders.push_back(b);
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    return scenes;
}

// T18
TEST(QuasiSolids, ASceneOfABatchHasTheBitsThatItHasAlone) {
    std::vector<SceneBuilder> builders;
    const std::vector<SceneDescription> scenes = heaps(builders, 64);
    Ran all = run_scenes(native_device(), scenes);
    for (size_t k = 0; k < scenes.size(); k += 5) {
        Ran one = run_scenes(native_device(), {scenes[k]});
        EXPECT_EQ(one.progress().status, STATUS_OK) << k;
        EXPECT_TRUE(same_bits(one.result.states, all.result.states + all.batch.scenes[k].body_first,
                              one.batch.body_count * sizeof(BodyState)))
            << k;
    }
}

// T18, of 16,384 tosses.
TEST(QuasiSolids, ScenesOfALargeBatchHaveTheBitsThatTheyHaveAlone) {
    std::mt19937_64 engine(18);
    auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
    std::vector<SceneBuilder> builders;
    for (uint32_t n = 0; n < 16384; n++) {
        SceneBuilder b = ground(0.01, 0.2);
        SceneBody &body = solid(b, std::array<uint32_t, 3>{SHAPE_BOX, SHAPE_ELLIPSOID, SHAPE_CAPSULE}[n % 3],
                                {draw(0.5, 1), draw(0.5, 1), draw(0.5, 1)}, {0, 0, draw(1.3, 1.5)});
        if (n % 2) layer(b, 1e4, 50, 0.05);
        toss(body, draw);
        body.velocity_m_per_s[2] = -8;
        builders.push_back(b);
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran all = run_scenes(native_device(), scenes);
    unsigned others = 0, touched = 0;
    for (uint32_t k = 0; k < scenes.size(); k++) {
        Ran one = run_scenes(native_device(), {scenes[k]});
        others += same_bits(one.result.states, all.result.states + all.batch.scenes[k].body_first,
                            one.batch.body_count * sizeof(BodyState)) &&
                          one.progress().status == STATUS_OK
                      ? 0
                      : 1;
        touched += one.progress().evaluations > 0;
    }
    EXPECT_EQ(others, 0u);
    EXPECT_GT(touched, 16000u);
}

// Of spheres, whose kernels are compiled in seconds; those of solids take most of a minute, and are the same functions.
TEST(QuasiSolids, AnOpenclDeviceGivesTheBitsOfTheNativeOne) {
    std::vector<SceneBuilder> builders;
    for (uint32_t n = 0; n < 6; n++) {
        SceneBuilder b = ground(0.01, 1);
        for (uint32_t i = 0; i < 4; i++)
            b.ball(0.5 + 0.1 * i, {0.1 * (n % 3) * i, 0.05 * i, 0.6 + 0.9 * i}, 0, 1 + i).velocity_m_per_s[1] = 0.2 * n;
        if (n % 2) layer(b, 1e4, 50, 0.01);
        builders.push_back(b);
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    DeviceHolder other(content_of_scenes(scenes), "0");
    if (other.device == nullptr) GTEST_SKIP() << "no OpenCL device";
    Ran native = run_scenes(native_device(), scenes), there = run_scenes(other.device, scenes);
    EXPECT_TRUE(same_bits(native.result.states, there.result.states, native.batch.body_count * sizeof(BodyState)));
    EXPECT_EQ(native.result.event_count, there.result.event_count);
}

} // namespace
