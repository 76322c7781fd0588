// Quantities over parameters: points of scenes; of shares their rates in bins.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "share.h"
#include "values.h"

#define POINTS_MAX 1000u // spread over all scenes
#define SCATTER_MAX 6u   // parameters, and quantities

typedef struct Side { // of the matrix
    const EnsembleColumn *columns[SCATTER_MAX];
    double *values[SCATTER_MAX];
    int is_share[SCATTER_MAX];
    size_t count, all;
} Side;

typedef struct Range {
    double low, high;
} Range;

static ClackStatus take_side(PlotScript *script, EnsembleRole role, Side *side, ClackReport *report) {
    const Ensemble *ensemble = script->ensemble;
    for (size_t i = 0; i < ensemble->column_count; i++) {
        const EnsembleColumn *column = &ensemble->columns[i];
        int is_named = script->options->name_count == 0;
        for (size_t k = 0; k < script->options->name_count; k++)
            is_named |= strcmp(script->options->names[k], column->name) == 0;
        if (!is_named || (column->role == ENSEMBLE_PARAMETER) != (role == ENSEMBLE_PARAMETER)) continue;
        if (column->role == ENSEMBLE_FIELD && script->options->name_count == 0) continue;
        if (side->all++ >= SCATTER_MAX) continue;
        side->columns[side->count] = column;
        TRY(ensemble_values(ensemble, column, &side->values[side->count++], report));
    }
    if (side->all > side->count) {
        plot_note(script, "The first %zu of %zu %s; names choose.", side->count, side->all,
                  role == ENSEMBLE_PARAMETER ? "parameters" : "quantities");
    }
    return CLACK_OK;
}

// Points of a panel; how many there are, and the ranges of their x and y.
static size_t put_points(PlotScript *script, const double *x, const double *y, Range *range, Range *up) {
    const uint64_t scenes = script->ensemble->scene_count, stride = scenes > POINTS_MAX ? scenes / POINTS_MAX : 1;
    size_t points = 0;
    for (uint64_t i = 0; i < scenes; i += stride) {
        if (!isfinite(x[i]) || !isfinite(y[i])) continue;
        fprintf(script->out, "%.17g %.17g\n", x[i], y[i]);
        points++;
        range->low = fmin(range->low, x[i]);
        range->high = fmax(range->high, x[i]);
        up->low = fmin(up->low, y[i]);
        up->high = fmax(up->high, y[i]);
    }
    return points;
}

static void put_axis(PlotScript *script, char axis, const Range *range) {
    const double low = range->low, high = range->high;
    const double spare = high > low ? 0.02 * (high - low) : fmax(fabs(low), 1) * 1e-3;
    plot_axis(script, axis, low - spare, high + spare);
}

static void draw_nothing(PlotScript *script) {
    plot_axis(script, 'x', 0, 1);
    plot_axis(script, 'y', 0, 1);
    plot_place(script);
    fputs("unset key\nplot NaN\n", script->out);
}

static void draw_points(PlotScript *script, const double *x, const double *y) {
    Range range = {INFINITY, -INFINITY}, up = range;
    const uint32_t block = plot_begin_block(script);
    const size_t points = put_points(script, x, y, &range, &up);
    plot_end_block(script);
    if (points == 0) {
        draw_nothing(script);
        return;
    }
    put_axis(script, 'x', &range);
    put_axis(script, 'y', &up);
    plot_place(script);
    fprintf(script->out, "unset key\nplot $d%u using 1:2 with points lt 1 pt 7 ps 0.35\n", block);
}

