// clack validate and clack sample: what a study file holds, without running it.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "describe.h"
#include "export.h"
#include "status.h"
#include "study.h"
#include "text.h"

static int command_run_validate(Arguments *arguments) {
    ClackReport report = {0};
    ClackStudy *study = NULL;
    json_t *data = NULL;
    arguments->study.tells_idle = arguments->is_verbose;
    ClackStatus status = command_read_study(arguments, &study, &report);
    if (status == CLACK_OK) status = clack_study_check_start(study, 0, &report);
    if (status == CLACK_OK && arguments->is_json) {
        data = command_json_study(study);
    } else if (status == CLACK_OK) {
        const uint64_t scenes = study->design.scene_count;
        const uint32_t bodies = study->scene.body_count, shapes = study->scene.shape_count;
        text_put(stdout, arguments->file, 0);
        printf(": valid: %" PRIu64 " %s, %u %s, %u %s, %u %s, %u %s\n", scenes, text_plural(scenes, "scene", "scenes"),
               bodies, text_plural(bodies, "body", "bodies"), shapes, text_plural(shapes, "shape", "shapes"),
               study->parameter_count, text_plural(study->parameter_count, "parameter", "parameters"),
               study->quantity_count, text_plural(study->quantity_count, "quantity", "quantities"));
        describe_meshes(stdout, study);
        if (arguments->is_verbose) status = describe_start(stdout, study, 0, &report);
    }
    clack_study_free(study);
    return command_end(arguments, data, &report, status);
}

static const struct option validate_options[] = {
    OPTION_LINES_STUDY, OPTION_LINE_JSON, {"verbose", no_argument, NULL, 'v'}, OPTION_LINE_END};

const Command command_validate = {
    .name = "validate",
    .summary = "check a study file and say what it holds",
    .help =
        "  clack validate data/bouncing_sphere.yaml\n\n"
        "Usage: clack validate STUDY [--set PATH=VALUE]... [--seed N] [--json] [--verbose]\n"
        "Prints one line about a valid study and one about each of its meshes, else every error with file, line "
        "and column (exit 3).\n\n"
        "      --json             one JSON object; its \"errors\" have file, line, column, key, message\n"
        "  -v, --verbose          also masses, radii of contact and constants of pairs of scene 0, and a warning of "
        "each key that solver.method, where it is given, does not read\n",
    .wants_file = 1,
    .letters = "hv",
    .options = validate_options,
    .run = command_run_validate,
};

// --- sample -------------------------------------------------------------------------------------

// Scenes [first, end), a line for each; stops where the stream fails.
static void command_print_csv(FILE *out, const ClackStudy *study, uint64_t first, uint64_t end, double *values) {
    const uint32_t count = clack_study_parameter_count(study);
    fputs("scene", out);
    for (uint32_t i = 0; i < count; i++) {
        fputc(',', out);
        export_csv_field(out, clack_study_parameter_name(study, i));
    }
    fputc('\n', out);
    for (uint64_t scene = first; scene < end && !ferror(out); scene++) {
        clack_study_sample(study, scene, values);
        fprintf(out, "%" PRIu64, scene);
        for (uint32_t i = 0; i < count; i++) fprintf(out, ",%.17g", values[i]);
        fputc('\n', out);
    }
}

// The same as JSON, row by row: a design may have more scenes than memory holds as JSON values.
static void command_print_rows(FILE *out, const ClackStudy *study, uint64_t first, uint64_t end, double *values) {
    const uint32_t count = clack_study_parameter_count(study);
    json_t *head = json_pack("{s:s, s:s, s:s, s:i, s:[], s:[], s:o}", "command", "sample", "version", CLACK_VERSION,
                             "status", clack_status_word(CLACK_OK), "exit_code", 0, "errors", "warnings", "columns",
                             command_json_columns(study));
    fputc('{', out);
    json_dumpf(head, out, JSON_EMBED);
    json_decref(head);
    fputs(",\n\"rows\": [", out);
    for (uint64_t scene = first; scene < end && !ferror(out); scene++) {
        clack_study_sample(study, scene, values);
        json_t *row = command_json_row(scene, values, count);
        fputs(scene == first ? "\n" : ",\n", out);
        json_dumpf(row, out, 0);
        json_decref(row);
    }
    fputs("\n]}\n", out);
}

