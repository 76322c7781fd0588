// Which scenes, where to, how many at a time, and the bytes this takes.
#include "plan.h"
#include "hull.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "run_resume.h"
#include "stage.h"
#include "stage_mesh.h"
#include "stepper.h"
#include "model/workspace.h"
#include "text.h"

// Scenes in a batch where memory allows: enough to fill the device, few enough to show progress and to
// keep what a crash would lose small.
#define BATCH_SCENES_CORE 512 // for each core; a batch is at least BATCH_SCENES_LEAST
#define BATCH_SCENES_LEAST 1024
#define BATCH_SCENES_MOST 65536     // and what a GPU gets, but
#define BATCH_SCENES_SLOT 2         // for each slot where it serves scenes from queues, which have many slots, and
#define BATCH_SCENES_QUEUES 1048576 // so many at most
// Scenes of a batch take at most 1 / BATCH_SHARE of the device's memory, slots as much as stepper_slots.c allows. The
// host holds as much as the scenes of each of two batches, that which is run and that which is written.
#define BATCH_SHARE 4
#define POOL_SCENES_LEAST 4u // for each thread
#define MEMORY_OF_PARTS 0.5  // of a GPU's memory, at most

// Parts of the same length but for one scene.
static ClackStatus plan_shard(const ClackRunOptions *options, uint64_t scene_count, uint64_t *out_first,
                              uint64_t *out_end, ClackReport *report) {
    const uint64_t index = options->shard_index, count = options->shard_count;
    if (index < 1 || index > count || options->only_scene != NULL)
        return report_add(report, CLACK_USAGE,
                          "shard %" PRIu64 "/%" PRIu64 ": expected 1/n to n/n, and no single scene", index, count);
    if (count > scene_count)
        return report_add(report, CLACK_USAGE, "shard %" PRIu64 "/%" PRIu64 ": the study has only %" PRIu64 " %s",
                          index, count, scene_count, text_plural(scene_count, "scene", "scenes"));
    const uint64_t each = scene_count / count, longer = scene_count % count;
    *out_first = (index - 1) * each + (index - 1 < longer ? index - 1 : longer);
    *out_end = *out_first + each + (index <= longer ? 1 : 0);
    return CLACK_OK;
}

static ClackStatus plan_listed(const ClackRunOptions *options, uint64_t scene_count, uint64_t *out_first,
                               uint64_t *out_end, ClackReport *report) {
    for (uint64_t i = 0; i < options->listed_scenes; i++) {
        if (options->scenes[i] >= scene_count) return study_refuse_scene(scene_count, options->scenes[i], report);
    }
    *out_first = 0;
    *out_end = options->listed_scenes;
    return CLACK_OK;
}

ClackStatus plan_scenes(const Study *study, const ClackRunOptions *options, uint64_t *out_first, uint64_t *out_end,
                        ClackReport *report) {
    const uint64_t scene_count = study->design.scene_count, most = options->first_scenes;
    const uint64_t *only = options->only_scene;
    if (only != NULL && *only >= scene_count) return study_refuse_scene(scene_count, *only, report);
    if ((options->scenes != NULL || options->is_refined) && !options->no_file)
        return report_add(report, CLACK_USAGE, "listed or refined scenes go into no file");
    if (options->scenes != NULL) return plan_listed(options, scene_count, out_first, out_end, report);
    if (options->shard_count > 0 && study->statistics.stop.count > 0)
        return report_add(report, CLACK_USAGE,
                          "--shard: a study with outputs.statistics.stop is run whole: no part knows the others");
    if (options->shard_count > 0) { // with `extends` of the scenes that are new
        const uint64_t before = options->extends ? study->scenes_before : 0;
        if (options->extends && before == 0)
            return report_add(report, CLACK_USAGE,
                              "a shard of more scenes: the study was read without ClackStudyOptions.samples");
        if (before >= scene_count && scene_count > 0)
            return report_add(report, CLACK_USAGE,
                              "--extend: the study has %" PRIu64 " %s itself: expected more, found %" PRIu64, before,
                              text_plural(before, "scene", "scenes"), scene_count);
        TRY(plan_shard(options, scene_count - before, out_first, out_end, report));
        *out_first += before;
        *out_end += before;
        return CLACK_OK;
    }
    *out_first = only != NULL ? *only : 0;
    *out_end = only != NULL ? *out_first + 1 : most > 0 && most < scene_count ? most : scene_count;
    return CLACK_OK;
}

