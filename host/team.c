// A loop is a counter from which the threads draw; the caller is one of them.
#define _GNU_SOURCE // sched_getaffinity
#include "team.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct TeamLoop {
    TeamTask *task;
    void *context;
    uint32_t count, chunk;
} TeamLoop;

struct Team {
    uint32_t helper_count; // threads beside the caller's
    pthread_t *helpers;    // (helper_count)
    pthread_mutex_t lock;  // guards what follows, but for next
    pthread_cond_t work_there, work_done;
    TeamLoop loop;
    uint64_t loop_number;
    int is_open;   // the present loop may be joined: who wakes up late is not waited for
    uint32_t busy; // helpers that are at it
    int closing;
    uint64_t failed_first; // of the turns that failed; UINT64_MAX: none has
    ClackStatus status;    // of these
    ClackReport report;
    atomic_uint_fast64_t next;
};

uint32_t team_core_count(void) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
        const int count = CPU_COUNT(&cores);
        if (count > 0) return (uint32_t)count;
    }
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

uint32_t team_size(const Team *team) { return team->helper_count + 1; }

// Turns are drawn in their order: what came before a failure is at work or done, so the first failure is the one that
// a single thread would have met.
static void team_fail(Team *team, uint64_t first, ClackStatus status, ClackReport *report) {
    atomic_store(&team->next, UINT32_MAX); // nobody draws any more
    pthread_mutex_lock(&team->lock);
    if (first < team->failed_first) {
        clack_report_clear(&team->report);
        team->report = *report;
        team->failed_first = first;
        team->status = status;
        *report = (ClackReport){0};
    }
    pthread_mutex_unlock(&team->lock);
    clack_report_clear(report);
}

static void team_work(Team *team, const TeamLoop *loop) {
    for (;;) {
        const uint64_t first = atomic_fetch_add_explicit(&team->next, loop->chunk, memory_order_relaxed);
        if (first >= loop->count) return;
        const uint64_t last = first + loop->chunk < loop->count ? first + loop->chunk : loop->count;
        ClackReport report = {0};
        const ClackStatus status = loop->task(loop->context, (uint32_t)first, (uint32_t)last, &report);
        if (status != CLACK_OK) team_fail(team, first, status, &report);
    }
}

static void *team_help(void *context) {
    Team *team = context;
    uint64_t seen = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (!team->closing && (!team->is_open || team->loop_number == seen))
            pthread_cond_wait(&team->work_there, &team->lock);
        if (team->closing) break;
        seen = team->loop_number;
        team->busy++;
        const TeamLoop loop = team->loop;
        pthread_mutex_unlock(&team->lock);
        team_work(team, &loop);
        pthread_mutex_lock(&team->lock);
        if (--team->busy == 0) pthread_cond_signal(&team->work_done);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

ClackStatus team_share(Team *team, uint32_t count, uint32_t chunk, TeamTask *task, void *context, ClackReport *report) {
    assert(chunk > 0 && task != NULL);
    if (count == 0) return CLACK_OK;
    if (team == NULL || team->helper_count == 0 || count <= chunk) return task(context, 0, count, report);
    const TeamLoop loop = {.task = task, .context = context, .count = count, .chunk = chunk};
    atomic_store(&team->next, 0);
    pthread_mutex_lock(&team->lock);
    team->failed_first = UINT64_MAX;
    team->status = CLACK_OK;
    team->loop = loop;
    team->loop_number++;
    team->is_open = 1;
    pthread_cond_broadcast(&team->work_there);
    pthread_mutex_unlock(&team->lock);
    team_work(team, &loop);
    pthread_mutex_lock(&team->lock);
    team->is_open = 0;
    while (team->busy > 0) pthread_cond_wait(&team->work_done, &team->lock);
    pthread_mutex_unlock(&team->lock);
    report_move(&team->report, report);
    return team->status;
}

// Helpers that cannot be had are done without: loops work with any number.
static void team_start_helpers(Team *team, uint32_t count) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    team->helpers = calloc(count == 0 ? 1 : count, sizeof *team->helpers);
    for (uint32_t i = 0; team->helpers != NULL && i < count; i++) {
        if (pthread_create(&team->helpers[i], NULL, team_help, team) != 0) break;
        team->helper_count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

ClackStatus team_open(uint32_t threads, Team **out_team, ClackReport *report) {
    assert(threads > 0);
    Team *team = calloc(1, sizeof *team);
    if (team == NULL) return report_add(report, CLACK_MEMORY, "no memory for threads");
    atomic_init(&team->next, 0);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work_there, NULL);
    pthread_cond_init(&team->work_done, NULL);
    team_start_helpers(team, threads - 1);
    *out_team = team;
    return CLACK_OK;
}

void team_close(Team *team) {
    if (team == NULL) return;
    pthread_mutex_lock(&team->lock);
    team->closing = 1;
    pthread_cond_broadcast(&team->work_there);
    pthread_mutex_unlock(&team->lock);
    for (uint32_t i = 0; i < team->helper_count; i++) pthread_join(team->helpers[i], NULL);
    free(team->helpers);
    pthread_cond_destroy(&team->work_there);
    pthread_cond_destroy(&team->work_done);
    pthread_mutex_destroy(&team->lock);
    free(team);
}
