// Where a scene lies in the unit cube of parameters: latin hypercube, Sobol', designs of sensitivity. Pure functions of
// (seed, scene, parameter), so that any scene can be computed alone.
#include "sample.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "sample_internal.h"
#include "sobol_directions.h"

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

uint32_t sample_permute(uint64_t seed, const char *parameter_name, uint32_t count, uint32_t number) {
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

// --- Sobol' ---------------------------------------------------------------------------------------

#define SOBOL_BITS 32

uint32_t sample_sobol_point(uint32_t dimension, uint32_t index) {
    assert(dimension < SOBOL_DIMENSIONS);
    const SobolDirections *row = &sobol_directions[dimension];
    const uint32_t gray = index ^ index >> 1; // the order of Antonov and Saleev, as SciPy's
    uint32_t degree = 0, point = 0;
    uint32_t directions[SOBOL_BITS];
    while (row->polynomial >> (degree + 1) != 0) degree++;
    for (uint32_t j = 0; j < SOBOL_BITS && gray >> j != 0; j++) {
        uint32_t direction = 0;
        if (degree == 0)
            direction = 1u << (SOBOL_BITS - 1 - j);
        else if (j < degree)
            direction = (uint32_t)row->initial[j] << (SOBOL_BITS - 1 - j);
        else {
            direction = directions[j - degree] ^ directions[j - degree] >> degree;
            for (uint32_t k = 1; k < degree; k++)
                if (row->polynomial >> (degree - k) & 1) direction ^= directions[j - k];
        }
        directions[j] = direction;
        if (gray >> j & 1) point ^= direction;
    }
    return point;
}

// The finaliser of SplitMix64: every bit of the result depends on every bit of x.
static uint64_t mix64(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// Nested uniform scrambling: each bit is flipped or not by a hash of all bits above it. Source: Owen,
// in Monte Carlo and Quasi-Monte Carlo Methods in Scientific Computing (1995) 299.
static uint32_t owen_scramble(uint32_t point, uint64_t key) {
    uint32_t scrambled = 0;
    for (uint32_t bit = 0; bit < SOBOL_BITS; bit++) {
        const uint64_t above = ((uint64_t)1 << 32 | point) >> (SOBOL_BITS - bit); // with a leading 1
        const uint32_t flip = (uint32_t)(mix64(key ^ mix64(above)) >> 63);
        scrambled |= ((point >> (SOBOL_BITS - 1 - bit) & 1) ^ flip) << (SOBOL_BITS - 1 - bit);
    }
    return scrambled;
}

#define OWEN_COUNTER 0x4000000000000000u // no scene number, nor a round of the Feistel network

// A coordinate of point `index` of the sequence. `stream`: scramblings of one name that are independent.
static double sobol_uniform(const Study *study, uint64_t index, uint32_t dimension, uint64_t stream, const char *name) {
    const uint64_t seed = study->design.seed;
    const uint32_t point = sample_sobol_point(dimension, (uint32_t)index);
    if (study->design.kind == DESIGN_SOBOL_PLAIN) return (point + 0.5) * 0x1p-32;
    const uint64_t key = sample_bits(seed, OWEN_COUNTER | stream, sample_name_hash(name));
    // Digits beyond the 32nd are scrambled to random ones.
    const double within = sample_uniform(seed, index | stream << 48, name);
    return fmin((owen_scramble(point, key) + within) * 0x1p-32, 1 - DBL_EPSILON / 2);
}

// --- sensitivity ----------------------------------------------------------------------------------

// Base points A, B, and A with one input of B each. Source: Saltelli et al., Computer Physics Communications 181
// (2010) 259.
static double saltelli_uniform(const Study *study, uint64_t scene_index, const Parameter *parameter,
                               uint32_t dimension) {
    const uint64_t each = study->design.input_count + 2, which = scene_index % each;
    const uint32_t coordinates = study->design.coordinate_count;
    const int is_b = which == 1 || which == parameter->input + 2u;
    return sobol_uniform(study, scene_index / each, is_b ? coordinates + dimension : dimension, is_b ? 1 : 0,
                         parameter->name);
}

#define MORRIS_LEVEL 0x2000000000000000u // counters that nothing else has
#define MORRIS_ORDER 0x1000000000000000u

uint32_t sample_morris_rank(uint64_t seed, uint64_t trajectory, uint32_t input, uint32_t input_count) {
    const uint64_t counter = MORRIS_ORDER | trajectory, own = sample_bits(seed, counter, input);
    uint32_t rank = 0;
    for (uint32_t other = 0; other < input_count; other++) {
        const uint64_t bits = sample_bits(seed, counter, other);
        rank += bits < own || (bits == own && other < input);
    }
    return rank;
}

uint32_t sample_morris_level(uint64_t seed, uint64_t trajectory, const char *name, uint32_t levels) {
    return (uint32_t)(sample_bits(seed, MORRIS_LEVEL | trajectory, sample_name_hash(name)) % levels);
}

#define MORRIS_MARGIN 0.01 // the ends of [0, 1] may be infinite

double sample_morris_step(uint32_t levels) { return (1 - 2 * MORRIS_MARGIN) * 0.5 * levels / (levels - 1); }

// Source: Morris, Technometrics 33 (1991) 161.
static double morris_uniform(const Study *study, uint64_t scene_index, const Parameter *parameter) {
    const Design *design = &study->design;
    const uint64_t each = design->input_count + 1, trajectory = scene_index / each;
    uint32_t level = sample_morris_level(design->seed, trajectory, parameter->name, design->levels);
    if (scene_index % each > sample_morris_rank(design->seed, trajectory, parameter->input, design->input_count))
        level = (level + design->levels / 2) % design->levels;
    return MORRIS_MARGIN + (1 - 2 * MORRIS_MARGIN) * level / (design->levels - 1);
}

double sample_design_uniform(const Study *study, uint64_t scene_index, uint32_t index) {
    const Parameter *parameter = &study->parameters[index];
    const uint32_t dimension = index - parameter->derived_before;
    switch (study->design.kind) {
    case DESIGN_LATIN_HYPERCUBE: return latin_uniform(study, scene_index, parameter->name);
    case DESIGN_SOBOL:
    case DESIGN_SOBOL_PLAIN: return sobol_uniform(study, scene_index, dimension, 0, parameter->name);
    case DESIGN_SALTELLI: return saltelli_uniform(study, scene_index, parameter, dimension);
    case DESIGN_MORRIS: return morris_uniform(study, scene_index, parameter);
    default: return sample_uniform(study->design.seed, scene_index, parameter->name);
    }
}
