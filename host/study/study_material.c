// Materials and contact pairs: the palettes, what a study adds to them or changes, and the rows that
// the scene needs.
#include "study_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const NumberRange RANGE_POISSON = {0, 0.5, true, false, "a number > 0 and <= 0.5"};

// --- materials ----------------------------------------------------------------------------------

static uint32_t material_find(const Reader *reader, const char *name) {
    for (uint32_t i = 0; i < reader->material_count; i++)
        if (strcmp(reader->materials[i].name, name) == 0) return i;
    return NONE;
}

// The number at `key`; a missing one keeps the palette's value, or is an error for a new material.
static void read_material_number(Reader *reader, const YamlNode *node, const char *key, const NumberRange *range,
                                 bool is_new, Number *number) {
    const YamlNode *child = is_new ? map_require(reader, node, key, range->words) : map_get(node, key);
    if (child != NULL) *number = read_number(reader, child, range);
}

static void read_material(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"young", "poisson", "density", NULL};
    if (!map_check(reader, node, keys, NULL)) return;
    uint32_t entry = material_find(reader, node->key);
    const bool is_new = entry == NONE;
    if (is_new) {
        if (!is_identifier(node->key) || strlen(node->key) >= SCENE_NAME_BYTES)
            reader_error(reader, node, "expected a name of letters, digits and _, found \"%.*s\"",
                         TEXT_CUT(node->key, 60));
        if (!reader_grow(reader, (void **)&reader->materials, &reader->material_capacity, reader->material_count,
                         sizeof *reader->materials))
            return;
        entry = reader->material_count++;
        reader->materials[entry] = (MaterialEntry){.name = node->key, .scene_index = NONE};
    }
    MaterialEntry *material = &reader->materials[entry];
    material->node = node;
    read_material_number(reader, node, "young", &RANGE_POSITIVE, is_new, &material->young);
    read_material_number(reader, node, "poisson", &RANGE_POISSON, is_new, &material->poisson);
    read_material_number(reader, node, "density", &RANGE_NON_NEGATIVE, is_new, &material->density);
    // Reported; that bodies of it lack a density need not be reported too.
    if (!material->density.is_ok) material->density = number_constant(1);
}

void read_materials(Reader *reader, const YamlNode *node) {
    if (node == NULL) return;
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of names to {young, poisson, density}");
        return;
    }
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) read_material(reader, child);
}

