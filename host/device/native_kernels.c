// The kernels as C17; the only file that includes .cl. The build compiles it once for each variant of
// the processor (NATIVE_RUN is the name of its one function), so that `fma` is an instruction where the
// processor has it; the bits are the same in all.
#ifdef NATIVE_SIDE_BY_SIDE // scenes that a thread carries side by side, where the processor has vectors and fma for
                           // their steps
#define SIDE_BY_SIDE NATIVE_SIDE_BY_SIDE
#define WIDE 1
#endif
#if !defined(SCENE_ITEMS) || SCENE_ITEMS == 1 // items that are threads have to leave together
#define LAUNCH_IS_OVER() native_is_over()     // before portable.h, which leaves it out
#endif
#include "device_internal.h"
#include "base/portable.h"

static _Thread_local u32 native_work_item; // behind get_global_id

#define ASKED_EVERY 4u // passes, so that the clock costs nothing
static _Thread_local u32 native_asked, native_over;

static inline __attribute__((unused)) u32 native_is_over(void) {
    if (!native_over && ++native_asked % ASKED_EVERY == 0) native_over = native_launch_is_over() != 0 ? 1u : 0u;
    return native_over;
}

#include "stepper/advance.cl"
#include "stepper/gather.cl"
#include "evaluate/evaluate.cl"
#include "evaluate/evaluate_meshes.cl"
#include "evaluate/layout.cl"
#include "evaluate/probe.cl"
#include "evaluate/probe_exact.cl"

#define NATIVE_ARGUMENTS_1 b[0]
#define NATIVE_ARGUMENTS_2 b[0], b[1]
#define NATIVE_ARGUMENTS_3 b[0], b[1], b[2]
#define NATIVE_ARGUMENTS_7 b[0], b[1], b[2], b[3], b[4], b[5], b[6]
#define NATIVE_ARGUMENTS_10 NATIVE_ARGUMENTS_7, b[7], b[8], b[9]
#define NATIVE_ARGUMENTS_11 NATIVE_ARGUMENTS_10, b[10]
#define NATIVE_ARGUMENTS_12 NATIVE_ARGUMENTS_11, b[11]
#define NATIVE_ARGUMENTS_20 NATIVE_ARGUMENTS_12, b[12], b[13], b[14], b[15], b[16], b[17], b[18], b[19]
#define NATIVE_ARGUMENTS_21 NATIVE_ARGUMENTS_20, b[20]
#define NATIVE_ARGUMENTS_32                                                                                            \
    NATIVE_ARGUMENTS_21, b[21], b[22], b[23], b[24], b[25], b[26], b[27], b[28], b[29], b[30], b[31]

void NATIVE_RUN(KernelId kernel, void *const *b, uint32_t count, uint32_t first, uint32_t last) {
    switch (kernel) {
#define NATIVE_CASE(name, buffers, programs)                                                                           \
    case KERNEL_##name:                                                                                                \
        for (u32 item = first; item < last; item++) {                                                                  \
            native_work_item = item;                                                                                   \
            native_over = 0;                                                                                           \
            name(NATIVE_ARGUMENTS_##buffers, count);                                                                   \
        }                                                                                                              \
        break;
        DEVICE_KERNEL_LIST(NATIVE_CASE)
#undef NATIVE_CASE
    case KERNEL_COUNT: break;
    }
}
