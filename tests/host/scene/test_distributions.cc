// Distributions: closed forms, moments and Kolmogorov-Smirnov at 1e5 samples, and with SciPy at 1e6.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sample.h"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Law {
    std::string name;
    Distribution distribution;
    double mean = NAN, variance = NAN;
    std::function<double(double)> cdf;
};

Distribution make(DistributionKind kind, double a, double b, double c = 0, double d = 0, double lower = -infinity,
                  double upper = infinity) {
    Distribution distribution = {};
    distribution.kind = kind;
    distribution.a = a;
    distribution.b = b;
    distribution.c = c;
    distribution.d = d;
    distribution.lower = lower;
    distribution.upper = upper;
    return distribution;
}

double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

std::vector<Law> laws() {
    const double m = 0.3, s = 0.5, g = std::tgamma(1 + 1 / 1.7);
    return {{"lognormal", make(DISTRIBUTION_LOGNORMAL, m, s), std::exp(m + s * s / 2),
             std::expm1(s * s) * std::exp(2 * m + s * s),
             [=](double x) { return normal_below((std::log(x) - m) / s); }},
            {"triangular", make(DISTRIBUTION_TRIANGULAR, 1, 7, 2), 10.0 / 3, (1 + 49 + 4 - 7 - 2 - 14) / 18.0,
             [](double x) { return x < 2 ? (x - 1) * (x - 1) / 6 : 1 - (7 - x) * (7 - x) / 30; }},
            {"exponential", make(DISTRIBUTION_EXPONENTIAL, 2.5, 0), 2.5, 6.25,
             [](double x) { return -std::expm1(-x / 2.5); }},
            {"exponential cut", make(DISTRIBUTION_EXPONENTIAL, 1, 0, 0, 0, 50), 51, 1,
             [](double x) { return -std::expm1(50 - x); }},
            {"weibull", make(DISTRIBUTION_WEIBULL, 1.7, 3), 3 * g, 9 * (std::tgamma(1 + 2 / 1.7) - g * g),
             [](double x) { return -std::expm1(-std::pow(x / 3, 1.7)); }},
            {"beta", make(DISTRIBUTION_BETA, 0, 1, 2, 3), 0.4, 0.04,
             [](double x) { return x * x * (6 - 8 * x + 3 * x * x); }},
            {"beta arcsine", make(DISTRIBUTION_BETA, -1, 1, 0.5, 0.5), 0, 0.5,
             [](double x) { return 0.5 + std::asin(x) / M_PI; }}};
}

double kolmogorov(std::vector<double> values, const std::function<double(double)> &cdf) {
    std::sort(values.begin(), values.end());
    const double n = double(values.size());
    double distance = 0;
    for (size_t i = 0; i < values.size(); i++) {
        const double f = cdf(values[i]);
        distance = std::max({distance, std::fabs(f - double(i) / n), std::fabs(double(i + 1) / n - f)});
    }
    return distance * std::sqrt(n);
}

TEST(Distributions, HaveTheirMomentsAndShapes) {
    for (const Law &law : laws()) {
        std::vector<double> values;
        double sum = 0, square = 0, fourth = 0;
        const double n = 100000;
        for (uint64_t scene = 0; scene < 100000; scene++) {
            values.push_back(sample_quantile(&law.distribution, sample_uniform(11, scene, law.name.c_str())));
            sum += values.back();
        }
        for (const double x : values) {
            square += (x - sum / n) * (x - sum / n);
            fourth += std::pow(x - sum / n, 4);
        }
        const double variance = square / n; // four standard errors, as in test_sample.cc
        EXPECT_NEAR(sum / n, law.mean, 4 * std::sqrt(law.variance / n)) << law.name;
        EXPECT_NEAR(variance, law.variance, 4 * std::sqrt((fourth / n - variance * variance) / n)) << law.name;
        EXPECT_LT(kolmogorov(values, law.cdf), 1.95) << law.name; // probability 1e-3
    }
}

