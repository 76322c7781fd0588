// Where a scene lies in the unit cube of parameters: latin hypercube. Pure functions of (seed, scene,
// parameter), so that any scene can be computed alone.
#include "sample.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "sample_internal.h"

#define FEISTEL_ROUNDS 8

// --- latin hypercube ------------------------------------------------------------------------------

// A random permutation of the numbers of 2 * half_bits bits: a balanced Feistel network whose round
// function is Philox. Its counters have the top bit of the second word, which no scene number has.
static uint32_t feistel(uint64_t seed, uint64_t name_hash, uint32_t half_bits, uint32_t number) {
    const uint32_t mask = (1u << half_bits) - 1;
    uint32_t left = number >> half_bits, right = number & mask;
    for (uint32_t round = 0; round < FEISTEL_ROUNDS; round++) {
        const uint64_t counter = ((uint64_t)(0x80000000u | round) << 32) | right;
        const uint32_t mixed = left ^ ((uint32_t)sample_bits(seed, counter, name_hash) & mask);
        left = right;
        right = mixed;
    }
    return left << half_bits | right;
}

uint32_t sample_permute(uint64_t seed, const char *parameter_name, uint32_t count,
                        uint32_t number) {
    assert(number < count && count <= 0x80000000u);
    const uint64_t name_hash = sample_name_hash(parameter_name);
    uint32_t half_bits = 1;
    while ((uint64_t)1 << 2 * half_bits < count) half_bits++;
    // Walk along the cycle until it comes back below count: at most 4^half_bits steps, 4 on average
    // at the most, since the numbers are fewer than 4 count (for count > 1).
    do number = feistel(seed, name_hash, half_bits, number);
    while (number >= count);
    return number;
}

static double latin_uniform(const Study *study, uint64_t scene_index, const char *name) {
    const uint64_t seed = study->design.seed, count = study->design.scene_count;
    assert(scene_index < count);
    const uint32_t stratum = sample_permute(seed, name, (uint32_t)count, (uint32_t)scene_index);
    const double within = sample_uniform(seed, scene_index, name);
    return fmin((stratum + within) / (double)count, 1 - DBL_EPSILON / 2); // 1 by rounding alone
}

double sample_design_uniform(const Study *study, uint64_t scene_index, uint32_t parameter) {
    const char *name = study->parameters[parameter].name;
    if (study->design.kind == DESIGN_LATIN_HYPERCUBE)
        return latin_uniform(study, scene_index, name);
    return sample_uniform(study->design.seed, scene_index, name);
}
