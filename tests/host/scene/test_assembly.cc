// Bodies that start slightly off are moved onto their joints: where by closed forms, that equations hold by their
// implementation in long double, what cannot hold together, what stays.
#include <random>

#include "assembly.h"
#include "base/vec3.h"
#include "constraint_reference.h"
#include "constraint_scene.h"

namespace {

struct Assembled {
    ClackStatus status;
    Batch batch{};
    ClackReport report{};
    explicit Assembled(SceneBuilder &b) {
        Study study{};
        study.scene = b.view();
        const uint64_t number = 0;
        const Capacities room = stage_capacities(&study.scene);
        status = stage_pack(&study, &study.scene, &number, &room, 1, &batch, &report);
    }
    ~Assembled() {
        if (status == CLACK_OK) stage_free(&batch);
        clack_report_clear(&report);
    }
    Assembled(const Assembled &) = delete;
    double moved() const { return batch.scenes[0].assembled_m; }
    Vec3 position(size_t body) const { return batch.states[body].position_m; }
};

// The largest violation of all equations, whose points and axes in the bodies are those that were given.
double violation(SceneBuilder &b, const Batch &batch) {
    SceneBuilder given = b; // as they would be without assembly
    Study study{};
    study.scene = given.view();
    StageFrame frame;
    std::vector<reference::Body> start;
    for (uint32_t i = 0; i < b.bodies.size(); i++) {
        EXPECT_EQ(stage_frame(&study.scene, i, &frame, nullptr), CLACK_OK);
        const BodyState s = stage_state(&frame, batch.bodies[i].flags, &b.bodies[i]);
        reference::Body body;
        body.x = reference::from(s.position_m);
        body.axes = reference::axes_of(s.orientation);
        start.push_back(body);
    }
    reference::System now = reference::system_of(b, batch);
    double worst = 0;
    for (size_t n = 0; n < b.joints.size(); n++) {
        const SceneJoint &in = b.joints[n];
        reference::Joint j = now.joints[n];
        for (int k = 0; k < 2; k++) {
            const reference::Body &body = start[k == 0 ? j.a : j.b];
            const reference::V z = reference::unit(reference::from(in.axis[in.has_two_axes ? k : 0]));
            reference::V u = in.kind == JOINT_UNIVERSAL ? reference::unit(reference::from(in.axis[1]))
                                                        : start[j.a].axes * now.joints[n].u[0];
            u = k == 0 || in.kind != JOINT_UNIVERSAL ? reference::unit(u - reference::dot(u, z) * z) : u;
            j.at[k] = body.axes.back(reference::from(in.at_m[k]) - body.x);
            j.z[k] = body.axes.back(z);
            j.u[k] = body.axes.back(u);
        }
        if (in.rest_length_m >= 0) j.length = in.rest_length_m;
        const auto equations = reference::equations(j, now.bodies[j.a], now.bodies[j.b], 0);
        // Of a revolute joint only its axes count, not how it is turned about them.
        for (const reference::R phi : equations) worst = std::max(worst, double(std::fabs(phi)));
    }
    return worst;
}

// The same of the joints as they have been staged.
double staged_violation(SceneBuilder &b, const Batch &batch) {
    const reference::System now = reference::system_of(b, batch);
    double worst = 0;
    for (size_t n = 0; n < b.joints.size(); n++) {
        const Joint &in = batch.joints[n];
        reference::Joint j = now.joints[n];
        for (int k = 0; k < 2; k++) {
            const reference::Axes axes = reference::axes_of(k == 0 ? in.frame_a : in.frame_b);
            j.at[k] = reference::from(k == 0 ? in.at_a_m : in.at_b_m);
            j.z[k] = axes.c[2];
            j.u[k] = axes.c[0];
        }
        j.length = in.rest_length_m;
        for (const reference::R phi : reference::equations(j, now.bodies[j.a], now.bodies[j.b], 0))
            worst = std::max(worst, double(std::fabs(phi)));
    }
    return worst;
}

TEST(Assembly, PointsMeetWhereMassesSay) {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    b.point_mass({0, 0, 0}, 1, {0.1, 0.1, 0.1});
    b.point_mass({0.004, 0, 0}, 3, {0.1, 0.1, 0.1});
    b.point_mass({1, 0, 0}, 1, {0.1, 0.1, 0.1}); // makes the whole larger
    b.constraint(JOINT_SPHERICAL, 1, 2, {0, 0, 0});
    b.joints.back().at_m[1][0] = 0.004;
    b.constraint(JOINT_SPHERICAL, 2, 3, {0.004, 0, 0});
    Assembled done(b);
    ASSERT_EQ(done.status, CLACK_OK);
    // The third body hangs on the second by its far end, whose inertia there is that of a mass m/(1 + m r^2/I) and
    // more: along the line between both it is all of its mass.
    EXPECT_NEAR(done.position(1).x, 0.004 * 4 / 5, 1e-15);
    EXPECT_NEAR(done.position(2).x, 0.004 * 4 / 5, 1e-15);
    EXPECT_NEAR(done.position(3).x, 1 - 0.004 / 5, 1e-15);
    EXPECT_NEAR(done.moved(), 0.0032, 1e-12);
}

TEST(Assembly, LengthsBecomeThoseThatAreGiven) {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    b.point_mass({0, 0, 0}, 1, {0.1, 0.1, 0.1});
    b.point_mass({3, 4, 0}, 4, {0.1, 0.1, 0.1});
    b.constraint(JOINT_DISTANCE, 1, 2, {0, 0, 0}, {0, 0, 1}, {3, 4, 0}).rest_length_m = 5.02;
    Assembled done(b);
    ASSERT_EQ(done.status, CLACK_OK);
    EXPECT_NEAR(done.position(1).x, -0.6 * 0.016, 1e-14);
    EXPECT_NEAR(done.position(1).y, -0.8 * 0.016, 1e-14);
    EXPECT_NEAR(done.position(2).x, 3 + 0.6 * 0.004, 1e-14);
    EXPECT_NEAR(done.moved(), 0.016, 1e-13);
}

// A body turns about its pin as its inertia says, and the fixed one stays: to first order, (m, I) with an arm r.
TEST(Assembly, ABodyOnAPinMovesByItsMassAndInertia) {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    const double off = 1e-5, r = 0.5, inertia = 0.2, m = 2;
    b.point_mass({r, 0, 0}, m, {0.1, inertia, inertia});
    b.bodies.back().angular_velocity_rad_per_s[0] = 3;
    b.constraint(JOINT_SPHERICAL, 0, 1, {0, 0, 0});
    b.joints.back().at_m[1][2] = off;
    Assembled done(b);
    ASSERT_EQ(done.status, CLACK_OK);
    const double impulse = off / (1 / m + r * r / inertia);
    EXPECT_NEAR(done.position(1).z, -impulse / m, 1e-9 * off + 2 * off * off);
    EXPECT_EQ(done.position(0).z, 0);
    EXPECT_LT(violation(b, done.batch), 1e-14);
    // Velocities stay as they are in the world.
    const UserState user = stage_user_state(&done.batch.bodies[1], &done.batch.states[1]);
    EXPECT_NEAR(user.angular_velocity_rad_per_s[0], 3, 1e-14);
    EXPECT_NEAR(user.angular_velocity_rad_per_s[2], 0, 1e-14);
}

// Closed loops whose numbers were rounded, of every kind of joint; and chains.
SceneBuilder rounded_loop(unsigned seed) {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    std::mt19937_64 engine(seed);
    auto draw = [&](double most) { return std::uniform_real_distribution<double>(-most, most)(engine); };
    const uint32_t kinds[] = {JOINT_FIXED, JOINT_REVOLUTE, JOINT_SPHERICAL, JOINT_UNIVERSAL};
    const uint32_t bodies = 3 + seed % 4;
    for (uint32_t i = 1; i <= bodies; i++) {
        b.point_mass({std::cos(i), std::sin(i), draw(0.5)}, 1 + 0.5 * draw(1), {0.1, 0.15, 0.12});
        const double along[3] = {draw(1), draw(1), 1}, across[3] = {1, draw(1), -along[0] - along[1] * 0};
        b.constraint(kinds[engine() % 4], i - 1, i, {std::cos(i - 0.5), std::sin(i - 0.5), 0},
                     {along[0], along[1], along[2]}, {across[0], across[1], across[2]});
        SceneJoint &j = b.joints.back();
        for (double &at : j.at_m[1]) at += draw(2e-3);
        if (j.kind == JOINT_REVOLUTE) {
            j.has_two_axes = 1;
            for (size_t k = 0; k < 3; k++) j.axis[1][k] = 2 * j.axis[0][k] + draw(0.01);
        }
        if (j.kind == JOINT_UNIVERSAL) j.axis[1][0] += draw(5e-3);
    }
    b.constraint(JOINT_SPHERICAL, bodies, 0, {0.3, 0.1, 0.2});
    b.joints.back().at_m[1][0] += 2e-3;
    return b;
}

TEST(Assembly, LoopsOfRoundedNumbersHold) {
    unsigned loops = 0;
    for (unsigned seed = 0; seed < 200; seed++) {
        SceneBuilder b = rounded_loop(seed);
        Assembled done(b);
        ASSERT_EQ(done.status, CLACK_OK);
        EXPECT_LT(staged_violation(b, done.batch), 3e-11) << seed;
        if (done.batch.scenes[0].misfit_m > 0) continue; // a chain of fixed ones has no freedom left, and is fitted
        loops++;
        EXPECT_LT(violation(b, done.batch), 3e-11) << seed;
        EXPECT_GT(done.moved(), 1e-4);
        EXPECT_LT(done.moved(), 0.5);
    }
    printf("%u loops\n", loops);
    EXPECT_GT(loops, 120u);
}

TEST(Assembly, ALongChainHolds) {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    for (uint32_t i = 0; i < 100; i++) {
        b.point_mass({0.1 * i + 0.05, 0, 0}, 1, {1e-4, 1e-3, 1e-3});
        b.constraint(JOINT_SPHERICAL, i, i + 1, {0.1 * i, 0, 0});
        b.joints.back().at_m[1][i % 3] += i % 2 ? 5e-3 : -5e-3;
    }
    Assembled done(b);
    ASSERT_EQ(done.status, CLACK_OK);
    EXPECT_LT(violation(b, done.batch), 1e-13);
    EXPECT_GT(done.moved(), 5e-3);
}

SceneBuilder door(double apart_m, double farther_m) {
    SceneBuilder b = constraint_scene(1e-3, 0.2);
    b.point_mass({0.5, 0, 1}, 30, {2, 2, 2.5});
    for (const double z : {0.3, 1.7}) {
        b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, z}, {0, 0, 1});
        b.joints.back().at_m[1][1] = apart_m;
        b.joints.back().at_m[1][2] += z > 1 ? farther_m : 0;
    }
    return b;
}

