// The events of a scene on a time line, a line for each pair of bodies.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "record.h"

#define EVENT_KINDS 4
#define LANES_MAX 40u // pairs of bodies that are drawn, those that met first
#define LANE_PIXELS 22.0
#define NAME_SHARE 0.4 // of the width, for their names

typedef struct EventRows {
    double *scene, *time, *kind, *body_a, *body_b; // (count)
    size_t count;
    size_t lanes, all_lanes; // drawn; there are
    double pairs[LANES_MAX][2];
} EventRows;

// Events outside the interval that is asked for are none.
static void crop_events(const PlotOptions *options, EventRows *rows) {
    double *const values[] = {rows->scene, rows->time, rows->kind, rows->body_a, rows->body_b};
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (!plot_is_within(options, rows->time[i])) continue;
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) values[v][kept] = values[v][i];
        kept++;
    }
    rows->count = kept;
}

static ClackStatus read_events(const Ensemble *ensemble, EventRows *rows, ClackReport *report) {
    const char *const paths[] = {record_read_scenes(ensemble->reader, RECORD_READ_EVENTS), "events/time", "events/kind",
                                 "events/body_a", "events/body_b"};
    double **const places[] = {&rows->scene, &rows->time, &rows->kind, &rows->body_a, &rows->body_b};
    if (!record_read_has(ensemble->reader, "events/time"))
        return report_add(report, CLACK_USAGE,
                          "%s: has no events; studies leave them out with \"outputs: {events: false}\"",
                          record_read_path(ensemble->reader));
    for (int i = 0; i < 5; i++) {
        RecordAxes axes;
        TRY(record_read_all(ensemble->reader, paths[i], &axes, places[i], report));
        rows->count = (size_t)axes.dims[0];
    }
    return rows->count > 0 ? CLACK_OK
                           : report_add(report, CLACK_USAGE, "%s: nothing happened in any scene: it has no event",
                                        record_read_path(ensemble->reader));
}

// Which line of the figure an event stands on; LANES_MAX: none is left.
static size_t find_lane(EventRows *rows, size_t i) {
    for (size_t lane = 0; lane < rows->lanes; lane++)
        if (rows->pairs[lane][0] == rows->body_a[i] && rows->pairs[lane][1] == rows->body_b[i]) return lane;
    if (rows->lanes == LANES_MAX) return LANES_MAX;
    rows->pairs[rows->lanes][0] = rows->body_a[i];
    rows->pairs[rows->lanes][1] = rows->body_b[i];
    return rows->lanes++;
}

// Lines that the events of a scene take, and the events for which none is left.
static size_t count_lanes(EventRows *rows, double scene, size_t *out_left) {
    *out_left = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->scene[i] == scene && find_lane(rows, i) == LANES_MAX) ++*out_left;
    return rows->lanes;
}

static const char *body_name(const Ensemble *ensemble, double body) {
    return body >= 0 && body < (double)ensemble->bodies.count ? ensemble->bodies.items[(size_t)body] : "?";
}

static int has_kind(const EventRows *rows, uint64_t scene, int kind) {
    for (size_t i = 0; i < rows->count; i++)
        if (rows->scene[i] == (double)scene && rows->kind[i] == kind) return 1;
    return 0;
}

static void draw_events(PlotScript *script, EventRows *rows, uint64_t scene) {
    const uint32_t first = script->blocks;
    int is_first = 1;
    const char *lanes[LANES_MAX];
    char names[LANES_MAX][320];
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        plot_begin_block(script);
        for (size_t i = 0; i < rows->count; i++) {
            if (rows->scene[i] != (double)scene || rows->kind[i] != kind) continue;
            const size_t lane = find_lane(rows, i);
            if (lane < LANES_MAX) fprintf(script->out, "%.17g %zu\n", rows->time[i], lane);
        }
        plot_end_block(script);
    }
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->scene[i] != (double)scene) continue;
        low = fmin(low, rows->time[i]);
        high = fmax(high, rows->time[i]);
    }
    const double spare = high > low ? 0.02 * (high - low) : 0.01;
    plot_time_axis(script, low - spare, high + spare);
    for (size_t lane = 0; lane < rows->lanes; lane++) {
        const char *a = body_name(script->ensemble, rows->pairs[lane][0]),
                   *b = body_name(script->ensemble, rows->pairs[lane][1]);
        const int is_one = rows->pairs[lane][0] == rows->pairs[lane][1]; // rest and wake
        snprintf(names[lane], sizeof names[lane], "%.150s%s%.150s", a, is_one ? "" : " - ", is_one ? "" : b);
        lanes[lane] = names[lane];
    }
    plot_categories(script, 'y', lanes, rows->lanes, NAME_SHARE * script->cell_width / script->font_px);
    plot_place(script);
    fprintf(script->out, "set yrange [%g:-1]\nset grid y\nplot", (double)rows->lanes);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        if (!has_kind(rows, scene, kind)) continue;
        fprintf(script->out, "%s $d%u using 1:2 with points lt %d ps 0.7", is_first ? "" : ",", first + (uint32_t)kind,
                kind + 1);
        plot_entry(script, record_event_name((uint32_t)kind));
        is_first = 0;
    }
    fputc('\n', script->out);
}

ClackStatus plot_events(PlotScript *script, ClackReport *report) {
    EventRows rows = {0};
    ClackStatus status = CLACK_OK;
    if (script->options->name_count > 0)
        return report_add(report, CLACK_USAGE, "events are those of a scene: \"%s\" has no place",
                          script->options->names[0]);
    TRY_CLEAN(read_events(script->ensemble, &rows, report));
    const double wanted = script->options->scene >= 0 ? (double)script->options->scene : rows.scene[0];
    size_t found = 0, used = 0, left_out = 0;
    crop_events(script->options, &rows);
    while (found < rows.count && rows.scene[found] != wanted) found++;
    if (found == rows.count)
        TRY_CLEAN(report_add(report, CLACK_USAGE, "%s: has no event of scene %.0f%s",
                             record_read_path(script->ensemble->reader), wanted,
                             script->options->has_interval ? " in the interval of --time" : ""));
    used = strlen(script->title);
    snprintf(script->title + used, sizeof script->title - used, ", scene %.0f", wanted);
    script->panel_height = fmax(330, LANE_PIXELS * (double)count_lanes(&rows, wanted, &left_out) + 100);
    if (left_out > 0) plot_note(script, "%zu events of other pairs are not drawn.", left_out);
    plot_begin(script, 1, 1);
    draw_events(script, &rows, (uint64_t)wanted);
cleanup:
    free(rows.scene);
    free(rows.time);
    free(rows.kind);
    free(rows.body_a);
    free(rows.body_b);
    return status;
}
