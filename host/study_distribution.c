// Distributions where a number stands: {uniform: [a, b]} and its kin.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

static const char *const distribution_kinds[] = {"uniform", "log_uniform", "normal", "discrete",
                                                 NULL};
static const char *const distribution_keys[] = {"uniform", "log_uniform", "normal", "discrete",
                                                "lower",   "upper",       NULL};
static const char *const distribution_later[] = {
    "lognormal", "triangular", "beta",     "exponential", "weibull",
    "integer",   "direction",  "rotation", "column",      NULL};

// [low, high] with low < high.
static bool read_interval(Reader *reader, const YamlNode *node, const NumberRange *range,
                          Distribution *out) {
    if (!list_check(reader, node, 2, "a list of 2 numbers [low, high]")) return false;
    const YamlNode *low = node->child_first, *high = low->next;
    out->a = read_constant(reader, low, range);
    out->b = read_constant(reader, high, range);
    if (isnan(out->a) || isnan(out->b)) return false;
    if (!(out->a < out->b)) {
        reader_error(reader, node, "expected low < high, found [%g, %g]", out->a, out->b);
        return false;
    }
    if (!isfinite(out->b - out->a)) {
        reader_error(reader, node, "expected high - low to be finite, found [%g, %g]", out->a,
                     out->b);
        return false;
    }
    return true;
}

static bool read_bound(Reader *reader, const YamlNode *node, bool is_given, double *bound) {
    if (node == NULL) return true;
    if (is_given) {
        reader_error(reader, node, "expected one \"%s\", found a second", node->key);
        return false;
    }
    *bound = read_constant(reader, node, &RANGE_ANY);
    return !isnan(*bound);
}

static bool read_normal(Reader *reader, const YamlNode *node, Distribution *out) {
    static const char *const keys[] = {"mean", "sd", "lower", "upper", NULL};
    const YamlNode *mean = NULL, *sd = NULL;
    if (node->kind == YAML_LIST) {
        if (!list_check(reader, node, 2, "a list of 2 numbers [mean, sd]")) return false;
        mean = node->child_first;
        sd = mean->next;
    } else {
        if (!map_check(reader, node, keys, NULL)) return false;
        mean = map_require(reader, node, "mean", "a number");
        sd = map_require(reader, node, "sd", "a number > 0");
    }
    bool is_ok = mean != NULL && sd != NULL;
    if (mean != NULL) out->a = read_constant(reader, mean, &RANGE_ANY);
    if (sd != NULL) out->b = read_constant(reader, sd, &RANGE_POSITIVE);
    is_ok &= read_bound(reader, map_get(node, "lower"), false, &out->lower);
    is_ok &= read_bound(reader, map_get(node, "upper"), false, &out->upper);
    return is_ok && !isnan(out->a) && !isnan(out->b);
}

static bool read_weights(Reader *reader, const YamlNode *node, Distribution *out) {
    if (node == NULL) {
        for (size_t i = 0; i < out->value_count; i++) out->cumulative[i] = 1;
        return true;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "a list of %zu weights, one for each value",
             out->value_count);
    if (!list_check(reader, node, (int)out->value_count, expected)) return false;
    bool is_ok = true;
    double sum = 0;
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next) {
        const double weight = read_constant(reader, item, &RANGE_NON_NEGATIVE);
        out->cumulative[item->index] = weight;
        is_ok &= !isnan(weight);
        sum += weight;
    }
    if (is_ok && !(sum > 0 && isfinite(sum))) {
        reader_error(reader, node, "expected weights with a sum > 0, found the sum %g", sum);
        is_ok = false;
    }
    return is_ok;
}

static bool read_discrete(Reader *reader, const YamlNode *node, Distribution *out) {
    static const char *const keys[] = {"values", "weights", NULL};
    const YamlNode *values = node, *weights = NULL;
    if (node->kind != YAML_LIST) {
        if (!map_check(reader, node, keys, NULL)) return false;
        values = map_require(reader, node, "values", "a list of numbers");
        weights = map_get(node, "weights");
        if (values == NULL) return false;
    }
    if (values->kind != YAML_LIST || values->child_count == 0) {
        reader_expected(reader, values, "a list of at least one number");
        return false;
    }
    out->value_count = values->child_count;
    out->values = calloc(out->value_count, sizeof *out->values);
    out->cumulative = calloc(out->value_count, sizeof *out->cumulative);
    if (out->values == NULL || out->cumulative == NULL) {
        reader->is_out_of_memory = true;
        return false;
    }
    bool is_ok = true;
    for (const YamlNode *item = values->child_first; item != NULL; item = item->next) {
        out->values[item->index] = read_constant(reader, item, &RANGE_ANY);
        is_ok &= !isnan(out->values[item->index]);
    }
    return read_weights(reader, weights, out) && is_ok;
}

