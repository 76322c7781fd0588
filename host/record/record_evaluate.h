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
/// there are `velocity`, `angular_velocity` [configuration, body, 3], `body_name` [body] and `scene_number`
/// [configuration], in the root, numbers of 64 or 32 bits;
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
/// Numbers of the scenes whose shapes configurations first .. first + count - 1 have; that of record_states_open where
/// the file does not say. Errors: CLACK_CORRUPT.
ClackStatus record_states_scenes(RecordStates *states, uint64_t first, size_t count, uint64_t *out_scenes,
                                 ClackReport *report);
/// Whether the file says that.
bool record_states_have_scenes(const RecordStates *states);
void record_states_close(RecordStates *states); // NULL is allowed

typedef struct RecordContacts RecordContacts; // a file of contacts being written

/// Start a file of contacts in `configuration_count` > 0 configurations, or of pairs of bodies (options->rows); as
/// record_open otherwise. With `has_scenes` it says which scene each configuration is of.
typedef struct RecordContactsSize {
    uint64_t configuration_count;
    bool has_scenes;
} RecordContactsSize;
ClackStatus record_contacts_open(const char *path, const Study *study, RecordContactsSize size,
                                 const ClackEvaluateOptions *options, const RecordProvenance *provenance,
                                 RecordContacts **out_contacts, ClackReport *report);
/// Contacts of the next configurations, which are all of one scene; `pairs`: where the file is of these, else NULL.
/// Errors: CLACK_IO; the file can then only be abandoned.
ClackStatus record_contacts_add(RecordContacts *file, uint64_t scene, const ClackContacts *contacts,
                                const ClackPairs *pairs, ClackReport *report);
/// As record_close and record_abandon; both free the record.
ClackStatus record_contacts_close(RecordContacts *file, const char *finished_utc, ClackReport *report);
void record_contacts_abandon(RecordContacts *file);

#ifdef __cplusplus
}
#endif
#endif
