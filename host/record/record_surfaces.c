// Surfaces of moving bodies as HDF5: triangles once, their points in every frame.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "record_export.h"
#include "record_internal.h"
#include "base/vec3.h"

const char *const record_export_groups[] = {"position", "velocity", "body_position", "body_velocity",
                                            "body_angular_velocity"};

const RecordContactField record_contact_fields[RECORD_CONTACT_FIELDS] = {
    {"contact_position", 3, 0},    {"contact_normal_force", 3, 0}, {"contact_tangential_force", 3, 0},
    {"contact_penetration", 1, 0}, {"contact_body_a", 1, 1},       {"contact_body_b", 1, 1}};

static ClackStatus write_whole(const RecordPlace *place, const DatasetSpec *spec, const double *values) {
    static const hsize_t start[RECORD_RANK_MAX] = {0};
    hid_t dataset = -1;
    TRY(record_h5_dataset(place, spec, &dataset));
    return record_h5_close(place, dataset, spec->name,
                           record_h5_write(place, dataset, spec->name, start, spec->dims, values));
}

static ClackStatus write_triangles(const RecordPlace *place, hid_t file, const Surface *surface, double *values) {
    const size_t count = surface->triangle_count;
    DatasetSpec spec = {.parent = file,
                        .name = "triangle",
                        .type = RECORD_I32,
                        .rank = 2,
                        .dims = {count, 3},
                        .unit = "1",
                        .sentence = "Points of each triangle, counter-clockwise seen from outside."};
    for (size_t t = 0; t < count; t++)
        for (size_t k = 0; k < 3; k++) values[3 * t + k] = surface->triangles[t][k];
    TRY(write_whole(place, &spec, values));
    spec.rank = 1;
    spec.name = "body";
    spec.sentence = "Number of the body.";
    for (size_t i = 0; i < count; i++) values[i] = surface->bodies[surface->triangles[i][0]];
    TRY(write_whole(place, &spec, values));
    spec.name = "shape";
    spec.sentence = "Number of the shape within the scene.";
    for (size_t i = 0; i < count; i++) values[i] = surface->shapes[i];
    return write_whole(place, &spec, values);
}

static Vec3 vec3_of(const double *v) { return vec3_make(v[0], v[1], v[2]); }

