// clack bench: distances and forces of each two shapes by the flat kernels of `clack evaluate`, one pair for each
// work-item. Pairs overlap, touch and are apart in turn, since each of these takes another way through the search.
#include "command_bench.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate.h"
#include "law/contact_force.h"

#define PAIRS_PROCESSOR 4096u
#define PAIRS_GPU 262144u
#define POINTS_SHARE 0.05 // of the time of a point: there are hundreds of them
#define HULL_POINTS 64
#define PLACING_ROUNDS 12
#define PLACED_M 1e-15
#define START_DISTANCE_M 3.0 // of the centres: no two of the solids touch
#define PAIR_BYTES                                                                                                     \
    (sizeof(NearPair) + 2 * sizeof(BodyState) + sizeof(PairKinematics)) // that evaluate_narrow reads and writes
#define TEXT_BYTES 8192
#define NAME_BYTES 48

// Sizes about 1 m: those of the files that other libraries are compared on (bench/peers).
typedef struct PairShape {
    const char *name, *text; // text NULL: the hull
} PairShape;

static const PairShape shapes[] = {
    {"half_space", "half_space: {}"},
    {"sphere", "sphere: {diameter: 1}"},
    {"capsule", "capsule: {diameter: 0.8, length: 0.6}"},
    {"ellipsoid", "ellipsoid: {lengths: [0.8, 1, 1.2]}"},
    {"box", "box: {lengths: [0.8, 1, 1.2]}"},
    {"cylinder", "cylinder: {diameter: 0.9, length: 1}"},
    {"cone", "cone: {diameter: 1, length: 1}"},
    {"beam", "beam: {length: 0.8, width: 0.6, thickness: 0.5, axis: x}"},
    {"hull", NULL},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

// Distances are drawn evenly in the logarithm; all of "touching" is within what a contact's begin is located to.
typedef struct Regime {
    const char *name;
    double least_m, most_m, sign;
} Regime;

static const Regime regimes[] = {
    {"overlapping", 1e-6, 1e-2, -1}, {"touching", 1e-15, 1e-12, 1}, {"apart", 1e-3, 1e-1, 1}};
#define REGIMES (sizeof regimes / sizeof *regimes)

// The same numbers everywhere: the constants are those of Numerical Recipes' quick generator.
static double pairs_uniform(uint32_t *seed, double low, double high) {
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * ((double)(*seed >> 8) + 0.5) / 16777216.0;
}

static void pairs_direction(uint32_t *seed, double out[3]) {
    const double z = pairs_uniform(seed, -1, 1), turn = pairs_uniform(seed, 0, 6.283185307179586), r = sqrt(1 - z * z);
    out[0] = r * cos(turn);
    out[1] = r * sin(turn);
    out[2] = z;
}

static size_t pairs_put_shape(const PairShape *shape, char *text, size_t bytes) {
    if (shape->text != NULL) return (size_t)snprintf(text, bytes, "{%s}", shape->text);
    static const double half_m[3] = {0.4, 0.5, 0.6};
    uint32_t seed = 7;
    size_t used = (size_t)snprintf(text, bytes, "{hull: {points: [");
    for (int k = 0; k < HULL_POINTS && used < bytes; k++) {
        double u[3];
        pairs_direction(&seed, u);
        used += (size_t)snprintf(text + used, bytes - used, "%s[%.6f, %.6f, %.6f]", k == 0 ? "" : ", ",
                                 half_m[0] * u[0], half_m[1] * u[1], half_m[2] * u[2]);
    }
    return used + (size_t)snprintf(text + used, bytes - used, "]}}");
}

typedef struct PairPoint { // one class of pairs in one regime, by one method
    const PairShape *a, *b;
    const char *method; // "exact", "mpr"
    ClackEvaluator *evaluator;
    size_t count;
} PairPoint;

static void pairs_name(const PairShape *a, const PairShape *b, char name[NAME_BYTES]) {
    snprintf(name, NAME_BYTES, "%s-%s", a->name, b->name);
}

// Which two shapes a name like "box-cylinder" means; 0: none that are measured.
static int pairs_find(const char *name, const PairShape **out_a, const PairShape **out_b) {
    char known[NAME_BYTES];
    for (size_t a = 0; a < SHAPES; a++)
        for (size_t b = a == 0 ? 1 : a; b < SHAPES; b++) {
            pairs_name(&shapes[a], &shapes[b], known);
            if (strcmp(name, known) != 0) continue;
            *out_a = &shapes[a];
            *out_b = &shapes[b];
            return 1;
        }
    return 0;
}

int command_bench_is_pair(const char *name) {
    const PairShape *a, *b;
    return pairs_find(name, &a, &b);
}

static ClackStatus pairs_study(const PairShape *a, const PairShape *b, const char *method, ClackStudy **out_study,
                               ClackReport *report) {
    char text[TEXT_BYTES];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "format: 1\nscene:\n  contacts: single\n  bodies:\n    a: {material: steel, "
                                   "fixed: %s, shapes: [",
                                   a == shapes ? "true" : "false");
    used += pairs_put_shape(a, text + used, sizeof text - used);
    used += (size_t)snprintf(text + used, sizeof text - used, "]}\n    b: {material: steel, shapes: [");
    used += pairs_put_shape(b, text + used, sizeof text - used);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "]}\ndesign: {monte_carlo: {samples: 1}}\nsolver: {end: 1, "
                             "narrow_phase: %s}\n",
                             method);
    const ClackStudyOptions options = {.size = sizeof options, .text = text, .text_bytes = used};
    return clack_study_read("pair.yaml", &options, out_study, report);
}

