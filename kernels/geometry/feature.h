// Newton's method on the features of two cores: once the touching edges, rims and sides are known, the normal converges
// quadratically, and a certificate decides whether they were the right ones. kernels/geometry/README.md, "Features and
// their certificate".
#ifndef CLACK_GEOMETRY_FEATURE_H
#define CLACK_GEOMETRY_FEATURE_H

#include "geometry/core_pair.h"
#include "geometry/shape.h"

#define FEATURE_STEPS 12u
#define FEATURE_CONVERGED 1.0e-8       // rad: the error after such a step of Newton's method is its square,
#define FEATURE_CONVERGED_THIRD 1.0e-7 // after one of third order its cube
#define FEATURE_PARALLEL 1.0e-6        // sine of edges without a usable common perpendicular
#define FEATURE_ON_CIRCLE 1.0e-15      // rounding error of a normal on the circle that an edge allows
#define FEATURE_NEAR 0.2               // of Newton's step: a larger correction means that no minimum is near
#define FEATURE_BEYOND 1.0e-12         // of an edge: how far rounding may move a point beyond its ends
#define FEATURE_STATIONARY 1.0e-12     // of the sizes: allowed part of x across the normal
#define FEATURE_EXCESS 1.0e-14         // of the sizes: by which the true support may exceed the feature's

// An active segment or side: the normal obeys n.axis = sine, and the point may move by lambda times `along`.
typedef struct FeatureEdge {
    Vec3 axis; // unit, in B
    real sine;
    Vec3 along; // in D, for lambda from `low` to 1
    real low;   // -1: a segment about its middle; 0: a side from its base
    real lambda;
    u32 is_of_a;
    u32 is_side; // of a cone: `along` rotates with the normal
} FeatureEdge;

// Codes of one shape (CoreSupport.code) of up to three corners of D around the nearest point. If there are fewer, one
// is repeated.
typedef struct FeatureCodes {
    u32 first, second, third;
} FeatureCodes;

typedef struct FeatureCorners { // of a hull: touching vertices, in B; one alone: a vertex
    Vec3 first, second, third;
    u32 count;
} FeatureCorners;

typedef struct Feature { // touching features, for a normal n
    Vec3 n;
    Vec3 in_a;                       // n in A
    real disc_a, disc_b;             // radii of the discs that curve them
    real disc_scale_a, disc_scale_b; // as of CoreSupport
    u32 active_a, active_b;
    FeatureCorners corners_a, corners_b; // of hulls
    u32 edge_count;
    FeatureEdge edge1, edge2;
    Vec3 a, b;  // points of the cores, in B
    Vec3 x;     // a - b
    Vec3 still; // the same before the points moved along their edges
    real f;     // x.n: minus the distance of the cores
} Feature;

typedef struct Featured {
    Feature feature;
    real gap_m; // between |x| and the bound by the true support function
    Vec3 from;  // the normal before the last step: from it the same features give the same bits
    u32 is_certified;
    u32 steps;
} Featured;

// Room for one more edge; a third is refused, in a slot that is never read.
FN_SHORT FeatureEdge *feature_new_edge(Feature *feature, u32 is_of_a) {
    FeatureEdge *edge = feature->edge_count == 0 ? &feature->edge1 : &feature->edge2;
    feature->edge_count++;
    edge->sine = edge->lambda = edge->low = 0.0;
    edge->is_of_a = is_of_a;
    edge->is_side = 0;
    return edge;
}

// The edge of a hull between two touching vertices.
FN void feature_add_hull_edge(Feature *feature, Vec3 from, Vec3 to, u32 is_of_a) {
    FeatureEdge *edge = feature_new_edge(feature, is_of_a);
    Vec3 along = vec3_sub(to, from);
    edge->axis = core_unit(along);
    edge->along = is_of_a != 0 ? along : vec3_negate(along);
}

// The segment of a core along its local axis k.
FN_SHORT void feature_add_segment(const CorePair *pair, Feature *feature, u32 is_of_a, u32 k, real half_m) {
    FeatureEdge *edge = feature_new_edge(feature, is_of_a);
    edge->axis = mat3_column(is_of_a != 0 ? pair->turn : mat3_identity(), k);
    edge->along = vec3_scale(edge->axis, half_m);
    edge->low = -1.0;
}

