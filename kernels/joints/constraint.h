// Joints that constrain the motion of their bodies: equations phi(poses, t) = 0, their derivatives, and the forces that
// keep them. kernels/integrate/README.md, "Constraints".
//
// Three kinds of equation make up joints but for ropes and given motion. With p the point of each body, d = p_B - p_A,
// and a, b directions fixed in A and B:
//
//   point      d . e = 0       e an axis of the world
//   slide      d . a = 0
//   right      a . b = 0
//
// and of JOINT_DISTANCE |d| - L(t) = 0; where a motion is given q - f(t) = 0, q the angle about the axis or the travel
// along it. Unilateral rows, phi <= 0 with a multiplier >= 0 (inactive while it is 0), are those of ropes, |d| - L(t),
// and of limits: low - q or q - high, whichever is nearer. Rows of derivatives act on velocities and, with
// `second_derivative` added, on accelerations. The force on B is -along times lambda, the torques are -turn_a and
// -turn_b times lambda.
#ifndef CLACK_JOINTS_CONSTRAINT_H
#define CLACK_JOINTS_CONSTRAINT_H

#include "base/angle.h"
#include "joints/joint_force.h"
#include "model/driven_body.h"

// Where the two sides of a constraint are, and how they move. World axes.
typedef struct ConstraintMotion {
    JointKinematics at;
    Mat3 axes_a, axes_b;       // of the constraint, as they have gone with A and with B: columns
    Vec3 centripetal_m_per_s2; // acceleration of B's point against A's by the spins alone
} ConstraintMotion;

/// One of the constraint's axes, 0 to 2, as it has gone with a body.
FN_SHORT Vec3 constraint_axis(const Mat3 *axes, u32 k) { return mat3_column(*axes, k); }

FN_SHORT Vec3 constraint_spin_twice(Vec3 spin, Vec3 arm) { return vec3_cross(spin, vec3_cross(spin, arm)); }

FN_ONCE ConstraintMotion constraint_motion(const SceneView *view, GLOBAL const Joint *joint) {
    ConstraintMotion motion;
    JointKinematics at = joint_kinematics(view, joint);
    motion.at = at;
    motion.axes_a = mat3_from_quat(quat_multiply(view->works[joint->body_a].step.trial.orientation, joint->frame_a));
    motion.axes_b = mat3_from_quat(quat_multiply(view->works[joint->body_b].step.trial.orientation, joint->frame_b));
    motion.centripetal_m_per_s2 = vec3_sub(constraint_spin_twice(at.spin_b_rad_per_s, at.lever_b_m),
                                           constraint_spin_twice(at.spin_a_rad_per_s, at.lever_a_m));
    return motion;
}

/// d . e = 0 along axis k of the world.
FN_SHORT void constraint_point_row(const ConstraintMotion *motion, u32 k, GLOBAL ConstraintRow *row) {
    Vec3 axis = vec3_unit(k);
    row->along = axis;
    row->turn_a = vec3_cross(axis, motion->at.lever_a_m);
    row->turn_b = vec3_cross(motion->at.lever_b_m, axis);
    row->phi = vec3_component(motion->at.apart_m, k);
    row->second_derivative = vec3_component(motion->centripetal_m_per_s2, k);
}

/// d . a = 0 for axis k of A.
FN_SHORT void constraint_slide_row(const ConstraintMotion *motion, u32 k, GLOBAL ConstraintRow *row) {
    const JointKinematics *at = &motion->at;
    Vec3 a = constraint_axis(&motion->axes_a, k), spin = at->spin_a_rad_per_s;
    row->along = a;
    row->turn_a = vec3_cross(a, vec3_add(at->lever_a_m, at->apart_m));
    row->turn_b = vec3_cross(at->lever_b_m, a);
    row->phi = vec3_dot(a, at->apart_m);
    row->second_derivative = vec3_dot(a, motion->centripetal_m_per_s2) +
                             2.0 * vec3_dot(vec3_cross(spin, a), at->velocity_m_per_s) +
                             vec3_dot(constraint_spin_twice(spin, a), at->apart_m);
}

/// a . b = 0 for axis i of A and axis k of B.
FN_SHORT void constraint_right_row(const ConstraintMotion *motion, u32 i, u32 k, GLOBAL ConstraintRow *row) {
    Vec3 a = constraint_axis(&motion->axes_a, i), b = constraint_axis(&motion->axes_b, k);
    Vec3 spin_a = motion->at.spin_a_rad_per_s, spin_b = motion->at.spin_b_rad_per_s;
    row->along = vec3_zero();
    row->turn_a = vec3_cross(a, b);
    row->turn_b = vec3_cross(b, a);
    row->phi = vec3_dot(a, b);
    row->second_derivative = vec3_dot(constraint_spin_twice(spin_a, a), b) +
                             vec3_dot(a, constraint_spin_twice(spin_b, b)) +
                             2.0 * vec3_dot(vec3_cross(spin_a, a), vec3_cross(spin_b, b));
}

