// Rodas4: linearly implicit steps of stiff islands. Unknowns of a body are its position, the rotation
// vector theta from its orientation at the start of the step, its velocity, and its angular momentum in the
// principal axes of the start, divided by the inertia: "spin" u below. Momentum rather than angular velocity
// keeps what contacts exchange free of the errors of the attitude. Only the last two are solved for.
// Spec stepper 2.
#ifndef CLACK_RODAS_H
#define CLACK_RODAS_H

#include "islands.h"
#include "motion.h"

#define RODAS_STAGES 6
#define RODAS_GAMMA 0.25
// Hairer and Wanner, Solving ODEs II, RODAS: order 4 with an embedded 3, L-stable, stiffly accurate.
// (1/(gamma h) - J) U_i = f(y + sum a_ij U_j) + 1/h sum c_ij U_j. Row i of RODAS_A gives the point of
// stage i from the U before it; row RODAS_STAGES the result. U_6 is the embedded error.
CONSTANT real RODAS_A[RODAS_STAGES + 1][RODAS_STAGES] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {1.544, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0, 0.0},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0, 0.0},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 0.0, 0.0},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0, 0.0},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0, 1.0}};
CONSTANT real RODAS_C[RODAS_STAGES][RODAS_STAGES] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-5.6688, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0, 0.0},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0, 0.0},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616, 0.0, 0.0},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054, 0.0}};
// What a quadrature of g along the step is: h sum w_i (g(Y_i) + dg/dy U_i), as if it were one more state.
// w = (1/gamma - C^T)^-1 m with m the last row of RODAS_A.
CONSTANT real RODAS_W[RODAS_STAGES] = {0.34844427128605153, 0.2130136219118987,
                                       -0.15410253266231846, 0.4713207793914958,
                                       -0.12867613992712837, 0.25};

/// Change of the angular velocity w with the rotation vector at a given u: w = I^-1 exp(-theta) I u.
FN Vec3 rodas_lag(Body body, Vec3 w, Vec3 turn) {
    Vec3 momentum = vec3_multiply(body.inertia_kg_m2, w);
    return vec3_multiply(body.inverse_inertia, vec3_cross(momentum, turn));
}

/// How the rate of the rotation vector answers to itself, at theta = 0.
FN Vec3 rodas_turn_slope(Body body, Vec3 w, Vec3 turn) {
    return vec3_add_scaled(rodas_lag(body, w, turn), vec3_cross(turn, w), 0.5);
}

/// (s - N)^-1 r with N = rodas_turn_slope, by Cramer's rule.
FN Vec3 rodas_resolve_turn(const SceneView *view, u32 b, real s, Vec3 r) {
    if (is_free_ball(view->bodies[b].flags)) return vec3_scale(r, 1.0 / s);
    Body body = view->bodies[b];
    Vec3 w = view->states[b].spin_rad_per_s;
    Vec3 x = vec3_sub(vec3_make(s, 0.0, 0.0), rodas_turn_slope(body, w, vec3_make(1.0, 0.0, 0.0)));
    Vec3 y = vec3_sub(vec3_make(0.0, s, 0.0), rodas_turn_slope(body, w, vec3_make(0.0, 1.0, 0.0)));
    Vec3 z = vec3_sub(vec3_make(0.0, 0.0, s), rodas_turn_slope(body, w, vec3_make(0.0, 0.0, 1.0)));
    Vec3 yz = vec3_cross(y, z);
    Vec3 solved = vec3_make(vec3_dot(r, yz), vec3_dot(r, vec3_cross(z, x)), vec3_dot(r, vec3_cross(x, y)));
    return vec3_scale(solved, 1.0 / vec3_dot(x, yz));
}

FN Vec3 rodas_turn_of(BodyRate rate) {
    return vec3_make(rate.turning.x, rate.turning.y, rate.turning.z);
}

