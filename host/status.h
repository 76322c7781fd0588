// Codes and sentences of everything that can go wrong, and the report that says it once.
#ifndef CLACK_STATUS_H
#define CLACK_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// ENTRY(name, exit code of the program, sentence)
#define CLACK_STATUS_LIST(ENTRY)                                                          \
    ENTRY(OK, 0, "no error")                                                              \
    ENTRY(INTERNAL, 1, "internal error")                                                  \
    ENTRY(MEMORY, 1, "out of memory")                                                     \
    ENTRY(USAGE, 2, "wrong use of the command line")                                      \
    ENTRY(STUDY, 3, "invalid study")                                                      \
    ENTRY(IO, 4, "input or output failed")                                                \
    ENTRY(DEVICE, 5, "the device failed")                                                 \
    ENTRY(FAILED_SCENES, 6, "more scenes failed than allowed")                            \
    ENTRY(CORRUPT, 7, "corrupt input or ensemble")                                        \
    ENTRY(INTERRUPTED, 130, "interrupted")

typedef enum ClackStatus {
#define CLACK_STATUS_ENUM(name, exit_code, sentence) CLACK_##name,
    CLACK_STATUS_LIST(CLACK_STATUS_ENUM)
#undef CLACK_STATUS_ENUM
} ClackStatus;

/// The sentence of a status; never NULL.
const char *clack_status_sentence(ClackStatus status);
/// The exit code the program uses for a status.
int clack_status_exit_code(ClackStatus status);

/// What went wrong: a status and one or more lines of text, each complete in itself
/// ("study.yaml:14:22: scene.pairs[0].friction: expected ..., found ...").
typedef struct ClackReport {
    ClackStatus status; // of the first line
    size_t count;       // lines
    char **lines;       // (count), owned
} ClackReport;

/// Free what the report owns and make it empty again.
void clack_report_clear(ClackReport *report);

/// Add a line and return `status`, so that callers can `return report_add(...)`. `report` may be NULL.
ClackStatus report_add(ClackReport *report, ClackStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ClackStatus report_add_list(ClackReport *report, ClackStatus status, const char *format, va_list list);

/// Return early with the status of a failed call.
#define TRY(call)                                   \
    do {                                            \
        ClackStatus try_status = (call);            \
        if (try_status != CLACK_OK) return try_status; \
    } while (0)

/// Leave through `cleanup:` with `status` set when a call fails.
#define TRY_CLEAN(call)                     \
    do {                                    \
        status = (call);                    \
        if (status != CLACK_OK) goto cleanup; \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
