// Data that the evaluator's kernels exchange with each other and with the host. N configurations of one scene: the
// shapes, materials and pairs are the same, the states of the bodies differ.
#ifndef CLACK_MODEL_EVALUATE_TYPES_H
#define CLACK_MODEL_EVALUATE_TYPES_H

#include "base/vec_types.h"

typedef struct EvaluateSettings { // (1)
    real margin_m;                // pairs farther apart than this need not be listed; REAL_HUGE: list all
    u32 shape_count;
    u32 body_count;
} EvaluateSettings;
ASSERT_SIZE(EvaluateSettings, 16);

// Two shapes that may touch. One list for all configurations, in the order of shape_a, shape_b.
typedef struct ShapePair { // (n_pair)
    u32 shape_a, shape_b;
} ShapePair;
ASSERT_SIZE(ShapePair, 8);

typedef struct ShapeBounds { // (n_configuration, n_shape): box along world axes
    Vec3 centre_m;
    Vec3 half_m;
} ShapeBounds;
ASSERT_SIZE(ShapeBounds, 48);

typedef struct NearPair { // (n_near): regions of pairs whose bounds overlap, by configuration, pair, and region
    u32 configuration, pair;
    u32 feature; // number of the region (pairs/region_list.h)
} NearPair;
ASSERT_SIZE(NearPair, 12);

// A pair in one configuration; the force is that of a contact that begins now.
typedef struct PairContact { // (n_near)
    real distance_m;         // > 0 apart, < 0 overlapping
    real error_m;            // of the distance: by the narrow phase, and by rounding of the shapes' positions before
    real approach_m_per_s;   // > 0 closing
    real slip_m_per_s;       // tangential speed
    real normal_N;           // > 0 pushes apart; this and the forces are 0 for shapes apart
    Vec3 normal;             // unit, from A to B
    Vec3 point_a_m;          // nearest or deepest point of A, world; the force acts in the middle of the two
    Vec3 point_b_m;
    Vec3 force_N;      // on B
    Vec3 tangential_N; // on B: the frictional part of it
    Vec3 torque_N_m;   // on B: rolling resistance, without the moment of the force
    u32 configuration;
    u32 body_a, body_b, shape_a, shape_b, feature;
    u32 status;     // NARROW_*
    u32 iterations; // of MPR; 0 for closed forms
} PairContact;
ASSERT_SIZE(PairContact, 216);

#endif
