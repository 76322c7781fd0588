// Contacts of quasi-rigid bodies: force and torques in the trial states by the law of quasi_law.h, how they change with
// poses and velocities, what is kept from step to step.
#ifndef CLACK_LAW_QUASI_CONTACT_H
#define CLACK_LAW_QUASI_CONTACT_H

#include "law/contact_force.h"
#include "law/contact_jacobian.h"
#include "law/quasi_law.h"

// Penalties over the mass behind a contact and (1/h)^2, or 1/h: an iteration leaves 1/PENALTY of what it is off by, and
// rounding of the gap counts PENALTY times.
#define QUASI_PENALTY 100.0
#define QUASI_STEADY 0.9 // share of a normal force that it had a step before, from which on it goes on as it is

FN_SHORT QuasiNumbers quasi_numbers(const SceneView *view, GLOBAL const Contact *contact, real s) {
    QuasiNumbers of;
    of.layer = view->region_laws[contact->pair.law].layer;
    if (of.layer.is_hertz) of.layer.stiffness = contact->law.stiffness;
    of.s = s;
    of.normal_penalty_N_per_m = contact->step.quasi.normal_penalty_N_per_m;
    GLOBAL const MaterialPairLaw *law = &view->laws[contact->pair.law];
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        of.slip_penalty_N_s_per_m[k] = contact->step.quasi.slip_penalty_N_s_per_m[k];
        of.e[k] = law->ellipsoid.e[k];
    }
    of.friction = law->friction;
    of.axis = contact_friction_axis(view, contact);
    of.axis_is_of_a = friction_axis_is_of(view, &law->ellipsoid, contact->pair.shape_a);
    of.is_lagged = contact->step.quasi.is_lagged;
    return of;
}

/// Components of a vector of the start, or of the iteration before, along the axes of friction: what was across the
/// normal then is taken as across it now.
FN_SHORT void quasi_along(const Vec3 *axes, Vec3 across, real about, real *out) {
    out[0] = vec3_dot(across, axes[0]);
    out[1] = vec3_dot(across, axes[1]);
    out[2] = about;
}

/// Store an evaluation.
FN_ONCE void quasi_store(GLOBAL Contact *contact, const PairKinematics *at, const QuasiState *state) {
    LawForce force = ALL_ZERO;
    force.normal_N = state->normal_N;
    force.friction_N = state->friction_N;
    force.torque_N_m = vec3_scale(at->normal, state->twist_N_m);
    force.force_N = vec3_add_scaled(state->friction_N, at->normal, state->normal_N);
    force.closing_m_per_s = 0.0 - at->rate_m_per_s;
    force.slip_m_per_s = vec3_length(contact_sliding(COPY(*at)));
    contact_store_from(contact, at, &force);
}

// One evaluation of the law.
typedef struct QuasiResult {
    QuasiState state;
    QuasiSlopes slopes;
    real stored_J;
} QuasiResult;

/// By the multipliers `last`.
FN_ONCE QuasiResult quasi_result(const QuasiNumbers *of, const PairKinematics *at, GLOBAL const QuasiState *start,
                                 GLOBAL const QuasiState *last) {
    QuasiResult out;
    QuasiMotion motion;
    Vec3 axes[2];
    real before[FRICTION_AXES], star[FRICTION_AXES];
    friction_axes(COPY(at->normal), COPY(of->axis), axes);
    quasi_along(axes, COPY(at->velocity_m_per_s), vec3_dot(at->normal, at->spin_rad_per_s), motion.slip);
    quasi_along(axes, COPY(start->stretch_m), 0.0, before);
    quasi_along(axes, COPY(last->friction_N), last->twist_N_m, star);
    for (u32 k = 0; k < FRICTION_AXES; k++) star[k] = of->e[k] > 0.0 ? star[k] / of->e[k] : 0.0;
    motion.gap_m = at->gap_m;
    QuasiNormal normal = quasi_normal(of, start, last, at->gap_m);
    QuasiFriction friction = quasi_friction(of, before, star, &motion, of->is_lagged ? last->normal_N : normal.force_N);
    out.state.normal_N = normal.force_N;
    out.state.core_N = normal.core_N;
    out.state.deflection_m = normal.deflection_m;
    out.state.friction_N = vec3_add_scaled(vec3_scale(axes[0], friction.force[0]), axes[1], friction.force[1]);
    out.state.stretch_m = vec3_add_scaled(vec3_scale(axes[0], friction.stretch[0]), axes[1], friction.stretch[1]);
    out.state.twist_N_m = friction.force[2];
    out.stored_J = normal.stored_J + friction.stored_J;
    out.slopes.axis = axes[0];
    out.slopes.normal_N = normal.force_N;
    out.slopes.normal_slope_N_per_m = normal.slope_N_per_m;
    out.slopes.across = friction.across;
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        out.slopes.share[k] = friction.share[k];
        out.slopes.per_slip[k] = friction.per_slip[k];
        out.slopes.inverse[k] = friction.inverse[k];
    }
    return out;
}

