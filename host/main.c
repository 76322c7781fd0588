// The program: command line, progress, exit codes. The only file that prints or exits.
// stdout carries data only; progress and errors go to stderr.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clack.h"
#include "describe.h"
#include "record.h"

#ifndef CLACK_GIT_COMMIT
#define CLACK_GIT_COMMIT "unknown"
#endif

#define EXIT_SIGNAL 128 // + number of the signal

// --- signals ----------------------------------------------------------------------------------

static volatile int stop_signal; // 0, or the signal that asked to stop

static void main_on_signal(int number) {
    if (stop_signal != 0) _exit(EXIT_SIGNAL + number); // the second one does not wait
    stop_signal = number;
}

static void main_catch_signals(void) {
    struct sigaction action = {.sa_handler = main_on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

// --- what people see --------------------------------------------------------------------------

static int main_has_color(void) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && (no_color == NULL || no_color[0] == '\0');
}

// Print a report; lines about a study begin with file:line:column and stay as they are.
static int main_fail(ClackReport *report, ClackStatus status) {
    const char *before = main_has_color() ? "\033[31m" : "", *after = main_has_color() ? "\033[0m" : "";
    for (size_t i = 0; i < report->count; i++) {
        fprintf(stderr, "%s%s%s%s\n", before, status == CLACK_STUDY ? "" : "clack: ", report->lines[i], after);
    }
    if (report->count == 0 && status != CLACK_OK) {
        fprintf(stderr, "%sclack: %s%s\n", before, clack_status_sentence(status), after);
    }
    clack_report_clear(report);
    return clack_status_exit_code(status);
}

static int main_usage(const char *command, const char *format, const char *what) {
    fprintf(stderr, "clack: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "; try \"clack%s%s --help\"\n", command[0] == '\0' ? "" : " ", command);
    return clack_status_exit_code(CLACK_USAGE);
}

typedef struct ProgressLine {
    int is_quiet, is_terminal;
    double shown_s;   // when the terminal was last written to
    int shown_tenths; // last tenth reported where there is no terminal
    int is_open;      // the terminal's line waits for its end
} ProgressLine;

#define TERMINAL_EVERY_S 0.1

static void main_show_progress(void *context, const ClackProgress *progress) {
    ProgressLine *line = context;
    if (line->is_quiet || progress->scenes_total <= 1 || progress->scenes_done == 0) return;
    const double share = (double)progress->scenes_done / (double)progress->scenes_total;
    const double rate = progress->elapsed_s > 0 ? (double)progress->scenes_done / progress->elapsed_s : 0;
    const double left_s = rate > 0 ? (double)(progress->scenes_total - progress->scenes_done) / rate : 0;
    const int is_last = progress->scenes_done == progress->scenes_total;
    if (line->is_terminal) {
        if (!is_last && progress->elapsed_s - line->shown_s < TERMINAL_EVERY_S) return;
        line->shown_s = progress->elapsed_s;
        line->is_open = 1;
    } else {
        const int tenths = (int)(share * 10);
        if (tenths <= line->shown_tenths) return;
        line->shown_tenths = tenths;
    }
    fprintf(stderr, "%s%" PRIu64 "/%" PRIu64 " scenes, %.0f %%, %.0f/s, %.0f s left, %" PRIu64 " failed%s",
            line->is_terminal ? "\r" : "", progress->scenes_done, progress->scenes_total, 100 * share, rate,
            left_s, progress->scenes_failed, line->is_terminal ? "\033[K" : "\n");
    fflush(stderr);
}

// --- options ----------------------------------------------------------------------------------

enum { // of getopt_long, beside the letters
    OPTION_SET = 256, OPTION_SEED, OPTION_SCENE, OPTION_MAX_FAILURES, OPTION_THREADS, OPTION_BATCH,
    OPTION_LANES, OPTION_BUILD_LOG
};

typedef struct Arguments { // of the commands that read a study
    const char *file;
    uint64_t seed;
    StudyOverride *overrides; // (study.override_count), owned; the texts too
    StudyOptions study;
    ClackRunOptions run;
    int is_quiet, is_verbose, wants_help;
} Arguments;

static int main_parse_number(const char *text, uint64_t most, uint64_t *out_number) {
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9') return 0; // strtoull takes signs and blanks
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0 || number > most) return 0;
    *out_number = number;
    return 1;
}

