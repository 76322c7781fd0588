// Many bodies from one: `count` and `one_of`. Who is there, what is drawn, the same bits as without the absent,
// records.
#include <hdf5.h>
#include <hdf5_hl.h>

#include <cstring>

#include "clack.h"
#include "batch_rows.h"
#include "quantity.h"
#include "stage.h"
#include "stepper.h"
#include "study_fixture.h"

namespace {

using CopiesTest = StudyFixture;
const std::string floor_body = "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n";

std::string study_of(const std::string &variables, const std::string &bodies,
                     const std::string &end = "design: {monte_carlo: {samples: 100}}\n") {
    return "format: 1\nvariables: " + variables + "\nscene:\n  bodies:\n" + bodies + "solver: {end: 0.1}\n" + end;
}

TEST_F(CopiesTest, ACountMakesBodiesWithTheirOwnDraws) {
    ASSERT_TRUE(
        read_text(study_of("{z: {uniform: [1, 2]}}",
                           "    ball:\n      count: 12\n      material: steel\n      shapes: [{sphere: {diameter: "
                           "{uniform: [\"=0.01*number\", \"=0.01*number + 0.005\"]}}}]\n"
                           "      position: [\"=0.5*(number - 1)\", 0, $z]\n")))
        << told;
    const SceneDescription &scene = study->scene;
    ASSERT_EQ(scene.body_count, 12u);
    EXPECT_EQ(study->parameter_count, 13u);
    EXPECT_EQ(study->presence_count, 0u);
    for (uint32_t i = 0; i < 12; i++) {
        const std::string name = "ball_" + std::to_string(i + 1);
        EXPECT_EQ(scene.bodies[i].name, name);
        EXPECT_EQ(scene.bodies[i].position_m[0], 0.5 * i);
        const size_t at = parameter("scene.bodies." + name + ".shapes[0].sphere.diameter");
        EXPECT_EQ(at, i + 1u);
        EXPECT_EQ(study->parameters[at].distribution.a, 0.01 * (i + 1));
    }
    const std::vector<double> v = values(3);
    SceneDescription made = {};
    ASSERT_EQ(sample_scene(study, v.data(), &made, nullptr), CLACK_OK);
    for (uint32_t i = 0; i < 12; i++) {
        EXPECT_EQ(made.bodies[i].position_m[2], v[0]); // variables are shared
        EXPECT_EQ(made.shapes[i].size_m[0], v[i + 1]);
        EXPECT_EQ(made.bodies[i].is_absent, 0u);
    }
    scene_free(&made);
}

const std::string some_balls =
    floor_body + "    ball: {count: $n, material: steel, shapes: [{sphere: {diameter: 0.1}}], position: "
                 "[\"=0.3*number\", 0, 0.2], velocity: [1, 0, 0]}\n"
                 "    thing:\n      position: [-1, 0, 0.2]\n      one_of:\n"
                 "        - {material: steel, shapes: [{box: {lengths: [0.1, 0.1, 0.1]}}]}\n"
                 "        - {material: dry_wood, contact_material: steel, shapes: [{sphere: {diameter: 0.1}}]}\n"
                 "      weights: [1, 3]\n";

TEST_F(CopiesTest, ScenesHaveTheBodiesThatWereDrawn) {
    ASSERT_TRUE(read_text(study_of("{n: {integer: [0, 4]}}", some_balls, "design: {monte_carlo: {samples: 20000}}\n")))
        << told;
    ASSERT_EQ(study->scene.body_count, 7u);
    EXPECT_STREQ(study->parameters[1].name, "scene.bodies.thing.one_of");
    double counts[5] = {0}, choices[2] = {0};
    for (uint64_t scene = 0; scene < 20000; scene++) {
        const std::vector<double> v = values(scene);
        SceneDescription made = {};
        ASSERT_EQ(sample_scene(study, v.data(), &made, nullptr), CLACK_OK);
        uint32_t balls = 0;
        for (uint32_t i = 1; i <= 4; i++) {
            balls += made.bodies[i].is_absent == 0;
            EXPECT_EQ(made.bodies[i].is_absent, i > v[0]);
            EXPECT_EQ(made.bodies[i].velocity_m_per_s[0], i > v[0] ? 0 : 1);
        }
        EXPECT_EQ(made.bodies[5].is_absent, v[1] != 1);
        EXPECT_EQ(made.bodies[6].is_absent, v[1] != 2);
        counts[balls]++;
        choices[v[1] == 1 ? 0 : 1]++;
        scene_free(&made);
    }
    double chi = 0;
    for (const double count : counts) chi += std::pow(count - 4000, 2) / 4000;
    EXPECT_LT(chi, 18.5); // 4 degrees of freedom: probability 1e-3
    EXPECT_NEAR(choices[0], 5000, 3.3 * std::sqrt(20000 * 0.25 * 0.75));
}

TEST_F(CopiesTest, ACountMayHaveAlternatives) {
    ASSERT_TRUE(read_text(
        study_of("{n: {discrete: [1, 2]}}",
                 "    ball:\n      count: \"=n + 0\"\n      material: steel\n      position: [$n, \"=number\", 0]\n"
                 "      one_of: [{shapes: [{sphere: {diameter: 0.1}}]}, {shapes: [{sphere: {diameter: 0.2}}]}]\n",
                 "design: {grid: {}}\n")))
        << told;
    const char *names[] = {"ball_1_1", "ball_1_2", "ball_2_1", "ball_2_2"};
    ASSERT_EQ(study->scene.body_count, 4u);
    EXPECT_EQ(study->design.scene_count, 8u); // 2 counts, 2 choices of each of 2 bodies
    for (int i = 0; i < 4; i++) EXPECT_STREQ(study->scene.bodies[i].name, names[i]);
    EXPECT_EQ(study->scene.bodies[3].position_m[1], 2);
    for (uint64_t scene = 0; scene < 8; scene++) {
        const std::vector<double> v = values(scene);
        SceneDescription made = {};
        ASSERT_EQ(sample_scene(study, v.data(), &made, nullptr), CLACK_OK);
        int present = 0;
        for (int i = 0; i < 4; i++) present += made.bodies[i].is_absent == 0;
        EXPECT_EQ(present, v[parameter("n")]);
        scene_free(&made);
    }
}

// --- bits -------------------------------------------------------------------------------------------

struct Outcome {
    std::vector<UserState> states; // of the bodies that are there
    std::vector<Event> events;     // body numbers counted among them
    Progress progress;
};

void keep(void *context, const ClackBatch *given) {
    const Batch *batch = batch_rows_behind(given)->batch;
    const BatchResult *result = batch_rows_behind(given)->result;
    auto *outcomes = static_cast<std::vector<Outcome> *>(context);
    for (uint32_t s = 0; s < batch->scene_count; s++) {
        Outcome outcome = {};
        const Scene &scene = batch->scenes[s];
        std::vector<uint32_t> rank;
        for (uint32_t b = scene.body_first; b < scene.body_first + scene.body_count; b++) {
            rank.push_back(uint32_t(outcome.states.size()));
            if (!(batch->bodies[b].flags & BODY_ABSENT))
                outcome.states.push_back(stage_user_state(&batch->bodies[b], &result->states[b]));
        }
        EXPECT_EQ(scene.absent_count, scene.body_count - outcome.states.size());
        for (size_t e = 0; e < result->event_count; e++) {
            if (result->event_scene[e] != s) continue;
            Event event = result->events[e];
            EXPECT_FALSE(batch->bodies[scene.body_first + event.body_a].flags & BODY_ABSENT);
            event.body_a = rank[event.body_a];
            event.body_b = rank[event.body_b];
            event.shape_a = event.shape_b = 0;
            outcome.events.push_back(event);
        }
        outcome.progress = result->progress[s];
        outcomes->push_back(outcome);
    }
}

std::vector<Outcome> run(const Study *study) {
    std::vector<Outcome> outcomes;
    ClackDeviceOptions device = CLACK_SIZED(ClackDeviceOptions);
    ClackRunOptions options = CLACK_SIZED(ClackRunOptions);
    options.no_file = 1;
    device.choice = "native";
    options.device = &device;
    options.on_batch = keep;
    options.batch_context = &outcomes;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    ClackReport report = {};
    EXPECT_EQ(clack_run(study, &options, &summary, &report), CLACK_OK) << (report.count ? report.lines[0] : "");
    clack_report_clear(&report);
    return outcomes;
}

// Spheres that fly into each other over a floor; the body after the absent ones has a higher number.
TEST_F(CopiesTest, AbsentBodiesChangeNoBit) {
    const std::string ball = "material: steel, shapes: [{sphere: {diameter: 0.1}}], rotation: {cardan: "
                             "[0, 1, 0]}, angular_velocity: [1, 2, 3], velocity: [0, 0.1, 0], position: ";
    const std::string last = "    last: {material: steel, shapes: [{capsule: {diameter: 0.06, length: "
                             "0.1}}], position: [0.1, 0.05, 0.65], velocity: [0, 0, -2]}\n";
    const std::string end = "design: {grid: {}}\n";
    ASSERT_TRUE(
        read_text(study_of("{n: {integer: [1, 3]}}",
                           floor_body +
                               "    thing:\n      position: [0.12, 0, 0.351]\n      one_of:\n        - {material: "
                               "steel, shapes: [{sphere: {diameter: 0.1}}]}\n        - {material: dry_wood, "
                               "contact_material: steel, shapes: [{box: {lengths: [0.1, 0.1, 0.1]}}]}\n"
                               "    ball: {count: $n, " +
                               ball + "[\"=0.101*(number - 1)\", 0, \"=0.42 + 0.05*number\"]}\n" + last,
                           end)))
        << told;
    const std::vector<Outcome> all = run(study);
    ASSERT_EQ(all.size(), 6u); // n varies slowest
    for (int n = 1; n <= 3; n++)
        for (int choice = 1; choice <= 2; choice++) {
            std::string bodies =
                floor_body + (choice == 1 ? "    thing: {position: [0.12, 0, 0.351], material: steel, shapes: "
                                            "[{sphere: {diameter: 0.1}}]}\n"
                                          : "    thing: {position: [0.12, 0, 0.351], material: dry_wood, "
                                            "contact_material: steel, shapes: [{box: {lengths: [0.1, 0.1, "
                                            "0.1]}}]}\n");
            for (int i = 1; i <= n; i++)
                bodies += "    ball" + std::to_string(i) + ": {" + ball + "[\"=0.101*(" + std::to_string(i) +
                          " - 1)\", 0, \"=0.42 + 0.05*" + std::to_string(i) + "\"]}\n";
            ASSERT_TRUE(read_text(study_of("{}", bodies + last, ""))) << told;
            const Outcome alone = run(study)[0], &with = all[size_t(2 * (n - 1) + choice - 1)];
            ASSERT_EQ(alone.states.size(), size_t(n + 3));
            ASSERT_EQ(with.states.size(), alone.states.size());
            EXPECT_EQ(std::memcmp(with.states.data(), alone.states.data(), alone.states.size() * sizeof(UserState)), 0)
                << n << " " << choice;
            ASSERT_EQ(with.events.size(), alone.events.size());
            for (size_t e = 0; e < alone.events.size(); e++) {
                Event event = alone.events[e];
                event.shape_a = event.shape_b = 0;
                EXPECT_EQ(std::memcmp(&with.events[e], &event, sizeof event), 0);
            }
            EXPECT_GT(alone.events.size(), 1u) << "they should touch";
            EXPECT_EQ(with.progress.substeps, alone.progress.substeps);
            EXPECT_EQ(with.progress.energy_drift, alone.progress.energy_drift);
            EXPECT_EQ(with.progress.dissipated_J, alone.progress.dissipated_J);
        }
}

// --- records ----------------------------------------------------------------------------------------

std::vector<double> dataset(hid_t file, const char *name, size_t count) {
    std::vector<double> out(count);
    EXPECT_GE(H5LTread_dataset_double(file, name, out.data()), 0) << name;
    return out;
}

TEST_F(CopiesTest, TheFileSaysWhoIsThere) {
    const std::string quantities =
        "outputs: {trajectory: {every: 0.05}, quantities: {final: {final: ball_3.position.z}, highest: {max: "
        "ball_3.position.z}, rest: {time_of: rest, of: ball_3}, hits: {count: contact_begin, of: ball_3}}}\n";
    ASSERT_TRUE(read_text(study_of("{n: {integer: [0, 4]}}", some_balls, "design: {grid: {}}\n" + quantities))) << told;
    const std::string file_path = testing::TempDir() + "clack_copies.h5";
    ClackDeviceOptions device = CLACK_SIZED(ClackDeviceOptions);
    ClackRunOptions options = CLACK_SIZED(ClackRunOptions);
    options.output_path = file_path.c_str();
    device.choice = "native";
    options.device = &device;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    ASSERT_EQ(clack_run(study, &options, &summary, nullptr), CLACK_OK);
    const hid_t file = H5Fopen(file_path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    const std::vector<double> present = dataset(file, "n_bodies", 10), n = dataset(file, "parameters/n", 10);
    const std::vector<double> choice = dataset(file, "parameters/scene.bodies.thing.one_of", 10);
    const std::vector<double> last = dataset(file, "final", 10), highest = dataset(file, "highest", 10);
    const std::vector<double> hits = dataset(file, "hits", 10);
    const std::vector<double> frames = dataset(file, "trajectory/position", 10 * 3 * 7 * 3);
    H5Fclose(file);
    std::remove(file_path.c_str());
    for (size_t scene = 0; scene < 10; scene++) {
        EXPECT_EQ(present[scene], 2 + n[scene]); // floor, one thing, n balls
        EXPECT_EQ(std::isnan(last[scene]), n[scene] < 3);
        EXPECT_EQ(std::isnan(highest[scene]), n[scene] < 3);
        EXPECT_EQ(hits[scene], 0);
        for (size_t frame = 0; frame < 3; frame++)
            for (size_t body = 0; body < 7; body++) {
                const bool is_there = body == 0 || (body <= 4 && double(body) <= n[scene]) ||
                                      (body > 4 && double(body) - 4 == choice[scene]);
                EXPECT_EQ(!std::isnan(frames[((scene * 3 + frame) * 7 + body) * 3]), is_there);
            }
    }
}

// --- mistakes ---------------------------------------------------------------------------------------

TEST_F(CopiesTest, MistakesAreTold) {
    const std::string ball = "material: steel, shapes: [{sphere: {diameter: 0.1}}]";
    const auto wrong = [&](const std::string &variables, const std::string &body) {
        EXPECT_FALSE(read_text(study_of(variables, "    b: {" + body + "}\n")));
        return told;
    };
    EXPECT_EQ(wrong("{}", "count: 1.5, " + ball),
              "@:5:16: scene.bodies.b.count: expected a whole number from 0 to 4096 or an integer "
              "distribution, found other numbers\n");
    EXPECT_EQ(wrong("{}", "count: 0, " + ball),
              "@:5:16: scene.bodies.b.count: expected at least 1 body and at most 4096 in some scene, found 0\n");
    EXPECT_EQ(wrong("{}", "count: 5000, " + ball),
              "@:5:16: scene.bodies.b.count: expected a whole number from 0 to 4096, found 5000\n");
    EXPECT_EQ(wrong("{n: {uniform: [1, 2]}}", "count: $n, " + ball),
              "@:5:16: scene.bodies.b.count: expected a whole number from 0 to 4096 or an integer "
              "distribution, found other numbers\n");
    EXPECT_EQ(wrong("{n: {uniform: [1, 3]}}", "count: =n, " + ball)
                  .find("@:5:16: scene.bodies.b.count: scene 0: expected a whole number from 0 to 4096, found "),
              0u)
        << told;
    // Once for all copies.
    EXPECT_EQ(wrong("{}", "count: 3, mass: -1, " + ball),
              "@:5:25: scene.bodies.b_1.mass: expected a number > 0, found -1\n");
    EXPECT_EQ(wrong("{}", "count: 3, mass: \"=2 - number\", " + ball),
              "@:5:26: scene.bodies.b_2.mass: expected a number > 0, found 0\n");
    EXPECT_EQ(wrong("{}", "one_of: [], " + ball),
              "@:5:17: scene.bodies.b.one_of: expected a list of at least one map of keys of a body, found a "
              "list of 0\n");
    EXPECT_EQ(wrong("{}", "one_of: [{mass: 1}, {mass: 2}], weights: [1], " + ball),
              "@:5:50: scene.bodies.b.weights: expected a list of 2 weights, one for each value, found a list of "
              "1\n");
    EXPECT_EQ(wrong("{}", "one_of: [{mass: 1, material: steel}, 3], " + ball),
              "@:5:38: scene.bodies.b.one_of[0].material: expected a key that the body itself does not have, "
              "found \"material\"\n@:5:46: scene.bodies.b.one_of[1]: expected a map of keys of a body, found 3\n");
    EXPECT_EQ(wrong("{}", "weights: [1], " + ball),
              "@:5:18: scene.bodies.b.weights: expected \"weights\" beside \"one_of\" only\n");
    EXPECT_EQ(wrong("{}", "count: 2, " + ball + "}\n    b_2: {" + ball),
              "@:5:8: scene.bodies.b_2: expected a name of its own, found that of another body\n");
    // The alternatives of one body never meet: no pair is asked for.
    EXPECT_TRUE(read_text(study_of("{}", "    b:\n      one_of:\n        - {material: aluminium, shapes: [{sphere: "
                                         "{diameter: 0.1}}]}\n        - {material: steel, shapes: [{sphere: "
                                         "{diameter: 0.1}}]}\n")))
        << told;
}

} // namespace
