// The elastic normal force of a contact region, from its depth, area and volume; how long an impact on it takes.
#ifndef CLACK_LAW_REGION_LAW_H
#define CLACK_LAW_REGION_LAW_H

#include "base/elementary.h"
#include "model/workspace.h"

#define REGION_TWO_PI 6.283185307179586
// Duration of an impact on K d^1.5 over the greatest depth and the speed: 2 sqrt(pi) Gamma(1.4) / Gamma(0.9). Johnson,
// Contact Mechanics, eq. 11.24.
#define REGION_IMPACT 2.943275

typedef struct RegionElastic {
    real force_N, slope_N_per_m; // derivative by the depth
    real energy_J;
} RegionElastic;

/// x^e, x > 0, alike everywhere.
FN_ONCE real region_power(real x, real e) {
    if (e == 1.5) return x * real_sqrt(x);
    if (e == 1.0) return x;
    return elementary_exp(e * elementary_log(x));
}

/// K d^1.5 with K from the region itself: a cap of radius R and depth d has the area 2 pi R d, and that of two balls
/// the reduced radius instead (Johnson, Contact Mechanics, ch. 4). Its derivative at constant R*.
FN_SHORT RegionElastic region_hertz(real modulus_Pa, const FoundRegion *found) {
    RegionElastic out;
    out.force_N = 4.0 / 3.0 * modulus_Pa * real_sqrt(found->area_m2 / REGION_TWO_PI) * found->depth_m;
    out.slope_N_per_m = 1.5 * out.force_N / found->depth_m;
    out.energy_J = 0.4 * out.force_N * found->depth_m;
    return out;
}

FN_ONCE RegionElastic region_elastic(RegionLaw law, real modulus_Pa, const FoundRegion *found) {
    RegionElastic out = ALL_ZERO;
    real depth = found->depth_m;
    if (!(depth > 0.0)) return out;
    if (law.law == REGION_HERTZ) return region_hertz(modulus_Pa, found);
    if (law.law == REGION_CONSTANT) {
        out.force_N = law.stiffness * region_power(depth, law.exponent);
        out.slope_N_per_m = law.exponent * out.force_N / depth;
        out.energy_J = out.force_N * depth / (law.exponent + 1.0);
        return out;
    }
    out.force_N = law.stiffness * found->volume_m3;
    out.slope_N_per_m = law.stiffness * found->area_m2; // of a shift along the normal
    // Of a layer on a flat surface k times the integral of depth^2 / 2 over the area, which is the volume times the arm
    // of its centre. Else the force counts as a power of the depth, the one that it has here.
    if (found->arm_m >= 0.0)
        out.energy_J = out.force_N * found->arm_m;
    else if (out.force_N > 0.0)
        out.energy_J = out.force_N * depth / (1.0 + out.slope_N_per_m * depth / out.force_N);
    return out;
}

/// How long an impact takes that is at this depth with this speed, > 0 or < 0, s; REAL_HUGE where there is no force.
FN_ONCE real region_impact_s(RegionElastic elastic, real depth_m, real speed_m_per_s, real inverse_mass) {
    if (!(elastic.force_N > 0.0 && inverse_mass > 0.0)) return REAL_HUGE;
    real one_more = 1.0 + elastic.slope_N_per_m * depth_m / elastic.force_N; // the exponent plus 1
    real all_J = elastic.energy_J + 0.5 * speed_m_per_s * speed_m_per_s / inverse_mass;
    real deepest_m = depth_m * region_power(all_J / elastic.energy_J, 1.0 / one_more);
    return REGION_IMPACT * deepest_m / real_sqrt(2.0 * all_J * inverse_mass);
}

#endif
