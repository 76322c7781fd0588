// clack run and clack resume: progress on the terminal, one scene printed, the summary.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "describe.h"
#include "device.h"
#include "text.h"

// --- progress ---------------------------------------------------------------------------------

typedef struct ProgressLine {
    int is_quiet, is_terminal;
    double shown_s; // when a line was last written
    int is_open;    // the terminal's line waits for its end
    int is_last;    // it has reported the last scene
} ProgressLine;

#define TERMINAL_EVERY_S 0.1
#define FILE_EVERY_S 10 // where stderr is kept

static void command_show_progress(void *context, const ClackProgress *progress) {
    ProgressLine *line = context;
    if (line->is_quiet || progress->scenes_total <= 1 || progress->scenes_done == 0) return;
    const double share = (double)progress->scenes_done / (double)progress->scenes_total;
    const double now = (double)(progress->scenes_done - progress->scenes_kept);
    const double rate = progress->elapsed_s > 0 ? now / progress->elapsed_s : 0;
    const double left_s = rate > 0 ? (double)(progress->scenes_total - progress->scenes_done) / rate : 0;
    const int is_last = progress->scenes_done == progress->scenes_total;
    if (is_last && line->is_last) return; // parts of the run may end at the same time
    if (!is_last && progress->elapsed_s - line->shown_s < (line->is_terminal ? TERMINAL_EVERY_S : FILE_EVERY_S)) return;
    line->shown_s = progress->elapsed_s;
    line->is_open = line->is_terminal;
    line->is_last = is_last;
    char rate_text[32];
    fprintf(stderr, "%s%" PRIu64 "/%" PRIu64 " scenes, %.0f %%", line->is_terminal ? "\r" : "", progress->scenes_done,
            progress->scenes_total, 100 * share);
    // Of a run that is resumed no rate is known before it has run a scene of its own.
    if (rate > 0) fprintf(stderr, ", %s, %.0f s left", describe_rate(rate, rate_text), left_s);
    fprintf(stderr, ", %" PRIu64 " failed%s", progress->scenes_failed, line->is_terminal ? "\033[K" : "\n");
    fflush(stderr);
}

// --- the run ----------------------------------------------------------------------------------

typedef struct SceneOutput { // where the one scene of --scene goes
    const ClackStudy *study;
    int is_json;
    DescribeDetail detail;
    struct json_t *scene;
} SceneOutput;

static void command_take_scene(void *context, const ClackBatch *batch) {
    SceneOutput *output = context;
    if (output->is_json)
        output->scene = command_json_scene(output->study, batch, 0);
    else
        describe_batch(stdout, output->study, batch, output->detail);
}

static ClackStatus command_print_build_log(const DeviceOptions *options, const ClackStudy *study, ClackReport *report) {
    Device *device = NULL, *second = NULL; // the second one is the first one's
    const Content content = content_of_study(study, PROGRAM_ADVANCE);
    TRY(device_open(options, &content, &device, report));
    fprintf(stderr, "build options: %s\n%s\n", device_build_options(device), device_build_log(device));
    ClackStatus status = CLACK_OK;
    if (content_can_leave(device_content(device))) {
        status = device_second(device, &second, report);
        if (status == CLACK_OK)
            fprintf(stderr, "build options of the second build: %s\n%s\n", device_build_options(second),
                    device_build_log(second));
    }
    device_close(device);
    return status;
}

// A line to paste, where the run can be taken up.
static void command_print_resume(const char *path) {
    if (path[0] == '\0') return;
    fputs("to go on: clack resume ", stderr);
    text_put_word(stderr, path);
    fputc('\n', stderr);
}

static void command_begin_progress(const Arguments *arguments, ClackRunOptions *options, ProgressLine *line) {
    *line = (ProgressLine){.is_quiet = arguments->is_quiet, .is_terminal = isatty(STDERR_FILENO)};
    options->on_progress = command_show_progress;
    options->progress_context = line;
    options->stop = command_catch_signals();
}

static void command_end_progress(const Arguments *arguments, const ClackStudy *study, const ProgressLine *line,
                                 const ClackRunSummary *summary) {
    if (line->is_open) fprintf(stderr, "\n");
    if (summary->shards_dropped > 0)
        fprintf(stderr, "clack: %" PRIu64 " damaged %s dropped; the scenes have been run again\n",
                summary->shards_dropped, text_plural(summary->shards_dropped, "shard was", "shards were"));
    if (!arguments->is_quiet && summary->scenes_run + summary->scenes_kept > 0)
        describe_summary(stderr, study, summary, arguments->is_verbose);
    command_print_resume(summary->resume_path);
}

