// `--set path=value`: a value of the command line put into the tree before the study is checked.
#include "study_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One step of an override's path: ".key", "key" or "[3]". Returns where the next step starts, NULL
// for a malformed path; `out_key` is "" for an index.
static const char *path_step(const char *at, bool is_first, char *out_key, size_t key_bytes,
                             uint32_t *out_index) {
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

// The new value takes the old one's place in the tree, its key and its parent.
static void node_replace(YamlNode *old, YamlNode *value) {
    old->kind = value->kind;
    old->is_plain = value->is_plain;
    old->text = value->text;
    old->place = value->place;
    old->child_first = value->child_first;
    old->child_last = value->child_last;
    old->child_count = value->child_count;
    for (YamlNode *child = old->child_first; child != NULL; child = child->next)
        child->parent = old;
}

void tree_override(Reader *reader, YamlNode *root, const StudyOverride *override) {
    char name[STUDY_PATH_BYTES], key[SCENE_NAME_BYTES * 2];
    const int length = snprintf(name, sizeof name, "--set %s", override->path);
    const char *file = reader_take_text(reader, name, strlen(name));
    if (file == NULL) return;
    const YamlPlace place = {.file = file};
    const uint32_t errors_before = reader->error_count;
    YamlNode *value = tree_parse(reader, override->value, strlen(override->value), file, false);
    if (reader->error_count == errors_before && value == NULL)
        reader_error_at(reader, &place, "expected a value after \"=\", found nothing");
    if (value == NULL) return;
    YamlNode *at = root;
    const char *step = override->path;
    for (uint32_t depth = 0; *step != '\0'; depth++) {
        uint32_t index = 0;
        const char *next = length < (int)sizeof name && depth < STUDY_DEPTH_MAX
                               ? path_step(step, depth == 0, key, sizeof key, &index)
                               : NULL;
        if (next == NULL) {
            reader_error_at(reader, &place, "expected a path such as scene.gravity[2]");
            return;
        }
        YamlNode *child = key[0] != '\0' ? map_get(at, key) : list_get(at, index);
        if (child == NULL && *next == '\0' && key[0] != '\0' && at->kind == YAML_MAP) {
            value->key = reader_take_text(reader, key, strlen(key));
            value->key_place = place;
            if (value->key != NULL) node_append(at, value);
            return;
        }
        if (child == NULL) {
            reader_error_at(reader, &place, "the study has no %.*s", (int)(next - override->path),
                            override->path);
            return;
        }
        at = child;
        step = next;
    }
    if (at == root)
        reader_error_at(reader, &place, "expected a path such as scene.gravity[2]");
    else
        node_replace(at, value);
}
