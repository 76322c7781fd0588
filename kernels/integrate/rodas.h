// Rodas4: linearly implicit steps of stiff islands. Unknowns of a body are its position, the rotation
// vector theta from its orientation at the start of the step, its velocity, and its angular momentum in the
// principal axes of the start, divided by the inertia: "spin" u below. Momentum rather than angular velocity
// keeps what contacts exchange free of the errors of the attitude. Only the last two are solved for.
// Method: rodas_tableau.h.
#ifndef CLACK_INTEGRATE_RODAS_H
#define CLACK_INTEGRATE_RODAS_H

#include "law/contact_jacobian_columns.h"
#include "law/contact_jacobian.h"
#include "joints/coupling.h"
#include "integrate/block_matrix.h"
#include "integrate/driven_step.h"
#include "integrate/islands.h"
#include "integrate/motion.h"
#include "integrate/rodas_tableau.h"

/// Change of the angular velocity w with the rotation vector at a given u: w = I^-1 exp(-theta) I u.
FN_SHORT Vec3 rodas_spin_by_rotation(GLOBAL const Body *body, Vec3 w, Vec3 turn) {
    Vec3 momentum = vec3_multiply(body->inertia_kg_m2, w);
    return vec3_multiply(body->inverse_inertia, vec3_cross(momentum, turn));
}

/// Derivative of the rate of the rotation vector by the rotation vector itself, at theta = 0.
FN_SHORT Vec3 rodas_turn_slope(GLOBAL const Body *body, Vec3 w, Vec3 turn) {
    return vec3_add_scaled(rodas_spin_by_rotation(body, w, turn), vec3_cross(turn, w), 0.5);
}

FN GLOBAL real *rodas_turn_matrix(const SceneView *view, u32 b) {
    return island_matrix(view, b).turn + 9u * view->works[b].island.member;
}

/// The body's rows of `side` and of `displacement` of that matrix.
FN_SHORT GLOBAL real *rodas_side(const SceneView *view, u32 b) {
    return block_side(view->matrices + view->works[b].island.matrix, view->works[b].island.member);
}

FN_SHORT GLOBAL real *rodas_displacement(const SceneView *view, u32 b) {
    GLOBAL const BodyIsland *island = &view->works[b].island;
    return block_displacement(view->matrices + island->matrix, island->members, island->member);
}

FN_SHORT void rodas_keep(GLOBAL real *at, Vec3 v) {
    at[0] = v.x;
    at[1] = v.y;
    at[2] = v.z;
}

FN_SHORT Vec3 rodas_kept(GLOBAL const real *at) { return vec3_make(at[0], at[1], at[2]); }

/// The rows of (s - N)^-1 with N = rodas_turn_slope, by Cramer's rule.
FN_ONCE void rodas_invert_rotation_block(const SceneView *view, u32 b, real s) {
    GLOBAL const Body *body = &view->bodies[b];
    if (is_free_ball(body->flags)) return;
    Vec3 w = view->states[b].spin_rad_per_s;
    Vec3 x = vec3_sub(vec3_make(s, 0.0, 0.0), rodas_turn_slope(body, w, vec3_unit(0)));
    Vec3 y = vec3_sub(vec3_make(0.0, s, 0.0), rodas_turn_slope(body, w, vec3_unit(1)));
    Vec3 z = vec3_sub(vec3_make(0.0, 0.0, s), rodas_turn_slope(body, w, vec3_unit(2)));
    Vec3 yz = vec3_cross(y, z);
    real inverse = 1.0 / vec3_dot(x, yz);
    GLOBAL real *rows = rodas_turn_matrix(view, b);
    rodas_keep(rows, vec3_scale(yz, inverse));
    rodas_keep(rows + 3, vec3_scale(vec3_cross(z, x), inverse));
    rodas_keep(rows + 6, vec3_scale(vec3_cross(x, y), inverse));
}