// --verify: a share of the scenes once more, refined; into the file of the run where there is one.
static ClackStatus command_verify(Arguments *arguments, const ClackStudy *study, const ClackRunSummary *summary,
                                  struct json_t *data, ClackReport *report) {
    const char *path = summary->output_path;
    ClackVerification verification = CLACK_SIZED(ClackVerification);
    ClackRunOptions options = arguments->run;
    options.on_progress = NULL;
    options.time_limit_s = 0;
    options.first_scenes = summary->scenes_total; // fewer than the study's where `stop` ended the run
    ClackStatus status = clack_verify(study, &options, arguments->verified_share, &verification, report);
    if (status != CLACK_OK) return status;
    if (path[0] != '\0') status = clack_verification_record(study, &verification, path, report);
    if (!arguments->is_quiet) describe_verification(stderr, study, &verification);
    if (data != NULL) json_object_set_new(data, "verification", command_json_verification(study, &verification));
    clack_verification_free(&verification);
    return status;
}

// The scenes, with progress on stderr and the summary at the end.
static ClackStatus command_run_scenes(Arguments *arguments, const ClackStudy *study, struct json_t **out_data,
                                      ClackReport *report) {
    ClackRunOptions *options = &arguments->run;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    ProgressLine line;
    SceneOutput output = {.study = study,
                          .is_json = arguments->is_json,
                          .detail = arguments->is_quiet     ? DESCRIBE_SUMMARY
                                    : arguments->is_verbose ? DESCRIBE_ALL
                                                            : DESCRIBE_FIRST_EVENTS};
    options->output_path = arguments->output_path;
    command_begin_progress(arguments, options, &line);
    if (options->only_scene != NULL) {
        options->no_file = options->output_path == NULL; // never over the whole ensemble
        options->on_batch = command_take_scene;
        options->batch_context = &output;
    }
    ClackStatus status = clack_run(study, options, &summary, report);
    command_end_progress(arguments, study, &line, &summary);
    if (arguments->is_json) *out_data = command_json_run(&summary, output.scene);
    if (arguments->verified_share > 0 && (status == CLACK_OK || status == CLACK_FAILED_SCENES)) {
        const ClackStatus verified = command_verify(arguments, study, &summary, *out_data, report);
        if (verified != CLACK_OK) status = verified;
    }
    return status;
}

static int command_run_run(Arguments *arguments) {
    ClackReport report = {0};
    ClackStudy *study = NULL;
    struct json_t *data = NULL;
    if (arguments->run.continues && arguments->run.overwrites)
        return command_usage(arguments->command, "--continue keeps what is there, which --overwrite replaces");
    if (arguments->verified_share > 0 && arguments->run.shard_count > 0)
        return command_usage(arguments->command, "--verify takes scenes of the whole study: not with --shard");
    if (arguments->is_dry_run) return command_plan(arguments);
    ClackStatus status = command_read_study(arguments, &study, &report);
    if (status == CLACK_OK && arguments->device.dump_build_log) {
        status = command_print_build_log(&arguments->device, study, &report);
        arguments->device.dump_build_log = 0;
    }
    const int64_t only = arguments->scene;
    const uint64_t scene = only < 0 ? 0 : (uint64_t)only;
    if (status == CLACK_OK && scene < clack_study_scene_count(study))
        status = clack_study_check_start(study, scene, &report);
    command_tell(arguments, &report);
    if (status == CLACK_OK) status = command_run_scenes(arguments, study, &data, &report);
    clack_study_free(study);
    return command_end(arguments, data, &report, status);
}

#define OPTION_LINES_STOP                                                                                              \
    {"time-limit", required_argument, NULL, OPTION_TIME_LIMIT}, {                                                      \
        "checkpoint", required_argument, NULL, OPTION_CHECKPOINT                                                       \
    }

