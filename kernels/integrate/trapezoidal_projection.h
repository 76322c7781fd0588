// Projections of trapezoidal steps (trapezoidal.h): velocities and accelerations are put onto the constraints.
//
// Velocities, or accelerations, u become u + x with s x = -M^-1 J' alpha (J u + J x) / s, J u what the equations are
// off by: the change is that by forces of the constraints, and leaves 1/PENALTY of the violation or so. It is repeated.
//
// One-sided rows (constraint.h) push or pull only. A velocity is projected as if they were two-sided unless that would
// take more from a row than Newton's method has given it in the step: it is slack then. So a rope that tautens stops
// its bodies without rebound, and one whose bodies come closer lets them. A row whose multiplier is negative once the
// accelerations are projected is slack too.
#ifndef CLACK_INTEGRATE_TRAPEZOIDAL_PROJECTION_H
#define CLACK_INTEGRATE_TRAPEZOIDAL_PROJECTION_H

#include "joints/coupling.h"
#include "integrate/islands.h"
#include "integrate/motion.h"
#include "integrate/rodas.h"
#include "integrate/trapezoidal_matrix.h"

#define TRAPEZOIDAL_PASSES_MOST 10u  // of a projection, which ends
#define TRAPEZOIDAL_SETTLED 1.0e-13  // after a change by this share
#define TRAPEZOIDAL_RELEASES_MOST 8u // repetitions because rows have become slack

// Rates of each body while they are projected: before the last change, and now.
#define TRAPEZOIDAL_BEFORE 2u
#define TRAPEZOIDAL_NOW 3u

// How the bodies of a constraint move relative to each other, by rates of both. World axes.
typedef struct TrapezoidalMotion {
    Vec3 velocity, spin_a, spin_b;
} TrapezoidalMotion;

FN_SHORT Vec3 trapezoidal_spin(const SceneView *view, u32 b, u32 stage) {
    return spin_to_world(view->bodies[b].flags, COPY(view->works[b].step.trial.orientation),
                         COPY(view->works[b].step.rates[stage].spin_rate));
}

FN_SHORT TrapezoidalMotion trapezoidal_motion(const SceneView *view, GLOBAL const Contact *contact, u32 stage) {
    TrapezoidalMotion motion;
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    motion.velocity = motion.spin_a = motion.spin_b = vec3_zero();
    if (body_is_stepped(view, a)) {
        motion.velocity = vec3_negate(view->works[a].step.rates[stage].velocity);
        motion.spin_a = trapezoidal_spin(view, a, stage);
    }
    if (body_is_stepped(view, b)) {
        motion.velocity = vec3_add(motion.velocity, view->works[b].step.rates[stage].velocity);
        motion.spin_b = trapezoidal_spin(view, b, stage);
    }
    return motion;
}

/// The penalties of what each equation of a constraint is off by, and what they add to the right-hand sides. is_first:
/// of velocities, not of accelerations.
FN_ONCE void trapezoidal_penalise(const SceneView *view, GLOBAL Contact *contact, u32 is_first, real s) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion now = trapezoidal_motion(view, contact, TRAPEZOIDAL_NOW);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_slack(constraint, i)) continue;
        real off = constraint_rate(row, now.velocity, now.spin_a, now.spin_b) + (is_first ? row->drift : row->bend);
        row->push = row->penalty * off;
        for (u32 is_b = 0; is_b < 2; is_b++) {
            u32 body = is_b ? contact->pair.body_b : contact->pair.body_a;
            if (!body_is_stepped(view, body)) continue;
            TrapezoidalRow of = trapezoidal_over_mass(view, body, trapezoidal_row(view, row, body, is_b));
            GLOBAL real *side = rodas_side(view, body);
            rodas_keep(side, vec3_add_scaled(rodas_kept(side), of.along, 0.0 - row->push / s));
            rodas_keep(side + 3, vec3_add_scaled(rodas_kept(side + 3), of.turn, 0.0 - row->push / s));
        }
    }
}

/// Is a change of a vector more than rounding?
FN_SHORT u32 trapezoidal_is_more(Vec3 change, Vec3 of) {
    return vec3_max_abs(change) <= TRAPEZOIDAL_SETTLED * vec3_max_abs(of) ? 0u : 1u;
}

/// Change what TRAPEZOIDAL_NOW holds of each body once. Returns 1 if it may have to be changed again.
FN_ONCE u32 trapezoidal_project(const SceneView *view, u32 is_first, real s) {
    u32 goes_on = 0;
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        rodas_keep(rodas_side(view, b), vec3_zero());
        rodas_keep(rodas_side(view, b) + 3, vec3_zero());
    }
    SCENE_BARRIER();
    EACH_AWAKE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact) && rodas_owns(view, island_of(view, contact)))
            trapezoidal_penalise(view, contact, is_first, s);
    }
    trapezoidal_solve(view);
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyRate *rates = view->works[b].step.rates;
        Vec3 velocity = rodas_kept(rodas_side(view, b)), spin = rodas_kept(rodas_side(view, b) + 3);
        rates[TRAPEZOIDAL_BEFORE] = rates[TRAPEZOIDAL_NOW];
        rates[TRAPEZOIDAL_NOW].velocity = vec3_add(rates[TRAPEZOIDAL_NOW].velocity, velocity);
        rates[TRAPEZOIDAL_NOW].spin_rate = vec3_add(rates[TRAPEZOIDAL_NOW].spin_rate, spin);
        goes_on |= trapezoidal_is_more(velocity, COPY(rates[TRAPEZOIDAL_NOW].velocity));
        goes_on |= trapezoidal_is_more(spin, COPY(rates[TRAPEZOIDAL_NOW].spin_rate));
    }
    SCENE_BARRIER();
    return scene_any(view, goes_on);
}

