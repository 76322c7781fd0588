// Fixed bodies that move as given over time: `motion` of a body.
#include "study_internal.h"

#include "model/scene_types.h"
#include "stage.h"

// Numbers that are part of a motion, each as a function that is one number.
static void read_numbers(Reader *reader, const YamlNode *node, const char *expected) {
    if (!list_check(reader, node, 3, expected)) return;
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next)
        function_append_read(reader, item, &RANGE_ANY);
}

static void read_angle(Reader *reader, const YamlNode *node, const YamlNode *axis) {
    uint32_t first, count;
    if (node == NULL) {
        for (int i = 0; i < 4; i++) function_append_number(reader, i == 3 ? 1.0 : 0.0); // no angle about z
        return;
    }
    read_function(reader, node, &first, &count);
    if (axis != NULL) read_numbers(reader, axis, "an axis [x, y, z]");
}

void read_body_motion(Reader *reader, const YamlNode *node, uint32_t body) {
    static const char *const keys[] = {"travel", "angle", "axis", "through", NULL};
    SceneDescription *scene = &reader->study->scene;
    if (node == NULL) return;
    SceneBody *row = &scene->bodies[body];
    if (!map_check(reader, node, keys, NULL)) return;
    if (!row->is_fixed) reader_error(reader, node, "expected \"fixed: true\" beside \"motion\", found a free body");
    const YamlNode *travel = map_get(node, "travel"), *angle = map_get(node, "angle");
    const YamlNode *axis = map_get(node, "axis"), *through = map_get(node, "through");
    if (travel == NULL && angle == NULL) reader_error(reader, node, "expected travel, angle or both, found neither");
    if (angle != NULL && axis == NULL) reader_error(reader, node, "expected an axis beside \"angle\", found none");
    for (int i = 0; i < 2 && angle == NULL; i++) {
        const YamlNode *idle = i == 0 ? axis : through;
        if (idle != NULL) reader_warn(reader, idle, "has no effect without an angle");
    }
    const uint32_t errors_before = reader->error_count, bindings_before = reader->study->binding_count;
    row->motion_first = scene->function_count;
    if (!function_append_head(reader)) return;
    read_functions_xyz(reader, travel);
    read_angle(reader, angle, axis);
    if (through != NULL && angle != NULL) read_numbers(reader, through, "a point [x, y, z]");
    row->motion_count = scene->function_count - row->motion_first;
    scene->functions[row->motion_first].count = row->motion_count - 1;
    char why[160];
    if (reader->error_count > errors_before || reader->study->binding_count > bindings_before) return;
    if (!stage_body_motion_is_right(scene, row, why, sizeof why)) reader_error(reader, node, "%s", why);
}
