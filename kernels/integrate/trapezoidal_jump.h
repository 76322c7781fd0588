// What constraints give and take in a trapezoidal step (trapezoidal.h), and steps in which rates jump: a rope that
// tautens, a limit that is met, a winch that starts or stops from one moment to the next. Such a jump is an impact
// without rebound. With P the impulse of a row in Newton's method, p that of the projection of velocities and r the
// rate J u at the start of the step, before the projection and after it, it takes the energy P (r0 + r1)/2 + p (r1 +
// r2)/2.
#ifndef CLACK_INTEGRATE_TRAPEZOIDAL_JUMP_H
#define CLACK_INTEGRATE_TRAPEZOIDAL_JUMP_H

#include "joints/coupling.h"
#include "integrate/trapezoidal_projection.h"

// A rate over time jumps within a step if its change differs by this share of it from that by the second derivatives.
#define TRAPEZOIDAL_KINK 1.0e-3
#define TRAPEZOIDAL_JUMP 1.0e-9 // of the rate of an equation when a scene begins, as a share of its terms

/// Motion of the bodies of a constraint in one set of states.
FN_SHORT TrapezoidalMotion trapezoidal_motion_of(const SceneView *view, GLOBAL const Contact *contact, u32 is_trial) {
    TrapezoidalMotion motion;
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    motion.velocity = motion.spin_a = motion.spin_b = vec3_zero();
    if (body_is_stepped(view, a)) {
        BodyState state = is_trial ? view->works[a].step.trial : view->states[a];
        motion.velocity = vec3_negate(state.velocity_m_per_s);
        motion.spin_a = spin_to_world(view->bodies[a].flags, state.orientation, state.spin_rad_per_s);
    }
    if (body_is_stepped(view, b)) {
        BodyState state = is_trial ? view->works[b].step.trial : view->states[b];
        motion.velocity = vec3_add(motion.velocity, state.velocity_m_per_s);
        motion.spin_b = spin_to_world(view->bodies[b].flags, state.orientation, state.spin_rad_per_s);
    }
    return motion;
}

FN_SHORT real trapezoidal_rate_of(GLOBAL const ConstraintRow *row, TrapezoidalMotion motion) {
    return constraint_rate(row, motion.velocity, motion.spin_a, motion.spin_b);
}

/// Rows of a scene that begins whose rates do not keep them: they jump in the first step.
FN_ONCE void trapezoidal_begin_jumps(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion now = trapezoidal_motion_of(view, contact, 0);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL const ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_inactive(constraint, i)) continue;
        real terms = vec3_length(now.velocity) * vec3_length(row->along) +
                     vec3_length(now.spin_a) * vec3_length(row->turn_a) +
                     vec3_length(now.spin_b) * vec3_length(row->turn_b) + real_abs(row->drift);
        if (real_abs(trapezoidal_rate_of(row, now) + row->drift) > TRAPEZOIDAL_JUMP * terms)
            constraint->start_jumps |= 1u << i;
    }
}

/// Before a step of h to `time`: what is given over time at its end, and whether its rate jumps in between or, when the
/// scene begins, at the start.
FN_ONCE void trapezoidal_drive(const SceneView *view, GLOBAL Contact *contact, real time, real h) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    GLOBAL const Joint *joint = joint_of(view, contact);
    u32 is_driven = joint->kind == JOINT_DISTANCE || joint->flags & JOINT_IS_DRIVEN ? 1u : 0u;
    constraint->jumps = constraint->start_jumps;
    if (!is_driven) return;
    TimeValue start = constraint_drive(view, joint, time - h), end = constraint_drive(view, joint, time);
    real off = real_abs(end.rate - start.rate - 0.5 * h * (start.second_derivative + end.second_derivative));
    constraint->drive = end;
    // A second derivative that jumps makes it half of the first of these at most.
    if (off > h * (real_abs(start.second_derivative) + real_abs(end.second_derivative)) &&
        off > TRAPEZOIDAL_KINK * real_max(real_abs(start.rate), real_abs(end.rate)))
        constraint->jumps |= 1u << (constraint->count - 1u);
}

/// After Newton's method: unilateral rows that carry, and did not at the start.
FN_SHORT void trapezoidal_mark_tautened(GLOBAL Contact *contact) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    constraint->jumps |= constraint->unilateral & constraint->start_inactive & ~constraint->inactive;
}

/// The impulse of a constraint and what jumps of its rates have taken in the step of h = 2/s, whose velocities have
/// been projected but not replaced yet.
FN_ONCE void trapezoidal_add_transfer(const SceneView *view, GLOBAL Contact *contact, real s) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion start = trapezoidal_motion_of(view, contact, 0), middle = trapezoidal_motion_of(view, contact, 1);
    TrapezoidalMotion end = trapezoidal_motion(view, contact, TRAPEZOIDAL_NOW);
    Vec3 impulse = vec3_scale(contact->start.force_N, 1.0 / s);
    real lost = 0.0;
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        real given = (constraint->start_multiplier[i] + row->multiplier) / s, rate = trapezoidal_rate_of(row, middle);
        impulse = vec3_add_scaled(impulse, row->along, 0.0 - (row->multiplier / s + row->impulse));
        if (constraint->jumps >> i & 1u) {
            lost += 0.5 * given * (trapezoidal_rate_of(row, start) + rate);
            lost += 0.5 * row->impulse * (rate + trapezoidal_rate_of(row, end));
        }
        if (constraint_is_inactive(constraint, i)) row->multiplier = 0.0;
    }
    contact->trial.impulse_N_s = impulse;
    contact->trial.loss_J = lost;
    contact->given.trial_J = 0.0; // a jump takes it all together
}

#endif
