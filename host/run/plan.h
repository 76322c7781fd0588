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
/// About what a batch of so many scenes from `first` on takes on this device, bytes.
uint64_t plan_batch_bytes(const Study *study, const ClackRunOptions *options, uint32_t batch_scenes, uint64_t first,
                          const DeviceInfo *info);

#ifdef __cplusplus
}
#endif
#endif
