// clack: batches of contact simulations. The library's whole public surface; it needs no other header.
#ifndef CLACK_H
#define CLACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLACK_VERSION "0.2.0"
// What a shared library shows; everything else is hidden.
#define CLACK_API __attribute__((visibility("default")))

// --- structs and versions -------------------------------------------------------------------------
// A program runs with every later library of the same soname. So that structs can grow at their ends:
// - One whose first member is `size` is made by the caller, which sets it: `ClackRunOptions options =
//   CLACK_SIZED(ClackRunOptions);`, in C also `{.size = sizeof options, .no_file = 1}`. All else in it may be 0, which
//   is every default. What lies beyond `size` is 0 for the library, and not written by it. CLACK_USAGE: a size that
//   cannot be, or a member that is not 0 and that the library does not know yet.
// - One that the library makes (ClackBatch, ClackProgress, ClackDeviceInfo) is read by pointer and not copied.
// - All others, rows of arrays among them, stay as they are.

#ifdef __cplusplus
#define CLACK_SIZED(type) clack_sized<type>()
#else
#define CLACK_SIZED(type)                                                                                              \
    { .size = sizeof(type) }
#endif

// --- errors -------------------------------------------------------------------------------------

// ENTRY(name, word, exit code of the program, sentence)
#define CLACK_STATUS_LIST(ENTRY)                                                                                       \
    ENTRY(OK, "ok", 0, "no error")                                                                                     \
    ENTRY(INTERNAL, "internal", 1, "internal error")                                                                   \
    ENTRY(MEMORY, "memory", 1, "out of memory")                                                                        \
    ENTRY(USAGE, "usage", 2, "wrong use of the command line")                                                          \
    ENTRY(STUDY, "study", 3, "invalid study")                                                                          \
    ENTRY(IO, "io", 4, "input or output failed")                                                                       \
    ENTRY(DEVICE, "device", 5, "the device failed")                                                                    \
    ENTRY(FAILED_SCENES, "failed_scenes", 6, "more scenes failed than allowed")                                        \
    ENTRY(CORRUPT, "corrupt", 7, "corrupt input or ensemble")                                                          \
    ENTRY(INTERRUPTED, "interrupted", 130, "interrupted")

typedef enum ClackStatus {
#define CLACK_STATUS_ENUM(name, word, exit_code, sentence) CLACK_##name,
    CLACK_STATUS_LIST(CLACK_STATUS_ENUM)
#undef CLACK_STATUS_ENUM
} ClackStatus;

/// The sentence of a status, and its word, such as "failed_scenes"; never NULL.
CLACK_API const char *clack_status_sentence(ClackStatus status);
CLACK_API const char *clack_status_word(ClackStatus status);
/// The exit code the program uses for a status.
CLACK_API int clack_status_exit_code(ClackStatus status);

// Where in a line of a report its parts stand; all 0 where the line speaks of no place in a file.
typedef struct ClackPlace {
    uint32_t file_bytes;             // the line begins with the file's name (or "--set PATH")
    uint32_t line, column;           // from 1; 0: none
    uint32_t key_at, key_bytes;      // of the key path; key_bytes 0: none
    uint32_t message_at, is_warning; // is_warning: the line, "warning: " before its message, is none of the errors
} ClackPlace;

/// What went wrong: a status and lines of text, each complete in itself ("study.yaml:14:22: scene.pairs[0].friction:
/// expected ..., found ..."); warnings are lines too, also where nothing went wrong. Begin with {0}.
typedef struct ClackReport {
    ClackStatus status; // of the first line that is no warning
    size_t count;       // lines
    char **lines;       // (count), owned
    ClackPlace *places; // (count), owned
} ClackReport;

/// Free what the report owns and make it empty again.
CLACK_API void clack_report_clear(ClackReport *report);

// --- studies --------------------------------------------------------------------------------------

typedef struct Study ClackStudy; // of study.h

// One `--set path=value` of the command line, for example "scene.gravity[2]" = "-1.62".
typedef struct ClackStudyOverride {
    const char *path, *value; // value: YAML text
} ClackStudyOverride;

// A file that a study names (a table, a mesh), from memory.
typedef struct ClackStudyFile {
    const char *name, *text; // name: as the study writes it; text: (bytes)
    size_t bytes;
} ClackStudyFile;

// A table that a study names, `design: {table: NAME}`, as numbers.
typedef struct ClackStudyTable {
    const char *name;           // as the study writes it
    const char *const *columns; // (column_count): their names
    const double *values;       // (row_count, column_count), finite; row by row, a scene each
    size_t column_count, row_count;
} ClackStudyTable;

