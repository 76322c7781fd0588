// First-order change of a contact's force and torques with the poses and velocities of its bodies.
// kernels/README.md, "Implicit steps and islands".
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
#include "pairs/disc_slide.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/contact_law.h"

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

/// Of a pose.
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
FN u32 contact_has_slopes(const SceneView *view) { return policy_has_slopes(view->scene->flags); }

/// How the gap of two edges that cross changes, where something else than the lines limits their overlap:
/// gap_apart and gap_turn. y: with slopes->across the axes across the normal.
FN_ONCE void contact_take_crossing(GLOBAL ContactSlopes *slopes, ManifoldCross cross, Vec3 y) {
    Vec3 n = slopes->normal, x = slopes->across;
    PairCurvature w = slopes->bend;
    Across gap = across_make(0.0, 0.0), tilt = gap; // change with each
    if (cross.limit == MANIFOLD_BY_CORES) slopes->gap_apart = vec3_scale(n, 0.0 - MANIFOLD_CORES_FADE);
    if (cross.limit == MANIFOLD_BY_ANGLE) {
        real cosine = vec3_dot(cross.a.way, cross.b.way);
        real least = cross.least_m * cosine / vec3_length(cross.across);
        slopes->gap_apart = vec3_zero();
        slopes->gap_turn = vec3_scale(cross.across, least);
    }
    if (cross.limit < MANIFOLD_BY_END_A || cross.limit == MANIFOLD_BY_ANGLE) return;
    u32 is_a = cross.limit == MANIFOLD_BY_END_A || cross.limit == MANIFOLD_BY_NORMAL_A ? 1u : 0u;
    ManifoldEdge edge = is_a != 0 ? cross.a : cross.b;
    if (cross.limit == MANIFOLD_BY_END_A || cross.limit == MANIFOLD_BY_END_B) {
        real sign = shape_sign(is_a != 0 ? cross.along_a_m : cross.along_b_m);
        Across end = across_make(sign * vec3_dot(edge.way, x), sign * vec3_dot(edge.way, y));
        Across mix = curvature_mix(w, end), slide = curvature_slide(w, end);
        gap = mix;
        tilt = across_make(0.0 - slide.x, 0.0 - slide.y);
        if (is_a == 0) { // B's point slides by what A's and the normal leave of `apart`, backwards
            Across turn = curvature_turn(w, end), back = curvature_mix_back(w, end);
            gap = across_make(mix.x + cross.apart_m * turn.x - end.x, mix.y + cross.apart_m * turn.y - end.y);
            tilt = across_make(cross.apart_m * back.x - slide.x, cross.apart_m * back.y - slide.y);
        }
    } else {
        real sign = is_a != 0 ? 1.0 : -1.0;
        u32 is_first = sign * vec3_dot(edge.face1, n) < sign * vec3_dot(edge.face2, n) ? 1u : 0u;
        Vec3 face = vec3_scale(is_first != 0 ? edge.face1 : edge.face2, 0.0 - sign * cross.least_m);
        Across out = across_make(vec3_dot(face, x), vec3_dot(face, y));
        gap = curvature_turn(w, out);
        tilt = curvature_mix_back(w, out);
        if (is_a != 0) tilt = across_make(tilt.x - out.x, tilt.y - out.y);
    }
    slopes->gap_apart = vec3_add_scaled(vec3_scale(x, gap.x), y, gap.y);
    // tilt = turn x n, and t.(turn x n) = turn.(n x t).
    slopes->gap_turn = vec3_cross(n, vec3_add_scaled(vec3_scale(x, tilt.x), y, tilt.y));
}

/// Of a point that may slide. apart_m: of the cores, along the normal.
FN_ONCE void contact_take_slip(GLOBAL ContactSlopes *slopes, SlipPoint point, u32 is_of_a, real apart_m) {
    PairChange gap = slide_gap_change(point, slopes->normal, is_of_a);
    Vec3 way = vec3_scale(slopes->normal, is_of_a != 0 ? 0.0 : apart_m); // told at A's point of the contact
    gap = slide_change_at(gap, way);
    slopes->slides = is_of_a != 0 ? SLIDES_OF_A : SLIDES_OF_B;
    for (u32 k = 0; k < 2; k++) {
        PairChange slip = slide_change_at(point.slip[k], way);
        slopes->slip[k] = point.way[k];
        slopes->slip_apart[k] = slip.apart;
        slopes->slip_turn[k] = slip.turn;
    }
    slopes->gap_apart = gap.apart;
    slopes->gap_turn = gap.turn;
}

