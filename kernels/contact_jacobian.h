// First-order change of a contact's force and torques with the poses and velocities of its bodies, exact
// for contacts of a ball fixed in one body with anything whose curvature at the contact is known.
// Spec stepper 2.2.
#ifndef CLACK_CONTACT_JACOBIAN_H
#define CLACK_CONTACT_JACOBIAN_H

#include "contacts.h"

// Change of a body's state, or of its rates of change. World axes.
typedef struct BodyChange {
    Vec3 shift_m;
    Vec3 turn; // rotation vector
    Vec3 velocity_m_per_s;
    Vec3 spin_rad_per_s;
} BodyChange;

FN BodyChange body_unchanged(void) {
    BodyChange change;
    change.shift_m = change.turn = change.velocity_m_per_s = change.spin_rad_per_s = vec3_zero();
    return change;
}

typedef struct ContactChange {
    Vec3 force_N;                    // on B; on A the opposite
    Vec3 torque_a_N_m, torque_b_N_m; // about each body's centre of mass
    real loss_W;
} ContactChange;

/// Are the derivatives of the geometry of a pair known? One of the shapes must touch with a ball that is
/// fixed in its body: a sphere, or a corner or end against a half-space.
FN u32 contact_pair_has_slopes(u32 kind_a, u32 kind_b, u32 flags) {
    if (flags & (SCENE_COMPAT_MODIA3D | SCENE_POINT_GRAVITY)) return 0;
    if (kind_a == SHAPE_SPHERE || kind_a == SHAPE_HALF_SPACE) {
        u32 other = kind_a;
        kind_a = kind_b;
        kind_b = other;
    }
    if (kind_b == SHAPE_SPHERE) return kind_a <= SHAPE_BEAM ? 1u : 0u;
    u32 is_simple = kind_a == SHAPE_BOX || kind_a == SHAPE_CAPSULE || kind_a == SHAPE_HULL;
    return kind_b == SHAPE_HALF_SPACE && (is_simple || kind_a == SHAPE_SPHERE) ? 1u : 0u;
}

FN u32 contact_has_slopes(const SceneView *view, GLOBAL const Contact *contact) {
    return contact_pair_has_slopes(view->shapes[contact->shape_a].kind,
                                   view->shapes[contact->shape_b].kind, view->scene->flags);
}

FN void bend_add(GLOBAL ContactSlopes *slopes, Vec3 axis, real weight) {
    slopes->bend_diagonal = vec3_add_scaled(slopes->bend_diagonal, vec3_multiply(axis, axis), weight);
    slopes->bend_across = vec3_add_scaled(
        slopes->bend_across, vec3_make(axis.y * axis.z, axis.z * axis.x, axis.x * axis.y), weight);
}

FN Vec3 bend_apply(GLOBAL const ContactSlopes *slopes, Vec3 v) {
    Vec3 d = slopes->bend_diagonal, c = slopes->bend_across;
    return vec3_make(d.x * v.x + c.z * v.y + c.y * v.z, c.z * v.x + d.y * v.y + c.x * v.z,
                     c.y * v.x + c.x * v.y + d.z * v.z);
}

// Step of the differences of directions, of the size of the shape: they are right to rounding.
#define BEND_STEP_SHARE 1.0e-6

/// The same for shapes with a curved core, from differences of the direction in which the core is nearest.
FN void contact_bend_curved(GLOBAL ContactSlopes *slopes, GLOBAL const Shape *other, PlacedShape placed,
                            Vec3 seat_m) {
    Vec3 across[2];
    across[0] = vec3_perpendicular(slopes->normal);
    across[1] = vec3_cross(slopes->normal, across[0]);
    real step = BEND_STEP_SHARE * shape_size_m(other);
    real bend[2][2];
    for (u32 i = 0; i < 2; i++) {
        Vec3 turned = vec3_zero();
        for (u32 sign = 0; sign < 2; sign++) {
            Vec3 p = vec3_add_scaled(seat_m, across[i], sign ? -step : step);
            PointToCore to = point_to_core(other, mat3_rotate_back(placed.turn, p));
            turned = vec3_add_scaled(turned, mat3_rotate(placed.turn, to.direction), sign ? -1.0 : 1.0);
        }
        for (u32 j = 0; j < 2; j++) bend[i][j] = vec3_dot(turned, across[j]) / (2.0 * step);
    }
    real both = 0.5 * (bend[0][1] + bend[1][0]);
    bend_add(slopes, across[0], bend[0][0] - both);
    bend_add(slopes, across[1], bend[1][1] - both);
    bend_add(slopes, vec3_add(across[0], across[1]), both);
}

