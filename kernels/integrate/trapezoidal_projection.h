// Projections of trapezoidal steps (trapezoidal.h): velocities and accelerations are put onto the constraints.
//
// Velocities, or accelerations, u are off by r = J u + d. They become u - M^-1 J' lambda with J M^-1 J' lambda = r,
// which conjugate gradients solve island by island, preconditioned by the equations with penalties that are factorised
// anyway: z = alpha (r + J x)/s^2 where s x = -M^-1 J' alpha (r + J x)/s. A pass takes all of what constraints resist
// well, as PENALTY is large; of what they hardly resist (long chains, a door on hinges whose axes are a millimetre
// apart, linkages near singular positions) some directions more, one a pass. What changes u are forces of the
// constraints, not x, which is off by the rounding of a matrix with penalties: momentum is kept to rounding, and sums
// stay those of what u is off by. Redundant equations leave J M^-1 J' singular, and rounding, or velocities at the
// start of a scene, lets them contradict each other: an island ends where its sums grow, or where a direction takes
// next to nothing. In an iteration of Newton's method it ends as well where equations are off by little more than
// rounding and penalties hold a direction of its no better: near singular positions there is nothing to be found along
// such directions but rounding, much enlarged. Method: Saad, Iterative methods for sparse linear systems (2003),
// algorithm 9.1.
//
// Unilateral rows (constraint.h) push or pull only. A velocity is projected as if they were bilateral unless that would
// take more from a row than Newton's method has given it in the step: it is inactive then. So a rope that tautens stops
// its bodies without rebound, and one whose bodies come closer lets them. A row whose multiplier is negative once the
// accelerations are projected is inactive too.
#ifndef CLACK_INTEGRATE_TRAPEZOIDAL_PROJECTION_H
#define CLACK_INTEGRATE_TRAPEZOIDAL_PROJECTION_H

#include "joints/coupling.h"
#include "integrate/islands.h"
#include "integrate/motion.h"
#include "integrate/rodas.h"
#include "integrate/trapezoidal_matrix.h"

#ifndef TRAPEZOIDAL_PASSES_MOST     // a test has none, to show what happens without projections
#define TRAPEZOIDAL_PASSES_MOST 40u // of a projection, which ends
#endif
#define TRAPEZOIDAL_SETTLED 1.0e-13  // after a change by this share,
#define TRAPEZOIDAL_NEXT 1.0e-14     // or before one by that
#define TRAPEZOIDAL_LEFT 1.0e-2      // in an iteration of Newton's method after a change by that of its own,
#define TRAPEZOIDAL_LEFT_SLOW 1.0e-6 // or by this where the iteration may end with a change of TRAPEZOIDAL_CHANGE
// A pass goes 1 along its direction where penalties hold that well, 1 + 1/k where they do only k times as masses do.
#define TRAPEZOIDAL_FAR 1.0e4        // directions that take more change nothing; in Newton's method those that
#define TRAPEZOIDAL_FAR_CHANGE 1.0e3 // take so much, and there an island ends where its equations are off by no more
#define TRAPEZOIDAL_ENOUGH 1.0e-12   // than so many m or rad, once there was a direction that took more than
#define TRAPEZOIDAL_SOFT 1.5
#define TRAPEZOIDAL_GROWS 1.0e4      // islands whose sum grows so much over its least one have come to their end
#define TRAPEZOIDAL_RELEASES_MOST 8u // repetitions because rows have become inactive

// What is projected
#define TRAPEZOIDAL_ACCELERATIONS 0u
#define TRAPEZOIDAL_VELOCITIES 1u
#define TRAPEZOIDAL_CHANGES 2u // of velocities, in an iteration of Newton's method

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
FN_SHORT TrapezoidalRow trapezoidal_body_response(const SceneView *view, u32 b, Vec3 force, Vec3 torque) {
    TrapezoidalRow of;
    of.along = force;
    of.turn = spin_from_world(view->bodies[b].flags, COPY(view->works[b].step.trial.orientation), torque);
    return trapezoidal_over_mass(view, b, of);
}

