// Sampling: distributions against their closed forms, Philox against its known answers, purity, grids.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sample.h"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Distribution make(DistributionKind kind, double a, double b, double lower = -infinity, double upper = infinity) {
    Distribution distribution = {};
    distribution.kind = kind;
    distribution.a = a;
    distribution.b = b;
    distribution.lower = lower;
    distribution.upper = upper;
    return distribution;
}

double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }
double normal_above(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }
double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI); }

// --- Philox ---------------------------------------------------------------------------------------

// Philox4x32-10 written again from the paper (Salmon et al., SC11), to check the one in use.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> x, std::array<uint32_t, 2> key) {
    for (int round = 0; round < 10; round++) {
        const uint64_t left = uint64_t{0xD2511F53} * x[0], right = uint64_t{0xCD9E8D57} * x[2];
        x = {uint32_t(right >> 32) ^ x[1] ^ key[0], uint32_t(right), uint32_t(left >> 32) ^ x[3] ^ key[1],
             uint32_t(left)};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return x;
}

// Random123's kat_vectors, philox4x32 with 10 rounds.
TEST(Sample, PhiloxKnownAnswers) {
    using Words = std::array<uint32_t, 4>;
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    const uint32_t f = 0xffffffff;
    EXPECT_EQ(philox({f, f, f, f}, {f, f}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Sample, UniformIsPhiloxOfSceneAndName) {
    // FNV-1a, 64 bits, of "foobar": the known answer of Fowler, Noll and Vo.
    const uint64_t hash = 0x85944171f73967e8u;
    for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{0xfedcba9876543210u}})
        for (const uint64_t scene : {uint64_t{0}, uint64_t{7}, uint64_t{0x123456789abu}}) {
            const auto words = philox({uint32_t(scene), uint32_t(scene >> 32), uint32_t(hash), uint32_t(hash >> 32)},
                                      {uint32_t(seed), uint32_t(seed >> 32)});
            const uint64_t bits = (uint64_t{words[0]} << 32 | words[1]) >> 12;
            EXPECT_EQ(sample_uniform(seed, scene, "foobar"), std::ldexp(2.0 * double(bits) + 1, -53));
        }
}

TEST(Sample, UniformDependsOnAllItsArguments) {
    const double u = sample_uniform(1, 2, "a");
    EXPECT_NE(u, sample_uniform(2, 2, "a"));
    EXPECT_NE(u, sample_uniform(1 + (uint64_t{1} << 32), 2, "a"));
    EXPECT_NE(u, sample_uniform(1, 3, "a"));
    EXPECT_NE(u, sample_uniform(1, 2 + (uint64_t{1} << 32), "a"));
    EXPECT_NE(u, sample_uniform(1, 2, "b"));
    EXPECT_NE(u, sample_uniform(1, 2, "aa"));
}

// --- quantiles ------------------------------------------------------------------------------------

// z(u) put back into erfc must give u. A relative error of z changes the tail by z^2 as much: allowed are
// 2 ulp of z itself and 2 of z / sqrt(2), which this check computes.
TEST(Sample, NormalQuantileGoesBackThroughErfc) {
    const Distribution normal = make(DISTRIBUTION_NORMAL, 0, 1);
    double last = -infinity;
    for (double exponent = -300; exponent < -0.31; exponent += 0.37) {
        const double u = std::pow(10.0, exponent), z = sample_quantile(&normal, u);
        const double tolerance = 9e-16 * (1 + z * z);
        EXPECT_NEAR(normal_below(z) / u, 1, tolerance) << "u " << u << " z " << z;
        EXPECT_GT(z, last);
        last = z;
    }
    for (double u = 0.001; u < 1; u += 0.001) {
        const double z = sample_quantile(&normal, u);
        EXPECT_NEAR(normal_below(z), u, 3e-16) << u;
    }
    // Known to 16 digits (NIST tables and mpmath agree).
    EXPECT_EQ(sample_quantile(&normal, 0.5), 0);
    EXPECT_NEAR(sample_quantile(&normal, 0.975), 1.959963984540054, 5e-16);
    EXPECT_NEAR(sample_quantile(&normal, 0.025), -1.959963984540054, 5e-16);
    EXPECT_NEAR(sample_quantile(&normal, 1e-10), -6.361340902404056, 2e-15);
}

