// Quantities of interest: of states and contacts that are watched (study_observable.c), of the end; of events:
// study_event.c.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#include "scene_fields.h"

// --- what is watched ------------------------------------------------------------------------------

static uint32_t watch_add(Reader *reader, const Watch *watch) {
    Study *study = reader->study;
    for (uint32_t i = 0; i < study->watch_count; i++)
        if (memcmp(&study->watches[i], watch, sizeof *watch) == 0) return i;
    study->watches[study->watch_count] = *watch; // there is room for one for each quantity
    return study->watch_count++;
}

// A time or an event of the body: when the gate opens. `text` says so, after a word for it.
static void read_gate(Reader *reader, const YamlNode *node, Watch *watch, char text[64]) {
    static const char *const words[] = {"start", "first_contact_begin", "first_contact_end", "first_contact_start",
                                        NULL};
    static const char *const texts[] = {"", "the first contact has begun", "the first contact has ended"};
    double value = 0;
    watch->after = AFTER_START;
    text[0] = '\0';
    if (node == NULL) return;
    if (node->kind == YAML_SCALAR && ((node->is_plain && number_parse(node->text, &value)) || node->text[0] == '$')) {
        watch->after = AFTER_TIME;
        watch->time_s = read_constant(reader, node, &RANGE_NON_NEGATIVE);
        snprintf(text, 64, "%.10g s", watch->time_s);
        return;
    }
    watch->after = read_word(reader, node, words, NULL, AFTER_START);
    if (watch->after > AFTER_FIRST_CONTACT_END) watch->after = AFTER_FIRST_CONTACT_BEGIN;
    snprintf(text, 64, "%s", texts[watch->after]);
}

// A joint has no contacts: what is watched of it begins with the scene or at a time.
static bool gate_fits_joint(Reader *reader, const YamlNode *node, const Watch *watch) {
    if (watch->after == AFTER_START || watch->after == AFTER_TIME) return true;
    reader_error(reader, node, "expected a time beside a joint, found \"%s\"", node->text);
    return false;
}

// A `max` of impulses is one of events.
static void read_max_impulse(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity) {
    char partners[3 * SCENE_NAME_BYTES];
    quantity->kind = QUANTITY_MAX_IMPULSE;
    quantity->event_kind = EVENT_END;
    partners_print(reader->study, quantity, partners, sizeof partners);
    snprintf(quantity->text, sizeof quantity->text, "largest impulse of one contact%s from its begin to its end",
             partners);
    if (map_get(node, "after") != NULL)
        reader_error(reader, kind, "expected no \"after\" beside an impulse, found one");
}

// The two sides that a quantity is about; NULL: of one body.
static const YamlNode *pair_of(const YamlNode *node) {
    const YamlNode *between = map_get(node, "between");
    return between != NULL ? between : map_get(node, "materials");
}

// The gate of a pair opens at a time: which of the two would have the event?
static void gate_check_pair(Reader *reader, const YamlNode *gate, const YamlNode *pair, const Watch *watch) {
    if (pair != NULL && watch->after != AFTER_START && watch->after != AFTER_TIME)
        reader_error(reader, gate, "expected start or a time beside \"%s\", found \"%s\"", pair->key, gate->text);
}

// What the quantity watches goes into the list.
static void watch_finish(Reader *reader, const YamlNode *pair, Quantity *quantity, Watch *watch) {
    watch->body = quantity->joint != NONE ? quantity->joint : pair != NULL ? quantity->gate_body : quantity->body;
    watch->body_other = quantity->body_other;
    watch->sides = quantity->sides;
    watch->observable = quantity->observable;
    quantity->watch = watch_add(reader, watch);
}

// Of a pair: on the second by the first.
static void net_force_print(const YamlNode *pair, char *out, size_t out_bytes) {
    out[0] = '\0';
    if (pair != NULL) snprintf(out, out_bytes, " on %.60s by %.60s", pair->child_last->text, pair->child_first->text);
}