typedef struct ClackStudyOptions {
    size_t size;                         // of this struct
    const ClackStudyOverride *overrides; // (override_count)
    size_t override_count;
    const char *data_dir; // folder of the palettes; NULL: CLACK_DATA_DIR or the installed ones
    const uint64_t *seed; // NULL: the study's own
    const char *text;     // (text_bytes) what the study file holds; NULL: it is read. Other files are beside it
    size_t text_bytes;
    const ClackStudyFile *files; // (file_count): these are taken in place of the files of their names
    size_t file_count;
    const ClackStudyTable *tables; // (table_count): likewise
    size_t table_count;
    int takes_meshes;           // shapes may be meshes as they are, which clack_evaluate takes and one method steps
    int tells_idle;             // warn of keys which the method that is named does not read
    int is_for_poses, reserved; // of clack_evaluate: neither "solver" nor its "end" are needed; 0
    uint64_t samples; // > 0: of the design, in place of the study's, which ClackRunOptions.extends then adds to
} ClackStudyOptions;

/// Read and check a study file; `options` may be NULL. On CLACK_STUDY the report holds all errors found. On success
/// `*out_study` is the caller's, to be freed by clack_study_free. Errors: CLACK_IO (no such file), CLACK_STUDY,
/// CLACK_USAGE (`samples` of a design all of whose scenes depend on their number), CLACK_MEMORY.
CLACK_API ClackStatus clack_study_read(const char *path, const ClackStudyOptions *options, ClackStudy **out_study,
                                       ClackReport *report);
CLACK_API void clack_study_free(ClackStudy *study); // NULL is allowed

CLACK_API uint64_t clack_study_scene_count(const ClackStudy *study);
CLACK_API uint32_t clack_study_parameter_count(const ClackStudy *study);
CLACK_API uint32_t clack_study_quantity_count(const ClackStudy *study);
CLACK_API uint32_t clack_study_body_count(const ClackStudy *study);  // those of `count` and `one_of` all
CLACK_API uint32_t clack_study_joint_count(const ClackStudy *study); // joints, then forces over time
/// Names and units; `index` below the count. The unit of a parameter is "" where it has none of its own.
CLACK_API const char *clack_study_parameter_name(const ClackStudy *study, uint32_t index);
CLACK_API const char *clack_study_parameter_unit(const ClackStudy *study, uint32_t index);
CLACK_API const char *clack_study_quantity_name(const ClackStudy *study, uint32_t index);
CLACK_API const char *clack_study_quantity_unit(const ClackStudy *study, uint32_t index);
CLACK_API const char *clack_study_body_name(const ClackStudy *study, uint32_t index);
CLACK_API const char *clack_study_joint_name(const ClackStudy *study, uint32_t index);
/// Interval of the frames that the study records, s (outputs.trajectory); 0: none.
CLACK_API double clack_study_trajectory_every_s(const ClackStudy *study);
/// Warn of bodies that start deep inside one another (flag deep_start), of the deepest first; not of very many shapes.
/// Errors: CLACK_USAGE (no such scene), CLACK_STUDY, CLACK_MEMORY.
CLACK_API ClackStatus clack_study_check_start(const ClackStudy *study, uint64_t scene, ClackReport *report);
/// Values of all parameters in one scene: out_values (parameter_count). Pure.
CLACK_API void clack_study_sample(const ClackStudy *study, uint64_t scene, double *out_values);

// --- devices --------------------------------------------------------------------------------------

typedef struct ClackDeviceInfo {
    int index; // -1: native
    char platform[128], name[256], driver[128], version[128];
    int is_gpu, has_fp64;
    uint32_t compute_units;
    uint64_t global_memory_bytes, max_allocation_bytes;
    char unusable_because[128];            // empty where the device can be used
    uint32_t warp_items, group_items_most; // work-items that run in step; of one group, at most. 0: not known
    char arithmetic[256]; // "IEEE 754", "not IEEE 754: " and what is wrong, or why it is not known; empty: not measured
} ClackDeviceInfo;

typedef struct ClackSession ClackSession; // devices that stay open, with the kernels that were built for them

/// Calls whose ClackDeviceOptions name the session leave their device open for the next ones that ask for the same
/// device and kinds of shapes, laws and methods (`build_s` tells). Threads have a device each. Errors: CLACK_MEMORY.
CLACK_API ClackStatus clack_session_open(ClackSession **out_session, ClackReport *report);
/// Close the devices that no call uses. The session itself: after all calls and evaluators that use it; or NULL.
CLACK_API void clack_session_release(ClackSession *session);
CLACK_API void clack_session_close(ClackSession *session);