/// Of nearest points that count with what they are deeper than a point, whose normal is given. seat_m: A's point of
/// the contact, from A's origin.
FN_ONCE void contact_take_fade(GLOBAL ContactSlopes *slopes, SlipPoint point, Vec3 normal, u32 is_of_a, Vec3 seat_m) {
    PairChange gap = slide_change_at(slide_gap_change(point, normal, is_of_a), vec3_sub(point.at_m, seat_m));
    slopes->gap_apart = vec3_sub(slopes->gap_apart, gap.apart);
    slopes->gap_turn = vec3_sub(slopes->gap_turn, gap.turn);
}

// One of the points that contacts of two solids are made of.
typedef struct ContactPoint {
    u32 is_there;
    u32 is_of_a;
    Vec3 normal;
    SlipPoint slip;
} ContactPoint;

/// The point that a contact is at or, where it is at the nearest points and fades, the one that it fades by.
/// apart_m: the gap that the contact tells becomes the distance of the cores.
FN_ONCE ContactPoint contact_point(const SceneView *view, GLOBAL const Contact *contact, PlacedPair placed,
                                   real *apart_m) {
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a];
    GLOBAL const Shape *b = &view->shapes[contact->pair.shape_b];
    u32 flags = pair_flags(view, contact->pair.shape_a, contact->pair.shape_b), which = contact->pair.feature;
    u32 is_faded = contact->now.narrow_status == NARROW_FADED ? 1u : 0u;
    ContactPoint point = ALL_ZERO;
    point.normal = contact->now.normal;
    point.is_there = narrow_feature_count(a, b, flags) > 1 ? manifold_has_points(a, b) : 0u;
    if (point.is_there != 0) point.is_there = is_faded | (manifold_is_nearest(a, b, which) != 0 ? 0u : 1u);
    if (point.is_there == 0) return point;
    SolidPair solids = pair_of_solids(view, contact->pair.shape_a, contact->pair.shape_b, &placed);
    if (is_faded != 0) {
        NarrowResult deepest = manifold_deepest(&solids, 0, manifold_point_count(a, b), &which);
        point.normal = deepest.normal;
        *apart_m += deepest.distance_m - manifold_same_m(a, b);
    }
    ManifoldSpot spot = manifold_spot(a, b, which);
    point.is_of_a = spot.is_of_a;
    point.slip = slide_of_spot(&solids, spot);
    if (is_faded == 0) *apart_m -= point.slip.sag_m;
    return point;
}

/// The same of balls and planes: what the general way would give.
FN_ONCE void contact_take_bend_of_balls(GLOBAL ContactSlopes *slopes, GLOBAL const Shape *a, GLOBAL const Shape *b,
                                        real gap_m) {
    real apart = gap_m + shape_ball_radius(a) + shape_ball_radius(b);
    CoreCurvature bend_a = curvature_make(kind_is(a->kind, SHAPE_SPHERE) ? 0u : 2u),
                  bend_b = curvature_make(kind_is(b->kind, SHAPE_SPHERE) ? 0u : 2u);
    slopes->reach_m = 0.5 * (apart + shape_ball_radius(a) - shape_ball_radius(b));
    slopes->bend = curvature_join(bend_a, bend_b, apart, shape_size_m(a) + shape_size_m(b));
    slopes->gap_apart = slopes->normal;
    slopes->gap_turn = vec3_zero();
    slopes->slides = SLIDES_NOT;
}

/// The two shapes of a contact in the trial states.
FN PlacedPair contact_placed(const SceneView *view, GLOBAL const Contact *contact) {
    return pair_place_both(view, contact->pair.shape_a, contact->pair.shape_b,
                           &view->works[contact->pair.body_a].step.trial,
                           &view->works[contact->pair.body_b].step.trial);
}

/// The same, told in place: a GPU hands back in registers what a function returns.
FN_STAGE void contact_place_both(const SceneView *view, GLOBAL const Contact *contact, PlacedPair *placed) {
    *placed = contact_placed(view, contact);
}

