// Where the batches of a run go: one shard after the other, then one file.
#ifndef CLACK_OUTPUT_H
#define CLACK_OUTPUT_H

#include "device.h"
#include "record_origin.h"
#include "shards.h"
#include "stop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Output Output;

typedef struct OutputConfig {
    const char *path;
    const Study *study;
    const ClackRunOptions *options;
    const Device *device;
    uint64_t first, end;        // scenes of the run
    Shards *resumed;            // taken over in any case; NULL: a new run
    const RecordBase *extended; // the finished file of the path that scenes are added to; NULL: none
} OutputConfig;

/// Begin, or go on. *out_tally: what shards of an earlier process hold, or the file that is extended. The study must
/// outlive the output. Errors: CLACK_IO, CLACK_MEMORY, CLACK_CORRUPT (shards, or a file that is extended, that do not
/// belong to this study, version, device).
ClackStatus output_open(const OutputConfig *config, Output **out_output, ShardsTally *out_tally, ClackReport *report);
/// Hand the scenes of an earlier process to `stop`, in their order. Errors: as record_rows_read's; CLACK_MEMORY.
ClackStatus output_replay(const Output *output, Stop *stop, int *out_is_reached, ClackReport *report);
/// The run ends before scene `end`, for a reason that the file is to hold. Errors: CLACK_MEMORY.
ClackStatus output_end_at(Output *output, uint64_t end, const char *reason, ClackReport *report);
/// The next scenes that are in no shard; 0 where there are none.
int output_next_gap(const Output *output, uint64_t from, uint64_t *out_first, uint64_t *out_end);
typedef struct OutputBatch { // scenes first .. first + batch->scene_count - 1
    uint64_t first, gap_end; // end of the gap that they lie in
    const Batch *batch;
    const BatchResult *result;
    const double *parameters, *quantities; // (scene_count, ..) as in record_batch
} OutputBatch;

/// Write a batch. One that does not follow the last one begins another shard. Errors: CLACK_IO, CLACK_MEMORY; the shard
/// is lost then, those before are not.
ClackStatus output_batch(Output *output, const OutputBatch *piece, ClackReport *report);
/// All scenes have been written: make the one file of them. Errors: as record_merge; the shards stay then.
ClackStatus output_finish(Output *output, ClackReport *report);
/// Leave with what there is. *out_is_kept: there are shards to go on with. NULL is allowed.
/// Errors: CLACK_IO (of the last shard).
ClackStatus output_close(Output *output, int *out_is_kept, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
