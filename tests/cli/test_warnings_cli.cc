// Warnings: what a study may say and hardly means. Angles beyond a turn, bodies that start deep in one another; where
// they are told, and that they are no errors. Options and tables of the program that people stumbled over.
#include "clack.h"
#include "cli_fixture.h"
#include "study_fixture.h"

namespace {

using Warnings = StudyFixture;

std::string ball(const std::string &rotation) {
    return "shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 1], rotation: " + rotation;
}

std::string warning(const std::string &place, const std::string &key, const std::string &angle) {
    return "@:" + place + ": scene.bodies.ball.rotation." + key + ": warning: " + angle +
           " rad is more than a turn; angles are in radians: 30 degrees are \"=30*pi/180\"\n";
}

size_t count_of(const std::string &text, const std::string &word) {
    size_t count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) count++;
    return count;
}

TEST_F(Warnings, AnglesBeyondATurnAreToldAndNoError) {
    EXPECT_TRUE(read("{}", ball("{axis: [0, 0, 1], angle: 30}")));
    EXPECT_NE(told.find(": scene.bodies.ball.rotation.angle: warning: 30 rad is more than a turn"), std::string::npos)
        << told;
    EXPECT_TRUE(read("{}", ball("{cardan: [90, 0, -45]}")));
    EXPECT_EQ(count_of(told, "warning: "), 2u) << told;
    EXPECT_NE(told.find("rotation.cardan[0]: warning: 90 rad"), std::string::npos) << told;
    EXPECT_NE(told.find("rotation.cardan[2]: warning: 45 rad"), std::string::npos) << told;
}

TEST_F(Warnings, AnglesOfUpToATurnAreNot) {
    for (const char *angle : {"6.2831853", "6.283185307179586", "-6.28", "\"=2*pi\"", "\"=360*pi/180\"", "0"}) {
        EXPECT_TRUE(read("{}", ball(std::string("{axis: [0, 0, 1], angle: ") + angle + "}")));
        EXPECT_EQ(told, "") << angle;
    }
    // The turns of spinning bodies are no angles.
    EXPECT_TRUE(read("{}", "shapes: [{sphere: {diameter: 0.1}}], angular_velocity: [0, 0, 300]"));
    EXPECT_EQ(told, "");
}

TEST_F(Warnings, OfDistributionsWhatTheyCanReachCountsAndOfArithmeticItsMedian) {
    EXPECT_TRUE(read("{a: {uniform: [-180, 180]}}", ball("{cardan: [$a, 0, 0]}")));
    EXPECT_NE(told.find("rotation.cardan[0]: warning: 180 rad"), std::string::npos) << told;
    EXPECT_TRUE(read("{a: {normal: {mean: 20, sd: 1}}}", ball("{cardan: [0, $a, 0]}")));
    EXPECT_NE(told.find("rotation.cardan[1]: warning: 20 rad"), std::string::npos) << told;
    EXPECT_TRUE(read("{a: {normal: {mean: 0, sd: 1}}}", ball("{cardan: [0, $a, 0]}"))); // has no ends
    EXPECT_EQ(told, "");
    EXPECT_TRUE(read("{a: {uniform: [0, 360]}}", ball("{cardan: [0, 0, \"=a*pi/180\"]}")));
    EXPECT_EQ(told, "");
    EXPECT_TRUE(read("{a: {uniform: [0, 360]}}", ball("{cardan: [0, 0, \"=a/2\"]}")));
    EXPECT_NE(told.find("rotation.cardan[2]: warning: 90 rad"), std::string::npos) << told;
}

TEST_F(Warnings, ManyBodiesFromOneAreToldOnce) {
    EXPECT_TRUE(read("{}", "count: 5, " + ball("{cardan: [90, 0, 0]}")));
    EXPECT_EQ(count_of(told, "warning: "), 1u) << told;
}

TEST_F(Warnings, StandBesideErrorsInTheOrderOfTheFile) {
    EXPECT_FALSE(
        read_text("format: 1\nscene:\n  bodies:\n"
                  "    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], rotation: {cardan: [90, 0, 0]}}\n"
                  "solver: {end: x}\n"));
    EXPECT_EQ(told, warning("4:86", "cardan[0]", "90") +
                        "@:5:15: solver.end: expected a number > 0 or a distribution, found \"x\"\n");
}

// --- how scenes start ---------------------------------------------------------------------------------

