// For each width. The plan of the next step of balls on planes after one that has been tried, should that be taken:
// what plan_contact (step_plan.h) makes of its end, bit for bit. Of balls without rolling resistance.
#ifndef CLACK_FAST_BALL_PLAN_H
#define CLACK_FAST_BALL_PLAN_H
#define BallPlan LANE_NAME(BallPlan)
#define BallOverlap LANE_NAME(BallOverlap)
#define ball_plan_root LANE_NAME(ball_plan_root)
#define ball_plan_asks LANE_NAME(ball_plan_asks)
#define ball_plan_to_peak LANE_NAME(ball_plan_to_peak)
#define ball_plan_overlap LANE_NAME(ball_plan_overlap)
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
    Lane asks; // 1: plan_contact itself has to tell
} BallPlan;

// An overlap as plan_contact has it: root of the depth, of that the n-th part of the largest, how far the root may go,
// stiffness by mass, what of the closing acceleration is not the contact's own doing, and that.
typedef struct BallOverlap {
    Lane depth_m, s, ds, way, wk, pull, closing_m_per_s2;
} BallOverlap;

FN_SHORT Lane ball_plan_root(Lane x, u32 n) { LANE_ONE_BY_ONE(plan_real_root(LANE_AT(x, k), n)); }

/// Does it want a plan of its own: a contact without slip that may not stay so, or one that plan_halt holds back? More
/// may ask than plan_contact treats in another way. relative: acceleration of B against A.
FN_SHORT Lane ball_plan_asks(const BallStep *b, const BallEvaluation *now, const BallPlan *plan, Vec3 relative,
                             Lane closing) {
    Vec3 pull = vec3_add_scaled(relative, b->normal, closing), velocity = b->at.velocity_m_per_s;
    Lane turns = vec3_max_abs(b->at.spin_rad_per_s), twists = vec3_max_abs(b->rates[STAGES - 1].spin_rate);
    Lane stirs = vec3_max_abs(pull) + turns + twists, none = lane_of(0.0);
    LaneMask holds = (now->force.slip_m_per_s == 0.0) & (b->law.friction > 0.0);
    return lane_select(vec3_dot(velocity, velocity) >= plan->fine_square, lane_of(1.0),
                       lane_select(holds, stirs, none));
}

/// plan_to_peak
FN_SHORT Lane ball_plan_to_peak(Lane h, Lane u, Lane closing, Lane jerk) {
    Lane square = closing * closing - 2.0 * u * jerk;
    LaneMask comes = (closing < 0.0) & (square > 0.0);
    if (!lane_any(comes)) return h;
    Lane peak = 2.0 * u / (lane_sqrt(square) - closing);
    comes = comes & (peak > PLAN_PEAK_HERE * h) & (peak < PLAN_PEAK_HALF * h);
    return lane_select(comes, lane_select(peak < PLAN_PEAK_NEAR * h, peak, 0.5 * peak), h);
}

/// plan_overlap: the graded step; shakes: the stiffness by mass; period: of its oscillation over 2 pi.
FN_SHORT Lane ball_plan_overlap(const BallOverlap *o, Lane n, Lane d, Lane u, Lane *shakes, Lane *period) {
    Lane s = o->s, way = o->way, pace = lane_sqrt(u * u + o->pull * o->ds * o->ds);
    LaneMask is_even = d == 0.0, opens = u < 0.0, peaks = lane_not(is_even) & (u > 0.0);
    Lane inwards = (2.0 * s * way + way * way) / pace, least = lane_max(1.02 * o->depth_m, way * way);
    Lane outwards = lane_select(s > 1.5 * way, 2.0 * s * way - way * way, least) / pace;
    Lane h = lane_select(opens, outwards, inwards);
    *shakes = 1.5 * o->wk * lane_max(s, o->ds) * lane_max(lane_of(0.0), 1.0 + d * u);
    *period = 1.0 / lane_sqrt(lane_max(*shakes, lane_of(1.0e-300)));
    Lane swing = lane_select(is_even, lane_of(PLAN_STABLE_OSCILLATION), lane_of(PLAN_OSCILLATION)) / n * *period;
    h = lane_min(h, swing);
    if (!lane_any(peaks)) return h;
    Lane jerk = 0.0 - o->wk * s * (1.5 * u * (1.0 + d * u) + o->depth_m * d * o->closing_m_per_s2);
    return lane_select(peaks, ball_plan_to_peak(h, u, o->closing_m_per_s2, jerk), h);
}

/// How fast friction answers, 1/s. across: largest inverse effective mass across the normal.
FN_SHORT Lane ball_plan_friction(const Law *law, const LawForce *force, Lane across) {
    Lane rate = lane_of(0.0), slip = force->slip_m_per_s;
    LaneMask slides = slip > 0.0;
    if (!lane_any(slides)) return rate;
    return lane_select(
        slides, law->friction * force->normal_N * across / law_regularised(slip, law->speed_small_m_per_s), rate);
}

