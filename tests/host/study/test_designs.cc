// Designs and distributions as studies write them: what is read, what is refused, what scenes get.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sample.h"
#include "study.h"

namespace {

// A study of one ball with these variables, design and further lines of the ball.
class DesignTest : public testing::Test {
  protected:
    std::string path =
        testing::TempDir() + "clack_design_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
    Study *study = nullptr;
    ClackReport report = {};
    ~DesignTest() override {
        study_free(study);
        clack_report_clear(&report);
        std::remove(path.c_str());
    }
    bool read(const std::string &variables, const std::string &design,
              const std::string &ball = "position: [0, 0, 1]") {
        study_free(study);
        clack_report_clear(&report);
        std::ofstream(path) << "format: 1\nvariables: " << variables << "\ndesign: " << design
                            << "\nscene:\n  bodies:\n    ball: {material: steel, shapes: [{sphere: "
                               "{diameter: 0.2}}], "
                            << ball << "}\nsolver: {end: 1}\n";
        StudyOptions options = {};
        options.data_dir = CLACK_SOURCE_DIR "/data";
        return study_read(path.c_str(), &options, &study, &report) == CLACK_OK;
    }
    // All lines of the report, without the file's name.
    std::string told() const {
        std::string text;
        for (size_t i = 0; i < report.count; i++) {
            std::string line = report.lines[i];
            const size_t at = line.find(path);
            if (at != std::string::npos) line.erase(at, path.size());
            text += line + "\n";
        }
        return text;
    }
    std::vector<double> values(uint64_t scene) const {
        std::vector<double> out(study->parameter_count);
        sample_parameters(study, scene, out.data());
        return out;
    }
};

// --- distributions --------------------------------------------------------------------------------

TEST_F(DesignTest, DistributionsAreRead) {
    ASSERT_TRUE(read("{a: {lognormal: {mu: -1, sigma: 0.5}}, b: {triangular: {low: 1, mode: 2, high: 4}}, "
                     "c: {beta: {alpha: 2, beta: 3}}, d: {beta: {alpha: 2, beta: 3, low: -1, high: 5}, "
                     "upper: 4}, e: {exponential: {mean: 3}}, f: {weibull: {shape: 2, scale: 7}}, "
                     "g: {integer: [2, 5]}}",
                     "{monte_carlo: {samples: 10}}"))
        << told();
    const char *texts[] = {"lognormal(mu -1, sigma 0.5)",
                           "triangular(low 1, mode 2, high 4)",
                           "beta(alpha 2, beta 3, low 0, high 1)",
                           "beta(alpha 2, beta 3, low -1, high 5) within [-inf, 4]",
                           "exponential(mean 3)",
                           "weibull(shape 2, scale 7)",
                           "integer(2, 5)"};
    for (int i = 0; i < 7; i++) EXPECT_STREQ(study->parameters[i].text, texts[i]);
    EXPECT_EQ(study->parameters[6].distribution.b, 5);
}

TEST_F(DesignTest, PositiveDistributionsFitPositiveNumbers) {
    EXPECT_TRUE(read("{}", "{monte_carlo: {samples: 10}}", "mass: {lognormal: {mu: 0, sigma: 1}}")) << told();
    EXPECT_TRUE(read("{}", "{monte_carlo: {samples: 10}}", "mass: {exponential: {mean: 1}}")) << told();
    EXPECT_FALSE(read("{}", "{monte_carlo: {samples: 10}}", "mass: {beta: {alpha: 1, beta: 1}}"));
    EXPECT_EQ(told(), ":6:72: scene.bodies.ball.mass: expected a number > 0, found a distribution "
                      "that can be as low as 0: give \"lower\"\n");
}

TEST_F(DesignTest, WrongDistributionsAreTold) {
    EXPECT_FALSE(read("{a: {lognormal: {mu: 0, sigma: 0}}, b: {triangular: {low: 0, mode: 3, high: 2}},\n"
                      "  c: {beta: {alpha: 1e5}}, d: {integer: [0.5, 2]}, e: {weibull: [1, 2]},\n"
                      "  f: {exponential: {rate: 2}}, g: {integer: [1, 2], lower: 1.1, upper: 1.9}}",
                      "{monte_carlo: {samples: 10}}"));
    EXPECT_EQ(told(), ":2:43: variables.a.lognormal.sigma: expected a number > 0, found 0\n"
                      ":2:64: variables.b.triangular: expected low <= mode <= high, found 0, 3, 2\n"
                      ":3:13: variables.c.beta: expected the key \"beta\" (a number > 0 and <= 10000), found "
                      "none\n"
                      ":3:21: variables.c.beta.alpha: expected a number > 0 and <= 10000, found 1e5\n"
                      ":3:41: variables.d.integer: expected 2 whole numbers [low, high], found [0.5, 2]\n"
                      ":3:65: variables.e.weibull: expected a map with the keys shape or scale, found a list of "
                      "2\n"
                      ":4:20: variables.f.exponential: expected the key \"mean\" (a number > 0), found none\n"
                      ":4:21: variables.f.exponential: unknown key \"rate\", expected mean\n"
                      ":4:35: variables.g: expected lower and upper to leave something of the distribution, "
                      "found "
                      "nothing left between 1.1 and 1.9\n");
}

TEST_F(DesignTest, GridTakesAllIntegers) {
    ASSERT_TRUE(read("{a: {integer: [2, 5]}, b: {exponential: {mean: 1}}}", "{grid: {levels: 2}}")) << told();
    ASSERT_EQ(study->design.scene_count, 8u);
    for (uint64_t scene = 0; scene < 8; scene++) {
        EXPECT_EQ(values(scene)[0], 2 + double(scene / 2));
        EXPECT_DOUBLE_EQ(values(scene)[1], -std::log1p(scene % 2 == 0 ? -0.25 : -0.75));
    }
}

TEST_F(DesignTest, GridTellsOfLevelsWithoutEffect) {
    ASSERT_TRUE(read("{a: {integer: [2, 5]}, b: {discrete: [1, 7]}}", "{grid: {levels: 100}}")) << told();
    EXPECT_EQ(study->design.scene_count, 8u);
    EXPECT_NE(told().find("design.grid.levels: warning: has no effect without a parameter that is not discrete: all "
                          "values make 8 scenes"),
              std::string::npos)
        << told();
}

// --- latin hypercube ------------------------------------------------------------------------------

TEST(Permutation, IsOneForEveryCountSeedAndName) {
    for (const uint32_t count : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 100u, 1023u, 4097u}) {
        std::vector<uint32_t> hits(count), other(count), seeded(count);
        uint32_t fixed = 0, equal_name = 0, equal_seed = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t p = sample_permute(1, "a", count, i);
            ASSERT_LT(p, count);
            hits[p]++;
            fixed += p == i;
            equal_name += p == sample_permute(1, "b", count, i);
            equal_seed += p == sample_permute(2, "a", count, i);
        }
        EXPECT_EQ(hits, std::vector<uint32_t>(count, 1)) << count;
        if (count < 100) continue; // a random permutation has 1 fixed point on average
        EXPECT_LT(fixed, 8u);
        EXPECT_LT(equal_name, 8u);
        EXPECT_LT(equal_seed, 8u);
    }
    EXPECT_LT(sample_permute(1, "a", 2147483647u, 2147483646u), 2147483647u);
}

