// Words of the command line -> Arguments. One table of meanings for all commands; which options a command
// takes stands in its own file.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "number.h"
#include "plot.h"
#include "status.h"
#include "word.h"

static int command_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *out_number) {
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9') return 0; // strtoull takes signs and blanks
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0 || number < least || number > most) return 0;
    *out_number = number;
    return 1;
}

static int command_parse_u32(const char *text, uint64_t most, uint32_t *out_number) {
    uint64_t number = 0;
    if (!command_parse_number(text, 1, most, &number)) return 0;
    *out_number = (uint32_t)number;
    return 1;
}

static int command_parse_real(const char *text, double *out_number) {
    char *end = NULL;
    *out_number = strtod(text, &end);
    return end != text && *end == '\0' && *out_number >= 0.0 && *out_number < 1.0e300;
}

// "90", "90s", "15m", "8h" -> seconds.
static int command_parse_duration(const char *text, double *out_s) {
    static const char *const units = "smh";
    static const double seconds[] = {1, 60, 3600};
    char *end = NULL;
    *out_s = strtod(text, &end);
    if (end == text || !(*out_s >= 0 && *out_s < 1.0e9)) return 0;
    const char *unit = *end == '\0' ? units : strchr(units, *end);
    if (unit == NULL || (*end != '\0' && end[1] != '\0')) return 0;
    *out_s *= seconds[unit - units];
    return 1;
}

// "2/3" -> the second of three.
static int command_parse_shard(const char *text, ClackRunOptions *run) {
    const char *slash = strchr(text, '/');
    char index[24];
    if (slash == NULL || (size_t)(slash - text) >= sizeof index) return 0;
    memcpy(index, text, (size_t)(slash - text));
    index[slash - text] = '\0';
    return command_parse_number(slash + 1, 1, INT32_MAX, &run->shard_count) &&
           command_parse_number(index, 1, run->shard_count, &run->shard_index);
}

// "0,0.1,0.25" -> numbers in a range, one at least.
static int command_parse_list(const char *text, double least, double most, size_t room, double *out,
                              size_t *out_count) {
    for (*out_count = 0; *out_count < room;) {
        const size_t bytes = strcspn(text, ",");
        if (!number_parse_bytes(text, bytes, &out[*out_count]) || out[*out_count] < least || out[*out_count] > most)
            return 0;
        ++*out_count;
        if (text[bytes] == '\0') return 1;
        text += bytes + 1;
    }
    return 0;
}

static int command_parse_view(Arguments *arguments, const char *text) {
    size_t count = 0;
    arguments->has_view = 1;
    return command_parse_list(text, -360, 360, 2, arguments->view_deg, &count) && count == 2 &&
           fabs(arguments->view_deg[1]) <= 90;
}

static int command_parse_interval(Arguments *arguments, const char *text) {
    size_t count = 0;
    arguments->has_interval = 1;
    return command_parse_list(text, 0, 1e300, 2, arguments->interval_s, &count) && count == 2 &&
           arguments->interval_s[0] < arguments->interval_s[1];
}

#define SIZE_LEAST_PX 50.0
#define SIZE_MOST_PX 20000.0
#define DPI_LEAST 30.0
#define DPI_MOST 2400.0

// "16x9cm", "800x600" -> pixels, 96 in an inch.
static int command_parse_size(Arguments *arguments, const char *text) {
    static const struct {
        const char *name;
        double pixels;
    } units[] = {{"", 1}, {"px", 1}, {"cm", 96 / 2.54}, {"mm", 96 / 25.4}, {"in", 96}, {"pt", 96.0 / 72}};
    char *by = NULL, *end = NULL;
    if (text[0] < '0' || text[0] > '9') return 0;
    const double width = strtod(text, &by);
    if (*by != 'x' || by[1] < '0' || by[1] > '9') return 0;
    const double height = strtod(by + 1, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].name) != 0) continue;
        arguments->width_px = width * units[i].pixels;
        arguments->height_px = height * units[i].pixels;
        arguments->is_in_pixels = units[i].pixels == 1;
        return fmin(arguments->width_px, arguments->height_px) >= SIZE_LEAST_PX &&
               fmax(arguments->width_px, arguments->height_px) <= SIZE_MOST_PX;
    }
    return 0;
}

