// An ensemble file -> rows for its statistics; the groups /statistics and /sensitivity.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "durable.h"
#include "record_internal.h"
#include "statistics.h"

#define NAME_BYTES 512

// --- columns of a file --------------------------------------------------------------------------------------

typedef struct Columns {
    const RecordPlace *place;
    hid_t file;
    hid_t *datasets; // (count + 1): the last is /status
    char **names, **units; // (count)
    unsigned char *is_regressor; // (count)
    size_t count, parameters, room;
    uint64_t rows;
    int32_t scene_first;
} Columns;

static ClackStatus no_memory(const Columns *columns) {
    return report_add(columns->place->report, CLACK_MEMORY, "%s: no memory for its statistics", columns->place->path);
}

static ClackStatus columns_grow(Columns *columns) {
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
    if (datasets == NULL || names == NULL || units == NULL || is_regressor == NULL) return no_memory(columns);
    columns->room = room;
    return CLACK_OK;
}

static hsize_t vector_length(hid_t dataset) {
    hsize_t length = 0;
    const hid_t space = H5Dget_space(dataset);
    const bool is_vector = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                           H5Sget_simple_extent_dims(space, &length, NULL) == 1;
    if (space >= 0) H5Sclose(space);
    return is_vector ? length : 0;
}

// Takes over the dataset.
static ClackStatus columns_add(Columns *columns, hid_t dataset, const char *name) {
    char unit[RECORD_TEXT_BYTES], distribution[RECORD_TEXT_BYTES];
    record_h5_read_text(dataset, "units", unit);
    record_h5_read_text(dataset, "distribution", distribution);
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
    columns->count++;
    if (columns->names[at] == NULL || columns->units[at] == NULL) return no_memory(columns);
    if (vector_length(dataset) == columns->rows) return CLACK_OK;
    return report_add(columns->place->report, columns->place->status,
                      "%s: dataset %s has another length than /status", columns->place->path, name);
}

// Quantities are known by their role; parameters are all but the scale.
static bool is_column(hid_t object, const char *name, bool is_parameter) {
    char role[RECORD_TEXT_BYTES];
    if (H5Iget_type(object) != H5I_DATASET) return false;
    if (is_parameter) return strcmp(name, "scene") != 0;
    record_h5_read_text(object, "role", role);
    return strcmp(role, RECORD_ROLE_QUANTITY) == 0;
}

static ClackStatus columns_take_group(Columns *columns, hid_t group, bool is_parameter) {
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0) return record_h5_failed(columns->place, "list a group", "");
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[NAME_BYTES];
        if (H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
            return record_h5_failed(columns->place, "list a group", "");
        const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        if (object < 0) return record_h5_failed(columns->place, "open", name);
        if (is_column(object, name, is_parameter)) TRY(columns_add(columns, object, name));
        else H5Oclose(object);
    }
    return CLACK_OK;
}

static void columns_close(Columns *columns) {
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
}