FN_SHORT void feature_add_edges_of(const CorePair *pair, Feature *feature, u32 is_of_a) {
    const Core *core = is_of_a != 0 ? &pair->a : &pair->b;
    if (kind_is(core->kind, SHAPE_HULL)) {
        const FeatureCorners *corners = is_of_a != 0 ? &feature->corners_a : &feature->corners_b;
        if (corners->count > 1) feature_add_hull_edge(feature, COPY(corners->first), COPY(corners->second), is_of_a);
        if (corners->count > 2) feature_add_hull_edge(feature, COPY(corners->first), COPY(corners->third), is_of_a);
        return;
    }
    u32 active = is_of_a != 0 ? feature->active_a : feature->active_b;
    if (active == 0) return;
    Vec3 half_m = core->segments.half_m;
    if ((active & 1u) != 0) feature_add_segment(pair, feature, is_of_a, 0, half_m.x);
    if ((active & 2u) != 0) feature_add_segment(pair, feature, is_of_a, 1, half_m.y);
    if ((active & 4u) != 0) feature_add_segment(pair, feature, is_of_a, 2, half_m.z);
    if ((active & CORE_SIDE) == 0) return;
    FeatureEdge *side = feature_new_edge(feature, is_of_a);
    // The direction for B is -n.
    side->axis = is_of_a != 0 ? mat3_column(pair->turn, 2) : vec3_make(0.0, 0.0, -1.0);
    side->sine = core_side_sine(core);
    side->along = vec3_zero(); // known with the azimuth
    side->is_side = 1;
}

/// The normal nearest to n that the edges allow; 0 if there is none.
FN_SHORT Vec3 feature_project(const Feature *feature, Vec3 n) {
    if (feature->edge_count == 0) return n;
    const FeatureEdge *e = &feature->edge1, *g = &feature->edge2;
    if (feature->edge_count == 1) {
        real on = vec3_dot(n, e->axis);
        if (real_abs(on - e->sine) <= FEATURE_ON_CIRCLE) return n;
        Vec3 across = vec3_add_scaled(n, e->axis, 0.0 - on);
        if (e->is_side == 0) return across; // of a length below 1, which does not matter
        across = core_unit(across);
        return core_unit(vec3_add_scaled(vec3_scale(across, real_sqrt(1.0 - e->sine * e->sine)), e->axis, e->sine));
    }
    Vec3 common = vec3_cross(e->axis, g->axis);
    real square = vec3_dot(common, common);
    if (!(square > FEATURE_PARALLEL * FEATURE_PARALLEL)) return vec3_zero();
    if (e->is_side == 0 && g->is_side == 0) {
        real inverse = core_inverse_root(square);
        return vec3_scale(common, vec3_dot(common, n) < 0.0 ? 0.0 - inverse : inverse);
    }
    // In the plane of both axes by their sines, the rest along their common perpendicular.
    real cosine = vec3_dot(e->axis, g->axis);
    real on_e = (e->sine - g->sine * cosine) / square;
    real on_g = (g->sine - e->sine * cosine) / square;
    Vec3 plane = vec3_add_scaled(vec3_scale(e->axis, on_e), g->axis, on_g);
    real left = 1.0 - vec3_dot(plane, plane);
    if (!(left > 0.0)) return vec3_zero();
    real height = real_sqrt(left / square);
    if (vec3_dot(common, n) < 0.0) height = 0.0 - height;
    return vec3_normalize(vec3_add_scaled(plane, common, height));
}

// The side of an active cone at the azimuth of the present normal.
FN_SHORT void feature_turn_side(const CorePair *pair, const Feature *feature, FeatureEdge *edge) {
    if (edge->is_side == 0) return;
    edge->along = edge->is_of_a != 0 ? mat3_rotate(pair->turn, core_side(&pair->a, COPY(feature->in_a)))
                                     : vec3_negate(core_side(&pair->b, vec3_negate(feature->n)));
}

FN_SHORT void feature_move(Feature *feature, const FeatureEdge *edge) {
    if (edge->is_of_a != 0)
        feature->a = vec3_add_scaled(feature->a, edge->along, edge->lambda);
    else
        feature->b = vec3_add_scaled(feature->b, edge->along, 0.0 - edge->lambda);
}

