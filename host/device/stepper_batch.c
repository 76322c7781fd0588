// One batch on one device: its buffers, launches of `advance`, draining of rows, and what comes back.
#include "stepper_internal.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_buffers.h"
#include "model/workspace.h"
#include "stage_mesh.h"

#define SLICE_PASSES 256u // of them at a time, where work-items share slots

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
    BUFFER_SLOTS, // this and most of the rest are of slots
    BUFFER_SLOT,
    BUFFER_WORKS,
    BUFFER_CANDIDATES,
    BUFFER_CONTACTS,
    BUFFER_EVENTS, // of run->events
    BUFFER_ROWS,   // of run->contacts
    BUFFER_MATRICES,
    BUFFER_LISTS,
    BUFFER_PLACED,
    BUFFER_JOINTS, // of scenes
    BUFFER_FUNCTIONS,
    BUFFER_REGION_LAWS,
    BUFFER_MESHES,                                      // MESH_BUFFERS from here on: mesh_buffers.h
    BUFFER_REGION_LISTS = BUFFER_MESHES + MESH_BUFFERS, // of slots
    BUFFER_PARKED,                                      // of slots, where these are served from queues
    BUFFER_COUNT
};

// Those of slots.
static const int SLOT_BUFFERS[SLOT_LISTS] = {
    [SLOT_LIST_WORKS] = BUFFER_WORKS,
    [SLOT_LIST_CANDIDATES] = BUFFER_CANDIDATES,
    [SLOT_LIST_CONTACTS] = BUFFER_CONTACTS,
    [SLOT_LIST_EVENTS] = BUFFER_EVENTS,
    [SLOT_LIST_ROWS] = BUFFER_ROWS,
    [SLOT_LIST_MATRICES] = BUFFER_MATRICES,
    [SLOT_LIST_ACTIVE] = BUFFER_LISTS,
    [SLOT_LIST_PLACED] = BUFFER_PLACED,
    [SLOT_LIST_REGIONS] = BUFFER_REGION_LISTS,
    [SLOT_LIST_PARKED] = BUFFER_PARKED,
};

Drained drained_make(void) {
    return (Drained){.events = {.row_bytes = sizeof(Event)}, .contacts = {.row_bytes = sizeof(ContactRow)}};
}

void drained_free(Drained *drained) {
    rows_free(&drained->events);
    rows_free(&drained->contacts);
}

typedef struct Run { // one batch on one device
    Device *device;
    const Batch *batch;
    DeviceBuffer *buffers[BUFFER_COUNT];
    Slots slots;
    uint32_t slot_count;
    uint32_t items;            // work-items that carry them
    Slot *slot;                // (slot_count)
    SlotRows events, contacts; // rows to drain
    BatchResult *result;
    Drained *drained;
    StageMeshes surfaces;                 // of all shapes, and
    Shape *shapes;                        // the batch's as surfaces; where contacts are regions, else NULL
    uint32_t scenes_before, scenes_total; // of those that the poll is informed of: done already, all
} Run;

// Over the host's own memory, in which a device may work.
static ClackStatus run_share(Run *run, int buffer, size_t size_bytes, const void *data, ClackReport *report) {
    return device_buffer_create_over(run->device, size_bytes, (void *)(uintptr_t)data, 1, &run->buffers[buffer],
                                     report);
}

// The same of zeros, or of lists whose first content is not read.
static ClackStatus run_share_empty(Run *run, int buffer, size_t size_bytes, void *data, ClackReport *report) {
    return device_buffer_create_over(run->device, size_bytes, data, 0, &run->buffers[buffer], report);
}

