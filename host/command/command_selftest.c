// clack selftest: does this device on this machine compute what it should?
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "device.h"
#include "ensemble.h"

#define SCENES 32u
#define QUANTITIES_MAX 8u
#define GRAVITY_M_PER_S2 9.81  // clack's default
#define TIME_ERROR_S 1.0e-12   // events are located to rounding
#define SPEED_ERROR 1.0e-6     // of impacts with `accuracy: accurate`
#define MOMENTUM_ERROR 1.0e-12 // relative: the forces on both bodies are one number
#define DEVICE_ERROR 1.0e-9    // relative, where a device rounds differently

static const char fall_text[] =
    "format: 1\n"
    "variables: {height: {uniform: [0.5, 1.5]}}\n"
    "scene:\n"
    "  bodies:\n"
    "    ground: {fixed: true, material: steel, shapes: [{half_space: {offset: -0.05}}]}\n"
    "    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, $height]}\n"
    "design: {monte_carlo: {samples: 32}}\n"
    "solver: {end: 0.6}\n"
    "outputs: {quantities: {first_impact: {time_of: contact_begin}}}\n";

// One ball meets an equal one at rest: they leave with (1 - e) / 2 and (1 + e) / 2 of its speed.
static const char impact_text[] =
    "format: 1\n"
    "variables: {e: {uniform: [0.3, 0.9]}}\n"
    "scene:\n"
    "  gravity: [0, 0, 0]\n"
    "  pairs: [{between: [steel, steel], restitution: $e, damping: exact, friction: 0, rolling: 0, v_small: 1.0e-9, "
    "d_max: 1.0e9}]\n"
    "  bodies:\n"
    "    a: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [-0.11, 0, 0], velocity: [1, 0, 0]}\n"
    "    b: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}\n"
    "design: {monte_carlo: {samples: 32}}\n"
    "solver: {end: 0.05, accuracy: accurate}\n"
    "outputs: {quantities: {a: {final: a.velocity.x}, b: {final: b.velocity.x}}}\n";

// Edges, friction, spin, the search for nearest points: whatever rounds differently shows.
static const char tumble_text[] =
    "format: 1\n"
    "variables: {height: {uniform: [0.15, 0.2]}, spin: {uniform: [-5, 5]}}\n"
    "scene:\n"
    "  bodies:\n"
    "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
    "    box: {material: steel, shapes: [{box: {lengths: [0.1, 0.07, 0.05]}}], position: [0, 0, $height],\n"
    "          rotation: {cardan: [0.3, 0.2, 0.1]}, velocity: [0.5, 0, 0], angular_velocity: [$spin, 1, 2]}\n"
    "    egg: {material: steel, shapes: [{ellipsoid: {lengths: [0.06, 0.06, 0.09]}}], position: [0.1, 0, $height],\n"
    "          rotation: {cardan: [1, 0, 0]}, velocity: [-0.5, 0, 0]}\n"
    "design: {monte_carlo: {samples: 32}}\n"
    "solver: {end: 0.25}\n"
    "outputs: {quantities: {x: {final: box.position.x}, z: {final: box.position.z}, spin: {final: "
    "box.angular_velocity.y},\n"
    "          egg: {final: egg.position.x}, hits: {count: contact_begin}}}\n";

typedef struct Results { // of all scenes, in their order
    double parameters[SCENES][QUANTITIES_MAX], quantities[SCENES][QUANTITIES_MAX];
    uint32_t parameter_count, quantity_count, ok_count;
} Results;

typedef struct SelfTest {
    Arguments *arguments;
    json_t *checks;
    int has_failed;
} SelfTest;

__attribute__((format(printf, 4, 5))) static void selftest_say(SelfTest *test, const char *name, int is_right,
                                                               const char *format, ...) {
    char detail[512];
    va_list list;
    va_start(list, format);
    vsnprintf(detail, sizeof detail, format, list);
    va_end(list);
    json_array_append_new(test->checks,
                          json_pack("{s:s, s:b, s:s}", "name", name, "is_ok", is_right, "detail", detail));
    if (!test->arguments->is_json) printf("%-6s %-10s %s\n", is_right ? "ok" : "wrong", name, detail);
    fflush(stdout); // a GPU's compiler takes minutes until the next one
    test->has_failed |= !is_right;
}

static void selftest_take(void *context, const ClackBatch *batch) {
    Results *results = context;
    const uint32_t p = results->parameter_count, q = results->quantity_count;
    for (uint32_t i = 0; i < batch->scene_count; i++) {
        const size_t scene = (size_t)batch->scene_numbers[i];
        if (scene >= SCENES) continue;
        results->ok_count += batch->statuses[i] == 0 ? 1 : 0;
        memcpy(results->parameters[scene], batch->parameters + (size_t)i * p, p * sizeof(double));
        memcpy(results->quantities[scene], batch->quantities + (size_t)i * q, q * sizeof(double));
    }
}

