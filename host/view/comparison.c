// Ensembles of the same scenes beside each other.
#define _POSIX_C_SOURCE 200809L // strdup
#include "comparison.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/scene_types.h"

static const char *path_of(const Comparison *comparison, size_t file) {
    return record_read_path(comparison->files[file].ensemble.reader);
}

// --- scenes that all have -----------------------------------------------------------------------------------

static ClackStatus find_scenes(Comparison *comparison, ClackReport *report) {
    uint64_t first = 0, end = UINT64_MAX;
    for (size_t i = 0; i < comparison->file_count; i++) {
        const Ensemble *ensemble = &comparison->files[i].ensemble;
        const uint64_t own = (uint64_t)ensemble->first_scene;
        if (own > first) first = own;
        if (own + ensemble->scene_count < end) end = own + ensemble->scene_count;
    }
    if (first >= end) return report_add(report, CLACK_USAGE, "no scene is in all of the files");
    comparison->first_scene = first;
    comparison->scene_count = end - first;
    for (size_t i = 0; i < comparison->file_count; i++) {
        const Ensemble *ensemble = &comparison->files[i].ensemble;
        if (ensemble->scene_count != comparison->scene_count)
            report_warn(report, "%s: has %" PRIu64 " scenes, of which %" PRIu64 " to %" PRIu64 " are in all files",
                        path_of(comparison, i), ensemble->scene_count, first, end - 1);
    }
    return CLACK_OK;
}

// Of the scenes in all files; NULL without such a column.
static ClackStatus read_column(const Comparison *comparison, size_t file, const char *name, EnsembleRole role,
                               double **out_values, ClackReport *report) {
    const Ensemble *ensemble = &comparison->files[file].ensemble;
    *out_values = NULL;
    for (size_t i = 0; i < ensemble->column_count; i++) {
        const EnsembleColumn *column = &ensemble->columns[i];
        if (column->role != role || strcmp(column->name, name) != 0) continue;
        TRY(ensemble_values(ensemble, column, out_values, report));
        assert(*out_values != NULL);
        const uint64_t before = comparison->first_scene - (uint64_t)ensemble->first_scene;
        memmove(*out_values, *out_values + before, comparison->scene_count * sizeof(double));
        return CLACK_OK;
    }
    return CLACK_OK;
}

// --- parameters ---------------------------------------------------------------------------------------------

static ClackStatus compare_parameter(const Comparison *comparison, size_t file, const char *name, ClackReport *report) {
    double *ours = NULL, *theirs = NULL;
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(read_column(comparison, 0, name, ENSEMBLE_PARAMETER, &ours, report));
    TRY_CLEAN(read_column(comparison, file, name, ENSEMBLE_PARAMETER, &theirs, report));
    if (ours == NULL || theirs == NULL) {
        const size_t has = ours != NULL ? 0 : file, lacks = ours != NULL ? file : 0;
        report_warn(report, "%s: has no parameter \"%s\", which %s has", path_of(comparison, lacks), name,
                    path_of(comparison, has));
        goto cleanup;
    }
    for (uint64_t i = 0; i < comparison->scene_count; i++) {
        if (ours[i] == theirs[i] || (isnan(ours[i]) && isnan(theirs[i]))) continue;
        status = report_add(
            report, CLACK_USAGE, "%s: scene %" PRIu64 ": expected the parameters of %s, \"%s\" = %.17g, found %.17g",
            path_of(comparison, file), comparison->first_scene + i, path_of(comparison, 0), name, ours[i], theirs[i]);
        break;
    }
cleanup:
    free(ours);
    free(theirs);
    return status;
}

static bool has_column(const Ensemble *ensemble, const char *name, EnsembleRole role) {
    for (size_t i = 0; i < ensemble->column_count; i++)
        if (ensemble->columns[i].role == role && strcmp(ensemble->columns[i].name, name) == 0) return true;
    return false;
}

static ClackStatus compare_parameters(const Comparison *comparison, ClackReport *report) {
    const Ensemble *first = &comparison->files[0].ensemble;
    for (size_t file = 1; file < comparison->file_count; file++) {
        const Ensemble *other = &comparison->files[file].ensemble;
        for (size_t i = 0; i < first->column_count; i++)
            if (first->columns[i].role == ENSEMBLE_PARAMETER)
                TRY(compare_parameter(comparison, file, first->columns[i].name, report));
        for (size_t i = 0; i < other->column_count; i++)
            if (other->columns[i].role == ENSEMBLE_PARAMETER &&
                !has_column(first, other->columns[i].name, ENSEMBLE_PARAMETER))
                TRY(compare_parameter(comparison, file, other->columns[i].name, report));
    }
    return CLACK_OK;
}

// --- quantities ---------------------------------------------------------------------------------------------

