// What a scene is made of before it runs: masses, radii of contact and smoothing, constants of pairs that may touch.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "describe.h"
#include "sample.h"
#include "stage.h"
#include "status.h"
#include "study.h"
#include "text.h"
#include "law/law_damping.h"
#include "model/scene_types.h"

#define PAIRS_SHOWN 30

static const char *kind_word(uint32_t kind) {
    static const char *const words[] = {[SHAPE_SPHERE] = "sphere",
                                        [SHAPE_BOX] = "box",
                                        [SHAPE_CAPSULE] = "capsule",
                                        [SHAPE_HALF_SPACE] = "half_space",
                                        [SHAPE_ELLIPSOID] = "ellipsoid",
                                        [SHAPE_CYLINDER] = "cylinder",
                                        [SHAPE_CONE] = "cone",
                                        [SHAPE_BEAM] = "beam",
                                        [SHAPE_HULL] = "hull",
                                        [SHAPE_MESH] = "mesh",
                                        [SHAPE_SUPERQUADRIC] = "superquadric"};
    return words[kind];
}

static void print_body(FILE *out, const SceneBody *given, const Body *body) {
    fputs("  ", out);
    text_put(out, given->name, 0);
    if (given->is_absent)
        fputs(": absent\n", out);
    else if (body->flags & BODY_FIXED)
        fputs(": fixed\n", out);
    else
        fprintf(out, ": %.6g kg, principal moments %.6g, %.6g, %.6g kg m^2\n", body->mass_kg, body->inertia_kg_m2.x,
                body->inertia_kg_m2.y, body->inertia_kg_m2.z);
}

static void print_shape(FILE *out, uint32_t number, const Shape *shape, int has_regions) {
    fprintf(out, "    shapes[%u]: %s", number, kind_word(shape->kind));
    if (has_regions || shape->kind == SHAPE_MESH)
        fputs(", a surface of triangles", out);
    else if (shape->flags & SHAPE_LOCAL)
        fputs(", radius of contact local", out);
    else if (shape->kind != SHAPE_HALF_SPACE)
        fprintf(out, ", radius of contact %.6g m%s", shape->contact_radius_m,
                shape->flags & SHAPE_FLAT ? " (flat)" : "");
    if (shape->smoothing_m > 0 && shape->kind != SHAPE_SUPERQUADRIC)
        fprintf(out, ", edges rounded by %.6g m", shape->smoothing_m);
    fputc('\n', out);
}

static void print_friction(FILE *out, const MaterialPairLaw *law) {
    fprintf(out, ", friction %.6g", law->friction);
    if (law->rolling > 0) fprintf(out, ", rolling %.6g", law->rolling);
    fputc('\n', out);
}

#define ACHIEVED_HALVINGS 60     // to rounding
#define ACHIEVED_DIFFERENCE 1e-6 // what is no other restitution

