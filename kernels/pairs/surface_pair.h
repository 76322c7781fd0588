// Two shapes with contact regions in the poses of their bodies, as the functions of regions/ take them, and the way
// back.
#ifndef CLACK_PAIRS_SURFACE_PAIR_H
#define CLACK_PAIRS_SURFACE_PAIR_H

#include "pairs/pair_kinematics.h"
#include "regions/region_query.h"

// A pair of shapes, placed.
typedef struct SurfacePair {
    MeshPair pair;
    Mat3 turn;      // frame of the second to world
    Vec3 place_m;   // its origin, world
    u32 is_swapped; // shape_b is the first
} SurfacePair;

/// Have two shapes contact regions: two meshes, or one and a half-space?
FN_SHORT u32 surface_is_pair(GLOBAL const Shape *a, GLOBAL const Shape *b) {
    u32 mesh_a = kind_is(a->kind, SHAPE_MESH), mesh_b = kind_is(b->kind, SHAPE_MESH);
    u32 plane_a = kind_is(a->kind, SHAPE_HALF_SPACE), plane_b = kind_is(b->kind, SHAPE_HALF_SPACE);
    return (mesh_a & (mesh_b | plane_b)) | (mesh_b & plane_a);
}

/// The smaller mesh is the first, so that most of the work is done in the frame of the larger one; a mesh before a
/// plane.
FN u32 surface_is_swapped(const MeshTables *tables, GLOBAL const Shape *a, GLOBAL const Shape *b) {
    if (a->kind != SHAPE_MESH || b->kind != SHAPE_MESH) return a->kind == SHAPE_MESH ? 0u : 1u;
    return tables->heads[b->hull_first].triangle_count < tables->heads[a->hull_first].triangle_count ? 1u : 0u;
}

/// Both shapes with their bodies in these states.
FN SurfacePair surface_pair(const SceneView *view, const MeshTables *tables, u32 shape_a, u32 shape_b,
                            GLOBAL const BodyState *state_a, GLOBAL const BodyState *state_b) {
    GLOBAL const Shape *a = &view->shapes[shape_a], *b = &view->shapes[shape_b];
    SurfacePair out;
    PlacedPair placed = pair_place_both(view, shape_a, shape_b, state_a, state_b);
    out.is_swapped = surface_is_swapped(tables, a, b);
    PlacedShape first = out.is_swapped ? placed.b : placed.a, second = out.is_swapped ? placed.a : placed.b;
    GLOBAL const Shape *of_first = out.is_swapped ? b : a, *of_second = out.is_swapped ? a : b;
    Vec3 to_first_m = out.is_swapped ? placed.offset_m : vec3_negate(placed.offset_m); // from the second
    out.pair.is_plane = of_second->kind == SHAPE_MESH ? 0u : 1u;
    out.pair.first = mesh_view(tables, of_first->hull_first);
    out.pair.second = out.pair.is_plane ? out.pair.first : mesh_view(tables, of_second->hull_first);
    out.pair.turn = mat3_between(first.turn, second.turn);
    out.pair.place_m = mat3_rotate_back(second.turn, to_first_m);
    out.turn = second.turn;
    out.place_m = vec3_add((out.is_swapped ? state_a : state_b)->position_m, second.arm_m);
    return out;
}

/// Of a region, from first to second, the normal from A to B in world axes.
FN_SHORT Vec3 surface_normal(const SurfacePair *posed, Vec3 normal) {
    Vec3 turned = mat3_rotate(posed->turn, normal);
    return posed->is_swapped ? vec3_negate(turned) : turned;
}

#endif
