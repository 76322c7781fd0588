// Numbers that are drawn together: vectors uniform on the sphere, random rotations, correlated normals.
// Their parameters are what a scene uses (components), so that a record of them rebuilds it.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static Derivation *derivation_add(Reader *reader, DerivationKind kind, uint32_t parameter, uint32_t count) {
    Study *study = reader->study;
    if (!reader_grow(reader, (void **)&study->derivations, &reader->derivation_capacity, study->derivation_count,
                     sizeof *study->derivations))
        return NULL;
    Derivation *derivation = &study->derivations[study->derivation_count++];
    *derivation = (Derivation){.kind = kind, .parameter = parameter, .count = count, .length_parameter = NONE};
    return derivation;
}

// One number of a group. Those that take a coordinate of the design hold it (`raw`) until the group
// is derived from them.
static Number member_add(Reader *reader, const YamlNode *node, const char *name, bool is_variable, Distribution raw,
                         const char *text) {
    Number number = parameter_add(reader, node, name, &raw, is_variable);
    if (number.parameter == NONE) return number;
    ParameterDraft *draft = &reader->drafts[number.parameter];
    draft->is_grouped = true;
    snprintf(draft->parameter.text, sizeof draft->parameter.text, "%s", text);
    return number;
}

static const Distribution raw_uniform = {
    .kind = DISTRIBUTION_UNIFORM, .a = 0, .b = 1, .lower = -INFINITY, .upper = INFINITY};
static const Distribution raw_normal = {
    .kind = DISTRIBUTION_NORMAL, .a = 0, .b = 1, .lower = -INFINITY, .upper = INFINITY};
static const Distribution raw_none = {.kind = DISTRIBUTION_DERIVED};

// Parameters "<path>[0]", "<path>[1]", ... placed side by side; the last takes no coordinate.
static uint32_t components_add(Reader *reader, const YamlNode *node, const char *path, uint32_t count,
                               NumberTarget target, const char *text) {
    uint32_t first = NONE;
    for (uint32_t i = 0; i < count; i++) {
        char name[STUDY_PATH_BYTES + 16];
        snprintf(name, sizeof name, "%.*s[%u]", STUDY_PATH_BYTES, path, i);
        const Number number = member_add(reader, node, name, false, i + 1 < count ? raw_uniform : raw_none, text);
        if (number.parameter == NONE) return NONE;
        if (i == 0) first = number.parameter;
        if (number.is_ok) number_place(reader, &number, target);
        target.offset += sizeof(double);
    }
    return first;
}

// --- directions ---------------------------------------------------------------------------------

// A body may stand still; a direction has a length.
static bool may_vanish(NumberTarget target) {
    return target.block == BIND_BODY && (target.offset == offsetof(SceneBody, position_m) ||
                                         target.offset == offsetof(SceneBody, velocity_m_per_s) ||
                                         target.offset == offsetof(SceneBody, angular_velocity_rad_per_s));
}

bool read_unit_vector(Reader *reader, const YamlNode *node, NumberTarget target, bool *out_is_ok) {
    static const char *const kinds[] = {"unit_vector", NULL};
    static const char *const keys[] = {"length", NULL};
    char path[STUDY_PATH_BYTES], text[STUDY_NAME_BYTES * 2];
    const YamlNode *kind = map_get(node, "unit_vector");
    if (kind == NULL) return false;
    *out_is_ok = false;
    if (reader->is_palette || !map_check(reader, node, kinds, NULL) || !map_check(reader, kind, keys, NULL))
        return true;
    const YamlNode *length_node = map_get(kind, "length");
    Number length = number_constant(1);
    if (length_node != NULL)
        length = read_number(reader, length_node, may_vanish(target) ? &RANGE_NON_NEGATIVE : &RANGE_POSITIVE);
    if (!length.is_ok) return true;
    if (length.parameter == NONE)
        snprintf(text, sizeof text, "unit_vector(length %.15g)", length.value);
    else
        snprintf(text, sizeof text, "unit_vector(length %.200s)", reader->drafts[length.parameter].parameter.name);
    node_path(node, path, sizeof path);
    const uint32_t first = components_add(reader, node, path, 3, target, text);
    Derivation *derivation = first != NONE ? derivation_add(reader, DERIVATION_UNIT_VECTOR, first, 3) : NULL;
    if (derivation == NULL) return true;
    derivation->length = length.value;
    derivation->length_parameter = length.parameter;
    *out_is_ok = true;
    return true;
}

void read_random_rotation(Reader *reader, const YamlNode *node, NumberTarget target) {
    char path[STUDY_PATH_BYTES], name[STUDY_PATH_BYTES + 16];
    if (node->kind != YAML_MAP || node->child_count > 0) {
        reader_expected(reader, node, "an empty map {}");
        return;
    }
    node_path(node->parent, path, sizeof path);
    snprintf(name, sizeof name, "%s.quaternion", path); // written there, they give the same rotation
    const uint32_t first = components_add(reader, node, name, 4, target, "random rotation");
    if (first != NONE) derivation_add(reader, DERIVATION_ROTATION, first, 4);
}

// --- correlated normals ---------------------------------------------------------------------------

// `count` constants; false after errors.
static bool read_constants(Reader *reader, const YamlNode *node, uint32_t count, const NumberRange *range,
                           double *out) {
    char what[64];
    snprintf(what, sizeof what, "a list of %u %s, one for each name", count, text_plural(count, "number", "numbers"));
    if (node == NULL || !list_check(reader, node, (int)count, what)) return false;
    bool is_ok = true;
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next) {
        out[item->index] = read_constant(reader, item, range);
        is_ok &= !isnan(out[item->index]);
    }
    return is_ok;
}

