// The bodies of one scene as particles: H5MD 1.1 (de Buyl, Colberg, Hoefling, Comput. Phys. Commun. 185, 2014), as
// MDAnalysis opens it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record_export.h"
#include "record_internal.h"

typedef struct Particles { // bodies that the scene has
    size_t count;
    size_t *bodies; // (count): their numbers
    double *values; // (frame_count, count, 4): room for any element
} Particles;

// H5MD's own attribute, of variable length: MDAnalysis looks it up as a text, and one of fixed length is bytes to h5py.
static ClackStatus write_unit(const RecordPlace *place, hid_t dataset, const char *unit) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    hid_t attribute = -1;
    ClackStatus status = CLACK_OK;
    if (type >= 0 && space >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        attribute = H5Acreate2(dataset, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, &unit) < 0)
        status = record_h5_failed(place, "write attribute", "unit");
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return record_h5_close(place, attribute, "unit", status);
}

// Every dataset has the attribute `units` of other files. H5MD's `unit` lengths go without: MDAnalysis refuses a file
// with one that it does not know, whatever it is asked for, and knows no metres.
static ClackStatus write_values(const RecordPlace *place, const DatasetSpec *spec, const double *values) {
    static const hsize_t start[RECORD_RANK_MAX] = {0};
    hid_t dataset = -1;
    TRY(record_h5_dataset(place, spec, &dataset));
    ClackStatus status = record_h5_write(place, dataset, spec->name, start, spec->dims, values);
    if (status == CLACK_OK && spec->unit != NULL && strcmp(spec->unit, "m") != 0)
        status = write_unit(place, dataset, spec->unit);
    return record_h5_close(place, dataset, spec->name, status);
}

static ClackStatus write_head(const RecordPlace *place, hid_t file) {
    static const double version[] = {1, 1}, units_version[] = {1, 0};
    const char *user = getenv("USER");
    hid_t head = -1, author = -1, creator = -1, modules = -1, units = -1;
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(record_h5_group(place, file, "h5md", &head));
    TRY_CLEAN(record_h5_numbers(place, head, "version", RECORD_I32, version, 2));
    TRY_CLEAN(record_h5_group(place, head, "author", &author));
    TRY_CLEAN(record_h5_text(place, author, "name", user != NULL && user[0] != '\0' ? user : "unknown"));
    TRY_CLEAN(record_h5_group(place, head, "creator", &creator));
    TRY_CLEAN(record_h5_text(place, creator, "name", "clack"));
    TRY_CLEAN(record_h5_text(place, creator, "version", CLACK_VERSION));
    TRY_CLEAN(record_h5_group(place, head, "modules", &modules));
    TRY_CLEAN(record_h5_group(place, modules, "units", &units));
    TRY_CLEAN(record_h5_numbers(place, units, "version", RECORD_I32, units_version, 2));
    TRY_CLEAN(record_h5_text(place, units, "system", "SI"));
cleanup:
    status = record_h5_close(place, units, "a group", status);
    status = record_h5_close(place, modules, "a group", status);
    status = record_h5_close(place, creator, "a group", status);
    status = record_h5_close(place, author, "a group", status);
    status = record_h5_close(place, head, "a group", status);
    return status;
}

// A box without walls: the space is not periodic.
static ClackStatus write_box(const RecordPlace *place, hid_t bodies) {
    static const char none[] = "none"
                               "none"
                               "none";
    const double dimension = 3;
    const hsize_t axes = 3;
    hid_t box = -1;
    TRY(record_h5_group(place, bodies, "box", &box));
    ClackStatus status = record_h5_numbers(place, box, "dimension", RECORD_I32, &dimension, 0);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &axes, NULL);
    hid_t attribute = -1;
    if (type >= 0 && space >= 0 && H5Tset_size(type, 4) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0)
        attribute = H5Acreate2(box, "boundary", type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (status == CLACK_OK && (attribute < 0 || H5Awrite(attribute, type, none) < 0))
        status = record_h5_failed(place, "write attribute", "boundary");
    status = record_h5_close(place, attribute, "boundary", status);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return record_h5_close(place, box, "box", status);
}

// The group of an element, with `step` and `time` of its own or, where `first` is one, those of that group.
static ClackStatus make_element(const RecordPlace *place, hid_t bodies, const char *name, hid_t first,
                                const EnsembleFrames *frames, double *values, hid_t *out_group) {
    TRY(record_h5_group(place, bodies, name, out_group));
    if (first >= 0) {
        const int is_linked = H5Lcreate_hard(first, "step", *out_group, "step", H5P_DEFAULT, H5P_DEFAULT) >= 0 &&
                              H5Lcreate_hard(first, "time", *out_group, "time", H5P_DEFAULT, H5P_DEFAULT) >= 0;
        return is_linked ? CLACK_OK : record_h5_failed(place, "link the times of", name);
    }
    DatasetSpec spec = {
        .parent = *out_group, .name = "step", .type = RECORD_I32, .rank = 1, .dims = {frames->frame_count}};
    for (uint64_t i = 0; i < frames->frame_count; i++) values[i] = (double)i;
    TRY(write_values(place, &spec, values));
    spec.name = "time";
    spec.type = RECORD_F64;
    spec.unit = "s";
    return write_values(place, &spec, frames->time_s);
}

typedef struct Element {
    const char *name, *unit;
    const double *values; // (frame_count, body_count, components)
    hsize_t components;
} Element;