TEST(Permutation, EveryPlaceIsAsLikely) { // where 3 of 24 go, over seeds
    double counts[24] = {0}, chi = 0;
    for (uint64_t seed = 0; seed < 24000; seed++) counts[sample_permute(seed, "a", 24, 3)]++;
    for (const double count : counts) chi += (count - 1000) * (count - 1000) / 1000;
    EXPECT_LT(chi, 49.7); // 23 degrees of freedom: probability 1e-3
}

TEST_F(DesignTest, LatinHypercubeFillsEveryStratumOnce) {
    const std::string variables = "{a: {uniform: [0, 1000]}, b: {uniform: [0, 1000]}}";
    ASSERT_TRUE(read(variables, "{latin_hypercube: {samples: 1000, seed: 5}}")) << told();
    EXPECT_EQ(study->design.kind, DESIGN_LATIN_HYPERCUBE);
    std::vector<int> hits[2] = {std::vector<int>(1000), std::vector<int>(1000)};
    double product = 0, within = 0;
    for (uint64_t scene = 0; scene < 1000; scene++) {
        const std::vector<double> x = values(scene);
        for (size_t i = 0; i < 2; i++) hits[i][size_t(x[i])]++;
        product += (x[0] / 1000 - 0.5) * (x[1] / 1000 - 0.5);
        within += x[0] - std::floor(x[0]) - 0.5;
    }
    for (const auto &hit : hits) EXPECT_EQ(hit, std::vector<int>(1000, 1));
    EXPECT_LT(std::fabs(product), 4 * std::sqrt(1000.0) / 12);
    EXPECT_LT(std::fabs(within), 4 * std::sqrt(1000.0 / 12));
    // A sum of functions of one parameter each has hardly any variance left.
    double sum = 0;
    for (uint64_t scene = 0; scene < 1000; scene++) sum += values(scene)[0] + values(scene)[1];
    EXPECT_NEAR(sum / 1000, 1000, 4 * std::sqrt(2.0 / 12 / 1000));
}

