// HDF5 files of `clack export`: surfaces of moving bodies and contours of regions for XDMF, and H5MD. Only record*.c
// include hdf5.h.
#ifndef CLACK_RECORD_EXPORT_H
#define CLACK_RECORD_EXPORT_H

#include "ensemble.h"
#include "evaluation.h"

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

typedef struct SurfaceContacts { // contacts at the times of the frames; arrays owned
    size_t count;
    size_t *first;                                           // (frame_count + 1): those of frame f are first[f] ..
    double (*points_m)[3], (*normal_N)[3], (*friction_N)[3]; // (count): forces on body_b
    double *penetration_m;                                   // (count)
    uint32_t *body_a, *body_b;                               // (count)
} SurfaceContacts;

/// Write `triangle` [triangle, 3], `body`, `shape` [triangle], and in a group for each of these a dataset for every
/// frame, named after its number: where the points are and how fast [point, 3], the same of the bodies that the scene
/// has, and their angular velocities; of the frames that have contacts (NULL: none), where these are and their forces
/// [contact, 3], `contact_penetration`, `contact_body_a`, `contact_body_b` [contact]. Errors: CLACK_IO, CLACK_MEMORY;
/// there may be a part of a file then.
extern const char *const record_export_groups[];
typedef struct RecordContactField { // a group with a dataset for each frame that has contacts
    const char *name;
    size_t components;
    int is_integer;
} RecordContactField;
#define RECORD_CONTACT_FIELDS 6 // the first: where they are
extern const RecordContactField record_contact_fields[RECORD_CONTACT_FIELDS];
ClackStatus record_export_surfaces(const char *path, const Surface *surface, const EnsembleFrames *frames,
                                   const SurfaceContacts *contacts, ClackReport *report);

/// Write the bodies of a scene as particles of an H5MD file (version 1.1, with its module of units).
/// Errors: as above.
ClackStatus record_export_h5md(const char *path, const Ensemble *ensemble, const EnsembleFrames *frames,
                               ClackReport *report);

typedef enum RecordContourOwner { CONTOUR_OF_CONTOURS, CONTOUR_OF_REGIONS } RecordContourOwner;
typedef enum RecordContourRole { CONTOUR_GEOMETRY, CONTOUR_TOPOLOGY, CONTOUR_ATTRIBUTE } RecordContourRole;

typedef struct RecordContourField { // a dataset of every configuration: /<group of the owner>/<name>/<configuration>
    const char *name;
    RecordContourOwner owner;
    RecordContourRole role;
    size_t components;
    int is_integer;
} RecordContourField;

typedef struct RecordContourCounts { // of a configuration
    uint64_t configuration;
    size_t points, contours, regions;
} RecordContourCounts;

extern const char *const record_contour_groups[]; // of the owners
extern const RecordContourField record_contour_fields[];
extern const size_t record_contour_field_count;
/// Rows of a field's dataset; where there are 0, there is no dataset.
size_t record_contour_rows(const RecordContourField *field, const RecordContourCounts *counts);

/// Write the contours and regions of the configurations that counts (count) name, and set the rest of counts. Cells are
/// those of XDMF's mixed topology. Errors: as above, and those of evaluation_regions.
ClackStatus record_export_contours(const char *path, const Evaluation *evaluation, RecordContourCounts *counts,
                                   size_t count, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
