// Which input matters: regression and indices as the file has them, rank correlations from its values.
#define _POSIX_C_SOURCE 200809L
#include "influence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"
#include "values.h"

#define SIGNIFICANT_LEAST 0.1 // of a measure without interval
#define RANKING 0.3           // R^2 of the linear regression: below it coefficients do not rank inputs
#define ROUNDING 1e-12        // relative to the largest value

// --- matrices of the file -------------------------------------------------------------------------

typedef struct Names { // of a group's axes
    RecordTexts quantities, inputs;
} Names;

static ClackStatus read_names(const RecordReader *reader, const char *group, const char *inputs, Names *names,
                              ClackReport *report) {
    char path[96];
    snprintf(path, sizeof path, "%s/quantity_name", group);
    TRY(record_read_texts(reader, path, &names->quantities, report));
    snprintf(path, sizeof path, "%s/%s", group, inputs);
    return record_read_texts(reader, path, &names->inputs, report);
}

static void free_names(Names *names) {
    record_texts_free(&names->quantities);
    record_texts_free(&names->inputs);
}

static size_t find_text(const RecordTexts *texts, const char *name) {
    size_t i = 0;
    while (i < texts->count && strcmp(texts->items[i], name) != 0) i++;
    return i;
}

// A dataset (quantity, input) of the file, or (quantity) where `inputs` is NULL, in the order of `influence`. What the
// file does not have stays NaN.
static ClackStatus read_matrix(const Ensemble *ensemble, const char *path, const Names *names,
                               const Influence *influence, double *out, ClackReport *report) {
    const RecordReader *reader = ensemble->reader;
    double *values = NULL;
    RecordAxes axes;
    if (!record_read_has(reader, path)) return CLACK_OK;
    TRY(record_read_all(reader, path, &axes, &values, report));
    const size_t columns = axes.rank == 2 ? names->inputs.count : 1;
    if (axes.rank < 1 || axes.rank > 2 || axes.dims[0] != names->quantities.count ||
        (axes.rank == 2 && axes.dims[1] != columns)) {
        free(values);
        return report_add(report, CLACK_CORRUPT, "%s: %s: expected a number for each quantity%s",
                          record_read_path(reader), path, axes.rank == 2 ? " and input" : "");
    }
    const size_t width = axes.rank == 2 ? influence->input_count : 1;
    for (size_t q = 0; q < influence->quantity_count; q++) {
        const size_t row = find_text(&names->quantities, influence->quantities[q]->name);
        for (size_t i = 0; i < width && row < names->quantities.count; i++) {
            const size_t column = axes.rank == 2 ? find_text(&names->inputs, influence->inputs[i]->name) : 0;
            if (column < columns) out[q * width + i] = values[row * columns + column];
        }
    }
    free(values);
    return CLACK_OK;
}

static double *make_matrix(size_t count) {
    double *values = malloc((count + 1) * sizeof *values);
    for (size_t i = 0; values != NULL && i < count; i++) values[i] = NAN;
    return values;
}

// How many terms the fits of a dataset (quantity, term) have.
static ClackStatus read_terms(const Ensemble *ensemble, const char *path, const Names *names,
                              const Influence *influence, double *out, ClackReport *report) {
    double *values = NULL;
    RecordAxes axes;
    if (!record_read_has(ensemble->reader, path)) return CLACK_OK;
    TRY(record_read_all(ensemble->reader, path, &axes, &values, report));
    const int is_fitting = axes.rank == 2 && axes.dims[0] == names->quantities.count;
    for (size_t q = 0; is_fitting && q < influence->quantity_count; q++) {
        const size_t row = find_text(&names->quantities, influence->quantities[q]->name);
        if (row < names->quantities.count)
            out[q] = (double)statistics_fit_terms(values + row * axes.dims[1], (size_t)axes.dims[1]);
    }
    free(values);
    if (is_fitting) return CLACK_OK;
    return report_add(report, CLACK_CORRUPT, "%s: %s: expected numbers for each quantity",
                      record_read_path(ensemble->reader), path);
}

