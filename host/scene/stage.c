// Scenes -> flat arrays and offsets. The body's frame becomes the principal frame at its centre of mass.
#include "stage_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assembly.h"
#include "hull.h"
#include "mass.h"
#include "geometry/shape.h"
#include "model/content.h"
#include "model/workspace.h"

uint32_t stage_frame_count(double end_s, double every_s) {
    if (!(every_s > 0.0)) return 0;
    const double count = floor(end_s / every_s * (1.0 + 1.0e-12) + 1.0e-9);
    return (uint32_t)count + 1u;
}

#define REGIONS_FIRST 4u // contact regions of a pair of surfaces
#define SEGMENTS_FIRST 512u
#define VERTICES_FIRST 512u

int stage_are_tied(const SceneDescription *scene, uint32_t body_a, uint32_t body_b) {
    for (uint32_t j = 0; j < scene->joint_count; j++) {
        const SceneJoint *joint = &scene->joints[j];
        if (joint->kind == JOINT_SPRING_DAMPER || joint->touches) continue;
        if ((joint->body_a == body_a && joint->body_b == body_b) ||
            (joint->body_a == body_b && joint->body_b == body_a))
            return 1;
    }
    return 0;
}

int stage_has_regions(const SceneDescription *scene) {
    if (scene->method != METHOD_TRAPEZOIDAL) return 0;
    for (uint32_t a = 0; a < scene->body_count; a++)
        for (uint32_t b = a + 1; b < scene->body_count; b++)
            if (scene->bodies[a].shape_count > 0 && scene->bodies[b].shape_count > 0 && scene_may_touch(scene, a, b) &&
                !stage_are_tied(scene, a, b))
                return 1;
    return 0;
}

Capacities stage_capacities(const SceneDescription *scene) {
    // All contacts there can be, or room for a dense packing where that is less.
    uint64_t all = 0;
    for (uint32_t a = 0; a < scene->body_count; a++) {
        for (uint32_t b = a + 1; b < scene->body_count; b++) {
            if (!scene_may_touch(scene, a, b)) continue;
            if (scene->bodies[a].is_absent || scene->bodies[b].is_absent) continue;
            all += 8ull * scene->bodies[a].shape_count * scene->bodies[b].shape_count;
        }
    }
    const uint64_t candidates = 128ull + 32ull * scene->shape_count;
    const uint64_t contacts = 32ull + 12ull * scene->shape_count;
    const uint32_t room = (uint32_t)(all < contacts ? all : contacts) + scene->joint_count; // a list of both
    Capacities out = {.candidates = (uint32_t)(all < candidates ? all : candidates),
                      .contacts = room,
                      .events = 64u + 4u * scene->body_count,
                      .rows = 64u + 4u * room}; // of some recordings between two checks by the host
    if (!stage_has_regions(scene)) return out;
    out.regions = REGIONS_FIRST;
    out.segments = SEGMENTS_FIRST;
    out.vertices = VERTICES_FIRST;
    return out;
}

size_t stage_matrix_room(const SceneDescription *scene) {
    if (scene->method == METHOD_RK4 || scene->compat_modia3d) return 0;
    uint32_t free_bodies = 0;
    for (uint32_t b = 0; b < scene->body_count; b++) free_bodies += scene->bodies[b].is_fixed ? 0 : 1;
    return island_room(free_bodies, island_bodies_most(stage_flags(scene)));
}

static int shape_is_round(const Shape *shape) {
    return shape->kind == SHAPE_SPHERE && vec3_max_abs(shape->position_m) == 0.0;
}

static void stage_inertia(const MassProperties *mass, Body *out, Quat *out_frame) {
    out->mass_kg = mass->mass_kg;
    out->inverse_mass = 1.0 / mass->mass_kg;
    mass_principal(mass->inertia_kg_m2, &out->inertia_kg_m2, out_frame);
    out->inverse_inertia =
        vec3_make(1.0 / out->inertia_kg_m2.x, 1.0 / out->inertia_kg_m2.y, 1.0 / out->inertia_kg_m2.z);
}

// Mass, inertia and frame of a body. A fixed body keeps its own frame.
static ClackStatus stage_mass(const SceneDescription *scene, uint32_t index, Body *out, StageFrame *out_frame,
                              ClackReport *report) {
    *out_frame = (StageFrame){.com_m = vec3_zero(), .turn = quat_identity()};
    if (scene->bodies[index].is_fixed) {
        out->flags = scene->bodies[index].is_absent ? BODY_FIXED | BODY_ABSENT : BODY_FIXED;
        return CLACK_OK;
    }
    MassProperties mass;
    TRY(mass_of_body(scene, index, &mass, report));
    out_frame->com_m = vec3_from(mass.com_m);
    stage_inertia(&mass, out, &out_frame->turn);
    return CLACK_OK;
}

