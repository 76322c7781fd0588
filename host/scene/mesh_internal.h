// What the files of surfaces share.
#ifndef CLACK_MESH_INTERNAL_H
#define CLACK_MESH_INTERNAL_H

#include "mesh.h"

typedef struct MeshWelding {
    double (*points)[3]; // (count); then (kept) alone: the first of those that are equal or within the tolerance
    uint32_t count;
    const double *low; // corner of the box about them
    double tolerance;
    uint32_t *numbers;   // (count): which of the kept points each has become
    uint32_t kept, near; // near: points that became one though not equal
} MeshWelding;

ClackStatus mesh_weld(MeshWelding *welding, ClackReport *report); // mesh_weld.c

/// Edges of the triangles, their neighbours, and what is wrong with them. (mesh_edges.c)
ClackStatus mesh_set_edges(Mesh *mesh, ClackReport *report);

/// Is a solid thicker than a tolerance? Its mean thickness, were it a sheet, is the volume over half the area.
static inline int mesh_is_thick(double volume_m3, double area_m2, double tolerance_m) {
    return 2.0 * volume_m3 > tolerance_m * area_m2;
}

/// Components, and which side of each is outside. (mesh_orient.c)
ClackStatus mesh_orient(Mesh *mesh, ClackReport *report);

void mesh_note(Mesh *mesh, MeshFinding finding, uint32_t triangle, uint32_t from, uint32_t to);

#endif
