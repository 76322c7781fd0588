// Contact regions: of a scene that was stepped, their areas and forces over time; of given poses, their contours.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"

#define SERIES_MOST 12u // regions that are drawn, those that were there first
#define COLOURS 4u      // of plot_begin's line types
#define GAP_SHARE 1.5   // of the time between recordings: a region was away for longer

// What is read of every recorded contact.
typedef enum RowValue {
    ROW_SCENE,
    ROW_TIME,
    ROW_A,
    ROW_B,
    ROW_SHAPE_A,
    ROW_SHAPE_B,
    ROW_FEATURE,
    ROW_AREA,
    ROW_FORCE,
    ROW_VALUES
} RowValue;

typedef struct RegionSeries { // a region from its begin to its end
    double key[5];            // bodies, shapes, number: ROW_A .. ROW_FEATURE
} RegionSeries;

typedef struct RegionRows {     // recorded contacts of the whole file
    double *values[ROW_VALUES]; // (count)
    size_t count;
    size_t first, end; // those of the scene
    double every_s;    // between two recordings of it, the least
    RegionSeries series[SERIES_MOST];
    size_t series_count, rows_left_out;
} RegionRows;

static ClackStatus read_rows(const Ensemble *ensemble, RegionRows *rows, ClackReport *report) {
    const char *const paths[ROW_VALUES] = {record_read_scenes(ensemble->reader, RECORD_READ_CONTACTS),
                                           "contacts/time",
                                           "contacts/body_a",
                                           "contacts/body_b",
                                           "contacts/shape_a",
                                           "contacts/shape_b",
                                           "contacts/feature",
                                           "contacts/area",
                                           "contacts/normal_force"};
    const char *path = record_read_path(ensemble->reader);
    if (!record_read_has(ensemble->reader, "contacts/area"))
        return report_add(report, CLACK_USAGE,
                          "%s: has no contact regions; studies with \"solver: {method: trapezoidal}\" record them with "
                          "\"outputs: {contacts: {every: ...}}\", \"clack evaluate --contours\" those of given poses",
                          path);
    for (int v = 0; v < ROW_VALUES; v++) {
        RecordAxes axes;
        TRY(record_read_all(ensemble->reader, paths[v], &axes, &rows->values[v], report));
        if (v > 0 && axes.dims[0] != rows->count)
            return report_add(report, CLACK_CORRUPT, "%s: %s does not fit its group", path, paths[v]);
        rows->count = (size_t)axes.dims[0];
    }
    return CLACK_OK;
}

// Whether a row is one of the bodies that are named: of one that, of several between two of these.
static int is_wanted(const RegionRows *rows, size_t row, const size_t *bodies, size_t count) {
    int has_a = 0, has_b = 0;
    for (size_t i = 0; i < count; i++) {
        has_a |= rows->values[ROW_A][row] == (double)bodies[i];
        has_b |= rows->values[ROW_B][row] == (double)bodies[i];
    }
    return count == 0 || (count == 1 ? has_a || has_b : has_a && has_b);
}

static int has_key(const RegionRows *rows, size_t row, const RegionSeries *series) {
    for (size_t k = 0; k < 5; k++)
        if (rows->values[ROW_A + k][row] != series->key[k]) return 0;
    return 1;
}

static void add_series(RegionRows *rows, size_t row) {
    for (size_t s = 0; s < rows->series_count; s++)
        if (has_key(rows, row, &rows->series[s])) return;
    if (rows->series_count == SERIES_MOST) {
        rows->rows_left_out++;
        return;
    }
    RegionSeries *series = &rows->series[rows->series_count++];
    for (size_t k = 0; k < 5; k++) series->key[k] = rows->values[ROW_A + k][row];
}

// Rows of a scene stand side by side. Of no scene in particular: of the first that has any.
static ClackStatus choose_rows(const Ensemble *ensemble, const PlotOptions *options, RegionRows *rows,
                               ClackReport *report) {
    const char *path = record_read_path(ensemble->reader);
    size_t bodies[PLOT_PANELS_MAX];
    if (options->name_count > PLOT_PANELS_MAX)
        return report_add(report, CLACK_USAGE, "a figure of at most %u bodies, found %zu", PLOT_PANELS_MAX,
                          options->name_count);
    for (size_t i = 0; i < options->name_count; i++)
        TRY(ensemble_find_body(ensemble, options->names[i], &bodies[i], report));
    double scene = (double)options->scene;
    size_t first = 0;
    while (first < rows->count && !((options->scene < 0 || rows->values[ROW_SCENE][first] == scene) &&
                                    is_wanted(rows, first, bodies, options->name_count)))
        first++;
    if (first == rows->count)
        return options->scene >= 0 ? report_add(report, CLACK_USAGE, "%s: has no contact region of scene %.0f%s", path,
                                                scene, options->name_count > 0 ? " and these bodies" : "")
                                   : report_add(report, CLACK_USAGE, "%s: has no contact region of %s", path,
                                                options->name_count > 0 ? "these bodies" : "any scene");
    scene = rows->values[ROW_SCENE][first];
    rows->every_s = INFINITY;
    for (rows->first = first; rows->first > 0 && rows->values[ROW_SCENE][rows->first - 1] == scene;) rows->first--;
    for (rows->end = rows->first; rows->end < rows->count && rows->values[ROW_SCENE][rows->end] == scene; rows->end++) {
        if (is_wanted(rows, rows->end, bodies, options->name_count)) add_series(rows, rows->end);
        const double since =
            rows->end > rows->first ? rows->values[ROW_TIME][rows->end] - rows->values[ROW_TIME][rows->end - 1] : 0;
        if (since > 0) rows->every_s = fmin(rows->every_s, since);
    }
    return CLACK_OK;
}

