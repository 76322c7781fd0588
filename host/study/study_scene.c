// The scene of a study: gravity, modes, materials, pairs, bodies, joints.
#include "study_internal.h"

// m/s^2, as in the conventions
static const double gravity_default_m_per_s2[3] = {0, 0, -9.81};

static NumberTarget scene_target(size_t offset) { return (NumberTarget){BIND_SCENE, 0, offset}; }

// [x, y, z], {unit_vector: {length}} or {point: {strength, centre}}
static void read_gravity(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"point", "unit_vector", NULL};
    static const char *const point_keys[] = {"strength", "centre", NULL};
    SceneDescription *scene = &reader->study->scene;
    for (int i = 0; i < 3; i++) scene->gravity_m_per_s2[i] = gravity_default_m_per_s2[i];
    if (node != NULL && node->kind == YAML_SCALAR && node->text[0] != '\0') {
        char found[128];
        node_describe(node, found, sizeof found);
        reader_error(reader, node, "expected a list of 3 numbers, such as [0, 0, %.60s], found %s: gravity is a vector",
                     node->text[0] == '-' || node->text[0] == '$' ? node->text : "-9.81", found);
        return;
    }
    if (node == NULL || node->kind != YAML_MAP || map_get(node, "unit_vector") != NULL) {
        read_vector_into(reader, node, 3, &RANGE_ANY, scene_target(offsetof(SceneDescription, gravity_m_per_s2)), NULL);
        return;
    }
    for (int i = 0; i < 3; i++) scene->gravity_m_per_s2[i] = 0;
    scene->has_point_gravity = 1;
    if (!map_check(reader, node, keys, NULL)) return;
    const YamlNode *point = map_require(reader, node, "point", "{strength, centre}");
    if (point == NULL || !map_check(reader, point, point_keys, NULL)) return;
    read_number_into(reader, map_require(reader, point, "strength", "a number >= 0, in m^3/s^2"), &RANGE_NON_NEGATIVE,
                     scene_target(offsetof(SceneDescription, gravity_strength_m3_per_s2)));
    read_vector_into(reader, map_get(point, "centre"), 3, &RANGE_ANY,
                     scene_target(offsetof(SceneDescription, gravity_centre_m)), NULL);
}

void read_scene(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"gravity", "compat", "contacts", "reduction", "materials", "pairs",
                                       "bodies",  "groups", "ignore",   "joints",    "forces",    NULL};
    static const char *const compat_words[] = {"none", "modia3d", NULL};
    static const char *const contacts_words[] = {"several", "single", NULL};
    SceneDescription *scene = &reader->study->scene;
    if (node == NULL || !map_check(reader, node, keys, NULL)) return;
    read_gravity(reader, map_get(node, "gravity"));
    scene->compat_modia3d = read_word(reader, map_get(node, "compat"), compat_words, NULL, 0);
    scene->single_contact = read_word(reader, map_get(node, "contacts"), contacts_words, NULL, 0);
    // The reference has one contact per pair of shapes; several would not be compatible with it.
    if (scene->compat_modia3d) scene->single_contact = 1;
    read_materials(reader, map_get(node, "materials"));
    read_pairs(reader, map_get(node, "pairs"));
    YamlNode *bodies = map_require(reader, node, "bodies", "a map of bodies");
    if (bodies == NULL) return;
    const uint32_t errors_before = reader->error_count;
    read_bodies(reader, bodies);
    read_groups(reader, map_get(node, "groups"), map_get(node, "ignore"));
    read_joints(reader, map_get(node, "joints"));
    read_forces(reader, map_get(node, "forces"));
    // Pairs of bodies with mistakes in them would only give errors that follow from others.
    if (reader->error_count == errors_before) {
        pairs_finish(reader, bodies);
        tessellations_check(reader);
        mesh_sizes_check(reader);
    }
}
