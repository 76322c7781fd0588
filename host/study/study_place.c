// Where the bodies of a study stand in its file, for what is reported of them later.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
