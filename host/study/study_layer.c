// `layer` between quasi-rigid bodies, `friction_ellipsoid` and `friction_axis` of a pair of materials.
#include "study_internal.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *key;
    const NumberRange *range;
    double fallback; // NaN: it has to be given
    size_t offset;
} layer_keys[LAYER_NUMBERS] = {
    [LAYER_STIFFNESS] = {"stiffness", &RANGE_POSITIVE, NAN, offsetof(ScenePair, layer_stiffness_N_per_m)},
    [LAYER_DAMPING] = {"damping", &RANGE_NON_NEGATIVE, 0, offsetof(ScenePair, layer_damping_N_s_per_m)},
    [LAYER_THICKNESS] = {"thickness", &RANGE_POSITIVE, NAN, offsetof(ScenePair, layer_thickness_m)},
    [LAYER_SHEAR] = {"tangential_stiffness", &RANGE_NON_NEGATIVE, 0,
                     offsetof(ScenePair, layer_shear_stiffness_N_per_m)},
    [LAYER_SHEAR_DAMPING] = {"tangential_damping", &RANGE_NON_NEGATIVE, 0,
                             offsetof(ScenePair, layer_shear_damping_N_s_per_m)},
};

static bool is_word(const YamlNode *node, const char *word) {
    return node != NULL && node->kind == YAML_SCALAR && strcmp(node->text, word) == 0;
}

static void read_layer(Reader *reader, const YamlNode *node, PairEntry *pair) {
    static const char *const keys[] = {"stiffness",          "damping", "thickness", "tangential_stiffness",
                                       "tangential_damping", NULL};
    if (node == NULL) return;
    for (int i = 0; i < LAYER_NUMBERS; i++)
        pair->layer[i] = number_constant(isnan(layer_keys[i].fallback) ? 0 : layer_keys[i].fallback);
    pair->layer_is_hertz = is_word(node, "hertz");
    pair->has_layer = !is_word(node, "none");
    if (pair->layer_is_hertz) pair->layer[LAYER_THICKNESS] = number_constant(INFINITY); // it has no core
    if (!pair->has_layer || pair->layer_is_hertz) return;
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "none, hertz or a map with stiffness and thickness");
        return;
    }
    if (!map_check(reader, node, keys, NULL)) return;
    for (int i = 0; i < LAYER_NUMBERS; i++) {
        const YamlNode *child = map_get(node, layer_keys[i].key);
        const char *expected = i == LAYER_STIFFNESS ? "hertz or a number > 0" : layer_keys[i].range->words;
        if (isnan(layer_keys[i].fallback)) map_require(reader, node, layer_keys[i].key, expected);
        if (i == LAYER_STIFFNESS && is_word(child, "hertz"))
            pair->layer_is_hertz = true;
        else if (child != NULL)
            pair->layer[i] = read_number(reader, child, layer_keys[i].range);
    }
}

static bool are_same(const Number *a, const Number *b) {
    return a->parameter == b->parameter && (a->parameter != NONE || a->value == b->value);
}

// axis: what is given as the direction of the first number, right or wrong.
static void read_ellipsoid(Reader *reader, const YamlNode *node, const YamlNode *axis, PairEntry *pair) {
    static const NumberRange *const ranges[] = {&RANGE_POSITIVE, &RANGE_POSITIVE, &RANGE_NON_NEGATIVE};
    if (node == NULL || !list_check(reader, node, 3, "a list of 3 numbers")) return;
    const YamlNode *second = node;
    bool is_ok = true;
    int i = 0;
    for (const YamlNode *child = node->child_first; child != NULL && i < 3; child = child->next, i++) {
        pair->ellipsoid[i] = read_number(reader, child, ranges[i]);
        is_ok = is_ok && pair->ellipsoid[i].is_ok;
        if (i == 1) second = child;
    }
    if (is_ok && axis == NULL && !pair->has_axis && !are_same(&pair->ellipsoid[0], &pair->ellipsoid[1]))
        reader_error(reader, second, "expected the first number again, or friction_axis beside it, found another");
}