TEST_F(DesignTest, LatinHypercubesScenesStandAlone) {
    ASSERT_TRUE(read("{a: {normal: [0, 1]}, b: {uniform: [0, 1]}}", "{latin_hypercube: {samples: 64}}"));
    const std::vector<double> alone = values(17);
    for (uint64_t scene = 0; scene < 64; scene++) values(scene);
    EXPECT_EQ(values(17), alone);
    ASSERT_TRUE(read("{b: {uniform: [0, 1]}}", "{latin_hypercube: {samples: 64}}"));
    EXPECT_EQ(values(17)[0], alone[1]); // a parameter less changes nothing
    ASSERT_TRUE(read("{b: {uniform: [0, 1]}}", "{latin_hypercube: {samples: 64, seed: 2}}"));
    EXPECT_NE(values(17)[0], alone[1]);
}

// --- Sobol' ---------------------------------------------------------------------------------------

TEST_F(DesignTest, SobolIsRead) {
    const std::string one = "{a: {uniform: [0, 1]}}";
    ASSERT_TRUE(read(one, "{sobol: {samples: 8}}")) << told();
    EXPECT_EQ(study->design.kind, DESIGN_SOBOL);
    ASSERT_TRUE(read(one, "{sobol: {samples: 8, scramble: none}}")) << told();
    EXPECT_EQ(study->design.kind, DESIGN_SOBOL_PLAIN);
    EXPECT_NEAR(values(6)[0], 0.625, 1e-9);
    EXPECT_FALSE(read(one, "{sobol: {samples: 8, scramble: digital}}"));
    EXPECT_EQ(told(), ":3:40: design.sobol.scramble: expected owen or none, found \"digital\"\n");
    std::string many = "{";
    for (int i = 0; i < 257; i++) many += "a" + std::to_string(i) + ": {uniform: [0, 1]}, ";
    many += "}";
    EXPECT_FALSE(read(many, "{sobol: {samples: 8}}"));
    EXPECT_EQ(told(), ":3:17: design.sobol: expected at most 256 parameters, the dimensions known, "
                      "found 257\n");
}

// --- table ----------------------------------------------------------------------------------------

