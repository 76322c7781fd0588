// Figures of one scene: trajectories, energy, events.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "record.h"

#define REST_MARGIN_M 0.01 // about a body that does not move

static void add_title(PlotScript *script, uint64_t scene) {
    const size_t used = strlen(script->title);
    snprintf(script->title + used, sizeof script->title - used, ", scene %" PRIu64, scene);
}

// --- trajectories -----------------------------------------------------------------------------------

typedef struct Way { // of the bodies that are asked for
    EnsembleFrames frames;
    size_t bodies[PLOT_PANELS_MAX];
    size_t count;
} Way;

static ClackStatus read_way(PlotScript *script, Way *way, ClackReport *report) {
    const PlotOptions *options = script->options;
    *way = (Way){0};
    if (options->name_count > PLOT_PANELS_MAX)
        return report_add(report, CLACK_USAGE, "a figure of at most %u bodies, found %zu", PLOT_PANELS_MAX,
                          options->name_count);
    for (size_t i = 0; i < options->name_count; i++)
        TRY(ensemble_find_body(script->ensemble, options->names[i], &way->bodies[way->count++], report));
    TRY(ensemble_frames(script->ensemble, options->scene, &way->frames, report));
    TRY(plot_crop(script, &way->frames, report));
    if (way->count == 0)
        return report_add(report, CLACK_USAGE, "\"clack plot FILE %s\": the name of a body is missing", options->kind);
    for (size_t i = 0; i < way->count; i++) {
        if (isfinite(way->frames.position_m[3 * way->bodies[i]])) continue;
        return report_add(report, CLACK_USAGE, "%s: scene %" PRIu64 " has no body \"%s\"",
                          record_read_path(script->ensemble->reader), way->frames.scene, options->names[i]);
    }
    add_title(script, way->frames.scene);
    return CLACK_OK;
}

// Of all coordinates of a body.
static void put_place_axis(PlotScript *script, const EnsembleFrames *frames, size_t body) {
    double low = INFINITY, high = -INFINITY;
    for (uint64_t frame = 0; frame < frames->frame_count; frame++) {
        for (size_t k = 0; k < 3; k++) {
            const double at = frames->position_m[3 * ((size_t)frame * frames->body_count + body) + k];
            low = fmin(low, at);
            high = fmax(high, at);
        }
    }
    const double margin = high > low ? 0.05 * (high - low) : REST_MARGIN_M;
    plot_axis(script, 'y', low - margin, high + margin);
}

// Lines of time, x, y, z.
static uint32_t put_way(PlotScript *script, const EnsembleFrames *frames, size_t body) {
    const uint32_t block = plot_begin_block(script);
    for (uint64_t frame = 0; frame < frames->frame_count; frame++) {
        const double *at = frames->position_m + 3 * ((size_t)frame * frames->body_count + body);
        fprintf(script->out, "%.17g %.17g %.17g %.17g\n", frames->time_s[frame], at[0], at[1], at[2]);
    }
    plot_end_block(script);
    return block;
}

static void put_time_axis(PlotScript *script, const EnsembleFrames *frames) {
    plot_time_axis(script, frames->time_s[0], frames->time_s[frames->frame_count - 1]);
}

ClackStatus plot_trajectory(PlotScript *script, ClackReport *report) {
    Way way;
    const ClackStatus status = read_way(script, &way, report);
    if (status == CLACK_OK) plot_begin(script, (uint32_t)way.count, 0);
    for (size_t i = 0; status == CLACK_OK && i < way.count; i++) {
        const uint32_t block = put_way(script, &way.frames, way.bodies[i]);
        if (!script->options->is_inline) plot_label(script, "title", script->ensemble->bodies.items[way.bodies[i]], "");
        put_time_axis(script, &way.frames);
        put_place_axis(script, &way.frames, way.bodies[i]);
        fprintf(script->out,
                "set xlabel 'time (s)'\nset ylabel 'position (m)'\n"
                "plot $d%u using 1:2 with lines lt 1 title 'x', '' using 1:3 with lines lt 2 title 'y', "
                "'' using 1:4 with lines lt 3 title 'z'\n",
                block);
    }
    ensemble_frames_free(&way.frames);
    return status;
}

typedef struct Range {
    double low, high;
} Range;

// Of a coordinate of the ways, with a tenth of their longest extent on either side, so that floors are seen, no far
// walls.
static Range range_of(const Way *way, int axis) {
    Range range = {INFINITY, -INFINITY};
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < way->count; i++) {
            for (uint64_t frame = 0; frame < way->frames.frame_count; frame++) {
                const double at =
                    way->frames.position_m[3 * ((size_t)frame * way->frames.body_count + way->bodies[i]) + (size_t)k];
                low = fmin(low, at);
                high = fmax(high, at);
            }
        }
        longest = fmax(longest, high - low);
        if (k == axis) range = (Range){low, high};
    }
    const double margin = longest > 0 ? 0.1 * longest : REST_MARGIN_M;
    return (Range){range.low - margin, range.high + margin};
}

