// Newton's method for the implicit steps of quasi-rigid bodies (quasi_equations.h): with multipliers as unknowns
// (quasi_dual.h); and what is tried where it does not converge, with those that change between iterations
// (quasi_law.h). kernels/integrate/README.md, "Quasi-rigid bodies".
#ifndef CLACK_INTEGRATE_QUASI_RIGID_H
#define CLACK_INTEGRATE_QUASI_RIGID_H

#include "integrate/quasi_equations.h"
#include "integrate/quasi_transfer.h"

// Of velocities, as a share of them and of what weight makes of them: of what equations and conditions are off by, and
// of the last change where multipliers change between iterations.
#define QUASI_TOLERANCE 1.0e-12
#define QUASI_ENOUGH 1.0e-8     // where that does not fall any more
#define QUASI_MET_LAGGED 1.0e-9 // the same in a recovery
#define QUASI_NEARLY 1.0e-6     // changes from which on conditions are evaluated
#define QUASI_UNKNOWN_MOST 30u  // iterations
#define QUASI_UNKNOWN_SINCE 8u  // of these, since what equations and conditions are off by was halved
#define QUASI_UNKNOWN_FAR 2.0   // changes are no larger: from there on they say little
// QuasiNumbers.epsilon: this share of the last change. Gaps of a body on many points contradict each other by its
// square, and the forces by which those would be made to agree are large where epsilon is small: so are those by
// rounding of gaps, at the end.
#define QUASI_EPSILON_OF_CHANGE 1.0e-3
#define QUASI_EPSILON_LEAST 1.0e-6
#define QUASI_EPSILON_MOST 1.0e-2
#define QUASI_EPSILON_LAST 1.0e-4
#define QUASI_ITERATIONS_MOST 80u
#define QUASI_LAGGED_MOST 400u // where the bound of friction converges with the multipliers
// Multipliers of an iterate that is far from solving the equations with the present ones would overshoot: they change
// after changes that are less than the first of these, or have lessened the residual's square to that share.
#define QUASI_NEAR 1.0e-3
#define QUASI_NEARER 0.01
#define QUASI_FAR 0.1 // changes from which on multipliers that have gone on are the better ones
#define QUASI_STALLS 0.5
#define QUASI_SOLVED 0.01          // of the change by multipliers: that of an iteration which has solved for it
#define QUASI_NEAR_ROUNDING 1.0e-9 // changes that are so small are taken whole
#define QUASI_SHARE_LEAST 0.015625
// A level is given up after so many iterations that take no more, or since multipliers have changed.
#define QUASI_CREEPS 6u
#define QUASI_CREEPS_LAGGED 20u
#define QUASI_SINCE 20u
#define QUASI_SINCE_LAGGED 80u
// Where steps of this share of the planned length are not solved either, one is taken with the geometry of its start.
// In very short steps gaps are not resolved as finely as the others ask: what they are off by is reported.
#define QUASI_FROZEN_FROM 0.033
#define QUASI_FROZEN_ENOUGH 1.0e-5
#define QUASI_FROZEN_SINCE 60u // iterations after which that ends it
#define QUASI_FLAT 0.1         // of a search along a change: share of the gain at its start that may be left
#define QUASI_SEARCHES_MOST 12u

// Newton's method within a step.
typedef struct QuasiNewton {
    real change, merit, share;  // of the last iteration
    real before;                // change of the one before
    u32 is_met;                 // 1: contacts meet their conditions
    u32 level;                  // QUASI_UNKNOWN to QUASI_FROZEN
    u32 iterations, is_settled; // 1: the last iteration began with multipliers that had just been changed
    // Change of the iteration after they had been changed last; of unknown multipliers what all was off by when that
    // was halved last; and iterations since then
    real outer;
    u32 since;
    u32 creeps;  // iterations that took hardly any of their change
    u32 is_slow; // 1: which was no less than a half of the one before
} QuasiNewton;