TEST(Distributions, QuantilesInvertTheirClosedForms) {
    for (const Law &law : laws()) {
        double last = -infinity;
        for (double u = 0.001; u < 1; u += 0.001) {
            const double x = sample_quantile(&law.distribution, u);
            EXPECT_NEAR(law.cdf(x), u, 3e-14) << law.name;
            EXPECT_GT(x, last) << law.name;
            last = x;
        }
    }
    // Beta with beta = 1 is a power, in any tail; with alpha = 1 too, from the other end.
    for (const double p : {1e-300, 1e-100, 1e-16, 1e-5, 0.1, 0.5, 0.9, 1 - 1e-10}) {
        for (const double alpha : {0.05, 0.5, 1.0, 3.0, 1000.0, 10000.0}) {
            const Distribution power = make(DISTRIBUTION_BETA, 0, 1, alpha, 1);
            const double expected = std::pow(p, 1 / alpha);
            // Logarithms of up to 745 are summed, and lgamma(alpha) of up to 8e4: their rounding.
            const double error = 1e-12 + 2e-15 * alpha;
            EXPECT_NEAR(sample_quantile(&power, p), expected, error * expected + 1e-300) << alpha << " " << p;
            const Distribution other = make(DISTRIBUTION_BETA, 0, 1, 1, alpha);
            const double mirrored = -std::expm1(std::log1p(-p) / alpha);
            EXPECT_NEAR(sample_quantile(&other, p), mirrored, error * mirrored + 1e-300) << alpha << " " << p;
        }
    }
}

TEST(Distributions, TruncationKeepsItsDigitsInTheTails) {
    // Far out in the lower tail of a triangle, between 1e-9 and 2e-9: F is x^2.
    const Distribution triangle = make(DISTRIBUTION_TRIANGULAR, 0, 1, 0.5, 0, 1e-9, 2e-9);
    EXPECT_NEAR(sample_quantile(&triangle, 0.5) / 1e-9, std::sqrt(2.5), 1e-14);
    const Distribution mirror = make(DISTRIBUTION_TRIANGULAR, -1, 0, -0.5, 0, -2e-9, -1e-9);
    EXPECT_NEAR(sample_quantile(&mirror, 0.5) / -1e-9, std::sqrt(2.5), 1e-14);
    const Distribution beta = make(DISTRIBUTION_BETA, 0, 1, 2, 1, 1e-9, 2e-9);
    EXPECT_NEAR(sample_quantile(&beta, 0.5) / 1e-9, std::sqrt(2.5), 1e-12);
    const Distribution weibull = make(DISTRIBUTION_WEIBULL, 2, 1, 0, 0, 30, infinity);
    EXPECT_NEAR(sample_quantile(&weibull, 0.5), std::sqrt(900 + std::log(2.0)), 1e-13);
    const Distribution lognormal = make(DISTRIBUTION_LOGNORMAL, 0, 1, 0, 0, 0.5, 2);
    EXPECT_NEAR(sample_quantile(&lognormal, 0.5), 1, 1e-15);
    EXPECT_NEAR(sample_quantile(&lognormal, 0), 0.5, 1e-15);
    EXPECT_NEAR(sample_quantile(&lognormal, 1), 2, 1e-15);
}

TEST(Distributions, IntegersAreAllAlike) {
    const Distribution integer = make(DISTRIBUTION_INTEGER, -2, 5, 0, 0, -1.5, 4.5); // -1 to 4
    double counts[6] = {0}, chi = 0;
    const double n = 60000;
    for (uint64_t scene = 0; scene < 60000; scene++) {
        const double x = sample_quantile(&integer, sample_uniform(9, scene, "i"));
        ASSERT_TRUE(x >= -1 && x <= 4 && x == std::floor(x)) << x;
        counts[int(x) + 1]++;
    }
    for (const double count : counts) chi += std::pow(count - n / 6, 2) / (n / 6);
    EXPECT_LT(chi, 20.5); // 5 degrees of freedom: probability 1e-3
    EXPECT_EQ(sample_quantile(&integer, 0), -1);
    EXPECT_EQ(sample_quantile(&integer, 1), 4);
}

// --- SciPy ----------------------------------------------------------------------------------------

constexpr int skipped = 77, not_found = 127;

int run_python(const std::string &arguments) {
    const char *chosen = std::getenv("CLACK_PYTHON");
    for (const std::string name : {chosen != nullptr ? chosen : "", "python3", "/usr/bin/python3"}) {
        if (name.empty()) continue;
        const int state = std::system(("'" + name + "' " + arguments).c_str());
        const int code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
        if (code != skipped && code != not_found) return code;
    }
    return skipped;
}

