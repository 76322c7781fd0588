// Surfaces: points welded, triangles that are none left out, edges, orientation; what is reported of them.
#include "mesh_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

// --- points ---------------------------------------------------------------------------------------

static uint32_t triangle_number(const uint32_t *which, uint32_t i) { return which != NULL ? which[i] : i; }

// The points of the triangles in the order of their numbers in the source, and the triangles by these.
static ClackStatus points_take(Mesh *mesh, const MeshSource *source, const uint32_t *which, ClackReport *report) {
    uint32_t *numbers = calloc((size_t)source->point_count + 1, sizeof *numbers); // 1: is used; then its number
    if (numbers == NULL) return report_add(report, CLACK_MEMORY, "no memory for a mesh");
    for (uint32_t t = 0; t < 3 * mesh->triangle_count; t++)
        numbers[source->corners[triangle_number(which, t / 3)][t % 3]] = 1;
    for (uint32_t p = 0; p < source->point_count; p++) {
        if (numbers[p] == 0) continue;
        memcpy(mesh->points[mesh->vertex_count], source->points[p], sizeof *mesh->points);
        numbers[p] = mesh->vertex_count++;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        mesh->origins[t] = triangle_number(which, t);
        for (int c = 0; c < 3; c++) mesh->triangles[t].vertices[c] = numbers[source->corners[mesh->origins[t]][c]];
    }
    free(numbers);
    return CLACK_OK;
}

static void box_measure(Mesh *mesh) {
    for (int k = 0; k < 3; k++) {
        mesh->low_m[k] = INFINITY;
        mesh->high_m[k] = -INFINITY;
        for (uint32_t p = 0; p < mesh->vertex_count; p++) {
            mesh->low_m[k] = fmin(mesh->low_m[k], mesh->points[p][k]);
            mesh->high_m[k] = fmax(mesh->high_m[k], mesh->points[p][k]);
        }
        mesh->longest_m = fmax(mesh->longest_m, mesh->high_m[k] - mesh->low_m[k]);
    }
    mesh->tolerance_m = MESH_WELD_SHARE * mesh->longest_m;
}

static ClackStatus points_weld(Mesh *mesh, ClackReport *report) {
    MeshWelding welding = {
        .points = mesh->points, .count = mesh->vertex_count, .low = mesh->low_m, .tolerance = mesh->tolerance_m};
    welding.numbers = malloc((size_t)mesh->vertex_count * sizeof *welding.numbers);
    if (welding.numbers == NULL) return report_add(report, CLACK_MEMORY, "no memory for a mesh");
    const ClackStatus status = mesh_weld(&welding, report);
    for (uint32_t t = 0; status == CLACK_OK && t < 3 * mesh->triangle_count; t++) {
        uint32_t *vertex = &mesh->triangles[t / 3].vertices[t % 3];
        *vertex = welding.numbers[*vertex];
    }
    free(welding.numbers);
    if (status != CLACK_OK) return status;
    mesh->vertex_count = welding.kept;
    mesh->welded_near = welding.near;
    return CLACK_OK;
}

// --- triangles ------------------------------------------------------------------------------------

void mesh_note(Mesh *mesh, MeshFinding finding, uint32_t triangle, uint32_t from, uint32_t to) {
    MeshFound *found = &mesh->found[finding];
    if (found->count++ == 0 || triangle < found->triangle)
        *found = (MeshFound){.count = found->count, .triangle = triangle, .from = from, .to = to};
}

