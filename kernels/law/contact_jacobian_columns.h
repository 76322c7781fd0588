// contact_change for three motions of one of a contact's bodies at once, as columns of a matrix: along the axes of the
// world, or about those of the body. Without the loss.
#ifndef CLACK_LAW_CONTACT_JACOBIAN_COLUMNS_H
#define CLACK_LAW_CONTACT_JACOBIAN_COLUMNS_H

#include "base/columns.h"
#include "model/workspace.h"

// As ContactChange.
typedef struct ColumnChange {
    ColumnVec force_N;    // on B; on A the opposite
    ColumnVec torque_N_m; // on B beside that of the force; on A the opposite
    ColumnVec moved_torque_a_N_m,
        moved_torque_b_N_m; // torques of the present force as the contact point moves: to be taken from A, and on B
} ColumnChange;

/// law_change on columns: a copy by hand, since columns are another type of number.
FN_STAGE void columns_by_law(GLOBAL const ContactJacobian *s, Columns gap, const ColumnVec *normal,
                             const ColumnVec *velocity, const ColumnVec *spin, ColumnChange *change) {
    Vec3 n = s->normal, v = s->velocity_m_per_s;
    real along = s->law.along_m_per_s;
    Columns d_along = columns_add(column_vec_dot(n, COPY(*velocity)), column_vec_dot(v, COPY(*normal)));
    Columns d_force =
        columns_sub(columns_scale(gap, 0.0 - s->law.normal_stiffness), columns_scale(d_along, s->law.normal_damping));
    Vec3 sliding = vec3_add_scaled(v, n, -along);
    ColumnVec d_sliding = column_vec_add_along(COPY(*velocity), d_along, vec3_negate(n));
    d_sliding = column_vec_add_scaled(d_sliding, COPY(*normal), -along);
    Columns drags = columns_sub(columns_scale(column_vec_dot(sliding, d_sliding), s->law.friction_per_slip),
                                columns_scale(d_force, s->law.friction_per_N));
    ColumnVec force = column_vec_add_scaled(column_vec_along(d_force, n), COPY(*normal), s->law.normal_N);
    force = column_vec_add_scaled(force, d_sliding, 0.0 - s->law.friction);
    change->force_N = column_vec_add_along(force, drags, sliding);
    change->torque_N_m = column_vec_zero();
    if (s->law.rolling_per_N == 0.0) return;
    Vec3 w = vec3_sub(s->spin_b_rad_per_s, s->spin_a_rad_per_s);
    Columns turns = columns_sub(columns_scale(column_vec_dot(w, COPY(*spin)), s->law.rolling_per_spin),
                                columns_scale(d_force, s->law.rolling_per_N));
    change->torque_N_m = column_vec_add_along(column_vec_scale(COPY(*spin), 0.0 - s->law.rolling), turns, w);
}

// As ContactMove.
typedef struct ColumnMove {
    ColumnVec normal, point_m;
    Columns gap_m;
} ColumnMove;

/// contact_slide on columns.
FN_SHORT void columns_slide(GLOBAL const ContactJacobian *s, Columns first, Columns second, ColumnVec *with_a,
                            ColumnVec *apart) {
    ColumnVec slip = column_vec_add_along(column_vec_along(first, COPY(s->slip[0])), second, COPY(s->slip[1]));
    if (s->slides != SLIDES_OF_B) *with_a = column_vec_add(COPY(*with_a), slip);
    if (s->slides != SLIDES_ON_PATCH)
        *apart = s->slides == SLIDES_OF_A ? column_vec_sub(COPY(*apart), slip) : column_vec_add(COPY(*apart), slip);
}

