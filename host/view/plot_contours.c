// Contact regions of one configuration of a file of `clack evaluate`: their contours, closed, seen along two axes.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "clack.h"
#include "plot_internal.h"

#define KEY_MOST 6u        // regions that the key tells of
#define COLOURS 4u         // of plot_begin's line types
#define RANGE_MARGIN 1.1   // of the half extent, about what is drawn
#define ARROW_SHARE 0.35   // length of a normal, of the half extent of contours
#define MOST_REGIONS 1000u // drawn
#define NO_EXTENT_M 0.01   // half extent where there are centroids alone

// Two views, each with its axes across and upwards.
typedef struct RegionView {
    Vec3 across, up;
    const char *title, *across_name, *up_name;
} RegionView;

typedef struct RegionFigure {
    const Evaluation *evaluation;
    EvaluatedRegions all;
    size_t drawn[MOST_REGIONS]; // numbers of regions
    size_t drawn_count, left_out;
    int is_seen_alone; // in the plane of the only region, and along it
    Vec3 origin_m;     // of the figure
    RegionView views[2];
    double half_m; // extent of the figure, from its middle
    Vec3 middle_m; // from the origin
    double arrow_m;
} RegionFigure;

static Vec3 vec3_of(const double *v) { return vec3_make(v[0], v[1], v[2]); }

// --- which regions --------------------------------------------------------------------------------

// Whether a region is one of the bodies that are named: of one that, of several between two of these.
static int is_wanted(const EvaluatedRegion *region, const uint32_t *bodies, size_t count) {
    int has_a = 0, has_b = 0;
    for (size_t i = 0; i < count; i++) {
        has_a |= bodies[i] == region->body_a;
        has_b |= bodies[i] == region->body_b;
    }
    return count == 0 || (count == 1 ? has_a || has_b : has_a && has_b);
}

static void choose_regions(RegionFigure *figure, const uint32_t *bodies, size_t body_count) {
    figure->drawn_count = figure->left_out = 0;
    for (size_t i = 0; i < figure->all.region_count; i++) {
        if (!is_wanted(&figure->all.regions[i], bodies, body_count)) continue;
        if (figure->drawn_count < MOST_REGIONS)
            figure->drawn[figure->drawn_count++] = i;
        else
            figure->left_out++;
    }
}

static ClackStatus name_bodies(const RegionFigure *figure, const PlotOptions *options, uint32_t *bodies,
                               ClackReport *report) {
    if (options->name_count > PLOT_PANELS_MAX)
        return report_add(report, CLACK_USAGE, "a figure of at most %u bodies, found %zu", PLOT_PANELS_MAX,
                          options->name_count);
    for (size_t i = 0; i < options->name_count; i++)
        TRY(evaluation_find_body(figure->evaluation, options->names[i], &bodies[i], report));
    return CLACK_OK;
}

// Of the configuration that is asked for, else of the first one that has any.
static ClackStatus find_regions(RegionFigure *figure, const PlotOptions *options, ClackReport *report) {
    const Evaluation *evaluation = figure->evaluation;
    const char *path = record_read_path(evaluation->reader), *of = options->name_count > 0 ? " of these bodies" : "";
    uint32_t bodies[PLOT_PANELS_MAX];
    TRY(name_bodies(figure, options, bodies, report));
    uint64_t at = options->configuration >= 0 ? (uint64_t)options->configuration : 0;
    const uint64_t end = options->configuration >= 0 ? at + 1 : evaluation->configuration_count;
    for (; at < end; at++) {
        if (at < evaluation->configuration_count && evaluation->first_region[at] == evaluation->first_region[at + 1])
            continue;
        evaluation_free_regions(&figure->all);
        TRY(evaluation_regions(evaluation, at, &figure->all, report));
        choose_regions(figure, bodies, options->name_count);
        if (figure->drawn_count > 0) return CLACK_OK;
    }
    if (options->configuration >= 0)
        return report_add(report, CLACK_USAGE, "%s: configuration %" PRId64 " has no contact region%s", path,
                          options->configuration, of);
    return report_add(report, CLACK_USAGE, "%s: no configuration has a contact region%s", path, of);
}

// --- views ----------------------------------------------------------------------------------------

static double view_at(const RegionFigure *figure, int view, int is_up, Vec3 at_m) {
    const RegionView *seen = &figure->views[view];
    return vec3_dot(is_up ? seen->up : seen->across, vec3_sub(at_m, figure->origin_m));
}