static ClackStatus read_scene_first(Columns *columns) {
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

static ClackStatus columns_open(const RecordPlace *place, hid_t file, Columns *columns) {
    *columns = (Columns){.place = place, .file = file};
    TRY(columns_grow(columns));
    const hid_t status = H5Dopen2(file, "status", H5P_DEFAULT);
    if (status < 0) return record_h5_failed(place, "open dataset", "status");
    const uint64_t rows = vector_length(status);
    columns->rows = rows;
    ClackStatus result = CLACK_OK;
    const hid_t group = H5Gopen2(file, "parameters", H5P_DEFAULT);
    if (rows == 0) result = report_add(place->report, place->status, "%s: dataset status is no vector", place->path);
    else if (group < 0) result = record_h5_failed(place, "open group", "parameters");
    else result = columns_take_group(columns, group, true);
    if (group >= 0) H5Gclose(group);
    columns->parameters = columns->count;
    if (result == CLACK_OK) result = columns_take_group(columns, file, false);
    columns->datasets[columns->count] = status;
    if (rows == 0) H5Dclose(status);
    return result == CLACK_OK ? read_scene_first(columns) : result;
}

static ClackStatus columns_read(void *context, size_t column, uint64_t first, size_t count, double *out_values,
                                ClackReport *report) {
    const Columns *columns = context;
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

static StatisticsSource columns_source(Columns *columns) {
    return (StatisticsSource){.context = columns,
                              .read = columns_read,
                              .row_count = columns->rows,
                              .scene_first = (uint64_t)columns->scene_first,
                              .column_count = columns->count,
                              .parameter_count = columns->parameters,
                              .names = columns->names,
                              .units = columns->units,
                              .is_regressor = columns->is_regressor};
}

// --- how the run asked for them ---------------------------------------------------------------------------------

#define SETTING_CONFIDENCE "statistics_confidence"
#define SETTING_BINS "statistics_bins"
#define SETTING_QUANTILES "statistics_quantiles"

ClackStatus record_statistics_settings(const RecordPlace *place, hid_t provenance, const Study *study) {
    const StudyStatistics *wanted = &study->statistics;
    if (!wanted->is_wanted || study->quantity_count == 0) return CLACK_OK;
    TRY(record_h5_numbers(place, provenance, SETTING_CONFIDENCE, RECORD_F64, &wanted->confidence, 0));
    TRY(record_h5_u64(place, provenance, SETTING_BINS, wanted->bins));
    return record_h5_numbers(place, provenance, SETTING_QUANTILES, RECORD_F64, wanted->quantiles, wanted->quantile_count);
}

// Values of an attribute; how many it has.
static uint32_t read_numbers(hid_t object, const char *name, double *values, uint32_t room) {
    const hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    const hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
    const hssize_t count = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    const bool is_read = count > 0 && count <= (hssize_t)room && H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0;
    if (space >= 0) H5Sclose(space);
    if (attribute >= 0) H5Aclose(attribute);
    return is_read ? (uint32_t)count : 0;
}

// False where the run did not ask for statistics: they are as by default then.
static bool read_settings(hid_t provenance, StatisticsSettings *settings) {
    double quantiles[STATISTICS_QUANTILES_MAX], confidence = 0;
    uint64_t bins = 0;
    *settings = statistics_defaults;
    const uint32_t count = read_numbers(provenance, SETTING_QUANTILES, quantiles, STATISTICS_QUANTILES_MAX);
    if (read_numbers(provenance, SETTING_CONFIDENCE, &confidence, 1) == 0 || !(confidence > 0 && confidence < 1) ||
        !record_h5_read_u64(provenance, SETTING_BINS, &bins) || bins == 0 || bins > STUDY_BINS_MAX || count == 0)
        return false;
    settings->confidence = confidence;
    settings->bins = (uint32_t)bins;
    settings->quantile_count = count;
    memcpy(settings->quantiles, quantiles, count * sizeof *quantiles);
    return true;
}

// --- the command that runs a scene again ---------------------------------------------------------------------

static void read_study_path(hid_t provenance, char path[RECORD_TEXT_BYTES]) {
    const hid_t dataset = H5Dopen2(provenance, "input_name", H5P_DEFAULT);
    const hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset), space = dataset < 0 ? -1 : H5Dget_space(dataset);
    const hssize_t count = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    char **names = count > 0 ? calloc((size_t)count, sizeof *names) : NULL;
    snprintf(path, RECORD_TEXT_BYTES, "STUDY");
    if (names != NULL && H5Tis_variable_str(type) > 0 &&
        H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0) {
        if (names[0] != NULL) snprintf(path, RECORD_TEXT_BYTES, "%s", names[0]);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, names);
    }
    free(names);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
}

// A word of the shell, in quotes where it needs them.
static void print_word(FILE *out, const char *word, size_t length) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=";
    const bool is_quoted = strspn(word, plain) < length;
    if (is_quoted) fputc('\'', out);
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '\'') fputs("'\\'", out); // ends the quotes, gives one, begins anew
        fputc(word[i], out);
    }
    if (is_quoted) fputc('\'', out);
}

static ClackStatus make_rerun(const RecordPlace *place, hid_t provenance, char **out_text) {
    char study[RECORD_TEXT_BYTES], overrides[RECORD_TEXT_BYTES];
    uint64_t seed = 0;
    size_t bytes = 0;
    FILE *out = open_memstream(out_text, &bytes);
    if (out == NULL) return report_add(place->report, CLACK_MEMORY, "%s: no memory for its statistics", place->path);
    read_study_path(provenance, study);
    record_h5_read_text(provenance, "overrides", overrides);
    fputs("clack run ", out);
    print_word(out, study, strlen(study));
    if (record_h5_read_u64(provenance, "seed", &seed)) fprintf(out, " --seed %" PRIu64, seed);
    for (const char *line = overrides; *line != '\0'; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        fputs(" --set ", out);
        print_word(out, line, strcspn(line, "\n"));
    }
    fputs(" --scene {scene}", out);
    if (fclose(out) == 0) return CLACK_OK;
    return report_add(place->report, CLACK_MEMORY, "%s: no memory for its statistics", place->path);
}