static const struct option run_options[] = {
    OPTION_LINES_STUDY,
    {"output", required_argument, NULL, 'o'},
    {"device", required_argument, NULL, 'd'},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"scene", required_argument, NULL, OPTION_SCENE},
    {"max-failures", required_argument, NULL, OPTION_MAX_FAILURES},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"allow-inexact", no_argument, NULL, OPTION_ALLOW_INEXACT},
    {"batch", required_argument, NULL, OPTION_BATCH},
    {"lanes", required_argument, NULL, OPTION_LANES},
    {"queues", required_argument, NULL, OPTION_QUEUES},
    {"shard", required_argument, NULL, OPTION_SHARD},
    {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    {"continue", no_argument, NULL, OPTION_CONTINUE},
    {"extend", required_argument, NULL, OPTION_EXTEND},
    OPTION_LINES_STOP,
    {"verify", required_argument, NULL, OPTION_VERIFY},
    OPTION_LINE_JSON,
    {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
    {"dump-build-log", no_argument, NULL, OPTION_BUILD_LOG},
    OPTION_LINE_END,
};

const Command command_run = {
    .name = "run",
    .summary = "run a study and write its ensemble file",
    .help = "  clack run data/bouncing_sphere.yaml -o sphere.h5\n\n"
            "Usage: clack run STUDY [options]\n"
            "Runs every scene of a study and writes an HDF5 ensemble.\n\n"
            "  -o, --output FILE      ensemble file; default: the study's name with .h5, in this folder\n"
            "  -d, --device DEVICE    native, gpu, cpu, an index of \"clack devices\" or local-rank: the GPU of\n"
            "                         this task among those of its node;\n"
            "                         default: a GPU with double precision if there is one, else native\n"
            "      --set PATH=VALUE   override a value of the study, e.g. --set 'scene.gravity[2]=-1.62'\n"
            "      --seed N           override the seed of the design\n"
            "      --scene I          run scene I alone and print it, with its first 20 events (-v: all; -q: only how\n"
            "                         it ended, and quantities); writes a file only with -o\n"
            "      --max-failures N   failed scenes that are still a success (default 0)\n"
            "      --threads N        threads of the native device (default: all cores)\n"
            "      --batch N          scenes per batch (default: as many as suit the device)\n"
            "      --lanes N          work-items that share a scene, GPUs only (default: 32 for few scenes of\n"
            "                         many bodies, else 1)\n"
            "      --queues N         groups of N work-items serve scenes from queues, phase by phase, on\n"
            "                         OpenCL devices (default: each work-item steps its own scene)\n"
            "      --allow-inexact    also on a device whose arithmetic is not IEEE 754's (\"clack devices\"):\n"
            "                         results have other bits than on other devices then\n"
            "      --shard I/N        part I of N of the scenes, into STUDY.IofN.h5; \"clack merge\" joins them;\n"
            "                         auto: the part of this task of Slurm, OpenMPI or PMI\n"
            "      --overwrite        replace an ensemble file or an unfinished run of the same name\n"
            "      --continue         go on with an unfinished run of the same; nothing to do where it has finished\n"
            "      --extend N         add scenes to the finished file up to N samples of the design; those that are\n"
            "                         there are kept; with --shard a part of the new ones (monte_carlo, sobol,\n"
            "                         saltelli, morris)\n"
            "      --time-limit T     stop before a batch that would not end in T (seconds, or 90s, 15m, 8h);\n"
            "                         one that is at work then is left, with its scenes that are done\n"
            "      --checkpoint T     what is run is safe every T (default 30s; 0: after every batch)\n"
            "      --verify SHARE     then run a share of the scenes, e.g. 1%, once more at a hundredth of the\n"
            "                         tolerance and a quarter of the step; print how much their results change\n"
            "      --dry-run          run nothing into a file: print scenes, batches, memory, file size and, from\n"
            "                         up to 16 scenes tried in 2 s (or one in 30), estimates of time and events\n"
            "      --json             a summary as one JSON object on stdout\n"
            "      --dump-build-log   print the OpenCL compiler's options and log\n"
            "  -q, --quiet            errors only        -v, --verbose  counts of statuses and flags\n\n"
            "Exit codes: 0 ok, 2 usage, 3 invalid study, 4 input or output, 5 device, 6 more failed scenes\n"
            "than allowed, 7 corrupt input, 130 or 143 interrupted. An unfinished run is in FILE.parts;\n"
            "\"clack resume FILE\" goes on with it.\n",
    .wants_file = 1,
    .letters = "ho:d:qv",
    .options = run_options,
    .run = command_run_run,
};

// --- resume -----------------------------------------------------------------------------------

static int command_run_resume(Arguments *arguments) {
    ClackReport report = {0};
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    ProgressLine line;
    command_begin_progress(arguments, &arguments->run, &line);
    const ClackStatus status = clack_resume(arguments->file, arguments->study_path, &arguments->run, &summary, &report);
    command_end_progress(arguments, NULL, &line, &summary);
    struct json_t *data = arguments->is_json ? command_json_run(&summary, NULL) : NULL;
    return command_end(arguments, data, &report, status);
}

static const struct option resume_options[] = {
    OPTION_LINE_HELP,
    {"device", required_argument, NULL, 'd'},
    {"study", required_argument, NULL, OPTION_STUDY},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"allow-inexact", no_argument, NULL, OPTION_ALLOW_INEXACT},
    {"batch", required_argument, NULL, OPTION_BATCH},
    OPTION_LINES_STOP,
    OPTION_LINE_JSON,
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    OPTION_LINE_END,
};

const Command command_resume = {
    .name = "resume",
    .summary = "go on with a run that was interrupted",
    .help = "  clack resume $(clack run data/bouncing_sphere.yaml -o night.h5 --batch 256 --time-limit 0.001; echo "
            "night.h5)\n\n"
            "Usage: clack resume FILE [options]\n"
            "Goes on with a run that was stopped, killed or failed before FILE was written, from the shards in\n"
            "FILE.parts, with its study and options. FILE becomes what it would have been, bit by bit.\n\n"
            "  -d, --device DEVICE    another device of the same arithmetic (default: as before)\n"
            "      --study STUDY      where the study's file is now; it must be the same\n"
            "      --threads N, --batch N, --time-limit T, --checkpoint T, --allow-inexact   as of \"clack run\"\n"
            "      --json             a summary as one JSON object on stdout\n"
            "  -q, --quiet            errors only        -v, --verbose  counts of statuses and flags\n\n"
            "Exit codes: as of \"clack run\"; 4 too where there is nothing to resume, 7 where the study, the\n"
            "version of clack or the device's arithmetic is another.\n",
    .wants_file = 1,
    .letters = "hd:qv",
    .options = resume_options,
    .run = command_run_resume,
};