// "1%" or "0.01" -> 0.01; more than 0, at most 1.
static int command_parse_share(const char *text, double *out_share) {
    char *end = NULL;
    double share = strtod(text, &end);
    if (end != text && *end == '%') {
        share /= 100.0;
        end++;
    }
    *out_share = share;
    return end != text && *end == '\0' && share > 0.0 && share <= 1.0;
}

// "path=value" -> one more override.
static int command_add_override(Arguments *arguments, const char *text) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) return 0;
    const size_t count = arguments->study.override_count;
    ClackStudyOverride *grown = realloc(arguments->overrides, (count + 1) * sizeof *grown);
    char *path = strndup(text, (size_t)(equals - text));
    if (grown != NULL) arguments->overrides = grown;
    if (grown == NULL || path == NULL) {
        free(path);
        return 0;
    }
    grown[count] = (ClackStudyOverride){.path = path, .value = equals + 1};
    arguments->study.overrides = grown;
    arguments->study.override_count = count + 1;
    return 1;
}

// What an option takes, for errors.
static const char *command_expected(int option) {
    static const char any_count[] = "a whole number from 0 to 18446744073709551615";
    static const char any_scene[] = "a whole number from 0 to 9223372036854775807";
    static const char up_to_1024[] = "a whole number from 1 to 1024";
    switch (option) {
    case 'd': return "native, gpu, cpu, local-rank or an index of \"clack devices\"";
    case OPTION_FROM:
    case 'n': return "a whole number from 1 to 9223372036854775807";
    case OPTION_SET: return "PATH=VALUE, such as scene.gravity[2]=-1.62";
    case OPTION_SEED:
    case OPTION_MAX_FAILURES: return any_count;
    case OPTION_EXTEND:
    case OPTION_BATCH: return "a whole number from 1 to 2147483647";
    case OPTION_SCENE:
    case OPTION_CONFIGURATION: return any_scene;
    case OPTION_THREADS:
    case OPTION_LANES:
    case OPTION_QUEUES: return up_to_1024;
    case OPTION_MARGIN: return "a length in m, 0 or more and below 1e300";
    case OPTION_PLANE: return "area or fitted";
    case OPTION_AT: return "up to 12 times in s, 0 or more, such as 0,0.1,0.25";
    case OPTION_INTERVAL: return "two times in s, 0 or more, the first before the second, such as 0.13,0.16";
    case OPTION_VIEW: return "AZIMUTH,ELEVATION in degrees, up to 360 and 90 either way, such as -60,25";
    case OPTION_PLANES: return "xy, xz or yz, or several of them, such as xz,xy";
    case OPTION_VERIFY: return "a share such as 1% or 0.01, more than 0 and at most 1";
    case OPTION_SHARD:
        return "I/N, such as 2/3, with I from 1 to N and N up to 2147483647, or auto in a task of Slurm, OpenMPI or "
               "PMI";
    case OPTION_TIME_LIMIT:
    case OPTION_TIME: return "a time such as 90, 90s, 15m or 8h, more than 0 and below 1e9";
    case OPTION_CHECKPOINT: return "a time such as 90, 90s, 15m or 8h, 0 or more and below 1e9";
    case OPTION_QUANTITIES: return "names of quantities, such as load,stands";
    case OPTION_TABLE: return "scenes, events, contacts, joints or trajectory";
    case OPTION_SIZE:
        return "WIDTHxHEIGHT such as 16x9cm, 160x90mm, 6x4in, 450x300pt or 800x600px, of 50 to 20000 pixels (96 in an "
               "inch)";
    case OPTION_DPI: return "dots of a PNG in an inch, 30 to 2400";
    default: return "a name";
    }
}

static int command_take_plane(Arguments *arguments, const char *value) {
    arguments->fits_planes = strcmp(value, "fitted") == 0;
    return arguments->fits_planes || strcmp(value, "area") == 0;
}

