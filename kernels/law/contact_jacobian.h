// First-order change of a contact's force and torques with the poses and velocities of its bodies.
// kernels/stepper/README.md, "Implicit steps and islands".
#ifndef CLACK_LAW_CONTACT_JACOBIAN_H
#define CLACK_LAW_CONTACT_JACOBIAN_H

#include "model/scheme_policy.h"
#include "geometry/manifold.h"
#include "geometry/manifold_pair.h"
#include "geometry/manifold_points.h"
#include "geometry/narrow_phase.h"
#include "geometry/shape.h"
#include "pairs/contact_curvature.h"
#include "pairs/contact_features.h"
#include "pairs/point_slide.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/law_damping.h"

// Change of a body's state, or of its rates of change. World axes.
typedef struct BodyChange {
    Vec3 shift_m;
    Vec3 turn; // rotation vector
    Vec3 velocity_m_per_s;
    Vec3 spin_rad_per_s;
} BodyChange;

FN BodyChange jacobian_body_unchanged(void) {
    BodyChange change;
    change.shift_m = change.turn = change.velocity_m_per_s = change.spin_rad_per_s = vec3_zero();
    return change;
}

/// A change of a pose times s.
FN BodyChange jacobian_body_change_scale(BodyChange change, real s) {
    change.shift_m = vec3_scale(change.shift_m, s);
    change.turn = vec3_scale(change.turn, s);
    return change;
}

typedef struct ContactChange {
    Vec3 force_N;                    // on B; on A the opposite
    Vec3 torque_a_N_m, torque_b_N_m; // about each body's centre of mass
    real loss_W;
} ContactChange;

/// Are the derivatives of the geometry of a pair known?
FN u32 contact_has_jacobian(const SceneView *view) { return policy_has_jacobian(view->scene->flags); }

/// How the gap of two edges that cross changes, where something else than the lines limits their overlap:
/// gap_apart and gap_turn. y: with jacobian->across the axes across the normal.
FN_ONCE void contact_derive_crossing(GLOBAL ContactJacobian *jacobian, ManifoldCross cross, Vec3 y) {
    Vec3 n = jacobian->normal, x = jacobian->across;
    PairCurvature w = jacobian->curvature;
    Across gap = across_make(0.0, 0.0), tilt = gap; // change with each
    if (cross.limit == MANIFOLD_BY_CORES) jacobian->gap_apart = vec3_scale(n, 0.0 - MANIFOLD_CORES_FADE);
    if (cross.limit == MANIFOLD_BY_ANGLE) {
        real cosine = vec3_dot(cross.a.axis, cross.b.axis);
        real least = cross.least_m * cosine / vec3_length(cross.across);
        jacobian->gap_apart = vec3_zero();
        jacobian->gap_turn = vec3_scale(cross.across, least);
    }
    if (cross.limit < MANIFOLD_BY_END_A || cross.limit == MANIFOLD_BY_ANGLE) return;
    u32 is_a = cross.limit == MANIFOLD_BY_END_A || cross.limit == MANIFOLD_BY_NORMAL_A ? 1u : 0u;
    ManifoldEdge edge = is_a != 0 ? cross.a : cross.b;
    if (cross.limit == MANIFOLD_BY_END_A || cross.limit == MANIFOLD_BY_END_B) {
        real sign = shape_sign(is_a != 0 ? cross.along_a_m : cross.along_b_m);
        Across end = across_make(sign * vec3_dot(edge.axis, x), sign * vec3_dot(edge.axis, y));
        Across mix = curvature_normal_by_tilt(w, end), slide = curvature_point_by_tilt(w, end);
        gap = mix;
        tilt = across_make(0.0 - slide.x, 0.0 - slide.y);
        if (is_a == 0) { // B's point slides by what A's and the normal leave of `apart`, backwards
            Across turn = curvature_normal_by_shift(w, end), back = curvature_point_by_shift(w, end);
            gap = across_make(mix.x + cross.apart_m * turn.x - end.x, mix.y + cross.apart_m * turn.y - end.y);
            tilt = across_make(cross.apart_m * back.x - slide.x, cross.apart_m * back.y - slide.y);
        }
    } else {
        real sign = is_a != 0 ? 1.0 : -1.0;
        u32 is_first = sign * vec3_dot(edge.face1, n) < sign * vec3_dot(edge.face2, n) ? 1u : 0u;
        Vec3 face = vec3_scale(is_first != 0 ? edge.face1 : edge.face2, 0.0 - sign * cross.least_m);
        Across out = across_make(vec3_dot(face, x), vec3_dot(face, y));
        gap = curvature_normal_by_shift(w, out);
        tilt = curvature_point_by_shift(w, out);
        if (is_a != 0) tilt = across_make(tilt.x - out.x, tilt.y - out.y);
    }
    jacobian->gap_apart = vec3_add_scaled(vec3_scale(x, gap.x), y, gap.y);
    // tilt = turn x n, and t.(turn x n) = turn.(n x t).
    jacobian->gap_turn = vec3_cross(n, vec3_add_scaled(vec3_scale(x, tilt.x), y, tilt.y));
}

