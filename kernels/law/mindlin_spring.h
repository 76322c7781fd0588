// The tangential spring of Mindlin's law: a second friction law beside the regularised one.
//
// k_t = shear K sqrt(delta) = 8 G* sqrt(R* delta), no slip within the contact area (Mindlin, J. Appl. Mech. 16 (1949)
// 259), changes with the overlap, and the law must define how a stretched spring behaves then. Force F = p z of the
// stretch z:
//   conservative: p = sqrt(k_t), dz/dt = sqrt(k_t) slip. Its energy z^2/2 changes by the slip's work
//                 alone. A force that grew faster with k_t would create energy where the overlap grows, one that fell
//                 slower where it shrinks.
//   partial:      four of these side by side, which slip one after the other: slip that spreads over the contact area.
//   total:        p = k_t, dz/dt = slip: z is the whole slip since the contact began. Creates energy where the
//                 overlap grows.
// Beside it a dashpot c = 2 sqrt(5/6) b sqrt(m k_t), b = -ln e / sqrt(pi^2 + ln^2 e), m the reduced mass (Tsuji,
// Tanaka, Ishida, Powder Technology 71 (1992) 239, for Hertz's contact). All pull with at most mu K delta^1.5: mu times
// the elastic part of the normal force, as in codes that have this law. An impact that slips throughout ends the same
// by that, since the normal damper's impulse, an integral of delta^1.5 over loading and unloading, is zero. z is cut to
// where the springs alone would: what is cut is lost. Between evaluations z is carried along with the normal.
//
// On a linear normal force k_t does not change: shear k / 1.5, so that it is to k as Mindlin's to the slope of Hertz's
// force, 1.5 K sqrt(delta), at the same depth: of equal materials 2 (1 - nu)/(2 - nu) (Cundall and Strack, Geotechnique
// 29 (1979) 47, have such springs). The dashpot has the damping ratio of the normal one, and the limit is mu times the
// whole normal force: over loading and unloading the impulse of its dashpot does not vanish where the force is cut.
#ifndef CLACK_LAW_MINDLIN_SPRING_H
#define CLACK_LAW_MINDLIN_SPRING_H

#include "law/law_damping.h"

#define SPRING_ROUNDING 1.0e-15           // of its length: a stretch that was cut is not cut again
#define SPRING_DASHPOT 1.8257418583505537 // 2 sqrt(5/6)
#define SPRING_PER_SLOPE (1.0 / 1.5)      // K sqrt(delta) over the slope of Hertz's force
#define SPRING_PI_SQUARED 9.869604401089358

// Mindlin's force at constant overlap, mu N (1 - (1 - x)^1.5) with x = k_t slip / (1.5 mu N), as four springs, each for
// those that begin to slip in a quarter of 0 < x < 1: shares of the stiffness, differences of (1 - x)^0.5, and of the
// limit.
CONSTANT real SPRING_STIFFNESS_SHARE[SPRING_PARTS] = {0.1339745962155614, 0.15891862259789102, 0.20710678118654757,
                                                      0.5};
CONSTANT real SPRING_LIMIT_SHARE[SPRING_PARTS] = {0.025721420742506523, 0.09039510277430898, 0.19638347648318447,
                                                  0.6875};

FN u32 spring_is_of_law(MaterialPairLaw law) { return SCENE_SPRINGS != 0 && law.shear > 0.0 ? 1u : 0u; }

/// Has a coupling a tangential spring? Joints have none.
FN u32 spring_is_of(const SceneView *view, GLOBAL const Contact *contact) {
    return !contact_is_joint(contact) && spring_is_of_law(COPY(view->laws[contact->pair.law])) ? 1u : 0u;
}

FN u32 spring_parts(MaterialPairLaw law) { return law.flags & LAW_PARTIAL_SPRING ? SPRING_PARTS : 1u; }

/// Its share of k_t.
FN real spring_share(MaterialPairLaw law, u32 part) {
    return law.flags & LAW_PARTIAL_SPRING ? SPRING_STIFFNESS_SHARE[part] : 1.0;
}

/// k_t, N/m.
FN real spring_stiffness(real stiffness, MaterialPairLaw law, real penetration_m) {
    if (law_is_linear(law.normal_law)) return SPRING_PER_SLOPE * law.shear * stiffness;
    return law.shear * stiffness * real_sqrt(real_max(penetration_m, 0.0));
}

/// p: force of a unit of stretch.
FN real spring_force_per_stretch(MaterialPairLaw law, real stiffness) {
    return law.flags & LAW_TOTAL_SPRING ? stiffness : real_sqrt(stiffness);
}

