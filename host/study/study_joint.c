// Joints: what ties two bodies beside contacts.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly.h"
#include "model/workspace.h"
#include "stage.h"
#include "text.h"

static NumberTarget joint_target(uint32_t joint, size_t offset) { return (NumberTarget){BIND_JOINT, joint, offset}; }

uint32_t joint_find_world(const Reader *reader) {
    uint32_t body = 0;
    for (const YamlNode *node = reader->bodies->child_first; node != NULL; node = node->next, body++) {
        const SceneBody *row = &reader->study->scene.bodies[body];
        if (node->copy == NULL && row->is_fixed && row->motion_count == 0) return body;
    }
    return NONE;
}

void joint_read_name(Reader *reader, const YamlNode *node, uint32_t joint) {
    SceneDescription *scene = &reader->study->scene;
    if (!is_identifier(node->key) || strlen(node->key) >= SCENE_NAME_BYTES)
        reader_error_key(reader, node->parent, &node->key_place,
                         "expected a name of letters, digits and _ (at most %d), found \"%.*s\"", SCENE_NAME_BYTES - 1,
                         TEXT_CUT(node->key, 80));
    for (uint32_t b = 0; b < scene->body_count; b++)
        if (strcmp(scene->bodies[b].name, node->key) == 0)
            reader_error_key(reader, node->parent, &node->key_place, "expected a name that no body has, found \"%s\"",
                             node->key);
    const bool is_reported = map_get(node->parent, node->key) != node; // a key that is twice in one map
    for (uint32_t j = 0; j < joint && !is_reported; j++)
        if (strcmp(scene->joints[j].name, node->key) == 0)
            reader_error_key(reader, node->parent, &node->key_place, "expected a name that no joint has, found \"%s\"",
                             node->key);
    snprintf(scene->joints[joint].name, SCENE_NAME_BYTES, "%s", node->key);
}

void world_describe(const Reader *reader, const char *none, char *out, size_t out_bytes) {
    uint32_t body = 0;
    snprintf(out, out_bytes, "%s", none);
    for (const YamlNode *node = reader->bodies->child_first; node != NULL; node = node->next, body++) {
        const SceneBody *row = &reader->study->scene.bodies[body];
        if (!row->is_fixed) continue;
        snprintf(out, out_bytes, "\"%s\", which %s", row->name,
                 row->motion_count > 0 ? "moves (it has a `motion`)" : "is one of several (`count` or `one_of`)");
        if (node->copy == NULL) return;
    }
}

static uint32_t read_body_of(Reader *reader, const YamlNode *node) {
    if (node->kind != YAML_SCALAR || strcmp(node->text, "world") != 0 || map_get(reader->bodies, "world") != NULL)
        return read_body_name(reader, node, NAMES_OF_ONE);
    const uint32_t anchor = joint_find_world(reader);
    if (anchor == NONE) {
        char found[WORLD_BYTES];
        world_describe(reader, "none", found, sizeof found);
        reader_error(reader, node,
                     "expected a fixed body in the scene, which stands for the world, such as "
                     "\"hook: {fixed: true}\", found %s",
                     found);
    }
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
    const bool is_without_stiffness = read_part(reader, map_get(node, "stiffness"), &RANGE_POSITIVE,
                                                joint_target(joint, offsetof(SceneJoint, stiffness_N_per_m)));
    const bool is_undamped = read_part(reader, map_get(node, "damping"), &RANGE_NON_NEGATIVE,
                                       joint_target(joint, offsetof(SceneJoint, damping_N_s_per_m)));
    reader->study->scene.joints[joint].rest_length_m = -1; // unless it is there: the distance at the start
    read_part(reader, map_get(node, "rest_length"), &RANGE_NON_NEGATIVE,
              joint_target(joint, offsetof(SceneJoint, rest_length_m)));
    if (is_without_stiffness && is_undamped)
        reader_error(reader, node, "expected a stiffness or a damping > 0, found neither");
}

// A list of two lists, where one may stand: of the first and the second body.
static bool is_of_both(const YamlNode *node) {
    return node->kind == YAML_LIST && node->child_count == 2 && node->child_first->kind == YAML_LIST;
}