TEST(Sample, TruncatedNormalIsTheInverseOfItsTruncatedCdf) {
    struct Case {
        double low, high;
    };
    for (const Case c : {Case{-1, 2}, Case{-infinity, 0.5}, Case{0.25, infinity}, Case{-3, -2}, Case{8, 9},
                         Case{-12, -10}, Case{30, infinity}, Case{-0.001, 0.001}}) {
        const double mean = 5, sd = 2;
        const Distribution distribution = make(DISTRIBUTION_NORMAL, mean, sd, mean + sd * c.low, mean + sd * c.high);
        double last = -infinity;
        for (double u = 0.01; u < 1; u += 0.01) {
            const double x = sample_quantile(&distribution, u), z = (x - mean) / sd;
            EXPECT_GE(x, distribution.lower);
            EXPECT_LE(x, distribution.upper);
            EXPECT_GT(x, last) << c.low << " " << c.high << " " << u;
            last = x;
            // Each tail counted from its own end, so that nothing cancels.
            const double got =
                c.low > 0 ? (normal_above(c.low) - normal_above(z)) / (normal_above(c.low) - normal_above(c.high))
                          : (normal_below(z) - normal_below(c.low)) / (normal_below(c.high) - normal_below(c.low));
            // x has an ulp of about 1e-15 * (1 + |z|), which the density turns into probability.
            const double inside =
                c.low > 0 ? normal_above(c.low) - normal_above(c.high) : normal_below(c.high) - normal_below(c.low);
            const double tolerance = 1e-15 + 3e-15 * (1 + std::fabs(z)) * normal_density(z) / inside;
            EXPECT_NEAR(got, u, tolerance) << c.low << " " << c.high << " u " << u;
        }
    }
}

TEST(Sample, BoundsHold) {
    const Distribution uniform = make(DISTRIBUTION_UNIFORM, 0.1, 0.7, 0.2, 0.3);
    const Distribution log_uniform = make(DISTRIBUTION_LOG_UNIFORM, 1e-3, 1e3, 0.1, 10);
    const double tiny = std::ldexp(1, -53);
    EXPECT_DOUBLE_EQ(sample_quantile(&uniform, 0.5), 0.25);
    EXPECT_DOUBLE_EQ(sample_quantile(&log_uniform, 0.5), 1);
    EXPECT_DOUBLE_EQ(sample_quantile(&log_uniform, 0.75), std::sqrt(10.0));
    for (const double u : {tiny, 1 - tiny}) {
        EXPECT_GE(sample_quantile(&uniform, u), 0.2);
        EXPECT_LE(sample_quantile(&uniform, u), 0.3);
        EXPECT_GE(sample_quantile(&log_uniform, u), 0.1);
        EXPECT_LE(sample_quantile(&log_uniform, u), 10);
    }
}

// --- moments and Kolmogorov-Smirnov at 1e5 samples --------------------------------------------------

constexpr uint64_t sample_count = 100000;

struct Law {
    Distribution distribution;
    double mean, variance;
    std::function<double(double)> cdf;
};

void check_law(const std::string &name, const Law &law) {
    std::vector<double> values;
    double sum = 0;
    for (uint64_t scene = 0; scene < sample_count; scene++) {
        values.push_back(sample_quantile(&law.distribution, sample_uniform(12345, scene, name.c_str())));
        sum += values.back();
    }
    const double n = double(sample_count), mean = sum / n;
    double square = 0, fourth = 0;
    for (const double x : values) {
        square += (x - mean) * (x - mean);
        fourth += std::pow(x - mean, 4);
    }
    const double variance = square / n;
    // Four standard errors: a right sampler fails once in 16,000 seeds, and this seed is fixed.
    EXPECT_NEAR(mean, law.mean, 4 * std::sqrt(law.variance / n)) << name;
    EXPECT_NEAR(variance, law.variance, 4 * std::sqrt((fourth / n - law.variance * law.variance) / n)) << name;
    std::sort(values.begin(), values.end());
    double distance = 0;
    for (size_t i = 0; i < values.size(); i++) {
        const double f = law.cdf(values[i]);
        distance = std::max({distance, std::fabs(f - double(i) / n), std::fabs(double(i + 1) / n - f)});
    }
    EXPECT_LT(distance * std::sqrt(n), 1.95) << name; // exceeded with probability 1e-3
}

