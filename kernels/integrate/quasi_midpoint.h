// Steps of quasi-rigid bodies of second order (`theta: 0.5`). Velocities w are those of the middles of steps, forces
// those of the states x between them, with the normals and the levers these have:
//
//   x' = x + h w,   m (w - w_before) = T F(x),   T = (h_before + h)/2,   conditions on gaps in x', on slips by w
//   exp(h w/2) I w - exp(-h w_before/2) I w_before = T torque    in the principal axes of x
//
// This is SHAKE (Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23 (1977) 327) with unilateral conditions and
// friction: symmetric in time where motion is smooth, so that no energy is lost there, and momentum is kept. Between
// middles forces act as kicks, changes of w by a force times T over m. The states that are reported have the velocities
// of their own time: forces have acted on them for another h/2 after the middle of the step, or for a share of that
// where contacts are struck (quasi_find_after_middle). At the start of a scene h_before is 0, a body that has been
// flying has had gravity. Layers and contacts that begin in a step are of first order.
#ifndef CLACK_INTEGRATE_QUASI_MIDPOINT_H
#define CLACK_INTEGRATE_QUASI_MIDPOINT_H

#include "integrate/motion.h"
#include "integrate/trapezoidal_matrix.h"
#include "law/quasi_change.h"

#define QUASI_TRIED 1u // of a body's rates: velocity and spin of the step tried last

FN_SHORT u32 quasi_is_midpoint(const SceneView *view) { return scheme_is_midpoint(view->scene->flags); }

/// 1/T of a step of 1/s.
FN_SHORT real quasi_per_kick(const SceneView *view, real s) {
    return quasi_is_midpoint(view) ? 2.0 / (view->slot->before_s + 1.0 / s) : s;
}

/// What forces of the step change: the velocity before it.
FN_SHORT Vec3 quasi_velocity_before(const SceneView *view, u32 b) {
    GLOBAL const BodyState *start = &view->states[b];
    Vec3 velocity = start->velocity_m_per_s;
    if (!quasi_is_midpoint(view)) return velocity;
    if (view->works[b].own.midpoint.is_known) return view->works[b].own.midpoint.velocity_m_per_s;
    return vec3_add_scaled(velocity, scene_gravity(view, COPY(start->position_m)), -0.5 * view->slot->before_s);
}

/// The angular momentum before it over the inertia, in the principal axes of the start.
FN_SHORT Vec3 quasi_spin_before(const SceneView *view, u32 b) {
    GLOBAL const BodyMidpoint *midpoint = &view->works[b].own.midpoint;
    if (quasi_is_midpoint(view) && midpoint->is_known) return midpoint->spin_rad_per_s;
    return view->states[b].spin_rad_per_s;
}

/// Rotation from the start to where the equations of spins are written, in a step of 1/s: its end, or its middle.
FN_SHORT Vec3 quasi_rotation(const SceneView *view, u32 b, real s) {
    real share = quasi_is_midpoint(view) ? 0.5 : 1.0;
    return vec3_scale(view->works[b].step.trial.spin_rad_per_s, share / s);
}

/// Gravity of a step.
FN_SHORT Vec3 quasi_gravity(const SceneView *view, u32 b) {
    return scene_gravity(view, quasi_is_midpoint(view) ? COPY(view->states[b].position_m)
                                                       : COPY(view->works[b].step.trial.position_m));
}

/// Angular momentum over the inertia, in the principal axes of the end of a step of 1/s with this spin in its middle.
FN_SHORT Vec3 quasi_spin_after(const SceneView *view, u32 b, Vec3 spin, real s) {
    GLOBAL const Body *body = &view->bodies[b];
    if (is_free_ball(body->flags)) return spin;
    Quat middle = quat_exp(vec3_scale(spin, 0.5 / s));
    return vec3_multiply(quat_rotate_back(middle, vec3_multiply(body->inertia_kg_m2, spin)), body->inverse_inertia);
}

// What forces of a step of 1/s do to a body in h/2: half a kick where steps are equal.
typedef struct QuasiKick {
    Vec3 velocity_m_per_s, spin_rad_per_s; // in principal axes of the end
} QuasiKick;

