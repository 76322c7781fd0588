// What an ensemble file holds, read back into a RecordSummary.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"

#define NAME_BYTES 512
#define TEXT_BYTES RECORD_TEXT_BYTES

// --- reading --------------------------------------------------------------------------------------

typedef struct Reading {
    RecordPlace place;
    hid_t file;
    RecordSummary *summary;
    bool ran_out;   // of memory
    double *values; // (RECORD_BLOCK_VALUES)
} Reading;

// Length of a dataset of one axis; an error where it is not one.
static ClackStatus vector_length(const Reading *reading, hid_t dataset, const char *name, hsize_t *out_length) {
    const hid_t space = H5Dget_space(dataset);
    const bool is_vector =
        space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, out_length, NULL) == 1;
    if (space >= 0) H5Sclose(space);
    if (is_vector) return CLACK_OK;
    return report_add(reading->place.report, CLACK_CORRUPT, "%s: dataset %s is not a vector", reading->place.path,
                      name);
}

static ClackStatus read_block(const Reading *reading, hid_t dataset, const char *name, hsize_t start, hsize_t count) {
    const hid_t file_space = H5Dget_space(dataset), memory_space = H5Screate_simple(1, &count, NULL);
    ClackStatus status = CLACK_OK;
    if (file_space < 0 || memory_space < 0 ||
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &count, NULL) < 0 ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, reading->values) < 0)
        status = record_h5_failed(&reading->place, "read dataset", name);
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    return status;
}

// What is done with each value of a vector.
typedef void (*VisitValue)(void *context, double value);

static ClackStatus visit_open_vector(const Reading *reading, hid_t dataset, const char *name, VisitValue visit,
                                     void *context) {
    hsize_t length = 0;
    TRY(vector_length(reading, dataset, name, &length));
    for (hsize_t start = 0; start < length; start += RECORD_BLOCK_VALUES) {
        const hsize_t left = length - start, count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        TRY(read_block(reading, dataset, name, start, count));
        for (hsize_t i = 0; i < count; i++) visit(context, reading->values[i]);
    }
    return CLACK_OK;
}

static ClackStatus visit_vector(const Reading *reading, hid_t parent, const char *name, VisitValue visit,
                                void *context) {
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
        const ssize_t length =
            H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (length < 0) return record_h5_failed(&reading->place, "list a group", "");
        const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        if (object < 0) return record_h5_failed(&reading->place, "open", name);
        const ClackStatus status = H5Iget_type(object) == H5I_DATASET ? visit(reading, object, name) : CLACK_OK;
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

// --- parts of the summary ---------------------------------------------------------------------------

static char *keep_text(Reading *reading, const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) reading->ran_out = true;
    return copy;
}

// Room for one more item, zeroed; NULL without memory.
static void *grow(Reading *reading, void **items, size_t *count, size_t item_bytes) {
    char *grown = realloc(*items, (*count + 1) * item_bytes);
    if (grown == NULL) {
        reading->ran_out = true;
        return NULL;
    }
    *items = grown;
    return memset(grown + item_bytes * (*count)++, 0, item_bytes);
}

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

static void count_status(void *context, double value) {
    RecordSummary *summary = context;
    if (value >= 0 && value < 256) summary->by_status[(size_t)value]++;
}

typedef struct FlagCount {
    RecordSummary *summary;
    uint64_t row;
} FlagCount;

static void count_flags(void *context, double value) {
    FlagCount *count = context;
    RecordSummary *summary = count->summary;
    const uint64_t row = count->row++;
    if (!(value >= 0 && value <= 4294967295.0)) return;
    for (uint32_t bit = 0; bit < 32; bit++) {
        if (!((uint32_t)value >> bit & 1u)) continue;
        if (summary->by_flag[bit] < RECORD_FLAGGED_SHOWN) summary->flagged_rows[bit][summary->by_flag[bit]] = row;
        summary->by_flag[bit]++;
    }
}

