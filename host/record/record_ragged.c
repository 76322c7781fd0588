// The tables of an ensemble file, events, recorded contacts and joints: rows of all scenes one after the other, each
// with the number of its scene; and how many rows each scene has.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"
#include "stage.h"

typedef struct RaggedKind {
    const char *axis_sentence, *first_sentence;
    const char *count_sentence; // NULL: a field of the scene tells it
    RecordShape scalar, vector;
} RaggedKind;

static const RaggedKind kinds[RECORD_TABLES] = {
    [RECORD_EVENTS] = {"Number of the event within the file: by scene, then by time.",
                       "First row of the scene in /events; it has n_events.", NULL, RECORD_EVENT, RECORD_EVENT_XYZ},
    [RECORD_CONTACTS] = {"Number of the row within the file: by scene, time, then pair of shapes.",
                         "First row of the scene in /contacts; it has n_contacts.",
                         "Rows of the scene in /contacts: contacts at all recording times.", RECORD_CONTACT,
                         RECORD_CONTACT_XYZ},
    [RECORD_JOINTS] = {"Number of the row within the file: by scene, time, then joint.",
                       "First row of the scene in /joints; it has n_joint_rows.",
                       "Rows of the scene in /joints: joints and forces at all recording times.", RECORD_JOINT,
                       RECORD_JOINT_XYZ},
};

// Whether a field is one of a table of this file: areas, where contacts are regions of surfaces.
static bool has_field(const Record *record, int table, RecordShape shape) {
    if (shape == RECORD_REGION) return table == RECORD_CONTACTS && stage_has_regions(&record->study->scene);
    return shape == kinds[table].scalar || shape == kinds[table].vector;
}

// --- layout ---------------------------------------------------------------------------------------

// Names of joints as CF's flag_values and flag_meanings.
static ClackStatus name_joints(const RecordPlace *place, const SceneDescription *scene, hid_t dataset) {
    const size_t count = scene->joint_count, bytes = count * (SCENE_NAME_BYTES + 1) + 1;
    double *values = malloc((count + 1) * sizeof *values);
    char *meanings = calloc(bytes, 1);
    ClackStatus status = CLACK_OK;
    size_t length = 0;
    if (values == NULL || meanings == NULL)
        TRY_CLEAN(report_add(place->report, CLACK_MEMORY, "%s: no memory for names of joints", place->path));
    for (size_t i = 0; i < count; i++) {
        values[i] = (double)i;
        length += (size_t)snprintf(meanings + length, bytes - length, "%s%s", i > 0 ? " " : "", scene->joints[i].name);
    }
    TRY_CLEAN(record_h5_numbers(place, dataset, "flag_values", RECORD_I32, values, count));
    TRY_CLEAN(record_h5_text(place, dataset, "flag_meanings", meanings));
cleanup:
    free(values);
    free(meanings);
    return status;
}

static ClackStatus make_field(Record *record, const RecordPlace *place, hid_t group, hid_t row_axis, hid_t xyz_axis,
                              const RaggedKind *kind, size_t index) {
    const RecordField *field = &record_fields[index];
    DatasetSpec spec =
        record_h5_column(group, field->name, field->type, row_axis, xyz_axis, field->shape == kind->vector);
    spec.unit = field->unit;
    spec.sentence = field->sentence;
    spec.chunk[0] = record->chunk_rows;
    if (field->type == RECORD_F64 && record->packer != NULL) {
        const size_t values = (size_t)record->chunk_rows * record_shape_components(field->shape);
        record->pending[index] = malloc(values * sizeof *record->pending[index]);
        if (record->pending[index] == NULL)
            return report_add(place->report, CLACK_MEMORY, "%s: no memory for rows of %s", place->path, field->name);
    } else {
        spec.cache_bytes = (size_t)record->chunk_rows * record_shape_components(field->shape) * sizeof(double);
    }
    TRY(record_h5_dataset(place, &spec, &record->fields[index]));
    if (field->shape == RECORD_JOINT && strcmp(field->name, "joint") == 0)
        return name_joints(place, &record->study->scene, record->fields[index]);
    return record_field_codes(place, field, record->fields[index]);
}

// In the root: where the rows of each scene stand.
static ClackStatus make_offsets(Record *record, const RecordPlace *place, hid_t scene_axis, int table) {
    const RaggedKind *kind = &kinds[table];
    const RecordTableNames *names = &record_tables[table];
    RecordTable *made = &record->tables[table];
    const RecordField first = {names->first, RECORD_I32, RECORD_SCENE, "1", kind->first_sentence, NULL};
    const RecordField count = {names->count, RECORD_I32, RECORD_SCENE, "1", kind->count_sentence, NULL};
    TRY(record_make_scene_vector(record, place, record->file, scene_axis, &first, &made->firsts));
    TRY(record_h5_text(place, made->firsts, "role", RECORD_ROLE_ROWS));
    if (kind->count_sentence == NULL) return CLACK_OK;
    TRY(record_make_scene_vector(record, place, record->file, scene_axis, &count, &made->counts));
    return record_h5_text(place, made->counts, "role", RECORD_ROLE_ROWS);
}

