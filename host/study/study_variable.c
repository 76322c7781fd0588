// The section `variables`: names of numbers, which may be computed from each other in any order.
#define _POSIX_C_SOURCE 200809L // search.h
#include "study_internal.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const Number number_bad = {.value = NAN, .parameter = NONE};

typedef struct VariableName { // of the tree Reader.variable_tree
    const char *name;
    size_t bytes;
    uint32_t index; // of the variable
} VariableName;

static int name_compare(const void *a, const void *b) {
    const VariableName *x = a, *y = b;
    const int order = memcmp(x->name, y->name, x->bytes < y->bytes ? x->bytes : y->bytes);
    return order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

Variable *variable_find(Reader *reader, const char *name, size_t bytes) {
    const VariableName wanted = {.name = name, .bytes = bytes};
    VariableName *const *found = tfind(&wanted, &reader->variable_tree, name_compare);
    return found != NULL ? &reader->variables[(*found)->index] : NULL;
}

void variables_free(Reader *reader) {
    while (reader->variable_tree != NULL) // bounded by the variables; the names themselves are blocks
        tdelete(*(VariableName *const *)reader->variable_tree, &reader->variable_tree, name_compare);
    free(reader->variables);
    free(reader->uses);
}

const char **variable_names(Reader *reader) {
    const char **names = reader_take(reader, ((size_t)reader->variable_count + 1) * sizeof *names);
    for (uint32_t i = 0; names != NULL && i < reader->variable_count; i++) names[i] = reader->variables[i].name;
    return names;
}

bool variable_add(Reader *reader, const YamlNode *node, const char *name, Variable variable) {
    if (!is_identifier(name) || strlen(name) >= STUDY_NAME_BYTES) {
        reader_error(reader, node, "expected a name of letters, digits and _, found \"%.*s\"", TEXT_CUT(name, 60));
        return false;
    }
    if (strcmp(name, "pi") == 0 || strcmp(name, "number") == 0) {
        reader_error(reader, node, "expected a name, found \"%s\", which expressions know", name);
        return false;
    }
    const Variable *first = variable_find(reader, name, strlen(name));
    if (first != NULL) { // two keys of one map have been reported with the tree
        if (first->node->parent != node->parent || node->key == NULL)
            reader_error(reader, node, "expected a new name, found \"%.*s\" a second time", TEXT_CUT(name, 60));
        return false;
    }
    if (!reader_grow(reader, (void **)&reader->variables, &reader->variable_capacity, reader->variable_count,
                     sizeof *reader->variables))
        return false;
    VariableName *entry = reader_take(reader, sizeof *entry);
    if (entry == NULL) return false;
    *entry = (VariableName){.name = name, .bytes = strlen(name), .index = reader->variable_count};
    if (tsearch(entry, &reader->variable_tree, name_compare) == NULL) {
        reader->is_out_of_memory = true;
        return false;
    }
    variable.name = name;
    reader->variables[reader->variable_count++] = variable;
    return true;
}

static bool is_expression(const YamlNode *node) { return node->kind == YAML_SCALAR && node->text[0] == '='; }

// Has the map this key, be it misspelt, which its reader tells?
static bool has_near(const YamlNode *node, const char *key) {
    const char *const words[] = {key, NULL};
    if (node->kind != YAML_MAP) return false;
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next)
        if (word_nearest(child->key, words) != NULL) return true;
    return false;
}

// {expression: "=a/b", unit: m}: what computes it; else the node itself.
static const YamlNode *variable_text(const YamlNode *node) {
    const YamlNode *text = map_get(node, "expression");
    return text != NULL ? text : node;
}

static Number read_computed(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"expression", "unit", NULL};
    const bool is_known = map_check(reader, node, keys, NULL);
    const YamlNode *text = map_require(reader, node, keys[0], "such as \"=a/b\"");
    if (!is_known || text == NULL) return number_bad;
    if (is_expression(text)) return read_expression(reader, text, node->key, true);
    reader_expected(reader, text, "an expression, such as \"=a/b\"");
    return number_bad;
}

static Number read_variable(Reader *reader, const YamlNode *node) {
    Distribution distribution;
    Number number = number_bad;
    if (is_expression(node)) return read_expression(reader, node, node->key, true);
    if (node->kind != YAML_MAP) return read_number(reader, node, &RANGE_ANY);
    if (has_near(node, "expression"))
        number = read_computed(reader, node);
    else if (read_distribution(reader, node, &distribution))
        number = parameter_add(reader, node, node->key, &distribution, true);
    char unit[STUDY_UNIT_BYTES] = "";
    read_unit(reader, map_get(node, "unit"), unit);
    if (number.parameter != NONE) memcpy(reader->drafts[number.parameter].parameter.unit, unit, sizeof unit);
    return number;
}

// The first of those that wait for each other, reported as "a -> b -> a".
static void circle_tell(Reader *reader, uint32_t start) {
    char chain[STUDY_PATH_BYTES];
    Variable *at = &reader->variables[start];
    size_t used = (size_t)snprintf(chain, sizeof chain, "%s", at->name);
    for (uint32_t i = 0; i < reader->variable_count; i++) { // a circle is no longer
        at = expression_waits_for(reader, variable_text(at->node));
        if (at == NULL || at < &reader->variables[start]) return; // reported from there
        if (used < sizeof chain) used += (size_t)snprintf(chain + used, sizeof chain - used, " -> %s", at->name);
        if (at != &reader->variables[start]) continue;
        reader_error(reader, at->node, "expected no circle of variables, found %s", chain);
        return;
    }
}

// A variable after those that it waits for: depth first, so that each is read once. `stack`: room for all.
static void read_with_others(Reader *reader, uint32_t first, uint32_t *stack) {
    uint32_t depth = 0;
    stack[depth++] = first;
    while (depth > 0) { // each is put on the stack once
        Variable *variable = &reader->variables[stack[depth - 1]];
        Variable *other = expression_waits_for(reader, variable_text(variable->node));
        variable->is_open = other != NULL;
        if (other == NULL) {
            const Number number = read_variable(reader, variable->node);
            variable->number = number;
            variable->is_read = true;
            depth--;
        } else if (!other->is_open && !other->is_stuck) {
            stack[depth++] = (uint32_t)(other - reader->variables);
        } else { // nothing on the stack can be read
            const uint32_t again = (uint32_t)(other - reader->variables);
            uint32_t start = again;
            for (uint32_t k = depth; other->is_open && stack[k - 1] != again; k--)
                if (stack[k - 1] < start) start = stack[k - 1];
            if (other->is_open) circle_tell(reader, start);
            for (; depth > 0; depth--) {
                reader->variables[stack[depth - 1]].is_open = false;
                reader->variables[stack[depth - 1]].is_stuck = true;
            }
        }
    }
}

void read_variables(Reader *reader, const YamlNode *node) {
    if (node == NULL) return;
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of names to numbers or distributions");
        return;
    }
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next)
        if (has_near(child, "correlated_normals"))
            read_correlated_normals(reader, child);
        else
            variable_add(reader, child, child->key, (Variable){.node = child});
    uint32_t *stack = reader_take(reader, ((size_t)reader->variable_count + 1) * sizeof *stack);
    for (uint32_t i = 0; stack != NULL && i < reader->variable_count; i++)
        if (!reader->variables[i].is_read && !reader->variables[i].is_stuck) read_with_others(reader, i, stack);
    for (uint32_t i = 0; i < reader->variable_count; i++)
        if (!reader->variables[i].is_read) reader->variables[i].number = number_bad;
}