// Coefficients of the file with their intervals: as wide as those of the coefficients with units.
static ClackStatus read_regression(const Ensemble *ensemble, Influence *influence, ClackReport *report) {
    const size_t count = influence->quantity_count * influence->input_count;
    InfluenceMeasure *measure = &influence->measures[INFLUENCE_STANDARDISED];
    double *slopes = make_matrix(count), *errors = make_matrix(count);
    Names names = {0};
    ClackStatus status = CLACK_OK;
    if (slopes == NULL || errors == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for regressions"));
    if (!record_read_has(ensemble->reader, "statistics/linear_standardised")) goto cleanup;
    TRY_CLEAN(read_names(ensemble->reader, "statistics", "regressor_name", &names, report));
    TRY_CLEAN(read_matrix(ensemble, "statistics/linear_standardised", &names, influence, measure->values, report));
    TRY_CLEAN(read_matrix(ensemble, "statistics/linear_coefficient", &names, influence, slopes, report));
    TRY_CLEAN(read_matrix(ensemble, "statistics/linear_standard_error", &names, influence, errors, report));
    TRY_CLEAN(read_matrix(ensemble, "statistics/linear_r2", &names, influence, influence->linear_r2, report));
    TRY_CLEAN(read_matrix(ensemble, "statistics/quadratic_r2", &names, influence, influence->quadratic_r2, report));
    TRY_CLEAN(
        read_terms(ensemble, "statistics/linear_standardised", &names, influence, influence->linear_terms, report));
    TRY_CLEAN(read_terms(ensemble, "statistics/quadratic_standardised", &names, influence, influence->quadratic_terms,
                         report));
    for (size_t q = 0; q < influence->quantity_count; q++) {
        const size_t first = q * influence->input_count, end = first + influence->input_count;
        double *values = NULL, scenes = 0;
        TRY_CLEAN(values_of_ok(ensemble, influence->quantities[q], &values, report));
        for (uint64_t s = 0; s < ensemble->scene_count; s++) scenes += isnan(values[s]) ? 0 : 1;
        free(values);
        influence->scenes[q] = scenes;
        if (!influence->is_independent) continue;
        double freedom = scenes - 1; // less constants
        for (size_t k = first; k < end; k++) freedom -= isnan(slopes[k]) ? 0 : 1;
        const double t = statistics_t_quantile(0.5 + 0.5 * influence->confidence, freedom);
        for (size_t k = first; k < end; k++) {
            const double half = t * errors[k] * fabs(measure->values[k] / slopes[k]);
            measure->lower[k] = measure->values[k] - half;
            measure->upper[k] = measure->values[k] + half;
        }
    }
cleanup:
    free(slopes);
    free(errors);
    free_names(&names);
    return status;
}

static ClackStatus read_indices(const Ensemble *ensemble, Influence *influence, ClackReport *report) {
    static const char *const sobol[] = {"first", "total"}, *const morris[] = {"mu_star", "sigma"};
    const RecordReader *reader = ensemble->reader;
    Names names = {0};
    ClackStatus status = CLACK_OK;
    if (!record_read_has(reader, "sensitivity/input_name")) return CLACK_OK;
    influence->is_morris = record_read_has(reader, "sensitivity/mu_star");
    TRY_CLEAN(read_names(reader, "sensitivity", "input_name", &names, report));
    for (int k = 0; k < 2; k++) {
        InfluenceMeasure *measure = &influence->measures[INFLUENCE_FIRST + k];
        const char *const endings[] = {"", "_lower", "_upper"};
        double *const places[] = {measure->values, measure->lower, measure->upper};
        for (int e = 0; e < 3; e++) {
            char path[96];
            snprintf(path, sizeof path, "sensitivity/%s%s", influence->is_morris ? morris[k] : sobol[k], endings[e]);
            TRY_CLEAN(read_matrix(ensemble, path, &names, influence, places[e], report));
        }
    }
cleanup:
    free_names(&names);
    return status;
}

// --- ranks ----------------------------------------------------------------------------------------

typedef struct Sorted { // the rows of a column that are numbers, by these
    double value;
    uint64_t row;
} Sorted;

static int compare_sorted(const void *a, const void *b) {
    const Sorted *p = a, *q = b;
    return (p->value > q->value) - (p->value < q->value);
}

static ClackStatus sort_rows(const double *values, uint64_t count, Sorted **out_sorted, size_t *out_count,
                             ClackReport *report) {
    Sorted *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    size_t used = 0;
    *out_sorted = sorted;
    if (sorted == NULL) return report_add(report, CLACK_MEMORY, "no memory for ranks");
    for (uint64_t i = 0; i < count; i++)
        if (!isnan(values[i])) sorted[used++] = (Sorted){values[i], i};
    qsort(sorted, used, sizeof *sorted, compare_sorted);
    *out_count = used;
    return CLACK_OK;
}

// Mean ranks, about their middle, of the rows in which `other` is a number, too; returns how many these are.
static double put_ranks(const Sorted *sorted, size_t count, const double *other, double *ranks) {
    double rows = 0;
    for (size_t first = 0, end; first < count; first = end) {
        double alike = 0;
        for (end = first; end < count && sorted[end].value == sorted[first].value; end++)
            alike += isnan(other[sorted[end].row]) ? 0 : 1;
        for (size_t i = first; i < end; i++) ranks[sorted[i].row] = rows + 0.5 * (alike - 1);
        rows += alike;
    }
    for (size_t i = 0; i < count; i++) ranks[sorted[i].row] -= 0.5 * (rows - 1);
    return rows;
}

ClackStatus influence_rank_correlation(const double *x, const double *y, uint64_t count, double *out_correlation,
                                       double *out_rows, ClackReport *report) {
    Sorted *of_x = NULL, *of_y = NULL;
    size_t x_count = 0, y_count = 0;
    double *ranks = calloc(2 * (size_t)count + 1, sizeof *ranks), xx = 0, xy = 0, yy = 0;
    ClackStatus status = CLACK_OK;
    if (ranks == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for ranks"));
    TRY_CLEAN(sort_rows(x, count, &of_x, &x_count, report));
    TRY_CLEAN(sort_rows(y, count, &of_y, &y_count, report));
    put_ranks(of_x, x_count, y, ranks);
    *out_rows = put_ranks(of_y, y_count, x, ranks + count);
    for (uint64_t i = 0; i < count; i++) {
        if (isnan(x[i]) || isnan(y[i])) continue;
        xx += ranks[i] * ranks[i];
        xy += ranks[i] * ranks[count + i];
        yy += ranks[count + i] * ranks[count + i];
    }
    *out_correlation = xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
cleanup:
    free(ranks);
    free(of_x);
    free(of_y);
    return status;
}

// Source: Bonett and Wright, Psychometrika 65 (2000) 23: variance of Fisher's transform of Spearman's correlation.
static void put_rank_interval(const Influence *influence, double correlation, double rows, size_t at) {
    const InfluenceMeasure *measure = &influence->measures[INFLUENCE_RANK];
    if (!influence->is_independent || !(rows > 3) || !(fabs(correlation) < 1)) return;
    const double half = statistics_normal_quantile(0.5 + 0.5 * influence->confidence) *
                        sqrt((1 + 0.5 * correlation * correlation) / (rows - 3));
    measure->lower[at] = tanh(atanh(correlation) - half);
    measure->upper[at] = tanh(atanh(correlation) + half);
}

// Whether numbers differ by more than rounding, as `varies` of the statistics says it: the ranks of others are chance.
static int varies(const double *values, uint64_t count) {
    double least = INFINITY, greatest = -INFINITY;
    for (uint64_t i = 0; i < count; i++) {
        least = fmin(least, values[i]); // of a NaN and a number the number
        greatest = fmax(greatest, values[i]);
    }
    return greatest - least > ROUNDING * fmax(fabs(least), fabs(greatest));
}

static ClackStatus correlate_ranks(const Ensemble *ensemble, Influence *influence, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    for (size_t q = 0; status == CLACK_OK && q < influence->quantity_count; q++) {
        double *y = NULL;
        status = values_of_ok(ensemble, influence->quantities[q], &y, report);
        const int is_same = status == CLACK_OK && !varies(y, ensemble->scene_count);
        for (size_t i = 0; status == CLACK_OK && !is_same && i < influence->input_count; i++) {
            const size_t at = q * influence->input_count + i;
            double *x = NULL, rows = 0, *correlation = &influence->measures[INFLUENCE_RANK].values[at];
            status = values_of_ok(ensemble, influence->inputs[i], &x, report);
            if (status == CLACK_OK)
                status = influence_rank_correlation(x, y, ensemble->scene_count, correlation, &rows, report);
            if (status == CLACK_OK) put_rank_interval(influence, *correlation, rows, at);
            free(x);
        }
        free(y);
    }
    return status;
}

// --- order ----------------------------------------------------------------------------------------

// The measure that inputs of a quantity are ordered by.
static InfluenceKind kind_of_order(const Influence *influence, size_t quantity) {
    const InfluenceKind wanted = influence->is_morris ? INFLUENCE_FIRST : INFLUENCE_TOTAL;
    for (size_t i = 0; i < influence->input_count; i++)
        if (isfinite(influence->measures[wanted].values[quantity * influence->input_count + i])) return wanted;
    return INFLUENCE_STANDARDISED;
}

int influence_has_indices(const Influence *influence, size_t quantity) {
    return kind_of_order(influence, quantity) != INFLUENCE_STANDARDISED;
}

int influence_is_ranking(double linear_r2) { return !(linear_r2 < RANKING); }

static double size_of(const Influence *influence, size_t quantity, size_t input) {
    const size_t at = quantity * influence->input_count + input;
    const InfluenceKind kind = kind_of_order(influence, quantity);
    const double value = fabs(influence->measures[kind].values[at]);
    if (kind != INFLUENCE_STANDARDISED) return isnan(value) ? -1 : value;
    return fmax(fmax(value, fabs(influence->measures[INFLUENCE_RANK].values[at])),
                -1); // of a NaN and a number the number
}

int influence_is_told(const Influence *influence, size_t quantity, size_t input) {
    const size_t at = quantity * influence->input_count + input;
    const InfluenceKind kind = kind_of_order(influence, quantity);
    const InfluenceKind kinds[] = {kind, kind == INFLUENCE_STANDARDISED ? INFLUENCE_RANK : kind};
    int is_significant = 0;
    for (int k = 0; k < 2; k++) {
        const InfluenceMeasure *measure = &influence->measures[kinds[k]];
        const double low = measure->lower[at], high = measure->upper[at];
        is_significant |=
            isnan(low) || isnan(high) ? fabs(measure->values[at]) >= SIGNIFICANT_LEAST : low > 0 || high < 0;
    }
    return is_significant;
}

static void put_order(Influence *influence) {
    const size_t inputs = influence->input_count;
    for (size_t q = 0; q < influence->quantity_count; q++) {
        size_t *order = influence->order + q * inputs;
        for (size_t i = 0; i < inputs; i++) { // by insertion: those alike stay in the order of the study
            size_t at = i;
            for (; at > 0 && size_of(influence, q, order[at - 1]) < size_of(influence, q, i); at--)
                order[at] = order[at - 1];
            order[at] = i;
        }
    }
    for (int k = 0; k < INFLUENCE_KINDS; k++)
        for (size_t i = 0; i < influence->quantity_count * inputs; i++)
            influence->measures[k].is_there |= isfinite(influence->measures[k].values[i]);
}

// --- all of it ------------------------------------------------------------------------------------

static ClackStatus make_room(const Ensemble *ensemble, Influence *influence, ClackReport *report) {
    influence->quantities = calloc(ensemble->column_count + 1, sizeof *influence->quantities);
    influence->inputs = calloc(ensemble->column_count + 1, sizeof *influence->inputs);
    int is_room = influence->quantities != NULL && influence->inputs != NULL;
    for (size_t i = 0; is_room && i < ensemble->column_count; i++) {
        const EnsembleColumn *column = &ensemble->columns[i];
        if (column->role == ENSEMBLE_QUANTITY) influence->quantities[influence->quantity_count++] = column;
        if (values_are_drawn(ensemble, column)) influence->inputs[influence->input_count++] = column;
    }
    const size_t count = influence->quantity_count * influence->input_count;
    for (int k = 0; k < INFLUENCE_KINDS; k++) {
        InfluenceMeasure *measure = &influence->measures[k];
        measure->values = make_matrix(count);
        measure->lower = make_matrix(count);
        measure->upper = make_matrix(count);
        is_room = is_room && measure->values != NULL && measure->lower != NULL && measure->upper != NULL;
    }
    influence->linear_r2 = make_matrix(influence->quantity_count);
    influence->quadratic_r2 = make_matrix(influence->quantity_count);
    influence->scenes = make_matrix(influence->quantity_count);
    influence->linear_terms = make_matrix(influence->quantity_count);
    influence->quadratic_terms = make_matrix(influence->quantity_count);
    influence->order = calloc(count + 1, sizeof *influence->order);
    is_room = is_room && influence->linear_r2 != NULL && influence->quadratic_r2 != NULL && influence->order != NULL &&
              influence->scenes != NULL && influence->linear_terms != NULL && influence->quadratic_terms != NULL;
    return is_room ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for what matters");
}

ClackStatus influence_make(const Ensemble *ensemble, Influence *out_influence, ClackReport *report) {
    Influence *influence = out_influence;
    ClackStatus status = CLACK_OK;
    *influence =
        (Influence){.confidence = values_confidence(ensemble), .is_independent = values_are_independent(ensemble)};
    TRY_CLEAN(make_room(ensemble, influence, report));
    TRY_CLEAN(read_regression(ensemble, influence, report));
    TRY_CLEAN(read_indices(ensemble, influence, report));
    TRY_CLEAN(correlate_ranks(ensemble, influence, report));
    influence->measures[INFLUENCE_STANDARDISED].heading = "standardised coefficient";
    influence->measures[INFLUENCE_RANK].heading = "rank correlation";
    influence->measures[INFLUENCE_FIRST].heading = influence->is_morris ? "mean of |effects|" : "first order";
    influence->measures[INFLUENCE_TOTAL].heading = influence->is_morris ? "their deviation" : "total";
    put_order(influence);
cleanup:
    if (status != CLACK_OK) influence_free(influence);
    return status;
}

void influence_free(Influence *influence) {
    for (int k = 0; k < INFLUENCE_KINDS; k++) {
        free(influence->measures[k].values);
        free(influence->measures[k].lower);
        free(influence->measures[k].upper);
    }
    free(influence->quantities);
    free(influence->inputs);
    free(influence->linear_r2);
    free(influence->quadratic_r2);
    free(influence->scenes);
    free(influence->linear_terms);
    free(influence->quadratic_terms);
    free(influence->order);
    *influence = (Influence){0};
}
