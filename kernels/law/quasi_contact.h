// Contacts of quasi-rigid bodies: force and torques in the trial states by the law of quasi_law.h, how they change with
// poses and velocities, what is kept from step to step.
#ifndef CLACK_LAW_QUASI_CONTACT_H
#define CLACK_LAW_QUASI_CONTACT_H

#include "law/contact_force.h"
#include "law/contact_jacobian.h"
#include "law/quasi_dual.h"

// How a step is tried: each where the one before has not converged.
#define QUASI_UNKNOWN 0u // multipliers are unknowns as velocities are (quasi_dual.h)
#define QUASI_WARM 1u    // they change between iterations; those of contacts that carry what they carried go on
#define QUASI_LAGGED 2u  // they begin with 0, and friction is bounded by them: with that bound the problem is convex
#define QUASI_FROZEN 3u  // the same with normals and levers of the start: nothing is left that could jump

// Penalties over the mass behind a contact and (1/h)^2, or 1/h. Where multipliers change between iterations, one leaves
// 1/PENALTY of what it is off by, and rounding of the gap counts PENALTY times.
#define QUASI_PENALTY 100.0
// Share of a normal force that it had a step before, from which on it goes on as it is. So does one that has grown by
// no more than this share of the weight of what it moves: among many contacts of a body the smallest forces are those
// of rounding, and would be others in each step, and with them all.
#define QUASI_STEADY 0.9
#define QUASI_STEADY_OF_WEIGHT 1.0e-5

/// Overlap of the cores at the start of a step of 1/s that is left at its end: a step that was taken loosely may have
/// made one. A planned step undoes it, shorter ones each their share: in one of a thousandth bodies would be thrown
/// apart with a thousand times the velocity.
FN_SHORT real quasi_left(const SceneView *view, GLOBAL const QuasiContact *quasi, real s) {
    return quasi->overlap_m * real_max(0.0, 1.0 - 1.0 / (s * view->scene->step_s));
}

FN_SHORT QuasiNumbers quasi_numbers(const SceneView *view, GLOBAL const Contact *contact, real s) {
    QuasiNumbers of;
    of.layer = view->region_laws[contact->pair.law].layer;
    if (of.layer.is_hertz) of.layer.stiffness = contact->law.stiffness;
    of.s = s;
    of.normal_penalty_N_per_m = contact->step.quasi.normal_penalty_N_per_m;
    of.left_m = quasi_left(view, &contact->step.quasi, s);
    GLOBAL const MaterialPairLaw *law = &view->laws[contact->pair.law];
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        of.slip_penalty_N_s_per_m[k] = contact->step.quasi.slip_penalty_N_s_per_m[k];
        of.e[k] = law->ellipsoid.e[k];
    }
    of.friction = law->friction;
    of.epsilon = view->slot->multiplier_share;
    of.axis = contact_friction_axis(view, contact);
    of.axis_is_of_a = friction_axis_is_of(view, &law->ellipsoid, contact->pair.shape_a);
    of.is_lagged = contact->step.quasi.level >= QUASI_LAGGED ? 1u : 0u;
    return of;
}

/// Components of a vector of the start, or of the iteration before, along the axes of friction: what was across the
/// normal then is taken as across it now.
FN_SHORT void quasi_along(const Vec3 *axes, Vec3 across, real about, real *out) {
    out[0] = vec3_dot(across, axes[0]);
    out[1] = vec3_dot(across, axes[1]);
    out[2] = about;
}

/// Store an evaluation at the end of a step, whose force acts by `of`.
FN_ONCE void quasi_store(GLOBAL Contact *contact, const PairKinematics *at, const PairKinematics *of,
                         const QuasiState *state) {
    LawForce force;
    force.loss_W = 0.0;
    force.normal_N = state->normal_N;
    force.friction_N = state->friction_N;
    force.torque_N_m = vec3_scale(of->normal, state->twist_N_m);
    force.force_N = vec3_add_scaled(state->friction_N, of->normal, state->normal_N);
    force.closing_m_per_s = 0.0 - at->rate_m_per_s;
    force.slip_m_per_s = vec3_length(contact_sliding(COPY(*of)));
    contact_store_from(contact, of, &force);
    contact->now.rate_m_per_s = at->rate_m_per_s;
    contact->now.normal = at->normal;
    contact->now.lever_b_m = at->lever_b_m;
}

