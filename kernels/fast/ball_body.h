// For each width. Balls as steps move them: states, rates, and what both methods do with those of one ball.
#ifndef CLACK_FAST_BALL_BODY_H
#define CLACK_FAST_BALL_BODY_H
#define BallRate LANE_NAME(BallRate)
#define BallRateSum LANE_NAME(BallRateSum)
#define BallState LANE_NAME(BallState)
#define BallBody LANE_NAME(BallBody)
#define ball_blend LANE_NAME(ball_blend)
#define ball_blend_fresh LANE_NAME(ball_blend_fresh)
#define ball_move LANE_NAME(ball_move)
#define ball_rate LANE_NAME(ball_rate)
#define ball_keep_error LANE_NAME(ball_keep_error)
#define ball_estimate LANE_NAME(ball_estimate)
#define ball_velocity_error LANE_NAME(ball_velocity_error)
#define ball_path LANE_NAME(ball_path)
#define ball_longest LANE_NAME(ball_longest)
#define ball_halve LANE_NAME(ball_halve)
#define ball_bound_path LANE_NAME(ball_bound_path)
#define ball_mix LANE_NAME(ball_mix)
#define ball_take_sides LANE_NAME(ball_take_sides)
#define ball_response LANE_NAME(ball_response)
#define ball_estimate_implicit LANE_NAME(ball_estimate_implicit)
#define BALL_RATE_NUMBERS 12u
#endif

typedef struct BallRate { // in a row, so that they are blended as vectors
    Vec3 velocity, acceleration, spin_rate, spin;
} BallRate;

typedef union BallRateSum {
    Lane numbers[BALL_RATE_NUMBERS];
    BallRate rate;
} BallRateSum;

typedef struct BallState {
    Vec3 position_m, velocity_m_per_s, spin_rad_per_s;
} BallState;

typedef struct BallBody {
    u32 body, moves;   // its number; in lanes all move
    Lane inverse_mass; // 0 of one that does not move
    Vec3 inverse_inertia;
    Quat orientation;       // at the start
    BallState start, at;    // at the present stage
    BallRate rates[STAGES]; // [0]: given
    // Of the step just tried:
    Vec3 turned;                                              // rotation, without the motion of its axis
    Lane error_velocity, error_acceleration, error_spin_rate; // of the mean rates, the largest component of each
    Lane path_m;                                              // bound of its path
} BallBody;

/// Sum of the first `count` rates weighted by a row of a tableau.
LANE_VECTOR_FN void ball_blend(const BallRate *rates, CONSTANT_POINTER const real *row, u32 count, BallRate *out) {
    const Lane *from = (const Lane *)rates;
    BallRateSum sum;
    Lane weight = lane_of(row[0]);
    UNROLLED for (u32 i = 0; i < BALL_RATE_NUMBERS; i++) sum.numbers[i] = from[i] * weight;
    ROLLED for (u32 j = 1; j < count; j++) {
        from += BALL_RATE_NUMBERS;
        weight = lane_of(row[j]);
        UNROLLED for (u32 i = 0; i < BALL_RATE_NUMBERS; i++) sum.numbers[i] = lane_fma(from[i], weight, sum.numbers[i]);
    }
    *out = sum.rate;
}

/// The same of rates the last of which has just been written number by number: a processor would wait if it were read
/// as a vector.
FN_SHORT void ball_blend_fresh(const BallRate *rates, CONSTANT_POINTER const real *row, u32 count, BallRate *out) {
    u32 last = LANE_WIDTH == 1 ? count - 1u : count;
    if (last > 0) ball_blend(rates, row, last, out);
    if (LANE_WIDTH > 1) return;
    const BallRate *rate = &rates[last];
    Lane weight = lane_of(row[last]);
    out->velocity =
        last == 0 ? vec3_scale(rate->velocity, weight) : vec3_add_scaled(out->velocity, rate->velocity, weight);
    out->acceleration = last == 0 ? vec3_scale(rate->acceleration, weight)
                                  : vec3_add_scaled(out->acceleration, rate->acceleration, weight);
    out->spin_rate =
        last == 0 ? vec3_scale(rate->spin_rate, weight) : vec3_add_scaled(out->spin_rate, rate->spin_rate, weight);
    out->spin = last == 0 ? vec3_scale(rate->spin, weight) : vec3_add_scaled(out->spin, rate->spin, weight);
}

/// The state at a stage of an explicit step of h: the start moved by h times a weighted sum of the rates before.
FN void ball_move(BallBody *body, u32 stage, Lane h) {
    BallRate sum;
    ball_blend_fresh(body->rates, TSIT5[stage], u32_min(stage, TABLEAU_COLUMNS), &sum);
    body->at.position_m = vec3_add_scaled(body->start.position_m, sum.velocity, h);
    body->at.velocity_m_per_s = vec3_add_scaled(body->start.velocity_m_per_s, sum.acceleration, h);
    body->at.spin_rad_per_s = vec3_add_scaled(body->start.spin_rad_per_s, sum.spin_rate, h);
    if (stage == STAGES - 1) body->turned = vec3_scale(sum.spin, h);
}