// Of figures. 1: taken; 0: its value is wrong.
static int command_take_figure_option(Arguments *arguments, int option, const char *value) {
    switch (option) {
    case OPTION_SIZE: return command_parse_size(arguments, value);
    case OPTION_DPI:
        return command_parse_real(value, &arguments->dots_per_inch) && arguments->dots_per_inch >= DPI_LEAST &&
               arguments->dots_per_inch <= DPI_MOST;
    case OPTION_TITLE:
        arguments->title = value;
        arguments->has_no_title = value[0] == '\0';
        return 1;
    case OPTION_NO_TITLE: arguments->has_no_title = 1; return 1;
    case OPTION_X_LABEL: arguments->x_label = value; return 1;
    case OPTION_Y_LABEL: arguments->y_label = value; return 1;
    case OPTION_AT:
        return command_parse_list(value, 0, 1e300, PLOT_TIMES_MAX, arguments->times_s, &arguments->time_count);
    case OPTION_VIEW: return command_parse_view(arguments, value);
    case OPTION_INTERVAL: return command_parse_interval(arguments, value);
    case OPTION_PLANES: arguments->planes = value; return plot_are_planes(value);
    default: return 0;
    }
}

// 1: taken; 0: its value is wrong.
static int command_take_option(Arguments *arguments, int option, const char *value) {
    ClackRunOptions *run = &arguments->run;
    uint64_t number = 0;
    switch (option) {
    case 'h': arguments->wants_help = 1; return 1;
    case 'q': arguments->is_quiet = 1; return 1;
    case 'v': arguments->is_verbose = 1; return 1;
    case 'o': arguments->output_path = value; return value[0] != '\0';
    case 'd': arguments->device.choice = value; return 1;
    case 'n': return command_parse_number(value, 1, INT64_MAX, &arguments->count);
    case OPTION_FROM: return command_parse_number(value, 1, INT64_MAX, &arguments->first);
    case OPTION_JSON: arguments->is_json = 1; return 1;
    case OPTION_CSV: arguments->format = 'c'; return 1;
    case OPTION_XDMF: arguments->format = 'x'; return 1;
    case OPTION_H5MD: arguments->format = 'm'; return 1;
    case OPTION_TABLE: arguments->table = value; return 1;
    case OPTION_QUANTITIES: arguments->quantities = value; return value[0] != '\0';
    case OPTION_DRY_RUN: arguments->is_dry_run = 1; return 1;
    case OPTION_BUILD_LOG: arguments->device.dump_build_log = 1; return 1;
    case OPTION_ALLOW_INEXACT: arguments->device.allow_inexact = 1; return 1;
    case OPTION_SET: return command_add_override(arguments, value);
    case OPTION_SEED:
        arguments->study.seed = &arguments->seed;
        return command_parse_number(value, 0, UINT64_MAX, &arguments->seed);
    case OPTION_MAX_FAILURES: return command_parse_number(value, 0, UINT64_MAX, &run->failures_allowed);
    case OPTION_BATCH: return command_parse_number(value, 1, UINT32_MAX / 2, &run->batch_scenes);
    case OPTION_SCENE:
        if (!command_parse_number(value, 0, INT64_MAX, &arguments->only_scene)) return 0;
        run->only_scene = &arguments->only_scene;
        arguments->scene = (int64_t)arguments->only_scene;
        return 1;
    case OPTION_CONFIGURATION:
        if (!command_parse_number(value, 0, INT64_MAX, &number)) return 0;
        arguments->configuration = (int64_t)number;
        return 1;
    case OPTION_THREADS: return command_parse_u32(value, 1024, &arguments->device.threads);
    case OPTION_LANES: return command_parse_u32(value, 1024, &arguments->device.lanes);
    case OPTION_QUEUES: return command_parse_u32(value, 1024, &arguments->device.queue_items);
    case OPTION_MARGIN: return command_parse_real(value, &arguments->margin_m);
    case OPTION_VERIFY: return command_parse_share(value, &arguments->verified_share);
    case OPTION_ALL: arguments->lists_all = 1; return 1;
    case OPTION_PLANE: return command_take_plane(arguments, value);
    case OPTION_CONTOURS: arguments->lists_contours = 1; return 1;
    case OPTION_NEAREST:
    case OPTION_NET:
        arguments->has_two_rows |= arguments->rows != CLACK_ROWS_CONTACTS;
        arguments->rows = option == OPTION_NET ? CLACK_ROWS_NET : CLACK_ROWS_NEAREST;
        return 1;
    case OPTION_SHARD:
        return strcmp(value, "auto") == 0 ? command_find_shard(&run->shard_index, &run->shard_count)
                                          : command_parse_shard(value, run);
    case OPTION_CONTINUE: run->continues = 1; return 1;
    case OPTION_EXTEND: run->extends = 1; return command_parse_number(value, 1, INT32_MAX, &arguments->study.samples);
    case OPTION_OVERWRITE: run->overwrites = 1; return 1;
    case OPTION_TIME_LIMIT: return command_parse_duration(value, &run->time_limit_s) && run->time_limit_s > 0;
    case OPTION_CHECKPOINT:
        if (!command_parse_duration(value, &run->checkpoint_s)) return 0;
        run->checkpoint_s = run->checkpoint_s == 0 ? -1 : run->checkpoint_s; // after every batch
        return 1;
    case OPTION_TIME: return command_parse_duration(value, &arguments->point_s) && arguments->point_s > 0;
    case OPTION_STUDY: arguments->study_path = value; return 1;
    case OPTION_PARTIAL: arguments->allows_gaps = 1; return 1;
    default: return command_take_figure_option(arguments, option, value);
    }
}

