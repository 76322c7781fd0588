// What a run will do, before it does it: which scenes, where to, how many at a time.
#ifndef CLACK_PLAN_H
#define CLACK_PLAN_H

#include "device.h"
#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLAN_PATH_BYTES sizeof(((ClackPlan *)0)->output_path)

/// As clack_plan says; options->device is there.
ClackStatus plan_run(const Study *study, const ClackRunOptions *options, ClackPlan *out_plan, ClackReport *report);

/// The scenes [*out_first, *out_end) that the options ask for. Errors: CLACK_USAGE (no such scene).
ClackStatus plan_scenes(const Study *study, const ClackRunOptions *options, uint64_t *out_first, uint64_t *out_end,
                        ClackReport *report);
/// Where the ensemble file goes; "" where none is wanted. Errors: CLACK_USAGE.
ClackStatus plan_path(const Study *study, const ClackRunOptions *options, char out_path[PLAN_PATH_BYTES],
                      ClackReport *report);
/// Scenes in a batch on this device.
uint32_t plan_batch_scenes(const Study *study, const ClackRunOptions *options, const DeviceInfo *info);
/// Parts of the device that carry batches of the scenes first .. end - 1 side by side. On a GPU, which one batch fills,
/// others are made and evaluated meanwhile: as many as half of its memory holds, of batches as large as one alone.
uint32_t plan_parts(const Study *study, const ClackRunOptions *options, const Device *device, uint64_t first,
                    uint64_t end);

#ifdef __cplusplus
}
#endif
#endif
