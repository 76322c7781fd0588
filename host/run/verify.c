// How far results are from those of smaller errors: a share of the scenes run again, refined.
#include "verify.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "batch_rows.h"
#include "quantity.h"
#include "run_resume.h"
#include "sample.h"
#include "stepper.h"

typedef struct Verify {
    const Study *study;
    ClackVerification *out;
    uint64_t scene_count; // of the run: from these some are drawn
    UserState *states;    // (scene_count, body_count): at the end of the first run
    uint32_t *statuses;   // (scene_count)
    uint32_t *events;     // (scene_count)
    uint64_t next;        // row of the batch's first scene
    int is_refined;       // the second run
} Verify;

static double verify_distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void verify_take_run(Verify *verify, const ClackBatch *finished, uint32_t index) {
    const uint64_t row = verify->next + index;
    const uint32_t count = verify->study->quantity_count, bodies = verify->study->scene.body_count;
    const Progress *progress = &batch_rows_behind(finished)->result->progress[index];
    const Scene *scene = &batch_rows_behind(finished)->batch->scenes[index];
    verify->statuses[row] = finished->statuses[index];
    verify->events[row] = progress->event_total;
    verify->out->error_sum_m_per_s[row] = progress->error_sum_m_per_s;
    memcpy(verify->out->quantities + row * count, finished->quantities + (size_t)index * count, count * sizeof(double));
    for (uint32_t b = 0; b < scene->body_count && b < bodies; b++) {
        verify->states[row * bodies + b] =
            stage_user_state(&batch_rows_behind(finished)->batch->bodies[scene->body_first + b],
                             &batch_rows_behind(finished)->result->states[scene->body_first + b]);
    }
}

// Differences of a scene that ended well both ways.
static void verify_compare_scene(Verify *verify, const ClackBatch *finished, uint32_t index) {
    const uint64_t row = verify->next + index;
    const uint32_t count = verify->study->quantity_count, bodies = verify->study->scene.body_count;
    const Scene *scene = &batch_rows_behind(finished)->batch->scenes[index];
    ClackVerification *out = verify->out;
    double position_m = 0, velocity_m_per_s = 0;
    for (uint32_t b = 0; b < scene->body_count && b < bodies; b++) {
        const Body *body = &batch_rows_behind(finished)->batch->bodies[scene->body_first + b];
        if (body->flags & BODY_ABSENT) continue;
        const UserState fine =
            stage_user_state(body, &batch_rows_behind(finished)->result->states[scene->body_first + b]);
        const UserState *run = &verify->states[row * bodies + b];
        position_m = fmax(position_m, verify_distance(fine.position_m, run->position_m));
        velocity_m_per_s = fmax(velocity_m_per_s, verify_distance(fine.velocity_m_per_s, run->velocity_m_per_s));
    }
    out->position_m[row] = position_m;
    out->velocity_m_per_s[row] = velocity_m_per_s;
    for (uint32_t q = 0; q < count; q++) {
        out->quantity_differences[row * count + q] =
            finished->quantities[(size_t)index * count + q] - out->quantities[row * count + q];
    }
    out->compared++;
    out->other_events += batch_rows_behind(finished)->result->progress[index].event_total != verify->events[row];
    out->above_indicator += out->has_indicator && velocity_m_per_s > out->error_sum_m_per_s[row];
}

static void verify_take_batch(void *context, const ClackBatch *finished) {
    Verify *verify = context;
    for (uint32_t i = 0; i < finished->scene_count; i++) {
        if (!verify->is_refined) {
            verify_take_run(verify, finished, i);
        } else if (verify->statuses[verify->next + i] == STATUS_OK && finished->statuses[i] == STATUS_OK) {
            verify_compare_scene(verify, finished, i);
        }
    }
    verify->next += finished->scene_count;
}

static int verify_order_scenes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double *verify_numbers(uint64_t count) {
    double *numbers = malloc((size_t)(count + 1) * sizeof *numbers);
    for (uint64_t i = 0; numbers != NULL && i < count; i++) numbers[i] = NAN;
    return numbers;
}

