// What is reported of a body of a study: where it stands in the file.
#ifndef CLACK_BODY_WARNING_H
#define CLACK_BODY_WARNING_H

#include "status.h"
#include "study_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A warning with the place of a body: "file:line:column: scene.bodies.ball: warning: ...". Once in a report.
void body_warn(const Study *study, uint32_t body, ClackReport *report, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// An error likewise; returns CLACK_STUDY.
ClackStatus body_error(const Study *study, uint32_t body, ClackReport *report, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#ifdef __cplusplus
}
#endif
#endif