static ClackStatus run_share_scenes(Run *run, ClackReport *report) {
    const Batch *batch = run->batch;
    const BatchResult *result = run->result;
    const size_t scenes = batch->scene_count;
    TRY(run_share(run, BUFFER_SCENES, scenes * sizeof(Scene), batch->scenes, report));
    TRY(run_share(run, BUFFER_BODIES, batch->body_count * sizeof(Body), batch->bodies, report));
    const Shape *shapes = run->shapes != NULL ? run->shapes : batch->shapes;
    TRY(run_share(run, BUFFER_SHAPES, batch->shape_count * sizeof(Shape), shapes, report));
    TRY(run_share(run, BUFFER_LAWS, batch->law_count * sizeof(MaterialPairLaw), batch->laws, report));
    TRY(run_share(run, BUFFER_WATCHES, batch->watch_count * sizeof(Watch), batch->watches, report));
    TRY(run_share(run, BUFFER_HULLS, batch->hull_row_count * sizeof(HullRow), batch->hull_rows, report));
    TRY(run_share(run, BUFFER_JOINTS, batch->joint_count * sizeof(Joint), batch->joints, report));
    TRY(run_share(run, BUFFER_FUNCTIONS, batch->function_count * sizeof(FunctionRow), batch->functions, report));
    TRY(run_share(run, BUFFER_REGION_LAWS, (batch->region_laws != NULL ? batch->law_count : 0) * sizeof(RegionLaw),
                  batch->region_laws, report));
    TRY(mesh_buffers_upload(run->device, (const SceneMesh *const *)run->surfaces.meshes, run->surfaces.count,
                            &run->buffers[BUFFER_MESHES], report));
    TRY(run_share(run, BUFFER_PROGRESS, scenes * sizeof(Progress), result->progress, report));
    TRY(run_share(run, BUFFER_STATES, batch->body_count * sizeof(BodyState), result->states, report));
    TRY(run_share_empty(run, BUFFER_FRAMES, batch->frame_state_count * sizeof(BodyState), result->frames, report));
    return run_share_empty(run, BUFFER_EXTREMES, scenes * batch->watch_count * sizeof(Extreme), result->extremes,
                           report);
}

static ClackStatus run_make_slots(Run *run, ClackReport *report) {
    const SlotRoom room = run->slots.room;
    const size_t n = run->slot_count;
    TRY(run_share(run, BUFFER_SLOTS, sizeof run->slots, &run->slots, report));
    TRY(run_share(run, BUFFER_SLOT, n * sizeof *run->slot, run->slot, report));
    TRY(slot_rows_open(run->device, (SlotRowKind){sizeof(Event), offsetof(Event, scene)}, run->slot_count, room.events,
                       &run->events, report));
    TRY(slot_rows_open(run->device, (SlotRowKind){sizeof(ContactRow), offsetof(ContactRow, scene)}, run->slot_count,
                       room.rows, &run->contacts, report));
    run->buffers[BUFFER_EVENTS] = run->events.buffer;
    run->buffers[BUFFER_ROWS] = run->contacts.buffer;
    SlotList lists[SLOT_LISTS];
    stepper_slot_lists(room, device_items(run->device).queue, lists);
    for (size_t i = 0; i < SLOT_LISTS; i++) {
        DeviceBuffer **buffer = &run->buffers[SLOT_BUFFERS[i]];
        if (*buffer == NULL) TRY(device_buffer_create(run->device, n * lists[i].bytes, buffer, report));
    }
    return CLACK_OK;
}

// Of so many slots that have scenes: half of a work-item's share, so that others are there for whoever is through
// first.
static uint32_t run_side_by_side(const Run *run, uint32_t slots) {
    assert(run->items > 0 || slots == 0);
    const uint32_t half = slots / 2;
    return half > run->items ? half / run->items : 1;
}

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

// Where contacts are regions all shapes but half-spaces are surfaces.
static ClackStatus run_make_surfaces(Run *run, ClackReport *report) {
    const Batch *batch = run->batch;
    if (batch->surfaces_of == NULL) return CLACK_OK;
    run->shapes = malloc((batch->shape_count + 1) * sizeof *run->shapes);
    if (run->shapes == NULL) return report_add(report, CLACK_MEMORY, "no memory for surfaces of shapes");
    TRY(stage_meshes_make(batch->surfaces_of, batch, NULL, &run->surfaces, report));
    for (size_t i = 0; i < batch->shape_count; i++)
        run->shapes[i] = stage_surface(&batch->shapes[i], &run->surfaces, i);
    return CLACK_OK;
}

