// Steps a scene phase by phase (phases.h): set-up, substeps, events, end.
#ifndef CLACK_STEPPER_SCENE_STEPPER_H
#define CLACK_STEPPER_SCENE_STEPPER_H

#include "model/scheme_policy.h"
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
#include "stepper/deep_start.h"
#include "stepper/event_location.h"
#include "stepper/frames.h"
#include "stepper/free_flight.h"
#include "stepper/group_windows.h"
#include "stepper/observe.h"
#include "stepper/quasi_steps.h"
#include "stepper/region_steps.h"
#include "stepper/rest.h"
#include "stepper/sensors.h"
#include "stepper/step_trial.h"
#include "stepper/step_end.h"
#include "stepper/substep.h"

#define STEPPER_EVENTS_BASE 1024.0 // event rows per outer step, plus 16 for each candidate

FN u32 stepper_any_touching(const SceneView *view) {
    u32 touching = 0;
    MOVING_LOOP(b) {
        if (view->works[b].mode == MODE_TOUCHING) touching = 1;
    }
    return scene_any(view, touching);
}

/// Shapes of fixed bodies are placed once.
FN void stepper_place_fixed_shapes(const SceneView *view) {
    SceneView without_cache = *view;
    without_cache.placed = 0;
    ITEM_LOOP(i, view->scene->shape_count) {
        u32 body = view->shapes[i].body;
        if (view->bodies[body].flags & BODY_FIXED)
            view->placed[i] = pair_place_shape(&without_cache, i, &view->states[body]);
    }
}

/// A driven body where it is at t = 0, which its pose there gives, with its velocity.
FN_ONCE void stepper_begin_driven(const SceneView *view, u32 b) {
    GLOBAL BodyWork *work = &view->works[b];
    if (!(view->scene->flags & SCENE_TIMED) || !(view->bodies[b].flags & BODY_DRIVEN)) return;
    work->mode = MODE_DRIVEN;
    work->window.kept = view->states[b];
    driven_place(view, b, 0.0);
    view->states[b] = work->step.trial;
    work->step.rates[0] = work->step.rates[DRIVEN_RATES];
}

/// Bodies, lists and contacts at t = 0. An overlap at the start begins a contact with its own approach speed.
FN_WAY void stepper_set_up(const SceneView *view, SCENE_SPACE Progress *progress) {
    progress->group = NONE;
    progress->window_steps = WINDOW_STEPS_MOST;
    progress->free_count = 0;
    for (u32 b = 0; b < view->scene->body_count; b++)
        progress->free_count += view->bodies[b].flags & BODY_FIXED ? 0 : 1;
    ITEM_LOOP(b, view->scene->body_count) {
        GLOBAL BodyWork *work = &view->works[b];
        BodyWork none = ALL_ZERO;
        *work = none; // a slot still holds the previous scene
        work->control.has_new_contact = 1;
        work->only_observes = window_only_observes(view, b);
        work->mode = view->bodies[b].flags & BODY_FIXED ? MODE_FIXED : MODE_FLYING;
        work->step.trial = view->states[b];
        stepper_begin_driven(view, b);
        work->start_position_m = view->states[b].position_m;
        active_begin_flight(view, progress, b);
    }
    if (view->item == 0) view->slot->damping_limit = plan_damping_limit(view->scene->tolerance);
    stepper_place_fixed_shapes(view);
    lifecycle_begin_joints(view, progress);
    if (progress->status != STATUS_RUNNING) return;
    active_list(view, progress);
    active_renew_candidates(view, progress, view->scene->step_s, 1.0);
    if (progress->status != STATUS_RUNNING) return;
    gaps_evaluate(view, progress, progress->gap_index, 0.0, 1);
    if (policy_has_regions(view->scene->flags)) region_check_found(view, progress);
    if (progress->status != STATUS_RUNNING) return;
    ITEM_LOOP(i, progress->candidate_count) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        real gap = candidate->gap_m[progress->gap_index];
        real rate = candidate->rate_m_per_s[progress->gap_index];
        candidate->changes = gap <= 0.0 || (gap <= candidate->tolerance_m && rate <= 0.0) ? 1 : 0;
    }
    if (start_is_sunk(view, progress)) {
        progress->status = STATUS_DEEP_START;
        return;
    }
    if (view->scene->assembled_m > 0.0) progress->flags |= FLAG_ASSEMBLED;
    SCENE_BARRIER();
    if (!lifecycle_has_room(view, progress)) return;
    lifecycle_apply(view, progress, 0, 0.0);
    lifecycle_apply(view, progress, 1, 0.0);
    progress->known = KNOWN_SET_UP;
    observe_gates(view, progress, observe_time_tolerance(view, progress));
    observe_energy(view, progress, 1);
    observe_momentum(view, progress, 1);
}

