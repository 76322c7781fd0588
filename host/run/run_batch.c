// Scenes of a batch know nothing of each other, and threads share them.
#include "run_batch.h"

#include <stdlib.h>

#include "quantity.h"
#include "sample.h"

#define SHARE_SCENES 32u // that a thread takes at a time

#define REFINED_TOLERANCE 0.01
#define REFINED_STEP 0.25
#define REFINED_GRADED_STEPS 2.5 // graded steps are of order 5: a hundredth of their error

RunBatch *run_batch_make(const Study *study, const ClackRunOptions *options, uint64_t first, uint32_t count) {
    RunBatch *work = calloc(1, sizeof *work);
    if (work != NULL) *work = (RunBatch){.study = study, .options = options, .first = first, .count = count};
    return work;
}

void run_batch_free(RunBatch *work) {
    if (work == NULL) return;
    run_batch_free(work->spent);
    for (uint32_t i = 0; i < work->scenes_made; i++) scene_free(&work->scenes[i]);
    stepper_result_free(&work->result);
    stage_free(&work->batch);
    free(work->parameters);
    free(work->scenes);
    free(work->numbers);
    free(work->capacities);
    free(work->quantities);
    free(work->statuses);
    free(work->flags);
    free(work);
}

// --- before it is stepped -----------------------------------------------------------------------

static void run_refine(SceneDescription *scene) {
    scene->tolerance *= REFINED_TOLERANCE;
    scene->step_s *= REFINED_STEP;
    scene->graded_steps *= REFINED_GRADED_STEPS;
}

static ClackStatus run_batch_allocate(RunBatch *work, ClackReport *report) {
    const size_t parameters = work->study->parameter_count, quantities = work->study->quantity_count;
    work->parameters = calloc((size_t)work->count * parameters + 1, sizeof *work->parameters);
    work->quantities = calloc((size_t)work->count * quantities + 1, sizeof *work->quantities);
    work->scenes = calloc(work->count, sizeof *work->scenes);
    work->numbers = calloc(work->count, sizeof *work->numbers);
    work->capacities = calloc(work->count, sizeof *work->capacities);
    work->statuses = calloc(work->count, sizeof *work->statuses);
    work->flags = calloc(work->count, sizeof *work->flags);
    if (work->parameters == NULL || work->quantities == NULL || work->scenes == NULL || work->numbers == NULL ||
        work->capacities == NULL || work->statuses == NULL || work->flags == NULL) {
        return report_add(report, CLACK_MEMORY, "no memory for a batch of %u scenes", work->count);
    }
    work->scenes_made = work->count;
    return CLACK_OK;
}

static ClackStatus run_leave_out(const RunBatch *work, SceneDescription *scene, ClackReport *report) {
    scene_free(scene);
    return sample_nothing(work->study, scene, report);
}

// What cannot be made of what was drawn fails alone; run_batch_count sees which, left_out_report says why.
static ClackStatus run_some_sample(void *context, uint32_t first, uint32_t last, ClackReport *report) {
    RunBatch *work = context;
    const size_t parameters = work->study->parameter_count;
    const uint64_t *listed = work->options->scenes;
    for (uint32_t i = first; i < last; i++) {
        work->numbers[i] = listed != NULL ? listed[work->first + i] : work->first + i;
        ClackReport why = {0};
        const ClackStatus status =
            sample_numbered(work->study, work->numbers[i], work->parameters + i * parameters, &work->scenes[i], &why);
        if (status != CLACK_STUDY) report_move(&why, report);
        clack_report_clear(&why);
        TRY(status == CLACK_STUDY ? run_leave_out(work, &work->scenes[i], report) : status);
        if (work->options->is_refined) run_refine(&work->scenes[i]);
        work->capacities[i] = stage_capacities(&work->scenes[i]);
    }
    return CLACK_OK;
}

// In the place of scene `i`, which had been laid out.
static ClackStatus run_stage_nothing(RunBatch *work, uint32_t i, ClackReport *report) {
    TRY(run_leave_out(work, &work->scenes[i], report));
    stage_leave_out(&work->batch.scenes[i]);
    return stage_fill(work->scenes, &work->batch, i, i + 1, report);
}

static ClackStatus run_some_stage(void *context, uint32_t first, uint32_t last, ClackReport *report) {
    RunBatch *work = context;
    for (uint32_t i = first; i < last; i++) {
        ClackReport why = {0};
        const ClackStatus status = stage_fill(work->scenes, &work->batch, i, i + 1, &why);
        if (status != CLACK_STUDY) report_move(&why, report);
        clack_report_clear(&why);
        TRY(status == CLACK_STUDY ? run_stage_nothing(work, i, report) : status);
    }
    return CLACK_OK;
}

