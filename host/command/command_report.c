// clack report: an ensemble as one page of HTML.
#include <jansson.h>
#include <stdlib.h>

#include "command.h"
#include "durable.h"
#include "page.h"

static ClackStatus command_write_page(const Arguments *arguments, const char *path, ClackReport *report) {
    Ensemble ensemble = {0};
    DurableFile file = {0};
    ClackReport figures = {0};
    TRY(ensemble_open(arguments->file, &ensemble, report));
    ClackStatus status = durable_create(path, arguments->run.overwrites, &file, report);
    if (status == CLACK_OK) status = page_write(&ensemble, file.stream, &figures, report);
    if (status == CLACK_OK) status = ensemble_check(&ensemble, report);
    status = durable_finish(&file, status, report);
    if (status == CLACK_OK && figures.count > 0) fprintf(stderr, "clack: without figures: %s\n", figures.lines[0]);
    if (status == CLACK_OK) command_say_written(arguments, path);
    clack_report_clear(&figures);
    ensemble_close(&ensemble);
    return status;
}

static int command_run_report(Arguments *arguments) {
    ClackReport report = {0};
    char *named = command_name_after(arguments->file, "", ".html");
    const char *path = arguments->output_path != NULL ? arguments->output_path : named;
    ClackStatus status = CLACK_OK;
    if (named == NULL)
        status = report_add(&report, CLACK_MEMORY, "no memory for a name");
    else if (!command_has_ending(path, ".html") && !command_has_ending(path, ".htm"))
        status = report_add(&report, CLACK_USAGE, "-o: expected a name that ends in .html or .htm, found \"%s\"", path);
    else
        status = command_write_page(arguments, path, &report);
    json_t *data =
        arguments->is_json ? json_pack("{s:o?}", "output", status == CLACK_OK ? command_json_text(path) : NULL) : NULL;
    free(named);
    return command_end(arguments, data, &report, status);
}

static const struct option report_options[] = {
    OPTION_LINE_HELP, {"output", required_argument, NULL, 'o'}, {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    OPTION_LINE_JSON, {"quiet", no_argument, NULL, 'q'},        OPTION_LINE_END,
};

const Command command_report = {
    .name = "report",
    .summary = "write one page of HTML about an ensemble",
    .help =
        "  clack report bouncing_sphere.h5\n\n"
        "Usage: clack report FILE [options]\n"
        "Writes one page that needs nothing else: what was run and on what, statistics and figures of quantities and\n"
        "parameters, sensitivity, failed scenes with the command that runs each again, the study.\n\n"
        "  -o, --output PAGE      ends in .html or .htm; default: FILE's name with .html, in this folder\n"
        "      --overwrite        replace it where it is there\n"
        "      --json             its name as one JSON object on stdout\n"
        "  -q, --quiet            errors only\n\n"
        "Figures need gnuplot; without it the page has none and says so.\n"
        "Exit codes: 0 ok, 2 usage, 4 input or output, 7 corrupt ensemble.\n",
    .wants_file = 1,
    .letters = "ho:q",
    .options = report_options,
    .run = command_run_report,
};
