// A work-item of `advance`: the scene that it steps, the slot whose memory that scene has, and what it was launched
// with.
#ifndef CLACK_STEPPER_WORKER_H
#define CLACK_STEPPER_WORKER_H

#include "stepper/scene_stepper.h"

/// The lists of a slot, one after the other.
FN void worker_take_lists(SceneView *view, GLOBAL u32 *lists) {
    SlotRoom room = view->room;
    view->moving = lists;
    view->active_contacts = view->moving + room.bodies;
    view->live = view->active_contacts + room.contacts;
    view->group_bodies = view->live + room.candidates;
    view->group_candidates = view->group_bodies + room.bodies;
    view->group_ends = view->group_candidates + room.candidates;
}

/// The slices of a scene and of a slot. all: the beginnings of the arrays, of which view is a copy at first.
FN void worker_take_slices(SceneView *view, const SceneView *all, size_t number, u32 index) {
    SlotRoom room = all->room;
    GLOBAL const Scene *scene = all->scene + index;
    view->scene = scene;
    view->bodies = all->bodies + scene->body_first;
    view->shapes = all->shapes + scene->shape_first;
    view->laws = all->laws + scene->law_first;
    if (HAS(CONTENT_JOINTS)) {
        view->joints = all->joints + scene->joint_first;
        view->functions = all->functions + scene->function_first;
    }
    if (HAS_MESHES | (SCENE_QUASI_RIGID != 0)) view->region_laws = all->region_laws + scene->law_first;
    view->states = all->states + scene->body_first;
    view->frames = all->frames + scene->frame_first;
    view->extremes = all->extremes + scene->extreme_first;
    view->works = all->works + number * room.bodies;
    view->candidates = all->candidates + number * room.candidates;
    view->contacts = all->contacts + number * room.contacts;
    view->events = all->events + number * room.events;
    view->rows = all->rows + number * room.rows;
    view->matrices = all->matrices + number * room.numbers;
    view->slot = all->slot + number;
    view->placed = all->placed + number * room.shapes;
    worker_take_lists(view, all->moving + number * list_room(room));
    view->index = index;
}

/// The same number on all items of a slot.
FN u32 worker_shared(LOCAL u32 *shared, u32 item, u32 value) {
#if SCENE_ITEMS == 1
    (void)shared;
    (void)item;
    return value;
#else
    SCENE_BARRIER();
    if (item == 0) *shared = value;
    SCENE_BARRIER();
    return *shared;
#endif
}

/// The number of the next scene. Scenes stepped at the same time are far apart in the batch: states and extremes are
/// written in every step, and a cache line that two cores write costs both.
FN u32 worker_next(GLOBAL Slots *slots) {
    u32 number = next_of(&slots->next), row = slots->scene_count / slots->parts;
    return number < row * slots->parts ? number % slots->parts * row + number / slots->parts : number;
}

// What a work-item was launched with: beginnings of the arrays.
typedef struct Launch {
    SceneView all;
    MeshTables meshes;
    GLOBAL u64 *region_lists; // of slots
    GLOBAL Slots *slots;
    GLOBAL Progress *progress;
    LOCAL u32 *shared;
    GLOBAL u64 *parked; // of slots (queue_group.h)
} Launch;

// The scene that a work-item steps, and its slot. What is needed after a scene is read again from here, or from
// the slot: registers held while a scene is stepped are not free for the functions called (bench/registers.sh).
typedef struct Worker {
#if QUEUE_ITEMS == 0
    SceneRun own_run; // first, so that its address is that of all
    Progress own_now;
#endif
    BallRun balls;
    SCENE_SPACE SceneRun *run; // own_run or, of a slot that is served from queues, in `parked`
    SCENE_SPACE Progress *now; // own_now, or in `progress`
    SceneView view;
    struct RegionSlot surfaces;
    const Launch *launch;
    size_t number; // of the slot, or of the next one to try
    u32 idle;      // slots tried one after the other that had nothing to do
    u32 has_slot, has_scene;
    u32 index;                  // of the scene; NONE: no scene
    u32 before, slice_passes;   // passes of the slot: left before this time slice; in this time slice
    u32 event_count, row_count; // of the slot
} Worker;

/// What a slot keeps between its time slices.
FN void worker_load_slot(Worker *worker) {
    GLOBAL const Slot *slot = worker->launch->all.slot + worker->number;
    worker->index = slot->scene;
    worker->event_count = slot->event_count;
    worker->row_count = slot->row_count;
    worker->before = slot->passes;
    worker->slice_passes = worker->run->passes = u32_min(worker->launch->slots->slice_passes, slot->passes);
    worker->has_slot = 1;
}

