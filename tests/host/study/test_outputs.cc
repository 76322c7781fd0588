// The section `outputs` of a study, from its text to values: quantities of events, faces, recorded contacts.
#include <cstdio>
#include <fstream>

#include "sample.h"
#include "scene_builder.h"

namespace {

struct Outputs { // a study read from text
    Study *study = nullptr;
    std::vector<std::string> lines; // of errors, "@" for the file
    explicit Outputs(const std::string &text) {
        const std::string path = testing::TempDir() + "clack_outputs_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
        std::ofstream(path, std::ios::binary) << text;
        StudyOptions options{};
        options.data_dir = CLACK_DATA_DIR;
        ClackReport report{};
        study_read(path.c_str(), &options, &study, &report);
        for (size_t i = 0; i < report.count; i++) {
            std::string line = report.lines[i];
            line.replace(0, path.size(), "@");
            lines.push_back(line);
        }
        clack_report_clear(&report);
        std::remove(path.c_str());
    }
    Outputs(const Outputs &) = delete;
    ~Outputs() { study_free(study); }

    Ran run() const {
        SceneDescription scene{};
        std::vector<double> parameters(study->parameter_count + 1);
        sample_parameters(study, 0, parameters.data());
        EXPECT_EQ(sample_scene(study, parameters.data(), &scene, nullptr), CLACK_OK);
        Ran ran = run_scenes(native_device(), {scene}, *study);
        scene_free(&scene);
        return ran;
    }
    // All quantities of scene 0, in the order of the file.
    std::vector<double> values(const Ran &ran) const {
        std::vector<double> out(study->quantity_count);
        quantity_evaluate(study, &ran.batch, &ran.result, nullptr, out.data(), nullptr);
        return out;
    }
};

std::string bouncing(const std::string &quantities, const std::string &more = "") {
    return "format: 1\nscene:\n  materials: {m: {young: 1.0e9, poisson: 0.3, density: 2000}}\n"
           "  pairs: [{between: [m, m], restitution: 0.5, friction: 0.0}]\n"
           "  bodies:\n"
           "    floor: {fixed: true, material: m, shapes: [{half_space: {}}]}\n"
           "    ball: {material: m, mass: 2, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, "
           "0.3]}\n"
           "    idle: {material: m, mass: 2, shapes: [{sphere: {diameter: 0.1}}], position: [5, 0, "
           "9]}\n"
           "solver: {end: 0.7}\noutputs:\n" +
           more + "  quantities:\n" + quantities;
}

TEST(Outputs, EventsFromEitherEnd) {
    const Outputs o(bouncing("    t1: {time_of: contact_begin, of: ball}\n"
                             "    z1: {position_of: contact_begin, component: z}\n"
                             "    v1: {speed_of: contact_begin, n: 1}\n"
                             "    u1: {speed_of: contact_end, n: 1}\n"
                             "    j1: {impulse_of: contact_end, between: [floor, ball]}\n"
                             "    e1: {energy_lost_of: contact_end}\n"
                             "    hits: {count: contact_begin}\n"
                             "    t_last: {time_of: contact_begin, n: last}\n"
                             "    t_same: {time_of: contact_begin, n: -1}\n"
                             "    t_before: {time_of: contact_begin, n: -2}\n"
                             "    t_second: {time_of: contact_begin, n: 2}\n"
                             "    t_none: {time_of: contact_begin, n: -9}\n"
                             "    t_idle: {time_of: contact_end, n: last, of: idle}\n"
                             "    j_max: {max: ball.impulse}\n"
                             "    j_pair: {max: impulse, between: [ball, floor]}\n"
                             "    j_idle: {max: idle.impulse}\n"
                             "    woken: {count: wake}\n"));
    ASSERT_TRUE(o.lines.empty()) << o.lines[0];
    const Ran ran = o.run();
    const auto v = o.values(ran);
    const auto begins = ran.events_of_kind(EVENT_BEGIN), ends = ran.events_of_kind(EVENT_END);
    ASSERT_GE(begins.size(), 2u);
    EXPECT_NEAR(v[0], std::sqrt(2 * 0.25 / 9.81), 1e-12);
    EXPECT_NEAR(v[1], 0, 1e-12);
    EXPECT_NEAR(v[2], std::sqrt(2 * 9.81 * 0.25), 1e-11);
    // Momentum and energy between begin and end: gravity acts as well, and both are at one height.
    const double dt = ends[0].time_s - begins[0].time_s;
    EXPECT_NEAR(v[4] / (2 * (v[2] + v[3]) + 2 * 9.81 * dt), 1, 1e-10);
    EXPECT_NEAR(v[5] / (v[2] * v[2] - v[3] * v[3]), 1, 2e-5); // its sum has the substeps' error
    EXPECT_EQ(v[6], begins.size());
    EXPECT_EQ(v[7], begins.back().time_s);
    EXPECT_EQ(v[8], v[7]);
    EXPECT_EQ(v[9], begins[begins.size() - 2].time_s);
    EXPECT_EQ(v[10], begins[1].time_s);
    EXPECT_TRUE(std::isnan(v[11]));
    EXPECT_TRUE(std::isnan(v[12]));
    EXPECT_EQ(v[13], v[4]) << "the first impact is the hardest";
    EXPECT_EQ(v[14], v[4]);
    EXPECT_TRUE(std::isnan(v[15]));
    EXPECT_EQ(v[16], 0);
    EXPECT_STREQ(o.study->quantities[9].text, "time of contact begin number 2 from the last");
    EXPECT_STREQ(o.study->quantities[4].unit, "N s");
}

TEST(Outputs, WhatIsWatchedFromTheText) {
    const Outputs o(bouncing("    z: {value: ball.position.z, at: 0.1}\n"
                             "    v: {value: ball.velocity.z, at: first_contact_begin}\n"
                             "    mean: {mean: idle.position.z, after: 0.2}\n"
                             "    f: {max: ball.contact_force}\n"
                             "    f_pair: {max: contact_force, between: [floor, ball], after: 0.0}\n"
                             "    f_late: {max: ball.contact_force, after: 0.3}\n"
                             "    depth: {max: penetration, between: [ball, floor]}\n"
                             "    slow: {min: idle.speed, after: 0.25}\n"
                             "    w: {final: idle.orientation.w}\n"
                             "    energy: {final: idle.kinetic_energy}\n"
                             "    unopened: {mean: idle.speed, after: first_contact_end}\n"));
    ASSERT_TRUE(o.lines.empty()) << o.lines[0];
    const Ran ran = o.run();
    const auto v = o.values(ran);
    EXPECT_NEAR(v[0], 0.3 - 9.81 * 0.01 / 2, 1e-15);
    EXPECT_NEAR(v[1], -std::sqrt(2 * 9.81 * 0.25), 1e-11);
    EXPECT_NEAR(v[2], 9 - 9.81 * (0.7 * 0.7 * 0.7 - 0.008) / 6 / 0.5, 1e-13);
    EXPECT_EQ(v[3], v[4]);
    EXPECT_LT(v[5], 0.8 * v[3]);
    EXPECT_GT(v[5], 0.1 * v[3]);
    EXPECT_EQ(v[6], ran.progress().max_penetration_m);
    EXPECT_NEAR(v[7], 9.81 * 0.25, 1e-14);
    EXPECT_EQ(v[8], 1);
    EXPECT_NEAR(v[9], 9.81 * 0.7 * 9.81 * 0.7, 1e-12);
    EXPECT_TRUE(std::isnan(v[10]));
    EXPECT_STREQ(o.study->quantities[3].unit, "N");
    EXPECT_STREQ(o.study->quantities[4].text, "largest contact_force of floor and ball after 0 s");
    EXPECT_STREQ(o.study->quantities[2].text, "mean over time of idle.position.z after 0.2 s");
}

TEST(Outputs, NetForcesFromTheText) {
    const Outputs o(bouncing("    size: {max: ball.net_force}\n"
                             "    up: {max: ball.net_force.z}\n"
                             "    on_ball: {max: net_force.z, between: [floor, ball], after: 0.0}\n"
                             "    on_floor: {min: net_force.z, between: [ball, floor]}\n"
                             "    floor: {min: floor.net_force.z}\n"
                             "    mean: {mean: net_force.z, between: [floor, ball]}\n"
                             "    idle: {max: idle.net_force}\n"
                             "    then: {value: net_force, between: [floor, ball], at: 0.1}\n"
                             "    force: {max: ball.contact_force}\n"
                             "    begin: {value: ball.net_force.z, at: first_contact_begin}\n"));
    ASSERT_TRUE(o.lines.empty()) << o.lines[0];
    const std::vector<double> v = o.values(o.run());
    EXPECT_GE(v[0], v[8]);
    EXPECT_NEAR(v[1], v[8], 1e-9 * v[8]);
    EXPECT_EQ(v[2], v[1]);
    EXPECT_EQ(v[3], -v[1]);
    EXPECT_EQ(v[4], -v[1]);
    EXPECT_GT(v[5], 0);
    EXPECT_EQ(v[6], 0) << "it touches nothing";
    EXPECT_EQ(v[7], 0) << "nor does the ball by then";
    EXPECT_GE(v[9], 0);
    EXPECT_LT(v[9], 1e-3 * v[8]);
    EXPECT_STREQ(o.study->quantities[2].unit, "N");
    EXPECT_STREQ(o.study->quantities[2].text, "largest net_force.z on ball by floor after 0 s");
    EXPECT_STREQ(o.study->quantities[0].text, "largest ball.net_force");
    EXPECT_STREQ(o.study->quantities[5].text, "mean over time of net_force.z on ball by floor");
    EXPECT_STREQ(o.study->quantities[7].text, "net_force on ball by floor at 0.1 s");
}

std::string die(const std::string &rotation, const std::string &quantity, const std::string &gravity = "") {
    return "format: 1\nscene:\n" + gravity +
           "  bodies:\n"
           "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
           "    die: {material: steel, shapes: [{box: {lengths: [0.1, 0.1, 0.1]}}], position: [0, "
           "0, 1],\n"
           "          rotation: " +
           rotation +
           "}\n"
           "solver: {end: 0.01}\noutputs:\n  quantities:\n    up: " +
           quantity + "\n";
}

// Each face up in turn, tilted a little.
TEST(Outputs, FaceUpOfADie) {
    const double q = M_PI / 2, tilt = 0.3;
    const struct {
        std::string axis;
        double angle;
        int face; // +x -x +y -y +z -z
    } cases[] = {{"[0, 1, 0]", -q, 1}, {"[0, 1, 0]", q, 2},   {"[1, 0, 0]", q, 3},
                 {"[1, 0, 0]", -q, 4}, {"[0, 0, 1]", 1.0, 5}, {"[1, 0, 0]", 2 * q, 6}};
    for (const auto &c : cases) {
        for (double off : {-tilt, 0.0, tilt}) {
            const double angle = c.face == 5 ? c.angle : c.angle + off;
            char rotation[128];
            std::snprintf(rotation, sizeof rotation, "{axis: %s, angle: %.17g}", c.axis.c_str(), angle);
            const Outputs plain(die(rotation, "{face_up: die}"));
            ASSERT_TRUE(plain.lines.empty()) << plain.lines[0];
            EXPECT_EQ(plain.values(plain.run())[0], c.face);
            const Outputs mapped(die(rotation, "{face_up: die, faces: {\"+x\": 10, \"-x\": 20, "
                                               "\"+y\": 30, \"-y\": 40, \"+z\": 50, "
                                               "\"-z\": 60}}"));
            ASSERT_TRUE(mapped.lines.empty()) << mapped.lines[0];
            EXPECT_EQ(mapped.values(mapped.run())[0], 10 * c.face);
            const Outputs cosine(die(rotation, "{face_up_cosine: die}"));
            EXPECT_NEAR(cosine.values(cosine.run())[0], c.face == 5 ? 1 : std::cos(off), 1e-14);
        }
    }
}

TEST(Outputs, FaceUpOfDirectionsAndOfOtherGravity) {
    const std::string turn = "{axis: [0, 1, 0], angle: 0.7}"; // body x dips, body z leans to +x
    const Outputs directions(die(turn, "{face_up: die, directions: [[0, 3, 0], [2, 0, 2], [0, 0, -1], [2, 0, 2]]}"));
    ASSERT_TRUE(directions.lines.empty()) << directions.lines[0];
    EXPECT_EQ(directions.values(directions.run())[0], 2) << "the first of two alike";
    const Outputs sideways(die(turn, "{face_up: die}", "  gravity: [-3, 0, 0]\n"));
    EXPECT_EQ(sideways.values(sideways.run())[0], 1) << "up is +x";
    const Outputs weightless(die(turn, "{face_up: die}", "  gravity: [0, 0, 0]\n"));
    EXPECT_TRUE(std::isnan(weightless.values(weightless.run())[0]));
}

TEST(Outputs, ContactsAtTheirOwnTimesOrThoseOfTheTrajectory) {
    const Outputs own(bouncing("    hits: {count: contact_begin}\n", "  contacts: {every: 0.01}\n"));
    ASSERT_TRUE(own.lines.empty()) << own.lines[0];
    EXPECT_EQ(own.study->contacts_every_s, 0.01);
    EXPECT_EQ(own.study->contact_scenes, 1u);
    const Outputs same(
        bouncing("    hits: {count: contact_begin}\n", "  contacts: true\n  trajectory: {every: 0.02, scenes: 1}\n"));
    ASSERT_TRUE(same.lines.empty()) << same.lines[0];
    EXPECT_EQ(same.study->contacts_every_s, 0.02);
    EXPECT_EQ(same.study->contact_scenes, 1u);
    const Outputs off(bouncing("    hits: {count: contact_begin}\n", "  contacts: false\n"));
    EXPECT_EQ(off.study->contacts_every_s, 0);
    const Outputs wrong(bouncing("    hits: {count: contact_begin}\n", "  contacts: true\n"));
    EXPECT_EQ(wrong.lines,
              (std::vector<std::string>{"@:11:13: outputs.contacts: expected {every: s} (there is no trajectory "
                                        "whose times could be used), found true"}));
}

TEST(Outputs, WrongQuantitiesAreTold) {
    const Outputs o(bouncing("    a: {value: ball.position.z}\n"
                             "    b: {value: ball.penetration, at: 1}\n"
                             "    c: {max: ball.contact_force, between: [ball, floor]}\n"
                             "    d: {max: contact_force, between: [ball, floor], after: first_contact_end}\n"
                             "    e: {impulse_of: contact_begin}\n"
                             "    f: {time_of: contact_begin, n: 0}\n"
                             "    g: {time_of: wake, between: [ball, floor]}\n"
                             "    h: {position_of: rest, of: ball}\n"
                             "    i: {face_up: ball}\n"
                             "    j: {face_up: ball, directions: [[0, 0, 0]]}\n"
                             "    k: {mean: ball.speed, after: -1}\n"
                             "    l: {max: ball.impulse, after: 1}\n"
                             "    m: {mean: ball.speed, n: 2}\n"));
    const std::vector<std::string> expected = {
        R"(@:12:8: outputs.quantities.a: expected the key "at" (a time in s, or an event), found none)",
        R"(@:13:16: outputs.quantities.b.value: expected a position or a velocity, found "ball.penetration": )"
        R"(penetration has a max only)",
        R"(@:14:14: outputs.quantities.c.max: expected penetration, overlap, contact_force, net_force, )"
        R"(net_force.x|y|z or impulse (beside between or materials), found "ball.contact_force")",
        R"(@:15:60: outputs.quantities.d.after: expected start or a time beside "between", found "first_contact_end")",
        R"(@:16:21: outputs.quantities.e.impulse_of: expected contact_end, found "contact_begin", did you mean )"
        R"("contact_end"?)",
        R"(@:17:36: outputs.quantities.f.n: expected a whole number (-1: the last, -2: the one before) or )"
        R"(last, found 0)",
        R"(@:18:33: outputs.quantities.g.between: expected "of", found "between": rest and wake are of one body)",
        R"(@:19:8: outputs.quantities.h: expected the key "component" (x, y or z), found none)",
        R"(@:20:18: outputs.quantities.i.face_up: expected "directions" or "faces" beside it, since ball is )"
        R"(not one box along its axes, found neither)",
        R"(@:21:37: outputs.quantities.j.directions[0]: expected a direction, found a zero vector)",
        R"(@:22:34: outputs.quantities.k.after: expected a number >= 0, found -1)",
        R"(@:23:14: outputs.quantities.l.max: expected no "after" beside an impulse, found one)",
        R"(@:24:27: outputs.quantities.m: unknown key "n", expected mean, after, between or materials)"};
    EXPECT_EQ(o.lines, expected);
}

} // namespace