uint32_t read_material_name(Reader *reader, const YamlNode *node) {
    const char *name = read_text(reader, node, "the name of a material");
    if (name == NULL) return NONE;
    const uint32_t entry = material_find(reader, name);
    if (entry != NONE) return entry;
    const char **names = reader_take(reader, (reader->material_count + 1) * sizeof *names);
    if (names == NULL) return NONE;
    for (uint32_t i = 0; i < reader->material_count; i++) names[i] = reader->materials[i].name;
    const char *nearest = word_nearest(name, names);
    if (nearest != NULL) {
        reader_error(reader, node, "unknown material \"%.*s\", did you mean \"%s\"?", TEXT_CUT(name, 60), nearest);
        return NONE;
    }
    char known[512] = "";
    for (uint32_t i = 0, used = 0; i < reader->material_count && used + SCENE_NAME_BYTES + 2 < sizeof known; i++)
        used += (uint32_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", names[i]);
    reader_error(reader, node, "unknown material \"%.*s\", expected one of the palette or of scene.materials (%s)",
                 TEXT_CUT(name, 60), known);
    return NONE;
}

uint32_t material_use(Reader *reader, uint32_t entry) {
    SceneDescription *scene = &reader->study->scene;
    MaterialEntry *material = &reader->materials[entry];
    if (material->scene_index != NONE) return material->scene_index;
    if (scene->materials == NULL) { // room for all that there are
        scene->materials = calloc(reader->material_count, sizeof *scene->materials);
        if (scene->materials == NULL) {
            reader->is_out_of_memory = true;
            return 0;
        }
    }
    const uint32_t index = scene->material_count++;
    material->scene_index = index;
    snprintf(scene->materials[index].name, SCENE_NAME_BYTES, "%s", material->name);
    number_place(reader, &material->young, (NumberTarget){BIND_MATERIAL, index, offsetof(SceneMaterial, young_Pa)});
    number_place(reader, &material->poisson, (NumberTarget){BIND_MATERIAL, index, offsetof(SceneMaterial, poisson)});
    number_place(reader, &material->density,
                 (NumberTarget){BIND_MATERIAL, index, offsetof(SceneMaterial, density_kg_per_m3)});
    return index;
}

// --- pairs --------------------------------------------------------------------------------------

typedef struct PairKey {
    const char *key;
    const NumberRange *range;
    double fallback; // for a new pair; NaN where the number must be given
    size_t offset;
} PairKey;

static const PairKey pair_keys[PAIR_NUMBERS] = {
    [PAIR_RESTITUTION] = {"restitution", &RANGE_ZERO_TO_ONE, NAN, offsetof(ScenePair, restitution)},
    [PAIR_FRICTION] = {"friction", &RANGE_NON_NEGATIVE, NAN, offsetof(ScenePair, friction)},
    [PAIR_ROLLING] = {"rolling", &RANGE_NON_NEGATIVE, 0, offsetof(ScenePair, rolling)},
    // m/s, rad/s, s/m. Source: the reference's palette and its largest damping factor.
    [PAIR_SPEED_SMALL] = {"v_small", &RANGE_POSITIVE, 0.01, offsetof(ScenePair, speed_small_m_per_s)},
    [PAIR_SPIN_SMALL] = {"w_small", &RANGE_POSITIVE, 0.01, offsetof(ScenePair, spin_small_rad_per_s)},
    [PAIR_DAMPING_MAX] = {"d_max", &RANGE_NON_NEGATIVE, 2000, offsetof(ScenePair, damping_max_s_per_m)},
    [PAIR_SHEAR] = {"shear_stiffness", &RANGE_POSITIVE, 1, offsetof(ScenePair, shear_stiffness)},
};

static const char *const damping_words[] = {[DAMPING_NONE] = "none",
                                            [DAMPING_FLORES] = "flores",
                                            [DAMPING_HUNT_CROSSLEY] = "hunt_crossley",
                                            [DAMPING_LANKARANI_NIKRAVESH] = "lankarani_nikravesh",
                                            [DAMPING_HU_GUO] = "hu_guo",
                                            [DAMPING_HERBERT_MCWHANNELL] = "herbert_mcwhannell",
                                            [DAMPING_LEE_WANG] = "lee_wang",
                                            [DAMPING_GONTHIER] = "gonthier",
                                            [DAMPING_EXACT] = "exact",
                                            NULL};

const char *study_damping_name(uint32_t damping) { return damping_words[damping]; }

enum { FRICTION_REGULARISED, FRICTION_MINDLIN, FRICTION_STICTION };
static const char *const friction_laws[] = {
    [FRICTION_REGULARISED] = "regularised", [FRICTION_MINDLIN] = "mindlin", [FRICTION_STICTION] = "stiction", NULL};
static const char *const springs[] = {"conservative", "total", "partial", NULL};
static const uint32_t spring_flags[] = {0, LAW_TOTAL_SPRING, LAW_PARTIAL_SPRING};

enum { RESPONSE_ELASTIC, RESPONSE_OBSERVER };

static PairEntry *pair_find(Reader *reader, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < reader->pair_count; i++) {
        PairEntry *pair = &reader->pairs[i];
        if ((pair->material_a == a && pair->material_b == b) || (pair->material_a == b && pair->material_b == a))
            return pair;
    }
    return NULL;
}

static PairEntry *pair_add(Reader *reader, uint32_t a, uint32_t b) {
    if (!reader_grow(reader, (void **)&reader->pairs, &reader->pair_capacity, reader->pair_count,
                     sizeof *reader->pairs))
        return NULL;
    PairEntry *pair = &reader->pairs[reader->pair_count++];
    *pair = (PairEntry){.material_a = a, .material_b = b, .damping = DAMPING_FLORES};
    for (int i = 0; i < PAIR_NUMBERS; i++) pair->numbers[i] = number_constant(pair_keys[i].fallback);
    return pair;
}

