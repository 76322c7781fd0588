// Rows of a finished file as a batch has them; a note added to its provenance.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "record_columns.h"

static ClackStatus find_column(const RecordColumns *columns, const char *name, size_t *out_column) {
    for (*out_column = columns->parameters; *out_column < columns->count; ++*out_column)
        if (strcmp(columns->names[*out_column], name) == 0) return CLACK_OK;
    return report_add(columns->place->report, CLACK_CORRUPT, "%s: has no quantity %s", columns->place->path, name);
}

static ClackStatus read_rows(RecordColumns *columns, const Study *study, double *column, double *quantities,
                             uint32_t *statuses) {
    const StatisticsSource source = record_columns_source(columns);
    const size_t count = (size_t)columns->rows, width = study->quantity_count;
    TRY(source.read(source.context, source.column_count, 0, count, column, columns->place->report));
    for (size_t i = 0; i < count; i++) statuses[i] = (uint32_t)column[i];
    for (size_t q = 0; q < width; q++) {
        size_t place = 0;
        TRY(find_column(columns, study->quantities[q].name, &place));
        TRY(source.read(source.context, place, 0, count, column, columns->place->report));
        for (size_t i = 0; i < count; i++) quantities[i * width + q] = column[i];
    }
    return CLACK_OK;
}

ClackStatus record_rows_read(const char *path, const Study *study, double **out_quantities, uint32_t **out_statuses,
                             uint32_t *out_count, ClackReport *report) {
    const RecordPlace place = {path, CLACK_CORRUPT, report};
    RecordColumns columns = {0};
    double *column = NULL;
    hid_t file = -1;
    ClackStatus status = CLACK_OK;
    *out_quantities = NULL;
    *out_statuses = NULL;
    record_h5_quiet();
    TRY_CLEAN(record_open_ensemble(&place, &file));
    TRY_CLEAN(record_columns_open(&place, file, &columns));
    *out_count = (uint32_t)columns.rows;
    column = calloc((size_t)columns.rows + 1, sizeof *column);
    *out_quantities = calloc((size_t)columns.rows * study->quantity_count + 1, sizeof **out_quantities);
    *out_statuses = calloc((size_t)columns.rows + 1, sizeof **out_statuses);
    if (column == NULL || *out_quantities == NULL || *out_statuses == NULL)
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "%s: no memory to read it", path));
    status = read_rows(&columns, study, column, *out_quantities, *out_statuses);
cleanup:
    free(column);
    record_columns_close(&columns);
    if (file >= 0) status = record_h5_close_file(&place, file, status);
    return status;
}

ClackStatus record_note(const char *path, const char *name, const char *text, ClackReport *report) {
    const RecordPlace place = {path, CLACK_IO, report};
    record_h5_quiet();
    hid_t file = -1;
    TRY(record_h5_open_to_change(&place, &file));
    const hid_t group = H5Gopen2(file, "provenance", H5P_DEFAULT);
    ClackStatus status = CLACK_OK;
    if (group < 0 || (H5Aexists(group, name) > 0 && H5Adelete(group, name) < 0))
        status = record_h5_failed(&place, "open group", "provenance");
    if (status == CLACK_OK) status = record_h5_text(&place, group, name, text);
    status = record_h5_close(&place, group, "provenance", status);
    return record_h5_finish_file(&place, file, status);
}
