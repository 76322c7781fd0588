// The damping ratio of a linear contact from its coefficient of restitution.
#ifndef CLACK_LINEAR_DAMPING_H
#define CLACK_LINEAR_DAMPING_H

#ifdef __cplusplus
extern "C" {
#endif

/// zeta = c / (2 sqrt(k m)) with which an undisturbed impact of a mass m under f = max(0, k delta + c u) rebounds with
/// this restitution, 0 < restitution <= 1: at least 0, beyond 1 for restitutions below exp(-2) = 0.135. Relative error
/// 1e-14, absolute 1e-16. Cannot fail. The contact ends as far as forces go when f comes to 0, before the overlap does:
/// with phi = acos(zeta) after 2 phi / sin(phi) in units of sqrt(m / k), and restitution = exp(-2 phi cot(phi)); where
/// zeta > 1 with hyperbolic functions of acosh(zeta).
/// Source: Schwager and Poeschel, Granular Matter 9 (2007) 465, in their terms exp(-beta / omega (pi - atan(...))).
/// Tested: tests/kernels/law/test_linear_law.cc.
double linear_damping_ratio(double restitution);

#ifdef __cplusplus
}
#endif

#endif
