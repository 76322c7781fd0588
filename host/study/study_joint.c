// Joints: what ties two bodies beside contacts.
#include "study_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static NumberTarget joint_target(uint32_t joint, size_t offset) { return (NumberTarget){BIND_JOINT, joint, offset}; }

// `world`: a fixed body that is in every scene stands for it, since points are given in the world. NONE: there is none.
static uint32_t anchor_find(const Reader *reader) {
    uint32_t body = 0;
    for (const YamlNode *node = reader->bodies->child_first; node != NULL; node = node->next, body++)
        if (node->copy == NULL && reader->study->scene.bodies[body].is_fixed) return body;
    return NONE;
}

static uint32_t read_body_of(Reader *reader, const YamlNode *node) {
    if (node->kind != YAML_SCALAR || strcmp(node->text, "world") != 0 || map_get(reader->bodies, "world") != NULL)
        return read_body_name(reader, node, NAMES_OF_ONE);
    const uint32_t anchor = anchor_find(reader);
    if (anchor == NONE)
        reader_error(reader, node,
                     "expected a fixed body in the scene, which stands for the world, such as "
                     "\"hook: {fixed: true}\", found none");
    return anchor;
}

// Two different bodies, which must not both be fixed.
static void read_bodies_of(Reader *reader, const YamlNode *node, SceneJoint *joint) {
    const SceneBody *bodies = reader->study->scene.bodies;
    if (node == NULL || !list_check(reader, node, 2, "a list of 2 names of bodies")) return;
    const uint32_t a = read_body_of(reader, node->child_first);
    const uint32_t b = read_body_of(reader, node->child_last);
    if (a == NONE || b == NONE) return;
    joint->body_a = a;
    joint->body_b = b;
    if (a == b)
        reader_error(reader, node, "expected 2 different bodies, found \"%s\" twice", bodies[a].name);
    else if (bodies[a].is_fixed && bodies[b].is_fixed)
        reader_error(reader, node, "expected at least one body that is not fixed, found \"%s\" and \"%s\", which are",
                     bodies[a].name, bodies[b].name);
}

static void read_points(Reader *reader, const YamlNode *node, uint32_t joint) {
    if (node == NULL || !list_check(reader, node, 2, "a list of 2 points [x, y, z], of the first and the second body"))
        return;
    for (const YamlNode *point = node->child_first; point != NULL; point = point->next)
        read_vector_into(reader, point, 3, &RANGE_ANY,
                         joint_target(joint, offsetof(SceneJoint, at_m) + point->index * sizeof(double[3])), NULL);
}

// A number if it is there. Is it missing, or 0 in all scenes?
static bool read_part(Reader *reader, const YamlNode *node, const NumberRange *range, NumberTarget target) {
    if (node == NULL) return true;
    const Number number = read_number(reader, node, range);
    if (number.is_ok) number_place(reader, &number, target);
    return number.is_ok && number.parameter == NONE && number.value == 0.0;
}

static void read_spring_damper(Reader *reader, const YamlNode *node, uint32_t joint) {
    const bool is_slack = read_part(reader, map_get(node, "stiffness"), &RANGE_POSITIVE,
                                    joint_target(joint, offsetof(SceneJoint, stiffness_N_per_m)));
    const bool is_undamped = read_part(reader, map_get(node, "damping"), &RANGE_NON_NEGATIVE,
                                       joint_target(joint, offsetof(SceneJoint, damping_N_s_per_m)));
    reader->study->scene.joints[joint].rest_length_m = -1; // unless it is there: the distance at the start
    read_part(reader, map_get(node, "rest_length"), &RANGE_NON_NEGATIVE,
              joint_target(joint, offsetof(SceneJoint, rest_length_m)));
    if (is_slack && is_undamped) reader_error(reader, node, "expected a stiffness or a damping > 0, found neither");
}

static void read_joint(Reader *reader, const YamlNode *node, uint32_t joint) {
    static const char *const keys[] = {"kind", "between", "at", "stiffness", "damping", "rest_length", NULL};
    static const char *const keys_later[] = {"axis", "length", "links", "limits", "motion", "rope", "touch", NULL};
    static const char *const kinds[] = {"spring_damper", NULL};
    static const char *const later[] = {"fixed",     "revolute",  "prismatic", "cylindrical",
                                        "universal", "spherical", "distance",  NULL};
    static const uint32_t numbers[] = {JOINT_SPRING_DAMPER};
    const SceneDescription *scene = &reader->study->scene;
    SceneJoint *row = &scene->joints[joint];
    const uint32_t errors_before = reader->error_count;
    if (!is_identifier(node->key) || strlen(node->key) >= SCENE_NAME_BYTES)
        reader_error_key(reader, node->parent, &node->key_place,
                         "expected a name of letters, digits and _ (at most %d), found \"%.*s\"", SCENE_NAME_BYTES - 1,
                         TEXT_CUT(node->key, 80));
    for (uint32_t b = 0; b < scene->body_count; b++)
        if (strcmp(scene->bodies[b].name, node->key) == 0)
            reader_error_key(reader, node->parent, &node->key_place, "expected a name that no body has, found \"%s\"",
                             node->key);
    snprintf(row->name, sizeof row->name, "%s", node->key);
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map with kind, between, at and constants");
        return;
    }
    const YamlNode *kind = map_require(reader, node, "kind", "spring_damper");
    row->kind = numbers[read_word(reader, kind, kinds, later, 0)];
    if (!map_check(reader, node, keys, keys_later) || kind == NULL || reader->error_count > errors_before)
        return; // what values mean belongs to a kind
    read_bodies_of(reader, map_require(reader, node, "between", "2 bodies"), row);
    read_points(reader, map_require(reader, node, "at", "a point of each body, in the world at the start"), joint);
    read_spring_damper(reader, node, joint);
}

void read_joints(Reader *reader, const YamlNode *node) {
    SceneDescription *scene = &reader->study->scene;
    if (node == NULL || reader->bodies == NULL) return; // none, or an error of bodies that has been told
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of names to joints");
        return;
    }
    scene->joints = calloc((size_t)node->child_count + 1, sizeof *scene->joints);
    if (scene->joints == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    scene->joint_count = node->child_count;
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next)
        read_joint(reader, child, child->index);
}