static int is_sliver(const Mesh *mesh, const uint32_t v[3]) {
    Vec3 p[3];
    double longest = 0;
    for (int c = 0; c < 3; c++) p[c] = vec3_make(mesh->points[v[c]][0], mesh->points[v[c]][1], mesh->points[v[c]][2]);
    for (int c = 0; c < 3; c++) longest = fmax(longest, vec3_length(vec3_sub(p[(c + 1) % 3], p[c])));
    const double twice_area = vec3_length(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
    return twice_area <= mesh->tolerance_m * longest;
}

// The vertices in ascending order.
static void corners_sort(const uint32_t v[3], uint32_t out[3]) {
    memcpy(out, v, 3 * sizeof *out);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (out[k] > out[k + 1]) {
                const uint32_t high = out[k];
                out[k] = out[k + 1];
                out[k + 1] = high;
            }
}

// Is there a kept triangle of the same vertices? heads, next: chains of kept ones by a hash of these, from 1.
static int is_doubled(const Mesh *mesh, const uint32_t v[3], uint32_t *head, uint32_t *next, uint32_t kept) {
    uint32_t own[3], other[3];
    corners_sort(v, own);
    for (uint32_t t = *head; t > 0; t = next[t - 1]) {
        corners_sort(mesh->triangles[t - 1].vertices, other);
        if (memcmp(own, other, sizeof own) == 0) return 1;
    }
    next[kept] = *head;
    *head = kept + 1;
    return 0;
}

static uint32_t corners_hash(const uint32_t v[3]) {
    uint32_t own[3];
    corners_sort(v, own);
    uint64_t hash = 0;
    for (int c = 0; c < 3; c++) hash = (hash ^ own[c]) * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u;
    return (uint32_t)(hash >> 32);
}

static ClackStatus triangles_keep(Mesh *mesh, ClackReport *report) {
    uint32_t mask = 1, kept = 0;
    while (mask < mesh->triangle_count) mask = 2 * mask + 1;
    uint32_t *heads = calloc((size_t)mask + 1, sizeof *heads);
    uint32_t *next = calloc((size_t)mesh->triangle_count + 1, sizeof *next);
    for (uint32_t t = 0; heads != NULL && next != NULL && t < mesh->triangle_count; t++) {
        uint32_t v[3];
        memcpy(v, mesh->triangles[t].vertices, sizeof v);
        const uint32_t origin = mesh->origins[t];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            mesh_note(mesh, MESH_DROPPED, origin, 0, 0);
        } else if (is_doubled(mesh, v, &heads[corners_hash(v) & mask], next, kept)) {
            mesh_note(mesh, MESH_DOUBLED, origin, 0, 0);
        } else {
            if (is_sliver(mesh, v)) mesh_note(mesh, MESH_SLIVER, origin, 0, 0);
            memcpy(mesh->triangles[kept].vertices, v, sizeof v);
            mesh->origins[kept++] = origin;
        }
    }
    const int has_memory = heads != NULL && next != NULL;
    free(heads);
    free(next);
    if (!has_memory) return report_add(report, CLACK_MEMORY, "no memory for a mesh");
    mesh->triangle_count = kept;
    return kept > 0 ? CLACK_OK : report_add(report, CLACK_STUDY, "expected triangles that have an area, found none");
}

// --- the surface ----------------------------------------------------------------------------------

ClackStatus mesh_make(const MeshSource *source, const uint32_t *which, uint32_t count, Mesh **out_mesh,
                      ClackReport *report) {
    assert(source != NULL && out_mesh != NULL);
    ClackStatus status = CLACK_OK;
    *out_mesh = NULL;
    const uint32_t triangles = which != NULL ? count : source->triangle_count;
    if (triangles == 0) return report_add(report, CLACK_STUDY, "expected triangles, found none");
    const size_t corners = 3 * (size_t)triangles,
                 points = corners < source->point_count ? corners : source->point_count;
    Mesh *mesh = calloc(1, sizeof *mesh);
    if (mesh == NULL) return report_add(report, CLACK_MEMORY, "no memory for a mesh");
    mesh->triangle_count = triangles;
    mesh->points = malloc(points * sizeof *mesh->points);
    mesh->triangles = calloc(triangles, sizeof *mesh->triangles);
    mesh->origins = malloc(triangles * sizeof *mesh->origins);
    if (mesh->points == NULL || mesh->triangles == NULL || mesh->origins == NULL) {
        status = report_add(report, CLACK_MEMORY, "no memory for a mesh");
        goto cleanup;
    }
    TRY_CLEAN(points_take(mesh, source, which, report));
    box_measure(mesh);
    if (mesh->longest_m > 0.0) TRY_CLEAN(points_weld(mesh, report));
    TRY_CLEAN(triangles_keep(mesh, report));
    TRY_CLEAN(mesh_set_edges(mesh, report));
    TRY_CLEAN(mesh_orient(mesh, report));
    *out_mesh = mesh;
    mesh = NULL;
cleanup:
    mesh_free(mesh);
    return status;
}

void mesh_free(Mesh *mesh) {
    if (mesh == NULL) return;
    free(mesh->points);
    free(mesh->triangles);
    free(mesh->edges);
    free(mesh->origins);
    free(mesh->components);
    free(mesh);
}

MeshFinding mesh_gap(const Mesh *mesh) {
    if (mesh->found[MESH_OPEN].count > 0) return MESH_OPEN;
    if (mesh->found[MESH_CROWDED].count > 0) return MESH_CROWDED;
    return mesh->found[MESH_TURNED].count > 0 ? MESH_TURNED : MESH_FINDINGS;
}

int mesh_is_closed(const Mesh *mesh) { return mesh_gap(mesh) == MESH_FINDINGS; }

SolidMoments mesh_weigh(const Mesh *mesh) {
    const size_t stride = sizeof *mesh->triangles / sizeof mesh->triangles->vertices[0];
    return solid_weigh((const double(*)[3])mesh->points, mesh->triangles[0].vertices, stride, mesh->triangle_count, 1);
}

int mesh_has_volume(const Mesh *mesh) {
    return mesh_is_thick(mesh_weigh(mesh).volume_m3, mesh->area_m2, mesh->tolerance_m);
}