static void choose_views(RegionFigure *figure) {
    const EvaluatedRegion *only = &figure->all.regions[figure->drawn[0]];
    const Vec3 x = vec3_make(1, 0, 0), y = vec3_make(0, 1, 0), z = vec3_make(0, 0, 1);
    figure->is_seen_alone = figure->drawn_count == 1 && only->point_count > 0;
    if (!figure->is_seen_alone) {
        figure->views[0] = (RegionView){x, z, "from the side", "x", "z"};
        figure->views[1] = (RegionView){x, y, "from above", "x", "y"};
        return;
    }
    const Vec3 normal = vec3_of(only->normal), across = vec3_perpendicular(normal);
    figure->origin_m = vec3_of(only->centroid_m);
    figure->views[0] = (RegionView){across, vec3_cross(normal, across), "in its plane", "u", "v"};
    figure->views[1] = (RegionView){across, normal, "along its plane", "u", "along the normal"};
}

// How far a point is from the middle, along the axes of both views.
static double view_reach(const RegionFigure *figure, Vec3 at_m) {
    const Vec3 from = vec3_sub(at_m, vec3_add(figure->origin_m, figure->middle_m));
    double reach_m = 0;
    for (int view = 0; view < 2; view++)
        reach_m = fmax(reach_m, fmax(fabs(vec3_dot(figure->views[view].across, from)),
                                     fabs(vec3_dot(figure->views[view].up, from))));
    return reach_m;
}

// Amid all that is drawn; of a region alone, its centroid.
static Vec3 find_middle(const RegionFigure *figure) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (figure->is_seen_alone) return vec3_zero();
    for (size_t i = 0; i < figure->drawn_count; i++) {
        const EvaluatedRegion *region = &figure->all.regions[figure->drawn[i]];
        for (size_t p = 0; p <= region->point_count; p++) {
            const double *at =
                p < region->point_count ? figure->all.points_m + 3 * (region->first_point + p) : region->centroid_m;
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], at[k]);
                high[k] = fmax(high[k], at[k]);
            }
        }
    }
    return vec3_scale(vec3_add(vec3_of(low), vec3_of(high)), 0.5);
}

// The same for all axes, so that their scales are equal; normals fit.
static void choose_extent(RegionFigure *figure) {
    double reach_m = 0;
    figure->middle_m = find_middle(figure);
    for (size_t i = 0; i < figure->drawn_count; i++) {
        const EvaluatedRegion *region = &figure->all.regions[figure->drawn[i]];
        reach_m = fmax(reach_m, view_reach(figure, vec3_of(region->centroid_m)));
        for (size_t p = region->first_point; p < region->first_point + region->point_count; p++)
            reach_m = fmax(reach_m, view_reach(figure, vec3_of(figure->all.points_m + 3 * p)));
    }
    if (!(reach_m > 0)) reach_m = NO_EXTENT_M;
    figure->arrow_m = ARROW_SHARE * reach_m;
    for (size_t i = 0; i < figure->drawn_count; i++) {
        const EvaluatedRegion *region = &figure->all.regions[figure->drawn[i]];
        const Vec3 tip = vec3_add_scaled(vec3_of(region->centroid_m), vec3_of(region->normal), figure->arrow_m);
        reach_m = fmax(reach_m, view_reach(figure, tip));
    }
    figure->half_m = RANGE_MARGIN * reach_m;
}

// --- the script -----------------------------------------------------------------------------------

static void put_point(PlotScript *script, const RegionFigure *figure, Vec3 at_m) {
    for (int k = 0; k < 4; k++) fprintf(script->out, "%s%.17g", k > 0 ? " " : "", view_at(figure, k / 2, k % 2, at_m));
}

// Contours, each back to its first point; columns: both views, across and up. Regions without one have their centroid.
static void put_contours(PlotScript *script, const RegionFigure *figure, const EvaluatedRegion *region) {
    size_t at = region->first_point;
    plot_begin_block(script);
    for (size_t first = at, count; (count = evaluation_next_contour(&figure->all, region, &at)) > 0; first = at) {
        for (size_t i = 0; i <= count; i++) {
            put_point(script, figure, vec3_of(figure->all.points_m + 3 * (first + i % count)));
            fputs("\n", script->out);
        }
        fputs("\n", script->out);
    }
    if (region->point_count == 0) {
        put_point(script, figure, vec3_of(region->centroid_m));
        fputs("\n", script->out);
    }
    plot_end_block(script);
}