/// Of a point that may slide. apart_m: of the cores, along the normal.
FN_ONCE void contact_derive_slip(GLOBAL ContactJacobian *jacobian, SlipPoint point, u32 is_of_a, real apart_m) {
    PairChange gap = slide_gap_change(point, COPY(jacobian->normal), is_of_a);
    Vec3 offset = vec3_scale(jacobian->normal, is_of_a != 0 ? 0.0 : apart_m); // refers both to A's point of the contact
    gap = slide_change_at(gap, offset);
    jacobian->slides = is_of_a != 0 ? SLIDES_OF_A : SLIDES_OF_B;
    for (u32 k = 0; k < 2; k++) {
        PairChange slip = slide_change_at(point.slip[k], offset);
        jacobian->slip[k] = point.axis[k];
        jacobian->slip_apart[k] = slip.apart;
        jacobian->slip_turn[k] = slip.turn;
    }
    jacobian->gap_apart = gap.apart;
    jacobian->gap_turn = gap.turn;
}

// One of the points that contacts of two solids are made of.
typedef struct ContactSpot {
    u32 is_there;
    u32 is_of_a;
    real fades; // of manifold_fades: by this times its gap, where a contact at the nearest points fades by it
    Vec3 normal;
    SlipPoint slip;
} ContactSpot;

/// Contact at the nearest points, whose overlap is reduced by that of a point (fading): add the derivative of that
/// point's gap times `fades`. core_point_m: point of A's core at the contact, from A's origin.
FN_ONCE void contact_derive_fade(GLOBAL ContactJacobian *jacobian, const ContactSpot *point, Vec3 core_point_m) {
    PairChange gap = slide_gap_change(COPY(point->slip), COPY(point->normal), point->is_of_a);
    gap = slide_change_at(gap, vec3_sub(point->slip.at_m, core_point_m));
    jacobian->gap_apart = vec3_add_scaled(jacobian->gap_apart, gap.apart, point->fades);
    jacobian->gap_turn = vec3_add_scaled(jacobian->gap_turn, gap.turn, point->fades);
}

/// The point that a contact is at or, where it is at the nearest points and fades, the one that it fades by.
/// apart_m: in, the contact's gap and the balls; out, the distance of the cores.
FN_ONCE ContactSpot contact_spot(const SceneView *view, GLOBAL const Contact *contact, PlacedPair placed,
                                 real *apart_m) {
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a];
    GLOBAL const Shape *b = &view->shapes[contact->pair.shape_b];
    u32 flags = pair_flags(view, contact->pair.shape_a, contact->pair.shape_b), which = contact->pair.feature;
    u32 is_faded = contact->now.narrow_status == NARROW_FADED ? 1u : 0u;
    ContactSpot point; // if there is none, no more of it than that
    point.fades = 0.0;
    point.normal = contact->now.normal;
    point.is_there = manifold_has_disc_points(a, b, flags);
    if (narrow_feature_count(a, b, flags) > 1) point.is_there |= manifold_has_points(a, b);
    if (point.is_there != 0)
        point.is_there = is_faded | (manifold_is_nearest(a, b, which) | manifold_is_crossing(a, b, which) ? 0u : 1u);
    if (point.is_there == 0) return point;
    SolidPair solids = pair_of_solids(view, contact->pair.shape_a, contact->pair.shape_b, &placed);
    if (is_faded != 0) {
        NarrowResult deepest = manifold_deepest(&solids, 0, manifold_point_count(a, b), &which);
        point.normal = deepest.normal;
        real same_m = manifold_same_m(a, b, solids.dome.share), deeper_m = manifold_deeper(&solids, deepest).distance_m;
        *apart_m -= manifold_faded_m(&solids, deeper_m, same_m);
        // By edges that cross rigid contacts fade as well: a hundredth of their gap's change is left out.
        point.fades = deeper_m < deepest.distance_m ? 0.0 : manifold_fades(&solids, deepest.distance_m, same_m);
    }
    ManifoldSpot spot = manifold_spot(a, b, which);
    point.is_of_a = spot.is_of_a;
    point.slip = slide_of_spot(&solids, spot);
    if (is_faded == 0) *apart_m -= point.slip.sag_m;
    return point;
}

