// Access to the tree of a study file, and the errors that say where and what.
#include "study_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

struct ReaderBlock {
    ReaderBlock *next;
    max_align_t data[];
};

void *reader_take(Reader *reader, size_t bytes) {
    ReaderBlock *block = NULL;
    if (bytes <= SIZE_MAX - sizeof *block) block = calloc(1, sizeof *block + bytes);
    if (block == NULL) {
        reader->is_out_of_memory = true;
        return NULL;
    }
    block->next = reader->blocks;
    reader->blocks = block;
    return block->data;
}

char *reader_take_text(Reader *reader, const char *text, size_t bytes) {
    char *copy = bytes < SIZE_MAX ? reader_take(reader, bytes + 1) : NULL;
    if (copy != NULL && bytes > 0) memcpy(copy, text, bytes);
    return copy;
}

bool reader_grow(Reader *reader, void **array, uint32_t *capacity, uint32_t count, size_t item_bytes) {
    if (count < *capacity) return true;
    const uint32_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = NULL;
    if (*capacity < UINT32_MAX / 2 && wanted <= SIZE_MAX / item_bytes) grown = realloc(*array, wanted * item_bytes);
    if (grown == NULL) {
        reader->is_out_of_memory = true;
        return false;
    }
    memset((char *)grown + *capacity * item_bytes, 0, (wanted - *capacity) * item_bytes);
    *array = grown;
    *capacity = wanted;
    return true;
}

ClackStatus reader_status(const Reader *reader) {
    if (reader->is_out_of_memory) return CLACK_MEMORY;
    if (reader->is_io_failure) return CLACK_IO;
    return reader->error_count > 0 || reader->is_scene_wrong ? CLACK_STUDY : CLACK_OK;
}

void reader_free(Reader *reader) {
    free(reader->lines); // their texts are blocks
    // Drafts own the arrays of their distributions until parameters_finish hands them to the study.
    for (uint32_t i = 0; i < reader->draft_count; i++) {
        free(reader->drafts[i].parameter.distribution.values);
        free(reader->drafts[i].parameter.distribution.cumulative);
    }
    free(reader->drafts);
    free(reader->medians);
    free(reader->bounds);
    variables_free(reader); // before the blocks, which hold names
    mesh_files_free(reader);
    free(reader->materials);
    free(reader->pairs);
    free(reader->overrides);
    while (reader->blocks != NULL) { // bounded by the blocks taken
        ReaderBlock *block = reader->blocks;
        reader->blocks = block->next;
        free(block);
    }
}

// --- places and errors --------------------------------------------------------------------------

void place_print(const YamlPlace *place, char *out, size_t out_bytes) {
    if (place->line == 0)
        snprintf(out, out_bytes, "%s", place->file);
    else
        snprintf(out, out_bytes, "%s:%u:%u", place->file, place->line, place->column);
}

#define NODE_DEPTH_MAX ((size_t)2 * STUDY_DEPTH_MAX)

void node_path(const YamlNode *node, char *out, size_t out_bytes) {
    const YamlNode *chain[NODE_DEPTH_MAX]; // an override can nest as deep again
    size_t depth = 0;
    assert(out_bytes > 0);
    for (const YamlNode *at = node; at->parent != NULL && depth < NODE_DEPTH_MAX; at = at->parent) chain[depth++] = at;
    if (depth == 0) {
        snprintf(out, out_bytes, "top level");
        return;
    }
    out[0] = '\0';
    size_t used = 0;
    while (depth > 0 && used < out_bytes) {
        const YamlNode *at = chain[--depth];
        const int written = at->key != NULL
                                ? snprintf(out + used, out_bytes - used, "%s%s", used > 0 ? "." : "", at->key)
                                : snprintf(out + used, out_bytes - used, "[%u]", at->index);
        used += written > 0 ? (size_t)written : 0;
    }
}

