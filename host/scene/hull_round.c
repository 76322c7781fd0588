// Hulls with rounded edges: the core that is left when a ball rolls inside, and its triangles and edges for contacts.
//
// Each corner moves inwards to where it is deep enough under all faces that meet in it, by the shortest way: along the
// middle of the smallest cap of the sphere that holds their normals. Where three meet, as in boxes, the core's faces
// are the hull's, moved inwards by the radius.
#include "hull_internal.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PLANE 1e-9   // of the hull's radius: triangles that deviate by less from a plane are one face
#define CAP_SPARE 1e-13   // of the cosine of a cap: normals that lie on its rim
#define ROOM_SPARE 1e-9   // of the hull's radius
#define CORE_LEAST 1e-6   // of the hull's radius: sides of the box about a core
#define CORNER_SHARE 0.25 // of the smallest side: no corner moves farther where the radius is cut

typedef struct Plane {
    Vec3 normal;
    double height_m, area_m2;
    uint32_t face; // the triangle whose plane stands for those of one face
} Plane;

typedef struct Side {             // of a triangle
    uint32_t low, high, triangle; // corners in order
} Side;

typedef struct Surface { // of points about an origin inside
    double (*points)[3];
    size_t count;
    Triangles triangles;
    Plane *planes; // (triangles.count)
    Side *sides;   // (3 triangles.count) in order: those of one edge are neighbours
    int is_closed; // each edge has two triangles
} Surface;

static Vec3 point_at(const Surface *s, uint32_t k) {
    return vec3_make(s->points[k][0], s->points[k][1], s->points[k][2]);
}

static int side_compare(const void *a, const void *b) {
    const Side *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static uint32_t face_of(const Surface *s, uint32_t triangle) {
    while (s->planes[triangle].face != triangle) triangle = s->planes[triangle].face;
    return triangle;
}

// Do all corners of a triangle lie in the plane of another?
static int is_in_plane(const Surface *s, uint32_t triangle, uint32_t plane, double size_m) {
    for (int c = 0; c < 3; c++) {
        const Vec3 p = point_at(s, s->triangles.corners[triangle][c]);
        if (!(fabs(vec3_dot(s->planes[plane].normal, p) - s->planes[plane].height_m) <= SAME_PLANE * size_m)) return 0;
    }
    return 1;
}

// Triangles of one plane become a face: the plane of its largest one.
static void surface_join(Surface *s, double size_m) {
    for (size_t i = 0; i + 1 < 3 * s->triangles.count; i += 2) {
        const uint32_t one = face_of(s, s->sides[i].triangle), other = face_of(s, s->sides[i + 1].triangle);
        const uint32_t large = s->planes[one].area_m2 < s->planes[other].area_m2 ? other : one;
        const uint32_t small = large == one ? other : one;
        const uint32_t near =
            face_of(s, s->sides[i].triangle) == small ? s->sides[i].triangle : s->sides[i + 1].triangle;
        if (is_in_plane(s, small, large, size_m) && is_in_plane(s, near, large, size_m)) s->planes[small].face = large;
    }
}

// Sides by the present numbers of corners; in two where all is well.
static int sides_make(Surface *s) {
    for (uint32_t t = 0; t < 3 * s->triangles.count; t++) {
        const uint32_t *corner = s->triangles.corners[t / 3];
        const uint32_t one = corner[t % 3], other = corner[(t + 1) % 3];
        s->sides[t] = (Side){one < other ? one : other, one < other ? other : one, t / 3};
    }
    qsort(s->sides, 3 * s->triangles.count, sizeof *s->sides, side_compare);
    int is_closed = s->triangles.count % 2 == 0;
    for (size_t i = 0; is_closed && i < 3 * s->triangles.count; i += 2)
        is_closed = s->sides[i].low == s->sides[i + 1].low && s->sides[i].high == s->sides[i + 1].high;
    return is_closed;
}

static ClackStatus surface_make(Surface *s, double size_m, ClackReport *report) {
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): surface_free frees the points
    TRY(hull_make_triangles((const double(*)[3])s->points, s->count, &s->triangles, report));
    hull_turn_triangles((const double(*)[3])s->points, &s->triangles);
    s->planes = calloc(s->triangles.count, sizeof *s->planes);
    s->sides = calloc(3 * s->triangles.count, sizeof *s->sides);
    if (s->planes == NULL || s->sides == NULL) return report_add(report, CLACK_MEMORY, "no memory for a hull");
    for (uint32_t t = 0; t < s->triangles.count; t++) {
        const uint32_t *corner = s->triangles.corners[t];
        const Vec3 a = point_at(s, corner[0]);
        const Vec3 across = vec3_cross(vec3_sub(point_at(s, corner[1]), a), vec3_sub(point_at(s, corner[2]), a));
        const double area = vec3_length(across);
        s->planes[t] =
            (Plane){.normal = area > 0 ? vec3_scale(across, 1.0 / area) : vec3_zero(), .area_m2 = area, .face = t};
        s->planes[t].height_m = vec3_dot(s->planes[t].normal, a);
    }
    s->is_closed = sides_make(s);
    if (s->is_closed) surface_join(s, size_m);
    return CLACK_OK;
}