// "path=value" -> one more override.
static int main_add_override(Arguments *arguments, const char *text) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) return 0;
    const size_t count = arguments->study.override_count;
    StudyOverride *grown = realloc(arguments->overrides, (count + 1) * sizeof *grown);
    char *path = strndup(text, (size_t)(equals - text));
    if (grown != NULL) arguments->overrides = grown;
    if (grown == NULL || path == NULL) {
        free(path);
        return 0;
    }
    grown[count] = (StudyOverride){.path = path, .value = equals + 1};
    arguments->study.overrides = grown;
    arguments->study.override_count = count + 1;
    return 1;
}

// 1: taken; 0: its value is wrong.
static int main_take_option(Arguments *arguments, int option, const char *value) {
    uint64_t number = 0;
    switch (option) {
    case 'h': arguments->wants_help = 1; return 1;
    case 'q': arguments->is_quiet = 1; return 1;
    case 'v': arguments->is_verbose = 1; return 1;
    case 'o': arguments->run.output_path = value; return value[0] != '\0';
    case 'd': arguments->run.device.choice = value; return 1;
    case OPTION_BUILD_LOG: arguments->run.device.dump_build_log = 1; return 1;
    case OPTION_SET: return main_add_override(arguments, value);
    case OPTION_SEED: arguments->study.seed = &arguments->seed; return main_parse_number(value, UINT64_MAX, &arguments->seed);
    case OPTION_MAX_FAILURES: return main_parse_number(value, UINT64_MAX, &arguments->run.failures_allowed);
    case OPTION_BATCH:
        return main_parse_number(value, UINT32_MAX / 2, &arguments->run.batch_scenes) && arguments->run.batch_scenes > 0;
    case OPTION_SCENE:
        if (!main_parse_number(value, INT64_MAX, &number)) return 0;
        arguments->run.only_scene = (int64_t)number;
        return 1;
    case OPTION_THREADS:
        if (!main_parse_number(value, 1024, &number) || number == 0) return 0;
        arguments->run.device.threads = (uint32_t)number;
        return 1;
    case OPTION_LANES:
        if (!main_parse_number(value, 1024, &number) || number == 0) return 0;
        arguments->run.device.lanes = (uint32_t)number;
        return 1;
    default: return 0;
    }
}

static void main_free_arguments(Arguments *arguments) {
    for (size_t i = 0; i < arguments->study.override_count; i++) free((char *)arguments->overrides[i].path);
    free(arguments->overrides);
}

// --- commands ---------------------------------------------------------------------------------

static char *main_join(int argc, char **argv) {
    size_t bytes = 1;
    for (int i = 0; i < argc; i++) bytes += strlen(argv[i]) + 3;
    char *line = calloc(bytes, 1);
    for (int i = 0; line != NULL && i < argc; i++) {
        const char *quote = strpbrk(argv[i], " \t\n*?[]$;&|<>(){}\"\\") == NULL ? "" : "'";
        const size_t used = strlen(line);
        snprintf(line + used, bytes - used, "%s%s%s%s", i == 0 ? "" : " ", quote, argv[i], quote);
    }
    return line;
}

static void main_print_scene(void *context, const struct Batch *batch, const struct BatchResult *result,
                             const double *parameters, const double *quantities) {
    describe_batch(stdout, context, batch, result, parameters, quantities);
}

static ClackStatus main_print_build_log(const DeviceOptions *options, ClackReport *report) {
    Device *device = NULL;
    TRY(device_open(options, &device, report));
    fprintf(stderr, "build options: %s\n%s\n", device_build_options(device), device_build_log(device));
    device_close(device);
    return CLACK_OK;
}