/// (s - N)^-1 r.
FN_SHORT Vec3 rodas_solve_rotation(const SceneView *view, u32 b, real s, Vec3 r) {
    if (is_free_ball(view->bodies[b].flags)) return vec3_scale(r, 1.0 / s);
    GLOBAL const real *rows = rodas_turn_matrix(view, b);
    return vec3_make(vec3_dot(rodas_kept(rows), r), vec3_dot(rodas_kept(rows + 3), r),
                     vec3_dot(rodas_kept(rows + 6), r));
}

FN_SHORT Vec3 rodas_rotation_of(Quat turning) { return vec3_make(turning.x, turning.y, turning.z); }

/// Rate of the rotation vector from the spin: the inverse of the exponential's derivative, up to the sixth
/// power of the angle. Source: Iserles et al., Acta Numerica 9 (2000).
FN_ONCE Vec3 rodas_turn_rate(Vec3 turn, Vec3 spin) {
    Vec3 once = vec3_cross(turn, spin);
    Vec3 twice = vec3_cross(turn, once);
    Vec3 fourth = vec3_cross(turn, vec3_cross(turn, twice));
    Vec3 rate = vec3_add_scaled(vec3_add_scaled(spin, once, 0.5), twice, 1.0 / 12.0);
    return vec3_add_scaled(rate, fourth, -1.0 / 720.0);
}

FN u32 rodas_is_implicit(const SceneView *view, GLOBAL const Contact *contact) {
    return view->works[contact->pair.body_a].control.implicit | view->works[contact->pair.body_b].control.implicit;
}

/// Is a body of an implicit island stepped here? Bodies whose only contacts are corners on planes are stepped by
/// corner_contacts.h, those with one ball contact by ball_contact.h.
FN_SHORT u32 rodas_steps_body(const SceneView *view, u32 b) {
    return view->works[b].control.implicit && view->works[b].island.fast_method < FAST_CORNERS ? 1u : 0u;
}

/// The same of a contact.
FN_SHORT u32 rodas_steps_contact(const SceneView *view, GLOBAL const Contact *contact) {
    return (!HAS_CORNERS || !contact->corner.order) && contact->plan.fast_method < FAST_BALL &&
                   rodas_is_implicit(view, contact)
               ? 1u
               : 0u;
}

/// Does this item work on the island of that label?
FN u32 rodas_owns(const SceneView *view, u32 label) { return label % SCENE_ITEMS == view->item ? 1 : 0; }

/// A change of a body's unknowns, rotation and spin in principal axes, as it enters its contacts.
FN BodyChange rodas_change(const SceneView *view, u32 b, Vec3 shift, Vec3 turn, Vec3 velocity, Vec3 spin) {
    BodyState start = view->states[b];
    Vec3 w = start.spin_rad_per_s;
    BodyChange change;
    change.shift_m = shift;
    change.velocity_m_per_s = velocity;
    if (is_free_ball(view->bodies[b].flags)) { // no contact depends on its rotation
        change.turn = vec3_zero();
        change.spin_rad_per_s = spin;
        return change;
    }
    change.turn = quat_rotate(start.orientation, turn);
    spin = vec3_add(spin, vec3_add(rodas_spin_by_rotation(&view->bodies[b], w, turn), vec3_cross(turn, w)));
    change.spin_rad_per_s = quat_rotate(start.orientation, spin);
    return change;
}

/// Rates of change of a body by a force and a torque: velocity, then spin in principal axes.
typedef struct BodyAcceleration {
    Vec3 acceleration, spin_rate;
} BodyAcceleration;

FN BodyAcceleration rodas_rates_from_force(const SceneView *view, u32 b, Vec3 force, Vec3 torque, real sign) {
    BodyAcceleration rates;
    rates.acceleration = vec3_scale(force, sign * view->bodies[b].inverse_mass);
    rates.spin_rate = vec3_multiply(spin_from_world(view->bodies[b].flags, COPY(view->states[b].orientation), torque),
                                    view->bodies[b].inverse_inertia);
    return rates;
}

