// Shapes as triangles: surfaces of revolution, boxes, beams, hulls, meshes, and squares for half-spaces.
#include "surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hull.h"
#include "mesh_table.h"
#include "sample.h"
#include "stage.h"
#include "superquadric_shape.h"
#include "base/vec3.h"

#define PI 3.14159265358979323846
#define SEGMENTS_FINE 32u // around a round shape
#define SEGMENTS_COARSE 16u
#define SHAPES_FINE 64u // more shapes than these are drawn coarsely
#define PROFILE_MAX (SEGMENTS_FINE + 8u)
#define PATCH_SHARE 0.75 // half a side of a half-space's square, of the diagonal of what moves
#define PATCH_LEAST_M 1.0e-3

// --- a growing list of points and triangles, of one shape after the other -------------------------------

typedef struct Maker {
    Surface *surface;
    const Shape *shape;
    Quat turn; // of the shape; a half-space's need not have unit length
    const Body *body;
    uint32_t body_index, shape_index, segments;
    int ran_out; // of memory
} Maker;

// Room for one more; doubled where it is full.
static int grow(void **items, size_t count, size_t *room, size_t item_bytes, void **others, size_t other_bytes) {
    if (count < *room) return 1;
    const size_t wanted = *room == 0 ? 1024 : 2 * *room;
    void *grown = realloc(*items, wanted * item_bytes);
    if (grown != NULL) *items = grown;
    void *other = realloc(*others, wanted * other_bytes);
    if (other != NULL) *others = other;
    if (grown == NULL || other == NULL) return 0;
    *room = wanted;
    return 1;
}

// A point of the shape's own frame; its number.
static uint32_t add_point(Maker *maker, double x, double y, double z) {
    Surface *surface = maker->surface;
    if (!grow((void **)&surface->points_m, surface->point_count, &surface->point_room, sizeof *surface->points_m,
              (void **)&surface->bodies, sizeof *surface->bodies)) {
        maker->ran_out = 1;
        return 0;
    }
    const Vec3 principal = vec3_add(maker->shape->position_m, quat_rotate(maker->turn, vec3_make(x, y, z)));
    const Vec3 at = quat_rotate_back(maker->body->frame, vec3_sub(principal, maker->body->origin_m));
    double *point = surface->points_m[surface->point_count];
    point[0] = at.x;
    point[1] = at.y;
    point[2] = at.z;
    surface->bodies[surface->point_count] = maker->body_index;
    return (uint32_t)surface->point_count++;
}

static void add_triangle(Maker *maker, uint32_t a, uint32_t b, uint32_t c) {
    Surface *surface = maker->surface;
    if (a == b || b == c || c == a) return; // at a pole
    if (!grow((void **)&surface->triangles, surface->triangle_count, &surface->triangle_room,
              sizeof *surface->triangles, (void **)&surface->shapes, sizeof *surface->shapes)) {
        maker->ran_out = 1;
        return;
    }
    uint32_t *corners = surface->triangles[surface->triangle_count];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    surface->shapes[surface->triangle_count++] = maker->shape_index;
}

static void add_quad(Maker *maker, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    add_triangle(maker, a, b, c);
    add_triangle(maker, a, c, d);
}

// --- surfaces of revolution -----------------------------------------------------------------------------

typedef struct Profile { // a line in the half plane (distance from the axis, height), outside on its right
    uint32_t count;
    double radius[PROFILE_MAX], height[PROFILE_MAX];
    int is_closed; // the last point is joined to the first
} Profile;

static void profile_add(Profile *profile, double radius, double height) {
    profile->radius[profile->count] = radius;
    profile->height[profile->count++] = height;
}

// Points of the arc from angle `from` to `to`, seen from the axis at `height`; at the poles exactly on the axis.
static void profile_arc(Profile *profile, double radius, double height, double from, double to, uint32_t steps) {
    for (uint32_t i = 0; i <= steps; i++) {
        const double angle = from + (to - from) * (double)i / (double)steps;
        const int is_pole = fabs(fabs(angle) - 0.5 * PI) < 1e-9;
        profile_add(profile, is_pole ? 0 : radius * cos(angle), height + radius * sin(angle));
    }
}

// Numbers of the points of a ring; a ring on the axis is one point.
static void add_ring(Maker *maker, double radius, double height, const double scale[3], uint32_t *ring) {
    const bool is_superquadric = maker->shape->kind == SHAPE_SUPERQUADRIC; // the ellipsoid, moved out to it
    for (uint32_t j = 0; j < maker->segments; j++) {
        const double angle = 2 * PI * (double)j / (double)maker->segments;
        double at[3] = {scale[0] * radius * cos(angle), scale[1] * radius * sin(angle), scale[2] * height};
        const double gauge = is_superquadric ? superquadric_gauge(maker->shape, at) : 1;
        ring[j] = j > 0 && radius == 0 ? ring[0] : add_point(maker, at[0] / gauge, at[1] / gauge, at[2] / gauge);
    }
}