// Kernels as they are compiled for an OpenCL device, which may take minutes.
typedef struct ClackBuild {
    const char *device_name, *cache_folder; // cache_folder: where they are kept; NULL: nowhere, unless by the driver
    double elapsed_s, limit_s;              // limit_s: when they are given up; 0: never
    int is_ended, is_given_up;              // is_ended: the last call; is_given_up: it is, as limit_s are over
    int is_stopped, is_failed; // of the last call: on_build, or a run's stop or time limit, asked; the compiler failed
} ClackBuild;

typedef struct ClackDeviceOptions {
    size_t size;        // of this struct
    const char *choice; // "native", an index of clack_device_list, "gpu", "cpu", "local-rank" (the GPU of this task of
                        // a cluster's node); NULL: a GPU if there is one, else native
    uint32_t threads;   // native: 0 = all cores
    const char *build_options; // extra options of the OpenCL compiler; NULL: none
    int dump_build_log;        // the compiler's log is kept even where it succeeded
    uint32_t lanes;        // work-items per scene in `advance`; 0: 32 for few scenes of many bodies on a GPU, else 1
    uint32_t queue_items;  // OpenCL: work-items of a group that serves scenes from queues, up to 512; 0: no queues
    ClackSession *session; // keeps the device open; NULL: it is closed after the call
    // Called ten times a second while kernels are compiled, by the thread that waits, which may be the library's; not
    // 0: they are left (CLACK_INTERRUPTED). NULL: it waits, as all do up to CLACK_BUILD_LIMIT (environment; 600 s, 0:
    // for ever); then CLACK_DEVICE, or with `choice` NULL native, in later calls too. Of the second build, which a run
    // makes once a scene needs it, CLACK_DEVICE in any case: the batches before are kept for clack_resume. See
    // clack_builds_left.
    int (*on_build)(void *context, const ClackBuild *build);
    void *build_context;
    int allow_inexact, reserved; // 1: a device whose arithmetic is not IEEE 754's too, with a warning; 0. The other: 0
} ClackDeviceOptions;

/// All devices, native first: `*out_infos` (out_count), with what it points at, is released with free().
CLACK_API ClackStatus clack_device_list(ClackDeviceInfo ***out_infos, size_t *out_count, ClackReport *report);
/// The same, with the arithmetic of each device that can be used, which is tried on it. Where this process has not
/// called OpenCL before, a child tries each: one that dies, or takes more than 20 s, is told of and no more.
CLACK_API ClackStatus clack_device_measure(ClackDeviceInfo ***out_infos, size_t *out_count, ClackReport *report);
/// Compilers that were left and are still at work, since nothing ends them. While there are any, leave by _exit: exit
/// runs destructors of the driver under them, which may crash or wait.
CLACK_API uint32_t clack_builds_left(void);

// --- runs -----------------------------------------------------------------------------------------

/// Where a run stands, for progress displays.
typedef struct ClackProgress {
    uint64_t scenes_done, scenes_failed, scenes_total, scenes_kept; // kept: of those done, before it was resumed
    double elapsed_s;
} ClackProgress;

// A body in the user's terms: its body frame, world axes.
typedef struct ClackBodyState {
    double position_m[3];
    double orientation[4]; // w, x, y, z; body frame to world
    double velocity_m_per_s[3];
    double angular_velocity_rad_per_s[3];
} ClackBodyState;

enum { CLACK_EVENT_BEGIN, CLACK_EVENT_END, CLACK_EVENT_REST, CLACK_EVENT_WAKE }; // kinds of events

// What happened: as a row of the ensemble file's group `events`.
typedef struct ClackEvent {
    double time_s;
    double speed_m_per_s;  // closing (begin), separation (end); else 0
    double energy_lost_J;  // over the contact (end); else 0
    double distance_m;     // of the shapes (begin); else NaN
    double stiffness;      // K of the force K penetration^1.5, N/m^1.5; k of a linear law, N/m (begin); else NaN
    double damping;        // d of the factor 1 + d times the closing speed, s/m; c of a linear law, N s/m; else NaN
    double impulse_N_s[3]; // on body_b over the contact (end); else 0
    double position_m[3];  // contact point; centre of mass for rest and wake
    double normal[3];      // unit, from body_a to body_b; 0 for rest and wake
    uint64_t scene_number; // within the study
    uint32_t kind;         // CLACK_EVENT_*
    int32_t body_a, body_b, shape_a, shape_b; // within the scene; for rest and wake one body twice, and -1
    int32_t feature;                          // which of the contacts of the two shapes
} ClackEvent;