ClackStatus stage_frame(const SceneDescription *scene, uint32_t index, StageFrame *out_frame, ClackReport *report) {
    Body body = {0};
    return stage_mass(scene, index, &body, out_frame, report);
}

BodyState stage_state(const StageFrame *frame, uint32_t flags, const SceneBody *in) {
    const Quat turn = rotation_to_quat(&in->rotation);
    const Vec3 arm = quat_rotate(turn, frame->com_m);
    const Vec3 spin = vec3_from(in->angular_velocity_rad_per_s);
    BodyState state;
    state.position_m = vec3_add(vec3_from(in->position_m), arm);
    state.orientation = quat_normalize(quat_multiply(turn, frame->turn));
    state.velocity_m_per_s = vec3_add(vec3_from(in->velocity_m_per_s), vec3_cross(spin, arm));
    state.spin_rad_per_s = spin_from_world(flags, state.orientation, spin);
    return state;
}

UserState stage_user_state(const Body *body, const BodyState *state) {
    assert(body != NULL && state != NULL);
    const Vec3 spin = spin_to_world(body->flags, state->orientation, state->spin_rad_per_s);
    const Vec3 arm = quat_rotate(state->orientation, body->origin_m);
    const Vec3 position = vec3_add(state->position_m, arm);
    const Vec3 velocity = vec3_add(state->velocity_m_per_s, vec3_cross(spin, arm));
    const Quat orientation = quat_multiply(state->orientation, body->frame);
    return (UserState){
        .position_m = {position.x, position.y, position.z},
        .orientation = {orientation.w, orientation.x, orientation.y, orientation.z},
        .velocity_m_per_s = {velocity.x, velocity.y, velocity.z},
        .angular_velocity_rad_per_s = {spin.x, spin.y, spin.z},
    };
}

// Is the moment of inertia the same about all axes? Rounding of the principal ones does not count.
static int stage_is_alike(Body *body) {
    const Vec3 i = body->inertia_kg_m2;
    const double most = fmax(i.x, fmax(i.y, i.z)), least = fmin(i.x, fmin(i.y, i.z));
    if (!(least > 0.0) || most - least > 8.0 * REAL_EPSILON * most) return 0;
    body->inertia_kg_m2 = vec3_make(most, most, most);
    body->inverse_inertia = vec3_make(1.0 / most, 1.0 / most, 1.0 / most);
    return 1;
}

static ClackStatus stage_body(const SceneDescription *scene, uint32_t index, Shape *shapes, Body *out, BodyState *state,
                              ClackReport *report) {
    const SceneBody *in = &scene->bodies[index];
    *out = (Body){
        .shape_first = in->shape_first, .shape_count = in->shape_count, .groups = in->groups, .ignores = in->ignores};
    StageFrame placed;
    TRY(stage_mass(scene, index, out, &placed, report));
    const Vec3 com = placed.com_m;
    const Quat frame = placed.turn;
    out->frame = quat_conjugate(frame);
    out->origin_m = quat_rotate_back(frame, vec3_negate(com));
    int is_round = in->shape_count > 0;
    for (uint32_t k = in->shape_first; k < in->shape_first + in->shape_count; k++) {
        shapes[k] = stage_shape(&scene->shapes[k], index, com, frame, scene->compat_modia3d != 0);
        is_round = is_round && shape_is_round(&shapes[k]);
        if (shapes[k].kind == SHAPE_HALF_SPACE) continue;
        out->radius_m = fmax(out->radius_m, vec3_length(shapes[k].position_m) + shapes[k].bound_radius_m);
    }
    if (is_round) out->flags |= BODY_ROUND;
    if (is_round && !stage_keeps_frame(scene, index) && stage_is_alike(out)) out->flags |= BODY_BALL;
    *state = stage_state(&placed, out->flags, in);
    return CLACK_OK;
}

