// Convex hulls: the vertices of a set of points, their mass properties, and their rows for the kernels.
#ifndef CLACK_HULL_H
#define CLACK_HULL_H

#include <stddef.h>

#include "scene.h"
#include "model/scene_types.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HULL_VERTICES_MAX 4096u

struct SceneHull { // at scale 1, in the frame of the points; density 1
    double volume_m3;
    double centroid_m[3];    // of the volume: origin of the rows
    double inertia_m5[3][3]; // about the centroid
    double sides_m[3];       // of the box along the axes
    double radius_m;         // farthest corner from the centroid
    double smoothing_m;      // radius of its rounded edges; 0: they are sharp
    uint32_t vertex_count;   // of the core, which is the hull where edges are sharp
    uint32_t row_first;      // in the table of all hulls of a study
    uint32_t row_count;
    HullRow *rows;                   // (row_count): see scene_types.h
    uint32_t face_count, edge_count; // triangles and edges of the core among the rows; 0 of sharp and of large hulls
    Vec3 *corners_m;                 // (corner_count) from the centroid, before they were rounded; NULL: they are not
    uint32_t corner_count;
};

/// Convex hull of points; those inside it, on its faces or given twice are dropped. `*out_hull` is
/// owned by the caller, its row_first 0.
/// Errors, reported in one sentence: CLACK_STUDY (fewer than 4 points, all in a plane to rounding, or
/// more than HULL_VERTICES_MAX vertices), CLACK_MEMORY.
ClackStatus hull_make(const double (*points)[3], size_t count, SceneHull **out_hull, ClackReport *report);
void hull_free(SceneHull *hull); // NULL is allowed

/// Rounds the edges of a sharp hull: it becomes a core with a ball of smoothing_m around it, whose faces are the
/// hull's or, where more than three meet in a corner, a little inside of them. Mass properties stay those of the sharp
/// one. As much as it has room for if it has less and `cuts` is set, which may be 0. Errors: CLACK_STUDY (no room),
/// CLACK_MEMORY.
ClackStatus hull_round(SceneHull *hull, double smoothing_m, int cuts, ClackReport *report);

/// The surface of a hull, its edges sharp, as triangles, counter-clockwise seen from outside: its corners from the
/// centroid and their numbers, three for each triangle. Both are freed by the caller. Errors: CLACK_MEMORY.
ClackStatus hull_triangles(const SceneHull *hull, double (**out_points)[3], size_t *out_point_count,
                           uint32_t (**out_corners)[3], size_t *out_count, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
