// The arithmetic of devices: the table of what IEEE 754 gives, machines that compute otherwise, and real devices, some
// of them made to.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "arithmetic.h"
#include "session.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace {

namespace fs = std::filesystem;

double number(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

uint64_t bits(double x) {
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

// A machine that computes as the host does; others differ in what they override.
struct Machine {
    virtual ~Machine() = default;
    virtual double taken(double x) { return x; } // an operand
    virtual double given(double x) { return x; } // a result
    virtual double add(double a, double b) { return a + b; }
    virtual double times(double a, double b) { return a * b; }
    virtual double over(double a, double b) { return a / b; }
    virtual double root(double a) { return std::sqrt(a); }
    virtual double fused(double a, double b, double c) { return std::fma(a, b, c); }
    virtual double product_plus(double a, double b, double c) { return add(times(a, b), c); }
    virtual bool less(double a, double b) { return a < b; }
    virtual bool same(double a, double b) { return a == b; }
};

double truth(bool is_true) { return is_true ? 1.0 : 0.0; }

double compute_simple(Machine &m, uint64_t operation, double a, double b, double c) {
    switch (operation) {
    case EXACT_ADD: return m.add(a, b);
    case EXACT_SUBTRACT: return m.add(a, -b);
    case EXACT_MULTIPLY: return m.times(a, b);
    case EXACT_DIVIDE: return m.over(a, b);
    case EXACT_ROOT: return m.root(a);
    case EXACT_FMA: return m.fused(a, b, c);
    case EXACT_PRODUCT_PLUS: return m.product_plus(a, b, c);
    case EXACT_PRODUCT_MINUS: return m.product_plus(a, b, -c);
    case EXACT_MINUS_PRODUCT: return m.product_plus(-a, b, c);
    case EXACT_SUM_OF_PRODUCTS: return m.product_plus(a, b, m.times(c, c));
    case EXACT_SUM_LESS_FIRST: return m.add(m.add(a, b), -a);
    case EXACT_SUM_IN_ORDER: return m.add(m.add(a, b), c);
    case EXACT_QUOTIENT_TIMES: return m.times(m.over(a, b), b);
    case EXACT_QUOTIENTS: return m.add(m.over(a, c), m.over(b, c));
    case EXACT_THIRD: return m.over(a, 3.0);
    case EXACT_ROOT_SQUARED: return m.times(m.root(a), m.root(a));
    case EXACT_PER_ROOT: return m.over(a, m.root(b));
    default: return NAN;
    }
}

double compute(Machine &m, uint64_t operation, double a, double b, double c) {
    switch (operation) {
    case EXACT_PLUS_ZERO: return m.add(a, 0.0);
    case EXACT_ZERO_TIMES: return m.times(0.0, a);
    case EXACT_ZERO_MINUS: return m.add(0.0, -a);
    case EXACT_LESS_ITSELF: return m.add(a, -a);
    case EXACT_NEGATIVE: return -a;
    case EXACT_ABSOLUTE: return std::fabs(a);
    case EXACT_IS_LESS: return truth(m.less(a, b));
    case EXACT_IS_AT_MOST: return truth(m.less(a, b) || m.same(a, b));
    case EXACT_IS_EQUAL: return truth(m.same(a, b));
    case EXACT_IS_OTHER: return truth(!m.same(a, b));
    case EXACT_IS_NOT_LESS: return truth(!m.less(a, b));
    case EXACT_IS_FINITE: return truth(m.less(std::fabs(a), HUGE_VAL));
    case EXACT_LEAST: return m.less(a, b) ? a : b;
    case EXACT_MOST: return m.less(b, a) ? a : b;
    case EXACT_CHOSEN: return m.less(a, 0.0) ? b : c;
    case EXACT_FLOOR: return std::floor(a);
    case EXACT_TO_COUNT: return double(uint32_t(a));
    case EXACT_TO_INTEGER: return double(int32_t(a));
    case EXACT_EXPONENT: return double(int32_t(bits(a) >> 52)) - 1023.0;
    case EXACT_SCALED: return m.times(a, number(uint64_t(int32_t(b) + 1023) << 52));
    default: return compute_simple(m, operation, a, b, c);
    }
}

std::vector<uint64_t> results_of(Machine &m) {
    std::vector<uint64_t> results;
    for (size_t i = 0; i < arithmetic_row_count; i++) {
        const ArithmeticRow &row = arithmetic_rows[i];
        const double a = m.taken(number(row.a)), b = m.taken(number(row.b)), c = m.taken(number(row.c));
        results.insert(results.end(), EXACT_RESULTS, bits(m.given(compute(m, row.operation, a, b, c))));
    }
    return results;
}

std::string verdict_on(const std::vector<uint64_t> &results) {
    char verdict[256];
    static_assert(sizeof verdict == ARITHMETIC_VERDICT_BYTES, "as devices have it");
    arithmetic_judge(results.data(), verdict);
    return verdict;
}

template <class Wrong> std::string verdict_of() {
    Wrong machine;
    return verdict_on(results_of(machine));
}

TEST(ArithmeticTable, IsWhatTheHostComputes) { EXPECT_EQ(verdict_of<Machine>(), "IEEE 754"); }

TEST(ArithmeticTable, EveryResultThatIsSpoiledIsFound) {
    Machine machine;
    const std::vector<uint64_t> right = results_of(machine);
    for (size_t i = 0; i < right.size(); i++) {
        std::vector<uint64_t> spoiled = right;
        spoiled[i] = std::isnan(number(right[i])) ? 0 : right[i] ^ 1;
        char verdict[256];
        ASSERT_EQ(arithmetic_judge(spoiled.data(), verdict), 1u) << "row " << i / EXACT_RESULTS;
        EXPECT_NE(std::string(verdict).find("not IEEE 754: "), std::string::npos) << verdict;
        ClackReport report{};
        arithmetic_explain(spoiled.data(), &report);
        ASSERT_EQ(report.count, 1u);
        char found[32];
        snprintf(found, sizeof found, "found 0x%016llx", static_cast<unsigned long long>(spoiled[i]));
        EXPECT_NE(std::string(report.lines[0]).find(found), std::string::npos) << report.lines[0];
        EXPECT_EQ(std::string(report.lines[0]).find("in vectors") != std::string::npos, i % EXACT_RESULTS == 1);
        clack_report_clear(&report);
    }
}

TEST(ArithmeticTable, ANumberThatIsNoneMayBeAny) {
    Machine machine;
    std::vector<uint64_t> results = results_of(machine);
    for (uint64_t &result : results)
        if (std::isnan(number(result))) result = 0xfff8000000012345;
    EXPECT_EQ(verdict_on(results), "IEEE 754");
}

// --- machines that compute otherwise --------------------------------------------------------------

struct WithoutFma : Machine { // as Mesa's rusticl
    double fused(double a, double b, double c) override { return a * b + c; }
};

struct WiderFma : Machine { // the product in 64 bits of fraction
    double fused(double a, double b, double c) override { return double((long double)a * b + c); }
};

struct Contracting : Machine {
    double product_plus(double a, double b, double c) override { return std::fma(a, b, c); }
};

struct Flushed {
    static double of(double x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x; }
};
struct FlushingOperands : Machine {
    double taken(double x) override { return Flushed::of(x); }
};
struct FlushingResults : Machine {
    double given(double x) override { return Flushed::of(x); }
};

struct Wider : Machine { // x87: rounds to 64 bits of fraction, then to 53
    double add(double a, double b) override { return double((long double)a + b); }
    double times(double a, double b) override { return double((long double)a * b); }
    double over(double a, double b) override { return double((long double)a / b); }
    double root(double a) override { return double(sqrtl((long double)a)); }
};

struct ByReciprocal : Machine {
    double over(double a, double b) override { return a * (1.0 / b); }
};
struct NextQuotient : Machine { // off by one in the last place where the remainder is nearly a half
    double over(double a, double b) override {
        const double q = a / b, rest = std::fma(-q, b, a) / b,
                     unit = std::nextafter(std::fabs(q), HUGE_VAL) - std::fabs(q);
        return std::fabs(std::fabs(rest) / unit - 0.5) < 1e-9 ? std::nextafter(q, q + (rest > 0 ? 1 : -1) * unit) : q;
    }
};
struct ByReciprocalRoot : Machine {
    double root(double a) override { return a > 0 && a < HUGE_VAL ? a * (1.0 / std::sqrt(a)) : std::sqrt(a); }
};
struct TowardsZero : Machine {
    double add(double a, double b) override {
        const double sum = a + b, high = std::fabs(a) > std::fabs(b) ? a : b, low = high == a ? b : a;
        const double rest = low - (sum - high);
        return std::isfinite(sum) && rest != 0 && (rest < 0) == (sum > 0) ? std::nextafter(sum, 0.0) : sum;
    }
};
struct OfFloats : Machine {
    double add(double a, double b) override { return float(a) + float(b); }
};
struct UnorderedIsLess : Machine { // a < b as !(a >= b)
    bool less(double a, double b) override { return !(a >= b); }
};
struct UnorderedIsSame : Machine {
    bool same(double a, double b) override { return !(a < b) && !(a > b); }
};
struct WithoutZeros : Machine {
    double add(double a, double b) override { return b == 0 ? a : a + b; }
};

bool has(const std::string &verdict, const std::string &word) {
    return verdict.rfind("not IEEE 754: ", 0) == 0 && (verdict + ",").find(" " + word + ",") != std::string::npos;
}

TEST(ArithmeticOfOthers, EachKindOfWrongnessIsTold) {
    EXPECT_EQ(verdict_of<WithoutFma>(), "not IEEE 754: fma, subnormal numbers"); // of operands of fma
    EXPECT_EQ(verdict_of<Contracting>(), "not IEEE 754: contraction");
    EXPECT_EQ(verdict_of<FlushingOperands>(), "not IEEE 754: subnormal numbers");
    EXPECT_EQ(verdict_of<FlushingResults>(), "not IEEE 754: subnormal numbers");
    EXPECT_TRUE(has(verdict_of<ByReciprocal>(), "division")) << verdict_of<ByReciprocal>();
    EXPECT_TRUE(has(verdict_of<NextQuotient>(), "division")) << verdict_of<NextQuotient>();
    EXPECT_TRUE(has(verdict_of<ByReciprocalRoot>(), "square root")) << verdict_of<ByReciprocalRoot>();
    EXPECT_TRUE(has(verdict_of<TowardsZero>(), "addition")) << verdict_of<TowardsZero>();
    EXPECT_TRUE(has(verdict_of<OfFloats>(), "addition")) << verdict_of<OfFloats>();
    EXPECT_EQ(verdict_of<UnorderedIsLess>().substr(0, 36), "not IEEE 754: comparison, selection");
    EXPECT_EQ(verdict_of<UnorderedIsSame>(), "not IEEE 754: comparison");
    EXPECT_TRUE(has(verdict_of<WithoutZeros>(), "zeros")) << verdict_of<WithoutZeros>();
}

TEST(ArithmeticOfOthers, TwoRoundingsAreTold) {
    if (LDBL_MANT_DIG != 64) GTEST_SKIP() << "long double is not x87's";
    const std::string verdict = verdict_of<Wider>();
    for (const char *word : {"addition", "multiplication", "division", "square root", "subnormal numbers"})
        EXPECT_TRUE(has(verdict, word)) << word << ": " << verdict;
    EXPECT_TRUE(has(verdict_of<WiderFma>(), "fma")) << verdict_of<WiderFma>();
}

// --- devices --------------------------------------------------------------------------------------

struct Opened {
    Device *device = nullptr;
    ClackReport report{};
    ClackStatus status;
    explicit Opened(const char *choice, const char *build_options = nullptr, int allow_inexact = 0,
                    ClackSession *session = nullptr) {
        DeviceOptions options{};
        options.choice = choice;
        options.build_options = build_options;
        options.allow_inexact = allow_inexact;
        options.session = session;
        const Content content = {PROGRAM_PROBE, 0, 0, 0, 0, 0};
        status = device_open(&options, &content, &device, &report);
    }
    ~Opened() {
        if (status == CLACK_OK) device_close(device);
        clack_report_clear(&report);
    }
    std::string text() const {
        std::string all;
        for (size_t i = 0; i < report.count; i++) all += std::string(report.lines[i]) + "\n";
        return all;
    }
    std::string verdict() const { return status == CLACK_OK ? device_info(device)->arithmetic : ""; }
};

TEST(ArithmeticOfDevices, NativeIsExact) {
    const Opened native("native");
    ASSERT_EQ(native.status, CLACK_OK) << native.text();
    EXPECT_EQ(native.verdict(), "IEEE 754");
}

#ifdef __SSE2__
TEST(ArithmeticOfDevices, NativeWhoseCallerFlushesIsRefused) { // as libraries do that were built with -ffast-math
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); // flush to zero, denormals are zeros
    const Opened native("native");
    _mm_setcsr(before);
    EXPECT_EQ(native.status, CLACK_DEVICE);
    EXPECT_NE(native.text().find("device native"), std::string::npos) << native.text();
    EXPECT_NE(native.text().find("not IEEE 754: subnormal numbers ("), std::string::npos) << native.text();
}
#endif

#define OPEN_CPU(name, ...)                                                                                            \
    const Opened name("cpu", ##__VA_ARGS__);                                                                           \
    if (name.status == CLACK_USAGE) GTEST_SKIP() << "no OpenCL CPU device"

TEST(ArithmeticOfDevices, OpenClIsExact) {
    OPEN_CPU(opencl);
    ASSERT_EQ(opencl.status, CLACK_OK) << opencl.text();
    EXPECT_EQ(opencl.verdict(), "IEEE 754");
    EXPECT_EQ(opencl.report.count, 0u) << opencl.text();
}

// Options that break it (the second opening shows how; it is not refused).
void expect_refused(const char *options, const char *word, bool may_be_without_effect = true) {
    OPEN_CPU(refused, options);
    if (may_be_without_effect && refused.verdict() == "IEEE 754") { // compilers may, but need not
        printf("%s: without effect\n", options);
        return;
    }
    EXPECT_EQ(refused.status, CLACK_DEVICE) << options;
    EXPECT_NE(refused.text().find("--allow-inexact"), std::string::npos) << refused.text();
    EXPECT_NE(refused.text().find(std::string(word) + ": "), std::string::npos) << refused.text();
    EXPECT_NE(refused.text().find("expected 0x"), std::string::npos) << refused.text();
    const Opened allowed("cpu", options, 1);
    ASSERT_EQ(allowed.status, CLACK_OK) << allowed.text();
    EXPECT_TRUE(has(allowed.verdict(), word)) << allowed.verdict();
    EXPECT_EQ(allowed.report.count, 1u) << "one warning: " << allowed.text();
    EXPECT_NE(allowed.text().find(allowed.verdict()), std::string::npos) << allowed.text();
    printf("%s: %s\n", options, allowed.verdict().c_str());
}

TEST(ArithmeticOfDevices, OpenClWithRelaxedMathIsRefused) {
    expect_refused("-cl-fast-relaxed-math", "comparison", false);
}
TEST(ArithmeticOfDevices, OpenClWithWrongOptionsIsRefused) { // -cl-mad-enable changes nothing: FP_CONTRACT is off
    expect_refused("-cl-no-signed-zeros", "zeros");
    expect_refused("-cl-unsafe-math-optimizations", "reordering");
    expect_refused("-cl-finite-math-only", "selection");
}
TEST(ArithmeticOfDevices, OpenClThatFlushesIsRefused) { expect_refused("-cl-denorms-are-zero", "subnormal numbers"); }

// Kernels with a change, from a folder.
struct Kernels {
    fs::path path;
    Kernels() {
        std::string pattern = (fs::temp_directory_path() / "clack kernels XXXXXX").string();
        path = mkdtemp(pattern.data());
        fs::copy(fs::path(CLACK_SOURCE_DIR) / "kernels", path, fs::copy_options::recursive);
        setenv("CLACK_KERNEL_DIR", path.c_str(), 1);
    }
    ~Kernels() {
        unsetenv("CLACK_KERNEL_DIR");
        fs::remove_all(path);
    }
    void change(const char *file, const std::string &from, const std::string &to) const {
        std::ifstream in(path / file);
        std::string text{std::istreambuf_iterator<char>(in), {}};
        const size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        std::ofstream(path / file) << text.replace(at, from.size(), to);
    }
};

TEST(ArithmeticOfDevices, OpenClWithoutFmaIsRefused) {
    const Kernels kernels;
    kernels.change("base/portable.h", "#define real_fma(a, b, c) fma((real)(a), (real)(b), (real)(c))",
                   "#define real_fma(a, b, c) ((real)(a) * (real)(b) + (real)(c))");
    OPEN_CPU(opencl);
    EXPECT_EQ(opencl.status, CLACK_DEVICE);
    EXPECT_NE(opencl.text().find("fma: fma(a, b, c) of a = 0x"), std::string::npos) << opencl.text();
    EXPECT_EQ(opencl.text().find("contraction"), std::string::npos) << opencl.text();
}

TEST(ArithmeticOfDevices, OpenClThatContractsIsRefused) {
    const Kernels kernels;
    kernels.change("base/portable.h", "FP_CONTRACT OFF", "FP_CONTRACT ON");
    OPEN_CPU(opencl);
    if (opencl.status == CLACK_OK) GTEST_SKIP() << "the processor has no fma to contract to";
    EXPECT_EQ(opencl.status, CLACK_DEVICE);
    EXPECT_NE(opencl.text().find("contraction: a * b + c of a = 0x"), std::string::npos) << opencl.text();
}

TEST(ArithmeticOfDevices, OpenClVectorsAreTriedToo) {
    const Kernels kernels;
    kernels.change("base/lane.h", "Lane lane_fma(Lane a, Lane b, Lane c) { return fma(a, b, c); }",
                   "Lane lane_fma(Lane a, Lane b, Lane c) { return a * b + c; }");
    OPEN_CPU(opencl);
    if (opencl.status == CLACK_OK) GTEST_SKIP() << "the processor has no vectors of four numbers";
    EXPECT_NE(opencl.text().find("fma: fma(a, b, c) in vectors of a = 0x"), std::string::npos) << opencl.text();
}

TEST(ArithmeticOfDevices, OpenClThatWaitsInASessionIsForThoseWhoAllowIt) {
    ClackSession *session = nullptr;
    const char *relaxed = "-cl-fast-relaxed-math";
    ASSERT_EQ(clack_session_open(&session, nullptr), CLACK_OK);
    for (int k = 0; k < 2; k++) {
        OPEN_CPU(allowed, relaxed, 1, session);
        ASSERT_EQ(allowed.status, CLACK_OK) << allowed.text();
        EXPECT_EQ(allowed.report.count, 1u) << "each call is warned: " << allowed.text();
        const Opened refused("cpu", relaxed, 0, session);
        EXPECT_EQ(refused.status, CLACK_DEVICE);
    }
    clack_session_close(session);
}

TEST(ArithmeticOfDevices, OpenClIsNotMeasuredWhereBitsDoNotMatter) {
    OPEN_CPU(opencl, "-cl-fast-relaxed-math", ARITHMETIC_UNASKED);
    EXPECT_EQ(opencl.status, CLACK_OK) << opencl.text();
    EXPECT_EQ(opencl.verdict(), "");
}

} // namespace