void node_describe(const YamlNode *node, char *out, size_t out_bytes) {
    double value = 0;
    if (node->kind == YAML_MAP)
        snprintf(out, out_bytes, "a map");
    else if (node->kind == YAML_LIST)
        snprintf(out, out_bytes, "a list of %u", node->child_count);
    else if (node->is_plain && node->text[0] == '\0')
        snprintf(out, out_bytes, "nothing");
    else if (node->is_plain && number_parse(node->text, &value))
        snprintf(out, out_bytes, "%.60s", node->text);
    else
        snprintf(out, out_bytes, "%s\"%.*s\"", node->is_plain ? "" : "the quoted text ", text_whole(node->text, 60),
                 node->text);
}

// Has the same been reported at this place? Copies of a body have one place, but paths of their own.
static bool is_warned(const Reader *reader, const ClackPlace *parts, const char *text) {
    for (uint32_t i = 0; i < reader->line_count; i++) {
        const ReaderLine *line = &reader->lines[i];
        const ClackPlace *place = &line->place;
        if (!place->is_warning || line->text == NULL || place->line != parts->line || place->column != parts->column)
            continue;
        const uint32_t key_end = parts->key_at + (parts->line == 0 ? parts->key_bytes : 0);
        if (place->file_bytes == parts->file_bytes && place->key_at == parts->key_at &&
            memcmp(line->text, text, key_end) == 0 &&
            strcmp(line->text + place->message_at, text + parts->message_at) == 0)
            return true;
    }
    return false;
}

static void reader_add_line(Reader *reader, const YamlPlace *place, const char *path, bool is_warning,
                            const char *format, va_list list) {
    char where[STUDY_PATH_BYTES * 2], text[STUDY_PATH_BYTES * 3], line[STUDY_PATH_BYTES * 6];
    place_print(place, where, sizeof where);
    vsnprintf(text, sizeof text, format, list);
    const int prefix = snprintf(line, sizeof line, "%s: ", where);
    const int keyed = snprintf(line + prefix, sizeof line - (size_t)prefix, "%s%s%s", path, path[0] != '\0' ? ": " : "",
                               is_warning ? "warning: " : "");
    snprintf(line + prefix + keyed, sizeof line - (size_t)prefix - (size_t)keyed, "%s", text);
    const size_t name_bytes = strlen(place->file), where_bytes = strlen(where);
    const ClackPlace parts = {.file_bytes = (uint32_t)(name_bytes < where_bytes ? name_bytes : where_bytes),
                              .line = place->line,
                              .column = place->line > 0 ? place->column : 0,
                              .key_at = (uint32_t)prefix,
                              .key_bytes = (uint32_t)strlen(path),
                              .message_at = (uint32_t)(prefix + keyed),
                              .is_warning = is_warning};
    if (is_warning && is_warned(reader, &parts, line)) return;
    if (!reader_grow(reader, (void **)&reader->lines, &reader->line_capacity, reader->line_count,
                     sizeof *reader->lines))
        return;
    reader->lines[reader->line_count] =
        (ReaderLine){reader->line_count, parts, reader_take_text(reader, line, strlen(line))};
    reader->line_count++;
    reader->error_count += !is_warning;
}

