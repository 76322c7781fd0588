// A queue of batches: an idle thread takes the first that waits; the caller takes them out in their order.
#define _POSIX_C_SOURCE 200809L
#include "batch_pool.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "stepper.h"

#define ROOM_THREAD 2u  // batches for each thread: one that it carries, one that is there when it is through
#define ROOM_SMALL 32u  // natively more, of no more scenes together: where a few take long, others do not wait for them
#define GRID_MOST 256u  // batches end where chunks of the file do, which are packed once where a batch has all of one
#define SHARE_THREAD 8u // a batch is at most the share of a thread in what is left, by this

typedef struct Piece {
    BatchPool *pool;
    RunBatch *work;
    int is_carried, is_callers;
    ClackStatus status;
    ClackReport report;
    atomic_uint stepped; // scenes
} Piece;

typedef struct Member {
    BatchPool *pool;
    Device *device;
    pthread_t thread; // not of the first member, the caller
} Member;

struct BatchPool {
    BatchPoolOptions options;
    uint32_t room;    // of the ring
    uint64_t waiting; // scenes of the pieces in it; the caller's own number
    uint32_t device_count, thread_count;
    Member *members;      // (device_count)
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t work_there, work_done;
    Piece *pieces;         // (room): in a ring,
    uint32_t first, count; // of which these are there
    uint32_t begun;        // of these, the first ones
    atomic_int closing;
};

static Piece *batch_pool_piece(const BatchPool *pool, uint32_t number) {
    return &pool->pieces[(pool->first + number) % pool->room];
}

// --- a batch ------------------------------------------------------------------------------------

static int batch_pool_poll(void *context, uint32_t scenes_done, uint32_t scenes_total) {
    Piece *piece = context;
    const BatchPoolOptions *options = &piece->pool->options;
    (void)scenes_total;
    atomic_store(&piece->stepped, scenes_done);
    if (piece->is_callers) options->report_progress(options->context, batch_pool_stepped(piece->pool));
    return atomic_load(&piece->pool->closing) || options->leaves(options->context);
}

static ClackStatus batch_pool_carry(BatchPool *pool, Device *device, Piece *piece) {
    RunBatch *work = piece->work;
    ClackReport *report = &piece->report;
    const StepperOptions options = {.poll = batch_pool_poll, .poll_context = piece};
    TRY(run_batch_stage(work, NULL, report));
    const ClackStatus stepped =
        stepper_run(device, pool->options.study, work->scenes, &work->batch, &options, &work->result, report);
    if (stepped != CLACK_OK && stepped != CLACK_INTERRUPTED) return stepped;
    atomic_store(&piece->stepped, work->count);
    TRY(run_batch_evaluate(work, NULL, report));
    return stepped;
}

// The next piece that waits, with the lock held; it is left for the time that this takes.
static void batch_pool_work(BatchPool *pool, Device *device, int is_callers) {
    Piece *piece = batch_pool_piece(pool, pool->begun++);
    piece->is_callers = is_callers;
    pthread_mutex_unlock(&pool->lock);
    const ClackStatus status = batch_pool_carry(pool, device, piece);
    pthread_mutex_lock(&pool->lock);
    piece->status = status;
    piece->is_carried = 1;
    pthread_cond_signal(&pool->work_done);
}

static void *batch_pool_help(void *context) {
    Member *member = context;
    BatchPool *pool = member->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!atomic_load(&pool->closing) && pool->begun == pool->count)
            pthread_cond_wait(&pool->work_there, &pool->lock);
        if (atomic_load(&pool->closing)) break;
        batch_pool_work(pool, member->device, 0);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

// --- giving and taking --------------------------------------------------------------------------

int batch_pool_has_room(const BatchPool *pool, uint32_t most) {
    const uint32_t usual = ROOM_THREAD * pool->device_count;
    return pool->count < usual || (pool->count < pool->room && pool->waiting < (uint64_t)ROOM_THREAD * most);
}

uint32_t batch_pool_batch_size(const BatchPool *pool, uint64_t done, uint64_t left, uint32_t most) {
    if (!device_is_native(pool->options.device)) return left < most ? (uint32_t)left : most;
    const uint64_t share = left / (SHARE_THREAD * (uint64_t)pool->device_count);
    const uint32_t limit = most / pool->device_count;
    const uint64_t size = share < limit ? share : limit;
    uint64_t grid = 1;
    while (grid < GRID_MOST && 2 * grid <= size) grid *= 2;
    return size > 1 ? (uint32_t)((done + size) / grid * grid - done) : 1;
}

void batch_pool_give(BatchPool *pool, RunBatch *work) {
    pthread_mutex_lock(&pool->lock);
    assert(pool->count < pool->room);
    Piece *piece = batch_pool_piece(pool, pool->count++);
    pool->waiting += work->count;
    piece->pool = pool;
    piece->work = work;
    piece->is_carried = 0;
    piece->report = (ClackReport){0};
    atomic_store(&piece->stepped, 0);
    pthread_cond_signal(&pool->work_there);
    pthread_mutex_unlock(&pool->lock);
}

