// Steps by the trapezoidal rule with constraints: index-3 augmented Lagrangian, projections of velocities and
// accelerations. kernels/integrate/README.md, "Constraints". Unknowns of a body are its velocity v and its spin w in
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
#include "integrate/trapezoidal_jump.h"
#include "integrate/trapezoidal_matrix.h"
#include "integrate/trapezoidal_projection.h"

#define TRAPEZOIDAL_TOLERANCE 1.0e-11 // of the last change: rad, and of a body's place and radius of gyration
#define TRAPEZOIDAL_ITERATIONS_MOST 25u
// Multipliers converge slowly in directions in which constraints hardly resist: those of long chains, near singular
// positions. After a change by more than this share of the one before they are projected in each iteration;
#define TRAPEZOIDAL_LAGS 0.1
// where projections do not serve (trapezoidal_projects), penalties grow tenfold with each iteration after so many, four
// times. They do not where other things are slow (contact regions, unilateral rows), so where bodies move by more than
// constraints are off: rounding of phi times a large penalty would look like tension.
#define TRAPEZOIDAL_RAISED_FROM 5u
#define TRAPEZOIDAL_RAISED_TO 9u
#define TRAPEZOIDAL_RAISE 10.0
// Every iterate solves the equations of motion with its own multipliers: after so many iterations it is taken if it
// keeps the constraints to TRAPEZOIDAL_KEPT, m or rad, and poses change by less than TRAPEZOIDAL_CHANGE. 40 linkages
// beside each other do not pass their singular positions otherwise.
#define TRAPEZOIDAL_SLOW 12u
// Of constraints alone the matrix of an iteration serves the next one too, as long as each change is less than this
// share of the one before.
#define TRAPEZOIDAL_GAINS 0.01
// Where contact regions split or merge their forces jump, and there may be no solution. After so many iterations they
// are the last ones found, which move with their bodies.
#define TRAPEZOIDAL_SEEKS 6u
#define TRAPEZOIDAL_STALLS 0.5 // an iteration whose change is more than this of the one before gains nothing
#define TRAPEZOIDAL_SHARE_LEAST 0.0625
#define TRAPEZOIDAL_KEPT 1.0e-11
// Of equations that contradict each other Newton's method finds where they are off least, with multipliers that grow
// without end. What they are off by then, m or rad, is more than this.
#define TRAPEZOIDAL_CONTRADICTS 1.0e-8
#define TRAPEZOIDAL_CHANGE 1.0e-7
// With contact regions or unilateral rows, moreover, velocities have to change by less than this share of themselves
// and of SPEED_FLOOR_M_PER_S: in a step of 1e-7 s a change of 1e-7 of a pose is one of 0.1 m/s.
#define TRAPEZOIDAL_SPEED_SHARE 1.0e-6

// Evaluations of constraints
#define TRAPEZOIDAL_FIRST 0u      // in the first iteration of a step, which gives the penalties
#define TRAPEZOIDAL_AGAIN 1u      // in a later one: multipliers grow by the penalties of what the equations are off by
#define TRAPEZOIDAL_END 2u        // at the end: of multipliers alone
#define TRAPEZOIDAL_ONE_BY_ONE 3u // as in a later one, but unilateral rows begin or cease to carry one by one,
#define TRAPEZOIDAL_ONE_FROM 5u   // after so many iterations
// in steps no longer than this share of solver.step: what several rows do to each other within one step is off by its
// length, and is known more exactly in shorter ones;
#define TRAPEZOIDAL_ONE_SHARE 0.125
#define TRAPEZOIDAL_NOISE 1.0e-13 // of their phi, m or rad: less is rounding, and would change them without end
#define TRAPEZOIDAL_DIFFERS 1u    // what evaluations return
#define TRAPEZOIDAL_CHANGED 2u

// Unilateral rows nearer than this to their ends may carry when a scene begins: of a length, or rad.
#define TRAPEZOIDAL_NEAR 1.0e-9