uint32_t stage_flags(const SceneDescription *scene) {
    uint32_t flags = 0;
    if (scene->compat_modia3d) flags |= SCENE_COMPAT_MODIA3D | SCENE_SINGLE_CONTACT;
    if (scene->single_contact) flags |= SCENE_SINGLE_CONTACT;
    if (scene->no_freeze) flags |= SCENE_NO_FREEZE;
    if (scene->method == METHOD_RK4) flags |= SCENE_RK4;
    if (scene->method == METHOD_TRAPEZOIDAL) flags |= SCENE_TRAPEZOIDAL;
    if (scene->method == METHOD_QUASI_RIGID) flags |= SCENE_QUASI_RIGID;
    if (scene->method == METHOD_QUASI_RIGID && scene->is_midpoint) flags |= SCENE_MIDPOINT;
    if (scene->use_mpr && scene->method != METHOD_QUASI_RIGID) flags |= SCENE_NARROW_MPR;
    if (scene->until_rest) flags |= SCENE_UNTIL_REST;
    if (scene->has_point_gravity) flags |= SCENE_POINT_GRAVITY;
    if (stage_is_timed(scene)) flags |= SCENE_TIMED;
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        if (scene->pairs[p].is_observer) flags |= SCENE_OBSERVERS;
        if (stage_ellipsoid_flag(scene, &scene->pairs[p])) flags |= SCENE_ELLIPSOIDS;
        if (scene->pairs[p].has_spring && scene->method != METHOD_QUASI_RIGID) flags |= SCENE_SPRINGS;
        if (scene->pairs[p].normal_law == NORMAL_LINEAR && scene->method != METHOD_QUASI_RIGID) flags |= SCENE_LINEAR;
    }
    for (uint32_t s = 0; s < scene->shape_count; s++)
        if (scene->shapes[s].has_local_radius) flags |= SCENE_LOCAL_RADIUS;
    return flags;
}

uint32_t stage_watch_flags(const Study *study) {
    for (uint32_t w = 0; w < study->watch_count; w++)
        if (study->watches[w].observable >= WATCH_NET_FORCE) return SCENE_NET_FORCES;
    return 0;
}

// Where the rows of the next scene begin.
typedef struct Cursor {
    size_t body, shape, law, frame, extreme, joint, function;
} Cursor;

static u32 absent_count(const SceneDescription *in) {
    u32 count = 0;
    for (uint32_t b = 0; b < in->body_count; b++) count += in->bodies[b].is_absent;
    return count;
}

static int stage_records_contacts(const Study *study, uint64_t number) {
    return study->contacts_every_s > 0.0 && number < study->contact_scenes;
}

// Beside the time that a scene lasts, so that short ones may begin with an impact.
#define WORK_FREE_STEPS 100.0
#define WORK_STEP_S 1.0e-3 // of outer steps that are longer; shorter ones count whole

// Of one body more than move: those that do not are listed too. A scene's own numbers alone tell, not its neighbours'.
static double stage_work_limit(const SceneDescription *in) {
    double bodies = 1;
    for (uint32_t b = 0; b < in->body_count; b++) bodies += in->bodies[b].is_fixed || in->bodies[b].is_absent ? 0 : 1;
    return in->work_limit * bodies * (WORK_FREE_STEPS + in->end_s / fmin(in->step_s, WORK_STEP_S));
}

void stage_leave_out(Scene *scene) {
    scene->end_s = scene->step_s;
    scene->record_every_s = scene->contacts_every_s = 0.0;
    scene->frame_capacity = 0;
    scene->absent_count = scene->body_count;
    scene->joint_count = 0;
}

static Scene stage_scene(const Study *study, const SceneDescription *in, uint64_t number, const Cursor *at) {
    const int has_frames = study->trajectory_every_s > 0.0 && number < study->trajectory_scenes;
    Scene scene = {
        .gravity_m_per_s2 = vec3_from(in->gravity_m_per_s2),
        .gravity_centre_m = vec3_from(in->gravity_centre_m),
        .gravity_strength_m3_per_s2 = in->gravity_strength_m3_per_s2,
        .step_s = in->step_s,
        .end_s = in->end_s,
        .tolerance = in->tolerance,
        .record_every_s = has_frames ? study->trajectory_every_s : 0.0,
        .contacts_every_s = stage_records_contacts(study, number) ? study->contacts_every_s : 0.0,
        .mpr_tolerance = in->mpr_tolerance,
        .work_limit = stage_work_limit(in),
        .graded_steps = (u32)lround(in->graded_steps),
        .mpr_iterations = (u32)lround(in->mpr_iterations),
        .flags = stage_flags(in) | stage_watch_flags(study),
        .body_first = (u32)at->body,
        .body_count = in->body_count,
        .shape_first = (u32)at->shape,
        .shape_count = in->shape_count,
        .law_first = (u32)at->law,
        .material_count = in->material_count,
        .frame_first = (u32)at->frame,
        .frame_capacity = has_frames ? stage_frame_count(in->end_s, study->trajectory_every_s) : 0,
        .extreme_first = (u32)at->extreme,
        .watch_count = study->watch_count,
        .absent_count = absent_count(in),
        .joint_first = (u32)at->joint,
        .joint_count = stage_joint_count(in),
        .function_first = (u32)at->function,
        .function_count = in->function_count,
    };
    if (in->is_left_out) stage_leave_out(&scene);
    return scene;
}

