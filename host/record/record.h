// Records -> HDF5, one field table (record_fields.c); only record*.c include hdf5.h.
#ifndef CLACK_RECORD_H
#define CLACK_RECORD_H

#include <stdbool.h>

#include "digest.h"
#include "quantity.h"
#include "result.h"
#include "stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Record Record; // an ensemble file being written

typedef struct RecordProvenance { // strings may be NULL
    const char *command_line;
    const char *device_name, *platform, *driver, *build_options, *arithmetic;
    const char *started_utc; // ISO 8601
    uint32_t lanes;          // work-items that share a scene; 0: of no run, and not told
    uint32_t queue_items;    // DeviceItems.queue
    // Of a run that was resumed, as they were called when it began; NULL: the study's own.
    const char *title;
    const char *const *input_names; // (study.input_count)
} RecordProvenance;

/// Start an ensemble file for `scene_count` > 0 scenes with numbers from `scene_first` on. It is written
/// as "<path>.part" and gets its name when closed. The study must outlive the record.
/// Errors: CLACK_IO with the path and the reason, CLACK_STUDY (a name that a dataset cannot have),
/// CLACK_MEMORY.
ClackStatus record_open(const char *path, const Study *study, uint64_t scene_first, uint64_t scene_count,
                        const RecordProvenance *provenance, Record **out_record, ClackReport *report);

/// Write a finished batch: parameters (scene_count, parameter_count), quantities (scene_count,
/// quantity_count). Scenes that were interrupted are left out: their rows stay not_run and NaN.
/// Errors: CLACK_IO; the record can then only be abandoned.
ClackStatus record_batch(Record *record, const Batch *batch, const BatchResult *result, const double *parameters,
                         const double *quantities, ClackReport *report);

/// Finish: attribute `complete` says whether every scene was run; rename to the final name. Frees the
/// record in any case; on an error there is no new file, and one that was there before is untouched.
/// `record` may be NULL.
ClackStatus record_close(Record *record, const char *finished_utc, ClackReport *report);

/// Cut the file to its first `scene_count` > 0 scenes, those that were written; and name it differently.
/// Errors: CLACK_IO, CLACK_MEMORY; the record can then only be abandoned.
ClackStatus record_trim(Record *record, uint64_t scene_count, ClackReport *report);
ClackStatus record_set_path(Record *record, const char *path, ClackReport *report);

/// Leave without a file: removes the partial one.
void record_abandon(Record *record);

/// Names of STATUS_*, EVENT_* and FLAG_* as in the file: "not_finite"; "unknown" for a value without one.
const char *record_status_name(uint32_t status);
const char *record_event_name(uint32_t kind);
const char *record_flag_name(uint32_t flag);

/// What it means and what to do about it, in one sentence; "" for a value without one.
const char *record_status_sentence(uint32_t status);
const char *record_flag_sentence(uint32_t flag);

/// Unit of a parameter from the numbers it fills; "" where they differ or there is none.
const char *record_parameter_unit(const Study *study, uint32_t parameter);

// --- scenes of several files in one ---------------------------------------------------------------

/// What ensembles must have in common for their scenes to go into one: study, version, arithmetic; as text.
#define RECORD_IDENTITY_FACTS 11
#define RECORD_IDENTITY_FORMAT "ensemble_format_version" // of the facts; manifests of version 1 have none
#define RECORD_IDENTITY_SCENES 5                         // of the facts: how many scenes the study has
typedef struct RecordIdentity {
    char *values[RECORD_IDENTITY_FACTS]; // owned
} RecordIdentity;
extern const char *const record_identity_names[RECORD_IDENTITY_FACTS];

/// The identity of files that would be written now. Errors: CLACK_MEMORY.
ClackStatus record_identity_of_run(const Study *study, const RecordProvenance *provenance, RecordIdentity *out_identity,
                                   ClackReport *report);
void record_identity_free(RecordIdentity *identity);
/// Is an ensemble file of this study, with these overrides and this seed? CLACK_CORRUPT with a line for each that is
/// another. Errors: CLACK_IO, CLACK_MEMORY.
ClackStatus record_identity_check_study(const Study *study, const char *path, ClackReport *report);
/// The identity of an ensemble file. Errors: CLACK_CORRUPT, CLACK_IO, CLACK_MEMORY.
ClackStatus record_identity_read(const char *path, RecordIdentity *out_identity, ClackReport *report);
/// CLACK_CORRUPT with a line for each fact in which the second differs.
ClackStatus record_identity_compare(const RecordIdentity *first, const char *first_name, const RecordIdentity *second,
                                    const char *second_name, ClackReport *report);

/// The same of some facts: which program, with which seed; which device, with which kernels.
enum { RECORD_FACTS_STUDY = 1, RECORD_FACTS_VERSION = 2, RECORD_FACTS_DEVICE = 4 };
ClackStatus record_identity_compare_some(const RecordIdentity *first, const char *first_name,
                                         const RecordIdentity *second, const char *second_name, unsigned facts,
                                         ClackReport *report);
/// "path=value" of all overrides, a line for each; NULL without memory.
char *record_overrides(const Study *study);

typedef struct RecordMerge {
    const char *const *paths; // (count) > 0: ensembles, in any order
    size_t count;
    uint64_t first, end; // scenes of the file that is made; end 0: all of the study
    bool allows_gaps;    // scenes that no file has stay not_run
} RecordMerge;

/// Write all scenes of several ensembles into one file at `path`, read it back and compare, and flush it to the
/// disk. *out_scenes: how many there were.
/// Errors: CLACK_CORRUPT (files that are no ensembles or differ in identity, scenes that are missing or there
/// twice, a file that does not read back), CLACK_IO, CLACK_MEMORY; there is no file at `path` then.
ClackStatus record_merge(const char *path, const RecordMerge *merge, uint64_t *out_scenes, ClackReport *report);

