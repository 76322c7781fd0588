// Steps by the trapezoidal rule with constraints: index-3 augmented Lagrangian, projections of velocities and
// accelerations. kernels/README.md, "Constraints". Unknowns of a body are its velocity v and its spin w in
// principal axes at the end of the step of h; with s = 2/h and the index 0 at its start
//
//   x = x0 + (v0 + v)/s,  Q = Q0 exp((w0 + w)/s),  a = s (v - v0) - a0.
//
// Newton's method solves a = M^-1 (forces - J' (lambda* + alpha phi)) with the matrix s - J_v - J_p/s of rodas.h, to
// which M^-1 J' alpha J/s is added; lambda* grows by alpha phi at each new pose. Projections by masses and
// constraints alone then put velocities and accelerations onto the constraints. Method: Cuadrado, Cardenal, Bayo,
// Multibody System Dynamics 1 (1997) 259; rotations by increments of the exponential: Cardona and Geradin, Int. J.
// Numer. Meth. Eng. 26 (1988) 2403.
#ifndef CLACK_INTEGRATE_TRAPEZOIDAL_H
#define CLACK_INTEGRATE_TRAPEZOIDAL_H

#include "joints/coupling.h"
#include "integrate/islands.h"
#include "integrate/motion.h"
#include "integrate/rodas.h"
#include "integrate/trapezoidal_matrix.h"

#define TRAPEZOIDAL_PASSES_MOST 10u   // of a projection, which ends
#define TRAPEZOIDAL_SETTLED 1.0e-13   // after a change by this share
#define TRAPEZOIDAL_TOLERANCE 1.0e-11 // of the last change: rad, and of a body's place and radius of gyration
#define TRAPEZOIDAL_ITERATIONS_MOST 25u

// Evaluations of constraints
#define TRAPEZOIDAL_FIRST 0u // in the first iteration of a step, which gives the penalties
#define TRAPEZOIDAL_AGAIN 1u // in a later one: multipliers grow by the penalties of what the equations are off by
#define TRAPEZOIDAL_END 2u   // at the end: of multipliers alone

/// Evaluate all couplings in the trial states, and sum their forces.
FN_ONCE void trapezoidal_evaluate(const SceneView *view, real s, u32 stage) {
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_constraint(view, contact)) {
            coupling_evaluate(view, contact);
            continue;
        }
        constraint_take_rows(view, contact);
        if (stage == TRAPEZOIDAL_FIRST) trapezoidal_weigh(view, contact, s);
        for (u32 i = 0; i < contact->step.constraint.count && stage == TRAPEZOIDAL_AGAIN; i++) {
            GLOBAL ConstraintRow *row = &contact->step.constraint.rows[i];
            row->multiplier = real_fma(row->penalty, row->phi, row->multiplier);
        }
        constraint_push(view, contact, stage != TRAPEZOIDAL_END);
    }
    coupling_sum_forces(view);
}

// --- Newton's method ----------------------------------------------------------------------------------

/// The pose at the end of the step that follows from the velocities there.
FN_ONCE void trapezoidal_place(const SceneView *view, u32 b, real s) {
    GLOBAL BodyState *trial = &view->works[b].step.trial;
    BodyState start = view->states[b];
    trial->position_m =
        vec3_add_scaled(start.position_m, vec3_add(start.velocity_m_per_s, trial->velocity_m_per_s), 1.0 / s);
    Quat turn = quat_exp(vec3_scale(vec3_add(start.spin_rad_per_s, trial->spin_rad_per_s), 1.0 / s));
    Quat orientation = is_free_ball(view->bodies[b].flags) ? quat_multiply(turn, start.orientation)
                                                           : quat_multiply(start.orientation, turn);
    trial->orientation = quat_normalize(orientation);
}

/// Accelerations at the end of the step by the trapezoidal rule, as the rates of a stage.
FN_SHORT BodyPush trapezoidal_accelerations(const SceneView *view, u32 b, real s) {
    GLOBAL const BodyWork *work = &view->works[b];
    BodyState start = view->states[b], end = work->step.trial;
    BodyPush by;
    by.acceleration = vec3_sub(vec3_scale(vec3_sub(end.velocity_m_per_s, start.velocity_m_per_s), s),
                               work->step.rates[0].acceleration);
    by.spin_rate =
        vec3_sub(vec3_scale(vec3_sub(end.spin_rad_per_s, start.spin_rad_per_s), s), work->step.rates[0].spin_rate);
    return by;
}

