// Pairs of triangles that may cross before one surface has moved by a margin against the other: listed by the trees
// once, and used by all queries until then. Scenes that are stepped keep such a list for each pair of surfaces.
#ifndef CLACK_REGIONS_NEAR_PAIRS_H
#define CLACK_REGIONS_NEAR_PAIRS_H

#include "regions/contour.h"
#include "regions/tree_pairs.h"

// A list is made for about so many queries at the speed of the last ones; its margin lies between these shares of the
// finer mesh's mean edge, which is EDGE of its longest side over the root of its number of triangles (that of a ball of
// equilateral triangles).
#define NEAR_USES 6.0
#define NEAR_LEAST 0.002
#define NEAR_MOST 1.0
#define NEAR_EDGE 2.7

// A box about a triangle.
typedef struct NearBox {
    Vec3 low, high;
} NearBox;

FN_SHORT Vec3 near_least(Vec3 a, Vec3 b) {
    return vec3_make(real_min(a.x, b.x), real_min(a.y, b.y), real_min(a.z, b.z));
}
FN_SHORT Vec3 near_greatest(Vec3 a, Vec3 b) {
    return vec3_make(real_max(a.x, b.x), real_max(a.y, b.y), real_max(a.z, b.z));
}
FN_SHORT NearBox near_box(const PlacedTriangle *triangle) {
    NearBox box;
    box.low = near_least(near_least(COPY(triangle->corners_m[0]), COPY(triangle->corners_m[1])),
                         COPY(triangle->corners_m[2]));
    box.high = near_greatest(near_greatest(COPY(triangle->corners_m[0]), COPY(triangle->corners_m[1])),
                             COPY(triangle->corners_m[2]));
    return box;
}
FN_SHORT u32 near_boxes_overlap(const NearBox *a, const NearBox *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
                   a->low.z <= b->high.z && b->low.z <= a->high.z
               ? 1u
               : 0u;
}

FN_SHORT NearBox near_node_box(GLOBAL const MeshNode *node) {
    NearBox box;
    box.low = vec3_make((real)node->low[0], (real)node->low[1], (real)node->low[2]);
    box.high = vec3_make((real)node->high[0], (real)node->high[1], (real)node->high[2]);
    return box;
}

/// How far a point of the first may have moved against the second since the pairs were listed, m.
FN real near_moved(GLOBAL const RegionNear *near, const MeshPair *pair) {
    GLOBAL const MeshNode *root = pair->first.nodes;
    Vec3 centre = tree_centre_m(root);
    Vec3 x = vec3_sub(pair->turn.x, near->turn.x), y = vec3_sub(pair->turn.y, near->turn.y),
         z = vec3_sub(pair->turn.z, near->turn.z);
    Vec3 shift = vec3_make(vec3_dot(x, centre), vec3_dot(y, centre), vec3_dot(z, centre));
    real turned = real_sqrt(vec3_dot(x, x) + vec3_dot(y, y) + vec3_dot(z, z)); // bounds the rotation's norm
    return vec3_length(vec3_add(vec3_sub(pair->place_m, near->place_m), shift)) +
           turned * vec3_length(tree_half_m(root));
}

FN_SHORT real near_edge(const MeshView *mesh) {
    return NEAR_EDGE * mesh->longest_m / real_sqrt((real)mesh->triangle_count);
}

FN_SHORT void near_add(RegionWork *work, u32 first, u32 second) {
    if (work->near->count == NONE) return;
    if (work->near->count == work->near_room) {
        work->near->count = NONE;
        return;
    }
    work->near_pairs[2 * work->near->count] = first;
    work->near_pairs[2 * work->near->count + 1] = second;
    work->near->count++;
}

FN NearBox near_widen(NearBox box, real margin_m) {
    Vec3 by = vec3_make(margin_m, margin_m, margin_m);
    box.low = vec3_sub(box.low, by);
    box.high = vec3_add(box.high, by);
    return box;
}

