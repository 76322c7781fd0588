// Implicit steps of quasi-rigid bodies: everything that acts in a step, contact geometry included, is that of its end.
// kernels/integrate/README.md, "Quasi-rigid bodies". Unknowns of a body are its velocity v and its spin w in principal
// axes at the end of the step of h = 1/s; with the index 0 at its start
//
//   x = x0 + v/s,   Q = Q0 exp(w/s),   s (v - v0) = F/m,   s (I w - exp(-w/s) I w0) = torque in the axes of the end:
//
// angular momentum, not the gyroscopic term of the start, so that a free body keeps it. Closest points are unknowns of
// the method that this follows (law/quasi_law.h); here they are functions of the poses (pairs/pair_kinematics.h), whose
// derivatives are known (law/contact_jacobian.h): the same solutions with six unknowns a body. Multipliers of contacts
// and joints are unknowns that are eliminated, or change between iterations (quasi_rigid.h).
#ifndef CLACK_INTEGRATE_QUASI_EQUATIONS_H
#define CLACK_INTEGRATE_QUASI_EQUATIONS_H

#include "integrate/islands.h"
#include "integrate/motion.h"
#include "integrate/rodas.h"
#include "integrate/step_error.h"
#include "integrate/quasi_joints.h"
#include "integrate/quasi_matrix.h"
#include "integrate/quasi_midpoint.h"
#include "integrate/trapezoidal_matrix.h"
#include "joints/coupling.h"
#include "law/quasi_change.h"

#define QUASI_MET 1.0e-11 // of the conditions of contacts, as a velocity over that of the fastest body

/// The pose at the end of the step that follows from the velocities there.
FN_ONCE void quasi_place(const SceneView *view, u32 b, real s) {
    GLOBAL BodyState *trial = &view->works[b].step.trial;
    BodyState start = view->states[b];
    trial->position_m = vec3_add_scaled(start.position_m, trial->velocity_m_per_s, 1.0 / s);
    Quat turn = quat_exp(vec3_scale(trial->spin_rad_per_s, 1.0 / s));
    trial->orientation = quat_normalize(is_free_ball(view->bodies[b].flags) ? quat_multiply(turn, start.orientation)
                                                                            : quat_multiply(start.orientation, turn));
    if (!quasi_is_midpoint(view)) return;
    view->works[b].own.midpoint.axes = quat_multiply(start.orientation, quat_exp(quasi_rotation(view, b, s)));
}

/// Couplings in the trial states, and what they do to bodies. level, stage: QUASI_*.
FN_ONCE void quasi_evaluate_all(const SceneView *view, real s, u32 level, u32 stage) {
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_quasi_rigid(view, contact))
            quasi_evaluate(view, contact, s, stage);
        else if (contact_is_constraint(view, contact))
            quasi_evaluate_constraint(view, contact, level, stage);
        else
            coupling_evaluate(view, contact);
    }
    coupling_sum_forces(view);
}

/// The momentum before the step in the axes of the equations, over the inertia.
FN_SHORT Vec3 quasi_start_spin(const SceneView *view, u32 b, real s) {
    GLOBAL const Body *body = &view->bodies[b];
    Vec3 spin = quasi_spin_before(view, b);
    if (is_free_ball(body->flags)) return spin;
    Quat turn = quat_exp(quasi_rotation(view, b, s));
    return vec3_multiply(quat_rotate_back(turn, vec3_multiply(body->inertia_kg_m2, spin)), body->inverse_inertia);
}

/// Rates of a body from its couplings and gravity in the trial state, in the axes of the equations.
FN_SHORT BodyAcceleration quasi_accelerations(const SceneView *view, u32 b) {
    GLOBAL const BodyStep *step = &view->works[b].step;
    TrapezoidalRow of;
    of.along = step->force_N;
    of.turn = spin_from_world(view->bodies[b].flags, trapezoidal_axes(view, b), COPY(step->torque_N_m));
    of = trapezoidal_over_mass(view, b, of);
    BodyAcceleration by;
    by.acceleration = vec3_add(of.along, quasi_gravity(view, b));
    by.spin_rate = of.turn;
    return by;
}

