// Start reading here: the pipeline on one screen (run_batch, then run_study).
#define _POSIX_C_SOURCE 200809L
#include "clack.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "batch_pool.h"
#include "batch_rows.h"
#include "left_out.h"
#include "output.h"
#include "plan.h"
#include "run_resume.h"
#include "run_batch.h"
#include "stop.h"
#include "async_task.h"
#include "text.h"

#define LEFT_OUT_REPORTED 5u // scenes of which nothing could be made: so many are reported one by one
#define STOP_GRACE_MS                                                                                                  \
    1000 // a batch that ends within this after a stop is finished; with a launch that makes less than 2 s

typedef struct Run {
    const Study *study;
    const ClackRunOptions *options;
    ClackRunSummary *summary;
    Device *device;
    Shards *resumed;        // of an earlier process; NULL: none
    const RecordBase *base; // a finished file that scenes are added to; NULL: none
    Output *output;         // NULL: no file
    AsyncTask *writer;      // of it; NULL: no file
    RunBatch *written;      // what it is at; NULL: nothing
    AsyncTask *stager;      // stages the next batch while one is stepped; NULL: one thread is all there is
    RunBatch *ahead;        // what it is at; NULL: nothing
    RunBatch *spent;        // what is freed next, before another batch is staged; NULL: nothing
    BatchPool *pool;        // carries batches side by side, instead of threads that share each; NULL: none
    uint32_t batch_scenes;  // that fit on the device
    Stop *stop;             // NULL: all scenes are wanted
    uint64_t first, end;    // scene numbers
    uint64_t next, gap_end; // scenes to run now
    uint64_t done;          // scenes, those in shards of an earlier process too
    uint64_t left_out[LEFT_OUT_REPORTED]; // the first scenes of which nothing could be made
    uint32_t left_out_count;
    int output_failed;          // no second try: rows may have been written already
    atomic_int is_left_unbuilt; // the caller's on_build has said so
    atomic_llong asked_ms;      // when the run was first seen to have to stop, on its clock; 0: it has not
    double start_s;
    double batch_s;       // that the last one took, with the time that was waited for the one before
    double write_batch_s; // that writing the last one took; 0: none yet, or it is within batch_s
} Run;

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

// Is the batch at work to be left? One that goes into a file may end first, if it does so soon; else its scenes that
// are done are kept (run_batch_keep). Threads that carry batches side by side ask as well.
static int run_leaves(Run *run) {
    const double now_s = run_now_s() - run->start_s, limit_s = run->options->time_limit_s;
    if (!run_is_stopped(run) && !(limit_s > 0 && now_s > limit_s)) return 0;
    if (run->output == NULL) return 1;
    const long long now_ms = 1 + (long long)(1e3 * now_s);
    long long asked_ms = 0;
    if (atomic_compare_exchange_strong(&run->asked_ms, &asked_ms, now_ms)) return 0;
    return now_ms - asked_ms > STOP_GRACE_MS;
}

static int run_poll(void *context, uint32_t scenes_done, uint32_t scenes_total) {
    Run *run = context;
    (void)scenes_total;
    run_tell(run, run->done + scenes_done);
    return run_leaves(run);
}

// While kernels are compiled: nothing has been run yet, or scenes wait for the second build.
static int run_poll_build(void *context, const ClackBuild *build) {
    Run *run = context;
    const ClackDeviceOptions *device = run->options->device;
    const double limit_s = run->options->time_limit_s;
    const int is_asked = device->on_build != NULL && device->on_build(device->build_context, build) != 0;
    if (is_asked && !build->is_ended) run->is_left_unbuilt = 1;
    return is_asked || run_is_stopped(run) || (limit_s > 0 && run_now_s() - run->start_s > limit_s);
}

// --- one batch --------------------------------------------------------------------------------

// The run ends before scene `end`, or has all: the reason is reported, and goes into the file.
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
    run_batch_cut(work, taken);
    if (!is_reached && end < run->end) return CLACK_OK;
    run->gap_end = end;
    return run_end_at(run, end, report);
}

