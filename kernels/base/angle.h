// Angles by operations that are rounded alike everywhere: +, -, *, / and the square root.
#ifndef CLACK_BASE_ANGLE_H
#define CLACK_BASE_ANGLE_H

#include "base/portable.h"

#define ANGLE_HALF_TURN 3.14159265358979323846
#define ANGLE_TURN 6.28318530717958647693

/// atan(x) of 0 <= x <= 1, to 7e-16 of it (tests/kernels/base/test_elementary.cc): three halvings of the angle, then
/// the series up to x^15.
FN_SHORT real angle_of_slope(real x) {
    for (u32 k = 0; k < 3; k++) x = x / (1.0 + real_sqrt(real_fma(x, x, 1.0)));
    real y = x * x, sum = -1.0 / 15.0;
    sum = real_fma(sum, y, 1.0 / 13.0);
    sum = real_fma(sum, y, -1.0 / 11.0);
    sum = real_fma(sum, y, 1.0 / 9.0);
    sum = real_fma(sum, y, -1.0 / 7.0);
    sum = real_fma(sum, y, 1.0 / 5.0);
    sum = real_fma(sum, y, -1.0 / 3.0);
    return 8.0 * real_fma(x * y, sum, x);
}

/// Angle of the point (x, y) from the x axis, rad, in [-pi, pi]; of (0, 0) it is 0.
FN_ONCE real angle_of_point(real y, real x) {
    real across = real_abs(y), along = real_abs(x);
    real most = real_max(across, along), least = real_min(across, along);
    if (!(most > 0.0)) return 0.0;
    real angle = angle_of_slope(least / most);
    if (across > along) angle = 0.5 * ANGLE_HALF_TURN - angle;
    if (x < 0.0) angle = ANGLE_HALF_TURN - angle;
    return y < 0.0 ? 0.0 - angle : angle;
}

#endif
