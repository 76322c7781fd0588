// The shapes of a scene at given times, in parallel projection: triangles from the farthest to the nearest, as bright
// as they face a light beside the viewer.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "surface.h"
#include "base/vec3.h"

#define DEGREE 0.017453292519943295
#define AZIMUTH -60.0 // degrees: of the viewer about z, from x on
#define ELEVATION 25.0
#define MARGIN_SHARE 0.12 // around what moves, of its size
#define PART_SHARE 0.15   // longest edge of a triangle that is sorted as one, of the size of the picture
#define PARTS_MAX 400000u // triangles of a panel; then no more are cut
#define OBJECTS_MOST 1000000000u
#define FIXED_OPACITY 0.6 // of fixed bodies, in front of what moves
#define PANEL_PIXELS 460.0
#define TITLE_PIXELS 25.0 // above a panel of a small figure
#define TIME_PIXELS 55.0  // width of that title
#define COLOURS 8u
#define BESIDE 0.4 // of the light: to the left of the viewer, and above

static const unsigned char colours[COLOURS][3] = {{47, 111, 184}, {224, 130, 46},  {61, 153, 98},  {163, 127, 201},
                                                  {200, 70, 80},  {120, 170, 190}, {170, 140, 60}, {110, 110, 110}};

typedef struct Part {  // of a surface, in the picture
    double x[3], y[3]; // corners
    double depth;      // of its middle, towards the viewer
    uint32_t body;
    double shade; // 0 dark to 1
} Part;

typedef struct Picture {
    PlotScript *script;
    const Study *study;
    const EnsembleFrames *frames;
    const Surface *surface;
    Vec3 right, up, towards;              // of the picture; towards the viewer
    unsigned char *is_shown, *has_ground; // (body_count); has_ground: a half-space
    double low[2], high[2];               // range in the picture, of all panels
    PlotFoot foot;
    Part *parts; // (part_count)
    size_t part_count, part_room;
} Picture;

// --- where things are in the picture --------------------------------------------------------------

static void set_view(Picture *picture) {
    const PlotOptions *options = picture->script->options;
    const double azimuth = DEGREE * (options->has_view ? options->view_deg[0] : AZIMUTH);
    const double elevation = DEGREE * (options->has_view ? options->view_deg[1] : ELEVATION);
    const double c = cos(elevation), s = sin(elevation);
    picture->towards = vec3_make(c * cos(azimuth), c * sin(azimuth), s);
    picture->right = vec3_make(-sin(azimuth), cos(azimuth), 0);
    picture->up = vec3_cross(picture->towards, picture->right);
}

static Vec3 place_of(const Picture *picture, uint64_t frame, uint32_t point) {
    const size_t row = (size_t)frame * picture->frames->body_count + picture->surface->bodies[point];
    const double *x = picture->frames->position_m + 3 * row, *q = picture->frames->orientation + 4 * row,
                 *p = picture->surface->points_m[point];
    const Vec3 at = quat_rotate(quat_make(q[0], q[1], q[2], q[3]), vec3_make(p[0], p[1], p[2]));
    return vec3_add(vec3_make(x[0], x[1], x[2]), at);
}

static int is_fixed(const Picture *picture, uint32_t body) { return picture->study->scene.bodies[body].is_fixed != 0; }

static int is_ground(const Picture *picture, size_t triangle) {
    return picture->study->scene.shapes[picture->surface->shapes[triangle]].kind == SHAPE_HALF_SPACE;
}

// The range of what moves in these frames; of all that is shown where nothing does.
static void find_range(Picture *picture, const uint64_t *frames, size_t count) {
    for (int pass = 0; pass < 2 && !(picture->low[0] < picture->high[0]); pass++) {
        for (int k = 0; k < 2; k++) picture->low[k] = INFINITY, picture->high[k] = -INFINITY;
        for (size_t f = 0; f < count; f++) {
            for (uint32_t i = 0; i < picture->surface->point_count; i++) {
                const uint32_t body = picture->surface->bodies[i];
                if (!picture->is_shown[body] || (pass == 0 && is_fixed(picture, body))) continue;
                const Vec3 at = place_of(picture, frames[f], i);
                const double seen[2] = {vec3_dot(at, picture->right), vec3_dot(at, picture->up)};
                for (int k = 0; k < 2; k++) {
                    picture->low[k] = fmin(picture->low[k], seen[k]);
                    picture->high[k] = fmax(picture->high[k], seen[k]);
                }
            }
        }
    }
    const double size = fmax(picture->high[0] - picture->low[0], picture->high[1] - picture->low[1]);
    for (int k = 0; k < 2; k++) {
        picture->low[k] -= MARGIN_SHARE * size;
        picture->high[k] += MARGIN_SHARE * size;
    }
}

