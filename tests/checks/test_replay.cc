// The replay of work-items as warps (bench/replay/replay_warp.c): traces whose divergence, strides and reuse are known.
#include <array>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include "replay.h"
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_load8(void *at);
void __sanitizer_cov_store8(void *at);
}

namespace {

char *const MEMORY = reinterpret_cast<char *>(uintptr_t(1) << 33); // an address alone

// A work-item that runs blocks, and after each reads 8 bytes from as many addresses as there are.
// All from one place, so that the depth of calls is the same.
void run_blocks(uint32_t item, const std::vector<uint32_t> &blocks, const std::vector<size_t> &reads = {}) {
    trace_begin(item);
    for (uint32_t block : blocks) {
        __sanitizer_cov_trace_pc_guard(&block);
        for (const size_t offset : reads) __sanitizer_cov_load8(MEMORY + offset);
    }
    trace_end();
}

TEST(Replay, LanesThatAgree) {
    for (uint32_t item = 0; item < WARP; item++) run_blocks(item, {1, 2, 3});
    const Totals t = replay_traces(WARP);
    EXPECT_EQ(t.blocks, 3);
    EXPECT_EQ(t.issued, 3);
    EXPECT_EQ(t.active, 3 * WARP);
}

// Both sides of a branch are issued, with the lanes that take it; the lanes meet behind it.
TEST(Replay, LanesThatPart) {
    for (uint32_t item = 0; item < WARP; item++) run_blocks(item, {1, item % 4 == 0 ? 2u : 3u, 4});
    const Totals t = replay_traces(WARP);
    EXPECT_EQ(t.blocks, 4);
    EXPECT_EQ(t.active, 3 * WARP);
}

// Two items of a scene go on from a barrier together; block 1 would be issued twice without one.
TEST(Replay, BarriersOfAScene) {
    trace_scene_items(2);
    for (uint32_t item = 0; item < 2; item++) {
        trace_begin(item);
        for (uint32_t block : {5u, 6u, 0u, 1u}) {
            if (block == 6 && item == 0) continue;
            if (block == 0)
                trace_barrier();
            else
                __sanitizer_cov_trace_pc_guard(&block);
        }
        trace_end();
    }
    const Totals t = replay_traces(2);
    trace_scene_items(1);
    EXPECT_EQ(t.blocks, 3);
    EXPECT_EQ(t.active, 5);
}

// Of a loop as many rounds are issued as the longest lane takes.
TEST(Replay, LoopsOfDifferentLength) {
    for (uint32_t item = 0; item < WARP; item++) run_blocks(item, std::vector<uint32_t>(item + 1, 5));
    const Totals t = replay_traces(WARP);
    EXPECT_EQ(t.blocks, WARP);
    EXPECT_EQ(t.active, WARP * (WARP + 1) / 2);
}

// Half of a warp that is half full.
TEST(Replay, FewerItemsThanLanes) {
    for (uint32_t item = 0; item < WARP / 2; item++) run_blocks(item, {1});
    const Totals t = replay_traces(WARP / 2);
    EXPECT_EQ(t.blocks, 1);
    EXPECT_EQ(t.active, WARP / 2);
}

TEST(Replay, SectorsOfStrides) {
    for (const auto &[stride, sectors] : {std::array<size_t, 2>{0, 1}, {8, 8}, {16, 16}, {32, 32}, {4096, 32}}) {
        for (uint32_t item = 0; item < WARP; item++) run_blocks(item, {1}, {item * stride});
        const Totals t = replay_traces(WARP);
        EXPECT_EQ(t.global_sectors, double(sectors)) << stride;
        EXPECT_EQ(t.private_sectors, 0);
        EXPECT_EQ(t.issued, 2);
    }
}

// The blocks used last stay: going round more of them than there is room for finds none, fewer all but the first time.
TEST(Replay, CachesOfInstructions) {
    std::vector<uint32_t> blocks;
    const uint32_t count = cache_blocks[1] + 1, rounds = 3; // more than the first two caches hold
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t k = 0; k < count; k++) blocks.push_back(1000 + k);
    run_blocks(0, blocks);
    const Totals t = replay_traces(1);
    EXPECT_EQ(t.fetched[0], rounds * count);
    EXPECT_EQ(t.fetched[1], rounds * count);
    EXPECT_EQ(t.fetched[2], count);
}