// The point of the world where a constraint is at the start, of both bodies: numbers that are drawn are the same for
// both. Or one of each.
static void read_place(Reader *reader, const YamlNode *node, uint32_t joint) {
    if (node != NULL && is_of_both(node)) {
        read_points(reader, node, joint);
        return;
    }
    if (node == NULL || !list_check(reader, node, 3, "a point [x, y, z], or two of them")) return;
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next) {
        const Number number = read_number(reader, item, &RANGE_ANY);
        for (size_t k = 0; k < 2 && number.is_ok; k++)
            number_place(reader, &number,
                         joint_target(joint, offsetof(SceneJoint, at_m) + (3 * k + item->index) * sizeof(double)));
    }
}

static void read_axis(Reader *reader, const YamlNode *node, uint32_t joint, size_t number) {
    const size_t offset = offsetof(SceneJoint, axis) + number * sizeof(double[3]);
    read_vector_into(reader, node, 3, &RANGE_ANY, joint_target(joint, offset), NULL);
}

static void read_axes(Reader *reader, const YamlNode *node, uint32_t joint) {
    if (node == NULL || !list_check(reader, node, 2, "a list of 2 axes [x, y, z], of the first and the second body"))
        return;
    read_axis(reader, node->child_first, joint, 0);
    read_axis(reader, node->child_last, joint, 1);
}

// The axis of both bodies, or one of each.
static void read_axis_of_both(Reader *reader, const YamlNode *node, uint32_t joint) {
    if (node != NULL && is_of_both(node)) {
        reader->study->scene.joints[joint].has_two_axes = 1;
        read_axes(reader, node, joint);
    } else {
        read_axis(reader, node, joint, 0);
    }
}

// A length, or how it begins and changes.
static void read_length(Reader *reader, const YamlNode *node, uint32_t joint) {
    static const char *const keys[] = {"start", "rate", "until", NULL};
    SceneJoint *row = &reader->study->scene.joints[joint];
    row->rest_length_m = -1; // unless it is there: the distance at the start
    row->length_until_s = HUGE_VAL;
    if (node == NULL) return;
    const NumberTarget start = joint_target(joint, offsetof(SceneJoint, rest_length_m));
    if (node->kind != YAML_MAP) {
        read_number_into(reader, node, &RANGE_POSITIVE, start);
        return;
    }
    if (!map_check(reader, node, keys, NULL)) return;
    read_number_into(reader, map_get(node, "start"), &RANGE_POSITIVE, start);
    read_number_into(reader, map_get(node, "rate"), &RANGE_ANY,
                     joint_target(joint, offsetof(SceneJoint, length_rate_m_per_s)));
    read_number_into(reader, map_get(node, "until"), &RANGE_POSITIVE,
                     joint_target(joint, offsetof(SceneJoint, length_until_s)));
}

// The lowest and the highest angle or travel.
static void read_limits(Reader *reader, const YamlNode *node, uint32_t joint) {
    if (node == NULL || !list_check(reader, node, 2, "a list [low, high]")) return;
    reader->study->scene.joints[joint].has_limits = 1;
    for (const YamlNode *end = node->child_first; end != NULL; end = end->next)
        read_number_into(reader, end, &RANGE_ANY,
                         joint_target(joint, offsetof(SceneJoint, limits) + end->index * sizeof(double)));
}

// An angle, a travel or a length over time.
static void read_motion(Reader *reader, const YamlNode *node, uint32_t joint) {
    static const char *const angle[] = {"angle", NULL}, *const travel[] = {"travel", NULL},
                             *const length[] = {"length", NULL};
    SceneJoint *row = &reader->study->scene.joints[joint];
    const char *const *keys = row->kind == JOINT_REVOLUTE ? angle : row->kind == JOINT_DISTANCE ? length : travel;
    if (node == NULL || !map_check(reader, node, keys, NULL)) return;
    const YamlNode *function = map_require(reader, node, keys[0], "an expression of t");
    const YamlNode *other = map_get(node->parent, row->kind == JOINT_DISTANCE ? "length" : "limits");
    if (function != NULL) read_function(reader, function, &row->drive_first, &row->drive_count);
    if (other != NULL)
        reader_error(reader, other, "expected no \"%s\" beside \"motion\", found one",
                     row->kind == JOINT_DISTANCE ? "length" : "limits");
}

// What a kind of joint has beside its kind and its bodies.
typedef struct JointKeys {
    const char *keys[9];
} JointKeys;

#define KEYS_OF_PLACE                                                                                                  \
    {                                                                                                                  \
        { "kind", "between", "chain", "at", "touch", NULL }                                                            \
    }
