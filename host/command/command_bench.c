// clack bench: how fast this device is, at what, and how far from what it could be.
#define _XOPEN_SOURCE 700
#include "command_bench.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POINT_S 1.0
#define SCENES_MOST 1000000u
#define FMA_ITEMS 65536u
#define FMA_ROUNDS 4096u
#define FMA_CHAINS 32             // of probe_fma
#define STREAM_BYTES (256u << 20) // read, and as many written: larger than any cache that is usual
#define STREAM_LENGTH 64u
#define STREAM_GROUP_GPU 64u

double command_bench_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void command_bench_print(const Bench *bench, const char *format, ...) {
    if (bench->arguments->is_json) return;
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    fflush(stdout);
}

const char *command_bench_short(double value, char out[16]) {
    static const char letters[] = " kMGTP";
    int thousands = 0;
    while (value >= 999.5 && thousands < 5) {
        value /= 1000;
        thousands++;
    }
    const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(out, 16, "%.*f%c", digits, value, letters[thousands]);
    return out;
}

// --- start: from nothing to the first result ------------------------------------------------------------

static const char *const cache_names[] = {"CLACK_CACHE_DIR", "POCL_CACHE_DIR", "CUDA_CACHE_PATH"};
#define CACHES (sizeof cache_names / sizeof *cache_names)

