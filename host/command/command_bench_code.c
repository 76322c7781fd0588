// clack bench: the machine code of the kernels, as far as the device's compiler tells of it.
#include "command_bench.h"

#include <jansson.h>

#include "build_log.h"
#include "study.h"

#define KERNELS_MOST 64

// A row for each kernel of a build: of everything, or of what a workload's study holds.
static void bench_code_rows(const Bench *bench, const Device *device, const char *build, json_t *rows) {
    BuildLogKernel kernels[KERNELS_MOST];
    const size_t count = build_log_kernels(device_build_log(device), kernels, KERNELS_MOST);
    for (size_t i = 0; i < count; i++) {
        const BuildLogKernel *k = &kernels[i];
        command_bench_print(bench, "%-12s %-18s %10u %10u %14u %14u\n", build, k->name, k->registers, k->stack_bytes,
                            k->spill_store_bytes, k->spill_load_bytes);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "build", build, "options",
                                              device_build_options(device), "kernel", k->name, "registers", (json_int_t)k->registers,
                                              "stack_bytes", (json_int_t)k->stack_bytes, "spill_store_bytes",
                                              (json_int_t)k->spill_store_bytes, "spill_load_bytes", (json_int_t)k->spill_load_bytes));
    }
}

static ClackStatus bench_code_workload(const Bench *bench, const ClackDeviceOptions *options, const BenchWorkload *workload,
                                       json_t *rows, ClackReport *report) {
    Study *study = NULL;
    Device *device = NULL, *second = NULL; // the second one is the first one's
    char name[32];
    ClackStatus status = command_bench_study(bench, workload, &study, report);
    if (status != CLACK_OK) return status;
    const Content content = content_of_study(study, PROGRAM_ADVANCE);
    status = device_open_for(options, &content, &device, report);
    if (status == CLACK_OK) bench_code_rows(bench, device, workload->name, rows);
    if (status == CLACK_OK && content_can_leave(device_content(device))) {
        status = device_second(device, &second, report);
        snprintf(name, sizeof name, "%s, 2nd", workload->name);
        if (status == CLACK_OK) bench_code_rows(bench, second, name, rows);
    }
    device_close(device);
    study_free(study);
    return status;
}

// Nothing but a build of everything where the compiler tells nothing of it.
ClackStatus command_bench_code(Bench *bench, ClackReport *report) {
    ClackDeviceOptions options = bench->arguments->run.device;
    Device *device = NULL;
    options.dump_build_log = 1; // compiles anew: only then there is a log
    ClackStatus status = device_open(&options, &device, report);
    if (status != CLACK_OK) return status;
    json_t *rows = json_array();
    command_bench_print(bench, "machine code (%s)\n%-12s %-18s %10s %10s %14s %14s\n", device_build_options(device), "build", "kernel",
                        "registers", "stack, B", "spill stores", "spill loads");
    bench_code_rows(bench, device, "everything", rows);
    device_close(device);
    const int is_told = json_array_size(rows) > 0;
    for (size_t i = 0; is_told && i < command_bench_workload_count && status == CLACK_OK; i++)
        status = bench_code_workload(bench, &options, &command_bench_workloads[i], rows, report);
    command_bench_print(bench, "%s\n", is_told ? "" : "this compiler tells nothing of registers and spills\n");
    json_object_set_new(bench->document, "code", rows);
    return status;
}
