// The shape `hull`: its points, in place or from a file, its scale, and the hulls of the scene.
#include "study_internal.h"

#include "hull.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FILL_TRIANGLES_MAX 200000u // of a file: more are not compared with their hull

typedef struct HullPoints {
    const double (*at)[3]; // (count)
    size_t count;
    const MeshSource *source; // of a file; NULL: in place
} HullPoints;

static bool read_points(Reader *reader, const YamlNode *node, HullPoints *out) {
    static const char *const what = "a list of points [x, y, z]";
    bool is_ok = list_check(reader, node, -1, what);
    if (!is_ok) return false;
    double(*points)[3] = reader_take(reader, ((size_t)node->child_count + 1) * sizeof *points);
    if (points == NULL) return false;
    out->at = (const double(*)[3])points;
    for (const YamlNode *point = node->child_first; point != NULL; point = point->next) {
        if (!list_check(reader, point, 3, "a point [x, y, z]")) {
            is_ok = false;
            continue;
        }
        double *at = points[out->count++];
        for (const YamlNode *item = point->child_first; item != NULL; item = item->next) {
            at[item->index] = read_constant(reader, item, &RANGE_ANY);
            is_ok = is_ok && at[item->index] == at[item->index];
        }
    }
    return is_ok;
}

static bool read_point_file(Reader *reader, const YamlNode *node, HullPoints *out) {
    const InputFile *input = NULL;
    out->source = read_mesh_file(reader, node, &input);
    if (out->source == NULL) return false;
    out->at = (const double(*)[3])out->source->points;
    out->count = out->source->point_count;
    return true;
}

// Warn where the hull fills what a file leaves open.
static void fill_check(Reader *reader, const YamlNode *node, const MeshSource *source, double hull_m3) {
    Mesh *mesh = NULL;
    if (source->triangle_count == 0 || source->triangle_count > FILL_TRIANGLES_MAX || source->uncut_count > 0) return;
    const ClackStatus status = mesh_make(source, NULL, 0, &mesh, NULL);
    if (status == CLACK_MEMORY) reader->is_out_of_memory = true;
    if (status != CLACK_OK) return;
    const double fill = mesh_fill(hull_m3, mesh);
    if (fill > 1.0)
        reader_warn(reader, node,
                    "the hull has %.4g times the volume of the file's surface, whose hollows it fills: cut the surface "
                    "into convex groups for mesh: {decompose: groups}",
                    fill);
    mesh_free(mesh);
}

bool read_hull_scale(Reader *reader, const YamlNode *node, uint32_t shape, double out_stretch[3], double *out_least) {
    SceneShape *out = &reader->study->scene.shapes[shape];
    out->size_m[0] = *out_least = 1.0;
    for (int k = 0; k < 3; k++) out_stretch[k] = 1.0;
    if (node == NULL) return true;
    if (node->kind != YAML_LIST) {
        const Number scale = read_number(reader, node, &RANGE_POSITIVE);
        if (!scale.is_ok) return true;
        number_place(reader, &scale, (NumberTarget){BIND_SHAPE, shape, offsetof(SceneShape, size_m)});
        *out_least = scale.low > 0.0 ? scale.low : scale.value;
        return true;
    }
    if (!list_check(reader, node, 3, "one number > 0 or a list of 3")) return false;
    bool is_ok = true;
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next) {
        out_stretch[item->index] = read_constant(reader, item, &RANGE_POSITIVE);
        is_ok = is_ok && out_stretch[item->index] > 0.0;
    }
    return is_ok;
}

// The points in memory of their own, stretched.
static bool points_stretch(Reader *reader, HullPoints *points, const double stretch[3]) {
    double(*own)[3] = reader_take(reader, (points->count + 1) * sizeof *own);
    if (own == NULL) return false;
    for (size_t i = 0; i < points->count; i++)
        for (int k = 0; k < 3; k++) own[i][k] = points->at[i][k] * stretch[k];
    points->at = (const double(*)[3])own;
    return true;
}

static bool hull_equals(const SceneHull *a, const SceneHull *b) {
    return a->row_count == b->row_count && a->smoothing_m == b->smoothing_m && a->vertex_count == b->vertex_count &&
           memcmp(a->centroid_m, b->centroid_m, sizeof a->centroid_m) == 0 &&
           memcmp(a->rows, b->rows, a->row_count * sizeof *a->rows) == 0;
}

