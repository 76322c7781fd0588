// For each width. A contact of a ball, B, with a plane or another ball, A: kinematics, force and their derivatives. One
// whose plane or solid is B is evaluated with A and B exchanged (is_swapped). In lanes A is a plane that stands.
#ifndef CLACK_FAST_BALL_TOUCH_H
#define CLACK_FAST_BALL_TOUCH_H
#define BallTouch LANE_NAME(BallTouch)
#define BallEvaluation LANE_NAME(BallEvaluation)
#define BallJacobian LANE_NAME(BallJacobian)
#define BallPoints LANE_NAME(BallPoints)
#define ball_touch_begin LANE_NAME(ball_touch_begin)
#define ball_touch_add LANE_NAME(ball_touch_add)
#define ball_touch_kinematics LANE_NAME(ball_touch_kinematics)
#define ball_touch_moving LANE_NAME(ball_touch_moving)
#define ball_touch_force LANE_NAME(ball_touch_force)
#define ball_touch_torque LANE_NAME(ball_touch_torque)
#define ball_touch_points LANE_NAME(ball_touch_points)
#define ball_touch_slopes LANE_NAME(ball_touch_slopes)
#define BALL_BOTH (LANE_WIDTH == 1) // may A move too? Without lanes
#define TOUCH_PLANE 0u
#define TOUCH_BALLS 1u
#define TOUCH_SOLID 2u // a fixed solid (ball_step.h)
#endif

typedef struct BallTouch {
    // Of a run of steps:
    u32 kind;             // TOUCH_*; in lanes TOUCH_PLANE
    Lane is_swapped;      // 1: A here is B of the contact
    Lane ball_m, other_m; // radii of B and, if that is a ball, A
    Vec3 down, normal;    // of a plane: unit vector from the ball to it; from it to the ball
    Vec3 arm_m, plane_m;  // a point of it from its body; in lanes: where its body is
    // Of a step; what the contact does is done to B:
    LawNumbers law;
    Vec3 start_force_N, impulse_N_s; // at the start; in the step
    Lane start_loss_W, loss_J;
} BallTouch;

typedef struct BallEvaluation {        // a contact at a stage
    Vec3 normal;                       // from A to B
    Vec3 lever_a_m, lever_b_m;         // contact point from the centres of A and B
    Vec3 velocity_m_per_s;             // of B against A at the contact point,
    Vec3 spin_rad_per_s;               // and the relative spin
    Lane gap_m, error_m, rate_m_per_s; // gap, its uncertainty, its rate
    u32 status;                        // NARROW_*; in lanes NARROW_OK
    LawForce force;
} BallEvaluation;

#if LANE_WIDTH == 1
FN_SHORT void ball_touch_take(const PairKinematics *kinematics, BallEvaluation *now) {
    now->normal = kinematics->normal;
    now->lever_a_m = kinematics->lever_a_m;
    now->lever_b_m = kinematics->lever_b_m;
    now->gap_m = kinematics->gap_m;
    now->error_m = kinematics->error_m;
    now->status = kinematics->status;
}
#endif

/// What a step hands over begins with its start.
FN_SHORT void ball_touch_begin(BallTouch *touch, Lane weight) {
    touch->impulse_N_s = vec3_scale(touch->start_force_N, weight);
    touch->loss_J = touch->start_loss_W * weight;
}

FN_SHORT void ball_touch_add(BallTouch *touch, Vec3 force_N, Lane loss_W, Lane weight) {
    touch->impulse_N_s = vec3_add_scaled(touch->impulse_N_s, force_N, weight);
    touch->loss_J = lane_fma(loss_W, weight, touch->loss_J);
}

/// Gap, normal and contact point. a_m, b_m: where A and B are.
FN_SHORT void ball_touch_kinematics(const BallTouch *touch, Vec3 a_m, Vec3 b_m, BallEvaluation *now) {
    now->status = NARROW_OK;
#if LANE_WIDTH == 1
    if (touch->kind == TOUCH_BALLS) {
        PairKinematics balls = kinematics_of_balls(touch->other_m, touch->ball_m, vec3_sub(b_m, a_m));
        ball_touch_take(&balls, now);
        return;
    }
#endif
    PlaneTouch plane =
        plane_touch(touch->ball_m, COPY(touch->normal), COPY(touch->down), COPY(touch->arm_m), vec3_sub(a_m, b_m));
    now->normal = touch->normal;
    now->lever_a_m = plane.lever_plane_m;
    now->lever_b_m = plane.lever_ball_m;
    now->gap_m = plane.gap_m;
    now->error_m = plane.error_m;
}

/// The relative motion there. a: 0 in lanes.
FN_SHORT void ball_touch_moving(const BallState *a, const BallState *b, BallEvaluation *now) {
    now->velocity_m_per_s = vec3_add(b->velocity_m_per_s, vec3_cross(b->spin_rad_per_s, now->lever_b_m));
    now->spin_rad_per_s = b->spin_rad_per_s;
    if (BALL_BOTH) {
        Vec3 at_a = vec3_add(a->velocity_m_per_s, vec3_cross(a->spin_rad_per_s, now->lever_a_m));
        now->velocity_m_per_s = vec3_sub(now->velocity_m_per_s, at_a);
        now->spin_rad_per_s = vec3_sub(now->spin_rad_per_s, a->spin_rad_per_s);
    }
    now->rate_m_per_s = vec3_dot(now->normal, now->velocity_m_per_s);
}