/// Are all trial states finite?
FN_ONCE u32 stepper_is_finite(const SceneView *view) {
    u32 bad = 0;
    MOVING_LOOP(b) {
        GLOBAL const BodyState *s = &view->works[b].step.trial;
        real sum = vec3_max_abs(s->position_m) + vec3_max_abs(s->velocity_m_per_s) + vec3_max_abs(s->spin_rad_per_s) +
                   s->orientation.w;
        sum += s->position_m.x + s->position_m.y + s->position_m.z + s->velocity_m_per_s.x + s->velocity_m_per_s.y +
               s->velocity_m_per_s.z + s->spin_rad_per_s.x + s->spin_rad_per_s.y + s->spin_rad_per_s.z;
        if (!real_is_finite(sum)) bad = 1;
    }
    return scene_any(view, bad) ? 0 : 1;
}

/// The trial states become the present ones.
FN void stepper_accept(const SceneView *view, SCENE_SPACE Progress *progress, real h, u32 gap_index) {
    if (scheme_is_quasi_rigid(view->scene->flags)) quasi_accept(view, progress, h);
    if (scheme_is_quasi_rigid(view->scene->flags) || policy_has_regions(view->scene->flags))
        step_accept_loose(view, progress);
    if (policy_has_regions(view->scene->flags)) region_keep_loose(view);
    observe_step(view, progress, progress->gap_index, gap_index, h);
    broad_add_travel(view, h);
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        view->states[b] = work->step.trial;
        work->control.has_new_contact = 0;
        if (work->mode == MODE_TOUCHING || body_is_driven(view, b)) work->step.rates[0] = work->step.rates[STAGES - 1];
    }
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        substep_keep_spring(view, contact);
        trapezoidal_keep(view, contact, scene_time(view, progress) + h);
        if (contact_is_quasi_rigid(view, contact)) quasi_keep(view, contact);
        if (!contact_is_joint(contact))
            contact_update_strike_damping(view, contact, contact_max_closing_of_trial(view, progress, contact, h));
        contact->total.impulse_N_s = vec3_add(contact->total.impulse_N_s, contact->trial.impulse_N_s);
        contact->total.loss_J += contact->trial.loss_J;
        contact->start.force_N = contact->now.force_N;
        contact->start.loss_W = contact->now.loss_W;
        coupling_keep_given(view, contact);
        contact->start.warm_start = contact->now.warm_start;
    }
    SCENE_BARRIER();
    EACH_ACTIVE(c) progress->dissipated_J += view->contacts[c].trial.loss_J;
    if (progress->substeps == 0 && policy_has_regions(view->scene->flags)) region_check_start(view, progress);
    if (scene_has_given(view)) EACH_ACTIVE(k) progress->given_J += view->contacts[k].given.trial_J;
    progress->offset_s += h;
    progress->gap_index = gap_index;
    progress->substeps++;
    progress->step_substeps++;
}

