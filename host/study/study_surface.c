// The shape `mesh` without `decompose`: a closed surface as it is, for contact regions.
#include "study_internal.h"

#include "mesh_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 512
#define WHICH_BYTES 32 // "triangle 4294967295: "

struct SurfaceKey { // a mesh that has been made: shapes of the same file and scale share it
    const MeshSource *source;
    double stretch[3];
    const SceneMesh *mesh; // NULL: it could not be made, which has been told
    SurfaceKey *next;
};

// --- what is found ----------------------------------------------------------------------------------

static YamlPlace surface_place(const MeshSource *source, const InputFile *input, const Mesh *mesh, MeshFinding finding,
                               char text[TEXT_BYTES]) {
    char which[WHICH_BYTES];
    const YamlPlace place = mesh_place(source, input, mesh->found[finding].triangle, which, sizeof which);
    const int bytes = snprintf(text, TEXT_BYTES, "%s", which);
    mesh_describe(mesh, finding, text + bytes, TEXT_BYTES - (size_t)bytes);
    return place;
}

static void surface_warn(Reader *reader, const MeshSource *source, const InputFile *input, const Mesh *mesh) {
    static const MeshFinding told[] = {MESH_DROPPED, MESH_DOUBLED, MESH_SLIVER, MESH_FLIPPED, MESH_CAVITY};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        char text[TEXT_BYTES];
        if (mesh->found[told[i]].count == 0) continue;
        const YamlPlace place = surface_place(source, input, mesh, told[i], text);
        reader_warn_at(reader, &place, "%s", text);
    }
}

// A surface that crosses itself has no inside everywhere. False without memory.
static bool surface_warn_of_crossing(Reader *reader, const MeshSource *source, const InputFile *input,
                                     const Mesh *mesh) {
    MeshTree tree;
    uint32_t a = 0, b = 0;
    if (mesh_tree_make(mesh, &tree, NULL) != CLACK_OK) return false;
    if (mesh_find_crossing(mesh, &tree, &a, &b)) {
        char which[WHICH_BYTES];
        const YamlPlace place = mesh_place(source, input, mesh->origins[a], which, sizeof which);
        reader_warn_at(reader, &place,
                       "%sthis triangle crosses %s %u: regions at a surface that crosses itself may be wrong", which,
                       source->has_lines ? "the one of line" : "triangle", source->places[mesh->origins[b]]);
    }
    mesh_tree_free(&tree);
    return true;
}

// --- a mesh -------------------------------------------------------------------------------------------

// One factor or three, all constants. False after errors.
static bool read_surface_scale(Reader *reader, const YamlNode *node, double out_stretch[3]) {
    for (int k = 0; k < 3; k++) out_stretch[k] = 1.0;
    if (node == NULL) return true;
    if (node->kind != YAML_LIST) {
        const double factor = read_constant(reader, node, &RANGE_POSITIVE);
        for (int k = 0; k < 3; k++) out_stretch[k] = factor;
        return factor > 0.0;
    }
    if (!list_check(reader, node, 3, "one number > 0 or a list of 3")) return false;
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next)
        out_stretch[item->index] = read_constant(reader, item, &RANGE_POSITIVE);
    return out_stretch[0] > 0.0 && out_stretch[1] > 0.0 && out_stretch[2] > 0.0;
}

static const SceneMesh *surface_keep(Reader *reader, SceneMesh *mesh, const InputFile *input) {
    SceneDescription *scene = &reader->study->scene;
    if (!reader_grow(reader, (void **)&scene->meshes, &reader->surface_capacity, scene->mesh_count,
                     sizeof *scene->meshes)) {
        mesh_table_free(mesh);
        return NULL;
    }
    mesh->number = scene->mesh_count;
    mesh->path = input->path;
    return scene->meshes[scene->mesh_count++] = mesh;
}

// NULL after errors.
static const SceneMesh *surface_make(Reader *reader, const YamlNode *file, const InputFile *input,
                                     const SurfaceKey *key) {
    MeshSource source = *key->source;
    SceneMesh *table = NULL;
    Mesh *mesh = NULL;
    ClackReport why = {0};
    source.points = reader_take(reader, ((size_t)source.point_count + 1) * sizeof *source.points);
    if (source.points == NULL) return NULL;
    for (uint32_t p = 0; p < source.point_count; p++)
        for (int k = 0; k < 3; k++) source.points[p][k] = key->source->points[p][k] * key->stretch[k];
    ClackStatus status = mesh_make(&source, NULL, 0, &mesh, &why);
    if (status == CLACK_OK && !mesh_is_closed(mesh)) {
        char text[TEXT_BYTES];
        const YamlPlace place = surface_place(&source, input, mesh, mesh_gap(mesh), text);
        reader_error_at(reader, &place, "%s: a mesh without `decompose` has to be closed", text);
        status = CLACK_USAGE; // told
    } else if (status == CLACK_STUDY) {
        reader_error(reader, file, "%s", why.count > 0 ? why.lines[0] : "no mesh");
    }
    if (status == CLACK_OK) {
        surface_warn(reader, &source, input, mesh);
        status =
            surface_warn_of_crossing(reader, &source, input, mesh) ? mesh_table_make(mesh, &table, NULL) : CLACK_MEMORY;
    }
    if (status == CLACK_MEMORY) reader->is_out_of_memory = true;
    mesh_free(mesh);
    clack_report_clear(&why);
    return table != NULL ? surface_keep(reader, table, input) : NULL;
}

static const SceneMesh *surface_find(Reader *reader, const YamlNode *file, const InputFile *input,
                                     const MeshSource *source, const double stretch[3]) {
    for (const SurfaceKey *known = reader->surfaces; known != NULL; known = known->next)
        if (known->source == source && memcmp(known->stretch, stretch, sizeof known->stretch) == 0) return known->mesh;
    SurfaceKey *key = reader_take(reader, sizeof *key);
    if (key == NULL) return NULL;
    key->source = source;
    memcpy(key->stretch, stretch, sizeof key->stretch);
    key->next = reader->surfaces;
    reader->surfaces = key;
    return key->mesh = surface_make(reader, file, input, key);
}

void read_surface(Reader *reader, const YamlNode *node, const YamlNode *file, uint32_t shape) {
    const YamlNode *smoothing = map_get(node, "smoothing");
    const InputFile *input = NULL;
    double stretch[3];
    if (smoothing != NULL)
        reader_error(reader, smoothing, "expected \"smoothing\" with \"decompose\" only: a mesh is as its file has it");
    const MeshSource *source = file != NULL ? read_mesh_file(reader, file, &input) : NULL;
    if (!read_surface_scale(reader, map_get(node, "scale"), stretch) || source == NULL) return;
    const SceneMesh *mesh = surface_find(reader, file, input, source, stretch);
    if (mesh == NULL) return;
    SceneShape *out = &reader->study->scene.shapes[shape];
    out->kind = SHAPE_MESH;
    out->mesh = mesh;
    out->solid = &mesh->solid;
    out->size_m[0] = 1.0;
    mesh_size_note(reader, file, shape, mesh->head.longest_m);
}
