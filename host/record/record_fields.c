// The field table: what an ensemble file holds of each scene (its rows are in scene_fields.h), event, contact and
// frame. A new field is a row.
#include "record_internal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "scene_fields.h"

static void put_vector(double *out, const Vec3 *vector) {
    out[0] = vector->x;
    out[1] = vector->y;
    out[2] = vector->z;
}

static void put_values(double *out, const double *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) out[i] = values[i];
}

static double index_or_none(u32 index) { return index == NONE ? -1.0 : (double)index; }

// FIELD(name, shape, type, unit, sentence, statement that takes `row` and fills `out`)
#define RECORD_FIELD_LIST(FIELD)                                                                                       \
    FIELD(scene_number, EVENT, I32, "1", "Number of the scene, as in the root's `scene`.",                             \
          out[0] = (double)row->scene_number)                                                                          \
    FIELD(time, EVENT, F64, "s", "Time of the event.", out[0] = row->event->time_s)                                    \
    FIELD(kind, EVENT, U8, "1", "What happened.", out[0] = row->event->kind)                                           \
    FIELD(body_a, EVENT, I32, "1", "The body with the lower number.", out[0] = index_or_none(row->event->body_a))      \
    FIELD(body_b, EVENT, I32, "1", "The other body; the same for rest and wake.",                                      \
          out[0] = index_or_none(row->event->body_b))                                                                  \
    FIELD(shape_a, EVENT, I32, "1", "Shape of body_a within the scene; -1 for rest and wake.",                         \
          out[0] = index_or_none(row->event->shape_a))                                                                 \
    FIELD(shape_b, EVENT, I32, "1", "Shape of body_b within the scene; -1 for rest and wake.",                         \
          out[0] = index_or_none(row->event->shape_b))                                                                 \
    FIELD(feature, EVENT, I32, "1", "Which of the contacts of the two shapes.",                                        \
          out[0] = index_or_none(row->event->feature))                                                                 \
    FIELD(speed, EVENT, F64, "m/s", "Closing speed (begin) or separation speed (end).",                                \
          out[0] = row->event->speed_m_per_s)                                                                          \
    FIELD(energy_lost, EVENT, F64, "J", "Energy lost over the contact (end).", out[0] = row->event->energy_lost_J)     \
    FIELD(distance, EVENT, F64, "m", "Signed distance of the shapes (begin).",                                         \
          out[0] = stepper_event_distance_m(row->event))                                                               \
    FIELD(stiffness, EVENT, F64, "N/m^1.5", "K of the force K penetration^1.5; k, N/m, of a linear law (begin).",      \
          out[0] = stepper_event_law_number(row->event, row->event->stiffness))                                        \
    FIELD(damping, EVENT, F64, "s/m",                                                                                  \
          "d of the factor 1 + d times the closing speed; c, N s/m, of a linear law (begin).",                         \
          out[0] = stepper_event_law_number(row->event, row->event->damping))                                          \
    FIELD(impulse, EVENT_XYZ, F64, "N s", "Impulse on body_b over the contact (end).",                                 \
          put_vector(out, &row->event->impulse_N_s))                                                                   \
    FIELD(position, EVENT_XYZ, F64, "m", "Contact point; centre of mass for rest and wake.",                           \
          put_vector(out, &row->event->position_m))                                                                    \
    FIELD(normal, EVENT_XYZ, F64, "1", "Unit normal from body_a to body_b; 0 for rest and wake.",                      \
          put_vector(out, &row->event->normal))                                                                        \
    FIELD(scene_number, CONTACT, I32, "1", "Number of the scene, as in the root's `scene`.",                           \
          out[0] = (double)row->scene_number)                                                                          \
    FIELD(time, CONTACT, F64, "s", "Time of the recording.", out[0] = row->contact->time_s)                            \
    FIELD(body_a, CONTACT, I32, "1", "The body with the lower number.", out[0] = row->contact->body_a)                 \
    FIELD(body_b, CONTACT, I32, "1", "The other body.", out[0] = row->contact->body_b)                                 \
    FIELD(shape_a, CONTACT, I32, "1", "Shape of body_a within the scene.", out[0] = row->contact->shape_a)             \
    FIELD(shape_b, CONTACT, I32, "1", "Shape of body_b within the scene.", out[0] = row->contact->shape_b)             \
    FIELD(feature, CONTACT, I32, "1", "Which of the contacts of the two shapes.", out[0] = row->contact->feature)      \
    FIELD(penetration, CONTACT, F64, "m", "Depth of the overlap along the normal.",                                    \
          out[0] = row->contact->penetration_m)                                                                        \
    FIELD(normal_force, CONTACT, F64, "N", "Force that pushes the bodies apart.", out[0] = row->contact->normal_N)     \
    FIELD(tangential_force, CONTACT_XYZ, F64, "N", "Friction on body_b, world axes.",                                  \
          put_vector(out, &row->contact->tangential_N))                                                                \
    FIELD(torque, CONTACT_XYZ, F64, "N m",                                                                             \
          "Rolling resistance on body_b: torque about the contact point, world axes.",                                 \
          put_vector(out, &row->contact->torque_N_m))                                                                  \
    FIELD(point, CONTACT_XYZ, F64, "m", "Contact point.", put_vector(out, &row->contact->point_m))                     \
    FIELD(normal, CONTACT_XYZ, F64, "1", "Unit normal from body_a to body_b.", put_vector(out, &row->contact->normal)) \
    FIELD(area, REGION, F64, "m2", "Area of the contact region across its normal.", out[0] = row->contact->area_m2)    \
    FIELD(scene_number, JOINT, I32, "1", "Number of the scene, as in the root's `scene`.",                             \
          out[0] = (double)row->scene_number)                                                                          \
    FIELD(time, JOINT, F64, "s", "Time of the recording.", out[0] = row->contact->time_s)                              \
    FIELD(joint, JOINT, I32, "1", "Which joint, or force over time.", out[0] = row->contact->feature)                  \
    FIELD(force, JOINT_XYZ, F64, "N", "Force on the second body, of a force over time on `body`, world axes.",         \
          put_vector(out, &row->contact->tangential_N))                                                                \
    FIELD(moment, JOINT_XYZ, F64, "N m", "Moment on that body about the point, world axes.",                           \
          put_vector(out, &row->contact->torque_N_m))                                                                  \
    FIELD(point, JOINT_XYZ, F64, "m", "Where the force acts on that body.", put_vector(out, &row->contact->point_m))   \
    FIELD(coordinate, JOINT, F64, "m or rad",                                                                          \
          "Length of a spring, rope or rod; angle of a revolute or cylindrical joint; travel of a prismatic one.",     \
          out[0] = row->contact->penetration_m)                                                                        \
    FIELD(violation, JOINT, F64, "m or rad", "Largest violation of its equations.", out[0] = row->contact->normal_N)   \
    FIELD(position, FRAME_XYZ, F64, "m", "Origin of the body frame.", put_values(out, row->state->position_m, 3))      \
    FIELD(orientation, FRAME_QUAT, F64, "1", "Unit quaternion from the body frame to the world.",                      \
          put_values(out, row->state->orientation, 4))                                                                 \
    FIELD(velocity, FRAME_XYZ, F64, "m/s", "Velocity of the origin of the body frame.",                                \
          put_values(out, row->state->velocity_m_per_s, 3))                                                            \
    FIELD(angular_velocity, FRAME_XYZ, F64, "rad/s", "Angular velocity, world axes.",                                  \
          put_values(out, row->state->angular_velocity_rad_per_s, 3))

