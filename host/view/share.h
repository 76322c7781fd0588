// Shares: of scenes in which something is so, with Wilson's intervals, in bins of a parameter.
#ifndef CLACK_SHARE_H
#define CLACK_SHARE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ShareBin {
    double low, high, mean;     // least, greatest and mean value of the parameter in it
    double hits, count;         // scenes in which it is so, of so many
    double share, lower, upper; // hits / count; Wilson's interval
} ShareBin;

/// The share of all values (count) that are 0 or 1; NaN ones do not count. Of no value: NaN, from 0 to 1.
ShareBin share_of(const double *values, uint64_t count, double confidence);

/// Shares of `values` in bins of `over` (count each), ascending: a bin for each value where there are at most
/// SHARE_VALUES_MAX, else bins of about equal counts. Rows with a NaN do not count. `*out_bins` (out_count) is freed by
/// the caller; 0 bins: no row counts. Errors: CLACK_MEMORY.
#define SHARE_VALUES_MAX 24u
ClackStatus share_over(const double *over, const double *values, uint64_t count, double confidence, ShareBin **out_bins,
                       size_t *out_count, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