/// Is a step solved after an iteration? If it began with new multipliers: where hardly anything has changed by these,
/// or no longer less, as by rounding. Else where every condition is met, and the equations with the present multipliers
/// are solved: bodies on many points have many such forces, between which multipliers drift.
FN_SHORT u32 quasi_has_converged(const SceneView *view, real s, QuasiNewton *newton) {
    real change = newton->change, before = newton->before;
    newton->before = change;
    newton->is_met = 0;
    if (newton->share < 1.0) return 0;
    if (newton->level == QUASI_FROZEN && newton->iterations > QUASI_FROZEN_SINCE) {
        real off = quasi_off(view, s);
        u32 is_enough = real_max(off, quasi_violation_of_all(view, s)) <= QUASI_FROZEN_ENOUGH ? 1u : 0u;
        if (is_enough) newton->change = off;
        return is_enough;
    }
    if (!newton->is_settled) {
        if (change > QUASI_NEARLY) return 0;
        real met = newton->level >= QUASI_LAGGED ? QUASI_MET_LAGGED : QUASI_MET;
        newton->is_met = quasi_violation_of_all(view, s) <= met ? 1u : 0u;
        return newton->is_met && (change <= QUASI_MET || (change <= QUASI_ENOUGH && change > QUASI_STALLS * before))
                   ? 1u
                   : 0u;
    }
    u32 is_still = change <= QUASI_NEAR_ROUNDING && change > QUASI_STALLS * newton->outer ? 1u : 0u;
    if (!is_still && !(change <= QUASI_TOLERANCE)) return 0;
    return quasi_violation_of_all(view, s) <= QUASI_ENOUGH ? 1u : 0u;
}

/// Do multipliers change after an iteration? As long as that halves the change each time, else where the equations with
/// the present ones have been solved. before: merit before the iteration.
FN_SHORT void quasi_settle(QuasiNewton *newton, real before) {
    if (newton->is_settled) {
        newton->is_slow = newton->change > QUASI_STALLS * newton->outer ? 1u : 0u;
        newton->outer = newton->change;
    }
    u32 is_near = newton->change <= QUASI_NEAR || newton->merit <= QUASI_NEARER * before ? 1u : 0u;
    if (newton->is_slow && newton->change > QUASI_SOLVED * newton->outer && newton->change > QUASI_NEAR_ROUNDING)
        is_near = 0;
    if (newton->level == QUASI_WARM && newton->change > QUASI_FAR) is_near = 0;
    newton->is_settled = newton->share == 1.0 ? is_near : 0u;
}

/// Take so much of the change instead.
FN_SHORT void quasi_take_share(const SceneView *view, real s, QuasiNewton *newton, real share) {
    quasi_change_velocities(view, s, share - newton->share);
    newton->share = share;
    quasi_evaluate_all(view, s, newton->level, QUASI_FIRST);
}

/// How much of the change is taken in a convex problem: all, or where that goes too far, about as much as leaves no
/// gain by more. before: gain at its start.
FN_ONCE void quasi_search(const SceneView *view, real s, QuasiNewton *newton, real before) {
    real low = 0.0, high = 1.0, gain_low = before, gain_high = quasi_gain(view, s);
    if (gain_high >= 0.0 - QUASI_FLAT * before) return;
    for (u32 i = 0; i < QUASI_SEARCHES_MOST; i++) {
        real share = low + (high - low) * gain_low / (gain_low - gain_high);
        // Of a kink far from the middle the secant creeps.
        if (i % 2u) share = 0.5 * (low + high);
        quasi_take_share(view, s, newton, share);
        real gain = quasi_gain(view, s);
        if (real_abs(gain) <= QUASI_FLAT * before) break;
        if (gain > 0.0) {
            low = share;
            gain_low = gain;
        } else {
            high = share;
            gain_high = gain;
        }
    }
    newton->merit = quasi_merit(view, s);
}

/// One iteration with the present multipliers: as much of the change as lessens what the equations are off by.
FN_ONCE void quasi_iterate(const SceneView *view, real s, QuasiNewton *newton) {
    real before = newton->merit;
    quasi_factorise(view, s);
    quasi_solve(view, s);
    u32 is_convex = newton->level >= QUASI_LAGGED ? 1u : 0u;
    real gain = is_convex ? quasi_gain(view, s) : 0.0;
    newton->share = 1.0;
    newton->change = quasi_largest_change(view, s);
    quasi_change_velocities(view, s, 1.0);
    quasi_evaluate_all(view, s, newton->level, QUASI_FIRST);
    newton->merit = quasi_merit(view, s);
    newton->iterations++;
    if (newton->change <= QUASI_NEAR_ROUNDING) return;
    if (is_convex) {
        quasi_search(view, s, newton, gain);
        return;
    }
    while (!(newton->merit < before) && newton->share > QUASI_SHARE_LEAST) {
        quasi_take_share(view, s, newton, 0.5 * newton->share);
        newton->merit = quasi_merit(view, s);
    }
}

