// Outlines of the fixed shapes of a scene, for figures of ways.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "surface.h"
#include "base/vec3.h"

#define SQUARE_TIMES 4.0 // the diagonal of a half-space's square, to either side: at least 3 times what is seen
#define LEAN_MOST 0.1    // towards the viewer, of a normal: of the surface the line through the middle is drawn

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

// Seen from afar the outline of a convex shape is the convex hull of its points (Andrew's monotone chain). hull:
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

static double coordinate(Vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static Point seen(const Surface *surface, const EnsembleFrames *frames, uint32_t point, const PlotPlane *plane) {
    const size_t body = surface->bodies[point];
    const double *x = frames->position_m + 3 * body, *q = frames->orientation + 4 * body, *p = surface->points_m[point];
    const Vec3 at = quat_rotate(quat_make(q[0], q[1], q[2], q[3]), vec3_make(p[0], p[1], p[2]));
    return (Point){x[plane->across] + coordinate(at, plane->across), x[plane->up] + coordinate(at, plane->up)};
}

// A figure's fixed shapes in a plane.
typedef struct Drawing {
    PlotScript *script;
    const EnsembleFrames *frames;
    const Surface *surface;
    const PlotPlane *plane;
} Drawing;

// Outline of the triangles from `first` to before `end`, those of a convex shape. 0: no memory.
static int put_convex(const Drawing *drawing, size_t first, size_t end) {
    Point *points = calloc(3 * (end - first), sizeof *points), *hull = calloc(6 * (end - first) + 2, sizeof *hull);
    const int is_done = points != NULL && hull != NULL;
    size_t count = 0;
    for (size_t t = first; is_done && t < end; t++)
        for (int k = 0; k < 3; k++)
            points[count++] =
                seen(drawing->surface, drawing->frames, drawing->surface->triangles[t][k], drawing->plane);
    count = is_done ? outline_of(points, count, hull) : 0;
    for (size_t i = 0; i < count; i++) fprintf(drawing->script->out, "%.17g %.17g\n", hull[i].across, hull[i].up);
    if (count > 0) fputc('\n', drawing->script->out);
    free(points);
    free(hull);
    return is_done;
}

typedef struct Side { // of a triangle
    uint32_t low, high;
    size_t triangle;
} Side;

static int compare_sides(const void *a, const void *b) {
    const Side *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

// Unit normal of a triangle in the frame of its body.
static Vec3 normal_of(const Surface *surface, size_t triangle) {
    Vec3 corners[3];
    for (int k = 0; k < 3; k++) {
        const double *at = surface->points_m[surface->triangles[triangle][k]];
        corners[k] = vec3_make(at[0], at[1], at[2]);
    }
    return vec3_normalize(vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0])));
}

#define CREASE_COSINE 0.8660254037844386 // of 30 degrees

// Is an edge drawn: a crease, or one beyond which the surface faces away from the viewer? Without a second triangle,
// too.
static int is_drawn(const Drawing *drawing, const Side *side, const Side *other) {
    if (other == NULL) return 1;
    const double *q = drawing->frames->orientation + 4 * (size_t)drawing->surface->bodies[side->low];
    const double *from = drawing->plane->from;
    const Vec3 towards = vec3_make(from[0], from[1], from[2]);
    const Vec3 in_body = quat_rotate_back(quat_make(q[0], q[1], q[2], q[3]), towards);
    const Vec3 a = normal_of(drawing->surface, side->triangle), b = normal_of(drawing->surface, other->triangle);
    return vec3_dot(a, b) < CREASE_COSINE || (vec3_dot(a, in_body) > 0) != (vec3_dot(b, in_body) > 0);
}

// Edges of a surface that need not be convex, a line each. 0: no memory.
static int put_edges(const Drawing *drawing, size_t first, size_t end) {
    const Surface *surface = drawing->surface;
    const size_t count = 3 * (end - first);
    Side *sides = calloc(count, sizeof *sides);
    if (sides == NULL) return 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *corners = surface->triangles[first + i / 3], a = corners[i % 3], b = corners[(i + 1) % 3];
        sides[i] = (Side){a < b ? a : b, a < b ? b : a, first + i / 3};
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    for (size_t i = 0; i < count;) {
        const Side *other = i + 1 < count && sides[i + 1].low == sides[i].low && sides[i + 1].high == sides[i].high
                                ? &sides[i + 1]
                                : NULL;
        const Point from = seen(surface, drawing->frames, sides[i].low, drawing->plane),
                    to = seen(surface, drawing->frames, sides[i].high, drawing->plane);
        if (is_drawn(drawing, &sides[i], other))
            fprintf(drawing->script->out, "%.17g %.17g\n%.17g %.17g\n\n", from.across, from.up, to.across, to.up);
        i += other != NULL ? 2 : 1;
    }
    free(sides);
    return 1;
}

