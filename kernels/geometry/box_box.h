// Two blocks (boxes, segments, points) in closed form, once the touching features are known: a vertex and a face, two
// edges, a vertex and an edge, two vertices. In world axes, each point relative to the origin of its own block.
//
// The proof is short: the points lie on the cores, by construction or by a comparison, each is farthest along the
// normal, and their difference has no part across it. For cores that are apart that is the only answer. The features
// come from an earlier query (warm start), from the least axis or from the search for nearest points; the answer has
// the same bits whichever of these it is.
//
// The time is that of the longest chain of dependent operations: roots and divisions run beside the search for
// vertices, which needs only the direction of the normal.
// Tested: tests/kernels/geometry/test_box_box.cc.
#ifndef CLACK_GEOMETRY_BOX_BOX_H
#define CLACK_GEOMETRY_BOX_BOX_H

#include "geometry/contact_patch.h"
#include "geometry/core_pair.h"
#include "geometry/feature.h"
#include "geometry/gjk.h"
#include "geometry/least_axis.h"
#include "geometry/mpr_contact.h"
#include "geometry/shape.h"

#define BLOCKS_GAP 1.0e-16 // of the sizes: allowed difference of the bounds beside the stated rounding
#define BLOCKS_CLEAR_SQUARE                                                                                            \
    1.0e-4 // square of the sine between two edges above which rounding leaves nothing relevant across their normal

typedef struct Block {
    Vec3 half_m;      // of its core
    real ball_m;      // radius of the ball added to it
    const Mat3 *turn; // to the world
} Block;

typedef struct Blocks { // two shapes that are blocks
    Block a, b;
    Vec3 offset;  // from A to B
    real sizes_m; // sum of both sizes
    real size_m;  // the same and their distance: what rounding is relative to
} Blocks;

typedef struct BlockFeatures { // features that may touch
    u32 edges_a, edges_b;      // bits of axes of the edges
    u32 code_a, code_b;        // vertex or end of the edge where the normal does not decide it: as of CoreSupport
} BlockFeatures;

typedef struct BlockContact {
    Vec3 n;          // from A to B
    Vec3 a, b;       // points of the cores
    real distance_m; // of the cores
    real gap_m;      // between the bounds
    u32 is_point;    // they touch in a point, as patch_shift decides it
} BlockContact;

FN_SHORT void box_make(GLOBAL const Shape *shape, const Mat3 *turn, Block *block) {
    block->half_m = shape_core_half_m(shape);
    block->ball_m = shape_ball_radius(shape);
    block->turn = turn;
}

FN_SHORT void box_box_make(GLOBAL const Shape *a, const Mat3 *turn_a, GLOBAL const Shape *b, const Mat3 *turn_b,
                           Vec3 offset, Blocks *blocks) {
    box_make(a, turn_a, &blocks->a);
    box_make(b, turn_b, &blocks->b);
    blocks->offset = offset;
    blocks->sizes_m =
        (vec3_length(blocks->a.half_m) + blocks->a.ball_m) + (vec3_length(blocks->b.half_m) + blocks->b.ball_m);
    blocks->size_m = blocks->sizes_m + vec3_max_abs(offset);
}

FN_SHORT u32 box_code(Vec3 u) { return (u.x < 0.0 ? 1u : 0u) | (u.y < 0.0 ? 2u : 0u) | (u.z < 0.0 ? 4u : 0u); }

/// The vertex farthest along u; along axes in `edges` the middle.
FN_SHORT Vec3 box_corner(Vec3 half_m, Vec3 u, u32 edges) {
    return vec3_make((edges & 1u) != 0 ? 0.0 : half_m.x * shape_sign(u.x),
                     (edges & 2u) != 0 ? 0.0 : half_m.y * shape_sign(u.y),
                     (edges & 4u) != 0 ? 0.0 : half_m.z * shape_sign(u.z));
}

/// Least and second least sine of the tilts of a block's edges.
FN_SHORT real box_least_tilt(Vec3 u) { return real_min(real_min(real_abs(u.x), real_abs(u.y)), real_abs(u.z)); }
FN_SHORT real box_second_tilt(Vec3 u) {
    real x = real_abs(u.x), y = real_abs(u.y);
    return real_max(real_min(x, y), real_min(real_max(x, y), real_abs(u.z)));
}

