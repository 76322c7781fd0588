// The layout of one ensemble file made anew for more scenes. Shared by record_copy.c and record_merge.c.
#ifndef CLACK_RECORD_COPY_H
#define CLACK_RECORD_COPY_H

#include "record_internal.h"

// What the rows of a dataset are: its first axis.
typedef enum CopyAxis { COPY_NONE, COPY_SCENE, COPY_FRAMED_SCENE, COPY_EVENT, COPY_CONTACT, COPY_TIME, COPY_AXES } CopyAxis;

typedef struct CopyColumn { // a dataset whose rows come from several files
    char *path;             // owned
    CopyAxis axis;
    hid_t dataset, type;
    size_t value_bytes;
    int rank;
    hsize_t dims[RECORD_RANK_MAX], block[RECORD_RANK_MAX]; // block: what is copied at once
} CopyColumn;

typedef struct CopyTarget {
    RecordPlace place;
    hid_t file;
    uint64_t scene_first;
    hsize_t lengths[COPY_AXES]; // of the axes, [COPY_NONE] unused
    size_t column_count;
    CopyColumn *columns; // (column_count)
} CopyTarget;

/// Make all groups, attributes, axes and datasets of `source` in the target's new file, with the target's
/// lengths; what does not belong to a scene is copied whole. The attribute `finished` is left out.
ClackStatus record_copy_layout(const RecordPlace *from, hid_t source, CopyTarget *target);
/// Open the datasets of a finished target again, for reading.
ClackStatus record_copy_reopen(CopyTarget *target);
void record_copy_close(CopyTarget *target); // datasets and file
void record_copy_free(CopyTarget *target);
/// Open a dataset with a cache of several chunks.
hid_t record_copy_open_dataset(hid_t file, const char *path);

#endif
