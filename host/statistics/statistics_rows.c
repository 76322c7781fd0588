// Rows of an ensemble in blocks of bounded memory. A file that fits into one block is read once.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/scene_types.h"
#include "statistics_internal.h"

#define BLOCK_VALUES ((size_t)1 << 22) // 32 MiB of doubles
#define BLOCK_ROWS_MIN 4096u
#define NO_BLOCK SIZE_MAX

static ClackStatus rows_read_statuses(StatisticsRows *rows, ClackReport *report) {
    const StatisticsSource *source = rows->source;
    double statuses[4096];
    for (uint64_t first = 0; first < source->row_count; first += sizeof statuses / sizeof *statuses) {
        const uint64_t left = source->row_count - first, most = sizeof statuses / sizeof *statuses;
        const size_t count = (size_t)(left < most ? left : most);
        TRY(source->read(source->context, source->column_count, first, count, statuses, report));
        for (size_t i = 0; i < count; i++) rows->statuses[first + i] = (unsigned char)statuses[i];
    }
    return CLACK_OK;
}

ClackStatus statistics_rows_open(const StatisticsSource *source, StatisticsRows *rows, ClackReport *report) {
    assert(source->column_count > 0 && source->row_count > 0);
    size_t block_rows = BLOCK_VALUES / source->column_count;
    if (block_rows < BLOCK_ROWS_MIN) block_rows = BLOCK_ROWS_MIN;
    if (block_rows > source->row_count) block_rows = (size_t)source->row_count;
    *rows = (StatisticsRows){.source = source, .block_rows = block_rows, .block = NO_BLOCK};
    rows->values = malloc(source->column_count * block_rows * sizeof *rows->values);
    rows->is_held = calloc(source->column_count, 1);
    rows->statuses = malloc((size_t)source->row_count);
    if (rows->values == NULL || rows->is_held == NULL || rows->statuses == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for the statistics");
    return rows_read_statuses(rows, report);
}

void statistics_rows_close(StatisticsRows *rows) {
    free(rows->values);
    free(rows->is_held);
    free(rows->statuses);
    *rows = (StatisticsRows){0};
}

size_t statistics_rows_blocks(const StatisticsRows *rows) {
    return (size_t)((rows->source->row_count + rows->block_rows - 1) / rows->block_rows);
}

ClackStatus statistics_rows_column(StatisticsRows *rows, size_t column, size_t block, const double **out_values,
                                   size_t *out_count, ClackReport *report) {
    const StatisticsSource *source = rows->source;
    const uint64_t first = (uint64_t)block * rows->block_rows, left = source->row_count - first;
    const size_t count = left < rows->block_rows ? (size_t)left : rows->block_rows;
    double *values = rows->values + column * rows->block_rows;
    if (block != rows->block) {
        memset(rows->is_held, 0, source->column_count);
        rows->block = block;
    }
    if (!rows->is_held[column]) {
        TRY(source->read(source->context, column, first, count, values, report));
        for (size_t i = 0; i < count; i++)
            if (rows->statuses[first + i] != STATUS_OK || !isfinite(values[i])) values[i] = NAN;
        rows->is_held[column] = 1;
    }
    *out_values = values;
    *out_count = count;
    return CLACK_OK;
}