#define QUASI_OFF_LEAST 1.0e-300 // m/s: a step with the geometry of its start counts as one, however little it is off

/// Contacts of a step with the geometry of its start get that of its end, beside the forces that they have had. Returns
/// how far gaps are from those that they were taken for, over the step, m/s.
FN_ONCE real quasi_thaw(const SceneView *view, real s) {
    real worst = QUASI_OFF_LEAST;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_quasi_rigid(view, contact)) continue;
        real taken = quasi_frozen_gap(view, contact, s), normal_N = contact->now.normal_N, loss_W = contact->now.loss_W;
        Vec3 force = contact->now.force_N, torque_a = contact->now.torque_a_N_m, torque_b = contact->now.torque_b_N_m;
        coupling_evaluate(view, contact);
        contact->now.force_N = force;
        contact->now.torque_a_N_m = torque_a;
        contact->now.torque_b_N_m = torque_b;
        contact->now.normal_N = normal_N;
        contact->now.loss_W = loss_W;
        contact->step.quasi.level = QUASI_LAGGED;
        worst = real_max(worst, s * real_abs(contact->now.gap_m - taken));
    }
    SCENE_BARRIER();
    return scene_max(view, worst);
}

/// Acceleration that a body is expected to have in a step: that of the step before, so that what rests is evaluated
/// where it is, or after an impact gravity.
FN_SHORT Vec3 quasi_expected(const SceneView *view, u32 b) {
    Vec3 last = view->works[b].step.rates[0].acceleration, gravity = quasi_gravity(view, b);
    return vec3_dot(last, last) <= vec3_dot(gravity, gravity) ? last : gravity;
}

/// A step of 1/s that ends at `time` begins: states that those accelerations make, or by the velocities of the step
/// tried last (is_resumed); contacts, whose geometry of the start is found again if it is_stale; joints.
FN_ONCE void quasi_predict(const SceneView *view, real s, real time, u32 level, u32 is_resumed, u32 is_stale) {
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        view->works[b].step.trial = view->states[b];
    }
    SCENE_BARRIER();
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (quasi_is_midpoint(view) && contact_is_constraint(view, contact)) quasi_hold_constraint(view, contact);
        if (!contact_is_quasi_rigid(view, contact)) continue;
        if (is_stale) coupling_evaluate(view, contact);
        if (level == QUASI_FROZEN || quasi_is_midpoint(view)) quasi_take_held(view, contact, is_stale);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyState *trial = &view->works[b].step.trial;
        trial->velocity_m_per_s =
            vec3_add_scaled(quasi_velocity_before(view, b), quasi_expected(view, b), 1.0 / quasi_per_kick(view, s));
        if (is_resumed) {
            trial->velocity_m_per_s = view->works[b].step.rates[QUASI_TRIED].velocity;
            trial->spin_rad_per_s = view->works[b].step.rates[QUASI_TRIED].spin_rate;
        }
        quasi_place(view, b, s);
    }
    SCENE_BARRIER();
    ACTIVE_LOOP(c) {
        if (contact_is_quasi_rigid(view, &view->contacts[c]))
            quasi_begin_step(view, &view->contacts[c], s, level, is_resumed);
        if (contact_is_constraint(view, &view->contacts[c]))
            quasi_begin_constraint(view, &view->contacts[c], s, time, level, is_resumed);
    }
}