static void read_extreme(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity) {
    char gate[64], partners[3 * SCENE_NAME_BYTES] = "";
    const YamlNode *pair = pair_of(node), *after = map_get(node, "after");
    Watch watch = {.sense = strcmp(kind->key, "min") == 0 ? WATCH_MIN : WATCH_MAX};
    quantity->kind = QUANTITY_EXTREME;
    read_gate(reader, after, &watch, gate);
    if (!read_observable(reader, kind, pair, quantity)) return;
    if (quantity->joint != NONE && !gate_fits_joint(reader, after, &watch)) return;
    if (is_net_force(quantity) && !net_force_has_sides(reader, pair, quantity)) return;
    if (quantity->observable >= WATCH_PENETRATION && quantity->joint == NONE && !is_net_force(quantity) &&
        watch.sense == WATCH_MIN)
        reader_error(reader, kind, "expected a position or a velocity, found \"%s\": %s has a max only", kind->text,
                     pair != NULL ? kind->text : strrchr(kind->text, '.') + 1);
    if (quantity->observable == OBSERVABLE_IMPULSE) {
        read_max_impulse(reader, node, kind, quantity);
        return;
    }
    gate_check_pair(reader, after, pair, &watch);
    watch_finish(reader, pair, quantity, &watch);
    if (is_net_force(quantity))
        net_force_print(pair, partners, sizeof partners);
    else if (pair != NULL)
        partners_print(reader->study, quantity, partners, sizeof partners);
    snprintf(quantity->text, sizeof quantity->text, "%s %s%s%s%s", watch.sense == WATCH_MIN ? "smallest" : "largest",
             kind->text, partners, gate[0] != '\0' ? " after " : "", gate);
}

// A state, what joints have, or a net force.
static bool read_watchable(Reader *reader, const YamlNode *node, const YamlNode *pair, Quantity *quantity) {
    if (!read_observable(reader, node, pair, quantity)) return false;
    if (quantity->joint != NONE || is_net_force(quantity)) return true;
    if (pair != NULL) {
        reader_expected(reader, node, net_force_words);
        return false;
    }
    if (quantity->observable >= WATCH_PENETRATION) state_fail(reader, node, quantity);
    return quantity->observable < WATCH_PENETRATION;
}

// `{mean: state, after: gate}` and `{value: state, at: gate}`
static void read_watched_state(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity) {
    char gate[64], partners[3 * SCENE_NAME_BYTES] = "";
    const bool is_mean = strcmp(kind->key, "mean") == 0;
    const YamlNode *pair = pair_of(node),
                   *at = is_mean ? map_get(node, "after") : map_require(reader, node, "at", "a time in s, or an event");
    Watch watch = {.sense = is_mean ? WATCH_MEAN : WATCH_AT};
    quantity->kind = is_mean ? QUANTITY_MEAN : QUANTITY_EXTREME;
    read_gate(reader, at, &watch, gate);
    if (!read_watchable(reader, kind, pair, quantity)) return;
    if (quantity->joint != NONE && !gate_fits_joint(reader, at, &watch)) return;
    if (quantity->joint != NONE && !is_mean && watch.after == AFTER_START)
        reader_error(reader, at, "expected a time beside a joint, found \"start\"");
    if (is_net_force(quantity) && !net_force_has_sides(reader, pair, quantity)) return;
    gate_check_pair(reader, at, pair, &watch);
    watch_finish(reader, pair, quantity, &watch);
    if (is_net_force(quantity)) net_force_print(pair, partners, sizeof partners);
    if (is_mean)
        snprintf(quantity->text, sizeof quantity->text, "mean over time of %s%s%s%s", kind->text, partners,
                 gate[0] != '\0' ? " after " : "", gate);
    else
        snprintf(quantity->text, sizeof quantity->text, "%s%s at %s", kind->text, partners,
                 watch.after == AFTER_START                 ? "the start"
                 : watch.after == AFTER_TIME                ? gate
                 : watch.after == AFTER_FIRST_CONTACT_BEGIN ? "the begin of the first contact"
                                                            : "the end of the first contact");
}

// --- the end --------------------------------------------------------------------------------------

static void read_final(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity) {
    (void)node;
    quantity->kind = QUANTITY_FINAL;
    read_state(reader, kind, quantity);
    snprintf(quantity->text, sizeof quantity->text, "%s at the end", kind->text);
}

// Without a list: the six faces of a body that is one box along its axes.
static bool body_is_box(const Study *study, uint32_t body) {
    const SceneBody *given = &study->scene.bodies[body];
    const SceneShape *shape = &study->scene.shapes[given->shape_first];
    return given->shape_count == 1 && shape->kind == SHAPE_BOX && shape->rotation.kind == ROTATION_NONE;
}

