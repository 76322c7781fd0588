// One thread beside the caller's, for work of which a piece is done while the caller makes the next.
#ifndef CLACK_ASYNC_TASK_H
#define CLACK_ASYNC_TASK_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AsyncTask AsyncTask;
typedef ClackStatus AsyncWork(void *piece, ClackReport *report);

/// Where no thread is to be had, the caller's does the work. Errors: CLACK_MEMORY.
ClackStatus async_task_open(AsyncTask **out_task, ClackReport *report);
/// Begin a piece of work. The one before has been waited for.
void async_task_begin(AsyncTask *task, AsyncWork *work, void *piece);
/// Wait for it, and return how it went.
ClackStatus async_task_wait(AsyncTask *task, ClackReport *report);
/// NULL is allowed. What was begun has been waited for.
void async_task_close(AsyncTask *task);

#ifdef __cplusplus
}
#endif
#endif
