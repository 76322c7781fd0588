// What the narrow phase is asked and what it answers.
#ifndef CLACK_MODEL_NARROW_TYPES_H
#define CLACK_MODEL_NARROW_TYPES_H

#include "base/vec3.h"
#include "model/scene_types.h"

#define NARROW_OK 0u
#define NARROW_FALLBACK 1u // MPR stopped on a degenerate portal: the best one seen was used
// Limit of iterations (MPR: the best portal seen was used), or bounds that stay further apart than the
// exact search states (error_m says how far).
#define NARROW_NOT_CONVERGED 2u
#define NARROW_COINCIDENT 3u // the cores meet at a point where no direction is better: a fixed normal

#define NARROW_FADED 4u // several contacts: the nearest points count less than their overlap, or not at all
#define NARROW_LEFT 5u  // not searched in this build, the scene leaves it (build.h): NARROW_LEFT_M apart, any normal
#define NARROW_LEFT_M 1.0e9 // as of contacts that do not exist

#define NARROW_COINCIDENT_SHARE 1.0e-12 // of the sizes: centres nearer than this coincide
#define NARROW_ROUNDING 2.0e-15         // stated error of a closed form, of the lengths that enter it

#define NARROW_CODE_BITS 10u      // hulls of more vertices than that numbers give no hint
#define NARROW_HINTED 0x80000000u // bit of corners_a: there is a hint

// What the cores of a pair touched with, kept from one look to the next: while it holds, Newton's method gives the
// answer at once. The answer does not depend on it: it is taken where it is certified, elsewhere sought anew.
typedef struct NarrowHint {
    Vec3 normal;              // from A to B, in B: where the last step of Newton's method began; of two blocks unused
    u32 corners_a, corners_b; // codes of up to three corners: core_code
} NarrowHint;
ASSERT_SIZE(NarrowHint, 32);

FN_SHORT NarrowHint narrow_no_hint(void) {
    NarrowHint hint;
    hint.normal = vec3_zero();
    hint.corners_a = hint.corners_b = 0;
    return hint;
}

typedef struct NarrowOptions {
    real mpr_tolerance; // relative to the extent of the Minkowski difference
    u32 mpr_iterations; // limit of each of its two loops
    u32 flags;          // SCENE_COMPAT_MODIA3D, SCENE_SINGLE_CONTACT
    u32 reserved;
    GLOBAL const HullRow *hulls;     // (n_hull_row): the table of all hulls
    GLOBAL const NarrowHint *before; // what touched at an earlier look; 0: nothing is known
    GLOBAL NarrowHint *now;          // becomes what touches; 0: nobody asks
} NarrowOptions;

typedef struct NarrowResult {
    real distance_m; // > 0 apart, < 0 overlapping
    real error_m;    // bound of the rounding error; of a search the gap between its bounds beside it
    Vec3 normal;     // unit, from A to B, world axes
    Vec3 point_a;    // nearest or deepest point of A, world axes, relative to A's shape origin
    Vec3 point_b;    // of B, relative to B's shape origin
    Vec3 aside;      // from both to the nearest points, where they are in the middle of a line or face; else 0
    u32 status;      // NARROW_*
    u32 iterations;  // of MPR, support points and Newton steps of the exact search; 0 where there are none
} NarrowResult;

/// The same contact with A and B exchanged.
FN_SHORT NarrowResult narrow_swap(NarrowResult r) {
    Vec3 point = r.point_a;
    r.normal = vec3_negate(r.normal);
    r.point_a = r.point_b;
    r.point_b = point;
    return r;
}

#endif
