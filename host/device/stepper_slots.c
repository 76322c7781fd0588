// How many slots a device works on at once, and their room.
#include "stepper.h"

#include <string.h>

#include "model/workspace.h"
#include "pairs/region_match.h"

// A GPU of 65,536 registers and 2,048 threads a unit (NVIDIA's) holds 256 that take as many registers as there can be.
// Nothing tells it of others: more slots than a unit holds at once cost memory, and wait.
#define SLOTS_UNIT_GPU 256u
#define WARP_ITEMS 32u       // that a GPU runs in step, where it does not tell
#define WARP_SCENES_UNIT 32u // up to so many scenes a unit, each may have a warp
#define SLOTS_UNIT_CPU 8u    // that the cores share: scenes come on alike, so that few are left to the last ones
// Few slots carry many scenes between two checks by the host.
#define EVENTS_FACTOR_CPU 16u
#define LINE_ROWS 16u  // so many rows of any kind fill whole cache lines of 64 bytes: no slot shares one with the next
#define SLOTS_SHARE 8u // slots take at most 1 / SLOTS_SHARE of the device's memory,
#define SLOTS_SHARE_QUEUES 4u // or of this where scenes are served from queues: the fuller these, the fewer lanes wait

SlotRoom stepper_room(const DeviceInfo *info, SlotRoom wanted) {
    if (info->is_gpu) return wanted;
    if (wanted.events < UINT32_MAX / EVENTS_FACTOR_CPU) wanted.events *= EVENTS_FACTOR_CPU;
    u32 *rooms[] = {&wanted.bodies, &wanted.shapes, &wanted.candidates, &wanted.contacts,
                    &wanted.events, &wanted.rows,   &wanted.numbers};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++)
        if (*rooms[k] <= UINT32_MAX - LINE_ROWS) *rooms[k] = (*rooms[k] + LINE_ROWS - 1) / LINE_ROWS * LINE_ROWS;
    return wanted;
}

void stepper_slot_lists(SlotRoom room, uint32_t queue_items, SlotList out_lists[SLOT_LISTS]) {
    const SlotList lists[SLOT_LISTS] = {
        [SLOT_LIST_WORKS] = {"body_work", room.bodies * sizeof(BodyWork)},
        [SLOT_LIST_CANDIDATES] = {"candidates", room.candidates * sizeof(Candidate)},
        [SLOT_LIST_CONTACTS] = {"contacts", room.contacts * sizeof(Contact)},
        [SLOT_LIST_EVENTS] = {"events", room.events * sizeof(Event)},
        [SLOT_LIST_ROWS] = {"contact_rows", room.rows * sizeof(ContactRow)},
        [SLOT_LIST_MATRICES] = {"island_matrices", room.numbers * sizeof(double)},
        [SLOT_LIST_ACTIVE] = {"lists", list_room(room) * sizeof(u32)},
        [SLOT_LIST_PLACED] = {"placed_shapes", room.shapes * sizeof(PlacedShape)},
        [SLOT_LIST_REGIONS] = {"region_lists", match_room(room) * sizeof(u64)},
        [SLOT_LIST_PARKED] = {"parked", queue_items > 0 ? PARKED_BYTES : 0},
    };
    memcpy(out_lists, lists, sizeof lists);
}

size_t stepper_slot_bytes(SlotRoom room, uint32_t queue_items) {
    SlotList lists[SLOT_LISTS];
    stepper_slot_lists(room, queue_items, lists);
    size_t bytes = sizeof(Slot);
    for (size_t i = 0; i < SLOT_LISTS; i++) bytes += lists[i].bytes;
    return bytes;
}

static uint32_t units_of(const DeviceInfo *info) { return info->compute_units > 0 ? info->compute_units : 1; }

static uint32_t warp_of(const DeviceInfo *info) {
    return info->is_gpu && info->warp_items > 0 ? info->warp_items : WARP_ITEMS;
}

// Groups that serve slots from queues, on each unit.
static uint32_t groups_unit(const DeviceInfo *info, uint32_t queue_items) {
    return info->is_gpu && queue_items < SLOTS_UNIT_GPU ? SLOTS_UNIT_GPU / queue_items : 1;
}

static uint32_t slots_unit(const DeviceInfo *info, uint32_t queue_items) {
    if (queue_items > 0) return groups_unit(info, queue_items) * queue_items * QUEUE_SLOTS_ITEM;
    return info->is_gpu ? SLOTS_UNIT_GPU : SLOTS_UNIT_CPU;
}

uint64_t stepper_slots_filled(const DeviceInfo *info, uint32_t queue_items) {
    return (uint64_t)units_of(info) * slots_unit(info, queue_items);
}

uint32_t stepper_slot_count(const DeviceInfo *info, uint32_t queue_items, SlotRoom wanted, uint64_t scene_count) {
    const uint64_t filled = stepper_slots_filled(info, queue_items);
    const uint64_t memory = info->global_memory_bytes / (queue_items > 0 ? SLOTS_SHARE_QUEUES : SLOTS_SHARE);
    const uint64_t most =
        memory < info->max_allocation_bytes || info->max_allocation_bytes == 0 ? memory : info->max_allocation_bytes;
    const uint64_t fitting = most / stepper_slot_bytes(stepper_room(info, wanted), queue_items);
    uint64_t count = filled < scene_count ? filled : scene_count;
    if (fitting < count) count = fitting > 0 ? fitting : 1;
    return (uint32_t)count;
}

uint32_t stepper_scene_items(const DeviceInfo *info, uint32_t bodies, uint64_t scenes) {
    const uint64_t few = (uint64_t)units_of(info) * WARP_SCENES_UNIT;
    const uint32_t warp = warp_of(info), most = info->group_items_most;
    const int is_shared = info->is_gpu && bodies >= warp && scenes > 0 && scenes <= few && (most == 0 || warp <= most);
    return is_shared ? warp : 1;
}

// As many groups as the device holds at once, or fewer that have a warp's slots each.
static uint32_t group_count(const DeviceInfo *info, uint32_t queue_items, uint32_t slot_count) {
    const uint32_t filled = units_of(info) * groups_unit(info, queue_items), warp = warp_of(info);
    const uint32_t wanted = (slot_count + warp - 1) / warp;
    const uint32_t holding = queue_items * QUEUE_SLOTS_ITEM, least = (slot_count + holding - 1) / holding;
    const uint32_t groups = filled < wanted ? filled : wanted;
    return groups > least ? groups : least;
}

uint32_t stepper_item_count(const DeviceInfo *info, DeviceItems items, uint32_t slot_count) {
    if (items.queue > 0) return group_count(info, items.queue, slot_count) * items.queue;
    const int is_shared =
        !info->is_gpu && items.scene == 1 && info->compute_units > 0 && info->compute_units < slot_count;
    return is_shared ? info->compute_units : slot_count;
}
