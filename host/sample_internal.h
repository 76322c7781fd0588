// Shared by sample*.c alone.
#ifndef CLACK_SAMPLE_INTERNAL_H
#define CLACK_SAMPLE_INTERNAL_H

/// Beta distribution on [0, 1] with exponents alpha, beta > 0 (at most 1e4), truncated to
/// 0 <= low < high <= 1, at probability u. NaN if double precision finds nothing between the bounds.
double sample_beta_quantile(double alpha, double beta, double low, double high, double u);

#endif
