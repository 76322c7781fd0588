// Scenes whose cores overlap leave the first build of the kernels and are run by the second (kernels/base/build.h): the
// bits of native, each row once, however many leave and whenever.
#include <thread>

#include <unistd.h>

#include "device_internal.h"
#include "falling_pairs.h"

namespace {

struct Some { // scenes in a row, more than slots, so that slots go on after one has left
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    Study study{};
    explicit Some(const std::vector<Pair> &pairs) {
        for (size_t k = 0; k < pairs.size(); k++) builders.push_back(falling(pairs[k], unsigned(k)));
        corner(); // in every scene's table
        for (SceneBuilder &b : builders) scenes.push_back(b.view());
        study.trajectory_every_s = study.contacts_every_s = 0.0017;
        study.trajectory_scenes = study.contact_scenes = 1000;
        study.scene = scenes[0];
    }
    /// With room for the lists as given, or as the scenes want.
    ClackStatus run(Device *device, const Capacities *room, const StepperOptions *options, Ran &ran) {
        std::vector<Capacities> rooms;
        std::vector<uint64_t> numbers;
        for (size_t k = 0; k < scenes.size(); k++) {
            rooms.push_back(room != nullptr ? *room : stage_capacities(&scenes[k]));
            numbers.push_back(k);
        }
        EXPECT_EQ(stage_pack(&study, scenes.data(), numbers.data(), rooms.data(), uint32_t(scenes.size()), &ran.batch,
                             nullptr),
                  CLACK_OK);
        return stepper_run(device, &study, scenes.data(), &ran.batch, options, &ran.result, nullptr);
    }
};

std::vector<Pair> mixed() {
    std::vector<Pair> pairs(24, Pair::Rounded);
    for (size_t k = 3; k < pairs.size(); k += 8) pairs[k] = Pair::Sharp;
    for (size_t k = 5; k < pairs.size(); k += 8) pairs[k] = Pair::Deep;
    pairs[6] = Pair::DeepHulls;
    return pairs;
}

void expect_same(const Ran &a, const Ran &b, uint32_t scenes) {
    EXPECT_EQ(different_scenes(a, b, scenes), 0u);
    EXPECT_EQ(a.result.event_count, b.result.event_count);
    for (uint32_t k = 0; k < scenes; k++) EXPECT_TRUE(same_rows(a, k, b, k)) << k;
    EXPECT_TRUE(same_bits(a.result.frames, b.result.frames, a.batch.frame_state_count * sizeof(BodyState)));
}

// Time of the first event of a scene between its two solids.
double first_meeting_s(const Ran &ran, uint32_t scene) {
    for (const Event &e : ran.events(scene))
        if (e.kind == EVENT_BEGIN && e.body_a == 2 && e.body_b == 3) return e.time_s;
    return INFINITY;
}

TEST(SecondBits, SomeScenesLeaveAndGiveTheBitsOfNative) {
    FirstBuild first;
    if (first.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Some some(mixed());
    Ran a, b;
    ASSERT_EQ(some.run(native_device(), nullptr, nullptr, a), CLACK_OK);
    ASSERT_EQ(some.run(first.device, nullptr, nullptr, b), CLACK_OK);
    EXPECT_EQ(a.result.second_count, 0u);
    EXPECT_EQ(b.result.second_count, 7u);
    expect_same(a, b, 24);
    EXPECT_GT(a.result.contact_count, 100u);
    for (uint32_t k = 0; k < 24; k++) EXPECT_LT(first_meeting_s(a, k), INFINITY) << k;
    // Of scenes that left in the middle there were rows before.
    EXPECT_LT(a.events(3)[0].time_s, first_meeting_s(a, 3) - 2 * some.study.contacts_every_s);
    // The second build is kept for the next batch.
    const Device *second = first.device->second;
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(device_content(second)->holds, FALLING_HOLDS | CONTENT_PENETRATION);
    Ran again;
    ASSERT_EQ(some.run(first.device, nullptr, nullptr, again), CLACK_OK);
    EXPECT_EQ(first.device->second, second);
    expect_same(a, again, 24);
}

// Side by side, as on a GPU: the second build is made once, and parts are closed before the whole.
TEST(SecondBits, PartsOfADeviceShareBothBuildsAndGiveTheBitsOfNative) {
    FirstBuild first;
    if (first.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Some some(mixed());
    Ran a;
    ASSERT_EQ(some.run(native_device(), nullptr, nullptr, a), CLACK_OK);
    Device *parts[3];
    for (Device *&part : parts) ASSERT_EQ(device_open_part(first.device, 3, &part, nullptr), CLACK_OK);
    std::vector<Ran> ran(3);
    std::vector<ClackStatus> ends(3);
    std::vector<std::thread> threads;
    for (size_t k = 0; k < 3; k++)
        threads.emplace_back([&, k] { ends[k] = some.run(parts[k], nullptr, nullptr, ran[k]); });
    for (std::thread &thread : threads) thread.join();
    const Device *second = first.device->second;
    ASSERT_NE(second, nullptr);
    for (size_t k = 0; k < 3; k++) {
        ASSERT_EQ(ends[k], CLACK_OK);
        EXPECT_EQ(ran[k].result.second_count, 7u);
        expect_same(a, ran[k], 24);
        ASSERT_NE(parts[k]->second, nullptr);
        EXPECT_EQ(device_content(parts[k]->second)->holds, FALLING_HOLDS | CONTENT_PENETRATION);
        EXPECT_EQ(parts[k]->shared, first.device->shared);
        EXPECT_GT(device_kernel_s(parts[k], KERNEL_advance), parts[k]->kernel_s[KERNEL_advance]); // of both builds
        device_close(parts[k]);
    }
    EXPECT_EQ(first.device->second, second);
}

TEST(SecondBits, NoneIsBuiltForRoundedEdges) {
    FirstBuild first;
    if (first.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Some some(std::vector<Pair>(24, Pair::Rounded));
    Ran a, b;
    ASSERT_EQ(some.run(native_device(), nullptr, nullptr, a), CLACK_OK);
    ASSERT_EQ(some.run(first.device, nullptr, nullptr, b), CLACK_OK);
    EXPECT_EQ(b.result.second_count, 0u);
    EXPECT_EQ(first.device->second, nullptr);
    expect_same(a, b, 24);
}

int write_down(void *context, uint32_t done, uint32_t total) {
    static_cast<std::vector<std::pair<uint32_t, uint32_t>> *>(context)->push_back({done, total});
    return 0;
}

// Lists that are too small are found before a scene leaves and after it: more room by either build, nobody counted
// twice.
TEST(SecondBits, ScenesLeaveAndWantRoom) {
    FirstBuild first;
    if (first.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Some some(mixed());
    Ran a;
    ASSERT_EQ(some.run(native_device(), nullptr, nullptr, a), CLACK_OK);
    for (const Capacities room : {Capacities{1, 1, 8, 1, 0, 0, 0}, Capacities{64, 1, 8, 1, 0, 0, 0}}) {
        Ran b;
        std::vector<std::pair<uint32_t, uint32_t>> told;
        StepperOptions options{};
        options.poll = write_down;
        options.poll_context = &told;
        ASSERT_EQ(some.run(first.device, &room, &options, b), CLACK_OK);
        EXPECT_EQ(b.result.second_count, 7u);
        for (uint32_t k = 0; k < 24; k++) {
            EXPECT_TRUE(same_motion(a, k, b, k)) << k;
            EXPECT_TRUE(same_rows(a, k, b, k)) << k;
        }
        EXPECT_EQ(a.result.event_count, b.result.event_count);
        ASSERT_GT(told.size(), 2u);
        for (size_t k = 0; k < told.size(); k++) {
            EXPECT_EQ(told[k].second, 24u);
            EXPECT_GE(told[k].first, k > 0 ? told[k - 1].first : 0u);
            EXPECT_LE(told[k].first, k + 1 < told.size() ? 23u : 24u) << "done before the last launch";
        }
        EXPECT_EQ(told.back().first, 24u);
    }
}

// Stops at the poll of that number.
int stop_later(void *context, uint32_t, uint32_t) { return --*static_cast<int *>(context) <= 0; }

// Stopped before the second build or in it: who waited for it is interrupted, and has no rows of the first.
TEST(SecondBits, InterruptionLeavesNoInnerStatus) {
    FirstBuild first;
    if (first.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    for (const bool is_in_second : {false, true}) {
        Some some({is_in_second ? Pair::Deep : Pair::Rounded, Pair::Deep});
        for (SceneDescription &scene : some.scenes) {
            scene.end_s = 300;
            scene.no_freeze = 1;
        }
        some.study.trajectory_every_s = some.study.contacts_every_s = 0;
        int polls = is_in_second ? 2 : 1;
        StepperOptions options{};
        options.poll = stop_later;
        options.poll_context = &polls;
        Ran ran;
        ASSERT_EQ(some.run(first.device, nullptr, &options, ran), CLACK_INTERRUPTED);
        EXPECT_EQ(ran.result.second_count, is_in_second ? 2u : 0u);
        for (uint32_t k = 0; k < 2; k++) EXPECT_EQ(ran.progress(k).status, STATUS_INTERRUPTED) << k;
        EXPECT_EQ(ran.events(1).empty(), !is_in_second);
    }
}

int stops_build(void *, const ClackBuild *) { return 1; }

// Its compiler is left, and goes on beside what follows.
TEST(SecondBits, InterruptionWhileTheSecondBuildIsCompiledKeepsWhatIsDone) {
    const std::string anew = "-DANEW=" + std::to_string(getpid()); // that no cache has
    FirstBuild first("cpu", 0, anew.c_str());
    if (first.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Some some({Pair::Rounded, Pair::Deep});
    Ran a, b, c;
    ASSERT_EQ(some.run(native_device(), nullptr, nullptr, a), CLACK_OK);
    first.device->on_build = stops_build;
    ASSERT_EQ(some.run(first.device, nullptr, nullptr, b), CLACK_INTERRUPTED);
    EXPECT_EQ(b.result.second_count, 0u);
    EXPECT_EQ(b.progress(0).status, STATUS_OK);
    EXPECT_EQ(b.progress(1).status, STATUS_INTERRUPTED);
    EXPECT_TRUE(same_rows(a, 0, b, 0));
    EXPECT_TRUE(b.events(1).empty());
    EXPECT_GT(clack_builds_left(), 0u);
    first.device->on_build = nullptr;
    ASSERT_EQ(some.run(first.device, nullptr, nullptr, c), CLACK_OK);
    EXPECT_EQ(c.result.second_count, 1u);
    expect_same(a, c, 2);
    for (int tenths = 0; tenths < 6000 && clack_builds_left() > 0; tenths++) usleep(100000);
    EXPECT_EQ(clack_builds_left(), 0u);
}

} // namespace
