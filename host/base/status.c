// Codes, sentences and the report.
#include "status.h"
#undef report_add // as status.h has it for the analyzer

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

const char *clack_status_sentence(ClackStatus status) {
    switch (status) {
#define CLACK_STATUS_CASE(name, word, exit_code, sentence)                                                             \
    case CLACK_##name: return sentence;
        CLACK_STATUS_LIST(CLACK_STATUS_CASE)
#undef CLACK_STATUS_CASE
    }
    return "unknown status";
}

int clack_status_exit_code(ClackStatus status) {
    switch (status) {
#define CLACK_STATUS_CASE(name, word, exit_code, sentence)                                                             \
    case CLACK_##name: return exit_code;
        CLACK_STATUS_LIST(CLACK_STATUS_CASE)
#undef CLACK_STATUS_CASE
    }
    return 1;
}

const char *clack_status_word(ClackStatus status) {
    switch (status) {
#define CLACK_STATUS_CASE(name, word, exit_code, sentence)                                                             \
    case CLACK_##name: return word;
        CLACK_STATUS_LIST(CLACK_STATUS_CASE)
#undef CLACK_STATUS_CASE
    }
    return "unknown";
}

static const char report_warning[] = "warning: "; // before a message that is no error

void clack_report_clear(ClackReport *report) {
    for (size_t i = 0; i < report->count; i++) free(report->lines[i]);
    free(report->lines);
    free(report->places);
    *report = (ClackReport){0};
}

// The line, which is freed where there is no memory for it, becomes the report's; NULL: there was none for it.
static void report_take(ClackReport *report, ClackStatus status, char *line, const ClackPlace *place) {
    if (report->status == CLACK_OK) report->status = status; // the status is reported even without memory
    const size_t count = report->count;
    char **lines = realloc(report->lines, (count + 1) * sizeof *lines);
    if (lines != NULL) report->lines = lines;
    ClackPlace *places = realloc(report->places, (count + 1) * sizeof *places);
    if (places != NULL) report->places = places;
    if (lines == NULL || places == NULL || line == NULL) {
        free(line);
        return;
    }
    lines[count] = line;
    places[count] = *place;
    report->count++;
}

ClackStatus report_add_line(ClackReport *report, ClackStatus status, const char *line, const ClackPlace *place) {
    if (report == NULL) return status;
    ClackPlace shown = *place;
    shown.file_bytes = (uint32_t)text_shown_bytes(line, place->file_bytes);
    shown.key_at = (uint32_t)text_shown_bytes(line, place->key_at);
    shown.key_bytes = (uint32_t)text_shown_bytes(line, place->key_at + place->key_bytes) - shown.key_at;
    shown.message_at = (uint32_t)text_shown_bytes(line, place->message_at);
    report_take(report, status, text_shown(line, ""), &shown);
    return status;
}

// `kept`: characters that stay as they are, of texts of several lines.
static ClackStatus report_print(ClackReport *report, ClackStatus status, const ClackPlace *place, const char *kept,
                                const char *format, va_list list) {
    if (report == NULL) return status;
    const char *before = place->is_warning ? report_warning : "";
    va_list measure;
    va_copy(measure, list);
    const int length = vsnprintf(NULL, 0, format, measure);
    va_end(measure);
    const size_t bytes = strlen(before) + (length < 0 ? 0 : (size_t)length) + 1;
    char *line = length < 0 ? NULL : malloc(bytes), *shown = NULL;
    if (line != NULL) {
        strcpy(line, before);
        vsnprintf(line + strlen(before), bytes - strlen(before), format, list);
        shown = text_shown(line, kept);
    }
    report_take(report, status, shown, place);
    free(line);
    return status;
}

ClackStatus report_add_list(ClackReport *report, ClackStatus status, const char *format, va_list list) {
    static const ClackPlace nowhere = {0};
    return report_print(report, status, &nowhere, "", format, list);
}

void report_warn(ClackReport *report, const char *format, ...) {
    static const ClackPlace nowhere = {.message_at = sizeof report_warning - 1, .is_warning = 1};
    va_list list;
    va_start(list, format);
    report_print(report, CLACK_OK, &nowhere, "", format, list);
    va_end(list);
}

ClackStatus report_add(ClackReport *report, ClackStatus status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    report_add_list(report, status, format, list);
    va_end(list);
    return status;
}

ClackStatus report_add_block(ClackReport *report, ClackStatus status, const char *format, ...) {
    static const ClackPlace nowhere = {0};
    va_list list;
    va_start(list, format);
    report_print(report, status, &nowhere, "\n\t", format, list);
    va_end(list);
    return status;
}

void report_move(ClackReport *from, ClackReport *to) {
    for (size_t i = 0; to != NULL && i < from->count; i++) {
        report_take(to, from->status, from->lines[i], &from->places[i]);
        from->lines[i] = NULL; // owned by `to` now
    }
    clack_report_clear(from);
}