static void cursor_advance(Cursor *at, const SceneDescription *in, const Scene *scene) {
    at->body += in->body_count;
    at->shape += in->shape_count;
    at->law += (size_t)in->material_count * in->material_count;
    at->frame += (size_t)scene->frame_capacity * in->body_count;
    at->extreme += scene->watch_count;
    at->joint += in->joint_count;
    at->function += in->function_count;
}

static void room_grow(u32 *room, size_t wanted) {
    if (wanted > *room) *room = (u32)wanted;
}

// The slots of a batch hold any of its scenes.
static void room_include(SlotRoom *room, const SceneDescription *in, Capacities wanted, int has_contacts) {
    room_grow(&room->bodies, in->body_count);
    room_grow(&room->shapes, in->shape_count);
    room_grow(&room->candidates, wanted.candidates);
    room_grow(&room->contacts, wanted.contacts);
    room_grow(&room->events, wanted.events);
    room_grow(&room->rows, has_contacts ? wanted.rows : 0);
    room_grow(&room->numbers, stage_matrix_room(in));
    room_grow(&room->regions, wanted.regions);
    room_grow(&room->segments, wanted.segments);
    room_grow(&room->vertices, wanted.vertices);
}

static ClackStatus stage_allocate(Batch *batch, ClackReport *report) {
    batch->scene_numbers = calloc(batch->scene_count, sizeof *batch->scene_numbers);
    batch->bodies = calloc(batch->body_count + 1, sizeof *batch->bodies);
    batch->states = calloc(batch->body_count + 1, sizeof *batch->states);
    batch->shapes = calloc(batch->shape_count + 1, sizeof *batch->shapes);
    batch->laws = calloc(batch->law_count + 1, sizeof *batch->laws);
    batch->joints = calloc(batch->joint_count + 1, sizeof *batch->joints);
    batch->functions = calloc(batch->function_count + 1, sizeof *batch->functions);
    batch->watches = calloc(batch->watch_count + 1u, sizeof *batch->watches);
    batch->hull_rows = calloc(batch->hull_row_count + 1, sizeof *batch->hull_rows);
    if (batch->surfaces_of != NULL || batch->has_layers) {
        batch->region_laws = calloc(batch->law_count + 1, sizeof *batch->region_laws);
        if (batch->region_laws == NULL)
            return report_add(report, CLACK_MEMORY, "no memory to stage %u scenes", batch->scene_count);
    }
    if (!batch->scene_numbers || !batch->bodies || !batch->states || !batch->shapes || !batch->laws || !batch->joints ||
        !batch->functions || !batch->watches || !batch->hull_rows) {
        return report_add(report, CLACK_MEMORY, "no memory to stage %u scenes", batch->scene_count);
    }
    return CLACK_OK;
}

static ClackStatus stage_check_counts(const Cursor *at, uint32_t scene_count, ClackReport *report) {
    const size_t largest[] = {at->body, at->shape, at->law, at->frame, at->extreme, at->joint, at->function};
    for (size_t k = 0; k < sizeof largest / sizeof *largest; k++) {
        if (largest[k] > UINT32_MAX) {
            return report_add(report, CLACK_MEMORY, "%u scenes do not fit one batch: %zu rows in one list", scene_count,
                              largest[k]);
        }
    }
    return CLACK_OK;
}

static void stage_fill_tables(const Study *study, Batch *batch) {
    if (study->watch_count > 0) {
        memcpy(batch->watches, study->watches, study->watch_count * sizeof *batch->watches);
    }
    for (uint32_t h = 0; h < study->scene.hull_count; h++) {
        const SceneHull *hull = study->scene.hulls[h];
        memcpy(batch->hull_rows + hull->row_first, hull->rows, hull->row_count * sizeof *hull->rows);
    }
}

