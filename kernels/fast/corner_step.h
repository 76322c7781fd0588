// For each width. Corners of solids on planes that do not move: position and force at a stage of a step. Side by side
// are several corners of one solid, or one corner of each of several scenes (corner_lanes_try.h).
#ifndef CLACK_FAST_CORNER_STEP_H
#define CLACK_FAST_CORNER_STEP_H
#define CornerPose LANE_NAME(CornerPose)
#define CornerMotion LANE_NAME(CornerMotion)
#define CornerContact LANE_NAME(CornerContact)
#define CornerEnd LANE_NAME(CornerEnd)
#define corner_step_kinematics LANE_NAME(corner_step_kinematics)
#define corner_step_push LANE_NAME(corner_step_push)
#define corner_step_end LANE_NAME(corner_step_end)
#endif

typedef struct CornerPose { // of the solid of each corner
    Vec3 position_m;
    Quat orientation; // of any length
    Lane turn_scale;  // its scale for quat_turn_by
} CornerPose;

typedef struct CornerMotion {
    Vec3 velocity_m_per_s, spin_rad_per_s; // world axes
} CornerMotion;

typedef struct CornerContact {
    // Of a step:
    Vec3 corner_m; // from the centre of mass in the principal frame
    Lane ball_m;
    Vec3 plane_m, arm_m, up; // position of the plane's body, a point of the plane from there, normal
    Law law;
    Lane is_a;        // 1: the solid is A of the contact; 0: B
    Vec3 impulse_N_s; // of the step, on the solid
    Lane loss_J;
    // Of a stage:
    Vec3 lever_m;
    Lane penetration_m;
} CornerContact;

typedef struct CornerEnd { // at the end of a step, where forces are on B, as Contact has it
    Vec3 force_N, torque_a_N_m, torque_b_N_m, normal, lever_b_m;
    Lane gap_m, error_m, rate_m_per_s, closing_m_per_s, slip_m_per_s, normal_N, loss_W;
} CornerEnd;

/// Lever and penetration of a corner at a stage.
FN_SHORT void corner_step_kinematics(CornerContact *c, const CornerPose *pose) {
    Vec3 corner = quat_turn_by(pose->orientation, pose->turn_scale, c->corner_m);
    Vec3 offset = vec3_add(vec3_sub(vec3_sub(c->plane_m, pose->position_m), corner), c->arm_m);
    Lane height = 0.0 - vec3_dot(offset, c->up);
    c->lever_m = vec3_sub(corner, vec3_scale(c->up, 0.5 * (c->ball_m + height)));
    c->penetration_m = c->ball_m - height;
}

/// Its force and torque on the solid at the stage. weight: of the stage in the impulse of the step, s.
FN_SHORT void corner_step_push(CornerContact *c, const CornerMotion *motion, Lane weight, Vec3 *force, Vec3 *torque) {
    Vec3 v = vec3_add(motion->velocity_m_per_s, vec3_cross(motion->spin_rad_per_s, c->lever_m));
    LawForce by = law_force(&c->law, c->penetration_m, c->up, v, motion->spin_rad_per_s);
    c->impulse_N_s = vec3_add_scaled(c->impulse_N_s, by.force_N, weight);
    c->loss_J = lane_fma(by.loss_W, weight, c->loss_J);
    *force = by.force_N;
    *torque = vec3_add(vec3_cross(c->lever_m, by.force_N), by.torque_N_m);
}

/// The contact at the end of a step: kinematics_of_corner, law_force, contact_keep.
FN_SHORT void corner_step_end(const CornerContact *c, const CornerPose *pose, const CornerMotion *motion,
                              CornerEnd *end) {
    Vec3 spin = motion->spin_rad_per_s, down = vec3_negate(c->up), none = vec3_of(0.0);
    LaneMask is_a = c->is_a > 0.5;
    Vec3 corner = quat_turn_by(pose->orientation, pose->turn_scale, c->corner_m);
    Vec3 apart = vec3_sub(vec3_sub(c->plane_m, pose->position_m), corner), offset = vec3_add(apart, c->arm_m);
    Lane height = 0.0 - vec3_dot(offset, c->up), gap = height - c->ball_m;
    Vec3 below = vec3_scale(down, 0.5 * (c->ball_m + height));
    Vec3 lever = vec3_add(corner, below), plane = vec3_sub(below, apart);
    Vec3 normal = vec3_select(is_a, down, vec3_negate(down));
    Vec3 moving = vec3_add(motion->velocity_m_per_s, vec3_cross(spin, lever));
    Vec3 v = vec3_select(is_a, vec3_sub(none, moving), moving), w = vec3_select(is_a, vec3_sub(none, spin), spin);
    LawForce by = law_force(&c->law, -gap, normal, v, w);
    Vec3 of_solid = vec3_add(vec3_cross(lever, by.force_N), by.torque_N_m);
    Vec3 of_plane = vec3_add(vec3_cross(plane, by.force_N), by.torque_N_m);
    end->force_N = by.force_N;
    end->torque_b_N_m = vec3_select(is_a, of_plane, of_solid);
    end->torque_a_N_m = vec3_negate(vec3_select(is_a, of_solid, of_plane));
    end->normal = normal;
    end->lever_b_m = vec3_select(is_a, plane, lever);
    end->gap_m = gap;
    end->error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + c->ball_m);
    end->error_m = end->error_m + NARROW_ROUNDING * vec3_max_abs(corner);
    end->rate_m_per_s = vec3_dot(normal, v);
    end->closing_m_per_s = by.closing_m_per_s;
    end->slip_m_per_s = by.slip_m_per_s;
    end->normal_N = by.normal_N;
    end->loss_W = by.loss_W;
}