/// Do all corners of a triangle lie on one side of another's plane, farther from it than the margin? Both have normals.
FN u32 near_is_aside(const PlacedTriangle *one, const PlacedTriangle *other, real margin_m) {
    real reach = margin_m * vec3_length(other->normal), low = REAL_HUGE, high = 0.0 - REAL_HUGE;
    for (u32 k = 0; k < 3; k++) {
        real height = vec3_dot(other->normal, vec3_sub(one->corners_m[k], other->corners_m[0]));
        low = real_min(low, height);
        high = real_max(high, height);
    }
    return low > reach || high < 0.0 - reach ? 1u : 0u;
}

/// The pairs of two leaves.
FN void near_add_leaves(RegionWork *work, const MeshPair *pair, u32 leaf_first, u32 leaf_second) {
    GLOBAL const MeshNode *a = &pair->first.nodes[leaf_first], *b = &pair->second.nodes[leaf_second];
    NearBox all = near_node_box(b);
    for (u32 i = a->first; i < a->first + a->count; i++) {
        PlacedTriangle one = mesh_pair_triangle(pair, 0, i);
        NearBox about = near_widen(near_box(&one), work->near->margin_m);
        if (!near_boxes_overlap(&about, &all)) continue;
        mesh_pair_set_normal(&one);
        for (u32 k = b->first; k < b->first + b->count; k++) {
            PlacedTriangle other = mesh_pair_triangle(pair, 1, k);
            NearBox beside = near_box(&other);
            if (!near_boxes_overlap(&about, &beside)) continue;
            mesh_pair_set_normal(&other);
            real margin_m = (1.0 + TREE_ROUNDING) * work->near->margin_m;
            if (near_is_aside(&one, &other, margin_m) || near_is_aside(&other, &one, margin_m)) continue;
            near_add(work, i, k);
        }
    }
}

FN void near_add_plane(RegionWork *work, const MeshPair *pair) {
    u32 node = 0, leaf;
    while ((leaf = tree_plane_next(pair, work->near->margin_m, &node)) != NONE) {
        GLOBAL const MeshNode *at = &pair->first.nodes[leaf];
        for (u32 i = at->first; i < at->first + at->count; i++) {
            PlacedTriangle one = mesh_pair_triangle(pair, 0, i);
            NearBox about = near_widen(near_box(&one), work->near->margin_m);
            if (about.low.z <= 0.0 && about.high.z >= 0.0) near_add(work, i, NONE);
        }
    }
}

/// List the pairs of a pose, for motion as fast as `pace_m` from one query to the next.
FN_ONCE void near_list(RegionWork *work, const MeshPair *pair, real pace_m) {
    GLOBAL RegionNear *near = work->near;
    real edge = near_edge(&pair->first);
    if (!pair->is_plane) edge = real_min(edge, near_edge(&pair->second));
    near->margin_m = real_clamp(NEAR_USES * pace_m, NEAR_LEAST * edge, NEAR_MOST * edge);
    near->turn = pair->turn;
    near->place_m = pair->place_m;
    near->count = near->uses = 0;
    if (pair->is_plane) {
        near_add_plane(work, pair);
        return;
    }
    TreePairs walk;
    tree_pairs_begin(&walk, pair, near->margin_m);
    u32 first, second;
    while (near->count != NONE && tree_pairs_next(&walk, pair, &first, &second))
        near_add_leaves(work, pair, first, second);
}

/// Is there a list for this pose? It is made where there is none, or the surfaces have moved too far. 0: the pairs have
/// no room.
FN u32 near_prepare(RegionWork *work, const MeshPair *pair) {
    GLOBAL RegionNear *near = work->near;
    real moved = near->margin_m > 0.0 ? near_moved(near, pair) : 0.0;
    if (!(near->margin_m > 0.0) || moved > near->margin_m)
        near_list(work, pair, near->uses > 0 ? moved / (real)near->uses : 0.0);
    near->uses++;
    return near->count != NONE ? 1u : 0u;
}

#endif
