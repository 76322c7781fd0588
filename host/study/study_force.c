// Forces and moments over time on bodies: `forces` of a scene. Each is a row of the scene's joints (JOINT_LOAD).
#include "study_internal.h"

#include <stdlib.h>
#include <string.h>

#include "model/scene_types.h"
#include "stage.h"

static void read_force_bodies(Reader *reader, const YamlNode *node, SceneJoint *row) {
    const SceneDescription *scene = &reader->study->scene;
    const YamlNode *on = map_require(reader, node, "body", "the body on which it acts");
    const YamlNode *against = map_get(node, "against");
    if (on == NULL) return;
    row->body_b = read_body_name(reader, on, NAMES_OF_ONE);
    row->body_a = against != NULL ? read_body_name(reader, against, NAMES_OF_ONE) : joint_find_world(reader);
    if (row->body_b == NONE || (against != NULL && row->body_a == NONE)) return;
    if (scene->bodies[row->body_b].is_fixed)
        reader_error(reader, on, "expected a body that is not fixed, found \"%s\", which is",
                     scene->bodies[row->body_b].name);
    else if (against == NULL && row->body_a == NONE) {
        char found[WORLD_BYTES];
        world_describe(reader, "neither", found, sizeof found);
        reader_error(reader, node,
                     "expected a fixed body in the scene, which stands for the world, such as \"frame: {fixed: "
                     "true}\", or \"against\", found %s",
                     found);
    } else if (row->body_a == row->body_b)
        reader_error(reader, against, "expected another body than the one on which it acts, found \"%s\" twice",
                     scene->bodies[row->body_b].name);
}

static void read_force_values(Reader *reader, const YamlNode *node, uint32_t index) {
    static const char *const axes[] = {"world", "body", "against", NULL};
    static const uint32_t flags[] = {0, JOINT_AXES_OF_B, JOINT_AXES_OF_A};
    SceneJoint *row = &reader->study->scene.joints[index];
    const YamlNode *at = map_get(node, "at"), *force = map_get(node, "force"), *moment = map_get(node, "moment");
    const uint32_t errors_before = reader->error_count;
    read_force_bodies(reader, node, row);
    if (reader->error_count > errors_before) return;
    row->axes = flags[read_word(reader, map_get(node, "axes"), axes, NULL, 0)];
    row->is_at_centre = at == NULL;
    read_vector_into(reader, at, 3, &RANGE_ANY,
                     (NumberTarget){BIND_JOINT, index, offsetof(SceneJoint, at_m) + sizeof(double[3])}, NULL);
    if (force == NULL && moment == NULL)
        reader_error(reader, node, "expected a force, a moment or both, found neither");
    if (at != NULL && force == NULL) reader_warn(reader, at, "has no effect without a force");
    row->drive_first = reader->study->scene.function_count;
    read_functions_xyz(reader, force);
    read_functions_xyz(reader, moment);
    row->drive_count = reader->study->scene.function_count - row->drive_first;
}

static void read_force(Reader *reader, const YamlNode *node, uint32_t index) {
    static const char *const keys[] = {"body", "against", "at", "force", "moment", "axes", NULL};
    SceneJoint *row = &reader->study->scene.joints[index];
    row->kind = JOINT_LOAD;
    row->touches = 1;
    joint_read_name(reader, node, index);
    if (node->kind != YAML_MAP)
        reader_expected(reader, node, "a map with body and force");
    else if (map_check(reader, node, keys, NULL))
        read_force_values(reader, node, index);
}

void read_forces(Reader *reader, const YamlNode *node) {
    SceneDescription *scene = &reader->study->scene;
    if (node == NULL || reader->bodies == NULL) return; // none, or an error of bodies that has been reported
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of names to forces");
        return;
    }
    const uint32_t before = scene->joint_count, count = before + node->child_count;
    SceneJoint *rows = realloc(scene->joints, ((size_t)count + 1) * sizeof *rows);
    if (rows == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    memset(rows + before, 0, ((size_t)count + 1 - before) * sizeof *rows);
    scene->joints = rows;
    scene->joint_count = count;
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next)
        read_force(reader, child, before + child->index);
}