ClackStatus stage_bodies(const SceneDescription *in, Batch *batch, uint32_t s, ClackReport *report) {
    const Scene *scene = &batch->scenes[s];
    Body *bodies = batch->bodies + scene->body_first;
    BodyState *states = batch->states + scene->body_first;
    for (uint32_t b = 0; b < in->body_count; b++) {
        const ClackStatus status =
            stage_body(in, b, batch->shapes + scene->shape_first, &bodies[b], &states[b], report);
        if (status != CLACK_OK) {
            return report_add(report, status, "scene %llu: body \"%s\" cannot be staged",
                              (unsigned long long)batch->scene_numbers[s], in->bodies[b].name);
        }
    }
    stage_functions(in, batch->functions + scene->function_first);
    TRY(stage_joints(in, bodies, states, batch->joints + scene->joint_first, report));
    stage_motions(in, bodies);
    return CLACK_OK;
}

// Joints that do not hold where bodies are given: bodies are moved.
static ClackStatus stage_assemble(const SceneDescription *in, Batch *batch, uint32_t s, ClackReport *report) {
    Scene *scene = &batch->scenes[s];
    Assembly assembly;
    if (!assembly_is_needed(in)) return CLACK_OK;
    TRY(assembly_move(in, batch->bodies + scene->body_first, batch->states + scene->body_first,
                      batch->joints + scene->joint_first, batch->functions + scene->function_first, &assembly, report));
    scene->assembled_m = assembly.moved_m;
    scene->misfit_m = assembly.misfit_m;
    return CLACK_OK;
}

ClackStatus stage_fill(const SceneDescription *scenes, Batch *batch, uint32_t first, uint32_t last,
                       ClackReport *report) {
    assert(last <= batch->scene_count);
    for (uint32_t s = first; s < last; s++) {
        const Scene *scene = &batch->scenes[s];
        ClackStatus status = stage_bodies(&scenes[s], batch, s, report);
        if (status == CLACK_OK) status = stage_assemble(&scenes[s], batch, s, report);
        if (status != CLACK_OK)
            return report_add(report, status, "scene %llu cannot be staged",
                              (unsigned long long)batch->scene_numbers[s]);
        stage_laws(&scenes[s], batch->laws + scene->law_first);
        if (batch->region_laws != NULL) stage_region_laws(&scenes[s], batch->region_laws + scene->law_first);
    }
    return CLACK_OK;
}

// --- rows that scenes share -------------------------------------------------------------------------

// One list of rows, of which each scene has some.
typedef struct SharedRows {
    char *rows;
    size_t row_bytes, count;
} SharedRows;

static int rows_are_first(const SharedRows *list, u32 first, u32 count) {
    return memcmp(list->rows + first * list->row_bytes, list->rows, count * list->row_bytes) == 0;
}

static u32 rows_move(SharedRows *list, u32 first, u32 count) {
    const size_t at = list->count;
    memmove(list->rows + at * list->row_bytes, list->rows + first * list->row_bytes, count * list->row_bytes);
    list->count += count;
    return (u32)at;
}

// Scene s reads the rows of scene 0 where its own are the same to the bit; else they move up. Returns where they are.
static u32 share_rows(SharedRows *list, u32 first, u32 count, u32 count_0, u32 s) {
    if (s > 0 && count == count_0 && rows_are_first(list, first, count)) return 0;
    return rows_move(list, first, count);
}

// The same of two lists with the same places.
static u32 share_both(SharedRows *list, SharedRows *beside, u32 first, u32 count, u32 count_0, u32 s) {
    if (s > 0 && count == count_0 && rows_are_first(list, first, count) && rows_are_first(beside, first, count))
        return 0;
    rows_move(beside, first, count);
    return rows_move(list, first, count);
}

static u32 law_count(const Scene *scene) { return scene->material_count * scene->material_count; }

// What no number is drawn of is the same in all scenes: most often shapes, laws and functions.
void stage_share(Batch *batch) {
    SharedRows shapes = {.rows = (char *)batch->shapes, .row_bytes = sizeof *batch->shapes};
    SharedRows laws = {.rows = (char *)batch->laws, .row_bytes = sizeof *batch->laws};
    SharedRows functions = {.rows = (char *)batch->functions, .row_bytes = sizeof *batch->functions};
    SharedRows region_laws = {.rows = (char *)batch->region_laws, .row_bytes = sizeof *batch->region_laws};
    for (u32 s = 0; s < batch->scene_count; s++) {
        Scene *scene = &batch->scenes[s], *first = &batch->scenes[0];
        scene->shape_first = share_rows(&shapes, scene->shape_first, scene->shape_count, first->shape_count, s);
        scene->law_first =
            batch->region_laws == NULL
                ? share_rows(&laws, scene->law_first, law_count(scene), law_count(first), s)
                : share_both(&laws, &region_laws, scene->law_first, law_count(scene), law_count(first), s);
        scene->function_first =
            share_rows(&functions, scene->function_first, scene->function_count, first->function_count, s);
    }
    batch->function_count = functions.count;
    batch->shape_count = shapes.count;
    batch->law_count = laws.count;
}

