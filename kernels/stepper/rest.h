// Rest: islands of bodies joined by couplings are frozen when they lie still, and woken by a new contact.
#ifndef CLACK_STEPPER_REST_H
#define CLACK_STEPPER_REST_H

#include "integrate/islands.h"
#include "stepper/event_rows.h"

// kernels/stepper/README.md, "Stepping". Raising either freezes bodies that still creep.
#define REST_SPEED_M_PER_S 1.0e-5
#define REST_TIME_S 1.0e-2
#define REST_CLOCK_START_S 1.0e-30            // counts as running
#define REST_LONG_ENOUGH_SHARE (1.0 - 1.0e-9) // of the time: long enough
#define REST_NOT_YET_SHARE (1.0 - 1.0e-6)     // not yet long enough
// A body whose speed still grows faster than this is not at rest, however slow it is: on a slope of 1.4e-8 rad a ball
// accelerates so. Settling bodies decelerate; oscillating ones decelerate part of the time.
#define REST_GAIN_M_PER_S2 1.0e-7

FN void rest_write(const SceneView *view, SCENE_SPACE Progress *progress, u32 body, u32 kind) {
    Event row;
    row.time_s = scene_time(view, progress);
    row.position_m = view->states[body].position_m;
    row.normal = row.impulse_N_s = vec3_zero();
    row.speed_m_per_s = row.energy_lost_J = 0.0;
    row.gap_m = row.stiffness = row.damping = 0.0;
    row.kind = kind;
    row.body_a = row.body_b = body;
    row.shape_a = row.shape_b = NONE;
    row.feature = 0;
    event_write(view, progress, row);
}

/// A body becomes frozen (sign 1), so that its weight no longer counts in the momentum audit, or is released (-1).
FN void rest_audit_momentum(const SceneView *view, SCENE_SPACE Progress *progress, u32 b, real sign) {
    real mass = view->bodies[b].mass_kg;
    Vec3 weight = vec3_scale(view->scene->gravity_m_per_s2, mass * scene_time(view, progress));
    Vec3 given_up = vec3_scale(view->states[b].velocity_m_per_s, mass);
    progress->momentum_N_s = vec3_add_scaled(progress->momentum_N_s, vec3_sub(weight, given_up), sign);
}

/// Is something of the island given over time, so that it may start again at any time: a load, a driven body beside it?
FN_ONCE u32 rest_is_timed(const SceneView *view, u32 island) {
    if (!(view->scene->flags & SCENE_TIMED)) return 0;
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        u32 is_timed = contact_is_load(contact) | body_is_driven(view, contact->pair.body_a) |
                       body_is_driven(view, contact->pair.body_b);
        if (is_timed && island_of(view, contact) == island) return 1;
    }
    return 0;
}

/// Has every moving body of the island been at rest for long enough?
FN u32 rest_island_still(const SceneView *view, u32 island, real time_needed) {
    if (rest_is_timed(view, island)) return 0;
    EACH_MOVING(b) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->island.label != island || work->mode < MODE_FLYING) continue;
        if (work->mode == MODE_FLYING || work->rest.time_s < time_needed) return 0;
    }
    return 1;
}

FN void rest_freeze_body(const SceneView *view, SCENE_SPACE Progress *progress, u32 b, u32 island) {
    GLOBAL BodyWork *work = &view->works[b];
    rest_write(view, progress, b, EVENT_REST);
    if (view->item == 0) {
        work->mode = MODE_FROZEN;
        work->island.frozen = island;
        view->states[b].velocity_m_per_s = vec3_zero();
        view->states[b].spin_rad_per_s = vec3_zero();
        work->step.trial = view->states[b];
    }
}

/// A contact sleeps while neither of its bodies moves.
FN void rest_set_sleep_of(const SceneView *view, GLOBAL Contact *contact) {
    if (contact->now.inactive >= CONTACT_REMOVED) return; // or of an observer pair
    contact->now.inactive = body_moves(view, contact->pair.body_a) || body_moves(view, contact->pair.body_b)
                                ? CONTACT_ACTIVE
                                : CONTACT_ASLEEP;
}

FN void rest_set_sleep(const SceneView *view, SCENE_SPACE const Progress *progress) {
    SCENE_BARRIER();
    ITEM_LOOP(c, progress->contact_count) rest_set_sleep_of(view, &view->contacts[c]);
    SCENE_BARRIER();
}

