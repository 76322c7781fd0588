// Projections of trapezoidal steps (trapezoidal.h): velocities and accelerations are put onto the constraints.
//
// Velocities, or accelerations, u become u + x with s x = -M^-1 J' alpha (J u + J x) / s, J u what the equations are
// off by: the change is that by forces alpha (J u + J x) / s^2 of the constraints, and leaves 1/PENALTY of the
// violation or so. It is repeated. What changes u are these forces, not x, which is off by the rounding of a matrix
// with penalties: momentum is kept to rounding. A motion that constraints hardly resist, as that of a door on hinges
// whose axes are a millimetre apart, keeps nearly all of its violation: where repetitions do not settle penalties grow.
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

#define TRAPEZOIDAL_PASSES_MOST 10u // of a projection, which ends
#define TRAPEZOIDAL_SETTLED 1.0e-13 // after a change by this share,
#define TRAPEZOIDAL_NEXT 1.0e-14    // or before one by that,
#define TRAPEZOIDAL_OFF 1.0e-6      // and with larger penalties after so many that end with more than this
#define TRAPEZOIDAL_OFF_RAISE 100.0 // times so many, as often as
#define TRAPEZOIDAL_OFF_RAISES 4u
#define TRAPEZOIDAL_RELEASES_MOST 8u // repetitions because rows have become slack

// Rates of each body while they are projected: the last change, and now.
#define TRAPEZOIDAL_CHANGED 2u
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

/// What a force and a torque of the world do to a body: a change of its velocity and of its spin in principal axes.
FN_SHORT TrapezoidalRow trapezoidal_push_body(const SceneView *view, u32 b, Vec3 force, Vec3 torque) {
    TrapezoidalRow of;
    of.along = force;
    of.turn = spin_from_world(view->bodies[b].flags, COPY(view->works[b].step.trial.orientation), torque);
    return trapezoidal_over_mass(view, b, of);
}

FN_ONCE void trapezoidal_add_side(const SceneView *view, u32 b, Vec3 force, Vec3 torque) {
    if (!body_is_stepped(view, b)) return;
    TrapezoidalRow of = trapezoidal_push_body(view, b, force, torque);
    GLOBAL real *side = rodas_side(view, b);
    rodas_keep(side, vec3_add(rodas_kept(side), of.along));
    rodas_keep(side + 3, vec3_add(rodas_kept(side + 3), of.turn));
}

FN_ONCE void trapezoidal_add_change(const SceneView *view, u32 b, Vec3 force, Vec3 torque) {
    if (!body_is_stepped(view, b)) return;
    TrapezoidalRow of = trapezoidal_push_body(view, b, force, torque);
    GLOBAL BodyRate *now = &view->works[b].step.rates[TRAPEZOIDAL_NOW];
    now->velocity = vec3_add(now->velocity, of.along);
    now->spin_rate = vec3_add(now->spin_rate, of.turn);
}

/// The penalties of what each equation of a constraint is off by, and what they add to the right-hand sides. is_first:
/// of velocities, not of accelerations.
FN_ONCE void trapezoidal_penalise(const SceneView *view, GLOBAL Contact *contact, u32 is_first, real s) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion now = trapezoidal_motion(view, contact, TRAPEZOIDAL_NOW);
    Vec3 force = vec3_zero(), torque_a = force, torque_b = force; // all rows together, in the world
    real per = -1.0 / s;
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_slack(constraint, i)) continue;
        real off = constraint_rate(row, now.velocity, now.spin_a, now.spin_b) + (is_first ? row->drift : row->bend);
        row->push = row->penalty * off;
        real by = row->push * per;
        force = vec3_add_scaled(force, row->along, by);
        torque_a = vec3_add_scaled(torque_a, row->turn_a, by);
        torque_b = vec3_add_scaled(torque_b, row->turn_b, by);
    }
    trapezoidal_add_side(view, contact->pair.body_a, vec3_negate(force), torque_a);
    trapezoidal_add_side(view, contact->pair.body_b, force, torque_b);
}

/// Multiply the penalties of all constraints.
FN_ONCE void trapezoidal_raise(const SceneView *view, real factor) {
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        for (u32 i = 0; contact_is_constraint(view, contact) && i < contact->step.constraint.count; i++)
            contact->step.constraint.rows[i].penalty *= factor;
    }
    SCENE_BARRIER();
}

/// A change of a vector, as a share of it.
FN_SHORT real trapezoidal_change_share(Vec3 change, Vec3 of) {
    real size = vec3_max_abs(change);
    return size > 0.0 ? size / vec3_max_abs(of) : 0.0;
}

/// Is the last change of a body's velocity so large that constraints do not hold yet? speeds: of changes, 1 of
/// velocities, of accelerations half a step.
FN u32 trapezoidal_is_off(const SceneView *view, u32 b, real speeds) {
    GLOBAL const BodyWork *work = &view->works[b];
    GLOBAL const BodyRate *change = &work->step.rates[TRAPEZOIDAL_CHANGED];
    real gyration = real_sqrt(vec3_max_abs(view->bodies[b].inertia_kg_m2) * view->bodies[b].inverse_mass);
    real speed =
        vec3_max_abs(work->step.trial.velocity_m_per_s) + gyration * vec3_max_abs(work->step.trial.spin_rad_per_s);
    real changed = speeds * (vec3_max_abs(change->velocity) + gyration * vec3_max_abs(change->spin_rate));
    return changed > TRAPEZOIDAL_OFF * (SPEED_FLOOR_M_PER_S + speed) ? 1u : 0u;
}

