// Order statistics of columns of any length in bounded memory: every value is read once for each group of bits,
// from the highest, and only those that may still be wanted are counted.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "statistics_internal.h"

#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)
#define KEY_BITS 64u
#define ECDF_STEPS 100

// --- quantiles of distributions --------------------------------------------------------------------

double statistics_normal_quantile(double probability) {
    const Distribution normal = {.kind = DISTRIBUTION_NORMAL, .b = 1, .lower = -INFINITY, .upper = INFINITY};
    return sample_quantile(&normal, probability);
}

#define T_SERIES_DEGREES 1000 // from here on the series below is exact to 1e-14

// Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.5.
static double t_series(double z, double degrees) {
    const double w = z * z;
    const double g1 = (w + 1) * z / 4;
    const double g2 = ((5 * w + 16) * w + 3) * z / 96;
    const double g3 = (((3 * w + 19) * w + 17) * w - 15) * z / 384;
    const double g4 = ((((79 * w + 776) * w + 1482) * w - 1920) * w - 945) * z / 92160;
    return z + (g1 + (g2 + (g3 + g4 / degrees) / degrees) / degrees) / degrees;
}

// t^2 / (degrees + t^2) has a beta distribution with exponents 1/2 and degrees/2.
double statistics_t_quantile(double probability, double degrees) {
    if (!(degrees > 0)) return NAN;
    if (degrees > T_SERIES_DEGREES) return t_series(statistics_normal_quantile(probability), degrees);
    const Distribution beta = {
        .kind = DISTRIBUTION_BETA, .b = 1, .c = 0.5 * degrees, .d = 0.5, .lower = -INFINITY, .upper = INFINITY};
    const double tail = probability < 0.5 ? probability : 1 - probability;
    const double x = sample_quantile(&beta, 2 * tail); // degrees / (degrees + t^2), small far out
    const double t = sqrt(degrees * (1 - x) / x);
    return probability < 0.5 ? -t : t;
}

// Source: Wilson, Journal of the American Statistical Association 22 (1927) 209.
void statistics_share_interval(double k, double n, double z, double *out_lower, double *out_upper) {
    const double centre = (k + 0.5 * z * z) / (n + z * z);
    const double half = z / (n + z * z) * sqrt(k * (n - k) / n + 0.25 * z * z);
    *out_lower = k > 0 ? centre - half : 0;
    *out_upper = k < n ? centre + half : 1;
}

// --- selection --------------------------------------------------------------------------------------

// Order of these keys is that of the numbers.
static uint64_t key_of(double value) {
    uint64_t bits;
    const double number = value == 0 ? 0.0 : value; // -0 and 0 are one
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key) {
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef struct Wanted { // an order statistic
    uint64_t rank;      // from 0
    uint64_t left;      // rank among the values with the same prefix
    uint64_t prefix;    // its key's bits found so far
    size_t group;       // of wanted with that prefix
} Wanted;

typedef struct Selection {
    Wanted *wanted; // (count), by rank
    size_t count, groups;
    uint64_t *prefixes; // (groups), ascending
    uint64_t *counts;   // (groups, DIGITS)
} Selection;

static int compare_wanted(const void *a, const void *b) {
    const Wanted *first = a, *second = b;
    return first->rank < second->rank ? -1 : first->rank > second->rank;
}

static size_t selection_find(const Selection *selection, uint64_t prefix) {
    size_t low = 0, high = selection->groups;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (selection->prefixes[middle] < prefix)
            low = middle + 1;
        else
            high = middle;
    }
    return low < selection->groups && selection->prefixes[low] == prefix ? low : selection->groups;
}

static void selection_group(Selection *selection) {
    selection->groups = 0;
    for (size_t i = 0; i < selection->count; i++) {
        Wanted *wanted = &selection->wanted[i];
        if (i == 0 || wanted->prefix != selection->wanted[i - 1].prefix)
            selection->prefixes[selection->groups++] = wanted->prefix;
        wanted->group = selection->groups - 1;
    }
    memset(selection->counts, 0, selection->groups * DIGITS * sizeof *selection->counts);
}

static void selection_count(Selection *selection, const double *values, size_t count, uint32_t shift, uint32_t bits) {
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    const int is_first = shift + bits == KEY_BITS;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        const uint64_t key = key_of(values[i]);
        const size_t group = is_first ? 0 : selection_find(selection, key >> (shift + bits));
        if (group < selection->groups) selection->counts[group * DIGITS + (key >> shift & mask)]++;
    }
}

// Ranks rise, so that one walk over the digits of a group does for all that are wanted of it.
static void selection_narrow(Selection *selection, uint32_t bits) {
    size_t group = selection->groups;
    uint64_t digit = 0, passed = 0;
    for (size_t i = 0; i < selection->count; i++) {
        Wanted *wanted = &selection->wanted[i];
        const uint64_t *counts = selection->counts + wanted->group * DIGITS;
        if (wanted->group != group) digit = passed = 0;
        group = wanted->group;
        while (wanted->left >= passed + counts[digit]) passed += counts[digit++];
        wanted->left -= passed;
        assert(digit < (uint64_t)1 << bits);
        wanted->prefix = wanted->prefix << bits | digit;
    }
}

