// All contact regions of two surfaces in one pose.
#ifndef CLACK_REGIONS_REGION_QUERY_H
#define CLACK_REGIONS_REGION_QUERY_H

#include "regions/region_volume.h"
#include "regions/near_pairs.h"
#include "regions/tree_pairs.h"

FN void query_begin(RegionWork *work) {
    work->segment_count = 0;
    work->loop_count = 0;
    work->inside_count = 0;
    work->odd_count = 0;
    work->open_count = 0;
    work->tied_count = 0;
}

FN void query_take(RegionWork *work, const RegionSegment *segment, u32 outcome) {
    if (outcome == CROSSING_SEGMENT) contour_add(work, segment);
    if (outcome == CROSSING_ODD) work->odd_count++;
}

/// The segment of a triangle of the first and one of the second.
FN void query_triangles(RegionWork *work, const MeshPair *pair, const PlacedTriangle *one, const NearBox *about, u32 i,
                        u32 k) {
    RegionSegment segment;
    PlacedTriangle other = mesh_pair_triangle(pair, 1, k);
    NearBox beside = near_box(&other);
    if (!near_boxes_overlap(about, &beside)) return;
    mesh_pair_set_normal(&other);
    query_take(work, &segment, crossing_find(one, &other, i, k, &segment));
}

/// The segments of two leaves.
FN void query_leaves(RegionWork *work, const MeshPair *pair, u32 leaf_first, u32 leaf_second) {
    GLOBAL const MeshNode *a = &pair->first.nodes[leaf_first], *b = &pair->second.nodes[leaf_second];
    NearBox all = near_node_box(b);
    for (u32 i = a->first; i < a->first + a->count; i++) {
        PlacedTriangle one = mesh_pair_triangle(pair, 0, i);
        NearBox about = near_box(&one);
        if (!near_boxes_overlap(&about, &all)) continue;
        mesh_pair_set_normal(&one);
        for (u32 k = b->first; k < b->first + b->count; k++) query_triangles(work, pair, &one, &about, i, k);
    }
}

FN void query_plane_triangle(RegionWork *work, const MeshPair *pair, u32 i) {
    RegionSegment segment;
    PlacedTriangle one = mesh_pair_triangle(pair, 0, i);
    query_take(work, &segment, crossing_find_plane(&one, i, &segment));
}

FN void query_find_plane(RegionWork *work, const MeshPair *pair) {
    u32 node = 0, leaf;
    while ((leaf = tree_plane_next(pair, 0.0, &node)) != NONE) {
        GLOBAL const MeshNode *at = &pair->first.nodes[leaf];
        for (u32 i = at->first; i < at->first + at->count; i++) query_plane_triangle(work, pair, i);
    }
}

/// The segments of the triangles that are listed.
FN void query_find_listed(RegionWork *work, const MeshPair *pair) {
    PlacedTriangle one;
    NearBox about;
    u32 last = NONE;
    for (u32 n = 0; n < work->near->count; n++) {
        u32 i = work->near_pairs[2 * n], k = work->near_pairs[2 * n + 1];
        if (pair->is_plane) {
            query_plane_triangle(work, pair, i);
            continue;
        }
        if (i != last) {
            one = mesh_pair_triangle(pair, 0, i);
            about = near_box(&one);
            mesh_pair_set_normal(&one);
            last = i;
        }
        query_triangles(work, pair, &one, &about, i, k);
    }
}

FN void query_find_segments(RegionWork *work, const MeshPair *pair) {
    query_begin(work);
    if (work->near_room > 0 && near_prepare(work, pair)) {
        query_find_listed(work, pair);
        return;
    }
    if (pair->is_plane) {
        query_find_plane(work, pair);
        return;
    }
    TreePairs walk;
    tree_pairs_begin(&walk, pair, 0.0);
    u32 first, second;
    while (tree_pairs_next(&walk, pair, &first, &second)) query_leaves(work, pair, first, second);
}