static ClackStatus make_table(Record *record, const RecordPlace *place, hid_t scene_axis, int table) {
    const RaggedKind *kind = &kinds[table];
    const RecordTableNames *names = &record_tables[table];
    hid_t group = -1, xyz = 0;
    ClackStatus status = CLACK_OK;
    TRY(make_offsets(record, place, scene_axis, table));
    TRY(record_h5_group(place, record->file, names->group, &group));
    hid_t *scale = &record->tables[table].scale; // grows with the batches
    const DatasetSpec axis = {.parent = group,
                              .name = names->axis,
                              .chunk = {record->chunk_rows},
                              .cache_bytes = (size_t)record->chunk_rows * sizeof(double),
                              .sentence = kind->axis_sentence};
    TRY_CLEAN(record_h5_row_scale(place, axis, scale));
    TRY_CLEAN(record_h5_letter_scale(place, group, "xyz", "xyz", &xyz));
    for (size_t i = 0; i < record_field_count; i++)
        if (has_field(record, table, record_fields[i].shape))
            TRY_CLEAN(make_field(record, place, group, *scale, xyz, kind, i));
cleanup:
    if (xyz > 0) status = record_h5_close(place, xyz, "xyz", status);
    return record_h5_close(place, group, names->group, status);
}

ClackStatus record_ragged_create(Record *record, const RecordPlace *place) {
    const bool has_contacts = record->study->contacts_every_s > 0;
    const bool is_there[RECORD_TABLES] = {record->study->record_events != 0, has_contacts,
                                          has_contacts && record->study->scene.joint_count > 0};
    const hid_t scene_axis = H5Dopen2(record->file, "scene", H5P_DEFAULT);
    if (scene_axis < 0) return record_h5_failed(place, "open dataset", "scene");
    ClackStatus status = CLACK_OK;
    for (int table = 0; status == CLACK_OK && table < RECORD_TABLES; table++)
        if (is_there[table]) status = make_table(record, place, scene_axis, table);
    return record_h5_close(place, scene_axis, "scene", status);
}

// --- rows -----------------------------------------------------------------------------------------

// A batch's rows of one table.
typedef struct RaggedView {
    const Batch *batch;
    const BatchResult *result;
    const unsigned char *was_run; // (scene_count)
    const uint32_t *scenes;       // (count): index within the batch
    size_t count;
    int table;
} RaggedView;

typedef struct RaggedBlock {
    size_t first, end;  // within the batch: the range to copy
    hsize_t row, count; // in the file: what was kept
} RaggedBlock;

// Is a row one of the table, and its scene to be kept?
static bool is_kept(const RaggedView *view, size_t index) {
    if (!view->was_run[view->scenes[index]]) return false;
    if (view->table == RECORD_EVENTS) return true;
    return (view->result->contacts[index].shape_a == NONE) == (view->table == RECORD_JOINTS);
}

static RecordRow ragged_row(const RaggedView *view, size_t index) {
    return (RecordRow){.event = view->table == RECORD_EVENTS ? &view->result->events[index] : NULL,
                       .contact = view->table == RECORD_EVENTS ? NULL : &view->result->contacts[index],
                       .scene_number = view->batch->scene_numbers[view->scenes[index]]};
}

// A field's pending chunk, full or the last of the file.
static ClackStatus write_chunk(const Record *record, size_t field_index, hsize_t first_row, const RecordPlace *place) {
    const RecordField *field = &record_fields[field_index];
    const hsize_t start[2] = {first_row, 0};
    if (record_packer_write(record->packer, record->fields[field_index], start, record->pending[field_index],
                            (size_t)record->chunk_rows * record_shape_components(field->shape)))
        return CLACK_OK;
    return record_h5_failed(place, "write dataset", field->name);
}

// Gathered rows of a field. Those of doubles are kept until a chunk is full, which is packed here; the others HDF5
// keeps.
static ClackStatus write_rows(const Record *record, size_t field_index, const RaggedBlock *block,
                              const RecordPlace *place) {
    const RecordField *field = &record_fields[field_index];
    const size_t components = record_shape_components(field->shape);
    const hsize_t start[2] = {block->row, 0}, count[2] = {block->count, components};
    double *pending = record->pending[field_index];
    const double *values = record->buffer;
    if (pending == NULL) return record_h5_write(place, record->fields[field_index], field->name, start, count, values);
    for (hsize_t row = block->row, end = row + block->count, taken; row < end; row += taken) {
        const hsize_t at = row % record->chunk_rows, room = record->chunk_rows - at;
        taken = room < end - row ? room : end - row;
        memcpy(pending + at * components, values, (size_t)(taken * components) * sizeof *pending);
        values += taken * components;
        if (taken == room) TRY(write_chunk(record, field_index, row - at, place));
    }
    return CLACK_OK;
}

