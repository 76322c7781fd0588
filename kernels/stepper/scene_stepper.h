// A scene through its passes: set-up, substeps and events, to its end.
#ifndef CLACK_STEPPER_SCENE_STEPPER_H
#define CLACK_STEPPER_SCENE_STEPPER_H

#include "pairs/broad_phase.h"
#include "pairs/candidate_gaps.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "integrate/islands.h"
#include "integrate/motion.h"
#include "integrate/step_plan.h"
#include "stepper/active.h"
#include "stepper/ball_run.h"
#include "stepper/contact_lifecycle.h"
#include "stepper/event_location.h"
#include "stepper/frames.h"
#include "stepper/free_flight.h"
#include "stepper/group_windows.h"
#include "stepper/observe.h"
#include "stepper/rest.h"
#include "stepper/sensors.h"
#include "stepper/step_control.h"
#include "stepper/step_end.h"
#include "stepper/substep.h"

// Substeps and rejected trials per millisecond of an outer step. Implicit steps need a tenth at most: a sticking impact
// of steel at 100 m/s takes an explicit method more than 20,000.
#define ADVANCE_SUBSTEPS_PER_MS 200000.0
#define ADVANCE_EVENTS_BASE 1024.0 // event rows per outer step, plus 16 for each candidate

FN u32 stepper_any_touching(const SceneView *view) {
    u32 touching = 0;
    MOVING_LOOP(b) {
        if (view->works[b].mode == MODE_TOUCHING) touching = 1;
    }
    return scene_any(view, touching);
}

/// Shapes of fixed bodies are placed once.
FN void stepper_place(const SceneView *view) {
    SceneView anew = *view;
    anew.placed = 0;
    LANE_LOOP(i, view->scene->shape_count) {
        u32 body = view->shapes[i].body;
        if (view->bodies[body].flags & BODY_FIXED) view->placed[i] = pair_place_shape(&anew, i, &view->states[body]);
    }
}

/// Bodies, lists and contacts at t = 0. An overlap at the start begins a contact with its own approach speed.
FN_WAY void stepper_set_up(const SceneView *view, Progress *progress) {
    progress->group = NONE;
    progress->window_steps = WINDOW_STEPS_MOST;
    progress->free_count = 0;
    for (u32 b = 0; b < view->scene->body_count; b++)
        progress->free_count += view->bodies[b].flags & BODY_FIXED ? 0 : 1;
    LANE_LOOP(b, view->scene->body_count) {
        GLOBAL BodyWork *work = &view->works[b];
        BodyWork none = ALL_ZERO;
        *work = none; // a slot still holds the previous scene
        work->fresh = 1;
        work->roams = window_only_observes(view, b);
        work->mode = view->bodies[b].flags & BODY_FIXED ? MODE_STATIC : MODE_FLYING;
        work->trial = view->states[b];
        work->start_position_m = view->states[b].position_m;
        active_take_off(view, progress, b);
    }
    if (view->lane == 0) view->slot->damping_limit = plan_damping_limit(view->scene->tolerance);
    stepper_place(view);
    active_list(view, progress);
    active_renew_candidates(view, progress, view->scene->step_s, 1.0);
    if (progress->status != STATUS_RUNNING) return;
    gaps_measure(view, progress, progress->gap_slot, 0.0, 1);
    if (progress->status != STATUS_RUNNING) return;
    u32 deep = 0;
    LANE_LOOP(i, progress->candidate_count) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        real gap = candidate->gap_m[progress->gap_slot];
        real rate = candidate->rate_m_per_s[progress->gap_slot];
        candidate->turns = gap <= 0.0 || (gap <= candidate->tolerance_m && rate <= 0.0) ? 1 : 0;
        if (gap < -DEEP_SHARE * observe_smaller_m(view, candidate) && !candidate->observes) deep = 1;
    }
    if (scene_any(view, deep)) progress->flags |= FLAG_DEEP_START;
    SCENE_BARRIER();
    if (!lifecycle_has_room(view, progress)) return;
    lifecycle_apply(view, progress, 0, 0.0);
    lifecycle_apply(view, progress, 1, 0.0);
    progress->phase = PHASE_READY;
    observe_gates(view, progress, observe_same_time(view, progress));
    observe_energy(view, progress, 1);
    observe_momentum(view, progress, 1);
}

