// The design section: how many scenes, and where in the space of parameters.
#include "study_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#include "sobol_directions.h"

// By DesignKind.
static const char *const design_kinds[] = {"monte_carlo", "grid",     "latin_hypercube", "sobol",
                                           "table",       "saltelli", "morris",          NULL};

const char *study_design_name(DesignKind kind) {
    return kind == DESIGN_SOBOL_PLAIN ? "sobol, not scrambled" : design_kinds[kind];
}

#define DESIGN_SEED_DEFAULT 1

// Parameters that are sampled themselves, not derived from others.
static uint32_t coordinate_count(const Study *study) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < study->parameter_count; i++)
        count += study->parameters[i].distribution.kind != DISTRIBUTION_DERIVED;
    return count;
}

// {samples, seed}, and scramble for a Sobol' design.
static void read_samples(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"samples", "seed", NULL};
    static const char *const sobol_keys[] = {"samples", "seed", "scramble", NULL};
    static const char *const scrambles[] = {"owen", "none", NULL};
    Design *design = &reader->study->design;
    const bool is_sobol = design->kind == DESIGN_SOBOL;
    if (!map_check(reader, node, is_sobol ? sobol_keys : keys, NULL)) return;
    if (is_sobol && read_word(reader, map_get(node, "scramble"), scrambles, NULL, 0) == 1)
        design->kind = DESIGN_SOBOL_PLAIN;
    const uint32_t coordinates = coordinate_count(reader->study);
    if (is_sobol && coordinates > SOBOL_DIMENSIONS)
        reader_error(reader, node, "expected at most %d parameters, the dimensions known, found %u", SOBOL_DIMENSIONS,
                     coordinates);
    const YamlNode *samples = map_require(reader, node, "samples", "a whole number >= 1");
    const YamlNode *seed = map_get(node, "seed");
    if (samples != NULL) design->scene_count = read_integer(reader, samples, 1, STUDY_SCENES_MAX);
    reader->study->scenes_before = reader->own_samples;
    if (seed != NULL) design->seed = read_integer(reader, seed, 0, UINT64_MAX);
}

// --- grid -----------------------------------------------------------------------------------------

static uint32_t read_levels(Reader *reader, const YamlNode *node) {
    return (uint32_t)read_integer(reader, node, 1, STUDY_SCENES_MAX);
}

// Names of `levels` must be parameters that have a choice.
static void levels_check_names(Reader *reader, const YamlNode *node) {
    const Study *study = reader->study;
    const char **names = reader_take(reader, ((size_t)study->parameter_count + 1) * sizeof *names);
    if (names == NULL) return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < study->parameter_count; i++)
        if (study->parameters[i].distribution.kind != DISTRIBUTION_DERIVED) names[count++] = study->parameters[i].name;
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) {
        bool is_known = false;
        for (uint32_t i = 0; i < count && !is_known; i++) is_known = strcmp(names[i], child->key) == 0;
        const char *nearest = is_known ? NULL : word_nearest(child->key, names);
        if (nearest != NULL)
            reader_error_key(reader, child->parent, &child->key_place,
                             "unknown parameter \"%.*s\", did you mean \"%s\"?", TEXT_CUT(child->key, 100), nearest);
        else if (!is_known)
            reader_error_key(reader, child->parent, &child->key_place, "unknown parameter \"%.*s\"",
                             TEXT_CUT(child->key, 100));
    }
}

static uint32_t parameter_levels(Reader *reader, const YamlNode *levels, const Parameter *parameter) {
    const bool is_map = levels != NULL && levels->kind == YAML_MAP;
    const YamlNode *own = is_map ? map_get(levels, parameter->name) : levels;
    const uint64_t count = distribution_value_count(&parameter->distribution);
    if (count > 0) {
        if (is_map && own != NULL && read_levels(reader, own) != count)
            reader_error(reader, own, "expected %llu levels, all values of a discrete parameter, found %s",
                         (unsigned long long)count, own->kind == YAML_SCALAR ? own->text : "something else");
        return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    }
    if (own != NULL) return read_levels(reader, own);
    if (levels != NULL) reader_error(reader, levels, "expected levels of \"%s\", found none", parameter->name);
    return 1;
}

static void read_grid(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"levels", NULL};
    Study *study = reader->study;
    if (!map_check(reader, node, keys, NULL)) return;
    for (uint32_t i = 0; i < study->derivation_count; i++)
        if (study->derivations[i].kind != DERIVATION_EXPRESSION) {
            reader_error(reader, node,
                         "expected a design that samples, since \"%s\" is drawn together with others, "
                         "found a grid",
                         study->parameters[study->derivations[i].parameter].name);
            return;
        }
    const YamlNode *levels = map_get(node, "levels");
    if (levels != NULL && levels->kind == YAML_MAP) levels_check_names(reader, levels);
    if (levels != NULL && levels->kind == YAML_LIST) {
        reader_expected(reader, levels, "a whole number or a map of parameters to whole numbers");
        return;
    }
    uint64_t count = 1;
    bool is_reported = false, is_used = false;
    const bool is_number = levels != NULL && levels->kind == YAML_SCALAR;
    const uint32_t common = is_number ? read_levels(reader, levels) : 0;
    for (uint32_t i = 0; i < study->parameter_count; i++) {
        Parameter *parameter = &study->parameters[i];
        if (parameter->distribution.kind == DISTRIBUTION_DERIVED) continue;
        const bool is_discrete = distribution_value_count(&parameter->distribution) > 0;
        if (levels == NULL && !is_discrete && !is_reported) {
            reader_error(reader, node, "expected the key \"levels\" (for \"%s\"), found none", parameter->name);
            is_reported = true;
        }
        is_used |= is_number && !is_discrete;
        parameter->grid_levels = is_number && !is_discrete ? common : parameter_levels(reader, levels, parameter);
        count = count <= STUDY_SCENES_MAX ? count * parameter->grid_levels : count;
    }
    if (count > STUDY_SCENES_MAX)
        reader_error(reader, node, "expected at most %u scenes, found more: fewer levels, please", STUDY_SCENES_MAX);
    if (is_number && !is_used)
        reader_warn(reader, levels,
                    "has no effect without a parameter that is not discrete: all values make %" PRIu64 " scenes",
                    count);
    study->design.scene_count = count;
}

