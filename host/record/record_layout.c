// Groups, axes and empty datasets of an ensemble file, made from the field table and the study.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"
#include "scene_fields.h"

#define CHUNK_FRAMES 64u
#define CHUNK_TRAJECTORY_SCENES 256u
#define TRAJECTORY_CACHE_BYTES ((size_t)8 << 20) // several chunks, where a batch ends inside of one

typedef struct Axes { // dimension scales of one group; 0 where it has none
    hid_t scene, recorded, time, body, xyz, quat;
} Axes;

static hsize_t least(hsize_t a, hsize_t b) { return a < b ? a : b; }

static ClackStatus axes_close(const RecordPlace *place, const Axes *axes, ClackStatus status) {
    const hid_t all[] = {axes->scene, axes->recorded, axes->time, axes->body, axes->xyz, axes->quat};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] > 0) status = record_h5_close(place, all[i], "an axis", status);
    return status;
}

// --- axes -----------------------------------------------------------------------------------------

static ClackStatus make_scene_axis(const Record *record, const RecordPlace *place, hid_t group, uint64_t count,
                                   hid_t *out_scale) {
    const DatasetSpec spec = {.parent = group,
                              .name = "scene",
                              .type = RECORD_I32,
                              .rank = 1,
                              .dims = {count},
                              .chunk = {least(count, RECORD_CHUNK_SCENES)},
                              .unit = "1",
                              .sentence = "Number of the scene within the study."};
    return record_h5_index_scale(place, &spec, record->scene_first, out_scale);
}

// Names of bodies as CF says what numbers mean, for readers that read no strings.
static ClackStatus name_numbers(const RecordPlace *place, hid_t scale, const char *const *names, uint32_t count) {
    const size_t bytes = (size_t)count * (SCENE_NAME_BYTES + 1) + 1;
    double *values = calloc((size_t)count + 1, sizeof *values);
    char *meanings = calloc(bytes, 1);
    size_t length = 0;
    ClackStatus status = CLACK_OK;
    if (values == NULL || meanings == NULL)
        TRY_CLEAN(report_add(place->report, CLACK_MEMORY, "%s: no memory for names of bodies", place->path));
    for (uint32_t i = 0; i < count; i++) {
        values[i] = i;
        length += (size_t)snprintf(meanings + length, bytes - length, "%s%s", i > 0 ? " " : "", names[i]);
    }
    TRY_CLEAN(record_h5_numbers(place, scale, "flag_values", RECORD_I32, values, count));
    TRY_CLEAN(record_h5_text(place, scale, "flag_meanings", meanings));
cleanup:
    free(values);
    free(meanings);
    return status;
}

ClackStatus record_make_body_axis(const Record *record, const RecordPlace *place, hid_t group, hid_t *out_scale) {
    const SceneDescription *scene = &record->study->scene;
    const DatasetSpec spec = {.parent = group,
                              .name = "body",
                              .type = RECORD_I32,
                              .rank = 1,
                              .dims = {scene->body_count},
                              .unit = "1",
                              .sentence = "Number of the body within the scene."};
    TRY(record_h5_index_scale(place, &spec, 0, out_scale));
    const char **names = calloc(scene->body_count, sizeof *names);
    if (names == NULL) return report_add(place->report, CLACK_MEMORY, "no memory for names");
    for (uint32_t i = 0; i < scene->body_count; i++) names[i] = scene->bodies[i].name;
    const DatasetSpec name_spec = {.parent = group,
                                   .name = "body_name",
                                   .rank = 1,
                                   .dims = {scene->body_count},
                                   .scales = {*out_scale},
                                   .sentence = "Name of the body in the study."};
    ClackStatus status = name_numbers(place, *out_scale, names, scene->body_count);
    if (status == CLACK_OK) status = record_h5_strings(place, &name_spec, names);
    free(names);
    return status;
}

#define FACE_WORD_BYTES 24

// "+x", or "face_7" of a direction that is no axis.
static void face_word(const Face *face, char out[FACE_WORD_BYTES]) {
    for (int k = 0; k < 3; k++) {
        if (fabs(face->direction[k]) != 1) continue;
        snprintf(out, FACE_WORD_BYTES, "%c%c", face->direction[k] > 0 ? '+' : '-', "xyz"[k]);
        return;
    }
    snprintf(out, FACE_WORD_BYTES, "face_%g", face->number);
}

