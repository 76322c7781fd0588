// All statistics of an ensemble: which scenes count, moments, histograms, convergence; the rest in its own files.
#include "statistics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/scene_types.h"
#include "arithmetic.h"
#include "statistics_internal.h"

// --- what there is --------------------------------------------------------------------------------------

static const ResultAxis statistics_axes[STATISTICS_AXES] = {
    [STATISTICS_COLUMN] = {"column", "column_name", "column_unit", RESULT_I32, "Parameters, then quantities.", 1},
    [STATISTICS_OTHER] = {"other", NULL, NULL, RESULT_I32, "The other column.", 1},
    [STATISTICS_PROBABILITY] = {"probability", NULL, NULL, RESULT_F64, "Probability of a quantile.", 0},
    [STATISTICS_ECDF] = {"ecdf_probability", NULL, NULL, RESULT_F64, "Share of the scenes.", 0},
    [STATISTICS_BIN] = {"bin", NULL, NULL, RESULT_I32, "Bin of a histogram.", 1},
    [STATISTICS_EDGE] = {"edge", NULL, NULL, RESULT_I32, "Edge of a bin.", 1},
    [STATISTICS_CHECKPOINT] = {"checkpoint", NULL, NULL, RESULT_I32, "Number of scenes, from the first on.", 0},
    [STATISTICS_QUANTITY] = {"quantity", "quantity_name", NULL, RESULT_I32, "Quantities.", 1},
    [STATISTICS_REGRESSOR] = {"regressor", "regressor_name", NULL, RESULT_I32,
                              "Parameters that are sampled themselves.", 1},
    [STATISTICS_TERM] = {"term", "term_name", NULL, RESULT_I32, "Regressors, then their squares and products.", 1},
    [STATISTICS_FAILED] = {"failed_scene", NULL, NULL, RESULT_I32, "Numbers of the scenes that failed.", 0},
    [STATISTICS_COMPARISON] = {"comparison", "comparison_name", NULL, RESULT_I32, "Quantities that have a reference.",
                               1},
};

