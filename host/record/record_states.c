// States of N configurations from an HDF5 file, checked: what `clack evaluate` reads.
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_evaluate.h"
#include "record_internal.h"
#include "sample.h"

#define RANK_MAX 4
#define SHAPE_TEXT_BYTES 128

typedef struct StateColumn {
    const char *name;
    hsize_t components;
    bool is_required;
    size_t offset; // in UserState
} StateColumn;

static const StateColumn columns[] = {
    {"position", 3, true, offsetof(UserState, position_m)},
    {"orientation", 4, true, offsetof(UserState, orientation)},
    {"velocity", 3, false, offsetof(UserState, velocity_m_per_s)},
    {"angular_velocity", 3, false, offsetof(UserState, angular_velocity_rad_per_s)},
};
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

struct RecordStates {
    char *path;
    const Study *study;
    bool *is_absent; // (body_count): not in the scene; anything may stand there
    hid_t file, group;
    hid_t datasets[COLUMN_COUNT];  // 0: not there
    int rank;                      // of the datasets: 3, or 4 in an ensemble's trajectory
    hsize_t scene_row, scene_rows; // rank 4: of the first axis
    hsize_t count;                 // configurations
    uint64_t scene;                // of all configurations,
    hid_t scenes;                  // or a number for each; 0: not there
};

// --- shape and type -------------------------------------------------------------------------------

static void shape_text(int rank, const hsize_t *dims, char text[SHAPE_TEXT_BYTES]) {
    size_t used = (size_t)snprintf(text, SHAPE_TEXT_BYTES, "[");
    for (int i = 0; i < rank && used < SHAPE_TEXT_BYTES; i++) {
        used +=
            (size_t)snprintf(text + used, SHAPE_TEXT_BYTES - used, "%s%" PRIu64, i == 0 ? "" : ", ", (uint64_t)dims[i]);
    }
    if (used < SHAPE_TEXT_BYTES) snprintf(text + used, SHAPE_TEXT_BYTES - used, "]");
}

// Of 64 or 32 bits, which HDF5 converts.
static bool is_real(hid_t dataset) {
    const hid_t type = H5Dget_type(dataset);
    const bool is = type >= 0 && H5Tget_class(type) == H5T_FLOAT &&
                    (H5Tget_size(type) == sizeof(double) || H5Tget_size(type) == sizeof(float));
    if (type >= 0) H5Tclose(type);
    return is;
}

// -1: no dataset with a rank that we can hold.
static int dataset_shape(hid_t dataset, hsize_t dims[RANK_MAX]) {
    const hid_t space = H5Dget_space(dataset);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (rank > RANK_MAX || (rank > 0 && H5Sget_simple_extent_dims(space, dims, NULL) != rank)) rank = -1;
    if (space >= 0) H5Sclose(space);
    return rank;
}

static ClackStatus check_column(RecordStates *states, size_t index, const RecordPlace *place) {
    const StateColumn *column = &columns[index];
    const hsize_t bodies = states->study->scene.body_count;
    const hid_t dataset = states->datasets[index];
    hsize_t dims[RANK_MAX] = {0};
    const int rank = dataset_shape(dataset, dims);
    const int first = states->rank - 3; // the axis of configurations
    if (!is_real(dataset)) {
        return report_add(place->report, CLACK_CORRUPT,
                          "%s: %s: expected floating-point numbers of 64 or 32 bits, found another type", place->path,
                          column->name);
    }
    const bool is_known = states->count > 0; // from the first dataset that was right
    if (rank == states->rank && dims[first] > 0 && (!is_known || dims[first] == states->count) &&
        dims[first + 1] == bodies && dims[first + 2] == column->components &&
        (rank == 3 || dims[0] == states->scene_rows)) {
        states->count = dims[first];
        return CLACK_OK;
    }
    char found[SHAPE_TEXT_BYTES], count[32] = "configurations";
    shape_text(rank, dims, found);
    if (is_known) snprintf(count, sizeof count, "%" PRIu64, (uint64_t)states->count);
    return report_add(place->report, CLACK_CORRUPT,
                      "%s: %s: expected shape [%s%s, %" PRIu64 " bodies, %" PRIu64 "], found %s", place->path,
                      column->name, rank == 4 ? "scenes, " : "", count, (uint64_t)bodies, (uint64_t)column->components,
                      found);
}

