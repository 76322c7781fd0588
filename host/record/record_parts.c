// Where the scenes of a merged file come from: a row for each part that was run by itself.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"
#include "record_parts.h"

// Texts of a part: attributes of its /provenance, then datasets of /provenance/parts.
static const struct {
    const char *name, *sentence;
} texts[RECORD_PART_TEXTS] = {
    [RECORD_PART_HOST] = {"host", "Name of the machine that ran the part."},
    [RECORD_PART_DEVICE] = {"device", "Device that ran it."},
    [RECORD_PART_DRIVER] = {"driver", "Version of the device's driver."},
    [RECORD_PART_STARTED] = {"started", "When it was started (UTC)."},
    [RECORD_PART_FINISHED] = {"finished", "When it was finished (UTC)."},
    [RECORD_PART_COMMAND] = {"command_line", "The command that ran it."},
};

void record_parts_free(RecordParts *parts) {
    for (size_t i = 0; i < parts->count; i++)
        for (int t = 0; t < RECORD_PART_TEXTS; t++) free(parts->rows[i].texts[t]);
    free(parts->rows);
    *parts = (RecordParts){0};
}

// The last row, where a part only goes on with it: shards of one run.
static bool goes_on(const RecordParts *parts, const RecordPart *part) {
    const RecordPart *last = parts->count > 0 ? &parts->rows[parts->count - 1] : NULL;
    if (last == NULL || last->first + last->count != part->first) return false;
    for (int t = 0; t < RECORD_PART_TEXTS; t++)
        if (t != RECORD_PART_FINISHED && strcmp(last->texts[t], part->texts[t]) != 0) return false;
    return true;
}

// Takes the texts of `part`.
static ClackStatus add_row(RecordParts *parts, const RecordPlace *place, RecordPart part) {
    bool has_texts = true;
    for (int t = 0; t < RECORD_PART_TEXTS; t++) has_texts = has_texts && part.texts[t] != NULL;
    if (has_texts && goes_on(parts, &part)) {
        RecordPart *last = &parts->rows[parts->count - 1];
        last->count += part.count;
        if (strcmp(last->texts[RECORD_PART_FINISHED], part.texts[RECORD_PART_FINISHED]) < 0) {
            char *earlier = last->texts[RECORD_PART_FINISHED];
            last->texts[RECORD_PART_FINISHED] = part.texts[RECORD_PART_FINISHED];
            part.texts[RECORD_PART_FINISHED] = earlier;
        }
        for (int t = 0; t < RECORD_PART_TEXTS; t++) free(part.texts[t]);
        return CLACK_OK;
    }
    RecordPart *rows = has_texts ? realloc(parts->rows, (parts->count + 1) * sizeof *rows) : NULL;
    if (rows == NULL) {
        for (int t = 0; t < RECORD_PART_TEXTS; t++) free(part.texts[t]);
        return report_add(place->report, CLACK_MEMORY, "%s: no memory for where scenes come from", place->path);
    }
    parts->rows = rows;
    parts->rows[parts->count++] = part;
    return CLACK_OK;
}

// --- reading --------------------------------------------------------------------------------------

typedef struct PartColumns { // of /provenance/parts of a file that was merged itself
    int32_t *firsts, *counts;
    char **texts[RECORD_PART_TEXTS]; // HDF5's, (count)
    hsize_t count;
} PartColumns;

static bool read_column(hid_t group, const char *name, hid_t type, hsize_t count, void *out) {
    const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT), space = dataset < 0 ? -1 : H5Dget_space(dataset);
    const bool is_read = space >= 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count &&
                         H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
    return is_read;
}

static hsize_t column_length(hid_t group, const char *name) {
    const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT), space = dataset < 0 ? -1 : H5Dget_space(dataset);
    const hssize_t count = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
    return count > 0 ? (hsize_t)count : 0;
}

static hid_t text_type(void) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static void free_columns(PartColumns *columns) {
    for (int t = 0; t < RECORD_PART_TEXTS; t++) {
        for (hsize_t i = 0; columns->texts[t] != NULL && i < columns->count; i++) H5free_memory(columns->texts[t][i]);
        free(columns->texts[t]);
    }
    free(columns->firsts);
    free(columns->counts);
}

static bool read_columns(hid_t group, PartColumns *columns) {
    const hid_t type = text_type();
    columns->count = column_length(group, "first_scene");
    columns->firsts = calloc(columns->count + 1, sizeof *columns->firsts);
    columns->counts = calloc(columns->count + 1, sizeof *columns->counts);
    bool is_read = type >= 0 && columns->firsts != NULL && columns->counts != NULL &&
                   read_column(group, "first_scene", H5T_NATIVE_INT32, columns->count, columns->firsts) &&
                   read_column(group, "scene_count", H5T_NATIVE_INT32, columns->count, columns->counts);
    for (int t = 0; is_read && t < RECORD_PART_TEXTS; t++) {
        columns->texts[t] = calloc(columns->count + 1, sizeof **columns->texts);
        is_read =
            columns->texts[t] != NULL && read_column(group, texts[t].name, type, columns->count, columns->texts[t]);
    }
    if (type >= 0) H5Tclose(type);
    return is_read;
}

