// Implicit steps of corner_contacts.h: the derivatives of all corners of a body are summed in closed form. The steps
// are those of rodas.h to rounding.
#ifndef CLACK_FAST_CORNER_CONTACTS_IMPLICIT_H
#define CLACK_FAST_CORNER_CONTACTS_IMPLICIT_H

#include "law/contact_jacobian.h"
#include "law/law_damping.h"
#include "integrate/motion.h"
#include "integrate/rodas.h"
#include "fast/corner_contacts.h"

// Changes of the force and torque on a solid with its velocity, spin, shift and turn, each along the axes of the world.
typedef struct CornerSums {
    Wide3 force_velocity[3], force_spin[3], force_shift[3], force_turn[3];
    Wide3 torque_velocity[3], torque_spin[3], torque_shift[3], torque_turn[3];
} CornerSums;

/// Three columns times a vector.
FN_SHORT Wide3 corners_by(const Wide3 *columns, Wide3 by) {
    return wide3_blend(COPY(columns[0]), COPY(columns[1]), COPY(columns[2]), by);
}

/// The k-th axis of the world times a vector, and three columns times that.
FN_SHORT Vec3 corners_axis_cross(u32 k, Vec3 v) {
    if (k == 0) return vec3_make(0.0, 0.0 - v.z, v.y);
    return k == 1 ? vec3_make(v.z, 0.0, 0.0 - v.x) : vec3_make(0.0 - v.y, v.x, 0.0);
}
FN_SHORT Wide3 corners_by_axis_cross(const Wide3 *columns, u32 k, Vec3 v) {
    if (k == 0) return wide3_add_scaled(wide3_scale(COPY(columns[2]), v.y), COPY(columns[1]), 0.0 - v.z);
    if (k == 1) return wide3_add_scaled(wide3_scale(COPY(columns[0]), v.z), COPY(columns[2]), 0.0 - v.x);
    return wide3_add_scaled(wide3_scale(COPY(columns[1]), v.x), COPY(columns[0]), 0.0 - v.y);
}

// What of a corner's jacobian all columns share. With p the displacement of the corner of the core the gap changes by
// up . p and the contact point moves by p - up (up . p) / 2; follow: change of the force with the velocity at the
// contact point.
typedef struct CornerTerms {
    Vec3 up, corner_m, lever_m, spin_rad_per_s;
    Wide3 corners_m, levers_m, forces_N; // the same, and the force, as they are multiplied by others
    Wide3 follow[3];
    Wide3 carry[3]; // follow of the spin times each axis
    // Force and torque for each metre of the gap, with those of the point's displacement that comes with it.
    Wide3 force_N_per_m, torque_N_m_per_m;
    Vec3 gap_turn_m; // change of the gap with the turn
    Vec3 sweep;      // of resistance against rolling, which acts along the spin: for each unit of velocity
    real rolling, rolling_per_spin, rolling_per_gap;
} CornerTerms;

