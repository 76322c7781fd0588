// Steps of a solid whose contacts are all corners of it on planes that do not move at all: a box, a capsule or a hull on the
// ground, perhaps against a wall. What its corners share is done once in a stage, states stay in private memory from stage to
// stage, and in implicit steps the derivatives of all corners are summed in closed form. Explicit steps have the bits of
// substep.h, implicit ones are those of rodas.h to rounding.
#ifndef CLACK_CORNERS_H
#define CLACK_CORNERS_H

#include "rodas.h"

// One of its contacts in a trial step, as what the plane does to the solid.
typedef struct CornerTouch {
    GLOBAL Contact *contact;
    GLOBAL const ContactLaw *law;
    LawConstants constants;
    Vec3 corner_m;              // from the centre of mass in the principal frame
    real ball_m;
    Vec3 plane_m, arm_m, up;    // where the plane's body is, a point of the plane from there, and its normal
    Vec3 impulse_N_s;           // in the step
    real loss_J;
} CornerTouch;

typedef struct Corners {
    u32 body, count;
    CornerTouch touches[CORNERS_MAX];
    BodyState start, at;      // at the start and at the present stage,
    real turn_scale;          // of quat_turn_by there,
    Vec3 force_N, torque_N_m; // and what all contacts do
} Corners;

FN_SHORT u32 corners_is_a(GLOBAL const Contact *contact) { return contact->corner == CORNER_OF_A ? 1u : 0u; }

/// The `at`-th of the contacts that are awake and all others of the same body, which come after it. weight: of the forces at
/// the start in what the step hands over.
FN void corners_load(const SceneView *view, u32 at, real weight, Corners *corners) {
    GLOBAL const Contact *first = &view->contacts[view->awake[at]];
    corners->body = corners_is_a(first) ? first->body_a : first->body_b;
    corners->start = view->states[corners->body];
    u32 count = 0, contacts = view->works[corners->body].contacts;
    for (; at < view->slot->awake_count && count < u32_min(contacts, CORNERS_MAX); at++) {
        GLOBAL Contact *contact = &view->contacts[view->awake[at]];
        u32 is_a = corners_is_a(contact), plane = is_a ? contact->shape_b : contact->shape_a;
        if (contact->cornered == CORNERED_NOT || (is_a ? contact->body_a : contact->body_b) != corners->body) continue;
        CornerTouch *touch = &corners->touches[count++];
        touch->contact = contact;
        touch->law = &view->laws[contact->law];
        touch->constants = contact_constants(contact);
        touch->corner_m = contact->corner_m;
        touch->ball_m = shape_ball_radius(&view->shapes[is_a ? contact->shape_a : contact->shape_b]);
        touch->plane_m = view->states[is_a ? contact->body_b : contact->body_a].position_m;
        touch->arm_m = view->placed[plane].arm_m;
        touch->up = narrow_axis_z(view->placed[plane].turn);
        touch->impulse_N_s = vec3_scale(contact->start_force_N, is_a ? 0.0 - weight : weight);
        touch->loss_J = contact->start_loss_W * weight;
    }
    corners->count = count;
}

/// All contacts at the present stage, and what they hand over there: contact_meet_standing and law_force with the solid as B,
/// which differs in signs alone.
FN_SHORT void corners_evaluate(const SceneView *view, Corners *corners, real weight) {
    CornerSolid solid = contact_corner_solid(view->bodies[corners->body].flags, corners->at);
    corners->turn_scale = solid.turn_scale;
    Vec3 force = vec3_zero(), torque = vec3_zero();
    for (u32 k = 0; k < corners->count; k++) {
        CornerTouch *touch = &corners->touches[k];
        ContactLaw law = *touch->law;
        law.shear = 0.0; // none has springs
        Vec3 corner = quat_turn_by(solid.orientation, solid.turn_scale, touch->corner_m);
        Vec3 offset = vec3_add(vec3_sub(vec3_sub(touch->plane_m, solid.position_m), corner), touch->arm_m);
        real height = 0.0 - vec3_dot(offset, touch->up);
        Vec3 lever = vec3_sub(corner, vec3_scale(touch->up, 0.5 * (touch->ball_m + height)));
        Vec3 velocity = vec3_add(solid.velocity_m_per_s, vec3_cross(solid.spin_rad_per_s, lever));
        LawForce by = law_force(touch->constants, law, touch->ball_m - height, touch->up, velocity, solid.spin_rad_per_s, 0);
        force = vec3_add(force, by.force_N);
        torque = vec3_add(torque, vec3_add(vec3_cross(lever, by.force_N), by.torque_N_m));
        touch->impulse_N_s = vec3_add_scaled(touch->impulse_N_s, by.force_N, weight);
        touch->loss_J = real_fma(by.loss_W, weight, touch->loss_J);
    }
    corners->force_N = force;
    corners->torque_N_m = torque;
}

