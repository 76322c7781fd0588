// Numbers of a study: constants, $variables, distributions in place; ranges; bindings to the scene.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "scene_fields.h"
#include "study_override_internal.h"
#include "text.h"

const NumberRange RANGE_ANY = {-INFINITY, INFINITY, true, true, "a number"};
const NumberRange RANGE_POSITIVE = {0, INFINITY, true, true, "a number > 0"};
const NumberRange RANGE_NON_NEGATIVE = {0, INFINITY, false, true, "a number >= 0"};
const NumberRange RANGE_ZERO_TO_ONE = {0, 1, false, false, "a number from 0 to 1"};

// --- constants ----------------------------------------------------------------------------------

static const char *skip_digits(const char *at) {
    while (*at >= '0' && *at <= '9') at++;
    return at;
}

Number number_constant(double value) {
    return (Number){.is_ok = true, .value = value, .low = value, .high = value, .parameter = NONE};
}

static Number number_bad(void) { return (Number){.value = NAN, .parameter = NONE}; }

static Number number_expected(Reader *reader, const YamlNode *node, const NumberRange *range) {
    reader_expected_number(reader, node, range, !reader->is_palette);
    return number_bad();
}

// --- ranges -------------------------------------------------------------------------------------

bool range_holds(const NumberRange *range, double value) {
    const bool is_above = range->is_low_open ? value > range->low : value >= range->low;
    const bool is_below = range->is_high_open ? value < range->high : value <= range->high;
    return is_above && is_below;
}