// Radius of curvature of a cone's active side where it touches, m.
FN_SHORT real feature_disc(const Core *core, const Feature *feature, u32 is_of_a) {
    const FeatureEdge *side =
        feature->edge1.is_side != 0 && feature->edge1.is_of_a == is_of_a ? &feature->edge1 : &feature->edge2;
    return core->disc_m + side->lambda * (core->top_m - core->disc_m);
}

/// Points and multipliers for the normal n: no part of x is left along the active edges.
FN_SHORT void feature_evaluate(const CorePair *pair, Feature *feature, Vec3 n) {
    feature->n = n;
    feature->in_a = mat3_rotate_back(pair->turn, n);
    feature->disc_a = feature->disc_b = feature->disc_scale_a = feature->disc_scale_b = 0.0;
    if (kind_is(pair->a.kind, SHAPE_HULL)) {
        feature->a = feature->corners_a.first;
    } else {
        CoreSupport piece = core_support_point(&pair->a, COPY(feature->in_a), 1.0, feature->active_a);
        feature->a = vec3_add(pair->place, mat3_rotate(pair->turn, piece.point));
        feature->disc_a = piece.disc_m;
        feature->disc_scale_a = piece.disc_scale;
    }
    if (kind_is(pair->b.kind, SHAPE_HULL)) {
        feature->b = feature->corners_b.first;
    } else {
        CoreSupport piece = core_support_point(&pair->b, vec3_negate(n), 1.0, feature->active_b);
        feature->b = piece.point;
        feature->disc_b = piece.disc_m;
        feature->disc_scale_b = piece.disc_scale;
    }
    Vec3 x = feature->still = vec3_sub(feature->a, feature->b);
    if (feature->edge_count > 0) {
        feature_turn_side(pair, feature, &feature->edge1);
        Vec3 e = feature->edge1.along;
        real ee = vec3_dot(e, e);
        real ex = vec3_dot(e, x);
        if (feature->edge_count == 1) {
            feature->edge1.lambda = 0.0 - ex * (1.0 / ee); // for a segment the inverse is known before the point is
        } else {
            feature_turn_side(pair, feature, &feature->edge2);
            Vec3 g = feature->edge2.along;
            // Across n: the edges' own parts along n (rounding) do not count.
            real gg = vec3_dot(g, g);
            real gx = vec3_dot(g, x);
            real eg = vec3_dot(e, g);
            real inverse = 1.0 / (ee * gg - eg * eg);
            feature->edge1.lambda = (eg * gx - gg * ex) * inverse;
            feature->edge2.lambda = (eg * ex - ee * gx) * inverse;
            feature_move(feature, &feature->edge2);
        }
        feature_move(feature, &feature->edge1);
        if ((feature->active_a & CORE_SIDE) != 0) feature->disc_a = feature_disc(&pair->a, feature, 1);
        if ((feature->active_b & CORE_SIDE) != 0) feature->disc_b = feature_disc(&pair->b, feature, 0);
        x = vec3_sub(feature->a, feature->b);
    }
    feature->x = x;
    feature->f = vec3_dot(x, n);
}

/// Second derivative of the support function of D at the feature's normal, in the plane of s and t (at right angles to
/// it).
FN_SHORT CoreForm feature_curvature(const CorePair *pair, const Feature *feature, Vec3 s, Vec3 t) {
    CoreForm a = core_curvature(&pair->a, feature->disc_a, feature->disc_scale_a, COPY(feature->in_a),
                                mat3_rotate_back(pair->turn, s), mat3_rotate_back(pair->turn, t));
    CoreForm b = core_curvature(&pair->b, feature->disc_b, feature->disc_scale_b, vec3_negate(feature->n), s, t);
    a.ss += b.ss;
    a.st += b.st;
    a.tt += b.tt;
    return a;
}

// A step of the normal. `size_rad`: its length; REAL_HUGE: no minimum is near.
typedef struct FeatureStep {
    Vec3 n;
    real size_rad;
} FeatureStep;

