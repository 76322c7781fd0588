// The normal force law of a pair of materials: hertz, or {linear: {stiffness, damping}}, or {linear: {stiffness,
// restitution}}.
#include "study_internal.h"

#include <string.h>

static const NumberRange RANGE_RESTITUTION = {0, 1, true, false, "a number > 0 and <= 1"};

static const struct {
    const char *key;
    const NumberRange *range;
    size_t offset;
} linear_keys[LINEAR_NUMBERS] = {
    [LINEAR_STIFFNESS] = {"stiffness", &RANGE_POSITIVE, offsetof(ScenePair, linear_stiffness_N_per_m)},
    [LINEAR_DAMPING] = {"damping", &RANGE_NON_NEGATIVE, offsetof(ScenePair, linear_damping_N_s_per_m)},
    [LINEAR_RESTITUTION] = {"restitution", &RANGE_RESTITUTION, offsetof(ScenePair, linear_restitution)},
};

static void read_linear(Reader *reader, const YamlNode *node, PairEntry *pair) {
    static const char *const keys[] = {"stiffness", "damping", "restitution", NULL};
    static const char *const dampers[] = {"damping", "restitution", NULL};
    map_choose(reader, node, keys, dampers, NULL, "damper");
    if (node->kind != YAML_MAP) return;
    map_require(reader, node, linear_keys[LINEAR_STIFFNESS].key, linear_keys[LINEAR_STIFFNESS].range->words);
    for (int i = 0; i < LINEAR_NUMBERS; i++) {
        const YamlNode *child = map_get(node, linear_keys[i].key);
        if (child != NULL) pair->linear[i] = read_number(reader, child, linear_keys[i].range);
    }
}

void read_normal_law(Reader *reader, const YamlNode *row, PairEntry *pair) {
    static const char *const kinds[] = {"linear", NULL};
    static const char *const of_hertz[] = {"restitution", "damping", "d_max", NULL}; // these damp his force alone
    const YamlNode *node = map_get(row, "normal");
    if (node != NULL && node->kind == YAML_MAP) {
        pair->normal_law = NORMAL_LINEAR;
        for (int i = 0; i < LINEAR_NUMBERS; i++) pair->linear[i] = number_constant(0);
        const YamlNode *linear = map_choose(reader, node, kinds, kinds, NULL, "normal force law");
        if (linear != NULL) read_linear(reader, linear, pair);
    } else if (node != NULL) {
        pair->normal_law = NORMAL_HERTZ;
        if (node->kind != YAML_SCALAR || strcmp(node->text, "hertz") != 0)
            reader_expected(reader, node, "hertz or {linear: {...}}");
    }
    if (pair->normal_law == NORMAL_HERTZ) return;
    if (node != NULL && reader->study->scene.compat_modia3d)
        reader_error(reader, node, "expected \"hertz\" with compat: modia3d, found \"linear\"");
    for (int i = 0; of_hertz[i] != NULL; i++) {
        const YamlNode *child = map_get(row, of_hertz[i]);
        if (child == NULL) continue;
        char found[128];
        node_describe(child, found, sizeof found);
        reader_error(reader, child,
                     "expected none beside normal: {linear: ...}, which has a damper of its own, found %s", found);
    }
}

void place_normal_law(Reader *reader, const PairEntry *pair, uint32_t scene_pair) {
    reader->study->scene.pairs[scene_pair].normal_law = pair->normal_law;
    if (pair->normal_law != NORMAL_LINEAR) return;
    for (int i = 0; i < LINEAR_NUMBERS; i++)
        number_place(reader, &pair->linear[i], (NumberTarget){BIND_PAIR, scene_pair, linear_keys[i].offset});
}