// Runs a built-in study; into a file where `path` is not NULL.
static ClackStatus selftest_run(const char *text, size_t bytes, const ClackDeviceOptions *device, const char *path,
                                Results *results, ClackReport *report) {
    const ClackStudyOptions options = {.size = sizeof options, .text = text, .text_bytes = bytes};
    ClackStudy *study = NULL;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    *results = (Results){0};
    ClackStatus status = clack_study_read("selftest.yaml", &options, &study, report);
    if (status != CLACK_OK) return status;
    results->parameter_count = clack_study_parameter_count(study);
    results->quantity_count = clack_study_quantity_count(study);
    const ClackRunOptions run = {.size = sizeof run,
                                 .output_path = path,
                                 .no_file = path == NULL,
                                 .device = device,
                                 .failures_allowed = SCENES,
                                 .on_batch = selftest_take,
                                 .batch_context = results,
                                 .command_line = "clack selftest"};
    status = clack_run(study, &run, &summary, report);
    clack_study_free(study);
    return status;
}

// --- checks ---------------------------------------------------------------------------------------

static ClackStatus selftest_fall(SelfTest *test, ClackReport *report) {
    Results results;
    double worst_s = 0;
    const ClackStatus status =
        selftest_run(fall_text, sizeof fall_text - 1, &test->arguments->device, NULL, &results, report);
    if (status != CLACK_OK) return status;
    for (uint32_t i = 0; i < SCENES; i++) {
        const double error_s = fabs(results.quantities[i][0] - sqrt(2 * results.parameters[i][0] / GRAVITY_M_PER_S2));
        if (!(error_s <= worst_s)) worst_s = error_s; // NaN stays
    }
    selftest_say(test, "fall", worst_s < TIME_ERROR_S && results.ok_count == SCENES,
                 "times of impact are sqrt(2 h / g): %.2g s off at most, %.0e allowed", worst_s, TIME_ERROR_S);
    return CLACK_OK;
}

static ClackStatus selftest_impact(SelfTest *test, ClackReport *report) {
    Results results;
    double speed = 0, momentum = 0;
    const ClackStatus status =
        selftest_run(impact_text, sizeof impact_text - 1, &test->arguments->device, NULL, &results, report);
    if (status != CLACK_OK) return status;
    for (uint32_t i = 0; i < SCENES; i++) {
        const double e = results.parameters[i][0], a = results.quantities[i][0], b = results.quantities[i][1];
        const double off = fmax(fabs(a - (1 - e) / 2), fabs(b - (1 + e) / 2));
        if (!(off <= speed)) speed = off;
        if (!(fabs(a + b - 1) <= momentum)) momentum = fabs(a + b - 1);
    }
    selftest_say(test, "impact", speed < SPEED_ERROR && momentum < MOMENTUM_ERROR && results.ok_count == SCENES,
                 "speeds after impacts: %.2g off at most, %.0e allowed; momentum: %.2g, %.0e allowed", speed,
                 SPEED_ERROR, momentum, MOMENTUM_ERROR);
    return CLACK_OK;
}

// The same scenes on the native device give the same bits, or nearly.
static ClackStatus selftest_bits(SelfTest *test, ClackReport *report) {
    const ClackDeviceOptions native = {
        .size = sizeof native, .choice = "native", .allow_inexact = test->arguments->device.allow_inexact};
    Results here, there;
    double worst = 0;
    uint32_t equal = 0;
    ClackStatus status = selftest_run(tumble_text, sizeof tumble_text - 1, &native, NULL, &here, report);
    if (status != CLACK_OK) return status;
    status = selftest_run(tumble_text, sizeof tumble_text - 1, &test->arguments->device, NULL, &there, report);
    if (status != CLACK_OK) return status;
    for (uint32_t i = 0; i < SCENES; i++) {
        equal += memcmp(here.quantities[i], there.quantities[i], sizeof here.quantities[i]) == 0 ? 1 : 0;
        for (uint32_t q = 0; q < here.quantity_count; q++) {
            const double off =
                fabs(here.quantities[i][q] - there.quantities[i][q]) / fmax(1, fabs(here.quantities[i][q]));
            if (!(off <= worst)) worst = off;
        }
    }
    const int is_right = worst <= DEVICE_ERROR && there.ok_count == SCENES && here.ok_count == SCENES;
    if (equal == SCENES)
        selftest_say(test, "bits", is_right, "%u tumbling scenes give the same bits as native", SCENES);
    else
        selftest_say(test, "bits", is_right,
                     "%u of %u tumbling scenes give the same bits as native; %.2g off at most, %.0e allowed", equal,
                     SCENES, worst, DEVICE_ERROR);
    return CLACK_OK;
}

