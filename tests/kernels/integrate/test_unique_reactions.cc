// Scenes whose joints say something twice are flagged, others are not: kinds of mechanism, and random ones against the
// rank of their equations in long double. Those whose initial velocities joints do not allow.
#include "constraint_reference.h"
#include "constraint_scene.h"
#include "joint_scenes.h"
#include "kernel_scene.h"

namespace {

bool is_flagged(SceneBuilder &b) {
    b.scene.end_s = b.scene.step_s;
    Ran ran = run_scene(b);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    return ran.progress().flags & FLAG_REACTIONS_NOT_UNIQUE;
}

// A door at the z axis, which may carry a second hinge or a rod.
SceneBuilder door() {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    b.point_mass({0.5, 0, 1}, 30, {2, 2, 2.5});
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0.3}, {0, 0, 1});
    return b;
}

TEST(UniqueReactions, OfADoor) {
    SceneBuilder one = door(), two = door(), rod = door(), ball = door(), twice = door();
    EXPECT_FALSE(is_flagged(one));
    two.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 1.7}, {0, 0, 1});
    EXPECT_TRUE(is_flagged(two));
    ball.constraint(JOINT_SPHERICAL, 0, 1, {0, 0, 1.7}, {0, 0, 1}); // of which two equations are the hinge's
    EXPECT_TRUE(is_flagged(ball));
    rod.constraint(JOINT_DISTANCE, 0, 1, {1, 1, 1}, {0, 0, 1});
    for (size_t k = 0; k < 3; k++) rod.joints.back().at_m[1][k] = k == 1 ? 0.1 : 1; // from (1, 1, 1): no longer turns
    EXPECT_FALSE(is_flagged(rod));
    twice.joints.push_back(twice.joints.back());
    EXPECT_TRUE(is_flagged(twice));
}

// The hinge stops what it does not allow as an impact does: angular momentum about it stays, m v r = (I + m r^2) w.
TEST(StartImpact, OfADoorThatDoesNotTurn) {
    for (const double spin : {0.0, 2.0}) { // 2: as the hinge has it
        SceneBuilder b = door();
        b.scene.end_s = b.scene.step_s = 1e-5; // in which it turns by 1.5e-5 rad
        b.scene.gravity_m_per_s2[2] = 0;
        b.bodies[1].velocity_m_per_s[1] = 1;
        b.bodies[1].angular_velocity_rad_per_s[2] = spin;
        Ran ran = run_scene(b);
        const double after = spin > 0 ? 2 : 30 * 0.5 / (2.5 + 30 * 0.25);
        const double lost = spin > 0 ? 0 : 0.5 * 30 - 0.5 * (2.5 + 30 * 0.25) * after * after;
        EXPECT_EQ((ran.progress().flags & FLAG_START_IMPACT) != 0, spin == 0);
        EXPECT_NEAR(ran.state(1).spin_rad_per_s.z, after, 1e-9);
        EXPECT_NEAR(ran.progress().dissipated_J, lost, 1e-9);
    }
}

// Two hinges with parallel axes leave a door no freedom, though they hardly resist its turning where they are near each
// other: it stops at once, and all of its energy is lost.
TEST(StartImpact, OfADoorOnTwoAxes) {
    for (const double apart : {0.1, 1e-2, 1e-3}) {
        SceneBuilder b = door();
        b.scene.end_s = 10 * b.scene.step_s;
        b.scene.gravity_m_per_s2[2] = 0;
        b.constraint(JOINT_REVOLUTE, 0, 1, {0, apart, 1.7}, {0, 0, 1});
        b.bodies[1].velocity_m_per_s[1] = 1;
        b.bodies[1].angular_velocity_rad_per_s[2] = 2;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_TRUE(ran.progress().flags & FLAG_START_IMPACT);
        EXPECT_LT(std::fabs(ran.state(1).spin_rad_per_s.z), 1e-6) << apart;
        EXPECT_NEAR(ran.progress().dissipated_J, 0.5 * 30 + 0.5 * 2.5 * 4, 1e-6 * 20);
        EXPECT_LT(ran.progress().energy_drift, 1e-6);
    }
}

// Two ropes side by side that carry share their load in any way; slack ones carry none.
TEST(UniqueReactions, OfRopes) {
    for (const double longer : {0.0, 0.01}) {
        SceneBuilder b = constraint_scene(1e-3, 1e-3);
        b.point_mass({0, 0, -1}, 2, {0.1, 0.1, 0.1});
        for (int rope = 0; rope < 2; rope++) {
            b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 1});
            b.joints.back().at_m[1][2] = -1;
            b.joints.back().is_rope = 1;
            b.joints.back().rest_length_m = 1 + longer;
        }
        EXPECT_EQ(is_flagged(b), longer == 0);
    }
}

// A hanging chain, the more equations the slower projections: nothing is said twice.
TEST(UniqueReactions, OfALongChain) {
    SceneBuilder b = constraint_scene(1e-3, 1e-3);
    for (uint32_t i = 0; i < 500; i++) {
        b.point_mass({0.1 * i + 0.05, 0, 0}, 1, {1e-4, 1e-3, 1e-3});
        b.constraint(i % 2 ? JOINT_REVOLUTE : JOINT_SPHERICAL, i, i + 1, {0.1 * i, 0, 0}, {0, 1, 0});
    }
    EXPECT_FALSE(is_flagged(b));
    b.constraint(JOINT_DISTANCE, 60, 61, {5.94, 0, 0}, {0, 0, 1}); // along a pair of links that a joint ties already
    b.joints.back().at_m[1][0] = 6.02;
    EXPECT_TRUE(is_flagged(b));
}

// Trees of bodies, whose joints never say something twice, then loops of any kinds.
TEST(UniqueReactions, OfRandomMechanismsByTheirRank) {
    unsigned flagged = 0, scenes = 0;
    for (unsigned seed = 0; seed < 150; seed++) {
        SceneBuilder b = random_mechanism(seed);
        std::mt19937_64 engine(seed);
        for (SceneJoint &j : b.joints) j.has_limits = 0; // one-sided: not in the reference
        for (SceneJoint &j : b.joints)
            if (j.is_rope) j.is_rope = 0, j.rest_length_m = -1;
        bool is_driven = false;
        for (const SceneJoint &j : b.joints) is_driven |= j.drive_count > 0;
        if (is_driven) continue;
        for (unsigned extra = 0; extra < seed % 4; extra++) {
            SceneJoint joint = b.joints[engine() % b.joints.size()];
            if (joint.kind == JOINT_SPRING_DAMPER) continue;
            // Some lie on the axis of one that is there, others do not.
            for (size_t k = 0; k < 3 && joint.kind != JOINT_DISTANCE; k++)
                for (auto &at : joint.at_m) at[k] += seed % 5 ? joint.axis[0][k] : 0.1 * double(k + 1);
            b.joints.push_back(joint);
        }
        const bool is = is_flagged(b);
        b.joints.erase(std::remove_if(b.joints.begin(), b.joints.end(),
                                      [&](const SceneJoint &j) { return j.kind == JOINT_SPRING_DAMPER; }),
                       b.joints.end());
        Ran ran = run_scene(b);
        const reference::System system = reference::system_of(b, ran.batch);
        EXPECT_EQ(is, system.rank() < system.jacobian(0).size()) << seed;
        flagged += is;
        scenes++;
    }
    printf("%u of %u flagged\n", flagged, scenes);
    EXPECT_GT(flagged, 20u);
    EXPECT_GT(scenes - flagged, 20u);
}

} // namespace
