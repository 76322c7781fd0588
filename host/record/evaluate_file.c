// clack evaluate: states of configurations from one HDF5 file, contacts into another, block by block.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "clack.h"
#include "model/narrow_types.h"
#include "record_evaluate.h"

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
    const ClackEvaluateFileOptions *options;
    ClackEvaluator *evaluator;
    RecordStates *states;
    RecordContacts *file;
    ClackEvaluateSummary *summary;
} EvaluateRun;

static ClackStatus evaluate_block(const EvaluateRun *run, uint64_t first, size_t count, UserState *block,
                                  ClackReport *report) {
    const ClackEvaluateFileOptions *options = run->options;
    ClackContacts contacts = {0};
    TRY(record_states_read(run->states, first, count, block, report));
    const double start_s = evaluate_now_s();
    TRY(clack_evaluate(run->evaluator, count, block, &contacts, report));
    run->summary->evaluate_s += evaluate_now_s() - start_s;
    const ClackStatus status = record_contacts_add(run->file, &contacts, report);
    evaluate_count(&contacts, run->summary);
    if (options->on_contacts != NULL)
        options->on_contacts(options->contacts_context, run->evaluator, first, block, &contacts);
    clack_contacts_free(&contacts);
    return status;
}

static ClackStatus evaluate_blocks(const EvaluateRun *run, ClackReport *report) {
    const volatile int *stop = run->options->stop;
    const size_t bodies = clack_evaluator_body_count(run->evaluator);
    const uint64_t total = record_states_count(run->states);
    const size_t wanted = run->options->evaluate.lists_contours ? BLOCK_STATES_CONTOURS : BLOCK_STATES;
    const size_t most = bodies < wanted ? wanted / bodies : 1;
    UserState *block = malloc(most * bodies * sizeof *block);
    ClackStatus status = CLACK_OK;
    if (block == NULL) return report_add(report, CLACK_MEMORY, "no memory for %zu configurations", most);
    for (uint64_t first = 0; status == CLACK_OK && first < total; first += most) {
        const uint64_t left = total - first;
        const size_t count = left < most ? (size_t)left : most;
        status = stop != NULL && *stop ? report_add(report, CLACK_INTERRUPTED, "interrupted: no file is written")
                                       : evaluate_block(run, first, count, block, report);
    }
    free(block);
    return status;
}

ClackStatus clack_evaluate_file(const Study *study, const ClackEvaluateFileOptions *options,
                                ClackEvaluateSummary *out_summary, ClackReport *report) {
    assert(study != NULL && options != NULL && options->input_path != NULL && out_summary != NULL);
    ClackEvaluateSummary *summary = out_summary;
    *summary = (ClackEvaluateSummary){0};
    RecordStates *states = NULL;
    ClackEvaluator *evaluator = NULL;
    RecordContacts *file = NULL;
    ClackStatus status = CLACK_OK;
    char utc[32];
    evaluate_utc(utc);
    TRY(evaluate_choose_path(options, summary->output_path, sizeof summary->output_path, report));
    TRY_CLEAN(record_states_open(options->input_path, study, options->evaluate.scene, &states, report));
    TRY_CLEAN(clack_evaluator_open(study, &options->evaluate, &evaluator, report));
    const DeviceInfo *info = clack_evaluator_device_info(evaluator);
    const RecordProvenance provenance = {.command_line = options->command_line,
                                         .device_name = info->name,
                                         .platform = info->platform,
                                         .driver = info->driver,
                                         .build_options = evaluate_build_options(evaluator),
                                         .started_utc = utc};
    snprintf(summary->device_name, sizeof summary->device_name, "%s", info->name);
    summary->pairs = clack_evaluator_pair_count(evaluator);
    summary->region_pairs = clack_evaluator_region_pair_count(evaluator);
    TRY_CLEAN(record_contacts_open(summary->output_path, study, record_states_count(states), &options->evaluate,
                                   &provenance, &file, report));
    const EvaluateRun run = {options, evaluator, states, file, summary};
    TRY_CLEAN(evaluate_blocks(&run, report));
    char finished_utc[32];
    evaluate_utc(finished_utc);
    RecordContacts *finished = file;
    file = NULL; // freed in any case
    status = record_contacts_close(finished, finished_utc, report);
cleanup:
    record_contacts_abandon(file);
    clack_evaluator_close(evaluator);
    record_states_close(states);
    return status;
}
