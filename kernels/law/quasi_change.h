// How contacts of quasi-rigid bodies change with these: force and torques for the matrix of Newton's method, and
// multipliers where they are unknowns (quasi_dual.h).
#ifndef CLACK_LAW_QUASI_CHANGE_H
#define CLACK_LAW_QUASI_CHANGE_H

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

/// The geometry's derivatives at the present evaluation.
FN_WAY void quasi_derive(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    contact_derive_place(view, contact);
    if (quasi->level != QUASI_FROZEN) contact_derive_geometry(view, contact);
    if (!quasi->is_held) return;
    QuasiHeld of = quasi_slip_geometry(quasi);
    quasi->geometry.velocity_m_per_s = quasi_velocity(view, contact, of.lever_a_m, of.lever_b_m);
}

/// By how much the axes of friction turn about the normal beside what they turn with it.
FN_SHORT real quasi_axes_turn(const QuasiNumbers *of, const Vec3 *axes, Vec3 normal, Vec3 normal_change, Vec3 turn) {
    real across = vec3_dot(axes[0], of->axis), along = vec3_dot(normal, of->axis);
    if (!(across * across > FRICTION_ALONG_NORMAL)) return 0.0; // there is none, as friction_axes has it
    return (vec3_dot(axes[1], vec3_cross(turn, of->axis)) - along * vec3_dot(axes[1], normal_change)) / across;
}

/// What that changes of the slips along them, and of stretches and multipliers, as slips that do the same.
FN_SHORT void quasi_turn_slips(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of, const Vec3 *axes,
                               Vec3 velocity, real turn, real *slip) {
    Vec3 stretch = quasi->start.stretch_m, star = quasi->last.friction_N;
    for (u32 k = 0; k < 2; k++) {
        Vec3 by = vec3_scale(axes[1 - k], k == 0 ? turn : 0.0 - turn);
        real dash = real_fma(of->layer.shear_damping, of->s, of->layer.shear_stiffness);
        slip[k] += vec3_dot(velocity, by);
        if (dash > 0.0) slip[k] += of->s * of->layer.shear_stiffness / dash * vec3_dot(stretch, by);
        real per_slip = of->e[k] * of->e[k] * of->slip_penalty_N_s_per_m[k];
        if (quasi->level != QUASI_UNKNOWN && per_slip > 0.0) slip[k] -= vec3_dot(star, by) / per_slip;
    }
}

// First-order changes of a contact with its bodies.
typedef struct QuasiMove {
    ContactMove move;
    Vec3 lever_a_m, lever_b_m, axes[2];
    real turn; // of the axes about the normal
    real normal_N, force[FRICTION_AXES];
} QuasiMove;

/// of: as at the evaluation.
FN_SHORT QuasiMove quasi_move(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of, const BodyChange *a,
                              const BodyChange *b) {
    GLOBAL const ContactJacobian *s = &quasi->geometry;
    GLOBAL const QuasiSlopes *slopes = &quasi->slopes;
    u32 is_frozen = quasi->level == QUASI_FROZEN ? 1u : 0u;
    QuasiHeld of_slip = quasi_slip_geometry(quasi);
    QuasiMove by;
    by.lever_a_m = by.lever_b_m = vec3_zero();
    if (!is_frozen) {
        by.move = contact_move(s, a, b);
        by.lever_a_m = vec3_sub(by.move.point_m, a->shift_m);
        by.lever_b_m = vec3_sub(by.move.point_m, b->shift_m);
    }
    real share = quasi->is_held ? 0.5 : 1.0; // of a slip
    Vec3 n = of_slip.normal, u = s->velocity_m_per_s;
    Vec3 d_at_a =
        vec3_add(a->velocity_m_per_s, vec3_add(vec3_cross(a->spin_rad_per_s, of_slip.lever_a_m),
                                               vec3_cross(s->spin_a_rad_per_s, vec3_scale(by.lever_a_m, share))));
    Vec3 d_at_b =
        vec3_add(b->velocity_m_per_s, vec3_add(vec3_cross(b->spin_rad_per_s, of_slip.lever_b_m),
                                               vec3_cross(s->spin_b_rad_per_s, vec3_scale(by.lever_b_m, share))));
    if (quasi->is_held) by.move.normal = by.lever_a_m = by.lever_b_m = vec3_zero(); // those of the force stay
    Vec3 d_u = vec3_sub(d_at_b, d_at_a), spin = vec3_sub(s->spin_b_rad_per_s, s->spin_a_rad_per_s);
    if (is_frozen) by.move.gap_m = vec3_dot(n, d_u) / of->s;
    real along = vec3_dot(n, u), slip[FRICTION_AXES];
    by.normal_N = 0.0 - slopes->normal_slope_N_per_m * by.move.gap_m;
    by.axes[0] = slopes->axis;
    by.axes[1] = vec3_cross(n, by.axes[0]);
    // Axes across the normal go with it: d(axis) = -n (dn . axis).
    for (u32 k = 0; k < 2; k++) slip[k] = vec3_dot(d_u, by.axes[k]) - along * vec3_dot(by.move.normal, by.axes[k]);
    slip[2] = vec3_dot(vec3_sub(b->spin_rad_per_s, a->spin_rad_per_s), n) + vec3_dot(spin, by.move.normal);
    by.turn = quasi_axes_turn(of, by.axes, n, by.move.normal, of->axis_is_of_a ? a->turn : b->turn);
    if (by.turn != 0.0) quasi_turn_slips(quasi, of, by.axes, u, by.turn, slip);
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        by.force[k] = slopes->by_normal[k] * by.normal_N;
        for (u32 j = 0; j < FRICTION_AXES; j++) by.force[k] = real_fma(slopes->by_slip[k][j], slip[j], by.force[k]);
    }
    return by;
}