// Which number is which face, as CF says what a code means; faces that share a number are one code.
static ClackStatus describe_faces(const RecordPlace *place, hid_t dataset, const Quantity *quantity) {
    const size_t count = quantity->face_count, bytes = count * FACE_WORD_BYTES + 1;
    double *values = calloc(count + 1, sizeof *values);
    char *meanings = calloc(bytes, 1), word[FACE_WORD_BYTES];
    size_t codes = 0, length = 0;
    ClackStatus status = CLACK_OK;
    if (values == NULL || meanings == NULL)
        TRY_CLEAN(
            report_add(place->report, CLACK_MEMORY, "%s: no memory for the faces of %s", place->path, quantity->name));
    for (size_t i = 0; i < count; i++) {
        const double number = quantity->faces[i].number;
        size_t before = 0;
        while (before < codes && values[before] != number) before++;
        if (before < codes) continue;
        values[codes++] = number;
        for (size_t j = i; j < count; j++) {
            if (quantity->faces[j].number != number) continue;
            face_word(&quantity->faces[j], word);
            length += (size_t)snprintf(meanings + length, bytes - length, "%s%s",
                                       j > i       ? "_"
                                       : codes > 1 ? " "
                                                   : "",
                                       word);
        }
    }
    TRY_CLEAN(record_h5_numbers(place, dataset, "flag_values", RECORD_F64, values, codes));
    TRY_CLEAN(record_h5_text(place, dataset, "flag_meanings", meanings));
cleanup:
    free(values);
    free(meanings);
    return status;
}

static ClackStatus make_quantity_attributes(const RecordPlace *place, const Quantity *quantity, hid_t dataset) {
    TRY(record_h5_text(place, dataset, "role", RECORD_ROLE_QUANTITY));
    if (quantity->kind == QUANTITY_SHARE) return record_h5_text(place, dataset, "kind", RECORD_KIND_SHARE);
    return quantity->kind == QUANTITY_FACE_UP ? describe_faces(place, dataset, quantity) : CLACK_OK;
}

// --- per-scene datasets -----------------------------------------------------------------------------

ClackStatus record_make_scene_vector(const Record *record, const RecordPlace *place, hid_t group, hid_t scene_axis,
                                     const RecordField *field, hid_t *out_dataset) {
    const DatasetSpec spec = {.parent = group,
                              .name = field->name,
                              .type = field->type,
                              .rank = 1,
                              .dims = {record->scene_count},
                              .chunk = {least(record->scene_count, RECORD_CHUNK_SCENES)},
                              .scales = {scene_axis},
                              .fill = record_field_fill(field),
                              .has_fill_attribute = field->type == RECORD_F64,
                              .unit = field->unit,
                              .sentence = field->sentence};
    return record_h5_dataset(place, &spec, out_dataset);
}

ClackStatus record_describe_codes(const RecordPlace *place, hid_t dataset, const char *name, RecordType type,
                                  const RecordCodeList *list) {
    double values[32];
    char meanings[512] = "";
    size_t length = 0;
    assert(list->count <= sizeof values / sizeof *values);
    for (size_t i = 0; i < list->count; i++) {
        values[i] = list->codes[i].value;
        length += (size_t)snprintf(meanings + length, sizeof meanings - length, "%s%s", i > 0 ? " " : "",
                                   list->codes[i].name);
        assert(length < sizeof meanings);
    }
    TRY(record_h5_numbers(place, dataset, name, type, values, list->count));
    return record_h5_text(place, dataset, "flag_meanings", meanings);
}

ClackStatus record_field_codes(const RecordPlace *place, const RecordField *field, hid_t dataset) {
    if (field->shape == RECORD_SCENE && strcmp(field->name, "status") == 0)
        return record_describe_codes(place, dataset, "flag_values", field->type, &record_statuses);
    if (field->shape == RECORD_SCENE && strcmp(field->name, "flags") == 0)
        return record_describe_codes(place, dataset, "flag_masks", field->type, &record_flags);
    if (field->shape == RECORD_EVENT && strcmp(field->name, "kind") == 0)
        return record_describe_codes(place, dataset, "flag_values", field->type, &record_event_kinds);
    return CLACK_OK;
}

static ClackStatus check_name(const RecordPlace *place, const char *kind, const char *name, bool is_taken) {
    if (!record_name_is_legal(name))
        return report_add(place->report, CLACK_STUDY, "%s \"%s\": a dataset cannot have this name", kind, name);
    if (is_taken)
        return report_add(place->report, CLACK_STUDY, "%s \"%s\": the ensemble file has something else of this name",
                          kind, name);
    return CLACK_OK;
}

