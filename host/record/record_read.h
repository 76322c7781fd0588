// An ensemble file, or a file of contacts, open for reading: its datasets as numbers and texts, by their path.
#ifndef CLACK_RECORD_READ_H
#define CLACK_RECORD_READ_H

#include <stdbool.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RecordReader RecordReader;

#define RECORD_AXES_MAX 4

typedef struct RecordAxes {
    uint32_t rank; // 0: a single value
    uint64_t dims[RECORD_AXES_MAX];
} RecordAxes;

typedef struct RecordTexts { // owned; freed by record_texts_free
    size_t count;
    char **items; // (count)
} RecordTexts;

/// Errors: CLACK_IO (missing, not readable), CLACK_CORRUPT (not an ensemble of this version, or damaged).
ClackStatus record_read_open(const char *path, RecordReader **out_reader, ClackReport *report);
/// The same of a file of contacts, as `clack evaluate` writes it.
ClackStatus record_read_open_contacts(const char *path, RecordReader **out_reader, ClackReport *report);
/// Whether a file says that it is such a one; false also where it cannot be read.
bool record_read_is_contacts(const char *path);
void record_read_close(RecordReader *reader); // NULL is allowed
/// Whether all that was read so far was whole, what could not be known otherwise (record_read_has and attributes)
/// included. Errors: CLACK_CORRUPT, CLACK_IO.
ClackStatus record_read_check(const RecordReader *reader, ClackReport *report);
const char *record_read_path(const RecordReader *reader);

/// Whether the file has a dataset or group of this path, such as "trajectory/position".
bool record_read_has(const RecordReader *reader, const char *path);
typedef enum RecordReadTable {
    RECORD_READ_EVENTS,
    RECORD_READ_CONTACTS,
    RECORD_READ_JOINTS,
    RECORD_READ_TRAJECTORY
} RecordReadTable;
/// Path of the numbers of the scenes of a table's rows: "events/scene_number", of version 1 of the format
/// "events/scene".
const char *record_read_scenes(const RecordReader *reader, RecordReadTable table);
/// Datasets of a group in the order in which they were made; none where there is no such group.
ClackStatus record_read_names(const RecordReader *reader, const char *group, RecordTexts *out_names,
                              ClackReport *report);
/// Groups within a group; none where there is no such group.
ClackStatus record_read_groups(const RecordReader *reader, const char *group, RecordTexts *out_names,
                               ClackReport *report);
void record_texts_free(RecordTexts *texts);

/// Errors of these: CLACK_CORRUPT (no such dataset, other data than numbers or texts, damaged), CLACK_MEMORY.
ClackStatus record_read_axes(const RecordReader *reader, const char *path, RecordAxes *out_axes, ClackReport *report);
/// The block of `count` (rank) values from `start` (rank) on.
ClackStatus record_read_block(const RecordReader *reader, const char *path, const uint64_t *start,
                              const uint64_t *count, double *out_values, ClackReport *report);
/// All of a dataset, to be freed by the caller; NULL where it has no value.
ClackStatus record_read_all(const RecordReader *reader, const char *path, RecordAxes *out_axes, double **out_values,
                            ClackReport *report);
ClackStatus record_read_texts(const RecordReader *reader, const char *path, RecordTexts *out_texts,
                              ClackReport *report);

/// An attribute that is a text, to be freed by the caller; "" where there is none, NULL without memory.
char *record_read_attribute(const RecordReader *reader, const char *path, const char *name);
/// An attribute that is one number; false where there is none.
bool record_read_number(const RecordReader *reader, const char *path, const char *name, double *out_value);
bool record_read_u64(const RecordReader *reader, const char *path, const char *name, uint64_t *out_value);

#ifdef __cplusplus
}
#endif
#endif