static int main_run(Arguments *arguments) {
    ClackReport report = {0};
    ClackRunSummary summary = {0};
    Study *study = NULL;
    ClackRunOptions *options = &arguments->run;
    ProgressLine line = {.is_quiet = arguments->is_quiet, .is_terminal = isatty(STDERR_FILENO)};
    ClackStatus status = study_read(arguments->file, &arguments->study, &study, &report);
    if (status == CLACK_OK && options->device.dump_build_log) {
        status = main_print_build_log(&options->device, &report);
        options->device.dump_build_log = 0;
    }
    if (status == CLACK_OK) {
        options->on_progress = main_show_progress;
        options->progress_context = &line;
        options->stop = &stop_signal;
        if (options->only_scene >= 0) {
            options->no_file = options->output_path == NULL; // never over the whole ensemble
            options->on_batch = main_print_scene;
            options->batch_context = study;
        }
        main_catch_signals();
        status = clack_run(study, options, &summary, &report);
        if (line.is_open) fprintf(stderr, "\n");
        if (!arguments->is_quiet && summary.scenes_run > 0) {
            describe_summary(stderr, &summary, arguments->is_verbose);
        }
    }
    study_free(study);
    const int exit_code = main_fail(&report, status);
    return status == CLACK_INTERRUPTED && stop_signal != 0 ? EXIT_SIGNAL + stop_signal : exit_code;
}

static int main_validate(Arguments *arguments) {
    ClackReport report = {0};
    Study *study = NULL;
    const ClackStatus status = study_read(arguments->file, &arguments->study, &study, &report);
    if (status != CLACK_OK) return main_fail(&report, status);
    printf("%s: valid: %" PRIu64 " scenes, %u bodies, %u shapes, %u parameters, %u quantities\n", arguments->file,
           study->design.scene_count, study->scene.body_count, study->scene.shape_count, study->parameter_count,
           study->quantity_count);
    study_free(study);
    return 0;
}

static int main_devices(Arguments *arguments) {
    (void)arguments;
    ClackReport report = {0};
    DeviceInfo *infos = NULL;
    size_t count = 0;
    const ClackStatus status = device_list(&infos, &count, &report);
    if (status != CLACK_OK) return main_fail(&report, status);
    describe_devices(stdout, infos, count);
    free(infos);
    return 0;
}

static int main_info(Arguments *arguments) {
    ClackReport report = {0};
    char *text = NULL;
    const ClackStatus status = record_describe(arguments->file, &text, &report);
    if (status != CLACK_OK) return main_fail(&report, status);
    fputs(text, stdout);
    free(text);
    return 0;
}

#define OPTION_LINES_STUDY                                                                \
    {"help", no_argument, NULL, 'h'}, {"set", required_argument, NULL, OPTION_SET},       \
    {"seed", required_argument, NULL, OPTION_SEED}

static const struct option help_only[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
static const struct option validate_options[] = {OPTION_LINES_STUDY, {NULL, 0, NULL, 0}};
static const struct option run_options[] = {
    OPTION_LINES_STUDY,
    {"output", required_argument, NULL, 'o'},
    {"device", required_argument, NULL, 'd'},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"scene", required_argument, NULL, OPTION_SCENE},
    {"max-failures", required_argument, NULL, OPTION_MAX_FAILURES},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"batch", required_argument, NULL, OPTION_BATCH},
    {"lanes", required_argument, NULL, OPTION_LANES},
    {"dump-build-log", no_argument, NULL, OPTION_BUILD_LOG},
    {NULL, 0, NULL, 0},
};

typedef struct Command {
    const char *name, *summary, *help;
    int wants_file;
    const char *letters;
    const struct option *options;
    int (*run)(Arguments *arguments);
} Command;

