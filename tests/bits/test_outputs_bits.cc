// What is watched and recorded has the same bits alone and in any batch, on native and on OpenCL.
#include "random_scenes.h"

namespace {

Watch watch_of(uint32_t body, uint32_t observable, uint32_t sense, double after_s = 0) {
    Watch watch{};
    watch.body = body;
    watch.body_other = NONE;
    watch.observable = observable;
    watch.sense = sense;
    watch.after = after_s > 0 ? AFTER_TIME : AFTER_START;
    watch.time_s = after_s;
    return watch;
}

std::vector<Watch> many_watches() {
    std::vector<Watch> watches;
    for (uint32_t k = 0; k <= WATCH_KINETIC_ENERGY; k++) {
        for (uint32_t sense : {WATCH_MIN, WATCH_MAX, WATCH_MEAN})
            watches.push_back(watch_of(2, k, sense, k % 2 ? 0.0217 : 0));
        watches.push_back(watch_of(2, k, WATCH_AT, 0.0717));
    }
    watches.push_back(watch_of(2, WATCH_CONTACT_FORCE, WATCH_MAX));
    watches.push_back(watch_of(2, WATCH_CONTACT_FORCE, WATCH_MAX));
    watches.back().body_other = 0;
    watches.push_back(watch_of(2, WATCH_PENETRATION, WATCH_MAX, 0.05));
    return watches;
}

// Net forces of a body and of a pair; is_of_ground: also of a fixed body, for which groups go together.
std::vector<Watch> net_force_watches(bool is_of_ground) {
    std::vector<Watch> watches;
    for (uint32_t k = WATCH_NET_FORCE; k <= WATCH_NET_FORCE + 3; k++) {
        for (uint32_t sense : {WATCH_MIN, WATCH_MAX, WATCH_MEAN}) {
            watches.push_back(watch_of(2, k, sense, k % 2 ? 0.0217 : 0));
            watches.push_back(watch_of(0, k, sense, k % 2 ? 0 : 0.0217));
            if (!is_of_ground) watches.back().body_other = 2;
        }
        watches.push_back(watch_of(2, k, WATCH_AT, 0.0717));
        watches.push_back(watch_of(0, k, WATCH_AT, 0.0717));
    }
    return watches;
}

void expect_bits_alone_or_in_a_batch(std::vector<Watch> watches) {
    Many many(32);
    Study study{};
    study.watches = watches.data();
    study.watch_count = uint32_t(watches.size());
    Ran all = run_scenes(native_device(), many.scenes, study);
    for (uint32_t k : {0u, 7u, 31u}) {
        Ran one = run_scenes(native_device(), {many.scenes[k]}, study, {k});
        EXPECT_TRUE(same_scene(all, k, one, 0));
        EXPECT_TRUE(
            same_bits(all.result.extremes + k * watches.size(), one.result.extremes, watches.size() * sizeof(Extreme)));
    }
}

TEST(WatchBits, AloneOrInABatch) {
    expect_bits_alone_or_in_a_batch(many_watches());
    for (const bool is_of_ground : {false, true}) expect_bits_alone_or_in_a_batch(net_force_watches(is_of_ground));
}

TEST(WatchBits, NativeEqualsOpenCL) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Many many(300);
    for (std::vector<Watch> watches : {many_watches(), net_force_watches(false), net_force_watches(true)}) {
        Study study{};
        study.watches = watches.data();
        study.watch_count = uint32_t(watches.size());
        Ran a = run_scenes(native_device(), many.scenes, study), b = run_scenes(opencl.device, many.scenes, study);
        EXPECT_EQ(different_scenes(a, b, 300), 0u);
        const size_t extremes = 300 * watches.size();
        EXPECT_TRUE(same_bits(a.result.extremes, b.result.extremes, extremes * sizeof(Extreme)));
        size_t seen = 0;
        for (size_t k = 0; k < extremes; k++) seen += a.result.extremes[k].seen;
        EXPECT_EQ(seen, extremes) << "every gate opens before the end";
    }
}

Study recording(double every_s) {
    Study study{};
    study.contacts_every_s = every_s;
    study.contact_scenes = 1000000;
    return study;
}

TEST(ContactRowsBits, AloneOrInAnyBatch) {
    Many many(64);
    const Study study = recording(0.0011);
    Ran all = run_scenes(native_device(), many.scenes, study);
    for (uint32_t k : {0u, 5u, 63u}) {
        Ran one = run_scenes(native_device(), {many.scenes[k]}, study, {k});
        EXPECT_TRUE(same_scene(all, k, one, 0));
        EXPECT_TRUE(same_rows(all, k, one, 0));
    }
}

TEST(ContactRowsBits, NativeEqualsOpenCL) {
    DeviceHolder opencl(content_of_explicit_steps(), "cpu");
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL CPU device";
    Many many(300);
    const Study study = recording(0.0011);
    Ran a = run_scenes(native_device(), many.scenes, study), b = run_scenes(opencl.device, many.scenes, study);
    EXPECT_EQ(different_scenes(a, b, 300), 0u);
    for (uint32_t k = 0; k < 300; k++) EXPECT_TRUE(same_rows(a, k, b, k));
    EXPECT_GT(a.result.contact_count, 500u);
}

} // namespace
