// Runs taken up again, and files of parts of a study made one.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"
#include "plan.h"
#include "run_resume.h"
#include "study.h"

// The study as the run began with it. That its file is still the same is seen by its checksum.
static ClackStatus resume_read_study(const ManifestHead *head, const char *path, Study **out_study,
                                     ClackReport *report) {
    ClackStudyOverride *overrides = calloc(head->override_count + 1, sizeof *overrides);
    char **paths = calloc(head->override_count + 1, sizeof *paths);
    int is_whole = overrides != NULL && paths != NULL;
    for (size_t i = 0; is_whole && i < head->override_count; i++) {
        const char *equals = strchr(head->overrides[i], '='); // the manifest's reader has seen to it
        paths[i] = strndup(head->overrides[i], (size_t)(equals - head->overrides[i]));
        overrides[i] = (ClackStudyOverride){.path = paths[i], .value = equals + 1};
        is_whole = paths[i] != NULL;
    }
    const ClackStudyOptions options = {
        .overrides = overrides, .override_count = head->override_count, .seed = &head->seed};
    const ClackStatus status = is_whole
                                   ? study_read(path != NULL ? path : head->study_path, &options, out_study, report)
                                   : report_add(report, CLACK_MEMORY, "no memory for the study's overrides");
    for (size_t i = 0; paths != NULL && i < head->override_count; i++) free(paths[i]);
    free(paths);
    free(overrides);
    return status;
}

static ClackStatus resume_shards(const char *output_path, const char *study_path, const ClackRunOptions *options,
                                 Shards *shards, ClackRunSummary *out_summary, ClackReport *report) {
    const ManifestHead *head = shards_head(shards);
    ClackRunOptions run = *options;
    ClackDeviceOptions on = *options->device;
    Study *study = NULL;
    const ClackStatus status = resume_read_study(head, study_path, &study, report);
    if (status != CLACK_OK) {
        shards_close(shards);
        return status;
    }
    char *device = head->device == NULL ? NULL : strdup(head->device); // outlives the shards
    run.output_path = output_path;
    run.device = &on;
    if (on.choice == NULL) on.choice = device;
    if (on.lanes == 0) on.lanes = head->lanes;
    if (on.queue_items == 0) on.queue_items = head->queue_items;
    if (on.threads == 0) on.threads = head->threads;
    if (!on.allow_inexact) on.allow_inexact = head->allow_inexact;
    if (run.batch_scenes == 0) run.batch_scenes = head->batch_scenes;
    run.failures_allowed = head->failures_allowed;
    const ClackStatus ended = run_take_up(study, &run, shards, out_summary, report);
    free(device);
    study_free(study);
    return ended;
}

ClackStatus resume_tell(const char *path, uint64_t failures_allowed, ClackRunSummary *out_summary,
                        ClackReport *report) {
    ShardsTally tally = {0};
    TRY(shards_count_file(path, &tally, report));
    const uint64_t failed = tally.scenes - tally.statuses[0];
    snprintf(out_summary->output_path, sizeof out_summary->output_path, "%s", path);
    memcpy(out_summary->status_counts, tally.statuses, sizeof out_summary->status_counts);
    memcpy(out_summary->flag_counts, tally.flags, sizeof out_summary->flag_counts);
    out_summary->scenes_total = out_summary->scenes_kept = tally.scenes;
    out_summary->scenes_failed = failed;
    out_summary->events = tally.events;
    if (failed <= failures_allowed) return CLACK_OK;
    return report_add(report, CLACK_FAILED_SCENES, "%llu scenes failed; allowed: %llu", (unsigned long long)failed,
                      (unsigned long long)failures_allowed);
}

ClackStatus resume_run(const char *output_path, const char *study_path, const ClackRunOptions *options,
                       ClackRunSummary *out_summary, ClackReport *report) {
    Shards *shards = NULL;
    int is_finished = 0;
    *out_summary = (ClackRunSummary){0};
    TRY(shards_reopen(output_path, &shards, &is_finished, report));
    if (!is_finished) return resume_shards(output_path, study_path, options, shards, out_summary, report);
    const uint64_t failures_allowed = shards_head(shards)->failures_allowed; // only its folder was left
    shards_close(shards);
    return resume_tell(output_path, failures_allowed, out_summary, report);
}

