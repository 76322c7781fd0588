// clack run --dry-run: what a run would take. Nothing is written; a few scenes are run into no file, since
// only that tells how long a scene takes and how many events it has.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "command.h"
#include "describe.h"
#include "text.h"

#define TRIAL_SCENES 16u
#define TRIAL_S 2.0
#define TRIAL_FIRST_S 30.0 // until one scene has ended, and
#define TRIAL_SHARE 1.25   // times as long for those that other threads run beside it

typedef struct TrialClock {
    volatile int is_over;
    ClackProgress last;
    double first_s; // when the first scene ended; 0: none has
} TrialClock;

static void command_watch_clock(void *context, const ClackProgress *progress) {
    TrialClock *clock = context;
    if (clock->is_over) return; // scenes that are left count as done then
    clock->last = *progress;
    if (progress->scenes_done > 0 && clock->first_s == 0) clock->first_s = progress->elapsed_s;
    const double longest_s = clock->first_s > 0 ? fmax(TRIAL_S, TRIAL_SHARE * clock->first_s) : TRIAL_FIRST_S;
    clock->is_over = progress->elapsed_s > longest_s;
}

static ClackStatus command_try_scenes(const ClackRunOptions *options, const ClackStudy *study, CommandTrial *out_trial,
                                      ClackReport *report) {
    TrialClock clock = {0};
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    ClackRunOptions trial = *options;
    trial.no_file = 1;
    trial.extends = 0;
    trial.first_scenes = TRIAL_SCENES;
    trial.on_progress = command_watch_clock;
    trial.progress_context = &clock;
    trial.stop = &clock.is_over;
    ClackStatus status = clack_run(study, &trial, &summary, report);
    if (status == CLACK_INTERRUPTED || status == CLACK_FAILED_SCENES) { // fewer scenes, or bad ones: they count
        clack_report_clear(report);
        status = CLACK_OK;
    }
    if (summary.scenes_run > 0) {
        const double scenes = (double)summary.scenes_run;
        *out_trial = (CommandTrial){summary.scenes_run, summary.run_s / scenes, (double)summary.events / scenes};
    } else if (clock.last.scenes_done > 0) { // of a batch that was left
        *out_trial = (CommandTrial){clock.last.scenes_done, clock.last.elapsed_s / (double)clock.last.scenes_done, NAN};
    }
    return status;
}

static uint64_t command_sum(const ClackPlanPart *parts, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += parts[i].bytes;
    return bytes;
}

static void command_print_parts(const ClackPlanPart *parts, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].bytes > 0) printf("  %-14s %16" PRIu64 "\n", parts[i].name, parts[i].bytes);
    }
}

// What is at the output's path.
static void command_print_there(const ClackPlan *plan) {
    if (plan->scenes_kept > 0)
        printf(" (has %" PRIu64 " %s, which are kept)", plan->scenes_kept,
               text_plural(plan->scenes_kept, "scene", "scenes"));
    else if (access(plan->output_path, F_OK) == 0)
        printf(" (there is one: only --overwrite replaces it)");
}

static void command_print_plan(const ClackPlan *plan, const CommandTrial *trial) {
    printf("scenes:  %" PRIu64 "%s in %" PRIu64 " %s of at most %" PRIu64 " on ", plan->scenes,
           plan->scenes_kept > 0 ? " more" : "", plan->batches, text_plural(plan->batches, "batch", "batches"),
           plan->batch_scenes);
    text_put(stdout, plan->device_name, 0);
    printf("\ndevice:  %" PRIu64 " bytes for a batch, of which %" PRIu64
           " %s carried at a time; lists that overflow grow\n",
           command_sum(plan->device, plan->device_count), plan->slots,
           text_plural(plan->slots, "scene is", "scenes are"));
    command_print_parts(plan->device, plan->device_count);
    if (plan->output_path[0] == '\0') {
        printf("file:    none\n");
    } else {
        printf("file:    ");
        text_put(stdout, plan->output_path, 0);
        command_print_there(plan);
        printf(", %" PRIu64 "%s bytes before compression and without events\n",
               command_sum(plan->file, plan->file_count), plan->scenes_kept > 0 ? " more" : "");
        command_print_parts(plan->file, plan->file_count);
    }
    if (trial->scenes == 0) {
        printf("time:    unknown: no scene came to its end in %g s\n", TRIAL_FIRST_S);
        return;
    }
    const double scenes = (double)plan->scenes;
    if (plan->event_bytes > 0 && plan->output_path[0] != '\0' && trial->events_per_scene >= 0) {
        printf("events:  about %.3g bytes more: %" PRIu64 " for each, %.3g in a scene\n",
               trial->events_per_scene * scenes * (double)plan->event_bytes, plan->event_bytes,
               trial->events_per_scene);
    }
    printf("time:    about %.3g s, an estimate from %" PRIu64 " %s%s\n", trial->s_per_scene * scenes, trial->scenes,
           text_plural(trial->scenes, "scene", "scenes"),
           plan->is_gpu ? ", which do not fill a GPU: it will be far less" : "");
}

int command_plan(Arguments *arguments) {
    ClackReport report = {0};
    ClackStudy *study = NULL;
    ClackPlan plan = CLACK_SIZED(ClackPlan);
    CommandTrial trial = {0};
    ClackRunOptions *options = &arguments->run;
    options->output_path = arguments->output_path;
    options->no_file = options->only_scene != NULL && options->output_path == NULL;
    ClackStatus status = command_read_study(arguments, &study, &report);
    if (status == CLACK_OK) status = clack_plan(study, options, &plan, &report);
    if (status == CLACK_OK) status = command_try_scenes(options, study, &trial, &report);
    struct json_t *data = NULL;
    if (status == CLACK_OK && arguments->is_json) {
        data = command_json_plan(study, &plan, &trial);
    } else if (status == CLACK_OK) {
        describe_meshes(stdout, study);
        command_print_plan(&plan, &trial);
    }
    clack_study_free(study);
    return command_end(arguments, data, &report, status);
}
