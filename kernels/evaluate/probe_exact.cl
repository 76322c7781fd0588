// Does a device compute as IEEE 754 tells? A program by itself, of few lines, that is built with the options of all
// others each time a device is opened (host/device/arithmetic.c).
#include "base/lanes.h"
#include "model/exact_types.h"

#define LANE_WIDTH 1
#include "evaluate/exact_operation.h"
#undef LANE_WIDTH
#if SIDE_BY_SIDE > 1
#define LANE_WIDTH SIDE_BY_SIDE
#include "evaluate/exact_operation.h"
#undef LANE_WIDTH
#endif

/// operation: EXACT_FLOOR or above: what kernels do with single numbers alone.
FN real exact_conversion(u32 operation, real a, real b) {
    switch (operation) {
    case EXACT_FLOOR: return real_floor(a);
    case EXACT_TO_COUNT: return (real)(u32)a;
    case EXACT_TO_INTEGER: return (real)(i32)a;
    case EXACT_EXPONENT: return (real)(i32)(real_bits(a) >> 52) - 1023.0;
    default: return a * real_of_bits((u64)((i32)b + 1023) << 52); // EXACT_SCALED
    }
}

/// The results of a row, as bits: alone, and as one of SIDE_BY_SIDE numbers beside those of its neighbours (where
/// kernels have no vectors, once more alone). rows (count, EXACT_ROW), results (count, EXACT_RESULTS).
KERNEL void probe_exact(GLOBAL const u64 *rows, GLOBAL u64 *results, u32 count) {
    u32 row = (u32)get_global_id(0);
    if (row >= count) return;
    GLOBAL const u64 *own = rows + EXACT_ROW * row;
    u32 operation = (u32)own[0], is_conversion = operation >= EXACT_FLOOR ? 1u : 0u;
    real a = real_of_bits(own[1]), b = real_of_bits(own[2]), c = real_of_bits(own[3]);
    real alone = is_conversion ? exact_conversion(operation, a, b) : exact_operation(operation, a, b, c);
    results[EXACT_RESULTS * row] = results[EXACT_RESULTS * row + 1u] = real_bits(alone);
#if SIDE_BY_SIDE > 1
    if (is_conversion) return;
    WIDE_NAME(Lane) wide_a, wide_b, wide_c, all;
    u32 at = row % SIDE_BY_SIDE, first = row - at;
    for (u32 k = 0; k < SIDE_BY_SIDE; k++) {
        GLOBAL const u64 *beside = first + k < count ? rows + EXACT_ROW * (first + k) : own;
        LANE_AT(wide_a, k) = real_of_bits(beside[1]);
        LANE_AT(wide_b, k) = real_of_bits(beside[2]);
        LANE_AT(wide_c, k) = real_of_bits(beside[3]);
    }
    all = WIDE_NAME(exact_operation)(operation, wide_a, wide_b, wide_c);
    results[EXACT_RESULTS * row + 1u] = real_bits(LANE_AT(all, at));
#endif
}
