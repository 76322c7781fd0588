// Many bodies from one: `count` makes bodies name_1 to name_n, `one_of` alternatives of which each scene
// has one. Both become plain bodies of the tree, read like any other.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define COPIES_MAX 4096

static const NumberRange range_count = {0, COPIES_MAX, false, false, "a whole number from 0 to 4096"};

static void node_drop(YamlNode *map, const char *key) {
    YamlNode *child = map->child_first;
    map->child_first = map->child_last = NULL;
    map->child_count = 0;
    for (YamlNode *next = NULL; child != NULL; child = next) {
        next = child->next;
        if (strcmp(child->key, key) != 0) node_append(map, child);
    }
}

// A body "<name>_<number>" with this role, the last child of the map.
static BodyCopy *copy_append(Reader *reader, YamlNode *bodies, YamlNode *body, const char *name, uint32_t number) {
    char key[STUDY_PATH_BYTES];
    BodyCopy *copy = reader_take(reader, sizeof *copy);
    snprintf(key, sizeof key, "%.400s_%u", name, number);
    body->key = reader_take_text(reader, key, strlen(key));
    if (copy == NULL || body->key == NULL) return NULL;
    *copy = body->copy != NULL ? *body->copy : (BodyCopy){.origin = name, .count_parameter = NONE};
    body->copy = copy;
    node_append(bodies, body);
    return copy;
}

// --- count ----------------------------------------------------------------------------------------

// All values of a number that varies are whole; of a derived one that is checked in each scene.
static bool count_is_whole(Reader *reader, const YamlNode *node, const Number *number) {
    if (number->parameter == NONE) return number->value == floor(number->value);
    if (number->is_derived) {
        check_add(reader, node,
                  (NumberCheck){.parameter = number->parameter,
                                .shape = NONE,
                                .high = COPIES_MAX,
                                .is_whole = 1,
                                .words = range_count.words});
        return true;
    }
    const Distribution *distribution = &reader->drafts[number->parameter].parameter.distribution;
    if (distribution->kind == DISTRIBUTION_INTEGER) return true;
    bool is_whole = distribution->value_count > 0;
    for (size_t i = 0; i < distribution->value_count; i++)
        is_whole = is_whole && distribution->values[i] == floor(distribution->values[i]);
    return is_whole;
}

// False after errors. `out_bounds`: the fewest and the most there can be.
static bool read_count(Reader *reader, const YamlNode *node, uint32_t *out_parameter, ExpressionBounds *out_bounds) {
    const Number number = read_number(reader, node, &range_count);
    if (!number.is_ok) return false;
    *out_parameter = number.parameter;
    *out_bounds = (ExpressionBounds){number.low, number.high, 0};
    if (number.is_derived) *out_bounds = reader->bounds[number.parameter];
    if (!count_is_whole(reader, node, &number)) {
        reader_error(reader, node, "expected %s or an integer distribution, found other numbers", range_count.words);
        return false;
    }
    if (out_bounds->high >= 1 && out_bounds->high <= COPIES_MAX) return true;
    reader_error(reader, node, "expected at least 1 body and at most %d in some scene, found %g", COPIES_MAX,
                 out_bounds->high);
    return false;
}

static void expand_count(Reader *reader, YamlNode *bodies, YamlNode *body) {
    const YamlNode *count = map_get(body, "count");
    const char *name = body->key;
    uint32_t parameter = NONE;
    ExpressionBounds bounds = {0};
    if (count == NULL) {
        node_append(bodies, body);
        return;
    }
    if (!read_count(reader, count, &parameter, &bounds)) bounds.low = bounds.high = 1;
    const uint32_t most = (uint32_t)bounds.high;
    YamlNode *source = body;
    for (uint32_t number = 1; number <= most; number++) {
        YamlNode *next = number < most ? tree_copy(reader, source) : NULL;
        BodyCopy *copy = copy_append(reader, bodies, source, name, number);
        if (copy == NULL || (number < most && next == NULL)) return; // reported
        copy->number = number;
        if (parameter != NONE && number > bounds.low) copy->count_parameter = parameter;
        // The first keeps the key, so that its parameter has its place among the others.
        if (number == 1 && next != NULL) node_drop(next, "count");
        source = next;
    }
}

// --- one_of ---------------------------------------------------------------------------------------