/// Unilateral rows without force: multipliers are not negative, and a row carries while lambda* + alpha phi > 0. In the
/// first iteration, whose pose is a prediction, those that carried at the start go on to. near: of phi. Returns 1 if
/// others carry than before.
FN_ONCE u32 trapezoidal_mark_inactive(GLOBAL JointConstraint *constraint, u32 stage, real near) {
    u32 inactive = 0, before = constraint->inactive;
    for (u32 i = 0; constraint->unilateral >> i != 0; i++) {
        if (!(constraint->unilateral >> i & 1u)) continue;
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        row->multiplier = real_max(row->multiplier, 0.0);
        u32 carries = real_fma(row->penalty, row->phi, row->multiplier) > 0.0 ? 1u : 0u;
        if (stage == TRAPEZOIDAL_FIRST)
            carries = row->phi > 0.0 - near || !(constraint->start_inactive >> i & 1u) ? 1u : 0u;
        if (!carries) inactive |= 1u << i;
    }
    constraint->inactive = inactive;
    return inactive == before ? 0u : 1u;
}

/// The unilateral rows of a constraint that would begin or cease to carry, as a mask. A row that carries may pull for
/// now; of one that does not the multiplier is 0. least: of phi, below which nothing changes; raised: by how much
/// penalties have been raised.
FN_ONCE u32 trapezoidal_rows_to_change(GLOBAL JointConstraint *constraint, real least, real raised) {
    u32 rows = 0;
    for (u32 i = 0; constraint->unilateral >> i != 0; i++) {
        if (!(constraint->unilateral >> i & 1u)) continue;
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        u32 carries = constraint->inactive >> i & 1u ? 0u : 1u;
        if (!carries) row->multiplier = 0.0;
        real multiplier = real_fma(row->penalty, row->phi, row->multiplier);
        if (carries ? multiplier < 0.0 - least * row->penalty / raised : row->phi > least) rows |= 1u << i;
    }
    return rows;
}

/// Where unilateral rows of several constraints begin and cease to carry alternately, without end, they change one by
/// one: always the first that should, which ends (Murty, Linear Complementarity, Linear and Nonlinear Programming
/// (1988), section 2.4: the least-index method for P-matrices). One that should by less than Newton's method still
/// moves bodies, far_m, waits. Returns 1 if one has changed or waits.
FN_ONCE u32 trapezoidal_change_first(const SceneView *view, real far_m, real raised) {
    real first = REAL_HUGE, far = real_max(far_m, TRAPEZOIDAL_NOISE);
    u32 waits = 0;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_constraint(view, contact)) continue;
        if (trapezoidal_rows_to_change(&contact->step.constraint, TRAPEZOIDAL_NOISE, raised)) waits = 1;
        if (trapezoidal_rows_to_change(&contact->step.constraint, far, raised)) first = real_min(first, (real)c);
    }
    waits = scene_any(view, waits);
    first = scene_min(view, first);
    ACTIVE_LOOP(k) {
        if ((real)k != first) continue;
        GLOBAL JointConstraint *constraint = &view->contacts[k].step.constraint;
        u32 rows = trapezoidal_rows_to_change(constraint, far, raised);
        constraint->inactive ^= rows & (~rows + 1u); // its lowest bit
    }
    SCENE_BARRIER();
    return waits;
}

