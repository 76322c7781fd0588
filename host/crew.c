// A queue of batches: whoever has nothing to do takes the first that waits; the caller takes them out in their order.
#define _POSIX_C_SOURCE 200809L
#include "crew.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "stepper.h"

#define ROOM_THREAD 2u  // batches for each thread: one that it carries, one that is there when it is through
#define GRID_MOST 256u  // batches end where chunks of the file do, which are packed once where a batch has all of one
#define SHARE_THREAD 2u // a batch is at most the share of a thread in what is left, by this

typedef struct Piece {
    Crew *crew;
    RunBatch *work;
    int is_carried, is_callers;
    ClackStatus status;
    ClackReport report;
    atomic_uint stepped; // scenes
} Piece;

typedef struct Member {
    Crew *crew;
    Device *device;
    pthread_t thread; // not of the first member, the caller
} Member;

struct Crew {
    CrewOptions options;
    uint32_t room;
    uint32_t device_count, thread_count;
    Member *members;      // (device_count)
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t work_there, work_done;
    Piece *pieces;         // (room): in a ring,
    uint32_t first, count; // of which these are there
    uint32_t begun;        // of these, the first ones
    atomic_int closing;
};

static Piece *crew_piece(const Crew *crew, uint32_t number) {
    return &crew->pieces[(crew->first + number) % crew->room];
}

// --- a batch ------------------------------------------------------------------------------------

static int crew_poll(void *context, uint32_t scenes_done, uint32_t scenes_total) {
    Piece *piece = context;
    const CrewOptions *options = &piece->crew->options;
    (void)scenes_total;
    atomic_store(&piece->stepped, scenes_done);
    if (piece->is_callers) options->tell(options->context, crew_stepped(piece->crew));
    return atomic_load(&piece->crew->closing) || options->leaves(options->context);
}

static ClackStatus crew_carry(Crew *crew, Device *device, Piece *piece) {
    RunBatch *work = piece->work;
    ClackReport *report = &piece->report;
    const StepperOptions options = {.poll = crew_poll, .poll_context = piece};
    TRY(run_batch_stage(work, NULL, report));
    const ClackStatus stepped =
        stepper_run(device, crew->options.study, work->scenes, &work->batch, &options, &work->result, report);
    if (stepped != CLACK_OK && stepped != CLACK_INTERRUPTED) return stepped;
    atomic_store(&piece->stepped, work->count);
    TRY(run_batch_evaluate(work, NULL, report));
    return stepped;
}

// The next piece that waits, with the lock held; it is left for the time that this takes.
static void crew_work(Crew *crew, Device *device, int is_callers) {
    Piece *piece = crew_piece(crew, crew->begun++);
    piece->is_callers = is_callers;
    pthread_mutex_unlock(&crew->lock);
    const ClackStatus status = crew_carry(crew, device, piece);
    pthread_mutex_lock(&crew->lock);
    piece->status = status;
    piece->is_carried = 1;
    pthread_cond_signal(&crew->work_done);
}