// --- sensitivity ----------------------------------------------------------------------------------

// The numbers drawn together that a parameter belongs to; NULL: it stands alone.
static const Derivation *find_group(const Study *study, uint32_t parameter) {
    for (uint32_t i = 0; i < study->derivation_count; i++) {
        const Derivation *group = &study->derivations[i];
        if (group->kind != DERIVATION_EXPRESSION && parameter >= group->parameter &&
            parameter - group->parameter < group->count)
            return group;
    }
    return NULL;
}

// Which input each coordinate belongs to: those drawn together mean nothing one by one.
static void inputs_count(Study *study) {
    const Derivation *last = NULL;
    study->design.input_count = 0;
    for (uint32_t i = 0; i < study->parameter_count; i++) {
        Parameter *parameter = &study->parameters[i];
        if (parameter->distribution.kind == DISTRIBUTION_DERIVED) continue;
        const Derivation *group = find_group(study, i);
        if (group == NULL || group != last) study->design.input_count++;
        parameter->input = study->design.input_count - 1;
        last = group;
    }
}

void study_input_name(const Study *study, uint32_t input, char *out, size_t out_bytes) {
    uint32_t i = 0;
    while (study->parameters[i].distribution.kind == DISTRIBUTION_DERIVED || study->parameters[i].input != input) i++;
    const Derivation *group = find_group(study, i);
    snprintf(out, out_bytes, "%s", study->parameters[i].name);
    if (group == NULL) return;
    if (group->kind != DERIVATION_NORMALS) { // "<path>[0]", "<path>.quaternion[0]"
        char *end = group->kind == DERIVATION_ROTATION ? strstr(out, ".quaternion[") : strrchr(out, '[');
        if (end != NULL) *end = '\0';
        return;
    }
    for (uint32_t k = 1; k < group->count; k++) {
        const size_t used = strlen(out);
        snprintf(out + used, out_bytes - used, "+%s", study->parameters[group->parameter + k].name);
    }
}

#define MORRIS_LEVELS 4

static void read_sensitivity(Reader *reader, const YamlNode *node) {
    static const char *const saltelli_keys[] = {"samples", "seed", NULL};
    static const char *const morris_keys[] = {"samples", "seed", "levels", NULL};
    Design *design = &reader->study->design;
    const bool is_morris = design->kind == DESIGN_MORRIS;
    if (!map_check(reader, node, is_morris ? morris_keys : saltelli_keys, NULL)) return;
    inputs_count(reader->study);
    const YamlNode *samples = map_require(reader, node, "samples", "a whole number >= 2");
    const YamlNode *seed = map_get(node, "seed"), *levels = map_get(node, "levels");
    if (seed != NULL) design->seed = read_integer(reader, seed, 0, UINT64_MAX);
    design->levels = levels != NULL ? (uint32_t)read_integer(reader, levels, 2, 1000) : MORRIS_LEVELS;
    if (design->levels % 2 != 0) reader_error(reader, levels, "expected an even number, found %u", design->levels);
    const uint32_t coordinates = design->coordinate_count = coordinate_count(reader->study);
    if (design->input_count == 0) {
        reader_error(reader, node, "expected parameters that vary, found none");
        return;
    }
    if (!is_morris && 2 * coordinates > SOBOL_DIMENSIONS)
        reader_error(reader, node, "expected at most %d parameters, half the dimensions known, found %u",
                     SOBOL_DIMENSIONS / 2, coordinates);
    if (samples == NULL) return;
    const uint64_t each = design->input_count + (is_morris ? 1 : 2);
    design->samples = read_integer(reader, samples, 2, STUDY_SCENES_MAX / each);
    design->scene_count = design->samples * each;
    reader->study->scenes_before = reader->own_samples * each;
}

void read_design(Reader *reader, const YamlNode *node, const YamlNode *root) {
    Study *study = reader->study;
    study->design = (Design){.kind = DESIGN_MONTE_CARLO, .scene_count = 1, .seed = DESIGN_SEED_DEFAULT};
    if (node == NULL) {
        if (study->parameter_count > 0)
            reader_error(
                reader, root,
                "expected the key \"design\" (monte_carlo, latin_hypercube, sobol, table, grid, saltelli or morris), "
                "since \"%s\" varies, found "
                "none",
                study->parameters[0].name);
        return;
    }
    const YamlNode *kind = map_choose(reader, node, design_kinds, design_kinds, NULL, "design");
    if (kind == NULL) return;
    while (strcmp(kind->key, design_kinds[study->design.kind]) != 0) study->design.kind++;
    if (study->design.kind == DESIGN_GRID)
        read_grid(reader, kind);
    else if (study->design.kind == DESIGN_SALTELLI || study->design.kind == DESIGN_MORRIS)
        read_sensitivity(reader, kind);
    else if (study->design.kind == DESIGN_TABLE) {
        const YamlNode *seed = map_get(kind, "seed"); // of what does not take a column
        if (seed != NULL) study->design.seed = read_integer(reader, seed, 0, UINT64_MAX);
        if (reader->table.is_ok) study->design.scene_count = reader->table.row_count;
    } else
        read_samples(reader, kind);
}