ClackStatus command_bench_pair_study(const char *name, const char *method, ClackStudy **out_study,
                                     ClackReport *report) {
    const PairShape *a, *b;
    if (!pairs_find(name, &a, &b)) return report_add(report, CLACK_USAGE, "no such pair: \"%s\"", name);
    return pairs_study(a, b, method, out_study, report);
}

static ClackStatus pairs_open(const Bench *bench, PairPoint *point, ClackReport *report) {
    const ClackEvaluateOptions options = {.size = sizeof options, .device = &bench->arguments->device, .list_all = 1};
    ClackStudy *study = NULL;
    ClackStatus status = pairs_study(point->a, point->b, point->method, &study, report);
    if (status == CLACK_OK) status = clack_evaluator_open(study, &options, &point->evaluator, report);
    clack_study_free(study);
    return status;
}

// --- placing ------------------------------------------------------------------------------------------------

typedef struct PairPlaces {
    ClackBodyState *states; // (count, 2)
    double (*along)[3];     // (count): unit, on which B is moved
    double *wanted_m;       // (count): the distance
    double *moved_m;        // (count): of B from A
} PairPlaces;

static void pairs_put(PairPlaces *places, size_t i) {
    for (int k = 0; k < 3; k++)
        places->states[2 * i + 1].position_m[k] =
            places->states[2 * i].position_m[k] + places->moved_m[i] * places->along[i][k];
}

static ClackStatus pairs_draw(const PairPoint *point, const Regime *regime, PairPlaces *places) {
    uint32_t seed = 1;
    const size_t n = point->count;
    places->states = calloc(2 * n, sizeof *places->states);
    places->along = calloc(n, sizeof *places->along);
    places->wanted_m = calloc(n, sizeof *places->wanted_m);
    places->moved_m = calloc(n, sizeof *places->moved_m);
    if (places->states == NULL || places->along == NULL || places->wanted_m == NULL || places->moved_m == NULL)
        return CLACK_MEMORY;
    for (size_t i = 0; i < n; i++) {
        ClackBodyState *a = &places->states[2 * i], *b = a + 1;
        const int is_ground = point->a == shapes;
        a->orientation[0] = 1;
        for (int k = 0; k < 4; k++) {
            if (!is_ground) a->orientation[k] = pairs_uniform(&seed, -1, 1);
            b->orientation[k] = pairs_uniform(&seed, -1, 1);
        }
        for (int k = 0; k < 3; k++) b->velocity_m_per_s[k] = pairs_uniform(&seed, -1, 1);
        pairs_direction(&seed, places->along[i]);
        if (is_ground) memcpy(places->along[i], (double[3]){0, 0, 1}, sizeof places->along[i]);
        places->wanted_m[i] = regime->sign * exp(pairs_uniform(&seed, log(regime->least_m), log(regime->most_m)));
        places->moved_m[i] = START_DISTANCE_M;
        pairs_put(places, i);
    }
    return CLACK_OK;
}

