// Least squares of each quantity on the parameters: linear, and with squares and products. Quantities that every scene
// has share their sums; each of the others has its own.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "statistics_internal.h"

// A term whose part that the terms before it do not explain is this small tells nothing: its coefficient is NaN.
#define DEPENDENT 1e-10

typedef struct Regression {
    size_t regressors;
    const size_t *columns;      // (regressors)
    size_t terms;               // linear ones first, then products
    const size_t (*factors)[2]; // (terms - regressors): regressors of each product
    size_t y_count;
    const size_t *y; // (y_count): columns of quantities that have the same scenes
} Regression;

typedef struct Solution { // of one regression: its sums about the means
    StatisticsGram gram;
    double *matrix;         // (terms, terms): correlations of the terms, then its factor
    double *scale;          // (terms): square roots of the sums of squares
    double *b;              // (terms)
    double *work;           // (terms)
    unsigned char *is_kept; // (terms)
    size_t kept;
    double rows;
} Solution;

// --- sums ---------------------------------------------------------------------------------------------

// 1, terms, quantities; false where some value is missing.
static int regression_fill(const Regression *regression, const ResultTable *table, const double *const *values,
                           size_t index, double *row) {
    const double *mean = table->fields[STATISTICS_mean];
    double *z = row + 1, *y = row + 1 + regression->terms;
    row[0] = 1;
    for (size_t i = 0; i < regression->regressors; i++) {
        const size_t column = regression->columns[i];
        const double scale = statistics_scale(table, column);
        z[i] = scale > 0 ? (values[column][index] - mean[column]) / scale : 0;
        if (isnan(values[column][index])) return 0;
    }
    for (size_t i = regression->regressors; i < regression->terms; i++) {
        const size_t *factors = regression->factors[i - regression->regressors];
        z[i] = z[factors[0]] * z[factors[1]];
    }
    for (size_t i = 0; i < regression->y_count; i++) {
        const size_t column = regression->y[i];
        const double scale = statistics_scale(table, column);
        y[i] = scale > 0 ? (values[column][index] - mean[column]) / scale : 0;
        if (isnan(values[column][index])) return 0;
    }
    return 1;
}

