// clack: a batch contact evaluator. The library's whole public surface.
#ifndef CLACK_H
#define CLACK_H

#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "evaluate.h"
#include "status.h"
#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CLACK_VERSION "0.1.0"

/// Where a run stands, for progress displays.
typedef struct ClackProgress {
    uint64_t scenes_done, scenes_failed, scenes_total;
    double elapsed_s;
} ClackProgress;

// Of stage.h and stepper.h, for those who look at every batch.
struct Batch;
struct BatchResult;

/// Called with each finished batch: parameters (scene_count, parameter_count) and quantities
/// (scene_count, quantity_count).
typedef void (*ClackOnBatch)(void *context, const struct Batch *batch, const struct BatchResult *result,
                             const double *parameters, const double *quantities);

typedef struct ClackRunOptions {
    const char *output_path;    // ensemble file; NULL: "<study name>.h5" in the current folder
    int no_file;                // write none
    DeviceOptions device;
    uint64_t batch_scenes;      // scenes per batch; 0: chosen by the library
    int64_t only_scene;         // >= 0: that scene alone
    uint64_t failures_allowed;  // more failed scenes than this: CLACK_FAILED_SCENES after writing
    const char *command_line;   // for the provenance; may be NULL
    void (*on_progress)(void *context, const ClackProgress *progress); // may be NULL
    void *progress_context;
    ClackOnBatch on_batch;      // may be NULL
    void *batch_context;
    const volatile int *stop;   // set non-zero (from a signal handler, say) to stop cleanly; may be NULL
} ClackRunOptions;

typedef struct ClackRunSummary {
    char output_path[1024]; // empty: no file
    uint64_t scenes_total, scenes_run, scenes_failed;
    uint64_t status_counts[16];  // by STATUS_*
    uint64_t flag_counts[32];    // by bit
    uint64_t events, substeps, evaluations;
    double build_s, run_s, write_s; // wall time: device and kernels, simulation, output
    uint64_t batch_scenes; // of the last batch
    char device_name[256];
} ClackRunSummary;

/// study -> scenes -> buffers -> pairs -> contacts -> forces -> states -> records.
/// Runs every scene of the study and writes the ensemble file.
/// Errors: CLACK_STUDY, CLACK_DEVICE, CLACK_IO, CLACK_MEMORY; CLACK_FAILED_SCENES and CLACK_INTERRUPTED
/// after the file has been written with what there is.
ClackStatus clack_run(const Study *study, const ClackRunOptions *options,
                      ClackRunSummary *out_summary, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
