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

/// Whether the study of the file recorded contacts.
int contacts_are_there(const Ensemble *ensemble);

#ifdef __cplusplus
}
#endif
#endif
