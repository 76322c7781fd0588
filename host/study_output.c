// The outputs section: quantities of interest, trajectory, events.
#include "study_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_names.h"

// --- observables ----------------------------------------------------------------------------------

typedef struct Vector { // a vector of a body that can be observed
    const char *name;
    uint32_t watch;
    const char *unit;
} Vector;

static const Vector vectors[] = {
    {"position", WATCH_POSITION, "m"},
    {"velocity", WATCH_VELOCITY, "m/s"},
    {"angular_velocity", WATCH_ANGULAR_VELOCITY, "rad/s"},
    {"com_position", WATCH_COM_POSITION, "m"},
};

static uint32_t body_find(const Study *study, const char *name) {
    for (uint32_t i = 0; i < study->scene.body_count; i++)
        if (strcmp(study->scene.bodies[i].name, name) == 0) return i;
    return NONE;
}

static uint32_t body_expect(Reader *reader, const YamlNode *node, const char *name) {
    const Study *study = reader->study;
    const uint32_t body = body_find(study, name);
    if (body != NONE) return body;
    const char **names = reader_take(reader, ((size_t)study->scene.body_count + 1) * sizeof *names);
    if (names == NULL) return NONE;
    for (uint32_t i = 0; i < study->scene.body_count; i++) names[i] = study->scene.bodies[i].name;
    const char *nearest = word_nearest(name, names);
    if (nearest != NULL)
        reader_error(reader, node, "unknown body \"%.60s\", did you mean \"%s\"?", name, nearest);
    else
        reader_error(reader, node, "unknown body \"%.60s\"", name);
    return NONE;
}

static uint32_t read_body_name(Reader *reader, const YamlNode *node) {
    const char *name = node != NULL ? read_text(reader, node, "the name of a body") : NULL;
    return name != NULL ? body_expect(reader, node, name) : NONE;
}

// "position.z" -> WATCH_* and unit; NONE if it is none.
static uint32_t observable_find(const char *text, const char **out_unit) {
    if (strcmp(text, "penetration") == 0) {
        *out_unit = "m";
        return WATCH_PENETRATION;
    }
    if (strcmp(text, "overlap") == 0) {
        *out_unit = "m";
        return WATCH_OVERLAP;
    }
    const size_t length = strcspn(text, ".");
    if (text[length] != '.' || strlen(text + length) != 2) return NONE;
    const char component = text[length + 1];
    if (component < 'x' || component > 'z') return NONE;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        if (strncmp(text, vectors[i].name, length) != 0 || vectors[i].name[length] != '\0')
            continue;
        *out_unit = vectors[i].unit;
        return vectors[i].watch + (uint32_t)(component - 'x');
    }
    return NONE;
}