std::string text_of(const std::string &kind, const Distribution &d) {
    char text[256];
    std::snprintf(text, sizeof text, "%s %.17g %.17g %.17g %.17g %.17g %.17g ", kind.c_str(), d.a, d.b, d.c, d.d,
                  d.lower, d.upper);
    return text;
}

std::vector<std::pair<std::string, Distribution>> scipy_laws() {
    return {{"lognormal", make(DISTRIBUTION_LOGNORMAL, -2, 0.7)},
            {"lognormal", make(DISTRIBUTION_LOGNORMAL, -2, 0.7, 0, 0, 0.1, 0.3)},
            {"triangular", make(DISTRIBUTION_TRIANGULAR, -3, 4, 1.5)},
            {"triangular", make(DISTRIBUTION_TRIANGULAR, 0, 1, 0, 0, 0.2, 0.9)},
            {"triangular", make(DISTRIBUTION_TRIANGULAR, 0, 1, 1, 0, 0.2, infinity)},
            {"exponential", make(DISTRIBUTION_EXPONENTIAL, 0.01, 0)},
            {"exponential", make(DISTRIBUTION_EXPONENTIAL, 3, 0, 0, 0, 1, 4)},
            {"weibull", make(DISTRIBUTION_WEIBULL, 0.6, 2)},
            {"weibull", make(DISTRIBUTION_WEIBULL, 8, 2, 0, 0, 1.5, 2.2)},
            {"beta", make(DISTRIBUTION_BETA, 0, 1, 2.5, 0.7)},
            {"beta", make(DISTRIBUTION_BETA, 0, 3, 0.3, 0.4)},
            {"beta", make(DISTRIBUTION_BETA, 0, 1, 300, 20, 0.9, 0.95)},
            {"beta", make(DISTRIBUTION_BETA, 0, 2, 9000, 10000)},
            {"normal", make(DISTRIBUTION_NORMAL, 1, 2)},
            {"normal", make(DISTRIBUTION_NORMAL, 1, 2, 0, 0, 0, 5)},
            {"uniform", make(DISTRIBUTION_UNIFORM, -2, 6)},
            {"log_uniform", make(DISTRIBUTION_LOG_UNIFORM, 0.1, 10)},
            {"log_uniform", make(DISTRIBUTION_LOG_UNIFORM, 0.1, 10, 0, 0, 0.5, 20)},
            {"integer", make(DISTRIBUTION_INTEGER, -3, 8)}};
}

TEST(DistributionsSlow, AgreeWithSciPy) {
    const std::string stem = testing::TempDir() + "clack_distributions_" + std::to_string(getpid()) + "_";
    const std::string table = stem + "table.txt", list = stem + "list.txt";
    std::vector<std::string> paths = {table, list};
    std::ofstream rows(table), files(list);
    for (const auto &law : scipy_laws()) {
        const std::string text = text_of(law.first, law.second);
        for (const double u : {1e-12, 1e-6, 0.01, 0.2, 0.5, 0.7, 0.95, 0.999, 1 - 1e-9}) {
            if (law.first == "integer") break; // its values have no density
            char numbers[64];
            std::snprintf(numbers, sizeof numbers, "%.17g %.17g\n", u, sample_quantile(&law.second, u));
            rows << text << numbers;
        }
        paths.push_back(stem + std::to_string(paths.size()) + ".bin");
        std::ofstream samples(paths.back(), std::ios::binary);
        for (uint64_t scene = 0; scene < 1000000; scene++) {
            const double x = sample_quantile(&law.second, sample_uniform(3, scene, law.first.c_str()));
            samples.write(reinterpret_cast<const char *>(&x), sizeof x);
        }
        files << text << paths.back() << "\n";
    }
    rows.close();
    files.close();
    const std::string check =
        "'" CLACK_SOURCE_DIR "/tests/host/scene/check_distributions.py' '" + table + "' '" + list + "'";
    const int code = run_python(check);
    if (code == 0) { // the check can fail: a quantile that is 1e-8 off
        std::ofstream(table) << text_of("beta", make(DISTRIBUTION_BETA, 0, 1, 2, 3)) << "0.5 0.38572756\n";
        std::ofstream(list, std::ios::trunc).close();
        EXPECT_EQ(run_python(check + " >/dev/null"), 1);
    }
    for (const std::string &path : paths) std::remove(path.c_str());
    if (code == skipped) GTEST_SKIP() << "no Python with SciPy";
    EXPECT_EQ(code, 0);
}

} // namespace
