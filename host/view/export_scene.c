// One scene's moving bodies for programs that draw: XDMF with its surfaces, H5MD.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    size_t bodies; // that the scene has
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
        fputs("   </Grid>\n", out);
    }
    fputs("  </Grid>\n </Domain>\n</Xdmf>\n", out);
}

// The surfaces under their final name, then the text that speaks of them.
static ClackStatus write_scenery(const Scenery *scenery, const char *path, const char *surfaces_path, int overwrites,
                                 ClackReport *report) {
    char *part = join(surfaces_path, ".part");
    if (part == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its name", path);
    ClackStatus status = record_export_surfaces(part, scenery->surface, scenery->frames, report);
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

ClackStatus export_xdmf(const Ensemble *ensemble, int64_t scene, const char *study_path, const char *path,
                        int overwrites, ClackReport *report) {
    EnsembleFrames frames = {0};
    Surface surface = {0};
    Study *study = NULL;
    ClackStatus status = CLACK_OK;
    char *surfaces_path = join(path, ".h5");
    if (surfaces_path == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its name", path);
    TRY_CLEAN(durable_check_free(path, overwrites, report));
    TRY_CLEAN(durable_check_free(surfaces_path, overwrites, report));
    TRY_CLEAN(ensemble_frames(ensemble, scene, &frames, report));
    TRY_CLEAN(ensemble_study(ensemble, study_path, &study, report));
    TRY_CLEAN(surface_make(study, &frames, &surface, report));
    if (strchr(last_part(path), ':') != NULL)
        TRY_CLEAN(report_add(report, CLACK_USAGE, "%s: XDMF cannot refer to files with a colon in their names", path));
    Scenery scenery = {.surfaces_file = last_part(surfaces_path), .frames = &frames, .surface = &surface};
    for (size_t b = 0; b < frames.body_count; b++) scenery.bodies += isfinite(frames.position_m[3 * b]) ? 1 : 0;
    TRY_CLEAN(write_scenery(&scenery, path, surfaces_path, overwrites, report));
cleanup:
    study_free(study);
    surface_free(&surface);
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