/// Velocity of a body at a contact, in the trial states.
FN_SHORT Vec3 quasi_velocity_at(const SceneView *view, u32 b, Vec3 lever) {
    GLOBAL const BodyState *trial = &view->works[b].step.trial;
    return vec3_add(trial->velocity_m_per_s, vec3_cross(pair_spin(view, b, trial), lever));
}

/// Kinematics at the end of a step of 1/s with the normal and the levers of its start, so that gaps are linear in the
/// velocities at the end.
FN_ONCE PairKinematics quasi_frozen_kinematics(const SceneView *view, GLOBAL const Contact *contact, real s) {
    GLOBAL const ContactJacobian *start = &contact->step.quasi.geometry;
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    PairKinematics at = ALL_ZERO;
    at.normal = start->normal;
    at.lever_a_m = start->lever_a_m;
    at.lever_b_m = start->lever_b_m;
    Vec3 at_a = quasi_velocity_at(view, a, at.lever_a_m), at_b = quasi_velocity_at(view, b, at.lever_b_m);
    at.velocity_m_per_s = vec3_sub(at_b, at_a);
    at.spin_rad_per_s =
        vec3_sub(pair_spin(view, b, &view->works[b].step.trial), pair_spin(view, a, &view->works[a].step.trial));
    at.rate_m_per_s = vec3_dot(at.normal, at.velocity_m_per_s);
    // Driven bodies have been at the end when the gap of the start was taken.
    real closes = (body_is_stepped(view, b) ? vec3_dot(at.normal, at_b) : 0.0) -
                  (body_is_stepped(view, a) ? vec3_dot(at.normal, at_a) : 0.0);
    at.gap_m = real_fma(closes, 1.0 / s, contact->step.quasi.start_gap_m);
    at.error_m = contact->now.error_m;
    at.status = contact->now.narrow_status;
    return at;
}

/// The present evaluation, in the states of the start, is where a step's geometry is frozen.
FN_SHORT void quasi_freeze(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL ContactJacobian *start = &contact->step.quasi.geometry;
    start->normal = contact->now.normal;
    start->lever_b_m = contact->now.lever_b_m;
    start->lever_a_m = vec3_add(start->lever_b_m, vec3_sub(view->works[contact->pair.body_b].step.trial.position_m,
                                                           view->works[contact->pair.body_a].step.trial.position_m));
    contact->step.quasi.start_gap_m = contact->now.gap_m;
}

// Evaluations within a step of 1/s
#define QUASI_FIRST 0u // with the multipliers of the start
#define QUASI_AGAIN 1u // what these give here are the next multipliers, with which it is evaluated once more
#define QUASI_END 2u   // the next multipliers are the force

/// Force, torques and their slopes in the trial states at the end of a step of 1/s.
FN_WAY void quasi_evaluate(const SceneView *view, GLOBAL Contact *contact, real s, u32 stage) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    QuasiNumbers of = quasi_numbers(view, contact, s);
    PairKinematics at =
        quasi->is_frozen ? quasi_frozen_kinematics(view, contact, s) : kinematics_of_active(view, contact);
    QuasiResult result = quasi_result(&of, &at, &quasi->start, &quasi->last);
    if (stage != QUASI_FIRST) quasi->last = result.state;
    if (stage == QUASI_AGAIN) result = quasi_result(&of, &at, &quasi->start, &quasi->last);
    quasi->slopes = result.slopes;
    quasi->held = of.layer.has_layer ? result.state : quasi->last;
    quasi->stored_J = result.stored_J;
    quasi_store(contact, &at, &result.state);
}

typedef struct QuasiViolation {
    real gap_m_per_s, slip_m_per_s;
} QuasiViolation;

