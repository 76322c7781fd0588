// Steps in a row of a solo contact (solo.h) that has the scene, or the group that is stepped, for itself. Where anything
// but a plain step comes, an event, a peak, an implicit step, it is left to the passes of advance.cl, from the same start.
#ifndef CLACK_SOLO_STEPS_H
#define CLACK_SOLO_STEPS_H

#include "observe.h"
#include "step_plan.h"

#define SOLO_STEPS_MAX 256u // of one pass

/// What a ball adds to the velocity error of the step, m/s, as substep_error.
FN void solo_error(const SceneView *view, const SoloBody *body, real h, real *velocity_error) {
    Vec3 velocity = vec3_zero(), acceleration = velocity, spin_rate = velocity;
    for (u32 j = 0; j < STAGES; j++) {
        real weight = TSIT5_ERROR[j];
        velocity = vec3_add_scaled(velocity, body->velocities[j], weight);
        acceleration = vec3_add_scaled(acceleration, body->accelerations[j], weight);
        spin_rate = vec3_add_scaled(spin_rate, body->spin_rates[j], weight);
    }
    SubstepError error;
    error.velocity = h * vec3_max_abs(acceleration);
    error.position = vec3_max_abs(velocity);
    error.spin = h * vec3_max_abs(spin_rate);
    (void)substep_error_share(view, body->body, error, view->scene->tolerance, 0.0,
                              vec3_length(body->velocity_m_per_s), vec3_length(body->spin_rad_per_s), velocity_error);
}

/// Is there nobody else whom the bodies of a contact may meet soon? How far they may go together until then, m; < 0: no.
FN real solo_clearance(const SceneView *view, GLOBAL const Candidate *own) {
    real least = REAL_HUGE;
    EACH_LIVE(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        u32 a = view->shapes[candidate->shape_a].body, b = view->shapes[candidate->shape_b].body;
        if (candidate == own || !(body_moves(view, a) | body_moves(view, b))) continue;
        if (candidate->contact != NONE) return -1.0;
        Vec3 centres = vec3_sub(view->states[b].position_m, view->states[a].position_m);
        real turned = view->works[a].turned_m + view->works[b].turned_m;
        real rounding = body_rounding(view, a, 1.0) + body_rounding(view, b, 1.0);
        least = real_min(least, vec3_dot(candidate->away, centres) + candidate->clear_m - turned - rounding);
    }
    return least;
}

/// Does something watch what only the passes of advance.cl see? Forces have peaks of their own, at which steps end; those
/// of depths are where its rate turns, and no step here is plain.
FN u32 solo_is_watched(const SceneView *view) {
    for (u32 w = 0; w < watch_count(view); w++) {
        if (view->watches[w].observable > WATCH_PENETRATION) return 1;
    }
    return 0;
}

/// Is there but one contact that is awake, and is it solo, and does nothing else move?
FN u32 solo_is_alone(const SceneView *view) {
    if (LANES > 1) return 0; // who shares a scene shares its contacts
    if (view->slot->awake_count != 1 || view->slot->moving_count > 2) return 0;
    GLOBAL const Contact *contact = &view->contacts[view->awake[0]];
    if (!contact->solo || view->scene->flags & SCENE_OBSERVERS) return 0;
    if (body_moves(view, contact->body_a) + body_moves(view, contact->body_b) != view->slot->moving_count) return 0;
    return solo_is_watched(view) ? 0u : 1u;
}

/// Does the step just tried end as it should, with nothing to be located within?
FN u32 solo_is_plain(const Solo *solo, GLOBAL const Candidate *candidate, u32 slot) {
    real gap = solo->meeting.gap_m, rate = solo->meeting.rate_m_per_s;
    if (!(gap < 0.0) || solo->meeting.status != NARROW_OK) return 0;
    real rate0 = candidate->rate_m_per_s[slot];
    if (rate0 * rate < 0.0) return 0; // a peak, or nearly an end
    real sum = solo->force.normal_N + vec3_max_abs(solo->a.spin_rad_per_s) + vec3_max_abs(solo->b.spin_rad_per_s);
    return real_is_finite(sum);
}

FN void solo_accept_body(const SceneView *view, SoloBody *body) {
    GLOBAL BodyWork *work = &view->works[body->body];
    u32 last = STAGES - 1;
    body->start = work->trial;
    view->states[body->body] = body->start;
    work->fresh = 0;
    work->rates[0] = work->rates[last];
    body->velocities[0] = body->velocities[last];
    body->spins[0] = body->spins[last];
    body->accelerations[0] = body->accelerations[last];
    body->spin_rates[0] = body->spin_rates[last];
}

