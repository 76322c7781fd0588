// Tables of results <-> a group of the ensemble file.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"

typedef struct ResultGroup {
    const RecordPlace *place;
    const ResultSpec *spec;
    hid_t group;
    hid_t scales[RESULT_AXES_MAX]; // 0: the table does not use this axis
} ResultGroup;

static RecordType file_type(ResultType type) {
    return type == RESULT_F64 ? RECORD_F64 : type == RESULT_I32 ? RECORD_I32 : RECORD_U8;
}

// --- write ------------------------------------------------------------------------------------------------

static bool uses_axis(const ResultTable *table, uint32_t axis) {
    for (uint32_t field = 0; field < table->spec->field_count; field++)
        for (int i = 0; i < RESULT_RANK_MAX && table->fields[field] != NULL; i++)
            if (table->spec->fields[field].axes[i] == axis) return true;
    return false;
}

static ClackStatus write_texts(const ResultGroup *here, const ResultTable *table, uint32_t axis, const char *name,
                               char **texts, const char *sentence) {
    if (name == NULL || texts == NULL) return CLACK_OK;
    const DatasetSpec spec = {.parent = here->group,
                              .name = name,
                              .rank = 1,
                              .dims = {table->lengths[axis]},
                              .scales = {here->scales[axis]},
                              .sentence = sentence};
    return record_h5_strings(here->place, &spec, (const char *const *)texts);
}

static ClackStatus write_axis(ResultGroup *here, const ResultTable *table, uint32_t axis) {
    const ResultAxis *about = &here->spec->axes[axis];
    const DatasetSpec spec = {.parent = here->group,
                              .name = about->name,
                              .type = file_type(about->type),
                              .rank = 1,
                              .dims = {table->lengths[axis]},
                              .unit = "1",
                              .sentence = about->sentence};
    const hsize_t start = 0;
    if (about->is_index) {
        TRY(record_h5_index_scale(here->place, &spec, 0, &here->scales[axis]));
    } else {
        TRY(record_h5_dataset(here->place, &spec, &here->scales[axis]));
        TRY(record_h5_write(here->place, here->scales[axis], about->name, &start, &spec.dims[0], table->scales[axis]));
        TRY(record_h5_make_scale(here->place, here->scales[axis], about->name));
    }
    TRY(write_texts(here, table, axis, about->names, table->names[axis], "Name."));
    return write_texts(here, table, axis, about->units, table->units[axis], "Unit.");
}

static ClackStatus write_field(const ResultGroup *here, const ResultTable *table, uint32_t field) {
    const ResultField *about = &here->spec->fields[field];
    const hsize_t start[RECORD_RANK_MAX] = {0};
    DatasetSpec spec = {.parent = here->group,
                        .name = about->name,
                        .type = file_type(about->type),
                        .unit = about->unit,
                        .sentence = about->sentence};
    for (; spec.rank < RESULT_RANK_MAX && about->axes[spec.rank] != RESULT_NO_AXIS; spec.rank++) {
        spec.dims[spec.rank] = table->lengths[about->axes[spec.rank]];
        spec.scales[spec.rank] = here->scales[about->axes[spec.rank]];
    }
    hid_t dataset = -1;
    TRY(record_h5_dataset(here->place, &spec, &dataset));
    return record_h5_close(here->place, dataset, about->name,
                           record_h5_write(here->place, dataset, about->name, start, spec.dims, table->fields[field]));
}

static ClackStatus write_attributes(const ResultGroup *here, const ResultTable *table) {
    const ResultSpec *spec = here->spec;
    TRY(record_h5_text(here->place, here->group, "description", spec->sentence));
    for (uint32_t i = 0; i < spec->number_count; i++) {
        if (i == spec->fraction)
            TRY(record_h5_numbers(here->place, here->group, spec->numbers[i], RECORD_F64, &table->numbers[i], 0));
        else
            TRY(record_h5_u64(here->place, here->group, spec->numbers[i], (uint64_t)table->numbers[i]));
    }
    for (uint32_t i = 0; i < spec->text_count; i++)
        TRY(record_h5_text(here->place, here->group, spec->texts[i], table->texts[i] != NULL ? table->texts[i] : ""));
    return CLACK_OK;
}

static ClackStatus write_open_group(ResultGroup *here, const ResultTable *table) {
    TRY(write_attributes(here, table));
    for (uint32_t axis = 0; axis < here->spec->axis_count; axis++)
        if (uses_axis(table, axis)) TRY(write_axis(here, table, axis));
    for (uint32_t field = 0; field < here->spec->field_count; field++)
        if (table->fields[field] != NULL) TRY(write_field(here, table, field));
    return CLACK_OK;
}

static ClackStatus close_group(ResultGroup *here, ClackStatus status) {
    for (uint32_t axis = 0; axis < here->spec->axis_count; axis++)
        if (here->scales[axis] > 0)
            status = record_h5_close(here->place, here->scales[axis], here->spec->axes[axis].name, status);
    return record_h5_close(here->place, here->group, here->spec->group, status);
}

ClackStatus record_result_write(const RecordPlace *place, hid_t file, const ResultTable *table) {
    ResultGroup here = {.place = place, .spec = table->spec};
    TRY(record_h5_group(place, file, table->spec->group, &here.group));
    return close_group(&here, write_open_group(&here, table));
}

// --- read -------------------------------------------------------------------------------------------------