#define RECORD_SCENE_GET(name, type, unit, sentence, value)                                                            \
    static void get_SCENE_##name(const RecordRow *row, double *out) {                                                  \
        const Progress *progress = row->progress;                                                                      \
        const Scene *scene = row->scene;                                                                               \
        (void)progress, (void)scene;                                                                                   \
        out[0] = value;                                                                                                \
    }
SCENE_FIELD_LIST(RECORD_SCENE_GET)
#define RECORD_FIELD_GET(name, shape, type, unit, sentence, statement)                                                 \
    static void get_##shape##_##name(const RecordRow *row, double *out) { statement; }
RECORD_FIELD_LIST(RECORD_FIELD_GET)

#define RECORD_SCENE_ROW(name, type, unit, sentence, value)                                                            \
    {#name, RECORD_##type, RECORD_SCENE, unit, sentence, get_SCENE_##name},
#define RECORD_FIELD_ROW(name, shape, type, unit, sentence, statement)                                                 \
    {#name, RECORD_##type, RECORD_##shape, unit, sentence, get_##shape##_##name},
const RecordField record_fields[] = {SCENE_FIELD_LIST(RECORD_SCENE_ROW) RECORD_FIELD_LIST(RECORD_FIELD_ROW)};
const size_t record_field_count = sizeof record_fields / sizeof *record_fields;

double record_field_fill(const RecordField *field) {
    if (field->type == RECORD_F64) return NAN;
    return field->get == get_SCENE_status ? STATUS_NOT_RUN : 0;
}

uint32_t record_shape_components(RecordShape shape) {
    switch (shape) {
    case RECORD_EVENT_XYZ:
    case RECORD_CONTACT_XYZ:
    case RECORD_JOINT_XYZ:
    case RECORD_FRAME_XYZ: return 3;
    case RECORD_FRAME_QUAT: return 4;
    case RECORD_SCENE:
    case RECORD_EVENT:
    case RECORD_CONTACT:
    case RECORD_REGION:
    case RECORD_JOINT: break;
    }
    return 1;
}

// --- codes ----------------------------------------------------------------------------------------

static const RecordCode statuses[] = {
    {STATUS_OK, "ok"},
    {STATUS_NOT_RUN, "not_run"},
    {STATUS_NOT_FINITE, "not_finite"},
    {STATUS_STEP_LIMIT, "step_limit"},
    {STATUS_STEP_UNDERFLOW, "step_underflow"},
    {STATUS_EVENT_LIMIT, "event_limit"},
    {STATUS_NOT_BRACKETED, "not_bracketed"},
    {STATUS_CAPACITY, "capacity"},
    {STATUS_DEVICE_ERROR, "device_error"},
    {STATUS_INTERRUPTED, "interrupted"},
    {STATUS_COINCIDENT, "coincident"},
    {STATUS_NOT_STAGED, "not_staged"},
    {STATUS_NOT_SOLVED, "not_solved"},
    {STATUS_DEEP_START, "deep_start"},
};
static const RecordCode flags[] = {
    {FLAG_LATE_BEGIN, "late_begin"},
    {FLAG_EVENT_ORDER, "event_order"},
    {FLAG_MPR_FALLBACK, "mpr_fallback"},
    {FLAG_GAP_OPEN, "gap_open"},
    {FLAG_DEEP_START, "deep_start"},
    {FLAG_ENERGY_DRIFT, "energy_drift"},
    {FLAG_FROZEN, "frozen"},
    {FLAG_REJECTS, "rejects"},
    {FLAG_LARGE_ISLAND, "large_island"},
    {FLAG_DEEP_CONTACT, "deep_contact"},
    {FLAG_OPEN_CONTOUR, "open_contour"},
    {FLAG_ENGULFED, "engulfed"},
    {FLAG_COARSE_MESH, "coarse_mesh"},
    {FLAG_REACTIONS_NOT_UNIQUE, "reactions_not_unique"},
    {FLAG_ASSEMBLED, "assembled"},
    {FLAG_START_IMPACT, "start_impact"},
    {FLAG_LOOSE_TOLERANCE, "loose_tolerance"},
    {FLAG_MOMENTUM_DRIFT, "momentum_drift"},
};
// What each means and what to do about it: rows of host/record/README.md begin with these, which
// tests/cli/check_told.py sees to.
static const RecordCode status_sentences[] = {
    {STATUS_OK, "reached the end (or rest, with until: rest)"},
    {STATUS_NOT_RUN, "the run was stopped before or within it: go on with clack resume, or merge the part that has it"},
    {STATUS_NOT_FINITE, "a state became infinite or NaN: run it alone (--scene) and look at what came before"},
    {STATUS_STEP_LIMIT, "took more substeps, or more work, than is allowed: softer materials or solver.accuracy: fast "
                        "take fewer, a larger solver.work_limit allows more work"},
    {STATUS_STEP_UNDERFLOW, "no substep was short enough for the error control: look for forces that jump, or take a "
                            "lower solver.accuracy"},
    {STATUS_EVENT_LIMIT, "more events within one outer step than contacts can explain: take a shorter solver.step"},
    {STATUS_NOT_BRACKETED, "the begin or end of a contact could not be located: take a shorter solver.step"},
    {STATUS_CAPACITY, "its lists grew beyond what memory holds: run fewer scenes at a time (--batch)"},
    {STATUS_DEVICE_ERROR, "kept for later: never in a file of this version"},
    {STATUS_INTERRUPTED, "kept for later: never in a file of this version"},
    {STATUS_COINCIDENT, "the centres of two shapes coincide, so that there is no normal: start bodies apart"},
    {STATUS_NOT_STAGED, "what was drawn makes no scene, such as a body without mass: a warning of the run says which "
                        "body and why"},
    {STATUS_NOT_SOLVED,
     "the equations of a step had no solution that was found: try a shorter solver.step, or a region "
     "whose force does not jump (law: volume)"},
    {STATUS_DEEP_START, "bodies of method: quasi_rigid start in each other, and one step would throw them apart: start "
                        "them apart"},
};
static const RecordCode flag_sentences[] = {
    {FLAG_LATE_BEGIN,
     "a contact began already deeper than the tolerance of events: compare with a shorter solver.step"},
    {FLAG_EVENT_ORDER, "kept for later: not set by this version"},
    {FLAG_MPR_FALLBACK, "the narrow phase did not converge, and the best it had was used: look at the contacts of such "
                        "a scene (--scene)"},
    {FLAG_GAP_OPEN, "kept for later: not set by this version"},
    {FLAG_DEEP_START, "bodies overlapped at the start by more than 10 % of the smaller shape, or so that no contact of "
                      "two solids tells: start them apart"},
    {FLAG_ENERGY_DRIFT, "the audit found energy gained or lost without a cause: compare with a higher solver.accuracy, "
                        "a shorter solver.step, or without contacts: single"},
    {FLAG_FROZEN, "some body was frozen at rest at the end: nothing to do"},
    {FLAG_REJECTS, "kept for later: not set by this version"},
    {FLAG_LARGE_ISLAND,
     "more bodies were tied by contacts than implicit steps take, and took explicit ones: nothing to "
     "do, but they are slow"},
    {FLAG_DEEP_CONTACT,
     "an overlap was deeper than 10 % of the smaller shape, or bodies went through each other: no law "
     "of contacts holds there; take stiffer materials or lower speeds"},
    {FLAG_OPEN_CONTOUR,
     "a contour of a contact region did not close at some time, and was closed straight: compare with "
     "other steps or facets"},
    {FLAG_ENGULFED, "a surface lay within another solid as a whole at some time, where there is no force: start bodies "
                    "apart, or take a shorter solver.step or a stiffer region"},
    {FLAG_COARSE_MESH, "a contact region was less than three edges of a curved surface in radius while its force "
                       "mattered: take finer facets if that force matters to you"},
    {FLAG_REACTIONS_NOT_UNIQUE,
     "constraints say something twice, as two hinges of one door do: the motion is right, but "
     "not how these joints share their load; leave out what is said twice"},
    {FLAG_ASSEMBLED,
     "bodies were moved before the start, so that joints hold that were given slightly off: see how far "
     "(assembly_shift)"},
    {FLAG_START_IMPACT,
     "constraints took more than 1 % of the energy from the initial velocities: give velocities that "
     "joints and motions allow"},
    {FLAG_LOOSE_TOLERANCE, "some steps (loose_steps) had the contact geometry of their start, as that of their end was "
                           "not found: see by how much velocities are off (error_sum)"},
    {FLAG_MOMENTUM_DRIFT, "the audit found momentum that impulses and forces do not explain: compare with a shorter "
                          "solver.step"},
};
static const RecordCode event_kinds[] = {
    {EVENT_BEGIN, "begin"}, {EVENT_END, "end"}, {EVENT_REST, "rest"}, {EVENT_WAKE, "wake"}};

#define CODE_LIST(codes)                                                                                               \
    { codes, sizeof(codes) / sizeof *(codes) }
const RecordCodeList record_statuses = CODE_LIST(statuses);
const RecordCodeList record_flags = CODE_LIST(flags);
const RecordCodeList record_event_kinds = CODE_LIST(event_kinds);
static const RecordCodeList sentences_of_statuses = CODE_LIST(status_sentences);
static const RecordCodeList sentences_of_flags = CODE_LIST(flag_sentences);

static const char *code_name(const RecordCodeList *list, uint32_t value, const char *otherwise) {
    for (size_t i = 0; i < list->count; i++)
        if (list->codes[i].value == value) return list->codes[i].name;
    return otherwise;
}

const char *record_status_name(uint32_t status) { return code_name(&record_statuses, status, "unknown"); }
const char *record_event_name(uint32_t kind) { return code_name(&record_event_kinds, kind, "unknown"); }
const char *record_flag_name(uint32_t flag) { return code_name(&record_flags, flag, "unknown"); }
const char *record_status_sentence(uint32_t status) { return code_name(&sentences_of_statuses, status, ""); }
const char *record_flag_sentence(uint32_t flag) { return code_name(&sentences_of_flags, flag, ""); }

// --- names ----------------------------------------------------------------------------------------

// NetCDF: a letter, digit, underscore or UTF-8 character first; then anything printable but '/', no
// space at the end. ("." would be HDF5's name for the group itself.)
bool record_name_is_legal(const char *name) {
    const size_t length = strlen(name);
    if (length == 0) return false;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)name[i];
        const bool is_word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
        if (!is_word && (i == 0 || c < 0x20 || c == 0x7f || c == '/')) return false;
    }
    return name[length - 1] != ' ';
}

