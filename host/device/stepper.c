// Feeds a batch to `advance` until every scene is done, and brings back what it wrote.
#include "stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "workspace.h"

#define ROOM_FACTOR 2u        // how much more room a scene gets whose lists overflowed
#define ROOM_ATTEMPTS_MAX 24u // doublings before it is called hopeless
#define READS_MOST 64u        // of one list, slot by slot
#define SLOT_PASSES 4096u     // of one launch, so that the host can look in between: signals, rows, watchdogs
#define LINE_BYTES 64u
#define SLOT_TURN 256u        // of them at a time, where work-items share slots

// The buffers of `advance`, in the order of its arguments.
enum {
    BUFFER_SCENES,
    BUFFER_BODIES,
    BUFFER_SHAPES,
    BUFFER_LAWS,
    BUFFER_WATCHES,
    BUFFER_HULLS,
    BUFFER_PROGRESS,
    BUFFER_STATES,
    BUFFER_FRAMES,
    BUFFER_EXTREMES,
    BUFFER_SLOTS, // this and the rest are of slots
    BUFFER_SLOT,
    BUFFER_WORKS,
    BUFFER_CANDIDATES,
    BUFFER_CONTACTS,
    BUFFER_EVENTS,
    BUFFER_ROWS,
    BUFFER_MATRICES,
    BUFFER_LISTS,
    BUFFER_PLACED,
    BUFFER_COUNT
};

typedef struct Drained { // rows as they were drained
    RowList events, contacts;
} Drained;

static Drained drained_make(void) {
    return (Drained){.events = {.row_bytes = sizeof(Event)},
                     .contacts = {.row_bytes = sizeof(ContactRow)}};
}

static void drained_free(Drained *drained) {
    rows_free(&drained->events);
    rows_free(&drained->contacts);
}

typedef struct Run { // one batch on one device
    Device *device;
    const Batch *batch;
    DeviceBuffer *buffers[BUFFER_COUNT];
    Slots slots;
    uint32_t slot_count;
    uint32_t items;           // work-items that carry them
    Slot *slot;               // (slot_count)
    Event *event_rows;        // (slot_count, room.events): the device's buffers, to drain
    ContactRow *contact_rows; // (slot_count, room.rows)
    BatchResult *result;
    Drained *drained;
    uint32_t scenes_before, scenes_total; // of those that the poll is told of: done already, all
} Run;

// Over the host's own memory, in which a device may work.
static ClackStatus run_share(Run *run, int buffer, size_t size_bytes, const void *data, ClackReport *report) {
    return device_buffer_create_over(run->device, size_bytes, (void *)(uintptr_t)data, 1, &run->buffers[buffer], report);
}

// The same of zeros, or of lists whose first content nobody relies on.
static ClackStatus run_share_empty(Run *run, int buffer, size_t size_bytes, void *data, ClackReport *report) {
    return device_buffer_create_over(run->device, size_bytes, data, 0, &run->buffers[buffer], report);
}

static ClackStatus run_share_scenes(Run *run, ClackReport *report) {
    const Batch *batch = run->batch;
    const BatchResult *result = run->result;
    const size_t scenes = batch->scene_count;
    TRY(run_share(run, BUFFER_SCENES, scenes * sizeof(Scene), batch->scenes, report));
    TRY(run_share(run, BUFFER_BODIES, batch->body_count * sizeof(Body), batch->bodies, report));
    TRY(run_share(run, BUFFER_SHAPES, batch->shape_count * sizeof(Shape), batch->shapes, report));
    TRY(run_share(run, BUFFER_LAWS, batch->law_count * sizeof(ContactLaw), batch->laws, report));
    TRY(run_share(run, BUFFER_WATCHES, batch->watch_count * sizeof(Watch), batch->watches, report));
    TRY(run_share(run, BUFFER_HULLS, batch->hull_row_count * sizeof(HullRow), batch->hull_rows, report));
    TRY(run_share(run, BUFFER_PROGRESS, scenes * sizeof(Progress), result->progress, report));
    TRY(run_share(run, BUFFER_STATES, batch->body_count * sizeof(BodyState), result->states, report));
    TRY(run_share_empty(run, BUFFER_FRAMES, batch->frame_state_count * sizeof(BodyState), result->frames, report));
    return run_share_empty(run, BUFFER_EXTREMES, scenes * batch->watch_count * sizeof(Extreme), result->extremes, report);
}

