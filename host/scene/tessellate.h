// Convex shapes as closed surfaces of triangles, for contact regions.
#ifndef CLACK_TESSELLATE_H
#define CLACK_TESSELLATE_H

#include "hull.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of the radius of curvature: edges by default. A ball then has 9,680 triangles, and is 6e-4 of its radius off.
#define TESSELLATE_SHARE (1.0 / 16.0)
#define TESSELLATE_DEFAULT_MOST 20000.0 // triangles: the default is longer where it would make more
#define TESSELLATE_MOST 1000000.0       // triangles of a shape whose edges are given

// What the surface of a convex shape is like.
typedef struct Tessellation {
    double mesh_size_m;    // no edge across a curved face is longer; 0: there is none
    double deviation_m;    // how far the shape reaches beyond its triangles, at most; they reach nowhere beyond it
    double left_out_m;     // radius of its rounded edges where the surface has sharp ones; 0: it is as the shape
    double triangle_count; // of an ellipsoid or superquadric an estimate; infinite: far more than TESSELLATE_MOST
} Tessellation;

/// What tessellate makes of a shape as kernels read it. mesh_size_m: 0 for the default, which is TESSELLATE_SHARE of a
/// sphere's or capsule's radius, of that of a cylinder or of a cone's base, of half a beam's width, of an ellipsoid's
/// or superquadric's least radius of curvature. Not for half-spaces and meshes. Errors: CLACK_MEMORY.
ClackStatus tessellate_plan(const Shape *shape, const SceneHull *hull, double mesh_size_m, Tessellation *out,
                            ClackReport *report);

/// The surface of a shape in its own frame, closed and counter-clockwise seen from outside, with every vertex on the
/// shape. Edges that are rounded (`smoothing`) are so here where mesh_size_m is no longer than their radius, and sharp
/// else; those of hulls always are sharp. Flat faces have few triangles. The same shape always gives the same bits.
/// hull: of SHAPE_HULL. `*out_mesh` is owned by the caller.
/// Errors: CLACK_STUDY (more than TESSELLATE_MOST triangles; a hull whose triangles do not close), CLACK_MEMORY.
ClackStatus tessellate(const Shape *shape, const SceneHull *hull, double mesh_size_m, Mesh **out_mesh,
                       ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