FN_ONCE void trapezoidal_add_side(const SceneView *view, u32 b, Vec3 force, Vec3 torque) {
    if (!body_is_stepped(view, b)) return;
    TrapezoidalRow of = trapezoidal_body_response(view, b, force, torque);
    GLOBAL real *side = rodas_side(view, b);
    rodas_keep(side, vec3_add(rodas_kept(side), of.along));
    rodas_keep(side + 3, vec3_add(rodas_kept(side + 3), of.turn));
}

/// Add what forces or impulses of all rows of a constraint do to its bodies to the right-hand sides: `per` times those
/// of the penalties of what they are off by, or with `is_search` the direction.
FN_ONCE void trapezoidal_add_rows(const SceneView *view, GLOBAL const Contact *contact, u32 is_search, real per) {
    GLOBAL const JointConstraint *constraint = &contact->step.constraint;
    Vec3 force = vec3_zero(), torque_a = force, torque_b = force; // all rows together, in the world
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL const ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_inactive(constraint, i)) continue;
        real by = per * (is_search ? constraint->own.search[i].along : row->penalty * constraint->own.search[i].off);
        force = vec3_add_scaled(force, row->along, by);
        torque_a = vec3_add_scaled(torque_a, row->turn_a, by);
        torque_b = vec3_add_scaled(torque_b, row->turn_b, by);
    }
    trapezoidal_add_side(view, contact->pair.body_a, vec3_negate(force), torque_a);
    trapezoidal_add_side(view, contact->pair.body_b, force, torque_b);
}

/// What the equations of a constraint are off by now, those of velocities or of accelerations.
FN_ONCE void trapezoidal_take_off(const SceneView *view, GLOBAL Contact *contact, u32 what) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion now = trapezoidal_motion(view, contact, TRAPEZOIDAL_NOW);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL const ConstraintRow *row = &constraint->rows[i];
        constraint->own.search[i].off = constraint_rate(row, now.velocity, now.spin_a, now.spin_b) +
                                        (what == TRAPEZOIDAL_VELOCITIES ? row->drift : row->second_derivative);
        constraint->own.search[i].along = 0.0;
    }
}

/// The same in an iteration of Newton's method whose change of velocities is in TRAPEZOIDAL_NOW: the equations after
/// it, linearised, times s. The multipliers are those of that change then.
FN_ONCE void trapezoidal_take_left(const SceneView *view, GLOBAL Contact *contact, real s) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion change = trapezoidal_motion(view, contact, TRAPEZOIDAL_NOW);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        GLOBAL ConstraintSearch *search = &constraint->own.search[i];
        search->along = row->impulse = 0.0;
        if (constraint_is_inactive(constraint, i)) continue;
        search->off = real_fma(s, row->phi, constraint_rate(row, change.velocity, change.spin_a, change.spin_b));
        row->multiplier = real_fma(row->penalty / s, search->off, row->multiplier);
    }
}

FN_SHORT GLOBAL ProjectionSums *trapezoidal_sums(const SceneView *view, u32 label) {
    return &view->works[label].own.sums;
}

/// What they are off by, preconditioned: z = alpha (r + J x)/s^2. Adds r . z to the sums, and the most they are off by.
FN_ONCE void trapezoidal_precondition(const SceneView *view, GLOBAL Contact *contact, real s) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    GLOBAL ProjectionSums *sums = trapezoidal_sums(view, island_of(view, contact));
    TrapezoidalMotion change = trapezoidal_motion(view, contact, TRAPEZOIDAL_CHANGED);
    real sum = 0.0, most = sums->most, per = 1.0 / (s * s);
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_inactive(constraint, i)) continue;
        real off = constraint->own.search[i].off;
        row->search = per * row->penalty * (off + constraint_rate(row, change.velocity, change.spin_a, change.spin_b));
        sum = real_fma(off, row->search, sum);
        most = real_max(most, real_abs(off));
    }
    sums->of += sum;
    sums->most = most;
}

/// The next direction p of a constraint: z, and `share` of the one before.
FN_ONCE void trapezoidal_turn_search(GLOBAL Contact *contact, real share) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    for (u32 i = 0; i < constraint->count; i++)
        constraint->own.search[i].along = real_fma(share, constraint->own.search[i].along, constraint->rows[i].search);
}