static ClackStatus make_root(Record *record, const RecordPlace *place) {
    const Study *study = record->study;
    Axes axes = {0};
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(make_scene_axis(record, place, record->file, record->scene_count, &axes.scene));
    TRY_CLEAN(record_make_body_axis(record, place, record->file, &axes.body));
    TRY_CLEAN(record_h5_letter_scale(place, record->file, "xyz", "xyz", &axes.xyz));
    TRY_CLEAN(record_h5_letter_scale(place, record->file, "quat", "wxyz", &axes.quat));
    for (size_t i = 0; i < record_field_count; i++) {
        const RecordField *field = &record_fields[i];
        if (field->shape != RECORD_SCENE) continue;
        TRY_CLEAN(record_make_scene_vector(record, place, record->file, axes.scene, field, &record->fields[i]));
        TRY_CLEAN(record_field_codes(place, field, record->fields[i]));
    }
    for (uint32_t i = 0; i < study->quantity_count; i++) {
        const Quantity *quantity = &study->quantities[i];
        bool is_taken = scene_name_is_taken(quantity->name) != 0;
        for (uint32_t j = 0; j < i; j++) is_taken |= strcmp(quantity->name, study->quantities[j].name) == 0;
        TRY_CLEAN(check_name(place, "quantity", quantity->name, is_taken));
        const RecordField field = {quantity->name, RECORD_F64, RECORD_SCENE, quantity->unit, quantity->text, NULL};
        TRY_CLEAN(record_make_scene_vector(record, place, record->file, axes.scene, &field, &record->quantities[i]));
        TRY_CLEAN(make_quantity_attributes(place, quantity, record->quantities[i]));
    }
cleanup:
    status = axes_close(place, &axes, status);
    return status;
}

static ClackStatus make_parameter(Record *record, const RecordPlace *place, hid_t group, hid_t scene_axis,
                                  uint32_t index) {
    const Study *study = record->study;
    const Parameter *parameter = &study->parameters[index];
    char sentence[STUDY_NAME_BYTES + 32];
    bool is_taken = scene_name_is_axis(parameter->name) != 0;
    for (uint32_t i = 0; i < index; i++) is_taken |= strcmp(parameter->name, study->parameters[i].name) == 0;
    TRY(check_name(place, "parameter", parameter->name, is_taken));
    snprintf(sentence, sizeof sentence, "Sampled value of %s.", parameter->name);
    const RecordField field = {parameter->name, RECORD_F64, RECORD_SCENE, record_parameter_unit(study, index),
                               sentence,        NULL};
    hid_t *dataset = &record->parameters[index];
    TRY(record_make_scene_vector(record, place, group, scene_axis, &field, dataset));
    TRY(record_h5_text(place, *dataset, "distribution", parameter->text));
    if (parameter->distribution.kind == DISTRIBUTION_DERIVED) return CLACK_OK; // not of the design
    const double column = index - parameter->derived_before, levels = parameter->grid_levels;
    TRY(record_h5_numbers(place, *dataset, "design_column", RECORD_I32, &column, 0));
    if (study->design.kind != DESIGN_GRID) return CLACK_OK;
    return record_h5_numbers(place, *dataset, "grid_levels", RECORD_I32, &levels, 0);
}

static ClackStatus make_parameters(Record *record, const RecordPlace *place) {
    hid_t group = -1;
    Axes axes = {0};
    TRY(record_h5_group(place, record->file, "parameters", &group));
    ClackStatus status = make_scene_axis(record, place, group, record->scene_count, &axes.scene);
    for (uint32_t i = 0; status == CLACK_OK && i < record->study->parameter_count; i++)
        status = make_parameter(record, place, group, axes.scene, i);
    return record_h5_close(place, group, "a group", axes_close(place, &axes, status));
}

// --- trajectory -------------------------------------------------------------------------------------

// Halves of the same number whatever the number of scenes, so that chunks of parts lie on the grid of the whole.
hsize_t record_trajectory_chunk(hsize_t scenes, hsize_t chunk_frames, hsize_t bodies) {
    hsize_t chunk_scenes = CHUNK_TRAJECTORY_SCENES;
    while (chunk_scenes > 1 && chunk_scenes * chunk_frames * bodies * 4 > RECORD_BLOCK_VALUES) chunk_scenes /= 2;
    return least(scenes, chunk_scenes);
}

// About 1 MiB at most, whole scenes before whole times, and no more than a frame a chunk more than there are. The end
// may differ between scenes: the length of the time axis is known when the batches come.
static void choose_trajectory_chunk(Record *record) {
    const Study *study = record->study;
    const double frames = floor(study->scene.end_s / study->trajectory_every_s) + 1.0;
    const hsize_t frame_values = (hsize_t)study->scene.body_count * 4;
    // An end that is sampled is not known yet: it may be anything here.
    const bool is_known = study->scene.end_s > 0 && isfinite(frames);
    record->chunk_frames = is_known ? (hsize_t)ceil(frames / ceil(frames / CHUNK_FRAMES)) : CHUNK_FRAMES;
    record->chunk_scenes =
        record_trajectory_chunk(record->trajectory_count, record->chunk_frames, study->scene.body_count);
    while (record->chunk_frames > 1 && record->chunk_frames * frame_values > RECORD_BLOCK_VALUES)
        record->chunk_frames = (record->chunk_frames + 1) / 2;
}

