// The meshes that shapes have where contact regions are sought: of a mesh its own, of a convex shape one that is made
// for its sizes, once for all shapes that are alike.
#ifndef CLACK_STAGE_MESH_H
#define CLACK_STAGE_MESH_H

#include "mesh_table.h"
#include "stage.h"
#include "tessellate.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STAGE_MESH_BYTES 120.0 // of each triangle, its share of edges, vertices and tree counted in

typedef struct StageMeshes {
    const SceneMesh **meshes; // (count): the study's, in their order, then those that are made here
    uint32_t count, study_count;
    uint32_t *numbers; // (shape rows of the batch): which of them; NONE: a half-space, or not wanted
} StageMeshes;

/// Meshes of the shapes of staged scenes. `wanted` (shape rows) says of which; NULL: of all. Of sizes that are drawn
/// there is one for each size that a scene has. Errors: CLACK_STUDY (a shape takes too
/// many triangles: scene, body, shape), CLACK_MEMORY.
ClackStatus stage_meshes_make(const SceneDescription *study_scene, const Batch *batch, const unsigned char *wanted,
                              StageMeshes *out, ClackReport *report);
void stage_meshes_free(StageMeshes *meshes);
/// Row `row` of the batch's shapes as the surface that stands for it; itself where there is none.
Shape stage_surface(const Shape *shape, const StageMeshes *meshes, size_t row);

/// May a shape of a scene touch a mesh, or under `trapezoidal` anything, and is it neither one itself nor a half-space?
/// It then has regions with it.
int stage_meets_mesh(const SceneDescription *scene, uint32_t shape);
/// What the mesh of such a shape is like. Errors: CLACK_MEMORY.
ClackStatus stage_mesh_plan(const SceneDescription *scene, uint32_t shape, Tessellation *out, ClackReport *report);

typedef struct StageMeshRow { // shapes that are alike
    uint32_t shape, body;     // the first
    uint32_t count;
    Tessellation plan;
} StageMeshRow;

/// All such shapes of a study; of sizes that are drawn the medians. `*out_rows` is freed by the caller. Errors:
/// CLACK_MEMORY.
ClackStatus stage_meshes_list(const SceneDescription *scene, StageMeshRow **out_rows, uint32_t *out_count,
                              ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
