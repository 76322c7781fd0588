// How scenes start: bodies that are deep in one another, which is most often a mistake of the study.
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "arithmetic.h"
#include "assembly.h"
#include "body_warning.h"
#include "evaluate.h"
#include "left_out.h"
#include "sample.h"
#include "stage.h"
#include "study.h"
#include "geometry/manifold_pair.h"
#include "model/scene_types.h"

#define DEEP_SHARE 0.1           // of the smaller shape, as of the flag deep_start
#define QUASI_START_SHARE 1.0e-3 // likewise, as of the status deep_start
#define SHAPES_MOST 2000         // all pairs of them are listed
#define REPORTED_MOST 5

typedef struct DeepStart { // two bodies
    uint32_t body_a, body_b;
    double depth_m;
    int is_refused; // no method steps it from there
} DeepStart;

static int start_compare(const void *a, const void *b) {
    const DeepStart *x = a, *y = b;
    if (x->depth_m != y->depth_m) return x->depth_m > y->depth_m ? -1 : 1;
    if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
    return (x->body_b > y->body_b) - (x->body_b < y->body_b);
}

// Thickness of the layer of two quasi-rigid shapes; 0: they have none.
static double start_layer_m(const SceneDescription *scene, uint32_t shape_a, uint32_t shape_b) {
    const uint32_t a = scene->shapes[shape_a].contact_material, b = scene->shapes[shape_b].contact_material;
    double layer_m = 0;
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        const ScenePair *pair = &scene->pairs[p];
        if ((pair->material_a == a && pair->material_b == b) || (pair->material_a == b && pair->material_b == a))
            layer_m = pair->has_layer ? pair->layer_thickness_m : 0;
    }
    return layer_m;
}

// How deep they may start in each other: their layer, and what a step may push apart.
static double start_most_m(const SceneDescription *scene, const ClackContact *row, double smaller_m) {
    return QUASI_START_SHARE * smaller_m + start_layer_m(scene, row->shape_a, row->shape_b);
}

// Two bodies may start in each other more than once: the deepest counts.
static void start_add(DeepStart *starts, size_t *count, DeepStart more) {
    size_t at = 0;
    while (at < *count && (starts[at].body_a != more.body_a || starts[at].body_b != more.body_b)) at++;
    if (at == *count) starts[(*count)++] = (DeepStart){.body_a = more.body_a, .body_b = more.body_b};
    starts[at].depth_m = fmax(starts[at].depth_m, more.depth_m);
    starts[at].is_refused |= more.is_refused;
}

// The deepest contact of each two bodies that the flag would be set for; out (row_count + region_count).
static size_t start_find(const SceneDescription *scene, const ClackContacts *contacts, const Batch *batch,
                         DeepStart *out) {
    const int is_quasi_rigid = scene->method == METHOD_QUASI_RIGID;
    size_t count = 0;
    for (size_t i = 0; i < contacts->row_count; i++) {
        const ClackContact *row = &contacts->rows[i];
        const Shape *a = &batch->shapes[row->shape_a], *b = &batch->shapes[row->shape_b];
        const double smaller_m = fmin(a->bound_radius_m, b->bound_radius_m);
        const int is_refused = is_quasi_rigid && row->distance_m < -start_most_m(scene, row, smaller_m);
        if (row->normal_N == 0 || !(is_refused || row->distance_m < -DEEP_SHARE * smaller_m)) continue; // an observer's
        start_add(out, &count, (DeepStart){row->body_a, row->body_b, -row->distance_m, is_refused});
    }
    // Of what is engulfed, and of holes, there is no thickness, and no force.
    for (size_t i = 0; i < contacts->region_count; i++) {
        const ClackRegion *row = &contacts->regions[i];
        const Shape *a = &batch->shapes[row->shape_a], *b = &batch->shapes[row->shape_b];
        if (stage_are_tied(scene, row->body_a, row->body_b)) continue;
        if (row->thickness_m > DEEP_SHARE * fmin(a->bound_radius_m, b->bound_radius_m))
            start_add(out, &count, (DeepStart){row->body_a, row->body_b, row->thickness_m, 0});
    }
    qsort(out, count, sizeof *out, start_compare);
    return count;
}

static ClackStatus start_report(const Study *study, uint64_t scene, const DeepStart *starts, size_t count,
                                ClackReport *report) {
    const SceneBody *bodies = study->scene.bodies;
    ClackStatus status = CLACK_OK;
    for (size_t i = 0; i < count && i < REPORTED_MOST; i++) {
        const char *a = bodies[starts[i].body_a].name, *b = bodies[starts[i].body_b].name;
        if (starts[i].is_refused && study->parameter_count > 0) // it fails alone
            body_warn(study, starts[i].body_b, report,
                      "scene %" PRIu64 " starts with the quasi-rigid bodies %s and %s %.3g m deep in each other, more "
                      "than their layer takes, and fails (deep_start)",
                      scene, a, b, starts[i].depth_m);
        else if (starts[i].is_refused)
            status = body_error(study, starts[i].body_b, report,
                                "expected quasi-rigid bodies that do not start in each other by more than their layer, "
                                "found %s and %s %.3g m deep in scene %" PRIu64,
                                a, b, starts[i].depth_m, scene);
        else
            body_warn(study, starts[i].body_b, report,
                      "scene %" PRIu64 " starts with %s and %s %.3g m deep in each other, more than a tenth of the "
                      "smaller shape",
                      scene, a, b, starts[i].depth_m);
    }
    if (count > REPORTED_MOST)
        report_warn(report, "scene %" PRIu64 " starts with %zu more pairs of bodies deep in each other", scene,
                    count - REPORTED_MOST);
    return status;
}

