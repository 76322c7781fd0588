// The solver section.
#include "study_internal.h"

static const NumberRange RANGE_FRACTION = {0, 1, true, true, "a number > 0 and < 1"};
static const NumberRange RANGE_COUNT = {1, 1e6, false, false, "a number from 1 to 1e6"};
// Above 1 a contact would be stiffer than its material; a little room for sensitivity studies.
static const NumberRange RANGE_REDUCTION = {0, 1.1, true, false, "a number > 0 and <= 1.1"};

static NumberTarget solver_target(size_t offset) { return (NumberTarget){BIND_SCENE, 0, offset}; }

static void read_accuracy(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"tolerance", "steps", NULL};
    static const char *const words[] = {"fast", "default", "accurate", NULL};
    static const struct { double tolerance, graded_steps; } levels[] = {{1e-4, 4}, {1e-6, 8}, {1e-8, 16}};
    SceneDescription *scene = &reader->study->scene;
    const bool is_word = node == NULL || node->kind == YAML_SCALAR;
    const uint32_t level = is_word ? read_word(reader, node, words, NULL, 1) : 1;
    scene->tolerance = levels[level].tolerance;
    scene->graded_steps = levels[level].graded_steps;
    if (is_word) return;
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "fast, default, accurate or a map {tolerance, steps}");
        return;
    }
    map_check(reader, node, keys, NULL);
    read_number_into(reader, map_get(node, "tolerance"), &RANGE_FRACTION,
                     solver_target(offsetof(SceneDescription, tolerance)));
    read_number_into(reader, map_get(node, "steps"), &RANGE_COUNT,
                     solver_target(offsetof(SceneDescription, graded_steps)));
}

// k_red belongs to the material side and to the solver side; either place will do, not both.
static void read_reduction(Reader *reader, const YamlNode *node, const YamlNode *scene_node) {
    const YamlNode *in_scene = map_get(scene_node, "reduction");
    const YamlNode *in_solver = map_get(node, "reduction");
    if (in_scene != NULL && in_solver != NULL)
        reader_error(reader, in_solver, "expected \"reduction\" once, found it in the scene too");
    read_number_into(reader, in_solver != NULL ? in_solver : in_scene, &RANGE_REDUCTION,
                     solver_target(offsetof(SceneDescription, reduction)));
}

// Of quasi-rigid steps: 1, of first order, or 0.5, of second.
static void read_theta(Reader *reader, const YamlNode *node) {
    static const NumberRange range = {0.5, 1, false, false, "0.5 or 1"};
    if (node == NULL) return;
    const double theta = read_constant(reader, node, &range);
    if (theta > 0.5 && theta < 1) reader_expected(reader, node, range.words);
    reader->study->scene.is_midpoint = theta == 0.5;
}

void read_solver(Reader *reader, const YamlNode *node, const YamlNode *scene_node) {
    static const char *const keys[] = {"method",        "accuracy",       "step",      "end",   "narrow_phase",
                                       "mpr_tolerance", "mpr_iterations", "reduction", "until", "freeze",
                                       "work_limit",    "theta",          NULL};
    static const char *const narrow_phases[] = {"exact", "mpr", NULL};
    static const char *const until_words[] = {"end", "rest", NULL};
    SceneDescription *scene = &reader->study->scene;
    scene->step_s = scene->method == METHOD_QUASI_RIGID ? 0.01 : 1e-3;
    scene->mpr_tolerance = 1e-13;
    scene->mpr_iterations = 120;
    scene->work_limit = 5000;
    scene->reduction = 1;
    if (reader->is_for_poses) scene->end_s = 1; // where it says nothing: nothing is stepped
    read_reduction(reader, node, scene_node);
    if (node == NULL || !map_check(reader, node, keys, NULL)) return;
    scene->use_mpr = read_word(reader, map_get(node, "narrow_phase"), narrow_phases, NULL, 0);
    scene->until_rest = read_word(reader, map_get(node, "until"), until_words, NULL, 0);
    scene->no_freeze = !read_bool(reader, map_get(node, "freeze"), true);
    read_accuracy(reader, map_get(node, "accuracy"));
    read_theta(reader, map_get(node, "theta"));
    read_number_into(reader, map_get(node, "step"), &RANGE_POSITIVE, solver_target(offsetof(SceneDescription, step_s)));
    const YamlNode *end =
        reader->is_for_poses ? map_get(node, "end") : map_require(reader, node, "end", "a number > 0");
    read_number_into(reader, end, &RANGE_POSITIVE, solver_target(offsetof(SceneDescription, end_s)));
    read_number_into(reader, map_get(node, "mpr_tolerance"), &RANGE_FRACTION,
                     solver_target(offsetof(SceneDescription, mpr_tolerance)));
    read_number_into(reader, map_get(node, "mpr_iterations"), &RANGE_COUNT,
                     solver_target(offsetof(SceneDescription, mpr_iterations)));
    read_number_into(reader, map_get(node, "work_limit"), &RANGE_POSITIVE,
                     solver_target(offsetof(SceneDescription, work_limit)));
}