// The blocks of a contact's bodies in the matrix of their island and in its `poses`: of the response of A = 0 or B = 1
// to the motion of the other or its own; 0: of a body that is not implicit.
typedef struct RodasBlocks {
    GLOBAL const Contact *contact;
    u32 keeps_momentum; // 1: the unknown spin is momentum over inertia, which lags behind the rotation
                        // (rodas_spin_by_rotation)
    GLOBAL real *motion[2][2], *pose[2][2];
    Mat3 axes[2]; // principal ones of both to the world; not of free balls
} RodasBlocks;

FN_ONCE void rodas_blocks(const SceneView *view, GLOBAL const Contact *contact, u32 keeps_momentum,
                          RodasBlocks *blocks) {
    u32 bodies[2];
    blocks->contact = contact;
    blocks->keeps_momentum = keeps_momentum;
    bodies[0] = contact->pair.body_a;
    bodies[1] = contact->pair.body_b;
    // Two implicit bodies of a contact are of one island.
    BlockMatrix matrix = island_matrix(view, view->works[bodies[0]].control.implicit ? bodies[0] : bodies[1]);
    for (u32 i = 0; i < 2; i++) {
        if (!is_free_ball(view->bodies[bodies[i]].flags) && view->works[bodies[i]].control.implicit)
            blocks->axes[i] = mat3_from_quat(view->states[bodies[i]].orientation);
        for (u32 j = 0; j < 2; j++) {
            blocks->motion[i][j] = blocks->pose[i][j] = 0;
            if (!(view->works[bodies[i]].control.implicit & view->works[bodies[j]].control.implicit)) continue;
            u32 row = view->works[bodies[i]].island.member, column = view->works[bodies[j]].island.member;
            blocks->motion[i][j] = block_at(matrix, row, column);
            blocks->pose[i][j] = block_pose_at(matrix, row, column);
        }
    }
}

/// Add the response of body i, A = 0 or B = 1, to a change of a contact to columns of a block.
FN_STAGE void rodas_add(const SceneView *view, const RodasBlocks *blocks, const ColumnChange *change, u32 i,
                        GLOBAL real *at, u32 column, real share) {
    GLOBAL const Contact *contact = blocks->contact;
    GLOBAL const Body *body = &view->bodies[i == 0 ? contact->pair.body_a : contact->pair.body_b];
    ColumnVec torque = coupling_columns_torque(contact, i, change);
    ColumnVec acceleration =
        column_vec_scale(COPY(change->force_N), i == 0 ? 0.0 - body->inverse_mass : body->inverse_mass);
    if (!is_free_ball(body->flags)) torque = column_vec_rotate_back(COPY(blocks->axes[i]), torque);
    column_vec_accumulate(at, column, acceleration, column_vec_multiply(torque, COPY(body->inverse_inertia)), share);
}

/// The columns of the velocities of a contact's bodies. The effect of B's is the opposite of that of A's.
FN_ONCE void rodas_assemble_moves(const SceneView *view, GLOBAL const Contact *contact, const RodasBlocks *blocks,
                                  real s) {
    Mat3 units = mat3_identity();
    for (u32 k = 0; k < 3; k += COLUMNS_AT_ONCE) {
        ColumnVec unit = column_vec_of(units, k), shift = column_vec_scale(unit, 1.0 / s), none = column_vec_zero();
        ColumnChange pose, motion;
        coupling_columns_apart(contact, &shift, &pose);
        coupling_columns_motion(contact, &unit, &none, &motion);
        for (u32 i = 0; i < 2; i++) {
            for (u32 j = 0; j < 2; j++) {
                if (blocks->pose[i][j] == 0) continue;
                rodas_add(view, blocks, &pose, i, blocks->pose[i][j], k, j == 0 ? -1.0 : 1.0);
                rodas_add(view, blocks, &motion, i, blocks->motion[i][j], k, j == 0 ? 1.0 : -1.0);
            }
        }
    }
}

