// A quantity against measured values: Kolmogorov and Smirnov, chi-squared.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics_internal.h"

#define BINS_MAX 20u
#define VALUES_PER_BIN 5u // expected, at least: below, chi-squared is no good approximation

static int compare_values(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// --- probabilities ---------------------------------------------------------------------------------------

// P(K > x) of Kolmogorov's distribution, by the series that converges fast on either side of 1.
static double kolmogorov_tail(double x) {
    double sum = 0;
    if (!(x > 0)) return 1;
    if (x < 1) {
        for (int k = 1; k < 20; k += 2) sum += exp(-k * k * EXPRESSION_PI * EXPRESSION_PI / (8 * x * x));
        return 1 - sqrt(2 * EXPRESSION_PI) / x * sum;
    }
    for (int k = 1; k < 20; k++) sum += (k % 2 == 1 ? 2 : -2) * exp(-2 * k * k * x * x);
    return sum;
}

// P(X > x) of the chi-squared distribution: a finite sum for whole degrees of freedom.
double statistics_chi_squared_tail(double x, uint32_t degrees) {
    const double half = 0.5 * x;
    double term = degrees % 2 == 0 ? exp(-half) : sqrt(half) * exp(-half) * 2 / sqrt(EXPRESSION_PI);
    double sum = degrees % 2 == 0 ? term : erfc(sqrt(half));
    for (uint32_t k = degrees % 2 == 0 ? 2 : 1; k < degrees; k += 2) {
        if (k > 1) term *= half / (0.5 * k);
        sum += term;
    }
    return sum;
}

// --- one comparison -----------------------------------------------------------------------------------------

typedef struct Comparison {
    const StatisticsReference *reference;
    double *sorted;  // (reference->count)
    uint64_t *below; // (reference->count + 1): values of the quantity in between, before the first, after the last
    uint64_t *equal; // (reference->count): values that equal the first of equal references
    double count;    // of the quantity
} Comparison;

// The first reference that is not less.
static size_t lower_bound(const double *sorted, size_t count, double value) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static ClackStatus comparison_count(Comparison *comparison, StatisticsRows *rows, ClackReport *report) {
    const size_t size = comparison->reference->count;
    for (size_t block = 0; block < statistics_rows_blocks(rows); block++) {
        const double *values = NULL;
        size_t count = 0;
        TRY(statistics_rows_column(rows, comparison->reference->column, block, &values, &count, report));
        for (size_t i = 0; i < count; i++) {
            if (isnan(values[i])) continue;
            const size_t place = lower_bound(comparison->sorted, size, values[i]);
            comparison->count++;
            if (place < size && comparison->sorted[place] == values[i])
                comparison->equal[place]++;
            else
                comparison->below[place]++;
        }
    }
    return CLACK_OK;
}

// Both distributions are steps: the largest distance lies at a reference, before it or behind it.
static double comparison_distance(const Comparison *comparison) {
    const size_t size = comparison->reference->count;
    double below = 0, largest = 0;
    for (size_t i = 0; i < size; i++) {
        below += (double)comparison->below[i];
        if (i > 0 && comparison->sorted[i] == comparison->sorted[i - 1]) continue;
        size_t end = i + 1;
        while (end < size && comparison->sorted[end] == comparison->sorted[i]) end++;
        largest = fmax(largest, fabs(below / comparison->count - (double)i / (double)size));
        below += (double)comparison->equal[i];
        largest = fmax(largest, fabs(below / comparison->count - (double)end / (double)size));
    }
    return largest;
}

// Two samples in bins of about equal shares of the reference. A bin ends behind its last reference.
static double comparison_chi_squared(const Comparison *comparison, uint32_t *out_degrees) {
    const size_t size = comparison->reference->count;
    const size_t wanted = size / VALUES_PER_BIN < BINS_MAX ? size / VALUES_PER_BIN : BINS_MAX;
    const double all = comparison->count + (double)size, n = comparison->count, m = (double)size;
    double chi_squared = 0, ours = 0, theirs = 0;
    uint32_t bins = 0;
    for (size_t i = 0; i <= size; i++) {
        ours += (double)comparison->below[i];
        if (i < size) {
            ours += (double)comparison->equal[i];
            theirs++;
        }
        const int is_last = i == size;
        const int is_tied = i + 1 < size && comparison->sorted[i] == comparison->sorted[i + 1];
        const int is_full = i + 1 < size && (i + 1) * wanted / size > bins;
        if (!is_last && (!is_full || is_tied)) continue;
        const double both = ours + theirs, off = ours - both * n / all;
        if (both > 0) chi_squared += off * off / (both * n / all) + off * off / (both * m / all);
        bins += both > 0;
        ours = theirs = 0;
    }
    *out_degrees = bins > 0 ? bins - 1 : 0;
    return chi_squared;
}

static ClackStatus compare_one(StatisticsRows *rows, const StatisticsReference *reference, ResultTable *table,
                               size_t place, ClackReport *report) {
    const size_t size = reference->count;
    Comparison comparison = {.reference = reference,
                             .sorted = calloc(size + 1, sizeof(double)),
                             .below = calloc(size + 1, sizeof(uint64_t)),
                             .equal = calloc(size + 1, sizeof(uint64_t))};
    uint32_t degrees = 0;
    ClackStatus status = CLACK_OK;
    if (comparison.sorted == NULL || comparison.below == NULL || comparison.equal == NULL)
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory to compare with a reference"));
    memcpy(comparison.sorted, reference->values, size * sizeof(double));
    qsort(comparison.sorted, size, sizeof(double), compare_values);
    TRY_CLEAN(comparison_count(&comparison, rows, report));
    table->fields[STATISTICS_reference_count][place] = (double)size;
    table->fields[STATISTICS_chi_squared_dof][place] = 0;
    if (size == 0 || comparison.count == 0) goto cleanup;
    const double distance = comparison_distance(&comparison);
    const double effective = comparison.count * (double)size / (comparison.count + (double)size);
    table->fields[STATISTICS_ks_statistic][place] = distance;
    table->fields[STATISTICS_ks_p][place] = kolmogorov_tail(sqrt(effective) * distance);
    const double chi_squared = comparison_chi_squared(&comparison, &degrees);
    if (degrees == 0) goto cleanup;
    table->fields[STATISTICS_chi_squared][place] = chi_squared;
    table->fields[STATISTICS_chi_squared_dof][place] = degrees;
    table->fields[STATISTICS_chi_squared_p][place] = statistics_chi_squared_tail(chi_squared, degrees);
cleanup:
    free(comparison.sorted);
    free(comparison.below);
    free(comparison.equal);
    return status;
}

ClackStatus statistics_compare(StatisticsRows *rows, const StatisticsSettings *settings, ResultTable *table,
                               ClackReport *report) {
    size_t count = 0, place = 0;
    for (size_t i = 0; i < settings->reference_count; i++) count += settings->references[i].levels == NULL ? 1 : 0;
    table->lengths[STATISTICS_COMPARISON] = count;
    if (count == 0) return CLACK_OK;
    for (uint32_t field = STATISTICS_reference_count; field <= STATISTICS_chi_squared_p; field++)
        TRY(result_make(table, field, report));
    TRY(result_make_texts(count, &table->names[STATISTICS_COMPARISON], report));
    for (size_t i = 0; i < settings->reference_count; i++) {
        const StatisticsReference *reference = &settings->references[i];
        if (reference->levels != NULL) continue; // fit.c
        TRY(result_set_text(&table->names[STATISTICS_COMPARISON][place], rows->source->names[reference->column],
                            report));
        TRY(compare_one(rows, reference, table, place++, report));
    }
    return CLACK_OK;
}