static ClackStatus selftest_read_back(const char *path, const Results *results, int *out_is_same, ClackReport *report) {
    Ensemble ensemble = {0};
    const EnsembleColumn *column = NULL;
    double *values = NULL;
    ClackStatus status = ensemble_open(path, &ensemble, report);
    if (status == CLACK_OK) status = ensemble_find(&ensemble, "first_impact", ENSEMBLE_QUANTITY, &column, report);
    if (status == CLACK_OK) status = ensemble_values(&ensemble, column, &values, report);
    *out_is_same = status == CLACK_OK && ensemble.scene_count == SCENES;
    for (uint32_t i = 0; i < SCENES && *out_is_same; i++) *out_is_same = values[i] == results->quantities[i][0];
    free(values);
    ensemble_close(&ensemble);
    return status;
}

static ClackStatus selftest_file(SelfTest *test, ClackReport *report) {
    const char *folder = getenv("TMPDIR");
    char pattern[1024], path[1100];
    Results results;
    int is_same = 0;
    snprintf(pattern, sizeof pattern, "%s/clack_selftest_XXXXXX",
             folder != NULL && folder[0] != '\0' ? folder : "/tmp");
    if (mkdtemp(pattern) == NULL)
        return report_add(report, CLACK_IO, "%s: cannot make a folder for a file to try", pattern);
    snprintf(path, sizeof path, "%s/selftest.h5", pattern);
    ClackStatus status =
        selftest_run(fall_text, sizeof fall_text - 1, &test->arguments->device, path, &results, report);
    if (status == CLACK_OK) status = selftest_read_back(path, &results, &is_same, report);
    unlink(path);
    rmdir(pattern);
    if (status == CLACK_OK) selftest_say(test, "file", is_same, "an ensemble written and read again has the same bits");
    return status;
}

// --- the command ----------------------------------------------------------------------------------

static ClackStatus selftest_device(SelfTest *test, int *out_is_native, ClackReport *report) {
    Device *device = NULL;
    const Content content = {.programs =
                                 PROGRAM_PROBE}; // compiled soon; what studies need is compiled for each of them
    const ClackStatus status = device_open(&test->arguments->device, &content, &device, report);
    if (status != CLACK_OK) return status;
    const ClackDeviceInfo *info = device_info(device);
    *out_is_native = info->index < 0;
    selftest_say(test, "device", 1, "%s (%s, %s)", info->name, info->platform, info->driver);
    device_close(device);
    return CLACK_OK;
}

static int command_run_selftest(Arguments *arguments) {
    ClackReport report = {0};
    SelfTest test = {.arguments = arguments, .checks = json_array()};
    int is_native = 0;
    ClackStatus status = selftest_device(&test, &is_native, &report);
    if (status == CLACK_OK) status = selftest_fall(&test, &report);
    if (status == CLACK_OK) status = selftest_impact(&test, &report);
    if (status == CLACK_OK && !is_native) status = selftest_bits(&test, &report);
    if (status == CLACK_OK) status = selftest_file(&test, &report);
    if (status == CLACK_OK && test.has_failed)
        status = report_add(&report, CLACK_DEVICE,
                            "this device does not compute what it should: its results are not to be trusted");
    json_t *data = arguments->is_json ? json_pack("{s:O}", "checks", test.checks) : NULL;
    json_decref(test.checks);
    return command_end(arguments, data, &report, status);
}

static const struct option selftest_options[] = {
    OPTION_LINE_HELP,
    {"device", required_argument, NULL, 'd'},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"allow-inexact", no_argument, NULL, OPTION_ALLOW_INEXACT},
    OPTION_LINE_JSON,
    OPTION_LINE_END,
};

const Command command_selftest = {
    .name = "selftest",
    .summary = "check that a device computes what it should",
    .help =
        "  clack selftest -d native\n\n"
        "Usage: clack selftest [options]\n"
        "Runs small built-in studies on a device and compares: falls and impacts with closed forms, tumbling bodies\n"
        "with the native device, bit by bit, and a file written and read again. Prints a line for each.\n\n"
        "  -d, --device DEVICE    native, gpu, cpu or an index of \"clack devices\";\n"
        "                         default: a GPU with double precision if there is one, else native\n"
        "      --threads N        threads of the native device (default: all cores)\n"
        "      --allow-inexact    also on a device whose arithmetic is not IEEE 754's (\"clack devices\")\n"
        "      --json             one JSON object instead\n\n"
        "Exit codes: 0 ok, 2 usage, 4 the file failed, 5 the device is wrong or failed.\n",
    .letters = "hd:",
    .options = selftest_options,
    .run = command_run_selftest,
};
