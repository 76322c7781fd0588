// Where two shapes meet: geometry and relative motion of a contact, from the states of both bodies.
#ifndef CLACK_PAIRS_PAIR_KINEMATICS_H
#define CLACK_PAIRS_PAIR_KINEMATICS_H

#include "base/lanes.h"
#include "model/content.h"
#include "model/scheme_policy.h"
#include "model/workspace.h"
#include "geometry/manifold.h"
#include "geometry/manifold_points.h"
#include "geometry/narrow_phase.h"
#include "geometry/shape.h"

#define LANE_WIDTH 1
#include "pairs/plane_touch.h"
#undef LANE_WIDTH
#if SIDE_BY_SIDE > 1
#define LANE_WIDTH SIDE_BY_SIDE
#include "pairs/plane_touch.h"
#undef LANE_WIDTH
#endif

// The reference's hysteresis: contact begins at its first epsilon and ends at twice it.
#define COMPAT_EPSILON_M 1.0e-13

/// q: orientation of the shape's body.
FN_SHORT PlacedShape pair_place_oriented(const SceneView *view, u32 shape, Quat q) {
    u32 body = view->shapes[shape].body;
    PlacedShape placed;
    if (view->placed != 0 && body_stays(view->bodies[body].flags)) return view->placed[shape];
    if (view->bodies[body].flags & BODY_ROUND) { // nothing of it depends on the orientation
        placed.arm_m = vec3_zero();
        placed.turn = mat3_identity();
        return placed;
    }
    placed.turn = mat3_from_quat(q);
    placed.arm_m = mat3_rotate(placed.turn, view->shapes[shape].position_m);
    if (!(view->shapes[shape].flags & SHAPE_ALIGNED))
        placed.turn = mat3_from_quat(quat_multiply(q, view->shapes[shape].orientation));
    return placed;
}

/// `state`: of the shape's body.
FN_SHORT PlacedShape pair_place_shape(const SceneView *view, u32 shape, GLOBAL const BodyState *state) {
    return pair_place_oriented(view, shape, COPY(state->orientation));
}

// Two shapes in the world, relative to each other.
typedef struct PlacedPair {
    PlacedShape a, b;
    Vec3 centres_m; // centre of mass of B's body minus that of A's
    Vec3 offset_m;  // shape origin of B minus that of A
} PlacedPair;

/// body_a, body_b: states of the shapes' bodies, wherever they are kept.
FN_SHORT PlacedPair pair_place_both(const SceneView *view, u32 shape_a, u32 shape_b, GLOBAL const BodyState *body_a,
                                    GLOBAL const BodyState *body_b) {
    PlacedPair pair;
    pair.a = pair_place_shape(view, shape_a, body_a);
    pair.b = pair_place_shape(view, shape_b, body_b);
    // Centres first: their difference is exact where bodies are near each other, wherever they are.
    pair.centres_m = vec3_sub(body_b->position_m, body_a->position_m);
    pair.offset_m = vec3_add(pair.centres_m, vec3_sub(pair.b.arm_m, pair.a.arm_m));
    return pair;
}

/// Flags of the narrow phase of two shapes: observer pairs have a single contact.
FN u32 pair_flags(const SceneView *view, u32 shape_a, u32 shape_b) {
    u32 law = scene_law(view, shape_a, shape_b).flags, flags = view->scene->flags;
    if (law & LAW_OBSERVER) flags |= SCENE_SINGLE_CONTACT;
    return law & LAW_LAYER ? flags | PAIR_LAYER : flags;
}

FN SolidPair pair_of_solids(const SceneView *view, u32 shape_a, u32 shape_b, const PlacedPair *placed) {
    SolidPair pair;
    pair.a = &view->shapes[shape_a];
    pair.b = &view->shapes[shape_b];
    pair.turn_a = placed->a.turn;
    pair.turn_b = placed->b.turn;
    pair.offset_m = placed->offset_m;
    pair.hulls = view->hulls;
    manifold_policy(&pair, pair_flags(view, shape_a, shape_b));
    return pair;
}

// One contact of a pair: geometry and relative motion.
typedef struct PairKinematics {
    real gap_m;                // signed distance
    real rate_m_per_s;         // of the gap
    real error_m;              // of the gap
    Vec3 normal;               // from A to B
    Vec3 lever_a_m, lever_b_m; // contact point from each centre of mass
    Vec3 point_a_m, point_b_m; // nearest or deepest points, from the centre of mass of their own body
    Vec3 velocity_m_per_s;     // of B relative to A at the contact point
    Vec3 spin_rad_per_s;       // of B relative to A, world axes
    u32 status;                // NARROW_*
    u32 iterations;            // as in NarrowResult
} PairKinematics;
ASSERT_SIZE(PairKinematics, 200);