/// contact_move_apart of shifts of B.
FN_STAGE void columns_move_apart(GLOBAL const ContactJacobian *s, const ColumnVec *shift, ColumnMove *move) {
    Vec3 n = s->normal, x = s->across, y = vec3_cross(n, x);
    ColumnVec apart = *shift, with_a = column_vec_zero();
    move->gap_m = column_vec_dot(COPY(s->gap_apart), apart);
    if (HAS(CONTENT_SOLIDS) && s->slides != SLIDES_NOT)
        columns_slide(s, column_vec_dot(COPY(s->slip_apart[0]), apart), column_vec_dot(COPY(s->slip_apart[1]), apart),
                      &with_a, &apart);
    PairCurvature w = s->curvature;
    Columns in_x = column_vec_dot(x, apart), in_y = column_vec_dot(y, apart);
    move->normal = column_vec_along(columns_blend(w.s_xx, in_x, w.s_xy, in_y), x);
    move->normal = column_vec_add_along(COPY(move->normal), columns_blend(w.s_xy, in_x, w.s_yy, in_y), y);
    ColumnVec point = column_vec_add_along(with_a, columns_blend(w.t_xx, in_x, w.t_yx, in_y), x);
    point = column_vec_add_along(point, columns_blend(w.t_xy, in_x, w.t_yy, in_y), y);
    point = column_vec_add_scaled(point, COPY(move->normal), s->reach_m);
    move->point_m = column_vec_add_along(point, columns_scale(column_vec_dot(n, apart), 0.5), n);
}

/// contact_move of turns of B, or of A.
FN_STAGE void columns_move_turned(GLOBAL const ContactJacobian *s, u32 is_b, const ColumnVec *turn, ColumnMove *move) {
    Vec3 n = s->normal, x = s->across, y = vec3_cross(n, x);
    Vec3 core_point = vec3_add_scaled(is_b != 0 ? s->lever_b_m : s->lever_a_m, n, 0.0 - s->reach_m);
    ColumnVec none = column_vec_zero(), by = column_vec_crossed(COPY(*turn), core_point);
    ColumnVec with_a = is_b != 0 ? none : by, apart = is_b != 0 ? by : column_vec_negate(by);
    ColumnVec apart_turn = is_b != 0 ? column_vec_negate(COPY(*turn)) : *turn; // of A against B
    move->gap_m = columns_add(column_vec_dot(COPY(s->gap_apart), apart), column_vec_dot(COPY(s->gap_turn), apart_turn));
    if (s->slides != SLIDES_NOT)
        columns_slide(s,
                      columns_add(column_vec_dot(COPY(s->slip_apart[0]), apart),
                                  column_vec_dot(COPY(s->slip_turn[0]), apart_turn)),
                      columns_add(column_vec_dot(COPY(s->slip_apart[1]), apart),
                                  column_vec_dot(COPY(s->slip_turn[1]), apart_turn)),
                      &with_a, &apart);
    ColumnVec tilt = column_vec_crossed(apart_turn, n);
    PairCurvature w = s->curvature;
    Columns in_x = column_vec_dot(x, apart), in_y = column_vec_dot(y, apart);
    Columns tilt_x = column_vec_dot(x, tilt), tilt_y = column_vec_dot(y, tilt);
    Columns turned_x =
        columns_add(columns_blend(w.s_xx, in_x, w.s_xy, in_y), columns_blend(w.t_xx, tilt_x, w.t_xy, tilt_y));
    Columns turned_y =
        columns_add(columns_blend(w.s_xy, in_x, w.s_yy, in_y), columns_blend(w.t_yx, tilt_x, w.t_yy, tilt_y));
    Columns slid_x =
        columns_sub(columns_blend(w.t_xx, in_x, w.t_yx, in_y), columns_blend(w.y_xx, tilt_x, w.y_xy, tilt_y));
    Columns slid_y =
        columns_sub(columns_blend(w.t_xy, in_x, w.t_yy, in_y), columns_blend(w.y_xy, tilt_x, w.y_yy, tilt_y));
    move->normal = column_vec_add_along(is_b != 0 ? column_vec_negate(tilt) : none, turned_x, x);
    move->normal = column_vec_add_along(COPY(move->normal), turned_y, y);
    ColumnVec point = column_vec_add_along(column_vec_add_along(with_a, slid_x, x), slid_y, y);
    point = column_vec_add_scaled(point, COPY(move->normal), s->reach_m);
    move->point_m = column_vec_add_along(point, columns_scale(column_vec_dot(n, apart), 0.5), n);
}