// Shapes of the same points share one hull.
static const SceneHull *hull_keep(Reader *reader, SceneHull *hull) {
    SceneDescription *scene = &reader->study->scene;
    for (uint32_t i = 0; i < scene->hull_count; i++)
        if (hull_equals(scene->hulls[i], hull)) {
            hull_free(hull);
            return scene->hulls[i];
        }
    if (!reader_grow(reader, (void **)&scene->hulls, &reader->hull_capacity, scene->hull_count, sizeof(SceneHull *))) {
        hull_free(hull);
        return NULL;
    }
    if (scene->hull_count > 0) {
        const SceneHull *last = scene->hulls[scene->hull_count - 1];
        hull->row_first = last->row_first + last->row_count;
    }
    scene->hulls[scene->hull_count++] = hull;
    return hull;
}

// Radius of its edges as the study says or by default, at the least scale; it grows with the hull.
static ClackStatus round_hull(Reader *reader, const HullSpec *spec, SceneHull *hull, ClackReport *report) {
    const YamlNode *node = spec->smoothing;
    if (node == NULL && reader->study->scene.compat_modia3d) return CLACK_OK;
    const double *side = hull->sides_m, smallest_m = fmin(side[0], fmin(side[1], side[2]));
    if (node == NULL)
        return hull_round(hull, fmin(SMOOTHING_DEFAULT_M / spec->least_scale, SMOOTHING_SHARE_MAX * smallest_m), 1,
                          report);
    const double smoothing_m = read_constant(reader, node, &RANGE_NON_NEGATIVE);
    if (!(smoothing_m > 0.0)) return CLACK_OK;
    const ClackStatus status = hull_round(hull, smoothing_m / spec->least_scale, 0, report);
    if (status == CLACK_STUDY)
        reader_error(reader, node, "expected a radius that the hull has room for, found %g", smoothing_m);
    return status == CLACK_STUDY ? CLACK_OK : status;
}

const SceneHull *hull_of_points(Reader *reader, const HullSpec *spec, char *out_why, size_t why_bytes) {
    SceneHull *hull = NULL;
    ClackReport report = {0};
    ClackStatus status = hull_make(spec->points, spec->count, &hull, &report);
    if (status == CLACK_OK) status = round_hull(reader, spec, hull, &report);
    if (status == CLACK_MEMORY) reader->is_out_of_memory = true;
    snprintf(out_why, why_bytes, "%s", report.count > 0 ? report.lines[0] : "no hull");
    clack_report_clear(&report);
    if (status == CLACK_OK) return hull_keep(reader, hull);
    hull_free(hull);
    return NULL;
}

void read_hull(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"points", "file", "scale", "smoothing", NULL};
    static const char *const kinds[] = {"points", "file", NULL};
    const YamlNode *kind = map_choose(reader, node, keys, kinds, NULL, "source of points");
    if (kind == NULL) return;
    char why[256];
    HullPoints points = {0};
    HullSpec spec = {.smoothing = map_get(node, "smoothing")};
    double stretch[3];
    bool is_ok =
        strcmp(kind->key, "file") == 0 ? read_point_file(reader, kind, &points) : read_points(reader, kind, &points);
    is_ok &= read_hull_scale(reader, map_get(node, "scale"), shape, stretch, &spec.least_scale);
    const bool is_stretched = stretch[0] != 1.0 || stretch[1] != 1.0 || stretch[2] != 1.0;
    if (!is_ok || (is_stretched && !points_stretch(reader, &points, stretch))) return;
    spec.points = points.at;
    spec.count = points.count;
    const SceneHull *hull = hull_of_points(reader, &spec, why, sizeof why);
    reader->study->scene.shapes[shape].hull = hull;
    if (hull == NULL && !reader->is_out_of_memory) reader_error(reader, kind, "%s", why);
    if (hull == NULL || points.source == NULL) return;
    mesh_size_note(reader, kind, shape, fmax(hull->sides_m[0], fmax(hull->sides_m[1], hull->sides_m[2])));
    fill_check(reader, kind, points.source, hull->volume_m3 / (stretch[0] * stretch[1] * stretch[2]));
}
