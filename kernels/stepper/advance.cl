// The scene-resident stepper: carries each scene through many steps and events without the host.
#include "stepper/ball_run.h"
#include "stepper/corner_batch.h"
#include "stepper/ball_batch_run.h"
#include "stepper/scene_stepper.h"
#include "stepper/ball_batch.h"
#include "stepper/step_control.h"
#include "stepper/step_end.h"
#include "stepper/substep.h"

/// The slices of a scene that all kernels see.
FN SceneView advance_view(GLOBAL const Scene *scene, GLOBAL const Body *bodies, GLOBAL const Shape *shapes,
                          GLOBAL const ContactLaw *laws, GLOBAL const Watch *watches, GLOBAL const HullRow *hulls) {
    SceneView view;
    view.scene = scene;
    view.bodies = bodies + scene->body_first;
    view.shapes = shapes + scene->shape_first;
    view.laws = laws + scene->law_first;
    view.watches = watches;
    view.hulls = hulls;
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

/// A scene's slices of arrays whose beginnings `all` has, and those of a slot.
FN SceneView advance_view_at(const SceneView *all, size_t number, u32 index) {
    SlotRoom room = all->room;
    SceneView view = advance_view(all->scene + index, all->bodies, all->shapes, all->laws, all->watches, all->hulls);
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
    view.lane = all->lane;
    return view;
}

/// The same number on all lanes of a slot.
FN u32 advance_shared(LOCAL u32 *shared, u32 lane, u32 value) {
#if LANES == 1
    (void)shared;
    (void)lane;
    return value;
#else
    SCENE_BARRIER();
    if (lane == 0) *shared = value;
    SCENE_BARRIER();
    return *shared;
#endif
}

/// The scene that is taken up next. Those at work at the same time lie apart, since their states and extremes are
/// written in every step, and a cache line that two cores write costs both.
FN u32 advance_next(GLOBAL Slots *slots) {
    u32 number = next_of(&slots->next), row = slots->scene_count / slots->ways;
    return number < row * slots->ways ? number % slots->ways * row + number / slots->ways : number;
}

// A work-item that carries scenes one after the other. What is needed again after a scene is read from here again, or
// from the slot: registers that are held while a scene is carried are none for all that it calls (bench/registers.sh).
typedef struct Carrier {
    Substep step;   // first, so that its address is that of all
    SceneView view; // of the scene that is carried
    Progress now;
    SceneView all; // beginnings of the arrays
    GLOBAL Slots *slots;
    GLOBAL Progress *progress;
    LOCAL u32 *shared;
    size_t number; // of the slot
    u32 turn;      // passes that it has for it
} Carrier;

/// Take up the slot's scene, or the next one, as long as there are passes. 0: there is none.
FN u32 advance_take_scene(Carrier *carrier) {
    if (carrier->step.passes == 0 || LAUNCH_IS_OVER()) return 0;
    GLOBAL Slots *slots = carrier->slots;
    u32 lane = carrier->all.lane, index = carrier->all.slot[carrier->number].scene;
    if (index == NONE) index = advance_shared(carrier->shared, lane, lane == 0 ? advance_next(slots) : 0);
    if (index >= slots->scene_count) return 0;
    carrier->view = advance_view_at(&carrier->all, carrier->number, index);
    carrier->now = carrier->progress[index];
    carrier->now.status = STATUS_RUNNING; // where rows were full, they have been drained
    carrier->now.event_count = carrier->view.slot->event_count;
    carrier->now.row_count = carrier->view.slot->row_count;
    SCENE_BARRIER();
    return 1;
}

/// Returns 0 where the slot must be left with it.
FN u32 advance_put_scene(Carrier *carrier) {
    const SceneView *view = &carrier->view;
    const Progress *now = &carrier->now;
    u32 goes_on = now->status == STATUS_RUNNING || now->status == STATUS_ROWS_FULL ? 1u : 0u;
    if (LANES == 1 || view->lane == 0) {
        carrier->progress[view->index] = *now;
        view->slot->event_count = now->event_count;
        view->slot->row_count = now->row_count;
        view->slot->scene = goes_on ? view->index : NONE;
        if (now->status == STATUS_CAPACITY || now->status == STATUS_LEFT) (void)next_of(&carrier->slots->again);
        if (!goes_on) (void)next_of(&carrier->slots->done);
    }
    if (goes_on) return 0;
    SCENE_BARRIER();
    return 1;
}

/// Carry scenes, one after the other, in a slot, until none is left or its turn is over. Returns how many passes it
/// took.
FN_WHOLE u32 advance_slot(Carrier *carrier) {
    carrier->step.view = &carrier->view;
    carrier->step.progress = &carrier->now;
    carrier->step.passes = carrier->turn = u32_min(carrier->slots->turn, carrier->all.slot[carrier->number].passes);
    while (advance_take_scene(carrier)) {
        stepper_take_up(carrier->step.view, carrier->step.progress);
        stepper_carry(&carrier->step);
        stepper_put_down(carrier->step.view, carrier->step.progress);
        if (!advance_put_scene(carrier)) break;
    }
    u32 taken = carrier->turn - carrier->step.passes;
    SCENE_BARRIER();
    if (LANES == 1 || carrier->all.lane == 0) carrier->all.slot[carrier->number].passes -= taken;
    return taken;
}

#if PACK > 1

// What a scene wants to be tried together with others.
#define WANTS_NOTHING 0u
#define WANTS_ROW 1u     // a step of its row of solo steps
#define WANTS_CORNERS 2u // a substep of a solid on its corners (corner_batch.h)

// One of the scenes that a work-item carries side by side, and its slot.
typedef struct Carried {
    SceneView view;
    Progress now;
    BallRun run;
    Substep step; // while it is not of a row
    u32 number;   // of its slot, or of the one that it looks at next
    u32 idle;     // so many slots in a row had nothing to do
    u32 has_slot, has_scene;
    u32 wants; // WANTS_*: what is to be tried
    u32 index, before, passes, turn, event_count, row_count;
} Carried;

/// Take a slot that nobody has, and that has passes left. 0: there is none.
FN u32 advance_take_slot(const SceneView *all, GLOBAL const Slots *slots, Carried *carried) {
    for (; carried->idle < slots->count; carried->number = (carried->number + 1) % slots->count) {
        GLOBAL Slot *slot = all->slot + carried->number;
        carried->idle++;
        if (!flag_take(&slot->is_taken)) continue;
        carried->index = slot->scene;
        carried->event_count = slot->event_count;
        carried->row_count = slot->row_count;
        carried->before = slot->passes;
        carried->turn = carried->passes = u32_min(slots->turn, slot->passes);
        carried->has_slot = 1;
        return 1;
    }
    return 0;
}

FN void advance_leave_slot(const SceneView *all, GLOBAL const Slots *slots, Carried *carried) {
    GLOBAL Slot *slot = all->slot + carried->number;
    slot->scene = carried->index < slots->scene_count ? carried->index : NONE;
    slot->event_count = carried->event_count;
    slot->row_count = carried->row_count;
    slot->passes = carried->before - (carried->turn - carried->passes);
    if (carried->passes < carried->turn) carried->idle = 0;
    carried->has_slot = 0;
    carried->number = (carried->number + 1) % slots->count;
    flag_leave(&slot->is_taken);
}

/// Take up the slot's scene, or the next one. 0: its turn is over, or there is none.
FN u32 advance_take_in_scene(const SceneView *all, GLOBAL Slots *slots, GLOBAL const Progress *progress,
                             Carried *carried) {
    if (carried->passes == 0 || LAUNCH_IS_OVER()) return 0;
    if (carried->index == NONE) carried->index = advance_next(slots);
    if (carried->index >= slots->scene_count) return 0;
    carried->view = advance_view_at(all, carried->number, carried->index);
    carried->now = progress[carried->index];
    carried->now.status = STATUS_RUNNING; // where rows were full, they have been drained
    carried->now.event_count = carried->event_count;
    carried->now.row_count = carried->row_count;
    carried->has_scene = 1;
    carried->step.view = &carried->view;
    carried->step.progress = &carried->now;
    stepper_take_up(&carried->view, &carried->now);
    return 1;
}

/// Returns 0 where the slot must be left with it.
FN u32 advance_put_away_scene(GLOBAL Slots *slots, GLOBAL Progress *progress, Carried *carried) {
    Progress *now = &carried->now;
    stepper_put_down(&carried->view, now);
    carried->event_count = now->event_count;
    carried->row_count = now->row_count;
    progress[carried->index] = *now;
    carried->has_scene = 0;
    if (now->status == STATUS_RUNNING || now->status == STATUS_ROWS_FULL) return 0;
    if (now->status == STATUS_CAPACITY || now->status == STATUS_LEFT) (void)next_of(&slots->again);
    (void)next_of(&slots->done);
    carried->index = NONE;
    return 1;
}

/// Go on with a pass, or begin one: stepper_pass, but for tries that are taken with those of other scenes. Which does
/// it want?
FN u32 advance_pass(BallBatch *batch, u32 k, Carried *carried) {
    const SceneView *view = &carried->view;
    Progress *progress = &carried->now;
    BallRun *run = &carried->run;
    u32 any_touching = 1, told = SOLO_WANTS;
    if (carried->wants != WANTS_CORNERS) {
        if (carried->wants == WANTS_NOTHING) {
            any_touching = stepper_start(view, progress);
            if (!any_touching || !ball_begin(view, progress, step_row_end(view, progress), run))
                told = SOLO_LEAVES;
            else if (batch_takes(run))
                batch_load_run(view, batch, k, run);
        }
        while (told == SOLO_WANTS && (told = ball_next(view, progress, run)) == SOLO_WANTS && !batch_takes(run))
            ball_take(view, run);
        if (told == SOLO_WANTS) return WANTS_ROW;
        if (told == SOLO_THERE) stepper_check_limits(view, progress);
        carried->step.is_shared = SHARES_CORNERS;
        carried->step.any_touching = any_touching;
        carried->step.told = told == SOLO_THERE ? SUBSTEP_NONE : SUBSTEP_WANTS;
        stepper_plan(&carried->step);
    }
    stepper_go_on(&carried->step);
    return carried->step.told == SUBSTEP_WANTS ? WANTS_CORNERS : WANTS_NOTHING;
}

#define CARRIED_NOTHING 0u // is left to do
#define CARRIED_WANTS 1u   // a step to be tried
#define CARRIED_TURN 2u // its turn with a slot is over, and others have theirs before the next: all slots come on alike

/// Carry on, with one scene after the other.
FN u32 advance_go_on(const SceneView *all, GLOBAL Slots *slots, GLOBAL Progress *progress, BallBatch *batch, u32 k,
                     Carried *carried) {
    if (!carried->has_slot && !advance_take_slot(all, slots, carried)) return CARRIED_NOTHING;
    for (;;) {
        u32 goes_on = carried->has_scene || advance_take_in_scene(all, slots, progress, carried) ? 1u : 0u;
        while (goes_on && (carried->wants || (carried->passes > 0 && !LAUNCH_IS_OVER() &&
                                              stepper_goes_on(&carried->view, &carried->now)))) {
            carried->wants = advance_pass(batch, k, carried);
            if (carried->wants) return CARRIED_WANTS;
            carried->passes--;
        }
        if (goes_on && advance_put_away_scene(slots, progress, carried)) continue;
        advance_leave_slot(all, slots, carried);
        return CARRIED_TURN;
    }
}

#if SHARES_CORNERS
/// Try the substeps that scenes wait for.
FN_ONCE void advance_try_corners(Carried *carried, u32 width, CornerBatch *batch) {
    u32 count = 0;
    corner_batch_clear(batch);
    for (u32 k = 0; k < width; k++) count += carried[k].wants == WANTS_CORNERS ? 1u : 0u;
    if (count == 0) return;
    for (u32 k = 0; k < width && count > 1; k++)
        if (carried[k].wants == WANTS_CORNERS) corner_batch_load(&carried[k].view, batch, k, carried[k].step.h);
    if (count > 1) corner_batch_try(batch);
    for (u32 k = 0; k < width; k++) {
        Carried *one = &carried[k];
        if (one->wants != WANTS_CORNERS) continue;
        u32 is_shared = count > 1 ? 1u : 0u;
        one->step.tried = is_shared ? TRIED_SHARED : TRIED_HERE;
        if (is_shared)
            corner_batch_store(&one->view, &one->now, batch, k, one->step.h);
        else
            substep_try(&one->view, &one->now, one->step.h, 1);
    }
}
#endif

/// Carries scenes side by side, each in a slot of its own, and tries steps of theirs together, until none is left or
/// all passes are spent.
FN_ONCE void advance_all(const SceneView *all, GLOBAL Slots *slots, GLOBAL Progress *progress, u32 first) {
    Carried carried[PACK];
    BallBatch batch;
    batch_clear(&batch);
#if SHARES_CORNERS
    CornerBatch corners = ALL_ZERO;
#endif
    u32 width = u32_min(PACK, slots->side_by_side);
    for (u32 k = 0; k < width; k++) {
        carried[k].number = (first * PACK + k) % slots->count;
        carried[k].idle = carried[k].has_slot = carried[k].has_scene = carried[k].wants = 0;
    }
    for (u32 busy = 1; busy > 0;) {
        u32 rows = busy = 0;
        for (u32 k = 0; k < width; k++) {
            u32 goes_on = LANE_AT(batch.run.goes_on, k) > 0.0 ? 1u : 0u;
            u32 told = goes_on ? CARRIED_WANTS : advance_go_on(all, slots, progress, &batch, k, &carried[k]);
            if (told == CARRIED_NOTHING) continue;
            busy++;
            if (carried[k].wants != WANTS_ROW) continue;
            rows++;
            if (goes_on) continue;
            batch_load_step(&batch, k, &carried[k].run);
            batch_run_load(&carried[k].view, &carried[k].now, &batch, k, &carried[k].run);
        }
        if (rows > 0) batch_run_try(&batch);
        for (u32 k = 0; k < width; k++) {
            if (carried[k].wants == WANTS_ROW && !(LANE_AT(batch.run.goes_on, k) > 0.0))
                batch_run_store(&carried[k].view, &carried[k].now, &batch, k, &carried[k].run);
        }
#if SHARES_CORNERS
        if (HAS(CONTENT_SOLIDS)) advance_try_corners(carried, width, &corners);
#endif
    }
}

#endif // PACK > 1

#if BUILD_PROGRAMS & PROGRAM_ADVANCE

/// Scenes, one after the other, in the slot that the work-item is, until none is left or its passes are spent. Fewer
/// work-items than slots share these: each takes a turn with one that nobody has, and goes on to the next, so that all
/// slots come on alike and nobody waits for the last.
KERNEL void advance(GLOBAL const Scene *scenes, GLOBAL const Body *bodies, GLOBAL const Shape *shapes,
                    GLOBAL const ContactLaw *laws, GLOBAL const Watch *watches, GLOBAL const HullRow *hulls,
                    GLOBAL Progress *progress, GLOBAL BodyState *states, GLOBAL BodyState *frames,
                    GLOBAL Extreme *extremes, GLOBAL Slots *slots, GLOBAL Slot *own, GLOBAL BodyWork *works,
                    GLOBAL Candidate *candidates, GLOBAL Contact *contacts, GLOBAL Event *events,
                    GLOBAL ContactRow *rows, GLOBAL real *matrices, GLOBAL u32 *lists, GLOBAL PlacedShape *placed,
                    u32 count) {
    size_t number = (size_t)get_global_id(0) / LANES;
    if (number >= count) return;
#if LANES == 1
    LOCAL real *scratch = 0;
    LOCAL u32 *shared = 0;
    u32 lane = 0;
#else
    LOCAL_ARRAY real scratch[LANES];
    LOCAL_ARRAY u32 shared[1];
    u32 lane = (u32)get_local_id(0);
#endif
    Carrier carrier;
    SceneView *all = &carrier.all;
    all->scene = scenes;
    all->bodies = bodies;
    all->shapes = shapes;
    all->laws = laws;
    all->watches = watches;
    all->hulls = hulls;
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
    all->lane = lane;
#if PACK > 1
    if (count < slots->count) {
        advance_all(all, slots, progress, (u32)number);
        return;
    }
#endif
    carrier.slots = slots;
    carrier.progress = progress;
    carrier.shared = shared;
    carrier.number = number;
    if (OWN_SLOTS || count == slots->count) {
        (void)advance_slot(&carrier);
        return;
    }
    for (u32 idle = 0; idle < slots->count; number = (number + 1) % slots->count) {
        idle++;
        if (!flag_take(&own[number].is_taken)) continue;
        carrier.number = number;
        if (advance_slot(&carrier) > 0) idle = 0;
        flag_leave(&own[number].is_taken);
    }
}

#endif // PROGRAM_ADVANCE