class TableTest : public DesignTest {
  protected:
    const std::string name =
        std::string("clack_table_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
    void write(const std::string &text) const { std::ofstream(testing::TempDir() + name, std::ios::binary) << text; }
    ~TableTest() override { std::remove((testing::TempDir() + name).c_str()); }
    std::string told_of_table() const { // "+" stands for the table
        std::string text = told();
        const std::string file = testing::TempDir() + name;
        for (size_t at = text.find(file); at != std::string::npos; at = text.find(file))
            text.replace(at, file.size(), "+");
        return text;
    }
};

TEST_F(TableTest, ScenesTakeTheirRows) {
    write("\xef\xbb\xbfheight, \"speed\",unused\r\n1.5,2,0\r\n\r\n 2.5 ,-3e1,0\n4,.5,0");
    ASSERT_TRUE(read("{v: {column: speed}, w: {uniform: [0, 1]}}", "{table: " + name + "}",
                     "position: [0, $v, {column: height}]"))
        << told();
    EXPECT_EQ(study->design.kind, DESIGN_TABLE);
    ASSERT_EQ(study->design.scene_count, 3u);
    const double expected[3][2] = {{2, 1.5}, {-30, 2.5}, {0.5, 4}};
    for (uint64_t scene = 0; scene < 3; scene++) {
        EXPECT_EQ(values(scene)[0], expected[scene][0]);
        EXPECT_EQ(values(scene)[1], sample_uniform(1, scene, "w"));
        EXPECT_EQ(values(scene)[2], expected[scene][1]);
    }
    EXPECT_STREQ(study->parameters[0].text, "column 2 of the table");
    ASSERT_EQ(study->input_count, 4u); // its name and SHA-256 go into the ensemble file
    EXPECT_EQ(study->inputs[3].path, testing::TempDir() + name);
    ASSERT_TRUE(read("{v: {column: speed}}", "{table: {file: " + name + ", seed: 9}}")) << told();
    EXPECT_EQ(study->design.seed, 9u);
}

// Measured values, each as likely: a sequence of 4 n scenes without scrambling has each of four n times.
TEST_F(TableTest, EmpiricalValuesAreDrawnAlike) {
    write("e,x\n0.7,1\n0.5,2\n0.9,3\n0.6,4\n");
    const std::string of_file = "{empirical: {file: " + name + ", column: ";
    ASSERT_TRUE(read("{e: " + of_file + "e}}, x: " + of_file + "x}, lower: 1.5}}",
                     "{sobol: {samples: 48, scramble: none}}", "position: [0, $e, $x]"))
        << told();
    std::map<double, int> e, x;
    for (uint64_t scene = 0; scene < 48; scene++) {
        e[values(scene)[0]]++;
        x[values(scene)[1]]++;
    }
    EXPECT_EQ(e, (std::map<double, int>{{0.5, 12}, {0.6, 12}, {0.7, 12}, {0.9, 12}}));
    EXPECT_EQ(x.size(), 3u); // 1 is cut off
    for (const auto &[value, count] : x) EXPECT_NEAR(count, 16, 1) << value;
    ASSERT_EQ(study->input_count, 4u); // read once
    ASSERT_TRUE(read("{e: " + of_file + "e}}}", "{grid: {}}", "position: [0, 0, $e]")) << told();
    ASSERT_EQ(study->design.scene_count, 4u); // all of them, ascending
    for (uint64_t scene = 0; scene < 4; scene++)
        EXPECT_EQ(values(scene)[0], (std::vector<double>{0.5, 0.6, 0.7, 0.9})[scene]);
    EXPECT_FALSE(read("{e: " + of_file + "f}}}", "{monte_carlo: {samples: 2}}", "position: [0, 0, $e]"));
    EXPECT_NE(told().find("variables.e.empirical.column: unknown column \"f\""), std::string::npos) << told();
    EXPECT_FALSE(read("{e: " + of_file + "e}, lower: 2}}", "{monte_carlo: {samples: 2}}", "position: [0, 0, $e]"));
    EXPECT_NE(told().find("found nothing left between 2 and inf"), std::string::npos) << told();
    EXPECT_FALSE(read("{e: {empirical: {column: e}}}", "{monte_carlo: {samples: 2}}", "position: [0, 0, $e]"));
    EXPECT_NE(told().find("expected the key \"file\""), std::string::npos) << told();
}

TEST_F(TableTest, WrongTablesAreTold) {
    write("a,b,a\n1,2,3\n");
    EXPECT_FALSE(read("{v: {column: a}}", "{table: " + name + "}"));
    EXPECT_EQ(told_of_table(), "+:1:5: expected a new name of a column, found \"a\"\n");
    write("a,b\n1,2\n\n1, x2\n1\n1,2,3\n");
    EXPECT_FALSE(read("{v: {column: a}}", "{table: " + name + "}"));
    EXPECT_EQ(told_of_table(), "+:4:4: column \"b\": expected a number, found \"x2\"\n"
                               "+:5:1: expected 2 numbers, one for each column, found 1\n"
                               "+:6:1: expected 2 numbers, one for each column, found 3\n");
    write("a,b\n");
    EXPECT_FALSE(read("{}", "{table: " + name + "}"));
    EXPECT_EQ(told_of_table(), "+:1:1: expected lines of numbers after the names, found none\n");
    write("");
    EXPECT_FALSE(read("{}", "{table: " + name + "}"));
    EXPECT_EQ(told_of_table(), "+:1:1: expected a line of names, found an empty file\n");
    EXPECT_FALSE(read("{}", "{table: no_such_table.csv}"));
    EXPECT_NE(told().find("No such file"), std::string::npos) << told();
}

TEST_F(TableTest, WrongColumnsAreTold) {
    write("speed,mass\n1,2\n3,-4\n");
    EXPECT_FALSE(read("{v: {column: sped}}", "{table: " + name + "}", "mass: {column: mass}"));
    EXPECT_EQ(told_of_table(), ":2:25: variables.v.column: unknown column \"sped\", did you mean \"speed\"?\n"
                               ":6:72: scene.bodies.ball.mass: expected a number > 0, found -4 in column \"mass\", of "
                               "scene 1\n");
    EXPECT_FALSE(read("{v: {column: speed}}", "{monte_carlo: {samples: 3}}"));
    EXPECT_EQ(told(), ":2:25: variables.v.column: expected a design with a table, whose column "
                      "\"speed\" is, found none\n");
    EXPECT_FALSE(read("{v: {column: speed, lower: 0}}", "{table: " + name + "}"));
}

} // namespace