/// The forces of the last change of accelerations, added to the multipliers of a constraint; with is_first the impulses
/// of that of velocities.
FN_ONCE void trapezoidal_add_multipliers(const SceneView *view, GLOBAL Contact *contact, u32 is_first, real s) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion before = trapezoidal_motion(view, contact, TRAPEZOIDAL_BEFORE);
    TrapezoidalMotion now = trapezoidal_motion(view, contact, TRAPEZOIDAL_NOW);
    Vec3 velocity = vec3_sub(now.velocity, before.velocity), spin_a = vec3_sub(now.spin_a, before.spin_a);
    Vec3 spin_b = vec3_sub(now.spin_b, before.spin_b);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_slack(constraint, i)) continue;
        real by = real_fma(row->penalty, constraint_rate(row, velocity, spin_a, spin_b), row->push) / (s * s);
        if (is_first)
            row->impulse += by;
        else
            row->multiplier += by;
    }
}

/// Change what TRAPEZOIDAL_NOW holds once, and what has done so. Returns 1 if it may have to be changed again.
FN_ONCE u32 trapezoidal_pass(const SceneView *view, u32 is_first, real s) {
    u32 goes_on = trapezoidal_project(view, is_first, s);
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact)) trapezoidal_add_multipliers(view, contact, is_first, s);
    }
    SCENE_BARRIER();
    return goes_on;
}

/// One-sided rows that would have to pull the wrong way become slack. Returns 1 if there are such.
FN_ONCE u32 trapezoidal_release(const SceneView *view, u32 is_first, real s) {
    u32 any = 0;
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_constraint(view, contact)) continue;
        GLOBAL JointConstraint *constraint = &contact->step.constraint;
        u32 carries = constraint->one_sided & ~constraint->slack;
        for (u32 i = 0; carries >> i != 0; i++) {
            GLOBAL ConstraintRow *row = &constraint->rows[i];
            if (!(carries >> i & 1u) || !(row->multiplier + (is_first ? row->impulse * s : 0.0) < 0.0)) continue;
            constraint->slack |= 1u << i;
            if (!is_first) row->multiplier = 0.0;
            any = 1;
        }
    }
    SCENE_BARRIER();
    return scene_any(view, any);
}

/// Forces of the multipliers, and the accelerations of a stage from all forces.
FN_ONCE void trapezoidal_push(const SceneView *view, u32 stage) {
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact)) constraint_push(view, contact, 0);
    }
    coupling_sum_forces(view);
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyRate *rates = view->works[b].step.rates;
        motion_rate(view, b, stage);
        rates[TRAPEZOIDAL_NOW].velocity = rates[stage].acceleration;
        rates[TRAPEZOIDAL_NOW].spin_rate = rates[stage].spin_rate;
    }
    SCENE_BARRIER();
}

/// The multipliers with which the accelerations of a stage keep the constraints, and those accelerations. Multipliers
/// of Newton's method are off by rounding of phi times the penalty, 1e-7 of a force; these are not. The matrix is that
/// of masses and constraints.
FN_ONCE void trapezoidal_settle(const SceneView *view, u32 stage, real s) {
    for (u32 round = 0; round < TRAPEZOIDAL_RELEASES_MOST; round++) {
        u32 goes_on = 1;
        for (u32 pass = 0; goes_on && pass < TRAPEZOIDAL_PASSES_MOST; pass++) {
            trapezoidal_push(view, stage);
            goes_on = trapezoidal_pass(view, 0, s);
        }
        if (!trapezoidal_release(view, 0, s)) break;
        trapezoidal_factorise(view, s, 0);
    }
    trapezoidal_push(view, stage);
}

/// Velocities at the end of the step before they are projected, and no impulses yet.
FN_ONCE void trapezoidal_take_velocities(const SceneView *view) {
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyWork *work = &view->works[b];
        work->step.rates[TRAPEZOIDAL_NOW].velocity = work->step.trial.velocity_m_per_s;
        work->step.rates[TRAPEZOIDAL_NOW].spin_rate = work->step.trial.spin_rad_per_s;
    }
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        for (u32 i = 0; contact_is_constraint(view, contact) && i < CONSTRAINT_ROWS_MOST; i++)
            contact->step.constraint.rows[i].impulse = 0.0;
    }
}

/// Put the velocities at the end of the step onto the constraints: into TRAPEZOIDAL_NOW.
FN_ONCE void trapezoidal_project_velocities(const SceneView *view, real s) {
    u32 goes_on = 1;
    for (u32 round = 0; goes_on && round < TRAPEZOIDAL_RELEASES_MOST; round++) {
        trapezoidal_factorise(view, s, 0);
        trapezoidal_take_velocities(view);
        for (u32 pass = 0; goes_on && pass < TRAPEZOIDAL_PASSES_MOST; pass++) goes_on = trapezoidal_pass(view, 1, s);
        goes_on = trapezoidal_release(view, 1, s);
    }
}

#endif
