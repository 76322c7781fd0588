// Contacts of N configurations -> HDF5: what `clack evaluate` writes. One vector per configuration in the
// root, one row per contact in /contacts.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/narrow_types.h"
#include "record_evaluate.h"
#include "record_internal.h"
#include "record_pairs.h"
#include "record_regions.h"

// --- the field tables -----------------------------------------------------------------------------

static void put(double out[3], const double vector[3]) { memcpy(out, vector, 3 * sizeof *out); }

// FIELD(name, type, components, unit, sentence, statement that takes `row` and fills `out`)
#define CONTACT_FIELD_LIST(FIELD)                                                                                      \
    FIELD(configuration_number, I32, 1, "1", "Number of the configuration, as in the root's `configuration`.",         \
          out[0] = row->configuration)                                                                                 \
    FIELD(body_a, I32, 1, "1", "The body with the lower number.", out[0] = row->body_a)                                \
    FIELD(body_b, I32, 1, "1", "The other body.", out[0] = row->body_b)                                                \
    FIELD(shape_a, I32, 1, "1", "Shape of body_a within the scene.", out[0] = row->shape_a)                            \
    FIELD(shape_b, I32, 1, "1", "Shape of body_b within the scene.", out[0] = row->shape_b)                            \
    FIELD(feature, I32, 1, "1", "Which of the contacts of the two shapes.", out[0] = row->feature)                     \
    FIELD(status, U8, 1, "1", "How the distance was found; 0 is ok.", out[0] = row->status)                            \
    FIELD(iterations, I32, 1, "1", "Iterations of the narrow phase; 0 for a closed form.", out[0] = row->iterations)   \
    FIELD(distance, F64, 1, "m", "Signed distance: positive apart, negative overlapping.", out[0] = row->distance_m)   \
    FIELD(error, F64, 1, "m", "Error of the distance, as the narrow phase states it.", out[0] = row->error_m)          \
    FIELD(approach_speed, F64, 1, "m/s", "Speed along the normal, positive when closing.",                             \
          out[0] = row->approach_m_per_s)                                                                              \
    FIELD(slip_speed, F64, 1, "m/s", "Speed across the normal.", out[0] = row->slip_m_per_s)                           \
    FIELD(normal_force, F64, 1, "N", "Force along the normal, positive where it pushes apart.",                        \
          out[0] = row->normal_N)                                                                                      \
    FIELD(normal, F64, 3, "1", "Unit normal from body_a to body_b.", put(out, row->normal))                            \
    FIELD(point_a, F64, 3, "m", "Nearest or deepest point of body_a.", put(out, row->point_a_m))                       \
    FIELD(point_b, F64, 3, "m", "Nearest or deepest point of body_b; the force acts in the middle of the two.",        \
          put(out, row->point_b_m))                                                                                    \
    FIELD(tangential_force, F64, 3, "N", "Friction on body_b, part of `force`.", put(out, row->tangential_N))          \
    FIELD(force, F64, 3, "N", "Force on body_b.", put(out, row->force_N))                                              \
    FIELD(torque, F64, 3, "N m", "Rolling resistance on body_b; the moment of `force` is not in it.",                  \
          put(out, row->torque_N_m))

#define CONTACT_FIELD_GET(name, type, components, unit, sentence, statement)                                           \
    static void get_##name(const void *any, double *out) {                                                             \
        const ClackContact *row = any;                                                                                 \
        statement;                                                                                                     \
    }
CONTACT_FIELD_LIST(CONTACT_FIELD_GET)

