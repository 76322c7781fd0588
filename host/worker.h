// One thread beside the caller's, for work of which a piece is done while the caller makes the next.
#ifndef CLACK_WORKER_H
#define CLACK_WORKER_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Worker Worker;
typedef ClackStatus WorkerTask(void *piece, ClackReport *report);

/// Where no thread is to be had, the caller's does the work. Errors: CLACK_MEMORY.
ClackStatus worker_open(Worker **out_writer, ClackReport *report);
/// Begin a piece of work. The one before has been waited for.
void worker_begin(Worker *worker, WorkerTask *task, void *piece);
/// Wait for it, and tell how it went.
ClackStatus worker_wait(Worker *worker, ClackReport *report);
/// NULL is allowed. What was begun has been waited for.
void worker_close(Worker *worker);

#ifdef __cplusplus
}
#endif
#endif