const PlotPlane plot_planes[PLOT_PLANES] = {{"xz", "from the side", 0, 2, {0, -1, 0}},
                                            {"xy", "from above", 0, 1, {0, 0, 1}},
                                            {"yz", "from the front", 1, 2, {1, 0, 0}}};

// One of the planes in a list of names; NULL: there is none of this name. *at is moved behind it.
static const PlotPlane *next_plane(const char **at) {
    const char *name = *at;
    const size_t bytes = strcspn(name, ",");
    *at = name + bytes + (name[bytes] == ',' ? 1 : 0);
    for (size_t i = 0; i < PLOT_PLANES; i++)
        if (bytes == 2 && strncmp(plot_planes[i].name, name, 2) == 0) return &plot_planes[i];
    return NULL;
}

int plot_are_planes(const char *text) {
    const size_t bytes = strlen(text);
    size_t count = 0;
    for (const char *at = text; *at != '\0'; count++)
        if (next_plane(&at) == NULL) return 0;
    return count > 0 && count <= PLOT_PLANES && text[bytes - 1] != ',';
}

// The plane in which the bodies move most: across its third direction they move least. Of those alike the first.
static const PlotPlane *choose_plane(const Way *way) {
    const PlotPlane *best = &plot_planes[0];
    double least = INFINITY;
    for (size_t i = 0; i < PLOT_PLANES; i++) {
        double extent = 0;
        for (size_t body = 0; body < way->count; body++) {
            double low = INFINITY, high = -INFINITY;
            for (uint64_t frame = 0; frame < way->frames.frame_count; frame++) {
                const size_t row = (size_t)frame * way->frames.body_count + way->bodies[body];
                const double at =
                    way->frames.position_m[3 * row + (size_t)(3 - plot_planes[i].across - plot_planes[i].up)];
                low = fmin(low, at);
                high = fmax(high, at);
            }
            extent = fmax(extent, high - low);
        }
        if (extent < least) {
            least = extent;
            best = &plot_planes[i];
        }
    }
    return best;
}

static size_t find_planes(const PlotScript *script, const Way *way, const PlotPlane *planes[PLOT_PLANES]) {
    size_t count = 0;
    for (const char *at = script->options->planes; at != NULL && *at != '\0' && count < PLOT_PLANES;)
        planes[count++] = next_plane(&at);
    if (count == 0) planes[count++] = choose_plane(way);
    return count;
}

static void put_view(PlotScript *script, const Way *way, uint32_t first, const PlotOutlines *outlines, size_t view,
                     const PlotPlane *plane) {
    const Range across = range_of(way, plane->across), up = range_of(way, plane->up);
    plot_axis(script, 'x', across.low, across.high);
    plot_axis(script, 'y', up.low, up.high);
    fprintf(script->out, "set clip two\nset title 'plane %s, %s%s'\nset xlabel '%c (m)'\nset ylabel '%c (m)'\nplot",
            plane->name, plane->view, outlines->is_known ? "" : ", fixed shapes unknown", "xyz"[plane->across],
            "xyz"[plane->up]);
    if (outlines->is_known)
        fprintf(script->out, " $d%u using 1:2 with lines dt solid lc rgb '#999999' lw 1 title 'fixed shapes',",
                outlines->blocks[view]);
    for (size_t i = 0; i < way->count; i++) {
        fprintf(script->out, "%s $d%u using %d:%d with linespoints lt %zu ps 0.3 title ", i == 0 ? "" : ",",
                first + (uint32_t)i, plane->across + 2, plane->up + 2, i % 4 + 1);
        plot_quote(script, script->ensemble->bodies.items[way->bodies[i]]);
    }
    fputc('\n', script->out);
}

ClackStatus plot_path(PlotScript *script, ClackReport *report) {
    Way way;
    PlotOutlines outlines = {0};
    const PlotPlane *planes[PLOT_PLANES] = {NULL};
    ClackStatus status = read_way(script, &way, report);
    if (status == CLACK_OK) {
        const size_t views = find_planes(script, &way, planes);
        plot_begin(script, (uint32_t)views, 0);
        const uint32_t first = script->blocks;
        for (size_t i = 0; i < way.count; i++) put_way(script, &way.frames, way.bodies[i]);
        status = plot_outlines(script, &way.frames, planes, views, &outlines, report);
        for (size_t view = 0; status == CLACK_OK && view < views; view++)
            put_view(script, &way, first, &outlines, view, planes[view]);
    }
    ensemble_frames_free(&way.frames);
    return status;
}

// --- energy ---------------------------------------------------------------------------------------