/// Closed form of contact_derive_curvature for balls, and for points of other shapes on planes. sag_m: by which the gap
/// is more than the distance of the point.
FN_ONCE void contact_derive_curvature_of_balls(GLOBAL ContactJacobian *jacobian, GLOBAL const Shape *a,
                                               GLOBAL const Shape *b, real gap_m, real sag_m) {
    real apart = gap_m - sag_m + shape_ball_radius(a) + shape_ball_radius(b);
    CoreCurvature curvature_a = curvature_make(kind_is(a->kind, SHAPE_HALF_SPACE) ? 2u : 0u),
                  curvature_b = curvature_make(kind_is(b->kind, SHAPE_HALF_SPACE) ? 2u : 0u);
    jacobian->reach_m = 0.5 * (apart + shape_ball_radius(a) - shape_ball_radius(b));
    jacobian->curvature = curvature_join(curvature_a, curvature_b, apart, shape_size_m(a) + shape_size_m(b));
    jacobian->gap_apart = jacobian->normal;
    jacobian->gap_turn = vec3_zero();
    jacobian->slides = SLIDES_NOT;
}

/// The same of the lowest point of a disc on a plane, which slides along the disc.
FN_ONCE void contact_derive_curvature_of_disc(const SceneView *view, GLOBAL Contact *contact, u32 is_of_a) {
    GLOBAL ContactJacobian *jacobian = &contact->step.jacobian;
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a], *b = &view->shapes[contact->pair.shape_b];
    ManifoldDisc disc = pair_disc(is_of_a ? a : b, contact->pair.feature);
    DiscDome dome = manifold_dome(pair_flags(view, contact->pair.shape_a, contact->pair.shape_b));
    PlacedShape own = pair_place_shape(view, is_of_a ? contact->pair.shape_a : contact->pair.shape_b,
                                       &view->works[is_of_a ? contact->pair.body_a : contact->pair.body_b].step.trial);
    Vec3 down = is_of_a ? jacobian->normal : vec3_negate(jacobian->normal);
    ManifoldLowest low = manifold_lowest_towards(disc, dome, mat3_rotate_back(own.turn, down));
    PairCurvature on_face = curvature_on_face(curvature_make(0), 0.0, 0);
    SlipPoint point;
    slide_of_disc(&disc, &low, own.turn, dome, &on_face, &point);
    for (u32 k = 0; k < 2 && !is_of_a; k++) point.slip[k] = slide_change_add(slide_change_none(), point.slip[k], -1.0);
    contact_derive_curvature_of_balls(jacobian, a, b, contact->now.gap_m, low.sag_m);
    contact_derive_slip(jacobian, point, is_of_a, contact->now.gap_m - low.sag_m + shape_ball_radius(is_of_a ? a : b));
}

/// The two shapes of a contact in the trial states.
FN PlacedPair contact_place(const SceneView *view, GLOBAL const Contact *contact) {
    return pair_place_both(view, contact->pair.shape_a, contact->pair.shape_b,
                           &view->works[contact->pair.body_a].step.trial,
                           &view->works[contact->pair.body_b].step.trial);
}

/// The same by pointer: a GPU returns structs in registers.
FN_STAGE void contact_place_into(const SceneView *view, GLOBAL const Contact *contact, PlacedPair *placed) {
    *placed = contact_place(view, contact);
}