// --- words that are no options --------------------------------------------------------------------

#define OPTIONS_MOST 32 // of a command

static const struct option *command_find_option(const Command *command, const char *word, size_t bytes) {
    const struct option *row = command->options;
    while (row->name != NULL && (strncmp(row->name, word, bytes) != 0 || row->name[bytes] != '\0')) row++;
    return row->name != NULL ? row : NULL;
}

// Whether the word after these letters ("-qo") is the value of their last.
static int command_letters_want_value(const Command *command, const char *letters) {
    for (; *letters != '\0'; letters++) {
        const char *known = strchr(command->letters, *letters);
        if (known != NULL && known[1] == ':') return letters[1] == '\0'; // else the value is what follows them
    }
    return 0;
}

// 1: reported. The option that a word begins, or the nearest.
static int command_refuse_option(const Command *command, const char *word, size_t bytes, int *out_exit) {
    const char *names[OPTIONS_MOST + 1] = {NULL}, *meant = NULL;
    char shown[64];
    for (size_t i = 0; command->options[i].name != NULL && i < OPTIONS_MOST; i++) {
        names[i] = command->options[i].name;
        if (bytes > 0 && meant == NULL && strncmp(names[i], word, bytes) == 0) meant = names[i];
    }
    snprintf(shown, sizeof shown, "%.*s", (int)(bytes < sizeof shown ? bytes : sizeof shown - 1), word);
    if (meant == NULL) meant = word_nearest(shown, names);
    *out_exit = meant != NULL
                    ? command_usage(command->name, "unknown option \"--%s\", did you mean \"--%s\"?", shown, meant)
                    : command_usage(command->name, "unknown option \"--%s\"", shown);
    return 1;
}

// Long options are written out: getopt_long would take the beginning of one, which the next version may make ambiguous.
static int command_refuse_words(int argc, char **argv, const Command *command, int *out_exit) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) == 0) {
            const char *word = argv[i] + 2;
            const size_t bytes = strcspn(word, "=");
            const struct option *row = command_find_option(command, word, bytes);
            if (row == NULL) return command_refuse_option(command, word, bytes, out_exit);
            i += row->has_arg == required_argument && word[bytes] == '\0';
        } else if (argv[i][0] == '-') {
            i += command_letters_want_value(command, argv[i] + 1);
        }
    }
    return 0;
}

