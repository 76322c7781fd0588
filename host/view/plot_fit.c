// Figures of shares against measured ones: over their levels, on a logarithmic axis too, their differences, and
// chi-squared over the parameters that are searched over.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"

#define CURVES_MAX 5u // the best fit and its neighbours
#define LINES_MAX 8u  // of chi-squared
#define PANELS 4u
#define WIDE_RANGE 30 // beyond it an axis is logarithmic

// The group /fit of the file, of one quantity from `first` to before `end`.
typedef struct Fit {
    RecordTexts quantities, parameters, levels; // names: (fits), (parameters), (cells)
    size_t first, end, best, by_count;
    double *by;          // (fits, by_count)
    double *chi_squared; // (fits)
    double *is_best, *is_within;
    double *fit, *level, *share, *lower, *upper, *measured, *measured_lower, *measured_upper, *residual; // (cells)
    double confidence;
} Fit;

typedef struct Curve { // one combination
    size_t fit;
    char title[256];
} Curve;

// --- read -------------------------------------------------------------------------------------------------

static ClackStatus read_numbers(const RecordReader *reader, const char *name, uint64_t wanted, double **out_values,
                                ClackReport *report) {
    char path[64];
    RecordAxes axes;
    uint64_t count = 1;
    snprintf(path, sizeof path, "fit/%s", name);
    TRY(record_read_all(reader, path, &axes, out_values, report));
    for (uint32_t i = 0; i < axes.rank; i++) count *= axes.dims[i];
    if (count == wanted) return CLACK_OK;
    return report_add(report, CLACK_CORRUPT, "%s: %s has another length than its axes", record_read_path(reader), path);
}

static ClackStatus read_fit(const RecordReader *reader, Fit *fit, ClackReport *report) {
    double **const vectors[] = {&fit->chi_squared, &fit->is_best, &fit->is_within};
    static const char *const names[] = {"chi_squared", "is_best", "is_within"};
    double **const cells[] = {&fit->fit,      &fit->level,          &fit->share,          &fit->lower,   &fit->upper,
                              &fit->measured, &fit->measured_lower, &fit->measured_upper, &fit->residual};
    static const char *const cell_names[] = {"fit",         "level",    "share",          "share_lower",
                                             "share_upper", "measured", "measured_lower", "measured_upper",
                                             "residual"};
    TRY(record_read_texts(reader, "fit/quantity_name", &fit->quantities, report));
    TRY(record_read_texts(reader, "fit/level_name", &fit->levels, report));
    if (record_read_has(reader, "fit/by_name")) TRY(record_read_texts(reader, "fit/by_name", &fit->parameters, report));
    fit->by_count = fit->parameters.count;
    if (fit->by_count > 0)
        TRY(read_numbers(reader, "by_value", fit->quantities.count * fit->by_count, &fit->by, report));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TRY(read_numbers(reader, names[i], fit->quantities.count, vectors[i], report));
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        TRY(read_numbers(reader, cell_names[i], fit->levels.count, cells[i], report));
    if (!record_read_number(reader, "fit", "confidence", &fit->confidence)) fit->confidence = NAN;
    return CLACK_OK;
}