/// After ball_step_try. now: what that has told of the contact.
FN_APART void ball_plan_step(const BallStep *b, const BallEvaluation *now, BallPlan *plan) {
    const LawForce *force = &now->force;
    LaneMask is_a = b->is_a > 0.5;
    Lane n = plan->graded_steps, d = b->law.damping_s_per_m, u = force->closing_m_per_s, slip = force->slip_m_per_s;
    Lane friction = b->law.friction, none = lane_of(0.0), one = lane_of(1.0), never = lane_of(REAL_HUGE);
    Vec3 given = b->rates[STAGES - 1].acceleration, centres = vec3_sub(b->plane_m, b->at.position_m);
    Vec3 relative = vec3_select(is_a, vec3_negate(given), given);
    // Of a ball that is A as contact_weigh finds it again.
    Vec3 lever = vec3_select(is_a, vec3_add(now->lever_plane_m, centres), now->lever_m);
    Vec3 arm = vec3_cross(lever, b->normal);
    Lane across = b->inverse_mass + vec3_dot(lever, lever) * plan->inertia_bound;
    Lane weight = b->inverse_mass + vec3_dot(arm, vec3_multiply(b->inverse_inertia, arm)), shakes, period;
    BallOverlap o;
    o.wk = weight * b->law.stiffness;
    o.depth_m = lane_max(-now->gap_m, none);
    o.s = lane_sqrt(o.depth_m);
    o.closing_m_per_s2 = 0.0 - vec3_dot(b->normal, relative);
    o.pull = lane_max(plan->gravity_bound, lane_abs(weight * force->normal_N + o.closing_m_per_s2));
    plan->asks = ball_plan_asks(b, now, plan, relative, o.closing_m_per_s2);
    Lane moving = ball_plan_root(o.depth_m * o.depth_m * o.s + 1.25 * u * u / o.wk, 5);
    Lane cube = moving * moving * moving * o.wk, deepest = moving;
    LaneMask rests = lane_not(cube >= o.pull);
    if (lane_any(rests)) deepest = lane_select(rests, ball_plan_root(o.pull / o.wk, 3), deepest);
    o.ds = deepest / n;
    Lane out = (PLAN_OUT * deepest + PLAN_OUT_DEEPER * o.s) / n, in = (PLAN_IN * deepest + PLAN_IN_DEEPER * o.s) / n;
    o.way = lane_select(d == 0.0, o.ds, lane_select(u < 0.0, out, in));
    Lane h = ball_plan_overlap(&o, n, d, u, &shakes, &period);
    LaneMask has_way = o.ds > 0.0;
    Lane stable = lane_select(has_way, PLAN_STABLE_OSCILLATION * period, never);
    h = lane_min(lane_select(has_way, h, never), never / n);
    shakes = lane_select(has_way, shakes, none);
    Lane damping_rate = d * o.wk * o.depth_m * o.s, reach = o.s + o.way;
    Lane most_N = b->law.stiffness * reach * reach * reach * (1.0 + d * lane_abs(u));
    Lane fastest = lane_max(damping_rate, lane_max(ball_plan_friction(&b->law, force, across), none));
    LaneMask decays = fastest > 0.0;
    plan->stiff_s = lane_select(decays, lane_min(stable, PLAN_STIFF_SHARE * PLAN_STABILITY / fastest), stable);
    plan->stable_s = lane_select(decays, lane_min(stable, PLAN_STABILITY / fastest), stable);
    plan->leave_s = lane_select(u < 0.0, lane_max(PLAN_LEAVE_SHARE * o.depth_m / (0.0 - u), plan->stiff_s), never);
    LaneMask slides = slip - 1.5 * h * friction * most_N * across > b->law.speed_small_m_per_s, is_still = slip == 0.0;
    LaneMask is_safe = (slides & lane_not(is_still)) | (is_still & lane_not(plan->asks > 0.0)) | (friction == 0.0);
    is_safe = is_safe & (cube > PLAN_HIT_SHARE * PLAN_HIT_SHARE * PLAN_HIT_SHARE * o.pull);
    is_safe = is_safe & (h * damping_rate <= plan->damping_limit);
    is_safe = is_safe & lane_not(u + h * o.closing_m_per_s2 > b->law.linear_m_per_s);
    plan->controlled = lane_select(is_safe, none, one);
    Vec3 place = vec3_select(is_a, b->plane_m, b->at.position_m);
    plan->noise = shakes * 10.0 * lane_max(REAL_EPSILON * vec3_max_abs(place), now->error_m);
    plan->graded_s = h;
}
