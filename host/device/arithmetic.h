// Does a device compute as IEEE 754 tells, as equal bits on all devices take it?
#ifndef CLACK_ARITHMETIC_H
#define CLACK_ARITHMETIC_H

#include "device.h"
#include "model/exact_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ArithmeticRow {
    uint64_t operation, a, b, c; // EXACT_*, bits of its operands
    uint64_t expected;           // bits of its result; of what is no number any that is none
} ArithmeticRow;

// arithmetic_table.c, by whole numbers alone (tests/checks/make_arithmetic_table.py).
extern const ArithmeticRow arithmetic_rows[]; // (arithmetic_row_count)
extern const size_t arithmetic_row_count;

#define ARITHMETIC_EXACT "IEEE 754" // the verdict on a device that computes every row as expected
#define ARITHMETIC_VERDICT_BYTES sizeof(((DeviceInfo *)0)->arithmetic)

/// The verdict on results (arithmetic_row_count, EXACT_RESULTS), in words: "IEEE 754", or "not IEEE 754: fma" with each
/// kind of operation that is wrong. Returns the number of rows that are.
size_t arithmetic_judge(const uint64_t *results, char verdict[]);

/// A line to `report` for the first wrong row of each such kind, with the bits of operands and results.
void arithmetic_explain(const uint64_t *results, ClackReport *report);

/// Let a device whose kernels hold `probe_exact` compute all rows. results (arithmetic_row_count, EXACT_RESULTS).
ClackStatus arithmetic_compute(Device *device, uint64_t *results, ClackReport *report);

#define ARITHMETIC_UNASKED (-1) // DeviceOptions.allow_inexact: bits do not matter, so nothing is measured

/// Measure the arithmetic of a device that is being opened, by a build of `probe_exact` alone, and note the verdict in
/// its description. Errors: CLACK_DEVICE (it is not exact, and `options` do not allow that).
ClackStatus arithmetic_check(Device *device, const DeviceOptions *options, ClackReport *report);
/// Whether it was measured (arithmetic_check), and is not that of IEEE 754.
int arithmetic_is_wrong(const DeviceInfo *info);
/// A warning where the device is not exact, for each call that has been allowed to use it.
void arithmetic_warn(const DeviceInfo *info, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