// One evaluation of the law.
typedef struct QuasiResult {
    QuasiState next; // what the multipliers become; with these as unknowns, where bodies do not change
    QuasiState held; // by the multipliers as they are, where they are unknowns; else the same
    QuasiSlopes slopes;
    real gap_off_N, slip_off_N; // what conditions are off by, likewise
    real stored_J;
} QuasiResult;

/// Forces and stretches along the axes of friction, as vectors.
FN_SHORT void quasi_put_friction(const Vec3 *axes, const real *force, const real *stretch, QuasiState *out) {
    out->friction_N = vec3_add_scaled(vec3_scale(axes[0], force[0]), axes[1], force[1]);
    out->stretch_m = vec3_add_scaled(vec3_scale(axes[0], stretch[0]), axes[1], stretch[1]);
    out->twist_N_m = force[2];
}

/// By the multipliers `last`, as they are.
FN_SHORT void quasi_take_projected(const QuasiNumbers *of, GLOBAL const QuasiState *start,
                                   GLOBAL const QuasiState *last, const QuasiAlong *along, QuasiResult *out) {
    QuasiNormal normal = quasi_normal(of, start, last, along->motion.gap_m);
    QuasiFriction friction = quasi_friction(of, along, of->is_lagged ? last->normal_N : normal.force_N);
    out->next.normal_N = normal.force_N;
    out->next.core_N = normal.core_N;
    out->next.deflection_m = normal.deflection_m;
    quasi_put_friction(along->axes, friction.force, friction.stretch, &out->next);
    out->held = out->next;
    out->gap_off_N = out->slip_off_N = 0.0;
    out->stored_J = normal.stored_J + friction.stored_J;
    out->slopes.normal_slope_N_per_m = normal.slope_N_per_m;
    out->slopes.core_slope_N_per_m = 0.0;
    quasi_friction_slopes(of, &friction, normal.force_N, &out->slopes);
}

/// With the multipliers as unknowns, near `last`.
FN_SHORT void quasi_take_unknown(const QuasiNumbers *of, GLOBAL const QuasiState *start, GLOBAL const QuasiState *last,
                                 const QuasiAlong *along, QuasiResult *out) {
    QuasiNormalDual normal = quasi_normal_dual(of, start, last, along->motion.gap_m);
    QuasiFrictionDual friction = quasi_friction_dual(of, along, &normal, &out->slopes);
    out->held.normal_N = normal.force_N;
    out->held.core_N = of->layer.has_layer ? last->core_N : 0.0;
    out->held.deflection_m = normal.deflection_m;
    quasi_put_friction(along->axes, friction.force, friction.stretch, &out->held);
    out->next = out->held;
    out->next.normal_N = normal.next_N;
    out->next.core_N = normal.next_core_N;
    quasi_put_friction(along->axes, friction.next, friction.stretch, &out->next);
    out->stored_J = normal.stored_J + friction.stored_J;
    out->gap_off_N = normal.off_N;
    out->slip_off_N = friction.off_N;
    out->slopes.normal_slope_N_per_m = normal.slope_N_per_m;
    out->slopes.core_slope_N_per_m = normal.core_slope_N_per_m;
}

