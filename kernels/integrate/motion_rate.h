// For each width. States of bodies in contact and their rates of change: Newton's and Euler's equations, sums of rates
// weighted by a row of a tableau, states moved by them.
#ifndef CLACK_INTEGRATE_MOTION_RATE_H
#define CLACK_INTEGRATE_MOTION_RATE_H
#define BodyState LANE_NAME(BodyState)
#define BodyRate LANE_NAME(BodyRate)
#define RateSum LANE_NAME(RateSum)
#define MotionBody LANE_NAME(MotionBody)
#define motion_euler LANE_NAME(motion_euler)
#define motion_rate_of LANE_NAME(motion_rate_of)
#define motion_scale LANE_NAME(motion_scale)
#define motion_add LANE_NAME(motion_add)
#define motion_blend_into LANE_NAME(motion_blend_into)
#define motion_blend LANE_NAME(motion_blend)
#define motion_blend_last LANE_NAME(motion_blend_last)
#define motion_move LANE_NAME(motion_move)

// Where rates of several stages are: one body's in its BodyWork, those of bodies side by side in private memory.
#define RATE_MEMORY LANE_PASTE(RATE_MEMORY_, LANE_WIDTH)
#define RATE_MEMORY_1 GLOBAL
#define RATE_MEMORY_4
#define RATE_MEMORY_8
#define RATE_NUMBERS (sizeof(BodyRate) / sizeof(Lane))
#endif

#if LANE_WIDTH > 1
typedef struct BodyState {
    Vec3 position_m;
    Quat orientation;
    Vec3 velocity_m_per_s, spin_rad_per_s;
} BodyState;

typedef struct BodyRate {
    Vec3 velocity;
    Quat orientation_rate;
    Vec3 acceleration, spin_rate;
} BodyRate;
#endif

typedef union RateSum {
    Lane numbers[RATE_NUMBERS];
    BodyRate rate;
} RateSum;

typedef struct MotionBody {
    Vec3 gravity_m_per_s2, inertia_kg_m2, inverse_inertia; // principal moments
    Lane inverse_mass;
} MotionBody;

/// Euler's equations in principal axes.
FN_SHORT Vec3 motion_euler(Vec3 i, Vec3 inverse, Vec3 spin, Vec3 torque_principal) {
    Vec3 gyroscopic =
        vec3_make((i.y - i.z) * spin.y * spin.z, (i.z - i.x) * spin.z * spin.x, (i.x - i.y) * spin.x * spin.y);
    return vec3_multiply(vec3_add(torque_principal, gyroscopic), inverse);
}

/// Rates of a body that is no ball. turn_scale: of its orientation, for quat_rotate_any_by; the torque is in world
/// axes.
FN_SHORT BodyRate motion_rate_of(MotionBody body, BodyState at, Lane turn_scale, Vec3 force_N, Vec3 torque_N_m) {
    Vec3 w = at.spin_rad_per_s;
    Quat q = at.orientation, turning = quat_multiply(q, quat_make(lane_of(0.0), w.x, w.y, w.z));
    BodyRate rate;
    rate.velocity = at.velocity_m_per_s;
    rate.acceleration = vec3_add_scaled(body.gravity_m_per_s2, force_N, body.inverse_mass);
    rate.orientation_rate = quat_make(0.5 * turning.w, 0.5 * turning.x, 0.5 * turning.y, 0.5 * turning.z);
    rate.spin_rate = motion_euler(body.inertia_kg_m2, body.inverse_inertia, w,
                                  quat_rotate_any_by(quat_conjugate(q), turn_scale, torque_N_m));
    return rate;
}

/// Rates times a weight; a sum with that.
FN_SHORT BodyRate motion_scale(BodyRate rate, Lane weight) {
    Quat t = rate.orientation_rate;
    rate.velocity = vec3_scale(rate.velocity, weight);
    rate.orientation_rate = quat_make(t.w * weight, t.x * weight, t.y * weight, t.z * weight);
    rate.acceleration = vec3_scale(rate.acceleration, weight);
    rate.spin_rate = vec3_scale(rate.spin_rate, weight);
    return rate;
}
FN_SHORT BodyRate motion_add(BodyRate sum, BodyRate rate, Lane weight) {
    sum.velocity = vec3_add_scaled(sum.velocity, rate.velocity, weight);
    sum.orientation_rate = quat_add_scaled(sum.orientation_rate, rate.orientation_rate, weight);
    sum.acceleration = vec3_add_scaled(sum.acceleration, rate.acceleration, weight);
    sum.spin_rate = vec3_add_scaled(sum.spin_rate, rate.spin_rate, weight);
    return sum;
}

/// Sum of `count` >= 1 rates weighted by a row of a tableau, as motion_add, several numbers of a rate at once.
VECTOR_FN void motion_blend_into(RATE_MEMORY const BodyRate *rates, CONSTANT_POINTER const real *row, u32 count,
                                 RateSum *out) {
    RATE_MEMORY const Lane *from = (RATE_MEMORY const Lane *)rates;
    RateSum sum;
    Lane weight = lane_of(row[0]);
    for (u32 i = 0; i < RATE_NUMBERS; i++) sum.numbers[i] = from[i] * weight;
    ROLLED for (u32 j = 1; j < count; j++) {
        from += RATE_NUMBERS;
        if (row[j] == 0.0) continue; // of a stage that does not exist
        weight = lane_of(row[j]);
        for (u32 i = 0; i < RATE_NUMBERS; i++) sum.numbers[i] = lane_fma(from[i], weight, sum.numbers[i]);
    }
    for (u32 i = 0; i < RATE_NUMBERS; i++) out->numbers[i] = sum.numbers[i]; // as vectors, unlike a copy of the struct
}
FN_SHORT BodyRate motion_blend(RATE_MEMORY const BodyRate *rates, CONSTANT_POINTER const real *row, u32 count) {
    RateSum sum;
    motion_blend_into(rates, row, count, &sum);
    return sum.rate;
}

/// The same, with the last rate from private memory: a processor would wait if a rate just written number by number
/// were read as a vector.
FN_SHORT BodyRate motion_blend_last(RATE_MEMORY const BodyRate *rates, CONSTANT_POINTER const real *row, u32 count,
                                    BodyRate last) {
    Lane weight = lane_of(row[count - 1u]);
    if (count == 1u) return motion_scale(last, weight);
    return motion_add(motion_blend(rates, row, count - 1u), last, weight);
}

/// The present state moved by h times a sum of rates.
FN_SHORT BodyState motion_move(BodyState state, BodyRate rate, Lane h) {
    state.position_m = vec3_add_scaled(state.position_m, rate.velocity, h);
    state.velocity_m_per_s = vec3_add_scaled(state.velocity_m_per_s, rate.acceleration, h);
    state.spin_rad_per_s = vec3_add_scaled(state.spin_rad_per_s, rate.spin_rate, h);
    state.orientation = quat_add_scaled(state.orientation, rate.orientation_rate, h);
    return state;
}