/// Rate of the rotation vector from the spin: the inverse of the exponential's derivative, up to the sixth
/// power of the angle. Source: Iserles et al., Acta Numerica 9 (2000).
FN Vec3 rodas_turn_rate(Vec3 turn, Vec3 spin) {
    Vec3 once = vec3_cross(turn, spin);
    Vec3 twice = vec3_cross(turn, once);
    Vec3 fourth = vec3_cross(turn, vec3_cross(turn, twice));
    Vec3 rate = vec3_add_scaled(vec3_add_scaled(spin, once, 0.5), twice, 1.0 / 12.0);
    return vec3_add_scaled(rate, fourth, -1.0 / 720.0);
}

FN u32 rodas_is_implicit(const SceneView *view, GLOBAL const Contact *contact) {
    return view->works[contact->body_a].implicit | view->works[contact->body_b].implicit;
}

/// Does this lane work on the island of that label?
FN u32 rodas_owns(const SceneView *view, u32 label) { return label % LANES == view->lane ? 1 : 0; }

/// A change of a body's unknowns, its turn and spin in principal axes, as the contacts see it.
FN BodyChange rodas_change(const SceneView *view, u32 b, Vec3 shift, Vec3 turn, Vec3 velocity, Vec3 spin) {
    BodyState start = view->states[b];
    Vec3 w = start.spin_rad_per_s;
    BodyChange change;
    change.shift_m = shift;
    change.velocity_m_per_s = velocity;
    if (is_free_ball(view->bodies[b].flags)) { // no contact sees it turn
        change.turn = vec3_zero();
        change.spin_rad_per_s = spin;
        return change;
    }
    change.turn = quat_rotate(start.orientation, turn);
    spin = vec3_add(spin, vec3_add(rodas_lag(view->bodies[b], w, turn), vec3_cross(turn, w)));
    change.spin_rad_per_s = quat_rotate(start.orientation, spin);
    return change;
}

/// Rates of change that a force and a torque on a body make: velocity, then spin in principal axes.
typedef struct BodyPush {
    Vec3 acceleration, spin_rate;
} BodyPush;

FN BodyPush rodas_push(const SceneView *view, u32 b, Vec3 force, Vec3 torque, real sign) {
    BodyPush push;
    push.acceleration = vec3_scale(force, sign * view->bodies[b].inverse_mass);
    push.spin_rate = vec3_multiply(
        spin_from_world(view->bodies[b].flags, view->states[b].orientation, torque), view->bodies[b].inverse_inertia);
    return push;
}

/// Add to six numbers that are `stride` apart.
FN void rodas_add(GLOBAL real *at, u32 stride, BodyPush push, real weight) {
    at[0] += weight * push.acceleration.x;
    at[stride] += weight * push.acceleration.y;
    at[2 * stride] += weight * push.acceleration.z;
    at[3 * stride] += weight * push.spin_rate.x;
    at[4 * stride] += weight * push.spin_rate.y;
    at[5 * stride] += weight * push.spin_rate.z;
}

/// Add what a contact's change does to its bodies: to the column `column` of the body `of` in the matrix, or with
/// of = NONE to the right-hand side.
FN void rodas_add_change(const SceneView *view, GLOBAL const Contact *contact, ContactChange change, u32 of,
                         u32 column, real weight) {
    for (u32 k = 0; k < 2; k++) {
        u32 b = k == 0 ? contact->body_a : contact->body_b;
        GLOBAL const BodyWork *work = &view->works[b];
        if (!work->implicit) continue;
        BodyPush push = rodas_push(view, b, change.force_N,
                                   k == 0 ? change.torque_a_N_m : change.torque_b_N_m,
                                   k == 0 ? -1.0 : 1.0);
        BlockMatrix matrix = island_matrix(view, b);
        if (of == NONE)
            rodas_add(matrix.side + ISLAND_BODY_ROWS * work->member, 1, push, weight);
        else
            rodas_add(block_at(matrix, work->member, view->works[of].member) + column, ISLAND_BODY_ROWS, push,
                      weight);
    }
}