/// |d| - L = 0, with a length L over time.
FN_SHORT void constraint_distance_row(const ConstraintMotion *motion, TimeValue length, GLOBAL ConstraintRow *row) {
    const JointKinematics *at = &motion->at;
    real rate = at->rate_m_per_s, across = vec3_dot(at->velocity_m_per_s, at->velocity_m_per_s) - rate * rate;
    row->along = at->normal;
    row->turn_a = vec3_cross(at->normal, at->lever_a_m);
    row->turn_b = vec3_cross(at->lever_b_m, at->normal);
    row->phi = at->length_m - length.value;
    row->drift = 0.0 - length.rate;
    row->second_derivative =
        vec3_dot(at->normal, motion->centripetal_m_per_s2) + across / at->length_m - length.second_derivative;
}

/// What is given over time of a constraint: the length of JOINT_DISTANCE, or an angle or a travel.
FN_ONCE TimeValue constraint_drive(const SceneView *view, GLOBAL const Joint *joint, real time_s) {
    TimeValue length;
    if (joint->flags & JOINT_IS_DRIVEN)
        return time_function(view->functions + joint->drive_first, joint->drive_count, time_s);
    length.value = real_fma(joint->length_rate_m_per_s, real_min(time_s, joint->length_until_s), joint->rest_length_m);
    length.rate = time_s < joint->length_until_s ? joint->length_rate_m_per_s : 0.0;
    length.second_derivative = 0.0;
    return length;
}

/// Angle of B against A about the axis, near `about`: turns are counted.
FN_SHORT real constraint_angle(const ConstraintMotion *motion, real about) {
    Vec3 x = constraint_axis(&motion->axes_b, 0);
    real cosine = vec3_dot(x, constraint_axis(&motion->axes_a, 0)),
         sine = vec3_dot(x, constraint_axis(&motion->axes_a, 1));
    real angle = angle_of_point(sine, cosine);
    return angle + ANGLE_TURN * real_floor((about - angle) / ANGLE_TURN + 0.5);
}

/// q, the angle of B against A about the axis or its travel along it, as phi.
FN_SHORT void constraint_path_row(const ConstraintMotion *motion, u32 kind, real angle_rad, GLOBAL ConstraintRow *row) {
    if (kind != JOINT_REVOLUTE) {
        constraint_slide_row(motion, 2, row);
        return;
    }
    row->along = vec3_zero();
    row->turn_b = constraint_axis(&motion->axes_a, 2);
    row->turn_a = vec3_negate(row->turn_b);
    row->phi = angle_rad;
    row->second_derivative = 0.0; // the relative spin is along the axis
}

/// From q: low - q <= 0 or q - high <= 0, the nearer of both limits.
FN_SHORT void constraint_limit(GLOBAL const Joint *joint, GLOBAL ConstraintRow *row) {
    real below = joint->limit_low - row->phi, above = row->phi - joint->limit_high;
    row->phi = real_max(below, above);
    if (!(below > above)) return;
    row->along = vec3_negate(row->along);
    row->turn_a = vec3_negate(row->turn_a);
    row->turn_b = vec3_negate(row->turn_b);
    row->second_derivative = 0.0 - row->second_derivative;
}

/// From q: q - f(t) = 0.
FN_SHORT void constraint_follow(TimeValue drive, GLOBAL ConstraintRow *row) {
    row->phi -= drive.value;
    row->drift = 0.0 - drive.rate;
    row->second_derivative -= drive.second_derivative;
}

/// What a driven body's motion adds to an equation: of its bodies only those that are stepped are in velocities and
/// accelerations of rows.
FN_ONCE void constraint_add_driven(const SceneView *view, u32 b, u32 is_b, GLOBAL ConstraintRow *row) {
    GLOBAL const BodyStep *step = &view->works[b].step;
    GLOBAL const BodyRate *rates = &step->rates[DRIVEN_RATES];
    u32 flags = view->bodies[b].flags;
    Vec3 along = is_b ? row->along : vec3_negate(row->along), turn = is_b ? row->turn_b : row->turn_a;
    Vec3 spin = spin_to_world(flags, COPY(step->trial.orientation), COPY(step->trial.spin_rad_per_s));
    row->drift += vec3_dot(along, step->trial.velocity_m_per_s) + vec3_dot(turn, spin);
    row->second_derivative += vec3_dot(along, rates->acceleration) + vec3_dot(turn, rates->spin_rate);
}