static bool has_link(hid_t group, const char *name) { return H5Lexists(group, name, H5P_DEFAULT) > 0; }

static bool is_dataset(hid_t group, const char *name) {
    H5O_info_t info;
    return H5Oget_info_by_name(group, name, &info, H5P_DEFAULT) >= 0 && info.type == H5O_TYPE_DATASET;
}

static ClackStatus open_columns(RecordStates *states, const RecordPlace *place) {
    ClackStatus status = CLACK_OK;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const StateColumn *column = &columns[i];
        if (has_link(states->group, column->name) && is_dataset(states->group, column->name)) {
            states->datasets[i] = H5Dopen2(states->group, column->name, H5P_DEFAULT);
            const ClackStatus checked = states->datasets[i] < 0 ? record_h5_failed(place, "open dataset", column->name)
                                                                : check_column(states, i, place);
            if (checked != CLACK_OK) status = checked;
        } else if (column->is_required || has_link(states->group, column->name)) {
            status =
                report_add(place->report, CLACK_CORRUPT,
                           "%s: %s: expected a dataset [configurations, %u bodies, %" PRIu64 "], found %s", place->path,
                           column->name, states->study->scene.body_count, (uint64_t)column->components,
                           has_link(states->group, column->name) ? "something else" : "none");
        }
    }
    return status;
}

// --- names of the bodies --------------------------------------------------------------------------

// Strings of fixed or variable length; *out_names (count) owned, as one block of SCENE_NAME_BYTES each.
static bool read_names(hid_t dataset, size_t count, char (**out_names)[SCENE_NAME_BYTES]) {
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const bool is_text = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING;
    const bool is_variable = is_text && H5Tis_variable_str(type) > 0;
    const size_t width = !is_text ? 0 : is_variable ? sizeof(char *) : H5Tget_size(type);
    char *raw = width > 0 ? calloc(count, width) : NULL;
    char(*names)[SCENE_NAME_BYTES] = calloc(count, sizeof *names);
    const hid_t memory_type = raw != NULL ? H5Tcopy(type) : -1; // as it is stored: text needs no conversion
    const bool is_read =
        names != NULL && memory_type >= 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0;
    for (size_t i = 0; is_read && i < count; i++) {
        const char *from = is_variable ? ((char **)(void *)raw)[i] : raw + i * width;
        const size_t most = is_variable ? SCENE_NAME_BYTES : width;
        if (from != NULL) snprintf(names[i], sizeof names[i], "%.*s", (int)most, from);
    }
    if (is_read && is_variable) H5Dvlen_reclaim(memory_type, space, H5P_DEFAULT, raw);
    if (memory_type >= 0) H5Tclose(memory_type);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    free(raw);
    *out_names = names;
    return is_read;
}

static ClackStatus check_names(const RecordStates *states, const RecordPlace *place) {
    const SceneDescription *scene = &states->study->scene;
    if (!has_link(states->group, "body_name")) return CLACK_OK;
    const hid_t dataset = H5Dopen2(states->group, "body_name", H5P_DEFAULT);
    if (dataset < 0) return record_h5_failed(place, "open dataset", "body_name");
    hsize_t dims[RANK_MAX] = {0};
    char(*names)[SCENE_NAME_BYTES] = NULL;
    ClackStatus status = CLACK_OK;
    const int rank = dataset_shape(dataset, dims);
    if (rank != 1 || dims[0] != scene->body_count || !read_names(dataset, scene->body_count, &names)) {
        status = report_add(place->report, CLACK_CORRUPT, "%s: body_name: expected %u strings, found other data",
                            place->path, scene->body_count);
    }
    for (uint32_t b = 0; status == CLACK_OK && b < scene->body_count; b++) {
        if (strcmp(names[b], scene->bodies[b].name) == 0) continue;
        status = report_add(place->report, CLACK_CORRUPT, "%s: body_name[%u]: expected \"%s\", found \"%s\"",
                            place->path, b, scene->bodies[b].name, names[b]);
    }
    free(names);
    H5Dclose(dataset);
    return status;
}