static ClackStatus run_make_list(Run *run, int buffer, size_t size_bytes, ClackReport *report) {
    return device_buffer_create(run->device, size_bytes, &run->buffers[buffer], report);
}

static ClackStatus run_make_slots(Run *run, ClackReport *report) {
    const SlotRoom room = run->slots.room;
    const size_t n = run->slot_count;
    TRY(run_share(run, BUFFER_SLOTS, sizeof run->slots, &run->slots, report));
    TRY(run_share(run, BUFFER_SLOT, n * sizeof *run->slot, run->slot, report));
    TRY(run_make_list(run, BUFFER_WORKS, n * room.bodies * sizeof(BodyWork), report));
    TRY(run_make_list(run, BUFFER_CANDIDATES, n * room.candidates * sizeof(Candidate), report));
    TRY(run_make_list(run, BUFFER_CONTACTS, n * room.contacts * sizeof(Contact), report));
    TRY(run_share_empty(run, BUFFER_EVENTS, n * room.events * sizeof(Event), run->event_rows, report));
    TRY(run_share_empty(run, BUFFER_ROWS, n * room.rows * sizeof(ContactRow), run->contact_rows, report));
    TRY(run_make_list(run, BUFFER_MATRICES, n * room.numbers * sizeof(double), report));
    TRY(run_make_list(run, BUFFER_LISTS, n * stepper_list_bytes(room), report));
    return run_make_list(run, BUFFER_PLACED, n * room.shapes * sizeof(PlacedShape), report);
}

// Of so many slots that have scenes: half of a work-item's share, so that others are there for whoever is through first.
static uint32_t run_side_by_side(const Run *run, uint32_t slots) { return slots > 2 * run->items ? slots / (2 * run->items) : 1; }