/// The columns of the spin of body j of a contact, with the rotation that comes with it when those are eliminated.
FN_ONCE void rodas_assemble_spins(const SceneView *view, GLOBAL const Contact *contact, const RodasBlocks *blocks,
                                  u32 j) {
    if (blocks->pose[j][j] == 0) return;
    u32 b = j == 0 ? contact->pair.body_a : contact->pair.body_b, turns = contact_has_attitude(view, b);
    Mat3 axes = turns ? blocks->axes[j] : mat3_identity();
    GLOBAL const Body *body = &view->bodies[b];
    for (u32 k = 0; k < 3; k += COLUMNS_AT_ONCE) {
        u32 column = ISLAND_BODY_ROWS * 3u;
        ColumnVec unit = column_vec_of(axes, k);
        Vec3 lever = coupling_lever(contact, j);
        ColumnVec at = j == 0 ? column_vec_cross(lever, unit) : column_vec_crossed(unit, lever);
        ColumnVec spin = j == 0 ? column_vec_negate(unit) : unit;
        ColumnChange change;
        coupling_columns_motion(contact, &at, &spin, &change);
        for (u32 i = 0; i < 2; i++)
            if (blocks->motion[i][j] != 0) rodas_add(view, blocks, &change, i, blocks->motion[i][j] + column, k, -1.0);
        if (!turns) continue;
        // The change of pose and spin that comes with a unit of its spin.
        GLOBAL const real *rows = rodas_turn_matrix(view, b);
        Vec3 w = view->states[b].spin_rad_per_s;
        Mat3 elimination;
        elimination.x = rodas_kept(rows);
        elimination.y = rodas_kept(rows + 3);
        elimination.z = rodas_kept(rows + 6);
        ColumnVec turn = column_vec_of(elimination, k), turned = column_vec_crossed(turn, w);
        if (blocks->keeps_momentum) {
            ColumnVec lag = column_vec_multiply(column_vec_cross(vec3_multiply(body->inertia_kg_m2, w), turn),
                                                COPY(body->inverse_inertia));
            turned = column_vec_add(lag, turned);
        }
        spin = column_vec_rotate(axes, turned);
        turn = column_vec_rotate(axes, turn);
        coupling_columns_turned(contact, j, &turn, &spin, &change);
        for (u32 i = 0; i < 2; i++)
            if (blocks->pose[i][j] != 0) rodas_add(view, blocks, &change, i, blocks->pose[i][j] + column, k, 1.0);
    }
}

/// All columns of a coupling, from its slopes.
FN_ONCE void rodas_assemble_coupling(const SceneView *view, GLOBAL const Contact *contact, u32 keeps_momentum, real s) {
    RodasBlocks blocks;
    rodas_blocks(view, contact, keeps_momentum, &blocks);
    rodas_assemble_moves(view, contact, &blocks, s);
    rodas_assemble_spins(view, contact, &blocks, 0);
    rodas_assemble_spins(view, contact, &blocks, 1);
}

/// The matrix s - J_v - J_p (s - N)^-1 of each implicit island, from the derivatives of its contacts; the last term as
/// its `poses`.
FN_ONCE void rodas_assemble(const SceneView *view, real s) {
    MOVING_LOOP(b) {
        GLOBAL const BodyIsland *island = &view->works[b].island;
        if (!rodas_steps_body(view, b)) continue;
        if (island->label == b) block_matrix_clear(island_matrix(view, b), s);
        rodas_invert_rotation_block(view, b, s);
    }
    SCENE_BARRIER();
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (!rodas_steps_contact(view, contact)) continue;
        if (!rodas_owns(view, island_of(view, contact))) continue;
        rodas_assemble_coupling(view, contact, 1, s);
    }
    SCENE_BARRIER();
}

/// Matrices of a step of h, factorised.
FN_ONCE void rodas_prepare(const SceneView *view, real h) {
    rodas_assemble(view, 1.0 / (RODAS_GAMMA * h));
    MOVING_LOOP(b) {
        GLOBAL const BodyIsland *island = &view->works[b].island;
        if (!rodas_steps_body(view, b) || island->label != b) continue;
        BlockMatrix matrix = island_matrix(view, b);
        block_matrix_take_poses(matrix);
        block_matrix_factorise(matrix);
    }
    SCENE_BARRIER();
}

