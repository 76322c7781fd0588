// Convex shapes as triangles: what each kind is made of, how long its edges are, and that the surface closes.
#include "tessellate_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/shape.h"
#include "superquadric_shape.h"

#define DEFAULT_ROUNDS 20  // of making the default longer until it fits
#define DEFAULT_SPARE 1.02 // as counts do not fall evenly

// --- triangles in the making ----------------------------------------------------------------------

// Doubles the room of an array until so many fit. 0 without memory.
static int array_reserve(void **items, uint32_t *room, size_t wanted, size_t item_bytes) {
    size_t most = *room == 0 ? 64 : *room;
    if (wanted <= *room) return 1;
    while (most < wanted) most *= 2;
    void *grown = most <= UINT32_MAX ? realloc(*items, most * item_bytes) : NULL;
    if (grown == NULL) return 0;
    *items = grown;
    *room = (uint32_t)most;
    return 1;
}

ClackStatus soup_reserve(Soup *soup, size_t points, size_t triangles, ClackReport *report) {
    if (array_reserve((void **)&soup->points, &soup->point_room, soup->point_count + points, sizeof *soup->points) &&
        array_reserve((void **)&soup->corners, &soup->triangle_room, soup->triangle_count + triangles,
                      sizeof *soup->corners))
        return CLACK_OK;
    return report_add(report, CLACK_MEMORY, "no memory for the surface of a shape");
}

uint32_t soup_point(Soup *soup, double x, double y, double z) {
    assert(soup->point_count < soup->point_room);
    double *at = soup->points[soup->point_count];
    at[0] = x;
    at[1] = y;
    at[2] = z;
    return soup->point_count++;
}