// The range fills panels of so many pixels; pixels in a metre.
static double fill_panels(Picture *picture, double width, double height) {
    const double sizes[2] = {width, height};
    const double pixels =
        fmin(width / (picture->high[0] - picture->low[0]), height / (picture->high[1] - picture->low[1]));
    for (int k = 0; k < 2; k++) {
        const double spare = 0.5 * (sizes[k] / pixels - (picture->high[k] - picture->low[k]));
        picture->low[k] -= spare;
        picture->high[k] += spare;
    }
    return pixels;
}

// Columns of panels in which the picture is largest, each wide enough for its time; 0: as the size leaves it open.
static uint32_t choose_columns(const Picture *picture, uint32_t panels) {
    const PlotOptions *options = picture->script->options;
    uint32_t best = 1;
    double most = 0;
    if (!(options->width_px > 0)) return 0;
    for (uint32_t columns = 1; columns <= panels; columns++) {
        const uint32_t rows = (panels + columns - 1) / columns;
        const double width = options->width_px / columns, height = options->height_px / rows;
        const double pixels = fmin(width / (picture->high[0] - picture->low[0]),
                                   fmax(height - TITLE_PIXELS, 1) / (picture->high[1] - picture->low[1]));
        if (pixels <= most || width < TIME_PIXELS) continue;
        most = pixels;
        best = columns;
    }
    return best;
}

// --- parts ----------------------------------------------------------------------------------------

static int add_part(Picture *picture, const Vec3 corners[3], uint32_t body, double shade) {
    if (picture->part_count == picture->part_room) {
        const size_t room = picture->part_room == 0 ? 4096 : 2 * picture->part_room;
        Part *grown = realloc(picture->parts, room * sizeof *grown);
        if (grown == NULL) return 0;
        picture->parts = grown;
        picture->part_room = room;
    }
    Part *part = &picture->parts[picture->part_count++];
    *part = (Part){.body = body, .shade = shade};
    for (int k = 0; k < 3; k++) {
        part->x[k] = vec3_dot(corners[k], picture->right);
        part->y[k] = vec3_dot(corners[k], picture->up);
        part->depth += vec3_dot(corners[k], picture->towards) / 3;
    }
    return 1;
}

static int is_outside(const Picture *picture, const Vec3 corners[3]) {
    int left = 0, right = 0, below = 0, above = 0;
    for (int k = 0; k < 3; k++) {
        const double x = vec3_dot(corners[k], picture->right), y = vec3_dot(corners[k], picture->up);
        left += x < picture->low[0];
        right += x > picture->high[0];
        below += y < picture->low[1];
        above += y > picture->high[1];
    }
    return left == 3 || right == 3 || below == 3 || above == 3;
}

// Long triangles are cut in two, since one depth does not tell what they hide. 0: no memory.
static int add_cut(Picture *picture, const Vec3 corners[3], uint32_t body, double shade) {
    const double most = PART_SHARE * fmax(picture->high[0] - picture->low[0], picture->high[1] - picture->low[1]);
    int longest = 0;
    double length = 0;
    if (is_outside(picture, corners)) return 1;
    for (int k = 0; k < 3; k++) {
        const double edge = vec3_length(vec3_sub(corners[(k + 1) % 3], corners[k]));
        if (edge <= length) continue;
        length = edge;
        longest = k;
    }
    if (length <= most || picture->part_count > PARTS_MAX) return add_part(picture, corners, body, shade);
    const Vec3 a = corners[longest], b = corners[(longest + 1) % 3], c = corners[(longest + 2) % 3];
    const Vec3 middle = vec3_scale(vec3_add(a, b), 0.5);
    const Vec3 first[3] = {a, middle, c}, second[3] = {middle, b, c};
    return add_cut(picture, first, body, shade) && add_cut(picture, second, body, shade);
}

