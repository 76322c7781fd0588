// clack compare: quantities of several ensembles of the same scenes beside each other.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "comparison.h"
#include "plot.h"
#include "record.h"
#include "text.h"

// --- text ---------------------------------------------------------------------------------------------------

static char letter_of(size_t file) { return (char)('A' + file); }

static void print_number(double value) {
    if (isnan(value))
        printf(" %12s", "-");
    else
        printf(" %12.6g", value);
}

static void print_file(const Comparison *comparison, size_t file) {
    const ComparedFile *of = &comparison->files[file];
    printf("  %c  ", letter_of(file));
    text_put(stdout, record_read_path(of->ensemble.reader), 0);
    if (of->study != NULL) {
        fputs("  of ", stdout);
        text_put(stdout, of->study, 0);
    }
    for (const char *at = of->overrides; *at != '\0';) { // a line each
        const size_t bytes = strcspn(at, "\n");
        char *line = strndup(at, bytes);
        fputs("  --set ", stdout);
        if (line != NULL) text_put(stdout, line, 0);
        free(line);
        at += bytes + (at[bytes] == '\n');
    }
    printf("  %" PRIu64 " ok\n", of->ok);
}

static void print_quantity(const Comparison *comparison, size_t quantity) {
    const EnsembleColumn *column = comparison->quantities[quantity];
    const char *unit = record_unit_shown(column->unit);
    text_put(stdout, column->name, 0);
    if (unit[0] != '\0') {
        fputs(" (", stdout);
        text_put(stdout, unit, 0);
        fputc(')', stdout);
    }
    fputc('\n', stdout);
    for (size_t file = 0; file < comparison->file_count; file++) {
        const ComparedValue *value = &comparison->values[quantity * comparison->file_count + file];
        printf("  %c %8" PRIu64, letter_of(file), value->count);
        print_number(value->mean);
        print_number(value->sd);
        if (file > 0) {
            printf(" %8" PRIu64, value->shared);
            print_number(value->difference);
            print_number(value->difference_sd);
            print_number(value->largest);
            if (value->shared > 0) printf(" %8" PRIu64, value->scene);
        }
        fputc('\n', stdout);
    }
}

static void print_comparison(const Comparison *comparison) {
    printf("%" PRIu64 " %s in all files, %" PRIu64 " to %" PRIu64 "; differences are from A, scene by scene\n",
           comparison->scene_count, text_plural(comparison->scene_count, "scene", "scenes"), comparison->first_scene,
           comparison->first_scene + comparison->scene_count - 1);
    for (size_t file = 0; file < comparison->file_count; file++) print_file(comparison, file);
    printf("%12s %12s %12s %8s %12s %12s %12s %8s\n", "scenes", "mean", "sd", "in both", "difference", "its sd",
           "largest", "in scene");
    for (size_t i = 0; i < comparison->quantity_count; i++) print_quantity(comparison, i);
}

// --- JSON ---------------------------------------------------------------------------------------------------

static json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *json_value(const ComparedValue *value, size_t file) {
    json_t *data = json_pack("{s:I, s:o, s:o}", "scenes", (json_int_t)value->count, "mean", json_number(value->mean),
                             "sd", json_number(value->sd));
    if (data == NULL || file == 0) return data;
    json_object_set_new(data, "in_both", json_integer((json_int_t)value->shared));
    json_object_set_new(data, "difference", json_number(value->difference));
    json_object_set_new(data, "difference_sd", json_number(value->difference_sd));
    json_object_set_new(data, "largest", json_number(value->largest));
    json_object_set_new(data, "largest_scene",
                        value->shared > 0 ? json_integer((json_int_t)value->scene) : json_null());
    return data;
}

