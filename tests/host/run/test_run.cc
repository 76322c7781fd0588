// Runs through the library: those that somebody stops, and what their plans count once.
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "clack.h"
#include "model/scene_types.h"
#include "stage.h"
#include "study_fixture.h"
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
    ClackStatus status = CLACK_OK;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    unsigned calls = 0;
};

Stopped run_without_file(const ClackStudy *study, unsigned stop_at) {
    Watcher watcher;
    watcher.stop_at = stop_at;
    ClackDeviceOptions device = CLACK_SIZED(ClackDeviceOptions);
    ClackRunOptions options = CLACK_SIZED(ClackRunOptions);
    options.no_file = 1;
    device.choice = "native";
    options.device = &device;
    device.threads = 1;
    options.on_progress = Watcher::look;
    options.progress_context = &watcher;
    options.stop = &watcher.stop;
    Stopped out;
    out.status = clack_run(study, &options, &out.summary, nullptr);
    out.calls = watcher.calls;
    return out;
}

// One batch, which is the last: that it was cut short must not be lost.
TEST(RunWithoutFile, SaysThatItsLastBatchWasInterrupted) {
    Loaded loaded("data/bouncing_sphere.yaml", {{"design.monte_carlo.samples", "1024"}});
    const Stopped whole = run_without_file(loaded.study, 0);
    EXPECT_EQ(whole.status, CLACK_OK);
    EXPECT_EQ(whole.summary.scenes_run, 1024u);
    EXPECT_EQ(whole.summary.batch_scenes, 1024u);
    const Stopped early = run_without_file(loaded.study, 1);
    EXPECT_LT(early.summary.scenes_run, 1024u);
    EXPECT_GT(early.summary.status_counts[STATUS_INTERRUPTED] + early.summary.status_counts[STATUS_NOT_RUN], 0u);
    EXPECT_EQ(early.status, CLACK_INTERRUPTED);
    // Asked at the very end, when all scenes have been run, it is not interrupted.
    const Stopped late = run_without_file(loaded.study, whole.calls);
    EXPECT_EQ(late.summary.scenes_run, 1024u);
    EXPECT_EQ(late.status, CLACK_OK);
}

// --- batches that are staged while the one before is stepped ------------------------------------------

struct Many {
    ClackStatus status = CLACK_OK;
    std::vector<uint64_t> numbers;
    std::vector<double> values; // of parameters, quantities and places, scene by scene
    static void keep(void *context, const ClackBatch *batch) {
        Many *many = static_cast<Many *>(context);
        const size_t n = batch->scene_count, parameters = many->parameters, quantities = many->quantities;
        many->numbers.insert(many->numbers.end(), batch->scene_numbers, batch->scene_numbers + n);
        for (size_t k = 0; k < n; k++) {
            many->values.insert(many->values.end(), batch->parameters + k * parameters,
                                batch->parameters + (k + 1) * parameters);
            many->values.insert(many->values.end(), batch->quantities + k * quantities,
                                batch->quantities + (k + 1) * quantities);
            many->values.push_back(batch->states[k * batch->body_count + 1].position_m[2]);
        }
    }
    size_t parameters = 0, quantities = 0;
};

// limit_s: threads share each batch, of which the next is staged meanwhile; 0: each carries batches of its own.
Many run_in_batches(const Study *study, uint32_t threads, uint64_t batch, double limit_s = 0) {
    Many many;
    many.parameters = study->parameter_count;
    many.quantities = study->quantity_count;
    ClackDeviceOptions device = CLACK_SIZED(ClackDeviceOptions);
    ClackRunOptions options = CLACK_SIZED(ClackRunOptions);
    options.no_file = 1;
    device.choice = "native";
    options.device = &device;
    device.threads = threads;
    options.batch_scenes = batch;
    options.batch_rows = CLACK_BATCH_STATES;
    options.time_limit_s = limit_s;
    options.on_batch = Many::keep;
    options.batch_context = &many;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    many.status = clack_run(study, &options, &summary, nullptr);
    return many;
}

