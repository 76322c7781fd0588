// A finished batch -> rows of the ensemble file: scenes, parameters, quantities, trajectories.
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "record_internal.h"

// Scenes of a batch that lie side by side in the file as well, so that one write takes them all.
typedef struct RowRange {
    uint32_t first, count; // within the batch
    hsize_t row;           // in the file
} RowRange;

typedef struct BatchView {
    const Batch *batch;
    const BatchResult *result;
    const double *parameters, *quantities;
} BatchView;

static bool was_run(const BatchView *view, uint32_t scene) {
    const u32 status = view->result->progress[scene].status;
    return status != STATUS_NOT_RUN && status != STATUS_INTERRUPTED && status < STATUS_RUNNING;
}

// The next range from `from` on; count 0 at the end of the batch.
static RowRange next_range(const Record *record, const BatchView *view, uint32_t from) {
    const uint32_t scene_count = view->batch->scene_count;
    const uint64_t *numbers = view->batch->scene_numbers;
    while (from < scene_count && !was_run(view, from)) from++;
    if (from == scene_count) return (RowRange){.first = from};
    uint32_t end = from + 1;
    while (end < scene_count && was_run(view, end) && numbers[end] == numbers[end - 1] + 1 &&
           end - from < RECORD_BLOCK_VALUES)
        end++;
    return (RowRange){.first = from, .count = end - from, .row = numbers[from] - record->scene_first};
}

static ClackStatus write_fields(const Record *record, const BatchView *view, RowRange range, const RecordPlace *place) {
    const hsize_t count = range.count;
    for (size_t f = 0; f < record_field_count; f++) {
        const RecordField *field = &record_fields[f];
        if (field->shape != RECORD_SCENE) continue;
        for (uint32_t i = 0; i < range.count; i++) {
            const uint32_t scene = range.first + i;
            const RecordRow row = {.scene = &view->batch->scenes[scene],
                                   .progress = &view->result->progress[scene],
                                   .scene_number = view->batch->scene_numbers[scene]};
            record->buffer[i] = record_field_fill(field);
            if (row.progress->status != STATUS_NOT_STAGED || field == &record_fields[RECORD_FIELD_STATUS])
                field->get(&row, &record->buffer[i]);
        }
        TRY(record_h5_write(place, record->fields[f], field->name, &range.row, &count, record->buffer));
    }
    return CLACK_OK;
}

// One column of a table (scene_count, width) into one dataset.
static ClackStatus write_column(const Record *record, const double *table, size_t width, size_t column, hid_t dataset,
                                RowRange range, const RecordPlace *place) {
    const hsize_t count = range.count;
    for (uint32_t i = 0; i < range.count; i++) record->buffer[i] = table[(size_t)(range.first + i) * width + column];
    return record_h5_write(place, dataset, "of a parameter or quantity", &range.row, &count, record->buffer);
}

static ClackStatus write_range(const Record *record, const BatchView *view, RowRange range, const RecordPlace *place) {
    const Study *study = record->study;
    TRY(write_fields(record, view, range, place));
    for (uint32_t i = 0; i < study->parameter_count; i++)
        TRY(write_column(record, view->parameters, study->parameter_count, i, record->parameters[i], range, place));
    for (uint32_t i = 0; i < study->quantity_count; i++)
        TRY(write_column(record, view->quantities, study->quantity_count, i, record->quantities[i], range, place));
    return CLACK_OK;
}

// --- trajectories ---------------------------------------------------------------------------------

// The time axis covers the longest scene seen so far.
static ClackStatus extend_time(Record *record, const BatchView *view, const RecordPlace *place) {
    hsize_t wanted = record->frame_count;
    for (uint32_t i = 0; i < view->batch->scene_count; i++)
        if (was_run(view, i) && view->batch->scene_numbers[i] < record->study->trajectory_scenes &&
            view->batch->scenes[i].frame_capacity > wanted)
            wanted = view->batch->scenes[i].frame_capacity;
    if (wanted == record->frame_count) return CLACK_OK;
    TRY(record_h5_extend(place, record->time_scale, "time", 0, wanted));
    for (hsize_t start = record->frame_count; start < wanted; start += RECORD_BLOCK_VALUES) {
        const hsize_t left = wanted - start, count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        for (hsize_t i = 0; i < count; i++) record->buffer[i] = (double)(start + i) * record->study->trajectory_every_s;
        TRY(record_h5_write(place, record->time_scale, "time", &start, &count, record->buffer));
    }
    for (size_t f = 0; f < record_field_count; f++) {
        const RecordShape shape = record_fields[f].shape;
        if (shape == RECORD_FRAME_XYZ || shape == RECORD_FRAME_QUAT)
            TRY(record_h5_extend(place, record->fields[f], record_fields[f].name, 1, wanted));
    }
    record->frame_count = wanted;
    return CLACK_OK;
}

// --- all of it ------------------------------------------------------------------------------------

static ClackStatus check_batch(const Record *record, const Batch *batch, ClackReport *report) {
    for (uint32_t i = 0; i < batch->scene_count; i++) {
        const uint64_t number = batch->scene_numbers[i];
        if (number < record->scene_first || number - record->scene_first >= record->scene_count)
            return report_add(report, CLACK_INTERNAL, "%s: scene %" PRIu64 " does not belong to this file",
                              record->path, number);
        if (batch->scenes[i].body_count > record->study->scene.body_count)
            return report_add(report, CLACK_INTERNAL, "%s: scene %" PRIu64 " has more bodies than the study",
                              record->path, number);
    }
    return CLACK_OK;
}

static ClackStatus write_ragged(Record *record, const BatchView *view, const RecordPlace *place) {
    const uint32_t scene_count = view->batch->scene_count;
    unsigned char *scenes_run = calloc(scene_count, 1);
    if (scenes_run == NULL) return report_add(place->report, CLACK_MEMORY, "no memory for a batch");
    for (uint32_t i = 0; i < scene_count; i++) scenes_run[i] = was_run(view, i);
    const ClackStatus status = record_ragged_write(record, view->batch, view->result, scenes_run, place);
    free(scenes_run);
    return status;
}

static ClackStatus write_batch(Record *record, const BatchView *view, const RecordPlace *place) {
    TRY(check_batch(record, view->batch, place->report));
    if (record->trajectory_count > 0) TRY(extend_time(record, view, place));
    RowRange range = next_range(record, view, 0);
    for (; range.count > 0; range = next_range(record, view, range.first + range.count)) {
        TRY(write_range(record, view, range, place));
        if (record->trajectory_count > 0)
            TRY(record_frames_write(record, view->batch, view->result, range.first, range.count, place));
        record->scenes_run += range.count;
    }
    return write_ragged(record, view, place);
}

ClackStatus record_batch(Record *record, const Batch *batch, const BatchResult *result, const double *parameters,
                         const double *quantities, ClackReport *report) {
    assert(record != NULL && batch != NULL && result != NULL);
    assert(result->scene_count == batch->scene_count);
    const RecordPlace place = {record->part_path, CLACK_IO, report};
    const BatchView view = {batch, result, parameters, quantities};
    ClackStatus status = write_batch(record, &view, &place);
    if (status == CLACK_OK) status = record_h5_check_file(&place, record->file); // now, not after hours
    if (status != CLACK_OK) record->has_failed = true;
    return status;
}