/// From a contact to its nearest points: 0 unless it is at the centre of a patch (contact_patch.h).
FN_WAY Vec3 contact_patch_offset(const SceneView *view, GLOBAL Contact *contact) {
    Vec3 to_nearest_m = vec3_zero();
    if (!HAS(CONTENT_SEARCH) || contact_feature_kind(view, contact, 1) != KIND_NEAREST ||
        contact_feature_kind(view, contact, 0) != KIND_NEAREST)
        return to_nearest_m;
    if (shape_is_strictly_convex(&view->shapes[contact->pair.shape_a]) |
        shape_is_strictly_convex(&view->shapes[contact->pair.shape_b]))
        return to_nearest_m;
    (void)kinematics_of_placed(view, contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature,
                               contact_place(view, contact), contact, &to_nearest_m);
    return to_nearest_m;
}

/// Geometry of a contact: how its gap, normal and point follow the motion of both bodies. to_nearest_m: offset of the
/// nearest points.
FN_WAY void contact_derive_curvature(const SceneView *view, GLOBAL Contact *contact, Vec3 to_nearest_m) {
    GLOBAL ContactJacobian *jacobian = &contact->step.jacobian;
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a];
    GLOBAL const Shape *b = &view->shapes[contact->pair.shape_b];
    PlacedPair placed;
    contact_place_into(view, contact, &placed);
    Vec3 n = jacobian->normal, x = jacobian->across, y = vec3_cross(n, x);
    u32 is_crossing = contact_feature_kind(view, contact, 1) == KIND_EDGE ? 1u : 0u;
    ManifoldCross cross;
    CoreCurvature curvature_a = curvature_make(1), curvature_b = curvature_make(1);
    real ball_a = is_crossing != 0 ? manifold_edge_ball(a) : shape_ball_radius(a),
         ball_b = is_crossing != 0 ? manifold_edge_ball(b) : shape_ball_radius(b);
    real apart = contact->now.gap_m + ball_a + ball_b;
    if (is_crossing != 0) {
        SolidPair solids = pair_of_solids(view, contact->pair.shape_a, contact->pair.shape_b, &placed);
        cross = manifold_cross(&solids, contact->pair.feature - manifold_first_crossing(a, b));
        apart = cross.apart_m;
        curvature_a.edge = curvature_unit(cross.a.axis, x, y);
        curvature_b.edge = curvature_unit(cross.b.axis, x, y);
    }
    ContactSpot point = contact_spot(view, contact, placed, &apart);
    // The contact point lies in the middle of both surfaces.
    jacobian->reach_m = 0.5 * (apart + ball_a - ball_b);
    Vec3 on_a = vec3_add_scaled(jacobian->lever_a_m, n, 0.0 - jacobian->reach_m);
    Vec3 on_b = vec3_add_scaled(jacobian->lever_b_m, n, apart - jacobian->reach_m);
    // The nearest points, not the patch centre: they decide which body's face gives the normal.
    if (is_crossing == 0) {
        ContactKey key = contact_key(contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature);
        curvature_a = contact_core_curvature(view, key, 1, placed.a,
                                             contact_surface_point(vec3_add(on_a, to_nearest_m), n, x, y));
        curvature_b = contact_core_curvature(view, key, 0, placed.b,
                                             contact_surface_point(vec3_add(on_b, to_nearest_m), vec3_negate(n), x, y));
    }
    jacobian->curvature = curvature_join(curvature_a, curvature_b, apart, shape_size_m(a) + shape_size_m(b));
    jacobian->gap_apart = n;
    jacobian->gap_turn = vec3_zero();
    jacobian->slides = SLIDES_NOT;
    if (is_crossing != 0) contact_derive_crossing(jacobian, cross, y);
    if (point.is_there == 0) return;
    if (contact->now.narrow_status == NARROW_FADED)
        contact_derive_fade(jacobian, &point, vec3_sub(on_a, placed.a.arm_m));
    else
        contact_derive_slip(jacobian, point.slip, point.is_of_a, apart);
}

/// Is there an attitude of a body that moves anything?
FN u32 contact_has_attitude(const SceneView *view, u32 body) {
    u32 flags = view->bodies[body].flags;
    return body_stays(flags) || is_free_ball(flags) ? 0u : 1u;
}

/// Does a rotation of one of the bodies move anything?
FN_SHORT u32 contact_depends_on_attitude(GLOBAL const ContactJacobian *s) {
    return HAS(CONTENT_SOLIDS) ? s->depends_on_attitude : 0u;
}

