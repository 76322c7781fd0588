// Values of columns as the statistics take them.
#define _POSIX_C_SOURCE 200809L
#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

#define CONFIDENCE 0.95 // of files without statistics

ClackStatus values_of_ok(const Ensemble *ensemble, const EnsembleColumn *column, double **out_values,
                         ClackReport *report) {
    double *statuses = NULL;
    RecordAxes axes;
    *out_values = NULL;
    ClackStatus status = record_read_all(ensemble->reader, "status", &axes, &statuses, report);
    if (status == CLACK_OK && (axes.rank != 1 || axes.dims[0] != ensemble->scene_count))
        status = report_add(report, CLACK_CORRUPT, "%s: status: expected a number for each scene",
                            record_read_path(ensemble->reader));
    if (status == CLACK_OK) status = ensemble_values(ensemble, column, out_values, report);
    for (uint64_t i = 0; status == CLACK_OK && i < ensemble->scene_count; i++)
        if (statuses[i] != 0 || !isfinite((*out_values)[i])) (*out_values)[i] = NAN;
    free(statuses);
    return status;
}

// Whether a quantity without a unit is 0 in some scenes, 1 in all others: a count that never reached 2, say.
static int are_answers(const Ensemble *ensemble, const EnsembleColumn *column) {
    double *values = NULL;
    ClackReport none = {0};
    int has[2] = {0, 0}, has_other = strcmp(record_unit_shown(column->unit), "") != 0;
    if (!has_other && values_of_ok(ensemble, column, &values, &none) == CLACK_OK) {
        for (uint64_t i = 0; i < ensemble->scene_count && !has_other; i++) {
            has[0] |= values[i] == 0;
            has[1] |= values[i] == 1;
            has_other = !isnan(values[i]) && values[i] != 0 && values[i] != 1;
        }
    }
    free(values);
    clack_report_clear(&none);
    return has[0] && has[1] && !has_other;
}

int values_are_shares(const Ensemble *ensemble, const EnsembleColumn *column) {
    if (column->role != ENSEMBLE_QUANTITY) return 0;
    char *kind = record_read_attribute(ensemble->reader, column->path, "kind");
    const int is_share = kind != NULL && strcmp(kind, "share") == 0;
    free(kind);
    return is_share || are_answers(ensemble, column);
}

int values_are_independent(const Ensemble *ensemble) {
    char *design = record_read_attribute(ensemble->reader, "provenance", "design");
    const int is_shared = design != NULL && (strcmp(design, "saltelli") == 0 || strcmp(design, "morris") == 0);
    free(design);
    return !is_shared;
}

const char values_no_intervals[] = "Scenes of this design share values: no intervals.";

int values_are_drawn(const Ensemble *ensemble, const EnsembleColumn *column) {
    double number;
    return column->role == ENSEMBLE_PARAMETER &&
           record_read_number(ensemble->reader, column->path, "design_column", &number);
}

double values_confidence(const Ensemble *ensemble) {
    double confidence = NAN;
    if (record_read_has(ensemble->reader, "statistics/mean"))
        record_read_number(ensemble->reader, "statistics", "confidence", &confidence);
    return confidence > 0 && confidence < 1 ? confidence : CONFIDENCE;
}
