// A finished batch -> rows of the ensemble file: scenes, parameters, quantities, trajectories.
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "record_internal.h"

// Scenes of a batch that lie side by side in the file as well, so that one write takes them all.
typedef struct SceneRun {
    uint32_t first, count; // within the batch
    hsize_t row;           // in the file
} SceneRun;

typedef struct BatchView {
    const Batch *batch;
    const BatchResult *result;
    const double *parameters, *quantities;
} BatchView;

static bool was_run(const BatchView *view, uint32_t scene) {
    const u32 status = view->result->progress[scene].status;
    return status != STATUS_NOT_RUN && status != STATUS_INTERRUPTED && status < STATUS_RUNNING;
}

// The next run from `from` on; count 0 at the end of the batch.
static SceneRun next_run(const Record *record, const BatchView *view, uint32_t from) {
    const uint32_t scene_count = view->batch->scene_count;
    const uint64_t *numbers = view->batch->scene_numbers;
    while (from < scene_count && !was_run(view, from)) from++;
    if (from == scene_count) return (SceneRun){.first = from};
    uint32_t end = from + 1;
    while (end < scene_count && was_run(view, end) && numbers[end] == numbers[end - 1] + 1 &&
           end - from < RECORD_BLOCK_VALUES)
        end++;
    return (SceneRun){
        .first = from, .count = end - from, .row = numbers[from] - record->scene_first};
}

static ClackStatus write_fields(const Record *record, const BatchView *view, SceneRun run,
                                const RecordPlace *place) {
    const hsize_t count = run.count;
    for (size_t f = 0; f < record_field_count; f++) {
        const RecordField *field = &record_fields[f];
        if (field->shape != RECORD_SCENE) continue;
        for (uint32_t i = 0; i < run.count; i++) {
            const uint32_t scene = run.first + i;
            const RecordRow row = {.scene = &view->batch->scenes[scene],
                                   .progress = &view->result->progress[scene],
                                   .scene_number = view->batch->scene_numbers[scene]};
            field->get(&row, &record->buffer[i]);
        }
        TRY(record_h5_write(place, record->fields[f], field->name, &run.row, &count,
                            record->buffer));
    }
    return CLACK_OK;
}

// One column of a table (scene_count, width) into one dataset.
static ClackStatus write_column(const Record *record, const double *table, size_t width,
                                size_t column, hid_t dataset, SceneRun run,
                                const RecordPlace *place) {
    const hsize_t count = run.count;
    for (uint32_t i = 0; i < run.count; i++)
        record->buffer[i] = table[(size_t)(run.first + i) * width + column];
    return record_h5_write(place, dataset, "of a parameter or quantity", &run.row, &count,
                           record->buffer);
}

static ClackStatus write_run(const Record *record, const BatchView *view, SceneRun run,
                             const RecordPlace *place) {
    const Study *study = record->study;
    TRY(write_fields(record, view, run, place));
    for (uint32_t i = 0; i < study->parameter_count; i++)
        TRY(write_column(record, view->parameters, study->parameter_count, i, record->parameters[i],
                         run, place));
    for (uint32_t i = 0; i < study->quantity_count; i++)
        TRY(write_column(record, view->quantities, study->quantity_count, i, record->quantities[i],
                         run, place));
    return CLACK_OK;
}

// --- trajectories ---------------------------------------------------------------------------------

// Frames of scenes that are written together: at most one chunk, so that memory stays bounded.
typedef struct FrameBlock {
    uint32_t scene_first, scene_count; // within the batch
    hsize_t row;
    hsize_t frame_first, frame_count;
} FrameBlock;

// What a scene did not reach, and a body that it does not have, is NaN.
static void gather_frame(const BatchView *view, const RecordField *field, uint32_t scene,
                         uint64_t frame, uint32_t body_count, double *out) {
    const Scene *row = &view->batch->scenes[scene];
    const uint32_t components = record_shape_components(field->shape);
    const bool is_written =
        frame < view->result->progress[scene].frame_count && frame < row->frame_capacity;
    for (uint32_t body = 0; body < body_count; body++, out += components) {
        const bool is_there =
            body < row->body_count &&
            !(view->batch->bodies[row->body_first + body].flags & BODY_ABSENT);
        if (!is_written || !is_there) {
            for (uint32_t i = 0; i < components; i++) out[i] = NAN;
            continue;
        }
        const size_t index = row->frame_first + (size_t)frame * row->body_count + body;
        const UserState state = quantity_user_state(&view->batch->bodies[row->body_first + body],
                                                    &view->result->frames[index]);
        field->get(&(RecordRow){.scene = row, .state = &state}, out);
    }
}