/// Rates of a body by its contacts and gravity in the principal axes of the start: at the point of stage i, which is
/// the trial state, or for i = 1 at the start of the step.
FN_ONCE BodyAcceleration rodas_rate(const SceneView *view, u32 b, u32 i) {
    GLOBAL const Body *body = &view->bodies[b];
    GLOBAL const BodyStep *step = &view->works[b].step;
    BodyAcceleration rate;
    if (i > 1) {
        rate = rodas_rates_from_force(view, b, COPY(step->force_N), COPY(step->torque_N_m), 1.0);
        rate.acceleration = vec3_add(rate.acceleration, scene_gravity(view, COPY(step->trial.position_m)));
        return rate;
    }
    rate.acceleration = step->rates[0].acceleration;
    rate.spin_rate = step->rates[0].spin_rate;
    if (is_free_ball(body->flags)) return rate;
    Vec3 w = view->states[b].spin_rad_per_s; // rates[0] includes the gyroscopic part
    rate.spin_rate = vec3_sub(rate.spin_rate, motion_spin_rate(COPY(*body), w, vec3_zero()));
    return rate;
}

/// Right-hand sides of stage i = 1..6 of a body from the forces at its point: r_v as `side` of its matrix, r_p as
/// `displacement`.
FN_ONCE void rodas_load(const SceneView *view, u32 b, real h, u32 i) {
    GLOBAL BodyStep *step = &view->works[b].step;
    GLOBAL const BodyState *state = i > 1 ? &step->trial : &view->states[b];
    real per_h = 1.0 / h;
    BodyAcceleration rate = rodas_rate(view, b, i);
    GLOBAL real *side = rodas_side(view, b), *displacement = rodas_displacement(view, b);
    Vec3 velocity = state->velocity_m_per_s, w = state->spin_rad_per_s;
    if (i > 1) { // rodas_move has left the blend of the U before, and the body's rotation
        GLOBAL const BodyRate *sum = &step->rates[i];
        if (!is_free_ball(view->bodies[b].flags)) w = rodas_turn_rate(rodas_kept(displacement + 3), w);
        rate.acceleration = vec3_add_scaled(rate.acceleration, sum->acceleration, per_h);
        rate.spin_rate = vec3_add_scaled(rate.spin_rate, sum->spin_rate, per_h);
        velocity = vec3_add_scaled(velocity, sum->velocity, per_h);
        w = vec3_add_scaled(w, rodas_rotation_of(COPY(sum->orientation_rate)), per_h);
    }
    rodas_keep(side, rate.acceleration);
    rodas_keep(side + 3, rate.spin_rate);
    rodas_keep(displacement, velocity);
    rodas_keep(displacement + 3, w);
}

/// Change of a coupling with changes of its driven bodies, and with the time for a load.
FN_ONCE ContactChange rodas_given_change(GLOBAL const Contact *contact, const BodyChange *a, const BodyChange *b,
                                         real time) {
    ContactChange change = coupling_change(contact, a, b);
    if (!contact_is_load(contact)) return change;
    ContactChange own = load_change_in_time(&contact->step.load);
    change.force_N = vec3_add_scaled(change.force_N, own.force_N, time);
    change.torque_a_N_m = vec3_add_scaled(change.torque_a_N_m, own.torque_a_N_m, time);
    change.torque_b_N_m = vec3_add_scaled(change.torque_b_N_m, own.torque_b_N_m, time);
    change.loss_W = real_fma(own.loss_W, time, change.loss_W);
    return change;
}

/// What is given over time adds to the right-hand sides of stage i: U_i of driven bodies, which are known, and loads.
FN_ONCE void rodas_add_given(const SceneView *view, real h, u32 i) {
    if (!(view->scene->flags & SCENE_TIMED)) return;
    MOVING_LOOP(b) {
        if (body_is_driven(view, b)) driven_solve(view, b, h, i);
    }
    SCENE_BARRIER();
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (!rodas_steps_contact(view, contact) || !rodas_owns(view, island_of(view, contact))) continue;
        BodyChange a = driven_change(view, contact->pair.body_a, i),
                   b_change = driven_change(view, contact->pair.body_b, i);
        ContactChange change = rodas_given_change(contact, &a, &b_change, RODAS_TIMES[i - 1u] * h);
        for (u32 is_b = 0; is_b < 2; is_b++) {
            u32 b = is_b ? contact->pair.body_b : contact->pair.body_a;
            if (!view->works[b].control.implicit) continue;
            BodyAcceleration rates = rodas_rates_from_force(
                view, b, change.force_N, is_b ? change.torque_b_N_m : change.torque_a_N_m, is_b ? 1.0 : -1.0);
            GLOBAL real *side = rodas_side(view, b);
            rodas_keep(side, vec3_add(rodas_kept(side), rates.acceleration));
            rodas_keep(side + 3, vec3_add(rodas_kept(side + 3), rates.spin_rate));
        }
    }
    SCENE_BARRIER();
}