ClackStatus run_batch_stage(RunBatch *work, ThreadPool *pool, ClackReport *report) {
    run_batch_free(work->spent);
    work->spent = NULL;
    TRY(run_batch_allocate(work, report));
    TRY(thread_pool_share(pool, work->count, SHARE_SCENES, run_some_sample, work, report));
    TRY(stage_lay_out(work->study, work->scenes, work->numbers, work->capacities, work->count, &work->batch, report));
    TRY(thread_pool_share(pool, work->count, SHARE_SCENES, run_some_stage, work, report));
    stage_share(&work->batch);
    return CLACK_OK;
}

// --- after it has been stepped ------------------------------------------------------------------

static ClackStatus run_some_evaluate(void *context, uint32_t first, uint32_t last, ClackReport *report) {
    RunBatch *work = context;
    for (uint32_t i = first; i < last; i++) {
        work->statuses[i] = work->result.progress[i].status;
        work->flags[i] = work->result.progress[i].flags;
    }
    const QuantityRows rows = {first, last, work->parameters, work->quantities};
    return quantity_evaluate_some(work->study, &work->batch, &work->result, &rows, report);
}

ClackStatus run_batch_evaluate(RunBatch *work, ThreadPool *pool, ClackReport *report) {
    return thread_pool_share(pool, work->count, SHARE_SCENES, run_some_evaluate, work, report);
}

void run_batch_cut(RunBatch *work, uint32_t taken) {
    work->count = work->batch.scene_count = work->result.scene_count = taken;
    while (work->result.event_count > 0 && work->result.event_scene[work->result.event_count - 1] >= taken)
        work->result.event_count--;
    while (work->result.contact_count > 0 && work->result.contact_scene[work->result.contact_count - 1] >= taken)
        work->result.contact_count--;
}

// Ranges shorter than this share of the batch are not kept, so that shards stay few; the longest one always is.
#define PARTS_MOST 64u

static uint32_t part_end(const RunBatch *work, uint32_t first) {
    uint32_t end = first;
    while (end < work->count && work->statuses[end] != STATUS_INTERRUPTED) end++;
    return end;
}

static uint32_t part_least(const RunBatch *work) {
    uint32_t longest = 0, least = work->count / PARTS_MOST;
    for (uint32_t first = 0, end; first < work->count; first = end + 1) {
        end = part_end(work, first);
        if (end - first > longest) longest = end - first;
    }
    if (least < 1) least = 1;
    return least < longest ? least : longest;
}

// Rows of scenes first .. end - 1 in a list by scene; their scenes are then numbered within the part.
static size_t part_rows(uint32_t *scenes, size_t count, uint32_t first, uint32_t end, size_t *out_count) {
    size_t from = 0, to = 0;
    while (from < count && scenes[from] < first) from++;
    for (to = from; to < count && scenes[to] < end; to++) scenes[to] -= first;
    *out_count = to - from;
    return from;
}

int run_batch_part(RunBatch *work, int is_first_only, uint32_t *next, RunBatch *out_part) {
    const uint32_t least = part_least(work);
    uint32_t first = *next, end = part_end(work, first);
    while (first < work->count && end - first < least && !is_first_only) {
        first = end + 1;
        end = part_end(work, first < work->count ? first : work->count);
    }
    if (first >= work->count || end <= first || (is_first_only && first > 0)) return 0;
    *next = end + 1;
    *out_part = *work;
    out_part->first += first;
    out_part->count = out_part->batch.scene_count = out_part->result.scene_count = end - first;
    out_part->parameters += (size_t)first * work->study->parameter_count;
    out_part->quantities += (size_t)first * work->study->quantity_count;
    out_part->statuses += first;
    out_part->flags += first;
    out_part->numbers += first;
    out_part->batch.scene_numbers += first;
    out_part->batch.scenes += first;
    BatchResult *rows = &out_part->result;
    rows->progress += first;
    const size_t event = part_rows(rows->event_scene, rows->event_count, first, end, &rows->event_count);
    const size_t contact = part_rows(rows->contact_scene, rows->contact_count, first, end, &rows->contact_count);
    rows->events += event;
    rows->event_scene += event;
    rows->contacts += contact;
    rows->contact_scene += contact;
    return 1;
}

void run_batch_count(const RunBatch *work, ClackRunSummary *summary) {
    for (uint32_t i = 0; i < work->count; i++) {
        const Progress *progress = &work->result.progress[i];
        const u32 status = progress->status;
        if (status < sizeof summary->status_counts / sizeof summary->status_counts[0]) {
            summary->status_counts[status]++;
        }
        for (u32 bit = 0; bit < 32; bit++) summary->flag_counts[bit] += progress->flags >> bit & 1u;
        const int is_run = status != STATUS_INTERRUPTED && status != STATUS_NOT_RUN;
        summary->scenes_run += is_run ? 1 : 0;
        summary->scenes_failed += is_run && status != STATUS_OK ? 1 : 0;
        summary->substeps += progress->substeps;
        summary->evaluations += progress->evaluations;
    }
    summary->events += work->result.event_count;
    summary->scenes_second += work->result.second_count;
}
