// Sobol' indices with intervals by the bootstrap; elementary effects.
#include "sensitivity.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "sample.h"
#include "statistics_internal.h"

#define RESAMPLES 500
#define BLOCKS_MAX 1024u              // of consecutive base points, which are drawn together: enough for a variance
#define EXPONENT_LEAST (-1000)        // of what is scaled: the scale itself stays finite
#define BOOTSTRAP 0x626f6f7473747261u // in place of a parameter's name

static const ResultAxis sensitivity_axes[SENSITIVITY_AXES] = {
    [SENSITIVITY_QUANTITY] = {"quantity", "quantity_name", NULL, RESULT_I32, "Quantities.", 1},
    [SENSITIVITY_INPUT] = {"input", "input_name", NULL, RESULT_I32, "Parameters, or numbers that are drawn together.",
                           1},
    [SENSITIVITY_CHECKPOINT] = {"checkpoint", NULL, NULL, RESULT_I32,
                                "Number of base points or trajectories, from the first on.", 0},
};

#define SENSITIVITY_NONE RESULT_NO_AXIS
static const ResultField sensitivity_fields[SENSITIVITY_FIELDS] = {
#define SENSITIVITY_FIELD_ROW(name, type, a, b, c, unit, sentence)                                                     \
    {#name, RESULT_##type, {SENSITIVITY_##a, SENSITIVITY_##b, SENSITIVITY_##c}, unit, sentence},
    SENSITIVITY_FIELD_LIST(SENSITIVITY_FIELD_ROW)
#undef SENSITIVITY_FIELD_ROW
};

static const char *const sensitivity_numbers[] = {"samples", "confidence", "resamples"};
static const char *const sensitivity_texts[] = {"method"};

const ResultSpec sensitivity_spec = {.group = "sensitivity",
                                     .sentence = "Of all base points or trajectories whose scenes ended ok.",
                                     .axes = sensitivity_axes,
                                     .fields = sensitivity_fields,
                                     .numbers = sensitivity_numbers,
                                     .texts = sensitivity_texts,
                                     .axis_count = SENSITIVITY_AXES,
                                     .field_count = SENSITIVITY_FIELDS,
                                     .number_count = SENSITIVITY_NUMBERS,
                                     .text_count = SENSITIVITY_TEXTS,
                                     .fraction = SENSITIVITY_CONFIDENCE};

typedef struct Points { // of one quantity: scenes of a base point or trajectory, side by side
    const SensitivityDesign *design;
    size_t each, first, count; // scenes of a point; the first point's number, how many are whole
    double *values;            // (count, each): NaN in all of a point that lacks one
    double *sums;              // (BLOCKS_MAX, width): of blocks of points
    size_t width;
} Points;

// --- where the values lie ---------------------------------------------------------------------------------

typedef struct Range { // of the values of the first points
    double scale;      // a power of 2: the largest value times it is below 1, and no square overflows
    double centre;     // in the middle of the scaled values: products of small numbers lose nothing
    int varies;
} Range;

static Range find_range(const Points *points, size_t count) {
    double least = INFINITY, greatest = -INFINITY, sum = 0, found = 0;
    int exponent = 0;
    for (size_t i = 0; i < count * points->each; i++) {
        if (isnan(points->values[i])) continue;
        least = fmin(least, points->values[i]);
        greatest = fmax(greatest, points->values[i]);
    }
    if (!(greatest >= least)) return (Range){.scale = 1};
    frexp(fmax(fabs(least), fabs(greatest)), &exponent);
    const double scale = ldexp(1, exponent > EXPONENT_LEAST ? -exponent : -EXPONENT_LEAST);
    for (size_t k = 0; k < count; k++) {
        const double value = points->values[k * points->each];
        if (isnan(value)) continue;
        sum += scale * value;
        found++;
    }
    return (Range){.scale = scale, .centre = sum / found, .varies = statistics_varies(least, greatest)};
}

// --- Sobol' indices ---------------------------------------------------------------------------------------

// Sums over points: how many; A + B; A^2 + B^2; for each input B (AB_i - A) and (A - AB_i)^2 / 2.
enum { SUM_COUNT, SUM_VALUE, SUM_SQUARE, SUM_INPUTS };

static void add_point(const Points *points, const double *f, const Range *range, double *sums) {
    const double scale = range->scale, centre = range->centre, a = scale * f[0] - centre, b = scale * f[1] - centre;
    sums[SUM_COUNT] += 1;
    sums[SUM_VALUE] += a + b;
    sums[SUM_SQUARE] += a * a + b * b;
    for (size_t i = 0; i < points->design->input_count; i++) {
        const double ab = scale * f[2 + i] - centre;
        sums[SUM_INPUTS + 2 * i] += b * (ab - a);
        sums[SUM_INPUTS + 2 * i + 1] += 0.5 * (a - ab) * (a - ab);
    }
}

// Estimators of Saltelli et al. (2010), table 2: (b) of the first index, (f), Jansen's, of the total.
static void indices_of(const Points *points, const double *sums, double *out) {
    const double n = sums[SUM_COUNT], mean = sums[SUM_VALUE] / (2 * n);
    const double variance = sums[SUM_SQUARE] / (2 * n) - mean * mean;
    for (size_t i = 0; i < 2 * (size_t)points->design->input_count; i++)
        out[i] = variance > 0 ? sums[SUM_INPUTS + i] / n / variance : (double)NAN;
}

// Sums of blocks of the first `count` points; how many blocks there are.
static size_t sum_blocks(const Points *points, const Range *range, size_t count) {
    const size_t blocks = count < BLOCKS_MAX ? count : BLOCKS_MAX;
    for (size_t i = 0; i < blocks * points->width; i++) points->sums[i] = 0;
    for (size_t k = 0; k < count; k++) {
        const double *f = points->values + k * points->each;
        if (!isnan(f[0])) add_point(points, f, range, points->sums + k * blocks / count * points->width);
    }
    return blocks;
}

typedef struct Indices {                                     // (2 input_count): first and total of each input
    double *value, *deviation, *drawn, *sum, *square, *sums; // sums: (width)
} Indices;

static void resample(const Points *points, size_t blocks, uint64_t number, Indices *indices) {
    for (size_t i = 0; i < points->width; i++) indices->sums[i] = 0;
    for (size_t b = 0; b < blocks; b++) {
        const uint64_t bits = sample_bits(points->design->seed, number * BLOCKS_MAX + b, BOOTSTRAP);
        const double *block = points->sums + bits % blocks * points->width;
        for (size_t i = 0; i < points->width; i++) indices->sums[i] += block[i];
    }
    indices_of(points, indices->sums, indices->drawn);
}

// NaN of a quantity that does not vary: what its values differ by is rounding, which has shares too. NaN for the
// deviation where some resample does not vary: too few points differ for the bootstrap to tell.
static void estimate(const Points *points, size_t count, Indices *indices) {
    const size_t size = 2 * (size_t)points->design->input_count;
    const Range range = find_range(points, count);
    for (size_t i = 0; i < size; i++) indices->value[i] = indices->deviation[i] = NAN;
    if (!range.varies) return;
    const size_t blocks = sum_blocks(points, &range, count);
    for (size_t i = 0; i < points->width; i++) indices->sums[i] = 0;
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < points->width; i++) indices->sums[i] += points->sums[b * points->width + i];
    indices_of(points, indices->sums, indices->value);
    for (size_t i = 0; i < size; i++) indices->sum[i] = indices->square[i] = 0;
    for (uint64_t number = 0; number < RESAMPLES && blocks > 0; number++) {
        resample(points, blocks, number, indices);
        for (size_t i = 0; i < size; i++) {
            const double off = indices->drawn[i] - indices->value[i];
            indices->sum[i] += off;
            indices->square[i] += off * off;
        }
    }
    for (size_t i = 0; i < size; i++) {
        const double about_mean = indices->square[i] - indices->sum[i] * indices->sum[i] / RESAMPLES;
        indices->deviation[i] = sqrt(statistics_not_negative(about_mean) / (RESAMPLES - 1));
    }
}