static const RowField fields[] = {
#define CONTACT_FIELD_ROW(name, type, components, unit, sentence, statement)                                           \
    {#name, RECORD_##type, components, unit, sentence, get_##name},
    CONTACT_FIELD_LIST(CONTACT_FIELD_ROW)};

static const RecordCode statuses[] = {{NARROW_OK, "ok"},
                                      {NARROW_FALLBACK, "fallback"},
                                      {NARROW_NOT_CONVERGED, "not_converged"},
                                      {NARROW_COINCIDENT, "coincident"},
                                      {NARROW_FADED, "faded"}};
const RecordCodeList record_narrow_codes = {statuses, sizeof statuses / sizeof statuses[0]};

static const RowTableKind contacts_kind = {.group = "contacts",
                                           .row = "contact",
                                           .row_sentence = "Number of the contact: by configuration, then by shapes.",
                                           .counts = "n_contacts",
                                           .counts_sentence = "Rows of the configuration in /contacts.",
                                           .firsts = "first_contact",
                                           .firsts_sentence = "First row of the configuration in /contacts.",
                                           .plural = "contacts",
                                           .row_bytes = sizeof(ClackContact),
                                           .fields = fields,
                                           .field_count = sizeof fields / sizeof *fields,
                                           .counted = "configuration_number",
                                           .coded = "status",
                                           .code_attribute = "flag_values",
                                           .codes = &record_narrow_codes};

struct RecordContacts {
    Record *record;
    RecordKind kind;
    ClackEvaluateOptions options;
    hid_t depths, scenes; // per configuration; scenes: where has_scenes
    bool has_scenes;
    RowTable contacts;              // or pairs of bodies
    bool has_regions, has_contours; // the scene has meshes; and their contours are wanted
    RowTable regions, contours;
};

// --- layout ---------------------------------------------------------------------------------------

static ClackStatus make_regions(RecordContacts *file, const Record *record, const RecordPlace *place, hid_t scale) {
    const double fits = file->options.fits_planes != 0;
    TRY(record_h5_numbers(place, record->file, "fits_planes", RECORD_U8, &fits, 0));
    TRY(row_table_make(&file->regions, &record_regions, record, place, scale));
    return file->has_contours ? row_table_make(&file->contours, &record_contours, record, place, scale) : CLACK_OK;
}

static ClackStatus make_root(RecordContacts *file, const Record *record, const RecordPlace *place) {
    const hsize_t count = record->scene_count;
    const double scene = (double)file->options.scene, margin = file->options.margin_m,
                 all = file->options.list_all != 0;
    static const RowTableKind *const kinds[] = {
        [CLACK_ROWS_CONTACTS] = &contacts_kind, [CLACK_ROWS_NEAREST] = &record_nearest, [CLACK_ROWS_NET] = &record_net};
    hid_t scale = -1, bodies = -1;
    ClackStatus status = CLACK_OK;
    const DatasetSpec spec = {.parent = record->file,
                              .name = "configuration",
                              .type = RECORD_I32,
                              .rank = 1,
                              .dims = {count},
                              .chunk = {count < RECORD_CHUNK_SCENES ? count : RECORD_CHUNK_SCENES},
                              .unit = "1",
                              .sentence = "Number of the configuration within the input."};
    const DatasetSpec scenes = {.name = "scene_number",
                                .type = RECORD_I32,
                                .unit = "1",
                                .sentence = "Number of the scene whose shapes the configuration has."};
    const DatasetSpec depths = {.name = "max_penetration",
                                .type = RECORD_F64,
                                .unit = "m",
                                .sentence = "Deepest penetration; 0 where nothing overlaps."};
    if (!file->has_scenes) TRY_CLEAN(record_h5_numbers(place, record->file, "scene", RECORD_I32, &scene, 0));
    TRY_CLEAN(record_h5_numbers(place, record->file, "margin", RECORD_F64, &margin, 0));
    TRY_CLEAN(record_h5_numbers(place, record->file, "lists_all_pairs", RECORD_U8, &all, 0));
    TRY_CLEAN(record_h5_index_scale(place, &spec, 0, &scale));
    TRY_CLEAN(record_make_body_axis(record, place, record->file, &bodies));
    TRY_CLEAN(row_table_make(&file->contacts, kinds[file->options.rows], record, place, scale));
    TRY_CLEAN(row_table_vector(place, record, scale, depths, &file->depths));
    if (file->has_scenes) TRY_CLEAN(row_table_vector(place, record, scale, scenes, &file->scenes));
    if (file->has_regions) TRY_CLEAN(make_regions(file, record, place, scale));
cleanup:
    status = record_h5_close(place, scale, "configuration", status);
    return record_h5_close(place, bodies, "body", status);
}

static ClackStatus contacts_make_layout(Record *record, const RecordPlace *place) {
    return make_root(record->kind->context, record, place);
}

ClackStatus record_contacts_open(const char *path, const Study *study, RecordContactsSize size,
                                 const ClackEvaluateOptions *options, const RecordProvenance *provenance,
                                 RecordContacts **out_contacts, ClackReport *report) {
    RecordContacts *file = calloc(1, sizeof *file);
    if (file == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for the file", path);
    file->options = *options;
    file->has_scenes = size.has_scenes;
    file->has_regions = study->scene.mesh_count > 0;
    file->has_contours = file->has_regions && options->lists_contours;
    file->kind = (RecordKind){.format = RECORD_CONTACTS_FORMAT,
                              .prefix = "contacts",
                              .version = RECORD_CONTACTS_FORMAT_VERSION,
                              .make_layout = contacts_make_layout,
                              .context = file};
    const ClackStatus status = record_open_kind(path, study, (RecordScenes){0, size.configuration_count}, provenance,
                                                &file->kind, &file->record, report);
    if (status != CLACK_OK) {
        free(file);
        return status;
    }
    *out_contacts = file;
    return CLACK_OK;
}

// --- rows -----------------------------------------------------------------------------------------

static ClackStatus write_depths(RecordContacts *file, const ClackContacts *contacts, const RecordPlace *place) {
    Record *record = file->record;
    for (size_t first = 0; first < contacts->configuration_count; first += RECORD_BLOCK_VALUES) {
        const size_t left = contacts->configuration_count - first;
        const hsize_t row = record->scenes_run + first;
        const hsize_t count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        const size_t *rows = contacts->first + first;
        for (size_t i = 0; i < count; i++) {
            double deepest = 0;
            for (size_t k = rows[i]; k < rows[i + 1]; k++) deepest = fmax(deepest, -contacts->rows[k].distance_m);
            record->buffer[i] = deepest;
        }
        TRY(record_h5_write(place, file->depths, "max_penetration", &row, &count, record->buffer));
    }
    return CLACK_OK;
}

static ClackStatus write_contours(RecordContacts *file, const ClackContacts *contacts, const RecordPlace *place) {
    const size_t count = contacts->configuration_count;
    size_t *first = malloc((count + 1) * sizeof *first), at = 0; // points of configurations
    if (first == NULL) return report_add(place->report, CLACK_MEMORY, "%s: no memory for contours", place->path);
    for (size_t i = 0; i <= count; i++) {
        while (at < contacts->contour_point_count && contacts->contour_points[at].region < contacts->first_region[i])
            at++;
        first[i] = at;
    }
    const ClackStatus status =
        row_table_write(&file->contours, file->record, place, contacts->contour_points, first, count);
    free(first);
    return status;
}

static ClackStatus write_scenes(RecordContacts *file, uint64_t scene, size_t configurations, const RecordPlace *place) {
    Record *record = file->record;
    for (size_t first = 0; first < configurations; first += RECORD_BLOCK_VALUES) {
        const size_t left = configurations - first;
        const hsize_t row = record->scenes_run + first;
        const hsize_t count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        for (size_t i = 0; i < count; i++) record->buffer[i] = (double)scene;
        TRY(record_h5_write(place, file->scenes, "scene_number", &row, &count, record->buffer));
    }
    return CLACK_OK;
}

static ClackStatus write_contacts(RecordContacts *file, uint64_t scene, const ClackContacts *contacts,
                                  const ClackPairs *pairs, const RecordPlace *place) {
    const size_t count = contacts->configuration_count;
    const void *rows = pairs != NULL ? (const void *)pairs->rows : contacts->rows;
    file->contacts.index_base = file->regions.index_base = file->record->scenes_run;
    file->contours.index_base = file->regions.row_count;
    TRY(row_table_write(&file->contacts, file->record, place, rows, pairs != NULL ? pairs->first : contacts->first,
                        count));
    if (file->has_scenes) TRY(write_scenes(file, scene, count, place));
    TRY(write_depths(file, contacts, place));
    if (file->has_regions)
        TRY(row_table_write(&file->regions, file->record, place, contacts->regions, contacts->first_region, count));
    if (file->has_contours) TRY(write_contours(file, contacts, place));
    file->record->scenes_run += count;
    return CLACK_OK;
}

ClackStatus record_contacts_add(RecordContacts *file, uint64_t scene, const ClackContacts *contacts,
                                const ClackPairs *pairs, ClackReport *report) {
    assert(file->record->scenes_run + contacts->configuration_count <= file->record->scene_count);
    const RecordPlace place = {file->record->part_path, CLACK_IO, report};
    const ClackStatus status = write_contacts(file, scene, contacts, pairs, &place);
    if (status != CLACK_OK) file->record->has_failed = true;
    return status;
}

ClackStatus record_contacts_close(RecordContacts *file, const char *finished_utc, ClackReport *report) {
    const ClackStatus status = record_close(file->record, finished_utc, report);
    free(file);
    return status;
}

void record_contacts_abandon(RecordContacts *file) {
    if (file == NULL) return;
    record_abandon(file->record);
    free(file);
}
