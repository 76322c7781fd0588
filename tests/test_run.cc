// Runs through the library that somebody stops, and how long they say that they may take.
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "clack.h"
#include "scene_types.h"
#include "study_scenes.h"

namespace {

// Told of progress, it counts, and asks to stop at the call that it was given.
struct Watcher {
    int stop = 0;
    unsigned calls = 0, stop_at = 0;
    static void look(void *context, const ClackProgress *) {
        Watcher *watcher = static_cast<Watcher *>(context);
        if (++watcher->calls == watcher->stop_at) watcher->stop = 1;
    }
};

struct Stopped {
    ClackStatus status;
    ClackRunSummary summary;
    unsigned calls;
};

Stopped run_without_file(const ClackStudy *study, unsigned stop_at) {
    Watcher watcher;
    watcher.stop_at = stop_at;
    ClackRunOptions options{};
    options.no_file = 1;
    options.device.choice = "native";
    options.device.threads = 1;
    options.only_scene = -1;
    options.on_progress = Watcher::look;
    options.progress_context = &watcher;
    options.stop = &watcher.stop;
    Stopped out{};
    out.status = clack_run(study, &options, &out.summary, nullptr);
    out.calls = watcher.calls;
    return out;
}

// One batch, which is the last: that it was cut short must not be lost.
TEST(RunWithoutFile, SaysThatItsLastBatchWasInterrupted) {
    Loaded loaded("data/bouncing_sphere.yaml", {{"design.monte_carlo.samples", "64"}});
    const Stopped whole = run_without_file(loaded.study, 0);
    EXPECT_EQ(whole.status, CLACK_OK);
    EXPECT_EQ(whole.summary.scenes_run, 64u);
    EXPECT_EQ(whole.summary.batch_scenes, 64u);
    const Stopped early = run_without_file(loaded.study, 1);
    EXPECT_LT(early.summary.scenes_run, 64u);
    EXPECT_GT(early.summary.status_counts[STATUS_INTERRUPTED] + early.summary.status_counts[STATUS_NOT_RUN], 0u);
    EXPECT_EQ(early.status, CLACK_INTERRUPTED);
    // Asked at the very end, when all scenes have been run, it is not interrupted.
    const Stopped late = run_without_file(loaded.study, whole.calls);
    EXPECT_EQ(late.summary.scenes_run, 64u);
    EXPECT_EQ(late.status, CLACK_OK);
}

} // namespace