FN_ONCE QuasiResult quasi_result(const QuasiNumbers *of, const PairKinematics *at, GLOBAL const QuasiContact *quasi) {
    GLOBAL const QuasiState *start = &quasi->start, *last = &quasi->last;
    QuasiResult out; // set whole, without clearing it first
    QuasiAlong along;
    friction_axes(COPY(at->normal), COPY(of->axis), along.axes);
    quasi_along(along.axes, COPY(at->velocity_m_per_s), vec3_dot(at->normal, at->spin_rad_per_s), along.motion.slip);
    quasi_along(along.axes, COPY(start->stretch_m), 0.0, along.before);
    quasi_along(along.axes, COPY(last->friction_N), last->twist_N_m, along.star);
    for (u32 k = 0; k < FRICTION_AXES; k++) along.star[k] = of->e[k] > 0.0 ? along.star[k] / of->e[k] : 0.0;
    along.motion.gap_m = at->gap_m;
    out.slopes.axis = along.axes[0];
    if (quasi->level == QUASI_UNKNOWN)
        quasi_take_unknown(of, start, last, &along, &out);
    else
        quasi_take_projected(of, start, last, &along, &out);
    return out;
}

/// Velocity of a body at a contact, in the trial states.
FN_SHORT Vec3 quasi_velocity_at(const SceneView *view, u32 b, Vec3 lever) {
    GLOBAL const BodyState *trial = &view->works[b].step.trial;
    return vec3_add(trial->velocity_m_per_s, vec3_cross(pair_spin(view, b, trial), lever));
}

/// Velocity of B against A in the trial states, at these levers.
FN_SHORT Vec3 quasi_velocity(const SceneView *view, GLOBAL const Contact *contact, Vec3 lever_a, Vec3 lever_b) {
    return vec3_sub(quasi_velocity_at(view, contact->pair.body_b, lever_b),
                    quasi_velocity_at(view, contact->pair.body_a, lever_a));
}

/// A lever by which slips are: the mean of the one that is held and of that of the end, which makes a step symmetric in
/// time.
FN_SHORT Vec3 quasi_slip_lever(Vec3 held, Vec3 end) { return vec3_scale(vec3_add(held, end), 0.5); }

/// Kinematics in the trial states with the normal and the levers that are held. end: those of the end, of which the gap
/// is and slips are half; 0: there are none.
FN_ONCE PairKinematics quasi_held_kinematics(const SceneView *view, GLOBAL const Contact *contact,
                                             const PairKinematics *end) {
    GLOBAL const QuasiHeld *held = &contact->step.quasi.held;
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    PairKinematics at = ALL_ZERO;
    at.normal = held->normal;
    at.lever_a_m = held->lever_a_m;
    at.lever_b_m = held->lever_b_m;
    at.velocity_m_per_s = end ? quasi_velocity(view, contact, quasi_slip_lever(at.lever_a_m, COPY(end->lever_a_m)),
                                               quasi_slip_lever(at.lever_b_m, COPY(end->lever_b_m)))
                              : quasi_velocity(view, contact, at.lever_a_m, at.lever_b_m);
    at.spin_rad_per_s =
        vec3_sub(pair_spin(view, b, &view->works[b].step.trial), pair_spin(view, a, &view->works[a].step.trial));
    at.rate_m_per_s = vec3_dot(at.normal, at.velocity_m_per_s);
    at.gap_m = end ? end->gap_m : 0.0;
    at.error_m = end ? end->error_m : contact->now.error_m;
    at.status = end ? end->status : contact->now.narrow_status;
    return at;
}

/// The gap at the end of a step of 1/s by the normal and the levers of its start, linear in the velocities.
FN_SHORT real quasi_frozen_gap(const SceneView *view, GLOBAL const Contact *contact, real s) {
    GLOBAL const QuasiHeld *held = &contact->step.quasi.held;
    Vec3 at_a = quasi_velocity_at(view, contact->pair.body_a, COPY(held->lever_a_m)),
         at_b = quasi_velocity_at(view, contact->pair.body_b, COPY(held->lever_b_m));
    // Driven bodies have been at the end when the gap of the start was taken.
    real closes = (body_is_stepped(view, contact->pair.body_b) ? vec3_dot(held->normal, at_b) : 0.0) -
                  (body_is_stepped(view, contact->pair.body_a) ? vec3_dot(held->normal, at_a) : 0.0);
    return real_fma(closes, 1.0 / s, contact->step.quasi.start_gap_m);
}

