// Runs a batch until every scene is done: again with more room, or by the second build, where scenes ask for it.
#include "stepper_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FACTOR 2u        // how much more room a scene gets whose lists overflowed
#define ROOM_ATTEMPTS_MAX 24u // doublings before it is called hopeless

static Capacities more_room(SlotRoom had, const Progress *progress) {
    Capacities room = {had.candidates, had.contacts, had.events, had.rows, had.regions, had.segments, had.vertices};
    if (progress->status != STATUS_CAPACITY) return room;
    uint32_t *which = progress->capacity_which == CAPACITY_CANDIDATES ? &room.candidates
                      : progress->capacity_which == CAPACITY_CONTACTS ? &room.contacts
                      : progress->capacity_which == CAPACITY_ROWS     ? &room.rows
                      : progress->capacity_which == CAPACITY_REGIONS  ? &room.regions
                      : progress->capacity_which == CAPACITY_SEGMENTS ? &room.segments
                      : progress->capacity_which == CAPACITY_VERTICES ? &room.vertices
                                                                      : &room.events;
    const uint32_t wanted = progress->capacity_wanted;
    if (which == &room.segments || which == &room.vertices) { // powers of 2
        do *which *= ROOM_FACTOR;
        while (*which < wanted);
        return room;
    }
    *which = ROOM_FACTOR * (wanted > *which ? wanted : *which);
    return room;
}

// Rows of scene `local` of the smaller batch go to scene `target` of the whole.
static void merge_scene(const Batch *whole, BatchResult *result, uint32_t target, const Batch *part,
                        const BatchResult *part_result, uint32_t local) {
    const Scene *to = &whole->scenes[target];
    const Scene *from = &part->scenes[local];
    const size_t frames = (size_t)from->frame_capacity * from->body_count;
    result->progress[target] = part_result->progress[local];
    memcpy(result->states + to->body_first, part_result->states + from->body_first,
           from->body_count * sizeof *result->states);
    memcpy(result->extremes + to->extreme_first, part_result->extremes + from->extreme_first,
           from->watch_count * sizeof *result->extremes);
    memcpy(result->frames + to->frame_first, part_result->frames + from->frame_first, frames * sizeof *result->frames);
}

// Is it to be run again?
static int is_waiting(const Progress *progress) {
    return progress->status == STATUS_CAPACITY || progress->status == STATUS_SECOND_BUILD;
}

typedef struct Retry { // scenes that are run again, packed together
    uint32_t count;
    uint32_t waiting;  // these and others that are not done
    uint32_t *targets; // index in the whole batch
    uint64_t *numbers;
    SceneDescription *scenes; // borrowed
    Capacities *rooms;
} Retry;

static void retry_free(Retry *retry) {
    free(retry->targets);
    free(retry->numbers);
    free(retry->scenes);
    free(retry->rooms);
}

// cause: STATUS_CAPACITY or STATUS_SECOND_BUILD.
static ClackStatus retry_collect(const Batch *batch, const SceneDescription *scenes, const Progress *progress,
                                 const Capacities *rooms, uint32_t cause, Retry *retry, ClackReport *report) {
    const size_t n = batch->scene_count;
    *retry = (Retry){0};
    size_t count = 0;
    for (uint32_t s = 0; s < batch->scene_count; s++) count += progress[s].status == cause;
    if (count == 0) return CLACK_OK; // most often: no lists are made then
    *retry = (Retry){.targets = calloc(n, sizeof *retry->targets),
                     .numbers = calloc(n, sizeof *retry->numbers),
                     .scenes = calloc(n, sizeof *retry->scenes),
                     .rooms = calloc(n, sizeof *retry->rooms)};
    if (!retry->targets || !retry->numbers || !retry->scenes || !retry->rooms) {
        return report_add(report, CLACK_MEMORY, "no memory to run scenes again");
    }
    for (uint32_t s = 0; s < batch->scene_count; s++) {
        retry->waiting += is_waiting(&progress[s]) ? 1 : 0;
        if (progress[s].status != cause) continue;
        retry->targets[retry->count] = s;
        retry->numbers[retry->count] = batch->scene_numbers[s];
        retry->scenes[retry->count] = scenes[s];
        retry->rooms[retry->count++] = rooms[s];
    }
    return CLACK_OK;
}

