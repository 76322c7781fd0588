// clack bench: the machine code of the kernels, as far as the device's compiler tells of it.
#include "command_bench.h"

#include <jansson.h>

#include "build_log.h"
#include "study.h"

#define KERNELS_MOST 64
#define NAME_BYTES 48

// A row for each kernel of a build.
static void bench_code_rows(const Bench *bench, const Device *device, const char *build, json_t *rows) {
    BuildLogKernel kernels[KERNELS_MOST];
    const size_t count = build_log_kernels(device_build_log(device), kernels, KERNELS_MOST);
    for (size_t i = 0; i < count; i++) {
        const BuildLogKernel *k = &kernels[i];
        command_bench_print(bench, "%-22s %-18s %10u %10u %14u %14u\n", build, k->name, k->registers, k->stack_bytes,
                            k->spill_store_bytes, k->spill_load_bytes);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "build", build, "options",
                                              device_build_options(device), "kernel", k->name, "registers",
                                              (json_int_t)k->registers, "stack_bytes", (json_int_t)k->stack_bytes,
                                              "spill_store_bytes", (json_int_t)k->spill_store_bytes, "spill_load_bytes",
                                              (json_int_t)k->spill_load_bytes));
    }
}

// The build for a study, and the second one where its scenes may need that.
static ClackStatus bench_code_study(const Bench *bench, const ClackDeviceOptions *options, const char *name,
                                    const Study *study, uint32_t programs, json_t *rows, ClackReport *report) {
    const Content content = content_of_study(study, programs);
    Device *device = NULL, *second = NULL; // the second one is the first one's
    char second_name[NAME_BYTES];
    ClackStatus status = device_open(options, &content, &device, report);
    if (status == CLACK_OK) bench_code_rows(bench, device, name, rows);
    if (status == CLACK_OK && content_can_leave(device_content(device))) {
        status = device_second(device, &second, report);
        snprintf(second_name, sizeof second_name, "%s, 2nd", name);
        if (status == CLACK_OK) bench_code_rows(bench, second, second_name, rows);
    }
    device_close(device);
    return status;
}

static ClackStatus bench_code_workload(const Bench *bench, const ClackDeviceOptions *options, size_t index,
                                       json_t *rows, ClackReport *report) {
    Study *study = NULL;
    ClackStatus status = command_bench_study(bench, &command_bench_workloads[index], &study, report);
    if (status == CLACK_OK)
        status =
            bench_code_study(bench, options, command_bench_workloads[index].name, study, PROGRAM_ADVANCE, rows, report);
    study_free(study);
    return status;
}

// Evaluators: a closed form, searches of round and of sharp solids, maps of hulls, MPR.
static const char *const pair_names[][2] = {{"sphere-box", "exact"},   {"ellipsoid-box", "exact"},
                                            {"box-cylinder", "exact"}, {"box-box", "exact"},
                                            {"hull-hull", "exact"},    {"box-cylinder", "mpr"}};
#define PAIRS (sizeof pair_names / sizeof *pair_names)

static ClackStatus bench_code_pair(const Bench *bench, const ClackDeviceOptions *options, size_t index, json_t *rows,
                                   ClackReport *report) {
    Study *study = NULL;
    char name[NAME_BYTES];
    ClackStatus status = command_bench_pair_study(pair_names[index][0], pair_names[index][1], &study, report);
    snprintf(name, sizeof name, "%s, %s", pair_names[index][0], pair_names[index][1]);
    if (status == CLACK_OK) status = bench_code_study(bench, options, name, study, PROGRAM_EVALUATE, rows, report);
    study_free(study);
    return status;
}

// The build for the first workload tells whether the compiler tells anything. There is no build of everything: ptxas
// had not ended after 25 minutes of it, and no study needs it.
ClackStatus command_bench_code(Bench *bench, ClackReport *report) {
    ClackDeviceOptions options = bench->arguments->device;
    options.dump_build_log = 1; // compiles anew: only then there is a log
    ClackStatus status = CLACK_OK;
    json_t *rows = json_array();
    command_bench_print(bench, "machine code\n%-22s %-18s %10s %10s %14s %14s\n", "build", "kernel", "registers",
                        "stack, B", "spill stores", "spill loads");
    for (size_t i = 0; i < command_bench_workload_count && status == CLACK_OK; i++) {
        status = bench_code_workload(bench, &options, i, rows, report);
        if (json_array_size(rows) == 0) break;
    }
    const int is_reported = json_array_size(rows) > 0;
    for (size_t i = 0; is_reported && i < PAIRS && status == CLACK_OK; i++)
        status = bench_code_pair(bench, &options, i, rows, report);
    command_bench_print(bench, "%s\n", is_reported ? "" : "this compiler tells nothing of registers and spills\n");
    json_object_set_new(bench->document, "code", rows);
    return status;
}