/// From a contact to its nearest points: 0 unless it is in the middle of what touches (contact_patch.h).
FN_WAY Vec3 contact_aside(const SceneView *view, GLOBAL Contact *contact) {
    Vec3 aside = vec3_zero();
    if (!HAS(CONTENT_SEARCH) || contact_touch(view, contact, 1) != TOUCH_NEAREST) return aside;
    if (shape_is_strictly_convex(&view->shapes[contact->pair.shape_a]) |
        shape_is_strictly_convex(&view->shapes[contact->pair.shape_b]))
        return aside;
    (void)kinematics_of_placed(view, contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature,
                               contact_placed(view, contact), contact, &aside);
    return aside;
}

/// Geometry of a contact: how its gap, normal and point follow the motion of both bodies. aside: to the nearest points.
FN_WAY void contact_take_bend(const SceneView *view, GLOBAL Contact *contact, Vec3 aside) {
    GLOBAL ContactSlopes *slopes = &contact->step.slopes;
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a];
    GLOBAL const Shape *b = &view->shapes[contact->pair.shape_b];
    PlacedPair placed;
    contact_place_both(view, contact, &placed);
    Vec3 n = slopes->normal, x = slopes->across, y = vec3_cross(n, x);
    u32 is_crossing = contact_touch(view, contact, 1) == TOUCH_EDGE ? 1u : 0u;
    ManifoldCross cross;
    CoreCurvature bend_a = curvature_make(1), bend_b = curvature_make(1);
    real apart = contact->now.gap_m + shape_ball_radius(a) + shape_ball_radius(b);
    if (is_crossing != 0) {
        u32 edges_b = manifold_edges(b);
        u32 edge = contact->pair.feature - manifold_count(a) - manifold_count(b);
        SolidPair solids = pair_of_solids(view, contact->pair.shape_a, contact->pair.shape_b, &placed);
        cross = manifold_cross(&solids, edge / edges_b, edge % edges_b);
        apart = cross.apart_m;
        bend_a.edge = curvature_unit(cross.a.way, x, y);
        bend_b.edge = curvature_unit(cross.b.way, x, y);
    }
    ContactPoint point = contact_point(view, contact, placed, &apart);
    // The contact point lies in the middle of both surfaces.
    slopes->reach_m = 0.5 * (apart + shape_ball_radius(a) - shape_ball_radius(b));
    Vec3 on_a = vec3_add_scaled(slopes->lever_a_m, n, 0.0 - slopes->reach_m);
    Vec3 on_b = vec3_add_scaled(slopes->lever_b_m, n, apart - slopes->reach_m);
    if (is_crossing == 0) { // a corner on a face, and not the face's middle, tells whose normal it is
        ContactKey key = contact_key(contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature);
        bend_a = contact_core_bend(view, key, 1, placed.a, contact_surface(vec3_add(on_a, aside), n, x, y));
        bend_b =
            contact_core_bend(view, key, 0, placed.b, contact_surface(vec3_add(on_b, aside), vec3_negate(n), x, y));
    }
    slopes->bend = curvature_join(bend_a, bend_b, apart, shape_size_m(a) + shape_size_m(b));
    slopes->gap_apart = n;
    slopes->gap_turn = vec3_zero();
    slopes->slides = SLIDES_NOT;
    if (is_crossing != 0) contact_take_crossing(slopes, cross, y);
    if (point.is_there == 0) return;
    if (contact->now.narrow_status == NARROW_FADED)
        contact_take_fade(slopes, point.slip, point.normal, point.is_of_a, vec3_sub(on_a, placed.a.arm_m));
    else
        contact_take_slip(slopes, point.slip, point.is_of_a, apart);
}

/// Is there an attitude of a body that moves anything?
FN u32 contact_has_attitude(const SceneView *view, u32 body) {
    u32 flags = view->bodies[body].flags;
    return flags & BODY_FIXED || is_free_ball(flags) ? 0u : 1u;
}

/// Does a turning of one of the bodies move anything?
FN_SHORT u32 contact_turns(GLOBAL const ContactSlopes *s) { return HAS(CONTENT_SOLIDS) ? s->turns : 0u; }

// What moves with both bodies' changes of pose.
typedef struct ContactMove {
    Vec3 normal, point_m;
    real gap_m;
} ContactMove;

/// A point that slides: what A's point and the way to B's become.
FN_SHORT void contact_slide(GLOBAL const ContactSlopes *s, real by_first, real by_second, Vec3 *with_a, Vec3 *apart) {
    Vec3 slip = vec3_add_scaled(vec3_scale(s->slip[0], by_first), s->slip[1], by_second);
    if (s->slides != SLIDES_OF_B) *with_a = vec3_add(*with_a, slip);
    if (s->slides != SLIDES_IN_MIDDLE)
        *apart = s->slides == SLIDES_OF_A ? vec3_sub(*apart, slip) : vec3_add(*apart, slip);
}

