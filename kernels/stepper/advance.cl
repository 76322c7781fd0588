// The kernel `advance`: steps each scene through many steps and events without the host.
#include "stepper/ball_run.h"
#include "stepper/corner_lanes_try.h"
#include "stepper/ball_lanes_run.h"
#include "stepper/scene_stepper.h"
#include "stepper/ball_lanes_try.h"
#include "stepper/queue_group.h"
#include "stepper/step_trial.h"
#include "stepper/step_end.h"
#include "stepper/substep.h"
#include "stepper/worker.h"

/// Step scenes in a slot, one after the other, until none is left or its time slice is over.
FN_WHOLE void advance_slot(Worker *worker) {
    while (worker_begin_or_resume(worker)) {
        stepper_run_phases(worker->run, 0);
        if (!worker_store_scene(worker)) break;
    }
}

#if SIDE_BY_SIDE > 1

/// Is this worker's scene at a trial of that phase?
FN_SHORT u32 advance_is_in_phase(const Worker *worker, u32 phase) {
    return worker->has_scene && worker->run->phase == phase ? 1u : 0u;
}

/// Step one scene after the other up to such a trial, or to the end of the slot's time slice: time slices let all slots
/// progress equally. Returns 0 if nothing is left to do.
FN u32 advance_until_shared_trial(Worker *worker) {
    if (!worker->has_slot && !worker_take_slot(worker)) return 0;
    while (worker->has_scene || worker_begin_or_resume(worker)) {
        stepper_run_phases(worker->run, 1);
        if (worker->run->phase != PHASE_DONE) return 1;
        if (!worker_store_scene(worker)) break;
    }
    worker_leave_slot(worker);
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
        if (!one->balls.is_loaded) ball_lanes_load_run(&one->view, lanes, k, &one->balls);
        one->balls.is_loaded = 1;
        ball_lanes_load_run_step(lanes, k, &one->balls);
        ball_lanes_run_load(&one->view, one->now, lanes, k, &one->balls);
    }
    if (count == 0) return;
    ball_lanes_run_try(lanes);
    for (u32 k = 0; k < width; k++) {
        Worker *one = &workers[k];
        if (advance_is_in_phase(one, PHASE_BALL_TRY) && !(LANE_AT(lanes->run.goes_on, k) > 0.0))
            one->run->phase = ball_lanes_run_store(&one->view, one->now, lanes, k, &one->balls);
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
            corner_lanes_load(&workers[k].view, lanes, k, workers[k].run->h);
    if (count > 1) corner_lanes_try_all(lanes);
    for (u32 k = 0; k < width; k++) {
        Worker *one = &workers[k];
        if (!advance_is_in_phase(one, PHASE_TRY)) continue;
        if (count == 1) {
            step_phase_try(one->run);
            continue;
        }
        corner_lanes_store(&one->view, one->now, lanes, k, one->run->h);
        one->run->has_error = 1;
        one->run->phase = PHASE_MARGINS;
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
        workers[k].view = launch->all;
        workers[k].run = &workers[k].own_run;
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

#if QUEUE_ITEMS == 0
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
    worker.view = launch->all;
    worker.run = &worker.own_run;
    worker.number = number;
    if (OWN_SLOTS || count == launch->slots->count) {
        worker_load_slot(&worker);
        advance_slot(&worker);
        worker_store_slot(&worker);
        return;
    }
    while (worker_take_slot(&worker)) {
        advance_slot(&worker);
        worker_leave_slot(&worker);
    }
}
#endif

/// Step scenes, one after the other, in the slot of the work-item's number, until none is left or its passes are
/// spent, or those of a group's slots from queues. If there are fewer work-items than slots, each takes a free slot for
/// a time slice, then the next one: all slots progress equally, and none is still far behind at the end.
KERNEL_OF_GROUPS void advance(GLOBAL const Scene *scenes, GLOBAL const Body *bodies, GLOBAL const Shape *shapes,
                              GLOBAL const MaterialPairLaw *laws, GLOBAL const Watch *watches,
                              GLOBAL const HullRow *hulls, GLOBAL Progress *progress, GLOBAL BodyState *states,
                              GLOBAL BodyState *frames, GLOBAL Extreme *extremes, GLOBAL Slots *slots, GLOBAL Slot *own,
                              GLOBAL BodyWork *works, GLOBAL Candidate *candidates, GLOBAL Contact *contacts,
                              GLOBAL Event *events, GLOBAL ContactRow *rows, GLOBAL real *matrices, GLOBAL u32 *lists,
                              GLOBAL PlacedShape *placed, GLOBAL const Joint *joints,
                              GLOBAL const FunctionRow *functions, GLOBAL const RegionLaw *region_laws,
                              GLOBAL const MeshHead *heads, GLOBAL const MeshVertex *vertices,
                              GLOBAL const MeshTriangle *triangles, GLOBAL const MeshEdge *edges,
                              GLOBAL const MeshSpoke *spokes, GLOBAL const MeshNode *nodes, GLOBAL const u32 *parts,
                              GLOBAL u64 *region_lists, GLOBAL u64 *parked, u32 count) {
    size_t number = (size_t)get_global_id(0) / SCENE_ITEMS;
#if QUEUE_ITEMS > 0
    LOCAL_ARRAY QueueTable table;
    (void)number;
#else
    if (number >= count) return;
#endif
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
    all->region_laws = (HAS_MESHES | (SCENE_QUASI_RIGID != 0)) ? region_laws : 0;
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
    launch.parked = parked;
#if QUEUE_ITEMS > 0
    queue_serve_all(&launch, &table, count);
#else
    advance_run(&launch, number, count);
#endif
}

#endif // PROGRAM_ADVANCE