// The row of a pair that no palette has needs some numbers; of two materials these may be their mean.
static void read_pair_number(Reader *reader, const YamlNode *node, const YamlNode *child, int which, PairEntry *pair) {
    const PairKey *key = &pair_keys[which];
    const bool is_missing =
        child == NULL && isnan(pair->numbers[which].value) && pair->numbers[which].parameter == NONE;
    const bool has_mean = !reader->is_palette && pair->material_b != NONE && pair->material_a != pair->material_b;
    if (is_missing && which == PAIR_RESTITUTION &&
        (pair->normal_law != NORMAL_HERTZ || reader->study->scene.method == METHOD_QUASI_RIGID)) {
        pair->numbers[which] = number_constant(0); // the law has one of its own, or none
        pair->given |= 1u << which;
    } else if (is_missing && has_mean)
        pair->wants_mean = true;
    else if (is_missing)
        child = map_require(reader, node, key->key, key->range->words);
    if (child == NULL) return;
    pair->numbers[which] = read_number(reader, child, key->range);
    pair->given |= 1u << which;
}

// Elastic constants, or their refusal on an observer's pair.
static void read_pair_constants(Reader *reader, const YamlNode *node, PairEntry *pair) {
    const YamlNode *damping = map_get(node, "damping");
    const YamlNode *friction_law = map_get(node, "friction_law"), *shear = map_get(node, pair_keys[PAIR_SHEAR].key);
    const YamlNode *spring = map_get(node, "spring"), *normal = map_get(node, "normal");
    const char *refused = pair->is_observer && damping != NULL ? damping->key : NULL;
    if (pair->is_observer && normal != NULL) refused = normal->key;
    if (pair->is_observer && friction_law != NULL) refused = friction_law->key;
    if (pair->is_observer && spring != NULL) refused = spring->key;
    if (!pair->is_observer) {
        read_normal_law(reader, node, pair);
        pair->damping = read_word(reader, damping, damping_words, NULL, pair->damping);
        const uint32_t before = pair->has_spring     ? FRICTION_MINDLIN
                                : pair->has_stiction ? FRICTION_STICTION
                                                     : FRICTION_REGULARISED;
        const uint32_t friction = read_word(reader, friction_law, friction_laws, NULL, before);
        pair->has_spring = friction == FRICTION_MINDLIN;
        pair->has_stiction = friction == FRICTION_STICTION;
        if (shear != NULL && !pair->has_spring)
            reader_error(reader, shear, "expected friction_law: mindlin beside it, found none");
        if (spring != NULL && !pair->has_spring)
            reader_error(reader, spring, "expected friction_law: mindlin beside it, found none");
        pair->spring = read_word(reader, spring, springs, NULL, pair->spring);
        if (pair->has_spring && friction_law != NULL && reader->study->scene.compat_modia3d)
            reader_error(reader, friction_law, "expected \"regularised\" with compat: modia3d, found \"mindlin\"");
    }
    for (int i = 0; i < PAIR_NUMBERS; i++) {
        const YamlNode *child = map_get(node, pair_keys[i].key);
        if (pair->is_observer && child != NULL) refused = child->key;
        if (!pair->is_observer) read_pair_number(reader, node, child, i, pair);
    }
    pair->given |= (damping != NULL ? 1u << PAIR_NUMBERS : 0u) | (friction_law != NULL ? 2u << PAIR_NUMBERS : 0u);
    static const char *const others[] = {"region", "static_friction",    "v_stick",       "viscous",
                                         "layer",  "friction_ellipsoid", "friction_axis", NULL};
    for (int i = 0; pair->is_observer && others[i] != NULL; i++)
        if (map_get(node, others[i]) != NULL) refused = others[i];
    if (!pair->is_observer) read_region_law(reader, node, pair);
    if (!pair->is_observer) read_layer_law(reader, node, pair);
    if (refused != NULL)
        reader_error(reader, map_get(node, refused),
                     "expected no constants of a contact on an observer's pair, found \"%s\"", refused);
}