// A contact at a recording time, of studies with `outputs.contacts`: as a row of the file's group `contacts`.
typedef struct ClackRecordedContact {
    double time_s;
    double penetration_m, normal_N;            // along the normal: overlap, > 0; force that pushes apart, > 0
    double area_m2;                            // of a contact region, across its normal; 0 of other contacts
    double tangential_N[3], torque_N_m[3];     // on body_b: friction; rolling resistance, about the contact point
    double point_m[3], normal[3];              // contact point; unit, from body_a to body_b
    uint64_t scene_number;                     // within the study
    uint32_t body_a, body_b, shape_a, shape_b; // within the scene
    uint32_t feature, reserved;                // which of the contacts of the two shapes
} ClackRecordedContact;

// A joint or a force over time at these times: as a row of the file's group `joints`.
typedef struct ClackRecordedJoint {
    double time_s;
    double force_N[3];                // on the second body, of a force over time on its body
    double moment_N_m[3], point_m[3]; // on that body, about the point where the force acts
    double coordinate;                // length of a spring, rope or rod, m; angle, rad, or travel, m
    double violation;                 // of its equations, the largest; m or rad
    uint64_t scene_number;            // within the study
    uint32_t joint, reserved;         // clack_study_joint_name
} ClackRecordedJoint;

// Of ClackRunOptions.batch_rows.
enum {
    CLACK_BATCH_EVENTS = 1,
    CLACK_BATCH_CONTACTS = 2,
    CLACK_BATCH_JOINTS = 4,
    CLACK_BATCH_STATES = 8,
    CLACK_BATCH_TRAJECTORY = 16
};

/// A finished batch; what it points at is valid during the call of `on_batch`. Rows are by scene, then as in the file;
/// those of scene i are first_...[i] .. first_...[i + 1] - 1. A scene that was left (status interrupted) has none.
typedef struct ClackBatch {
    uint32_t scene_count, body_count;
    const uint64_t *scene_numbers; // (scene_count): within the study
    const uint32_t *statuses;      // (scene_count): 0 ok, else clack_scene_status_name says
    const uint32_t *flags;         // (scene_count): bits, clack_scene_flag_name says
    const double *parameters;      // (scene_count, parameter_count)
    const double *quantities;      // (scene_count, quantity_count)
    // Where ClackRunOptions.batch_rows asks for them; else NULL.
    const size_t *first_event, *first_contact, *first_joint; // (scene_count + 1)
    const ClackEvent *events;
    const ClackRecordedContact *contacts;
    const ClackRecordedJoint *joints;
    const double *times_s;        // (scene_count): the states' time; the end, or that of the last good state
    const ClackBodyState *states; // (scene_count, body_count); NaN: the scene has no such body
    const size_t *first_frame;    // (scene_count + 1): of scenes that are recorded, as many frames as each has reached
    const double *frame_times_s;  // (frames)
    const ClackBodyState *frames; // (frames, body_count); NaN as above
} ClackBatch;

/// Names as in the ensemble file, "unknown" of others: how a scene ended ("ok", "step_limit", ...), a flag, one bit
/// ("energy_drift", ...), what happened ("begin", "end", "rest", "wake").
CLACK_API const char *clack_scene_status_name(uint32_t status);
CLACK_API const char *clack_scene_flag_name(uint32_t flag);
CLACK_API const char *clack_event_kind_name(uint32_t kind);
/// What a status or a flag means and what to do about it, in one sentence; "" of others.
CLACK_API const char *clack_scene_status_sentence(uint32_t status);
CLACK_API const char *clack_scene_flag_sentence(uint32_t flag);

typedef struct ClackRunOptions {
    size_t size;                       // of this struct
    const char *output_path;           // ensemble file; NULL: "<study name>.h5" in the current folder
    const ClackDeviceOptions *device;  // NULL: as chosen by the library
    int no_file;                       // write none
    uint64_t batch_scenes;             // scenes per batch; 0: chosen by the library
    uint64_t first_scenes;             // > 0: at most so many, from the first on
    const uint64_t *only_scene;        // that scene alone; NULL: all
    uint64_t shard_index, shard_count; // count > 0: the index-th, from 1, of so many parts of the scenes
    int overwrites;                    // an ensemble file that is there may be replaced
    int continues;       // take up what an earlier run of the same left, if there is anything; what it has
                         // finished is reported again. For jobs that are put in the queue again
    double checkpoint_s; // a shard is closed every so often; 0: 30 s; < 0: after every batch
    double time_limit_s; // > 0: no batch begins that would not end in this time; one at work then is left as by `stop`
    const uint64_t *scenes; // (listed_scenes): these alone, in this order; only with no_file; NULL: all
    uint64_t listed_scenes;
    uint32_t batch_rows; // CLACK_BATCH_*: what on_batch gets beside parameters and quantities
    int is_refined;      // only with no_file: every scene at a hundredth of the tolerance and a quarter of the step
    uint64_t failures_allowed; // more failed scenes than this: CLACK_FAILED_SCENES after writing
    const char *command_line;  // for the provenance; may be NULL
    // May be NULL. With a file it may be called while another thread is inside HDF5, which it had better not use;
    // scenes_failed is then of the batches that are in the file: that at work and the one before it may be missing.
    void (*on_progress)(void *context, const ClackProgress *progress);
    void *progress_context;
    void (*on_batch)(void *context, const ClackBatch *batch); // may be NULL
    void *batch_context;
    // Set non-zero (from a signal handler, say) to stop cleanly; may be NULL. With a file the batch at work is finished
    // if it takes no longer than a second; else it is left, and those of its scenes that are done are kept.
    const volatile int *stop;
    // output_path is a finished file of the same study with fewer samples: only scenes that it lacks are run, and it is
    // replaced once they are there. With shard_count: a part of those beyond the study's own samples, for clack_merge.
    int extends, reserved;
} ClackRunOptions;