class Starts : public StudyFixture {
  protected:
    std::string check(uint64_t scene = 0) {
        ClackReport report = {};
        std::string lines;
        EXPECT_EQ(clack_study_check_start(study, scene, &report), CLACK_OK);
        EXPECT_EQ(report.status, CLACK_OK);
        for (size_t i = 0; i < report.count; i++) {
            EXPECT_TRUE(report.places[i].is_warning);
            lines += std::string(report.lines[i]) + "\n";
        }
        clack_report_clear(&report);
        return lines;
    }
    // A ball of radius 0.1 m at this height over the ground.
    void read_ball(const std::string &height, const std::string &more = "") {
        ASSERT_TRUE(
            read_text("format: 1\nvariables: {h: {discrete: [0.05, 0.5]}}\ndesign: {grid: {levels: {h: 2}}}\nscene:\n"
                      "  bodies:\n    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
                      "    ball: {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [0, 0, " +
                      height + "]}\n" + more + "solver: {end: 0.1}\n"))
            << told;
    }
};

// Deeper than a tenth of the radius of 0.1 m, as the flag deep_start.
TEST_F(Starts, DeepInTheGroundIsToldWithTheDepth) {
    read_ball("0.0899");
    const std::string line = check();
    EXPECT_EQ(line.substr(line.find(".yaml:") + 5), ":7:5: scene.bodies.ball: warning: scene 0 starts with ground and "
                                                    "ball 0.0101 m deep in each other, more than a "
                                                    "tenth of the smaller shape\n");
    read_ball("0.0901");
    EXPECT_EQ(check(), "");
    read_ball("0");
    EXPECT_NE(check().find("ball 0.1 m deep"), std::string::npos);
    read_ball("0.1");
    EXPECT_EQ(check(), "");
}

// Where surfaces meet in regions the same is told by these.
TEST_F(Starts, RegionsCount) {
    auto read = [&](const std::string &height) {
        ASSERT_TRUE(
            read_text("format: 1\nscene:\n  bodies:\n    ground: {fixed: true, material: steel, shapes: "
                      "[{half_space: {}}]}\n    block: {material: steel, shapes: [{box: {lengths: [0.2, 0.2, 0.2]}}], "
                      "position: [0, 0, " +
                      height + "]}\nsolver: {method: trapezoidal, step: 0.001, end: 0.1}\n"))
            << told;
    };
    read("0.08");
    EXPECT_NE(check().find("block 0.02 m deep"), std::string::npos);
    read("0.099");
    EXPECT_EQ(check(), "");
}

TEST_F(Starts, OfEverySceneItsOwn) {
    read_ball("$h");
    EXPECT_NE(check(0).find("scene 0 starts with ground and ball 0.05 m"), std::string::npos);
    EXPECT_EQ(check(1), "");
    ClackReport report = {};
    EXPECT_EQ(clack_study_check_start(study, 2, &report), CLACK_USAGE);
    clack_report_clear(&report);
}

// Edges that are rounded by less than a layer gives way lose their contact there.
TEST_F(Starts, LayersThickerThanEdgesAreRoundAreTold) {
    const auto read_boxes = [&](const std::string &smoothing, const std::string &layer) {
        ASSERT_TRUE(read_text("format: 1\nscene:\n"
                              "  materials: {m: {young: 1.0e+7, poisson: 0.4, density: 1000}}\n"
                              "  pairs: [{between: [m, m], friction: 0.5, layer: " +
                              layer +
                              "}]\n  bodies:\n    ground: {fixed: true, material: m, shapes: [{half_space: {}}]}\n"
                              "    box: {count: 3, material: m, position: [0, 0, \"=number\"],\n"
                              "          shapes: [{box: {lengths: [0.1, 0.1, 0.1], smoothing: " +
                              smoothing + "}}]}\nsolver: {method: quasi_rigid, end: 0.1}\n"))
            << told;
    };
    read_boxes("0.002", "{stiffness: 1.0e+4, thickness: 0.005}");
    const std::string line = check();
    EXPECT_EQ(count_of(line, "warning: "), 1u) << line; // of the first two of these materials
    EXPECT_NE(
        line.find(":7:5: scene.bodies.box_2: warning: the layer of box_1 and box_2 gives way by up to 0.005 m, and "
                  "their edges are rounded by 0.004 m together"),
        std::string::npos)
        << line;
    read_boxes("0.0025", "{stiffness: 1.0e+4, thickness: 0.005}");
    EXPECT_EQ(check(), "");
    read_boxes("0.002", "hertz");
    EXPECT_EQ(check(), "");
    read_boxes("0.002", "none");
    EXPECT_EQ(check(), "");
}

TEST_F(Starts, ObserversAndThoseWhoIgnoreEachOtherMayBeAnywhere) {
    read_ball(
        "1",
        "    gate: {fixed: true, material: observer, shapes: [{box: {lengths: [1, 1, 1]}}], position: [0, 0, 1]}\n");
    EXPECT_EQ(check(), "");
    read_ball("1",
              "    gate: {fixed: true, material: steel, shapes: [{box: {lengths: [1, 1, 1]}}], position: [0, 0, 1]}\n");
    EXPECT_NE(check().find("ball and gate"), std::string::npos);
    read_ball("1", "    gate: {fixed: true, material: steel, shapes: [{box: {lengths: [1, 1, 1]}}], position: [0, 0, "
                   "1]}\n  ignore: [[ball, gate]]\n");
    EXPECT_EQ(check(), "");
}

