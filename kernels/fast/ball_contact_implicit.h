// Implicit steps of ball contacts (ball_contact.h), balls with balls and planes: those of rodas.h, to rounding.
// The force depends on displacement and velocity of B relative to A at the contact point alone:
// so there are three equations, for the change of the force, instead of six for each body. Without rolling resistance.
#ifndef CLACK_FAST_BALL_CONTACT_IMPLICIT_H
#define CLACK_FAST_BALL_CONTACT_IMPLICIT_H

#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/contact_law.h"
#include "integrate/rodas.h"
#include "fast/ball_contact.h"

// Derivatives of a contact at the start of a step: columns of 3 x 3 matrices.
typedef struct BallContactSlopes {
    Vec3 lever_a_m, lever_b_m;
    Vec3 by_displacement[3], by_velocity[3]; // d(force on B)/d(displacement), /d(velocity)
    Vec3 twist_a[3], twist_b[3];             // change of the torques of the present force, as its point is displaced
    Vec3 loss_displacement, loss_velocity;
} BallContactSlopes;

// The same with the response of its two bodies.
typedef struct BallPairSlopes {
    BallContactSlopes contact; // by_displacement, by_velocity: of what these would be without the change of the force
    real displacement_per_N;   // displacement of B relative to A per change of the force, m/N
} BallPairSlopes;

#define TOUCH_BALLS 0u // two balls
#define TOUCH_PLANE_A 1u
#define TOUCH_PLANE_B 2u

// A contact at the present states of its bodies.
typedef struct BallContactState {
    Law law;
    PairKinematics at;
    Vec3 force_N; // on B
    Vec3 spin_a_rad_per_s, spin_b_rad_per_s;
    u32 kind;     // TOUCH_*
    real apart_m; // of the centres of two balls
    real ball_a_m;
} BallContactState;

/// Derivatives of the contact there.
FN_ONCE void ball_take_contact_slopes(const BallContactState *state, BallContactSlopes *contact) {
    const PairKinematics *at = &state->at;
    u32 kind = state->kind;
    Vec3 n = at->normal;
    real losses[3];
    LawMotion start, by;
    start.gap_m = at->gap_m;
    start.normal = n;
    start.velocity_m_per_s = at->velocity_m_per_s;
    start.spin_rad_per_s = at->spin_rad_per_s;
    LawSlopes law = law_slopes(&state->law, &start);
    by.gap_m = 0.0;
    by.normal = by.spin_rad_per_s = vec3_zero();
    contact->lever_a_m = at->lever_a_m;
    contact->lever_b_m = at->lever_b_m;
    for (u32 k = 0; k < 3; k++) {
        by.velocity_m_per_s = vec3_unit(k);
        LawChange change = law_change(&law, &start, &by, 0);
        contact->by_velocity[k] = change.force_N;
        losses[k] = change.loss_W;
    }
    contact->loss_velocity = vec3_make(losses[0], losses[1], losses[2]);
    // A displacement across the normal turns the normal, and moves the contact point.
    real turns = kind == TOUCH_BALLS ? 1.0 / state->apart_m : 0.0,
         carries = kind == TOUCH_BALLS ? state->ball_a_m + 0.5 * at->gap_m : 0.0;
    for (u32 k = 0; k < 3; k++) {
        Vec3 displacement = vec3_unit(k);
        real along = vec3_component(n, k);
        by.gap_m = along;
        by.normal = vec3_scale(vec3_add_scaled(displacement, n, 0.0 - along), turns);
        Vec3 point_a = vec3_add_scaled(vec3_scale(by.normal, carries), n, 0.5 * along); // from the centre of A
        if (kind == TOUCH_PLANE_A) point_a = vec3_add_scaled(displacement, n, -0.5 * along);
        Vec3 point_b = vec3_sub(point_a, displacement);
        by.velocity_m_per_s =
            vec3_sub(vec3_cross(state->spin_b_rad_per_s, point_b), vec3_cross(state->spin_a_rad_per_s, point_a));
        LawChange change = law_change(&law, &start, &by, 0);
        losses[k] = change.loss_W;
        contact->by_displacement[k] = change.force_N;
        contact->twist_a[k] = vec3_cross(state->force_N, point_a);
        contact->twist_b[k] = vec3_cross(point_b, state->force_N);
    }
    contact->loss_displacement = vec3_make(losses[0], losses[1], losses[2]);
}