typedef struct ClackRunSummary {
    size_t size;            // of this struct
    char output_path[1024]; // empty: no file
    char resume_path[1024]; // the output path of an unfinished run that clack_resume can take up; empty: none
    uint64_t scenes_total, scenes_run, scenes_failed;
    uint64_t scenes_kept;       // run before this one was resumed; scenes_run counts them not, what follows does
    uint64_t scenes_second;     // of scenes_run those that the second build of the kernels ran
    uint64_t shards_dropped;    // of a resumed run, since they were damaged
    uint64_t status_counts[16]; // by STATUS_*
    uint64_t flag_counts[32];   // by bit
    uint64_t events, substeps, evaluations; // of scenes run now; events of those kept too, where the file has them
    double build_s, run_s, write_s;         // wall time: device and kernels, simulation, output
    double kernel_s;                        // wall time of `advance`, in run_s
    uint64_t device_bytes, batch_scenes;    // the most that buffers took at once; of the last batch
    char device_name[256];
    char stop[512]; // of a study with `stop`: whether it has scenes enough, scenes_total, and why
} ClackRunSummary;

/// study -> scenes -> buffers -> pairs -> contacts -> forces -> states -> records.
/// Runs every scene of the study and writes the ensemble file. On the way there, shards (ensemble files of some
/// scenes) gather in the folder "<output>.parts"; a run that ends early leaves them to clack_resume.
/// Errors: CLACK_USAGE, CLACK_STUDY, CLACK_DEVICE, CLACK_IO, CLACK_MEMORY; CLACK_FAILED_SCENES after the file has
/// been written; CLACK_INTERRUPTED after the last shard; with `continues` and `extends` CLACK_CORRUPT where what is
/// there is of another study, version or arithmetic. A file that has all scenes already is warned of and left alone.
CLACK_API ClackStatus clack_run(const ClackStudy *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                                ClackReport *report);

/// Go on with a run that was interrupted, in whatever way, with the study and options that it began with: the file is
/// in the end what it would have been, bit by bit, but for its times. `study_path` NULL: the study's file is where it
/// was. Of `options`: device (NULL: as before), callbacks, stop, checkpoint_s, time_limit_s. Errors: as clack_run's;
/// CLACK_CORRUPT where study, version or arithmetic are not those of the shards.
CLACK_API ClackStatus clack_resume(const char *output_path, const char *study_path, const ClackRunOptions *options,
                                   ClackRunSummary *out_summary, ClackReport *report);

typedef struct ClackMergeOptions {
    size_t size;              // of this struct
    const char *const *paths; // (count): ensemble files with parts of a study's scenes, in any order
    size_t count;
    const char *output_path;
    int allows_gaps; // scenes that no file has are not_run in the merged one
    int overwrites;
} ClackMergeOptions;

typedef struct ClackMergeSummary {
    size_t size; // of this struct
    uint64_t files, scenes;
} ClackMergeSummary;

/// One file from those of several runs of parts of a study (shard_count), equal to that of one run of all. Files whose
/// studies differ in nothing but the number of samples fit together where scenes do not depend on it (`extends`).
/// Errors: CLACK_CORRUPT (no ensembles; another study, version, arithmetic; scenes missing or there twice),
/// CLACK_IO, CLACK_MEMORY; there is no new file then.
CLACK_API ClackStatus clack_merge(const ClackMergeOptions *options, ClackMergeSummary *out_summary,
                                  ClackReport *report);

