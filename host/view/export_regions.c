// Contact regions of a file of `clack evaluate` for programs that draw: XDMF with their contours as closed lines.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"
#include "export.h"
#include "html.h"
#include "record_export.h"

typedef struct RegionScenery {         // what the text refers to
    const char *contours_file;         // as seen from the text's folder
    const RecordContourCounts *counts; // (count)
    size_t count;
} RegionScenery;

static char *join(const char *first, const char *second) {
    const size_t bytes = strlen(first) + strlen(second) + 1;
    char *text = malloc(bytes);
    if (text != NULL) snprintf(text, bytes, "%s%s", first, second);
    return text;
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void put_item(FILE *out, const RegionScenery *scenery, const RecordContourField *field,
                     const RecordContourCounts *counts) {
    const size_t rows = record_contour_rows(field, counts);
    fprintf(out, field->components > 1 ? "<DataItem Dimensions=\"%zu %zu\"" : "<DataItem Dimensions=\"%zu\"", rows,
            field->components);
    fprintf(out, " NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">", field->is_integer ? "Int" : "Float",
            field->is_integer ? 4 : 8);
    html_text(out, scenery->contours_file);
    fprintf(out, ":/%s/%s/%" PRIu64 "</DataItem>", record_contour_groups[field->owner], field->name,
            counts->configuration);
}

// The fields of contours, or of regions: points first, then how they are joined, then what is known of each.
static void put_grid(FILE *out, const RegionScenery *scenery, RecordContourOwner owner,
                     const RecordContourCounts *counts) {
    fprintf(out, "    <Grid Name=\"%s\" GridType=\"Uniform\">\n", record_contour_groups[owner]);
    for (size_t f = 0; f < record_contour_field_count; f++) {
        const RecordContourField *field = &record_contour_fields[f];
        if (field->owner != owner) continue;
        if (field->role == CONTOUR_GEOMETRY)
            fputs("     <Geometry GeometryType=\"XYZ\">", out);
        else if (field->role == CONTOUR_TOPOLOGY)
            fprintf(out, "     <Topology TopologyType=\"Mixed\" NumberOfElements=\"%zu\">", counts->contours);
        else
            fprintf(out, "     <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", field->name,
                    field->components > 1 ? "Vector" : "Scalar", owner == CONTOUR_OF_CONTOURS ? "Cell" : "Node");
        put_item(out, scenery, field, counts);
        fprintf(out, "</%s>\n",
                field->role == CONTOUR_GEOMETRY   ? "Geometry"
                : field->role == CONTOUR_TOPOLOGY ? "Topology"
                                                  : "Attribute");
    }
    if (owner == CONTOUR_OF_REGIONS)
        fprintf(out, "     <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%zu\" NodesPerElement=\"1\"/>\n",
                counts->regions);
    fputs("    </Grid>\n", out);
}

static void put_scenery(FILE *out, const RegionScenery *scenery) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"2.0\">\n <Domain>\n"
          "  <Grid Name=\"configurations\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
          out);
    for (size_t i = 0; i < scenery->count; i++) {
        const RecordContourCounts *counts = &scenery->counts[i];
        fprintf(out,
                "   <Grid Name=\"configuration %" PRIu64 "\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
                "    <Time Value=\"%" PRIu64 "\"/>\n",
                counts->configuration, counts->configuration);
        if (counts->contours > 0) put_grid(out, scenery, CONTOUR_OF_CONTOURS, counts);
        put_grid(out, scenery, CONTOUR_OF_REGIONS, counts);
        fputs("   </Grid>\n", out);
    }
    fputs("  </Grid>\n </Domain>\n</Xdmf>\n", out);
}

// --- which configurations -------------------------------------------------------------------------

// Those with regions, of all or of the one that is asked for: counts (configuration_count).
static ClackStatus choose_configurations(const Evaluation *evaluation, int64_t configuration,
                                         RecordContourCounts *counts, size_t *out_count, ClackReport *report) {
    const char *path = record_read_path(evaluation->reader);
    const uint64_t all = evaluation->configuration_count;
    *out_count = 0;
    if (configuration >= 0 && (uint64_t)configuration >= all)
        return report_add(report, CLACK_USAGE, "%s: has no configuration %" PRId64 ", but 0 to %" PRIu64, path,
                          configuration, all - 1);
    for (uint64_t i = 0; i < all; i++) {
        if (configuration >= 0 && i != (uint64_t)configuration) continue;
        if (evaluation->first_region[i + 1] > evaluation->first_region[i])
            counts[(*out_count)++] = (RecordContourCounts){.configuration = i};
    }
    if (*out_count > 0) return CLACK_OK;
    return configuration >= 0 ? report_add(report, CLACK_USAGE, "%s: configuration %" PRId64 " has no contact region",
                                           path, configuration)
                              : report_add(report, CLACK_USAGE, "%s: no configuration has a contact region", path);
}

// The contours under their final name, then the text that speaks of them.
static ClackStatus write_scenery(const Evaluation *evaluation, const char *path, RecordContourCounts *counts,
                                 size_t count, int overwrites, ClackReport *report) {
    char *contours_path = join(path, ".h5"), *part = join(path, ".h5.part");
    ClackStatus status = CLACK_OK;
    DurableFile file;
    if (contours_path == NULL || part == NULL)
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "%s: no memory for its name", path));
    TRY_CLEAN(durable_check_free(path, overwrites, report));
    TRY_CLEAN(durable_check_free(contours_path, overwrites, report));
    status = record_export_contours(part, evaluation, counts, count, report);
    if (status == CLACK_OK)
        status = durable_rename(part, contours_path, report);
    else
        unlink(part);
    TRY_CLEAN(status);
    const RegionScenery scenery = {last_part(contours_path), counts, count};
    TRY_CLEAN(durable_create(path, overwrites, &file, report));
    put_scenery(file.stream, &scenery);
    status = durable_finish(&file, CLACK_OK, report);
cleanup:
    free(contours_path);
    free(part);
    return status;
}

ClackStatus export_xdmf_regions(const Evaluation *evaluation, int64_t configuration, const char *path, int overwrites,
                                ClackReport *report) {
    RecordContourCounts *counts = calloc((size_t)evaluation->configuration_count + 1, sizeof *counts);
    ClackStatus status = CLACK_OK;
    size_t count = 0;
    if (counts == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its regions", path);
    TRY_CLEAN(choose_configurations(evaluation, configuration, counts, &count, report));
    if (strchr(last_part(path), ':') != NULL)
        TRY_CLEAN(report_add(report, CLACK_USAGE, "%s: XDMF cannot refer to files with a colon in their names", path));
    status = write_scenery(evaluation, path, counts, count, overwrites, report);
cleanup:
    free(counts);
    return status;
}