/// Are all trial states finite?
FN_ONCE u32 stepper_is_finite(const SceneView *view) {
    u32 bad = 0;
    MOVING_LOOP(b) {
        GLOBAL const BodyState *s = &view->works[b].trial;
        real sum = vec3_max_abs(s->position_m) + vec3_max_abs(s->velocity_m_per_s) + vec3_max_abs(s->spin_rad_per_s) +
                   s->orientation.w;
        sum += s->position_m.x + s->position_m.y + s->position_m.z + s->velocity_m_per_s.x + s->velocity_m_per_s.y +
               s->velocity_m_per_s.z + s->spin_rad_per_s.x + s->spin_rad_per_s.y + s->spin_rad_per_s.z;
        if (!real_is_finite(sum)) bad = 1;
    }
    return scene_any(view, bad) ? 0 : 1;
}

/// The trial states become the present ones.
FN void stepper_accept(const SceneView *view, Progress *progress, real h, u32 slot) {
    observe_step(view, progress, progress->gap_slot, slot, h);
    broad_add_travel(view, h);
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        view->states[b] = work->trial;
        work->fresh = 0;
        if (work->mode == MODE_TOUCHING) work->rates[0] = work->rates[STAGES - 1];
    }
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        substep_keep_spring(view, contact);
        contact_keep_strike(view, contact, contact_fastest_tried(view, progress, contact, h));
        contact->impulse_N_s = vec3_add(contact->impulse_N_s, contact->step_impulse_N_s);
        contact->loss_J += contact->step_loss_J;
        contact->start_force_N = contact->force_N;
        contact->start_loss_W = contact->loss_W;
        contact->start_hint = contact->hint;
    }
    SCENE_BARRIER();
    EACH_AWAKE(c) progress->dissipated_J += view->contacts[c].step_loss_J;
    progress->offset_s += h;
    progress->gap_slot = slot;
    progress->substeps++;
    progress->step_substeps++;
}

/// The same for a flight over `steps` outer steps; 0: it ended early.
FN_ONCE void stepper_accept_flight(const SceneView *view, Progress *progress, real h, u32 slot, u32 steps) {
    real step = view->scene->step_s;
    if (steps == 0) {
        stepper_accept(view, progress, h, slot);
        u32 whole = (u32)(progress->offset_s / step);
        progress->step_index += whole;
        progress->offset_s = real_max(0.0, progress->offset_s - (real)whole * step);
    } else if (flight_is_read_closely(view)) {
        for (u32 i = 0; i < steps; i++) { // gives the same bits as single steps
            if (i > 0) progress->step_index++;
            progress->offset_s = 0.0;
            MOVING_LOOP(b) {
                if (view->works[b].mode == MODE_FLYING) motion_fly(view, progress, b, step);
            }
            SCENE_BARRIER();
            stepper_accept(view, progress, step, slot);
        }
    } else {
        stepper_accept(view, progress, h, slot);
        progress->step_index += steps - 1;
    }
    if (steps > 0) progress->offset_s = step; // exactly on the grid
}

/// Plain fixed steps: pairs that overlap at the end of a step are in contact from there on.
FN u32 stepper_mark_by_sign(const SceneView *view, u32 slot) {
    u32 any = 0;
    LIVE_LOOP(i) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        u32 overlaps = candidate->gap_m[slot] <= 0.0 ? 1 : 0;
        candidate->turns = overlaps != (candidate->contact == NONE ? 0u : 1u) ? 1 : 0;
        any |= candidate->turns;
    }
    SCENE_BARRIER();
    return scene_any(view, any);
}

