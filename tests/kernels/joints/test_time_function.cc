// Functions of time: values and derivatives against long double and its differences, tables against their points.
#include <cmath>
#include <random>

#include "kernel_scene.h"

namespace {

double drawn(std::mt19937_64 &engine, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
}

FunctionRow row_of(uint32_t code, double value = 0) {
    FunctionRow row{};
    row.code = code;
    row.value = value;
    return row;
}

// value and derivatives of f(a(t), b(t)) with a = 0.3 + 0.5 t + 0.2 t^2, b = 0.9 - 0.4 t + 0.1 t^2, by the rows.
void check(uint32_t code, long double (*f)(long double, long double)) {
    std::vector<FunctionRow> rows;
    auto polynomial = [&](double p, double q, double r) {
        for (const FunctionRow &row :
             {row_of(FUNCTION_CONSTANT, p), row_of(FUNCTION_CONSTANT, q), row_of(FUNCTION_TIME),
              row_of(FUNCTION_MULTIPLY), row_of(FUNCTION_ADD), row_of(FUNCTION_CONSTANT, r), row_of(FUNCTION_TIME),
              row_of(FUNCTION_CONSTANT, 2), row_of(FUNCTION_POWER), row_of(FUNCTION_MULTIPLY), row_of(FUNCTION_ADD)})
            rows.push_back(row);
    };
    polynomial(0.3, 0.5, 0.2);
    if (function_takes_two(code)) polynomial(0.9, -0.4, 0.1);
    rows.push_back(row_of(code));
    auto at = [&](long double t) { return f(0.3L + 0.5L * t + 0.2L * t * t, 0.9L - 0.4L * t + 0.1L * t * t); };
    for (const double t : {0.0, 0.1, 0.35}) {
        const TimeValue v = time_function(rows.data(), uint32_t(rows.size()), t);
        const long double h = 1e-5L, low = at(t - h), mid = at(t), high = at(t + h);
        EXPECT_NEAR(double(v.value), double(mid), 2e-15 * (1 + std::fabs(double(mid)))) << code;
        EXPECT_NEAR(double(v.rate), double((high - low) / (2 * h)), 1e-8 * (1 + std::fabs(double(v.rate)))) << code;
        EXPECT_NEAR(double(v.second_derivative), double((high - 2 * mid + low) / (h * h)),
                    2e-7 * (1 + std::fabs(double(v.second_derivative))))
            << code;
    }
}

using L = long double;

TEST(TimeFunction, DerivativesAreThoseOfTheValues) {
    check(FUNCTION_NEGATE, [](L a, L) { return -a; });
    check(FUNCTION_ADD, [](L a, L b) { return a + b; });
    check(FUNCTION_SUBTRACT, [](L a, L b) { return a - b; });
    check(FUNCTION_MULTIPLY, [](L a, L b) { return a * b; });
    check(FUNCTION_DIVIDE, [](L a, L b) { return a / b; });
    check(FUNCTION_POWER, [](L a, L b) { return std::pow(a, b); });
    check(FUNCTION_SQRT, [](L a, L) { return std::sqrt(a); });
    check(FUNCTION_ABS, [](L a, L) { return std::fabs(a); });
    check(FUNCTION_MIN, [](L a, L b) { return std::fmin(a, b); });
    check(FUNCTION_MAX, [](L a, L b) { return std::fmax(a, b); });
    check(FUNCTION_SIN, [](L a, L) { return std::sin(a); });
    check(FUNCTION_COS, [](L a, L) { return std::cos(a); });
    check(FUNCTION_TAN, [](L a, L) { return std::tan(a); });
    check(FUNCTION_ASIN, [](L a, L) { return std::asin(a); });
    check(FUNCTION_ACOS, [](L a, L) { return std::acos(a); });
    check(FUNCTION_ATAN, [](L a, L) { return std::atan(a); });
    check(FUNCTION_ATAN2, [](L a, L b) { return std::atan2(a, b); });
    check(FUNCTION_EXP, [](L a, L) { return std::exp(a); });
    check(FUNCTION_LOG, [](L a, L) { return std::log(a); });
    check(FUNCTION_FLOOR, [](L a, L) { return std::floor(a); });
    check(FUNCTION_CEIL, [](L a, L) { return std::ceil(a); });
    check(FUNCTION_LESS, [](L a, L b) { return L(a < b); });
    check(FUNCTION_LESS_EQUAL, [](L a, L b) { return L(a <= b); });
    check(FUNCTION_GREATER, [](L a, L b) { return L(a > b); });
    check(FUNCTION_GREATER_EQUAL, [](L a, L b) { return L(a >= b); });
    check(FUNCTION_EQUAL, [](L a, L b) { return L(a == b); });
    check(FUNCTION_NOT_EQUAL, [](L a, L b) { return L(a != b); });
}

TEST(TimeFunction, PowersOfConstantExponents) {
    for (const double n : {0.0, 1.0, 2.0, 3.0, 7.0, -1.0, -4.0, 0.5, 1.5, -2.5}) {
        const FunctionRow rows[] = {row_of(FUNCTION_TIME), row_of(FUNCTION_CONSTANT, n), row_of(FUNCTION_POWER)};
        for (const double t : {0.2, 1.7}) {
            const TimeValue v = time_function(rows, 3, t);
            EXPECT_NEAR(double(v.value), std::pow(t, n), 1e-14 * std::pow(t, n)) << n;
            EXPECT_NEAR(double(v.rate), n * std::pow(t, n - 1), 1e-13 * std::pow(t, n - 1)) << n;
            EXPECT_NEAR(double(v.second_derivative), n * (n - 1) * std::pow(t, n - 2), 1e-12 * std::pow(t, n - 2)) << n;
        }
        if (n < 0 || n == 0.5 || n == 1.5) continue;
        const TimeValue zero = time_function(rows, 3, 0);
        EXPECT_EQ(zero.value, n == 0 ? 1 : 0) << n;
        EXPECT_EQ(zero.rate, n == 1 ? 1 : 0) << n;
        EXPECT_EQ(zero.second_derivative, n == 2 ? 2 : 0) << n;
    }
}

// Each piece of a table ends with the values and slopes of its points; before and after it, nothing changes.
TEST(TimeFunction, TablesPassTheirPoints) {
    std::mt19937_64 engine(6);
    std::vector<FunctionRow> rows(1, row_of(FUNCTION_TABLE));
    rows[0].count = 40;
    for (uint32_t i = 0; i < 40; i++) {
        rows.push_back(row_of(FUNCTION_POINT, drawn(engine, -1, 1)));
        rows.back().time_s = i + drawn(engine, -0.3, 0.3);
        rows.back().slope = i > 0 && i < 39 ? drawn(engine, -1, 1) : 0;
    }
    for (uint32_t i = 1; i <= 40; i++) {
        const TimeValue v = time_function(rows.data(), 41, rows[i].time_s);
        EXPECT_NEAR(double(v.value), double(rows[i].value), 1e-15);
        EXPECT_NEAR(double(v.rate), double(rows[i].slope), 1e-15);
        const TimeValue before = time_function(rows.data(), 41, rows[i].time_s - 1e-9);
        EXPECT_NEAR(double(before.value), double(rows[i].value), 3e-9);
        EXPECT_NEAR(double(before.rate), double(rows[i].slope), 1e-7);
    }
    EXPECT_EQ(time_function(rows.data(), 41, -5).value, rows[1].value);
    EXPECT_EQ(time_function(rows.data(), 41, 100).value, rows[40].value);
    EXPECT_EQ(time_function(rows.data(), 41, 100).rate, 0);
}

} // namespace
