// A file of `clack evaluate` as its readers see it: the contact regions of a configuration with their contours.
#include "evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "word.h"

// --- opening --------------------------------------------------------------------------------------

// Rows of each configuration -> where they begin.
static ClackStatus read_firsts(const Evaluation *evaluation, const char *counts, uint64_t **out_first,
                               ClackReport *report) {
    RecordAxes axes;
    double *values = NULL;
    TRY(record_read_all(evaluation->reader, counts, &axes, &values, report));
    uint64_t *first = calloc((size_t)evaluation->configuration_count + 1, sizeof *first);
    ClackStatus status = CLACK_OK;
    if (first == NULL)
        status = report_add(report, CLACK_MEMORY, "no memory for the regions of a file");
    else if (axes.rank != 1 || axes.dims[0] != evaluation->configuration_count)
        status = report_add(report, CLACK_CORRUPT, "%s: %s does not fit the configurations",
                            record_read_path(evaluation->reader), counts);
    for (uint64_t i = 0; status == CLACK_OK && i < evaluation->configuration_count; i++)
        first[i + 1] = first[i] + (values[i] > 0 && values[i] <= INT32_MAX ? (uint64_t)values[i] : 0);
    *out_first = first;
    free(values);
    return status;
}

ClackStatus evaluation_open(const char *path, Evaluation *out_evaluation, ClackReport *report) {
    RecordAxes axes;
    ClackStatus status = CLACK_OK;
    *out_evaluation = (Evaluation){0};
    TRY_CLEAN(record_read_open_contacts(path, &out_evaluation->reader, report));
    if (!record_read_has(out_evaluation->reader, "regions"))
        TRY_CLEAN(report_add(report, CLACK_USAGE, "%s: has no contact regions: its scene has no mesh as it is", path));
    if (!record_read_has(out_evaluation->reader, "contours"))
        TRY_CLEAN(report_add(report, CLACK_USAGE,
                             "%s: has no contours of its regions; \"clack evaluate --contours\" writes them", path));
    TRY_CLEAN(record_read_axes(out_evaluation->reader, "configuration", &axes, report));
    out_evaluation->configuration_count = axes.rank == 1 ? axes.dims[0] : 0;
    TRY_CLEAN(record_read_texts(out_evaluation->reader, "body_name", &out_evaluation->bodies, report));
    TRY_CLEAN(read_firsts(out_evaluation, "n_regions", &out_evaluation->first_region, report));
    TRY_CLEAN(read_firsts(out_evaluation, "n_contour_points", &out_evaluation->first_point, report));
    TRY_CLEAN(record_read_check(out_evaluation->reader, report));
cleanup:
    if (status != CLACK_OK) evaluation_close(out_evaluation);
    return status;
}

void evaluation_close(Evaluation *evaluation) {
    free(evaluation->first_region);
    free(evaluation->first_point);
    record_texts_free(&evaluation->bodies);
    record_read_close(evaluation->reader);
    *evaluation = (Evaluation){0};
}

ClackStatus evaluation_check(const Evaluation *evaluation, ClackReport *report) {
    return record_read_check(evaluation->reader, report);
}

ClackStatus evaluation_find_body(const Evaluation *evaluation, const char *name, uint32_t *out_body,
                                 ClackReport *report) {
    const size_t count = evaluation->bodies.count;
    const char **known = calloc(count + 1, sizeof *known);
    if (known == NULL) return report_add(report, CLACK_MEMORY, "no memory for names");
    for (size_t i = 0; i < count; i++) {
        known[i] = evaluation->bodies.items[i];
        if (strcmp(known[i], name) != 0) continue;
        *out_body = (uint32_t)i;
        free(known);
        return CLACK_OK;
    }
    const char *nearest = word_nearest(name, known);
    const ClackStatus status = report_add(
        report, CLACK_USAGE, "%s: no such body: \"%s\"%s%s%s", record_read_path(evaluation->reader), name,
        nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    free(known);
    return status;
}

// --- regions of a configuration -------------------------------------------------------------------

// Rows of a table's column; `components` values each.
typedef struct Rows {
    uint64_t first, count;
} Rows;

static ClackStatus read_column(const Evaluation *evaluation, const char *path, Rows rows, uint64_t components,
                               double *values, ClackReport *report) {
    const uint64_t start[] = {rows.first, 0}, count[] = {rows.count, components};
    RecordAxes axes;
    if (rows.count == 0) return CLACK_OK;
    TRY(record_read_axes(evaluation->reader, path, &axes, report));
    if (axes.rank != (components == 1 ? 1 : 2) || axes.dims[0] < rows.first + rows.count ||
        (components > 1 && axes.dims[1] != components))
        return report_add(report, CLACK_CORRUPT, "%s: %s does not fit its group", record_read_path(evaluation->reader),
                          path);
    return record_read_block(evaluation->reader, path, start, count, values, report);
}

// What is read of regions, and where a value goes.
static void set_body_a(EvaluatedRegion *region, const double *value) { region->body_a = (uint32_t)value[0]; }
static void set_body_b(EvaluatedRegion *region, const double *value) { region->body_b = (uint32_t)value[0]; }
static void set_region(EvaluatedRegion *region, const double *value) { region->region = (uint32_t)value[0]; }
static void set_flags(EvaluatedRegion *region, const double *value) { region->flags = (uint32_t)value[0]; }
static void set_area(EvaluatedRegion *region, const double *value) { region->area_m2 = value[0]; }
static void set_indentation(EvaluatedRegion *region, const double *value) { region->indentation_m = value[0]; }
static void set_normal(EvaluatedRegion *region, const double *value) {
    memcpy(region->normal, value, sizeof region->normal);
}
static void set_centroid(EvaluatedRegion *region, const double *value) {
    memcpy(region->centroid_m, value, sizeof region->centroid_m);
}

typedef struct RegionColumn {
    const char *path;
    uint64_t components;
    void (*set)(EvaluatedRegion *region, const double *value);
} RegionColumn;

static const RegionColumn columns[] = {
    {"regions/body_a", 1, set_body_a}, {"regions/body_b", 1, set_body_b},
    {"regions/region", 1, set_region}, {"regions/flags", 1, set_flags},
    {"regions/area", 1, set_area},     {"regions/indentation", 1, set_indentation},
    {"regions/normal", 3, set_normal}, {"regions/centroid", 3, set_centroid},
};

static ClackStatus read_regions(const Evaluation *evaluation, Rows rows, EvaluatedRegions *out, ClackReport *report) {
    double *values = malloc(((size_t)rows.count * 3 + 1) * sizeof *values);
    ClackStatus status = CLACK_OK;
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for regions");
    for (size_t i = 0; i < out->region_count; i++) out->regions[i].row = rows.first + i;
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        const RegionColumn *column = &columns[c];
        TRY_CLEAN(read_column(evaluation, column->path, rows, column->components, values, report));
        for (size_t i = 0; i < out->region_count; i++) column->set(&out->regions[i], values + i * column->components);
    }
    for (size_t i = 0; i < out->region_count; i++)
        if (out->regions[i].body_a >= evaluation->bodies.count || out->regions[i].body_b >= evaluation->bodies.count)
            TRY_CLEAN(report_add(report, CLACK_CORRUPT, "%s: a region of a body that does not exist",
                                 record_read_path(evaluation->reader)));
cleanup:
    free(values);
    return status;
}

