// Meshes of convex shapes, one for all that are alike.
#include "stage_mesh.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stage_internal.h"
#include "base/vec3.h"

// What a mesh depends on.
typedef struct MeshKey {
    uint32_t kind;
    double size_m[5], smoothing_m, mesh_size_m; // as of Shape
    const SceneHull *hull;
} MeshKey;

typedef struct MeshMaker {
    const SceneDescription *scene; // of the study: hulls and mesh sizes are not drawn
    StageMeshes *out;
    MeshKey *keys; // (made)
    uint32_t made, key_room, mesh_room;
} MeshMaker;

static MeshKey key_of(const Shape *shape, const SceneShape *given) {
    MeshKey key = {.kind = shape->kind,
                   .smoothing_m = shape->smoothing_m,
                   .mesh_size_m = given->mesh_size_m,
                   .hull = shape->kind == SHAPE_HULL ? given->hull : NULL};
    memcpy(key.size_m, shape->size_m, sizeof key.size_m);
    return key;
}

static int key_equals(const MeshKey *a, const MeshKey *b) {
    return a->kind == b->kind && a->hull == b->hull && a->smoothing_m == b->smoothing_m &&
           a->mesh_size_m == b->mesh_size_m && memcmp(a->size_m, b->size_m, sizeof a->size_m) == 0;
}

// Room for one more of both lists.
static int maker_grow(MeshMaker *maker) {
    if (maker->made == maker->key_room) {
        const uint32_t room = maker->made == 0 ? 16 : 2 * maker->made;
        MeshKey *keys = realloc(maker->keys, room * sizeof *keys);
        if (keys == NULL) return 0;
        maker->keys = keys;
        maker->key_room = room;
    }
    if (maker->out->count == maker->mesh_room) {
        const uint32_t room = 2 * maker->mesh_room;
        const SceneMesh **meshes = realloc(maker->out->meshes, room * sizeof(const SceneMesh *));
        if (meshes == NULL) return 0;
        maker->out->meshes = meshes;
        maker->mesh_room = room;
    }
    return 1;
}

// A search of all that are made: even of thousands it takes less than to make one of them.
static ClackStatus maker_find(MeshMaker *maker, const Shape *shape, const SceneShape *given, uint32_t *out_number,
                              ClackReport *report) {
    StageMeshes *out = maker->out;
    const MeshKey key = key_of(shape, given);
    for (uint32_t i = 0; i < maker->made; i++)
        if (key_equals(&maker->keys[i], &key)) {
            *out_number = out->study_count + i;
            return CLACK_OK;
        }
    Mesh *mesh = NULL;
    SceneMesh *table = NULL;
    if (!maker_grow(maker)) return report_add(report, CLACK_MEMORY, "no memory for the meshes of shapes");
    TRY(tessellate(shape, given->hull, given->mesh_size_m, &mesh, report));
    const ClackStatus status = mesh_table_make(mesh, &table, report);
    mesh_free(mesh);
    if (status != CLACK_OK) return status;
    table->number = out->count;
    maker->keys[maker->made++] = key;
    out->meshes[out->count] = table;
    *out_number = out->count++;
    return CLACK_OK;
}

// The rows of one scene, but for those that an earlier one has too.
static ClackStatus maker_take_scene(MeshMaker *maker, const Batch *batch, uint32_t s, const unsigned char *wanted,
                                    ClackReport *report) {
    const Scene *scene = &batch->scenes[s];
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        const uint32_t row = scene->shape_first + i;
        const Shape *shape = &batch->shapes[row];
        uint32_t *number = &maker->out->numbers[row];
        if (*number != NONE || (wanted != NULL && !wanted[row]) || shape->kind == SHAPE_HALF_SPACE) continue;
        if (shape->kind == SHAPE_MESH) {
            *number = shape->hull_first;
            continue;
        }
        const ClackStatus status = maker_find(maker, shape, &maker->scene->shapes[i], number, report);
        if (status != CLACK_OK)
            return report_add(report, status, "scene %" PRIu64 ": no mesh of shape %u of body \"%s\"",
                              batch->scene_numbers[s], i - maker->scene->bodies[shape->body].shape_first,
                              maker->scene->bodies[shape->body].name);
    }
    return CLACK_OK;
}

