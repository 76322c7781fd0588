// YAML text -> tree of nodes that know their place, through libfyaml's events. A tree of our own rather
// than libfyaml's document: it keeps the place of maps and lists, lets overrides say that they are
// overrides, and finds all duplicate keys instead of the first.
#include "study_internal.h"

#include <assert.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

typedef struct Anchor {
    const char *name;
    YamlNode *node;
} Anchor;

typedef struct TreeBuilder {
    Reader *reader;
    const char *file;
    bool has_lines;
    bool has_failed;
    YamlNode *root;
    YamlNode *parent; // open list or map
    uint32_t depth;
    const char *key; // of the value to come, within a map
    YamlPlace key_place;
    uint32_t document_count;
    uint32_t anchor_count, anchor_capacity;
    Anchor *anchors;
} TreeBuilder;

static void builder_fail(TreeBuilder *builder, const YamlPlace *place, const char *text) {
    reader_error_at(builder->reader, place, "%s", text);
    builder->has_failed = true;
}

static const char key_must_be_word[] = "a key must be a word, not a list or a map";

// Is the next scalar or alias a key of the open map?
static bool builder_awaits_key(const TreeBuilder *builder) {
    return builder->parent != NULL && builder->parent->kind == YAML_MAP && builder->key == NULL;
}

static YamlPlace builder_place(const TreeBuilder *builder, const struct fy_mark *mark) {
    YamlPlace place = {.file = builder->file};
    if (!builder->has_lines) return place;
    if (mark == NULL) { // an empty value: its key says where
        place.line = builder->key_place.line > 0 ? builder->key_place.line : 1;
        place.column = builder->key_place.column > 0 ? builder->key_place.column : 1;
        return place;
    }
    place.line = (uint32_t)mark->line + 1;
    place.column = (uint32_t)mark->column + 1;
    return place;
}

static YamlNode *node_make(Reader *reader, YamlKind kind, const YamlPlace *place) {
    if (reader->node_count >= STUDY_NODES_MAX) {
        reader_error_at(reader, place, "the file has too many parts");
        return NULL;
    }
    YamlNode *node = reader_take(reader, sizeof *node);
    if (node == NULL) return NULL;
    reader->node_count++;
    node->kind = kind;
    node->place = *place;
    return node;
}

static YamlNode *builder_make(TreeBuilder *builder, YamlKind kind, const YamlPlace *place) {
    YamlNode *node = node_make(builder->reader, kind, place);
    if (node == NULL) builder->has_failed = true;
    return node;
}

void node_append(YamlNode *parent, YamlNode *node) {
    node->parent = parent;
    node->index = parent->child_count++;
    node->next = NULL;
    if (parent->child_last != NULL)
        parent->child_last->next = node;
    else
        parent->child_first = node;
    parent->child_last = node;
}

static void builder_attach(TreeBuilder *builder, YamlNode *node) {
    YamlNode *parent = builder->parent;
    if (parent == NULL) {
        builder->root = node;
        return;
    }
    if (parent->kind == YAML_MAP) {
        node->key = builder->key;
        node->key_place = builder->key_place;
        builder->key = NULL;
    }
    node_append(parent, node);
}

static int node_compare_keys(const void *a, const void *b) {
    const YamlNode *x = *(const YamlNode *const *)a, *y = *(const YamlNode *const *)b;
    const int order = strcmp(x->key, y->key);
    return order != 0 ? order : x->index < y->index ? -1 : 1;
}

// Keys that a map has twice. By sorting: a hash of the keys would have worst cases that a file can be made of.
static void builder_check_keys(TreeBuilder *builder, const YamlNode *map) {
    const uint32_t count = map->child_count;
    if (count < 2) return;
    const YamlNode **children = malloc(count * sizeof *children);
    builder->reader->is_out_of_memory |= children == NULL;
    if (children == NULL) return;
    uint32_t at = 0, first = 0;
    for (const YamlNode *child = map->child_first; child != NULL; child = child->next) children[at++] = child;
    qsort(children, count, sizeof *children, node_compare_keys);
    for (uint32_t i = 1; i < count; i++) {
        char where[STUDY_PATH_BYTES];
        if (strcmp(children[i]->key, children[first]->key) != 0) {
            first = i;
            continue;
        }
        place_print(&children[first]->key_place, where, sizeof where);
        reader_error_key(builder->reader, map, &children[i]->key_place, "duplicate key \"%.*s\", first at %s",
                         text_whole(children[i]->key, 60), children[i]->key, where);
    }
    free(children);
}

static const char *builder_text(TreeBuilder *builder, struct fy_token *token, const YamlPlace *place) {
    size_t bytes = 0;
    const char *text = token != NULL ? fy_token_get_text(token, &bytes) : "";
    if (text == NULL) text = "";
    if (memchr(text, '\0', bytes) != NULL) {
        builder_fail(builder, place, "a text must not hold the character \\0");
        return NULL;
    }
    return reader_take_text(builder->reader, text, bytes);
}

