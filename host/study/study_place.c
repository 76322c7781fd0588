// Where the bodies of a study stand in its file, for what is told of them later.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "study_internal.h"

void places_keep(Reader *reader, const YamlNode *bodies) {
    Study *study = reader->study;
    uint32_t body = 0;
    study->body_places = calloc((size_t)study->scene.body_count + 1, sizeof *study->body_places);
    if (study->body_places == NULL) reader->is_out_of_memory = true;
    for (const YamlNode *node = bodies->child_first; node != NULL && !reader->is_out_of_memory; node = node->next) {
        char where[STUDY_PATH_BYTES], key[STUDY_PATH_BYTES];
        const YamlPlace *place = node->key_place.line > 0 ? &node->key_place : &node->place;
        place_print(place, where, sizeof where);
        node_path(node, key, sizeof key);
        const size_t bytes = strlen(where) + strlen(key) + sizeof ": : ";
        char *text = malloc(bytes);
        if (text == NULL) {
            reader->is_out_of_memory = true;
            return;
        }
        snprintf(text, bytes, "%s: %s: ", where, key);
        const size_t name_bytes = strlen(place->file), where_bytes = strlen(where);
        study->body_places[body++] =
            (StudyPlace){.text = text,
                         .parts = {.file_bytes = (uint32_t)(name_bytes < where_bytes ? name_bytes : where_bytes),
                                   .line = place->line,
                                   .column = place->line > 0 ? place->column : 0,
                                   .key_at = (uint32_t)where_bytes + 2,
                                   .key_bytes = (uint32_t)strlen(key),
                                   .is_warning = 1}};
    }
}

static bool report_has(const ClackReport *report, const char *line) {
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->lines[i], line) == 0) return true;
    return false;
}

void study_warn_body(const Study *study, uint32_t body, ClackReport *report, const char *format, ...) {
    assert(body < study->scene.body_count);
    static const char word[] = "warning: ";
    char line[STUDY_PATH_BYTES * 4];
    ClackPlace parts = {.is_warning = 1};
    const StudyPlace *place = study->body_places != NULL ? &study->body_places[body] : NULL;
    if (place != NULL && place->text != NULL) parts = place->parts;
    const char *where = place != NULL && place->text != NULL ? place->text : "";
    const int before = snprintf(line, sizeof line, "%s%s", where, word);
    parts.message_at = (uint32_t)before;
    va_list list;
    va_start(list, format);
    if ((size_t)before < sizeof line) vsnprintf(line + before, sizeof line - (size_t)before, format, list);
    va_end(list);
    if (report != NULL && !report_has(report, line)) report_add_line(report, CLACK_OK, line, &parts);
}