/// All contacts at the end of the step, where they are kept.
FN_ONCE void corners_end(const SceneView *view, Corners *corners) {
    CornerSolid solid = contact_corner_solid(view->bodies[corners->body].flags, corners->at);
    corners->turn_scale = solid.turn_scale;
    Vec3 force = vec3_zero(), torque = vec3_zero();
    for (u32 k = 0; k < corners->count; k++) {
        const CornerTouch *touch = &corners->touches[k];
        GLOBAL Contact *contact = touch->contact;
        u32 is_a = corners_is_a(contact);
        Meeting meeting = contact_meet_standing(contact, is_a, touch->ball_m, solid, view->placed[is_a ? contact->shape_b : contact->shape_a],
                                                touch->plane_m);
        contact_keep(contact, meeting, contact_force_standing(contact, *touch->law, meeting));
        contact->step_impulse_N_s = is_a ? vec3_negate(touch->impulse_N_s) : touch->impulse_N_s;
        contact->step_loss_J = touch->loss_J;
        force = is_a ? vec3_sub(force, contact->force_N) : vec3_add(force, contact->force_N);
        torque = vec3_add(torque, is_a ? contact->torque_a_N_m : contact->torque_b_N_m);
    }
    corners->force_N = force;
    corners->torque_N_m = torque;
}

/// Rates at the present stage, as motion_rate.
FN_SHORT BodyRate corners_rate(const SceneView *view, const Corners *corners) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    Vec3 w = corners->at.spin_rad_per_s;
    Quat q = corners->at.orientation, turning = quat_multiply(q, quat_make(0.0, w.x, w.y, w.z));
    BodyRate rate;
    rate.velocity = corners->at.velocity_m_per_s;
    rate.acceleration = vec3_add_scaled(view->scene->gravity_m_per_s2, corners->force_N, body->inverse_mass);
    rate.turning = quat_make(0.5 * turning.w, 0.5 * turning.x, 0.5 * turning.y, 0.5 * turning.z);
    rate.spin_rate = motion_spin_rate(*body, w, quat_turn_by(quat_conjugate(q), corners->turn_scale, corners->torque_N_m));
    return rate;
}

/// motion_blend, of rates the last of which is still in private memory: a processor would wait for it to be read as a vector.
FN_SHORT BodyRate corners_blend(GLOBAL const BodyRate *rates, CONSTANT_POINTER const real *row, u32 count, BodyRate last) {
    real weight = row[count - 1u];
    BodyRate sum;
    if (count == 1u) {
        sum.velocity = vec3_scale(last.velocity, weight);
        sum.acceleration = vec3_scale(last.acceleration, weight);
        sum.spin_rate = vec3_scale(last.spin_rate, weight);
        sum.turning = quat_make(last.turning.w * weight, last.turning.x * weight, last.turning.y * weight, last.turning.z * weight);
        return sum;
    }
    sum = motion_blend(rates, row, count - 1u);
    sum.velocity = vec3_add_scaled(sum.velocity, last.velocity, weight);
    sum.acceleration = vec3_add_scaled(sum.acceleration, last.acceleration, weight);
    sum.spin_rate = vec3_add_scaled(sum.spin_rate, last.spin_rate, weight);
    sum.turning = quat_make(real_fma(last.turning.w, weight, sum.turning.w), real_fma(last.turning.x, weight, sum.turning.x),
                            real_fma(last.turning.y, weight, sum.turning.y), real_fma(last.turning.z, weight, sum.turning.z));
    return sum;
}