// What getopt_long stopped at: an option that is not known, has no value or takes none; or a value that is wrong.
static int command_refuse_value(const Command *command, int option, const char *value) {
    const struct option *row = command->options;
    const int wanted = option == '?' || option == ':' ? optopt : option;
    char name[64];
    while (row->name != NULL && row->val != wanted) row++;
    if (row->name == NULL) return command_usage(command->name, "unknown option \"-%c\"", wanted);
    if (row->has_arg == no_argument) return command_usage(command->name, "--%s: expected no value", row->name);
    if (wanted < OPTION_SET)
        snprintf(name, sizeof name, "-%c, --%s", wanted, row->name);
    else
        snprintf(name, sizeof name, "--%s", row->name);
    if (option == ':' || value == NULL)
        return command_usage(command->name, "%s: expected %s, found nothing", name, command_expected(wanted));
    return command_usage(command->name, "%s: expected %s, found \"%s\"", name, command_expected(wanted), value);
}

int command_parse(int argc, char **argv, const Command *command, Arguments *arguments, int *out_exit) {
    char letters[32]; // those of the command, after the sign that a missing value is reported as ':'
    const char *name = command->name;
    int option = 0;
    *out_exit = 0;
    if (command_refuse_words(argc, argv, command, out_exit)) return 0;
    opterr = 0; // reported here
    snprintf(letters, sizeof letters, ":%s", command->letters);
    while ((option = getopt_long(argc, argv, letters, command->options, NULL)) != -1) {
        if (option != '?' && option != ':' && command_take_option(arguments, option, optarg)) continue;
        *out_exit = command_refuse_value(command, option, optarg);
        return 0;
    }
    if (arguments->wants_help) {
        fputs(command->help, stdout);
        return 0;
    }
    arguments->files = (const char *const *)argv + optind;
    arguments->file_count = (size_t)(argc - optind);
    if (argc - optind == command->wants_file || (command->takes_more && argc - optind > command->wants_file)) {
        arguments->file = command->wants_file > 0 ? argv[optind] : NULL;
        arguments->second_file = command->wants_file > 1 ? argv[optind + 1] : NULL;
        return 1;
    }
    *out_exit = argc - optind < command->wants_file
                    ? command_usage(name, "a file is missing")
                    : command_usage(name, "one argument too many: \"%s\"", argv[argc - 1]);
    return 0;
}

void command_free_arguments(Arguments *arguments) {
    for (size_t i = 0; i < arguments->study.override_count; i++) free((char *)arguments->overrides[i].path);
    free(arguments->overrides);
    free(arguments->study_text);
}

// --- a study on standard input ------------------------------------------------------------------------

#define STDIN_NAME "stdin" // in errors, and of the ensemble: stdin.h5
#define STDIN_BLOCK ((size_t)1 << 16)

static ClackStatus command_read_stdin(char **out_text, size_t *out_bytes, ClackReport *report) {
    size_t capacity = 0, bytes = 0, count = STDIN_BLOCK;
    char *text = NULL;
    while (count == STDIN_BLOCK) {
        if (bytes + STDIN_BLOCK > capacity) {
            capacity = 2 * capacity + STDIN_BLOCK;
            char *grown = realloc(text, capacity);
            if (grown == NULL) free(text);
            text = grown;
        }
        if (text == NULL) return report_add(report, CLACK_MEMORY, STDIN_NAME ": no memory to read it");
        count = fread(text + bytes, 1, STDIN_BLOCK, stdin);
        bytes += count;
    }
    *out_text = text;
    *out_bytes = bytes;
    if (!ferror(stdin)) return CLACK_OK;
    return report_add(report, CLACK_IO, STDIN_NAME ": cannot be read: %s", strerror(errno));
}

ClackStatus command_read_study(Arguments *arguments, ClackStudy **out_study, ClackReport *report) {
    ClackStudyOptions *options = &arguments->study;
    const int is_piped = strcmp(arguments->file, "-") == 0;
    if (is_piped && arguments->study_text == NULL) {
        TRY(command_read_stdin(&arguments->study_text, &options->text_bytes, report));
        options->text = arguments->study_text;
    }
    return clack_study_read(is_piped ? STDIN_NAME : arguments->file, options, out_study, report);
}
