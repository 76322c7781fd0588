// The kernel `advance`: steps each scene through many steps and events without the host.
#include "stepper/ball_run.h"
#include "stepper/corner_lanes_try.h"
#include "stepper/ball_lanes_run.h"
#include "stepper/scene_stepper.h"
#include "stepper/ball_lanes_try.h"
#include "stepper/step_trial.h"
#include "stepper/step_end.h"
#include "stepper/substep.h"

/// The slices of a scene that all kernels see.
FN SceneView advance_view(GLOBAL const Scene *scene, GLOBAL const Body *bodies, GLOBAL const Shape *shapes,
                          GLOBAL const MaterialPairLaw *laws, GLOBAL const Watch *watches,
                          GLOBAL const HullRow *hulls) {
    SceneView view;
    view.scene = scene;
    view.bodies = bodies + scene->body_first;
    view.shapes = shapes + scene->shape_first;
    view.laws = laws + scene->law_first;
    view.watches = watches;
    view.hulls = hulls;
    view.joints = 0;
    view.functions = 0;
    view.region_laws = 0;
    view.surfaces = 0;
    return view;
}

/// The lists of a slot, one after the other.
FN SceneView advance_lists(SceneView view, GLOBAL u32 *lists, SlotRoom room) {
    view.moving = lists;
    view.awake = view.moving + room.bodies;
    view.live = view.awake + room.contacts;
    view.group_bodies = view.live + room.candidates;
    view.group_candidates = view.group_bodies + room.bodies;
    view.group_ends = view.group_candidates + room.candidates;
    return view;
}

/// The slices of a scene and of a slot. all: the beginnings of the arrays.
FN SceneView advance_view_at(const SceneView *all, size_t number, u32 index) {
    SlotRoom room = all->room;
    SceneView view = advance_view(all->scene + index, all->bodies, all->shapes, all->laws, all->watches, all->hulls);
    if (HAS(CONTENT_JOINTS)) {
        view.joints = all->joints + view.scene->joint_first;
        view.functions = all->functions + view.scene->function_first;
    }
    if (HAS_MESHES | (SCENE_QUASI_RIGID != 0)) view.region_laws = all->region_laws + view.scene->law_first;
    view.states = all->states + view.scene->body_first;
    view.frames = all->frames + view.scene->frame_first;
    view.extremes = all->extremes + view.scene->extreme_first;
    view.works = all->works + number * room.bodies;
    view.candidates = all->candidates + number * room.candidates;
    view.contacts = all->contacts + number * room.contacts;
    view.events = all->events + number * room.events;
    view.rows = all->rows + number * room.rows;
    view.matrices = all->matrices + number * room.numbers;
    view.slot = all->slot + number;
    view.placed = all->placed + number * room.shapes;
    view = advance_lists(view, all->moving + number * list_room(room), room);
    view.room = room;
    view.index = index;
    view.scratch = all->scratch;
    view.item = all->item;
    return view;
}

