// `--set path=value`: a value of the command line put into the tree before the study is checked.
#include "study_override_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

// One step of an override's path: ".key", "key" or "[3]". Returns where the next step starts, NULL
// for a malformed path; `out_key` is "" for an index.
static const char *path_step(const char *at, bool is_first, char *out_key, size_t key_bytes, uint32_t *out_index) {
    out_key[0] = '\0';
    if (*at == '[') {
        char *end = NULL;
        if (at[1] < '0' || at[1] > '9') return NULL;
        const unsigned long index = strtoul(at + 1, &end, 10);
        if (*end != ']' || index > 1000000000ul) return NULL;
        *out_index = (uint32_t)index;
        return end + 1;
    }
    if (!is_first && *at++ != '.') return NULL;
    const size_t length = strcspn(at, ".[");
    if (length == 0 || length >= key_bytes) return NULL;
    memcpy(out_key, at, length);
    out_key[length] = '\0';
    return at + length;
}

static YamlNode *list_get(const YamlNode *list, uint32_t index) {
    YamlNode *child = list->kind == YAML_LIST ? list->child_first : NULL;
    while (child != NULL && child->index != index) child = child->next;
    return child;
}

// A variable that is drawn otherwise keeps its unit.
static void keep_unit(YamlNode *old, YamlNode *value) {
    const YamlNode *section = old->parent;
    const bool is_variable = section != NULL && section->parent != NULL && section->parent->parent == NULL &&
                             section->key != NULL && strcmp(section->key, "variables") == 0;
    YamlNode *unit = is_variable ? map_get(old, "unit") : NULL;
    if (unit != NULL && value->kind == YAML_MAP && map_get(value, "unit") == NULL) {
        unit->next = NULL;
        node_append(value, unit);
    }
}

// The new value takes the old one's place in the tree, its key and its parent.
static void node_replace(YamlNode *old, YamlNode *value) {
    keep_unit(old, value);
    old->kind = value->kind;
    old->is_plain = value->is_plain;
    old->text = value->text;
    old->place = value->place;
    old->child_first = value->child_first;
    old->child_last = value->child_last;
    old->child_count = value->child_count;
    for (YamlNode *child = old->child_first; child != NULL; child = child->next) child->parent = old;
}

static bool is_below(const char *path, const char *section) {
    const size_t bytes = strlen(section);
    return strncmp(path, section, bytes) == 0 && path[bytes] == '.';
}

// "; write --set 'scene.materials={dry_wood: {young: 1e9}}'", where that is how what lies deeper comes in.
static void override_hint(const StudyOverride *override, int wanted, char *out, size_t out_bytes) {
    const char *path = override->path, *rest = path + wanted;
    // Sections that a study may leave out, with names that are its own or known beneath them.
    const bool may_be_added =
        is_below(path, "scene.materials") || is_below(path, "variables") || is_below(path, "outputs");
    size_t depth = 0;
    out[0] = '\0';
    if (*rest != '.' || !may_be_added || strchr(rest, '[') != NULL || strchr(override->value, '\'') != NULL) return;
    size_t used = (size_t)snprintf(out, out_bytes, "; write --set '%.*s=", wanted, path);
    for (const char *at = rest; *at == '.' && used < out_bytes; depth++) {
        const size_t bytes = strcspn(at + 1, ".");
        used += (size_t)snprintf(out + used, out_bytes - used, "{%.*s: ", (int)bytes, at + 1);
        at += bytes + 1;
    }
    if (used < out_bytes) used += (size_t)snprintf(out + used, out_bytes - used, "%s", override->value);
    for (; depth > 0 && used < out_bytes; depth--) used += (size_t)snprintf(out + used, out_bytes - used, "}");
    if (used < out_bytes) used += (size_t)snprintf(out + used, out_bytes - used, "'");
    if (used >= out_bytes) out[0] = '\0'; // half of it is of no use
}

// There is nothing at the first `wanted` bytes of a path, and `at` at the first `known`.
static void override_tell_missing(Reader *reader, const YamlPlace *place, const StudyOverride *override,
                                  const YamlNode *at, int known, int wanted) {
    const char *path = override->path;
    char hint[STUDY_PATH_BYTES];
    override_hint(override, wanted, hint, sizeof hint);
    if (at->kind == YAML_SCALAR && path[known] == '.')
        reader_error_at(reader, place,
                        "the study has \"%.*s\" at %.*s, which has no keys; set all of it, as in '%.*s={%s: ...}'",
                        TEXT_CUT(at->text, 40), known, path, known, path, path + known + 1);
    else
        reader_error_at(reader, place, "the study has no %.*s%s", wanted, path, at->kind == YAML_MAP ? hint : "");
}