// Two hinges say something twice: where they agree they hold.
TEST(Assembly, RedundantJointsHoldWhereTheyAgree) {
    SceneBuilder b = door(2e-3, 0);
    Assembled done(b);
    ASSERT_EQ(done.status, CLACK_OK);
    EXPECT_LT(violation(b, done.batch), 1e-14);
    EXPECT_NEAR(done.position(1).y, -2e-3 / (1 + 30 * 0.25 / 2.5), 1e-7); // and it turns
    EXPECT_EQ(done.batch.scenes[0].misfit_m, 0);
}

// Where they do not agree the door hangs in the middle: hinges that are 1 mm too far apart are off by a half of that
// each, and become part of the joints, which hold then. More than 1 % of the extent is an error.
TEST(Assembly, RedundantJointsAreFittedWhereTheyDoNotAgree) {
    for (const double farther : {1e-9, 1e-6, 1e-3}) {
        SceneBuilder b = door(0, farther);
        Assembled done(b);
        ASSERT_EQ(done.status, CLACK_OK);
        EXPECT_NEAR(done.batch.scenes[0].misfit_m / farther, 0.5, 2e-3);
        EXPECT_NEAR((1 - done.position(1).z) / farther, 0.5, 2e-3);
        EXPECT_LT(staged_violation(b, done.batch), 1e-14);
    }
    SceneBuilder far = door(0, 0.05);
    Assembled done(far);
    EXPECT_EQ(done.status, CLACK_STUDY);
}

