// Which pairs a quantity is about: two bodies, sets of bodies, or materials. A side that is no single body is a bit of
// all shapes that belong to it, which kernels see as well.
#include "study_internal.h"

#include <stdio.h>
#include <string.h>

// The first body of a shape's side, for what belongs to a body: gates by time.
static uint32_t body_of_shape(const SceneDescription *scene, uint32_t shape) {
    uint32_t body = 0;
    while (shape >= scene->bodies[body].shape_first + scene->bodies[body].shape_count) body++;
    return body;
}

// --- members ---------------------------------------------------------------------------------------

// Marks what belongs to the name: a body, bodies that the study writes as one, or a group. How many bodies there are.
static uint32_t mark_bodies(Reader *reader, const char *name, bool *is_member) {
    const SceneDescription *scene = &reader->study->scene;
    uint32_t count = 0;
    for (uint32_t b = 0; b < scene->body_count; b++) {
        if (!body_goes_by(reader, b, name)) continue;
        for (uint32_t s = 0; s < scene->bodies[b].shape_count; s++) is_member[scene->bodies[b].shape_first + s] = true;
        count++;
    }
    const YamlNode *group = map_get(reader->groups, name);
    for (const YamlNode *member = group != NULL ? group->child_first : NULL; member != NULL; member = member->next)
        if (member->kind == YAML_SCALAR) count += mark_bodies(reader, member->text, is_member);
    return count;
}

// The bit of these shapes, from 1; 0 where there is none left.
static uint32_t side_number(Reader *reader, const YamlNode *node, const bool *is_member) {
    SceneDescription *scene = &reader->study->scene;
    for (uint32_t side = 0; side < reader->side_count; side++) {
        bool is_same = true;
        for (uint32_t s = 0; s < scene->shape_count; s++)
            is_same &= (scene->shapes[s].sides >> side & 1u) == is_member[s];
        if (is_same) return side + 1;
    }
    if (reader->side_count == SHAPE_SIDES_MAX) {
        reader_error(reader, node, "expected at most %u different sets of bodies and materials in all quantities",
                     SHAPE_SIDES_MAX);
        return 0;
    }
    for (uint32_t s = 0; s < scene->shape_count; s++)
        scene->shapes[s].sides |= (uint32_t)is_member[s] << reader->side_count;
    return ++reader->side_count;
}

static bool *members_make(Reader *reader) {
    return reader_take(reader, ((size_t)reader->study->scene.shape_count + 1) * sizeof(bool));
}

// --- pairs --------------------------------------------------------------------------------------------

static bool pair_finish(Reader *reader, const YamlNode *node, const bool *one, const bool *other, Quantity *quantity) {
    const SceneDescription *scene = &reader->study->scene;
    const uint32_t a = side_number(reader, node->child_first, one), b = side_number(reader, node->child_last, other);
    uint32_t shape = 0;
    while (shape < scene->shape_count && !one[shape]) shape++;
    if (a == 0 || b == 0 || shape == scene->shape_count) return false;
    quantity->sides = SIDES_OF(a, b);
    quantity->gate_body = body_of_shape(scene, shape);
    return true;
}

static bool read_two_bodies(Reader *reader, const YamlNode *between, Quantity *quantity) {
    quantity->body = read_body_name(reader, between->child_first, NAMES_OF_SETS);
    quantity->body_other = read_body_name(reader, between->child_last, NAMES_OF_SETS);
    quantity->gate_body = quantity->body;
    if (quantity->body != NONE && quantity->body == quantity->body_other)
        reader_error(reader, between, "expected 2 different bodies, found \"%s\" twice", between->child_first->text);
    return quantity->body != NONE && quantity->body_other != NONE && quantity->body != quantity->body_other;
}

static bool is_set(Reader *reader, const YamlNode *node) {
    const SceneDescription *scene = &reader->study->scene;
    if (node->kind != YAML_SCALAR) return false;
    for (uint32_t b = 0; b < scene->body_count; b++)
        if (strcmp(scene->bodies[b].name, node->text) == 0) return false;
    bool *members = members_make(reader);
    return members != NULL && mark_bodies(reader, node->text, members) > 0;
}

bool read_between(Reader *reader, const YamlNode *between, Quantity *quantity) {
    if (!list_check(reader, between, 2, "a list of 2 bodies")) return false;
    const YamlNode *first = between->child_first, *last = between->child_last;
    if (!is_set(reader, first) && !is_set(reader, last)) return read_two_bodies(reader, between, quantity);
    bool *one = members_make(reader), *other = members_make(reader);
    if (one == NULL || other == NULL) return false;
    if (mark_bodies(reader, first->kind == YAML_SCALAR ? first->text : "", one) == 0)
        read_body_name(reader, first, NAMES_OF_SETS);
    if (mark_bodies(reader, last->kind == YAML_SCALAR ? last->text : "", other) == 0)
        read_body_name(reader, last, NAMES_OF_SETS);
    if (first->kind != YAML_SCALAR || last->kind != YAML_SCALAR) return false;
    snprintf(quantity->sides_text, sizeof quantity->sides_text, " of %.60s and %.60s", first->text, last->text);
    return pair_finish(reader, between, one, other, quantity);
}

static bool *read_material_side(Reader *reader, const YamlNode *node) {
    const SceneDescription *scene = &reader->study->scene;
    const uint32_t entry = read_material_name(reader, node);
    bool *members = members_make(reader), is_there = false;
    for (uint32_t s = 0; entry != NONE && members != NULL && s < scene->shape_count; s++) {
        members[s] = scene->shapes[s].contact_material == reader->materials[entry].scene_index;
        is_there |= members[s];
    }
    if (entry != NONE && !is_there)
        reader_error(reader, node, "expected a material of some shape, found \"%s\", of which none is", node->text);
    return is_there ? members : NULL;
}

bool read_materials_between(Reader *reader, const YamlNode *materials, Quantity *quantity) {
    if (!list_check(reader, materials, 2, "a list of 2 materials")) return false;
    bool *one = read_material_side(reader, materials->child_first),
         *other = read_material_side(reader, materials->child_last);
    if (one == NULL || other == NULL) return false;
    snprintf(quantity->sides_text, sizeof quantity->sides_text, " of %.60s and %.60s", materials->child_first->text,
             materials->child_last->text);
    return pair_finish(reader, materials, one, other, quantity);
}

bool read_pair_of(Reader *reader, const YamlNode *node, Quantity *quantity) {
    const YamlNode *between = map_get(node, "between"), *materials = map_get(node, "materials");
    if (between != NULL && materials != NULL) {
        reader_error(reader, materials, "expected \"between\" or \"materials\", found both");
        return false;
    }
    return between != NULL ? read_between(reader, between, quantity)
                           : read_materials_between(reader, materials, quantity);
}

void partners_print(const Study *study, const Quantity *quantity, char *out, size_t out_bytes) {
    const SceneBody *bodies = study->scene.bodies;
    if (quantity->sides != 0)
        snprintf(out, out_bytes, "%s", quantity->sides_text);
    else if (quantity->body == NONE)
        out[0] = '\0';
    else if (quantity->body_other == NONE)
        snprintf(out, out_bytes, " of %s", bodies[quantity->body].name);
    else
        snprintf(out, out_bytes, " of %s and %s", bodies[quantity->body].name, bodies[quantity->body_other].name);
}