#define KEYS_OF_AXIS                                                                                                   \
    {                                                                                                                  \
        { "kind", "between", "chain", "at", "axis", "touch", NULL }                                                    \
    }
#define KEYS_OF_LIMITED                                                                                                \
    {                                                                                                                  \
        { "kind", "between", "chain", "at", "axis", "limits", "motion", "touch", NULL }                                \
    }
static const JointKeys joint_keys[] = {
    [JOINT_SPRING_DAMPER] = {{"kind", "between", "chain", "at", "stiffness", "damping", "rest_length", NULL}},
    [JOINT_FIXED] = KEYS_OF_PLACE,
    [JOINT_REVOLUTE] = KEYS_OF_LIMITED,
    [JOINT_PRISMATIC] = KEYS_OF_LIMITED,
    [JOINT_CYLINDRICAL] = KEYS_OF_LIMITED,
    [JOINT_UNIVERSAL] = KEYS_OF_AXIS,
    [JOINT_SPHERICAL] = KEYS_OF_PLACE,
    [JOINT_DISTANCE] = {{"kind", "between", "chain", "at", "length", "rope", "motion", "touch", NULL}},
};

// What values mean belongs to a kind.
static void read_joint_values(Reader *reader, const YamlNode *node, uint32_t joint) {
    SceneJoint *row = &reader->study->scene.joints[joint];
    const bool has_two = row->kind == JOINT_SPRING_DAMPER || row->kind == JOINT_DISTANCE;
    read_bodies_of(reader, map_require(reader, node, "between", "2 bodies"), row);
    if (has_two)
        read_points(reader, map_require(reader, node, "at", "a point of each body, in the world at the start"), joint);
    else
        read_place(reader, map_require(reader, node, "at", "a point in the world at the start"), joint);
    if (row->kind == JOINT_SPRING_DAMPER) read_spring_damper(reader, node, joint);
    if (row->kind == JOINT_DISTANCE) {
        read_length(reader, map_get(node, "length"), joint);
        row->is_rope = read_bool(reader, map_get(node, "rope"), false) ? 1u : 0u;
    }
    row->touches = read_bool(reader, map_get(node, "touch"), false) ? 1u : 0u;
    read_limits(reader, map_get(node, "limits"), joint);
    read_motion(reader, map_get(node, "motion"), joint);
    if (row->kind == JOINT_UNIVERSAL)
        read_axes(reader, map_require(reader, node, "axis", "an axis of each body"), joint);
    if (row->kind == JOINT_REVOLUTE || row->kind == JOINT_PRISMATIC || row->kind == JOINT_CYLINDRICAL)
        read_axis_of_both(reader, map_require(reader, node, "axis", "an axis [x, y, z]"), joint);
}

static void read_joint(Reader *reader, const YamlNode *node, uint32_t joint) {
    static const char *const kinds[] = {"spring_damper", "fixed",     "revolute", "prismatic", "cylindrical",
                                        "universal",     "spherical", "distance", NULL}; // from JOINT_SPRING_DAMPER on
    static const char *const keys_all[] = {"kind",   "between",   "at",      "axis",        "length", "rope", "limits",
                                           "motion", "stiffness", "damping", "rest_length", "touch",  NULL};
    const SceneDescription *scene = &reader->study->scene;
    SceneJoint *row = &scene->joints[joint];
    const uint32_t errors_before = reader->error_count;
    joint_read_name(reader, node, joint);
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map with kind, between, at and constants");
        return;
    }
    const YamlNode *kind = map_require(reader, node, "kind", "a kind such as revolute");
    row->kind = JOINT_SPRING_DAMPER + read_word(reader, kind, kinds, NULL, 0);
    const char *const *keys = kind != NULL ? joint_keys[row->kind].keys : keys_all;
    if ((kind == NULL || reader->error_count == errors_before) && !map_check(reader, node, keys, NULL)) return;
    if (kind == NULL || reader->error_count > errors_before) return;
    const uint32_t bindings_before = reader->study->binding_count;
    char why[160];
    read_joint_values(reader, node, joint);
    if (reader->error_count > errors_before || reader->study->binding_count > bindings_before)
        return; // what varies is checked in each scene
    if (!stage_joint_is_right(row, why, sizeof why) || !stage_motion_is_right(scene, row, why, sizeof why))
        reader_error(reader, node, "%s", why);
}