FN_STAGE void corners_terms(GLOBAL const CornerJacobian *s, CornerTerms *terms) {
    Vec3 n = s->up, sliding = vec3_add_scaled(s->velocity_m_per_s, n, 0.0 - s->law.along_m_per_s);
    real stiffer = s->law.friction - s->law.normal_damping;
    Vec3 drags = vec3_add_scaled(vec3_scale(sliding, s->law.friction_per_slip), n,
                                 s->law.friction_per_N * s->law.normal_damping);
    Vec3 against = vec3_negate(s->spin_rad_per_s); // an axis times it is the spin times the axis
    Wide3 up = wide3_of(n), slides = wide3_of(sliding), spin = wide3_of(COPY(s->spin_rad_per_s));
    terms->follow[0] = wide3_add_scaled(wide3_scale(up, stiffer * n.x), slides, drags.x);
    terms->follow[1] = wide3_add_scaled(wide3_scale(up, stiffer * n.y), slides, drags.y);
    terms->follow[2] = wide3_add_scaled(wide3_scale(up, stiffer * n.z), slides, drags.z);
    terms->follow[0] = wide3_sub(COPY(terms->follow[0]), wide3_scale(wide3_of(vec3_unit(0)), s->law.friction));
    terms->follow[1] = wide3_sub(COPY(terms->follow[1]), wide3_scale(wide3_of(vec3_unit(1)), s->law.friction));
    terms->follow[2] = wide3_sub(COPY(terms->follow[2]), wide3_scale(wide3_of(vec3_unit(2)), s->law.friction));
    terms->carry[0] = corners_by_axis_cross(terms->follow, 0, against);
    terms->carry[1] = corners_by_axis_cross(terms->follow, 1, against);
    terms->carry[2] = corners_by_axis_cross(terms->follow, 2, against);
    terms->up = n;
    terms->corner_m = s->corner_m;
    terms->lever_m = s->lever_m;
    terms->spin_rad_per_s = s->spin_rad_per_s;
    terms->corners_m = wide3_of(COPY(s->corner_m));
    terms->levers_m = wide3_of(COPY(s->lever_m));
    terms->forces_N = wide3_of(COPY(s->force_N));
    Wide3 force = wide3_add_scaled(wide3_scale(up, 0.0 - s->law.normal_stiffness), slides,
                                   s->law.friction_per_N * s->law.normal_stiffness);
    terms->force_N_per_m = wide3_add_scaled(force, corners_by(terms->follow, wide3_cross(spin, up)), -0.5);
    terms->rolling = s->law.rolling;
    terms->rolling_per_spin = s->law.rolling_per_spin;
    terms->rolling_per_gap = s->law.rolling_per_N * s->law.normal_stiffness;
    terms->sweep = vec3_scale(n, s->law.rolling_per_N * s->law.normal_damping);
    terms->torque_N_m_per_m = wide3_add_scaled(wide3_cross(COPY(terms->levers_m), COPY(terms->force_N_per_m)),
                                               wide3_cross(up, COPY(terms->forces_N)), -0.5);
    terms->torque_N_m_per_m = wide3_add_scaled(COPY(terms->torque_N_m_per_m), spin, terms->rolling_per_gap);
    terms->gap_turn_m = vec3_cross(s->corner_m, n);
}

/// The k-th of each three columns of a corner.
FN_STAGE void corners_add(const CornerTerms *s, u32 k, CornerSums *sums) {
    Wide3 by_velocity = s->follow[k], by_spin = corners_by_axis_cross(s->follow, k, COPY(s->lever_m));
    sums->force_velocity[k] = wide3_add(COPY(sums->force_velocity[k]), by_velocity);
    sums->force_spin[k] = wide3_add(COPY(sums->force_spin[k]), by_spin);
    real gap = vec3_component(s->up, k), gap_turned = vec3_component(s->gap_turn_m, k);
    sums->force_shift[k] = wide3_add_scaled(COPY(sums->force_shift[k]), COPY(s->force_N_per_m), gap);
    sums->torque_shift[k] = wide3_add_scaled(COPY(sums->torque_shift[k]), COPY(s->torque_N_m_per_m), gap);
    Wide3 by_displacement = corners_by_axis_cross(s->carry, k, COPY(s->corner_m));
    sums->force_turn[k] =
        wide3_add(wide3_add_scaled(COPY(sums->force_turn[k]), COPY(s->force_N_per_m), gap_turned), by_displacement);
    Wide3 torque = wide3_add(wide3_cross(COPY(s->levers_m), by_displacement),
                             wide3_cross(wide3_axis_cross(k, COPY(s->corners_m)), COPY(s->forces_N)));
    torque = wide3_add_scaled(torque, COPY(s->torque_N_m_per_m), gap_turned);
    Wide3 velocity_torque = wide3_cross(COPY(s->levers_m), by_velocity),
          spin_torque = wide3_cross(COPY(s->levers_m), by_spin);
    if (s->rolling != 0.0 || s->rolling_per_gap != 0.0) {
        Vec3 w = s->spin_rad_per_s, swept = corners_axis_cross(k, COPY(s->lever_m));
        Wide3 along = wide3_of(w);
        velocity_torque = wide3_add_scaled(velocity_torque, along, vec3_component(s->sweep, k));
        spin_torque = wide3_add_scaled(spin_torque, wide3_of(vec3_unit(k)), 0.0 - s->rolling);
        spin_torque = wide3_add_scaled(spin_torque, along,
                                       s->rolling_per_spin * vec3_component(w, k) + vec3_dot(s->sweep, swept));
        torque = wide3_add_scaled(torque, along,
                                  vec3_dot(s->sweep, vec3_cross(w, corners_axis_cross(k, COPY(s->corner_m)))));
    }
    sums->torque_velocity[k] = wide3_add(COPY(sums->torque_velocity[k]), velocity_torque);
    sums->torque_spin[k] = wide3_add(COPY(sums->torque_spin[k]), spin_torque);
    sums->torque_turn[k] = wide3_add(COPY(sums->torque_turn[k]), torque);
}

