// clack evaluate: contacts and forces of given poses and velocities.
#include <inttypes.h>
#include <jansson.h>

#include "command.h"
#include "describe.h"
#include "status.h"
#include "text.h"

#define ROWS_SHOWN 1000u // of JSON; the file has all

typedef struct ContactRows {
    const ClackStudy *study;
    ClackEvaluateRows kind;
    json_t *list, *regions;
} ContactRows;

// Of --nearest and --net.
static void command_take_pairs(ContactRows *rows, const ClackEvaluator *evaluator, uint64_t first,
                               const ClackBodyState *states, const ClackContacts *contacts) {
    ClackPairs pairs = CLACK_SIZED(ClackPairs);
    ClackReport none = {0};
    if (clack_contacts_pairs(contacts, clack_evaluator_body_count(evaluator), states, &pairs, &none) == CLACK_OK)
        for (size_t i = 0; i < pairs.row_count && json_array_size(rows->list) < ROWS_SHOWN; i++)
            json_array_append_new(rows->list, command_json_pair(rows->study, first, &pairs.rows[i], rows->kind));
    clack_report_clear(&none);
    clack_pairs_free(&pairs);
}

static void command_take_contacts(void *context, const ClackEvaluator *evaluator, uint64_t first,
                                  const ClackBodyState *states, const ClackContacts *contacts) {
    ContactRows *rows = context;
    const size_t bodies = clack_evaluator_body_count(evaluator);
    if (rows->kind != CLACK_ROWS_CONTACTS) command_take_pairs(rows, evaluator, first, states, contacts);
    for (size_t i = 0;
         rows->kind == CLACK_ROWS_CONTACTS && i < contacts->row_count && json_array_size(rows->list) < ROWS_SHOWN;
         i++) {
        const ClackContact *row = &contacts->rows[i];
        const ClackBodyState *own = states + row->configuration * bodies;
        json_array_append_new(rows->list, command_json_contact(rows->study, evaluator, first, own, row));
    }
    for (size_t i = 0; i < contacts->region_count && json_array_size(rows->regions) < ROWS_SHOWN; i++)
        json_array_append_new(rows->regions, command_json_region(rows->study, first, &contacts->regions[i]));
}

static void evaluate_say_regions(const ClackEvaluateSummary *summary) {
    if (summary->region_pairs == 0) return;
    fprintf(stderr,
            "%" PRIu64 " %s of meshes in %u %s of shapes each, largest indentation %.6g m, %" PRIu64
            " open, engulfed or holes\n",
            summary->regions, text_plural(summary->regions, "region", "regions"), summary->region_pairs,
            text_plural(summary->region_pairs, "pair", "pairs"), summary->deepest_region_m, summary->regions_flagged);
}

static int command_evaluate_run(Arguments *arguments) {
    ClackReport report = {0};
    ClackEvaluateSummary summary = CLACK_SIZED(ClackEvaluateSummary);
    ClackStudy *study = NULL;
    ContactRows rows = {.kind = (ClackEvaluateRows)arguments->rows,
                        .list = arguments->is_json ? json_array() : NULL,
                        .regions = arguments->is_json ? json_array() : NULL};
    const int64_t scene = arguments->scene;
    const ClackEvaluateOptions evaluate = {.size = sizeof evaluate,
                                           .device = &arguments->device,
                                           .scene = scene < 0 ? 0 : (uint64_t)scene,
                                           .margin_m = arguments->margin_m,
                                           .list_all = arguments->lists_all ||
                                                       (rows.kind == CLACK_ROWS_NEAREST && arguments->margin_m == 0),
                                           .rows = rows.kind,
                                           .fits_planes = arguments->fits_planes,
                                           .lists_contours = arguments->lists_contours,
                                           .batch_configurations = (uint32_t)arguments->run.batch_scenes};
    ClackEvaluateFileOptions options = {
        .size = sizeof options,
        .evaluate = &evaluate,
        .input_path = arguments->second_file,
        .output_path = arguments->output_path,
        .overwrites = arguments->run.overwrites,
        .command_line = arguments->run.command_line,
        .stop = command_catch_signals(),
        .on_contacts = arguments->is_json ? command_take_contacts : NULL,
        .contacts_context = &rows,
    };
    arguments->study.takes_meshes = arguments->study.is_for_poses = 1;
    ClackStatus status = arguments->has_two_rows ? report_add(&report, CLACK_USAGE, "--nearest, --net: one of the two")
                                                 : command_read_study(arguments, &study, &report);
    rows.study = study;
    if (status == CLACK_OK) status = clack_evaluate_file(study, &options, &summary, &report);
    if (status == CLACK_OK && !arguments->is_quiet) {
        fprintf(stderr,
                "%" PRIu64 " %s, %" PRIu64 " %s of %u possible in each, deepest %.6g m, %" PRIu64 " not ok; %.3f s on ",
                summary.configurations, text_plural(summary.configurations, "configuration", "configurations"),
                summary.contacts, text_plural(summary.contacts, "contact", "contacts"), summary.pairs,
                summary.deepest_m, summary.fallbacks, summary.evaluate_s);
        text_put(stderr, summary.device_name, 0);
        fputc('\n', stderr);
        if (rows.kind != CLACK_ROWS_CONTACTS)
            fprintf(stderr, "%" PRIu64 " %s of bodies, a row each%s\n", summary.body_pairs,
                    text_plural(summary.body_pairs, "pair", "pairs"),
                    summary.region_pairs > 0 ? "; shapes with meshes, which have regions, are not in them" : "");
        evaluate_say_regions(&summary);
        describe_shape_meshes(stderr, study);
        command_say_written(arguments, summary.output_path);
    }
    struct json_t *data = arguments->is_json && status == CLACK_OK ? command_json_evaluation(&summary) : NULL;
    json_t *shape_meshes = data != NULL && summary.region_pairs > 0 ? command_json_shape_meshes(study) : NULL;
    clack_study_free(study);
    if (data != NULL) json_object_set(data, "rows", rows.list);
    if (data != NULL && summary.region_pairs > 0) json_object_set(data, "region_rows", rows.regions);
    if (shape_meshes != NULL) json_object_set(data, "shape_meshes", shape_meshes);
    json_decref(rows.list);
    json_decref(rows.regions);
    json_decref(shape_meshes);
    return command_end(arguments, data, &report, status);
}

