// A tree of boxes about the triangles of a surface, walked without a stack.
#ifndef CLACK_MESH_TREE_H
#define CLACK_MESH_TREE_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MESH_LEAF 4u          // triangles of a leaf, at most
#define MESH_CROSS_SHARE 1e-6 // of the longest side of the box about a mesh

// Walking, a node whose box is met goes on to the next one, else to `escape`, until there are no more. On the host the
// triangles of leaves count in `order`.
typedef struct MeshTree {
    MeshNode *nodes; // (node_count)
    uint32_t *order; // (triangle_count): triangles of the leaves
    uint32_t node_count, triangle_count;
} MeshTree;

/// Median split along the longest side of the box about the triangles' middles: the same on every machine. The points
/// are taken as they are, so let them lie about the origin: floats are fine there. Errors: CLACK_MEMORY.
ClackStatus mesh_tree_make(const Mesh *mesh, MeshTree *out, ClackReport *report);
void mesh_tree_free(MeshTree *tree);

/// The next triangle, in `order`, whose leaf the box meets, from *at on, which begins at 0; MESH_NONE at the end. Two
/// numbers keep the place: a node, and which of its triangles is next.
typedef struct MeshWalk {
    uint32_t node, next;
} MeshWalk;
uint32_t mesh_tree_next(const MeshTree *tree, const double low[3], const double high[3], MeshWalk *walk);

/// Two triangles that cross: an edge of one goes through the inside of the other, by more than MESH_CROSS_SHARE each
/// way. What merely touches or coincides, as far as files in floats tell, is not found. 0: there are none such.
int mesh_find_crossing(const Mesh *mesh, const MeshTree *tree, uint32_t *out_a, uint32_t *out_b);

#ifdef __cplusplus
}
#endif
#endif
