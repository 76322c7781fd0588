// The tangential spring of Mindlin's law: a second friction law beside the regularised one.
//
// s is how far B has been displaced against A across the normal since the contact began, as far as friction holds
// (its stretch): ds/dt is the slip. The spring pulls with k_t s, k_t = shear K sqrt(delta) = 8 G* sqrt(R* delta), no
// slip within the contact area (Mindlin, J. Appl. Mech. 16 (1949) 259); a damper in parallel takes its share of the
// normal one. Both together pull with at most mu f_n, and s is cut to where the spring alone would: what is cut is
// lost. Between evaluations s is carried along with the normal.
#ifndef CLACK_SPRING_H
#define CLACK_SPRING_H

#include "contact_law.h"

// Of the normal damper's coefficient. Chung and Ooi's sixth test is met best by this (to 1.2 % of its curve's range).
#define SPRING_DAMPING_SHARE 0.5
#define SPRING_ROUNDING 1.0e-15 // of its length: a stretch that was cut is not cut again

typedef struct ContactSpring {
    Vec3 start_m;      // stretch at the start of the step
    Vec3 start_normal; // it is across this
    Vec3 carried_m;    // stretch of the present stage, across start_normal
    Vec3 stretch_m;    // the same at the present evaluation, across its normal, cut
    Vec3 rate_m_per_s; // of carried_m
    real cut_m;        // of carried_m at the present evaluation
    real overshot_m;   // the most that was cut within the step, beyond what is cut at its end
    real stored_J;     // at the start of the step
} ContactSpring;
ASSERT_SIZE(ContactSpring, 144);

FN u32 law_has_spring(ContactLaw law) { return law.shear > 0.0 ? 1u : 0u; }

/// k_t, N/m.
FN real spring_stiffness(real stiffness, ContactLaw law, real penetration_m) {
    return law.shear * stiffness * real_sqrt(real_max(penetration_m, 0.0));
}

/// Turn a vector by the least rotation that takes the unit vector `from` to `to`. Opposite ones: unchanged.
FN Vec3 spring_carry(Vec3 v, Vec3 from, Vec3 to) {
    Vec3 axis = vec3_cross(from, to);
    real open = 1.0 + vec3_dot(from, to);
    if (!(open > REAL_EPSILON)) return v;
    Vec3 once = vec3_cross(axis, v);
    return vec3_add_scaled(vec3_add(v, once), vec3_cross(axis, once), 1.0 / open);
}

typedef struct SpringForce {
    Vec3 stretch_m; // cut
    real cut_m;     // by this
    Vec3 force_N;   // on B
} SpringForce;

/// normal_N: the normal force; sliding: velocity of B against A across the normal, like stretch_m. Never more than
/// mu normal_N. Tested: tests/test_spring.cc.
FN SpringForce spring_force(LawConstants c, ContactLaw law, real penetration_m, real normal_N, Vec3 stretch_m, Vec3 sliding) {
    SpringForce f;
    real depth = real_max(penetration_m, 0.0);
    real k = spring_stiffness(c.stiffness, law, depth);
    real limit = law.friction * real_max(normal_N, 0.0);
    real length = vec3_length(stretch_m);
    f.stretch_m = stretch_m;
    f.cut_m = 0.0;
    if (k * length > limit * (1.0 + SPRING_ROUNDING)) {
        f.stretch_m = vec3_scale(stretch_m, limit / (k * length));
        f.cut_m = length - limit / k;
    }
    real damper = SPRING_DAMPING_SHARE * c.damping_s_per_m * c.stiffness * depth * real_sqrt(depth);
    f.force_N = vec3_add_scaled(vec3_scale(f.stretch_m, 0.0 - k), sliding, 0.0 - damper);
    real pull = vec3_length(f.force_N);
    if (pull > limit) f.force_N = vec3_scale(f.force_N, limit / pull);
    return f;
}

/// Energy of a spring, J.
FN real spring_energy(real stiffness, ContactLaw law, real penetration_m, Vec3 stretch_m) {
    return 0.5 * spring_stiffness(stiffness, law, penetration_m) * vec3_dot(stretch_m, stretch_m);
}

#endif
