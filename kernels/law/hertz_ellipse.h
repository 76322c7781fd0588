// Hertz's contact of two bodies whose relative curvature differs with the direction: the contact area is an ellipse.
#ifndef CLACK_LAW_HERTZ_ELLIPSE_H
#define CLACK_LAW_HERTZ_ELLIPSE_H

#include "base/portable.h"

#define HERTZ_RATIO_MAX 1.0e6 // of the principal radii: beyond it bodies touch along a line
#define HERTZ_LANDEN_STEPS 5u // of the arithmetic-geometric mean: enough for that ratio, 1e-14
#define HERTZ_ROOT_STEPS 12u  // of the secant method; 7 were the most seen

// Complete elliptic integrals K and E of an ellipse with half axes 1 and `flatness`, e^2 = 1 - flatness^2:
// K = pi / (2 mean), E = K (1 - e^2 (1 + deficit) / 2). Both parts are sums of positive terms: nothing cancels, also of
// a circle (mean 1, deficit 0).
typedef struct HertzEllipse {
    real mean, deficit;
} HertzEllipse;

/// 0 < flatness <= 1. Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 17.6.
FN HertzEllipse hertz_ellipse(real flatness) {
    real a = 0.5 * (1.0 + flatness), b = real_sqrt(flatness), c = 0.5 * (1.0 - flatness);
    real term = 0.5 * (1.0 - flatness) / (1.0 + flatness);
    HertzEllipse ellipse;
    ellipse.deficit = term;
    for (u32 step = 0; step < HERTZ_LANDEN_STEPS; step++) {
        real next = 0.5 * (a + b), share = 0.5 * c / (a + b);
        b = real_sqrt(a * b);
        a = next;
        c *= share;
        term *= 2.0 * share * share;
        ellipse.deficit += term;
    }
    ellipse.mean = a;
    return ellipse;
}

/// The ratio of the half axes that principal radii in this ratio would have if the ellipse's integrals were those of
/// `flatness`. Its fixed point is the ellipse of the contact. Source: Johnson, Contact Mechanics, eq. 4.28.
FN real hertz_flatness(HertzEllipse ellipse, real ratio) {
    return real_sqrt((1.0 - ellipse.deficit) / ((1.0 + ellipse.deficit) * ratio));
}

/// Radius of the ball that is as stiff against a plane: both have the force 4/3 E* sqrt(radius) approach^1.5.
/// *_curvature: principal relative curvatures, sums of those of both bodies, 1/m; the least may be 0 or less. 0 where
/// there is no such ball: the ratio of the two is beyond HERTZ_RATIO_MAX. Relative error 1e-14. Pure; host and device.
/// Source: Johnson, eqs 4.26 to 4.30: K = 4/3 E* sqrt(Re) F2^-1.5, Re^2 = R'R''.
/// Tested: tests/kernels/law/test_hertz.cc.
FN real hertz_radius_m(real least_curvature, real most_curvature) {
    if (!(least_curvature * HERTZ_RATIO_MAX >= most_curvature)) return 0.0;
    real ratio = real_max(1.0, most_curvature / least_curvature);
    real before = real_sqrt(1.0 / ratio);
    real off_before = before - hertz_flatness(hertz_ellipse(before), ratio);
    real flatness = before - off_before;
    HertzEllipse ellipse = hertz_ellipse(flatness);
    for (u32 step = 0; step < HERTZ_ROOT_STEPS; step++) {
        real off = flatness - hertz_flatness(ellipse, ratio);
        if (real_abs(off) <= REAL_EPSILON * flatness || off == off_before) break;
        real next = real_min(1.0, flatness - off * (flatness - before) / (off - off_before));
        before = flatness;
        off_before = off;
        flatness = next;
        ellipse = hertz_ellipse(flatness);
    }
    real deficit = ellipse.deficit;
    real radius = real_sqrt(1.0 / (least_curvature * most_curvature));
    return radius * ellipse.mean * ellipse.mean * real_sqrt((1.0 - deficit) * (1.0 + deficit)) / flatness;
}

#endif
