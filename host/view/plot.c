// A figure: its kind, its script, its image.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "plot_internal.h"
#include "record.h"
#include "text.h"
#include "word.h"

#define PIXELS_PER_INCH 96.0
#define POINTS_PER_PIXEL 0.75
#define DOTS_PER_INCH 300.0 // of PNG, as papers want it
#define PNG_MOST 32000.0    // dots along a side that cairo draws
#define PAPER_LINE 1.5      // gnuplot's lines are thinner on paper than on screens
#define PAPER_FONT 0.75     // its fonts on paper have so many pixels (96 in an inch) as points are asked for

// --- pieces of a script -----------------------------------------------------------------------------

static const char *const endings[PLOT_FORMATS] = {".svg", ".png", ".pdf", ".eps"};

int plot_format_of(const char *path, PlotFormat *out_format) {
    const size_t bytes = strlen(path);
    for (size_t i = 0; i < PLOT_FORMATS; i++) {
        *out_format = (PlotFormat)i;
        if (bytes > 4 && strcmp(path + bytes - 4, endings[i]) == 0) return 1;
    }
    return 0;
}

static double dots_per_inch(const PlotOptions *options) {
    return options->dots_per_inch > 0 ? options->dots_per_inch
           : options->is_in_pixels    ? PIXELS_PER_INCH
                                      : DOTS_PER_INCH;
}

double plot_font_scale(const PlotScript *script) { return script->options->format == PLOT_SVG ? 1 : POINTS_PER_PIXEL; }

// Pixels are those of CSS, 96 in an inch; gnuplot wants inches and points for paper.
static void put_terminal(PlotScript *script) {
    const PlotOptions *options = script->options;
    const double width = script->width, height = script->height, font = script->font_px * plot_font_scale(script);
    const double scale = dots_per_inch(options) / PIXELS_PER_INCH;
    switch (options->format) {
    case PLOT_PNG:
        fprintf(script->out,
                "set terminal pngcairo noenhanced size %.0f,%.0f font 'sans,%g' fontscale %g linewidth %g pointscale "
                "%g\n",
                width * scale, height * scale, font, scale, scale, scale);
        break;
    case PLOT_PDF:
    case PLOT_EPS:
        fprintf(script->out,
                "set terminal %s noenhanced color size %.4fin,%.4fin font 'sans,%g' fontscale %g linewidth %g\n",
                options->format == PLOT_PDF ? "pdfcairo" : "epscairo", width / PIXELS_PER_INCH,
                height / PIXELS_PER_INCH, font, PAPER_FONT, PAPER_LINE);
        break;
    default:
        fprintf(script->out, "set terminal svg noenhanced size %.0f,%.0f dynamic font 'sans-serif,%g'%s\n", width,
                height, font, options->is_inline ? "" : " background 'white'");
    }
}

static ClackStatus check_dots(const PlotOptions *options, ClackReport *report) {
    const double most = fmax(options->width_px, options->height_px) * dots_per_inch(options) / PIXELS_PER_INCH;
    if (options->format != PLOT_PNG || most <= PNG_MOST) return CLACK_OK;
    return report_add(report, CLACK_USAGE,
                      "a PNG has at most %.0f dots along a side, found %.0f: a smaller --size or fewer --dpi", PNG_MOST,
                      most);
}

// Lines that print in grey: each darker or lighter than the one before, with dashes and points of its own.
static const char line_types[] = "set linetype 1 lc rgb '#1f5fa8' lw 1.6 pt 7 dt solid\n"
                                 "set linetype 2 lc rgb '#e0822e' lw 1.6 pt 9 dt (10,4)\n"
                                 "set linetype 3 lc rgb '#1d6b41' lw 1.6 pt 5 dt (2,3)\n"
                                 "set linetype 4 lc rgb '#a37fc9' lw 1.6 pt 11 dt (10,3,2,3)\n";

void plot_begin(PlotScript *script, uint32_t panels, uint32_t columns) {
    plot_size(script, panels, columns);
    put_terminal(script);
    // Numbers stand close to their marks: in SVG these are longer, and gnuplot leaves more room.
    fprintf(script->out,
            "set encoding utf8\nset minussign\nset border 3\nset tics nomirror out scale %g\n"
            "set key vertical center bottom reverse Left samplen 2.5\nset style fill solid 0.6 noborder\n"
            "set xtics autofreq offset 0,%g\nset ytics autofreq\n",
            PLOT_TICS, script->options->format == PLOT_SVG ? 0.48 : 0.19);
    fputs(line_types, script->out);
    fputs("set multiplot\n", script->out);
}

void plot_note(PlotScript *script, const char *format, ...) {
    size_t used = strlen(script->note);
    va_list list;
    if (used > 0 && used + 1 < sizeof script->note) script->note[used++] = ' ';
    va_start(list, format);
    vsnprintf(script->note + used, sizeof script->note - used, format, list);
    va_end(list);
}

uint32_t plot_begin_block(PlotScript *script) {
    fprintf(script->out, "$d%u << END_OF_DATA\n", script->blocks);
    return script->blocks++;
}

void plot_end_block(PlotScript *script) { fputs("END_OF_DATA\n", script->out); }

// --- columns --------------------------------------------------------------------------------------

