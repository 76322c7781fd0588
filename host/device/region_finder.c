// Meshes on a device, and the regions of their pairs.
#include "region_finder.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate_types.h"
#include "model/mesh_types.h"
#include "model/region_types.h"
#include "pairs/broad_phase.h"
#include "mesh_buffers.h"
#include "region_contours.h"
#include "stage.h"
#include "stage_mesh.h"

#define SEGMENTS_FIRST 512u // room of a slot at first; doubled where a pair needs more
#define VERTICES_FIRST 2048u
#define ROOM_MOST (1u << 28)
#define CONTOURS_MOST (1u << 22) // segments of contours that one launch may hand over, but of a single configuration
#define ROWS_FIRST 65536u        // rows that fit at first, or as many as there are pairs
#define SLOTS_PER_UNIT 64u       // of a GPU; of a processor 1
#define MEMORY_SHARE 4.0         // lists of slots take at most 1 / MEMORY_SHARE of the device's memory

// Rows come off the device as the user gets them.
static_assert(sizeof(ClackRegion) == sizeof(RegionRow), "one layout");
#define SAME_PLACE(field) static_assert(offsetof(ClackRegion, field) == offsetof(RegionRow, field), "one layout")
SAME_PLACE(area_m2);
SAME_PLACE(volume_m3);
SAME_PLACE(indentation_m);
SAME_PLACE(thickness_m);
SAME_PLACE(perimeter_m);
SAME_PLACE(normal);
SAME_PLACE(centroid_m);
SAME_PLACE(configuration);
SAME_PLACE(body_a);
SAME_PLACE(region);
SAME_PLACE(flags);
SAME_PLACE(segment_count);
static_assert(CLACK_REGION_OPEN_CONTOUR == REGION_OPEN_CONTOUR && CLACK_REGION_ENGULFED == REGION_ENGULFED &&
                  CLACK_REGION_COARSE_MESH == REGION_COARSE_MESH && CLACK_REGION_PIERCED == REGION_PIERCED &&
                  CLACK_REGION_JITTERED == REGION_JITTERED && CLACK_REGION_HOLE == REGION_HOLE,
              "one meaning");

typedef enum FinderBuffer {
    FINDER_SETTINGS,
    FINDER_PAIRS,
    FINDER_SHAPES,
    FINDER_HEADS, // MESH_BUFFERS from here on: mesh_buffers.h
    FINDER_VERTICES,
    FINDER_TRIANGLES,
    FINDER_EDGES,
    FINDER_SPOKES,
    FINDER_NODES,
    FINDER_PARTS,
    FINDER_SEGMENTS, // from here on: made larger where a batch needs it
    FINDER_LOOPS,
    FINDER_INSIDE,
    FINDER_EDGE_CELLS,
    FINDER_VERTEX_CELLS, // empty between launches: new ones are zeroed
    FINDER_QUERIES,
    FINDER_ROWS,
    FINDER_POINTS,
    FINDER_COUNTERS,
    FINDER_BUFFERS
} FinderBuffer;

struct RegionFinder {
    Device *device;
    uint32_t pair_count, body_count, fits_planes, lists_contours;
    RegionRoom room;
    uint32_t row_room, point_room;
    uint32_t part_most; // configurations of one launch
    DeviceBuffer *buffers[FINDER_BUFFERS];
};

static ClackStatus finder_reserve(RegionFinder *finder, FinderBuffer which, size_t size_bytes, ClackReport *report) {
    return device_buffer_reserve(finder->device, size_bytes, &finder->buffers[which], report);
}

static ClackStatus finder_upload(RegionFinder *finder, FinderBuffer which, size_t size_bytes, const void *data,
                                 ClackReport *report) {
    return device_buffer_upload(finder->device, size_bytes, data, &finder->buffers[which], report);
}

// --- opening ------------------------------------------------------------------------------------

int region_finder_takes(const Scene *scene, const Shape *a, const Shape *b) {
    if (a->kind == SHAPE_HALF_SPACE && b->kind == SHAPE_HALF_SPACE) return 0;
    return a->kind == SHAPE_MESH || b->kind == SHAPE_MESH || policy_has_regions(scene->flags);
}

