// The evaluator: one scene on a device, and configurations of it in batches -> contacts.
#include "evaluate.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "pairs/broad_phase.h"
#include "pairs/pair_kinematics.h"
#include "region_finder.h"
#include "sample.h"
#include "stage.h"
#include "study.h"

#define BATCH_MOST 65536u
#define MEMORY_SHARE 4 // a batch takes at most 1 / MEMORY_SHARE of the device's memory

// Rows come off the device as the user gets them.
static_assert(sizeof(ClackContact) == sizeof(PairContact), "one layout");
#define SAME_PLACE(field) static_assert(offsetof(ClackContact, field) == offsetof(PairContact, field), "one layout")
SAME_PLACE(distance_m);
SAME_PLACE(error_m);
SAME_PLACE(approach_m_per_s);
SAME_PLACE(slip_m_per_s);
SAME_PLACE(normal_N);
SAME_PLACE(normal);
SAME_PLACE(point_a_m);
SAME_PLACE(point_b_m);
SAME_PLACE(force_N);
SAME_PLACE(tangential_N);
SAME_PLACE(torque_N_m);
SAME_PLACE(configuration);
SAME_PLACE(body_a);
SAME_PLACE(feature);
SAME_PLACE(status);
SAME_PLACE(iterations);

typedef enum EvaluateBuffer {
    BUFFER_SETTINGS, // from here on: the same for all configurations
    BUFFER_SCENE,
    BUFFER_BODIES,
    BUFFER_SHAPES,
    BUFFER_LAWS,
    BUFFER_HULLS,
    BUFFER_PAIRS,
    BUFFER_ROWS,
    BUFFER_STATES, // from here on: of a batch, made larger where one needs it
    BUFFER_BOUNDS,
    BUFFER_PLACES,
    BUFFER_NEAR,
    BUFFER_KINEMATICS,
    BUFFER_CONTACTS,
    BUFFER_COUNT
} EvaluateBuffer;

struct ClackEvaluator {
    Device *device;
    Scene scene;
    Batch batch; // what the device has of it
    uint32_t pair_count;
    StageFrame *frames; // (body_count)
    u32 *body_flags;    // (body_count): BODY_*
    double margin_m;
    int list_all;
    uint32_t batch_most;
    RegionFinder *regions; // NULL: no pairs with meshes
    DeviceBuffer *buffers[BUFFER_COUNT];
};

static ClackStatus evaluate_reserve(ClackEvaluator *evaluator, EvaluateBuffer which, size_t size_bytes,
                                    ClackReport *report) {
    return device_buffer_reserve(evaluator->device, size_bytes, &evaluator->buffers[which], report);
}

static ClackStatus evaluate_upload(ClackEvaluator *evaluator, EvaluateBuffer which, size_t size_bytes, const void *data,
                                   ClackReport *report) {
    return device_buffer_upload(evaluator->device, size_bytes, data, &evaluator->buffers[which], report);
}

// --- opening ------------------------------------------------------------------------------------

// The pairs of shapes that may touch; rows[i] is where those of shape i begin. With NULL they are counted. Adds to
// `*out_contacts` how many contacts they can have at most.
static uint64_t evaluate_list_pairs(const Batch *batch, ShapePair *pairs, u32 *rows, uint64_t *out_contacts) {
    const SceneView view = {
        .scene = &batch->scenes[0], .bodies = batch->bodies, .shapes = batch->shapes, .laws = batch->laws};
    const u32 shape_count = view.scene->shape_count;
    uint64_t count = 0;
    for (u32 i = 0; i < shape_count; i++) {
        if (rows != NULL) rows[i] = (u32)count;
        for (u32 j = i + 1; j < shape_count; j++) {
            const Shape *a = &view.shapes[i], *b = &view.shapes[j];
            if (!broad_pair_counts(&view, i, j) || region_finder_takes(view.scene, a, b)) continue;
            if (a->kind == SHAPE_HALF_SPACE && b->kind == SHAPE_HALF_SPACE) continue;
            *out_contacts += narrow_feature_count(a, b, pair_flags(&view, i, j));
            if (pairs != NULL) pairs[count] = (ShapePair){.shape_a = i, .shape_b = j};
            count++;
        }
    }
    if (rows != NULL) rows[shape_count] = (u32)count;
    return count;
}

