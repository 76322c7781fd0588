// Threads that carry the batches of a run side by side, each alone from numbers to quantities, on a part of the device
// of its own: no thread waits for another at the end of a batch, and what a thread has staged is in its core's cache.
#ifndef CLACK_BATCH_POOL_H
#define CLACK_BATCH_POOL_H

#include "device.h"
#include "run_batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BatchPool BatchPool;

typedef struct BatchPoolOptions {
    const Study *study;
    Device *device;               // which they have parts of
    uint32_t parts;               // how many
    int (*leaves)(void *context); // on any thread: are batches at work to be left where they are?
    void (*report_progress)(const void *context,
                            uint64_t stepped); // on the caller's, now and then; as batch_pool_stepped
    void *context;
} BatchPoolOptions;

/// As many threads as parts, the caller's among them; fewer where they are not to be had. Errors:
/// CLACK_MEMORY.
ClackStatus batch_pool_open(const BatchPoolOptions *options, BatchPool **out_pool, ClackReport *report);
/// May a batch be given before one is taken, where one has `most` scenes at most? And of how many scenes it is best
/// after so many of the file, of so many that are left: few at the end, so that all threads are through at about the
/// same time.
int batch_pool_has_room(const BatchPool *pool, uint32_t most);
uint32_t batch_pool_batch_size(const BatchPool *pool, uint64_t done, uint64_t left, uint32_t most);
/// A batch of which nothing is made yet becomes the pool's.
void batch_pool_give(BatchPool *pool, RunBatch *work);
/// The batch that was given first, carried; the caller carries others as long as it is not. It is the caller's even
/// where there is an error. Errors: CLACK_INTERRUPTED (its result is valid), those of run_batch_stage, stepper_run,
/// run_batch_evaluate.
ClackStatus batch_pool_take(BatchPool *pool, RunBatch **out_work, ClackReport *report);
/// Drop the batches that no thread has begun. Returns how many are left to take.
uint32_t batch_pool_withdraw(BatchPool *pool);
/// Scenes that have been stepped of batches that have not been taken.
uint64_t batch_pool_stepped(BatchPool *pool);
/// As device_bytes_most, of all threads together; as device_kernel_s, natively of one of them on average, else of all,
/// whose launches follow each other.
size_t batch_pool_bytes_most(const BatchPool *pool);
double batch_pool_kernel_s(const BatchPool *pool);
/// NULL is allowed. Waits for what is at work.
void batch_pool_close(BatchPool *pool);

#ifdef __cplusplus
}
#endif
#endif