ClackStatus plot_columns(PlotScript *script, EnsembleRole role, const EnsembleColumn **out_columns, size_t *out_count,
                         ClackReport *report) {
    static const char *const roles[] = {"field", "parameter", "quantity"};
    const Ensemble *ensemble = script->ensemble;
    size_t all = 0;
    *out_count = 0;
    for (size_t i = 0; i < script->options->name_count; i++) {
        const EnsembleColumn *column = NULL;
        TRY(ensemble_find(ensemble, script->options->names[i], -1, &column, report));
        if (all++ < PLOT_PANELS_MAX) out_columns[(*out_count)++] = column;
    }
    for (size_t i = 0; i < ensemble->column_count && script->options->name_count == 0; i++) {
        if (ensemble->columns[i].role != role) continue;
        if (all++ < PLOT_PANELS_MAX) out_columns[(*out_count)++] = &ensemble->columns[i];
    }
    if (all == 0)
        return report_add(report, CLACK_USAGE, "%s: has no %s to draw", record_read_path(ensemble->reader),
                          roles[role]);
    if (all > PLOT_PANELS_MAX) plot_note(script, "The first %u of %zu; names choose.", PLOT_PANELS_MAX, all);
    return CLACK_OK;
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

ClackStatus plot_sorted(const Ensemble *ensemble, const EnsembleColumn *column, double **out_values, size_t *out_count,
                        ClackReport *report) {
    double *values = NULL;
    size_t count = 0;
    TRY(ensemble_values(ensemble, column, &values, report));
    for (uint64_t i = 0; i < ensemble->scene_count; i++)
        if (isfinite(values[i])) values[count++] = values[i];
    qsort(values, count, sizeof *values, compare_numbers);
    *out_values = values;
    *out_count = count;
    return CLACK_OK;
}

// --- the figure -----------------------------------------------------------------------------------

typedef ClackStatus (*DrawKind)(PlotScript *script, ClackReport *report);

static ClackStatus find_kind(const char *kind, DrawKind *out_draw, ClackReport *report) {
#define PLOT_NAME(name, names, sentence) #name,
#define PLOT_FUNCTION(name, names, sentence) plot_##name,
    static const char *const names[] = {PLOT_KIND_LIST(PLOT_NAME) NULL};
    static const DrawKind functions[] = {PLOT_KIND_LIST(PLOT_FUNCTION)};
    for (size_t i = 0; names[i] != NULL; i++) {
        *out_draw = functions[i];
        if (strcmp(names[i], kind) == 0) return CLACK_OK;
    }
    const char *nearest = word_nearest(kind, names);
    return report_add(report, CLACK_USAGE, "no such figure: \"%s\"%s%s%s", kind,
                      nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                      nearest != NULL ? "\"?" : "");
}

// The script whose reader, kind and options are known.
static ClackStatus draw_script(PlotScript *script, const RecordReader *reader, DrawKind draw, char **out_image,
                               size_t *out_bytes, ClackReport *report) {
    char *text = NULL, *all = NULL, *title = record_read_attribute(reader, "", "title");
    size_t bytes = 0, all_bytes = 0;
    *out_image = NULL;
    if (check_dots(script->options, report) != CLACK_OK) {
        free(title);
        return CLACK_USAGE;
    }
    script->report = report;
    script->labels = PLOT_LABELS;
    snprintf(script->title, sizeof script->title, "%.*s", title != NULL ? text_whole(title, 300) : 0,
             title != NULL ? title : "");
    free(title);
    script->out = open_memstream(&text, &bytes);
    if (script->out == NULL) return report_add(report, CLACK_MEMORY, "no memory for a figure");
    ClackStatus status = draw(script, report);
    fputs("unset multiplot\n", script->out);
    int is_whole = fclose(script->out) == 0;
    FILE *out = status == CLACK_OK && is_whole ? open_memstream(&all, &all_bytes) : NULL;
    if (out != NULL) {
        plot_finish(script, out);
        fwrite(text, 1, bytes, out);
    }
    is_whole = out != NULL && fclose(out) == 0;
    if (status == CLACK_OK && !is_whole) status = report_add(report, CLACK_MEMORY, "no memory for a figure");
    if (status == CLACK_OK) status = gnuplot_run(all, all_bytes, out_image, out_bytes, report);
    if (status == CLACK_OK && script->options->format == PLOT_PNG)
        status = plot_put_density(out_image, out_bytes, dots_per_inch(script->options), report);
    free(all);
    free(text);
    return status;
}

ClackStatus plot_make(const Ensemble *ensemble, const PlotOptions *options, char **out_image, size_t *out_bytes,
                      ClackReport *report) {
    PlotScript script = {.ensemble = ensemble, .options = options};
    DrawKind draw = NULL;
    *out_image = NULL;
    TRY(find_kind(options->kind, &draw, report));
    TRY(plot_check_options(&script, report));
    return draw_script(&script, ensemble->reader, draw, out_image, out_bytes, report);
}

ClackStatus plot_make_evaluation(const Evaluation *evaluation, const PlotOptions *options, char **out_image,
                                 size_t *out_bytes, ClackReport *report) {
    PlotScript script = {.evaluation = evaluation, .options = options};
    *out_image = NULL;
    TRY(plot_check_options(&script, report));
    return draw_script(&script, evaluation->reader, plot_contours, out_image, out_bytes, report);
}

ClackStatus plot_make_comparison(const Comparison *comparison, const PlotOptions *options, char **out_image,
                                 size_t *out_bytes, ClackReport *report) {
    PlotScript script = {.comparison = comparison, .options = options};
    return draw_script(&script, comparison->files[0].ensemble.reader, plot_comparison, out_image, out_bytes, report);
}

ClackStatus plot_check_evaluation(const char *path, const char *kind, ClackReport *report) {
    DrawKind draw = NULL;
    TRY(find_kind(kind, &draw, report));
    return draw == plot_regions
               ? CLACK_OK
               : report_add(report, CLACK_USAGE,
                            "%s: is of \"clack evaluate\": its figure is \"regions\", found \"%s\"", path, kind);
}