#define STATISTICS_NONE RESULT_NO_AXIS
static const ResultField statistics_fields[STATISTICS_FIELDS] = {
#define STATISTICS_FIELD_ROW(name, type, a, b, c, unit, sentence)                                                      \
    {#name, RESULT_##type, {STATISTICS_##a, STATISTICS_##b, STATISTICS_##c}, unit, sentence},
    STATISTICS_FIELD_LIST(STATISTICS_FIELD_ROW)
#undef STATISTICS_FIELD_ROW
};

static const char *const statistics_numbers[] = {"n_scenes",  "n_ok",         "n_failed",
                                                 "n_not_run", "n_parameters", "confidence"};
static const char *const statistics_texts[] = {"rerun", "covariance_by"};

const ResultSpec statistics_spec = {.group = "statistics",
                                    .sentence = "Of all scenes that ended ok.",
                                    .axes = statistics_axes,
                                    .fields = statistics_fields,
                                    .numbers = statistics_numbers,
                                    .texts = statistics_texts,
                                    .axis_count = STATISTICS_AXES,
                                    .field_count = STATISTICS_FIELDS,
                                    .number_count = STATISTICS_NUMBERS,
                                    .text_count = STATISTICS_TEXTS,
                                    .fraction = STATISTICS_CONFIDENCE};

// --- which scenes count -----------------------------------------------------------------------------------

static ClackStatus list_failed(const StatisticsRows *rows, ResultTable *table, ClackReport *report) {
    size_t found = 0;
    table->lengths[STATISTICS_FAILED] = (size_t)table->numbers[STATISTICS_N_FAILED];
    if (table->lengths[STATISTICS_FAILED] == 0) return CLACK_OK;
    TRY(result_make(table, STATISTICS_failed_status, report));
    TRY(result_make_scale(table, STATISTICS_FAILED, report));
    for (uint64_t row = 0; row < rows->source->row_count && found < table->lengths[STATISTICS_FAILED]; row++) {
        const unsigned char status = rows->statuses[row];
        if (status == STATUS_OK || status == STATUS_NOT_RUN) continue;
        table->scales[STATISTICS_FAILED][found] = (double)(rows->source->scene_first + row);
        table->fields[STATISTICS_failed_status][found++] = status;
    }
    return CLACK_OK;
}

static ClackStatus count_scenes(const StatisticsRows *rows, const StatisticsSettings *settings, ResultTable *table,
                                ClackReport *report) {
    const StatisticsSource *source = rows->source;
    uint64_t ok = 0, not_run = 0;
    for (uint64_t row = 0; row < source->row_count; row++) {
        ok += rows->statuses[row] == STATUS_OK;
        not_run += rows->statuses[row] == STATUS_NOT_RUN;
    }
    table->numbers[STATISTICS_N_SCENES] = (double)source->row_count;
    table->numbers[STATISTICS_N_OK] = (double)ok;
    table->numbers[STATISTICS_N_NOT_RUN] = (double)not_run;
    table->numbers[STATISTICS_N_FAILED] = (double)(source->row_count - ok - not_run);
    table->numbers[STATISTICS_N_PARAMETERS] = (double)source->parameter_count;
    table->numbers[STATISTICS_CONFIDENCE] = settings->confidence;
    if (settings->rerun != NULL) TRY(result_set_text(&table->texts[STATISTICS_RERUN], settings->rerun, report));
    return list_failed(rows, table, report);
}

// --- moments ------------------------------------------------------------------------------------------------

// A sum and what its roundings lost. Source: Neumaier, Zeitschrift fuer Angewandte Mathematik und Mechanik 54
// (1974) 39.
typedef struct Sum {
    double sum, lost;
} Sum;

static void sum_add(Sum *sum, double value) {
    const double total = sum->sum + value;
    sum->lost += fabs(sum->sum) >= fabs(value) ? (sum->sum - total) + value : (value - total) + sum->sum;
    sum->sum = total;
}

static double sum_value(const Sum *sum) { return sum->sum + sum->lost; }

typedef struct ColumnPass { // over the values of one column
    ResultTable *table;
    size_t column;
    Sum sums[4]; // of the values; then of powers of their distance from the mean
    double count, mean, least, greatest;
    const double *edges; // (bins + 1)
    double *histogram;   // (bins)
    size_t bins;
    uint64_t row; // of the ensemble
    size_t checkpoint;
    double upper; // probability of the interval's upper end
    int is_share;
} ColumnPass;

static void pass_first(ColumnPass *pass, double value) {
    if (isnan(value)) return;
    sum_add(&pass->sums[0], value);
    pass->least = fmin(pass->least, value);
    pass->greatest = fmax(pass->greatest, value);
    pass->count++;
}

// The bins are those of the edges, whatever the division rounds to.
static void histogram_add(ColumnPass *pass, double value) {
    const double *edges = pass->edges;
    const size_t bins = pass->bins;
    const double place = (value - edges[0]) / (edges[bins] - edges[0]) * (double)bins;
    size_t bin = place < (double)bins ? (size_t)place : bins - 1;
    while (bin > 0 && value < edges[bin]) bin--;
    while (bin + 1 < bins && value >= edges[bin + 1]) bin++;
    pass->histogram[bin]++;
}

static void put_interval(ColumnPass *pass, double *mean, double *lower, double *upper) {
    const double n = pass->count, sum = sum_value(&pass->sums[0]);
    if (!(n > 0)) return;
    *mean = pass->mean + sum / n;
    if (pass->is_share) { // where all scenes are alike Student's interval would be a point
        statistics_share_interval(rint(*mean * n), n, statistics_normal_quantile(pass->upper), lower, upper);
        return;
    }
    if (!(n > 1)) return;
    const double variance = statistics_not_negative((sum_value(&pass->sums[1]) - sum * sum / n) / (n - 1));
    const double half = statistics_t_quantile(pass->upper, n - 1) * sqrt(variance / n);
    *lower = *mean - half;
    *upper = *mean + half;
}

static void pass_second(ColumnPass *pass, double value) {
    ResultTable *table = pass->table;
    const size_t checkpoints = table->lengths[STATISTICS_CHECKPOINT];
    if (!isnan(value)) {
        const double d = value - pass->mean;
        double power = d;
        for (int i = 0; i < 4; i++, power *= d) sum_add(&pass->sums[i], power);
        histogram_add(pass, value);
        pass->count++;
    }
    pass->row++;
    if (pass->checkpoint == checkpoints || (double)pass->row < table->scales[STATISTICS_CHECKPOINT][pass->checkpoint])
        return;
    const size_t place = pass->column * checkpoints + pass->checkpoint++;
    put_interval(pass, &table->fields[STATISTICS_convergence_mean][place],
                 &table->fields[STATISTICS_convergence_lower][place],
                 &table->fields[STATISTICS_convergence_upper][place]);
}

static ClackStatus pass_run(ColumnPass *pass, void (*take)(ColumnPass *pass, double value), StatisticsRows *rows,
                            ClackReport *report) {
    for (size_t block = 0; block < statistics_rows_blocks(rows); block++) {
        const double *values = NULL;
        size_t count = 0;
        TRY(statistics_rows_column(rows, pass->column, block, &values, &count, report));
        for (size_t i = 0; i < count; i++) take(pass, values[i]);
    }
    return CLACK_OK;
}

static void put_edges(const ColumnPass *pass, double *edges) {
    const int is_one = pass->least == pass->greatest; // a bin has to have a width
    const double low = pass->least - (is_one ? 0.5 : 0), high = pass->greatest + (is_one ? 0.5 : 0);
    for (size_t i = 0; i < pass->bins; i++) edges[i] = low + (double)i * ((high - low) / (double)pass->bins);
    edges[pass->bins] = high;
}

// From the sums of powers about a mean that is right but for its rounding.
static void put_moments(const ColumnPass *pass, const StatisticsSettings *settings) {
    double **fields = pass->table->fields;
    const size_t column = pass->column;
    const double n = pass->count, z = statistics_normal_quantile(0.5 + 0.5 * settings->confidence);
    const double m2 = sum_value(&pass->sums[1]) / n, m3 = sum_value(&pass->sums[2]) / n;
    const double m4 = sum_value(&pass->sums[3]) / n;
    fields[STATISTICS_min][column] = pass->least;
    fields[STATISTICS_max][column] = pass->greatest;
    if (!(n > 1)) return;
    const double variance = m2 * n / (n - 1), deviation = sqrt(variance);
    fields[STATISTICS_variance][column] = variance;
    fields[STATISTICS_std][column] = deviation;
    if (!(m2 > 0)) return;
    const double kurtosis = m4 / (m2 * m2) - 3;
    fields[STATISTICS_skewness][column] = m3 / (m2 * sqrt(m2));
    fields[STATISTICS_kurtosis][column] = kurtosis;
    if (!(n > 3)) return;
    // The logarithm is nearer to a normal distribution. Source: Bonett, Computational Statistics & Data Analysis 50
    // (2006) 775, with the kurtosis that is unbiased for normal numbers.
    const double unbiased = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * kurtosis + 6);
    const double half = 0.5 * z * sqrt(statistics_not_negative(2 / (n - 1) + unbiased / n));
    fields[STATISTICS_std_lower][column] = deviation * exp(-half);
    fields[STATISTICS_std_upper][column] = deviation * exp(half);
}

