// Start reading here: the pipeline on one screen (run_batch, then clack_run).
#define _POSIX_C_SOURCE 200809L
#include "clack.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output.h"
#include "plan.h"
#include "quantity.h"
#include "run.h"
#include "sample.h"
#include "stage.h"
#include "stepper.h"
#include "stop.h"
#include "writer.h"

#define SHARE_SCENES 32u // that a thread takes at a time, of what the host does with them

typedef struct RunBatch RunBatch;

typedef struct Run {
    const Study *study;
    const ClackRunOptions *options;
    ClackRunSummary *summary;
    Device *device;
    Shards *resumed;   // of an earlier process; NULL: none
    Output *output;    // NULL: no file
    Writer *writer;    // of it; NULL: no file
    RunBatch *written; // what it is at; NULL: nothing
    Stop *stop;        // NULL: all scenes are wanted
    uint64_t first, end; // scene numbers
    uint64_t next, gap_end; // scenes to run now
    uint64_t done;          // scenes, those in shards of an earlier process too
    int output_failed; // no second try: rows may have been written already
    double start_s;
    double batch_s;       // that the last one took, with the time that was waited for the one before
    double write_batch_s; // that writing the last one took; 0: none yet, or it is within batch_s
} Run;

// What one batch is on its way from numbers to records.
struct RunBatch {
    Output *output;   // where it is written; NULL: nowhere
    uint64_t gap_end; // of the scenes among which it is
    uint64_t first;
    uint32_t count;
    uint32_t scenes_made;
    double *parameters;       // (count, parameter_count)
    SceneDescription *scenes; // (count)
    uint64_t *numbers;        // (count)
    Capacities *capacities;   // (count)
    Batch batch;
    BatchResult result;
    double *quantities;       // (count, quantity_count)
    uint32_t *statuses;       // (count)
    double write_s;           // that writing it took; the writer's until it is collected
};

static double run_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run_is_stopped(const Run *run) { return run->options->stop != NULL && *run->options->stop; }

static void run_tell(const Run *run, uint64_t scenes_done) {
    if (run->options->on_progress == NULL) return;
    const ClackProgress progress = {.scenes_done = scenes_done,
                                    .scenes_failed = run->summary->scenes_failed,
                                    .scenes_total = run->end - run->first,
                                    .scenes_kept = run->summary->scenes_kept,
                                    .elapsed_s = run_now_s() - run->start_s};
    run->options->on_progress(run->options->progress_context, &progress);
}

// A batch that goes into a file is finished, so that nothing of it is lost.
static int run_poll(void *context, uint32_t scenes_done, uint32_t scenes_total) {
    const Run *run = context;
    (void)scenes_total;
    run_tell(run, run->done + scenes_done);
    return run->output == NULL && run_is_stopped(run);
}

// --- one batch --------------------------------------------------------------------------------

#define REFINED_TOLERANCE 0.01
#define REFINED_STEP 0.25
#define REFINED_GRADED_STEPS 2.5 // graded steps are of order 5: a hundredth of their error

static void run_refine(SceneDescription *scene) {
    scene->tolerance *= REFINED_TOLERANCE;
    scene->step_s *= REFINED_STEP;
    scene->graded_steps *= REFINED_GRADED_STEPS;
}

static ClackStatus run_batch_allocate(const Run *run, RunBatch *work, ClackReport *report) {
    const size_t parameters = run->study->parameter_count, quantities = run->study->quantity_count;
    work->parameters = calloc((size_t)work->count * parameters + 1, sizeof *work->parameters);
    work->quantities = calloc((size_t)work->count * quantities + 1, sizeof *work->quantities);
    work->scenes = calloc(work->count, sizeof *work->scenes);
    work->numbers = calloc(work->count, sizeof *work->numbers);
    work->capacities = calloc(work->count, sizeof *work->capacities);
    work->statuses = calloc(work->count, sizeof *work->statuses);
    if (work->parameters == NULL || work->quantities == NULL || work->scenes == NULL ||
        work->numbers == NULL || work->capacities == NULL || work->statuses == NULL) {
        return report_add(report, CLACK_MEMORY, "no memory for a batch of %u scenes", work->count);
    }
    work->scenes_made = work->count;
    return CLACK_OK;
}