/// The three equations that hold the points together.
FN_SHORT void constraint_point_rows(const ConstraintMotion *motion, GLOBAL ConstraintRow *rows) {
    for (u32 k = 0; k < 3; k++) constraint_point_row(motion, k, &rows[k]);
}

/// Has a joint a unilateral equation?
FN_SHORT u32 constraint_has_unilateral(GLOBAL const Joint *joint) {
    if (joint->kind == JOINT_DISTANCE) return joint->flags & JOINT_IS_ROPE ? 1u : 0u;
    return (joint->flags & (JOINT_HAS_LIMITS | JOINT_IS_DRIVEN)) == JOINT_HAS_LIMITS ? 1u : 0u;
}

/// The equations of a constraint in the trial states, at its time.
FN_ONCE void constraint_take_rows(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    GLOBAL JointConstraint *constraint = &contact->step.constraint;
    GLOBAL ConstraintRow *rows = constraint->rows;
    ConstraintMotion motion = constraint_motion(view, joint);
    u32 kind = joint->kind, count = 0;
    u32 unilateral = 0;
    for (u32 i = 0; i < CONSTRAINT_ROWS_MOST; i++) rows[i].drift = 0.0;
    if (kind == JOINT_REVOLUTE || kind == JOINT_CYLINDRICAL)
        constraint->angle_rad = constraint_angle(&motion, constraint->start_angle_rad);
    if (kind == JOINT_DISTANCE) {
        constraint_distance_row(&motion, COPY(constraint->drive), rows);
        unilateral = joint->flags & JOINT_IS_ROPE ? 1u : 0u;
        count = 1;
    } else if (kind == JOINT_PRISMATIC || kind == JOINT_CYLINDRICAL) {
        constraint_slide_row(&motion, 0, &rows[0]);
        constraint_slide_row(&motion, 1, &rows[1]);
        count = 2;
    } else {
        constraint_point_rows(&motion, rows);
        count = 3;
    }
    if (kind == JOINT_UNIVERSAL) constraint_right_row(&motion, 2, 0, &rows[count++]);
    if (kind == JOINT_REVOLUTE || kind == JOINT_CYLINDRICAL) {
        constraint_right_row(&motion, 2, 0, &rows[count++]);
        constraint_right_row(&motion, 2, 1, &rows[count++]);
    }
    if (kind == JOINT_FIXED || kind == JOINT_PRISMATIC) {
        constraint_right_row(&motion, 0, 1, &rows[count++]);
        constraint_right_row(&motion, 1, 2, &rows[count++]);
        constraint_right_row(&motion, 2, 0, &rows[count++]);
    }
    if (kind != JOINT_DISTANCE && joint->flags & (JOINT_HAS_LIMITS | JOINT_IS_DRIVEN)) {
        constraint_path_row(&motion, kind, constraint->angle_rad, &rows[count]);
        if (joint->flags & JOINT_IS_DRIVEN) {
            constraint_follow(COPY(constraint->drive), &rows[count]);
        } else {
            constraint_limit(joint, &rows[count]);
            unilateral = 1u << count;
        }
        count++;
    }
    for (u32 i = 0; i < count && view->scene->flags & SCENE_TIMED; i++) {
        if (body_is_driven(view, joint->body_a)) constraint_add_driven(view, joint->body_a, 0, &rows[i]);
        if (body_is_driven(view, joint->body_b)) constraint_add_driven(view, joint->body_b, 1, &rows[i]);
    }
    constraint->count = count;
    constraint->unilateral = unilateral;
    constraint->inactive &= unilateral;
    constraint->start_inactive &= unilateral;
}

/// What the equation of a unilateral row is compared with, m or rad.
FN_SHORT real constraint_size(const SceneView *view, GLOBAL const Contact *contact) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    return joint->kind == JOINT_DISTANCE ? joint->rest_length_m : 1.0;
}

/// Has a row of a constraint no force now?
FN_SHORT u32 constraint_is_inactive(GLOBAL const JointConstraint *constraint, u32 row) {
    return constraint->inactive >> row & 1u;
}

