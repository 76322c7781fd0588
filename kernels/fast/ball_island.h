// Steps of an island of a few balls that have several contacts, among themselves or with planes, in private memory.
// Explicit steps have the bits of substep.h; implicit ones are those of rodas.h to rounding: as in
// ball_step_implicit.h the unknowns are the changes of the contacts' forces, three for each, and no matrix is kept.
#ifndef CLACK_FAST_BALL_ISLAND_H
#define CLACK_FAST_BALL_ISLAND_H

#include "integrate/islands.h"
#include "integrate/rodas.h"
#include "fast/ball_contact.h"

#define BALLS_FIXED BALLS_MOST // in place of a body: one that does not move

// One of its contacts in a trial step.
typedef struct BallsContact {
    GLOBAL Contact *contact;
    u32 a, b; // which of its bodies
    BallTouch touch;
    BallState fixed;    // of a body that does not move
    BallEvaluation end; // of the step
} BallsContact;

typedef struct Balls {
    u32 bodies, touches;
    Vec3 gravity_m_per_s2;
    BallBody body[BALLS_MOST];
    BallsContact touch[BALLS_TOUCHES];
} Balls;

FN_SHORT const BallState *balls_state(const Balls *balls, const BallsContact *touch, u32 of) {
    return of == BALLS_FIXED ? &touch->fixed : &balls->body[of].at;
}

/// One of the bodies of a contact: which of the island's it is. One that has not been met before is loaded.
FN u32 balls_load_body(const SceneView *view, u32 b, Balls *balls, BallsContact *touch) {
    if (!body_moves(view, b)) {
        GLOBAL const BodyState *state = &view->states[b];
        touch->fixed.position_m = state->position_m;
        touch->fixed.velocity_m_per_s = state->velocity_m_per_s;
        touch->fixed.spin_rad_per_s = pair_spin(view, b, state);
        return BALLS_FIXED;
    }
    u32 member = view->works[b].island.member;
    BallBody *body = &balls->body[member];
    if (body->body != b) ball_load_body(view, b, body);
    balls->bodies = u32_max(balls->bodies, member + 1u);
    return member;
}

/// The island of the `at`-th active contact, the first one of it: the others come after it.
FN void balls_load(const SceneView *view, u32 at, Balls *balls) {
    u32 island = island_of(view, &view->contacts[view->active_contacts[at]]),
        count = view->works[island].island.touches;
    balls->bodies = balls->touches = 0;
    balls->gravity_m_per_s2 = view->scene->gravity_m_per_s2;
    for (u32 k = 0; k < BALLS_MOST; k++) balls->body[k].body = NONE;
    for (; balls->touches < count; at++) {
        GLOBAL Contact *contact = &view->contacts[view->active_contacts[at]];
        if (island_of(view, contact) != island) continue;
        BallsContact *touch = &balls->touch[balls->touches++];
        touch->contact = contact;
        ball_touch_load(view, contact, &touch->touch);
        u32 is_swapped = touch->touch.is_swapped > 0.5 ? 1u : 0u;
        touch->a = balls_load_body(view, is_swapped ? contact->pair.body_b : contact->pair.body_a, balls, touch);
        touch->b = balls_load_body(view, is_swapped ? contact->pair.body_a : contact->pair.body_b, balls, touch);
    }
}

/// What a step hands over begins with its start.
FN void balls_begin(Balls *balls, real weight) {
    for (u32 c = 0; c < balls->touches; c++) ball_touch_begin(&balls->touch[c].touch, weight);
}

FN_SHORT void balls_kinematics(const Balls *balls, const BallsContact *touch, BallEvaluation *now) {
    const BallState *a = balls_state(balls, touch, touch->a), *b = balls_state(balls, touch, touch->b);
    ball_touch_kinematics(&touch->touch, COPY(a->position_m), COPY(b->position_m), now);
    ball_touch_moving(a, b, now);
}

