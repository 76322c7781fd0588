// How contacts of quasi-rigid bodies change with these: force and torques for columns of the matrix of Newton's method,
// and multipliers where they are unknowns (quasi_dual.h).
#ifndef CLACK_LAW_QUASI_CHANGE_H
#define CLACK_LAW_QUASI_CHANGE_H

#include "law/contact_jacobian_columns.h"
#include "law/quasi_contact.h"

/// The normal and the levers of the force,
FN_SHORT QuasiHeld quasi_force_geometry(GLOBAL const QuasiContact *quasi) {
    QuasiHeld of = quasi->held;
    if (quasi->is_held) return of;
    of.normal = quasi->geometry.normal;
    of.lever_a_m = quasi->geometry.lever_a_m;
    of.lever_b_m = quasi->geometry.lever_b_m;
    return of;
}

/// and those of the slip.
FN_SHORT QuasiHeld quasi_slip_geometry(GLOBAL const QuasiContact *quasi) {
    QuasiHeld of = quasi_force_geometry(quasi);
    if (!quasi->is_held || quasi->level == QUASI_FROZEN) return of;
    of.lever_a_m = quasi_slip_lever(of.lever_a_m, COPY(quasi->geometry.lever_a_m));
    of.lever_b_m = quasi_slip_lever(of.lever_b_m, COPY(quasi->geometry.lever_b_m));
    return of;
}

/// Has a contact no force at the present evaluation, and none after a small motion of its bodies either? Then it is in
/// no equation.
FN_SHORT u32 quasi_is_idle(GLOBAL const QuasiContact *quasi) {
    GLOBAL const QuasiState *last = &quasi->last, *next = &quasi->next;
    GLOBAL const QuasiSlopes *slopes = &quasi->slopes;
    u32 changes = slopes->normal_slope_N_per_m != 0.0 || slopes->by_slip[0][0] != 0.0 || slopes->by_slip[2][2] != 0.0,
        acts = last->normal_N != 0.0 || last->core_N != 0.0 || last->twist_N_m != 0.0 || next->normal_N != 0.0;
    return changes | acts || vec3_max_abs(last->friction_N) > 0.0 || vec3_max_abs(next->friction_N) > 0.0 ? 0u : 1u;
}

/// The geometry's derivatives at the present evaluation.
FN_WAY void quasi_derive(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    contact_derive_place(view, contact);
    if (quasi->level != QUASI_FROZEN) contact_derive_geometry(view, contact);
    if (!quasi->is_held) return;
    QuasiHeld of = quasi_slip_geometry(quasi);
    quasi->geometry.velocity_m_per_s = quasi_velocity(view, contact, of.lever_a_m, of.lever_b_m);
}

// Motions of the bodies of a contact, as columns: shifts of B, of which those of A do the opposite, with velocities; or
// turns of A or of B with changes of the spin.
#define QUASI_SHIFTS 0u
#define QUASI_TURNS_A 1u
#define QUASI_TURNS_B 2u

typedef struct QuasiMotions {
    u32 kind; // one of these
    ColumnVec pose, rate;
} QuasiMotions;

// First-order changes of a contact with these.
typedef struct QuasiMove {
    ColumnMove move;
    ColumnVec lever_a_m, lever_b_m;
    Vec3 axes[2];
    Columns turn; // of the axes about the normal, beside what they turn with it
    Columns normal_N, force[FRICTION_AXES];
} QuasiMove;

/// Gap, normal, point and levers. Returns the change of B's velocity against A; of levers that are held half of their
/// change counts.
FN_ONCE ColumnVec quasi_move_geometry(GLOBAL const QuasiContact *quasi, const QuasiHeld *of_slip,
                                      const QuasiMotions *motions, QuasiMove *by) {
    GLOBAL const ContactJacobian *s = &quasi->geometry;
    ColumnVec none = column_vec_zero(), velocity = motions->rate;
    by->move.normal = by->move.point_m = by->lever_a_m = by->lever_b_m = none;
    by->move.gap_m = columns_zero();
    u32 is_shift = motions->kind == QUASI_SHIFTS ? 1u : 0u, is_b = motions->kind == QUASI_TURNS_B ? 1u : 0u;
    if (!is_shift) {
        velocity = column_vec_crossed(COPY(motions->rate), is_b ? of_slip->lever_b_m : of_slip->lever_a_m);
        if (!is_b) velocity = column_vec_negate(velocity);
    }
    if (quasi->level == QUASI_FROZEN) return velocity;
    if (is_shift)
        columns_move_apart(s, &motions->pose, &by->move);
    else if (contact_depends_on_attitude(s))
        columns_move_turned(s, is_b, &motions->pose, &by->move);
    by->lever_a_m = by->move.point_m;
    by->lever_b_m = is_shift ? column_vec_sub(COPY(by->move.point_m), COPY(motions->pose)) : by->move.point_m;
    ColumnVec moved = column_vec_sub(column_vec_cross(COPY(s->spin_b_rad_per_s), COPY(by->lever_b_m)),
                                     column_vec_cross(COPY(s->spin_a_rad_per_s), COPY(by->lever_a_m)));
    velocity = column_vec_add_scaled(velocity, moved, quasi->is_held ? 0.5 : 1.0);
    if (quasi->is_held) by->move.normal = by->lever_a_m = by->lever_b_m = none; // those of the force stay
    return velocity;
}

