// How the units of a GPU would run `advance`, without a GPU: the scenes of a study are stepped natively, each leaving a
// trace of its basic blocks, loads and stores; traces are then replayed as warps in lock-step (replay_warp.c). One
// unit, of 256 work-items.
//   replay_own_slots STUDY [-n SCENES] [-p PASSES] [-f COUNT] [PATH=VALUE]...
//     each work-item steps its own scene. PASSES: of each slot in a launch (default 8); COUNT: so many functions are
//     told; -a 0: without accesses of memory, whose traces take much of it
//   replay_8_items STUDY ..., replay_32_items STUDY ...
//     so many work-items share a scene
//   replay_queues STUDY [-n SCENES] [-p PASSES] [-f COUNT] [-s SLOTS] [-q QUEUE] [PATH=VALUE]...
//     SLOTS: of the group (default and at most 4,096); QUEUE: functions of this one alone
// Prints lanes at work (of 32, over blocks and accesses), what warps issue for a scene, sectors of memory for a scene,
// and how many of the blocks that warps issue are not in caches of instructions of several sizes; of queues by queue.
// bench/README.md, "Without a GPU", says what that is worth.
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clack.h"
#include "device_internal.h"
#include "model/workspace.h"
#include "replay_memory.h"
#include "stepper.h"

#define QUEUES_MOST 32u
#define SLOTS_MOST (UNIT_ITEMS * QUEUE_SLOTS_ITEM)
#define OVERRIDES_MOST 32u

extern NativeRun replay_run_item;
extern const uint32_t replay_queue_items, replay_scene_items;
void replay_round(uint32_t queue);

static uint32_t passes_of_launch = 8, slots_of_unit = SLOTS_MOST, function_count = 0, only_queue = QUEUES_MOST;
static Totals of_queues[QUEUES_MOST];
static double rounds[QUEUES_MOST];

// That are stepped at the same time, where none waits in a queue.
static uint32_t unit_scenes(void) { return UNIT_ITEMS / replay_scene_items; }

static void add_totals(Totals *sum, const Totals *more) {
    sum->issued += more->issued;
    sum->active += more->active;
    sum->global_sectors += more->global_sectors;
    sum->private_sectors += more->private_sectors;
    sum->blocks += more->blocks;
    sum->items += more->items;
    sum->longest += more->longest;
    sum->l2_read += more->l2_read;
    sum->l2_written += more->l2_written;
    sum->memory_read += more->memory_read;
    sum->memory_written += more->memory_written;
    for (uint32_t c = 0; c < CACHES; c++) sum->fetched[c] += more->fetched[c];
}

void replay_round(uint32_t queue) {
    trace_profile(only_queue == QUEUES_MOST || queue == only_queue);
    const Totals totals = replay_traces(UNIT_ITEMS);
    add_totals(&of_queues[queue], &totals);
    rounds[queue]++;
}

// Of the arguments of `advance`, in their order; 0: rows of lists, or of no interest.
static const struct {
    const char *name;
    uint32_t row_bytes;
} arrays[] = {{"scenes", sizeof(Scene)},
              {"bodies", sizeof(Body)},
              {"shapes", sizeof(Shape)},
              {"laws", sizeof(MaterialPairLaw)},
              {"watches", 0},
              {"hulls", 0},
              {"progress", sizeof(Progress)},
              {"states", sizeof(BodyState)},
              {"frames", 0},
              {"extremes", 0},
              {"slots", 0},
              {"own slots", sizeof(Slot)},
              {"works", sizeof(BodyWork)},
              {"candidates", sizeof(Candidate)},
              {"contacts", sizeof(Contact)},
              {"events", 0},
              {"rows", 0},
              {"matrices", 0},
              {"lists", 0},
              {"placed", sizeof(PlacedShape)},
              {"joints", 0},
              {"functions", 0},
              {"region laws", 0},
              {"heads", 0},
              {"vertices", 0},
              {"triangles", 0},
              {"edges", 0},
              {"spokes", 0},
              {"nodes", 0},
              {"parts", 0},
              {"region lists", 0},
              {"parked", PARKED_BYTES}};