// The results are where scenes are stepped, on devices that work in the host's memory.
static ClackStatus run_make_result(Run *run, ClackReport *report) {
    const Batch *batch = run->batch;
    BatchResult *result = run->result;
    result->scene_count = batch->scene_count;
    result->progress = calloc(batch->scene_count, sizeof *result->progress);
    result->states = malloc((batch->body_count + 1) * sizeof *result->states);
    result->extremes = calloc((size_t)batch->scene_count * batch->watch_count + 1, sizeof *result->extremes);
    result->frames = calloc(batch->frame_state_count + 1, sizeof *result->frames);
    if (result->progress == NULL || result->states == NULL || result->extremes == NULL || result->frames == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for results of %u scenes", batch->scene_count);
    for (uint32_t s = 0; s < batch->scene_count; s++) result->progress[s].status = STATUS_RUNNING;
    if (batch->body_count > 0) memcpy(result->states, batch->states, batch->body_count * sizeof *result->states);
    return CLACK_OK;
}

// Whole cache lines: threads write to slots at the same time.
static void *run_lines(size_t size_bytes) { return aligned_alloc(LINE_BYTES, (size_bytes / LINE_BYTES + 1) * LINE_BYTES); }

static ClackStatus run_open(Run *run, ClackReport *report) {
    const Batch *batch = run->batch;
    const DeviceInfo *info = device_info(run->device);
    if (!content_covers(device_content(run->device), batch))
        return report_add(report, CLACK_INTERNAL, "scenes hold what the kernels were not built for (%s)",
                          device_build_options(run->device));
    const SlotRoom room = stepper_room(info, batch->room);
    run->slots = (Slots){.scene_count = batch->scene_count, .turn = SLOT_TURN, .ways = 1, .room = room};
    run->slot_count = run->slots.count = stepper_slot_count(info, batch->room, batch->scene_count);
    run->items = stepper_item_count(info, device_lanes(run->device), run->slot_count);
    if (run->items == run->slot_count) run->slots.turn = SLOT_PASSES;
    run->slots.side_by_side = run_side_by_side(run, run->slot_count);
    if (!info->is_gpu) run->slots.ways = run->slot_count; // work-items side by side read what lies side by side
    const size_t n = run->slot_count;
    run->slot = run_lines(n * sizeof *run->slot);
    run->event_rows = run_lines(n * room.events * sizeof *run->event_rows);
    run->contact_rows = run_lines(n * room.rows * sizeof *run->contact_rows);
    if (!run->slot || !run->event_rows || !run->contact_rows) {
        return report_add(report, CLACK_MEMORY, "no memory for a batch of %u scenes",
                          batch->scene_count);
    }
    for (size_t k = 0; k < n; k++) run->slot[k] = (Slot){.scene = NONE, .passes = SLOT_PASSES};
    TRY(run_make_result(run, report));
    TRY(run_share_scenes(run, report));
    return run_make_slots(run, report);
}

static void run_close(Run *run) {
    for (int k = 0; k < BUFFER_COUNT; k++) device_buffer_free(run->device, run->buffers[k]);
    free(run->slot);
    free(run->event_rows);
    free(run->contact_rows);
}

// What slots have in a list of `room` rows each: slot by slot, or all of it where many slots have some.
static ClackStatus run_read_rows(Run *run, int buffer, size_t room, size_t row_bytes, const size_t *counts, void *rows,
                                 ClackReport *report) {
    size_t used = 0;
    for (uint32_t k = 0; k < run->slot_count; k++) used += counts[k] > 0;
    if (used == 0) return CLACK_OK;
    if (used > READS_MOST)
        return device_buffer_read(run->device, run->buffers[buffer], 0, run->slot_count * room * row_bytes, rows, report);
    for (uint32_t k = 0; k < run->slot_count; k++) {
        const size_t first_bytes = k * room * row_bytes;
        if (counts[k] == 0) continue;
        TRY(device_buffer_read(run->device, run->buffers[buffer], first_bytes, counts[k] * row_bytes,
                               (char *)rows + first_bytes, report));
    }
    return CLACK_OK;
}

// Take events and recorded contacts off the device.
static ClackStatus run_drain(Run *run, ClackReport *report) {
    const SlotRoom room = run->slots.room;
    ClackStatus status = CLACK_OK;
    size_t *counts = calloc(2 * (size_t)run->slot_count, sizeof *counts);
    if (counts == NULL) return report_add(report, CLACK_MEMORY, "no memory to drain events");
    size_t *row_counts = counts + run->slot_count;
    for (uint32_t k = 0; k < run->slot_count; k++) {
        counts[k] = run->slot[k].event_count;
        row_counts[k] = run->slot[k].row_count;
        run->slot[k].event_count = run->slot[k].row_count = 0;
        run->slot[k].passes = SLOT_PASSES;
    }
    TRY_CLEAN(run_read_rows(run, BUFFER_EVENTS, room.events, sizeof(Event), counts, run->event_rows, report));
    TRY_CLEAN(run_read_rows(run, BUFFER_ROWS, room.rows, sizeof(ContactRow), row_counts, run->contact_rows, report));
    for (uint32_t k = 0; k < run->slot_count; k++) {
        const Event *events = run->event_rows + (size_t)k * room.events;
        const ContactRow *contacts = run->contact_rows + (size_t)k * room.rows;
        for (size_t i = 0; i < counts[k]; i++) {
            Event row = events[i];
            row.scene = 0; // a row does not depend on where in a batch its scene is
            TRY_CLEAN(rows_add(&run->drained->events, events[i].scene, &row, 1, report));
        }
        for (size_t i = 0; i < row_counts[k]; i++) {
            ContactRow row = contacts[i];
            row.scene = 0;
            TRY_CLEAN(rows_add(&run->drained->contacts, contacts[i].scene, &row, 1, report));
        }
    }
    TRY_CLEAN(device_buffer_write(run->device, run->buffers[BUFFER_SLOT], 0, run->slot_count * sizeof *run->slot,
                                  run->slot, report));
cleanup:
    free(counts);
    return status;
}

// Once all scenes have been taken up, the slots that still have one are shared evenly.
static ClackStatus run_share_last(Run *run, ClackReport *report) {
    uint32_t slots = 0;
    for (uint32_t k = 0; k < run->slot_count; k++) slots += run->slot[k].scene != NONE;
    const uint32_t side_by_side = run_side_by_side(run, slots);
    if (run->slots.next < run->batch->scene_count || side_by_side == run->slots.side_by_side) return CLACK_OK;
    run->slots.side_by_side = side_by_side;
    return device_buffer_write(run->device, run->buffers[BUFFER_SLOTS], 0, sizeof run->slots, &run->slots, report);
}

// Launch until all scenes are done. `*out_stopped`: the poll asked to leave.
static ClackStatus run_launch_all(Run *run, const StepperOptions *options, int *out_stopped,
                                  ClackReport *report) {
    const uint32_t total = run->batch->scene_count;
    *out_stopped = 0;
    while (run->slots.done < total) {
        TRY(device_launch(run->device, KERNEL_advance, run->buffers, run->items, report));
        TRY(device_buffer_read(run->device, run->buffers[BUFFER_SLOTS], 0, sizeof run->slots, &run->slots, report));
        TRY(device_buffer_read(run->device, run->buffers[BUFFER_SLOT], 0, run->slot_count * sizeof *run->slot,
                               run->slot, report));
        TRY(run_drain(run, report));
        TRY(run_share_last(run, report));
        if (options == NULL || options->poll == NULL) continue;
        const uint32_t done = run->scenes_before + run->slots.done - run->slots.again;
        if (options->poll(options->poll_context, done, run->scenes_total) && run->slots.done < total) {
            *out_stopped = 1;
            break;
        }
    }
    return CLACK_OK;
}

static ClackStatus run_fetch(Run *run, ClackReport *report) {
    const Batch *batch = run->batch;
    BatchResult *result = run->result;
    TRY(device_buffer_read(run->device, run->buffers[BUFFER_PROGRESS], 0, batch->scene_count * sizeof(Progress), result->progress, report));
    for (uint32_t s = 0; s < batch->scene_count; s++) result->progress[s].event_count = result->progress[s].row_count = 0;
    TRY(device_buffer_read(run->device, run->buffers[BUFFER_STATES], 0, batch->body_count * sizeof(BodyState), result->states, report));
    TRY(device_buffer_read(run->device, run->buffers[BUFFER_EXTREMES], 0,
                           (size_t)batch->scene_count * batch->watch_count * sizeof(Extreme), result->extremes, report));
    return device_buffer_read(run->device, run->buffers[BUFFER_FRAMES], 0, batch->frame_state_count * sizeof(BodyState), result->frames,
                              report);
}

// One run of a batch with the room it has; its rows stay in `drained`, in the order they were drained. waiting: scenes of the
// whole, `total`, that are not done.
static ClackStatus run_batch(Device *device, const Batch *batch, const StepperOptions *options, uint32_t total, uint32_t waiting,
                             BatchResult *result, Drained *drained, int *out_stopped, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    Run run = {.device = device, .batch = batch, .result = result, .drained = drained, .scenes_before = total - waiting, .scenes_total = total};
    TRY_CLEAN(run_open(&run, report));
    TRY_CLEAN(run_launch_all(&run, options, out_stopped, report));
    TRY_CLEAN(run_fetch(&run, report));
cleanup:
    run_close(&run);
    return status;
}

static Capacities more_room(SlotRoom had, const Progress *progress) {
    Capacities room = {had.candidates, had.contacts, had.events, had.rows};
    if (progress->status != STATUS_CAPACITY) return room;
    uint32_t *which = progress->capacity_which == CAPACITY_CANDIDATES ? &room.candidates
                      : progress->capacity_which == CAPACITY_CONTACTS ? &room.contacts
                      : progress->capacity_which == CAPACITY_ROWS     ? &room.rows
                                                                      : &room.events;
    const uint32_t wanted = progress->capacity_wanted;
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
    memcpy(result->frames + to->frame_first, part_result->frames + from->frame_first,
           frames * sizeof *result->frames);
}

// Is it to be run again?
static int is_waiting(const Progress *progress) { return progress->status == STATUS_CAPACITY || progress->status == STATUS_LEFT; }

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

// cause: STATUS_CAPACITY or STATUS_LEFT.
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
static ClackStatus drained_forget(Drained *drained, const Batch *batch, BatchResult *result,
                                  ClackReport *report) {
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

static ClackStatus retry_run(Device *device, const Study *study, const Batch *whole,
                             const Retry *retry, const StepperOptions *options, BatchResult *result,
                             Capacities *rooms, Drained *drained, int *out_stopped,
                             ClackReport *report) {
    ClackStatus status = CLACK_OK;
    Batch part = {0};
    BatchResult part_result = {0};
    Drained part_drained = drained_make();
    TRY_CLEAN(stage_pack(study, retry->scenes, retry->numbers, retry->rooms, retry->count, &part,
                         report));
    TRY_CLEAN(run_batch(device, &part, options, whole->scene_count, retry->waiting, &part_result, &part_drained, out_stopped,
                        report));
    TRY_CLEAN(rows_merge(&drained->events, &part_drained.events, retry->targets, report));
    TRY_CLEAN(rows_merge(&drained->contacts, &part_drained.contacts, retry->targets, report));
    for (uint32_t k = 0; k < retry->count; k++) {
        merge_scene(whole, result, retry->targets[k], &part, &part_result, k);
        rooms[retry->targets[k]] = more_room(part.room, &part_result.progress[k]);
    }
cleanup:
    stage_free(&part);
    stepper_result_free(&part_result);
    drained_free(&part_drained);
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
    const size_t law = (size_t)shapes[event->shape_a].material * scene->material_count +
                       shapes[event->shape_b].material;
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
        if (status >= STATUS_RUNNING || status == STATUS_CAPACITY) { // STATUS_LEFT too
            result->progress[s].status = STATUS_INTERRUPTED;
        }
    }
}

// Scenes whose lists overflowed are run again with more room until all have enough, then those that left by the second build.
static ClackStatus retry_all(Device *device, const Study *study, const SceneDescription *scenes, const Batch *batch,
                             const StepperOptions *options, BatchResult *result, Drained *drained, int *stopped,
                             ClackReport *report) {
    ClackStatus status = CLACK_OK;
    Retry retry = {0};
    Capacities *rooms = calloc(batch->scene_count, sizeof *rooms);
    if (rooms == NULL) return report_add(report, CLACK_MEMORY, "no memory for a batch");
    for (uint32_t s = 0; s < batch->scene_count; s++) rooms[s] = more_room(batch->room, &result->progress[s]);
    for (int is_second = 0; is_second <= 1; is_second++) {
        for (uint32_t attempt = 0; attempt < ROOM_ATTEMPTS_MAX && !*stopped; attempt++) {
            TRY_CLEAN(drained_forget(drained, batch, result, report));
            retry_free(&retry);
            const uint32_t cause = is_second && attempt == 0 ? STATUS_LEFT : STATUS_CAPACITY;
            TRY_CLEAN(retry_collect(batch, scenes, result->progress, rooms, cause, &retry, report));
            if (retry.count == 0) break;
            if (cause == STATUS_LEFT) {
                TRY_CLEAN(device_second(device, &device, report));
                result->second_count = retry.count;
            }
            TRY_CLEAN(retry_run(device, study, batch, &retry, options, result, rooms, drained, stopped, report));
        }
    }
cleanup:
    retry_free(&retry);
    free(rooms);
    return status;
}

ClackStatus stepper_run(Device *device, const Study *study, const SceneDescription *scenes,
                        const Batch *batch, const StepperOptions *options, BatchResult *out_result,
                        ClackReport *report) {
    ClackStatus status = CLACK_OK;
    BatchResult result = {0};
    Drained drained = drained_make();
    int stopped = 0;
    TRY_CLEAN(run_batch(device, batch, options, batch->scene_count, batch->scene_count, &result, &drained, &stopped, report));
    TRY_CLEAN(retry_all(device, study, scenes, batch, options, &result, &drained, &stopped, report));
    TRY_CLEAN(drained_forget(&drained, batch, &result, report));
    if (stopped) mark_interrupted(&result);
    TRY_CLEAN(drained_move(&drained, &result, report));
    count_contacts(batch, &result);
    *out_result = result;
    result = (BatchResult){0};
    if (stopped) status = CLACK_INTERRUPTED;
cleanup:
    drained_free(&drained);
    stepper_result_free(&result);
    return status;
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
