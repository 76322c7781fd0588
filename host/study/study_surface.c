// The shape `mesh` without `decompose`: a closed surface as it is, for contact regions.
#include "study_internal.h"

#include "mass.h"
#include "mesh_table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 512
#define WHICH_BYTES 32 // "triangle 4294967295: "
#define CROSSING_BYTES 80

struct SurfaceKey { // a mesh that has been made: shapes of the same file and scale share it
    const MeshSource *source;
    double stretch[3];
    const SceneMesh *mesh;         // NULL: it could not be made, which has been reported
    char crossing[CROSSING_BYTES]; // which triangles cross each other; empty: none
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
    static const MeshFinding reported[] = {MESH_DROPPED, MESH_DOUBLED, MESH_SLIVER,
                                           MESH_FLIPPED, MESH_CAVITY,  MESH_FLAT};
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++) {
        char text[TEXT_BYTES];
        if (mesh->found[reported[i]].count == 0) continue;
        const YamlPlace place = surface_place(source, input, mesh, reported[i], text);
        reader_warn_at(reader, &place, "%s", text);
    }
}

// A surface that crosses itself has no inside everywhere. False without memory.
static bool surface_warn_of_crossing(Reader *reader, SurfaceKey *key, const InputFile *input, const Mesh *mesh) {
    const MeshSource *source = key->source;
    MeshTree tree;
    uint32_t a = 0, b = 0;
    if (mesh_tree_make(mesh, &tree, NULL) != CLACK_OK) return false;
    if (mesh_find_crossing(mesh, &tree, &a, &b)) {
        char which[WHICH_BYTES];
        const YamlPlace place = mesh_place(source, input, mesh->origins[a], which, sizeof which);
        reader_warn_at(reader, &place,
                       "%sthis triangle crosses %s %u: regions at a surface that crosses itself may be wrong", which,
                       source->has_lines ? "the one of line" : "triangle", source->places[mesh->origins[b]]);
        snprintf(key->crossing, sizeof key->crossing, "it crosses itself at its %s %u and %u",
                 source->has_lines ? "lines" : "triangles", source->places[mesh->origins[a]],
                 source->places[mesh->origins[b]]);
    }
    mesh_tree_free(&tree);
    return true;
}

// All kinds of gaps, the first of each, so that all can be mended before the next attempt.
static void surface_tell_gaps(Reader *reader, const MeshSource *source, const InputFile *input, const Mesh *mesh) {
    static const MeshFinding gaps[] = {MESH_OPEN, MESH_CROWDED, MESH_TURNED};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        char text[TEXT_BYTES];
        if (mesh->found[gaps[i]].count == 0) continue;
        const YamlPlace place = surface_place(source, input, mesh, gaps[i], text);
        reader_error_at(reader, &place, "%s: a mesh without `decompose` has to be closed", text);
    }
}