/// What Newton's equations of a body are off by in the trial state: velocity and spin per time.
FN_SHORT BodyAcceleration quasi_residual(const SceneView *view, u32 b, real s) {
    GLOBAL const BodyState *trial = &view->works[b].step.trial;
    BodyAcceleration by = quasi_accelerations(view, b);
    real per = quasi_per_kick(view, s);
    Vec3 gained = vec3_sub(trial->velocity_m_per_s, quasi_velocity_before(view, b)),
         spun = vec3_sub(trial->spin_rad_per_s, quasi_start_spin(view, b, s));
    by.acceleration = vec3_add_scaled(by.acceleration, gained, 0.0 - per);
    by.spin_rate = vec3_add_scaled(by.spin_rate, spun, 0.0 - per);
    return by;
}

/// The same of all bodies: the sum of m a^2 + I w^2, whose root Newton's method is to lessen.
FN_ONCE real quasi_merit(const SceneView *view, real s) {
    real sum = 0.0;
    SCENE_BARRIER();
    EACH_MOVING(b) { // every item all of them, in this order
        if (!trapezoidal_takes(view, b)) continue;
        BodyAcceleration by = quasi_residual(view, b, s);
        Vec3 turned = vec3_multiply(by.spin_rate, view->bodies[b].inertia_kg_m2);
        sum = real_fma(view->bodies[b].mass_kg, vec3_dot(by.acceleration, by.acceleration), sum);
        sum += vec3_dot(turned, by.spin_rate);
    }
    SCENE_BARRIER(); // bodies change after it
    return sum;
}

/// Along the change of velocities that has been solved for: how much what is left of the equations would gain by more
/// of it. In a convex problem it falls with the share that is taken, to 0 at the least of its potential.
FN_ONCE real quasi_gain(const SceneView *view, real s) {
    real sum = 0.0;
    SCENE_BARRIER();
    EACH_MOVING(b) {
        if (!trapezoidal_takes(view, b)) continue;
        BodyAcceleration by = quasi_residual(view, b, s);
        GLOBAL const real *side = rodas_side(view, b);
        Vec3 turned = vec3_multiply(by.spin_rate, view->bodies[b].inertia_kg_m2);
        sum = real_fma(view->bodies[b].mass_kg, vec3_dot(by.acceleration, rodas_kept(side)), sum);
        sum += vec3_dot(turned, rodas_kept(side + 3));
    }
    SCENE_BARRIER();
    return sum;
}

/// What the equations of all bodies are off by, times `share`, into the right-hand sides.
FN_ONCE void quasi_take_residuals(const SceneView *view, real s, real share) {
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL real *side = rodas_side(view, b);
        BodyAcceleration by = quasi_residual(view, b, s);
        rodas_keep(side, vec3_scale(by.acceleration, share));
        rodas_keep(side + 3, vec3_scale(by.spin_rate, share));
    }
    SCENE_BARRIER();
}

/// Solve for the change of all velocities.
FN_ONCE void quasi_solve(const SceneView *view, real s) {
    quasi_take_residuals(view, s, 1.0);
    trapezoidal_solve(view);
}

/// A spin in principal axes, or its rate times a time, as a velocity: by the radius of gyration about each axis.
FN_SHORT real quasi_turning(const SceneView *view, u32 b, Vec3 spin) {
    Vec3 square = vec3_multiply(vec3_multiply(spin, spin), view->bodies[b].inertia_kg_m2);
    return real_sqrt(vec3_max_abs(square) * view->bodies[b].inverse_mass);
}

/// What a body's changes of velocity are measured by: its speed, and what its weight makes of it in a step.
FN_SHORT real quasi_speed(const SceneView *view, u32 b, real s) {
    GLOBAL const BodyState *trial = &view->works[b].step.trial;
    return vec3_max_abs(view->states[b].velocity_m_per_s) + vec3_max_abs(trial->velocity_m_per_s) +
           quasi_turning(view, b, COPY(trial->spin_rad_per_s)) +
           vec3_length(scene_gravity(view, COPY(trial->position_m))) / s;
}