// Takes the place of a variant of the native device.
static void replay_run(KernelId kernel, void *const *buffers, uint32_t count, uint32_t first, uint32_t last) {
    if (kernel != KERNEL_advance) {
        replay_run_item(kernel, buffers, count, first, last);
        return;
    }
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_name(buffers[k], arrays[k].name, arrays[k].row_bytes);
    for (uint32_t item = first; item < last; item++) {
        if (replay_queue_items > 0) { // the first item of a group does the work of all
            if (item % replay_queue_items == 0) replay_run_item(kernel, buffers, count, item, item + 1);
            continue;
        }
        if (replay_scene_items == 1) trace_begin(item % UNIT_ITEMS); // else each item of a scene does
        replay_run_item(kernel, buffers, count, item, item + 1);
        trace_end();
        if (item % unit_scenes() == unit_scenes() - 1 || item == count - 1) replay_round(0);
    }
}

// --- in place of functions of the library (linked with --wrap) ----------------------------------------

ClackStatus __real_device_open(const DeviceOptions *options, const Content *content, Device **out, ClackReport *report);
ClackStatus __wrap_device_open(const DeviceOptions *options, const Content *content, Device **out, ClackReport *report);
uint32_t __wrap_device_passes(const Device *device);
uint32_t __wrap_stepper_slot_count(const DeviceInfo *info, uint32_t queue_items, SlotRoom wanted, uint64_t scene_count);
uint32_t __wrap_stepper_item_count(const DeviceInfo *info, DeviceItems items, uint32_t slot_count);
int __wrap_native_launch_is_over(void);

ClackStatus __wrap_device_open(const DeviceOptions *options, const Content *content, Device **out,
                               ClackReport *report) {
    const ClackStatus status = __real_device_open(options, content, out, report);
    if (status != CLACK_OK) return status;
    (*out)->items.queue = replay_queue_items;
    (*out)->items.scene = replay_scene_items;
    trace_scene_items(replay_scene_items);
    ((NativeDevice *)*out)->run = replay_run;
    // Buffers of its own, as GPUs have: the host's rows need not begin where a sector does.
    static DeviceOperations operations;
    operations = *(*out)->operations;
    operations.buffer_create_over = NULL;
    (*out)->operations = &operations;
    return CLACK_OK;
}

uint32_t __wrap_device_passes(const Device *device) {
    (void)device;
    return passes_of_launch;
}

uint32_t __wrap_stepper_slot_count(const DeviceInfo *info, uint32_t queue_items, SlotRoom wanted,
                                   uint64_t scene_count) {
    (void)info;
    (void)queue_items;
    (void)wanted;
    const uint32_t slots = replay_queue_items > 0 ? slots_of_unit : unit_scenes();
    return scene_count < slots ? (uint32_t)scene_count : slots;
}

uint32_t __wrap_stepper_item_count(const DeviceInfo *info, DeviceItems items, uint32_t slot_count) {
    (void)info;
    return items.queue > 0 ? items.queue : slot_count;
}

int __wrap_native_launch_is_over(void) { return 0; }

// --- what came out ------------------------------------------------------------------------------------

static void print_totals(const char *name, const Totals *t, double scenes) {
    printf("  %-7s lanes %.2f, warps issue %.0f a scene (%.0f blocks), sectors a scene: global %.0f, private %.0f; not "
           "in a cache of",
           name, t->active / (WARP * t->issued), t->issued / scenes, t->blocks / scenes, t->global_sectors / scenes,
           t->private_sectors / scenes);
    for (uint32_t c = 0; c < CACHES; c++) printf(" %u: %.3f", cache_blocks[c], t->fetched[c] / t->blocks);
    printf("; L2: read %.0f, written %.0f; memory: read %.0f, written %.0f\n", t->l2_read / scenes,
           t->l2_written / scenes, t->memory_read / scenes, t->memory_written / scenes);
}

