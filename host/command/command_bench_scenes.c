// clack bench: whole simulations, from one scene to a million. Contacts stand beside every speed: steps per
// second without them say little.
#define _POSIX_C_SOURCE 200809L
#include "command_bench.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "batch_rows.h"
#include "stage.h"
#include "stepper.h"
#include "study.h"

#define BODIES_FILE "thousand_spheres.yaml"
#define BODIES_END "0.02"
#define BODIES_SENTENCE "packed spheres, more and more in one scene, 0.02 s"
#define BODIES_TIMES 10 // a point may take so much longer than others: there is one for each number

const BenchWorkload command_bench_workloads[] = {
    {"W1", "dropped_sphere.yaml", {{NULL, NULL}}, "one sphere dropped, 1 s"},
    {"W2", "ten_spheres.yaml", {{"design.monte_carlo.samples", "1000000"}}, "ten spheres in a box, 1 s"},
    {"W3",
     "tumbling_box.yaml",
     {{"design.monte_carlo.samples", "1000000"}, {"solver.end", "1"}},
     "a tumbling box, 1 s"},
    {"W4", "packed_spheres.yaml", {{"design.monte_carlo.samples", "100000"}}, "a hundred packed spheres, 0.1 s"},
    {"W5",
     "billiard_break.yaml",
     {{"design.monte_carlo.samples", "100000"}, {"solver.end", "5"}},
     "a billiard break, 5 s"},
    {"W6",
     "thousand_spheres.yaml",
     {{"design.monte_carlo.samples", "10000"}, {"solver.end", "0.01"}},
     "a thousand packed spheres, 0.01 s"},
    {"die", "cuboid_die.yaml", {{NULL, NULL}}, "a cuboid thrown like a die, until at rest"},
};
const size_t command_bench_workload_count = sizeof command_bench_workloads / sizeof *command_bench_workloads;

typedef struct BenchTally { // of all scenes of one run
    uint64_t substeps, evaluations, forces, looks, impacts;
    double body_steps; // outer steps of free bodies
} BenchTally;

static void bench_count(void *context, const ClackBatch *batch) {
    BenchTally *tally = context;
    const BatchRows *inside = batch_rows_behind(batch);
    for (uint32_t i = 0; i < batch->scene_count; i++) {
        const Progress *progress = &inside->result->progress[i];
        const Scene *scene = &inside->batch->scenes[i];
        uint32_t free_bodies = 0;
        for (uint32_t b = 0; b < scene->body_count; b++)
            free_bodies += (inside->batch->bodies[scene->body_first + b].flags & (BODY_FIXED | BODY_ABSENT)) == 0;
        tally->substeps += progress->substeps;
        tally->evaluations += progress->evaluations;
        tally->forces += progress->forces;
        tally->looks += progress->distance_queries;
        tally->body_steps += (progress->step_index + progress->offset_s / scene->step_s) * free_bodies;
    }
    for (size_t e = 0; e < inside->result->event_count; e++)
        tally->impacts += inside->result->events[e].kind == EVENT_BEGIN;
}

static double bench_cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct BenchPoint {
    ClackRunSummary run;
    BenchTally tally;
    double all_s; // wall time, of opening the device too
    double cpu_s; // processor time of all threads
} BenchPoint;

// As many scenes as asked for, whatever the study has: they come round again.
static ClackStatus bench_run_once(const Bench *bench, const Study *study, const uint64_t *numbers, uint64_t scenes,
                                  BenchPoint *out_point, ClackReport *report) {
    *out_point = (BenchPoint){0};
    ClackRunOptions options = bench->arguments->run;
    options.no_file = 1;
    options.scenes = numbers;
    options.listed_scenes = scenes;
    options.failures_allowed = scenes;
    options.on_batch = bench_count;
    options.batch_context = &out_point->tally;
    out_point->run = (ClackRunSummary)CLACK_SIZED(ClackRunSummary);
    const double start_s = command_bench_now_s(), cpu_start_s = bench_cpu_s();
    const ClackStatus status = clack_run(study, &options, &out_point->run, report);
    out_point->all_s = command_bench_now_s() - start_s;
    out_point->cpu_s = bench_cpu_s() - cpu_start_s;
    return status;
}

