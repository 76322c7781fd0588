// For each width. The force of a contact at a penetration, a velocity and a spin: a normal force law (law_normal.h),
// friction and rolling resistance regularised below small speeds. kernels/law/README.md, "The contact law".
#ifndef CLACK_LAW_LAW_FORCE_H
#define CLACK_LAW_LAW_FORCE_H
#define LawForce LANE_NAME(LawForce)
#define law_regularised LANE_NAME(law_regularised)
#define law_force LANE_NAME(law_force)
#define law_max_closing LANE_NAME(law_max_closing)

// Rounding of a cubic through the gaps at both ends of a step, as a closing speed: so many times the gaps' error over
// the step.
#define LAW_CUBIC_ROUNDING 12.0
#endif

typedef struct LawForce {
    Vec3 force_N;         // on B
    Vec3 friction_N;      // on B: its tangential part
    Vec3 torque_N_m;      // on B: rolling resistance; the caller adds the moment of force_N
    Lane normal_N;        // > 0 pushes apart
    Lane loss_W;          // dissipated by damping, friction and rolling
    Lane slip_m_per_s;    // tangential speed
    Lane closing_m_per_s; // > 0 closing
} LawForce;

/// x for x >= small, below it a smooth curve that ends at small / 3: the divisor that turns a velocity
/// into a direction. x >= 0. Value, slope and curvature meet at `small`.
FN_SHORT Lane law_regularised(Lane x, Lane small) {
    LaneMask is_far = x >= small;
    if (lane_all(is_far)) return x;
    return lane_select(is_far, x, x * x / small * (1.0 - x / (3.0 * small)) + small / 3.0);
}

/// Force on B. penetration_m > 0 overlapping; normal: unit, from A to B; v: velocity of B minus A at the contact point;
/// w: angular velocity of B minus A, world axes. Tensile only with `compat: modia3d`, else depths < 0 count as 0:
/// Hertz's force is zero, a linear dashpot acts when the contact begins. Without slip friction is exactly 0. Where the
/// law has another friction (mindlin_spring.h, ellipsoid_friction.h) the caller adds it: its coefficient is 0 here.
FN_SHORT LawForce law_force(const LawNumbers *law, Lane penetration_m, Vec3 normal, Vec3 v, Vec3 w) {
    LawForce f;
    Lane along = vec3_dot(v, normal), closing = -along;
    Vec3 sliding = vec3_add_scaled(v, normal, -along);
    LawNormal by = law_normal(law, lane_max(penetration_m, law->least_m), along);
    LaneMask is_cut = by.normal_N < law->least_N;
    f.closing_m_per_s = closing;
    f.slip_m_per_s = vec3_length(sliding);
    f.normal_N = lane_select(is_cut, lane_of(0.0), by.normal_N);
    f.loss_W = lane_select(is_cut, by.elastic_N * along, by.loss_W); // what the spring gives up is lost where it is cut
    Lane friction = lane_of(0.0), resistance = lane_of(0.0), spin = lane_of(0.0);
    LaneMask slides = f.slip_m_per_s > 0.0, rolls = law->rolling_m > 0.0;
    if (lane_any(slides)) {
        Lane per_slip = law->friction * f.normal_N / law_regularised(f.slip_m_per_s, law->speed_small_m_per_s);
        friction = lane_select(slides, per_slip, friction);
    }
    if (lane_any(rolls)) {
        spin = lane_select(rolls, vec3_length(w), spin);
        rolls = spin > 0.0;
        Lane per_spin = law->rolling_m * f.normal_N / law_regularised(spin, law->spin_small_rad_per_s);
        resistance = lane_select(rolls, per_spin, resistance);
    }
    f.force_N = vec3_add_scaled(vec3_scale(normal, f.normal_N), sliding, -friction);
    f.friction_N = vec3_scale(sliding, -friction);
    f.torque_N_m = vec3_scale(w, -resistance);
    f.loss_W = f.loss_W + (friction * f.slip_m_per_s * f.slip_m_per_s + resistance * spin * spin);
    return f;
}

/// Largest closing speed of a contact within a step of h or at its end, from the gaps and their rates at both ends:
/// that of the cubic through them, good to the third power of h, where the end alone would be good to the second.
FN_SHORT Lane law_max_closing(Lane gap_before_m, Lane rate_before_m_per_s, Lane gap_m, Lane rate_m_per_s, Lane h,
                              Lane error_m) {
    Lane first = 0.0 - rate_before_m_per_s, last = 0.0 - rate_m_per_s, mean = (gap_before_m - gap_m) / h;
    Lane slope = 6.0 * mean - 4.0 * first - 2.0 * last, quadratic = 3.0 * (first + last) - 6.0 * mean;
    LaneMask peaks = (slope > 0.0) & (quadratic < 0.0) & (slope + 2.0 * quadratic < 0.0);
    if (!lane_any(peaks)) return last;
    Lane peak = first - 0.25 * slope * slope / quadratic - LAW_CUBIC_ROUNDING * error_m / h;
    return lane_select(peaks, lane_max(last, peak), last);
}