/// The present evaluation, in the states of the start, is what a step holds. is_stale: 1, in the trial states, where
/// driven bodies are at the end.
FN_SHORT void quasi_take_held(const SceneView *view, GLOBAL Contact *contact, u32 is_stale) {
    GLOBAL QuasiHeld *held = &contact->step.quasi.held;
    u32 a = contact->pair.body_a, b = contact->pair.body_b;
    Vec3 apart = is_stale ? vec3_sub(view->works[b].step.trial.position_m, view->works[a].step.trial.position_m)
                          : vec3_sub(view->states[b].position_m, view->states[a].position_m);
    held->normal = contact->now.normal;
    held->lever_b_m = contact->now.lever_b_m;
    held->lever_a_m = vec3_add(held->lever_b_m, apart);
    contact->step.quasi.start_gap_m = contact->now.gap_m;
}

// Evaluations within a step of 1/s
#define QUASI_GUESS 0u // the multipliers of the start are the force
#define QUASI_FIRST 1u // with the multipliers as they are
#define QUASI_AGAIN 2u // what these give here are the next multipliers, with which it is evaluated once more
#define QUASI_END 3u   // the next multipliers are the force; not with unknown multipliers, which are it already

/// Of an evaluation with unknown multipliers: these are the force, and violations of conditions are noted as
/// velocities.
FN_SHORT void quasi_hold_multipliers(GLOBAL QuasiContact *quasi, real s, const QuasiResult *result) {
    real alpha = quasi->normal_penalty_N_per_m, beta = quasi->slip_penalty_N_s_per_m[0];
    quasi->last = result->held;
    quasi->gap_violation_m_per_s = alpha > 0.0 ? real_abs(result->gap_off_N) * s / alpha : 0.0;
    quasi->slip_violation_m_per_s = beta > 0.0 ? result->slip_off_N / beta : 0.0;
}

/// Force, torques and their slopes in the trial states at the end of a step of 1/s.
FN_WAY void quasi_evaluate(const SceneView *view, GLOBAL Contact *contact, real s, u32 stage) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    u32 is_frozen = quasi->level == QUASI_FROZEN ? 1u : 0u;
    PairKinematics at = is_frozen ? quasi_held_kinematics(view, contact, 0) : kinematics_of_active(view, contact);
    if (is_frozen) at.gap_m = quasi_frozen_gap(view, contact, s);
    PairKinematics by = quasi->is_held && !is_frozen ? quasi_held_kinematics(view, contact, &at) : at;
    QuasiState force = quasi->last;
    if (stage != QUASI_GUESS) {
        QuasiNumbers of = quasi_numbers(view, contact, s);
        QuasiResult result = quasi_result(&of, &by, quasi);
        if (stage >= QUASI_AGAIN) quasi->last = result.next;
        if (stage == QUASI_AGAIN) result = quasi_result(&of, &by, quasi);
        if (quasi->level == QUASI_UNKNOWN) quasi_hold_multipliers(quasi, s, &result);
        quasi->slopes = result.slopes;
        quasi->next = result.next;
        quasi->stored_J = result.stored_J;
        force = quasi->level == QUASI_UNKNOWN ? result.held : result.next;
    }
    quasi_store(contact, &at, &by, &force);
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
    real normal_N =
        layer->has_layer ? quasi->next.core_N - quasi->last.core_N : quasi->next.normal_N - quasi->last.normal_N;
    real twist_N_m = quasi->next.twist_N_m - quasi->last.twist_N_m;
    real slip_N = vec3_length(vec3_sub(quasi->next.friction_N, quasi->last.friction_N));
    QuasiViolation by = ALL_ZERO;
    if (quasi->level == QUASI_UNKNOWN) {
        by.gap_m_per_s = quasi->gap_violation_m_per_s;
        by.slip_m_per_s = quasi->slip_violation_m_per_s;
        return by;
    }
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
    QuasiState state = contact->step.quasi.start;
    PairKinematics at = kinematics_of_active(view, contact);
    PairKinematics of = contact->step.quasi.is_held ? quasi_held_kinematics(view, contact, &at) : at;
    quasi_store(contact, &at, &of, &state);
}

