// Columns of an ensemble file as rows for statistics. Shared by record_columns.c, record_reference.c,
// record_statistics.c and record_sensitivity.c.
#ifndef CLACK_RECORD_COLUMNS_H
#define CLACK_RECORD_COLUMNS_H

#include "record_internal.h"
#include "sensitivity.h"

typedef struct RecordColumns {
    const RecordPlace *place;
    hid_t file;
    hid_t *datasets;                        // (count + 1): the last is /status
    char **names, **units;                  // (count)
    unsigned char *is_regressor, *is_share; // (count)
    size_t count, parameters, room;
    uint64_t rows;
    int32_t scene_first;
} RecordColumns;

/// Parameters and quantities of a file in the order in which they were made; closed in any case.
ClackStatus record_columns_open(const RecordPlace *place, hid_t file, RecordColumns *columns);
void record_columns_close(RecordColumns *columns);
/// Length of a vector; 0 for what is none.
hsize_t record_columns_length(hid_t dataset);
/// Its errors go to the place of the columns.
StatisticsSource record_columns_source(RecordColumns *columns);

/// Measured values that quantities are compared with, in the provenance (record_reference.c). Of shares over a
/// parameter only what is among the columns.
ClackStatus record_reference_write(const RecordPlace *place, hid_t provenance, const Study *study,
                                   const StudyReference *reference);
ClackStatus record_references_read(const RecordPlace *place, hid_t provenance, const RecordColumns *columns,
                                   StatisticsSettings *settings);
void record_references_free(StatisticsSettings *settings);
/// Sensitivity from the rows of a file of the designs saltelli and morris (record_sensitivity.c); spec NULL for others.
ClackStatus record_sensitivity_make(const RecordPlace *place, hid_t provenance, const StatisticsSource *source,
                                    double confidence, ResultTable *out_table);

#endif
