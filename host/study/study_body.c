// Bodies: names, poses, velocities, masses, and their shapes.
#include "study_internal.h"

#include "mass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static NumberTarget body_target(uint32_t body, size_t offset) { return (NumberTarget){BIND_BODY, body, offset}; }

// --- mass -----------------------------------------------------------------------------------------

// Positive definite, by its leading minors. i: xx, yy, zz, xy, xz, yz.
static bool inertia_is_positive(const double *i) {
    const double minor = i[0] * i[1] - i[3] * i[3];
    const double determinant =
        i[0] * (i[1] * i[2] - i[5] * i[5]) - i[3] * (i[3] * i[2] - i[5] * i[4]) + i[4] * (i[3] * i[5] - i[1] * i[4]);
    return i[0] > 0 && minor > 0 && determinant > 0;
}

// i: as above.
static bool inertia_is_possible(const double *i) {
    const double matrix[3][3] = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
    Vec3 moments;
    Quat frame;
    mass_principal(matrix, &moments, &frame);
    return mass_is_possible(moments);
}

static void read_inertia(Reader *reader, const YamlNode *node, uint32_t body) {
    static const char *const what = "a list of 3 numbers [xx, yy, zz] or of 6 [xx, yy, zz, xy, xz, yz]";
    const SceneBody *row = &reader->study->scene.bodies[body];
    bool is_constant = true, is_ok = true;
    if (node->kind != YAML_LIST || (node->child_count != 3 && node->child_count != 6)) {
        reader_expected(reader, node, what);
        return;
    }
    size_t offset = offsetof(SceneBody, inertia_kg_m2);
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next) {
        const Number number = read_number(reader, item, item->index < 3 ? &RANGE_POSITIVE : &RANGE_ANY);
        if (number.is_ok) number_place(reader, &number, body_target(body, offset));
        is_ok = is_ok && number.is_ok;
        is_constant = is_constant && number.parameter == NONE;
        offset += sizeof(double);
    }
    if (is_ok && is_constant && !inertia_is_positive(row->inertia_kg_m2))
        reader_error(reader, node, "expected a positive definite inertia, found one that is not");
    else if (is_ok && is_constant && !inertia_is_possible(row->inertia_kg_m2))
        reader_error(reader, node,
                     "expected an inertia that a body can have, found one of whose principal moments "
                     "one is greater than the sum of the others");
}

static void read_mass(Reader *reader, const YamlNode *node, uint32_t body) {
    static const char *const keys[] = {"mass", "com", "inertia", NULL};
    SceneBody *row = &reader->study->scene.bodies[body];
    const NumberTarget mass_target = body_target(body, offsetof(SceneBody, mass_kg));
    if (node == NULL) return;
    // A map is a distribution of the mass unless it speaks of mass properties.
    const bool is_given =
        map_get(node, "mass") != NULL || map_get(node, "inertia") != NULL || map_get(node, "com") != NULL;
    if (!is_given) {
        row->mass_kind = MASS_TOTAL;
        read_number_into(reader, node, &RANGE_POSITIVE, mass_target);
        return;
    }
    row->mass_kind = MASS_GIVEN;
    map_check(reader, node, keys, NULL);
    const YamlNode *inertia = map_require(reader, node, "inertia", "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    read_number_into(reader, map_require(reader, node, "mass", "a number > 0"), &RANGE_POSITIVE, mass_target);
    read_vector_into(reader, map_get(node, "com"), 3, &RANGE_ANY, body_target(body, offsetof(SceneBody, com_m)), NULL);
    if (inertia != NULL) read_inertia(reader, inertia, body);
}

#define DENSITY_LEAST 0.1    // kg/m3: air has ten times that
#define DENSITY_MOST 25000.0 // osmium has 22,600

// A mass in grams, sizes in millimetres: no material has such a density. Of numbers that vary their medians.
static void warn_of_density(Reader *reader, const YamlNode *node, const SceneBody *body) {
    const SceneDescription *scene = &reader->study->scene;
    double volume_m3 = 0;
    for (uint32_t i = 0; i < body->shape_count; i++) {
        const SceneShape *shape = &scene->shapes[body->shape_first + i];
        const bool is_of_points = shape->kind == SHAPE_HULL || shape->kind == SHAPE_MESH;
        if (is_of_points && shape->hull == NULL && shape->solid == NULL) return;
        volume_m3 += mass_of_shape(shape, 1).mass_kg;
    }
    const double density = body->mass_kg / volume_m3;
    if (!(volume_m3 > 0) || (density >= DENSITY_LEAST && density <= DENSITY_MOST)) return;
    reader_warn(reader, map_get(node, "mass"),
                "%.4g kg in %.4g m3 are %.3g kg/m3, as no material has; masses are in kg, lengths in m", body->mass_kg,
                volume_m3, density);
}

// --- motion ---------------------------------------------------------------------------------------

static void read_velocity(Reader *reader, const YamlNode *node, uint32_t body, size_t offset) {
    bool is_zero = true;
    const bool is_ok = read_vector_into(reader, node, 3, &RANGE_ANY, body_target(body, offset), &is_zero);
    if (is_ok && !is_zero && reader->study->scene.bodies[body].is_fixed)
        reader_error(reader, node, "expected no velocity on a fixed body, found one");
}

// --- a body ---------------------------------------------------------------------------------------

static bool has_density(const SceneDescription *scene, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        const uint32_t material = scene->shapes[i].material;
        if (material < scene->material_count && scene->materials[material].density_kg_per_m3 > 0) return true;
    }
    return false;
}

