// Trajectories of a finished batch -> the ensemble file: frames in the user's terms, a chunk of the file at a time.
#include <assert.h>
#include <math.h>

#include "record_internal.h"

// Frames of scenes that are written together: at most one chunk, so that memory stays bounded.
typedef struct FrameBlock {
    uint32_t scene_first; // within the batch
    hsize_t scene_count, row;
    hsize_t frame_first, frame_count;
} FrameBlock;

typedef struct FrameField {
    const RecordField *field;
    hid_t dataset;
    uint32_t components;
    double *values; // of the block
} FrameField;

typedef struct FrameFields {
    size_t count;
    FrameField fields[RECORD_FRAME_FIELDS];
} FrameFields;

static FrameFields list_fields(const Record *record) {
    FrameFields list = {0};
    for (size_t f = 0; f < record_field_count; f++) {
        const RecordField *field = &record_fields[f];
        if (field->shape != RECORD_FRAME_XYZ && field->shape != RECORD_FRAME_QUAT) continue;
        assert(list.count < RECORD_FRAME_FIELDS);
        list.fields[list.count] = (FrameField){.field = field,
                                               .dataset = record->fields[f],
                                               .components = record_shape_components(field->shape),
                                               .values = record->frame_values + list.count * record->buffer_count};
        list.count++;
    }
    return list;
}

// --- gathering ------------------------------------------------------------------------------------

// All fields of one body at one time, from its state; without one NaN.
static void put_state(const FrameFields *list, const Scene *scene, const UserState *state, double **out) {
    for (size_t f = 0; f < list->count; f++) {
        const FrameField *field = &list->fields[f];
        if (state != NULL)
            field->field->get(&(RecordRow){.scene = scene, .state = state}, out[f]);
        else
            for (uint32_t i = 0; i < field->components; i++) out[f][i] = NAN;
        out[f] += field->components;
    }
}

// What a scene did not reach, and a body that it does not have, is NaN.
static void gather_frame(const FrameFields *list, const Batch *batch, const BatchResult *result, uint32_t scene,
                         hsize_t frame, uint32_t body_count, double **out) {
    const Scene *row = &batch->scenes[scene];
    const bool is_written = frame < result->progress[scene].frame_count && frame < row->frame_capacity;
    for (uint32_t body = 0; body < body_count; body++) {
        const Body *made = &batch->bodies[row->body_first + (body < row->body_count ? body : 0)];
        if (!is_written || body >= row->body_count || (made->flags & BODY_ABSENT)) {
            put_state(list, row, NULL, out);
            continue;
        }
        const size_t index = row->frame_first + (size_t)frame * row->body_count + body;
        const UserState state = stage_user_state(made, &result->frames[index]);
        put_state(list, row, &state, out);
    }
}

// Frames of a block in the file's order. Up to `scenes` and `frames`, at least those of the block, what it lacks is
// NaN.
static void gather_block(const FrameFields *list, const Record *record, const Batch *batch, const BatchResult *result,
                         const FrameBlock *block, hsize_t scenes, hsize_t frames) {
    const uint32_t bodies = record->study->scene.body_count;
    double *out[RECORD_FRAME_FIELDS] = {0};
    for (size_t f = 0; f < list->count; f++) out[f] = list->fields[f].values;
    for (hsize_t scene = 0; scene < block->scene_count; scene++)
        for (hsize_t frame = 0; frame < frames; frame++)
            gather_frame(list, batch, result, block->scene_first + (uint32_t)scene, block->frame_first + frame, bodies,
                         out);
    for (hsize_t i = 0; i < (scenes - block->scene_count) * frames * bodies; i++) put_state(list, NULL, NULL, out);
    for (size_t f = 0; f < list->count; f++) assert((size_t)(out[f] - list->fields[f].values) <= record->buffer_count);
}

// --- blocks ---------------------------------------------------------------------------------------

// Whether nothing of the chunk's scenes is written before or after, so that it may be packed here, once.
static bool is_whole_chunk(const Record *record, const FrameBlock *block) {
    return block->row % record->chunk_scenes == 0 &&
           (block->scene_count == record->chunk_scenes || block->row + block->scene_count == record->trajectory_count);
}

static ClackStatus write_block(const Record *record, const Batch *batch, const BatchResult *result,
                               const FrameBlock *block, const RecordPlace *place) {
    const uint32_t bodies = record->study->scene.body_count;
    const bool is_chunk = record->packer != NULL && is_whole_chunk(record, block);
    const hsize_t scenes = is_chunk ? record->chunk_scenes : block->scene_count;
    const hsize_t frames = is_chunk ? record->chunk_frames : block->frame_count;
    const FrameFields list = list_fields(record);
    gather_block(&list, record, batch, result, block, scenes, frames);
    for (size_t f = 0; f < list.count; f++) {
        const FrameField *field = &list.fields[f];
        const hsize_t start[4] = {block->row, block->frame_first, 0, 0};
        const hsize_t count[4] = {scenes, frames, bodies, field->components};
        const char *name = field->field->name;
        const size_t value_count = (size_t)(scenes * frames) * bodies * field->components;
        if (!is_chunk)
            TRY(record_h5_write(place, field->dataset, name, start, count, field->values));
        else if (!record_packer_write(record->packer, field->dataset, start, field->values, value_count))
            return record_h5_failed(place, "write dataset", name);
    }
    return CLACK_OK;
}

// Only what some scene has reached: the rest is NaN by the dataset's fill value.
static hsize_t longest_trajectory(const BatchResult *result, uint32_t first, hsize_t count) {
    hsize_t longest = 0;
    for (uint32_t i = first; i < first + count; i++)
        if (result->progress[i].frame_count > longest) longest = result->progress[i].frame_count;
    return longest;
}

ClackStatus record_frames_write(const Record *record, const Batch *batch, const BatchResult *result, uint32_t first,
                                uint32_t count, const RecordPlace *place) {
    const hsize_t row = batch->scene_numbers[first] - record->scene_first;
    uint32_t done = 0;
    while (done < count && row + done < record->trajectory_count) {
        FrameBlock block = {.scene_first = first + done, .row = row + done};
        // Up to the border of a chunk, so that each chunk is compressed once.
        block.scene_count = record->chunk_scenes - block.row % record->chunk_scenes;
        if (block.scene_count > count - done) block.scene_count = count - done;
        if (block.scene_count > record->trajectory_count - block.row)
            block.scene_count = record->trajectory_count - block.row;
        hsize_t frames = longest_trajectory(result, block.scene_first, block.scene_count);
        if (frames > record->frame_count) frames = record->frame_count;
        for (; block.frame_first < frames; block.frame_first += record->chunk_frames) {
            const hsize_t left = frames - block.frame_first;
            block.frame_count = left < record->chunk_frames ? left : record->chunk_frames;
            TRY(write_block(record, batch, result, &block, place));
        }
        done += (uint32_t)block.scene_count;
    }
    return CLACK_OK;
}
