// For each width. Implicit steps of balls, each alone on a plane that does not move: Rodas4 (rodas.h) with three
// equations, for the change of the contact's force, as in ball_contact_implicit.h, whose terms of the plane's body are
// zero here. Without rolling resistance. Forces and motions are those of the ball; the normal `up` leaves the plane.
#ifndef CLACK_FAST_BALL_STEP_IMPLICIT_H
#define CLACK_FAST_BALL_STEP_IMPLICIT_H
#define BallSlopes LANE_NAME(BallSlopes)
#define ball_step_point LANE_NAME(ball_step_point)
#define ball_step_take_contact LANE_NAME(ball_step_take_contact)
#define ball_step_take_slopes LANE_NAME(ball_step_take_slopes)
#define ball_step_solve LANE_NAME(ball_step_solve)
#define ball_step_mix LANE_NAME(ball_step_mix)
#define ball_step_sides LANE_NAME(ball_step_sides)
#define ball_step_try_implicitly LANE_NAME(ball_step_try_implicitly)
#endif

// Derivatives of the contact at the start of a step: columns of 3 x 3 matrices.
typedef struct BallSlopes {
    Vec3 lever_m;
    Vec3 by_displacement[3],
        by_velocity[3]; // d(force)/d(displacement) and /d(velocity), without its own effect on these
    Vec3 twist[3];      // change of the present force's torque, as the contact point moves
    Vec3 loss_displacement, loss_velocity;
    Lane displacement_per_N; // displacement per change of the force, m/N
} BallSlopes;

/// Change of the contact point relative to the ball's centre, per displacement of the ball along axis k.
FN_SHORT Vec3 ball_step_point(const BallStep *s, LaneMask is_a, u32 k) {
    Lane middle = 0.5 * vec3_component(s->up, k);
    Vec3 unit = vec3_unit(k);
    Vec3 of_b = vec3_sub(vec3_add_scaled(unit, s->up, 0.0 - middle), unit); // rounded as in ball_take_contact_slopes
    return vec3_select(is_a, vec3_negate(vec3_scale(s->up, middle)), of_b);
}

/// Changes of the force and its loss with velocity and displacement along each axis, at the start.
FN_SHORT void ball_step_take_contact(const BallStep *s, LaneMask is_a, const LawMotion *at, BallSlopes *slopes) {
    LawSlopes law = law_slopes(&s->law, at);
    LawMotion by;
    Vec3 force = vec3_select(is_a, vec3_negate(s->start_force_N), s->start_force_N);
    Lane losses[3];
    by.gap_m = lane_of(0.0);
    by.normal = by.spin_rad_per_s = vec3_of(0.0);
    for (u32 k = 0; k < 3; k++) {
        by.velocity_m_per_s = vec3_unit(k);
        LawChange change = law_change(&law, at, &by, 0);
        slopes->by_velocity[k] = change.force_N;
        losses[k] = change.loss_W;
    }
    slopes->loss_velocity = vec3_make(losses[0], losses[1], losses[2]);
    for (u32 k = 0; k < 3; k++) {
        Vec3 point = ball_step_point(s, is_a, k);
        by.gap_m = vec3_component(s->up, k);
        by.velocity_m_per_s = vec3_cross(at->spin_rad_per_s, point);
        LawChange change = law_change(&law, at, &by, 0);
        slopes->by_displacement[k] = change.force_N;
        slopes->twist[k] = vec3_cross(point, force);
        losses[k] = change.loss_W;
    }
    slopes->loss_displacement = vec3_make(losses[0], losses[1], losses[2]);
}

/// Derivatives at the start of a step with s = 1 / (gamma h), solved for the force, as ball_take_slopes.
FN_APART void ball_step_take_slopes(const BallStep *s, LaneMask is_a, Lane per_s, BallSlopes *slopes) {
    BallEvaluation now;
    LawMotion at;
    ball_step_kinematics(s, is_a, &now);
    at.gap_m = now.gap_m;
    at.normal = s->up;
    at.velocity_m_per_s = vec3_select(is_a, vec3_negate(now.velocity_m_per_s), now.velocity_m_per_s);
    at.spin_rad_per_s = s->at.spin_rad_per_s;
    ball_step_take_contact(s, is_a, &at, slopes);
    slopes->lever_m = now.lever_m;
    Lane inverse = s->inverse_inertia.x, mass = s->inverse_mass, turns = inverse * per_s;
    Lane swings = inverse * vec3_dot(now.lever_m, now.lever_m);
    Vec3 system[3];
    slopes->displacement_per_N = mass * per_s * per_s;
    for (u32 k = 0; k < 3; k++) {
        // Velocity at the contact point by the twists, and by a unit force.
        Vec3 swung = vec3_scale(vec3_cross(slopes->twist[k], now.lever_m), turns), unit = vec3_unit(k);
        slopes->by_displacement[k] =
            vec3_add(slopes->by_displacement[k], vec3_columns_times(slopes->by_velocity, swung));
        Vec3 moved = vec3_scale(unit, mass + swings);
        moved = vec3_add_scaled(moved, s->up, 0.0 - swings * vec3_component(s->up, k));
        Vec3 kept = vec3_add_scaled(unit, slopes->by_displacement[k], 0.0 - slopes->displacement_per_N);
        system[k] = vec3_sub(kept, vec3_columns_times(slopes->by_velocity, vec3_scale(moved, per_s)));
    }
    vec3_columns_divide(system, slopes->by_displacement);
    vec3_columns_divide(system, slopes->by_velocity);
}

