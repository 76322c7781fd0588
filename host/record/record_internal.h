// Shared by the files of record: the field table, the open file, and checked calls of HDF5.
#ifndef CLACK_RECORD_INTERNAL_H
#define CLACK_RECORD_INTERNAL_H

#include <hdf5.h>
#include <stdbool.h>

#include "record.h"
#include "record_read.h"
#include "result.h"

#define RECORD_FORMAT "clack ensemble"
#define RECORD_FORMAT_VERSION 2
#define RECORD_FORMAT_OLDEST 1                  // that is read
#define RECORD_CONTACTS_FORMAT "clack contacts" // of `clack evaluate`
#define RECORD_CONTACTS_FORMAT_VERSION 2
#define RECORD_ROLE_QUANTITY "quantity" // attribute `role` of the datasets of quantities

// Values handled at once, so that memory does not grow with the number of scenes: 1 MiB of doubles.
#define RECORD_BLOCK_VALUES 131072u
#define RECORD_CHUNK_SCENES 65536u
// Rows of the chunks of tables: as many as dask likes where there may be so many, few where there are few scenes, of
// which each chunk would take compressing and memory for nothing.
#define RECORD_CHUNK_ROWS_LEAST 16384u
#define RECORD_CHUNK_ROWS_MOST 262144u
#define RECORD_ROWS_PER_SCENE 8u // that are expected
#define RECORD_RANK_MAX 4
#define RECORD_FRAME_FIELDS 4 // of the field table

// --- the field table (record_fields.c) ----------------------------------------------------------

typedef enum RecordType { RECORD_U8, RECORD_I32, RECORD_U32, RECORD_F64 } RecordType;

typedef enum RecordShape {
    RECORD_SCENE,       // [scene], in /
    RECORD_EVENT,       // [event], in /events
    RECORD_EVENT_XYZ,   // [event, xyz]
    RECORD_CONTACT,     // [contact], in /contacts
    RECORD_CONTACT_XYZ, // [contact, xyz]
    RECORD_REGION,      // [contact], where contacts are regions of surfaces
    RECORD_JOINT,       // [joint_row], in /joints
    RECORD_JOINT_XYZ,   // [joint_row, xyz]
    RECORD_FRAME_XYZ,   // [recorded, time, body, xyz], in /trajectory
    RECORD_FRAME_QUAT   // [recorded, time, body, quat]
} RecordShape;

// What a value of a field is taken from; only what the field's shape needs is set.
typedef struct RecordRow {
    const Scene *scene;
    const Progress *progress;
    const Event *event;
    const ContactRow *contact; // or a joint
    uint64_t scene_number;
    const UserState *state;
} RecordRow;

// Values pass as doubles, which hold every u32 exactly; HDF5 converts them to the type of the dataset.
typedef struct RecordField {
    const char *name;
    RecordType type;
    RecordShape shape;
    const char *unit;
    const char *sentence;
    void (*get)(const RecordRow *row, double *out_values); // (record_field_components)
} RecordField;

/// What stands in a field of a scene that was not run: NaN, or 0 of integers; of `status`, not_run.
double record_field_fill(const RecordField *field);

extern const RecordField record_fields[];
extern const size_t record_field_count;
#define RECORD_FIELD_STATUS 0 // index of the field `status`
/// Last axis of a shape: 1, 3 (xyz) or 4 (quat).
uint32_t record_shape_components(RecordShape shape);

typedef struct RecordCode { // a status, a flag or the kind of an event
    uint32_t value;
    const char *name;
} RecordCode;

typedef struct RecordCodeList {
    const RecordCode *codes; // (count)
    size_t count;
} RecordCodeList;

extern const RecordCodeList record_statuses, record_flags, record_event_kinds;

/// Whether netCDF takes this as the name of a dataset.
bool record_name_is_legal(const char *name);

// --- checked calls of HDF5 (record_hdf5.c) --------------------------------------------------------

// Where errors go: the file they speak of, and the status they have.
typedef struct RecordPlace {
    const char *path;
    ClackStatus status; // CLACK_IO when writing, CLACK_CORRUPT when reading
    ClackReport *report;
} RecordPlace;

typedef struct DatasetSpec {
    hid_t parent;
    const char *name;
    RecordType type;
    int rank;
    hsize_t dims[RECORD_RANK_MAX];
    hsize_t chunk[RECORD_RANK_MAX]; // chunk[0] 0: contiguous
    bool is_extendible[RECORD_RANK_MAX];
    hid_t scales[RECORD_RANK_MAX]; // 0: no scale on this axis
    double fill;
    bool has_fill_attribute; // tells netCDF readers that `fill` means "missing"
    size_t cache_bytes;      // 0: HDF5's default
    const char *unit;        // NULL: no attribute
    const char *sentence;
} DatasetSpec;

