// Numbers of a study: constants, $variables, distributions in place; ranges; bindings to the scene.
#include "study_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

const NumberRange RANGE_ANY = {-INFINITY, INFINITY, true, true, "a number"};
const NumberRange RANGE_POSITIVE = {0, INFINITY, true, true, "a number > 0"};
const NumberRange RANGE_NON_NEGATIVE = {0, INFINITY, false, true, "a number >= 0"};
const NumberRange RANGE_ZERO_TO_ONE = {0, 1, false, false, "a number from 0 to 1"};

// --- constants ----------------------------------------------------------------------------------

static const char *skip_digits(const char *at) {
    while (*at >= '0' && *at <= '9') at++;
    return at;
}

bool number_parse(const char *text, double *out_value) {
    const char *at = text + (*text == '-' || *text == '+');
    const char *whole = at;
    at = skip_digits(at);
    size_t digits = (size_t)(at - whole);
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        digits += (size_t)(at - fraction);
    }
    if (digits == 0) return false;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        const char *end = skip_digits(at);
        if (end == at) return false;
        at = end;
    }
    if (*at != '\0') return false;
    *out_value = strtod(text, NULL);
    return isfinite(*out_value) != 0;
}

Number number_constant(double value) {
    return (Number){.is_ok = true, .value = value, .low = value, .high = value, .parameter = NONE};
}

static Number number_bad(void) { return (Number){.value = NAN, .parameter = NONE}; }

// "expected <range> or a distribution, found <what it is>"
static Number number_expected(Reader *reader, const YamlNode *node, const NumberRange *range) {
    char expected[128];
    snprintf(expected, sizeof expected, "%s%s", range->words,
             reader->is_palette ? "" : " or a distribution");
    reader_expected(reader, node, expected);
    return number_bad();
}

// --- ranges -------------------------------------------------------------------------------------

static bool range_holds(const NumberRange *range, double value) {
    const bool is_above = range->is_low_open ? value > range->low : value >= range->low;
    const bool is_below = range->is_high_open ? value < range->high : value <= range->high;
    return is_above && is_below;
}

static bool number_check_range(Reader *reader, const YamlNode *node, const NumberRange *range,
                               const Number *number) {
    if (number->parameter == NONE) {
        if (range_holds(range, number->value)) return true;
        reader_error(reader, node, "expected %s, found %g", range->words, number->value);
        return false;
    }
    // An end at infinity is never reached: it fits where the range is as wide.
    const bool is_free_low = number->low == -(double)INFINITY && range->low == -(double)INFINITY;
    const bool is_free_high = number->high == (double)INFINITY && range->high == (double)INFINITY;
    const bool is_low = !is_free_low && !range_holds(range, number->low);
    if (!is_low && (is_free_high || range_holds(range, number->high))) return true;
    const double extreme = is_low ? number->low : number->high;
    if (reader->drafts[number->parameter].parameter.distribution.kind == DISTRIBUTION_COLUMN) {
        reader_error(reader, node, "expected %s, found a column that holds %g", range->words,
                     extreme);
        return false;
    }
    reader_error(reader, node,
                 "expected %s, found a distribution that can be as %s as %g: give \"%s\"",
                 range->words, is_low ? "low" : "high", extreme, is_low ? "lower" : "upper");
    return false;
}

// --- parameters ---------------------------------------------------------------------------------

static Number parameter_add(Reader *reader, const YamlNode *node, const char *name,
                            Distribution *distribution, bool is_variable) {
    Number number = {.is_ok = true, .parameter = reader->draft_count};
    if (!reader_grow(reader, (void **)&reader->drafts, &reader->draft_capacity, reader->draft_count,
                     sizeof *reader->drafts)) {
        free(distribution->values);
        free(distribution->cumulative);
        return number_bad();
    }
    ParameterDraft *draft = &reader->drafts[reader->draft_count++];
    *draft = (ParameterDraft){.node = node, .is_variable = is_variable};
    Parameter *parameter = &draft->parameter;
    parameter->distribution = *distribution;
    distribution_print(distribution, parameter->text, sizeof parameter->text);
    if ((size_t)snprintf(parameter->name, sizeof parameter->name, "%s", name) >=
        sizeof parameter->name) {
        reader_error(reader, node,
                     "expected a path of at most %d bytes for a distribution, found %zu",
                     STUDY_NAME_BYTES - 1, strlen(name));
        number.is_ok = false;
    }
    number.value = sample_quantile(distribution, 0.5);
    distribution_support(distribution, &number.low, &number.high);
    return number;
}