TEST(Sample, DistributionsHaveTheirMomentsAndShapes) {
    check_law("uniform", {make(DISTRIBUTION_UNIFORM, -2, 6), 2, 64.0 / 12, [](double x) { return (x + 2) / 8; }});
    check_law("truncated uniform",
              {make(DISTRIBUTION_UNIFORM, -2, 6, 0, 3), 1.5, 9.0 / 12, [](double x) { return x / 3; }});
    const double l = std::log(100.0); // log_uniform on [0.1, 10]
    const double mean = 9.9 / l, second = (100 - 0.01) / (2 * l);
    check_law("log uniform", {make(DISTRIBUTION_LOG_UNIFORM, 0.1, 10), mean, second - mean * mean,
                              [l](double x) { return std::log(x / 0.1) / l; }});
    check_law("normal",
              {make(DISTRIBUTION_NORMAL, 1.5, 0.1), 1.5, 0.01, [](double x) { return normal_below((x - 1.5) / 0.1); }});
    // Truncated to [a, b]: mean and variance by the textbook formulas.
    const double a = -0.5, b = 2, inside = normal_below(b) - normal_below(a);
    const double shift = (normal_density(a) - normal_density(b)) / inside;
    const double variance = 1 + (a * normal_density(a) - b * normal_density(b)) / inside - shift * shift;
    check_law("truncated normal",
              {make(DISTRIBUTION_NORMAL, 10, 3, 10 + 3 * a, 10 + 3 * b), 10 + 3 * shift, 9 * variance,
               [=](double x) { return (normal_below((x - 10) / 3) - normal_below(a)) / inside; }});
}

// The statistic must be able to fail: the same samples against a law that is a little off.
TEST(Sample, KolmogorovSmirnovSeesASmallError) {
    const Distribution normal = make(DISTRIBUTION_NORMAL, 0, 1);
    std::vector<double> values;
    for (uint64_t scene = 0; scene < sample_count; scene++)
        values.push_back(sample_quantile(&normal, sample_uniform(12345, scene, "normal")));
    std::sort(values.begin(), values.end());
    double distance = 0;
    for (size_t i = 0; i < values.size(); i++)
        distance = std::max(distance, std::fabs(normal_below(values[i] / 1.05) - double(i) / double(sample_count)));
    EXPECT_GT(distance * std::sqrt(double(sample_count)), 1.95);
}

TEST(Sample, ParametersAreUncorrelated) {
    double sum = 0, next = 0;
    for (uint64_t scene = 0; scene < sample_count; scene++) {
        const double u = sample_uniform(5, scene, "a") - 0.5;
        sum += u * (sample_uniform(5, scene, "b") - 0.5);
        next += u * (sample_uniform(5, scene + 1, "a") - 0.5);
    }
    const double sd = std::sqrt(double(sample_count)) / 12; // of a sum of products
    EXPECT_LT(std::fabs(sum), 4 * sd);
    EXPECT_LT(std::fabs(next), 4 * sd);
}

TEST(Sample, DiscreteHasItsWeights) {
    double values[] = {3, 5, 11}, cumulative[] = {0.2, 0.7, 1};
    Distribution discrete = make(DISTRIBUTION_DISCRETE, 0, 0);
    discrete.value_count = 3;
    discrete.values = values;
    discrete.cumulative = cumulative;
    EXPECT_EQ(sample_quantile(&discrete, 0.1), 3);
    EXPECT_EQ(sample_quantile(&discrete, 0.2), 5);
    EXPECT_EQ(sample_quantile(&discrete, 0.69), 5);
    EXPECT_EQ(sample_quantile(&discrete, 0.71), 11);
    EXPECT_EQ(sample_quantile(&discrete, 1 - 1e-16), 11);
    double counts[3] = {0, 0, 0}, chi = 0;
    const double expected[] = {0.2, 0.5, 0.3}, n = 1e6;
    for (uint64_t scene = 0; scene < 1000000; scene++) {
        const double x = sample_quantile(&discrete, sample_uniform(9, scene, "d"));
        counts[x == 3 ? 0 : x == 5 ? 1 : 2]++;
    }
    for (int i = 0; i < 3; i++) chi += std::pow(counts[i] - n * expected[i], 2) / (n * expected[i]);
    EXPECT_LT(chi, 13.8); // chi-squared with 2 degrees of freedom exceeds it with probability 1e-3
}