FN_ONCE QuasiKick quasi_kick(const SceneView *view, u32 b, real s) {
    GLOBAL const BodyStep *step = &view->works[b].step;
    TrapezoidalRow of;
    of.along = step->force_N;
    of.turn = spin_from_world(view->bodies[b].flags, COPY(step->trial.orientation), COPY(step->torque_N_m));
    of = trapezoidal_over_mass(view, b, of);
    QuasiKick kick;
    kick.velocity_m_per_s = vec3_scale(vec3_add(of.along, quasi_gravity(view, b)), 0.5 / s);
    kick.spin_rad_per_s = vec3_scale(of.turn, 0.5 / s);
    return kick;
}

// --- where the geometry of the start is none for the end -----------------------------------------------

/// Derivatives of a gap by the motion of B, or less those of A, for a normal and a lever.
FN_SHORT TrapezoidalRow quasi_gap_row(const SceneView *view, u32 b, Vec3 n, Vec3 lever) {
    TrapezoidalRow of;
    of.along = n;
    of.turn = spin_from_world(view->bodies[b].flags, COPY(view->works[b].step.trial.orientation), vec3_cross(lever, n));
    return of;
}

// Of a contact, by the masses of its bodies: square of what is between such derivatives at both ends over their own:
// most at all, and in its root most for how far bodies have rotated, and moved over a lever's length.
#define QUASI_JUMPS 0.1
#define QUASI_OUTRUNS 100.0

/// How far bodies have moved against each other in a step of 1/s: rotations, and paths over the levers' lengths.
FN_SHORT real quasi_moved_by(const SceneView *view, GLOBAL const Contact *contact, real s) {
    GLOBAL const BodyState *a = &view->works[contact->pair.body_a].step.trial;
    GLOBAL const BodyState *b = &view->works[contact->pair.body_b].step.trial;
    GLOBAL const QuasiHeld *held = &contact->step.quasi.held;
    real size = real_max(body_is_stepped(view, contact->pair.body_a) ? vec3_max_abs(held->lever_a_m) : 0.0,
                         body_is_stepped(view, contact->pair.body_b) ? vec3_max_abs(held->lever_b_m) : 0.0);
    real path = vec3_max_abs(vec3_sub(b->velocity_m_per_s, a->velocity_m_per_s));
    return (vec3_max_abs(a->spin_rad_per_s) + vec3_max_abs(b->spin_rad_per_s) + (size > 0.0 ? path / size : 0.0)) / s;
}

/// Does the point of a contact jump: has it moved so far within a step of 1/s that a force at the one of its start
/// hardly opens the gap at the other, as where a disc comes to lie on another side? Or far beyond what its bodies have
/// moved, as that of a disc does which lies flat.
FN_ONCE u32 quasi_point_jumps(const SceneView *view, GLOBAL const Contact *contact, real s) {
    GLOBAL const QuasiContact *quasi = &contact->step.quasi;
    real squares = 0.0, between = 0.0;
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    if (!quasi->is_held || !(contact->now.normal_N > 0.0)) return 0;
    Vec3 apart = vec3_sub(view->works[b].step.trial.position_m, view->works[a].step.trial.position_m);
    for (u32 is_b = 0; is_b < 2; is_b++) {
        u32 body = is_b ? b : a;
        if (!body_is_stepped(view, body)) continue;
        Vec3 lever = is_b ? contact->now.lever_b_m : vec3_add(contact->now.lever_b_m, apart);
        TrapezoidalRow end = quasi_gap_row(view, body, COPY(contact->now.normal), lever),
                       start = quasi_gap_row(view, body, COPY(quasi->held.normal),
                                             is_b ? COPY(quasi->held.lever_b_m) : COPY(quasi->held.lever_a_m));
        TrapezoidalRow of_end = trapezoidal_over_mass(view, body, end),
                       of_start = trapezoidal_over_mass(view, body, start);
        squares += vec3_dot(end.along, of_end.along) + vec3_dot(end.turn, of_end.turn) +
                   vec3_dot(start.along, of_start.along) + vec3_dot(start.turn, of_start.turn);
        between += vec3_dot(vec3_sub(end.along, start.along), vec3_sub(of_end.along, of_start.along)) +
                   vec3_dot(vec3_sub(end.turn, start.turn), vec3_sub(of_end.turn, of_start.turn));
    }
    real most = QUASI_OUTRUNS * quasi_moved_by(view, contact, s);
    return between > 0.5 * real_min(QUASI_JUMPS, most * most) * squares ? 1u : 0u;
}