static Number read_variable_use(Reader *reader, const YamlNode *node) {
    const char *name = node->text + 1;
    for (uint32_t i = 0; i < reader->variable_count; i++)
        if (strcmp(reader->variables[i].name, name) == 0) return reader->variables[i].number;
    const char **names = reader_take(reader, (reader->variable_count + 1) * sizeof *names);
    if (names == NULL) return number_bad();
    for (uint32_t i = 0; i < reader->variable_count; i++) names[i] = reader->variables[i].name;
    const char *nearest = word_nearest(name, names);
    if (nearest != NULL)
        reader_error(reader, node, "unknown variable \"$%.60s\", did you mean \"$%s\"?", name,
                     nearest);
    else
        reader_error(reader, node, "unknown variable \"$%.60s\", expected one of `variables`",
                     name);
    return number_bad();
}

static Number read_scalar(Reader *reader, const YamlNode *node, const NumberRange *range) {
    double value = 0;
    if (node->text[0] == '=') {
        reader_error(reader, node, "expected %s, found \"%.60s\": arithmetic is not supported yet",
                     range->words, node->text);
        return number_bad();
    }
    if (node->text[0] == '$' && !reader->is_palette) return read_variable_use(reader, node);
    if (node->is_plain && number_parse(node->text, &value)) return number_constant(value);
    return number_expected(reader, node, range);
}

Number read_number(Reader *reader, const YamlNode *node, const NumberRange *range) {
    Number number = number_bad();
    Distribution distribution;
    if (node->kind == YAML_SCALAR)
        number = read_scalar(reader, node, range);
    else if (node->kind == YAML_LIST || reader->is_palette)
        return number_expected(reader, node, range);
    else if (read_distribution(reader, node, &distribution)) {
        char path[STUDY_PATH_BYTES];
        node_path(node, path, sizeof path);
        number = parameter_add(reader, node, path, &distribution, false);
    }
    if (number.is_ok) number.is_ok = number_check_range(reader, node, range, &number);
    return number;
}

double read_constant(Reader *reader, const YamlNode *node, const NumberRange *range) {
    double value = 0;
    if (node->kind == YAML_SCALAR && node->is_plain && number_parse(node->text, &value) &&
        range_holds(range, value))
        return value;
    if (node->kind == YAML_SCALAR && (node->text[0] == '$' || node->text[0] == '=')) {
        reader_error(reader, node,
                     "expected %s, found \"%.60s\": variables are not supported here yet",
                     range->words, node->text);
        return NAN;
    }
    reader_expected(reader, node, range->words);
    return NAN;
}

uint64_t read_integer(Reader *reader, const YamlNode *node, uint64_t low, uint64_t high) {
    double value = 0;
    bool is_ok = node->kind == YAML_SCALAR && node->is_plain && number_parse(node->text, &value);
    uint64_t whole = 0;
    if (is_ok && *skip_digits(node->text) == '\0' && strlen(node->text) <= 20) {
        for (const char *at = node->text; *at != '\0' && is_ok; at++) {
            const uint64_t digit = (uint64_t)(*at - '0');
            is_ok = whole <= (UINT64_MAX - digit) / 10;
            if (is_ok) whole = whole * 10 + digit;
        }
    } else if (is_ok) { // 1e5 and 1.0e5 are whole numbers too, as far as doubles hold them exactly
        is_ok = value >= 0 && value <= 9007199254740992.0 && value == floor(value);
        if (is_ok) whole = (uint64_t)value;
    }
    if (is_ok && whole >= low && whole <= high) return whole;
    char expected[128];
    if (high == UINT64_MAX)
        snprintf(expected, sizeof expected, "a whole number >= %llu", (unsigned long long)low);
    else
        snprintf(expected, sizeof expected, "a whole number from %llu to %llu",
                 (unsigned long long)low, (unsigned long long)high);
    reader_expected(reader, node, expected);
    return low;
}

// --- variables ----------------------------------------------------------------------------------

static Number read_variable(Reader *reader, const YamlNode *node) {
    Distribution distribution;
    if (!is_identifier(node->key) || strlen(node->key) >= STUDY_NAME_BYTES) {
        reader_error(reader, node, "expected a name of letters, digits and _, found \"%.60s\"",
                     node->key);
        return number_bad();
    }
    if (node->kind == YAML_SCALAR && node->text[0] == '$') {
        reader_error(
            reader, node,
            "expected a number or a distribution, found \"%.60s\": a variable can not refer "
            "to another yet",
            node->text);
        return number_bad();
    }
    if (node->kind != YAML_MAP) return read_number(reader, node, &RANGE_ANY);
    if (!read_distribution(reader, node, &distribution)) return number_bad();
    return parameter_add(reader, node, node->key, &distribution, true);
}