void soup_triangle(Soup *soup, uint32_t a, uint32_t b, uint32_t c) {
    assert(soup->triangle_count < soup->triangle_room);
    uint32_t *corner = soup->corners[soup->triangle_count++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

void soup_free(Soup *soup) {
    free(soup->points);
    free(soup->corners);
}

// --- kinds ----------------------------------------------------------------------------------------

static int is_ball(const Shape *shape) { return shape_is_strictly_convex(shape) != 0; }

// Whose default edges follow; 0 where nothing is curved.
static double curvature_radius_m(const Shape *shape) {
    switch (shape->kind) {
    case SHAPE_ELLIPSOID: return shape_min3(shape) * shape_min3(shape) / shape_max3(shape);
    case SHAPE_SUPERQUADRIC: return superquadric_curvature_radius_m(shape);
    case SHAPE_BEAM: return shape->size_m[1]; // half its width
    case SHAPE_BOX:
    case SHAPE_HULL: return 0.0;
    default: return shape->size_m[0];
    }
}

// What a shape is made of where its edges are rounded; it is sharp where they have no radius. The core of a cone is
// that of the narrow phase.
static RingSolid ring_solid(const Shape *shape) {
    const double *size = shape->size_m, ball_m = shape->smoothing_m;
    RingSolid out = {.ball_m = ball_m, .axis = 2};
    const double taper_m = size[0] - size[2];
    ShapeFrustum core;
    switch (shape->kind) {
    case SHAPE_CAPSULE:
        out.ball_m = size[0];
        out.height_m[1] = size[1];
        break;
    case SHAPE_CONE:
        core = shape_cone_core_size(shape);
        out.lean_rad = atan2(taper_m, size[1]);
        out.radius_m[0] = core.base_radius_m;
        out.radius_m[1] = core.top_radius_m;
        out.height_m[0] = core.base_m;
        out.height_m[1] = core.top_m;
        return out;
    case SHAPE_CYLINDER:
        out.radius_m[0] = out.radius_m[1] = size[0] - ball_m;
        out.height_m[1] = size[1] - ball_m;
        break;
    case SHAPE_BEAM: // u along its length, v along its width
        out.axis = 1;
        out.straight_m[0] = size[0];
        out.radius_m[0] = out.radius_m[1] = size[1] - ball_m;
        out.height_m[1] = size[2] - ball_m;
        break;
    default:
        assert(shape->kind == SHAPE_BOX);
        for (int k = 0; k < 2; k++) out.straight_m[k] = size[k] - ball_m;
        out.height_m[1] = size[2] - ball_m;
        break;
    }
    out.height_m[0] = -out.height_m[1];
    return out;
}

// The shape with the edges that its surface gets.
static Shape shape_edged(const Shape *shape, double mesh_size_m, double *out_left_out_m) {
    Shape edged = *shape;
    const int is_rounded = mesh_size_m > 0.0 && mesh_size_m <= shape->smoothing_m && shape->kind != SHAPE_HULL;
    if (!is_rounded) edged.smoothing_m = 0.0;
    *out_left_out_m = shape->smoothing_m - edged.smoothing_m;
    return edged;
}

static ClackStatus plan_of_size(const Shape *shape, const SceneHull *hull, Tessellation *plan, ClackReport *report) {
    if (is_ball(shape)) {
        ball_plan(shape, plan);
        return CLACK_OK;
    }
    const Shape edged = shape_edged(shape, plan->mesh_size_m, &plan->left_out_m);
    if (shape->kind != SHAPE_HULL) {
        const RingSolid solid = ring_solid(&edged);
        return rings_plan(&solid, plan, report);
    }
    const double corners = hull->corners_m != NULL ? hull->corner_count : hull->vertex_count;
    plan->mesh_size_m = plan->deviation_m = 0.0;
    plan->triangle_count = 2.0 * corners - 4.0;
    return CLACK_OK;
}

ClackStatus tessellate_plan(const Shape *shape, const SceneHull *hull, double mesh_size_m, Tessellation *out,
                            ClackReport *report) {
    assert(shape->kind != SHAPE_HALF_SPACE && shape->kind != SHAPE_MESH && mesh_size_m >= 0.0);
    assert(shape->kind != SHAPE_HULL || hull != NULL);
    const int is_given = mesh_size_m > 0.0;
    if (!is_given) mesh_size_m = TESSELLATE_SHARE * curvature_radius_m(shape);
    for (int round = 0; round < DEFAULT_ROUNDS; round++) {
        *out = (Tessellation){.mesh_size_m = mesh_size_m};
        TRY(plan_of_size(shape, hull, out, report));
        if (is_given || !(out->triangle_count > TESSELLATE_DEFAULT_MOST) || !(out->mesh_size_m > 0.0)) break;
        mesh_size_m *= DEFAULT_SPARE * fmin(sqrt(out->triangle_count / TESSELLATE_DEFAULT_MOST), 16.0);
    }
    return CLACK_OK;
}

// --- a surface ------------------------------------------------------------------------------------

static ClackStatus hull_tessellate(const Shape *shape, const SceneHull *hull, Soup *soup, ClackReport *report) {
    size_t points = 0, triangles = 0;
    const double scale = shape->size_m[0];
    TRY(hull_triangles(hull, &soup->points, &points, &soup->corners, &triangles, report));
    soup->point_count = (uint32_t)points;
    soup->triangle_count = (uint32_t)triangles;
    for (size_t i = 0; i < 3 * points; i++) soup->points[i / 3][i % 3] *= scale;
    return CLACK_OK;
}

static ClackStatus soup_fill(const Shape *shape, const SceneHull *hull, const Tessellation *plan, Soup *soup,
                             ClackReport *report) {
    double left_out_m;
    if (shape->kind == SHAPE_HULL) return hull_tessellate(shape, hull, soup, report);
    if (is_ball(shape)) return ball_tessellate(shape, plan->mesh_size_m, soup, report);
    const Shape edged = shape_edged(shape, plan->mesh_size_m, &left_out_m);
    const RingSolid solid = ring_solid(&edged);
    return rings_tessellate(&solid, plan->mesh_size_m, soup, report);
}

ClackStatus tessellate(const Shape *shape, const SceneHull *hull, double mesh_size_m, Mesh **out_mesh,
                       ClackReport *report) {
    Tessellation plan;
    Soup soup = {0};
    Mesh *mesh = NULL;
    ClackStatus status = CLACK_OK;
    *out_mesh = NULL;
    TRY(tessellate_plan(shape, hull, mesh_size_m, &plan, report));
    if (!(plan.triangle_count <= TESSELLATE_MOST))
        return report_add(report, CLACK_STUDY,
                          "expected a mesh_size that gives at most %g triangles, found %g m, which gives %.3g",
                          TESSELLATE_MOST, mesh_size_m, plan.triangle_count);
    TRY_CLEAN(soup_fill(shape, hull, &plan, &soup, report));
    const MeshSource source = {.points = soup.points,
                               .corners = soup.corners,
                               .point_count = soup.point_count,
                               .triangle_count = soup.triangle_count};
    TRY_CLEAN(mesh_make(&source, NULL, 0, &mesh, report));
    if (!mesh_is_closed(mesh)) { // of a hull as flat as rounding
        status = report_add(report, CLACK_STUDY, "expected a shape whose surface closes, found one that does not");
        goto cleanup;
    }
    *out_mesh = mesh;
    mesh = NULL;
cleanup:
    mesh_free(mesh);
    soup_free(&soup);
    return status;
}