/// By how much the axes of friction turn about the normal beside what they turn with it, and what that changes of the
/// slips along them, and of stretches and multipliers, as slips that do the same.
FN_SHORT void quasi_turn_axes(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of, Vec3 normal, u32 turns_axes,
                              const QuasiMotions *motions, QuasiMove *by, Columns *slip) {
    real across = vec3_dot(by->axes[0], of->axis), along = vec3_dot(normal, of->axis);
    by->turn = columns_zero();
    if (!(across * across > FRICTION_ALONG_NORMAL)) return; // there is none, as friction_axes has it
    Columns turn = columns_scale(column_vec_dot(COPY(by->axes[1]), COPY(by->move.normal)), 0.0 - along);
    if (turns_axes)
        turn = columns_add(turn,
                           column_vec_dot(COPY(by->axes[1]), column_vec_crossed(COPY(motions->pose), COPY(of->axis))));
    by->turn = columns_scale(turn, 1.0 / across);
    real dash = real_fma(of->layer.shear_damping, of->s, of->layer.shear_stiffness);
    Vec3 slides = quasi->geometry.velocity_m_per_s;
    if (dash > 0.0) slides = vec3_add_scaled(slides, quasi->start.stretch_m, of->s * of->layer.shear_stiffness / dash);
    for (u32 k = 0; k < 2; k++) {
        real per_slip = of->e[k] * of->e[k] * of->slip_penalty_N_s_per_m[k];
        Vec3 slips = slides;
        if (quasi->level != QUASI_UNKNOWN && per_slip > 0.0)
            slips = vec3_add_scaled(slips, quasi->last.friction_N, -1.0 / per_slip);
        real by_turn = vec3_dot(by->axes[1u - k], slips);
        slip[k] = columns_add_scaled(slip[k], by->turn, k == 0 ? by_turn : 0.0 - by_turn);
    }
}

/// of: as at the evaluation.
FN_ONCE void quasi_move(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of, const QuasiMotions *motions,
                        QuasiMove *by) {
    GLOBAL const ContactJacobian *s = &quasi->geometry;
    GLOBAL const QuasiSlopes *slopes = &quasi->slopes;
    QuasiHeld of_slip = quasi_slip_geometry(quasi);
    ColumnVec velocity = quasi_move_geometry(quasi, &of_slip, motions, by);
    Vec3 n = of_slip.normal, spin = vec3_sub(s->spin_b_rad_per_s, s->spin_a_rad_per_s);
    if (quasi->level == QUASI_FROZEN) by->move.gap_m = columns_scale(column_vec_dot(n, velocity), 1.0 / of->s);
    real along = vec3_dot(n, s->velocity_m_per_s);
    Columns slip[FRICTION_AXES];
    by->normal_N = columns_scale(COPY(by->move.gap_m), 0.0 - slopes->normal_slope_N_per_m);
    by->axes[0] = slopes->axis;
    by->axes[1] = vec3_cross(n, by->axes[0]);
    // Axes across the normal go with it: d(axis) = -n (dn . axis).
    ColumnVec slides = column_vec_add_scaled(velocity, COPY(by->move.normal), 0.0 - along);
    for (u32 k = 0; k < 2; k++) slip[k] = column_vec_dot(COPY(by->axes[k]), slides);
    slip[2] = column_vec_dot(spin, COPY(by->move.normal));
    if (motions->kind != QUASI_SHIFTS) {
        Columns spins = column_vec_dot(n, COPY(motions->rate));
        slip[2] = motions->kind == QUASI_TURNS_B ? columns_add(slip[2], spins) : columns_sub(slip[2], spins);
    }
    u32 turns_axes = motions->kind == (of->axis_is_of_a ? QUASI_TURNS_A : QUASI_TURNS_B) ? 1u : 0u;
    quasi_turn_axes(quasi, of, n, turns_axes, motions, by, slip);
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        by->force[k] = columns_scale(COPY(by->normal_N), slopes->by_normal[k]);
        for (u32 j = 0; j < FRICTION_AXES; j++)
            by->force[k] = columns_add_scaled(COPY(by->force[k]), slip[j], slopes->by_slip[k][j]);
    }
}