/// The columns of the velocities of a contact's bodies. What B's does, A's does the other way round.
FN void rodas_assemble_moves(const SceneView *view, GLOBAL const Contact *contact, real s) {
    GLOBAL const ContactSlopes *slopes = &contact->step.slopes;
    Vec3 none = vec3_zero();
    for (u32 k = 0; k < 3; k++) {
        Vec3 unit = vec3_make(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0);
        ContactChange change;
        if (!contact_turns(slopes)) {
            change = contact_change_add(contact_change_apart(slopes, vec3_scale(unit, 1.0 / s)),
                                        contact_change_motion(slopes, unit, none));
        } else {
            BodyChange moved = body_unchanged();
            moved.shift_m = vec3_scale(unit, 1.0 / s);
            moved.velocity_m_per_s = unit;
            change = contact_change(slopes, body_unchanged(), moved);
        }
        if (view->works[contact->body_b].implicit) rodas_add_change(view, contact, change, contact->body_b, k, -1.0);
        if (view->works[contact->body_a].implicit) rodas_add_change(view, contact, change, contact->body_a, k, 1.0);
    }
}

/// The columns of the spin of one of a contact's bodies, with the turn that comes with it when those are eliminated.
FN void rodas_assemble_spins(const SceneView *view, GLOBAL const Contact *contact, u32 b, real s) {
    GLOBAL const ContactSlopes *slopes = &contact->step.slopes;
    if (!view->works[b].implicit) return;
    u32 is_a = b == contact->body_a ? 1u : 0u;
    Vec3 none = vec3_zero();
    for (u32 k = 0; k < 3; k++) {
        Vec3 unit = vec3_make(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0);
        ContactChange change;
        if (!contact_turns(slopes)) {
            Vec3 at = is_a ? vec3_cross(slopes->lever_a_m, unit) : vec3_cross(unit, slopes->lever_b_m);
            change = contact_change_motion(slopes, at, is_a ? vec3_negate(unit) : unit);
        } else {
            BodyChange spun = rodas_change(view, b, none, rodas_resolve_turn(view, b, s, unit), none, unit);
            change = contact_change(slopes, is_a ? spun : body_unchanged(), is_a ? body_unchanged() : spun);
        }
        rodas_add_change(view, contact, change, b, 3 + k, -1.0);
    }
}

/// The matrix s - J_v - J_p (s - N)^-1 of each implicit island, from the slopes of its contacts.
FN void rodas_assemble(const SceneView *view, real s) {
    MOVING_LOOP(b) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (!work->implicit) continue;
        BlockMatrix matrix = island_matrix(view, b);
        for (u32 j = 0; j < matrix.count; j++) {
            if (!block_exists(matrix, work->member, j)) continue;
            GLOBAL real *block = block_at(matrix, work->member, j);
            for (u32 i = 0; i < BLOCK_NUMBERS; i++)
                block[i] = j == work->member && i % (ISLAND_BODY_ROWS + 1u) == 0 ? s : 0.0;
        }
    }
    SCENE_BARRIER();
    EACH_AWAKE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (!rodas_is_implicit(view, contact)) continue;
        if (!rodas_owns(view, island_of(view, contact))) continue;
        rodas_assemble_moves(view, contact, s);
        rodas_assemble_spins(view, contact, contact->body_a, s);
        rodas_assemble_spins(view, contact, contact->body_b, s);
    }
    SCENE_BARRIER();
}

/// Matrices of a step of h, factorised.
FN void rodas_prepare(const SceneView *view, real h) {
    rodas_assemble(view, 1.0 / (RODAS_GAMMA * h));
    MOVING_LOOP(b) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (!work->implicit || work->label != b) continue;
        block_matrix_factorise(island_matrix(view, b));
    }
    SCENE_BARRIER();
}

