// Shapes of a body, their poses and materials.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hull.h"
#include "superquadric_shape.h"

// --- rotations ------------------------------------------------------------------------------------

// A quaternion or an axis must have a direction.
static void read_direction(Reader *reader, const YamlNode *node, int count, NumberTarget target, const char *what) {
    bool is_zero = false;
    if (read_vector_into(reader, node, count, &RANGE_ANY, target, &is_zero) && is_zero)
        reader_error(reader, node, "expected %s that is not 0, found all zeros", what);
}

void read_rotation(Reader *reader, const YamlNode *node, NumberTarget target, SceneRotation *rotation) {
    static const char *const keys[] = {"quaternion", "cardan", "axis", "angle", "random", NULL};
    static const char *const kinds[] = {"quaternion", "cardan", "axis", "random", NULL};
    if (node == NULL) return;
    const YamlNode *kind = map_choose(reader, node, keys, kinds, NULL, "rotation");
    if (kind == NULL) return;
    target.offset += offsetof(SceneRotation, value);
    const bool is_axis = strcmp(kind->key, "axis") == 0;
    const YamlNode *angle = is_axis ? map_require(reader, node, "angle", "radians") : NULL;
    if (!is_axis && map_get(node, "angle") != NULL)
        reader_error(reader, map_get(node, "angle"), "expected \"angle\" with \"axis\" only, found \"%s\"", kind->key);
    if (strcmp(kind->key, "quaternion") == 0) {
        rotation->kind = ROTATION_QUATERNION;
        read_direction(reader, kind, 4, target, "a quaternion [w, x, y, z]");
    } else if (strcmp(kind->key, "random") == 0) {
        rotation->kind = ROTATION_QUATERNION;
        read_random_rotation(reader, kind, target);
    } else if (strcmp(kind->key, "cardan") == 0) {
        rotation->kind = ROTATION_CARDAN;
        if (kind->kind != YAML_LIST || kind->child_count != 3) { // a unit vector, or a mistake
            read_vector_into(reader, kind, 3, &RANGE_ANY, target, NULL);
            return;
        }
        for (const YamlNode *item = kind->child_first; item != NULL; item = item->next) {
            read_angle_into(reader, item, target);
            target.offset += sizeof(double);
        }
    } else {
        rotation->kind = ROTATION_AXIS_ANGLE;
        read_direction(reader, kind, 3, target, "an axis");
        target.offset += 3 * sizeof(double);
        read_angle_into(reader, angle, target);
    }
}

// --- kinds ----------------------------------------------------------------------------------------

static NumberTarget size_target(uint32_t shape, int component) {
    return (NumberTarget){BIND_SHAPE, shape, offsetof(SceneShape, size_m) + (size_t)component * sizeof(double)};
}

static void read_sphere(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"diameter", NULL};
    if (!map_check(reader, node, keys, NULL)) return;
    read_number_into(reader, map_require(reader, node, "diameter", "a number > 0"), &RANGE_POSITIVE,
                     size_target(shape, 0));
}

// Quasi-rigid bodies need contacts whose points move smoothly with them: those of rounded edges.
static const NumberRange *smoothing_range(const Reader *reader) {
    static const NumberRange rounded = {0, INFINITY, true, true, "a number > 0 with method: quasi_rigid"};
    return reader->study->scene.method == METHOD_QUASI_RIGID ? &rounded : &RANGE_NON_NEGATIVE;
}

static void read_box(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"lengths", "smoothing", NULL};
    static const char *const what = "a list of 3 numbers > 0";
    if (!map_check(reader, node, keys, NULL)) return;
    const YamlNode *lengths = map_require(reader, node, "lengths", what);
    const YamlNode *smoothing = map_get(node, "smoothing");
    double smallest = INFINITY;
    if (lengths != NULL && list_check(reader, lengths, 3, what))
        for (const YamlNode *item = lengths->child_first; item != NULL; item = item->next) {
            const Number length = read_number(reader, item, &RANGE_POSITIVE);
            if (!length.is_ok) continue;
            number_place(reader, &length, size_target(shape, (int)item->index));
            smallest = fmin(smallest, length.low);
        }
    if (smoothing == NULL) return;
    const Number radius = read_number(reader, smoothing, smoothing_range(reader));
    if (!radius.is_ok) return;
    if (!radius.is_derived && !(radius.high <= 0.5 * smallest))
        reader_error(reader, smoothing, "expected a number <= half the smallest length (%g), found one as high as %g",
                     0.5 * smallest, radius.high);
    number_place(reader, &radius, (NumberTarget){BIND_SHAPE, shape, offsetof(SceneShape, smoothing_m)});
}

// A shape's word for one of its lengths; `low`, `high`: what it may be, where that could be read.
typedef struct Length {
    const YamlNode *node;
    double low, high;
    bool is_ok, is_derived;
} Length;

