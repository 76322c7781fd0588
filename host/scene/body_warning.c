// Warnings with the places of bodies.
#include "body_warning.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 2048

static bool report_has(const ClackReport *report, const char *line) {
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->lines[i], line) == 0) return true;
    return false;
}

void body_warn(const Study *study, uint32_t body, ClackReport *report, const char *format, ...) {
    assert(body < study->scene.body_count);
    static const char word[] = "warning: ";
    char line[LINE_BYTES];
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