static ClackStatus run_batch_tell(Run *run, const RunBatch *work, ClackReport *report) {
    BatchRows rows;
    if (run->options->on_batch == NULL) return CLACK_OK;
    const ClackStatus status = batch_rows_make(work, &rows, report);
    if (status != CLACK_OK) run->output_failed = 1; // the scenes are counted already: no second try
    TRY(status);
    run->options->on_batch(run->options->batch_context, &rows.shown);
    batch_rows_free(&rows);
    return CLACK_OK;
}

// The batch is in the file, or goes into none. Its thousands of pieces are freed while another one is stepped.
static ClackStatus run_batch_end(Run *run, RunBatch *work, ClackReport *report) {
    run_batch_count(work, run->summary);
    for (uint32_t i = 0; i < work->count && run->left_out_count < LEFT_OUT_REPORTED; i++)
        if (work->statuses[i] == STATUS_NOT_STAGED) run->left_out[run->left_out_count++] = work->numbers[i];
    const ClackStatus status = run_batch_tell(run, work, report);
    const int is_kept = run->stager != NULL || run->pool != NULL;
    RunBatch *spent = is_kept ? run->spent : work;
    if (is_kept) run->spent = work;
    run_batch_free(spent);
    return status;
}

// On the writer's thread, the only one that writes.
static ClackStatus run_batch_write(void *piece, ClackReport *report) {
    RunBatch *work = piece;
    const double start_s = run_now_s();
    const OutputBatch batch = {work->first,   work->gap_end,    &work->batch,
                               &work->result, work->parameters, work->quantities};
    const ClackStatus status = output_batch(work->output, &batch, report);
    work->write_s = run_now_s() - start_s;
    return status;
}

// Wait for the batch that is being written, if there is one. After it only the caller works on the output.
static ClackStatus run_collect(Run *run, ClackReport *report) {
    RunBatch *work = run->written;
    if (work == NULL) return CLACK_OK;
    const double start_s = run_now_s();
    ClackStatus status = async_task_wait(run->writer, report);
    run->written = NULL;
    run->write_batch_s = work->write_s;
    run->output_failed = status != CLACK_OK;
    if (status == CLACK_OK)
        status = run_batch_end(run, work, report);
    else
        run_batch_free(work);
    run->summary->write_s += run_now_s() - start_s;
    return status;
}

// The batch is written while the next one is run; not so with a callback, which may use HDF5 as well.
static ClackStatus run_batch_hand_over(Run *run, RunBatch *work, ClackReport *report) {
    run->next += work->count;
    run->done += work->count;
    if (run->output == NULL) return run_batch_end(run, work, report);
    work->output = run->output;
    work->gap_end = run->gap_end;
    run->written = work;
    async_task_begin(run->writer, run_batch_write, work);
    if (run->options->on_batch == NULL) return CLACK_OK;
    const ClackStatus status = run_collect(run, report);
    run->write_batch_s = 0;
    return status;
}

// Of a batch that was left, runs of scenes that were done go into the file, shards of their own: the others are run
// when the run is resumed, which makes the same file. Where scenes are counted in their order (Stop) only the first of
// them.
static ClackStatus run_batch_keep(Run *run, RunBatch *work, ClackReport *report) {
    uint32_t next = 0;
    TRY(run_collect(run, report));
    for (;;) {
        RunBatch part;
        if (!run_batch_part(work, run->stop != NULL, &next, &part)) return CLACK_OK;
        TRY(run_batch_stop(run, &part, report));
        const OutputBatch batch = {part.first,   run->gap_end,    &part.batch,
                                   &part.result, part.parameters, part.quantities};
        const double start_s = run_now_s();
        TRY(output_batch(run->output, &batch, report));
        run->summary->write_s += run_now_s() - start_s;
        run_batch_count(&part, run->summary);
        TRY(run_batch_tell(run, &part, report));
        run->done += part.count;
    }
}

