// Inverses of (truncated) cumulative distribution functions. Whatever is small is computed as a small
// number, in either tail, so that truncation costs no digits.
#include "sample.h"

#include <assert.h>
#include <math.h>

#include "sample_internal.h"

// --- the normal distribution ----------------------------------------------------------------------

// P(Z > z), accurate in the upper tail.
static double normal_upper_tail(double z) { return 0.5 * erfc(z * 0.70710678118654752440); }

static double polynomial7(const double *coefficients, double x) {
    double sum = coefficients[7];
    for (int i = 6; i >= 0; i--) sum = sum * x + coefficients[i];
    return sum;
}

// z with P(Z > z) = tail, for 0 < tail <= 1/2. Source: Wichura, Algorithm AS 241 (PPND16), Applied
// Statistics 37 (1988) 477; relative error about 1e-16.
static double normal_upper_quantile(double tail) {
    static const double near_a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                     1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                     3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double near_b[8] = {1.0,
                                     4.2313330701600911252e+1,
                                     6.8718700749205790830e+2,
                                     5.3941960214247511077e+3,
                                     2.1213794301586595867e+4,
                                     3.9307895800092710610e+4,
                                     2.8729085735721942674e+4,
                                     5.2264952788528545610e+3};
    static const double middle_a[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                       3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                       2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double middle_b[8] = {1.0,
                                       2.05319162663775882187e0,
                                       1.67638483018380384940e0,
                                       6.89767334985100004550e-1,
                                       1.48103976427480074590e-1,
                                       1.51986665636164571966e-2,
                                       5.47593808499534494600e-4,
                                       1.05075007164441684324e-9};
    static const double far_a[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                    2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double far_b[8] = {1.0,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};
    const double q = 0.5 - tail;
    if (q <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial7(near_a, r) / polynomial7(near_b, r);
    }
    const double r = sqrt(-log(tail));
    if (r <= 5) return polynomial7(middle_a, r - 1.6) / polynomial7(middle_b, r - 1.6);
    return polynomial7(far_a, r - 5) / polynomial7(far_b, r - 5);
}

// Standard normal between z_low < z_high at probability u. Whatever is small is computed as a small
// number: probabilities count from the nearer tail, never as 1 - tiny. NaN if double precision finds
// nothing between the bounds.
static double truncated_normal(double z_low, double z_high, double u) {
    const double sign = z_low > 0 ? -1 : 1;
    if (sign < 0) { // an interval in the upper tail is its mirror image in the lower one
        const double z = z_low;
        z_low = -z_high;
        z_high = -z;
        u = 1 - u;
    }
    const double below = normal_upper_tail(-z_low); // P(Z < z_low)
    if (z_high <= 0) {
        const double inside = normal_upper_tail(-z_high) - below;
        const double tail = below + u * inside;
        return inside > 0 ? -sign * normal_upper_quantile(fmin(tail, 0.5)) : (double)NAN;
    }
    const double above = normal_upper_tail(z_high);
    const double inside = 1 - below - above;
    const double from_below = below + u * inside;
    if (from_below <= 0.5) return -normal_upper_quantile(from_below);
    return normal_upper_quantile(fmin(above + (1 - u) * inside, 0.5));
}

// --- other distributions --------------------------------------------------------------------------

static double discrete_quantile(const Distribution *distribution, double u) {
    size_t low = 0, high = distribution->value_count - 1; // the first with cumulative > u
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (distribution->cumulative[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return distribution->values[low];
}

// (low, high) here and below: what truncation leaves of the support.

// Exponential of mean 1 above `low`: what lies above any bound is exponential again, so that only the
// distance of the bounds counts.
static double truncated_exponential(double low, double high, double u) { return low - log1p(u * expm1(low - high)); }

static double triangular_quantile(const Distribution *triangle, double low, double high, double u) {
    const double start = triangle->a, end = triangle->b, mode = triangle->c;
    const double width = end - start;
    if (high <= mode) // on the rising side alone: F = (x - start)^2 / (width (mode - start))
        return start + sqrt((low - start) * (low - start) + u * ((high - low) * ((high - start) + (low - start))));
    if (low >= mode)
        return end - sqrt((end - high) * (end - high) + (1 - u) * ((high - low) * ((end - high) + (end - low))));
    const double rise = (mode - start) * width, fall = (end - mode) * width;
    const double below = low > start ? (low - start) * (low - start) / rise : 0;
    const double above = high < end ? (end - high) * (end - high) / fall : 0;
    const double from_below = below + u * (1 - below - above);
    if (from_below * width <= mode - start) return start + sqrt(from_below * rise);
    return end - sqrt((above + (1 - u) * (1 - below - above)) * fall);
}

static double weibull_quantile(const Distribution *weibull, double low, double high, double u) {
    const double shape = weibull->a, scale = weibull->b;
    const double power = truncated_exponential(pow(low / scale, shape), pow(high / scale, shape), u);
    return scale * pow(power, 1 / shape);
}

static double beta_quantile(const Distribution *beta, double low, double high, double u) {
    const double width = beta->b - beta->a;
    return beta->a +
           width * sample_beta_quantile(beta->c, beta->d, (low - beta->a) / width, (high - beta->a) / width, u);
}

double sample_quantile(const Distribution *distribution, double u) {
    assert(u >= 0 && u <= 1);
    const double a = distribution->a, b = distribution->b;
    double low = 0, high = 0, value = 0;
    if (distribution->kind == DISTRIBUTION_DISCRETE) return discrete_quantile(distribution, u);
    distribution_support(distribution, &low, &high);
    switch (distribution->kind) {
    case DISTRIBUTION_UNIFORM: value = low + u * (high - low); break;
    case DISTRIBUTION_LOG_UNIFORM: value = exp(log(low) + u * (log(high) - log(low))); break;
    case DISTRIBUTION_NORMAL: value = a + b * truncated_normal((low - a) / b, (high - a) / b, u); break;
    case DISTRIBUTION_LOGNORMAL:
        value = exp(a + b * truncated_normal((log(low) - a) / b, (log(high) - a) / b, u));
        break;
    case DISTRIBUTION_TRIANGULAR: value = triangular_quantile(distribution, low, high, u); break;
    case DISTRIBUTION_EXPONENTIAL: value = a * truncated_exponential(low / a, high / a, u); break;
    case DISTRIBUTION_WEIBULL: value = weibull_quantile(distribution, low, high, u); break;
    case DISTRIBUTION_BETA: value = beta_quantile(distribution, low, high, u); break;
    case DISTRIBUTION_INTEGER: value = low + floor(u * (high - low + 1)); break;
    case DISTRIBUTION_DISCRETE: break;
    case DISTRIBUTION_DERIVED: return NAN;
    case DISTRIBUTION_COLUMN: // no distribution: any value that it has
        value = distribution->values[0];
        break;
    }
    if (isnan(value)) return NAN;        // no probability left: study_read refuses such a distribution
    return fmin(fmax(value, low), high); // rounding must not leave the range that was checked
}
