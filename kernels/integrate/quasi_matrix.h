// The matrix of Newton's method in implicit steps of quasi-rigid bodies (quasi_equations.h): derivatives of what each
// body's equations are off by, over mass and inertia, by the velocities and spins at the end of the step, with the
// multipliers of contacts eliminated. Columns of a coupling are made three at a time where the processor has vectors.
#ifndef CLACK_INTEGRATE_QUASI_MATRIX_H
#define CLACK_INTEGRATE_QUASI_MATRIX_H

#include "integrate/islands.h"
#include "integrate/quasi_midpoint.h"
#include "integrate/rodas.h"
#include "integrate/trapezoidal_matrix.h"
#include "joints/coupling.h"
#include "law/quasi_change.h"

/// Units of B's velocity k, k + 1.. against A's (COLUMNS_AT_ONCE), at the end of the step.
FN_SHORT QuasiMotions quasi_unit_velocities(u32 k, real s) {
    QuasiMotions motions;
    motions.kind = QUASI_SHIFTS;
    motions.rate = column_vec_of(mat3_identity(), k);
    motions.pose = column_vec_scale(motions.rate, 1.0 / s);
    return motions;
}

/// Units of the spin of a contact's body b about its principal axes k, k + 1.. axes: these in the world.
FN_ONCE QuasiMotions quasi_unit_spins(const SceneView *view, u32 b, u32 is_b, const Mat3 *axes, u32 k, real s) {
    GLOBAL const BodyState *trial = &view->works[b].step.trial;
    QuasiMotions motions;
    motions.kind = is_b ? QUASI_TURNS_B : QUASI_TURNS_A;
    motions.rate = column_vec_of(COPY(*axes), k);
    motions.pose = column_vec_zero();
    if (is_free_ball(view->bodies[b].flags)) return motions; // no contact depends on its rotation
    Vec3 spin = mat3_rotate(COPY(*axes), COPY(trial->spin_rad_per_s));
    motions.pose = column_vec_scale(column_vec_exp_change(vec3_scale(spin, 1.0 / s), motions.rate), 1.0 / s);
    motions.rate = column_vec_add(motions.rate, column_vec_crossed(motions.pose, spin));
    return motions;
}

/// The principal axes of a body in an orientation; those of the world for free balls.
FN_SHORT Mat3 quasi_axes(const SceneView *view, u32 b, Quat orientation) {
    return is_free_ball(view->bodies[b].flags) ? mat3_identity() : mat3_from_quat(orientation);
}

// Where the columns of a coupling's bodies, A = 0 and B = 1, are added to the matrix.
typedef struct QuasiBlocks {
    GLOBAL const Contact *contact;
    u32 is_quasi; // 1: a contact of quasi-rigid bodies, of
    QuasiNumbers of;
    QuasiHeld acts;        // where its force acts
    GLOBAL real *at[2][2]; // of the response of the first to a motion of the second; 0: one of them is not stepped
    Mat3 axes[2];          // of the equations
} QuasiBlocks;

FN_ONCE void quasi_blocks(const SceneView *view, GLOBAL const Contact *contact, real s, QuasiBlocks *blocks) {
    BlockMatrix matrix = island_matrix(view, island_of(view, contact));
    blocks->contact = contact;
    blocks->is_quasi = contact_is_quasi_rigid(view, contact);
    if (blocks->is_quasi) {
        blocks->of = quasi_numbers(view, contact, s);
        blocks->acts = quasi_force_geometry(&contact->step.quasi);
    } else {
        blocks->acts.lever_a_m = coupling_lever(contact, 0);
        blocks->acts.lever_b_m = coupling_lever(contact, 1);
    }
    for (u32 i = 0; i < 2; i++) {
        u32 b = i ? contact->pair.body_b : contact->pair.body_a;
        if (body_is_stepped(view, b)) blocks->axes[i] = quasi_axes(view, b, trapezoidal_axes(view, b));
        for (u32 j = 0; j < 2; j++) {
            u32 other = j ? contact->pair.body_b : contact->pair.body_a;
            blocks->at[i][j] = 0;
            if (body_is_stepped(view, b) & body_is_stepped(view, other))
                blocks->at[i][j] = block_at(matrix, view->works[b].island.member, view->works[other].island.member);
        }
    }
}

/// Subtract the responses of both bodies to motions of body j from columns k, k + 1.. of its velocity, or of its spin.
FN_ONCE void quasi_subtract(const SceneView *view, const QuasiBlocks *blocks, const ColumnChange *change, u32 j, u32 k,
                            real sign) {
    GLOBAL const Contact *contact = blocks->contact;
    for (u32 i = 0; i < 2; i++) {
        if (blocks->at[i][j] == 0) continue;
        GLOBAL const Body *body = &view->bodies[i ? contact->pair.body_b : contact->pair.body_a];
        ColumnVec torque = columns_torque_at(i ? blocks->acts.lever_b_m : blocks->acts.lever_a_m, i, change);
        torque =
            column_vec_multiply(column_vec_rotate_back(COPY(blocks->axes[i]), torque), COPY(body->inverse_inertia));
        ColumnVec force = column_vec_scale(COPY(change->force_N), i ? body->inverse_mass : 0.0 - body->inverse_mass);
        column_vec_accumulate(blocks->at[i][j] + ISLAND_BODY_ROWS * (k / 3u * 3u), k % 3u, force, torque, 0.0 - sign);
    }
}

