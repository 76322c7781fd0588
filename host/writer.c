// One thread beside the caller's.
#define _POSIX_C_SOURCE 200809L
#include "writer.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct Writer {
    pthread_t thread;
    int has_thread;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t changed;
    WriterTask *task; // NULL: nothing to do
    void *piece;
    ClackStatus status; // of the last piece
    ClackReport report;
    int closing;
};

static void *writer_run(void *context) {
    Writer *writer = context;
    pthread_mutex_lock(&writer->lock);
    for (;;) {
        while (writer->task == NULL && !writer->closing) pthread_cond_wait(&writer->changed, &writer->lock);
        if (writer->task == NULL) break;
        pthread_mutex_unlock(&writer->lock);
        const ClackStatus status = writer->task(writer->piece, &writer->report); // the caller leaves both alone
        pthread_mutex_lock(&writer->lock);
        writer->status = status;
        writer->task = NULL;
        pthread_cond_signal(&writer->changed);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

ClackStatus writer_open(Writer **out_writer, ClackReport *report) {
    Writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return report_add(report, CLACK_MEMORY, "no memory for the thread that writes");
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->changed, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    writer->has_thread = pthread_create(&writer->thread, NULL, writer_run, writer) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    *out_writer = writer;
    return CLACK_OK;
}

void writer_begin(Writer *writer, WriterTask *task, void *piece) {
    assert(task != NULL);
    if (!writer->has_thread) {
        writer->status = task(piece, &writer->report);
        return;
    }
    pthread_mutex_lock(&writer->lock);
    assert(writer->task == NULL);
    writer->task = task;
    writer->piece = piece;
    pthread_cond_signal(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
}

ClackStatus writer_wait(Writer *writer, ClackReport *report) {
    pthread_mutex_lock(&writer->lock);
    while (writer->task != NULL) pthread_cond_wait(&writer->changed, &writer->lock);
    pthread_mutex_unlock(&writer->lock);
    report_move(&writer->report, report);
    const ClackStatus status = writer->status;
    writer->status = CLACK_OK;
    return status;
}

void writer_close(Writer *writer) {
    if (writer == NULL) return;
    pthread_mutex_lock(&writer->lock);
    writer->closing = 1;
    pthread_cond_signal(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    if (writer->has_thread) pthread_join(writer->thread, NULL);
    clack_report_clear(&writer->report);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}