// Points and axes that differ across and about what a joint holds, and along what it leaves free: where the second
// joint has another opinion every kind is fitted, and holds to rounding.
TEST(Assembly, EveryKindIsFitted) {
    for (const uint32_t kind : {JOINT_FIXED, JOINT_REVOLUTE, JOINT_PRISMATIC, JOINT_CYLINDRICAL, JOINT_UNIVERSAL,
                                JOINT_SPHERICAL, JOINT_DISTANCE})
        for (const bool is_swapped : {false, true}) { // the fixed body second
            SceneBuilder b = constraint_scene(1e-3, 1e-3);
            b.point_mass({0.5, 0.1, 1}, 30, {2, 2, 2.5});
            b.constraint(JOINT_FIXED, 0, 1, {0.2, 0, 1}, {0, 0, 1});
            b.constraint(kind, is_swapped ? 1 : 0, is_swapped ? 0 : 1, {0.1, 0.3, 0.2}, {0, 0.6, 0.8});
            SceneJoint &joint = b.joints.back();
            for (size_t k = 0; k < 3; k++) joint.at_m[1][k] = joint.at_m[0][k];
            joint.at_m[1][0] += kind == JOINT_DISTANCE ? 0.4 : 2e-3;
            joint.rest_length_m = kind == JOINT_DISTANCE ? 0.401 : -1;
            if (kind >= JOINT_REVOLUTE && kind <= JOINT_CYLINDRICAL) {
                joint.has_two_axes = 1;
                joint.axis[1][0] = 0.01;
                joint.axis[1][1] = 0.6;
                joint.axis[1][2] = 0.8;
            }
            if (kind == JOINT_UNIVERSAL) joint.axis[1][0] = 1, joint.axis[1][1] = 0.005, joint.axis[1][2] = 0;
            Assembled done(b);
            ASSERT_EQ(done.status, CLACK_OK) << kind << is_swapped << (done.report.count ? done.report.lines[0] : "");
            EXPECT_GT(done.batch.scenes[0].misfit_m, 1e-4);
            EXPECT_LT(staged_violation(b, done.batch), 1e-13) << kind << is_swapped;
        }
}