// Lines of time, area, force; a line without any where the region was away.
static void put_series(PlotScript *script, const RegionRows *rows, const RegionSeries *series) {
    double last_s = -INFINITY;
    plot_begin_block(script);
    for (size_t row = rows->first; row < rows->end; row++) {
        if (!has_key(rows, row, series)) continue;
        const double time_s = rows->values[ROW_TIME][row];
        if (time_s - last_s > GAP_SHARE * rows->every_s && isfinite(last_s)) fputs("\n", script->out);
        fprintf(script->out, "%.17g %.17g %.17g\n", time_s, rows->values[ROW_AREA][row], rows->values[ROW_FORCE][row]);
        last_s = time_s;
    }
    plot_end_block(script);
}

static const char *body_name(const Ensemble *ensemble, double body) {
    return body >= 0 && body < (double)ensemble->bodies.count ? ensemble->bodies.items[(size_t)body] : "?";
}

// What of its key tells a region from the others of its bodies: shapes, and its number.
typedef struct SeriesNames {
    int has_number, has_shapes;
} SeriesNames;

static SeriesNames names_of(const RegionRows *rows, size_t which) {
    const double *key = rows->series[which].key;
    SeriesNames names = {0, 0};
    for (size_t s = 0; s < rows->series_count; s++) {
        const double *other = rows->series[s].key;
        if (s == which || other[0] != key[0] || other[1] != key[1]) continue;
        names.has_number = 1;
        names.has_shapes |= other[2] != key[2] || other[3] != key[3];
    }
    return names;
}

static void put_panel(PlotScript *script, const RegionRows *rows, uint32_t first, int column) {
    static const double widths[(SERIES_MOST + COLOURS - 1) / COLOURS] = {1.6, 3, 0.8};
    const Ensemble *ensemble = script->ensemble;
    double most = 0;
    for (size_t row = rows->first; row < rows->end; row++)
        for (size_t s = 0; s < rows->series_count; s++)
            if (has_key(rows, row, &rows->series[s]))
                most = fmax(most, rows->values[column == 2 ? ROW_AREA : ROW_FORCE][row]);
    plot_time_axis(script, rows->values[ROW_TIME][rows->first], rows->values[ROW_TIME][rows->end - 1]);
    plot_axis(script, 'y', 0, most > 0 ? 1.05 * most : 1);
    plot_label(script, PLOT_Y_LABEL, column == 2 ? "area" : "normal force", column == 2 ? "m²" : "N");
    plot_place(script);
    fputs("plot", script->out);
    for (size_t s = 0; s < rows->series_count; s++) {
        const RegionSeries *series = &rows->series[s];
        const SeriesNames names = names_of(rows, s);
        char title[300], shapes[48] = "", number[32] = "";
        if (names.has_shapes) snprintf(shapes, sizeof shapes, ", shapes %.0f, %.0f", series->key[2], series->key[3]);
        if (names.has_number) snprintf(number, sizeof number, ", %.0f", series->key[4]);
        snprintf(title, sizeof title, "%.100s - %.100s%s%s", body_name(ensemble, series->key[0]),
                 body_name(ensemble, series->key[1]), shapes, number);
        fprintf(script->out, "%s $d%u using 1:%d with linespoints lt %zu lw %g ps 0.3", s > 0 ? "," : "",
                first + (uint32_t)s, column, s % COLOURS + 1, widths[s / COLOURS]);
        plot_entry(script, title);
    }
    fputc('\n', script->out);
}

static void add_title(PlotScript *script, const RegionRows *rows) {
    const size_t used = strlen(script->title);
    snprintf(script->title + used, sizeof script->title - used, ", scene %.0f", rows->values[ROW_SCENE][rows->first]);
    if (rows->rows_left_out > 0) plot_note(script, "The first %u regions; names choose.", SERIES_MOST);
}

ClackStatus plot_regions(PlotScript *script, ClackReport *report) {
    RegionRows rows = {0};
    ClackStatus status = CLACK_OK;
    if (script->evaluation != NULL) return plot_contours(script, report);
    TRY_CLEAN(read_rows(script->ensemble, &rows, report));
    TRY_CLEAN(choose_rows(script->ensemble, script->options, &rows, report));
    add_title(script, &rows);
    plot_begin(script, 2, 0);
    const uint32_t first = script->blocks;
    for (size_t s = 0; s < rows.series_count; s++) put_series(script, &rows, &rows.series[s]);
    for (int column = 2; column <= 3; column++) put_panel(script, &rows, first, column);
cleanup:
    for (int v = 0; v < ROW_VALUES; v++) free(rows.values[v]);
    return status;
}