/// What a share of the scenes become at a hundredth of the tolerance and a quarter of the step; NaN of failed ones.
typedef struct ClackVerification {  // arrays owned; freed by clack_verification_free
    size_t size;                    // of this struct
    uint64_t scene_count, compared; // scenes run both ways; those of them that ended well both times
    uint64_t other_events;          // compared scenes with another number of events
    int has_indicator;              // 1: the study's method estimates its errors, in error_sum
    uint64_t above_indicator;       // compared scenes whose velocities differ by more than their error_sum; else 0
    uint32_t quantity_count;
    uint64_t *scenes;                      // (scene_count): numbers, ascending
    double *error_sum_m_per_s;             // (scene_count): as in the ensemble file
    double *position_m, *velocity_m_per_s; // (scene_count): largest difference of a body's two final ones
    double *quantities;                    // (scene_count, quantity_count): as run
    double *quantity_differences;          // (scene_count, quantity_count): refined minus as run
} ClackVerification;

/// Run a share of the scenes, 0 < share <= 1 and one at least, drawn without replacement by the study's seed, as the
/// study says and refined. Writes no file. Errors: as clack_run's; CLACK_USAGE (share).
CLACK_API ClackStatus clack_verify(const ClackStudy *study, const ClackRunOptions *options, double share,
                                   ClackVerification *out_verification, ClackReport *report);
CLACK_API void clack_verification_free(ClackVerification *verification);
/// Quantile 0 <= p <= 1 of the absolute values of every `stride`-th of count * stride numbers, finite ones alone;
/// linear between the two next to it; NaN where there are none.
CLACK_API double clack_verification_quantile(const double *values, uint64_t count, uint32_t stride, double p);
/// Add the group /verification to an ensemble file. Errors: CLACK_IO, CLACK_CORRUPT, CLACK_MEMORY.
CLACK_API ClackStatus clack_verification_record(const ClackStudy *study, const ClackVerification *verification,
                                                const char *path, ClackReport *report);

typedef struct ClackPlanPart {
    const char *name;
    uint64_t bytes;
} ClackPlanPart;

#define CLACK_PLAN_PARTS 64 // room; there are fewer

/// What a run would take. Lists that overflow grow later; the file is counted before compression.
typedef struct ClackPlan {
    size_t size;            // of this struct
    char output_path[1024]; // empty: no file
    char device_name[256];
    int is_gpu;
    uint64_t scenes, batch_scenes, batches;
    uint64_t scenes_kept; // of a file that is extended: there already, not among `scenes`
    uint64_t slots;       // scenes that are carried at the same time
    uint32_t device_count, file_count;
    ClackPlanPart device[CLACK_PLAN_PARTS]; // (device_count): lists of the largest batch
    ClackPlanPart file[CLACK_PLAN_PARTS];   // (file_count): groups of the file, events and contacts left out
    uint64_t event_bytes, contact_bytes;    // of one event, one recorded contact in the file; 0: not recorded
} ClackPlan;

/// Plan a run without running or writing anything; opens the device. Errors: as clack_run's.
CLACK_API ClackStatus clack_plan(const ClackStudy *study, const ClackRunOptions *options, ClackPlan *out_plan,
                                 ClackReport *report);

// --- contacts without stepping ----------------------------------------------------------------------

typedef struct ClackEvaluator ClackEvaluator; // one scene on one device

typedef enum ClackEvaluateRows { // what there is a row of
    CLACK_ROWS_CONTACTS,         // every contact
    CLACK_ROWS_NEAREST,          // two bodies: their nearest points. Shapes have one contact then (contacts: single)
    CLACK_ROWS_NET               // two bodies: the sum of their forces, and its moment
} ClackEvaluateRows;

typedef struct ClackEvaluateOptions {
    size_t size;                      // of this struct
    const ClackDeviceOptions *device; // NULL: as chosen by the library
    uint64_t scene;                   // number of the study's scene whose shapes, materials and pairs count
    double margin_m;                  // >= 0: contacts up to this distance are listed; 0: those that touch or overlap
    int list_all;                     // every contact that has a distance, however large
    uint32_t batch_configurations;    // on the device at once; 0: chosen by the library
    int fits_planes;                  // normals of regions are those of planes fitted to contour points, for comparison
    int lists_contours, reserved;     // points of the regions' contours are wanted, too; 0
    ClackEvaluateRows rows;           // of clack_evaluate_file; NEAREST also of what clack_evaluate finds
} ClackEvaluateOptions;

