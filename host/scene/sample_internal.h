// Shared by sample*.c alone.
#ifndef CLACK_SAMPLE_INTERNAL_H
#define CLACK_SAMPLE_INTERNAL_H

#include "sample.h"

/// FNV-1a, 64 bits.
uint64_t sample_name_hash(const char *parameter_name);

/// Coordinate in (0, 1) of a scene of the study's design (any but a grid) for one parameter.
double sample_design_uniform(const Study *study, uint64_t scene_index, uint32_t parameter);

/// Derived parameters from the coordinates and variables that `values` (parameter_count) holds.
void sample_derive(const Study *study, double *values);

/// CLACK_STUDY, and which number of which scene, where a derived number is not what it has to be.
ClackStatus sample_check(const Study *study, uint64_t scene_index, const double *values, const SceneDescription *scene,
                         ClackReport *report);

/// Beta distribution on [0, 1] with exponents alpha, beta > 0 (at most 1e4), truncated to
/// 0 <= low < high <= 1, at probability u. NaN if double precision finds nothing between the bounds.
double sample_beta_quantile(double alpha, double beta, double low, double high, double u);

#endif