static int error_compare(const void *a, const void *b) {
    const ReaderLine *x = a, *y = b;
    if (x->place.line != y->place.line) return x->place.line < y->place.line ? -1 : 1;
    if (x->place.column != y->place.column) return x->place.column < y->place.column ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

void reader_tell(Reader *reader) {
    if (reader->line_count == 0) return;
    qsort(reader->lines, reader->line_count, sizeof *reader->lines, error_compare);
    for (uint32_t i = 0; i < reader->line_count; i++) {
        const ReaderLine *line = &reader->lines[i];
        const ClackStatus status = line->place.is_warning ? CLACK_OK : reader_status(reader);
        if (line->text != NULL) report_add_line(reader->report, status, line->text, &line->place);
    }
}

void reader_error(Reader *reader, const YamlNode *node, const char *format, ...) {
    char path[STUDY_PATH_BYTES];
    node_path(node, path, sizeof path);
    va_list list;
    va_start(list, format);
    reader_add_line(reader, &node->place, path, false, format, list);
    va_end(list);
}

void reader_warn(Reader *reader, const YamlNode *node, const char *format, ...) {
    char path[STUDY_PATH_BYTES];
    node_path(node, path, sizeof path);
    va_list list;
    va_start(list, format);
    reader_add_line(reader, &node->place, path, true, format, list);
    va_end(list);
}

void reader_warn_at(Reader *reader, const YamlPlace *place, const char *format, ...) {
    va_list list;
    va_start(list, format);
    reader_add_line(reader, place, "", true, format, list);
    va_end(list);
}

void reader_error_key(Reader *reader, const YamlNode *map, const YamlPlace *key_place, const char *format, ...) {
    char path[STUDY_PATH_BYTES];
    node_path(map, path, sizeof path);
    va_list list;
    va_start(list, format);
    reader_add_line(reader, key_place, path, false, format, list);
    va_end(list);
}

void reader_error_at(Reader *reader, const YamlPlace *place, const char *format, ...) {
    va_list list;
    va_start(list, format);
    reader_add_line(reader, place, "", false, format, list);
    va_end(list);
}

void reader_expected(Reader *reader, const YamlNode *node, const char *expected) {
    char found[128];
    node_describe(node, found, sizeof found);
    reader_error(reader, node, "expected %s, found %s", expected, found);
}

// --- words --------------------------------------------------------------------------------------

static bool word_is_among(const char *word, const char *const *words) {
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

// "a, b or c"
static void words_print(const char *const *words, char *out, size_t out_bytes) {
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; words[i] != NULL && used < out_bytes; i++) {
        const char *separator = i == 0 ? "" : words[i + 1] != NULL ? ", " : " or ";
        const int written = snprintf(out + used, out_bytes - used, "%s%s", separator, words[i]);
        used += written > 0 ? (size_t)written : 0;
    }
}

bool is_identifier(const char *text) {
    for (const char *at = text; *at != '\0'; at++) {
        const bool is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_';
        if (!is_letter && !(at > text && *at >= '0' && *at <= '9')) return false;
    }
    return text[0] != '\0';
}

// --- maps and lists -----------------------------------------------------------------------------

YamlNode *map_get(const YamlNode *map, const char *key) {
    if (map == NULL || map->kind != YAML_MAP) return NULL;
    for (YamlNode *child = map->child_first; child != NULL; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

YamlNode *map_require(Reader *reader, const YamlNode *map, const char *key, const char *what) {
    YamlNode *child = map_get(map, key);
    if (child == NULL) reader_error(reader, map, "expected the key \"%s\" (%s), found none", key, what);
    return child;
}

// What other programs call a size or a shape, and what it is here.
static const char *name_meant(const char *key, const char *const *keys) {
    static const struct {
        const char *word, *key, *meant;
    } names[] = {{"radius", "diameter", "diameter, which is twice the radius"},
                 {"radii", "lengths", "lengths, which are twice the radii"},
                 {"half_lengths", "lengths", "lengths, which are whole ones"},
                 {"half_extents", "lengths", "lengths, which are whole ones"},
                 {"size", "lengths", "lengths"},
                 {"ball", "sphere", "sphere"},
                 {"plane", "half_space", "half_space"},
                 {"probability", "share", "share, of an expression that is true or not"},
                 {"duration", "end", "end"},
                 {"t_end", "end", "end"},
                 {"dt", "step", "step"},
                 {"time_step", "step", "step"},
                 {"n", "samples", "samples"},
                 {"rho", "density", "density"},
                 {"mu", "friction", "friction"},
                 {"nu", "poisson", "poisson"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(key, names[i].word) == 0 && word_is_among(names[i].key, keys)) return names[i].meant;
    return NULL;
}

bool map_check(Reader *reader, const YamlNode *node, const char *const *keys, const char *const *later) {
    if (node->kind != YAML_MAP) {
        char expected[256], list[200];
        words_print(keys, list, sizeof list);
        snprintf(expected, sizeof expected, "a map with the keys %s", list);
        reader_expected(reader, node, expected);
        return false;
    }
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) {
        if (word_is_among(child->key, keys)) continue;
        const char *nearest = word_nearest(child->key, keys), *meant = name_meant(child->key, keys);
        if (meant != NULL)
            reader_error_key(reader, node, &child->key_place, "unknown key \"%s\", expected %s", child->key, meant);
        else if (word_is_among(child->key, later))
            reader_error_key(reader, node, &child->key_place, "key \"%s\" is not supported yet", child->key);
        else if (nearest != NULL)
            reader_error_key(reader, node, &child->key_place, "unknown key \"%.*s\", did you mean \"%s\"?",
                             text_whole(child->key, 60), child->key, nearest);
        else {
            char list[STUDY_PATH_BYTES];
            words_print(keys, list, sizeof list);
            reader_error_key(reader, node, &child->key_place, "unknown key \"%.*s\", expected %s",
                             text_whole(child->key, 60), child->key, list);
        }
    }
    return true;
}

YamlNode *map_choose(Reader *reader, const YamlNode *map, const char *const *keys, const char *const *kinds,
                     const char *const *later, const char *what) {
    const uint32_t errors_before = reader->error_count;
    if (!map_check(reader, map, keys, later)) return NULL;
    YamlNode *chosen = NULL;
    for (YamlNode *child = map->child_first; child != NULL; child = child->next) {
        if (!word_is_among(child->key, kinds)) continue;
        if (chosen != NULL) {
            reader_error(reader, map, "expected one %s, found \"%s\" and \"%s\"", what, chosen->key, child->key);
            return NULL;
        }
        chosen = child;
    }
    // An unknown key is most often the kind misspelt: one error for one mistake.
    if (chosen == NULL && reader->error_count == errors_before) {
        char list[STUDY_PATH_BYTES];
        words_print(kinds, list, sizeof list);
        reader_error(reader, map, "expected a %s (%s), found none", what, list);
    }
    return chosen;
}

bool list_check(Reader *reader, const YamlNode *node, int count, const char *what) {
    if (node->kind == YAML_LIST && (count < 0 || node->child_count == (uint32_t)count)) return true;
    reader_expected(reader, node, what);
    return false;
}

// --- scalars ------------------------------------------------------------------------------------

uint32_t read_word(Reader *reader, const YamlNode *node, const char *const *words, const char *const *later,
                   uint32_t fallback) {
    if (node == NULL) return fallback;
    char list[STUDY_PATH_BYTES], found[128];
    words_print(words, list, sizeof list);
    if (node->kind != YAML_SCALAR) {
        reader_expected(reader, node, list);
        return fallback;
    }
    for (uint32_t i = 0; words[i] != NULL; i++)
        if (strcmp(node->text, words[i]) == 0) return i;
    node_describe(node, found, sizeof found);
    const char *nearest = word_nearest(node->text, words);
    if (word_is_among(node->text, later))
        reader_error(reader, node, "expected %s, found %s, which is not supported yet", list, found);
    else if (nearest != NULL)
        reader_error(reader, node, "expected %s, found %s, did you mean \"%s\"?", list, found, nearest);
    else
        reader_error(reader, node, "expected %s, found %s", list, found);
    return fallback;
}

bool read_bool(Reader *reader, const YamlNode *node, bool fallback) {
    if (node == NULL) return fallback;
    if (node->kind == YAML_SCALAR && node->is_plain) {
        if (strcmp(node->text, "true") == 0) return true;
        if (strcmp(node->text, "false") == 0) return false;
    }
    reader_expected(reader, node, "true or false");
    return fallback;
}

const char *read_text(Reader *reader, const YamlNode *node, const char *what) {
    if (node == NULL) return NULL;
    if (node->kind == YAML_SCALAR && node->text[0] != '\0') return node->text;
    reader_expected(reader, node, what);
    return NULL;
}
