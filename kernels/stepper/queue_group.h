// A group of work-items that serves the scenes of its slots from queues (queues.h). Between two rounds a scene is
// parked: its SceneRun is in the slot's part of the buffer `parked`, its Progress where it is between launches. Scenes
// do not depend on the order in which they are served.
#ifndef CLACK_STEPPER_QUEUE_GROUP_H
#define CLACK_STEPPER_QUEUE_GROUP_H

#include "stepper/queues.h"
#include "stepper/worker.h"

#if QUEUE_ITEMS > 0

// A slot's part of that buffer: its SceneRun, and the ball run of a scene that waits in QUEUE_BALLS.
typedef struct Parked {
    SceneRun run;
    BallRun balls;
} Parked;
typedef char assert_parked_bytes[sizeof(Parked) <= PARKED_BYTES ? 1 : -1];

// For a replay of groups (bench/replay), which notes what the kernel does: an item begins and ends to serve a scene;
// all items have ended a round.
#ifndef QUEUE_ITEM_BEGINS
#define QUEUE_ITEM_BEGINS(item)
#define QUEUE_ITEM_ENDS()
#define QUEUE_ROUND_ENDS(queue)
#endif

FN GLOBAL Parked *queue_parked(const Launch *launch, size_t number) {
    return (GLOBAL Parked *)((GLOBAL char *)launch->parked + number * PARKED_BYTES);
}

/// Serve the scene of worker->number, a slot: its phases of a queue. Returns the queue in which it waits from then on,
/// and its bin there.
FN_WHOLE u32 queue_serve(Worker *worker, u32 queue, u32 *out_key) {
    GLOBAL Slot *slot = worker->launch->all.slot + worker->number;
    GLOBAL Parked *parked = queue_parked(worker->launch, worker->number);
    worker->run = &parked->run;
    worker->index = slot->scene;
    if (worker->run->phase == PHASE_DONE) {
        worker->event_count = slot->event_count;
        worker->row_count = slot->row_count;
        if (!worker_begin_or_resume(worker)) return QUEUE_NONE;
        slot->scene = worker->index;
    } else {
        worker_take_views(worker);
        worker_take_progress(worker);
    }
    if (HAS_BALLS && queue == QUEUE_BALLS) worker->balls = parked->balls;
    queue_run_phases(worker->run, queue);
    u32 next = queue_of(worker->run);
    *out_key = queue_key(worker->run, next);
    if (HAS_BALLS && next == QUEUE_BALLS) parked->balls = worker->balls;
    if (worker->run->phase == PHASE_DONE) {
        if (!worker_store_scene(worker)) next = QUEUE_NONE;
        slot->scene = worker->index;
        slot->event_count = worker->event_count;
        slot->row_count = worker->row_count;
    }
    return next;
}

/// Begin with all slots of the group, from `first` on: each is about to begin a scene, or to go on with one of the
/// launch before.
FN_TOP void queue_fill(const Launch *launch, LOCAL QueueTable *table, u32 first, u32 slots) {
    QUEUE_SECTION(item) {
        for (u32 k = item; k < slots; k += QUEUE_ITEMS) {
            GLOBAL SceneRun *run = &queue_parked(launch, first + k)->run;
            run->passes = launch->all.slot[first + k].passes;
            run->phase = PHASE_DONE;
            table->queues[k] = QUEUE_BEGIN;
            table->keys[k] = 0;
        }
    }
}

/// Step the scenes of the slots that belong to a group, until none is left or all passes are spent. item_count:
/// work-items of the launch, whole groups. All items of a group call it.
FN_TOP void queue_serve_all(const Launch *launch, LOCAL QueueTable *table, u32 item_count) {
    Worker worker = ALL_ZERO;
    u32 all = launch->slots->count, groups = item_count / QUEUE_ITEMS, each = (all + groups - 1) / groups;
    u32 first = u32_min((u32)get_global_id(0) / QUEUE_ITEMS * each, all), slots = u32_min(each, all - first);
    u32 round = 0;
    worker.launch = launch;
    worker.view = launch->all;
    queue_fill(launch, table, first, slots);
    QUEUE_BARRIER();
    u32 queue = queue_pick(table, slots, round);
    while (queue != QUEUE_NONE) {
        QUEUE_SECTION(item) {
            if (item < table->taken) {
                u32 slot = table->picked[item], key = 0;
                QUEUE_ITEM_BEGINS(item);
                worker.number = first + slot;
                table->queues[slot] = (unsigned char)queue_serve(&worker, queue, &key);
                table->keys[slot] = (unsigned char)key;
                QUEUE_ITEM_ENDS();
            }
        }
        QUEUE_ROUND_ENDS(queue);
        QUEUE_BARRIER();
        queue = queue_pick(table, slots, ++round);
    }
}

#endif
#endif