ClackStatus stage_meshes_make(const SceneDescription *study_scene, const Batch *batch, const unsigned char *wanted,
                              StageMeshes *out, ClackReport *report) {
    assert(study_scene != NULL && batch != NULL && out != NULL);
    *out = (StageMeshes){.count = study_scene->mesh_count, .study_count = study_scene->mesh_count};
    MeshMaker maker = {.scene = study_scene, .out = out, .mesh_room = study_scene->mesh_count + 1};
    ClackStatus status = CLACK_OK;
    out->meshes = calloc(maker.mesh_room, sizeof(const SceneMesh *));
    out->numbers = malloc((batch->shape_count + 1) * sizeof *out->numbers);
    if (out->meshes == NULL || out->numbers == NULL)
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for the meshes of shapes"));
    memset(out->numbers, 0xff, (batch->shape_count + 1) * sizeof *out->numbers); // NONE
    for (uint32_t m = 0; m < out->study_count; m++) out->meshes[m] = study_scene->meshes[m];
    for (uint32_t s = 0; s < batch->scene_count; s++) TRY_CLEAN(maker_take_scene(&maker, batch, s, wanted, report));
cleanup:
    free(maker.keys);
    if (status != CLACK_OK) stage_meshes_free(out);
    return status;
}

void stage_meshes_free(StageMeshes *meshes) {
    for (uint32_t m = meshes->study_count; meshes->meshes != NULL && m < meshes->count; m++)
        mesh_table_free((SceneMesh *)meshes->meshes[m]); // made here
    free(meshes->meshes);
    free(meshes->numbers);
    *meshes = (StageMeshes){0};
}

Shape stage_surface(const Shape *shape, const StageMeshes *meshes, size_t row) {
    Shape out = *shape;
    if (meshes->numbers[row] == NONE) return out;
    const SceneMesh *mesh = meshes->meshes[meshes->numbers[row]];
    out.kind = SHAPE_MESH;
    out.hull_first = meshes->numbers[row];
    for (int k = 0; k < 3; k++) out.size_m[k] = fmax(fabs(mesh->low_m[k]), fabs(mesh->high_m[k]));
    return out;
}

// --- before scenes are staged ---------------------------------------------------------------------

static int body_has_mesh(const SceneDescription *scene, uint32_t body) {
    const SceneBody *row = &scene->bodies[body];
    for (uint32_t i = row->shape_first; i < row->shape_first + row->shape_count; i++)
        if (scene->shapes[i].kind == SHAPE_MESH) return 1;
    return 0;
}

static uint32_t owner_of(const SceneDescription *scene, uint32_t shape) {
    uint32_t body = 0;
    while (shape - scene->bodies[body].shape_first >= scene->bodies[body].shape_count) body++; // some body has it
    return body;
}

// Under `trapezoidal` all shapes are surfaces; elsewhere the ones that meet a mesh.
static int body_meets_surface(const SceneDescription *scene, uint32_t body, uint32_t other) {
    if (other == body || !scene_may_touch(scene, body, other)) return 0;
    if (scene->method != METHOD_TRAPEZOIDAL) return body_has_mesh(scene, other);
    return scene->bodies[other].shape_count > 0 && !stage_are_tied(scene, body, other);
}

int stage_meets_mesh(const SceneDescription *scene, uint32_t shape) {
    const uint32_t kind = scene->shapes[shape].kind;
    if (scene->mesh_count == 0 && scene->method != METHOD_TRAPEZOIDAL) return 0;
    if (kind == SHAPE_MESH || kind == SHAPE_HALF_SPACE) return 0;
    const uint32_t body = owner_of(scene, shape);
    for (uint32_t b = 0; b < scene->body_count; b++)
        if (body_meets_surface(scene, body, b)) return 1;
    return 0;
}

static Shape shape_alone(const SceneDescription *scene, uint32_t shape) {
    return stage_shape(&scene->shapes[shape], 0, vec3_zero(), quat_identity(), scene->compat_modia3d != 0);
}

ClackStatus stage_mesh_plan(const SceneDescription *scene, uint32_t shape, Tessellation *out, ClackReport *report) {
    const Shape staged = shape_alone(scene, shape);
    return tessellate_plan(&staged, scene->shapes[shape].hull, scene->shapes[shape].mesh_size_m, out, report);
}

ClackStatus stage_meshes_list(const SceneDescription *scene, StageMeshRow **out_rows, uint32_t *out_count,
                              ClackReport *report) {
    ClackStatus status = CLACK_OK;
    uint32_t count = 0;
    MeshKey *keys = calloc((size_t)scene->shape_count + 1, sizeof *keys);
    StageMeshRow *rows = calloc((size_t)scene->shape_count + 1, sizeof *rows);
    if (keys == NULL || rows == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for the meshes of shapes"));
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        if (!stage_meets_mesh(scene, i)) continue;
        const Shape staged = shape_alone(scene, i);
        const MeshKey key = key_of(&staged, &scene->shapes[i]);
        uint32_t at = 0;
        while (at < count && !key_equals(&keys[at], &key)) at++;
        if (at == count) {
            keys[count] = key;
            rows[count++] = (StageMeshRow){.shape = i, .body = owner_of(scene, i)};
            TRY_CLEAN(stage_mesh_plan(scene, i, &rows[at].plan, report));
        }
        rows[at].count++;
    }
    *out_rows = rows;
    *out_count = count;
    rows = NULL;
cleanup:
    free(keys);
    free(rows);
    return status;
}
