// Loops that threads share: every iteration once, and of failures the one that a single thread would have met.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "thread_pool.h"

namespace {

constexpr uint32_t ITERATIONS = 10007;

struct Loop {
    std::vector<std::atomic<int>> taken = std::vector<std::atomic<int>>(ITERATIONS);
    std::vector<uint32_t> failing;
};

ClackStatus take(void *context, uint32_t first, uint32_t last, ClackReport *report) {
    Loop *loop = static_cast<Loop *>(context);
    for (uint32_t i = first; i < last; i++) {
        loop->taken[i]++;
        for (uint32_t bad : loop->failing)
            if (i == bad) return report_add(report, CLACK_STUDY, "iteration %u", i);
    }
    return CLACK_OK;
}

class ThreadPoolOf : public ::testing::TestWithParam<uint32_t> {};

TEST_P(ThreadPoolOf, EveryTurnIsTakenOnce) {
    ThreadPool *pool = nullptr;
    ASSERT_EQ(thread_pool_open(GetParam(), &pool, nullptr), CLACK_OK);
    EXPECT_EQ(thread_pool_size(pool), GetParam());
    for (uint32_t chunk : {1u, 7u, 64u, ITERATIONS + 1}) {
        Loop loop;
        ASSERT_EQ(thread_pool_share(pool, ITERATIONS, chunk, take, &loop, nullptr), CLACK_OK);
        for (uint32_t i = 0; i < ITERATIONS; i++)
            ASSERT_EQ(loop.taken[i], 1) << "iteration " << i << ", chunk " << chunk;
    }
    EXPECT_EQ(thread_pool_share(pool, 0, 1, take, nullptr, nullptr), CLACK_OK);
    thread_pool_close(pool);
}

TEST_P(ThreadPoolOf, TellsTheFirstFailureWhoeverMetIt) {
    ThreadPool *pool = nullptr;
    ASSERT_EQ(thread_pool_open(GetParam(), &pool, nullptr), CLACK_OK);
    for (int k = 0; k < 200; k++) {
        Loop loop;
        const uint32_t first = 13u * static_cast<uint32_t>(k);
        loop.failing = {first + 900, first + 5, first, ITERATIONS - 1};
        ClackReport report = {};
        EXPECT_EQ(thread_pool_share(pool, ITERATIONS, 3, take, &loop, &report), CLACK_STUDY);
        ASSERT_EQ(report.count, 1u);
        EXPECT_EQ(report.lines[0], "iteration " + std::to_string(first));
        EXPECT_EQ(report.status, CLACK_STUDY);
        clack_report_clear(&report);
        for (uint32_t i = 0; i <= first; i++)
            ASSERT_EQ(loop.taken[i], 1) << "iteration " << i << " before the failure of " << first;
    }
    Loop good; // a loop after a failure is whole
    EXPECT_EQ(thread_pool_share(pool, ITERATIONS, 3, take, &good, nullptr), CLACK_OK);
    EXPECT_EQ(good.taken[ITERATIONS - 1], 1);
    thread_pool_close(pool);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOf, ::testing::Values(1u, 2u, 5u));

TEST(ThreadPool, NobodyButTheCaller) {
    Loop loop;
    EXPECT_EQ(thread_pool_share(nullptr, ITERATIONS, 3, take, &loop, nullptr), CLACK_OK);
    EXPECT_EQ(loop.taken[ITERATIONS - 1], 1);
}

} // namespace
