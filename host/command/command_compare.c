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
#include "statistics.h"
#include "text.h"
#include "values.h"
#include "word.h"

#define CONFIDENCE 0.95

// --- intervals ----------------------------------------------------------------------------------------------

typedef struct Interval { // of the mean difference; NaN: there is none
    double lower, upper;
} Interval;

// Scenes in which a quantity of 0 and 1 is 1 in the first file alone, in another one alone, in both, in none.
typedef struct PairedShare {
    double ours, theirs, both, none;
} PairedShare;

// The correlation that both shares have, after Newcombe's correction for few scenes.
static double paired_correlation(const PairedShare *of, double n) {
    const double product =
        (of->both + of->ours) * (of->theirs + of->none) * (of->both + of->theirs) * (of->ours + of->none);
    const double excess = of->both * of->none - of->ours * of->theirs;
    if (product == 0) return 0;
    return (excess > 0 ? fmax(excess - 0.5 * n, 0) : excess) / sqrt(product);
}

// Newcombe, Statistics in Medicine 17 (1998) 2635, method 10: Wilson's intervals of both shares, of the same scenes.
static Interval paired_interval(const PairedShare *of) {
    const double n = of->ours + of->theirs + of->both + of->none;
    const double z = statistics_normal_quantile(0.5 + 0.5 * CONFIDENCE);
    const double ours = (of->ours + of->both) / n, theirs = (of->theirs + of->both) / n;
    const double correlation = paired_correlation(of, n);
    double l1, u1, l2, u2;
    statistics_share_interval(of->ours + of->both, n, z, &l1, &u1);
    statistics_share_interval(of->theirs + of->both, n, z, &l2, &u2);
    const double down = theirs - l2, up = u2 - theirs, rise = u1 - ours, fall = ours - l1;
    const double below = down * down - 2 * correlation * down * rise + rise * rise;
    const double above = up * up - 2 * correlation * up * fall + fall * fall;
    return (Interval){theirs - ours - sqrt(fmax(below, 0)), theirs - ours + sqrt(fmax(above, 0))};
}

static int is_share(const Comparison *comparison, size_t quantity) {
    char *kind =
        record_read_attribute(comparison->files[0].ensemble.reader, comparison->quantities[quantity]->path, "kind");
    const int is = kind != NULL && strcmp(kind, RECORD_KIND_SHARE) == 0;
    free(kind);
    return is;
}

static ClackStatus share_interval(const Comparison *comparison, size_t quantity, size_t file, Interval *out_interval,
                                  ClackReport *report) {
    double *ours = NULL, *theirs = NULL;
    PairedShare share = {0};
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(comparison_values(comparison, quantity, 0, &ours, report));
    TRY_CLEAN(comparison_values(comparison, quantity, file, &theirs, report));
    for (uint64_t i = 0; i < comparison->scene_count; i++) {
        if (isnan(ours[i]) || isnan(theirs[i])) continue;
        double *count = ours[i] != 0 ? (theirs[i] != 0 ? &share.both : &share.ours)
                                     : (theirs[i] != 0 ? &share.theirs : &share.none);
        *count += 1;
    }
    *out_interval = paired_interval(&share);
cleanup:
    free(ours);
    free(theirs);
    return status;
}

static int compare_is_independent(const Comparison *comparison) {
    int is = 1;
    for (size_t file = 0; file < comparison->file_count; file++)
        is &= values_are_independent(&comparison->files[file].ensemble);
    return is;
}

// None where scenes share values. Of a mean Student's t of the differences scene by scene: files have the same scenes.
static ClackStatus difference_interval(const Comparison *comparison, size_t quantity, size_t file,
                                       Interval *out_interval, ClackReport *report) {
    const ComparedValue *value = &comparison->values[quantity * comparison->file_count + file];
    *out_interval = (Interval){NAN, NAN};
    if (value->shared < 2 || !compare_is_independent(comparison)) return CLACK_OK;
    if (is_share(comparison, quantity)) return share_interval(comparison, quantity, file, out_interval, report);
    const double n = (double)value->shared;
    const double half = statistics_t_quantile(0.5 + 0.5 * CONFIDENCE, n - 1) * value->difference_sd / sqrt(n);
    *out_interval = (Interval){value->difference - half, value->difference + half};
    return CLACK_OK;
}

