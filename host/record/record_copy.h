// The layout of one ensemble file made anew for more scenes, and chunks that go there as they are. Shared by
// record_copy.c, record_raw.c and record_merge.c.
#ifndef CLACK_RECORD_COPY_H
#define CLACK_RECORD_COPY_H

#include "record_internal.h"

// What the rows of a dataset are: its first axis.
typedef enum CopyAxis {
    COPY_NONE,
    COPY_SCENE,
    COPY_FRAMED_SCENE,
    COPY_EVENT,
    COPY_CONTACT,
    COPY_JOINT,
    COPY_TIME,
    COPY_AXES
} CopyAxis;

typedef struct CopyChunk { // of a table of doubles, unpacked
    double *values;        // owned; NULL: there is none yet
    hsize_t start;         // its first row
    bool is_there;
} CopyChunk;

typedef struct CopyColumn { // a dataset whose rows come from several files
    char *path;             // owned
    CopyAxis axis;
    hid_t dataset, type;
    size_t value_bytes;
    int rank;
    hsize_t dims[RECORD_RANK_MAX], block[RECORD_RANK_MAX]; // block: what is copied at once
    CopyChunk chunk;                                       // where the packer takes them: the last one written or read
} CopyColumn;

typedef struct CopyTarget {
    RecordPlace place;
    hid_t file;
    uint64_t scene_first;
    hsize_t lengths[COPY_AXES]; // of the axes, [COPY_NONE] unused
    size_t column_count;
    CopyColumn *columns; // (column_count)
} CopyTarget;

typedef struct CopySources { // two files, which may be the same
    hid_t layout, run;       // the first of the scenes, which has all that later ones have; one of the whole run
    const RecordPlace *layout_place, *run_place;
} CopySources;

/// Make all groups, attributes, axes and datasets of a file in the target's new file, with the target's
/// lengths; what does not belong to a scene is copied whole. What tells of the run (attributes of the root,
/// /provenance) and chunks of tables, which are by how many scenes it asks for, are those of `run`. The attribute
/// `finished` is left out.
ClackStatus record_copy_layout(const CopySources *sources, CopyTarget *target);
/// Open the datasets of a finished target again, for reading.
ClackStatus record_copy_reopen(CopyTarget *target);
/// Close datasets and file. Errors: what could not be read; `status` where that is one already.
ClackStatus record_copy_close(CopyTarget *target, ClackStatus status);
/// The same of the file when it is written, which gets its seal.
ClackStatus record_copy_finish(CopyTarget *target, ClackStatus status);
void record_copy_free(CopyTarget *target);
/// Open a dataset with a cache of several chunks.
hid_t record_copy_open_dataset(hid_t file, const char *path);

// --- chunks as they are (record_raw.c) ------------------------------------------------------------

#define COPY_CHUNK_VALUES (3 * (size_t)RECORD_CHUNK_ROWS_MOST)

typedef struct CopyRoom {  // owned
    void *values, *others; // (bytes) each
    size_t bytes;
} CopyRoom;

/// Make room for two blocks of `bytes`. Errors: CLACK_MEMORY.
ClackStatus record_copy_room(CopyRoom *room, size_t bytes, ClackReport *report);
void record_copy_room_free(CopyRoom *room);

typedef struct RawChunk {
    hid_t source, target;
    const hsize_t *start;     // (rank) in the source
    hsize_t row;              // in the target it lies so many rows further down
    bool compares;            // is the target's the same? else it is written there
    const RecordPlace *place; // the target's
    const char *name;
} RawChunk;

/// Whether a dataset makes the same bytes of a chunk as the target's column: shape, filters with a checksum last, fill
/// value.
bool record_raw_fits(hid_t source, const CopyColumn *column);
/// Rows of the chunks of a table of doubles, where a packer makes and reads them: at most COPY_CHUNK_VALUES values;
/// else 0.
hsize_t record_raw_rows(hid_t dataset, const CopyColumn *column);
/// Whether a block is one chunk in both files, with the same part of it within each.
bool record_raw_is_chunk(const CopyColumn *column, const hsize_t *source_dims, const hsize_t *start,
                         const hsize_t *count, hsize_t row);
/// Write a chunk to the target, or compare it with what is there, byte by byte. *out_is_taken: 0 where this says
/// nothing (no such chunk, a wrong checksum, other bytes) and values have to be read. Errors: CLACK_IO,
/// CLACK_MEMORY.
ClackStatus record_raw_take(const RawChunk *chunk, CopyRoom *room, bool *out_is_taken);

#endif
