// One thread beside the caller's.
#define _POSIX_C_SOURCE 200809L
#include "worker.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct Worker {
    pthread_t thread;
    int has_thread;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t changed;
    WorkerTask *task; // NULL: nothing to do
    void *piece;
    ClackStatus status; // of the last piece
    ClackReport report;
    int closing;
};

static void *worker_run(void *context) {
    Worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    for (;;) {
        while (worker->task == NULL && !worker->closing) pthread_cond_wait(&worker->changed, &worker->lock);
        if (worker->task == NULL) break;
        pthread_mutex_unlock(&worker->lock);
        const ClackStatus status = worker->task(worker->piece, &worker->report); // the caller leaves both alone
        pthread_mutex_lock(&worker->lock);
        worker->status = status;
        worker->task = NULL;
        pthread_cond_signal(&worker->changed);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

ClackStatus worker_open(Worker **out_writer, ClackReport *report) {
    Worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) return report_add(report, CLACK_MEMORY, "no memory for a thread beside the caller's");
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    worker->has_thread = pthread_create(&worker->thread, NULL, worker_run, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    *out_writer = worker;
    return CLACK_OK;
}

void worker_begin(Worker *worker, WorkerTask *task, void *piece) {
    assert(task != NULL);
    if (!worker->has_thread) {
        worker->status = task(piece, &worker->report);
        return;
    }
    pthread_mutex_lock(&worker->lock);
    assert(worker->task == NULL);
    worker->task = task;
    worker->piece = piece;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

ClackStatus worker_wait(Worker *worker, ClackReport *report) {
    pthread_mutex_lock(&worker->lock);
    while (worker->task != NULL) pthread_cond_wait(&worker->changed, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
    report_move(&worker->report, report);
    const ClackStatus status = worker->status;
    worker->status = CLACK_OK;
    return status;
}

void worker_close(Worker *worker) {
    if (worker == NULL) return;
    pthread_mutex_lock(&worker->lock);
    worker->closing = 1;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    if (worker->has_thread) pthread_join(worker->thread, NULL);
    clack_report_clear(&worker->report);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
