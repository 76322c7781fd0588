// The evaluator: the stepper's own contacts in every bit, closed forms, no pair lost, wrong states.
#ifndef _Thread_local
#define _Thread_local thread_local // portable.h is C
#endif

#include "evaluate_fixture.h"
#include "law/contact_begin.h"
#include "law/contact_force.h"

#include <algorithm>

namespace {

// The states of `configuration` as the scene's own initial states.
SceneBuilder placed(const SceneBuilder &from, const std::vector<UserState> &states, size_t configuration) {
    SceneBuilder b = from;
    for (size_t k = 0; k < b.bodies.size(); k++) {
        const UserState &state = states[configuration * b.bodies.size() + k];
        SceneBody &body = b.bodies[k];
        std::copy_n(state.position_m, 3, body.position_m);
        std::copy_n(state.velocity_m_per_s, 3, body.velocity_m_per_s);
        std::copy_n(state.angular_velocity_rad_per_s, 3, body.angular_velocity_rad_per_s);
        body.rotation.kind = ROTATION_QUATERNION;
        std::copy_n(state.orientation, 4, body.rotation.value);
    }
    return b;
}

// --- the stepper's contacts -----------------------------------------------------------------------

// What `advance` says of the contacts it finds at t = 0.
TEST(Evaluate, BeginsOfTheStepperAtItsStart) {
    const size_t configurations = 60;
    size_t compared = 0;
    for (bool is_compat : {false, true}) {
        SceneBuilder b = every_kind(is_compat);
        b.scene.step_s = b.scene.end_s = 1e-9;
        b.scene.method = METHOD_RK4; // one plain step: only the beginning counts
        const std::vector<UserState> states = random_states(b.view(), configurations, 0.5);
        Contacts contacts = Evaluator(b.view()).run(states);
        std::vector<SceneBuilder> builders;
        std::vector<SceneDescription> scenes;
        for (size_t i = 0; i < configurations; i++) builders.push_back(placed(b, states, i));
        for (SceneBuilder &builder : builders) scenes.push_back(builder.view());
        Ran ran = run_scenes(native_device(), scenes);
        ASSERT_EQ(contacts.configuration_count, configurations);
        for (uint32_t i = 0; i < configurations; i++) {
            std::vector<Event> begins;
            for (const Event &e : ran.events_of_kind(EVENT_BEGIN, i)) {
                if (e.time_s == 0.0) begins.push_back(e);
            }
            ASSERT_EQ(begins.size(), contacts.first[i + 1] - contacts.first[i]) << i;
            for (size_t k = 0; k < begins.size(); k++) {
                const ClackContact &row = contacts.rows[contacts.first[i] + k];
                const Event &event = begins[k];
                EXPECT_EQ(row.shape_a, event.shape_a);
                EXPECT_EQ(row.shape_b, event.shape_b);
                EXPECT_EQ(row.feature, event.feature);
                EXPECT_EQ(row.body_a, event.body_a);
                EXPECT_EQ(row.body_b, event.body_b);
                EXPECT_TRUE(same_bits(&row.normal, &event.normal, sizeof(Vec3)));
                EXPECT_EQ(row.approach_m_per_s, event.speed_m_per_s);
                compared++;
            }
        }
    }
    EXPECT_GT(compared, 1000u);
}

// Every pair, apart or not, against the functions of the stepper on its own working states.
TEST(Evaluate, EveryPairAsTheStepperEvaluatesIt) {
    SceneBuilder b = every_kind();
    for (size_t k = 0; k < b.shapes.size(); k += 2) b.shapes[k].has_local_radius = 1;
    const size_t configurations = 40;
    const std::vector<UserState> states = random_states(b.view(), configurations, 0.5, 2);
    Contacts contacts = Evaluator(b.view(), evaluate_options(0, true)).run(states);
    size_t touching = 0;
    for (uint32_t i = 0; i < configurations; i++) {
        SceneBuilder builder = placed(b, states, i);
        Study study{};
        study.scene = builder.view();
        const Capacities room = stage_capacities(&study.scene);
        const uint64_t number = 0;
        Ran staged;
        ASSERT_EQ(stage_pack(&study, &study.scene, &number, &room, 1, &staged.batch, nullptr), CLACK_OK);
        const Batch &batch = staged.batch;
        std::vector<BodyWork> works(batch.body_count);
        for (size_t k = 0; k < works.size(); k++) works[k].step.trial = batch.states[k];
        SceneView view{};
        view.scene = &batch.scenes[0];
        view.bodies = batch.bodies;
        view.shapes = batch.shapes;
        view.laws = batch.laws;
        view.hulls = batch.hull_rows;
        view.works = works.data();
        for (size_t k = contacts.first[i]; k < contacts.first[i + 1]; k++) {
            const ClackContact &row = contacts.rows[k];
            PairKinematics kinematics = kinematics_of_trial(&view, row.shape_a, row.shape_b, row.feature);
            Contact contact{};
            const ContactKey key = contact_key(row.shape_a, row.shape_b, row.feature);
            contact.law = contact_begin_constants(&view, key, &kinematics, &works[row.body_a].step.trial,
                                                  &works[row.body_b].step.trial);
            contact.pair.shape_a = row.shape_a;
            contact.pair.shape_b = row.shape_b;
            contact.pair.feature = row.feature;
            contact_evaluate(&view, &contact);
            EXPECT_EQ(row.distance_m, contact.now.gap_m);
            EXPECT_GE(row.error_m, contact.now.error_m); // and what rounding moved the shapes by
            EXPECT_EQ(row.status, contact.now.narrow_status);
            EXPECT_EQ(row.approach_m_per_s, contact.now.closing_m_per_s);
            EXPECT_EQ(row.slip_m_per_s, contact.now.slip_m_per_s);
            EXPECT_TRUE(same_bits(&row.normal, &contact.now.normal, sizeof(Vec3)));
            if (row.distance_m > 0) {
                EXPECT_EQ(row.normal_N, 0);
                continue;
            }
            touching++;
            EXPECT_EQ(row.normal_N, contact.now.normal_N);
            EXPECT_TRUE(same_bits(&row.force_N, &contact.now.force_N, sizeof(Vec3)));
        }
    }
    EXPECT_GT(touching, 300u);
}

// --- closed forms ---------------------------------------------------------------------------------

const double YOUNG = 1e9, POISSON = 0.25, MU = 0.4, ROLLING = 1e-3, RESTITUTION = 0.6;

double hertz_N(double radius_m, double depth_m) {
    const double modulus = 0.5 * YOUNG / (1 - POISSON * POISSON);
    return 4.0 / 3.0 * modulus * std::sqrt(radius_m) * std::pow(depth_m, 1.5);
}

SceneBuilder two_balls() {
    SceneBuilder b;
    b.material(YOUNG, POISSON, 1000);
    b.pair(0, 0, RESTITUTION, MU, ROLLING);
    b.ground();
    b.ball(0.1, {0, 0, 0});
    b.ball(0.2, {0, 0, 0});
    return b;
}

std::vector<UserState> states_at(std::array<double, 3> a, std::array<double, 3> b) {
    std::vector<UserState> states(3);
    for (UserState &s : states) s.orientation[0] = 1;
    std::copy(a.begin(), a.end(), states[1].position_m);
    std::copy(b.begin(), b.end(), states[2].position_m);
    return states;
}

TEST(Evaluate, HertzOfTwoSpheresAtRest) {
    SceneBuilder b = two_balls();
    Evaluator evaluator(b.view());
    for (double depth : {1e-9, 1e-6, 1e-3}) {
        Contacts contacts = evaluator.run(states_at({0, 0, 1}, {0, 0.15 - depth, 1}));
        ASSERT_EQ(contacts.row_count, 1u);
        const ClackContact &row = contacts.rows[0];
        const double f = hertz_N(0.05 * 0.1 / 0.15, depth);
        EXPECT_EQ(row.body_a, 1u);
        EXPECT_EQ(row.body_b, 2u);
        EXPECT_NEAR(row.distance_m, -depth, 1e-16);
        EXPECT_EQ(row.normal[1], 1);
        EXPECT_EQ(row.normal[0], 0);
        EXPECT_EQ(row.approach_m_per_s, 0);
        EXPECT_NEAR(row.normal_N, f, f * 3 * 1e-16 / depth); // 1.5 times the rounding of the depth, twice
        EXPECT_EQ(row.force_N[1], row.normal_N);             // pushes B away from A
        EXPECT_EQ(row.tangential_N[0], 0);
        EXPECT_NEAR(row.point_a_m[1], 0.05, 1e-16);
        EXPECT_NEAR(row.point_b_m[1], 0.05 - depth, 1e-16);
        EXPECT_EQ(row.point_b_m[2], 1);
    }
}

// Flores: d = 8 (1 - e) / (5 e v), so a contact that begins now has f = K delta^1.5 (1 + 8 (1 - e) / (5 e)),
// whatever the speed.
TEST(Evaluate, DampingFrictionAndRollingOnAHalfSpace) {
    SceneBuilder b = two_balls();
    Evaluator evaluator(b.view());
    const double depth = 1e-4;
    std::vector<UserState> states = states_at({0, 0, 0.05 - depth}, {0, 0, 9});
    states[1].velocity_m_per_s[0] = 0.5;
    states[1].velocity_m_per_s[2] = -0.3;
    states[1].angular_velocity_rad_per_s[1] = 2;
    Contacts contacts = evaluator.run(states);
    ASSERT_EQ(contacts.row_count, 1u);
    const ClackContact &row = contacts.rows[0];
    const double f = hertz_N(0.05, depth) * (1 + 1.6 * (1 - RESTITUTION) / RESTITUTION);
    EXPECT_EQ(row.body_a, 0u);
    EXPECT_EQ(row.normal[2], 1);
    EXPECT_NEAR(row.approach_m_per_s, 0.3, 1e-15);
    EXPECT_NEAR(row.normal_N, f, 1e-10 * f);
    // The contact point lies 0.05 m - depth / 2 below the centre: slip = v - w r.
    const double slip = 0.5 - 2 * (0.05 - depth / 2);
    EXPECT_NEAR(row.slip_m_per_s, slip, 1e-15);
    EXPECT_NEAR(row.tangential_N[0], -MU * f, 1e-10 * f);
    EXPECT_NEAR(row.tangential_N[2], 0, 1e-15 * f);
    EXPECT_NEAR(row.force_N[0], row.tangential_N[0], 1e-15 * f);
    EXPECT_NEAR(row.force_N[2], row.normal_N, 1e-15 * f);
    EXPECT_NEAR(row.torque_N_m[1], -ROLLING * 0.05 * f, 1e-10 * f); // against the spin
    EXPECT_EQ(row.torque_N_m[0], 0);
}

TEST(Evaluate, OpeningContactsAreNotDampedBeyondDMax) {
    SceneBuilder b = two_balls();
    Evaluator evaluator(b.view());
    std::vector<UserState> states = states_at({0, 0, 0.0499}, {0, 0, 9});
    states[1].velocity_m_per_s[2] = 1; // 1 - d_max u < 0: no force, never a pull
    Contacts contacts = evaluator.run(states);
    ASSERT_EQ(contacts.row_count, 1u);
    EXPECT_EQ(contacts.rows[0].approach_m_per_s, -1);
    EXPECT_EQ(contacts.rows[0].normal_N, 0);
    EXPECT_EQ(contacts.rows[0].force_N[2], 0);
}

// --- which pairs ----------------------------------------------------------------------------------

TEST(Evaluate, NoPairWithinTheMarginIsLost) {
    SceneBuilder b = every_kind();
    // At the origin, and so far from it that coordinates round to 1e-10 m.
    for (double away : {0.0, 1e6}) {
        std::vector<UserState> states = random_states(b.view(), 300, 0.8, 3);
        for (UserState &s : states) s.position_m[0] += away;
        Contacts all = Evaluator(b.view(), evaluate_options(0, true)).run(states);
        for (double margin : {0.0, 1e-4, 0.03, 5.0}) {
            Contacts near = Evaluator(b.view(), evaluate_options(margin)).run(states);
            size_t k = 0;
            for (size_t i = 0; i < all.row_count; i++) {
                if (all.rows[i].distance_m > margin) continue;
                ASSERT_LT(k, near.row_count);
                ASSERT_TRUE(same_bits(&all.rows[i], &near.rows[k], sizeof(ClackContact))) << i;
                k++;
            }
            EXPECT_EQ(k, near.row_count);
            EXPECT_GT(k, 1000u);
        }
    }
}

TEST(Evaluate, AllMeansEveryPairThatMayTouch) {
    SceneBuilder b = two_balls();
    b.body("plate", true, {0, 0, 0});
    b.shape(SHAPE_BOX, {1, 1, 1, 0});
    Evaluator evaluator(b.view(), evaluate_options(0, true));
    // Balls with the ground and each other, the plate with both balls: fixed bodies do not meet.
    EXPECT_EQ(clack_evaluator_pair_count(evaluator.handle), 5u);
    std::vector<UserState> states = states_at({0, 0, 3}, {0, 0, 5});
    states.push_back(states[0]);
    EXPECT_EQ(evaluator.run(states).row_count, 5u);
    EXPECT_EQ(Evaluator(b.view()).run(states).row_count, 0u);
}

// A box on a half-space: one contact for each corner.
TEST(Evaluate, FeaturesOfABoxOnAHalfSpace) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    b.ground();
    b.body("box", false, {0, 0, 0});
    b.shape(SHAPE_BOX, {0.2, 0.2, 0.2, 0}).smoothing_m = 0;
    std::vector<UserState> states = random_states(b.view(), 1, 0);
    states[1] = states[0];
    states[1].position_m[2] = 0.1 - 1e-5;
    Contacts contacts = Evaluator(b.view()).run(states);
    ASSERT_EQ(contacts.row_count, 4u);
    for (size_t k = 0; k < 4; k++) {
        EXPECT_EQ(contacts.rows[k].feature, k); // the lower corners: bit 2 is the positive side in z
        EXPECT_NEAR(contacts.rows[k].distance_m, -1e-5, 1e-16);
    }
}