static ClackStatus evaluate_upload_pairs(ClackEvaluator *evaluator, const Batch *batch, ClackReport *report) {
    uint64_t contacts = 0;
    const uint64_t count = evaluate_list_pairs(batch, NULL, NULL, &contacts);
    if (contacts > UINT32_MAX / 2) {
        return report_add(report, CLACK_MEMORY, "%" PRIu64 " contacts of pairs of shapes are too many", contacts);
    }
    evaluator->pair_count = (uint32_t)contacts;
    const size_t row_count = batch->shape_count + 1;
    ShapePair *pairs = calloc(count + 1, sizeof *pairs);
    u32 *rows = calloc(row_count, sizeof *rows);
    ClackStatus status = CLACK_OK;
    if (pairs == NULL || rows == NULL) {
        status = report_add(report, CLACK_MEMORY, "no memory for %" PRIu64 " pairs of shapes", count);
        goto cleanup;
    }
    evaluate_list_pairs(batch, pairs, rows, &contacts);
    TRY_CLEAN(evaluate_upload(evaluator, BUFFER_PAIRS, count * sizeof *pairs, pairs, report));
    TRY_CLEAN(evaluate_upload(evaluator, BUFFER_ROWS, row_count * sizeof *rows, rows, report));
cleanup:
    free(pairs);
    free(rows);
    return status;
}

static ClackStatus evaluate_upload_scene(ClackEvaluator *evaluator, const Batch *batch, ClackReport *report) {
    const EvaluateSettings settings = {
        .margin_m = evaluator->list_all ? REAL_HUGE : evaluator->margin_m,
        .shape_count = batch->scenes[0].shape_count,
        .body_count = batch->scenes[0].body_count,
    };
    TRY(evaluate_upload(evaluator, BUFFER_SETTINGS, sizeof settings, &settings, report));
    TRY(evaluate_upload(evaluator, BUFFER_SCENE, sizeof(Scene), batch->scenes, report));
    TRY(evaluate_upload(evaluator, BUFFER_BODIES, batch->body_count * sizeof(Body), batch->bodies, report));
    TRY(evaluate_upload(evaluator, BUFFER_SHAPES, batch->shape_count * sizeof(Shape), batch->shapes, report));
    TRY(evaluate_upload(evaluator, BUFFER_LAWS, batch->law_count * sizeof(MaterialPairLaw), batch->laws, report));
    TRY(evaluate_upload(evaluator, BUFFER_HULLS, batch->hull_row_count * sizeof(HullRow), batch->hull_rows, report));
    return evaluate_upload_pairs(evaluator, batch, report);
}

// As many as fill the device, and few enough for its memory even where every pair is near.
static uint32_t evaluate_choose_batch(const ClackEvaluator *evaluator, uint32_t wanted) {
    const DeviceInfo *info = device_info(evaluator->device);
    const double shapes = evaluator->scene.shape_count, bodies = evaluator->scene.body_count;
    const double pairs = evaluator->pair_count;
    const double largest = pairs * sizeof(PairContact) > bodies * sizeof(BodyState)
                               ? pairs * sizeof(PairContact)
                               : bodies * sizeof(BodyState); // one buffer
    const double all = bodies * sizeof(BodyState) + shapes * (sizeof(ShapeBounds) + sizeof(u32)) +
                       pairs * (sizeof(NearPair) + sizeof(PairKinematics) + sizeof(PairContact)) +
                       region_finder_bytes(evaluator->regions);
    const double rows =
        pairs + region_finder_pair_count(evaluator->regions) + shapes + bodies + 1; // more than any kernel's items
    double most = wanted > 0 ? wanted : BATCH_MOST;
    const double limits[] = {(double)info->global_memory_bytes / MEMORY_SHARE / all,
                             (double)info->max_allocation_bytes / largest, UINT32_MAX / 2 / rows};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) most = limits[i] < most ? limits[i] : most;
    return most < 1 ? 1 : (uint32_t)most;
}

static ClackStatus evaluate_stage(ClackEvaluator *evaluator, const Study *study, uint64_t number, Batch *out_batch,
                                  ClackReport *report) {
    SceneDescription scene = {0};
    ClackStatus status = CLACK_OK;
    double *values = calloc((size_t)study->parameter_count + 1, sizeof *values);
    evaluator->frames = calloc((size_t)study->scene.body_count + 1, sizeof *evaluator->frames);
    evaluator->body_flags = calloc((size_t)study->scene.body_count + 1, sizeof *evaluator->body_flags);
    if (values == NULL || evaluator->frames == NULL || evaluator->body_flags == NULL) {
        free(values);
        return report_add(report, CLACK_MEMORY, "no memory for the scene");
    }
    TRY_CLEAN(sample_numbered(study, number, values, &scene, report));
    const Capacities room = stage_capacities(&scene);
    TRY_CLEAN(stage_pack(study, &scene, &number, &room, 1, out_batch, report));
    for (uint32_t b = 0; b < scene.body_count; b++) {
        TRY_CLEAN(stage_frame(&scene, b, &evaluator->frames[b], report));
        evaluator->body_flags[b] = out_batch->bodies[b].flags;
    }
    evaluator->scene = out_batch->scenes[0];
cleanup:
    free(values);
    scene_free(&scene);
    return status;
}