/// All contacts at the present stage, and the rates of their bodies, which go to rates[stage]. weight: of the stage in
/// what they hand over; 0: it is the end of the step.
FN void balls_evaluate(Balls *balls, u32 stage, real weight) {
    Vec3 forces[BALLS_MOST], torques[BALLS_MOST];
    for (u32 k = 0; k < balls->bodies; k++) forces[k] = torques[k] = vec3_zero();
    for (u32 c = 0; c < balls->touches; c++) {
        BallsContact *touch = &balls->touch[c];
        BallEvaluation now;
        balls_kinematics(balls, touch, &now);
        ball_touch_force(&touch->touch, &now);
        if (touch->a != BALLS_FIXED) {
            forces[touch->a] = vec3_sub(forces[touch->a], now.force.force_N);
            torques[touch->a] = vec3_sub(torques[touch->a], ball_touch_torque(&now, now.lever_a_m));
        }
        if (touch->b != BALLS_FIXED) {
            forces[touch->b] = vec3_add(forces[touch->b], now.force.force_N);
            torques[touch->b] = vec3_add(torques[touch->b], ball_touch_torque(&now, now.lever_b_m));
        }
        if (weight == 0.0)
            touch->end = now;
        else
            ball_touch_add(&touch->touch, now.force.force_N, now.force.loss_W, weight);
    }
    for (u32 k = 0; k < balls->bodies; k++)
        ball_rate(&balls->body[k], stage, COPY(balls->gravity_m_per_s2), forces[k], torques[k]);
}

/// All stages of an explicit step of h.
FN_ONCE void balls_try(Balls *balls, real h) {
    balls_begin(balls, h * TSIT5[STAGES - 1][0]);
    for (u32 stage = 1; stage < STAGES; stage++) {
        for (u32 k = 0; k < balls->bodies; k++) ball_move(&balls->body[k], stage, h);
        balls_evaluate(balls, stage, stage < STAGES - 1 ? h * TSIT5[STAGES - 1][stage] : 0.0);
    }
}

// The equations of an implicit step: f = P d + M v of each contact's force, displacement and velocity, and what these
// are but for the forces.
typedef struct BallsSystem {
    BallJacobian touch[BALLS_TOUCHES];
    real displacement_per_N[BALLS_TOUCHES][BALLS_TOUCHES]; // of B against A of one with the force of another, m/N
    Vec3 by_displacement[BALLS_TOUCHES][BALLS_TOUCHES][3]; // of the force of one with the displacement of another
    u32 is_tied[BALLS_TOUCHES][BALLS_TOUCHES];             // 1: they have a body in common
    Vec3 blocks[BALLS_TOUCHES][BALLS_TOUCHES][3];          // the matrix, by columns of each block; then its factors
    Vec3 force[BALLS_TOUCHES];                             // right-hand side, then the solution
    u32 count;
} BallsSystem;

/// Response of the velocity at contact c to contact e by the bodies that they have in common: to its displacement and,
/// as `given`, to its force. Returns whether there is one.
FN_STAGE u32 balls_take_pair(const Balls *balls, BallsSystem *system, u32 c, u32 e, real per_s, Vec3 *given) {
    const BallJacobian *of = &system->touch[c], *by = &system->touch[e];
    const BallsContact *touch_c = &balls->touch[c], *touch_e = &balls->touch[e];
    real mass = 0.0;
    u32 tied = 0;
    Vec3 swung[3], moved[3];
    // Here, not where the first body is found: see ROLLED.
    swung[0] = swung[1] = swung[2] = moved[0] = moved[1] = moved[2] = vec3_zero();
    for (u32 side = 0; side < 2; side++) { // B of c, then A
        u32 k = side == 0 ? touch_c->b : touch_c->a;
        if (k == BALLS_FIXED || (touch_e->a != k && touch_e->b != k)) continue;
        u32 is_b = touch_e->b == k ? 1u : 0u;
        const Vec3 *twist = is_b ? by->twist_b : by->twist_a;
        Vec3 lever_c = side == 0 ? of->lever_b_m : of->lever_a_m, lever_e = is_b ? by->lever_b_m : by->lever_a_m;
        real sign = (side == 0 ? 1.0 : -1.0) * (is_b ? 1.0 : -1.0);
        real turns = balls->body[k].inverse_inertia.x * per_s, signed_turns = side == 0 ? turns : 0.0 - turns;
        real levers = vec3_dot(lever_c, lever_e) * turns * sign;
        mass += sign * balls->body[k].inverse_mass;
        tied = 1;
        for (u32 i = 0; i < 3; i++) { // (lever_e x axis) x lever_c
            swung[i] = vec3_add_scaled(swung[i], vec3_cross(twist[i], lever_c), signed_turns);
            moved[i] = vec3_add_scaled(vec3_add_scaled(moved[i], vec3_unit(i), levers), lever_e,
                                       0.0 - vec3_component(lever_c, i) * turns * sign);
        }
    }
    system->is_tied[c][e] = tied;
    if (!tied) return 0;
    system->displacement_per_N[c][e] = mass * per_s * per_s;
    for (u32 i = 0; i < 3; i++) {
        Vec3 by_displacement = vec3_columns_times(of->by_velocity, swung[i]);
        system->by_displacement[c][e][i] = c == e ? vec3_add(by_displacement, of->by_displacement[i]) : by_displacement;
        given[i] = vec3_columns_times(of->by_velocity, vec3_add_scaled(moved[i], vec3_unit(i), mass * per_s));
    }
    return 1;
}

