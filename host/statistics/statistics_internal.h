// What the files of the statistics share.
#ifndef CLACK_STATISTICS_INTERNAL_H
#define CLACK_STATISTICS_INTERNAL_H

#include <math.h>

#include "device.h"
#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- what does not vary --------------------------------------------------------------------------------

#define STATISTICS_ROUNDING 1e-12 // relative to the largest value: thousands of roundings, and far below any tolerance

/// Whether values from `least` to `greatest` differ by more than rounding; false for NaN (no values).
static inline int statistics_varies(double least, double greatest) {
    return greatest - least > STATISTICS_ROUNDING * fmax(fabs(least), fabs(greatest));
}

/// A variance that rounding made negative is 0; what is not a number stays one, which fmax would make 0.
static inline double statistics_not_negative(double variance) { return variance < 0 ? 0 : variance; }

/// Standard deviation of a column in which its values are counted; 0 where they do not vary.
double statistics_scale(const ResultTable *table, size_t column);

// --- rows in blocks (statistics_rows.c) ---------------------------------------------------------------

typedef struct StatisticsRows {
    const StatisticsSource *source;
    size_t block_rows;       // of all blocks but the last
    size_t block;            // the one whose columns are held
    double *values;          // (column_count, block_rows): NaN where a scene did not end ok or has no finite value
    unsigned char *is_held;  // (column_count)
    unsigned char *statuses; // (row_count): STATUS_*
} StatisticsRows;

/// Room for a block, and how the scenes ended.
ClackStatus statistics_rows_open(const StatisticsSource *source, StatisticsRows *rows, ClackReport *report);
void statistics_rows_close(StatisticsRows *rows);
size_t statistics_rows_blocks(const StatisticsRows *rows);
/// Values of one column in one block, valid until another block is asked for; *out_count of them.
ClackStatus statistics_rows_column(StatisticsRows *rows, size_t column, size_t block, const double **out_values,
                                   size_t *out_count, ClackReport *report);

// --- distributions (statistics_quantile.c) -----------------------------------------------------------

/// P(X > x) of the chi-squared distribution with `degrees` > 0 degrees of freedom.
double statistics_chi_squared_tail(double x, uint32_t degrees);
/// Quantiles and ecdf of all columns, where the counts are known.
ClackStatus statistics_quantiles(StatisticsRows *rows, const StatisticsSettings *settings, ResultTable *table,
                                 ClackReport *report);

// --- sums of products (statistics_gram.c) --------------------------------------------------------------

typedef struct StatisticsGram {
    Device *device; // NULL: the host
    size_t columns;
    double *sums;        // (columns, columns), symmetric
    size_t room, filled; // rows of the block
    double *block;       // (columns, room)
    double *products;    // (columns, columns): of one block
} StatisticsGram;

/// The matrix A'A of rows that come in any number of calls; blocks do not depend on how.
ClackStatus statistics_gram_open(size_t columns, Device *device, StatisticsGram *gram, ClackReport *report);
void statistics_gram_close(StatisticsGram *gram);
ClackStatus statistics_gram_add(StatisticsGram *gram, const double *row, ClackReport *report);
ClackStatus statistics_gram_finish(StatisticsGram *gram, ClackReport *report);

/// Covariance and correlation of all columns, where means and standard deviations are known.
ClackStatus statistics_covariance(StatisticsRows *rows, Device *device, ResultTable *table, ClackReport *report);

// --- regression, comparison ------------------------------------------------------------------------------

#define STATISTICS_QUADRATIC_REGRESSORS_MAX 40 // 860 terms

ClackStatus statistics_regression(StatisticsRows *rows, Device *device, ResultTable *table, ClackReport *report);
ClackStatus statistics_compare(StatisticsRows *rows, const StatisticsSettings *settings, ResultTable *table,
                               ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