/// Its rates at the present stage, kept as those of `stage`.
FN_SHORT void ball_rate(BallBody *body, u32 stage, Vec3 gravity_m_per_s2, Vec3 force_N, Vec3 torque_N_m) {
    BallRate *rate = &body->rates[stage];
    rate->velocity = body->at.velocity_m_per_s;
    rate->spin = body->at.spin_rad_per_s;
    rate->acceleration = vec3_add_scaled(gravity_m_per_s2, force_N, body->inverse_mass);
    rate->spin_rate = vec3_multiply(torque_N_m, body->inverse_inertia);
}

FN_SHORT void ball_keep_error(BallBody *body, const BallRate *error) {
    body->error_velocity = vec3_max_abs(error->velocity);
    body->error_acceleration = vec3_max_abs(error->acceleration);
    body->error_spin_rate = vec3_max_abs(error->spin_rate);
}

/// Embedded error of an explicit step.
FN_SHORT void ball_estimate(BallBody *body) {
    BallRate error;
    ball_blend(body->rates, TSIT5_ERROR, STAGES, &error);
    ball_keep_error(body, &error);
}

/// Embedded error of an implicit step, which is U_6 and goes to rates[1].
FN_SHORT void ball_estimate_implicit(BallBody *body, Lane per_h) {
    BallRate error = body->rates[RODAS_STAGES];
    body->rates[1] = error;
    error.velocity = vec3_scale(error.velocity, per_h);
    ball_keep_error(body, &error);
}

/// The part of it that is an error of velocities, m/s. share: h of an explicit step, 1 of an implicit one.
FN_SHORT Lane ball_velocity_error(const BallBody *body, Lane share, Lane radius_m) {
    return share * body->error_acceleration + share * body->error_spin_rate * radius_m;
}

/// Bound of the path in a step of h at no more than that speed.
FN_SHORT Lane ball_path(Lane h, Lane speed_m_per_s) { return BROAD_SPARE * h * speed_m_per_s; }

/// The same of the step of h just tried.
FN_SHORT void ball_bound_path(BallBody *body, Lane h) {
    Lane start = vec3_length(body->start.velocity_m_per_s), end = vec3_length(body->at.velocity_m_per_s);
    body->path_m = ball_path(h, lane_max(start, end));
}

/// Longest step that the rotation of a ball in contact allows.
FN_SHORT Lane ball_longest(Vec3 spin_rad_per_s) {
    Lane longest = lane_of(REAL_HUGE);
    LaneMask turns = vec3_max_abs(spin_rad_per_s) > 0.0;
    if (!lane_any(turns)) return longest;
    return lane_select(turns, PLAN_ROUND_TURN_PER_STEP / vec3_length(spin_rad_per_s), longest);
}

/// A planned step of h where there are h_max left: not such that the next one would be a short remainder.
FN_SHORT Lane ball_halve(Lane h, Lane h_max) { return lane_select((h < h_max) & (2.0 * h > h_max), 0.5 * h_max, h); }

/// The state at a stage of an implicit step from U_1 .. U_i, which are rates[1] and on.
FN_STAGE void ball_mix(BallBody *body, u32 i) {
    BallRate sum;
    ball_blend(body->rates + 1, RODAS_A[i], i, &sum);
    body->at.position_m = vec3_add(body->start.position_m, sum.velocity);
    body->at.velocity_m_per_s = vec3_add(body->start.velocity_m_per_s, sum.acceleration);
    body->at.spin_rad_per_s = vec3_add(body->start.spin_rad_per_s, sum.spin_rate);
    body->turned = sum.spin;
}

/// Right-hand sides of the stage after U_1 .. U_i: of position, velocity, spin and rotation.
FN_STAGE void ball_take_sides(const BallBody *body, u32 i, Lane per_h, BallRate *sides) {
    const BallRate *rate = &body->rates[STAGES - 1]; // at the present stage
    BallRate mixed;
    ball_blend(body->rates + 1, RODAS_C[i], i, &mixed);
    sides->velocity = vec3_add_scaled(rate->velocity, mixed.velocity, per_h);
    sides->acceleration = vec3_add_scaled(rate->acceleration, mixed.acceleration, per_h);
    sides->spin_rate = vec3_add_scaled(rate->spin_rate, mixed.spin_rate, per_h);
    sides->spin = vec3_add_scaled(rate->spin, mixed.spin, per_h);
}

/// U_i from right-hand sides, the change of the force on it, and that of the torque. per_s: gamma h.
FN_STAGE void ball_response(BallBody *body, u32 i, const BallRate *sides, Vec3 force, Vec3 torque, Lane per_s) {
    BallRate *u = &body->rates[i];
    u->acceleration = vec3_scale(vec3_add_scaled(sides->acceleration, force, body->inverse_mass), per_s);
    u->velocity = vec3_scale(vec3_add(sides->velocity, u->acceleration), per_s);
    u->spin_rate = vec3_scale(vec3_add_scaled(sides->spin_rate, torque, body->inverse_inertia.x), per_s);
    u->spin = vec3_scale(vec3_add(sides->spin, u->spin_rate), per_s);
}