static void put(double *out, Vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// Points of the surface in one frame: positions or velocities (point_count, 3).
static void move_points(const Surface *surface, const EnsembleFrames *frames, uint64_t frame, int is_velocity,
                        double *values) {
    for (size_t i = 0; i < surface->point_count; i++) {
        const size_t row = (size_t)frame * frames->body_count + surface->bodies[i];
        const double *q = frames->orientation + 4 * row;
        const Vec3 arm = quat_rotate(quat_make(q[0], q[1], q[2], q[3]), vec3_of(surface->points_m[i]));
        const Vec3 turned = vec3_cross(vec3_of(frames->spin_rad_per_s + 3 * row), arm);
        put(values + 3 * i, is_velocity ? vec3_add(vec3_of(frames->velocity_m_per_s + 3 * row), turned)
                                        : vec3_add(vec3_of(frames->position_m + 3 * row), arm));
    }
}

// What a frame's points are, and which of them are left out: bodies that the scene does not have.
typedef enum Vectors { SURFACE_POSITION, SURFACE_VELOCITY, BODY_POSITION, BODY_VELOCITY, BODY_SPIN, VECTORS } Vectors;

static size_t fill_vectors(Vectors which, const Surface *surface, const EnsembleFrames *frames, uint64_t frame,
                           double *values) {
    const double *states[] = {frames->position_m, frames->velocity_m_per_s, frames->spin_rad_per_s};
    size_t count = 0;
    if (which < BODY_POSITION) {
        move_points(surface, frames, frame, which == SURFACE_VELOCITY, values);
        return surface->point_count;
    }
    for (size_t b = 0; b < frames->body_count; b++) {
        const size_t at = 3 * ((size_t)frame * frames->body_count + b);
        if (isfinite(frames->position_m[at])) put(values + 3 * count++, vec3_of(states[which - BODY_POSITION] + at));
    }
    return count;
}

// A dataset for each frame: parts of larger ones are not understood by all readers of XDMF (version 3 has its own way).
static ClackStatus write_frames(const RecordPlace *place, hid_t file, Vectors which, const Surface *surface,
                                const EnsembleFrames *frames, double *values) {
    hid_t group = -1;
    TRY(record_h5_group(place, file, record_export_groups[which], &group));
    ClackStatus status = CLACK_OK;
    for (uint64_t frame = 0; status == CLACK_OK && frame < frames->frame_count; frame++) {
        char name[32];
        const hsize_t points = fill_vectors(which, surface, frames, frame, values);
        snprintf(name, sizeof name, "%" PRIu64, frame);
        const DatasetSpec spec = {.parent = group,
                                  .name = name,
                                  .type = RECORD_F64,
                                  .rank = 2,
                                  .dims = {points, 3},
                                  .chunk = {points < RECORD_CHUNK_SCENES ? points : RECORD_CHUNK_SCENES, 3}};
        status = write_whole(place, &spec, values);
    }
    return record_h5_close(place, group, record_export_groups[which], status);
}

// One component of a field of a contact.
static double contact_value(const SurfaceContacts *contacts, int field, size_t contact, size_t k) {
    switch (field) {
    case 0: return contacts->points_m[contact][k];
    case 1: return contacts->normal_N[contact][k];
    case 2: return contacts->friction_N[contact][k];
    case 3: return contacts->penetration_m[contact];
    case 4: return contacts->body_a[contact];
    default: return contacts->body_b[contact];
    }
}

static ClackStatus write_contacts(const RecordPlace *place, hid_t file, int field, const SurfaceContacts *contacts,
                                  uint64_t frame_count, double *values) {
    const RecordContactField *spec_of = &record_contact_fields[field];
    hid_t group = -1;
    TRY(record_h5_group(place, file, spec_of->name, &group));
    ClackStatus status = CLACK_OK;
    for (uint64_t frame = 0; status == CLACK_OK && frame < frame_count; frame++) {
        const size_t first = contacts->first[frame], count = contacts->first[frame + 1] - first;
        char name[32];
        if (count == 0) continue;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < spec_of->components; k++)
                values[spec_of->components * i + k] = contact_value(contacts, field, first + i, k);
        snprintf(name, sizeof name, "%" PRIu64, frame);
        const DatasetSpec spec = {
            .parent = group,
            .name = name,
            .type = spec_of->is_integer ? RECORD_I32 : RECORD_F64,
            .rank = spec_of->components > 1 ? 2 : 1,
            .dims = {count, spec_of->components},
            .chunk = {count < RECORD_CHUNK_SCENES ? count : RECORD_CHUNK_SCENES, spec_of->components}};
        status = write_whole(place, &spec, values);
    }
    return record_h5_close(place, group, spec_of->name, status);
}

ClackStatus record_export_surfaces(const char *path, const Surface *surface, const EnsembleFrames *frames,
                                   const SurfaceContacts *contacts, ClackReport *report) {
    const RecordPlace place = {path, CLACK_IO, report};
    const size_t contact_count = contacts != NULL ? contacts->count : 0;
    const size_t rows = surface->triangle_count + surface->point_count + frames->body_count + contact_count;
    double *values = malloc((3 * rows + 1) * sizeof *values);
    hid_t file = 0;
    ClackStatus status = CLACK_OK;
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for the surfaces of a scene");
    record_h5_quiet();
    TRY_CLEAN(record_h5_create_file(&place, &file));
    TRY_CLEAN(write_triangles(&place, file, surface, values));
    for (int which = 0; which < VECTORS; which++)
        TRY_CLEAN(write_frames(&place, file, (Vectors)which, surface, frames, values));
    for (int field = 0; field < RECORD_CONTACT_FIELDS && contact_count > 0; field++)
        TRY_CLEAN(write_contacts(&place, file, field, contacts, frames->frame_count, values));
cleanup:
    if (file > 0) status = record_h5_close_file(&place, file, status);
    free(values);
    return status;
}