/// Derivatives at the start of a step with s = 1 / (gamma h), solved for the force.
FN_ONCE void ball_take_slopes(const BallContact *pair, real s, BallPairSlopes *slopes) {
    BallContactState state;
    state.law = law_of(pair->constants, pair->law, 0);
    state.at = ball_kinematics(pair);
    state.force_N = pair->start_force_N;
    state.spin_a_rad_per_s = pair->a.at.spin_rad_per_s;
    state.spin_b_rad_per_s = pair->b.at.spin_rad_per_s;
    state.kind = pair->plane_is_b ? TOUCH_PLANE_B : pair->plane_is_a ? TOUCH_PLANE_A : TOUCH_BALLS;
    state.apart_m = state.at.gap_m + pair->ball_a_m + pair->ball_b_m;
    state.ball_a_m = pair->ball_a_m;
    PairKinematics at = state.at;
    BallContactSlopes *contact = &slopes->contact;
    ball_take_contact_slopes(&state, contact);
    real per_s = 1.0 / s, inverse_a = pair->a.inverse_inertia.x, inverse_b = pair->b.inverse_inertia.x;
    real mass = pair->a.inverse_mass + pair->b.inverse_mass;
    real swings = inverse_a * vec3_dot(at.lever_a_m, at.lever_a_m) + inverse_b * vec3_dot(at.lever_b_m, at.lever_b_m);
    Vec3 system[3];
    slopes->displacement_per_N = mass * per_s * per_s;
    for (u32 k = 0; k < 3; k++) {
        // Velocity at the contact point by the twists, and by a unit force.
        Vec3 swung = vec3_sub(vec3_scale(vec3_cross(contact->twist_b[k], at.lever_b_m), inverse_b * per_s),
                              vec3_scale(vec3_cross(contact->twist_a[k], at.lever_a_m), inverse_a * per_s));
        contact->by_displacement[k] =
            vec3_add(contact->by_displacement[k], vec3_columns_times(contact->by_velocity, swung));
        Vec3 moved = vec3_add_scaled(vec3_scale(vec3_unit(k), mass + swings), at.normal,
                                     0.0 - swings * vec3_component(at.normal, k));
        system[k] =
            vec3_sub(vec3_add_scaled(vec3_unit(k), contact->by_displacement[k], 0.0 - slopes->displacement_per_N),
                     vec3_columns_times(contact->by_velocity, vec3_scale(moved, per_s)));
    }
    vec3_columns_divide(system, contact->by_displacement);
    vec3_columns_divide(system, contact->by_velocity);
}

/// Right-hand sides of the stage after U_1 .. U_i of a body: of its position, velocity, spin and rotation.
FN_STAGE void ball_take_sides(const BallBody *body, u32 i, real per_h, BallRate *sides) {
    const BallRate *rate = &body->rates[STAGES - 1].rate; // at the present stage
    BallRateRow mixed;
    ball_blend(body->rates + 1, RODAS_C[i], i, &mixed);
    sides->velocity = vec3_add_scaled(rate->velocity, mixed.rate.velocity, per_h);
    sides->acceleration = vec3_add_scaled(rate->acceleration, mixed.rate.acceleration, per_h);
    sides->spin_rate = vec3_add_scaled(rate->spin_rate, mixed.rate.spin_rate, per_h);
    sides->spin = vec3_add_scaled(rate->spin, mixed.rate.spin, per_h);
}

