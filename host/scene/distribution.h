// Distributions that parameters are drawn from. Their quantiles are in sample.h.
#ifndef CLACK_DISTRIBUTION_H
#define CLACK_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum DistributionKind {
    DISTRIBUTION_UNIFORM,     // a = low, b = high
    DISTRIBUTION_LOG_UNIFORM, // a = low > 0, b = high
    DISTRIBUTION_NORMAL,      // a = mean, b = sd > 0
    DISTRIBUTION_DISCRETE,    // values with weights
    DISTRIBUTION_LOGNORMAL,   // a, b = mean, sd > 0 of the logarithm
    DISTRIBUTION_TRIANGULAR,  // a = low, b = high, c = mode
    DISTRIBUTION_EXPONENTIAL, // a = mean > 0
    DISTRIBUTION_WEIBULL,     // a = shape > 0, b = scale > 0
    DISTRIBUTION_BETA,        // on [a, b], exponents c = alpha > 0 and d = beta > 0
    DISTRIBUTION_INTEGER,     // whole numbers a to b, all alike
    DISTRIBUTION_COLUMN,      // values, one for each scene: column a (from 1) of the design's table
    DISTRIBUTION_DERIVED      // none of its own: computed from other parameters by a Derivation
} DistributionKind;

typedef struct Distribution {
    DistributionKind kind;
    double a, b, c, d;
    double lower, upper; // truncation; -INFINITY, INFINITY where none
    size_t value_count;  // discrete, column
    double *values;      // (value_count), owned by the study
    double *cumulative;  // (value_count): normalised cumulative weights, last = 1
} Distribution;

/// Bounds of what it can give.
void distribution_support(const Distribution *distribution, double *out_low, double *out_high);
/// How many values it can give; 0 for a continuous one.
uint64_t distribution_value_count(const Distribution *distribution);
bool distribution_is_bounded(const Distribution *distribution);

#ifdef __cplusplus
}
#endif
#endif
