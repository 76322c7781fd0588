// clack evaluate: states of configurations from one HDF5 file, contacts into another, block by block.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "clack.h"
#include "durable.h"
#include "model/narrow_types.h"
#include "evaluate_file.h"
#include "evaluate_input.h"

// Body states read at once: memory stays bounded whatever the input holds.
#define BLOCK_STATES 262144u
#define BLOCK_STATES_CONTOURS 16384u // where contours are wanted, too: hundreds of points each

static double evaluate_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void evaluate_utc(char text[32]) {
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) text[0] = '\0';
}

// "data/poses.h5" -> "poses_contacts.h5". Never the input itself.
static ClackStatus evaluate_choose_path(const ClackEvaluateFileOptions *options, char *path, size_t room,
                                        ClackReport *report) {
    const char *slash = strrchr(options->input_path, '/');
    const char *name = slash == NULL ? options->input_path : slash + 1, *dot = strrchr(name, '.');
    const size_t stem = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
    const int length = options->output_path != NULL ? snprintf(path, room, "%s", options->output_path)
                                                    : snprintf(path, room, "%.*s_contacts.h5", (int)stem, name);
    if (length <= 0 || (size_t)length >= room) {
        return report_add(report, CLACK_USAGE, "output: the path is empty or too long");
    }
    struct stat in, out;
    if (stat(options->input_path, &in) == 0 && stat(path, &out) == 0 && in.st_dev == out.st_dev &&
        in.st_ino == out.st_ino) {
        return report_add(report, CLACK_USAGE, "output: %s is the input", path);
    }
    return CLACK_OK;
}

static void evaluate_count(const ClackContacts *contacts, ClackEvaluateSummary *summary) {
    summary->configurations += contacts->configuration_count;
    summary->contacts += contacts->row_count;
    for (size_t i = 0; i < contacts->row_count; i++) {
        const ClackContact *row = &contacts->rows[i];
        if (row->status != NARROW_OK && row->status != NARROW_FADED) summary->fallbacks++;
        if (-row->distance_m > summary->deepest_m) summary->deepest_m = -row->distance_m;
    }
    summary->regions += contacts->region_count;
    for (size_t i = 0; i < contacts->region_count; i++) {
        const ClackRegion *row = &contacts->regions[i];
        if (row->flags & (CLACK_REGION_OPEN_CONTOUR | CLACK_REGION_ENGULFED | CLACK_REGION_HOLE))
            summary->regions_flagged++;
        if (row->indentation_m > summary->deepest_region_m) summary->deepest_region_m = row->indentation_m;
    }
}

typedef struct EvaluateRun { // from file to file
    const Study *study;
    const ClackEvaluateFileOptions *options;
    ClackEvaluator *evaluator; // of `scene`; owned
    uint64_t scene;
    EvaluateInput *input;
    RecordContacts *file;
    ClackEvaluateSummary *summary;
    UserState *start; // (body_count): how the scene starts
} EvaluateRun;

// While kernels are compiled.
static int evaluate_poll_build(void *context, const ClackBuild *build) {
    const ClackEvaluateFileOptions *options = context;
    const ClackDeviceOptions *device = options->evaluate->device;
    const int is_asked = device->on_build != NULL && device->on_build(device->build_context, build) != 0;
    return is_asked || (options->stop != NULL && *options->stop);
}

// The evaluator of a scene: the one that there is, where it is of this scene.
static ClackStatus evaluate_turn_to(EvaluateRun *run, uint64_t scene, ClackReport *report) {
    ClackEvaluateOptions options = *run->options->evaluate;
    ClackDeviceOptions device = *options.device;
    device.on_build = evaluate_poll_build;
    device.build_context = (void *)run->options; // which it only reads
    options.device = &device;
    if (run->evaluator != NULL && run->scene == scene) return CLACK_OK;
    clack_evaluator_close(run->evaluator);
    run->evaluator = NULL;
    options.scene = run->scene = scene;
    TRY(evaluate_open(run->study, &options, &run->evaluator, report));
    clack_evaluator_start(run->evaluator, run->start);
    return CLACK_OK;
}

// Configurations of one scene.
static ClackStatus evaluate_some(EvaluateRun *run, uint64_t first, size_t count, UserState *block,
                                 ClackReport *report) {
    const ClackEvaluateFileOptions *options = run->options;
    ClackContacts contacts = {0};
    ClackPairs pairs = {0};
    const int has_pairs = options->evaluate->rows != CLACK_ROWS_CONTACTS;
    ClackStatus status = CLACK_OK;
    TRY(evaluate_input_read(run->input, first, count, run->start, block, report));
    const double start_s = evaluate_now_s();
    ClackReport why = {0}; // which counts from the first of these on
    status = evaluate_states(run->evaluator, count, block, &contacts, &why);
    if (status == CLACK_CORRUPT && first > 0 && why.count > 0)
        report_add(report, status, "%s: from configuration %" PRIu64 " on: %s", options->input_path, first,
                   why.lines[0]);
    else
        report_move(&why, report);
    clack_report_clear(&why);
    if (status != CLACK_OK) return status;
    run->summary->evaluate_s += evaluate_now_s() - start_s;
    if (has_pairs)
        TRY_CLEAN(evaluate_pairs(&contacts, clack_evaluator_body_count(run->evaluator), block, &pairs, report));
    TRY_CLEAN(record_contacts_add(run->file, run->scene, &contacts, has_pairs ? &pairs : NULL, report));
    evaluate_count(&contacts, run->summary);
    run->summary->body_pairs += pairs.row_count;
    if (options->on_contacts != NULL)
        options->on_contacts(options->contacts_context, run->evaluator, first, block, &contacts);
cleanup:
    evaluate_pairs_free(&pairs);
    evaluate_free(&contacts);
    return status;
}

