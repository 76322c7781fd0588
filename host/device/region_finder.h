// Contact regions of a scene's meshes in many configurations: its tables on a device, queries in batches.
#ifndef CLACK_REGION_FINDER_H
#define CLACK_REGION_FINDER_H

#include "device.h"
#include "scene.h"
#include "stage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RegionFinder RegionFinder;

// What the device has of the scene already.
typedef struct RegionInputs {
    DeviceBuffer *bodies;
    DeviceBuffer *states; // (n_configuration, n_body)
} RegionInputs;

/// Whether two shapes of a scene are such that their regions are sought, not their contacts: where one is a mesh, and
/// with the method `trapezoidal` of all.
int region_finder_takes(const Scene *scene, const Shape *a, const Shape *b);

/// NULL in `*out_finder` if the scene has no such pairs. `scene`: of the study, whose meshes may be freed
/// afterwards. Convex shapes that may touch meshes become meshes here (stage_mesh.h). Errors: CLACK_STUDY,
/// CLACK_MEMORY, CLACK_DEVICE.
/// Of the options fits_planes and lists_contours count.
ClackStatus region_finder_open(Device *device, const SceneDescription *scene, const Batch *batch,
                               const ClackEvaluateOptions *options, RegionFinder **out_finder, ClackReport *report);
void region_finder_close(RegionFinder *finder);                // NULL is allowed
uint32_t region_finder_pair_count(const RegionFinder *finder); // NULL: 0

/// On the device for each configuration, but for regions beyond one of each pair.
double region_finder_bytes(const RegionFinder *finder); // NULL: 0

/// Appends the regions of `count` configurations, which are numbered from `base` on, and their contours if these are
/// wanted; contacts->first_region of these and the next one is set. Errors: CLACK_MEMORY, CLACK_DEVICE.
ClackStatus region_finder_run(RegionFinder *finder, const RegionInputs *inputs, size_t base, size_t count,
                              ClackContacts *contacts, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