// What the threads of the device share of a batch: scenes know nothing of each other.
typedef struct RunShare {
    const Run *run;
    RunBatch *work;
} RunShare;

static ClackStatus run_share(const Run *run, RunBatch *work, TeamTask *task, ClackReport *report) {
    RunShare share = {run, work};
    return team_share(device_team(run->device), work->count, SHARE_SCENES, task, &share, report);
}

static ClackStatus run_some_sample(void *context, uint32_t first, uint32_t last, ClackReport *report) {
    const Run *run = ((RunShare *)context)->run;
    RunBatch *work = ((RunShare *)context)->work;
    const size_t parameters = run->study->parameter_count;
    for (uint32_t i = first; i < last; i++) {
        const uint64_t *listed = run->options->scenes;
        work->numbers[i] = listed != NULL ? listed[work->first + i] : work->first + i;
        TRY(sample_numbered(run->study, work->numbers[i], work->parameters + i * parameters, &work->scenes[i], report));
        if (run->options->is_refined) run_refine(&work->scenes[i]);
        work->capacities[i] = stage_capacities(&work->scenes[i]);
    }
    return CLACK_OK;
}

static ClackStatus run_some_stage(void *context, uint32_t first, uint32_t last, ClackReport *report) {
    RunBatch *work = ((RunShare *)context)->work;
    return stage_fill(work->scenes, &work->batch, first, last, report);
}

static ClackStatus run_some_evaluate(void *context, uint32_t first, uint32_t last, ClackReport *report) {
    const Run *run = ((RunShare *)context)->run;
    RunBatch *work = ((RunShare *)context)->work;
    for (uint32_t i = first; i < last; i++) work->statuses[i] = work->result.progress[i].status;
    return quantity_evaluate_some(run->study, &work->batch, &work->result, first, last, work->parameters, work->quantities,
                                  report);
}

static void run_batch_free(RunBatch *work) {
    if (work == NULL) return;
    for (uint32_t i = 0; i < work->scenes_made; i++) scene_free(&work->scenes[i]);
    stepper_result_free(&work->result);
    stage_free(&work->batch);
    free(work->parameters);
    free(work->scenes);
    free(work->numbers);
    free(work->capacities);
    free(work->quantities);
    free(work->statuses);
    free(work);
}

// The run ends before scene `end`, or has all: why is told, and goes into the file.
static ClackStatus run_end_at(Run *run, uint64_t end, ClackReport *report) {
    stop_print(run->stop, run->summary->stop);
    run->end = end;
    run->summary->scenes_total = end - run->first;
    return run->output != NULL ? output_end_at(run->output, end, run->summary->stop, report) : CLACK_OK;
}

// The batch is cut to the scenes that are wanted: the file is that of a run of just these.
static ClackStatus run_batch_stop(Run *run, RunBatch *work, ClackReport *report) {
    uint32_t taken = 0;
    int is_reached = 0;
    if (run->stop == NULL) return CLACK_OK;
    const ClackStatus status =
        stop_take(run->stop, work->quantities, work->statuses, work->count, &taken, &is_reached, report);
    run->output_failed = status != CLACK_OK; // some scenes have been counted: no second try
    if (status != CLACK_OK) return status;
    const uint64_t end = work->first + taken;
    work->count = work->batch.scene_count = work->result.scene_count = taken;
    while (work->result.event_count > 0 && work->result.event_scene[work->result.event_count - 1] >= taken)
        work->result.event_count--;
    while (work->result.contact_count > 0 && work->result.contact_scene[work->result.contact_count - 1] >= taken)
        work->result.contact_count--;
    if (!is_reached && end < run->end) return CLACK_OK;
    run->gap_end = end;
    return run_end_at(run, end, report);
}

