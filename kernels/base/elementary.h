// Elementary functions by operations that are rounded alike everywhere: +, -, *, /, fma, the square root, floor. The
// built-in ones of OpenCL differ between devices. Off by up to 1.7e-16 (sine, cosine) and 1.5e-16 and 2.4e-16 of the
// value (exp, log): tests/kernels/base/test_elementary.cc.
#ifndef CLACK_BASE_ELEMENTARY_H
#define CLACK_BASE_ELEMENTARY_H

#include "base/angle.h"

// pi/2 and ln 2 in two parts each
#define ELEMENTARY_QUARTER 1.57079632679489661923
#define ELEMENTARY_QUARTER_REST 6.123233995736766e-17
#define ELEMENTARY_LN2 0.69314718055994528623
#define ELEMENTARY_LN2_REST 2.3190468138462996e-17
#define ELEMENTARY_EXP_LARGEST 709.7

FN_SHORT real elementary_none(void) { return real_sqrt(-1.0); }

/// sin(r) and cos(r) of |r| <= pi/4 by their series.
FN_SHORT real elementary_sine(real r) {
    real y = r * r, sum = 1.0 / 355687428096000.0;
    sum = real_fma(sum, y, -1.0 / 1307674368000.0);
    sum = real_fma(sum, y, 1.0 / 6227020800.0);
    sum = real_fma(sum, y, -1.0 / 39916800.0);
    sum = real_fma(sum, y, 1.0 / 362880.0);
    sum = real_fma(sum, y, -1.0 / 5040.0);
    sum = real_fma(sum, y, 1.0 / 120.0);
    sum = real_fma(sum, y, -1.0 / 6.0);
    return real_fma(r * y, sum, r);
}

FN_SHORT real elementary_cosine(real r) {
    real y = r * r, sum = 1.0 / 20922789888000.0;
    sum = real_fma(sum, y, -1.0 / 87178291200.0);
    sum = real_fma(sum, y, 1.0 / 479001600.0);
    sum = real_fma(sum, y, -1.0 / 3628800.0);
    sum = real_fma(sum, y, 1.0 / 40320.0);
    sum = real_fma(sum, y, -1.0 / 720.0);
    sum = real_fma(sum, y, 1.0 / 24.0);
    return real_fma(y * y, sum, real_fma(-0.5, y, 1.0));
}

/// sin(x + quarters pi/2), |x| up to 10^5; beyond, less and less exact.
FN_ONCE real elementary_sin(real x, u32 quarters) {
    real count = real_floor(real_fma(x, 1.0 / ELEMENTARY_QUARTER, 0.5));
    real r = real_fma(0.0 - count, ELEMENTARY_QUARTER, x);
    r = real_fma(0.0 - count, ELEMENTARY_QUARTER_REST, r);
    u32 quadrant = (u32)(count - 4.0 * real_floor(0.25 * count)) + quarters;
    real value = quadrant & 1u ? elementary_cosine(r) : elementary_sine(r);
    return quadrant & 2u ? 0.0 - value : value;
}

FN_ONCE real elementary_exp(real x) {
    if (!(x < ELEMENTARY_EXP_LARGEST)) return x * real_of_bits((u64)2047 << 52); // infinite; of no number none
    if (x < 0.0 - ELEMENTARY_EXP_LARGEST) return 0.0;
    real count = real_floor(real_fma(x, 1.0 / ELEMENTARY_LN2, 0.5));
    real r = real_fma(0.0 - count, ELEMENTARY_LN2, x);
    r = real_fma(0.0 - count, ELEMENTARY_LN2_REST, r);
    real sum = 1.0 / 6227020800.0;
    sum = real_fma(sum, r, 1.0 / 479001600.0);
    sum = real_fma(sum, r, 1.0 / 39916800.0);
    sum = real_fma(sum, r, 1.0 / 3628800.0);
    sum = real_fma(sum, r, 1.0 / 362880.0);
    sum = real_fma(sum, r, 1.0 / 40320.0);
    sum = real_fma(sum, r, 1.0 / 5040.0);
    sum = real_fma(sum, r, 1.0 / 720.0);
    sum = real_fma(sum, r, 1.0 / 120.0);
    sum = real_fma(sum, r, 1.0 / 24.0);
    sum = real_fma(sum, r, 1.0 / 6.0);
    sum = real_fma(sum, r, 0.5);
    real power = 1.0 + real_fma(r * r, sum, r);
    // In two factors: 2^count alone may not be a normal number.
    i32 first = (i32)count / 2, second = (i32)count - first;
    return power * real_of_bits((u64)(first + 1023) << 52) * real_of_bits((u64)(second + 1023) << 52);
}

/// Natural logarithm of x > 0 that is not subnormal; of others no number.
FN_ONCE real elementary_log(real x) {
    if (!(x > 1.0e-300)) return elementary_none();
    u64 bits = real_bits(x);
    real exponent = (real)(i32)(bits >> 52) - 1023.0;
    real m = real_of_bits((bits & (((u64)1 << 52) - 1u)) | ((u64)1023 << 52));
    if (m > 1.41421356237309505) {
        m *= 0.5;
        exponent += 1.0;
    }
    real s = (m - 1.0) / (m + 1.0), y = s * s, sum = 1.0 / 21.0;
    sum = real_fma(sum, y, 1.0 / 19.0);
    sum = real_fma(sum, y, 1.0 / 17.0);
    sum = real_fma(sum, y, 1.0 / 15.0);
    sum = real_fma(sum, y, 1.0 / 13.0);
    sum = real_fma(sum, y, 1.0 / 11.0);
    sum = real_fma(sum, y, 1.0 / 9.0);
    sum = real_fma(sum, y, 1.0 / 7.0);
    sum = real_fma(sum, y, 1.0 / 5.0);
    sum = real_fma(sum, y, 1.0 / 3.0);
    real small = real_fma(2.0 * s * y, sum, real_fma(exponent, ELEMENTARY_LN2_REST, 2.0 * s));
    return real_fma(exponent, ELEMENTARY_LN2, small);
}

#endif
