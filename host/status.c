// Codes, sentences and the report.
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *clack_status_sentence(ClackStatus status) {
    switch (status) {
#define CLACK_STATUS_CASE(name, word, exit_code, sentence) \
    case CLACK_##name:                               \
        return sentence;
        CLACK_STATUS_LIST(CLACK_STATUS_CASE)
#undef CLACK_STATUS_CASE
    }
    return "unknown status";
}

int clack_status_exit_code(ClackStatus status) {
    switch (status) {
#define CLACK_STATUS_CASE(name, word, exit_code, sentence) \
    case CLACK_##name:                               \
        return exit_code;
        CLACK_STATUS_LIST(CLACK_STATUS_CASE)
#undef CLACK_STATUS_CASE
    }
    return 1;
}

const char *clack_status_word(ClackStatus status) {
    switch (status) {
#define CLACK_STATUS_CASE(name, word, exit_code, sentence) \
    case CLACK_##name:                                     \
        return word;
        CLACK_STATUS_LIST(CLACK_STATUS_CASE)
#undef CLACK_STATUS_CASE
    }
    return "unknown";
}

void clack_report_clear(ClackReport *report) {
    for (size_t i = 0; i < report->count; i++) free(report->lines[i]);
    free(report->lines);
    free(report->places);
    *report = (ClackReport){0};
}

ClackStatus report_add_line(ClackReport *report, ClackStatus status, const char *line, const ClackPlace *place) {
    if (report == NULL) return status;
    if (report->status == CLACK_OK) report->status = status; // the status tells even without memory
    const size_t count = report->count, bytes = strlen(line) + 1;
    char **lines = realloc(report->lines, (count + 1) * sizeof *lines);
    if (lines != NULL) report->lines = lines;
    ClackPlace *places = realloc(report->places, (count + 1) * sizeof *places);
    if (places != NULL) report->places = places;
    char *copy = lines == NULL || places == NULL ? NULL : malloc(bytes);
    if (copy == NULL) return status;
    memcpy(copy, line, bytes);
    lines[count] = copy;
    places[count] = *place;
    report->count++;
    return status;
}

static ClackStatus report_print(ClackReport *report, ClackStatus status, const ClackPlace *place, const char *before,
                                const char *format, va_list list) {
    if (report == NULL) return status;
    va_list measure;
    va_copy(measure, list);
    const int length = vsnprintf(NULL, 0, format, measure);
    va_end(measure);
    const size_t bytes = strlen(before) + (length < 0 ? 0 : (size_t)length) + 1;
    char *line = length < 0 ? NULL : malloc(bytes);
    if (line == NULL) {
        if (report->status == CLACK_OK) report->status = status;
        return status;
    }
    strcpy(line, before);
    vsnprintf(line + strlen(before), bytes - strlen(before), format, list);
    report_add_line(report, status, line, place);
    free(line);
    return status;
}

ClackStatus report_add_list(ClackReport *report, ClackStatus status, const char *format, va_list list) {
    static const ClackPlace nowhere = {0};
    return report_print(report, status, &nowhere, "", format, list);
}

void report_warn(ClackReport *report, const char *format, ...) {
    static const char before[] = "warning: ";
    static const ClackPlace nowhere = {.message_at = sizeof before - 1, .is_warning = 1};
    va_list list;
    va_start(list, format);
    report_print(report, CLACK_OK, &nowhere, before, format, list);
    va_end(list);
}

ClackStatus report_add(ClackReport *report, ClackStatus status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    report_add_list(report, status, format, list);
    va_end(list);
    return status;
}

void report_move(ClackReport *from, ClackReport *to) {
    for (size_t i = 0; i < from->count; i++) report_add_line(to, from->status, from->lines[i], &from->places[i]);
    clack_report_clear(from);
}
