// Figures of all scenes: histograms and distribution functions.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "share.h"
#include "values.h"

#define BINS_MAX 60u
#define STEPS_MAX 500u // of a distribution function

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
    size_t next = 0, most = 0;
    for (uint32_t bin = 0; bin < bins.count; bin++) {
        const double right = bins.first + (bin + 1) * bins.width;
        const size_t before = next;
        while (next < count && (sorted[next] < right || bin + 1 == bins.count)) next++;
        if (next - before > most) most = next - before;
        fprintf(script->out, "%.17g %zu %.17g\n", right - 0.5 * bins.width, next - before, bins.width);
    }
    plot_end_block(script);
    plot_column(script, PLOT_X_LABEL, column);
    plot_label(script, PLOT_Y_LABEL, "scenes", "");
    plot_axis(script, 'x', bins.first - 0.5 * bins.width, bins.first + (bins.count + 0.5) * bins.width);
    plot_axis(script, 'y', 0, 1.05 * (double)most);
    plot_place(script);
    fprintf(script->out, "unset key\nplot $d%u using 1:2:3 with boxes lt 1\n", block);
}

// Two bars, and the share with its interval.
static ClackStatus draw_share(PlotScript *script, const EnsembleColumn *column, ClackReport *report) {
    static const char *const answers[] = {"no", "yes"};
    double *values = NULL;
    char text[160], brief[60];
    TRY(values_of_ok(script->ensemble, column, &values, report));
    const double confidence = values_confidence(script->ensemble);
    const ShareBin bin = share_of(values, script->ensemble->scene_count, confidence);
    free(values);
    const uint32_t block = plot_begin_block(script);
    fprintf(script->out, "0 %.17g\n1 %.17g\n", bin.count - bin.hits, bin.hits);
    plot_end_block(script);
    plot_column(script, PLOT_X_LABEL, column);
    plot_label(script, PLOT_Y_LABEL, "scenes", "");
    snprintf(text, sizeof text, "share %.4g (%.0f %%: %.4g … %.4g)", bin.share, 100 * confidence, bin.lower, bin.upper);
    snprintf(brief, sizeof brief, "share %.4g", bin.share);
    plot_long_label(script, PLOT_TITLE, values_are_independent(script->ensemble) ? text : brief, brief, "");
    plot_axis(script, 'y', 0, 1.05 * fmax(bin.hits, bin.count - bin.hits));
    plot_categories(script, 'x', answers, 2, 5);
    plot_place(script);
    fprintf(script->out, "set xrange [-0.6:1.6]\nunset key\nplot $d%u using 1:2:(0.7) with boxes lt 1\n", block);
    return CLACK_OK;
}

static void draw_ecdf(PlotScript *script, const EnsembleColumn *column, const double *sorted, size_t count) {
    const size_t stride = count > STEPS_MAX ? count / STEPS_MAX : 1;
    const uint32_t block = plot_begin_block(script);
    fprintf(script->out, "%.17g 0\n", sorted[0]);
    for (size_t i = stride - 1; i < count; i += stride)
        fprintf(script->out, "%.17g %.17g\n", sorted[i], (double)(i + 1) / (double)count);
    fprintf(script->out, "%.17g 1\n", sorted[count - 1]);
    plot_end_block(script);
    plot_column(script, PLOT_X_LABEL, column);
    plot_label(script, PLOT_Y_LABEL, "share of scenes", "");
    const double low = sorted[0], high = sorted[count - 1],
                 spare = high > low ? 0.02 * (high - low) : fmax(fabs(low), 1) * 1e-3;
    plot_axis(script, 'x', low - spare, high + spare);
    plot_axis(script, 'y', 0, 1.02);
    plot_place(script);
    fprintf(script->out, "unset key\nplot $d%u using 1:2 with steps lt 1\n", block);
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
        if (count > 0 && draw == draw_histogram && values_are_shares(script->ensemble, columns[i])) {
            const ClackStatus status = draw_share(script, columns[i], report);
            free(sorted);
            TRY(status);
            continue;
        }
        if (count > 0) {
            draw(script, columns[i], sorted, count);
        } else {
            plot_label(script, PLOT_X_LABEL, columns[i]->name, "does not exist in any scene");
            plot_axis(script, 'x', 0, 1);
            plot_axis(script, 'y', 0, 1);
            plot_place(script);
            fputs("unset key\nplot NaN\n", script->out);
        }
        free(sorted);
    }
    return CLACK_OK;
}

ClackStatus plot_histogram(PlotScript *script, ClackReport *report) {
    return draw_columns(script, draw_histogram, report);
}
ClackStatus plot_ecdf(PlotScript *script, ClackReport *report) { return draw_columns(script, draw_ecdf, report); }
