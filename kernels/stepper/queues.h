// Queues of scenes that wait for the same phases, in the local memory of a group of work-items that carries more scenes
// than it has items. Round by round the group serves the fullest queue, a scene for each item, so that the lanes of a
// warp do the same and its warps fetch the same instructions at the same time.
#ifndef CLACK_STEPPER_QUEUES_H
#define CLACK_STEPPER_QUEUES_H

#include "model/workspace.h"
#include "stepper/scene_stepper.h"

#if QUEUE_ITEMS > 0

// By a scene's next phase. Of the phases of its queue it takes each at most once, in this order, and of a ball run a
// few steps. With more queues more lanes would be at work, but each visit reads and writes a scene's memory again,
// which is what a GPU waits for (bench/README.md).
#define QUEUE_PLAN 0u // accept, stops, start, plan, list if the present one is kept
#define QUEUE_CHANGE 1u
#define QUEUE_BALLS 2u  // ball plan, ball try, ball judge
#define QUEUE_FLIGHT 3u // try, without contacts, and what follows: margins, judge, gaps, locate
#define QUEUE_TRY 4u    // the same with contacts
#define QUEUE_SEARCH 5u
#define QUEUE_LIST 6u
#define QUEUE_WINDOW 7u // a window of groups is to be opened
#define QUEUE_NEXT 8u   // the next group of a window
#define QUEUE_BEGIN 9u  // the slot's next scene begins, or its present one goes on
#define QUEUES 10u
#define QUEUE_NONE 255u // nothing to do in this launch

#define QUEUE_BINS 32u      // of a queue: scenes whose work is alike
#define QUEUE_BALL_STEPS 4u // most steps of a ball run in a round: with more, lanes wait; with fewer, more is read

#define QUEUE_SLOTS (QUEUE_ITEMS * QUEUE_SLOTS_ITEM) // of a group, at most

typedef struct QueueTable {
    u32 counts[QUEUES];                 // scenes in each queue
    u32 bins[QUEUE_BINS];               // of the queue that is served: scenes in each bin, then the first place of each
    u32 taken;                          // scenes in that queue
    unsigned short picked[QUEUE_ITEMS]; // slots of the group that its items serve in this round
    unsigned char queues[QUEUE_SLOTS];  // of each slot of the group,
    unsigned char keys[QUEUE_SLOTS];    // and its bin there
} QueueTable;

/// The queue of a scene's next phase.
FN u32 queue_of(SCENE_SPACE const SceneRun *run) {
    switch (run->phase) {
    case PHASE_DONE: return QUEUE_BEGIN;
    case PHASE_CHANGE: return QUEUE_CHANGE;
    case PHASE_BALL_PLAN:
    case PHASE_BALL_TRY:
    case PHASE_BALL_JUDGE: return QUEUE_BALLS;
    case PHASE_TRY:
    case PHASE_MARGINS:
    case PHASE_JUDGE:
    case PHASE_GAPS:
    case PHASE_LOCATE: return run->any_touching ? QUEUE_TRY : QUEUE_FLIGHT;
    case PHASE_SEARCH: return QUEUE_SEARCH;
    case PHASE_LIST:
    case PHASE_RELIST: return QUEUE_LIST;
    case PHASE_WINDOW: return is_grouped(run->progress) ? QUEUE_NEXT : QUEUE_WINDOW;
    default: return QUEUE_PLAN;
    }
}

/// Is the path of some body in a step as long as the last one such that pairs may come near (gap_is_quiet)?
FN u32 queue_is_near(const SceneView *view) {
    u32 is_near = 0;
    MOVING_LOOP(b) {
        GLOBAL const BodyBounds *bounds = &view->works[b].bounds;
        is_near |= bounds->travel_m + bounds->path_m < bounds->quiet_until_m ? 0u : 1u;
    }
    return is_near;
}

/// The binary digits of a number but the first.
FN u32 queue_digits(u32 number) {
    u32 digits = 0;
    for (; number > 1; number /= 2) digits++;
    return digits;
}

/// How a scene's work in its queue resembles that of others. Windows: by the candidates of the scene, or of its present
/// group. Ball runs: by the method of the last step, what follows it, the bodies that move. Flights: by how many outer
/// steps they cover. Lists: by active contacts and what they are for. Others: by active contacts, implicit bodies, and
/// whether a step has been tried that is to be accepted, or else whether pairs may come near.
FN u32 queue_key(SCENE_SPACE const SceneRun *run, u32 queue) {
    if (queue == QUEUE_BEGIN) return 0;
    const SceneView *view = run->view;
    if (queue == QUEUE_WINDOW) return u32_min(run->progress->candidate_count / 4u, QUEUE_BINS - 1u);
    if (queue == QUEUE_NEXT) return u32_min(view->slot->live_count, QUEUE_BINS - 1u);
    if (HAS_BALLS && queue == QUEUE_BALLS) {
        const BallRun *balls = run->balls;
        return (balls->is_implicit ? 1u : 0u) + (run->phase == PHASE_BALL_JUDGE ? 2u : 0u) +
               (balls->is_peak ? 4u : 0u) + (balls->pair.other.moves ? 8u : 0u) + (balls->rejects > 0 ? 16u : 0u);
    }
    u32 active = u32_min(view->slot->active_count, 7u);
    if (queue == QUEUE_LIST) return active + (run->phase == PHASE_LIST ? 0u : run->any_touching ? 8u : 16u);
    u32 is_near = queue_is_near(view), is_implicit = 0;
    if (queue == QUEUE_FLIGHT) return u32_min(queue_digits(run->limit.steps), 15u) + (is_near ? 16u : 0u);
    MOVING_LOOP(b) is_implicit |= view->works[b].control.implicit;
    u32 other = run->phase == PHASE_ACCEPT ? 1u : is_near;
    return active + (is_implicit ? 8u : 0u) + (other ? 16u : 0u);
}