// What moves with both bodies' changes of pose.
typedef struct ContactMove {
    Vec3 normal, point_m;
    real gap_m;
} ContactMove;

/// A point that slides: changes A's point and the displacement of B's against it.
FN_SHORT void contact_slide(GLOBAL const ContactJacobian *s, real by_first, real by_second, Vec3 *with_a, Vec3 *apart) {
    Vec3 slip = vec3_add_scaled(vec3_scale(s->slip[0], by_first), s->slip[1], by_second);
    if (s->slides != SLIDES_OF_B) *with_a = vec3_add(*with_a, slip);
    if (s->slides != SLIDES_ON_PATCH)
        *apart = s->slides == SLIDES_OF_A ? vec3_sub(*apart, slip) : vec3_add(*apart, slip);
}

/// Of bodies that do not rotate, or whose rotation moves nothing.
FN_ONCE ContactMove contact_move_apart(GLOBAL const ContactJacobian *s, Vec3 shift_a, Vec3 shift_b) {
    Vec3 n = s->normal, x = s->across, y = vec3_cross(n, x);
    Vec3 apart = vec3_sub(shift_b, shift_a), with_a = shift_a;
    ContactMove move;
    move.gap_m = vec3_dot(s->gap_apart, apart);
    if (HAS(CONTENT_SOLIDS) && s->slides != SLIDES_NOT)
        contact_slide(s, vec3_dot(s->slip_apart[0], apart), vec3_dot(s->slip_apart[1], apart), &with_a, &apart);
    Across apart_in = across_make(vec3_dot(apart, x), vec3_dot(apart, y));
    Across turned = curvature_normal_by_shift(COPY(s->curvature), apart_in),
           back = curvature_point_by_shift(COPY(s->curvature), apart_in);
    move.normal = vec3_add_scaled(vec3_scale(x, turned.x), y, turned.y);
    move.point_m = vec3_add_scaled(vec3_add_scaled(with_a, x, back.x), y, back.y);
    move.point_m = vec3_add_scaled(move.point_m, move.normal, s->reach_m);
    move.point_m = vec3_add_scaled(move.point_m, n, 0.5 * vec3_dot(n, apart));
    return move;
}

FN_ONCE ContactMove contact_move(GLOBAL const ContactJacobian *s, const BodyChange *a, const BodyChange *b) {
    if (!contact_depends_on_attitude(s)) return contact_move_apart(s, COPY(a->shift_m), COPY(b->shift_m));
    Vec3 n = s->normal, x = s->across, y = vec3_cross(n, x);
    // The core's point of A, moved with the matter of each of the bodies.
    Vec3 core_point_a = vec3_add_scaled(s->lever_a_m, n, -s->reach_m);
    Vec3 core_point_b = vec3_add_scaled(s->lever_b_m, n, -s->reach_m);
    Vec3 with_a = vec3_add(a->shift_m, vec3_cross(a->turn, core_point_a));
    Vec3 apart = vec3_sub(vec3_add(b->shift_m, vec3_cross(b->turn, core_point_b)), with_a);
    Vec3 turn = vec3_sub(a->turn, b->turn);
    real gap = vec3_dot(s->gap_apart, apart) + vec3_dot(s->gap_turn, turn);
    if (s->slides != SLIDES_NOT)
        contact_slide(s, vec3_dot(s->slip_apart[0], apart) + vec3_dot(s->slip_turn[0], turn),
                      vec3_dot(s->slip_apart[1], apart) + vec3_dot(s->slip_turn[1], turn), &with_a, &apart);
    Vec3 tilt = vec3_cross(turn, n);
    Across apart_in = across_make(vec3_dot(apart, x), vec3_dot(apart, y));
    Across tilt_in = across_make(vec3_dot(tilt, x), vec3_dot(tilt, y));
    PairCurvature w = s->curvature;
    Across turned = curvature_normal_by_shift(w, apart_in), mixed = curvature_normal_by_tilt(w, tilt_in);
    Across back = curvature_point_by_shift(w, apart_in), slid = curvature_point_by_tilt(w, tilt_in);
    ContactMove move;
    move.normal = vec3_add_scaled(vec3_cross(b->turn, n), x, turned.x + mixed.x);
    move.normal = vec3_add_scaled(move.normal, y, turned.y + mixed.y);
    move.point_m = vec3_add_scaled(vec3_add_scaled(with_a, x, back.x - slid.x), y, back.y - slid.y);
    move.point_m = vec3_add_scaled(move.point_m, move.normal, s->reach_m);
    move.point_m = vec3_add_scaled(move.point_m, n, 0.5 * vec3_dot(n, apart));
    move.gap_m = gap;
    return move;
}