// --- reading --------------------------------------------------------------------------------------

static ClackStatus read_block(const RecordStates *states, size_t index, hsize_t first, hsize_t count, double *values,
                              const RecordPlace *place) {
    const hsize_t bodies = states->study->scene.body_count, components = columns[index].components;
    const hsize_t start[] = {states->scene_row, first, 0, 0}, counts[] = {1, count, bodies, components};
    const int skipped = RANK_MAX - states->rank;
    const hid_t file_space = H5Dget_space(states->datasets[index]);
    const hid_t memory_space = H5Screate_simple(states->rank, counts + skipped, NULL);
    ClackStatus status = CLACK_OK;
    if (file_space < 0 || memory_space < 0 ||
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start + skipped, NULL, counts + skipped, NULL) < 0 ||
        H5Dread(states->datasets[index], H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, values) < 0)
        status = record_h5_failed(place, "read dataset", columns[index].name);
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    return status;
}

// The first defect of a column in this block, if there is one.
static ClackStatus check_values(const RecordStates *states, size_t index, uint64_t first, size_t rows,
                                const double *values, const RecordPlace *place) {
    const size_t components = columns[index].components, bodies = states->study->scene.body_count;
    const bool is_turn = components == 4;
    for (size_t row = 0; row < rows; row++) {
        const double *v = values + row * components;
        double square = 0;
        for (size_t k = 0; k < components; k++) square += is_turn ? v[k] * v[k] : 0.0 * v[k];
        if (states->is_absent[row % bodies] || (isfinite(square) && (!is_turn || square > 0))) continue;
        size_t k = 0;
        while (k + 1 < components && isfinite(v[k])) k++;
        return report_add(place->report, CLACK_CORRUPT, "%s: %s[%" PRIu64 ", %zu]: expected %s, found %g", place->path,
                          columns[index].name, first + row / bodies, row % bodies,
                          is_turn ? "a finite quaternion of non-zero length" : "finite numbers", v[k]);
    }
    return CLACK_OK;
}

ClackStatus record_states_read(RecordStates *states, uint64_t first, size_t count, UserState *out_states,
                               ClackReport *report) {
    assert(first + count <= states->count);
    const RecordPlace place = {states->path, CLACK_CORRUPT, report};
    const size_t rows = count * states->study->scene.body_count;
    ClackStatus status = CLACK_OK;
    double *values = malloc((rows * 4 + 1) * sizeof *values);
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for %zu configurations", count);
    memset(out_states, 0, rows * sizeof *out_states);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const size_t bytes = columns[i].components * sizeof(double);
        if (states->datasets[i] <= 0) continue;
        ClackStatus column = read_block(states, i, first, count, values, &place);
        if (column == CLACK_OK) column = check_values(states, i, first, rows, values, &place);
        if (column != CLACK_OK) status = column;
        for (size_t row = 0; row < rows; row++) {
            memcpy((char *)&out_states[row] + columns[i].offset, values + row * columns[i].components, bytes);
        }
    }
    free(values);
    return status;
}

// --- an ensemble's trajectory ---------------------------------------------------------------------

// Which row of the trajectory is the scene's.
static ClackStatus find_scene(RecordStates *states, uint64_t scene, const RecordPlace *place) {
    hsize_t dims[RANK_MAX] = {0};
    const char *name = has_link(states->group, "recorded") ? "recorded" : "scene"; // of version 1
    const hid_t dataset = has_link(states->group, name) ? H5Dopen2(states->group, name, H5P_DEFAULT) : -1;
    int32_t *numbers = NULL;
    bool is_found = false;
    if (dataset >= 0 && dataset_shape(dataset, dims) == 1 && dims[0] > 0) {
        numbers = calloc(dims[0], sizeof *numbers);
        if (numbers != NULL && H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0) {
            for (hsize_t i = 0; i < dims[0] && !is_found; i++) {
                is_found = numbers[i] >= 0 && (uint64_t)numbers[i] == scene;
                states->scene_row = i;
            }
        }
    }
    states->scene_rows = dims[0];
    if (dataset >= 0) H5Dclose(dataset);
    free(numbers);
    if (is_found) return CLACK_OK;
    return report_add(place->report, CLACK_CORRUPT, "%s: trajectory: expected one of scene %" PRIu64 ", found none",
                      place->path, scene);
}