// Convex shapes of bodies that a joint ties have no regions: kernels may not be built for any then (stage_has_regions).
static int finder_counts(const SceneDescription *scene, const SceneView *view, u32 i, u32 k) {
    const Shape *a = &view->shapes[i], *b = &view->shapes[k];
    if (!region_finder_takes(view->scene, a, b) || !broad_pair_may_touch(view, i, k)) return 0;
    return a->kind == SHAPE_MESH || b->kind == SHAPE_MESH || !stage_are_tied(scene, a->body, b->body);
}

// With NULL they are counted, and their shapes are wanted (shape_count).
static uint32_t finder_list_pairs(const SceneDescription *scene, const Batch *batch, ShapePair *pairs,
                                  unsigned char *wanted) {
    const SceneView view = {.scene = &batch->scenes[0], .bodies = batch->bodies, .shapes = batch->shapes};
    uint32_t count = 0;
    for (u32 i = 0; i < view.scene->shape_count; i++)
        for (u32 k = i + 1; k < view.scene->shape_count; k++) {
            if (!finder_counts(scene, &view, i, k)) continue;
            if (pairs != NULL)
                pairs[count] = (ShapePair){.shape_a = i, .shape_b = k};
            else
                wanted[i] = wanted[k] = 1;
            count++;
        }
    return count;
}

static ClackStatus finder_upload_pairs(RegionFinder *finder, const SceneDescription *scene, const Batch *batch,
                                       ClackReport *report) {
    ShapePair *pairs = calloc((size_t)finder->pair_count + 1, sizeof *pairs);
    if (pairs == NULL) return report_add(report, CLACK_MEMORY, "no memory for pairs of meshes");
    finder_list_pairs(scene, batch, pairs, NULL);
    const ClackStatus status = finder_upload(finder, FINDER_PAIRS, finder->pair_count * sizeof *pairs, pairs, report);
    free(pairs);
    return status;
}

// The shapes as the regions' kernel takes them: a convex one is the mesh that stands for it.
static ClackStatus finder_upload_shapes(RegionFinder *finder, const Batch *batch, const StageMeshes *meshes,
                                        ClackReport *report) {
    Shape *shapes = calloc(batch->shape_count + 1, sizeof *shapes);
    if (shapes == NULL) return report_add(report, CLACK_MEMORY, "no memory for pairs of meshes");
    for (size_t i = 0; i < batch->shape_count; i++) {
        shapes[i] = stage_surface(&batch->shapes[i], meshes, i);
    }
    const ClackStatus status =
        finder_upload(finder, FINDER_SHAPES, batch->shape_count * sizeof *shapes, shapes, report);
    free(shapes);
    return status;
}

