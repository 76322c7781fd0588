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

ClackStatus report_add_list(ClackReport *report, ClackStatus status, const char *format, va_list list) {
    static const ClackPlace nowhere = {0};
    if (report == NULL) return status;
    va_list measure;
    va_copy(measure, list);
    const int length = vsnprintf(NULL, 0, format, measure);
    va_end(measure);
    char *line = length < 0 ? NULL : malloc((size_t)length + 1);
    if (line == NULL) {
        if (report->status == CLACK_OK) report->status = status;
        return status;
    }
    vsnprintf(line, (size_t)length + 1, format, list);
    report_add_line(report, status, line, &nowhere);
    free(line);
    return status;
}

ClackStatus report_add(ClackReport *report, ClackStatus status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    report_add_list(report, status, format, list);
    va_end(list);
    return status;
}