static Length read_length(Reader *reader, const YamlNode *node, const NumberRange *range, uint32_t shape,
                          int component) {
    Length length = {.node = node};
    if (node == NULL) return length;
    const Number number = read_number(reader, node, range);
    length.is_ok = number.is_ok;
    length.is_derived = number.is_derived;
    length.low = number.low;
    length.high = number.high;
    if (number.is_ok) number_place(reader, &number, size_target(shape, component));
    return length;
}

static Length require_length(Reader *reader, const YamlNode *map, const char *key, uint32_t shape, int component) {
    return read_length(reader, map_require(reader, map, key, "a number > 0"), &RANGE_POSITIVE, shape, component);
}

// The smoothing ball has to fit into the shape: `largest` for the smallest sizes there can be.
static void read_smoothing(Reader *reader, const YamlNode *map, uint32_t shape, double largest, const char *what) {
    const YamlNode *node = map_get(map, "smoothing");
    if (node == NULL) return;
    const Number radius = read_number(reader, node, smoothing_range(reader));
    if (!radius.is_ok) return;
    if (!radius.is_derived && !(radius.high <= largest)) // sampling checks what is derived
        reader_error(reader, node, "expected a number <= %s (%g), found one as high as %g", what, largest, radius.high);
    number_place(reader, &radius, (NumberTarget){BIND_SHAPE, shape, offsetof(SceneShape, smoothing_m)});
}

// An inner diameter or that of a frustum's top, which has to stay below the outer or the base's.
static Length read_lesser(Reader *reader, const YamlNode *map, const char *key, const Length *outer, uint32_t shape) {
    const Length lesser = read_length(reader, map_get(map, key), &RANGE_NON_NEGATIVE, shape, 2);
    const bool is_derived = lesser.is_derived || outer->is_derived; // checked when sampled
    if (lesser.is_ok && outer->is_ok && !is_derived && !(lesser.high < outer->low))
        reader_error(reader, lesser.node, "expected a number < diameter (%g), found one as high as %g", outer->low,
                     lesser.high);
    return lesser;
}

static void read_axis(Reader *reader, const YamlNode *map, uint32_t shape) {
    static const char *const axes[] = {"x", "y", "z", NULL};
    reader->study->scene.shapes[shape].axis = read_word(reader, map_get(map, "axis"), axes, NULL, 2);
}

static void read_ellipsoid(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"lengths", NULL};
    static const char *const what = "a list of 3 numbers > 0";
    if (!map_check(reader, node, keys, NULL)) return;
    const YamlNode *lengths = map_require(reader, node, "lengths", what);
    if (lengths == NULL || !list_check(reader, lengths, 3, what)) return;
    for (const YamlNode *item = lengths->child_first; item != NULL; item = item->next)
        read_length(reader, item, &RANGE_POSITIVE, shape, (int)item->index);
}

// One number for both, or [across, along].
static void read_superquadric(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"lengths", "exponents", NULL};
    static const char *const what = "a list of 3 numbers > 0";
    static const char *const exponents_what = "a number from 2 to 8 or a list of 2 of them";
    static const NumberRange range = {SUPERQUADRIC_EXPONENT_LEAST, SUPERQUADRIC_EXPONENT_MOST, false, false,
                                      "a number from 2 to 8"};
    if (!map_check(reader, node, keys, NULL)) return;
    const YamlNode *lengths = map_require(reader, node, "lengths", what);
    if (lengths != NULL && list_check(reader, lengths, 3, what))
        for (const YamlNode *item = lengths->child_first; item != NULL; item = item->next)
            read_length(reader, item, &RANGE_POSITIVE, shape, (int)item->index);
    const YamlNode *exponents = map_require(reader, node, "exponents", exponents_what);
    NumberTarget target = {BIND_SHAPE, shape, offsetof(SceneShape, exponents)};
    if (exponents == NULL) return;
    if (exponents->kind != YAML_LIST)
        read_number_into(reader, exponents, &range, target);
    else if (list_check(reader, exponents, 2, exponents_what))
        read_vector_into(reader, exponents, 2, &range, target, NULL);
}

static void read_cylinder(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"diameter", "length", "axis", "inner_diameter", "smoothing", NULL};
    if (!map_check(reader, node, keys, NULL)) return;
    const Length diameter = require_length(reader, node, "diameter", shape, 0);
    const Length length = require_length(reader, node, "length", shape, 1);
    read_lesser(reader, node, "inner_diameter", &diameter, shape);
    read_axis(reader, node, shape);
    const double smallest = fmin(diameter.is_ok ? diameter.low : INFINITY, length.is_ok ? length.low : INFINITY);
    read_smoothing(reader, node, shape, 0.5 * smallest, "half the smaller of diameter and length");
}

