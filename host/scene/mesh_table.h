// A closed surface as kernels read it: its rows of the tables that all scenes share.
#ifndef CLACK_MESH_TABLE_H
#define CLACK_MESH_TABLE_H

#include "mesh_tree.h"

#ifdef __cplusplus
extern "C" {
#endif

// Triangles in the order of the tree's leaves, vertices and edges in the order in which these come to them.
struct SceneMesh {
    MeshHead head;           // its rows begin at 0; counts of its rows
    MeshVertex *vertices;    // (head.vertex_count)
    MeshTriangle *triangles; // (head.triangle_count)
    MeshEdge *edges;         // (head.edge_count)
    MeshSpoke *spokes;       // (2 head.edge_count)
    MeshNode *nodes;         // (head.node_count)
    u32 *parts;              // (head.part_count)
    SolidMoments solid;
    double low_m[3], high_m[3], radius_m; // box about it; its farthest vertex from the origin
    u32 number;                           // among the scene's
    const char *path;                     // of its file, kept by the study; NULL: of none
};

/// `mesh` is closed. `*out` is owned by the caller. Errors: CLACK_MEMORY.
ClackStatus mesh_table_make(const Mesh *mesh, SceneMesh **out, ClackReport *report);
/// What its rows take.
size_t mesh_table_bytes(const SceneMesh *table);
void mesh_table_free(SceneMesh *table); // NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