// The parameter that chooses; NONE after errors.
static uint32_t read_choice(Reader *reader, const YamlNode *body, const YamlNode *one_of) {
    char path[STUDY_PATH_BYTES];
    Distribution distribution;
    const uint32_t errors_before = reader->error_count;
    if (one_of->kind != YAML_LIST || one_of->child_count == 0) {
        reader_expected(reader, one_of, "a list of at least one map of keys of a body");
        return NONE;
    }
    for (const YamlNode *item = one_of->child_first; item != NULL; item = item->next) {
        if (item->kind != YAML_MAP) {
            reader_expected(reader, item, "a map of keys of a body");
            continue;
        }
        for (const YamlNode *key = item->child_first; key != NULL; key = key->next) {
            const bool is_here = map_get(body, key->key) != NULL || strcmp(key->key, "count") == 0 ||
                                 strcmp(key->key, "one_of") == 0 || strcmp(key->key, "weights") == 0;
            if (is_here)
                reader_error(reader, key, "expected a key that the body itself does not have, found \"%.*s\"",
                             TEXT_CUT(key->key, 60));
        }
    }
    if (!distribution_of_choice(reader, map_get(body, "weights"), one_of->child_count, &distribution)) return NONE;
    node_path(one_of, path, sizeof path);
    const Number number = parameter_add(reader, one_of, path, &distribution, false);
    return reader->error_count == errors_before ? number.parameter : NONE;
}

static void expand_choice(Reader *reader, YamlNode *bodies, YamlNode *body) {
    YamlNode *one_of = map_get(body, "one_of");
    const char *name = body->key;
    if (one_of == NULL) {
        if (map_get(body, "weights") != NULL)
            reader_error(reader, map_get(body, "weights"), "expected \"weights\" beside \"one_of\" only");
        node_append(bodies, body);
        return;
    }
    const uint32_t parameter = read_choice(reader, body, one_of);
    const uint32_t count = one_of->kind == YAML_LIST && parameter != NONE ? one_of->child_count : 1;
    YamlNode *alternative = one_of->kind == YAML_LIST ? one_of->child_first : NULL;
    YamlNode *source = body;
    for (uint32_t choice = 1; choice <= count; choice++, alternative = alternative->next) {
        YamlNode *next = choice < count ? tree_copy(reader, source) : NULL;
        YamlNode *own = parameter != NONE ? tree_copy(reader, alternative) : NULL;
        BodyCopy *copy = copy_append(reader, bodies, source, name, choice);
        if (copy == NULL || (choice < count && next == NULL) || own == NULL) return; // reported
        copy->choice = choice; // where there is one alternative, no scene lacks it
        copy->choice_parameter = parameter;
        if (choice == 1 && next != NULL) {
            node_drop(next, "one_of");
            node_drop(next, "weights");
        }
        for (YamlNode *key = own->child_first, *after = NULL; key != NULL; key = after) {
            after = key->next;
            node_append(source, key);
        }
        source = next;
    }
}

// --- all bodies -----------------------------------------------------------------------------------

static void expand_all(Reader *reader, YamlNode *bodies,
                       void (*expand)(Reader *reader, YamlNode *bodies, YamlNode *body)) {
    YamlNode *body = bodies->child_first;
    bodies->child_first = bodies->child_last = NULL;
    bodies->child_count = 0;
    for (YamlNode *next = NULL; body != NULL; body = next) {
        next = body->next;
        if (body->kind == YAML_MAP)
            expand(reader, bodies, body);
        else
            node_append(bodies, body);
    }
}

void copies_expand(Reader *reader, YamlNode *root, YamlNode *bodies) {
    expand_all(reader, bodies, expand_count);
    expand_all(reader, bodies, expand_choice);
    tree_order(root);
    for (const YamlNode *body = bodies->child_first; body != NULL; body = body->next) {
        if (body->copy == NULL) continue;
        for (const YamlNode *other = bodies->child_first; other != NULL; other = other->next) {
            if (other == body || strcmp(body->key, other->key) != 0) continue;
            if (other->copy != NULL && other->order > body->order) continue; // reported from there
            reader_error(reader, body, "expected a name of its own, found that of another body");
        }
    }
}

// --- chain ----------------------------------------------------------------------------------------

static YamlNode *node_make(Reader *reader, YamlKind kind, const YamlNode *from, const char *key, const char *text) {
    YamlNode *node = reader_take(reader, sizeof *node);
    if (node == NULL) return NULL;
    *node = (YamlNode){.kind = kind, .key = key, .text = text, .place = from->place, .key_place = from->key_place};
    return node;
}

