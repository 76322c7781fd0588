// Closed surfaces of triangles as the host makes them and kernels read them: one set of tables for all scenes.
#ifndef CLACK_MODEL_MESH_TYPES_H
#define CLACK_MODEL_MESH_TYPES_H

#include "base/vec_types.h"

typedef struct MeshTriangle { // (n_triangle); of kernels' tables in the order of the tree's leaves
    u32 vertices[3];          // counter-clockwise seen from outside
    u32 edges[3];             // from each vertex to the next
    u32 neighbours[3];        // across each edge; NONE: none, or several
} MeshTriangle;
ASSERT_SIZE(MeshTriangle, 36);

typedef struct MeshEdge { // (n_edge)
    u32 low, high;        // vertices
    u32 triangles[2];     // NONE: there is none; of several the first two
} MeshEdge;
ASSERT_SIZE(MeshEdge, 16);

// A tree of boxes about triangles, in pre-order: the first child of an inner node comes right after it, the second at
// the first one's `escape`.
typedef struct MeshNode {  // (n_node)
    float low[3], high[3]; // m, rounded outwards
    u32 escape;            // the node after all of this one's
    u32 first, count;      // of a leaf: its triangles; count 0: an inner node
} MeshNode;
ASSERT_SIZE(MeshNode, 36);

typedef struct MeshVertex { // (n_vertex)
    Vec3 at_m;
    u32 spoke_first, spoke_count; // the edges that it ends
} MeshVertex;
ASSERT_SIZE(MeshVertex, 32);

typedef struct MeshSpoke { // (n_spoke): an edge seen from one of its ends
    u32 vertex;            // the other end
    u32 edge;
} MeshSpoke;
ASSERT_SIZE(MeshSpoke, 8);

typedef struct MeshHead { // (n_mesh): where a mesh's rows begin, all else of a mesh counts from there
    real longest_m;       // longest side of the box about it
    u32 vertex_first, triangle_first, edge_first, spoke_first, node_first;
    u32 part_first, part_count; // vertices, one of each component of the surface
    u32 vertex_count, triangle_count, edge_count, node_count;
    u32 reserved;
} MeshHead;
ASSERT_SIZE(MeshHead, 56);

#endif