TEST(RunInBatches, CarriedByThreadsOrStagedAheadOrNotTheSame) {
    Loaded loaded("data/bouncing_sphere.yaml", {{"design.monte_carlo.samples", "103"}});
    const Many alone = run_in_batches(loaded.study, 1, 1000);
    EXPECT_EQ(alone.status, CLACK_OK);
    ASSERT_EQ(alone.numbers.size(), 103u);
    for (const uint32_t threads : {1u, 3u}) {
        for (const uint64_t batch : {1u, 7u, 102u}) {
            for (const double limit_s : {0.0, 1e6}) {
                const Many many = run_in_batches(loaded.study, threads, batch, limit_s);
                EXPECT_EQ(many.status, CLACK_OK);
                EXPECT_EQ(many.numbers, alone.numbers);
                ASSERT_EQ(many.values.size(), alone.values.size());
                EXPECT_EQ(0, memcmp(many.values.data(), alone.values.data(), alone.values.size() * sizeof(double)));
            }
        }
    }
}

// --- what a plan counts once ---------------------------------------------------------------------

struct Rows {
    size_t shapes, laws;
};

// Rows of so many scenes that were staged together.
Rows staged_rows(Loaded &loaded, unsigned scenes) {
    for (uint64_t k = 0; k < scenes; k++) loaded.take(k);
    std::vector<Capacities> rooms;
    for (const SceneDescription &scene : loaded.scenes) rooms.push_back(stage_capacities(&scene));
    Batch batch{};
    EXPECT_EQ(
        stage_pack(loaded.study, loaded.scenes.data(), loaded.numbers.data(), rooms.data(), scenes, &batch, nullptr),
        CLACK_OK);
    const Rows rows = {batch.shape_count, batch.law_count};
    stage_free(&batch);
    return rows;
}

TEST(SharedRows, WhatAPlanCountsOnceIsStagedOnce) {
    const unsigned scenes = 6;
    unsigned shapes_once = 0, laws_once = 0, shapes_alone = 0;
    for (const std::string &name : data_studies()) {
        Loaded loaded("data/" + name);
        if (loaded.study->design.scene_count < scenes) continue;
        const bool shares_shapes = stage_shares_shapes(loaded.study) != 0,
                   shares_laws = stage_shares_laws(loaded.study) != 0;
        const size_t materials = loaded.study->scene.material_count;
        const Rows rows = staged_rows(loaded, scenes);
        if (shares_shapes) {
            EXPECT_EQ(rows.shapes, loaded.study->scene.shape_count) << name;
        }
        if (shares_laws) {
            EXPECT_EQ(rows.laws, materials * materials) << name;
        }
        shapes_once += shares_shapes;
        laws_once += shares_laws;
        shapes_alone += shares_shapes && !shares_laws;
    }
    EXPECT_GE(shapes_once, 3u);
    EXPECT_GE(laws_once, 3u);
    EXPECT_GE(shapes_alone, 1u) << "a study that draws a number of a pair";
}

// What is drawn, and which rows depend on it.
class SharedRowsOfDrawn : public StudyFixture {
  protected:
    std::string shared(const std::string &drawn_path) {
        std::string numbers[] = {"0.1", "[0, 0, 0]", "0.5", "7800", "2.0e11", "1"};
        const char *paths[] = {"diameter", "position", "restitution", "density", "young", "reduction"};
        for (int i = 0; i < 6; i++)
            if (drawn_path == paths[i]) numbers[i] = i == 1 ? "[$x, 0, 0]" : "$x";
        EXPECT_TRUE(read_text(
            "format: 1\nvariables: {x: {uniform: [0.2, 0.9]}}\nscene:\n  materials:\n    stuff: {young: " + numbers[4] +
            ", poisson: 0.3, density: " + numbers[3] +
            "}\n  pairs: [{between: [stuff, stuff], friction: 0.1, rolling: 0, restitution: " + numbers[2] +
            "}]\n  bodies:\n    ground: {fixed: true, material: stuff, shapes: [{half_space: {}}]}\n"
            "    ball: {material: stuff, shapes: [{sphere: {diameter: " +
            numbers[0] + "}}], position: " + numbers[1] +
            "}\ndesign: {monte_carlo: {samples: 4}}\nsolver: {end: 0.1, reduction: " + numbers[5] + "}\n"))
            << told;
        return std::string(stage_shares_shapes(study) ? "shapes " : "") + (stage_shares_laws(study) ? "laws" : "");
    }
};

TEST_F(SharedRowsOfDrawn, DependOnWhatTheyAreMadeOf) {
    EXPECT_EQ(shared("position"), "shapes laws");
    EXPECT_EQ(shared("diameter"), "laws");
    EXPECT_EQ(shared("density"), "laws"); // centres of mass
    EXPECT_EQ(shared("restitution"), "shapes ");
    EXPECT_EQ(shared("young"), "shapes ");
    EXPECT_EQ(shared("reduction"), "shapes ");
}

} // namespace
