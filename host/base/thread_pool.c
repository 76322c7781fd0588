// A loop is a counter from which the threads draw; the caller is one of them.
#define _GNU_SOURCE // sched_getaffinity
#include "thread_pool.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct ThreadPoolLoop {
    ThreadPoolTask *task;
    void *context;
    uint32_t count, chunk;
} ThreadPoolLoop;

struct ThreadPool {
    uint32_t helper_count; // threads beside the caller's
    pthread_t *helpers;    // (helper_count)
    pthread_mutex_t lock;  // guards what follows, but for next
    pthread_cond_t work_there, work_done;
    ThreadPoolLoop loop;
    uint64_t loop_number;
    int is_open;   // the present loop may be joined: a thread that wakes up late is not waited for
    uint32_t busy; // helpers that are at it
    int closing;
    uint64_t failed_first; // of the iterations that failed; UINT64_MAX: none has
    ClackStatus status;    // of these
    ClackReport report;
    atomic_uint_fast64_t next;
};

uint32_t thread_pool_core_count(void) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
        const int count = CPU_COUNT(&cores);
        if (count > 0) return (uint32_t)count;
    }
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

uint32_t thread_pool_size(const ThreadPool *pool) { return pool->helper_count + 1; }

// Iterations are drawn in their order: what came before a failure is at work or done, so the first failure is the one
// that a single thread would have met.
static void thread_pool_fail(ThreadPool *pool, uint64_t first, ClackStatus status, ClackReport *report) {
    atomic_store(&pool->next, UINT32_MAX); // no thread draws any more
    pthread_mutex_lock(&pool->lock);
    if (first < pool->failed_first) {
        clack_report_clear(&pool->report);
        pool->report = *report;
        pool->failed_first = first;
        pool->status = status;
        *report = (ClackReport){0};
    }
    pthread_mutex_unlock(&pool->lock);
    clack_report_clear(report);
}

static void thread_pool_work(ThreadPool *pool, const ThreadPoolLoop *loop) {
    for (;;) {
        const uint64_t first = atomic_fetch_add_explicit(&pool->next, loop->chunk, memory_order_relaxed);
        if (first >= loop->count) return;
        const uint64_t last = first + loop->chunk < loop->count ? first + loop->chunk : loop->count;
        ClackReport report = {0};
        const ClackStatus status = loop->task(loop->context, (uint32_t)first, (uint32_t)last, &report);
        if (status != CLACK_OK) thread_pool_fail(pool, first, status, &report);
    }
}

static void *thread_pool_help(void *context) {
    ThreadPool *pool = context;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->closing && (!pool->is_open || pool->loop_number == seen))
            pthread_cond_wait(&pool->work_there, &pool->lock);
        if (pool->closing) break;
        seen = pool->loop_number;
        pool->busy++;
        const ThreadPoolLoop loop = pool->loop;
        pthread_mutex_unlock(&pool->lock);
        thread_pool_work(pool, &loop);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->work_done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

ClackStatus thread_pool_share(ThreadPool *pool, uint32_t count, uint32_t chunk, ThreadPoolTask *task, void *context,
                              ClackReport *report) {
    assert(chunk > 0 && task != NULL);
    if (count == 0) return CLACK_OK;
    if (pool == NULL || pool->helper_count == 0 || count <= chunk) return task(context, 0, count, report);
    const ThreadPoolLoop loop = {.task = task, .context = context, .count = count, .chunk = chunk};
    atomic_store(&pool->next, 0);
    pthread_mutex_lock(&pool->lock);
    pool->failed_first = UINT64_MAX;
    pool->status = CLACK_OK;
    pool->loop = loop;
    pool->loop_number++;
    pool->is_open = 1;
    pthread_cond_broadcast(&pool->work_there);
    pthread_mutex_unlock(&pool->lock);
    thread_pool_work(pool, &loop);
    pthread_mutex_lock(&pool->lock);
    pool->is_open = 0;
    while (pool->busy > 0) pthread_cond_wait(&pool->work_done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    report_move(&pool->report, report);
    return pool->status;
}

// Helpers that cannot be had are done without: loops work with any number.
static void thread_pool_start_helpers(ThreadPool *pool, uint32_t count) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    pool->helpers = calloc(count == 0 ? 1 : count, sizeof *pool->helpers);
    for (uint32_t i = 0; pool->helpers != NULL && i < count; i++) {
        if (pthread_create(&pool->helpers[i], NULL, thread_pool_help, pool) != 0) break;
        pool->helper_count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

ClackStatus thread_pool_open(uint32_t threads, ThreadPool **out_pool, ClackReport *report) {
    assert(threads > 0);
    ThreadPool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) return report_add(report, CLACK_MEMORY, "no memory for threads");
    atomic_init(&pool->next, 0);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work_there, NULL);
    pthread_cond_init(&pool->work_done, NULL);
    thread_pool_start_helpers(pool, threads - 1);
    *out_pool = pool;
    return CLACK_OK;
}

void thread_pool_close(ThreadPool *pool) {
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = 1;
    pthread_cond_broadcast(&pool->work_there);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->helper_count; i++) pthread_join(pool->helpers[i], NULL);
    free(pool->helpers);
    pthread_cond_destroy(&pool->work_there);
    pthread_cond_destroy(&pool->work_done);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