/// What a coupling changes by with these motions.
FN_ONCE void quasi_coupling_change(const QuasiBlocks *blocks, const QuasiMotions *motions, ColumnChange *change) {
    GLOBAL const Contact *contact = blocks->contact;
    GLOBAL const QuasiContact *quasi = &contact->step.quasi;
    if (blocks->is_quasi) {
        quasi_change(quasi, &blocks->of, quasi_holding(quasi, &blocks->of), motions, change);
        return;
    }
    if (motions->kind != QUASI_SHIFTS) {
        coupling_columns_turned(contact, motions->kind == QUASI_TURNS_B ? 1u : 0u, &motions->pose, &motions->rate,
                                change);
        return;
    }
    ColumnVec none = column_vec_zero();
    ColumnChange by_velocity;
    coupling_columns_apart(contact, &motions->pose, change);
    coupling_columns_motion(contact, &motions->rate, &none, &by_velocity);
    change->force_N = column_vec_add(COPY(change->force_N), by_velocity.force_N);
    change->torque_N_m = column_vec_add(COPY(change->torque_N_m), by_velocity.torque_N_m);
}

/// All columns of a coupling.
FN_ONCE void quasi_add_coupling(const SceneView *view, GLOBAL const Contact *contact, real s) {
    QuasiBlocks blocks;
    ColumnChange change;
    quasi_blocks(view, contact, s, &blocks);
    for (u32 k = 0; k < 3; k += COLUMNS_AT_ONCE) {
        QuasiMotions motions = quasi_unit_velocities(k, s);
        quasi_coupling_change(&blocks, &motions, &change);
        quasi_subtract(view, &blocks, &change, 0, k, -1.0);
        quasi_subtract(view, &blocks, &change, 1, k, 1.0);
    }
    for (u32 j = 0; j < 2; j++) {
        if (blocks.at[j][j] == 0) continue;
        u32 b = j ? contact->pair.body_b : contact->pair.body_a;
        Mat3 axes = quasi_axes(view, b, COPY(view->works[b].step.trial.orientation));
        for (u32 k = 0; k < 3; k += COLUMNS_AT_ONCE) {
            QuasiMotions motions = quasi_unit_spins(view, b, j, &axes, k, s);
            quasi_coupling_change(&blocks, &motions, &change);
            quasi_subtract(view, &blocks, &change, j, k + 3u, 1.0);
        }
    }
}

/// Subtract how the momentum before the step and the torque, in the axes of the equations, turn with a body's spin:
/// both together are I w where these hold.
FN_ONCE void quasi_add_gyroscopic(const SceneView *view, u32 b, real s) {
    GLOBAL const Body *body = &view->bodies[b];
    if (is_free_ball(body->flags)) return;
    u32 member = view->works[b].island.member;
    GLOBAL real *at = block_at(island_matrix(view, b), member, member) + 3u * ISLAND_BODY_ROWS + 3u;
    Vec3 momentum = vec3_multiply(body->inertia_kg_m2, view->works[b].step.trial.spin_rad_per_s);
    Vec3 phi = quasi_rotation(view, b, s);
    real share = quasi_is_midpoint(view) ? 0.5 * quasi_per_kick(view, s) / s : 1.0;
    for (u32 k = 0; k < 3; k++, at += ISLAND_BODY_ROWS) {
        Vec3 turned = vec3_scale(quat_exp_change(phi, vec3_unit(k)), share);
        Vec3 change = vec3_multiply(vec3_cross(momentum, turned), body->inverse_inertia);
        for (u32 r = 0; r < 3; r++) at[r] -= vec3_component(change, r);
    }
}

/// The matrix of each island for the trial states, factorised.
FN_ONCE void quasi_factorise(const SceneView *view, real s) {
    SCENE_BARRIER();
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_quasi_rigid(view, contact)) {
            if (!quasi_is_idle(&contact->step.quasi)) quasi_derive(view, contact);
        } else if (!contact_is_constraint(view, contact)) {
            coupling_derive(view, contact);
        }
    }
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b) && view->works[b].island.label == b)
            block_matrix_clear(island_matrix(view, b), quasi_per_kick(view, s));
    }
    SCENE_BARRIER();
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (!rodas_owns(view, island_of(view, contact))) continue;
        if (contact_is_constraint(view, contact))
            trapezoidal_add_constraint(view, contact, s);
        else if (!contact_is_quasi_rigid(view, contact) || !quasi_is_idle(&contact->step.quasi))
            quasi_add_coupling(view, contact, s);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b)) quasi_add_gyroscopic(view, b, s);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b) && view->works[b].island.label == b)
            block_matrix_factorise(island_matrix(view, b));
    }
    SCENE_BARRIER();
}

#endif