FN_SHORT void ball_touch_force(const BallTouch *touch, BallEvaluation *now) {
    now->force =
        law_force(&touch->law, -now->gap_m, COPY(now->normal), COPY(now->velocity_m_per_s), COPY(now->spin_rad_per_s));
}

/// On the body whose lever is given, but for its sign that of B.
FN_SHORT Vec3 ball_touch_torque(const BallEvaluation *now, Vec3 lever_m) {
    return vec3_add(vec3_cross(lever_m, now->force.force_N), now->force.torque_N_m);
}

// Derivatives of a contact at the start of a step: columns of 3 x 3 matrices.
typedef struct BallJacobian {
    Vec3 lever_a_m, lever_b_m;
    Vec3 by_displacement[3], by_velocity[3]; // d(force)/d(displacement) and /d(velocity) of B against A
    Vec3 twist_a[3], twist_b[3];             // change of the torques of the present force, as its point is displaced
    Vec3 loss_displacement, loss_velocity;
} BallJacobian;

// How a displacement of B against A along an axis moves the contact point, relative to the centres of both, and turns
// the normal.
typedef struct BallPoints {
    Vec3 a, b, normal;
} BallPoints;

FN_SHORT BallPoints ball_touch_points(const BallTouch *touch, const BallEvaluation *at, u32 axis) {
    BallPoints points;
    Vec3 unit = vec3_unit(axis), n = at->normal;
    Lane along = vec3_component(n, axis), middle = 0.5 * along;
#if LANE_WIDTH == 1
    if (touch->kind == TOUCH_BALLS) {
        real apart = at->gap_m + touch->other_m + touch->ball_m, carries = touch->other_m + 0.5 * at->gap_m;
        points.normal = vec3_scale(vec3_add_scaled(unit, n, 0.0 - along), 1.0 / apart);
        points.a = vec3_add_scaled(vec3_scale(points.normal, carries), n, middle);
        points.b = vec3_sub(points.a, unit);
        return points;
    }
#endif
    // Rounded as if the first of the contact's bodies were displaced.
    LaneMask is_swapped = touch->is_swapped > 0.5;
    Vec3 swapped = vec3_negate(vec3_scale(n, middle));
    points.normal = vec3_of(0.0);
    points.a = vec3_add_scaled(unit, n, 0.0 - middle);
    points.b = vec3_select(is_swapped, swapped, vec3_sub(points.a, unit));
    if (BALL_BOTH) points.a = vec3_select(is_swapped, vec3_add(swapped, unit), points.a);
    return points;
}

/// Derivatives at the start. a: 0 in lanes.
FN_ONCE void ball_touch_slopes(const BallTouch *touch, const BallEvaluation *at, const BallState *a, const BallState *b,
                               BallJacobian *jacobian) {
    Lane losses[3];
    LawMotion start, by;
    start.gap_m = at->gap_m;
    start.normal = at->normal;
    start.velocity_m_per_s = at->velocity_m_per_s;
    start.spin_rad_per_s = at->spin_rad_per_s;
    LawJacobian law = law_jacobian(&touch->law, &start);
    by.gap_m = lane_of(0.0);
    by.normal = by.spin_rad_per_s = vec3_of(0.0);
    jacobian->lever_a_m = at->lever_a_m;
    jacobian->lever_b_m = at->lever_b_m;
    for (u32 k = 0; k < 3; k++) {
        by.velocity_m_per_s = vec3_unit(k);
        LawChange change = law_change(&law, &start, &by, 0);
        jacobian->by_velocity[k] = change.force_N;
        losses[k] = change.loss_W;
    }
    jacobian->loss_velocity = vec3_make(losses[0], losses[1], losses[2]);
    for (u32 k = 0; k < 3; k++) {
        BallPoints points = ball_touch_points(touch, at, k);
        by.gap_m = vec3_component(at->normal, k);
        by.normal = points.normal;
        by.velocity_m_per_s = vec3_cross(b->spin_rad_per_s, points.b);
        if (BALL_BOTH) by.velocity_m_per_s = vec3_sub(by.velocity_m_per_s, vec3_cross(a->spin_rad_per_s, points.a));
        LawChange change = law_change(&law, &start, &by, 0);
        jacobian->by_displacement[k] = change.force_N;
        losses[k] = change.loss_W;
        jacobian->twist_b[k] = vec3_cross(points.b, touch->start_force_N);
        if (BALL_BOTH) jacobian->twist_a[k] = vec3_cross(touch->start_force_N, points.a);
    }
    jacobian->loss_displacement = vec3_make(losses[0], losses[1], losses[2]);
}