// Centroids and the vectors of the normals; columns: of both views a place, then of both a vector.
static uint32_t put_normals(PlotScript *script, const RegionFigure *figure) {
    const uint32_t block = plot_begin_block(script);
    for (size_t i = 0; i < figure->drawn_count; i++) {
        const EvaluatedRegion *region = &figure->all.regions[figure->drawn[i]];
        const Vec3 arrow = vec3_scale(vec3_of(region->normal), figure->arrow_m);
        put_point(script, figure, vec3_of(region->centroid_m));
        fputs(" ", script->out);
        put_point(script, figure, vec3_add(figure->origin_m, arrow));
        fputs("\n", script->out);
    }
    plot_end_block(script);
    return block;
}

static void put_title(PlotScript *script, const RegionFigure *figure, const EvaluatedRegion *region) {
    const RecordTexts *bodies = &figure->evaluation->bodies;
    char title[400];
    int used = snprintf(title, sizeof title, "%.100s - %.100s: ", bodies->items[region->body_a],
                        bodies->items[region->body_b]);
    if (region->flags & CLACK_REGION_ENGULFED)
        snprintf(title + used, sizeof title - (size_t)used, "engulfed");
    else
        snprintf(title + used, sizeof title - (size_t)used, "area %.4g m², indentation %.4g m%s", region->area_m2,
                 region->indentation_m, region->flags & CLACK_REGION_OPEN_CONTOUR ? ", closed straight" : "");
    plot_entry(script, title);
}

static void put_view(PlotScript *script, const RegionFigure *figure, int view, uint32_t first, uint32_t normals) {
    const RegionView *seen = &figure->views[view];
    const double across = vec3_dot(seen->across, figure->middle_m), up = vec3_dot(seen->up, figure->middle_m);
    const PlotRange wide = {across - figure->half_m, across + figure->half_m},
                    high = {up - figure->half_m, up + figure->half_m};
    plot_equal_axes(script, wide, high);
    plot_label(script, PLOT_TITLE, seen->title, "");
    plot_label(script, PLOT_X_LABEL, seen->across_name, "m");
    plot_label(script, PLOT_Y_LABEL, seen->up_name, "m");
    plot_place(script);
    plot_equal_ranges(script, wide, high);
    fputs("plot", script->out);
    for (size_t i = 0; i < figure->drawn_count; i++) {
        const EvaluatedRegion *region = &figure->all.regions[figure->drawn[i]];
        fprintf(script->out, "%s $d%u using %d:%d with %s lt %zu", i > 0 ? "," : "", first + (uint32_t)i, 2 * view + 1,
                2 * view + 2, region->point_count > 0 ? "lines" : "points", i % COLOURS + 1);
        if (view == 0 && i < KEY_MOST)
            put_title(script, figure, region);
        else
            fputs(" notitle", script->out);
    }
    fprintf(script->out, ", $d%u using %d:%d with points pt 1 ps 0.8 lc rgb '#333333'", normals, 2 * view + 1,
            2 * view + 2);
    if (view == 0)
        plot_entry(script, "centroid, normal");
    else
        fputs(" notitle", script->out);
    fprintf(script->out, ", '' using %d:%d:%d:%d with vectors head filled dt solid lc rgb '#333333' notitle\n",
            2 * view + 1, 2 * view + 2, 2 * view + 5, 2 * view + 6);
}

static void add_title(PlotScript *script, const RegionFigure *figure) {
    const size_t used = strlen(script->title);
    snprintf(script->title + used, sizeof script->title - used, ", configuration %" PRIu64, figure->all.configuration);
    if (figure->left_out > 0)
        plot_note(script, "%zu regions of %zu.", figure->drawn_count, figure->drawn_count + figure->left_out);
    if (figure->drawn_count > KEY_MOST)
        plot_note(script, "%zu regions; the key has the first %u.", figure->drawn_count, KEY_MOST);
}

ClackStatus plot_contours(PlotScript *script, ClackReport *report) {
    RegionFigure *figure = calloc(1, sizeof *figure);
    ClackStatus status = CLACK_OK;
    if (figure == NULL) return report_add(report, CLACK_MEMORY, "no memory for a figure");
    figure->evaluation = script->evaluation;
    TRY_CLEAN(find_regions(figure, script->options, report));
    choose_views(figure);
    choose_extent(figure);
    add_title(script, figure);
    // Beside each other, since both are square, but in figures that are higher than wide.
    plot_begin(script, 2, script->options->height_px > script->options->width_px ? 1 : 2);
    const uint32_t first = script->blocks;
    for (size_t i = 0; i < figure->drawn_count; i++)
        put_contours(script, figure, &figure->all.regions[figure->drawn[i]]);
    const uint32_t normals = put_normals(script, figure);
    for (int view = 0; view < 2; view++) put_view(script, figure, view, first, normals);
cleanup:
    evaluation_free_regions(&figure->all);
    free(figure);
    return status;
}