// Side by side those of the same scene.
static ClackStatus evaluate_block(EvaluateRun *run, uint64_t first, size_t count, const uint64_t *scenes,
                                  UserState *block, ClackReport *report) {
    for (size_t at = 0, end; at < count; at = end) {
        for (end = at + 1; end < count && scenes[end] == scenes[at];) end++;
        TRY(evaluate_turn_to(run, scenes[at], report));
        TRY(evaluate_some(run, first + at, end - at, block, report));
    }
    return CLACK_OK;
}

static ClackStatus evaluate_blocks(EvaluateRun *run, ClackReport *report) {
    const volatile int *stop = run->options->stop;
    const size_t bodies = run->study->scene.body_count;
    const uint64_t total = evaluate_input_count(run->input);
    const size_t wanted = run->options->evaluate->lists_contours ? BLOCK_STATES_CONTOURS : BLOCK_STATES;
    const size_t most = bodies < wanted ? wanted / bodies : 1;
    UserState *block = malloc(most * bodies * sizeof *block);
    uint64_t *scenes = malloc(most * sizeof *scenes);
    ClackStatus status = CLACK_OK;
    if (block == NULL || scenes == NULL)
        status = report_add(report, CLACK_MEMORY, "no memory for %zu configurations", most);
    for (uint64_t first = 0; status == CLACK_OK && first < total; first += most) {
        const uint64_t left = total - first;
        const size_t count = left < most ? (size_t)left : most;
        status = stop != NULL && *stop ? report_add(report, CLACK_INTERRUPTED, "interrupted: no file is written")
                                       : evaluate_input_scenes(run->input, first, count, scenes, report);
        if (status == CLACK_OK) status = evaluate_block(run, first, count, scenes, block, report);
    }
    free(scenes);
    free(block);
    return status;
}

ClackStatus evaluate_file(const Study *study, const ClackEvaluateFileOptions *options, ClackEvaluateSummary *summary,
                          ClackReport *report) {
    EvaluateInput input = {0};
    EvaluateRun run = {.study = study, .options = options, .input = &input, .summary = summary};
    uint64_t first_scene = 0;
    ClackStatus status = CLACK_OK;
    char utc[32];
    evaluate_utc(utc);
    TRY(evaluate_choose_path(options, summary->output_path, sizeof summary->output_path, report));
    TRY(durable_check_free(summary->output_path, options->overwrites, report));
    TRY_CLEAN(evaluate_input_open(options->input_path, study, options->evaluate->scene, &input, report));
    run.start = calloc((size_t)study->scene.body_count + 1, sizeof *run.start);
    if (run.start == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for configurations"));
    TRY_CLEAN(evaluate_input_scenes(&input, 0, 1, &first_scene, report));
    TRY_CLEAN(evaluate_turn_to(&run, first_scene, report));
    const DeviceInfo *info = clack_evaluator_device_info(run.evaluator);
    const RecordProvenance provenance = {.command_line = options->command_line,
                                         .device_name = info->name,
                                         .platform = info->platform,
                                         .driver = info->driver,
                                         .arithmetic = info->arithmetic,
                                         .build_options = evaluate_build_options(run.evaluator),
                                         .started_utc = utc};
    snprintf(summary->device_name, sizeof summary->device_name, "%s", info->name);
    summary->pairs = clack_evaluator_pair_count(run.evaluator);
    summary->region_pairs = clack_evaluator_region_pair_count(run.evaluator);
    const RecordContactsSize size = {evaluate_input_count(&input), evaluate_input_has_scenes(&input)};
    TRY_CLEAN(
        record_contacts_open(summary->output_path, study, size, options->evaluate, &provenance, &run.file, report));
    TRY_CLEAN(evaluate_blocks(&run, report));
    char finished_utc[32];
    evaluate_utc(finished_utc);
    RecordContacts *finished = run.file;
    run.file = NULL; // freed in any case
    status = record_contacts_close(finished, finished_utc, report);
cleanup:
    record_contacts_abandon(run.file);
    clack_evaluator_close(run.evaluator);
    evaluate_input_close(&input);
    free(run.start);
    return status;
}