/// Inverse inertia of a body about a unit direction; 0: it is not stepped.
FN_SHORT real quasi_inverse_inertia(const SceneView *view, u32 b, Vec3 direction) {
    GLOBAL const Body *body = &view->bodies[b];
    if (!body_is_stepped(view, b)) return 0.0;
    Vec3 axis = spin_from_world(body->flags, COPY(view->works[b].step.trial.orientation), direction);
    return vec3_dot(vec3_multiply(axis, body->inverse_inertia), axis);
}

/// Penalties of a contact in a step of 1/s, and its multipliers. level: QUASI_*; is_resumed: 1, those stay.
FN_ONCE void quasi_begin_step(const SceneView *view, GLOBAL Contact *contact, real s, u32 level, u32 is_resumed) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    QuasiState none = ALL_ZERO;
    contact_effective_masses(view, contact);
    real normal = contact->start.inverse_mass_normal, across = contact->start.inverse_mass_tangential,
         about = quasi_inverse_inertia(view, contact->pair.body_a, COPY(contact->now.normal)) +
                 quasi_inverse_inertia(view, contact->pair.body_b, COPY(contact->now.normal));
    GLOBAL const real *e = view->laws[contact->pair.law].ellipsoid.e;
    real penalty = level == QUASI_UNKNOWN ? 1.0 : QUASI_PENALTY;
    quasi->level = level;
    quasi->is_held = level == QUASI_FROZEN || (scheme_is_midpoint(view->scene->flags) && !quasi->is_new) ? 1u : 0u;
    // What is no number stays none, so that the step is not taken for solved.
    quasi->normal_penalty_N_per_m = normal == 0.0 ? 0.0 : penalty * s * s / normal;
    for (u32 k = 0; k < FRICTION_AXES; k++) {
        real inverse = (k < 2 ? across : about) * e[k] * e[k];
        quasi->slip_penalty_N_s_per_m[k] = inverse == 0.0 ? 0.0 : penalty * s / inverse;
    }
    if (level == QUASI_UNKNOWN) { // one for all axes of friction: by the masses and the layer
        QuasiNumbers of = quasi_numbers(view, contact, s);
        real inverse = real_max(across * real_max(e[0] * e[0], e[1] * e[1]), about * e[2] * e[2]) / s;
        real per_shear = quasi_per_shear(&of);
        if (inverse != 0.0) inverse += real_max(quasi_give(&of, 0, per_shear), quasi_give(&of, 1, per_shear));
        quasi->slip_penalty_N_s_per_m[0] = inverse == 0.0 ? 0.0 : 1.0 / inverse;
    }
    // Multipliers that are too large, as those of an impact are for the step after it, would part the bodies first, and
    // friction that is turns them: they begin with no more than the lesser one of the last two steps.
    quasi->raises = 0;
    quasi->gap_violation_m_per_s = quasi->slip_violation_m_per_s = REAL_HUGE;
    if (is_resumed) return;
    quasi->last = none;
    if (level > QUASI_WARM) return;
    quasi->last.normal_N = quasi->warm_share * quasi->start.normal_N;
    quasi->last.core_N = quasi->warm_share * quasi->start.core_N;
    quasi->last.twist_N_m = quasi->warm_share * quasi->start.twist_N_m;
    quasi->last.friction_N = vec3_scale(quasi->start.friction_N, quasi->warm_share);
    quasi->last.deflection_m = quasi->start.deflection_m;
    quasi->last.stretch_m = quasi->start.stretch_m;
}