static void read_axis(Reader *reader, const YamlNode *node, PairEntry *pair) {
    if (node == NULL || !list_check(reader, node, 3, "a list of 3 numbers")) return;
    if (pair->material_a == pair->material_b) {
        reader_error(reader, node, "expected two materials, in the frame of the first of which it is, found one");
        return;
    }
    int i = 0;
    for (const YamlNode *child = node->child_first; child != NULL && i < 3; child = child->next, i++) {
        const Number number = read_number(reader, child, &RANGE_ANY);
        if (!number.is_ok) return;
        if (number.parameter != NONE) {
            reader_error(reader, child, "expected a constant number, found one that varies");
            return;
        }
        pair->axis[i] = number.value;
    }
    pair->has_axis = pair->axis[0] != 0 || pair->axis[1] != 0 || pair->axis[2] != 0;
    pair->axis_material = pair->first_material;
    if (!pair->has_axis) reader_error(reader, node, "expected an axis that is not 0, found all zeros");
}

void read_layer_law(Reader *reader, const YamlNode *row, PairEntry *pair) {
    if (!pair->has_layer_numbers) {
        for (int i = 0; i < 3; i++) pair->ellipsoid[i] = number_constant(i < 2 ? 1 : 0);
        pair->has_layer_numbers = true;
    }
    read_layer(reader, map_get(row, "layer"), pair);
    const YamlNode *axis = map_get(row, "friction_axis");
    read_axis(reader, axis, pair);
    read_ellipsoid(reader, map_get(row, "friction_ellipsoid"), axis, pair);
    if (axis != NULL && pair->has_axis && are_same(&pair->ellipsoid[0], &pair->ellipsoid[1]))
        reader_warn(reader, axis, "has no effect where the first two numbers of friction_ellipsoid are equal");
}

bool layers_have_mean(const PairEntry *a, const PairEntry *b) { return !a->has_layer && !b->has_layer; }

bool ellipsoids_have_mean(const PairEntry *a, const PairEntry *b) {
    bool have = !a->has_axis && !b->has_axis;
    for (int i = 0; i < 3; i++) have = have && are_same(&a->ellipsoid[i], &b->ellipsoid[i]);
    return have;
}

bool ellipsoid_is_other(const PairEntry *pair) {
    for (int i = 0; i < 3; i++)
        if (pair->ellipsoid[i].parameter != NONE || pair->ellipsoid[i].value != (i < 2 ? 1 : 0)) return true;
    return false;
}

void layer_copy_friction(PairEntry *pair, const PairEntry *from) {
    for (int i = 0; i < 3; i++) pair->ellipsoid[i] = from->ellipsoid[i];
}

void place_layer_law(Reader *reader, const PairEntry *pair, uint32_t scene_pair) {
    ScenePair *out = &reader->study->scene.pairs[scene_pair];
    for (uint32_t i = 0; i < 3; i++)
        number_place(reader, &pair->ellipsoid[i],
                     (NumberTarget){BIND_PAIR, scene_pair,
                                    offsetof(ScenePair, friction_ellipsoid) + i * sizeof out->friction_ellipsoid[0]});
    out->has_ellipsoid = ellipsoid_is_other(pair);
    out->has_friction_axis = pair->has_axis && !are_same(&pair->ellipsoid[0], &pair->ellipsoid[1]);
    // A study's own row has been reported where it is (check_method).
    if (pair->is_of_palette && pair->has_spring && out->has_ellipsoid)
        reader_error(reader, pair->node, "expected no friction_ellipsoid beside friction_law: mindlin, found both");
    if (pair->has_axis) out->axis_material = reader->materials[pair->axis_material].scene_index;
    memcpy(out->friction_axis, pair->axis, sizeof pair->axis);
    out->has_layer = pair->has_layer;
    out->layer_is_hertz = pair->layer_is_hertz;
    for (int i = 0; i < LAYER_NUMBERS && pair->has_layer; i++)
        number_place(reader, &pair->layer[i], (NumberTarget){BIND_PAIR, scene_pair, layer_keys[i].offset});
}