/// The regions of a pair are listed: regions found, by their lowest loops. The pair is taken as it is at first, then
/// moved a little where contours do not close or what is inside is not clear; *out_flags REGION_JITTERED. `posed`
/// becomes the pair that they are of. 0: there was no room, and the counts of work say for what.
FN u32 query_run(RegionWork *work, const MeshPair *pair, MeshPair *posed, u32 *out_flags) {
    for (u32 number = 0; number <= REGION_JITTERS; number++) {
        *posed = mesh_pair_jitter(pair, number);
        *out_flags = number > 0 ? REGION_JITTERED : 0u;
        query_find_segments(work, posed);
        if (work->segment_count > work->room.segments) return 0;
        contour_join(work);
        inside_list_edges(work);
        u32 is_closed = work->odd_count == 0 && work->open_count == 0 ? 1u : 0u;
        if (!is_closed && number < REGION_JITTERS) continue;
        contour_find_loops(work, posed);
        if (!inside_flood(work, posed, number > 0 ? 1u : 0u)) return 0;
        if (is_closed && work->tied_count == 0) break;
    }
    work->odd_count += work->tied_count;
    return 1;
}

// A walk over the regions of a query that has been run.
typedef struct QueryWalk {
    u32 loop;            // next one
    u32 split;           // root of a pierced region whose loops come one by one; NONE
    RegionChoice choice; // segments of the region that came last
} QueryWalk;

FN QueryWalk query_walk(void) {
    QueryWalk walk;
    walk.loop = 0;
    walk.split = NONE;
    walk.choice.root = NONE;
    walk.choice.only_loop = NONE;
    return walk;
}

FN u32 query_flags(const RegionWork *work, const MeshPair *pair, RegionChoice choice, const RegionShape *shape) {
    u32 flags = shape->is_open || work->odd_count > 0 ? REGION_OPEN_CONTOUR : 0u;
    if (choice.only_loop != NONE) flags |= REGION_PIERCED;
    return flags | (region_is_coarse(work, pair, choice, shape) ? REGION_COARSE_MESH : 0u);
}

/// Are volumes wanted? They distinguish contours of cavities from those of components.
FN_SHORT u32 query_weighs(const RegionWork *work, const MeshPair *pair) {
    if (!work->skips_volume) return 1;
    return pair->first.part_count > 1 || (!pair->is_plane && pair->second.part_count > 1) ? 1u : 0u;
}

/// The next region that has an area; 0: there are no more. Pierced ones come loop by loop, after each other.
FN u32 query_next(QueryWalk *walk, const RegionWork *work, const MeshPair *pair, RegionShape *out, u32 *out_flags) {
    while (walk->loop < work->loop_count) {
        u32 loop = walk->loop++;
        RegionChoice choice;
        choice.root = walk->split == NONE ? loop : walk->split;
        choice.only_loop = walk->split == NONE ? NONE : loop;
        u32 is_here = contour_root(work, loop) == choice.root ? 1u : 0u;
        u32 is_measured = is_here && region_measure(work, pair, choice, out) ? 1u : 0u;
        if (walk->split == NONE && is_here && region_is_pierced(out)) {
            walk->split = loop;
            walk->loop = loop; // once more
            continue;
        }
        if (walk->split != NONE && walk->loop == work->loop_count) { // the split one is through
            walk->loop = walk->split + 1;
            walk->split = NONE;
        }
        if (!is_measured) continue;
        walk->choice = choice;
        *out_flags = query_flags(work, pair, choice, out);
        // Where a contour is open, which vertices lie inside is not known either.
        out->volume_m3 = region_not_a_number();
        out->middle_m = out->centroid_m;
        if (!(*out_flags & REGION_OPEN_CONTOUR) && query_weighs(work, pair)) {
            region_weigh(work, pair, choice, out);
            if (region_is_hole(pair, out)) *out_flags |= REGION_HOLE;
        }
        return 1;
    }
    return 0;
}

#endif