#define PATCH_DIFFERENCE_STEP 1.0e-8 // rad, and of the sizes: of PATCH_TILT a thousandth

/// Where the point of a contact is when B has moved by `change`, from A's centre of mass.
FN_ONCE Vec3 contact_point_after(const SceneView *view, GLOBAL const Contact *contact, PlacedPair placed,
                                 BodyChange change) {
    Mat3 turn = mat3_from_quat(quat_exp(change.turn));
    Mat3 before = placed.b.turn;
    placed.b.turn.x = mat3_rotate_back(before, turn.x);
    placed.b.turn.y = mat3_rotate_back(before, turn.y);
    placed.b.turn.z = mat3_rotate_back(before, turn.z);
    placed.b.arm_m = mat3_rotate(turn, placed.b.arm_m);
    placed.centres_m = vec3_add(placed.centres_m, change.shift_m);
    placed.offset_m = vec3_add(placed.centres_m, vec3_sub(placed.b.arm_m, placed.a.arm_m));
    Vec3 to_nearest_m;
    return kinematics_of_placed(view, contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature, placed, 0,
                                &to_nearest_m)
        .lever_a_m;
}

/// Of a contact at the centre of a patch (contact_patch.h): the gap is that of the nearest points, at the offset
/// `to_nearest_m`. How the patch centre moves beyond what the curvature gives is found by central differences.
FN_WAY void contact_derive_patch_centre(const SceneView *view, GLOBAL Contact *contact, Vec3 to_nearest_m) {
    GLOBAL ContactJacobian *jacobian = &contact->step.jacobian;
    PlacedPair placed = contact_place(view, contact);
    Vec3 n = jacobian->normal, axes[3];
    axes[0] = jacobian->across;
    axes[1] = vec3_cross(n, axes[0]);
    axes[2] = n;
    jacobian->gap_turn = vec3_cross(n, to_nearest_m);
    for (u32 k = 0; k < 2; k++) {
        jacobian->slip[k] = axes[k];
        jacobian->slip_apart[k] = jacobian->slip_turn[k] = vec3_zero();
    }
    Vec3 core_point = vec3_add_scaled(jacobian->lever_b_m, n, 0.0 - jacobian->reach_m);
    real size_m =
        shape_size_m(&view->shapes[contact->pair.shape_a]) + shape_size_m(&view->shapes[contact->pair.shape_b]);
    for (u32 i = 0; i < 5; i++) { // rotations of B about the core's point of A, then shifts
        u32 turns = i < 3 ? 1u : 0u;
        BodyChange change = jacobian_body_unchanged(), none = change;
        if (turns != 0) change.turn = axes[i];
        change.shift_m = turns != 0 ? vec3_cross(core_point, change.turn) : axes[i - 3u];
        real step = turns != 0 ? PATCH_DIFFERENCE_STEP : PATCH_DIFFERENCE_STEP * size_m;
        Vec3 after = contact_point_after(view, contact, placed, jacobian_body_change_scale(change, step));
        Vec3 before = contact_point_after(view, contact, placed, jacobian_body_change_scale(change, 0.0 - step));
        ContactMove by_curvature = contact_move(jacobian, &none, &change);
        Vec3 more = vec3_sub(vec3_scale(vec3_sub(after, before), 0.5 / step), by_curvature.point_m);
        for (u32 k = 0; k < 2; k++) {
            real component = vec3_dot(more, axes[k]);
            if (turns != 0)
                jacobian->slip_turn[k] = vec3_add_scaled(jacobian->slip_turn[k], axes[i], 0.0 - component);
            else
                jacobian->slip_apart[k] = vec3_add_scaled(jacobian->slip_apart[k], axes[i - 3u], component);
        }
    }
    jacobian->slides = SLIDES_ON_PATCH;
}