/// How far a contact is from its conditions at the present evaluation, as velocities: gaps that it should not have by
/// 1/s, and slips. That is what its multipliers would change by, over the penalties.
FN_ONCE QuasiViolation quasi_violation(const SceneView *view, GLOBAL const Contact *contact, real s) {
    GLOBAL const QuasiContact *quasi = &contact->step.quasi;
    GLOBAL const LayerLaw *layer = &view->region_laws[contact->pair.law].layer;
    GLOBAL const real *beta = quasi->slip_penalty_N_s_per_m, *e = view->laws[contact->pair.law].ellipsoid.e;
    Vec3 n = contact->now.normal, across = vec3_add_scaled(contact->now.force_N, n, 0.0 - contact->now.normal_N);
    real normal_N =
        layer->has_layer ? quasi->held.core_N - quasi->last.core_N : contact->now.normal_N - quasi->last.normal_N;
    real twist_N_m = e[2] * quasi->slopes.share[2] - quasi->last.twist_N_m;
    real slip_N = vec3_length(vec3_sub(across, quasi->last.friction_N));
    QuasiViolation by = ALL_ZERO;
    if (quasi->normal_penalty_N_per_m > 0.0) by.gap_m_per_s = real_abs(normal_N) * s / quasi->normal_penalty_N_per_m;
    if (beta[0] > 0.0) by.slip_m_per_s = slip_N / (beta[0] * e[0] * e[0]);
    if (beta[2] > 0.0) by.slip_m_per_s = real_max(by.slip_m_per_s, real_abs(twist_N_m) / (beta[2] * e[2]));
    return by;
}

// Where a violation falls slowly, penalties grow: of the gap, or of slips.
#define QUASI_RAISE 10.0
#define QUASI_RAISES_MOST 4u
#define QUASI_OF_SLIP 16u // one of `raises`
#define QUASI_SLOW 0.5    // of a violation: share that is left after multipliers have changed

/// Multipliers of a contact change: which penalties are to grow with them? Bits 0 and 1. least: violations, m/s, that
/// do not count; REAL_HUGE: none does, and this one is compared with none.
FN_ONCE u32 quasi_judge(const SceneView *view, GLOBAL Contact *contact, real s, real least) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    QuasiViolation by = quasi_violation(view, contact, s);
    u32 which = 0;
    if (by.gap_m_per_s > real_max(least, QUASI_SLOW * quasi->gap_violation_m_per_s) &&
        quasi->raises % QUASI_OF_SLIP < QUASI_RAISES_MOST)
        which |= 1u;
    if (by.slip_m_per_s > real_max(least, QUASI_SLOW * quasi->slip_violation_m_per_s) &&
        quasi->raises / QUASI_OF_SLIP < QUASI_RAISES_MOST)
        which |= 2u;
    quasi->gap_violation_m_per_s = least < REAL_HUGE ? by.gap_m_per_s : REAL_HUGE;
    quasi->slip_violation_m_per_s = least < REAL_HUGE ? by.slip_m_per_s : REAL_HUGE;
    return which;
}

/// Raise these penalties.
FN_SHORT void quasi_raise(GLOBAL Contact *contact, u32 which) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    if (which & 1u) {
        quasi->normal_penalty_N_per_m *= QUASI_RAISE;
        quasi->raises++;
    }
    if (!(which & 2u)) return;
    for (u32 k = 0; k < FRICTION_AXES; k++) quasi->slip_penalty_N_s_per_m[k] *= QUASI_RAISE;
    quasi->raises += QUASI_OF_SLIP;
}

/// The force that a contact has had at the end of the step before, in the trial states, which are those.
FN_ONCE void quasi_hold(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const QuasiState *start = &contact->step.quasi.start;
    PairKinematics at = kinematics_of_active(view, contact);
    QuasiState state = *start;
    quasi_store(contact, &at, &state);
}

/// Inverse inertia of a body about a unit direction; 0: it is not stepped.
FN_SHORT real quasi_inverse_inertia(const SceneView *view, u32 b, Vec3 direction) {
    GLOBAL const Body *body = &view->bodies[b];
    if (!body_is_stepped(view, b)) return 0.0;
    Vec3 axis = spin_from_world(body->flags, COPY(view->works[b].step.trial.orientation), direction);
    return vec3_dot(vec3_multiply(axis, body->inverse_inertia), axis);
}

// How a step is tried: each where the one before has not converged.
#define QUASI_WARM 0u   // multipliers of contacts that carry what they carried go on
#define QUASI_COLD 1u   // they begin with 0
#define QUASI_LAGGED 2u // so they do, and friction is bounded by them: with that bound the problem is convex
#define QUASI_FROZEN 3u // the same with normals and levers of the start: nothing is left that could jump

