// Shares against measured ones, level by level; chi-squared and likelihood of every combination that is searched over.
#include "fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics_internal.h"

#define SAME_VALUE 1e-9 // relative: levels of a table and of a study are decimal numbers that mean the same

static const ResultAxis fit_axes[FIT_AXES] = {
    [FIT_FIT] = {"combination", "quantity_name", NULL, RESULT_I32, "Values of the parameters that are searched over.",
                 1},
    [FIT_BY] = {"by", "by_name", NULL, RESULT_I32, "Parameters that are searched over.", 1},
    [FIT_CELL] = {"cell", "level_name", NULL, RESULT_I32, "Levels of every combination.", 1},
};

#define FIT_NONE RESULT_NO_AXIS
static const ResultField fit_fields[FIT_FIELDS] = {
#define FIT_FIELD_ROW(name, type, a, b, c, unit, sentence)                                                             \
    {#name, RESULT_##type, {FIT_##a, FIT_##b, FIT_##c}, unit, sentence},
    FIT_FIELD_LIST(FIT_FIELD_ROW)
#undef FIT_FIELD_ROW
};

static const char *const fit_numbers[] = {"confidence"};

const ResultSpec fit_spec = {.group = "fit",
                             .sentence = "Shares of the scenes that ended ok against measured ones.",
                             .axes = fit_axes,
                             .fields = fit_fields,
                             .numbers = fit_numbers,
                             .axis_count = FIT_AXES,
                             .field_count = FIT_FIELDS,
                             .number_count = FIT_NUMBERS,
                             .fraction = FIT_CONFIDENCE};

typedef struct Tally { // of one reference
    const StatisticsReference *reference;
    size_t count, room; // combinations
    size_t last;        // found: scenes of a combination often follow each other
    size_t *order;      // (count): combinations, ascending
    double *keys;       // (count, by_count)
    double *scenes;     // (count, levels): that have a value
    double *hits;       // (count, levels): of them, with the value 1
} Tally;

// --- counting ----------------------------------------------------------------------------------------------

static int compare_keys(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static ClackStatus no_memory(ClackReport *report) { return report_add(report, CLACK_MEMORY, "no memory for a fit"); }

static int grow(void **array, size_t items, size_t bytes) {
    void *made = realloc(*array, items * bytes);
    if (made != NULL) *array = made;
    return made != NULL;
}

static ClackStatus tally_grow(Tally *tally, ClackReport *report) {
    const size_t levels = tally->reference->count, by = tally->reference->by_count;
    if (tally->count < tally->room) return CLACK_OK;
    if (tally->count >= FIT_GROUPS_MAX)
        return report_add(report, CLACK_STUDY,
                          "statistics.references: expected at most %u combinations of \"by\", found more",
                          FIT_GROUPS_MAX);
    const size_t room = 2 * tally->room + 16;
    if (!grow((void **)&tally->order, room, sizeof *tally->order) ||
        !grow((void **)&tally->keys, room * (by + 1), sizeof *tally->keys) ||
        !grow((void **)&tally->scenes, room * levels, sizeof *tally->scenes) ||
        !grow((void **)&tally->hits, room * levels, sizeof *tally->hits))
        return no_memory(report);
    tally->room = room;
    return CLACK_OK;
}

static ClackStatus tally_find(Tally *tally, const double *key, size_t *out_group, ClackReport *report) {
    const size_t by = tally->reference->by_count, levels = tally->reference->count;
    size_t low = 0, high = tally->count;
    *out_group = tally->last;
    if (tally->count > 0 && compare_keys(tally->keys + tally->last * by, key, by) == 0) return CLACK_OK;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_keys(tally->keys + tally->order[middle] * by, key, by) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tally->count || compare_keys(tally->keys + tally->order[low] * by, key, by) != 0) {
        TRY(tally_grow(tally, report));
        const size_t made = tally->count++;
        memmove(tally->order + low + 1, tally->order + low, (made - low) * sizeof *tally->order);
        memcpy(tally->keys + made * by, key, by * sizeof *key);
        for (size_t i = 0; i < levels; i++) tally->scenes[made * levels + i] = tally->hits[made * levels + i] = 0;
        tally->order[low] = made;
    }
    *out_group = tally->last = tally->order[low];
    return CLACK_OK;
}

// Index of the level; their number where it is none of them.
static size_t find_level(const StatisticsReference *reference, double value) {
    size_t i = 0;
    while (i < reference->count && !(fabs(value - reference->levels[i]) <= SAME_VALUE * fabs(reference->levels[i])))
        i++;
    return i;
}

static ClackStatus tally_block(Tally *tally, StatisticsRows *rows, size_t block, ClackReport *report) {
    const StatisticsReference *reference = tally->reference;
    const double *values = NULL, *over = NULL, *by[STUDY_FIT_PARAMETERS_MAX] = {NULL};
    double key[STUDY_FIT_PARAMETERS_MAX] = {0};
    const size_t by_count = reference->by_count;
    size_t count = 0;
    TRY(statistics_rows_column(rows, reference->column, block, &values, &count, report));
    TRY(statistics_rows_column(rows, reference->over, block, &over, &count, report));
    for (size_t k = 0; k < by_count; k++)
        TRY(statistics_rows_column(rows, reference->by[k], block, &by[k], &count, report));
    for (size_t i = 0; i < count; i++) {
        const size_t level = find_level(reference, over[i]);
        size_t group = 0;
        int is_whole = !isnan(values[i]) && level < reference->count;
        for (size_t k = 0; k < by_count; k++) {
            key[k] = by[k][i];
            is_whole &= !isnan(key[k]);
        }
        if (!is_whole) continue;
        TRY(tally_find(tally, key, &group, report));
        tally->scenes[group * reference->count + level]++;
        tally->hits[group * reference->count + level] += values[i] != 0;
    }
    return CLACK_OK;
}

static void tally_free(Tally *tally) {
    free(tally->order);
    free(tally->keys);
    free(tally->scenes);
    free(tally->hits);
}

// --- two shares ----------------------------------------------------------------------------------------------

// k ln(k / n) + (n - k) ln(1 - k / n), the logarithm of a binomial's likelihood at its best but for a constant.
static double log_likelihood(double k, double n) {
    return (k > 0 ? k * log(k / n) : 0) + (k < n ? (n - k) * log1p(-k / n) : 0);
}

typedef struct Sums { // over the levels of a combination
    double scenes, chi_squared, deviance, levels;
} Sums;

static void put_cell(ResultTable *table, size_t cell, const Tally *tally, size_t group, size_t level, double z,
                     Sums *sums) {
    const StatisticsReference *reference = tally->reference;
    double **fields = table->fields;
    const size_t at = group * reference->count + level;
    const double n = tally->scenes[at], k = tally->hits[at];
    const double m = reference->sizes[level], j = rint(reference->values[level] * m), pooled = (k + j) / (n + m);
    fields[FIT_level][cell] = reference->levels[level];
    fields[FIT_count][cell] = n;
    fields[FIT_measured_count][cell] = m;
    fields[FIT_measured][cell] = j / m;
    statistics_share_interval(j, m, z, &fields[FIT_measured_lower][cell], &fields[FIT_measured_upper][cell]);
    if (!(n > 0)) return;
    fields[FIT_share][cell] = k / n;
    statistics_share_interval(k, n, z, &fields[FIT_share_lower][cell], &fields[FIT_share_upper][cell]);
    sums->scenes += n;
    if (!(pooled > 0 && pooled < 1)) return; // equal, whatever the parameters: says nothing
    const double residual = (k / n - j / m) / sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
    fields[FIT_residual][cell] = residual;
    sums->chi_squared += residual * residual;
    sums->deviance += 2 * (log_likelihood(k, n) + log_likelihood(j, m) - log_likelihood(k + j, n + m));
    sums->levels++;
}

// --- one reference ---------------------------------------------------------------------------------------------

// Parameters that have more than one value.
static uint32_t count_searched(const Tally *tally) {
    const size_t by = tally->reference->by_count;
    uint32_t searched = 0;
    for (size_t k = 0; k < by; k++) {
        int varies = 0;
        for (size_t g = 1; g < tally->count; g++) varies |= tally->keys[g * by + k] != tally->keys[k];
        searched += varies ? 1 : 0;
    }
    return searched;
}

// The chi-squared that is exceeded with the probability 1 - confidence.
static double chi_squared_quantile(double confidence, uint32_t degrees) {
    double low = 0, high = 1;
    if (degrees == 0) return 0;
    while (statistics_chi_squared_tail(high, degrees) > 1 - confidence && high < 1e6) high *= 2;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (statistics_chi_squared_tail(middle, degrees) > 1 - confidence)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void put_region(ResultTable *table, size_t first, size_t end, double width) {
    double *chi_squared = table->fields[FIT_chi_squared];
    size_t best = end;
    for (size_t i = first; i < end; i++)
        if (!isnan(chi_squared[i]) && (best == end || chi_squared[i] < chi_squared[best])) best = i;
    for (size_t i = first; i < end; i++) {
        table->fields[FIT_is_best][i] = i == best;
        table->fields[FIT_is_within][i] = best < end && chi_squared[i] <= chi_squared[best] + width;
    }
}

static size_t find_by(const ResultTable *table, const char *name) {
    size_t i = 0;
    while (strcmp(table->names[FIT_BY][i], name) != 0) i++;
    return i;
}

static ClackStatus put_reference(ResultTable *table, const StatisticsSource *source, const StatisticsSettings *settings,
                                 const Tally *tally, size_t *fit, size_t *cell, ClackReport *report) {
    const StatisticsReference *reference = tally->reference;
    const double z = statistics_normal_quantile(0.5 + 0.5 * settings->confidence);
    const uint32_t searched = count_searched(tally);
    const size_t first = *fit;
    for (size_t place = 0; place < tally->count; place++, ++*fit) {
        const size_t group = tally->order[place];
        Sums sums = {0};
        TRY(result_set_text(&table->names[FIT_FIT][*fit], source->names[reference->column], report));
        for (size_t k = 0; k < reference->by_count; k++)
            table->fields[FIT_by_value]
                         [*fit * table->lengths[FIT_BY] + find_by(table, source->names[reference->by[k]])] =
                tally->keys[group * reference->by_count + k];
        for (size_t level = 0; level < reference->count; level++, ++*cell) {
            TRY(result_set_text(&table->names[FIT_CELL][*cell], source->names[reference->over], report));
            table->fields[FIT_fit][*cell] = (double)*fit;
            put_cell(table, *cell, tally, group, level, z, &sums);
        }
        const double dof = sums.levels - searched;
        table->fields[FIT_scenes][*fit] = sums.scenes;
        table->fields[FIT_dof][*fit] = fmax(dof, 0);
        if (sums.levels > 0) table->fields[FIT_chi_squared][*fit] = sums.chi_squared;
        if (sums.levels > 0) table->fields[FIT_deviance][*fit] = sums.deviance;
        if (dof > 0) table->fields[FIT_p][*fit] = statistics_chi_squared_tail(sums.chi_squared, (uint32_t)dof);
    }
    put_region(table, first, *fit, chi_squared_quantile(settings->confidence, searched));
    return CLACK_OK;
}

// --- all -------------------------------------------------------------------------------------------------------

// Every parameter that some reference is searched over, once.
static ClackStatus put_names(const StatisticsSource *source, const Tally *tallies, size_t count, ResultTable *table,
                             ClackReport *report) {
    TRY(result_make_texts(count * STUDY_FIT_PARAMETERS_MAX, &table->names[FIT_BY], report));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < tallies[i].reference->by_count; k++) {
            const char *name = source->names[tallies[i].reference->by[k]];
            int is_known = 0;
            for (size_t b = 0; b < table->lengths[FIT_BY]; b++) is_known |= strcmp(table->names[FIT_BY][b], name) == 0;
            if (!is_known) TRY(result_set_text(&table->names[FIT_BY][table->lengths[FIT_BY]++], name, report));
        }
    }
    return CLACK_OK;
}