// An axis of its own, even where all scenes are recorded: `scene` would be the root's to readers of the whole tree,
// which is longer where not all are. Its values are the scenes' numbers, by which they are selected; scene_number are
// the same, under the name that all tables have them by.
static ClackStatus make_recorded_axis(const Record *record, const RecordPlace *place, hid_t group, hid_t *out_scale) {
    DatasetSpec spec = {.parent = group,
                        .name = "recorded",
                        .type = RECORD_I32,
                        .rank = 1,
                        .dims = {record->trajectory_count},
                        .chunk = {least(record->trajectory_count, RECORD_CHUNK_SCENES)},
                        .unit = "1",
                        .sentence = "Number of the recorded scene within the study."};
    hid_t numbers = -1;
    TRY(record_h5_index_scale(place, &spec, record->scene_first, out_scale));
    spec.name = "scene_number";
    spec.scales[0] = *out_scale;
    spec.sentence = "Number of the scene, as in the root's `scene`.";
    const ClackStatus status = record_h5_index(place, &spec, record->scene_first, &numbers);
    return record_h5_close(place, numbers, spec.name, status);
}

static ClackStatus make_trajectory_axes(Record *record, const RecordPlace *place, hid_t group, Axes *axes) {
    const DatasetSpec time_spec = {.parent = group,
                                   .name = "time",
                                   .type = RECORD_F64,
                                   .rank = 1,
                                   .dims = {0},
                                   .chunk = {CHUNK_FRAMES},
                                   .is_extendible = {true},
                                   .fill = NAN,
                                   .unit = "s",
                                   .sentence = "Time of the frame."};
    TRY(make_recorded_axis(record, place, group, &axes->recorded));
    TRY(record_h5_dataset(place, &time_spec, &axes->time));
    TRY(record_h5_make_scale(place, axes->time, "time"));
    TRY(record_make_body_axis(record, place, group, &axes->body));
    TRY(record_h5_letter_scale(place, group, "xyz", "xyz", &axes->xyz));
    return record_h5_letter_scale(place, group, "quat", "wxyz", &axes->quat);
}

static ClackStatus make_trajectory(Record *record, const RecordPlace *place) {
    const hsize_t bodies = record->study->scene.body_count;
    hid_t group = -1;
    Axes axes = {0};
    TRY(record_h5_group(place, record->file, "trajectory", &group));
    ClackStatus status = make_trajectory_axes(record, place, group, &axes);
    for (size_t i = 0; status == CLACK_OK && i < record_field_count; i++) {
        const RecordField *field = &record_fields[i];
        if (field->shape != RECORD_FRAME_XYZ && field->shape != RECORD_FRAME_QUAT) continue;
        const hsize_t components = record_shape_components(field->shape);
        const DatasetSpec spec = {
            .parent = group,
            .name = field->name,
            .type = field->type,
            .rank = 4,
            .dims = {record->trajectory_count, 0, bodies, components},
            .chunk = {record->chunk_scenes, record->chunk_frames, bodies, components},
            .is_extendible = {false, true, false, false},
            .scales = {axes.recorded, axes.time, axes.body, field->shape == RECORD_FRAME_QUAT ? axes.quat : axes.xyz},
            .fill = NAN,
            .has_fill_attribute = true,
            .cache_bytes = TRAJECTORY_CACHE_BYTES,
            .unit = field->unit,
            .sentence = field->sentence};
        status = record_h5_dataset(place, &spec, &record->fields[i]);
    }
    record->time_scale = axes.time; // grows with the batches
    axes.time = 0;
    return record_h5_close(place, group, "a group", axes_close(place, &axes, status));
}

// By what the study is, not by what came of it, so that parts of one have the same chunks.
static void choose_row_chunk(Record *record) {
    const hsize_t wanted = (hsize_t)record->study->design.scene_count * RECORD_ROWS_PER_SCENE;
    record->chunk_rows = RECORD_CHUNK_ROWS_LEAST;
    while (record->chunk_rows < wanted && record->chunk_rows < RECORD_CHUNK_ROWS_MOST) record->chunk_rows *= 2;
}

ClackStatus record_layout_create(Record *record, const RecordPlace *place) {
    TRY(make_root(record, place));
    TRY(make_parameters(record, place));
    choose_row_chunk(record);
    const size_t table_values = 3 * (size_t)record->chunk_rows;
    if (record->trajectory_count > 0) choose_trajectory_chunk(record);
    const size_t frame_values =
        (size_t)(record->chunk_scenes * record->chunk_frames) * record->study->scene.body_count * 4;
    record->packer = record_packer_make(frame_values > table_values ? frame_values : table_values);
    if (record->trajectory_count > 0) TRY(make_trajectory(record, place));
    return record_ragged_create(record, place);
}
