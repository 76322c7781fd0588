// Figures of all scenes: histograms, distribution functions, scatter, sensitivity.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"

#define BINS_MAX 60u
#define STEPS_MAX 500u   // of a distribution function
#define POINTS_MAX 1000u // of a scatter, spread over all scenes
#define SCATTER_MAX 6u   // parameters, and quantities

// --- histograms -----------------------------------------------------------------------------------

typedef struct Bins {
    double first, width; // left edge of the first
    uint32_t count;
} Bins;

// Whole numbers have a bin each; else as wide as Freedman and Diaconis say: 2 IQR / n^(1/3).
static Bins choose_bins(const double *sorted, size_t count) {
    const double low = sorted[0], high = sorted[count - 1], range = high - low;
    int is_whole = range < BINS_MAX;
    for (size_t i = 0; i < count && is_whole; i++) is_whole = sorted[i] == floor(sorted[i]);
    if (is_whole) return (Bins){low - 0.5, 1, (uint32_t)range + 1};
    if (!(range > 0)) return (Bins){low - 0.5 * fmax(fabs(low), 1) * 1e-3, fmax(fabs(low), 1) * 1e-3, 1};
    const double spread = sorted[(3 * count) / 4] - sorted[count / 4];
    const double wanted = spread > 0 ? range * cbrt((double)count) / (2 * spread) : 10;
    const uint32_t bins = (uint32_t)fmin(fmax(ceil(wanted), 5), BINS_MAX);
    return (Bins){low, range / bins, bins};
}

static void draw_histogram(PlotScript *script, const EnsembleColumn *column, const double *sorted, size_t count) {
    const Bins bins = choose_bins(sorted, count);
    uint32_t block = plot_begin_block(script);
    size_t next = 0;
    for (uint32_t bin = 0; bin < bins.count; bin++) {
        const double right = bins.first + (bin + 1) * bins.width;
        const size_t before = next;
        while (next < count && (sorted[next] < right || bin + 1 == bins.count)) next++;
        fprintf(script->out, "%.17g %zu %.17g\n", right - 0.5 * bins.width, next - before, bins.width);
    }
    plot_end_block(script);
    plot_label(script, "xlabel", column->name, column->unit);
    plot_axis(script, 'x', bins.first - 0.5 * bins.width, bins.first + (bins.count + 0.5) * bins.width);
    fprintf(script->out, "set ylabel 'scenes'\nset yrange [0:*]\nunset key\nplot $d%u using 1:2:3 with boxes lt 1\n",
            block);
}

static void draw_ecdf(PlotScript *script, const EnsembleColumn *column, const double *sorted, size_t count) {
    const size_t stride = count > STEPS_MAX ? count / STEPS_MAX : 1;
    const uint32_t block = plot_begin_block(script);
    fprintf(script->out, "%.17g 0\n", sorted[0]);
    for (size_t i = stride - 1; i < count; i += stride)
        fprintf(script->out, "%.17g %.17g\n", sorted[i], (double)(i + 1) / (double)count);
    fprintf(script->out, "%.17g 1\n", sorted[count - 1]);
    plot_end_block(script);
    plot_label(script, "xlabel", column->name, column->unit);
    const double low = sorted[0], high = sorted[count - 1],
                 spare = high > low ? 0.02 * (high - low) : fmax(fabs(low), 1) * 1e-3;
    plot_axis(script, 'x', low - spare, high + spare);
    fprintf(script->out,
            "set ylabel 'share of scenes'\nset yrange [0:1.02]\nunset key\nplot $d%u using 1:2 with steps lt 1\n",
            block);
}

typedef void (*DrawColumn)(PlotScript *script, const EnsembleColumn *column, const double *sorted, size_t count);