/// U_i from right-hand sides; its part of impulse and loss is added to those of the step.
FN_SHORT void ball_step_solve(BallStep *s, const BallSlopes *slopes, const BallRate *sides, BallRate *u, Lane per_s,
                              Lane weight) {
    Vec3 velocity = vec3_scale(sides->acceleration, per_s), lever = slopes->lever_m;
    Vec3 displacement = vec3_scale(vec3_add(sides->velocity, velocity), per_s);
    velocity = vec3_add_scaled(velocity, vec3_cross(sides->spin_rate, lever), per_s);
    Vec3 force = vec3_add(vec3_columns_times(slopes->by_displacement, displacement),
                          vec3_columns_times(slopes->by_velocity, velocity));
    displacement = vec3_add_scaled(displacement, force, slopes->displacement_per_N);
    Vec3 torque = vec3_add(vec3_columns_times(slopes->twist, displacement), vec3_cross(lever, force));
    u->acceleration = vec3_scale(vec3_add_scaled(sides->acceleration, force, s->inverse_mass), per_s);
    u->velocity = vec3_scale(vec3_add(sides->velocity, u->acceleration), per_s);
    u->spin_rate = vec3_scale(vec3_add_scaled(sides->spin_rate, torque, s->inverse_inertia.x), per_s);
    u->spin = vec3_scale(vec3_add(sides->spin, u->spin_rate), per_s);
    velocity = vec3_add(u->acceleration, vec3_cross(u->spin_rate, lever));
    s->impulse_N_s = vec3_add_scaled(s->impulse_N_s, force, weight);
    s->loss_J = lane_fma(vec3_dot(slopes->loss_displacement, displacement) + vec3_dot(slopes->loss_velocity, velocity),
                         weight, s->loss_J);
}

/// The state at a stage from U_1 .. U_i.
FN_SHORT void ball_step_mix(BallStep *s, u32 i) {
    BallRate sum = ball_step_blend(s->rates + 1, RODAS_A[i], i);
    s->at.position_m = vec3_add(s->start.position_m, sum.velocity);
    s->at.velocity_m_per_s = vec3_add(s->start.velocity_m_per_s, sum.acceleration);
    s->at.spin_rad_per_s = vec3_add(s->start.spin_rad_per_s, sum.spin_rate);
    s->turned = sum.spin;
}

/// Right-hand sides of the stage after U_1 .. U_i. rate: at the present stage.
FN_SHORT BallRate ball_step_sides(const BallStep *s, const BallRate *rate, u32 i, Lane per_h) {
    BallRate mixed = ball_step_blend(s->rates + 1, RODAS_C[i], i), sides;
    sides.velocity = vec3_add_scaled(rate->velocity, mixed.velocity, per_h);
    sides.acceleration = vec3_add_scaled(rate->acceleration, mixed.acceleration, per_h);
    sides.spin_rate = vec3_add_scaled(rate->spin_rate, mixed.spin_rate, per_h);
    sides.spin = vec3_add_scaled(rate->spin, mixed.spin, per_h);
    return sides;
}

/// As ball_step_try, by Rodas4. Equations are solved with solved_s, at least the length of the step. rates[1]: the
/// error, which is U_6.
FN_APART void ball_step_try_implicitly(BallStep *s, Lane solved_s, BallEvaluation *now) {
    LaneMask is_a = s->is_a > 0.5;
    Lane per_s = 1.0 / (1.0 / (RODAS_GAMMA * solved_s)), per_h = 1.0 / solved_s, first = s->h * RODAS_W[0];
    BallSlopes slopes;
    BallRate sides = s->rates[0], rate;
    s->fastest_m_per_s = lane_of(0.0);
    s->at = s->start;
    ball_step_take_slopes(s, is_a, per_s, &slopes);
    s->impulse_N_s = vec3_scale(vec3_select(is_a, vec3_negate(s->start_force_N), s->start_force_N), first);
    s->loss_J = s->start_loss_W * first;
    for (u32 i = 1; i <= RODAS_STAGES; i++) {
        ball_step_solve(s, &slopes, &sides, &s->rates[i], per_s, s->h * RODAS_W[i - 1u]);
        ball_step_mix(s, i);
        if (i == RODAS_STAGES) break;
        ball_step_evaluate(s, now, &rate);
        Lane weight = s->h * RODAS_W[i];
        Vec3 force = vec3_select(is_a, vec3_negate(now->force.force_N), now->force.force_N);
        s->impulse_N_s = vec3_add_scaled(s->impulse_N_s, force, weight);
        s->loss_J = lane_fma(now->force.loss_W, weight, s->loss_J);
        sides = ball_step_sides(s, &rate, i, per_h);
    }
    s->impulse_N_s = vec3_select(is_a, vec3_negate(s->impulse_N_s), s->impulse_N_s);
    s->rates[1] = s->rates[RODAS_STAGES];
    s->errors = vec3_make(vec3_max_abs(vec3_scale(s->rates[1].velocity, per_h)), vec3_max_abs(s->rates[1].acceleration),
                          vec3_max_abs(s->rates[1].spin_rate));
    ball_step_evaluate(s, now, &s->rates[STAGES - 1]);
    ball_step_bound_path(s);
}
