// Shares in bins of a parameter.
#include "share.h"

#include <math.h>
#include <stdlib.h>

#include "statistics.h"

#define BINS_LEAST 4u
#define BINS_MOST 20u
#define ROWS_PER_BIN 50.0 // about: a share of one half is then known to 0.14

typedef struct ShareRow {
    double over, value;
} ShareRow;

static int compare_rows(const void *a, const void *b) {
    const ShareRow *p = a, *q = b;
    return (p->over > q->over) - (p->over < q->over);
}

static void share_finish(ShareBin *bin, double confidence) {
    bin->share = bin->hits / bin->count;
    bin->lower = 0;
    bin->upper = 1;
    if (bin->count > 0)
        statistics_share_interval(bin->hits, bin->count, statistics_normal_quantile(0.5 + 0.5 * confidence),
                                  &bin->lower, &bin->upper);
}

ShareBin share_of(const double *values, uint64_t count, double confidence) {
    ShareBin bin = {0};
    for (uint64_t i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        bin.hits += values[i] > 0.5 ? 1 : 0;
        bin.count++;
    }
    share_finish(&bin, confidence);
    return bin;
}

// Ends of the bins among sorted rows: a value is never in two of them.
static size_t find_ends(const ShareRow *rows, size_t count, size_t *ends) {
    size_t values = 0;
    for (size_t i = 0; i < count && values <= SHARE_VALUES_MAX; i++)
        values += i == 0 || rows[i].over != rows[i - 1].over ? 1 : 0;
    const double wanted = fmin(fmax(floor((double)count / ROWS_PER_BIN), BINS_LEAST), BINS_MOST);
    const size_t least = values <= SHARE_VALUES_MAX ? 1 : (size_t)ceil((double)count / wanted);
    size_t bins = 0, first = 0;
    for (size_t end = 1; end <= count; end++) {
        if (end < count && (rows[end].over == rows[end - 1].over || end - first < least)) continue;
        ends[bins++] = first = end;
    }
    return bins;
}

ClackStatus share_over(const double *over, const double *values, uint64_t count, double confidence, ShareBin **out_bins,
                       size_t *out_count, ClackReport *report) {
    ShareRow *rows = malloc(((size_t)count + 1) * sizeof *rows);
    ShareBin *bins = calloc(SHARE_VALUES_MAX + BINS_MOST + 1, sizeof *bins);
    size_t ends[SHARE_VALUES_MAX + BINS_MOST + 1], used = 0, row = 0;
    *out_bins = NULL;
    *out_count = 0;
    if (rows == NULL || bins == NULL) {
        free(rows);
        free(bins);
        return report_add(report, CLACK_MEMORY, "no memory for shares");
    }
    for (uint64_t i = 0; i < count; i++)
        if (!isnan(over[i]) && !isnan(values[i])) rows[used++] = (ShareRow){over[i], values[i]};
    qsort(rows, used, sizeof *rows, compare_rows);
    const size_t bin_count = find_ends(rows, used, ends);
    for (size_t b = 0; b < bin_count; b++) {
        ShareBin *bin = &bins[b];
        bin->low = rows[row].over;
        for (; row < ends[b]; row++) {
            bin->high = rows[row].over;
            bin->mean += rows[row].over;
            bin->hits += rows[row].value > 0.5 ? 1 : 0;
            bin->count++;
        }
        bin->mean /= bin->count;
        share_finish(bin, confidence);
    }
    free(rows);
    *out_bins = bins;
    *out_count = bin_count;
    return CLACK_OK;
}