// --- several contacts, observers, absent bodies, groups, hulls ----------------------------------------------

SceneBuilder two_boxes(double smoothing_m, bool is_single) {
    SceneBuilder b;
    b.material(YOUNG, POISSON, 1000);
    b.pair(0, 0, RESTITUTION, MU, ROLLING);
    b.scene.single_contact = is_single;
    for (int k = 0; k < 2; k++) {
        b.body("box", false, {0, 0, 0});
        b.shape(SHAPE_BOX, {0.1, 0.08, 0.06, 0}).smoothing_m = smoothing_m;
    }
    return b;
}

// Boxes apart: the least of all rows is the distance that the exact narrow phase finds for the pair as a whole, and
// no row claims less; where two edges are nearest, that row is there.
TEST(Evaluate, TheLeastRowOfTwoBoxesIsTheirDistance) {
    SceneBuilder several = two_boxes(1e-3, false), single = two_boxes(1e-3, true);
    const size_t configurations = 2000;
    const std::vector<UserState> states = random_states(several.view(), configurations, 0.4, 6);
    Evaluator evaluator(several.view(), evaluate_options(0, true));
    EXPECT_EQ(clack_evaluator_pair_count(evaluator.handle), 160u);
    Contacts rows = evaluator.run(states);
    Contacts whole = Evaluator(single.view(), evaluate_options(0, true)).run(states);
    ASSERT_EQ(whole.row_count, configurations);
    size_t apart = 0, by_edges = 0;
    for (size_t i = 0; i < configurations; i++) {
        if (whole.rows[i].distance_m <= 1e-6) continue;
        const ClackContact *least = nullptr;
        for (size_t k = rows.first[i]; k < rows.first[i + 1]; k++) {
            if (least == nullptr || rows.rows[k].distance_m < least->distance_m) least = &rows.rows[k];
        }
        ASSERT_NE(least, nullptr);
        EXPECT_NEAR(least->distance_m, whole.rows[i].distance_m, 1e-12) << i;
        EXPECT_GE(rows.first[i + 1] - rows.first[i], 16u); // each vertex
        apart++;
        by_edges += least->feature >= 16;
    }
    EXPECT_GT(apart, 1000u);
    EXPECT_GT(by_edges, 100u);
}