// Radius of the greatest ball inside; it grows with every size.
static double cone_inner_radius(double radius, double length, double top) {
    const double taper = radius - top;
    return fmin(0.5 * length, radius * length / (sqrt(taper * taper + length * length) + taper));
}

static void read_cone(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"diameter", "length", "top_diameter", "axis", "smoothing", NULL};
    if (!map_check(reader, node, keys, NULL)) return;
    const Length diameter = require_length(reader, node, "diameter", shape, 0);
    const Length length = require_length(reader, node, "length", shape, 1);
    const Length top = read_lesser(reader, node, "top_diameter", &diameter, shape);
    read_axis(reader, node, shape);
    double largest = INFINITY;
    if (diameter.is_ok && length.is_ok) largest = cone_inner_radius(0.5 * diameter.low, length.low, 0.5 * top.low);
    read_smoothing(reader, node, shape, largest, "the radius of the greatest ball inside");
}

static void read_beam(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"length", "width", "thickness", "axis", "smoothing", NULL};
    if (!map_check(reader, node, keys, NULL)) return;
    require_length(reader, node, "length", shape, 0);
    const Length width = require_length(reader, node, "width", shape, 1);
    const Length thickness = require_length(reader, node, "thickness", shape, 2);
    read_axis(reader, node, shape);
    const double smallest = fmin(width.is_ok ? width.low : INFINITY, thickness.is_ok ? thickness.low : INFINITY);
    read_smoothing(reader, node, shape, 0.5 * smallest, "half the smaller of width and thickness");
}

static void read_capsule(Reader *reader, const YamlNode *node, uint32_t shape) {
    static const char *const keys[] = {"diameter", "length", "axis", NULL};
    if (!map_check(reader, node, keys, NULL)) return;
    require_length(reader, node, "diameter", shape, 0);
    require_length(reader, node, "length", shape, 1);
    read_axis(reader, node, shape);
}

static void read_half_space(Reader *reader, const YamlNode *node, uint32_t shape, uint32_t body) {
    static const char *const keys[] = {"normal", "offset", NULL};
    SceneDescription *scene = &reader->study->scene;
    scene->shapes[shape].size_m[2] = 1; // the default normal is z
    if (!scene->bodies[body].is_fixed)
        reader_error(reader, node, "expected a half_space on a fixed body only, found \"%s\", which is free",
                     scene->bodies[body].name);
    if (!map_check(reader, node, keys, NULL)) return;
    const YamlNode *normal = map_get(node, "normal");
    if (normal != NULL) read_direction(reader, normal, 3, size_target(shape, 0), "a normal");
    read_number_into(reader, map_get(node, "offset"), &RANGE_ANY, size_target(shape, 3));
}

// --- a shape --------------------------------------------------------------------------------------

MaterialChoice read_material_choice(Reader *reader, const YamlNode *node) {
    const YamlNode *solid = map_get(node, "material"), *contact = map_get(node, "contact_material");
    return (MaterialChoice){
        .has_solid = solid != NULL,
        .has_contact = contact != NULL,
        .solid = solid != NULL ? read_material_name(reader, solid) : NONE,
        .contact = contact != NULL ? read_material_name(reader, contact) : NONE,
    };
}

// The shape's own material or else the body's; the same for the contact material. A solid material
// on the shape does not displace a contact material on the body: what a shape is made of and what it
// touches with are two questions.
static void read_shape_materials(Reader *reader, const YamlNode *node, SceneShape *shape, const MaterialChoice *body,
                                 bool needs_density) {
    MaterialChoice choice = read_material_choice(reader, node);
    if (!choice.has_solid) {
        choice.has_solid = body->has_solid;
        choice.solid = body->solid;
    }
    if (!choice.has_contact) {
        choice.has_contact = body->has_contact;
        choice.contact = body->contact;
    }
    if (!choice.has_solid && (!choice.has_contact || needs_density)) {
        reader_error(reader, node, "expected the key \"material\" here or on the body, found none");
        return;
    }
    if (!choice.has_solid) choice.solid = choice.contact;
    if (!choice.has_contact) choice.contact = choice.solid;
    if (choice.solid == NONE || choice.contact == NONE) return; // reported where the name stands
    shape->material = material_use(reader, choice.solid);
    shape->contact_material = material_use(reader, choice.contact);
}