static ClackStatus open_dataset(const ResultGroup *here, const char *name, int rank, hsize_t *out_dims,
                                hid_t *out_dataset) {
    *out_dataset = H5Dopen2(here->group, name, H5P_DEFAULT);
    if (*out_dataset < 0) return record_h5_failed(here->place, "open dataset", name);
    const hid_t space = H5Dget_space(*out_dataset);
    const bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                      H5Sget_simple_extent_dims(space, out_dims, NULL) == rank;
    if (space >= 0) H5Sclose(space);
    if (fits) return CLACK_OK;
    H5Dclose(*out_dataset);
    return report_add(here->place->report, here->place->status, "%s: %s/%s has another shape than it should have",
                      here->place->path, here->spec->group, name);
}

static ClackStatus read_values(const ResultGroup *here, hid_t dataset, const char *name, double *values) {
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) return CLACK_OK;
    return record_h5_failed(here->place, "read dataset", name);
}

static ClackStatus take_texts(const ResultGroup *here, char **read, size_t count, char ***out_texts) {
    TRY(result_make_texts(count, out_texts, here->place->report));
    for (size_t i = 0; i < count; i++)
        TRY(result_set_text(&(*out_texts)[i], read[i] != NULL ? read[i] : "", here->place->report));
    return CLACK_OK;
}

static ClackStatus read_texts(const ResultGroup *here, const char *name, size_t count, char ***out_texts) {
    hsize_t dims[1] = {0};
    hid_t dataset = -1;
    if (name == NULL) return CLACK_OK;
    TRY(open_dataset(here, name, 1, dims, &dataset));
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    char **read = calloc(count + 1, sizeof *read);
    ClackStatus status = CLACK_OK;
    if (read == NULL)
        status = report_add(here->place->report, CLACK_MEMORY, "%s: no memory to read it", here->place->path);
    else if (dims[0] != count || H5Tis_variable_str(type) <= 0 ||
             H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) < 0)
        status = record_h5_failed(here->place, "read dataset", name);
    else {
        status = take_texts(here, read, count, out_texts);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, read);
    }
    free(read);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    H5Dclose(dataset);
    return status;
}

static ClackStatus read_axis(const ResultGroup *here, ResultTable *table, uint32_t axis) {
    const ResultAxis *about = &here->spec->axes[axis];
    hsize_t length = 0;
    hid_t dataset = -1;
    if (H5Lexists(here->group, about->name, H5P_DEFAULT) <= 0) return CLACK_OK;
    TRY(open_dataset(here, about->name, 1, &length, &dataset));
    table->lengths[axis] = (size_t)length;
    ClackStatus status = about->is_index ? CLACK_OK : result_make_scale(table, axis, here->place->report);
    if (status == CLACK_OK && !about->is_index) status = read_values(here, dataset, about->name, table->scales[axis]);
    H5Dclose(dataset);
    if (status == CLACK_OK) status = read_texts(here, about->names, table->lengths[axis], &table->names[axis]);
    if (status == CLACK_OK) status = read_texts(here, about->units, table->lengths[axis], &table->units[axis]);
    return status;
}

static ClackStatus read_field(const ResultGroup *here, ResultTable *table, uint32_t field) {
    const ResultField *about = &here->spec->fields[field];
    hsize_t dims[RESULT_RANK_MAX] = {0};
    int rank = 0;
    bool fits = true;
    hid_t dataset = -1;
    if (H5Lexists(here->group, about->name, H5P_DEFAULT) <= 0) return CLACK_OK;
    while (rank < RESULT_RANK_MAX && about->axes[rank] != RESULT_NO_AXIS) rank++;
    TRY(open_dataset(here, about->name, rank, dims, &dataset));
    for (int i = 0; i < rank; i++) fits &= dims[i] == table->lengths[about->axes[i]];
    ClackStatus status = CLACK_OK;
    if (!fits)
        status = report_add(here->place->report, here->place->status, "%s: %s/%s has other lengths than its axes",
                            here->place->path, here->spec->group, about->name);
    if (status == CLACK_OK) status = result_make(table, field, here->place->report);
    if (status == CLACK_OK) status = read_values(here, dataset, about->name, table->fields[field]);
    H5Dclose(dataset);
    return status;
}

static ClackStatus read_attributes(const ResultGroup *here, ResultTable *table) {
    char text[RECORD_TEXT_BYTES];
    for (uint32_t i = 0; i < here->spec->number_count; i++) {
        const char *name = here->spec->numbers[i];
        const hid_t attribute = H5Aexists(here->group, name) > 0 ? H5Aopen(here->group, name, H5P_DEFAULT) : -1;
        const herr_t read = attribute < 0 ? -1 : H5Aread(attribute, H5T_NATIVE_DOUBLE, &table->numbers[i]);
        if (attribute >= 0) H5Aclose(attribute);
        if (read < 0) return record_h5_failed(here->place, "read attribute", name);
    }
    for (uint32_t i = 0; i < here->spec->text_count; i++) {
        record_h5_read_text(here->group, here->spec->texts[i], text);
        TRY(result_set_text(&table->texts[i], text, here->place->report));
    }
    return CLACK_OK;
}

static ClackStatus read_open_group(const ResultGroup *here, ResultTable *table) {
    TRY(read_attributes(here, table));
    for (uint32_t axis = 0; axis < here->spec->axis_count; axis++) TRY(read_axis(here, table, axis));
    for (uint32_t field = 0; field < here->spec->field_count; field++) TRY(read_field(here, table, field));
    return CLACK_OK;
}

ClackStatus record_result_read(const RecordPlace *place, hid_t file, const ResultSpec *spec, ResultTable *out_table) {
    ResultGroup here = {.place = place, .spec = spec, .group = H5Gopen2(file, spec->group, H5P_DEFAULT)};
    *out_table = (ResultTable){.spec = spec};
    if (here.group < 0) return record_h5_failed(place, "open group", spec->group);
    const ClackStatus status = read_open_group(&here, out_table);
    H5Gclose(here.group);
    if (status != CLACK_OK) result_free(out_table);
    return status;
}
