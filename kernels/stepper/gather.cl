// Rows out of slots, one after the other: a host that reads them reads nothing else.
#include "base/build.h"

#define GATHER_WORDS 0u // in sources: 8-byte words of a row; then where each row is

#if BUILD_PROGRAMS & PROGRAM_ADVANCE

/// to (count) rows := from, row sources[1 + i] for i below count.
KERNEL void gather(GLOBAL const u32 *sources /* (1 + count) */, GLOBAL const u64 *from, GLOBAL u64 *to, u32 count) {
    size_t row = (size_t)get_global_id(0);
    if (row >= count) return;
    u32 words = sources[GATHER_WORDS];
    GLOBAL const u64 *source = from + (size_t)sources[GATHER_WORDS + 1u + row] * words;
    for (u32 k = 0; k < words; k++) to[row * words + k] = source[k];
}

#endif // PROGRAM_ADVANCE