/// Distance by which a point at `along_m` lies beyond the end of an edge or face of half length `half_m`, m; < 0
/// within.
FN_SHORT real box_beyond(real along_m, real half_m) { return real_abs(along_m) - half_m; }

// Rounding may place points that far beyond, along two axes; the gap states it.
FN_SHORT u32 box_is_on(BlockContact *touch, real first_m, real second_m, real half_m) {
    touch->gap_m = real_max(first_m, 0.0) + real_max(second_m, 0.0);
    return real_max(first_m, second_m) <= FEATURE_BEYOND * half_m ? 1u : 0u;
}

/// A vertex and a face of A or B (`is_of_a`), whose normal is this axis.
FN u32 box_box_face(const Blocks *blocks, u32 is_of_a, u32 axis, BlockContact *touch) {
    const Block *face = is_of_a != 0 ? &blocks->a : &blocks->b, *other = is_of_a != 0 ? &blocks->b : &blocks->a;
    Vec3 to_other = vec3_scale(blocks->offset, is_of_a != 0 ? 1.0 : -1.0);
    Vec3 out = mat3_column(*face->turn, axis), half_m = face->half_m;
    out = vec3_scale(out, vec3_dot(out, to_other) < 0.0 ? -1.0 : 1.0);
    Vec3 in_other = mat3_rotate_back(*other->turn, out);
    Vec3 corner = mat3_rotate(*other->turn, box_corner(COPY(other->half_m), vec3_negate(in_other), 0));
    Vec3 from_face = vec3_add(corner, to_other), at = mat3_rotate_back(*face->turn, from_face);
    touch->distance_m = vec3_dot(from_face, out) - vec3_component(half_m, axis);
    Vec3 foot = vec3_add_scaled(from_face, out, 0.0 - touch->distance_m);
    touch->n = vec3_scale(out, is_of_a != 0 ? 1.0 : -1.0);
    touch->a = is_of_a != 0 ? foot : corner;
    touch->b = is_of_a != 0 ? corner : foot;
    touch->is_point = box_least_tilt(in_other) >= PATCH_TILT ? 1u : 0u;
    real x = box_beyond(at.x, half_m.x), y = box_beyond(at.y, half_m.y), z = box_beyond(at.z, half_m.z);
    return box_is_on(touch, axis == 0 ? y : x, axis == 2u ? y : z, real_min(half_m.x, real_min(half_m.y, half_m.z)));
}

/// Two edges along these axes; the normal is their common perpendicular.
FN u32 box_box_edges(const Blocks *blocks, u32 axis_a, u32 axis_b, BlockContact *touch) {
    const Mat3 *turn_a = blocks->a.turn, *turn_b = blocks->b.turn;
    Vec3 along_a = mat3_column(*turn_a, axis_a), along_b = mat3_column(*turn_b, axis_b),
         cross = vec3_cross_close(along_a, along_b);
    real half_a = vec3_component(blocks->a.half_m, axis_a), half_b = vec3_component(blocks->b.half_m, axis_b);
    real square = vec3_dot(cross, cross), size = blocks->size_m;
    if (!(square > FEATURE_PARALLEL * FEATURE_PARALLEL)) return 0;
    // Root and divisions run while the vertices are found, which need only the direction of the normal.
    real sine = real_sqrt(square), per_sine = 1.0 / sine, inverse = per_sine * per_sine;
    Vec3 to_a = vec3_scale(vec3_cross(along_b, cross), inverse), to_b = vec3_scale(vec3_cross(along_a, cross), inverse);
    cross = vec3_scale(cross, vec3_dot(cross, blocks->offset) < 0.0 ? -1.0 : 1.0);
    Vec3 n = vec3_scale(cross, per_sine), in_a = mat3_rotate_back(*turn_a, cross),
         in_b = mat3_rotate_back(*turn_b, cross);
    Vec3 middle_a = mat3_rotate(*turn_a, box_corner(COPY(blocks->a.half_m), in_a, 1u << axis_a));
    Vec3 middle_b = mat3_rotate(*turn_b, box_corner(COPY(blocks->b.half_m), vec3_negate(in_b), 1u << axis_b));
    Vec3 apart = vec3_sub(vec3_add(blocks->offset, middle_b), middle_a);
    real distance_m = vec3_dot(apart, n), on_a = vec3_dot(apart, to_a), on_b = vec3_dot(apart, to_b);
    touch->n = n;
    touch->distance_m = distance_m;
    touch->a = vec3_add_scaled(middle_a, along_a, on_a);
    touch->b = vec3_add_scaled(middle_b, along_b, on_b);
    if (!(square > BLOCKS_CLEAR_SQUARE &&
          distance_m > GJK_CORES_APART * size)) { // else rounding cannot leave as much across the normal
        Vec3 left = vec3_add_scaled(vec3_sub(vec3_add(blocks->offset, touch->b), touch->a), n, 0.0 - distance_m);
        real most = FEATURE_STATIONARY * FEATURE_STATIONARY * size;
        if (distance_m > 0.0) most = real_min(most, BLOCKS_GAP * distance_m);
        if (!(vec3_dot(left, left) <= most * size)) return 0;
    }
    real shorter = real_min(half_a, half_b), width = 2.0 * PATCH_TILT * distance_m; // as of patch_is_crossing
    real tilt = real_min(box_second_tilt(in_a), box_second_tilt(in_b));
    touch->is_point = (square * shorter > width ? 1u : 0u) & (tilt >= PATCH_TILT * sine ? 1u : 0u);
    return box_is_on(touch, box_beyond(on_a, half_a), box_beyond(on_b, half_b), shorter);
}

