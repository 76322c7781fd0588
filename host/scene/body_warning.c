// Warnings and errors with the places of bodies.
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

static void body_tell(const Study *study, uint32_t body, ClackReport *report, ClackStatus status, const char *format,
                      va_list list) {
    assert(body < study->scene.body_count);
    const char *word = status == CLACK_OK ? "warning: " : "";
    char line[LINE_BYTES];
    ClackPlace parts = {0};
    const StudyPlace *place = study->body_places != NULL ? &study->body_places[body] : NULL;
    if (place != NULL && place->text != NULL) parts = place->parts;
    parts.is_warning = status == CLACK_OK;
    const char *where = place != NULL && place->text != NULL ? place->text : "";
    const int before = snprintf(line, sizeof line, "%s%s", where, word);
    parts.message_at = (uint32_t)before;
    if ((size_t)before < sizeof line) vsnprintf(line + before, sizeof line - (size_t)before, format, list);
    if (report != NULL && !report_has(report, line)) report_add_line(report, status, line, &parts);
}

void body_warn(const Study *study, uint32_t body, ClackReport *report, const char *format, ...) {
    va_list list;
    va_start(list, format);
    body_tell(study, body, report, CLACK_OK, format, list);
    va_end(list);
}

ClackStatus body_error(const Study *study, uint32_t body, ClackReport *report, const char *format, ...) {
    va_list list;
    va_start(list, format);
    body_tell(study, body, report, CLACK_STUDY, format, list);
    va_end(list);
    return CLACK_STUDY;
}
