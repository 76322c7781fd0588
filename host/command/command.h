// What the commands of the program share: their table rows, arguments, ways to fail, JSON on stdout.
// main.c and command*.c are the program; nothing else prints or exits.
#ifndef CLACK_COMMAND_H
#define CLACK_COMMAND_H

#include <getopt.h>
#include <stdio.h>

#include "clack.h"

typedef struct Arguments { // of a command, after its options have been read
    const char *command;
    const char *file;         // NULL where the command takes none
    const char *second_file;  // of a command that takes two
    const char *const *files; // (file_count): all of them
    size_t file_count;
    const char *study_path; // --study
    const char *planes;     // --plane of plot
    double times_s[12];     // (time_count): --at of plot
    size_t time_count;
    double view_deg[2], interval_s[2]; // --view and --time of plot
    int has_view, has_interval;
    int allows_gaps;
    const char *output_path;
    uint64_t seed;
    char *study_text;              // of standard input, owned; NULL
    ClackStudyOverride *overrides; // (study.override_count), owned; the texts too
    ClackStudyOptions study;
    ClackDeviceOptions device;
    ClackRunOptions run; // its device is that one
    int64_t scene;       // --scene; < 0: not given
    uint64_t only_scene; // the same, for `run`
    uint64_t count;      // -n; 0: all
    uint64_t first;      // --from; 0: not given
    double margin_m;
    double verified_share; // --verify; 0: none
    double point_s;        // --time; 0: not given
    int lists_all;
    int fits_planes;
    int lists_contours;
    int rows, has_two_rows;                // of evaluate, ClackEvaluateRows; they were given twice
    int64_t configuration;                 // --configuration; < 0: not given
    int format;                            // of export and sample: 'c' CSV, 'x' XDMF, 'm' H5MD; 0: none asked for
    const char *table;                     // --table
    const char *quantities;                // --quantities; NULL: all
    double width_px, height_px;            // --size, of a figure, 96 in an inch; 0: not given
    int is_in_pixels;                      // it was given in pixels
    double dots_per_inch;                  // --dpi; 0: not given
    const char *title, *x_label, *y_label; // of a figure
    int has_no_title;
    int is_quiet, is_verbose, is_json, is_dry_run, wants_help;
    size_t lines_reported;   // of the report, printed before the end
    double build_reported_s; // of the compilation under way: when it was last reported; 0: not yet
} Arguments;

typedef struct Command {
    const char *name, *summary;
    const char *help;    // begins with an example that works as pasted
    int wants_file;      // how many
    int takes_more;      // or more than those
    const char *letters; // of getopt_long
    const struct option *options;
    int (*run)(Arguments *arguments); // the exit code
} Command;

extern const Command command_bench, command_compare, command_completion, command_devices, command_evaluate,
    command_export, command_help, command_info, command_manual, command_merge, command_plot, command_report,
    command_resume, command_run, command_sample, command_selftest, command_stats, command_validate;
extern const Command *const command_table[]; // all of them, then NULL (command_table.c)
extern const char command_environment[];     // what the program reads of its environment (command_help.c)

#define COMMANDS_MOST 32 // of the table

/// The command of this name, NULL where there is none; the error that says so, of the calling command ("": none).
const Command *command_find(const char *name);
int command_unknown(const char *asked, const char *name);
/// What "clack --help" prints.
void command_print_help(FILE *out);

// --- options (command_options.c) --------------------------------------------------------------

enum { // of getopt_long, beside the letters
    OPTION_SET = 256,
    OPTION_SEED,
    OPTION_SCENE,
    OPTION_MAX_FAILURES,
    OPTION_THREADS,
    OPTION_BATCH,
    OPTION_LANES,
    OPTION_QUEUES,
    OPTION_ALLOW_INEXACT,
    OPTION_BUILD_LOG,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_DRY_RUN,
    OPTION_MARGIN,
    OPTION_ALL,
    OPTION_PLANE,
    OPTION_CONTOURS,
    OPTION_NEAREST,
    OPTION_NET,
    OPTION_CONFIGURATION,
    OPTION_SHARD,
    OPTION_OVERWRITE,
    OPTION_CONTINUE,
    OPTION_EXTEND,
    OPTION_CHECKPOINT,
    OPTION_TIME_LIMIT,
    OPTION_STUDY,
    OPTION_PARTIAL,
    OPTION_VERIFY,
    OPTION_XDMF,
    OPTION_H5MD,
    OPTION_TABLE,
    OPTION_SIZE,
    OPTION_QUANTITIES,
    OPTION_PLANES,
    OPTION_AT,
    OPTION_VIEW,
    OPTION_TIME,
    OPTION_INTERVAL,
    OPTION_DPI,
    OPTION_TITLE,
    OPTION_NO_TITLE,
    OPTION_X_LABEL,
    OPTION_Y_LABEL,
    OPTION_FROM
};

#define OPTION_LINE_HELP                                                                                               \
    { "help", no_argument, NULL, 'h' }
#define OPTION_LINE_JSON                                                                                               \
    { "json", no_argument, NULL, OPTION_JSON }
#define OPTION_LINES_STUDY                                                                                             \
    OPTION_LINE_HELP, {"set", required_argument, NULL, OPTION_SET}, { "seed", required_argument, NULL, OPTION_SEED }
#define OPTION_LINE_END                                                                                                \
    { NULL, 0, NULL, 0 }

