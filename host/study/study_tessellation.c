// `mesh_size`: how long the edges are of the mesh that stands for a convex shape where it meets meshes.
#include "study_internal.h"

#include "stage_mesh.h"

#include <string.h>

struct SizedShape { // a shape whose edges are given
    const YamlNode *node;
    uint32_t shape;
    SizedShape *next;
};

void read_mesh_size(Reader *reader, const YamlNode *node, const char *kind, uint32_t shape) {
    if (node == NULL) return;
    if (strcmp(kind, "hull") == 0 || strcmp(kind, "mesh") == 0 || strcmp(kind, "half_space") == 0) {
        reader_error(
            reader, node,
            "expected \"mesh_size\" on a sphere, ellipsoid, superquadric, capsule, cylinder, cone, beam or box, found "
            "it on a %s, whose triangles do not depend on it",
            kind);
        return;
    }
    const double size_m = read_constant(reader, node, &RANGE_POSITIVE);
    SizedShape *sized = reader_take(reader, sizeof *sized);
    if (!(size_m > 0.0) || sized == NULL) return;
    reader->study->scene.shapes[shape].mesh_size_m = size_m;
    *sized = (SizedShape){node, shape, reader->sized_shapes};
    reader->sized_shapes = sized;
}

// Are the sizes of the template such that a plan makes sense? Those that are computed from others may not be known yet.
static bool has_sizes(const SceneShape *shape) {
    static const uint32_t counts[] = {
        [SHAPE_SPHERE] = 1,   [SHAPE_BOX] = 3,  [SHAPE_CAPSULE] = 2, [SHAPE_ELLIPSOID] = 3,
        [SHAPE_CYLINDER] = 2, [SHAPE_CONE] = 2, [SHAPE_BEAM] = 3,    [SHAPE_SUPERQUADRIC] = 3};
    for (uint32_t k = 0; k < counts[shape->kind]; k++)
        if (!(shape->size_m[k] > 0.0)) return false;
    return true;
}

// Copies of a body have the same mistake, which its first one tells.
static bool is_repeated(const YamlNode *node) {
    while (node != NULL && node->copy == NULL) node = node->parent;
    return node != NULL && node->copy->number > 1;
}

void tessellations_check(Reader *reader) {
    const SceneDescription *scene = &reader->study->scene;
    for (const SizedShape *sized = reader->sized_shapes; sized != NULL; sized = sized->next) {
        const SceneShape *shape = &scene->shapes[sized->shape];
        Tessellation plan;
        if (is_repeated(sized->node) || !stage_meets_mesh(scene, sized->shape) || !has_sizes(shape)) continue;
        if (stage_mesh_plan(scene, sized->shape, &plan, NULL) != CLACK_OK) {
            reader->is_out_of_memory = true;
            return;
        }
        if (plan.triangle_count <= TESSELLATE_MOST) continue;
        reader_error(reader, sized->node,
                     "expected a length that gives at most %.0f triangles, found %g, which gives %.3g", TESSELLATE_MOST,
                     shape->mesh_size_m, plan.triangle_count);
    }
}
