// Edges of a surface: sides of triangles sorted by their vertices, and what is wrong with those that are not shared by
// two.
#include "mesh_internal.h"

#include <stdlib.h>

typedef struct Side { // of a triangle
    uint32_t high, triangle, corner;
} Side;

static uint32_t side_low(const Mesh *mesh, uint32_t triangle, uint32_t corner, uint32_t *out_high) {
    const uint32_t a = mesh->triangles[triangle].vertices[corner];
    const uint32_t b = mesh->triangles[triangle].vertices[(corner + 1) % 3];
    *out_high = a < b ? b : a;
    return a < b ? a : b;
}

static int side_compare(const void *a, const void *b) {
    const Side *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    if (x->triangle != y->triangle) return x->triangle < y->triangle ? -1 : 1;
    return x->corner < y->corner ? -1 : x->corner > y->corner;
}

// Sides in order of their lower vertex, by counting; first[v]: where those of v begin.
static void sides_sort(const Mesh *mesh, size_t *first, Side *sides) {
    uint32_t high;
    for (uint32_t s = 0; s < 3 * mesh->triangle_count; s++) first[side_low(mesh, s / 3, s % 3, &high) + 2]++;
    for (uint32_t v = 2; v < mesh->vertex_count + 2; v++) first[v] += first[v - 1];
    for (uint32_t s = 0; s < 3 * mesh->triangle_count; s++) {
        const uint32_t low = side_low(mesh, s / 3, s % 3, &high);
        sides[first[low + 1]++] = (Side){high, s / 3, s % 3};
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        qsort(sides + first[v], first[v + 1] - first[v], sizeof *sides, side_compare);
}

// Does a triangle go along its edge from the lower vertex to the higher?
static int goes_up(const Mesh *mesh, const Side *side) {
    return mesh->triangles[side->triangle].vertices[side->corner] < side->high;
}

static void edge_add(Mesh *mesh, uint32_t low, const Side *sides, uint32_t count) {
    const uint32_t edge = mesh->edge_count++;
    mesh->edges[edge] = (MeshEdge){low, sides->high, {sides[0].triangle, count > 1 ? sides[1].triangle : MESH_NONE}};
    for (uint32_t i = 0; i < count; i++) {
        MeshTriangle *triangle = &mesh->triangles[sides[i].triangle];
        triangle->edges[sides[i].corner] = edge;
        triangle->neighbours[sides[i].corner] = count == 2 ? sides[1 - i].triangle : MESH_NONE;
    }
    const uint32_t origin = mesh->origins[sides[count > 2 ? 2 : 0].triangle];
    if (count == 1) mesh_note(mesh, MESH_OPEN, origin, low, sides->high);
    if (count > 2) mesh_note(mesh, MESH_CROWDED, origin, low, sides->high);
    if (count == 2 && goes_up(mesh, &sides[0]) == goes_up(mesh, &sides[1]))
        mesh_note(mesh, MESH_TURNED, mesh->origins[sides[1].triangle], low, sides->high);
}

ClackStatus mesh_set_edges(Mesh *mesh, ClackReport *report) {
    const size_t count = 3 * (size_t)mesh->triangle_count;
    size_t *first = calloc((size_t)mesh->vertex_count + 2, sizeof *first);
    Side *sides = malloc(count * sizeof *sides);
    mesh->edges = malloc(count * sizeof *mesh->edges);
    ClackStatus status = CLACK_OK;
    if (first == NULL || sides == NULL || mesh->edges == NULL) {
        status = report_add(report, CLACK_MEMORY, "no memory for a mesh");
        goto cleanup;
    }
    sides_sort(mesh, first, sides);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        size_t at = first[v];
        while (at < first[v + 1]) {
            size_t end = at + 1;
            while (end < first[v + 1] && sides[end].high == sides[at].high) end++;
            edge_add(mesh, v, sides + at, (uint32_t)(end - at));
            at = end;
        }
    }
    MeshEdge *fitting = realloc(mesh->edges, (size_t)mesh->edge_count * sizeof *fitting);
    if (fitting != NULL) mesh->edges = fitting;
cleanup:
    free(first);
    free(sides);
    return status;
}