// (quantity_count, file_count), to be freed by the caller.
static ClackStatus compare_intervals(const Comparison *comparison, Interval **out_intervals, ClackReport *report) {
    const size_t files = comparison->file_count;
    *out_intervals = calloc(comparison->quantity_count * files + 1, sizeof **out_intervals);
    if (*out_intervals == NULL) return report_add(report, CLACK_MEMORY, "no memory for a comparison");
    for (size_t i = 0; i < comparison->quantity_count; i++)
        for (size_t file = 1; file < files; file++)
            TRY(difference_interval(comparison, i, file, &(*out_intervals)[i * files + file], report));
    return CLACK_OK;
}

// --- chosen quantities --------------------------------------------------------------------------------------

static ClackStatus refuse_quantity(const Comparison *comparison, const char *name, ClackReport *report) {
    const char **names = calloc(comparison->quantity_count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < comparison->quantity_count; i++) names[i] = comparison->quantities[i]->name;
    const char *nearest = names != NULL ? word_nearest(name, names) : NULL;
    report_add(report, CLACK_USAGE, "--quantities: no quantity \"%.*s\" in %s%s%s%s", TEXT_CUT(name, 60),
               record_read_path(comparison->files[0].ensemble.reader), nearest != NULL ? ", did you mean \"" : "",
               nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    free(names);
    return CLACK_USAGE;
}

static size_t find_quantity(const Comparison *comparison, const char *name) {
    size_t i = 0;
    while (i < comparison->quantity_count && strcmp(comparison->quantities[i]->name, name) != 0) i++;
    return i;
}

// --quantities a,b: these alone, in the order of the file.
static ClackStatus compare_choose(Comparison *comparison, const char *list, ClackReport *report) {
    const size_t files = comparison->file_count;
    char *names = strdup(list), *rest = NULL;
    unsigned char *is_wanted = calloc(comparison->quantity_count + 1, 1);
    int is_any = 0;
    ClackStatus status = CLACK_OK;
    if (names == NULL || is_wanted == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for a comparison"));
    for (char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
        const size_t found = find_quantity(comparison, name);
        if (found == comparison->quantity_count) TRY_CLEAN(refuse_quantity(comparison, name, report));
        is_wanted[found] = 1;
        is_any = 1;
    }
    if (!is_any)
        TRY_CLEAN(report_add(report, CLACK_USAGE,
                             "--quantities: expected names of quantities, such as %s, found \"%s\"",
                             comparison->quantities[0]->name, list));
    size_t kept = 0;
    for (size_t i = 0; i < comparison->quantity_count; i++) {
        if (!is_wanted[i]) continue;
        comparison->quantities[kept] = comparison->quantities[i];
        memmove(&comparison->values[kept * files], &comparison->values[i * files], files * sizeof *comparison->values);
        kept++;
    }
    comparison->quantity_count = kept;
cleanup:
    free(names);
    free(is_wanted);
    return status;
}

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

static void print_quantity(const Comparison *comparison, const Interval *intervals, size_t quantity) {
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
            if (value->shared > 0)
                printf(" %8" PRIu64, value->scene);
            else
                printf(" %8s", "-");
            print_number(intervals[quantity * comparison->file_count + file].lower);
            print_number(intervals[quantity * comparison->file_count + file].upper);
        }
        fputc('\n', stdout);
    }
}

static void print_comparison(const Comparison *comparison, const Interval *intervals) {
    printf("%" PRIu64 " %s in all files, %" PRIu64 " to %" PRIu64 "; differences are from A, scene by scene\n",
           comparison->scene_count, text_plural(comparison->scene_count, "scene", "scenes"), comparison->first_scene,
           comparison->first_scene + comparison->scene_count - 1);
    for (size_t file = 0; file < comparison->file_count; file++) print_file(comparison, file);
    if (!compare_is_independent(comparison)) printf("%s\n", values_no_intervals);
    printf("%12s %12s %12s %8s %12s %12s %12s %8s %12s %12s\n", "scenes", "mean", "sd", "in both", "difference",
           "its sd", "largest", "in scene", "95 %: from", "to");
    for (size_t i = 0; i < comparison->quantity_count; i++) print_quantity(comparison, intervals, i);
}