// The entry of the row's two materials; NULL after errors.
static PairEntry *pair_of_row(Reader *reader, const YamlNode *node) {
    const YamlNode *between = map_require(reader, node, "between", "a list of 2 materials");
    if (between == NULL || !list_check(reader, between, 2, "a list of 2 materials")) return NULL;
    const uint32_t a = read_material_name(reader, between->child_first);
    const uint32_t b = read_material_name(reader, between->child_last);
    if (a == NONE || b == NONE) return NULL;
    PairEntry *pair = pair_find(reader, a, b);
    if (pair != NULL && pair->node->parent == node->parent) {
        char where[STUDY_PATH_BYTES];
        place_print(&pair->node->place, where, sizeof where);
        reader_error(reader, node, "expected each pair once, found \"%s\" and \"%s\" also at %s",
                     reader->materials[a].name, reader->materials[b].name, where);
        return NULL;
    }
    if (pair == NULL) pair = pair_add(reader, a, b);
    if (pair != NULL) pair->first_material = a;
    return pair;
}

static void read_pair(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {
        "between", "response", "normal",          "restitution",        "damping", "friction",        "rolling",
        "v_small", "w_small",  "d_max",           "friction_law",       "spring",  "shear_stiffness", "region",
        "v_stick", "viscous",  "static_friction", "friction_ellipsoid", "layer",   "friction_axis",   NULL};
    static const char *const responses[] = {[RESPONSE_ELASTIC] = "elastic", [RESPONSE_OBSERVER] = "observer", NULL};
    if (!map_check(reader, node, keys, NULL)) return;
    PairEntry unknown = {.material_b = NONE, .damping = DAMPING_FLORES}; // what is given is checked all the same
    PairEntry *pair = pair_of_row(reader, node);
    if (pair == NULL) pair = &unknown;
    pair->node = node;
    pair->is_of_palette = reader->is_palette;
    pair->is_observer =
        read_word(reader, map_get(node, "response"), responses, NULL, pair->is_observer) == RESPONSE_OBSERVER;
    read_pair_constants(reader, node, pair);
}

void read_pairs(Reader *reader, const YamlNode *node) {
    if (node == NULL || !list_check(reader, node, -1, "a list of pairs")) return;
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) read_pair(reader, child);
}

// --- rows of the scene ----------------------------------------------------------------------------

// Arithmetic mean of (a, a) and (b, b), or an observer's pair where one of these is. NULL, and why, if
// there is none.
static const char *pair_mean(Reader *reader, uint32_t a, uint32_t b, PairEntry *out_mean) {
    PairEntry *pair_a = pair_find(reader, a, a), *pair_b = pair_find(reader, b, b);
    if (pair_a != NULL) pair_a->is_used = true;
    if (pair_b != NULL) pair_b->is_used = true;
    if ((pair_a != NULL && pair_a->is_observer) || (pair_b != NULL && pair_b->is_observer)) {
        *out_mean = (PairEntry){.material_a = a, .material_b = b, .is_observer = true};
        return NULL;
    }
    if (pair_a == NULL || pair_b == NULL) return "one of the two has no row with itself to take a mean";
    if (pair_a->normal_law != NORMAL_HERTZ || pair_b->normal_law != NORMAL_HERTZ)
        return "what holds for normal: {linear: ...} has no mean: write the pair out";
    if (pair_a->damping != pair_b->damping) return "their rows differ in damping: write the pair out";
    if (pair_a->has_spring != pair_b->has_spring) return "their rows differ in friction_law: write the pair out";
    if (pair_a->region_law != pair_b->region_law || pair_a->region_law != REGION_HERTZ || pair_a->has_stiction ||
        pair_b->has_stiction)
        return "what holds for region: {...} and friction_law: stiction has no mean: write the pair out";
    if (reader->study->scene.method == METHOD_QUASI_RIGID && !layers_have_mean(pair_a, pair_b))
        return "layers have no mean: write the pair out";
    if (reader->study->scene.method != METHOD_TRAPEZOIDAL && !ellipsoids_have_mean(pair_a, pair_b))
        return "different friction_ellipsoids and friction_axis have no mean: write the pair out";
    if (pair_a->spring != pair_b->spring) return "their rows differ in spring: write the pair out";
    *out_mean = (PairEntry){.material_a = a,
                            .material_b = b,
                            .damping = pair_a->damping,
                            .has_spring = pair_a->has_spring,
                            .spring = pair_a->spring};
    layer_copy_friction(out_mean, pair_a);
    for (int i = 0; i < PAIR_NUMBERS; i++) {
        const Number *number_a = &pair_a->numbers[i], *number_b = &pair_b->numbers[i];
        if (number_a->parameter != NONE || number_b->parameter != NONE)
            return "their rows hold numbers that vary: write the pair out";
        out_mean->numbers[i] = number_constant(0.5 * (number_a->value + number_b->value));
    }
    return NULL;
}