/// The same for a flight over `steps` outer steps; 0: the flight ended early.
FN_ONCE void stepper_accept_flight(const SceneView *view, SCENE_SPACE Progress *progress, real h, u32 gap_index,
                                   u32 steps) {
    real step = view->scene->step_s;
    if (steps == 0) {
        stepper_accept(view, progress, h, gap_index);
        u32 whole = (u32)(progress->offset_s / step);
        progress->step_index += whole;
        progress->offset_s = real_max(0.0, progress->offset_s - (real)whole * step);
    } else if (flight_needs_outer_ends(view)) {
        for (u32 i = 0; i < steps; i++) { // gives the same bits as single steps
            if (i > 0) progress->step_index++;
            progress->offset_s = 0.0;
            MOVING_LOOP(b) {
                if (view->works[b].mode == MODE_FLYING) motion_fly(view, progress, b, step);
            }
            SCENE_BARRIER();
            stepper_accept(view, progress, step, gap_index);
        }
    } else {
        stepper_accept(view, progress, h, gap_index);
        progress->step_index += steps - 1;
    }
    if (steps > 0) progress->offset_s = step; // exactly on the grid
}

/// The end of an outer step: freezing and energy audit. is_end: the next outer step begins; else a step has gone beyond
/// ends of outer steps, and the present outer step goes on.
FN void stepper_end_step(const SceneView *view, SCENE_SPACE Progress *progress, u32 is_end) {
    real elapsed = progress->offset_s - progress->ended_s;
    if (scheme_is_adaptive(view->scene->flags) && !(view->scene->flags & SCENE_NO_FREEZE)) {
        if (progress->event_count + view->scene->body_count > view->room.events) {
            progress->status = STATUS_CAPACITY;
            progress->capacity_which = CAPACITY_EVENTS;
            progress->capacity_wanted = 2 * view->scene->body_count;
            return;
        }
        if (rest_update(view, progress, elapsed, progress->known & KNOWN_RATES)) {
            active_list(view, progress);
            progress->known &= ~KNOWN_RATES;
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

/// Accelerations that keep the constraints, of the present states. An island without a matrix cannot be stepped.
FN_ONCE void stepper_begin_constraints(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 is_large = 0;
    MOVING_LOOP(b) is_large |= view->works[b].mode == MODE_TOUCHING && view->works[b].island.members == 0 ? 1u : 0u;
    if (scene_any(view, is_large)) {
        progress->status = STATUS_NOT_SOLVED;
        return;
    }
    trapezoidal_begin(view, view->scene->step_s);
    if (progress->substeps == 0 && trapezoidal_has_others(view, 2.0 / view->scene->step_s))
        progress->flags |= FLAG_REACTIONS_NOT_UNIQUE;
}

/// Is anything in contact? If so, compute forces and rates of the present state.
FN u32 stepper_start(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 any_touching = stepper_any_touching(view);
    if (any_touching && !(progress->known & KNOWN_RATES)) {
        u32 has_constraints = scheme_has_constraints(view->scene->flags);
        if (scheme_is_adaptive(view->scene->flags) || scheme_is_solved(view->scene->flags))
            island_lay_out(view, progress);
        substep_start(view, progress);
        if (has_constraints) stepper_begin_constraints(view, progress);
        progress->known |= KNOWN_RATES;
    }
    return any_touching;
}

/// Handle the stops that the present time has reached: end of an outer step, recording, end of the scene; within a
/// window there are none. May be called again at the same time if rows had to be drained first. Returns 1 if the scene
/// must not go on in this launch.
FN_WAY u32 stepper_handle_stops(const SceneView *view, SCENE_SPACE Progress *progress) {
    if (is_grouped(progress)) return 0;
    real step = view->scene->step_s;
    real tolerance = observe_time_tolerance(view, progress);
    real left = view->scene->end_s - (real)progress->step_index * step;
    u32 is_end = progress->offset_s >= step - tolerance && left > step + tolerance ? 1u : 0u;
    // Whether bodies in contact are at rest is tested where forces are known.
    u32 has_passed =
        progress->ended_s < 0.0 && progress->known & KNOWN_RATES && left > progress->offset_s + tolerance ? 1u : 0u;
    if (is_end | has_passed) {
        stepper_end_step(view, progress, is_end);
        if (progress->status != STATUS_RUNNING) return 1;
        left = view->scene->end_s - (real)progress->step_index * step;
    }
    while (frame_time(view, progress, progress->frame_count) <= progress->offset_s + tolerance)
        frame_write_present(view, progress);
    // Forces of constraints are known once steps from here on have been begun.
    if (scheme_has_constraints(view->scene->flags) && joint_count(view) > 0 &&
        observe_next_record(view, progress) <= progress->offset_s + tolerance) {
        stepper_start(view, progress);
        if (progress->status != STATUS_RUNNING) return 1;
    }
    while (observe_next_record(view, progress) <= progress->offset_s + tolerance) {
        if (!observe_record(view, progress)) return 1;
    }
    if (observe_next_gate(view, progress) <= progress->offset_s + tolerance) observe_gates(view, progress, tolerance);
    u32 is_done = progress->offset_s >= left - tolerance ? 1 : 0;
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
FN void stepper_check_limits(const SceneView *view, SCENE_SPACE Progress *progress) {
    real events = 16.0 * (real)progress->candidate_count + STEPPER_EVENTS_BASE;
    if (work_is_spent(view, progress)) return;
    if ((real)progress->step_substeps > scene_substeps_most(view)) progress->status = STATUS_STEP_LIMIT;
    if ((real)progress->step_events > events * scene_step_ms(view)) progress->status = STATUS_EVENT_LIMIT;
}

/// PHASE_GAPS: distances at the end of the step just tried.
FN_WAY void stepper_phase_gaps(SCENE_SPACE SceneRun *run) {
    run->phase = PHASE_ACCEPT;
    if (run->progress->status != STATUS_RUNNING) return;
    if (!stepper_is_finite(run->view)) {
        run->progress->status = STATUS_NOT_FINITE;
        return;
    }
    run->end.h = run->h;
    run->end.gap_index = (run->progress->gap_index + 1) % GAP_TIMES;
    gaps_evaluate(run->view, run->progress, run->end.gap_index, run->h, 1);
    run->phase = PHASE_LOCATE;
}

/// PHASE_LOCATE: does the step just tried have to end earlier, or be tried again?
FN_WAY void stepper_phase_locate(SCENE_SPACE SceneRun *run) {
    Search search;
    search.observers = 0;
    search.low = run->progress->gap_index;
    search.high = run->end.gap_index;
    search.t_low = 0.0;
    search.t_high = run->h;
    run->phase = PHASE_ACCEPT;
    if (policy_has_regions(run->view->scene->flags) && region_is_overshot(run)) return;
    if (scheme_is_quasi_rigid(run->view->scene->flags) && (quasi_step_is_overshot(run) || quasi_step_tunnels(run)))
        return;
    if (!scheme_is_adaptive(run->view->scene->flags)) {
        run->end.changes = event_mark_by_sign(run->view, run->end.gap_index);
        sensors_observe(run->view, run->progress, search);
        return;
    }
    Locating now;
    event_begin(&now, run->view, run->progress, search, run->any_touching);
    if (event_next_time(&now)) {
        run->locating = now;
        run->phase = PHASE_SEARCH;
        return;
    }
    Located located;
    event_end(&now, &located);
    run->end = located;
}

/// PHASE_SEARCH
FN void stepper_phase_search(SCENE_SPACE SceneRun *run) {
    Locating now = run->locating;
    now.view = run->view;
    event_search(&now);
    Located located;
    event_end(&now, &located);
    run->end = located;
    run->phase = PHASE_ACCEPT;
}

/// Take the end of the step just tried from the search for it.
FN void stepper_take_located(SCENE_SPACE SceneRun *run) {
    if (!scheme_is_adaptive(run->view->scene->flags)) return; // the step is whole
    Located located = run->end;
    if (located.failed) run->progress->status = STATUS_NOT_BRACKETED;
    if (run->progress->status == STATUS_RUNNING)
        sensors_locate_events(run->view, run->progress, located, run->any_touching);
}

/// A pass is over.
FN void stepper_end_pass(SCENE_SPACE SceneRun *run) {
    run->passes--;
    run->phase = PHASE_STOPS;
}

/// PHASE_START
FN void stepper_phase_start(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    run->any_touching = stepper_start(view, run->progress);
    run->phase = PHASE_PLAN;
    if (HAS_BALLS && run->any_touching &&
        ball_begin(view, run->progress, step_run_end(view, run->progress), run->balls))
        run->phase = PHASE_BALL_PLAN;
}

/// PHASE_BALL_JUDGE
FN void stepper_phase_ball_judge(SCENE_SPACE SceneRun *run) {
    run->phase = ball_phase_judge(run->view, run->progress, run->balls);
    if (run->phase != PHASE_STOPS) return;
    stepper_check_limits(run->view, run->progress);
    stepper_end_pass(run);
}

/// Choose length and method of the substep, before which no window is opened.
FN void stepper_plan_substep(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    if (run->any_touching && scheme_is_adaptive(view->scene->flags)) {
        step_extend_across_end(view, run->progress, run->plan.h, &run->limit);
        real h_max = run->limit.h, wish = run->plan.h;
        u32 is_free = run->limit.stop > view->scene->step_s && !run->limit.to_stop ? 1u : 0u;
        plan_methods(view, run->plan.controlled ? real_min(wish, h_max) : 0.0);
        // Two even steps rather than a long one and a sliver.
        run->h = !is_free && wish < h_max && 2.0 * wish > h_max ? 0.5 * h_max : real_min(wish, h_max);
    }
    run->h_max = run->limit.h;
    run->rejects = 0;
    run->phase = PHASE_LIST;
}

/// PHASE_PLAN: how long may the substep be? There is none if the scene has failed.
FN_WAY void stepper_phase_plan(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    SCENE_SPACE Progress *progress = run->progress;
    u32 listed = run->limit.lists ? run->limit.steps : 0;
    run->limit = step_longest_end(view, progress, run->any_touching, listed);
    if (progress->status != STATUS_RUNNING) {
        stepper_end_pass(run);
        return;
    }
    run->plan = plan_nothing();
    run->h = run->plan.h = run->limit.h;
    if (run->limit.lists) {
        run->phase = PHASE_RELIST;
        return;
    }
    if (run->any_touching && scheme_has_constraints(view->scene->flags)) {
        trapezoidal_plan(view);
        region_limit_step(run);
        run->plan.h = run->h;
    }
    if (run->any_touching && scheme_is_adaptive(view->scene->flags)) {
        run->plan = plan_step(view);
        if (window_may_open(view, progress, run->plan.h, run->limit.stop)) {
            run->phase = PHASE_WINDOW;
            return;
        }
    }
    stepper_plan_substep(run);
}

/// Has the group that is stepped by itself reached the end of the window?
FN u32 stepper_group_has_ended(const SceneView *view, SCENE_SPACE const Progress *progress) {
    if (!is_grouped(progress)) return 0;
    return progress->offset_s < progress->window_end_s - observe_time_tolerance(view, progress) ? 0u : 1u;
}

/// Go on with the next group, or with all bodies.
FN void stepper_next_group(const SceneView *view, SCENE_SPACE Progress *progress) {
    window_next(view, progress);
    if (!is_grouped(progress)) frames_close_window(view, progress);
}

/// PHASE_WINDOW: the next group of a window, or open one. If none is opened, the substep is planned.
FN_WAY void stepper_phase_window(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    SCENE_SPACE Progress *progress = run->progress;
    if (is_grouped(progress)) {
        stepper_next_group(view, progress);
        run->phase = PHASE_STOPS;
        return;
    }
    u32 opened = window_opens(view, progress, run->plan.h, run->limit.stop, &run->window);
    if (opened == WINDOW_NOT) {
        stepper_plan_substep(run);
        return;
    }
    if (opened == WINDOW_LIST) {
        run->h = run->window.h;
        run->phase = PHASE_RELIST;
        return;
    }
    if (is_grouped(progress)) frames_open_window(view, progress);
    stepper_end_pass(run);
}

/// Begin and end contacts at the end of the step, which was located for them.
FN void stepper_change_contacts(const SceneView *view, SCENE_SPACE Progress *progress) {
    lifecycle_apply(view, progress, 0, 0.0);
    if (progress->group == NONE) progress->window_end_s = 0.0; // islands have changed
    // Without event location, observer pairs are marked at the end of the step as well.
    if (!scheme_is_adaptive(view->scene->flags)) lifecycle_apply(view, progress, 1, 0.0);
    progress->known &= ~KNOWN_RATES;
    observe_gates(view, progress, observe_time_tolerance(view, progress));
}

/// Accept a step that has been tried: take its states where it ends.
FN_WAY void stepper_accept_trial(SCENE_SPACE SceneRun *run) {
    const SceneView *view = run->view;
    SCENE_SPACE Progress *progress = run->progress;
    if (progress->status != STATUS_RUNNING) return;
    stepper_take_located(run);
    if (policy_has_regions(view->scene->flags)) region_check_found(view, progress);
    if (progress->status != STATUS_RUNNING) return;
    if (run->end.changes && !lifecycle_has_room(view, progress)) return;
    frames_write_within(view, progress, run->end.h, run->any_touching);
    u32 cut = run->end.h < run->h || run->h < run->h_max || !run->limit.to_stop;
    if (run->limit.steps > 1) {
        stepper_accept_flight(view, progress, run->end.h, run->end.gap_index, cut ? 0 : run->limit.steps);
    } else {
        stepper_accept(view, progress, run->end.h, run->end.gap_index);
        if (!cut) progress->offset_s = run->limit.stop; // exactly on the grid, not the sum of steps
        step_count_crossed_ends(view, progress);
    }
    if (run->end.changes)
        run->phase = PHASE_CHANGE;
    else
        stepper_check_limits(view, progress);
}

/// PHASE_ACCEPT
FN void stepper_phase_accept(SCENE_SPACE SceneRun *run) {
    stepper_accept_trial(run);
    if (run->phase == PHASE_ACCEPT) stepper_end_pass(run);
}

/// PHASE_CHANGE
FN_WAY void stepper_phase_change(SCENE_SPACE SceneRun *run) {
    stepper_change_contacts(run->view, run->progress);
    stepper_check_limits(run->view, run->progress);
    stepper_end_pass(run);
}

/// Does the scene need the second build (build.h)? The same answer on all items.
FN u32 stepper_needs_second_build(const SceneView *view) {
    if (!MAY_NEED_SECOND_BUILD) return 0;
    SCENE_BARRIER();
    u32 needs_second_build = view->slot->needs_second_build;
    SCENE_BARRIER();
    return needs_second_build;
}

/// Begin a scene, or continue it.
FN void stepper_begin(const SceneView *view, SCENE_SPACE Progress *progress) {
    if (progress->known & KNOWN_SET_UP) return;
    if (view->item == 0) view->slot->needs_second_build = view->slot->short_of = view->slot->engulfed = 0;
    if (view->item == 0) view->slot->solvable_s = view->slot->residual_m_per_s = view->slot->before_s = 0.0;
    if (view->item == 0) view->slot->is_loose = view->slot->loose_left = view->slot->loose_tries = 0;
    if (view->item == 0) view->slot->contradicts = view->slot->region_work = 0;
    if (view->item == 0 && policy_has_regions(view->scene->flags)) match_forget(view);
    SCENE_BARRIER();
    stepper_set_up(view, progress);
}

/// The next phase of a scene between two passes; PHASE_DONE: there is no other pass. Tested between passes only, where
/// the whole state of the scene is in its buffers.
FN u32 stepper_prepare_pass(const SceneView *view, SCENE_SPACE Progress *progress) {
    if (progress->status != STATUS_RUNNING || stepper_needs_second_build(view)) return PHASE_DONE;
    if (2 * progress->event_count > view->room.events) {
        progress->status = STATUS_ROWS_FULL;
        return PHASE_DONE;
    }
    if (stepper_group_has_ended(view, progress)) return PHASE_WINDOW;
    u32 is_over = stepper_handle_stops(view, progress);
    if (net_force_watch_count(view) > 0 && progress->status != STATUS_ROWS_FULL) observe_force_gates(view, progress);
    return is_over ? PHASE_DONE : PHASE_START;
}

/// End the work on a scene that is interrupted or has ended.
FN void stepper_leave(const SceneView *view, SCENE_SPACE Progress *progress) {
    if (stepper_needs_second_build(view)) progress->status = STATUS_SECOND_BUILD;
    if (is_grouped(progress) && progress->status != STATUS_RUNNING && progress->status != STATUS_ROWS_FULL)
        window_undo(view, progress);
    SCENE_BARRIER();
}

/// PHASE_STOPS
FN void stepper_phase_stops(SCENE_SPACE SceneRun *run) {
    u32 goes_on = run->passes > 0 && !LAUNCH_IS_OVER() ? 1u : 0u;
    run->phase = goes_on ? stepper_prepare_pass(run->view, run->progress) : PHASE_DONE;
}

/// The phases of a ball run (ball_run.h). Returns 1 if the next trial is to be made with those of other scenes.
FN_TOP u32 stepper_run_ball_phases(SCENE_SPACE SceneRun *run, u32 shares) {
    while (run->phase >= PHASE_BALL_PLAN && run->phase <= PHASE_BALL_JUDGE) {
        if (run->phase == PHASE_BALL_JUDGE) stepper_phase_ball_judge(run);
        if (run->phase == PHASE_BALL_PLAN) run->phase = ball_phase_plan(run->view, run->progress, run->balls);
        if (run->phase != PHASE_BALL_TRY) continue;
        if (shares && run->balls->pair.is_on_fixed_plane && !run->balls->is_implicit) return 1;
        ball_try_step(run->balls);
        run->phase = PHASE_BALL_JUDGE;
    }
    return 0;
}

/// Step a scene, phase by phase, up to PHASE_DONE or, with `shares`, up to a trial that is to be made with those of
/// other scenes. Each test follows the call of the one before: a GPU that calls from within a branch holds the branch's
/// mask in a register.
FN_SPINE void stepper_run_phases(SCENE_SPACE SceneRun *run, u32 shares) {
    while (run->phase != PHASE_DONE) {
        if (run->phase == PHASE_STOPS) stepper_phase_stops(run);
        if (run->phase == PHASE_START) stepper_phase_start(run);
        if (HAS_BALLS && stepper_run_ball_phases(run, shares)) return;
        if (run->phase == PHASE_PLAN) stepper_phase_plan(run);
        if (run->phase == PHASE_WINDOW) stepper_phase_window(run);
        if (run->phase == PHASE_RELIST) step_phase_relist(run);
        if (run->phase == PHASE_LIST) step_phase_list(run);
        if (run->phase == PHASE_TRY) {
            if (shares && step_is_shared(run)) return;
            step_phase_try(run);
        }
        if (run->phase == PHASE_MARGINS) step_phase_margins(run);
        if (run->phase == PHASE_JUDGE) step_phase_judge(run);
        if (run->phase == PHASE_GAPS) stepper_phase_gaps(run);
        if (run->phase == PHASE_LOCATE) stepper_phase_locate(run);
        if (run->phase == PHASE_SEARCH) stepper_phase_search(run);
        if (run->phase == PHASE_ACCEPT) stepper_phase_accept(run);
        if (run->phase == PHASE_CHANGE) stepper_phase_change(run);
    }
}

#endif
