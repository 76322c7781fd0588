// Contours of contact regions as HDF5 for XDMF: closed lines, and what is known of the regions, configuration by
// configuration.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_export.h"
#include "record_internal.h"

#define XDMF_POLYLINE 2.0 // number of this kind of cell in a mixed topology

const char *const record_contour_groups[] = {"contours", "regions"};

// --- the field table ------------------------------------------------------------------------------

static void put(double *out, const double vector[3]) { memcpy(out, vector, 3 * sizeof *out); }

#define CONTOUR_ATTRIBUTE_LIST(FIELD)                                                                                  \
    FIELD(region_row, 1, 1, out[0] = (double)region->row)                                                              \
    FIELD(region, 1, 1, out[0] = region->region)                                                                       \
    FIELD(body_a, 1, 1, out[0] = region->body_a)                                                                       \
    FIELD(body_b, 1, 1, out[0] = region->body_b)                                                                       \
    FIELD(flags, 1, 1, out[0] = region->flags)                                                                         \
    FIELD(area, 1, 0, out[0] = region->area_m2)                                                                        \
    FIELD(indentation, 1, 0, out[0] = region->indentation_m)                                                           \
    FIELD(normal, 3, 0, put(out, region->normal))

#define CONTOUR_GET(name, components, is_integer, statement)                                                           \
    static void get_##name(const EvaluatedRegion *region, double *out) { statement; }
CONTOUR_ATTRIBUTE_LIST(CONTOUR_GET)