static void surface_free(Surface *s) {
    free(s->points);
    free(s->triangles.corners);
    free(s->planes);
    free(s->sides);
}

// --- corners ----------------------------------------------------------------------------------------------

typedef struct Cap { // of the unit sphere
    Vec3 middle;
    double cosine; // of its radius
} Cap;

static Cap cap_of(Vec3 middle, Vec3 on_rim) {
    middle = vec3_normalize(middle);
    return (Cap){middle, vec3_dot(middle, on_rim)};
}

static int is_outside(Cap cap, Vec3 v) { return vec3_dot(cap.middle, v) < cap.cosine - CAP_SPARE; }

static Cap cap_of_three(Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    if (!(vec3_length(normal) > 0.0)) return cap_of(vec3_add(a, b), a);
    return cap_of(vec3_dot(normal, a) < 0.0 ? vec3_negate(normal) : normal, a);
}

// The smallest that holds unit vectors within less than a half sphere; those that come in no order take few turns.
// Welzl, Smallest Enclosing Disks (1991).
static Cap cap_about(const Vec3 *v, uint32_t count) {
    Cap cap = {v[0], 1.0};
    for (uint32_t i = 1; i < count; i++) {
        if (!is_outside(cap, v[i])) continue;
        cap = (Cap){v[i], 1.0};
        for (uint32_t j = 0; j < i; j++) {
            if (!is_outside(cap, v[j])) continue;
            cap = cap_of(vec3_add(v[i], v[j]), v[i]);
            for (uint32_t k = 0; k < j; k++)
                if (is_outside(cap, v[k])) cap = cap_of_three(v[i], v[j], v[k]);
        }
    }
    return cap;
}

static void shuffle(Vec3 *v, uint32_t count) {
    uint32_t state = 1;
    for (uint32_t i = count; i > 1; i--) {
        state = state * 1664525u + 1013904223u;
        const uint32_t k = (state >> 8) % i;
        const Vec3 last = v[i - 1];
        v[i - 1] = v[k];
        v[k] = last;
    }
}

// Of each corner the cap of the normals of its faces.
static Cap *caps_make(const Surface *s) {
    Cap *caps = calloc(s->count, sizeof *caps);
    Vec3 *normals = calloc(3 * s->triangles.count, sizeof *normals);
    size_t *first = calloc(s->count + 2, sizeof *first); // of each corner's normals
    if (caps != NULL && normals != NULL && first != NULL) {
        for (size_t t = 0; t < 3 * s->triangles.count; t++) first[s->triangles.corners[t / 3][t % 3] + 2]++;
        for (size_t i = 2; i < s->count + 2; i++) first[i] += first[i - 1];
        for (size_t t = 0; t < 3 * s->triangles.count; t++)
            normals[first[s->triangles.corners[t / 3][t % 3] + 1]++] = s->planes[face_of(s, (uint32_t)(t / 3))].normal;
        for (size_t i = 0; i < s->count; i++) {
            const uint32_t count = (uint32_t)(first[i + 1] - first[i]);
            shuffle(normals + first[i], count);
            if (count > 0) caps[i] = cap_about(normals + first[i], count);
        }
    } else {
        free(caps);
        caps = NULL;
    }
    free(normals);
    free(first);
    return caps;
}

// --- the core ---------------------------------------------------------------------------------------------

// The points of `sharp` moved inwards; false where one of them is not as deep under some face, or all meet in a plane.
static int core_make(const Surface *sharp, const Cap *caps, double smoothing_m, double size_m, Surface *core) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < sharp->count; i++) {
        const Vec3 p = vec3_add_scaled(point_at(sharp, (uint32_t)i), caps[i].middle, -smoothing_m / caps[i].cosine);
        core->points[i][0] = p.x;
        core->points[i][1] = p.y;
        core->points[i][2] = p.z;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], core->points[i][k]);
            high[k] = fmax(high[k], core->points[i][k]);
        }
        for (size_t t = 0; t < sharp->triangles.count; t++)
            if (vec3_dot(sharp->planes[t].normal, p) > sharp->planes[t].height_m - smoothing_m + ROOM_SPARE * size_m)
                return 0;
    }
    for (int k = 0; k < 3; k++)
        if (!(high[k] - low[k] > CORE_LEAST * size_m)) return 0;
    return 1;
}

static HullRow numbers_row(const uint32_t corner[3]) { return (HullRow){.at_m = {corner[0], corner[1], corner[2]}}; }

// Limit of an edge's normals on the side of the face with normal n, the other's is m.
static Vec3 edge_limit(Vec3 n, Vec3 m) {
    const double cosine = vec3_dot(n, m);
    const Vec3 limit = vec3_add_scaled(m, n, -cosine);
    const double sine = vec3_length(limit);
    return vec3_scale(limit, cosine > 0.0 ? 1.0 / (sine * sine) : 1.0 / sine);
}