/// Evaluate all couplings in the trial states, and sum their forces. near: see trapezoidal_mark_inactive, as a share of
/// a rope's length; of TRAPEZOIDAL_ONE_BY_ONE far_m and raised of trapezoidal_change_first. Returns TRAPEZOIDAL_DIFFERS
/// if there are forces that depend on poses or velocities, or if unilateral rows have changed, and TRAPEZOIDAL_CHANGED
/// if one has by itself, or waits.
FN_ONCE u32 trapezoidal_evaluate(const SceneView *view, real s, u32 stage, real near, real raised) {
    u32 differs = 0, changed = 0;
    real penalty = stage == TRAPEZOIDAL_FIRST ? trapezoidal_penalty(view) : 0.0;
    region_evaluate_all(view);
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_constraint(view, contact)) {
            coupling_evaluate(view, contact);
            differs = 1;
            continue;
        }
        constraint_take_rows(view, contact);
        if (stage == TRAPEZOIDAL_FIRST) trapezoidal_weigh(view, contact, s, penalty);
        u32 is_again = stage == TRAPEZOIDAL_AGAIN || stage == TRAPEZOIDAL_ONE_BY_ONE ? 1u : 0u;
        for (u32 i = 0; i < contact->step.constraint.count && is_again; i++) {
            GLOBAL ConstraintRow *row = &contact->step.constraint.rows[i];
            row->multiplier = real_fma(row->penalty, row->phi, row->multiplier);
        }
        if (stage == TRAPEZOIDAL_FIRST || stage == TRAPEZOIDAL_AGAIN)
            differs |=
                trapezoidal_mark_inactive(&contact->step.constraint, stage, near * constraint_size(view, contact));
        if (stage != TRAPEZOIDAL_ONE_BY_ONE) constraint_forces(view, contact, stage != TRAPEZOIDAL_END);
    }
    if (stage == TRAPEZOIDAL_ONE_BY_ONE) {
        SCENE_BARRIER();
        changed = trapezoidal_change_first(view, near, raised) ? TRAPEZOIDAL_DIFFERS | TRAPEZOIDAL_CHANGED : 0u;
        ACTIVE_LOOP(k) {
            if (contact_is_constraint(view, &view->contacts[k])) constraint_forces(view, &view->contacts[k], 1);
        }
    }
    coupling_sum_forces(view);
    return (scene_any(view, differs) ? TRAPEZOIDAL_DIFFERS : 0u) | changed;
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
FN_SHORT BodyAcceleration trapezoidal_accelerations(const SceneView *view, u32 b, real s) {
    GLOBAL const BodyWork *work = &view->works[b];
    BodyState start = view->states[b], end = work->step.trial;
    BodyAcceleration by;
    by.acceleration = vec3_sub(vec3_scale(vec3_sub(end.velocity_m_per_s, start.velocity_m_per_s), s),
                               work->step.rates[0].acceleration);
    by.spin_rate =
        vec3_sub(vec3_scale(vec3_sub(end.spin_rad_per_s, start.spin_rad_per_s), s), work->step.rates[0].spin_rate);
    return by;
}

typedef struct TrapezoidalChange { // the largest of an iteration
    real pose;                     // as a share of a body's size, or rad; REAL_HUGE: it is no number
    real far_m;                    // of any point of a body, at its radius of gyration
    real speed;                    // of a velocity, as a share of it and of SPEED_FLOOR_M_PER_S
} TrapezoidalChange;

