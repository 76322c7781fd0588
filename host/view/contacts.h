// Contacts of a scene at the times at which they were recorded.
#ifndef CLACK_CONTACTS_H
#define CLACK_CONTACTS_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ContactRows { // of one scene, by time; arrays owned
    uint64_t scene;
    size_t count;
    double *time_s, *body_a, *body_b, *shape_a, *shape_b; // (count)
    double *penetration_m, *normal_N;                     // (count)
    double *tangential_N, *point_m, *normal;              // (count, 3): friction on body B; from A to B
} ContactRows;

/// Contacts of a scene; `scene` < 0: of the first that has any. On success to be freed with contacts_free.
/// Errors: CLACK_USAGE (the file has none; this scene has none), those of reading.
ClackStatus contacts_read(const Ensemble *ensemble, int64_t scene, ContactRows *out_rows, ClackReport *report);
void contacts_free(ContactRows *rows);

typedef struct ContactSpan {
    double body_a, body_b, begin_s, end_s;
    double mean_N; // normal force in the mean over that time
} ContactSpan;

/// Contacts of a scene that began and ended, one point of two shapes each; `*out_spans` (out_count) is freed by the
/// caller. None where the file has no events. Errors: those of reading, CLACK_MEMORY.
ClackStatus contacts_spans(const Ensemble *ensemble, uint64_t scene, ContactSpan **out_spans, size_t *out_count,
                           ClackReport *report);

/// Whether the study of the file recorded contacts.
int contacts_are_there(const Ensemble *ensemble);

#ifdef __cplusplus
}
#endif
#endif
