// One thread beside the caller's.
#define _POSIX_C_SOURCE 200809L
#include "async_task.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct AsyncTask {
    pthread_t thread;
    int has_thread;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t changed;
    AsyncWork *work; // NULL: nothing to do
    void *piece;
    ClackStatus status; // of the last piece
    ClackReport report;
    int closing;
};

static void *async_task_run(void *context) {
    AsyncTask *task = context;
    pthread_mutex_lock(&task->lock);
    for (;;) {
        while (task->work == NULL && !task->closing) pthread_cond_wait(&task->changed, &task->lock);
        if (task->work == NULL) break;
        pthread_mutex_unlock(&task->lock);
        const ClackStatus status = task->work(task->piece, &task->report); // the caller leaves both alone
        pthread_mutex_lock(&task->lock);
        task->status = status;
        task->work = NULL;
        pthread_cond_signal(&task->changed);
    }
    pthread_mutex_unlock(&task->lock);
    return NULL;
}

ClackStatus async_task_open(AsyncTask **out_task, ClackReport *report) {
    AsyncTask *task = calloc(1, sizeof *task);
    if (task == NULL) return report_add(report, CLACK_MEMORY, "no memory for a thread beside the caller's");
    pthread_mutex_init(&task->lock, NULL);
    pthread_cond_init(&task->changed, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    task->has_thread = pthread_create(&task->thread, NULL, async_task_run, task) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    *out_task = task;
    return CLACK_OK;
}

void async_task_begin(AsyncTask *task, AsyncWork *work, void *piece) {
    assert(work != NULL);
    if (!task->has_thread) {
        task->status = work(piece, &task->report);
        return;
    }
    pthread_mutex_lock(&task->lock);
    assert(task->work == NULL);
    task->work = work;
    task->piece = piece;
    pthread_cond_signal(&task->changed);
    pthread_mutex_unlock(&task->lock);
}

ClackStatus async_task_wait(AsyncTask *task, ClackReport *report) {
    pthread_mutex_lock(&task->lock);
    while (task->work != NULL) pthread_cond_wait(&task->changed, &task->lock);
    pthread_mutex_unlock(&task->lock);
    report_move(&task->report, report);
    const ClackStatus status = task->status;
    task->status = CLACK_OK;
    return status;
}

void async_task_close(AsyncTask *task) {
    if (task == NULL) return;
    pthread_mutex_lock(&task->lock);
    task->closing = 1;
    pthread_cond_signal(&task->changed);
    pthread_mutex_unlock(&task->lock);
    if (task->has_thread) pthread_join(task->thread, NULL);
    clack_report_clear(&task->report);
    pthread_cond_destroy(&task->changed);
    pthread_mutex_destroy(&task->lock);
    free(task);
}