// Room for everything, and which scenes.
static ClackStatus verify_prepare(Verify *verify, double share, ClackReport *report) {
    const Study *study = verify->study;
    ClackVerification *out = verify->out;
    const uint64_t all = verify->scene_count;
    const uint64_t wanted = (uint64_t)ceil(share * (double)all), count = wanted < all ? wanted : all;
    const uint64_t values = count * study->quantity_count;
    *out = (ClackVerification){.scene_count = count,
                               .quantity_count = study->quantity_count,
                               .has_indicator = study->scene.method == METHOD_EVENTS};
    out->scenes = calloc((size_t)count + 1, sizeof *out->scenes);
    out->error_sum_m_per_s = verify_numbers(count);
    out->position_m = verify_numbers(count);
    out->velocity_m_per_s = verify_numbers(count);
    out->quantities = verify_numbers(values);
    out->quantity_differences = verify_numbers(values);
    verify->states = calloc((size_t)count * study->scene.body_count + 1, sizeof *verify->states);
    verify->statuses = calloc((size_t)count + 1, sizeof *verify->statuses);
    verify->events = calloc((size_t)count + 1, sizeof *verify->events);
    if (out->scenes == NULL || out->error_sum_m_per_s == NULL || out->position_m == NULL ||
        out->velocity_m_per_s == NULL || out->quantities == NULL || out->quantity_differences == NULL ||
        verify->states == NULL || verify->statuses == NULL || verify->events == NULL) {
        return report_add(report, CLACK_MEMORY, "no memory to verify %llu scenes", (unsigned long long)count);
    }
    // Drawn from the first 2^31, which is as far as permutations go.
    const uint32_t drawn_from = all < (1u << 31) ? (uint32_t)all : 1u << 31;
    for (uint64_t i = 0; i < count; i++)
        out->scenes[i] = i < drawn_from ? sample_permute(study->design.seed, "verify", drawn_from, (uint32_t)i) : i;
    qsort(out->scenes, (size_t)count, sizeof *out->scenes, verify_order_scenes);
    return CLACK_OK;
}

static ClackStatus verify_run(Verify *verify, const ClackRunOptions *options, int is_refined, ClackReport *report) {
    ClackRunSummary summary = {0};
    ClackRunOptions run = *options;
    run.no_file = 1;
    run.only_scene = NULL;
    run.first_scenes = run.shard_count = 0; // the listed ones are among them
    run.time_limit_s = 0;
    run.scenes = verify->out->scenes;
    run.listed_scenes = verify->out->scene_count;
    run.failures_allowed = UINT64_MAX;
    run.is_refined = is_refined;
    run.on_batch = verify_take_batch;
    run.batch_context = verify;
    run.batch_rows = 0;
    verify->next = 0;
    verify->is_refined = is_refined;
    return run_study(verify->study, &run, &summary, report);
}

ClackStatus verify_study(const Study *study, const ClackRunOptions *options, double share,
                         ClackVerification *out_verification, ClackReport *report) {
    Verify verify = {.study = study, .out = out_verification};
    ClackStatus status = CLACK_OK;
    const uint64_t all = study->design.scene_count, first = options->first_scenes;
    verify.scene_count = first > 0 && first < all ? first : all;
    *out_verification = (ClackVerification){0};
    if (!(share > 0 && share <= 1))
        return report_add(report, CLACK_USAGE,
                          "share to verify: expected more than 0 %% and at most 100 %%, found %g %%", 100 * share);
    TRY_CLEAN(verify_prepare(&verify, share, report));
    TRY_CLEAN(verify_run(&verify, options, 0, report));
    TRY_CLEAN(verify_run(&verify, options, 1, report));
cleanup:
    free(verify.states);
    free(verify.statuses);
    free(verify.events);
    if (status != CLACK_OK) verify_free(out_verification);
    return status;
}

void verify_free(ClackVerification *verification) {
    free(verification->scenes);
    free(verification->error_sum_m_per_s);
    free(verification->position_m);
    free(verification->velocity_m_per_s);
    free(verification->quantities);
    free(verification->quantity_differences);
    *verification = (ClackVerification){0};
}

static int verify_order_values(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double clack_verification_quantile(const double *values, uint64_t count, uint32_t stride, double p) {
    double *sorted = malloc((size_t)count * sizeof *sorted + 1);
    size_t found = 0;
    for (uint64_t i = 0; sorted != NULL && i < count; i++) {
        const double value = fabs(values[i * stride]);
        if (isfinite(value)) sorted[found++] = value;
    }
    double quantile = NAN;
    if (found > 0) {
        qsort(sorted, found, sizeof *sorted, verify_order_values);
        const double at = p * (double)(found - 1);
        const size_t below = (size_t)at, above = below + 1 < found ? below + 1 : below;
        quantile = sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
    }
    free(sorted);
    return quantile;
}