static ClackStatus regression_sum(const Regression *regression, StatisticsRows *rows, const ResultTable *table,
                                  StatisticsGram *gram, ClackReport *report) {
    const size_t columns = rows->source->column_count;
    const double **values = calloc(columns, sizeof *values);
    double *row = calloc(gram->columns, sizeof *row);
    ClackStatus status = CLACK_OK;
    if (values == NULL || row == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for the regression"));
    for (size_t block = 0; block < statistics_rows_blocks(rows); block++) {
        size_t count = 0;
        for (size_t i = 0; i < columns; i++)
            TRY_CLEAN(statistics_rows_column(rows, i, block, &values[i], &count, report));
        for (size_t index = 0; index < count; index++)
            if (regression_fill(regression, table, values, index, row))
                TRY_CLEAN(statistics_gram_add(gram, row, report));
    }
    status = statistics_gram_finish(gram, report);
cleanup:
    free(values);
    free(row);
    return status;
}

// Sum of products of two features about their means.
static double sum_about_means(const Solution *solution, size_t i, size_t j) {
    const double *sums = solution->gram.sums;
    const size_t width = solution->gram.columns;
    return sums[(1 + i) * width + 1 + j] - sums[1 + i] * sums[1 + j] / sums[0];
}

// --- solution -------------------------------------------------------------------------------------------

// Cholesky's factor of the correlations of the terms, without those that depend on others before them.
static void solution_factor(Solution *solution, size_t terms) {
    double *m = solution->matrix;
    for (size_t i = 0; i < terms; i++) solution->scale[i] = sqrt(sum_about_means(solution, i, i));
    solution->rows = solution->gram.sums[0];
    for (size_t i = 0; i < terms; i++) {
        const int varies = solution->scale[i] * solution->scale[i] > DEPENDENT * solution->rows;
        for (size_t j = 0; j <= i && varies; j++) {
            if (!solution->is_kept[j] && j < i) continue;
            double sum = sum_about_means(solution, i, j) / (solution->scale[i] * solution->scale[j]);
            for (size_t k = 0; k < j; k++)
                if (solution->is_kept[k]) sum -= m[i * terms + k] * m[j * terms + k];
            if (j < i)
                m[i * terms + j] = sum / m[j * terms + j];
            else if (sum > DEPENDENT) {
                m[i * terms + i] = sqrt(sum);
                solution->is_kept[i] = 1;
                solution->kept++;
            }
        }
    }
}

static void solve_lower(const Solution *solution, size_t terms, double *x) {
    for (size_t i = 0; i < terms; i++) {
        if (!solution->is_kept[i]) continue;
        for (size_t k = 0; k < i; k++)
            if (solution->is_kept[k]) x[i] -= solution->matrix[i * terms + k] * x[k];
        x[i] /= solution->matrix[i * terms + i];
    }
}

static void solve_upper(const Solution *solution, size_t terms, double *x) {
    for (size_t i = terms; i-- > 0;) {
        if (!solution->is_kept[i]) continue;
        for (size_t k = i + 1; k < terms; k++)
            if (solution->is_kept[k]) x[i] -= solution->matrix[k * terms + i] * x[k];
        x[i] /= solution->matrix[i * terms + i];
    }
}

// Coefficients of one quantity for its standardised values, NaN where a term was left out. Returns R^2.
static double solution_solve(Solution *solution, size_t terms, size_t y) {
    const double total = sum_about_means(solution, terms + y, terms + y);
    double explained = 0;
    for (size_t i = 0; i < terms; i++)
        solution->b[i] = solution->is_kept[i] ? sum_about_means(solution, i, terms + y) / solution->scale[i] : NAN;
    solve_lower(solution, terms, solution->b);
    for (size_t i = 0; i < terms; i++)
        if (solution->is_kept[i]) explained += solution->b[i] * solution->b[i];
    solve_upper(solution, terms, solution->b);
    for (size_t i = 0; i < terms; i++) solution->b[i] /= solution->scale[i];
    return total > 0 ? explained / total : (double)NAN;
}

static void solution_close(Solution *solution) {
    statistics_gram_close(&solution->gram);
    free(solution->matrix);
    free(solution->scale);
    free(solution->b);
    free(solution->work);
    free(solution->is_kept);
}

static ClackStatus solution_open(const Regression *regression, StatisticsRows *rows, Device *device,
                                 const ResultTable *table, Solution *solution, ClackReport *report) {
    const size_t terms = regression->terms;
    *solution = (Solution){.matrix = calloc(terms * terms + 1, sizeof(double)),
                           .scale = calloc(terms + 1, sizeof(double)),
                           .b = calloc(terms + 1, sizeof(double)),
                           .work = calloc(terms + 1, sizeof(double)),
                           .is_kept = calloc(terms + 1, 1)};
    if (solution->matrix == NULL || solution->scale == NULL || solution->b == NULL || solution->work == NULL ||
        solution->is_kept == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for a regression of %zu terms", terms);
    TRY(statistics_gram_open(1 + terms + regression->y_count, device, &solution->gram, report));
    TRY(regression_sum(regression, rows, table, &solution->gram, report));
    if (solution->gram.sums[0] > 0) solution_factor(solution, terms);
    return CLACK_OK;
}

// --- into the table -----------------------------------------------------------------------------------------

// The constant of the fit at z = 0, for standardised values: the terms' means are not all 0.
static double solution_constant(const Solution *solution, size_t terms, size_t y) {
    const double *sums = solution->gram.sums;
    double constant = sums[1 + terms + y];
    for (size_t i = 0; i < terms; i++)
        if (solution->is_kept[i]) constant -= solution->b[i] * sums[1 + i];
    return constant / sums[0];
}

// Square root of a diagonal element of the inverse of the correlations.
static double solution_spread(Solution *solution, size_t terms, size_t term) {
    double sum = 0;
    for (size_t i = 0; i < terms; i++) solution->work[i] = i == term;
    solve_lower(solution, terms, solution->work);
    for (size_t i = term; i < terms; i++)
        if (solution->is_kept[i]) sum += solution->work[i] * solution->work[i];
    return sqrt(sum);
}

static void put_linear(const Regression *regression, Solution *solution, ResultTable *table, size_t y, double r2) {
    const double *mean = table->fields[STATISTICS_mean], *scale = table->fields[STATISTICS_std];
    const size_t terms = regression->terms, column = regression->y[y];
    const size_t quantity = column - (size_t)table->numbers[STATISTICS_N_PARAMETERS];
    const double total = sum_about_means(solution, terms + y, terms + y);
    const double freedom = solution->rows - 1 - (double)solution->kept;
    const double residual = sqrt(statistics_not_negative(1 - r2) * total / freedom);
    double intercept = mean[column] + scale[column] * solution_constant(solution, terms, y);
    for (size_t i = 0; i < terms; i++) {
        const size_t place = quantity * terms + i, x = regression->columns[i];
        const double slope = solution->b[i] * scale[column] / scale[x];
        if (!solution->is_kept[i]) continue;
        table->fields[STATISTICS_linear_coefficient][place] = slope;
        // The quantity's own spread and the parameter's over the scenes of this regression.
        table->fields[STATISTICS_linear_standardised][place] = solution->b[i] * solution->scale[i] / sqrt(total);
        table->fields[STATISTICS_linear_standard_error][place] =
            residual * solution_spread(solution, terms, i) / solution->scale[i] * scale[column] / scale[x];
        intercept -= slope * mean[x];
    }
    table->fields[STATISTICS_linear_intercept][quantity] = intercept;
    table->fields[STATISTICS_linear_r2][quantity] = r2;
}

static void put_quadratic(const Regression *regression, Solution *solution, ResultTable *table, size_t y, double r2) {
    const size_t terms = regression->terms, column = regression->y[y];
    const size_t quantity = column - (size_t)table->numbers[STATISTICS_N_PARAMETERS];
    for (size_t i = 0; i < terms; i++)
        if (solution->is_kept[i])
            table->fields[STATISTICS_quadratic_standardised][quantity * terms + i] = solution->b[i];
    table->fields[STATISTICS_quadratic_intercept][quantity] =
        table->fields[STATISTICS_mean][column] +
        table->fields[STATISTICS_std][column] * solution_constant(solution, terms, y);
    table->fields[STATISTICS_quadratic_r2][quantity] = r2;
}

static ClackStatus regression_run(const Regression *regression, StatisticsRows *rows, Device *device,
                                  ResultTable *table, ClackReport *report) {
    Solution solution = {0};
    const ClackStatus status = solution_open(regression, rows, device, table, &solution, report);
    // As many scenes as coefficients fit anything.
    const int is_determined = status == CLACK_OK && solution.rows > (double)solution.kept + 1 && solution.kept > 0;
    for (size_t y = 0; y < regression->y_count && is_determined; y++) {
        const double r2 = solution_solve(&solution, regression->terms, y);
        if (isnan(r2)) continue; // a quantity that is the same in all scenes
        if (regression->terms == regression->regressors)
            put_linear(regression, &solution, table, y, r2);
        else
            put_quadratic(regression, &solution, table, y, r2);
    }
    solution_close(&solution);
    return status;
}

// Once for all quantities without missing values, once for each of the others.
static ClackStatus regression_run_all(Regression *regression, StatisticsRows *rows, Device *device, ResultTable *table,
                                      ClackReport *report) {
    const size_t first = rows->source->parameter_count, end = rows->source->column_count;
    size_t *whole = calloc(end + 1, sizeof *whole);
    size_t count = 0;
    ClackStatus status = whole != NULL ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for the regression");
    for (size_t column = first; status == CLACK_OK && column < end; column++) {
        if (table->fields[STATISTICS_missing][column] == 0) {
            whole[count++] = column;
            continue;
        }
        regression->y = &column;
        regression->y_count = 1;
        status = regression_run(regression, rows, device, table, report);
    }
    regression->y = whole;
    regression->y_count = count;
    if (status == CLACK_OK && count > 0) status = regression_run(regression, rows, device, table, report);
    free(whole);
    return status;
}

// --- names ------------------------------------------------------------------------------------------------

static ClackStatus name_regressors(const StatisticsSource *source, const size_t *columns, ResultTable *table,
                                   ClackReport *report) {
    TRY(result_make_texts(table->lengths[STATISTICS_REGRESSOR], &table->names[STATISTICS_REGRESSOR], report));
    TRY(result_make_texts(table->lengths[STATISTICS_QUANTITY], &table->names[STATISTICS_QUANTITY], report));
    for (size_t i = 0; i < table->lengths[STATISTICS_REGRESSOR]; i++)
        TRY(result_set_text(&table->names[STATISTICS_REGRESSOR][i], source->names[columns[i]], report));
    for (size_t i = 0; i < table->lengths[STATISTICS_QUANTITY]; i++)
        TRY(result_set_text(&table->names[STATISTICS_QUANTITY][i], source->names[source->parameter_count + i], report));
    return CLACK_OK;
}

static ClackStatus name_terms(const Regression *regression, ResultTable *table, ClackReport *report) {
    char text[600];
    char **names = table->names[STATISTICS_REGRESSOR];
    TRY(result_make_texts(table->lengths[STATISTICS_TERM], &table->names[STATISTICS_TERM], report));
    for (size_t i = 0; i < regression->terms; i++) {
        if (i < regression->regressors) {
            snprintf(text, sizeof text, "%s", names[i]);
        } else {
            const size_t *factors = regression->factors[i - regression->regressors];
            if (factors[0] == factors[1])
                snprintf(text, sizeof text, "%s^2", names[factors[0]]);
            else
                snprintf(text, sizeof text, "%s*%s", names[factors[0]], names[factors[1]]);
        }
        TRY(result_set_text(&table->names[STATISTICS_TERM][i], text, report));
    }
    return CLACK_OK;
}

static ClackStatus regress_quadratic(Regression *regression, size_t (*factors)[2], StatisticsRows *rows, Device *device,
                                     ResultTable *table, ClackReport *report) {
    const size_t regressors = regression->regressors;
    for (size_t i = 0; i < regressors; i++) {
        for (size_t j = i; j < regressors; j++) {
            size_t *row = factors[regression->terms++ - regressors];
            row[0] = i;
            row[1] = j;
        }
    }
    table->lengths[STATISTICS_TERM] = regression->terms;
    for (uint32_t field = STATISTICS_quadratic_standardised; field <= STATISTICS_quadratic_r2; field++)
        TRY(result_make(table, field, report));
    TRY(name_terms(regression, table, report));
    return regression_run_all(regression, rows, device, table, report);
}

ClackStatus statistics_regression(StatisticsRows *rows, Device *device, ResultTable *table, ClackReport *report) {
    const StatisticsSource *source = rows->source;
    size_t *columns = calloc(source->parameter_count + 1, sizeof *columns);
    size_t(*factors)[2] = NULL;
    Regression regression = {.columns = columns};
    ClackStatus status = CLACK_OK;
    if (columns == NULL) return report_add(report, CLACK_MEMORY, "no memory for the regression");
    for (size_t i = 0; i < source->parameter_count; i++)
        if (source->is_regressor[i]) columns[regression.regressors++] = i;
    regression.terms = regression.regressors;
    table->lengths[STATISTICS_REGRESSOR] = regression.regressors;
    table->lengths[STATISTICS_QUANTITY] = source->column_count - source->parameter_count;
    if (regression.regressors == 0 || table->lengths[STATISTICS_QUANTITY] == 0) goto cleanup;
    for (uint32_t field = STATISTICS_linear_coefficient; field <= STATISTICS_linear_r2; field++)
        TRY_CLEAN(result_make(table, field, report));
    TRY_CLEAN(name_regressors(source, columns, table, report));
    TRY_CLEAN(regression_run_all(&regression, rows, device, table, report));
    if (regression.regressors > STATISTICS_QUADRATIC_REGRESSORS_MAX) goto cleanup;
    factors = calloc(regression.regressors * (regression.regressors + 1) / 2, sizeof *factors);
    if (factors == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for the regression"));
    regression.factors = (const size_t(*)[2])factors;
    status = regress_quadratic(&regression, factors, rows, device, table, report);
cleanup:
    free(factors);
    free(columns);
    return status;
}

size_t statistics_fit_terms(const double *coefficients, size_t count) {
    size_t terms = 0;
    for (size_t i = 0; i < count; i++) terms += isnan(coefficients[i]) ? 0 : 1;
    return terms;
}

int statistics_fit_tells(double scenes, size_t terms) { return STATISTICS_SCENES_PER_TERM * (double)terms <= scenes; }