/// A column of a table that grows along `axis`, in chunks of RECORD_CHUNK_ROWS_LEAST: numbers, or vectors along
/// `letters`. Unit and sentence are the caller's.
DatasetSpec record_h5_column(hid_t parent, const char *name, RecordType type, hid_t axis, hid_t letters,
                             bool is_vector);

/// HDF5 prints nothing from here on; its reasons go into reports.
void record_h5_quiet(void);
/// CLACK_MEMORY where there is not enough of it for HDF5, which crashes when it gets none.
ClackStatus record_h5_room(const RecordPlace *place);
/// "path: cannot <action> <name>: <HDF5's innermost reason>".
ClackStatus record_h5_failed(const RecordPlace *place, const char *action, const char *name);
ClackStatus record_h5_create_file(const RecordPlace *place, hid_t *out_file);
/// Open a file for reading. `what` it should be: "an ensemble file". CLACK_IO where the system cannot read
/// it, the place's status where it is no HDF5 file or a damaged one.
ClackStatus record_h5_open_file(const RecordPlace *place, const char *what, hid_t *out_file);
/// Open a finished file to add to it; it has no seal until record_h5_finish_file.
ClackStatus record_h5_open_to_change(const RecordPlace *place, hid_t *out_file);
/// Close a file and report what could not be written, or was damaged when it was read, even where HDF5 went on without
/// it. Returns `status` where that is an error already. (record_disk.c)
ClackStatus record_h5_close_file(const RecordPlace *place, hid_t file, ClackStatus status);
/// The same of a file that was written, which is then sealed (record_seal.c) and flushed to the disk.
ClackStatus record_h5_finish_file(const RecordPlace *place, hid_t file, ClackStatus status);
/// CLACK_OK, or what record_h5_close_file would report now.
ClackStatus record_h5_check_file(const RecordPlace *place, hid_t file);
/// Close a file that is given up: nothing more is written.
void record_h5_drop_file(hid_t file);
/// Whether the bytes of an open file are compared with its seal before HDF5 sees them. Errors: the place's, where what
/// lies behind the end of HDF5's bytes is no whole seal.
ClackStatus record_h5_is_sealed(const RecordPlace *place, hid_t file, bool *out_is_sealed);
/// Whether HDF5 can read all of an open file without a seal: it crashes on some damaged ones, so another process tries
/// first (record_check.c). Errors: the place's; CLACK_MEMORY.
ClackStatus record_probe(const RecordPlace *place, hid_t file);
/// Close an object of a file that is written: only now may the last of it fail. Returns `status` where that is an error
/// already. `id` < 0: there is none.
ClackStatus record_h5_close(const RecordPlace *place, hid_t id, const char *name, ClackStatus status);
ClackStatus record_h5_group(const RecordPlace *place, hid_t parent, const char *name, hid_t *out_group);
ClackStatus record_h5_text(const RecordPlace *place, hid_t object, const char *name, const char *text);
/// Attribute of numbers; `count` 0 makes a scalar of one value.
ClackStatus record_h5_numbers(const RecordPlace *place, hid_t object, const char *name, RecordType type,
                              const double *values, hsize_t count);
/// New value of an attribute that is there.
ClackStatus record_h5_set_number(const RecordPlace *place, hid_t object, const char *name, double value);
#define RECORD_TEXT_BYTES 4096
/// A text attribute; empty where there is none or it is no fixed-length text of less than RECORD_TEXT_BYTES.
void record_h5_read_text(hid_t object, const char *name, char out_text[RECORD_TEXT_BYTES]);
/// A whole number; false where there is none.
bool record_h5_read_u64(hid_t object, const char *name, uint64_t *out_value);
ClackStatus record_h5_u64(const RecordPlace *place, hid_t object, const char *name, uint64_t value);
ClackStatus record_h5_dataset(const RecordPlace *place, const DatasetSpec *spec, hid_t *out_dataset);
/// Numbers first, first + 1, ... (spec->dims[0]).
ClackStatus record_h5_index(const RecordPlace *place, const DatasetSpec *spec, uint64_t first, hid_t *out_dataset);
/// A dimension scale of them.
ClackStatus record_h5_index_scale(const RecordPlace *place, const DatasetSpec *spec, uint64_t first, hid_t *out_scale);
/// The dimension scale of a table that grows: the numbers of its rows, of which there are none yet. spec: parent, name,
/// chunk and sentence.
ClackStatus record_h5_row_scale(const RecordPlace *place, DatasetSpec spec, hid_t *out_scale);
/// A dimension scale of the letters of "xyz" or "wxyz", by which readers select: texts of one letter each.
ClackStatus record_h5_letter_scale(const RecordPlace *place, hid_t parent, const char *name, const char *letters,
                                   hid_t *out_scale);