// Frames after a scene's end are NaN: they are not configurations.
static ClackStatus count_frames(RecordStates *states, const RecordPlace *place) {
    const hsize_t frame_values = (hsize_t)states->study->scene.body_count * 3;
    hsize_t seen = 0; // the first body that the scene has
    const hsize_t block = frame_values > RECORD_BLOCK_VALUES ? 1 : RECORD_BLOCK_VALUES / frame_values;
    double *values = malloc((size_t)(block * frame_values) * sizeof *values);
    ClackStatus status = CLACK_OK;
    if (values == NULL) return report_add(place->report, CLACK_MEMORY, "no memory for a trajectory");
    while (seen + 1 < states->study->scene.body_count && states->is_absent[seen]) seen++;
    hsize_t count = 0;
    for (bool is_end = false; status == CLACK_OK && !is_end && count < states->count;) {
        const hsize_t left = states->count - count, taken = left < block ? left : block;
        status = read_block(states, 0, count, taken, values, place);
        for (hsize_t i = 0; status == CLACK_OK && !is_end && i < taken; i++) {
            // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): read, since `status` says so
            is_end = isnan(values[i * frame_values + 3 * seen]);
            count += is_end ? 0 : 1;
        }
    }
    free(values);
    states->count = count;
    if (status == CLACK_OK && count == 0) {
        status = report_add(place->report, CLACK_CORRUPT, "%s: trajectory: the scene has no frame", place->path);
    }
    return status;
}

// --- bodies that the scene has not --------------------------------------------------------------------

static ClackStatus find_absent(RecordStates *states, uint64_t scene_number, ClackReport *report) {
    const Study *study = states->study;
    SceneDescription scene = {0};
    ClackStatus status = CLACK_OK;
    states->is_absent = calloc((size_t)study->scene.body_count + 1, sizeof *states->is_absent);
    double *values = calloc((size_t)study->parameter_count + 1, sizeof *values);
    if (states->is_absent == NULL || values == NULL) {
        status = report_add(report, CLACK_MEMORY, "no memory to read %s", states->path);
        goto cleanup;
    }
    if (scene_number >= study->design.scene_count) goto cleanup; // the evaluator refuses it
    TRY_CLEAN(sample_numbered(study, scene_number, values, &scene, report));
    for (uint32_t b = 0; b < scene.body_count; b++) states->is_absent[b] = scene.bodies[b].is_absent != 0;
    scene_free(&scene);
cleanup:
    free(values);
    return status;
}

// --- scenes of configurations -----------------------------------------------------------------------

// Which bodies a configuration lacks then follows from its scene: the evaluator checks its numbers.
static ClackStatus open_scenes(RecordStates *states, const RecordPlace *place) {
    hsize_t dims[RANK_MAX] = {0};
    if (states->rank != 3 || !has_link(states->group, "scene_number")) return CLACK_OK;
    states->scenes = H5Dopen2(states->group, "scene_number", H5P_DEFAULT);
    if (states->scenes < 0) return record_h5_failed(place, "open dataset", "scene_number");
    const int rank = dataset_shape(states->scenes, dims);
    const hid_t type = H5Dget_type(states->scenes);
    const bool is_integer = type >= 0 && H5Tget_class(type) == H5T_INTEGER;
    if (type >= 0) H5Tclose(type);
    if (rank != 1 || dims[0] != states->count || !is_integer)
        return report_add(place->report, CLACK_CORRUPT,
                          "%s: scene_number: expected a whole number for each of %" PRIu64 " configurations",
                          place->path, (uint64_t)states->count);
    for (uint32_t b = 0; b < states->study->scene.body_count; b++) states->is_absent[b] = true;
    return CLACK_OK;
}

