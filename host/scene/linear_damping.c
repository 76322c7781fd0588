// Damping ratios of linear contacts: the inverse of restitution = exp(-2 zeta A(zeta)), A = phi / sin(phi).
#include "linear_damping.h"

#include <assert.h>
#include <math.h>

// Newton's method rises to the root from below, after its first step, since zeta A is concave: 5 were the most seen.
#define RATIO_STEPS 12

// A, half of the time until the force is 0, in units of sqrt(m / k); falls from pi/2 at 0 through 1 at 1.
static double half_time(double zeta) {
    const double square = (1 - zeta) * (1 + zeta);
    if (square == 0) return 1;
    return square > 0 ? acos(zeta) / sqrt(square) : acosh(zeta) / sqrt(-square);
}

// dA/dzeta. Only steers the search, so a few digits do near 1.
static double half_time_slope(double zeta, double time) {
    const double square = (1 - zeta) * (1 + zeta);
    return fabs(square) < 1e-6 ? -1.0 / 3.0 : (zeta * time - 1) / square;
}

double linear_damping_ratio(double restitution) {
    assert(restitution > 0 && restitution <= 1);
    const double wanted = -0.5 * log(restitution); // of zeta A
    double zeta = wanted < 1 ? wanted : cosh(wanted);
    for (int step = 0; step < RATIO_STEPS; step++) {
        const double time = half_time(zeta);
        zeta -= (zeta * time - wanted) / (time + zeta * half_time_slope(zeta, time));
    }
    return fmax(zeta, 0);
}