// Triangles that face the viewer: of half-spaces, behind all others, or of these. 0: no memory.
typedef enum Layer { LAYER_GROUND, LAYER_BODIES } Layer;
static int add_layer(Picture *picture, uint64_t frame, Layer layer) {
    const Surface *surface = picture->surface;
    const Vec3 light =
        vec3_normalize(vec3_add(picture->towards, vec3_scale(vec3_sub(picture->up, picture->right), BESIDE)));
    picture->part_count = 0;
    for (size_t t = 0; t < surface->triangle_count; t++) {
        const uint32_t body = surface->bodies[surface->triangles[t][0]];
        Vec3 corners[3];
        if (!picture->is_shown[body] || is_ground(picture, t) != (layer == LAYER_GROUND)) continue;
        for (int k = 0; k < 3; k++) corners[k] = place_of(picture, frame, surface->triangles[t][k]);
        const Vec3 normal =
            vec3_normalize(vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0])));
        if (!(vec3_dot(normal, picture->towards) > 0)) continue;
        if (!add_cut(picture, corners, body, fmax(vec3_dot(normal, light), 0))) return 0;
    }
    return 1;
}

static int compare_parts(const void *a, const void *b) {
    const Part *p = a, *q = b;
    return (p->depth < q->depth) - (p->depth > q->depth);
}

// --- drawing --------------------------------------------------------------------------------------

static void put_colour(const Picture *picture, uint32_t body, double shade, char text[8]) {
    static const unsigned char of_fixed[2][3] = {{205, 205, 205}, {150, 165, 190}}; // half-spaces, others
    const unsigned char *own =
        is_fixed(picture, body) ? of_fixed[picture->has_ground[body] ? 0 : 1] : colours[body % COLOURS];
    const double brightness = 0.6 + 0.4 * shade;
    unsigned levels[3];
    for (int k = 0; k < 3; k++) {
        levels[k] = (unsigned)fmin(own[k] * brightness + 35 * shade * shade, 255);
    }
    snprintf(text, 8, "#%02x%02x%02x", levels[0], levels[1], levels[2]);
}

// From the nearest to the farthest, as gnuplot's objects with falling numbers: it draws them by number, and puts a new
// one into its list at once only where that is less than all others.
static void put_parts(Picture *picture, Layer layer, uint64_t *object) {
    FILE *out = picture->script->out;
    if (picture->part_count > 0) qsort(picture->parts, picture->part_count, sizeof *picture->parts, compare_parts);
    for (size_t i = 0; i < picture->part_count; i++) {
        const Part *part = &picture->parts[i];
        char colour[8];
        put_colour(picture, part->body, part->shade, colour);
        fprintf(out, "set object %" PRIu64 " polygon from %.6g,%.6g to %.6g,%.6g to %.6g,%.6g to %.6g,%.6g fc rgb '%s'",
                (*object)--, part->x[0], part->y[0], part->x[1], part->y[1], part->x[2], part->y[2], part->x[0],
                part->y[0], colour);
        if (layer == LAYER_BODIES && is_fixed(picture, part->body))
            fprintf(out, " fs transparent solid %g noborder\n", FIXED_OPACITY);
        else // a border of its own colour closes the seam to its neighbour
            fprintf(out, " fs solid border rgb '%s' lw 0.4\n", colour);
    }
}

// --- panels ---------------------------------------------------------------------------------------

// Names of the bodies that move, if they are several and not too many.
static void name_bodies(Picture *picture) {
    PlotFoot *foot = &picture->foot;
    for (uint32_t b = 0; b < picture->frames->body_count; b++) {
        if (!picture->is_shown[b] || is_fixed(picture, b)) continue;
        if (foot->name_count == PLOT_NAMES_MAX) {
            foot->name_count = 0;
            return;
        }
        put_colour(picture, b, 0.8, foot->colours[foot->name_count]);
        foot->names[foot->name_count++] = picture->script->ensemble->bodies.items[b];
    }
    if (foot->name_count == 1) foot->name_count = 0;
}

static void put_foot(Picture *picture, double pixels) {
    PlotFoot *foot = &picture->foot;
    const double right[3] = {picture->right.x, picture->right.y, picture->right.z},
                 up[3] = {picture->up.x, picture->up.y, picture->up.z};
    memcpy(foot->right, right, sizeof right);
    memcpy(foot->up, up, sizeof up);
    foot->pixels = pixels;
    foot->width_m = picture->high[0] - picture->low[0];
    plot_foot(picture->script, foot);
}