/// Go from the end of an outer step to the next one; or the step has passed ends of outer steps, and the present one
/// goes on.
FN void stepper_end_step(const SceneView *view, Progress *progress, u32 is_end) {
    real elapsed = progress->offset_s - progress->ended_s;
    if (!(view->scene->flags & (SCENE_NO_FREEZE | SCENE_RK4))) {
        if (progress->event_count + view->scene->body_count > view->room.events) {
            progress->status = STATUS_CAPACITY;
            progress->capacity_which = CAPACITY_EVENTS;
            progress->capacity_wanted = 2 * view->scene->body_count;
            return;
        }
        if (rest_update(view, progress, elapsed, progress->phase & PHASE_RATES)) {
            active_list(view, progress);
            progress->phase &= ~PHASE_RATES;
        }
    }
    observe_energy(view, progress, 0);
    observe_momentum(view, progress, 0);
    if (is_end) {
        progress->step_index++;
        progress->offset_s = progress->window_end_s = 0.0;
    }
    progress->ended_s = progress->offset_s;
    progress->step_substeps = 0;
    progress->step_events = 0;
}

/// Handle the stops that the present time has reached: end of a window, of an outer step, recording, end of the scene.
/// May be called again at the same time if rows had to be drained first. Returns 1 if the scene must not go on in this
/// launch.
FN_WAY u32 stepper_stops(const SceneView *view, Progress *progress) {
    if (is_grouped(progress)) {
        if (progress->offset_s < progress->window_end_s - observe_same_time(view, progress)) return 0;
        window_next(view, progress);
        if (is_grouped(progress)) return 0;
        frames_close_window(view, progress);
    }
    real step = view->scene->step_s;
    real same = observe_same_time(view, progress);
    real left = view->scene->end_s - (real)progress->step_index * step;
    u32 is_end = progress->offset_s >= step - same && left > step + same ? 1u : 0u;
    // Bodies in contact are judged where forces are known.
    u32 has_passed =
        progress->ended_s < 0.0 && progress->phase & PHASE_RATES && left > progress->offset_s + same ? 1u : 0u;
    if (is_end | has_passed) {
        stepper_end_step(view, progress, is_end);
        if (progress->status != STATUS_RUNNING) return 1;
        left = view->scene->end_s - (real)progress->step_index * step;
    }
    while (frame_time(view, progress, progress->frame_count) <= progress->offset_s + same) frame_take(view, progress);
    while (observe_next_record(view, progress) <= progress->offset_s + same) {
        if (!observe_record(view, progress)) return 1;
    }
    if (observe_next_gate(view, progress) <= progress->offset_s + same) observe_gates(view, progress, same);
    u32 is_done = progress->offset_s >= left - same ? 1 : 0;
    if (is_done || ((view->scene->flags & SCENE_UNTIL_REST) && rest_all_frozen(view))) {
        observe_energy(view, progress, 0);
        observe_momentum(view, progress, 0);
        for (u32 b = 0; b < view->scene->body_count; b++) {
            if (view->works[b].mode == MODE_FROZEN) progress->flags |= FLAG_FROZEN;
        }
        progress->status = STATUS_OK;
        return 1;
    }
    return 0;
}

/// Enforce the limits on substeps and events of an outer step and on the work of the scene.
FN void stepper_check_limits(const SceneView *view, Progress *progress) {
    real length = real_max(1.0, view->scene->step_s / 1.0e-3);
    real events = 16.0 * (real)progress->candidate_count + ADVANCE_EVENTS_BASE;
    if (work_is_spent(view, progress)) return;
    if ((real)progress->step_substeps > ADVANCE_SUBSTEPS_PER_MS * length) progress->status = STATUS_STEP_LIMIT;
    if ((real)progress->step_events > events * length) progress->status = STATUS_EVENT_LIMIT;
}

