// Statistics of an ensemble file: how its run asked for them, on which device; the group /statistics and those beside
// it.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "durable.h"
#include "fit.h"
#include "record_columns.h"
#include "sensitivity.h"

// --- how the run asked for them ---------------------------------------------------------------------------------

#define SETTING_CONFIDENCE "statistics_confidence"
#define SETTING_BINS "statistics_bins"
#define SETTING_QUANTILES "statistics_quantiles"

ClackStatus record_statistics_settings(const RecordPlace *place, hid_t provenance, const Study *study) {
    const StudyStatistics *wanted = &study->statistics;
    if (!wanted->is_wanted || study->quantity_count == 0) return CLACK_OK;
    TRY(record_h5_numbers(place, provenance, SETTING_CONFIDENCE, RECORD_F64, &wanted->confidence, 0));
    TRY(record_h5_u64(place, provenance, SETTING_BINS, wanted->bins));
    TRY(record_h5_numbers(place, provenance, SETTING_QUANTILES, RECORD_F64, wanted->quantiles, wanted->quantile_count));
    for (uint32_t i = 0; i < wanted->reference_count; i++)
        TRY(record_reference_write(place, provenance, study, &wanted->references[i]));
    return CLACK_OK;
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
    *settings = (StatisticsSettings){.confidence = study_statistics_defaults.confidence,
                                     .bins = study_statistics_defaults.bins,
                                     .quantile_count = study_statistics_defaults.quantile_count};
    memcpy(settings->quantiles, study_statistics_defaults.quantiles, sizeof settings->quantiles);
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
    char overrides[RECORD_TEXT_BYTES];
    RecordTexts inputs;
    uint64_t seed = 0;
    size_t bytes = 0;
    FILE *out = open_memstream(out_text, &bytes);
    if (out == NULL) return report_add(place->report, CLACK_MEMORY, "%s: no memory for its statistics", place->path);
    record_texts_read(provenance, "input_name", &inputs);
    record_h5_read_text(provenance, "overrides", overrides);
    const bool is_read = inputs.count > 0 || H5Lexists(provenance, "input_name", H5P_DEFAULT) <= 0;
    const char *study = inputs.count > 0 ? inputs.items[0] : "STUDY";
    fputs("clack run ", out);
    print_word(out, study, strlen(study));
    record_texts_free(&inputs);
    if (record_h5_read_u64(provenance, "seed", &seed)) fprintf(out, " --seed %" PRIu64, seed);
    for (const char *line = overrides; *line != '\0'; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        fputs(" --set ", out);
        print_word(out, line, strcspn(line, "\n"));
    }
    fputs(" --scene {scene}", out);
    if (fclose(out) == 0 && is_read) return CLACK_OK;
    return report_add(place->report, CLACK_MEMORY, "%s: no memory for its statistics", place->path);
}

// --- on which device -------------------------------------------------------------------------------------------