/// Take `share` of that change more.
FN_ONCE void quasi_change_velocities(const SceneView *view, real s, real share) {
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL const real *side = rodas_side(view, b);
        GLOBAL BodyState *trial = &view->works[b].step.trial;
        trial->velocity_m_per_s = vec3_add_scaled(trial->velocity_m_per_s, rodas_kept(side), share);
        trial->spin_rad_per_s = vec3_add_scaled(trial->spin_rad_per_s, rodas_kept(side + 3), share);
        quasi_place(view, b, s);
    }
    SCENE_BARRIER();
}

/// The largest change of all of it, as a share of a body's speed and of what its weight makes of it in a step.
FN_ONCE real quasi_largest_change(const SceneView *view, real s) {
    real most = 0.0;
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL const real *side = rodas_side(view, b);
        GLOBAL const BodyState *trial = &view->works[b].step.trial;
        real speed = quasi_speed(view, b, s);
        real faster = vec3_max_abs(rodas_kept(side)) + quasi_turning(view, b, rodas_kept(side + 3));
        // Places far from the origin are not resolved more finely, and gaps neither.
        real resolved = 4.0e-16 * s * vec3_max_abs(trial->position_m);
        real change = real_max(0.0, faster - resolved) / (speed + SPEED_FLOOR_M_PER_S * SPEED_FLOOR_M_PER_S);
        most = change <= REAL_HUGE ? real_max(most, change) : REAL_HUGE;
    }
    SCENE_BARRIER();
    return scene_max(view, most);
}

/// What Newton's equations are off by at most, as a change of velocity in the step, as a share as above.
FN_ONCE real quasi_off(const SceneView *view, real s) {
    real most = 0.0;
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        BodyAcceleration by = quasi_residual(view, b, s);
        real off = (vec3_max_abs(by.acceleration) + quasi_turning(view, b, by.spin_rate)) / quasi_per_kick(view, s);
        real share = off / (quasi_speed(view, b, s) + SPEED_FLOOR_M_PER_S * SPEED_FLOOR_M_PER_S);
        most = share <= REAL_HUGE ? real_max(most, share) : REAL_HUGE;
    }
    SCENE_BARRIER();
    return scene_max(view, most);
}

/// Change of a body, at the end of the step, with that of its velocity and spin that has been solved for; none if it is
/// not stepped.
FN_ONCE BodyChange quasi_moved(const SceneView *view, u32 b, real s) {
    BodyChange change = jacobian_body_unchanged();
    if (!body_is_stepped(view, b)) return change;
    GLOBAL const real *side = rodas_side(view, b);
    GLOBAL const BodyState *trial = &view->works[b].step.trial;
    u32 flags = view->bodies[b].flags;
    Vec3 axis = spin_to_world(flags, COPY(trial->orientation), rodas_kept(side + 3));
    Vec3 spin = spin_to_world(flags, COPY(trial->orientation), COPY(trial->spin_rad_per_s));
    change.velocity_m_per_s = rodas_kept(side);
    change.shift_m = vec3_scale(change.velocity_m_per_s, 1.0 / s);
    change.spin_rad_per_s = axis;
    if (is_free_ball(flags)) return change; // no contact depends on its rotation
    change.turn = vec3_scale(quat_exp_change(vec3_scale(spin, 1.0 / s), axis), 1.0 / s);
    change.spin_rad_per_s = vec3_add(axis, vec3_cross(change.turn, spin));
    return change;
}