static void print_all(const char *study, double scenes) {
    Totals sum = {0};
    double all_rounds = 0;
    for (uint32_t q = 0; q < QUEUES_MOST; q++) {
        add_totals(&sum, &of_queues[q]);
        all_rounds += rounds[q];
    }
    printf("%s: %.0f scenes, %u work-items, %u blocks of code seen, %.0f rounds of %.0f items, in which warps are at "
           "work for %.2f of the time of the longest one\n",
           study, scenes, UNIT_ITEMS, trace_blocks_seen(), all_rounds, sum.items / all_rounds,
           sum.issued / sum.longest);
    print_totals("all", &sum, scenes);
    for (uint32_t q = 0; q < QUEUES_MOST && replay_queue_items > 0; q++) {
        char name[24];
        if (rounds[q] == 0) continue;
        snprintf(name, sizeof name, "queue %u", q);
        print_totals(name, &of_queues[q], scenes);
    }
}

static ClackStatus run(const char *path, const ClackStudyOptions *overrides, uint64_t scenes, ClackRunSummary *out) {
    ClackReport report = {0};
    ClackStudy *study = NULL;
    const ClackDeviceOptions native = {.size = sizeof native, .choice = "native", .threads = 1};
    const ClackRunOptions options = {.size = sizeof options,
                                     .no_file = 1,
                                     .first_scenes = scenes,
                                     .batch_scenes = 1u << 20,
                                     .failures_allowed = UINT64_MAX,
                                     .device = &native};
    ClackStatus status = clack_study_read(path, overrides, &study, &report);
    if (status == CLACK_OK) status = clack_run(study, &options, out, &report);
    for (size_t i = 0; i < report.count; i++) fprintf(stderr, "%s\n", report.lines[i]);
    clack_report_clear(&report);
    clack_study_free(study);
    return status;
}

int main(int argc, char **argv) {
    ClackStudyOverride overrides[OVERRIDES_MOST];
    ClackStudyOptions study = {.size = sizeof study, .overrides = overrides};
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    uint64_t scenes = 256;
    if (argc < 2) {
        fprintf(stderr, "usage: %s STUDY [-n SCENES] [-p PASSES] [-s SLOTS] [PATH=VALUE]...\n", argv[0]);
        return 2;
    }
    for (int k = 2; k < argc; k++) {
        char *equals = strchr(argv[k], '=');
        if (argv[k][0] == '-' && k + 1 < argc) {
            const uint32_t number = (uint32_t)strtoul(argv[k + 1], NULL, 10);
            switch (argv[k][1]) {
            case 'n': scenes = number; break;
            case 'p': passes_of_launch = number; break;
            case 's': slots_of_unit = number; break;
            case 'f': function_count = number; break;
            case 'q': only_queue = number; break;
            case 'a': trace_accesses(number != 0); break;
            default: fprintf(stderr, "unknown option %s\n", argv[k]); return 2;
            }
            k++;
        } else if (equals != NULL && study.override_count < OVERRIDES_MOST) {
            *equals = '\0';
            overrides[study.override_count++] = (ClackStudyOverride){.path = argv[k], .value = equals + 1};
        }
    }
    if (slots_of_unit < 1 || slots_of_unit > SLOTS_MOST) {
        fprintf(stderr, "-s: expected 1 to %u slots, found %u\n", SLOTS_MOST, slots_of_unit);
        return 2;
    }
    if (run(argv[1], &study, scenes, &summary) != CLACK_OK) return 1;
    print_all(argv[1], (double)summary.scenes_run);
    print_functions(function_count);
    if (function_count > 0) print_arrays(function_count);
    return 0;
}