static ClackStatus write_frame_block(const Record *record, const BatchView *view,
                                     const FrameBlock *block, const RecordPlace *place) {
    const uint32_t bodies = record->study->scene.body_count;
    for (size_t f = 0; f < record_field_count; f++) {
        const RecordField *field = &record_fields[f];
        if (field->shape != RECORD_FRAME_XYZ && field->shape != RECORD_FRAME_QUAT) continue;
        const uint32_t components = record_shape_components(field->shape);
        double *out = record->buffer;
        for (uint32_t scene = 0; scene < block->scene_count; scene++)
            for (hsize_t frame = 0; frame < block->frame_count;
                 frame++, out += (size_t)bodies * components)
                gather_frame(view, field, block->scene_first + scene, block->frame_first + frame,
                             bodies, out);
        assert((size_t)(out - record->buffer) <= record->buffer_count);
        const hsize_t start[4] = {block->row, block->frame_first, 0, 0};
        const hsize_t count[4] = {block->scene_count, block->frame_count, bodies, components};
        TRY(record_h5_write(place, record->fields[f], field->name, start, count, record->buffer));
    }
    return CLACK_OK;
}

// Only what some scene has reached: the rest is NaN by the dataset's fill value.
static hsize_t longest_trajectory(const BatchView *view, uint32_t first, uint32_t count) {
    hsize_t longest = 0;
    for (uint32_t i = first; i < first + count; i++)
        if (view->result->progress[i].frame_count > longest)
            longest = view->result->progress[i].frame_count;
    return longest;
}

static ClackStatus write_run_frames(const Record *record, const BatchView *view, SceneRun run,
                                    const RecordPlace *place) {
    uint32_t done = 0;
    while (done < run.count && run.row + done < record->trajectory_count) {
        FrameBlock block = {.scene_first = run.first + done, .row = run.row + done};
        // Up to the border of a chunk, so that each chunk is compressed once.
        hsize_t scenes = record->chunk_scenes - block.row % record->chunk_scenes;
        if (scenes > run.count - done) scenes = run.count - done;
        if (scenes > record->trajectory_count - block.row)
            scenes = record->trajectory_count - block.row;
        block.scene_count = (uint32_t)scenes;
        hsize_t frames = longest_trajectory(view, block.scene_first, block.scene_count);
        if (frames > record->frame_count) frames = record->frame_count;
        for (; block.frame_first < frames; block.frame_first += record->chunk_frames) {
            const hsize_t left = frames - block.frame_first;
            block.frame_count = left < record->chunk_frames ? left : record->chunk_frames;
            TRY(write_frame_block(record, view, &block, place));
        }
        done += block.scene_count;
    }
    return CLACK_OK;
}

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
        const hsize_t left = wanted - start,
                      count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        for (hsize_t i = 0; i < count; i++)
            record->buffer[i] = (double)(start + i) * record->study->trajectory_every_s;
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
            return report_add(report, CLACK_INTERNAL,
                              "%s: scene %" PRIu64 " does not belong to this file", record->path,
                              number);
        if (batch->scenes[i].body_count > record->study->scene.body_count)
            return report_add(report, CLACK_INTERNAL,
                              "%s: scene %" PRIu64 " has more bodies than the study", record->path,
                              number);
    }
    return CLACK_OK;
}

static ClackStatus write_ragged(Record *record, const BatchView *view, const RecordPlace *place) {
    const uint32_t scene_count = view->batch->scene_count;
    unsigned char *scenes_run = calloc(scene_count, 1);
    if (scenes_run == NULL) return report_add(place->report, CLACK_MEMORY, "no memory for a batch");
    for (uint32_t i = 0; i < scene_count; i++) scenes_run[i] = was_run(view, i);
    const ClackStatus status =
        record_ragged_write(record, view->batch, view->result, scenes_run, place);
    free(scenes_run);
    return status;
}

static ClackStatus write_batch(Record *record, const BatchView *view, const RecordPlace *place) {
    TRY(check_batch(record, view->batch, place->report));
    if (record->trajectory_count > 0) TRY(extend_time(record, view, place));
    SceneRun run = next_run(record, view, 0);
    for (; run.count > 0; run = next_run(record, view, run.first + run.count)) {
        TRY(write_run(record, view, run, place));
        if (record->trajectory_count > 0) TRY(write_run_frames(record, view, run, place));
        record->scenes_run += run.count;
    }
    return write_ragged(record, view, place);
}

ClackStatus record_batch(Record *record, const Batch *batch, const BatchResult *result,
                         const double *parameters, const double *quantities, ClackReport *report) {
    assert(record != NULL && batch != NULL && result != NULL);
    assert(result->scene_count == batch->scene_count);
    const RecordPlace place = {record->part_path, CLACK_IO, report};
    const BatchView view = {batch, result, parameters, quantities};
    const ClackStatus status = write_batch(record, &view, &place);
    if (status != CLACK_OK) record->has_failed = true;
    return status;
}