static int bench_remove(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

static ClackStatus bench_first_result(const Bench *bench, double *out_s, ClackReport *report) {
    static const char text[] =
        "format: 1\n"
        "scene:\n"
        "  bodies:\n"
        "    ground: {fixed: true, material: steel, shapes: [{half_space: {offset: -0.05}}]}\n"
        "    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.1]}\n"
        "design: {monte_carlo: {samples: 1}}\n"
        "solver: {end: 0.5}\n";
    const ClackStudyOptions options = {.size = sizeof options, .text = text, .text_bytes = sizeof text - 1};
    const uint64_t first = 0;
    const ClackRunOptions run = {
        .size = sizeof run, .no_file = 1, .device = &bench->arguments->device, .only_scene = &first};
    ClackStudy *study = NULL;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    const double start_s = command_bench_now_s();
    ClackStatus status = clack_study_read("start.yaml", &options, &study, report);
    if (status == CLACK_OK) status = clack_run(study, &run, &summary, report);
    *out_s = command_bench_now_s() - start_s;
    clack_study_free(study);
    return status;
}

// Before anything else of this process has spoken to a driver: caches are looked up in the environment then.
ClackStatus command_bench_start(Bench *bench, ClackReport *report) {
    char *const folder = bench->start_folder, *before[CACHES] = {0};
    double cold_s = NAN, warm_s = NAN;
    strcpy(folder, "/tmp/clack_bench_XXXXXX");
    if (mkdtemp(folder) == NULL) {
        report_add(report, CLACK_IO, "%s: cannot be made: %s", folder, strerror(errno));
        folder[0] = '\0'; // nothing to remove
        return CLACK_IO;
    }
    for (size_t i = 0; i < CACHES; i++) {
        const char *value = getenv(cache_names[i]);
        before[i] = value == NULL ? NULL : strdup(value);
        setenv(cache_names[i], folder, 1);
    }
    ClackStatus status = bench_first_result(bench, &cold_s, report);
    if (status == CLACK_OK) status = bench_first_result(bench, &warm_s, report);
    for (size_t i = 0; i < CACHES; i++) {
        if (before[i] == NULL)
            unsetenv(cache_names[i]);
        else
            setenv(cache_names[i], before[i], 1);
        free(before[i]);
    }
    if (status != CLACK_OK) return status;
    command_bench_print(bench, "start to first result: cold %.2f s (nothing compiled), warm %.3f s\n\n", cold_s,
                        warm_s);
    json_object_set_new(bench->document, "start", json_pack("{s:f, s:f}", "cold_s", cold_s, "warm_s", warm_s));
    return CLACK_OK;
}

// --- probe: ceilings --------------------------------------------------------------------------------------

typedef struct Probe {
    Device *device;
    DeviceBuffer *buffers[3]; // settings, numbers, numbers
    double point_s;           // least time of a measurement
} Probe;

// The shortest of several launches: whatever else ran on the machine only made them longer.
static ClackStatus bench_probe_launch(const Probe *probe, KernelId kernel, uint32_t group, uint32_t length,
                                      uint32_t items, double *out_s, ClackReport *report) {
    const uint32_t settings[2] = {group, length};
    ClackStatus status = device_buffer_write(probe->device, probe->buffers[0], 0, sizeof settings, settings, report);
    const double start_s = command_bench_now_s();
    for (int k = 0; status == CLACK_OK && (k < 3 || command_bench_now_s() - start_s < probe->point_s); k++) {
        const double before_s = device_kernel_s(probe->device, kernel);
        status = device_launch(probe->device, kernel, probe->buffers, items, report);
        const double took_s = device_kernel_s(probe->device, kernel) - before_s;
        if (k <= 1 || took_s < *out_s) *out_s = took_s; // the first may compile
    }
    return status;
}

static ClackStatus bench_probe(Bench *bench, Probe *probe, ClackReport *report) {
    const DeviceInfo *info = device_info(probe->device);
    const uint32_t group = info->is_gpu ? STREAM_GROUP_GPU : 1;
    const uint32_t items = STREAM_BYTES / sizeof(double) / STREAM_LENGTH;
    const size_t sizes_bytes[] = {2 * sizeof(uint32_t), STREAM_BYTES, STREAM_BYTES};
    double fma_s = 0, stream_s = 0;
    probe->point_s = bench->point_s;
    for (int k = 0; k < 3; k++) {
        const ClackStatus status = device_buffer_create(probe->device, sizes_bytes[k], &probe->buffers[k], report);
        if (status != CLACK_OK) return status;
    }
    ClackStatus status = bench_probe_launch(probe, KERNEL_probe_fma, group, FMA_ROUNDS, FMA_ITEMS, &fma_s, report);
    if (status == CLACK_OK)
        status = bench_probe_launch(probe, KERNEL_probe_stream, group, STREAM_LENGTH, items, &stream_s, report);
    if (status != CLACK_OK) return status;
    bench->is_compiled_late = info->index >= 0;
    bench->fma_per_s = (double)FMA_ITEMS * FMA_ROUNDS * FMA_CHAINS / fma_s;
    bench->bytes_per_s = 2.0 * STREAM_BYTES / stream_s;
    command_bench_print(bench,
                        "device: %s, %u units, driver %s\nceilings: %.4g Gflop/s (double precision, an fma is two), "
                        "%.4g GB/s (read and written)\n\n",
                        info->name, info->compute_units, info->driver, 2e-9 * bench->fma_per_s,
                        1e-9 * bench->bytes_per_s);
    json_object_set_new(bench->document, "device",
                        json_pack("{s:s, s:s, s:s, s:I, s:b}", "name", info->name, "platform", info->platform, "driver",
                                  info->driver, "compute_units", (json_int_t)info->compute_units, "is_gpu",
                                  info->is_gpu));
    json_object_set_new(
        bench->document, "ceilings",
        json_pack("{s:f, s:f}", "flops_per_s", 2 * bench->fma_per_s, "bytes_per_s", bench->bytes_per_s));
    return CLACK_OK;
}

ClackStatus command_bench_probe(Bench *bench, ClackReport *report) {
    Probe probe = {0};
    const Content content = {.programs = PROGRAM_PROBE};
    ClackStatus status = device_open(&bench->arguments->device, &content, &probe.device, report);
    if (status == CLACK_OK) status = bench_probe(bench, &probe, report);
    for (int k = 0; k < 3; k++) device_buffer_free(probe.device, probe.buffers[k]);
    device_close(probe.device);
    return status;
}

// --- the command ------------------------------------------------------------------------------------------

int command_bench_wants(const Bench *bench, const char *name) {
    const Arguments *arguments = bench->arguments;
    for (size_t i = 0; i < arguments->file_count; i++)
        if (strcmp(arguments->files[i], name) == 0) return 1;
    return arguments->file_count == 0;
}

// The first word that is no part; NULL: all are.
static const char *bench_unknown(const Arguments *arguments) {
    for (size_t i = 0; i < arguments->file_count; i++) {
        const char *word = arguments->files[i];
        int is_known = strcmp(word, "start") == 0 || strcmp(word, "probe") == 0 || strcmp(word, "pairs") == 0 ||
                       strcmp(word, "bodies") == 0 || strcmp(word, "code") == 0 || command_bench_is_pair(word);
        for (size_t w = 0; w < command_bench_workload_count; w++)
            is_known |= strcmp(word, command_bench_workloads[w].name) == 0;
        if (!is_known) return word;
    }
    return NULL;
}

// Written anew after each part: a bench that is stopped keeps what was measured.
static ClackStatus bench_write(const Bench *bench, ClackReport *report) {
    const char *path = bench->arguments->output_path;
    if (path == NULL || json_dump_file(bench->document, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0)
        return CLACK_OK;
    return report_add(report, CLACK_IO, "%s: cannot be written", path);
}

static ClackStatus bench_parts(Bench *bench, ClackReport *report) {
    if (command_bench_wants(bench, "start")) TRY(command_bench_start(bench, report));
    TRY(command_bench_probe(bench, report)); // what the others are compared with
    TRY(bench_write(bench, report));
    TRY(command_bench_pairs(bench, report));
    TRY(bench_write(bench, report));
    for (size_t w = 0; w < command_bench_workload_count; w++) {
        if (!command_bench_wants(bench, command_bench_workloads[w].name)) continue;
        TRY(command_bench_workload(bench, w, report));
        TRY(bench_write(bench, report));
    }
    if (command_bench_wants(bench, "bodies")) TRY(command_bench_bodies(bench, report));
    TRY(bench_write(bench, report));
    if (!command_bench_wants(bench, "code")) return CLACK_OK;
    const ClackStatus status = command_bench_code(bench, report); // GPUs' compilers take minutes
    TRY(bench_write(bench, report));                              // what was reported, too, where a build failed
    return status;
}

static int command_bench_run(Arguments *arguments) {
    ClackReport report = {0};
    const char *unknown = bench_unknown(arguments);
    if (unknown != NULL) return command_usage("bench", "no such part: \"%s\"", unknown);
    Bench bench = {.arguments = arguments,
                   .document = json_object(),
                   .point_s = arguments->point_s > 0 ? arguments->point_s : POINT_S,
                   .first = arguments->first > 0 ? arguments->first : 1,
                   .scenes = arguments->count > 0 ? arguments->count : SCENES_MOST};
    if (bench.first > bench.scenes)
        return command_usage("bench", "--from %" PRIu64 " is more than -n %" PRIu64, bench.first, bench.scenes);
    const ClackStatus status = bench.document == NULL ? CLACK_MEMORY : bench_parts(&bench, &report);
    // Not before: drivers go on with the folder that they have begun with.
    if (bench.start_folder[0] != '\0') nftw(bench.start_folder, bench_remove, 8, FTW_DEPTH | FTW_PHYS);
    json_t *data = arguments->is_json ? json_incref(bench.document) : NULL;
    json_decref(bench.document);
    return command_end(arguments, data, &report, status);
}

static const struct option bench_options[] = {
    OPTION_LINE_HELP,
    {"device", required_argument, NULL, 'd'},
    {"output", required_argument, NULL, 'o'},
    {"scenes", required_argument, NULL, 'n'},
    {"from", required_argument, NULL, OPTION_FROM},
    {"time", required_argument, NULL, OPTION_TIME},
    {"set", required_argument, NULL, OPTION_SET},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"allow-inexact", no_argument, NULL, OPTION_ALLOW_INEXACT},
    {"lanes", required_argument, NULL, OPTION_LANES},
    {"queues", required_argument, NULL, OPTION_QUEUES},
    {"batch", required_argument, NULL, OPTION_BATCH},
    OPTION_LINE_JSON,
    OPTION_LINE_END,
};

const Command command_bench = {
    .name = "bench",
    .summary = "how fast this device is, and how far from its limits",
    .help = "  clack bench W1 -d native -n 100 --time 0.1\n\n"
            "Usage: clack bench [PART]... [options]\n"
            "Measures the parts named, default all, and prints a table of each:\n"
            "  start    from nothing to the first result, with nothing compiled and once more\n"
            "  probe    ceilings: multiplications and additions, memory (always measured)\n"
            "  code     registers and spills of the builds for workloads and some pairs, where the driver tells them\n"
            "  pairs    distances and forces of each two shapes, overlapping, touching and apart; of two alone:\n"
            "           box-cylinder (in the order half_space sphere capsule ellipsoid box cylinder cone beam hull)\n"
            "  W1       one sphere dropped            W2       ten spheres in a box\n"
            "  W3       a tumbling box                W4       a hundred packed spheres\n"
            "  W5       a billiard break of 5 s       W6       a thousand spheres in a box\n"
            "  die      a cuboid thrown, until at rest\n"
            "  bodies   one scene of 1 to 1,000 packed spheres\n"
            "Workloads run with 1, 10, 100, ... scenes until a point has taken longer than the time.\n\n"
            "  -d, --device DEVICE    native, gpu, cpu or an index of \"clack devices\";\n"
            "                         default: a GPU with double precision if there is one, else native\n"
            "  -n, --scenes N         at most N scenes, or configurations of pairs (default 1000000)\n"
            "      --from N           begin with N scenes, then 10 N and so on (default 1)\n"
            "      --time T           time for each point, as 2, 2s, 1m (default 1 s)\n"
            "      --set PATH=VALUE   override a value of the workloads' studies\n"
            "      --threads N        threads of the native device (default: all cores)\n"
            "      --allow-inexact    also on a device whose arithmetic is not IEEE 754's (\"clack devices\")\n"
            "      --lanes N          work-items for each scene (GPUs)\n"
            "      --queues N         groups of N work-items serve scenes from queues (OpenCL)\n"
            "      --batch N          scenes on the device at once\n"
            "  -o, --output FILE      write the JSON into a file too, after each part\n"
            "      --json             one JSON object instead of tables\n\n"
            "Exit codes: 0 ok, 1 internal, 2 usage, 3 invalid study, 4 output failed, 5 the device failed.\n",
    .takes_more = 1,
    .letters = "hd:o:n:",
    .options = bench_options,
    .run = command_bench_run,
};
