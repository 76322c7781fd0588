// Forces as functions of the pose where flat lies on flat: without jumps, and at rest the weight.
#include "standing_scenes.h"

namespace {

constexpr double STEP = 1e-5;       // m and rad
constexpr double JUMP = 1e-3;       // of the weight of what is moved, and of that times 0.1 m
constexpr double NARROWEST = 1e-15; // m and rad: poses have no digits left
constexpr unsigned HALVED = 200000; // of a way: continuous ones take a third of it

// A way of a body from where it stands: shifts, m, and a rotation vector, rad.
struct Way {
    std::string name;
    std::array<double, 6> from, to;
    bool is_level = false; // and what carries it stays the same: no step changes a load by as much
};

struct Course {
    double steepest = 0; // largest change of a load over a step
    double left = 0;     // largest one that is left where steps have been halved down to rounding
    unsigned steps = 0, halved = 0;
};

class Walk {
  public:
    Walk(SceneBuilder builder, size_t body, const Way &along) : scene(std::move(builder)), moved(body), way(along) {
        for (size_t q = 0; q < 6; q++) length = std::max(length, std::fabs(way.to[q] - way.from[q]));
        for (size_t q = 0; q < 3; q++) start[q] = scene.bodies[moved].position_m[q];
    }

    /// In steps of 1e-5; those that change a load by more than allowed are halved, and so are their halves.
    Course go() {
        const unsigned n = unsigned(std::ceil(length / STEP));
        std::vector<double> before = at(0);
        for (unsigned i = 0; i < n; i++) {
            const std::vector<double> after = at((i + 1.0) / n);
            course.steepest = std::max(course.steepest, change(before, after));
            halve(double(i) / n, 1.0 / n, before, after);
            before = after;
        }
        course.steps = n;
        return course;
    }

  private:
    std::vector<double> at(double t) {
        SceneBody &body = scene.bodies[moved];
        double turn[3], angle = 0;
        for (size_t q = 0; q < 3; q++) {
            body.position_m[q] = start[q] + way.from[q] + t * (way.to[q] - way.from[q]);
            turn[q] = way.from[q + 3] + t * (way.to[q + 3] - way.from[q + 3]);
            angle += turn[q] * turn[q];
        }
        angle = std::sqrt(angle);
        body.rotation.kind = ROTATION_AXIS_ANGLE;
        for (size_t q = 0; q < 3; q++) body.rotation.value[q] = angle > 0 ? turn[q] / angle : q == 2;
        body.rotation.value[3] = angle;
        return loads(scene);
    }

    static double change(const std::vector<double> &before, const std::vector<double> &after) {
        double most = 0;
        for (size_t k = 0; k < before.size(); k++) most = std::max(most, std::fabs(after[k] - before[k]));
        return most;
    }

    void halve(double from, double width, const std::vector<double> &low, const std::vector<double> &high) {
        const double most = change(low, high);
        if (!(most > JUMP)) return;
        if (width * length < NARROWEST || course.halved > HALVED) {
            course.left = std::max(course.left, most);
            return;
        }
        course.halved++;
        const std::vector<double> middle = at(from + width / 2);
        halve(from, width / 2, low, middle);
        halve(from + width / 2, width / 2, middle, high);
    }