/// Newton's method from the start of a step of 1/s. Returns 1 if it has converged.
FN_ONCE u32 quasi_solve_step(const SceneView *view, real s, real time, u32 level, QuasiNewton *newton) {
    quasi_predict(view, s, time, level, 0, 1);
    newton->level = level;
    newton->change = newton->outer = newton->before = REAL_HUGE;
    newton->iterations = newton->is_settled = newton->is_slow = newton->creeps = newton->since = 0;
    quasi_evaluate_all(view, s, newton->level, QUASI_FIRST);
    newton->merit = quasi_merit(view, s);
    real enough = level == QUASI_FROZEN ? QUASI_FROZEN_ENOUGH : QUASI_ENOUGH,
         raised_from = level == QUASI_FROZEN ? QUASI_FROZEN_ENOUGH : QUASI_MET;
    u32 most = level >= QUASI_LAGGED ? QUASI_LAGGED_MOST : QUASI_ITERATIONS_MOST;
    u32 creeps_most = level >= QUASI_LAGGED ? QUASI_CREEPS_LAGGED : QUASI_CREEPS;
    u32 since_most = level >= QUASI_LAGGED ? QUASI_SINCE_LAGGED : QUASI_SINCE, is_last = 0;
    while (1) {
        real before = newton->merit;
        quasi_iterate(view, s, newton);
        if (is_last) break;
        newton->creeps += newton->share <= QUASI_SHARE_LEAST ? 1u : 0u;
        newton->since = newton->is_settled ? 1u : newton->since + 1u;
        u32 ends = newton->iterations >= most || newton->creeps >= creeps_most || newton->since > since_most ? 1u : 0u;
        if (ends || quasi_has_converged(view, s, newton)) {
            if (newton->change <= QUASI_TOLERANCE || newton->change > enough) break;
            is_last = 1;
        } else if (newton->is_met) { // multipliers are good as they are
            newton->is_settled = 0;
        } else {
            quasi_settle(newton, before);
        }
        // The last time with multipliers as they are, so that forces are those which have made the velocities.
        if (is_last) newton->is_settled = 0;
        if (!newton->is_settled) continue;
        // Those of an iterate that is far off say nothing about how they converge.
        quasi_update(view, s, level, newton->change > QUASI_NEAR ? REAL_HUGE : raised_from);
        newton->merit = quasi_merit(view, s);
    }
    if (!(newton->change <= enough)) return 0;
    return quasi_violation_of_all(view, s) <= enough ? 1u : 0u;
}

/// change: the last one.
FN_SHORT void quasi_choose_epsilon(const SceneView *view, real change) {
    real share = real_max(QUASI_EPSILON_LEAST, real_min(QUASI_EPSILON_MOST, QUASI_EPSILON_OF_CHANGE * change));
    SCENE_BARRIER();
    if (view->item == 0) view->slot->multiplier_share = change > QUASI_NEAR_ROUNDING ? share : QUASI_EPSILON_LAST;
    SCENE_BARRIER();
}

/// The same with multipliers as unknowns. known: of Progress; with KNOWN_TRIED it begins with velocities and
/// multipliers of the step tried last, else with the multipliers of the step before, and the velocities that they make.
FN_ONCE u32 quasi_solve_unknown(const SceneView *view, real s, real time, u32 known, QuasiNewton *newton) {
    u32 is_resumed = known & KNOWN_TRIED;
    quasi_predict(view, s, time, QUASI_UNKNOWN, is_resumed, known & KNOWN_STALE);
    newton->level = QUASI_UNKNOWN;
    newton->change = newton->outer = REAL_HUGE;
    newton->iterations = newton->since = 0;
    u32 stage = is_resumed ? QUASI_FIRST : QUASI_GUESS, is_first = 1;
    while (1) {
        quasi_choose_epsilon(view, newton->change);
        quasi_evaluate_all(view, s, QUASI_UNKNOWN, stage);
        if (stage == QUASI_GUESS) {
            quasi_take_residuals(view, s, 1.0 / quasi_per_kick(view, s));
            quasi_change_velocities(view, s, 1.0);
            stage = QUASI_FIRST;
            continue;
        }
        if (is_first) { // where it is known by now which contacts' points jump
            is_first = 0;
            if (quasi_release_jumping(view, s, 0)) continue;
        }
        real off = quasi_off(view, s), violation = quasi_violation_of_all(view, s);
        if (off <= QUASI_TOLERANCE && violation <= QUASI_TOLERANCE) return 1;
        u32 is_still =
            newton->change <= QUASI_NEAR_ROUNDING && newton->change >= QUASI_STALLS * newton->before ? 1u : 0u;
        if (is_still && off <= QUASI_NEAR_ROUNDING && violation <= QUASI_ENOUGH) return 1;
        real worst = real_max(off, violation);
        newton->since = worst < QUASI_STALLS * newton->outer ? 0u : newton->since + 1u;
        newton->outer = newton->since == 0 ? worst : newton->outer;
        if (newton->since > QUASI_UNKNOWN_SINCE || newton->iterations >= QUASI_UNKNOWN_MOST || !(worst < REAL_HUGE))
            return 0;
        newton->iterations++;
        quasi_apply_all_next_forces(view);
        quasi_factorise(view, s);
        quasi_solve(view, s);
        newton->before = newton->change;
        newton->change = quasi_largest_change(view, s);
        newton->share = newton->change > QUASI_UNKNOWN_FAR ? QUASI_UNKNOWN_FAR / newton->change : 1.0;
        quasi_change_all_multipliers(view, s, newton->share);
        quasi_change_velocities(view, s, newton->share);
    }
}

