// clack bench: the machine code of the kernels, as far as the device's compiler tells of it.
#include "command_bench.h"

#include <jansson.h>

#include "build_log.h"

#define KERNELS_MOST 64

ClackStatus command_bench_code(Bench *bench, ClackReport *report) {
    BuildLogKernel kernels[KERNELS_MOST];
    ClackDeviceOptions options = bench->arguments->run.device;
    Device *device = NULL;
    options.dump_build_log = 1; // compiles anew: only then there is a log
    const ClackStatus status = device_open(&options, &device, report);
    if (status != CLACK_OK) return status;
    json_t *rows = json_array();
    const size_t count = build_log_kernels(device_build_log(device), kernels, KERNELS_MOST);
    command_bench_print(bench, "machine code (%s)\n", device_build_options(device));
    if (count == 0) command_bench_print(bench, "this compiler tells nothing of registers and spills\n\n");
    else command_bench_print(bench, "%-18s %10s %10s %14s %14s\n", "kernel", "registers", "stack, B", "spill stores", "spill loads");
    for (size_t i = 0; i < count; i++) {
        const BuildLogKernel *k = &kernels[i];
        command_bench_print(bench, "%-18s %10u %10u %14u %14u\n%s", k->name, k->registers, k->stack_bytes, k->spill_store_bytes,
                            k->spill_load_bytes, i + 1 == count ? "\n" : "");
        json_array_append_new(rows, json_pack("{s:s, s:I, s:I, s:I, s:I}", "kernel", k->name, "registers", (json_int_t)k->registers,
                                              "stack_bytes", (json_int_t)k->stack_bytes, "spill_store_bytes",
                                              (json_int_t)k->spill_store_bytes, "spill_load_bytes", (json_int_t)k->spill_load_bytes));
    }
    json_object_set_new(bench->document, "code", rows);
    device_close(device);
    return CLACK_OK;
}
