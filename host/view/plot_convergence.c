// Means and shares of the first so many scenes, with their intervals of confidence: how far they have settled.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "share.h"
#include "statistics.h"
#include "values.h"

#define SCENES_LEAST 4u // of the first point: an interval of fewer is no more than a guess
#define GROWTH 1.03     // from a point to the next one
#define SCENES_SHOWN 10 // from there on the intervals are within the panel
#define LOG_LEAST 50    // scenes of a logarithmic axis

typedef struct Course { // of the values of a quantity
    const double *values;
    uint64_t count; // with those that do not exist
    int is_share, is_independent;
    double confidence;
    double low, high; // range of what is drawn
    double rows;      // values that exist
    ShareBin last;    // mean (share) and interval of all
} Course;

// Mean and its interval after so many values with this mean and sum of squares about it.
static ShareBin interval_of(const Course *course, double rows, double mean, double squares) {
    ShareBin bin = {.count = rows, .share = mean, .lower = NAN, .upper = NAN};
    if (!course->is_independent) return bin;
    if (course->is_share) {
        statistics_share_interval(rint(mean * rows), rows, statistics_normal_quantile(0.5 + 0.5 * course->confidence),
                                  &bin.lower, &bin.upper);
    } else if (rows > 1) {
        const double half =
            statistics_t_quantile(0.5 + 0.5 * course->confidence, rows - 1) * sqrt(squares / (rows - 1) / rows);
        bin.lower = mean - half;
        bin.upper = mean + half;
    }
    return bin;
}

// Lines of a number of scenes, mean, lower and upper end.
static uint32_t put_course(PlotScript *script, Course *course) {
    const uint32_t block = plot_begin_block(script);
    double mean = 0, squares = 0, next = SCENES_LEAST;
    course->low = INFINITY;
    course->high = -INFINITY;
    for (uint64_t i = 0; i < course->count; i++) {
        const double value = course->values[i];
        if (isnan(value)) continue;
        const double off = value - mean;
        mean += off / ++course->rows;
        squares += off * (value - mean);
        course->last = interval_of(course, course->rows, mean, squares);
        if (course->rows < next) continue;
        next = fmax(course->rows + 1, floor(course->rows * GROWTH));
        fprintf(script->out, "%.0f %.17g %.17g %.17g\n", course->rows, mean, course->last.lower, course->last.upper);
        course->low = fmin(course->low, mean); // of a NaN and a number the number
        course->high = fmax(course->high, mean);
        if (course->rows < SCENES_SHOWN) continue;
        course->low = fmin(course->low, course->last.lower);
        course->high = fmax(course->high, course->last.upper);
    }
    if (course->rows >= SCENES_LEAST)
        fprintf(script->out, "%.0f %.17g %.17g %.17g\n", course->rows, mean, course->last.lower, course->last.upper);
    else
        fputs("NaN NaN NaN NaN\n", script->out); // a block has to have a line
    plot_end_block(script);
    return block;
}

static void put_labels(PlotScript *script, const EnsembleColumn *column, const Course *course) {
    const ShareBin *last = &course->last;
    const char *name = course->is_share ? "share" : "mean";
    char text[160] = "", brief[60], label[300];
    snprintf(brief, sizeof brief, "%s %.4g", name, last->share);
    if (!isnan(last->lower))
        snprintf(text, sizeof text, "%s %.4g (%.0f %%: %.4g … %.4g)", name, last->share, 100 * course->confidence,
                 last->lower, last->upper);
    snprintf(label, sizeof label, "mean of %.250s", column->name);
    plot_long_label(script, PLOT_TITLE, text[0] != '\0' ? text : brief, brief, "");
    plot_label(script, PLOT_X_LABEL, "number of scenes", "");
    if (course->is_share)
        plot_share(script, PLOT_Y_LABEL, column);
    else
        plot_label(script, PLOT_Y_LABEL, label, column->unit);
}

static void put_axes(PlotScript *script, const Course *course) {
    double low = course->low, high = course->high;
    const double spare = high > low ? 0.05 * (high - low) : fmax(fabs(low), 1) * 1e-3;
    low = course->is_share ? fmax(low - spare, 0) : low - spare;
    high = course->is_share ? fmin(high + spare, 1) : high + spare;
    if (course->rows > LOG_LEAST)
        plot_log_axis(script, 'x', SCENES_LEAST, course->rows);
    else
        plot_axis(script, 'x', 0, course->rows);
    plot_axis(script, 'y', low, high > low ? high : low + 1);
}

static ClackStatus draw_quantity(PlotScript *script, const EnsembleColumn *column, ClackReport *report) {
    double *values = NULL;
    Course course = {.count = script->ensemble->scene_count,
                     .is_share = values_are_shares(script->ensemble, column),
                     .is_independent = values_are_independent(script->ensemble),
                     .confidence = values_confidence(script->ensemble)};
    TRY(values_of_ok(script->ensemble, column, &values, report));
    course.values = values;
    const uint32_t block = put_course(script, &course);
    free(values);
    if (course.rows < SCENES_LEAST) {
        plot_label(script, PLOT_X_LABEL, column->name, "has too few values");
        plot_axis(script, 'x', 0, 1);
        plot_axis(script, 'y', 0, 1);
        plot_place(script);
        fputs("unset key\nplot NaN\n", script->out);
        return CLACK_OK;
    }
    put_labels(script, column, &course);
    put_axes(script, &course);
    plot_place(script);
    fputs("unset key\nplot", script->out);
    if (course.is_independent)
        fprintf(script->out, " $d%u using 1:3:4 with filledcurves lc rgb '#c4d6ea' fs solid noborder,", block);
    fprintf(script->out, " %.17g with lines dt (6,4) lw 1 lc rgb '#606060', $d%u using 1:2 with lines lt 1\n",
            course.last.share, block);
    return CLACK_OK;
}

ClackStatus plot_convergence(PlotScript *script, ClackReport *report) {
    const EnsembleColumn *columns[PLOT_PANELS_MAX];
    size_t panels = 0;
    for (size_t i = 0; i < script->options->name_count; i++)
        TRY(ensemble_find(script->ensemble, script->options->names[i], ENSEMBLE_QUANTITY, &columns[0], report));
    TRY(plot_columns(script, ENSEMBLE_QUANTITY, columns, &panels, report));
    if (!values_are_independent(script->ensemble)) plot_note(script, "%s", values_no_intervals);
    plot_begin(script, (uint32_t)panels, 0);
    for (size_t i = 0; i < panels; i++) TRY(draw_quantity(script, columns[i], report));
    return CLACK_OK;
}