/// How the normal turns as the ball moves past the other shape, which it touches on a face, an edge, a
/// vertex, a segment or a point of its core: only motion across that feature turns it.
/// seat_m: centre of the ball from that shape's origin. distance_m: from the core.
FN void contact_bend(GLOBAL ContactSlopes *slopes, GLOBAL const Shape *other, PlacedShape placed, Vec3 seat_m,
                     real distance_m) {
    slopes->bend_diagonal = slopes->bend_across = vec3_zero();
    if (other->kind == SHAPE_HALF_SPACE) return;
    if (shape_is_curved(other)) {
        contact_bend_curved(slopes, other, placed, seat_m);
        return;
    }
    Vec3 core = shape_core_half_m(other);
    Vec3 p = mat3_rotate_back(placed.turn, seat_m);
    u32 has_faces = other->kind == SHAPE_BOX ? 1u : 0u;
    u32 x = !has_faces || real_abs(p.x) > core.x;
    u32 y = !has_faces || real_abs(p.y) > core.y;
    u32 z = other->kind == SHAPE_SPHERE || real_abs(p.z) > core.z;
    if (!(x || y || z)) return; // inside the core: a face, whose normal is fixed in the body
    real weight = 1.0 / distance_m;
    Mat3 turn = placed.turn;
    if (x) bend_add(slopes, vec3_make(turn.x.x, turn.y.x, turn.z.x), weight);
    if (y) bend_add(slopes, vec3_make(turn.x.y, turn.y.y, turn.z.y), weight);
    if (z) bend_add(slopes, vec3_make(turn.x.z, turn.y.z, turn.z.z), weight);
    bend_add(slopes, slopes->normal, -weight);
}

/// Slopes of a contact at its present evaluation, which is that of the start of a step.
FN void contact_take_slopes(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL ContactSlopes *slopes = &contact->slopes;
    GLOBAL const BodyState *a = &view->works[contact->body_a].trial;
    GLOBAL const BodyState *b = &view->works[contact->body_b].trial;
    u32 kind_a = view->shapes[contact->shape_a].kind, kind_b = view->shapes[contact->shape_b].kind;
    u32 ball_is_a = kind_b == SHAPE_HALF_SPACE || (kind_a == SHAPE_SPHERE) ? 1u : 0u;
    u32 ball = ball_is_a ? contact->shape_a : contact->shape_b;
    u32 other = ball_is_a ? contact->shape_b : contact->shape_a;
    real radius = shape_ball_radius(&view->shapes[ball]);
    real distance = contact->gap_m + radius + shape_ball_radius(&view->shapes[other]);
    slopes->normal = contact->normal;
    slopes->force_N = contact->force_N;
    slopes->lever_b_m = contact->lever_b_m;
    slopes->lever_a_m = vec3_add(contact->lever_b_m, vec3_sub(b->position_m, a->position_m));
    slopes->reach_m = radius + 0.5 * contact->gap_m;
    if (!ball_is_a) slopes->reach_m = -slopes->reach_m;
    slopes->spin_a_rad_per_s = quat_rotate(a->orientation, a->spin_rad_per_s);
    slopes->spin_b_rad_per_s = quat_rotate(b->orientation, b->spin_rad_per_s);
    Vec3 at_a = vec3_add(a->velocity_m_per_s, vec3_cross(slopes->spin_a_rad_per_s, slopes->lever_a_m));
    Vec3 at_b = vec3_add(b->velocity_m_per_s, vec3_cross(slopes->spin_b_rad_per_s, slopes->lever_b_m));
    slopes->velocity_m_per_s = vec3_sub(at_b, at_a);
    LawConstants constants;
    constants.stiffness = contact->stiffness;
    constants.damping_s_per_m = contact->damping_s_per_m;
    constants.radius_m = contact->radius_m;
    constants.reserved = 0.0;
    slopes->law = law_slopes(constants, view->laws[contact->law], -contact->gap_m, contact->normal,
                             slopes->velocity_m_per_s,
                             vec3_sub(slopes->spin_b_rad_per_s, slopes->spin_a_rad_per_s));
    PlacedShape placed = contact_place(view, other, &view->works[view->shapes[other].body].trial);
    Vec3 lever = ball_is_a ? slopes->lever_b_m : slopes->lever_a_m;
    Vec3 seat = vec3_sub(vec3_add_scaled(lever, slopes->normal, -slopes->reach_m), placed.arm_m);
    contact_bend(slopes, &view->shapes[other], placed, seat, distance);
}