/// Velocities and spins of the step tried last: where contacts have to begin, it is tried again from them.
FN_ONCE void quasi_keep_tried(const SceneView *view) {
    MOVING_LOOP(b) {
        GLOBAL BodyStep *step = &view->works[b].step;
        step->rates[QUASI_TRIED].velocity = step->trial.velocity_m_per_s;
        step->rates[QUASI_TRIED].spin_rate = step->trial.spin_rad_per_s;
    }
    SCENE_BARRIER();
}

/// Bodies with couplings through a step of h from the present states to the trial states. Returns 0 if Newton's method
/// has not converged.
FN_WAY u32 quasi_try(const SceneView *view, SCENE_SPACE Progress *progress, real h) {
    real s = 1.0 / h;
    QuasiNewton newton = ALL_ZERO;
    u32 is_solved = 0, iterations = 0, known = progress->known;
    u32 last = h <= QUASI_FROZEN_FROM * view->scene->step_s ? QUASI_FROZEN : QUASI_LAGGED;
    u32 level = QUASI_UNKNOWN, recovery = QUASI_UNKNOWN; // that one: the last recovery tried
    while (1) {
        real end = scene_time(view, progress) + h;
        is_solved = level == QUASI_UNKNOWN ? quasi_solve_unknown(view, s, end, known, &newton)
                                           : quasi_solve_step(view, s, end, level, &newton);
        iterations += newton.iterations;
        quasi_keep_tried(view);
        if (level != QUASI_FROZEN && quasi_release_jumping(view, s, !is_solved)) {
            known = KNOWN_STALE;
            level = recovery = QUASI_UNKNOWN;
            continue;
        }
        if (is_solved) break;
        // A recovery that has not converged often has found which conditions hold: unknown multipliers go on from it.
        u32 goes_on = level == QUASI_WARM || level == QUASI_LAGGED ? 1u : 0u;
        known = KNOWN_TRIED | KNOWN_STALE;
        if (!goes_on && recovery == last) break;
        level = goes_on ? QUASI_UNKNOWN : ++recovery;
    }
    progress->known &= ~(KNOWN_TRIED | KNOWN_STALE);
    if (!is_solved) progress->known |= KNOWN_STALE;
    progress->evaluations += iterations;
    work_count_forces(progress, view->slot->active_count * (iterations + 2u)); // with those before the first
    if (newton.level != QUASI_UNKNOWN) quasi_evaluate_all(view, s, newton.level, QUASI_END);
    ACTIVE_LOOP(c) quasi_add_transfer(view, &view->contacts[c], s);
    SCENE_BARRIER();
    real off = 0.0;
    if (is_solved && newton.level == QUASI_FROZEN) // by the velocities that have been solved for
        off = real_max(quasi_thaw(view, s), newton.change * quasi_fastest(view, s));
    if (quasi_is_midpoint(view)) quasi_go_to_end(view, s);
    if (view->item == 0) view->slot->residual_m_per_s = off;
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b)) motion_rate(view, b, STAGES - 1);
    }
    SCENE_BARRIER();
    return is_solved;
}

#endif