static void *crew_help(void *context) {
    Member *member = context;
    Crew *crew = member->crew;
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (!atomic_load(&crew->closing) && crew->begun == crew->count)
            pthread_cond_wait(&crew->work_there, &crew->lock);
        if (atomic_load(&crew->closing)) break;
        crew_work(crew, member->device, 0);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

// --- giving and taking --------------------------------------------------------------------------

uint32_t crew_room(const Crew *crew) { return crew->room - crew->count; }

uint32_t crew_batch_size(const Crew *crew, uint64_t done, uint64_t left, uint32_t most) {
    const uint64_t share = left / (SHARE_THREAD * (uint64_t)crew->device_count);
    const uint32_t limit = most / crew->device_count;
    const uint64_t size = share < limit ? share : limit;
    uint64_t grid = 1;
    while (grid < GRID_MOST && 2 * grid <= size) grid *= 2;
    return size > 1 ? (uint32_t)((done + size) / grid * grid - done) : 1;
}

void crew_give(Crew *crew, RunBatch *work) {
    pthread_mutex_lock(&crew->lock);
    assert(crew->count < crew->room);
    Piece *piece = crew_piece(crew, crew->count++);
    piece->crew = crew;
    piece->work = work;
    piece->is_carried = 0;
    piece->report = (ClackReport){0};
    atomic_store(&piece->stepped, 0);
    pthread_cond_signal(&crew->work_there);
    pthread_mutex_unlock(&crew->lock);
}

ClackStatus crew_take(Crew *crew, RunBatch **out_work, ClackReport *report) {
    pthread_mutex_lock(&crew->lock);
    assert(crew->count > 0);
    Piece *piece = crew_piece(crew, 0);
    while (!piece->is_carried) {
        if (crew->begun < crew->count)
            crew_work(crew, crew->members[0].device, 1);
        else
            pthread_cond_wait(&crew->work_done, &crew->lock);
    }
    crew->first = (crew->first + 1) % crew->room;
    crew->count--;
    crew->begun--;
    pthread_mutex_unlock(&crew->lock);
    report_move(&piece->report, report);
    *out_work = piece->work;
    return piece->status;
}

uint32_t crew_withdraw(Crew *crew) {
    pthread_mutex_lock(&crew->lock);
    while (crew->count > crew->begun) run_batch_free(crew_piece(crew, --crew->count)->work);
    const uint32_t left = crew->count;
    pthread_mutex_unlock(&crew->lock);
    return left;
}

uint64_t crew_stepped(Crew *crew) {
    uint64_t stepped = 0;
    pthread_mutex_lock(&crew->lock);
    for (uint32_t k = 0; k < crew->begun; k++) stepped += atomic_load(&crew_piece(crew, k)->stepped);
    pthread_mutex_unlock(&crew->lock);
    return stepped;
}

// --- from the first to the last -----------------------------------------------------------------

size_t crew_bytes_most(const Crew *crew) {
    size_t bytes = 0;
    for (uint32_t k = 0; k < crew->device_count; k++) bytes += device_bytes_most(crew->members[k].device);
    return bytes;
}

double crew_kernel_s(const Crew *crew) {
    double sum_s = 0;
    for (uint32_t k = 0; k < crew->device_count; k++) sum_s += device_kernel_s(crew->members[k].device, KERNEL_advance);
    return sum_s / crew->device_count;
}

// Threads that cannot be had are done without.
static void crew_start(Crew *crew) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    for (crew->thread_count = 1; crew->thread_count < crew->device_count; crew->thread_count++) {
        Member *member = &crew->members[crew->thread_count];
        if (pthread_create(&member->thread, NULL, crew_help, member) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

ClackStatus crew_open(const CrewOptions *options, Crew **out_crew, ClackReport *report) {
    const uint32_t threads = team_size(device_team(options->device));
    Crew *crew = calloc(1, sizeof *crew);
    if (crew == NULL) return report_add(report, CLACK_MEMORY, "no memory for threads");
    crew->options = *options;
    crew->room = ROOM_THREAD * threads;
    crew->members = calloc(threads, sizeof *crew->members);
    crew->pieces = calloc(crew->room, sizeof *crew->pieces);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->work_there, NULL);
    pthread_cond_init(&crew->work_done, NULL);
    ClackStatus status = CLACK_OK;
    if (crew->members == NULL || crew->pieces == NULL)
        status = report_add(report, CLACK_MEMORY, "no memory for threads");
    while (status == CLACK_OK && crew->device_count < threads) {
        Member *member = &crew->members[crew->device_count];
        member->crew = crew;
        status = device_open_part(options->device, threads, &member->device, report);
        crew->device_count += status == CLACK_OK;
    }
    if (status != CLACK_OK) {
        crew_close(crew);
        return status;
    }
    crew_start(crew);
    *out_crew = crew;
    return CLACK_OK;
}

void crew_close(Crew *crew) {
    if (crew == NULL) return;
    if (crew->pieces != NULL) (void)crew_withdraw(crew);
    pthread_mutex_lock(&crew->lock);
    atomic_store(&crew->closing, 1);
    pthread_cond_broadcast(&crew->work_there);
    pthread_mutex_unlock(&crew->lock);
    for (uint32_t k = 1; k < crew->thread_count; k++) pthread_join(crew->members[k].thread, NULL);
    for (uint32_t k = 0; k < crew->count; k++) {
        clack_report_clear(&crew_piece(crew, k)->report);
        run_batch_free(crew_piece(crew, k)->work);
    }
    for (uint32_t k = 0; k < crew->device_count; k++) device_close(crew->members[k].device);
    pthread_cond_destroy(&crew->work_there);
    pthread_cond_destroy(&crew->work_done);
    pthread_mutex_destroy(&crew->lock);
    free(crew->members);
    free(crew->pieces);
    free(crew);
}