// Of a body, what is before its state: mass and what is about it, on which the frame of its shapes depends.
static int is_of_shapes(const Binding *binding) {
    if (binding->block == BIND_BODY) return binding->offset < offsetof(SceneBody, position_m);
    if (binding->block == BIND_MATERIAL) return binding->offset == offsetof(SceneMaterial, density_kg_per_m3);
    return binding->block == BIND_SHAPE;
}

static int is_of_laws(const Binding *binding) {
    if (binding->block == BIND_SCENE) return binding->offset == offsetof(SceneDescription, reduction);
    if (binding->block == BIND_MATERIAL) return binding->offset != offsetof(SceneMaterial, density_kg_per_m3);
    return binding->block == BIND_PAIR;
}

int stage_shares_shapes(const Study *study) {
    if (study->presence_count > 0) return 0; // a body that is absent has a frame of its own
    for (uint32_t i = 0; i < study->binding_count; i++)
        if (is_of_shapes(&study->bindings[i])) return 0;
    return 1;
}

int stage_shares_laws(const Study *study) {
    for (uint32_t i = 0; i < study->binding_count; i++)
        if (is_of_laws(&study->bindings[i])) return 0;
    return 1;
}

ClackStatus stage_lay_out(const Study *study, const SceneDescription *scenes, const uint64_t *numbers,
                          const Capacities *capacities, uint32_t scene_count, Batch *out_batch, ClackReport *report) {
    assert(scene_count > 0);
    ClackStatus status = CLACK_OK;
    Batch batch = {.scene_count = scene_count, .watch_count = study->watch_count};
    batch.scenes = calloc(scene_count, sizeof *batch.scenes);
    if (batch.scenes == NULL) {
        return report_add(report, CLACK_MEMORY, "no memory to stage %u scenes", scene_count);
    }
    Cursor at = {0};
    for (uint32_t s = 0; s < scene_count; s++) {
        batch.scenes[s] = stage_scene(study, &scenes[s], numbers[s], &at);
        cursor_advance(&at, &scenes[s], &batch.scenes[s]);
        room_include(&batch.room, &scenes[s], capacities[s], stage_records_contacts(study, numbers[s]));
    }
    TRY_CLEAN(stage_check_counts(&at, scene_count, report));
    batch.body_count = at.body;
    batch.shape_count = at.shape;
    batch.law_count = at.law;
    batch.joint_count = at.joint;
    batch.function_count = at.function;
    batch.frame_state_count = at.frame;
    if (stage_has_regions(&study->scene)) batch.surfaces_of = &study->scene;
    batch.has_layers = study->scene.method == METHOD_QUASI_RIGID;
    for (uint32_t h = 0; h < study->scene.hull_count; h++) batch.hull_row_count += study->scene.hulls[h]->row_count;
    TRY_CLEAN(stage_allocate(&batch, report));
    memcpy(batch.scene_numbers, numbers, scene_count * sizeof *numbers);
    stage_fill_tables(study, &batch);
    *out_batch = batch;
    return CLACK_OK;
cleanup:
    stage_free(&batch);
    return status;
}

ClackStatus stage_pack(const Study *study, const SceneDescription *scenes, const uint64_t *numbers,
                       const Capacities *capacities, uint32_t scene_count, Batch *out_batch, ClackReport *report) {
    TRY(stage_lay_out(study, scenes, numbers, capacities, scene_count, out_batch, report));
    const ClackStatus status = stage_fill(scenes, out_batch, 0, scene_count, report);
    if (status != CLACK_OK)
        stage_free(out_batch);
    else
        stage_share(out_batch);
    return status;
}

void stage_free(Batch *batch) {
    free(batch->scene_numbers);
    free(batch->scenes);
    free(batch->bodies);
    free(batch->states);
    free(batch->shapes);
    free(batch->laws);
    free(batch->region_laws);
    free(batch->joints);
    free(batch->functions);
    free(batch->watches);
    free(batch->hull_rows);
    *batch = (Batch){0};
}
