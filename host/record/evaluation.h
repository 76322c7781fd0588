// A file of `clack evaluate` as its readers see it: the contact regions of a configuration with their contours.
#ifndef CLACK_EVALUATION_H
#define CLACK_EVALUATION_H

#include "record_read.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Evaluation {
    RecordReader *reader;
    uint64_t configuration_count;
    RecordTexts bodies;     // names
    uint64_t *first_region; // (configuration_count + 1): rows of /regions
    uint64_t *first_point;  // (configuration_count + 1): rows of /contours
} Evaluation;

typedef struct EvaluatedRegion {
    uint64_t row; // of /regions
    uint32_t body_a, body_b, region, flags, contour_count;
    double area_m2, indentation_m;
    double normal[3], centroid_m[3];
    size_t first_point, point_count; // of those of the configuration; none where there is no contour
} EvaluatedRegion;

typedef struct EvaluatedRegions { // of one configuration; owned
    uint64_t configuration;
    size_t region_count, point_count;
    EvaluatedRegion *regions;
    double *points_m; // (point_count, 3): by region, by contour, then along it
    double *contours; // (point_count): which of the region's
} EvaluatedRegions;

/// On success to be closed with evaluation_close.
/// Errors: as record_read_open_contacts's; CLACK_USAGE (no regions, no contours in the file), CLACK_MEMORY.
ClackStatus evaluation_open(const char *path, Evaluation *out_evaluation, ClackReport *report);
void evaluation_close(Evaluation *evaluation);
/// As ensemble_check.
ClackStatus evaluation_check(const Evaluation *evaluation, ClackReport *report);
/// Number of the body of this name. Errors: CLACK_USAGE with the nearest name.
ClackStatus evaluation_find_body(const Evaluation *evaluation, const char *name, uint32_t *out_body,
                                 ClackReport *report);

/// Freed by evaluation_free_regions. Errors: CLACK_USAGE (no such configuration), CLACK_CORRUPT, CLACK_MEMORY.
ClackStatus evaluation_regions(const Evaluation *evaluation, uint64_t configuration, EvaluatedRegions *out_regions,
                               ClackReport *report);
void evaluation_free_regions(EvaluatedRegions *regions);

/// One contour of a region: its points from `*at` on, which is moved behind them, as many as this returns; 0: there are
/// no more. At first `*at` is region->first_point.
size_t evaluation_next_contour(const EvaluatedRegions *regions, const EvaluatedRegion *region, size_t *at);

#ifdef __cplusplus
}
#endif
#endif