static json_t *bench_point_json(uint64_t scenes, const BenchPoint *best) {
    const double n = (double)scenes;
    const BenchTally *tally = &best->tally;
    return json_pack(
        "{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "scenes",
        (json_int_t)scenes, "scenes_failed", (json_int_t)best->run.scenes_failed, "batch_scenes",
        (json_int_t)best->run.batch_scenes, "kernel_s", best->run.kernel_s, "run_s", best->run.run_s, "all_s",
        best->all_s, "cpu_s", best->cpu_s, "scenes_per_s", n / best->run.run_s, "scenes_per_kernel_s",
        n / best->run.kernel_s, "body_steps_per_s", tally->body_steps / best->run.run_s, "contact_steps_per_s",
        (double)tally->forces / best->run.run_s, "evaluations_per_s", (double)tally->evaluations / best->run.run_s,
        "contacts_per_step", tally->evaluations == 0 ? 0.0 : (double)tally->forces / (double)tally->evaluations,
        "evaluations_per_scene", (double)tally->evaluations / n, "substeps_per_scene", (double)tally->substeps / n,
        "impacts_per_scene", (double)tally->impacts / n, "bytes_per_scene",
        (double)best->run.device_bytes / (double)best->run.batch_scenes);
}

static void bench_print_heads(const Bench *bench, const char *name, const char *sentence, const char *file,
                              const char *first) {
    command_bench_print(bench, "%s: %s (%s)\n%8s %6s %10s %10s  %8s %8s  %8s %8s %8s %9s %9s %8s\n", name, sentence,
                        file, first, "failed", "kernel s", "run s", "scn/s k.", "scenes/s", "body-st.", "cont-st.",
                        "evals", "contacts", "impacts", "bytes");
    command_bench_print(bench, "%67s %8s %8s %9s %9s %8s\n", "/s", "/s", "/s", "/step", "/scene", "/scene");
}

// `first`: what the line is about, scenes or bodies.
static void bench_print_point(const Bench *bench, uint64_t first, uint64_t scenes, const BenchPoint *best) {
    const BenchTally *tally = &best->tally;
    const double n = (double)scenes, s = best->run.run_s;
    char rates[5][16];
    command_bench_print(bench, "%8" PRIu64 " %6" PRIu64 " %10.4f %10.4f  %8s %8s  %8s %8s %8s %9.2f %9.1f %8.0f\n",
                        first, best->run.scenes_failed, best->run.kernel_s, s,
                        command_bench_short(n / best->run.kernel_s, rates[0]), command_bench_short(n / s, rates[1]),
                        command_bench_short(tally->body_steps / s, rates[2]),
                        command_bench_short((double)tally->forces / s, rates[3]),
                        command_bench_short((double)tally->evaluations / s, rates[4]),
                        tally->evaluations == 0 ? 0.0 : (double)tally->forces / (double)tally->evaluations,
                        (double)tally->impacts / n, (double)best->run.device_bytes / (double)best->run.batch_scenes);
}

// The fastest of as many runs as there is time for: whatever else ran on the machine only made them longer.
static ClackStatus bench_run_best(const Bench *bench, const Study *study, const uint64_t *numbers, uint64_t scenes,
                                  BenchPoint *out_best, ClackReport *report) {
    BenchPoint one;
    const double start_s = command_bench_now_s();
    for (int k = 0; k == 0 || command_bench_now_s() - start_s < bench->point_s; k++) {
        const ClackStatus status = bench_run_once(bench, study, numbers, scenes, &one, report);
        if (status != CLACK_OK) return status;
        if (k == 0 || one.run.run_s < out_best->run.run_s) *out_best = one;
    }
    return CLACK_OK;
}

static ClackStatus bench_point(const Bench *bench, const Study *study, const uint64_t *numbers, uint64_t scenes,
                               json_t *points, double *out_s, ClackReport *report) {
    BenchPoint best = {0};
    const ClackStatus status = bench_run_best(bench, study, numbers, scenes, &best, report);
    if (status != CLACK_OK) return status;
    *out_s = best.run.run_s;
    bench_print_point(bench, scenes, scenes, &best);
    json_array_append_new(points, bench_point_json(scenes, &best));
    return CLACK_OK;
}

static ClackStatus bench_ladder(const Bench *bench, const Study *study, json_t *points, ClackReport *report) {
    uint64_t *numbers = malloc(bench->scenes * sizeof *numbers);
    if (numbers == NULL) return CLACK_MEMORY;
    for (uint64_t i = 0; i < bench->scenes; i++) numbers[i] = i % study->design.scene_count;
    BenchPoint first;
    ClackStatus status = bench->is_compiled_late ? bench_run_once(bench, study, numbers, 1, &first, report) : CLACK_OK;
    double took_s = 0;
    for (uint64_t scenes = bench->first; status == CLACK_OK && scenes <= bench->scenes && took_s < bench->point_s;
         scenes *= 10)
        status = bench_point(bench, study, numbers, scenes, points, &took_s, report);
    free(numbers);
    return status;
}

