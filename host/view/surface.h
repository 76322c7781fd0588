// Shapes as triangles in the frames of their bodies, for programs that draw them.
#ifndef CLACK_SURFACE_H
#define CLACK_SURFACE_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Surface { // of all bodies of a scene; arrays owned
    size_t point_count, triangle_count, point_room, triangle_room;
    double (*points_m)[3];    // (point_count): in the frame of the point's body
    uint32_t *bodies;         // (point_count)
    uint32_t (*triangles)[3]; // (triangle_count): counter-clockwise seen from outside
    uint32_t *shapes;         // (triangle_count): number within the scene
} Surface;

/// The shapes of a scene whose frames are known: half-spaces have no end and become squares about the way of the
/// moving bodies. Round shapes are inscribed polyhedra; boxes, cylinders, cones and beams have sharp edges.
/// Errors: CLACK_STUDY (as sample_numbered's), CLACK_MEMORY.
ClackStatus surface_make(const Study *study, const EnsembleFrames *frames, Surface *out_surface, ClackReport *report);
void surface_free(Surface *surface);

#ifdef __cplusplus
}
#endif
#endif
