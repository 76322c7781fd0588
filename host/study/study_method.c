// What `solver.method` takes of a study. Studies that are run by several methods hold keys of each: what the method
// does not read is reported where none was named, else with ClackStudyOptions.tells_idle only.
#include "study_internal.h"

#include "stage.h"

static const char *const method_words[] = {[METHOD_EVENTS] = "events",
                                           [METHOD_RK4] = "rk4",
                                           [METHOD_TRAPEZOIDAL] = "trapezoidal",
                                           [METHOD_QUASI_RIGID] = "quasi_rigid",
                                           NULL};

#define OF(method) (1u << (method))
#define OF_POINTS (OF(METHOD_EVENTS) | OF(METHOD_RK4)) // forces of contact points
#define OF_FORCES (OF_POINTS | OF(METHOD_TRAPEZOIDAL))

typedef struct MethodKey {
    const char *key;
    uint32_t methods; // that read it
} MethodKey;

static const MethodKey pair_keys[] = {{"normal", OF_POINTS},
                                      {"restitution", OF_FORCES},
                                      {"damping", OF_FORCES},
                                      {"d_max", OF_FORCES},
                                      {"rolling", OF_FORCES},
                                      {"v_small", OF_FORCES},
                                      {"w_small", OF_FORCES},
                                      {"friction_law", OF_FORCES},
                                      {"shear_stiffness", OF_FORCES},
                                      {"spring", OF_FORCES},
                                      {"static_friction", OF_FORCES},
                                      {"v_stick", OF_FORCES},
                                      {"region", OF(METHOD_TRAPEZOIDAL)},
                                      {"viscous", OF(METHOD_TRAPEZOIDAL)},
                                      {"layer", OF(METHOD_QUASI_RIGID)},
                                      {"friction_ellipsoid", OF_POINTS | OF(METHOD_QUASI_RIGID)},
                                      {"friction_axis", OF_POINTS | OF(METHOD_QUASI_RIGID)},
                                      {NULL, 0}};

static const MethodKey solver_keys[] = {{"freeze", OF_POINTS},
                                        {"narrow_phase", OF_POINTS},
                                        {"mpr_tolerance", OF_POINTS},
                                        {"mpr_iterations", OF_POINTS},
                                        {"accuracy", OF_FORCES},
                                        {"theta", OF(METHOD_QUASI_RIGID)},
                                        {NULL, 0}};

uint32_t read_method(Reader *reader, const YamlNode *solver) {
    if (solver == NULL || solver->kind != YAML_MAP) return METHOD_EVENTS;
    reader->names_method = map_get(solver, "method") != NULL;
    return read_word(reader, map_get(solver, "method"), method_words, NULL, METHOD_EVENTS);
}

const char *method_word(uint32_t method) { return method_words[method]; }

static void idle_tell(Reader *reader, const YamlNode *node, const MethodKey *key) {
    const uint32_t method = reader->study->scene.method;
    if (node == NULL || (reader->names_method && !reader->tells_idle)) return;
    for (uint32_t m = 0; method_words[m] != NULL; m++)
        if (key->methods == OF(m)) {
            reader_warn(reader, node, "has no effect but with \"method: %s\"", method_words[m]);
            return;
        }
    reader_warn(reader, node, "has no effect with \"method: %s\"", method_words[method]);
}

static void idle_tell_all(Reader *reader, const YamlNode *map, const MethodKey *keys) {
    for (size_t i = 0; keys[i].key != NULL; i++)
        if (!(keys[i].methods & OF(reader->study->scene.method)))
            idle_tell(reader, map_get(map, keys[i].key), &keys[i]);
}

// Laws of friction and of the normal force that one method has and another would put something else for.
static void check_pair_laws(Reader *reader, const PairEntry *pair) {
    const uint32_t method = reader->study->scene.method;
    const YamlNode *law = map_get(pair->node, "friction_law"), *normal = map_get(pair->node, "normal");
    if (law != NULL && pair->has_stiction && (OF(method) & OF_POINTS))
        reader_error(reader, law, "expected solver.method: trapezoidal beside \"stiction\", found another");
    const YamlNode *ellipsoid = map_get(pair->node, "friction_ellipsoid");
    if ((OF(method) & OF_POINTS) && pair->has_spring && ellipsoid_is_other(pair))
        reader_error(reader, ellipsoid != NULL ? ellipsoid : pair->node,
                     "expected friction_law: regularised beside it, found \"mindlin\"");
    if (reader->study->scene.compat_modia3d && ellipsoid_is_other(pair))
        reader_error(reader, ellipsoid != NULL ? ellipsoid : pair->node,
                     "expected [1, 1, 0] with compat: modia3d, found another");
    if (method != METHOD_TRAPEZOIDAL) return;
    if (law != NULL && pair->has_spring)
        reader_error(reader, law, "expected regularised or stiction with method: trapezoidal, found \"mindlin\"");
    if (normal != NULL && pair->normal_law != NORMAL_HERTZ)
        reader_error(reader, normal,
                     "expected region: {law: constant, exponent: 1, ...} with method: trapezoidal, found \"linear\"");
}

static void check_rest(Reader *reader, const YamlNode *solver) {
    static const MethodKey until = {"until", OF_POINTS}, accuracy = {"accuracy", OF_POINTS};
    const SceneDescription *scene = &reader->study->scene;
    if (OF(scene->method) & OF_POINTS) return;
    if (scene->until_rest) idle_tell(reader, map_get(solver, until.key), &until); // nothing is frozen
    if (scene->method == METHOD_TRAPEZOIDAL && !stage_has_regions(scene))
        idle_tell(reader, map_get(solver, accuracy.key), &accuracy); // nothing may touch
}

// A step that is longer than the scene.
static void check_step(Reader *reader, const YamlNode *solver) {
    const SceneDescription *scene = &reader->study->scene;
    const YamlNode *step = map_get(solver, "step");
    if (scene->method != METHOD_QUASI_RIGID || step == NULL || !(scene->step_s > scene->end_s)) return;
    for (uint32_t i = 0; i < reader->study->binding_count; i++)
        if (reader->study->bindings[i].block == BIND_SCENE) return; // maybe one of both is drawn
    reader_error(reader, step, "expected at most \"end\", which is %g s, found %g", scene->end_s, scene->step_s);
}

void check_method(Reader *reader, const YamlNode *scene_node, const YamlNode *solver) {
    const SceneDescription *scene = &reader->study->scene;
    const YamlNode *method = map_get(solver, "method"), *contacts = map_get(scene_node, "contacts");
    for (uint32_t p = 0; p < reader->pair_count; p++) {
        const PairEntry *pair = &reader->pairs[p];
        if (pair->node == NULL || pair->is_observer || pair->is_of_palette) continue;
        check_pair_laws(reader, pair);
        idle_tell_all(reader, pair->node, pair_keys);
    }
    if (OF(scene->method) & OF_POINTS) return;
    if (scene->compat_modia3d && method != NULL)
        reader_error(reader, method, "expected another method with \"compat: modia3d\", found \"%s\"",
                     method_words[scene->method]);
    if (scene->single_contact && contacts != NULL && scene->method == METHOD_QUASI_RIGID)
        reader_error(reader, contacts, "expected \"several\" with method: quasi_rigid, found \"single\"");
    if (reader->error_count > 0) return;
    idle_tell_all(reader, solver, solver_keys);
    check_rest(reader, solver);
    check_step(reader, solver);
}