/// SHA-256 of a file as 64 hexadecimal digits, and its size. Errors: CLACK_IO, CLACK_MEMORY.
ClackStatus record_file_sha256(const char *path, char out_hex[DIGEST_HEX_BYTES], uint64_t *out_bytes,
                               ClackReport *report);

/// Values of a study's quantities (count, quantity_count) and statuses (count) of the scenes of one of its files; to be
/// freed by the caller in any case. Errors: CLACK_CORRUPT, CLACK_MEMORY.
ClackStatus record_rows_read(const char *path, const Study *study, double **out_quantities, uint32_t **out_statuses,
                             uint32_t *out_count, ClackReport *report);
/// Whether a whole ensemble reads back: every object, value and chunk of it, by its checksums.
/// Errors: CLACK_CORRUPT, CLACK_IO, CLACK_MEMORY.
ClackStatus record_check(const char *path, ClackReport *report);
/// A text attribute of /provenance of a finished file, which replaces one of its name. Errors: CLACK_IO.
ClackStatus record_note(const char *path, const char *name, const char *text, ClackReport *report);

// --- statistics -------------------------------------------------------------------------------------

typedef struct EnsembleStatistics {
    ResultTable statistics;  // statistics.h
    ResultTable sensitivity; // sensitivity.h; spec NULL where the design is not for it
    ResultTable fit;         // fit.h; spec NULL where no share is compared with measured ones
} EnsembleStatistics;

/// Add the groups /statistics, /sensitivity and /fit to a finished ensemble file whose study asks for them, and flush
/// it to the disk; one with fewer than 2 scenes gets none. Errors: CLACK_IO, CLACK_DEVICE, CLACK_MEMORY.
ClackStatus record_statistics_add(const char *path, ClackReport *report);
/// The statistics of a file: those that are in it, or computed from its rows; with `device` (as of --device; NULL:
/// none) always computed, products of matrices there. To be freed by the caller. Errors: CLACK_IO, CLACK_CORRUPT,
/// CLACK_USAGE (no such device), CLACK_DEVICE, CLACK_MEMORY.
ClackStatus record_statistics(const char *path, const char *device, EnsembleStatistics *out_statistics,
                              ClackReport *report);
void record_statistics_free(EnsembleStatistics *statistics);
/// As clack_verification_record says.
ClackStatus record_verification(const Study *study, const ClackVerification *verification, const char *path,
                                ClackReport *report);
/// SHA-256 of the study's files, one after the other, as 64 hexadecimal digits. Errors: CLACK_MEMORY.
ClackStatus record_study_sha256(const Study *study, char out_hex[DIGEST_HEX_BYTES], ClackReport *report);

// --- what a file holds ------------------------------------------------------------------------------

typedef struct RecordBytes {                             // of a file before compression
    uint64_t scenes, parameters, trajectory, provenance; // groups; scenes: datasets of the root
    uint64_t event, contact;                             // each row of the tables of events, recorded contacts
} RecordBytes;

/// What a file for these scenes will hold, the few bytes of short axes and attributes left out.
void record_bytes(const Study *study, uint64_t scene_first, uint64_t scene_count, RecordBytes *out_bytes);

#define RECORD_KIND_SHARE "share" // attribute `kind` of quantities that are 0 or 1

typedef struct RecordFact { // of the provenance
    const char *name;
    char *value; // owned; empty where the file does not tell
} RecordFact;
#define RECORD_FACTS 10
#define RECORD_FLAGGED_SHOWN 8

typedef struct RecordVector { // a parameter or a quantity; texts owned
    char *name, *unit, *distribution;
    uint64_t count; // values that are not NaN; where there are none, the numbers say nothing
    double lowest, highest, mean;
    bool is_force_by; // a net_force on one of two by the other
} RecordVector;

typedef struct RecordDataset {
    char *path; // owned
    uint32_t rank;
    uint64_t dims[32];
} RecordDataset;

typedef struct RecordSummary {
    char *title, *source; // owned
    uint64_t format;      // its version
    uint64_t scene_count, is_complete;
    double scene_first, scene_last;
    uint64_t by_status[256], by_flag[32];
    uint64_t flagged_rows[32][RECORD_FLAGGED_SHOWN]; // the first scenes with the flag, from 0; by_flag of them
    RecordFact facts[RECORD_FACTS];
    bool has_seed;
    bool tells_end; // some quantity is that of the end of a scene
    uint64_t seed;
    size_t parameter_count, quantity_count, dataset_count;
    RecordVector *parameters, *quantities; // owned
    RecordDataset *datasets;               // owned
} RecordSummary;

/// Read what an ensemble file holds; on success to be freed with record_summary_free.
/// Errors: CLACK_IO (missing, not readable), CLACK_CORRUPT (not an ensemble file, or damaged).
ClackStatus record_summary(const char *path, RecordSummary *out_summary, ClackReport *report);
void record_summary_free(RecordSummary *summary);

/// Flags, how many scenes have each, and the numbers of the first that do (not of those frozen at rest, which is no
/// cause for doubt): "energy_drift 2 (scenes 7, 9), frozen 4096"; "none".
void record_print_flags(const RecordSummary *summary, char *text, size_t text_bytes);
/// Unit as people read it: that of numbers without one, "1" in files, is nothing.
const char *record_unit_shown(const char *unit);

/// What `clack info` prints: that summary as text owned by the caller. Errors: as record_summary's.
ClackStatus record_describe(const char *path, char **out_text, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