// "between: [a, b]" in place of "chain".
static bool chain_becomes_between(Reader *reader, YamlNode *joint, const char *a, const char *b) {
    const YamlNode *chain = map_get(joint, "chain");
    YamlNode *list = node_make(reader, YAML_LIST, chain, "between", NULL);
    YamlNode *first = node_make(reader, YAML_SCALAR, chain, NULL, a);
    YamlNode *second = node_make(reader, YAML_SCALAR, chain, NULL, b);
    if (list == NULL || first == NULL || second == NULL) return false;
    node_drop(joint, "chain");
    node_append(list, first);
    node_append(list, second);
    node_append(joint, list);
    return true;
}

// The next body after one (NULL: the first) that `count` made of `origin`.
static const YamlNode *chain_next(const YamlNode *bodies, const char *origin, const YamlNode *after) {
    for (const YamlNode *body = after == NULL ? bodies->child_first : after->next; body != NULL; body = body->next)
        if (body->copy != NULL && body->copy->number > 0 && strcmp(body->copy->origin, origin) == 0) return body;
    return NULL;
}

// A joint with "chain: link": one for each two bodies in a row that `count` made of `link`.
static void expand_chain(Reader *reader, YamlNode *joints, YamlNode *joint) {
    const YamlNode *chain = map_get(joint, "chain");
    const char *origin = chain != NULL ? read_text(reader, chain, "the name of a body with `count`") : NULL;
    const YamlNode *body = origin != NULL ? chain_next(reader->bodies, origin, NULL) : NULL;
    const YamlNode *next = body != NULL ? chain_next(reader->bodies, origin, body) : NULL;
    const char *name = joint->key;
    const bool has_choice = body != NULL && body->copy->choice > 0; // which of them is there varies
    if (chain == NULL) {
        node_append(joints, joint);
        return;
    }
    if (map_get(joint, "between") != NULL || next == NULL || has_choice) {
        if (map_get(joint, "between") != NULL)
            reader_error(reader, chain, "expected no \"chain\" beside \"between\", found one");
        else if (origin != NULL)
            reader_error(reader, chain, "expected a body with a \"count\" of at least 2%s, found \"%.*s\"",
                         has_choice ? " and without \"one_of\"" : "", TEXT_CUT(origin, 60));
        return;
    }
    for (YamlNode *source = joint; next != NULL; body = next, next = chain_next(reader->bodies, origin, next)) {
        YamlNode *more = chain_next(reader->bodies, origin, next) != NULL ? tree_copy(reader, source) : NULL;
        BodyCopy *copy = copy_append(reader, joints, source, name, body->copy->number);
        if (copy == NULL) return; // reported
        copy->number = body->copy->number;
        if (!chain_becomes_between(reader, source, body->key, next->key)) return;
        source = more;
        if (source == NULL) return;
    }
}

void chains_expand(Reader *reader, YamlNode *joints) {
    bool any = false;
    for (const YamlNode *joint = joints->child_first; joint != NULL; joint = joint->next)
        any = any || map_get(joint, "chain") != NULL;
    if (!any) return;
    expand_all(reader, joints, expand_chain);
    YamlNode *root = joints;
    while (root->parent != NULL) root = root->parent;
    tree_order(root);
}

void copies_place(Reader *reader, const YamlNode *node, uint32_t body) {
    Study *study = reader->study;
    const BodyCopy *copy = node->copy;
    for (int i = 0; copy != NULL && i < 2; i++) {
        const uint32_t parameter = i == 0 ? copy->count_parameter : copy->choice_parameter;
        const double low = i == 0 ? copy->number : copy->choice;
        if (parameter == NONE || low == 0) continue;
        if (!reader_grow(reader, (void **)&study->presences, &reader->presence_capacity, study->presence_count,
                         sizeof *study->presences))
            return;
        study->presences[study->presence_count++] = (Presence){body, parameter, low, i == 0 ? (double)INFINITY : low};
    }
}

bool copies_exclude(const YamlNode *a, const YamlNode *b) {
    return a->copy != NULL && b->copy != NULL && a->copy->origin == b->copy->origin &&
           a->copy->number == b->copy->number && a->copy->choice != b->copy->choice;
}