FN_ONCE void corners_sum(const Corners *corners, CornerSums *sums) {
    for (u32 k = 0; k < 3; k++) {
        sums->force_velocity[k] = sums->force_spin[k] = sums->force_shift[k] = sums->force_turn[k] = wide3_zero();
        sums->torque_velocity[k] = sums->torque_spin[k] = sums->torque_shift[k] = sums->torque_turn[k] = wide3_zero();
    }
    for (u32 i = 0; i < corners->count; i++) {
        CornerTerms terms;
        corners_terms(&corners->touches[i].contact->step.corner, &terms);
        corners_add(&terms, 0, sums);
        corners_add(&terms, 1, sums);
        corners_add(&terms, 2, sums);
    }
}

// A column of the matrix: changes of velocity, and of spin in principal axes.
typedef struct CornerColumn {
    Wide3 acceleration, spin_rate;
} CornerColumn;

// The body as its columns want it: its attitude by rows, and what it weighs.
typedef struct CornerBody {
    Wide3 x, y, z, inverse_inertia;
    real inverse_mass;
} CornerBody;

FN_SHORT CornerBody corners_body(GLOBAL const Body *body, const Mat3 *turn) {
    CornerBody of;
    of.x = wide3_of(COPY(turn->x));
    of.y = wide3_of(COPY(turn->y));
    of.z = wide3_of(COPY(turn->z));
    of.inverse_inertia = wide3_of(COPY(body->inverse_inertia));
    of.inverse_mass = body->inverse_mass;
    return of;
}

/// What a force and a torque do to the body in its axes.
FN_SHORT CornerColumn corners_accelerations(const CornerBody *body, Wide3 force, Wide3 torque) {
    CornerColumn rates;
    rates.acceleration = wide3_scale(force, body->inverse_mass);
    rates.spin_rate = wide3_multiply(wide3_blend_back(COPY(body->x), COPY(body->y), COPY(body->z), torque),
                                     COPY(body->inverse_inertia));
    return rates;
}

// The matrix of a body alone and its `poses` (block_matrix.h), in private memory.
typedef struct CornerMatrix {
    CornerColumn blocks[ISLAND_BODY_ROWS], poses[ISLAND_BODY_ROWS];
} CornerMatrix;

/// A column of the matrix from what comes with a motion, and with the change of pose that goes with it.
FN_SHORT void corners_keep_column(CornerMatrix *m, u32 column, CornerColumn motion, CornerColumn pose) {
    CornerColumn *block = &m->blocks[column];
    Wide3 none = wide3_zero();
    m->poses[column] = pose;
    block->acceleration = wide3_sub(wide3_sub(none, motion.acceleration), pose.acceleration);
    block->spin_rate = wide3_sub(wide3_sub(none, motion.spin_rate), pose.spin_rate);
}

/// Six columns times two vectors.
FN_STAGE CornerColumn corners_multiply(const CornerColumn *m, Vec3 x, Vec3 y) {
    Wide3 a = wide3_scale(COPY(m[0].acceleration), x.x), b = wide3_scale(COPY(m[0].spin_rate), x.x);
    a = wide3_add_scaled(a, COPY(m[1].acceleration), x.y);
    b = wide3_add_scaled(b, COPY(m[1].spin_rate), x.y);
    a = wide3_add_scaled(a, COPY(m[2].acceleration), x.z);
    b = wide3_add_scaled(b, COPY(m[2].spin_rate), x.z);
    a = wide3_add_scaled(a, COPY(m[3].acceleration), y.x);
    b = wide3_add_scaled(b, COPY(m[3].spin_rate), y.x);
    a = wide3_add_scaled(a, COPY(m[4].acceleration), y.y);
    b = wide3_add_scaled(b, COPY(m[4].spin_rate), y.y);
    a = wide3_add_scaled(a, COPY(m[5].acceleration), y.z);
    b = wide3_add_scaled(b, COPY(m[5].spin_rate), y.z);
    CornerColumn product;
    product.acceleration = a;
    product.spin_rate = b;
    return product;
}