// Of a joint that slides points may be anywhere along its axis, and travels are 0 at the start.
TEST(Assembly, PointsOfSlidesMayBeApartAlongTheirAxes) {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    b.point_mass({0.5, 0, 1}, 30, {2, 2, 2.5});
    b.constraint(JOINT_CYLINDRICAL, 0, 1, {0, 0, 0}, {0, 0, 1});
    b.joints.back().at_m[1][2] = 0.7;
    b.joints.back().at_m[1][1] = 1e-3;
    Assembled done(b);
    ASSERT_EQ(done.status, CLACK_OK);
    EXPECT_EQ(done.position(1).z, 1);
    const Joint &joint = done.batch.joints[0];
    EXPECT_NEAR(vec3_add(done.position(1), quat_rotate(done.batch.states[1].orientation, joint.at_b_m)).z, 0, 1e-15);
}

TEST(Assembly, NothingMovesWhereJointsHold) {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    b.point_mass({0.5, 0, 1}, 30, {2, 2, 2.5});
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0.3}, {0, 0, 1});
    b.constraint(JOINT_DISTANCE, 0, 1, {0, 1, 0.3}, {0, 0, 1}, {1, 0, 0.3});
    const SceneDescription scene = b.view();
    EXPECT_FALSE(assembly_is_needed(&scene));
    Assembled done(b);
    EXPECT_EQ(done.moved(), 0);
    EXPECT_EQ(done.position(1).x, 0.5);
}

} // namespace