/// Contacts whose points jump at the present evaluation, or all, have the geometry of the end of a step from now on,
/// and when it is tried again. Returns 1 if there are any.
FN_ONCE u32 quasi_release_jumping(const SceneView *view, real s, u32 takes_all) {
    u32 any = 0;
    if (!quasi_is_midpoint(view)) return 0;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_quasi_rigid(view, contact) || contact->step.quasi.is_new) continue;
        if (!takes_all && !quasi_point_jumps(view, contact, s)) continue;
        contact->step.quasi.is_new = any = 1;
        contact->step.quasi.is_held = 0;
    }
    SCENE_BARRIER();
    return scene_any(view, any);
}

// --- how far the forces of a step reach -----------------------------------------------------------------

// Over what holds in a scene's contacts: rates u of conditions by the velocities in the middle of a step, and by what
// forces do in h/2, with the masses behind them.
typedef struct QuasiHolds {
    real against, along; // sums of m u_kick u, m u_kick^2
    real most;           // share of the kick from which on a contact would slip backwards
} QuasiHolds;

/// Velocity and spin of a body in the middle of a step, or of the kick: in the world at its end.
FN_ONCE QuasiKick quasi_body_motion(const SceneView *view, u32 b, real s, u32 of_kick) {
    GLOBAL const BodyState *trial = &view->works[b].step.trial;
    QuasiKick by = ALL_ZERO;
    if (!trapezoidal_takes(view, b)) {
        if (of_kick) return by;
        by.velocity_m_per_s = trial->velocity_m_per_s;
        by.spin_rad_per_s = trial->spin_rad_per_s;
    } else if (of_kick) {
        by = quasi_kick(view, b, s);
    } else {
        by.velocity_m_per_s = trial->velocity_m_per_s;
        by.spin_rad_per_s = quasi_spin_after(view, b, COPY(trial->spin_rad_per_s), s);
    }
    by.spin_rad_per_s = spin_to_world(view->bodies[b].flags, COPY(trial->orientation), by.spin_rad_per_s);
    return by;
}

// Motion of B against A at a contact.
typedef struct QuasiSlip {
    real apart_m_per_s;
    Vec3 across_m_per_s;
    real about_m_per_s; // spin about the normal times the lever of torsion
} QuasiSlip;

/// At the end of a step: by the velocities in its middle, or by the kick.
FN_ONCE QuasiSlip quasi_slip_at_end(const SceneView *view, GLOBAL const Contact *contact, real s, u32 of_kick) {
    Vec3 n = contact->now.normal, lever = contact->now.lever_b_m, velocity = vec3_zero(), spin = vec3_zero();
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    Vec3 apart = vec3_sub(view->works[b].step.trial.position_m, view->works[a].step.trial.position_m);
    for (u32 is_b = 0; is_b < 2; is_b++) {
        QuasiKick of = quasi_body_motion(view, is_b ? b : a, s, of_kick);
        Vec3 at = vec3_add(of.velocity_m_per_s, vec3_cross(of.spin_rad_per_s, is_b ? lever : vec3_add(lever, apart)));
        velocity = is_b ? vec3_add(velocity, at) : vec3_sub(velocity, at);
        spin = is_b ? vec3_add(spin, of.spin_rad_per_s) : vec3_sub(spin, of.spin_rad_per_s);
    }
    QuasiSlip slip;
    slip.apart_m_per_s = vec3_dot(n, velocity);
    slip.across_m_per_s = vec3_add_scaled(velocity, n, 0.0 - slip.apart_m_per_s);
    slip.about_m_per_s = view->laws[contact->pair.law].ellipsoid.e[2] * vec3_dot(n, spin);
    return slip;
}