/// A vector of strings: texts (spec->dims[0]).
ClackStatus record_h5_strings(const RecordPlace *place, const DatasetSpec *spec, const char *const *texts);
ClackStatus record_h5_make_scale(const RecordPlace *place, hid_t dataset, const char *name);
ClackStatus record_h5_write(const RecordPlace *place, hid_t dataset, const char *name, const hsize_t *start,
                            const hsize_t *count, const double *values);
ClackStatus record_h5_extend(const RecordPlace *place, hid_t dataset, const char *name, hsize_t axis, hsize_t length);
hid_t record_h5_file_type(RecordType type);

// --- chunks packed here (record_chunk.c) ----------------------------------------------------------

typedef struct RecordPacker RecordPacker;
/// Fletcher's checksum as HDF5's filter computes it.
uint32_t record_fletcher32(const void *data, size_t count);
/// A packer of chunks of at most `value_count` values; NULL without memory, or where doubles are not what the file
/// holds.
RecordPacker *record_packer_make(size_t value_count);
void record_packer_free(RecordPacker *packer);
/// Whether a packed chunk ends in its checksum.
bool record_has_its_checksum(const void *chunk, size_t bytes);
/// Write a whole chunk, values (count), at `start` of a dataset of doubles with the filters of record_h5_dataset; false
/// where it cannot be written.
bool record_packer_write(RecordPacker *packer, hid_t dataset, const hsize_t *start, const double *values, size_t count);
/// Read one; false where there is none or it is not whole: HDF5 will tell.
bool record_packer_read(RecordPacker *packer, hid_t dataset, const hsize_t *start, double *values, size_t count);

// --- the open file (record.c, record_batch.c) -----------------------------------------------------

// Tables (record_ragged.c): rows of all scenes one after the other.
enum { RECORD_EVENTS, RECORD_CONTACTS, RECORD_JOINTS, RECORD_TABLES };

// What a table is called in the file: its group and the scale of its rows; in the root, per scene, the first of its
// rows and how many they are.
typedef struct RecordTableNames {
    const char *group, *axis, *first, *count;
} RecordTableNames;
extern const RecordTableNames record_tables[RECORD_TABLES]; // record_offsets.c
#define RECORD_ROLE_ROWS "rows"                             // attribute `role` of what tells where rows stand

typedef struct RecordTable {
    hid_t scale;          // 0: this file has no such table
    hid_t firsts, counts; // per scene; 0: not open, or (counts) a field of the scene
    uint64_t count;       // rows
} RecordTable;

// Kinds of files: they share how they are opened, where they come from, and how they get their name.
typedef struct RecordKind {
    const char *format; // attribute `<prefix>_format`, and `<prefix>_format_version`
    const char *prefix;
    int version;
    ClackStatus (*make_layout)(Record *record, const RecordPlace *place); // groups, axes, empty datasets
    void *context;                                                        // its own
} RecordKind;

struct Record {
    char *path, *part_path;
    const Study *study;
    const RecordKind *kind;
    uint64_t scene_first, scene_count;
    uint64_t scenes_run;                // rows written
    uint64_t trajectory_count;          // scenes with a trajectory: rows of /trajectory
    uint64_t frame_count;               // length of /trajectory/time
    hsize_t chunk_scenes, chunk_frames; // of /trajectory
    bool has_failed;                    // a write failed: the file is worth nothing
    bool owns_part;                     // the file at part_path is ours, and not finished
    hid_t file, provenance;             // 0: not open
    hid_t *fields;                      // (record_field_count), 0 where this file has none
    hid_t *parameters;                  // (parameter_count)
    hid_t *quantities;                  // (quantity_count)
    hid_t time_scale;
    RecordTable tables[RECORD_TABLES];
    hsize_t chunk_rows; // of the tables
    double *
        *pending; // (record_field_count): of doubles of tables the last chunk, while it is not full; NULL: HDF5 has it
    size_t buffer_count;
    double *buffer;       // (buffer_count)
    double *frame_values; // (RECORD_FRAME_FIELDS, buffer_count) of a file with trajectories
    RecordPacker *packer; // of whole chunks; NULL: HDF5 does it
};

