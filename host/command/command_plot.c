// clack plot: figures of an ensemble as SVG, PNG, PDF or EPS.
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "plot.h"

typedef struct Image {
    char *bytes; // owned
    size_t count;
} Image;

static ClackStatus command_draw_ensemble(const char *path, const PlotOptions *options, Image *out_image,
                                         ClackReport *report) {
    Ensemble ensemble = {0};
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(ensemble_open(path, &ensemble, report));
    TRY_CLEAN(plot_make(&ensemble, options, &out_image->bytes, &out_image->count, report));
    status = ensemble_check(&ensemble, report);
cleanup:
    ensemble_close(&ensemble);
    return status;
}

static ClackStatus command_draw_evaluation(const char *path, const PlotOptions *options, Image *out_image,
                                           ClackReport *report) {
    Evaluation evaluation = {0};
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(plot_check_evaluation(path, options->kind, report));
    TRY_CLEAN(evaluation_open(path, &evaluation, report));
    TRY_CLEAN(plot_make_evaluation(&evaluation, options, &out_image->bytes, &out_image->count, report));
    status = evaluation_check(&evaluation, report);
cleanup:
    evaluation_close(&evaluation);
    return status;
}

static ClackStatus command_draw(const Arguments *arguments, const char *kind, const char *path, ClackReport *report) {
    Image image = {0};
    ClackStatus status = CLACK_OK;
    PlotOptions options = {.kind = kind,
                           .names = arguments->files + 2,
                           .name_count = arguments->file_count > 2 ? arguments->file_count - 2 : 0,
                           .scene = arguments->scene,
                           .configuration = arguments->configuration,
                           .study_path = arguments->study_path,
                           .planes = arguments->planes,
                           .times_s = arguments->times_s,
                           .time_count = arguments->time_count,
                           .view_deg = {arguments->view_deg[0], arguments->view_deg[1]},
                           .has_view = arguments->has_view,
                           .interval_s = {arguments->interval_s[0], arguments->interval_s[1]},
                           .has_interval = arguments->has_interval};
    TRY_CLEAN(command_check_figure(arguments, path, report));
    command_set_figure(arguments, path, &options);
    TRY_CLEAN(record_read_is_contacts(arguments->file)
                  ? command_draw_evaluation(arguments->file, &options, &image, report)
                  : command_draw_ensemble(arguments->file, &options, &image, report));
    status = command_write_figure(arguments, path, image.bytes, image.count, report);
cleanup:
    free(image.bytes);
    return status;
}

static int command_run_plot(Arguments *arguments) {
    ClackReport report = {0};
    const char *common = record_read_is_contacts(arguments->file) ? "regions" : "histogram";
    const char *kind = arguments->file_count > 1 ? arguments->files[1] : common;
    char middle[64];
    snprintf(middle, sizeof middle, "_%.60s", kind);
    char *named = command_name_after(arguments->file, middle, ".svg");
    const char *path = arguments->output_path != NULL ? arguments->output_path : named;
    ClackStatus status = CLACK_OK;
    if (named == NULL)
        status = report_add(&report, CLACK_MEMORY, "no memory for a name");
    else
        status = command_draw(arguments, kind, path, &report);
    json_t *data =
        arguments->is_json ? json_pack("{s:o?}", "output", status == CLACK_OK ? command_json_text(path) : NULL) : NULL;
    free(named);
    return command_end(arguments, data, &report, status);
}

static const struct option plot_options[] = {
    OPTION_LINE_HELP,
    {"scene", required_argument, NULL, OPTION_SCENE},
    {"configuration", required_argument, NULL, OPTION_CONFIGURATION},
    {"study", required_argument, NULL, OPTION_STUDY},
    {"at", required_argument, NULL, OPTION_AT},
    {"view", required_argument, NULL, OPTION_VIEW},
    {"time", required_argument, NULL, OPTION_INTERVAL},
    {"plane", required_argument, NULL, OPTION_PLANES},
    OPTION_LINES_FIGURE,
    {"xlabel", required_argument, NULL, OPTION_X_LABEL},
    {"ylabel", required_argument, NULL, OPTION_Y_LABEL},
    {"output", required_argument, NULL, 'o'},
    {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    OPTION_LINE_JSON,
    {"quiet", no_argument, NULL, 'q'},
    OPTION_LINE_END,
};

#define PLOT_HELP_LINE(name, names, sentence) "  " #name " " names "\n        " sentence "\n"

const Command command_plot = {
    .name = "plot",
    .summary = "draw figures of an ensemble with gnuplot",
    .help =
        "  clack plot bouncing_sphere.h5 scatter -o scatter.svg\n\n"
        "Usage: clack plot FILE [KIND [NAME]...] [options]\n"
        "Draws a figure of an ensemble; without KIND a histogram of each quantity. FILE may be one of \"clack\n"
        "evaluate\", whose figure is regions. NAMEs are those of parameters, quantities and bodies. KIND is one "
        "of\n\n" PLOT_KIND_LIST(
            PLOT_HELP_LINE) "\n"
                            "      --scene I          which scene trajectory, path, scene, energy, force, events and "
                            "regions "
                            "are of;\n                         default: the first\n"
                            "      --configuration I  which pose regions are of; default: the first that has any\n"
                            "      --study STUDY      of energy, path and scene: where the study is now, as of \"clack "
                            "export\"\n"
                            "      --at TIMES         of scene: in s, such as 0,0.1,0.25, the nearest that were "
                            "recorded; default: the "
                            "start\n"
                            "      --view AZ,EL       of scene: from where, in degrees about z from x on, and above "
                            "the "
                            "plane of x and y;\n                         default: -60,25\n"
                            "      --time A,B         of trajectory, path, energy, force and events: from A to B in s, "
                            "such "
                            "as 0.13,0.16;\n                         default: all\n"
                            "      --plane PLANES     of path: xy, xz or yz, or several, such as xz,xy; default: the "
                            "one in which "
                            "the bodies\n                         move most\n"
                            "      --size WxH         of the figure, such as 16x9cm, 160x90mm, 6x4in or 800x600px (96 "
                            "in an "
                            "inch)\n"
                            "      --dpi N            dots of a PNG in an inch; default: 300, or as many as --size "
                            "has pixels\n"
                            "      --title TEXT       in place of the study's\n"
                            "      --no-title         none\n"
                            "      --xlabel TEXT      along x, in place of what it says; of all panels, but of scene\n"
                            "      --ylabel TEXT      along y, the same\n"
                            "  -o, --output FILE      ends in .svg, .png, .pdf or .eps; default: FILE's name, "
                            "_KIND.svg, in this folder\n"
                            "      --overwrite        replace it where it is there\n"
                            "      --json             its name as one JSON object on stdout\n"
                            "  -q, --quiet            errors only\n\n"
                            "Exit codes: 0 ok, 2 usage (no such kind, name or scene), 4 input or output, no "
                            "gnuplot, 7 corrupt ensemble.\n",
    .wants_file = 1,
    .takes_more = 1,
    .letters = "ho:q",
    .options = plot_options,
    .run = command_run_plot,
};
