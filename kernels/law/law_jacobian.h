// For each width. Derivatives of a contact's force (law_force.h) with respect to gap, normal, velocity and spin.
#ifndef CLACK_LAW_LAW_JACOBIAN_H
#define CLACK_LAW_LAW_JACOBIAN_H
#define LawMotion LANE_NAME(LawMotion)
#define LawChange LANE_NAME(LawChange)
#define law_regularised_slope_per_x LANE_NAME(law_regularised_slope_per_x)
#define law_jacobian LANE_NAME(law_jacobian)
#define law_change LANE_NAME(law_change)
#endif

// The arguments of the force, or a change of these.
typedef struct LawMotion {
    Lane gap_m;            // -penetration
    Vec3 normal;           // from A to B
    Vec3 velocity_m_per_s; // of B against A at the contact point
    Vec3 spin_rad_per_s;   // of B against A
} LawMotion;

typedef struct LawChange {
    Vec3 force_N, torque_N_m; // of LawForce
    Lane loss_W;
} LawChange;

/// Derivative of law_regularised, divided by x: finite down to x = 0. x >= 0.
FN_SHORT Lane law_regularised_slope_per_x(Lane x, Lane small) {
    return lane_select(x >= small, 1.0 / x, (2.0 - x / small) / small);
}

/// Derivatives of law_force at the same arguments, not with `compat: modia3d`. Without slip: those of the
/// regularised friction there. Tested: tests/kernels/law/test_contact_jacobian.cc.
FN_ONCE LawJacobian law_jacobian(const LawNumbers *law, const LawMotion *at) {
    LawJacobian s;
    Lane along = vec3_dot(at->velocity_m_per_s, at->normal);
    law_jacobian_normal(law, at->gap_m, along, &s);
    Lane slip = vec3_length(vec3_add_scaled(at->velocity_m_per_s, at->normal, -along));
    Lane divisor = law_regularised(slip, law->speed_small_m_per_s);
    s.friction_per_N = law->friction / divisor;
    s.friction = s.friction_per_N * s.normal_N;
    s.friction_per_slip = s.friction / divisor * law_regularised_slope_per_x(slip, law->speed_small_m_per_s);
    s.rolling_per_N = s.rolling = s.rolling_per_spin = lane_of(0.0);
    LaneMask rolls = law->rolling_m > 0.0;
    if (!lane_any(rolls)) return s;
    Lane spin = vec3_length(at->spin_rad_per_s);
    divisor = law_regularised(spin, law->spin_small_rad_per_s);
    s.rolling_per_N = lane_select(rolls, law->rolling_m / divisor, s.rolling_per_N);
    s.rolling = s.rolling_per_N * s.normal_N;
    s.rolling_per_spin = s.rolling / divisor * law_regularised_slope_per_x(spin, law->spin_small_rad_per_s);
    return s;
}

/// First-order change of the force at `at`, as given to law_jacobian, for changes `by`. rolls: 0: without rolling
/// resistance, known when this is compiled. Copies on columns: columns_by_law (contact_jacobian_columns.h),
/// corners_terms (fast/corner_contacts_implicit.h).
FN_SHORT LawChange law_change(const LawJacobian *s, const LawMotion *at, const LawMotion *by, u32 rolls) {
    Vec3 normal = at->normal, v = at->velocity_m_per_s, w = at->spin_rad_per_s;
    Lane along = s->along_m_per_s;
    Lane d_along = vec3_dot(by->velocity_m_per_s, normal) + vec3_dot(v, by->normal);
    Lane d_force = 0.0 - s->normal_stiffness * by->gap_m - s->normal_damping * d_along;
    Vec3 sliding = vec3_add_scaled(v, normal, 0.0 - along);
    Vec3 d_sliding = vec3_add_scaled(by->velocity_m_per_s, normal, 0.0 - d_along);
    d_sliding = vec3_add_scaled(d_sliding, by->normal, 0.0 - along);
    Lane slides = vec3_dot(sliding, d_sliding), slip_square = vec3_dot(sliding, sliding);
    Lane loss_per_N = s->friction_per_N * slip_square;
    LawChange d;
    d.force_N = vec3_add_scaled(vec3_scale(normal, d_force), by->normal, s->normal_N);
    d.force_N = vec3_add_scaled(d.force_N, d_sliding, 0.0 - s->friction);
    d.force_N = vec3_add_scaled(d.force_N, sliding, s->friction_per_slip * slides - s->friction_per_N * d_force);
    d.torque_N_m = vec3_of(0.0);
    if (rolls) loss_per_N = loss_per_N + s->rolling_per_N * vec3_dot(w, w);
    d.loss_W = s->loss_per_rate * d_along - s->loss_per_gap * by->gap_m + loss_per_N * d_force +
               (2.0 * s->friction - slip_square * s->friction_per_slip) * slides;
    if (!rolls) return d;
    Lane turns = vec3_dot(w, by->spin_rad_per_s);
    d.torque_N_m = vec3_add_scaled(vec3_scale(by->spin_rad_per_s, 0.0 - s->rolling), w,
                                   s->rolling_per_spin * turns - s->rolling_per_N * d_force);
    d.loss_W = d.loss_W + (2.0 * s->rolling - vec3_dot(w, w) * s->rolling_per_spin) * turns;
    return d;
}