static ClackStatus write_element(const RecordPlace *place, const Particles *particles, const EnsembleFrames *frames,
                                 const Element *element, hid_t group) {
    const hsize_t width = element->components;
    const DatasetSpec spec = {.parent = group,
                              .name = "value",
                              .type = RECORD_F64,
                              .rank = 3,
                              .dims = {frames->frame_count, particles->count, width},
                              .chunk = {1, particles->count, width},
                              .unit = element->unit};
    double *to = particles->values;
    for (uint64_t frame = 0; frame < frames->frame_count; frame++)
        for (size_t i = 0; i < particles->count; i++, to += width)
            memcpy(to, element->values + (frame * frames->body_count + particles->bodies[i]) * width,
                   (size_t)width * sizeof *to);
    return write_values(place, &spec, particles->values);
}

static ClackStatus write_elements(const RecordPlace *place, hid_t bodies, const Particles *particles,
                                  const EnsembleFrames *frames) {
    const Element elements[] = {{"position", "m", frames->position_m, 3},
                                {"velocity", "m s-1", frames->velocity_m_per_s, 3},
                                {"orientation", "1", frames->orientation, 4},
                                {"angular_velocity", "rad s-1", frames->spin_rad_per_s, 3}};
    hid_t first = -1;
    ClackStatus status = CLACK_OK;
    for (size_t i = 0; status == CLACK_OK && i < sizeof elements / sizeof *elements; i++) {
        hid_t group = -1;
        status = make_element(place, bodies, elements[i].name, first, frames, particles->values, &group);
        if (status == CLACK_OK) status = write_element(place, particles, frames, &elements[i], group);
        if (i == 0)
            first = group;
        else
            status = record_h5_close(place, group, elements[i].name, status);
    }
    return record_h5_close(place, first, elements[0].name, status);
}

static ClackStatus write_particles(const RecordPlace *place, hid_t file, const Particles *particles,
                                   const Ensemble *ensemble, const EnsembleFrames *frames) {
    hid_t groups = -1, bodies = -1;
    ClackStatus status = CLACK_OK;
    const char **names = calloc(particles->count + 1, sizeof *names);
    if (names == NULL) return report_add(place->report, CLACK_MEMORY, "no memory for names of bodies");
    TRY_CLEAN(record_h5_group(place, file, "particles", &groups));
    TRY_CLEAN(record_h5_group(place, groups, "bodies", &bodies));
    TRY_CLEAN(write_box(place, bodies));
    TRY_CLEAN(write_elements(place, bodies, particles, frames));
    DatasetSpec spec = {.parent = bodies, .name = "id", .type = RECORD_I32, .rank = 1, .dims = {particles->count}};
    for (size_t i = 0; i < particles->count; i++) {
        particles->values[i] = (double)particles->bodies[i];
        names[i] = ensemble->bodies.items[particles->bodies[i]];
    }
    TRY_CLEAN(write_values(place, &spec, particles->values));
    spec.name = "name";
    TRY_CLEAN(record_h5_strings(place, &spec, names));
cleanup:
    status = record_h5_close(place, bodies, "a group", status);
    status = record_h5_close(place, groups, "a group", status);
    free(names);
    return status;
}

// What the scene was made with and gave, one attribute for each: H5MD leaves the group `parameters` to its users.
static ClackStatus write_parameters(const RecordPlace *place, hid_t file, const Ensemble *ensemble,
                                    const EnsembleFrames *frames) {
    static const char *const names[] = {NULL, "sampled", "quantities"};
    const uint64_t row = frames->scene - (uint64_t)ensemble->first_scene, one = 1;
    hid_t all = -1, group = -1;
    TRY(record_h5_group(place, file, "parameters", &all));
    ClackStatus status = record_h5_u64(place, all, "scene", frames->scene);
    for (int role = ENSEMBLE_PARAMETER; status == CLACK_OK && role <= ENSEMBLE_QUANTITY; role++) {
        status = record_h5_group(place, all, names[role], &group);
        for (size_t i = 0; status == CLACK_OK && i < ensemble->column_count; i++) {
            const EnsembleColumn *column = &ensemble->columns[i];
            double value = NAN;
            if ((int)column->role != role) continue;
            status = record_read_block(ensemble->reader, column->path, &row, &one, &value, place->report);
            if (status == CLACK_OK) status = record_h5_numbers(place, group, column->name, RECORD_F64, &value, 0);
        }
        status = record_h5_close(place, group, "a group", status);
        group = -1;
    }
    return record_h5_close(place, all, "parameters", status);
}

ClackStatus record_export_h5md(const char *path, const Ensemble *ensemble, const EnsembleFrames *frames,
                               ClackReport *report) {
    const RecordPlace place = {path, CLACK_IO, report};
    const size_t rows = (size_t)frames->frame_count * (frames->body_count + 1);
    Particles particles = {.bodies = calloc(frames->body_count + 1, sizeof *particles.bodies),
                           .values = malloc((4 * rows + 1) * sizeof *particles.values)};
    hid_t file = 0;
    ClackStatus status = CLACK_OK;
    if (particles.bodies == NULL || particles.values == NULL)
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for a trajectory"));
    for (size_t b = 0; b < frames->body_count; b++)
        if (isfinite(frames->position_m[3 * b])) particles.bodies[particles.count++] = b;
    TRY_CLEAN(record_h5_create_file(&place, &file));
    TRY_CLEAN(write_head(&place, file));
    TRY_CLEAN(write_particles(&place, file, &particles, ensemble, frames));
    TRY_CLEAN(write_parameters(&place, file, ensemble, frames));
cleanup:
    if (file > 0) status = record_h5_close_file(&place, file, status);
    free(particles.bodies);
    free(particles.values);
    return status;
}