double statistics_scale(const ResultTable *table, size_t column) {
    return table->fields[STATISTICS_varies][column] > 0 ? table->fields[STATISTICS_std][column] : 0;
}

static ClackStatus column_moments(StatisticsRows *rows, const StatisticsSettings *settings, ResultTable *table,
                                  size_t column, ClackReport *report) {
    const size_t bins = settings->bins;
    double *edges = table->fields[STATISTICS_histogram_edge] + column * (bins + 1);
    double *histogram = table->fields[STATISTICS_histogram] + column * bins;
    ColumnPass first = {.table = table, .column = column, .least = INFINITY, .greatest = -INFINITY, .bins = bins};
    TRY(pass_run(&first, pass_first, rows, report));
    table->fields[STATISTICS_count][column] = first.count;
    table->fields[STATISTICS_missing][column] = table->numbers[STATISTICS_N_OK] - first.count;
    table->fields[STATISTICS_varies][column] = statistics_varies(first.least, first.greatest);
    for (size_t i = 0; i < bins; i++) histogram[i] = 0;
    if (!(first.count > 0)) return CLACK_OK;
    put_edges(&first, edges);
    ColumnPass second = {.table = table,
                         .column = column,
                         .least = first.least,
                         .greatest = first.greatest,
                         .mean = fmin(fmax(sum_value(&first.sums[0]) / first.count, first.least), first.greatest),
                         .edges = edges,
                         .histogram = histogram,
                         .bins = bins,
                         .upper = 0.5 + 0.5 * settings->confidence,
                         .is_share = rows->source->is_share != NULL && rows->source->is_share[column]};
    TRY(pass_run(&second, pass_second, rows, report));
    put_moments(&second, settings);
    put_interval(&second, &table->fields[STATISTICS_mean][column], &table->fields[STATISTICS_mean_lower][column],
                 &table->fields[STATISTICS_mean_upper][column]);
    return CLACK_OK;
}