// Where the run may have scenes enough soon, a batch at most doubles them.
static uint32_t run_batch_size(const Run *run, uint64_t next, uint64_t done) {
    const uint64_t left = next < run->gap_end ? run->gap_end - next : 0, least = run->study->statistics.stop.least;
    const uint64_t most = done > least ? done : least;
    const uint64_t limit = run->stop != NULL && most < left ? most : left;
    return limit < run->batch_scenes ? (uint32_t)limit : run->batch_scenes;
}

// On the stager's thread, alone: the device's thread pool is at work with the batch before.
static ClackStatus run_batch_stage_alone(void *piece, ClackReport *report) {
    return run_batch_stage(piece, NULL, report);
}

// The batch after this one is staged while this one is stepped. Where there is no memory for that, its turn comes
// later.
static void run_stage_ahead(Run *run, const RunBatch *now) {
    const uint64_t next = now->first + now->count;
    const uint32_t count = run->stager != NULL ? run_batch_size(run, next, run->done + now->count) : 0;
    if (count == 0) return;
    run->ahead = run_batch_make(run->study, run->options, next, count);
    if (run->ahead == NULL) return;
    run->ahead->spent = run->spent;
    run->spent = NULL;
    async_task_begin(run->stager, run_batch_stage_alone, run->ahead);
}

// The next `count` scenes staged: those that were ahead, if they are these.
static ClackStatus run_batch_begin(Run *run, uint32_t count, RunBatch **out_work, ClackReport *report) {
    RunBatch *ahead = run->ahead;
    ClackReport ahead_report = {0};
    run->ahead = NULL;
    const ClackStatus status = ahead != NULL ? async_task_wait(run->stager, &ahead_report) : CLACK_OK;
    if (ahead != NULL && ahead->first == run->next && ahead->count == count) {
        *out_work = ahead;
        report_move(&ahead_report, report);
        return status;
    }
    clack_report_clear(&ahead_report);
    run_batch_free(ahead);
    *out_work = run_batch_make(run->study, run->options, run->next, count);
    if (*out_work == NULL) return report_add(report, CLACK_MEMORY, "no memory for a batch of %u scenes", count);
    return run_batch_stage(*out_work, device_thread_pool(run->device), report);
}

/// study -> scenes -> buffers -> (pairs -> contacts -> forces -> states) -> records, for `count` scenes.
/// CLACK_INTERRUPTED after what there is has been recorded.
static ClackStatus run_batch(Run *run, uint32_t count, ClackReport *report) {
    const StepperOptions stepper_options = {.poll = run_poll, .poll_context = run};
    ClackStatus status = CLACK_OK;
    RunBatch *work = NULL;
    TRY_CLEAN(run_batch_begin(run, count, &work, report));
    run_stage_ahead(run, work);
    const ClackStatus stepped =
        stepper_run(run->device, run->study, work->scenes, &work->batch, &stepper_options, &work->result, report);
    if (stepped != CLACK_INTERRUPTED) TRY_CLEAN(stepped);
    TRY_CLEAN(run_batch_evaluate(work, device_thread_pool(run->device), report));
    if (stepped == CLACK_INTERRUPTED && run->output != NULL) {
        TRY_CLEAN(run_batch_keep(run, work, report));
        TRY_CLEAN(stepped);
    }
    TRY_CLEAN(run_collect(run, report));
    TRY_CLEAN(run_batch_stop(run, work, report));
    const ClackStatus written = run_batch_hand_over(run, work, report);
    work = NULL; // given away
    status = written != CLACK_OK ? written : stepped;
cleanup:
    run_batch_free(work);
    return status;
}