static uint32_t entry_of_scene_material(const Reader *reader, uint32_t scene_index) {
    uint32_t entry = 0;
    while (reader->materials[entry].scene_index != scene_index) entry++; // it is one of them
    return entry;
}

static void pair_place(Reader *reader, const PairEntry *pair, uint32_t a, uint32_t b) {
    SceneDescription *scene = &reader->study->scene;
    const uint32_t index = scene->pair_count++;
    scene->pairs[index] = (ScenePair){.material_a = a,
                                      .material_b = b,
                                      .damping = pair->damping,
                                      .has_spring = pair->has_spring,
                                      .spring = spring_flags[pair->spring],
                                      .is_observer = pair->is_observer};
    if (pair->is_observer) return;
    place_normal_law(reader, pair, index);
    place_region_law(reader, pair, index);
    place_layer_law(reader, pair, index);
    for (int i = 0; i < PAIR_NUMBERS; i++)
        number_place(reader, &pair->numbers[i], (NumberTarget){BIND_PAIR, index, pair_keys[i].offset});
}

// What a row leaves out becomes the mean of what both materials have with themselves.
static void pair_complete(Reader *reader, PairEntry *pair) {
    PairEntry mean;
    const char *why = pair_mean(reader, pair->material_a, pair->material_b, &mean);
    if (why == NULL && mean.is_observer) why = "one of the two is an observer";
    for (int i = 0; i < PAIR_NUMBERS; i++) {
        const bool is_missing = isnan(pair->numbers[i].value) && pair->numbers[i].parameter == NONE;
        if (why != NULL && is_missing)
            reader_error(reader, pair->node, "expected the key \"%s\" (%s), found none, and %s", pair_keys[i].key,
                         pair_keys[i].range->words, why);
        if (why == NULL && !(pair->given & 1u << i)) pair->numbers[i] = mean.numbers[i];
    }
    if (why != NULL) return;
    if (!(pair->given & 1u << PAIR_NUMBERS)) pair->damping = mean.damping;
    if (!(pair->given & 2u << PAIR_NUMBERS)) {
        pair->has_spring = mean.has_spring;
        pair->spring = mean.spring;
    }
}

// A row for two contact materials (rows of the scene) that may touch in bodies i and j.
static void pair_settle(Reader *reader, uint32_t a, uint32_t b, const YamlNode *body_a, const YamlNode *body_b) {
    const uint32_t entry_a = entry_of_scene_material(reader, a);
    const uint32_t entry_b = entry_of_scene_material(reader, b);
    PairEntry mean;
    PairEntry *pair = pair_find(reader, entry_a, entry_b);
    if (pair != NULL) pair->is_used = true;
    const char *why = pair == NULL ? pair_mean(reader, entry_a, entry_b, &mean) : NULL;
    if (why == NULL) {
        pair_place(reader, pair != NULL ? pair : &mean, a, b);
        return;
    }
    reader_error(reader, body_b,
                 "expected a row of scene.pairs between \"%s\" (of %s) and \"%s\" (of %s), which may "
                 "touch, found none, and %s",
                 reader->materials[entry_b].name, body_b->key, reader->materials[entry_a].name, body_a->key, why);
}