// --- units of parameters ----------------------------------------------------------------------------

typedef struct NumberUnit { // numbers of a struct that have one unit
    BindingBlock block;
    size_t first, end; // bytes
    const char *unit;
} NumberUnit;

#define NUMBER(block, type, member, unit)                                                                              \
    { block, offsetof(type, member), offsetof(type, member) + sizeof(((type *)0)->member), unit }

static const NumberUnit number_units[] = {
    NUMBER(BIND_SCENE, SceneDescription, gravity_m_per_s2, "m/s2"),
    NUMBER(BIND_SCENE, SceneDescription, gravity_strength_m3_per_s2, "m3/s2"),
    NUMBER(BIND_SCENE, SceneDescription, gravity_centre_m, "m"),
    NUMBER(BIND_SCENE, SceneDescription, step_s, "s"),
    NUMBER(BIND_SCENE, SceneDescription, end_s, "s"),
    NUMBER(BIND_SCENE, SceneDescription, reduction, "1"),
    NUMBER(BIND_SCENE, SceneDescription, tolerance, "1"),
    NUMBER(BIND_SCENE, SceneDescription, graded_steps, "1"),
    NUMBER(BIND_SCENE, SceneDescription, mpr_tolerance, "1"),
    NUMBER(BIND_SCENE, SceneDescription, mpr_iterations, "1"),
    NUMBER(BIND_SCENE, SceneDescription, work_limit, "1"),
    NUMBER(BIND_MATERIAL, SceneMaterial, young_Pa, "Pa"),
    NUMBER(BIND_MATERIAL, SceneMaterial, poisson, "1"),
    NUMBER(BIND_MATERIAL, SceneMaterial, density_kg_per_m3, "kg/m3"),
    NUMBER(BIND_PAIR, ScenePair, restitution, "1"),
    NUMBER(BIND_PAIR, ScenePair, friction, "1"),
    NUMBER(BIND_PAIR, ScenePair, rolling, "1"),
    NUMBER(BIND_PAIR, ScenePair, speed_small_m_per_s, "m/s"),
    NUMBER(BIND_PAIR, ScenePair, spin_small_rad_per_s, "rad/s"),
    NUMBER(BIND_PAIR, ScenePair, damping_max_s_per_m, "s/m"),
    NUMBER(BIND_PAIR, ScenePair, linear_stiffness_N_per_m, "N/m"),
    NUMBER(BIND_PAIR, ScenePair, linear_damping_N_s_per_m, "N s/m"),
    NUMBER(BIND_PAIR, ScenePair, linear_restitution, "1"),
    NUMBER(BIND_PAIR, ScenePair, region_stiffness, "N/m^e"),
    NUMBER(BIND_PAIR, ScenePair, layer_stiffness_N_per_m, "N/m"),
    NUMBER(BIND_PAIR, ScenePair, layer_damping_N_s_per_m, "N s/m"),
    NUMBER(BIND_PAIR, ScenePair, layer_thickness_m, "m"),
    NUMBER(BIND_PAIR, ScenePair, layer_shear_stiffness_N_per_m, "N/m"),
    NUMBER(BIND_PAIR, ScenePair, layer_shear_damping_N_s_per_m, "N s/m"),
    NUMBER(BIND_PAIR, ScenePair, region_exponent, "1"),
    NUMBER(BIND_PAIR, ScenePair, region_modulus_Pa, "Pa"),
    NUMBER(BIND_PAIR, ScenePair, region_depth_m, "m"),
    NUMBER(BIND_PAIR, ScenePair, static_friction, "1"),
    NUMBER(BIND_PAIR, ScenePair, stick_speed_m_per_s, "m/s"),
    NUMBER(BIND_PAIR, ScenePair, viscous_N_s_per_m, "N s/m"),
    NUMBER(BIND_SHAPE, SceneShape, size_m, "m"),
    NUMBER(BIND_SHAPE, SceneShape, exponents, "1"),
    NUMBER(BIND_SHAPE, SceneShape, smoothing_m, "m"),
    NUMBER(BIND_SHAPE, SceneShape, contact_radius_m, "m"),
    NUMBER(BIND_SHAPE, SceneShape, position_m, "m"),
    NUMBER(BIND_BODY, SceneBody, mass_kg, "kg"),
    NUMBER(BIND_BODY, SceneBody, com_m, "m"),
    NUMBER(BIND_BODY, SceneBody, inertia_kg_m2, "kg m2"),
    NUMBER(BIND_BODY, SceneBody, position_m, "m"),
    NUMBER(BIND_BODY, SceneBody, velocity_m_per_s, "m/s"),
    NUMBER(BIND_BODY, SceneBody, angular_velocity_rad_per_s, "rad/s"),
    NUMBER(BIND_JOINT, SceneJoint, at_m, "m"),
    NUMBER(BIND_JOINT, SceneJoint, stiffness_N_per_m, "N/m"),
    NUMBER(BIND_JOINT, SceneJoint, damping_N_s_per_m, "N s/m"),
    NUMBER(BIND_JOINT, SceneJoint, rest_length_m, "m"),
    NUMBER(BIND_JOINT, SceneJoint, axis, "1"),
    NUMBER(BIND_JOINT, SceneJoint, length_rate_m_per_s, "m/s"),
    NUMBER(BIND_JOINT, SceneJoint, length_until_s, "s"),
    NUMBER(BIND_JOINT, SceneJoint, limits, "rad or m"),
};

