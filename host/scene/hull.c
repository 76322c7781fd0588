// Convex hulls by qhull, their mass properties, and their vertices in blocks of neighbours.
#define _POSIX_C_SOURCE 200809L
#include "hull_internal.h"
#include "solid.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/qhull_ra.h>

// Less volume than this share of the cube of the longest side is no solid: rounding of the coordinates.
#define FLAT_SHARE 1e-12
#define REACH_SPARE 1e-9     // of the radius of a block's ball: directions are unit to rounding only
#define REACH_ROUNDING 1e-13 // of the hull's radius: rounding of two support heights
#define MORTON_LEVELS 10     // bits of each coordinate in the order of the vertices

// --- the surface ----------------------------------------------------------------------------------

// Middle and longest side of the box about the points.
static double points_box(const double (*points)[3], size_t count, double middle[3], double sides[3]) {
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        double low = points[0][k], high = points[0][k];
        for (size_t i = 1; i < count; i++) {
            low = fmin(low, points[i][k]);
            high = fmax(high, points[i][k]);
        }
        middle[k] = low + 0.5 * (high - low);
        sides[k] = high - low;
        longest = fmax(longest, sides[k]);
    }
    return longest;
}

static ClackStatus triangles_take(qhT *qh, const coordT *points, Triangles *out, ClackReport *report) {
    facetT *facet;
    vertexT *vertex, **vertexp;
    out->corners = calloc((size_t)qh->num_facets + 1, sizeof *out->corners);
    if (out->corners == NULL) return report_add(report, CLACK_MEMORY, "no memory for a hull");
    FORALLfacet_(qh->facet_list) {
        int corner = 0;
        FOREACHvertex_(facet->vertices) {
            assert(corner < 3); // option Qt
            out->corners[out->count][corner++] = (uint32_t)((vertex->point - points) / 3);
        }
        out->count++;
    }
    return CLACK_OK;
}

// Points about the middle of their box, longest side 1, so that qhull's thresholds fit.
static ClackStatus triangles_find(coordT *points, size_t count, Triangles *out, ClackReport *report) {
    static char command[] = "qhull Qt Pp"; // triangles; no warnings
    FILE *sink = fopen("/dev/null", "w");
    if (sink == NULL) return report_add(report, CLACK_MEMORY, "cannot open /dev/null for qhull");
    qhT memory;
    qhT *qh = &memory;
    qh_zero(qh, sink);
    const int fault = qh_new_qhull(qh, 3, (int)count, points, False, command, NULL, sink);
    ClackStatus status = CLACK_OK;
    if (fault == qh_ERRmem)
        status = report_add(report, CLACK_MEMORY, "no memory for a hull of %zu points", count);
    else if (fault == qh_ERRsingular)
        status =
            report_add(report, CLACK_STUDY, "expected points that are not all in one plane, found %zu that are", count);
    else if (fault != qh_ERRnone)
        status = report_add(report, CLACK_STUDY,
                            "expected points with a convex hull, found %zu of which qhull makes none "
                            "(its error %d)",
                            count, fault);
    else
        status = triangles_take(qh, points, out, report);
    int left, total;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &left, &total);
    fclose(sink);
    return status;
}

ClackStatus hull_make_triangles(const double (*points)[3], size_t count, Triangles *out, ClackReport *report) {
    double middle[3], sides[3];
    if (count < 4) return report_add(report, CLACK_STUDY, "expected at least 4 points, found %zu", count);
    if (count > INT32_MAX / 3)
        return report_add(report, CLACK_STUDY, "expected at most %d points, found %zu", INT32_MAX / 3, count);
    const double longest = points_box(points, count, middle, sides);
    if (!(longest > 0.0) || !isfinite(longest))
        return report_add(report, CLACK_STUDY, "expected points that differ, found %zu in one place", count);
    coordT *scaled = malloc(count * 3 * sizeof *scaled);
    if (scaled == NULL) return report_add(report, CLACK_MEMORY, "no memory for a hull");
    for (size_t i = 0; i < 3 * count; i++) scaled[i] = (points[i / 3][i % 3] - middle[i % 3]) / longest;
    const ClackStatus status = triangles_find(scaled, count, out, report);
    free(scaled);
    return status;
}

// --- mass -----------------------------------------------------------------------------------------

