// What study the scenes of a file are of, and whether two files are of studies that differ in nothing but the number of
// samples: then a scene of one number is the same one in both, and one of them can be extended by the other.
#ifndef CLACK_RECORD_ORIGIN_H
#define CLACK_RECORD_ORIGIN_H

#include "record.h"
#include "record_read.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RecordOrigin {
    char *design; // as a study names it, owned
    char *text;   // of the study, (text_bytes), owned
    size_t text_bytes;
    char *overrides;  // "path=value", a line for each; owned
    char *input;      // name of the study's file, owned
    RecordTexts sums; // SHA-256 of all files that it was read from, the study's first
} RecordOrigin;

/// Errors: CLACK_CORRUPT, CLACK_IO, CLACK_MEMORY.
ClackStatus record_origin_of_file(const char *path, RecordOrigin *out_origin, ClackReport *report);
ClackStatus record_origin_of_study(const Study *study, RecordOrigin *out_origin, ClackReport *report);
void record_origin_free(RecordOrigin *origin);
/// CLACK_CORRUPT with what differs between two studies but their number of samples, which may differ where scenes do
/// not depend on it. The report may be NULL. Errors: CLACK_MEMORY.
ClackStatus record_origin_compare(const RecordOrigin *first, const char *first_name, const RecordOrigin *second,
                                  const char *second_name, ClackReport *report);

typedef struct RecordBase { // a finished file that is to be extended
    uint64_t scenes;        // that it has, from 0 on
    uint64_t wanted;        // that its study asked for: more where that said when it has enough
    RecordIdentity identity;
} RecordBase;

/// Errors: CLACK_CORRUPT (a part of a run, scenes that were not run, a verification; another study, or written by
/// another version), CLACK_IO, CLACK_MEMORY.
ClackStatus record_base_read(const char *path, const Study *study, RecordBase *out_base, ClackReport *report);
void record_base_free(RecordBase *base);

#ifdef __cplusplus
}
#endif
#endif
