// HDF5 files of `clack export`: surfaces of moving bodies for XDMF, and H5MD. Only record*.c include hdf5.h.
#ifndef CLACK_RECORD_EXPORT_H
#define CLACK_RECORD_EXPORT_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Surface { // of all bodies of a scene, as triangles; arrays owned
    size_t point_count, triangle_count, point_room, triangle_room;
    double (*points_m)[3];    // (point_count): in the frame of the point's body
    uint32_t *bodies;         // (point_count)
    uint32_t (*triangles)[3]; // (triangle_count): counter-clockwise seen from outside
    uint32_t *shapes;         // (triangle_count): number within the scene
} Surface;

/// Write `triangle` [triangle, 3], `body`, `shape` [triangle], and in a group for each of these a dataset for every
/// frame, named after its number: where the points are and how fast [point, 3], the same of the bodies that the scene
/// has, and their angular velocities. Errors: CLACK_IO, CLACK_MEMORY; there may be a part of a file then.
extern const char *const record_export_groups[];
ClackStatus record_export_surfaces(const char *path, const Surface *surface, const EnsembleFrames *frames,
                                   ClackReport *report);

/// Write the bodies of a scene as particles of an H5MD file (version 1.1, with its module of units).
/// Errors: as above.
ClackStatus record_export_h5md(const char *path, const Ensemble *ensemble, const EnsembleFrames *frames,
                               ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