/// Everything of the file that is known before the first batch.
ClackStatus record_file_create(Record *record, const RecordProvenance *provenance, const RecordPlace *place);
typedef struct RecordScenes {
    uint64_t first, count;
} RecordScenes;

/// record_open for any kind of file, which must outlive the record; a scene is a row of its first axis.
ClackStatus record_open_kind(const char *path, const Study *study, RecordScenes scenes,
                             const RecordProvenance *provenance, const RecordKind *kind, Record **out_record,
                             ClackReport *report);
/// Axis `body` and the names of the bodies in a group.
ClackStatus record_make_body_axis(const Record *record, const RecordPlace *place, hid_t group, hid_t *out_scale);
/// A dataset of one value per scene in a group, with the field's name, type, unit and sentence.
ClackStatus record_make_scene_vector(const Record *record, const RecordPlace *place, hid_t group, hid_t scene_axis,
                                     const RecordField *field, hid_t *out_dataset);
/// Attributes flag_values or flag_masks (`name`) and flag_meanings: how CF says what a code means.
ClackStatus record_describe_codes(const RecordPlace *place, hid_t dataset, const char *name, RecordType type,
                                  const RecordCodeList *list);
/// Groups, axes and empty datasets of an ensemble (record_layout.c).
ClackStatus record_layout_create(Record *record, const RecordPlace *place);
/// Attributes that say what the codes of a field mean, where it has codes.
ClackStatus record_field_codes(const RecordPlace *place, const RecordField *field, hid_t dataset);
/// Groups, axes and empty datasets of the ragged arrays that the study asks for (record_ragged.c).
ClackStatus record_ragged_create(Record *record, const RecordPlace *place);
/// A batch's rows of them; those of scenes for which was_run (scene_count) is 0 are left out.
ClackStatus record_ragged_write(Record *record, const Batch *batch, const BatchResult *result,
                                const unsigned char *was_run, const RecordPlace *place);
/// First row of each scene in its tables, from the numbers of rows that the file has: they are known when all scenes
/// are written. `compares`: is that what stands there? Errors: the place's; CLACK_INTERNAL or, compared, CLACK_CORRUPT,
/// where the numbers of rows are not those of the tables. (record_offsets.c)
ClackStatus record_offsets_write(const RecordPlace *place, hid_t file, bool compares);
/// Whether a dataset of the root is made by record_offsets_write.
bool record_is_offset(const char *name);
/// Write what is left of rows when all batches are there.
ClackStatus record_ragged_finish(const Record *record, const RecordPlace *place);
/// Frames of `count` scenes of a batch from `first` on, which lie side by side in the file (record_frames.c).
ClackStatus record_frames_write(const Record *record, const Batch *batch, const BatchResult *result, uint32_t first,
                                uint32_t count, const RecordPlace *place);
const char *record_git_commit(void);
/// Whose identity a file has; `place` says which.
ClackStatus record_identity_of_file(const RecordPlace *place, hid_t file, RecordIdentity *out_identity);
/// Open an ensemble file, or a file of contacts, of this version for reading (record_summary.c).
ClackStatus record_open_ensemble(const RecordPlace *place, hid_t *out_file);
ClackStatus record_open_contacts(const RecordPlace *place, hid_t *out_file);
/// Scenes of one chunk of a trajectory: about 1 MiB at most (record_layout.c).
hsize_t record_trajectory_chunk(hsize_t scenes, hsize_t chunk_frames, hsize_t bodies);
/// What the study asks of statistics, so that any file of its scenes knows it (record_statistics.c).
ClackStatus record_statistics_settings(const RecordPlace *place, hid_t provenance, const Study *study);
/// What the analysis of a design of sensitivity has to know (record_sensitivity.c).
ClackStatus record_sensitivity_settings(const RecordPlace *place, hid_t provenance, const Study *study);
/// Texts of a vector of strings of a group, none where there is no such (record_read.c).
void record_texts_read(hid_t group, const char *name, RecordTexts *out_texts);
/// Write a table of results as a group of the file; read one that is there. Errors: those of the place; CLACK_MEMORY.
ClackStatus record_result_write(const RecordPlace *place, hid_t file, const ResultTable *table); // record_result.c
ClackStatus record_result_read(const RecordPlace *place, hid_t file, const ResultSpec *spec, ResultTable *out_table);
#endif