static void hull_weigh(SceneHull *hull, const double (*points)[3], const Triangles *triangles) {
    const SolidMoments solid = solid_weigh(points, triangles->corners[0], 3, triangles->count, 0);
    hull->volume_m3 = solid.volume_m3;
    memcpy(hull->centroid_m, solid.centroid_m, sizeof hull->centroid_m);
    memcpy(hull->inertia_m5, solid.inertia_m5, sizeof hull->inertia_m5);
}

// --- rows -----------------------------------------------------------------------------------------

typedef struct HullVertex {
    uint32_t code, point;
} HullVertex;

static int vertex_compare(const void *a, const void *b) {
    const HullVertex *x = a, *y = b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

// Bits of the three coordinates in turns (Morton order): points of like codes are near each other.
static uint32_t morton_code(const double at[3], const double middle[3], double longest) {
    uint32_t code = 0;
    for (int k = 0; k < 3; k++) {
        const double share = fmin(fmax((at[k] - middle[k]) / longest + 0.5, 0.0), 1.0);
        const uint32_t cell = (uint32_t)(share * ((1 << MORTON_LEVELS) - 1));
        for (int bit = 0; bit < MORTON_LEVELS; bit++) code |= (cell >> bit & 1u) << (3 * bit + k);
    }
    return code;
}

// The ball about a block of vertices: middle of their box, farthest of them.
static HullRow block_ball(const HullRow *vertices, uint32_t count, double radius_m) {
    double middle[3], sides[3], points[HULL_BLOCK][3];
    for (uint32_t i = 0; i < count; i++) {
        points[i][0] = vertices[i].at_m.x;
        points[i][1] = vertices[i].at_m.y;
        points[i][2] = vertices[i].at_m.z;
    }
    points_box((const double(*)[3])points, count, middle, sides);
    HullRow ball = {.at_m = {middle[0], middle[1], middle[2]}};
    for (uint32_t i = 0; i < count; i++)
        ball.reach_m = fmax(ball.reach_m, sqrt(pow(points[i][0] - middle[0], 2) + pow(points[i][1] - middle[1], 2) +
                                               pow(points[i][2] - middle[2], 2)));
    ball.reach_m += REACH_SPARE * ball.reach_m + REACH_ROUNDING * radius_m;
    return ball;
}

static ClackStatus hull_fill_rows(SceneHull *hull, const double (*points)[3], const double origin[3], HullVertex *order,
                                  ClackReport *report) {
    assert(hull->vertex_count > 0);
    const uint32_t blocks = hull_blocks(hull->vertex_count);
    free(hull->rows);
    hull->row_count = blocks + hull->vertex_count;
    hull->rows = calloc(hull->row_count, sizeof *hull->rows);
    if (hull->rows == NULL) return report_add(report, CLACK_MEMORY, "no memory for a hull");
    const double longest = fmax(hull->sides_m[0], fmax(hull->sides_m[1], hull->sides_m[2]));
    for (uint32_t i = 0; i < hull->vertex_count; i++)
        order[i].code = morton_code(points[order[i].point], origin, 2.0 * longest);
    qsort(order, hull->vertex_count, sizeof *order, vertex_compare);
    HullRow *vertices = hull->rows + blocks;
    for (uint32_t i = 0; i < hull->vertex_count; i++) {
        const double *from = points[order[i].point];
        const double x = from[0] - origin[0], y = from[1] - origin[1], z = from[2] - origin[2];
        vertices[i].at_m = (Vec3){x, y, z};
        hull->radius_m = fmax(hull->radius_m, sqrt(x * x + y * y + z * z));
    }
    for (uint32_t block = 0; block < blocks; block++) {
        const uint32_t first = block * HULL_BLOCK, left = hull->vertex_count - first;
        hull->rows[block] = block_ball(vertices + first, left < HULL_BLOCK ? left : HULL_BLOCK, hull->radius_m);
    }
    return CLACK_OK;
}

ClackStatus hull_set_surface(SceneHull *hull, const double (*points)[3], size_t count, const double origin[3],
                             Triangles *triangles, ClackReport *report) {
    uint32_t *numbers = calloc(count, sizeof *numbers); // 1 and more: of a vertex
    HullVertex *order = calloc(count, sizeof *order);
    ClackStatus status = CLACK_OK;
    hull->vertex_count = 0;
    if (numbers == NULL || order == NULL) {
        status = report_add(report, CLACK_MEMORY, "no memory for a hull");
        goto cleanup;
    }
    for (size_t t = 0; t < 3 * triangles->count; t++) {
        const uint32_t point = triangles->corners[t / 3][t % 3];
        if (numbers[point] == 0) order[hull->vertex_count++].point = point;
        numbers[point] = 1;
    }
    if (hull->vertex_count > HULL_VERTICES_MAX) {
        status = report_add(report, CLACK_STUDY, "expected a hull of at most %u vertices, found %u", HULL_VERTICES_MAX,
                            hull->vertex_count);
        goto cleanup;
    }
    TRY_CLEAN(hull_fill_rows(hull, points, origin, order, report));
    for (uint32_t i = 0; i < hull->vertex_count; i++) numbers[order[i].point] = i;
    for (size_t t = 0; t < 3 * triangles->count; t++) {
        uint32_t *corner = &triangles->corners[t / 3][t % 3];
        *corner = numbers[*corner];
    }
cleanup:
    free(numbers);
    free(order);
    return status;
}

ClackStatus hull_make(const double (*points)[3], size_t count, SceneHull **out_hull, ClackReport *report) {
    assert(out_hull != NULL);
    ClackStatus status = CLACK_OK;
    Triangles triangles = {0};
    double middle[3];
    SceneHull *hull = calloc(1, sizeof *hull);
    *out_hull = NULL;
    if (hull == NULL) return report_add(report, CLACK_MEMORY, "no memory for a hull");
    TRY_CLEAN(hull_make_triangles(points, count, &triangles, report));
    const double longest = points_box(points, count, middle, hull->sides_m);
    hull_weigh(hull, points, &triangles);
    if (!(hull->volume_m3 > FLAT_SHARE * longest * longest * longest)) {
        status =
            report_add(report, CLACK_STUDY, "expected points that are not all in one plane, found %zu that are", count);
        goto cleanup;
    }
    TRY_CLEAN(hull_set_surface(hull, points, count, hull->centroid_m, &triangles, report));
    TRY_CLEAN(hull_add_map(hull, report));
    *out_hull = hull;
    hull = NULL;
cleanup:
    free(triangles.corners);
    hull_free(hull);
    return status;
}

void hull_turn_triangles(const double (*points)[3], Triangles *triangles) {
    for (size_t t = 0; t < triangles->count; t++) {
        uint32_t *corner = triangles->corners[t];
        const double *a = points[corner[0]], *b = points[corner[1]], *c = points[corner[2]];
        const double six = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0]);
        if (six >= 0) continue;
        const uint32_t second = corner[1];
        corner[1] = corner[2];
        corner[2] = second;
    }
}