/// What the direction does to the equations, q = J M^-1 J' p. Returns p . q.
FN_ONCE real trapezoidal_measure_search(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    TrapezoidalMotion change = trapezoidal_motion(view, contact, TRAPEZOIDAL_CHANGED);
    real sum = 0.0;
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_inactive(constraint, i)) continue;
        row->search = constraint_rate(row, change.velocity, change.spin_a, change.spin_b);
        sum = real_fma(constraint->own.search[i].along, row->search, sum);
    }
    return sum;
}

/// Go so far along the direction: multipliers, or with is_first impulses, and what equations are off by then.
FN_ONCE void trapezoidal_go(GLOBAL Contact *contact, u32 is_first, real far) {
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL ConstraintRow *row = &constraint->rows[i];
        GLOBAL ConstraintSearch *search = &constraint->own.search[i];
        if (constraint_is_inactive(constraint, i)) continue;
        search->off = real_fma(0.0 - far, row->search, search->off);
        if (is_first)
            row->impulse = real_fma(far, search->along, row->impulse);
        else
            row->multiplier = real_fma(far, search->along, row->multiplier);
    }
}

/// Does this item work on a row of the list of contacts, as that of a constraint?
FN_SHORT u32 trapezoidal_owns(const SceneView *view, GLOBAL const Contact *contact) {
    return contact_is_constraint(view, contact) && rodas_owns(view, island_of(view, contact)) ? 1u : 0u;
}

/// How far to go along the direction of an island: 0 where equations contradict each other, or have been kept.
FN_SHORT real trapezoidal_far(const SceneView *view, u32 label, u32 what, real s) {
    GLOBAL const ProjectionSums *sums = trapezoidal_sums(view, label);
    u32 is_change = what == TRAPEZOIDAL_CHANGES ? 1u : 0u;
    if (sums->of > TRAPEZOIDAL_GROWS * sums->least) return 0.0;
    if (is_change && sums->farthest > TRAPEZOIDAL_SOFT && sums->most <= TRAPEZOIDAL_ENOUGH * s) return 0.0;
    real farthest = is_change ? TRAPEZOIDAL_FAR_CHANGE : TRAPEZOIDAL_FAR;
    return sums->of < farthest * sums->search ? sums->of / sums->search : 0.0;
}

/// Multiply the penalties of all constraints.
FN_ONCE void trapezoidal_raise(const SceneView *view, real factor) {
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        for (u32 i = 0; contact_is_constraint(view, contact) && i < contact->step.constraint.count; i++)
            contact->step.constraint.rows[i].penalty *= factor;
    }
    SCENE_BARRIER();
}

/// The largest radius of gyration of a body.
FN_SHORT real trapezoidal_gyration(const SceneView *view, u32 b) {
    return real_sqrt(vec3_max_abs(view->bodies[b].inertia_kg_m2) * view->bodies[b].inverse_mass);
}

/// How fast a body moves by its velocity and spin; or the same of their rates.
FN_SHORT real trapezoidal_size(real gyration_m, Vec3 velocity, Vec3 spin) {
    return vec3_max_abs(velocity) + gyration_m * vec3_max_abs(spin);
}

/// Solutions or right-hand sides into TRAPEZOIDAL_CHANGED; the latter are 0 then.
FN_ONCE void trapezoidal_take_sides(const SceneView *view) {
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL real *side = rodas_side(view, b);
        GLOBAL BodyRate *change = &view->works[b].step.rates[TRAPEZOIDAL_CHANGED];
        change->velocity = rodas_kept(side);
        change->spin_rate = rodas_kept(side + 3);
        rodas_keep(side, vec3_zero());
        rodas_keep(side + 3, vec3_zero());
    }
    SCENE_BARRIER();
}