// One contact of two shapes in one configuration; the force is that of a contact which begins now.
typedef struct ClackContact {
    double distance_m;                     // > 0 apart, < 0 overlapping
    double error_m;                        // of the distance: a bound, for poses exactly as given
    double approach_m_per_s, slip_m_per_s; // > 0 closing; tangential speed
    double normal_N;  // > 0 pushes apart; this and the forces are 0 for shapes apart and observer pairs
    double normal[3]; // unit, from A to B
    double point_a_m[3], point_b_m[3];  // nearest or deepest points, world; the force acts in the middle of the two
    double force_N[3], tangential_N[3]; // on B; the friction in it
    double torque_N_m[3];               // on B: rolling resistance; the moment of the force is not in it
    uint32_t configuration, body_a, body_b, shape_a, shape_b, feature; // feature: which contact of the two shapes
    uint32_t status;     // 0 ok; 1 fallback, 2 not converged, 3 coincident centres
    uint32_t iterations; // of the narrow phase; 0 for closed forms
} ClackContact;

#define CLACK_REGION_OPEN_CONTOUR 1u // flags: its contour did not close, and is closed straight
#define CLACK_REGION_ENGULFED 2u     // one surface lies within the other: no area, no normal, depths NaN
#define CLACK_REGION_COARSE_MESH 4u  // contact radius below three edges of a curved mesh
#define CLACK_REGION_PIERCED 8u      // one solid goes through the other: each contour is a region
#define CLACK_REGION_JITTERED 16u    // found with one pose moved by 1e-10 of the size, as the contour was open without
#define CLACK_REGION_HOLE 32u        // of a cavity that crosses: a hole of another region's overlap, volume < 0

// One contact region of two shapes in one configuration, of which one or both are meshes.
typedef struct ClackRegion {
    double area_m2;
    double volume_m3;     // of the overlap; pierced: an equal part for each contour; NaN: engulfed, or an open contour
    double indentation_m; // depth_a_m + depth_b_m
    double thickness_m;   // of the overlap, estimated, also where surfaces wrap round each other; NaN: engulfed, a hole
    double depth_a_m, depth_b_m; // how far A reaches beyond the centroid, into B; B into A
    double perimeter_m;
    double approach_m_per_s;         // of the bodies at the centroid, along the normal; > 0 closing
    double normal[3], centroid_m[3]; // unit, from A to B; world
    uint32_t configuration, body_a, body_b, shape_a, shape_b, region; // region: which of the two shapes' regions
    uint32_t flags;                                                   // CLACK_REGION_*
    uint32_t loop_count, segment_count;                               // closed contours, and segments of all of these
    uint32_t reserved;
} ClackRegion;

// A point of the contour of a region. A contour runs from each of its points to the next one and back to the first,
// counter-clockwise seen against the region's normal, around a hole clockwise. An open one is closed straight so.
typedef struct ClackContourPoint {
    double at_m[3];           // world
    uint32_t region, contour; // index in `regions`; which of the region's
} ClackContourPoint;

typedef struct ClackContacts { // owned by whoever asked for them; freed by clack_contacts_free
    size_t size;               // of this struct
    size_t configuration_count, row_count;
    ClackContact *rows; // (row_count): by configuration, then by shape_a, shape_b, feature
    size_t *first;      // (configuration_count + 1): rows of configuration i are first[i] .. first[i + 1] - 1
    size_t region_count;
    ClackRegion *regions; // (region_count), of pairs with meshes: by configuration, then by shape_a, shape_b, region
    size_t *first_region; // (configuration_count + 1), as `first`
    size_t contour_point_count;        // 0 without lists_contours
    ClackContourPoint *contour_points; // (contour_point_count): by region, by contour, then along it
} ClackContacts;

/// The study may be freed before it. Errors: CLACK_USAGE (no such scene or device), CLACK_STUDY, CLACK_DEVICE,
/// CLACK_MEMORY.
CLACK_API ClackStatus clack_evaluator_open(const ClackStudy *study, const ClackEvaluateOptions *options,
                                           ClackEvaluator **out_evaluator, ClackReport *report);
CLACK_API void clack_evaluator_close(ClackEvaluator *evaluator); // NULL is allowed
CLACK_API uint32_t clack_evaluator_body_count(const ClackEvaluator *evaluator);
/// Contacts that the scene allows, in every configuration: at most so many rows has one.
CLACK_API uint32_t clack_evaluator_pair_count(const ClackEvaluator *evaluator);
/// Pairs of shapes whose contact regions are sought: those of a mesh and any other shape.
CLACK_API uint32_t clack_evaluator_region_pair_count(const ClackEvaluator *evaluator);
CLACK_API const ClackDeviceInfo *clack_evaluator_device_info(const ClackEvaluator *evaluator);