// Numbers of scenes at which convergence is shown: each larger by the square root of 2, then all.
static ClackStatus make_checkpoints(const StatisticsSource *source, ResultTable *table, ClackReport *report) {
    for (int is_second = 0; is_second < 2; is_second++) {
        size_t count = 0;
        double at = 4;
        while (at < (double)source->row_count) {
            if (is_second) table->scales[STATISTICS_CHECKPOINT][count] = round(at);
            count++;
            at *= sqrt(2);
        }
        // The last step may round to all rows.
        if (is_second && count > 0 && table->scales[STATISTICS_CHECKPOINT][count - 1] == (double)source->row_count)
            count--;
        if (is_second) table->scales[STATISTICS_CHECKPOINT][count] = (double)source->row_count;
        table->lengths[STATISTICS_CHECKPOINT] = count + 1;
        if (!is_second) TRY(result_make_scale(table, STATISTICS_CHECKPOINT, report));
    }
    return CLACK_OK;
}

static ClackStatus make_columns(const StatisticsSource *source, const StatisticsSettings *settings, ResultTable *table,
                                ClackReport *report) {
    table->lengths[STATISTICS_COLUMN] = source->column_count;
    table->lengths[STATISTICS_BIN] = settings->bins;
    table->lengths[STATISTICS_EDGE] = (size_t)settings->bins + 1;
    TRY(make_checkpoints(source, table, report));
    for (uint32_t field = STATISTICS_count; field <= STATISTICS_varies; field++) TRY(result_make(table, field, report));
    for (uint32_t field = STATISTICS_histogram_edge; field <= STATISTICS_convergence_upper; field++)
        TRY(result_make(table, field, report));
    TRY(result_make_texts(source->column_count, &table->names[STATISTICS_COLUMN], report));
    TRY(result_make_texts(source->column_count, &table->units[STATISTICS_COLUMN], report));
    for (size_t i = 0; i < source->column_count; i++) {
        TRY(result_set_text(&table->names[STATISTICS_COLUMN][i], source->names[i], report));
        TRY(result_set_text(&table->units[STATISTICS_COLUMN][i], source->units[i], report));
    }
    return CLACK_OK;
}

// --- all ------------------------------------------------------------------------------------------------------

static ClackStatus compute_products(StatisticsRows *rows, Device *device, ResultTable *table, ClackReport *report) {
    TRY(result_set_text(&table->texts[STATISTICS_COVARIANCE_BY], device != NULL ? device_info(device)->name : "host",
                        report));
    TRY(statistics_covariance(rows, device, table, report));
    return statistics_regression(rows, device, table, report);
}

ClackStatus statistics_compute(const StatisticsSource *source, const StatisticsSettings *settings,
                               ResultTable *out_table, ClackReport *report) {
    assert(settings->confidence > 0 && settings->confidence < 1 && settings->bins > 0);
    assert(settings->quantile_count <= STATISTICS_QUANTILES_MAX);
    StatisticsRows rows = {0};
    Device *device = NULL;
    ClackStatus status = CLACK_OK;
    *out_table = (ResultTable){.spec = &statistics_spec};
    TRY_CLEAN(statistics_rows_open(source, &rows, report));
    TRY_CLEAN(count_scenes(&rows, settings, out_table, report));
    TRY_CLEAN(make_columns(source, settings, out_table, report));
    for (size_t column = 0; column < source->column_count; column++)
        TRY_CLEAN(column_moments(&rows, settings, out_table, column, report));
    TRY_CLEAN(statistics_quantiles(&rows, settings, out_table, report));
    TRY_CLEAN(statistics_compare(&rows, settings, out_table, report));
    if (settings->device != NULL && strcmp(settings->device, "native") != 0) {
        const DeviceOptions options = {.choice = settings->device, .allow_inexact = ARITHMETIC_UNASKED};
        const Content products_alone = {.programs = PROGRAM_PROBE}; // CLBlast's; none of our kernels is of use
        TRY_CLEAN(device_open(&options, &products_alone, &device, report));
    }
    TRY_CLEAN(compute_products(&rows, device, out_table, report));
cleanup:
    device_close(device);
    statistics_rows_close(&rows);
    if (status != CLACK_OK) result_free(out_table);
    return status;
}