void check_add(Reader *reader, const YamlNode *node, NumberCheck check) {
    Study *study = reader->study;
    char place[STUDY_PATH_BYTES * 2], path[STUDY_PATH_BYTES];
    if (!reader_grow(reader, (void **)&study->checks, &reader->check_capacity, study->check_count,
                     sizeof *study->checks))
        return;
    place_print(&node->place, place, sizeof place);
    node_path(node, path, sizeof path);
    const size_t bytes = strlen(place) + strlen(path) + sizeof ": ";
    check.where = malloc(bytes);
    if (check.where == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    snprintf(check.where, bytes, "%s: %s", place, path);
    study->checks[study->check_count++] = check;
}

// What bounds do not prove is checked in each scene; the medians should be right at least.
static bool derived_check_range(Reader *reader, const YamlNode *node, const NumberRange *range, const Number *number) {
    const ExpressionBounds bounds = reader->bounds[number->parameter];
    if (!range_holds(range, number->value)) { // NaN and infinity are in no range
        reader_error(reader, node, "expected %s, found an expression that is %g at the medians of its variables",
                     range->words, isnan(number->value) ? fabs(number->value) : number->value); // never -nan
        return false;
    }
    if (!bounds.may_fail && range_holds(range, bounds.low) && range_holds(range, bounds.high)) return true;
    check_add(reader, node,
              (NumberCheck){.parameter = number->parameter,
                            .shape = NONE,
                            .low = range->low,
                            .high = range->high,
                            .is_low_open = range->is_low_open,
                            .is_high_open = range->is_high_open,
                            .words = range->words});
    return true;
}

// Distributions whose arguments say where they end.
static bool has_own_ends(DistributionKind kind) {
    return kind == DISTRIBUTION_UNIFORM || kind == DISTRIBUTION_LOG_UNIFORM || kind == DISTRIBUTION_TRIANGULAR ||
           kind == DISTRIBUTION_INTEGER || kind == DISTRIBUTION_DISCRETE;
}

static void distribution_expected(Reader *reader, const YamlNode *node, const NumberRange *range,
                                  const ParameterDraft *draft, bool is_low, double extreme) {
    char found[STUDY_PATH_BYTES] = "a distribution that", hint[32] = "";
    if (draft->is_variable) snprintf(found, sizeof found, "$%.*s, which", TEXT_CUT(draft->parameter.name, 120));
    if (draft->is_variable && draft->node->place.line > 0) {
        const size_t used = strlen(found) - strlen(", which");
        snprintf(found + used, sizeof found - used, " of line %u, which", draft->node->place.line);
    }
    if (!has_own_ends(draft->parameter.distribution.kind))
        snprintf(hint, sizeof hint, ": give \"%s\"", is_low ? "lower" : "upper");
    reader_error(reader, node, "expected %s, found %s can be as %s as %g%s", range->words, found,
                 is_low ? "low" : "high", extreme, hint);
}

static bool number_check_range(Reader *reader, const YamlNode *node, const NumberRange *range, const Number *number) {
    if (number->parameter == NONE) {
        if (range_holds(range, number->value)) return true;
        reader_error(reader, node, "expected %s, found %g", range->words, number->value);
        return false;
    }
    if (number->is_derived) return derived_check_range(reader, node, range, number);
    // An end at infinity is never reached: it fits where the range is as wide.
    const bool is_free_low = number->low == -(double)INFINITY && range->low == -(double)INFINITY;
    const bool is_free_high = number->high == (double)INFINITY && range->high == (double)INFINITY;
    const bool is_low = !is_free_low && !range_holds(range, number->low);
    if (!is_low && (is_free_high || range_holds(range, number->high))) return true;
    const double extreme = is_low ? number->low : number->high;
    if (reader->drafts[number->parameter].parameter.distribution.kind == DISTRIBUTION_COLUMN) {
        const Distribution *column = &reader->drafts[number->parameter].parameter.distribution;
        const char *name = reader->table.names[(size_t)column->a - 1];
        size_t row = 0; // the first that is not in the range
        while (row + 1 < column->value_count && range_holds(range, column->values[row])) row++;
        reader_error(reader, node, "expected %s, found %g in column \"%.*s\", of scene %zu", range->words,
                     column->values[row], TEXT_CUT(name, 60), row);
        return false;
    }
    if (reader->drafts[number->parameter].is_grouped) {
        reader_error(reader, node,
                     "expected %s, found one of several numbers drawn together, which can be as %s "
                     "as %g: compute it by an expression",
                     range->words, is_low ? "low" : "high", extreme);
        return false;
    }
    distribution_expected(reader, node, range, &reader->drafts[number->parameter], is_low, extreme);
    return false;
}

// --- parameters ---------------------------------------------------------------------------------

Number parameter_add(Reader *reader, const YamlNode *node, const char *name, Distribution *distribution,
                     bool is_variable) {
    const uint32_t index = reader->draft_count;
    Number number = {.is_ok = true, .parameter = index};
    if (!reader_grow(reader, (void **)&reader->drafts, &reader->draft_capacity, index, sizeof *reader->drafts) ||
        !reader_grow(reader, (void **)&reader->medians, &reader->median_capacity, index, sizeof *reader->medians) ||
        !reader_grow(reader, (void **)&reader->bounds, &reader->bounds_capacity, index, sizeof *reader->bounds)) {
        free(distribution->values);
        free(distribution->cumulative);
        return number_bad();
    }
    ParameterDraft *draft = &reader->drafts[reader->draft_count++];
    *draft = (ParameterDraft){.node = node, .is_variable = is_variable};
    Parameter *parameter = &draft->parameter;
    parameter->distribution = *distribution;
    if ((size_t)snprintf(parameter->name, sizeof parameter->name, "%s", name) >= sizeof parameter->name) {
        reader_error(reader, node, "expected a path of at most %d bytes for a distribution, found %zu",
                     STUDY_NAME_BYTES - 1, strlen(name));
        number.is_ok = false;
    }
    if (distribution->kind == DISTRIBUTION_DERIVED) return number; // the caller knows the rest
    distribution_print(distribution, parameter->text, sizeof parameter->text);
    number.value = sample_quantile(distribution, 0.5);
    distribution_support(distribution, &number.low, &number.high);
    reader->medians[index] = number.value;
    reader->bounds[index] = (ExpressionBounds){number.low, number.high, 0};
    return number;
}

static Number read_variable_use(Reader *reader, const YamlNode *node, const NumberRange *range) {
    const char *name = node->text + 1;
    Variable *variable = variable_find(reader, name, strlen(name));
    if (variable != NULL) {
        variable_use(reader, variable, node);
        return variable->number;
    }
    const char **names = variable_names(reader);
    if (names == NULL) return number_bad();
    if (!is_identifier(name)) return number_expected(reader, node, range);
    const char *nearest = word_nearest(name, names);
    if (nearest != NULL)
        reader_error(reader, node, "unknown variable \"$%.*s\", did you mean \"$%s\"?", TEXT_CUT(name, 60), nearest);
    else
        reader_error(reader, node, "unknown variable \"$%.*s\", expected one of `variables`", TEXT_CUT(name, 60));
    return number_bad();
}

static Number read_scalar(Reader *reader, const YamlNode *node, const NumberRange *range) {
    double value = 0;
    if (node->text[0] == '=' && !reader->is_palette) {
        char path[STUDY_PATH_BYTES];
        node_path(node, path, sizeof path);
        return read_expression(reader, node, path, false);
    }
    if (node->text[0] == '$' && !reader->is_palette) return read_variable_use(reader, node, range);
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
        if (map_get(node, "unit") != NULL)
            reader_error(reader, map_get(node, "unit"),
                         "expected a unit of variables alone: the number here has its own");
        number = parameter_add(reader, node, path, &distribution, false);
    }
    if (number.is_ok) number.is_ok = number_check_range(reader, node, range, &number);
    return number;
}

