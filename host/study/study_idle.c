// What a study writes and no scene has: variables that nothing is computed from, rows of pairs whose materials no
// shapes have that may touch. Both are allowed and hardly meant.
#include "study_override_internal.h"

#include <assert.h>
#include <string.h>

#define VARIABLES_TOLD 20u // one by one

// The entry of variables, scene.pairs or scene.materials that a node is in; NULL: it is elsewhere.
static const YamlNode *entry_above(const YamlNode *node) {
    for (; node->parent != NULL && node->parent->parent != NULL; node = node->parent) {
        const YamlNode *section = node->parent, *above = section->parent;
        if (section->key == NULL) continue;
        if (above->parent == NULL && strcmp(section->key, "variables") == 0) return node;
        const bool is_of_scene = above->parent != NULL && above->parent->parent == NULL && above->key != NULL &&
                                 strcmp(above->key, "scene") == 0;
        if (is_of_scene && (strcmp(section->key, "pairs") == 0 || strcmp(section->key, "materials") == 0)) return node;
    }
    return NULL;
}

void variable_use(Reader *reader, Variable *variable, const YamlNode *node) {
    const YamlNode *entry = entry_above(node);
    if (variable->is_used) return;
    if (entry == NULL) {
        variable->is_used = true;
        return;
    }
    if (!reader_grow(reader, (void **)&reader->uses, &reader->use_capacity, reader->use_count, sizeof *reader->uses))
        return;
    reader->uses[reader->use_count++] = (VariableUse){(uint32_t)(variable - reader->variables), entry};
}

static const YamlNode *section_of(const YamlNode *root, const char *key) {
    return map_get(map_get(root, "scene"), key);
}

// The last use first: a variable is read after those that it is computed from, so that it is settled before them.
void uses_settle(Reader *reader, const YamlNode *root) {
    const YamlNode *pairs = section_of(root, "pairs"), *materials = section_of(root, "materials");
    for (uint32_t i = reader->use_count; i > 0; i--) {
        const YamlNode *entry = reader->uses[i - 1].entry;
        Variable *variable = &reader->variables[reader->uses[i - 1].variable];
        if (entry->parent == pairs)
            variable->is_used |= !is_pair_idle(reader, entry);
        else if (entry->parent == materials)
            variable->is_used |= !is_material_idle(reader, entry);
        else {
            const Variable *other = variable_find(reader, entry->key, strlen(entry->key));
            variable->is_used |= other == NULL || other->is_used;
        }
    }
}

bool is_variable_idle(const Reader *reader, const YamlNode *entry) {
    bool is_variable = false, is_used = false;
    for (uint32_t i = 0; i < reader->variable_count; i++) { // several are drawn together at one node
        const YamlNode *node = reader->variables[i].node;
        while (node != NULL && node != entry) node = node->parent;
        if (node == NULL) continue;
        is_variable = true;
        is_used |= reader->variables[i].is_used;
    }
    return is_variable && !is_used;
}

bool is_material_idle(const Reader *reader, const YamlNode *entry) {
    for (uint32_t i = 0; i < reader->material_count; i++)
        if (reader->materials[i].node == entry) return reader->materials[i].scene_index == NONE;
    return false;
}

bool is_pair_idle(const Reader *reader, const YamlNode *entry) {
    for (uint32_t i = 0; i < reader->pair_count; i++)
        if (reader->pairs[i].node == entry) return !reader->pairs[i].is_used;
    return false;
}

// Does an override of the entry, of something in it or of all of its section tell what there is to tell of it?
static bool is_of_override(const Reader *reader, const YamlNode *entry) {
    for (uint32_t i = 0; i < reader->override_count; i++) {
        const YamlNode *node = reader->overrides[i];
        if (node != NULL && node == entry->parent) return true;
        while (node != NULL && node != entry) node = node->parent;
        if (node != NULL) return true;
    }
    return false;
}

// Variables that are drawn together follow each other, and have one entry. Of very many a file would drown in lines.
static void variables_tell(Reader *reader) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->variable_count;) {
        const YamlNode *entry = entry_above(reader->variables[i].node);
        assert(entry != NULL); // variables stand in no other section
        const bool is_alone = strcmp(reader->variables[i].name, entry->key) == 0;
        bool is_used = false;
        do is_used |= reader->variables[i++].is_used;
        while (i < reader->variable_count && entry_above(reader->variables[i].node) == entry);
        if (is_used || is_of_override(reader, entry)) continue;
        if (++count <= VARIABLES_TOLD)
            reader_warn(reader, entry, "nothing is computed from %s", is_alone ? "it" : "them");
    }
    if (count > VARIABLES_TOLD)
        reader_warn(reader, reader->variables[0].node, "nothing is computed from %u more variables",
                    count - VARIABLES_TOLD);
}

void idle_check(Reader *reader, const YamlNode *root) {
    const YamlNode *rows = section_of(root, "pairs");
    for (const YamlNode *row = rows != NULL ? rows->child_first : NULL; row != NULL; row = row->next) {
        const YamlNode *between = map_get(row, "between");
        if (!is_pair_idle(reader, row) || is_of_override(reader, row)) continue;
        reader_warn(reader, row, "no shapes of %s and %s may touch", between->child_first->text,
                    between->child_last->text);
    }
    variables_tell(reader);
}
