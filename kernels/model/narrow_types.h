// Input and output of the narrow phase.
#ifndef CLACK_MODEL_NARROW_TYPES_H
#define CLACK_MODEL_NARROW_TYPES_H

#include "base/vec3.h"
#include "model/scene_types.h"

#define NARROW_OK 0u
#define NARROW_FALLBACK 1u // MPR stopped on a degenerate portal: the best one seen was used
// Limit of iterations (MPR: the best portal seen was used), or bounds that stay further apart than the exact search
// states (error_m is their distance).
#define NARROW_NOT_CONVERGED 2u
#define NARROW_COINCIDENT 3u // the cores overlap at a point where no direction is better: a fixed normal

#define NARROW_FADED 4u // several contacts: the nearest points count with less than their overlap, or not at all
// Not searched in this build, so that the scene needs the second one (build.h): NARROW_UNSEARCHED_M apart, any normal.
#define NARROW_UNSEARCHED 5u
#define NARROW_UNSEARCHED_M 1.0e9 // as for contacts that do not exist

#define NARROW_COINCIDENT_SHARE 1.0e-12 // of the sizes: centres nearer than this coincide
#define NARROW_ROUNDING 2.0e-15         // stated error of a closed form, of the lengths that enter it

#define NARROW_CODE_BITS 10u              // hulls with more vertices than these bits can number have no warm start
#define NARROW_WARM_START_SET 0x80000000u // bit of corners_a: the warm start is set

// Warm start: the touching features of a pair's cores, kept from one distance query to the next. While they hold,
// Newton's method gives the answer at once. The answer does not depend on them: it is taken if it is certified,
// otherwise searched for again.
typedef struct NarrowWarmStart {
    Vec3 normal;              // from A to B, in B: start of the last step of Newton's method; unused for two blocks
    u32 corners_a, corners_b; // codes of up to three corners: CoreSupport.code
} NarrowWarmStart;
ASSERT_SIZE(NarrowWarmStart, 32);

FN_SHORT NarrowWarmStart narrow_no_warm_start(void) {
    NarrowWarmStart warm_start;
    warm_start.normal = vec3_zero();
    warm_start.corners_a = warm_start.corners_b = 0;
    return warm_start;
}

typedef struct NarrowOptions {
    real mpr_tolerance; // relative to the extent of the Minkowski difference
    u32 mpr_iterations; // limit of each of its two loops
    u32 flags;          // of the scene, as scheme_policy.h reads them
    u32 reserved;
    GLOBAL const HullRow *hulls;          // (n_hull_row): the table of all hulls
    GLOBAL const NarrowWarmStart *before; // features of an earlier query; 0: none
    GLOBAL NarrowWarmStart *now;          // receives those of this query; 0: not wanted
} NarrowOptions;

typedef struct NarrowResult {
    real distance_m;   // > 0 apart, < 0 overlapping
    real error_m;      // bound of the rounding error, plus the gap between the bounds of a search
    Vec3 normal;       // unit, from A to B, world axes
    Vec3 point_a;      // nearest or deepest point of A, world axes, relative to A's shape origin
    Vec3 point_b;      // of B, relative to B's shape origin
    Vec3 to_nearest_m; // from both to the nearest points, if they are at the centre of a contact patch; else 0
    u32 status;        // NARROW_*
    u32 iterations;    // of MPR, support points and Newton steps of the exact search; 0 if there are none
} NarrowResult;

// Discs count as slightly domed where their lowest point is sought: see manifold_dome.
typedef struct DiscDome {
    real share; // of the radius
    real rise, sag;
    real fixed; // of the radius: where its fixed points lie
} DiscDome;

// Two shapes in the world, relative to each other.
typedef struct SolidPair {
    GLOBAL const Shape *a, *b;
    Mat3 turn_a, turn_b;         // shape to world
    Vec3 offset_m;               // shape origin of B minus that of A, world axes
    GLOBAL const HullRow *hulls; // (n_hull_row): the table of all hulls
    DiscDome dome;
    u32 is_rigid; // 1: its contacts have no depth
} SolidPair;

/// With A and B exchanged.
FN SolidPair solid_pair_swapped(const SolidPair *pair) {
    SolidPair swapped = *pair;
    swapped.a = pair->b;
    swapped.b = pair->a;
    swapped.turn_a = pair->turn_b;
    swapped.turn_b = pair->turn_a;
    swapped.offset_m = vec3_negate(pair->offset_m);
    return swapped;
}

/// The same contact with A and B exchanged.
FN_SHORT NarrowResult narrow_swap(NarrowResult r) {
    Vec3 point = r.point_a;
    r.normal = vec3_negate(r.normal);
    r.point_a = r.point_b;
    r.point_b = point;
    return r;
}

#endif