// Drop the values that a truncation cuts off, then turn weights into cumulative probabilities.
static bool discrete_finish(Distribution *distribution) {
    size_t kept = 0;
    double sum = 0;
    for (size_t i = 0; i < distribution->value_count; i++) {
        const double value = distribution->values[i];
        if (!(value >= distribution->lower && value <= distribution->upper)) continue;
        sum += distribution->cumulative[i];
        distribution->values[kept] = value;
        distribution->cumulative[kept++] = sum;
    }
    distribution->value_count = kept;
    for (size_t i = 0; i < kept; i++) distribution->cumulative[i] /= sum;
    if (kept > 0) distribution->cumulative[kept - 1] = 1;
    return kept > 0 && sum > 0;
}

void distribution_support(const Distribution *distribution, double *out_low, double *out_high) {
    double low = distribution->a, high = distribution->b;
    if (distribution->kind == DISTRIBUTION_NORMAL) {
        low = -INFINITY;
        high = INFINITY;
    } else if (distribution->kind == DISTRIBUTION_DISCRETE) {
        low = INFINITY;
        high = -INFINITY;
        for (size_t i = 0; i < distribution->value_count; i++) {
            low = fmin(low, distribution->values[i]);
            high = fmax(high, distribution->values[i]);
        }
    }
    *out_low = fmax(low, distribution->lower);
    *out_high = fmin(high, distribution->upper);
}

// Something must be left after truncation, and arithmetic must be able to tell its ends apart.
static bool truncation_check(Reader *reader, const YamlNode *node, Distribution *out) {
    double low = 0, high = 0;
    if (!(out->lower < out->upper)) {
        reader_error(reader, node, "expected lower < upper, found lower %g and upper %g",
                     out->lower, out->upper);
        return false;
    }
    bool is_ok = out->kind != DISTRIBUTION_DISCRETE || discrete_finish(out);
    if (is_ok && out->kind != DISTRIBUTION_DISCRETE) {
        distribution_support(out, &low, &high);
        is_ok = low < high && isfinite(sample_quantile(out, 0.5));
    }
    if (!is_ok)
        reader_error(reader, node,
                     "expected lower and upper to leave something of the distribution, found "
                     "nothing left between %g and %g",
                     out->lower, out->upper);
    return is_ok;
}

bool read_distribution(Reader *reader, const YamlNode *node, Distribution *out) {
    *out = (Distribution){.lower = -INFINITY, .upper = INFINITY};
    const YamlNode *kind = map_choose(reader, node, distribution_keys, distribution_kinds,
                                      distribution_later, "distribution");
    if (kind == NULL) return false;
    bool is_ok = false;
    if (strcmp(kind->key, "uniform") == 0) {
        out->kind = DISTRIBUTION_UNIFORM;
        is_ok = read_interval(reader, kind, &RANGE_ANY, out);
    } else if (strcmp(kind->key, "log_uniform") == 0) {
        out->kind = DISTRIBUTION_LOG_UNIFORM;
        is_ok = read_interval(reader, kind, &RANGE_POSITIVE, out);
    } else if (strcmp(kind->key, "normal") == 0) {
        out->kind = DISTRIBUTION_NORMAL;
        is_ok = read_normal(reader, kind, out);
    } else {
        out->kind = DISTRIBUTION_DISCRETE;
        is_ok = read_discrete(reader, kind, out);
    }
    is_ok &=
        read_bound(reader, map_get(node, "lower"), out->lower > -(double)INFINITY, &out->lower);
    is_ok &= read_bound(reader, map_get(node, "upper"), out->upper < (double)INFINITY, &out->upper);
    is_ok = is_ok && truncation_check(reader, node, out);
    if (is_ok) return true;
    free(out->values);
    free(out->cumulative);
    *out = (Distribution){0};
    return false;
}

void distribution_print(const Distribution *distribution, char *out, size_t out_bytes) {
    size_t used = 0;
    if (distribution->kind == DISTRIBUTION_UNIFORM)
        used = (size_t)snprintf(out, out_bytes, "uniform(%.15g, %.15g)", distribution->a,
                                distribution->b);
    if (distribution->kind == DISTRIBUTION_LOG_UNIFORM)
        used = (size_t)snprintf(out, out_bytes, "log_uniform(%.15g, %.15g)", distribution->a,
                                distribution->b);
    if (distribution->kind == DISTRIBUTION_NORMAL)
        used = (size_t)snprintf(out, out_bytes, "normal(mean %.15g, sd %.15g)", distribution->a,
                                distribution->b);
    if (distribution->kind == DISTRIBUTION_DISCRETE) {
        used = (size_t)snprintf(out, out_bytes, "discrete(");
        double before = 0;
        for (size_t i = 0; i < distribution->value_count && used < out_bytes; i++) {
            used += (size_t)snprintf(out + used, out_bytes - used, "%s%g: %.4g", i > 0 ? ", " : "",
                                     distribution->values[i], distribution->cumulative[i] - before);
            before = distribution->cumulative[i];
        }
        if (used < out_bytes) used += (size_t)snprintf(out + used, out_bytes - used, ")");
    } else if (distribution->lower > -(double)INFINITY || distribution->upper < (double)INFINITY)
        used += (size_t)snprintf(out + used, out_bytes - used, " within [%.15g, %.15g]",
                                 distribution->lower, distribution->upper);
    if (used >= out_bytes) memcpy(out + out_bytes - 4, "...", 4);
}