static void add_revolution(Maker *maker, const Profile *profile, const double scale[3]) {
    uint32_t first[SEGMENTS_FINE] = {0}, below[SEGMENTS_FINE] = {0}, ring[SEGMENTS_FINE] = {0};
    const uint32_t segments = maker->segments, rings = profile->count + (profile->is_closed ? 1 : 0);
    for (uint32_t i = 0; i < rings; i++) {
        if (i == profile->count)
            memcpy(ring, first, sizeof ring);
        else
            add_ring(maker, profile->radius[i], profile->height[i], scale, ring);
        for (uint32_t j = 0; i > 0 && j < segments; j++) {
            const uint32_t next = (j + 1) % segments;
            add_quad(maker, below[j], below[next], ring[next], ring[j]);
        }
        if (i == 0) memcpy(first, ring, sizeof first);
        memcpy(below, ring, sizeof below);
    }
}

static void add_round(Maker *maker, const SceneShape *given) {
    static const double same[] = {1, 1, 1};
    const double *size = maker->shape->size_m;
    const uint32_t quarter = maker->segments / 4;
    const double *scale = same;
    Profile profile = {0};
    switch (maker->shape->kind) {
    case SHAPE_SPHERE: profile_arc(&profile, size[0], 0, -0.5 * PI, 0.5 * PI, 2 * quarter); break;
    case SHAPE_SUPERQUADRIC:
    case SHAPE_ELLIPSOID:
        profile_arc(&profile, 1, 0, -0.5 * PI, 0.5 * PI, 2 * quarter);
        scale = size;
        break;
    case SHAPE_CAPSULE:
        profile_arc(&profile, size[0], -size[1], -0.5 * PI, 0, quarter);
        profile_arc(&profile, size[0], size[1], 0, 0.5 * PI, quarter);
        break;
    case SHAPE_CYLINDER: {
        const double inner = 0.5 * given->size_m[2]; // of a tube, which collides as if it were solid
        profile_add(&profile, inner, -size[1]);
        profile_add(&profile, size[0], -size[1]);
        profile_add(&profile, size[0], size[1]);
        profile_add(&profile, inner, size[1]);
        profile.is_closed = inner > 0;
        break;
    }
    default: // cone
        profile_add(&profile, 0, 0);
        profile_add(&profile, size[0], 0);
        profile_add(&profile, size[2], size[1]);
        if (size[2] > 0) profile_add(&profile, 0, size[1]);
        break;
    }
    add_revolution(maker, &profile, scale);
}

// --- other shapes -----------------------------------------------------------------------------------------

static void add_box(Maker *maker) {
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const double *half = maker->shape->size_m;
    uint32_t corner[8] = {0};
    for (uint32_t i = 0; i < 8; i++)
        corner[i] =
            add_point(maker, i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]);
    for (int f = 0; f < 6; f++)
        add_quad(maker, corner[faces[f][0]], corner[faces[f][1]], corner[faces[f][2]], corner[faces[f][3]]);
}

// Outline in the x-z plane, drawn out along y.
static void add_beam(Maker *maker) {
    const double straight = maker->shape->size_m[0], width = maker->shape->size_m[1], thick = maker->shape->size_m[2];
    const uint32_t half = maker->segments / 2, count = 2 * (half + 1);
    uint32_t far[SEGMENTS_FINE + 2] = {0}, near[SEGMENTS_FINE + 2] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const int is_top = i <= half;
        const double angle = is_top ? PI * (double)i / (double)half : PI + PI * (double)(i - half - 1) / (double)half;
        const double x = width * cos(angle), z = (is_top ? straight : -straight) + width * sin(angle);
        far[i] = add_point(maker, x, thick, z);
        near[i] = add_point(maker, x, -thick, z);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t next = (i + 1) % count;
        add_quad(maker, far[i], far[next], near[next], near[i]);
        if (i == 0 || next == 0) continue;
        add_triangle(maker, near[0], near[i], near[next]);
        add_triangle(maker, far[0], far[next], far[i]);
    }
}

static ClackStatus add_hull(Maker *maker, const SceneHull *hull, ClackReport *report) {
    const double scale = maker->shape->size_m[0];
    const uint32_t first = (uint32_t)maker->surface->point_count;
    uint32_t(*corners)[3] = NULL;
    double(*points)[3] = NULL;
    size_t count = 0, point_count = 0;
    TRY(hull_triangles(hull, &points, &point_count, &corners, &count, report));
    for (size_t i = 0; i < point_count; i++)
        add_point(maker, scale * points[i][0], scale * points[i][1], scale * points[i][2]);
    for (size_t t = 0; t < count; t++)
        add_triangle(maker, first + corners[t][0], first + corners[t][1], first + corners[t][2]);
    free(corners);
    free(points);
    return CLACK_OK;
}

static void add_mesh(Maker *maker, const SceneMesh *mesh) {
    const uint32_t first = (uint32_t)maker->surface->point_count;
    for (uint32_t v = 0; v < mesh->head.vertex_count; v++) {
        const Vec3 at = mesh->vertices[v].at_m;
        add_point(maker, at.x, at.y, at.z);
    }
    for (uint32_t t = 0; t < mesh->head.triangle_count; t++) {
        const uint32_t *corners = mesh->triangles[t].vertices;
        add_triangle(maker, first + corners[0], first + corners[1], first + corners[2]);
    }
}

