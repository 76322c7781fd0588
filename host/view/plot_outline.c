// Outlines of the fixed shapes of a scene, for figures of ways.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "surface.h"
#include "base/vec3.h"

typedef struct Point {
    double across, up;
} Point;

static int compare_points(const void *a, const void *b) {
    const Point *p = a, *q = b;
    if (p->across != q->across) return p->across < q->across ? -1 : 1;
    return (p->up > q->up) - (p->up < q->up);
}

static int turns_left(Point a, Point b, Point c) {
    return (b.across - a.across) * (c.up - a.up) - (b.up - a.up) * (c.across - a.across) > 0;
}

// Shapes are convex: seen from afar the outline is the convex hull of the points (Andrew's monotone chain). hull:
// room for twice as many.
static size_t outline_of(Point *points, size_t count, Point *hull) {
    size_t used = 0;
    qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 0; i < count; i++) {
        while (used >= 2 && !turns_left(hull[used - 2], hull[used - 1], points[i])) used--;
        hull[used++] = points[i];
    }
    const size_t lower = used + 1;
    for (size_t i = count; i-- > 1;) {
        while (used >= lower && !turns_left(hull[used - 2], hull[used - 1], points[i - 1])) used--;
        hull[used++] = points[i - 1];
    }
    return used;
}

static Point seen(const Surface *surface, const EnsembleFrames *frames, uint32_t point, int up_axis) {
    const size_t body = surface->bodies[point];
    const double *x = frames->position_m + 3 * body, *q = frames->orientation + 4 * body, *p = surface->points_m[point];
    const Vec3 at = quat_rotate(quat_make(q[0], q[1], q[2], q[3]), vec3_make(p[0], p[1], p[2]));
    return (Point){x[0] + at.x, x[up_axis] + (up_axis == 1 ? at.y : at.z)};
}

// One closed line for each shape of a fixed body, seen along y or z.
static int put_outlines(PlotScript *script, const Study *study, const EnsembleFrames *frames, const Surface *surface,
                        int up_axis) {
    Point *points = calloc(3 * surface->triangle_count + 1, sizeof *points),
          *hull = calloc(6 * surface->triangle_count + 2, sizeof *hull);
    for (size_t t = 0; points != NULL && hull != NULL && t < surface->triangle_count;) {
        const uint32_t shape = surface->shapes[t];
        const uint32_t is_fixed = study->scene.bodies[surface->bodies[surface->triangles[t][0]]].is_fixed;
        size_t count = 0;
        for (; t < surface->triangle_count && surface->shapes[t] == shape; t++)
            for (int k = 0; k < 3; k++) points[count++] = seen(surface, frames, surface->triangles[t][k], up_axis);
        count = is_fixed ? outline_of(points, count, hull) : 0;
        for (size_t i = 0; i < count; i++) fprintf(script->out, "%.17g %.17g\n", hull[i].across, hull[i].up);
        if (count > 0) fputc('\n', script->out);
    }
    const int is_done = points != NULL && hull != NULL;
    free(points);
    free(hull);
    return is_done;
}

ClackStatus plot_outlines(PlotScript *script, const EnsembleFrames *frames, PlotOutlines *out, ClackReport *report) {
    Study *study = NULL;
    Surface surface = {0};
    ClackReport why = {0};
    ClackStatus status = CLACK_OK;
    out->is_known = ensemble_study(script->ensemble, script->options->study_path, &study, &why) == CLACK_OK &&
                    surface_make(study, frames, &surface, &why) == CLACK_OK;
    for (int view = 0; out->is_known && status == CLACK_OK && view < 2; view++) {
        out->blocks[view] = plot_begin_block(script);
        if (!put_outlines(script, study, frames, &surface, view == 0 ? 2 : 1))
            status = report_add(report, CLACK_MEMORY, "no memory for outlines");
        plot_end_block(script);
    }
    clack_report_clear(&why);
    surface_free(&surface);
    study_free(study);
    return status;
}
