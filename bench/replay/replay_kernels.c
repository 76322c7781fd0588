// The kernels as C with the function boundaries that a GPU's build has, compiled with clang's coverage callbacks: each
// basic block, load and store calls replay_warp.c.
#define FN_WHOLE FN_APART
#define FN_ONCE FN_APART
#define FN_WAY FN_APART
#define FN_SPINE FN_APART
#define FN_TOP FN_INLINED
#define FN_STAGE FN_APART
#define LIVE_TOGETHER 32u
#ifndef SCENE_ITEMS
#define NATIVE_RUN replay_run_item
#endif
#if QUEUE_ITEMS > 0
#define QUEUE_ITEM_BEGINS(item) trace_begin(item)
#define QUEUE_ITEM_ENDS() trace_end()
#define QUEUE_ROUND_ENDS(queue) replay_round(queue)
#endif
#include "replay.h"

void replay_round(uint32_t queue);

#ifdef SCENE_ITEMS // that share a scene: one after the other, each up to the next barrier
#include "replay_items.h"
#define barrier(flags) item_waits()
#define NATIVE_RUN replay_run_alone
#endif
#include "native_kernels.c"

extern const uint32_t replay_queue_items;
const uint32_t replay_queue_items = QUEUE_ITEMS;
extern const uint32_t replay_scene_items;
const uint32_t replay_scene_items = SCENE_ITEMS;

#if SCENE_ITEMS > 1
static void item_follows(uint32_t item) { native_work_item = item; }

static void item_runs(uint32_t item) {
    replay_run_alone(KERNEL_advance, items_of.buffers, items_of.count, item, item + 1);
}

void replay_run_item(KernelId kernel, void *const *buffers, uint32_t count, uint32_t first, uint32_t last) {
    if (kernel != KERNEL_advance) {
        replay_run_alone(kernel, buffers, count, first, last);
        return;
    }
    for (uint32_t group = first; group < last; group++) items_run(buffers, count, group);
}
#endif
