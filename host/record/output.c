// Where the batches of a run go: a shard is closed every so often, so that this is the most that can be lost.
#define _XOPEN_SOURCE 700 // realpath
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECKPOINT_S 30.0 // short against a night, long against the making of a file

struct Output {
    const Study *study;
    Shards *shards;
    double checkpoint_s;
    RecordProvenance provenance; // texts are the device's and the manifest's
    Record *record;              // the shard that is being written; NULL: none
    uint64_t first, next;        // its scenes so far
    double opened_s;
    int is_finished;
};

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void now_utc(char text[32]) {
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) text[0] = '\0';
}

// --- open -----------------------------------------------------------------------------------------

static char *copy_text(const char *text) { return text == NULL ? NULL : strdup(text); }

// Where the study's file is, whichever folder the run is resumed from.
static char *study_path(const Study *study) {
    const char *path = study->input_count > 0 ? study->inputs[0].path : "";
    char *absolute = realpath(path, NULL);
    return absolute != NULL ? absolute : strdup(path);
}

static int add_text(char **texts, size_t *count, const char *text) {
    texts[*count] = strdup(text);
    if (texts[*count] == NULL) return 0;
    ++*count;
    return 1;
}

// The device is the one that was opened: where native took the place of a GPU, the run goes on natively, and lanes and
// queues that were asked for a GPU do not matter.
static ClackStatus make_head(const OutputConfig *config, const RecordProvenance *provenance, ManifestHead *head,
                             ClackReport *report) {
    const Study *study = config->study;
    const ClackRunOptions *options = config->options;
    const int is_native = device_is_native(config->device);
    *head = (ManifestHead){.study_path = study_path(study),
                           .device = copy_text(is_native ? "native" : options->device->choice),
                           .command_line = copy_text(options->command_line),
                           .started_utc = strdup(provenance->started_utc),
                           .title = strdup(study->title),
                           .inputs = calloc((size_t)study->input_count + 1, sizeof *head->inputs),
                           .overrides = calloc((size_t)study->override_count + 1, sizeof *head->overrides),
                           .seed = study->design.seed,
                           .first = config->first,
                           .end = config->end,
                           .batch_scenes = options->batch_scenes,
                           .failures_allowed = options->failures_allowed,
                           .lanes = is_native ? 0 : options->device->lanes,
                           .queue_items = is_native ? 0 : options->device->queue_items,
                           .threads = options->device->threads,
                           .allow_inexact = options->device->allow_inexact,
                           .overwrites = options->overwrites || config->extended != NULL,
                           .extends = config->extended != NULL ? config->extended->scenes : 0};
    int is_whole = head->study_path != NULL && head->started_utc != NULL && head->title != NULL &&
                   head->inputs != NULL && head->overrides != NULL;
    for (uint32_t i = 0; is_whole && i < study->input_count; i++)
        is_whole = add_text(head->inputs, &head->input_count, study->inputs[i].path);
    for (uint32_t i = 0; is_whole && i < study->override_count; i++)
        is_whole = add_text(head->overrides, &head->override_count, study->overrides[i]);
    if (!is_whole) return report_add(report, CLACK_MEMORY, "no memory for the manifest");
    return record_identity_of_run(study, provenance, &head->identity, report);
}

static ClackStatus begin(Output *output, const OutputConfig *config, ShardsTally *tally, ClackReport *report) {
    char started[32];
    Manifest manifest = {0}; // only its head
    now_utc(started);
    output->provenance.started_utc = started;
    ClackStatus status = make_head(config, &output->provenance, &manifest.head, report);
    if (status == CLACK_OK && config->extended != NULL)
        status = record_identity_compare_some(&config->extended->identity, config->path, &manifest.head.identity,
                                              "this run", RECORD_FACTS_DEVICE, report);
    if (status == CLACK_OK) status = shards_open(config->path, &manifest.head, &output->shards, tally, report);
    manifest_free(&manifest);
    return status;
}

static ClackStatus take_up(Output *output, ShardsTally *tally, ClackReport *report) {
    RecordIdentity identity = {0};
    TRY(record_identity_of_run(output->study, &output->provenance, &identity, report));
    const ClackStatus status =
        record_identity_compare(&shards_head(output->shards)->identity, "the shards", &identity, "this run", report);
    record_identity_free(&identity);
    return status == CLACK_OK ? shards_verify(output->shards, output->study->statistics.stop.count > 0, tally, report)
                              : status;
}