// A panel for each column; one without a number says so.
static ClackStatus draw_columns(PlotScript *script, DrawColumn draw, ClackReport *report) {
    const EnsembleColumn *columns[PLOT_PANELS_MAX];
    size_t panels = 0;
    TRY(plot_columns(script, ENSEMBLE_QUANTITY, columns, &panels, report));
    plot_begin(script, (uint32_t)panels, 0);
    for (size_t i = 0; i < panels; i++) {
        double *sorted = NULL;
        size_t count = 0;
        TRY(plot_sorted(script->ensemble, columns[i], &sorted, &count, report));
        if (count > 0) {
            draw(script, columns[i], sorted, count);
        } else {
            plot_label(script, "xlabel", columns[i]->name, "does not exist in any scene");
            fputs("set xrange [0:1]\nset yrange [0:1]\nunset key\nplot NaN\n", script->out);
        }
        free(sorted);
    }
    return CLACK_OK;
}

ClackStatus plot_histogram(PlotScript *script, ClackReport *report) {
    return draw_columns(script, draw_histogram, report);
}
ClackStatus plot_ecdf(PlotScript *script, ClackReport *report) { return draw_columns(script, draw_ecdf, report); }

// --- scatter --------------------------------------------------------------------------------------

typedef struct Side { // of the matrix
    const EnsembleColumn *columns[SCATTER_MAX];
    double *values[SCATTER_MAX];
    size_t count, all;
} Side;

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
        const size_t used = strlen(script->title);
        snprintf(script->title + used, sizeof script->title - used, " (the first %zu of %zu %s; names choose)",
                 side->count, side->all, role == ENSEMBLE_PARAMETER ? "parameters" : "quantities");
    }
    return CLACK_OK;
}

static void draw_scatter(PlotScript *script, const Side *over, const Side *what) {
    const uint64_t scenes = script->ensemble->scene_count, stride = scenes > POINTS_MAX ? scenes / POINTS_MAX : 1;
    if (stride > 1) {
        const size_t used = strlen(script->title);
        snprintf(script->title + used, sizeof script->title - used, ", every %lluth scene", (unsigned long long)stride);
    }
    plot_begin(script, (uint32_t)(over->count * what->count), (uint32_t)over->count);
    for (size_t row = 0; row < what->count; row++) {
        for (size_t column = 0; column < over->count; column++) {
            const uint32_t block = plot_begin_block(script);
            const int is_itself = over->columns[column] == what->columns[row];
            size_t points = 0;
            double low = INFINITY, high = -INFINITY;
            for (uint64_t i = 0; i < scenes && !is_itself; i += stride) {
                const double x = over->values[column][i], y = what->values[row][i];
                if (!isfinite(x) || !isfinite(y)) continue;
                fprintf(script->out, "%.17g %.17g\n", x, y);
                points++;
                low = fmin(low, x);
                high = fmax(high, x);
            }
            plot_end_block(script);
            plot_label(script, "xlabel", over->columns[column]->name, over->columns[column]->unit);
            plot_label(script, "ylabel", what->columns[row]->name, what->columns[row]->unit);
            const double spare = high > low ? 0.02 * (high - low) : fmax(fabs(low), 1) * 1e-3;
            if (points > 0) plot_axis(script, 'x', low - spare, high + spare);
            fprintf(script->out, "unset key\nset yrange [%s]\n", points > 0 ? "*:*" : "0:1");
            if (points > 0)
                fprintf(script->out, "plot $d%u using 1:2 with points lt 1 pt 7 ps 0.35\n", block);
            else
                fputs("set xrange [0:1]\nplot NaN\n", script->out);
        }
    }
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
    draw_scatter(script, &over, &what);
cleanup:
    for (size_t i = 0; i < SCATTER_MAX; i++) {
        free(over.values[i]);
        free(what.values[i]);
    }
    return status;
}

// --- sensitivity ----------------------------------------------------------------------------------

typedef struct Indices { // of one kind, (quantity, input)
    const char *name, *label;
    double *values, *lower, *upper;
} Indices;