/// What a pass has changed: the largest share of a velocity, and do constraints not hold yet?
typedef struct TrapezoidalPass {
    real share;
    u32 is_off;
} TrapezoidalPass;

/// The change x of what TRAPEZOIDAL_NOW holds of each body, into TRAPEZOIDAL_CHANGED.
FN_ONCE TrapezoidalPass trapezoidal_project(const SceneView *view, u32 is_first, real s) {
    TrapezoidalPass pass = {0.0, 0};
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
        rates[TRAPEZOIDAL_CHANGED].velocity = velocity;
        rates[TRAPEZOIDAL_CHANGED].spin_rate = spin;
        real share = real_max(trapezoidal_change_share(velocity, COPY(rates[TRAPEZOIDAL_NOW].velocity)),
                              trapezoidal_change_share(spin, COPY(rates[TRAPEZOIDAL_NOW].spin_rate)));
        pass.share = share <= REAL_HUGE ? real_max(pass.share, share) : REAL_HUGE;
        pass.is_off |= trapezoidal_is_off(view, b, is_first ? 1.0 : 1.0 / s);
    }
    SCENE_BARRIER();
    pass.share = scene_max(view, pass.share);
    pass.is_off = scene_any(view, pass.is_off);
    return pass;
}

/// The forces of a constraint that make up the change of accelerations, x = -M^-1 J' alpha (J u + J x)/s^2: added to
/// its multipliers, and what they do to what TRAPEZOIDAL_NOW holds; with is_first the impulses of the change of
/// velocities. x itself is off by the rounding of the penalties; of these, both sides of each pair are equal and
/// opposite.
FN_ONCE void trapezoidal_apply(const SceneView *view, GLOBAL Contact *contact, u32 is_first, real s) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion change = trapezoidal_motion(view, contact, TRAPEZOIDAL_CHANGED);
    Vec3 force = vec3_zero(), torque_a = force, torque_b = force;
    real per = 1.0 / (s * s);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_slack(constraint, i)) continue;
        real rate = constraint_rate(row, change.velocity, change.spin_a, change.spin_b);
        real by = real_fma(row->penalty, rate, row->push) * per;
        if (is_first)
            row->impulse += by;
        else
            row->multiplier += by;
        force = vec3_add_scaled(force, row->along, 0.0 - by);
        torque_a = vec3_add_scaled(torque_a, row->turn_a, 0.0 - by);
        torque_b = vec3_add_scaled(torque_b, row->turn_b, 0.0 - by);
    }
    trapezoidal_add_change(view, contact->pair.body_a, vec3_negate(force), torque_a);
    trapezoidal_add_change(view, contact->pair.body_b, force, torque_b);
}

/// Change what TRAPEZOIDAL_NOW holds once.
FN_ONCE TrapezoidalPass trapezoidal_pass(const SceneView *view, u32 is_first, real s) {
    TrapezoidalPass pass = trapezoidal_project(view, is_first, s);
    EACH_AWAKE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact) && rodas_owns(view, island_of(view, contact)))
            trapezoidal_apply(view, contact, is_first, s);
    }
    SCENE_BARRIER();
    return pass;
}

/// Change what TRAPEZOIDAL_NOW holds until it keeps the constraints. Matrix and penalties are those of before again.
FN_ONCE void trapezoidal_pass_all(const SceneView *view, u32 is_first, real s) {
    real raised = 1.0;
    for (u32 raises = 0;; raises++) {
        TrapezoidalPass pass = trapezoidal_pass(view, is_first, s);
        real next = pass.share; // the change that is to be expected of another pass: they converge linearly
        for (u32 passes = 1; passes < TRAPEZOIDAL_PASSES_MOST; passes++) {
            if (pass.share <= TRAPEZOIDAL_SETTLED || next <= TRAPEZOIDAL_NEXT) break;
            real before = pass.share;
            pass = trapezoidal_pass(view, is_first, s);
            next = pass.share * (pass.share / before);
        }
        if (!pass.is_off || raises == TRAPEZOIDAL_OFF_RAISES) break;
        trapezoidal_raise(view, TRAPEZOIDAL_OFF_RAISE);
        raised *= TRAPEZOIDAL_OFF_RAISE;
        trapezoidal_factorise(view, s, 0);
    }
    if (raised == 1.0) return;
    trapezoidal_raise(view, 1.0 / raised);
    trapezoidal_factorise(view, s, 0);
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
        trapezoidal_push(view, stage);
        trapezoidal_pass_all(view, 0, s);
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
        trapezoidal_pass_all(view, 1, s);
        goes_on = trapezoidal_release(view, 1, s);
    }
}

#endif
