// What the files of hulls share: the triangles of a surface.
#ifndef CLACK_HULL_INTERNAL_H
#define CLACK_HULL_INTERNAL_H

#include "hull.h"

// Indices of points, three for each triangle of the surface; not oriented.
typedef struct Triangles {
    uint32_t (*corners)[3]; // (count)
    size_t count;
} Triangles;

/// The surface of the convex hull of points. out->corners is freed by the caller. Errors: those of hull_make.
ClackStatus hull_make_triangles(const double (*points)[3], size_t count, Triangles *out, ClackReport *report);

/// Counter-clockwise seen from outside, where the origin is inside.
void hull_turn_triangles(const double (*points)[3], Triangles *triangles);

/// Vertices, rows and their counts of the hull from a surface: the corners of the triangles, which become numbers of
/// vertices. The rows get `origin` for theirs; former ones are freed. Errors: as of hull_make.
ClackStatus hull_set_surface(SceneHull *hull, const double (*points)[3], size_t count, const double origin[3],
                             Triangles *triangles, ClackReport *report);

/// The rows of the map after all others: which vertices may be farthest where. Errors: CLACK_MEMORY.
ClackStatus hull_add_map(SceneHull *hull, ClackReport *report);

#endif