// --- half-spaces ------------------------------------------------------------------------------------------

typedef struct Extent { // of the way of all moving bodies, with their shapes
    Vec3 centre_m;
    double half_m; // of a square that holds them
} Extent;

static Extent find_extent(const Batch *batch, const EnsembleFrames *frames) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t row = 0; row < frames->frame_count * frames->body_count; row++) {
        const Body *body = &batch->bodies[row % frames->body_count];
        const double *at = frames->position_m + 3 * row, reach = body->radius_m + vec3_length(body->origin_m);
        for (int k = 0; k < 3 && !(body->flags & BODY_FIXED) && isfinite(at[k]); k++) {
            low[k] = fmin(low[k], at[k] - reach);
            high[k] = fmax(high[k], at[k] + reach);
        }
    }
    if (!(low[0] <= high[0])) return (Extent){vec3_zero(), 1}; // nothing moves
    const double diagonal = sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
    return (Extent){vec3_make(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])),
                    fmax(PATCH_SHARE * diagonal, PATCH_LEAST_M)};
}

static void add_patch(Maker *maker, const Extent *extent, const EnsembleFrames *frames) {
    const double *x = frames->position_m + 3 * (size_t)maker->body_index;
    const double *q = frames->orientation + 4 * (size_t)maker->body_index;
    const Quat turn = quat_make(q[0], q[1], q[2], q[3]);
    const Vec3 in_body = quat_rotate_back(turn, vec3_sub(extent->centre_m, vec3_make(x[0], x[1], x[2])));
    const Vec3 principal = vec3_add(quat_rotate(maker->body->frame, in_body), maker->body->origin_m);
    const Vec3 at = quat_rotate_back(maker->turn, vec3_sub(principal, maker->shape->position_m));
    const double half = extent->half_m;
    const uint32_t a = add_point(maker, at.x - half, at.y - half, 0), b = add_point(maker, at.x + half, at.y - half, 0),
                   c = add_point(maker, at.x + half, at.y + half, 0), d = add_point(maker, at.x - half, at.y + half, 0);
    add_quad(maker, a, b, c, d);
}

// --- a scene ----------------------------------------------------------------------------------------------

static ClackStatus add_shapes(const SceneDescription *scene, const Batch *batch, const EnsembleFrames *frames,
                              Surface *surface, ClackReport *report) {
    const Extent extent = find_extent(batch, frames);
    Maker maker = {.surface = surface, .segments = scene->shape_count > SHAPES_FINE ? SEGMENTS_COARSE : SEGMENTS_FINE};
    for (uint32_t b = 0; b < scene->body_count; b++) {
        maker.body_index = b;
        maker.body = &batch->bodies[b];
        for (uint32_t k = 0; k < maker.body->shape_count && !(maker.body->flags & BODY_ABSENT); k++) {
            maker.shape_index = maker.body->shape_first + k;
            maker.shape = &batch->shapes[maker.shape_index];
            maker.turn = quat_normalize(maker.shape->orientation);
            const SceneShape *given = &scene->shapes[maker.shape_index];
            switch (maker.shape->kind) {
            case SHAPE_BOX: add_box(&maker); break;
            case SHAPE_BEAM: add_beam(&maker); break;
            case SHAPE_HULL: TRY(add_hull(&maker, given->hull, report)); break;
            case SHAPE_MESH: add_mesh(&maker, given->mesh); break;
            case SHAPE_HALF_SPACE: add_patch(&maker, &extent, frames); break;
            default: add_round(&maker, given); break;
            }
        }
    }
    return maker.ran_out ? report_add(report, CLACK_MEMORY, "no memory for the surfaces of a scene") : CLACK_OK;
}

ClackStatus surface_make(const Study *study, const EnsembleFrames *frames, Surface *out_surface, ClackReport *report) {
    SceneDescription scene = {0};
    Batch batch = {0};
    double *values = calloc((size_t)study->parameter_count + 1, sizeof *values);
    ClackStatus status = CLACK_OK;
    *out_surface = (Surface){0};
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for the surfaces of a scene");
    TRY_CLEAN(sample_numbered(study, frames->scene, values, &scene, report));
    if (scene.body_count != frames->body_count)
        TRY_CLEAN(report_add(report, CLACK_CORRUPT, "the study has %u bodies, the file %zu", scene.body_count,
                             frames->body_count));
    const Capacities room = stage_capacities(&scene);
    TRY_CLEAN(stage_pack(study, &scene, &frames->scene, &room, 1, &batch, report));
    TRY_CLEAN(add_shapes(&scene, &batch, frames, out_surface, report));
cleanup:
    stage_free(&batch);
    scene_free(&scene);
    free(values);
    if (status != CLACK_OK) surface_free(out_surface);
    return status;
}

void surface_free(Surface *surface) {
    free(surface->points_m);
    free(surface->bodies);
    free(surface->triangles);
    free(surface->shapes);
    *surface = (Surface){0};
}