// Warps that go through the same code side by side fetch it once.
TEST(Replay, WarpsThatShareACache) {
    std::vector<uint32_t> blocks;
    for (uint32_t k = 0; k < 2 * cache_blocks[0]; k++) blocks.push_back(20000 + k);
    for (uint32_t item = 0; item < 4 * WARP; item++) run_blocks(item, blocks);
    const Totals t = replay_traces(4 * WARP);
    EXPECT_EQ(t.blocks, 4.0 * double(blocks.size()));
    EXPECT_EQ(t.fetched[0], double(blocks.size()));
}

const size_t LINE = 128;

// Offsets of so many lines, from a place on that no other test has.
std::vector<size_t> lines(size_t count, size_t test) {
    std::vector<size_t> offsets;
    for (size_t k = 0; k < count; k++) offsets.push_back((test << 24) + k * LINE);
    return offsets;
}

// L1 keeps the 1,984 lines used last, L2 3,103 of a unit.
TEST(Replay, CachesOfData) {
    size_t test = 1;
    for (const auto &[count, beyond_l1, beyond_l2] : {std::array<size_t, 3>{1984, 1984, 1984},
                                                      {1985, 2 * 1985, 1985},
                                                      {3103, 2 * 3103, 3103},
                                                      {3104, 2 * 3104, 2 * 3104}}) {
        run_blocks(0, {1, 2}, lines(count, test++));
        const Totals t = replay_traces(1);
        EXPECT_EQ(t.l2_read, double(beyond_l1)) << count;
        EXPECT_EQ(t.memory_read, double(beyond_l2)) << count;
        EXPECT_EQ(t.l2_written, 0);
    }
}

// Two warps that read the same lines side by side: the second finds them.
TEST(Replay, WarpsThatShareData) {
    for (uint32_t item : {0u, WARP}) run_blocks(item, {1}, lines(3000, 10));
    EXPECT_EQ(replay_traces(2 * WARP).l2_read, 3000);
}

// What is stored goes to L2 each time, and to memory once, when its line is dropped; it does not come into L1.
TEST(Replay, Stores) {
    trace_begin(0);
    uint32_t block = 1;
    __sanitizer_cov_trace_pc_guard(&block);
    for (int k = 0; k < 4; k++) __sanitizer_cov_store8(MEMORY + (size_t(20) << 24) + 8 * k);
    __sanitizer_cov_load8(MEMORY + (size_t(20) << 24));
    trace_end();
    const Totals stored = replay_traces(1);
    EXPECT_EQ(stored.l2_written, 4);
    EXPECT_EQ(stored.l2_read, 1);
    EXPECT_EQ(stored.memory_read, 0); // L2 has it
    run_blocks(0, {1}, lines(3103, 21));
    EXPECT_EQ(replay_traces(1).memory_written, 1);
}

// Numbers in private memory lie side by side for all lanes: 8 bytes of 32 lanes are 8 sectors, which L1 keeps.
TEST(Replay, PrivateNumbers) {
    double number = 0;
    uint32_t block = 1;
    for (uint32_t item = 0; item < WARP; item++) {
        trace_begin(item);
        __sanitizer_cov_trace_pc_guard(&block);
        __sanitizer_cov_store8(&number);
        __sanitizer_cov_load8(&number);
        trace_end();
    }
    const Totals t = replay_traces(WARP);
    EXPECT_EQ(t.private_sectors, 16);
    EXPECT_EQ(t.l2_written, 8);
    EXPECT_EQ(t.l2_read, 0);
    EXPECT_EQ(t.global_sectors, 0);
}

} // namespace
