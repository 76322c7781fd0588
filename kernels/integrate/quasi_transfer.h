// What couplings have done to quasi-rigid bodies in a step that has been solved: impulses, losses, work.
#ifndef CLACK_INTEGRATE_QUASI_TRANSFER_H
#define CLACK_INTEGRATE_QUASI_TRANSFER_H

#include "integrate/quasi_midpoint.h"

// Times of a step that has been solved, in whose order forces act: of SCENE_MIDPOINT the first two are middles.
#define QUASI_AT_START 0u
#define QUASI_AT_END 1u
#define QUASI_AT_REPORTED 2u // of the states that are reported

/// Velocity and spin of a body, world axes, at one of these times.
FN_ONCE void quasi_motion(const SceneView *view, u32 b, real s, u32 when, Vec3 *velocity, Vec3 *spin) {
    u32 flags = view->bodies[b].flags, is_taken = trapezoidal_takes(view, b);
    BodyState of = when == QUASI_AT_START ? view->states[b] : view->works[b].step.trial;
    if (is_taken && when == QUASI_AT_START) {
        of.velocity_m_per_s = quasi_velocity_before(view, b);
        of.spin_rad_per_s = quasi_spin_before(view, b);
    }
    if (is_taken && when == QUASI_AT_REPORTED) quasi_report(view, b, s, &of);
    *velocity = of.velocity_m_per_s;
    *spin = spin_to_world(flags, of.orientation, of.spin_rad_per_s);
}

/// Power of a coupling on both of its bodies, W: with the mean of the velocities at a time of the step and at the next
/// that is what bodies gain by it between both. out_given_W: what driven ones give to it.
FN_ONCE real quasi_power(const SceneView *view, GLOBAL const Contact *contact, real s, u32 from, real *out_given_W) {
    real power = 0.0, given = 0.0;
    for (u32 is_b = 0; is_b < 2; is_b++) {
        u32 b = is_b ? contact->pair.body_b : contact->pair.body_a;
        Vec3 force = is_b ? contact->now.force_N : vec3_negate(contact->now.force_N);
        Vec3 torque = is_b ? contact->now.torque_b_N_m : contact->now.torque_a_N_m;
        real by = 0.0;
        for (u32 when = from; when < from + 2u; when++) {
            Vec3 velocity, spin;
            quasi_motion(view, b, s, when, &velocity, &spin);
            by += vec3_dot(force, velocity) + vec3_dot(torque, spin);
        }
        power += by;
        if (body_is_driven(view, b)) given -= by;
    }
    *out_given_W = 0.5 * given;
    return 0.5 * power;
}

/// What forces do between the middle of a step and the state that is reported, less what they did so in the step
/// before.
FN_ONCE void quasi_add_after_middle(const SceneView *view, GLOBAL Contact *contact, real s) {
    real after_middle_s = view->works[island_of(view, contact)].own.midpoint.trial_after_middle_s, given_W;
    ContactAfterMiddle after_middle, start = contact->start_after_middle;
    after_middle.impulse_N_s = vec3_scale(contact->now.force_N, after_middle_s);
    after_middle.work_J = after_middle_s * quasi_power(view, contact, s, QUASI_AT_END, &given_W);
    after_middle.given_J = after_middle_s * given_W;
    if (contact_is_load(contact)) after_middle.given_J = after_middle.work_J;
    if (contact_is_constraint(view, contact)) after_middle.given_J = after_middle_s * contact->given.now_W;
    contact->trial_after_middle = after_middle;
    contact->trial.impulse_N_s =
        vec3_add(contact->trial.impulse_N_s, vec3_sub(after_middle.impulse_N_s, start.impulse_N_s));
    real work = after_middle.work_J - start.work_J, given = after_middle.given_J - start.given_J;
    if (contact_is_quasi_rigid(view, contact)) contact->trial.loss_J -= work;
    if (contact_is_constraint(view, contact)) contact->trial.loss_J += given - work;
    if (scene_has_given(view)) contact->given.trial_J += given;
}

/// Impulses and losses of the step that has been solved. What this method itself takes from a spring is no loss of its
/// damper: the energy audit reports it.
FN_ONCE void quasi_add_transfer(const SceneView *view, GLOBAL Contact *contact, real s) {
    real given_W, per = quasi_per_kick(view, s), power = quasi_power(view, contact, s, QUASI_AT_START, &given_W);
    real given = given_W / per, work = power / per;
    contact->trial.impulse_N_s = vec3_scale(contact->now.force_N, 1.0 / per);
    contact->trial.loss_J = 0.0;
    if (contact_is_load(contact)) {
        given = work;
    } else if (contact_is_constraint(view, contact)) { // it knows what it gives
        given = contact->given.now_W / per;
        contact->trial.loss_J = given - work;
    } else if (contact_is_quasi_rigid(view, contact)) {
        contact->trial.loss_J = contact->step.quasi.start_stored_J - contact->step.quasi.stored_J - work;
    } else {
        contact->trial.loss_J = 0.5 * (contact->start.loss_W + contact->now.loss_W) / s;
    }
    if (scene_has_given(view)) contact->given.trial_J = given;
}

/// Forces of the step go on at the end of it: their moments are those of the poses there, so that these keep the moment
/// of momentum.
FN_ONCE void quasi_force_at_end(const SceneView *view, GLOBAL Contact *contact) {
    if (contact_is_constraint(view, contact)) {
        contact->step.constraint.is_held = 0;
        constraint_forces(view, contact, 0);
    }
    if (!contact_is_quasi_rigid(view, contact)) return;
    Vec3 twist = vec3_scale(contact->now.normal, contact->step.quasi.last.twist_N_m), force = contact->now.force_N,
         lever_b = contact->now.lever_b_m;
    Vec3 lever_a = pair_lever_a(view, contact, lever_b);
    contact->now.torque_b_N_m = vec3_add(vec3_cross(lever_b, force), twist);
    contact->now.torque_a_N_m = vec3_negate(vec3_add(vec3_cross(lever_a, force), twist));
}

/// A solved step of 1/s of SCENE_MIDPOINT: from its middle to its end.
FN_ONCE void quasi_go_to_end(const SceneView *view, real s) {
    ACTIVE_LOOP(c) quasi_force_at_end(view, &view->contacts[c]);
    coupling_sum_forces(view);
    quasi_find_all_after_middle(view, s);
    ACTIVE_LOOP(c) quasi_add_after_middle(view, &view->contacts[c], s);
    SCENE_BARRIER();
    quasi_report_all(view, s);
}

/// Bodies fall by their velocities at the end of a step of h, whose mean with those at its start gravity's work is at:
/// what is between both, J.
FN_ONCE real quasi_fallen(const SceneView *view, real h) {
    real sum = 0.0;
    EACH_MOVING(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL const BodyState *trial = &view->works[b].step.trial;
        Vec3 gained = vec3_sub(trial->velocity_m_per_s, view->states[b].velocity_m_per_s);
        real by = vec3_dot(scene_gravity(view, COPY(trial->position_m)), gained);
        sum = real_fma(0.5 * h * view->bodies[b].mass_kg, by, sum);
    }
    return sum;
}

#endif
