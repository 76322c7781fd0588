// The kernels as C17 whose groups serve scenes from queues: one thread does the work of all items of a group, section
// by section.
#include <stdint.h>

extern uint32_t native_queue_rounds[]; // of each queue
uint32_t native_queue_rounds[32];
#define QUEUE_ITEM_BEGINS(item)
#define QUEUE_ITEM_ENDS()
#define QUEUE_ROUND_ENDS(queue) native_queue_rounds[queue]++
#define NATIVE_RUN native_run_of_queues
#include "native_kernels.c"

NativeRun native_run_queues;
extern const uint32_t native_queue_items;
const uint32_t native_queue_items = QUEUE_ITEMS;

// An item is one of all of its group, whose work is done with that of the first.
void native_run_queues(KernelId kernel, void *const *buffers, uint32_t count, uint32_t first, uint32_t last) {
    for (uint32_t item = first; item < last; item++)
        if (kernel != KERNEL_advance || item % QUEUE_ITEMS == 0)
            native_run_of_queues(kernel, buffers, count, item, item + 1);
}
