// One scene's moving bodies for programs that draw: XDMF with its surfaces and contacts, H5MD.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contacts.h"
#include "durable.h"
#include "export.h"
#include "html.h"
#include "surface.h"

static char *join(const char *first, const char *second) {
    const size_t bytes = strlen(first) + strlen(second) + 1;
    char *text = malloc(bytes);
    if (text != NULL) snprintf(text, bytes, "%s%s", first, second);
    return text;
}

// --- XDMF -----------------------------------------------------------------------------------------

typedef struct Scenery {       // what the text refers to
    const char *surfaces_file; // as seen from the text's folder
    const EnsembleFrames *frames;
    const Surface *surface;
    const SurfaceContacts *contacts; // count 0: none were recorded at these times
    size_t bodies;                   // that the scene has
} Scenery;

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void put_item(FILE *out, const Scenery *scenery, const char *dataset, size_t rows, size_t columns,
                     int is_integer) {
    fprintf(out, columns > 1 ? "<DataItem Dimensions=\"%zu %zu\"" : "<DataItem Dimensions=\"%zu\"", rows, columns);
    fprintf(out, " NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">", is_integer ? "Int" : "Float",
            is_integer ? 4 : 8);
    html_text(out, scenery->surfaces_file);
    fprintf(out, ":/%s</DataItem>", dataset);
}

static void put_vectors(FILE *out, const Scenery *scenery, int group, uint64_t frame, size_t rows) {
    char dataset[96];
    snprintf(dataset, sizeof dataset, "%s/%" PRIu64, record_export_groups[group], frame);
    put_item(out, scenery, dataset, rows, 3, 0);
}

static void put_numbers(FILE *out, const Scenery *scenery, const char *name) {
    fprintf(out, "     <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Cell\">", name);
    put_item(out, scenery, name, scenery->surface->triangle_count, 1, 1);
    fputs("</Attribute>\n", out);
}

// Points, or what is known at each of them.
static void put_nodes(FILE *out, const Scenery *scenery, const char *name, int group, uint64_t frame, size_t rows) {
    if (name == NULL)
        fputs("     <Geometry GeometryType=\"XYZ\">", out);
    else
        fprintf(out, "     <Attribute Name=\"%s\" AttributeType=\"Vector\" Center=\"Node\">", name);
    put_vectors(out, scenery, group, frame, rows);
    fputs(name == NULL ? "</Geometry>\n" : "</Attribute>\n", out);
}

static void put_surfaces(FILE *out, const Scenery *scenery, uint64_t frame) {
    const size_t triangles = scenery->surface->triangle_count, points = scenery->surface->point_count;
    fprintf(out,
            "    <Grid Name=\"surfaces\" GridType=\"Uniform\">\n"
            "     <Topology TopologyType=\"Triangle\" NumberOfElements=\"%zu\">",
            triangles);
    put_item(out, scenery, "triangle", triangles, 3, 1);
    fputs("</Topology>\n", out);
    put_nodes(out, scenery, NULL, 0, frame, points);
    put_numbers(out, scenery, "body");
    put_numbers(out, scenery, "shape");
    put_nodes(out, scenery, "velocity", 1, frame, points);
    fputs("    </Grid>\n", out);
}

static void put_bodies(FILE *out, const Scenery *scenery, uint64_t frame) {
    fprintf(out,
            "    <Grid Name=\"bodies\" GridType=\"Uniform\">\n"
            "     <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%zu\" NodesPerElement=\"1\"/>\n",
            scenery->bodies);
    put_nodes(out, scenery, NULL, 2, frame, scenery->bodies);
    put_nodes(out, scenery, "velocity", 3, frame, scenery->bodies);
    put_nodes(out, scenery, "angular_velocity", 4, frame, scenery->bodies);
    fputs("    </Grid>\n", out);
}

