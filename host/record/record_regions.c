// Contact regions of meshes in N configurations -> HDF5: one row per region in /regions.
#include "record_regions.h"

#include <assert.h>
#include <string.h>

// --- the field table ------------------------------------------------------------------------------

typedef struct RegionField {
    const char *name;
    RecordType type;
    int components;
    const char *unit;
    const char *sentence;
    void (*get)(const ClackRegion *row, double *out); // (components)
} RegionField;

static void put(double out[3], const double vector[3]) { memcpy(out, vector, 3 * sizeof *out); }

// FIELD(name, type, components, unit, sentence, statement that takes `row` and fills `out`)
#define REGION_FIELD_LIST(FIELD)                                                                                       \
    FIELD(configuration, I32, 1, "1", "Number of the configuration, as in the root's `configuration`.",                \
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
    FIELD(perimeter, F64, 1, "m", "Length of its contours.", out[0] = row->perimeter_m)                                \
    FIELD(indentation, F64, 1, "m", "depth_a + depth_b.", out[0] = row->indentation_m)                                 \
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
    static void get_##name(const ClackRegion *row, double *out) { statement; }
REGION_FIELD_LIST(REGION_FIELD_GET)

static const RegionField fields[] = {
#define REGION_FIELD_ROW(name, type, components, unit, sentence, statement)                                            \
    {#name, RECORD_##type, components, unit, sentence, get_##name},
    REGION_FIELD_LIST(REGION_FIELD_ROW)};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])
_Static_assert(FIELD_COUNT <= RECORD_REGION_FIELDS_MAX, "room for all");

static const RecordCode flags[] = {{CLACK_REGION_OPEN_CONTOUR, "open_contour"},
                                   {CLACK_REGION_ENGULFED, "engulfed"},
                                   {CLACK_REGION_COARSE_MESH, "coarse_mesh"},
                                   {CLACK_REGION_PIERCED, "pierced"},
                                   {CLACK_REGION_JITTERED, "jittered"}};
static const RecordCodeList flag_codes = {flags, sizeof flags / sizeof flags[0]};

// --- layout ---------------------------------------------------------------------------------------

static ClackStatus make_field(RecordRegions *regions, const RecordPlace *place, hid_t group, hid_t letters,
                              size_t index) {
    const RegionField *field = &fields[index];
    DatasetSpec spec =
        record_h5_column(group, field->name, field->type, regions->axis, letters, field->components == 3);
    spec.unit = field->unit;
    spec.sentence = field->sentence;
    TRY(record_h5_dataset(place, &spec, &regions->datasets[index]));
    const hid_t dataset = regions->datasets[index];
    if (strcmp(field->name, "configuration") == 0) // CF, indexed ragged array
        return record_h5_text(place, dataset, "instance_dimension", "configuration");
    if (strcmp(field->name, "flags") == 0)
        return record_describe_codes(place, dataset, "flag_masks", field->type, &flag_codes);
    return CLACK_OK;
}

ClackStatus record_regions_make(RecordRegions *regions, const Record *record, const RecordPlace *place, hid_t scale) {
    hid_t group = -1, letters = -1;
    ClackStatus status = CLACK_OK;
    const hsize_t count = record->scene_count;
    const DatasetSpec counts = {.parent = record->file,
                                .name = "n_regions",
                                .type = RECORD_I32,
                                .rank = 1,
                                .dims = {count},
                                .chunk = {count < RECORD_CHUNK_SCENES ? count : RECORD_CHUNK_SCENES},
                                .scales = {scale},
                                .unit = "1",
                                .sentence = "Rows of the configuration in /regions."};
    TRY(record_h5_dataset(place, &counts, &regions->counts));
    TRY(record_h5_group(place, record->file, "regions", &group));
    TRY_CLEAN(record_h5_row_scale(place, group, "region_row",
                                  "Number of the row: by configuration, by shapes, then by region.", &regions->axis));
    TRY_CLEAN(record_h5_letter_scale(place, group, "xyz", "xyz", &letters));
    for (size_t i = 0; i < FIELD_COUNT; i++) TRY_CLEAN(make_field(regions, place, group, letters, i));
cleanup:
    status = record_h5_close(place, letters, "xyz", status);
    return record_h5_close(place, group, "regions", status);
}

// --- rows -----------------------------------------------------------------------------------------

// They fit the buffer.
static ClackStatus write_rows(RecordRegions *regions, const Record *record, const ClackRegion *rows, size_t count,
                              const RecordPlace *place) {
    double *buffer = record->buffer;
    const hsize_t start[] = {regions->row_count, 0};
    hsize_t counts[] = {count, 3};
    for (size_t i = 0; i < count; i++) buffer[i] = (double)(regions->row_count + i);
    TRY(record_h5_extend(place, regions->axis, "region_row", 0, regions->row_count + count));
    TRY(record_h5_write(place, regions->axis, "region_row", start, counts, buffer));
    for (size_t f = 0; f < FIELD_COUNT; f++) {
        const RegionField *field = &fields[f];
        for (size_t i = 0; i < count; i++) field->get(&rows[i], buffer + i * (size_t)field->components);
        if (strcmp(field->name, "configuration") == 0) // of this call -> of the file
            for (size_t i = 0; i < count; i++) buffer[i] += (double)record->scenes_run;
        TRY(record_h5_extend(place, regions->datasets[f], field->name, 0, regions->row_count + count));
        TRY(record_h5_write(place, regions->datasets[f], field->name, start, counts, buffer));
    }
    regions->row_count += count;
    return CLACK_OK;
}

ClackStatus record_regions_write(RecordRegions *regions, const Record *record, const ClackContacts *contacts,
                                 const RecordPlace *place) {
    enum { BLOCK = RECORD_BLOCK_VALUES / 4 }; // vectors of 3 fit the buffer
    if (contacts->region_count > INT32_MAX - regions->row_count)
        return report_add(place->report, CLACK_IO, "%s: more than %d regions do not fit the file", place->path,
                          INT32_MAX);
    for (size_t first = 0; first < contacts->configuration_count; first += RECORD_BLOCK_VALUES) {
        const size_t left = contacts->configuration_count - first;
        const hsize_t row = record->scenes_run + first;
        const hsize_t count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        const size_t *rows = contacts->first_region + first;
        for (size_t i = 0; i < count; i++) record->buffer[i] = (double)(rows[i + 1] - rows[i]);
        TRY(record_h5_write(place, regions->counts, "n_regions", &row, &count, record->buffer));
    }
    for (size_t first = 0; first < contacts->region_count; first += BLOCK) {
        const size_t left = contacts->region_count - first;
        TRY(write_rows(regions, record, contacts->regions + first, left < BLOCK ? left : BLOCK, place));
    }
    return CLACK_OK;
}