static ClackStatus add_columns(RecordParts *parts, const RecordPlace *place, hid_t group) {
    PartColumns columns = {0};
    ClackStatus status = CLACK_OK;
    if (!read_columns(group, &columns)) status = record_h5_failed(place, "read group", "provenance/parts");
    for (hsize_t i = 0; status == CLACK_OK && i < columns.count; i++) {
        RecordPart part = {.first = (uint64_t)columns.firsts[i], .count = (uint64_t)columns.counts[i]};
        for (int t = 0; t < RECORD_PART_TEXTS; t++)
            part.texts[t] = strdup(columns.texts[t] != NULL && columns.texts[t][i] != NULL ? columns.texts[t][i] : "");
        status = add_row(parts, place, part);
    }
    free_columns(&columns);
    return status;
}

ClackStatus record_parts_add(RecordParts *parts, const RecordPlace *place, hid_t file, uint64_t first, uint64_t count) {
    const hid_t group = H5Gopen2(file, "provenance", H5P_DEFAULT);
    ClackStatus status = CLACK_OK;
    if (group < 0) return record_h5_failed(place, "open group", "provenance");
    if (H5Lexists(group, "parts", H5P_DEFAULT) > 0) {
        const hid_t own = H5Gopen2(group, "parts", H5P_DEFAULT);
        status = own < 0 ? record_h5_failed(place, "open group", "provenance/parts") : add_columns(parts, place, own);
        if (own >= 0) H5Gclose(own);
    } else {
        RecordPart part = {.first = first, .count = count};
        for (int t = 0; t < RECORD_PART_TEXTS; t++) {
            char text[RECORD_TEXT_BYTES];
            record_h5_read_text(group, texts[t].name, text);
            part.texts[t] = strdup(text);
        }
        status = add_row(parts, place, part);
    }
    H5Gclose(group);
    return status;
}

// --- writing --------------------------------------------------------------------------------------

static ClackStatus write_numbers(const RecordPlace *place, hid_t group, hid_t scale, const RecordParts *parts,
                                 bool is_first) {
    const hsize_t start = 0, count = parts->count;
    const DatasetSpec spec = {.parent = group,
                              .name = is_first ? "first_scene" : "scene_count",
                              .type = RECORD_I32,
                              .rank = 1,
                              .dims = {count},
                              .scales = {scale},
                              .unit = "1",
                              .sentence = is_first ? "Number of its first scene." : "Scenes that it has."};
    hid_t dataset = -1;
    double *values = calloc(parts->count + 1, sizeof *values);
    if (values == NULL)
        return report_add(place->report, CLACK_MEMORY, "%s: no memory for where scenes come from", place->path);
    for (size_t i = 0; i < parts->count; i++)
        values[i] = (double)(is_first ? parts->rows[i].first : parts->rows[i].count);
    ClackStatus status = record_h5_dataset(place, &spec, &dataset);
    if (status == CLACK_OK) status = record_h5_write(place, dataset, spec.name, &start, &count, values);
    free(values);
    return dataset >= 0 ? record_h5_close(place, dataset, spec.name, status) : status;
}

static ClackStatus write_texts(const RecordPlace *place, hid_t group, hid_t scale, const RecordParts *parts) {
    const char **column = calloc(parts->count + 1, sizeof *column);
    ClackStatus status = CLACK_OK;
    if (column == NULL)
        return report_add(place->report, CLACK_MEMORY, "%s: no memory for where scenes come from", place->path);
    for (int t = 0; status == CLACK_OK && t < RECORD_PART_TEXTS; t++) {
        const DatasetSpec spec = {.parent = group,
                                  .name = texts[t].name,
                                  .rank = 1,
                                  .dims = {parts->count},
                                  .scales = {scale},
                                  .sentence = texts[t].sentence};
        for (size_t i = 0; i < parts->count; i++) column[i] = parts->rows[i].texts[t];
        status = record_h5_strings(place, &spec, column);
    }
    free(column);
    return status;
}

ClackStatus record_parts_write(const RecordParts *parts, const RecordPlace *place, hid_t file) {
    if (parts->count < 2) return CLACK_OK;
    hid_t group = -1, scale = -1;
    ClackStatus status = CLACK_OK;
    TRY(record_h5_group(place, file, "provenance/parts", &group));
    const DatasetSpec spec = {.parent = group,
                              .name = "part",
                              .type = RECORD_I32,
                              .rank = 1,
                              .dims = {parts->count},
                              .unit = "1",
                              .sentence = "Number of the part: by its first scene."};
    TRY_CLEAN(record_h5_index_scale(place, &spec, 0, &scale));
    TRY_CLEAN(write_numbers(place, group, scale, parts, true));
    TRY_CLEAN(write_numbers(place, group, scale, parts, false));
    TRY_CLEAN(write_texts(place, group, scale, parts));
cleanup:
    if (scale >= 0) status = record_h5_close(place, scale, "part", status);
    return record_h5_close(place, group, "provenance/parts", status);
}
