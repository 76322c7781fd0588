// For each width. Explicit steps of one contact of balls (ball_touch.h) whose bodies have no other: motion, kinematics
// and forces at every stage of Tsit5. An evaluation is a chain of operations (a dot product, a root, products), each of
// which waits for the last: in lanes, one vector operation does several contacts.
#ifndef CLACK_FAST_BALL_STEP_H
#define CLACK_FAST_BALL_STEP_H
#define BallStep LANE_NAME(BallStep)
#define ball_step_moves LANE_NAME(ball_step_moves)
#define ball_step_kinematics LANE_NAME(ball_step_kinematics)
#define ball_step_evaluate LANE_NAME(ball_step_evaluate)
#define ball_step_try LANE_NAME(ball_step_try)
#define ball_step_estimate LANE_NAME(ball_step_estimate)
#endif

typedef struct BallStep {
    BallTouch touch;
    BallBody ball; // B; A is handed over beside this, but for lanes
    Vec3 gravity_m_per_s2;
    Lane h;               // length of the step, s
    Lane fastest_m_per_s; // in lanes: largest closing speed of its stages
#if LANE_WIDTH == 1
    BallSolid solid; // A of TOUCH_SOLID
#endif
} BallStep;

/// Does B move?
FN_SHORT u32 ball_step_moves(const BallStep *s) { return BALL_BOTH ? s->ball.moves : 1u; }

/// Gap, contact point and relative motion at the present stage. a: A; 0 in lanes.
FN_SHORT void ball_step_kinematics(const BallStep *s, const BallBody *a, BallEvaluation *now) {
    Vec3 a_m = BALL_BOTH ? a->at.position_m : s->touch.plane_m, b_m = s->ball.at.position_m;
#if LANE_WIDTH == 1
    if (HAS(CONTENT_SOLIDS) && s->touch.kind == TOUCH_SOLID)
        ball_solid_kinematics(&s->solid, vec3_sub(b_m, a_m), now);
    else
#endif
        ball_touch_kinematics(&s->touch, a_m, b_m, now);
    ball_touch_moving(BALL_BOTH ? &a->at : 0, &s->ball.at, now);
}

/// Evaluate the contact at the present stage, and the rates of its bodies, which are kept as those of `stage`.
FN_SHORT void ball_step_evaluate(BallStep *s, BallBody *a, u32 stage, BallEvaluation *now) {
    ball_step_kinematics(s, a, now);
    ball_touch_force(&s->touch, now);
    Vec3 force = now->force.force_N;
    if (!BALL_BOTH) s->fastest_m_per_s = lane_max(s->fastest_m_per_s, now->force.closing_m_per_s);
    if (BALL_BOTH && a->moves)
        ball_rate(a, stage, COPY(s->gravity_m_per_s2), vec3_negate(force),
                  vec3_negate(ball_touch_torque(now, COPY(now->lever_a_m))));
    if (ball_step_moves(s))
        ball_rate(&s->ball, stage, COPY(s->gravity_m_per_s2), force, ball_touch_torque(now, COPY(now->lever_b_m)));
}

/// All stages of a step, and in `now` the contact at its end.
FN_APART void ball_step_try(BallStep *s, BallBody *a, BallEvaluation *now) {
    ball_touch_begin(&s->touch, s->h * TSIT5[STAGES - 1][0]);
    s->fastest_m_per_s = lane_of(0.0);
    for (u32 stage = 1; stage < STAGES; stage++) {
        if (BALL_BOTH && a->moves) ball_move(a, stage, s->h);
        if (ball_step_moves(s)) ball_move(&s->ball, stage, s->h);
        ball_step_evaluate(s, a, stage, now);
        if (stage == STAGES - 1) break;
        ball_touch_add(&s->touch, COPY(now->force.force_N), now->force.loss_W, s->h * TSIT5[STAGES - 1][stage]);
    }
}

/// Errors of the step just tried, and bounds of paths.
FN_SHORT void ball_step_estimate(BallStep *s, BallBody *a, u32 is_implicit) {
    if (BALL_BOTH && a->moves) {
        if (!is_implicit) ball_estimate(a);
        ball_bound_path(a, s->h);
    }
    if (ball_step_moves(s)) {
        if (!is_implicit) ball_estimate(&s->ball);
        ball_bound_path(&s->ball, s->h);
    }
}