// Every kind but the half-space.
static void read_solid(Reader *reader, const YamlNode *kind, uint32_t shape) {
    static const struct {
        const char *key;
        uint32_t kind;
        void (*read)(Reader *reader, const YamlNode *node, uint32_t shape);
    } solids[] = {{"sphere", SHAPE_SPHERE, read_sphere},
                  {"box", SHAPE_BOX, read_box},
                  {"capsule", SHAPE_CAPSULE, read_capsule},
                  {"ellipsoid", SHAPE_ELLIPSOID, read_ellipsoid},
                  {"superquadric", SHAPE_SUPERQUADRIC, read_superquadric},
                  {"cylinder", SHAPE_CYLINDER, read_cylinder},
                  {"cone", SHAPE_CONE, read_cone},
                  {"beam", SHAPE_BEAM, read_beam},
                  {"hull", SHAPE_HULL, read_hull},
                  {"mesh", SHAPE_HULL, read_mesh}};
    for (size_t k = 0; k < sizeof solids / sizeof solids[0]; k++) {
        if (strcmp(kind->key, solids[k].key) != 0) continue;
        reader->study->scene.shapes[shape].kind = solids[k].kind;
        solids[k].read(reader, kind, shape);
    }
}

// Of hulls all points of a face too.
static void check_quasi_rigid_hulls(Reader *reader, const YamlNode *kind, const SceneShape *shape) {
    if (reader->study->scene.method != METHOD_QUASI_RIGID) return;
    const MeshParts *parts = reader->parts;
    const uint32_t count = parts != NULL ? parts->count : shape->hull != NULL ? 1 : 0;
    bool is_sharp = false;
    for (uint32_t i = 0; i < count; i++) {
        const SceneHull *hull = parts != NULL ? parts->hulls[i] : shape->hull;
        is_sharp = is_sharp || hull->smoothing_m == 0;
        if (hull->vertex_count > MANIFOLD_HULL_MAX)
            reader_error(reader, kind, "expected at most %u vertices of a hull with method: quasi_rigid, found %u",
                         MANIFOLD_HULL_MAX, hull->vertex_count);
    }
    const YamlNode *smoothing = map_get(kind, "smoothing");
    if (is_sharp && smoothing != NULL)
        reader_error(reader, smoothing, "expected a number > 0 with method: quasi_rigid, found 0");
}

// A number, or "local": that of the place where the shape touches.
static void read_contact_radius(Reader *reader, const YamlNode *node, uint32_t shape_index) {
    static const NumberRange range = {0, INFINITY, true, true, "local or a number > 0"};
    SceneShape *shape = &reader->study->scene.shapes[shape_index];
    if (node == NULL) return;
    if (node->kind != YAML_SCALAR || strcmp(node->text, "local") != 0) {
        read_number_into(reader, node, &range,
                         (NumberTarget){BIND_SHAPE, shape_index, offsetof(SceneShape, contact_radius_m)});
        return;
    }
    shape->has_local_radius = 1;
    if (reader->study->scene.compat_modia3d)
        reader_error(reader, node, "expected a number > 0 with compat: modia3d, found \"local\"");
}

void read_shape(Reader *reader, const YamlNode *node, uint32_t shape_index, uint32_t body,
                const MaterialChoice *body_materials) {
    static const char *const keys[] = {"sphere",         "box",       "capsule",  "half_space", "ellipsoid",
                                       "superquadric",   "cylinder",  "cone",     "beam",       "hull",
                                       "mesh",           "position",  "rotation", "material",   "contact_material",
                                       "contact_radius", "mesh_size", NULL};
    static const char *const kinds[] = {"sphere",   "box",  "capsule", "half_space", "ellipsoid", "superquadric",
                                        "cylinder", "cone", "beam",    "hull",       "mesh",      NULL};
    static const char *const later[] = {"convex", "file", NULL};
    const SceneBody *owner = &reader->study->scene.bodies[body];
    SceneShape *shape = &reader->study->scene.shapes[shape_index];
    *shape = (SceneShape){.axis = 2, .smoothing_m = -1};
    const YamlNode *kind = map_choose(reader, node, keys, kinds, later, "kind of shape");
    if (node->kind != YAML_MAP) return;
    if (kind != NULL && strcmp(kind->key, "half_space") == 0) {
        shape->kind = SHAPE_HALF_SPACE;
        read_half_space(reader, kind, shape_index, body);
    } else if (kind != NULL) {
        read_solid(reader, kind, shape_index);
        check_quasi_rigid_hulls(reader, kind, shape);
    }
    read_vector_into(reader, map_get(node, "position"), 3, &RANGE_ANY,
                     (NumberTarget){BIND_SHAPE, shape_index, offsetof(SceneShape, position_m)}, NULL);
    read_rotation(reader, map_get(node, "rotation"),
                  (NumberTarget){BIND_SHAPE, shape_index, offsetof(SceneShape, rotation)}, &shape->rotation);
    read_contact_radius(reader, map_get(node, "contact_radius"), shape_index);
    if (kind != NULL) read_mesh_size(reader, map_get(node, "mesh_size"), kind->key, shape_index);
    read_shape_materials(reader, node, shape, body_materials, !owner->is_fixed && owner->mass_kind == MASS_FROM_SHAPES);
}