#define OPTION_LINES_FIGURE                                                                                            \
    {"size", required_argument, NULL, OPTION_SIZE}, {"dpi", required_argument, NULL, OPTION_DPI},                      \
        {"title", required_argument, NULL, OPTION_TITLE}, {                                                            \
        "no-title", no_argument, NULL, OPTION_NO_TITLE                                                                 \
    }

/// --shard auto: the part of this task, from 1, of so many; 0 where no launcher tells it, or an array of tasks is not
/// numbered from 0 or 1 to its last (command_cluster.c).
int command_find_shard(uint64_t *out_index, uint64_t *out_count);
/// Read the options and the file of a command. 1: run it; 0: leave with *out_exit.
int command_parse(int argc, char **argv, const Command *command, Arguments *arguments, int *out_exit);
void command_free_arguments(Arguments *arguments);
/// The study that a command is given, "-": on standard input. Errors: as clack_study_read's.
ClackStatus command_read_study(Arguments *arguments, ClackStudy **out_study, ClackReport *report);

struct json_t; // of jansson

// --- ending (command.c) ---------------------------------------------------------------------------

/// Print the JSON document where it is asked for, then the report; returns the exit code. `data` (NULL:
/// none) and the report are freed.
int command_end(const Arguments *arguments, struct json_t *data, ClackReport *report, ClackStatus status);
/// Print what the report has so far (warnings, before a long run); the end tells the rest.
void command_tell(Arguments *arguments, const ClackReport *report);
/// Say which file has been written, where that is wanted.
void command_say_written(const Arguments *arguments, const char *path);
/// Say what is wrong with the command line and where help is; returns the exit code.
__attribute__((format(printf, 2, 3))) int command_usage(const char *command, const char *format, ...);
/// From now on the first SIGINT or SIGTERM sets the number this points at, and a second one exits.
const volatile int *command_catch_signals(void);
/// Whether there was a first one.
int command_is_stopped(void);

/// From now on what compiles for a device is reported on stderr, and ends with the first signal (command_build.c).
void command_report_builds(Arguments *arguments);

/// Whether the path ends so, with a name before it.
int command_has_ending(const char *path, const char *ending);
/// Whether a figure may have this name, which is free and ends in one of its formats. Errors: CLACK_USAGE, CLACK_IO.
ClackStatus command_check_figure(const Arguments *arguments, const char *path, ClackReport *report);
struct PlotOptions;
/// What the options that all figures have ask for; the format is that of the path.
void command_set_figure(const Arguments *arguments, const char *path, struct PlotOptions *options);
/// Write a figure, and say so.
ClackStatus command_write_figure(const Arguments *arguments, const char *path, const char *image, size_t bytes,
                                 ClackReport *report);
/// "folder/name.h5" -> "name" with something after it and an ending, in this folder; freed by the caller.
char *command_name_after(const char *path, const char *middle, const char *ending);

// --- dry runs (command_plan.c) ----------------------------------------------------------------------

typedef struct CommandTrial { // a few scenes run to find what all would take
    uint64_t scenes;          // that were run to their end; 0: none
    double s_per_scene, events_per_scene;
} CommandTrial;

/// clack run --dry-run; returns the exit code.
int command_plan(Arguments *arguments);

// --- JSON (command_json.c): what follows the keys that all documents have -----------------------------

/// A text; one that is no UTF-8 as it is shown (text.h).
struct json_t *command_json_text(const char *text);
struct RecordSummary;
struct json_t *command_json_devices(ClackDeviceInfo *const *infos, size_t count);
struct json_t *command_json_study(const ClackStudy *study);
struct json_t *command_json_ensemble(const struct RecordSummary *summary);
/// With `scene` (NULL: none) of --scene, which is taken over.
struct json_t *command_json_run(const ClackRunSummary *summary, struct json_t *scene);
struct json_t *command_json_evaluation(const ClackEvaluateSummary *summary);
/// A contact of configuration first + row->configuration, whose bodies have these states (body_count).
struct json_t *command_json_contact(const ClackStudy *study, const ClackEvaluator *evaluator, uint64_t first,
                                    const ClackBodyState *states, const ClackContact *row);
/// Two bodies of configuration first + row->configuration: nearest points, or summed force and moment.
struct json_t *command_json_pair(const ClackStudy *study, uint64_t first, const ClackPair *row, ClackEvaluateRows rows);
/// Convex shapes that may touch meshes, and the meshes that stand for them.
struct json_t *command_json_shape_meshes(const ClackStudy *study);
struct json_t *command_json_region(const ClackStudy *study, uint64_t first, const ClackRegion *row);
struct json_t *command_json_plan(const ClackStudy *study, const ClackPlan *plan, const CommandTrial *trial);
struct json_t *command_json_verification(const ClackStudy *study, const ClackVerification *verification);
/// One scene of a finished batch.
struct json_t *command_json_scene(const ClackStudy *study, const ClackBatch *batch, uint32_t index);
/// Parameters with name, unit and distribution; a row of their values with the scene's number first.
struct json_t *command_json_columns(const ClackStudy *study);
struct json_t *command_json_row(uint64_t scene, const double *values, uint32_t count);
/// A whole document on stdout; 0 where there is no memory for it. Frees `data`.
int command_json_print(const char *command, struct json_t *data, const ClackReport *report, ClackStatus status,
                       int exit_code);

#endif