// Which points are whose: they stand in the order of regions.
static ClackStatus assign_points(const Evaluation *evaluation, const double *rows, EvaluatedRegions *out,
                                 ClackReport *report) {
    size_t at = 0;
    for (size_t i = 0; i < out->region_count; i++) {
        EvaluatedRegion *region = &out->regions[i];
        region->first_point = at;
        while (at < out->point_count && rows[at] == (double)region->row) at++;
        region->point_count = at - region->first_point;
        for (size_t k = region->first_point; k < at; k++)
            if (k == region->first_point || out->contours[k] != out->contours[k - 1]) region->contour_count++;
    }
    return at == out->point_count ? CLACK_OK
                                  : report_add(report, CLACK_CORRUPT, "%s: contours do not fit the regions",
                                               record_read_path(evaluation->reader));
}

static ClackStatus read_contours(const Evaluation *evaluation, Rows points, EvaluatedRegions *out,
                                 ClackReport *report) {
    double *rows = calloc((size_t)points.count + 1, sizeof *rows);
    ClackStatus status = CLACK_OK;
    if (rows == NULL) return report_add(report, CLACK_MEMORY, "no memory for contours");
    TRY_CLEAN(read_column(evaluation, "contours/region_row", points, 1, rows, report));
    TRY_CLEAN(read_column(evaluation, "contours/contour", points, 1, out->contours, report));
    TRY_CLEAN(read_column(evaluation, "contours/point", points, 3, out->points_m, report));
    status = assign_points(evaluation, rows, out, report);
cleanup:
    free(rows);
    return status;
}

ClackStatus evaluation_regions(const Evaluation *evaluation, uint64_t configuration, EvaluatedRegions *out_regions,
                               ClackReport *report) {
    ClackStatus status = CLACK_OK;
    *out_regions = (EvaluatedRegions){.configuration = configuration};
    if (configuration >= evaluation->configuration_count)
        return report_add(report, CLACK_USAGE, "%s: has no configuration %llu, but 0 to %llu",
                          record_read_path(evaluation->reader), (unsigned long long)configuration,
                          (unsigned long long)evaluation->configuration_count - 1);
    const uint64_t *regions = evaluation->first_region + configuration,
                   *points = evaluation->first_point + configuration;
    const Rows region_rows = {regions[0], regions[1] - regions[0]}, point_rows = {points[0], points[1] - points[0]};
    EvaluatedRegions out = {.configuration = configuration,
                            .region_count = (size_t)region_rows.count,
                            .point_count = (size_t)point_rows.count};
    out.regions = calloc(out.region_count + 1, sizeof *out.regions);
    out.points_m = calloc(out.point_count + 1, 3 * sizeof *out.points_m);
    out.contours = calloc(out.point_count + 1, sizeof *out.contours);
    if (out.regions == NULL || out.points_m == NULL || out.contours == NULL)
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for the regions of a configuration"));
    TRY_CLEAN(read_regions(evaluation, region_rows, &out, report));
    TRY_CLEAN(read_contours(evaluation, point_rows, &out, report));
    *out_regions = out;
    return CLACK_OK;
cleanup:
    evaluation_free_regions(&out);
    return status;
}

void evaluation_free_regions(EvaluatedRegions *regions) {
    free(regions->regions);
    free(regions->points_m);
    free(regions->contours);
    *regions = (EvaluatedRegions){0};
}

size_t evaluation_next_contour(const EvaluatedRegions *regions, const EvaluatedRegion *region, size_t *at) {
    const size_t first = *at, end = region->first_point + region->point_count;
    while (*at < end && regions->contours[*at] == regions->contours[first]) (*at)++;
    return *at - first;
}