// `directions: [[x, y, z], ...]`: numbers 1, 2, ...
static void read_directions(Reader *reader, const YamlNode *node, Quantity *quantity) {
    if (!list_check(reader, node, -1, "a list of directions [x, y, z]")) return;
    if (node->child_count == 0) reader_expected(reader, node, "a list of directions [x, y, z]");
    quantity->faces = calloc((size_t)node->child_count + 1, sizeof *quantity->faces);
    if (quantity->faces == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    for (const YamlNode *row = node->child_first; row != NULL; row = row->next) {
        if (!list_check(reader, row, 3, "a direction [x, y, z]")) continue;
        Face face = {.number = row->index + 1.0};
        double *out = face.direction, square = 0;
        for (const YamlNode *item = row->child_first; item != NULL; item = item->next)
            out[item->index] = read_constant(reader, item, &RANGE_ANY);
        for (int k = 0; k < 3; k++) square += out[k] * out[k];
        if (square == 0.0) reader_error(reader, row, "expected a direction, found a zero vector");
        for (int k = 0; k < 3; k++) out[k] /= sqrt(square);
        quantity->faces[quantity->face_count++] = face;
    }
}

// The faces +x, -x, +y, -y, +z, -z have the numbers 1 to 6, or those of `faces: {"+x": 1, ...}`.
static void read_box_faces(Reader *reader, const YamlNode *node, Quantity *quantity) {
    static const char *const words[] = {"+x", "-x", "+y", "-y", "+z", "-z", NULL};
    if (node != NULL && !map_check(reader, node, words, NULL)) return;
    quantity->faces = calloc(6, sizeof *quantity->faces);
    if (quantity->faces == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    quantity->face_count = 6;
    for (uint32_t i = 0; i < 6; i++) {
        Face *face = &quantity->faces[i];
        face->direction[i / 2] = i % 2 == 0 ? 1 : -1;
        face->number = i + 1.0;
        if (node == NULL) continue;
        const YamlNode *number = map_require(reader, node, words[i], "a number");
        if (number != NULL) face->number = read_constant(reader, number, &RANGE_ANY);
    }
}

static void read_face_up(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity) {
    const YamlNode *directions = map_get(node, "directions"), *faces = map_get(node, "faces");
    const bool is_cosine = strcmp(kind->key, "face_up_cosine") == 0;
    quantity->kind = is_cosine ? QUANTITY_FACE_UP_COSINE : QUANTITY_FACE_UP;
    quantity->body = read_body_name(reader, kind, NAMES_OF_ONE);
    snprintf(quantity->unit, sizeof quantity->unit, "1");
    if (directions != NULL && faces != NULL)
        reader_error(reader, faces, "expected \"faces\" or \"directions\", found both");
    else if (directions != NULL)
        read_directions(reader, directions, quantity);
    else if (quantity->body != NONE && faces == NULL && !body_is_box(reader->study, quantity->body))
        reader_error(reader, kind,
                     "expected \"directions\" or \"faces\" beside it, since %s is not one box along "
                     "its axes, found neither",
                     kind->text);
    else
        read_box_faces(reader, faces, quantity);
    if (quantity->body == NONE) return;
    snprintf(quantity->text, sizeof quantity->text,
             is_cosine ? "cosine between up and the face of %s that is up at the end"
                       : "number of the face of %s that is up at the end",
             kind->text);
}

// --- one quantity ---------------------------------------------------------------------------------

typedef void (*ReadKind)(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity);

static const char *const keys_final[] = {"final", NULL};
static const char *const keys_extreme[] = {"min", "max", "after", "between", "materials", NULL};
static const char *const keys_mean[] = {"mean", "after", "between", "materials", NULL};
static const char *const keys_value[] = {"value", "at", "between", "materials", NULL};
static const char *const keys_event[] = {"count",       "time_of",   "speed_of", "impulse_of", "energy_lost_of",
                                         "position_of", "component", "n",        "between",    "materials",
                                         "of",          "above",     NULL};
static const char *const keys_sum[] = {"sum", "between", "materials", "of", NULL};
static const char *const keys_expression[] = {"expression", "unit", NULL};
static const char *const keys_share[] = {"share", NULL};
static const char *const keys_face[] = {"face_up", "face_up_cosine", "faces", "directions", NULL};

static const struct {
    const char *word;
    const char *const *keys; // that go with it
    ReadKind read;
} kinds[] = {
    {"final", keys_final, read_final},
    {"min", keys_extreme, read_extreme},
    {"max", keys_extreme, read_extreme},
    {"mean", keys_mean, read_watched_state},
    {"value", keys_value, read_watched_state},
    {"count", keys_event, read_event_quantity},
    {"time_of", keys_event, read_event_quantity},
    {"speed_of", keys_event, read_event_quantity},
    {"impulse_of", keys_event, read_event_quantity},
    {"energy_lost_of", keys_event, read_event_quantity},
    {"position_of", keys_event, read_event_quantity},
    {"sum", keys_sum, read_event_sum},
    {"face_up", keys_face, read_face_up},
    {"face_up_cosine", keys_face, read_face_up},
    {"expression", keys_expression, NULL}, // arithmetic on the others, below
    {"share", keys_share, NULL},
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

static const char *const keys_all[] = {"final",          "min",         "max",      "mean",           "value",
                                       "count",          "time_of",     "speed_of", "impulse_of",     "face_up",
                                       "face_up_cosine", "after",       "at",       "energy_lost_of", "n",
                                       "between",        "position_of", "of",       "component",      "faces",
                                       "directions",     "expression",  "unit",     "share",          "sum",
                                       "materials",      "above",       NULL};

static void read_quantity_name(Reader *reader, const YamlNode *node, Quantity *quantity) {
    if (!is_identifier(node->key) || strlen(node->key) >= STUDY_NAME_BYTES)
        reader_error_at(reader, &node->key_place,
                        "outputs.quantities: expected a name of letters, digits and _, found \"%.*s\"",
                        TEXT_CUT(node->key, 60));
    if (scene_name_is_taken(node->key))
        reader_error_at(reader, &node->key_place, "outputs.quantities: the name \"%s\" is taken by the ensemble file",
                        node->key);
    snprintf(quantity->name, sizeof quantity->name, "%s", node->key);
}

// --- arithmetic -----------------------------------------------------------------------------------

static bool is_arithmetic(const YamlNode *node) {
    return node->kind == YAML_SCALAR || map_get(node, "expression") != NULL || map_get(node, "share") != NULL;
}

// "=a/b", {expression: "=a/b", unit: m} or {share: "=a > b"}
static void read_arithmetic(Reader *reader, const YamlNode *node, const QuantityNames *names, Quantity *quantity) {
    const bool is_share = map_get(node, "share") != NULL;
    const YamlNode *text = node;
    quantity->kind = is_share ? QUANTITY_SHARE : QUANTITY_EXPRESSION;
    snprintf(quantity->unit, sizeof quantity->unit, "1");
    if (node->kind == YAML_MAP) {
        map_check(reader, node, is_share ? keys_share : keys_expression, NULL);
        text = map_get(node, is_share ? "share" : "expression");
        read_unit(reader, map_get(node, "unit"), quantity->unit);
    }
    if (!read_quantity_expression(reader, text, names, &quantity->expression)) return;
    snprintf(quantity->text, sizeof quantity->text, is_share ? "1 where %.*s, else 0" : "%.*s",
             TEXT_CUT(text->text + 1, 240));
}

// --- all quantities ---------------------------------------------------------------------------------

static void read_quantity(Reader *reader, const YamlNode *node, Quantity *quantity) {
    const char *words[KIND_COUNT + 1] = {NULL};
    for (size_t i = 0; i < KIND_COUNT; i++) words[i] = kinds[i].word;
    // First the kind, then the keys that go with it, so that a stray key is reported with its kind.
    size_t k = 0;
    while (k < KIND_COUNT && map_get(node, words[k]) == NULL) k++;
    const char *const *keys = k < KIND_COUNT ? kinds[k].keys : keys_all;
    const YamlNode *kind = map_choose(reader, node, keys, words, NULL, "quantity");
    if (kind != NULL && kinds[k].read != NULL) kinds[k].read(reader, node, kind, quantity);
}

static bool quantities_make(Reader *reader, const YamlNode *node, bool **out_is_expression) {
    Study *study = reader->study;
    study->quantities = calloc(node->child_count, sizeof *study->quantities);
    study->watches = calloc(node->child_count, sizeof *study->watches);
    *out_is_expression = reader_take(reader, node->child_count * sizeof **out_is_expression);
    if (study->quantities == NULL || study->watches == NULL) reader->is_out_of_memory = true;
    if (study->quantities == NULL || study->watches == NULL || *out_is_expression == NULL) return false;
    study->quantity_count = node->child_count;
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) {
        Quantity *quantity = &study->quantities[child->index];
        *quantity = (Quantity){.body = NONE, .body_other = NONE, .joint = NONE, .observable = NONE, .watch = NONE};
        read_quantity_name(reader, child, quantity);
        (*out_is_expression)[child->index] = is_arithmetic(child);
    }
    return true;
}

// Those of scenes first, then arithmetic on them.
void read_quantities(Reader *reader, const YamlNode *node) {
    bool *is_expression = NULL;
    if (node == NULL) return;
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of names to quantities");
        return;
    }
    if (node->child_count == 0 || !quantities_make(reader, node, &is_expression)) return;
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) {
        const QuantityNames names = {.count = node->child_count, .own = child->index, .is_expression = is_expression};
        Quantity *quantity = &reader->study->quantities[child->index];
        if (is_expression[child->index])
            read_arithmetic(reader, child, &names, quantity);
        else
            read_quantity(reader, child, quantity);
    }
}