/// One iteration: solve for the change of the velocities, and take `share` of it. left: constraints lag, and are
/// projected until a pass changes less than this share of the change, or 0. The changes are those of all of it.
FN_ONCE TrapezoidalChange trapezoidal_iterate(const SceneView *view, real s, real share, real left) {
    TrapezoidalChange most = {0.0, 0.0, 0.0};
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL real *side = rodas_side(view, b);
        motion_rate(view, b, 1);
        BodyAcceleration by = trapezoidal_accelerations(view, b, s);
        rodas_keep(side, vec3_sub(view->works[b].step.rates[1].acceleration, by.acceleration));
        rodas_keep(side + 3, vec3_sub(view->works[b].step.rates[1].spin_rate, by.spin_rate));
    }
    trapezoidal_solve(view);
    if (left > 0.0) trapezoidal_project_change(view, s, left);
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL const real *side = rodas_side(view, b);
        GLOBAL BodyState *trial = &view->works[b].step.trial;
        Vec3 velocity = rodas_kept(side), spin = rodas_kept(side + 3);
        trial->velocity_m_per_s = vec3_add_scaled(trial->velocity_m_per_s, velocity, share);
        trial->spin_rad_per_s = vec3_add_scaled(trial->spin_rad_per_s, spin, share);
        trapezoidal_place(view, b, s);
        real gyration = trapezoidal_gyration(view, b);
        real size = vec3_max_abs(trial->position_m) + gyration;
        real shift = vec3_max_abs(velocity) / s, turn = vec3_max_abs(spin) / s;
        real change = real_max(turn, size > 0.0 ? shift / size : shift);
        real speed = trapezoidal_size(gyration, COPY(trial->velocity_m_per_s), COPY(trial->spin_rad_per_s));
        real faster = trapezoidal_size(gyration, velocity, spin);
        most.pose = change <= REAL_HUGE ? real_max(most.pose, change) : REAL_HUGE;
        most.far_m = real_max(most.far_m, real_fma(gyration, turn, shift));
        most.speed = real_max(most.speed, faster / (SPEED_FLOOR_M_PER_S + speed));
    }
    SCENE_BARRIER();
    most.pose = scene_max(view, most.pose);
    most.far_m = scene_max(view, most.far_m);
    most.speed = scene_max(view, most.speed);
    return most;
}

/// What share of a change to take after an iteration: friction jumps, or nearly so, where a slip reverses, and Newton's
/// method then goes to and fro between both of its limits.
FN_SHORT real trapezoidal_share(real share, real change, real before) {
    return change > TRAPEZOIDAL_STALLS * before ? real_max(0.5 * share, TRAPEZOIDAL_SHARE_LEAST)
                                                : real_min(2.0 * share, 1.0);
}

/// Largest violation of a constraint at the last evaluation, m or rad.
FN_ONCE real trapezoidal_violation(const SceneView *view) {
    real most = 0.0;
    ACTIVE_LOOP(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact))
            most = real_max(most, constraint_violation(&contact->step.constraint));
    }
    return scene_max(view, most);
}

/// Do constraints lag behind after an iteration that has moved no point by more than far_m?
FN_SHORT u32 trapezoidal_constraints_lag(const SceneView *view, real far_m) {
    return trapezoidal_violation(view) > real_max(TRAPEZOIDAL_KEPT, far_m) ? 1u : 0u;
}

/// Does Newton's method end after this many iterations, the last of which has changed poses by so much?
FN_SHORT u32 trapezoidal_is_done(const SceneView *view, u32 iterations, TrapezoidalChange change, u32 projects) {
    if (change.pose <= TRAPEZOIDAL_TOLERANCE) return 1;
    if (iterations < TRAPEZOIDAL_SLOW || !(change.pose <= TRAPEZOIDAL_CHANGE)) return 0;
    if (!projects && !(change.speed <= TRAPEZOIDAL_SPEED_SHARE)) return 0;
    return trapezoidal_violation(view) <= TRAPEZOIDAL_KEPT ? 1u : 0u;
}

// --- steps --------------------------------------------------------------------------------------------

/// From here on contacts take their regions in this manner, one of REGIONS_*.
FN_SHORT void trapezoidal_take_regions(const SceneView *view, u32 regions_are) {
    SCENE_BARRIER();
    if (view->item == 0) view->slot->regions_are = regions_are;
    SCENE_BARRIER();
}