static ClackStatus read_head(Reading *reading) {
    RecordSummary *summary = reading->summary;
    char title[TEXT_BYTES], source[TEXT_BYTES];
    Tally scenes = {0};
    record_h5_read_text(reading->file, "title", title);
    record_h5_read_text(reading->file, "source", source);
    summary->title = keep_text(reading, title);
    summary->source = keep_text(reading, source);
    record_h5_read_u64(reading->file, RECORD_IDENTITY_FORMAT, &summary->format); // known from opening it
    if (!record_h5_read_u64(reading->file, "complete", &summary->is_complete))
        return report_add(reading->place.report, CLACK_CORRUPT, "%s: the attribute complete is missing",
                          reading->place.path);
    TRY(visit_vector(reading, reading->file, "scene", tally_value, &scenes));
    summary->scene_count = scenes.count;
    summary->scene_first = scenes.lowest;
    summary->scene_last = scenes.highest;
    TRY(visit_vector(reading, reading->file, "status", count_status, summary));
    return visit_vector(reading, reading->file, "flags", count_flags, &(FlagCount){.summary = summary});
}

static ClackStatus read_provenance(Reading *reading) {
    static const char *const names[RECORD_FACTS] = {"device",        "platform",  "driver",       "host",
                                                    "started",       "finished",  "command_line", "design",
                                                    "build_options", "arithmetic"};
    RecordSummary *summary = reading->summary;
    const hid_t group = H5Gopen2(reading->file, "provenance", H5P_DEFAULT);
    if (group < 0) return record_h5_failed(&reading->place, "open group", "provenance");
    char value[TEXT_BYTES];
    for (size_t i = 0; i < RECORD_FACTS; i++) {
        record_h5_read_text(group, names[i], value);
        summary->facts[i] = (RecordFact){names[i], keep_text(reading, value)};
    }
    summary->has_seed = record_h5_read_u64(group, "seed", &summary->seed);
    H5Gclose(group);
    return CLACK_OK;
}

static ClackStatus read_vector(Reading *reading, RecordVector **vectors, size_t *count, hid_t dataset,
                               const char *name) {
    char unit[TEXT_BYTES], distribution[TEXT_BYTES];
    Tally tally = {0};
    TRY(visit_open_vector(reading, dataset, name, tally_value, &tally));
    record_h5_read_text(dataset, "units", unit);
    record_h5_read_text(dataset, "distribution", distribution);
    RecordVector *vector = grow(reading, (void **)vectors, count, sizeof *vector);
    if (vector == NULL) return CLACK_OK; // reported at the end
    *vector = (RecordVector){.name = keep_text(reading, name),
                             .unit = keep_text(reading, unit),
                             .distribution = keep_text(reading, distribution),
                             .count = tally.count,
                             .lowest = tally.lowest,
                             .highest = tally.highest,
                             .mean = tally.sum / (double)tally.count};
    return CLACK_OK;
}

static ClackStatus read_parameter(Reading *reading, hid_t dataset, const char *name) {
    RecordSummary *summary = reading->summary;
    if (strcmp(name, "scene") == 0) return CLACK_OK;
    return read_vector(reading, &summary->parameters, &summary->parameter_count, dataset, name);
}

static ClackStatus read_quantity(Reading *reading, hid_t dataset, const char *name) {
    RecordSummary *summary = reading->summary;
    char role[TEXT_BYTES]; // and the sentence
    record_h5_read_text(dataset, "role", role);
    if (strcmp(role, RECORD_ROLE_QUANTITY) != 0) return CLACK_OK;
    record_h5_read_text(dataset, "long_name", role);
    summary->tells_end |= strstr(role, "at the end") != NULL;
    const bool is_force_by = strstr(role, "net_force") != NULL && strstr(role, " by ") != NULL;
    TRY(read_vector(reading, &summary->quantities, &summary->quantity_count, dataset, name));
    if (summary->quantity_count > 0) summary->quantities[summary->quantity_count - 1].is_force_by = is_force_by;
    return CLACK_OK;
}

static ClackStatus read_shape(Reading *reading, hid_t dataset, const char *name) {
    hsize_t dims[H5S_MAX_RANK] = {0};
    char path[NAME_BYTES];
    RecordSummary *summary = reading->summary;
    const hid_t space = H5Dget_space(dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0) H5Sclose(space);
    if (rank < 0 || H5Iget_name(dataset, path, sizeof path) < 0)
        return record_h5_failed(&reading->place, "read the shape of", name);
    RecordDataset *shape = grow(reading, (void **)&summary->datasets, &summary->dataset_count, sizeof *shape);
    if (shape == NULL) return CLACK_OK;
    shape->path = keep_text(reading, path);
    shape->rank = (uint32_t)rank;
    for (int i = 0; i < rank; i++) shape->dims[i] = dims[i];
    return CLACK_OK;
}