/// Speed of a body and of its farthest point by rotation, m/s.
FN real rest_speed(const SceneView *view, u32 b) {
    real turn = vec3_length(view->states[b].spin_rad_per_s) * view->bodies[b].radius_m;
    real drift = vec3_length(view->states[b].velocity_m_per_s);
    return real_sqrt(drift * drift + turn * turn);
}

/// Is a body in contact neither moving nor about to move? A body just released under a small force has no speed yet;
/// rates[0] must be those of the present state.
FN_ONCE u32 rest_is_motionless(const SceneView *view, u32 b, real speed) {
    GLOBAL const BodyWork *work = &view->works[b];
    if (work->mode != MODE_TOUCHING) return 0;
    real twist = vec3_length(work->step.rates[0].spin_rate) * view->bodies[b].radius_m;
    real acceleration = vec3_length(work->step.rates[0].acceleration) + twist;
    return speed < REST_SPEED_M_PER_S && acceleration * REST_TIME_S < REST_SPEED_M_PER_S ? 1 : 0;
}

/// Advance the clock of a body's time at rest. The first still moment starts it, whatever the outer step. While
/// unbalanced forces, or a balance that does not last, make the body faster, the clock stops just before its end.
FN_ONCE void rest_count(const SceneView *view, u32 b, real elapsed, u32 rates_known) {
    GLOBAL BodyRest *rest = &view->works[b].rest;
    real speed = rest_speed(view, b), since = rest->time_s > 0.0 ? rest->time_s + elapsed : REST_CLOCK_START_S;
    u32 gains = speed > rest->speed_m_per_s + REST_GAIN_M_PER_S2 * elapsed ? 1u : 0u;
    if (gains) since = real_min(since, REST_NOT_YET_SHARE * REST_TIME_S);
    rest->time_s = rates_known && rest_is_motionless(view, b, speed) ? since : 0.0;
    rest->speed_m_per_s = speed;
}

/// At the end of an outer step, or after a step that has passed some: advance each body's clock, freeze islands that
/// stand still. Returns 1 if a body was frozen.
FN_ONCE u32 rest_update(const SceneView *view, SCENE_SPACE Progress *progress, real elapsed, u32 rates_known) {
    u32 ripe = 0;
    MOVING_LOOP(b) {
        rest_count(view, b, elapsed, rates_known);
        if (view->works[b].rest.time_s >= REST_LONG_ENOUGH_SHARE * REST_TIME_S) ripe = 1;
    }
    SCENE_BARRIER();
    if (!scene_any(view, ripe)) return 0;
    island_label(view);
    u32 frozen = 0;
    EACH_MOVING(b) {
        if (view->works[b].mode < MODE_FLYING || view->works[b].island.label != b) continue;
        if (!rest_island_still(view, b, REST_LONG_ENOUGH_SHARE * REST_TIME_S)) continue;
        SCENE_BARRIER();
        EACH_MOVING(k) {
            if (view->works[k].island.label != b || view->works[k].mode < MODE_FLYING) continue;
            // The velocity lost counts as dissipated; the audit would blame the stepper otherwise.
            progress->dissipated_J += body_kinetic_energy(view, k);
            rest_audit_momentum(view, progress, k, 1.0);
            SCENE_BARRIER();
            rest_freeze_body(view, progress, k, b);
            SCENE_BARRIER();
        }
        frozen = 1;
    }
    if (frozen) rest_set_sleep(view, progress);
    return frozen;
}

/// Wake all frozen bodies of the island that a body belongs to. The lists follow by `active_list`.
FN void rest_wake(const SceneView *view, SCENE_SPACE Progress *progress, u32 body) {
    if (view->works[body].mode != MODE_FROZEN) return;
    u32 island = view->works[body].island.frozen;
    SCENE_BARRIER();
    for (u32 b = 0; b < view->scene->body_count; b++) {
        u32 wakes = view->works[b].mode == MODE_FROZEN && view->works[b].island.frozen == island;
        SCENE_BARRIER();
        if (!wakes) continue;
        rest_write(view, progress, b, EVENT_WAKE);
        rest_audit_momentum(view, progress, b, -1.0);
        if (view->item == 0) {
            view->works[b].mode = MODE_TOUCHING;
            view->works[b].rest.time_s = 0.0;
        }
    }
    rest_set_sleep(view, progress);
}

/// 1 if no free body moves any more.
FN u32 rest_all_frozen(const SceneView *view) { return view->slot->moving_count == 0 ? 1u : 0u; }

#endif