static void builder_anchor(TreeBuilder *builder, struct fy_event *event, YamlNode *node) {
    struct fy_token *token = fy_event_get_anchor_token(event);
    if (token == NULL) return;
    if (!reader_grow(builder->reader, (void **)&builder->anchors, &builder->anchor_capacity, builder->anchor_count,
                     sizeof *builder->anchors))
        return;
    const char *name = builder_text(builder, token, &node->place);
    if (name != NULL) builder->anchors[builder->anchor_count++] = (Anchor){name, node};
}

// Without recursion, since depth comes from the user.
YamlNode *tree_copy(Reader *reader, const YamlNode *source) {
    YamlNode *top = NULL, *parent = NULL;
    const YamlNode *at = source;
    while (at != NULL) { // bounded by the nodes below the source
        YamlNode *copy = node_make(reader, at->kind, &at->place);
        if (copy == NULL) return NULL;
        copy->is_plain = at->is_plain;
        copy->text = at->text;
        copy->copy = at->copy;
        copy->key = at->key;
        copy->key_place = at->key_place;
        if (parent != NULL)
            node_append(parent, copy);
        else
            top = copy;
        if (at->child_first != NULL) {
            parent = copy;
            at = at->child_first;
            continue;
        }
        while (at != source && at->next == NULL) {
            assert(parent != NULL); // it follows `at` at the same depth
            at = at->parent;
            parent = parent->parent;
        }
        at = at == source ? NULL : at->next;
    }
    return top;
}

// Is there room for a copy of the tree? Lists of aliases of lists of aliases grow by powers (a "billion laughs").
static bool builder_has_room(TreeBuilder *builder, const YamlNode *source, const YamlPlace *place) {
    Reader *reader = builder->reader;
    const YamlNode *at = source;
    while (at != NULL && reader->alias_bytes <= STUDY_ALIAS_BYTES_MAX) { // bounded by the nodes below the source
        reader->alias_bytes += sizeof *at;
        if (at->child_first != NULL) {
            at = at->child_first;
            continue;
        }
        while (at != source && at->next == NULL) at = at->parent;
        at = at == source ? NULL : at->next;
    }
    if (reader->alias_bytes <= STUDY_ALIAS_BYTES_MAX) return true;
    builder_fail(builder, place, "aliases (*name) up to here stand for more than 64 MiB of lists, maps and values");
    return false;
}

static void builder_alias(TreeBuilder *builder, struct fy_event *event, const YamlPlace *place) {
    const char *name = builder_text(builder, fy_event_get_token(event), place);
    if (name == NULL) return;
    const YamlNode *source = NULL;
    for (uint32_t i = 0; i < builder->anchor_count; i++) // the last of that name counts
        if (strcmp(builder->anchors[i].name, name) == 0) source = builder->anchors[i].node;
    for (const YamlNode *at = builder->parent; at != NULL && source != NULL; at = at->parent)
        if (at == source) source = NULL;
    if (source == NULL) {
        builder_fail(builder, place, "an alias (*name) without an anchor (&name) before it");
        return;
    }
    if (builder_awaits_key(builder)) {
        if (source->kind != YAML_SCALAR) builder_fail(builder, place, key_must_be_word);
        builder->key = source->text;
        builder->key_place = *place;
        return;
    }
    if (!builder_has_room(builder, source, place)) return;
    YamlNode *copy = tree_copy(builder->reader, source);
    builder->has_failed |= copy == NULL;
    if (copy == NULL) return;
    copy->key = NULL; // that of the anchor
    builder_attach(builder, copy);
}

static void builder_open(TreeBuilder *builder, struct fy_event *event, YamlKind kind, const YamlPlace *place) {
    if (builder_awaits_key(builder)) {
        builder_fail(builder, place, key_must_be_word);
        return;
    }
    if (builder->depth >= STUDY_DEPTH_MAX) {
        builder_fail(builder, place, "lists and maps are nested too deeply");
        return;
    }
    YamlNode *node = builder_make(builder, kind, place);
    if (node == NULL) return;
    builder_anchor(builder, event, node);
    builder_attach(builder, node);
    builder->parent = node;
    builder->depth++;
}

static void builder_scalar(TreeBuilder *builder, struct fy_event *event, const YamlPlace *place) {
    struct fy_token *token = event->scalar.value;
    const char *text = builder_text(builder, token, place);
    if (text == NULL) return;
    const bool is_key = builder_awaits_key(builder);
    if (is_key) {
        builder->key = text;
        builder->key_place = *place;
        if (fy_event_get_anchor_token(event) == NULL) return; // else an alias may want its text
    }
    YamlNode *node = builder_make(builder, YAML_SCALAR, place);
    if (node == NULL) return;
    const enum fy_scalar_style style = token != NULL ? fy_scalar_token_get_style(token) : FYSS_PLAIN;
    node->text = text;
    node->is_plain = style == FYSS_PLAIN || style == FYSS_ANY;
    builder_anchor(builder, event, node);
    if (!is_key) builder_attach(builder, node);
}

