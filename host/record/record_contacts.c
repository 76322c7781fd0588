// Contacts of N configurations -> HDF5: what `clack evaluate` writes. One vector per configuration in the
// root, one row per contact in /contacts.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/narrow_types.h"
#include "record_evaluate.h"
#include "record_internal.h"
#include "record_regions.h"

#define CONTACTS_FORMAT "clack contacts"
#define CONTACTS_FORMAT_VERSION 1

// --- the field tables -----------------------------------------------------------------------------

typedef struct ContactField {
    const char *name;
    RecordType type;
    int components;
    const char *unit;
    const char *sentence;
    void (*get)(const ClackContact *row, double *out); // (components)
} ContactField;

static void put(double out[3], const double vector[3]) { memcpy(out, vector, 3 * sizeof *out); }

// FIELD(name, type, components, unit, sentence, statement that takes `row` and fills `out`)
#define CONTACT_FIELD_LIST(FIELD)                                                                                      \
    FIELD(configuration, I32, 1, "1", "Number of the configuration, as in the root's `configuration`.",                \
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
    static void get_##name(const ClackContact *row, double *out) { statement; }
CONTACT_FIELD_LIST(CONTACT_FIELD_GET)

static const ContactField fields[] = {
#define CONTACT_FIELD_ROW(name, type, components, unit, sentence, statement)                                           \
    {#name, RECORD_##type, components, unit, sentence, get_##name},
    CONTACT_FIELD_LIST(CONTACT_FIELD_ROW)};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static const RecordCode statuses[] = {{NARROW_OK, "ok"},
                                      {NARROW_FALLBACK, "fallback"},
                                      {NARROW_NOT_CONVERGED, "not_converged"},
                                      {NARROW_COINCIDENT, "coincident"},
                                      {NARROW_FADED, "faded"}};
static const RecordCodeList status_codes = {statuses, sizeof statuses / sizeof statuses[0]};

struct RecordContacts {
    Record *record;
    RecordKind kind;
    ClackEvaluateOptions options;
    hid_t counts, depths; // per configuration
    hid_t axis;           // of the contacts; grows
    hid_t datasets[FIELD_COUNT];
    uint64_t row_count;
    bool has_regions; // the scene has meshes
    RecordRegions regions;
};

// --- layout ---------------------------------------------------------------------------------------

// A value of each configuration. spec: its name, type, unit and sentence.
static ClackStatus make_vector(const RecordPlace *place, const Record *record, hid_t scale, DatasetSpec spec,
                               hid_t *out_dataset) {
    const hsize_t count = record->scene_count;
    spec.parent = record->file;
    spec.rank = 1;
    spec.dims[0] = count;
    spec.chunk[0] = count < RECORD_CHUNK_SCENES ? count : RECORD_CHUNK_SCENES;
    spec.scales[0] = scale;
    spec.fill = spec.type == RECORD_F64 ? NAN : 0;
    spec.has_fill_attribute = spec.type == RECORD_F64;
    return record_h5_dataset(place, &spec, out_dataset);
}

static ClackStatus make_root(RecordContacts *file, const Record *record, const RecordPlace *place) {
    const hsize_t count = record->scene_count;
    const double scene = (double)file->options.scene, margin = file->options.margin_m,
                 all = file->options.list_all != 0, fits = file->options.fits_planes != 0;
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
    const DatasetSpec counts = {
        .name = "n_contacts", .type = RECORD_I32, .unit = "1", .sentence = "Rows of the configuration in /contacts."};
    const DatasetSpec depths = {.name = "max_penetration",
                                .type = RECORD_F64,
                                .unit = "m",
                                .sentence = "Deepest penetration; 0 where nothing overlaps."};
    TRY_CLEAN(record_h5_numbers(place, record->file, "scene", RECORD_I32, &scene, 0));
    TRY_CLEAN(record_h5_numbers(place, record->file, "margin", RECORD_F64, &margin, 0));
    TRY_CLEAN(record_h5_numbers(place, record->file, "lists_all_pairs", RECORD_U8, &all, 0));
    TRY_CLEAN(record_h5_index_scale(place, &spec, 0, &scale));
    TRY_CLEAN(record_make_body_axis(record, place, record->file, &bodies));
    TRY_CLEAN(make_vector(place, record, scale, counts, &file->counts));
    TRY_CLEAN(make_vector(place, record, scale, depths, &file->depths));
    if (file->has_regions) TRY_CLEAN(record_h5_numbers(place, record->file, "fits_planes", RECORD_U8, &fits, 0));
    if (file->has_regions) TRY_CLEAN(record_regions_make(&file->regions, record, place, scale));
cleanup:
    status = record_h5_close(place, scale, "configuration", status);
    return record_h5_close(place, bodies, "body", status);
}

static ClackStatus make_field(RecordContacts *file, const RecordPlace *place, hid_t group, hid_t letters,
                              size_t index) {
    const ContactField *field = &fields[index];
    DatasetSpec spec = record_h5_column(group, field->name, field->type, file->axis, letters, field->components == 3);
    spec.unit = field->unit;
    spec.sentence = field->sentence;
    TRY(record_h5_dataset(place, &spec, &file->datasets[index]));
    const hid_t dataset = file->datasets[index];
    if (strcmp(field->name, "configuration") == 0) // CF, indexed ragged array
        return record_h5_text(place, dataset, "instance_dimension", "configuration");
    if (strcmp(field->name, "status") == 0)
        return record_describe_codes(place, dataset, "flag_values", field->type, &status_codes);
    return CLACK_OK;
}

static ClackStatus make_contacts(RecordContacts *file, const Record *record, const RecordPlace *place) {
    hid_t group = -1, letters = -1;
    ClackStatus status = CLACK_OK;
    TRY(record_h5_group(place, record->file, "contacts", &group));
    TRY_CLEAN(record_h5_row_scale(place, group, "contact", "Number of the contact: by configuration, then by shapes.",
                                  &file->axis));
    TRY_CLEAN(record_h5_letter_scale(place, group, "xyz", "xyz", &letters));
    for (size_t i = 0; i < FIELD_COUNT; i++) TRY_CLEAN(make_field(file, place, group, letters, i));
cleanup:
    status = record_h5_close(place, letters, "xyz", status);
    return record_h5_close(place, group, "contacts", status);
}

static ClackStatus contacts_make_layout(Record *record, const RecordPlace *place) {
    RecordContacts *file = record->kind->context;
    TRY(make_root(file, record, place));
    return make_contacts(file, record, place);
}

ClackStatus record_contacts_open(const char *path, const Study *study, uint64_t configuration_count,
                                 const ClackEvaluateOptions *options, const RecordProvenance *provenance,
                                 RecordContacts **out_contacts, ClackReport *report) {
    RecordContacts *file = calloc(1, sizeof *file);
    if (file == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for the file", path);
    file->options = *options;
    file->has_regions = study->scene.mesh_count > 0;
    file->kind = (RecordKind){.format = CONTACTS_FORMAT,
                              .prefix = "contacts",
                              .version = CONTACTS_FORMAT_VERSION,
                              .make_layout = contacts_make_layout,
                              .context = file};
    const ClackStatus status = record_open_kind(path, study, (RecordScenes){0, configuration_count}, provenance,
                                                &file->kind, &file->record, report);
    if (status != CLACK_OK) {
        free(file);
        return status;
    }
    *out_contacts = file;
    return CLACK_OK;
}

// --- rows -----------------------------------------------------------------------------------------

static ClackStatus write_configurations(RecordContacts *file, const ClackContacts *contacts, const RecordPlace *place) {
    Record *record = file->record;
    for (size_t first = 0; first < contacts->configuration_count; first += RECORD_BLOCK_VALUES) {
        const size_t left = contacts->configuration_count - first;
        const hsize_t row = record->scenes_run + first;
        const hsize_t count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        const size_t *rows = contacts->first + first;
        for (size_t i = 0; i < count; i++) record->buffer[i] = (double)(rows[i + 1] - rows[i]);
        TRY(record_h5_write(place, file->counts, "n_contacts", &row, &count, record->buffer));
        for (size_t i = 0; i < count; i++) {
            double deepest = 0;
            for (size_t k = rows[i]; k < rows[i + 1]; k++) deepest = fmax(deepest, -contacts->rows[k].distance_m);
            record->buffer[i] = deepest;
        }
        TRY(record_h5_write(place, file->depths, "max_penetration", &row, &count, record->buffer));
    }
    return CLACK_OK;
}

// Rows first .. first + count - 1 of this call; they fit the buffer.
static ClackStatus write_rows(RecordContacts *file, const ClackContact *rows, size_t count, const RecordPlace *place) {
    double *buffer = file->record->buffer;
    const hsize_t start[] = {file->row_count, 0};
    hsize_t counts[] = {count, 3};
    for (size_t i = 0; i < count; i++) buffer[i] = (double)(file->row_count + i);
    TRY(record_h5_extend(place, file->axis, "contact", 0, file->row_count + count));
    TRY(record_h5_write(place, file->axis, "contact", start, counts, buffer));
    for (size_t f = 0; f < FIELD_COUNT; f++) {
        const ContactField *field = &fields[f];
        for (size_t i = 0; i < count; i++) field->get(&rows[i], buffer + i * (size_t)field->components);
        if (strcmp(field->name, "configuration") == 0) // of this call -> of the file
            for (size_t i = 0; i < count; i++) buffer[i] += (double)file->record->scenes_run;
        TRY(record_h5_extend(place, file->datasets[f], field->name, 0, file->row_count + count));
        TRY(record_h5_write(place, file->datasets[f], field->name, start, counts, buffer));
    }
    file->row_count += count;
    return CLACK_OK;
}

static ClackStatus write_contacts(RecordContacts *file, const ClackContacts *contacts, const RecordPlace *place) {
    enum { BLOCK = RECORD_BLOCK_VALUES / 4 }; // vectors of 3 fit the buffer
    if (contacts->row_count > INT32_MAX - file->row_count)
        return report_add(place->report, CLACK_IO, "%s: more than %d contacts do not fit the file", place->path,
                          INT32_MAX);
    TRY(write_configurations(file, contacts, place));
    for (size_t first = 0; first < contacts->row_count; first += BLOCK) {
        const size_t left = contacts->row_count - first;
        TRY(write_rows(file, contacts->rows + first, left < BLOCK ? left : BLOCK, place));
    }
    if (file->has_regions) TRY(record_regions_write(&file->regions, file->record, contacts, place));
    file->record->scenes_run += contacts->configuration_count;
    return CLACK_OK;
}

ClackStatus record_contacts_add(RecordContacts *file, const ClackContacts *contacts, ClackReport *report) {
    assert(file->record->scenes_run + contacts->configuration_count <= file->record->scene_count);
    const RecordPlace place = {file->record->part_path, CLACK_IO, report};
    const ClackStatus status = write_contacts(file, contacts, &place);
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