/// Of a contact that carries.
FN_ONCE void quasi_add_hold(const SceneView *view, GLOBAL const Contact *contact, real s, QuasiHolds *holds) {
    GLOBAL const QuasiContact *quasi = &contact->step.quasi;
    if (!(contact->now.normal_N > 0.0) || !(contact->start.inverse_mass_normal > 0.0)) return;
    QuasiSlip middle = quasi_slip_at_end(view, contact, s, 0), kick = quasi_slip_at_end(view, contact, s, 1);
    real mass = 1.0 / contact->start.inverse_mass_normal;
    holds->against = real_fma(mass * kick.apart_m_per_s, middle.apart_m_per_s, holds->against);
    holds->along = real_fma(mass * kick.apart_m_per_s, kick.apart_m_per_s, holds->along);
    if (!(vec3_max_abs(quasi->last.friction_N) > 0.0) && quasi->last.twist_N_m == 0.0) return;
    GLOBAL const real *by_normal = quasi->slopes.by_normal;
    u32 sticks = by_normal[0] == 0.0 && by_normal[1] == 0.0 && by_normal[2] == 0.0 ? 1u : 0u;
    real on = real_fma(kick.about_m_per_s, middle.about_m_per_s, vec3_dot(kick.across_m_per_s, middle.across_m_per_s));
    real square = real_fma(kick.about_m_per_s, kick.about_m_per_s, vec3_dot(kick.across_m_per_s, kick.across_m_per_s));
    if (sticks) {
        holds->against = real_fma(mass, on, holds->against);
        holds->along = real_fma(mass, square, holds->along);
    } else if (on < 0.0 && 0.0 - on < holds->most * square) {
        holds->most = (0.0 - on) / square;
    }
}

/// Of the equations of a joint.
FN_ONCE void quasi_add_joint_hold(const SceneView *view, GLOBAL const Contact *contact, real s, QuasiHolds *holds) {
    GLOBAL const JointConstraint *constraint = &contact->step.constraint;
    u32 bodies[2];
    QuasiKick of[2][2]; // [of B][of the kick]
    bodies[0] = contact->pair.body_a;
    bodies[1] = contact->pair.body_b;
    for (u32 i = 0; i < 4u; i++) {
        QuasiKick none = ALL_ZERO; // of driven bodies it is in `drift`
        of[i / 2u][i % 2u] =
            trapezoidal_takes(view, bodies[i / 2u]) ? quasi_body_motion(view, bodies[i / 2u], s, i % 2u) : none;
    }
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL const ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_inactive(constraint, i)) continue;
        real rate[2];
        for (u32 k = 0; k < 2; k++)
            rate[k] = constraint_rate(row, vec3_sub(of[1][k].velocity_m_per_s, of[0][k].velocity_m_per_s),
                                      of[0][k].spin_rad_per_s, of[1][k].spin_rad_per_s);
        real middle = row->drift + rate[0], kick = rate[1];
        holds->against =
            real_fma(row->penalty * kick, middle, holds->against); // penalties are as the masses behind rows
        holds->along = real_fma(row->penalty * kick, kick, holds->along);
    }
}

// Half kicks of whose square less than this share acts against what holds are taken as a whole: those of smooth motion.
#define QUASI_SMOOTH 1.0e-3

/// For how long the forces of a step of 1/s act on an island after its middle in the states that are reported: h/2,
/// less where that would part or slip what holds, as the large forces of an impact would.
FN_ONCE real quasi_find_after_middle(const SceneView *view, u32 label, real s) {
    real per_mass = 1.0 / (TRAPEZOIDAL_PENALTY * s * s), squares = 0.0;
    QuasiHolds contacts = ALL_ZERO, joints = ALL_ZERO;
    contacts.most = 1.0;
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (island_of(view, contact) != label) continue;
        if (contact_is_quasi_rigid(view, contact)) quasi_add_hold(view, contact, s, &contacts);
        if (contact_is_constraint(view, contact)) quasi_add_joint_hold(view, contact, s, &joints);
    }
    EACH_MOVING(b) {
        if (!trapezoidal_takes(view, b) || view->works[b].island.label != label) continue;
        QuasiKick kick = quasi_kick(view, b, s);
        squares = real_fma(view->bodies[b].mass_kg, vec3_dot(kick.velocity_m_per_s, kick.velocity_m_per_s), squares);
        squares += vec3_dot(vec3_multiply(kick.spin_rad_per_s, view->bodies[b].inertia_kg_m2), kick.spin_rad_per_s);
    }
    real along = real_fma(joints.along, per_mass, contacts.along),
         against = real_fma(joints.against, per_mass, contacts.against), share = 1.0;
    if (along > QUASI_SMOOTH * squares) share = real_max(0.0, real_min(1.0, 0.0 - against / along));
    return real_min(share, contacts.most) * 0.5 / s;
}

