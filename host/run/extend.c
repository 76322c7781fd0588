// A finished file gets more scenes of its design: only those that it lacks are run.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "plan.h"
#include "run_resume.h"
#include "stop.h"
#include "study.h"
#include "text.h"

static ClackStatus extend_check_options(const ClackRunOptions *options, ClackReport *report) {
    if (options->only_scene == NULL && options->scenes == NULL && options->first_scenes == 0 && !options->is_refined &&
        !options->overwrites)
        return CLACK_OK;
    return report_add(report, CLACK_USAGE,
                      "--extend: runs all scenes that a file lacks: not with --scene or --overwrite");
}

ClackStatus extend_find(const Study *study, const ClackRunOptions *options, const char *path, RecordBase *out_base,
                        ClackReport *report) {
    const uint64_t scenes = study->design.scene_count;
    *out_base = (RecordBase){0};
    TRY(extend_check_options(options, report));
    if (options->shard_count > 0) return CLACK_OK; // clack_merge compares them
    if (access(path, F_OK) != 0)
        return report_add(report, CLACK_IO, "%s: there is no such file to extend; without --extend a run makes it",
                          path);
    TRY(record_base_read(path, study, out_base, report));
    if (scenes >= out_base->wanted) return CLACK_OK;
    const uint64_t wanted = out_base->wanted;
    record_base_free(out_base);
    return report_add(report, CLACK_USAGE,
                      "--extend: %s is of %" PRIu64 " %s: expected as many or more, found %" PRIu64 " %s", path, wanted,
                      text_plural(wanted, "scene", "scenes"), scenes, text_plural(scenes, "scene", "scenes"));
}

// Whether the scenes that are there are enough for a study that says when they are.
static ClackStatus extend_is_known(const Study *study, const char *path, char out_text[STOP_TEXT_BYTES],
                                   int *out_is_reached, ClackReport *report) {
    double *quantities = NULL;
    uint32_t *statuses = NULL, count = 0, taken = 0;
    Stop *stop = NULL;
    *out_is_reached = 0;
    if (study->statistics.stop.count == 0) return CLACK_OK;
    ClackStatus status = stop_open(study, &stop, report);
    if (status == CLACK_OK) status = record_rows_read(path, study, &quantities, &statuses, &count, report);
    if (status == CLACK_OK) status = stop_take(stop, quantities, statuses, count, &taken, out_is_reached, report);
    if (status == CLACK_OK && taken < count)
        status = report_add(report, CLACK_CORRUPT, "%s: has scenes beyond those that the study asks for", path);
    if (status == CLACK_OK && *out_is_reached) stop_print(stop, out_text);
    free(quantities);
    free(statuses);
    stop_close(stop);
    return status;
}

static ClackStatus extend_from(const Study *study, const ClackRunOptions *options, const char *path,
                               const RecordBase *base, ClackRunSummary *out_summary, ClackReport *report) {
    char text[STOP_TEXT_BYTES];
    int is_reached = 0;
    TRY(extend_is_known(study, path, text, &is_reached, report));
    if (is_reached)
        report_warn(report, "%s: is left as it is: the study has scenes enough: %s", path, text);
    else if (base->scenes == study->design.scene_count)
        report_warn(report, "%s: is left as it is: it has all %" PRIu64 " scenes", path, base->scenes);
    else
        return run_extend(study, options, base, out_summary, report);
    return resume_tell(path, options->failures_allowed, out_summary, report);
}

ClackStatus extend_what_is_there(const Study *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                                 ClackReport *report) {
    char path[PLAN_PATH_BYTES];
    RecordBase base = {0};
    *out_summary = (ClackRunSummary){0};
    TRY(extend_check_options(options, report));
    TRY(plan_path(study, options, path, report));
    if (options->shard_count > 0)
        return options->continues ? resume_what_is_there(study, options, out_summary, report)
                                  : run_take_up(study, options, NULL, out_summary, report);
    const uint64_t shards = shards_waiting(path);
    if (shards > 0 && options->continues) return resume_what_is_there(study, options, out_summary, report);
    if (shards > 0)
        return report_add(report, CLACK_IO,
                          "%s.parts: holds %" PRIu64 " %s of an unfinished run; \"clack resume %s\" or --continue goes "
                          "on with it",
                          path, shards, text_plural(shards, "shard", "shards"), path);
    TRY(extend_find(study, options, path, &base, report));
    const ClackStatus status = extend_from(study, options, path, &base, out_summary, report);
    record_base_free(&base);
    return status;
}
