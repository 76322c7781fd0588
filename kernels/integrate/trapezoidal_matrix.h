// The equations of trapezoidal steps (trapezoidal.h): masses behind constraints, the matrix of each island, its
// solution.
#ifndef CLACK_INTEGRATE_TRAPEZOIDAL_MATRIX_H
#define CLACK_INTEGRATE_TRAPEZOIDAL_MATRIX_H

#include "joints/coupling.h"
#include "integrate/block_matrix.h"
#include "integrate/islands.h"
#include "integrate/rodas.h"

// Penalty of a row over the mass behind it and (2/h)^2. With 0.01 the iteration of the multipliers diverges, with 0.1
// it takes 60 iterations, with 1, 10, 100 and 1e4 19, 6, 4 and 3.
#define TRAPEZOIDAL_PENALTY 1.0e4
// Where projections take what is left (trapezoidal_projects): of chains of 1,000 links they need 7 passes, not 18. Not
// elsewhere: impulses of ropes are off by the rounding of phi times this, and linkages do not pass singular positions.
#define TRAPEZOIDAL_PENALTY_PROJECTED 1.0e6

/// Is a body stepped here?
FN_SHORT u32 trapezoidal_takes(const SceneView *view, u32 b) { return view->works[b].mode == MODE_TOUCHING ? 1u : 0u; }

/// Axes in which equations of a body's spin are written: principal ones.
FN_SHORT Quat trapezoidal_axes(const SceneView *view, u32 b) {
    return scheme_is_midpoint(view->scene->flags) ? view->works[b].own.midpoint.axes
                                                  : view->works[b].step.trial.orientation;
}

/// What one equation of a constraint does to one of its bodies: derivatives by its velocity and by its spin in
/// principal axes. is_b: of B.
typedef struct TrapezoidalRow {
    Vec3 along, turn;
} TrapezoidalRow;

FN_SHORT TrapezoidalRow trapezoidal_row(const SceneView *view, GLOBAL const ConstraintRow *row, u32 b, u32 is_b) {
    TrapezoidalRow of;
    of.along = is_b ? row->along : vec3_negate(row->along);
    of.turn = spin_from_world(view->bodies[b].flags, COPY(view->works[b].step.trial.orientation),
                              is_b ? row->turn_b : row->turn_a);
    return of;
}

/// The same of its force.
FN_SHORT TrapezoidalRow trapezoidal_force_row(const SceneView *view, GLOBAL const JointConstraint *constraint, u32 i,
                                              u32 b, u32 is_b) {
    ConstraintColumn column = constraint_force_column(constraint, i);
    TrapezoidalRow of;
    of.along = is_b ? column.along : vec3_negate(column.along);
    of.turn = spin_from_world(view->bodies[b].flags, trapezoidal_axes(view, b), is_b ? column.turn_b : column.turn_a);
    return of;
}

FN_SHORT TrapezoidalRow trapezoidal_over_mass(const SceneView *view, u32 b, TrapezoidalRow of) {
    of.along = vec3_scale(of.along, view->bodies[b].inverse_mass);
    of.turn = vec3_multiply(of.turn, view->bodies[b].inverse_inertia);
    return of;
}

/// Do projections serve Newton's method, too? Where each equation pushes both ways, and there are no contact regions.
FN_ONCE u32 trapezoidal_projects(const SceneView *view) {
    u32 any = 0;
    ACTIVE_LOOP(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (contact_is_region(view, contact)) any = 1;
        if (contact_is_constraint(view, contact)) any |= constraint_has_unilateral(joint_of(view, contact));
    }
    return scene_any(view, any) ? 0u : 1u;
}

FN_SHORT real trapezoidal_penalty(const SceneView *view) {
    return trapezoidal_projects(view) ? TRAPEZOIDAL_PENALTY_PROJECTED : TRAPEZOIDAL_PENALTY;
}