void read_joints(Reader *reader, YamlNode *node) {
    SceneDescription *scene = &reader->study->scene;
    if (node == NULL || reader->bodies == NULL) return; // none, or an error of bodies that has been reported
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of names to joints");
        return;
    }
    chains_expand(reader, node);
    scene->joints = calloc((size_t)node->child_count + 1, sizeof *scene->joints);
    if (scene->joints == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    scene->joint_count = node->child_count;
    const char *wrong = NULL; // name of a chain one of whose joints has been reported
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) {
        const uint32_t errors_before = reader->error_count;
        const char *origin = child->copy != NULL ? child->copy->origin : NULL;
        if (origin != NULL && origin == wrong) { // what names it is right
            snprintf(scene->joints[child->index].name, SCENE_NAME_BYTES, "%s", child->key);
            continue;
        }
        read_joint(reader, child, child->index);
        if (reader->error_count > errors_before) wrong = origin;
    }
}

// Constraints are one scheme's. Their nodes are in the order of the rows.
static void check_kinds(Reader *reader, const YamlNode *joints) {
    const SceneDescription *scene = &reader->study->scene;
    if (assembly_keeps_joints(scene) || joints == NULL || scene->joints == NULL) return;
    for (const YamlNode *node = joints->child_first; node != NULL; node = node->next) {
        const YamlNode *kind = map_get(node, "kind");
        if (kind != NULL && scene->joints[node->index].kind > JOINT_SPRING_DAMPER)
            reader_error(reader, kind,
                         "expected \"solver.method: trapezoidal\" or \"quasi_rigid\" for this kind, found \"%s\"",
                         method_word(scene->method));
    }
}

static uint32_t island_of(uint32_t *parents, uint32_t body) {
    while (parents[body] != body) body = parents[body] = parents[parents[body]];
    return body;
}

// Bodies that joints tie together are solved for at once, with a table of all pairs of them.
static void check_islands(Reader *reader, const YamlNode *joints) {
    const SceneDescription *scene = &reader->study->scene;
    uint32_t *parents = reader_take(reader, scene->body_count * sizeof *parents);
    uint32_t *sizes = reader_take(reader, scene->body_count * sizeof *sizes);
    if (parents == NULL || sizes == NULL) return;
    for (uint32_t b = 0; b < scene->body_count; b++) parents[b] = b, sizes[b] = 1;
    for (const YamlNode *node = joints->child_first; node != NULL; node = node->next) {
        const SceneJoint *joint = &scene->joints[node->index];
        if (scene->bodies[joint->body_a].is_fixed || scene->bodies[joint->body_b].is_fixed) continue;
        const uint32_t a = island_of(parents, joint->body_a), b = island_of(parents, joint->body_b);
        if (a == b) continue;
        parents[b] = a;
        sizes[a] += sizes[b];
        if (sizes[a] <= ISLAND_JOINTED_MAX) continue;
        reader_error(reader, node, "expected at most %u bodies that joints tie together, found more with this one",
                     ISLAND_JOINTED_MAX);
        return;
    }
}

// Can bodies be moved so that joints hold which are slightly off? Of what is drawn each scene tells by itself.
static void check_assembly(Reader *reader, const YamlNode *joints) {
    const Study *study = reader->study;
    for (uint32_t i = 0; i < study->binding_count; i++)
        if (study->bindings[i].block == BIND_BODY || study->bindings[i].block == BIND_JOINT ||
            study->bindings[i].block == BIND_SHAPE)
            return;
    if (study->presence_count > 0 || reader->error_count > 0 || !assembly_is_needed(&study->scene)) return;
    Assembly assembly;
    ClackReport report = {0};
    const ClackStatus status = assembly_try(&study->scene, &assembly, &report);
    clack_report_clear(&report);
    if (status == CLACK_MEMORY) reader->is_out_of_memory = true;
    for (const YamlNode *node = joints->child_first; status == CLACK_STUDY && node != NULL; node = node->next)
        if (node->index == assembly.joint) reader_error(reader, node, "%s", assembly.why);
}

void check_joints(Reader *reader, const YamlNode *joints) {
    check_kinds(reader, joints);
    if (!assembly_keeps_joints(&reader->study->scene) || joints == NULL || reader->error_count > 0) return;
    check_islands(reader, joints);
    check_assembly(reader, joints);
}
