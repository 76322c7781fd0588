// What quantities are about: states of bodies, what contacts and joints have, by their names.
#include "study_internal.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

// --- bodies ---------------------------------------------------------------------------------------

static uint32_t body_find(const Study *study, const char *name) {
    for (uint32_t i = 0; i < study->scene.body_count; i++)
        if (strcmp(study->scene.bodies[i].name, name) == 0) return i;
    return NONE;
}

static uint32_t body_expect(Reader *reader, const YamlNode *node, const char *name, BodyNames right) {
    const uint32_t body = body_find(reader->study, name);
    if (body == NONE) tell_unknown_body(reader, node, name, right);
    return body;
}

uint32_t read_body_name(Reader *reader, const YamlNode *node, BodyNames right) {
    const char *name =
        node != NULL
            ? read_text(reader, node, right == NAMES_OF_SETS ? "the name of a body or a group" : "the name of a body")
            : NULL;
    return name != NULL ? body_expect(reader, node, name, right) : NONE;
}

// --- observables ----------------------------------------------------------------------------------

typedef struct Observable {
    const char *name;
    const char *components; // letters after a dot; "" for none
    uint32_t watch;         // of the first component; of the size, which its components follow
    const char *unit;
    const char *size; // name of the size of a vector; NULL: it has none
} Observable;

static const Observable observables[] = {
    {"position", "xyz", WATCH_POSITION, "m", NULL},
    {"velocity", "xyz", WATCH_VELOCITY, "m/s", "speed"},
    {"angular_velocity", "xyz", WATCH_ANGULAR_VELOCITY, "rad/s", NULL},
    {"com_position", "xyz", WATCH_COM_POSITION, "m", NULL},
    {"orientation", "wxyz", WATCH_ORIENTATION, "1", NULL},
    {"speed", "", WATCH_SPEED, "m/s", NULL},
    {"kinetic_energy", "", WATCH_KINETIC_ENERGY, "J", NULL},
    {"penetration", "", WATCH_PENETRATION, "m", NULL},
    {"contact_force", "", WATCH_CONTACT_FORCE, "N", NULL},
    {"net_force", "xyz", WATCH_NET_FORCE, "N", "net_force"},
    {"overlap", "", WATCH_OVERLAP, "m", NULL},
    {"impulse", "", OBSERVABLE_IMPULSE, "N s", NULL},
};

// "position.z" -> WATCH_* and unit; NONE if it is none.
static uint32_t observable_find(const char *text, const char **out_unit) {
    const size_t length = strcspn(text, ".");
    for (size_t i = 0; i < sizeof observables / sizeof *observables; i++) {
        const Observable *row = &observables[i];
        if (strncmp(text, row->name, length) != 0 || row->name[length] != '\0') continue;
        const bool has_size = row->size != NULL && strcmp(row->size, row->name) == 0;
        *out_unit = row->unit;
        if (row->components[0] == '\0' || (has_size && text[length] == '\0'))
            return text[length] == '\0' ? row->watch : NONE;
        if (text[length] != '.' || strlen(text + length) != 2) return NONE;
        const char *component = strchr(row->components, text[length + 1]);
        const uint32_t first = has_size ? row->watch + 1 : row->watch;
        return component != NULL ? first + (uint32_t)(component - row->components) : NONE;
    }
    return NONE;
}

static const char *const observable_words =
    "<body>.position.x|y|z, .velocity, .angular_velocity, .com_position, .orientation.w|x|y|z, "
    ".speed, "
    ".kinetic_energy, .penetration, .overlap, .contact_force, .net_force, .net_force.x|y|z or .impulse, or "
    "<joint>.force, .moment, .tension, "
    ".length, "
    ".angle, .travel, .drive or .violation";

// "velocity", "velocity.q", "speed.x": a state that there is, with what it has after a dot. `text` is in the node's.
static void component_fail(Reader *reader, const YamlNode *node, const char *text) {
    const size_t length = strcspn(text, ".");
    const int body = (int)(text - node->text); // with its dot
    const Observable *row = observables;
    while (strncmp(text, row->name, length) != 0 || row->name[length] != '\0') row++; // the caller has found it
    const bool has_size = row->size != NULL;
    char list[64] = "";
    for (size_t i = 0; row->components[i] != '\0'; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s.%c",
                 i == 0                           ? ""
                 : row->components[i + 1] != '\0' ? ", "
                                                  : " or ",
                 row->components[i]);
    }
    if (list[0] == '\0')
        reader_error(reader, node, "expected \"%.*s%s\", which has no components, found \"%.*s\"", body, node->text,
                     row->name, TEXT_CUT(node->text, 120));
    else
        reader_error(reader, node, "expected %.*s%s%s%s%.*s%s, found \"%.*s\"", body, node->text, row->name, list,
                     has_size ? ", or " : "", has_size ? body : 0, node->text, has_size ? row->size : "",
                     TEXT_CUT(node->text, 120));
}

