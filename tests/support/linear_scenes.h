// Pairs with a linear normal force, and closed forms of their impacts.
#ifndef CLACK_TESTS_LINEAR_SCENES_H
#define CLACK_TESTS_LINEAR_SCENES_H

#include "scene_builder.h"

inline void make_linear(ScenePair &pair, double stiffness, double damping, double restitution = 0) {
    pair.normal_law = NORMAL_LINEAR;
    pair.linear_stiffness_N_per_m = stiffness;
    pair.linear_damping_N_s_per_m = damping;
    pair.linear_restitution = restitution;
}

// An undisturbed impact at 1 m/s of 1 kg on 1 N/m, of which all others follow by their scales: speed v, time sqrt(m/k).
// Each derivative of exp(-cos(phi) t) sin(sin(phi) t + x) lessens x by phi and changes the sign: the force is that of
// x = -2 phi, which ends it at t = 2 phi / sin(phi) and has its peak at (3 phi - pi) / sin(phi), if that is positive.
struct LinearImpact {
    double force_time; // until the force is 0
    double time;       // until the overlap is, at the speed it was left with
    double restitution;
    double depth, force; // largest
};

inline LinearImpact linear_impact(double zeta) {
    LinearImpact impact;
    double half = 1, angle_by_tangent = 1; // phi / sin(phi) and phi cot(phi): psi / sinh(psi), psi coth(psi) beyond 1
    if (zeta < 1) {
        const double phi = std::acos(zeta);
        half = phi / std::sin(phi);
        angle_by_tangent = phi / std::tan(phi);
    } else if (zeta > 1) {
        const double psi = std::acosh(zeta);
        half = psi / std::sinh(psi);
        angle_by_tangent = psi / std::tanh(psi);
    }
    impact.force_time = 2 * half;
    impact.time = 2 * half + 2 * zeta; // left at a depth of 2 zeta times its speed
    impact.restitution = std::exp(-2 * angle_by_tangent);
    impact.depth = std::exp(-angle_by_tangent);
    const double phi = zeta < 1 ? std::acos(zeta) : 0;
    impact.force = zeta < 0.5 ? std::exp(-(3 * phi - M_PI) / std::tan(phi)) : 2 * zeta;
    return impact;
}

#endif