ClackStatus evaluate_open(const Study *study, const ClackEvaluateOptions *options, ClackEvaluator **out_evaluator,
                          ClackReport *report) {
    *out_evaluator = NULL;
    if (options->scene >= study->design.scene_count)
        return study_refuse_scene(study->design.scene_count, options->scene, report);
    // Overlaps deeper than a bound would need bounds on the error of deep distances.
    if (!(options->margin_m >= 0.0 && options->margin_m < REAL_HUGE)) {
        return report_add(report, CLACK_USAGE, "margin: expected a length >= 0 m, found %g", options->margin_m);
    }
    ClackEvaluator *evaluator = calloc(1, sizeof *evaluator);
    if (evaluator == NULL) return report_add(report, CLACK_MEMORY, "no memory for an evaluator");
    ClackStatus status = CLACK_OK;
    Study single = *study; // what it owns stays the study's
    if (options->rows == CLACK_ROWS_NEAREST) single.scene.single_contact = 1;
    study = &single;
    const Content content = content_of_study(study, PROGRAM_EVALUATE);
    evaluator->margin_m = options->margin_m;
    evaluator->list_all = options->list_all;
    TRY_CLEAN(evaluate_stage(evaluator, study, options->scene, &evaluator->batch, report));
    TRY_CLEAN(device_open(options->device, &content, &evaluator->device, report));
    if (!content_covers(device_content(evaluator->device), &evaluator->batch)) {
        status = report_add(report, CLACK_INTERNAL, "the scene holds what the kernels were not built for (%s)",
                            device_build_options(evaluator->device));
        goto cleanup;
    }
    TRY_CLEAN(evaluate_upload_scene(evaluator, &evaluator->batch, report));
    TRY_CLEAN(region_finder_open(evaluator->device, &study->scene, &evaluator->batch, options, &evaluator->regions,
                                 report)); // meshes are never drawn
    evaluator->batch_most = evaluate_choose_batch(evaluator, options->batch_configurations);
cleanup:
    if (status != CLACK_OK) {
        clack_evaluator_close(evaluator);
        return status;
    }
    *out_evaluator = evaluator;
    return CLACK_OK;
}

void clack_evaluator_close(ClackEvaluator *evaluator) {
    if (evaluator == NULL) return;
    for (int k = 0; k < BUFFER_COUNT; k++) device_buffer_free(evaluator->device, evaluator->buffers[k]);
    region_finder_close(evaluator->regions);
    device_close(evaluator->device);
    stage_free(&evaluator->batch);
    free(evaluator->frames);
    free(evaluator->body_flags);
    free(evaluator);
}

uint32_t clack_evaluator_body_count(const ClackEvaluator *evaluator) { return evaluator->scene.body_count; }
uint32_t clack_evaluator_pair_count(const ClackEvaluator *evaluator) { return evaluator->pair_count; }
uint32_t clack_evaluator_region_pair_count(const ClackEvaluator *evaluator) {
    return region_finder_pair_count(evaluator->regions);
}
void clack_evaluator_start(const ClackEvaluator *evaluator, UserState *out_states) {
    for (uint32_t b = 0; b < evaluator->scene.body_count; b++)
        out_states[b] = stage_user_state(&evaluator->batch.bodies[b], &evaluator->batch.states[b]);
}
const ClackDeviceInfo *clack_evaluator_device_info(const ClackEvaluator *evaluator) {
    return device_info(evaluator->device);
}
const Device *evaluate_device(const ClackEvaluator *evaluator) { return evaluator->device; }
const char *evaluate_build_options(const ClackEvaluator *evaluator) { return device_build_options(evaluator->device); }

// --- one batch ----------------------------------------------------------------------------------

static ClackStatus evaluate_launch(ClackEvaluator *evaluator, KernelId kernel, const EvaluateBuffer *which,
                                   size_t which_count, size_t items, ClackReport *report) {
    DeviceBuffer *buffers[BUFFER_COUNT];
    for (size_t i = 0; i < which_count; i++) buffers[i] = evaluator->buffers[which[i]];
    return device_launch(evaluator->device, kernel, buffers, (uint32_t)items, report);
}

