// Measured values that quantities are compared with, in the provenance of an ensemble file: so any file of its scenes
// knows them.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_columns.h"

#define REFERENCE "reference_%s" // values, or shares, of a quantity
#define LEVELS "reference_%s_level"
#define SIZES "reference_%s_count"
#define OVER "over" // attributes of shares: a parameter's name, a line for each
#define BY "by"
#define NAME_BYTES (STUDY_NAME_BYTES + 32)
#define NAMES_BYTES ((STUDY_FIT_PARAMETERS_MAX + 1) * STUDY_NAME_BYTES)

// --- write ------------------------------------------------------------------------------------------------

static ClackStatus write_vector(const RecordPlace *place, DatasetSpec *spec, const double *values, hid_t *out_dataset) {
    const hsize_t start = 0;
    TRY(record_h5_dataset(place, spec, out_dataset));
    return record_h5_write(place, *out_dataset, spec->name, &start, spec->dims, values);
}

static ClackStatus write_levels(const RecordPlace *place, hid_t values, DatasetSpec spec, const Study *study,
                                const StudyReference *reference) {
    char name[NAME_BYTES], by[NAMES_BYTES] = "";
    const char *quantity = study->quantities[reference->quantity].name;
    hid_t dataset = -1;
    for (uint32_t k = 0; k < reference->by_count; k++) {
        const size_t used = strlen(by);
        snprintf(by + used, sizeof by - used, "%s%s", k > 0 ? "\n" : "", study->parameters[reference->by[k]].name);
    }
    TRY(record_h5_text(place, values, OVER, study->parameters[reference->over].name));
    if (by[0] != '\0') TRY(record_h5_text(place, values, BY, by));
    spec.name = name;
    snprintf(name, sizeof name, LEVELS, quantity);
    spec.unit = NULL;
    spec.sentence = "Value of the parameter over which the shares are measured.";
    ClackStatus status = write_vector(place, &spec, reference->levels, &dataset);
    status = record_h5_close(place, dataset, name, status);
    if (status != CLACK_OK) return status;
    dataset = -1;
    snprintf(name, sizeof name, SIZES, quantity);
    spec.unit = "1";
    spec.sentence = "Trials of each share.";
    status = write_vector(place, &spec, reference->sizes, &dataset);
    return record_h5_close(place, dataset, name, status);
}

static ClackStatus write_values(const RecordPlace *place, hid_t provenance, hid_t scale, const Study *study,
                                const StudyReference *reference) {
    char name[NAME_BYTES];
    const Quantity *quantity = &study->quantities[reference->quantity];
    DatasetSpec spec = {.parent = provenance,
                        .name = name,
                        .type = RECORD_F64,
                        .rank = 1,
                        .dims = {reference->count},
                        .scales = {scale},
                        .unit = quantity->unit,
                        .sentence = "Measured values that the quantity is compared with."};
    hid_t dataset = -1;
    snprintf(name, sizeof name, REFERENCE, quantity->name);
    ClackStatus status = write_vector(place, &spec, reference->values, &dataset);
    if (status == CLACK_OK && reference->levels != NULL) status = write_levels(place, dataset, spec, study, reference);
    if (dataset >= 0) H5Dclose(dataset);
    return status;
}

ClackStatus record_reference_write(const RecordPlace *place, hid_t provenance, const Study *study,
                                   const StudyReference *reference) {
    char name[NAME_BYTES];
    const DatasetSpec spec = {.parent = provenance,
                              .name = name,
                              .type = RECORD_I32,
                              .rank = 1,
                              .dims = {reference->count},
                              .unit = "1",
                              .sentence = "Row of the reference."};
    hid_t scale = -1;
    snprintf(name, sizeof name, REFERENCE "_row", study->quantities[reference->quantity].name);
    TRY(record_h5_index_scale(place, &spec, 0, &scale));
    return record_h5_close(place, scale, name, write_values(place, provenance, scale, study, reference));
}

// --- read -------------------------------------------------------------------------------------------------