/// I^-1 times the torque in the principal axes of the start: at a stage, or at the start of the step.
FN Vec3 rodas_spin_rate(const SceneView *view, u32 b, u32 at_start) {
    Body body = view->bodies[b];
    GLOBAL const BodyWork *work = &view->works[b];
    if (!at_start)
        return vec3_multiply(spin_from_world(body.flags, view->states[b].orientation, work->torque_N_m),
                             body.inverse_inertia);
    if (is_free_ball(body.flags)) return work->rates[0].spin_rate;
    Vec3 w = view->states[b].spin_rad_per_s; // rates[0] has the gyroscopic part in it
    return vec3_sub(work->rates[0].spin_rate, motion_spin_rate(body, w, vec3_zero()));
}

/// Right-hand sides of stage i = 1..6 of a body from the forces at its point, which the trial state is.
/// rates[i] becomes what the positions change by without the velocities: (s - N)^-1 r_p.
FN void rodas_load(const SceneView *view, u32 b, real h, u32 i) {
    GLOBAL BodyWork *work = &view->works[b];
    real s = 1.0 / (RODAS_GAMMA * h);
    BodyRate sum = motion_blend(work->rates + 1, RODAS_C[i - 1], i - 1);
    if (i > 1) motion_rate(view, b, i);
    BodyRate rate = i > 1 ? work->rates[i] : work->rates[0];
    Vec3 w = i > 1 ? work->trial.spin_rad_per_s : view->states[b].spin_rad_per_s;
    if (!is_free_ball(view->bodies[b].flags))
        w = rodas_turn_rate(rodas_turn_of(motion_blend(work->rates + 1, RODAS_A[i - 1], i - 1)), w);
    Vec3 shift = vec3_scale(vec3_add_scaled(rate.velocity, sum.velocity, 1.0 / h), 1.0 / s);
    Vec3 turn = rodas_resolve_turn(view, b, s, vec3_add_scaled(w, rodas_turn_of(sum), 1.0 / h));
    BodyPush push;
    push.acceleration = vec3_add_scaled(rate.acceleration, sum.acceleration, 1.0 / h);
    push.spin_rate = vec3_add_scaled(rodas_spin_rate(view, b, i == 1), sum.spin_rate, 1.0 / h);
    GLOBAL real *side = island_matrix(view, b).side + ISLAND_BODY_ROWS * work->member;
    for (u32 k = 0; k < ISLAND_BODY_ROWS; k++) side[k] = 0.0;
    rodas_add(side, 1, push, 1.0);
    work->rates[i].velocity = shift;
    work->rates[i].turning = quat_make(0.0, turn.x, turn.y, turn.z);
}

FN BodyChange rodas_pose_change(const SceneView *view, u32 b, u32 i) {
    if (!view->works[b].implicit) return body_unchanged();
    BodyRate rate = view->works[b].rates[i];
    return rodas_change(view, b, rate.velocity, rodas_turn_of(rate), vec3_zero(), vec3_zero());
}

/// Change of a contact with the changes of pose that rodas_load left.
FN ContactChange rodas_contact_change(const SceneView *view, GLOBAL const Contact *contact, u32 i) {
    u32 a = contact->body_a, b = contact->body_b;
    GLOBAL const ContactSlopes *slopes = &contact->step.slopes;
    if (contact_turns(slopes)) return contact_change(slopes, rodas_pose_change(view, a, i), rodas_pose_change(view, b, i));
    Vec3 apart = vec3_zero();
    if (view->works[b].implicit) apart = view->works[b].rates[i].velocity;
    if (view->works[a].implicit) apart = vec3_sub(apart, view->works[a].rates[i].velocity);
    return contact_change_apart(slopes, apart);
}