/// The forces that turn with the bodies in the matrix: without those of penalties, which are large where an iterate is
/// far off.
FN_SHORT GLOBAL const QuasiState *quasi_holding(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of) {
    return of->layer.has_layer && quasi->level != QUASI_UNKNOWN ? &quasi->next : &quasi->last;
}

/// First-order change of force and torques for changes of both bodies. of: as at the evaluation; holds: the forces
/// that turn with the bodies.
FN_ONCE ContactChange quasi_change(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of,
                                   GLOBAL const QuasiState *holds, const BodyChange *a, const BodyChange *b) {
    QuasiHeld s = quasi_force_geometry(quasi);
    QuasiMove by = quasi_move(quasi, of, a, b);
    Vec3 n = s.normal;
    Vec3 across = vec3_add_scaled(vec3_scale(by.axes[0], by.force[0]), by.axes[1], by.force[1]);
    across = vec3_add_scaled(across, n, 0.0 - vec3_dot(by.move.normal, holds->friction_N));
    across = vec3_add_scaled(across, vec3_cross(n, holds->friction_N), by.turn);
    Vec3 d_force = vec3_add_scaled(vec3_add_scaled(across, n, by.normal_N), by.move.normal, holds->normal_N);
    Vec3 twist = vec3_add_scaled(vec3_scale(n, by.force[2]), by.move.normal, holds->twist_N_m);
    Vec3 held = vec3_add_scaled(holds->friction_N, n, holds->normal_N);
    ContactChange change;
    change.force_N = d_force;
    change.loss_W = 0.0;
    change.torque_b_N_m = vec3_add(vec3_add(vec3_cross(s.lever_b_m, d_force), vec3_cross(by.lever_b_m, held)), twist);
    change.torque_a_N_m =
        vec3_negate(vec3_add(vec3_add(vec3_cross(s.lever_a_m, d_force), vec3_cross(by.lever_a_m, held)), twist));
    return change;
}

/// Unknown multipliers after this share of the changes of both bodies that have been solved for.
FN_ONCE void quasi_change_multipliers(GLOBAL QuasiContact *quasi, const QuasiNumbers *of, const BodyChange *a,
                                      const BodyChange *b, real share) {
    QuasiMove by = quasi_move(quasi, of, a, b);
    GLOBAL const QuasiState *next = &quasi->next;
    GLOBAL QuasiState *last = &quasi->last;
    real keeps = 1.0 - share, core_N = real_fma(0.0 - quasi->slopes.core_slope_N_per_m, by.move.gap_m, next->core_N);
    Vec3 across = vec3_add_scaled(vec3_scale(by.axes[0], by.force[0]), by.axes[1], by.force[1]);
    across = vec3_add_scaled(across, vec3_cross(quasi_force_geometry(quasi).normal, next->friction_N), by.turn);
    across = vec3_scale(vec3_add(next->friction_N, across), share);
    last->friction_N = vec3_add_scaled(across, last->friction_N, keeps);
    last->twist_N_m = share * (next->twist_N_m + by.force[2]) + keeps * last->twist_N_m;
    last->normal_N = share * real_max(0.0, next->normal_N + by.normal_N) + keeps * last->normal_N;
    last->core_N = share * real_max(0.0, core_N) + keeps * last->core_N;
}

/// What the linear equations have for unknown multipliers where bodies do not change is the force.
FN_SHORT void quasi_push_next(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const QuasiContact *quasi = &contact->step.quasi;
    GLOBAL const QuasiState *next = &quasi->next;
    u32 is_held = quasi->is_held;
    Vec3 n = is_held ? quasi->held.normal : contact->now.normal,
         lever_b = is_held ? quasi->held.lever_b_m : contact->now.lever_b_m;
    Vec3 lever_a = vec3_add(lever_b, vec3_sub(view->works[contact->pair.body_b].step.trial.position_m,
                                              view->works[contact->pair.body_a].step.trial.position_m));
    if (is_held) lever_a = quasi->held.lever_a_m;
    Vec3 force = vec3_add_scaled(next->friction_N, n, next->normal_N), twist = vec3_scale(n, next->twist_N_m);
    contact->now.force_N = force;
    contact->now.torque_b_N_m = vec3_add(vec3_cross(lever_b, force), twist);
    contact->now.torque_a_N_m = vec3_negate(vec3_add(vec3_cross(lever_a, force), twist));
}

#endif
