// Codes, sentences and the report.
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *clack_status_sentence(ClackStatus status) {
    switch (status) {
#define CLACK_STATUS_CASE(name, exit_code, sentence) \
    case CLACK_##name:                               \
        return sentence;
        CLACK_STATUS_LIST(CLACK_STATUS_CASE)
#undef CLACK_STATUS_CASE
    }
    return "unknown status";
}

int clack_status_exit_code(ClackStatus status) {
    switch (status) {
#define CLACK_STATUS_CASE(name, exit_code, sentence) \
    case CLACK_##name:                               \
        return exit_code;
        CLACK_STATUS_LIST(CLACK_STATUS_CASE)
#undef CLACK_STATUS_CASE
    }
    return 1;
}

void clack_report_clear(ClackReport *report) {
    for (size_t i = 0; i < report->count; i++) free(report->lines[i]);
    free(report->lines);
    *report = (ClackReport){0};
}

ClackStatus report_add_list(ClackReport *report, ClackStatus status, const char *format, va_list list) {
    if (report == NULL) return status;
    va_list measure;
    va_copy(measure, list);
    const int length = vsnprintf(NULL, 0, format, measure);
    va_end(measure);
    char *line = length < 0 ? NULL : malloc((size_t)length + 1);
    char **lines = line == NULL ? NULL : realloc(report->lines, (report->count + 1) * sizeof *lines);
    if (lines == NULL) { // no memory for the text: the status still tells
        free(line);
        if (report->status == CLACK_OK) report->status = status;
        return status;
    }
    vsnprintf(line, (size_t)length + 1, format, list);
    if (report->status == CLACK_OK) report->status = status;
    report->lines = lines;
    report->lines[report->count++] = line;
    return status;
}

ClackStatus report_add(ClackReport *report, ClackStatus status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    report_add_list(report, status, format, list);
    va_end(list);
    return status;
}