ClackStatus region_finder_open(Device *device, const SceneDescription *scene, const Batch *batch,
                               const ClackEvaluateOptions *options, RegionFinder **out_finder, ClackReport *report) {
    assert(device != NULL && batch->scene_count == 1 && out_finder != NULL);
    *out_finder = NULL;
    StageMeshes meshes = {0};
    RegionFinder *finder = NULL;
    ClackStatus status = CLACK_OK;
    unsigned char *wanted = calloc(batch->shape_count + 1, 1);
    if (wanted == NULL) return report_add(report, CLACK_MEMORY, "no memory for pairs of meshes");
    const uint32_t pair_count = finder_list_pairs(scene, batch, NULL, wanted);
    if (pair_count == 0) goto cleanup;
    finder = calloc(1, sizeof *finder);
    if (finder == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for pairs of meshes"));
    finder->device = device;
    finder->pair_count = pair_count;
    finder->fits_planes = options->fits_planes != 0;
    finder->lists_contours = options->lists_contours != 0;
    finder->point_room = finder->lists_contours ? SEGMENTS_FIRST : 0;
    finder->part_most = UINT32_MAX;
    finder->body_count = batch->scenes[0].body_count;
    finder->room = (RegionRoom){SEGMENTS_FIRST, VERTICES_FIRST};
    TRY_CLEAN(stage_meshes_make(scene, batch, wanted, &meshes, report));
    TRY_CLEAN(finder_upload_pairs(finder, scene, batch, report));
    TRY_CLEAN(finder_upload_shapes(finder, batch, &meshes, report));
    TRY_CLEAN(mesh_buffers_upload(device, (const SceneMesh *const *)meshes.meshes, meshes.count,
                                  &finder->buffers[FINDER_HEADS], report));
    *out_finder = finder;
    finder = NULL;
cleanup:
    free(wanted);
    stage_meshes_free(&meshes);
    region_finder_close(finder);
    return status;
}

void region_finder_close(RegionFinder *finder) {
    if (finder == NULL) return;
    for (int k = 0; k < FINDER_BUFFERS; k++) device_buffer_free(finder->device, finder->buffers[k]);
    free(finder);
}

uint32_t region_finder_pair_count(const RegionFinder *finder) { return finder == NULL ? 0 : finder->pair_count; }

double region_finder_bytes(const RegionFinder *finder) {
    return finder == NULL ? 0 : finder->pair_count * (double)(sizeof(RegionQuery) + sizeof(RegionRow));
}

// --- one batch ----------------------------------------------------------------------------------

static size_t finder_slot_bytes(RegionRoom room) {
    return room.segments * (sizeof(RegionSegment) + sizeof(RegionLoop) + 2 * sizeof(RegionCell)) +
           room.vertices * (sizeof(RegionInside) + 2 * sizeof(RegionCell));
}

static uint32_t finder_choose_slots(const RegionFinder *finder, uint64_t items) {
    const DeviceInfo *info = device_info(finder->device);
    const double units = info->compute_units * (info->is_gpu ? (double)SLOTS_PER_UNIT : 1.0);
    const double fitting = (double)info->global_memory_bytes / MEMORY_SHARE / (double)finder_slot_bytes(finder->room);
    double slots = units < (double)items ? units : (double)items;
    if (fitting < slots) slots = fitting;
    return slots < 1 ? 1 : (uint32_t)slots;
}

static ClackStatus finder_reserve_lists(RegionFinder *finder, uint32_t slots, size_t items, ClackReport *report) {
    const size_t segments = (size_t)slots * finder->room.segments, vertices = (size_t)slots * finder->room.vertices;
    TRY(finder_reserve(finder, FINDER_SEGMENTS, segments * sizeof(RegionSegment), report));
    TRY(finder_reserve(finder, FINDER_LOOPS, segments * sizeof(RegionLoop), report));
    TRY(finder_reserve(finder, FINDER_EDGE_CELLS, 2 * segments * sizeof(RegionCell), report));
    TRY(finder_reserve(finder, FINDER_INSIDE, vertices * sizeof(RegionInside), report));
    TRY(finder_reserve(finder, FINDER_VERTEX_CELLS, 2 * vertices * sizeof(RegionCell), report));
    TRY(finder_reserve(finder, FINDER_QUERIES, items * sizeof(RegionQuery), report));
    TRY(finder_reserve(finder, FINDER_ROWS, (size_t)finder->row_room * sizeof(RegionRow), report));
    return finder_reserve(finder, FINDER_POINTS, ((size_t)finder->point_room + 1) * sizeof(RegionPoint), report);
}

// Configurations that one launch takes.
typedef struct FinderPart {
    size_t first, count; // of those of the states
    size_t base;         // number of the first among all
} FinderPart;

typedef struct FinderCounts { // as the kernel counts them
    uint32_t items, rows, points;
} FinderCounts;

static ClackStatus finder_launch(RegionFinder *finder, const RegionInputs *inputs, const FinderPart *part,
                                 FinderCounts *out_counts, ClackReport *report) {
    const size_t items = part->count * finder->pair_count;
    const uint32_t slots = finder_choose_slots(finder, items);
    const RegionSettings settings = {.room = finder->room,
                                     .slot_count = slots,
                                     .pair_count = finder->pair_count,
                                     .body_count = finder->body_count,
                                     .configuration_first = (uint32_t)part->first,
                                     .configuration_count = (uint32_t)part->count,
                                     .row_room = finder->row_room,
                                     .point_room = finder->point_room,
                                     .fits_planes = finder->fits_planes};
    *out_counts = (FinderCounts){0};
    TRY(finder_reserve_lists(finder, slots, items, report));
    TRY(finder_upload(finder, FINDER_SETTINGS, sizeof settings, &settings, report));
    TRY(finder_upload(finder, FINDER_COUNTERS, sizeof *out_counts, out_counts, report));
    DeviceBuffer **b = finder->buffers;
    DeviceBuffer *arguments[] = {b[FINDER_SETTINGS],     inputs->bodies,    b[FINDER_SHAPES],   b[FINDER_PAIRS],
                                 inputs->states,         b[FINDER_HEADS],   b[FINDER_VERTICES], b[FINDER_TRIANGLES],
                                 b[FINDER_EDGES],        b[FINDER_SPOKES],  b[FINDER_NODES],    b[FINDER_PARTS],
                                 b[FINDER_SEGMENTS],     b[FINDER_LOOPS],   b[FINDER_INSIDE],   b[FINDER_EDGE_CELLS],
                                 b[FINDER_VERTEX_CELLS], b[FINDER_QUERIES], b[FINDER_ROWS],     b[FINDER_POINTS],
                                 b[FINDER_COUNTERS]};
    TRY(device_launch(finder->device, KERNEL_evaluate_meshes, arguments, slots, report));
    return device_buffer_read(finder->device, b[FINDER_COUNTERS], 0, sizeof *out_counts, out_counts, report);
}

static uint32_t room_of(uint32_t room, uint32_t wanted) {
    while (room < wanted && room < ROOM_MOST) room *= 2;
    return room;
}

// Makes room for the pairs that had too little; *out_is_short: there were such. *out_segments: of all pairs, as far as
// they are known.
static ClackStatus finder_grow(RegionFinder *finder, size_t items, int *out_is_short, uint64_t *out_segments,
                               ClackReport *report) {
    RegionQuery *queries = malloc((items + 1) * sizeof *queries);
    if (queries == NULL) return report_add(report, CLACK_MEMORY, "no memory for %zu pairs of meshes", items);
    const RegionRoom before = finder->room;
    const ClackStatus status = device_buffer_read(finder->device, finder->buffers[FINDER_QUERIES], 0,
                                                  items * sizeof *queries, queries, report);
    *out_is_short = 0;
    *out_segments = 0;
    for (size_t i = 0; status == CLACK_OK && i < items; i++) {
        *out_segments += queries[i].segment_count;
        if (!queries[i].is_short) continue;
        *out_is_short = 1;
        finder->room.segments = room_of(finder->room.segments, queries[i].segment_count);
        finder->room.vertices = room_of(finder->room.vertices, queries[i].vertex_count);
    }
    free(queries);
    if (status == CLACK_OK && *out_is_short && before.segments == finder->room.segments &&
        before.vertices == finder->room.vertices)
        return report_add(report, CLACK_MEMORY, "regions of meshes have too many segments or vertices");
    return status;
}

static int region_compare(const void *a, const void *b) {
    const ClackRegion *x = a, *y = b;
    if (x->configuration != y->configuration) return x->configuration < y->configuration ? -1 : 1;
    if (x->shape_a != y->shape_a) return x->shape_a < y->shape_a ? -1 : 1;
    if (x->shape_b != y->shape_b) return x->shape_b < y->shape_b ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

static ClackStatus finder_fetch_points(RegionFinder *finder, size_t count, ClackRegion *rows, size_t row_count,
                                       ClackContacts *contacts, ClackReport *report) {
    RegionPoint *points = malloc((count + 1) * sizeof *points);
    if (points == NULL) return report_add(report, CLACK_MEMORY, "no memory for %zu points of contours", count);
    ClackStatus status =
        device_buffer_read(finder->device, finder->buffers[FINDER_POINTS], 0, count * sizeof *points, points, report);
    if (status == CLACK_OK) status = region_contours_append(points, count, rows, row_count, contacts, report);
    free(points);
    return status;
}

// Takes the rows off the device, in the order of configurations and shapes: the device has them as they were found.
static ClackStatus finder_fetch(RegionFinder *finder, const FinderPart *part, const FinderCounts *counts,
                                ClackContacts *contacts, ClackReport *report) {
    const size_t row_count = counts->rows;
    ClackRegion *rows = realloc(contacts->regions, (contacts->region_count + row_count + 1) * sizeof *rows);
    if (rows == NULL) return report_add(report, CLACK_MEMORY, "no memory for %zu regions", row_count);
    contacts->regions = rows;
    rows += contacts->region_count;
    TRY(device_buffer_read(finder->device, finder->buffers[FINDER_ROWS], 0, row_count * sizeof *rows, rows, report));
    if (finder->lists_contours)
        for (size_t i = 0; i < row_count; i++) rows[i].reserved = (uint32_t)i; // to find its points
    qsort(rows, row_count, sizeof *rows, region_compare);
    if (finder->lists_contours) TRY(finder_fetch_points(finder, counts->points, rows, row_count, contacts, report));
    size_t at = 0;
    for (size_t i = 0; i < part->count; i++) {
        contacts->first_region[part->base + i] = contacts->region_count + at;
        for (; at < row_count && rows[at].configuration == i; at++) rows[at].configuration = (uint32_t)(part->base + i);
    }
    assert(at == row_count);
    contacts->region_count += row_count;
    contacts->first_region[part->base + part->count] = contacts->region_count;
    return CLACK_OK;
}

// *out_is_long: nothing was taken, as there are too many points at once.
static ClackStatus finder_run_part(RegionFinder *finder, const RegionInputs *inputs, const FinderPart *part,
                                   ClackContacts *contacts, int *out_is_long, ClackReport *report) {
    const uint64_t items = (uint64_t)part->count * finder->pair_count;
    const uint32_t first = items < ROWS_FIRST ? (uint32_t)items : ROWS_FIRST;
    if (finder->row_room < first) finder->row_room = first;
    *out_is_long = 0;
    for (;;) { // each round has more room than the one before
        FinderCounts counts;
        uint64_t segments = 0;
        int is_short = 0;
        TRY(finder_launch(finder, inputs, part, &counts, report));
        TRY(finder_grow(finder, items, &is_short, &segments, report));
        // Points are counted in 32 bits: no more of them than twice the segments, each of which may end a contour.
        if (finder->lists_contours && segments > (part->count > 1 ? CONTOURS_MOST : ROOM_MOST)) {
            *out_is_long = 1;
            return CLACK_OK;
        }
        const int is_full = counts.rows > finder->row_room, has_more = counts.points > finder->point_room;
        if (is_full) finder->row_room = counts.rows;
        if (has_more && finder->lists_contours) finder->point_room = counts.points;
        if (!is_full && !is_short && !(has_more && finder->lists_contours))
            return finder_fetch(finder, part, &counts, contacts, report);
    }
}

ClackStatus region_finder_run(RegionFinder *finder, const RegionInputs *inputs, size_t base, size_t count,
                              ClackContacts *contacts, ClackReport *report) {
    assert(count > 0 && (uint64_t)count * finder->pair_count < UINT32_MAX / 2);
    for (size_t first = 0; first < count;) {
        const size_t left = count - first;
        const FinderPart part = {first, left < finder->part_most ? left : finder->part_most, base + first};
        int is_long = 0;
        TRY(finder_run_part(finder, inputs, &part, contacts, &is_long, report));
        if (is_long && part.count == 1)
            return report_add(report, CLACK_MEMORY, "contours of regions have too many points");
        if (is_long)
            finder->part_most = (uint32_t)(part.count / 2);
        else
            first += part.count;
    }
    return CLACK_OK;
}
