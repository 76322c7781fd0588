// The energy balance of a step with contact regions. The equations of a step that is long against the duration of an
// impact have solutions besides the right one: a contact that barely carries is deep at the end of the step, and throws
// its bodies apart in the next. Such a step makes energy from nothing.
#ifndef CLACK_INTEGRATE_TRAPEZOIDAL_ENERGY_H
#define CLACK_INTEGRATE_TRAPEZOIDAL_ENERGY_H

#include "integrate/islands.h"
#include "integrate/step_error.h"
#include "joints/coupling.h"

// Energy that may be made from nothing or vanish in a step, of what was there to be exchanged.
#define TRAPEZOIDAL_GAIN_MOST 0.1
#define TRAPEZOIDAL_SHORTEST_SHARE (1.0 / 256.0) // of a step of an impact: steps are halved so far for it,
#define TRAPEZOIDAL_SAME 0.5 // unless half of a step leaves so much of that: where regions split or merge energy jumps

typedef struct EnergyBalance {
    real gained_J;    // from nothing
    real exchanged_J; // kinetic and elastic at the start, work of weights and of what is given over time
    real shortest_s;  // the step of an impact
} EnergyBalance;

/// Add a body's part, from the present state to the trial state after h.
FN_ONCE void trapezoidal_add_body(const SceneView *view, u32 b, real h, EnergyBalance *balance) {
    GLOBAL const Body *body = &view->bodies[b];
    GLOBAL const BodyState *end = &view->works[b].step.trial;
    Vec3 g = view->scene->gravity_m_per_s2;
    real start_J = body_kinetic_energy(view, b);
    real work_J = body->mass_kg * vec3_dot(g, vec3_sub(end->position_m, view->states[b].position_m));
    if (view->scene->flags & SCENE_POINT_GRAVITY)
        work_J -= body->mass_kg * scene_point_potential(view, COPY(view->states[b].position_m), COPY(end->position_m));
    balance->gained_J += body_kinetic_energy_at(view, b, end) - start_J - work_J;
    real floor_m2_per_s2 = real_max(SPEED_FLOOR_M_PER_S * SPEED_FLOOR_M_PER_S, vec3_dot(g, g) * h * h);
    balance->exchanged_J += start_J + real_abs(work_J) + 0.5 * body->mass_kg * floor_m2_per_s2;
}

/// Add a coupling's part.
FN_ONCE void trapezoidal_add_coupling(const SceneView *view, GLOBAL const Contact *contact, real h,
                                      EnergyBalance *balance) {
    balance->gained_J += coupling_energy(view, contact) - contact->start.elastic_J + contact->trial.loss_J;
    balance->exchanged_J += contact->start.elastic_J;
    if (contact_is_region(view, contact)) {
        // Work against the spring of stiction has been counted as lost.
        balance->gained_J -= contact->step.region.spring_J - contact->step.region.start_spring_J;
        balance->shortest_s = real_min(balance->shortest_s, contact->plan.graded_s);
    }
    if (!scene_has_given(view)) return;
    balance->gained_J -= contact->given.trial_J;
    balance->exchanged_J += real_abs(contact->given.start_W) * h;
}

/// The energy balance of the step of h just tried of the island of the body `head`.
FN_ONCE EnergyBalance trapezoidal_balance(const SceneView *view, u32 head, real h) {
    EnergyBalance balance = ALL_ZERO;
    balance.shortest_s = REAL_HUGE;
    EACH_MOVING(b) {
        if (view->works[b].mode == MODE_TOUCHING && view->works[b].island.label == head)
            trapezoidal_add_body(view, b, h, &balance);
    }
    EACH_ACTIVE(c) {
        if (island_of(view, &view->contacts[c]) == head)
            trapezoidal_add_coupling(view, &view->contacts[c], h, &balance);
    }
    return balance;
}

/// From this time on the region contacts of an island take the steps of an impact.
FN_ONCE void trapezoidal_enliven(const SceneView *view, u32 head, real time) {
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_region(view, contact) && island_of(view, contact) == head) contact->step.region.lively_s = time;
    }
}

/// The shortest step of an impact of all contact regions, which take such steps from this time on; REAL_HUGE without
/// any.
FN_ONCE real trapezoidal_step_of_impact(const SceneView *view, real time) {
    real shortest = REAL_HUGE;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_region(view, contact)) continue;
        contact->step.region.lively_s = time;
        shortest = real_min(shortest, contact->plan.graded_s);
    }
    return scene_min(view, shortest);
}

/// The step with which the step of h just tried from this time has to be tried again, since energy does not balance in
/// an island with contact regions: that of an impact there; h: it balances.
FN_ONCE real trapezoidal_step_to_balance(const SceneView *view, real time, real h) {
    real wanted = h, before = view->slot->unbalanced, most = 0.0;
    MOVING_LOOP(b) {
        if (view->works[b].mode != MODE_TOUCHING || view->works[b].island.label != b) continue;
        EnergyBalance balance = trapezoidal_balance(view, b, h);
        if (!(real_abs(balance.gained_J) > TRAPEZOIDAL_GAIN_MOST * balance.exchanged_J)) continue;
        if (balance.shortest_s < 0.5 * h) {
            wanted = real_min(wanted, balance.shortest_s);
            trapezoidal_enliven(view, b, time);
            continue;
        }
        real share = balance.exchanged_J > 0.0 ? real_abs(balance.gained_J) / balance.exchanged_J : REAL_HUGE;
        most = real_max(most, share);
        if (before > 0.0 && share > TRAPEZOIDAL_SAME * before) continue;
        if (h > TRAPEZOIDAL_SHORTEST_SHARE * balance.shortest_s) wanted = real_min(wanted, 0.5 * h);
    }
    most = scene_max(view, most);
    wanted = scene_min(view, wanted);
    if (view->item == 0) view->slot->unbalanced = most;
    SCENE_BARRIER();
    return wanted;
}

#endif