/// Shifts of B. Those of A do the opposite.
FN_ONCE void columns_apart(GLOBAL const ContactJacobian *s, const ColumnVec *shift, ColumnChange *change) {
    ColumnMove move;
    columns_move_apart(s, shift, &move);
    ColumnVec lever_b = column_vec_sub(move.point_m, COPY(*shift)), none = column_vec_zero();
    ColumnVec velocity = column_vec_sub(column_vec_cross(COPY(s->spin_b_rad_per_s), lever_b),
                                        column_vec_cross(COPY(s->spin_a_rad_per_s), move.point_m));
    columns_by_law(s, move.gap_m, &move.normal, &velocity, &none, change);
    change->moved_torque_a_N_m = column_vec_crossed(move.point_m, COPY(s->force_N));
    change->moved_torque_b_N_m = column_vec_crossed(lever_b, COPY(s->force_N));
}

/// Turns of B, or of A, each with a change of its spin.
FN_ONCE void columns_turned(GLOBAL const ContactJacobian *s, u32 is_b, const ColumnVec *turn, const ColumnVec *spin,
                            ColumnChange *change) {
    ColumnMove move;
    columns_move_turned(s, is_b, turn, &move);
    ColumnVec by_spin = column_vec_crossed(COPY(*spin), is_b != 0 ? s->lever_b_m : s->lever_a_m);
    ColumnVec at_a = column_vec_cross(COPY(s->spin_a_rad_per_s), move.point_m),
              at_b = column_vec_cross(COPY(s->spin_b_rad_per_s), move.point_m);
    if (is_b != 0)
        at_b = column_vec_add(by_spin, at_b);
    else
        at_a = column_vec_add(by_spin, at_a);
    ColumnVec velocity = column_vec_sub(at_b, at_a), spins = is_b != 0 ? *spin : column_vec_negate(COPY(*spin));
    columns_by_law(s, move.gap_m, &move.normal, &velocity, &spins, change);
    change->moved_torque_a_N_m = change->moved_torque_b_N_m = column_vec_crossed(move.point_m, COPY(s->force_N));
}

/// Velocities of B against A at the contact point, and spins, without the loss.
FN_ONCE void columns_motion(GLOBAL const ContactJacobian *s, const ColumnVec *velocity, const ColumnVec *spin,
                            ColumnChange *change) {
    ColumnVec force = column_vec_along(velocity->x, COPY(s->motion_force_N[0]));
    force = column_vec_add_along(force, velocity->y, COPY(s->motion_force_N[1]));
    change->force_N = column_vec_add_along(force, velocity->z, COPY(s->motion_force_N[2]));
    change->torque_N_m = change->moved_torque_a_N_m = change->moved_torque_b_N_m = column_vec_zero();
    if (s->law.rolling_per_N == 0.0) return;
    ColumnVec first = column_vec_along(velocity->x, COPY(s->motion_torque_N_m[0])),
              second = column_vec_along(spin->x, COPY(s->spin_torque_N_m[0]));
    first = column_vec_add_along(column_vec_add_along(first, velocity->y, COPY(s->motion_torque_N_m[1])), velocity->z,
                                 COPY(s->motion_torque_N_m[2]));
    second = column_vec_add_along(column_vec_add_along(second, spin->y, COPY(s->spin_torque_N_m[1])), spin->z,
                                  COPY(s->spin_torque_N_m[2]));
    change->torque_N_m = column_vec_add(first, second);
}

/// The torque on B, or on A, about its centre of mass. lever_m: from there to where the force acts.
FN_SHORT ColumnVec columns_torque_at(Vec3 lever_m, u32 is_b, const ColumnChange *change) {
    ColumnVec torque = column_vec_cross(lever_m, COPY(change->force_N));
    torque = column_vec_add(column_vec_add(torque, is_b != 0 ? change->moved_torque_b_N_m : change->moved_torque_a_N_m),
                            COPY(change->torque_N_m));
    return is_b != 0 ? torque : column_vec_negate(torque);
}
FN_SHORT ColumnVec columns_torque(GLOBAL const ContactJacobian *s, u32 is_b, const ColumnChange *change) {
    return columns_torque_at(is_b != 0 ? s->lever_b_m : s->lever_a_m, is_b, change);
}

#endif