#define LAUNCH(evaluator, kernel, items, report, ...)                                                                  \
    evaluate_launch(evaluator, kernel, (const EvaluateBuffer[]){__VA_ARGS__},                                          \
                    sizeof((const EvaluateBuffer[]){__VA_ARGS__}) / sizeof(EvaluateBuffer), items, report)

// Of body number `body`; `in` may be anything, NaN too, where the scene does not have it.
static BodyState evaluate_state(const ClackEvaluator *evaluator, uint32_t body, const UserState *in) {
    SceneBody placed = {.rotation = {.kind = ROTATION_QUATERNION, .value = {1}}};
    if (!(evaluator->body_flags[body] & BODY_ABSENT)) {
        memcpy(placed.rotation.value, in->orientation, sizeof placed.rotation.value);
        memcpy(placed.position_m, in->position_m, sizeof placed.position_m);
        memcpy(placed.velocity_m_per_s, in->velocity_m_per_s, sizeof placed.velocity_m_per_s);
        memcpy(placed.angular_velocity_rad_per_s, in->angular_velocity_rad_per_s,
               sizeof placed.angular_velocity_rad_per_s);
    }
    return stage_state(&evaluator->frames[body], evaluator->body_flags[body], &placed);
}

static ClackStatus evaluate_upload_states(ClackEvaluator *evaluator, size_t count, const UserState *states,
                                          ClackReport *report) {
    const size_t body_count = evaluator->scene.body_count, rows = count * body_count;
    BodyState *staged = malloc((rows + 1) * sizeof *staged);
    if (staged == NULL) return report_add(report, CLACK_MEMORY, "no memory for %zu configurations", count);
    for (size_t i = 0; i < rows; i++) staged[i] = evaluate_state(evaluator, (uint32_t)(i % body_count), &states[i]);
    const ClackStatus status = evaluate_upload(evaluator, BUFFER_STATES, rows * sizeof *staged, staged, report);
    free(staged);
    return status;
}

// Which pairs are near: two passes with the sums between them made here, so that their order is fixed.
static ClackStatus evaluate_find_near(ClackEvaluator *evaluator, size_t count, size_t *out_near, ClackReport *report) {
    const size_t items = count * evaluator->scene.shape_count;
    u32 *places = malloc((items + 1) * sizeof *places);
    if (places == NULL) return report_add(report, CLACK_MEMORY, "no memory for %zu configurations", count);
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(evaluate_reserve(evaluator, BUFFER_BOUNDS, items * sizeof(ShapeBounds), report));
    TRY_CLEAN(evaluate_reserve(evaluator, BUFFER_PLACES, items * sizeof(u32), report));
    TRY_CLEAN(LAUNCH(evaluator, KERNEL_evaluate_bounds, items, report, BUFFER_SETTINGS, BUFFER_SCENE, BUFFER_BODIES,
                     BUFFER_SHAPES, BUFFER_HULLS, BUFFER_STATES, BUFFER_BOUNDS));
    TRY_CLEAN(LAUNCH(evaluator, KERNEL_evaluate_count, items, report, BUFFER_SETTINGS, BUFFER_SCENE, BUFFER_BODIES,
                     BUFFER_SHAPES, BUFFER_LAWS, BUFFER_HULLS, BUFFER_PAIRS, BUFFER_ROWS, BUFFER_STATES, BUFFER_BOUNDS,
                     BUFFER_PLACES));
    TRY_CLEAN(device_buffer_read(evaluator->device, evaluator->buffers[BUFFER_PLACES], 0, items * sizeof *places,
                                 places, report));
    size_t near = 0; // at most the batch's pairs, which evaluate_choose_batch keeps within 32 bits
    for (size_t i = 0; i < items; i++) {
        const u32 here = places[i];
        places[i] = (u32)near;
        near += here;
    }
    TRY_CLEAN(evaluate_upload(evaluator, BUFFER_PLACES, items * sizeof *places, places, report));
    TRY_CLEAN(evaluate_reserve(evaluator, BUFFER_NEAR, near * sizeof(NearPair), report));
    TRY_CLEAN(LAUNCH(evaluator, KERNEL_evaluate_list, items, report, BUFFER_SETTINGS, BUFFER_SCENE, BUFFER_BODIES,
                     BUFFER_SHAPES, BUFFER_LAWS, BUFFER_HULLS, BUFFER_PAIRS, BUFFER_ROWS, BUFFER_STATES, BUFFER_BOUNDS,
                     BUFFER_PLACES, BUFFER_NEAR));
    *out_near = near;
cleanup:
    free(places);
    return status;
}

