// (Study, scene index) -> parameter values -> scene.
#include "sample.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

#include "study_internal.h"

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
    static const double near_a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                     1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                     4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                     3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double near_b[8] = {1.0,
                                     4.2313330701600911252e+1,
                                     6.8718700749205790830e+2,
                                     5.3941960214247511077e+3,
                                     2.1213794301586595867e+4,
                                     3.9307895800092710610e+4,
                                     2.8729085735721942674e+4,
                                     5.2264952788528545610e+3};
    static const double middle_a[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                       5.76949722146069140550e0,  3.64784832476320460504e0,
                                       1.27045825245236838258e0,  2.41780725177450611770e-1,
                                       2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double middle_b[8] = {1.0,
                                       2.05319162663775882187e0,
                                       1.67638483018380384940e0,
                                       6.89767334985100004550e-1,
                                       1.48103976427480074590e-1,
                                       1.51986665636164571966e-2,
                                       5.47593808499534494600e-4,
                                       1.05075007164441684324e-9};
    static const double far_a[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                    1.78482653991729133580e0,  2.96560571828504891230e-1,
                                    2.65321895265761230930e-2, 1.24266094738807843860e-3,
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

// --- quantiles ----------------------------------------------------------------------------------

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

double sample_quantile(const Distribution *distribution, double u) {
    assert(u >= 0 && u <= 1);
    if (distribution->kind == DISTRIBUTION_DISCRETE) return discrete_quantile(distribution, u);
    double low = 0, high = 0, value = 0;
    distribution_support(distribution, &low, &high);
    switch (distribution->kind) {
    case DISTRIBUTION_UNIFORM:
        value = low + u * (high - low);
        break;
    case DISTRIBUTION_LOG_UNIFORM:
        value = exp(log(low) + u * (log(high) - log(low)));
        break;
    case DISTRIBUTION_NORMAL:
        value = distribution->a +
                distribution->b * truncated_normal((low - distribution->a) / distribution->b,
                                                   (high - distribution->a) / distribution->b, u);
        break;
    case DISTRIBUTION_DISCRETE:
        break;
    }
    if (isnan(value)) return NAN; // no probability left: study_read refuses such a distribution
    return fmin(fmax(value, low), high); // rounding must not leave the range that was checked
}

double sample_uniform(uint64_t seed, uint64_t scene_index, const char *parameter_name) {
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a, 64 bits
    for (const char *at = parameter_name; *at != '\0'; at++)
        hash = (hash ^ (uint64_t)(unsigned char)*at) * 0x100000001b3u;
    const philox4x32_ctr_t counter = {{(uint32_t)scene_index, (uint32_t)(scene_index >> 32),
                                       (uint32_t)hash, (uint32_t)(hash >> 32)}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t bits = philox4x32_R(10, counter, key);
    // 52 bits and a half: odd multiples of 2^-53, so that 0 and 1 cannot come out.
    const uint64_t high_bits = ((uint64_t)bits.v[0] << 32 | bits.v[1]) >> 12;
    return ((double)high_bits + 0.5) * DBL_EPSILON;
}

// --- scenes -------------------------------------------------------------------------------------

// Level of count: ends included for bounded distributions, middles of equal probabilities for the
// normal, whose ends may be infinite.
static double grid_level(const Distribution *distribution, uint64_t level, uint64_t count) {
    if (distribution->kind == DISTRIBUTION_DISCRETE) return distribution->values[level];
    if (distribution->kind == DISTRIBUTION_NORMAL || count == 1)
        return sample_quantile(distribution, ((double)level + 0.5) / (double)count);
    return sample_quantile(distribution, (double)level / (double)(count - 1));
}

void sample_parameters(const Study *study, uint64_t scene_index, double *out_values) {
    uint64_t rest = scene_index;
    for (uint32_t i = study->parameter_count; i-- > 0;) { // the last varies fastest
        const Parameter *parameter = &study->parameters[i];
        if (study->design.kind == DESIGN_GRID) {
            const uint64_t levels = parameter->grid_levels;
            assert(levels > 0);
            out_values[i] = grid_level(&parameter->distribution, rest % levels, levels);
            rest /= levels;
        } else
            out_values[i] =
                sample_quantile(&parameter->distribution,
                                sample_uniform(study->design.seed, scene_index, parameter->name));
    }
}

// Copy `bytes` to the next free place of the scene's memory.
static void *block_append(char **at, const void *source, size_t bytes) {
    void *place = *at;
    if (bytes > 0) memcpy(place, source, bytes);
    *at += bytes;
    return place;
}

ClackStatus sample_scene(const Study *study, const double *values, SceneDescription *out_scene,
                         ClackReport *report) {
    const SceneDescription *from = &study->scene;
    // Counts are 32 bits and rows below 1 KiB: no overflow of size_t.
    const size_t material_bytes = from->material_count * sizeof *from->materials;
    const size_t pair_bytes = from->pair_count * sizeof *from->pairs;
    const size_t shape_bytes = from->shape_count * sizeof *from->shapes;
    const size_t body_bytes = from->body_count * sizeof *from->bodies;
    char *block = malloc(material_bytes + pair_bytes + shape_bytes + body_bytes + 1);
    if (block == NULL) return report_add(report, CLACK_MEMORY, "no memory for a scene");
    *out_scene = *from;
    out_scene->materials = block_append(&block, from->materials, material_bytes);
    out_scene->pairs = block_append(&block, from->pairs, pair_bytes);
    out_scene->shapes = block_append(&block, from->shapes, shape_bytes);
    out_scene->bodies = block_append(&block, from->bodies, body_bytes);
    for (uint32_t i = 0; i < study->binding_count; i++) {
        const Binding *binding = &study->bindings[i];
        char *row = scene_row(out_scene, binding->block, binding->index);
        memcpy(row + binding->offset, &values[binding->parameter], sizeof(double));
    }
    return CLACK_OK;
}

void scene_free(SceneDescription *scene) {
    free(scene->materials); // the one allocation starts with the materials
    *scene = (SceneDescription){0};
}
