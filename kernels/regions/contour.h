// Segments joined to closed contours by the names of their ends, in integers alone; contours joined to regions.
#ifndef CLACK_REGIONS_CONTOUR_H
#define CLACK_REGIONS_CONTOUR_H

#include "regions/crossing.h"

// Lists of one slot, and what is in them.
typedef struct RegionWork {
    GLOBAL RegionSegment *segments;
    GLOBAL RegionLoop *loops;
    GLOBAL RegionInside *inside;
    GLOBAL RegionCell *edge_cells;   // 2 room.segments: names, then edges
    GLOBAL RegionCell *vertex_cells; // 2 room.vertices: empty between queries
    RegionRoom room;
    u32 segment_count, loop_count, inside_count; // may exceed the room: then the lists hold the first ones
    u32 mask;                                    // of the edge cells in use
    u32 odd_count;                               // pairs of triangles whose signs contradict each other
    u32 open_count;                              // segments without a next one
    u32 tied_count;                              // crossed edges that contradict others on what is inside
    u32 fits_planes;                             // 1: normals are those of planes fitted to contour points
    GLOBAL RegionNear *near;                     // of the pair, and
    GLOBAL u32 *near_pairs;                      // (near_room, 2): its triangles
    u32 near_room;                               // 0: nothing is kept between queries
    u32 skips_volume;                            // 1: volumes are not wanted
} RegionWork;

FN_SHORT u32 contour_hash(u64 key) {
    u64 mixed = (key ^ key >> 31) * (((u64)0x9e3779b9u << 32) | 0x7f4a7c15u);
    return (u32)(mixed >> 32);
}

/// The cell of a key in a table of mask + 1 cells, of which one is empty at least; an empty one if it is not there.
FN u32 contour_cell(GLOBAL const RegionCell *cells, u32 mask, u64 key) {
    u32 at = contour_hash(key) & mask;
    while (cells[at].key != 0 && cells[at].key != key) at = (at + 1) & mask;
    return at;
}

/// Empties as many edge cells as the segments need.
FN void contour_clear_cells(RegionWork *work) {
    u32 cells = 4;
    while (cells < 2 * work->segment_count) cells *= 2;
    for (u32 i = 0; i < cells; i++) work->edge_cells[i].key = 0;
    work->mask = cells - 1;
}

FN void contour_add(RegionWork *work, const RegionSegment *segment) {
    if (work->segment_count < work->room.segments) work->segments[work->segment_count] = *segment;
    work->segment_count++;
}

/// The segment that starts where each ends; counts those without. A name is the start of one segment and the end of one
/// other, since an edge leads into the plane of a triangle in one of its own triangles and out in the other.
FN void contour_join(RegionWork *work) {
    contour_clear_cells(work);
    work->open_count = 0;
    for (u32 i = 0; i < work->segment_count; i++) {
        u32 at = contour_cell(work->edge_cells, work->mask, work->segments[i].from);
        work->segments[i].is_start = 1;
        if (work->edge_cells[at].key != 0) { // never in closed meshes
            work->open_count++;
            continue;
        }
        work->edge_cells[at].key = work->segments[i].from;
        work->edge_cells[at].value = i;
    }
    for (u32 i = 0; i < work->segment_count; i++) {
        GLOBAL const RegionCell *cell =
            &work->edge_cells[contour_cell(work->edge_cells, work->mask, work->segments[i].to)];
        if (cell->key == 0 || !work->segments[cell->value].is_start) {
            work->open_count++;
            continue;
        }
        work->segments[i].next = cell->value;
        work->segments[cell->value].is_start = 0;
    }
}

/// Is twice the area of a loop more than what the rounding of places makes of one? A contour that is narrower has none.
FN_ONCE u32 contour_is_wide(const RegionWork *work, GLOBAL const RegionLoop *loop, Vec3 twice_m2, real rounding_m) {
    Vec3 origin = work->segments[loop->first].from_m;
    real reach_m = 0.0;
    u32 at = loop->first;
    for (u32 i = 0; i < loop->count; i++) {
        reach_m = real_max(reach_m, vec3_max_abs(vec3_sub(work->segments[at].to_m, origin)));
        at = work->segments[at].next;
    }
    return vec3_max_abs(twice_m2) > rounding_m * reach_m ? 1u : 0u;
}

/// One contour, from a segment on, as the next loop. An area above sure_m2 need not be compared with the contour.
FN void contour_walk(RegionWork *work, u32 first, u32 is_open, real rounding_m, real sure_m2) {
    GLOBAL RegionLoop *loop = &work->loops[work->loop_count];
    Vec3 origin = work->segments[first].from_m, area = vec3_zero();
    u32 count = 0, at = first;
    while (at != NONE && work->segments[at].loop == NONE) {
        GLOBAL RegionSegment *segment = &work->segments[at];
        segment->loop = work->loop_count;
        area = vec3_add(area, vec3_cross(vec3_sub(segment->from_m, origin), vec3_sub(segment->to_m, origin)));
        at = segment->next;
        count++;
    }
    loop->area_m2 = vec3_scale(area, 0.5);
    loop->first = first;
    loop->count = count;
    loop->parent = work->loop_count;
    loop->is_open = is_open;
    if (!(vec3_max_abs(area) > sure_m2) && !contour_is_wide(work, loop, area, rounding_m)) loop->area_m2 = vec3_zero();
    work->loop_count++;
}

/// All contours: open ones from their starts, then those that close.
FN void contour_find_loops(RegionWork *work, const MeshPair *pair) {
    real rounding_m = pair->rounding_m, sure_m2 = 2.0 * rounding_m * (pair->first.longest_m + pair->second.longest_m);
    work->loop_count = 0;
    for (u32 i = 0; work->open_count > 0 && i < work->segment_count; i++)
        if (work->segments[i].is_start) contour_walk(work, i, 1, rounding_m, sure_m2);
    for (u32 i = 0; i < work->segment_count; i++)
        if (work->segments[i].loop == NONE) contour_walk(work, i, 0, rounding_m, sure_m2);
}

// --- regions: loops with a common lowest one --------------------------------------------------------------

FN u32 contour_root(const RegionWork *work, u32 loop) {
    while (work->loops[loop].parent != loop) loop = work->loops[loop].parent;
    return loop;
}

FN void contour_unite(RegionWork *work, u32 a, u32 b) {
    u32 root_a = contour_root(work, a), root_b = contour_root(work, b);
    u32 low = u32_min(root_a, root_b);
    work->loops[root_a].parent = low;
    work->loops[root_b].parent = low;
}

/// Has one of a region's loops an area? Then the region is reported.
FN u32 contour_has_area(const RegionWork *work, u32 loop) {
    u32 root = contour_root(work, loop);
    for (u32 i = 0; i < work->loop_count; i++)
        if (contour_root(work, i) == root && vec3_max_abs(COPY(work->loops[i].area_m2)) > 0.0) return 1;
    return 0;
}

#endif