ClackStatus output_open(const OutputConfig *config, Output **out_output, ShardsTally *out_tally, ClackReport *report) {
    const DeviceInfo *info = device_info(config->device);
    const DeviceItems items = device_items(config->device);
    const double checkpoint_s = config->options->checkpoint_s;
    *out_tally = (ShardsTally){0};
    *out_output = NULL;
    Output *output = calloc(1, sizeof *output);
    if (output == NULL) {
        shards_close(config->resumed);
        return report_add(report, CLACK_MEMORY, "%s: no memory to write it", config->path);
    }
    output->study = config->study;
    output->shards = config->resumed;
    output->checkpoint_s = checkpoint_s > 0 ? checkpoint_s : checkpoint_s < 0 ? 0 : CHECKPOINT_S;
    output->provenance = (RecordProvenance){.device_name = info->name,
                                            .platform = info->platform,
                                            .driver = info->driver,
                                            .arithmetic = info->arithmetic,
                                            .build_options = device_build_options(config->device),
                                            .lanes = items.scene,
                                            .queue_items = items.queue};
    const ClackStatus status =
        output->shards == NULL ? begin(output, config, out_tally, report) : take_up(output, out_tally, report);
    if (status != CLACK_OK) {
        shards_close(output->shards);
        free(output);
        return status;
    }
    const ManifestHead *head = shards_head(output->shards);
    output->provenance.command_line = head->command_line;
    output->provenance.started_utc = head->started_utc;
    output->provenance.title = head->title;
    if (head->input_count == output->study->input_count)
        output->provenance.input_names = (const char *const *)head->inputs;
    *out_output = output;
    return CLACK_OK;
}

int output_next_gap(const Output *output, uint64_t from, uint64_t *out_first, uint64_t *out_end) {
    return shards_next_gap(output->shards, from, out_first, out_end);
}

// --- scenes enough --------------------------------------------------------------------------------

static ClackStatus replay_shard(const Output *output, const char *path, Stop *stop, int *out_is_reached,
                                ClackReport *report) {
    double *quantities = NULL;
    uint32_t *statuses = NULL, count = 0, taken = 0;
    ClackStatus status = record_rows_read(path, output->study, &quantities, &statuses, &count, report);
    if (status == CLACK_OK) status = stop_take(stop, quantities, statuses, count, &taken, out_is_reached, report);
    if (status == CLACK_OK && taken < count)
        status = report_add(report, CLACK_CORRUPT, "%s: has scenes beyond those that the study asks for", path);
    free(quantities);
    free(statuses);
    return status;
}

ClackStatus output_replay(const Output *output, Stop *stop, int *out_is_reached, ClackReport *report) {
    *out_is_reached = 0;
    for (size_t i = 0; i < shards_count(output->shards); i++) {
        char *path = shards_path_of(output->shards, i);
        if (path == NULL) return report_add(report, CLACK_MEMORY, "no memory for a shard's name");
        const ClackStatus status = replay_shard(output, path, stop, out_is_reached, report);
        free(path);
        if (status != CLACK_OK) return status;
    }
    return CLACK_OK;
}

ClackStatus output_end_at(Output *output, uint64_t end, const char *reason, ClackReport *report) {
    return shards_end_at(output->shards, end, reason, report);
}

// --- shards ---------------------------------------------------------------------------------------

// Laid out for all scenes up to the end of the gap: how many it will get is not known yet.
static ClackStatus open_shard(Output *output, uint64_t first, uint64_t gap_end, ClackReport *report) {
    char *path = shards_path(output->shards, first, gap_end);
    if (path == NULL) return report_add(report, CLACK_MEMORY, "no memory for a shard's name");
    const ClackStatus status =
        record_open(path, output->study, first, gap_end - first, &output->provenance, &output->record, report);
    free(path);
    output->first = output->next = first;
    output->opened_s = now_s();
    return status;
}

static ClackStatus name_shard(Output *output, ClackReport *report) {
    char *path = shards_path(output->shards, output->first, output->next);
    if (path == NULL) return report_add(report, CLACK_MEMORY, "no memory for a shard's name");
    ClackStatus status = record_trim(output->record, output->next - output->first, report);
    if (status == CLACK_OK) status = record_set_path(output->record, path, report);
    free(path);
    return status;
}

static ClackStatus close_shard(Output *output, ClackReport *report) {
    char finished[32];
    now_utc(finished);
    ClackStatus status = name_shard(output, report);
    if (status == CLACK_OK)
        status = record_close(output->record, finished, report);
    else
        record_abandon(output->record);
    output->record = NULL;
    return status == CLACK_OK ? shards_add(output->shards, output->first, output->next, report) : status;
}

ClackStatus output_batch(Output *output, const OutputBatch *piece, ClackReport *report) {
    const uint64_t first = piece->first, gap_end = piece->gap_end;
    if (output->record != NULL && first != output->next)
        TRY(close_shard(output, report)); // scenes between were left out
    if (output->record == NULL) TRY(open_shard(output, first, gap_end, report));
    const ClackStatus status =
        record_batch(output->record, piece->batch, piece->result, piece->parameters, piece->quantities, report);
    if (status != CLACK_OK) {
        record_abandon(output->record);
        output->record = NULL;
        return status;
    }
    output->next = first + piece->batch->scene_count;
    if (output->next < gap_end && now_s() - output->opened_s < output->checkpoint_s) return CLACK_OK;
    return close_shard(output, report);
}

// --- the end --------------------------------------------------------------------------------------

ClackStatus output_finish(Output *output, ClackReport *report) {
    TRY(shards_finish(output->shards, report));
    output->is_finished = 1;
    return CLACK_OK;
}

ClackStatus output_close(Output *output, int *out_is_kept, ClackReport *report) {
    *out_is_kept = 0;
    if (output == NULL) return CLACK_OK;
    ClackStatus status = CLACK_OK;
    if (output->record != NULL) status = close_shard(output, report);
    *out_is_kept = !output->is_finished && shards_made(output->shards) > 0;
    shards_close(output->shards);
    free(output);
    return status;
}