// 1 / sqrt(1 + turn^2): normalises the sum of a unit vector and `turn` times another across it.
FN_SHORT real feature_turned_scale(real turn) {
    real square = turn * turn;
    return square < VEC3_NEARLY_UNIT ? vec3_nearly_unit_scale(square) : core_inverse_root(1.0 + square);
}

// Rotation for a slope and a curvature > 0, at most 1 rad. A branch that is hardly ever taken: nothing depends on it.
FN_SHORT real feature_turn(real slope, real second) {
    real turn = (0.0 - slope) * (1.0 / second);
    if (real_abs(turn) > 1.0) turn = turn < 0.0 ? -1.0 : 1.0;
    return turn;
}

// What is constant as a normal rotates about a segment, and the radii of the discs.
typedef struct FeatureRound {
    Vec3 corner; // of D without discs and ellipsoids, in B; anywhere along the segment
    real disc_a, disc_b;
} FeatureRound;

/// That corner of one core, local axes. u: the normal.
FN_SHORT Vec3 feature_round_corner(const Core *core, Vec3 u, u32 active, real *disc_m) {
    *disc_m = core->disc_m;
    if (shape_kind_is_smooth(core->kind) != 0) return vec3_zero();
    if (!kind_is(core->kind, SHAPE_CONE)) return core_corner(core, u, active);
    u32 is_top = core_is_top(core, u);
    *disc_m = is_top != 0 ? core->top_m : core->disc_m;
    return vec3_make(0.0, 0.0, is_top != 0 ? core->top_z_m : core->base_z_m);
}

FN_SHORT void feature_round_make(const CorePair *pair, const Feature *feature, Vec3 n, FeatureRound *round) {
    Vec3 a, b;
    round->disc_a = round->disc_b = 0.0;
    if (kind_is(pair->a.kind, SHAPE_HULL)) {
        a = feature->corners_a.first;
    } else {
        a = feature_round_corner(&pair->a, mat3_rotate_back(pair->turn, n), feature->active_a, &round->disc_a);
        a = vec3_add(pair->place, mat3_rotate(pair->turn, a));
    }
    if (kind_is(pair->b.kind, SHAPE_HULL))
        b = feature->corners_b.first;
    else
        b = feature_round_corner(&pair->b, vec3_negate(n), feature->active_b, &round->disc_b);
    round->corner = vec3_sub(a, b);
}

FN_SHORT void feature_round_add(const CoreRound *of, CoreRound *sum) {
    sum->slope = real_fma(sum->slope, of->root, of->slope * sum->root);
    sum->second = real_fma(sum->second, of->root, of->second * sum->root);
    sum->third = real_fma(sum->third, of->root, of->third * sum->root);
    sum->root *= of->root;
}

FN_SHORT u32 feature_is_curved(const Core *core, real disc_m) {
    return disc_m > 0.0 || shape_kind_is_smooth(core->kind) != 0 ? 1u : 0u;
}

/// Derivatives of the support function of D as n rotates towards `round`, all times one number.
FN_SHORT CoreRound feature_round_of(const CorePair *pair, const FeatureRound *of, Vec3 n, Vec3 round) {
    CoreRound sum;
    sum.root = 1.0;
    sum.slope = vec3_dot(of->corner, round);
    sum.second = 0.0 - vec3_dot(of->corner, n);
    sum.third = 0.0 - sum.slope;
    if (feature_is_curved(&pair->a, of->disc_a) != 0) {
        CoreRound a =
            core_round(&pair->a, of->disc_a, mat3_rotate_back(pair->turn, n), mat3_rotate_back(pair->turn, round));
        feature_round_add(&a, &sum);
    }
    if (feature_is_curved(&pair->b, of->disc_b) != 0) {
        CoreRound b = core_round(&pair->b, of->disc_b, n, round);
        feature_round_add(&b, &sum);
    }
    return sum;
}

