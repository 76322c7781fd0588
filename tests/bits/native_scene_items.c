// The kernels as C17 with threads in place of the work-items that share a scene: one thread for each item, barriers
// between them. Compiled with ThreadSanitizer, which sees what one item writes and another reads without a barrier in
// between.
#define _GNU_SOURCE // pthread_barrier_t
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where each item waits: a barrier that not all of them come to is the end of the program, with both places.
typedef struct ItemSite {
    const char *file;
    int line;
} ItemSite;

static pthread_barrier_t items_barrier;
static ItemSite item_sites[SCENE_ITEMS];

static void item_wait(unsigned item, const char *file, int line) {
    item_sites[item] = (ItemSite){file, line};
    (void)pthread_barrier_wait(&items_barrier);
    const ItemSite other = item_sites[(item + 1) % SCENE_ITEMS];
    if (other.line != line || strcmp(other.file, file) != 0) {
        fprintf(stderr, "item %u waits at %s:%d, the next one at %s:%d\n", item, file, line, other.file, other.line);
        abort();
    }
    (void)pthread_barrier_wait(&items_barrier);
}

#define barrier(flags) item_wait(native_work_item % SCENE_ITEMS, __FILE__, __LINE__)
#include "device_internal.h"

#define NATIVE_RUN native_run_item
NativeRun native_run_item, native_run_items;
extern const uint32_t native_scene_items;
const uint32_t native_scene_items = SCENE_ITEMS;

#include "native_kernels.c"

typedef struct ItemWork {
    void *const *buffers;
    u32 item, count, first, last;
} ItemWork;

static void *item_work(void *context) {
    const ItemWork *work = context;
    for (u32 group = work->first; group < work->last; group++) {
        const u32 item = group * SCENE_ITEMS + work->item;
        native_run_item(KERNEL_advance, work->buffers, work->count, item, item + 1);
        item_wait(work->item, __FILE__, __LINE__); // arrays of the group are the next one's too
    }
    return NULL;
}

void native_run_items(KernelId kernel, void *const *buffers, uint32_t count, uint32_t first, uint32_t last) {
    if (kernel != KERNEL_advance) {
        native_run_item(kernel, buffers, count, first, last);
        return;
    }
    pthread_t threads[SCENE_ITEMS];
    ItemWork works[SCENE_ITEMS];
    pthread_barrier_init(&items_barrier, NULL, SCENE_ITEMS);
    for (u32 item = 0; item < SCENE_ITEMS; item++) {
        works[item] = (ItemWork){buffers, item, count, first, last};
        pthread_create(&threads[item], NULL, item_work, &works[item]);
    }
    for (u32 item = 0; item < SCENE_ITEMS; item++) pthread_join(threads[item], NULL);
    pthread_barrier_destroy(&items_barrier);
}