TEST(Evaluate, NoRowOfContactsThatDoNotExist) {
    SceneBuilder b = every_kind();
    b.body("spike", false, {0, 0, 0});
    b.shape(SHAPE_CONE, {0.08, 0.06, 0, 0});
    const std::vector<UserState> states = random_states(b.view(), 100, 0.5, 7);
    Evaluator evaluator(b.view(), evaluate_options(0, true));
    Contacts contacts = evaluator.run(states);
    EXPECT_GT(contacts.row_count, 10000u);
    EXPECT_LT(contacts.row_count, 100 * size_t(clack_evaluator_pair_count(evaluator.handle)));
    for (size_t k = 0; k < contacts.row_count; k++) ASSERT_LT(contacts.rows[k].distance_m, 1.0);
}

TEST(Evaluate, ObserversHaveOneContactWithoutForce) {
    SceneBuilder b;
    b.material(YOUNG, POISSON, 1000);
    b.pair(0, 0, RESTITUTION, MU, ROLLING);
    const uint32_t observer = observer_material(b);
    b.body("gate", true, {0, 0, 0});
    b.shape(SHAPE_BOX, {1, 1, 0.1, 0}, observer);
    b.body("box", false, {0, 0, 0});
    b.shape(SHAPE_BOX, {0.1, 0.1, 0.1, 0});
    std::vector<UserState> states(2);
    for (UserState &s : states) s.orientation[0] = 1;
    states[1].position_m[2] = 0.0999;
    states[1].velocity_m_per_s[2] = -2;
    Contacts contacts = Evaluator(b.view()).run(states);
    ASSERT_EQ(contacts.row_count, 1u);
    const ClackContact &row = contacts.rows[0];
    EXPECT_NEAR(row.distance_m, -1e-4, 1e-12);
    EXPECT_NEAR(row.approach_m_per_s, 2, 1e-12);
    EXPECT_EQ(row.normal_N, 0);
    for (int k = 0; k < 3; k++) EXPECT_TRUE(row.force_N[k] == 0 && row.torque_N_m[k] == 0 && row.tangential_N[k] == 0);
}

