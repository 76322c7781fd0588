// Cubic Hermite polynomials on 0..1: a quantity within a step from its values g0, g1 and slopes a0, a1 (rates times the
// step) at both ends.
#ifndef CLACK_BASE_CUBIC_H
#define CLACK_BASE_CUBIC_H

#include "base/portable.h"

#define CUBIC_ITERATIONS 60u
#define CUBIC_NEAR 1.0e-9                       // relative: a step of Newton's method leaves the square of that
#define CUBIC_GAUSS_NODE 0.77459666924148337704 // three-point Gauss rule on -1..1: 0 and +-sqrt(3/5)

typedef struct Cubic {
    real g0, a0, c2, c3; // g0 + a0 s + c2 s^2 + c3 s^3
} Cubic;

FN Cubic cubic_hermite(real g0, real a0, real g1, real a1) {
    Cubic cubic;
    real rise = g1 - g0;
    cubic.g0 = g0;
    cubic.a0 = a0;
    cubic.c2 = 3.0 * rise - 2.0 * a0 - a1;
    cubic.c3 = a0 + a1 - 2.0 * rise;
    return cubic;
}

FN real cubic_value(Cubic f, real s) { return real_fma(real_fma(real_fma(f.c3, s, f.c2), s, f.a0), s, f.g0); }

FN real cubic_slope(Cubic f, real s) { return real_fma(real_fma(3.0 * f.c3, s, 2.0 * f.c2), s, f.a0); }

/// Position of the cubic's minimum, for a0 < 0 and a rising end.
FN real cubic_minimum(Cubic f) {
    real square = f.c2 * f.c2 - 3.0 * f.c3 * f.a0;
    real denominator = f.c2 + real_sqrt(real_max(square, 0.0));
    if (!(denominator > 0.0)) return 0.5;
    return real_clamp(-f.a0 / denominator, 0.0, 1.0);
}

FN Cubic cubic_negate(Cubic f) {
    Cubic g;
    g.g0 = -f.g0;
    g.a0 = -f.a0;
    g.c2 = -f.c2;
    g.c3 = -f.c3;
    return g;
}

/// First s at which the cubic falls through zero; it is <= 0 at 1. If it starts at zero and rises, the fall after its
/// maximum.
FN real cubic_fall(Cubic f) {
    real low = f.a0 > 0.0 ? cubic_minimum(cubic_negate(f)) : 0.0;
    if (!(cubic_value(f, low) > 0.0)) return low; // at zero from the start: it falls from here on
    real high = 1.0;
    real s = 0.5 * (low + high);
    for (u32 i = 0; i < CUBIC_ITERATIONS; i++) {
        real value = cubic_value(f, s);
        if (value > 0.0) {
            low = s;
        } else {
            high = s;
        }
        real slope = cubic_slope(f, s);
        real next = slope < 0.0 ? s - value / slope : -1.0;
        real near = CUBIC_NEAR;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
            near = REAL_EPSILON;
        }
        if (real_abs(next - s) <= near * next) return next;
        s = next;
    }
    return s;
}

/// Integral over 0..1, from the two values and slopes.
FN real cubic_integral(Cubic f) { return f.g0 + 0.5 * f.a0 + f.c2 / 3.0 + 0.25 * f.c3; }

FN real cubic_root_at(Cubic f, real s) { return real_sqrt(real_max(cubic_value(f, s), 0.0)); }

/// Integral of the square root over low..high by the three-point Gauss rule.
FN real cubic_root_piece(Cubic f, real low, real high) {
    real middle = 0.5 * (low + high), reach = 0.5 * (high - low);
    real sum = 8.0 * cubic_root_at(f, middle) + 5.0 * (cubic_root_at(f, middle - CUBIC_GAUSS_NODE * reach) +
                                                       cubic_root_at(f, middle + CUBIC_GAUSS_NODE * reach));
    return reach * sum / 9.0;
}

// One side of a kink, which is at `kink`: a short piece next to it and a long one.
FN real cubic_root_side(Cubic f, real kink, real end) {
    real between = kink + 0.25 * (end - kink);
    return cubic_root_piece(f, kink, between) + cubic_root_piece(f, between, end);
}

/// Integral over 0..1 of the square root of a cubic >= 0, split at a minimum inside, where the root may have a kink.
FN real cubic_root_integral(Cubic f) {
    if (!(f.a0 < 0.0 && cubic_slope(f, 1.0) > 0.0)) return cubic_root_piece(f, 0.0, 1.0);
    real s = cubic_minimum(f);
    return cubic_root_side(f, s, 1.0) - cubic_root_side(f, s, 0.0);
}

/// Where g0 + g1 s + g2 s^2 falls through zero within 0..1, for one that is above it at 0 and below at 1; < 0: it is
/// not.
FN real cubic_fall_of_parabola(real g0, real g1, real g2) {
    if (!(g0 > 0.0 && g0 + g1 + g2 < 0.0)) return -1.0;
    return 2.0 * g0 / (real_sqrt(g1 * g1 - 4.0 * g0 * g2) - g1);
}

/// Position of the peak of depth^1.5 (1 + d depth'), for a cubic depth that rises at 0 and falls at 1. d in units of 1
/// / slope. < 0: none.
FN real cubic_force_peak(Cubic f, real d) {
    real low = 0.0, high = 1.0;
    for (u32 i = 0; i < CUBIC_ITERATIONS; i++) {
        real s = i == 0 ? 0.0 : (i == 1 ? 1.0 : 0.5 * (low + high));
        real slope = cubic_slope(f, s);
        // The sign of the derivative, without a positive factor.
        real sign = 1.5 * slope * (1.0 + d * slope) + d * cubic_value(f, s) * real_fma(6.0 * f.c3, s, 2.0 * f.c2);
        if (i == 0 && !(sign > 0.0)) return -1.0;
        if (i == 1 && !(sign < 0.0)) return -1.0;
        if (sign > 0.0) {
            low = s;
        } else {
            high = s;
        }
    }
    return 0.5 * (low + high);
}

#endif
