// The kernels as C17 with threads in place of the work-items that share a scene: one thread for each lane, barriers
// between them. Compiled with ThreadSanitizer, which sees what one lane writes and another reads without a barrier in
// between.
#define _GNU_SOURCE // pthread_barrier_t
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where each lane waits: a barrier that not all of them come to is the end of the program, with both places.
typedef struct LaneSite {
    const char *file;
    int line;
} LaneSite;

static pthread_barrier_t lanes_barrier;
static LaneSite lane_sites[LANES];

static void lane_wait(unsigned lane, const char *file, int line) {
    lane_sites[lane] = (LaneSite){file, line};
    (void)pthread_barrier_wait(&lanes_barrier);
    const LaneSite other = lane_sites[(lane + 1) % LANES];
    if (other.line != line || strcmp(other.file, file) != 0) {
        fprintf(stderr, "lane %u waits at %s:%d, the next one at %s:%d\n", lane, file, line, other.file, other.line);
        abort();
    }
    (void)pthread_barrier_wait(&lanes_barrier);
}

#define barrier(flags) lane_wait(native_work_item % LANES, __FILE__, __LINE__)
#include "device_internal.h"

#define NATIVE_RUN native_run_lane
NativeRun native_run_lane, native_run_lanes;
extern const uint32_t native_lanes;
const uint32_t native_lanes = LANES;

#include "native_kernels.c"

typedef struct LaneWork {
    void *const *buffers;
    u32 lane, count, first, last;
} LaneWork;

static void *lane_work(void *context) {
    const LaneWork *work = context;
    for (u32 group = work->first; group < work->last; group++) {
        const u32 item = group * LANES + work->lane;
        native_run_lane(KERNEL_advance, work->buffers, work->count, item, item + 1);
        lane_wait(work->lane, __FILE__, __LINE__); // arrays of the group are the next one's too
    }
    return NULL;
}

void native_run_lanes(KernelId kernel, void *const *buffers, uint32_t count, uint32_t first, uint32_t last) {
    if (kernel != KERNEL_advance) {
        native_run_lane(kernel, buffers, count, first, last);
        return;
    }
    pthread_t threads[LANES];
    LaneWork works[LANES];
    pthread_barrier_init(&lanes_barrier, NULL, LANES);
    for (u32 lane = 0; lane < LANES; lane++) {
        works[lane] = (LaneWork){buffers, lane, count, first, last};
        pthread_create(&threads[lane], NULL, lane_work, &works[lane]);
    }
    for (u32 lane = 0; lane < LANES; lane++) pthread_join(threads[lane], NULL);
    pthread_barrier_destroy(&lanes_barrier);
}
