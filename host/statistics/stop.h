// When a run has scenes enough: as soon as the intervals that the study names are narrow enough. Decided at numbers of
// scenes that depend on nothing but the study, so that any run of it ends with the same scenes.
#ifndef CLACK_STOP_H
#define CLACK_STOP_H

#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Stop Stop; // what has come so far

/// Of a study that asks for it. The study must outlive it. Errors: CLACK_MEMORY.
ClackStatus stop_open(const Study *study, Stop **out_stop, ClackReport *report);
void stop_close(Stop *stop); // NULL is allowed

/// The next `count` scenes, in their order: values (count, quantity_count of the study), statuses (count).
/// *out_taken: of them, so many belong to the run; *out_is_reached: it ends with the last of these.
/// Errors: CLACK_MEMORY.
ClackStatus stop_take(Stop *stop, const double *quantities, const uint32_t *statuses, uint32_t count,
                      uint32_t *out_taken, int *out_is_reached, ClackReport *report);

#define STOP_TEXT_BYTES 512
/// One line: every width as it was at the last check, and what it should be.
void stop_print(const Stop *stop, char out_text[STOP_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