static void free_fit(Fit *fit) {
    record_texts_free(&fit->quantities);
    record_texts_free(&fit->parameters);
    record_texts_free(&fit->levels);
    double *const all[] = {fit->by,      fit->chi_squared, fit->is_best,        fit->is_within,
                           fit->fit,     fit->level,       fit->share,          fit->lower,
                           fit->upper,   fit->measured,    fit->measured_lower, fit->measured_upper,
                           fit->residual};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

// The combinations of the quantity that is named, or of the first one.
static ClackStatus choose_quantity(const PlotScript *script, Fit *fit, ClackReport *report) {
    const char *name = script->options->name_count > 0 ? script->options->names[0] : fit->quantities.items[0];
    const EnsembleColumn *column = NULL;
    TRY(ensemble_find(script->ensemble, name, ENSEMBLE_QUANTITY, &column, report));
    while (fit->first < fit->quantities.count && strcmp(fit->quantities.items[fit->first], name) != 0) fit->first++;
    for (fit->end = fit->first; fit->end < fit->quantities.count && strcmp(fit->quantities.items[fit->end], name) == 0;)
        fit->end++;
    fit->best = fit->end;
    for (size_t i = fit->first; i < fit->end; i++)
        if (fit->is_best[i] != 0) fit->best = i;
    if (fit->best < fit->end) return CLACK_OK;
    return report_add(report, CLACK_USAGE, "%s: %s is not compared with measured shares",
                      record_read_path(script->ensemble->reader), name);
}

// --- which combinations -------------------------------------------------------------------------------------

// The parameter in which alone two combinations differ; by_count where there is none.
static size_t differing(const Fit *fit, size_t a, size_t b) {
    size_t found = fit->by_count, count = 0;
    for (size_t k = 0; k < fit->by_count; k++) {
        const double x = fit->by[a * fit->by_count + k], y = fit->by[b * fit->by_count + k];
        if (x == y || (isnan(x) && isnan(y))) continue;
        found = k;
        count++;
    }
    return count == 1 ? found : fit->by_count;
}

// Nothing lies between the two along the parameter in which they differ.
static int is_next(const Fit *fit, size_t a, size_t b, size_t parameter) {
    const double low = fmin(fit->by[a * fit->by_count + parameter], fit->by[b * fit->by_count + parameter]);
    const double high = fmax(fit->by[a * fit->by_count + parameter], fit->by[b * fit->by_count + parameter]);
    for (size_t i = fit->first; i < fit->end; i++) {
        const double value = fit->by[i * fit->by_count + parameter];
        if (differing(fit, a, i) == parameter && value > low && value < high) return 0;
    }
    return 1;
}

static void name_curve(const Fit *fit, Curve *curve) {
    char *title = curve->title;
    const size_t room = sizeof curve->title;
    title[0] = '\0';
    for (size_t k = 0; k < fit->by_count; k++) {
        const double value = fit->by[curve->fit * fit->by_count + k];
        const size_t used = strlen(title);
        if (!isnan(value)) snprintf(title + used, room - used, "%.60s %.6g, ", fit->parameters.items[k], value);
    }
    const size_t used = strlen(title);
    snprintf(title + used, room - used, "%sχ² %.4g", used == 0 ? "simulated, " : "", fit->chi_squared[curve->fit]);
}

// The best fit and those that differ from it by one level of one parameter.
static size_t choose_curves(const Fit *fit, Curve curves[CURVES_MAX]) {
    size_t count = 0;
    curves[count++].fit = fit->best;
    for (size_t i = fit->first; i < fit->end && count < CURVES_MAX; i++) {
        const size_t parameter = differing(fit, fit->best, i);
        if (parameter < fit->by_count && is_next(fit, fit->best, i, parameter)) curves[count++].fit = i;
    }
    for (size_t i = 0; i < count; i++) name_curve(fit, &curves[i]);
    return count;
}

// --- shares ---------------------------------------------------------------------------------------------------

// Level, share and its interval of one combination, or of what was measured, whatever combination is asked for.
static uint32_t put_shares(PlotScript *script, const Fit *fit, size_t which, int is_measured) {
    const uint32_t block = plot_begin_block(script);
    for (size_t i = 0; i < fit->levels.count; i++) {
        if (fit->fit[i] != (double)which) continue;
        const double share = is_measured ? fit->measured[i] : fit->share[i];
        if (isnan(share)) continue;
        fprintf(script->out, "%.17g %.17g %.17g %.17g %.17g\n", fit->level[i], share,
                is_measured ? fit->measured_lower[i] : fit->lower[i],
                is_measured ? fit->measured_upper[i] : fit->upper[i], isnan(fit->residual[i]) ? 0 : fit->residual[i]);
    }
    plot_end_block(script);
    return block;
}

static void put_level_axis(PlotScript *script, const Fit *fit) {
    double low = INFINITY, high = -INFINITY;
    const char *name = "";
    for (size_t i = 0; i < fit->levels.count; i++) {
        if (fit->fit[i] != (double)fit->best) continue;
        low = fmin(low, fit->level[i]);
        high = fmax(high, fit->level[i]);
        name = fit->levels.items[i];
    }
    const double spare = high > low ? 0.04 * (high - low) : fmax(fabs(low), 1) * 1e-3;
    plot_label(script, PLOT_X_LABEL, name, "");
    plot_axis(script, 'x', low - spare, high + spare);
}

// The power of ten below the shares of the best fit and the measured ones; a share of 0 has no place on that axis.
static double lowest_share(const Fit *fit) {
    double least = 0.1;
    for (size_t i = 0; i < fit->levels.count; i++) {
        if (fit->fit[i] != (double)fit->best) continue;
        if (fit->share[i] > 0) least = fmin(least, fit->share[i]);
        if (fit->measured[i] > 0) least = fmin(least, fit->measured[i]);
    }
    return pow(10, floor(log10(least)));
}

static void draw_shares(PlotScript *script, const Fit *fit, const Curve *curves, const uint32_t *blocks, size_t count,
                        uint32_t measured, int is_logarithmic) {
    FILE *out = script->out;
    const int is_narrow = script->options->is_inline != 0; // no room for a legend of neighbours, which the page lists
    put_level_axis(script, fit);
    plot_label(script, PLOT_Y_LABEL, is_logarithmic ? "share, logarithmic" : "share", "");
    if (is_logarithmic)
        plot_log_axis(script, 'y', lowest_share(fit), 1);
    else
        plot_axis(script, 'y', 0, 1);
    plot_place(script);
    if (is_logarithmic)
        fputs("unset key\n", out);
    else
        fputs("set key invert\n", out);
    fputs("plot", out);
    for (size_t k = count; k-- > 0;) { // the best on top
        fprintf(out, " $d%u using 1:2 with lines lt %zu lw %s", blocks[k], k + 1, k == 0 ? "2.4" : "1.2");
        if ((is_narrow && k > 0) || is_logarithmic)
            fputs(" notitle", out);
        else
            plot_entry(script, curves[k].title);
        fputs(",", out);
    }
    fprintf(out, " $d%u using 1:3:(0):($4-$3) with vectors nohead lt 1 lw 1.5 notitle,", blocks[0]);
    fprintf(out, " $d%u using 1:2:3:4 with yerrorbars dt solid lc rgb '#202020' pt 7 ps 0.55 lw 1.2", measured);
    if (is_logarithmic)
        fputs(" notitle", out);
    else
        plot_entry(script, "measured");
    fputc('\n', out);
}

// All of them, and at least four standard deviations: what is within two is no wonder.
static void draw_residuals(PlotScript *script, const Fit *fit, uint32_t block) {
    double most = 4;
    for (size_t i = 0; i < fit->levels.count; i++)
        if (fit->fit[i] == (double)fit->best && isfinite(fit->residual[i]))
            most = fmax(most, ceil(fabs(fit->residual[i])));
    put_level_axis(script, fit);
    plot_label(script, PLOT_Y_LABEL, "difference / standard deviation", "");
    plot_axis(script, 'y', -most, most);
    plot_place(script);
    fprintf(script->out,
            "unset key\n"
            "plot 2 dt solid lc rgb '#d0d0d0', -2 dt solid lc rgb '#d0d0d0', 0 dt solid lc rgb '#808080',"
            " $d%u using 1:5 with impulses lt 1 lw 3, $d%u using 1:5 with points lt 1 ps 0.5\n",
            block, block);
}

// --- chi-squared ------------------------------------------------------------------------------------------------

// Over the last parameter that varies, a line for each combination of the others.
// What all points of a line have in common: the parameters before the last.
static void name_line(const Fit *fit, Curve *line) {
    for (size_t k = 0; k + 1 < fit->by_count; k++) {
        const size_t used = strlen(line->title);
        const double value = fit->by[line->fit * fit->by_count + k];
        if (isnan(value)) continue;
        snprintf(line->title + used, sizeof line->title - used, "%s%.60s %.6g", used > 0 ? ", " : "",
                 fit->parameters.items[k], value);
    }
}

static void draw_chi_squared(PlotScript *script, const Fit *fit) {
    FILE *out = script->out;
    const size_t by = fit->by_count, x = by - 1;
    Curve lines[LINES_MAX];
    uint32_t blocks[LINES_MAX];
    size_t count = 0;
    double low = INFINITY, high = -INFINITY, most = 0, least = INFINITY;
    for (size_t i = fit->first; i < fit->end; i++) {
        int is_known = 0; // its line
        for (size_t j = fit->first; j < i; j++) is_known |= differing(fit, i, j) == x;
        low = fmin(low, fit->by[i * by + x]);
        high = fmax(high, fit->by[i * by + x]);
        most = fmax(most, fit->chi_squared[i]);
        least = fmin(least, fit->chi_squared[i]);
        if (is_known || count == LINES_MAX) continue;
        lines[count] = (Curve){.fit = i};
        name_line(fit, &lines[count]);
        blocks[count++] = plot_begin_block(script);
        for (size_t j = i; j < fit->end; j++)
            if (j == i || differing(fit, i, j) == x)
                fprintf(out, "%.17g %.17g\n", fit->by[j * by + x], fit->chi_squared[j]);
        plot_end_block(script);
    }
    const double spare = high > low ? 0.04 * (high - low) : fmax(fabs(low), 1) * 1e-3;
    plot_label(script, PLOT_X_LABEL, fit->parameters.items[x], "");
    plot_label(script, PLOT_Y_LABEL, "χ²", "");
    plot_axis(script, 'x', low - spare, high + spare);
    if (most > WIDE_RANGE * least)
        plot_log_axis(script, 'y', 0.7 * least, 2 * most);
    else
        plot_axis(script, 'y', 0, 1.3 * fmax(most, 1e-3));
    plot_place(script);
    fputs("set key noinvert\nplot", out);
    for (size_t k = 0; k < count; k++) {
        fprintf(out, "%s $d%u using 1:2 with linespoints lt %zu", k > 0 ? "," : "", blocks[k], k + 1);
        plot_entry(script, lines[k].title);
    }
    fputc('\n', out);
}

// --- all ----------------------------------------------------------------------------------------------------------

static ClackStatus draw_fit(PlotScript *script, Fit *fit, ClackReport *report) {
    Curve curves[CURVES_MAX];
    uint32_t blocks[CURVES_MAX] = {0};
    TRY(choose_quantity(script, fit, report));
    const size_t count = choose_curves(fit, curves);
    const int is_searched = fit->end - fit->first > 1 && fit->by_count > 0;
    plot_begin(script, is_searched ? PANELS : PANELS - 1, script->options->is_inline ? 1 : is_searched ? 2 : 3);
    for (size_t k = 0; k < count; k++) blocks[k] = put_shares(script, fit, curves[k].fit, 0);
    const uint32_t measured = put_shares(script, fit, fit->best, 1);
    draw_shares(script, fit, curves, blocks, count, measured, 0);
    draw_shares(script, fit, curves, blocks, count, measured, 1);
    draw_residuals(script, fit, blocks[0]);
    if (is_searched) draw_chi_squared(script, fit);
    return CLACK_OK;
}

ClackStatus plot_fit(PlotScript *script, ClackReport *report) {
    Fit fit = {0};
    if (!record_read_has(script->ensemble->reader, "fit/quantity_name"))
        return report_add(report, CLACK_USAGE,
                          "%s: has no shares that are compared with measured ones (references with \"over\")",
                          record_read_path(script->ensemble->reader));
    ClackStatus status = read_fit(script->ensemble->reader, &fit, report);
    if (status == CLACK_OK) status = draw_fit(script, &fit, report);
    free_fit(&fit);
    return status;
}
