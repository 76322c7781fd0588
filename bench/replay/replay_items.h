// Work-items that share a scene, for replay_kernels.c: one thread runs them in turn, each on a stack of its own, from
// one barrier of the scene to the next. Barriers are traced, so that the replay lets no lane go on before all are
// there.
#ifndef CLACK_BENCH_REPLAY_ITEMS_H
#define CLACK_BENCH_REPLAY_ITEMS_H

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "device_internal.h"
#include "replay.h"

#define ITEM_STACK_BYTES (1u << 20)

static struct {
    void *const *buffers;
    uint32_t count, group, item; // arguments of the kernel; whose turn it is
    ucontext_t main, each[SCENE_ITEMS];
    char *stacks;
    int is_done[SCENE_ITEMS];
} items_of;

static void item_runs(uint32_t item); // the kernel
static void item_follows(uint32_t item);

// What `barrier` is.
static void item_waits(void) {
    trace_barrier();
    trace_end();
    if (swapcontext(&items_of.each[items_of.item], &items_of.main) != 0) abort();
}

static void item_begins(void) {
    item_runs(items_of.group * SCENE_ITEMS + items_of.item);
    trace_end();
    items_of.is_done[items_of.item] = 1;
}

// All items of a group, up to their ends. Each is on the way to the same barrier, or the kernel is wrong.
static void items_run(void *const *buffers, uint32_t count, uint32_t group) {
    uint32_t done = 0;
    if (items_of.stacks == NULL) items_of.stacks = malloc((size_t)SCENE_ITEMS * ITEM_STACK_BYTES);
    if (items_of.stacks == NULL) abort();
    items_of.buffers = buffers;
    items_of.count = count;
    items_of.group = group;
    for (uint32_t k = 0; k < SCENE_ITEMS; k++) {
        ucontext_t *item = &items_of.each[k];
        if (getcontext(item) != 0) abort();
        item->uc_stack.ss_sp = items_of.stacks + (size_t)k * ITEM_STACK_BYTES;
        item->uc_stack.ss_size = ITEM_STACK_BYTES;
        item->uc_link = &items_of.main;
        makecontext(item, item_begins, 0);
        items_of.is_done[k] = 0;
    }
    while (done == 0) {
        for (uint32_t k = 0; k < SCENE_ITEMS; k++) {
            items_of.item = k;
            item_follows(group * SCENE_ITEMS + k);
            trace_begin_on(group * SCENE_ITEMS % UNIT_ITEMS + k, items_of.stacks + (size_t)(k + 1) * ITEM_STACK_BYTES,
                           ITEM_STACK_BYTES);
            if (swapcontext(&items_of.main, &items_of.each[k]) != 0) abort();
            done += items_of.is_done[k] ? 1u : 0u;
        }
        if (done == 0 || done == SCENE_ITEMS) continue;
        fprintf(stderr, "replay: some items of a scene have ended, others wait\n");
        exit(1);
    }
}

#endif