/// The present gap is that of the start of the next step: how deep are the cores in each other there? (A driven body is
/// at its end when that step is evaluated first.)
FN_SHORT void quasi_keep_overlap(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const LayerLaw *layer = &view->region_laws[contact->pair.law].layer;
    real overlap = 0.0 - contact->now.gap_m - (layer->has_layer ? layer->thickness_m : 0.0);
    contact->step.quasi.overlap_m = real_max(0.0, overlap);
}

/// Of a contact that begins. is_new: 0, it is there at the start of a scene; then its layer gives way by the overlap.
FN_SHORT void quasi_begin(const SceneView *view, GLOBAL Contact *contact, u32 is_new) {
    QuasiState none = ALL_ZERO;
    quasi_keep_overlap(view, contact);
    ContactAfterMiddle nothing = ALL_ZERO;
    contact->step.quasi.is_new = is_new;
    contact->step.quasi.is_held = 0;
    contact->start_after_middle = nothing;
    contact->step.quasi.start = contact->step.quasi.last = none;
    contact->step.quasi.warm_share = 0.0;
    contact->step.quasi.stored_J = contact->step.quasi.start_stored_J = 0.0;
    LayerLaw layer = view->region_laws[contact->pair.law].layer;
    if (is_new || !layer.has_layer || !(contact->now.gap_m < 0.0)) return;
    if (layer.is_hertz) layer.stiffness = contact->law.stiffness;
    real deflection_m = real_min(0.0 - contact->now.gap_m, layer.thickness_m);
    contact->step.quasi.start.deflection_m = contact->step.quasi.last.deflection_m = deflection_m;
    contact->step.quasi.stored_J = contact->step.quasi.start_stored_J = quasi_elastic(layer, deflection_m).stored_J;
}

/// The step just tried is accepted: the next one begins with its forces and deflections. What its layer has stored is
/// not lost.
FN_ONCE void quasi_keep(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL QuasiContact *quasi = &contact->step.quasi;
    real before_N = quasi->start.normal_N, now_N = quasi->last.normal_N,
         gravity = vec3_length(scene_gravity(view, COPY(view->works[contact->pair.body_b].step.trial.position_m))),
         grown = (now_N - before_N) * contact->start.inverse_mass_normal;
    quasi->warm_share = now_N > 0.0 ? before_N / now_N : 0.0;
    if (quasi->warm_share > QUASI_STEADY || grown <= QUASI_STEADY_OF_WEIGHT * gravity) quasi->warm_share = 1.0;
    quasi->start = quasi->last;
    quasi->start_stored_J = quasi->stored_J;
    quasi->is_new = 0;
    quasi_keep_overlap(view, contact);
}

// Deflections below this share of its thickness are none: a layer without force has relaxed.
#define QUASI_RELAXED 1.0e-6

/// Gaps that rounding of places leaves between bodies that touch, m: corners without load would end and begin by it.
FN_SHORT real quasi_resolved(const SceneView *view, GLOBAL const Contact *contact) {
    return 2.0e-15 * (vec3_max_abs(view->works[contact->pair.body_a].step.trial.position_m) +
                      vec3_max_abs(view->works[contact->pair.body_b].step.trial.position_m) +
                      vec3_max_abs(contact->now.lever_b_m));
}

/// Has a contact ended, at the end of a step?
FN_SHORT u32 quasi_has_ended(const SceneView *view, GLOBAL const Contact *contact, real gap_m) {
    GLOBAL const LayerLaw *layer = &view->region_laws[contact->pair.law].layer;
    GLOBAL const QuasiState *last = &contact->step.quasi.last;
    // What it would carry next: a multiplier that is too small to matter may be left without a condition.
    if (contact->step.quasi.next.normal_N > 0.0 || !(gap_m > quasi_resolved(view, contact))) return 0;
    return last->deflection_m > QUASI_RELAXED * layer->thickness_m ? 0u : 1u;
}

#endif