/// What a contact's unknown multipliers change by with the change of all velocities that has been solved for.
FN_ONCE QuasiResponse quasi_response(const SceneView *view, GLOBAL const Contact *contact, real s) {
    QuasiNumbers of = quasi_numbers(view, contact, s);
    QuasiResponse sum;
    sum.gap_m = sum.normal_N = sum.turn = 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) sum.force[k] = 0.0;
    QuasiMotions motions;
    BodyChange by[2];
    for (u32 i = 0; i < 2; i++) {
        u32 b = i ? contact->pair.body_b : contact->pair.body_a;
        by[i] = quasi_moved(view, b, s);
        if (!body_is_stepped(view, b)) continue;
        motions.kind = i ? QUASI_TURNS_B : QUASI_TURNS_A;
        motions.pose = column_vec_same(by[i].turn);
        motions.rate = column_vec_same(by[i].spin_rad_per_s);
        quasi_respond(&contact->step.quasi, &of, &motions, &sum);
    }
    motions.kind = QUASI_SHIFTS;
    motions.pose = column_vec_same(vec3_sub(by[1].shift_m, by[0].shift_m));
    motions.rate = column_vec_same(vec3_sub(by[1].velocity_m_per_s, by[0].velocity_m_per_s));
    quasi_respond(&contact->step.quasi, &of, &motions, &sum);
    return sum;
}

/// Unknown multipliers after this share of the change of all velocities that has been solved for.
FN_ONCE void quasi_change_all_multipliers(const SceneView *view, real s, real share) {
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact)) {
            BodyChange a = quasi_moved(view, contact->pair.body_a, s), b = quasi_moved(view, contact->pair.body_b, s);
            quasi_change_rows(&contact->step.constraint, &a, &b, share);
        } else if (contact_is_quasi_rigid(view, contact) && !quasi_is_idle(&contact->step.quasi)) {
            QuasiResponse by = quasi_response(view, contact, s);
            quasi_change_multipliers(&contact->step.quasi, &by, share);
        }
    }
    SCENE_BARRIER();
}

/// What the linear equations have for unknown multipliers where bodies do not change acts on the bodies.
FN_ONCE void quasi_apply_all_next_forces(const SceneView *view) {
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_quasi_rigid(view, contact)) quasi_apply_next_force(view, contact);
        if (contact_is_constraint(view, contact)) constraint_forces(view, contact, 1);
    }
    coupling_sum_forces(view);
}

/// The greatest velocity of a body, m/s: what shares of a change refer to.
FN_ONCE real quasi_fastest(const SceneView *view, real s) {
    real most = 0.0;
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b)) most = real_max(most, quasi_speed(view, b, s));
    }
    SCENE_BARRIER();
    return scene_max(view, most);
}

/// How far contacts are from their conditions at most, as a share of the greatest velocity.
FN_ONCE real quasi_violation_of_all(const SceneView *view, real s) {
    real most = 0.0;
    ACTIVE_LOOP(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact))
            most = real_max(most, s * quasi_constraint_violation(&contact->step.constraint));
        if (!contact_is_quasi_rigid(view, contact)) continue;
        QuasiViolation by = quasi_violation(view, contact, s);
        real worst = by.gap_m_per_s + by.slip_m_per_s;
        most = worst <= REAL_HUGE ? real_max(most, real_max(by.gap_m_per_s, by.slip_m_per_s)) : REAL_HUGE;
    }
    SCENE_BARRIER();
    return scene_max(view, most) / (quasi_fastest(view, s) + SPEED_FLOOR_M_PER_S * SPEED_FLOOR_M_PER_S);
}

/// Multipliers become the forces that they have made; penalties of those contacts grow that have hardly come nearer to
/// their conditions since the last time. enough: what violations may be, as a share of the greatest velocity;
/// REAL_HUGE: penalties do not grow now, nor by a comparison with this time.
FN_ONCE void quasi_update(const SceneView *view, real s, u32 level, real enough) {
    real least = enough < REAL_HUGE ? enough * quasi_fastest(view, s) : REAL_HUGE;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact)) quasi_evaluate_constraint(view, contact, level, QUASI_AGAIN);
        if (!contact_is_quasi_rigid(view, contact)) continue;
        u32 which = quasi_judge(view, contact, s, least);
        // One call for both: what leads to the narrow phase is compiled for each.
        for (u32 stage = QUASI_AGAIN + 1u; stage-- > QUASI_FIRST;) {
            quasi_evaluate(view, contact, s, stage);
            if (which == 0) break;
            if (stage == QUASI_AGAIN) quasi_raise(contact, which);
        }
    }
    coupling_sum_forces(view);
}

#endif
