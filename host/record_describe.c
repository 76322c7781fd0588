// What an ensemble file holds, as text: `clack info`.
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"

#define NAME_BYTES 512
#define TEXT_BYTES 4096

// --- the text -------------------------------------------------------------------------------------

typedef struct Text {
    char *bytes; // owned
    size_t length, room;
    bool ran_out; // of memory
} Text;

__attribute__((format(printf, 2, 3))) static void text_add(Text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    const size_t needed = text->length + (length > 0 ? (size_t)length : 0) + 1;
    if (needed > text->room && !text->ran_out) {
        char *bytes = realloc(text->bytes, needed * 2);
        text->ran_out = bytes == NULL;
        if (bytes != NULL) {
            text->bytes = bytes;
            text->room = needed * 2;
        }
    }
    if (text->ran_out || length < 0) return;
    va_start(list, format);
    vsnprintf(text->bytes + text->length, text->room - text->length, format, list);
    va_end(list);
    text->length += (size_t)length;
}

// --- reading --------------------------------------------------------------------------------------

typedef struct Reading {
    RecordPlace place;
    hid_t file;
    Text text;
    double *values; // (RECORD_BLOCK_VALUES)
} Reading;

// A text attribute; empty where there is none or it is no fixed-length text.
static void read_text(hid_t object, const char *name, char out_text[TEXT_BYTES]) {
    out_text[0] = '\0';
    if (H5Aexists(object, name) <= 0) return;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return;
    const hid_t type = H5Aget_type(attribute);
    const size_t size = type < 0 ? 0 : H5Tget_size(type);
    if (size > 0 && size < TEXT_BYTES && H5Tget_class(type) == H5T_STRING &&
        H5Tis_variable_str(type) == 0 && H5Aget_storage_size(attribute) == size) {
        if (H5Aread(attribute, type, out_text) < 0)
            out_text[0] = '\0';
        else
            out_text[size] = '\0';
    }
    if (type >= 0) H5Tclose(type);
    H5Aclose(attribute);
}

static bool read_u64(hid_t object, const char *name, uint64_t *out_value) {
    const hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0) return false;
    const hid_t space = H5Aget_space(attribute);
    const bool is_one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    const bool is_read = is_one && H5Aread(attribute, H5T_NATIVE_UINT64, out_value) >= 0;
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return is_read;
}

// Length of a dataset of one axis; an error where it is not one.
static ClackStatus vector_length(const Reading *reading, hid_t dataset, const char *name,
                                 hsize_t *out_length) {
    const hid_t space = H5Dget_space(dataset);
    const bool is_vector = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                           H5Sget_simple_extent_dims(space, out_length, NULL) == 1;
    if (space >= 0) H5Sclose(space);
    if (is_vector) return CLACK_OK;
    return report_add(reading->place.report, CLACK_CORRUPT, "%s: dataset %s is not a vector",
                      reading->place.path, name);
}

static ClackStatus read_block(const Reading *reading, hid_t dataset, const char *name,
                              hsize_t start, hsize_t count) {
    const hid_t file_space = H5Dget_space(dataset),
                memory_space = H5Screate_simple(1, &count, NULL);
    ClackStatus status = CLACK_OK;
    if (file_space < 0 || memory_space < 0 ||
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &count, NULL) < 0 ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT,
                reading->values) < 0)
        status = record_h5_failed(&reading->place, "read dataset", name);
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    return status;
}

// What is done with each value of a vector.
typedef void (*VisitValue)(void *context, double value);

static ClackStatus visit_open_vector(const Reading *reading, hid_t dataset, const char *name,
                                     VisitValue visit, void *context) {
    hsize_t length = 0;
    TRY(vector_length(reading, dataset, name, &length));
    for (hsize_t start = 0; start < length; start += RECORD_BLOCK_VALUES) {
        const hsize_t left = length - start,
                      count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        TRY(read_block(reading, dataset, name, start, count));
        for (hsize_t i = 0; i < count; i++) visit(context, reading->values[i]);
    }
    return CLACK_OK;
}

static ClackStatus visit_vector(const Reading *reading, hid_t parent, const char *name,
                                VisitValue visit, void *context) {
    const hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
    if (dataset < 0) return record_h5_failed(&reading->place, "open dataset", name);
    const ClackStatus status = visit_open_vector(reading, dataset, name, visit, context);
    H5Dclose(dataset);
    return status;
}

// --- names in a group -----------------------------------------------------------------------------

typedef ClackStatus (*VisitDataset)(Reading *reading, hid_t dataset, const char *name);