/// First-order change of force and torques for changes of both bodies.
FN ContactChange contact_change(GLOBAL const ContactSlopes *s, BodyChange a, BodyChange b) {
    Vec3 n = s->normal;
    // The centre of the ball, moved with each of the bodies.
    Vec3 seat_a = vec3_add_scaled(s->lever_a_m, n, -s->reach_m);
    Vec3 seat_b = vec3_add_scaled(s->lever_b_m, n, -s->reach_m);
    Vec3 with_a = vec3_add(a.shift_m, vec3_cross(a.turn, seat_a));
    Vec3 with_b = vec3_add(b.shift_m, vec3_cross(b.turn, seat_b));
    Vec3 apart = vec3_sub(with_b, with_a);
    real d_gap = vec3_dot(n, apart);
    u32 ball_is_a = s->reach_m > 0.0 ? 1u : 0u;
    Vec3 d_normal = vec3_add(bend_apply(s, apart), vec3_cross(ball_is_a ? b.turn : a.turn, n));
    Vec3 d_point = vec3_add_scaled(ball_is_a ? with_a : with_b, d_normal, s->reach_m);
    d_point = vec3_add_scaled(d_point, n, ball_is_a ? 0.5 * d_gap : -0.5 * d_gap);
    Vec3 d_lever_a = vec3_sub(d_point, a.shift_m);
    Vec3 d_lever_b = vec3_sub(d_point, b.shift_m);
    Vec3 d_at_a = vec3_add(a.velocity_m_per_s, vec3_add(vec3_cross(a.spin_rad_per_s, s->lever_a_m),
                                                        vec3_cross(s->spin_a_rad_per_s, d_lever_a)));
    Vec3 d_at_b = vec3_add(b.velocity_m_per_s, vec3_add(vec3_cross(b.spin_rad_per_s, s->lever_b_m),
                                                        vec3_cross(s->spin_b_rad_per_s, d_lever_b)));
    LawChange law = law_change(&s->law, n, s->velocity_m_per_s,
                               vec3_sub(s->spin_b_rad_per_s, s->spin_a_rad_per_s), d_gap, d_normal,
                               vec3_sub(d_at_b, d_at_a), vec3_sub(b.spin_rad_per_s, a.spin_rad_per_s));
    ContactChange change;
    change.force_N = law.force_N;
    change.loss_W = law.loss_W;
    change.torque_b_N_m = vec3_add(
        vec3_add(vec3_cross(s->lever_b_m, law.force_N), vec3_cross(d_lever_b, s->force_N)),
        law.torque_N_m);
    change.torque_a_N_m = vec3_negate(vec3_add(
        vec3_add(vec3_cross(s->lever_a_m, law.force_N), vec3_cross(d_lever_a, s->force_N)),
        law.torque_N_m));
    return change;
}

#endif