static ClackStatus evaluate_near(ClackEvaluator *evaluator, size_t near, ClackReport *report) {
    TRY(evaluate_reserve(evaluator, BUFFER_KINEMATICS, near * sizeof(PairKinematics), report));
    TRY(evaluate_reserve(evaluator, BUFFER_CONTACTS, near * sizeof(PairContact), report));
    TRY(LAUNCH(evaluator, KERNEL_evaluate_narrow, near, report, BUFFER_SETTINGS, BUFFER_SCENE, BUFFER_BODIES,
               BUFFER_SHAPES, BUFFER_LAWS, BUFFER_HULLS, BUFFER_PAIRS, BUFFER_STATES, BUFFER_NEAR, BUFFER_KINEMATICS));
    return LAUNCH(evaluator, KERNEL_evaluate_force, near, report, BUFFER_SETTINGS, BUFFER_SCENE, BUFFER_BODIES,
                  BUFFER_SHAPES, BUFFER_LAWS, BUFFER_HULLS, BUFFER_PAIRS, BUFFER_STATES, BUFFER_NEAR, BUFFER_KINEMATICS,
                  BUFFER_CONTACTS);
}

// Take the rows off the device; keep those to be listed: of a contact that does not exist there is none. `base`:
// configurations before this batch.
static ClackStatus evaluate_fetch(ClackEvaluator *evaluator, size_t near, size_t base, size_t count,
                                  ClackContacts *contacts, ClackReport *report) {
    ClackContact *rows = realloc(contacts->rows, (contacts->row_count + near + 1) * sizeof *rows);
    if (rows == NULL) return report_add(report, CLACK_MEMORY, "no memory for %zu contacts", near);
    contacts->rows = rows;
    TRY(device_buffer_read(evaluator->device, evaluator->buffers[BUFFER_CONTACTS], 0, near * sizeof *rows,
                           rows + contacts->row_count, report));
    const ClackContact *from = rows + contacts->row_count, *end = from + near;
    for (size_t i = 0; i < count; i++) {
        contacts->first[base + i] = contacts->row_count;
        for (; from < end && from->configuration == i; from++) {
            if (from->distance_m == MANIFOLD_EMPTY_M) continue;
            if (!evaluator->list_all && from->distance_m > evaluator->margin_m) continue;
            ClackContact *row = &rows[contacts->row_count++];
            *row = *from;
            row->configuration = (u32)(base + i);
        }
    }
    contacts->first[base + count] = contacts->row_count;
    return CLACK_OK;
}

static ClackStatus evaluate_rows(ClackEvaluator *evaluator, size_t base, size_t count, ClackContacts *contacts,
                                 ClackReport *report) {
    size_t near = 0;
    TRY(evaluate_find_near(evaluator, count, &near, report));
    TRY(evaluate_near(evaluator, near, report));
    TRY(evaluate_fetch(evaluator, near, base, count, contacts, report));
    if (evaluator->regions == NULL) return CLACK_OK;
    const RegionInputs inputs = {evaluator->buffers[BUFFER_BODIES], evaluator->buffers[BUFFER_STATES]};
    return region_finder_run(evaluator->regions, &inputs, base, count, contacts, report);
}

// After a failure there are no rows of it: it may be tried again with fewer configurations.
static ClackStatus evaluate_batch(ClackEvaluator *evaluator, size_t base, size_t count, const UserState *states,
                                  ClackContacts *contacts, ClackReport *report) {
    const size_t rows = contacts->row_count, regions = contacts->region_count, points = contacts->contour_point_count;
    TRY(evaluate_upload_states(evaluator, count, states, report));
    const ClackStatus status = evaluate_rows(evaluator, base, count, contacts, report);
    if (status == CLACK_OK) return CLACK_OK;
    contacts->row_count = rows;
    contacts->region_count = regions;
    contacts->contour_point_count = points;
    return status;
}

// --- all batches --------------------------------------------------------------------------------

