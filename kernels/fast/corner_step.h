// For each width. Corners of solids on planes that do not move: position and force at a stage of a step. Side by side
// are several corners of one solid, or one corner of each of several scenes (corner_lanes_try.h).
#ifndef CLACK_FAST_CORNER_STEP_H
#define CLACK_FAST_CORNER_STEP_H
#define CornerSolid LANE_NAME(CornerSolid)
#define CornerSum LANE_NAME(CornerSum)
#define CornerContact LANE_NAME(CornerContact)
#define CornerEnd LANE_NAME(CornerEnd)
#define corner_step_place LANE_NAME(corner_step_place)
#define corner_step_stage LANE_NAME(corner_step_stage)
#define corner_step_end LANE_NAME(corner_step_end)
#define corner_step_nothing LANE_NAME(corner_step_nothing)
#define corner_step_add LANE_NAME(corner_step_add)
#define corner_step_add_end LANE_NAME(corner_step_add_end)
// A part of a stage; side by side a function of its own, for corners of a solid and for those of several scenes.
#define CORNER_STAGE_FN LANE_PASTE(CORNER_STAGE_FN_, LANE_WIDTH)
#define CORNER_STAGE_FN_1 FN_SHORT
#define CORNER_STAGE_FN_4 FN_APART
#define CORNER_STAGE_FN_8 FN_APART
#endif

typedef struct CornerSolid { // of each corner, at a stage
    BodyState at;            // orientation of any length
    Lane turn_scale;         // its scale for quat_rotate_any_by
    Vec3 spin_rad_per_s;     // world axes
} CornerSolid;

typedef struct CornerSum { // of the corners of a solid
    Vec3 force_N, torque_N_m;
} CornerSum;

typedef struct CornerContact {
    // Of a step:
    Vec3 corner_m; // from the centre of mass in the principal frame
    Lane ball_m;
    Vec3 plane_m, arm_m, up; // position of the plane's body, a point of the plane from there, normal
    LawNumbers law;
    Lane is_a;        // 1: the solid is A of the contact; 0: B
    Vec3 impulse_N_s; // of the step, on the solid
    Lane loss_J;
} CornerContact;

typedef struct CornerEnd { // at the end of a step, where forces are on B, as Contact has it
    Vec3 force_N, torque_a_N_m, torque_b_N_m, normal, lever_b_m;
    Lane gap_m, error_m, rate_m_per_s, closing_m_per_s, slip_m_per_s, normal_N, loss_W;
} CornerEnd;

/// A solid at a stage.
FN_SHORT CornerSolid corner_step_place(BodyState at, Lane turn_scale) {
    CornerSolid solid;
    solid.at = at;
    solid.turn_scale = turn_scale;
    solid.spin_rad_per_s = quat_rotate(at.orientation, at.spin_rad_per_s);
    return solid;
}

/// Force and torque of a corner on its solid at a stage, with its part of impulse and loss. weight: of the force in the
/// impulse of the step, s.
CORNER_STAGE_FN void corner_step_stage(CornerContact *c, const CornerSolid *solid, Lane weight, CornerSum *wrench) {
    Vec3 corner = quat_rotate_any_by(solid->at.orientation, solid->turn_scale, c->corner_m),
         spin = solid->spin_rad_per_s;
    Vec3 offset = vec3_add(vec3_sub(vec3_sub(c->plane_m, solid->at.position_m), corner), c->arm_m);
    Lane height = 0.0 - vec3_dot(offset, c->up);
    Vec3 lever = vec3_sub(corner, vec3_scale(c->up, 0.5 * (c->ball_m + height)));
    Vec3 v = vec3_add(solid->at.velocity_m_per_s, vec3_cross(spin, lever));
    LawForce by = law_force(&c->law, c->ball_m - height, COPY(c->up), v, spin);
    c->impulse_N_s = vec3_add_scaled(c->impulse_N_s, by.force_N, weight);
    c->loss_J = lane_fma(by.loss_W, weight, c->loss_J);
    wrench->force_N = by.force_N;
    wrench->torque_N_m = vec3_add(vec3_cross(lever, by.force_N), by.torque_N_m);
}

/// The contact at the end of a step: kinematics_of_corner, law_force, contact_store.
CORNER_STAGE_FN void corner_step_end(const CornerContact *c, const CornerSolid *solid, CornerEnd *end) {
    Vec3 spin = solid->spin_rad_per_s, down = vec3_negate(c->up), none = vec3_of(0.0);
    LaneMask is_a = c->is_a > 0.5;
    Vec3 corner = quat_rotate_any_by(solid->at.orientation, solid->turn_scale, c->corner_m);
    Vec3 apart = vec3_sub(vec3_sub(c->plane_m, solid->at.position_m), corner), offset = vec3_add(apart, c->arm_m);
    Lane height = 0.0 - vec3_dot(offset, c->up), gap = height - c->ball_m;
    Vec3 below = vec3_scale(down, 0.5 * (c->ball_m + height));
    Vec3 lever = vec3_add(corner, below), plane = vec3_sub(below, apart);
    Vec3 normal = vec3_select(is_a, down, vec3_negate(down));
    Vec3 moving = vec3_add(solid->at.velocity_m_per_s, vec3_cross(spin, lever));
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

FN_SHORT CornerSum corner_step_nothing(void) {
    CornerSum sum;
    sum.force_N = sum.torque_N_m = vec3_of(0.0);
    return sum;
}

/// A sum with what a corner adds, where there is one: at a stage, and at the end of a step.
FN_SHORT CornerSum corner_step_add(CornerSum sum, LaneMask is_there, const CornerSum *wrench) {
    sum.force_N = vec3_select(is_there, vec3_add(sum.force_N, wrench->force_N), sum.force_N);
    sum.torque_N_m = vec3_select(is_there, vec3_add(sum.torque_N_m, wrench->torque_N_m), sum.torque_N_m);
    return sum;
}
FN_SHORT CornerSum corner_step_add_end(CornerSum sum, LaneMask is_there, LaneMask is_a, const CornerEnd *end) {
    Vec3 torque = vec3_select(is_a, COPY(end->torque_a_N_m), COPY(end->torque_b_N_m));
    Vec3 force = vec3_select(is_a, vec3_sub(sum.force_N, end->force_N), vec3_add(sum.force_N, end->force_N));
    sum.force_N = vec3_select(is_there, force, sum.force_N);
    sum.torque_N_m = vec3_select(is_there, vec3_add(sum.torque_N_m, torque), sum.torque_N_m);
    return sum;
}
