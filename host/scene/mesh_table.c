// Surfaces in the order of their trees.
#include "mesh_table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

// New numbers of the old vertices, edges and triangles; NONE: not yet.
typedef struct Numbers {
    u32 *vertices, *edges, *triangles;
} Numbers;

static ClackStatus table_allocate(const Mesh *mesh, const MeshTree *tree, SceneMesh *table, Numbers *numbers,
                                  ClackReport *report) {
    table->head = (MeshHead){.longest_m = mesh->longest_m,
                             .vertex_count = mesh->vertex_count,
                             .triangle_count = mesh->triangle_count,
                             .edge_count = mesh->edge_count,
                             .node_count = tree->node_count,
                             .part_count = mesh->component_count};
    table->vertices = calloc(mesh->vertex_count, sizeof *table->vertices);
    table->triangles = calloc(mesh->triangle_count, sizeof *table->triangles);
    table->edges = calloc(mesh->edge_count, sizeof *table->edges);
    table->spokes = calloc(2 * (size_t)mesh->edge_count, sizeof *table->spokes);
    table->nodes = calloc(tree->node_count, sizeof *table->nodes);
    table->parts = malloc((size_t)mesh->component_count * sizeof *table->parts);
    numbers->vertices = malloc((size_t)mesh->vertex_count * sizeof(u32));
    numbers->edges = malloc((size_t)mesh->edge_count * sizeof(u32));
    numbers->triangles = calloc(mesh->triangle_count, sizeof(u32));
    if (!table->vertices || !table->triangles || !table->edges || !table->spokes || !table->nodes || !table->parts ||
        !numbers->vertices || !numbers->edges || !numbers->triangles)
        return report_add(report, CLACK_MEMORY, "no memory for the tables of a mesh");
    memset(numbers->vertices, 0xff, (size_t)mesh->vertex_count * sizeof(u32));
    memset(numbers->edges, 0xff, (size_t)mesh->edge_count * sizeof(u32));
    memset(table->parts, 0xff, (size_t)mesh->component_count * sizeof *table->parts);
    return CLACK_OK;
}

// How many vertices some triangle has.
static u32 table_number(const Mesh *mesh, const MeshTree *tree, const Numbers *numbers) {
    u32 vertices = 0, edges = 0;
    for (u32 t = 0; t < tree->triangle_count; t++) {
        const MeshTriangle *old = &mesh->triangles[tree->order[t]];
        numbers->triangles[tree->order[t]] = t;
        for (int k = 0; k < 3; k++) {
            u32 *vertex = &numbers->vertices[old->vertices[k]], *edge = &numbers->edges[old->edges[k]];
            if (*vertex == NONE) *vertex = vertices++;
            if (*edge == NONE) *edge = edges++;
        }
    }
    return vertices;
}

static u32 number_or_none(const u32 *numbers, u32 old) { return old == MESH_NONE ? NONE : numbers[old]; }

static void table_fill_triangles(const Mesh *mesh, const Numbers *numbers, SceneMesh *table) {
    for (u32 t = 0; t < mesh->triangle_count; t++) {
        MeshTriangle *out = &table->triangles[numbers->triangles[t]];
        for (int k = 0; k < 3; k++) {
            out->vertices[k] = numbers->vertices[mesh->triangles[t].vertices[k]];
            out->edges[k] = numbers->edges[mesh->triangles[t].edges[k]];
            out->neighbours[k] = number_or_none(numbers->triangles, mesh->triangles[t].neighbours[k]);
        }
        u32 *part = &table->parts[mesh->components[t]];
        if (*part == NONE) *part = out->vertices[0];
    }
}

static void table_fill_edges(const Mesh *mesh, const Numbers *numbers, SceneMesh *table) {
    for (u32 e = 0; e < mesh->edge_count; e++) {
        const MeshEdge *old = &mesh->edges[e];
        const u32 a = numbers->vertices[old->low], b = numbers->vertices[old->high];
        MeshEdge *out = &table->edges[numbers->edges[e]];
        out->low = a < b ? a : b;
        out->high = a < b ? b : a;
        for (int k = 0; k < 2; k++) out->triangles[k] = number_or_none(numbers->triangles, old->triangles[k]);
    }
}

// The edges of each vertex, in order of their numbers.
static void table_fill_spokes(SceneMesh *table) {
    u32 first = 0;
    for (u32 e = 0; e < table->head.edge_count; e++) {
        table->vertices[table->edges[e].low].spoke_count++;
        table->vertices[table->edges[e].high].spoke_count++;
    }
    for (u32 v = 0; v < table->head.vertex_count; v++) {
        table->vertices[v].spoke_first = first;
        first += table->vertices[v].spoke_count;
        table->vertices[v].spoke_count = 0;
    }
    for (u32 e = 0; e < table->head.edge_count; e++) {
        const u32 ends[2] = {table->edges[e].low, table->edges[e].high};
        for (int k = 0; k < 2; k++) {
            MeshVertex *vertex = &table->vertices[ends[k]];
            table->spokes[vertex->spoke_first + vertex->spoke_count++] = (MeshSpoke){ends[1 - k], e};
        }
    }
}

ClackStatus mesh_table_make(const Mesh *mesh, SceneMesh **out, ClackReport *report) {
    assert(mesh_is_closed(mesh) && out != NULL);
    MeshTree tree = {0};
    Numbers numbers = {0};
    *out = NULL;
    SceneMesh *table = calloc(1, sizeof *table);
    if (table == NULL) return report_add(report, CLACK_MEMORY, "no memory for the tables of a mesh");
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(mesh_tree_make(mesh, &tree, report));
    TRY_CLEAN(table_allocate(mesh, &tree, table, &numbers, report));
    table->head.vertex_count = table_number(mesh, &tree, &numbers);
    for (u32 v = 0; v < mesh->vertex_count; v++) {
        if (numbers.vertices[v] == NONE) continue;
        const double *at = mesh->points[v];
        table->vertices[numbers.vertices[v]].at_m = vec3_make(at[0], at[1], at[2]);
        table->radius_m = fmax(table->radius_m, vec3_length(vec3_make(at[0], at[1], at[2])));
    }
    table_fill_triangles(mesh, &numbers, table);
    table_fill_edges(mesh, &numbers, table);
    table_fill_spokes(table);
    memcpy(table->nodes, tree.nodes, (size_t)tree.node_count * sizeof *tree.nodes);
    memcpy(table->low_m, mesh->low_m, sizeof table->low_m);
    memcpy(table->high_m, mesh->high_m, sizeof table->high_m);
    table->solid = mesh_weigh(mesh);
    *out = table;
    table = NULL;
cleanup:
    mesh_table_free(table);
    mesh_tree_free(&tree);
    free(numbers.vertices);
    free(numbers.edges);
    free(numbers.triangles);
    return status;
}

size_t mesh_table_bytes(const SceneMesh *table) {
    const MeshHead *head = &table->head;
    return sizeof *head + head->vertex_count * sizeof *table->vertices +
           head->triangle_count * sizeof *table->triangles + head->node_count * sizeof *table->nodes +
           head->edge_count * (sizeof *table->edges + 2 * sizeof *table->spokes) +
           head->part_count * sizeof *table->parts;
}

void mesh_table_free(SceneMesh *table) {
    if (table == NULL) return;
    free(table->vertices);
    free(table->triangles);
    free(table->edges);
    free(table->spokes);
    free(table->nodes);
    free(table->parts);
    free(table);
}