typedef void (*ContourGet)(const EvaluatedRegion *region, double *out);
#define CONTOUR_OF_BOTH(name, components, is_integer, statement)                                                       \
    {#name, CONTOUR_OF_CONTOURS, CONTOUR_ATTRIBUTE, components, is_integer},                                           \
        {#name, CONTOUR_OF_REGIONS, CONTOUR_ATTRIBUTE, components, is_integer},
const RecordContourField record_contour_fields[] = {{"cell", CONTOUR_OF_CONTOURS, CONTOUR_TOPOLOGY, 1, 1},
                                                    {"point", CONTOUR_OF_CONTOURS, CONTOUR_GEOMETRY, 3, 0},
                                                    {"contour", CONTOUR_OF_CONTOURS, CONTOUR_ATTRIBUTE, 1, 1},
                                                    {"centroid", CONTOUR_OF_REGIONS, CONTOUR_GEOMETRY, 3, 0},
                                                    CONTOUR_ATTRIBUTE_LIST(CONTOUR_OF_BOTH)};
#define FIELD_COUNT (sizeof record_contour_fields / sizeof *record_contour_fields)
#define FIELD_NUMBERS 2 // numbers of contours within their regions
const size_t record_contour_field_count = FIELD_COUNT;

#define CONTOUR_GETTERS(name, components, is_integer, statement) get_##name, get_##name,
static const ContourGet getters[FIELD_COUNT] = {NULL, NULL, NULL, NULL, CONTOUR_ATTRIBUTE_LIST(CONTOUR_GETTERS)};

size_t record_contour_rows(const RecordContourField *field, const RecordContourCounts *counts) {
    if (field->owner == CONTOUR_OF_REGIONS) return counts->regions;
    if (field->role == CONTOUR_GEOMETRY) return counts->points;
    return field->role == CONTOUR_TOPOLOGY ? counts->points + 3 * counts->contours : counts->contours;
}

// --- values ---------------------------------------------------------------------------------------

// Cells: kind, how many points, which; the last is the first again.
static void fill_cells(const EvaluatedRegions *regions, double *values) {
    for (size_t i = 0; i < regions->region_count; i++) {
        const EvaluatedRegion *region = &regions->regions[i];
        size_t at = region->first_point;
        for (size_t first = at, count; (count = evaluation_next_contour(regions, region, &at)) > 0; first = at) {
            *values++ = XDMF_POLYLINE;
            *values++ = (double)count + 1;
            for (size_t p = 0; p <= count; p++) *values++ = (double)(first + p % count);
        }
    }
}

static void fill_numbers(const EvaluatedRegions *regions, double *values) {
    for (size_t i = 0; i < regions->region_count; i++)
        for (size_t k = 0; k < regions->regions[i].contour_count; k++) *values++ = (double)k;
}

// Once for a region, or for each of its contours.
static void fill_attribute(const EvaluatedRegions *regions, const RecordContourField *field, ContourGet get,
                           double *values) {
    for (size_t i = 0; i < regions->region_count; i++) {
        const EvaluatedRegion *region = &regions->regions[i];
        const size_t rows = field->owner == CONTOUR_OF_REGIONS ? 1 : region->contour_count;
        for (size_t k = 0; k < rows; k++, values += field->components) get(region, values);
    }
}

static void fill_values(const EvaluatedRegions *regions, size_t field_index, double *values) {
    const RecordContourField *field = &record_contour_fields[field_index];
    if (field->role == CONTOUR_TOPOLOGY)
        fill_cells(regions, values);
    else if (field_index == FIELD_NUMBERS)
        fill_numbers(regions, values);
    else if (getters[field_index] != NULL)
        fill_attribute(regions, field, getters[field_index], values);
    else if (field->owner == CONTOUR_OF_CONTOURS)
        memcpy(values, regions->points_m, 3 * regions->point_count * sizeof *values);
    else
        for (size_t i = 0; i < regions->region_count; i++) put(values + 3 * i, regions->regions[i].centroid_m);
}

// --- the file -------------------------------------------------------------------------------------

typedef struct ContourFile {
    hid_t file;
    hid_t owners[2];           // groups; 0: not made
    hid_t groups[FIELD_COUNT]; // one for each field
} ContourFile;

static ClackStatus open_groups(const RecordPlace *place, ContourFile *out) {
    for (int i = 0; i < 2; i++) TRY(record_h5_group(place, out->file, record_contour_groups[i], &out->owners[i]));
    for (size_t f = 0; f < FIELD_COUNT; f++) {
        const RecordContourField *field = &record_contour_fields[f];
        TRY(record_h5_group(place, out->owners[field->owner], field->name, &out->groups[f]));
    }
    return CLACK_OK;
}

static ClackStatus close_groups(const RecordPlace *place, const ContourFile *out, ClackStatus status) {
    for (size_t f = 0; f < FIELD_COUNT; f++)
        if (out->groups[f] > 0) status = record_h5_close(place, out->groups[f], record_contour_fields[f].name, status);
    for (int i = 0; i < 2; i++)
        if (out->owners[i] > 0) status = record_h5_close(place, out->owners[i], record_contour_groups[i], status);
    return status;
}

static ClackStatus write_field(const RecordPlace *place, const ContourFile *out, size_t field_index,
                               const RecordContourCounts *counts, const double *values) {
    static const hsize_t start[RECORD_RANK_MAX] = {0};
    const RecordContourField *field = &record_contour_fields[field_index];
    const hsize_t rows = record_contour_rows(field, counts);
    char name[32];
    hid_t dataset = -1;
    snprintf(name, sizeof name, "%" PRIu64, counts->configuration);
    const DatasetSpec spec = {.parent = out->groups[field_index],
                              .name = name,
                              .type = field->is_integer ? RECORD_I32 : RECORD_F64,
                              .rank = field->components > 1 ? 2 : 1,
                              .dims = {rows, field->components}};
    TRY(record_h5_dataset(place, &spec, &dataset));
    return record_h5_close(place, dataset, name, record_h5_write(place, dataset, name, start, spec.dims, values));
}

static ClackStatus write_configuration(const RecordPlace *place, const ContourFile *out, const Evaluation *evaluation,
                                       RecordContourCounts *counts) {
    EvaluatedRegions regions = {0};
    double *values = NULL;
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(evaluation_regions(evaluation, counts->configuration, &regions, place->report));
    counts->regions = regions.region_count;
    counts->points = regions.point_count;
    for (size_t i = 0; i < regions.region_count; i++) counts->contours += regions.regions[i].contour_count;
    values = malloc((3 * (counts->points + counts->contours + counts->regions) + 1) * sizeof *values);
    if (values == NULL) TRY_CLEAN(report_add(place->report, CLACK_MEMORY, "no memory for contours"));
    for (size_t f = 0; f < FIELD_COUNT; f++) {
        if (record_contour_rows(&record_contour_fields[f], counts) == 0) continue;
        fill_values(&regions, f, values);
        TRY_CLEAN(write_field(place, out, f, counts, values));
    }
cleanup:
    free(values);
    evaluation_free_regions(&regions);
    return status;
}

ClackStatus record_export_contours(const char *path, const Evaluation *evaluation, RecordContourCounts *counts,
                                   size_t count, ClackReport *report) {
    const RecordPlace place = {path, CLACK_IO, report};
    ContourFile out = {0};
    ClackStatus status = CLACK_OK;
    record_h5_quiet();
    TRY_CLEAN(record_h5_create_file(&place, &out.file));
    TRY_CLEAN(open_groups(&place, &out));
    for (size_t i = 0; i < count; i++) TRY_CLEAN(write_configuration(&place, &out, evaluation, &counts[i]));
    status = evaluation_check(evaluation, report);
cleanup:
    status = close_groups(&place, &out, status);
    if (out.file > 0) status = record_h5_close_file(&place, out.file, status);
    return status;
}
