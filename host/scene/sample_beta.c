// The beta distribution: regularised incomplete beta function by its continued fraction, inverted by
// Newton steps in the logarithm of x, kept within a bracket.
#define _DEFAULT_SOURCE // lgamma_r: lgamma writes a global
#include "sample_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>

// The fraction needs about sqrt(max(alpha, beta)) terms: 100 for the largest allowed.
#define FRACTION_TERMS_MAX 2000
#define NEWTON_STEPS_MAX 200 // bisection alone takes 60 to resolve the bracket

typedef struct Beta {
    double alpha, beta;
    double log_function; // log B(alpha, beta)
} Beta;

static Beta beta_make(double alpha, double beta) {
    int sign = 0;
    const double sum = lgamma_r(alpha, &sign) + lgamma_r(beta, &sign);
    return (Beta){alpha, beta, sum - lgamma_r(alpha + beta, &sign)};
}

static Beta beta_mirror(Beta law) { return (Beta){law.beta, law.alpha, law.log_function}; }

// Lentz's algorithm for the continued fraction of I_x(alpha, beta), good for x below the mean.
// Source: NIST Digital Library of Mathematical Functions, 8.17.22.
static double beta_fraction(Beta law, double x) {
    const double a = law.alpha, b = law.beta, tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m <= FRACTION_TERMS_MAX; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return value;
}

// log(x^alpha (1 - x)^beta / B): x and 1 - x are given apart, since either may be tiny.
static double beta_log_front(Beta law, double x, double x_left) {
    const double log_x = x < 0.5 ? log(x) : log1p(-x_left);
    const double log_left = x < 0.5 ? log1p(-x) : log(x_left);
    return law.alpha * log_x + law.beta * log_left - law.log_function;
}

// P(X < x) with x_left = 1 - x.
static double beta_below(Beta law, double x, double x_left) {
    if (!(x > 0)) return 0;
    if (!(x_left > 0)) return 1;
    const double front = exp(beta_log_front(law, x, x_left));
    if (x * (law.alpha + law.beta + 2) < law.alpha + 1) return front * beta_fraction(law, x) / law.alpha;
    return 1 - front * beta_fraction(beta_mirror(law), x_left) / law.beta;
}

// x with P(X < x) = tail, for 0 <= tail <= 1/2. In t = log x the logarithm of P is nearly a line
// for small x and bends down from there, so that Newton's steps come from the left without overshoot.
static double beta_tail_quantile(Beta law, double tail) {
    if (!(tail > 0)) return 0;
    const double log_tail = log(tail);
    double low = -745, high = 0; // logarithms of all doubles up to 1
    double t = (log_tail + log(law.alpha) + law.log_function) / law.alpha;
    t = fmin(t, log(law.alpha / (law.alpha + law.beta)));
    if (!(t > low)) return 0; // below the smallest double
    for (int i = 0; i < NEWTON_STEPS_MAX; i++) {
        const double x = exp(t), x_left = -expm1(t);
        const double below = beta_below(law, x, x_left);
        if (below < tail)
            low = t;
        else
            high = t;
        const double slope = exp(beta_log_front(law, x, x_left)) / (x_left * below);
        double next = t - (log(below) - log_tail) / slope;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        const double step = fabs(next - t);
        t = next;
        if (step <= DBL_EPSILON * fmax(fabs(t), 0.5) || !(low < high)) break;
    }
    return exp(t);
}

double sample_beta_quantile(double alpha, double beta, double low, double high, double u) {
    assert(alpha > 0 && beta > 0 && low >= 0 && high <= 1);
    const Beta law = beta_make(alpha, beta), mirror = beta_mirror(law);
    const double below_low = beta_below(law, low, 1 - low);
    const double below_high = beta_below(law, high, 1 - high);
    const double above_low = beta_below(mirror, 1 - low, low);
    const double above_high = beta_below(mirror, 1 - high, high);
    double inside = 1 - below_low - above_high;
    if (below_high <= 0.5) inside = below_high - below_low;
    if (above_low <= 0.5) inside = above_low - above_high;
    if (!(inside > 0)) return NAN;
    const double from_below = below_low + u * inside;
    if (from_below <= 0.5) return beta_tail_quantile(law, from_below);
    return 1 - beta_tail_quantile(mirror, fmin(above_high + (1 - u) * inside, 0.5));
}