TEST(Evaluate, AbsentBodiesAndThoseIgnoredAreNoPairs) {
    SceneBuilder b = two_balls();
    b.ball(0.2, {0, 0, 0}); // in the same place as the second
    b.bodies[2].is_absent = b.bodies[2].is_fixed = 1;
    std::vector<UserState> states = states_at({0, 0, 1}, {NAN, 0, 0});
    states[2].orientation[0] = 0;
    states.push_back(states[1]);
    states[3].position_m[0] = 0.1;
    Contacts contacts = Evaluator(b.view()).run(states);
    ASSERT_EQ(contacts.row_count, 1u);
    EXPECT_EQ(contacts.rows[0].body_a, 1u);
    EXPECT_EQ(contacts.rows[0].body_b, 3u);
    b.bodies[1].groups = 1;
    b.bodies[3].ignores = 1;
    EXPECT_EQ(Evaluator(b.view()).run(states).row_count, 0u);
}

// A tetrahedron over the ground, and a ball over its top.
TEST(Evaluate, HullsBringTheirTable) {
    SceneBuilder b;
    b.material(YOUNG, POISSON, 1000);
    b.pair(0, 0, RESTITUTION, MU, ROLLING);
    b.ground();
    b.body("hull", false, {0, 0, 0});
    b.hull(shared_hull({{-0.1, -0.1, 0}, {0.1, -0.1, 0}, {0, 0.1, 0}, {0, 0, 0.2}}));
    b.ball(0.1, {0, 0, 0});
    for (const char *device : {"native", "cpu"}) {
        Evaluator evaluator(b.view(), evaluate_options(0, true, 0, device));
        if (evaluator.is_absent()) GTEST_SKIP() << "no OpenCL CPU device";
        Contacts contacts = evaluator.run(states_at({0, 0, 1}, {0, 0, 1.35}));
        // Four vertices and the ball with the ground, the ball with the hull's top.
        ASSERT_EQ(contacts.row_count, 6u) << device;
        std::vector<double> heights;
        for (size_t k = 0; k < 4; k++) heights.push_back(contacts.rows[k].distance_m);
        std::sort(heights.begin(), heights.end());
        for (size_t k = 0; k < 4; k++) EXPECT_NEAR(heights[k], k < 3 ? 1 : 1.2, 1e-14);
        EXPECT_NEAR(contacts.rows[5].distance_m, 0.1, 1e-12);
        EXPECT_EQ(contacts.rows[5].body_b, 2u);
    }
}

