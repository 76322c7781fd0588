// For each width. Explicit steps of balls, each alone on a plane that does not move: motion, kinematics and forces at
// every stage of Tsit5, with the bits of ball_try (ball_contact.h). An evaluation is a chain of operations (a dot
// product, a root, products), each of which waits for the last: side by side, one vector operation does several balls.
#ifndef CLACK_FAST_BALL_STEP_H
#define CLACK_FAST_BALL_STEP_H
#define BallEvaluation LANE_NAME(BallEvaluation)
#define BallStep LANE_NAME(BallStep)
#define ball_step_kinematics LANE_NAME(ball_step_kinematics)
#define ball_step_evaluate LANE_NAME(ball_step_evaluate)
#define ball_step_blend LANE_NAME(ball_step_blend)
#define ball_step_move LANE_NAME(ball_step_move)
#define ball_step_bound_path LANE_NAME(ball_step_bound_path)
#define ball_step_try LANE_NAME(ball_step_try)
#endif

typedef struct BallEvaluation {        // the contact at a stage
    Vec3 lever_m, lever_plane_m;       // contact point from the centres of the ball, of the plane's body
    Vec3 velocity_m_per_s;             // of B against A at the contact point,
    Vec3 spin_rad_per_s;               // and the relative spin
    Lane gap_m, error_m, rate_m_per_s; // gap, its uncertainty, its rate
    LawForce force;
} BallEvaluation;

typedef struct BallStep {
    // Of a run of steps:
    Law law;
    Vec3 up, plane_m, arm_m; // of the plane: normal, position of its body, origin from there
    Vec3 down, normal;       // unit vector from ball to plane; normal of the contact, from A to B
    Vec3 gravity_m_per_s2, inverse_inertia;
    Lane ball_m, inverse_mass;
    Lane is_a; // 1: the ball is A of the contact; 0: B
    // Of a step:
    Lane h; // its length, s
    BallState start, at;
    BallRate rates[STAGES]; // [0]: given
    Vec3 start_force_N;     // force on B at the start; given, like start_loss_W
    Lane start_loss_W;
    Vec3 turned, errors;  // errors: of the mean velocity, acceleration and spin rate, the largest component of each
    Lane path_m;          // bound of the path length
    Lane fastest_m_per_s; // largest closing speed of its stages
    Vec3 impulse_N_s;     // of the contact on B
    Lane loss_J;
} BallStep;

/// Gap, contact point and relative motion at the present stage, as kinematics_on_plane.
FN_SHORT void ball_step_kinematics(const BallStep *s, LaneMask is_a, BallEvaluation *now) {
    Vec3 centres = vec3_sub(s->plane_m, s->at.position_m), offset = vec3_add(centres, s->arm_m), none = vec3_of(0.0);
    Vec3 spin = s->at.spin_rad_per_s;
    Lane height = 0.0 - vec3_dot(offset, s->up);
    now->gap_m = height - s->ball_m;
    now->error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + s->ball_m);
    now->lever_m = vec3_scale(s->down, 0.5 * (s->ball_m + height));
    now->lever_plane_m = vec3_sub(now->lever_m, centres);
    Vec3 moving = vec3_add(s->at.velocity_m_per_s, vec3_cross(spin, now->lever_m));
    now->velocity_m_per_s = vec3_select(is_a, vec3_sub(none, moving), moving);
    now->spin_rad_per_s = vec3_select(is_a, vec3_sub(none, spin), spin);
    now->rate_m_per_s = vec3_dot(s->normal, now->velocity_m_per_s);
}

