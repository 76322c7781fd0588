// Records -> HDF5: open an ensemble file; give it its name when it is whole. Batches: record_batch.c.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"
#include "record_internal.h"

static ClackStatus path_failed(const char *path, const char *action, ClackReport *report) {
    return report_add(report, CLACK_IO, "%s: cannot %s: %s", path, action, strerror(errno));
}

// --- open -----------------------------------------------------------------------------------------

static void record_free(Record *record) {
    free(record->path);
    free(record->part_path);
    for (size_t i = 0; record->pending != NULL && i < record_field_count; i++) free(record->pending[i]);
    free(record->pending);
    free(record->fields);
    free(record->parameters);
    free(record->quantities);
    free(record->buffer);
    free(record->frame_values);
    record_packer_free(record->packer);
    free(record);
}

static char *join_text(const char *first, const char *second) {
    const size_t size = strlen(first) + strlen(second) + 1;
    char *text = malloc(size);
    if (text != NULL) snprintf(text, size, "%s%s", first, second);
    return text;
}

static uint64_t count_trajectory_scenes(const Study *study, uint64_t first, uint64_t count) {
    if (!(study->trajectory_every_s > 0) || study->trajectory_scenes <= first) return 0;
    const uint64_t wanted = study->trajectory_scenes - first;
    return wanted < count ? wanted : count;
}

static Record *record_make(const char *path, const Study *study, uint64_t first, uint64_t count) {
    Record *record = calloc(1, sizeof *record);
    if (record == NULL) return NULL;
    const size_t frame_values = (size_t)study->scene.body_count * 4;
    record->study = study;
    record->scene_first = first;
    record->scene_count = count;
    record->trajectory_count = count_trajectory_scenes(study, first, count);
    record->buffer_count = frame_values > RECORD_BLOCK_VALUES ? frame_values : RECORD_BLOCK_VALUES;
    record->path = join_text(path, "");
    record->part_path = join_text(path, ".part");
    record->fields = calloc(record_field_count, sizeof *record->fields);
    record->pending = calloc(record_field_count, sizeof *record->pending);
    record->parameters = calloc((size_t)study->parameter_count + 1, sizeof *record->parameters);
    record->quantities = calloc((size_t)study->quantity_count + 1, sizeof *record->quantities);
    record->buffer = malloc(record->buffer_count * sizeof *record->buffer);
    const size_t frame_room = record->trajectory_count > 0 ? RECORD_FRAME_FIELDS * record->buffer_count : 1;
    record->frame_values = malloc(frame_room * sizeof *record->frame_values);
    if (record->frame_values != NULL && record->path != NULL && record->part_path != NULL && record->fields != NULL &&
        record->pending != NULL && record->parameters != NULL && record->quantities != NULL && record->buffer != NULL)
        return record;
    record_free(record);
    return NULL;
}

// What would fail at the rename must fail now, before hours of work.
static ClackStatus check_target(const char *path, ClackReport *report) {
    struct stat info;
    if (path[0] == '\0') return report_add(report, CLACK_IO, "the path of the ensemble file is empty");
    if (stat(path, &info) != 0) {
        if (errno == ENOENT) return CLACK_OK; // a missing folder shows when the file is created
        return path_failed(path, "create the file", report);
    }
    if (S_ISREG(info.st_mode)) return CLACK_OK;
    return report_add(report, CLACK_IO, "%s: cannot create the file: it exists and is not a regular file", path);
}

ClackStatus record_open_kind(const char *path, const Study *study, RecordScenes scenes,
                             const RecordProvenance *provenance, const RecordKind *kind, Record **out_record,
                             ClackReport *report) {
    assert(path != NULL && study != NULL && provenance != NULL && out_record != NULL);
    assert(scenes.count > 0);
    assert(study->scene.body_count > 0);
    *out_record = NULL;
    if (scenes.first > INT32_MAX || scenes.count > INT32_MAX - scenes.first)
        return report_add(report, CLACK_STUDY, "%s: scene numbers beyond %d do not fit the file", path, INT32_MAX);
    TRY(check_target(path, report));
    Record *record = record_make(path, study, scenes.first, scenes.count);
    if (record == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for the ensemble file", path);
    record->kind = kind;
    const RecordPlace place = {record->part_path, CLACK_IO, report};
    record_h5_quiet();
    const ClackStatus status = record_file_create(record, provenance, &place);
    if (status != CLACK_OK) {
        record_abandon(record);
        return status;
    }
    *out_record = record;
    return CLACK_OK;
}

static const RecordKind ensemble_kind = {.format = RECORD_FORMAT,
                                         .prefix = "ensemble",
                                         .version = RECORD_FORMAT_VERSION,
                                         .make_layout = record_layout_create};

ClackStatus record_open(const char *path, const Study *study, uint64_t scene_first, uint64_t scene_count,
                        const RecordProvenance *provenance, Record **out_record, ClackReport *report) {
    return record_open_kind(path, study, (RecordScenes){scene_first, scene_count}, provenance, &ensemble_kind,
                            out_record, report);
}

// --- close ----------------------------------------------------------------------------------------

static ClackStatus write_last_attributes(const Record *record, const char *finished_utc, const RecordPlace *place) {
    const double complete = record->scenes_run == record->scene_count ? 1 : 0;
    TRY(record_h5_text(place, record->provenance, "finished", finished_utc != NULL ? finished_utc : ""));
    return record_h5_set_number(place, record->file, "complete", complete);
}

static ClackStatus finish_file(Record *record, const char *finished_utc, const RecordPlace *place) {
    ClackReport *report = place->report;
    if (record->has_failed)
        return report_add(report, CLACK_IO, "%s: not finished, since a batch could not be written", record->path);
    TRY(record_ragged_finish(record, place));
    TRY(record_offsets_write(place, record->file, false));
    TRY(write_last_attributes(record, finished_utc, place));
    const hid_t file = record->file;
    record->file = 0;
    TRY(record_h5_finish_file(place, file, CLACK_OK));
    record->owns_part = false; // from here on it is worth keeping
    return durable_rename(record->part_path, record->path, report);
}

ClackStatus record_close(Record *record, const char *finished_utc, ClackReport *report) {
    if (record == NULL) return CLACK_OK;
    const RecordPlace place = {record->part_path, CLACK_IO, report};
    record_h5_quiet(); // for each thread: the one that closes may be another than the one that opened
    const ClackStatus status = finish_file(record, finished_utc, &place);
    if (status != CLACK_OK)
        record_abandon(record);
    else
        record_free(record);
    return status;
}

void record_abandon(Record *record) {
    if (record == NULL) return;
    if (record->file > 0) record_h5_drop_file(record->file);
    if (record->owns_part) unlink(record->part_path);
    record_free(record);
}