/// Distance of the farthest point of the smaller of two shapes from its origin, m: the measure of deep overlaps.
FN_SHORT real pair_smaller_m(const SceneView *view, u32 shape_a, u32 shape_b) {
    return real_min(view->shapes[shape_a].bound_radius_m, view->shapes[shape_b].bound_radius_m);
}

FN NarrowOptions pair_narrow_options(const SceneView *view, u32 shape_a, u32 shape_b) {
    NarrowOptions options;
    options.mpr_tolerance = view->scene->mpr_tolerance;
    options.mpr_iterations = view->scene->mpr_iterations;
    options.flags = pair_flags(view, shape_a, shape_b);
    options.reserved = 0;
    options.hulls = view->hulls;
    options.before = 0;
    options.now = 0;
    return options;
}

/// Angular velocity in world axes, rad/s.
FN Vec3 pair_spin(const SceneView *view, u32 body, GLOBAL const BodyState *state) {
    u32 flags = view->bodies[body].flags;
    Vec3 spin = state->spin_rad_per_s;
    if (flags & BODY_FIXED && vec3_max_abs(spin) == 0.0) return spin;
    return spin_to_world(flags, COPY(state->orientation), spin);
}

/// From the centre of mass of a contact's body A to a point that lies lever_b_m from that of B; trial states.
FN_SHORT Vec3 pair_lever_a(const SceneView *view, GLOBAL const Contact *contact, Vec3 lever_b_m) {
    return vec3_add(lever_b_m, vec3_sub(view->works[contact->pair.body_b].step.trial.position_m,
                                        view->works[contact->pair.body_a].step.trial.position_m));
}

/// Inverse effective mass of a body at a lever along a unit direction, 1/kg: 0 of a fixed one.
FN real pair_inverse_mass(GLOBAL const Body *body, Quat orientation, Vec3 lever, Vec3 direction) {
    if (body->flags & BODY_FIXED) return 0.0;
    Vec3 arm = spin_from_world(body->flags, orientation, vec3_cross(lever, direction));
    return body->inverse_mass + vec3_dot(arm, vec3_multiply(body->inverse_inertia, arm));
}

#define FEATURE_NEAREST NONE // instead of one of several contacts: where two solids are nearest

/// The relative motion where two bodies meet, from the motion of both, in world axes.
FN_SHORT PairKinematics kinematics_of_moving(PairKinematics kinematics, Vec3 velocity_a, Vec3 spin_a, Vec3 velocity_b,
                                             Vec3 spin_b) {
    Vec3 at_a = vec3_add(velocity_a, vec3_cross(spin_a, kinematics.lever_a_m));
    Vec3 at_b = vec3_add(velocity_b, vec3_cross(spin_b, kinematics.lever_b_m));
    kinematics.velocity_m_per_s = vec3_sub(at_b, at_a);
    kinematics.spin_rad_per_s = vec3_sub(spin_b, spin_a);
    kinematics.rate_m_per_s = vec3_dot(kinematics.normal, kinematics.velocity_m_per_s);
    return kinematics;
}

/// Is each of the shapes a plane, or a ball about a centre of mass, so that no attitude plays a part?
FN_SHORT u32 pair_is_of_balls(const SceneView *view, GLOBAL const Shape *a, GLOBAL const Shape *b) {
    if (!HAS(CONTENT_SOLIDS)) return 1;
    u32 round_a = view->bodies[a->body].flags & BODY_ROUND, round_b = view->bodies[b->body].flags & BODY_ROUND;
    return (round_a | (kind_is(a->kind, SHAPE_HALF_SPACE) ? 1u : 0u)) &&
                   (round_b | (kind_is(b->kind, SHAPE_HALF_SPACE) ? 1u : 0u))
               ? 1u
               : 0u;
}