/// Arguments at which the force of a contact was evaluated.
FN LawMotion contact_motion(GLOBAL const ContactJacobian *s) {
    LawMotion at;
    at.gap_m = 0.0; // not read: its derivatives are known
    at.normal = s->normal;
    at.velocity_m_per_s = s->velocity_m_per_s;
    at.spin_rad_per_s = vec3_sub(s->spin_b_rad_per_s, s->spin_a_rad_per_s);
    return at;
}

/// First-order change of force and torque for changes of both bodies.
FN ContactChange contact_change(GLOBAL const ContactJacobian *s, const BodyChange *a, const BodyChange *b) {
    ContactMove move = contact_move(s, a, b);
    Vec3 d_lever_a = vec3_sub(move.point_m, a->shift_m);
    Vec3 d_lever_b = vec3_sub(move.point_m, b->shift_m);
    Vec3 d_at_a = vec3_add(a->velocity_m_per_s, vec3_add(vec3_cross(a->spin_rad_per_s, s->lever_a_m),
                                                         vec3_cross(s->spin_a_rad_per_s, d_lever_a)));
    Vec3 d_at_b = vec3_add(b->velocity_m_per_s, vec3_add(vec3_cross(b->spin_rad_per_s, s->lever_b_m),
                                                         vec3_cross(s->spin_b_rad_per_s, d_lever_b)));
    LawMotion at = contact_motion(s), by;
    LawJacobian jacobian = s->law;
    by.gap_m = move.gap_m;
    by.normal = move.normal;
    by.velocity_m_per_s = vec3_sub(d_at_b, d_at_a);
    by.spin_rad_per_s = vec3_sub(b->spin_rad_per_s, a->spin_rad_per_s);
    LawChange law = law_change(&jacobian, &at, &by, 1);
    ContactChange change;
    change.force_N = law.force_N;
    change.loss_W = law.loss_W;
    change.torque_b_N_m =
        vec3_add(vec3_add(vec3_cross(s->lever_b_m, law.force_N), vec3_cross(d_lever_b, s->force_N)), law.torque_N_m);
    change.torque_a_N_m = vec3_negate(
        vec3_add(vec3_add(vec3_cross(s->lever_a_m, law.force_N), vec3_cross(d_lever_a, s->force_N)), law.torque_N_m));
    return change;
}

/// The responses to unit motions that columns of motions blend (contact_jacobian_columns.h).
FN_ONCE void contact_derive_motion(GLOBAL ContactJacobian *s) {
    LawMotion at = contact_motion(s), by;
    LawJacobian jacobian = s->law;
    by.gap_m = 0.0;
    by.normal = vec3_zero();
    for (u32 k = 0; k < 3; k++) {
        by.velocity_m_per_s = vec3_unit(k);
        by.spin_rad_per_s = vec3_zero();
        LawChange change = law_change(&jacobian, &at, &by, 1);
        s->motion_force_N[k] = change.force_N;
        s->motion_torque_N_m[k] = change.torque_N_m;
        if (s->law.rolling_per_N == 0.0) continue;
        by.spin_rad_per_s = by.velocity_m_per_s;
        by.velocity_m_per_s = vec3_zero();
        s->spin_torque_N_m[k] = law_change(&jacobian, &at, &by, 1).torque_N_m;
    }
}

/// Derivatives of a corner on the plane of an immobile body; its body has no other contacts.
FN_ONCE void contact_derive_corner(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL CornerJacobian *jacobian = &contact->step.corner;
    u32 is_of_a = contact->corner.whose == CORNER_OF_A ? 1u : 0u,
        b = is_of_a ? contact->pair.body_a : contact->pair.body_b;
    BodyState solid = view->states[b];
    Vec3 up = contact->now.normal, force = contact->now.force_N, lever = contact->now.lever_b_m;
    if (is_of_a) {
        lever = vec3_add(lever, vec3_sub(view->states[contact->pair.body_b].position_m, solid.position_m));
        up = vec3_negate(up);
        force = vec3_negate(force);
    }
    Vec3 spin = quat_rotate(solid.orientation, solid.spin_rad_per_s);
    Vec3 velocity = vec3_add(solid.velocity_m_per_s, vec3_cross(spin, lever));
    jacobian->up = up;
    jacobian->corner_m = quat_rotate(solid.orientation, contact->corner.place_m);
    jacobian->lever_m = lever;
    jacobian->velocity_m_per_s = velocity;
    jacobian->spin_rad_per_s = spin;
    jacobian->force_N = force;
    LawNumbers law = law_numbers(COPY(contact->law), COPY(view->laws[contact->pair.law]), 0);
    LawMotion at;
    at.gap_m = contact->now.gap_m;
    at.normal = up;
    at.velocity_m_per_s = velocity;
    at.spin_rad_per_s = spin;
    jacobian->law = law_jacobian(&law, &at);
}