// Three columns of three.
typedef struct CornerBlock {
    Wide3 x, y, z;
} CornerBlock;

FN_SHORT CornerBlock corners_block(Wide3 x, Wide3 y, Wide3 z) {
    CornerBlock block;
    block.x = x;
    block.y = y;
    block.z = z;
    return block;
}

FN_SHORT Wide3 corners_block_by(CornerBlock a, Wide3 by) { return wide3_blend(a.x, a.y, a.z, by); }

/// c + sign a b.
FN_SHORT CornerBlock corners_block_add(CornerBlock c, real sign, CornerBlock a, CornerBlock b) {
    c.x = wide3_add_scaled(c.x, corners_block_by(a, b.x), sign);
    c.y = wide3_add_scaled(c.y, corners_block_by(a, b.y), sign);
    c.z = wide3_add_scaled(c.z, corners_block_by(a, b.z), sign);
    return c;
}

FN_SHORT CornerBlock corners_block_zero(void) {
    CornerBlock block;
    block.x = block.y = block.z = wide3_zero();
    return block;
}

FN_SHORT CornerBlock corners_block_invert(CornerBlock a) {
    // Rows of the inverse, but for a factor.
    Vec3 yz = wide3_parts(wide3_cross(a.y, a.z)), zx = wide3_parts(wide3_cross(a.z, a.x));
    Vec3 xy = wide3_parts(wide3_cross(a.x, a.y));
    real inverse = 1.0 / vec3_dot(wide3_parts(a.x), yz);
    CornerBlock block;
    block.x = wide3_scale(wide3_of(vec3_make(yz.x, zx.x, xy.x)), inverse);
    block.y = wide3_scale(wide3_of(vec3_make(yz.y, zx.y, xy.y)), inverse);
    block.z = wide3_scale(wide3_of(vec3_make(yz.z, zx.z, xy.z)), inverse);
    return block;
}

/// The inverse of a matrix of 6 x 6 in place, by blocks of 3 x 3: that of velocities is well away from singular, since
/// to its diagonal damping, stiffness and 4 / h are added.
FN_ONCE void corners_invert(CornerColumn *m) {
    CornerBlock none = corners_block_zero(),
                lower = corners_block(COPY(m[0].spin_rate), COPY(m[1].spin_rate), COPY(m[2].spin_rate));
    CornerBlock right = corners_block(COPY(m[3].acceleration), COPY(m[4].acceleration), COPY(m[5].acceleration));
    CornerBlock first =
        corners_block_invert(corners_block(COPY(m[0].acceleration), COPY(m[1].acceleration), COPY(m[2].acceleration)));
    CornerBlock left = corners_block_add(none, 1.0, lower, first);  // lower first
    CornerBlock upper = corners_block_add(none, 1.0, first, right); // first right
    CornerBlock second = corners_block(COPY(m[3].spin_rate), COPY(m[4].spin_rate), COPY(m[5].spin_rate));
    second = corners_block_invert(corners_block_add(second, -1.0, lower, upper));
    CornerBlock below = corners_block_add(none, -1.0, second, left);
    first = corners_block_add(first, -1.0, upper, below);
    right = corners_block_add(none, -1.0, upper, second);
    m[0].acceleration = first.x, m[1].acceleration = first.y, m[2].acceleration = first.z;
    m[0].spin_rate = below.x, m[1].spin_rate = below.y, m[2].spin_rate = below.z;
    m[3].acceleration = right.x, m[4].acceleration = right.y, m[5].acceleration = right.z;
    m[3].spin_rate = second.x, m[4].spin_rate = second.y, m[5].spin_rate = second.z;
}