/// The forces that turn with the bodies in the matrix: without those of penalties, which are large where an iterate is
/// far off.
FN_SHORT GLOBAL const QuasiState *quasi_holding(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of) {
    return of->layer.has_layer && quasi->level != QUASI_UNKNOWN ? &quasi->next : &quasi->last;
}

/// First-order changes of force and torques. of: as at the evaluation; holds: the forces that turn with the bodies.
FN_ONCE void quasi_change(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of, GLOBAL const QuasiState *holds,
                          const QuasiMotions *motions, ColumnChange *change) {
    QuasiMove by;
    quasi_move(quasi, of, motions, &by);
    Vec3 n = quasi_force_geometry(quasi).normal, held = vec3_add_scaled(holds->friction_N, n, holds->normal_N);
    ColumnVec across = column_vec_add_along(column_vec_along(by.force[0], by.axes[0]), by.force[1], by.axes[1]);
    across = column_vec_add_along(across, by.turn, vec3_cross(n, holds->friction_N));
    Columns along = columns_sub(by.normal_N, column_vec_dot(COPY(holds->friction_N), by.move.normal));
    change->force_N = column_vec_add_scaled(column_vec_add_along(across, along, n), by.move.normal, holds->normal_N);
    change->torque_N_m = column_vec_add_scaled(column_vec_along(by.force[2], n), by.move.normal, holds->twist_N_m);
    change->moved_torque_a_N_m = column_vec_crossed(by.lever_a_m, held);
    change->moved_torque_b_N_m = column_vec_crossed(by.lever_b_m, held);
}

// What unknown multipliers change by.
typedef struct QuasiResponse {
    real gap_m, normal_N, turn, force[FRICTION_AXES];
} QuasiResponse;

/// Add that of the first of these motions.
FN_ONCE void quasi_respond(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of, const QuasiMotions *motions,
                           QuasiResponse *sum) {
    QuasiMove by;
    quasi_move(quasi, of, motions, &by);
    sum->gap_m += columns_first(by.move.gap_m);
    sum->normal_N += columns_first(by.normal_N);
    sum->turn += columns_first(by.turn);
    for (u32 k = 0; k < FRICTION_AXES; k++) sum->force[k] += columns_first(by.force[k]);
}

/// Unknown multipliers after this share of the changes of both bodies that have been solved for.
FN_ONCE void quasi_change_multipliers(GLOBAL QuasiContact *quasi, const QuasiResponse *by, real share) {
    GLOBAL const QuasiState *next = &quasi->next;
    GLOBAL QuasiState *last = &quasi->last;
    Vec3 n = quasi_force_geometry(quasi).normal, axis = quasi->slopes.axis;
    real keeps = 1.0 - share, core_N = real_fma(0.0 - quasi->slopes.core_slope_N_per_m, by->gap_m, next->core_N);
    Vec3 across = vec3_add_scaled(vec3_scale(axis, by->force[0]), vec3_cross(n, axis), by->force[1]);
    across = vec3_add_scaled(across, vec3_cross(n, next->friction_N), by->turn);
    across = vec3_scale(vec3_add(next->friction_N, across), share);
    last->friction_N = vec3_add_scaled(across, last->friction_N, keeps);
    last->twist_N_m = share * (next->twist_N_m + by->force[2]) + keeps * last->twist_N_m;
    last->normal_N = share * real_max(0.0, next->normal_N + by->normal_N) + keeps * last->normal_N;
    last->core_N = share * real_max(0.0, core_N) + keeps * last->core_N;
}

/// What the linear equations have for unknown multipliers where bodies do not change is the force.
FN_SHORT void quasi_apply_next_force(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const QuasiContact *quasi = &contact->step.quasi;
    GLOBAL const QuasiState *next = &quasi->next;
    u32 is_held = quasi->is_held;
    Vec3 n = is_held ? quasi->held.normal : contact->now.normal,
         lever_b = is_held ? quasi->held.lever_b_m : contact->now.lever_b_m;
    Vec3 lever_a = pair_lever_a(view, contact, lever_b);
    if (is_held) lever_a = quasi->held.lever_a_m;
    Vec3 force = vec3_add_scaled(next->friction_N, n, next->normal_N), twist = vec3_scale(n, next->twist_N_m);
    contact->now.force_N = force;
    contact->now.torque_b_N_m = vec3_add(vec3_cross(lever_b, force), twist);
    contact->now.torque_a_N_m = vec3_negate(vec3_add(vec3_cross(lever_a, force), twist));
}

#endif
