// Contacts that begin and end within one step, and near misses: none lost, none invented.
#include <random>

#include "scene_builder.h"

namespace {

struct Vec {
    double x, y, z;
};
Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec unit(Vec a) { return (1 / std::sqrt(dot(a, a))) * a; }

struct Turn { // unit quaternion, body to world
    double w;
    Vec v;
    Vec operator()(Vec a) const { return a + 2 * cross(v, cross(v, a) + w * a); }
    Vec back(Vec a) const { return Turn{w, -1 * v}(a); }
};

class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double uniform(double low, double high) {
        return low + (high - low) * std::uniform_real_distribution<double>(0, 1)(engine_);
    }
    double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
    double normal() { return std::normal_distribution<double>()(engine_); }
    Vec direction() { return unit({normal(), normal(), normal()}); }
    Turn turn() {
        double q[4] = {normal(), normal(), normal(), normal()};
        const double s = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        return {s * q[0], {s * q[1], s * q[2], s * q[3]}};
    }

  private:
    std::mt19937_64 engine_;
};

struct TestShape {
    uint32_t kind;
    std::array<double, 4> size; // as SceneShape
    Turn turn;
    size_t hull; // of a hull: which of the pool
};

// Forty hulls of 4 to 60 points, off their origins; the points as they were given.
struct HullPool {
    std::vector<std::vector<std::array<double, 3>>> points;
    std::vector<const SceneHull *> hulls;
    HullPool() {
        Random random(99);
        for (size_t k = 0; k < 40; k++) {
            points.emplace_back();
            for (size_t i = 0; i < 4 + k * k / 28; i++) {
                const Vec p = 0.06 * random.direction();
                points[k].push_back({p.x + 0.01, p.y, 0.7 * p.z});
            }
            hulls.push_back(shared_hull(points[k]));
        }
    }
};

const HullPool &pool() {
    static const HullPool hulls;
    return hulls;
}

// Farthest point of the shape in the world direction n, written from the shapes' definition.
Vec support(const TestShape &s, Vec n) {
    const Vec u = s.turn.back(n);
    if (s.kind == SHAPE_SPHERE) return (s.size[0] / 2) * n;
    if (s.kind == SHAPE_CAPSULE) {
        return s.turn({0, 0, u.z > 0 ? s.size[1] / 2 : -s.size[1] / 2}) + (s.size[0] / 2) * n;
    }
    if (s.kind == SHAPE_HULL) {
        Vec best = {0, 0, 0};
        double most = -1e9;
        for (const auto &p : pool().points[s.hull]) {
            const Vec v = s.size[0] * Vec{p[0], p[1], p[2]};
            if (dot(v, u) > most) best = v;
            most = std::max(most, dot(v, u));
        }
        return s.turn(best);
    }
    const double rho = std::min(1e-3, 0.1 * std::min({s.size[0], s.size[1], s.size[2]}));
    const Vec core = {std::copysign(s.size[0] / 2 - rho, u.x), std::copysign(s.size[1] / 2 - rho, u.y),
                      std::copysign(s.size[2] / 2 - rho, u.z)};
    return s.turn(core) + rho * n;
}

TestShape random_shape(uint32_t kind, Random &random) {
    TestShape s{kind, {}, random.turn(), 0};
    for (int k = 0; k < 3; k++) s.size[size_t(k)] = random.uniform(0.04, 0.12);
    if (kind != SHAPE_HULL) return s;
    s.size[0] *= 10;
    s.hull = size_t(random.uniform(0, 39.99));
    return s;
}

void set_turn(SceneRotation &rotation, Turn t) {
    rotation.kind = ROTATION_QUATERNION;
    rotation.value[0] = t.w;
    rotation.value[1] = t.v.x;
    rotation.value[2] = t.v.y;
    rotation.value[3] = t.v.z;
}

void add_shape(SceneBuilder &scene, const TestShape &s) {
    if (s.kind == SHAPE_HULL)
        scene.hull(pool().hulls[s.hull], s.size[0]);
    else
        scene.shape(s.kind, s.size);
}

// From the support point of A in the direction n to that of B, for a least distance of `gap`. Against the
// normal where one of them has a ball there; of two hulls, a vertex of B goes into A towards its middle:
// straight below a sharp vertex A may have nothing.
Vec towards(const TestShape &a, uint32_t kind_b, Vec n, double gap) {
    if (a.kind != SHAPE_HULL || kind_b != SHAPE_HULL || gap > 0) return gap * n;
    Vec middle = {0, 0, 0};
    for (const auto &p : pool().points[a.hull]) middle = middle + Vec{p[0], p[1], p[2]};
    const double share = a.size[0] / double(pool().points[a.hull].size());
    return -gap * unit(a.turn(share * middle) - support(a, n));
}