/// One iteration: solve for the change of the velocities. Returns 1 if a pose has changed by more than the tolerance.
FN_ONCE u32 trapezoidal_iterate(const SceneView *view, real s) {
    u32 goes_on = 0;
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL real *side = rodas_side(view, b);
        motion_rate(view, b, 1);
        BodyPush by = trapezoidal_accelerations(view, b, s);
        rodas_keep(side, vec3_sub(view->works[b].step.rates[1].acceleration, by.acceleration));
        rodas_keep(side + 3, vec3_sub(view->works[b].step.rates[1].spin_rate, by.spin_rate));
    }
    trapezoidal_solve(view);
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL const real *side = rodas_side(view, b);
        GLOBAL BodyState *trial = &view->works[b].step.trial;
        Vec3 velocity = rodas_kept(side), spin = rodas_kept(side + 3);
        trial->velocity_m_per_s = vec3_add(trial->velocity_m_per_s, velocity);
        trial->spin_rad_per_s = vec3_add(trial->spin_rad_per_s, spin);
        trapezoidal_place(view, b, s);
        real gyration = real_sqrt(vec3_max_abs(view->bodies[b].inertia_kg_m2) * view->bodies[b].inverse_mass);
        real size = vec3_max_abs(trial->position_m) + gyration;
        real shift = vec3_max_abs(velocity) / s, turn = vec3_max_abs(spin) / s;
        if (!(shift <= TRAPEZOIDAL_TOLERANCE * size && turn <= TRAPEZOIDAL_TOLERANCE)) goes_on = 1;
    }
    SCENE_BARRIER();
    return scene_any(view, goes_on);
}

// --- projections --------------------------------------------------------------------------------------
//
// Velocities, or accelerations, u become u + x with s x = -M^-1 J' alpha (J u + J x) / s, J u what the equations are
// off by: the change is that by forces of the constraints, and leaves 1/PENALTY of the violation or so. It is repeated.

// Rates of each body while they are projected: before the last change, and now.
#define TRAPEZOIDAL_BEFORE 2u
#define TRAPEZOIDAL_NOW 3u

// How the bodies of a constraint move relative to each other, by rates of both. World axes.
typedef struct TrapezoidalMotion {
    Vec3 velocity, spin_a, spin_b;
} TrapezoidalMotion;

FN_SHORT Vec3 trapezoidal_spin(const SceneView *view, u32 b, u32 stage) {
    return spin_to_world(view->bodies[b].flags, view->works[b].step.trial.orientation,
                         view->works[b].step.rates[stage].spin_rate);
}

FN_SHORT TrapezoidalMotion trapezoidal_motion(const SceneView *view, GLOBAL const Contact *contact, u32 stage) {
    TrapezoidalMotion motion;
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    motion.velocity = motion.spin_a = motion.spin_b = vec3_zero();
    if (body_moves(view, a)) {
        motion.velocity = vec3_negate(view->works[a].step.rates[stage].velocity);
        motion.spin_a = trapezoidal_spin(view, a, stage);
    }
    if (body_moves(view, b)) {
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
        real off = constraint_rate(row, now.velocity, now.spin_a, now.spin_b) + (is_first ? row->drift : row->bend);
        row->push = row->penalty * off;
        for (u32 is_b = 0; is_b < 2; is_b++) {
            u32 body = is_b ? contact->pair.body_b : contact->pair.body_a;
            if (!body_moves(view, body)) continue;
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
        goes_on |= trapezoidal_is_more(velocity, rates[TRAPEZOIDAL_NOW].velocity);
        goes_on |= trapezoidal_is_more(spin, rates[TRAPEZOIDAL_NOW].spin_rate);
    }
    SCENE_BARRIER();
    return scene_any(view, goes_on);
}

/// The forces of a change of accelerations, added to the multipliers of a constraint.
FN_ONCE void trapezoidal_add_multipliers(const SceneView *view, GLOBAL Contact *contact, real s) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion before = trapezoidal_motion(view, contact, TRAPEZOIDAL_BEFORE);
    TrapezoidalMotion now = trapezoidal_motion(view, contact, TRAPEZOIDAL_NOW);
    Vec3 velocity = vec3_sub(now.velocity, before.velocity), spin_a = vec3_sub(now.spin_a, before.spin_a);
    Vec3 spin_b = vec3_sub(now.spin_b, before.spin_b);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        real change = constraint_rate(row, velocity, spin_a, spin_b);
        row->multiplier += real_fma(row->penalty, change, row->push) / (s * s);
    }
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
/// of Newton's method are off by rounding of phi times the penalty, 1e-7 of a force; these are not.
FN_ONCE void trapezoidal_settle(const SceneView *view, u32 stage, real s) {
    u32 goes_on = 1;
    for (u32 pass = 0; goes_on && pass < TRAPEZOIDAL_PASSES_MOST; pass++) {
        trapezoidal_push(view, stage);
        goes_on = trapezoidal_project(view, 0, s);
        AWAKE_LOOP(c) {
            GLOBAL Contact *contact = &view->contacts[c];
            if (contact_is_constraint(view, contact)) trapezoidal_add_multipliers(view, contact, s);
        }
        SCENE_BARRIER();
    }
    trapezoidal_push(view, stage);
}