// The correlation matrix (count, count), row by row.
static bool read_correlation(Reader *reader, const YamlNode *node, uint32_t count, double *out) {
    static const NumberRange range = {-1, 1, false, false, "a number from -1 to 1"};
    char what[64];
    snprintf(what, sizeof what, "a list of %u %s, one for each name", count, text_plural(count, "row", "rows"));
    if (node == NULL || !list_check(reader, node, (int)count, what)) return false;
    bool is_ok = true;
    for (const YamlNode *row = node->child_first; row != NULL; row = row->next)
        is_ok &= read_constants(reader, row, count, &range, out + (size_t)row->index * count);
    for (const YamlNode *row = node->child_first; row != NULL && is_ok; row = row->next)
        for (const YamlNode *item = row->child_first; item != NULL; item = item->next) {
            const size_t i = row->index, j = item->index;
            const double value = out[i * count + j], mirror = out[j * count + i];
            if (i == j && value != 1)
                reader_error(reader, item, "expected 1 on the diagonal, found %g", value);
            else if (i > j && value != mirror)
                reader_error(reader, item, "expected a symmetric matrix, found %g here and %g in [%zu][%zu]", value,
                             mirror, j, i);
            else
                continue;
            is_ok = false;
        }
    return is_ok;
}

// The lower triangle L with L L' = matrix, in place; false where there is none.
static bool cholesky(double *matrix, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = matrix[(size_t)i * count + j];
            for (uint32_t k = 0; k < j; k++) sum -= matrix[(size_t)i * count + k] * matrix[(size_t)j * count + k];
            // A pivot this small is the rounding of 0: some number would be a sum of others.
            if (i == j && !(sum > 1e-14 * count)) return false;
            matrix[(size_t)i * count + j] = i == j ? sqrt(sum) : sum / matrix[(size_t)j * count + j];
        }
    return true;
}

static void normals_add(Reader *reader, const YamlNode *group, const YamlNode *names, double *means, const double *sds,
                        double *factor) {
    const uint32_t count = names->child_count;
    uint32_t first = NONE;
    for (const YamlNode *item = names->child_first; item != NULL; item = item->next) {
        const uint32_t i = item->index;
        const char *name = read_text(reader, item, "a name");
        char text[STUDY_NAME_BYTES * 2];
        if (name == NULL) continue;
        snprintf(text, sizeof text, "normal(mean %.15g, sd %.15g), correlated in %.100s", means[i], sds[i], group->key);
        for (uint32_t j = 0; j <= i; j++) factor[(size_t)i * count + j] *= sds[i];
        Number number = {.value = NAN, .parameter = NONE};
        if (!variable_add(reader, item, name, (Variable){.node = item, .is_read = true, .number = number})) continue;
        number = member_add(reader, item, name, true, raw_normal, text);
        if (number.parameter == NONE) return;
        if (i == 0) first = number.parameter;
        number.value = reader->medians[number.parameter] = means[i];
        reader->variables[reader->variable_count - 1].number = number;
    }
    if (reader_status(reader) != CLACK_OK || first == NONE) return;
    Derivation *derivation = derivation_add(reader, DERIVATION_NORMALS, first, count);
    if (derivation == NULL) return;
    derivation->means = calloc(count, sizeof *means);
    derivation->factor = calloc((size_t)count * count, sizeof *factor);
    if (derivation->means == NULL || derivation->factor == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    memcpy(derivation->means, means, count * sizeof *means);
    memcpy(derivation->factor, factor, (size_t)count * count * sizeof *factor);
}

void read_correlated_normals(Reader *reader, const YamlNode *node) {
    static const char *const kinds[] = {"correlated_normals", NULL};
    static const char *const keys[] = {"names", "means", "sds", "correlation", NULL};
    if (!map_check(reader, node, kinds, NULL)) return;
    const YamlNode *group = map_get(node, kinds[0]);
    if (group == NULL || !map_check(reader, group, keys, NULL)) return;
    const YamlNode *names = map_require(reader, group, "names", "a list of names");
    const YamlNode *means = map_require(reader, group, "means", "a list of numbers");
    const YamlNode *sds = map_require(reader, group, "sds", "a list of numbers > 0");
    const YamlNode *correlation = map_require(reader, group, "correlation", "a list of rows");
    if (names == NULL) return;
    if (names->kind != YAML_LIST || names->child_count < 2 || names->child_count > 256) {
        reader_expected(reader, names, "a list of 2 to 256 names");
        return;
    }
    const uint32_t count = names->child_count;
    double *mean = reader_take(reader, count * sizeof *mean);
    double *sd = reader_take(reader, count * sizeof *sd);
    double *factor = reader_take(reader, (size_t)count * count * sizeof *factor);
    if (mean == NULL || sd == NULL || factor == NULL) return;
    read_constants(reader, means, count, &RANGE_ANY, mean);
    read_constants(reader, sds, count, &RANGE_POSITIVE, sd);
    if (read_correlation(reader, correlation, count, factor) && !cholesky(factor, count))
        reader_error(reader, correlation, "expected a positive definite matrix, found one that is not");
    normals_add(reader, node, names, mean, sd, factor);
}
