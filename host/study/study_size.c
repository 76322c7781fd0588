// Sizes of what files hold against those of the other bodies: files have no units.
#include "study_internal.h"

#include "hull.h"
#include "mesh_table.h"

#include <math.h>

// So much larger or smaller than all other bodies is most often in other units: millimetres that are read as metres are
// 1,000 times too long, of bodies whose sizes differ by three themselves.
#define SIZE_RATIO 300.0

struct SizedFile {
    const YamlNode *node;
    uint32_t shape; // that it is, or the first of those
    double longest_m;
    SizedFile *next;
};

void mesh_size_note(Reader *reader, const YamlNode *node, uint32_t shape, double longest_m) {
    SizedFile *file = reader_take(reader, sizeof *file);
    if (file == NULL) return;
    *file = (SizedFile){node, shape, longest_m, reader->sized_files};
    reader->sized_files = file;
}

// Longest side of a shape as the template has it; 0 of a half-space.
static double shape_longest_m(const SceneShape *shape) {
    const double *size = shape->size_m;
    if (shape->kind == SHAPE_HALF_SPACE) return 0;
    if (shape->kind == SHAPE_MESH) return shape->mesh->head.longest_m;
    if (shape->kind != SHAPE_HULL) return fmax(size[0], fmax(size[1], size[2]));
    const double *sides = shape->hull->sides_m;
    return size[0] * fmax(sides[0], fmax(sides[1], sides[2]));
}

static const SceneBody *owner_of(const SceneDescription *scene, uint32_t shape) {
    uint32_t body = 0;
    while (shape - scene->bodies[body].shape_first >= scene->bodies[body].shape_count) body++; // some body has it
    return &scene->bodies[body];
}

static void size_check(Reader *reader, const SizedFile *file) {
    const SceneDescription *scene = &reader->study->scene;
    const SceneBody *owner = owner_of(scene, file->shape);
    const double size_m = scene->shapes[file->shape].size_m[0] * file->longest_m;
    double least_m = INFINITY, most_m = 0;
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        const double other_m = shape_longest_m(&scene->shapes[i]);
        if (i - owner->shape_first < owner->shape_count || !(other_m > 0.0)) continue;
        least_m = fmin(least_m, other_m);
        most_m = fmax(most_m, other_m);
    }
    if (!(most_m > 0.0) || (size_m < SIZE_RATIO * most_m && SIZE_RATIO * size_m > least_m)) return;
    const bool is_large = size_m >= SIZE_RATIO * most_m;
    reader_warn(
        reader, file->node,
        "expected a size that goes with the other bodies, whose %s shape is %g m long, found %g m: files have no "
        "units, so `scale: %s` may be meant",
        is_large ? "longest" : "shortest", is_large ? most_m : least_m, size_m, is_large ? "0.001" : "1000");
}

void mesh_sizes_check(Reader *reader) {
    for (const SizedFile *file = reader->sized_files; file != NULL; file = file->next) size_check(reader, file);
}