/// All stages of an explicit step of h.
FN_ONCE void corners_try(const SceneView *view, Corners *corners, real h) {
    GLOBAL BodyWork *work = &view->works[corners->body];
    BodyRate last = work->rates[0];
    for (u32 stage = 1; stage < STAGES - 1; stage++) {
        corners->at = motion_move(corners->start, corners_blend(work->rates, TSIT5[stage], stage, last), h);
        corners_evaluate(view, corners, h * TSIT5[STAGES - 1][stage]);
        last = corners_rate(view, corners);
        work->rates[stage] = last;
    }
    corners->at = motion_move(corners->start, corners_blend(work->rates, TSIT5[STAGES - 1], STAGES - 1, last), h);
    corners->at.orientation = quat_normalize(corners->at.orientation);
    corners_end(view, corners);
    work->rates[STAGES - 1] = corners_rate(view, corners);
    work->trial = corners->at;
}

// --- implicit steps --------------------------------------------------------------------------------------------

// Changes of the force and torque on a solid with its velocity, spin, shift and turn, each along the axes of the world.
typedef struct CornerSums {
    Vec3 force_velocity[3], force_spin[3], force_shift[3], force_turn[3];
    Vec3 torque_velocity[3], torque_spin[3], torque_shift[3], torque_turn[3];
} CornerSums;

/// Three columns times a vector.
FN_SHORT Vec3 corners_by(const Vec3 *columns, Vec3 by) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(columns[0], by.x), columns[1], by.y), columns[2], by.z);
}

// What of a corner's slopes all columns share. With p the way of the corner of the core the gap changes by up . p and the
// contact point moves by p - up (up . p) / 2; follow: change of the force with the velocity at the contact point.
typedef struct CornerShare {
    Vec3 up, corner_m, lever_m, spin_rad_per_s, force_N;
    Vec3 follow[3];
    Vec3 push_N, twist_N_m; // force and torque for each metre of the gap, with what of the point's way comes with it
    Vec3 gap_turn_m;        // change of the gap with the turn
    Vec3 sweep;             // of resistance against rolling, which acts along the spin: for each unit of velocity
    real rolling, rolling_bend, rolling_push;
} CornerShare;

FN_SHORT CornerShare corners_share(GLOBAL const CornerSlopes *s) {
    CornerShare share;
    Vec3 n = s->up, sliding = vec3_add_scaled(s->velocity_m_per_s, n, 0.0 - s->law.along_m_per_s);
    real stiffer = s->law.friction - s->law.drag;
    Vec3 drags = vec3_add_scaled(vec3_scale(sliding, s->law.friction_bend), n, s->law.friction_per_N * s->law.drag);
    for (u32 k = 0; k < 3; k++) {
        Vec3 column = vec3_add_scaled(vec3_scale(vec3_unit(k), 0.0 - s->law.friction), n, stiffer * vec3_component(n, k));
        share.follow[k] = vec3_add_scaled(column, sliding, vec3_component(drags, k));
    }
    share.up = n;
    share.corner_m = s->corner_m;
    share.lever_m = s->lever_m;
    share.spin_rad_per_s = s->spin_rad_per_s;
    share.force_N = s->force_N;
    Vec3 push = vec3_add_scaled(vec3_scale(n, 0.0 - s->law.push), sliding, s->law.friction_per_N * s->law.push);
    share.push_N = vec3_add_scaled(push, corners_by(share.follow, vec3_cross(s->spin_rad_per_s, n)), -0.5);
    share.rolling = s->law.rolling;
    share.rolling_bend = s->law.rolling_bend;
    share.rolling_push = s->law.rolling_per_N * s->law.push;
    share.sweep = vec3_scale(n, s->law.rolling_per_N * s->law.drag);
    share.twist_N_m = vec3_add_scaled(vec3_cross(s->lever_m, share.push_N), vec3_cross(n, s->force_N), -0.5);
    share.twist_N_m = vec3_add_scaled(share.twist_N_m, s->spin_rad_per_s, share.rolling_push);
    share.gap_turn_m = vec3_cross(s->corner_m, n);
    return share;
}