// Layers that give way by more than edges are rounded, the first one of each two materials: deeper than that edges lose
// their contact. Those of Hertz's law have no bound; the flag deep_contact tells of them.
static void start_tell_layers(const Study *study, const SceneDescription *scene, const Batch *batch,
                              ClackReport *report) {
    uint32_t reported[REPORTED_MOST][2];
    size_t count = 0;
    for (size_t i = 0; i < batch->shape_count && scene->method == METHOD_QUASI_RIGID; i++)
        for (size_t j = i + 1; j < batch->shape_count && count < REPORTED_MOST; j++) {
            const Shape *a = &batch->shapes[i], *b = &batch->shapes[j];
            if (a->body == b->body || !manifold_is_pair(a, b)) continue; // no edges that cross
            if (batch->bodies[a->body].flags & batch->bodies[b->body].flags & BODY_FIXED) continue;
            const double layer_m = start_layer_m(scene, (uint32_t)i, (uint32_t)j);
            const double round_m = shape_ball_radius(a) + shape_ball_radius(b);
            if (!(layer_m > round_m) || isinf(layer_m)) continue;
            size_t k = 0;
            while (k < count && (reported[k][0] != a->material || reported[k][1] != b->material)) k++;
            if (k < count) continue;
            reported[count][0] = a->material;
            reported[count++][1] = b->material;
            body_warn(study, b->body, report,
                      "the layer of %s and %s gives way by up to %g m, and their edges are rounded by %g m together: "
                      "where edges cross deeper than that they have no contact (a greater smoothing mends it)",
                      study->scene.bodies[a->body].name, study->scene.bodies[b->body].name, layer_m, round_m);
        }
}

static ClackStatus start_evaluate(const Study *study, uint64_t number, const Batch *batch, ClackContacts *out_contacts,
                                  ClackReport *report) {
    const ClackDeviceOptions device = {.choice = "native", .threads = 1, .allow_inexact = ARITHMETIC_UNASKED};
    const ClackEvaluateOptions options = {.device = &device, .scene = number};
    ClackEvaluator *evaluator = NULL;
    ClackBodyState *states = calloc(batch->body_count + 1, sizeof *states);
    ClackStatus status = CLACK_OK;
    if (states == NULL) return report_add(report, CLACK_MEMORY, "no memory for the start of a scene");
    for (size_t b = 0; b < batch->body_count; b++) states[b] = stage_user_state(&batch->bodies[b], &batch->states[b]);
    TRY_CLEAN(evaluate_open(study, &options, &evaluator, report));
    status = evaluate_states(evaluator, 1, states, out_contacts, report);
cleanup:
    clack_evaluator_close(evaluator);
    free(states);
    return status;
}

static ClackStatus start_stage(const Study *study, uint64_t number, double *values, SceneDescription *out_scene,
                               Batch *out_batch, ClackReport *report) {
    TRY(sample_numbered(study, number, values, out_scene, report));
    const Capacities room = stage_capacities(out_scene);
    return stage_pack(study, out_scene, &number, &room, 1, out_batch, report);
}

// How far joints that are given slightly off move bodies, and what cannot be kept together.
static ClackStatus start_tell_assembly(const SceneDescription *scene, uint64_t number, ClackReport *report) {
    Assembly assembly;
    if (!assembly_is_needed(scene)) return CLACK_OK;
    TRY(assembly_try(scene, &assembly, report));
    if (assembly.moved_m > 0.0)
        report_warn(report, "scene %" PRIu64 ": bodies are moved by up to %.3g m before the start, so that joints hold",
                    number, assembly.moved_m);
    if (assembly.misfit_m > 0.0)
        report_warn(
            report,
            "scene %" PRIu64 ": joints cannot all hold as they are given: joint \"%s\" is off by %.3g m where "
            "bodies fit best, and holds there from then on; where that is not meant, one of them may leave more "
            "free (\"spherical\", \"cylindrical\")",
            number, scene->joints[assembly.joint].name, assembly.misfit_m);
    return CLACK_OK;
}

ClackStatus clack_study_check_start(const ClackStudy *study, uint64_t number, ClackReport *report) {
    assert(study != NULL);
    if (number >= study->design.scene_count) return study_refuse_scene(study->design.scene_count, number, report);
    if (study->scene.shape_count > SHAPES_MOST) return CLACK_OK;
    SceneDescription scene = {0};
    Batch batch = {0};
    ClackContacts contacts = {0};
    DeepStart *starts = NULL;
    ClackReport why = {0};
    ClackStatus status = CLACK_OK;
    double *values = calloc((size_t)study->parameter_count + 1, sizeof *values);
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for the start of a scene");
    status = start_stage(study, number, values, &scene, &batch, &why);
    if (status == CLACK_STUDY && study->parameter_count > 0) { // it fails alone
        left_out_report(study, number, report);
        status = CLACK_OK;
        goto cleanup;
    }
    report_move(&why, report);
    TRY_CLEAN(status);
    TRY_CLEAN(start_tell_assembly(&scene, number, report));
    start_tell_layers(study, &scene, &batch, report);
    TRY_CLEAN(start_evaluate(study, number, &batch, &contacts, report));
    starts = calloc(contacts.row_count + contacts.region_count + 1, sizeof *starts);
    if (starts == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for the start of a scene"));
    status = start_report(study, number, starts, start_find(&scene, &contacts, &batch, starts), report);
cleanup:
    clack_report_clear(&why);
    free(starts);
    evaluate_free(&contacts);
    stage_free(&batch);
    scene_free(&scene);
    free(values);
    return status;
}
