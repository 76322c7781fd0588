// Constraints that contradict each other as time goes on: the scene ends where they begin to, with a status, however
// slowly they do; redundant ones that agree go on.
#include "constraint_scene.h"
#include "kernel_scene.h"

namespace {

// A mass on two winches in the same place, the second of which hauls faster by so much.
SceneBuilder two_winches(double faster_m_per_s, double step_s = 1e-3) {
    SceneBuilder b = constraint_scene(step_s, 1);
    b.point_mass({0, 0, -5}, 100, {1, 1, 1});
    for (const double rate : {-0.2, -0.2 - faster_m_per_s}) {
        b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 1}, {0, 0, -5});
        b.joints.back().length_rate_m_per_s = rate;
        b.joints.back().length_until_s = 100;
    }
    return b;
}

TEST(Contradictions, WinchesOfDifferentSpeedsAreNotSolved) {
    for (const double faster : {0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
        for (const double step_s : {1e-2, 1e-3}) {
            SceneBuilder b = two_winches(faster, step_s);
            Ran ran = run_scene(b);
            const Progress &end = ran.progress();
            printf("faster by %g m/s, steps of %g s: status %u at %g s, %u evaluations\n", faster, step_s, end.status,
                   end.ended_s + end.step_index * step_s, end.evaluations);
            EXPECT_EQ(end.status, STATUS_NOT_SOLVED);
            // Each is off by half of what lies between them: by no more than 1e-8 m when the scene ends.
            EXPECT_LT(0.5 * faster * (end.ended_s + end.step_index * step_s), 1.1e-8);
            EXPECT_LT(end.evaluations, 40000u);
        }
}

TEST(Contradictions, WinchesOfTheSameSpeedAgree) {
    SceneBuilder b = two_winches(0);
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_NEAR(ran.state(1).position_m.z, -4.8, 1e-11);
}

// A winch that hauls at what is held by another joint.
TEST(Contradictions, AWinchHaulsAtWhatIsHeld) {
    for (const uint32_t kind : {JOINT_FIXED, JOINT_REVOLUTE}) {
        SceneBuilder b = constraint_scene(1e-3, 1);
        b.point_mass({0, 0, -1}, 1, {0.1, 0.1, 0.1});
        b.constraint(kind, 0, 1, {0, 0, 0}, {0, 1, 0});
        b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, -1.5}, {0, 0, 1}, {0, 0, -1});
        b.joints.back().length_rate_m_per_s = -0.2;
        b.joints.back().length_until_s = 100;
        EXPECT_EQ(run_scene(b).progress().status, STATUS_NOT_SOLVED) << kind;
    }
}

// A crank of 0.2 m that a rope hauls at by a rod of 0.5 m, until both are in one line: there is no farther.
TEST(Contradictions, AMechanismThatIsHauledPastItsReachEndsThere) {
    SceneBuilder b = constraint_scene(1e-3, 5);
    b.point_mass({0.1, 0, 0}, 1, {1e-3, 1e-2, 1e-2}); // the crank, along x, turns about y
    b.point_mass({0.7, 0, 0}, 1, {0.1, 0.1, 0.1});    // a slider on x
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    b.constraint(JOINT_PRISMATIC, 0, 2, {0.7, 0, 0}, {1, 0, 0});
    b.constraint(JOINT_DISTANCE, 1, 2, {0.2, 0, 0}, {0, 0, 1}, {0.7, 0, 0});
    b.constraint(JOINT_DISTANCE, 0, 2, {0, 0, 0}, {0, 0, 1}, {0.7, 0, 0});
    b.joints.back().length_rate_m_per_s = 0.1; // outward from the farthest place
    b.joints.back().length_until_s = 100;
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, STATUS_NOT_SOLVED);
    EXPECT_LT(ran.progress().step_index, 10u);
}

} // namespace