/// Penalties of a contact in a step of 1/s, and its multipliers. level: one of the above.
FN_ONCE void quasi_begin_step(const SceneView *view, GLOBAL Contact *contact, real s, u32 level) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    QuasiState none = ALL_ZERO;
    contact_effective_masses(view, contact);
    real normal = contact->start.inverse_mass_normal, across = contact->start.inverse_mass_tangential,
         about = quasi_inverse_inertia(view, contact->pair.body_a, COPY(contact->now.normal)) +
                 quasi_inverse_inertia(view, contact->pair.body_b, COPY(contact->now.normal));
    GLOBAL const real *e = view->laws[contact->pair.law].ellipsoid.e;
    quasi->normal_penalty_N_per_m = normal > 0.0 ? QUASI_PENALTY * s * s / normal : 0.0;
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        real inverse = (k < 2 ? across : about) * e[k] * e[k];
        quasi->slip_penalty_N_s_per_m[k] = inverse > 0.0 ? QUASI_PENALTY * s / inverse : 0.0;
    }
    // Multipliers that are too large, as those of an impact are for the step after it, would part the bodies first, and
    // friction that is turns them: they begin with no more than the lesser one of the last two steps.
    quasi->is_lagged = level >= QUASI_LAGGED ? 1u : 0u;
    quasi->is_frozen = level == QUASI_FROZEN ? 1u : 0u;
    quasi->raises = 0;
    quasi->gap_violation_m_per_s = quasi->slip_violation_m_per_s = REAL_HUGE;
    quasi->last = none;
    if (level != QUASI_WARM) return;
    quasi->last.normal_N = quasi->warm_share * quasi->start.normal_N;
    quasi->last.core_N = quasi->warm_share * quasi->start.core_N;
    quasi->last.twist_N_m = quasi->warm_share * quasi->start.twist_N_m;
    quasi->last.friction_N = vec3_scale(quasi->start.friction_N, quasi->warm_share);
    quasi->last.deflection_m = quasi->start.deflection_m;
    quasi->last.stretch_m = quasi->start.stretch_m;
}

/// The geometry's derivatives at the present evaluation.
FN_WAY void quasi_derive(const SceneView *view, GLOBAL Contact *contact) {
    Vec3 lever_a = contact->step.quasi.geometry.lever_a_m;
    contact_derive_place(view, contact);
    if (!contact->step.quasi.is_frozen) {
        contact_derive_geometry(view, contact);
        return;
    }
    GLOBAL ContactJacobian *start = &contact->step.quasi.geometry;
    start->lever_a_m = lever_a;
    start->velocity_m_per_s = vec3_sub(quasi_velocity_at(view, contact->pair.body_b, COPY(start->lever_b_m)),
                                       quasi_velocity_at(view, contact->pair.body_a, lever_a));
}

/// By how much the axes of friction turn about the normal beside what they turn with it.
FN_SHORT real quasi_axes_turn(const QuasiNumbers *of, const Vec3 *axes, Vec3 normal, Vec3 normal_change, Vec3 turn) {
    real across = vec3_dot(axes[0], of->axis), along = vec3_dot(normal, of->axis);
    if (!(across * across > FRICTION_ALONG_NORMAL)) return 0.0; // there is none, as friction_axes has it
    return (vec3_dot(axes[1], vec3_cross(turn, of->axis)) - along * vec3_dot(axes[1], normal_change)) / across;
}

/// What that changes of the slips along them, and of stretches and multipliers, as slips that do the same.
FN_SHORT void quasi_turn_slips(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of, const Vec3 *axes,
                               Vec3 velocity, real turn, real *slip) {
    Vec3 stretch = quasi->start.stretch_m, star = quasi->last.friction_N;
    for (u32 k = 0; k < 2; k++) {
        Vec3 by = vec3_scale(axes[1 - k], k == 0 ? turn : 0.0 - turn);
        real dash = real_fma(of->layer.shear_damping, of->s, of->layer.shear_stiffness);
        slip[k] += vec3_dot(velocity, by);
        if (dash > 0.0) slip[k] += of->s * of->layer.shear_stiffness / dash * vec3_dot(stretch, by);
        if (quasi->slopes.per_slip[k] < 0.0) slip[k] += vec3_dot(star, by) / (of->e[k] * quasi->slopes.per_slip[k]);
    }
}