ClackStatus comparison_values(const Comparison *comparison, size_t quantity, size_t file, double **out_values,
                              ClackReport *report) {
    const EnsembleColumn *column = comparison->quantities[quantity];
    double *values = NULL;
    assert(column != NULL);
    TRY(read_column(comparison, file, column->name, ENSEMBLE_QUANTITY, &values, report));
    const bool has = values != NULL;
    if (!has) values = calloc(comparison->scene_count, sizeof *values);
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for a quantity");
    for (uint64_t i = 0; i < comparison->scene_count; i++)
        if (!has || comparison->files[file].status[i] != STATUS_OK || !isfinite(values[i])) values[i] = NAN;
    *out_values = values;
    return CLACK_OK;
}

typedef struct Moments {
    uint64_t count;
    double mean, square; // of what has been added: sum of squares about the mean (Welford, Technometrics 4 (1962) 419)
} Moments;

static void moments_add(Moments *moments, double value) {
    const double off = value - moments->mean;
    moments->count++;
    moments->mean += off / (double)moments->count;
    moments->square += off * (value - moments->mean);
}

static double moments_mean(const Moments *moments) { return moments->count > 0 ? moments->mean : (double)NAN; }
static double moments_sd(const Moments *moments) {
    return moments->count > 1 ? sqrt(moments->square / (double)(moments->count - 1)) : (double)NAN;
}

static ComparedValue compare_values(const Comparison *comparison, const double *ours, const double *theirs) {
    Moments own = {0}, off = {0};
    ComparedValue value = {.largest = NAN};
    for (uint64_t i = 0; i < comparison->scene_count; i++) {
        if (isnan(theirs[i])) continue;
        moments_add(&own, theirs[i]);
        if (isnan(ours[i])) continue;
        const double difference = theirs[i] - ours[i];
        moments_add(&off, difference);
        if (fabs(difference) <= fabs(value.largest)) continue;
        value.largest = difference;
        value.scene = comparison->first_scene + i;
    }
    value.count = own.count;
    value.mean = moments_mean(&own);
    value.sd = moments_sd(&own);
    value.shared = off.count;
    value.difference = moments_mean(&off);
    value.difference_sd = moments_sd(&off);
    return value;
}

static ClackStatus compare_quantity(Comparison *comparison, size_t quantity, ClackReport *report) {
    const size_t files = comparison->file_count;
    double *ours = NULL, *theirs = NULL;
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(comparison_values(comparison, quantity, 0, &ours, report));
    for (size_t file = 0; file < files; file++) {
        TRY_CLEAN(comparison_values(comparison, quantity, file, &theirs, report));
        comparison->values[quantity * files + file] = compare_values(comparison, ours, theirs);
        free(theirs);
        theirs = NULL;
    }
cleanup:
    free(ours);
    free(theirs);
    return status;
}

static void warn_of_missing(const Comparison *comparison, size_t has, size_t lacks, ClackReport *report) {
    const Ensemble *one = &comparison->files[has].ensemble, *other = &comparison->files[lacks].ensemble;
    for (size_t i = 0; i < one->column_count; i++)
        if (one->columns[i].role == ENSEMBLE_QUANTITY && !has_column(other, one->columns[i].name, ENSEMBLE_QUANTITY))
            report_warn(report, "%s: has no quantity \"%s\", which %s has", path_of(comparison, lacks),
                        one->columns[i].name, path_of(comparison, has));
}

static ClackStatus compare_quantities(Comparison *comparison, ClackReport *report) {
    const Ensemble *first = &comparison->files[0].ensemble;
    comparison->quantities = calloc(first->column_count + 1, sizeof *comparison->quantities);
    if (comparison->quantities == NULL) return report_add(report, CLACK_MEMORY, "no memory for the names of columns");
    for (size_t i = 0; i < first->column_count; i++)
        if (first->columns[i].role == ENSEMBLE_QUANTITY)
            comparison->quantities[comparison->quantity_count++] = &first->columns[i];
    if (comparison->quantity_count == 0)
        return report_add(report, CLACK_USAGE, "%s: has no quantity to compare", path_of(comparison, 0));
    for (size_t file = 1; file < comparison->file_count; file++) {
        warn_of_missing(comparison, 0, file, report);
        warn_of_missing(comparison, file, 0, report);
    }
    comparison->values = calloc(comparison->quantity_count * comparison->file_count, sizeof *comparison->values);
    if (comparison->values == NULL) return report_add(report, CLACK_MEMORY, "no memory for a comparison");
    for (size_t i = 0; i < comparison->quantity_count; i++) TRY(compare_quantity(comparison, i, report));
    return CLACK_OK;
}

// --- studies ------------------------------------------------------------------------------------------------