/// What the regions of the end change in the velocities of a contact's point, against those with which bodies were
/// moved, m/s; 0 if it is within the tolerance of Newton's method.
FN_ONCE real trapezoidal_residual(const SceneView *view, GLOBAL const Contact *contact, real s) {
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    Vec3 used = vec3_sub(vec3_scale(contact->trial.impulse_N_s, s), contact->start.force_N);
    Vec3 differs = vec3_sub(contact->now.force_N, used);
    real size = vec3_length(differs), speed = 0.0, inverse_mass = 0.0;
    if (!(size > 0.0)) return 0.0;
    Vec3 along = vec3_scale(differs, 1.0 / size), lever = contact->now.lever_b_m;
    for (u32 k = 0; k < 2; k++) {
        u32 body = k == 0 ? b : a;
        GLOBAL const BodyState *trial = &view->works[body].step.trial;
        if (k > 0) lever = vec3_add(lever, vec3_sub(view->works[b].step.trial.position_m, trial->position_m));
        if (!body_is_stepped(view, body)) continue;
        inverse_mass += pair_inverse_mass(&view->bodies[body], COPY(trial->orientation), lever, along);
        speed = real_max(speed, trapezoidal_size(trapezoidal_gyration(view, body), COPY(trial->velocity_m_per_s),
                                                 COPY(trial->spin_rad_per_s)));
    }
    real off = size * inverse_mass / s;
    return off > TRAPEZOIDAL_SPEED_SHARE * (SPEED_FLOOR_M_PER_S + speed) ? off : 0.0;
}

/// The largest residual of the step just solved. is_of_others: with regions other than those of its end.
FN_ONCE void trapezoidal_keep_residual(const SceneView *view, real s, u32 is_of_others) {
    real most = 0.0;
    ACTIVE_LOOP(c) {
        if (is_of_others && contact_is_region(view, &view->contacts[c]))
            most = real_max(most, trapezoidal_residual(view, &view->contacts[c], s));
    }
    most = scene_max(view, most);
    if (view->item == 0) view->slot->residual_m_per_s = most;
}

/// Put the velocities at the end of the step onto the constraints, then the accelerations there. raised: by how much
/// penalties have been raised.
FN_ONCE void trapezoidal_finish(const SceneView *view, real s, real raised) {
    ACTIVE_LOOP(c) { // with the forces that have moved the bodies: projections may change these
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact)) continue;
        contact->trial.impulse_N_s = vec3_scale(vec3_add(contact->start.force_N, contact->now.force_N), 1.0 / s);
        contact->trial.loss_J = (contact->start.loss_W + contact->now.loss_W) / s;
        contact->given.trial_J = (contact->given.start_W + contact->given.now_W) / s;
    }
    u32 is_of_others = view->slot->regions_are == REGIONS_MOVED ? 1u : 0u;
    trapezoidal_take_regions(view, REGIONS_SOUGHT);
    (void)trapezoidal_evaluate(view, s, TRAPEZOIDAL_AGAIN, 0.0, 1.0);
    trapezoidal_keep_residual(view, s, is_of_others);
    if (raised > 1.0) trapezoidal_raise(view, 1.0 / raised);
    ACTIVE_LOOP(c) {
        if (contact_is_constraint(view, &view->contacts[c])) trapezoidal_mark_tautened(&view->contacts[c]);
    }
    trapezoidal_project_velocities(view, s);
    ACTIVE_LOOP(c) {
        if (contact_is_constraint(view, &view->contacts[c])) trapezoidal_add_transfer(view, &view->contacts[c], s);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyWork *work = &view->works[b];
        work->step.trial.velocity_m_per_s = work->step.rates[TRAPEZOIDAL_NOW].velocity;
        work->step.trial.spin_rad_per_s = work->step.rates[TRAPEZOIDAL_NOW].spin_rate;
    }
    trapezoidal_take_regions(view, REGIONS_KNOWN); // poses stay
    (void)trapezoidal_evaluate(view, s, TRAPEZOIDAL_END, 0.0, 1.0);
    trapezoidal_settle(view, STAGES - 1, s);
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact) && contact->step.constraint.jumps == 0)
            contact->given.trial_J = (contact->given.start_W + contact->given.now_W) / s;
    }
}