double read_constant(Reader *reader, const YamlNode *node, const NumberRange *range) {
    double value = 0;
    if (node->kind == YAML_SCALAR && node->is_plain && number_parse(node->text, &value) && range_holds(range, value))
        return value;
    if (node->kind == YAML_SCALAR && node->text[0] == '=' && !reader->is_palette) {
        const Number number = read_expression(reader, node, NULL, false);
        if (number.is_ok && range_holds(range, number.value)) return number.value;
        if (number.is_ok) reader_error(reader, node, "expected %s, found %g", range->words, number.value);
        return NAN;
    }
    if (node->kind == YAML_SCALAR && node->text[0] == '$') {
        reader_error(reader, node, "expected %s, found \"%.*s\": variables are not supported here yet", range->words,
                     TEXT_CUT(node->text, 60));
        return NAN;
    }
    reader_expected_number(reader, node, range, false);
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
        snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)low,
                 (unsigned long long)high);
    reader_expected(reader, node, expected);
    return low;
}

void read_unit(Reader *reader, const YamlNode *node, char out_unit[STUDY_UNIT_BYTES]) {
    const char *word = node != NULL ? read_text(reader, node, "a unit, such as m/s") : NULL;
    if (word != NULL && strlen(word) >= STUDY_UNIT_BYTES)
        reader_error(reader, node, "expected a unit of at most %d bytes, found \"%.*s\"", STUDY_UNIT_BYTES - 1,
                     TEXT_CUT(word, 60));
    else if (word != NULL)
        snprintf(out_unit, STUDY_UNIT_BYTES, "%s", word);
}

// --- bindings -----------------------------------------------------------------------------------

void number_place(Reader *reader, const Number *number, NumberTarget target) {
    Study *study = reader->study;
    char *row = sample_row(&study->scene, target.block, target.index);
    memcpy(row + target.offset, &number->value, sizeof number->value);
    if (number->parameter == NONE) return;
    if (!reader_grow(reader, (void **)&study->bindings, &reader->binding_capacity, study->binding_count,
                     sizeof *study->bindings))
        return;
    study->bindings[study->binding_count++] = (Binding){target.block, target.index, target.offset, number->parameter};
    const bool is_size = target.block == BIND_SHAPE && target.offset < offsetof(SceneShape, contact_radius_m);
    if (number->is_derived && is_size) // the others of the shape must suit it
        check_add(reader, reader->drafts[number->parameter].node,
                  (NumberCheck){.parameter = number->parameter, .shape = target.index});
}