// B passes A in a straight line so that the least distance is `gap` exactly: the plane between their
// support points in the direction n bounds it from below all along. Of two hulls that touch it is less.
SceneBuilder passing(uint32_t kind_a, uint32_t kind_b, double gap, Random &random) {
    const TestShape a = random_shape(kind_a, random), b = random_shape(kind_b, random);
    const Vec n = random.direction();
    const Vec along = unit(cross(n, random.direction()));
    const double speed = random.log_uniform(0.3, 60), when = random.uniform(1e-3, 6e-3);
    const Vec centre_b = support(a, n) - support(b, -1 * n) + towards(a, kind_b, n, gap) - (speed * when) * along;
    SceneBuilder scene;
    scene.material(1e9);
    scene.pair(0, 0, 0.7);
    scene.scene.gravity_m_per_s2[2] = 0;
    scene.scene.end_s = 1e-2;
    scene.body("a", true, {0, 0, 0});
    set_turn(scene.bodies.back().rotation, a.turn);
    add_shape(scene, a);
    scene.body("b", false, {centre_b.x, centre_b.y, centre_b.z});
    set_turn(scene.bodies.back().rotation, b.turn);
    const Vec v = speed * along;
    scene.bodies.back().velocity_m_per_s[0] = v.x;
    scene.bodies.back().velocity_m_per_s[1] = v.y;
    scene.bodies.back().velocity_m_per_s[2] = v.z;
    add_shape(scene, b);
    return scene;
}

void expect_found(uint32_t kind_a, uint32_t kind_b, unsigned count, unsigned seed) {
    Random random(seed);
    std::vector<SceneBuilder> builders;
    std::vector<double> gaps;
    for (unsigned k = 0; k < count; k++) {
        const double depth = random.log_uniform(1e-7, 1e-5);
        gaps.push_back(k % 4 == 3 ? depth : -depth); // a quarter pass without touching
        builders.push_back(passing(kind_a, kind_b, gaps.back(), random));
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    std::vector<int> begins(count, 0);
    for (size_t k = 0; k < ran.result.event_count; k++) {
        if (ran.result.events[k].kind == EVENT_BEGIN) begins[ran.result.event_scene[k]]++;
    }
    unsigned missed = 0, invented = 0, failed = 0, late = 0;
    for (unsigned k = 0; k < count; k++) {
        missed += gaps[k] < 0 && begins[k] == 0;
        invented += gaps[k] > 0 && begins[k] > 0;
        failed += ran.progress(k).status != STATUS_OK;
        late += (ran.progress(k).flags & FLAG_LATE_BEGIN) != 0;
        if ((gaps[k] < 0) != (begins[k] > 0)) printf("scene %u gap %g begins %d\n", k, gaps[k], begins[k]);
    }
    EXPECT_EQ(missed, 0u);
    EXPECT_EQ(invented, 0u);
    EXPECT_EQ(failed, 0u);
    EXPECT_EQ(late, 0u);
}

// 152,000 passes and 5,000 throws; three quarters of them touch: 117,750.
TEST(Grazing, SphereSphere) { expect_found(SHAPE_SPHERE, SHAPE_SPHERE, 27000, 1); }
TEST(Grazing, SphereBox) { expect_found(SHAPE_BOX, SHAPE_SPHERE, 27000, 2); }
TEST(Grazing, SphereCapsule) { expect_found(SHAPE_SPHERE, SHAPE_CAPSULE, 27000, 3); }
TEST(Grazing, CapsuleCapsule) { expect_found(SHAPE_CAPSULE, SHAPE_CAPSULE, 27000, 4); }
TEST(Grazing, CapsuleBox) { expect_found(SHAPE_CAPSULE, SHAPE_BOX, 14000, 5); }
TEST(Grazing, BoxBox) { expect_found(SHAPE_BOX, SHAPE_BOX, 14000, 6); }

TEST(Grazing, SphereHull) { expect_found(SHAPE_SPHERE, SHAPE_HULL, 4000, 8); }
TEST(Grazing, CapsuleHull) { expect_found(SHAPE_CAPSULE, SHAPE_HULL, 4000, 9); }
TEST(Grazing, BoxHull) { expect_found(SHAPE_BOX, SHAPE_HULL, 4000, 10); }
TEST(Grazing, HullHull) { expect_found(SHAPE_HULL, SHAPE_HULL, 4000, 11); }

// A ball thrown up against a ceiling that it reaches by a hair at the top of its flight.
TEST(Grazing, ApexAtACeiling) {
    Random random(7);
    std::vector<SceneBuilder> builders;
    std::vector<double> gaps;
    for (unsigned k = 0; k < 5000; k++) {
        const double depth = random.log_uniform(1e-7, 1e-5), speed = random.uniform(0.5, 3);
        gaps.push_back(k % 4 == 3 ? depth : -depth);
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.7);
        b.scene.end_s = speed / 9.81 + 0.01;
        b.body("ceiling", true, {0, 0, 0});
        b.shape(SHAPE_HALF_SPACE, {0, 0, -1, 0});
        b.ball(0.1, {0, 0, -0.05 - gaps.back() - speed * speed / (2 * 9.81)}).velocity_m_per_s[2] = speed;
        builders.push_back(b);
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    for (uint32_t k = 0; k < scenes.size(); k++) {
        const size_t begins = ran.events_of_kind(EVENT_BEGIN, k).size();
        EXPECT_EQ(begins > 0, gaps[k] < 0) << "gap " << gaps[k];
    }
}

// Two balls meet and part within one step, far from its ends, while a third lands in the same step.
TEST(Events, SeveralInOneStep) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.step_s = 1e-2;
    b.scene.end_s = 2e-2;
    b.ball(0.02, {0, 0, 1}).velocity_m_per_s[0] = 1;
    b.ball(0.02, {0.02 + 0.003, 0, 1});
    b.ball(0.02, {0, 0, 0.01 + 0.004}).velocity_m_per_s[2] = -1;
    b.ground();
    Ran ran = run_scene(b);
    auto begins = ran.events_of_kind(EVENT_BEGIN);
    ASSERT_EQ(begins.size(), 2u);
    EXPECT_NEAR(begins[0].time_s, 0.003, 1e-12);
    EXPECT_NEAR(begins[1].time_s, 0.004, 1e-12);
    EXPECT_EQ(ran.events_of_kind(EVENT_END).size(), 2u);
}