// The GPU of the run, where products are so many that it pays and this machine has it. With PoCL the host is as fast.
static void choose_device(const RecordColumns *columns, hid_t provenance, char out_choice[16]) {
    char name[RECORD_TEXT_BYTES], platform[RECORD_TEXT_BYTES];
    DeviceInfo *infos = NULL;
    size_t count = 0;
    out_choice[0] = '\0';
    if (statistics_products(columns->rows, columns->count, columns->parameters) < STATISTICS_DEVICE_PRODUCTS) return;
    record_h5_read_text(provenance, "device", name);
    record_h5_read_text(provenance, "platform", platform);
    if (device_list(&infos, &count, NULL) != CLACK_OK) return;
    for (size_t i = 0; i < count; i++) {
        if (infos[i].index < 0 || !infos[i].is_gpu || infos[i].unusable_because[0] != '\0' ||
            strcmp(infos[i].name, name) != 0 || strcmp(infos[i].platform, platform) != 0)
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
    RecordColumns columns;
} StatisticsFile;

static ClackStatus statistics_open(StatisticsFile *here) {
    here->provenance = H5Gopen2(here->file, "provenance", H5P_DEFAULT);
    if (here->provenance < 0) return record_h5_failed(&here->place, "open group", "provenance");
    here->is_asked_for = read_settings(here->provenance, &here->settings);
    TRY(record_columns_open(&here->place, here->file, &here->columns));
    TRY(record_references_read(&here->place, here->provenance, &here->columns, &here->settings));
    TRY(make_rerun(&here->place, here->provenance, &here->rerun));
    choose_device(&here->columns, here->provenance, here->choice);
    here->settings.rerun = here->rerun;
    here->settings.device = here->choice[0] != '\0' ? here->choice : NULL;
    return CLACK_OK;
}

// A file that was changed is sealed anew.
static ClackStatus statistics_close(StatisticsFile *here, bool is_changed, ClackStatus status) {
    record_references_free(&here->settings);
    record_columns_close(&here->columns);
    free(here->rerun);
    if (here->provenance > 0) H5Gclose(here->provenance);
    if (here->file <= 0) return status;
    return is_changed ? record_h5_finish_file(&here->place, here->file, status)
                      : record_h5_close_file(&here->place, here->file, status);
}

// A device that was not requested must not cost a run its file: where it fails, the host computes.
static ClackStatus statistics_compute_anywhere(StatisticsFile *here, const StatisticsSource *source,
                                               ResultTable *out_table) {
    if (here->settings.device != NULL && here->settings.device == here->choice) {
        ClackReport attempt = {0};
        const ClackStatus status = statistics_compute(source, &here->settings, out_table, &attempt);
        clack_report_clear(&attempt);
        if (status != CLACK_DEVICE && status != CLACK_MEMORY) return status;
        here->settings.device = NULL;
    }
    return statistics_compute(source, &here->settings, out_table, here->place.report);
}

static ClackStatus statistics_make(StatisticsFile *here, EnsembleStatistics *out) {
    const StatisticsSource source = record_columns_source(&here->columns);
    if (source.column_count == 0)
        return report_add(here->place.report, CLACK_CORRUPT, "%s: has no parameters and no quantities",
                          here->place.path);
    TRY(statistics_compute_anywhere(here, &source, &out->statistics));
    TRY(fit_compute(&source, &here->settings, &out->fit, here->place.report));
    return record_sensitivity_make(&here->place, here->provenance, &source, here->settings.confidence,
                                   &out->sensitivity);
}

// Axes and fields that tables are read by together: a file may lack any of them.
static ClackStatus statistics_check(const StatisticsFile *here, const ResultTable *table) {
    const size_t columns = table->lengths[STATISTICS_COLUMN];
    const double parameters = table->numbers[STATISTICS_N_PARAMETERS];
    const bool has_regression = table->fields[STATISTICS_linear_r2] != NULL;
    if (columns > 0 && parameters >= 0 && parameters <= (double)columns &&
        (table->fields[STATISTICS_correlation] == NULL || table->lengths[STATISTICS_OTHER] == columns) &&
        has_regression == (table->fields[STATISTICS_linear_standardised] != NULL) &&
        (!has_regression || table->lengths[STATISTICS_QUANTITY] == columns - (size_t)parameters))
        return CLACK_OK;
    return report_add(here->place.report, here->place.status, "%s: %s: axes and fields do not belong together",
                      here->place.path, statistics_spec.group);
}

static ClackStatus statistics_read(StatisticsFile *here, EnsembleStatistics *out) {
    TRY(record_result_read(&here->place, here->file, &statistics_spec, &out->statistics));
    TRY(statistics_check(here, &out->statistics));
    if (H5Lexists(here->file, fit_spec.group, H5P_DEFAULT) > 0)
        TRY(record_result_read(&here->place, here->file, &fit_spec, &out->fit));
    if (H5Lexists(here->file, sensitivity_spec.group, H5P_DEFAULT) <= 0) return CLACK_OK;
    return record_result_read(&here->place, here->file, &sensitivity_spec, &out->sensitivity);
}

static ClackStatus statistics_write(StatisticsFile *here, const EnsembleStatistics *statistics) {
    TRY(record_result_write(&here->place, here->file, &statistics->statistics));
    if (statistics->fit.spec != NULL) TRY(record_result_write(&here->place, here->file, &statistics->fit));
    if (statistics->sensitivity.spec == NULL) return CLACK_OK;
    return record_result_write(&here->place, here->file, &statistics->sensitivity);
}

static ClackStatus statistics_add(StatisticsFile *here) {
    EnsembleStatistics statistics = {0};
    TRY(record_h5_open_to_change(&here->place, &here->file));
    TRY(statistics_open(here));
    if (!here->is_asked_for || here->columns.rows < 2) return CLACK_OK;
    ClackStatus status = statistics_make(here, &statistics);
    if (status == CLACK_OK) status = statistics_write(here, &statistics);
    record_statistics_free(&statistics);
    return status;
}

ClackStatus record_statistics_add(const char *path, ClackReport *report) {
    StatisticsFile here = {.place = {path, CLACK_IO, report}};
    record_h5_quiet();
    return statistics_close(&here, true, statistics_add(&here));
}

ClackStatus record_statistics(const char *path, const char *device, EnsembleStatistics *out_statistics,
                              ClackReport *report) {
    StatisticsFile here = {.place = {path, CLACK_CORRUPT, report}};
    record_h5_quiet();
    *out_statistics = (EnsembleStatistics){0};
    ClackStatus status = record_open_ensemble(&here.place, &here.file);
    if (status == CLACK_OK && device == NULL && H5Lexists(here.file, statistics_spec.group, H5P_DEFAULT) > 0) {
        status = statistics_read(&here, out_statistics);
    } else if (status == CLACK_OK) {
        status = statistics_open(&here);
        if (device != NULL) here.settings.device = device;
        if (status == CLACK_OK) status = statistics_make(&here, out_statistics);
    }
    status = statistics_close(&here, false, status);
    if (status != CLACK_OK) record_statistics_free(out_statistics);
    return status;
}

void record_statistics_free(EnsembleStatistics *statistics) {
    result_free(&statistics->statistics);
    result_free(&statistics->sensitivity);
    result_free(&statistics->fit);
}