// What is 0 or 1 in every scene: its share in bins of x, of all scenes.
static ClackStatus draw_rates(PlotScript *script, const double *x, const double *y, ClackReport *report) {
    ShareBin *bins = NULL;
    size_t count = 0;
    double most = 0;
    TRY(share_over(x, y, script->ensemble->scene_count, values_confidence(script->ensemble), &bins, &count, report));
    if (count == 0) {
        free(bins);
        draw_nothing(script);
        return CLACK_OK;
    }
    Range range = {bins[0].low, bins[count - 1].high};
    const uint32_t block = plot_begin_block(script);
    for (size_t i = 0; i < count; i++)
        fprintf(script->out, "%.17g %.17g %.17g %.17g\n", bins[i].mean, bins[i].share, bins[i].lower, bins[i].upper);
    plot_end_block(script);
    for (size_t i = 0; i < count; i++) most = fmax(most, bins[i].upper);
    free(bins);
    put_axis(script, 'x', &range);
    plot_axis(script, 'y', 0, fmin(1, 1.1 * most));
    plot_place(script);
    fprintf(script->out,
            "unset key\nplot $d%u using 1:2 with lines lt 1 lw 0.8, '' using %s lt 1 dt solid pt 7 ps 0.5\n", block,
            values_are_independent(script->ensemble) ? "1:2:3:4 with yerrorbars" : "1:2 with points");
    return CLACK_OK;
}

// Values of a share as the statistics take them, in place of all.
static ClackStatus take_ok(PlotScript *script, Side *what, ClackReport *report) {
    for (size_t row = 0; row < what->count; row++) {
        what->is_share[row] = values_are_shares(script->ensemble, what->columns[row]);
        if (!what->is_share[row]) continue;
        free(what->values[row]);
        what->values[row] = NULL;
        TRY(values_of_ok(script->ensemble, what->columns[row], &what->values[row], report));
    }
    return CLACK_OK;
}

static ClackStatus draw_scatter(PlotScript *script, const Side *over, const Side *what, ClackReport *report) {
    const uint64_t scenes = script->ensemble->scene_count;
    int has_points = 0;
    for (size_t row = 0; row < what->count; row++) has_points |= !what->is_share[row];
    if (has_points && scenes > POINTS_MAX) {
        plot_note(script, "Points: one in %llu scenes.", (unsigned long long)(scenes / POINTS_MAX));
    }
    plot_begin(script, (uint32_t)(over->count * what->count), (uint32_t)over->count);
    for (size_t row = 0; row < what->count; row++) {
        for (size_t column = 0; column < over->count; column++) {
            if (row + 1 == what->count) plot_column(script, PLOT_X_LABEL, over->columns[column]);
            if (column == 0 && what->is_share[row])
                plot_share(script, PLOT_Y_LABEL, what->columns[row]);
            else if (column == 0)
                plot_column(script, PLOT_Y_LABEL, what->columns[row]);
            if (over->columns[column] == what->columns[row])
                draw_nothing(script);
            else if (what->is_share[row])
                TRY(draw_rates(script, over->values[column], what->values[row], report));
            else
                draw_points(script, over->values[column], what->values[row]);
        }
    }
    return CLACK_OK;
}

ClackStatus plot_scatter(PlotScript *script, ClackReport *report) {
    Side over = {0}, what = {0};
    const EnsembleColumn *column = NULL;
    ClackStatus status = CLACK_OK;
    for (size_t i = 0; i < script->options->name_count; i++)
        TRY(ensemble_find(script->ensemble, script->options->names[i], -1, &column, report));
    TRY_CLEAN(take_side(script, ENSEMBLE_PARAMETER, &over, report));
    TRY_CLEAN(take_side(script, ENSEMBLE_QUANTITY, &what, report));
    // Names of one kind alone: against each other.
    if (over.count == 0) TRY_CLEAN(take_side(script, ENSEMBLE_QUANTITY, &over, report));
    if (what.count == 0) TRY_CLEAN(take_side(script, ENSEMBLE_PARAMETER, &what, report));
    if (over.count == 0 || (over.count == 1 && over.columns[0] == what.columns[0]))
        TRY_CLEAN(report_add(report, CLACK_USAGE, "%s: a scatter takes parameters and quantities, at least two",
                             record_read_path(script->ensemble->reader)));
    TRY_CLEAN(take_ok(script, &what, report));
    status = draw_scatter(script, &over, &what, report);
cleanup:
    for (size_t i = 0; i < SCATTER_MAX; i++) {
        free(over.values[i]);
        free(what.values[i]);
    }
    return status;
}
