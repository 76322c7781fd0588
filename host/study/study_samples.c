// The number of samples of a design whose scenes do not depend on it: another one in its place, and where it stands in
// the study's text, so that texts can be compared without it.
#include "study_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_override_internal.h"
#include "text.h"

const char *study_design_is_fixed(DesignKind kind) {
    switch (kind) {
    case DESIGN_LATIN_HYPERCUBE:
        return "each parameter has one value in each of `samples` intervals, which more "
               "samples would cut anew";
    case DESIGN_GRID: return "its scenes are counted by its levels, not by samples";
    case DESIGN_TABLE: return "its scenes are the rows of a file, not samples";
    case DESIGN_MONTE_CARLO:
    case DESIGN_SOBOL:
    case DESIGN_SOBOL_PLAIN:
    case DESIGN_SALTELLI:
    case DESIGN_MORRIS: break;
    }
    return NULL;
}

static const DesignKind growing_kinds[] = {DESIGN_MONTE_CARLO, DESIGN_SOBOL, DESIGN_SALTELLI, DESIGN_MORRIS};
#define GROWING_KINDS (sizeof growing_kinds / sizeof *growing_kinds)

static int is_growing(const char *design) {
    for (size_t i = 0; i < GROWING_KINDS; i++)
        if (strcmp(study_design_name(growing_kinds[i]), design) == 0) return 1;
    return 0;
}

static const char *growing_name(const YamlNode *root) {
    const YamlNode *design = map_get(root, "design");
    for (size_t i = 0; i < GROWING_KINDS; i++)
        if (map_get(design, study_design_name(growing_kinds[i])) != NULL) return study_design_name(growing_kinds[i]);
    return NULL;
}

int samples_override(Reader *reader, YamlNode *root, char out_text[STUDY_SAMPLES_BYTES]) {
    const char *name = growing_name(root);
    char path[STUDY_SAMPLES_BYTES], value[24];
    if (reader->options->samples == 0 || name == NULL) return 0;
    const YamlNode *own = map_get(map_get(map_get(root, "design"), name), "samples");
    if (own != NULL) reader->own_samples = read_integer(reader, own, 1, STUDY_SCENES_MAX);
    snprintf(path, sizeof path, "design.%s.samples", name);
    snprintf(value, sizeof value, "%" PRIu64, reader->options->samples);
    snprintf(out_text, STUDY_SAMPLES_BYTES, "%.32s=%s", path, value);
    const StudyOverride override = {.path = path, .value = value};
    tree_override(reader, root, &override);
    if (reader->override_count == 0) return 1;
    for (uint32_t i = 0; i + 1 < reader->override_count; i++) // a --set of the same number has said what there was
        if (reader->overrides[i] == reader->overrides[reader->override_count - 1]) reader->overrides[i] = NULL;
    return 1;
}

int study_sets_samples(const char *override, const char *design) {
    char path[STUDY_SAMPLES_BYTES];
    const int length = snprintf(path, sizeof path, "design.%.32s.samples=", design);
    return is_growing(design) && strncmp(override, path, (size_t)length) == 0;
}

// --- in the text ----------------------------------------------------------------------------------

// Byte of a line and column of the text, both from 1; `bytes` where there is no such place.
static size_t place_offset(const char *text, size_t bytes, const YamlPlace *place) {
    size_t at = 0;
    for (uint32_t line = 1; line < place->line && at < bytes; at++) line += text[at] == '\n';
    for (uint32_t column = 1; column < place->column && at < bytes; column++) {
        const size_t length = text_character(text + at, bytes - at);
        at += length > 0 ? length : 1;
    }
    return at < bytes ? at : bytes;
}

// Where the value stands beside its key. That of an alias stands elsewhere, and an anchor hands it to others: both are
// no number of samples alone.
static int find_value(const char *text, size_t bytes, const YamlNode *node, size_t *out_first, size_t *out_end) {
    const size_t key = place_offset(text, bytes, &node->key_place), first = place_offset(text, bytes, &node->place);
    const size_t length = strlen(node->text), name = strlen("samples");
    if (node->kind != YAML_SCALAR || !node->is_plain || length == 0 || bytes - key < name || key + name > first ||
        strncmp(text + key, "samples", name) != 0 || bytes - first < length ||
        strncmp(text + first, node->text, length) != 0)
        return 0;
    for (size_t at = key + name; at < first; at++)
        if (strchr(": ", text[at]) == NULL) return 0;
    *out_first = first;
    *out_end = first + length;
    return 1;
}

int study_find_samples(const char *text, size_t bytes, const char *design, size_t *out_first, size_t *out_end) {
    static const StudyOptions no_options = {0};
    Reader reader = {.options = &no_options, .study = calloc(1, sizeof(Study))};
    int is_found = 0;
    if (reader.study != NULL && is_growing(design)) {
        const YamlNode *root = tree_parse(&reader, text, bytes, "study", true);
        const YamlNode *node = root != NULL ? map_get(map_get(map_get(root, "design"), design), "samples") : NULL;
        is_found = node != NULL && node->kind == YAML_SCALAR && find_value(text, bytes, node, out_first, out_end);
    }
    reader_free(&reader);
    study_free(reader.study);
    return is_found;
}