/// The k-th of each three columns of a corner.
FN_SHORT void corners_add(const CornerShare *s, u32 k, CornerSums *sums) {
    Vec3 axis = vec3_unit(k), w = s->spin_rad_per_s;
    Vec3 by_velocity = s->follow[k], swept = vec3_cross(axis, s->lever_m), by_spin = corners_by(s->follow, swept);
    sums->force_velocity[k] = vec3_add(sums->force_velocity[k], by_velocity);
    sums->force_spin[k] = vec3_add(sums->force_spin[k], by_spin);
    real gap = vec3_component(s->up, k), gap_turned = vec3_component(s->gap_turn_m, k);
    sums->force_shift[k] = vec3_add_scaled(sums->force_shift[k], s->push_N, gap);
    sums->torque_shift[k] = vec3_add_scaled(sums->torque_shift[k], s->twist_N_m, gap);
    Vec3 way = vec3_cross(axis, s->corner_m), carried = vec3_cross(w, way), by_way = corners_by(s->follow, carried);
    sums->force_turn[k] = vec3_add(vec3_add_scaled(sums->force_turn[k], s->push_N, gap_turned), by_way);
    Vec3 twist = vec3_add(vec3_cross(s->lever_m, by_way), vec3_cross(way, s->force_N));
    twist = vec3_add_scaled(twist, s->twist_N_m, gap_turned);
    Vec3 velocity_twist = vec3_cross(s->lever_m, by_velocity), spin_twist = vec3_cross(s->lever_m, by_spin);
    if (s->rolling != 0.0 || s->rolling_push != 0.0) {
        velocity_twist = vec3_add_scaled(velocity_twist, w, vec3_component(s->sweep, k));
        spin_twist = vec3_add_scaled(spin_twist, axis, 0.0 - s->rolling);
        spin_twist = vec3_add_scaled(spin_twist, w, s->rolling_bend * vec3_component(w, k) + vec3_dot(s->sweep, swept));
        twist = vec3_add_scaled(twist, w, vec3_dot(s->sweep, carried));
    }
    sums->torque_velocity[k] = vec3_add(sums->torque_velocity[k], velocity_twist);
    sums->torque_spin[k] = vec3_add(sums->torque_spin[k], spin_twist);
    sums->torque_turn[k] = vec3_add(sums->torque_turn[k], twist);
}

FN_ONCE void corners_sum(const Corners *corners, CornerSums *sums) {
    for (u32 k = 0; k < 3; k++) {
        sums->force_velocity[k] = sums->force_spin[k] = sums->force_shift[k] = sums->force_turn[k] = vec3_zero();
        sums->torque_velocity[k] = sums->torque_spin[k] = sums->torque_shift[k] = sums->torque_turn[k] = vec3_zero();
    }
    for (u32 i = 0; i < corners->count; i++) {
        CornerShare share = corners_share(&corners->touches[i].contact->step.corner);
        corners_add(&share, 0, sums);
        corners_add(&share, 1, sums);
        corners_add(&share, 2, sums);
    }
}

/// A column of a matrix from what a force and a torque do to the body. turn: its attitude.
FN_SHORT void corners_keep_column(GLOBAL real *at, GLOBAL const Body *body, Mat3 turn, Vec3 force, Vec3 torque, real weight) {
    rodas_keep(at, vec3_scale(force, weight * body->inverse_mass));
    rodas_keep(at + 3, vec3_multiply(vec3_scale(mat3_rotate_back(turn, torque), weight), body->inverse_inertia));
}

