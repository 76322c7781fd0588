// Lines and words of mesh files, and what is reported of them.
#include "mesh_file_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

#define LINE_BYTES 512

MeshText mesh_text_open(const char *text, size_t bytes, MeshListener *listener) {
    return (MeshText){.at = text, .end = text + bytes, .line_start = text, .line = 1, .listener = listener};
}

int mesh_text_next_line(MeshText *text) {
    const size_t left = (size_t)(text->end - text->at);
    const char *newline = left > 0 ? memchr(text->at, '\n', left) : NULL;
    if (newline == NULL) return 0;
    text->at = text->line_start = newline + 1;
    text->line++;
    return 1;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

MeshWord mesh_text_word(MeshText *text) {
    while (text->at < text->end && is_blank(*text->at)) text->at++;
    MeshWord word = {.text = text->at, .line = text->line, .column = (uint32_t)(text->at - text->line_start) + 1};
    while (text->at < text->end && !is_blank(*text->at) && *text->at != '\n') text->at++;
    word.bytes = (size_t)(text->at - word.text);
    return word;
}

MeshWord mesh_text_rest(MeshText *text) {
    MeshWord rest = mesh_text_word(text);
    while (text->at < text->end && *text->at != '\n') text->at++;
    rest.bytes = (size_t)(text->at - rest.text);
    while (rest.bytes > 0 && is_blank(rest.text[rest.bytes - 1])) rest.bytes--;
    return rest;
}

int mesh_word_is(const MeshWord *word, const char *expected) {
    return word->bytes == strlen(expected) && memcmp(word->text, expected, word->bytes) == 0;
}

void mesh_tell(MeshListener *listener, int is_warning, uint32_t line, uint32_t column, const char *format, ...) {
    char text[LINE_BYTES];
    if (!is_warning && listener->error_count++ >= MESH_ERRORS_MAX) return;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    listener->tell(listener->context, is_warning, line, column, text);
}

void mesh_word_error(MeshListener *listener, const MeshWord *word, const char *expected) {
    if (word->bytes == 0)
        mesh_tell(listener, 0, word->line, word->column, "expected %s, found the end of the line", expected);
    else
        mesh_tell(listener, 0, word->line, word->column, "expected %s, found \"%.*s\"", expected,
                  (int)(word->bytes < 60 ? word->bytes : 60), word->text);
}

int mesh_text_numbers(MeshText *text, double *out, int count, const char *what) {
    for (int k = 0; k < count; k++) {
        const MeshWord word = mesh_text_word(text);
        if (number_parse_bytes(word.text, word.bytes, &out[k])) continue;
        mesh_word_error(text->listener, &word, what);
        return 0;
    }
    return 1;
}
