// Contact regions of meshes in N configurations -> HDF5: one row per region in /regions, and one per point of their
// contours in /contours.
#include "record_regions.h"

#include <string.h>

// --- the field table ------------------------------------------------------------------------------

static void put(double out[3], const double vector[3]) { memcpy(out, vector, 3 * sizeof *out); }

// FIELD(name, type, components, unit, sentence, statement that takes `row` and fills `out`)
#define REGION_FIELD_LIST(FIELD)                                                                                       \
    FIELD(configuration_number, I32, 1, "1", "Number of the configuration, as in the root's `configuration`.",         \
          out[0] = row->configuration)                                                                                 \
    FIELD(body_a, I32, 1, "1", "The body with the lower number.", out[0] = row->body_a)                                \
    FIELD(body_b, I32, 1, "1", "The other body.", out[0] = row->body_b)                                                \
    FIELD(shape_a, I32, 1, "1", "Shape of body_a within the scene.", out[0] = row->shape_a)                            \
    FIELD(shape_b, I32, 1, "1", "Shape of body_b within the scene.", out[0] = row->shape_b)                            \
    FIELD(region, I32, 1, "1", "Which of the regions of the two shapes.", out[0] = row->region)                        \
    FIELD(flags, U8, 1, "1", "What is to be known of the region.", out[0] = row->flags)                                \
    FIELD(loops, I32, 1, "1", "Closed contours that bound it.", out[0] = row->loop_count)                              \
    FIELD(segments, I32, 1, "1", "Segments of all its contours.", out[0] = row->segment_count)                         \
    FIELD(area, F64, 1, "m2", "Area in the plane across the normal.", out[0] = row->area_m2)                           \
    FIELD(volume, F64, 1, "m3", "Volume of the overlap that belongs to it.", out[0] = row->volume_m3)                  \
    FIELD(perimeter, F64, 1, "m", "Length of its contours.", out[0] = row->perimeter_m)                                \
    FIELD(indentation, F64, 1, "m", "depth_a + depth_b.", out[0] = row->indentation_m)                                 \
    FIELD(thickness, F64, 1, "m", "Of the overlap, from its volume over its area where that tells more.",              \
          out[0] = row->thickness_m)                                                                                   \
    FIELD(depth_a, F64, 1, "m", "How far body_a reaches beyond the centroid along the normal.",                        \
          out[0] = row->depth_a_m)                                                                                     \
    FIELD(depth_b, F64, 1, "m", "How far body_b reaches beyond the centroid against the normal.",                      \
          out[0] = row->depth_b_m)                                                                                     \
    FIELD(approach_speed, F64, 1, "m/s",                                                                               \
          "Speed of the bodies at the centroid along the normal, positive when closing.",                              \
          out[0] = row->approach_m_per_s)                                                                              \
    FIELD(normal, F64, 3, "1", "Unit normal from body_a to body_b; 0 where there is none.", put(out, row->normal))     \
    FIELD(centroid, F64, 3, "m", "Centroid of the region, in the mean height of its contours.",                        \
          put(out, row->centroid_m))

#define REGION_FIELD_GET(name, type, components, unit, sentence, statement)                                            \
    static void get_##name(const void *any, double *out) {                                                             \
        const ClackRegion *row = any;                                                                                  \
        statement;                                                                                                     \
    }
REGION_FIELD_LIST(REGION_FIELD_GET)

static const RowField fields[] = {
#define REGION_FIELD_ROW(name, type, components, unit, sentence, statement)                                            \
    {#name, RECORD_##type, components, unit, sentence, get_##name},
    REGION_FIELD_LIST(REGION_FIELD_ROW)};
static const RecordCode flags[] = {{CLACK_REGION_OPEN_CONTOUR, "open_contour"}, {CLACK_REGION_ENGULFED, "engulfed"},
                                   {CLACK_REGION_COARSE_MESH, "coarse_mesh"},   {CLACK_REGION_PIERCED, "pierced"},
                                   {CLACK_REGION_JITTERED, "jittered"},         {CLACK_REGION_HOLE, "hole"}};
static const RecordCodeList flag_codes = {flags, sizeof flags / sizeof flags[0]};

const RowTableKind record_regions = {.group = "regions",
                                     .row = "region_row",
                                     .row_sentence = "Number of the row: by configuration, by shapes, then by region.",
                                     .counts = "n_regions",
                                     .counts_sentence = "Rows of the configuration in /regions.",
                                     .firsts = "first_region",
                                     .firsts_sentence = "First row of the configuration in /regions.",
                                     .plural = "regions",
                                     .row_bytes = sizeof(ClackRegion),
                                     .fields = fields,
                                     .field_count = sizeof fields / sizeof *fields,
                                     .counted = "configuration_number",
                                     .coded = "flags",
                                     .code_attribute = "flag_masks",
                                     .codes = &flag_codes};

// --- contours -------------------------------------------------------------------------------------

#define CONTOUR_FIELD_LIST(FIELD)                                                                                      \
    FIELD(region_row, I32, 1, "1", "Row of the region in /regions.", out[0] = row->region)                             \
    FIELD(contour, I32, 1, "1", "Which contour of the region.", out[0] = row->contour)                                 \
    FIELD(point, F64, 3, "m",                                                                                          \
          "Point of the contour, which runs from each to the next one and from the last to the first.",                \
          put(out, row->at_m))

#define CONTOUR_FIELD_GET(name, type, components, unit, sentence, statement)                                           \
    static void get_contour_##name(const void *any, double *out) {                                                     \
        const ClackContourPoint *row = any;                                                                            \
        statement;                                                                                                     \
    }
CONTOUR_FIELD_LIST(CONTOUR_FIELD_GET)

static const RowField contour_fields[] = {
#define CONTOUR_FIELD_ROW(name, type, components, unit, sentence, statement)                                           \
    {#name, RECORD_##type, components, unit, sentence, get_contour_##name},
    CONTOUR_FIELD_LIST(CONTOUR_FIELD_ROW)};

const RowTableKind record_contours = {.group = "contours",
                                      .row = "contour_point",
                                      .row_sentence = "Number of the point: by region, by contour, then along it.",
                                      .counts = "n_contour_points",
                                      .counts_sentence = "Rows of the configuration in /contours.",
                                      .firsts = "first_contour_point",
                                      .firsts_sentence = "First row of the configuration in /contours.",
                                      .plural = "points of contours",
                                      .row_bytes = sizeof(ClackContourPoint),
                                      .fields = contour_fields,
                                      .field_count = sizeof contour_fields / sizeof *contour_fields,
                                      .counted = "region_row"};