FN void worker_store_slot(Worker *worker) {
    const Launch *launch = worker->launch;
    u32 taken = worker->slice_passes - worker->run->passes;
    SCENE_BARRIER();
    if (SCENE_ITEMS == 1 || launch->all.item == 0) {
        GLOBAL Slot *slot = launch->all.slot + worker->number;
        slot->scene = worker->index < launch->slots->scene_count ? worker->index : NONE;
        slot->event_count = worker->event_count;
        slot->row_count = worker->row_count;
        slot->passes = worker->before - taken;
    }
    if (taken > 0) worker->idle = 0;
    worker->has_slot = 0;
}

/// Take a slot that no other work-item has. 0: all have been tried without finding anything to do.
FN u32 worker_take_slot(Worker *worker) {
    const Launch *launch = worker->launch;
    for (; worker->idle < launch->slots->count; worker->number = (worker->number + 1) % launch->slots->count) {
        worker->idle++;
        if (!flag_take(&launch->all.slot[worker->number].is_taken)) continue;
        worker_load_slot(worker);
        return 1;
    }
    return 0;
}

/// Release the slot, and go to the next one.
FN void worker_leave_slot(Worker *worker) {
    GLOBAL Slot *slot = worker->launch->all.slot + worker->number;
    worker_store_slot(worker);
    worker->number = (worker->number + 1) % worker->launch->slots->count;
    flag_leave(&slot->is_taken);
}

/// The slices of its scene and its slot.
FN void worker_take_views(Worker *worker) {
    const Launch *launch = worker->launch;
    worker_take_slices(&worker->view, &launch->all, worker->number, worker->index);
    if (HAS_MESHES) {
        SlotRoom room = launch->all.room;
        worker->surfaces.tables = launch->meshes;
        match_lay_out(&worker->surfaces, launch->region_lists + worker->number * match_room(room), room);
        worker->view.surfaces = &worker->surfaces;
    }
    worker->run->view = &worker->view;
    worker->run->balls = &worker->balls;
}

/// Where its scene stands.
FN_SHORT void worker_take_progress(Worker *worker) {
    GLOBAL Progress *progress = worker->launch->progress + worker->index;
#if QUEUE_ITEMS == 0
    worker->own_now = *progress;
    worker->now = &worker->own_now;
#else
    worker->now = progress;
#endif
}

/// Take up the slot's scene, or the next one. 0: its time slice is over, or there is none.
FN u32 worker_begin_or_resume(Worker *worker) {
    const Launch *launch = worker->launch;
    if (worker->run->passes == 0 || LAUNCH_IS_OVER()) return 0;
    if (worker->index == NONE) {
        u32 item = launch->all.item;
        worker->index = worker_shared(launch->shared, item, item == 0 ? worker_next(launch->slots) : 0);
    }
    if (worker->index >= launch->slots->scene_count) return 0;
    worker_take_views(worker);
    worker_take_progress(worker);
    SCENE_SPACE Progress *now = worker->now;
    now->status = STATUS_RUNNING; // where rows were full, they have been drained
    now->event_count = worker->event_count;
    now->row_count = worker->row_count;
    worker->has_scene = 1;
    worker->run->progress = now;
    worker->run->phase = PHASE_STOPS;
    worker->run->limit.lists = worker->run->window.is_begun = 0;
    SCENE_BARRIER();
    stepper_begin(worker->run->view, now);
    return 1;
}

/// Store a scene that is interrupted or has ended. Returns 0 if it is interrupted: the slot keeps it.
FN u32 worker_store_scene(Worker *worker) {
    const Launch *launch = worker->launch;
    SCENE_SPACE Progress *now = worker->now;
    stepper_leave(&worker->view, now);
    u32 is_unfinished = now->status == STATUS_RUNNING || now->status == STATUS_ROWS_FULL ? 1u : 0u;
    worker->event_count = now->event_count;
    worker->row_count = now->row_count;
    worker->has_scene = 0;
    if (SCENE_ITEMS == 1 || launch->all.item == 0) {
#if QUEUE_ITEMS == 0
        launch->progress[worker->index] = *now;
#endif
        if (now->status == STATUS_CAPACITY || now->status == STATUS_SECOND_BUILD) (void)next_of(&launch->slots->again);
        if (!is_unfinished) (void)next_of(&launch->slots->done);
    }
    if (is_unfinished) return 0;
    worker->index = NONE;
    SCENE_BARRIER();
    return 1;
}

#endif