// --- independence ---------------------------------------------------------------------------------

TEST(Evaluate, TheSameBitsAloneAmongOthersAndInAnyBatch) {
    SceneBuilder b = every_kind();
    const size_t bodies = b.bodies.size(), configurations = 50;
    const std::vector<UserState> states = random_states(b.view(), configurations, 0.6, 4);
    Evaluator evaluator(b.view(), evaluate_options(0.02));
    Contacts whole = evaluator.run(states);
    for (uint32_t batch : {1u, 7u, 49u, 50u}) {
        EXPECT_TRUE(same_contacts(whole, Evaluator(b.view(), evaluate_options(0.02, false, batch)).run(states)));
    }
    for (size_t i : {0u, 13u, 49u}) {
        const std::vector<UserState> one(states.begin() + long(i * bodies), states.begin() + long((i + 1) * bodies));
        Contacts alone = evaluator.run(one);
        ASSERT_EQ(alone.row_count, whole.first[i + 1] - whole.first[i]);
        for (size_t k = 0; k < alone.row_count; k++) {
            ClackContact row = alone.rows[k];
            row.configuration = uint32_t(i);
            EXPECT_TRUE(same_bits(&row, &whole.rows[whole.first[i] + k], sizeof row));
        }
    }
}

TEST(Evaluate, AHundredThousandConfigurations) {
    SceneBuilder b = two_balls();
    std::vector<UserState> states;
    const size_t count = 100000;
    for (size_t i = 0; i < count; i++) {
        // Every second one overlaps, by its own depth.
        const double gap = i % 2 == 0 ? 0.01 : -1e-3 * double(i) / double(count);
        for (const UserState &s : states_at({0, 0, 1}, {0.15 + gap, 0, 1})) states.push_back(s);
    }
    Contacts contacts = Evaluator(b.view()).run(states);
    ASSERT_EQ(contacts.row_count, count / 2);
    for (size_t k = 0; k < contacts.row_count; k++) {
        ASSERT_EQ(contacts.rows[k].configuration, 2 * k + 1);
        ASSERT_NEAR(contacts.rows[k].distance_m, -1e-3 * double(2 * k + 1) / double(count), 1e-16);
    }
}