// The vertex of a code; along axes in `edges` the middle.
FN_SHORT Vec3 box_coded(Vec3 half_m, u32 code, u32 edges) {
    Vec3 u = vec3_make((code & 1u) != 0 ? -1.0 : 1.0, (code & 2u) != 0 ? -1.0 : 1.0, (code & 4u) != 0 ? -1.0 : 1.0);
    return box_corner(half_m, u, edges);
}

/// A vertex and an edge or another vertex: the normal is along the vector between them. For cores that are apart.
FN u32 box_box_corner(const Blocks *blocks, const BlockFeatures *features, BlockContact *touch) {
    u32 is_of_a = features->edges_a != 0 ? 1u : 0u, edge = features->edges_a | features->edges_b;
    const Block *a = &blocks->a, *b = &blocks->b, *owner = is_of_a != 0 ? a : b;
    Vec3 corner_a = box_coded(COPY(a->half_m), features->code_a, features->edges_a);
    Vec3 corner_b = box_coded(COPY(b->half_m), features->code_b, features->edges_b);
    touch->a = mat3_rotate(*a->turn, corner_a);
    touch->b = mat3_rotate(*b->turn, corner_b);
    Vec3 apart = vec3_sub(vec3_add(blocks->offset, touch->b), touch->a);
    u32 is_on = 1;
    touch->gap_m = 0.0;
    if (edge != 0) {
        Vec3 along = mat3_column(*owner->turn, edge >> 1);
        real on = vec3_dot(along, apart), half_m = vec3_component(owner->half_m, edge >> 1);
        is_on = box_is_on(touch, box_beyond(on, half_m), 0.0, half_m);
        touch->a = vec3_add_scaled(touch->a, along, is_of_a != 0 ? on : 0.0);
        touch->b = vec3_add_scaled(touch->b, along, is_of_a != 0 ? 0.0 : 0.0 - on);
        apart = vec3_add_scaled(apart, along, 0.0 - on);
        apart = vec3_add_scaled(apart, along, 0.0 - vec3_dot(along, apart)); // removes what rounding left
    }
    real square = vec3_dot(apart, apart), per_length = core_inverse_root(square);
    touch->n = vec3_scale(apart, per_length);
    touch->distance_m = square * per_length;
    Vec3 in_a = mat3_rotate_back(*a->turn, touch->n), in_b = mat3_rotate_back(*b->turn, touch->n);
    touch->is_point = real_max(box_least_tilt(in_a), box_least_tilt(in_b)) >= PATCH_TILT ? 1u : 0u;
    real farther = vec3_dot(least_abs(in_a), a->half_m) - vec3_dot(in_a, corner_a) +
                   (vec3_dot(least_abs(in_b), b->half_m) + vec3_dot(in_b, corner_b));
    touch->gap_m += real_max(farther, 0.0);
    is_on &= touch->distance_m > GJK_CORES_APART * blocks->size_m ? 1u : 0u; // nearer: the vector has no digits
    return is_on & (farther <= FEATURE_EXCESS * blocks->size_m ? 1u : 0u);
}