// As run_batch, timed: one that is left counts with what it took.
static ClackStatus run_batch_timed(Run *run, uint32_t count, ClackReport *report) {
    const double start_s = run_now_s(), waited_s = run->summary->write_s;
    const ClackStatus status = run_batch(run, count, report);
    const double taken_s = run_now_s() - start_s;
    if (status == CLACK_OK) run->batch_s = taken_s;
    run->summary->batch_scenes = count;
    run->summary->run_s += taken_s - (run->summary->write_s - waited_s);
    return status;
}

// --- batches side by side -----------------------------------------------------------------------

static int run_pool_leaves(void *context) { return run_leaves(context); }

static void run_pool_report(const void *context, uint64_t stepped) {
    const Run *run = context;
    run_tell(run, run->done + stepped);
}

// Batches up to the end of the gap are given, as many as there is room for. `*given`: the first scene that is not yet.
static ClackStatus run_pool_give(Run *run, uint64_t *given, ClackReport *report) {
    while (*given < run->gap_end && batch_pool_has_room(run->pool, run->batch_scenes)) {
        const uint32_t count =
            batch_pool_batch_size(run->pool, *given - run->first, run->gap_end - *given, run->batch_scenes);
        RunBatch *work = run_batch_make(run->study, run->options, *given, count);
        if (work == NULL) return report_add(report, CLACK_MEMORY, "no memory for a batch of %u scenes", count);
        work->spent = run->spent;
        run->spent = NULL;
        *given += count;
        batch_pool_give(run->pool, work);
    }
    return CLACK_OK;
}

// The next batch in the order of scenes, into the file. `*out_failed`: it could not be carried.
static ClackStatus run_pool_take(Run *run, int *out_failed, ClackReport *report) {
    RunBatch *work = NULL;
    ClackReport why = {0};
    const ClackStatus carried = batch_pool_take(run->pool, &work, &why);
    *out_failed = carried != CLACK_OK && carried != CLACK_INTERRUPTED;
    clack_report_clear(&why);
    if (*out_failed) {
        run_batch_free(work);
        return CLACK_OK;
    }
    const ClackStatus collected = run_collect(run, report);
    if (collected != CLACK_OK) {
        run_batch_free(work);
        return collected;
    }
    if (carried == CLACK_INTERRUPTED && run->output != NULL) { // others that were begun are taken too
        const ClackStatus kept = run_batch_keep(run, work, report);
        run_batch_free(work);
        return kept;
    }
    TRY(run_batch_hand_over(run, work, report));
    run_tell(run, run->done + batch_pool_stepped(run->pool));
    return carried;
}