// "ball.position.z"
static bool read_observable(Reader *reader, const YamlNode *node, Quantity *quantity) {
    static const char *const expected =
        "<body>.position.x|y|z, .velocity, .angular_velocity, .com_position, .penetration "
        "or .overlap";
    char name[SCENE_NAME_BYTES];
    const char *text = read_text(reader, node, expected);
    if (text == NULL) return false;
    const size_t length = strcspn(text, ".");
    if (text[length] != '.' || length >= sizeof name) {
        reader_expected(reader, node, expected);
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    quantity->body = body_expect(reader, node, name);
    if (quantity->body == NONE) return false;
    const char *unit = NULL;
    quantity->observable = observable_find(text + length + 1, &unit);
    if (quantity->observable == NONE) {
        reader_expected(reader, node, expected);
        return false;
    }
    snprintf(quantity->unit, sizeof quantity->unit, "%s", unit);
    return true;
}

// --- kinds of quantities --------------------------------------------------------------------------

// A penetration or an overlap.
static void tell_max_only(Reader *reader, const YamlNode *kind) {
    reader_error(reader, kind, "expected a position or a velocity, found \"%s\": %s has a max only",
                 kind->text, strrchr(kind->text, '.') + 1);
}

static void read_final(Reader *reader, const YamlNode *kind, Quantity *quantity) {
    quantity->kind = QUANTITY_FINAL;
    if (!read_observable(reader, kind, quantity)) return;
    if (quantity->observable >= WATCH_PENETRATION) tell_max_only(reader, kind);
    snprintf(quantity->text, sizeof quantity->text, "%s at the end", kind->text);
}

static uint32_t watch_add(Reader *reader, const Watch *watch) {
    Study *study = reader->study;
    for (uint32_t i = 0; i < study->watch_count; i++)
        if (memcmp(&study->watches[i], watch, sizeof *watch) == 0) return i;
    study->watches[study->watch_count] = *watch; // there is room for one for each quantity
    return study->watch_count++;
}

static void read_extreme(Reader *reader, const YamlNode *node, const YamlNode *kind,
                         Quantity *quantity) {
    static const char *const after_words[] = {"start", "first_contact_begin", "first_contact_end",
                                              "first_contact_start", NULL};
    static const char *const after_texts[] = {"", " after the first contact has begun",
                                              " after the first contact has ended"};
    const uint32_t sense = strcmp(kind->key, "min") == 0 ? WATCH_MIN : WATCH_MAX;
    quantity->kind = QUANTITY_EXTREME;
    uint32_t after = read_word(reader, map_get(node, "after"), after_words, NULL, AFTER_START);
    if (after > AFTER_FIRST_CONTACT_END) after = AFTER_FIRST_CONTACT_BEGIN; // the synonym
    if (!read_observable(reader, kind, quantity)) return;
    if (quantity->observable >= WATCH_PENETRATION && sense == WATCH_MIN)
        tell_max_only(reader, kind);
    quantity->watch =
        watch_add(reader, &(Watch){quantity->body, quantity->observable, sense, after});
    snprintf(quantity->text, sizeof quantity->text, "%s %s%s",
             sense == WATCH_MIN ? "smallest" : "largest", kind->text, after_texts[after]);
}

// `between: [a, b]`, `of: a` or neither
static void read_partners(Reader *reader, const YamlNode *node, Quantity *quantity) {
    const YamlNode *between = map_get(node, "between"), *of = map_get(node, "of");
    quantity->body = NONE;
    quantity->body_other = NONE;
    if (between != NULL && of != NULL)
        reader_error(reader, of, "expected \"of\" or \"between\", found both");
    else if (of != NULL)
        quantity->body = read_body_name(reader, of);
    else if (between != NULL && list_check(reader, between, 2, "a list of 2 bodies")) {
        quantity->body = read_body_name(reader, between->child_first);
        quantity->body_other = read_body_name(reader, between->child_last);
        if (quantity->body != NONE && quantity->body == quantity->body_other)
            reader_error(reader, between, "expected 2 different bodies, found \"%s\" twice",
                         between->child_first->text);
    }
}

static void partners_print(const Study *study, const Quantity *quantity, char *out,
                           size_t out_bytes) {
    const SceneBody *bodies = study->scene.bodies;
    if (quantity->body == NONE)
        out[0] = '\0';
    else if (quantity->body_other == NONE)
        snprintf(out, out_bytes, " of %s", bodies[quantity->body].name);
    else
        snprintf(out, out_bytes, " of %s and %s", bodies[quantity->body].name,
                 bodies[quantity->body_other].name);
}

static void read_event_quantity(Reader *reader, const YamlNode *node, const YamlNode *kind,
                                Quantity *quantity) {
    static const char *const words[] = {"contact_begin", "contact_end", "contact_start", NULL};
    static const char *const words_time[] = {"contact_begin", "contact_end", "contact_start",
                                             "rest", NULL};
    char partners[3 * SCENE_NAME_BYTES];
    const bool is_time = strcmp(kind->key, "time_of") == 0;
    const bool is_count = strcmp(kind->key, "count") == 0;
    const uint32_t word = read_word(reader, kind, is_time ? words_time : words, NULL, 0);
    const YamlNode *n = map_get(node, "n");
    read_partners(reader, node, quantity);
    snprintf(quantity->unit, sizeof quantity->unit, "%s", is_count ? "1" : is_time ? "s" : "m/s");
    partners_print(reader->study, quantity, partners, sizeof partners);
    quantity->n = 1;
    if (n != NULL && (is_count || word == 3))
        reader_error(reader, n, "expected no \"n\" here, found one");
    else if (n != NULL)
        quantity->n = (uint32_t)read_integer(reader, n, 1, UINT32_MAX);
    if (word == 3) { // rest
        quantity->kind = QUANTITY_REST_TIME;
        if (map_get(node, "of") == NULL)
            reader_error(reader, node, "expected the key \"of\" (the body), found none");
        snprintf(quantity->text, sizeof quantity->text, "time of rest%s", partners);
        return;
    }
    quantity->kind = is_count  ? QUANTITY_COUNT
                     : is_time ? QUANTITY_EVENT_TIME
                               : QUANTITY_EVENT_SPEED;
    quantity->event_kind = word == 1 ? EVENT_END : EVENT_BEGIN;
    const char *event = quantity->event_kind == EVENT_END ? "end" : "begin";
    if (is_count)
        snprintf(quantity->text, sizeof quantity->text, "number of times that contacts%s %s",
                 partners, event);
    else
        snprintf(quantity->text, sizeof quantity->text, "%s of contact %s number %u%s",
                 is_time ? "time" : "normal speed", event, quantity->n, partners);
}

static void read_quantity(Reader *reader, const YamlNode *node) {
    static const char *const kinds[] = {"final",   "min",      "max", "count",
                                        "time_of", "speed_of", NULL};
    static const char *const keys_final[] = {"final", NULL};
    static const char *const keys_extreme[] = {"min", "max", "after", NULL};
    static const char *const keys_event[] = {"count",   "time_of", "speed_of", "n",
                                             "between", "of",      NULL};
    static const char *const keys_all[] = {
        "final", "min", "max", "count", "time_of", "speed_of", "after", "n", "between", "of", NULL};
    Study *study = reader->study;
    Quantity quantity = {.body = NONE, .body_other = NONE, .observable = NONE, .watch = NONE};
    if (!is_identifier(node->key) || strlen(node->key) >= STUDY_NAME_BYTES)
        reader_error_key(reader, node->parent, &node->key_place,
                         "expected a name of letters, digits and _, found \"%.60s\"", node->key);
    if (record_name_is_taken(node->key))
        reader_error_key(reader, node->parent, &node->key_place,
                         "the name \"%s\" is taken by the ensemble file", node->key);
    snprintf(quantity.name, sizeof quantity.name, "%s", node->key);
    // First the kind, then the keys that go with it, so that a stray key is told with its kind.
    const YamlNode *kind = NULL;
    for (size_t i = 0; kinds[i] != NULL && kind == NULL; i++) kind = map_get(node, kinds[i]);
    const bool is_final = kind != NULL && strcmp(kind->key, "final") == 0;
    const bool is_extreme =
        kind != NULL && (strcmp(kind->key, "min") == 0 || strcmp(kind->key, "max") == 0);
    const char *const *keys = kind == NULL ? keys_all
                              : is_final   ? keys_final
                              : is_extreme ? keys_extreme
                                           : keys_event;
    if (map_choose(reader, node, keys, kinds, NULL, "quantity") == NULL) return;
    if (is_final)
        read_final(reader, kind, &quantity);
    else if (is_extreme)
        read_extreme(reader, node, kind, &quantity);
    else
        read_event_quantity(reader, node, kind, &quantity);
    study->quantities[study->quantity_count++] = quantity;
}

// --- the section ----------------------------------------------------------------------------------

static void read_quantities(Reader *reader, const YamlNode *node) {
    Study *study = reader->study;
    if (node == NULL) return;
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of names to quantities");
        return;
    }
    if (node->child_count == 0) return;
    study->quantities = calloc(node->child_count, sizeof *study->quantities);
    study->watches = calloc(node->child_count, sizeof *study->watches);
    if (study->quantities == NULL || study->watches == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next)
        read_quantity(reader, child);
}

static void read_trajectory(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"every", "scenes", NULL};
    Study *study = reader->study;
    if (node == NULL || !map_check(reader, node, keys, NULL)) return;
    const YamlNode *every = map_require(reader, node, "every", "a number > 0, in s");
    const YamlNode *scenes = map_get(node, "scenes");
    if (every != NULL) study->trajectory_every_s = read_constant(reader, every, &RANGE_POSITIVE);
    study->trajectory_scenes = study->design.scene_count;
    if (scenes == NULL) return;
    const uint64_t wanted = read_integer(reader, scenes, 1, STUDY_SCENES_MAX);
    if (wanted < study->trajectory_scenes) study->trajectory_scenes = wanted;
}

void read_outputs(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"quantities", "trajectory", "events", NULL};
    static const char *const later[] = {"statistics", "contacts", NULL};
    Study *study = reader->study;
    study->record_events = 1;
    if (node == NULL || !map_check(reader, node, keys, later)) return;
    study->record_events = read_bool(reader, map_get(node, "events"), true);
    read_quantities(reader, map_get(node, "quantities"));
    read_trajectory(reader, map_get(node, "trajectory"));
}