/// Stretch by a unit of slip.
FN real spring_stretch_per_slip(MaterialPairLaw law, real stiffness) {
    return law.flags & LAW_TOTAL_SPRING ? 1.0 : real_sqrt(stiffness);
}

/// LawConstants.shear_damping: c over sqrt(k_t). What does not bounce (law_damping) has e = 0.
FN real spring_damping(MaterialPairLaw law, real approach_speed_m_per_s, real mass_kg) {
    if (law.damping == DAMPING_NONE) return 0.0;
    real ratio = 1.0;
    if (approach_speed_m_per_s > law.speed_small_m_per_s && law.restitution > 0.0) {
        real ln = law_log(law.restitution);
        ratio = (0.0 - ln) / real_sqrt(SPRING_PI_SQUARED + ln * ln);
    }
    return SPRING_DASHPOT * ratio * real_sqrt(mass_kg);
}

/// The same beside a linear normal force. mass_along_kg: effective, along the normal; mass_kg: reduced.
FN real spring_damping_linear(LawConstants c, real mass_along_kg, real mass_kg) {
    return c.dashpot_N_s_per_m * real_sqrt(mass_kg / (c.stiffness * mass_along_kg));
}

/// How strongly springs may pull, N. normal_N: the whole normal force.
FN real spring_limit(LawConstants c, MaterialPairLaw law, real penetration_m, real normal_N) {
    real depth = real_max(penetration_m, 0.0);
    if (law_is_linear(c.normal_law)) return law.friction * normal_N;
    return law.friction * c.stiffness * depth * real_sqrt(depth);
}

/// Rotate a vector by the least rotation that takes the unit vector `from` to `to`. Opposite ones: unchanged.
FN Vec3 spring_parallel_transport(Vec3 v, Vec3 from, Vec3 to) {
    Vec3 axis = vec3_cross(from, to);
    real open = 1.0 + vec3_dot(from, to);
    if (!(open > REAL_EPSILON)) return v;
    Vec3 once = vec3_cross(axis, v);
    return vec3_add_scaled(vec3_add(v, once), vec3_cross(axis, once), 1.0 / open);
}

/// Rotate a vector about a unit axis across it by a small angle, to its fifth power.
FN Vec3 spring_rotate(Vec3 v, Vec3 axis, real angle) {
    real half_tan = 0.5 * angle * (1.0 + angle * angle / 12.0);
    real scale = 1.0 / (1.0 + half_tan * half_tan);
    return vec3_add_scaled(vec3_scale(v, (1.0 - half_tan * half_tan) * scale), vec3_cross(axis, v),
                           2.0 * half_tan * scale);
}

/// Force of the springs and their dashpot on B, at most limit (spring_limit); sliding: velocity of B against A across
/// the normal, like the stretches, which are cut, by cuts. Tested: tests/kernels/law/test_spring_law.cc.
FN Vec3 spring_force(LawConstants c, MaterialPairLaw law, real penetration_m, real limit, Vec3 *stretches, Vec3 sliding,
                     real *cuts) {
    real stiffness = spring_stiffness(c.stiffness, law, real_max(penetration_m, 0.0));
    real per_stretch = spring_force_per_stretch(law, stiffness);
    Vec3 force = vec3_zero();
    for (u32 part = 0; part < spring_parts(law); part++) {
        real share = spring_share(law, part);
        real part_limit = law.flags & LAW_PARTIAL_SPRING ? SPRING_LIMIT_SHARE[part] / share : 1.0;
        real length = vec3_length(stretches[part]);
        real longest = limit > 0.0 ? part_limit * limit / per_stretch : 0.0;
        cuts[part] = 0.0;
        if (length > longest * (1.0 + SPRING_ROUNDING)) {
            stretches[part] = vec3_scale(stretches[part], longest / length);
            cuts[part] = length - longest;
        }
        force = vec3_add_scaled(force, stretches[part], 0.0 - share * per_stretch);
    }
    force = vec3_add_scaled(force, sliding, 0.0 - c.shear_damping * real_sqrt(stiffness));
    real size = vec3_length(force);
    return size > limit ? vec3_scale(force, limit / size) : force;
}

/// Energy of the springs, J.
FN real spring_energy(real stiffness, MaterialPairLaw law, real penetration_m, const Vec3 *stretches) {
    real k = law.flags & LAW_TOTAL_SPRING ? spring_stiffness(stiffness, law, penetration_m) : 1.0;
    real squares = 0.0;
    for (u32 part = 0; part < spring_parts(law); part++)
        squares += spring_share(law, part) * vec3_dot(stretches[part], stretches[part]);
    return 0.5 * k * squares;
}

#endif
