// The kernels as C++ with numbers that count, in the place of the native backend's own (host/device/native_kernels.c).
#include "counted.h"

#define PORTABLE_REAL Counted
#ifndef _Thread_local
#define _Thread_local thread_local // portable.h is C
#endif

#include "device_internal.h"
#include "base/portable.h"

static thread_local u32 native_work_item;

#include "stepper/advance.cl"
#include "stepper/gather.cl"
#include "evaluate/evaluate.cl"
#include "evaluate/evaluate_meshes.cl"
#include "evaluate/layout.cl"
#include "evaluate/probe.cl"
#include "evaluate/probe_exact.cl"

uint64_t counted_operations[COUNT_OPERATIONS];

namespace {

struct Argument { // becomes the pointer that the kernel takes
    void *buffer;
    template <class T> operator T *() const { return static_cast<T *>(buffer); }
};

} // namespace

#define ARGUMENTS_1                                                                                                    \
    Argument { b[0] }
#define ARGUMENTS_2                                                                                                    \
    ARGUMENTS_1, Argument { b[1] }
#define ARGUMENTS_3                                                                                                    \
    ARGUMENTS_2, Argument { b[2] }
#define ARGUMENTS_7                                                                                                    \
    ARGUMENTS_3, Argument{b[3]}, Argument{b[4]}, Argument{b[5]}, Argument { b[6] }
#define ARGUMENTS_10                                                                                                   \
    ARGUMENTS_7, Argument{b[7]}, Argument{b[8]}, Argument { b[9] }
#define ARGUMENTS_11                                                                                                   \
    ARGUMENTS_10, Argument { b[10] }
#define ARGUMENTS_12                                                                                                   \
    ARGUMENTS_11, Argument { b[11] }
#define ARGUMENTS_20                                                                                                   \
    ARGUMENTS_12, Argument{b[12]}, Argument{b[13]}, Argument{b[14]}, Argument{b[15]}, Argument{b[16]},                 \
        Argument{b[17]}, Argument{b[18]}, Argument {                                                                   \
        b[19]                                                                                                          \
    }
#define ARGUMENTS_21                                                                                                   \
    ARGUMENTS_20, Argument { b[20] }
#define ARGUMENTS_32                                                                                                   \
    ARGUMENTS_20, Argument{b[20]}, Argument{b[21]}, Argument{b[22]}, Argument{b[23]}, Argument{b[24]},                 \
        Argument{b[25]}, Argument{b[26]}, Argument{b[27]}, Argument{b[28]}, Argument{b[29]}, Argument{b[30]},          \
        Argument {                                                                                                     \
        b[31]                                                                                                          \
    }

void native_run_baseline(KernelId kernel, void *const *b, uint32_t count, uint32_t first, uint32_t last) {
    switch (kernel) {
#define KERNEL_CASE(name, buffers, programs)                                                                           \
    case KERNEL_##name:                                                                                                \
        for (u32 item = first; item < last; item++) {                                                                  \
            native_work_item = item;                                                                                   \
            name(ARGUMENTS_##buffers, count);                                                                          \
        }                                                                                                              \
        break;
        DEVICE_KERNEL_LIST(KERNEL_CASE)
#undef KERNEL_CASE
    case KERNEL_COUNT: break;
    }
}

void native_run_v3(KernelId kernel, void *const *b, uint32_t count, uint32_t first, uint32_t last) {
    native_run_baseline(kernel, b, count, first, last);
}