// All pairs of contact materials of two bodies that are not in `is_settled` (M, M) yet.
static void pairs_of_bodies(Reader *reader, const SceneBody *body_i, const SceneBody *body_j, const YamlNode *node_i,
                            const YamlNode *node_j, bool *is_settled) {
    const SceneDescription *scene = &reader->study->scene;
    for (uint32_t s = 0; s < body_i->shape_count; s++)
        for (uint32_t t = 0; t < body_j->shape_count; t++) {
            const uint32_t a = scene->shapes[body_i->shape_first + s].contact_material;
            const uint32_t b = scene->shapes[body_j->shape_first + t].contact_material;
            const size_t row = (size_t)(a < b ? a : b) * scene->material_count + (a < b ? b : a);
            if (is_settled[row]) continue;
            is_settled[row] = true;
            pair_settle(reader, a, b, node_i, node_j);
        }
}

// Bodies that touch the same others with the same contact materials: the first of them stands for all.
typedef struct BodyClass {
    uint32_t first; // body
    const YamlNode *node;
    bool has_second;
} BodyClass;

static bool is_of_class(const SceneDescription *scene, const BodyClass *class, uint32_t body, const YamlNode *node) {
    const SceneBody *a = &scene->bodies[class->first], *b = &scene->bodies[body];
    if (a->is_fixed != b->is_fixed || a->groups != b->groups || a->ignores != b->ignores ||
        a->shape_count != b->shape_count)
        return false;
    if ((class->node->copy != NULL && class->node->copy->choice != 0) ||
        (node->copy != NULL && node->copy->choice != 0))
        return false; // no scene has alternatives together
    for (uint32_t s = 0; s < a->shape_count; s++)
        if (scene->shapes[a->shape_first + s].contact_material != scene->shapes[b->shape_first + s].contact_material)
            return false;
    return true;
}

static void pairs_of_classes(Reader *reader, const YamlNode *bodies, BodyClass *classes, bool *is_settled) {
    const SceneDescription *scene = &reader->study->scene;
    const YamlNode *node = bodies->child_first;
    uint32_t count = 0;
    for (uint32_t j = 0; j < scene->body_count; j++, node = node->next) {
        uint32_t own = 0;
        while (own < count && !is_of_class(scene, &classes[own], j, node)) own++;
        if (own < count && classes[own].has_second) continue;
        if (own < count) classes[own].has_second = true; // these two may touch each other
        const uint32_t from = own < count ? own : 0, end = own < count ? own + 1 : count;
        for (uint32_t c = from; c < end; c++) {
            const uint32_t i = classes[c].first;
            if (!scene_may_touch(scene, i, j) || copies_exclude(classes[c].node, node)) continue;
            pairs_of_bodies(reader, &scene->bodies[i], &scene->bodies[j], classes[c].node, node, is_settled);
        }
        if (own == count) classes[count++] = (BodyClass){.first = j, .node = node};
    }
}

// Rows that nothing touches with are checked all the same.
static void pairs_complete(Reader *reader) {
    for (uint32_t i = 0; i < reader->pair_count; i++)
        if (reader->pairs[i].wants_mean) pair_complete(reader, &reader->pairs[i]);
}

void pairs_finish(Reader *reader, const YamlNode *bodies) {
    SceneDescription *scene = &reader->study->scene;
    const size_t count = scene->material_count;
    pairs_complete(reader);
    if (count == 0 || reader->is_out_of_memory) return;
    if (count > UINT16_MAX) {
        reader_error(reader, bodies, "expected at most %u materials, found %zu", UINT16_MAX, count);
        return;
    }
    bool *is_settled = reader_take(reader, count * count * sizeof *is_settled);
    scene->pairs = calloc(count * (count + 1) / 2, sizeof *scene->pairs);
    if (scene->pairs == NULL) reader->is_out_of_memory = true;
    if (is_settled == NULL || scene->pairs == NULL) return;
    BodyClass *classes = reader_take(reader, (scene->body_count + (size_t)1) * sizeof *classes);
    if (classes != NULL) pairs_of_classes(reader, bodies, classes, is_settled);
}
