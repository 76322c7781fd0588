// Two surfaces, or a surface and a plane, in the frame of the second.
#ifndef CLACK_REGIONS_MESH_PAIR_H
#define CLACK_REGIONS_MESH_PAIR_H

#include "base/vec3.h"
#include "model/mesh_types.h"
#include "model/region_types.h"

// The tables of all meshes.
typedef struct MeshTables {
    GLOBAL const MeshHead *heads;
    GLOBAL const MeshVertex *vertices;
    GLOBAL const MeshTriangle *triangles;
    GLOBAL const MeshEdge *edges;
    GLOBAL const MeshSpoke *spokes;
    GLOBAL const MeshNode *nodes;
    GLOBAL const u32 *parts;
} MeshTables;

FN_SHORT MeshTables mesh_tables(GLOBAL const MeshHead *heads, GLOBAL const MeshVertex *vertices,
                                GLOBAL const MeshTriangle *triangles, GLOBAL const MeshEdge *edges,
                                GLOBAL const MeshSpoke *spokes, GLOBAL const MeshNode *nodes, GLOBAL const u32 *parts) {
    MeshTables tables;
    tables.heads = heads;
    tables.vertices = vertices;
    tables.triangles = triangles;
    tables.edges = edges;
    tables.spokes = spokes;
    tables.nodes = nodes;
    tables.parts = parts;
    return tables;
}

typedef struct MeshView { // one mesh's rows
    GLOBAL const MeshVertex *vertices;
    GLOBAL const MeshTriangle *triangles;
    GLOBAL const MeshEdge *edges;
    GLOBAL const MeshSpoke *spokes;
    GLOBAL const MeshNode *nodes;
    GLOBAL const u32 *parts;
    u32 node_count, part_count, triangle_count;
    real longest_m;
} MeshView;

FN MeshView mesh_view(const MeshTables *tables, u32 mesh) {
    GLOBAL const MeshHead *head = &tables->heads[mesh];
    MeshView view;
    view.vertices = tables->vertices + head->vertex_first;
    view.triangles = tables->triangles + head->triangle_first;
    view.edges = tables->edges + head->edge_first;
    view.spokes = tables->spokes + head->spoke_first;
    view.nodes = tables->nodes + head->node_first;
    view.parts = tables->parts + head->part_first;
    view.node_count = head->node_count;
    view.part_count = head->part_count;
    view.triangle_count = head->triangle_count;
    view.longest_m = head->longest_m;
    return view;
}

// The second's frame holds still; the first is placed in it. Of a plane, `second` is not read: it is z = 0, and the
// solid lies below.
typedef struct MeshPair {
    MeshView first, second;
    Mat3 turn;    // first's frame to second's
    Vec3 place_m; // first's origin in the second's frame
    u32 is_plane;
    real rounding_m; // places are known so well, at least; of the pairs that mesh_pair_jitter returns
} MeshPair;

// Of the pair's size: a bound of what rounding makes of the place of a vertex.
#define MESH_PAIR_ROUNDING 1.0e-13

// A contour that does not close is sought once more with the first moved by so much of the longer mesh, and rotated.
#define REGION_JITTER_SHARE 1.0e-10
#define REGION_JITTER_RAD 1.0e-9
#define REGION_JITTERS 3u // at most

/// The pair with its first mesh moved by the number-th of a few fixed small motions; 0: none.
FN MeshPair mesh_pair_jitter(const MeshPair *pair, u32 number) {
    MeshPair moved = *pair;
    real times = (real)number, longest_m = real_max(pair->first.longest_m, pair->second.longest_m);
    moved.rounding_m = real_fma(2.0 * (REGION_JITTER_SHARE + REGION_JITTER_RAD) * times, longest_m,
                                MESH_PAIR_ROUNDING * (longest_m + vec3_max_abs(pair->place_m)));
    if (number == 0) return moved;
    Vec3 axis = number == 2 ? vec3_make(0.8, -0.36, 0.48) : vec3_make(0.48, 0.64, 0.6); // neither along a mesh's axes
    Vec3 path = number == 2 ? vec3_make(-0.31, 1.0, 0.7) : vec3_make(1.0, 0.7, 0.31);
    Vec3 angle = vec3_scale(axis, times * REGION_JITTER_RAD);
    Vec3 x = mat3_column(pair->turn, 0), y = mat3_column(pair->turn, 1), z = mat3_column(pair->turn, 2);
    x = vec3_add(x, vec3_cross(angle, x));
    y = vec3_add(y, vec3_cross(angle, y));
    z = vec3_add(z, vec3_cross(angle, z));
    moved.turn.x = vec3_make(x.x, y.x, z.x);
    moved.turn.y = vec3_make(x.y, y.y, z.y);
    moved.turn.z = vec3_make(x.z, y.z, z.z);
    moved.place_m = vec3_add_scaled(pair->place_m, path, times * REGION_JITTER_SHARE * longest_m);
    return moved;
}

FN_SHORT Vec3 mesh_pair_place(const MeshPair *pair, Vec3 of_first) {
    return vec3_add(pair->place_m, mat3_rotate(pair->turn, of_first));
}

/// A vertex in the second's frame: the same bits wherever it is asked for.
FN_SHORT Vec3 mesh_pair_vertex(const MeshPair *pair, u32 is_second, u32 vertex) {
    return is_second ? pair->second.vertices[vertex].at_m
                     : mesh_pair_place(pair, COPY(pair->first.vertices[vertex].at_m));
}

// A triangle in the second's frame.
typedef struct PlacedTriangle {
    Vec3 corners_m[3];
    Vec3 normal; // outwards, twice the area long; 0 until mesh_pair_set_normal
    u32 vertices[3], edges[3];
} PlacedTriangle;

FN PlacedTriangle mesh_pair_triangle(const MeshPair *pair, u32 is_second, u32 triangle) {
    GLOBAL const MeshTriangle *row = is_second ? &pair->second.triangles[triangle] : &pair->first.triangles[triangle];
    PlacedTriangle placed;
    for (u32 k = 0; k < 3; k++) {
        placed.vertices[k] = row->vertices[k];
        placed.edges[k] = row->edges[k];
        placed.corners_m[k] = mesh_pair_vertex(pair, is_second, row->vertices[k]);
    }
    placed.normal = vec3_zero();
    return placed;
}

FN_SHORT void mesh_pair_set_normal(PlacedTriangle *placed) {
    placed->normal = vec3_cross(vec3_sub(placed->corners_m[1], placed->corners_m[0]),
                                vec3_sub(placed->corners_m[2], placed->corners_m[0]));
}

#endif