// Points with arrows, in frames that have any.
static void put_contacts(FILE *out, const Scenery *scenery, uint64_t frame) {
    const SurfaceContacts *contacts = scenery->contacts;
    const size_t count = contacts->count > 0 ? contacts->first[frame + 1] - contacts->first[frame] : 0;
    if (count == 0) return;
    fprintf(out,
            "    <Grid Name=\"contacts\" GridType=\"Uniform\">\n"
            "     <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%zu\" NodesPerElement=\"1\"/>\n",
            count);
    for (int i = 0; i < RECORD_CONTACT_FIELDS; i++) {
        const RecordContactField *field = &record_contact_fields[i];
        char dataset[96];
        snprintf(dataset, sizeof dataset, "%s/%" PRIu64, field->name, frame);
        if (i == 0)
            fputs("     <Geometry GeometryType=\"XYZ\">", out);
        else
            fprintf(out, "     <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">",
                    field->name + strlen("contact_"), field->components > 1 ? "Vector" : "Scalar");
        put_item(out, scenery, dataset, count, field->components, field->is_integer);
        fputs(i == 0 ? "</Geometry>\n" : "</Attribute>\n", out);
    }
    fputs("    </Grid>\n", out);
}

static void put_scenery(FILE *out, const Scenery *scenery) {
    const EnsembleFrames *frames = scenery->frames;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"2.0\">\n <Domain>\n"
            "  <Grid Name=\"scene %" PRIu64 "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
            frames->scene);
    for (uint64_t frame = 0; frame < frames->frame_count; frame++) {
        fprintf(out,
                "   <Grid Name=\"frame %" PRIu64 "\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
                "    <Time Value=\"%.17g\"/>\n",
                frame, frames->time_s[frame]);
        put_surfaces(out, scenery, frame);
        put_bodies(out, scenery, frame);
        put_contacts(out, scenery, frame);
        fputs("   </Grid>\n", out);
    }
    fputs("  </Grid>\n </Domain>\n</Xdmf>\n", out);
}

