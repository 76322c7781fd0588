// Distributions where a number stands: {uniform: [a, b]} and its kin.
#include "study_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "text.h"

static const char *const distribution_kinds[] = {"uniform",   "log_uniform", "normal",  "lognormal", "triangular",
                                                 "beta",      "exponential", "weibull", "integer",   "discrete",
                                                 "empirical", "column",      NULL};
static const char *const distribution_keys[] = {
    "uniform", "log_uniform", "normal",    "lognormal", "triangular", "beta",  "exponential", "weibull",
    "integer", "discrete",    "empirical", "column",    "lower",      "upper", "unit",        NULL};

#define BETA_EXPONENT_MAX 1e4          // the incomplete beta function is good to 1e-11 there
#define INTEGER_MAX 9007199254740992.0 // 2^53: doubles hold all whole numbers up to it

// [low, high] with low < high.
static bool read_interval(Reader *reader, const YamlNode *node, const NumberRange *range, Distribution *out) {
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
        reader_error(reader, node, "expected high - low to be finite, found [%g, %g]", out->a, out->b);
        return false;
    }
    return true;
}

// The numbers of a map {key: number, ...}, all constants.
typedef struct Argument {
    const char *key;
    const NumberRange *range;
    double *value; // keeps its value where the key is missing
    bool is_optional;
} Argument;

