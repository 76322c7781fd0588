// For each width. What limits the next step of a contact: its graded steps, uniform in the root of the depth, so that
// the power 1.5 of the force does not cost the method its order; oscillation, damping and friction; whether its error
// has to be controlled. kernels/stepper/README.md, "Steps of an impact".
#ifndef CLACK_INTEGRATE_OVERLAP_PLAN_H
#define CLACK_INTEGRATE_OVERLAP_PLAN_H
#define StepLimits LANE_NAME(StepLimits)
#define OverlapPlan LANE_NAME(OverlapPlan)
#define overlap_scales LANE_NAME(overlap_scales)
#define overlap_root LANE_NAME(overlap_root)
#define overlap_stiffness LANE_NAME(overlap_stiffness)
#define overlap_period_s LANE_NAME(overlap_period_s)
#define overlap_end_at_peak LANE_NAME(overlap_end_at_peak)
#define overlap_step LANE_NAME(overlap_step)
#define overlap_grade_step LANE_NAME(overlap_grade_step)
#define overlap_friction_rate LANE_NAME(overlap_friction_rate)
#define overlap_limits LANE_NAME(overlap_limits)
#define overlap_most_N LANE_NAME(overlap_most_N)
#define overlap_is_safe LANE_NAME(overlap_is_safe)
#define overlap_noise LANE_NAME(overlap_noise)

#define ROOT_FAR 1.0e300 // beyond this and its inverse, roots are those of these
#define ROOT_BIAS 1023u  // of exponents

/// n-th root (n = 3 or 5) of x >= 0, to 4e-5, enough for a step length. x is brought to [2^-n, 1) by a power of 2^n,
/// exactly; then a cubic that is good to 3 %, and one step of Halley's method.
FN real plan_real_root(real x, u32 n) {
    if (!(x > 0.0)) return 0.0;
    x = real_clamp(x, 1.0 / ROOT_FAR, ROOT_FAR);
    u32 exponent = (u32)(real_bits(x) >> 52);                    // biased
    u32 shift = (n * ROOT_BIAS + ROOT_BIAS - 1u - exponent) / n; // the largest that leaves x below 1, biased
    x *= real_of_bits((u64)(ROOT_BIAS + n * shift - n * ROOT_BIAS) << 52);
    real scale = real_of_bits((u64)(2u * ROOT_BIAS - shift) << 52);
    real y = n == 3 ? real_fma(real_fma(real_fma(0.592186, x, -1.385927), x, 1.458114), x, 0.340842)
                    : real_fma(real_fma(real_fma(1.422428, x, -2.687795), x, 1.832768), x, 0.458016);
    real power = n == 3 ? y * y * y : y * y * (y * y) * y;
    real more = n == 3 ? 4.0 : 6.0, less = n == 3 ? 2.0 : 4.0;
    return y * scale * (less * power + more * x) / (more * power + less * x);
}

// A contact this many times deeper, or about to be, than at rest is an impact; in roots of the depth.
#define PLAN_HIT_SHARE 1.5
// Graded steps are uniform in the root of the depth, except that deeper ones are longer: with uniform steps those next
// to touch had a tenth of the errors of those about the deepest point. Impacts with restitutions of 0.5 to 1, at normal
// and a hundred times gravity: 117 evaluations instead of 143 at the same median error. With 1.33 at touch 112, but a
// slip that sticks at a tolerance of 3e-8 is off by 6e-7 m/s instead of 4e-7
// (tests/kernels/stepper/test_stepper_bars.cc, test_rodas.cc).
#define PLAN_IN 1.27
#define PLAN_IN_DEEPER 0.82
#define PLAN_OUT 0.93
#define PLAN_OUT_DEEPER 0.49
// n times the longest step of an oscillation.
#define PLAN_OSCILLATION 2.56 // PLAN_STABLE_OSCILLATION of a step that is as long as it can be
// A step that would end within this many of its lengths before the peak of an overlap ends on it, or at half of the
// distance: a watched peak would force a repetition. Peaks nearer to the start than the last share are taken as they
// are.
#define PLAN_PEAK_NEAR 1.1
#define PLAN_PEAK_HALF 1.6
#define PLAN_PEAK_HERE 0.02
// A stiff contact that opens loses at most this share of its overlap in a step. The embedded error of an implicit step
// over its end is meaningless: it is divided by the damping at the start, which is gone at the end. A ball that creeps
// out of an impact left with twice its speed.
#define PLAN_SEPARATION_SHARE 0.5
#define PLAN_STABLE_OSCILLATION 2.68 // of an oscillation of 2 pi, the longest step that is stable
// Tsit5 is stable down to -3.5 on the real axis; this leaves some room.
#define PLAN_STABILITY 2.5
// Share of the stability limit by damping and friction that explicit steps take. Near its limit the method keeps errors
// alive, for which its own error control holds it back for ever: a ball that creeps out of an impact without rebound
// took 8,000 evaluations at some tolerances, and 390 with a half; with 0.7 a rolling ball is off by 4e-9, with 0.55 by
// 7e-11.
#define PLAN_EXPLICIT_SHARE 0.55
// The rates of all contacts of a body add up to the sum of those of its modes, of which contacts in one plane damp
// three: the fastest is at least a third of that. A can on its face, whose nine contacts are all slower than its fall,
// took 40 evaluations of explicit steps where an implicit one takes 6.
#define PLAN_STIFF_MODES 3.0
#endif