// The surfaces under their final name, then the text that speaks of them.
static ClackStatus write_scenery(const Scenery *scenery, const char *path, const char *surfaces_path, int overwrites,
                                 ClackReport *report) {
    char *part = join(surfaces_path, ".part");
    if (part == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its name", path);
    ClackStatus status = record_export_surfaces(part, scenery->surface, scenery->frames, scenery->contacts, report);
    if (status == CLACK_OK)
        status = durable_rename(part, surfaces_path, report);
    else
        unlink(part);
    free(part);
    TRY(status);
    DurableFile file;
    TRY(durable_create(path, overwrites, &file, report));
    put_scenery(file.stream, scenery);
    return durable_finish(&file, CLACK_OK, report);
}

// --- contacts at the times of the frames -----------------------------------------------------------

static void free_contacts(SurfaceContacts *contacts) {
    free(contacts->first);
    free(contacts->points_m);
    free(contacts->normal_N);
    free(contacts->friction_N);
    free(contacts->penetration_m);
    free(contacts->body_a);
    free(contacts->body_b);
}

static ClackStatus make_room(SurfaceContacts *contacts, size_t rows, uint64_t frames, ClackReport *report) {
    contacts->first = calloc((size_t)frames + 1, sizeof *contacts->first);
    contacts->points_m = calloc(rows, sizeof *contacts->points_m);
    contacts->normal_N = calloc(rows, sizeof *contacts->normal_N);
    contacts->friction_N = calloc(rows, sizeof *contacts->friction_N);
    contacts->penetration_m = calloc(rows, sizeof *contacts->penetration_m);
    contacts->body_a = calloc(rows, sizeof *contacts->body_a);
    contacts->body_b = calloc(rows, sizeof *contacts->body_b);
    if (contacts->first != NULL && contacts->points_m != NULL && contacts->normal_N != NULL &&
        contacts->friction_N != NULL && contacts->penetration_m != NULL && contacts->body_a != NULL &&
        contacts->body_b != NULL)
        return CLACK_OK;
    return report_add(report, CLACK_MEMORY, "no memory for contacts");
}

static void take_contact(SurfaceContacts *contacts, const ContactRows *rows, size_t row) {
    const size_t at = contacts->count++;
    for (size_t k = 0; k < 3; k++) {
        contacts->points_m[at][k] = rows->point_m[3 * row + k];
        contacts->normal_N[at][k] = rows->normal_N[row] * rows->normal[3 * row + k];
        contacts->friction_N[at][k] = rows->tangential_N[3 * row + k];
    }
    contacts->penetration_m[at] = rows->penetration_m[row];
    contacts->body_a[at] = (uint32_t)(int64_t)rows->body_a[row];
    contacts->body_b[at] = (uint32_t)(int64_t)rows->body_b[row];
}

#define SAME_TIME 1e-9 // relative to the last frame: multiples of two steps that differ by rounding

// Contacts of the scene that were recorded with a frame; how many were recorded between frames is warned of.
static ClackStatus read_contacts(const Ensemble *ensemble, const EnsembleFrames *frames, SurfaceContacts *contacts,
                                 ClackReport *report) {
    const double *time_s = frames->time_s, near_s = SAME_TIME * time_s[frames->frame_count - 1];
    ContactRows rows = {0};
    ClackReport none = {0};
    ClackStatus status = CLACK_OK;
    size_t row = 0;
    if (!contacts_are_there(ensemble)) return CLACK_OK;
    status = contacts_read(ensemble, (int64_t)frames->scene, &rows, &none);
    if (status == CLACK_USAGE) { // none of this scene
        clack_report_clear(&none);
        return CLACK_OK;
    }
    if (status != CLACK_OK) TRY_CLEAN(report_add(report, status, "%s", none.count > 0 ? none.lines[0] : "contacts"));
    TRY_CLEAN(make_room(contacts, rows.count, frames->frame_count, report));
    for (uint64_t frame = 0; frame < frames->frame_count; frame++) {
        while (row < rows.count && rows.time_s[row] < time_s[frame] - near_s) row++;
        for (; row < rows.count && rows.time_s[row] <= time_s[frame] + near_s; row++)
            take_contact(contacts, &rows, row);
        contacts->first[frame + 1] = contacts->count;
    }
    if (contacts->count < rows.count)
        report_warn(report,
                    "%zu of %zu contacts were recorded between the frames of the trajectory, and are left out: "
                    "\"outputs.contacts.every\" and \"outputs.trajectory.every\" differ",
                    rows.count - contacts->count, rows.count);
cleanup:
    clack_report_clear(&none);
    contacts_free(&rows);
    return status;
}

ClackStatus export_xdmf(const Ensemble *ensemble, int64_t scene, const char *study_path, const char *path,
                        int overwrites, ClackReport *report) {
    EnsembleFrames frames = {0};
    Surface surface = {0};
    SurfaceContacts contacts = {0};
    Study *study = NULL;
    ClackStatus status = CLACK_OK;
    char *surfaces_path = join(path, ".h5");
    if (surfaces_path == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its name", path);
    TRY_CLEAN(durable_check_free(path, overwrites, report));
    TRY_CLEAN(durable_check_free(surfaces_path, overwrites, report));
    TRY_CLEAN(ensemble_frames(ensemble, scene, &frames, report));
    TRY_CLEAN(ensemble_study(ensemble, study_path, &study, report));
    TRY_CLEAN(surface_make(study, &frames, &surface, report));
    TRY_CLEAN(read_contacts(ensemble, &frames, &contacts, report));
    if (strchr(last_part(path), ':') != NULL)
        TRY_CLEAN(report_add(report, CLACK_USAGE, "%s: XDMF cannot refer to files with a colon in their names", path));
    Scenery scenery = {
        .surfaces_file = last_part(surfaces_path), .frames = &frames, .surface = &surface, .contacts = &contacts};
    for (size_t b = 0; b < frames.body_count; b++) scenery.bodies += isfinite(frames.position_m[3 * b]) ? 1 : 0;
    TRY_CLEAN(write_scenery(&scenery, path, surfaces_path, overwrites, report));
cleanup:
    study_free(study);
    surface_free(&surface);
    free_contacts(&contacts);
    ensemble_frames_free(&frames);
    free(surfaces_path);
    return status;
}

// --- H5MD -----------------------------------------------------------------------------------------

ClackStatus export_h5md(const Ensemble *ensemble, int64_t scene, const char *path, int overwrites,
                        ClackReport *report) {
    EnsembleFrames frames = {0};
    ClackStatus status = CLACK_OK;
    char *part = join(path, ".part");
    if (part == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its name", path);
    TRY_CLEAN(durable_check_free(path, overwrites, report));
    TRY_CLEAN(ensemble_frames(ensemble, scene, &frames, report));
    status = record_export_h5md(part, ensemble, &frames, report);
    if (status == CLACK_OK)
        status = durable_rename(part, path, report);
    else
        unlink(part);
cleanup:
    ensemble_frames_free(&frames);
    free(part);
    return status;
}
