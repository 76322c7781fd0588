// Feeds a batch to `advance` until every scene is done, and brings back what it wrote.
#ifndef CLACK_STEPPER_H
#define CLACK_STEPPER_H

#include "device.h"
#include "stage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BatchResult { // arrays owned; rows in the order of the batch
    uint32_t scene_count;
    uint32_t second_count; // scenes that the second build ran (kernels/base/build.h)
    Progress *progress;    // (scene_count): status, flags, counts, audit
    BodyState *states;     // (batch.body_count): at the end, or the last good state
    Extreme *extremes;     // (scene_count, watch_count)
    size_t event_count;
    Event *events;         // (event_count), by scene, then time
    uint32_t *event_scene; // (event_count): index within the batch
    size_t contact_count;
    ContactRow *contacts;    // (contact_count): recorded contacts, by scene, then time, then key
    uint32_t *contact_scene; // (contact_count): index within the batch
    BodyState *frames;       // (batch.frame_state_count), laid out by Scene.frame_first
} BatchResult;

/// What an event tells of its begin, NaN where it tells nothing: the distance of the shapes, and a number of the law.
double stepper_event_distance_m(const Event *event);
double stepper_event_law_number(const Event *event, double number);

/// Called between launches; a non-zero answer stops the batch: scenes not done get STATUS_INTERRUPTED. Scenes that are
/// run again, with more room or by the second build, are not done before.
typedef int (*StepperPoll)(void *context, uint32_t scenes_done, uint32_t scenes_total);

typedef struct StepperOptions {
    StepperPoll poll; // NULL: none
    void *poll_context;
} StepperOptions;

/// Rows of the lists of a slot: as the scenes want, and more for what is drained where slots are few.
SlotRoom stepper_room(const DeviceInfo *info, SlotRoom wanted);

// The lists of a slot on the device, in the order of a plan.
typedef enum SlotListId {
    SLOT_LIST_WORKS,
    SLOT_LIST_CANDIDATES,
    SLOT_LIST_CONTACTS,
    SLOT_LIST_EVENTS,
    SLOT_LIST_ROWS,     // recorded contacts
    SLOT_LIST_MATRICES, // of islands
    SLOT_LIST_ACTIVE,   // numbers of those that take part in steps (kernels/stepper/active.h)
    SLOT_LIST_PLACED,
    SLOT_LIST_REGIONS, // of contact regions (kernels/pairs/region_match.h); empty without meshes
    SLOT_LIST_PARKED,  // of scenes between rounds, where slots are served from queues
    SLOT_LISTS
} SlotListId;

typedef struct SlotList {
    const char *name; // in a plan
    size_t bytes;     // of one slot
} SlotList;

/// The lists of a slot of this room. queue_items: DeviceItems.queue.
void stepper_slot_lists(SlotRoom room, uint32_t queue_items, SlotList out_lists[SLOT_LISTS]);
/// Bytes of a slot on the device: its Slot and its lists.
size_t stepper_slot_bytes(SlotRoom room, uint32_t queue_items);
/// Slots that fill a device. queue_items: DeviceItems.queue.
uint64_t stepper_slots_filled(const DeviceInfo *info, uint32_t queue_items);
/// How many slots a batch of so many scenes gets: enough to fill the device, no more than its memory holds.
/// queue_items: DeviceItems.queue.
uint32_t stepper_slot_count(const DeviceInfo *info, uint32_t queue_items, SlotRoom wanted, uint64_t scene_count);
/// Work-items that share a scene unless the user says how many: a warp for each of a few scenes of many bodies on a
/// GPU, which would leave most of it idle otherwise. bodies: free ones of a scene; scenes: of the run; 0: not known.
uint32_t stepper_scene_items(const DeviceInfo *info, uint32_t bodies, uint64_t scenes);
/// Work-items of a launch: one for each core, which share the slots, or one for each slot; or groups that serve them.
uint32_t stepper_item_count(const DeviceInfo *info, DeviceItems items, uint32_t slot_count);

/// Run all scenes of the batch to their end. Scenes whose lists overflow are re-run with more room
/// inside this call, those that leave the first build by the second one (kernels/base/build.h).
/// Errors: CLACK_DEVICE, CLACK_MEMORY, CLACK_INTERRUPTED (result is valid then).
ClackStatus stepper_run(Device *device, const Study *study, const SceneDescription *scenes, const Batch *batch,
                        const StepperOptions *options, BatchResult *out_result, ClackReport *report);
void stepper_result_free(BatchResult *result);

#ifdef __cplusplus
}
#endif
#endif