/// Two balls. centres_m: of B minus A.
FN_SHORT PairKinematics kinematics_of_balls(real ball_a, real ball_b, Vec3 centres_m) {
    PairKinematics kinematics;
    real length = vec3_length(centres_m), size_m = ball_a + ball_b;
    u32 apart = length > NARROW_COINCIDENT_SHARE * size_m ? 1u : 0u;
    kinematics.status = apart ? NARROW_OK : NARROW_COINCIDENT;
    kinematics.normal = apart ? vec3_scale(centres_m, 1.0 / length) : vec3_make(0.0, 0.0, 1.0);
    kinematics.gap_m = length - ball_a - ball_b;
    kinematics.error_m = NARROW_ROUNDING * (vec3_max_abs(centres_m) + size_m);
    kinematics.point_a_m = vec3_scale(kinematics.normal, ball_a);
    kinematics.point_b_m = vec3_scale(kinematics.normal, -ball_b);
    kinematics.lever_a_m = vec3_scale(kinematics.normal, ball_a + 0.5 * kinematics.gap_m);
    kinematics.lever_b_m = vec3_sub(kinematics.lever_a_m, centres_m);
    kinematics.iterations = 0;
    return kinematics;
}

/// A ball, A, and a plane. centres_m: of the plane's body minus the ball's.
FN_SHORT PairKinematics kinematics_on_plane(real ball, PlacedShape plane, Vec3 centres_m) {
    PairKinematics kinematics;
    Vec3 up = narrow_axis_z(plane.turn), down = vec3_negate(up);
    PlaneTouch touch = plane_touch(ball, up, down, plane.arm_m, centres_m);
    kinematics.status = NARROW_OK;
    kinematics.normal = down;
    kinematics.gap_m = touch.gap_m;
    kinematics.error_m = touch.error_m;
    kinematics.point_a_m = vec3_scale(down, ball);
    kinematics.lever_a_m = touch.lever_ball_m;
    kinematics.lever_b_m = touch.lever_plane_m;
    kinematics.point_b_m = vec3_sub(vec3_scale(down, touch.height_m), centres_m);
    kinematics.iterations = 0;
    return kinematics;
}

// The points with which shapes touch planes where each is a contact of its own.
#define POINT_NONE 0u
#define POINT_CORNER 1u // fixed in the shape
#define POINT_DISC 2u   // the lowest one of a disc, as manifold_points.h has it

/// Of contact `feature`: POINT_*. flags: of the pair.
FN_SHORT u32 pair_point_kind(GLOBAL const Shape *shape, GLOBAL const Shape *plane, u32 feature, u32 flags) {
    if (!kind_is(plane->kind, SHAPE_HALF_SPACE) || policy_has_one_contact(flags)) return POINT_NONE;
    if (kind_is(shape->kind, SHAPE_HULL)) return shape->hull_vertices <= MANIFOLD_HULL_MAX ? POINT_CORNER : POINT_NONE;
    if (kind_is(shape->kind, SHAPE_BOX) | kind_is(shape->kind, SHAPE_CAPSULE)) return POINT_CORNER;
    if (!policy_has_disc_points(flags) || manifold_disc_count(shape) == 0) return POINT_NONE;
    if (feature >= manifold_fixed_count(shape)) return POINT_DISC;
    return manifold_has_no_point(shape, feature) ? POINT_NONE : POINT_CORNER;
}

/// Such a point of a shape, from the centre of mass in the principal frame.
FN_SHORT Vec3 pair_corner(const SceneView *view, GLOBAL const Shape *shape, u32 feature) {
    Vec3 corner = manifold_fixed_point(shape, view->hulls, feature, 1.0); // discs: of quasi-rigid bodies alone
    if (!(shape->flags & SHAPE_ALIGNED)) corner = quat_rotate(shape->orientation, corner);
    return vec3_add(shape->position_m, corner);
}

/// Kinematics of a corner, given in world axes, and a plane.
FN_SHORT PairKinematics kinematics_of_corner(real ball, Vec3 corner, PlacedShape plane, Vec3 centres_m) {
    PairKinematics kinematics = kinematics_on_plane(ball, plane, vec3_sub(centres_m, corner));
    kinematics.error_m += NARROW_ROUNDING * vec3_max_abs(corner);
    kinematics.lever_a_m = vec3_add(corner, kinematics.lever_a_m);
    kinematics.point_a_m = vec3_add(corner, kinematics.point_a_m);
    return kinematics;
}

/// The same seen from the other shape.
FN_SHORT PairKinematics kinematics_swapped(PairKinematics kinematics) {
    Vec3 lever = kinematics.lever_a_m, point = kinematics.point_a_m;
    kinematics.normal = vec3_negate(kinematics.normal);
    kinematics.lever_a_m = kinematics.lever_b_m;
    kinematics.lever_b_m = lever;
    kinematics.point_a_m = kinematics.point_b_m;
    kinematics.point_b_m = point;
    return kinematics;
}