/// Of bodies that do not turn, or whose turning moves nothing.
FN_ONCE ContactMove contact_move_apart(GLOBAL const ContactSlopes *s, Vec3 shift_a, Vec3 shift_b) {
    Vec3 n = s->normal, x = s->across, y = vec3_cross(n, x);
    Vec3 apart = vec3_sub(shift_b, shift_a), with_a = shift_a;
    ContactMove move;
    move.gap_m = vec3_dot(s->gap_apart, apart);
    if (HAS(CONTENT_SOLIDS) && s->slides != SLIDES_NOT)
        contact_slide(s, vec3_dot(s->slip_apart[0], apart), vec3_dot(s->slip_apart[1], apart), &with_a, &apart);
    Across apart_in = across_make(vec3_dot(apart, x), vec3_dot(apart, y));
    Across turned = curvature_turn(s->bend, apart_in), back = curvature_mix_back(s->bend, apart_in);
    move.normal = vec3_add_scaled(vec3_scale(x, turned.x), y, turned.y);
    move.point_m = vec3_add_scaled(vec3_add_scaled(with_a, x, back.x), y, back.y);
    move.point_m = vec3_add_scaled(move.point_m, move.normal, s->reach_m);
    move.point_m = vec3_add_scaled(move.point_m, n, 0.5 * vec3_dot(n, apart));
    return move;
}

FN_ONCE ContactMove contact_move(GLOBAL const ContactSlopes *s, const BodyChange *a, const BodyChange *b) {
    if (!contact_turns(s)) return contact_move_apart(s, a->shift_m, b->shift_m);
    Vec3 n = s->normal, x = s->across, y = vec3_cross(n, x);
    // The core's point of A, moved with the matter of each of the bodies.
    Vec3 seat_a = vec3_add_scaled(s->lever_a_m, n, -s->reach_m);
    Vec3 seat_b = vec3_add_scaled(s->lever_b_m, n, -s->reach_m);
    Vec3 with_a = vec3_add(a->shift_m, vec3_cross(a->turn, seat_a));
    Vec3 apart = vec3_sub(vec3_add(b->shift_m, vec3_cross(b->turn, seat_b)), with_a);
    Vec3 turn = vec3_sub(a->turn, b->turn);
    real gap = vec3_dot(s->gap_apart, apart) + vec3_dot(s->gap_turn, turn);
    if (s->slides != SLIDES_NOT)
        contact_slide(s, vec3_dot(s->slip_apart[0], apart) + vec3_dot(s->slip_turn[0], turn),
                      vec3_dot(s->slip_apart[1], apart) + vec3_dot(s->slip_turn[1], turn), &with_a, &apart);
    Vec3 tilt = vec3_cross(turn, n);
    Across apart_in = across_make(vec3_dot(apart, x), vec3_dot(apart, y));
    Across tilt_in = across_make(vec3_dot(tilt, x), vec3_dot(tilt, y));
    PairCurvature w = s->bend;
    Across turned = curvature_turn(w, apart_in), mixed = curvature_mix(w, tilt_in);
    Across back = curvature_mix_back(w, apart_in), slid = curvature_slide(w, tilt_in);
    ContactMove move;
    move.normal = vec3_add_scaled(vec3_cross(b->turn, n), x, turned.x + mixed.x);
    move.normal = vec3_add_scaled(move.normal, y, turned.y + mixed.y);
    move.point_m = vec3_add_scaled(vec3_add_scaled(with_a, x, back.x - slid.x), y, back.y - slid.y);
    move.point_m = vec3_add_scaled(move.point_m, move.normal, s->reach_m);
    move.point_m = vec3_add_scaled(move.point_m, n, 0.5 * vec3_dot(n, apart));
    move.gap_m = gap;
    return move;
}

#define MIDDLE_STEP 1.0e-8 // rad, and of the sizes: of MIDDLE_TILT a thousandth

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
    Vec3 aside;
    return kinematics_of_placed(view, contact->pair.shape_a, contact->pair.shape_b, contact->pair.feature, placed, 0,
                                &aside)
        .lever_a_m;
}

