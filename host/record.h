// Records -> HDF5, one field table; the only file of the library that includes hdf5.h is record.c.
#ifndef CLACK_RECORD_H
#define CLACK_RECORD_H

#include "quantity.h"
#include "stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Record Record; // an ensemble file being written

typedef struct RecordProvenance { // strings may be NULL
    const char *command_line;
    const char *device_name, *platform, *driver, *build_options;
    const char *started_utc; // ISO 8601
} RecordProvenance;

/// Start an ensemble file for `scene_count` scenes with numbers from `scene_first` on. It is written as
/// "<path>.part" and gets its name when closed. Errors: CLACK_IO with the path and the reason.
ClackStatus record_open(const char *path, const Study *study, uint64_t scene_first,
                        uint64_t scene_count, const RecordProvenance *provenance,
                        Record **out_record, ClackReport *report);

/// Write a finished batch: parameters (scene_count, parameter_count), quantities (scene_count, quantity_count).
ClackStatus record_batch(Record *record, const Batch *batch, const BatchResult *result,
                         const double *parameters, const double *quantities, ClackReport *report);

/// Finish: attribute `complete` says whether every scene was run; rename to the final name. Frees the
/// record in any case. `record` may be NULL.
ClackStatus record_close(Record *record, const char *finished_utc, ClackReport *report);

/// Leave without a file: removes the partial one.
void record_abandon(Record *record);

/// What `clack info` prints: a summary of an ensemble file, as text owned by the caller.
/// Errors: CLACK_IO, CLACK_CORRUPT.
ClackStatus record_describe(const char *path, char **out_text, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
