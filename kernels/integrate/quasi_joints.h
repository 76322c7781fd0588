// Joints that constrain, in the implicit steps of quasi-rigid bodies (quasi_equations.h): their equations hold at the
// end of the step, by multipliers as contacts have them.
#ifndef CLACK_INTEGRATE_QUASI_JOINTS_H
#define CLACK_INTEGRATE_QUASI_JOINTS_H

#include "integrate/trapezoidal.h"
#include "law/quasi_contact.h"

/// Multipliers become the forces that they have made: none where a row has no force.
FN_ONCE void quasi_grow_multipliers(GLOBAL JointConstraint *constraint) {
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        row->multiplier =
            constraint_is_inactive(constraint, i) ? 0.0 : real_fma(row->penalty, row->phi, row->multiplier);
    }
}

/// Equations and forces in the trial states at the end of a step; level, stage: QUASI_*.
FN_ONCE void quasi_evaluate_constraint(const SceneView *view, GLOBAL Contact *contact, u32 level, u32 stage) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    constraint_take_rows(view, contact);
    if (stage == QUASI_AGAIN) quasi_grow_multipliers(constraint);
    (void)trapezoidal_mark_inactive(constraint, TRAPEZOIDAL_AGAIN, 0.0);
    constraint_forces(view, contact, stage == QUASI_GUESS || level == QUASI_UNKNOWN ? 0u : 1u);
    if (stage == QUASI_END) quasi_grow_multipliers(constraint); // the force is that of the next ones
}

/// Unknown multipliers after this share of the changes of both bodies that have been solved for.
FN_ONCE void quasi_change_rows(GLOBAL JointConstraint *constraint, const BodyChange *a, const BodyChange *b,
                               real share) {
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        real phi = row->phi + constraint_rate(row, vec3_sub(b->shift_m, a->shift_m), COPY(a->turn), COPY(b->turn));
        row->multiplier = constraint_is_inactive(constraint, i) ? (1.0 - share) * row->multiplier
                                                                : real_fma(share * row->penalty, phi, row->multiplier);
    }
}

/// How far multipliers are from those that they would become, over their penalties, m or rad: of unilateral rows that
/// is also what a row that carries is short of its end.
FN_ONCE real quasi_constraint_violation(GLOBAL const JointConstraint *constraint) {
    real worst = 0.0;
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL const ConstraintRow *row = &constraint->rows[i];
        real off = row->phi;
        if (constraint_is_inactive(constraint, i)) off = row->penalty > 0.0 ? row->multiplier / row->penalty : 0.0;
        worst = real_max(worst, real_abs(off));
    }
    return worst;
}

/// A step begins, in the states of the start: forces will have the derivatives of these.
FN_ONCE void quasi_hold_constraint(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    constraint_take_rows(view, contact);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL const ConstraintRow *row = &constraint->rows[i];
        constraint->own.held[i].along = row->along;
        constraint->own.held[i].turn_a = row->turn_a;
        constraint->own.held[i].turn_b = row->turn_b;
    }
    constraint->is_held = 1;
}

/// A step of 1/s that ends at `time` begins: in the trial states, which are predicted. is_resumed: 1, multipliers stay.
/// Steps of second order begin without forces: those of the step before do nothing together where equations are
/// redundant, but were found for other places of the bodies. Here they push, penalties of what that violates add to
/// them, and by a few thousand times (h w)^2 they would grow in each step.
FN_ONCE void quasi_begin_constraint(const SceneView *view, GLOBAL Contact *contact, real s, real time, u32 level,
                                    u32 is_resumed) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    if (!is_resumed) constraint_rewind(constraint);
    trapezoidal_drive(view, contact, time, 1.0 / s);
    u32 is_new = level > QUASI_WARM || (!is_resumed && scheme_is_midpoint(view->scene->flags)) ? 1u : 0u;
    for (u32 i = 0; i < CONSTRAINT_ROWS_MOST && is_new; i++) constraint->rows[i].multiplier = 0.0;
    constraint_take_rows(view, contact);
    trapezoidal_weigh(view, contact, s, TRAPEZOIDAL_PENALTY);
    constraint->inactive = 0;
}

#endif
