// The shape `hull`: its points, in place or from a file, its scale, and the hulls of the scene.
#include "study_internal.h"

#include "hull.h"

#include <math.h>
#include <string.h>

static bool read_points(Reader *reader, const YamlNode *node, MeshPoints *out) {
    static const char *const what = "a list of points [x, y, z]";
    bool is_ok = list_check(reader, node, -1, what);
    if (!is_ok) return false;
    out->at = reader_take(reader, ((size_t)node->child_count + 1) * sizeof *out->at);
    if (out->at == NULL) return false;
    for (const YamlNode *point = node->child_first; point != NULL; point = point->next) {
        if (!list_check(reader, point, 3, "a point [x, y, z]")) {
            is_ok = false;
            continue;
        }
        double *at = out->at[out->count++];
        for (const YamlNode *item = point->child_first; item != NULL; item = item->next) {
            at[item->index] = read_constant(reader, item, &RANGE_ANY);
            is_ok = is_ok && at[item->index] == at[item->index];
        }
    }
    return is_ok;
}

// One factor may vary and stays with the shape; three are constants that stretch the points here. out_least: the least
// there may be of the one.
static bool read_scale(Reader *reader, const YamlNode *node, uint32_t shape, MeshPoints *points, double *out_least) {
    SceneShape *out = &reader->study->scene.shapes[shape];
    out->size_m[0] = *out_least = 1.0;
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
        const double factor = read_constant(reader, item, &RANGE_POSITIVE);
        is_ok = is_ok && factor > 0.0;
        for (size_t i = 0; i < points->count; i++) points->at[i][item->index] *= factor;
    }
    return is_ok;
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
static ClackStatus round_hull(Reader *reader, const YamlNode *node, double least_scale, SceneHull *hull,
                              ClackReport *report) {
    if (node == NULL && reader->study->scene.compat_modia3d) return CLACK_OK;
    const double *side = hull->sides_m, smallest_m = fmin(side[0], fmin(side[1], side[2]));
    if (node == NULL)
        return hull_round(hull, fmin(SMOOTHING_DEFAULT_M / least_scale, SMOOTHING_SHARE_MAX * smallest_m), 1, report);
    const double smoothing_m = read_constant(reader, node, &RANGE_NON_NEGATIVE);
    if (!(smoothing_m > 0.0)) return CLACK_OK;
    const ClackStatus status = hull_round(hull, smoothing_m / least_scale, 0, report);
    if (status == CLACK_STUDY)
        reader_error(reader, node, "expected a radius that the hull has room for, found %g", smoothing_m);
    return status == CLACK_STUDY ? CLACK_OK : status;
}

void read_hull(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"points", "file", "scale", "smoothing", NULL};
    static const char *const kinds[] = {"points", "file", NULL};
    const YamlNode *kind = map_choose(reader, node, keys, kinds, NULL, "source of points");
    if (kind == NULL) return;
    MeshPoints points = {0};
    bool is_ok =
        strcmp(kind->key, "file") == 0 ? read_mesh_points(reader, kind, &points) : read_points(reader, kind, &points);
    double least_scale = 1.0;
    is_ok &= read_scale(reader, map_get(node, "scale"), shape, &points, &least_scale);
    if (!is_ok) return;
    SceneHull *hull = NULL;
    ClackReport report = {0};
    ClackStatus status = hull_make((const double(*)[3])points.at, points.count, &hull, &report);
    if (status == CLACK_OK) status = round_hull(reader, map_get(node, "smoothing"), least_scale, hull, &report);
    if (status == CLACK_MEMORY)
        reader->is_out_of_memory = true;
    else if (status != CLACK_OK)
        reader_error(reader, kind, "%s", report.count > 0 ? report.lines[0] : "no hull");
    if (status == CLACK_OK)
        reader->study->scene.shapes[shape].hull = hull_keep(reader, hull);
    else
        hull_free(hull);
    clack_report_clear(&report);
}
