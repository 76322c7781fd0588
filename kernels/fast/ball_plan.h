// For each width. The plan of the next step of balls on planes after one that has been tried, should that be taken:
// what plan_contact (step_plan.h) makes of its end, bit for bit. Of balls without rolling resistance.
#ifndef CLACK_FAST_BALL_PLAN_H
#define CLACK_FAST_BALL_PLAN_H
#define BallPlan LANE_NAME(BallPlan)
#define ball_plan_needs_contact LANE_NAME(ball_plan_needs_contact)
#define ball_plan_friction LANE_NAME(ball_plan_friction)
#define ball_plan_step LANE_NAME(ball_plan_step)
#endif

typedef struct BallPlan {
    // Of a run of steps:
    Lane graded_steps, gravity_bound, damping_limit;
    Lane fine_square;   // from which square of the speed on friction is fine: plan_fine_square
    Lane inertia_bound; // largest inverse moment
    // Of the next step:
    Lane graded_s, stable_s, stiff_s, leave_s, controlled, noise;
    Lane needs_plan_contact; // 1: plan_contact itself is needed
} BallPlan;

/// Is plan_contact needed: a contact without slip that may not stay so, one that plan_step_to_sticking holds back, or
/// one of another law than Hertz's? May be conservative. relative: acceleration of B against A.
FN_SHORT Lane ball_plan_needs_contact(const BallStep *b, const BallEvaluation *now, const BallPlan *plan, Vec3 relative,
                                      Lane closing) {
    const BallBody *ball = &b->ball;
    Vec3 pull = vec3_add_scaled(relative, now->normal, closing), velocity = ball->at.velocity_m_per_s;
    Lane turns = vec3_max_abs(ball->at.spin_rad_per_s), twists = vec3_max_abs(ball->rates[STAGES - 1].spin_rate);
    Lane moves = vec3_max_abs(pull) + turns + twists, none = lane_of(0.0);
    LaneMask holds = (now->force.slip_m_per_s == 0.0) & (b->touch.law.friction > 0.0);
    LaneMask is_other = b->touch.law.normal_law > (real)NORMAL_HERTZ;
    return lane_select((vec3_dot(velocity, velocity) >= plan->fine_square) | is_other, lane_of(1.0),
                       lane_select(holds, moves, none));
}

/// Rate of the response of friction, 1/s: that of plan_friction. across: largest inverse effective mass across the
/// normal.
FN_SHORT Lane ball_plan_friction(const LawNumbers *law, const LawForce *force, Lane across) {
    Lane rate = lane_of(0.0), slip = force->slip_m_per_s;
    LaneMask slides = slip > 0.0;
    if (!lane_any(slides)) return rate;
    return lane_select(
        slides, law->friction * force->normal_N * across / law_regularised(slip, law->speed_small_m_per_s), rate);
}

/// After ball_step_try. now: its last evaluation.
FN_APART void ball_plan_step(const BallStep *b, const BallEvaluation *now, BallPlan *plan) {
    const LawForce *force = &now->force;
    const LawNumbers *law = &b->touch.law;
    const BallBody *ball = &b->ball;
    LaneMask is_swapped = b->touch.is_swapped > 0.5;
    Lane u = force->closing_m_per_s, slip = force->slip_m_per_s, friction = law->friction;
    Lane none = lane_of(0.0), never = lane_of(REAL_HUGE);
    Vec3 relative = ball->rates[STAGES - 1].acceleration, centres = vec3_sub(b->touch.plane_m, ball->at.position_m);
    // Of a ball that is A of its contact as contact_effective_masses finds it again.
    Vec3 lever = vec3_select(is_swapped, vec3_add(now->lever_a_m, centres), now->lever_b_m);
    Vec3 arm = vec3_cross(lever, now->normal);
    Lane across = ball->inverse_mass + vec3_dot(lever, lever) * plan->inertia_bound;
    Lane weight = ball->inverse_mass + vec3_dot(arm, vec3_multiply(ball->inverse_inertia, arm));
    OverlapPlan o;
    o.graded_steps = plan->graded_steps;
    o.depth_m = lane_max(-now->gap_m, none);
    o.root = lane_sqrt(o.depth_m);
    o.closing_m_per_s = u;
    o.closing_m_per_s2 = 0.0 - vec3_dot(now->normal, relative);
    o.damping_s_per_m = law->damping_s_per_m;
    o.stiffness_per_mass = weight * law->stiffness;
    o.pull_m_per_s2 = lane_max(plan->gravity_bound, lane_abs(weight * force->normal_N + o.closing_m_per_s2));
    o.is_even = o.damping_s_per_m == 0.0;
    plan->needs_plan_contact = ball_plan_needs_contact(b, now, plan, relative, o.closing_m_per_s2);
    overlap_grade_step(&o);
    overlap_limits(&o, lane_max(ball_plan_friction(law, force, across), none));
    Lane h = lane_min(o.graded_s, never / o.graded_steps), reach = o.root + o.root_step;
    Lane most_N = law->stiffness * reach * reach * reach * (1.0 + o.damping_s_per_m * lane_abs(u));
    LaneMask slides = slip - 1.5 * h * friction * most_N * across > law->speed_small_m_per_s, is_still = slip == 0.0;
    LaneMask is_safe =
        (slides & lane_not(is_still)) | (is_still & lane_not(plan->needs_plan_contact > 0.0)) | (friction == 0.0);
    is_safe = is_safe & o.is_impact & (h * o.damping_rate <= plan->damping_limit);
    is_safe = is_safe & lane_not(u + h * o.closing_m_per_s2 > law->strike_m_per_s);
    plan->stiff_s = o.stiff_s;
    plan->stable_s = o.stable_s;
    plan->leave_s = o.leave_s;
    plan->controlled = lane_select(is_safe, none, lane_of(1.0));
    Vec3 place = vec3_select(is_swapped, b->touch.plane_m, ball->at.position_m);
    plan->noise = o.stiffness * 10.0 * lane_max(REAL_EPSILON * vec3_max_abs(place), now->error_m);
    plan->graded_s = h;
}