/// The mass behind each equation of a constraint, and from that its penalty in a step of h = 2/s.
FN_ONCE void trapezoidal_weigh(const SceneView *view, GLOBAL Contact *contact, real s, real penalty) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    for (u32 i = 0; i < constraint->count; i++) {
        real inverse_mass = 0.0;
        for (u32 is_b = 0; is_b < 2; is_b++) {
            u32 b = is_b ? contact->pair.body_b : contact->pair.body_a;
            if (!body_is_stepped(view, b)) continue;
            TrapezoidalRow of = trapezoidal_row(view, &constraint->rows[i], b, is_b);
            TrapezoidalRow over = trapezoidal_over_mass(view, b, of);
            inverse_mass += vec3_dot(of.along, over.along) + vec3_dot(of.turn, over.turn);
        }
        constraint->rows[i].penalty = inverse_mass > 0.0 ? penalty * s * s / inverse_mass : 0.0;
    }
}

// The derivatives of one equation by one body, and over its mass and inertia: six numbers each.
typedef struct TrapezoidalColumn {
    real by[ISLAND_BODY_ROWS], of[ISLAND_BODY_ROWS];
} TrapezoidalColumn;

/// A row's derivative by the rotation vector of a step of quasi-rigid bodies, w/s: from that by a rotation at its end.
FN_SHORT Vec3 trapezoidal_by_rotation(const SceneView *view, u32 b, Vec3 turn, real s) {
    Vec3 spin = view->works[b].step.trial.spin_rad_per_s;
    if (!scheme_is_quasi_rigid(view->scene->flags) || is_free_ball(view->bodies[b].flags)) return turn;
    return quat_exp_change(vec3_scale(spin, -1.0 / s), turn);
}

/// s: of trapezoidal_add_constraint.
FN_ONCE TrapezoidalColumn trapezoidal_column(const SceneView *view, GLOBAL const JointConstraint *constraint, u32 i,
                                             u32 b, u32 is_b, real s) {
    TrapezoidalRow by = trapezoidal_row(view, &constraint->rows[i], b, is_b), of = by;
    u32 is_other = constraint->is_held || scheme_is_midpoint(view->scene->flags) ? 1u : 0u;
    if (is_other) of = trapezoidal_force_row(view, constraint, i, b, is_b);
    of = trapezoidal_over_mass(view, b, of);
    by.turn = trapezoidal_by_rotation(view, b, by.turn, s);
    real share = constraint->rows[i].penalty / s;
    TrapezoidalColumn column;
    for (u32 k = 0; k < 3; k++) {
        column.by[k] = share * vec3_component(by.along, k);
        column.by[k + 3u] = share * vec3_component(by.turn, k);
        column.of[k] = vec3_component(of.along, k);
        column.of[k + 3u] = vec3_component(of.turn, k);
    }
    return column;
}

/// Add the outer products of `count` columns of two bodies to a block.
VECTOR_FN void trapezoidal_add_block(GLOBAL real *at, const TrapezoidalColumn *of, const TrapezoidalColumn *by,
                                     u32 count) {
    for (u32 k = 0; k < ISLAND_BODY_ROWS; k++, at += ISLAND_BODY_ROWS) {
        real sum[ISLAND_BODY_ROWS];
        for (u32 r = 0; r < ISLAND_BODY_ROWS; r++) sum[r] = at[r];
        for (u32 i = 0; i < count; i++) {
            real times = by[i].by[k];
            for (u32 r = 0; r < ISLAND_BODY_ROWS; r++) sum[r] = real_fma(of[i].of[r], times, sum[r]);
        }
        for (u32 r = 0; r < ISLAND_BODY_ROWS; r++) at[r] = sum[r];
    }
}