static void pairs_free(PairPlaces *places) {
    free(places->states);
    free(places->along);
    free(places->wanted_m);
    free(places->moved_m);
}

// Newton's method from afar, along a line: the distance of convex solids is convex there, so it never goes too far. It
// ends where rounding alone moves them: of several hundred thousand pairs the host's part of a round takes longer than
// the kernels.
static ClackStatus pairs_place(const PairPoint *point, PairPlaces *places, ClackReport *report) {
    double farthest_m = INFINITY;
    for (int round = 0; round < PLACING_ROUNDS && farthest_m > PLACED_M; round++) {
        farthest_m = 0;
        ClackContacts contacts = CLACK_SIZED(ClackContacts);
        const ClackStatus status = clack_evaluate(point->evaluator, point->count, places->states, &contacts, report);
        if (status != CLACK_OK) return status;
        for (size_t r = 0; r < contacts.row_count; r++) {
            const ClackContact *row = &contacts.rows[r];
            const size_t i = row->configuration;
            double slope = 0;
            for (int k = 0; k < 3; k++) slope += row->normal[k] * places->along[i][k];
            const double step_m = slope > 0.01 ? (row->distance_m - places->wanted_m[i]) / slope : 0;
            places->moved_m[i] -= step_m;
            farthest_m = fmax(farthest_m, fabs(step_m));
            pairs_put(places, i);
        }
        clack_contacts_free(&contacts);
    }
    return CLACK_OK;
}

// --- measuring ----------------------------------------------------------------------------------------------

typedef struct PairTimes {
    double narrow_s, force_s, all_s; // of `count` pairs, the least of several repeats
    double iterations;               // mean
    size_t not_ok, rows;
} PairTimes;

static ClackStatus pairs_measure(const Bench *bench, const PairPoint *point, const PairPlaces *places, PairTimes *out,
                                 ClackReport *report) {
    const Device *device = evaluate_device(point->evaluator);
    const double start_s = command_bench_now_s();
    *out = (PairTimes){.narrow_s = INFINITY, .force_s = INFINITY, .all_s = INFINITY};
    for (int k = 0; k < 2 || command_bench_now_s() - start_s < POINTS_SHARE * bench->point_s; k++) {
        ClackContacts contacts = CLACK_SIZED(ClackContacts);
        const double narrow_s = device_kernel_s(device, KERNEL_evaluate_narrow),
                     force_s = device_kernel_s(device, KERNEL_evaluate_force);
        const double before_s = command_bench_now_s();
        const ClackStatus status = clack_evaluate(point->evaluator, point->count, places->states, &contacts, report);
        if (status != CLACK_OK) return status;
        out->all_s = fmin(out->all_s, command_bench_now_s() - before_s);
        out->narrow_s = fmin(out->narrow_s, device_kernel_s(device, KERNEL_evaluate_narrow) - narrow_s);
        out->force_s = fmin(out->force_s, device_kernel_s(device, KERNEL_evaluate_force) - force_s);
        out->iterations = 0;
        out->not_ok = 0;
        out->rows = contacts.row_count;
        for (size_t r = 0; r < contacts.row_count; r++) {
            out->iterations += contacts.rows[r].iterations / (double)contacts.row_count;
            out->not_ok += contacts.rows[r].status != 0;
        }
        clack_contacts_free(&contacts);
    }
    return CLACK_OK;
}

// Pairs are placed by the exact search, whatever they are measured with.
static ClackStatus pairs_regime(const Bench *bench, const PairPoint *placing, const PairPoint *points, size_t methods,
                                const Regime *regime, PairTimes *out_times, ClackReport *report) {
    PairPlaces places = {0};
    ClackStatus status = pairs_draw(placing, regime, &places);
    if (status == CLACK_OK) status = pairs_place(placing, &places, report);
    for (size_t m = 0; m < methods && status == CLACK_OK; m++)
        status = pairs_measure(bench, &points[m], &places, &out_times[m], report);
    pairs_free(&places);
    return status;
}