static const struct option evaluate_options[] = {
    OPTION_LINES_STUDY,
    {"output", required_argument, NULL, 'o'},
    {"device", required_argument, NULL, 'd'},
    {"quiet", no_argument, NULL, 'q'},
    {"scene", required_argument, NULL, OPTION_SCENE},
    {"margin", required_argument, NULL, OPTION_MARGIN},
    {"all", no_argument, NULL, OPTION_ALL},
    {"plane", required_argument, NULL, OPTION_PLANE},
    {"contours", no_argument, NULL, OPTION_CONTOURS},
    {"nearest", no_argument, NULL, OPTION_NEAREST},
    {"net", no_argument, NULL, OPTION_NET},
    {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"allow-inexact", no_argument, NULL, OPTION_ALLOW_INEXACT},
    {"batch", required_argument, NULL, OPTION_BATCH},
    OPTION_LINE_JSON,
    OPTION_LINE_END,
};

const Command command_evaluate = {
    .name = "evaluate",
    .summary = "contacts and forces of given poses and velocities",
    .help = "  clack evaluate data/bouncing_sphere.yaml bouncing_sphere.h5 --scene 0 -o contacts.h5\n\n"
            "Usage: clack evaluate STUDY INPUT [options]\n"
            "Reads the bodies' states in N configurations, writes the contacts of each, without stepping.\n"
            "INPUT is HDF5: position [N, body, 3] in m and orientation [N, body, 4] (w, x, y, z), and if\n"
            "there are velocity and angular_velocity [N, body, 3], scene_number [N]; or an ensemble with a\n"
            "trajectory of the scene; or CSV with a line for each body: configuration, body (its name in\n"
            "STUDY), position_x, ...\n"
            "Bodies in the order of the study, fixed and absent ones too. Meshes without `decompose` have\n"
            "contact regions: area, normal, centroid, indentation. STUDY needs no \"solver\".\n\n"
            "  -o, --output FILE      default: the input's name with _contacts.h5, in this folder\n"
            "  -d, --device DEVICE    native, gpu, cpu or an index of \"clack devices\";\n"
            "                         default: a GPU with double precision if there is one, else native\n"
            "      --scene I          shapes, materials and pairs are those of scene I (default 0)\n"
            "      --margin M         list contacts up to this distance in m (default 0)\n"
            "      --all              list contacts at any distance\n"
            "      --nearest          a row for two bodies: nearest points and signed distance, at any distance but\n"
            "                         for --margin\n"
            "      --net              a row for two bodies in contact: summed force, and its moment\n"
            "      --plane PLANE      area: regions' normals are those of area vectors (default); fitted: of planes\n"
            "                         fitted to contour points, which jump where contours pass vertices\n"
            "      --contours         the points of the regions' contours, too, for \"clack plot FILE regions\" and\n"
            "                         \"clack export FILE --xdmf\"; files get larger by them\n"
            "      --overwrite        replace a file that is there\n"
            "      --set PATH=VALUE   override a value of the study\n"
            "      --seed N           override the seed of the design\n"
            "      --threads N        threads of the native device (default: all cores)\n"
            "      --allow-inexact    also on a device whose arithmetic is not IEEE 754's (\"clack devices\")\n"
            "      --batch N          configurations on the device at once\n"
            "      --json             a summary and the first 1000 contacts as one JSON object on stdout\n"
            "  -q, --quiet            errors only\n\n"
            "Exit codes: 0 ok, 2 usage, 3 invalid study, 4 input or output, 5 device, 7 the input is not as\n"
            "above, 130 or 143 interrupted (no file).\n",
    .wants_file = 2,
    .letters = "ho:d:q",
    .options = evaluate_options,
    .run = command_evaluate_run,
};