/// The matrix of rodas_assemble and its `poses`, inverted.
FN_ONCE void corners_prepare(const SceneView *view, const Corners *corners, BlockMatrix m, real s) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    Mat3 turn = mat3_from_quat(corners->start.orientation);
    CornerSums sums;
    corners_sum(corners, &sums);
    rodas_take_turn(view, corners->body, s);
    GLOBAL const real *rows = rodas_turn_matrix(view, corners->body);
    for (u32 k = 0; k < 3; k++) {
        u32 first = ISLAND_BODY_ROWS * k, second = first + 3u * ISLAND_BODY_ROWS;
        corners_keep_column(m.poses + first, body, turn, sums.force_shift[k], sums.torque_shift[k], 1.0 / s);
        corners_keep_column(m.blocks + first, body, turn, sums.force_velocity[k], sums.torque_velocity[k], -1.0);
        Vec3 spin = mat3_column(turn, k);
        corners_keep_column(m.blocks + second, body, turn, corners_by(sums.force_spin, spin), corners_by(sums.torque_spin, spin), -1.0);
        // The spin's turn, and what the velocities of points change by with that.
        Vec3 turned = vec3_make(rows[k], rows[3u + k], rows[6u + k]), w = corners->start.spin_rad_per_s;
        spin = mat3_rotate(turn, vec3_add(rodas_lag(body, w, turned), vec3_cross(turned, w)));
        turned = mat3_rotate(turn, turned);
        Vec3 force = vec3_add(corners_by(sums.force_turn, turned), corners_by(sums.force_spin, spin));
        Vec3 torque = vec3_add(corners_by(sums.torque_turn, turned), corners_by(sums.torque_spin, spin));
        corners_keep_column(m.poses + second, body, turn, force, torque, 1.0);
    }
    for (u32 i = 0; i < BLOCK_NUMBERS; i += ISLAND_BODY_ROWS + 1u) m.blocks[i] += s;
    block_matrix_take_poses(m);
    block_invert(m.blocks);
}

/// Right-hand sides of stage i, as rodas_load. mixed: the blend of the U before; turned: how far the body has turned.
FN_SHORT void corners_load_sides(const SceneView *view, const Corners *corners, BlockMatrix m, real h, u32 i, BodyRate mixed,
                                 Vec3 turned) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    GLOBAL const BodyRate *first = &view->works[corners->body].rates[0];
    Vec3 w = corners->start.spin_rad_per_s, velocity = corners->start.velocity_m_per_s, push = first->acceleration;
    Vec3 spin_rate;
    if (i == 1) {
        spin_rate = vec3_sub(first->spin_rate, motion_spin_rate(*body, w, vec3_zero()));
    } else {
        real per_h = 1.0 / h;
        Vec3 torque = quat_rotate_back(corners->start.orientation, corners->torque_N_m);
        push = vec3_add(vec3_scale(corners->force_N, body->inverse_mass), view->scene->gravity_m_per_s2);
        push = vec3_add_scaled(push, mixed.acceleration, per_h);
        spin_rate = vec3_add_scaled(vec3_multiply(torque, body->inverse_inertia), mixed.spin_rate, per_h);
        velocity = vec3_add_scaled(corners->at.velocity_m_per_s, mixed.velocity, per_h);
        w = vec3_add_scaled(rodas_turn_rate(turned, corners->at.spin_rad_per_s), rodas_turn_of(mixed.turning), per_h);
    }
    rodas_keep(m.side, push);
    rodas_keep(m.side + 3, spin_rate);
    rodas_keep(m.way, velocity);
    rodas_keep(m.way + 3, w);
}

/// The trial state of a stage from its blend of U, as rodas_move.
FN_SHORT void corners_move(const SceneView *view, Corners *corners, BodyRate sum) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    BodyState start = corners->start;
    Quat turn = quat_exp(rodas_turn_of(sum.turning));
    Vec3 spin = vec3_add(start.spin_rad_per_s, sum.spin_rate);
    Vec3 momentum = quat_rotate_back(turn, vec3_multiply(body->inertia_kg_m2, spin));
    corners->at.position_m = vec3_add(start.position_m, sum.velocity);
    corners->at.velocity_m_per_s = vec3_add(start.velocity_m_per_s, sum.acceleration);
    corners->at.orientation = quat_normalize(quat_multiply(start.orientation, turn));
    corners->at.spin_rad_per_s = vec3_multiply(momentum, body->inverse_inertia);
}