/// The block of the matrix of contacts c and e: the unit matrix less the feedback of the force through velocity and
/// displacement. given: as balls_take_pair has it.
FN_STAGE void balls_take_block(const Balls *balls, BallsSystem *system, u32 c, u32 e, const Vec3 *given) {
    Vec3 columns[3];
    for (u32 i = 0; i < 3; i++) {
        columns[i] = c == e ? vec3_unit(i) : vec3_zero();
        if (system->is_tied[c][e]) columns[i] = vec3_sub(columns[i], given[i]);
    }
    for (u32 g = 0; g < balls->touches; g++) {
        if (!(system->is_tied[c][g] & system->is_tied[g][e])) continue;
        real by = 0.0 - system->displacement_per_N[g][e];
        for (u32 i = 0; i < 3; i++) columns[i] = vec3_add_scaled(columns[i], system->by_displacement[c][g][i], by);
    }
    for (u32 i = 0; i < 3; i++) system->blocks[c][e][i] = columns[i];
}

/// Factors of the matrix in place, contact by contact: of each what is left of its own block when those before are
/// eliminated, inverted, with the other sign; right of it that times the blocks there. Nothing is exchanged: each block
/// is the unit matrix and what stiffness and friction add, as of a system of positive ones. Inverses lose digits with
/// the square of K = stiffness (gamma h)^2 / mass where contacts are redundant (a ball wedged among six planes; 57 of
/// 30,000 random systems were off by over 1e-4, by exchanging rows 6). The embedded error sees that: of 230,000
/// accepted steps of such systems the worst was off by 1.9 tolerances, all but the stiffest by less than 0.4. A
/// singular block gives numbers that are not finite, which is refused.
FN_ONCE void balls_factorise(BallsSystem *system) {
    u32 n = system->count;
    for (u32 k = 0; k < n; k++) {
        Vec3 *own = system->blocks[k][k];
        Vec3 x = vec3_cross(own[1], own[2]), y = vec3_cross(own[2], own[0]), z = vec3_cross(own[0], own[1]);
        real inverse = -1.0 / vec3_dot(own[0], x);
        own[0] = vec3_scale(vec3_make(x.x, y.x, z.x), inverse);
        own[1] = vec3_scale(vec3_make(x.y, y.y, z.y), inverse);
        own[2] = vec3_scale(vec3_make(x.z, y.z, z.z), inverse);
        for (u32 e = k + 1u; e < n; e++) {
            Vec3 *right = system->blocks[k][e];
            for (u32 i = 0; i < 3; i++) right[i] = vec3_columns_times(own, COPY(right[i]));
            for (u32 c = k + 1u; c < n; c++) {
                for (u32 i = 0; i < 3; i++)
                    system->blocks[c][e][i] =
                        vec3_columns_add(COPY(system->blocks[c][e][i]), system->blocks[c][k], COPY(right[i]));
            }
        }
    }
}

/// The solution in place of the right-hand side.
FN_ONCE void balls_divide(BallsSystem *system) {
    u32 n = system->count;
    Vec3 *x = system->force;
    for (u32 c = 0; c < n; c++) {
        Vec3 sum = x[c];
        for (u32 e = 0; e < c; e++) sum = vec3_columns_add(sum, system->blocks[c][e], COPY(x[e]));
        x[c] = vec3_columns_times(system->blocks[c][c], sum);
    }
    for (u32 c = n; c-- > 0;) {
        Vec3 sum = vec3_negate(x[c]);
        for (u32 e = c + 1u; e < n; e++) sum = vec3_columns_add(sum, system->blocks[c][e], COPY(x[e]));
        x[c] = sum;
    }
}