/// Trial states and constraints with which Newton's method begins in a step of h.
FN_ONCE void trapezoidal_predict(const SceneView *view, SCENE_SPACE const Progress *progress, real h) {
    real s = 2.0 / h, time = scene_time(view, progress) + h;
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyWork *work = &view->works[b];
        work->step.trial.velocity_m_per_s =
            vec3_add_scaled(view->states[b].velocity_m_per_s, work->step.rates[0].acceleration, h);
        work->step.trial.spin_rad_per_s =
            vec3_add_scaled(view->states[b].spin_rad_per_s, work->step.rates[0].spin_rate, h);
        trapezoidal_place(view, b, s);
    }
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_region(view, contact)) contact->step.region.half_step_s = 1.0 / s;
        if (!contact_is_constraint(view, contact)) continue;
        constraint_rewind(&contact->step.constraint);
        trapezoidal_drive(view, contact, time, h);
    }
    SCENE_BARRIER();
}

typedef struct TrapezoidalNewton {
    u32 iterations, is_done;
    real raised; // by how much penalties have been raised
} TrapezoidalNewton;

/// Newton's method from a prediction. Contact regions are searched for again in so many iterations (seeks), and then
/// move with their bodies.
FN_WAY TrapezoidalNewton trapezoidal_newton(const SceneView *view, real h, u32 has_regions, u32 seeks) {
    real s = 2.0 / h, raised = 1.0, share = 1.0, before = REAL_HUGE, far_m = REAL_HUGE;
    u32 is_done = 0, has_matrix = 0, lags = 0, iterations = 0, differs = 0, projects = trapezoidal_projects(view);
    u32 one_from = h <= TRAPEZOIDAL_ONE_SHARE * view->scene->step_s ? TRAPEZOIDAL_ONE_FROM : NONE;
    while (!is_done && iterations < TRAPEZOIDAL_ITERATIONS_MOST) {
        if (!projects && iterations >= TRAPEZOIDAL_RAISED_FROM && iterations < TRAPEZOIDAL_RAISED_TO &&
            !(differs & TRAPEZOIDAL_CHANGED) && trapezoidal_constraints_lag(view, far_m)) {
            trapezoidal_raise(view, TRAPEZOIDAL_RAISE);
            raised *= TRAPEZOIDAL_RAISE;
            has_matrix = 0;
        }
        trapezoidal_take_regions(view, iterations < seeks ? REGIONS_SOUGHT : REGIONS_MOVED);
        u32 stage = iterations == 0         ? TRAPEZOIDAL_FIRST
                    : iterations < one_from ? TRAPEZOIDAL_AGAIN
                                            : TRAPEZOIDAL_ONE_BY_ONE;
        differs = trapezoidal_evaluate(view, s, stage, stage == TRAPEZOIDAL_ONE_BY_ONE ? far_m : 0.0, raised);
        if (differs || !has_matrix) trapezoidal_factorise(view, s, 1);
        real left = iterations + 1 < TRAPEZOIDAL_SLOW ? TRAPEZOIDAL_LEFT : TRAPEZOIDAL_LEFT_SLOW;
        TrapezoidalChange change = trapezoidal_iterate(view, s, share, lags ? left : 0.0);
        if (has_regions) share = trapezoidal_share(share, change.pose, before);
        if (projects && iterations > 0 && change.pose > TRAPEZOIDAL_LAGS * before) lags = 1;
        has_matrix = iterations == 0 || change.pose < TRAPEZOIDAL_GAINS * before ? 1u : 0u;
        before = change.pose;
        far_m = change.far_m;
        is_done = trapezoidal_is_done(view, ++iterations, change, projects);
        if (differs & TRAPEZOIDAL_CHANGED) is_done = 0;
    }
    TrapezoidalNewton newton;
    newton.iterations = iterations;
    newton.is_done = is_done;
    newton.raised = raised;
    return newton;
}