typedef struct StudyName { // of a file; owned
    char *path, *sha256;
} StudyName;

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static ClackStatus read_study_name(const Comparison *comparison, size_t file, StudyName *name, ClackReport *report) {
    const RecordReader *reader = comparison->files[file].ensemble.reader;
    RecordTexts inputs = {0};
    const ClackStatus status = record_read_has(reader, "provenance/input_name")
                                   ? record_read_texts(reader, "provenance/input_name", &inputs, report)
                                   : CLACK_OK;
    if (status == CLACK_OK) name->path = strdup(inputs.count > 0 ? inputs.items[0] : "");
    record_texts_free(&inputs);
    TRY(status);
    name->sha256 = record_read_attribute(reader, "", "study_sha256");
    if (name->path != NULL && name->sha256 != NULL) return CLACK_OK;
    return report_add(report, CLACK_MEMORY, "no memory for a comparison");
}

// How much of its name a study takes to be distinguished from the others: 0 none, 1 the file's name, 2 its path, 3 a
// part of its checksum too.
static int detail_of_names(const StudyName *names, size_t count) {
    int detail = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            if (strcmp(names[i].sha256, names[k].sha256) == 0) continue;
            const int wanted = strcmp(last_part(names[i].path), last_part(names[k].path)) != 0 ? 1
                               : strcmp(names[i].path, names[k].path) != 0                     ? 2
                                                                                               : 3;
            if (wanted > detail) detail = wanted;
        }
    return detail;
}

static ClackStatus name_studies(Comparison *comparison, ClackReport *report) {
    StudyName names[COMPARISON_FILES_MAX] = {0};
    ClackStatus status = CLACK_OK;
    for (size_t i = 0; i < comparison->file_count; i++) TRY_CLEAN(read_study_name(comparison, i, &names[i], report));
    const int detail = detail_of_names(names, comparison->file_count);
    for (size_t i = 0; i < comparison->file_count && detail > 0; i++) {
        const char *path = detail == 1 ? last_part(names[i].path) : names[i].path;
        const size_t bytes = strlen(path) + sizeof " (SHA-256 01234567...)";
        char *study = malloc(bytes);
        if (study == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for a comparison"));
        if (detail == 3)
            snprintf(study, bytes, "%s (SHA-256 %.8s...)", path, names[i].sha256);
        else
            snprintf(study, bytes, "%s", path);
        comparison->files[i].study = study;
    }
cleanup:
    for (size_t i = 0; i < comparison->file_count; i++) {
        free(names[i].path);
        free(names[i].sha256);
    }
    return status;
}

// --- all of it ----------------------------------------------------------------------------------------------

static ClackStatus read_status(Comparison *comparison, size_t file, ClackReport *report) {
    ComparedFile *of = &comparison->files[file];
    of->overrides = record_read_attribute(of->ensemble.reader, "provenance", "overrides");
    if (of->overrides == NULL) return report_add(report, CLACK_MEMORY, "no memory for a comparison");
    TRY(read_column(comparison, file, "status", ENSEMBLE_FIELD, &of->status, report));
    if (of->status == NULL)
        return report_add(report, CLACK_CORRUPT, "%s: its scenes have no status", path_of(comparison, file));
    for (uint64_t i = 0; i < comparison->scene_count; i++) of->ok += of->status[i] == STATUS_OK ? 1 : 0;
    return CLACK_OK;
}

ClackStatus comparison_make(const char *const *paths, size_t count, Comparison *out_comparison, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    *out_comparison = (Comparison){0};
    if (count < 2 || count > COMPARISON_FILES_MAX)
        return report_add(report, CLACK_USAGE, "expected 2 to %u ensemble files, found %zu", COMPARISON_FILES_MAX,
                          count);
    out_comparison->files = calloc(count, sizeof *out_comparison->files);
    if (out_comparison->files == NULL) return report_add(report, CLACK_MEMORY, "no memory for a comparison");
    for (size_t i = 0; i < count; i++) {
        TRY_CLEAN(ensemble_open(paths[i], &out_comparison->files[i].ensemble, report));
        out_comparison->file_count++;
    }
    TRY_CLEAN(name_studies(out_comparison, report));
    TRY_CLEAN(find_scenes(out_comparison, report));
    for (size_t i = 0; i < count; i++) TRY_CLEAN(read_status(out_comparison, i, report));
    TRY_CLEAN(compare_parameters(out_comparison, report));
    TRY_CLEAN(compare_quantities(out_comparison, report));
    for (size_t i = 0; i < count; i++) TRY_CLEAN(ensemble_check(&out_comparison->files[i].ensemble, report));
cleanup:
    if (status != CLACK_OK) comparison_free(out_comparison);
    return status;
}

void comparison_free(Comparison *comparison) {
    for (size_t i = 0; i < comparison->file_count; i++) {
        ensemble_close(&comparison->files[i].ensemble);
        free(comparison->files[i].overrides);
        free(comparison->files[i].study);
        free(comparison->files[i].status);
    }
    free(comparison->files);
    free(comparison->quantities);
    free(comparison->values);
    *comparison = (Comparison){0};
}