/// Along and about what a row exerts its force. Of a limit the other end may be the nearer one by now.
FN_SHORT ConstraintColumn constraint_force_column(GLOBAL const JointConstraint *constraint, u32 i) {
    GLOBAL const ConstraintRow *row = &constraint->rows[i];
    ConstraintColumn of;
    if (constraint->is_held) {
        of = constraint->own.held[i];
        if (vec3_dot(of.along, row->along) + vec3_dot(of.turn_b, row->turn_b) + vec3_dot(of.turn_a, row->turn_a) > 0.0)
            return of;
    }
    of.along = row->along;
    of.turn_a = row->turn_a;
    of.turn_b = row->turn_b;
    return of;
}

/// Forces and torques of a constraint, into its row of the list of contacts: of lambda*, and with has_penalty of
/// lambda* + alpha phi.
FN_ONCE void constraint_forces(const SceneView *view, GLOBAL Contact *contact, u32 has_penalty) {
    GLOBAL const Joint *joint = joint_of(view, contact);
    GLOBAL const JointConstraint *constraint = &contact->step.constraint;
    Vec3 force = vec3_zero(), torque_a = force, torque_b = force;
    real given = 0.0;
    for (u32 i = 0; i < constraint->count; i++) {
        GLOBAL const ConstraintRow *row = &constraint->rows[i];
        if (constraint_is_inactive(constraint, i)) continue;
        real by = 0.0 - (has_penalty ? real_fma(row->penalty, row->phi, row->multiplier) : row->multiplier);
        ConstraintColumn of = constraint_force_column(constraint, i);
        force = vec3_add_scaled(force, of.along, by);
        torque_a = vec3_add_scaled(torque_a, of.turn_a, by);
        torque_b = vec3_add_scaled(torque_b, of.turn_b, by);
        given = real_fma(by, 0.0 - row->drift, given);
    }
    contact->now.force_N = force;
    contact->now.torque_a_N_m = torque_a;
    contact->now.torque_b_N_m = torque_b;
    // Of one that keeps a length: the line, and the force along it, < 0 where it pulls.
    contact->now.normal = joint->kind == JOINT_DISTANCE ? constraint->rows[0].along : vec3_zero();
    contact->now.normal_N = vec3_dot(contact->now.normal, force);
    contact->now.lever_b_m = quat_rotate_any(view->works[joint->body_b].step.trial.orientation, joint->at_b_m);
    contact->now.gap_m = contact->now.rate_m_per_s = 0.0;
    contact->now.loss_W = 0.0;
    contact->given.now_W = given; // what a winch does
}

/// Size of the moment that A and B exert on each other at B's point, N m.
FN_SHORT real constraint_moment(GLOBAL const Contact *contact) {
    return vec3_length(vec3_sub(contact->now.torque_b_N_m, vec3_cross(contact->now.lever_b_m, contact->now.force_N)));
}

/// What A exerts on B so that an angle or a travel is as given, the last of the equations: N m about the axis, or N
/// along it.
FN_SHORT real constraint_driving(GLOBAL const JointConstraint *constraint) {
    return 0.0 - constraint->rows[constraint->count - 1u].multiplier;
}

/// Largest violation of the equations at the present evaluation, m or rad.
FN_SHORT real constraint_violation(GLOBAL const JointConstraint *constraint) {
    real worst = 0.0;
    for (u32 i = 0; i < constraint->count; i++) {
        real phi = constraint->rows[i].phi;
        worst = real_max(worst, constraint->unilateral >> i & 1u ? phi : real_abs(phi));
    }
    return worst;
}

/// Rate of an equation for velocities of its bodies in the world, or with `second_derivative` in place of `drift` its
/// second derivative for accelerations.
FN_SHORT real constraint_rate(GLOBAL const ConstraintRow *row, Vec3 velocity, Vec3 spin_a, Vec3 spin_b) {
    return vec3_dot(row->along, velocity) + vec3_dot(row->turn_a, spin_a) + vec3_dot(row->turn_b, spin_b);
}

/// Equations and forces in the trial states.
FN_ONCE void constraint_evaluate(const SceneView *view, GLOBAL Contact *contact) {
    constraint_take_rows(view, contact);
    constraint_forces(view, contact, 0);
}

/// What a constraint keeps becomes that of the start of the step.
FN_SHORT void constraint_rewind(GLOBAL JointConstraint *constraint) {
    constraint->inactive = constraint->start_inactive;
    for (u32 i = 0; i < CONSTRAINT_ROWS_MOST; i++) constraint->rows[i].multiplier = constraint->start_multiplier[i];
}

/// The row of a constraint that begins: no force is known yet.
FN void constraint_begin(GLOBAL Contact *contact) {
    JointConstraint none = ALL_ZERO;
    none.inactive = none.start_inactive = ~0u; // known once there are equations
    contact->step.constraint = none;
}

#endif
