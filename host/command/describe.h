// Results and devices as text for people, written to a stream that the caller chooses.
#ifndef CLACK_DESCRIBE_H
#define CLACK_DESCRIBE_H

#include <stdio.h>

#include "clack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A table of devices: index, platform, name, fp64, memory, driver, usable.
void describe_devices(FILE *out, ClackDeviceInfo *const *infos, size_t count);

/// A line for each convex shape that may touch meshes: the mesh that stands for it, and how far off it is.
void describe_shape_meshes(FILE *out, const ClackStudy *study);

/// A line for each mesh of a study: its surface, its hulls, and the bytes that these take once for all scenes; then the
/// lines above.
void describe_meshes(FILE *out, const ClackStudy *study);

/// What a scene is made of before it runs: masses and moments of inertia, radii of contact, smoothing, and for each
/// pair of shapes that may touch (the first 30) the effective radius R*, the modulus and the coefficients. Errors:
/// CLACK_STUDY (the scene cannot be made), CLACK_MEMORY.
ClackStatus describe_start(FILE *out, const ClackStudy *study, uint64_t number, ClackReport *report);

/// Scenes a second as text, of few with two digits. Returns `out`.
const char *describe_rate(double scenes_per_s, char out[32]);

/// What a run did, in one line, and flags that give cause for doubt; with `is_verbose` all statuses, flags and work.
/// study: NULL where it is not known; else what of its scenes gives cause for doubt as well.
void describe_summary(FILE *out, const ClackStudy *study, const ClackRunSummary *summary, int is_verbose);

/// Quantiles of what refining changed.
void describe_verification(FILE *out, const ClackStudy *study, const ClackVerification *verification);

typedef enum DescribeDetail { // of scenes
    DESCRIBE_SUMMARY,         // how they ended, quantities
    DESCRIBE_FIRST_EVENTS,    // parameters, final states, a few events too
    DESCRIBE_ALL
} DescribeDetail;

/// Each scene of a small batch.
void describe_batch(FILE *out, const ClackStudy *study, const ClackBatch *batch, DescribeDetail detail);

#ifdef __cplusplus
}
#endif
#endif