// Where the value stands in the tree now; NULL after errors.
static const YamlNode *override_place(Reader *reader, YamlNode *root, const StudyOverride *override) {
    char name[STUDY_PATH_BYTES], key[SCENE_NAME_BYTES * 2];
    const int length = snprintf(name, sizeof name, "--set %s", override->path);
    const char *file = reader_take_text(reader, name, strlen(name));
    if (file == NULL) return NULL;
    const YamlPlace place = {.file = file};
    const uint32_t errors_before = reader->error_count;
    YamlNode *value = tree_parse(reader, override->value, strlen(override->value), file, false);
    if (reader->error_count == errors_before && value == NULL)
        reader_error_at(reader, &place, "expected a value after \"=\", found nothing");
    if (value == NULL) return NULL;
    YamlNode *at = root;
    const char *step = override->path;
    for (uint32_t depth = 0; *step != '\0'; depth++) {
        uint32_t index = 0;
        const char *next = length < (int)sizeof name && depth < STUDY_DEPTH_MAX
                               ? path_step(step, depth == 0, key, sizeof key, &index)
                               : NULL;
        if (next == NULL) {
            reader_error_at(reader, &place, "expected a path such as scene.gravity[2]");
            return NULL;
        }
        YamlNode *child = key[0] != '\0' ? map_get(at, key) : list_get(at, index);
        if (child == NULL && *next == '\0' && key[0] != '\0' && at->kind == YAML_MAP) {
            value->key = reader_take_text(reader, key, strlen(key));
            value->key_place = place;
            if (value->key != NULL) node_append(at, value);
            return value;
        }
        if (child == NULL) {
            override_tell_missing(reader, &place, override, at, (int)(step - override->path),
                                  (int)(next - override->path));
            return NULL;
        }
        at = child;
        step = next;
    }
    if (at == root) {
        reader_error_at(reader, &place, "expected a path such as scene.gravity[2]");
        return NULL;
    }
    node_replace(at, value);
    return at;
}

void tree_override(Reader *reader, YamlNode *root, const StudyOverride *override) {
    if (!reader_grow(reader, (void **)&reader->overrides, &reader->override_capacity, reader->override_count,
                     sizeof *reader->overrides))
        return;
    const YamlNode *place = override_place(reader, root, override);
    reader->overrides[reader->override_count++] = place;
}

// --- overrides that change nothing -------------------------------------------------------------------

// The node at or above `node` that is a child of the list or map; NULL: none.
static const YamlNode *child_above(const YamlNode *node, const YamlNode *parent) {
    while (node != NULL && node->parent != parent) node = node->parent;
    return parent != NULL ? node : NULL;
}

static bool is_group_idle(const YamlNode *ignore, const YamlNode *node) {
    for (const YamlNode *pair = ignore != NULL ? ignore->child_first : NULL; pair != NULL; pair = pair->next)
        for (const YamlNode *name = pair->child_first; name != NULL; name = name->next)
            if (name->kind == YAML_SCALAR && strcmp(name->text, node->key) == 0) return false;
    return true;
}

// The name that was meant, where the override has brought a new one.
static const char *variable_meant(Reader *reader, const YamlNode *node) {
    const char **names = node->key_place.line == 0 && node->key != NULL ? variable_names(reader) : NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; names != NULL && i < reader->variable_count; i++)
        if (strcmp(names[i], node->key) != 0) names[count++] = names[i];
    if (names == NULL) return NULL;
    names[count] = NULL;
    return word_nearest(node->key, names);
}

// Why what was set in this entry of a section changes nothing; NULL: it does, as far as can be known.
static const char *entry_idle(const Reader *reader, const YamlNode *root, const YamlNode *section,
                              const YamlNode *entry) {
    const YamlNode *scene = map_get(root, "scene");
    if (section == map_get(root, "variables"))
        return is_variable_idle(reader, entry) ? "nothing of the study is computed from this variable" : NULL;
    if (section == map_get(scene, "materials"))
        return is_material_idle(reader, entry) ? "no shape is of this material" : NULL;
    if (section == map_get(scene, "pairs"))
        return is_pair_idle(reader, entry) ? "no shapes of these two materials may touch" : NULL;
    return is_group_idle(map_get(scene, "ignore"), entry) ? "scene.ignore does not name this group" : NULL;
}

// An override of a section, of one of its entries or within one.
static void override_check(Reader *reader, const YamlNode *root, const YamlNode *node) {
    const YamlNode *scene = map_get(root, "scene");
    const YamlNode *const sections[] = {map_get(root, "variables"), map_get(scene, "materials"),
                                        map_get(scene, "pairs"), map_get(scene, "groups")};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const YamlNode *section = sections[i], *only = child_above(node, section);
        if (section == NULL || (node != section && only == NULL)) continue;
        for (const YamlNode *entry = only != NULL ? only : section->child_first; entry != NULL;
             entry = only != NULL ? NULL : entry->next) {
            const char *why = entry_idle(reader, root, section, entry);
            const char *meant = why != NULL && i == 0 ? variable_meant(reader, entry) : NULL;
            if (why == NULL) continue;
            reader_warn(reader, only != NULL ? node : entry, "changes nothing: %s%s%s%s", why,
                        meant != NULL ? ", did you mean \"" : "", meant != NULL ? meant : "",
                        meant != NULL ? "\"?" : "");
        }
    }
}

static bool is_at_or_above(const YamlNode *high, const YamlNode *low) {
    while (low != NULL && low != high) low = low->parent;
    return low != NULL;
}

void overrides_check(Reader *reader, const YamlNode *root, bool has_seed) {
    const YamlNode *design = map_get(root, "design");
    for (uint32_t i = 0; i < reader->override_count; i++) {
        const YamlNode *node = reader->overrides[i];
        bool is_replaced = false;
        for (uint32_t k = i + 1; k < reader->override_count && node != NULL; k++)
            is_replaced |= reader->overrides[k] != NULL && is_at_or_above(reader->overrides[k], node);
        if (is_replaced)
            reader_warn(reader, node, "changes nothing: a later --set replaces it");
        else if (node != NULL && has_seed && node->key != NULL && strcmp(node->key, "seed") == 0 &&
                 child_above(node, design) != NULL)
            reader_warn(reader, node, "changes nothing: --seed replaces it");
        else if (node != NULL)
            override_check(reader, root, node);
    }
}