static void put_interval(ResultTable *table, uint32_t field, size_t place, double value, double half) {
    table->fields[field][place] = value;
    table->fields[field + 1][place] = value - half;
    table->fields[field + 2][place] = value + half;
}

static ClackStatus put_sobol(const Points *points, ResultTable *table, size_t quantity, ClackReport *report) {
    const size_t inputs = points->design->input_count, size = 2 * inputs;
    const size_t checkpoints = table->lengths[SENSITIVITY_CHECKPOINT];
    const double z = statistics_normal_quantile(0.5 + 0.5 * points->design->confidence);
    double *room = calloc(5 * size + points->width, sizeof *room);
    if (room == NULL) return report_add(report, CLACK_MEMORY, "no memory for the sensitivity");
    Indices indices = {room, room + size, room + 2 * size, room + 3 * size, room + 4 * size, room + 5 * size};
    for (size_t c = 0; c < checkpoints; c++) {
        estimate(points, (size_t)table->scales[SENSITIVITY_CHECKPOINT][c], &indices);
        for (size_t i = 0; i < inputs; i++) {
            const size_t place = quantity * inputs + i, along = place * checkpoints + c;
            const double *value = indices.value + 2 * i, *deviation = indices.deviation + 2 * i;
            put_interval(table, SENSITIVITY_convergence_first, along, value[0], z * deviation[0]);
            put_interval(table, SENSITIVITY_convergence_total, along, value[1], z * deviation[1]);
            if (c + 1 < checkpoints) continue;
            put_interval(table, SENSITIVITY_first, place, value[0], z * deviation[0]);
            put_interval(table, SENSITIVITY_total, place, value[1], z * deviation[1]);
        }
    }
    free(room);
    return CLACK_OK;
}