/// From a result of the narrow phase, relative to shapes, to levers of bodies.
FN_SHORT PairKinematics kinematics_from_result(NarrowResult near, PlacedPair placed) {
    PairKinematics kinematics;
    kinematics.gap_m = near.distance_m;
    kinematics.error_m = near.error_m;
    kinematics.normal = near.normal;
    kinematics.status = near.status;
    kinematics.iterations = near.iterations;
    kinematics.point_a_m = vec3_add(placed.a.arm_m, near.point_a);
    kinematics.point_b_m = vec3_add(placed.b.arm_m, near.point_b);
    Vec3 middle = vec3_scale(vec3_add(near.point_a, vec3_add(placed.offset_m, near.point_b)), 0.5);
    kinematics.lever_a_m = vec3_add(placed.a.arm_m, middle);
    kinematics.lever_b_m = vec3_sub(kinematics.lever_a_m, placed.centres_m);
    return kinematics;
}

/// A ball about a centre of mass and a fixed solid, one of which is A, in closed form: kinematics_of_placed, which
/// calls narrow_closed for such a pair.
FN_SHORT PairKinematics kinematics_of_core(GLOBAL const Shape *a, GLOBAL const Shape *b, PlacedShape core,
                                           u32 core_is_a, Vec3 centres_m, const NarrowOptions *options) {
    PlacedPair placed;
    placed.a.arm_m = placed.b.arm_m = vec3_zero();
    placed.a.turn = placed.b.turn = mat3_identity();
    if (core_is_a)
        placed.a = core;
    else
        placed.b = core;
    placed.centres_m = centres_m;
    placed.offset_m = vec3_add(centres_m, vec3_sub(placed.b.arm_m, placed.a.arm_m));
    Vec3 offset = core_is_a ? vec3_negate(placed.offset_m) : placed.offset_m;
    Mat3 ball = mat3_identity();
    NarrowResult near = narrow_closed(core_is_a ? b : a, &ball, core_is_a ? a : b, &core.turn, offset, 0, options);
    return kinematics_from_result(core_is_a ? narrow_swap(near) : near, placed);
}

/// Geometry of a pair of shapes of any kind. contact: source and target of the warm start; 0: none. to_nearest_m:
/// becomes the offset of the nearest points from the contact.
FN_SHORT PairKinematics kinematics_of_placed(const SceneView *view, u32 shape_a, u32 shape_b, u32 feature,
                                             PlacedPair placed, GLOBAL Contact *contact, Vec3 *to_nearest_m) {
    NarrowOptions options = pair_narrow_options(view, shape_a, shape_b);
    if (feature == FEATURE_NEAREST) {
        options.flags |= SCENE_SINGLE_CONTACT;
        feature = 0;
    }
    if (contact != 0) {
        options.before = &contact->start.warm_start;
        options.now = &contact->now.warm_start;
    }
    NarrowResult near = narrow_phase(&view->shapes[shape_a], &placed.a.turn, &view->shapes[shape_b], &placed.b.turn,
                                     placed.offset_m, feature, &options);
    if (MAY_NEED_SECOND_BUILD && near.status == NARROW_UNSEARCHED) view->slot->needs_second_build = 1;
    *to_nearest_m = near.to_nearest_m;
    return kinematics_from_result(near, placed);
}

/// The same of shapes on bodies in these states.
FN_STAGE PairKinematics kinematics_of_pair(const SceneView *view, ContactKey key, GLOBAL const BodyState *body_a,
                                           GLOBAL const BodyState *body_b, GLOBAL Contact *contact,
                                           Vec3 *to_nearest_m) {
    return kinematics_of_placed(view, key.shape_a, key.shape_b, key.feature,
                                pair_place_both(view, key.shape_a, key.shape_b, body_a, body_b), contact, to_nearest_m);
}

/// The disc of a shape that such a contact is of.
FN_SHORT ManifoldDisc pair_disc(GLOBAL const Shape *shape, u32 feature) {
    return manifold_disc(shape, feature - manifold_fixed_count(shape));
}