/// The same number on all items of a slot.
FN u32 advance_shared(LOCAL u32 *shared, u32 item, u32 value) {
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
FN u32 advance_next(GLOBAL Slots *slots) {
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
} Launch;

// The scene that a work-item steps, and its slot. What is needed after a scene is read again from here, or from
// the slot: registers held while a scene is stepped are not free for the functions called (bench/registers.sh).
typedef struct Worker {
    SceneRun run; // first, so that its address is that of all
    SceneView view;
    struct RegionSlot surfaces;
    Progress now;
    const Launch *launch;
    size_t number; // of the slot, or of the next one to try
    u32 idle;      // slots tried one after the other that had nothing to do
    u32 has_slot, has_scene;
    u32 index;                  // of the scene; NONE: no scene
    u32 before, slice_passes;   // passes of the slot: left before this time slice; in this time slice
    u32 event_count, row_count; // of the slot
} Worker;

/// What a slot keeps between its time slices.
FN void advance_load_slot(Worker *worker) {
    GLOBAL const Slot *slot = worker->launch->all.slot + worker->number;
    worker->index = slot->scene;
    worker->event_count = slot->event_count;
    worker->row_count = slot->row_count;
    worker->before = slot->passes;
    worker->slice_passes = worker->run.passes = u32_min(worker->launch->slots->slice_passes, slot->passes);
    worker->has_slot = 1;
}

FN void advance_store_slot(Worker *worker) {
    const Launch *launch = worker->launch;
    u32 taken = worker->slice_passes - worker->run.passes;
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
FN u32 advance_take_slot(Worker *worker) {
    const Launch *launch = worker->launch;
    for (; worker->idle < launch->slots->count; worker->number = (worker->number + 1) % launch->slots->count) {
        worker->idle++;
        if (!flag_take(&launch->all.slot[worker->number].is_taken)) continue;
        advance_load_slot(worker);
        return 1;
    }
    return 0;
}

/// Release the slot, and go to the next one.
FN void advance_leave_slot(Worker *worker) {
    GLOBAL Slot *slot = worker->launch->all.slot + worker->number;
    advance_store_slot(worker);
    worker->number = (worker->number + 1) % worker->launch->slots->count;
    flag_leave(&slot->is_taken);
}

/// Take up the slot's scene, or the next one. 0: its time slice is over, or there is none.
FN u32 advance_begin_or_resume(Worker *worker) {
    const Launch *launch = worker->launch;
    if (worker->run.passes == 0 || LAUNCH_IS_OVER()) return 0;
    if (worker->index == NONE) {
        u32 item = launch->all.item;
        worker->index = advance_shared(launch->shared, item, item == 0 ? advance_next(launch->slots) : 0);
    }
    if (worker->index >= launch->slots->scene_count) return 0;
    worker->view = advance_view_at(&launch->all, worker->number, worker->index);
    if (HAS_MESHES) {
        SlotRoom room = launch->all.room;
        worker->surfaces.tables = launch->meshes;
        match_lay_out(&worker->surfaces, launch->region_lists + worker->number * match_room(room), room);
        worker->view.surfaces = &worker->surfaces;
    }
    worker->now = launch->progress[worker->index];
    worker->now.status = STATUS_RUNNING; // where rows were full, they have been drained
    worker->now.event_count = worker->event_count;
    worker->now.row_count = worker->row_count;
    worker->has_scene = 1;
    worker->run.view = &worker->view;
    worker->run.progress = &worker->now;
    worker->run.phase = PHASE_STOPS;
    SCENE_BARRIER();
    stepper_begin(worker->run.view, worker->run.progress);
    return 1;
}

/// Store a scene that is interrupted or has ended. Returns 0 if it is interrupted: the slot keeps it.
FN u32 advance_store_scene(Worker *worker) {
    const Launch *launch = worker->launch;
    Progress *now = &worker->now;
    stepper_leave(&worker->view, now);
    u32 is_unfinished = now->status == STATUS_RUNNING || now->status == STATUS_ROWS_FULL ? 1u : 0u;
    worker->event_count = now->event_count;
    worker->row_count = now->row_count;
    worker->has_scene = 0;
    if (SCENE_ITEMS == 1 || launch->all.item == 0) {
        launch->progress[worker->index] = *now;
        if (now->status == STATUS_CAPACITY || now->status == STATUS_SECOND_BUILD) (void)next_of(&launch->slots->again);
        if (!is_unfinished) (void)next_of(&launch->slots->done);
    }
    if (is_unfinished) return 0;
    worker->index = NONE;
    SCENE_BARRIER();
    return 1;
}

/// Step scenes in a slot, one after the other, until none is left or its time slice is over.
FN_WHOLE void advance_slot(Worker *worker) {
    while (advance_begin_or_resume(worker)) {
        stepper_run_phases(&worker->run, 0);
        if (!advance_store_scene(worker)) break;
    }
}

#if SIDE_BY_SIDE > 1

/// Is this worker's scene at a trial of that phase?
FN_SHORT u32 advance_is_in_phase(const Worker *worker, u32 phase) {
    return worker->has_scene && worker->run.phase == phase ? 1u : 0u;
}

/// Step one scene after the other up to such a trial, or to the end of the slot's time slice: time slices let all slots
/// progress equally. Returns 0 if nothing is left to do.
FN u32 advance_until_shared_trial(Worker *worker) {
    if (!worker->has_slot && !advance_take_slot(worker)) return 0;
    while (worker->has_scene || advance_begin_or_resume(worker)) {
        stepper_run_phases(&worker->run, 1);
        if (worker->run.phase != PHASE_DONE) return 1;
        if (!advance_store_scene(worker)) break;
    }
    advance_leave_slot(worker);
    return 1;
}

/// Try the steps of ball runs. Runs that continue in lanes (BallLanesRun.goes_on) are not judged one by one.
FN_ONCE void advance_try_balls(Worker *workers, u32 width, BallLanes *lanes) {
    u32 count = 0;
    for (u32 k = 0; k < width; k++) {
        Worker *one = &workers[k];
        if (!advance_is_in_phase(one, PHASE_BALL_TRY)) continue;
        count++;
        if (LANE_AT(lanes->run.goes_on, k) > 0.0) continue;
        if (!one->run.balls.is_loaded) ball_lanes_load_run(&one->view, lanes, k, &one->run.balls);
        one->run.balls.is_loaded = 1;
        ball_lanes_load_run_step(lanes, k, &one->run.balls);
        ball_lanes_run_load(&one->view, &one->now, lanes, k, &one->run.balls);
    }
    if (count == 0) return;
    ball_lanes_run_try(lanes);
    for (u32 k = 0; k < width; k++) {
        Worker *one = &workers[k];
        if (advance_is_in_phase(one, PHASE_BALL_TRY) && !(LANE_AT(lanes->run.goes_on, k) > 0.0))
            one->run.phase = ball_lanes_run_store(&one->view, &one->now, lanes, k, &one->run.balls);
    }
}

#if SHARES_CORNERS
/// Try substeps of solids on their corners.
FN_ONCE void advance_try_corners(Worker *workers, u32 width, CornerLanes *lanes) {
    u32 count = 0;
    corner_lanes_clear(lanes);
    for (u32 k = 0; k < width; k++) count += advance_is_in_phase(&workers[k], PHASE_TRY);
    if (count == 0) return;
    for (u32 k = 0; k < width && count > 1; k++)
        if (advance_is_in_phase(&workers[k], PHASE_TRY))
            corner_lanes_load(&workers[k].view, lanes, k, workers[k].run.h);
    if (count > 1) corner_lanes_try_all(lanes);
    for (u32 k = 0; k < width; k++) {
        Worker *one = &workers[k];
        if (!advance_is_in_phase(one, PHASE_TRY)) continue;
        if (count == 1) {
            step_phase_try(&one->run);
            continue;
        }
        corner_lanes_store(&one->view, &one->now, lanes, k, one->run.h);
        one->run.has_error = 1;
        one->run.phase = PHASE_MARGINS;
    }
}
#endif

/// Step scenes side by side, each in a slot of its own, with their trials made together, until none is left or
/// all passes are spent.
FN_ONCE void advance_side_by_side(const Launch *launch, u32 first) {
    Worker workers[SIDE_BY_SIDE] = ALL_ZERO;
    BallLanes lanes;
    ball_lanes_clear(&lanes);
#if SHARES_CORNERS
    CornerLanes corners = ALL_ZERO;
#endif
    u32 width = u32_min(SIDE_BY_SIDE, launch->slots->side_by_side);
    for (u32 k = 0; k < width; k++) {
        workers[k].launch = launch;
        workers[k].number = (first * SIDE_BY_SIDE + k) % launch->slots->count;
    }
    for (u32 busy = 1; busy > 0;) {
        busy = 0;
        for (u32 k = 0; k < width; k++)
            busy += LANE_AT(lanes.run.goes_on, k) > 0.0 ? 1u : advance_until_shared_trial(&workers[k]);
        advance_try_balls(workers, width, &lanes);
#if SHARES_CORNERS
        if (HAS(CONTENT_SOLIDS)) advance_try_corners(workers, width, &corners);
#endif
    }
}

#endif // SIDE_BY_SIDE > 1

#if BUILD_PROGRAMS & PROGRAM_ADVANCE

/// In the slot of the work-item's number or, if there are fewer work-items than slots, in one free slot after the
/// other.
FN_TOP void advance_run(const Launch *launch, size_t number, u32 count) {
    Worker worker = ALL_ZERO;
#if SIDE_BY_SIDE > 1
    if (count < launch->slots->count) {
        advance_side_by_side(launch, (u32)number);
        return;
    }
#endif
    worker.launch = launch;
    worker.number = number;
    if (OWN_SLOTS || count == launch->slots->count) {
        advance_load_slot(&worker);
        advance_slot(&worker);
        advance_store_slot(&worker);
        return;
    }
    while (advance_take_slot(&worker)) {
        advance_slot(&worker);
        advance_leave_slot(&worker);
    }
}

/// Step scenes, one after the other, in the slot of the work-item's number, until none is left or its passes are
/// spent. If there are fewer work-items than slots, each takes a free slot for a time slice, then the next one: all
/// slots progress equally, and none is still far behind at the end.
KERNEL void advance(GLOBAL const Scene *scenes, GLOBAL const Body *bodies, GLOBAL const Shape *shapes,
                    GLOBAL const MaterialPairLaw *laws, GLOBAL const Watch *watches, GLOBAL const HullRow *hulls,
                    GLOBAL Progress *progress, GLOBAL BodyState *states, GLOBAL BodyState *frames,
                    GLOBAL Extreme *extremes, GLOBAL Slots *slots, GLOBAL Slot *own, GLOBAL BodyWork *works,
                    GLOBAL Candidate *candidates, GLOBAL Contact *contacts, GLOBAL Event *events,
                    GLOBAL ContactRow *rows, GLOBAL real *matrices, GLOBAL u32 *lists, GLOBAL PlacedShape *placed,
                    GLOBAL const Joint *joints, GLOBAL const FunctionRow *functions,
                    GLOBAL const RegionLaw *region_laws, GLOBAL const MeshHead *heads,
                    GLOBAL const MeshVertex *vertices, GLOBAL const MeshTriangle *triangles,
                    GLOBAL const MeshEdge *edges, GLOBAL const MeshSpoke *spokes, GLOBAL const MeshNode *nodes,
                    GLOBAL const u32 *parts, GLOBAL u64 *region_lists, u32 count) {
    size_t number = (size_t)get_global_id(0) / SCENE_ITEMS;
    if (number >= count) return;
#if SCENE_ITEMS == 1
    LOCAL real *scratch = 0;
    LOCAL u32 *shared = 0;
    u32 item = 0;
#else
    LOCAL_ARRAY real scratch[SCENE_ITEMS];
    LOCAL_ARRAY u32 shared[1];
    u32 item = (u32)get_local_id(0);
#endif
    Launch launch;
    SceneView *all = &launch.all;
    all->scene = scenes;
    all->bodies = bodies;
    all->shapes = shapes;
    all->laws = laws;
    all->watches = watches;
    all->hulls = hulls;
    all->joints = joints;
    all->functions = functions;
    all->region_laws = region_laws;
    all->surfaces = 0;
    all->states = states;
    all->frames = frames;
    all->extremes = extremes;
    all->works = works;
    all->candidates = candidates;
    all->contacts = contacts;
    all->events = events;
    all->rows = rows;
    all->matrices = matrices;
    all->slot = own;
    all->placed = placed;
    all->moving = lists;
    all->room = slots->room;
    all->scratch = scratch;
    all->item = item;
    launch.meshes = mesh_tables(heads, vertices, triangles, edges, spokes, nodes, parts);
    launch.region_lists = region_lists;
    launch.slots = slots;
    launch.progress = progress;
    launch.shared = shared;
    advance_run(&launch, number, count);
}

#endif // PROGRAM_ADVANCE