/// Response of a contact in the present states of its bodies.
FN_STAGE void balls_take_touch(const Balls *balls, const BallsContact *touch, BallJacobian *jacobian) {
    BallEvaluation now;
    balls_kinematics(balls, touch, &now);
    ball_touch_slopes(&touch->touch, &now, balls_state(balls, touch, touch->a), balls_state(balls, touch, touch->b),
                      jacobian);
}

/// The equations of a step with s = 1 / (gamma h), from where the bodies are.
FN_ONCE void balls_prepare(const Balls *balls, BallsSystem *system, real per_s) {
    for (u32 c = 0; c < balls->touches; c++) balls_take_touch(balls, &balls->touch[c], &system->touch[c]);
    system->count = balls->touches;
    Vec3 given[BALLS_TOUCHES][BALLS_TOUCHES][3];
    for (u32 c = 0; c < balls->touches; c++) {
        for (u32 e = 0; e < balls->touches; e++) (void)balls_take_pair(balls, system, c, e, per_s, given[c][e]);
    }
    for (u32 c = 0; c < balls->touches; c++) {
        for (u32 e = 0; e < balls->touches; e++) balls_take_block(balls, system, c, e, given[c][e]);
    }
    balls_factorise(system);
}

/// The difference of B and A of what bodies have.
FN_SHORT Vec3 balls_apart(const BallsContact *touch, const Vec3 *of) {
    Vec3 apart = touch->b == BALLS_FIXED ? vec3_zero() : of[touch->b];
    return touch->a == BALLS_FIXED ? apart : vec3_sub(apart, of[touch->a]);
}

/// What spins do to the velocity of B against A where they touch.
FN_SHORT Vec3 balls_swing(const BallsContact *touch, const BallJacobian *jacobian, const Vec3 *spins) {
    Vec3 swung = touch->b == BALLS_FIXED ? vec3_zero() : vec3_cross(spins[touch->b], jacobian->lever_b_m);
    return touch->a == BALLS_FIXED ? swung : vec3_sub(swung, vec3_cross(spins[touch->a], jacobian->lever_a_m));
}

/// The changes of forces from right-hand sides. displacements: of B against A of each contact, with them.
FN void balls_take_forces(const Balls *balls, BallsSystem *system, const BallRate *sides, real per_s,
                          Vec3 *displacements) {
    Vec3 places[BALLS_MOST], velocities[BALLS_MOST], spins[BALLS_MOST];
    for (u32 k = 0; k < balls->bodies; k++) {
        velocities[k] = vec3_scale(sides[k].acceleration, per_s);
        places[k] = vec3_scale(vec3_add(sides[k].velocity, velocities[k]), per_s);
        spins[k] = vec3_scale(sides[k].spin_rate, per_s);
    }
    for (u32 c = 0; c < balls->touches; c++) displacements[c] = balls_apart(&balls->touch[c], places);
    for (u32 c = 0; c < balls->touches; c++) {
        const BallJacobian *jacobian = &system->touch[c];
        Vec3 moved =
            vec3_add(balls_apart(&balls->touch[c], velocities), balls_swing(&balls->touch[c], jacobian, spins));
        Vec3 force = vec3_columns_times(jacobian->by_velocity, moved);
        for (u32 e = 0; e < balls->touches; e++) {
            if (system->is_tied[c][e])
                force = vec3_add(force, vec3_columns_times(system->by_displacement[c][e], COPY(displacements[e])));
        }
        system->force[c] = force;
    }
    balls_divide(system);
    for (u32 c = 0; c < balls->touches; c++) {
        for (u32 e = 0; e < balls->touches; e++)
            if (system->is_tied[c][e])
                displacements[c] =
                    vec3_add_scaled(displacements[c], system->force[e], system->displacement_per_N[c][e]);
    }
}

