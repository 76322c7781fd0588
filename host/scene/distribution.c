// What distributions can give.
#include "distribution.h"

#include <float.h>
#include <math.h>

void distribution_support(const Distribution *distribution, double *out_low, double *out_high) {
    double low = distribution->a, high = distribution->b;
    switch (distribution->kind) {
    case DISTRIBUTION_NORMAL:
        low = -INFINITY;
        high = INFINITY;
        break;
    case DISTRIBUTION_LOGNORMAL:
    case DISTRIBUTION_EXPONENTIAL:
    case DISTRIBUTION_WEIBULL:
        low = DBL_MIN; // positive: 0 itself has no probability, and sample_quantile keeps off it
        high = INFINITY;
        break;
    case DISTRIBUTION_DISCRETE:
    case DISTRIBUTION_COLUMN:
        low = INFINITY;
        high = -INFINITY;
        for (size_t i = 0; i < distribution->value_count; i++) {
            low = fmin(low, distribution->values[i]);
            high = fmax(high, distribution->values[i]);
        }
        break;
    default: break;
    }
    *out_low = fmax(low, distribution->lower);
    *out_high = fmin(high, distribution->upper);
    if (distribution->kind != DISTRIBUTION_INTEGER) return;
    *out_low = ceil(*out_low);
    *out_high = floor(*out_high);
}

uint64_t distribution_value_count(const Distribution *distribution) {
    double low = 0, high = 0;
    if (distribution->kind == DISTRIBUTION_DISCRETE) return distribution->value_count;
    if (distribution->kind != DISTRIBUTION_INTEGER) return 0;
    distribution_support(distribution, &low, &high);
    return (uint64_t)(high - low) + 1;
}

bool distribution_is_bounded(const Distribution *distribution) {
    double low = 0, high = 0;
    distribution_support(distribution, &low, &high);
    return isfinite(low) && isfinite(high);
}