/// Will a step of h hardly be plain, as far as its start tells?
FN u32 solo_ends(const Solo *solo, GLOBAL const Candidate *candidate, u32 slot, real h) {
    real gap = candidate->gap_m[slot], rate = candidate->rate_m_per_s[slot];
    Vec3 pull = vec3_zero();
    if (solo->b.moves) pull = solo->b.accelerations[0];
    if (solo->a.moves) pull = vec3_sub(pull, solo->a.accelerations[0]);
    if (rate < 0.0) return rate + h * vec3_dot(solo->contact->normal, pull) > 0.0 ? 1u : 0u;
    return gap + rate * h >= 0.0 ? 1u : 0u;
}

/// The step just tried, whose trial states are stored, is taken: as advance_accept.
FN void solo_accept(const SceneView *view, Progress *progress, Solo *solo, GLOBAL Candidate *candidate, real h) {
    u32 slot = progress->gap_slot, end = (slot + 1) % GAP_SLOTS;
    candidate->gap_m[end] = solo->meeting.gap_m;
    candidate->rate_m_per_s[end] = solo->meeting.rate_m_per_s;
    observe_step(view, progress, slot, end, h);
    broad_add_travel(view, h);
    if (solo->a.moves) solo_accept_body(view, &solo->a);
    if (solo->b.moves) solo_accept_body(view, &solo->b);
    GLOBAL Contact *contact = solo->contact;
    contact_keep(contact, solo->meeting, solo->force);
    contact->impulse_N_s = vec3_add(contact->impulse_N_s, solo->impulse_N_s);
    contact->loss_J += solo->loss_J;
    contact->start_force_N = contact->force_N;
    contact->start_loss_W = contact->loss_W;
    progress->dissipated_J += solo->loss_J;
    // The others, which nobody looks at, are not known at this slot; so it stays that of the present.
    candidate->gap_m[slot] = solo->meeting.gap_m;
    candidate->rate_m_per_s[slot] = solo->meeting.rate_m_per_s;
    progress->offset_s += h;
    progress->substeps++;
    progress->step_substeps++;
}

/// The next step of a contact that is alone: how long, and tried. Returns 0 where it is none of those taken here.
FN u32 solo_step(const SceneView *view, Progress *progress, Solo *solo, GLOBAL const Candidate *candidate, real h_max,
                 real *out_h) {
    StepPlan plan = plan_step(view, progress);
    if (plan.controlled) return 0;
    real h = real_min(plan.h, h_max);
    if (h < h_max && 2.0 * h > h_max) h = 0.5 * h_max;
    *out_h = h;
    if (solo_ends(solo, candidate, progress->gap_slot, h) || broad_outgrown(view, h, 0)) return 0;
    solo_try(view, solo, h);
    progress->evaluations += STAGES - 1;
    progress->forces += STAGES - 1;
    if (!solo_is_plain(solo, candidate, progress->gap_slot)) return 0;
    if (solo->a.moves) solo_store_trial(view, &solo->a, h);
    if (solo->b.moves) solo_store_trial(view, &solo->b, h);
    return broad_outgrown(view, h, 1) ? 0u : 1u;
}

/// Steps up to `stop`, as long as they are plain. Returns 1 where it has come there. Rates are known.
FN u32 solo_run(const SceneView *view, Progress *progress, real stop) {
    if (!solo_is_alone(view)) return 0;
    GLOBAL Candidate *own = 0;
    EACH_LIVE(i) {
        if (view->candidates[i].contact == view->awake[0]) own = &view->candidates[i];
    }
    if (own == 0) return 0;
    real clearance = solo_clearance(view, own);
    if (!(clearance > 0.0)) return 0;
    Solo solo;
    solo_load(view, &view->contacts[own->contact], &solo);
    EACH_LIVE(i) {
        if (&view->candidates[i] != own) view->candidates[i].gap_m[progress->gap_slot] = GAP_UNKNOWN;
    }
    MOVING_LOOP(b) view->works[b].implicit = 0;
    for (u32 steps = 0; steps < SOLO_STEPS_MAX; steps++) {
        real h_max = stop - progress->offset_s, longest = plan_longest_step(view), h;
        u32 to_stop = longest < h_max ? 0u : 1u;
        if (!to_stop) h_max = longest;
        if (!solo_step(view, progress, &solo, own, h_max, &h)) return 0;
        real way = 0.0;
        EACH_MOVING(b) way += broad_path_tried(view, b, h);
        clearance -= way;
        if (!(clearance > 0.0)) return 0;
        real velocity_error = 0.0;
        if (solo.a.moves) solo_error(view, &solo.a, h, &velocity_error);
        if (solo.b.moves) solo_error(view, &solo.b, h, &velocity_error);
        progress->error_sum_m_per_s += velocity_error;
        solo_accept(view, progress, &solo, own, h);
        if (h < h_max || !to_stop) continue;
        progress->offset_s = stop; // the grid exactly, not the sum of steps
        return 1;
    }
    return 0;
}

#endif