// Numbers of a rotation: angles, but for quaternions and axes.
static const char *rotation_unit(const SceneRotation *rotation, size_t offset) {
    const size_t component = (offset - offsetof(SceneRotation, value)) / sizeof(double);
    const bool is_angle =
        rotation->kind == ROTATION_CARDAN || (rotation->kind == ROTATION_AXIS_ANGLE && component == 3);
    return is_angle ? "rad" : "1";
}

static const char *binding_unit(const SceneDescription *scene, const Binding *binding) {
    const size_t offset = binding->offset;
    if (binding->block == BIND_SHAPE && binding->index < scene->shape_count) {
        const SceneShape *shape = &scene->shapes[binding->index];
        const size_t size = offsetof(SceneShape, size_m), rotation = offsetof(SceneShape, rotation);
        if (shape->kind == SHAPE_HALF_SPACE && offset >= size && offset < size + 3 * sizeof(double))
            return "1"; // its normal
        if (offset >= rotation && offset < rotation + sizeof(SceneRotation))
            return rotation_unit(&shape->rotation, offset - rotation);
    }
    if (binding->block == BIND_BODY && binding->index < scene->body_count) {
        const size_t rotation = offsetof(SceneBody, rotation);
        if (offset >= rotation && offset < rotation + sizeof(SceneRotation))
            return rotation_unit(&scene->bodies[binding->index].rotation, offset - rotation);
    }
    for (size_t i = 0; i < sizeof number_units / sizeof *number_units; i++) {
        const NumberUnit *row = &number_units[i];
        if (row->block == binding->block && offset >= row->first && offset < row->end) return row->unit;
    }
    return "";
}

const char *record_parameter_unit(const Study *study, uint32_t parameter) {
    const char *unit = NULL;
    for (uint32_t i = 0; i < study->binding_count; i++) {
        if (study->bindings[i].parameter != parameter) continue;
        const char *found = binding_unit(&study->scene, &study->bindings[i]);
        if (unit != NULL && strcmp(unit, found) != 0) return study->parameters[parameter].unit;
        unit = found;
    }
    return unit != NULL && unit[0] != '\0' ? unit : study->parameters[parameter].unit;
}