// "positon.z": the state that it may have meant, or all there are. `text` is in the node's.
static void observable_fail(Reader *reader, const YamlNode *node, const char *text) {
    enum { COUNT = sizeof observables / sizeof *observables };
    const char *names[COUNT + 1] = {NULL};
    char word[SCENE_NAME_BYTES];
    for (size_t i = 0; i < COUNT; i++) names[i] = observables[i].name;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "."), text);
    const char *nearest = word_nearest(word, names);
    if (nearest == NULL)
        reader_expected(reader, node, observable_words);
    else if (strcmp(nearest, word) != 0)
        reader_error(reader, node, "unknown state \"%.*s\", did you mean \"%s\"?", TEXT_CUT(word, 60), nearest);
    else
        component_fail(reader, node, text);
}

// "cable.tension": the joint of that name; NONE: there is none.
static uint32_t joint_find(const Study *study, const char *name) {
    for (uint32_t i = 0; i < study->scene.joint_count; i++)
        if (strcmp(study->scene.joints[i].name, name) == 0) return i;
    return NONE;
}

#define OF(kind) (1u << (kind))
#define OF_LINES (OF(JOINT_SPRING_DAMPER) | OF(JOINT_DISTANCE))
#define OF_ROTATIONS (OF(JOINT_REVOLUTE) | OF(JOINT_CYLINDRICAL))
#define OF_SLIDES (OF(JOINT_PRISMATIC) | OF(JOINT_CYLINDRICAL))
#define OF_MOMENTS_OF_CONSTRAINTS (OF(JOINT_FIXED) | OF_ROTATIONS | OF_SLIDES | OF(JOINT_UNIVERSAL))

// What joints of some kinds have.
static const struct {
    const char *name, *unit;
    uint32_t watch, kinds;
} joint_observables[] = {
    {"force", "N", WATCH_JOINT_FORCE, ~0u}, // and of forces on bodies
    {"tension", "N", WATCH_JOINT_TENSION, OF_LINES},
    {"length", "m", WATCH_JOINT_LENGTH, OF_LINES},
    {"moment", "N m", WATCH_JOINT_MOMENT, OF_MOMENTS_OF_CONSTRAINTS | OF(JOINT_LOAD)},
    {"angle", "rad", WATCH_JOINT_ANGLE, OF_ROTATIONS},
    {"travel", "m", WATCH_JOINT_TRAVEL, OF_SLIDES},
    {"violation", "m or rad", WATCH_JOINT_VIOLATION,
     OF_MOMENTS_OF_CONSTRAINTS | OF(JOINT_SPHERICAL) | OF(JOINT_DISTANCE)},
    {"drive", "N m", WATCH_JOINT_DRIVE, OF(JOINT_REVOLUTE)}, // of those with a `motion`
    {"drive", "N", WATCH_JOINT_DRIVE, OF_SLIDES},
};

static bool joint_has(const SceneJoint *joint, size_t observable) {
    if (joint_observables[observable].watch == WATCH_JOINT_DRIVE && joint->drive_count == 0) return false;
    return (joint_observables[observable].kinds & OF(joint->kind)) != 0;
}

static bool read_joint_observable(Reader *reader, const YamlNode *node, uint32_t joint, const char *text,
                                  Quantity *quantity) {
    enum { COUNT = sizeof joint_observables / sizeof *joint_observables };
    const SceneJoint *row = &reader->study->scene.joints[joint];
    char names[512] = "";
    size_t used = 0, left = 0;
    for (size_t i = 0; i < COUNT; i++) left += joint_has(row, i) ? 1u : 0u;
    for (size_t i = 0; i < COUNT; i++) {
        if (!joint_has(row, i)) continue;
        if (strcmp(text, joint_observables[i].name) == 0) {
            quantity->joint = joint;
            quantity->observable = joint_observables[i].watch;
            snprintf(quantity->unit, sizeof quantity->unit, "%s", joint_observables[i].unit);
            return true;
        }
        const char *after = --left > 1 ? ", " : left == 1 ? " or " : "";
        used += (size_t)snprintf(names + used, sizeof names - used, "%s.%s%s", row->name, joint_observables[i].name,
                                 after); // at most 6 names of up to 63 letters
    }
    reader_error(reader, node, "expected %s, found \"%.*s\"", names, TEXT_CUT(node->text, 120));
    return false;
}