// All scenes up to the end of the gap. Where a batch cannot be carried, for want of memory most often, the batch pool
// is closed: the device's thread pool takes it up again, which tells why or halves it.
static ClackStatus run_pool_gap(Run *run, ClackReport *report) {
    const double start_s = run_now_s(), waited_s = run->summary->write_s;
    uint64_t given = run->next;
    int has_failed = 0;
    ClackStatus status = CLACK_OK;
    const uint64_t scenes = run->end - run->first;
    run->summary->batch_scenes = scenes < run->batch_scenes ? (uint32_t)scenes : run->batch_scenes;
    while (status == CLACK_OK && run->next < run->gap_end && !has_failed) {
        if (!run_is_stopped(run))
            status = run_pool_give(run, &given, report);
        else if (batch_pool_withdraw(run->pool) == 0)
            status = CLACK_INTERRUPTED;
        if (status == CLACK_OK) status = run_pool_take(run, &has_failed, report);
    }
    run->summary->run_s += run_now_s() - start_s - (run->summary->write_s - waited_s);
    run->summary->kernel_s = batch_pool_kernel_s(run->pool);
    run->summary->device_bytes = batch_pool_bytes_most(run->pool);
    if (!has_failed) return status;
    batch_pool_close(run->pool);
    run->pool = NULL;
    return CLACK_OK;
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
// is resumed again and again comes to its end; where the limit ends it, its scenes that are done are kept.
static ClackStatus run_is_late(Run *run, int *out_is_late, ClackReport *report) {
    const double limit_s = run->options->time_limit_s;
    *out_is_late = 0;
    if (!(limit_s > 0) || !(run->batch_s > 0)) return CLACK_OK;
    if (!(run->write_batch_s > 0)) TRY(run_collect(run, report)); // how long writing takes is not known before
    const double write_s = run->write_batch_s,
                 ahead_s = run->written != NULL && write_s > run->batch_s ? write_s : run->batch_s;
    *out_is_late = run_now_s() - run->start_s + ahead_s + write_s > limit_s;
    return CLACK_OK;
}

// A batch that is too big for the device's memory is halved.
static ClackStatus run_all(Run *run, ClackReport *report) {
    run->batch_scenes = plan_batch_scenes(run->study, run->options, device_info(run->device));
    ClackStatus status = CLACK_OK;
    int is_late = 0;
    while (status == CLACK_OK && run_next_gap(run)) {
        TRY(run_is_late(run, &is_late, report));
        if (run_is_stopped(run) || is_late) return CLACK_INTERRUPTED;
        if (run->pool != NULL) {
            status = run_pool_gap(run, report);
            if (status == CLACK_OK && run->next == run->gap_end) status = run_collect(run, report);
            continue;
        }
        const uint32_t count = run_batch_size(run, run->next, run->done);
        ClackReport attempt = {0};
        status = run_batch_timed(run, count, &attempt);
        const int ran_out = device_ran_out_of_memory(run->device) || status == CLACK_MEMORY;
        if ((status == CLACK_DEVICE || status == CLACK_MEMORY) && ran_out && !run->output_failed && count > 1) {
            run->batch_scenes = count / 2;
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
    TRY(async_task_open(&run->writer, report));
    const OutputConfig config = {.path = run->summary->output_path,
                                 .study = run->study,
                                 .options = run->options,
                                 .device = run->device,
                                 .first = run->first,
                                 .end = run->end,
                                 .resumed = run->resumed,
                                 .extended = run->base};
    run->resumed = NULL; // taken over
    TRY(output_open(&config, &run->output, &tally, report));
    run_count_kept(run, &tally);
    int is_reached = 0;
    if (run->stop != NULL) TRY(output_replay(run->output, run->stop, &is_reached, report));
    return is_reached || (run->stop != NULL && run->first + run->done == run->end)
               ? run_end_at(run, run->first + run->done, report)
               : CLACK_OK;
}

// A part of the scenes says nothing of all.
static ClackStatus run_open_stop(Run *run, ClackReport *report) {
    const ClackRunOptions *options = run->options;
    const int is_part =
        options->only_scene != NULL || options->scenes != NULL || options->first_scenes > 0 || options->is_refined;
    return run->study->statistics.stop.count > 0 && !is_part ? stop_open(run->study, &run->stop, report) : CLACK_OK;
}

// Where it is known which scenes are run, and they are many, threads carry batches side by side.
static ClackStatus run_open_threads(Run *run, ClackReport *report) {
    const int is_known = run->stop == NULL && !(run->options->time_limit_s > 0);
    const uint32_t parts = is_known ? plan_parts(run->study, run->options, run->device, run->first, run->end) : 1;
    if (thread_pool_size(device_thread_pool(run->device)) == 1) return CLACK_OK;
    if (parts == 1) return async_task_open(&run->stager, report);
    const BatchPoolOptions options = {.study = run->study,
                                      .device = run->device,
                                      .parts = parts,
                                      .leaves = run_pool_leaves,
                                      .report_progress = run_pool_report,
                                      .context = run};
    return batch_pool_open(&options, &run->pool, report);
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
    const int is_new = run->resumed == NULL && run->base == NULL && !run->options->no_file;
    if (is_new) TRY(shards_check_free(run->summary->output_path, run->options->overwrites, report));
    Content content = content_of_study(run->study, PROGRAM_ADVANCE);
    content.scenes = run->end - run->first;
    ClackDeviceOptions options = *run->options->device;
    options.on_build = run_poll_build;
    options.build_context = run;
    TRY(device_open(&options, &content, &run->device, report));
    const DeviceInfo *info = device_info(run->device);
    snprintf(run->summary->device_name, sizeof run->summary->device_name, "%s", info->name);
    run->summary->build_s = run_now_s() - run->start_s;
    TRY(run_open_stop(run, report));
    TRY(run_open_threads(run, report));
    return run->options->no_file ? CLACK_OK : run_open_output(run, report);
}

static ClackStatus run_tell_end(const Run *run, ClackStatus status, ClackReport *report) {
    for (uint32_t i = 0; i < run->left_out_count; i++) left_out_report(run->study, run->left_out[i], report);
    if (status == CLACK_INTERRUPTED) {
        return report_add(report, status, "%s after %" PRIu64 " of %" PRIu64 " %s",
                          run_is_stopped(run) || run->is_left_unbuilt ? "interrupted" : "stopped by the time limit",
                          run->summary->scenes_kept + run->summary->scenes_run, run->summary->scenes_total,
                          text_plural(run->summary->scenes_total, "scene", "scenes"));
    }
    if (status == CLACK_OK && run->summary->scenes_failed > run->options->failures_allowed) {
        return report_add(report, CLACK_FAILED_SCENES, "%" PRIu64 " of %" PRIu64 " %s failed; allowed: %" PRIu64,
                          run->summary->scenes_failed, run->summary->scenes_total,
                          text_plural(run->summary->scenes_total, "scene", "scenes"), run->options->failures_allowed);
    }
    return status;
}

// A run that was resumed ends before it has opened its output: the shards are as they were.
static int run_keep_resumed(const Run *run) {
    run->summary->scenes_kept = shards_scenes(run->resumed);
    return shards_made(run->resumed) > 0;
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
    if (run->resumed != NULL) is_kept = run_keep_resumed(run);
    if (!is_kept) summary->resume_path[0] = '\0';
    summary->write_s += run_now_s() - start_s;
    shards_close(run->resumed);
    if (run->device != NULL) {
        const size_t bytes = device_bytes_most(run->device);
        summary->kernel_s += device_kernel_s(run->device, KERNEL_advance);
        if (bytes > summary->device_bytes) summary->device_bytes = bytes;
    }
    stop_close(run->stop);
    async_task_close(run->writer);
    if (run->ahead != NULL) { // not needed any more, whatever its result
        ClackReport unread = {0};
        (void)async_task_wait(run->stager, &unread);
        clack_report_clear(&unread);
        run_batch_free(run->ahead);
    }
    batch_pool_close(run->pool);
    run_batch_free(run->spent);
    async_task_close(run->stager);
    device_close(run->device);
    return run_tell_end(run, status, report);
}

static ClackStatus run_from_to(Run *run, ClackReport *report) {
    *run->summary = (ClackRunSummary){0};
    run->start_s = run_now_s();
    ClackStatus status = run_open(run, report);
    if (status == CLACK_OK) status = run_all(run, report);
    return run_close(run, status, report);
}

ClackStatus run_take_up(const Study *study, const ClackRunOptions *options, Shards *shards,
                        ClackRunSummary *out_summary, ClackReport *report) {
    Run run = {.study = study, .options = options, .summary = out_summary, .resumed = shards};
    return run_from_to(&run, report);
}

ClackStatus run_extend(const Study *study, const ClackRunOptions *options, const RecordBase *base,
                       ClackRunSummary *out_summary, ClackReport *report) {
    Run run = {.study = study, .options = options, .summary = out_summary, .base = base};
    return run_from_to(&run, report);
}

ClackStatus run_study(const Study *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                      ClackReport *report) {
    if (options->extends && !options->no_file) return extend_what_is_there(study, options, out_summary, report);
    if (options->continues && !options->no_file) return resume_what_is_there(study, options, out_summary, report);
    return run_take_up(study, options, NULL, out_summary, report);
}