/// U_i of all bodies, and what contacts hand over by it.
FN_ONCE void balls_solve(Balls *balls, BallsSystem *system, const BallRate *sides, u32 i, real per_s, real weight) {
    Vec3 displacements[BALLS_TOUCHES], forces[BALLS_MOST], torques[BALLS_MOST], velocities[BALLS_MOST],
        spins[BALLS_MOST];
    balls_take_forces(balls, system, sides, per_s, displacements);
    for (u32 k = 0; k < balls->bodies; k++) forces[k] = torques[k] = vec3_zero();
    for (u32 c = 0; c < balls->touches; c++) {
        BallsContact *touch = &balls->touch[c];
        const BallJacobian *jacobian = &system->touch[c];
        Vec3 force = system->force[c];
        if (touch->a != BALLS_FIXED) {
            Vec3 torque = vec3_sub(vec3_columns_times(jacobian->twist_a, displacements[c]),
                                   vec3_cross(jacobian->lever_a_m, force));
            forces[touch->a] = vec3_sub(forces[touch->a], force);
            torques[touch->a] = vec3_add(torques[touch->a], torque);
        }
        if (touch->b != BALLS_FIXED) {
            Vec3 torque = vec3_add(vec3_columns_times(jacobian->twist_b, displacements[c]),
                                   vec3_cross(jacobian->lever_b_m, force));
            forces[touch->b] = vec3_add(forces[touch->b], force);
            torques[touch->b] = vec3_add(torques[touch->b], torque);
        }
    }
    for (u32 k = 0; k < balls->bodies; k++) {
        const BallRate *u = &balls->body[k].rates[i];
        ball_response(&balls->body[k], i, &sides[k], forces[k], torques[k], per_s);
        velocities[k] = u->acceleration;
        spins[k] = u->spin_rate;
    }
    for (u32 c = 0; c < balls->touches; c++) {
        BallsContact *touch = &balls->touch[c];
        const BallJacobian *jacobian = &system->touch[c];
        Vec3 velocity = vec3_add(balls_apart(touch, velocities), balls_swing(touch, jacobian, spins));
        real loss =
            vec3_dot(jacobian->loss_displacement, displacements[c]) + vec3_dot(jacobian->loss_velocity, velocity);
        ball_touch_add(&touch->touch, COPY(system->force[c]), loss, weight);
    }
}

/// All stages of an implicit step of h, for which equations are solved with `solved_h`, no less.
FN_ONCE void balls_try_implicitly(Balls *balls, real h, real solved_h) {
    real per_s = RODAS_GAMMA * solved_h, per_h = 1.0 / solved_h;
    BallsSystem system;
    BallRate sides[BALLS_MOST];
    balls_begin(balls, h * RODAS_W[0]);
    balls_prepare(balls, &system, per_s);
    for (u32 k = 0; k < balls->bodies; k++) sides[k] = balls->body[k].rates[0];
    for (u32 i = 1; i <= RODAS_STAGES; i++) {
        balls_solve(balls, &system, sides, i, per_s, h * RODAS_W[i - 1u]);
        for (u32 k = 0; k < balls->bodies; k++) ball_mix(&balls->body[k], i);
        if (i == RODAS_STAGES) break;
        balls_evaluate(balls, STAGES - 1, h * RODAS_W[i]);
        for (u32 k = 0; k < balls->bodies; k++) ball_take_sides(&balls->body[k], i, per_h, &sides[k]);
    }
    for (u32 k = 0; k < balls->bodies; k++) ball_estimate_implicit(&balls->body[k], per_h);
    balls_evaluate(balls, STAGES - 1, 0.0);
}

/// The island whose first contact is the `at`-th active one through a step of h: what substep_try_contacts does for
/// the others.
FN_ONCE void balls_island_step(const SceneView *view, u32 at, real h, real solved_h) {
    u32 is_implicit = rodas_is_implicit(view, &view->contacts[view->active_contacts[at]]);
    Balls balls;
    balls_load(view, at, &balls);
    if (is_implicit)
        balls_try_implicitly(&balls, h, solved_h);
    else
        balls_try(&balls, h);
    for (u32 k = 0; k < balls.bodies; k++) ball_store_step(view, &balls.body[k], h, is_implicit);
    for (u32 c = 0; c < balls.touches; c++) {
        const BallsContact *touch = &balls.touch[c];
        ball_touch_keep_step(&touch->touch, &touch->end, touch->contact);
    }
}

#endif