// --- steps --------------------------------------------------------------------------------------------

/// Put the velocities at the end of the step onto the constraints, then the accelerations there.
FN_ONCE void trapezoidal_finish(const SceneView *view, real s) {
    u32 goes_on = 1;
    trapezoidal_evaluate(view, s, TRAPEZOIDAL_AGAIN);
    trapezoidal_factorise(view, s, 0);
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyWork *work = &view->works[b];
        work->step.rates[TRAPEZOIDAL_NOW].velocity = work->step.trial.velocity_m_per_s;
        work->step.rates[TRAPEZOIDAL_NOW].spin_rate = work->step.trial.spin_rad_per_s;
    }
    for (u32 pass = 0; goes_on && pass < TRAPEZOIDAL_PASSES_MOST; pass++) goes_on = trapezoidal_project(view, 1, s);
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyWork *work = &view->works[b];
        work->step.trial.velocity_m_per_s = work->step.rates[TRAPEZOIDAL_NOW].velocity;
        work->step.trial.spin_rad_per_s = work->step.rates[TRAPEZOIDAL_NOW].spin_rate;
    }
    SCENE_BARRIER();
    trapezoidal_evaluate(view, s, TRAPEZOIDAL_END);
    trapezoidal_settle(view, STAGES - 1, s);
}

/// What couplings have given in the step of h, by the trapezoidal rule.
FN_ONCE void trapezoidal_add_transfer(const SceneView *view, real h) {
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        contact->trial.impulse_N_s = vec3_scale(vec3_add(contact->start.force_N, contact->now.force_N), 0.5 * h);
        contact->trial.loss_J = 0.5 * h * (contact->start.loss_W + contact->now.loss_W);
    }
}

/// Bodies with couplings through a step of h from the present states, whose rates are known, to the trial states.
/// Returns 0 if Newton's method has not converged.
FN_WAY u32 trapezoidal_try(const SceneView *view, Progress *progress, real h) {
    real s = 2.0 / h, time = scene_time(view, progress) + h;
    u32 goes_on = 1, iterations = 0;
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyWork *work = &view->works[b];
        work->step.trial.velocity_m_per_s =
            vec3_add_scaled(view->states[b].velocity_m_per_s, work->step.rates[0].acceleration, h);
        work->step.trial.spin_rad_per_s =
            vec3_add_scaled(view->states[b].spin_rad_per_s, work->step.rates[0].spin_rate, h);
        trapezoidal_place(view, b, s);
    }
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        GLOBAL JointConstraint *constraint = &contact->step.constraint;
        if (!contact_is_constraint(view, contact)) continue;
        constraint->time_s = time;
        for (u32 i = 0; i < CONSTRAINT_ROWS_MOST; i++) constraint->rows[i].multiplier = constraint->start_multiplier[i];
    }
    SCENE_BARRIER();
    for (; goes_on && iterations < TRAPEZOIDAL_ITERATIONS_MOST; iterations++) {
        trapezoidal_evaluate(view, s, iterations > 0 ? TRAPEZOIDAL_AGAIN : TRAPEZOIDAL_FIRST);
        trapezoidal_factorise(view, s, 1);
        goes_on = trapezoidal_iterate(view, s);
    }
    progress->evaluations += iterations;
    work_count_forces(progress, view->slot->awake_count * iterations);
    trapezoidal_finish(view, s);
    trapezoidal_add_transfer(view, h);
    SCENE_BARRIER();
    return goes_on ? 0u : 1u;
}

/// Before a step: the derivatives of couplings that are no constraints.
FN_ONCE void trapezoidal_plan(const SceneView *view) {
    MOVING_LOOP(b) view->works[b].control.implicit = trapezoidal_takes(view, b);
    SCENE_BARRIER();
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_constraint(view, contact)) coupling_derive(view, contact);
    }
    SCENE_BARRIER();
}

/// The step just tried is accepted: the next one begins with its multipliers.
FN_SHORT void trapezoidal_keep(const SceneView *view, GLOBAL Contact *contact) {
    if (!contact_is_constraint(view, contact)) return;
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    for (u32 i = 0; i < constraint->count; i++) constraint->start_multiplier[i] = constraint->rows[i].multiplier;
}

/// Accelerations and multipliers of the present states, which are the trial ones, for steps of h.
FN_ONCE void trapezoidal_begin(const SceneView *view, real h) {
    real s = 2.0 / h;
    trapezoidal_evaluate(view, s, TRAPEZOIDAL_FIRST);
    trapezoidal_factorise(view, s, 0);
    trapezoidal_settle(view, 0, s);
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        trapezoidal_keep(view, contact);
        contact->start.force_N = contact->now.force_N;
        contact->start.loss_W = contact->now.loss_W;
    }
    SCENE_BARRIER();
}

#endif