// With the name of the figure, where there is one.
static json_t *json_comparison(const Comparison *comparison, const char *figure) {
    json_t *files = json_array(), *quantities = json_array();
    for (size_t file = 0; file < comparison->file_count; file++) {
        const ComparedFile *of = &comparison->files[file];
        json_array_append_new(
            files, json_pack("{s:o, s:o, s:o, s:I}", "file", command_json_text(record_read_path(of->ensemble.reader)),
                             "study", of->study != NULL ? command_json_text(of->study) : json_null(), "overrides",
                             command_json_text(of->overrides), "ok", (json_int_t)of->ok));
    }
    for (size_t i = 0; i < comparison->quantity_count; i++) {
        json_t *values = json_array();
        for (size_t file = 0; file < comparison->file_count; file++)
            json_array_append_new(values, json_value(&comparison->values[i * comparison->file_count + file], file));
        json_array_append_new(quantities,
                              json_pack("{s:o, s:o, s:o}", "name", command_json_text(comparison->quantities[i]->name),
                                        "unit", command_json_text(comparison->quantities[i]->unit), "files", values));
    }
    return json_pack("{s:I, s:I, s:o, s:o, s:o}", "first_scene", (json_int_t)comparison->first_scene, "scenes",
                     (json_int_t)comparison->scene_count, "files", files, "quantities", quantities, "output",
                     figure != NULL ? command_json_text(figure) : json_null());
}

// --- the command ----------------------------------------------------------------------------------------------

static ClackStatus compare_draw(const Arguments *arguments, const Comparison *comparison, ClackReport *report) {
    char *image = NULL;
    size_t bytes = 0;
    ClackStatus status = CLACK_OK;
    PlotOptions options = {.kind = "comparison"};
    command_set_figure(arguments, arguments->output_path, &options);
    TRY_CLEAN(plot_make_comparison(comparison, &options, &image, &bytes, report));
    status = command_write_figure(arguments, arguments->output_path, image, bytes, report);
cleanup:
    free(image);
    return status;
}

static int command_run_compare(Arguments *arguments) {
    ClackReport report = {0};
    Comparison comparison = {0};
    json_t *data = NULL;
    ClackStatus status = CLACK_OK;
    if (arguments->output_path != NULL) status = command_check_figure(arguments, arguments->output_path, &report);
    if (status == CLACK_OK) status = comparison_make(arguments->files, arguments->file_count, &comparison, &report);
    if (status == CLACK_OK && arguments->output_path != NULL) status = compare_draw(arguments, &comparison, &report);
    if (status == CLACK_OK && arguments->is_json)
        data = json_comparison(&comparison, arguments->output_path);
    else if (status == CLACK_OK)
        print_comparison(&comparison);
    comparison_free(&comparison);
    return command_end(arguments, data, &report, status);
}

static const struct option compare_options[] = {
    OPTION_LINE_HELP,    {"output", required_argument, NULL, 'o'},
    OPTION_LINES_FIGURE, {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    OPTION_LINE_JSON,    {"quiet", no_argument, NULL, 'q'},
    OPTION_LINE_END,
};

const Command command_compare = {
    .name = "compare",
    .summary = "quantities of several ensembles of the same scenes",
    .help =
        "  clack compare $(for m in events quasi_rigid; do clack run data/three_models.yaml --set solver.method=$m "
        "-o $m.h5 --overwrite -q; echo $m.h5; done)\n\n"
        "Usage: clack compare FILE FILE... [-o FIGURE] [options]\n"
        "Prints, for each quantity, mean and standard deviation over the scenes of each file, and its differences "
        "from\n"
        "the first file in each scene: their mean, standard deviation, and the largest one. Files have the same\n"
        "parameters in each scene: runs of one study by several methods, settings of accuracy, steps or versions.\n"
        "Scenes count that ended ok.\n\n"
        "  -o, --output FIGURE    draw the differences over the first file's values; ends in .svg, .png, .pdf or\n"
        "                         .eps\n"
        "      --size WxH         of the figure, such as 16x9cm, 160x90mm, 6x4in or 800x600px (96 in an inch)\n"
        "      --dpi N            dots of a PNG in an inch; default: 300, or as many as --size has pixels\n"
        "      --title TEXT       in place of the study's\n"
        "      --no-title         none\n"
        "      --overwrite        replace it where it is there\n"
        "      --json             one JSON object instead\n"
        "  -q, --quiet            no warnings of what is not in all files\n\n"
        "Exit codes: 0 ok, 2 usage (other parameters, no quantity), 4 input or output, no gnuplot, 7 no ensemble file "
        "or a\ndamaged one.\n",
    .wants_file = 2,
    .takes_more = 1,
    .letters = "ho:q",
    .options = compare_options,
    .run = command_run_compare,
};
