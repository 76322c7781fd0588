// clack export: ensembles for spreadsheets (CSV), ParaView (XDMF) and programs of molecular dynamics (H5MD); contact
// regions of `clack evaluate` for ParaView.
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "durable.h"
#include "export.h"

typedef struct Export {
    const Arguments *arguments;
    Ensemble ensemble;
    json_t *files; // names of those that were written
} Export;

// A name as everywhere: standard output.
static int command_is_stdout(const char *path) { return path != NULL && strcmp(path, "-") == 0; }

static void command_keep_name(Export *export, const char *path) {
    json_array_append_new(export->files, command_json_text(path));
    command_say_written(export->arguments, path);
}

static ClackStatus command_export_table(Export *export, uint32_t table, const char *path, ClackReport *report) {
    const Arguments *arguments = export->arguments;
    DurableFile file;
    TRY(durable_create(path, arguments->run.overwrites, &file, report));
    const ClackStatus status = export_csv(&export->ensemble, table, arguments->scene, file.stream, report);
    TRY(durable_finish(&file, status, report));
    command_keep_name(export, path);
    return CLACK_OK;
}

// Every table that there is, each in a file of its own.
static ClackStatus command_export_tables(Export *export, ClackReport *report) {
    const char *stem =
        export->arguments->output_path != NULL ? export->arguments->output_path : export->arguments->file;
    ClackStatus status = CLACK_OK;
    for (uint32_t table = 0; status == CLACK_OK && table < EXPORT_TABLES; table++) {
        char middle[32];
        snprintf(middle, sizeof middle, "_%s", export_tables[table]);
        if (!export_has_table(&export->ensemble, table)) continue;
        char *path = NULL;
        if (export->arguments->output_path == NULL) {
            path = command_name_after(stem, middle, ".csv");
        } else { // a name with its folder
            const size_t bytes = strlen(stem) + sizeof middle + sizeof ".csv";
            path = malloc(bytes);
            if (path != NULL) snprintf(path, bytes, "%s%s.csv", stem, middle);
        }
        status = path != NULL ? command_export_table(export, table, path, report)
                              : report_add(report, CLACK_MEMORY, "no memory for names");
        free(path);
    }
    return status;
}

static ClackStatus command_export_csv(Export *export, ClackReport *report) {
    const Arguments *arguments = export->arguments;
    if (arguments->table == NULL) return command_export_tables(export, report);
    for (uint32_t table = 0; table < EXPORT_TABLES; table++) {
        if (strcmp(arguments->table, export_tables[table]) != 0) continue;
        if (arguments->output_path != NULL && !command_is_stdout(arguments->output_path))
            return command_export_table(export, table, arguments->output_path, report);
        return export_csv(&export->ensemble, table, arguments->scene, stdout, report);
    }
    return report_add(report, CLACK_USAGE,
                      "--table: expected scenes, events, contacts, joints or trajectory, found \"%s\"",
                      arguments->table);
}

// The name of -o, a bare one with an ending; else FILE's in this folder. Freed by the caller. ParaView and VisIt choose
// their reader by the ending.
static ClackStatus command_choose_path(const Arguments *arguments, char **out_path, ClackReport *report) {
    const int is_xdmf = arguments->format == 'x';
    const char *path = arguments->output_path, *ending = is_xdmf ? ".xdmf" : ".h5md";
    const char *slash = path != NULL ? strrchr(path, '/') : NULL, *name = slash != NULL ? slash + 1 : path;
    *out_path = NULL;
    if (path == NULL) {
        *out_path = command_name_after(arguments->file, "", ending);
    } else if (name[0] == '\0') {
        return report_add(report, CLACK_USAGE, "-o: expected the name of a file, found \"%s\"", path);
    } else if (strchr(name, '.') == NULL) {
        const size_t bytes = strlen(path) + strlen(ending) + 1;
        *out_path = malloc(bytes);
        if (*out_path != NULL) snprintf(*out_path, bytes, "%s%s", path, ending);
    } else if (is_xdmf && !command_has_ending(path, ".xdmf") && !command_has_ending(path, ".xmf")) {
        return report_add(report, CLACK_USAGE,
                          "-o: expected a name that ends in .xdmf or .xmf, or has no ending, found \"%s\"", path);
    } else {
        *out_path = strdup(path);
    }
    return *out_path != NULL ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for a name");
}

static ClackStatus command_export_scene(Export *export, ClackReport *report) {
    const Arguments *arguments = export->arguments;
    const int is_xdmf = arguments->format == 'x';
    char *path = NULL;
    TRY(command_choose_path(arguments, &path, report));
    const ClackStatus status =
        is_xdmf ? export_xdmf(&export->ensemble, arguments->scene, arguments->study_path, path,
                              arguments->run.overwrites, report)
                : export_h5md(&export->ensemble, arguments->scene, path, arguments->run.overwrites, report);
    if (status == CLACK_OK) command_keep_name(export, path);
    free(path);
    return status;
}

