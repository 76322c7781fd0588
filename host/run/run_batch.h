// A batch on its way from scene numbers to records: what is made of it before it is stepped, and after.
#ifndef CLACK_RUN_BATCH_H
#define CLACK_RUN_BATCH_H

#include "clack.h"
#include "output.h"
#include "stage.h"
#include "stepper.h"
#include "thread_pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RunBatch {
    const Study *study;
    const ClackRunOptions *options;
    uint64_t first;
    uint32_t count;
    uint32_t scenes_made;
    double *parameters;       // (count, parameter_count)
    SceneDescription *scenes; // (count)
    uint64_t *numbers;        // (count)
    Capacities *capacities;   // (count)
    Batch batch;
    BatchResult result;
    double *quantities;     // (count, quantity_count)
    uint32_t *statuses;     // (count)
    uint32_t *flags;        // (count)
    Output *output;         // where it is written; NULL: nowhere
    uint64_t gap_end;       // of the scenes among which it is
    double write_s;         // that writing it took; of the thread that writes until it is waited for
    struct RunBatch *spent; // one that is freed before this one is staged; NULL: none
} RunBatch;

/// `count` scenes from `first` on; nothing is made of them yet. NULL: no memory.
RunBatch *run_batch_make(const Study *study, const ClackRunOptions *options, uint64_t first, uint32_t count);
/// NULL is allowed.
void run_batch_free(RunBatch *work);

/// Numbers -> scenes -> what kernels read, shared among a thread pool (NULL: the caller alone). Errors: CLACK_MEMORY,
/// CLACK_STUDY (a sampled scene is impossible).
ClackStatus run_batch_stage(RunBatch *work, ThreadPool *pool, ClackReport *report);
/// Quantities and statuses of what has been stepped.
ClackStatus run_batch_evaluate(RunBatch *work, ThreadPool *pool, ClackReport *report);
/// The first `taken` of its scenes are all of it.
void run_batch_cut(RunBatch *work, uint32_t taken);
/// The next run of scenes that are done, from its scene `*next` on, of a batch that was left: a view of `work`, which
/// owns all, to be used before the next one is asked for. `*next` moves behind it. is_first_only: only the one that
/// begins the batch. 0: there is none.
int run_batch_part(RunBatch *work, int is_first_only, uint32_t *next, RunBatch *out_part);
/// What it adds to the summary.
void run_batch_count(const RunBatch *work, ClackRunSummary *summary);

#ifdef __cplusplus
}
#endif
#endif
