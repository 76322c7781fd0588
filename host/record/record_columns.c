// Columns of an ensemble file, parameters and then quantities, for statistics.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "record_columns.h"

#define NAME_BYTES 512

static ClackStatus no_memory(const RecordColumns *columns) {
    return report_add(columns->place->report, CLACK_MEMORY, "%s: no memory for its statistics", columns->place->path);
}

static ClackStatus columns_grow(RecordColumns *columns) {
    if (columns->count + 1 < columns->room) return CLACK_OK;
    const size_t room = 2 * columns->room + 16;
    hid_t *datasets = realloc(columns->datasets, room * sizeof *datasets);
    if (datasets != NULL) columns->datasets = datasets;
    char **names = realloc(columns->names, room * sizeof *names);
    if (names != NULL) columns->names = names;
    char **units = realloc(columns->units, room * sizeof *units);
    if (units != NULL) columns->units = units;
    unsigned char *is_regressor = realloc(columns->is_regressor, room);
    if (is_regressor != NULL) columns->is_regressor = is_regressor;
    unsigned char *is_share = realloc(columns->is_share, room);
    if (is_share != NULL) columns->is_share = is_share;
    if (datasets == NULL || names == NULL || units == NULL || is_regressor == NULL || is_share == NULL)
        return no_memory(columns);
    columns->room = room;
    return CLACK_OK;
}

hsize_t record_columns_length(hid_t dataset) {
    hsize_t length = 0;
    const hid_t space = H5Dget_space(dataset);
    const bool is_vector =
        space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &length, NULL) == 1;
    if (space >= 0) H5Sclose(space);
    return is_vector ? length : 0;
}

// Takes over the dataset.
static ClackStatus columns_add(RecordColumns *columns, hid_t dataset, const char *name) {
    char unit[RECORD_TEXT_BYTES], distribution[RECORD_TEXT_BYTES], kind[RECORD_TEXT_BYTES];
    record_h5_read_text(dataset, "units", unit);
    record_h5_read_text(dataset, "distribution", distribution);
    record_h5_read_text(dataset, "kind", kind);
    const size_t at = columns->count;
    const ClackStatus status = columns_grow(columns);
    if (status != CLACK_OK) {
        H5Dclose(dataset);
        return status;
    }
    columns->datasets[at] = dataset;
    columns->names[at] = strdup(name);
    columns->units[at] = strdup(unit);
    columns->is_regressor[at] = distribution[0] != '='; // what is computed from others
    columns->is_share[at] = strcmp(kind, RECORD_KIND_SHARE) == 0;
    columns->count++;
    if (columns->names[at] == NULL || columns->units[at] == NULL) return no_memory(columns);
    if (record_columns_length(dataset) == columns->rows) return CLACK_OK;
    return report_add(columns->place->report, columns->place->status, "%s: dataset %s has another length than /status",
                      columns->place->path, name);
}

// Quantities are known by their role; parameters are all but the scale.
static bool is_column(hid_t object, const char *name, bool is_parameter) {
    char role[RECORD_TEXT_BYTES];
    if (H5Iget_type(object) != H5I_DATASET) return false;
    if (is_parameter) return strcmp(name, "scene") != 0;
    record_h5_read_text(object, "role", role);
    return strcmp(role, RECORD_ROLE_QUANTITY) == 0;
}

static ClackStatus columns_take_group(RecordColumns *columns, hid_t group, bool is_parameter) {
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0) return record_h5_failed(columns->place, "list a group", "");
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[NAME_BYTES];
        if (H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
            return record_h5_failed(columns->place, "list a group", "");
        const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        if (object < 0) return record_h5_failed(columns->place, "open", name);
        if (is_column(object, name, is_parameter))
            TRY(columns_add(columns, object, name));
        else
            H5Oclose(object);
    }
    return CLACK_OK;
}

void record_columns_close(RecordColumns *columns) {
    for (size_t i = 0; i < columns->count; i++) {
        H5Dclose(columns->datasets[i]);
        free(columns->names[i]);
        free(columns->units[i]);
    }
    if (columns->rows > 0) H5Dclose(columns->datasets[columns->count]);
    free(columns->datasets);
    free(columns->names);
    free(columns->units);
    free(columns->is_regressor);
    free(columns->is_share);
}

static ClackStatus read_scene_first(RecordColumns *columns) {
    const hsize_t start = 0, one = 1;
    const hid_t dataset = H5Dopen2(columns->file, "scene", H5P_DEFAULT);
    const hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset), memory = H5Screate_simple(1, &one, NULL);
    const bool is_read = space >= 0 && memory >= 0 &&
                         H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &one, NULL) >= 0 &&
                         H5Dread(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, &columns->scene_first) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
    return is_read ? CLACK_OK : record_h5_failed(columns->place, "read dataset", "scene");
}

ClackStatus record_columns_open(const RecordPlace *place, hid_t file, RecordColumns *columns) {
    *columns = (RecordColumns){.place = place, .file = file};
    TRY(columns_grow(columns));
    const hid_t status = H5Dopen2(file, "status", H5P_DEFAULT);
    if (status < 0) return record_h5_failed(place, "open dataset", "status");
    const uint64_t rows = record_columns_length(status);
    columns->rows = rows;
    ClackStatus result = CLACK_OK;
    const hid_t group = H5Gopen2(file, "parameters", H5P_DEFAULT);
    if (rows == 0)
        result = report_add(place->report, place->status, "%s: dataset status is no vector", place->path);
    else if (group < 0)
        result = record_h5_failed(place, "open group", "parameters");
    else
        result = columns_take_group(columns, group, true);
    if (group >= 0) H5Gclose(group);
    columns->parameters = columns->count;
    if (result == CLACK_OK) result = columns_take_group(columns, file, false);
    columns->datasets[columns->count] = status;
    if (rows == 0) H5Dclose(status);
    return result == CLACK_OK ? read_scene_first(columns) : result;
}

static ClackStatus columns_read(void *context, size_t column, uint64_t first, size_t count, double *out_values,
                                ClackReport *report) {
    const RecordColumns *columns = context;
    const hsize_t start = first, length = count;
    const hid_t file_space = H5Dget_space(columns->datasets[column]), memory = H5Screate_simple(1, &length, NULL);
    const bool is_read =
        file_space >= 0 && memory >= 0 &&
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &length, NULL) >= 0 &&
        H5Dread(columns->datasets[column], H5T_NATIVE_DOUBLE, memory, file_space, H5P_DEFAULT, out_values) >= 0;
    (void)report; // it is the place's
    if (memory >= 0) H5Sclose(memory);
    if (file_space >= 0) H5Sclose(file_space);
    const char *name = column < columns->count ? columns->names[column] : "status";
    return is_read ? CLACK_OK : record_h5_failed(columns->place, "read dataset", name);
}

StatisticsSource record_columns_source(RecordColumns *columns) {
    return (StatisticsSource){.context = columns,
                              .read = columns_read,
                              .row_count = columns->rows,
                              .scene_first = (uint64_t)columns->scene_first,
                              .column_count = columns->count,
                              .parameter_count = columns->parameters,
                              .names = columns->names,
                              .units = columns->units,
                              .is_regressor = columns->is_regressor,
                              .is_share = columns->is_share};
}