/// Find where the step just tried has to end.
FN void stepper_locate(Substep *step) {
    u32 slot = (step->progress->gap_slot + 1) % GAP_SLOTS;
    gaps_measure(step->view, step->progress, slot, step->h, 1);
    Search search;
    search.observers = 0;
    search.low = step->progress->gap_slot;
    search.high = slot;
    search.t_low = 0.0;
    search.t_high = step->h;
    step->end_h = step->h;
    step->end_slot = slot;
    if (step->view->scene->flags & SCENE_RK4) {
        step->turns = stepper_mark_by_sign(step->view, slot);
        sensors_take(step->view, step->progress, search);
        return;
    }
    Located located;
    event_locate(step->view, step->progress, search, step->any_touching, &located);
    step->end_h = located.h;
    step->end_slot = located.slot;
    step->turns = located.turns;
    if (located.failed) step->progress->status = STATUS_NOT_BRACKETED;
    if (step->progress->status == STATUS_RUNNING)
        sensors_watch(step->view, step->progress, located, step->any_touching);
}

/// Is anything in contact? If so, compute forces and rates of the present state.
FN u32 stepper_start(const SceneView *view, Progress *progress) {
    u32 any_touching = stepper_any_touching(view);
    if (any_touching && !(progress->phase & PHASE_RATES)) {
        if (!(view->scene->flags & SCENE_RK4)) island_lay_out(view, progress);
        substep_start(view, progress);
        progress->phase |= PHASE_RATES;
    }
    return any_touching;
}

/// Choose the length and method of the substep; `told` says whether there is one.
FN void stepper_choose(Substep *step) {
    const SceneView *view = step->view;
    Progress *progress = step->progress;
    step->told = SUBSTEP_NONE;
    step->reach = step_longest_end(view, progress, step->any_touching);
    if (progress->status != STATUS_RUNNING) return;
    step->plan = plan_nothing();
    step->h = step->reach.h;
    if (step->any_touching && !(view->scene->flags & SCENE_RK4)) {
        step->plan = plan_step(view);
        if (window_opens(view, progress, step->plan.h, step->reach.stop)) {
            if (is_grouped(progress)) frames_open_window(view, progress);
            return;
        }
        step_pass_end(view, progress, step->plan.h, &step->reach);
        real h_max = step->reach.h, wish = step->plan.h;
        u32 is_free = step->reach.stop > view->scene->step_s && !step->reach.to_stop ? 1u : 0u;
        plan_methods(view, step->plan.controlled ? real_min(wish, h_max) : 0.0);
        // Two even steps rather than a long one and a sliver.
        step->h = !is_free && wish < h_max && 2.0 * wish > h_max ? 0.5 * h_max : real_min(wish, h_max);
    }
    step->h_max = step->reach.h;
    step->rejects = 0;
    step->tried = TRIED_NOT;
    step->told = SUBSTEP_WANTS;
}

/// Plan a substep, if one is wanted.
FN_WAY void stepper_plan(Substep *step) {
    if (!HAS_BALLS || step->told == SUBSTEP_WANTS) stepper_choose(step);
}

/// Contacts begin and end at the time at which the step was cut for them.
FN void stepper_turn(const SceneView *view, Progress *progress) {
    lifecycle_apply(view, progress, 0, 0.0);
    if (progress->group == NONE) progress->window_end_s = 0.0; // islands have changed
    // Without event location, observer pairs are marked at the end of the step as well.
    if (view->scene->flags & SCENE_RK4) lifecycle_apply(view, progress, 1, 0.0);
    progress->phase &= ~PHASE_RATES;
    observe_gates(view, progress, observe_same_time(view, progress));
}

