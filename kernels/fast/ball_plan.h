// For each width. The plan of the next step of balls on planes after one that has been tried, should that be taken: of
// balls without rolling resistance. plan_contact (step_plan.h) would find the same limits.
#ifndef CLACK_FAST_BALL_PLAN_H
#define CLACK_FAST_BALL_PLAN_H
#define BallPlan LANE_NAME(BallPlan)
#define ball_plan_needs_contact LANE_NAME(ball_plan_needs_contact)
#define ball_plan_step LANE_NAME(ball_plan_step)
#endif

typedef struct BallPlan {
    // Of a run of steps:
    Lane graded_steps, gravity_bound, damping_limit;
    Lane fine_square;        // from which square of the speed on friction is fine: plan_fine_square
    Lane inertia_bound;      // largest inverse moment
    StepLimits next;         // of the next step
    Lane needs_plan_contact; // 1: that takes plan_contact itself
} BallPlan;

/// Is plan_contact needed: a contact without slip that may not stay so, one that plan_step_to_sticking holds back, or
/// one of another law than Hertz's? May be conservative. relative: acceleration of B against A.
FN_SHORT Lane ball_plan_needs_contact(const BallStep *b, const BallEvaluation *now, const BallPlan *plan, Vec3 relative,
                                      Lane closing) {
    const BallBody *ball = &b->ball;
    Vec3 across = vec3_add_scaled(relative, now->normal, closing), velocity = ball->at.velocity_m_per_s;
    Lane turns = vec3_max_abs(ball->at.spin_rad_per_s), twists = vec3_max_abs(ball->rates[STAGES - 1].spin_rate);
    Lane moves = vec3_max_abs(across) + turns + twists, none = lane_of(0.0);
    LaneMask holds = (now->force.slip_m_per_s == 0.0) & (b->touch.law.friction > 0.0);
    LaneMask is_other = b->touch.law.normal_law > (real)NORMAL_HERTZ;
    return lane_select((vec3_dot(velocity, velocity) >= plan->fine_square) | is_other, lane_of(1.0),
                       lane_select(holds, moves, none));
}

/// After ball_step_try. now: its last evaluation.
FN_APART void ball_plan_step(const BallStep *b, const BallEvaluation *now, BallPlan *plan) {
    const LawForce *force = &now->force;
    const LawNumbers *law = &b->touch.law;
    const BallBody *ball = &b->ball;
    LaneMask is_swapped = b->touch.is_swapped > 0.5;
    Vec3 relative = ball->rates[STAGES - 1].acceleration, centres = vec3_sub(b->touch.plane_m, ball->at.position_m);
    // Of a ball that is A of its contact as contact_effective_masses finds it again.
    Vec3 lever = vec3_select(is_swapped, vec3_add(now->lever_a_m, centres), now->lever_b_m);
    Vec3 arm = vec3_cross(lever, now->normal);
    OverlapPlan o;
    o.graded_steps = plan->graded_steps;
    o.closing_m_per_s = force->closing_m_per_s;
    o.closing_m_per_s2 = 0.0 - vec3_dot(now->normal, relative);
    o.slip_m_per_s = force->slip_m_per_s;
    o.normal_N = force->normal_N;
    o.inverse_mass = ball->inverse_mass + vec3_dot(arm, vec3_multiply(ball->inverse_inertia, arm));
    o.inverse_mass_across = ball->inverse_mass + vec3_dot(lever, lever) * plan->inertia_bound;
    plan->needs_plan_contact = ball_plan_needs_contact(b, now, plan, relative, o.closing_m_per_s2);
    o.slips = (o.slip_m_per_s > 0.0) | (plan->needs_plan_contact > 0.0);
    overlap_scales(&o, law, now->gap_m, plan->gravity_bound);
    overlap_grade_step(&o);
    overlap_limits(&o, lane_of(REAL_HUGE), overlap_friction_rate(&o, law));
    o.step.controlled = lane_select(overlap_is_safe(&o, law, plan->damping_limit), lane_of(0.0), lane_of(1.0));
    o.step.noise =
        overlap_noise(o.stiffness, vec3_select(is_swapped, b->touch.plane_m, ball->at.position_m), now->error_m);
    plan->next = o.step;
}