/// For all islands, once the step is solved.
FN_ONCE void quasi_find_all_after_middle(const SceneView *view, real s) {
    MOVING_LOOP(b) {
        if (trapezoidal_takes(view, b) && view->works[b].island.label == b)
            view->works[b].own.midpoint.trial_after_middle_s = quasi_find_after_middle(view, b, s);
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        u32 label = view->works[b].island.label;
        if (trapezoidal_takes(view, b) && label != b)
            view->works[b].own.midpoint.trial_after_middle_s = view->works[label].own.midpoint.trial_after_middle_s;
    }
    SCENE_BARRIER();
}

/// A trial state gets the velocities of its time.
FN_ONCE void quasi_report(const SceneView *view, u32 b, real s, BodyState *state) {
    QuasiKick kick = quasi_kick(view, b, s);
    real share = 2.0 * s * view->works[b].own.midpoint.trial_after_middle_s;
    Vec3 spin = quasi_spin_after(view, b, COPY(state->spin_rad_per_s), s);
    state->velocity_m_per_s = vec3_add_scaled(state->velocity_m_per_s, kick.velocity_m_per_s, share);
    state->spin_rad_per_s = vec3_add_scaled(spin, kick.spin_rad_per_s, share);
}

/// All of them.
FN_ONCE void quasi_report_all(const SceneView *view, real s) {
    MOVING_LOOP(b) {
        if (!trapezoidal_takes(view, b)) continue;
        BodyState state = view->works[b].step.trial;
        quasi_report(view, b, s, &state);
        view->works[b].step.trial = state;
    }
    SCENE_BARRIER();
}

// What gravity has done to bodies in a step beyond what it does to their states in that time.
typedef struct QuasiPulled {
    Vec3 momentum_N_s;
    real energy_J;
} QuasiPulled;

/// Of all bodies in a step of h that is accepted.
FN_ONCE QuasiPulled quasi_pulled(const SceneView *view, real h) {
    real before = view->slot->before_s, kick = 0.5 * (before + h);
    QuasiPulled sum = ALL_ZERO;
    EACH_MOVING(b) { // every item all of them, in this order
        GLOBAL const BodyWork *work = &view->works[b];
        GLOBAL const BodyMidpoint *midpoint = &work->own.midpoint;
        if (!trapezoidal_takes(view, b)) continue;
        Vec3 weight = vec3_scale(quasi_gravity(view, b), view->bodies[b].mass_kg);
        Vec3 middle = work->step.rates[QUASI_TRIED].velocity, start = quasi_velocity_before(view, b);
        Vec3 reported = vec3_add(middle, work->step.trial.velocity_m_per_s),
             was = vec3_add(start, view->states[b].velocity_m_per_s);
        real after_middle = midpoint->trial_after_middle_s,
             was_after_middle = midpoint->is_known ? midpoint->after_middle_s : 0.5 * before;
        sum.momentum_N_s = vec3_add_scaled(sum.momentum_N_s, weight, kick + after_middle - was_after_middle - h);
        Vec3 path = vec3_scale(vec3_add(start, middle), 0.5 * kick);
        path = vec3_add_scaled(vec3_add_scaled(path, reported, 0.5 * after_middle), was, -0.5 * was_after_middle);
        sum.energy_J += vec3_dot(weight, vec3_add_scaled(path, middle, 0.0 - h));
    }
    SCENE_BARRIER();
    return sum;
}

/// A step of h is accepted.
FN_ONCE void quasi_keep_midpoints(const SceneView *view, real h) {
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        work->own.midpoint.is_known = trapezoidal_takes(view, b);
        if (!work->own.midpoint.is_known) continue;
        work->own.midpoint.after_middle_s = work->own.midpoint.trial_after_middle_s;
        work->own.midpoint.velocity_m_per_s = work->step.rates[QUASI_TRIED].velocity;
        work->own.midpoint.spin_rad_per_s =
            quasi_spin_after(view, b, COPY(work->step.rates[QUASI_TRIED].spin_rate), 1.0 / h);
    }
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        contact->start_after_middle = contact->trial_after_middle;
    }
    if (view->item == 0) view->slot->before_s = real_min(h, view->scene->step_s);
    SCENE_BARRIER();
}

#endif