/// Accept a step that has been tried: locate its end, take its states, change contacts.
FN_WAY void stepper_take(Substep *step) {
    if (step->told != SUBSTEP_DONE || step->progress->status != STATUS_RUNNING) return;
    if (!stepper_is_finite(step->view)) {
        step->progress->status = STATUS_NOT_FINITE;
        return;
    }
    stepper_locate(step);
    if (step->progress->status != STATUS_RUNNING) return;
    if (step->turns && !lifecycle_has_room(step->view, step->progress)) return;
    frames_read(step->view, step->progress, step->end_h, step->any_touching);
    u32 cut = step->end_h < step->h || step->h < step->h_max || !step->reach.to_stop;
    if (step->reach.steps > 1) {
        stepper_accept_flight(step->view, step->progress, step->end_h, step->end_slot, cut ? 0 : step->reach.steps);
    } else {
        stepper_accept(step->view, step->progress, step->end_h, step->end_slot);
        if (!cut) step->progress->offset_s = step->reach.stop; // exactly on the grid, not the sum of steps
        step_passed(step->view, step->progress);
    }
    if (step->turns) stepper_turn(step->view, step->progress);
    stepper_check_limits(step->view, step->progress);
}

/// Try a planned substep and accept it, unless it waits to be tried with those of other scenes. Each call tests the
/// result of the one before: a GPU that calls from within a branch holds the branch's mask in a register.
FN_TOP void stepper_go_on(Substep *step) {
    step_controlled(step);
    stepper_take(step);
}

/// One substep of any kind, if one is wanted. Tests whether anything is in contact.
FN_TOP void stepper_substep(Substep *step) {
    step->is_shared = 0;
    stepper_plan(step);
    stepper_go_on(step);
}

/// One pass: a run of ball-contact steps, or a substep.
FN_TOP void stepper_pass(Substep *step) {
    step->any_touching = stepper_start(step->view, step->progress);
    step->told = SUBSTEP_WANTS;
    if (HAS_BALLS && step->any_touching &&
        ball_run_on(step->view, step->progress, step_row_end(step->view, step->progress))) {
        stepper_check_limits(step->view, step->progress);
        step->told = SUBSTEP_NONE;
    }
    stepper_substep(step);
}

/// Does the scene need the second build (build.h)? The same answer on all lanes.
FN u32 stepper_has_left(const SceneView *view) {
    if (!CAN_LEAVE) return 0;
    SCENE_BARRIER();
    u32 has_left = view->slot->has_left;
    SCENE_BARRIER();
    return has_left;
}

/// Begin a scene, or continue it.
FN void stepper_take_up(const SceneView *view, Progress *progress) {
    if (progress->phase & PHASE_READY) return;
    if (view->lane == 0) view->slot->has_left = 0;
    SCENE_BARRIER();
    stepper_set_up(view, progress);
}

/// Is there another pass of this scene, and are passes left? Tested between passes only, where the whole state of the
/// scene is in its buffers.
FN u32 stepper_goes_on(const SceneView *view, Progress *progress) {
    if (progress->status != STATUS_RUNNING || stepper_has_left(view)) return 0;
    if (2 * progress->event_count > view->room.events) {
        progress->status = STATUS_ROWS_FULL;
        return 0;
    }
    return stepper_stops(view, progress) ? 0u : 1u;
}

/// Leave a scene, interrupted or ended.
FN void stepper_put_down(const SceneView *view, Progress *progress) {
    if (stepper_has_left(view)) progress->status = STATUS_LEFT;
    if (is_grouped(progress) && progress->status != STATUS_RUNNING && progress->status != STATUS_ROWS_FULL)
        window_undo(view, progress);
    SCENE_BARRIER();
}

/// Carry a scene on for at most step->passes passes; then step->passes is the number left.
FN_SPINE void stepper_carry(Substep *step) {
    for (; step->passes > 0 && !LAUNCH_IS_OVER() && stepper_goes_on(step->view, step->progress); step->passes--)
        stepper_pass(step);
}

#endif