/// That of the k-th of three motions.
FN_STAGE void corners_take_motion(const CornerSums *sums, const CornerBody *of, u32 k, real per_s, CornerMatrix *m) {
    CornerColumn motion = corners_accelerations(of, COPY(sums->force_velocity[k]), COPY(sums->torque_velocity[k]));
    Wide3 shift_force = wide3_scale(COPY(sums->force_shift[k]), per_s),
          shift_torque = wide3_scale(COPY(sums->torque_shift[k]), per_s);
    corners_keep_column(m, k, motion, corners_accelerations(of, shift_force, shift_torque));
}

/// What a spin does to the body, and what a turn and the spin that goes with it do.
FN_STAGE void corners_spin(const CornerSums *sums, const CornerBody *of, Wide3 spin, CornerColumn *motion) {
    *motion = corners_accelerations(of, corners_by(sums->force_spin, spin), corners_by(sums->torque_spin, spin));
}
FN_STAGE void corners_turn(const CornerSums *sums, const CornerBody *of, Wide3 turns, Wide3 spin, CornerColumn *pose) {
    Wide3 force = wide3_add(corners_by(sums->force_turn, turns), corners_by(sums->force_spin, spin));
    Wide3 torque = wide3_add(corners_by(sums->torque_turn, turns), corners_by(sums->torque_spin, spin));
    *pose = corners_accelerations(of, force, torque);
}

/// That of the k-th of three turns.
FN_STAGE void corners_take_spin(const SceneView *view, const Corners *corners, const CornerSums *sums, const Mat3 *turn,
                                const CornerBody *of, u32 k, CornerMatrix *m) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    GLOBAL const real *rows = rodas_turn_matrix(view, corners->body);
    Vec3 w = corners->start.spin_rad_per_s;
    Wide3 spin = wide3_of(mat3_column(*turn, k));
    CornerColumn motion, pose;
    corners_spin(sums, of, spin, &motion);
    // The spin's turn, and what the velocities of points change by with that.
    Vec3 turned = vec3_make(rows[k], rows[3u + k], rows[6u + k]);
    spin = wide3_of(mat3_rotate(*turn, vec3_add(rodas_spin_by_rotation(body, w, turned), vec3_cross(turned, w))));
    Wide3 turns = wide3_of(mat3_rotate(*turn, turned));
    corners_turn(sums, of, turns, spin, &pose);
    corners_keep_column(m, 3u + k, motion, pose);
}

/// The matrix of rodas_assemble and its `poses`, inverted.
FN_ONCE void corners_prepare(const SceneView *view, const Corners *corners, CornerMatrix *m, real s) {
    CornerSums sums;
    corners_sum(corners, &sums);
    rodas_invert_rotation_block(view, corners->body, s);
    // Not before: registers that are held meanwhile are none for those (bench/registers.sh).
    Quat orientation = corners->start.orientation;
    Mat3 turn = mat3_from_quat(orientation);
    CornerBody of = corners_body(&view->bodies[corners->body], &turn);
    for (u32 k = 0; k < 3; k++) {
        corners_take_motion(&sums, &of, k, 1.0 / s, m);
        corners_take_spin(view, corners, &sums, &turn, &of, k, m);
    }
    for (u32 k = 0; k < 3; k++) {
        Wide3 axis = wide3_of(vec3_unit(k));
        m->blocks[k].acceleration = wide3_add_scaled(COPY(m->blocks[k].acceleration), axis, s);
        m->blocks[3u + k].spin_rate = wide3_add_scaled(COPY(m->blocks[3u + k].spin_rate), axis, s);
    }
    corners_invert(m->blocks);
}

// Right-hand sides of a stage: of velocities, and of poses with what these make of those. All but what forces add to
// the first is known before these are.
typedef struct CornerSides {
    Vec3 acceleration, spin_rate, velocity, turn_rate;
} CornerSides;