/// One segment: the normal rotates about it by Chebyshev's steps, which use the third derivative too. As a function of
/// that angle the support function of D is that of a corner, discs and ellipsoids; their points are not needed. Returns
/// whether it converges. is_unit: n has unit length to rounding.
FN_APART u32 feature_go_round(const CorePair *pair, const Feature *feature, u32 is_unit, Vec3 *n, Featured *found) {
    FeatureRound of;
    feature_round_make(pair, feature, COPY(*n), &of);
    real last = REAL_HUGE;
    for (u32 i = 0; i < FEATURE_STEPS; i++) {
        Vec3 round = vec3_cross(feature->edge1.axis, *n);
        CoreRound sum = feature_round_of(pair, &of, COPY(*n), round);
        if (!(sum.second > 0.0)) return 0;
        real inverse = 1.0 / sum.second, turn = (0.0 - sum.slope) * inverse;
        if (real_abs(turn) > 1.0) turn = turn < 0.0 ? -1.0 : 1.0;
        // No convergence: these are not the features. Below that limit rounding decides, as for a start that is the
        // answer but for its length.
        if (!(real_abs(turn) < real_max(last, FEATURE_CONVERGED_THIRD))) return 0;
        last = real_abs(turn);
        found->from = *n;
        found->steps++;
        if (last < FEATURE_CONVERGED && is_unit != 0) { // the error left is its square
            *n = vec3_add_scaled(*n, round, turn);
        } else {
            real more = -0.5 * sum.third * inverse * turn;
            if (real_abs(more) < FEATURE_NEAR) turn = real_fma(turn, more, turn);
            *n = vec3_renormalize(vec3_add_scaled(*n, round, turn));
        }
        if (last < FEATURE_CONVERGED_THIRD && is_unit != 0) return 1;
        is_unit = 1;
    }
    return 0;
}

/// The side of a cone: the normal rotates on a circle about its axis, not at right angles to it.
FN FeatureStep feature_step_side(const CorePair *pair, const Feature *feature) {
    FeatureStep step;
    const FeatureEdge *e = &feature->edge1;
    real cosine = real_sqrt(1.0 - e->sine * e->sine);
    Vec3 out = core_unit(vec3_add_scaled(feature->n, e->axis, 0.0 - vec3_dot(feature->n, e->axis)));
    Vec3 round = vec3_cross(e->axis, out);
    real second =
        cosine * cosine * feature_curvature(pair, feature, round, round).ss - cosine * vec3_dot(feature->x, out);
    step.n = feature->n;
    step.size_rad = REAL_HUGE;
    if (!(second > 0.0)) return step;
    real turn = feature_turn(cosine * vec3_dot(feature->x, round), second);
    step.n = vec3_scale(vec3_add_scaled(out, round, turn), feature_turned_scale(turn));
    step.n = core_unit(vec3_add_scaled(vec3_scale(step.n, cosine), e->axis, e->sine));
    step.size_rad = real_abs(turn);
    return step;
}

typedef struct FeatureAcross { // two vectors at right angles to a unit vector and to each other
    Vec3 s, t;
    real square; // of the length of both
} FeatureAcross;

/// Source: Duff et al., Building an Orthonormal Basis, Revisited, JCGT 6 (2017), without its division.
FN_SHORT FeatureAcross feature_across(Vec3 n) {
    FeatureAcross across;
    real sign = n.z < 0.0 ? -1.0 : 1.0;
    real scale = 1.0 + real_abs(n.z);
    across.s = vec3_make(scale - n.x * n.x, 0.0 - n.x * n.y, 0.0 - sign * n.x * scale);
    across.t = vec3_make(0.0 - n.x * n.y, scale - n.y * n.y, 0.0 - sign * n.y * scale);
    across.square = scale * scale;
    return across;
}

/// Newton's step for the minimum over all directions of a function of degree 1, with value f at n, slopes gs and gt
/// along s and t, second derivative `form`.
FN_SHORT FeatureStep feature_step_across(Vec3 n, const FeatureAcross *across, CoreForm form, real f, real gs, real gt) {
    FeatureStep step;
    real ss = form.ss - f * across->square;
    real st = form.st;
    real tt = form.tt - f * across->square;
    real determinant = ss * tt - st * st;
    step.n = n;
    step.size_rad = REAL_HUGE;
    if (!(ss + tt > 0.0 && determinant > 0.0)) return step;
    real inverse = 1.0 / determinant;
    real on_s = (st * gt - tt * gs) * inverse;
    real on_t = (st * gs - ss * gt) * inverse;
    Vec3 tangent = vec3_add_scaled(vec3_scale(across->s, on_s), across->t, on_t);
    step.size_rad = real_sqrt((on_s * on_s + on_t * on_t) * across->square);
    if (step.size_rad > 1.0) tangent = vec3_scale(tangent, 1.0 / step.size_rad);
    step.n = vec3_renormalize(vec3_add(n, tangent));
    return step;
}