static void builder_take_event(TreeBuilder *builder, struct fy_event *event) {
    YamlPlace place = builder_place(builder, fy_event_start_mark(event));
    if (event->type == FYET_ALIAS && place.column > 1) place.column--; // the mark is behind the "*"
    if (fy_event_get_tag_token(event) != NULL) {
        builder_fail(builder, &place, "tags (!name) are not supported");
        return;
    }
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++builder->document_count > 1)
            builder_fail(builder, &place, "a second document (after ---) is not supported");
        break;
    case FYET_MAPPING_START: builder_open(builder, event, YAML_MAP, &place); break;
    case FYET_SEQUENCE_START: builder_open(builder, event, YAML_LIST, &place); break;
    case FYET_MAPPING_END:
        assert(builder->parent != NULL);
        builder_check_keys(builder, builder->parent);
        /* fallthrough */
    case FYET_SEQUENCE_END:
        assert(builder->parent != NULL);
        builder->parent = builder->parent->parent;
        builder->depth--;
        builder->key = NULL;
        break;
    case FYET_SCALAR: builder_scalar(builder, event, &place); break;
    case FYET_ALIAS: builder_alias(builder, event, &place); break;
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
    case FYET_DOCUMENT_END: break;
    }
}

// libfyaml's own errors as lines of the report.
static void builder_report_syntax(TreeBuilder *builder, struct fy_diag *diag) {
    void *at = NULL;
    uint32_t reported = 0;
    for (struct fy_diag_error *error = fy_diag_errors_iterate(diag, &at); error != NULL;
         error = fy_diag_errors_iterate(diag, &at)) {
        const YamlPlace place = {.file = builder->file,
                                 .line = builder->has_lines ? (uint32_t)error->line : 0,
                                 .column = (uint32_t)error->column};
        if (error->type < FYET_ERROR) continue;
        reader_error_at(builder->reader, &place, "invalid YAML: %s", error->msg);
        reported++;
    }
    if (reported == 0) {
        const YamlPlace place = {.file = builder->file, .line = builder->has_lines, .column = 1};
        reader_error_at(builder->reader, &place, "invalid YAML");
    }
    builder->has_failed = true;
}

// libfyaml 0.7.12 takes a broken character for the end of the text, so it is checked first.
static bool text_is_utf8(Reader *reader, const char *text, size_t bytes, const char *file, bool has_lines) {
    uint32_t line = 1, column = 1;
    for (size_t at = 0; at < bytes;) {
        const size_t length = text_character(text + at, bytes - at);
        if (length == 0) {
            const YamlPlace place = {file, has_lines ? line : 0, column};
            reader_error_at(reader, &place, "expected UTF-8 text, found the byte 0x%02X",
                            (unsigned)(unsigned char)text[at]);
            return false;
        }
        column = text[at] == '\n' ? 1 : column + 1;
        line += text[at] == '\n';
        at += length;
    }
    return true;
}

static void builder_run(TreeBuilder *builder, const char *text, size_t bytes) {
    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL; // collected, never printed
    struct fy_diag *diag = fy_diag_create(&diag_config);
    if (diag != NULL) fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg config = {
        .search_path = "", .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2, .diag = diag};
    struct fy_parser *parser = diag != NULL ? fy_parser_create(&config) : NULL;
    if (parser == NULL || fy_parser_set_string(parser, text, bytes) != 0) {
        builder->reader->is_out_of_memory = true;
    } else {
        struct fy_event *event = NULL;
        while (!builder->has_failed && !builder->reader->is_out_of_memory &&
               (event = fy_parser_parse(parser)) != NULL) {
            builder_take_event(builder, event);
            fy_parser_event_free(parser, event);
        }
        if (!builder->has_failed && fy_parser_get_stream_error(parser)) builder_report_syntax(builder, diag);
    }
    if (parser != NULL) fy_parser_destroy(parser);
    if (diag != NULL) fy_diag_destroy(diag);
}

YamlNode *tree_parse(Reader *reader, const char *text, size_t bytes, const char *file, bool has_lines) {
    TreeBuilder builder = {.reader = reader, .file = file, .has_lines = has_lines};
    if (!text_is_utf8(reader, text, bytes, file, has_lines)) return NULL;
    builder_run(&builder, text, bytes);
    free(builder.anchors);
    return builder.has_failed || reader->is_out_of_memory ? NULL : builder.root;
}

void tree_order(YamlNode *root) {
    uint32_t order = 0;
    YamlNode *at = root;
    while (at != NULL) { // bounded by the nodes of the tree
        at->order = order++;
        if (at->child_first != NULL) {
            at = at->child_first;
            continue;
        }
        while (at != NULL && at->next == NULL) at = at->parent;
        if (at != NULL) at = at->next;
    }
}