static ClackStatus command_export_ensemble(Export *export, ClackReport *report) {
    TRY(ensemble_open(export->arguments->file, &export->ensemble, report));
    TRY(export->arguments->format == 'c' ? command_export_csv(export, report) : command_export_scene(export, report));
    return ensemble_check(&export->ensemble, report);
}

static ClackStatus command_export_evaluation(Export *export, ClackReport *report) {
    const Arguments *arguments = export->arguments;
    Evaluation evaluation = {0};
    ClackStatus status = CLACK_OK;
    if (arguments->format != 'x')
        return report_add(report, CLACK_USAGE, "%s: is of \"clack evaluate\": it becomes XDMF (--xdmf) only",
                          arguments->file);
    char *path = NULL;
    TRY(command_choose_path(arguments, &path, report));
    TRY_CLEAN(evaluation_open(arguments->file, &evaluation, report));
    TRY_CLEAN(export_xdmf_regions(&evaluation, arguments->configuration, path, arguments->run.overwrites, report));
    command_keep_name(export, path);
cleanup:
    evaluation_close(&evaluation);
    free(path);
    return status;
}

static int command_run_export(Arguments *arguments) {
    ClackReport report = {0};
    if (arguments->format == 0) return command_usage(arguments->command, "one of --csv, --xdmf, --h5md is missing");
    if (arguments->table != NULL && arguments->format != 'c')
        return command_usage(arguments->command, "--table goes with --csv");
    if (command_is_stdout(arguments->output_path) && arguments->table == NULL)
        return command_usage(arguments->command, "-o -: stdout takes one table: --csv --table TABLE");
    if (arguments->is_json && arguments->table != NULL &&
        (arguments->output_path == NULL || command_is_stdout(arguments->output_path)))
        return command_usage(arguments->command, "a table and JSON cannot both go to stdout: -o FILE is missing");
    Export export = {.arguments = arguments, .files = json_array()};
    const ClackStatus status = record_read_is_contacts(arguments->file) ? command_export_evaluation(&export, &report)
                                                                        : command_export_ensemble(&export, &report);
    ensemble_close(&export.ensemble);
    json_t *data = arguments->is_json ? json_pack("{s:O}", "files", export.files) : NULL;
    json_decref(export.files);
    return command_end(arguments, data, &report, status);
}

static const struct option export_options[] = {
    OPTION_LINE_HELP,
    {"csv", no_argument, NULL, OPTION_CSV},
    {"xdmf", no_argument, NULL, OPTION_XDMF},
    {"h5md", no_argument, NULL, OPTION_H5MD},
    {"table", required_argument, NULL, OPTION_TABLE},
    {"scene", required_argument, NULL, OPTION_SCENE},
    {"configuration", required_argument, NULL, OPTION_CONFIGURATION},
    {"study", required_argument, NULL, OPTION_STUDY},
    {"output", required_argument, NULL, 'o'},
    {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    OPTION_LINE_JSON,
    {"quiet", no_argument, NULL, 'q'},
    OPTION_LINE_END,
};

const Command command_export = {
    .name = "export",
    .summary = "write an ensemble as CSV, XDMF (ParaView) or H5MD",
    .help =
        "  clack export bouncing_sphere.h5 --xdmf\n\n"
        "Usage: clack export FILE --csv | --xdmf | --h5md [options]\n"
        "Writes what other programs read.\n\n"
        "      --csv              tables: scenes (status, parameters, quantities), events, contacts, joints,\n"
        "                         trajectory; each there is in a file of its own: NAME_scenes.csv, ...\n"
        "      --xdmf             the bodies of one scene moving, for ParaView and VisIt: NAME.xdmf, and\n"
        "                         NAME.xdmf.h5 with their surfaces; of a file of \"clack evaluate --contours\" its\n"
        "                         contact regions, with their contours\n"
        "      --h5md             the bodies of one scene as particles: NAME.h5md\n"
        "      --table TABLE      of --csv that one alone, into the file of -o or to stdout\n"
        "      --scene I          which scene; --csv: that one alone (default: all); else default: the first\n"
        "                         that has a trajectory\n"
        "      --configuration I  of contact regions: of this pose alone; default: of all, each a time of its own\n"
        "      --study STUDY      of --xdmf: where the study is now, if what it names (points of hulls, a\n"
        "                         table) is not where it was; shapes are not in the ensemble\n"
        "  -o, --output NAME      what to write, without an ending too (of tables always); default: FILE's name, in\n"
        "                         this folder; of one table \"-\": stdout\n"
        "      --overwrite        replace files that are there\n"
        "      --json             the names of the files as one JSON object on stdout\n"
        "  -q, --quiet            errors only\n\n"
        "Exit codes: 0 ok, 2 usage (no such scene, table or trajectory), 3 invalid study, 4 input or output,\n"
        "7 corrupt ensemble, or palettes and files that are not those of the run.\n",
    .wants_file = 1,
    .letters = "ho:q",
    .options = export_options,
    .run = command_run_export,
};
