// Values of columns as the statistics take them.
#define _POSIX_C_SOURCE 200809L
#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int values_are_shares(const Ensemble *ensemble, const EnsembleColumn *column) {
    if (column->role != ENSEMBLE_QUANTITY) return 0;
    char *kind = record_read_attribute(ensemble->reader, column->path, "kind");
    const int is_share = kind != NULL && strcmp(kind, "share") == 0;
    free(kind);
    return is_share;
}

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