ClackStatus hull_triangles(const SceneHull *hull, double (**out_points)[3], size_t *out_point_count,
                           uint32_t (**out_corners)[3], size_t *out_count, ClackReport *report) {
    const HullRow *vertices = hull->rows + hull_blocks(hull->vertex_count);
    const size_t count = hull->corners_m != NULL ? hull->corner_count : hull->vertex_count;
    Triangles triangles = {0};
    double(*points)[3] = calloc(count, sizeof *points);
    *out_points = NULL;
    *out_corners = NULL;
    *out_count = *out_point_count = 0;
    if (points == NULL) return report_add(report, CLACK_MEMORY, "no memory for a hull");
    for (size_t i = 0; i < count; i++) {
        const Vec3 at = hull->corners_m != NULL ? hull->corners_m[i] : vertices[i].at_m;
        points[i][0] = at.x;
        points[i][1] = at.y;
        points[i][2] = at.z;
    }
    const ClackStatus status = hull_make_triangles((const double(*)[3])points, count, &triangles, report);
    if (status != CLACK_OK) {
        free(points);
        return status;
    }
    hull_turn_triangles((const double(*)[3])points, &triangles); // the rows' origin is inside
    *out_points = points;
    *out_point_count = count;
    *out_corners = triangles.corners;
    *out_count = triangles.count;
    return CLACK_OK;
}

void hull_free(SceneHull *hull) {
    if (hull == NULL) return;
    free(hull->rows);
    free(hull->corners_m);
    free(hull);
}