/// No edge: the normal has two degrees of freedom.
FN FeatureStep feature_step_free(const CorePair *pair, const Feature *feature) {
    FeatureAcross across = feature_across(COPY(feature->n));
    return feature_step_across(COPY(feature->n), &across, feature_curvature(pair, feature, across.s, across.t),
                               feature->f, vec3_dot(feature->x, across.s), vec3_dot(feature->x, across.t));
}

// By how much the point lies beyond the ends of its edge, in units of `along`; < 0 between them.
FN_SHORT real feature_beyond(const FeatureEdge *edge) { return real_max(edge->lambda - 1.0, edge->low - edge->lambda); }

// A vertex of a hull, in B.
FN Vec3 feature_vertex(const CorePair *pair, u32 is_of_a, u32 vertex) {
    const Core *core = is_of_a != 0 ? &pair->a : &pair->b;
    Vec3 at = core_hull_vertex(core, vertex);
    return is_of_a != 0 ? vec3_add(pair->place, mat3_rotate(pair->turn, at)) : at;
}

/// Support point of a hull, direction in its own axes.
FN_SHORT Vec3 feature_hull_support(const CorePair *pair, u32 is_of_a, Vec3 u) {
    const Core *core = is_of_a != 0 ? &pair->a : &pair->b;
    return feature_vertex(pair, is_of_a, shape_hull_farthest(&core->map, core->shape, core->hulls, u));
}

// What an edge adds to the support function of D along a direction, over its base or middle.
FN_SHORT real feature_edge_most(const FeatureEdge *edge, Vec3 n) {
    real end = vec3_dot(edge->along, n);
    return real_max(edge->low * end, end);
}

/// The support function of D along the feature's normal: of hulls by a search, else that of the pieces and the edges.
FN_SHORT real feature_most(const CorePair *pair, const Feature *feature) {
    u32 is_hull_a = kind_is(pair->a.kind, SHAPE_HULL) ? 1u : 0u,
        is_hull_b = kind_is(pair->b.kind, SHAPE_HULL) ? 1u : 0u;
    Vec3 x = feature->still;
    if (is_hull_a != 0)
        x = vec3_add(x, vec3_sub(feature_hull_support(pair, 1, COPY(feature->in_a)), feature->corners_a.first));
    if (is_hull_b != 0)
        x = vec3_sub(x, vec3_sub(feature_hull_support(pair, 0, vec3_negate(feature->n)), feature->corners_b.first));
    real most = vec3_dot(x, feature->n);
    const FeatureEdge *e = &feature->edge1, *g = &feature->edge2;
    if (feature->edge_count > 0 && (e->is_of_a != 0 ? is_hull_a : is_hull_b) == 0)
        most += feature_edge_most(e, COPY(feature->n));
    if (feature->edge_count > 1 && (g->is_of_a != 0 ? is_hull_a : is_hull_b) == 0)
        most += feature_edge_most(g, COPY(feature->n));
    return most;
}

/// Certificate: the points are on the cores, x has no part across the normal, and no other point of D reaches farther.
/// With f < 0 (cores apart) that proves the global answer.
FN void feature_certify(const CorePair *pair, Featured *found) {
    const Feature *feature = &found->feature;
    real beyond1 = feature->edge_count > 0 ? feature_beyond(&feature->edge1) : 0.0;
    real beyond2 = feature->edge_count > 1 ? feature_beyond(&feature->edge2) : 0.0;
    if (!(real_max(beyond1, beyond2) <= FEATURE_BEYOND)) return;
    // Two edges of one hull span a triangle rather than a parallelogram.
    if ((feature->corners_a.count > 2 || feature->corners_b.count > 2) &&
        feature->edge1.lambda + feature->edge2.lambda > 1.0 + FEATURE_BEYOND)
        return;
    Vec3 left = vec3_add_scaled(feature->x, feature->n, 0.0 - feature->f);
    real most_left = FEATURE_STATIONARY * pair->size_m;
    if (!(vec3_dot(left, left) <= most_left * most_left)) return;
    real most = feature_most(pair, feature);
    if (!(most - feature->f <= FEATURE_EXCESS * pair->size_m)) return;
    found->gap_m = real_max(0.0, vec3_length(feature->x) + most);
    if (beyond1 > 0.0) found->gap_m += beyond1 * vec3_length(feature->edge1.along);
    if (beyond2 > 0.0) found->gap_m += beyond2 * vec3_length(feature->edge2.along);
    found->is_certified = 1;
}