/// U_i of a body, in place of what rodas_load left, from the solution of its island.
FN void rodas_unload(const SceneView *view, u32 b, real h, u32 i) {
    GLOBAL BodyWork *work = &view->works[b];
    GLOBAL const real *x = island_matrix(view, b).side + ISLAND_BODY_ROWS * work->member;
    BodyRate u = work->rates[i];
    u.acceleration = vec3_make(x[0], x[1], x[2]);
    u.spin_rate = vec3_make(x[3], x[4], x[5]);
    real s = 1.0 / (RODAS_GAMMA * h);
    u.velocity = vec3_add_scaled(u.velocity, u.acceleration, 1.0 / s);
    Vec3 turn = rodas_resolve_turn(view, b, s, u.spin_rate);
    u.turning = quat_make(0.0, u.turning.x + turn.x, u.turning.y + turn.y, u.turning.z + turn.z);
    work->rates[i] = u;
}

/// Solve for U_i, i = 1..6, of all implicit bodies; kept in rates[i].
FN void rodas_solve(const SceneView *view, real h, u32 i) {
    MOVING_LOOP(b) {
        if (view->works[b].implicit) rodas_load(view, b, h, i);
    }
    SCENE_BARRIER();
    EACH_AWAKE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (!rodas_is_implicit(view, contact)) continue;
        if (!rodas_owns(view, island_of(view, contact))) continue;
        ContactChange change = rodas_contact_change(view, contact, i);
        rodas_add_change(view, contact, change, NONE, 0, 1.0);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (!work->implicit || work->label != b) continue;
        block_matrix_solve(island_matrix(view, b));
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (view->works[b].implicit) rodas_unload(view, b, h, i);
    }
    SCENE_BARRIER();
}

/// Trial state at the point that row i of RODAS_A gives from U_1 .. U_i.
FN void rodas_move(const SceneView *view, u32 b, real h, u32 i) {
    GLOBAL BodyWork *work = &view->works[b];
    BodyRate sum = motion_blend(work->rates + 1, RODAS_A[i], i);
    BodyState state = view->states[b];
    Vec3 turned = rodas_turn_of(sum);
    sum.turning = quat_make(0.0, 0.0, 0.0, 0.0);
    BodyState moved = motion_move(state, sum, 1.0);
    if (is_free_ball(view->bodies[b].flags)) {
        if (i == RODAS_STAGES)
            moved.orientation =
                motion_turn_ball(state.orientation, turned, state.spin_rad_per_s, moved.spin_rad_per_s, h);
        work->trial = moved;
        return;
    }
    Quat turn = quat_exp(turned);
    moved.orientation = quat_normalize(quat_multiply(state.orientation, turn));
    Body body = view->bodies[b];
    Vec3 momentum = vec3_multiply(body.inertia_kg_m2, moved.spin_rad_per_s);
    moved.spin_rad_per_s = vec3_multiply(quat_rotate_back(turn, momentum), body.inverse_inertia);
    work->trial = moved;
}

FN BodyChange rodas_mean_change(const SceneView *view, u32 b) {
    if (!view->works[b].implicit) return body_unchanged();
    BodyRate sum = motion_blend(view->works[b].rates + 1, RODAS_W, RODAS_STAGES);
    return rodas_change(view, b, sum.velocity, rodas_turn_of(sum), sum.acceleration, sum.spin_rate);
}

/// The part of what implicit contacts hand over in a step that comes from their derivatives, once all U
/// are there.
FN void rodas_finish_transfer(const SceneView *view, real h) {
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!rodas_is_implicit(view, contact)) continue;
        ContactChange change =
            contact_change(&contact->step.slopes, rodas_mean_change(view, contact->body_a),
                           rodas_mean_change(view, contact->body_b));
        contact->step_impulse_N_s = vec3_add_scaled(contact->step_impulse_N_s, change.force_N, h);
        contact->step_loss_J = real_fma(change.loss_W, h, contact->step_loss_J);
    }
}

#endif