// --- elementary effects -----------------------------------------------------------------------------------

static double effect_of(const Points *points, size_t trajectory, uint32_t input) {
    const SensitivityDesign *design = points->design;
    const uint64_t number = points->first + trajectory;
    const uint32_t rank = sample_morris_rank(design->seed, number, input, design->input_count);
    const uint32_t level = sample_morris_level(design->seed, number, design->input_names[input], design->levels);
    const double *f = points->values + trajectory * points->each;
    return (level < design->levels / 2 ? 1 : -1) * (f[rank + 1] - f[rank]) / sample_morris_step(design->levels);
}

// Mean and sum of squares about it, kept up to date. Source: Welford, Technometrics 4 (1962) 419.
typedef struct Moments {
    double count, mean, square;
} Moments;

static void moments_add(Moments *moments, double value) {
    const double off = value - moments->mean;
    moments->count++;
    moments->mean += off / moments->count;
    moments->square += off * (value - moments->mean);
}

static void put_star(const Moments *sizes, double confidence, ResultTable *table, uint32_t field, size_t place) {
    const double n = sizes->count;
    table->fields[field][place] = sizes->mean;
    if (!(n > 1)) return;
    const double half = statistics_t_quantile(0.5 + 0.5 * confidence, n - 1) * sqrt(sizes->square / (n - 1) / n);
    put_interval(table, field, place, sizes->mean, half);
}

static void put_morris(const Points *points, ResultTable *table, size_t quantity) {
    const uint32_t inputs = points->design->input_count;
    const size_t checkpoints = table->lengths[SENSITIVITY_CHECKPOINT];
    const double confidence = points->design->confidence;
    for (uint32_t i = 0; i < inputs; i++) {
        const size_t place = quantity * inputs + i;
        Moments effects = {0}, sizes = {0};
        for (size_t t = 0, c = 0; t < points->count; t++) {
            if (!isnan(points->values[t * points->each])) {
                const double effect = effect_of(points, t, i);
                moments_add(&effects, effect);
                moments_add(&sizes, fabs(effect));
            }
            if (effects.count > 0 && (double)(t + 1) == table->scales[SENSITIVITY_CHECKPOINT][c])
                put_star(&sizes, confidence, table, SENSITIVITY_convergence_mu_star, place * checkpoints + c);
            if ((double)(t + 1) == table->scales[SENSITIVITY_CHECKPOINT][c] && c + 1 < checkpoints) c++;
        }
        if (!(effects.count > 0)) continue;
        table->fields[SENSITIVITY_mu][place] = effects.mean;
        put_star(&sizes, confidence, table, SENSITIVITY_mu_star, place);
        if (effects.count > 1) table->fields[SENSITIVITY_sigma][place] = sqrt(effects.square / (effects.count - 1));
    }
}

// --- all ------------------------------------------------------------------------------------------------------

// Powers of 2, then all.
static ClackStatus make_checkpoints(size_t count, ResultTable *table, ClackReport *report) {
    size_t steps = 0;
    for (size_t at = 8; at < count; at *= 2) steps++;
    table->lengths[SENSITIVITY_CHECKPOINT] = steps + 1;
    TRY(result_make_scale(table, SENSITIVITY_CHECKPOINT, report));
    for (size_t i = 0; i < steps; i++) table->scales[SENSITIVITY_CHECKPOINT][i] = (double)((size_t)8 << i);
    table->scales[SENSITIVITY_CHECKPOINT][steps] = (double)count;
    return CLACK_OK;
}