/// U_i of a body from the solution of its island.
FN_ONCE void rodas_unload(const SceneView *view, u32 b, real h, u32 i) {
    GLOBAL BodyStep *step = &view->works[b].step;
    GLOBAL const real *x = rodas_side(view, b), *displacement = rodas_displacement(view, b);
    real s = 1.0 / (RODAS_GAMMA * h);
    BodyRate u;
    u.acceleration = rodas_kept(x);
    u.spin_rate = rodas_kept(x + 3);
    u.velocity = vec3_scale(vec3_add(rodas_kept(displacement), u.acceleration), 1.0 / s);
    Vec3 turn = rodas_solve_rotation(view, b, s, vec3_add(rodas_kept(displacement + 3), u.spin_rate));
    u.orientation_rate = quat_make(0.0, turn.x, turn.y, turn.z);
    step->rates[i] = u;
}

/// Solve for U_i, i = 1..6, of all implicit bodies; kept in rates[i].
FN_ONCE void rodas_solve(const SceneView *view, real h, u32 i) {
    MOVING_LOOP(b) {
        if (rodas_steps_body(view, b)) rodas_load(view, b, h, i);
    }
    SCENE_BARRIER();
    rodas_add_given(view, h, i);
    MOVING_LOOP(b) {
        GLOBAL const BodyIsland *island = &view->works[b].island;
        if (!rodas_steps_body(view, b) || island->label != b) continue;
        if (island->members == 1u) {
            block_matrix_answer_alone(view->matrices + island->matrix);
            continue;
        }
        BlockMatrix matrix = island_matrix(view, b);
        block_matrix_join(matrix); // r_v + J_p (s - N)^-1 r_p
        block_matrix_solve(matrix);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (rodas_steps_body(view, b)) rodas_unload(view, b, h, i);
    }
    SCENE_BARRIER();
}

/// Trial state at the point that row i of RODAS_A gives from U_1 .. U_i. The parts that the next stage needs are left
/// in rates[i + 1] and `displacement`.
FN_ONCE void rodas_move(const SceneView *view, u32 b, real h, u32 i) {
    GLOBAL BodyStep *step = &view->works[b].step;
    GLOBAL const BodyRate *u = step->rates + 1;
    BodyRate sum = motion_blend(u, RODAS_A[i], i);
    if (i < RODAS_STAGES) step->rates[i + 1] = motion_blend(u, RODAS_C[i], i);
    GLOBAL const BodyState *state = &view->states[b];
    GLOBAL BodyState *trial = &step->trial;
    Vec3 turned = rodas_rotation_of(sum.orientation_rate);
    Vec3 spin = vec3_add(state->spin_rad_per_s, sum.spin_rate);
    trial->position_m = vec3_add(state->position_m, sum.velocity);
    trial->velocity_m_per_s = vec3_add(state->velocity_m_per_s, sum.acceleration);
    if (is_free_ball(view->bodies[b].flags)) {
        trial->spin_rad_per_s = spin;
        trial->orientation = state->orientation;
        if (i == RODAS_STAGES)
            trial->orientation =
                motion_rotate_ball(COPY(state->orientation), turned, COPY(state->spin_rad_per_s), spin, h);
        return;
    }
    Quat turn = quat_exp(turned);
    GLOBAL const Body *body = &view->bodies[b];
    Vec3 momentum = quat_rotate_back(turn, vec3_multiply(body->inertia_kg_m2, spin));
    // Of length 1 to rounding, which does not add up from step to step.
    trial->orientation = quat_multiply(state->orientation, turn);
    if (i == RODAS_STAGES) trial->orientation = quat_normalize(trial->orientation);
    trial->spin_rad_per_s = vec3_multiply(momentum, body->inverse_inertia);
    rodas_keep(rodas_displacement(view, b) + 3, turned);
}