/// Contact of these features; returns whether it is proved to be the answer. If cores overlap it is one way out, not
/// necessarily the shortest.
FN_STAGE u32 box_box_touch(const Blocks *blocks, const BlockFeatures *features, BlockContact *touch) {
    u32 edges_a = features->edges_a, edges_b = features->edges_b;
    u32 is_two_a = edges_a & (edges_a - 1u), is_two_b = edges_b & (edges_b - 1u); // or three
    if ((is_two_a != 0 && edges_a != 7u && edges_b == 0) || (is_two_b != 0 && edges_b != 7u && edges_a == 0))
        return box_box_face(blocks, edges_a != 0 ? 1u : 0u, (7u & ~(edges_a | edges_b)) >> 1, touch);
    if ((is_two_a | is_two_b) != 0) return 0;
    if (edges_a != 0 && edges_b != 0) return box_box_edges(blocks, edges_a >> 1, edges_b >> 1, touch);
    return box_box_corner(blocks, features, touch);
}

// Edges between vertices with these codes: packed as by gjk_pack.
FN_SHORT u32 box_box_edges_of(u32 corners) {
    u32 second = corners >> NARROW_CODE_BITS, third = second >> NARROW_CODE_BITS;
    return (corners | second | third) & ~(corners & second & third) & 7u;
}

/// Contact of the features of a warm start; returns whether it is the answer.
FN_SHORT u32 box_box_warm(const Blocks *blocks, u32 corners_a, u32 corners_b, BlockContact *touch) {
    BlockFeatures features;
    features.edges_a = box_box_edges_of(corners_a);
    features.edges_b = box_box_edges_of(corners_b);
    features.code_a = corners_a;
    features.code_b = corners_b;
    if ((corners_a & NARROW_WARM_START_SET) == 0 || box_box_touch(blocks, &features, touch) == 0) return 0;
    return touch->distance_m > GJK_CORES_APART * blocks->size_m ? 1u : 0u; // nearer: not decidable
}

FN_SHORT u32 box_mask(Vec3 half_m) {
    return (half_m.x > 0.0 ? 1u : 0u) | (half_m.y > 0.0 ? 2u : 0u) | (half_m.z > 0.0 ? 4u : 0u);
}

/// Contact of the features of the least axis. Returns whether it is the answer, apart or overlapping; if not, `least`
/// is a start of the search.
FN_SHORT u32 box_box_cold(const Blocks *blocks, LeastAxis *least, BlockFeatures *features, BlockContact *touch) {
    const Block *a = &blocks->a, *b = &blocks->b;
    Mat3 turn = mat3_between(*a->turn, *b->turn);
    least_axis_of_blocks(COPY(a->half_m), COPY(b->half_m), &turn,
                         vec3_negate(mat3_rotate_back(*b->turn, blocks->offset)), least);
    features->edges_a = least->edges_a & box_mask(COPY(a->half_m));
    features->edges_b = least->edges_b & box_mask(COPY(b->half_m));
    features->code_a = box_mask(COPY(a->half_m)) & box_code(mat3_rotate_back(turn, least->n));
    features->code_b = box_mask(COPY(b->half_m)) & box_code(vec3_negate(least->n));
    if (box_box_touch(blocks, features, touch) == 0) return 0;
    return 0.0 - touch->distance_m <= least->h + MPR_DECREASE_MIN * blocks->sizes_m ? 1u : 0u;
}

/// Result in world axes.
FN_SHORT void box_box_result(const Blocks *blocks, const BlockContact *touch, NarrowResult *result) {
    real rounding_m = NARROW_ROUNDING * blocks->size_m;
    result->distance_m = touch->distance_m - blocks->a.ball_m - blocks->b.ball_m;
    result->error_m = touch->distance_m > 0.0 ? touch->gap_m + rounding_m : rounding_m;
    result->normal = touch->n;
    result->point_a = vec3_add_scaled(touch->a, touch->n, blocks->a.ball_m);
    result->point_b = vec3_add_scaled(touch->b, touch->n, 0.0 - blocks->b.ball_m);
    result->to_nearest_m = vec3_zero();
    result->status = NARROW_OK;
}

#endif
