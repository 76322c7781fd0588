// Pairs of leaves of two trees whose boxes meet, without recursion; leaves whose boxes meet a plane or a given box.
#ifndef CLACK_REGIONS_TREE_PAIRS_H
#define CLACK_REGIONS_TREE_PAIRS_H

#include "regions/mesh_pair.h"

// A pair waits for each level of both trees, which halve: up to 2^32 triangles in leaves of four.
#define TREE_WAITING_MAX 64u
#define TREE_ROUNDING 1.0e-12 // of the sizes: by so much boxes are wider, above the error of placing them

typedef struct TreePairs { // where a walk stands
    u32 first[TREE_WAITING_MAX], second[TREE_WAITING_MAX];
    u32 waiting;
    Mat3 wide; // absolute values of the rotation, rounding allowed for
    real spare_m;
} TreePairs;

FN_SHORT real tree_wide(real component) { return real_abs(component) + TREE_ROUNDING; }
FN_SHORT Vec3 tree_wide_row(Vec3 row) { return vec3_make(tree_wide(row.x), tree_wide(row.y), tree_wide(row.z)); }

/// margin_m: how near boxes that count as meeting come.
FN void tree_pairs_begin(TreePairs *walk, const MeshPair *pair, real margin_m) {
    walk->first[0] = 0;
    walk->second[0] = 0;
    walk->waiting = 1;
    walk->wide.x = tree_wide_row(COPY(pair->turn.x));
    walk->wide.y = tree_wide_row(COPY(pair->turn.y));
    walk->wide.z = tree_wide_row(COPY(pair->turn.z));
    walk->spare_m =
        margin_m + TREE_ROUNDING * (pair->first.longest_m + pair->second.longest_m + vec3_max_abs(pair->place_m));
}

FN_SHORT Vec3 tree_half_m(GLOBAL const MeshNode *node) {
    return vec3_make(0.5 * ((real)node->high[0] - (real)node->low[0]), 0.5 * ((real)node->high[1] - (real)node->low[1]),
                     0.5 * ((real)node->high[2] - (real)node->low[2]));
}
FN_SHORT Vec3 tree_centre_m(GLOBAL const MeshNode *node) {
    return vec3_make(0.5 * ((real)node->high[0] + (real)node->low[0]), 0.5 * ((real)node->high[1] + (real)node->low[1]),
                     0.5 * ((real)node->high[2] + (real)node->low[2]));
}

FN_SHORT u32 tree_is_within(Vec3 distance, Vec3 reach) {
    return real_abs(distance.x) <= reach.x && real_abs(distance.y) <= reach.y && real_abs(distance.z) <= reach.z ? 1u
                                                                                                                 : 0u;
}

// May two boxes meet? By the axes of both; axes across two edges would reject few more.
FN u32 tree_boxes_overlap(const TreePairs *walk, const MeshPair *pair, GLOBAL const MeshNode *a,
                          GLOBAL const MeshNode *b) {
    Vec3 half_a = tree_half_m(a), half_b = tree_half_m(b),
         spare = vec3_make(walk->spare_m, walk->spare_m, walk->spare_m);
    Vec3 between = vec3_sub(mesh_pair_place(pair, tree_centre_m(a)), tree_centre_m(b));
    Vec3 reach = vec3_add(vec3_add(half_b, mat3_rotate(walk->wide, half_a)), spare);
    if (!tree_is_within(between, reach)) return 0;
    reach = vec3_add(vec3_add(half_a, mat3_rotate_back(walk->wide, half_b)), spare);
    return tree_is_within(mat3_rotate_back(pair->turn, between), reach);
}

FN_SHORT void tree_push(TreePairs *walk, u32 first, u32 second) {
    walk->first[walk->waiting] = first;
    walk->second[walk->waiting] = second;
    walk->waiting++;
}

/// The next two leaves whose boxes meet; 0: there are no more. Each pair of leaves comes once.
FN u32 tree_pairs_next(TreePairs *walk, const MeshPair *pair, u32 *out_first, u32 *out_second) {
    while (walk->waiting > 0) {
        u32 first = walk->first[--walk->waiting], second = walk->second[walk->waiting];
        GLOBAL const MeshNode *a = &pair->first.nodes[first], *b = &pair->second.nodes[second];
        if (!tree_boxes_overlap(walk, pair, a, b)) continue;
        if (a->count > 0 && b->count > 0) {
            *out_first = first;
            *out_second = second;
            return 1;
        }
        // The larger box is opened, or the one that can be.
        u32 opens_second = a->count > 0 ? 1u : 0u;
        if (a->count == 0 && b->count == 0)
            opens_second = vec3_max_abs(tree_half_m(b)) > vec3_max_abs(tree_half_m(a)) ? 1u : 0u;
        if (opens_second) {
            tree_push(walk, first, pair->second.nodes[second + 1].escape);
            tree_push(walk, first, second + 1);
        } else {
            tree_push(walk, pair->first.nodes[first + 1].escape, second);
            tree_push(walk, first + 1, second);
        }
    }
    return 0;
}

/// The next leaf of the first, from *node on, whose box comes to margin_m of the plane z = 0; *node is the one after it
/// then. NONE: there are no more.
FN u32 tree_plane_next(const MeshPair *pair, real margin_m, u32 *node) {
    real spare_m = margin_m + TREE_ROUNDING * (pair->first.longest_m + vec3_max_abs(pair->place_m));
    Vec3 wide = tree_wide_row(COPY(pair->turn.z));
    while (*node < pair->first.node_count) {
        GLOBAL const MeshNode *at = &pair->first.nodes[*node];
        real height_m = pair->place_m.z + vec3_dot(pair->turn.z, tree_centre_m(at));
        u32 here = *node, is_met = real_abs(height_m) <= vec3_dot(wide, tree_half_m(at)) + spare_m ? 1u : 0u;
        *node = is_met && at->count == 0 ? here + 1 : at->escape;
        if (is_met && at->count > 0) return here;
    }
    return NONE;
}

/// Does the box about a mesh hold a point in its frame?
FN u32 tree_holds_point(const MeshView *mesh, Vec3 point, real margin_m) {
    Vec3 half_m = vec3_add(tree_half_m(mesh->nodes), vec3_make(margin_m, margin_m, margin_m));
    return tree_is_within(vec3_sub(point, tree_centre_m(mesh->nodes)), half_m);
}

/// The next leaf of a mesh's own tree, as above, whose box meets a box in its frame.
FN u32 tree_box_next(const MeshView *mesh, Vec3 low, Vec3 high, u32 *node) {
    while (*node < mesh->node_count) {
        GLOBAL const MeshNode *at = &mesh->nodes[*node];
        u32 here = *node;
        u32 is_met = (real)at->low[0] <= high.x && low.x <= (real)at->high[0] && (real)at->low[1] <= high.y &&
                             low.y <= (real)at->high[1] && (real)at->low[2] <= high.z && low.z <= (real)at->high[2]
                         ? 1u
                         : 0u;
        *node = is_met && at->count == 0 ? here + 1 : at->escape;
        if (is_met && at->count > 0) return here;
    }
    return NONE;
}

#endif