FN_TOP void queue_run_balls(SCENE_SPACE SceneRun *run) {
    for (u32 k = 0; k < QUEUE_BALL_STEPS; k++) {
        if (run->phase == PHASE_BALL_JUDGE) stepper_phase_ball_judge(run);
        if (run->phase == PHASE_BALL_PLAN) run->phase = ball_phase_plan(run->view, run->progress, run->balls);
        if (run->phase != PHASE_BALL_TRY) continue;
        ball_try_step(run->balls);
        run->phase = PHASE_BALL_JUDGE;
    }
}

/// Let a scene take its phases of the queue that is served, which is the same on all items of a group.
FN_TOP void queue_run_phases(SCENE_SPACE SceneRun *run, u32 queue) {
    if (queue == QUEUE_PLAN) {
        if (run->phase == PHASE_ACCEPT) stepper_phase_accept(run);
        if (run->phase == PHASE_STOPS) stepper_phase_stops(run);
        if (run->phase == PHASE_START) stepper_phase_start(run);
        if (run->phase == PHASE_PLAN) stepper_phase_plan(run);
    }
    if (queue == QUEUE_CHANGE && run->phase == PHASE_CHANGE) stepper_phase_change(run);
    if (HAS_BALLS && queue == QUEUE_BALLS) queue_run_balls(run);
    if (queue == QUEUE_FLIGHT || queue == QUEUE_TRY) {
        if (run->phase == PHASE_TRY) step_phase_try(run);
        if (run->phase == PHASE_MARGINS) step_phase_margins(run);
        if (run->phase == PHASE_JUDGE) step_phase_judge(run);
        if (run->phase == PHASE_GAPS) stepper_phase_gaps(run);
        if (run->phase == PHASE_LOCATE) stepper_phase_locate(run);
    }
    if (queue == QUEUE_SEARCH && run->phase == PHASE_SEARCH) stepper_phase_search(run);
    if ((queue == QUEUE_WINDOW || queue == QUEUE_NEXT) && run->phase == PHASE_WINDOW) stepper_phase_window(run);
    if (run->phase == PHASE_LIST && queue != QUEUE_LIST) (void)step_keeps_list(run);
    if (run->phase == PHASE_LIST && queue == QUEUE_LIST) step_phase_list(run);
    if (run->phase == PHASE_RELIST && queue == QUEUE_LIST) {
        step_phase_relist(run);
        if (run->phase == PHASE_PLAN) stepper_phase_plan(run);
    }
}

/// Count the scenes of each queue. All items of a group call it.
FN_TOP void queue_count(LOCAL QueueTable *table, u32 slots) {
    QUEUE_SECTION(item) {
        for (u32 k = item; k < QUEUES; k += QUEUE_ITEMS) table->counts[k] = 0;
        for (u32 k = item; k < QUEUE_BINS; k += QUEUE_ITEMS) table->bins[k] = 0;
    }
    QUEUE_BARRIER();
    QUEUE_SECTION(item) {
        for (u32 k = item; k < slots; k += QUEUE_ITEMS)
            if (table->queues[k] != QUEUE_NONE) (void)next_of(&table->counts[table->queues[k]]);
    }
    QUEUE_BARRIER();
}

/// The fullest queue, the first among equals; QUEUE_NONE: all are empty.
FN u32 queue_fullest(const LOCAL QueueTable *table) {
    u32 queue = QUEUE_NONE, most = 0;
    for (u32 q = 0; q < QUEUES; q++) {
        if (table->counts[q] <= most) continue;
        queue = q;
        most = table->counts[q];
    }
    return queue;
}

/// First places of the bins, from the bin `first` on, which has the first one.
FN void queue_place_bins(LOCAL QueueTable *table, u32 first) {
    u32 place = 0;
    for (u32 k = 0; k < QUEUE_BINS; k++) {
        u32 bin = (first + k) % QUEUE_BINS, count = table->bins[bin];
        table->bins[bin] = place;
        place += count;
    }
}

/// Choose the queue to be served, and the slots that the items take from it, bin by bin: table->picked, as many as
/// there are (table->taken), but QUEUE_ITEMS at most. round: of the group; another bin comes first in each round, so
/// that no scene waits for ever. Returns QUEUE_NONE if all are empty. All items of a group call it.
FN_TOP u32 queue_pick(LOCAL QueueTable *table, u32 slots, u32 round) {
    queue_count(table, slots);
    u32 queue = queue_fullest(table);
    QUEUE_SECTION(item) {
        for (u32 k = item; k < slots; k += QUEUE_ITEMS)
            if (queue != QUEUE_NONE && table->queues[k] == queue) (void)next_of(&table->bins[table->keys[k]]);
    }
    QUEUE_BARRIER();
    QUEUE_SECTION(item) {
        if (item == 0 && queue != QUEUE_NONE) {
            table->taken = table->counts[queue];
            queue_place_bins(table, round % QUEUE_BINS);
        }
    }
    QUEUE_BARRIER();
    QUEUE_SECTION(item) {
        for (u32 k = item; k < slots; k += QUEUE_ITEMS) {
            u32 slot = (k + round * QUEUE_ITEMS) % slots;
            if (queue == QUEUE_NONE || table->queues[slot] != queue) continue;
            u32 place = next_of(&table->bins[table->keys[slot]]);
            if (place < QUEUE_ITEMS) table->picked[place] = (unsigned short)slot;
        }
    }
    QUEUE_BARRIER();
    return queue;
}

#endif
#endif
