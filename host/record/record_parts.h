// Where the scenes of a merged file come from: a row for each part that was run by itself.
#ifndef CLACK_RECORD_RECORD_PARTS_H
#define CLACK_RECORD_RECORD_PARTS_H

#include "record_internal.h"

enum {
    RECORD_PART_HOST,
    RECORD_PART_DEVICE,
    RECORD_PART_DRIVER,
    RECORD_PART_STARTED,
    RECORD_PART_FINISHED,
    RECORD_PART_COMMAND,
    RECORD_PART_TEXTS
};

typedef struct RecordPart {
    uint64_t first, count; // scenes
    char *texts[RECORD_PART_TEXTS];
} RecordPart;

typedef struct RecordParts { // all zero: none
    RecordPart *rows;        // (count), by scene
    size_t count;
} RecordParts;

/// Add what the provenance of an open ensemble with these scenes says, or the rows that it has of its own parts. Files
/// are given by scene; those that go on with the one before, of the same run on the same machine, are one row.
/// Errors: the place's, CLACK_MEMORY.
ClackStatus record_parts_add(RecordParts *parts, const RecordPlace *place, hid_t file, uint64_t first, uint64_t count);
/// Write /provenance/parts of a file, where there are several. Errors: the place's.
ClackStatus record_parts_write(const RecordParts *parts, const RecordPlace *place, hid_t file);
void record_parts_free(RecordParts *parts);

#endif