static ClackStatus command_print_sample(const Arguments *arguments, const ClackStudy *study, FILE *out,
                                        ClackReport *report) {
    const uint64_t scenes = clack_study_scene_count(study);
    const int64_t only = arguments->scene;
    if (only >= 0 && (uint64_t)only >= scenes) return study_refuse_scene(scenes, (uint64_t)only, report);
    if (arguments->count > scenes) {
        return report_add(report, CLACK_USAGE, "-n %" PRIu64 ": the study has %" PRIu64 " %s", arguments->count, scenes,
                          text_plural(scenes, "scene", "scenes"));
    }
    const uint64_t first = only >= 0 ? (uint64_t)only : 0;
    const uint64_t end = only >= 0 ? first + 1 : arguments->count > 0 ? arguments->count : scenes;
    double *values = calloc((size_t)clack_study_parameter_count(study) + 1, sizeof *values);
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for a scene's parameters");
    if (arguments->is_json)
        command_print_rows(out, study, first, end, values);
    else
        command_print_csv(out, study, first, end, values);
    free(values);
    return CLACK_OK;
}

static ClackStatus command_sample_to_file(const Arguments *arguments, const ClackStudy *study, ClackReport *report) {
    const char *path = arguments->output_path;
    FILE *out = fopen(path, "w");
    if (out == NULL) return report_add(report, CLACK_IO, "%s: cannot be written: %s", path, strerror(errno));
    const ClackStatus status = command_print_sample(arguments, study, out, report);
    const int is_whole = fflush(out) == 0 && !ferror(out);
    const int reason = errno;
    const int is_closed = fclose(out) == 0;
    if (status == CLACK_OK && is_whole && is_closed) return CLACK_OK;
    struct stat about;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) unlink(path); // no half of a table
    if (status != CLACK_OK) return status;
    return report_add(report, CLACK_IO, "%s: cannot be written: %s", path, strerror(is_whole ? errno : reason));
}

static int command_run_sample(Arguments *arguments) {
    ClackReport report = {0};
    ClackStudy *study = NULL;
    if (arguments->format == 'c') arguments->is_json = 0;
    ClackStatus status = command_read_study(arguments, &study, &report);
    if (status == CLACK_OK) {
        status = arguments->output_path == NULL ? command_print_sample(arguments, study, stdout, &report)
                                                : command_sample_to_file(arguments, study, &report);
    }
    clack_study_free(study);
    if (status == CLACK_OK) arguments->is_json = 0; // the document has been written, row by row
    return command_end(arguments, NULL, &report, status);
}

static const struct option sample_options[] = {
    OPTION_LINES_STUDY,
    OPTION_LINE_JSON,
    {"csv", no_argument, NULL, OPTION_CSV},
    {"number", required_argument, NULL, 'n'},
    {"output", required_argument, NULL, 'o'},
    {"scene", required_argument, NULL, OPTION_SCENE},
    OPTION_LINE_END,
};

const Command command_sample = {
    .name = "sample",
    .summary = "print the sampled parameters of scenes without running them",
    .help = "  clack sample data/bouncing_sphere.yaml -n 5\n\n"
            "Usage: clack sample STUDY [options]\n"
            "Prints a line of names and a line of values for each scene, as the run will use them; 17 digits,\n"
            "so that reading them gives the same bits.\n\n"
            "  -n, --number N         the first N scenes (default: all)\n"
            "      --scene I          scene I alone\n"
            "  -o, --output FILE      into a file instead of stdout\n"
            "      --csv, --json      comma-separated values (default), or one JSON object\n"
            "      --set PATH=VALUE   override a value of the study\n"
            "      --seed N           override the seed of the design\n",
    .wants_file = 1,
    .letters = "hn:o:",
    .options = sample_options,
    .run = command_run_sample,
};
