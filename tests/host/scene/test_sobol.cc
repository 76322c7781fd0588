// Sobol' designs: points against SciPy's, scrambling, and the error of an integral.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "sample.h"
#include "sobol_directions.h"

namespace {

TEST(Sobol, FirstPointsAreKnown) { // of any account of the sequence: 0, 1/2, 3/4, 1/4, 3/8, ...
    const double first[] = {0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125};
    const double second[] = {0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625};
    for (uint32_t i = 0; i < 8; i++) {
        EXPECT_EQ(sample_sobol_point(0, i) * 0x1p-32, first[i]);
        EXPECT_EQ(sample_sobol_point(1, i) * 0x1p-32, second[i]);
    }
}

TEST(Sobol, EveryDimensionFillsItsStrata) {
    for (uint32_t dimension = 0; dimension < SOBOL_DIMENSIONS; dimension++) {
        std::vector<int> hits(4096);
        for (uint32_t i = 0; i < 4096; i++) hits[sample_sobol_point(dimension, i) >> 20]++;
        EXPECT_EQ(hits, std::vector<int>(4096, 1)) << dimension;
    }
}

TEST(Sobol, AgreesWithSciPyExactly) {
    const std::string path = testing::TempDir() + "clack_sobol.txt";
    std::ofstream points(path);
    for (uint32_t i = 0; i < 3000; i++)
        for (uint32_t dimension = 0; dimension < SOBOL_DIMENSIONS; dimension++)
            points << sample_sobol_point(dimension, i) << "\n";
    points.close();
    const char *chosen = std::getenv("CLACK_PYTHON");
    int code = 77;
    for (const std::string name : {chosen != nullptr ? chosen : "", "python3", "/usr/bin/python3"}) {
        if (name.empty() || (code != 77 && code != 127)) continue;
        const std::string script = CLACK_SOURCE_DIR "/tests/host/scene/check_sobol.py";
        const std::string command =
            "'" + name + "' '" + script + "' '" + path + "' " + std::to_string(SOBOL_DIMENSIONS);
        const int state = std::system(command.c_str());
        code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    }
    std::remove(path.c_str());
    if (code == 77 || code == 127) GTEST_SKIP() << "no Python with SciPy";
    EXPECT_EQ(code, 0);
}

// --- designs --------------------------------------------------------------------------------------

struct Made {
    Study study = {};
    Parameter parameters[4] = {};
    explicit Made(DesignKind kind, uint64_t seed = 1) {
        const char *names[] = {"a", "b", "c", "d"};
        for (int i = 0; i < 4; i++) {
            std::snprintf(parameters[i].name, STUDY_NAME_BYTES, "%s", names[i]);
            Distribution &uniform = parameters[i].distribution;
            uniform.kind = DISTRIBUTION_UNIFORM;
            uniform.b = 1;
            uniform.lower = -INFINITY;
            uniform.upper = INFINITY;
        }
        study.parameters = parameters;
        study.parameter_count = 4;
        study.design.kind = kind;
        study.design.scene_count = 65536;
        study.design.seed = seed;
    }
    std::vector<double> values(uint64_t scene) const {
        std::vector<double> out(4);
        sample_parameters(&study, scene, out.data());
        return out;
    }
    // Error of the mean of a smooth function whose integral is 1.
    double error(uint64_t samples) const {
        double sum = 0;
        for (uint64_t scene = 0; scene < samples; scene++) {
            double product = 1;
            for (const double x : values(scene)) product *= 1 + 0.5 * (std::exp(x) - std::expm1(1.0));
            sum += product;
        }
        return sum / double(samples) - 1;
    }
};

TEST(Sobol, ScrambledPointsKeepTheirStrata) {
    const Made made(DESIGN_SOBOL), plain(DESIGN_SOBOL_PLAIN);
    for (size_t i = 0; i < 4; i++) {
        std::vector<int> hits(1024);
        for (uint64_t scene = 0; scene < 1024; scene++) {
            const double x = made.values(scene)[i];
            ASSERT_TRUE(x > 0 && x < 1);
            hits[size_t(x * 1024)]++;
        }
        EXPECT_EQ(hits, std::vector<int>(1024, 1)) << i;
    }
    // The first two dimensions are a (0, 2)-sequence: one point of 1024 in each box of 32 x 32.
    std::vector<int> boxes(1024);
    for (uint64_t scene = 0; scene < 1024; scene++) {
        const std::vector<double> x = made.values(scene);
        boxes[size_t(x[0] * 32) * 32 + size_t(x[1] * 32)]++;
    }
    EXPECT_EQ(boxes, std::vector<int>(1024, 1));
    EXPECT_EQ(plain.values(1), std::vector<double>(4, 0.5 + 0x1p-33));
}

TEST(Sobol, ScrambledPointsAreUniformOverSeeds) {
    double sum = 0, square = 0, cross = 0;
    for (uint64_t seed = 0; seed < 10000; seed++) {
        const Made made(DESIGN_SOBOL, seed);
        const double x = made.values(5)[2] - 0.5;
        sum += x;
        square += x * x;
        cross += x * (made.values(5)[3] - 0.5);
    }
    EXPECT_LT(std::fabs(sum), 4 * std::sqrt(10000 / 12.0));
    EXPECT_NEAR(square / 10000, 1 / 12.0, 4 * std::sqrt(1 / 180.0 / 10000));
    EXPECT_LT(std::fabs(cross), 4 * std::sqrt(10000.0) / 12);
}

double rms_error(DesignKind kind, uint64_t samples) {
    double sum = 0;
    for (uint64_t seed = 0; seed < 20; seed++) sum += std::pow(Made(kind, seed).error(samples), 2);
    return std::sqrt(sum / 20);
}

// Scrambled nets have errors of about samples^-1.5 for smooth functions, Monte Carlo of samples^-0.5.
TEST(Sobol, ErrorsFallFasterThanMonteCarlo) {
    const double few = rms_error(DESIGN_SOBOL, 64), many = rms_error(DESIGN_SOBOL, 4096);
    const double slope = std::log(many / few) / std::log(64.0);
    const double mc_few = rms_error(DESIGN_MONTE_CARLO, 64);
    const double mc_many = rms_error(DESIGN_MONTE_CARLO, 4096);
    const double mc_slope = std::log(mc_many / mc_few) / std::log(64.0);
    EXPECT_LT(slope, -1.2) << few << " " << many;
    EXPECT_NEAR(mc_slope, -0.5, 0.15) << mc_few << " " << mc_many;
    EXPECT_LT(many, mc_many / 20);
    const double plain_few = std::fabs(Made(DESIGN_SOBOL_PLAIN).error(64));
    const double plain_many = std::fabs(Made(DESIGN_SOBOL_PLAIN).error(4096));
    EXPECT_LT(std::log(plain_many / plain_few) / std::log(64.0), -0.8);
}

} // namespace