// The datasets of a group in the order in which they were made.
static ClackStatus visit_datasets(Reading *reading, hid_t group, VisitDataset visit) {
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0) return record_h5_failed(&reading->place, "list a group", "");
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[NAME_BYTES];
        const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i,
                                                  name, sizeof name, H5P_DEFAULT);
        if (length < 0) return record_h5_failed(&reading->place, "list a group", "");
        const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        if (object < 0) return record_h5_failed(&reading->place, "open", name);
        const ClackStatus status =
            H5Iget_type(object) == H5I_DATASET ? visit(reading, object, name) : CLACK_OK;
        H5Oclose(object);
        if (status != CLACK_OK) return status;
    }
    return CLACK_OK;
}

// As visit_datasets; a group that this file does not have is none.
static ClackStatus visit_group(Reading *reading, const char *name, VisitDataset visit) {
    if (H5Lexists(reading->file, name, H5P_DEFAULT) <= 0) return CLACK_OK;
    const hid_t group = H5Gopen2(reading->file, name, H5P_DEFAULT);
    if (group < 0) return record_h5_failed(&reading->place, "open group", name);
    const ClackStatus status = visit_datasets(reading, group, visit);
    H5Gclose(group);
    return status;
}

// --- lines ----------------------------------------------------------------------------------------

typedef struct Tally {
    double lowest, highest, sum;
    uint64_t count; // numbers that are not NaN
} Tally;

static void tally_value(void *context, double value) {
    Tally *tally = context;
    if (isnan(value)) return;
    if (tally->count == 0 || value < tally->lowest) tally->lowest = value;
    if (tally->count == 0 || value > tally->highest) tally->highest = value;
    tally->sum += value;
    tally->count++;
}

typedef struct CodeCounts {
    uint64_t by_value[256]; // statuses
    uint64_t by_bit[32];    // flags
} CodeCounts;

static void count_status(void *context, double value) {
    CodeCounts *counts = context;
    if (value >= 0 && value < 256) counts->by_value[(size_t)value]++;
}

static void count_flags(void *context, double value) {
    CodeCounts *counts = context;
    if (!(value >= 0 && value <= 4294967295.0)) return;
    for (uint32_t bit = 0; bit < 32; bit++) counts->by_bit[bit] += (uint32_t)value >> bit & 1u;
}

static ClackStatus describe_status(Reading *reading) {
    CodeCounts counts = {0};
    TRY(visit_vector(reading, reading->file, "status", count_status, &counts));
    TRY(visit_vector(reading, reading->file, "flags", count_flags, &counts));
    text_add(&reading->text, "status:    ");
    for (uint32_t value = 0; value < 256; value++)
        if (counts.by_value[value] > 0)
            text_add(&reading->text, " %s %" PRIu64, record_status_name(value),
                     counts.by_value[value]);
    text_add(&reading->text, "\nflags:     ");
    bool has_flags = false;
    for (uint32_t bit = 0; bit < 32; bit++) {
        if (counts.by_bit[bit] == 0) continue;
        text_add(&reading->text, " %s %" PRIu64, record_flag_name(1u << bit), counts.by_bit[bit]);
        has_flags = true;
    }
    text_add(&reading->text, "%s\n", has_flags ? "" : " none");
    return CLACK_OK;
}

static ClackStatus describe_head(Reading *reading) {
    char title[TEXT_BYTES], source[TEXT_BYTES];
    uint64_t complete = 0;
    Tally scenes = {0};
    read_text(reading->file, "title", title);
    read_text(reading->file, "source", source);
    if (!read_u64(reading->file, "complete", &complete))
        return report_add(reading->place.report, CLACK_CORRUPT,
                          "%s: the attribute complete is missing", reading->place.path);
    TRY(visit_vector(reading, reading->file, "scene", tally_value, &scenes));
    text_add(&reading->text, "title:      %s\n", title);
    text_add(&reading->text, "written by: %s, format %d\n", source, RECORD_FORMAT_VERSION);
    text_add(&reading->text, "scenes:     %" PRIu64 " (numbers %.0f to %.0f), %s\n", scenes.count,
             scenes.lowest, scenes.highest, complete ? "complete" : "not complete");
    return describe_status(reading);
}

static ClackStatus describe_provenance(Reading *reading) {
    static const char *const names[] = {"device",  "platform", "driver",       "host",
                                        "started", "finished", "command_line", "design"};
    const hid_t group = H5Gopen2(reading->file, "provenance", H5P_DEFAULT);
    if (group < 0) return record_h5_failed(&reading->place, "open group", "provenance");
    uint64_t seed = 0;
    char value[TEXT_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        read_text(group, names[i], value);
        if (value[0] == '\0') continue;
        text_add(&reading->text, "%s:%*s%s\n", names[i],
                 strlen(names[i]) < 11 ? (int)(11 - strlen(names[i])) : 1, "", value);
    }
    if (read_u64(group, "seed", &seed)) text_add(&reading->text, "seed:       %" PRIu64 "\n", seed);
    H5Gclose(group);
    return CLACK_OK;
}