static ClackStatus read_contents(Reading *reading) {
    TRY(read_head(reading));
    TRY(read_provenance(reading));
    TRY(visit_group(reading, "parameters", read_parameter));
    TRY(visit_datasets(reading, reading->file, read_quantity));
    TRY(visit_datasets(reading, reading->file, read_shape));
    TRY(visit_group(reading, "parameters", read_shape));
    TRY(visit_group(reading, "trajectory", read_shape));
    TRY(visit_group(reading, "events", read_shape));
    TRY(visit_group(reading, "contacts", read_shape));
    TRY(visit_group(reading, "joints", read_shape));
    return visit_group(reading, "provenance", read_shape);
}

// --- the file -------------------------------------------------------------------------------------

typedef struct FileFormat { // what the root's attributes say of a file
    const char *what;       // it should be, in errors
    const char *attribute;  // that names the format; <attribute>_version beside it
    const char *format;
    uint64_t oldest, version; // that are read
} FileFormat;

static ClackStatus open_format(const RecordPlace *place, const FileFormat *wanted, hid_t *out_file) {
    const char *path = place->path;
    ClackReport *report = place->report;
    char opened[64], version_attribute[64], format[TEXT_BYTES];
    uint64_t version = 0;
    snprintf(opened, sizeof opened, "%s file", wanted->what);
    snprintf(version_attribute, sizeof version_attribute, "%s_version", wanted->attribute);
    TRY(record_h5_open_file(place, opened, out_file));
    record_h5_read_text(*out_file, wanted->attribute, format);
    if (strcmp(format, wanted->format) != 0)
        return report_add(report, CLACK_CORRUPT,
                          "%s: not %s file of clack: attribute %s: expected \"%s\", found \"%s\"", path, wanted->what,
                          wanted->attribute, wanted->format, format);
    if (!record_h5_read_u64(*out_file, version_attribute, &version) || version < wanted->oldest ||
        version > wanted->version)
        return report_add(report, CLACK_CORRUPT,
                          "%s: %s: this program reads %" PRIu64 " to %" PRIu64 ", found %" PRIu64, path,
                          version_attribute, wanted->oldest, wanted->version, version);
    bool is_sealed = false;
    TRY(record_h5_is_sealed(place, *out_file, &is_sealed));
    return is_sealed ? CLACK_OK : record_probe(place, *out_file);
}

ClackStatus record_open_ensemble(const RecordPlace *place, hid_t *out_file) {
    static const FileFormat format = {"an ensemble", "ensemble_format", RECORD_FORMAT, RECORD_FORMAT_OLDEST,
                                      RECORD_FORMAT_VERSION};
    return open_format(place, &format, out_file);
}

ClackStatus record_open_contacts(const RecordPlace *place, hid_t *out_file) {
    static const FileFormat format = {"a contact", "contacts_format", RECORD_CONTACTS_FORMAT, RECORD_FORMAT_OLDEST,
                                      RECORD_CONTACTS_FORMAT_VERSION};
    return open_format(place, &format, out_file);
}

ClackStatus record_summary(const char *path, RecordSummary *out_summary, ClackReport *report) {
    Reading reading = {.place = {path, CLACK_CORRUPT, report}, .file = -1, .summary = out_summary};
    ClackStatus status = CLACK_OK;
    *out_summary = (RecordSummary){0};
    record_h5_quiet();
    reading.values = malloc(RECORD_BLOCK_VALUES * sizeof *reading.values);
    if (reading.values == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory to read it", path);
    TRY_CLEAN(record_open_ensemble(&reading.place, &reading.file));
    TRY_CLEAN(read_contents(&reading));
    if (reading.ran_out) TRY_CLEAN(report_add(report, CLACK_MEMORY, "%s: no memory for its summary", path));
cleanup:
    if (reading.file >= 0) status = record_h5_close_file(&reading.place, reading.file, status);
    free(reading.values);
    if (status != CLACK_OK) record_summary_free(out_summary);
    return status;
}

static void free_vectors(RecordVector *vectors, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(vectors[i].name);
        free(vectors[i].unit);
        free(vectors[i].distribution);
    }
    free(vectors);
}

void record_summary_free(RecordSummary *summary) {
    free(summary->title);
    free(summary->source);
    for (size_t i = 0; i < RECORD_FACTS; i++) free(summary->facts[i].value);
    free_vectors(summary->parameters, summary->parameter_count);
    free_vectors(summary->quantities, summary->quantity_count);
    for (size_t i = 0; i < summary->dataset_count; i++) free(summary->datasets[i].path);
    free(summary->datasets);
    *summary = (RecordSummary){0};
}
