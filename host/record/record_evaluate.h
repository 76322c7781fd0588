// Files of `clack evaluate`: states of N configurations in, contacts out. Only record*.c include hdf5.h.
#ifndef CLACK_RECORD_EVALUATE_H
#define CLACK_RECORD_EVALUATE_H

#include "evaluate.h"
#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RecordStates RecordStates; // a file of states being read

/// Open a file with `position` [configuration, body, 3] and `orientation` [configuration, body, 4], and if
/// there are `velocity`, `angular_velocity` [configuration, body, 3] and `body_name` [body], in the root;
/// or an ensemble, of which the trajectory of scene number `scene` is taken up to that scene's end.
/// The study must outlive the reader.
/// Errors: CLACK_IO (missing, not readable), CLACK_CORRUPT with every defect of the datasets.
ClackStatus record_states_open(const char *path, const Study *study, uint64_t scene, RecordStates **out_states,
                               ClackReport *report);
uint64_t record_states_count(const RecordStates *states);
/// Configurations first .. first + count - 1: out_states (count, body_count).
/// Errors: CLACK_CORRUPT (which number is not finite, which quaternion is zero), CLACK_MEMORY.
ClackStatus record_states_read(RecordStates *states, uint64_t first, size_t count, UserState *out_states,
                               ClackReport *report);
void record_states_close(RecordStates *states); // NULL is allowed

typedef struct RecordContacts RecordContacts; // a file of contacts being written

/// Start a file of contacts in `configuration_count` > 0 configurations; as record_open otherwise.
ClackStatus record_contacts_open(const char *path, const Study *study, uint64_t configuration_count,
                                 const ClackEvaluateOptions *options, const RecordProvenance *provenance,
                                 RecordContacts **out_contacts, ClackReport *report);
/// Contacts of the next configurations. Errors: CLACK_IO; the file can then only be abandoned.
ClackStatus record_contacts_add(RecordContacts *file, const ClackContacts *contacts, ClackReport *report);
/// As record_close and record_abandon; both free the record.
ClackStatus record_contacts_close(RecordContacts *file, const char *finished_utc, ClackReport *report);
void record_contacts_abandon(RecordContacts *file);

#ifdef __cplusplus
}
#endif
#endif