/// U of a body from its right-hand sides, the change of the force on it, and that of the torque.
FN_STAGE void ball_answer(const BallBody *body, const BallRate *sides, Vec3 force, Vec3 torque, real per_s,
                          BallRate *u) {
    u->acceleration = vec3_scale(vec3_add_scaled(sides->acceleration, force, body->inverse_mass), per_s);
    u->velocity = vec3_scale(vec3_add(sides->velocity, u->acceleration), per_s);
    u->spin_rate = vec3_scale(vec3_add_scaled(sides->spin_rate, torque, body->inverse_inertia.x), per_s);
    u->spin = vec3_scale(vec3_add(sides->spin, u->spin_rate), per_s);
}

// Solution of the equations of a contact.
typedef struct BallForce {
    Vec3 force_N; // on B
    Vec3 displacement, torque_a, torque_b;
} BallForce;

/// Solve them for the right-hand sides of both bodies.
FN_STAGE void ball_find_force(const BallPairSlopes *slopes, const BallRate *side_a, const BallRate *side_b, real per_s,
                              BallForce *found) {
    BallRate a = *side_a, b = *side_b;
    const BallContactSlopes *contact = &slopes->contact;
    Vec3 velocity = vec3_scale(vec3_sub(b.acceleration, a.acceleration), per_s);
    Vec3 displacement = vec3_scale(vec3_add(vec3_sub(b.velocity, a.velocity), velocity), per_s);
    Vec3 swung = vec3_sub(vec3_cross(b.spin_rate, contact->lever_b_m), vec3_cross(a.spin_rate, contact->lever_a_m));
    velocity = vec3_add_scaled(velocity, swung, per_s);
    Vec3 force = vec3_add(vec3_columns_times(contact->by_displacement, displacement),
                          vec3_columns_times(contact->by_velocity, velocity));
    displacement = vec3_add_scaled(displacement, force, slopes->displacement_per_N);
    found->force_N = force;
    found->displacement = displacement;
    found->torque_a =
        vec3_sub(vec3_columns_times(contact->twist_a, displacement), vec3_cross(contact->lever_a_m, force));
    found->torque_b =
        vec3_add(vec3_columns_times(contact->twist_b, displacement), vec3_cross(contact->lever_b_m, force));
}

/// U_i of both bodies; its part of impulse and loss is added. side_a, side_b: right-hand sides.
FN_STAGE void ball_solve(BallContact *pair, const BallPairSlopes *slopes, const BallRate *side_a,
                         const BallRate *side_b, u32 i, real per_s, real weight) {
    BallForce found;
    ball_find_force(slopes, side_a, side_b, per_s, &found);
    const BallContactSlopes *contact = &slopes->contact;
    Vec3 force = found.force_N, displacement = found.displacement;
    BallRate u_a, u_b;
    ball_answer(&pair->a, side_a, vec3_negate(force), found.torque_a, per_s, &u_a);
    ball_answer(&pair->b, side_b, force, found.torque_b, per_s, &u_b);
    pair->a.rates[i].rate = u_a;
    pair->b.rates[i].rate = u_b;
    Vec3 velocity = vec3_sub(u_b.acceleration, u_a.acceleration);
    velocity = vec3_add(velocity, vec3_sub(vec3_cross(u_b.spin_rate, contact->lever_b_m),
                                           vec3_cross(u_a.spin_rate, contact->lever_a_m)));
    pair->impulse_N_s = vec3_add_scaled(pair->impulse_N_s, force, weight);
    pair->loss_J =
        real_fma(vec3_dot(contact->loss_displacement, displacement) + vec3_dot(contact->loss_velocity, velocity),
                 weight, pair->loss_J);
}

/// The state at a stage from U_1 .. U_i.
FN_STAGE void ball_mix(BallBody *body, u32 i) {
    BallRateRow sum;
    if (!body->moves) return;
    ball_blend(body->rates + 1, RODAS_A[i], i, &sum);
    body->at.position_m = vec3_add(body->start.position_m, sum.rate.velocity);
    body->at.velocity_m_per_s = vec3_add(body->start.velocity_m_per_s, sum.rate.acceleration);
    body->at.spin_rad_per_s = vec3_add(body->start.spin_rad_per_s, sum.rate.spin_rate);
    body->turned = sum.rate.spin;
}