/// The mean change of a body within the step, in place of its right-hand sides.
FN_ONCE void rodas_take_mean(const SceneView *view, u32 b) {
    BodyRate sum = motion_blend(view->works[b].step.rates + 1, RODAS_W, RODAS_STAGES);
    BodyChange change =
        rodas_change(view, b, sum.velocity, rodas_rotation_of(sum.orientation_rate), sum.acceleration, sum.spin_rate);
    GLOBAL real *side = rodas_side(view, b), *displacement = rodas_displacement(view, b);
    rodas_keep(displacement, change.shift_m);
    rodas_keep(displacement + 3, change.turn);
    rodas_keep(side, change.velocity_m_per_s);
    rodas_keep(side + 3, change.spin_rad_per_s);
}

FN BodyChange rodas_mean_change(const SceneView *view, u32 b) {
    if (body_is_driven(view, b)) return driven_mean_change(view, b);
    if (!view->works[b].control.implicit) return jacobian_body_unchanged();
    GLOBAL const real *side = rodas_side(view, b), *displacement = rodas_displacement(view, b);
    BodyChange change;
    change.shift_m = rodas_kept(displacement);
    change.turn = rodas_kept(displacement + 3);
    change.velocity_m_per_s = rodas_kept(side);
    change.spin_rad_per_s = rodas_kept(side + 3);
    return change;
}

/// Change of the power of driven bodies on the others with that of forces and torques, and with their mean motions.
FN_ONCE real rodas_driven_power_change(const SceneView *view, GLOBAL const Contact *contact,
                                       const ContactChange *change) {
    real power = 0.0;
    for (u32 is_b = 0; is_b < 2; is_b++) {
        u32 b = is_b ? contact->pair.body_b : contact->pair.body_a;
        if (!body_is_driven(view, b)) continue;
        BodyState start = view->states[b];
        BodyChange mean = driven_mean_change(view, b);
        Vec3 spin = spin_to_world(view->bodies[b].flags, start.orientation, start.spin_rad_per_s);
        real by =
            vec3_dot(change->force_N, start.velocity_m_per_s) + vec3_dot(contact->start.force_N, mean.velocity_m_per_s);
        power -= (is_b ? by : 0.0 - by) + vec3_dot(is_b ? change->torque_b_N_m : change->torque_a_N_m, spin) +
                 vec3_dot(contact->given.start_N_m, mean.spin_rad_per_s);
    }
    return power;
}

/// The part of the transfer of implicit contacts in a step that comes from their derivatives, once all U are known.
FN_ONCE void rodas_finish_impulse(const SceneView *view, real h) {
    MOVING_LOOP(b) {
        if (rodas_steps_body(view, b)) rodas_take_mean(view, b);
    }
    SCENE_BARRIER();
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!rodas_steps_contact(view, contact)) continue;
        BodyChange mean_a = rodas_mean_change(view, contact->pair.body_a),
                   mean_b = rodas_mean_change(view, contact->pair.body_b);
        ContactChange change = rodas_given_change(contact, &mean_a, &mean_b, RODAS_TIME_MEAN * h);
        if (view->scene->flags & SCENE_TIMED) {
            real power = rodas_driven_power_change(view, contact, &change);
            if (contact_is_load(contact)) power -= change.loss_W;
            contact->given.trial_J = real_fma(power, h, contact->given.trial_J);
        }
        contact->trial.impulse_N_s = vec3_add_scaled(contact->trial.impulse_N_s, change.force_N, h);
        if (!contact_is_load(contact)) contact->trial.loss_J = real_fma(change.loss_W, h, contact->trial.loss_J);
    }
    SCENE_BARRIER(); // rodas_move writes to `displacement` again
}

#endif