// At t = 0: touching and approaching, overlapping, touching and parting.
TEST(Events, AtTheStart) {
    for (double speed : {-1.0, 1.0}) {
        for (double overlap : {0.0, 1e-6}) {
            SceneBuilder b;
            b.material();
            b.pair(0, 0, 0.7);
            b.scene.end_s = 2e-3;
            b.ground();
            b.ball(0.2, {0, 0, 0.1 - overlap}).velocity_m_per_s[2] = speed;
            Ran ran = run_scene(b);
            auto begins = ran.events_of_kind(EVENT_BEGIN);
            ASSERT_EQ(begins.size(), 1u) << speed << " " << overlap;
            EXPECT_EQ(begins[0].time_s, 0);
            EXPECT_EQ(begins[0].speed_m_per_s, -speed);
        }
    }
}

// At t_end: a touch just before it is an event, one just after it is none, and one at the end itself is one at that
// time or none.
TEST(Events, AtTheEnd) {
    const double fall = std::sqrt(2 / 9.81);
    for (double beyond : {-1e-9, 0.0, 1e-9}) {
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.7);
        b.scene.end_s = fall + beyond;
        b.ground();
        b.ball(0.2, {0, 0, 1.1});
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK) << beyond;
        auto begins = ran.events_of_kind(EVENT_BEGIN);
        if (beyond != 0) {
            EXPECT_EQ(begins.size(), beyond > 0 ? 1u : 0u) << beyond;
        }
        EXPECT_LE(begins.size(), 1u);
        for (const Event &begin : begins) EXPECT_NEAR(begin.time_s, fall, 1e-12) << beyond;
        EXPECT_TRUE(ran.events_of_kind(EVENT_END).empty());
    }
}

// The same begins and ends, in the same order, whatever the order of the bodies.
TEST(Events, OrderOfBodiesIsIrrelevant) {
    std::vector<double> times[2];
    for (int swap = 0; swap < 2; swap++) {
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.7, 0.3);
        b.scene.end_s = 0.3;
        if (swap) {
            b.ball(0.1, {0.03, 0, 0.32});
            b.ground();
            b.ball(0.1, {0, 0, 0.2});
        } else {
            b.ball(0.1, {0, 0, 0.2});
            b.ball(0.1, {0.03, 0, 0.32});
            b.ground();
        }
        Ran ran = run_scene(b);
        for (const Event &e : ran.events()) times[swap].push_back(e.time_s);
    }
    ASSERT_EQ(times[0].size(), times[1].size());
    ASSERT_GE(times[0].size(), 2u);
    for (size_t k = 0; k < times[0].size(); k++) EXPECT_NEAR(times[0][k], times[1][k], 1e-9);
}

} // namespace