// --- on which device -------------------------------------------------------------------------------------------

// The GPU of the run, where products are so many that it pays and this machine has it. With PoCL the host is as fast.
static void choose_device(const Columns *columns, hid_t provenance, char out_choice[16]) {
    char name[RECORD_TEXT_BYTES], platform[RECORD_TEXT_BYTES];
    DeviceInfo *infos = NULL;
    size_t count = 0;
    out_choice[0] = '\0';
    if (statistics_products(columns->rows, columns->count, columns->parameters) < STATISTICS_DEVICE_PRODUCTS) return;
    record_h5_read_text(provenance, "device", name);
    record_h5_read_text(provenance, "platform", platform);
    if (device_list(&infos, &count, NULL) != CLACK_OK) return;
    for (size_t i = 0; i < count; i++) {
        if (infos[i].index < 0 || !infos[i].is_gpu || infos[i].unusable_because[0] != '\0' || strcmp(infos[i].name, name) != 0 ||
            strcmp(infos[i].platform, platform) != 0)
            continue;
        snprintf(out_choice, 16, "%d", infos[i].index);
        break;
    }
    free(infos);
}

// --- the group -------------------------------------------------------------------------------------------------

typedef struct StatisticsFile {
    RecordPlace place;
    hid_t file, provenance;
    bool is_asked_for; // by the study of the run
    StatisticsSettings settings;
    char choice[16];
    char *rerun; // owned
    Columns columns;
} StatisticsFile;

static ClackStatus statistics_open(StatisticsFile *here) {
    here->provenance = H5Gopen2(here->file, "provenance", H5P_DEFAULT);
    if (here->provenance < 0) return record_h5_failed(&here->place, "open group", "provenance");
    here->is_asked_for = read_settings(here->provenance, &here->settings);
    TRY(columns_open(&here->place, here->file, &here->columns));
    TRY(make_rerun(&here->place, here->provenance, &here->rerun));
    choose_device(&here->columns, here->provenance, here->choice);
    here->settings.rerun = here->rerun;
    here->settings.device = here->choice[0] != '\0' ? here->choice : NULL;
    return CLACK_OK;
}

static void statistics_close(StatisticsFile *here) {
    columns_close(&here->columns);
    free(here->rerun);
    if (here->provenance > 0) H5Gclose(here->provenance);
    if (here->file > 0) H5Fclose(here->file);
}

static ClackStatus statistics_make(StatisticsFile *here, ResultTable *out_table) {
    const StatisticsSource source = columns_source(&here->columns);
    if (source.column_count == 0)
        return report_add(here->place.report, CLACK_CORRUPT, "%s: has no parameters and no quantities", here->place.path);
    return statistics_compute(&source, &here->settings, out_table, here->place.report);
}

static ClackStatus statistics_add(StatisticsFile *here) {
    ResultTable table = {0};
    here->file = H5Fopen(here->place.path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (here->file < 0) return record_h5_failed(&here->place, "open", "the ensemble file");
    TRY(statistics_open(here));
    if (!here->is_asked_for || here->columns.rows < 2) return CLACK_OK;
    TRY(statistics_make(here, &table));
    ClackStatus status = record_result_write(&here->place, here->file, &table);
    if (status == CLACK_OK && H5Fflush(here->file, H5F_SCOPE_LOCAL) < 0)
        status = record_h5_failed(&here->place, "write the file", "");
    result_free(&table);
    return status;
}

ClackStatus record_statistics_add(const char *path, ClackReport *report) {
    StatisticsFile here = {.place = {path, CLACK_IO, report}};
    record_h5_quiet();
    const ClackStatus status = statistics_add(&here);
    statistics_close(&here);
    return status == CLACK_OK ? durable_sync(path, report) : status;
}

ClackStatus record_statistics(const char *path, const char *device, ResultTable *out_table, ClackReport *report) {
    StatisticsFile here = {.place = {path, CLACK_CORRUPT, report}};
    record_h5_quiet();
    *out_table = (ResultTable){0};
    ClackStatus status = record_open_ensemble(&here.place, &here.file);
    if (status == CLACK_OK && device == NULL && H5Lexists(here.file, statistics_spec.group, H5P_DEFAULT) > 0) {
        status = record_result_read(&here.place, here.file, &statistics_spec, out_table);
    } else if (status == CLACK_OK) {
        status = statistics_open(&here);
        if (device != NULL) here.settings.device = device;
        if (status == CLACK_OK) status = statistics_make(&here, out_table);
    }
    statistics_close(&here);
    return status;
}