// Rows of the core's triangles and edges, after those of its vertices.
static ClackStatus hull_add_faces(SceneHull *hull, const Surface *core, ClackReport *report) {
    const uint32_t faces = (uint32_t)core->triangles.count;
    HullRow *rows = realloc(hull->rows, (hull->row_count + 5 * (size_t)faces) * sizeof *rows); // 3/2 edges of each
    if (rows == NULL) return report_add(report, CLACK_MEMORY, "no memory for a hull");
    hull->rows = rows;
    for (uint32_t t = 0; t < faces; t++) {
        const Plane *plane = &core->planes[face_of(core, t)];
        rows[hull->row_count++] = (HullRow){plane->normal, plane->height_m};
        rows[hull->row_count++] = numbers_row(core->triangles.corners[t]);
    }
    hull->face_count = faces;
    for (size_t i = 0; i < 3 * (size_t)faces; i += 2) {
        const Side *side = &core->sides[i];
        const uint32_t one = face_of(core, side[0].triangle), other = face_of(core, side[1].triangle);
        if (one == other) continue;
        const Vec3 n = core->planes[one].normal, m = core->planes[other].normal;
        rows[hull->row_count++] = (HullRow){edge_limit(n, m), side->low};
        rows[hull->row_count++] = (HullRow){edge_limit(m, n), side->high};
        hull->edge_count++;
    }
    return CLACK_OK;
}

static double smoothing_cut(const Surface *sharp, const Cap *caps, const SceneHull *hull, double smoothing_m) {
    const double side_m = fmin(hull->sides_m[0], fmin(hull->sides_m[1], hull->sides_m[2]));
    for (size_t i = 0; i < sharp->count; i++) smoothing_m = fmin(smoothing_m, CORNER_SHARE * side_m * caps[i].cosine);
    return smoothing_m;
}

static ClackStatus surface_points(Surface *s, size_t count, ClackReport *report) {
    s->count = count;
    s->points = calloc(count, sizeof *s->points);
    return s->points != NULL ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for a hull");
}

// Takes the core's surface as that of the hull.
static ClackStatus hull_take_core(SceneHull *hull, Surface *core, ClackReport *report) {
    const double origin[3] = {0, 0, 0};
    const HullRow *vertices = hull->rows + hull_blocks(hull->vertex_count);
    hull->corners_m = calloc(hull->vertex_count, sizeof *hull->corners_m);
    if (hull->corners_m == NULL) return report_add(report, CLACK_MEMORY, "no memory for a hull");
    hull->corner_count = hull->vertex_count;
    for (uint32_t i = 0; i < hull->corner_count; i++) hull->corners_m[i] = vertices[i].at_m;
    TRY(hull_set_surface(hull, (const double(*)[3])core->points, core->count, origin, &core->triangles, report));
    if (hull->vertex_count <= MANIFOLD_HULL_MAX && core->is_closed && sides_make(core))
        TRY(hull_add_faces(hull, core, report));
    return hull_add_map(hull, report);
}

ClackStatus hull_round(SceneHull *hull, double smoothing_m, int cuts, ClackReport *report) {
    if (!(smoothing_m > 0.0)) return CLACK_OK;
    const HullRow *vertices = hull->rows + hull_blocks(hull->vertex_count);
    const double size_m = hull->radius_m;
    Surface sharp = {0}, core = {0};
    Cap *caps = NULL;
    ClackReport unheard = {0};
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(surface_points(&sharp, hull->vertex_count, report));
    TRY_CLEAN(surface_points(&core, hull->vertex_count, report));
    for (size_t i = 0; i < sharp.count; i++)
        memcpy(sharp.points[i], (const double[]){vertices[i].at_m.x, vertices[i].at_m.y, vertices[i].at_m.z},
               sizeof *sharp.points);
    TRY_CLEAN(surface_make(&sharp, size_m, report));
    caps = caps_make(&sharp);
    if (caps == NULL) {
        status = report_add(report, CLACK_MEMORY, "no memory for a hull");
        goto cleanup;
    }
    if (cuts) smoothing_m = smoothing_cut(&sharp, caps, hull, smoothing_m);
    int has_room = smoothing_m > 0.0 && sharp.is_closed && core_make(&sharp, caps, smoothing_m, size_m, &core);
    if (has_room) {
        status = surface_make(&core, size_m, &unheard); // CLACK_STUDY: nothing is left but a plane
        if (status == CLACK_MEMORY) goto cleanup;
        has_room = status == CLACK_OK;
        status = CLACK_OK;
    }
    if (has_room) {
        hull->smoothing_m = smoothing_m;
        TRY_CLEAN(hull_take_core(hull, &core, report));
    } else if (!cuts) {
        status = report_add(report, CLACK_STUDY, "expected a smoothing radius that the hull has room for, found %g m",
                            smoothing_m);
    }
cleanup:
    free(caps);
    surface_free(&sharp);
    surface_free(&core);
    clack_report_clear(&unheard);
    return status;
}