// The surface of a half-space from edge to edge of the panel, whose axes are widened to be to scale: by as much as it
// is wider than high, or the other way. It has no end, and no outline where the viewer does not look along it. 1:
// drawn.
static int put_half_space(const Drawing *drawing, size_t triangle) {
    const Surface *surface = drawing->surface;
    const uint32_t *corners = surface->triangles[triangle]; // of a square about the ways, two of them opposite
    const double *q = drawing->frames->orientation + 4 * (size_t)surface->bodies[corners[0]];
    const double *from = drawing->plane->from, *p = surface->points_m[corners[0]], *r = surface->points_m[corners[2]];
    const Vec3 normal = quat_rotate(quat_make(q[0], q[1], q[2], q[3]), normal_of(surface, triangle));
    const Vec3 towards = vec3_make(from[0], from[1], from[2]);
    if (fabs(vec3_dot(normal, towards)) > LEAN_MOST) return 0;
    const Vec3 along = vec3_normalize(vec3_cross(normal, towards));
    const double wide = drawing->script->inner_width, high = drawing->script->inner_height;
    const double half =
        SQUARE_TIMES * fmax(wide / high, high / wide) * vec3_length(vec3_make(p[0] - r[0], p[1] - r[1], p[2] - r[2]));
    const Point a = seen(surface, drawing->frames, corners[0], drawing->plane),
                c = seen(surface, drawing->frames, corners[2], drawing->plane);
    const double across = half * coordinate(along, drawing->plane->across),
                 up = half * coordinate(along, drawing->plane->up);
    fprintf(drawing->script->out, "%.17g %.17g\n%.17g %.17g\n\n", 0.5 * (a.across + c.across) - across,
            0.5 * (a.up + c.up) - up, 0.5 * (a.across + c.across) + across, 0.5 * (a.up + c.up) + up);
    return 1;
}

// The shapes of fixed bodies: one closed line for each, of meshes their edges, of half-spaces a line. 0: no memory.
static int put_outlines(const Drawing *drawing, const Study *study, uint32_t *out_count) {
    const Surface *surface = drawing->surface;
    int is_done = 1;
    *out_count = 0;
    for (size_t t = 0, end; is_done && t < surface->triangle_count; t = end) {
        const uint32_t shape = surface->shapes[t];
        for (end = t; end < surface->triangle_count && surface->shapes[end] == shape;) end++;
        if (!study->scene.bodies[surface->bodies[surface->triangles[t][0]]].is_fixed) continue;
        const SceneShape *given = &study->scene.shapes[shape];
        if (given->kind == SHAPE_HALF_SPACE) {
            *out_count += put_half_space(drawing, t) ? 1 : 0;
            continue;
        }
        is_done = given->mesh != NULL ? put_edges(drawing, t, end) : put_convex(drawing, t, end);
        ++*out_count;
    }
    return is_done;
}

ClackStatus plot_outlines(PlotScript *script, const EnsembleFrames *frames, const PlotPlane *const *planes,
                          size_t count, PlotOutlines *out, ClackReport *report) {
    Study *study = NULL;
    Surface surface = {0};
    ClackReport why = {0};
    ClackStatus status = CLACK_OK;
    out->is_known = ensemble_study(script->ensemble, script->options->study_path, &study, &why) == CLACK_OK &&
                    surface_make(study, frames, &surface, &why) == CLACK_OK;
    for (size_t view = 0; out->is_known && status == CLACK_OK && view < count; view++) {
        out->blocks[view] = plot_begin_block(script);
        const Drawing drawing = {script, frames, &surface, planes[view]};
        if (!put_outlines(&drawing, study, &out->counts[view]))
            status = report_add(report, CLACK_MEMORY, "no memory for outlines");
        plot_end_block(script);
    }
    clack_report_clear(&why);
    surface_free(&surface);
    study_free(study);
    return status;
}