static void run_batch_count(const RunBatch *work, ClackRunSummary *summary) {
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

// The batch is in the file, or goes into none.
static void run_batch_end(const Run *run, const RunBatch *work) {
    run_batch_count(work, run->summary);
    if (run->options->on_batch == NULL) return;
    const ClackBatch batch = {.scene_count = work->count,
                              .scene_numbers = work->numbers,
                              .statuses = work->statuses,
                              .parameters = work->parameters,
                              .quantities = work->quantities,
                              .staged = &work->batch,
                              .result = &work->result};
    run->options->on_batch(run->options->batch_context, &batch);
}

// On the writer's thread, the only one that writes.
static ClackStatus run_batch_write(void *piece, ClackReport *report) {
    RunBatch *work = piece;
    const double start_s = run_now_s();
    const ClackStatus status = output_batch(work->output, work->first, work->gap_end, &work->batch, &work->result,
                                            work->parameters, work->quantities, report);
    work->write_s = run_now_s() - start_s;
    return status;
}

// Wait for the batch that is being written, if there is one. After it nobody but the caller works on the output.
static ClackStatus run_collect(Run *run, ClackReport *report) {
    RunBatch *work = run->written;
    if (work == NULL) return CLACK_OK;
    const double start_s = run_now_s();
    const ClackStatus status = writer_wait(run->writer, report);
    run->written = NULL;
    run->write_batch_s = work->write_s;
    run->output_failed = status != CLACK_OK;
    if (status == CLACK_OK) run_batch_end(run, work);
    run_batch_free(work);
    run->summary->write_s += run_now_s() - start_s;
    return status;
}

// The batch is written while the next one is run; not so where somebody is called, who may use HDF5 as well.
static ClackStatus run_batch_hand_over(Run *run, RunBatch *work, ClackReport *report) {
    run->next += work->count;
    run->done += work->count;
    if (run->output == NULL) {
        run_batch_end(run, work);
        run_batch_free(work);
        return CLACK_OK;
    }
    work->output = run->output;
    work->gap_end = run->gap_end;
    run->written = work;
    writer_begin(run->writer, run_batch_write, work);
    if (run->options->on_batch == NULL) return CLACK_OK;
    const ClackStatus status = run_collect(run, report);
    run->write_batch_s = 0;
    return status;
}

/// study -> scenes -> buffers -> (pairs -> contacts -> forces -> states) -> records, for `count` scenes.
/// CLACK_INTERRUPTED after what there is has been recorded.
static ClackStatus run_batch(Run *run, uint32_t count, ClackReport *report) {
    const Study *study = run->study;
    const StepperOptions stepper_options = {.poll = run_poll, .poll_context = run};
    const double start_s = run_now_s(), waited_s = run->summary->write_s;
    ClackStatus status = CLACK_OK;
    RunBatch *work = calloc(1, sizeof *work);
    if (work == NULL) return report_add(report, CLACK_MEMORY, "no memory for a batch of %u scenes", count);
    *work = (RunBatch){.first = run->next, .count = count};
    TRY_CLEAN(run_batch_allocate(run, work, report));
    TRY_CLEAN(run_share(run, work, run_some_sample, report));
    TRY_CLEAN(stage_lay_out(study, work->scenes, work->numbers, work->capacities, count, &work->batch, report));
    TRY_CLEAN(run_share(run, work, run_some_stage, report));
    stage_share(&work->batch);
    const ClackStatus stepped =
        stepper_run(run->device, study, work->scenes, &work->batch, &stepper_options, &work->result, report);
    if (stepped != CLACK_INTERRUPTED) TRY_CLEAN(stepped);
    TRY_CLEAN(run_share(run, work, run_some_evaluate, report));
    TRY_CLEAN(run_collect(run, report));
    TRY_CLEAN(run_batch_stop(run, work, report));
    const ClackStatus written = run_batch_hand_over(run, work, report);
    work = NULL; // given away
    status = written != CLACK_OK ? written : stepped;
    run->batch_s = run_now_s() - start_s;
    run->summary->batch_scenes = count;
    run->summary->run_s += run->batch_s - (run->summary->write_s - waited_s);
cleanup:
    run_batch_free(work);
    return status;
}

// --- all batches ------------------------------------------------------------------------------

// The next scenes that are to be run; 0 at the end.
static int run_next_gap(Run *run) {
    if (run->next < run->gap_end) return 1;
    if (run->output != NULL) return output_next_gap(run->output, run->next, &run->next, &run->gap_end);
    run->gap_end = run->end;
    return run->next < run->end;
}

// Batches take alike: one that would end beyond the limit is not begun. The first always is, so that a run that
// is resumed again and again comes to its end.
static ClackStatus run_is_late(Run *run, int *out_is_late, ClackReport *report) {
    const double limit_s = run->options->time_limit_s;
    *out_is_late = 0;
    if (!(limit_s > 0) || !(run->batch_s > 0)) return CLACK_OK;
    if (!(run->write_batch_s > 0)) TRY(run_collect(run, report)); // how long writing takes is not known before
    const double write_s = run->write_batch_s, ahead_s = run->written != NULL && write_s > run->batch_s ? write_s : run->batch_s;
    *out_is_late = run_now_s() - run->start_s + ahead_s + write_s > limit_s;
    return CLACK_OK;
}

// Where the run may have scenes enough soon, a batch at most doubles them.
static uint64_t run_batch_limit(const Run *run) {
    const uint64_t left = run->gap_end - run->next, least = run->study->statistics.stop.least;
    const uint64_t most = run->done > least ? run->done : least;
    return run->stop != NULL && most < left ? most : left;
}

// A batch that is too big for the device's memory is halved.
static ClackStatus run_all(Run *run, ClackReport *report) {
    uint32_t batch_scenes = plan_batch_scenes(run->study, run->options, device_info(run->device));
    ClackStatus status = CLACK_OK;
    int is_late = 0;
    while (status == CLACK_OK && run_next_gap(run)) {
        TRY(run_is_late(run, &is_late, report));
        if (run_is_stopped(run) || is_late) return CLACK_INTERRUPTED;
        const uint64_t left = run_batch_limit(run);
        const uint32_t count = left < batch_scenes ? (uint32_t)left : batch_scenes;
        ClackReport attempt = {0};
        status = run_batch(run, count, &attempt);
        const int ran_out = device_ran_out_of_memory(run->device) || status == CLACK_MEMORY;
        if ((status == CLACK_DEVICE || status == CLACK_MEMORY) && ran_out && !run->output_failed &&
            count > 1) {
            batch_scenes = count / 2;
            clack_report_clear(&attempt);
            status = CLACK_OK;
            continue;
        }
        if (status == CLACK_OK && run->next == run->gap_end) status = run_collect(run, &attempt);
        report_move(&attempt, report);
        run_tell(run, run->done);
    }
    return status;
}

// --- from the first to the last -----------------------------------------------------------------

static void run_count_kept(Run *run, const ShardsTally *tally) {
    ClackRunSummary *summary = run->summary;
    run->done = summary->scenes_kept = tally->scenes;
    summary->shards_dropped = tally->dropped;
    summary->events = tally->events;
    memcpy(summary->status_counts, tally->statuses, sizeof summary->status_counts);
    memcpy(summary->flag_counts, tally->flags, sizeof summary->flag_counts);
    summary->scenes_failed = tally->scenes - tally->statuses[STATUS_OK];
}

static ClackStatus run_open_output(Run *run, ClackReport *report) {
    ShardsTally tally;
    TRY(writer_open(&run->writer, report));
    const OutputConfig config = {.path = run->summary->output_path,
                                 .study = run->study,
                                 .options = run->options,
                                 .device = run->device,
                                 .first = run->first,
                                 .end = run->end,
                                 .resumed = run->resumed};
    run->resumed = NULL; // taken over
    TRY(output_open(&config, &run->output, &tally, report));
    run_count_kept(run, &tally);
    int is_reached = 0;
    if (run->stop != NULL) TRY(output_replay(run->output, run->stop, &is_reached, report));
    return is_reached || (run->stop != NULL && run->first + run->done == run->end) ? run_end_at(run, run->first + run->done, report) : CLACK_OK;
}

// A part of the scenes says nothing of all.
static ClackStatus run_open_stop(Run *run, ClackReport *report) {
    const ClackRunOptions *options = run->options;
    const int is_part = options->only_scene >= 0 || options->scenes != NULL || options->first_scenes > 0 || options->is_refined;
    return run->study->statistics.stop.count > 0 && !is_part ? stop_open(run->study, &run->stop, report) : CLACK_OK;
}

static ClackStatus run_open(Run *run, ClackReport *report) {
    if (run->resumed == NULL) {
        TRY(plan_scenes(run->study, run->options, &run->first, &run->end, report));
    } else {
        run->first = shards_head(run->resumed)->first;
        run->end = shards_head(run->resumed)->end;
    }
    run->next = run->first;
    run->summary->scenes_total = run->end - run->first;
    TRY(plan_path(run->study, run->options, run->summary->output_path, report));
    const int is_new = run->resumed == NULL && !run->options->no_file;
    if (is_new) TRY(shards_check_free(run->summary->output_path, run->options->overwrites, report));
    const Content content = content_of_study(run->study, PROGRAM_ADVANCE);
    TRY(device_open_for(&run->options->device, &content, &run->device, report));
    const DeviceInfo *info = device_info(run->device);
    snprintf(run->summary->device_name, sizeof run->summary->device_name, "%s", info->name);
    run->summary->build_s = run_now_s() - run->start_s;
    TRY(run_open_stop(run, report));
    return run->options->no_file ? CLACK_OK : run_open_output(run, report);
}

static ClackStatus run_tell_end(const Run *run, ClackStatus status, ClackReport *report) {
    if (status == CLACK_INTERRUPTED) {
        return report_add(report, status, "%s after %" PRIu64 " of %" PRIu64 " scenes",
                          run_is_stopped(run) ? "interrupted" : "stopped by the time limit",
                          run->summary->scenes_kept + run->summary->scenes_run, run->summary->scenes_total);
    }
    if (status == CLACK_OK && run->summary->scenes_failed > run->options->failures_allowed) {
        return report_add(report, CLACK_FAILED_SCENES, "%" PRIu64 " of %" PRIu64 " scenes failed; allowed: %" PRIu64,
                          run->summary->scenes_failed, run->summary->scenes_total,
                          run->options->failures_allowed);
    }
    return status;
}

// The last shard is closed even where a batch failed; the file is made of all of them or not at all.
static ClackStatus run_close(Run *run, ClackStatus status, ClackReport *report) {
    ClackRunSummary *summary = run->summary;
    const ClackStatus written = run_collect(run, report);
    if (status == CLACK_OK || status == CLACK_INTERRUPTED) status = written == CLACK_OK ? status : written;
    const double start_s = run_now_s();
    int is_kept = 0;
    if (status == CLACK_OK && run->output != NULL) status = output_finish(run->output, report);
    if (status != CLACK_OK) {
        memcpy(summary->resume_path, summary->output_path, sizeof summary->resume_path);
        summary->output_path[0] = '\0';
    }
    const ClackStatus closed = output_close(run->output, &is_kept, report);
    if (status == CLACK_OK || status == CLACK_INTERRUPTED) status = closed == CLACK_OK ? status : closed;
    if (!is_kept) summary->resume_path[0] = '\0';
    summary->write_s += run_now_s() - start_s;
    shards_close(run->resumed);
    if (run->device != NULL) {
        summary->kernel_s = device_kernel_s(run->device, KERNEL_advance);
        summary->device_bytes = device_bytes_most(run->device);
    }
    stop_close(run->stop);
    writer_close(run->writer);
    device_close(run->device);
    return run_tell_end(run, status, report);
}

ClackStatus run_take_up(const Study *study, const ClackRunOptions *options, Shards *shards,
                        ClackRunSummary *out_summary, ClackReport *report) {
    *out_summary = (ClackRunSummary){0};
    Run run = {
        .study = study, .options = options, .summary = out_summary, .resumed = shards, .start_s = run_now_s()};
    ClackStatus status = run_open(&run, report);
    if (status == CLACK_OK) status = run_all(&run, report);
    return run_close(&run, status, report);
}

ClackStatus clack_run(const Study *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                      ClackReport *report) {
    assert(study != NULL && options != NULL && out_summary != NULL);
    return run_take_up(study, options, NULL, out_summary, report);
}