// "studies/ball.yaml" -> "ball.h5"; its second shard of three -> "ball.2of3.h5".
ClackStatus plan_path(const Study *study, const ClackRunOptions *options, char out_path[PLAN_PATH_BYTES],
                      ClackReport *report) {
    const char *given = options->output_path;
    int length = 0;
    out_path[0] = '\0';
    if (options->no_file) return CLACK_OK;
    if (given != NULL) {
        length = snprintf(out_path, PLAN_PATH_BYTES, "%s", given);
    } else {
        const char *input = study->input_count > 0 ? study->inputs[0].path : "study";
        const char *slash = strrchr(input, '/');
        const char *name = slash == NULL ? input : slash + 1;
        const char *dot = strrchr(name, '.');
        const size_t stem = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
        length = options->shard_count == 0 ? snprintf(out_path, PLAN_PATH_BYTES, "%.*s.h5", (int)stem, name)
                                           : snprintf(out_path, PLAN_PATH_BYTES, "%.*s.%" PRIu64 "of%" PRIu64 ".h5",
                                                      (int)stem, name, options->shard_index, options->shard_count);
    }
    if (length > 0 && (size_t)length < PLAN_PATH_BYTES) return CLACK_OK;
    return report_add(report, CLACK_USAGE, "output: the path is empty or too long");
}

// --- memory -----------------------------------------------------------------------------------

// What a scene like the study's template wants of a slot.
static SlotRoom plan_room(const Study *study) {
    const SceneDescription *scene = &study->scene;
    const Capacities room = stage_capacities(scene);
    return (SlotRoom){.bodies = scene->body_count,
                      .shapes = scene->shape_count,
                      .candidates = room.candidates,
                      .contacts = room.contacts,
                      .events = room.events,
                      .rows = study->contacts_every_s > 0 ? room.rows : 0,
                      .numbers = (uint32_t)stage_matrix_room(scene),
                      .regions = room.regions,
                      .segments = room.segments,
                      .vertices = room.vertices};
}

// Tables of all surfaces, where contacts are regions of these: about, as those of convex shapes are made later.
static uint64_t plan_mesh_bytes(const SceneDescription *scene) {
    double triangles = 0;
    StageMeshRow *rows = NULL;
    uint32_t count = 0;
    if (!stage_has_regions(scene)) return 0;
    for (uint32_t m = 0; m < scene->mesh_count; m++) triangles += scene->meshes[m]->head.triangle_count;
    if (stage_meshes_list(scene, &rows, &count, NULL) != CLACK_OK) count = 0;
    for (uint32_t i = 0; i < count; i++) triangles += (double)rows[i].plan.triangle_count;
    free(rows);
    return (uint64_t)(triangles * STAGE_MESH_BYTES);
}

// The slots in which a batch is carried.
typedef struct PlanSlots {
    uint64_t count;
    SlotRoom room;
    uint32_t queue_items; // DeviceItems.queue
} PlanSlots;

static PlanSlots plan_slots(const Study *study, const ClackRunOptions *options, uint64_t batch_scenes,
                            const DeviceInfo *info) {
    const uint32_t queue_items = info->index < 0 ? 0 : options->device->queue_items; // native has none
    return (PlanSlots){.count = stepper_slot_count(info, queue_items, plan_room(study), batch_scenes),
                       .room = stepper_room(info, plan_room(study)),
                       .queue_items = queue_items};
}