// The ratio of speeds of an undisturbed impact whose damping is d v = alpha: the root of relation (R) of
// kernels/law/README.md, "The contact law", divided by alpha^2, whose sides law_exact_alpha has for the other unknown.
static double achieved_restitution(double alpha) {
    const double in = law_log_remainder(alpha);
    double low = 0, high = alpha > 1 ? 1 / alpha : 1;
    for (int i = 0; i < ACHIEVED_HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        if (middle * middle * law_log_remainder(-alpha * middle) < in)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// Most formulas of damping approximate the restitution they are given: what comes of it is reported.
static void print_restitution(FILE *out, const MaterialPairLaw *law) {
    const double alpha = law_damping_alpha(law->damping, law->restitution);
    fprintf(out, ", restitution %.6g, damping %s", law->restitution, study_damping_name(law->damping));
    const double achieved = alpha < REAL_HUGE ? achieved_restitution(alpha) : 0;
    if (fabs(achieved - law->restitution) > ACHIEVED_DIFFERENCE) fprintf(out, " (gives %.4g)", achieved);
}

// Does the radius of contact of a shape come from its sizes, though it is no radius of it, and does it count beside
// that of the other one?
static int has_default_radius(const SceneShape *given, const Shape *own, const Shape *other) {
    const int is_round = own->kind == SHAPE_SPHERE || own->kind == SHAPE_CAPSULE || own->kind == SHAPE_HALF_SPACE;
    const int counts = !(own->flags & SHAPE_FLAT) || (other->flags & SHAPE_FLAT);
    return !is_round && counts && !(given->contact_radius_m > 0);
}

static void print_radius(FILE *out, const SceneDescription *scene, const Batch *batch, size_t i, size_t k) {
    const Shape *a = &batch->shapes[i], *b = &batch->shapes[k];
    const int is_default = has_default_radius(&scene->shapes[i], a, b) || has_default_radius(&scene->shapes[k], b, a);
    fprintf(out, ": R* %.6g m%s",
            law_radius_m(a->contact_radius_m, a->flags & SHAPE_FLAT, b->contact_radius_m, b->flags & SHAPE_FLAT),
            is_default ? " (of sizes, by default: contact_radius)" : "");
}

// What is as in the study's own words is left to the study: what comes of several of its numbers is reported.
static void print_pair(FILE *out, const SceneDescription *scene, const Batch *batch, size_t i, size_t k) {
    const int has_regions = scene->method == METHOD_TRAPEZOIDAL;
    const Shape *a = &batch->shapes[i], *b = &batch->shapes[k];
    const MaterialPairLaw *law = &batch->laws[a->material * scene->material_count + b->material];
    fputs("  ", out);
    text_put(out, scene->bodies[a->body].name, 0);
    fputs(" - ", out);
    text_put(out, scene->bodies[b->body].name, 0);
    if (law->flags & LAW_OBSERVER) {
        fputs(": observed, without force\n", out);
        return;
    }
    if (law->normal_law == NORMAL_LINEAR)
        fprintf(out, ": linear, stiffness %.6g N/m", law->stiffness_N_per_m);
    else if (law->flags & LAW_LAYER)
        fputs(": quasi-rigid, with a layer", out);
    else if (scene->method == METHOD_QUASI_RIGID)
        fputs(": rigid, without rebound", out);
    else if (has_regions)
        fprintf(out, ": modulus %.6g Pa", law->modulus_Pa);
    else if ((a->flags | b->flags) & SHAPE_LOCAL)
        fprintf(out, ": R* local, modulus %.6g Pa", law->modulus_Pa);
    else {
        print_radius(out, scene, batch, i, k);
        fprintf(out, ", modulus %.6g Pa", law->modulus_Pa);
    }
    if (law->normal_law != NORMAL_LINEAR && scene->method != METHOD_QUASI_RIGID) print_restitution(out, law);
    print_friction(out, law);
}

static void print_pairs(FILE *out, const SceneDescription *scene, const Batch *batch) {
    size_t count = 0;
    for (size_t i = 0; i < batch->shape_count; i++)
        for (size_t k = i + 1; k < batch->shape_count; k++) {
            const Shape *a = &batch->shapes[i], *b = &batch->shapes[k];
            if (!scene_may_touch(scene, a->body, b->body) || stage_are_tied(scene, a->body, b->body)) continue;
            if (scene->bodies[a->body].is_absent || scene->bodies[b->body].is_absent) continue;
            if (count++ >= PAIRS_SHOWN) continue;
            print_pair(out, scene, batch, i, k);
        }
    if (count > PAIRS_SHOWN) fprintf(out, "  and %zu more pairs of shapes\n", count - PAIRS_SHOWN);
}

ClackStatus describe_start(FILE *out, const ClackStudy *study, uint64_t number, ClackReport *report) {
    SceneDescription scene = {0};
    Batch batch = {0};
    ClackStatus status = CLACK_OK;
    double *values = calloc((size_t)study->parameter_count + 1, sizeof *values);
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for the start of a scene");
    TRY_CLEAN(sample_numbered(study, number, values, &scene, report));
    const Capacities room = stage_capacities(&scene);
    TRY_CLEAN(stage_pack(study, &scene, &number, &room, 1, &batch, report));
    const int has_regions = scene.method == METHOD_TRAPEZOIDAL;
    fprintf(out, "scene %" PRIu64 ":\n", number);
    for (uint32_t b = 0; b < scene.body_count; b++) {
        const SceneBody *body = &scene.bodies[b];
        print_body(out, body, &batch.bodies[b]);
        for (uint32_t i = 0; i < body->shape_count && !body->is_absent; i++)
            print_shape(out, i, &batch.shapes[body->shape_first + i], has_regions);
    }
    print_pairs(out, &scene, &batch);
cleanup:
    stage_free(&batch);
    scene_free(&scene);
    free(values);
    return status;
}