TEST(Evaluate, NoConfigurationIsNoError) {
    SceneBuilder b = two_balls();
    Evaluator evaluator(b.view());
    Contacts contacts = evaluator.run({});
    EXPECT_EQ(evaluator.status, CLACK_OK);
    EXPECT_EQ(contacts.row_count, 0u);
}

// --- what is refused ------------------------------------------------------------------------------

TEST(Evaluate, StatesThatAreNoStates) {
    SceneBuilder b = two_balls();
    Evaluator evaluator(b.view());
    std::vector<UserState> states = states_at({0, 0, 1}, {1, 0, 1});
    states[2].velocity_m_per_s[1] = NAN;
    EXPECT_EQ(evaluator.run(states).rows, nullptr);
    EXPECT_EQ(evaluator.status, CLACK_CORRUPT);
    EXPECT_NE(evaluator.text.find("configuration 0, body 2: a number that is not finite"), std::string::npos);
    states[2].velocity_m_per_s[1] = 0;
    states[1].orientation[0] = 0;
    evaluator.run(states);
    EXPECT_EQ(evaluator.status, CLACK_CORRUPT);
    EXPECT_NE(evaluator.text.find("body 1: a quaternion of zero length"), std::string::npos) << evaluator.text;
}

TEST(Evaluate, OptionsThatAreRefused) {
    SceneBuilder b = two_balls();
    EvaluateOptions options = evaluate_options(0);
    options.scene = 1;
    EXPECT_EQ(Evaluator(b.view(), options).status, CLACK_USAGE);
    for (double margin : {-1.0, double(NAN), double(INFINITY)}) {
        EXPECT_EQ(Evaluator(b.view(), evaluate_options(margin)).status, CLACK_USAGE) << margin;
    }
    EXPECT_EQ(Evaluator(b.view(), evaluate_options(0, false, 0, "no such device")).status, CLACK_USAGE);
}

} // namespace