/// Evaluate the contact and the rates of both bodies at the present stage.
FN_STAGE void ball_evaluate_stage(BallContact *pair, PairKinematics *kinematics, LawForce *force) {
    LawConstants constants = pair->constants;
    ContactLaw law = pair->law;
    *kinematics = ball_kinematics(pair);
    Law numbers = law_of(constants, law, 0);
    *force = law_force(&numbers, -kinematics->gap_m, kinematics->normal, kinematics->velocity_m_per_s,
                       kinematics->spin_rad_per_s);
    if (pair->a.moves)
        ball_rate(pair, &pair->a, STAGES - 1, vec3_sub(vec3_zero(), force->force_N),
                  vec3_negate(vec3_cross(kinematics->lever_a_m, force->force_N)));
    if (pair->b.moves)
        ball_rate(pair, &pair->b, STAGES - 1, force->force_N, vec3_cross(kinematics->lever_b_m, force->force_N));
}

/// The embedded error of a body, which is U_6.
FN_SHORT void ball_keep_error(BallBody *body, real per_h) {
    BallRate error = body->rates[RODAS_STAGES].rate;
    body->rates[1].rate = error;
    body->error_velocity = vec3_max_abs(vec3_scale(error.velocity, per_h));
    body->error_acceleration = vec3_max_abs(error.acceleration);
    body->error_spin_rate = vec3_max_abs(error.spin_rate);
}

/// All stages of an implicit step of h. Its equations are solved with `solved_h`, which is at least h.
FN_ONCE void ball_try_implicitly(BallContact *pair, real h, real solved_h) {
    real s = 1.0 / (RODAS_GAMMA * solved_h), per_s = 1.0 / s, per_h = 1.0 / solved_h;
    BallPairSlopes slopes;
    BallRate a, b;
    a.velocity = a.acceleration = a.spin_rate = a.spin = vec3_zero();
    b = a;
    pair->a.at = pair->a.start;
    pair->b.at = pair->b.start;
    ball_take_slopes(pair, s, &slopes);
    pair->impulse_N_s = vec3_scale(pair->start_force_N, h * RODAS_W[0]);
    pair->loss_J = pair->start_loss_W * (h * RODAS_W[0]);
    if (pair->a.moves) a = pair->a.rates[0].rate;
    if (pair->b.moves) b = pair->b.rates[0].rate;
    for (u32 i = 1; i <= RODAS_STAGES; i++) {
        ball_solve(pair, &slopes, &a, &b, i, per_s, h * RODAS_W[i - 1]);
        ball_mix(&pair->a, i);
        ball_mix(&pair->b, i);
        if (i == RODAS_STAGES) break;
        PairKinematics kinematics;
        LawForce force;
        ball_evaluate_stage(pair, &kinematics, &force);
        pair->impulse_N_s = vec3_add_scaled(pair->impulse_N_s, force.force_N, h * RODAS_W[i]);
        pair->loss_J = real_fma(force.loss_W, h * RODAS_W[i], pair->loss_J);
        if (pair->a.moves) ball_take_sides(&pair->a, i, per_h, &a);
        if (pair->b.moves) ball_take_sides(&pair->b, i, per_h, &b);
    }
    ball_keep_error(&pair->a, per_h);
    ball_keep_error(&pair->b, per_h);
    ball_evaluate_stage(pair, &pair->kinematics, &pair->force);
}

/// Try a step of h of the two bodies of a contact, by either method, as substep_try_contacts does for other bodies.
FN_WAY void ball_contact_step(const SceneView *view, GLOBAL Contact *contact, real h, real solved_h) {
    u32 is_implicit = rodas_is_implicit(view, contact);
    BallContact pair;
    ball_load(view, contact, &pair);
    if (is_implicit)
        ball_try_implicitly(&pair, h, solved_h);
    else
        ball_try(view, &pair, h);
    ball_store_step(view, &pair, h, is_implicit);
}

#endif