void read_variables(Reader *reader, const YamlNode *node) {
    if (node == NULL) return;
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of names to numbers or distributions");
        return;
    }
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) {
        const Number number = read_variable(reader, child);
        if (!reader_grow(reader, (void **)&reader->variables, &reader->variable_capacity,
                         reader->variable_count, sizeof *reader->variables))
            return;
        reader->variables[reader->variable_count++] = (Variable){child->key, number};
    }
}

// --- bindings -----------------------------------------------------------------------------------

void *scene_row(SceneDescription *scene, BindingBlock block, uint32_t index) {
    switch (block) {
    case BIND_SCENE:
        return scene;
    case BIND_MATERIAL:
        assert(index < scene->material_count);
        return &scene->materials[index];
    case BIND_PAIR:
        assert(index < scene->pair_count);
        return &scene->pairs[index];
    case BIND_SHAPE:
        assert(index < scene->shape_count);
        return &scene->shapes[index];
    case BIND_BODY:
        assert(index < scene->body_count);
        return &scene->bodies[index];
    }
    return NULL;
}

void number_place(Reader *reader, const Number *number, NumberTarget target) {
    Study *study = reader->study;
    char *row = scene_row(&study->scene, target.block, target.index);
    memcpy(row + target.offset, &number->value, sizeof number->value);
    if (number->parameter == NONE) return;
    if (!reader_grow(reader, (void **)&study->bindings, &reader->binding_capacity,
                     study->binding_count, sizeof *study->bindings))
        return;
    study->bindings[study->binding_count++] =
        (Binding){target.block, target.index, target.offset, number->parameter};
}

void read_number_into(Reader *reader, const YamlNode *node, const NumberRange *range,
                      NumberTarget target) {
    if (node == NULL) return;
    const Number number = read_number(reader, node, range);
    if (number.is_ok) number_place(reader, &number, target);
}

bool read_vector_into(Reader *reader, const YamlNode *node, int count, const NumberRange *range,
                      NumberTarget target, bool *out_all_zero) {
    char expected[64];
    if (out_all_zero != NULL) *out_all_zero = true;
    if (node == NULL) return true;
    snprintf(expected, sizeof expected, "a list of %d numbers", count);
    if (!list_check(reader, node, count, expected)) {
        if (out_all_zero != NULL) *out_all_zero = false;
        return false;
    }
    bool is_ok = true;
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next) {
        const Number number = read_number(reader, item, range);
        const bool is_zero = number.parameter == NONE && number.value == 0;
        if (out_all_zero != NULL) *out_all_zero = *out_all_zero && is_zero;
        if (number.is_ok) number_place(reader, &number, target);
        is_ok = is_ok && number.is_ok;
        target.offset += sizeof(double);
    }
    return is_ok;
}

// --- final order --------------------------------------------------------------------------------

typedef struct DraftRank {
    uint64_t key; // variables first, then by order in the file
    uint32_t draft;
} DraftRank;

static int draft_rank_compare(const void *a, const void *b) {
    const uint64_t key_a = ((const DraftRank *)a)->key, key_b = ((const DraftRank *)b)->key;
    return (key_a > key_b) - (key_a < key_b);
}

void parameters_finish(Reader *reader) {
    const uint32_t count = reader->draft_count;
    Study *study = reader->study;
    if (count == 0) return;
    DraftRank *ranks = reader_take(reader, count * sizeof *ranks);
    uint32_t *position = reader_take(reader, count * sizeof *position);
    study->parameters = calloc(count, sizeof *study->parameters);
    if (study->parameters == NULL) reader->is_out_of_memory = true;
    if (ranks == NULL || position == NULL || study->parameters == NULL) return;
    for (uint32_t i = 0; i < count; i++) {
        const ParameterDraft *draft = &reader->drafts[i];
        const uint64_t first = draft->is_variable ? 0 : (uint64_t)1 << 32;
        ranks[i] = (DraftRank){first | draft->node->order, i};
    }
    qsort(ranks, count, sizeof *ranks, draft_rank_compare);
    for (uint32_t i = 0; i < count; i++) {
        study->parameters[i] = reader->drafts[ranks[i].draft].parameter;
        position[ranks[i].draft] = i;
    }
    study->parameter_count = count;
    reader->draft_count = 0; // their arrays are the study's now
    for (uint32_t i = 0; i < study->binding_count; i++)
        study->bindings[i].parameter = position[study->bindings[i].parameter];
}
