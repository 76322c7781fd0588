// What a device can reach at best, for `clack bench` to compare with: multiplications and additions in
// registers, and numbers through memory.
#include "base/build.h"

#define PROBE_CHAINS 32 // independent sums of a work-item: more than any unit is deep
#define PROBE_GROUP 0   // in settings: neighbours whose numbers alternate in memory
#define PROBE_LENGTH 1  // rounds of sums, or numbers of a work-item

#if BUILD_PROGRAMS & PROGRAM_PROBE

/// Sums of products, PROBE_CHAINS at a time. out (count) is written so that nothing is left out.
VECTOR_KERNEL void probe_fma(GLOBAL const u32 *settings, GLOBAL real *out, u32 count) {
    u32 item = (u32)get_global_id(0);
    if (item >= count) return;
    real sums[PROBE_CHAINS];
    for (u32 k = 0; k < PROBE_CHAINS; k++) sums[k] = (real)(item + k);
    u32 rounds = settings[PROBE_LENGTH];
    for (u32 round = 0; round < rounds; round++) {
        for (u32 k = 0; k < PROBE_CHAINS; k++) sums[k] = real_fma(sums[k], 0.999999, 1.0e-3);
    }
    real sum = 0.0;
    for (u32 k = 0; k < PROBE_CHAINS; k++) sum += sums[k];
    out[item] = sum;
}

/// One number read and one written for each of `length` places of a work-item. On GPUs neighbours take
/// neighbouring numbers (group: 64); a processor's work-item takes a row of its own (group: 1).
KERNEL void probe_stream(GLOBAL const u32 *settings, GLOBAL const real *from, GLOBAL real *to, u32 count) {
    u32 item = (u32)get_global_id(0);
    if (item >= count) return;
    u32 group = settings[PROBE_GROUP];
    u32 length = settings[PROBE_LENGTH];
    u32 first = item / group * group * length + item % group;
    for (u32 k = 0; k < length; k++) to[first + k * group] = 2.0 * from[first + k * group];
}

#endif // PROGRAM_PROBE