/// Normal, levers and motion of a contact at its present evaluation.
FN_SHORT void contact_derive_place(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL ContactJacobian *jacobian = &contact->step.jacobian;
    GLOBAL const BodyState *a = &view->works[contact->pair.body_a].step.trial;
    GLOBAL const BodyState *b = &view->works[contact->pair.body_b].step.trial;
    jacobian->normal = contact->now.normal;
    jacobian->across = vec3_perpendicular(contact->now.normal);
    jacobian->force_N = contact->now.force_N;
    jacobian->lever_b_m = contact->now.lever_b_m;
    jacobian->lever_a_m = pair_lever_a(view, contact, COPY(contact->now.lever_b_m));
    jacobian->spin_a_rad_per_s = pair_spin(view, contact->pair.body_a, a);
    jacobian->spin_b_rad_per_s = pair_spin(view, contact->pair.body_b, b);
    jacobian->depends_on_attitude =
        contact_has_attitude(view, contact->pair.body_a) | contact_has_attitude(view, contact->pair.body_b);
    Vec3 at_a = vec3_add(a->velocity_m_per_s, vec3_cross(jacobian->spin_a_rad_per_s, jacobian->lever_a_m));
    Vec3 at_b = vec3_add(b->velocity_m_per_s, vec3_cross(jacobian->spin_b_rad_per_s, jacobian->lever_b_m));
    jacobian->velocity_m_per_s = vec3_sub(at_b, at_a);
}

/// How gap, normal and point of a contact follow its bodies from there.
FN_SHORT void contact_derive_geometry(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL ContactJacobian *jacobian = &contact->step.jacobian;
    GLOBAL const Shape *shape_a = &view->shapes[contact->pair.shape_a], *shape_b = &view->shapes[contact->pair.shape_b];
    u32 is_of_balls = pair_is_of_balls(view, shape_a, shape_b), point_a = POINT_NONE, point_b = POINT_NONE;
    if (!is_of_balls) {
        u32 flags = pair_flags(view, contact->pair.shape_a, contact->pair.shape_b);
        point_a = pair_point_kind(shape_a, shape_b, contact->pair.feature, flags);
        point_b = pair_point_kind(shape_b, shape_a, contact->pair.feature, flags);
    }
    if (is_of_balls || point_a == POINT_CORNER || point_b == POINT_CORNER) {
        contact_derive_curvature_of_balls(jacobian, shape_a, shape_b, contact->now.gap_m, 0.0);
        return;
    }
    if (point_a == POINT_DISC || point_b == POINT_DISC) {
        contact_derive_curvature_of_disc(view, contact, point_a == POINT_DISC);
        return;
    }
    Vec3 to_nearest_m = contact_patch_offset(view, contact);
    contact_derive_curvature(view, contact, to_nearest_m);
    if (vec3_max_abs(to_nearest_m) > 0.0) contact_derive_patch_centre(view, contact, to_nearest_m);
}

/// Derivatives of a contact at its present evaluation, which is that of the start of a step.
FN_WAY void contact_derive(const SceneView *view, GLOBAL Contact *contact) {
    if (HAS_CORNERS && contact->corner.order) {
        contact_derive_corner(view, contact);
        return;
    }
    GLOBAL ContactJacobian *jacobian = &contact->step.jacobian;
    contact_derive_place(view, contact);
    LawNumbers law = law_numbers(COPY(contact->law), COPY(view->laws[contact->pair.law]), 0);
    LawMotion at = contact_motion(jacobian);
    at.gap_m = contact->now.gap_m;
    jacobian->law = law_jacobian(&law, &at);
    contact_derive_geometry(view, contact);
    contact_derive_motion(jacobian);
}

#endif