bool record_states_have_scenes(const RecordStates *states) { return states->scenes > 0; }

ClackStatus record_states_scenes(RecordStates *states, uint64_t first, size_t count, uint64_t *out_scenes,
                                 ClackReport *report) {
    const RecordPlace place = {states->path, CLACK_CORRUPT, report};
    const hsize_t start = first, counts = count;
    for (size_t i = 0; i < count; i++) out_scenes[i] = states->scene;
    if (states->scenes <= 0) return CLACK_OK;
    int64_t *numbers = calloc(count + 1, sizeof *numbers);
    const hid_t file_space = H5Dget_space(states->scenes), memory_space = H5Screate_simple(1, &counts, NULL);
    ClackStatus status = CLACK_OK;
    if (numbers == NULL)
        status = report_add(report, CLACK_MEMORY, "no memory for %zu configurations", count);
    else if (file_space < 0 || memory_space < 0 ||
             H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &counts, NULL) < 0 ||
             H5Dread(states->scenes, H5T_NATIVE_INT64, memory_space, file_space, H5P_DEFAULT, numbers) < 0)
        status = record_h5_failed(&place, "read dataset", "scene_number");
    for (size_t i = 0; status == CLACK_OK && i < count; i++) {
        out_scenes[i] = (uint64_t)numbers[i];
        if (numbers[i] < 0 || out_scenes[i] >= states->study->design.scene_count)
            status = report_add(report, CLACK_CORRUPT,
                                "%s: scene_number[%" PRIu64 "]: expected 0 to %" PRIu64 ", found %" PRId64,
                                states->path, first + i, states->study->design.scene_count - 1, numbers[i]);
    }
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    free(numbers);
    return status;
}

// --- opening and closing --------------------------------------------------------------------------

static ClackStatus open_states(RecordStates *states, uint64_t scene, const RecordPlace *place) {
    TRY(record_h5_open_file(place, "a file of configurations", &states->file));
    const bool is_ensemble = !has_link(states->file, "position") && has_link(states->file, "trajectory");
    states->rank = is_ensemble ? 4 : 3;
    states->group = H5Gopen2(states->file, is_ensemble ? "trajectory" : "/", H5P_DEFAULT);
    if (states->group < 0) return record_h5_failed(place, "open group", "trajectory");
    if (is_ensemble) TRY(find_scene(states, scene, place));
    const ClackStatus status = open_columns(states, place), named = check_names(states, place);
    if (status != CLACK_OK || named != CLACK_OK) return status != CLACK_OK ? status : named;
    states->scene = scene;
    return is_ensemble ? count_frames(states, place) : open_scenes(states, place);
}

ClackStatus record_states_open(const char *path, const Study *study, uint64_t scene, RecordStates **out_states,
                               ClackReport *report) {
    assert(path != NULL && study != NULL && out_states != NULL);
    const RecordPlace place = {path, CLACK_CORRUPT, report};
    RecordStates *states = calloc(1, sizeof *states);
    char *kept = calloc(strlen(path) + 1, 1);
    if (states == NULL || kept == NULL) {
        free(states);
        free(kept);
        return report_add(report, CLACK_MEMORY, "no memory to read %s", path);
    }
    states->path = strcpy(kept, path);
    states->study = study;
    record_h5_quiet();
    ClackStatus status = find_absent(states, scene, report);
    if (status == CLACK_OK) status = open_states(states, scene, &place);
    if (status != CLACK_OK) {
        record_states_close(states);
        return status;
    }
    *out_states = states;
    return CLACK_OK;
}

uint64_t record_states_count(const RecordStates *states) { return states->count; }

void record_states_close(RecordStates *states) {
    if (states == NULL) return;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (states->datasets[i] > 0) H5Dclose(states->datasets[i]);
    if (states->scenes > 0) H5Dclose(states->scenes);
    if (states->group > 0) H5Gclose(states->group);
    if (states->file > 0) record_h5_drop_file(states->file);
    free(states->is_absent);
    free(states->path);
    free(states);
}
