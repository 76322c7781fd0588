// Elementary functions of the kernels against the C library's in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/elementary.h"

namespace {

double uniform(std::mt19937_64 &engine, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
}

TEST(Elementary, FunctionsAreThoseOfTheLibrary) {
    std::mt19937_64 engine(5);
    double worst[4] = {0, 0, 0, 0};
    auto off = [](double a, long double b) { return double(std::fabs(a - b) / std::fabs(b)); };
    for (int i = 0; i < 200000; i++) {
        const double x = uniform(engine, -1, 1) * std::pow(10, uniform(engine, -6, 4)), e = uniform(engine, -700, 700);
        const double sine = elementary_sin(x, 0), cosine = elementary_sin(x, 1);
        worst[0] = std::fmax(worst[0], double(std::fabs(sine - std::sin((long double)x))));
        worst[1] = std::fmax(worst[1], double(std::fabs(cosine - std::cos((long double)x))));
        worst[2] = std::fmax(worst[2], off(elementary_exp(e), std::exp((long double)e)));
        const double p = std::exp(e);
        if (std::fabs(p - 1) > 1e-3) worst[3] = std::fmax(worst[3], off(elementary_log(p), std::log((long double)p)));
    }
    printf("sin %.1e, cos %.1e, exp %.1e, log %.1e\n", worst[0], worst[1], worst[2], worst[3]);
    for (double w : worst) EXPECT_LT(w, 5e-16);
    EXPECT_EQ(elementary_exp(0), 1);
    EXPECT_EQ(elementary_log(1), 0);
    EXPECT_TRUE(std::isinf(double(elementary_exp(1000))));
    EXPECT_EQ(elementary_exp(-1000), 0);
    EXPECT_TRUE(std::isnan(double(elementary_log(-1))));
}

TEST(Elementary, AnglesOfPointsAreThoseOfTheLibrary) {
    std::mt19937_64 engine(13);
    double worst = 0;
    for (int i = 0; i < 100000; i++) {
        const double y = uniform(engine, -1, 1), x = uniform(engine, -1, 1) * std::pow(10, uniform(engine, -8, 1));
        const double right = std::atan2(y, x);
        worst = std::fmax(worst, std::fabs(angle_of_point(y, x) - right) / std::fabs(right));
    }
    printf("angles off by %.1e of them\n", worst);
    EXPECT_LT(worst, 1e-15);
    EXPECT_EQ(angle_of_point(0, 0), 0);
    EXPECT_EQ(angle_of_point(0, -2), std::atan2(0, -2));
    EXPECT_EQ(angle_of_point(-3, 0), std::atan2(-3, 0));
}

} // namespace