/// First-order change of force and torques for changes of both bodies. of: as at the evaluation.
FN_ONCE ContactChange quasi_change(GLOBAL const QuasiContact *quasi, const QuasiNumbers *of, const BodyChange *a,
                                   const BodyChange *b) {
    GLOBAL const ContactJacobian *s = &quasi->geometry;
    GLOBAL const QuasiSlopes *slopes = &quasi->slopes;
    u32 is_frozen = quasi->is_frozen;
    ContactMove move = ALL_ZERO;
    if (!is_frozen) move = contact_move(s, a, b);
    Vec3 n = s->normal, u = s->velocity_m_per_s, axes[2];
    Vec3 d_lever_a = is_frozen ? vec3_zero() : vec3_sub(move.point_m, a->shift_m),
         d_lever_b = is_frozen ? vec3_zero() : vec3_sub(move.point_m, b->shift_m);
    Vec3 d_at_a = vec3_add(a->velocity_m_per_s, vec3_add(vec3_cross(a->spin_rad_per_s, s->lever_a_m),
                                                         vec3_cross(s->spin_a_rad_per_s, d_lever_a)));
    Vec3 d_at_b = vec3_add(b->velocity_m_per_s, vec3_add(vec3_cross(b->spin_rad_per_s, s->lever_b_m),
                                                         vec3_cross(s->spin_b_rad_per_s, d_lever_b)));
    Vec3 d_u = vec3_sub(d_at_b, d_at_a), spin = vec3_sub(s->spin_b_rad_per_s, s->spin_a_rad_per_s);
    if (is_frozen) move.gap_m = vec3_dot(n, d_u) / of->s;
    real normal_N = 0.0 - slopes->normal_slope_N_per_m * move.gap_m, along = vec3_dot(n, u), slip[FRICTION_AXES],
         force[FRICTION_AXES];
    axes[0] = slopes->axis;
    axes[1] = vec3_cross(n, axes[0]);
    // Axes across the normal go with it: d(axis) = -n (dn . axis).
    for (u32 k = 0; k < 2; k++) slip[k] = vec3_dot(d_u, axes[k]) - along * vec3_dot(move.normal, axes[k]);
    slip[2] = vec3_dot(vec3_sub(b->spin_rad_per_s, a->spin_rad_per_s), n) + vec3_dot(spin, move.normal);
    real turn = quasi_axes_turn(of, axes, n, move.normal, of->axis_is_of_a ? a->turn : b->turn);
    if (turn != 0.0) quasi_turn_slips(quasi, of, axes, u, turn, slip);
    quasi_friction_change(of, slopes, slip, normal_N, force);
    Vec3 across = vec3_add_scaled(vec3_scale(axes[0], force[0]), axes[1], force[1]);
    across = vec3_add_scaled(across, n, 0.0 - vec3_dot(move.normal, quasi->held.friction_N));
    across = vec3_add_scaled(across, vec3_cross(n, quasi->held.friction_N), turn);
    Vec3 d_force = vec3_add_scaled(vec3_add_scaled(across, n, normal_N), move.normal, quasi->held.normal_N);
    Vec3 twist = vec3_add_scaled(vec3_scale(n, force[2]), move.normal, quasi->held.twist_N_m);
    Vec3 held = vec3_add_scaled(quasi->held.friction_N, n, quasi->held.normal_N);
    ContactChange change;
    change.force_N = d_force;
    change.loss_W = 0.0;
    change.torque_b_N_m = vec3_add(vec3_add(vec3_cross(s->lever_b_m, d_force), vec3_cross(d_lever_b, held)), twist);
    change.torque_a_N_m =
        vec3_negate(vec3_add(vec3_add(vec3_cross(s->lever_a_m, d_force), vec3_cross(d_lever_a, held)), twist));
    return change;
}

/// Of a contact that begins.
FN_SHORT void quasi_begin(GLOBAL Contact *contact) {
    QuasiState none = ALL_ZERO;
    contact->step.quasi.start = contact->step.quasi.last = none;
    contact->step.quasi.warm_share = 0.0;
    contact->step.quasi.stored_J = contact->step.quasi.start_stored_J = 0.0;
}

/// The step just tried is accepted: the next one begins with its forces and deflections. What its layer has stored is
/// not lost.
FN_ONCE void quasi_keep(GLOBAL Contact *contact) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    real before_N = quasi->start.normal_N, now_N = quasi->last.normal_N;
    quasi->warm_share = now_N > 0.0 ? before_N / now_N : 0.0;
    if (quasi->warm_share > QUASI_STEADY) quasi->warm_share = 1.0;
    quasi->start = quasi->last;
    quasi->start_stored_J = quasi->stored_J;
}

// Deflections below this share of its thickness are none: a layer without force has relaxed.
#define QUASI_RELAXED 1.0e-6

/// Has a contact ended, at the end of a step?
FN_SHORT u32 quasi_has_ended(const SceneView *view, GLOBAL const Contact *contact, real gap_m) {
    GLOBAL const LayerLaw *layer = &view->region_laws[contact->pair.law].layer;
    GLOBAL const QuasiState *last = &contact->step.quasi.last;
    if (last->normal_N > 0.0 || !(gap_m > 0.0)) return 0;
    return last->deflection_m > QUASI_RELAXED * layer->thickness_m ? 0u : 1u;
}

#endif