/// Of the stage after the present one, as rodas_load. mixed: the blend of the U so far; turned: how far the body has
/// turned.
FN_STAGE CornerSides corners_sides(const SceneView *view, const Corners *corners, const CornerMatrix *m, real h,
                                   BodyRate mixed, Vec3 turned) {
    real per_h = 1.0 / h;
    CornerSides sides;
    sides.velocity = vec3_add_scaled(corners->solid.at.velocity_m_per_s, mixed.velocity, per_h);
    sides.turn_rate = vec3_add_scaled(rodas_turn_rate(turned, COPY(corners->solid.at.spin_rad_per_s)),
                                      rodas_rotation_of(mixed.orientation_rate), per_h);
    CornerColumn by_pose = corners_multiply(m->poses, sides.velocity, sides.turn_rate);
    Vec3 acceleration = vec3_add_scaled(view->scene->gravity_m_per_s2, mixed.acceleration, per_h);
    sides.acceleration = vec3_add(acceleration, wide3_parts(by_pose.acceleration));
    sides.spin_rate = vec3_add(vec3_scale(mixed.spin_rate, per_h), wide3_parts(by_pose.spin_rate));
    return sides;
}

/// Of the first stage.
FN_SHORT CornerSides corners_first_sides(const SceneView *view, const Corners *corners, const CornerMatrix *m) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    GLOBAL const BodyRate *first = &view->works[corners->body].step.rates[0];
    CornerSides sides;
    sides.velocity = corners->start.velocity_m_per_s;
    sides.turn_rate = corners->start.spin_rad_per_s;
    CornerColumn by_pose = corners_multiply(m->poses, sides.velocity, sides.turn_rate);
    sides.acceleration = vec3_add(first->acceleration, wide3_parts(by_pose.acceleration));
    Vec3 own = motion_spin_rate(COPY(*body), sides.turn_rate, vec3_zero());
    sides.spin_rate = vec3_add(vec3_sub(first->spin_rate, own), wide3_parts(by_pose.spin_rate));
    return sides;
}

/// What the forces at the present stage add.
FN_SHORT CornerSides corners_add_forces(const SceneView *view, const Corners *corners, CornerSides sides) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    Quat orientation = corners->start.orientation;
    Vec3 torque = quat_rotate_back(orientation, corners->sum.torque_N_m);
    sides.acceleration = vec3_add_scaled(sides.acceleration, corners->sum.force_N, body->inverse_mass);
    sides.spin_rate = vec3_add(vec3_multiply(torque, body->inverse_inertia), sides.spin_rate);
    return sides;
}

/// U of a stage, as rodas_solve and rodas_unload.
FN_STAGE BodyRate corners_solve(const SceneView *view, const Corners *corners, const CornerMatrix *m, real h,
                                CornerSides sides) {
    real s = 1.0 / (RODAS_GAMMA * h);
    CornerColumn solved = corners_multiply(m->blocks, sides.acceleration, sides.spin_rate);
    BodyRate u;
    u.acceleration = wide3_parts(solved.acceleration);
    u.spin_rate = wide3_parts(solved.spin_rate);
    u.velocity = vec3_scale(vec3_add(sides.velocity, u.acceleration), 1.0 / s);
    Vec3 turn = rodas_solve_rotation(view, corners->body, s, vec3_add(sides.turn_rate, u.spin_rate));
    u.orientation_rate = quat_make(0.0, turn.x, turn.y, turn.z);
    return u;
}

/// The trial state of a stage from its blend of U, as rodas_move; its attitude is of length 1 to rounding.
FN_STAGE BodyState corners_move(const SceneView *view, const Corners *corners, BodyRate sum) {
    GLOBAL const Body *body = &view->bodies[corners->body];
    BodyState start = corners->start, at;
    Quat turn = quat_exp(rodas_rotation_of(sum.orientation_rate));
    Vec3 spin = vec3_add(start.spin_rad_per_s, sum.spin_rate);
    Vec3 momentum = quat_rotate_back(turn, vec3_multiply(body->inertia_kg_m2, spin));
    at.position_m = vec3_add(start.position_m, sum.velocity);
    at.velocity_m_per_s = vec3_add(start.velocity_m_per_s, sum.acceleration);
    at.orientation = quat_multiply(start.orientation, turn);
    at.spin_rad_per_s = vec3_multiply(momentum, body->inverse_inertia);
    return at;
}

