// The figure of a comparison: of each quantity, differences from the first file over its values.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"

#define POINTS_MAX 1000u // of a file, spread over all scenes

typedef struct Range {
    double low, high;
} Range;

static void range_add(Range *range, double value) {
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

// Such an axis of points; their numbers alike: around it.
static void put_range(PlotScript *script, char axis, Range range) {
    if (!(range.low <= range.high)) range = (Range){-1, 1}; // no points
    const double size = fmax(fabs(range.low), fabs(range.high));
    const double spare = range.high - range.low > 1e-12 * size ? 0.05 * (range.high - range.low)
                         : size > 0                            ? 1e-3 * size
                                                               : 1;
    plot_axis(script, axis, range.low - spare, range.high + spare);
}

static void put_points(PlotScript *script, const double *ours, const double *theirs, Range *x, Range *y) {
    const uint64_t scenes = script->comparison->scene_count, stride = scenes > POINTS_MAX ? scenes / POINTS_MAX : 1;
    for (uint64_t i = 0; i < scenes; i += stride) {
        if (isnan(ours[i]) || isnan(theirs[i])) continue;
        fprintf(script->out, "%.17g %.17g\n", ours[i], theirs[i] - ours[i]);
        range_add(x, ours[i]);
        range_add(y, theirs[i] - ours[i]);
    }
}

static const char *short_name(const Comparison *comparison, size_t file) {
    const char *path = record_read_path(comparison->files[file].ensemble.reader), *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static ClackStatus draw_quantity(PlotScript *script, size_t quantity, ClackReport *report) {
    const Comparison *comparison = script->comparison;
    const EnsembleColumn *column = comparison->quantities[quantity];
    const uint32_t first = script->blocks;
    Range x = {INFINITY, -INFINITY}, y = x;
    double *ours = NULL, *theirs = NULL;
    char label[512];
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(comparison_values(comparison, quantity, 0, &ours, report));
    for (size_t file = 1; file < comparison->file_count; file++) {
        TRY_CLEAN(comparison_values(comparison, quantity, file, &theirs, report));
        plot_begin_block(script);
        put_points(script, ours, theirs, &x, &y);
        fputs("NaN NaN\n", script->out); // a block has to have a line
        plot_end_block(script);
        free(theirs);
        theirs = NULL;
    }
    snprintf(label, sizeof label, "%s in %s", column->name, short_name(comparison, 0));
    plot_label(script, PLOT_X_LABEL, label, column->unit);
    plot_label(script, PLOT_Y_LABEL, "difference", column->unit);
    put_range(script, 'x', x);
    put_range(script, 'y', y);
    plot_place(script);
    fputs("plot 0 dt solid lc rgb '#808080' notitle", script->out);
    for (size_t file = 1; file < comparison->file_count; file++) {
        fprintf(script->out, ", $d%u using 1:2 with points lt %zu ps 0.5", first + (uint32_t)file - 1, file);
        plot_entry(script, short_name(comparison, file));
    }
    fputc('\n', script->out);
cleanup:
    free(ours);
    free(theirs);
    return status;
}

ClackStatus plot_comparison(PlotScript *script, ClackReport *report) {
    const size_t all = script->comparison->quantity_count, shown = all < PLOT_PANELS_MAX ? all : PLOT_PANELS_MAX;
    const uint64_t scenes = script->comparison->scene_count;
    if (shown < all) plot_note(script, "The first %zu of %zu quantities.", shown, all);
    if (scenes > POINTS_MAX)
        plot_note(script, "Points: one in %llu scenes.", (unsigned long long)(scenes / POINTS_MAX));
    plot_begin(script, (uint32_t)shown, 0);
    for (size_t i = 0; i < shown; i++) TRY(draw_quantity(script, i, report));
    return CLACK_OK;
}