static ClackStatus describe_parameter(Reading *reading, hid_t dataset, const char *name) {
    char unit[TEXT_BYTES], distribution[TEXT_BYTES];
    Tally tally = {0};
    if (strcmp(name, "scene") == 0) return CLACK_OK;
    TRY(visit_open_vector(reading, dataset, name, tally_value, &tally));
    read_text(dataset, "units", unit);
    read_text(dataset, "distribution", distribution);
    text_add(&reading->text, "  %-32s %-6s", name, unit);
    if (tally.count > 0)
        text_add(&reading->text, " %.6g to %.6g", tally.lowest, tally.highest);
    else
        text_add(&reading->text, " no values");
    text_add(&reading->text, "  %s\n", distribution);
    return CLACK_OK;
}

static ClackStatus describe_quantity(Reading *reading, hid_t dataset, const char *name) {
    char role[TEXT_BYTES], unit[TEXT_BYTES];
    Tally tally = {0};
    read_text(dataset, "role", role);
    if (strcmp(role, RECORD_ROLE_QUANTITY) != 0) return CLACK_OK;
    TRY(visit_open_vector(reading, dataset, name, tally_value, &tally));
    read_text(dataset, "units", unit);
    text_add(&reading->text, "  %-32s %-6s", name, unit);
    if (tally.count > 0)
        text_add(&reading->text, " min %.6g, mean %.6g, max %.6g, of %" PRIu64 " scenes\n",
                 tally.lowest, tally.sum / (double)tally.count, tally.highest, tally.count);
    else
        text_add(&reading->text, " no values\n");
    return CLACK_OK;
}

static ClackStatus describe_shape(Reading *reading, hid_t dataset, const char *name) {
    hsize_t dims[H5S_MAX_RANK] = {0};
    char path[NAME_BYTES];
    const hid_t space = H5Dget_space(dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0) H5Sclose(space);
    if (rank < 0 || H5Iget_name(dataset, path, sizeof path) < 0)
        return record_h5_failed(&reading->place, "read the shape of", name);
    text_add(&reading->text, "  %-32s [", path);
    for (int i = 0; i < rank; i++)
        text_add(&reading->text, "%s%" PRIu64, i > 0 ? ", " : "", (uint64_t)dims[i]);
    text_add(&reading->text, "]\n");
    return CLACK_OK;
}

static ClackStatus describe_contents(Reading *reading) {
    TRY(describe_head(reading));
    TRY(describe_provenance(reading));
    text_add(&reading->text, "parameters:\n");
    TRY(visit_group(reading, "parameters", describe_parameter));
    text_add(&reading->text, "quantities:\n");
    TRY(visit_datasets(reading, reading->file, describe_quantity));
    text_add(&reading->text, "datasets:\n");
    TRY(visit_datasets(reading, reading->file, describe_shape));
    TRY(visit_group(reading, "parameters", describe_shape));
    TRY(visit_group(reading, "trajectory", describe_shape));
    TRY(visit_group(reading, "events", describe_shape));
    return visit_group(reading, "provenance", describe_shape);
}

// --- the file -------------------------------------------------------------------------------------

static ClackStatus open_ensemble(Reading *reading) {
    const char *path = reading->place.path;
    ClackReport *report = reading->place.report;
    TRY(record_h5_open_file(&reading->place, "an ensemble file", &reading->file));
    char format[TEXT_BYTES];
    uint64_t version = 0;
    read_text(reading->file, "ensemble_format", format);
    if (strcmp(format, RECORD_FORMAT) != 0)
        return report_add(report, CLACK_CORRUPT,
                          "%s: not an ensemble file of clack: attribute ensemble_format: expected "
                          "\"%s\", found \"%s\"",
                          path, RECORD_FORMAT, format);
    if (!read_u64(reading->file, "ensemble_format_version", &version) ||
        version != RECORD_FORMAT_VERSION)
        return report_add(report, CLACK_CORRUPT,
                          "%s: ensemble_format_version: this program reads %d, found %" PRIu64,
                          path, RECORD_FORMAT_VERSION, version);
    return CLACK_OK;
}

ClackStatus record_describe(const char *path, char **out_text, ClackReport *report) {
    Reading reading = {.place = {path, CLACK_CORRUPT, report}, .file = -1};
    ClackStatus status = CLACK_OK;
    *out_text = NULL;
    record_h5_quiet();
    reading.values = malloc(RECORD_BLOCK_VALUES * sizeof *reading.values);
    if (reading.values == NULL)
        return report_add(report, CLACK_MEMORY, "%s: no memory to read it", path);
    TRY_CLEAN(open_ensemble(&reading));
    TRY_CLEAN(describe_contents(&reading));
    if (reading.text.ran_out)
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "%s: no memory for its summary", path));
    *out_text = reading.text.bytes;
    reading.text.bytes = NULL;
cleanup:
    if (reading.file >= 0) H5Fclose(reading.file);
    free(reading.text.bytes);
    free(reading.values);
    return status;
}
