// Registers and spills from the log of NVIDIA's compiler:
//   ptxas info    : Compiling entry function 'advance' for 'sm_90'
//   ptxas info    : Function properties for advance
//       408 bytes stack frame, 380 bytes spill stores, 400 bytes spill loads
//   ptxas info    : Used 255 registers, 408 bytes cumulative stack size, 512 bytes cmem[0]
// Functions that were not inlined have properties of their own, after those of the kernel they are compiled with.
#include "build_log.h"

#include <stdio.h>
#include <string.h>

static void build_log_name(const char *from, BuildLogKernel *kernel) {
    const size_t length = strcspn(from, "'\n");
    snprintf(kernel->name, sizeof kernel->name, "%.*s", (int)length, from);
}

size_t build_log_kernels(const char *log, BuildLogKernel *out_kernels, size_t most) {
    static const char entry[] = "Compiling entry function '";
    size_t count = 0;
    BuildLogKernel *kernel = NULL;
    for (const char *line = log; line != NULL; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        char text[256];
        unsigned stack = 0, stores = 0, loads = 0, registers = 0;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        const char *begins = strstr(text, entry), *uses = strstr(text, "Used ");
        if (begins != NULL) {
            if (count == most) return count;
            kernel = &out_kernels[count++];
            *kernel = (BuildLogKernel){0};
            build_log_name(begins + sizeof entry - 1, kernel);
        } else if (kernel != NULL && sscanf(text, " %u bytes stack frame, %u bytes spill stores, %u bytes spill loads",
                                            &stack, &stores, &loads) == 3) {
            kernel->stack_bytes += stack;
            kernel->spill_store_bytes += stores;
            kernel->spill_load_bytes += loads;
        } else if (kernel != NULL && uses != NULL && sscanf(uses, "Used %u registers", &registers) == 1) {
            kernel->registers = registers;
        }
        if (strchr(line, '\n') == NULL) break;
    }
    return count;
}