static ClackStatus make_table(const StatisticsSource *source, const SensitivityDesign *design, size_t count,
                              ResultTable *table, ClackReport *report) {
    const int is_morris = design->kind == DESIGN_MORRIS;
    const size_t quantities = source->column_count - source->parameter_count;
    const uint32_t first = is_morris ? SENSITIVITY_mu : SENSITIVITY_first;
    const uint32_t end = is_morris ? SENSITIVITY_FIELDS : SENSITIVITY_mu;
    *table = (ResultTable){.spec = &sensitivity_spec};
    table->lengths[SENSITIVITY_QUANTITY] = quantities;
    table->lengths[SENSITIVITY_INPUT] = design->input_count;
    table->numbers[SENSITIVITY_SAMPLES] = (double)count;
    table->numbers[SENSITIVITY_CONFIDENCE] = design->confidence;
    table->numbers[SENSITIVITY_RESAMPLES] = is_morris ? 0 : RESAMPLES;
    TRY(make_checkpoints(count, table, report));
    TRY(result_make(table, SENSITIVITY_count, report));
    TRY(result_make(table, SENSITIVITY_missing, report));
    TRY(result_make(table, SENSITIVITY_varies, report));
    for (uint32_t field = first; field < end; field++) TRY(result_make(table, field, report));
    TRY(result_set_text(&table->texts[SENSITIVITY_METHOD], study_design_name(design->kind), report));
    TRY(result_make_texts(quantities, &table->names[SENSITIVITY_QUANTITY], report));
    TRY(result_make_texts(design->input_count, &table->names[SENSITIVITY_INPUT], report));
    for (size_t i = 0; i < quantities; i++)
        TRY(result_set_text(&table->names[SENSITIVITY_QUANTITY][i], source->names[source->parameter_count + i],
                            report));
    for (size_t i = 0; i < design->input_count; i++)
        TRY(result_set_text(&table->names[SENSITIVITY_INPUT][i], design->input_names[i], report));
    return CLACK_OK;
}

// Values of one quantity; a point that lacks one has none.
static ClackStatus read_points(StatisticsRows *rows, size_t column, uint64_t skipped, Points *points, double *out_used,
                               ClackReport *report) {
    uint64_t row = 0;
    for (size_t block = 0; block < statistics_rows_blocks(rows); block++) {
        const double *values = NULL;
        size_t count = 0;
        TRY(statistics_rows_column(rows, column, block, &values, &count, report));
        for (size_t i = 0; i < count; i++, row++)
            if (row >= skipped && row - skipped < points->count * points->each)
                points->values[row - skipped] = values[i];
    }
    *out_used = 0;
    for (size_t k = 0; k < points->count; k++) {
        double *f = points->values + k * points->each;
        int is_whole = 1;
        for (size_t i = 0; i < points->each; i++) is_whole &= !isnan(f[i]);
        for (size_t i = 0; i < points->each && !is_whole; i++) f[i] = NAN;
        *out_used += is_whole;
    }
    return CLACK_OK;
}

static ClackStatus compute_quantities(StatisticsRows *rows, Points *points, uint64_t skipped, ResultTable *table,
                                      ClackReport *report) {
    const size_t first = rows->source->parameter_count;
    for (size_t quantity = 0; quantity < table->lengths[SENSITIVITY_QUANTITY]; quantity++) {
        double used = 0;
        TRY(read_points(rows, first + quantity, skipped, points, &used, report));
        table->fields[SENSITIVITY_count][quantity] = used;
        table->fields[SENSITIVITY_missing][quantity] = (double)points->count - used;
        table->fields[SENSITIVITY_varies][quantity] = find_range(points, points->count).varies;
        if (points->design->kind == DESIGN_MORRIS)
            put_morris(points, table, quantity);
        else
            TRY(put_sobol(points, table, quantity, report));
    }
    return CLACK_OK;
}

ClackStatus sensitivity_compute(const StatisticsSource *source, const SensitivityDesign *design, ResultTable *out_table,
                                ClackReport *report) {
    assert(design->kind == DESIGN_SALTELLI || design->kind == DESIGN_MORRIS);
    assert(design->input_count > 0 && design->confidence > 0 && design->confidence < 1);
    const size_t each = design->input_count + (design->kind == DESIGN_MORRIS ? 1u : 2u);
    const uint64_t first = (source->scene_first + each - 1) / each,
                   end = (source->scene_first + source->row_count) / each;
    StatisticsRows rows = {0};
    Points points = {.design = design,
                     .each = each,
                     .first = (size_t)first,
                     .count = end > first ? (size_t)(end - first) : 0,
                     .width = SUM_INPUTS + 2u * design->input_count};
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(make_table(source, design, points.count, out_table, report));
    TRY_CLEAN(statistics_rows_open(source, &rows, report));
    points.values = calloc(points.count * each + 1, sizeof *points.values);
    points.sums = calloc(BLOCKS_MAX * points.width, sizeof *points.sums);
    if (points.values == NULL || points.sums == NULL)
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for the sensitivity"));
    status = compute_quantities(&rows, &points, first * each - source->scene_first, out_table, report);
cleanup:
    free(points.values);
    free(points.sums);
    statistics_rows_close(&rows);
    if (status != CLACK_OK) result_free(out_table);
    return status;
}