void read_number_into(Reader *reader, const YamlNode *node, const NumberRange *range, NumberTarget target) {
    if (node == NULL) return;
    const Number number = read_number(reader, node, range);
    if (number.is_ok) number_place(reader, &number, target);
}

#define TURN_RAD 6.283185307179586
#define TURN_SHARE 1.000001 // a turn that was rounded is one

// What a distribution can reach where that is finite, else its median; of arithmetic its value at the medians.
static double angle_largest_rad(const Number *number) {
    if (number->is_derived || !isfinite(number->low) || !isfinite(number->high)) return fabs(number->value);
    return fmax(fabs(number->low), fabs(number->high));
}

void read_angle_into(Reader *reader, const YamlNode *node, NumberTarget target) {
    if (node == NULL) return;
    const Number number = read_number(reader, node, &RANGE_ANY);
    if (!number.is_ok) return;
    const double largest_rad = angle_largest_rad(&number);
    if (largest_rad > TURN_SHARE * TURN_RAD)
        reader_warn(reader, node, "%g rad is more than a turn; angles are in radians: 30 degrees are \"=30*pi/180\"",
                    largest_rad);
    number_place(reader, &number, target);
}

bool read_vector_into(Reader *reader, const YamlNode *node, int count, const NumberRange *range, NumberTarget target,
                      bool *out_all_zero) {
    char expected[64];
    bool is_ok = true;
    if (out_all_zero != NULL) *out_all_zero = true;
    if (node == NULL) return true;
    if (out_all_zero != NULL) *out_all_zero = map_get(node, "unit_vector") == NULL;
    if (count == 3 && range == &RANGE_ANY && read_unit_vector(reader, node, target, &is_ok)) return is_ok;
    snprintf(expected, sizeof expected, "a list of %d numbers", count);
    if (!list_check(reader, node, count, expected)) {
        if (out_all_zero != NULL) *out_all_zero = false;
        return false;
    }
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
    const DraftRank *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->draft > y->draft) - (x->draft < y->draft); // those of one place stay together
}

static void derivation_renumber(Derivation *derivation, const uint32_t *position) {
    Expression *expression = &derivation->expression;
    derivation->parameter = position[derivation->parameter];
    if (derivation->length_parameter != NONE) derivation->length_parameter = position[derivation->length_parameter];
    for (uint32_t i = 0; i < expression->step_count; i++)
        if (expression->steps[i].code == EXPRESSION_PARAMETER)
            expression->steps[i].parameter = position[expression->steps[i].parameter];
}

static void parameters_renumber(Study *study, const uint32_t *position) {
    for (uint32_t i = 0; i < study->binding_count; i++)
        study->bindings[i].parameter = position[study->bindings[i].parameter];
    for (uint32_t i = 0; i < study->derivation_count; i++) derivation_renumber(&study->derivations[i], position);
    for (uint32_t i = 0; i < study->check_count; i++) study->checks[i].parameter = position[study->checks[i].parameter];
    for (uint32_t i = 0; i < study->presence_count; i++)
        study->presences[i].parameter = position[study->presences[i].parameter];
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
        if (scene_name_is_axis(draft->parameter.name))
            reader_error(reader, draft->node, "the name \"%s\" of what is sampled is taken by the ensemble file",
                         draft->parameter.name);
        ranks[i] = (DraftRank){first | draft->node->order, i};
    }
    qsort(ranks, count, sizeof *ranks, draft_rank_compare);
    uint32_t derived = 0;
    for (uint32_t i = 0; i < count; i++) {
        Parameter *parameter = &study->parameters[i];
        *parameter = reader->drafts[ranks[i].draft].parameter;
        parameter->derived_before = derived;
        derived += parameter->distribution.kind == DISTRIBUTION_DERIVED;
        position[ranks[i].draft] = i;
    }
    study->parameter_count = count;
    reader->draft_count = 0; // their arrays are the study's now
    parameters_renumber(study, position);
    for (uint32_t i = 0; i < reader->variable_count; i++) {
        Number *number = &reader->variables[i].number;
        if (number->parameter != NONE) number->parameter = position[number->parameter];
    }
}