static void pairs_print(const Bench *bench, const PairPoint *point, const PairTimes times[REGIMES]) {
    const double n = (double)point->count;
    char name[NAME_BYTES];
    pairs_name(point->a, point->b, name);
    const char *method = times[0].iterations + times[1].iterations + times[2].iterations > 0 ? point->method : "closed";
    command_bench_print(bench, "%-22s %-6s", name, method);
    json_t *row = json_pack("{s:s, s:s, s:I}", "pair", name, "method", method, "pairs", (json_int_t)point->count);
    for (size_t r = 0; r < REGIMES; r++) {
        const PairTimes *t = &times[r];
        command_bench_print(bench, " %8.1f %8.1f %5.1f %5zu", 1e9 * t->narrow_s / n, 1e9 * t->all_s / n, t->iterations,
                            t->not_ok);
        json_object_set_new(row, regimes[r].name,
                            json_pack("{s:f, s:f, s:f, s:f, s:f, s:I, s:f}", "pairs_per_kernel_s", n / t->narrow_s,
                                      "forces_per_kernel_s", n / t->force_s, "pairs_per_s", n / t->all_s, "narrow_s",
                                      t->narrow_s, "iterations", t->iterations, "not_ok", (json_int_t)t->not_ok,
                                      "memory_share", n * PAIR_BYTES / t->narrow_s / bench->bytes_per_s));
    }
    command_bench_print(bench, " %7.1f\n", 1e9 * times[1].force_s / n);
    json_array_append_new(json_object_get(bench->document, "pairs"), row);
}

static ClackStatus pairs_class(const Bench *bench, const PairShape *a, const PairShape *b, ClackReport *report) {
    static const char *const methods[] = {"exact", "mpr"};
    PairPoint points[2] = {0};
    PairTimes by_regime[REGIMES][2], by_method[2][REGIMES];
    const int is_gpu = json_is_true(json_object_get(json_object_get(bench->document, "device"), "is_gpu"));
    const size_t most = is_gpu ? PAIRS_GPU : PAIRS_PROCESSOR;
    // A half-space and two spheres are closed forms either way.
    const size_t count = a == shapes || (a == b && a == shapes + 1) ? 1 : 2;
    ClackStatus status = CLACK_OK;
    for (size_t m = 0; m < count && status == CLACK_OK; m++) {
        points[m] =
            (PairPoint){.a = a, .b = b, .method = methods[m], .count = bench->scenes < most ? bench->scenes : most};
        status = pairs_open(bench, &points[m], report);
    }
    for (size_t r = 0; r < REGIMES && status == CLACK_OK; r++)
        status = pairs_regime(bench, &points[0], points, count, &regimes[r], by_regime[r], report);
    for (size_t m = 0; m < count && status == CLACK_OK; m++) {
        for (size_t r = 0; r < REGIMES; r++) by_method[m][r] = by_regime[r][m];
        pairs_print(bench, &points[m], by_method[m]);
    }
    for (size_t m = 0; m < count; m++) clack_evaluator_close(points[m].evaluator);
    return status;
}

static int pairs_are_wanted(const Bench *bench, const PairShape *a, const PairShape *b) {
    char name[NAME_BYTES];
    pairs_name(a, b, name);
    return command_bench_wants(bench, "pairs") || command_bench_wants(bench, name);
}

static void pairs_print_head(const Bench *bench) {
    command_bench_print(bench,
                        "pairs, ns each: k. the kernel alone, all with states and contacts copied; iterations; results "
                        "that are flagged\n%29s",
                        "");
    for (size_t r = 0; r < REGIMES; r++) command_bench_print(bench, " %-29s", regimes[r].name);
    command_bench_print(bench, " %7s\n%-22s %-6s", "force", "", "");
    for (size_t r = 0; r < REGIMES; r++) command_bench_print(bench, " %8s %8s %5s %5s", "k.", "all", "iter", "flags");
    command_bench_print(bench, " %7s\n", "k.");
}

ClackStatus command_bench_pairs(Bench *bench, ClackReport *report) {
    for (size_t a = 0; a < SHAPES; a++)
        for (size_t b = a == 0 ? 1 : a; b < SHAPES; b++) {
            if (!pairs_are_wanted(bench, &shapes[a], &shapes[b])) continue;
            if (json_object_get(bench->document, "pairs") == NULL) {
                json_object_set_new(bench->document, "pairs", json_array());
                pairs_print_head(bench);
            }
            TRY(pairs_class(bench, &shapes[a], &shapes[b], report));
        }
    if (json_object_get(bench->document, "pairs") != NULL) command_bench_print(bench, "\n");
    return CLACK_OK;
}