/// Bodies with couplings through a step of h from the present states, whose rates are known, to the trial states. With
/// contact regions whose forces jump there may be no solution: a short step then has the regions of its start, which
/// move with their bodies. Returns 0 if Newton's method has not converged, or to poses that do not keep the
/// constraints.
FN_WAY u32 trapezoidal_try(const SceneView *view, SCENE_SPACE Progress *progress, real h) {
    u32 has_regions = progress->contact_count > joint_count(view) ? 1u : 0u;
    u32 may_be_loose = has_regions && h <= view->slot->loose_most_s ? 1u : 0u;
    u32 is_loose = may_be_loose && view->slot->loose_left > 0 ? 1u : 0u, iterations = 0;
    TrapezoidalNewton newton;
    while (1) {
        if (is_loose) region_find_all_at_start(view);
        trapezoidal_predict(view, progress, h);
        newton = trapezoidal_newton(view, h, has_regions, is_loose ? 0u : TRAPEZOIDAL_SEEKS);
        iterations += newton.iterations;
        if (newton.is_done || is_loose || !may_be_loose) break;
        is_loose = 1;
    }
    progress->evaluations += iterations;
    work_count_forces(progress, view->slot->active_count * iterations);
    if (view->item == 0) view->slot->is_loose = is_loose;
    trapezoidal_finish(view, 2.0 / h, newton.raised);
    SCENE_BARRIER();
    u32 contradicts = newton.is_done && trapezoidal_violation(view) > TRAPEZOIDAL_CONTRADICTS ? 1u : 0u;
    if (view->item == 0) view->slot->contradicts = contradicts;
    SCENE_BARRIER();
    return newton.is_done && !contradicts ? 1u : 0u;
}

/// Before a step: the derivatives of couplings that are no constraints, and what the energy balance has of its start.
FN_ONCE void trapezoidal_plan(const SceneView *view) {
    u32 has_regions = policy_has_regions(view->scene->flags);
    MOVING_LOOP(b) view->works[b].control.implicit = trapezoidal_takes(view, b);
    SCENE_BARRIER();
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (has_regions) contact->start.elastic_J = coupling_energy(view, contact);
        if (!contact_is_constraint(view, contact)) coupling_derive(view, contact);
    }
    SCENE_BARRIER();
}

/// The step just tried is accepted: the next one begins with its multipliers.
FN_SHORT void trapezoidal_keep(const SceneView *view, GLOBAL Contact *contact, real time) {
    if (contact_is_region(view, contact)) region_keep(view, contact, time);
    if (!contact_is_constraint(view, contact)) return;
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    for (u32 i = 0; i < constraint->count; i++) constraint->start_multiplier[i] = constraint->rows[i].multiplier;
    constraint->start_inactive = constraint->inactive;
    constraint->start_angle_rad = constraint->angle_rad;
    constraint->start_moment_N_m = constraint_moment(contact);
    constraint->start_jumps = 0;
}

/// Before forces are evaluated at the start of a step, perhaps once more: what constraints keep is that of the start.
FN_ONCE void trapezoidal_rewind(const SceneView *view, SCENE_SPACE const Progress *progress) {
    real time = scene_time(view, progress);
    trapezoidal_take_regions(view, REGIONS_SOUGHT);
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_region(view, contact)) contact->step.region.half_step_s = 0.0;
        if (!contact_is_constraint(view, contact)) continue;
        contact->step.constraint.drive = constraint_drive(view, joint_of(view, contact), time);
        constraint_rewind(&contact->step.constraint);
    }
    SCENE_BARRIER();
}

/// Accelerations and multipliers of the present states, which are the trial ones, for steps of h.
FN_ONCE void trapezoidal_begin(const SceneView *view, real h) {
    real s = 2.0 / h;
    (void)trapezoidal_evaluate(view, s, TRAPEZOIDAL_FIRST, TRAPEZOIDAL_NEAR, 1.0);
    trapezoidal_factorise(view, s, 0);
    trapezoidal_settle(view, 0, s);
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact)) trapezoidal_keep(view, contact, 0.0);
        if (contact_is_constraint(view, contact)) trapezoidal_begin_jumps(view, contact);
        if (contact_is_region(view, contact)) region_keep_start(contact);
        contact->start.force_N = contact->now.force_N;
        contact->start.loss_W = contact->now.loss_W;
        coupling_keep_given(view, contact);
    }
    SCENE_BARRIER();
}

#endif
