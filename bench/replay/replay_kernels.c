// The kernels as C with the function boundaries that a GPU's build has, compiled with clang's coverage callbacks: each
// basic block, load and store calls replay_warp.c.
#define FN_WHOLE FN_APART
#define FN_ONCE FN_APART
#define FN_WAY FN_APART
#define FN_SPINE FN_APART
#define FN_TOP FN_INLINED
#define FN_STAGE FN_APART
#define NATIVE_RUN replay_run_item
#if QUEUE_ITEMS > 0
#define QUEUE_ITEM_BEGINS(item) trace_begin(item)
#define QUEUE_ITEM_ENDS() trace_end()
#define QUEUE_ROUND_ENDS(queue) replay_round(queue)
#endif
#include "replay.h"

void replay_round(uint32_t queue);

#include "native_kernels.c"

extern const uint32_t replay_queue_items;
const uint32_t replay_queue_items = QUEUE_ITEMS;