// Rows of scenes that are run again are those of the new run only. Of a scene that went wrong there are none later
// than its last good state: bodies that had been stepped farther by then were taken back.
static ClackStatus drained_forget(Drained *drained, const Batch *batch, BatchResult *result, ClackReport *report) {
    uint32_t good = 0;
    for (uint32_t s = 0; s < result->scene_count; s++) good += result->progress[s].status == STATUS_OK;
    if (good == result->scene_count) return CLACK_OK;
    double *until_s = calloc(result->scene_count, sizeof *until_s);
    if (until_s == NULL) return report_add(report, CLACK_MEMORY, "no memory for a batch");
    for (uint32_t s = 0; s < result->scene_count; s++) {
        Progress *progress = &result->progress[s];
        until_s[s] = progress->step_index * batch->scenes[s].step_s + progress->offset_s;
        if (progress->status == STATUS_OK) until_s[s] = INFINITY;
        if (is_waiting(progress)) until_s[s] = -INFINITY;
        if (progress->status != STATUS_OK) progress->event_total = 0;
    }
    rows_drop_after(&drained->events, until_s);
    for (size_t k = 0; k < drained->events.count; k++) {
        Progress *progress = &result->progress[drained->events.scenes[k]];
        if (progress->status != STATUS_OK) progress->event_total++;
    }
    rows_drop_after(&drained->contacts, until_s);
    free(until_s);
    return CLACK_OK;
}

// A batch that is run, and what has come of it so far.
typedef struct Whole {
    Device *device;
    const Study *study;
    const SceneDescription *scenes;
    const Batch *batch;
    const StepperOptions *options;
    Capacities *rooms; // (batch->scene_count): for another run of a scene
    StepperRun run;
} Whole;

static ClackStatus retry_run(Whole *whole, const Retry *retry, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    Drained *drained = &whole->run.drained;
    Batch part = {0};
    StepperRun run = {.drained = drained_make(), .is_stopped = whole->run.is_stopped};
    TRY_CLEAN(stage_pack(whole->study, retry->scenes, retry->numbers, retry->rooms, retry->count, &part, report));
    status = stepper_batch_run(whole->device, &part, whole->options, whole->batch->scene_count, retry->waiting, &run,
                               report);
    whole->run.is_stopped = run.is_stopped;
    if (status != CLACK_OK) goto cleanup;
    TRY_CLEAN(rows_merge(&drained->events, &run.drained.events, retry->targets, report));
    TRY_CLEAN(rows_merge(&drained->contacts, &run.drained.contacts, retry->targets, report));
    for (uint32_t k = 0; k < retry->count; k++) {
        merge_scene(whole->batch, &whole->run.result, retry->targets[k], &part, &run.result, k);
        whole->rooms[retry->targets[k]] = more_room(part.room, &run.result.progress[k]);
    }
cleanup:
    stage_free(&part);
    stepper_result_free(&run.result);
    drained_free(&run.drained);
    return status;
}

// The drained rows, by scene, become the result's.
static ClackStatus drained_move(Drained *drained, BatchResult *result, ClackReport *report) {
    TRY(rows_sort(&drained->events, result->scene_count, report));
    TRY(rows_sort(&drained->contacts, result->scene_count, report));
    result->event_count = drained->events.count;
    result->events = (Event *)(void *)drained->events.rows;
    result->event_scene = drained->events.scenes;
    result->contact_count = drained->contacts.count;
    result->contacts = (ContactRow *)(void *)drained->contacts.rows;
    result->contact_scene = drained->contacts.scenes;
    *drained = drained_make();
    return CLACK_OK;
}

static int is_observed(const Batch *batch, const Scene *scene, const Event *event) {
    const Shape *shapes = batch->shapes + scene->shape_first;
    const size_t law =
        (size_t)shapes[event->shape_a].material * scene->material_count + shapes[event->shape_b].material;
    return (batch->laws[scene->law_first + law].flags & LAW_OBSERVER) != 0;
}

// Most contacts at the same time, from the events in their order: kernels step islands one after the other.
static void count_contacts(const Batch *batch, BatchResult *result) {
    uint32_t active = 0;
    for (size_t k = 0; k < result->event_count; k++) {
        const Event *event = &result->events[k];
        const uint32_t s = result->event_scene[k];
        if (k == 0 || result->event_scene[k - 1] != s) active = 0;
        if (event->kind > EVENT_END || is_observed(batch, &batch->scenes[s], event)) continue;
        active = event->kind == EVENT_BEGIN ? active + 1 : active - 1;
        const int is_last = k + 1 == result->event_count || result->event_scene[k + 1] != s ||
                            result->events[k + 1].time_s > event->time_s;
        uint32_t *most = &result->progress[s].contacts_max;
        if (is_last && active > *most) *most = active;
    }
}