static const char *const pair_words =
    "penetration, overlap, contact_force, net_force, net_force.x|y|z or impulse (beside between or materials)";

// The one of these that has more than a max.
const char *const net_force_words = "net_force or net_force.x|y|z (beside between or materials)";

// "ball.position.z", or beside `between` or `materials` only what contacts have: "contact_force".
bool read_observable(Reader *reader, const YamlNode *node, const YamlNode *pair, Quantity *quantity) {
    char name[SCENE_NAME_BYTES];
    const char *unit = NULL;
    const char *expected = pair == NULL                    ? observable_words
                           : strcmp(node->key, "max") == 0 ? pair_words
                                                           : net_force_words;
    const char *text = read_text(reader, node, expected);
    if (text == NULL) return false;
    if (pair != NULL) {
        quantity->observable = observable_find(text, &unit);
        if (quantity->observable == NONE || quantity->observable < WATCH_PENETRATION) {
            reader_expected(reader, node, expected);
            return false;
        }
        snprintf(quantity->unit, sizeof quantity->unit, "%s", unit);
        return read_pair_of(reader, pair->parent, quantity);
    }
    const size_t length = strcspn(text, ".");
    if (text[length] != '.' || length >= sizeof name) {
        reader_expected(reader, node, expected);
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    const uint32_t joint = joint_find(reader->study, name);
    if (joint != NONE) return read_joint_observable(reader, node, joint, text + length + 1, quantity);
    quantity->body = body_expect(reader, node, name, NAMES_OF_ONE);
    if (quantity->body == NONE) return false;
    quantity->observable = observable_find(text + length + 1, &unit);
    if (quantity->observable == NONE) {
        observable_fail(reader, node, text + length + 1);
        return false;
    }
    snprintf(quantity->unit, sizeof quantity->unit, "%s", unit);
    return true;
}

bool is_net_force(const Quantity *quantity) {
    return quantity->joint == NONE && quantity->observable != NONE && quantity->observable >= WATCH_NET_FORCE &&
           quantity->observable < OBSERVABLE_IMPULSE;
}

// Not of sets that share a shape: which of the two a force is on would not be known.
bool net_force_has_sides(Reader *reader, const YamlNode *pair, const Quantity *quantity) {
    const SceneDescription *scene = &reader->study->scene;
    if (quantity->sides == 0) return true;
    const uint32_t one = 1u << ((quantity->sides & 255u) - 1), other = 1u << ((quantity->sides >> 8) - 1);
    for (uint32_t s = 0; s < scene->shape_count; s++) {
        if ((scene->shapes[s].sides & one) == 0 || (scene->shapes[s].sides & other) == 0) continue;
        reader_error(reader, pair, "expected two sides without a common shape, since a net force is on the second");
        return false;
    }
    return true;
}

// What is watched is no state.
void state_fail(Reader *reader, const YamlNode *node, const Quantity *quantity) {
    if (quantity->joint != NONE)
        reader_error(
            reader, node,
            "expected a position or a velocity, found \"%s\": joints have a min, a max, a mean and a value at a time",
            node->text);
    else if (is_net_force(quantity))
        reader_error(
            reader, node,
            "expected a position or a velocity, found \"%s\": a net force has a min, a max, a mean and a value "
            "at a time",
            node->text);
    else
        reader_error(reader, node, "expected a position or a velocity, found \"%s\": %s has a max only", node->text,
                     strrchr(node->text, '.') + 1);
}

// A state rather than what contacts have.
bool read_state(Reader *reader, const YamlNode *node, Quantity *quantity) {
    if (!read_observable(reader, node, NULL, quantity)) return false;
    if (quantity->observable < WATCH_PENETRATION) return true;
    state_fail(reader, node, quantity);
    return false;
}