static ClackStatus put_table(const StatisticsSource *source, const StatisticsSettings *settings, const Tally *tallies,
                             size_t count, ResultTable *table, ClackReport *report) {
    size_t fit = 0, cell = 0;
    table->numbers[FIT_CONFIDENCE] = settings->confidence;
    for (size_t i = 0; i < count; i++) {
        table->lengths[FIT_FIT] += tallies[i].count;
        table->lengths[FIT_CELL] += tallies[i].count * tallies[i].reference->count;
    }
    TRY(put_names(source, tallies, count, table, report));
    TRY(result_make_texts(table->lengths[FIT_FIT], &table->names[FIT_FIT], report));
    TRY(result_make_texts(table->lengths[FIT_CELL], &table->names[FIT_CELL], report));
    for (uint32_t field = table->lengths[FIT_BY] > 0 ? 0 : FIT_by_value + 1; field < FIT_FIELDS; field++)
        TRY(result_make(table, field, report));
    for (size_t i = 0; i < count; i++) TRY(put_reference(table, source, settings, &tallies[i], &fit, &cell, report));
    return CLACK_OK;
}

ClackStatus fit_compute(const StatisticsSource *source, const StatisticsSettings *settings, ResultTable *out_table,
                        ClackReport *report) {
    StatisticsRows rows = {0};
    size_t count = 0, groups = 0;
    ClackStatus status = CLACK_OK;
    *out_table = (ResultTable){0};
    Tally *tallies = calloc(settings->reference_count + 1, sizeof *tallies);
    if (tallies == NULL) return no_memory(report);
    for (size_t i = 0; i < settings->reference_count; i++)
        if (settings->references[i].levels != NULL) tallies[count++].reference = &settings->references[i];
    if (count == 0) goto cleanup;
    TRY_CLEAN(statistics_rows_open(source, &rows, report));
    for (size_t i = 0; i < count; i++) {
        for (size_t block = 0; block < statistics_rows_blocks(&rows); block++)
            TRY_CLEAN(tally_block(&tallies[i], &rows, block, report));
        groups += tallies[i].count;
    }
    if (groups == 0) goto cleanup; // no scene is at any of the levels
    *out_table = (ResultTable){.spec = &fit_spec};
    status = put_table(source, settings, tallies, count, out_table, report);
    if (status != CLACK_OK) result_free(out_table);
cleanup:
    statistics_rows_close(&rows);
    for (size_t i = 0; i < count; i++) tally_free(&tallies[i]);
    free(tallies);
    return status;
}