static ClackStatus run_open(Run *run, ClackReport *report) {
    const Batch *batch = run->batch;
    const DeviceInfo *info = device_info(run->device);
    if (!content_covers(device_content(run->device), batch))
        return report_add(report, CLACK_INTERNAL, "scenes hold what the kernels were not built for (%s)",
                          device_build_options(run->device));
    const SlotRoom room = stepper_room(info, batch->room);
    run->slots = (Slots){.scene_count = batch->scene_count, .slice_passes = SLICE_PASSES, .parts = 1, .room = room};
    const DeviceItems items = device_items(run->device);
    run->slot_count = run->slots.count = stepper_slot_count(info, items.queue, batch->room, batch->scene_count);
    run->items = stepper_item_count(info, items, run->slot_count);
    if (run->items == run->slot_count) run->slots.slice_passes = DEVICE_PASSES_MOST;
    run->slots.side_by_side = run_side_by_side(run, run->slot_count);
    if (!info->is_gpu) run->slots.parts = run->slot_count; // work-items side by side read what lies side by side
    const size_t n = run->slot_count;
    run->slot = slot_lines(n * sizeof *run->slot);
    if (!run->slot) return report_add(report, CLACK_MEMORY, "no memory for a batch of %u scenes", batch->scene_count);
    const uint32_t passes = device_passes(run->device);
    for (size_t k = 0; k < n; k++) run->slot[k] = (Slot){.scene = NONE, .passes = passes};
    TRY(run_make_result(run, report));
    TRY(run_make_surfaces(run, report));
    TRY(run_share_scenes(run, report));
    return run_make_slots(run, report);
}

static void run_close(Run *run) {
    run->buffers[BUFFER_EVENTS] = run->buffers[BUFFER_ROWS] = NULL; // slot_rows_close's
    for (int k = 0; k < BUFFER_COUNT; k++) device_buffer_free(run->device, run->buffers[k]);
    stage_meshes_free(&run->surfaces);
    free(run->shapes);
    free(run->slot);
    slot_rows_close(&run->events);
    slot_rows_close(&run->contacts);
}

// Take events and recorded contacts off the device.
static ClackStatus run_drain(Run *run, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    uint32_t *counts = calloc(2 * (size_t)run->slot_count, sizeof *counts);
    if (counts == NULL) return report_add(report, CLACK_MEMORY, "no memory to drain events");
    uint32_t *row_counts = counts + run->slot_count;
    const uint32_t passes = device_passes(run->device);
    for (uint32_t k = 0; k < run->slot_count; k++) {
        counts[k] = run->slot[k].event_count;
        row_counts[k] = run->slot[k].row_count;
        run->slot[k].event_count = run->slot[k].row_count = 0;
        run->slot[k].passes = passes;
    }
    TRY_CLEAN(slot_rows_drain(&run->events, counts, &run->drained->events, report));
    TRY_CLEAN(slot_rows_drain(&run->contacts, row_counts, &run->drained->contacts, report));
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
static ClackStatus run_launch_all(Run *run, const StepperOptions *options, int *out_stopped, ClackReport *report) {
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
    TRY(device_buffer_read(run->device, run->buffers[BUFFER_PROGRESS], 0, batch->scene_count * sizeof(Progress),
                           result->progress, report));
    for (uint32_t s = 0; s < batch->scene_count; s++)
        result->progress[s].event_count = result->progress[s].row_count = 0;
    TRY(device_buffer_read(run->device, run->buffers[BUFFER_STATES], 0, batch->body_count * sizeof(BodyState),
                           result->states, report));
    TRY(device_buffer_read(run->device, run->buffers[BUFFER_EXTREMES], 0,
                           (size_t)batch->scene_count * batch->watch_count * sizeof(Extreme), result->extremes,
                           report));
    return device_buffer_read(run->device, run->buffers[BUFFER_FRAMES], 0, batch->frame_state_count * sizeof(BodyState),
                              result->frames, report);
}

ClackStatus stepper_batch_run(Device *device, const Batch *batch, const StepperOptions *options, uint32_t total,
                              uint32_t waiting, StepperRun *out, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    Run run = {.device = device,
               .batch = batch,
               .result = &out->result,
               .drained = &out->drained,
               .scenes_before = total - waiting,
               .scenes_total = total};
    TRY_CLEAN(run_open(&run, report));
    TRY_CLEAN(run_launch_all(&run, options, &out->is_stopped, report));
    TRY_CLEAN(run_fetch(&run, report));
cleanup:
    run_close(&run);
    return status;
}