// A study of the palettes' folder with overrides of its own, before those that were given.
static ClackStatus bench_read(const Bench *bench, const char *file, const ClackStudyOverride *own, size_t own_count,
                              Study **out_study, ClackReport *report) {
    const ClackStudyOptions *given = &bench->arguments->study;
    ClackStudyOverride *overrides = calloc(given->override_count + own_count + 1, sizeof *overrides);
    char folder[STUDY_DATA_DIR_BYTES], path[STUDY_DATA_DIR_BYTES + 64];
    if (overrides == NULL) return CLACK_MEMORY;
    size_t count = 0;
    for (size_t i = 0; i < own_count; i++) overrides[count++] = own[i];
    for (size_t i = 0; i < given->override_count; i++) overrides[count++] = given->overrides[i];
    study_data_dir(folder);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    const ClackStudyOptions options = {.size = sizeof options, .overrides = overrides, .override_count = count};
    const ClackStatus status = clack_study_read(path, &options, out_study, report);
    free(overrides);
    if (status == CLACK_OK) (*out_study)->trajectory_scenes = (*out_study)->contact_scenes = 0;
    return status;
}

ClackStatus command_bench_study(const Bench *bench, const BenchWorkload *workload, ClackStudy **out_study,
                                ClackReport *report) {
    size_t own = 0;
    while (own < BENCH_OVERRIDES && workload->overrides[own].path != NULL) own++;
    return bench_read(bench, workload->file, workload->overrides, own, out_study, report);
}

ClackStatus command_bench_workload(Bench *bench, size_t index, ClackReport *report) {
    const BenchWorkload *workload = &command_bench_workloads[index];
    Study *study = NULL;
    ClackStatus status = command_bench_study(bench, workload, &study, report);
    if (status != CLACK_OK) return status;
    json_t *points = json_array(), *workloads = json_object_get(bench->document, "workloads");
    bench_print_heads(bench, workload->name, workload->sentence, workload->file, "scenes");
    status = bench_ladder(bench, study, points, report);
    study_free(study);
    command_bench_print(bench, "\n");
    if (workloads == NULL) json_object_set_new(bench->document, "workloads", workloads = json_array());
    json_array_append_new(workloads, json_pack("{s:s, s:s, s:s, s:o}", "name", workload->name, "study", workload->file,
                                               "what", workload->sentence, "points", points));
    return status;
}

// One scene of more and more bodies: packed spheres, a cube of them on each side.
ClackStatus command_bench_bodies(Bench *bench, ClackReport *report) {
    static const unsigned sides[] = {1, 2, 3, 5, 7, 10};
    json_t *points = json_array();
    ClackStatus status = CLACK_OK;
    double took_s = 0;
    bench_print_heads(bench, "bodies", BODIES_SENTENCE, BODIES_FILE, "bodies");
    for (size_t i = 0; i < sizeof sides / sizeof *sides && status == CLACK_OK && took_s < BODIES_TIMES * bench->point_s;
         i++) {
        char side[16], count[16];
        const uint64_t number = 0, bodies = (uint64_t)sides[i] * sides[i] * sides[i];
        snprintf(side, sizeof side, "%u", sides[i]);
        snprintf(count, sizeof count, "%u", (unsigned)bodies);
        const ClackStudyOverride own[] = {
            {"variables.side", side}, {"scene.bodies.ball.count", count}, {"solver.end", BODIES_END}};
        Study *study = NULL;
        BenchPoint best = {0};
        status = bench_read(bench, BODIES_FILE, own, sizeof own / sizeof *own, &study, report);
        if (status == CLACK_OK && i == 0 && bench->is_compiled_late)
            status = bench_run_once(bench, study, &number, 1, &best, report);
        if (status == CLACK_OK) status = bench_run_best(bench, study, &number, 1, &best, report);
        study_free(study);
        if (status != CLACK_OK) break;
        took_s = best.run.run_s;
        bench_print_point(bench, bodies, 1, &best);
        json_t *point = bench_point_json(1, &best);
        json_object_set_new(point, "bodies", json_integer((json_int_t)bodies));
        json_array_append_new(points, point);
    }
    command_bench_print(bench, "\n");
    json_object_set_new(bench->document, "bodies",
                        json_pack("{s:s, s:s, s:o}", "study", BODIES_FILE, "what", BODIES_SENTENCE, "points", points));
    return status;
}