/// A direction of forces of the constraints, and the change that these make, into TRAPEZOIDAL_CHANGED.
FN_ONCE void trapezoidal_search(const SceneView *view, real s) {
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b) || view->works[b].island.label != b) continue;
        GLOBAL ProjectionSums *sums = trapezoidal_sums(view, b);
        sums->before = sums->of;
        if (sums->search > 0.0) sums->farthest = real_max(sums->farthest, sums->of / sums->search);
        if (sums->of > 0.0) sums->least = real_min(sums->least, sums->of);
        sums->of = sums->search = sums->most = 0.0;
    }
    SCENE_BARRIER();
    EACH_ACTIVE(c) {
        if (trapezoidal_owns(view, &view->contacts[c])) trapezoidal_add_rows(view, &view->contacts[c], 0, -1.0 / s);
    }
    trapezoidal_solve(view);
    trapezoidal_take_sides(view);
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (trapezoidal_owns(view, contact)) trapezoidal_precondition(view, contact, s);
    }
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!trapezoidal_owns(view, contact)) continue;
        GLOBAL const ProjectionSums *sums = trapezoidal_sums(view, island_of(view, contact));
        trapezoidal_turn_search(contact, sums->before > 0.0 ? sums->of / sums->before : 0.0);
        trapezoidal_add_rows(view, contact, 1, 1.0);
    }
    trapezoidal_take_sides(view);
}

/// Change what TRAPEZOIDAL_NOW holds once. Returns the largest change of a body, as a share of its speed and `floor`,
/// m/s; accelerations count as the speeds that they give in half a step. what: TRAPEZOIDAL_ACCELERATIONS, ...
FN_ONCE real trapezoidal_pass(const SceneView *view, u32 what, real s, real floor_m_per_s) {
    real share = 0.0, per = what == TRAPEZOIDAL_ACCELERATIONS ? 1.0 / s : 1.0;
    trapezoidal_search(view, s);
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (trapezoidal_owns(view, contact))
            trapezoidal_sums(view, island_of(view, contact))->search += trapezoidal_measure_search(view, contact);
    }
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!trapezoidal_owns(view, contact)) continue;
        trapezoidal_go(contact, what != TRAPEZOIDAL_ACCELERATIONS,
                       trapezoidal_far(view, island_of(view, contact), what, s));
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyRate *rates = view->works[b].step.rates;
        real far = trapezoidal_far(view, view->works[b].island.label, what, s);
        Vec3 velocity = rates[TRAPEZOIDAL_CHANGED].velocity, spin = rates[TRAPEZOIDAL_CHANGED].spin_rate;
        rates[TRAPEZOIDAL_NOW].velocity = vec3_add_scaled(rates[TRAPEZOIDAL_NOW].velocity, velocity, 0.0 - far);
        rates[TRAPEZOIDAL_NOW].spin_rate = vec3_add_scaled(rates[TRAPEZOIDAL_NOW].spin_rate, spin, 0.0 - far);
        real gyration = trapezoidal_gyration(view, b);
        real changed = per * far * trapezoidal_size(gyration, velocity, spin);
        if (!(changed > 0.0)) continue;
        real now = floor_m_per_s + per * trapezoidal_size(gyration, COPY(rates[TRAPEZOIDAL_NOW].velocity),
                                                          COPY(rates[TRAPEZOIDAL_NOW].spin_rate));
        share = real_max(share, changed / now);
    }
    SCENE_BARRIER();
    return scene_max(view, share);
}

/// Before the first pass of a projection, right-hand sides and sums are 0.
FN_ONCE void trapezoidal_begin_passes(const SceneView *view) {
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        rodas_keep(rodas_side(view, b), vec3_zero());
        rodas_keep(rodas_side(view, b) + 3, vec3_zero());
        if (view->works[b].island.label == b) {
            GLOBAL ProjectionSums *sums = trapezoidal_sums(view, b);
            sums->before = sums->of = sums->search = sums->farthest = 0.0;
            sums->least = REAL_HUGE;
        }
    }
    SCENE_BARRIER();
}

/// Change what TRAPEZOIDAL_NOW holds until it keeps the constraints.
FN_ONCE void trapezoidal_pass_all(const SceneView *view, u32 what, real s) {
    real floor = vec3_max_abs(view->scene->gravity_m_per_s2) / s, share = REAL_HUGE, next = REAL_HUGE;
    trapezoidal_begin_passes(view);
    EACH_ACTIVE(c) {
        if (trapezoidal_owns(view, &view->contacts[c])) trapezoidal_take_off(view, &view->contacts[c], what);
    }
    for (u32 passes = 0; passes < TRAPEZOIDAL_PASSES_MOST && share > TRAPEZOIDAL_SETTLED && next > TRAPEZOIDAL_NEXT;
         passes++) {
        real before = share;
        share = trapezoidal_pass(view, what, s, floor);
        if (passes > 0) next = share * (share / before); // the change that is to be expected of another pass
    }
}