/// How the scene starts: out_states (body_count), body frames.
CLACK_API void clack_evaluator_start(const ClackEvaluator *evaluator, ClackBodyState *out_states);
/// All contacts of `count` configurations: states (count, body_count) are the body frames in the order of the study,
/// fixed bodies too; quaternions of any non-zero length. What is given for bodies that the scene does not have
/// (`count`, `one_of`) does not matter. A configuration gives the same bits alone and among any others. Errors:
/// CLACK_CORRUPT (a number is not finite, a quaternion is zero), CLACK_DEVICE, CLACK_MEMORY.
CLACK_API ClackStatus clack_evaluate(ClackEvaluator *evaluator, size_t count, const ClackBodyState *states,
                                     ClackContacts *out_contacts, ClackReport *report);
CLACK_API void clack_contacts_free(ClackContacts *contacts);
// Two bodies in one configuration.
typedef struct ClackPair {
    double distance_m; // the least of their contacts': with CLACK_ROWS_NEAREST that of the bodies
    double error_m;    // a bound of its error
    double point_a_m[3], point_b_m[3], normal[3]; // of this contact, world; from A to B
    double force_N[3];                            // on B: sum over all their contacts
    double moment_N_m[3]; // on B: of these forces about the origin of B's frame, and rolling resistance
    double normal_N;      // sum of the normal forces
    uint32_t configuration, body_a, body_b, shape_a, shape_b, status; // shapes, status: of the least distance
    uint32_t contact_count;
} ClackPair;

typedef struct ClackPairs { // owned by whoever asked for them; freed by clack_pairs_free
    size_t size;            // of this struct
    size_t configuration_count, row_count;
    ClackPair *rows; // (row_count): by configuration, then by body_a, body_b
    size_t *first;   // (configuration_count + 1), as of ClackContacts
} ClackPairs;

/// Contacts summed up by pair of bodies; `states` (configuration_count, body_count) are those of clack_evaluate.
/// Regions, which have no force, are left out. Errors: CLACK_MEMORY.
CLACK_API ClackStatus clack_contacts_pairs(const ClackContacts *contacts, uint32_t body_count,
                                           const ClackBodyState *states, ClackPairs *out_pairs, ClackReport *report);
CLACK_API void clack_pairs_free(ClackPairs *pairs);
/// A support point: the point of a shape of the scene, below shape_a's and shape_b's count, that lies farthest in a
/// direction of unit length; world axes. `state`: of the body that has the shape. Of edges and faces at right angles
/// to the direction it is any point. 0 for half-spaces, which have none; else 1. Pure.
CLACK_API int clack_evaluator_support(const ClackEvaluator *evaluator, uint32_t shape, const ClackBodyState *state,
                                      const double direction[3], double out_point_m[3]);

typedef struct ClackEvaluateFileOptions {
    size_t size;                          // of this struct
    const ClackEvaluateOptions *evaluate; // NULL: defaults
    const char *input_path;               // HDF5 with `position` and `orientation`, or CSV (name ends in .csv)
    const char *output_path;              // NULL: the input's name with "_contacts.h5" in the current folder
    int overwrites, reserved;             // a file that is there may be replaced
    const char *command_line;             // for the provenance; may be NULL
    const volatile int *stop;             // set non-zero to stop without a file; may be NULL
    // May be NULL. Configurations first, first + 1, ... with their states (contacts->configuration_count, body_count)
    // and contacts, whose `configuration` counts from 0; valid during the call.
    void (*on_contacts)(void *context, const ClackEvaluator *evaluator, uint64_t first, const ClackBodyState *states,
                        const ClackContacts *contacts);
    void *contacts_context;
} ClackEvaluateFileOptions;

typedef struct ClackEvaluateSummary {
    size_t size; // of this struct
    char output_path[1024];
    uint64_t configurations, contacts, fallbacks; // fallbacks: rows whose status is not ok
    uint64_t body_pairs;                          // rows of NEAREST and NET
    uint32_t pairs, region_pairs;       // contacts that the scene allows; pairs of shapes whose regions are sought
    uint64_t regions, regions_flagged;  // flagged: open contours and engulfed ones
    double deepest_region_m, deepest_m; // largest indentation, penetration
    double evaluate_s;                  // wall time, without reading and writing
    char device_name[256];
} ClackEvaluateSummary;

/// `clack evaluate`: HDF5 in, HDF5 out. Errors: those above; CLACK_IO, CLACK_CORRUPT (the input is not what it should
/// be: all defects), CLACK_INTERRUPTED.
CLACK_API ClackStatus clack_evaluate_file(const ClackStudy *study, const ClackEvaluateFileOptions *options,
                                          ClackEvaluateSummary *out_summary, ClackReport *report);

#ifdef __cplusplus
}
template <typename Struct> inline Struct clack_sized() {
    Struct made{};
    made.size = sizeof made;
    return made;
}
#endif
#endif