static ClackStatus put_panel(Picture *picture, uint64_t frame, ClackReport *report) {
    PlotScript *script = picture->script;
    FILE *out = script->out;
    uint64_t object = OBJECTS_MOST;
    const int is_first = script->panel == 0;
    double width = 0, height = 0;
    char time[40];
    fputs("unset object\nunset arrow\nunset label\nunset border\nunset tics\nunset key\n", out);
    snprintf(time, sizeof time, "%.6g s", picture->frames->time_s[frame]);
    script->next.has_no_ticks = 1;
    plot_label(script, PLOT_TITLE, time, "");
    plot_place(script);
    plot_panel_size(script, &width, &height);
    if (is_first) put_foot(picture, fill_panels(picture, width, height));
    fprintf(out, "set size ratio -1\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", picture->low[0],
            picture->high[0], picture->low[1], picture->high[1]);
    for (int layer = LAYER_BODIES; layer >= LAYER_GROUND; layer--) {
        if (!add_layer(picture, frame, (Layer)layer))
            return report_add(report, CLACK_MEMORY, "no memory for a picture");
        put_parts(picture, (Layer)layer, &object);
    }
    fputs("plot NaN notitle\n", out);
    return CLACK_OK;
}

// --- what is asked for ----------------------------------------------------------------------------

// Frames nearest to the times; without any the first.
static size_t find_frames(const PlotOptions *options, const EnsembleFrames *frames, uint64_t *out) {
    size_t count = 0;
    out[count++] = 0;
    for (size_t i = 0; i < options->time_count && i < PLOT_TIMES_MAX; i++) {
        uint64_t best = 0;
        for (uint64_t f = 1; f < frames->frame_count; f++)
            if (fabs(frames->time_s[f] - options->times_s[i]) < fabs(frames->time_s[best] - options->times_s[i]))
                best = f;
        out[i] = best;
        count = i + 1;
    }
    return count;
}

// Those that the scene has; of these all, or fixed ones and those that are named.
static ClackStatus choose_bodies(Picture *picture, ClackReport *report) {
    const PlotOptions *options = picture->script->options;
    const EnsembleFrames *frames = picture->frames;
    picture->is_shown = calloc(frames->body_count + 1, 1);
    picture->has_ground = calloc(frames->body_count + 1, 1);
    if (picture->is_shown == NULL || picture->has_ground == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for a picture");
    for (uint32_t b = 0; b < frames->body_count; b++)
        picture->is_shown[b] =
            isfinite(frames->position_m[3 * (size_t)b]) && (options->name_count == 0 || is_fixed(picture, b));
    for (size_t t = 0; t < picture->surface->triangle_count; t++)
        picture->has_ground[picture->surface->bodies[picture->surface->triangles[t][0]]] |=
            is_ground(picture, t) ? 1 : 0;
    for (size_t i = 0; i < options->name_count; i++) {
        size_t body = 0;
        TRY(ensemble_find_body(picture->script->ensemble, options->names[i], &body, report));
        if (!isfinite(frames->position_m[3 * body]))
            return report_add(report, CLACK_USAGE, "%s: scene %" PRIu64 " has no body \"%s\"",
                              record_read_path(picture->script->ensemble->reader), frames->scene, options->names[i]);
        picture->is_shown[body] = 1;
    }
    return CLACK_OK;
}

ClackStatus plot_scene(PlotScript *script, ClackReport *report) {
    EnsembleFrames frames = {0};
    Surface surface = {0};
    Study *study = NULL;
    Picture picture = {.script = script, .frames = &frames, .surface = &surface};
    uint64_t shown[PLOT_TIMES_MAX] = {0};
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(ensemble_frames(script->ensemble, script->options->scene, &frames, report));
    TRY_CLEAN(ensemble_study(script->ensemble, script->options->study_path, &study, report));
    TRY_CLEAN(surface_make(study, &frames, &surface, report));
    picture.study = study;
    TRY_CLEAN(choose_bodies(&picture, report));
    const size_t count = find_frames(script->options, &frames, shown);
    const size_t used = strlen(script->title);
    snprintf(script->title + used, sizeof script->title - used, ", scene %" PRIu64, frames.scene);
    script->panel_height = PANEL_PIXELS;
    set_view(&picture);
    find_range(&picture, shown, count);
    const uint32_t columns = choose_columns(&picture, (uint32_t)count);
    name_bodies(&picture);
    plot_size(script, (uint32_t)count, columns); // for the width of the names' lines
    script->foot_em = plot_foot_em(script, &picture.foot);
    plot_begin(script, (uint32_t)count, columns);
    for (size_t i = 0; i < count; i++) TRY_CLEAN(put_panel(&picture, shown[i], report));
cleanup:
    free(picture.parts);
    free(picture.is_shown);
    free(picture.has_ground);
    study_free(study);
    surface_free(&surface);
    ensemble_frames_free(&frames);
    return status;
}
