// Collision groups: named sets of bodies, and which of them ignore each other.
#include "study_internal.h"

#include <string.h>

#include "text.h"

#define GROUPS_MAX 32 // names in `ignore`: bits of SceneBody.groups

// Names that stand in `ignore`; each has its bit.
typedef struct GroupBits {
    const char *names[GROUPS_MAX];
    uint32_t count;
} GroupBits;

// Bodies that the study writes as one (`count`, `one_of`) go by that name too.
bool body_goes_by(const Reader *reader, uint32_t body, const char *name) {
    if (strcmp(reader->study->scene.bodies[body].name, name) == 0) return true;
    const YamlNode *node = reader->bodies != NULL ? reader->bodies->child_first : NULL;
    for (uint32_t i = 0; i < body && node != NULL; i++) node = node->next;
    return node != NULL && node->copy != NULL && strcmp(node->copy->origin, name) == 0;
}

// How many bodies have the name; each of them gets the bits.
static uint32_t body_mark(Reader *reader, const char *name, uint32_t bits) {
    SceneDescription *scene = &reader->study->scene;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        if (!body_goes_by(reader, i, name)) continue;
        scene->bodies[i].groups |= bits;
        count++;
    }
    return count;
}

void tell_unknown_body(Reader *reader, const YamlNode *node, const char *name, BodyNames right) {
    const SceneDescription *scene = &reader->study->scene;
    if (reader->bodies == NULL) return; // the scene has none, which has been reported
    const YamlNode *groups = right == NAMES_OF_SETS ? reader->groups : NULL;
    const size_t most = 2 * (size_t)scene->body_count + (groups != NULL ? groups->child_count : 0) + 1;
    const char **names = reader_take(reader, most * sizeof *names);
    if (names == NULL) return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) names[count++] = scene->bodies[i].name;
    for (const YamlNode *body = reader->bodies->child_first; body != NULL && right != NAMES_OF_ONE && count + 1 < most;
         body = body->next)
        if (body->copy != NULL) names[count++] = body->copy->origin;
    for (const YamlNode *group = groups != NULL ? groups->child_first : NULL; group != NULL && count + 1 < most;
         group = group->next)
        names[count++] = group->key;
    const char *what = right == NAMES_OF_SETS ? "body or group" : "body";
    const char *nearest = word_nearest(name, names);
    if (nearest != NULL)
        reader_error(reader, node, "unknown %s \"%.*s\", did you mean \"%s\"?", what, TEXT_CUT(name, 60), nearest);
    else
        reader_error(reader, node, "unknown %s \"%.*s\"", what, TEXT_CUT(name, 60));
}

// --- groups ---------------------------------------------------------------------------------------

static void read_member(Reader *reader, const YamlNode *node) {
    const char *name = read_text(reader, node, "the name of a body");
    if (name == NULL) return;
    if (body_mark(reader, name, 0) == 0) tell_unknown_body(reader, node, name, NAMES_OF_SEVERAL);
    for (const YamlNode *other = node->parent->child_first; other != node; other = other->next)
        if (other->kind == YAML_SCALAR && strcmp(other->text, name) == 0)
            reader_error(reader, node, "expected each body once, found \"%s\" twice", name);
}

static void read_group(Reader *reader, const YamlNode *node) {
    if (!is_identifier(node->key))
        reader_error(reader, node, "expected a name of letters, digits and _, found \"%.*s\"", TEXT_CUT(node->key, 60));
    if (body_mark(reader, node->key, 0) > 0)
        reader_error(reader, node, "expected a name that no body has, found \"%s\"", node->key);
    if (!list_check(reader, node, -1, "a list of bodies")) return;
    for (const YamlNode *member = node->child_first; member != NULL; member = member->next) read_member(reader, member);
}

// --- ignore ---------------------------------------------------------------------------------------

// Bit of a name, given out at its first use; its bodies get it.
static uint32_t group_bit(Reader *reader, const YamlNode *node, const YamlNode *groups, GroupBits *bits) {
    const char *name = read_text(reader, node, "the name of a body or a group");
    if (name == NULL) return 0;
    for (uint32_t i = 0; i < bits->count; i++)
        if (strcmp(bits->names[i], name) == 0) return 1u << i;
    const YamlNode *group = map_get(groups, name);
    if (group == NULL && body_mark(reader, name, 0) == 0) {
        tell_unknown_body(reader, node, name, NAMES_OF_SETS);
        return 0;
    }
    if (bits->count == GROUPS_MAX) {
        reader_error(reader, node, "expected at most %d different names in all, found \"%s\" too", GROUPS_MAX, name);
        return 0;
    }
    bits->names[bits->count] = name;
    const uint32_t bit = 1u << bits->count++;
    if (group == NULL) body_mark(reader, name, bit);
    for (const YamlNode *member = group != NULL ? group->child_first : NULL; member != NULL; member = member->next)
        if (member->kind == YAML_SCALAR) body_mark(reader, member->text, bit); // none: has been reported
    return bit;
}

static void read_ignored_pair(Reader *reader, const YamlNode *node, const YamlNode *groups, GroupBits *bits) {
    static const char *const what = "a list of 2 names of bodies or groups";
    SceneDescription *scene = &reader->study->scene;
    if (!list_check(reader, node, 2, what)) return;
    const uint32_t one = group_bit(reader, node->child_first, groups, bits);
    const uint32_t other = group_bit(reader, node->child_last, groups, bits);
    if (one == 0 || other == 0) return;
    if (one == other && map_get(groups, node->child_first->text) == NULL &&
        body_mark(reader, node->child_first->text, 0) == 1)
        reader_error(reader, node, "expected 2 different bodies, found \"%s\" twice", node->child_first->text);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        SceneBody *body = &scene->bodies[i];
        if (body->groups & one) body->ignores |= other;
        if (body->groups & other) body->ignores |= one;
    }
}

// Bits are given to bodies while the list is read, but a pair needs only its own two, which all their
// bodies have by then.
void read_groups(Reader *reader, const YamlNode *groups, const YamlNode *ignore) {
    if (reader->bodies == NULL) return; // an error that has been reported
    GroupBits bits = {.count = 0};
    reader->groups = groups != NULL && groups->kind == YAML_MAP ? groups : NULL;
    if (groups != NULL && groups->kind != YAML_MAP) {
        reader_expected(reader, groups, "a map of names to lists of bodies");
        groups = NULL;
    }
    for (const YamlNode *group = groups != NULL ? groups->child_first : NULL; group != NULL; group = group->next)
        read_group(reader, group);
    if (ignore == NULL || !list_check(reader, ignore, -1, "a list of pairs of bodies or groups")) return;
    for (const YamlNode *pair = ignore->child_first; pair != NULL; pair = pair->next)
        read_ignored_pair(reader, pair, groups, &bits);
}