// Without a volume it has no inside, and nothing touches it. False after errors.
static bool surface_check_volume(Reader *reader, const YamlNode *file, const SurfaceKey *key, const Mesh *mesh) {
    if (mesh_has_volume(mesh)) return true;
    char why[TEXT_BYTES];
    const uint32_t triangle = mesh->found[MESH_FLAT].count > 0 ? mesh->found[MESH_FLAT].triangle : 0;
    if (key->crossing[0] != '\0')
        snprintf(why, sizeof why, "%s, and what is inside out cancels the rest; mend it (as a union of its parts)",
                 key->crossing);
    else
        snprintf(why, sizeof why,
                 "its sides lie on each other or cancel, from its %s %u on; give it a thickness of more than 1e-9 of "
                 "its longest side",
                 key->source->has_lines ? "line" : "triangle", key->source->places[triangle]);
    reader_error(reader, file, "expected a closed surface around a volume, found \"%.*s\" with %g m3: %s",
                 TEXT_CUT(file->text, 80), mesh_weigh(mesh).volume_m3, why);
    return false;
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
static const SceneMesh *surface_make(Reader *reader, const YamlNode *file, const InputFile *input, SurfaceKey *key) {
    MeshSource source = *key->source;
    SceneMesh *table = NULL;
    Mesh *mesh = NULL;
    ClackReport why = {0};
    source.points = reader_take(reader, ((size_t)source.point_count + 1) * sizeof *source.points);
    if (source.points == NULL) return NULL;
    for (uint32_t p = 0; p < source.point_count; p++)
        for (int k = 0; k < 3; k++) source.points[p][k] = key->source->points[p][k] * key->stretch[k];
    ClackStatus status = mesh_make(&source, NULL, 0, &mesh, &why);
    if (status == CLACK_OK) surface_warn(reader, &source, input, mesh); // what is left out may be a gap
    if (status == CLACK_OK && !mesh_is_closed(mesh)) {
        surface_tell_gaps(reader, &source, input, mesh);
        status = CLACK_USAGE; // reported
    } else if (status == CLACK_STUDY) {
        reader_error(reader, file, "%s", why.count > 0 ? why.lines[0] : "no mesh");
    } else if (status == CLACK_OK && !surface_warn_of_crossing(reader, key, input, mesh)) {
        status = CLACK_MEMORY;
    } else if (status == CLACK_OK && surface_check_volume(reader, file, key, mesh)) {
        status = mesh_table_make(mesh, &table, NULL);
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

static const char *surface_crossing(const Reader *reader, const SceneMesh *mesh) {
    for (const SurfaceKey *key = reader->surfaces; key != NULL && mesh != NULL; key = key->next)
        if (key->mesh == mesh && key->crossing[0] != '\0') return key->crossing;
    return NULL;
}

// Which side of a surface that crosses itself is inside is not known everywhere, nor what touches it there.
static bool surface_refuses_crossing(Reader *reader, const YamlNode *node, const YamlNode *file,
                                     const SceneMesh *mesh) {
    static const char *const words[] = {"refused", "allowed", NULL};
    const char *crossing = surface_crossing(reader, mesh);
    if (read_word(reader, map_get(node, "self_crossing"), words, NULL, 0) == 1 || crossing == NULL) return false;
    reader_error(reader, file,
                 "expected a surface that does not cross itself, found \"%.*s\": %s; mend it (as a union of its parts, "
                 "in the program that wrote it), or say `self_crossing: allowed` where nothing touches it there",
                 TEXT_CUT(file->text, 80), crossing);
    return true;
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
    if (mesh == NULL || surface_refuses_crossing(reader, node, file, mesh)) return;
    SceneShape *out = &reader->study->scene.shapes[shape];
    out->kind = SHAPE_MESH;
    out->mesh = mesh;
    out->solid = &mesh->solid;
    out->size_m[0] = 1.0;
    mesh_size_note(reader, file, shape, mesh->head.longest_m);
}

void mesh_check_mass(Reader *reader, const YamlNode *node, uint32_t shape) {
    const SceneDescription *scene = &reader->study->scene;
    const YamlNode *file = map_get(map_get(node, "mesh"), "file");
    for (uint32_t i = shape; file != NULL && i < scene->shape_count; i++) {
        const SceneShape *row = &scene->shapes[i];
        if (row->solid == NULL || row->solid == &SOLID_NONE || mass_is_of_solid(row->solid)) continue;
        const char *crossing = surface_crossing(reader, row->mesh);
        reader_error(
            reader, file,
            "expected a surface with the mass and inertia of a body, found \"%.*s\", %g m3 with moments that no "
            "body has: %s; mend it (as a union of its parts, in the program that wrote it), or give the body "
            "`mass: {mass, com, inertia}`",
            TEXT_CUT(file->text, 80), row->solid->volume_m3,
            crossing != NULL ? crossing : "its surface is inside out in parts");
        return;
    }
}