TEST_F(Starts, TheDeepestAreToldTheOthersCounted) {
    read_ball("1", "    others: {count: 8, material: steel, shapes: [{sphere: {diameter: 0.2}}], position: "
                   "[\"=number\", 0, \"=0.08 - 0.01*number\"]}\n");
    const std::string lines = check();
    EXPECT_EQ(count_of(lines, "\n"), 6u) << lines;
    const std::string first = lines.substr(0, lines.find('\n'));
    EXPECT_NE(first.find(":8:5: scene.bodies.others_8: warning: scene 0 starts with ground and others_8 0.1 m deep"),
              std::string::npos)
        << lines;
    EXPECT_NE(lines.find("3 more pairs of bodies"), std::string::npos) << lines;
}

// --- the program --------------------------------------------------------------------------------------

class WarningsCli : public Cli {
  protected:
    std::string write(const std::string &angle) {
        std::ofstream(folder / "turned.yaml")
            << "format: 1\nscene:\n  bodies:\n    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
               "    ball: {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [0, 0, 0.085], rotation: "
               "{cardan: [" +
                   angle + ", 0, 0]}}\nsolver: {end: 0.001}\n";
        return "turned.yaml";
    }
};

TEST_F(WarningsCli, AreOnStderrAndTheExitCodeIs0) {
    for (const char *command : {"validate ", "run -d native "}) {
        const Outcome told = clack(command + write("20"));
        EXPECT_EQ(told.exit_code, 0) << told.err;
        EXPECT_NE(told.err.find("turned.yaml:5:111: scene.bodies.ball.rotation.cardan[0]: warning: 20 rad"),
                  std::string::npos)
            << told.err;
        EXPECT_NE(
            told.err.find("turned.yaml:5:5: scene.bodies.ball: warning: scene 0 starts with ground and ball 0.015 m"),
            std::string::npos)
            << told.err;
        EXPECT_EQ(count_of(told.err, "warning: 20 rad"), 1u) << told.err;
    }
    EXPECT_EQ(clack("run -q --overwrite -d native turned.yaml").err, "");
    EXPECT_EQ(clack("validate " + write("0.1") + " --set 'scene.bodies.ball.position=[0, 0, 1]'").err, "");
}

TEST_F(WarningsCli, HaveAListOfTheirOwnInJson) {
    const Outcome told = clack("validate --json " + write("20"));
    const size_t warnings = told.out.find("\"warnings\": [");
    ASSERT_NE(warnings, std::string::npos) << told.out;
    EXPECT_NE(told.out.find("\"errors\": []"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("\"key\": \"scene.bodies.ball.rotation.cardan[0]\"", warnings), std::string::npos)
        << told.out;
    EXPECT_NE(told.out.find("\"message\": \"20 rad is more than a turn", warnings), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("\"message\": \"scene 0 starts with", warnings), std::string::npos) << told.out;
    EXPECT_NE(clack("validate --json " + write("x")).out.find("\"warnings\": []"), std::string::npos);
}

TEST_F(WarningsCli, OptionsAreWrittenOut) {
    study(2, 0.01);
    for (const char *words : {"--thread 1", "--thread=1", "--thraeds 1"}) {
        const Outcome told = clack(std::string("run small.yaml ") + words);
        EXPECT_EQ(told.exit_code, 2) << words;
        EXPECT_NE(told.err.find("did you mean \"--threads\"?"), std::string::npos) << told.err;
    }
    EXPECT_NE(clack("run small.yaml --qqqq").err.find("unknown option \"--qqqq\"; try"), std::string::npos);
    // Values may look like options.
    EXPECT_EQ(clack("run -d native small.yaml -o --thread -q").exit_code, 0);
    EXPECT_TRUE(fs::exists(folder / "--thread"));
    EXPECT_EQ(clack("run -d native small.yaml --output --over -q").exit_code, 0);
    EXPECT_TRUE(fs::exists(folder / "--over"));
    EXPECT_EQ(clack("run -d native small.yaml -qo --over2").exit_code, 0);
    EXPECT_TRUE(fs::exists(folder / "--over2"));
}

TEST_F(WarningsCli, APathIntoAFileIsTold) {
    study(2, 0.01);
    EXPECT_EQ(clack("run -q -d native small.yaml").exit_code, 0);
    const Outcome told = clack("info small.h5/impacts");
    EXPECT_EQ(told.exit_code, 4);
    EXPECT_NE(told.err.find("a part of this path is a file"), std::string::npos) << told.err;
}

} // namespace