static const Command commands[] = {
    {"run", "run a study and write its ensemble file",
     "  clack run data/bouncing_sphere.yaml -o bouncing_sphere.h5\n\n"
     "Usage: clack run STUDY [options]\n"
     "Runs every scene of a study and writes an HDF5 ensemble.\n\n"
     "  -o, --output FILE      ensemble file; default: the study's name with .h5, in this folder\n"
     "  -d, --device DEVICE    native, gpu, cpu or an index of \"clack devices\";\n"
     "                         default: a GPU with double precision if there is one, else native\n"
     "      --set PATH=VALUE   override a value of the study, e.g. --set 'scene.gravity[2]=-1.62'\n"
     "      --seed N           override the seed of the design\n"
     "      --scene I          run scene I alone and print it; writes a file only with -o\n"
     "      --max-failures N   failed scenes that are still a success (default 0)\n"
     "      --threads N        threads of the native device (default: all cores)\n"
     "      --batch N          scenes per batch (default: as many as suit the device)\n"
     "      --lanes N          work-items that share a scene, OpenCL only (default 1)\n"
     "      --dump-build-log   print the OpenCL compiler's options and log\n"
     "  -q, --quiet            errors only        -v, --verbose  counts of statuses and flags\n\n"
     "Exit codes: 0 ok, 2 usage, 3 invalid study, 4 input or output, 5 device, 6 more failed scenes\n"
     "than allowed, 7 corrupt input, 130 or 143 interrupted (what was run is in the file).\n",
     1, "ho:d:qv", run_options, main_run},
    {"validate", "check a study file and say what it holds",
     "  clack validate data/bouncing_sphere.yaml\n\n"
     "Usage: clack validate STUDY [--set PATH=VALUE]... [--seed N]\n"
     "Prints one line about a valid study, else every error with file, line and column (exit 3).\n",
     1, "h", validate_options, main_validate},
    {"devices", "list the devices that kernels can run on",
     "  clack devices\n\n"
     "Usage: clack devices\n"
     "Lists what --device takes, native first, and why a device cannot be used.\n",
     0, "h", help_only, main_devices},
    {"info", "summarise an ensemble file",
     "  clack info bouncing_sphere.h5\n\n"
     "Usage: clack info FILE\n"
     "Prints what an ensemble file holds and where it came from.\n",
     1, "h", help_only, main_info},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

// --- dispatch ---------------------------------------------------------------------------------

static void main_print_help(FILE *out) {
    fprintf(out, "  clack run data/bouncing_sphere.yaml -o bouncing_sphere.h5\n\n"
                 "Usage: clack COMMAND [options]; clack COMMAND --help; clack --version\n"
                 "Batches of contact simulations, from a study file to an HDF5 ensemble.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\nEnvironment: CLACK_KERNEL_DIR (kernels from disk), CLACK_CACHE_DIR and CLACK_CACHE=0 (compiled\n"
                 "kernels), CLACK_DATA_DIR (palettes), NO_COLOR.\n");
}

// 0: run the command; else leave with *out_exit.
static int main_parse(int argc, char **argv, const Command *command, Arguments *arguments, int *out_exit) {
    const char *name = command->name;
    int option = 0;
    while ((option = getopt_long(argc, argv, command->letters, command->options, NULL)) != -1) {
        if (option == '?') *out_exit = main_usage(name, "%s", "wrong options"); // getopt has said which
        else if (main_take_option(arguments, option, optarg)) continue;
        else *out_exit = main_usage(name, "value not allowed: \"%s\"", optarg);
        return 1;
    }
    if (arguments->wants_help) {
        fputs(command->help, stdout);
        *out_exit = 0;
        return 1;
    }
    if (argc - optind < command->wants_file) {
        *out_exit = main_usage(name, "%s", "a file is missing");
    } else if (argc - optind > command->wants_file) {
        *out_exit = main_usage(name, "one argument too many: \"%s\"", argv[argc - 1]);
    } else {
        arguments->file = command->wants_file ? argv[optind] : NULL;
        return 0;
    }
    return 1;
}

static int main_run_command(int argc, char **argv, const Command *command) {
    Arguments arguments = {.run.only_scene = -1};
    char *command_line = main_join(argc, argv);
    int exit_code = 0;
    arguments.run.command_line = command_line;
    argv[1] = argv[0]; // what getopt says begins with the program's name
    if (main_parse(argc - 1, argv + 1, command, &arguments, &exit_code) == 0) {
        exit_code = command->run(&arguments);
    }
    main_free_arguments(&arguments);
    free(command_line);
    return exit_code;
}

static int main_dispatch(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) {
        printf("clack %s (%s)\n", CLACK_VERSION, CLACK_GIT_COMMIT);
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        main_print_help(stdout);
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) return main_run_command(argc, argv, &commands[i]);
    }
    if (argc > 1) return main_usage("", "no such command: \"%s\"", name);
    main_print_help(stderr);
    return clack_status_exit_code(CLACK_USAGE);
}

int main(int argc, char **argv) {
    const int exit_code = main_dispatch(argc, argv);
    // A full disk behind stdout shows only here.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "clack: cannot write to standard output: %s\n", strerror(errno));
        return exit_code == 0 ? clack_status_exit_code(CLACK_IO) : exit_code;
    }
    return exit_code;
}
