// Convex hulls: the vertices of a set of points, their mass properties, and their rows for the kernels.
#ifndef CLACK_HULL_H
#define CLACK_HULL_H

#include <stddef.h>

#include "scene.h"
#include "scene_types.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HULL_VERTICES_MAX 4096u

struct SceneHull { // at scale 1, in the frame of the points; density 1
    double volume_m3;
    double centroid_m[3];     // of the volume: origin of the rows
    double inertia_m5[3][3];  // about the centroid
    double sides_m[3];        // of the box along the axes
    double radius_m;          // farthest vertex from the centroid
    uint32_t vertex_count;
    uint32_t row_first;       // in the table of all hulls of a study
    uint32_t row_count;
    HullRow *rows;            // (row_count): see scene_types.h
};

/// Convex hull of points; those inside it, on its faces or given twice are dropped. `*out_hull` is
/// owned by the caller, its row_first 0.
/// Errors, reported in one sentence: CLACK_STUDY (fewer than 4 points, all in a plane to rounding, or
/// more than HULL_VERTICES_MAX vertices), CLACK_MEMORY.
ClackStatus hull_make(const double (*points)[3], size_t count, SceneHull **out_hull,
                      ClackReport *report);
void hull_free(SceneHull *hull); // NULL is allowed

/// The surface of a hull as triangles, counter-clockwise seen from outside: numbers of its vertices, which are the
/// last vertex_count of its rows. `*out_corners` (out_count) is freed by the caller. Errors: CLACK_MEMORY.
ClackStatus hull_triangles(const SceneHull *hull, uint32_t (**out_corners)[3], size_t *out_count,
                           ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