static ClackStatus evaluate_check_states(const ClackEvaluator *evaluator, size_t count, const UserState *states,
                                         ClackReport *report) {
    const size_t body_count = evaluator->scene.body_count;
    for (size_t i = 0; i < count * body_count; i++) {
        const UserState *in = &states[i];
        const double *q = in->orientation;
        double sum = 0; // NaN or infinite where any number is
        for (int k = 0; k < 3; k++) {
            sum += 0.0 * in->position_m[k] + 0.0 * in->velocity_m_per_s[k] + 0.0 * in->angular_velocity_rad_per_s[k];
        }
        const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        const char *defect = !real_is_finite(sum + 0.0 * square) ? "a number that is not finite"
                             : !(square > 0)                     ? "a quaternion of zero length"
                                                                 : NULL;
        if (defect == NULL || evaluator->body_flags[i % body_count] & BODY_ABSENT) continue;
        return report_add(report, CLACK_CORRUPT, "configuration %zu, body %zu: %s", i / body_count, i % body_count,
                          defect);
    }
    return CLACK_OK;
}

// A batch that is too big for the device's memory is halved.
static ClackStatus evaluate_all(ClackEvaluator *evaluator, size_t count, const UserState *states,
                                ClackContacts *contacts, ClackReport *report) {
    const size_t body_count = evaluator->scene.body_count;
    for (size_t base = 0; base < count;) {
        const size_t left = count - base, most = evaluator->batch_most;
        const size_t taken = left < most ? left : most;
        ClackReport attempt = {0};
        const ClackStatus status =
            evaluate_batch(evaluator, base, taken, states + base * body_count, contacts, &attempt);
        if (status != CLACK_OK && device_ran_out_of_memory(evaluator->device) && taken > 1) {
            evaluator->batch_most = (uint32_t)(taken / 2);
            clack_report_clear(&attempt);
            continue;
        }
        report_move(&attempt, report);
        if (status != CLACK_OK) return status;
        base += taken;
    }
    return CLACK_OK;
}

ClackStatus evaluate_states(ClackEvaluator *evaluator, size_t count, const UserState *states,
                            ClackContacts *out_contacts, ClackReport *report) {
    *out_contacts = (ClackContacts)CLACK_SIZED(ClackContacts);
    if (count > UINT32_MAX) {
        return report_add(report, CLACK_USAGE, "%zu configurations are too many for one call", count);
    }
    ClackContacts contacts = {.size = sizeof contacts, .configuration_count = count};
    ClackStatus status = CLACK_OK;
    contacts.first = calloc(count + 1, sizeof *contacts.first);
    contacts.first_region = calloc(count + 1, sizeof *contacts.first_region);
    if (contacts.first == NULL || contacts.first_region == NULL) {
        evaluate_free(&contacts);
        return report_add(report, CLACK_MEMORY, "no memory for %zu configurations", count);
    }
    TRY_CLEAN(evaluate_check_states(evaluator, count, states, report));
    TRY_CLEAN(evaluate_all(evaluator, count, states, &contacts, report));
    *out_contacts = contacts;
    return CLACK_OK;
cleanup:
    evaluate_free(&contacts);
    return status;
}

void evaluate_free(ClackContacts *contacts) {
    free(contacts->rows);
    free(contacts->first);
    free(contacts->regions);
    free(contacts->first_region);
    free(contacts->contour_points);
    *contacts = (ClackContacts){0};
}

// --- support points -----------------------------------------------------------------------------

int clack_evaluator_support(const ClackEvaluator *evaluator, uint32_t shape, const UserState *state,
                            const double direction[3], double out_point_m[3]) {
    assert(evaluator != NULL && state != NULL && shape < evaluator->scene.shape_count);
    const Batch *batch = &evaluator->batch;
    const Shape *about = &batch->shapes[shape];
    const SceneView view = {.scene = batch->scenes, .bodies = batch->bodies, .shapes = batch->shapes};
    const BodyState staged = evaluate_state(evaluator, about->body, state);
    const PlacedShape placed = pair_place_shape(&view, shape, &staged);
    const Vec3 local = mat3_rotate_back(placed.turn, vec3_make(direction[0], direction[1], direction[2]));
    if (about->kind == SHAPE_HALF_SPACE || about->kind == SHAPE_MESH) return 0;
    const Vec3 point = evaluator->scene.flags & SCENE_COMPAT_MODIA3D
                           ? shape_support_compat(about, batch->hull_rows, local)
                           : shape_support(about, batch->hull_rows, local);
    const Vec3 world = vec3_add(vec3_add(staged.position_m, placed.arm_m), mat3_rotate(placed.turn, point));
    out_point_m[0] = world.x;
    out_point_m[1] = world.y;
    out_point_m[2] = world.z;
    return 1;
}