/// The part of what the contacts hand over that comes from their derivatives, as rodas_finish_transfer.
FN_ONCE void corners_finish_transfer(const SceneView *view, Corners *corners, real h) {
    BodyRate sum = motion_blend(view->works[corners->body].rates + 1, RODAS_W, RODAS_STAGES);
    BodyChange mean = rodas_change(view, corners->body, sum.velocity, rodas_turn_of(sum.turning), sum.acceleration, sum.spin_rate);
    for (u32 k = 0; k < corners->count; k++) {
        CornerTouch *touch = &corners->touches[k];
        GLOBAL const CornerSlopes *s = &touch->contact->step.corner;
        Vec3 way = vec3_cross(mean.turn, s->corner_m);
        real gap = vec3_dot(s->up, vec3_add(mean.shift_m, way));
        Vec3 lever = vec3_add_scaled(way, s->up, -0.5 * gap);
        Vec3 at = vec3_add(vec3_cross(mean.spin_rad_per_s, s->lever_m), vec3_cross(s->spin_rad_per_s, lever));
        LawChange change = law_change(&s->law, s->up, s->velocity_m_per_s, s->spin_rad_per_s, gap, vec3_zero(),
                                      vec3_add(mean.velocity_m_per_s, at), mean.spin_rad_per_s);
        touch->impulse_N_s = vec3_add_scaled(touch->impulse_N_s, change.force_N, h);
        touch->loss_J = real_fma(change.loss_W, h, touch->loss_J);
    }
}

/// All stages of an implicit step of h, which is at least `solved_h`.
FN_ONCE void corners_try_implicitly(const SceneView *view, Corners *corners, real h, real solved_h) {
    GLOBAL BodyWork *work = &view->works[corners->body];
    BlockMatrix m = island_matrix(view, corners->body);
    real s = 1.0 / (RODAS_GAMMA * solved_h);
    corners_prepare(view, corners, m, s);
    BodyRate mixed = work->rates[0];
    Vec3 turned = vec3_zero();
    for (u32 i = 1; i <= RODAS_STAGES; i++) {
        corners_load_sides(view, corners, m, solved_h, i, mixed, turned);
        block_add(m.side, m.poses, m.way);
        block_multiply(m.blocks, m.side, 1);
        BodyRate u;
        u.acceleration = rodas_kept(m.side);
        u.spin_rate = rodas_kept(m.side + 3);
        u.velocity = vec3_scale(vec3_add(rodas_kept(m.way), u.acceleration), 1.0 / s);
        turned = rodas_resolve_turn(view, corners->body, s, vec3_add(rodas_kept(m.way + 3), u.spin_rate));
        u.turning = quat_make(0.0, turned.x, turned.y, turned.z);
        work->rates[i] = u;
        BodyRate sum = corners_blend(work->rates + 1, RODAS_A[i], i, u);
        if (i < RODAS_STAGES) mixed = corners_blend(work->rates + 1, RODAS_C[i], i, u);
        turned = rodas_turn_of(sum.turning);
        corners_move(view, corners, sum);
        if (i < RODAS_STAGES) corners_evaluate(view, corners, h * RODAS_W[i]);
    }
    corners_finish_transfer(view, corners, h);
    corners_end(view, corners);
    work->rates[1] = work->rates[RODAS_STAGES]; // U_6, the error
    work->rates[STAGES - 1] = corners_rate(view, corners);
    work->trial = corners->at;
}

/// The body whose first contact is the `at`-th that is awake through a step of h: what substep_touch does for the others.
FN_ONCE void corners_touch(const SceneView *view, u32 at, real h, real solved_h) {
    Corners corners;
    GLOBAL const Contact *first = &view->contacts[view->awake[at]];
    u32 is_implicit = view->works[corners_is_a(first) ? first->body_a : first->body_b].implicit;
    corners_load(view, at, h * (is_implicit ? RODAS_W[0] : TSIT5[STAGES - 1][0]), &corners);
    if (is_implicit) corners_try_implicitly(view, &corners, h, solved_h);
    else corners_try(view, &corners, h);
}

#endif
