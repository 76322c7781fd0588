// For each width. Graded steps of a contact: uniform in the root of the depth, so that the power 1.5 of the
// force does not cost the method its order. kernels/README.md, "Steps of an impact".
#ifndef CLACK_INTEGRATE_OVERLAP_PLAN_H
#define CLACK_INTEGRATE_OVERLAP_PLAN_H
#define OverlapPlan LANE_NAME(OverlapPlan)
#define overlap_root LANE_NAME(overlap_root)
#define overlap_stiffness LANE_NAME(overlap_stiffness)
#define overlap_period_s LANE_NAME(overlap_period_s)
#define overlap_end_at_peak LANE_NAME(overlap_end_at_peak)
#define overlap_step LANE_NAME(overlap_step)
#define overlap_grade_step LANE_NAME(overlap_grade_step)
#define overlap_limits LANE_NAME(overlap_limits)
#endif

typedef struct OverlapPlan {
    // Given:
    Lane graded_steps;       // n
    Lane depth_m, root;      // of the depth
    Lane closing_m_per_s;    // u
    Lane closing_m_per_s2;   // du/dt
    Lane damping_s_per_m;    // d
    Lane stiffness_per_mass; // stiffness times inverse effective mass
    Lane pull_m_per_s2;      // closing acceleration by all but the contact itself
    LaneMask is_even;        // steps that do not grow with depth
    // Found by overlap_grade_step:
    Lane root_step;     // change of the root of the depth within the step
    Lane graded_s;      // the step
    Lane stable_s;      // longest stable explicit step
    Lane stiffness;     // over mass, 1/s^2
    LaneMask is_impact; // an impact: much deeper than at rest, or about to be
    // and by overlap_limits:
    Lane damping_rate;     // 1/s
    Lane stiff_s, leave_s; // length from which implicit steps pay; longest of a contact that opens
} OverlapPlan;

FN_SHORT Lane overlap_root(Lane x, u32 n) { LANE_ONE_BY_ONE(plan_real_root(LANE_AT(x, k), n)); }

/// Stiffness of an overlap per mass, 1/s^2. root: of a depth; opens: 1 + d u, the force over its elastic part.
FN_SHORT Lane overlap_stiffness(Lane stiffness_per_mass, Lane root, Lane opens) {
    return 1.5 * stiffness_per_mass * root * lane_max(lane_of(0.0), opens);
}

/// Period of an oscillation over 2 pi, s.
FN_SHORT Lane overlap_period_s(Lane stiffness) { return 1.0 / lane_sqrt(lane_max(stiffness, lane_of(1.0e-300))); }

/// A step of h of an overlap that grows at u > 0, with the derivatives of u: adjusted if the peak is near its end.
FN_SHORT Lane overlap_end_at_peak(Lane h, Lane u, Lane closing, Lane jerk) {
    Lane square = closing * closing - 2.0 * u * jerk;
    LaneMask comes = (closing < 0.0) & (square > 0.0);
    if (!lane_any(comes)) return h;
    Lane peak = 2.0 * u / (lane_sqrt(square) - closing);
    comes = comes & (peak > PLAN_PEAK_HERE * h) & (peak < PLAN_PEAK_HALF * h);
    return lane_select(comes, lane_select(peak < PLAN_PEAK_NEAR * h, peak, 0.5 * peak), h);
}

/// The step that changes the root by `root_step`. ds: the n-th part of the largest root.
FN_SHORT Lane overlap_step(OverlapPlan *o, Lane ds) {
    Lane s = o->root, u = o->closing_m_per_s, d = o->damping_s_per_m, root_step = o->root_step;
    Lane pace = lane_sqrt(u * u + o->pull_m_per_s2 * ds * ds),
         least = lane_max(1.02 * o->depth_m, root_step * root_step);
    Lane inwards = 2.0 * s * root_step + root_step * root_step,
         outwards = lane_select(s > 1.5 * root_step, 2.0 * s * root_step - root_step * root_step, least);
    Lane period = overlap_period_s(o->stiffness);
    Lane share = lane_select(o->is_even, lane_of(PLAN_STABLE_OSCILLATION), lane_of(PLAN_OSCILLATION));
    Lane h = lane_min(lane_select(u < 0.0, outwards, inwards) / pace, share / o->graded_steps * period);
    o->stable_s = PLAN_STABLE_OSCILLATION * period;
    LaneMask peaks = lane_not(o->is_even) & (u > 0.0);
    if (!lane_any(peaks)) return h;
    Lane jerk = 0.0 - o->stiffness_per_mass * s * (1.5 * u * (1.0 + d * u) + o->depth_m * d * o->closing_m_per_s2);
    return lane_select(peaks, overlap_end_at_peak(h, u, o->closing_m_per_s2, jerk), h);
}

FN_SHORT void overlap_grade_step(OverlapPlan *o) {
    Lane n = o->graded_steps, s = o->root, u = o->closing_m_per_s, never = lane_of(REAL_HUGE);
    Lane moving = overlap_root(o->depth_m * o->depth_m * s + 1.25 * u * u / o->stiffness_per_mass, 5), deepest = moving;
    // An oscillation about the resting depth lasts longer than an impact; long steps pay there.
    Lane cube = moving * moving * moving * o->stiffness_per_mass;
    o->is_impact = cube > PLAN_HIT_SHARE * PLAN_HIT_SHARE * PLAN_HIT_SHARE * o->pull_m_per_s2;
    LaneMask rests = lane_not(cube >= o->pull_m_per_s2);
    if (lane_any(rests))
        deepest = lane_select(rests, overlap_root(o->pull_m_per_s2 / o->stiffness_per_mass, 3), deepest);
    Lane ds = deepest / n;
    Lane out = (PLAN_OUT * deepest + PLAN_OUT_DEEPER * s) / n, in = (PLAN_IN * deepest + PLAN_IN_DEEPER * s) / n;
    o->root_step = lane_select(o->is_even, ds, lane_select(u < 0.0, out, in));
    o->stiffness = overlap_stiffness(o->stiffness_per_mass, lane_max(s, ds), 1.0 + o->damping_s_per_m * u);
    LaneMask has_step = ds > 0.0;
    o->graded_s = lane_select(has_step, overlap_step(o, ds), never);
    o->stable_s = lane_select(has_step, o->stable_s, never);
    o->stiffness = lane_select(has_step, o->stiffness, lane_of(0.0));
}

/// The limits by damping, friction and rolling resistance. rate: of the latter two, 1/s.
FN_SHORT void overlap_limits(OverlapPlan *o, Lane rate) {
    Lane stable = o->stable_s, u = o->closing_m_per_s;
    o->damping_rate = o->damping_s_per_m * o->stiffness_per_mass * o->depth_m * o->root;
    Lane fastest = lane_max(o->damping_rate, rate);
    LaneMask decays = fastest > 0.0;
    o->stiff_s = lane_select(decays, lane_min(stable, PLAN_STIFF_SHARE * PLAN_STABILITY / fastest), stable);
    o->stable_s = lane_select(decays, lane_min(stable, PLAN_STABILITY / fastest), stable);
    o->leave_s =
        lane_select(u < 0.0, lane_max(PLAN_LEAVE_SHARE * o->depth_m / (0.0 - u), o->stiff_s), lane_of(REAL_HUGE));
}
