// Contacts of a scene at the times at which they were recorded: rows of /contacts, where those of a scene stand side
// by side.
#include "contacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 10

int contacts_are_there(const Ensemble *ensemble) {
    return record_read_has(ensemble->reader, "contacts/time") &&
           record_read_has(ensemble->reader, "contacts/normal_force");
}

// Numbers of the scenes, one for each row; their name differs between versions of the format.
static ClackStatus read_scenes(const Ensemble *ensemble, double **out_scenes, size_t *out_count, ClackReport *report) {
    static const char *const names[] = {"contacts/scene_number", "contacts/scene"};
    const char *path = names[record_read_has(ensemble->reader, names[0]) ? 0 : 1];
    RecordAxes axes;
    if (!contacts_are_there(ensemble))
        return report_add(report, CLACK_USAGE,
                          "%s: has no contacts over time; studies record them with \"outputs: {contacts: {every: "
                          "0.001}}\"",
                          record_read_path(ensemble->reader));
    TRY(record_read_all(ensemble->reader, path, &axes, out_scenes, report));
    *out_count = axes.rank == 1 ? (size_t)axes.dims[0] : 0;
    return CLACK_OK;
}

static ClackStatus find_rows(const Ensemble *ensemble, int64_t scene, uint64_t *out_first, ContactRows *rows,
                             ClackReport *report) {
    const char *path = record_read_path(ensemble->reader);
    double *scenes = NULL;
    size_t count = 0, first = 0;
    ClackStatus status = read_scenes(ensemble, &scenes, &count, report);
    while (status == CLACK_OK && scene >= 0 && first < count && scenes[first] != (double)scene) first++;
    if (status == CLACK_OK && first == count)
        status = scene >= 0
                     ? report_add(report, CLACK_USAGE, "%s: has no contact of scene %" PRId64, path, scene)
                     : report_add(report, CLACK_USAGE, "%s: no scene had a contact when they were recorded", path);
    if (status == CLACK_OK) {
        size_t end = first;
        while (end < count && scenes[end] == scenes[first]) end++;
        rows->scene = (uint64_t)scenes[first];
        rows->count = end - first;
        *out_first = first;
    }
    free(scenes);
    return status;
}

ClackStatus contacts_read(const Ensemble *ensemble, int64_t scene, ContactRows *out_rows, ClackReport *report) {
    ContactRows *rows = out_rows;
    *rows = (ContactRows){0};
    const struct {
        const char *path;
        double **place;
        uint64_t components;
    } columns[COLUMNS] = {
        {"contacts/time", &rows->time_s, 1},           {"contacts/body_a", &rows->body_a, 1},
        {"contacts/body_b", &rows->body_b, 1},         {"contacts/shape_a", &rows->shape_a, 1},
        {"contacts/shape_b", &rows->shape_b, 1},       {"contacts/penetration", &rows->penetration_m, 1},
        {"contacts/normal_force", &rows->normal_N, 1}, {"contacts/tangential_force", &rows->tangential_N, 3},
        {"contacts/point", &rows->point_m, 3},         {"contacts/normal", &rows->normal, 3}};
    uint64_t start[2] = {0, 0};
    ClackStatus status = find_rows(ensemble, scene, &start[0], rows, report);
    for (int i = 0; status == CLACK_OK && i < COLUMNS; i++) {
        const uint64_t count[2] = {rows->count, columns[i].components};
        *columns[i].place = calloc(rows->count * columns[i].components + 1, sizeof(double));
        status = *columns[i].place != NULL
                     ? record_read_block(ensemble->reader, columns[i].path, start, count, *columns[i].place, report)
                     : report_add(report, CLACK_MEMORY, "no memory for contacts");
    }
    if (status != CLACK_OK) contacts_free(rows);
    return status;
}

void contacts_free(ContactRows *rows) {
    double *const places[COLUMNS] = {rows->time_s,  rows->body_a,        rows->body_b,   rows->shape_a,
                                     rows->shape_b, rows->penetration_m, rows->normal_N, rows->tangential_N,
                                     rows->point_m, rows->normal};
    for (int i = 0; i < COLUMNS; i++) free(places[i]);
    *rows = (ContactRows){0};
}