ClackStatus record_ragged_finish(const Record *record, const RecordPlace *place) {
    for (int table = 0; table < RECORD_TABLES; table++) {
        if (record->tables[table].scale == 0) continue; // nor chunks
        const hsize_t rows = record->tables[table].count, last = rows % record->chunk_rows;
        if (last == 0) continue;
        for (size_t f = 0; f < record_field_count; f++) {
            const size_t components = record_shape_components(record_fields[f].shape);
            if (record->pending[f] == NULL || !has_field(record, table, record_fields[f].shape)) continue;
            for (size_t i = (size_t)last * components; i < (size_t)record->chunk_rows * components; i++)
                record->pending[f][i] = NAN; // beyond the end
            TRY(write_chunk(record, f, rows - last, place));
        }
    }
    return CLACK_OK;
}

static ClackStatus write_field(const Record *record, const RaggedView *view, size_t field_index,
                               const RaggedBlock *block, const RecordPlace *place) {
    const RecordField *field = &record_fields[field_index];
    const uint32_t components = record_shape_components(field->shape);
    double *out = record->buffer;
    for (size_t i = block->first; i < block->end; i++) {
        if (!is_kept(view, i)) continue;
        const RecordRow row = ragged_row(view, i);
        field->get(&row, out);
        out += components;
    }
    TRY(record_h5_extend(place, record->fields[field_index], field->name, 0, block->row + block->count));
    return write_rows(record, field_index, block, place);
}

static ClackStatus write_block(Record *record, const RaggedView *view, const RaggedBlock *block,
                               const RecordPlace *place) {
    const RecordTableNames *names = &record_tables[view->table];
    const hid_t scale = record->tables[view->table].scale;
    if (block->row + block->count > INT32_MAX)
        return report_add(place->report, CLACK_IO, "%s: more than %d rows of %s do not fit the file", place->path,
                          INT32_MAX, names->group);
    for (hsize_t i = 0; i < block->count; i++) record->buffer[i] = (double)(block->row + i);
    TRY(record_h5_extend(place, scale, names->axis, 0, block->row + block->count));
    TRY(record_h5_write(place, scale, names->axis, &block->row, &block->count, record->buffer));
    for (size_t f = 0; f < record_field_count; f++)
        if (has_field(record, view->table, record_fields[f].shape)) TRY(write_field(record, view, f, block, place));
    record->tables[view->table].count += block->count;
    return CLACK_OK;
}

// Numbers of rows of the batch's scenes, those side by side in the file in one piece.
static ClackStatus write_counts(const Record *record, const RaggedView *view, const RecordPlace *place) {
    const hid_t dataset = record->tables[view->table].counts;
    const Batch *batch = view->batch;
    double *counts = calloc((size_t)batch->scene_count + 1, sizeof *counts);
    ClackStatus status = CLACK_OK;
    if (counts == NULL) return report_add(place->report, CLACK_MEMORY, "%s: no memory for a batch", place->path);
    for (size_t i = 0; i < view->count; i++)
        if (is_kept(view, i)) counts[view->scenes[i]]++;
    for (uint32_t first = 0, end; status == CLACK_OK && first < batch->scene_count; first = end) {
        const uint64_t *numbers = batch->scene_numbers;
        for (end = first + 1; end < batch->scene_count && numbers[end] == numbers[end - 1] + 1;) end++;
        const hsize_t row = numbers[first] - record->scene_first, count = end - first;
        status = record_h5_write(place, dataset, record_tables[view->table].count, &row, &count, counts + first);
    }
    free(counts);
    return status;
}

static ClackStatus write_table(Record *record, const RaggedView *view, const RecordPlace *place) {
    enum { BLOCK = RECORD_BLOCK_VALUES / 4 }; // vectors of 3 fit the buffer
    if (record->tables[view->table].scale == 0) return CLACK_OK;
    if (record->tables[view->table].counts > 0) TRY(write_counts(record, view, place));
    size_t first = 0;
    while (first < view->count) {
        RaggedBlock block = {.first = first, .row = record->tables[view->table].count};
        block.end = view->count - first < BLOCK ? view->count : first + BLOCK;
        for (size_t i = block.first; i < block.end; i++) block.count += is_kept(view, i) ? 1 : 0;
        if (block.count > 0) TRY(write_block(record, view, &block, place));
        first = block.end;
    }
    return CLACK_OK;
}

ClackStatus record_ragged_write(Record *record, const Batch *batch, const BatchResult *result,
                                const unsigned char *was_run, const RecordPlace *place) {
    const RaggedView events = {batch, result, was_run, result->event_scene, result->event_count, RECORD_EVENTS};
    const RaggedView contacts = {batch, result, was_run, result->contact_scene, result->contact_count, RECORD_CONTACTS};
    RaggedView joints = contacts;
    joints.table = RECORD_JOINTS;
    TRY(write_table(record, &events, place));
    TRY(write_table(record, &contacts, place));
    return write_table(record, &joints, place);
}
