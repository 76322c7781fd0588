// Figures of one scene: trajectories, ways in a plane, energy.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "record.h"

#define MARGIN_SHARE 0.15  // about ways, of their longest extent
#define REST_MARGIN_M 0.01 // about a body that does not move
#define PATH_PIXELS 400.0  // height of a panel of ways: higher than others, since a metre is as long along either axis

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

static int moves(const EnsembleFrames *frames, size_t body) {
    const double *first = frames->position_m + 3 * body;
    for (uint64_t frame = 1; isfinite(first[0]) && frame < frames->frame_count; frame++)
        if (memcmp(first, first + 3 * (size_t)frame * frames->body_count, 3 * sizeof *first) != 0) return 1;
    return 0;
}

// The only body that moves, where none is named.
static ClackStatus find_mover(const PlotScript *script, Way *way, ClackReport *report) {
    const EnsembleFrames *frames = &way->frames;
    size_t count = 0;
    for (size_t body = 0; body < frames->body_count; body++) {
        if (!moves(frames, body)) continue;
        way->bodies[0] = body;
        count++;
    }
    way->count = 1;
    if (count == 1) return CLACK_OK;
    return report_add(report, CLACK_USAGE,
                      "\"clack plot FILE %s\": the name of a body is missing: in scene %" PRIu64 " %zu bodies move",
                      script->options->kind, frames->scene, count);
}

static ClackStatus read_way(PlotScript *script, Way *way, ClackReport *report) {
    const PlotOptions *options = script->options;
    *way = (Way){0};
    if (options->name_count > PLOT_PANELS_MAX)
        return report_add(report, CLACK_USAGE, "a figure of at most %u bodies, found %zu", PLOT_PANELS_MAX,
                          options->name_count);
    for (size_t i = 0; i < options->name_count; i++)
        TRY(ensemble_find_body(script->ensemble, options->names[i], &way->bodies[way->count++], report));
    TRY(ensemble_frames(script->ensemble, options->scene, &way->frames, report));
    for (size_t i = 0; i < way->count; i++) {
        if (isfinite(way->frames.position_m[3 * way->bodies[i]])) continue;
        return report_add(report, CLACK_USAGE, "%s: scene %" PRIu64 " has no body \"%s\"",
                          record_read_path(script->ensemble->reader), way->frames.scene, options->names[i]);
    }
    if (way->count == 0) TRY(find_mover(script, way, report));
    TRY(plot_crop(script, &way->frames, report));
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

// Three columns over time.
static void put_lines(PlotScript *script, uint32_t block, const char *const names[3]) {
    fputs("plot", script->out);
    for (int k = 0; k < 3; k++) {
        fprintf(script->out, "%s $d%u using 1:%d with lines lt %d", k > 0 ? "," : "", block, k + 2, k + 1);
        plot_entry(script, names[k]);
    }
    fputc('\n', script->out);
}

ClackStatus plot_trajectory(PlotScript *script, ClackReport *report) {
    static const char *const places[] = {"x", "y", "z"};
    Way way;
    const ClackStatus status = read_way(script, &way, report);
    if (status == CLACK_OK) plot_begin(script, (uint32_t)way.count, 0);
    for (size_t i = 0; status == CLACK_OK && i < way.count; i++) {
        const uint32_t block = put_way(script, &way.frames, way.bodies[i]);
        if (!script->options->is_inline)
            plot_label(script, PLOT_TITLE, script->ensemble->bodies.items[way.bodies[i]], "");
        plot_label(script, PLOT_Y_LABEL, "position", "m");
        put_time_axis(script, &way.frames);
        put_place_axis(script, &way.frames, way.bodies[i]);
        plot_place(script);
        put_lines(script, block, places);
    }
    ensemble_frames_free(&way.frames);
    return status;
}

// Of a coordinate of the ways, with a share of their longest extent on either side, so that floors are seen, no far
// walls.
static PlotRange range_of(const Way *way, int axis) {
    PlotRange range = {INFINITY, -INFINITY};
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
        if (k == axis) range = (PlotRange){low, high};
    }
    const double margin = longest > 0 ? MARGIN_SHARE * longest : REST_MARGIN_M;
    return (PlotRange){range.low - margin, range.high + margin};
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
    const PlotRange across = range_of(way, plane->across), up = range_of(way, plane->up);
    char title[80];
    plot_equal_axes(script, across, up);
    snprintf(title, sizeof title, "plane %s, %s%s", plane->name, plane->view,
             outlines->is_known ? "" : ", fixed shapes unknown");
    plot_label(script, PLOT_TITLE, title, "");
    plot_label(script, PLOT_X_LABEL, (const char[]){"xyz"[plane->across], '\0'}, "m");
    plot_label(script, PLOT_Y_LABEL, (const char[]){"xyz"[plane->up], '\0'}, "m");
    plot_place(script);
    plot_equal_ranges(script, across, up);
    fputs("set clip two\nplot", script->out);
    if (outlines->is_known && outlines->counts[view] > 0) {
        fprintf(script->out, " $d%u using 1:2 with lines dt solid lc rgb '#999999' lw 1", outlines->blocks[view]);
        plot_entry(script, "fixed shapes");
        fputc(',', script->out);
    }
    for (size_t i = 0; i < way->count; i++) {
        fprintf(script->out, "%s $d%u using %d:%d with linespoints lt %zu ps 0.3", i == 0 ? "" : ",",
                first + (uint32_t)i, plane->across + 2, plane->up + 2, i % 4 + 1);
        plot_entry(script, script->ensemble->bodies.items[way->bodies[i]]);
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
        script->panel_height = views == 1 ? PATH_PIXELS : 0;
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

static void put_energy_axis(PlotScript *script, const double *kinetic_J, const double *potential_J, uint64_t count) {
    double low = 0, high = 0;
    for (uint64_t i = 0; i < count; i++) {
        low = fmin(low, fmin(kinetic_J[i], potential_J[i])); // of a NaN and a number the number
        high = fmax(high, fmax(fmax(kinetic_J[i], potential_J[i]), kinetic_J[i] + potential_J[i]));
    }
    const double spare = high > low ? 0.03 * (high - low) : 1;
    plot_axis(script, 'y', low < 0 ? low - spare : 0, high + spare);
}

ClackStatus plot_energy(PlotScript *script, ClackReport *report) {
    EnsembleFrames frames = {0};
    Study *study = NULL;
    static const char *const names[] = {"kinetic", "potential", "sum"};
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
    plot_label(script, PLOT_Y_LABEL, "energy", "J");
    put_energy_axis(script, kinetic_J, potential_J, frames.frame_count);
    plot_place(script);
    put_lines(script, block, names);
cleanup:
    free(kinetic_J);
    free(potential_J);
    study_free(study);
    ensemble_frames_free(&frames);
    return status;
}
