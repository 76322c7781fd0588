// The tangential spring of Mindlin's law: a second friction law beside the regularised one.
//
// k_t = shear K sqrt(delta) = 8 G* sqrt(R* delta), no slip within the contact area (Mindlin, J. Appl. Mech. 16 (1949)
// 259), changes with the overlap, and a law has to tell what a stretched spring does then. Force F = p z of the stretch z:
//   conservative: p = sqrt(k_t), dz/dt = sqrt(k_t) slip. Its energy z^2/2 changes by the slip's work alone. A force that
//                 grew faster with k_t would create energy where the overlap grows, one that fell slower where it shrinks.
//   total:        p = k_t, dz/dt = slip: z is the whole slip since the contact began. Creates energy where the overlap grows.
// A damper in parallel takes its share of the normal one. Both together pull with at most mu f_n, and z is cut to where
// the spring alone would: what is cut is lost. Between evaluations z is carried along with the normal.
#ifndef CLACK_SPRING_H
#define CLACK_SPRING_H

#include "contact_law.h"

// Of the normal damper's coefficient. Chung and Ooi's sixth test is met best by this (to 1.2 % of its curve's range).
#define SPRING_DAMPING_SHARE 0.5
#define SPRING_ROUNDING 1.0e-15 // of its length: a stretch that was cut is not cut again

typedef struct ContactSpring { // stretches: in sqrt(J) if conservative, in m if total
    Vec3 start;        // stretch at the start of the step
    Vec3 start_normal; // it is across this
    Vec3 carried;      // stretch of the present stage, across start_normal
    Vec3 stretch;      // the same at the present evaluation, across its normal, cut
    Vec3 rate;         // of carried, 1/s
    real cut;          // of carried at the present evaluation
    real overshot;     // the most that was cut within the step, beyond what is cut at its end
    real stored_J;     // at the start of the step
} ContactSpring;
ASSERT_SIZE(ContactSpring, 144);

FN u32 law_has_spring(ContactLaw law) { return SCENE_SPRINGS != 0 && law.shear > 0.0 ? 1u : 0u; }

/// k_t, N/m.
FN real spring_stiffness(real stiffness, ContactLaw law, real penetration_m) {
    return law.shear * stiffness * real_sqrt(real_max(penetration_m, 0.0));
}

/// p: force of a unit of stretch.
FN real spring_pull(ContactLaw law, real stiffness) {
    return law.flags & LAW_TOTAL_SPRING ? stiffness : real_sqrt(stiffness);
}

/// Stretch by a unit of slip.
FN real spring_pace(ContactLaw law, real stiffness) {
    return law.flags & LAW_TOTAL_SPRING ? 1.0 : real_sqrt(stiffness);
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
    Vec3 stretch; // cut
    real cut;     // by this
    Vec3 force_N; // on B
} SpringForce;

/// normal_N: the normal force; sliding: velocity of B against A across the normal, like stretch. Never more than
/// mu normal_N. Tested: tests/test_spring.cc.
FN SpringForce spring_force(LawConstants c, ContactLaw law, real penetration_m, real normal_N, Vec3 stretch, Vec3 sliding) {
    SpringForce f;
    real depth = real_max(penetration_m, 0.0);
    real pull = spring_pull(law, spring_stiffness(c.stiffness, law, depth));
    real limit = law.friction * real_max(normal_N, 0.0);
    real length = vec3_length(stretch);
    real longest = limit > 0.0 ? limit / pull : 0.0;
    f.stretch = stretch;
    f.cut = 0.0;
    if (length > longest * (1.0 + SPRING_ROUNDING)) {
        f.stretch = vec3_scale(stretch, longest / length);
        f.cut = length - longest;
    }
    real damper = SPRING_DAMPING_SHARE * c.damping_s_per_m * c.stiffness * depth * real_sqrt(depth);
    f.force_N = vec3_add_scaled(vec3_scale(f.stretch, 0.0 - pull), sliding, 0.0 - damper);
    real force = vec3_length(f.force_N);
    if (force > limit) f.force_N = vec3_scale(f.force_N, limit / force);
    return f;
}

/// Energy of a spring, J.
FN real spring_energy(real stiffness, ContactLaw law, real penetration_m, Vec3 stretch) {
    real k = law.flags & LAW_TOTAL_SPRING ? spring_stiffness(stiffness, law, penetration_m) : 1.0;
    return 0.5 * k * vec3_dot(stretch, stretch);
}

#endif