// The values of all wanted ranks of a column, which has more values than any of them.
static ClackStatus selection_run(Selection *selection, StatisticsRows *rows, size_t column, ClackReport *report) {
    uint32_t shift = KEY_BITS;
    qsort(selection->wanted, selection->count, sizeof *selection->wanted, compare_wanted);
    size_t distinct = 0;
    for (size_t i = 0; i < selection->count; i++) {
        if (distinct == 0 || selection->wanted[i].rank != selection->wanted[distinct - 1].rank)
            selection->wanted[distinct++] = selection->wanted[i];
    }
    selection->count = distinct;
    while (shift > 0) {
        const uint32_t bits = shift < DIGIT_BITS ? shift : DIGIT_BITS;
        shift -= bits;
        selection_group(selection);
        for (size_t block = 0; block < statistics_rows_blocks(rows); block++) {
            const double *values = NULL;
            size_t count = 0;
            TRY(statistics_rows_column(rows, column, block, &values, &count, report));
            selection_count(selection, values, count, shift, bits);
        }
        selection_narrow(selection, bits);
    }
    return CLACK_OK;
}

// --- what is wanted of a column -------------------------------------------------------------------------

// Where a quantile lies among the order statistics, counted from 0: between two of them, linearly.
typedef struct Position {
    double at; // NaN: nowhere
    double *out;
} Position;

// Lower and upper end of a quantile's interval: the number of values below it is binomial; its quantiles by the
// first two terms of the expansion of Cornish and Fisher, between order statistics linearly. Source of the latter:
// Hutson, Journal of Applied Statistics 26 (1999) 343.
static double interval_position(double count, double p, double z) {
    const double rank = count * p + 0.5 + z * sqrt(count * p * (1 - p)) + (1 - 2 * p) * (z * z - 1) / 6;
    const double at = rank - 1;
    return at >= 0 && at <= count - 1 ? at : (double)NAN;
}

static size_t column_positions(ResultTable *table, const StatisticsSettings *settings, size_t column,
                               Position *positions) {
    const double count = table->fields[STATISTICS_count][column];
    const double z = statistics_normal_quantile(0.5 + 0.5 * settings->confidence);
    const size_t quantiles = settings->quantile_count;
    size_t used = 0;
    for (size_t i = 0; i < quantiles; i++) {
        const double p = settings->quantiles[i];
        const size_t place = column * quantiles + i;
        positions[used++] = (Position){p * (count - 1), &table->fields[STATISTICS_quantile][place]};
        positions[used++] =
            (Position){interval_position(count, p, -z), &table->fields[STATISTICS_quantile_lower][place]};
        positions[used++] =
            (Position){interval_position(count, p, z), &table->fields[STATISTICS_quantile_upper][place]};
    }
    for (size_t i = 0; i <= ECDF_STEPS; i++)
        positions[used++] = (Position){(double)i / ECDF_STEPS * (count - 1),
                                       &table->fields[STATISTICS_ecdf][column * (ECDF_STEPS + 1) + i]};
    return used;
}

static double selection_value(const Selection *selection, uint64_t rank) {
    const Wanted key = {.rank = rank};
    const Wanted *found = bsearch(&key, selection->wanted, selection->count, sizeof key, compare_wanted);
    return value_of(found->prefix);
}

static ClackStatus column_quantiles(StatisticsRows *rows, size_t column, Selection *selection,
                                    const Position *positions, size_t count, ClackReport *report) {
    selection->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(positions[i].at)) continue;
        const uint64_t low = (uint64_t)floor(positions[i].at), high = (uint64_t)ceil(positions[i].at);
        selection->wanted[selection->count++] = (Wanted){.rank = low, .left = low};
        selection->wanted[selection->count++] = (Wanted){.rank = high, .left = high};
    }
    TRY(selection_run(selection, rows, column, report));
    for (size_t i = 0; i < count; i++) {
        const double at = positions[i].at, low = floor(at);
        if (isnan(at)) continue;
        const double below = selection_value(selection, (uint64_t)low),
                     above = selection_value(selection, (uint64_t)ceil(at));
        *positions[i].out = below + (at - low) * (above - below);
    }
    return CLACK_OK;
}

ClackStatus statistics_quantiles(StatisticsRows *rows, const StatisticsSettings *settings, ResultTable *table,
                                 ClackReport *report) {
    const size_t most = 3u * settings->quantile_count + ECDF_STEPS + 1;
    Position *positions = calloc(most, sizeof *positions);
    Selection selection = {.wanted = calloc(2 * most, sizeof *selection.wanted),
                           .prefixes = calloc(2 * most, sizeof *selection.prefixes),
                           .counts = calloc(2 * most, DIGITS * sizeof *selection.counts)};
    ClackStatus status = CLACK_OK;
    if (positions == NULL || selection.wanted == NULL || selection.prefixes == NULL || selection.counts == NULL)
        status = report_add(report, CLACK_MEMORY, "no memory for the quantiles");
    table->lengths[STATISTICS_PROBABILITY] = settings->quantile_count;
    table->lengths[STATISTICS_ECDF] = ECDF_STEPS + 1;
    for (uint32_t field = STATISTICS_quantile; status == CLACK_OK && field <= STATISTICS_ecdf; field++)
        status = result_make(table, field, report);
    if (status == CLACK_OK) status = result_make_scale(table, STATISTICS_PROBABILITY, report);
    if (status == CLACK_OK) status = result_make_scale(table, STATISTICS_ECDF, report);
    for (size_t i = 0; status == CLACK_OK && i < settings->quantile_count; i++)
        table->scales[STATISTICS_PROBABILITY][i] = settings->quantiles[i];
    for (size_t i = 0; status == CLACK_OK && i <= ECDF_STEPS; i++)
        table->scales[STATISTICS_ECDF][i] = (double)i / ECDF_STEPS;
    for (size_t column = 0; status == CLACK_OK && column < rows->source->column_count; column++) {
        if (!(table->fields[STATISTICS_count][column] > 0)) continue;
        const size_t count = column_positions(table, settings, column, positions);
        status = column_quantiles(rows, column, &selection, positions, count, report);
    }
    free(positions);
    free(selection.wanted);
    free(selection.prefixes);
    free(selection.counts);
    return status;
}
