// Shapes as triangles in the frames of their bodies, for programs that draw them.
#ifndef CLACK_SURFACE_H
#define CLACK_SURFACE_H

#include "record_export.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The shapes of a scene whose frames are known: half-spaces have no end and become squares about the path of the
/// moving bodies. Round shapes are inscribed polyhedra; boxes, cylinders, cones and beams have sharp edges; meshes are
/// as their files have them. Errors: CLACK_STUDY (as sample_numbered's), CLACK_MEMORY.
ClackStatus surface_make(const Study *study, const EnsembleFrames *frames, Surface *out_surface, ClackReport *report);
void surface_free(Surface *surface);

#ifdef __cplusplus
}
#endif
#endif