static void read_shapes(Reader *reader, const YamlNode *node, uint32_t body, const YamlNode *body_node) {
    SceneDescription *scene = &reader->study->scene;
    SceneBody *row = &scene->bodies[body];
    const MaterialChoice materials = read_material_choice(reader, body_node);
    row->shape_first = scene->shape_count;
    if (node == NULL || !list_check(reader, node, -1, "a list of shapes")) return;
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) {
        const uint32_t shape = scene->shape_count;
        if (!reader_grow(reader, (void **)&scene->shapes, &reader->shape_capacity, shape, sizeof *scene->shapes))
            return;
        scene->shape_count++;
        read_shape(reader, child, shape, body, &materials);
        mesh_parts_append(reader, shape, row);
        const bool is_weighed = !row->is_fixed && row->mass_kind != MASS_GIVEN;
        if (is_weighed && has_density(scene, shape, scene->shape_count)) mesh_check_mass(reader, child, shape);
        row->shape_count = scene->shape_count - row->shape_first;
    }
}

static void read_body(Reader *reader, const YamlNode *node, uint32_t body) {
    static const char *const keys[] = {
        "fixed",    "material", "contact_material", "shapes", "position",
        "rotation", "velocity", "angular_velocity", "mass",   "motion",
        "count",    "one_of",   "weights",          NULL}; // the last three have been dealt with: copies_expand
    static const char *const later[] = {"joint", "parent", NULL};
    const uint32_t errors_before = reader->error_count;
    SceneBody *row = &reader->study->scene.bodies[body];
    if (!is_identifier(node->key) || strlen(node->key) >= SCENE_NAME_BYTES)
        reader_error_key(reader, node->parent, &node->key_place,
                         "expected a name of letters, digits and _ (at most %d), found "
                         "\"%.*s\"",
                         SCENE_NAME_BYTES - 1, TEXT_CUT(node->key, 80));
    if (!map_check(reader, node, keys, later)) return;
    row->is_fixed = read_bool(reader, map_get(node, "fixed"), false);
    read_mass(reader, map_get(node, "mass"), body);
    read_shapes(reader, map_get(node, "shapes"), body, node);
    read_vector_into(reader, map_get(node, "position"), 3, &RANGE_ANY,
                     body_target(body, offsetof(SceneBody, position_m)), NULL);
    read_rotation(reader, map_get(node, "rotation"), body_target(body, offsetof(SceneBody, rotation)), &row->rotation);
    read_velocity(reader, map_get(node, "velocity"), body, offsetof(SceneBody, velocity_m_per_s));
    read_velocity(reader, map_get(node, "angular_velocity"), body, offsetof(SceneBody, angular_velocity_rad_per_s));
    read_body_motion(reader, map_get(node, "motion"), body);
    if (reader->error_count == errors_before && row->shape_count > 0 && !row->is_fixed &&
        row->mass_kind != MASS_GIVEN &&
        !has_density(&reader->study->scene, row->shape_first, row->shape_first + row->shape_count))
        reader_error(reader, node,
                     "expected a density > 0 of some shape, or mass: {mass, inertia}, on a free "
                     "body, found neither");
    const bool is_first = node->copy == NULL || node->copy->number < 2;
    if (reader->error_count == errors_before && row->mass_kind == MASS_TOTAL && !row->is_fixed && is_first)
        warn_of_density(reader, node, row);
    const YamlNode *shapes = map_get(node, "shapes");
    const bool is_reported = shapes != NULL && shapes->kind != YAML_LIST;
    if (!row->is_fixed && row->shape_count == 0 && row->mass_kind != MASS_GIVEN && !is_reported)
        reader_error(reader, node,
                     "expected shapes, or mass: {mass, inertia} on a free body without shapes, found "
                     "neither");
}

// A mistake in one of several copies is reported once: those after it are left out.
static void read_each_body(Reader *reader, const YamlNode *bodies) {
    const char *origin = NULL;
    uint32_t errors_before = reader->error_count, body = 0;
    for (const YamlNode *child = bodies->child_first; child != NULL; child = child->next, body++) {
        const char *own = child->copy != NULL ? child->copy->origin : NULL;
        if (own == NULL || own != origin) errors_before = reader->error_count;
        origin = own;
        const bool is_wrong = reader->error_count > errors_before;
        if (own != NULL && child->copy->number > 1 && is_wrong) continue;
        read_body(reader, child, body);
        copies_place(reader, child, body);
    }
}

void read_bodies(Reader *reader, YamlNode *node) {
    SceneDescription *scene = &reader->study->scene;
    if (node->kind != YAML_MAP || node->child_count == 0) {
        reader_expected(reader, node, "a map of at least one body");
        return;
    }
    YamlNode *root = node;
    while (root->parent != NULL) root = root->parent; // bounded by the depth of the tree
    const uint32_t errors_before = reader->error_count;
    copies_expand(reader, root, node);
    scene->bodies = calloc(node->child_count, sizeof *scene->bodies);
    if (scene->bodies == NULL) reader->is_out_of_memory = true;
    if (scene->bodies == NULL || // and shapes, of which there may be none
        !reader_grow(reader, (void **)&scene->shapes, &reader->shape_capacity, 0, sizeof *scene->shapes))
        return;
    scene->body_count = node->child_count;
    reader->bodies = node;
    uint32_t body = 0;
    for (YamlNode *child = node->child_first; child != NULL; child = child->next)
        snprintf(scene->bodies[body++].name, SCENE_NAME_BYTES, "%s", child->key);
    places_keep(reader, node);
    if (reader->error_count == errors_before) read_each_body(reader, node);
}