static ClackStatus read_indices(const PlotScript *script, Indices *indices, uint64_t count, ClackReport *report) {
    static const char *const endings[] = {"", "_lower", "_upper"};
    double **const places[] = {&indices->values, &indices->lower, &indices->upper};
    for (int i = 0; i < 3; i++) {
        char path[64];
        RecordAxes axes;
        snprintf(path, sizeof path, "sensitivity/%s%s", indices->name, endings[i]);
        if (i > 0 && !record_read_has(script->ensemble->reader, path)) continue;
        TRY(record_read_all(script->ensemble->reader, path, &axes, places[i], report));
        if (axes.rank != 2 || axes.dims[0] * axes.dims[1] != count)
            return report_add(report, CLACK_CORRUPT, "%s: %s: expected an index for each quantity and input",
                              record_read_path(script->ensemble->reader), path);
    }
    return CLACK_OK;
}

// A number of each quantity, as whether it varies; NULL in files that lack it. Errors: CLACK_CORRUPT.
static ClackStatus read_numbers(const PlotScript *script, const char *path, size_t quantities, double **out_numbers,
                                ClackReport *report) {
    const RecordReader *reader = script->ensemble->reader;
    RecordAxes axes;
    if (!record_read_has(reader, path)) return CLACK_OK;
    TRY(record_read_all(reader, path, &axes, out_numbers, report));
    if (axes.rank == 1 && axes.dims[0] == quantities) return CLACK_OK;
    return report_add(report, CLACK_CORRUPT, "%s: %s: expected a number for each quantity", record_read_path(reader),
                      path);
}

static int has_index(const Indices *indices, size_t row, size_t inputs) {
    for (size_t i = 0; i < inputs; i++)
        if (isfinite(indices->values[row * inputs + i])) return 1;
    return 0;
}

// A panel in which a sentence stands in place of bars.
static void draw_sentence(PlotScript *script, const char *quantity, const char *sentence) {
    if (!script->options->is_inline) plot_label(script, "title", quantity, "");
    fputs("unset xlabel\nunset ylabel\nunset tics\nset xrange [0:1]\nset yrange [0:1]\nset label 1 ", script->out);
    plot_quote(script, sentence);
    fputs(" at 0.5,0.5 center\nplot NaN notitle\nunset label 1\nset tics nomirror out\n", script->out);
}

static void draw_bars(PlotScript *script, const char *quantity, const RecordTexts *inputs, size_t row,
                      const Indices *two) {
    uint32_t blocks[2];
    double least = 0, most = 0;
    for (int k = 0; k < 2; k++) {
        blocks[k] = plot_begin_block(script);
        for (size_t i = 0; i < inputs->count; i++) {
            const size_t at = row * inputs->count + i;
            const double value = two[k].values[at], x = (double)i + (k == 0 ? -0.2 : 0.2);
            const double low = two[k].lower != NULL ? two[k].lower[at] : value,
                         high = two[k].upper != NULL ? two[k].upper[at] : value;
            if (!isfinite(value)) continue;
            fprintf(script->out, "%g %.17g %.17g %.17g\n", x, value, low, high);
            least = fmin(least, fmin(value, low)); // of a NaN and a number the number
            most = fmax(most, fmax(value, high));
        }
        plot_end_block(script);
    }
    if (!script->options->is_inline) plot_label(script, "title", quantity, "");
    fputs("unset xlabel\nunset ylabel\nset xtics rotate by -25 (", script->out);
    for (size_t i = 0; i < inputs->count; i++) {
        if (i > 0) fputs(", ", script->out);
        plot_quote(script, inputs->items[i]);
        fprintf(script->out, " %zu", i);
    }
    fprintf(script->out, ")\nset xrange [-0.6:%g]\nset boxwidth 0.36\n", (double)inputs->count - 0.4);
    plot_axis(script, 'y', least < -0.02 * most ? 1.05 * least : 0, most > 0 ? 1.05 * most : 1);
    fputs("plot", script->out);
    for (int k = 0; k < 2; k++) {
        fprintf(script->out, " $d%u using 1:2 with boxes lt %d title ", blocks[k], k + 1);
        plot_quote(script, two[k].label);
        fprintf(script->out, ", $d%u using 1:3:(0):($4-$3) with vectors nohead lw 1.5 lc rgb '#808080' notitle%s",
                blocks[k], k == 0 ? "," : "\n");
    }
    fputs("set xtics norotate autofreq\n", script->out);
}

