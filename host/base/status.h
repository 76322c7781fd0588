// How the library's own files report errors; codes, sentences and the report itself are in clack.h.
#ifndef CLACK_STATUS_H
#define CLACK_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#include "clack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Add a line and return `status`, so that callers can `return report_add(...)`. `report` may be NULL. All lines are
/// kept as texts are shown (text.h): they go to terminals.
ClackStatus report_add(ClackReport *report, ClackStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// The same of a text of several lines, a compiler's log.
ClackStatus report_add_block(ClackReport *report, ClackStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ClackStatus report_add_list(ClackReport *report, ClackStatus status, const char *format, va_list list);
/// Add a line that is no error.
void report_warn(ClackReport *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// A line that is ready, with the places of its parts; CLACK_OK for a warning.
ClackStatus report_add_line(ClackReport *report, ClackStatus status, const char *line, const ClackPlace *place);

/// The lines of a report go to the end of another one, with its status.
void report_move(ClackReport *from, ClackReport *to);

#ifdef __clang_analyzer__ // does not look into status.c, and would take what is reported for a success
#define report_add(report, status, ...) (report_add(report, status, __VA_ARGS__), status)
#endif

/// Return early with the status of a failed call.
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        ClackStatus try_status = (call);                                                                               \
        if (try_status != CLACK_OK) return try_status;                                                                 \
    } while (0)

/// Leave through `cleanup:` with `status` set when a call fails.
#define TRY_CLEAN(call)                                                                                                \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != CLACK_OK) goto cleanup;                                                                          \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