ClackStatus batch_pool_take(BatchPool *pool, RunBatch **out_work, ClackReport *report) {
    pthread_mutex_lock(&pool->lock);
    assert(pool->count > 0);
    Piece *piece = batch_pool_piece(pool, 0);
    while (!piece->is_carried) {
        if (pool->begun < pool->count)
            batch_pool_work(pool, pool->members[0].device, 1);
        else
            pthread_cond_wait(&pool->work_done, &pool->lock);
    }
    pool->first = (pool->first + 1) % pool->room;
    pool->count--;
    pool->begun--;
    pool->waiting -= piece->work->count;
    pthread_mutex_unlock(&pool->lock);
    report_move(&piece->report, report);
    *out_work = piece->work;
    return piece->status;
}

uint32_t batch_pool_withdraw(BatchPool *pool) {
    pthread_mutex_lock(&pool->lock);
    while (pool->count > pool->begun) {
        RunBatch *work = batch_pool_piece(pool, --pool->count)->work;
        pool->waiting -= work->count;
        run_batch_free(work);
    }
    const uint32_t left = pool->count;
    pthread_mutex_unlock(&pool->lock);
    return left;
}

uint64_t batch_pool_stepped(BatchPool *pool) {
    uint64_t stepped = 0;
    pthread_mutex_lock(&pool->lock);
    for (uint32_t k = 0; k < pool->begun; k++) stepped += atomic_load(&batch_pool_piece(pool, k)->stepped);
    pthread_mutex_unlock(&pool->lock);
    return stepped;
}

// --- from the first to the last -----------------------------------------------------------------

size_t batch_pool_bytes_most(const BatchPool *pool) {
    size_t bytes = 0;
    for (uint32_t k = 0; k < pool->device_count; k++) bytes += device_bytes_most(pool->members[k].device);
    return bytes;
}

double batch_pool_kernel_s(const BatchPool *pool) {
    double sum_s = 0;
    for (uint32_t k = 0; k < pool->device_count; k++) sum_s += device_kernel_s(pool->members[k].device, KERNEL_advance);
    return device_is_native(pool->options.device) ? sum_s / pool->device_count : sum_s;
}

// Threads that cannot be had are done without.
static void batch_pool_start(BatchPool *pool) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    for (pool->thread_count = 1; pool->thread_count < pool->device_count; pool->thread_count++) {
        Member *member = &pool->members[pool->thread_count];
        if (pthread_create(&member->thread, NULL, batch_pool_help, member) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

ClackStatus batch_pool_open(const BatchPoolOptions *options, BatchPool **out_pool, ClackReport *report) {
    const uint32_t threads = options->parts;
    BatchPool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) return report_add(report, CLACK_MEMORY, "no memory for threads");
    pool->options = *options;
    pool->room = (device_is_native(options->device) ? ROOM_SMALL : ROOM_THREAD) * threads;
    pool->members = calloc(threads, sizeof *pool->members);
    pool->pieces = calloc(pool->room, sizeof *pool->pieces);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work_there, NULL);
    pthread_cond_init(&pool->work_done, NULL);
    ClackStatus status = CLACK_OK;
    if (pool->members == NULL || pool->pieces == NULL)
        status = report_add(report, CLACK_MEMORY, "no memory for threads");
    while (status == CLACK_OK && pool->device_count < threads) {
        Member *member = &pool->members[pool->device_count];
        member->pool = pool;
        status = device_open_part(options->device, threads, &member->device, report);
        pool->device_count += status == CLACK_OK;
    }
    if (status != CLACK_OK) {
        batch_pool_close(pool);
        return status;
    }
    batch_pool_start(pool);
    *out_pool = pool;
    return CLACK_OK;
}

void batch_pool_close(BatchPool *pool) {
    if (pool == NULL) return;
    if (pool->pieces != NULL) (void)batch_pool_withdraw(pool);
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->closing, 1);
    pthread_cond_broadcast(&pool->work_there);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t k = 1; k < pool->thread_count; k++) pthread_join(pool->members[k].thread, NULL);
    for (uint32_t k = 0; k < pool->count; k++) {
        clack_report_clear(&batch_pool_piece(pool, k)->report);
        run_batch_free(batch_pool_piece(pool, k)->work);
    }
    for (uint32_t k = 0; k < pool->device_count; k++) device_close(pool->members[k].device);
    pthread_cond_destroy(&pool->work_there);
    pthread_cond_destroy(&pool->work_done);
    pthread_mutex_destroy(&pool->lock);
    free(pool->members);
    free(pool->pieces);
    free(pool);
}