/// Add M^-1 J' alpha J/s of one constraint.
FN_ONCE void trapezoidal_add_constraint(const SceneView *view, GLOBAL const Contact *contact, real s) {
    GLOBAL const JointConstraint *constraint = &contact->step.constraint;
    u32 a = contact->pair.body_a, b = contact->pair.body_b, count = 0;
    u32 has_a = body_is_stepped(view, a), has_b = body_is_stepped(view, b);
    u32 member_a = view->works[a].island.member, member_b = view->works[b].island.member;
    BlockMatrix matrix = island_matrix(view, island_of(view, contact));
    TrapezoidalColumn one[CONSTRAINT_ROWS_MOST], other[CONSTRAINT_ROWS_MOST];
    for (u32 i = 0; i < constraint->count; i++) {
        if (constraint_is_inactive(constraint, i)) continue;
        if (has_a) one[count] = trapezoidal_column(view, constraint, i, a, 0, s);
        if (has_b) other[count] = trapezoidal_column(view, constraint, i, b, 1, s);
        count++;
    }
    if (has_a) trapezoidal_add_block(block_at(matrix, member_a, member_a), one, one, count);
    if (has_b) trapezoidal_add_block(block_at(matrix, member_b, member_b), other, other, count);
    if (!has_a || !has_b) return;
    trapezoidal_add_block(block_at(matrix, member_a, member_b), one, other, count);
    trapezoidal_add_block(block_at(matrix, member_b, member_a), other, one, count);
}

/// Subtract the derivative of a body's gyroscopic acceleration by its spin.
FN_ONCE void trapezoidal_add_gyroscopic(const SceneView *view, u32 b) {
    GLOBAL const Body *body = &view->bodies[b];
    BlockMatrix matrix = island_matrix(view, b);
    u32 member = view->works[b].island.member;
    GLOBAL real *at = block_at(matrix, member, member) + 3u * ISLAND_BODY_ROWS + 3u;
    Vec3 w = view->works[b].step.trial.spin_rad_per_s, momentum = vec3_multiply(body->inertia_kg_m2, w);
    if (is_free_ball(body->flags)) return;
    for (u32 k = 0; k < 3; k++, at += ISLAND_BODY_ROWS) {
        Vec3 unit = vec3_unit(k),
             change = vec3_add(vec3_cross(vec3_multiply(body->inertia_kg_m2, unit), w), vec3_cross(momentum, unit));
        change = vec3_multiply(change, body->inverse_inertia);
        for (u32 r = 0; r < 3; r++) at[r] -= vec3_component(change, r);
    }
}

/// Add what forces make of the matrix with poses and velocities: derivatives of couplings, gyroscopic terms.
FN_ONCE void trapezoidal_add_forces(const SceneView *view, real s) {
    Mat3 turning = mat3_identity();
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL real *rows = rodas_turn_matrix(view, b);
        rodas_keep(rows, vec3_scale(turning.x, 1.0 / s));
        rodas_keep(rows + 3, vec3_scale(turning.y, 1.0 / s));
        rodas_keep(rows + 6, vec3_scale(turning.z, 1.0 / s));
    }
    SCENE_BARRIER();
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (!contact_is_constraint(view, contact) && rodas_owns(view, island_of(view, contact)))
            rodas_assemble_coupling(view, contact, 0, s);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b) && view->works[b].island.label == b)
            block_matrix_take_poses(island_matrix(view, b));
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b)) trapezoidal_add_gyroscopic(view, b);
    }
}

/// The matrix of each island for the trial states, factorised. has_forces: with the derivatives of forces; else of
/// masses and constraints alone.
FN_ONCE void trapezoidal_factorise(const SceneView *view, real s, u32 has_forces) {
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b) && view->works[b].island.label == b)
            block_matrix_clear(island_matrix(view, b), s);
    }
    SCENE_BARRIER();
    if (has_forces) trapezoidal_add_forces(view, s);
    SCENE_BARRIER();
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact) && rodas_owns(view, island_of(view, contact)))
            trapezoidal_add_constraint(view, contact, s);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b) && view->works[b].island.label == b)
            block_matrix_factorise(island_matrix(view, b));
    }
    SCENE_BARRIER();
}

/// Solve for the right-hand sides of all islands in place.
FN_ONCE void trapezoidal_solve(const SceneView *view) {
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b) && view->works[b].island.label == b) block_matrix_solve(island_matrix(view, b));
    }
    SCENE_BARRIER();
}

#endif
