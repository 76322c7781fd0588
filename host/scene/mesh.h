// A surface of triangles whose vertices are welded and whose edges know their triangles; what is wrong with it.
#ifndef CLACK_MESH_H
#define CLACK_MESH_H

#include "mesh_file.h"
#include "model/mesh_types.h"
#include "solid.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MESH_NONE UINT32_MAX // NONE of the kernels: no edge, no triangle
// Of the longest side of the box about the points: vertices this near each other become the first of them.
#define MESH_WELD_SHARE 1e-9

// What is found when a surface is made, of which nothing is silent.
typedef enum MeshFinding {
    MESH_DROPPED, // triangles with two corners in one place, left out
    MESH_DOUBLED, // triangles that were there already, left out
    MESH_SLIVER,  // triangles no higher than the tolerance, kept: without them there were a gap
    MESH_OPEN,    // edges of one triangle
    MESH_CROWDED, // edges of three and more
    MESH_TURNED,  // edges whose two triangles disagree which side is outside
    MESH_FLIPPED, // bodies that were inside out, put right
    MESH_CAVITY,  // bodies within another that are clockwise: cavities, kept
    MESH_FLAT,    // bodies without a volume, kept: their sides lie on each other, or cancel
    MESH_FINDINGS
} MeshFinding;

typedef struct MeshFound {
    uint32_t count;
    uint32_t triangle; // the first, as the source numbers it
    uint32_t from, to; // of an edge: its vertices
} MeshFound;

typedef struct Mesh {
    double (*points)[3]; // (vertex_count)
    MeshTriangle *triangles;
    MeshEdge *edges;
    uint32_t *origins;    // (triangle_count): which triangle of the source
    uint32_t *components; // (triangle_count): which of the parts that share no edge
    uint32_t vertex_count, triangle_count, edge_count, component_count;
    uint32_t welded_near; // points that became one though not equal
    double tolerance_m, longest_m, low_m[3], high_m[3];
    double area_m2;
    MeshFound found[MESH_FINDINGS];
} Mesh;

/// The surface of triangles of a source: those numbered by `which` (count), which is NULL for all. Components that are
/// inside out and lie in no other one are put right. `*out_mesh` is owned by the caller. Errors: CLACK_MEMORY;
/// CLACK_STUDY, reported (no triangle is left).
ClackStatus mesh_make(const MeshSource *source, const uint32_t *which, uint32_t count, Mesh **out_mesh,
                      ClackReport *report);
void mesh_free(Mesh *mesh); // NULL is allowed

/// Has each edge two triangles that agree which side is outside?
int mesh_is_closed(const Mesh *mesh);
/// Of a closed mesh.
SolidMoments mesh_weigh(const Mesh *mesh);
/// Does a closed mesh enclose more than vertices may be off: is it thicker than its tolerance?
int mesh_has_volume(const Mesh *mesh);
/// A sentence on a finding, with a cure and how many there are; its place is that of found[finding].triangle.
void mesh_describe(const Mesh *mesh, MeshFinding finding, char *out, size_t out_bytes);
/// The first finding that keeps a mesh from being closed; MESH_FINDINGS: none.
MeshFinding mesh_gap(const Mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