    SceneBuilder scene;
    size_t moved;
    Way way;
    double length = 0, start[3];
    Course course;
};
// A body that stands on another one, of one material; as deep as its weight presses it in.
struct Stand {
    std::string name;
    SceneBuilder builder;
    size_t moved;
    std::vector<Way> ways;
};

// Down until the body bears its weight.
void settle(SceneBuilder &b, size_t moved) {
    const double touch = b.bodies[moved].position_m[2];
    double low = touch - 2e-3, high = touch;
    for (int i = 0; i < 60; i++) {
        const double middle = b.bodies[moved].position_m[2] = (low + high) / 2;
        (loads(b)[2] > 1 ? low : high) = middle;
    }
}

// About where a body stands; reach: of the ways, 1 or less.
std::vector<Way> ways_inside(double reach) {
    const double m = 5e-3 * reach, tilt = 3e-5 * reach, askew = reach < 1 ? 0 : 0.3;
    return {{"slid", {-m, 0, 0, 0, 0, askew}, {m, 0.4 * m, 0, 0, 0, askew}, true},
            {"turned", {0, 0, 0, 0, 0, -m}, {0, 0, 0, 0, 0, m}, true},
            {"turned by much", {0, 0, 0, 0, 0, 0.1}, {0, 0, 0, 0, 0, 0.1 + m}},
            {"tilted", {0, 0, 0, -tilt, 0, 0}, {0, 0, 0, tilt, 0, 0}},
            {"tilted askew", {0, 0, 0, -tilt, 0.7 * tilt, 0.2}, {0, 0, 0, tilt, -0.3 * tilt, 0.2}},
            {"lifted", {0, 0, -1e-6, 0, 0, 0}, {0, 0, tilt, 0, 0, 0}}};
}

std::vector<Way> ways_over() {
    return {{"over an edge", {0.145, 0, 0, 0, 0, 0}, {0.155, 0, 0, 0, 0, 0}},
            {"over an edge, askew", {0.13, 0.02, 0, 0, 0, 0.3}, {0.18, 0.02, 0, 0, 0, 0.3}},
            {"over a corner", {0.15, 0.12, 0, 0, 0, 0.4}, {0.18, 0.14, 0, 0, 0, 0.4}},
            {"turned on a corner", {0.18, 0.14, 0, 0, 0, 0}, {0.18, 0.14, 0, 0, 0, 0.02}},
            {"tipped on an edge", {0.2, 0, 0, 0, -5e-5, 0}, {0.2, 0, 0, 0, 5e-5, 0}}};
}

std::vector<Stand> stands(double young_Pa) {
    std::vector<Stand> all;
    const uint32_t pairs[][2] = {
        {SHAPE_HALF_SPACE, SHAPE_BOX}, {SHAPE_HALF_SPACE, SHAPE_CYLINDER}, {SHAPE_HALF_SPACE, SHAPE_HULL},
        {SHAPE_BOX, SHAPE_BOX},        {SHAPE_BOX, SHAPE_CYLINDER},        {SHAPE_CYLINDER, SHAPE_CYLINDER},
        {SHAPE_CYLINDER, SHAPE_BOX},   {SHAPE_HULL, SHAPE_HULL},           {SHAPE_BOX, SHAPE_HULL}};
    for (const auto *pair : pairs) {
        Stand s{std::string(NAMES[pair[1]]) + " on " + (pair[0] == SHAPE_HALF_SPACE ? "half-space" : NAMES[pair[0]]),
                {},
                1,
                ways_inside(1)};
        if (pair[0] == SHAPE_HALF_SPACE) {
            s.builder = one_material(0.3, 0.4);
            s.builder.ground();
            s.builder.body("top", false, {0, 0, 0});
            s.builder.bodies.back().position_m[2] = add_standing(s.builder, pair[1], 0.2) / 2;
        } else {
            s.builder = standing(pair[0], pair[1], 0, 0);
            for (const Way &way : ways_over()) s.ways.push_back(way);
        }
        s.builder.materials[0].young_Pa = young_Pa;
        settle(s.builder, s.moved);
        all.push_back(std::move(s));
    }
    const double depth =
        all[3].builder.bodies[1].position_m[2] - standing(SHAPE_BOX, SHAPE_BOX, 0, 0).bodies[1].position_m[2];
    for (size_t moved = 1; moved <= 5; moved += 2) {
        Stand s{"stack, its number " + std::to_string(moved), stack(SHAPE_BOX, depth), moved, ways_inside(0.1)};
        s.builder.materials[0].young_Pa = young_Pa;
        // Their edges are 2 mm from each other: not far from passing where overlaps are as large as 0.7 mm.
        for (Way &way : s.ways) way.is_level = way.is_level && depth > -1e-5;
        all.push_back(std::move(s));
    }
    return all;
}

// Wherever a step of 1e-5 changes a force or torque by more than 1e-3 of the weight, halving it leaves no jump as
// large; slid and turned on its support, no step changes one by as much. Where it is tilted or lifted, or a corner
// passes an edge, forces change with the overlap as the law says: of steel within a micrometre or two, of the soft
// material within 0.7 mm.
TEST(ForcesInThePose, HaveNoJumps) {
    for (const double young_Pa : {2e11, 2e7}) {
        double steepest = 0;
        unsigned halved = 0;
        for (Stand &stand : stands(young_Pa)) {
            for (const Way &way : stand.ways) {
                const Course course = Walk(stand.builder, stand.moved, way).go();
                steepest = std::max(steepest, way.is_level ? course.steepest : 0);
                halved += course.halved;
                EXPECT_LE(way.is_level ? course.steepest : 0, JUMP) << stand.name << " " << way.name;
                EXPECT_EQ(course.left, 0) << stand.name << " " << way.name;
            }
        }
        std::printf("%.0e Pa: on their supports %.1e of the weight for each step; %u steps halved\n", young_Pa,
                    steepest, halved);
    }
}

// What has come to rest without being frozen is carried by its weight to 1e-9, each body of a stack too.
TEST(ForcesInThePose, AtRestAreTheWeight) {
    std::vector<std::pair<std::string, SceneBuilder>> scenes;
    for (uint32_t top : STANDING) {
        SceneBuilder b = one_material(0.3, 0.4);
        b.ground();
        b.body("top", false, {0, 0, 0});
        b.bodies.back().position_m[2] = add_standing(b, top, 0.2) / 2 + 1e-6;
        scenes.emplace_back(std::string(NAMES[top]) + " on the ground", b);
        scenes.emplace_back(std::string(NAMES[top]) + " on a box", standing(SHAPE_BOX, top, 1e-6, 0.01));
    }
    scenes.emplace_back("stack", stack(SHAPE_BOX, 1e-7));
    SceneBuilder table = standing(SHAPE_BOX, SHAPE_BOX, 1e-6, 0);
    table.bodies.back().position_m[0] = 0.2; // 0.05 m of 0.2 m beyond the edge
    scenes.emplace_back("over the edge of a table", table);
    for (auto &[name, b] : scenes) {
        b.scene.no_freeze = 1;
        b.scene.end_s = 1;
        KernelScene k(b);
        while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
            k.progress.event_count = 0; // nobody reads them
            stepper_pass(&k.view, &k.progress);
        }
        ASSERT_EQ(k.progress.status, STATUS_OK) << name;
        for (size_t i = 0; i < k.works.size(); i++) k.works[i].step.trial = k.states[i];
        coupling_evaluate_all(&k.view);
        for (size_t i = 0; i < k.works.size(); i++) {
            if (k.batch.bodies[i].flags & BODY_FIXED) continue;
            const Vec3 force = vec3_scale(k.works[i].step.force_N, k.batch.bodies[i].inverse_mass / G);
            EXPECT_NEAR(force.z, 1, 1e-9) << name << i;
            EXPECT_LE(std::hypot(force.x, force.y), 1e-9) << name << i;
        }
    }
}

} // namespace
