// What an OpenCL compiler's log tells of the machine code of kernels.
#ifndef CLACK_BUILD_LOG_H
#define CLACK_BUILD_LOG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BUILD_LOG_NAME_BYTES 64

typedef struct BuildLogKernel {
    char name[BUILD_LOG_NAME_BYTES];
    uint32_t registers;                           // of a work-item
    uint32_t stack_bytes;                         // of a work-item
    uint32_t spill_store_bytes, spill_load_bytes; // of the kernel and of functions that it calls
} BuildLogKernel;

/// The kernels that the log of NVIDIA's compiler (ptxas -v) speaks of, at most `most` of them; other compilers'
/// logs have none. Returns how many.
size_t build_log_kernels(const char *log, BuildLogKernel *out_kernels, size_t most);

#ifdef __cplusplus
}
#endif
#endif
