// Designs and distributions as studies write them: what is read, what is refused, what scenes get.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "sample.h"
#include "study.h"

namespace {

// A study of one ball with these variables, design and further lines of the ball.
class DesignTest : public testing::Test {
  protected:
    std::string path = testing::TempDir() + "clack_design_" +
                       testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
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
    ASSERT_TRUE(
        read("{a: {lognormal: {mu: -1, sigma: 0.5}}, b: {triangular: {low: 1, mode: 2, high: 4}}, "
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
    EXPECT_TRUE(read("{}", "{monte_carlo: {samples: 10}}", "mass: {lognormal: {mu: 0, sigma: 1}}"))
        << told();
    EXPECT_TRUE(read("{}", "{monte_carlo: {samples: 10}}", "mass: {exponential: {mean: 1}}"))
        << told();
    EXPECT_FALSE(read("{}", "{monte_carlo: {samples: 10}}", "mass: {beta: {alpha: 1, beta: 1}}"));
    EXPECT_EQ(told(), ":6:72: scene.bodies.ball.mass: expected a number > 0, found a distribution "
                      "that can be as low as 0: give \"lower\"\n");
}

TEST_F(DesignTest, WrongDistributionsAreTold) {
    EXPECT_FALSE(
        read("{a: {lognormal: {mu: 0, sigma: 0}}, b: {triangular: {low: 0, mode: 3, high: 2}},\n"
             "  c: {beta: {alpha: 1e5}}, d: {integer: [0.5, 2]}, e: {weibull: [1, 2]},\n"
             "  f: {exponential: {rate: 2}}, g: {integer: [1, 2], lower: 1.1, upper: 1.9}}",
             "{monte_carlo: {samples: 10}}"));
    EXPECT_EQ(
        told(),
        ":2:43: variables.a.lognormal.sigma: expected a number > 0, found 0\n"
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
    ASSERT_TRUE(read("{a: {integer: [2, 5]}, b: {exponential: {mean: 1}}}", "{grid: {levels: 2}}"))
        << told();
    ASSERT_EQ(study->design.scene_count, 8u);
    for (uint64_t scene = 0; scene < 8; scene++) {
        EXPECT_EQ(values(scene)[0], 2 + double(scene / 2));
        EXPECT_DOUBLE_EQ(values(scene)[1], -std::log1p(scene % 2 == 0 ? -0.25 : -0.75));
    }
}

} // namespace