// Are the scenes those that this run would have? Where a study says when it has enough, there may be fewer.
static ClackStatus continue_check_range(const Study *study, const char *path, uint64_t first, uint64_t end,
                                        uint64_t first_there, uint64_t end_there, ClackReport *report) {
    const int may_be_fewer = study->statistics.stop.count > 0 && end_there < end;
    if (first == first_there && (end == end_there || may_be_fewer)) return CLACK_OK;
    return report_add(report, CLACK_CORRUPT,
                      "%s: expected the scenes %llu to %llu, found those of another part: %llu "
                      "to %llu",
                      path, (unsigned long long)first, (unsigned long long)end - 1, (unsigned long long)first_there,
                      (unsigned long long)end_there - 1);
}

static ClackStatus continue_finished(const Study *study, const ClackRunOptions *options, const char *path,
                                     ClackRunSummary *out_summary, ClackReport *report) {
    uint64_t first = 0, end = 0;
    RecordSummary summary = {0};
    TRY(plan_scenes(study, options, &first, &end, report));
    TRY(record_identity_check_study(study, path, report));
    TRY(record_summary(path, &summary, report));
    const uint64_t first_there = (uint64_t)summary.scene_first, end_there = first_there + summary.scene_count;
    record_summary_free(&summary);
    TRY(continue_check_range(study, path, first, end, first_there, end_there, report));
    return resume_tell(path, options->failures_allowed, out_summary, report);
}

// Where no device is named, a run that was native goes on natively, though a GPU's compiler, in whose place it was, may
// come to an end by now: shards of both do not fit together.
static ClackStatus continue_shards(const Study *study, const ClackRunOptions *options, Shards *shards,
                                   ClackRunSummary *out_summary, ClackReport *report) {
    const char *device = shards_head(shards)->device;
    ClackRunOptions run = *options;
    ClackDeviceOptions on = *options->device;
    run.device = &on;
    if (on.choice == NULL && device != NULL && strcmp(device, "native") == 0) {
        on.choice = "native";
        on.lanes = on.queue_items = 0;
    }
    return run_take_up(study, &run, shards, out_summary, report);
}

ClackStatus resume_what_is_there(const Study *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                                 ClackReport *report) {
    char path[PLAN_PATH_BYTES];
    uint64_t first = 0, end = 0;
    Shards *shards = NULL;
    int is_finished = 0;
    *out_summary = (ClackRunSummary){0};
    TRY(plan_path(study, options, path, report));
    TRY(plan_scenes(study, options, &first, &end, report));
    if (shards_waiting(path) > 0) {
        TRY(shards_reopen(path, &shards, &is_finished, report));
        const ManifestHead *head = shards_head(shards);
        const ClackStatus status = continue_check_range(study, path, first, end, head->first, head->end, report);
        if (status != CLACK_OK || is_finished) shards_close(shards);
        TRY(status);
        if (!is_finished) return continue_shards(study, options, shards, out_summary, report);
    }
    if (access(path, F_OK) == 0) return continue_finished(study, options, path, out_summary, report);
    return run_take_up(study, options, NULL, out_summary, report);
}

ClackStatus resume_merge(const ClackMergeOptions *options, ClackMergeSummary *out_summary, ClackReport *report) {
    assert(options->count > 0 && options->output_path != NULL);
    const char *path = options->output_path;
    const size_t bytes = strlen(path) + sizeof ".part";
    const RecordMerge merge = {
        .paths = options->paths, .count = options->count, .allows_gaps = options->allows_gaps != 0};
    *out_summary = (ClackMergeSummary){.files = options->count};
    TRY(shards_check_free(path, options->overwrites, report));
    char *part_path = malloc(bytes);
    if (part_path == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its name", path);
    snprintf(part_path, bytes, "%s.part", path);
    ClackStatus status = record_merge(part_path, &merge, &out_summary->scenes, report);
    if (status == CLACK_OK) status = record_statistics_add(part_path, report);
    if (status == CLACK_OK) status = record_check(part_path, report);
    if (status != CLACK_OK) unlink(part_path);
    if (status == CLACK_OK) status = durable_rename(part_path, path, report);
    free(part_path);
    return status;
}