/// A shape, A, that touches a plane with a point, on bodies in these states. point: POINT_CORNER or POINT_DISC.
FN_STAGE PairKinematics kinematics_of_point(const SceneView *view, u32 point, ContactKey key,
                                            GLOBAL const BodyState *body_a, GLOBAL const BodyState *body_b,
                                            Vec3 centres_m) {
    GLOBAL const Shape *a = &view->shapes[key.shape_a];
    PlacedShape plane = pair_place_shape(view, key.shape_b, body_b);
    if (point == POINT_CORNER) {
        Vec3 corner = quat_rotate_any(body_a->orientation, pair_corner(view, a, key.feature));
        return kinematics_of_corner(shape_ball_radius(a), corner, plane, centres_m);
    }
    PlacedShape own = pair_place_shape(view, key.shape_a, body_a);
    Vec3 down = mat3_rotate_back(own.turn, vec3_negate(narrow_axis_z(plane.turn)));
    DiscDome dome = manifold_dome(pair_flags(view, key.shape_a, key.shape_b));
    ManifoldLowest low = manifold_lowest_towards(pair_disc(a, key.feature), dome, down);
    Vec3 at = vec3_add(own.arm_m, mat3_rotate(own.turn, low.point));
    PairKinematics kinematics = kinematics_of_corner(shape_ball_radius(a), at, plane, centres_m);
    kinematics.gap_m += low.sag_m;
    return kinematics;
}

/// body_a, body_b: states of the shapes' bodies, wherever they are kept. contact: source and target of the warm start;
/// 0: none.
FN_STAGE PairKinematics kinematics_of_states(const SceneView *view, u32 shape_a, u32 shape_b, u32 feature,
                                             GLOBAL const BodyState *body_a, GLOBAL const BodyState *body_b,
                                             GLOBAL Contact *contact) {
    GLOBAL const Shape *a = &view->shapes[shape_a];
    GLOBAL const Shape *b = &view->shapes[shape_b];
    Vec3 centres = vec3_sub(body_b->position_m, body_a->position_m);
    Vec3 to_nearest_m = vec3_zero();
    PairKinematics kinematics;
    u32 is_of_balls = pair_is_of_balls(view, a, b), point_a = POINT_NONE, point_b = POINT_NONE;
    if (!is_of_balls && feature != FEATURE_NEAREST) {
        u32 flags = pair_flags(view, shape_a, shape_b);
        point_a = pair_point_kind(a, b, feature, flags);
        point_b = pair_point_kind(b, a, feature, flags);
    }
    if (is_of_balls) {
        if (kind_is(b->kind, SHAPE_HALF_SPACE)) {
            kinematics = kinematics_on_plane(shape_ball_radius(a), pair_place_shape(view, shape_b, body_b), centres);
        } else if (kind_is(a->kind, SHAPE_HALF_SPACE)) {
            kinematics = kinematics_swapped(kinematics_on_plane(
                shape_ball_radius(b), pair_place_shape(view, shape_a, body_a), vec3_negate(centres)));
        } else {
            kinematics = kinematics_of_balls(shape_ball_radius(a), shape_ball_radius(b), centres);
        }
    } else if (point_a != POINT_NONE) {
        kinematics =
            kinematics_of_point(view, point_a, contact_key(shape_a, shape_b, feature), body_a, body_b, centres);
    } else if (point_b != POINT_NONE) {
        kinematics = kinematics_swapped(kinematics_of_point(view, point_b, contact_key(shape_b, shape_a, feature),
                                                            body_b, body_a, vec3_negate(centres)));
    } else {
        kinematics =
            kinematics_of_pair(view, contact_key(shape_a, shape_b, feature), body_a, body_b, contact, &to_nearest_m);
    }
    kinematics = kinematics_of_moving(kinematics, COPY(body_a->velocity_m_per_s), pair_spin(view, a->body, body_a),
                                      COPY(body_b->velocity_m_per_s), pair_spin(view, b->body, body_b));
    kinematics.rate_m_per_s += vec3_dot(kinematics.normal, vec3_cross(kinematics.spin_rad_per_s, to_nearest_m));
    if (!policy_has_tolerance(view->scene->flags)) kinematics.gap_m -= COMPAT_EPSILON_M;
    return kinematics;
}

/// In the trial states.
FN_SHORT PairKinematics kinematics_of_trial(const SceneView *view, u32 shape_a, u32 shape_b, u32 feature) {
    return kinematics_of_states(view, shape_a, shape_b, feature, &view->works[view->shapes[shape_a].body].step.trial,
                                &view->works[view->shapes[shape_b].body].step.trial, 0);
}

/// The same of a contact.
FN_SHORT PairKinematics kinematics_of_active(const SceneView *view, GLOBAL Contact *contact) {
    return kinematics_of_states(view, contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature,
                                &view->works[view->shapes[contact->pair.shape_a].body].step.trial,
                                &view->works[view->shapes[contact->pair.shape_b].body].step.trial, contact);
}

#endif
