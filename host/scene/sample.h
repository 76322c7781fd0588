// (Study, scene index) -> parameter values -> scene: pure functions, independent of batch, order,
// device and rank.
#ifndef CLACK_SAMPLE_H
#define CLACK_SAMPLE_H

#include "status.h"
#include "study_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Value of the distribution at probability u in (0, 1): the inverse of its (truncated) cumulative
/// distribution function. Pure; cannot fail for a distribution that study_read accepted.
double sample_quantile(const Distribution *distribution, double u);

/// Uniform number in (0, 1), 53 bits, from Philox4x32-10 keyed by the seed; the counter is the scene
/// index and a 64-bit hash (FNV-1a) of the parameter's name, so that adding a parameter to a study
/// leaves the others' values alone. Source: Salmon et al., SC11 (2011).
double sample_uniform(uint64_t seed, uint64_t scene_index, const char *parameter_name);

/// Random permutation of the numbers below count (1 to 2^31), its own for each seed and parameter.
uint32_t sample_permute(uint64_t seed, const char *parameter_name, uint32_t count, uint32_t number);

/// Point `index` of the Sobol' sequence in one dimension, times 2^32; dimensions of
/// sobol_directions.h. Source: Joe and Kuo (2008), in the order of Antonov and Saleev.
uint32_t sample_sobol_point(uint32_t dimension, uint32_t index);

/// Design morris: after how many of the other inputs an input moves within a trajectory; at which of the levels the
/// parameter of this name is before that, from where it moves by half of them, upwards from the lower half.
uint32_t sample_morris_rank(uint64_t seed, uint64_t trajectory, uint32_t input, uint32_t input_count);
uint32_t sample_morris_level(uint64_t seed, uint64_t trajectory, const char *name, uint32_t levels);
/// Half of the levels, in probability.
double sample_morris_step(uint32_t levels);
/// 64 random bits: Philox4x32-10 keyed by the seed, its counter the two arguments.
uint64_t sample_bits(uint64_t seed, uint64_t counter, uint64_t name_hash);

/// Values of all parameters in one scene: out_values (parameter_count).
void sample_parameters(const Study *study, uint64_t scene_index, double *out_values);

/// Row of a block of the scene; offsets of bindings count from here.
void *sample_row(SceneDescription *scene, BindingBlock block, uint32_t index);
/// A scene of the study with its numbers bound. The description's arrays are one allocation owned by
/// the caller (scene_free).
ClackStatus sample_scene(const Study *study, const double *values, SceneDescription *out_scene, ClackReport *report);
/// The values of a scene of the design, and the scene. Errors: CLACK_STUDY where a derived number is not
/// what it has to be (which, where, in which scene), CLACK_MEMORY; there is no scene then.
ClackStatus sample_numbered(const Study *study, uint64_t scene_index, double *out_values, SceneDescription *out_scene,
                            ClackReport *report);
/// The study's scene without any body taking part, for a scene of which nothing can be made. Errors: CLACK_MEMORY.
ClackStatus sample_nothing(const Study *study, SceneDescription *out_scene, ClackReport *report);
void scene_free(SceneDescription *scene);

#ifdef __cplusplus
}
#endif
#endif