// --- scenes ---------------------------------------------------------------------------------------

struct TestStudy {
    Study study = {};
    Parameter parameters[3] = {};
    double values[3] = {1, 2, 4}, cumulative[3] = {0.25, 0.5, 1};
    TestStudy() {
        const char *names[] = {"first", "second", "third"};
        for (int i = 0; i < 3; i++) std::snprintf(parameters[i].name, STUDY_NAME_BYTES, "%s", names[i]);
        parameters[0].distribution = make(DISTRIBUTION_UNIFORM, 10, 20);
        parameters[1].distribution = make(DISTRIBUTION_DISCRETE, 0, 0);
        parameters[1].distribution.value_count = 3;
        parameters[1].distribution.values = values;
        parameters[1].distribution.cumulative = cumulative;
        parameters[2].distribution = make(DISTRIBUTION_NORMAL, 0, 1);
        study.parameters = parameters;
        study.parameter_count = 3;
        study.design = {DESIGN_MONTE_CARLO, 100, 42, 0, 0, 0, 0};
    }
};

TEST(Sample, AScenesValuesDependOnNothingElse) {
    TestStudy test;
    std::vector<std::array<double, 3>> forward(100), backward(100);
    for (uint64_t i = 0; i < 100; i++) sample_parameters(&test.study, i, forward[i].data());
    for (uint64_t i = 100; i-- > 0;) sample_parameters(&test.study, i, backward[i].data());
    EXPECT_EQ(forward, backward);
    // More scenes, fewer parameters, another order: the values stay.
    test.study.design.scene_count = 5;
    std::swap(test.parameters[0], test.parameters[2]);
    test.study.parameter_count = 2;
    std::array<double, 3> values = {};
    sample_parameters(&test.study, 17, values.data());
    EXPECT_EQ(values[0], forward[17][2]);
    EXPECT_EQ(values[1], forward[17][1]);
    test.study.design.seed = 43;
    sample_parameters(&test.study, 17, values.data());
    EXPECT_NE(values[0], forward[17][2]);
}

TEST(Sample, GridIsTheFullProduct) {
    TestStudy test;
    test.study.design = {DESIGN_GRID, 2 * 3 * 4, 1, 0, 0, 0, 0};
    test.parameters[0].grid_levels = 2;
    test.parameters[1].grid_levels = 3;
    test.parameters[2].grid_levels = 4;
    const double normal[] = {-1.150349380376008, -0.3186393639643752}; // quantiles of 1/8 and 3/8
    std::array<double, 3> values = {};
    for (uint64_t scene = 0; scene < 24; scene++) {
        sample_parameters(&test.study, scene, values.data());
        EXPECT_EQ(values[0], scene < 12 ? 10 : 20); // the first varies slowest
        EXPECT_EQ(values[1], test.values[scene / 4 % 3]);
        const uint64_t level = scene % 4;
        EXPECT_NEAR(values[2], level < 2 ? normal[level] : -normal[3 - level], 1e-15);
    }
    test.parameters[0].grid_levels = 1;
    sample_parameters(&test.study, 0, values.data());
    EXPECT_EQ(values[0], 15); // one level: the middle
    test.parameters[0].distribution = make(DISTRIBUTION_LOG_UNIFORM, 1, 10000, 1, 100);
    test.parameters[0].grid_levels = 3;
    sample_parameters(&test.study, 12, values.data());
    EXPECT_DOUBLE_EQ(values[0], 10);
    sample_parameters(&test.study, 24, values.data());
    EXPECT_DOUBLE_EQ(values[0], 100);
}

} // namespace
