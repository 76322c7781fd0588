// Sums of products of columns, A'A, by CLBlast on an OpenCL device or in plain C; covariances from them.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics_internal.h"

#define HOST_ROWS 2048u                   // a block whose columns stay in a processor's cache
#define DEVICE_VALUES ((size_t)1 << 22)   // 32 MiB
#define DEVICE_ROWS_MAX ((size_t)1 << 16) // sums of more terms lose digits

double statistics_products(uint64_t rows, size_t columns, size_t parameters) {
    const size_t quantities = columns - parameters;
    const size_t terms =
        parameters <= STATISTICS_QUADRATIC_REGRESSORS_MAX ? parameters * (parameters + 3) / 2 : parameters;
    const double all = 1 + (double)columns, regression = 1 + (double)terms + (double)quantities;
    return (double)rows * (all * all + regression * regression);
}

// --- A'A ------------------------------------------------------------------------------------------------

ClackStatus statistics_gram_open(size_t columns, Device *device, StatisticsGram *gram, ClackReport *report) {
    size_t room = HOST_ROWS;
    if (device != NULL) room = DEVICE_VALUES / columns < DEVICE_ROWS_MAX ? DEVICE_VALUES / columns : DEVICE_ROWS_MAX;
    *gram = (StatisticsGram){.device = device, .columns = columns, .room = room};
    gram->sums = calloc(columns * columns, sizeof *gram->sums);
    gram->products = calloc(columns * columns, sizeof *gram->products);
    gram->block = calloc(columns * room, sizeof *gram->block);
    if (gram->sums != NULL && gram->products != NULL && gram->block != NULL) return CLACK_OK;
    return report_add(report, CLACK_MEMORY, "no memory for the covariance of %zu columns", columns);
}

void statistics_gram_close(StatisticsGram *gram) {
    free(gram->sums);
    free(gram->products);
    free(gram->block);
    *gram = (StatisticsGram){0};
}

// Four sums at once: independent chains, and half the loads.
static void gram_dot4(const double *restrict a, const double *restrict b, size_t stride, size_t rows, double out[4]) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (size_t i = 0; i < rows; i++) {
        s0 += a[i] * b[i];
        s1 += a[i] * b[i + stride];
        s2 += a[i] * b[i + 2 * stride];
        s3 += a[i] * b[i + 3 * stride];
    }
    out[0] = s0, out[1] = s1, out[2] = s2, out[3] = s3;
}

static void gram_on_host(StatisticsGram *gram) {
    const size_t columns = gram->columns, stride = gram->room;
    for (size_t i = 0; i < columns; i++) {
        const double *a = gram->block + i * stride;
        size_t j = 0;
        for (; j + 4 <= i + 1; j += 4)
            gram_dot4(a, gram->block + j * stride, stride, gram->filled, gram->products + i * columns + j);
        for (; j <= i; j++) {
            double last[4];
            gram_dot4(a, gram->block + j * stride, 0, gram->filled, last);
            gram->products[i * columns + j] = last[0];
        }
    }
}

static ClackStatus gram_flush(StatisticsGram *gram, ClackReport *report) {
    const size_t columns = gram->columns;
    if (gram->filled == 0) return CLACK_OK;
    if (gram->device == NULL)
        gram_on_host(gram);
    else
        TRY(device_gram(gram->device, gram->filled, columns, gram->room, gram->block, gram->products, report));
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j <= i; j++) gram->sums[i * columns + j] += gram->products[i * columns + j];
    gram->filled = 0;
    return CLACK_OK;
}

ClackStatus statistics_gram_add(StatisticsGram *gram, const double *row, ClackReport *report) {
    for (size_t i = 0; i < gram->columns; i++) gram->block[i * gram->room + gram->filled] = row[i];
    gram->filled++;
    return gram->filled == gram->room ? gram_flush(gram, report) : CLACK_OK;
}

ClackStatus statistics_gram_finish(StatisticsGram *gram, ClackReport *report) {
    TRY(gram_flush(gram, report));
    for (size_t i = 0; i < gram->columns; i++)
        for (size_t j = 0; j < i; j++) gram->sums[j * gram->columns + i] = gram->sums[i * gram->columns + j];
    return CLACK_OK;
}

// --- covariance -------------------------------------------------------------------------------------------

// Features of a row: 1, the standardised columns (0 where there is no value), and where any column lacks values their
// squares and whether there is a value: sums over the scenes that have both columns of a pair follow from products.
typedef struct Features {
    size_t columns, count, squares; // squares: where they begin; 0: none
    size_t *presence;               // (columns): the feature that says whether there is a value; 0: always
    const double **values;          // (columns)
    double *row;                    // (count)
} Features;