// Bytes of the lists of a batch whose scenes are like the study's template, first those of scenes.
static uint32_t plan_lists(const Study *study, uint64_t scenes, uint64_t scenes_with_frames, const PlanSlots *in,
                           ClackPlanPart parts[CLACK_PLAN_PARTS]) {
    const SceneDescription *scene = &study->scene;
    const uint64_t bodies = scenes * scene->body_count, materials = scene->material_count;
    const uint64_t shape_scenes = stage_shares_shapes(study) && scenes > 0 ? 1 : scenes; // that have rows of their own
    const uint64_t law_scenes = stage_shares_laws(study) && scenes > 0 ? 1 : scenes;
    const uint64_t frames =
        study->trajectory_every_s > 0 ? stage_frame_count(scene->end_s, study->trajectory_every_s) : 0;
    uint64_t hull_rows = 0;
    for (uint32_t h = 0; h < scene->hull_count; h++) hull_rows += scene->hulls[h]->row_count;
    const ClackPlanPart lists[] = {
        {"scenes", scenes * sizeof(Scene)},
        {"bodies", bodies * sizeof(Body)},
        {"shapes", shape_scenes * scene->shape_count * sizeof(Shape)},
        {"contact_laws", law_scenes * materials * materials * sizeof(MaterialPairLaw)},
        {"watches", study->watch_count * sizeof(Watch)},
        {"hulls", hull_rows * sizeof(HullRow)},
        {"joints", scenes * scene->joint_count * sizeof(Joint)},
        {"functions", scenes * scene->function_count * sizeof(FunctionRow)},
        {"region_laws", in->room.regions > 0 ? law_scenes * materials * materials * sizeof(RegionLaw) : 0},
        {"meshes", plan_mesh_bytes(scene)},
        {"progress", scenes * sizeof(Progress)},
        {"states", bodies * sizeof(BodyState)},
        {"frames", scenes_with_frames * frames * scene->body_count * sizeof(BodyState)},
        {"extremes", scenes * study->watch_count * sizeof(Extreme)},
        {"slots", sizeof(Slots) + in->count * sizeof(Slot)},
    };
    const size_t of_scenes = sizeof lists / sizeof *lists;
    _Static_assert(sizeof lists / sizeof *lists + SLOT_LISTS <= CLACK_PLAN_PARTS, "a plan holds every list");
    memcpy(parts, lists, sizeof lists);
    SlotList of_slot[SLOT_LISTS];
    stepper_slot_lists(in->room, in->queue_items, of_slot);
    for (size_t i = 0; i < SLOT_LISTS; i++)
        parts[of_scenes + i] = (ClackPlanPart){of_slot[i].name, in->count * of_slot[i].bytes};
    return (uint32_t)of_scenes + SLOT_LISTS;
}

// Bytes that scenes like the template take on the device beside their slots, with their frames.
static double plan_scenes_bytes(const Study *study, uint64_t scenes) {
    ClackPlanPart parts[CLACK_PLAN_PARTS];
    const PlanSlots none = {.room = plan_room(study)};
    const uint32_t count = plan_lists(study, scenes, scenes, &none, parts);
    double bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += (double)parts[i].bytes;
    return bytes;
}

uint32_t plan_batch_scenes(const Study *study, const ClackRunOptions *options, const DeviceInfo *info) {
    if (options->batch_scenes > 0) {
        return options->batch_scenes < UINT32_MAX / 2 ? (uint32_t)options->batch_scenes : UINT32_MAX / 2;
    }
    const uint32_t queue_items = info->is_gpu ? options->device->queue_items : 0;
    const double in_slots = BATCH_SCENES_SLOT * (double)stepper_slots_filled(info, queue_items);
    const double in_queues = in_slots < BATCH_SCENES_QUEUES ? in_slots : BATCH_SCENES_QUEUES;
    const double largest = queue_items > 0 && in_queues > BATCH_SCENES_MOST ? in_queues : BATCH_SCENES_MOST;
    const double wanted = info->is_gpu ? largest : (double)BATCH_SCENES_CORE * info->compute_units;
    const double most = wanted < BATCH_SCENES_LEAST ? BATCH_SCENES_LEAST : wanted > largest ? largest : wanted;
    const double memory_bytes = (double)info->global_memory_bytes / BATCH_SHARE;
    const double room_bytes =
        memory_bytes < (double)info->max_allocation_bytes ? memory_bytes : (double)info->max_allocation_bytes;
    const double one_bytes = plan_scenes_bytes(study, 1), each_bytes = plan_scenes_bytes(study, 2) - one_bytes;
    const double fitting = 1 + (room_bytes - one_bytes) / each_bytes; // what scenes share is there once
    return fitting < 1 ? 1 : fitting < most ? (uint32_t)fitting : (uint32_t)most;
}