/// Of a contact in the middle of what touches (contact_patch.h): the gap is that of the nearest points, `aside`, and
/// the middle moves beside what the bend says, which is measured.
FN_WAY void contact_take_middle(const SceneView *view, GLOBAL Contact *contact, Vec3 aside) {
    GLOBAL ContactSlopes *slopes = &contact->step.slopes;
    PlacedPair placed = contact_placed(view, contact);
    Vec3 n = slopes->normal, ways[3];
    ways[0] = slopes->across;
    ways[1] = vec3_cross(n, ways[0]);
    ways[2] = n;
    slopes->gap_turn = vec3_cross(n, aside);
    for (u32 k = 0; k < 2; k++) {
        slopes->slip[k] = ways[k];
        slopes->slip_apart[k] = slopes->slip_turn[k] = vec3_zero();
    }
    Vec3 seat = vec3_add_scaled(slopes->lever_b_m, n, 0.0 - slopes->reach_m);
    real size_m =
        shape_size_m(&view->shapes[contact->pair.shape_a]) + shape_size_m(&view->shapes[contact->pair.shape_b]);
    for (u32 i = 0; i < 5; i++) { // turns of B about the core's point of A, then shifts
        u32 turns = i < 3 ? 1u : 0u;
        BodyChange change = jacobian_body_unchanged(), none = change;
        if (turns != 0) change.turn = ways[i];
        change.shift_m = turns != 0 ? vec3_cross(seat, change.turn) : ways[i - 3u];
        real step = turns != 0 ? MIDDLE_STEP : MIDDLE_STEP * size_m;
        Vec3 after = contact_point_after(view, contact, placed, jacobian_body_change_scale(change, step));
        Vec3 before = contact_point_after(view, contact, placed, jacobian_body_change_scale(change, 0.0 - step));
        ContactMove bend = contact_move(slopes, &none, &change);
        Vec3 more = vec3_sub(vec3_scale(vec3_sub(after, before), 0.5 / step), bend.point_m);
        for (u32 k = 0; k < 2; k++) {
            real way = vec3_dot(more, ways[k]);
            if (turns != 0)
                slopes->slip_turn[k] = vec3_add_scaled(slopes->slip_turn[k], ways[i], 0.0 - way);
            else
                slopes->slip_apart[k] = vec3_add_scaled(slopes->slip_apart[k], ways[i - 3u], way);
        }
    }
    slopes->slides = SLIDES_IN_MIDDLE;
}

/// What the force of a contact was found from.
FN LawMotion contact_law_motion(GLOBAL const ContactSlopes *s) {
    LawMotion at;
    at.gap_m = 0.0; // its slopes are known
    at.normal = s->normal;
    at.velocity_m_per_s = s->velocity_m_per_s;
    at.spin_rad_per_s = vec3_sub(s->spin_b_rad_per_s, s->spin_a_rad_per_s);
    return at;
}

/// First-order change of force and torque for changes of both bodies.
FN ContactChange contact_change(GLOBAL const ContactSlopes *s, const BodyChange *a, const BodyChange *b) {
    ContactMove move = contact_move(s, a, b);
    Vec3 d_lever_a = vec3_sub(move.point_m, a->shift_m);
    Vec3 d_lever_b = vec3_sub(move.point_m, b->shift_m);
    Vec3 d_at_a = vec3_add(a->velocity_m_per_s, vec3_add(vec3_cross(a->spin_rad_per_s, s->lever_a_m),
                                                         vec3_cross(s->spin_a_rad_per_s, d_lever_a)));
    Vec3 d_at_b = vec3_add(b->velocity_m_per_s, vec3_add(vec3_cross(b->spin_rad_per_s, s->lever_b_m),
                                                         vec3_cross(s->spin_b_rad_per_s, d_lever_b)));
    LawMotion at = contact_law_motion(s), by;
    LawSlopes slopes = s->law;
    by.gap_m = move.gap_m;
    by.normal = move.normal;
    by.velocity_m_per_s = vec3_sub(d_at_b, d_at_a);
    by.spin_rad_per_s = vec3_sub(b->spin_rad_per_s, a->spin_rad_per_s);
    LawChange law = law_change(&slopes, &at, &by, 1);
    ContactChange change;
    change.force_N = law.force_N;
    change.loss_W = law.loss_W;
    change.torque_b_N_m =
        vec3_add(vec3_add(vec3_cross(s->lever_b_m, law.force_N), vec3_cross(d_lever_b, s->force_N)), law.torque_N_m);
    change.torque_a_N_m = vec3_negate(
        vec3_add(vec3_add(vec3_cross(s->lever_a_m, law.force_N), vec3_cross(d_lever_a, s->force_N)), law.torque_N_m));
    return change;
}

