// Threads that share out loops whose iterations do not depend on each other: scenes of a batch, work-items of a launch.
#ifndef CLACK_THREAD_POOL_H
#define CLACK_THREAD_POOL_H

#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ThreadPool ThreadPool;
/// Iterations first..last-1. Which thread takes which is not known, so they write to places of their own alone.
typedef ClackStatus ThreadPoolTask(void *context, uint32_t first, uint32_t last, ClackReport *report);

/// Cores that this process may use.
uint32_t thread_pool_core_count(void);
/// So many threads with the caller's own; fewer where they are not to be had. Errors: CLACK_MEMORY.
ClackStatus thread_pool_open(uint32_t threads, ThreadPool **out_pool, ClackReport *report);
uint32_t thread_pool_size(const ThreadPool *pool);
/// All iterations of a loop, `chunk` at a time, the first ones first. Of iterations that fail the first is reported, as
/// if one thread had taken one after the other; later ones may have been taken as well. NULL: the caller takes all.
ClackStatus thread_pool_share(ThreadPool *pool, uint32_t count, uint32_t chunk, ThreadPoolTask *task, void *context,
                              ClackReport *report);
/// NULL is allowed.
void thread_pool_close(ThreadPool *pool);

#ifdef __cplusplus
}
#endif
#endif
