// The shape `mesh`: the hulls of its groups as shapes of one body, each with all that the study says of the mesh.
#include "study_internal.h"

#include <math.h>

// --- the shape ------------------------------------------------------------------------------------

void read_mesh(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"file", "scale", "smoothing", "decompose", "self_crossing", NULL};
    static const char *const words[] = {"groups", NULL};
    MeshParts key = {.smoothing_m = NAN};
    const InputFile *input = NULL;
    if (!map_check(reader, node, keys, NULL)) return;
    const YamlNode *file = map_require(reader, node, "file", "the path of " MESH_FILE_KINDS);
    const YamlNode *decompose = map_get(node, "decompose"), *smoothing = map_get(node, "smoothing");
    if (decompose == NULL && reader->takes_meshes) {
        read_surface(reader, node, file, shape);
        return;
    }
    if (decompose == NULL)
        reader_error(reader, node,
                     "expected \"solver.method: trapezoidal\", with which a mesh touches as it is, or the key "
                     "\"decompose\" with the word groups, one convex hull for each group of the file, found neither");
    const uint32_t errors_before = reader->error_count;
    read_word(reader, decompose, words, NULL, 0);
    if (map_get(node, "self_crossing") != NULL)
        reader_error(reader, map_get(node, "self_crossing"),
                     "expected \"self_crossing\" without \"decompose\" only: hulls do not cross themselves");
    if (smoothing != NULL) key.smoothing_m = read_constant(reader, smoothing, &RANGE_NON_NEGATIVE);
    key.source = file != NULL ? read_mesh_file(reader, file, &input) : NULL;
    const bool is_scaled = read_hull_scale(reader, map_get(node, "scale"), shape, key.stretch, &key.least_scale);
    if (decompose == NULL || key.source == NULL || !is_scaled || reader->error_count > errors_before) return;
    const MeshParts *parts = mesh_parts_make(reader, node, input, key);
    if (parts == NULL || parts->count == 0) return; // reported
    reader->parts = parts;
    mesh_size_note(reader, file, shape, reader->study->meshes[parts->study_mesh].size_m);
}

// The bindings of a shape for another one that is read from the same keys.
static bool bindings_repeat(Reader *reader, uint32_t shape, uint32_t copy, uint32_t count) {
    Study *study = reader->study;
    for (uint32_t i = 0; i < count; i++) {
        if (study->bindings[i].block != BIND_SHAPE || study->bindings[i].index != shape) continue;
        if (!reader_grow(reader, (void **)&study->bindings, &reader->binding_capacity, study->binding_count,
                         sizeof *study->bindings))
            return false;
        study->bindings[study->binding_count] = study->bindings[i];
        study->bindings[study->binding_count++].index = copy;
    }
    return true;
}

static void mass_tell(Reader *reader, const MeshParts *parts) {
    if (parts->open_text != NULL)
        reader_warn_at(reader, &parts->open_place,
                       "%s; as the surface is not closed, the mass of the body is that of the hulls", parts->open_text);
    if (parts->crossing_text != NULL)
        reader_warn_at(reader, &parts->crossing_place,
                       "%s: what both enclose counts twice in the mass of the body, unless it has `mass: {mass, "
                       "inertia}`",
                       parts->crossing_text);
}

void mesh_parts_append(Reader *reader, uint32_t shape, const SceneBody *owner) {
    Study *study = reader->study;
    SceneDescription *scene = &study->scene;
    const MeshParts *parts = reader->parts;
    reader->parts = NULL;
    if (parts == NULL) return;
    const uint32_t bindings = study->binding_count;
    StudyMesh *about = &study->meshes[parts->study_mesh];
    about->bodies++;
    if (about->shape == NONE) about->shape = shape;
    for (uint32_t g = 0; g < parts->count; g++) {
        const uint32_t copy = g == 0 ? shape : scene->shape_count;
        if (!reader_grow(reader, (void **)&scene->shapes, &reader->shape_capacity, copy, sizeof *scene->shapes) ||
            (g > 0 && !bindings_repeat(reader, shape, copy, bindings)))
            return;
        scene->shapes[copy] = scene->shapes[shape];
        scene->shapes[copy].hull = parts->hulls[g];
        scene->shapes[copy].solid = parts->solids[g];
        scene->shape_count += g > 0;
    }
    if (!owner->is_fixed && owner->mass_kind != MASS_GIVEN) mass_tell(reader, parts);
}
