// What is found of a surface, as sentences with cures.
#include "mesh_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BETWEEN_SHARE 1e-6 // of a mesh's longest side: a vertex this near an edge is meant to be on it

// Is a point between the ends of an edge?
static int is_between(const double at[3], const double from[3], const double to[3], double spare) {
    double along = 0, length = 0, away = 0;
    for (int k = 0; k < 3; k++) {
        along += (at[k] - from[k]) * (to[k] - from[k]);
        length += (to[k] - from[k]) * (to[k] - from[k]);
    }
    const double share = along / length;
    if (!(share > 0.0 && share < 1.0)) return 0;
    for (int k = 0; k < 3; k++) away += pow(at[k] - from[k] - share * (to[k] - from[k]), 2);
    return away <= spare * spare;
}

static int has_between(const Mesh *mesh, const uint32_t ends[2], const uint32_t edge[2]) {
    const double *from = mesh->points[edge[0]], *to = mesh->points[edge[1]];
    for (int i = 0; i < 2; i++)
        if (ends[i] != edge[0] && ends[i] != edge[1] &&
            is_between(mesh->points[ends[i]], from, to, BETWEEN_SHARE * mesh->longest_m))
            return 1;
    return 0;
}

// Does an end of an open edge lie on another one? There is no hole then: that vertex is no corner of a triangle.
static int has_vertex_between(const Mesh *mesh, const MeshFound *found) {
    const uint32_t own[2] = {found->from, found->to};
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        const MeshEdge *edge = &mesh->edges[e];
        const uint32_t other[2] = {edge->low, edge->high};
        if (edge->triangles[1] == MESH_NONE && (has_between(mesh, other, own) || has_between(mesh, own, other)))
            return 1;
    }
    return 0;
}

static void open_describe(const Mesh *mesh, const char *edge, char *out, size_t out_bytes) {
    const MeshFound *found = &mesh->found[MESH_OPEN];
    if (has_vertex_between(mesh, found))
        snprintf(out, out_bytes,
                 "the edge %s lies along another one that has a vertex in between or an end elsewhere: split the "
                 "triangle at that vertex (%u open edges in all)",
                 edge, found->count);
    else
        snprintf(out, out_bytes,
                 "the edge %s has one triangle, expected two: fill the hole, or merge vertices that are apart (%u "
                 "open edges in all)",
                 edge, found->count);
}

void mesh_describe(const Mesh *mesh, MeshFinding finding, char *out, size_t out_bytes) {
    static const char *const sentences[MESH_FINDINGS] = {
        [MESH_DROPPED] = "a triangle with two corners in one place is left out",
        [MESH_DOUBLED] = "a triangle that is there already is left out",
        [MESH_SLIVER] = "a triangle without an area is kept, as its neighbours need it",
        [MESH_FLIPPED] = "a closed surface that was inside out is turned right side out",
        [MESH_CAVITY] = "a closed surface inside another one, facing inwards, is a cavity",
        [MESH_FLAT] = "a closed surface has no volume, so no inside: its sides lie on each other or cancel"};
    const MeshFound *found = &mesh->found[finding];
    char edge[256];
    const double *a = mesh->points[found->from], *b = mesh->points[found->to];
    snprintf(edge, sizeof edge, "from [%g, %g, %g] to [%g, %g, %g]", a[0], a[1], a[2], b[0], b[1], b[2]);
    if (finding == MESH_OPEN)
        open_describe(mesh, edge, out, out_bytes);
    else if (finding == MESH_CROWDED)
        snprintf(out, out_bytes,
                 "the edge %s has more than two triangles: remove walls inside, and take parts that share an edge "
                 "apart (%u such edges in all)",
                 edge, found->count);
    else if (finding == MESH_TURNED)
        snprintf(out, out_bytes,
                 "across the edge %s the neighbour takes the other side for outside: make the normals consistent "
                 "(%u such edges in all)",
                 edge, found->count);
    else
        snprintf(out, out_bytes, "%s (%u in all)", sentences[finding], found->count);
}