static int is_asked_for(const PlotOptions *options, const char *name) {
    int is_named = options->name_count == 0;
    for (size_t i = 0; i < options->name_count; i++) is_named |= strcmp(options->names[i], name) == 0;
    return is_named;
}

static ClackStatus draw_sensitivity(PlotScript *script, const RecordTexts *inputs, const RecordTexts *quantities,
                                    const Indices *two, const double *varies, const double *values,
                                    ClackReport *report) {
    uint32_t panels = 0;
    const EnsembleColumn *column = NULL;
    for (size_t i = 0; i < script->options->name_count; i++)
        TRY(ensemble_find(script->ensemble, script->options->names[i], ENSEMBLE_QUANTITY, &column, report));
    for (size_t q = 0; q < quantities->count; q++)
        panels += is_asked_for(script->options, quantities->items[q]) ? 1 : 0;
    if (panels == 0 || inputs->count == 0)
        return report_add(report, CLACK_USAGE, "%s: has no indices of sensitivity of these quantities",
                          record_read_path(script->ensemble->reader));
    plot_begin(script, panels, 0);
    for (size_t q = 0; q < quantities->count; q++) {
        const char *name = quantities->items[q];
        if (!is_asked_for(script->options, name)) continue;
        if (values != NULL && values[q] == 0)
            draw_sentence(script, name, "no value");
        else if (varies != NULL && varies[q] == 0)
            draw_sentence(script, name, "does not vary");
        else if (!has_index(&two[0], q, inputs->count))
            draw_sentence(script, name, "no index");
        else
            draw_bars(script, name, inputs, q, two);
    }
    return CLACK_OK;
}

ClackStatus plot_sensitivity(PlotScript *script, ClackReport *report) {
    const RecordReader *reader = script->ensemble->reader;
    RecordTexts inputs = {0}, quantities = {0};
    double *varies = NULL, *values = NULL;
    ClackStatus status = CLACK_OK;
    if (!record_read_has(reader, "sensitivity/input_name"))
        return report_add(report, CLACK_USAGE, "%s: has no sensitivity, which designs saltelli and morris give",
                          record_read_path(reader));
    const int is_morris = record_read_has(reader, "sensitivity/mu_star");
    Indices two[] = {
        {.name = is_morris ? "mu_star" : "first", .label = is_morris ? "mean of |effects|" : "first order"},
        {.name = is_morris ? "sigma" : "total", .label = is_morris ? "their deviation" : "total"}};
    TRY_CLEAN(record_read_texts(reader, "sensitivity/input_name", &inputs, report));
    TRY_CLEAN(record_read_texts(reader, "sensitivity/quantity_name", &quantities, report));
    for (int k = 0; k < 2; k++) TRY_CLEAN(read_indices(script, &two[k], inputs.count * quantities.count, report));
    TRY_CLEAN(read_numbers(script, "sensitivity/varies", quantities.count, &varies, report));
    TRY_CLEAN(read_numbers(script, "sensitivity/count", quantities.count, &values, report));
    status = draw_sensitivity(script, &inputs, &quantities, two, varies, values, report);
cleanup:
    free(varies);
    free(values);
    for (int k = 0; k < 2; k++) {
        free(two[k].values);
        free(two[k].lower);
        free(two[k].upper);
    }
    record_texts_free(&inputs);
    record_texts_free(&quantities);
    return status;
}