/// The change of velocities of an iteration of Newton's method, in the right-hand sides, becomes one after which the
/// linearised equations hold. left: a pass by so small a share of the change is the last one.
FN_ONCE void trapezoidal_project_change(const SceneView *view, real s, real left) {
    real most = 0.0, share = REAL_HUGE;
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        Vec3 velocity = rodas_kept(rodas_side(view, b)), spin = rodas_kept(rodas_side(view, b) + 3);
        view->works[b].step.rates[TRAPEZOIDAL_NOW].velocity = velocity;
        view->works[b].step.rates[TRAPEZOIDAL_NOW].spin_rate = spin;
        most = real_max(most, trapezoidal_size(trapezoidal_gyration(view, b), velocity, spin));
    }
    most = scene_max(view, most);
    trapezoidal_begin_passes(view);
    EACH_ACTIVE(c) {
        if (trapezoidal_owns(view, &view->contacts[c])) trapezoidal_take_left(view, &view->contacts[c], s);
    }
    for (u32 passes = 0; passes < TRAPEZOIDAL_PASSES_MOST && share > left; passes++)
        share = trapezoidal_pass(view, TRAPEZOIDAL_CHANGES, s, most);
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!trapezoidal_owns(view, contact)) continue;
        GLOBAL ConstraintRow *rows = contact->step.constraint.rows;
        for (u32 i = 0; i < contact->step.constraint.count; i++)
            rows[i].multiplier = real_fma(s, rows[i].impulse, rows[i].multiplier);
    }
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        rodas_keep(rodas_side(view, b), COPY(view->works[b].step.rates[TRAPEZOIDAL_NOW].velocity));
        rodas_keep(rodas_side(view, b) + 3, COPY(view->works[b].step.rates[TRAPEZOIDAL_NOW].spin_rate));
    }
    SCENE_BARRIER();
}

/// Unilateral rows that would have to pull the wrong way become inactive. Returns 1 if there are such.
FN_ONCE u32 trapezoidal_release(const SceneView *view, u32 is_first, real s) {
    u32 any = 0;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_constraint(view, contact)) continue;
        GLOBAL JointConstraint *constraint = &contact->step.constraint;
        u32 carries = constraint->unilateral & ~constraint->inactive;
        for (u32 i = 0; carries >> i != 0; i++) {
            GLOBAL ConstraintRow *row = &constraint->rows[i];
            if (!(carries >> i & 1u) || !(row->multiplier + (is_first ? row->impulse * s : 0.0) < 0.0)) continue;
            constraint->inactive |= 1u << i;
            if (!is_first) row->multiplier = 0.0;
            any = 1;
        }
    }
    SCENE_BARRIER();
    return scene_any(view, any);
}

/// Forces of the multipliers, and the accelerations of a stage from all forces.
FN_ONCE void trapezoidal_forces(const SceneView *view, u32 stage) {
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact_is_constraint(view, contact)) constraint_forces(view, contact, 0);
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
        trapezoidal_forces(view, stage);
        trapezoidal_pass_all(view, TRAPEZOIDAL_ACCELERATIONS, s);
        if (!trapezoidal_release(view, 0, s)) break;
        trapezoidal_factorise(view, s, 0);
    }
    trapezoidal_forces(view, stage);
}

/// Velocities at the end of the step before they are projected, and no impulses yet.
FN_ONCE void trapezoidal_take_velocities(const SceneView *view) {
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        GLOBAL BodyWork *work = &view->works[b];
        work->step.rates[TRAPEZOIDAL_NOW].velocity = work->step.trial.velocity_m_per_s;
        work->step.rates[TRAPEZOIDAL_NOW].spin_rate = work->step.trial.spin_rad_per_s;
    }
    ACTIVE_LOOP(c) {
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
        trapezoidal_pass_all(view, TRAPEZOIDAL_VELOCITIES, s);
        goes_on = trapezoidal_release(view, 1, s);
    }
}

#endif