typedef struct StepLimits { // of a contact; the first five as in ContactPlan
    Lane graded_s, stability_limit_s, explicit_limit_s, separation_limit_s;
    Lane controlled;
    Lane noise; // velocity error by rounding of its gap per step length, m/s^2
} StepLimits;

typedef struct OverlapPlan {
    // Given:
    Lane graded_steps;                      // n
    Lane closing_m_per_s, closing_m_per_s2; // u, du/dt
    Lane slip_m_per_s, normal_N;
    Lane inverse_mass, inverse_mass_across; // effective ones along the normal; the largest across it
    LaneMask slips;                         // now or within the step
    // By overlap_scales:
    Lane depth_m, root;             // of the depth
    Lane damping_s_per_m;           // d
    Lane stiffness_per_mass;        // stiffness times inverse effective mass
    Lane external_closing_m_per_s2; // closing acceleration by all but the contact itself
    LaneMask is_uniform;            // steps that do not grow with depth
    // By overlap_grade_step:
    Lane root_step;     // change of the root of the depth within the step
    Lane stiffness;     // over mass, 1/s^2
    LaneMask is_impact; // an impact: much deeper than at rest, or about to be
    // By overlap_limits:
    Lane damping_rate; // 1/s
    StepLimits step;   // graded_s, stability_limit_s also by overlap_grade_step; the last two by the caller
} OverlapPlan;

/// gravity_m_per_s2: bound of what else accelerates its bodies.
FN_SHORT void overlap_scales(OverlapPlan *o, const LawNumbers *law, Lane gap_m, Lane gravity_m_per_s2) {
    o->depth_m = lane_max(-gap_m, lane_of(0.0));
    o->root = lane_sqrt(o->depth_m);
    o->damping_s_per_m = law->damping_s_per_m;
    o->stiffness_per_mass = o->inverse_mass * law->stiffness;
    o->external_closing_m_per_s2 =
        lane_max(gravity_m_per_s2, lane_abs(o->inverse_mass * o->normal_N + o->closing_m_per_s2));
    // Uniform steps: without damping the errors of compression and restitution cancel then.
    o->is_uniform = o->damping_s_per_m == 0.0;
}

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
    Lane pace = lane_sqrt(u * u + o->external_closing_m_per_s2 * ds * ds),
         least = lane_max(1.02 * o->depth_m, root_step * root_step);
    Lane inwards = 2.0 * s * root_step + root_step * root_step,
         outwards = lane_select(s > 1.5 * root_step, 2.0 * s * root_step - root_step * root_step, least);
    Lane period = overlap_period_s(o->stiffness);
    Lane share = lane_select(o->is_uniform, lane_of(PLAN_STABLE_OSCILLATION), lane_of(PLAN_OSCILLATION));
    Lane h = lane_min(lane_select(u < 0.0, outwards, inwards) / pace, share / o->graded_steps * period);
    o->step.stability_limit_s = PLAN_STABLE_OSCILLATION * period;
    LaneMask peaks = lane_not(o->is_uniform) & (u > 0.0);
    if (!lane_any(peaks)) return h;
    Lane jerk = 0.0 - o->stiffness_per_mass * s * (1.5 * u * (1.0 + d * u) + o->depth_m * d * o->closing_m_per_s2);
    return lane_select(peaks, overlap_end_at_peak(h, u, o->closing_m_per_s2, jerk), h);
}