// --- JSON ---------------------------------------------------------------------------------------------------

static json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *json_value(const ComparedValue *value, const Interval *interval, size_t file) {
    json_t *data = json_pack("{s:I, s:o, s:o}", "scenes", (json_int_t)value->count, "mean", json_number(value->mean),
                             "sd", json_number(value->sd));
    if (data == NULL || file == 0) return data;
    json_object_set_new(data, "in_both", json_integer((json_int_t)value->shared));
    json_object_set_new(data, "difference", json_number(value->difference));
    json_object_set_new(data, "difference_sd", json_number(value->difference_sd));
    json_object_set_new(data, "difference_lower", json_number(interval->lower));
    json_object_set_new(data, "difference_upper", json_number(interval->upper));
    json_object_set_new(data, "largest", json_number(value->largest));
    json_object_set_new(data, "largest_scene",
                        value->shared > 0 ? json_integer((json_int_t)value->scene) : json_null());
    return data;
}

// With the name of the figure, where there is one.
static json_t *json_comparison(const Comparison *comparison, const Interval *intervals, const char *figure) {
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
            json_array_append_new(values, json_value(&comparison->values[i * comparison->file_count + file],
                                                     &intervals[i * comparison->file_count + file], file));
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

// Options of a figure where there is none.
static ClackStatus compare_check_no_figure(const Arguments *arguments, ClackReport *report) {
    const char *option = arguments->width_px > 0        ? "--size"
                         : arguments->dots_per_inch > 0 ? "--dpi"
                         : arguments->title != NULL     ? "--title"
                         : arguments->has_no_title      ? "--no-title"
                                                        : NULL;
    if (option == NULL) return CLACK_OK;
    return report_add(report, CLACK_USAGE, "%s: of a figure, which \"-o FIGURE\" draws", option);
}

static int command_run_compare(Arguments *arguments) {
    ClackReport report = {0};
    Comparison comparison = {0};
    Interval *intervals = NULL;
    json_t *data = NULL;
    ClackStatus status = CLACK_OK;
    status = arguments->output_path != NULL ? command_check_figure(arguments, arguments->output_path, &report)
                                            : compare_check_no_figure(arguments, &report);
    if (status == CLACK_OK) status = comparison_make(arguments->files, arguments->file_count, &comparison, &report);
    if (status == CLACK_OK && arguments->quantities != NULL)
        status = compare_choose(&comparison, arguments->quantities, &report);
    if (status == CLACK_OK) status = compare_intervals(&comparison, &intervals, &report);
    if (status == CLACK_OK && arguments->output_path != NULL) status = compare_draw(arguments, &comparison, &report);
    if (status == CLACK_OK && arguments->is_json)
        data = json_comparison(&comparison, intervals, arguments->output_path);
    else if (status == CLACK_OK)
        print_comparison(&comparison, intervals);
    free(intervals);
    comparison_free(&comparison);
    return command_end(arguments, data, &report, status);
}

static const struct option compare_options[] = {
    OPTION_LINE_HELP,
    {"output", required_argument, NULL, 'o'},
    OPTION_LINES_FIGURE,
    {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    {"quantities", required_argument, NULL, OPTION_QUANTITIES},
    OPTION_LINE_JSON,
    {"quiet", no_argument, NULL, 'q'},
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
        "the first file in each scene: their mean, standard deviation, the largest one, and the interval of their\n"
        "mean (95 %: Student's t; of shares Newcombe's of pairs; of designs saltelli and morris, whose scenes share\n"
        "values, none). Files have the same\n"
        "parameters in each scene: runs of one study by several methods, settings of accuracy, steps or versions.\n"
        "Scenes count that ended ok.\n\n"
        "  -o, --output FIGURE    draw the differences over the first file's values; ends in .svg, .png, .pdf or\n"
        "                         .eps\n"
        "      --size WxH         of the figure, such as 16x9cm, 160x90mm, 6x4in or 800x600px (96 in an inch)\n"
        "      --dpi N            dots of a PNG in an inch; default: 300, or as many as --size has pixels\n"
        "      --title TEXT       in place of the study's\n"
        "      --no-title         none\n"
        "      --overwrite        replace it where it is there\n"
        "      --quantities A,B   these alone\n"
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
