// Indices of sensitivity as bars.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"

#define ROW_PIXELS 30.0  // of an input's two bars
#define AXIS_PIXELS 80.0 // of what is around them
#define LEAST_PIXELS 300.0

typedef struct Indices {             // of one kind, (quantity, input)
    const char *name, *label, *axis; // axis: what both are
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
    if (!script->options->is_inline) plot_label(script, PLOT_TITLE, quantity, "");
    script->next.has_no_ticks = 1;
    plot_place(script);
    fputs("unset tics\nset xrange [0:1]\nset yrange [0:1]\nset label 1 ", script->out);
    plot_quote(script, sentence);
    // Of an axis that has had no ticks those that are set anew are mirrored.
    fputs(" at 0.5,0.5 center\nplot NaN notitle\nunset label 1\nset tics nomirror out\nset xtics nomirror\n"
          "set ytics nomirror\n",
          script->out);
}

#define NAME_SHARE 0.4 // of the width, for names of inputs at their bars

// Bars lie, so that long names of inputs have room; the first input on top.
static void draw_bars(PlotScript *script, const char *quantity, const RecordTexts *inputs, size_t row,
                      const Indices *two) {
    const double em = NAME_SHARE * script->cell_width / script->font_px;
    uint32_t blocks[2];
    double least = 0, most = 0;
    for (int k = 0; k < 2; k++) {
        blocks[k] = plot_begin_block(script);
        for (size_t i = 0; i < inputs->count; i++) {
            const size_t at = row * inputs->count + i;
            const double value = two[k].values[at], y = (double)i + (k == 0 ? -0.2 : 0.2);
            const double low = two[k].lower != NULL ? two[k].lower[at] : value,
                         high = two[k].upper != NULL ? two[k].upper[at] : value;
            if (!isfinite(value)) continue;
            fprintf(script->out, "%.17g %g %g %.17g %.17g\n", value, y - 0.17, y + 0.17, low, high);
            least = fmin(least, fmin(value, low)); // of a NaN and a number the number
            most = fmax(most, fmax(value, high));
        }
        plot_end_block(script);
    }
    if (!script->options->is_inline) plot_label(script, PLOT_TITLE, quantity, "");
    plot_categories(script, 'y', (const char *const *)inputs->items, inputs->count, em);
    plot_label(script, PLOT_X_LABEL, two[0].axis, "");
    plot_axis(script, 'x', least < -0.02 * most ? 1.05 * least : 0, most > 0 ? 1.05 * most : 1);
    plot_place(script);
    fprintf(script->out, "set yrange [%g:-0.6]\nplot", (double)inputs->count - 0.4);
    for (int k = 0; k < 2; k++) {
        fprintf(script->out, " $d%u using (0.5*$1):(0.5*($2+$3)):(0):1:2:3 with boxxyerror lt %d dt solid fs solid %s",
                blocks[k], k + 1, k == 0 ? "0.9 noborder" : "0.25 border lc rgb '#e0822e'");
        plot_entry(script, two[k].label);
        fprintf(
            script->out,
            ", $d%u using 4:(0.5*($2+$3)):($5-$4):(0) with vectors nohead lw 1.5 dt solid lc rgb '#404040' notitle%s",
            blocks[k], k == 0 ? "," : "\n");
    }
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
    const double rows = (double)inputs->count * ROW_PIXELS + AXIS_PIXELS;
    script->panel_height = rows > LEAST_PIXELS ? rows : 0;
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
    Indices two[] = {{.name = is_morris ? "mu_star" : "first",
                      .label = is_morris ? "mean of |effects|" : "first order",
                      .axis = is_morris ? "elementary effects" : "Sobol' index"},
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