// A vector of the group, owned by the caller; NULL where there is none.
static ClackStatus read_vector(const RecordPlace *place, hid_t provenance, const char *format, const char *quantity,
                               size_t *out_count, double **out_values) {
    char name[NAME_BYTES];
    snprintf(name, sizeof name, format, quantity);
    *out_values = NULL;
    const hid_t dataset = H5Lexists(provenance, name, H5P_DEFAULT) > 0 ? H5Dopen2(provenance, name, H5P_DEFAULT) : -1;
    if (dataset < 0) return CLACK_OK;
    *out_count = (size_t)record_columns_length(dataset);
    *out_values = calloc(*out_count + 1, sizeof **out_values);
    ClackStatus status = CLACK_OK;
    if (*out_values == NULL)
        status = report_add(place->report, CLACK_MEMORY, "%s: no memory for its statistics", place->path);
    else if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out_values) < 0)
        status = record_h5_failed(place, "read dataset", name);
    H5Dclose(dataset);
    return status;
}

static ClackStatus find_parameter(const RecordPlace *place, const RecordColumns *columns, const char *name,
                                  size_t bytes, size_t *out_column) {
    for (*out_column = 0; *out_column < columns->parameters; ++*out_column)
        if (strlen(columns->names[*out_column]) == bytes && memcmp(columns->names[*out_column], name, bytes) == 0)
            return CLACK_OK;
    return report_add(place->report, place->status, "%s: has no parameter %.*s, over which a share is measured",
                      place->path, (int)bytes, name);
}

static ClackStatus read_names(const RecordPlace *place, hid_t provenance, const char *quantity,
                              const RecordColumns *columns, StatisticsReference *reference) {
    char name[NAME_BYTES], over[RECORD_TEXT_BYTES], by[RECORD_TEXT_BYTES];
    snprintf(name, sizeof name, REFERENCE, quantity);
    const hid_t dataset = H5Dopen2(provenance, name, H5P_DEFAULT);
    if (dataset < 0) return record_h5_failed(place, "open dataset", name);
    record_h5_read_text(dataset, OVER, over);
    record_h5_read_text(dataset, BY, by);
    H5Dclose(dataset);
    TRY(find_parameter(place, columns, over, strlen(over), &reference->over));
    for (const char *at = by; *at != '\0' && reference->by_count < STUDY_FIT_PARAMETERS_MAX;) {
        const size_t bytes = strcspn(at, "\n");
        TRY(find_parameter(place, columns, at, bytes, &reference->by[reference->by_count++]));
        at += bytes + (at[bytes] == '\n');
    }
    return CLACK_OK;
}

static ClackStatus read_reference(const RecordPlace *place, hid_t provenance, const RecordColumns *columns,
                                  size_t column, StatisticsReference *reference) {
    const char *quantity = columns->names[column];
    size_t levels = 0, sizes = 0;
    reference->column = column;
    TRY(read_vector(place, provenance, LEVELS, quantity, &levels, &reference->levels));
    TRY(read_vector(place, provenance, SIZES, quantity, &sizes, &reference->sizes));
    if (reference->levels == NULL && reference->sizes == NULL) return CLACK_OK;
    if (reference->levels == NULL || reference->sizes == NULL || levels != reference->count ||
        sizes != reference->count)
        return report_add(place->report, place->status, "%s: measured shares of %s: lengths differ", place->path,
                          quantity);
    return read_names(place, provenance, quantity, columns, reference);
}

ClackStatus record_references_read(const RecordPlace *place, hid_t provenance, const RecordColumns *columns,
                                   StatisticsSettings *settings) {
    settings->references = calloc(columns->count + 1, sizeof *settings->references);
    if (settings->references == NULL)
        return report_add(place->report, CLACK_MEMORY, "%s: no memory for its statistics", place->path);
    for (size_t i = columns->parameters; i < columns->count; i++) {
        StatisticsReference *reference = &settings->references[settings->reference_count];
        const ClackStatus status =
            read_vector(place, provenance, REFERENCE, columns->names[i], &reference->count, &reference->values);
        if (reference->values == NULL && status == CLACK_OK) continue;
        settings->reference_count++;
        if (status != CLACK_OK) return status;
        TRY(read_reference(place, provenance, columns, i, reference));
    }
    return CLACK_OK;
}

void record_references_free(StatisticsSettings *settings) {
    for (size_t i = 0; i < settings->reference_count; i++) {
        free(settings->references[i].values);
        free(settings->references[i].levels);
        free(settings->references[i].sizes);
    }
    free(settings->references);
}