static bool read_arguments(Reader *reader, const YamlNode *node, const Argument *arguments, size_t count) {
    const char *keys[8] = {NULL};
    assert(count < sizeof keys / sizeof keys[0]);
    for (size_t i = 0; i < count; i++) keys[i] = arguments[i].key;
    if (!map_check(reader, node, keys, NULL)) return false;
    bool is_ok = true;
    for (size_t i = 0; i < count; i++) {
        const Argument *argument = &arguments[i];
        const YamlNode *child = argument->is_optional
                                    ? map_get(node, argument->key)
                                    : map_require(reader, node, argument->key, argument->range->words);
        if (child != NULL) *argument->value = read_constant(reader, child, argument->range);
        is_ok &= argument->is_optional || child != NULL;
        is_ok &= !isnan(*argument->value);
    }
    return is_ok;
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

static bool read_lognormal(Reader *reader, const YamlNode *node, Distribution *out) {
    const Argument arguments[] = {{"mu", &RANGE_ANY, &out->a, false}, {"sigma", &RANGE_POSITIVE, &out->b, false}};
    return read_arguments(reader, node, arguments, 2);
}

static bool read_exponential(Reader *reader, const YamlNode *node, Distribution *out) {
    const Argument arguments[] = {{"mean", &RANGE_POSITIVE, &out->a, false}};
    return read_arguments(reader, node, arguments, 1);
}

static bool read_weibull(Reader *reader, const YamlNode *node, Distribution *out) {
    const Argument arguments[] = {{"shape", &RANGE_POSITIVE, &out->a, false},
                                  {"scale", &RANGE_POSITIVE, &out->b, false}};
    return read_arguments(reader, node, arguments, 2);
}

static bool ends_check(Reader *reader, const YamlNode *node, const Distribution *out) {
    if (out->a < out->b && isfinite(out->b - out->a)) return true;
    reader_error(reader, node, "expected low < high and a finite difference, found %g and %g", out->a, out->b);
    return false;
}

static bool read_triangular(Reader *reader, const YamlNode *node, Distribution *out) {
    const Argument arguments[] = {{"low", &RANGE_ANY, &out->a, false},
                                  {"mode", &RANGE_ANY, &out->c, false},
                                  {"high", &RANGE_ANY, &out->b, false}};
    if (!read_arguments(reader, node, arguments, 3) || !ends_check(reader, node, out)) return false;
    if (out->c >= out->a && out->c <= out->b) return true;
    reader_error(reader, node, "expected low <= mode <= high, found %g, %g, %g", out->a, out->c, out->b);
    return false;
}

static bool read_beta(Reader *reader, const YamlNode *node, Distribution *out) {
    static const NumberRange exponent = {0, BETA_EXPONENT_MAX, true, false, "a number > 0 and <= 10000"};
    const Argument arguments[] = {{"alpha", &exponent, &out->c, false},
                                  {"beta", &exponent, &out->d, false},
                                  {"low", &RANGE_ANY, &out->a, true},
                                  {"high", &RANGE_ANY, &out->b, true}};
    out->a = 0;
    out->b = 1;
    return read_arguments(reader, node, arguments, 4) && ends_check(reader, node, out);
}

static bool read_uniform(Reader *reader, const YamlNode *node, Distribution *out) {
    return read_interval(reader, node, &RANGE_ANY, out);
}

static bool read_log_uniform(Reader *reader, const YamlNode *node, Distribution *out) {
    return read_interval(reader, node, &RANGE_POSITIVE, out);
}

static bool read_whole(Reader *reader, const YamlNode *node, Distribution *out) {
    static const NumberRange range = {-INTEGER_MAX, INTEGER_MAX, false, false, "a whole number from -2^53 to 2^53"};
    if (!read_interval(reader, node, &range, out)) return false;
    if (out->a == floor(out->a) && out->b == floor(out->b)) return true;
    reader_error(reader, node, "expected 2 whole numbers [low, high], found [%g, %g]", out->a, out->b);
    return false;
}

static bool read_weights(Reader *reader, const YamlNode *node, Distribution *out) {
    if (node == NULL) {
        for (size_t i = 0; i < out->value_count; i++) out->cumulative[i] = 1;
        return true;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "a list of %zu weights, one for each value", out->value_count);
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

static int number_compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The values of a column, each as likely, in ascending order: a coordinate that grows has a value that grows.
static bool empirical_take(Reader *reader, const YamlNode *node, const Table *table, uint32_t column,
                           Distribution *out) {
    out->value_count = table->row_count;
    out->values = calloc(out->value_count, sizeof *out->values);
    out->cumulative = calloc(out->value_count, sizeof *out->cumulative);
    if (out->values == NULL || out->cumulative == NULL) {
        reader->is_out_of_memory = true;
        return false;
    }
    for (size_t row = 0; row < table->row_count; row++) {
        out->values[row] = table->values[row * table->column_count + column];
        out->cumulative[row] = 1;
        if (isfinite(out->values[row])) continue;
        reader_error(reader, node, "expected finite numbers in column \"%.*s\", found %g in row %zu of numbers",
                     TEXT_CUT(table->names[column], 60), out->values[row], row + 1);
        return false;
    }
    qsort(out->values, out->value_count, sizeof *out->values, number_compare);
    return true;
}

// Measured values from a CSV file.
static bool read_empirical(Reader *reader, const YamlNode *node, Distribution *out) {
    static const char *const keys[] = {"file", "column", NULL};
    Table table = {0};
    uint32_t column = 0;
    if (!map_check(reader, node, keys, NULL)) return false;
    const YamlNode *file = map_require(reader, node, "file", "the path of a CSV file");
    const YamlNode *name_node = map_require(reader, node, "column", "the name of a column");
    if (file == NULL || name_node == NULL) return false;
    const char *name = read_text(reader, name_node, "the name of a column");
    if (name == NULL || !read_table_file(reader, file, &table)) return false;
    return table_find_column(reader, name_node, &table, name, &column) &&
           empirical_take(reader, node, &table, column, out);
}

static bool read_column(Reader *reader, const YamlNode *node, Distribution *out) {
    uint32_t column = 0;
    const double *values = table_column(reader, node, &column);
    if (values == NULL) return false;
    if (map_get(node->parent, "lower") != NULL || map_get(node->parent, "upper") != NULL) {
        reader_error(reader, node, "expected no \"lower\" or \"upper\" beside a column, found one");
        return false;
    }
    out->a = column + 1;
    out->value_count = reader->table.row_count;
    out->values = calloc(out->value_count, sizeof *out->values);
    reader->is_out_of_memory |= out->values == NULL;
    for (size_t i = 0; i < out->value_count && out->values != NULL; i++)
        out->values[i] = values[i * reader->table.column_count];
    return out->values != NULL;
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

bool distribution_of_choice(Reader *reader, const YamlNode *weights, uint32_t count, Distribution *out) {
    *out = (Distribution){.kind = DISTRIBUTION_DISCRETE, .lower = -INFINITY, .upper = INFINITY, .value_count = count};
    out->values = calloc(count, sizeof *out->values);
    out->cumulative = calloc(count, sizeof *out->cumulative);
    if (out->values == NULL || out->cumulative == NULL) reader->is_out_of_memory = true;
    bool is_ok = !reader->is_out_of_memory && read_weights(reader, weights, out);
    for (uint32_t i = 0; i < count && is_ok; i++) out->values[i] = i + 1;
    is_ok = is_ok && discrete_finish(out);
    if (is_ok) return true;
    free(out->values);
    free(out->cumulative);
    *out = (Distribution){0};
    return false;
}

// Something must be left after truncation, and arithmetic must be able to tell its ends apart.
static bool truncation_check(Reader *reader, const YamlNode *node, Distribution *out) {
    double low = 0, high = 0;
    if (!(out->lower < out->upper)) {
        reader_error(reader, node, "expected lower < upper, found lower %g and upper %g", out->lower, out->upper);
        return false;
    }
    bool is_ok = out->kind != DISTRIBUTION_DISCRETE || discrete_finish(out);
    if (is_ok && out->kind != DISTRIBUTION_DISCRETE) {
        distribution_support(out, &low, &high);
        is_ok = low < high || (low == high && (out->kind == DISTRIBUTION_INTEGER || out->kind == DISTRIBUTION_COLUMN));
        is_ok = is_ok && isfinite(sample_quantile(out, 0.5));
    }
    if (!is_ok)
        reader_error(reader, node,
                     "expected lower and upper to leave something of the distribution, found "
                     "nothing left between %g and %g",
                     out->lower, out->upper);
    return is_ok;
}

typedef struct DistributionReader {
    const char *name;
    DistributionKind kind;
    bool (*read)(Reader *reader, const YamlNode *node, Distribution *out);
} DistributionReader;

static const DistributionReader distribution_readers[] = {{"uniform", DISTRIBUTION_UNIFORM, read_uniform},
                                                          {"log_uniform", DISTRIBUTION_LOG_UNIFORM, read_log_uniform},
                                                          {"normal", DISTRIBUTION_NORMAL, read_normal},
                                                          {"lognormal", DISTRIBUTION_LOGNORMAL, read_lognormal},
                                                          {"triangular", DISTRIBUTION_TRIANGULAR, read_triangular},
                                                          {"beta", DISTRIBUTION_BETA, read_beta},
                                                          {"exponential", DISTRIBUTION_EXPONENTIAL, read_exponential},
                                                          {"weibull", DISTRIBUTION_WEIBULL, read_weibull},
                                                          {"integer", DISTRIBUTION_INTEGER, read_whole},
                                                          {"discrete", DISTRIBUTION_DISCRETE, read_discrete},
                                                          {"empirical", DISTRIBUTION_DISCRETE, read_empirical},
                                                          {"column", DISTRIBUTION_COLUMN, read_column}};

bool read_distribution(Reader *reader, const YamlNode *node, Distribution *out) {
    *out = (Distribution){.lower = -INFINITY, .upper = INFINITY};
    const YamlNode *kind = map_choose(reader, node, distribution_keys, distribution_kinds, NULL, "distribution");
    if (kind == NULL) return false;
    bool is_ok = false;
    for (size_t i = 0; i < sizeof distribution_readers / sizeof distribution_readers[0]; i++) {
        if (strcmp(kind->key, distribution_readers[i].name) != 0) continue;
        out->kind = distribution_readers[i].kind;
        is_ok = distribution_readers[i].read(reader, kind, out);
    }
    is_ok &= read_bound(reader, map_get(node, "lower"), out->lower > -(double)INFINITY, &out->lower);
    is_ok &= read_bound(reader, map_get(node, "upper"), out->upper < (double)INFINITY, &out->upper);
    is_ok = is_ok && truncation_check(reader, node, out);
    if (is_ok) return true;
    free(out->values);
    free(out->cumulative);
    *out = (Distribution){0};
    return false;
}

// "discrete(4: 0.25, 2: 0.75)": values with their probabilities.
static size_t discrete_print(const Distribution *distribution, char *out, size_t out_bytes) {
    size_t used = (size_t)snprintf(out, out_bytes, "discrete(");
    double before = 0;
    for (size_t i = 0; i < distribution->value_count && used < out_bytes; i++) {
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%g: %.4g", i > 0 ? ", " : "", distribution->values[i],
                                 distribution->cumulative[i] - before);
        before = distribution->cumulative[i];
    }
    if (used < out_bytes) used += (size_t)snprintf(out + used, out_bytes - used, ")");
    return used;
}

static size_t kind_print(const Distribution *distribution, char *out, size_t room) {
    const double a = distribution->a, b = distribution->b, c = distribution->c;
    int used = 0;
    switch (distribution->kind) {
    case DISTRIBUTION_UNIFORM: used = snprintf(out, room, "uniform(%.15g, %.15g)", a, b); break;
    case DISTRIBUTION_LOG_UNIFORM: used = snprintf(out, room, "log_uniform(%.15g, %.15g)", a, b); break;
    case DISTRIBUTION_NORMAL: used = snprintf(out, room, "normal(mean %.15g, sd %.15g)", a, b); break;
    case DISTRIBUTION_LOGNORMAL: used = snprintf(out, room, "lognormal(mu %.15g, sigma %.15g)", a, b); break;
    case DISTRIBUTION_TRIANGULAR:
        used = snprintf(out, room, "triangular(low %.15g, mode %.15g, high %.15g)", a, c, b);
        break;
    case DISTRIBUTION_EXPONENTIAL: used = snprintf(out, room, "exponential(mean %.15g)", a); break;
    case DISTRIBUTION_WEIBULL: used = snprintf(out, room, "weibull(shape %.15g, scale %.15g)", a, b); break;
    case DISTRIBUTION_BETA:
        used = snprintf(out, room, "beta(alpha %.15g, beta %.15g, low %.15g, high %.15g)", c, distribution->d, a, b);
        break;
    case DISTRIBUTION_INTEGER: used = snprintf(out, room, "integer(%.15g, %.15g)", a, b); break;
    case DISTRIBUTION_DISCRETE: return discrete_print(distribution, out, room);
    case DISTRIBUTION_DERIVED: used = snprintf(out, room, "derived"); break;
    case DISTRIBUTION_COLUMN: used = snprintf(out, room, "column %.15g of the table", a); break;
    }
    return (size_t)used;
}

void distribution_print(const Distribution *distribution, char *out, size_t out_bytes) {
    const double lower = distribution->lower, upper = distribution->upper;
    const bool is_cut = lower > -(double)INFINITY || upper < (double)INFINITY;
    size_t used = kind_print(distribution, out, out_bytes);
    if (is_cut && distribution->kind != DISTRIBUTION_DISCRETE && used < out_bytes)
        used += (size_t)snprintf(out + used, out_bytes - used, " within [%.15g, %.15g]", lower, upper);
    if (used >= out_bytes) memcpy(out + out_bytes - 4, "...", 4);
}
