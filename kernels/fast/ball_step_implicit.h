// For each width. Implicit steps of one contact of balls (ball_step.h): those of rodas.h, to rounding. The force
// depends on displacement and velocity of B relative to A at the contact point alone: so there are three equations, for
// the change of the force, instead of six for each body. Without rolling resistance.
#ifndef CLACK_FAST_BALL_STEP_IMPLICIT_H
#define CLACK_FAST_BALL_STEP_IMPLICIT_H
#define BallEquations LANE_NAME(BallEquations)
#define ball_step_prepare LANE_NAME(ball_step_prepare)
#define ball_step_solve LANE_NAME(ball_step_solve)
#define ball_step_try_implicitly LANE_NAME(ball_step_try_implicitly)
#endif

typedef struct BallEquations {
    BallJacobian jacobian;   // by_displacement, by_velocity: of what these would be without the change of the force
    Lane displacement_per_N; // displacement of B relative to A per change of the force, m/N
    Lane per_s, per_h;       // gamma h; 1/h
    BallRate side_a, side_b; // right-hand sides
} BallEquations;

/// Derivatives at the start of a step, solved for the force.
FN_ONCE void ball_step_prepare(const BallStep *s, const BallBody *a, BallEquations *e) {
    BallEvaluation now;
    BallJacobian *jacobian = &e->jacobian;
    ball_step_kinematics(s, a, &now);
    ball_touch_slopes(&s->touch, &now, BALL_BOTH ? &a->at : 0, &s->ball.at, jacobian);
    Lane per_s = e->per_s, mass = s->ball.inverse_mass, turns = s->ball.inverse_inertia.x;
    Lane swings = turns * vec3_dot(now.lever_b_m, now.lever_b_m), turns_a = lane_of(0.0);
    if (BALL_BOTH) {
        turns_a = a->inverse_inertia.x;
        mass = mass + a->inverse_mass;
        swings = swings + turns_a * vec3_dot(now.lever_a_m, now.lever_a_m);
    }
    Vec3 system[3];
    e->displacement_per_N = mass * per_s * per_s;
    for (u32 k = 0; k < 3; k++) {
        // Velocity at the contact point by the twists, and by a unit force.
        Vec3 swung = vec3_scale(vec3_cross(jacobian->twist_b[k], now.lever_b_m), turns * per_s), unit = vec3_unit(k);
        if (BALL_BOTH)
            swung = vec3_sub(swung, vec3_scale(vec3_cross(jacobian->twist_a[k], now.lever_a_m), turns_a * per_s));
        jacobian->by_displacement[k] =
            vec3_add(jacobian->by_displacement[k], vec3_columns_times(jacobian->by_velocity, swung));
        Vec3 moved =
            vec3_add_scaled(vec3_scale(unit, mass + swings), now.normal, 0.0 - swings * vec3_component(now.normal, k));
        Vec3 kept = vec3_add_scaled(unit, jacobian->by_displacement[k], 0.0 - e->displacement_per_N);
        system[k] = vec3_sub(kept, vec3_columns_times(jacobian->by_velocity, vec3_scale(moved, per_s)));
    }
    vec3_columns_divide(system, jacobian->by_displacement);
    vec3_columns_divide(system, jacobian->by_velocity);
}

/// U_i of both bodies from right-hand sides; what the contact hands over by it is added.
FN_STAGE void ball_step_solve(BallStep *s, BallBody *a, const BallEquations *e, u32 i, Lane weight) {
    const BallJacobian *jacobian = &e->jacobian;
    const BallRate *side_a = &e->side_a, *side_b = &e->side_b, *u_b = &s->ball.rates[i];
    Lane per_s = e->per_s;
    Vec3 acceleration = side_b->acceleration, moving = side_b->velocity;
    Vec3 swung = vec3_cross(side_b->spin_rate, jacobian->lever_b_m);
    if (BALL_BOTH) {
        acceleration = vec3_sub(acceleration, side_a->acceleration);
        moving = vec3_sub(moving, side_a->velocity);
        swung = vec3_sub(swung, vec3_cross(side_a->spin_rate, jacobian->lever_a_m));
    }
    Vec3 velocity = vec3_scale(acceleration, per_s), displacement = vec3_scale(vec3_add(moving, velocity), per_s);
    velocity = vec3_add_scaled(velocity, swung, per_s);
    Vec3 force = vec3_add(vec3_columns_times(jacobian->by_displacement, displacement),
                          vec3_columns_times(jacobian->by_velocity, velocity));
    displacement = vec3_add_scaled(displacement, force, e->displacement_per_N);
    Vec3 torque = vec3_add(vec3_columns_times(jacobian->twist_b, displacement), vec3_cross(jacobian->lever_b_m, force));
    ball_response(&s->ball, i, side_b, force, torque, per_s);
    velocity = u_b->acceleration;
    swung = vec3_cross(u_b->spin_rate, jacobian->lever_b_m);
    if (BALL_BOTH) {
        const BallRate *u_a = &a->rates[i];
        torque = vec3_sub(vec3_columns_times(jacobian->twist_a, displacement), vec3_cross(jacobian->lever_a_m, force));
        ball_response(a, i, side_a, vec3_negate(force), torque, per_s);
        velocity = vec3_sub(velocity, u_a->acceleration);
        swung = vec3_sub(swung, vec3_cross(u_a->spin_rate, jacobian->lever_a_m));
    }
    velocity = vec3_add(velocity, swung);
    Lane loss = vec3_dot(jacobian->loss_displacement, displacement) + vec3_dot(jacobian->loss_velocity, velocity);
    ball_touch_add(&s->touch, force, loss, weight);
}

/// All stages of a step, and in `now` the contact at its end. Equations are solved with solved_s, at least the length
/// of the step. Errors are kept.
FN_APART void ball_step_try_implicitly(BallStep *s, BallBody *a, Lane solved_s, BallEvaluation *now) {
    BallEquations e;
    u32 a_moves = BALL_BOTH ? a->moves : 0u, b_moves = ball_step_moves(s);
    e.per_s = 1.0 / (1.0 / (RODAS_GAMMA * solved_s));
    e.per_h = 1.0 / solved_s;
    e.side_a.velocity = e.side_a.acceleration = e.side_a.spin_rate = e.side_a.spin = vec3_of(0.0);
    e.side_b = e.side_a;
    s->fastest_m_per_s = lane_of(0.0);
    s->ball.at = s->ball.start;
    if (BALL_BOTH) a->at = a->start;
    ball_step_prepare(s, a, &e);
    ball_touch_begin(&s->touch, s->h * RODAS_W[0]);
    if (a_moves) e.side_a = a->rates[0];
    if (b_moves) e.side_b = s->ball.rates[0];
    for (u32 i = 1; i <= RODAS_STAGES; i++) {
        ball_step_solve(s, a, &e, i, s->h * RODAS_W[i - 1u]);
        if (a_moves) ball_mix(a, i);
        if (b_moves) ball_mix(&s->ball, i);
        if (i == RODAS_STAGES) break;
        ball_step_evaluate(s, a, STAGES - 1, now);
        ball_touch_add(&s->touch, COPY(now->force.force_N), now->force.loss_W, s->h * RODAS_W[i]);
        if (a_moves) ball_take_sides(a, i, e.per_h, &e.side_a);
        if (b_moves) ball_take_sides(&s->ball, i, e.per_h, &e.side_b);
    }
    if (a_moves) ball_estimate_implicit(a, e.per_h);
    if (b_moves) ball_estimate_implicit(&s->ball, e.per_h);
    ball_step_evaluate(s, a, STAGES - 1, now); // its rates take the place of U_6
}