/// Evaluate the contact and the rates of the ball at the present stage.
FN_SHORT void ball_step_evaluate(BallStep *s, BallEvaluation *now, BallRate *rate) {
    LaneMask is_a = s->is_a > 0.5;
    ball_step_kinematics(s, is_a, now);
    now->force = law_force(&s->law, -now->gap_m, s->normal, now->velocity_m_per_s, now->spin_rad_per_s);
    Vec3 force = now->force.force_N, none = vec3_of(0.0);
    Vec3 torque = vec3_add(vec3_cross(now->lever_m, force), now->force.torque_N_m);
    s->fastest_m_per_s = lane_max(s->fastest_m_per_s, now->force.closing_m_per_s);
    force = vec3_select(is_a, vec3_sub(none, force), force);
    torque = vec3_select(is_a, vec3_negate(torque), torque);
    rate->velocity = s->at.velocity_m_per_s;
    rate->spin = s->at.spin_rad_per_s;
    rate->acceleration = vec3_add_scaled(s->gravity_m_per_s2, force, s->inverse_mass);
    rate->spin_rate = vec3_multiply(torque, s->inverse_inertia);
}

/// Sum of the first `count` rates weighted by a row of a tableau.
FN_SHORT BallRate ball_step_blend(const BallRate *rates, CONSTANT_POINTER const real *row, u32 count) {
    BallRate sum;
    Lane weight = lane_of(row[0]);
    sum.velocity = vec3_scale(rates->velocity, weight);
    sum.acceleration = vec3_scale(rates->acceleration, weight);
    sum.spin_rate = vec3_scale(rates->spin_rate, weight);
    sum.spin = vec3_scale(rates->spin, weight);
    for (u32 j = 1; j < count; j++) {
        weight = lane_of(row[j]);
        sum.velocity = vec3_add_scaled(sum.velocity, rates[j].velocity, weight);
        sum.acceleration = vec3_add_scaled(sum.acceleration, rates[j].acceleration, weight);
        sum.spin_rate = vec3_add_scaled(sum.spin_rate, rates[j].spin_rate, weight);
        sum.spin = vec3_add_scaled(sum.spin, rates[j].spin, weight);
    }
    return sum;
}

/// The state at a stage.
FN_SHORT void ball_step_move(BallStep *s, u32 stage) {
    BallRate sum = ball_step_blend(s->rates, TSIT5[stage], stage);
    s->at.position_m = vec3_add_scaled(s->start.position_m, sum.velocity, s->h);
    s->at.velocity_m_per_s = vec3_add_scaled(s->start.velocity_m_per_s, sum.acceleration, s->h);
    s->at.spin_rad_per_s = vec3_add_scaled(s->start.spin_rad_per_s, sum.spin_rate, s->h);
    if (stage == STAGES - 1) s->turned = vec3_scale(sum.spin, s->h);
}

/// Bound of the path of the ball in the step just tried.
FN_SHORT void ball_step_bound_path(BallStep *s) {
    Lane start = vec3_length(s->start.velocity_m_per_s), end = vec3_length(s->at.velocity_m_per_s);
    s->path_m = BROAD_SPARE * s->h * lane_max(start, end);
}

/// All stages of a step, its error, and in `now` the contact at its end.
FN_APART void ball_step_try(BallStep *s, BallEvaluation *now) {
    Lane first = s->h * TSIT5[STAGES - 1][0];
    s->impulse_N_s = vec3_scale(s->start_force_N, first);
    s->loss_J = s->start_loss_W * first;
    s->fastest_m_per_s = lane_of(0.0);
    for (u32 stage = 1; stage < STAGES; stage++) {
        ball_step_move(s, stage);
        ball_step_evaluate(s, now, &s->rates[stage]);
        if (stage == STAGES - 1) break;
        Lane weight = s->h * TSIT5[STAGES - 1][stage];
        s->impulse_N_s = vec3_add_scaled(s->impulse_N_s, now->force.force_N, weight);
        s->loss_J = lane_fma(now->force.loss_W, weight, s->loss_J);
    }
    BallRate error = ball_step_blend(s->rates, TSIT5_ERROR, STAGES);
    s->errors =
        vec3_make(vec3_max_abs(error.velocity), vec3_max_abs(error.acceleration), vec3_max_abs(error.spin_rate));
    ball_step_bound_path(s);
}