/// The part of what the contacts hand over that comes from their derivatives, as rodas_finish_impulse.
FN_ONCE void corners_finish_transfer(const SceneView *view, Corners *corners, real h) {
    BodyRate sum = motion_blend(view->works[corners->body].step.rates + 1, RODAS_W, RODAS_STAGES);
    Vec3 turn = rodas_rotation_of(sum.orientation_rate);
    BodyChange mean = rodas_change(view, corners->body, sum.velocity, turn, sum.acceleration, sum.spin_rate);
    for (u32 k = 0; k < corners->count; k++) {
        CornerTouch *touch = &corners->touches[k];
        GLOBAL const CornerJacobian *s = &touch->contact->step.corner;
        Vec3 displacement = vec3_cross(mean.turn, s->corner_m);
        real gap = vec3_dot(s->up, vec3_add(mean.shift_m, displacement));
        Vec3 lever = vec3_add_scaled(displacement, s->up, -0.5 * gap);
        Vec3 at = vec3_add(vec3_cross(mean.spin_rad_per_s, s->lever_m), vec3_cross(s->spin_rad_per_s, lever));
        LawJacobian jacobian = s->law;
        LawMotion start, by;
        start.gap_m = 0.0; // not read: its derivatives are known
        start.normal = s->up;
        start.velocity_m_per_s = s->velocity_m_per_s;
        start.spin_rad_per_s = s->spin_rad_per_s;
        by.gap_m = gap;
        by.normal = vec3_zero();
        by.velocity_m_per_s = vec3_add(mean.velocity_m_per_s, at);
        by.spin_rad_per_s = mean.spin_rad_per_s;
        LawChange change = law_change(&jacobian, &start, &by, 1);
        touch->by.impulse_N_s = vec3_add_scaled(touch->by.impulse_N_s, change.force_N, h);
        touch->by.loss_J = real_fma(change.loss_W, h, touch->by.loss_J);
    }
}

/// All stages of an implicit step of h, for which equations are solved with `solved_h`, no less.
FN_ONCE void corners_try_implicitly(const SceneView *view, Corners *corners, real h, real solved_h) {
    GLOBAL BodyRate *u = corners->rates + 1;
    CornerMatrix m;
    corners_prepare(view, corners, &m, 1.0 / (RODAS_GAMMA * solved_h));
    CornerSides sides = corners_first_sides(view, corners, &m);
    BodyState at;
    for (u32 i = 1;; i++) {
        BodyRate last = corners_solve(view, corners, &m, solved_h, sides);
        u[i - 1u] = last;
        BodyRate sum = motion_blend_last(u, RODAS_A[i], i, last);
        at = corners_move(view, corners, sum);
        if (i == RODAS_STAGES) break;
        corners->solid = corner_step_place(at, 2.0);
        BodyRate mixed = motion_blend_last(u, RODAS_C[i], i, last);
        sides = corners_sides(view, corners, &m, solved_h, mixed, rodas_rotation_of(sum.orientation_rate));
        corners_evaluate(corners, h * RODAS_W[i]);
        sides = corners_add_forces(view, corners, sides);
    }
    at.orientation = quat_normalize(at.orientation);
    corners->solid = corner_step_place(at, quat_rotate_any_scale(at.orientation));
    corners_store_lanes(corners);
    corners_finish_transfer(view, corners, h);
    corners_end(corners);
    u[0] = u[RODAS_STAGES - 1]; // U_6, the error
    corners->rates[STAGES - 1] = corners_rate(corners);
}

/// The body whose first contact is the `at`-th active one through a step of h: what substep_try_contacts does for
/// the others.
FN_ONCE void corners_step(const SceneView *view, u32 at, real h, real solved_h) {
    Corners corners;
    GLOBAL const Contact *first = &view->contacts[view->active_contacts[at]];
    u32 is_implicit = view->works[corners_is_a(first) ? first->pair.body_a : first->pair.body_b].control.implicit;
    corners_load(view, at, h * (is_implicit ? RODAS_W[0] : scheme_weight(1, 0)), &corners);
    if (is_implicit) {
        corners_try_implicitly(view, &corners, h, solved_h);
    } else {
        corners_run_stages(&corners, h);
        corners_store_lanes(&corners);
    }
    corners_hand_over(view, &corners);
}

#endif