// The active edges and sides of corners with these codes: the bits in which they differ.
FN u32 feature_active(FeatureCodes codes) {
    return (codes.first | codes.second | codes.third) & ~(codes.first & codes.second & codes.third);
}

// The different vertices among the corners of a hull.
FN void feature_corners(const CorePair *pair, u32 is_of_a, FeatureCodes codes, FeatureCorners *corners) {
    corners->first = feature_vertex(pair, is_of_a, codes.first);
    corners->count = 1;
    if (codes.second != codes.first) {
        corners->second = feature_vertex(pair, is_of_a, codes.second);
        corners->count = 2;
    }
    if (codes.third == codes.first || codes.third == codes.second) return;
    Vec3 last = feature_vertex(pair, is_of_a, codes.third);
    if (corners->count == 1)
        corners->second = last;
    else
        corners->third = last;
    corners->count++;
}

// The touching features of one shape: the edges and sides between its corners.
FN_SHORT void feature_begin(const CorePair *pair, u32 is_of_a, FeatureCodes codes, Feature *feature) {
    const Core *core = is_of_a != 0 ? &pair->a : &pair->b;
    u32 is_hull = kind_is(core->kind, SHAPE_HULL) ? 1u : 0u;
    u32 active = core->segments.mask & feature_active(codes); // of a hull none
    FeatureCorners *corners = is_of_a != 0 ? &feature->corners_a : &feature->corners_b;
    corners->count = 0;
    if (is_hull != 0) feature_corners(pair, is_of_a, codes, corners);
    if (is_of_a != 0)
        feature->active_a = active;
    else
        feature->active_b = active;
    feature_add_edges_of(pair, feature, is_of_a);
}

FN void feature_refuse(Featured *found, Vec3 n) {
    found->is_certified = found->steps = 0;
    found->gap_m = REAL_HUGE;
    found->from = n;
}

/// Newton from the normal n on the features between the given corners; never more than FEATURE_STEPS steps.
FN void feature_solve(const CorePair *pair, FeatureCodes codes_a, FeatureCodes codes_b, Vec3 n, Featured *found) {
    Feature *feature = &found->feature;
    feature_refuse(found, n);
    feature->edge_count = 0;
    feature_begin(pair, 1, codes_a, feature);
    feature_begin(pair, 0, codes_b, feature);
    if (feature->edge_count > 2) return;
    Vec3 before = n;
    n = feature_project(feature, n);
    if (!(vec3_dot(n, n) > 0.5)) return;
    u32 is_unit = n.x == before.x && n.y == before.y && n.z == before.z ? 1u : 0u;
    u32 is_round = feature->edge_count == 1 && feature->edge1.is_side == 0 ? 1u : 0u;
    if (is_round != 0 && feature_go_round(pair, feature, is_unit, &n, found) == 0) return;
    real last = REAL_HUGE;
    for (u32 i = 0; i <= FEATURE_STEPS; i++) {
        feature_evaluate(pair, feature, n);
        if (last < FEATURE_CONVERGED || is_round != 0) break;
        if (i == FEATURE_STEPS) return; // from its last normal it would go on
        found->from = n;
        if (feature->edge_count == 2) break;
        FeatureStep step =
            feature->edge_count == 0 ? feature_step_free(pair, feature) : feature_step_side(pair, feature);
        if (!(step.size_rad < REAL_HUGE)) return;
        found->steps++;
        if (!(step.size_rad < last)) return; // no convergence: these are not the features
        last = step.size_rad;
        n = step.n;
    }
    feature_certify(pair, found);
}

#endif