// Scenes of the batch that begins with this one, of which there are frames.
static uint64_t plan_framed(const Study *study, uint64_t first, uint64_t batch_scenes) {
    const uint64_t framed = study->trajectory_scenes > first ? study->trajectory_scenes - first : 0;
    return framed < batch_scenes ? framed : batch_scenes;
}

// About what a batch of so many scenes from `first` on takes on this device, bytes.
static uint64_t plan_batch_bytes(const Study *study, const ClackRunOptions *options, uint32_t batch_scenes,
                                 uint64_t first, const DeviceInfo *info) {
    ClackPlanPart parts[CLACK_PLAN_PARTS];
    const PlanSlots slots = plan_slots(study, options, batch_scenes, info);
    const uint32_t count = plan_lists(study, batch_scenes, plan_framed(study, first, batch_scenes), &slots, parts);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += parts[i].bytes;
    return bytes;
}

uint32_t plan_parts(const Study *study, const ClackRunOptions *options, const Device *device, uint64_t first,
                    uint64_t end) {
    uint32_t parts = device_parts(device);
    const uint64_t scenes = end - first;
    if (device_is_native(device)) return scenes < POOL_SCENES_LEAST * (uint64_t)parts ? 1 : parts;
    const DeviceInfo *info = device_info(device);
    const uint32_t batch_scenes = plan_batch_scenes(study, options, info);
    const double bytes = (double)plan_batch_bytes(study, options, batch_scenes, first, info);
    if (scenes / 2 < batch_scenes) return 1;
    while (parts > 1 && parts * bytes > MEMORY_OF_PARTS * (double)info->global_memory_bytes) parts--;
    return parts;
}

// --- the plan ---------------------------------------------------------------------------------

static void plan_file(const Study *study, uint64_t first, ClackPlan *plan) {
    RecordBytes bytes;
    record_bytes(study, first, plan->scenes, &bytes);
    const ClackPlanPart groups[] = {{"/", bytes.scenes},
                                    {"parameters", bytes.parameters},
                                    {"trajectory", bytes.trajectory},
                                    {"provenance", bytes.provenance}};
    memcpy(plan->file, groups, sizeof groups);
    plan->file_count = sizeof groups / sizeof *groups;
    plan->event_bytes = bytes.event;
    plan->contact_bytes = bytes.contact;
}

ClackStatus plan_run(const Study *study, const ClackRunOptions *options, ClackPlan *out_plan, ClackReport *report) {
    ClackPlan plan = {0};
    Device *device = NULL;
    uint64_t first = 0, end = 0;
    TRY(plan_scenes(study, options, &first, &end, report));
    TRY(plan_path(study, options, plan.output_path, report));
    if (options->extends && plan.output_path[0] != '\0') {
        RecordBase base = {0};
        TRY(extend_find(study, options, plan.output_path, &base, report));
        first += plan.scenes_kept = base.scenes;
        record_base_free(&base);
    }
    const Content content = content_of_study(study, PROGRAM_ADVANCE);
    TRY(device_open(options->device, &content, &device, report));
    const DeviceInfo *info = device_info(device);
    snprintf(plan.device_name, sizeof plan.device_name, "%s", info->name);
    plan.is_gpu = info->is_gpu;
    plan.scenes = end - first;
    plan.batch_scenes = plan_batch_scenes(study, options, info);
    if (plan.batch_scenes > plan.scenes) plan.batch_scenes = plan.scenes;
    if (plan.batch_scenes > 0) // a list may be empty
        plan.batches = (plan.scenes + plan.batch_scenes - 1) / plan.batch_scenes;
    const PlanSlots slots = plan_slots(study, options, plan.batch_scenes, info);
    plan.slots = slots.count;
    plan.device_count =
        plan_lists(study, plan.batch_scenes, plan_framed(study, first, plan.batch_scenes), &slots, plan.device);
    if (!options->no_file) plan_file(study, first, &plan);
    device_close(device);
    *out_plan = plan;
    return CLACK_OK;
}