/// The responses to unit motions that columns of motions blend (contact_columns.h).
FN_ONCE void contact_take_motion(GLOBAL ContactSlopes *s) {
    LawMotion at = contact_law_motion(s), by;
    LawSlopes slopes = s->law;
    by.gap_m = 0.0;
    by.normal = vec3_zero();
    for (u32 k = 0; k < 3; k++) {
        by.velocity_m_per_s = vec3_unit(k);
        by.spin_rad_per_s = vec3_zero();
        LawChange change = law_change(&slopes, &at, &by, 1);
        s->motion_force_N[k] = change.force_N;
        s->motion_torque_N_m[k] = change.torque_N_m;
        if (s->law.rolling_per_N == 0.0) continue;
        by.spin_rad_per_s = by.velocity_m_per_s;
        by.velocity_m_per_s = vec3_zero();
        s->spin_torque_N_m[k] = law_change(&slopes, &at, &by, 1).torque_N_m;
    }
}

/// Slopes of a corner on a plane that does not move at all, of a body that has no other contacts.
FN_ONCE void contact_take_corner_slopes(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL CornerSlopes *slopes = &contact->step.corner;
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
    slopes->up = up;
    slopes->corner_m = quat_rotate(solid.orientation, contact->corner.place_m);
    slopes->lever_m = lever;
    slopes->velocity_m_per_s = velocity;
    slopes->spin_rad_per_s = spin;
    slopes->force_N = force;
    Law law = law_of(contact_constants(contact), view->laws[contact->pair.law], 0);
    LawMotion at;
    at.gap_m = contact->now.gap_m;
    at.normal = up;
    at.velocity_m_per_s = velocity;
    at.spin_rad_per_s = spin;
    slopes->law = law_slopes(&law, &at);
}

/// Slopes of a contact at its present evaluation, which is that of the start of a step.
FN_WAY void contact_take_slopes(const SceneView *view, GLOBAL Contact *contact) {
    if (HAS_CORNERS && contact->corner.order) {
        contact_take_corner_slopes(view, contact);
        return;
    }
    GLOBAL ContactSlopes *slopes = &contact->step.slopes;
    GLOBAL const BodyState *a = &view->works[contact->pair.body_a].step.trial;
    GLOBAL const BodyState *b = &view->works[contact->pair.body_b].step.trial;
    slopes->normal = contact->now.normal;
    slopes->across = vec3_perpendicular(contact->now.normal);
    slopes->force_N = contact->now.force_N;
    slopes->lever_b_m = contact->now.lever_b_m;
    slopes->lever_a_m = vec3_add(contact->now.lever_b_m, vec3_sub(b->position_m, a->position_m));
    slopes->spin_a_rad_per_s = pair_spin(view, contact->pair.body_a, a);
    slopes->spin_b_rad_per_s = pair_spin(view, contact->pair.body_b, b);
    slopes->turns = contact_has_attitude(view, contact->pair.body_a) | contact_has_attitude(view, contact->pair.body_b);
    Vec3 at_a = vec3_add(a->velocity_m_per_s, vec3_cross(slopes->spin_a_rad_per_s, slopes->lever_a_m));
    Vec3 at_b = vec3_add(b->velocity_m_per_s, vec3_cross(slopes->spin_b_rad_per_s, slopes->lever_b_m));
    slopes->velocity_m_per_s = vec3_sub(at_b, at_a);
    Law law = law_of(contact_constants(contact), view->laws[contact->pair.law], 0);
    LawMotion at = contact_law_motion(slopes);
    at.gap_m = contact->now.gap_m;
    slopes->law = law_slopes(&law, &at);
    GLOBAL const Shape *shape_a = &view->shapes[contact->pair.shape_a], *shape_b = &view->shapes[contact->pair.shape_b];
    if (pair_is_of_balls(view, shape_a, shape_b)) {
        contact_take_bend_of_balls(slopes, shape_a, shape_b, contact->now.gap_m);
    } else {
        Vec3 aside = contact_aside(view, contact);
        contact_take_bend(view, contact, aside);
        if (vec3_max_abs(aside) > 0.0) contact_take_middle(view, contact, aside);
    }
    contact_take_motion(slopes);
}

#endif