ClackStatus plot_energy(PlotScript *script, ClackReport *report) {
    EnsembleFrames frames = {0};
    Study *study = NULL;
    double *kinetic_J = NULL, *potential_J = NULL;
    ClackStatus status = CLACK_OK;
    if (script->options->name_count > 0)
        return report_add(report, CLACK_USAGE, "energy is that of all bodies: \"%s\" has no place",
                          script->options->names[0]);
    TRY_CLEAN(ensemble_frames(script->ensemble, script->options->scene, &frames, report));
    TRY_CLEAN(plot_crop(script, &frames, report));
    TRY_CLEAN(ensemble_study(script->ensemble, script->options->study_path, &study, report));
    kinetic_J = calloc(frames.frame_count + 1, sizeof *kinetic_J);
    potential_J = calloc(frames.frame_count + 1, sizeof *potential_J);
    if (kinetic_J == NULL || potential_J == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for energies"));
    TRY_CLEAN(ensemble_energy(study, &frames, kinetic_J, potential_J, report));
    add_title(script, frames.scene);
    plot_begin(script, 1, 1);
    const uint32_t block = plot_begin_block(script);
    for (uint64_t i = 0; i < frames.frame_count; i++)
        fprintf(script->out, "%.17g %.17g %.17g %.17g\n", frames.time_s[i], kinetic_J[i], potential_J[i],
                kinetic_J[i] + potential_J[i]);
    plot_end_block(script);
    put_time_axis(script, &frames);
    fprintf(script->out,
            "set xlabel 'time (s)'\nset ylabel 'energy (J)'\n"
            "plot $d%u using 1:2 with lines lt 1 title 'kinetic', '' using 1:3 with lines lt 2 title 'potential', "
            "'' using 1:4 with lines lt 3 title 'sum'\n",
            block);
cleanup:
    free(kinetic_J);
    free(potential_J);
    study_free(study);
    ensemble_frames_free(&frames);
    return status;
}

// --- events ---------------------------------------------------------------------------------------

#define EVENT_KINDS 4
#define LANES_MAX 40u // pairs of bodies that are drawn, those that met first
#define LANE_PIXELS 22.0
#define PAIR_CHARACTERS 40u // of their names

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

// Lines that the events of a scene take.
static size_t count_lanes(EventRows *rows, double scene) {
    for (size_t i = 0; i < rows->count; i++)
        if (rows->scene[i] == scene) find_lane(rows, i);
    const size_t count = rows->lanes;
    rows->lanes = 0; // draw_events finds them anew, kind by kind
    return count;
}

static const char *body_name(const Ensemble *ensemble, double body) {
    return body >= 0 && body < (double)ensemble->bodies.count ? ensemble->bodies.items[(size_t)body] : "?";
}

static void draw_events(PlotScript *script, EventRows *rows, uint64_t scene) {
    const uint32_t first = script->blocks;
    size_t left_out = 0;
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        plot_begin_block(script);
        for (size_t i = 0; i < rows->count; i++) {
            if (rows->scene[i] != (double)scene || rows->kind[i] != kind) continue;
            const size_t lane = find_lane(rows, i);
            if (lane < LANES_MAX)
                fprintf(script->out, "%.17g %zu\n", rows->time[i], lane);
            else
                left_out++;
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
    fputs("set xlabel 'time (s)'\nunset ylabel\nset ytics (", script->out);
    for (size_t lane = 0; lane < rows->lanes; lane++) {
        char name[200];
        const char *a = body_name(script->ensemble, rows->pairs[lane][0]),
                   *b = body_name(script->ensemble, rows->pairs[lane][1]);
        const int is_one = rows->pairs[lane][0] == rows->pairs[lane][1]; // rest and wake
        snprintf(name, sizeof name, "%s%s%s", a, is_one ? "" : " - ", is_one ? "" : b);
        if (lane > 0) fputs(", ", script->out);
        plot_short(script, name, PAIR_CHARACTERS);
        fprintf(script->out, " %zu", lane);
    }
    fprintf(script->out, ")\nset yrange [%g:-1]\nset grid y\n", (double)rows->lanes);
    if (left_out > 0)
        fprintf(script->out, "set xlabel 'time (s); %zu events of other pairs are not drawn'\n", left_out);
    fputs("plot", script->out);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        fprintf(script->out, "%s $d%u using 1:2 with points lt %d ps 0.7 title ", kind == 0 ? "" : ",",
                first + (uint32_t)kind, kind + 1);
        plot_quote(script, record_event_name((uint32_t)kind));
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
    size_t found = 0;
    crop_events(script->options, &rows);
    while (found < rows.count && rows.scene[found] != wanted) found++;
    if (found == rows.count)
        TRY_CLEAN(report_add(report, CLACK_USAGE, "%s: has no event of scene %.0f%s",
                             record_read_path(script->ensemble->reader), wanted,
                             script->options->has_interval ? " in the interval of --time" : ""));
    add_title(script, (uint64_t)wanted);
    script->panel_height = fmax(330, LANE_PIXELS * (double)count_lanes(&rows, wanted) + 100);
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