static void mark_interrupted(BatchResult *result) {
    for (uint32_t s = 0; s < result->scene_count; s++) {
        const uint32_t status = result->progress[s].status;
        if (status >= STATUS_RUNNING || status == STATUS_CAPACITY) { // STATUS_SECOND_BUILD too
            result->progress[s].status = STATUS_INTERRUPTED;
        }
    }
}

// What was stepped in the place of such a scene is nothing.
static void mark_left_out(const SceneDescription *scenes, BatchResult *result) {
    for (uint32_t s = 0; s < result->scene_count; s++)
        if (scenes[s].is_left_out) result->progress[s] = (Progress){.status = STATUS_NOT_STAGED};
}

// Scenes whose lists overflowed are run again with more room until all have enough, then those that left by the second
// build.
static ClackStatus retry_all(Whole *whole, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    const Batch *batch = whole->batch;
    BatchResult *result = &whole->run.result;
    Retry retry = {0};
    whole->rooms = calloc(batch->scene_count, sizeof *whole->rooms);
    if (whole->rooms == NULL) return report_add(report, CLACK_MEMORY, "no memory for a batch");
    for (uint32_t s = 0; s < batch->scene_count; s++) whole->rooms[s] = more_room(batch->room, &result->progress[s]);
    for (int is_second = 0; is_second <= 1; is_second++) {
        for (uint32_t attempt = 0; attempt < ROOM_ATTEMPTS_MAX && !whole->run.is_stopped; attempt++) {
            TRY_CLEAN(drained_forget(&whole->run.drained, batch, result, report));
            retry_free(&retry);
            const uint32_t cause = is_second && attempt == 0 ? STATUS_SECOND_BUILD : STATUS_CAPACITY;
            TRY_CLEAN(retry_collect(batch, whole->scenes, result->progress, whole->rooms, cause, &retry, report));
            if (retry.count == 0) break;
            if (cause == STATUS_SECOND_BUILD) {
                status = device_second(whole->device, &whole->device, report);
                whole->run.is_stopped =
                    status == CLACK_INTERRUPTED; // while it was compiled: scenes are kept as they are
                if (whole->run.is_stopped) status = CLACK_OK;
                if (whole->run.is_stopped || status != CLACK_OK) goto cleanup;
                result->second_count = retry.count;
            }
            TRY_CLEAN(retry_run(whole, &retry, report));
        }
    }
cleanup:
    retry_free(&retry);
    free(whole->rooms);
    return status;
}

ClackStatus stepper_run(Device *device, const Study *study, const SceneDescription *scenes, const Batch *batch,
                        const StepperOptions *options, BatchResult *out_result, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    Whole whole = {.device = device,
                   .study = study,
                   .scenes = scenes,
                   .batch = batch,
                   .options = options,
                   .run = {.drained = drained_make()}};
    StepperRun *run = &whole.run;
    TRY_CLEAN(stepper_batch_run(device, batch, options, batch->scene_count, batch->scene_count, run, report));
    TRY_CLEAN(retry_all(&whole, report));
    TRY_CLEAN(drained_forget(&run->drained, batch, &run->result, report));
    if (run->is_stopped) mark_interrupted(&run->result);
    mark_left_out(scenes, &run->result);
    TRY_CLEAN(drained_move(&run->drained, &run->result, report));
    count_contacts(batch, &run->result);
    *out_result = run->result;
    run->result = (BatchResult){0};
    if (run->is_stopped) status = CLACK_INTERRUPTED;
cleanup:
    drained_free(&run->drained);
    stepper_result_free(&run->result);
    return status;
}

double stepper_event_distance_m(const Event *event) { return event->kind == EVENT_BEGIN ? event->gap_m : (double)NAN; }

double stepper_event_law_number(const Event *event, double number) {
    return event->stiffness > 0 ? number : (double)NAN;
}

void stepper_result_free(BatchResult *result) {
    free(result->progress);
    free(result->states);
    free(result->extremes);
    free(result->events);
    free(result->event_scene);
    free(result->frames);
    free(result->contacts);
    free(result->contact_scene);
    *result = (BatchResult){0};
}