static void features_free(Features *features) {
    free(features->presence);
    free(features->values);
    free(features->row);
}

static ClackStatus features_make(const ResultTable *table, Features *features, ClackReport *report) {
    const size_t columns = table->lengths[STATISTICS_COLUMN];
    *features = (Features){.columns = columns, .count = 1 + columns};
    features->presence = calloc(columns + 1, sizeof *features->presence);
    features->values = calloc(columns + 1, sizeof *features->values);
    features->row = calloc(3 * columns + 1, sizeof *features->row);
    if (features->presence == NULL || features->values == NULL || features->row == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for the covariance of %zu columns", columns);
    size_t lacking = 0;
    for (size_t i = 0; i < columns; i++) lacking += table->fields[STATISTICS_missing][i] > 0;
    if (lacking == 0) return CLACK_OK;
    features->squares = features->count;
    features->count += columns;
    for (size_t i = 0; i < columns; i++)
        if (table->fields[STATISTICS_missing][i] > 0) features->presence[i] = features->count++;
    return CLACK_OK;
}

// False for a scene that did not end ok, which has no values at all.
static int features_fill(Features *features, const ResultTable *table, size_t index) {
    int has_any = 0;
    features->row[0] = 1;
    for (size_t i = 0; i < features->columns; i++) {
        const double value = features->values[i][index], scale = statistics_scale(table, i);
        const int is_there = !isnan(value);
        const double z = is_there && scale > 0 ? (value - table->fields[STATISTICS_mean][i]) / scale : 0;
        features->row[1 + i] = z;
        if (features->squares > 0) features->row[features->squares + i] = z * z;
        if (features->presence[i] > 0) features->row[features->presence[i]] = is_there;
        has_any |= is_there;
    }
    return has_any;
}

static ClackStatus sum_rows(StatisticsRows *rows, Features *features, const ResultTable *table, StatisticsGram *gram,
                            ClackReport *report) {
    for (size_t block = 0; block < statistics_rows_blocks(rows); block++) {
        size_t count = 0;
        for (size_t i = 0; i < features->columns; i++)
            TRY(statistics_rows_column(rows, i, block, &features->values[i], &count, report));
        for (size_t index = 0; index < count; index++)
            if (features_fill(features, table, index)) TRY(statistics_gram_add(gram, features->row, report));
    }
    return statistics_gram_finish(gram, report);
}

static void put_pair(const Features *features, const StatisticsGram *gram, ResultTable *table, size_t i, size_t j) {
    const double *sums = gram->sums;
    const size_t width = gram->columns, own = features->presence[i], other = features->presence[j];
    const size_t place = i * features->columns + j;
    const double n = sums[own * width + other]; // presence 0 is the feature 1
    const double sum_i = sums[(1 + i) * width + other], sum_j = sums[(1 + j) * width + own];
    const double scale = table->fields[STATISTICS_std][i] * table->fields[STATISTICS_std][j];
    const double together = sums[(1 + i) * width + 1 + j] - sum_i * sum_j / n;
    double square_i = sums[(1 + i) * width + 1 + i], square_j = sums[(1 + j) * width + 1 + j];
    if (features->squares > 0) {
        square_i = sums[(features->squares + i) * width + other];
        square_j = sums[(features->squares + j) * width + own];
    }
    square_i -= sum_i * sum_i / n;
    square_j -= sum_j * sum_j / n;
    table->fields[STATISTICS_pair_count][place] = n;
    if (!(n > 1)) return;
    table->fields[STATISTICS_covariance][place] = together / (n - 1) * scale;
    if (square_i > 0 && square_j > 0)
        table->fields[STATISTICS_correlation][place] = i == j ? 1 : together / sqrt(square_i * square_j);
}

ClackStatus statistics_covariance(StatisticsRows *rows, Device *device, ResultTable *table, ClackReport *report) {
    Features features = {0};
    StatisticsGram gram = {0};
    ClackStatus status = CLACK_OK;
    table->lengths[STATISTICS_OTHER] = table->lengths[STATISTICS_COLUMN];
    for (uint32_t field = STATISTICS_covariance; field <= STATISTICS_pair_count; field++)
        TRY(result_make(table, field, report));
    TRY_CLEAN(features_make(table, &features, report));
    TRY_CLEAN(statistics_gram_open(features.count, device, &gram, report));
    TRY_CLEAN(sum_rows(rows, &features, table, &gram, report));
    for (size_t i = 0; i < features.columns; i++)
        for (size_t j = 0; j < features.columns; j++) put_pair(&features, &gram, table, i, j);
cleanup:
    statistics_gram_close(&gram);
    features_free(&features);
    return status;
}