FN_SHORT void overlap_grade_step(OverlapPlan *o) {
    Lane n = o->graded_steps, s = o->root, u = o->closing_m_per_s, never = lane_of(REAL_HUGE);
    Lane moving = overlap_root(o->depth_m * o->depth_m * s + 1.25 * u * u / o->stiffness_per_mass, 5), deepest = moving;
    // An oscillation about the resting depth lasts longer than an impact; long steps pay there.
    Lane cube = moving * moving * moving * o->stiffness_per_mass;
    o->is_impact = cube > PLAN_HIT_SHARE * PLAN_HIT_SHARE * PLAN_HIT_SHARE * o->external_closing_m_per_s2;
    LaneMask rests = lane_not(cube >= o->external_closing_m_per_s2);
    if (lane_any(rests))
        deepest = lane_select(rests, overlap_root(o->external_closing_m_per_s2 / o->stiffness_per_mass, 3), deepest);
    Lane ds = deepest / n;
    Lane out = (PLAN_OUT * deepest + PLAN_OUT_DEEPER * s) / n, in = (PLAN_IN * deepest + PLAN_IN_DEEPER * s) / n;
    o->root_step = lane_select(o->is_uniform, ds, lane_select(u < 0.0, out, in));
    o->stiffness = overlap_stiffness(o->stiffness_per_mass, lane_max(s, ds), 1.0 + o->damping_s_per_m * u);
    LaneMask has_step = ds > 0.0;
    o->step.graded_s = lane_select(has_step, overlap_step(o, ds), never);
    o->step.stability_limit_s = lane_select(has_step, o->step.stability_limit_s, never);
    o->stiffness = lane_select(has_step, o->stiffness, lane_of(0.0));
}

/// Rate of the response of regularised friction, 1/s.
FN_SHORT Lane overlap_friction_rate(const OverlapPlan *o, const LawNumbers *law) {
    if (!lane_any(o->slips)) return lane_of(0.0);
    Lane small = law_regularised(o->slip_m_per_s, law->speed_small_m_per_s);
    return lane_select(o->slips, law->friction * o->normal_N * o->inverse_mass_across / small, lane_of(0.0));
}

/// The limits by a tangential spring, damping, friction and rolling resistance. spring_s: longest stable step of the
/// first; rate: of the latter two, 1/s.
FN_SHORT void overlap_limits(OverlapPlan *o, Lane spring_s, Lane rate) {
    StepLimits *step = &o->step;
    Lane stable = lane_min(step->stability_limit_s, spring_s), u = o->closing_m_per_s;
    o->damping_rate = o->damping_s_per_m * o->stiffness_per_mass * o->depth_m * o->root;
    Lane fastest = lane_max(o->damping_rate, rate);
    LaneMask decays = fastest > 0.0;
    step->graded_s = lane_min(step->graded_s, spring_s / o->graded_steps);
    step->explicit_limit_s =
        lane_select(decays, lane_min(stable, PLAN_EXPLICIT_SHARE * PLAN_STABILITY / fastest), stable);
    step->stability_limit_s = lane_select(decays, lane_min(stable, PLAN_STABILITY / fastest), stable);
    step->separation_limit_s = lane_select(
        u < 0.0, lane_max(PLAN_SEPARATION_SHARE * o->depth_m / (0.0 - u), step->explicit_limit_s), lane_of(REAL_HUGE));
}

/// Largest normal force within the step, N.
FN_SHORT Lane overlap_most_N(const OverlapPlan *o, const LawNumbers *law) {
    Lane reach = o->root + o->root_step;
    return law->stiffness * reach * reach * reach * (1.0 + o->damping_s_per_m * lane_abs(o->closing_m_per_s));
}

/// After overlap_limits. May it take its graded step without error control, as far as damping and friction go? An
/// impact whose slip does not end, and whose closing speed stays below the one from which damping is another
/// (law_strike): there the force has a kink.
FN_SHORT LaneMask overlap_is_safe(const OverlapPlan *o, const LawNumbers *law, Lane damping_limit) {
    if (!lane_any(o->is_impact)) return o->is_impact;
    Lane h = o->step.graded_s, friction = law->friction;
    LaneMask is_smooth = lane_not(o->closing_m_per_s + h * o->closing_m_per_s2 > law->strike_m_per_s);
    LaneMask slides = o->slip_m_per_s - 1.5 * h * friction * overlap_most_N(o, law) * o->inverse_mass_across >
                      law->speed_small_m_per_s;
    return o->is_impact & is_smooth & (slides | lane_not(o->slips) | (friction == 0.0)) &
           (h * o->damping_rate <= damping_limit);
}

/// Uncertainty of the gap, by rounding of positions or by the narrow phase, is noise of the force.
FN_SHORT Lane overlap_noise(Lane stiffness, Vec3 place_m, Lane error_m) {
    return stiffness * 10.0 * lane_max(REAL_EPSILON * vec3_max_abs(place_m), error_m);
}
